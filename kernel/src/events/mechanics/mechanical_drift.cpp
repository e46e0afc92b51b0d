// SPDX-License-Identifier: Apache-2.0
// Closed rows kept closed: corrections of positions and velocities along M^-1 H^T.
#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>

#include "mechanical_part.hpp"

namespace nonsmooth::events {
void MechanicalPart::solve_rows(const std::vector<Index>& rows, Eigen::VectorXd& dv) {
  const auto count = static_cast<Index>(rows.size());
  auto X = row_directions_.leftCols(count);
  auto W = row_mobility_.topLeftCorner(count, count);
  auto mu = right_.head(count);
  for (Index k = 0; k < count; ++k) {
    X.col(k) = model_.H.row(rows[static_cast<std::size_t>(k)]).transpose();
    model_.solve_mass(X.col(k));
  }
  for (Index k = 0; k < count; ++k) {
    for (Index j = 0; j < count; ++j) W(k, j) = model_.H.row(rows[static_cast<std::size_t>(k)]).dot(X.col(j));
  }
  // L L^T by rows and columns of W in place; a row that others determine is left out, its mu zero: H^T mu is the same.
  for (Index k = 0; k < count; ++k) {
    double pivot = W(k, k);
    const double whole = pivot;
    for (Index j = 0; j < k; ++j) {
      if (W(j, j) == 0.0) {
        W(k, j) = 0.0;
        continue;
      }
      for (Index i = 0; i < j; ++i) W(k, j) -= W(k, i) * W(j, i);
      W(k, j) /= W(j, j);
      pivot -= W(k, j) * W(k, j);
    }
    const bool depends = !(pivot > 64.0 * static_cast<double>(count) * eps * whole);
    W(k, k) = depends ? 0.0 : std::sqrt(pivot);
    for (Index j = 0; j < k; ++j) mu[k] -= W(k, j) * mu[j];
    mu[k] = depends ? 0.0 : mu[k] / W(k, k);
  }
  for (Index k = count - 1; k >= 0; --k) {
    if (W(k, k) == 0.0) continue;
    for (Index j = k + 1; j < count; ++j) mu[k] -= W(j, k) * mu[j];
    mu[k] /= W(k, k);
  }
  dv.noalias() = X.lazyProduct(mu);
}

bool MechanicalPart::move_positions(double t, Eigen::VectorXd& z, const std::vector<char>& closed) {
  // Newton on y = 0 along M^-1 H^T: quadratic, so that three corrections reach round-off from any drift of a step.
  bool moved = false;
  for (int pass = 0; pass < 3; ++pass) {
    position_rows_.clear();
    bool off = false;
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const Contact& one = contact(i);
      if (!closed[i] || (one.kind != Contact::Kind::Unilateral && one.kind != Contact::Kind::Bilateral)) continue;
      const Index count = one.kind == Contact::Kind::Bilateral ? one.size : 1;
      for (Index r = one.row; r < one.row + count; ++r) {
        position_rows_.push_back(r);
        off = off || std::abs(model_.y[r]) > 8.0 * eps * model_.position_scale(r);
      }
    }
    if (!off) break;
    for (std::size_t k = 0; k < position_rows_.size(); ++k) {
      right_[static_cast<Index>(k)] = -model_.y[position_rows_[k]];
    }
    model_.evaluate_dynamics(t, z);
    solve_rows(position_rows_, correction_);
    model_.add_to_positions(correction_, z);
    model_.evaluate_velocities(t, z, closed);
    moved = true;
  }
  return moved;
}

bool MechanicalPart::remove_drift(double t, Eigen::VectorXd& z) {
  lost_constraint_.clear();
  if (active_rows_.empty()) return false;
  model_.evaluate_velocities(t, z, closed_flags_);
  bool moved = move_positions(t, z, closed_flags_);
  for (std::size_t k = 0; k < active_rows_.size(); ++k) {
    const double y = model_.y[active_rows_[k]];
    if (!of_positions(k) || std::abs(y) <= position_tolerance(active_contact_[k])) continue;
    lost_constraint_ =
        "the constraint of " + model_.place_of(contact(active_contact_[k])) + " is not kept: y = " + text(y);
    break;
  }
  bool off = false;
  for (const Index row : active_rows_) off = off || std::abs(model_.u[row]) > 8.0 * eps * model_.velocity_scale(row);
  if (!off) return moved;
  for (std::size_t k = 0; k < active_rows_.size(); ++k) right_[static_cast<Index>(k)] = -model_.u[active_rows_[k]];
  model_.evaluate_dynamics(t, z);
  solve_rows(active_rows_, correction_);
  model_.v += correction_;
  model_.scatter_velocities(z);
  return true;
}

}  // namespace nonsmooth::events
