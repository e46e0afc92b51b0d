// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <internal/decompositions.hpp>

#include "mechanical_model.hpp"

namespace nonsmooth::events {

/// Bounds of the friction of joints that slip, by Newton's method on
///
///     beta_g = bound_g(forces),    forces: lambda + X beta on the rows J, -beta_g d_g on those of group g,
///
/// lambda and X = d lambda_J / d beta of a mode, d_g the unit along the slip of group g. Bounds are of degree 1 and
/// smooth but where a reaction passes zero; their derivatives are differences. One solution, which Newton's method
/// finds, where friction changes the reaction that makes it by less than itself. Memory is kept between calls.
class RubbingFriction {
 public:
  /// beta, with the forces of all these rows; NaN where no bounds repeat, and jammed() names a joint.
  const Eigen::VectorXd& solve(const MechanicalModel& model, const std::vector<std::size_t>& groups,
                               const Eigen::Matrix3Xd& slips, const std::vector<Index>& rows,
                               const Eigen::VectorXd& lambda, const Eigen::MatrixXd& X, Eigen::VectorXd& forces);
  /// Those of the last solve().
  [[nodiscard]] const Eigen::VectorXd& bounds() const noexcept { return beta_; }
  /// Why the last solve() with finite lambda had no bounds; else empty.
  [[nodiscard]] const std::string& jammed() const noexcept { return jammed_; }
  void forget() noexcept { jammed_.clear(); }

 private:
  std::string jammed_;
  Eigen::VectorXd beta_, bounds_, error_, change_, terms_;
  Eigen::MatrixXd jacobian_;
  LuFactors factor_;
};

/// -bound d on the rows of a group that slips along d.
void write_rubbing(const Contact& contact, const Eigen::Vector3d& slip, double bound, Eigen::VectorXd& forces);

}  // namespace nonsmooth::events
