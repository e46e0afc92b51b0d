// SPDX-License-Identifier: Apache-2.0
// An instant: which contacts are closed, what an impact does, and what is logged of it.
#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "mechanical_part.hpp"
#include "model/guarded.hpp"

namespace nonsmooth::events {
void MechanicalPart::make_consistent(double t, Eigen::VectorXd& z, bool repair, const char* what, bool initial) {
  if (empty()) return;
  const char* const or_repair = initial ? ", or EventDrivenOptions::repair_initial_state" : "";
  std::vector<char> off(memory_.size(), 0);
  // Newton's steps of move_positions converge quadratically near the constraints; far ones take some rounds, and moving
  // one row may violate another, which then joins.
  constexpr int kRounds = 40;
  for (int round = 0;; ++round) {
    model_.evaluate_velocities(t, z, all_flags_);
    bool any = false;
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const Contact& one = contact(i);
      const bool bilateral = one.kind == Contact::Kind::Bilateral;
      if (!bilateral && one.kind != Contact::Kind::Unilateral) continue;
      const double gap = model_.y[one.row], tolerance = position_tolerance(i);
      if (bilateral ? std::abs(gap) <= tolerance : gap >= -tolerance) {
        off[i] = off[i] || bilateral;  // a repair elsewhere must not move it
        continue;
      }
      if (!repair || round == kRounds) {
        throw InvalidArgument(what, "y = " + text(gap) + " of " + model_.name(one) + " at t = " + text(t),
                              std::string(bilateral ? "y = 0" : "y >= 0") +
                                  (repair ? ": the constraints contradict one another, or are too far" : or_repair));
      }
      off[i] = any = true;
    }
    if (!any) break;
    move_positions(t, z, off);
  }
  std::vector<Index> rows;
  bool moving = false;
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const Contact& one = contact(i);
    if (one.kind != Contact::Kind::Bilateral && one.kind != Contact::Kind::Prescribed) continue;
    for (Index r = one.row; r < one.row + one.size; ++r) {
      rows.push_back(r);
      if (std::abs(model_.u[r]) <= velocity_tolerance(i)) continue;
      moving = true;
      if (!repair)
        throw InvalidArgument(what, "u = " + text(model_.u[r]) + " of " + model_.name(one),
                              std::string("u = 0") + or_repair);
    }
  }
  if (!moving) return;
  for (std::size_t k = 0; k < rows.size(); ++k) right_[static_cast<Index>(k)] = -model_.u[rows[k]];
  model_.evaluate_dynamics(t, z);
  solve_rows(rows, correction_);
  model_.v += correction_;
  model_.scatter_velocities(z);
}

std::vector<char> MechanicalPart::find_closed(const std::vector<Index>& crossed) const {
  std::vector<char> closed(memory_.size(), 0);
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const Contact& one = contact(i);
    // Also of contacts that were closed: drift is removed in each step, and an action may have moved them away.
    closed[i] = one.kind != Contact::Kind::Unilateral || model_.y[one.row] <= position_tolerance(i);
  }
  for (const Index g : crossed) {
    const Guard& guard = guards_[static_cast<std::size_t>(g)];
    if (guard.kind == Guard::Kind::Gap) closed[static_cast<std::size_t>(guard.contact)] = 1;
  }
  return closed;
}

Settled MechanicalPart::settle(double t, Eigen::VectorXd& z, const std::vector<Index>& crossed,
                               std::vector<Event>& log) {
  if (empty()) return {};
  others_.clear();
  percussions_.setZero();
  percussion_t_ = t;
  const std::vector<Memory> before = memory_;
  if (num_pending_ > 0) {
    model_.evaluate_dynamics(t, z);
    model_.solve_mass(pending_);
    model_.v += pending_;
    model_.scatter_velocities(z);
    Event event;
    event.kind = EventKind::Impulse;
    event.t = t;
    log.insert(log.end(), static_cast<std::size_t>(num_pending_), event);
    num_pending_ = 0;
  }
  model_.evaluate_velocities(t, z, all_flags_);
  model_.require_finite(t);
  speed_before_.setZero();
  for (Index r = 0; r < model_.num_rows(); ++r) speed_before_[r] = model_.velocity_scale(r);
  std::vector<char> closed = find_closed(crossed), impacted(memory_.size(), 0), slips(memory_.size(), 0);
  if (move_positions(t, z, closed)) model_.evaluate_velocities(t, z, all_flags_);

  if (Settled impacts = solve_impacts(t, z, closed, impacted, log); !impacts) return impacts;

  // I_s: closed and at rest in the normal direction. The others leave.
  std::vector<char> resting(memory_.size(), 0);
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const Contact& one = contact(i);
    resting[i] = one.kind != Contact::Kind::Unilateral || (closed[i] && model_.u[one.row] <= velocity_tolerance(i));
    if (!resting[i]) memory_[i].status = ContactStatus::Open;
  }
  // A margin of sticking that was used up: the contact slips against the force that it had.
  for (const Index g : crossed) {
    const Guard& guard = guards_[static_cast<std::size_t>(g)];
    const auto i = static_cast<std::size_t>(guard.contact);
    const Contact& one = contact(i);
    if (guard.kind == Guard::Kind::Margin) {
      slips[i] = 1;
      memory_[i].direction = {-guard.sign, 0.0};
    } else if (guard.kind == Guard::Kind::MarginSpace) {
      slips[i] = 1;
      memory_[i].direction = -forces_.segment<2>(one.row + 1).normalized();
    } else if (guard.kind == Guard::Kind::Lower || guard.kind == Guard::Kind::Upper) {
      slips[i] = 1;
      memory_[i].direction = {guard.kind == Guard::Kind::Lower ? 1.0 : -1.0, 0.0};
    }
  }
  if (Settled mode = choose_mode(t, z, resting, slips, log); !mode) return mode;
  set_active();
  list_guards();
  start_guards(t, z);
  log_changes(t, before, impacted, log);
  tell_others(t);
  beginning_ = false;
  return {};
}

