// SPDX-License-Identifier: Apache-2.0
#include "smooth_mode.hpp"

#include <algorithm>
#include <cmath>

#include "mechanisms.hpp"
#include "model/guarded.hpp"

namespace nonsmooth::events {
namespace {

constexpr double kHardly = 4.0;  ///< times what counts as no slip

}  // namespace

SmoothMode::SmoothMode(MechanicalModel& model, const MechanicalTolerances& tolerances)
    : model_(model), tolerances_(tolerances), states_(model.contacts().size()) {
  closed_.assign(states_.size(), 0);
  open_.assign(states_.size(), 0);
  forces_ = Eigen::VectorXd::Zero(model.num_rows());
  vdot_ = Eigen::VectorXd::Zero(model.num_velocities());
}

void SmoothMode::reset() {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const Contact::Kind kind = model_.contact(i).kind;
    const bool opens = kind == Contact::Kind::Unilateral || kind == Contact::Kind::Turning;
    states_[i] = {.status = opens ? ContactStatus::Open : ContactStatus::Held};
  }
  activate();
}

/// True where a relay on a velocity is at a bound: its force is known.
bool SmoothMode::pushes(std::size_t i) const {
  return model_.contact(i).kind == Contact::Kind::Relay && states_[i].status == ContactStatus::Slide;
}

double SmoothMode::push_of(std::size_t i) const { return model_.contact(i).bound(states_[i].direction[0]); }

double SmoothMode::known_force(std::size_t i) const {
  if (pushes(i)) return push_of(i);
  return states_[i].closed() ? -model_.contact(i).cohesion : 0.0;
}

void SmoothMode::activate() {
  active_rows_.clear();
  active_contact_.clear();
  rubbing_.clear();
  friction_.forget();
  has_closed_ = false;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const Contact& one = model_.contact(i);
    const ContactStatus status = states_[i].status;
    const bool closed = states_[i].closed();
    closed_[i] = closed;
    open_[i] = !closed;
    has_closed_ = has_closed_ || closed;
    if (!closed || pushes(i)) continue;
    if (one.kind == Contact::Kind::Rubbing && status == ContactStatus::Slide) {
      rubbing_.push_back(i);
      continue;
    }
    if (one.kind == Contact::Kind::Turning && status == ContactStatus::Slide) continue;  // the normal force's column
    const bool sticks = one.frictional() && status == ContactStatus::Held;
    const Index rows = one.kind == Contact::Kind::Unilateral && !sticks ? 1 : one.size;
    for (Index r = 0; r < rows; ++r) {
      active_rows_.push_back(one.row + r);
      active_contact_.push_back(i);
    }
  }
  redundant_ = rank_known_ = false;
  mechanism_ = mechanisms(model_, closed_);
  held_.assign(states_.size(), 0.0);
  largest_ = held_;
  sticking_.assign(states_.size(), 0);
  const auto count = static_cast<Index>(active_rows_.size());
  directions_.resize(model_.num_velocities(), count);
  W_.resize(count, count);
  lambda_.resize(count);
  rubbed_.resize(model_.num_velocities(), std::ssize(rubbing_));
  gained_.resize(count, std::ssize(rubbing_));
  slips_.resize(3, std::ssize(rubbing_));
}

Eigen::Vector3d SmoothMode::slip_direction(std::size_t i) const {
  const Contact& one = model_.contact(i);
  const Eigen::Vector3d& kept = states_[i].direction;
  const Index count = one.num_slip_rows();
  if (count < 2 || states_[i].keeps_direction) return kept;
  Eigen::Vector3d slip = Eigen::Vector3d::Zero();
  slip.head(count) = model_.u.segment(one.first_slip_row(), count);
  const double norm = slip.norm();
  if (!(norm > tolerances_.direction(i))) return kept;
  // Beyond a stop the direction goes on as it was, so that the right-hand side stays smooth across the event.
  return slip.dot(kept) < 0.0 ? Eigen::Vector3d(-slip / norm) : Eigen::Vector3d(slip / norm);
}

void SmoothMode::keep_slow_directions(bool keeps) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const Contact& one = model_.contact(i);
    states_[i].keeps_direction =
        keeps && states_[i].status == ContactStatus::Slide && one.num_slip_rows() > 1 &&
        model_.u.segment(one.first_slip_row(), one.num_slip_rows()).norm() <= kHardly * tolerances_.slip(i);
  }
}

