// SPDX-License-Identifier: Apache-2.0
#include "mechanical_part.hpp"

#include <algorithm>
#include <limits>

#include "model/guarded.hpp"
#include "model/memory.hpp"

namespace nonsmooth::events {
namespace {

constexpr double kAhead = 1e4;        ///< tolerances of a gap
constexpr double kUnexplained = 1e4;  ///< errors that a step may have: drift is some of them
/// Least tolerance of that: derivatives by differences are known to 1e-8, and steps follow them, not y.
constexpr double kOfDifferences = 1e-10;

}  // namespace

MechanicalPart::MechanicalPart(const NonSmoothDynamicalSystem& model, const std::shared_ptr<const Layout>& layout,
                               const EventDrivenOptions& options)
    : model_(model, layout),
      tolerances_(model_, options),
      mode_(model_, tolerances_),
      stabilisation_(model_, tolerances_, mode_),
      guards_(model_, tolerances_, mode_, stabilisation_, options.step > 0.0),
      accumulations_(model, model_, tolerances_, stabilisation_),
      impacts_(model_, tolerances_, accumulations_, options.impulse_step),
      decision_(model_, tolerances_, mode_, stabilisation_, guards_),
      next_(model_, tolerances_, mode_, decision_) {
  reset();
}

void MechanicalPart::reset() {
  beginning_ = true;
  model_.forget_scales();
  tolerances_.speed_before.setZero();
  tolerances_.rounding.setZero();
  impacts_.reset();
  next_.begin();
  accumulations_.reset();
  mode_.reset();
  guards_.reset();
}

void MechanicalPart::save(std::vector<double>& numbers) {
  memory::Writer memory(numbers);
  remember(memory);
}

void MechanicalPart::resume(const std::vector<double>& numbers, double t, const Eigen::VectorXd& z) {
  memory::Reader memory(numbers);
  remember(memory);
  if (empty()) return;
  const Eigen::VectorXd a_free = model_.a_free;
  if (mode_.has_closed()) mode_.solve(t, z);
  model_.evaluate_velocities(t, z);
  model_.a_free = a_free;
}

void MechanicalPart::rates(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) {
  if (empty()) return;
  mode_.solve(t, z);
  model_.scatter_rates(mode_.accelerations(), zdot);
}

void MechanicalPart::guards(double t, const Eigen::VectorXd& z, double* values) {
  guards_.evaluate(t, z);
  for (const MechanicalGuard& guard : guards_.all()) *values++ = guards_.value(guard);
}

void MechanicalPart::guard_starts(double, const Eigen::VectorXd&, bool fresh, int* zeros, double* dips) {
  for (const MechanicalGuard& guard : guards_.all()) {
    *zeros++ = fresh ? guard.zeros : 0;
    *dips++ = guard.dip;
  }
}

/// Its direction of slip may turn.
bool MechanicalPart::slides_in_space(std::size_t i) const {
  return model_.contact(i).num_slip_rows() > 1 && mode_.states()[i].status == ContactStatus::Slide;
}

double MechanicalPart::slip_begun(double t, const Eigen::VectorXd& z) {
  double slowest = std::numeric_limits<double>::infinity();
  bool evaluated = false;
  for (std::size_t i = 0; i < mode_.states().size(); ++i) {
    if (!slides_in_space(i)) continue;
    if (!evaluated) model_.evaluate_velocities(t, z, mode_.closed());
    evaluated = true;
    const Contact& one = model_.contact(i);
    const double speed = model_.u.segment(one.first_slip_row(), one.num_slip_rows()).norm();
    slowest = std::min(slowest, speed / tolerances_.slip(i));
  }
  return slowest;
}

void MechanicalPart::keep_slow_directions(double t, const Eigen::VectorXd& z) {
  model_.evaluate_velocities(t, z, mode_.closed());
  mode_.keep_slow_directions(true);
}

double MechanicalPart::fastest_turn(double t, const Eigen::VectorXd& z, Eigen::VectorXd& finest) {
  constexpr double none = std::numeric_limits<double>::infinity();
  double fastest = none;
  finest.setConstant(z.size(), none);
  mode_.solve(t, z);
  Eigen::VectorXd changes = Eigen::VectorXd::Constant(model_.num_velocities(), none), image;
  for (std::size_t i = 0; i < mode_.states().size(); ++i) {
    if (!slides_in_space(i)) continue;
    const Contact& one = model_.contact(i);
    const Index first = one.first_slip_row(), count = one.num_slip_rows();
    const double speed = std::max(model_.u.segment(first, count).norm(), tolerances_.direction(i));
    const double bound = one.kind == Contact::Kind::Rubbing ? one.bound_by(mode_.forces())
                                                            : one.kinetic_friction * mode_.forces()[one.normal_row];
    double mobility = 0.0;
    for (Index r = first; r < first + count; ++r) {
      image = model_.H.row(r).transpose();
      model_.solve_mass(image);
      mobility += model_.H.row(r).dot(image);
    }
    if (!(bound * mobility > 0.0)) continue;
    fastest = std::min(fastest, speed / (bound * mobility));
    for (Index k = 0; k < changes.size(); ++k) {
      const double lever = model_.H.col(k).segment(first, count).norm();
      if (lever > 0.0) changes[k] = std::min(changes[k], speed / lever);
    }
  }
  model_.scatter_rates(changes, finest);
  finest.head(model_.layout().num_positions).setConstant(none);
  return fastest;
}

void MechanicalPart::begin_step(double t, const Eigen::VectorXd& z) {
  if (empty()) return;
  model_.follow(t, z);
  model_.note_scales(z);
  bool in_space = false;
  for (std::size_t i = 0; i < mode_.states().size(); ++i) in_space = in_space || slides_in_space(i);
  if (!in_space) return;
  model_.evaluate_velocities(t, z, mode_.closed());
  for (std::size_t i = 0; i < mode_.states().size(); ++i) {
    if (slides_in_space(i)) mode_.states()[i].direction = mode_.slip_direction(i);
  }
}

std::string MechanicalPart::unexplained_gap(double t, const Eigen::VectorXd& z, double relative_tolerance) {
  if (!mode_.has_closed()) return {};
  model_.evaluate_gaps(t, z, mode_.closed());
  for (std::size_t k = 0; k < mode_.active_rows().size(); ++k) {
    const Index row = mode_.active_rows()[k];
    const std::size_t i = mode_.active_contact(k);
    const double error =
        std::max(relative_tolerance, kOfDifferences) * model_.position_scale(row) + tolerances_.absolute;
    if (!mode_.of_positions(k) || std::abs(model_.y[row]) <= tolerances_.position(i) + kUnexplained * error) continue;
    return "the constraint of " + model_.place_of(model_.contact(i)) + " is not kept: y = " + text(model_.y[row]) +
           " behind a step whose errors explain " + text(error) +
           ": it jumps, or its rate does, or its H, h_t or curvature is not its derivative";
  }
  return {};
}

void MechanicalPart::write(double t, const Eigen::VectorXd& z, State& state) {
  if (empty()) return;
  if (mode_.has_closed()) mode_.solve(t, z);  // otherwise nothing is closed, and there are no forces
  model_.evaluate_velocities(t, z);
  for (std::size_t i = 0; i < mode_.states().size(); ++i) {
    const Contact& one = model_.contact(i);
    if (one.interaction < 0) continue;
    const Index to = model_.layout().interactions[static_cast<std::size_t>(one.interaction)].row + one.local;
    const ContactStatus status = mode_.states()[i].status;
    for (Index r = 0; r < one.size; ++r) {
      state.outputs[to + r] = model_.y[one.row + r];
      const double unit = one.unit(r);
      state.velocities[to + r] = model_.u[one.row + r] / unit;
      state.multipliers[to + r] = state.percussions[to + r] = unit * impacts_.percussion(t, one.row + r);
      double force = mode_.states()[i].closed() ? mode_.forces()[one.row + r] : 0.0;
      const Index along = one.row + r - one.first_slip_row();
      const bool of_contact = one.kind == Contact::Kind::Unilateral || one.kind == Contact::Kind::Turning;
      if (along >= 0 && status == ContactStatus::Slide && of_contact)
        force = -one.kinetic_friction * mode_.slip_direction(i)[along] * mode_.forces()[one.normal_row];
      if (r == 0 && mode_.states()[i].closed()) force -= one.cohesion;
      state.forces[to + r] = unit * force;
    }
  }
  model_.write_forces(t, z, state);
}

// --- The instant ----------------------------------------------------------------------------------------------------

/// Index set I_c: contacts that are closed.
std::vector<char> MechanicalPart::find_closed(const std::vector<Index>& crossed) const {
  std::vector<char> closed(mode_.states().size(), 0);
  for (std::size_t i = 0; i < mode_.states().size(); ++i) {
    const Contact& one = model_.contact(i);
    // Also of contacts that were closed: drift is removed in each step, and an action may have moved them away.
    closed[i] = one.kind == Contact::Kind::Unilateral ? model_.y[one.row] <= tolerances_.position(i)
                                                      : one.kind != Contact::Kind::Turning;
  }
  for (const Index g : crossed) {
    const MechanicalGuard& guard = guards_.all()[static_cast<std::size_t>(g)];
    if (guard.kind == MechanicalGuard::Kind::Gap) closed[guard.contact] = 1;
  }
  return closed;
}

/// A gap that was located at zero goes on below it no faster than its steepness says, where that is known: it does not
/// jump. Looked at a little farther on, where velocities move it by kAhead of its tolerances at most.
Resolution MechanicalPart::require_continuous(double t, const Eigen::VectorXd& z, const std::vector<Index>& crossed) {
  Resolution result;
  std::vector<char> wanted(mode_.states().size(), 0);
  for (const Index g : crossed) {
    const MechanicalGuard& guard = guards_.all()[static_cast<std::size_t>(g)];
    const double steepness = model_.steepness(model_.contact(guard.contact));
    if (guard.kind != MechanicalGuard::Kind::Gap || !(steepness > 0.0)) continue;
    const double way = kAhead * tolerances_.position(guard.contact), speed = model_.velocity_scale(guard.row);
    if (!(model_.u[guard.row] < -tolerances_.velocity(guard.contact))) continue;
    Eigen::VectorXd ahead = z;
    model_.move_positions(way / speed * model_.v, ahead);
    wanted[guard.contact] = 1;
    model_.evaluate_gaps(t, ahead, wanted);
    wanted[guard.contact] = 0;
    const double gap = model_.y[guard.row];
    model_.evaluate_velocities(t, z);
    if (gap >= -10.0 * std::max(way, steepness * (ahead - z).norm())) continue;
    result.outcome = Resolution::Outcome::Undetermined;
    result.detail = "the gap of " + model_.place_of(model_.contact(guard.contact)) + " jumps to " + text(gap) +
                    ", and gaps have to be continuous (a mesh with rims holds from its front alone)";
    return result;
  }
  return result;
}

/// Index set I_s: closed and at rest in the normal direction. The others leave.
std::vector<char> MechanicalPart::find_resting(const std::vector<char>& closed) {
  std::vector<char> resting(closed.size(), 0);
  for (std::size_t i = 0; i < closed.size(); ++i) {
    const Contact& one = model_.contact(i);
    if (one.kind == Contact::Kind::Turning) {
      resting[i] = resting[i - one.behind] && one.num_slip_rows() > 0;
    } else {
      resting[i] = one.kind != Contact::Kind::Unilateral || (closed[i] && model_.u[one.row] <= tolerances_.velocity(i));
    }
    if (!resting[i]) mode_.states()[i].status = ContactStatus::Open;
  }
  return resting;
}

/// Margins of sticking that were used up: the contact slips against the force that it had.
std::vector<char> MechanicalPart::find_slipping(const std::vector<Index>& crossed) {
  using Kind = MechanicalGuard::Kind;
  std::vector<char> slips(mode_.states().size(), 0);
  for (const Index g : crossed) {
    const MechanicalGuard& guard = guards_.all()[static_cast<std::size_t>(g)];
    Eigen::Vector3d& direction = mode_.states()[guard.contact].direction;
    if (guard.kind == Kind::Gap || guard.kind == Kind::Normal || guard.kind == Kind::Speed) continue;
    slips[guard.contact] = 1;
    if (guard.kind == Kind::Margin) {
      direction = {-guard.sign, 0.0, 0.0};
    } else if (guard.kind == Kind::MarginSpace || guard.kind == Kind::MarginJoint) {
      const Contact& one = model_.contact(guard.contact);
      direction.setZero();
      direction.head(one.num_slip_rows()) =
          -mode_.forces().segment(one.first_slip_row(), one.num_slip_rows()).normalized();
    } else {
      direction = {guard.kind == Kind::Lower ? 1.0 : -1.0, 0.0, 0.0};
    }
  }
  return slips;
}

/// Contacts whose normal force came to zero, and the friction that it bounds.
std::vector<char> MechanicalPart::find_unloaded(const std::vector<Index>& crossed) const {
  using Kind = MechanicalGuard::Kind;
  std::vector<char> unloaded(mode_.states().size(), 0);
  const double zero = tolerances_.thresholds.acceleration * mode_.forces().lpNorm<Eigen::Infinity>();
  for (const Index g : crossed) {
    const MechanicalGuard& guard = guards_.all()[static_cast<std::size_t>(g)];
    if (guard.kind != Kind::Normal && guard.kind != Kind::Margin && guard.kind != Kind::MarginSpace) continue;
    const Contact& one = model_.contact(guard.contact);
    unloaded[guard.contact - one.behind] = mode_.forces()[one.normal_row] <= zero;
  }
  return unloaded;
}

Resolution MechanicalPart::resolve(double t, Eigen::VectorXd& z, const std::vector<Index>& crossed,
                                   std::vector<Event>& log) {
  if (empty()) return {};
  mode_.keep_slow_directions(false);
  next_.begin();
  const ContactStates before = mode_.states();
  impacts_.apply_impulses(t, z, log);
  model_.evaluate_velocities(t, z);
  model_.require_finite(t);
  for (Index r = 0; r < model_.num_rows(); ++r) tolerances_.speed_before[r] = model_.velocity_scale(r);
  if (Resolution continuous = require_continuous(t, z, crossed); !continuous) return continuous;
  const std::vector<char> closed = find_closed(crossed);
  if (stabilisation_.move_positions(t, z, closed)) model_.evaluate_velocities(t, z);
  std::vector<char> impacted(closed.size(), 0);
  tolerances_.rounding.setZero();
  if (Resolution impacts = impacts_.solve(t, z, closed, impacted, log); !impacts) return impacts;
  tolerances_.rounding = impacts_.rounding();
  const std::vector<char> resting = find_resting(closed);
  std::vector<char> slips = find_slipping(crossed), holds(slips.size(), 0);
  std::vector<Motion> begin;
  const Happening happening = find_happening(closed, impacted, crossed);
  if (begin_slips(t, z, resting, happening, slips, holds, begin)) return {};
  const std::vector<char> unloaded = find_unloaded(crossed);
  if (Resolution mode = next_.choose(t, z, resting, slips, holds, unloaded, happening.stops, log); !mode) return mode;
  for (ContactState& state : mode_.states()) {
    if (state.status != ContactStatus::Held) state.share = 1.0;
  }
  mode_.activate();
  end_old_slips(t, z, happening.stops);
  begin_motions(t, z, begin);
  guards_.list();
  guards_.start(t, z);
  next_.log_changes(t, before, impacted, beginning_, log);
  next_.tell_others(t, beginning_);
  beginning_ = false;
  return {};
}

}  // namespace nonsmooth::events