Event MechanicalPart::event_of(EventKind kind, double t, std::size_t i, double value) const {
  Event event;
  event.kind = kind;
  event.t = t;
  event.interaction = model_.handle(contact(i));
  event.row = contact(i).local;
  event.value = value;
  return event;
}

ImpactProblem MechanicalPart::impact_on(const std::vector<std::size_t>& taking, Eigen::MatrixXd& X) const {
  ImpactProblem problem;
  problem.impulse_step = impulse_step_;
  Index rows = 0;
  for (const std::size_t i : taking) {
    const Contact& one = contact(i);
    ImpactContact entry;
    entry.first = rows;
    entry.size = one.size;
    entry.rule = one.kind == Contact::Kind::Unilateral ? one.rule : ImpactContact::Rule::Bilateral;
    entry.restitution = one.restitution;
    entry.tangential_restitution = one.tangential_restitution;
    entry.friction = one.sliding;
    entry.at_rest = velocity_tolerance(i);
    entry.stiffness = one.impact_stiffness;
    entry.exponent = one.impact_exponent;
    rows += one.size;
    problem.contacts.push_back(entry);
  }
  Eigen::MatrixXd H(rows, model_.num_velocities());
  problem.u_minus.resize(rows);
  for (std::size_t k = 0; k < taking.size(); ++k) {
    const Contact& one = contact(taking[k]);
    H.middleRows(problem.contacts[k].first, one.size) = model_.H.middleRows(one.row, one.size);
    problem.u_minus.segment(problem.contacts[k].first, one.size) = model_.u.segment(one.row, one.size);
  }
  X = H.transpose();
  for (Index k = 0; k < rows; ++k) model_.solve_mass(X.col(k));
  problem.W = H * X;
  return problem;
}

Settled MechanicalPart::solve_impacts(double t, Eigen::VectorXd& z, const std::vector<char>& closed,
                                      std::vector<char>& impacted, std::vector<Event>& log) {
  bool approaches = false;
  std::vector<std::size_t> taking;
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const Contact& one = contact(i);
    if (!closed[i] || one.kind == Contact::Kind::Relay) continue;  // forces with bounds have no impulses
    taking.push_back(i);
    const double tolerance = velocity_tolerance(i);
    if (one.kind == Contact::Kind::Unilateral) {
      approaches = approaches || model_.u[one.row] < -tolerance;
    } else {
      approaches = approaches || model_.u.segment(one.row, one.size).lpNorm<Eigen::Infinity>() > tolerance;
    }
  }
  if (!approaches) return {};

  model_.evaluate_dynamics(t, z);
  Eigen::MatrixXd X;
  ImpactProblem problem = impact_on(taking, X);
  const Eigen::VectorXd v_minus = model_.v;
  std::vector<char> stays(memory_.size(), 0);
  ImpactResult result;
  for (int round = 0;; ++round) {
    try {
      result = solve_impact(problem);
    } catch (const InvalidArgument& refused) {  // laws that cannot act together: known once they do
      result.detail = refused.what();
      result.status = Status::NotRun;
    }
    if (result.status != Status::Solved) {
      Settled failed;
      failed.outcome = Settled::Outcome::Unsolved;
      std::vector<std::string> places;
      for (const std::size_t i : taking) places.push_back(model_.place_of(contact(i)));
      failed.detail = "the impact at " + list_of(places) + ": " + result.detail;
      return failed;
    }
    model_.v = v_minus + X * result.p;
    model_.scatter_velocities(z);
    model_.evaluate_velocities(t, z, all_flags_);
    if (round > 0) break;
    stays = find_carried(t, z, problem, taking, log);
    bool again = false;
    for (std::size_t k = 0; k < taking.size(); ++k) {
      if (!stays[taking[k]] || !(result.p[problem.contacts[k].first] > 0.0)) continue;
      again = again || problem.contacts[k].restitution > 0.0;
      problem.contacts[k].restitution = 0.0;
    }
    if (!again) break;
  }
  hold_carried(t, z, stays);
  const double round_off = 64.0 * eps * result.p.lpNorm<Eigen::Infinity>();
  for (std::size_t k = 0; k < taking.size(); ++k) {
    const std::size_t i = taking[k];
    const Contact& one = contact(i);
    percussions_.segment(one.row, one.size) = result.p.segment(problem.contacts[k].first, one.size);
    const double impulse = percussions_[one.row];
    if (one.kind != Contact::Kind::Unilateral || !(impulse > round_off)) continue;
    impacted[i] = 1;
    remember_impact(i, t);
    log.push_back(event_of(EventKind::Impact, t, i, impulse));
  }
  return {};
}