void SmoothMode::set_rubbing_direction(std::size_t i, Eigen::Ref<Eigen::VectorXd> push) const {
  const Contact& one = model_.contact(i);
  const Eigen::Vector3d slip = slip_direction(i);
  push.setZero();
  for (Index r = 0; r < one.size; ++r) push -= slip[r] * model_.H.row(one.row + r).transpose();
}

/// Column k of E: what the force of active row k pushes.
void SmoothMode::set_force_direction(std::size_t k) {
  const std::size_t i = active_contact_[k];
  const Contact& one = model_.contact(i);
  auto column = directions_.col(static_cast<Index>(k));
  column = model_.H.row(active_rows_[k]).transpose();
  if (one.kind != Contact::Kind::Unilateral || active_rows_[k] != one.row) return;
  for (std::size_t j = i; j <= i + one.num_turning; ++j) {
    if (slides(j)) add_friction(j, column);
  }
}

void SmoothMode::add_friction(std::size_t i, Eigen::Ref<Eigen::VectorXd> push) const {
  const Contact& one = model_.contact(i);
  const Eigen::Vector3d direction = slip_direction(i);
  for (Index r = 0; r < one.num_slip_rows(); ++r)
    push -= one.kinetic_friction * direction[r] * model_.H.row(one.first_slip_row() + r).transpose();
}

const Eigen::MatrixXd& SmoothMode::evaluate_constraints(double t, const Eigen::VectorXd& z) {
  model_.evaluate_dynamics(t, z);
  if (has_closed_) {
    model_.evaluate_velocities(t, z, closed_);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const Index row = model_.contact(i).row;
      if (pushes(i)) forces_[row] = push_of(i);
      if (const double known = known_force(i); known != 0.0) model_.push(row, known);
    }
  }
  for (std::size_t k = 0; k < active_rows_.size(); ++k) {
    set_force_direction(k);
    model_.solve_mass(directions_.col(static_cast<Index>(k)));
  }
  if (redundant_) find_directions_at_rest();
  return directions_;
}

bool SmoothMode::of_positions(std::size_t k) const {
  const Contact& one = model_.contact(active_contact_[k]);
  return one.kind == Contact::Kind::Bilateral || (one.kind == Contact::Kind::Unilateral && active_rows_[k] == one.row);
}

void SmoothMode::solve(double t, const Eigen::VectorXd& z) {
  evaluate_constraints(t, z);
  vdot_ = model_.a_free;
  const auto count = static_cast<Index>(active_rows_.size());
  if (count == 0) return;
  model_.evaluate_curvatures(t, closed_);
  for (Index k = 0; k < count; ++k) {
    const Index row = active_rows_[static_cast<std::size_t>(k)];
    lambda_[k] = -(model_.H.row(row).dot(model_.a_free) + model_.c[row]);
  }
  find_mobilities();
  bool shared = false;
  if (count == 1) {
    lambda_[0] /= W_(0, 0);
  } else {
    // Which rows depend on others is a matter of the mode: two feet of one body that both stick always do. Rows may
    // come to depend on their way, too.
    if (rank_known_ && !redundant_) {
      factor_.compute(W_);
      redundant_ = has_lost_rank();
      if (redundant_) find_directions_at_rest();
    }
    if (rank_known_ && !redundant_) {
      scratch_.resize(count);
      factor_.solve(lambda_, scratch_);
    } else {
      share_out(lambda_, scratch_);
      shared = true;
    }
    lambda_.swap(scratch_);
  }
  for (Index k = 0; k < count; ++k) forces_[active_rows_[static_cast<std::size_t>(k)]] = lambda_[k];
  if (!rubbing_.empty()) add_rubbing(shared);
  vdot_.noalias() += directions_.lazyProduct(lambda_);
}

void SmoothMode::solve_of_motion(double t, const Eigen::VectorXd& z) {
  solve(t, z);
  if (!jammed().empty()) throw CallableFailure{jammed()};
}

