// SPDX-License-Identifier: Apache-2.0
#include "accumulations.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <internal/round_off.hpp>
#include <nonsmooth/kernel/interaction.hpp>
#include <nonsmooth/kernel/workspace.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "impact/islands.hpp"
#include "model/prepared_law.hpp"

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

Accumulations::Accumulations(const NonSmoothDynamicalSystem& user, MechanicalModel& model,
                             const MechanicalTolerances& tolerances, ConstraintStabilisation& stabilisation)
    : user_(user), model_(model), tolerances_(tolerances), stabilisation_(stabilisation) {
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

Accumulations::Carried Accumulations::find_carried(double t, const Eigen::VectorXd& z,
                                                   const impacts::ImpactProblem& impact,
                                                   const std::vector<std::size_t>& taking, std::vector<Event>& log) {
  Carried carried;
  carried.stays.assign(model_.contacts().size(), 0);
  carried.rests = carried.stays;
  std::vector<Index> first;
  for (const impacts::ImpactContact& one : impact.contacts) first.push_back(one.first);
  // Sequences of bodies that do not act on one another have ends of their own.
  for (const std::vector<Index>& island : impacts::find_islands(impact.W, first)) {
    std::vector<std::size_t> members;
    double approach = 0.0;
    for (const Index k : island) {
      const std::size_t i = taking[static_cast<std::size_t>(k)];
      members.push_back(i);
      if (model_.contact(i).kind != Contact::Kind::Unilateral) continue;
      const double own = -impact.u_minus[first[static_cast<std::size_t>(k)]];
      approach = std::max(approach, own);
      if (own > tolerances_.velocity(i))
        sequences_[i].restitution = std::clamp(model_.u[model_.contact(i).row] / own, 0.0, 1.0);
    }
    if (!find_carried_together(t, z, members, approach, carried.stays, log)) continue;
    for (const std::size_t i : members) {
      const Contact& one = model_.contact(i);
      if (one.kind == Contact::Kind::Unilateral)
        carried.rests[i] = std::abs(model_.u[one.row]) <= tolerances_.velocity(i);
    }
  }
  return carried;
}

bool Accumulations::find_carried_together(double t, const Eigen::VectorXd& z, const std::vector<std::size_t>& taking,
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
    const bool recognised = sequences_[i].geometric >= tolerances_.thresholds.accumulation_impacts;
    if (!recognised && sequences_[i].close >= kManyClose && acceleration > 0.0)
      height = std::min(height, u * u / (2.0 * acceleration));
    const bool none = height <= kNoFlight * length;
    if (!none && !(recognised && height <= tolerances_.thresholds.accumulation * length)) continue;
    flights.push_back({i, u, height, 4.0 * height / u, !none});
    departure = std::max(departure, u);
  }
  if (flights.empty()) return false;

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
  bool any = false;
  for (const Flight& flight : flights) {
    if (flight.recognised && !passage.rests) continue;  // followed on, impact by impact
    any = true;
    stays[flight.contact] = 1;
    const double highest = flight.recognised ? std::max(flight.height, passage.highest) : flight.height;
    log.push_back(model_.event_of(EventKind::Accumulation, t, flight.contact, highest));
    log.back().end = t + flight.duration / (1.0 - ratio);
  }
  return any;
}

/// By number in the layout, the systems that closed contacts, bilateral rows, relays and forces connect with these
/// contacts'.
std::vector<char> Accumulations::connected_systems(const std::vector<std::size_t>& taking) const {
  const Layout& layout = model_.layout();
  std::vector<char> connected(layout.systems.size(), 0);
  const auto of = [&](std::uint32_t slot) -> char& {
    return connected[static_cast<std::size_t>(layout.system_of_slot[slot])];
  };
  std::vector<Index> systems;
  for (const std::size_t i : taking) model_.append_systems(model_.contact(i), systems);
  for (const Index system : systems) connected[static_cast<std::size_t>(system)] = 1;
  bool grows = true;
  const auto join = [&](const std::vector<std::uint32_t>& slots) {
    const auto reached = std::count_if(slots.begin(), slots.end(), [&](std::uint32_t slot) { return of(slot) != 0; });
    if (reached == 0 || reached == std::ssize(slots)) return;
    for (const std::uint32_t slot : slots) of(slot) = 1;
    grows = true;
  };
  while (grows) {
    grows = false;
    for (std::size_t i = 0; i < model_.contacts().size(); ++i) {
      const Contact& one = model_.contact(i);
      if (one.interaction < 0) continue;
      if (one.kind == Contact::Kind::Unilateral && model_.y[one.row] > tolerances_.position(i)) continue;
      if (one.kind == Contact::Kind::Turning) continue;  // its contact tells
      join(user_.interactions()[model_.handle(one).slot].systems);
    }
    for (const MechanicalModel::Force& force : model_.forces())
      join(user_.interactions()[layout.interactions[static_cast<std::size_t>(force.interaction)].slot].systems);
  }
  return connected;
}

/// The law of the interaction whose first contact is i as time-stepping takes it: Newton's for other laws of impacts,
/// with the restitution that its contacts have shown, the largest of them.
Law Accumulations::stepped_law(std::size_t i) const {
  const Contact& one = model_.contact(i);
  if (one.rule == impacts::ImpactContact::Rule::Newton) return user_.interactions()[model_.handle(one).slot].law->law;
  double shown = -1.0;
  for (std::size_t k = i; k < sequences_.size() && model_.contact(k).interaction == one.interaction; ++k)
    shown = std::max(shown, sequences_[k].restitution);
  const double restitution = shown < 0.0 ? one.restitution : shown;
  if (one.size == 1) return NewtonImpactLaw{.restitution = restitution};
  return NewtonImpactFrictionLaw{.restitution = restitution, .friction = one.kinetic_friction, .dimension = one.size};
}

