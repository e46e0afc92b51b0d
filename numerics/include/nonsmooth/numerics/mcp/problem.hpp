// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>
#include <nonsmooth/numerics/nonlinear_map.hpp>
#include <nonsmooth/numerics/outcome.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::mcp {

/// The mixed complementarity problem: find x in [l, h] with  -F(x) in N_[l,h](x),  that is, row by row,
///
///     x_i = l_i and F_i(x) >= 0,   or   l_i <= x_i <= h_i and F_i(x) = 0,   or   x_i = h_i and F_i(x) <= 0.
///
/// F : R^n -> R^n, nonlinear, with a sparse or a dense Jacobian or none (nonlinear_map.hpp). Bounds may be infinite:
/// [0, inf) is a complementarity row, (-inf, inf) an equation; l_i = h_i fixes x_i. l = 0, h = inf is the nonlinear
/// complementarity problem 0 <= x ⟂ F(x) >= 0: complementarity(F) makes it.
///
/// F is never asked outside of [l, h]: no value, no difference. So it need not exist there; where it does not exist at
/// a bound (log x at 0), put the bound a little inside.
/// Source: Facchinei, Pang 2003, section 1.1 [facchinei2003]; Dirkse, Ferris 1995 [dirkse1995].
struct Problem {
  NonlinearMap F;
  Eigen::VectorXd lower;  ///< l, n entries; < +inf
  Eigen::VectorXd upper;  ///< h, n entries; > -inf; l <= h
  /// The point that solvers start from, put within the bounds; n entries, empty: 0. It belongs to the problem:
  /// different starts may lead to different solutions, and the certificate's scale looks at it.
  Eigen::VectorXd start{};
  /// The size of F that residuals are relative to, in the unit of F, >= 0; 0: as certify() says. Give it where F is
  /// huge or nearly 0 both at the start and at the point of the box nearest to 0.
  double scale = 0.0;
  /// Rows i of which F_i is affine, where that is known; F has a Jacobian then. Where such a row has one sign on all of
  /// [l, h], x_i is at a bound in every solution and leaves the problem before it is solved, as fixed unknowns do. What
  /// a row is, solvers see at the start, by F and its Jacobian there.
  std::vector<Index> affine_rows{};

  [[nodiscard]] Index size() const noexcept { return F.num_unknowns; }  ///< n

  /// @throws InvalidArgument: as NonlinearMap::validate; as many values as unknowns are expected; sizes that differ, a
  /// bound that is NaN, l_i > h_i, l_i = +inf, h_i = -inf; a start that is not finite; a scale that is negative or not
  /// finite; affine rows that F does not have, or without a Jacobian. F is not asked.
  void validate() const;
};

/// 0 <= x ⟂ F(x) >= 0.
[[nodiscard]] Problem complementarity(NonlinearMap F, Eigen::VectorXd start = {});

/// F(x) = 0.
[[nodiscard]] Problem equations(NonlinearMap F, Eigen::VectorXd start = {});

/// What a solve found. x is the best iterate whatever the status, within its bounds; w = F(x).
struct Result : Outcome {
  GrowingVector x, w;
  Index values = 0;     ///< how often F was asked, differences not counted
  Index jacobians = 0;  ///< how often its Jacobian
  /// Status::NumericalFailure because F was not finite: where and what, as NotFinite::message says it; else empty.
  std::string not_finite;

  [[nodiscard]] std::string message() const;  ///< status, solver, residual, reason, what to look at next
};

/// The certificate of x: errors of the natural map
///
///     e_i = s_i (x_i - P_[l,h](x_i - F_i(x) / s_i)),     s_i = max(J_ii if positive, else max_j |J_ij|; scale /
///     size_i)
///
/// with J = F'(x) and j that are not fixed; |F_i| on equations; |s_i (x_i - l_i)| where l_i = h_i. In the unit of F.
/// s_i says what a distance x_i - l_i means in F: what F_i changes along it where F is linear, as in the linear
/// families. Of a nonlinear F the slope at one point may vanish and hide every distance, hence the second term: a
/// distance of size_i, which is NonlinearMap::sizes or 1, counts as much as scale.
///
///     scale = Problem::scale if it is given, else the smaller of |F(P(0))|_inf and |F(P(start))|_inf,
///
/// of those that are finite and not 0 (P: onto the box): both belong to the problem, so that neither the solver nor
/// where it goes changes them; the smaller, since F may be huge at one of them. It is at least `floor`; negative, the
/// default: round_off = 64 eps max_i (|J||x| + |F|)_i.
/// w must have n entries and receives F(x). NaN where F or J is not finite at x.
/// Cost: three values and a Jacobian. @throws InvalidArgument as Problem::validate, x or w of another size.
[[nodiscard]] Certificate certify(const Problem& problem, ConstVectorRef x, VectorRef w, double floor = -1.0);

}  // namespace nonsmooth::mcp
