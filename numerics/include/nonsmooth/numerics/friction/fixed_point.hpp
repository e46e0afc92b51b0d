// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// How a projection method chooses the step t of  y = P_K(r - t rho û(r)). With d = y - r, norms in the metric 1 / rho
/// for reactions and rho for velocities:
enum class StepRule : unsigned char {
  Fixed,         ///< t = step: diverges where t rho exceeds 2 / (the largest eigenvalue of W + the gain of û)
  Khobotov,      ///< accepts t |û(y) - û(r)| <= acceptance |d|
  SolodovTseng,  ///< accepts t (û(y) - û(r))·d <= acceptance |d|^2: longer steps
};

/// De Saxcé's fixed point (Uzawa's algorithm on the bipotential):
///
///     r := P_K(r - t rho û(r)),    û = u + mu |u_T| e_N,    rho_i of each block as in Certificate.
///
/// t is self-adaptive: a trial that its rule refuses is repeated with `reduction` t; where the ratio that the rule
/// bounds by `acceptance` is below `growth`, the next step starts from t / reduction.
///
/// Linear convergence for positive definite W and moderate friction; slow where contacts are redundant or the tolerance
/// is tight. With a fixed t of the order of one it diverges on any well-connected pile. Any W; Coulomb, Rolling,
/// Orthant and Free blocks. Cost: one product with W and one projection a trial.
/// Source: De Saxcé, Feng 1998 [desaxce1998]; Khobotov 1987 [khobotov1987]; Solodov, Tseng 1996 [solodov1996]; Acary,
/// Brémond, Huber 2018 [acary2018] (UPK, UPTS).
struct FixedPoint {
  double tolerance = 1e-10;                ///< of the measure: measure <= tolerance; > 0
  Measure measure = Measure::Certificate;  ///< what the tolerance bounds
  StepRule rule = StepRule::Khobotov;      ///< the safe one of the two
  double step = 1.0;                       ///< first t, > 0 [-]; the whole rho where not scaled [unit of r / unit of u]
  bool scaled = true;                      ///< false: rho = 1 on every row, as in the first publications
  double acceptance = 0.9;                 ///< in (0, 1): 1 is the border of contraction
  double growth = 0.3;                     ///< in (0, acceptance)
  double reduction = 2.0 / 3.0;            ///< in (0, 1)
  Index max_iterations = 100'000;          ///< accepted steps, >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and FixedPoint::validate, for another set, and for a start of another
/// size than q.
[[nodiscard]] Result solve(const Problem& problem, const FixedPoint& options);

}  // namespace nonsmooth::friction
