// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/vi/moving_set.hpp>
#include <nonsmooth/numerics/vi/problem.hpp>

namespace nonsmooth::vi {

/// The quasi-variational inequality: find x in K(x) with
///
///     F(x)·(y - x) >= 0  for all y in K(x),     that is  x = P_K(x)(x - rho F(x)) for any rho > 0:
///
/// a generalised Nash game, where what each may choose depends on the others. Solutions need not be alone, nor
/// isolated. Source: Facchinei, Kanzow 2010 [facchinei2010].
struct QuasiProblem {
  NonlinearMap F;
  MovingSet K;

  /// @throws InvalidArgument: as NonlinearMap::validate; other numbers of unknowns and values than rows of K.
  void validate() const;
};

/// The certificate of x: e = (x - P_K(x)(x - rho F(x))) / rho, with rho and scale those of certify(Problem) for F on
/// K(0), which must have a point: without one residuals are NaN and solves end Stalled, and the problem is to be
/// written in x - p of a p for which K(p) has one. w must have n entries and receives F(x). Cost: as of
/// certify(Problem).
/// @throws InvalidArgument sizes that differ; what MovingSet::at throws; F not finite at the point of K(0) nearest to
/// 0.
[[nodiscard]] Certificate certify(const QuasiProblem& problem, ConstVectorRef x, VectorRef w);

/// A variational inequality a step,  x := x + relaxation (v - x)  with v a solution of VI(K(x), F) by vi::Automatic.
///
/// Converges where K(x) moves little with x: a contraction where F is strongly monotone with constant m, Lipschitz with
/// L, and P_K(x)(y) Lipschitz in x with a constant below 1 - sqrt(1 - (m / L)^2). A K(x) without a point, or a
/// variational inequality that is not solved, ends Stalled. Source: Chan, Pang 1982 [chan1982].
struct QuasiFixedPoint {
  double tolerance = 1e-10;    ///< Certificate::residual <= tolerance; > 0
  double relaxation = 0.5;     ///< in (0, 1]; at 1, unknowns that bound each other may overshoot by turns for ever
  Index max_iterations = 500;  ///< variational inequalities, >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit
  Eigen::VectorXd start{};                                      ///< n entries; empty: the point of K(0) nearest to 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// The projection method with moving sets,  y = P_K(x)(x - t F(x)),  x := x + relaxation (y - x),  t shortened until
/// t |F(x) - F(y)| <= acceptance |x - y|  and lengthened where `growth` would do.
///
/// Cheaper a step than QuasiFixedPoint; a contraction under the same condition for t = m / L^2, in practice for the t
/// that the rule finds. Source: Noor, Oettli 1994 [noor1994].
struct QuasiProjection {
  double tolerance = 1e-10;        ///< Certificate::residual <= tolerance; > 0
  double step = 0.0;               ///< first t, >= 0; 0: rho of the certificate [unit of x / unit of F]
  double acceptance = 0.9;         ///< in (0, 1)
  double growth = 0.3;             ///< in (0, acceptance)
  double reduction = 2.0 / 3.0;    ///< in (0, 1)
  double relaxation = 0.5;         ///< in (0, 1], as of QuasiFixedPoint
  Index max_iterations = 100'000;  ///< >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit
  Eigen::VectorXd start{};                                      ///< n entries; empty: the point of K(0) nearest to 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// QuasiProjection, then QuasiFixedPoint from the best point where that has not solved it.
struct QuasiAutomatic {
  double tolerance = 1e-10;                                     ///< Certificate::residual <= tolerance; > 0
  Index max_iterations = 0;                                     ///< of each of the two, >= 0; 0: its default
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit
  Eigen::VectorXd start{};                                      ///< n entries; empty: the point of K(0) nearest to 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// All: iterates that grow beyond 1e150 end Stalled. @throws InvalidArgument as QuasiProblem::validate and the options'
/// validate, for a start of another size, where F is not finite at the start or at the point of K(0) nearest to 0, what
/// MovingSet::at throws, and for a projection that does not project.
[[nodiscard]] Result solve(const QuasiProblem& problem, const QuasiFixedPoint& options);
[[nodiscard]] Result solve(const QuasiProblem& problem, const QuasiProjection& options);
[[nodiscard]] Result solve(const QuasiProblem& problem, const QuasiAutomatic& options);

/// solve(problem, QuasiAutomatic{}).
[[nodiscard]] Result solve(const QuasiProblem& problem);

}  // namespace nonsmooth::vi
