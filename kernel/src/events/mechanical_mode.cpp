// SPDX-License-Identifier: Apache-2.0
// The mode that follows an instant: the problem of accelerations, and what decides where it does not.
#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>

#include "islands.hpp"
#include "mechanical_part.hpp"

namespace nonsmooth::events {
namespace {

constexpr std::size_t kMostUndecided = 10;  ///< contacts whose ways to go on are tried in all combinations
/// Flows along which derivatives are compared, of the time in which the motion changes.
constexpr double kShortestFlow = 1e-12, kLongestFlow = 1e-3;

/// z after a step of the classical Runge-Kutta method with the part's present mode.
void flow(MechanicalPart& part, double t, double step, const Eigen::VectorXd& z, Eigen::VectorXd& end) {
  Eigen::VectorXd k1 = Eigen::VectorXd::Zero(z.size()), k2 = k1, k3 = k1, k4 = k1;
  part.rates(t, z, k1);
  part.rates(t + 0.5 * step, z + 0.5 * step * k1, k2);
  part.rates(t + 0.5 * step, z + 0.5 * step * k2, k3);
  part.rates(t + step, z + step * k3, k4);
  end = z + (step / 6.0) * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
}

}  // namespace

Settled MechanicalPart::choose_mode(double t, const Eigen::VectorXd& z, const std::vector<char>& resting,
                                    std::vector<char>& slips, std::vector<Event>& log) {
  // Directions of slip that velocities give. A contact that begins to slip may have another coefficient from then on,
  // which changes the forces of all: solved again until no further contact begins to.
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const Contact& one = contact(i);
    if (!resting[i] || slips[i]) continue;
    double slowest = velocity_tolerance(i);
    for (Index r = one.row; r < one.row + one.size; ++r)
      slowest = std::max(slowest, thresholds_.velocity * model_.largest_velocity(r));
    if (one.kind == Contact::Kind::Relay) {
      const double velocity = model_.u[one.row];
      if (std::abs(velocity) <= slowest) continue;
      slips[i] = 1;
      memory_[i].direction = {velocity > 0.0 ? 1.0 : -1.0, 0.0};
    } else if (one.frictional()) {
      const auto slip = model_.u.segment(one.row + 1, one.size - 1);
      const double norm = slip.norm();
      if (norm <= slowest) continue;
      slips[i] = 1;
      memory_[i].direction.setZero();
      memory_[i].direction.head(one.size - 1) = slip / norm;
    }
  }
  std::vector<std::size_t> undecided;
  for (std::size_t round = 0; round <= memory_.size(); ++round) {
    Accelerations answer;
    if (Settled solved = solve_accelerations(t, z, resting, slips, answer, log); !solved) return solved;
    undecided.clear();
    judge(answer, undecided);
    bool more = false;
    for (std::size_t k = 0; k < answer.contact.size(); ++k) {
      const std::size_t i = answer.contact[k];
      const bool began = answer.sticks[k] && memory_[i].status == ContactStatus::Slide;
      if (!began || contact(i).sliding == contact(i).holding) continue;
      slips[i] = 1;
      more = true;
    }
    if (!more) break;
  }
  return undecided.empty() ? Settled{} : decide_by_flow(t, z, undecided);
}

