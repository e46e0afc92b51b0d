// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>
#include <nonsmooth/numerics/nonlinear_map.hpp>
#include <nonsmooth/numerics/outcome.hpp>
#include <nonsmooth/numerics/types.hpp>
#include <nonsmooth/numerics/vi/convex_set.hpp>

namespace nonsmooth::vi {

/// The variational inequality VI(K, F): find x in K with
///
///     F(x)·(y - x) >= 0  for all y in K,     that is  -F(x) in N_K(x),   x = P_K(x - rho F(x)) for any rho > 0.
///
/// K is closed and convex, n >= 1 rows; F : R^n -> R^n. A solution exists where K is compact and F continuous, one only
/// where F is strongly monotone. F is asked at points of K, by ForwardBackwardForward and finite differences beside it.
/// Source: Facchinei, Pang 2003 [facchinei2003].
struct Problem {
  NonlinearMap F;
  ConvexSet K;

  /// @throws InvalidArgument: as NonlinearMap::validate; other numbers of unknowns and values than rows of K.
  void validate() const;
};

/// What a solve found. `x` is the best iterate whatever the status, within K up to rounding (ForwardBackwardForward: up
/// to the error that the certificate tells); w = F(x), recomputed.
struct Result : Outcome {
  GrowingVector x, w;
  /// Where the end is not Solved and F was not finite on the way: which number of which component, at which point (the
  /// last one).
  std::string not_finite;

  [[nodiscard]] std::string message() const;  ///< status, solver, residual, reason, what to look at next
};

/// The certificate of x by the natural map  e = (x - P_K(x - rho F(x))) / rho  [unit of F],
///
///     residual = |e|_inf / scale.
///
/// rho and the scale come from F at two points of K that every caller gets alike: x_0 = P_K(0) and x_1, which is
/// P_K(x_0 + s), or where that is x_0 again (to 1e-6 of |s| and |x_0|) P_K(x_0 - s), with s = NonlinearMap::sizes (1
/// each by default); where that is x_0 too, as on simplices, the same with s'_i = (-1)^i (1 - i / (2 n)) s_i for s:
///
///     1 / rho = max(|F(x_1) - F(x_0)|, 1e-3 max(|F(x_0)|, |F(x_1)|)) / |x_1 - x_0|,
///     scale = max(|F(x_0)|_inf, round_off),          with F(x_1) for F(x_0) where that is 0 up to rounding,
///     round_off = 64 eps max(|F(x)|_inf, |F(x_0)|_inf, |x|_inf / rho),
///
/// where x_1 = x_0 or F(x_1) is not finite with |s| for |x_1 - x_0| and F(x_0) for F(x_1); before that -s, s / 10,
/// -s / 10, s / 100 and -s / 100 are tried for an F(x_1) that is. rho = 1 where F is 0 at both. A K that is shorter
/// than this 1e-6, but longer than 1e-13 |s| (10 UserSet::accuracy |s|), is looked at once more with an s as long as
/// it. The second term of the maximum is there because |e| <= diam(K) / rho: without it every point of a bounded K
/// would pass where F hardly varies. Where K is shorter still, or 1e-6 shorter along some axes than along others, |e|
/// along these is at most 1e-3 (their length / |x_1 - x_0|) |F(x_0)|, and `sizes` should say how long they are.
///
/// Where |x| is so large that its round_off alone is above |F(x_0)|_inf, x - rho F(x) has lost F: eps |x|_inf / rho is
/// added to the error then, and the scale is |F(x_0)|_inf. No point on the way to infinity is a solution.
///
/// So units of F change no residual, nor units of x where `sizes` go with them. Where F is strongly monotone with
/// constant m and Lipschitz with L, |x - x*| <= (1 + rho L) / m |e| (Pang 1987 [pang1987]). row_residual is the largest
/// |e_B|_inf / T_B over the factors B of K (ConvexSet::factors), T_B the largest entry of F at x, x_0 and x_1 in their
/// rows: an error in a row of which F is small shows there. It is no figure of rounding: what the terms of a callable
/// are is not known. NaN in all where K has no point, or P_K or F(x) fails. w must have n entries and receives F(x).
/// Cost: three values of F, four projections, and some more on sets that are short or normal to s.
/// @throws InvalidArgument sizes that differ; F(x_0) not finite; a user's projection that does not project.
[[nodiscard]] Certificate certify(const Problem& problem, ConstVectorRef x, VectorRef w);

/// True if y proves that there is no solution because K is empty: ConvexSet::proves_empty.
[[nodiscard]] bool proves_infeasible(const Problem& problem, ConstVectorRef y);

/// A merit function at x.
struct Gap {
  double value = 0.0;  ///< [unit of F times unit of x]
  Eigen::VectorXd y;   ///< where the maximum is attained
};

/// g(x) = max {F(x)·(x - y) : y in K}: nonnegative on K, 0 at solutions alone, infinity where the maximum has no bound,
/// NaN where ConvexSet::support is.
/// Cost: ConvexSet::support. @throws InvalidArgument a K without a support function; sizes; F(x) not finite.
[[nodiscard]] Gap gap(const Problem& problem, ConstVectorRef x);

/// g_alpha(x) = max {F(x)·(x - y) - alpha |x - y|^2 / 2 : y in K}, attained at P_K(x - F(x) / alpha): finite on any K,
/// nonnegative on K, 0 at solutions alone; NaN where the projection does not end Solved. Source: Fukushima 1992
/// [fukushima1992].
/// @throws InvalidArgument alpha not positive; sizes; F(x) not finite; a K without a point.
[[nodiscard]] Gap regularised_gap(const Problem& problem, ConstVectorRef x, double alpha = 1.0);

}  // namespace nonsmooth::vi
