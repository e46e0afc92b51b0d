// SPDX-License-Identifier: Apache-2.0
#include "mechanical_part.hpp"

#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::events {
MechanicalPart::MechanicalPart(const NonSmoothDynamicalSystem& model, const std::shared_ptr<const Layout>& layout,
                               const EventDrivenOptions& options)
    : model_(model, layout),
      thresholds_(options.thresholds),
      absolute_tolerance_(options.absolute_tolerance),
      impulse_step_(options.impulse_step),
      fixed_step_(options.step > 0.0) {
  const std::size_t count = model_.contacts().size();
  memory_.resize(count);
  closed_flags_.assign(count, 0);
  open_flags_.assign(count, 0);
  all_flags_.assign(count, 1);
  probed_flags_.assign(count, 0);
  forces_ = percussions_ = speed_before_ = Eigen::VectorXd::Zero(model_.num_rows());
  vdot_ = correction_ = Eigen::VectorXd::Zero(model_.num_velocities());
  right_ = Eigen::VectorXd::Zero(model_.num_rows());
  row_directions_ = Eigen::MatrixXd::Zero(model_.num_velocities(), model_.num_rows());
  row_mobility_ = Eigen::MatrixXd::Zero(model_.num_rows(), model_.num_rows());
  position_rows_.reserve(static_cast<std::size_t>(model_.num_rows()));
  reset();
}

void MechanicalPart::reset() {
  std::fill(memory_.begin(), memory_.end(), Memory{});
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    if (contact(i).kind != Contact::Kind::Unilateral) memory_[i].status = ContactStatus::Held;
  }
  beginning_ = true;
  model_.forget_scales();
  speed_before_.setZero();
  forget_impulses();
  set_active();
  list_guards();
}

void MechanicalPart::add_impulse(const Eigen::VectorXd& impulse) {
  if (num_pending_++ == 0) {
    pending_ = impulse;
  } else {
    pending_ += impulse;
  }
}

void MechanicalPart::set_window(const TimeWindow& window) noexcept {
  window_ = window;
  model_.set_window(window);
}

void MechanicalPart::set_active() {
  active_rows_.clear();
  active_contact_.clear();
  needs_velocities_ = needs_multipliers_ = false;
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const Contact& one = contact(i);
    const ContactStatus status = memory_[i].status;
    const bool closed = status == ContactStatus::Held || status == ContactStatus::Slide;
    const bool at_bound = one.kind == Contact::Kind::Relay && status == ContactStatus::Slide;
    closed_flags_[i] = closed;
    open_flags_[i] = status == ContactStatus::Open || status == ContactStatus::Idle;
    needs_velocities_ = needs_velocities_ || closed;
    if (!closed || at_bound) continue;
    const bool sticks = one.frictional() && status == ContactStatus::Held;
    const Index rows = one.kind == Contact::Kind::Unilateral && !sticks ? 1 : one.size;
    for (Index r = 0; r < rows; ++r) {
      active_rows_.push_back(one.row + r);
      active_contact_.push_back(i);
    }
  }
  redundant_ = rank_known_ = false;
  const auto count = static_cast<Index>(active_rows_.size());
  directions_.resize(model_.num_velocities(), count);
  W_.resize(count, count);
  lambda_.resize(count);
}

Eigen::Vector2d MechanicalPart::slip_direction(std::size_t i) const {
  const Contact& one = contact(i);
  const Eigen::Vector2d& kept = memory_[i].direction;
  if (one.size != 3) return kept;
  const Eigen::Vector2d slip = model_.u.segment<2>(one.row + 1);
  const double norm = slip.norm();
  if (!(norm > velocity_tolerance(i))) return kept;
  // Beyond a stop the direction goes on as it was, so that the right-hand side stays smooth across the event.
  return slip.dot(kept) < 0.0 ? Eigen::Vector2d(-slip / norm) : Eigen::Vector2d(slip / norm);
}

/// Column k of E: what the force of active row k pushes.
void MechanicalPart::set_force_direction(std::size_t k) {
  const std::size_t i = active_contact_[k];
  const Contact& one = contact(i);
  auto column = directions_.col(static_cast<Index>(k));
  column = model_.H.row(active_rows_[k]).transpose();
  if (!one.frictional() || memory_[i].status != ContactStatus::Slide) return;
  const Eigen::Vector2d direction = slip_direction(i);
  for (Index r = 1; r < one.size; ++r) {
    column -= one.sliding * direction[r - 1] * model_.H.row(one.row + r).transpose();
  }
}