void MechanicalPart::start_guards(double t, const Eigen::VectorXd& z) {
  solve_mode(t, z);
  model_.evaluate_velocities(t, z, all_flags_);
  model_.evaluate_curvatures(t, z, all_flags_);
  model_.note_scales(z);
  double largest_force = 0.0;
  for (std::size_t k = 0; k < active_rows_.size(); ++k) {
    const Index row = active_rows_[k];
    const double mobility = model_.H.row(row).dot(directions_.col(static_cast<Index>(k)));
    const double balancing = mobility > 0.0 ? model_.acceleration_scale(row) / mobility : 0.0;
    largest_force = std::max({largest_force, std::abs(forces_[row]), balancing});
  }
  // A zero that is left with a slope or a curvature is divided out. One that is left slower than that is not: the guard
  // then starts at zero, and counts only where it falls below its round-off.
  const auto rate = [&](Index row) { return model_.H.row(row).dot(vdot_) + model_.c[row]; };
  const auto rate_tolerance = [&](Index row) {
    return 1e-6 * (model_.H.row(row).cwiseAbs().dot(vdot_.cwiseAbs()) + std::abs(model_.c[row])) + absolute_tolerance_;
  };
  for (Guard& guard : guards_) {
    const auto i = static_cast<std::size_t>(guard.contact);
    const Contact& one = contact(i);
    const double value = guard_value(guard);
    double zero = thresholds_.acceleration * largest_force;
    int order = 0;
    guard.dip = 64.0 * eps * largest_force;
    if (guard.kind == Guard::Kind::Gap) {
      guard.dip = 8.0 * eps * model_.position_scale(one.row) + 1e-3 * absolute_tolerance_;
      zero = position_tolerance(i);
      if (memory_[i].status == ContactStatus::Idle) {
        // It stays at zero, and counts where it is clearly below: that is where the guard passes zero.
        guard.offset = value - zero;
        continue;
      }
      if (model_.u[one.row] > velocity_tolerance(i)) {
        order = 1;
      } else if (rate(one.row) > rate_tolerance(one.row)) {
        order = 2;
      }
    } else if (guard.kind == Guard::Kind::Speed) {
      const Index first = one.row + (one.kind == Contact::Kind::Relay ? 0 : 1);
      guard.dip = 8.0 * eps * speed_before_[first] + 1e-3 * absolute_tolerance_;
      zero = velocity_tolerance(i);
      double along = memory_[i].direction[0] * rate(first);
      if (one.size == 3) along += memory_[i].direction[1] * rate(first + 1);
      if (along > rate_tolerance(first)) order = 1;
    }
    if (std::abs(value) > zero) continue;
    guard.zeros = order;
    // Steps that are right to the tolerance may dip by it where nothing tells how the gap leaves.
    if (guard.kind == Guard::Kind::Gap && order == 0) guard.dip = std::max(guard.dip, absolute_tolerance_);
    guard.offset = value;
  }
}

void MechanicalPart::log_changes(double t, const std::vector<Memory>& before, const std::vector<char>& impacted,
                                 std::vector<Event>& log) const {
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const Contact& one = contact(i);
    const ContactStatus was = before[i].status, is = memory_[i].status;
    const bool was_open = was == ContactStatus::Open, is_open = is == ContactStatus::Open;
    const auto add = [&](EventKind kind) { log.push_back(event_of(kind, t, i)); };
    if (was_open && !is_open && !impacted[i]) add(EventKind::Closing);
    if (!was_open && is_open) add(EventKind::Opening);
    if (is_open || (one.kind == Contact::Kind::Unilateral && !one.frictional())) continue;
    // A relay that moves from the start on does not begin to.
    if (one.kind == Contact::Kind::Relay && beginning_ && std::abs(model_.u[one.row]) > velocity_tolerance(i)) continue;
    const bool turned = was == is && is == ContactStatus::Slide && before[i].direction.dot(memory_[i].direction) < 0.0;
    if (is == ContactStatus::Held && was == ContactStatus::Slide) add(EventKind::Stick);
    if (is == ContactStatus::Slide && (was == ContactStatus::Held || turned)) add(EventKind::Slip);
  }
}

}  // namespace nonsmooth::events
