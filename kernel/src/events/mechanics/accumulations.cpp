// SPDX-License-Identifier: Apache-2.0
#include "accumulations.hpp"

#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "events/impact/islands.hpp"
#include "mechanical_impacts.hpp"

namespace nonsmooth::events {
namespace {

/// Heights below some hundred roundings of the gap: a flight that cannot be told from none.
constexpr double kNoFlight = 512.0 * eps;
/// Ratios of intervals are the same where they differ by less than this of their distance from one.
constexpr double kSameRatio = 0.1;
/// Impacts of a contact within kClose |t| of one another, after which it is not left to fly again: contacts of a stack
/// hit one another without a common sequence, and what they fly in between is nothing that t can tell.
constexpr Index kManyClose = 32;
constexpr double kClose = 1e-12;
/// Time steps in the first flight that is left out: peaks to 1/16^2, velocities at impacts to 1/8.
constexpr double kStepsInFlight = 16.0;
/// A sequence that takes more steps to its end falls too slowly to be called one: ratios above 1 - 1e-4.
constexpr double kMostSteps = 131072.0;
/// Of the first velocity, what may be left at the end: time-stepping leaves that of one step, 1/8 e / (1 + e).
constexpr double kLeft = 0.25;

}  // namespace

Accumulations::Accumulations(MechanicalModel& model, const MechanicalTolerances& tolerances, const SmoothMode& mode,
                             ConstraintStabilisation& stabilisation, double impulse_step)
    : model_(model), tolerances_(tolerances), mode_(mode), stabilisation_(stabilisation), impulse_step_(impulse_step) {
  reset();
}

void Accumulations::reset() { sequences_.assign(model_.contacts().size(), {}); }

void Accumulations::remember_impact(std::size_t i, double t) {
  Sequence& sequence = sequences_[i];
  const double interval = t - sequence.last_impact, ratio = interval / sequence.last_interval;
  const bool same = ratio < 1.0 && std::abs(ratio - sequence.last_ratio) <= kSameRatio * (1.0 - ratio);
  sequence.close = interval <= kClose * std::abs(t) ? sequence.close + 1 : 0;
  // Two equal ratios are of three intervals, between four impacts.
  sequence.geometric = !same ? 0 : (sequence.geometric == 0 ? 4 : sequence.geometric + 1);
  sequence.last_ratio = ratio;
  sequence.last_interval = interval;
  sequence.last_impact = t;
}

std::vector<char> Accumulations::find_carried(double t, const Eigen::VectorXd& z, const ImpactProblem& impact,
                                              const std::vector<std::size_t>& taking, std::vector<Event>& log) {
  std::vector<char> stays(model_.contacts().size(), 0);
  std::vector<Index> first;
  for (const ImpactContact& one : impact.contacts) first.push_back(one.first);
  // Sequences of bodies that do not act on one another have ends of their own.
  for (const std::vector<Index>& island : find_islands(impact.W, first)) {
    std::vector<std::size_t> members;
    double approach = 0.0;
    for (const Index k : island) {
      const std::size_t i = taking[static_cast<std::size_t>(k)];
      members.push_back(i);
      if (model_.contact(i).kind != Contact::Kind::Unilateral) continue;
      approach = std::max(approach, -impact.u_minus[first[static_cast<std::size_t>(k)]]);
    }
    find_carried_together(t, z, members, approach, stays, log);
  }
  return stays;
}

void Accumulations::find_carried_together(double t, const Eigen::VectorXd& z, const std::vector<std::size_t>& taking,
                                          double approach, std::vector<char>& stays, std::vector<Event>& log) {
  struct Flight {
    std::size_t contact;
    double departure, height, duration;
    bool recognised;
  };
  // Not only of contacts that were hit: an impact at one corner of a block lifts the other.
  std::vector<Flight> flights;
  double departure = 0.0;
  for (const std::size_t i : taking) {
    const Contact& one = model_.contact(i);
    if (one.kind != Contact::Kind::Unilateral) continue;
    const double u = model_.u[one.row], length = model_.position_scale(one.row);
    if (!(u > tolerances_.velocity(i))) continue;
    double height = rebound_height(i, t, z);
    // Others bring it back: by the forces that there are, not sooner than u / A.
    const double acceleration = model_.acceleration_scale(one.row);
    const bool by_itself = sequences_[i].geometric >= tolerances_.thresholds.accumulation_impacts;
    if (!by_itself && sequences_[i].close >= kManyClose && acceleration > 0.0)
      height = std::min(height, u * u / (2.0 * acceleration));
    const bool none = height <= kNoFlight * length;
    const bool recognised = sequences_[i].geometric >= tolerances_.thresholds.accumulation_impacts;
    if (!none && !(recognised && height <= tolerances_.thresholds.accumulation * length)) continue;
    flights.push_back({i, u, height, 4.0 * height / u, !none});
    departure = std::max(departure, u);
  }
  if (flights.empty()) return;

  // Flights fall with the velocities: their sum is the first one over 1 - ratio.
  const double ratio = approach > 0.0 ? std::min(departure / approach, 1.0 - 1e-9) : 0.0;
  double shortest = std::numeric_limits<double>::infinity(), longest = 0.0;
  std::vector<std::size_t> recognised;
  for (const Flight& flight : flights) {
    if (!flight.recognised) continue;
    recognised.push_back(flight.contact);
    shortest = std::min(shortest, flight.duration);
    longest = std::max(longest, flight.duration);
  }
  Passage passage{true, 0.0};
  if (!recognised.empty()) passage = step_through(t, shortest, t + longest / (1.0 - ratio), z, taking, recognised);
  for (const Flight& flight : flights) {
    if (flight.recognised && !passage.rests) continue;  // followed on, impact by impact
    stays[flight.contact] = 1;
    const double highest = flight.recognised ? std::max(flight.height, passage.highest) : flight.height;
    log.push_back(model_.event_of(EventKind::Accumulation, t, flight.contact, highest));
    log.back().end = t + flight.duration / (1.0 - ratio);
  }
}

/// The impact of a step of length h on contacts that are active, v free and then after it. False: it has none.
bool Accumulations::strike(double h, const std::vector<std::size_t>& active, Eigen::VectorXd& v) const {
  Eigen::MatrixXd X;
  ImpactProblem impact = impact_on(active, model_, tolerances_, impulse_step_, X);
  for (std::size_t k = 0; k < active.size(); ++k) {
    const Contact& one = model_.contact(active[k]);
    ImpactContact& entry = impact.contacts[k];
    entry.at_rest = 0.0;
    auto u_free = impact.u_minus.segment(entry.first, entry.size);
    const double approach = -u_free[0];
    u_free += h * (model_.H.middleRows(one.row, one.size) * model_.a_free + model_.c.segment(one.row, one.size));
    // e u_k with what multiplies the free velocity.
    if (u_free[0] < 0.0) entry.restitution *= std::clamp(approach / -u_free[0], 0.0, 1.0);
  }
  try {
    const ImpactResult result = solve_impact(impact);
    if (result.status != Status::Solved) return false;
    v += X * result.p;
    return true;
  } catch (const InvalidArgument&) {  // laws that cannot act together
    return false;
  }
}

/// Moreau's time-stepping from t to `end`:
///
///     q_m = q_k + h/2 v_k,   v_{k+1} = v_k + h a_free + M^-1 H^T p,   q_{k+1} = q_k + h/2 (v_k + v_{k+1}),
///
/// a_free, H and gaps at q_m; contacts of `taking` whose gap is closed there take part, each with its law, the
/// restitution against u_k. Forces of relays stay as they were.
Accumulations::Passage Accumulations::step_through(double t, double flight, double end, Eigen::VectorXd z,
                                                   const std::vector<std::size_t>& taking,
                                                   const std::vector<std::size_t>& carried) {
  const Eigen::VectorXd start = z;
  const double h = flight / kStepsInFlight, steps = std::ceil((end - t) / h);
  Passage passage{steps <= kMostSteps, 0.0};
  if (!passage.rests) return passage;
  double departure = 0.0;
  const Eigen::VectorXd floor = model_.y;  // where each gap was found closed, to round-off
  for (const std::size_t i : carried) departure = std::max(departure, model_.u[model_.contact(i).row]);
  Eigen::VectorXd middle, v;
  std::vector<std::size_t> active;
  for (double step = 0.0; passage.rests && step < steps; ++step) {
    const double at = t + (step + 0.5) * h;
    model_.gather(z);
    v = model_.v;
    middle = z;
    model_.move_positions(0.5 * h * v, middle);
    model_.evaluate_dynamics(at, middle);
    model_.evaluate_velocities(at, middle);
    model_.evaluate_curvatures(at, middle);
    active.clear();
    for (std::size_t i = 0; i < model_.contacts().size(); ++i) {
      const Contact& one = model_.contact(i);
      if (one.kind == Contact::Kind::Relay) model_.push(one.row, mode_.forces()[one.row]);
    }
    for (const std::size_t i : taking) {
      const Contact& one = model_.contact(i);
      const double round_off = 64.0 * eps * model_.position_scale(one.row);
      if (one.kind != Contact::Kind::Unilateral || model_.y[one.row] <= round_off) active.push_back(i);
    }
    v += h * model_.a_free;
    if (!active.empty()) passage.rests = strike(h, active, v);
    model_.move_positions(0.5 * h * (model_.v + v), z);
    model_.v = v;
    model_.scatter_velocities(z);
    model_.evaluate_gaps(t + (step + 1.0) * h, z);
    for (const std::size_t i : carried) {
      const Index row = model_.contact(i).row;
      passage.highest = std::max(passage.highest, model_.y[row] - floor[row]);
    }
  }
  model_.evaluate_velocities(t + steps * h, z);
  for (const std::size_t i : carried)
    passage.rests = passage.rests && std::abs(model_.u[model_.contact(i).row]) <= kLeft * departure;
  model_.evaluate_dynamics(t, start);
  model_.evaluate_velocities(t, start);
  return passage;
}

/// Normal rows of closed contacts at rest, their tangential ones where they stick, and all bilateral ones.
std::vector<Index> Accumulations::rows_at_rest() const {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < model_.contacts().size(); ++i) {
    const Contact& one = model_.contact(i);
    if (one.kind == Contact::Kind::Relay) continue;
    Index count = one.size;
    if (one.kind == Contact::Kind::Unilateral) {
      const double tolerance = tolerances_.velocity(i);
      if (model_.y[one.row] > tolerances_.position(i) || std::abs(model_.u[one.row]) > tolerance) continue;
      if (!one.frictional() || model_.u.segment(one.row + 1, one.size - 1).norm() > tolerance) count = 1;
    }
    for (Index r = one.row; r < one.row + count; ++r) rows.push_back(r);
  }
  return rows;
}