const Eigen::MatrixXd& MechanicalPart::evaluate_constraints(double t, const Eigen::VectorXd& z) {
  model_.evaluate_dynamics(t, z);
  if (needs_velocities_) {
    model_.evaluate_velocities(t, z, closed_flags_);
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const Contact& one = contact(i);
      if (one.kind != Contact::Kind::Relay || memory_[i].status != ContactStatus::Slide) continue;
      const double force = memory_[i].direction[0] > 0.0 ? one.lower : one.upper;
      vdot_ = force * model_.H.row(one.row).transpose();
      model_.solve_mass(vdot_);
      model_.a_free += vdot_;
      forces_[one.row] = force;
    }
  }
  for (std::size_t k = 0; k < active_rows_.size(); ++k) {
    set_force_direction(k);
    model_.solve_mass(directions_.col(static_cast<Index>(k)));
  }
  return directions_;
}

bool MechanicalPart::of_positions(std::size_t k) const {
  const Contact& one = contact(active_contact_[k]);
  return one.kind == Contact::Kind::Bilateral || (one.kind == Contact::Kind::Unilateral && active_rows_[k] == one.row);
}

void MechanicalPart::solve_mode(double t, const Eigen::VectorXd& z) {
  evaluate_constraints(t, z);
  vdot_ = model_.a_free;
  const auto count = static_cast<Index>(active_rows_.size());
  if (count == 0) return;
  model_.evaluate_curvatures(t, z, closed_flags_);
  for (Index k = 0; k < count; ++k) {
    const Index row = active_rows_[static_cast<std::size_t>(k)];
    lambda_[k] = -(model_.H.row(row).dot(model_.a_free) + model_.c[row]);
    for (Index j = 0; j < count; ++j) W_(k, j) = model_.H.row(row).dot(directions_.col(j));
  }
  if (count == 1) {
    lambda_[0] /= W_(0, 0);
  } else {
    // Which rows depend on others is a matter of the mode: two feet of one body that both stick always do. Rows may
    // come to depend on their way, too.
    if (rank_known_ && !redundant_) {
      factor_.compute(W_);
      redundant_ = has_lost_rank();
    }
    if (rank_known_ && !redundant_) {
      scratch_.resize(count);
      factor_.solve(lambda_, scratch_);
    } else {
      least_norm_.compute(W_);
      if (!rank_known_) redundant_ = least_norm_.rank() < count;
      rank_known_ = true;
      least_norm_.solve(lambda_, scratch_);
    }
    lambda_.swap(scratch_);
  }
  vdot_.noalias() += directions_.lazyProduct(lambda_);
  for (Index k = 0; k < count; ++k) forces_[active_rows_[static_cast<std::size_t>(k)]] = lambda_[k];
}

bool MechanicalPart::has_lost_rank() const {
  const auto& place = factor_.permutation().indices();
  for (Index i = 0; i < W_.rows(); ++i) {
    const Index k = place[i];
    if (!(std::abs(factor_.matrix()(k, k)) > kDependentRows * W_.row(i).lpNorm<Eigen::Infinity>())) return true;
  }
  return false;
}

void MechanicalPart::rates(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) {
  if (empty()) return;
  solve_mode(t, z);
  model_.scatter_rates(vdot_, zdot);
}

void MechanicalPart::list_guards() {
  guards_.clear();
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const bool open = contact(i).kind == Contact::Kind::Unilateral && memory_[i].status == ContactStatus::Open;
    probed_flags_[i] = open && !contact(i).affine ? 1 : 0;
  }
  needs_multipliers_ = false;
  only_affine_gaps_ = true;
  const auto add = [&](Guard::Kind kind, std::size_t i, double sign = 1.0) {
    Guard guard;
    guard.kind = kind;
    guard.contact = static_cast<Index>(i);
    guard.row = contact(i).row;
    guard.sign = sign;
    const bool of_forces = kind != Guard::Kind::Gap && kind != Guard::Kind::Speed;
    needs_multipliers_ = needs_multipliers_ || of_forces;
    only_affine_gaps_ = only_affine_gaps_ && kind == Guard::Kind::Gap && contact(i).affine;
    guards_.push_back(guard);
  };
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const Contact& one = contact(i);
    const ContactStatus status = memory_[i].status;
    if (one.kind == Contact::Kind::Relay) {
      if (status == ContactStatus::Slide) {
        add(Guard::Kind::Speed, i);
      } else {
        if (std::isfinite(one.lower)) add(Guard::Kind::Lower, i);
        if (std::isfinite(one.upper)) add(Guard::Kind::Upper, i);
      }
      continue;
    }
    if (one.kind != Contact::Kind::Unilateral) continue;
    if (status == ContactStatus::Open || status == ContactStatus::Idle) {  // an idle row may depend just here
      add(Guard::Kind::Gap, i);
      continue;
    }
    add(Guard::Kind::Normal, i);
    if (!one.frictional()) continue;
    if (status == ContactStatus::Slide) {
      add(Guard::Kind::Speed, i);
    } else if (one.size == 2) {
      add(Guard::Kind::Margin, i, 1.0);
      add(Guard::Kind::Margin, i, -1.0);
    } else {
      add(Guard::Kind::MarginSpace, i);
    }
  }
}