Settled MechanicalPart::solve_accelerations(double t, const Eigen::VectorXd& z, const std::vector<char>& resting,
                                            const std::vector<char>& slips, Accelerations& answer,
                                            std::vector<Event>& log) {
  model_.evaluate_dynamics(t, z);
  model_.evaluate_velocities(t, z, all_flags_);
  model_.evaluate_curvatures(t, z, all_flags_);
  ProductSet sets;
  std::vector<Index> rows;
  Eigen::VectorXd push(model_.num_velocities());
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const Contact& one = contact(i);
    if (!resting[i]) continue;
    BlockSet set;
    bool sticks = false;
    Index size = one.size;
    switch (one.kind) {
      case Contact::Kind::Bilateral:
      case Contact::Kind::Prescribed:
        set.kind = SetKind::Free;
        break;
      case Contact::Kind::Relay:
        if (slips[i]) {
          push = (memory_[i].direction[0] > 0.0 ? one.lower : one.upper) * model_.H.row(one.row).transpose();
          model_.solve_mass(push);
          model_.a_free += push;
          memory_[i].status = ContactStatus::Slide;
          continue;
        }
        set.kind = SetKind::Box;
        set.lower = one.lower;
        set.upper = one.upper;
        break;
      case Contact::Kind::Unilateral:
        sticks = one.frictional() && !slips[i];
        if (sticks) {
          set.kind = one.size == 2 ? SetKind::Coulomb2D : SetKind::Coulomb3D;
          set.mu = one.holding;
        } else {
          size = 1;
        }
        break;
    }
    answer.contact.push_back(i);
    answer.first.push_back(static_cast<Index>(rows.size()));
    answer.sticks.push_back(sticks);
    sets.push_back(set, size);
    for (Index r = 0; r < size; ++r) rows.push_back(one.row + r);
  }
  const auto count = static_cast<Index>(rows.size());
  answer.lambda = answer.w = Eigen::VectorXd::Zero(count);
  model_.note_scales(z);
  if (count == 0) return {};

  Eigen::MatrixXd W(count, count);
  Eigen::VectorXd b(count);
  Index k = 0;
  for (std::size_t block = 0; block < answer.contact.size(); ++block) {
    const std::size_t i = answer.contact[block];
    const Contact& one = contact(i);
    for (Index r = 0; r < sets.size(static_cast<Index>(block)); ++r, ++k) {
      push = model_.H.row(one.row + r).transpose();
      if (r == 0 && one.frictional() && slips[i]) {
        const Eigen::Vector2d direction = slip_direction(i);
        for (Index s = 1; s < one.size; ++s)
          push -= one.sliding * direction[s - 1] * model_.H.row(one.row + s).transpose();
      }
      model_.solve_mass(push);
      for (Index j = 0; j < count; ++j) W(j, k) = model_.H.row(rows[static_cast<std::size_t>(j)]).dot(push);
    }
  }
  // A: what makes an acceleration. Terms of a curvature may cancel: their size is what velocities and lengths tell, but
  // near the origin, where lengths tell nothing, no more than a thousand times the accelerations.
  double largest = 0.0;
  for (Index j = 0; j < count; ++j) {
    const Index row = rows[static_cast<std::size_t>(j)];
    b[j] = model_.H.row(row).dot(model_.a_free) + model_.c[row];
    largest = std::max({largest, model_.acceleration_scale(row), std::abs(model_.c[row])});
  }
  k = 0;
  for (std::size_t block = 0; block < answer.contact.size(); ++block) {
    const std::size_t i = answer.contact[block];
    const bool curved = contact(i).interaction >= 0 && !contact(i).affine;
    for (Index r = 0; r < sets.size(static_cast<Index>(block)); ++r, ++k) {
      const Index row = rows[static_cast<std::size_t>(k)];
      const double speed = model_.velocity_scale(row), length = position_tolerance(i) / thresholds_.position;
      double rate = std::max(model_.acceleration_scale(row), std::abs(model_.c[row]));
      if (curved) rate += std::min(speed * speed / length, 1e3 * largest);
      answer.largest_rate = std::max(answer.largest_rate, rate);
      if (W(k, k) > 0.0) answer.largest_force = std::max(answer.largest_force, rate / W(k, k));
    }
  }
  const ContactAnswer solved = solve_contact_problem(W, b, sets);
  if (solved.status != Status::Solved) {
    Settled failed;
    const bool none = solved.verdict == ContactAnswer::Verdict::None;
    failed.outcome = none ? Settled::Outcome::NoMode : Settled::Outcome::Unsolved;
    failed.detail = none ? "no accelerations satisfy the laws of " : "the problem of accelerations was not solved: ";
    for (std::size_t block = 0; block < answer.contact.size(); ++block)
      failed.detail += (block > 0 ? ", " : "") + model_.place_of(contact(answer.contact[block]));
    failed.detail += none ? " (a Painlevé paradox)" : "; " + solved.detail;
    return failed;
  }
  if (solved.verdict == ContactAnswer::Verdict::Several) {
    Event event;
    event.kind = EventKind::Ambiguity;
    event.t = t;
    event.interaction = model_.handle(contact(answer.contact.front()));
    log.push_back(event);
  }
  answer.lambda = solved.lambda;
  answer.w = solved.w;
  answer.largest_force = std::max(answer.largest_force, answer.lambda.lpNorm<Eigen::Infinity>());
  answer.largest_rate = std::max(answer.largest_rate, (W.cwiseAbs() * answer.lambda.cwiseAbs()).maxCoeff());
  return {};
}

