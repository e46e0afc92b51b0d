// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace nonsmooth {

/// What samples are weighted with before their transform, so that a line between two frequencies stays narrow.
enum class Window : unsigned char {
  Rectangular,    ///< 1: narrowest, for whole periods; leaks far otherwise
  Hann,           ///< (1 - cos) / 2: lines 4 frequencies wide, what leaks falls fast
  BlackmanHarris  ///< four terms: lines 8 frequencies wide, what leaks is below 3e-5 of them
};

struct SpectrumOptions {
  /// Amplitude: A of A cos(2 pi f t), in the unit of the values. Power: one-sided density, in their unit squared per
  /// unit of frequency, whose sum times the distance of frequencies is the mean square of the weighted values.
  enum class Scale : unsigned char { Amplitude, Power };
  Scale scale = Scale::Amplitude;
  Window window = Window::Hann;  ///< whoever knows that whole periods were sampled takes Rectangular
  bool keep_mean = false;        ///< the mean is taken off first: it would hide low frequencies
};

/// One-sided: frequencies from 0 to half the sampling frequency.
struct Spectrum {
  std::vector<double> frequency{};  ///< [1 / unit of t], k / (n dt)
  std::vector<double> value{};      ///< by the options' scale, one a frequency
};

/// The spectrum of n values at equal distances dt. With weights w_j of the window and X_k = sum_j w_j (y_j - mean)
/// exp(-2 pi i j k / n), k = 0 ... n / 2,
///
///     amplitude  A_k = c |X_k| / sum_j w_j,             power density  P_k = c dt |X_k|^2 / sum_j w_j^2,
///
/// c = 2, but 1 at k = 0 and, for even n, at k = n / 2 for power (amplitudes likewise). A sum of cosines at frequencies
/// of the grid and farther apart than a line is wide has its amplitudes to rounding. Where n has a prime factor above
/// 1000, zeros are added behind the weighted values up to the next length without, which draws frequencies closer
/// together and changes no scale. Time: n log n.
/// @param t instants, in any unit, n >= 4, at equal distances to 1e-6 of dt
/// @param values one an instant, finite
/// @param options see SpectrumOptions
/// @throws InvalidArgument: fewer instants, other distances (the first is named), another count, no finite value.
[[nodiscard]] Spectrum spectrum_of(const std::vector<double>& t, const std::vector<double>& values,
                                   const SpectrumOptions& options = {});

}  // namespace nonsmooth