double MechanicalPart::guard_value(const Guard& guard) const {
  const auto i = static_cast<std::size_t>(guard.contact);
  const Contact& one = contact(i);
  const double* force = forces_.data() + one.row;
  switch (guard.kind) {
    case Guard::Kind::Gap:
      return model_.y[one.row] - guard.offset;
    case Guard::Kind::Normal:
      return force[0] - guard.offset;
    case Guard::Kind::Speed: {
      const auto& direction = memory_[i].direction;
      const double* slip = model_.u.data() + one.row + (one.kind == Contact::Kind::Relay ? 0 : 1);
      return direction[0] * slip[0] + (one.size == 3 ? direction[1] * slip[1] : 0.0) - guard.offset;
    }
    case Guard::Kind::Margin:
      return one.holding * force[0] - guard.sign * force[1] - guard.offset;
    case Guard::Kind::MarginSpace:
      return one.holding * force[0] - std::hypot(force[1], force[2]) - guard.offset;
    case Guard::Kind::Lower:
      return force[0] - one.lower - guard.offset;
    case Guard::Kind::Upper:
      return one.upper - force[0] - guard.offset;
  }
  return 0.0;
}

void MechanicalPart::evaluate_guards(double t, const Eigen::VectorXd& z) {
  if (guards_.empty()) return;
  if (needs_multipliers_) {
    solve_mode(t, z);
  } else if (needs_velocities_) {
    model_.evaluate_velocities(t, z, closed_flags_);
  }
  const auto idle = [](const Memory& memory) { return memory.status == ContactStatus::Idle; };
  if (std::none_of(memory_.begin(), memory_.end(), idle)) {
    model_.evaluate_gaps(t, z, open_flags_);
    return;
  }
  // Within a step closed gaps drift by its error, and with them those that they keep closed: what counts is the gap
  // once theirs are put back, to first order.
  if (!needs_multipliers_) model_.evaluate_dynamics(t, z);
  model_.evaluate_velocities(t, z, open_flags_);
  position_rows_.clear();
  for (std::size_t k = 0; k < active_rows_.size(); ++k) {
    if (!of_positions(k)) continue;
    right_[std::ssize(position_rows_)] = -model_.y[active_rows_[k]];
    position_rows_.push_back(active_rows_[k]);
  }
  solve_rows(position_rows_, correction_);
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    if (idle(memory_[i])) model_.y[contact(i).row] += model_.H.row(contact(i).row).dot(correction_);
  }
}

void MechanicalPart::guards(double t, const Eigen::VectorXd& z, double* values) {
  evaluate_guards(t, z);
  for (std::size_t g = 0; g < guards_.size(); ++g) {
    const Guard& guard = guards_[g];
    values[g] = guard.kind == Guard::Kind::Gap ? model_.y[guard.row] - guard.offset : guard_value(guard);
  }
}

void MechanicalPart::guard_starts(double, const Eigen::VectorXd&, bool fresh, int* zeros, double* dips) {
  for (std::size_t g = 0; g < guards_.size(); ++g) {
    zeros[g] = fresh ? guards_[g].zeros : 0;
    dips[g] = guards_[g].dip;
  }
}

bool MechanicalPart::stays_open(const Eigen::VectorXd& z, const smooth::DensePolynomial& dense) {
  if (!only_affine_gaps_ || guards_.empty()) return guards_.empty();
  model_.evaluate_gaps(dense.t0, z, open_flags_);
  return std::all_of(guards_.begin(), guards_.end(), [&](const Guard& guard) {
    const Index row = contact(static_cast<std::size_t>(guard.contact)).row;
    const double round_off = 64.0 * eps * (std::abs(model_.y[row]) + model_.position_scale(row));
    return guard_value(guard) + model_.lowest_change(row, dense) > round_off;
  });
}

