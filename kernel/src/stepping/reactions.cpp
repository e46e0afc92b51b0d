// SPDX-License-Identifier: Apache-2.0
// What interactions did to their systems in the last step, by the H that it used.
#include <algorithm>

#include <nonsmooth/kernel/reaction_wrench.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/wrench.hpp"
#include "workspace_implementation.hpp"

namespace nonsmooth {

StepReaction TimeStepping::reaction(InteractionHandle interaction, SystemHandle system) const {
  const Workspace::Implementation& caches = WorkspaceAccess::caches(workspace_);
  const Layout& layout = *model_.layout();
  const bool written = handed_out_ && (!state_.layout() || state_.layout()->revision != layout.revision ||
                                       state_.positions != known_positions_ || state_.unknowns != known_unknowns_);
  if (!caches.has_reactions || written) {
    throw InvalidArgument("TimeStepping::reaction", "no step that was taken to the present state",
                          "one after the last edit, set_state(), written coordinates and failed step");
  }
  const Layout::Interaction& place = layout.at(interaction);
  const Index of_system = layout.index(system);
  const Index number = layout.index(interaction);
  const InteractionPlan& plan = caches.relations.interaction(number);
  if (plan.first_order)
    throw InvalidArgument("TimeStepping::reaction", place.name + " of first order", "an interaction of mechanics");
  const auto blocks = caches.relations.jacobians.of(plan);
  const auto acted_on =
      std::find_if(blocks.begin(), blocks.end(), [&](const JacobianBlock& block) { return block.system == of_system; });
  if (acted_on == blocks.end()) {
    throw InvalidArgument("TimeStepping::reaction", place.name + " does not act on " + layout.at(system).name,
                          "one that does");
  }
  const Eigen::Map<const Eigen::MatrixXd> H(caches.relations.jacobians.hu.data() + acted_on->hu, plan.rows,
                                            acted_on->n);
  // Linear systems are not moved to where H is: theirs does not vary.
  const bool moved = !caches.relations.all_constant || !caches.systems.nonlinear.empty();
  const Eigen::VectorXd& q = moved ? caches.iterate.q_middle : state_.positions;
  return {H.transpose() * state_.multipliers.segment(plan.row, plan.rows), q.segment(acted_on->q, acted_on->nq)};
}

Wrench reaction_impulse(const TimeStepping& simulation, InteractionHandle interaction, SystemHandle body,
                        const Eigen::Vector3d& point) {
  const StepReaction found = simulation.reaction(interaction, body);
  return wrench_at(found.impulse, found.positions, simulation.model().layout()->at(body).name, point);
}

Wrench reaction_wrench(const TimeStepping& simulation, InteractionHandle interaction, SystemHandle body,
                       const Eigen::Vector3d& point) {
  Wrench result = reaction_impulse(simulation, interaction, body, point);
  result.force /= simulation.state().last_step;
  result.moment /= simulation.state().last_step;
  return result;
}

}  // namespace nonsmooth
