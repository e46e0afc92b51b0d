// SPDX-License-Identifier: Apache-2.0
#include "constraint_stabilisation.hpp"

#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>
#include <nonsmooth/kernel/link_joint.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::events {
namespace {

/// Of its terms, and of the absolute tolerance: steps leave less of a velocity that is held.
constexpr double kLostVelocity = 1e-3, kLostAbsolute = 1e3;

}  // namespace

ConstraintStabilisation::ConstraintStabilisation(MechanicalModel& model, const MechanicalTolerances& tolerances,
                                                 const SmoothMode& mode)
    : model_(model), tolerances_(tolerances), mode_(mode) {
  const Index n = model.num_velocities(), m = model.num_rows();
  rows_.reserve(static_cast<std::size_t>(m));
  directions_ = Eigen::MatrixXd::Zero(n, m);
  mobility_ = Eigen::MatrixXd::Zero(m, m);
  right_ = Eigen::VectorXd::Zero(m);
  correction_ = Eigen::VectorXd::Zero(n);
}

void ConstraintStabilisation::solve(const std::vector<Index>& rows) {
  const auto count = static_cast<Index>(rows.size());
  auto X = directions_.leftCols(count);
  auto W = mobility_.topLeftCorner(count, count);
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
  correction_.noalias() = X.lazyProduct(mu);
}

void ConstraintStabilisation::move_velocities(const Eigen::VectorXd& dv, Eigen::VectorXd& z) {
  model_.v += dv;
  model_.scatter_velocities(z);
}

void ConstraintStabilisation::bring_to_rest(const std::vector<Index>& rows, Eigen::VectorXd& z) {
  move_velocities(correction(rows, [&](std::size_t k) { return -model_.u[rows[k]]; }), z);
}

bool ConstraintStabilisation::move_positions(double t, Eigen::VectorXd& z, const std::vector<char>& closed) {
  // Newton on y = 0 along M^-1 H^T: quadratic, so that three corrections reach round-off from any drift of a step.
  bool moved = false;
  for (int pass = 0; pass < 3; ++pass) {
    rows_.clear();
    bool off = false;
    for (std::size_t i = 0; i < model_.contacts().size(); ++i) {
      const Contact& one = model_.contact(i);
      if (!closed[i] || (one.kind != Contact::Kind::Unilateral && one.kind != Contact::Kind::Bilateral)) continue;
      const Index count = one.kind == Contact::Kind::Bilateral ? one.size : 1;
      for (Index r = one.row; r < one.row + count; ++r) {
        rows_.push_back(r);
        off = off || std::abs(model_.y[r]) > 8.0 * eps * model_.position_scale(r);
      }
    }
    if (!off) break;
    model_.evaluate_dynamics(t, z);
    model_.move_positions(towards_constraints(rows_), z);
    model_.evaluate_velocities(t, z, closed);
    moved = true;
  }
  return moved;
}

bool ConstraintStabilisation::remove_drift(double t, Eigen::VectorXd& z) {
  lost_constraint_.clear();
  const std::vector<Index>& rows = mode_.active_rows();
  const bool normalised = model_.normalise(z);
  if (rows.empty()) return normalised;
  model_.evaluate_velocities(t, z, mode_.closed());
  const bool moved = move_positions(t, z, mode_.closed()) || normalised;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double y = model_.y[rows[k]];
    if (!mode_.of_positions(k) || std::abs(y) <= tolerances_.position(mode_.active_contact(k))) continue;
    lost_constraint_ = "the constraint of " + model_.place_of(model_.contact(mode_.active_contact(k))) +
                       " is not kept: y = " + text(y);
    break;
  }
  bool off = false;
  for (const Index row : rows) off = off || std::abs(model_.u[row]) > 8.0 * eps * model_.velocity_scale(row);
  if (!off || !lost_constraint_.empty()) return moved;
  find_lost_velocity();
  if (!lost_constraint_.empty()) return moved;
  model_.evaluate_dynamics(t, z);
  bring_to_rest(rows, z);
  return true;
}