/// The systems that act on one another through `taking`, and the interactions among them: whether impacts end is asked
/// of these, not how impulses are shared. `carried`: contacts to look at.
Accumulations::Stepped Accumulations::stepped_island(double t, const Eigen::VectorXd& z,
                                                     const std::vector<std::size_t>& taking,
                                                     const std::vector<std::size_t>& carried) const {
  const Layout& from = model_.layout();
  const std::vector<char> island = connected_systems(taking);
  Stepped result;
  std::vector<SystemHandle> systems(island.size());
  for (std::size_t s = 0; s < island.size(); ++s) {
    if (island[s]) systems[s] = result.model.add(user_.systems()[from.systems[s].slot].description);
  }
  const auto link = [&](std::uint32_t slot, const Law& law) -> std::optional<InteractionHandle> {
    const auto& record = user_.interactions()[slot];
    std::vector<SystemHandle> linked;
    for (const std::uint32_t of : record.systems) {
      const auto s = static_cast<std::size_t>(from.system_of_slot[of]);
      if (!island[s]) return {};
      linked.push_back(systems[s]);
    }
    return result.model.link(std::move(linked), record.relation, law, record.name);
  };
  std::vector<std::pair<std::size_t, InteractionHandle>> looked_at;
  std::vector<std::pair<Index, InteractionHandle>> links;  // by their first row
  for (std::size_t i = 0; i < model_.contacts().size(); ++i) {
    const Contact& one = model_.contact(i);
    if (one.interaction < 0 || one.local > 0) continue;
    const auto handle = link(model_.handle(one).slot, stepped_law(i));
    if (!handle) continue;
    links.emplace_back(one.row, *handle);
    for (const std::size_t k : carried) {
      if (model_.contact(k).interaction == one.interaction) looked_at.emplace_back(k, *handle);
    }
  }
  for (const MechanicalModel::Force& force : model_.forces()) {
    const std::uint32_t slot = from.interactions[static_cast<std::size_t>(force.interaction)].slot;
    if (const auto handle = link(slot, user_.interactions()[slot].law->law)) links.emplace_back(force.row, *handle);
  }
  result.state = State(result.model.layout());
  result.state.t = result.state.t_origin = t;
  const Layout& layout = *result.state.layout();
  for (std::size_t s = 0; s < island.size(); ++s) {
    if (!island[s]) continue;
    const Layout::System& was = from.systems[s];
    const Layout::System& place = layout.systems[static_cast<std::size_t>(layout.system_of_slot[systems[s].slot])];
    result.state.positions.segment(place.q, place.nq) = z.segment(was.q, was.nq);
    result.state.unknowns.segment(place.z, place.n) = z.segment(from.num_positions + was.z, was.n);
  }
  for (const auto& [k, handle] : looked_at) {
    const auto place = static_cast<std::size_t>(layout.interaction_of_slot[handle.slot]);
    result.rows.push_back(layout.interactions[place].row + model_.contact(k).local);
  }
  for (const auto& [row, handle] : links) {  // which relations may follow
    const auto& place = layout.at(handle);
    result.state.outputs.segment(place.row, place.rows) = model_.y.segment(row, place.rows);
  }
  update_outputs(result.model, result.state);
  return result;
}

/// Steps from (t, z) to `end`: whether the contacts that are carried come to rest there (not, where a step fails), and
/// their highest gap.
Accumulations::Passage Accumulations::step_through(double t, double flight, double end, const Eigen::VectorXd& z,
                                                   const std::vector<std::size_t>& taking,
                                                   const std::vector<std::size_t>& carried) {
  const double h = flight / kStepsInFlight, steps = std::ceil((end - t) / h);
  if (!(steps <= kMostSteps)) return {};
  Stepped island = stepped_island(t, z, taking, carried);
  State& state = island.state;
  double departure = 0.0;
  for (const Index row : island.rows) departure = std::max(departure, state.velocities[row]);
  const Eigen::VectorXd floor = state.outputs;  // where each gap was found closed, to round-off
  // Steps are so short that one linearisation says what becomes of them.
  const TimeSteppingOptions options{.step = h, .newton = {.max_iterations = 1}};
  Workspace workspace;
  const auto is_taken = [&] {
    try {
      return step(island.model, options, h, state, workspace).taken;
    } catch (const InvalidArgument&) {  // a law that it refuses, functions that cannot be asked there
      return false;
    }
  };
  Passage passage{true, 0.0};
  for (double k = 0.0; k < steps; ++k) {
    if (!is_taken()) return {};
    for (const Index row : island.rows) passage.highest = std::max(passage.highest, state.outputs[row] - floor[row]);
  }
  for (const Index row : island.rows)
    passage.rests = passage.rests && std::abs(state.velocities[row]) <= kLeft * departure;
  return passage;
}

/// Normal rows of closed contacts at rest, their tangential ones where they stick, and all bilateral ones.
std::vector<Index> Accumulations::rows_at_rest() const {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < model_.contacts().size(); ++i) {
    const Contact& one = model_.contact(i);
    if (one.bounds_its_force()) continue;
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
  model_.evaluate_curvatures(t);
  const auto rate = [&](Index row) { return model_.H.row(row).dot(model_.a_free) + model_.c[row]; };
  const std::vector<Index> rows = rows_at_rest();
  const Eigen::VectorXd& held = stabilisation_.correction(rows, [&](std::size_t k) { return -rate(rows[k]); });
  const double w = model_.H.row(one.row).dot(model_.a_free + held) + model_.c[one.row], u = model_.u[one.row];
  return w < 0.0 ? u * u / (-2.0 * w) : std::numeric_limits<double>::infinity();
}

}  // namespace nonsmooth::events
