// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/fixed_point.hpp>
#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// The extragradient method on the variational inequality of û over K:
///
///     y = P_K(r - t rho û(r)),    r := P_K(r - t rho û(y)),    rho_i of each block as in Certificate,
///
/// with the step rules of FixedPoint. Converges for every monotone Lipschitz law (positive semidefinite W without
/// friction, however singular or unsymmetric), where the fixed point may circle; with friction in practice. Linear
/// rate, slow at tight tolerances. Any W; Coulomb, Rolling, Orthant and Free blocks. Cost: two products with W and two
/// projections an iteration, one of each more for a refused step.
/// Source: Korpelevich 1976 [korpelevich1976]; Khobotov 1987 [khobotov1987]; Acary, Brémond, Huber 2018 [acary2018].
struct Extragradient {
  double tolerance = 1e-10;                ///< of the measure: measure <= tolerance; > 0
  Measure measure = Measure::Certificate;  ///< what the tolerance bounds
  StepRule rule = StepRule::Khobotov;      ///< the one with a proof
  double step = 1.0;                       ///< first t, > 0 [-]; the whole rho where not scaled [unit of r / unit of u]
  bool scaled = true;                      ///< false: rho = 1 on every row
  double acceptance = 0.9;                 ///< in (0, 1)
  double growth = 0.3;                     ///< in (0, acceptance)
  double reduction = 2.0 / 3.0;            ///< in (0, 1)
  Index max_iterations = 100'000;          ///< >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Extragradient::validate, for another set, and for a start of
/// another size than q.
[[nodiscard]] Result solve(const Problem& problem, const Extragradient& options);

}  // namespace nonsmooth::friction