void SmoothMode::add_rubbing(bool shared) {
  const Index count = num_multipliers();
  for (Index g = 0; g < rubbed_.cols(); ++g) {
    auto column = rubbed_.col(g);
    slips_.col(g) = slip_direction(rubbing_[static_cast<std::size_t>(g)]);
    set_rubbing_direction(rubbing_[static_cast<std::size_t>(g)], column);
    model_.solve_mass(column);
    push_.resize(count);
    for (Index k = 0; k < count; ++k) push_[k] = -model_.H.row(active_rows_[static_cast<std::size_t>(k)]).dot(column);
    if (count == 1) {
      scratch_ = push_ / W_(0, 0);
    } else if (shared) {
      shares_.solve(push_, scratch_);
    } else {
      factor_.solve(push_, scratch_);
    }
    gained_.col(g) = scratch_;
  }
  const Eigen::VectorXd& bounds = friction_.solve(model_, rubbing_, slips_, active_rows_, lambda_, gained_, forces_);
  lambda_.noalias() += gained_.lazyProduct(bounds);
  vdot_.noalias() += rubbed_.lazyProduct(bounds);
}

/// True where the factors of W_ show rows that depend on one another, to kDependentRows.
bool SmoothMode::has_lost_rank() const {
  const auto& place = factor_.permutation().indices();
  for (Index i = 0; i < W_.rows(); ++i) {
    const Index k = place[i];
    if (!(std::abs(factor_.matrix()(k, k)) > kDependentRows * W_.row(i).lpNorm<Eigen::Infinity>())) return true;
  }
  return false;
}

/// On top of push_, by the multipliers of the active rows. Of friction in a joint that makes friction in it (of one pin
/// of a cross in the bearings of the other) the fixed point.
void SmoothMode::push_rubbing(ConstVectorRef multipliers) {
  if (rubbing_.empty()) return;
  for (Index k = 0; k < multipliers.size(); ++k) forces_[active_rows_[static_cast<std::size_t>(k)]] = multipliers[k];
  scratch_.setZero(std::ssize(rubbing_));
  constexpr int kMostRubbingRounds = 60;
  double change = 1.0;
  for (int round = 0; round < kMostRubbingRounds && change > 0.0; ++round) {
    change = 0.0;
    for (std::size_t g = 0; g < rubbing_.size(); ++g) {
      const Contact& one = model_.contact(rubbing_[g]);
      double& bound = scratch_[static_cast<Index>(g)];
      const double before = bound;
      bound = one.bound_by(forces_);
      change = std::max(change, std::abs(bound - before));
      write_rubbing(one, slip_direction(rubbing_[g]), bound, forces_);
    }
  }
  for (std::size_t g = 0; g < rubbing_.size(); ++g) {
    const Contact& one = model_.contact(rubbing_[g]);
    for (Index r = 0; r < one.size; ++r) push_ += forces_[one.row + r] * model_.H.row(one.row + r).transpose();
  }
}

void SmoothMode::rubbing_accelerations(double t, const Eigen::VectorXd& z, Eigen::VectorXd& accelerations) {
  solve(t, z);
  accelerations.noalias() = rubbed_.lazyProduct(friction_.bounds());
}

void SmoothMode::residual(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot, const double* lambda,
                          Eigen::VectorXd& r, double* rows) {
  push_.setZero(model_.num_velocities());
  model_.evaluate_dynamics(t, z);
  if (has_closed_) model_.evaluate_velocities(t, z, closed_);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (const double known = known_force(i); known != 0.0)
      push_ += known * model_.H.row(model_.contact(i).row).transpose();
  }
  const Index count = num_multipliers();
  if (count > 0) {
    const Eigen::Map<const Eigen::VectorXd> multipliers(lambda, count);
    Eigen::Map<Eigen::VectorXd> closed(rows, count);
    model_.evaluate_curvatures(t, closed_);
    model_.gather_rates(zdot, vdot_);
    for (Index k = 0; k < count; ++k) {
      const Index row = active_rows_[static_cast<std::size_t>(k)];
      set_force_direction(static_cast<std::size_t>(k));
      push_ += multipliers[k] * directions_.col(k);
      closed[k] = model_.H.row(row).dot(vdot_) + model_.c[row];
    }
    push_rubbing(multipliers);
    if (redundant_) {
      // Regular for any rank: lambda - W^+ (W lambda - H vdot - c) is zero where H vdot + c is and lambda is the one
      // that solve() takes, and at vdot = a_free + M^-1 E lambda nowhere else.
      for (Index k = 0; k < count; ++k) model_.solve_mass(directions_.col(k));
      find_directions_at_rest();
      find_mobilities();
      lambda_.noalias() = W_.lazyProduct(multipliers);
      lambda_ -= closed;
      share_out(lambda_, scratch_);
      closed = multipliers - scratch_;
    }
  }
  model_.balance(zdot, push_, r);
}

}  // namespace nonsmooth::events
