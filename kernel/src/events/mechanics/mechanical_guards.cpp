// SPDX-License-Identifier: Apache-2.0
#include "mechanical_guards.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <internal/round_off.hpp>

#include "model/guarded.hpp"

namespace nonsmooth::events {
namespace {

/// Of a way: a step that is cut short is integrated anew.
constexpr double kOtherWay = 1.01;
/// Gaps that are looked at before all others: the first crossing among them leaves the rest less time to close.
constexpr std::ptrdiff_t kNearest = 8;

}  // namespace

MechanicalGuards::MechanicalGuards(MechanicalModel& model, const MechanicalTolerances& tolerances, SmoothMode& mode,
                                   ConstraintStabilisation& stabilisation, bool fixed_step)
    : model_(model), tolerances_(tolerances), mode_(mode), stabilisation_(stabilisation), fixed_step_(fixed_step) {
  probed_.assign(model.contacts().size(), 0);
  in_order_.reserve(probed_.size());
  rows_.reserve(static_cast<std::size_t>(model.num_rows()));
  reset();
}

void MechanicalGuards::reset() {
  longest_step_.assign(probed_.size(), {});
  longest_way_.assign(probed_.size(), {});
  list();
}

void MechanicalGuards::list() {
  guards_.clear();
  may_leave_out_ = false;
  bool idle = false;
  for (std::size_t i = 0; i < mode_.states().size(); ++i) {
    const Contact& one = model_.contact(i);
    const ContactStatus status = mode_.states()[i].status;
    probed_[i] = one.kind == Contact::Kind::Unilateral && status == ContactStatus::Open && !one.affine ? 1 : 0;
    may_leave_out_ = may_leave_out_ || (probed_[i] && model_.steepness(one) > 0.0);
    idle = idle || status == ContactStatus::Idle;
  }
  may_leave_out_ = may_leave_out_ && !idle;  // whose gaps take those of all
  left_out_ = false;
  needs_multipliers_ = false;
  only_affine_gaps_ = true;
  for (std::size_t i = 0; i < mode_.states().size(); ++i) {
    const Contact& one = model_.contact(i);
    const ContactStatus status = mode_.states()[i].status;
    if (one.kind == Contact::Kind::Turning) {
      if (status != ContactStatus::Open) add_friction(i);
      continue;
    }
    if (one.bounds_its_force()) {
      if (status == ContactStatus::Slide) {
        add(MechanicalGuard::Kind::Speed, i);
      } else if (one.size > 1) {
        add(MechanicalGuard::Kind::MarginJoint, i);
      } else if (one.kind == Contact::Kind::Rubbing) {
        add(MechanicalGuard::Kind::Lower, i);
        add(MechanicalGuard::Kind::Upper, i);
      } else {
        if (std::isfinite(one.lower)) add(MechanicalGuard::Kind::Lower, i);
        if (std::isfinite(one.upper)) add(MechanicalGuard::Kind::Upper, i);
      }
      continue;
    }
    if (one.kind != Contact::Kind::Unilateral) continue;
    if (status == ContactStatus::Open || status == ContactStatus::Idle) {  // an idle row may depend just here
      add(MechanicalGuard::Kind::Gap, i);
      continue;
    }
    add(MechanicalGuard::Kind::Normal, i);
    if (one.frictional()) add_friction(i);
  }
}

void MechanicalGuards::add_friction(std::size_t i) {
  if (mode_.states()[i].status == ContactStatus::Slide) {
    add(MechanicalGuard::Kind::Speed, i);
  } else if (model_.contact(i).num_slip_rows() == 1) {
    add(MechanicalGuard::Kind::Margin, i, 1.0);
    add(MechanicalGuard::Kind::Margin, i, -1.0);
  } else {
    add(MechanicalGuard::Kind::MarginSpace, i);
  }
}

void MechanicalGuards::add(MechanicalGuard::Kind kind, std::size_t i, double sign) {
  const Contact& one = model_.contact(i);
  const bool of_forces = kind != MechanicalGuard::Kind::Gap && kind != MechanicalGuard::Kind::Speed;
  needs_multipliers_ = needs_multipliers_ || of_forces;
  only_affine_gaps_ = only_affine_gaps_ && kind == MechanicalGuard::Kind::Gap && one.affine;
  guards_.push_back({.kind = kind, .contact = i, .row = one.row, .sign = sign});
}

double MechanicalGuards::value_of_mode(const MechanicalGuard& guard) const {
  const auto i = guard.contact;
  const Contact& one = model_.contact(i);
  const double* force = mode_.forces().data() + one.row;
  switch (guard.kind) {
    case MechanicalGuard::Kind::Gap:
      break;
    case MechanicalGuard::Kind::Normal:
      return force[0] - guard.offset;
    case MechanicalGuard::Kind::Speed: {
      const Index count = one.num_slip_rows();
      return mode_.states()[i].direction.head(count).dot(model_.u.segment(one.first_slip_row(), count)) - guard.offset;
    }
    case MechanicalGuard::Kind::Margin:
    case MechanicalGuard::Kind::MarginSpace: {
      const double* const friction = mode_.forces().data() + one.first_slip_row();
      const bool turns = one.kind == Contact::Kind::Turning;
      const double used =
          guard.kind == MechanicalGuard::Kind::Margin ? guard.sign * friction[0] : std::hypot(friction[0], friction[1]);
      const double margin = one.static_friction * mode_.forces()[one.normal_row] - used;
      return (turns ? margin / one.static_friction : margin) - guard.offset;
    }
    case MechanicalGuard::Kind::Lower:
      return force[0] - (one.reaction ? -one.bound_by(mode_.forces()) : one.lower) - guard.offset;
    case MechanicalGuard::Kind::Upper:
      return (one.reaction ? one.bound_by(mode_.forces()) : one.upper) - force[0] - guard.offset;
    case MechanicalGuard::Kind::MarginJoint:
      return one.bound_by(mode_.forces()) - mode_.forces().segment(one.row, one.size).norm() - guard.offset;
  }
  return 0.0;
}

void MechanicalGuards::evaluate(double t, const Eigen::VectorXd& z) {
  if (guards_.empty()) return;
  if (!mode_.jammed().empty() && !z.allFinite()) throw CallableFailure{mode_.jammed()};  // within a step
  if (needs_multipliers_) {
    mode_.solve_of_motion(t, z);
  } else if (mode_.has_closed()) {
    model_.evaluate_velocities(t, z, mode_.closed());
  }
  const auto idle = [](const ContactState& state) { return state.status == ContactStatus::Idle; };
  if (std::none_of(mode_.states().begin(), mode_.states().end(), idle)) {
    model_.evaluate_gaps(t, z, left_out_ ? near_ : mode_.open());
    return;
  }
  evaluate_idle_gaps(t, z);
}

void MechanicalGuards::look_near(const Eigen::VectorXd& z, const smooth::DensePolynomial& dense) {
  if (!may_leave_out_) return;
  model_.evaluate_gaps(dense.t0, z, mode_.open());
  near_ = mode_.open();
  left_out_ = true;
  in_order_.clear();
  closes_.assign(near_.size(), dense.t0);
  for (std::size_t i = 0; i < near_.size(); ++i) {
    const double steepness = probed_[i] ? model_.steepness(model_.contact(i)) : 0.0;
    if (!(steepness > 0.0)) continue;
    const double gap = model_.y[model_.contact(i).row] - 2.0 * tolerances_.position(i);
    const double fastest = kOtherWay * steepness * model_.pace(model_.contact(i), dense).fastest;
    // A gap at rest has no time that it closes at: behind all.
    if (gap > 0.0) closes_[i] += fastest > 0.0 ? dense.h * gap / fastest : 2.0 * dense.h;
    in_order_.push_back(closes_[i]);
  }
  if (static_cast<std::ptrdiff_t>(in_order_.size()) <= kNearest) return;
  std::nth_element(in_order_.begin(), in_order_.begin() + kNearest, in_order_.end());
  const double limit = in_order_[kNearest];
  for (std::size_t i = 0; i < near_.size(); ++i) {
    if (closes_[i] > dense.t0 && closes_[i] >= limit) near_[i] = 0;
  }
}

bool MechanicalGuards::take_in(double t) {
  bool any = false;
  for (std::size_t i = 0; left_out_ && i < near_.size(); ++i) {
    if (near_[i] || !mode_.open()[i] || closes_[i] > t) continue;
    near_[i] = 1;
    any = true;
  }
  return any;
}

/// Within a step closed gaps drift by its error, and with them those that they keep closed: what counts is the gap once
/// theirs are put back, to first order.
void MechanicalGuards::evaluate_idle_gaps(double t, const Eigen::VectorXd& z) {
  if (!needs_multipliers_) model_.evaluate_dynamics(t, z);
  model_.evaluate_velocities(t, z, mode_.open());
  rows_.clear();
  for (std::size_t k = 0; k < mode_.active_rows().size(); ++k) {
    if (mode_.of_positions(k)) rows_.push_back(mode_.active_rows()[k]);
  }
  const Eigen::VectorXd& back = stabilisation_.towards_constraints(rows_);
  for (std::size_t i = 0; i < mode_.states().size(); ++i) {
    const Index row = model_.contact(i).row;
    if (mode_.states()[i].status == ContactStatus::Idle) model_.y[row] += model_.H.row(row).dot(back);
  }
}

bool MechanicalGuards::stays_open(const Eigen::VectorXd& z, const smooth::DensePolynomial& dense) {
  if (!only_affine_gaps_ || guards_.empty()) return guards_.empty();
  model_.evaluate_gaps(dense.t0, z, mode_.open());
  return std::all_of(guards_.begin(), guards_.end(), [&](const MechanicalGuard& guard) {
    const Index row = model_.contact(guard.contact).row;
    const double round_off = 64.0 * eps * (std::abs(model_.y[row]) + model_.position_scale(row));
    return value(guard) + model_.lowest_change(row, dense) > round_off;
  });
}

bool MechanicalGuards::along(const Eigen::VectorXd& z, const smooth::DensePolynomial& dense, Index rows,
                             Eigen::MatrixXd& coefficients) {
  if (!only_affine_gaps_) return false;
  if (coefficients.rows() != rows || coefficients.cols() <= dense.degree) coefficients.resize(rows, dense.degree + 1);
  model_.evaluate_gaps(dense.t0, z, mode_.open());
  for (Index g = 0; g < size(); ++g) {
    const MechanicalGuard& guard = guards_[static_cast<std::size_t>(g)];
    coefficients(g, 0) = value(guard);
    for (Index k = 1; k <= dense.degree; ++k) coefficients(g, k) = model_.coefficient(guard.row, k, dense);
  }
  return true;
}

smooth::Guards::Probing MechanicalGuards::probing(const smooth::DensePolynomial& dense) {
  smooth::Guards::Probing wanted;
  for (std::size_t i = 0; i < probed_.size(); ++i) {
    if (!probed_[i]) continue;
    ++wanted.guards;
    if (left_out_ && !near_[i]) continue;
    const double feature = model_.smallest_feature(model_.contact(i));
    if (fixed_step_ && feature == 0.0) continue;
    const auto [way, fastest] = model_.pace(model_.contact(i), dense);
    // A hundred on the longest way so far, as close where q is fastest: obstacles do not become finer where steps
    // become shorter. A step that the user fixed is the resolution that the user chose.
    const double on_way = longest_way_[i].places(way, fastest);
    if (way > 0.0 && !fixed_step_) wanted.places = std::max(wanted.places, on_way);
    if (!fixed_step_ && model_.depends_on_time(model_.contact(i)))
      wanted.places = std::max(wanted.places, longest_step_[i].places(dense.h, dense.h));
    if (feature > 0.0) wanted.places = std::max(wanted.places, 2.0 * fastest / feature);
  }
  return wanted;
}

Index MechanicalGuards::probe(double t, const Eigen::VectorXd& z, double* values) {
  Index count = 0;
  if (std::find(probed_.begin(), probed_.end(), 1) == probed_.end()) return count;
  model_.evaluate_gaps(t, z, left_out_ ? near_ : probed_);
  for (std::size_t i = 0; i < probed_.size(); ++i) {
    if (probed_[i]) values[count++] = model_.y[model_.contact(i).row];
  }
  return count;
}

double MechanicalGuards::noise_of_zero(const MechanicalGuard& guard, double largest_force) const {
  if (guard.kind == MechanicalGuard::Kind::Gap) return tolerances_.absolute;
  if (guard.kind == MechanicalGuard::Kind::Speed) return tolerances_.noise_of_speed(guard.contact);
  return tolerances_.noise_of_force(largest_force);
}

void MechanicalGuards::start(double t, const Eigen::VectorXd& z) {
  mode_.solve_of_motion(t, z);
  model_.evaluate_velocities(t, z);
  model_.evaluate_curvatures(t);
  model_.note_scales(z);
  const std::vector<Index>& mechanism = mode_.mechanism();
  std::vector<double> largest_forces(mechanism.size(), 0.0);
  for (std::size_t k = 0; k < mode_.active_rows().size(); ++k) {
    double& largest_force = largest_forces[static_cast<std::size_t>(mechanism[mode_.active_contact(k)])];
    const Index row = mode_.active_rows()[k];
    const double mobility = model_.H.row(row).dot(mode_.directions().col(static_cast<Index>(k)));
    const double balancing = mobility > 0.0 ? model_.acceleration_scale(row) / mobility : 0.0;
    largest_force = std::max({largest_force, std::abs(mode_.forces()[row]), balancing});
  }
  // A zero that is left with a slope or a curvature is divided out. One that is left slower than that is not: the guard
  // then starts at zero, and counts only where it falls below its round-off.
  const auto rate = [&](Index row) { return model_.H.row(row).dot(mode_.accelerations()) + model_.c[row]; };
  const auto rate_tolerance = [&](Index row) {
    return 1e-6 * (model_.H.row(row).cwiseAbs().dot(mode_.accelerations().cwiseAbs()) + std::abs(model_.c[row])) +
           tolerances_.absolute;
  };
  for (MechanicalGuard& guard : guards_) {
    const auto i = guard.contact;
    const Contact& one = model_.contact(i);
    const double value_here = value(guard);
    const Index own = mechanism[i];
    const double largest_force = own < 0 ? 0.0 : largest_forces[static_cast<std::size_t>(own)];
    double zero = tolerances_.thresholds.acceleration * largest_force;
    int order = 0;
    guard.dip = 64.0 * eps * largest_force;
    if (guard.kind == MechanicalGuard::Kind::Gap) {
      guard.dip = 8.0 * eps * model_.position_scale(one.row) + 1e-3 * tolerances_.absolute;
      zero = tolerances_.position(i);
      if (mode_.states()[i].status == ContactStatus::Idle) {
        // It stays at zero, and counts where it is clearly below: that is where the guard passes zero.
        guard.offset = value_here - zero;
        continue;
      }
      if (model_.u[one.row] > tolerances_.velocity(i)) {
        order = 1;
      } else if (rate(one.row) > rate_tolerance(one.row)) {
        order = 2;
      }
    } else if (guard.kind == MechanicalGuard::Kind::Speed) {
      const Index first = one.first_slip_row();
      guard.dip = 8.0 * eps * tolerances_.speed_before[first] + 1e-3 * tolerances_.absolute;
      zero = tolerances_.slip(i);
      double along = 0.0;
      for (Index r = 0; r < one.num_slip_rows(); ++r) along += mode_.states()[i].direction[r] * rate(first + r);
      if (along > rate_tolerance(first)) order = 1;
    }
    if (std::abs(value_here) > zero) continue;
    guard.zeros = order;
    // Steps that are right to the tolerance may dip by it where nothing tells how the gap leaves; slips and forces by
    // what flows could not tell from zero when they decided how to go on.
    if (order == 0) guard.dip = std::max(guard.dip, noise_of_zero(guard, largest_force));
    guard.offset = value_here;
  }
}

}  // namespace nonsmooth::events
