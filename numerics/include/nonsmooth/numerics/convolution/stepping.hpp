// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/convolution/problem.hpp>

namespace nonsmooth::convolution {

/// How sum_{j<n} W_{n-j} p_j is computed.
enum class History : unsigned char {
  Automatic,  ///< Recursion of exponentials, else Fourier
  Direct,     ///< as it stands: O(N^2)
  /// Blocks by Fourier transforms as soon as their impulses are known: O(N log^2 N). Source: Hairer, Lubich, Schlichte
  /// 1985 [hairer1985].
  Fourier,
  Recursion,   ///< a number a mode and row, of exponentials alone: O(N) times their number
  Compressed,  ///< compress() first, then as Recursion; not met: Fourier, and Result::reason says so
};

/// Steps of equal length, one after the other; each is a relay problem in the impulse p_n,
///
///     w_n = W_0 p_n + (q(t_n) + sum_{j<n} W_{n-j} p_j),     -w_n in N_[h l, h u](p_n),
///
/// solved in closed form (m = 1), by lcp::Workspace (bounds 0 and infinity) or relay::solve. The past never changes.
/// Where W_0 is a P-matrix every step has one solution. Same input, same bits.
struct Stepping {
  Index steps = 0;  ///< N >= 1; h = T / N
  Rule rule = Rule::Automatic;
  History history = History::Automatic;
  double tolerance = 1e-10;              ///< Certificate::residual <= tolerance, of all steps; > 0
  double compression_tolerance = 1e-12;  ///< of History::Compressed, as compress() takes it
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// Stalled where a step has no solution after those before it (Result::failure has the step's own verdict and proof: it
/// is a proof for the whole where the steps before had no other answers).
/// @throws InvalidArgument as examine, weights_of, Stepping::validate; bounds as relay::Problem; q of another size or
/// not finite; an index above 2 (r ~ t^2 and smoother: states have to jump, which a convolution does not have); a
/// kernel of the wrong sign: K0 with a diagonal entry that is not positive, or W_0 with one, as w would fall as z
/// grows.
[[nodiscard]] Result solve(const Problem& problem, const Stepping& options);

}  // namespace nonsmooth::convolution
