// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <vector>

#include <nonsmooth/io/spectrum.hpp>

#include "figures.hpp"

namespace nonsmooth::spectrum_test {

namespace {

constexpr double pi = std::numbers::pi;

std::vector<double> instants(std::size_t n, double dt) {
  std::vector<double> t(n);
  for (std::size_t j = 0; j < n; ++j) t[j] = 3.0 + static_cast<double>(j) * dt;  // need not begin at 0
  return t;
}

std::vector<double> noise(std::size_t n) {
  std::mt19937_64 random(4);
  std::vector<double> values(n);
  for (double& value : values) value = 0x1p-53 * static_cast<double>(random() >> 11) - 0.3;
  return values;
}

double window(Window kind, std::size_t j, std::size_t n) {
  const double a = 2.0 * pi * static_cast<double>(j) / static_cast<double>(n);
  if (kind == Window::Rectangular) return 1.0;
  if (kind == Window::Hann) return std::pow(std::sin(a / 2.0), 2);
  return 0.35875 - 0.48829 * std::cos(a) + 0.14128 * std::cos(2.0 * a) - 0.01168 * std::cos(3.0 * a);
}

constexpr std::array kWindows{Window::Rectangular, Window::Hann, Window::BlackmanHarris};

// 1000 samples of 1 ms: frequencies are whole hertz. 3 V at 50 Hz, 0.02 V at 120 Hz, a mean of 7 V; the lines of the
// widest window reach 3 Hz to each side. Rounding: 1000 terms of 1e-16 times some 5 V, as a sum of random signs 2e-14.
TEST(Spectrum, HasTheAmplitudesOfCosines) {
  const std::vector<double> t = instants(1000, 1e-3);
  std::vector<double> y;
  for (const double s : t) y.push_back(7.0 + 3.0 * std::cos(2 * pi * 50 * s + 0.4) + 0.02 * std::sin(2 * pi * 120 * s));
  for (const Window kind : kWindows) {
    const Spectrum spectrum = spectrum_of(t, y, {.window = kind});
    ASSERT_EQ(spectrum.frequency.size(), 501u);
    EXPECT_NEAR(spectrum.frequency[50], 50.0, 1e-9);
    EXPECT_NEAR(spectrum.frequency[500], 500.0, 1e-9);
    EXPECT_NEAR(spectrum.value[50], 3.0, 1e-12);
    EXPECT_NEAR(spectrum.value[120], 0.02, 1e-12);
    for (std::size_t k = 0; k <= 500; ++k) {
      const bool line = std::abs(static_cast<int>(k) - 50) < 4 || std::abs(static_cast<int>(k) - 120) < 4;
      if (!line) {
        EXPECT_LT(spectrum.value[k], 1e-12) << k;
      }
    }
  }
  EXPECT_NEAR(spectrum_of(t, y, {.window = Window::Rectangular, .keep_mean = true}).value[0], 7.0, 1e-12);
}

// The sum that the header writes, term by term, for an odd, an even and a prime count. The differences are roundings of
// sums of n <= 211 terms below 1: 1e-13 is a hundred times what they may be.
TEST(Spectrum, IsTheSumOfItsDefinition) {
  for (const std::size_t n : {45u, 64u, 211u}) {
    const double dt = 0.02;
    const std::vector<double> t = instants(n, dt), y = noise(n);
    const double mean = std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(n);
    for (const Window kind : kWindows) {
      const Spectrum amplitude = spectrum_of(t, y, {.window = kind});
      const Spectrum power = spectrum_of(t, y, {.scale = SpectrumOptions::Scale::Power, .window = kind});
      double sum = 0.0, squares = 0.0;
      for (std::size_t j = 0; j < n; ++j) sum += window(kind, j, n), squares += std::pow(window(kind, j, n), 2);
      ASSERT_EQ(amplitude.value.size(), n / 2 + 1);
      for (std::size_t k = 0; k <= n / 2; ++k) {
        std::complex<double> X = 0.0;
        for (std::size_t j = 0; j < n; ++j)
          X += std::polar(window(kind, j, n) * (y[j] - mean),
                          -2.0 * pi * static_cast<double>(j * k % n) / static_cast<double>(n));
        const double c = k == 0 || 2 * k == n ? 1.0 : 2.0;
        EXPECT_NEAR(amplitude.value[k], c * std::abs(X) / sum, 1e-13);
        EXPECT_NEAR(power.value[k], c * dt * std::norm(X) / squares, 1e-13);
        EXPECT_NEAR(amplitude.frequency[k], static_cast<double>(k) / (static_cast<double>(n) * dt), 1e-12);
      }
    }
  }
}

// Parseval: the density's integral is the mean square, of noise without a window, of its weighted values with one; also
// with zeros behind, as 2039 is a prime above 1000. Roundings of 2000 terms: 1e-12 of some 0.1.
TEST(Spectrum, DensitiesSumToTheMeanSquare) {
  for (const std::size_t n : {2000u, 2039u}) {
    const std::vector<double> t = instants(n, 1e-2), y = noise(n);
    const double mean = std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(n);
    for (const Window kind : kWindows) {
      double squares = 0.0, weights = 0.0;
      for (std::size_t j = 0; j < n; ++j) {
        squares += std::pow(window(kind, j, n) * (y[j] - mean), 2);
        weights += std::pow(window(kind, j, n), 2);
      }
      const Spectrum power = spectrum_of(t, y, {.scale = SpectrumOptions::Scale::Power, .window = kind});
      const double integral = std::accumulate(power.value.begin(), power.value.end(), 0.0) * power.frequency[1];
      EXPECT_NEAR(integral, squares / weights, 1e-13);
    }
  }
}

// A line between two frequencies leaks: 10.5 periods of 200 samples. Far off, at k = 60, weights of Hann and of
// Blackman and Harris leave less than 1e-3 and 3e-5 of the amplitude (their side lobes fall with the cube of the
// distance, and are below 92 dB); none leaves 1 / (pi 50) = 6e-3.
TEST(Spectrum, WindowsKeepLinesNarrow) {
  const std::vector<double> t = instants(200, 5e-3);
  std::vector<double> y;
  for (std::size_t j = 0; j < t.size(); ++j) y.push_back(std::cos(2.0 * pi * 10.5 * static_cast<double>(j) / 200.0));
  const auto far = [&](Window kind) { return spectrum_of(t, y, {.window = kind}).value[60]; };
  EXPECT_GT(far(Window::Rectangular), 2e-3);
  EXPECT_LT(far(Window::Hann), 1e-4);
  EXPECT_LT(far(Window::BlackmanHarris), 3e-5);
}

// 1,000,003 is a prime: without the zeros behind it would be 10^12 operations, which take a quarter of an hour and
// more.
TEST(Spectrum, TakesNoLongerForPrimes) {
  const std::size_t n = 1'000'003;
  const auto begin = std::chrono::steady_clock::now();
  const Spectrum spectrum = spectrum_of(instants(n, 1e-3), noise(n));
  EXPECT_GE(spectrum.frequency.size(), n / 2 + 1);
  EXPECT_LT(spectrum.frequency.size(), n / 2 + 1000);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST(Spectrum, RefusesWhatHasNone) {
  const std::vector<double> t = instants(8, 0.1), y(8, 1.0);
  EXPECT_EQ(refused([&] { return spectrum_of({0.0, 1.0, 2.0}, {0.0, 1.0, 2.0}); }), "spectrum_of: t");
  EXPECT_EQ(refused([&] { return spectrum_of(std::vector<double>(8, 1.0), y); }), "spectrum_of: t");
  EXPECT_EQ(refused([&] { return spectrum_of(t, {1.0}); }), "spectrum_of: values");
  std::vector<double> uneven = t, broken = y;
  uneven[3] += 1e-3;
  EXPECT_EQ(refused([&] { return spectrum_of(uneven, y); }), "spectrum_of: t[3]");
  uneven = t;
  uneven[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refused([&] { return spectrum_of(uneven, y); }), "spectrum_of: t[2]");
  broken[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refused([&] { return spectrum_of(t, broken); }), "spectrum_of: values[5]");
}

}  // namespace
}  // namespace nonsmooth::spectrum_test