bool MechanicalPart::guards_along(const Eigen::VectorXd& z, const smooth::DensePolynomial& dense, Index rows,
                                  Eigen::MatrixXd& coefficients) {
  if (!only_affine_gaps_) return false;
  if (coefficients.rows() != rows || coefficients.cols() <= dense.degree) coefficients.resize(rows, dense.degree + 1);
  model_.evaluate_gaps(dense.t0, z, open_flags_);
  for (Index g = 0; g < num_guards(); ++g) {
    const Guard& guard = guards_[static_cast<std::size_t>(g)];
    coefficients(g, 0) = guard_value(guard);
    for (Index k = 1; k <= dense.degree; ++k) coefficients(g, k) = model_.coefficient(guard.row, k, dense);
  }
  return true;
}

smooth::Guards::Probing MechanicalPart::probing(const smooth::DensePolynomial& dense) {
  smooth::Guards::Probing wanted;
  for (std::size_t i = 0; i < probed_flags_.size(); ++i) {
    if (!probed_flags_[i]) continue;
    ++wanted.guards;
    const double feature = model_.smallest_feature(contact(i));
    if (fixed_step_ && feature == 0.0) continue;
    const auto [way, fastest] = model_.pace(contact(i), dense);
    Memory& memory = memory_[i];
    memory.longest_way = std::max(memory.longest_way, way);
    // A hundred on the longest way so far, as close where q is fastest: obstacles do not become finer where steps
    // become shorter. A step that the user fixed is the resolution that the user chose.
    if (way > 0.0 && !fixed_step_)
      wanted.places = std::max(wanted.places, smooth::kPlacesOfLongest * fastest / memory.longest_way);
    if (!fixed_step_ && model_.depends_on_time(contact(i))) {
      memory.longest_step = std::max(memory.longest_step, dense.h);
      wanted.places = std::max(wanted.places, smooth::kPlacesOfLongest * dense.h / memory.longest_step);
    }
    if (feature > 0.0) wanted.places = std::max(wanted.places, 2.0 * fastest / feature);
  }
  return wanted;
}

Index MechanicalPart::probe(double t, const Eigen::VectorXd& z, double* values) {
  Index count = 0;
  if (std::find(probed_flags_.begin(), probed_flags_.end(), 1) == probed_flags_.end()) return count;
  model_.evaluate_gaps(t, z, probed_flags_);
  for (std::size_t i = 0; i < probed_flags_.size(); ++i) {
    if (probed_flags_[i]) values[count++] = model_.y[contact(i).row];
  }
  return count;
}

void MechanicalPart::begin_step(double t, const Eigen::VectorXd& z) {
  if (!empty()) model_.note_scales(z);
  bool in_space = false;
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    in_space = in_space || (contact(i).size == 3 && memory_[i].status == ContactStatus::Slide);
  }
  if (!in_space) return;
  model_.evaluate_velocities(t, z, closed_flags_);
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    if (contact(i).size == 3 && memory_[i].status == ContactStatus::Slide) memory_[i].direction = slip_direction(i);
  }
}

double MechanicalPart::position_tolerance(std::size_t i) const {
  return thresholds_.position * model_.position_scale(contact(i).row) + absolute_tolerance_;
}

double MechanicalPart::velocity_tolerance(std::size_t i) const {
  const Contact& one = contact(i);
  double speed = 0.0;
  for (Index r = one.row; r < one.row + one.size; ++r) {
    speed = std::max({speed, model_.velocity_scale(r), speed_before_[r]});
  }
  return thresholds_.velocity * speed + absolute_tolerance_;
}

void MechanicalPart::write(double t, const Eigen::VectorXd& z, State& state) {
  if (empty()) return;
  if (needs_velocities_) solve_mode(t, z);  // otherwise nothing is closed, and there are no forces
  model_.evaluate_velocities(t, z, all_flags_);
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const Contact& one = contact(i);
    if (one.interaction < 0) continue;
    const Index to = model_.layout().interactions[static_cast<std::size_t>(one.interaction)].row + one.local;
    const ContactStatus status = memory_[i].status;
    for (Index r = 0; r < one.size; ++r) {
      state.outputs[to + r] = model_.y[one.row + r];
      state.velocities[to + r] = model_.u[one.row + r];
      state.multipliers[to + r] = state.percussions[to + r] = t == percussion_t_ ? percussions_[one.row + r] : 0.0;
      double force = status == ContactStatus::Open || status == ContactStatus::Idle ? 0.0 : forces_[one.row + r];
      if (r > 0 && status == ContactStatus::Slide) {
        force = -one.sliding * slip_direction(i)[r - 1] * forces_[one.row];
      }
      state.forces[to + r] = force;
    }
  }
}

}  // namespace nonsmooth::events
