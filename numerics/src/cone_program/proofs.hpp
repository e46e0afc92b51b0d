// SPDX-License-Identifier: Apache-2.0
// From an iterate that is nearly a proof to one; not installed.
#pragma once

#include <memory>

#include <nonsmooth/numerics/cone_program/problem.hpp>

#include "qp/scaled.hpp"

namespace nonsmooth::cone_program::detail {

/// min c^T x, A x = b, G x <= h: the cones' rows with the bounds that tell their tips.
[[nodiscard]] qp::SparseProblem as_quadratic(const Problem& problem);

/// Multipliers of which what is rounding beside the largest is 0: an equation of a proof that such a one fills alone
/// would never hold. Both over `units`, the rows' factors of the scaled program, in which the rounding came to be. What
/// was in K stays there.
[[nodiscard]] Eigen::VectorXd without_rounding(Eigen::VectorXd multipliers, const Eigen::VectorXd& units);

/// Tries a candidate as it is, then moved onto the equations of a proof by the least change, in the units of the scaled
/// program: what is inside of the cones stays there and has all digits. Factors are made once, where they are needed.
class Proofs {
 public:
  using Scaled = qp::detail::Scaled<qp::SparseProblem>;

  /// `scaled`: of as_quadratic(problem). Both stay where they are.
  Proofs(const Problem& problem, const Scaled& scaled) : problem_(problem), scaled_(scaled) {}

  /// True if a vector near to `proof` (y, z) proves that no x is feasible, which ends the result.
  bool infeasible(Eigen::VectorXd proof, Result& result);
  /// The same of a direction of an unbounded program.
  bool unbounded(Eigen::VectorXd direction, Result& result);

 private:
  using System = qp::detail::Quasidefinite<qp::SparseProblem>;

  bool linear(Result& result);
  void into_cones(Eigen::VectorXd& proof) const;
  bool into_kernel(Eigen::VectorXd& proof);
  bool onto_equations(Eigen::VectorXd& d);

  const Problem& problem_;
  const Scaled& scaled_;
  std::unique_ptr<System> of_kernel_, of_equations_;
};

}  // namespace nonsmooth::cone_program::detail
