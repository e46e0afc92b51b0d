// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "smooth_mode.hpp"

namespace nonsmooth::events {

/// Closed rows kept closed: corrections of positions (y = 0) and velocities (u = 0) along M^-1 H^T, as Gear, Gupta and
/// Leimkuhler (GGL) and Baumgarte do within the equations, here after a step: drift is removed, nothing is added.
class ConstraintStabilisation {
 public:
  ConstraintStabilisation(MechanicalModel& model, const MechanicalTolerances& tolerances, const SmoothMode& mode);

  /// dv = M^-1 H^T mu with H M^-1 H^T mu = right on those rows, right(k) of the k-th one. Rows that depend on others
  /// before them, to round-off, are left out: dv is the same where the system has a solution. Valid until the next one.
  template <class Right>
  const Eigen::VectorXd& correction(const std::vector<Index>& rows, Right&& right) {
    for (std::size_t k = 0; k < rows.size(); ++k) right_[static_cast<Index>(k)] = right(k);
    solve(rows);
    return correction_;
  }
  /// The same by the gaps: H dq = -y.
  const Eigen::VectorXd& towards_constraints(const std::vector<Index>& rows) {
    return correction(rows, [&](std::size_t k) { return -model_.y[rows[k]]; });
  }

  /// v := v + dv, in z too.
  void move_velocities(const Eigen::VectorXd& dv, Eigen::VectorXd& z);
  void bring_to_rest(const std::vector<Index>& rows, Eigen::VectorXd& z);
  /// Positions of flagged contacts back to y = 0, and y, u, H there. True where something moved.
  bool move_positions(double t, Eigen::VectorXd& z, const std::vector<char>& closed);
  /// z back onto the constraints of the mode; true where something moved.
  bool remove_drift(double t, Eigen::VectorXd& z);
  /// After remove_drift(): the constraint that it could not bring back below the threshold, and its y, or the row that
  /// depends on time and was held at rest until its u jumped; else empty.
  [[nodiscard]] const std::string& lost_constraint() const noexcept { return lost_constraint_; }
  /// Normalises z. @throws InvalidArgument naming the interaction whose gap is negative, or whose bilateral rows are
  /// not at rest; `what` says whose state it is. Joints that count as closed (closed_joint) are closed. With `repair`
  /// moves z along M^-1 H^T until every row holds; @throws likewise where that does not succeed.
  void make_consistent(double t, Eigen::VectorXd& z, bool repair, const char* what, bool initial);

 private:
  void solve(const std::vector<Index>& rows);
  void find_lost_velocity();
  void make_velocities_consistent(double t, Eigen::VectorXd& z, bool repair, const char* what, const char* or_repair);

  MechanicalModel& model_;
  const MechanicalTolerances& tolerances_;
  const SmoothMode& mode_;
  // As large as all rows: drift is removed without allocations.
  std::vector<Index> rows_;
  Eigen::MatrixXd directions_, mobility_;  ///< n x m: M^-1 H^T; m x m: H M^-1 H^T, then its factor
  Eigen::VectorXd right_, correction_;     ///< m; n
  std::string lost_constraint_;
};

}  // namespace nonsmooth::events