void Accumulations::hold_carried(double t, Eigen::VectorXd& z, const std::vector<char>& stays) {
  std::vector<Index> rows = rows_at_rest();
  const std::size_t rest = rows.size();
  for (std::size_t i = 0; i < model_.contacts().size(); ++i) {
    const Index row = model_.contact(i).row;
    if (stays[i] && std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  }
  if (rows.size() == rest) return;
  const auto leaving = [&](std::size_t k) { return k < rest ? 0.0 : -model_.u[rows[k]]; };
  stabilisation_.move_velocities(stabilisation_.correction(rows, leaving), z);
  model_.evaluate_velocities(t, z);
}

/// u+^2 / (2 |w|) of a contact that leaves with u+ against an acceleration w < 0, rows at rest held; infinity where
/// nothing brings it back.
double Accumulations::rebound_height(std::size_t i, double t, const Eigen::VectorXd& z) {
  const Contact& one = model_.contact(i);
  model_.evaluate_dynamics(t, z);
  model_.evaluate_curvatures(t, z);
  const auto rate = [&](Index row) { return model_.H.row(row).dot(model_.a_free) + model_.c[row]; };
  const std::vector<Index> rows = rows_at_rest();
  const Eigen::VectorXd& held = stabilisation_.correction(rows, [&](std::size_t k) { return -rate(rows[k]); });
  const double w = model_.H.row(one.row).dot(model_.a_free + held) + model_.c[one.row], u = model_.u[one.row];
  return w < 0.0 ? u * u / (-2.0 * w) : std::numeric_limits<double>::infinity();
}

}  // namespace nonsmooth::events
