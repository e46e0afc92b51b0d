// SPDX-License-Identifier: Apache-2.0
// Rows, guards, coordinates and events by the names that users gave, for messages.
#include <cmath>

#include "event_loop.hpp"
#include "model/guarded.hpp"

namespace nonsmooth::events {

std::string MechanicalModel::place_of(const Contact& contact) const {
  if (contact.interaction < 0) return name(contact);
  const Link& link = link_of(contact);
  std::vector<std::string> bodies;
  for (const LinkedBody& body : link.bodies)
    bodies.push_back(layout_->systems[static_cast<std::size_t>(body.system)].name);
  return (link.contacts > 1 ? "row " + std::to_string(contact.local) + " of " : std::string()) + name(contact) +
         " on " + list_of(bodies);
}

std::string MechanicalGuards::name(Index guard) const {
  static constexpr const char* kNames[] = {"the gap of ",   "the force of ", "the slip of ", "the stick of ",
                                           "the stick of ", "the force of ", "the force of "};
  const MechanicalGuard& one = guards_[static_cast<std::size_t>(guard)];
  return kNames[static_cast<std::size_t>(one.kind)] + model_.place_of(model_.contact(one.contact));
}

std::string FirstOrderData::place_of(Index row) const {
  const FirstOrderRow& one = rows[static_cast<std::size_t>(row)];
  if (one.interaction < 0) return "constraint " + std::to_string(one.local) + " of " + one.system;
  const Interaction& interaction = interactions[static_cast<std::size_t>(one.interaction)];
  std::vector<std::string> systems;
  for (const LinkedSystem& linked : interaction.systems)
    systems.push_back(layout_->systems[static_cast<std::size_t>(linked.system)].name);
  return place_of_row(interaction.name, one.local, systems);
}

std::string FirstOrderData::all_names() const {
  std::vector<std::string> names;
  for (const Interaction& interaction : interactions) names.push_back(interaction.name);
  return list_of(names);
}

std::string FirstOrderData::not_finite(const Eigen::VectorXd& x, const Eigen::VectorXd& g) const {
  const auto first = [](const auto& values) {
    Index k = 0;
    while (k < values.size() && std::isfinite(values[k])) ++k;
    return k;
  };
  for (const System& system : systems_) {
    if (const Index k = first(x.segment(system.x, system.n)); k < system.n)
      return "x " + std::to_string(k) + " of " + system.name + " is not finite";
    if (const Index k = first(g.segment(system.x, system.n)); k < system.n)
      return "the rate of x " + std::to_string(k) + " of " + system.name + " is not finite";
  }
  for (Index row = 0; row < m; ++row) {
    if (std::isfinite(e[row]) && C.row(row).allFinite() && D.row(row).allFinite() && P.col(row).allFinite()) continue;
    return "C, D, e or B in " + place_of(row) + " is not finite";
  }
  return "a matrix of the first-order systems is not finite";
}

std::string FirstOrderPart::guard_name(Index guard) const {
  const Index row = guards_[static_cast<std::size_t>(guard)].row;
  return row < static_cast<Index>(data_.rows.size()) ? "the branch of " + data_.place_of(row) : "a first-order law";
}

std::string EventLoop::name_of(const Event& event) const {
  if (event.kind == EventKind::User) return name_of_user(static_cast<std::size_t>(event.row));
  static constexpr const char* kNames[] = {"impact", "closing", "opening", "stick",     "slip",         "switch",
                                           "jump",   "impulse", "event",   "ambiguity", "accumulation", "transition"};
  std::string name = kNames[static_cast<std::size_t>(event.kind)];
  const auto& layout = *model_.layout();
  if (event.kind == EventKind::Transition) {
    if (event.system.slot >= model_.systems().size()) return name;
    const auto& record = model_.systems()[event.system.slot];
    const auto* process = dynamic_cast<const AutomatonProcess*>(record.first_order);
    if (!process || record.generation != event.system.generation) return name;  // of a model before it was edited
    return process->fields()->transition_name(event.row) + " of " + record.name;
  }
  if (event.interaction.model != layout.model || event.interaction.slot >= layout.interaction_of_slot.size())
    return name;
  const Layout::Interaction& place = layout.at(event.interaction);
  std::vector<std::string> systems;
  for (const std::uint32_t slot : model_.interactions()[place.slot].systems)
    systems.push_back(layout.systems[static_cast<std::size_t>(layout.system_of_slot[slot])].name);
  const auto* fields = dynamic_cast<const FilippovRelation*>(model_.interactions()[place.slot].first_order);
  if (fields) return name + " on " + fields->fields()->surface_name(event.row) + " of " + list_of(systems);
  if (place.rows > 1) name += " in row " + std::to_string(event.row);
  return name + " of " + place.name + " on " + list_of(systems);
}

std::string EventLoop::name_of_user(std::size_t event) const {
  const std::string& name = options_.events[event].name;
  return name.empty() ? "event " + std::to_string(event) : name;
}

std::string EventLoop::name_of_guard(Index guard) const {
  const Index first = mechanics_.num_guards(), second = first_of_filippov(), third = first_of_automata(),
              fourth = first_of_users();
  if (guard < first) return mechanics_.guard_name(guard);
  if (guard < second) return first_order_.guard_name(guard - first);
  if (guard < third) return filippov_.guard_name(guard - second);
  if (guard < fourth) return automata_.guard_name(guard - third);
  const std::size_t event = user_.event(guard - fourth);
  return "EventDrivenOptions::events[" + std::to_string(event) + "].guard " + options_.events[event].name;
}

std::string EventLoop::name_of_coordinate(Index entry) const {
  const Layout& layout = *model_.layout();
  const Index unknown = entry - layout.num_positions;
  for (const Layout::System& place : layout.systems) {
    if (entry < layout.num_positions && entry >= place.q && entry < place.q + place.nq)
      return "position " + std::to_string(entry - place.q) + " of " + place.name;
    if (unknown >= place.z && unknown < place.z + place.n)
      return (place.first_order ? "x " : "velocity ") + std::to_string(unknown - place.z) + " of " + place.name;
  }
  return "a coordinate";
}

void EventLoop::tell_of_integrator(smooth::Outcome outcome, RunReport& report) const {
  const Index worst = stepper_->worst();
  report.outcome = Outcome::IntegratorFailed;
  if (outcome == smooth::Outcome::NotFinite) {
    report.detail = "values that are not finite" + (worst < 0 ? "" : ": the rate of " + name_of_coordinate(worst));
  } else {
    report.detail = "no step is short enough for the tolerances" +
                    (worst < 0 ? "" : ": the largest error is that of " + name_of_coordinate(worst));
  }
  if (!mechanics_.jammed().empty()) report.detail = mechanics_.jammed();
}

}  // namespace nonsmooth::events
