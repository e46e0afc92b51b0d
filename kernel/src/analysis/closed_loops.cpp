// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <internal/at.hpp>

#include "constraint_graph.hpp"
#include "mechanical_rows.hpp"

namespace nonsmooth::analysis::detail {
namespace {

bool holds_a_row(const NonSmoothDynamicalSystem::InteractionRecord& record) {
  if (record.mechanical->is_compliant()) return false;
  for (Index r = 0; r < record.law->size; ++r)
    if (role_of(*record.law, r) == RowRole::Bilateral) return true;
  return false;
}

}  // namespace

void find_closed_loops(const NonSmoothDynamicalSystem& model, const State& state, const Island& island,
                       MechanicalIsland& result) {
  const Layout& layout = *state.layout();
  std::vector<Index> ties, prescribed;
  std::vector<std::vector<Index>> systems;
  for (const Index i : island.interactions) {
    const auto& record = interaction_at(model, state, i);
    if (!holds_a_row(record)) continue;
    ties.push_back(i);
    systems.emplace_back();
    for (const std::uint32_t slot : record.systems) systems.back().push_back(layout.system_of_slot[slot]);
  }
  for (const Index s : island.systems)
    if (!model.systems()[layout.systems[at(s)].slot].mechanical->prescribed().empty()) prescribed.push_back(s);
  for (const ConstraintGraph::Loop& loop : ConstraintGraph(std::move(systems), std::move(prescribed)).loops()) {
    KinematicLoop named;
    for (const Index tie : loop.ties) named.interactions.push_back(layout.interactions[at(ties[at(tie)])].name);
    for (const Index system : loop.systems)
      named.systems.push_back(system == ConstraintGraph::kGround ? "the ground" : layout.systems[at(system)].name);
    result.loops.push_back(std::move(named));
  }
}

}  // namespace nonsmooth::analysis::detail