/// What sticks to a surface whose own velocity jumps would else be taken along at once, by no force.
void ConstraintStabilisation::find_lost_velocity() {
  for (std::size_t k = 0; k < mode_.active_rows().size(); ++k) {
    const Index row = mode_.active_rows()[k];
    const std::size_t i = mode_.active_contact(k);
    const Contact& one = model_.contact(i);
    if (mode_.of_positions(k) || one.kind == Contact::Kind::Prescribed || !model_.depends_on_time(one)) continue;
    if (std::abs(model_.u[row]) <= kLostVelocity * model_.velocity_scale(row) + kLostAbsolute * tolerances_.absolute)
      continue;
    lost_constraint_ = "the velocity of " + model_.place_of(one) + " is not kept: u = " + text(model_.u[row]) +
                       ": what it is held to (a conveyor, h_t) has to be continuous in time, and its rate";
    return;
  }
}

void ConstraintStabilisation::make_consistent(double t, Eigen::VectorXd& z, bool repair, const char* what,
                                              bool initial) {
  bool moved = false;
  const char* const or_repair = initial ? ", or EventDrivenOptions::repair_initial_state" : "";
  std::vector<char> off(model_.contacts().size(), 0);
  (void)model_.normalise(z);
  // Newton's steps of move_positions converge quadratically near the constraints; far ones take some rounds, and moving
  // one row may violate another, which then joins.
  constexpr int kRounds = 40;
  for (int round = 0;; ++round) {
    model_.evaluate_velocities(t, z);
    bool any = false;
    for (std::size_t i = 0; i < model_.contacts().size(); ++i) {
      const Contact& one = model_.contact(i);
      const bool bilateral = one.kind == Contact::Kind::Bilateral;
      if (!bilateral && one.kind != Contact::Kind::Unilateral) continue;
      const double gap = model_.y[one.row], tolerance = tolerances_.position(i);
      if (bilateral ? std::abs(gap) <= tolerance : gap >= -tolerance) {
        off[i] = off[i] || bilateral;  // a repair elsewhere must not move it
        continue;
      }
      const bool counts_as_closed = bilateral && model_.is_joint(one) && std::abs(gap) <= closed_joint;
      if (!(repair || counts_as_closed) || round == kRounds) {
        throw InvalidArgument(what, "y = " + text(gap) + " of " + model_.name(one) + " at t = " + text(t),
                              std::string(bilateral ? "y = 0" : "y >= 0") +
                                  (repair ? ": the constraints contradict one another, or are too far" : or_repair));
      }
      off[i] = any = true;
    }
    if (!any) break;
    // Velocities that are consistent where joints count as closed are so again where they are.
    if (!moved && !repair) make_velocities_consistent(t, z, repair, what, or_repair);
    moved = true;
    move_positions(t, z, off);
  }
  make_velocities_consistent(t, z, repair || moved, what, or_repair);
}

/// Bilateral rows at rest.
void ConstraintStabilisation::make_velocities_consistent(double t, Eigen::VectorXd& z, bool repair, const char* what,
                                                         const char* or_repair) {
  std::vector<Index> rows;
  bool moving = false;
  for (std::size_t i = 0; i < model_.contacts().size(); ++i) {
    const Contact& one = model_.contact(i);
    if (one.kind != Contact::Kind::Bilateral && one.kind != Contact::Kind::Prescribed) continue;
    for (Index r = one.row; r < one.row + one.size; ++r) {
      rows.push_back(r);
      if (std::abs(model_.u[r]) <= tolerances_.velocity(i)) continue;
      moving = true;
      if (!repair)
        throw InvalidArgument(what, "u = " + text(model_.u[r]) + " of " + model_.name(one),
                              std::string("u = 0") + or_repair);
    }
  }
  if (!moving) return;
  model_.evaluate_dynamics(t, z);
  bring_to_rest(rows, z);
}

}  // namespace nonsmooth::events