void MechanicalPart::judge(const Accelerations& answer, std::vector<std::size_t>& undecided) {
  const double force = thresholds_.acceleration * answer.largest_force;
  const double rate = thresholds_.acceleration * answer.largest_rate;
  for (std::size_t block = 0; block < answer.contact.size(); ++block) {
    const std::size_t i = answer.contact[block];
    const Contact& one = contact(i);
    const Index k = answer.first[block];
    Memory& memory = memory_[i];
    const double lambda = answer.lambda[k], w = answer.w[k];
    if (one.kind == Contact::Kind::Bilateral || one.kind == Contact::Kind::Prescribed) {
      memory.status = ContactStatus::Held;
      continue;
    }
    if (one.kind == Contact::Kind::Relay) {
      const bool at_lower = lambda <= one.lower + force, at_upper = lambda >= one.upper - force;
      memory.status = ContactStatus::Held;
      if (!at_lower && !at_upper) continue;
      memory.direction = {at_lower ? 1.0 : -1.0, 0.0};
      if (std::abs(w) > rate) {
        memory.status = ContactStatus::Slide;
      } else {
        undecided.push_back(i);
      }
      continue;
    }
    if (lambda <= force) {
      memory.status = ContactStatus::Open;
      if (!(w > rate)) undecided.push_back(i);
      continue;
    }
    if (!one.frictional()) {
      memory.status = ContactStatus::Held;
      continue;
    }
    if (!answer.sticks[block]) {
      memory.status = ContactStatus::Slide;
      continue;
    }
    const auto friction = answer.lambda.segment(k + 1, one.size - 1), slip = answer.w.segment(k + 1, one.size - 1);
    memory.status = ContactStatus::Held;
    if (slip.norm() > rate) {
      memory.status = ContactStatus::Slide;
      memory.direction.setZero();
      memory.direction.head(one.size - 1) = slip.normalized();
    } else if (friction.norm() >= one.holding * lambda - force) {
      memory.direction.setZero();
      memory.direction.head(one.size - 1) = -friction.normalized();
      undecided.push_back(i);
    }
  }
}

bool MechanicalPart::depends_on_active(std::size_t i) {
  // The row of i minus its projection on the active rows, in the metric of M^-1.
  if (active_rows_.empty()) return false;
  Eigen::VectorXd own = model_.H.row(contact(i).row).transpose(), image = own;
  model_.solve_mass(image);
  const double before = own.dot(image);
  for (std::size_t k = 0; k < active_rows_.size(); ++k)
    right_[static_cast<Index>(k)] = model_.H.row(active_rows_[k]).dot(image);
  solve_rows(active_rows_, correction_);
  return own.dot(image - correction_) <= thresholds_.acceleration * before;
}

