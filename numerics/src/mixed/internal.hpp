// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the solvers of the mixed family share.

#include <cmath>
#include <string_view>

#include <nonsmooth/numerics/mixed/problem.hpp>

#include "buffer.hpp"

namespace nonsmooth::mixed::internal {

/// A fresh result that keeps r as the start where it has the right size and is finite; else the start is 0.
inline void begin(const Problem& problem, std::string_view solver, Result& result) {
  const Index n = problem.W.rows();
  if (result.r.size() != n || !result.r.allFinite()) result.r.setZero(n);
  if (result.u.size() != n) result.u.setZero(n);
  if (result.proof.size() != 0) result.proof.resize(0);
  result.status = Status::NotRun;
  result.at_round_off = false;
  result.certificate = {};
  result.iterations = 0;
  result.solver = solver;
  result.reason = {};
}

inline void end(Result& result, Status status, std::string_view reason) noexcept {
  result.status = status;
  result.at_round_off = false;
  result.reason = reason;
}

/// What a public solve ends with: notes whether the errors of an open result are the rounding of its own terms
/// (../solved_to_round_off.hpp).
void note_round_off(const Problem& problem, Result& result) noexcept;
/// The same at a door, which turns it Solved.
void tell_round_off(const Problem& problem, Result& result);

/// The size of the data alone, whatever r is: max |q| and |W P_K(0) + q| of the canonical form, P_K(0) being 0 but for
/// boxes without 0. Cost: a look at W.
[[nodiscard]] double data_scale(const Problem& problem);
/// FrictionFigures::natural_map alone.
[[nodiscard]] double natural_map(const Problem& problem, ConstVectorRef r, ConstVectorRef u);
/// All of them, W being of no use to them.
[[nodiscard]] FrictionFigures friction_figures(ConstVectorRef q, const ProductSet& K, ConstVectorRef r,
                                               ConstVectorRef u);

/// What no double can vouch for is not called Solved: where the rounding of u alone (eps |W||r|, a 64th of round_off)
/// could hide more than the tolerance, the error is taken anew from sums in doubled precision, and Solved becomes
/// Stalled, or NumericalFailure for a certificate that is not finite, where it does not hold. Other statuses keep
/// theirs; where their residual claims the tolerance, it is corrected. Cost: a comparison, else one product.
void confirm(const Problem& problem, double tolerance, Result& result) noexcept;

/// u = W r + q by sums in doubled precision, rounded once.
void velocity_in_doubled_precision(const Problem& problem, ConstVectorRef r, VectorRef u);

using nonsmooth::detail::Buffer;

}  // namespace nonsmooth::mixed::internal
