// SPDX-License-Identifier: Apache-2.0
#include "decision_by_flow.hpp"

#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>

#include "impact/islands.hpp"
#include "mechanisms.hpp"

namespace nonsmooth::events {
namespace {

constexpr std::size_t kMostUndecided = 10;  ///< contacts whose ways to go on are tried in all combinations
/// Flows along which derivatives are compared, of the time in which the motion changes.
constexpr double kShortestFlow = 1e-12, kLongestFlow = 1e-3, kLonger = 8.0;
constexpr double kRatioChanges = 1e-9;  ///< parts of bounds are known to 1e-10

/// z after a step of the classical Runge-Kutta method in the present mode.
void flow(SmoothMode& mode, const MechanicalModel& model, double t, double step, const Eigen::VectorXd& z,
          Eigen::VectorXd& end) {
  const auto rates = [&](double at, const Eigen::VectorXd& point, Eigen::VectorXd& zdot) {
    mode.solve_of_motion(at, point);
    model.scatter_rates(mode.accelerations(), zdot);
  };
  Eigen::VectorXd k1 = Eigen::VectorXd::Zero(z.size()), k2 = k1, k3 = k1, k4 = k1;
  rates(t, z, k1);
  rates(t + 0.5 * step, z + 0.5 * step * k1, k2);
  rates(t + 0.5 * step, z + 0.5 * step * k2, k3);
  rates(t + step, z + step * k3, k4);
  end = z + (step / 6.0) * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
}

}  // namespace

bool DecisionByFlow::depends_on_active(std::size_t i) {
  // The row of i minus its projection on the active rows, in the metric of M^-1.
  if (mode_.active_rows().empty()) return false;
  Eigen::VectorXd own = model_.H.row(model_.contact(i).row).transpose(), image = own;
  model_.solve_mass(image);
  const double before = own.dot(image);
  const Eigen::VectorXd& projected = stabilisation_.correction(
      mode_.active_rows(), [&](std::size_t k) { return model_.H.row(mode_.active_rows()[k]).dot(image); });
  return own.dot(image - projected) <= tolerances_.thresholds.acceleration * before;
}

Resolution DecisionByFlow::decide(double t, const Eigen::VectorXd& z, const std::vector<std::size_t>& undecided) {
  mode_.activate();
  std::vector<std::size_t> items;
  for (const std::size_t i : undecided) {
    const bool idle = model_.contact(i).kind == Contact::Kind::Unilateral &&
                      mode_.states()[i].status == ContactStatus::Open && depends_on_active(i);
    if (idle) {
      mode_.states()[i].status = ContactStatus::Idle;
    } else {
      items.push_back(i);
    }
  }
  // Those that do not act on one another are decided one after the other.
  for (const std::vector<std::size_t>& together : coupled(items)) {
    Resolution decided = decide_together(t, z, together);
    mode_.keep_slow_directions(false);
    if (!decided) return decided;
  }
  return {};
}

std::vector<std::vector<std::size_t>> DecisionByFlow::coupled(const std::vector<std::size_t>& items) const {
  std::vector<Index> rows, first;
  for (const std::size_t i : items) {
    first.push_back(std::ssize(rows));
    for (Index r = 0; r < model_.contact(i).size; ++r) rows.push_back(model_.contact(i).row + r);
  }
  for (const Index row : mode_.active_rows()) {
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
  for (const std::vector<Index>& island : impacts::find_islands(W, first)) {
    std::vector<std::size_t> group;
    for (const Index k : island) {
      if (k < std::ssize(items)) group.push_back(items[static_cast<std::size_t>(k)]);
    }
    if (!group.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

/// What leaves round-off first is the leading derivative. Lengths and velocities near the origin tell no time; then t
/// does, or nothing but the range that is searched.
DecisionByFlow::Lengths DecisionByFlow::lengths_of_flows(double t, const std::vector<std::size_t>& items) const {
  double time = std::abs(t);
  for (const std::size_t i : items) {
    const Contact& one = model_.contact(i);
    double length = 0.0, speed = 0.0, rate = 0.0;  // largest of its rows: that of one may be round-off
    for (Index r = one.row; r < one.row + one.size; ++r) {
      length = std::max(length, model_.position_scale(r));
      speed = std::max(speed, model_.velocity_scale(r));
      rate = std::max(rate, model_.acceleration_scale(r));
    }
    if (rate > 0.0) {
      time = std::max({time, speed / rate, std::sqrt(length / rate)});
    } else if (speed > 0.0) {
      time = std::max(time, length / speed);
    }
  }
  if (!(time > 0.0) || !std::isfinite(time)) time = 1.0;
  double longest = kLongestFlow * time;
  if (std::isfinite(model_.window().last)) longest = std::min(longest, 0.5 * (model_.window().last - t));
  return {std::min(kShortestFlow * time, longest), longest};
}

int DecisionByFlow::trend(double t, const Eigen::VectorXd& z, const std::vector<std::size_t>& contacts, double ratio) {
  const Lengths lengths = lengths_of_flows(t, contacts);
  Eigen::VectorXd end;
  double change = 0.0;
  for (double step = lengths.shortest; std::abs(change) <= kRatioChanges;
       step = std::min(kLonger * step, lengths.longest)) {
    flow(mode_, model_, t, step, z, end);
    mode_.solve_of_motion(t + step, end);
    change = mode_.even_out(contacts).ratio - ratio;
    if (step >= lengths.longest) break;
  }
  mode_.solve_of_motion(t, z);
  return change > kRatioChanges ? 1 : change < -kRatioChanges ? -1 : 0;
}

/// The ways to go on of contacts that act on one another: each leaves or stays, and bit k of a way is set where
/// items[k] stays. A way is followed along its own flow.
class DecisionByFlow::WaysToGoOn {
 public:
  WaysToGoOn(DecisionByFlow& owner, double t, const Eigen::VectorXd& z, const std::vector<std::size_t>& items)
      : model_(owner.model_),
        tolerances_(owner.tolerances_),
        mode_(owner.mode_),
        guards_(owner.guards_),
        t_(t),
        z_(z),
        items_(items),
        base_(owner.mode_.states()),
        lengths_(owner.lengths_of_flows(t, items)) {
    measure_scales();
  }

  [[nodiscard]] std::size_t count() const { return std::size_t{1} << items_.size(); }

  /// Sets the statuses of the contacts, those of all others as they were.
  void take(std::size_t way) {
    mode_.states() = base_;
    for (std::size_t k = 0; k < items_.size(); ++k) {
      const std::size_t i = items_[k];
      const bool leaves = ((way >> k) & 1u) == 0;
      const bool normal = model_.contact(i).kind == Contact::Kind::Unilateral && base_[i].status == ContactStatus::Open;
      mode_.states()[i].status = leaves ? (normal ? ContactStatus::Open : ContactStatus::Slide) : ContactStatus::Held;
      if (normal && !leaves) take_turning(i);
    }
  }
  void take_none() { mode_.states() = base_; }

  /// True where no guard of the contacts falls below zero at once. Takes the way.
  [[nodiscard]] bool lasts(std::size_t way) {
    take(way);
    mode_.activate();
    guards_.list();
    model_.evaluate_velocities(t_, z_, mode_.closed());
    mode_.keep_slow_directions(true);
    guards_.evaluate(t_, z_);
    return starts_above_zero() && no_guard_falls();
  }

  /// The way taken last, where it lasted, with the contacts that leave by a slip which was not seen to begin.
  [[nodiscard]] std::size_t without_hidden_slips(std::size_t way) const {
    const std::vector<MechanicalGuard>& guards = guards_.all();
    for (std::size_t g = 0; g < guards.size(); ++g) {
      if (seen_[g] || guards[g].kind != MechanicalGuard::Kind::Speed) continue;
      const auto item = std::find(items_.begin(), items_.end(), guards[g].contact);
      if (item != items_.end()) way |= std::size_t{1} << (item - items_.begin());
    }
    return way;
  }

 private:
  /// Friction against turning of a contact that stays.
  void take_turning(std::size_t i) {
    for (std::size_t j = i + 1; j <= i + model_.contact(i).num_turning; ++j) {
      const Contact& one = model_.contact(j);
      ContactState& memory = mode_.states()[j];
      if (one.num_slip_rows() == 0) continue;
      const auto turns = model_.u.segment(one.row, one.size);
      memory.status = turns.norm() > tolerances_.slip(j) ? ContactStatus::Slide : ContactStatus::Held;
      if (memory.status == ContactStatus::Held) continue;
      memory.direction.setZero();
      memory.direction.head(one.size) = turns.normalized();
    }
  }

  void measure_scales() {
    std::vector<char> closed(base_.size(), 0);
    for (std::size_t i = 0; i < base_.size(); ++i) closed[i] = base_[i].closed();
    for (const std::size_t i : items_) closed[i] = 1;
    const std::vector<Index> mechanism = mechanisms(model_, closed);
    for (std::size_t i = 0; i < base_.size(); ++i) {
      if (mechanism[i] != mechanism[items_.front()]) continue;
      for (Index r = 0; r < model_.contact(i).size; ++r) rows_.push_back(model_.contact(i).row + r);
    }
    for (const std::size_t i : items_) {
      const Contact& one = model_.contact(i);
      Eigen::VectorXd image = model_.H.row(one.row).transpose();
      model_.solve_mass(image);
      const double mobility = model_.H.row(one.row).dot(image);
      if (mobility > 0.0) largest_force_ = std::max(largest_force_, model_.acceleration_scale(one.row) / mobility);
    }
  }

  [[nodiscard]] double largest_force() const {
    double largest = largest_force_;
    for (const Index row : rows_) largest = std::max(largest, std::abs(mode_.forces()[row]));
    return largest;
  }

  /// What is zero of a guard at the start.
  [[nodiscard]] double zero_of(const MechanicalGuard& guard) const {
    const auto i = guard.contact;
    if (guard.kind == MechanicalGuard::Kind::Gap) return tolerances_.position(i);
    if (guard.kind == MechanicalGuard::Kind::Speed) return tolerances_.slip(i);
    return tolerances_.thresholds.acceleration * largest_force();
  }

  /// What is zero of a guard that started there, after a flow of so long.
  [[nodiscard]] double noise_of(const MechanicalGuard& guard, double passed) const {
    const auto i = guard.contact;
    const Contact& one = model_.contact(i);
    const double speed = tolerances_.speed(i);
    double rate = 0.0;
    for (Index r = one.row; r < one.row + one.size; ++r) rate = std::max(rate, model_.acceleration_scale(r));
    const double gained = 1e-3 * tolerances_.thresholds.acceleration * rate * passed;
    if (guard.kind == MechanicalGuard::Kind::Speed) return tolerances_.noise_of_speed(i) + gained;
    if (guard.kind == MechanicalGuard::Kind::Gap)
      return 64.0 * eps * (model_.position_scale(one.row) + speed * passed) + gained * passed;
    return tolerances_.noise_of_force(largest_force());
  }

  /// Notes the guards' values at the start, and which of them are seen to be other than zero.
  [[nodiscard]] bool starts_above_zero() {
    const std::vector<MechanicalGuard>& guards = guards_.all();
    start_.resize(static_cast<Index>(guards.size()));
    seen_.assign(guards.size(), 1);
    bool above = true;
    for (std::size_t g = 0; g < guards.size(); ++g) {
      if (std::find(items_.begin(), items_.end(), guards[g].contact) == items_.end()) continue;
      const double value = guards_.value(guards[g]), zero = zero_of(guards[g]);
      start_[static_cast<Index>(g)] = value;
      seen_[g] = std::abs(value) > zero;
      above = above && value >= -zero;
    }
    return above;
  }

  /// Flows longer and longer, until each of the contacts' guards was seen to leave zero.
  [[nodiscard]] bool no_guard_falls() {
    const std::vector<MechanicalGuard>& guards = guards_.all();
    bool stays = true, hidden = true;
    for (double step = lengths_.shortest; stays && hidden; step = std::min(kLonger * step, lengths_.longest)) {
      flow(mode_, model_, t_, step, z_, end_);
      guards_.evaluate(t_ + step, end_);
      hidden = false;
      for (std::size_t g = 0; g < guards.size(); ++g) {
        if (seen_[g]) continue;
        const double change = guards_.value(guards[g]) - start_[static_cast<Index>(g)];
        seen_[g] = std::abs(change) > noise_of(guards[g], step);
        stays = stays && !(seen_[g] && change < 0.0);
        hidden = hidden || !seen_[g];
      }
      if (step >= lengths_.longest) break;
    }
    return stays;
  }

  MechanicalModel& model_;
  const MechanicalTolerances& tolerances_;
  SmoothMode& mode_;
  MechanicalGuards& guards_;
  const double t_;
  const Eigen::VectorXd& z_;
  const std::vector<std::size_t>& items_;
  const ContactStates base_;     // before
  const Lengths lengths_;        // of flows
  std::vector<Index> rows_;      // of what is closed in their mechanism
  double largest_force_ = 0.0;   // what would balance the largest acceleration met
  Eigen::VectorXd start_, end_;  // guards at the start; z after a flow
  std::vector<char> seen_;       // by guard
};

/// One group of those contacts.
Resolution DecisionByFlow::decide_together(double t, const Eigen::VectorXd& z, const std::vector<std::size_t>& items) {
  const auto undetermined = [&](const std::string& why) {
    Resolution result;
    result.outcome = Resolution::Outcome::Undetermined;
    result.detail = why;
    for (const std::size_t i : items)
      result.detail += (i == items.front() ? " " : ", ") + model_.place_of(model_.contact(i));
    return result;
  };
  if (items.size() > kMostUndecided)
    return undetermined("neither force nor acceleration, at more contacts than are tried:");
  WaysToGoOn ways(*this, t, z, items);
  for (std::size_t way = 0; way < ways.count(); ++way) {
    if (!ways.lasts(way)) continue;
    // Friction that balances what pulls, to what is known of it, holds: with a slip of no size its end is met again and
    // again. Where that does not last the slip begins.
    const std::size_t held = ways.without_hidden_slips(way);
    ways.take(held != way && ways.lasts(held) ? held : way);
    return {};
  }
  ways.take_none();
  return undetermined("neither force nor acceleration, and no way to go on, at");
}

}  // namespace nonsmooth::events
