// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/spectrum.hpp>

#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <string>

#include <internal/fourier.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "number.hpp"

namespace nonsmooth {
namespace {

double weight(Window window, double phase) {
  switch (window) {
    case Window::Rectangular:
      break;
    case Window::Hann:
      return 0.5 - 0.5 * std::cos(phase);
    case Window::BlackmanHarris:  // Harris 1978, minimum four terms
      return 0.35875 - 0.48829 * std::cos(phase) + 0.14128 * std::cos(2.0 * phase) - 0.01168 * std::cos(3.0 * phase);
  }
  return 1.0;
}

std::size_t largest_prime_factor(std::size_t n) {
  std::size_t largest = 1;
  for (std::size_t p = 2; p * p <= n; ++p) {
    for (; n % p == 0; n /= p) largest = p;
  }
  return n > 1 ? n : largest;
}

/// The transform takes n p operations for a prime factor p.
std::size_t padded_length(std::size_t n) {
  while (largest_prime_factor(n) > 1000) ++n;
  return n;
}

double distance_of(const std::vector<double>& t) {
  if (t.size() < 4) throw InvalidArgument("spectrum_of: t", std::to_string(t.size()) + " instants", "at least 4");
  const double dt = (t.back() - t.front()) / static_cast<double>(t.size() - 1);
  if (!(dt > 0.0) || !std::isfinite(dt))
    throw InvalidArgument("spectrum_of: t", "a mean distance of " + number(dt, 7), "instants that grow");
  for (std::size_t j = 0; j < t.size(); ++j) {
    const double place = t.front() + static_cast<double>(j) * dt;
    // Instants themselves are rounded: 1e-6 of a distance, and what a double can say this far from 0.
    if (!(std::abs(t[j] - place) <= 1e-6 * dt + 4e-16 * std::abs(place)))
      throw InvalidArgument("spectrum_of: t[" + std::to_string(j) + "]", number(t[j], 10),
                            number(place, 10) + ", as instants are at equal distances");
  }
  return dt;
}

}  // namespace

Spectrum spectrum_of(const std::vector<double>& t, const std::vector<double>& values, const SpectrumOptions& options) {
  const double dt = distance_of(t);
  const std::size_t n = t.size();
  if (values.size() != n) {
    throw InvalidArgument("spectrum_of: values", std::to_string(values.size()) + " entries",
                          std::to_string(n) + ", one an instant");
  }
  double mean = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    if (!std::isfinite(values[j]))
      throw InvalidArgument("spectrum_of: values[" + std::to_string(j) + "]", "no finite number", "a finite one");
    mean += values[j] / static_cast<double>(n);
  }
  if (options.keep_mean) mean = 0.0;

  std::vector<double> weighted(padded_length(n), 0.0);
  double sum = 0.0, squares = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    const double w = weight(options.window, 2.0 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(n));
    weighted[j] = w * (values[j] - mean);
    sum += w;
    squares += w * w;
  }
  std::vector<std::complex<double>> X;
  FourierTransform().forward(weighted, X);

  const std::size_t length = weighted.size();
  Spectrum result;
  for (std::size_t k = 0; k <= length / 2; ++k) {
    const double c = k == 0 || 2 * k == length ? 1.0 : 2.0;
    result.frequency.push_back(static_cast<double>(k) / (static_cast<double>(length) * dt));
    result.value.push_back(options.scale == SpectrumOptions::Scale::Amplitude ? c * std::abs(X[k]) / sum
                                                                              : c * dt * std::norm(X[k]) / squares);
  }
  return result;
}

}  // namespace nonsmooth