/// Contacts whose force and acceleration both vanish: of all ways to go on, the first along whose own flow no guard of
/// theirs falls below zero. That is the sign of the first derivative that does not vanish, whichever it is.
Settled MechanicalPart::decide_by_flow(double t, const Eigen::VectorXd& z, const std::vector<std::size_t>& undecided) {
  set_active();
  std::vector<std::size_t> items;
  for (const std::size_t i : undecided) {
    const bool idle = contact(i).kind == Contact::Kind::Unilateral && memory_[i].status == ContactStatus::Open &&
                      depends_on_active(i);
    if (idle) {
      memory_[i].status = ContactStatus::Idle;
    } else {
      items.push_back(i);
    }
  }
  // Those that do not act on one another are decided one after the other.
  for (const std::vector<std::size_t>& together : coupled(items)) {
    if (Settled decided = decide_together(t, z, together); !decided) return decided;
  }
  return {};
}

/// Groups of contacts that act on one another, directly or through closed rows.
std::vector<std::vector<std::size_t>> MechanicalPart::coupled(const std::vector<std::size_t>& items) const {
  std::vector<Index> rows, first;
  for (const std::size_t i : items) {
    first.push_back(std::ssize(rows));
    for (Index r = 0; r < contact(i).size; ++r) rows.push_back(contact(i).row + r);
  }
  for (const Index row : active_rows_) {
    first.push_back(std::ssize(rows));
    rows.push_back(row);
  }
  Eigen::MatrixXd X(model_.num_velocities(), std::ssize(rows));
  for (Index k = 0; k < X.cols(); ++k) {
    X.col(k) = model_.H.row(rows[static_cast<std::size_t>(k)]).transpose();
    model_.solve_mass(X.col(k));
  }
  const Eigen::MatrixXd W = model_.H(rows, Eigen::all) * X;
  std::vector<std::vector<std::size_t>> groups;
  for (const std::vector<Index>& island : find_islands(W, first)) {
    std::vector<std::size_t> group;
    for (const Index k : island) {
      if (k < std::ssize(items)) group.push_back(items[static_cast<std::size_t>(k)]);
    }
    if (!group.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

/// One group of those contacts.
Settled MechanicalPart::decide_together(double t, const Eigen::VectorXd& z, const std::vector<std::size_t>& items) {
  const auto undetermined = [&](const std::string& why) {
    Settled result;
    result.outcome = Settled::Outcome::Undetermined;
    result.detail = why;
    for (const std::size_t i : items) result.detail += (i == items.front() ? " " : ", ") + model_.place_of(contact(i));
    return result;
  };
  if (items.size() > kMostUndecided)
    return undetermined("neither force nor acceleration, at more contacts than are tried:");
  // Flows from far below the time in which the motion changes: what leaves round-off first is the leading derivative.
  // Lengths and velocities near the origin tell no time; then t does, or nothing but the range that is searched.
  double time = std::abs(t), largest_force = 0.0;  // what would balance the largest acceleration met
  for (const std::size_t i : items) {
    for (Index r = contact(i).row; r < contact(i).row + contact(i).size; ++r) {
      const double length = model_.position_scale(r), speed = model_.velocity_scale(r);
      const double rate = model_.acceleration_scale(r);
      if (rate > 0.0) {
        time = std::max({time, speed / rate, std::sqrt(length / rate)});
      } else if (speed > 0.0) {
        time = std::max(time, length / speed);
      }
    }
    const Index row = contact(i).row;
    Eigen::VectorXd image = model_.H.row(row).transpose();
    model_.solve_mass(image);
    const double mobility = model_.H.row(row).dot(image);
    if (mobility > 0.0) largest_force = std::max(largest_force, model_.acceleration_scale(row) / mobility);
  }
  if (!(time > 0.0) || !std::isfinite(time)) time = 1.0;
  double longest = kLongestFlow * time;
  if (std::isfinite(window_.last)) longest = std::min(longest, 0.5 * (window_.last - t));
  const std::vector<Memory> base = memory_;
  const std::size_t count = items.size();
  Eigen::VectorXd end, start;
  std::vector<char> seen;
  // What is zero of a guard at the start, and of one that started there after a flow of so long.
  const auto zero_of = [&](const Guard& guard) {
    const auto i = static_cast<std::size_t>(guard.contact);
    if (guard.kind == Guard::Kind::Gap) return position_tolerance(i);
    if (guard.kind == Guard::Kind::Speed) return velocity_tolerance(i);
    return thresholds_.acceleration * std::max(forces_.lpNorm<Eigen::Infinity>(), largest_force);
  };
  const auto noise_of = [&](const Guard& guard, double passed) {
    const auto i = static_cast<std::size_t>(guard.contact);
    const Contact& one = contact(i);
    double speed = 0.0, rate = 0.0;
    for (Index r = one.row; r < one.row + one.size; ++r) {
      speed = std::max({speed, model_.velocity_scale(r), speed_before_[r]});
      rate = std::max(rate, model_.acceleration_scale(r));
    }
    const double gained = 1e-3 * thresholds_.acceleration * rate * passed;
    if (guard.kind == Guard::Kind::Speed) return 1e-3 * velocity_tolerance(i) + gained;
    if (guard.kind == Guard::Kind::Gap)
      return 64.0 * eps * (model_.position_scale(one.row) + speed * passed) + gained * passed;
    return 1e-12 * std::max(forces_.lpNorm<Eigen::Infinity>(), largest_force);
  };
  std::size_t chosen = std::size_t{1} << count;
  for (std::size_t choice = 0; choice < (std::size_t{1} << count) && chosen > choice; ++choice) {
    memory_ = base;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = items[k];
      const bool leaves = ((choice >> k) & 1u) == 0;
      const bool normal = contact(i).kind == Contact::Kind::Unilateral && base[i].status == ContactStatus::Open;
      memory_[i].status = leaves ? (normal ? ContactStatus::Open : ContactStatus::Slide) : ContactStatus::Held;
    }
    set_active();
    list_guards();
    evaluate_guards(t, z);
    start.resize(static_cast<Index>(guards_.size()));
    seen.assign(guards_.size(), 1);
    bool stays = true, hidden = true;
    for (std::size_t g = 0; g < guards_.size(); ++g) {
      if (std::find(items.begin(), items.end(), static_cast<std::size_t>(guards_[g].contact)) == items.end()) continue;
      const double value = guard_value(guards_[g]), zero = zero_of(guards_[g]);
      start[static_cast<Index>(g)] = value;
      seen[g] = std::abs(value) > zero;
      stays = stays && value >= -zero;
    }
    for (double step = std::min(kShortestFlow * time, longest); stays && hidden; step = std::min(8.0 * step, longest)) {
      flow(*this, t, step, z, end);
      evaluate_guards(t + step, end);
      hidden = false;
      for (std::size_t g = 0; g < guards_.size(); ++g) {
        if (seen[g]) continue;
        const double change = guard_value(guards_[g]) - start[static_cast<Index>(g)];
        seen[g] = std::abs(change) > noise_of(guards_[g], step);
        stays = stays && !(seen[g] && change < 0.0);
        hidden = hidden || !seen[g];
      }
      if (step >= longest) break;
    }
    if (stays) chosen = choice;
  }
  memory_ = base;
  if (chosen == std::size_t{1} << count) return undetermined("neither force nor acceleration, and no way to go on, at");
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = items[k];
    const bool leaves = ((chosen >> k) & 1u) == 0;
    const bool normal = contact(i).kind == Contact::Kind::Unilateral && base[i].status == ContactStatus::Open;
    memory_[i].status = leaves ? (normal ? ContactStatus::Open : ContactStatus::Slide) : ContactStatus::Held;
  }
  return {};
}

}  // namespace nonsmooth::events
