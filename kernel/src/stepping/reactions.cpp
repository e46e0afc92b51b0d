// SPDX-License-Identifier: Apache-2.0
// What interactions did to their systems in the last step, by the H that it used.
#include <algorithm>
#include <utility>

#include <nonsmooth/kernel/reaction_wrench.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/bodies/wrench.hpp"
#include "workspace_implementation.hpp"

namespace nonsmooth {
namespace {

const NonSmoothDynamicalSystem::System& reacting_body(const TimeStepping& simulation, SystemHandle body) {
  const NonSmoothDynamicalSystem& model = simulation.model();
  return model.systems()[model.layout()->at(body).slot];
}

/// H^T p with the impulses of the whole step, which are the sums over the parts of a subdivided one.
Eigen::VectorXd impulse_of_step(const ContactStepReaction& contact, const State& state) {
  for (const ContactMemory& memory : state.contacts) {
    if (memory.source != contact.source || memory.feature != contact.feature) continue;
    return contact.H.transpose() * Eigen::Map<const Eigen::VectorXd>(memory.impulse.data(), contact.H.rows());
  }
  return contact.impulse;
}

}  // namespace

/// The present state is the end of a step that was taken.
bool TimeStepping::has_reactions() const {
  const bool written = handed_out_ && (!state_.layout() || state_.layout()->revision != model_.layout()->revision ||
                                       state_.positions != known_positions_ || state_.unknowns != known_unknowns_);
  return WorkspaceAccess::caches(workspace_).has_reactions && !written;
}

void TimeStepping::require_reactions(const char* function) const {
  if (has_reactions()) return;
  throw InvalidArgument(function, "no step that was taken to the present state",
                        "one after the last edit, set_state(), written coordinates and failed step");
}

StepReaction TimeStepping::reaction(InteractionHandle interaction, SystemHandle system) const {
  require_reactions("TimeStepping::reaction");
  const Workspace::Implementation& caches = WorkspaceAccess::caches(workspace_);
  const Layout& layout = *model_.layout();
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
  if (stages::is_half_explicit(caches.discretisation)) {
    const HalfExplicit& own = caches.half_explicit;
    const auto block = static_cast<std::size_t>(plan.first_jacobian + (acted_on - blocks.begin()));
    const Eigen::Map<const Eigen::VectorXd> sum(own.reactions.data() + own.reaction_begin[block], acted_on->n);
    return {sum, q.segment(acted_on->q, acted_on->nq)};
  }
  Eigen::VectorXd p = state_.multipliers.segment(plan.row, plan.rows);
  const JointForces& joints = caches.joint_forces;
  if (!std::binary_search(joints.interactions.begin(), joints.interactions.end(), number))
    return {H.transpose() * p, q.segment(acted_on->q, acted_on->nq)};
  // Half of the step's impulse is that of lambda_k, along H_k.
  const double half = 0.5 * caches.discretisation.h;
  const auto block = static_cast<std::size_t>(plan.first_jacobian + (acted_on - blocks.begin()));
  const Eigen::Map<const Eigen::VectorXd> at_start(joints.reactions.data() + joints.reaction_begin[block], acted_on->n);
  p -= half * joints.at_start.segment(plan.row, plan.rows);
  return {H.transpose() * p + half * at_start, q.segment(acted_on->q, acted_on->nq)};
}

std::vector<ContactStepReaction> TimeStepping::contact_reactions(SystemHandle system) const {
  require_reactions("TimeStepping::contact_reactions");
  const Workspace::Implementation& caches = WorkspaceAccess::caches(workspace_);
  const Layout& layout = *model_.layout();
  const Index number = layout.index(system);
  const Layout::System& place = layout.at(system);
  const auto handle_of = [&layout](Index other) -> SystemHandle {
    if (other < 0) return {};
    const std::uint32_t slot = layout.systems[static_cast<std::size_t>(other)].slot;
    return {layout.model, slot, layout.system_generation[slot]};
  };
  std::vector<ContactStepReaction> result;
  for (const ActiveBlock& block : caches.active.blocks) {
    if (!block.contact) continue;
    for (const ActiveJacobian& jacobian : caches.acting.jacobians(block)) {
      if (jacobian.system != number) continue;
      ContactStepReaction one;
      one.source = block.source;
      one.feature = block.contact->feature;
      one.other = handle_of(block.contact->first == number ? block.contact->second : block.contact->first);
      one.H.resize(block.size, jacobian.n);
      for (Index r = 0; r < block.size; ++r) {
        for (Index k = 0; k < jacobian.n; ++k)
          one.H(r, k) = jacobian.hu[r * jacobian.row_stride + k * jacobian.column_stride];
      }
      const Eigen::Map<const Eigen::VectorXd> p(caches.one_step.problem.result.r.data() + block.row, block.size);
      one.impulse = one.H.transpose() * p;
      one.positions = caches.contacts.positions.segment(place.q, place.nq);
      result.push_back(std::move(one));
    }
  }
  return result;
}

Wrench reaction_impulse(const TimeStepping& simulation, InteractionHandle interaction, SystemHandle body,
                        const Eigen::Vector3d& point) {
  const StepReaction found = simulation.reaction(interaction, body);
  return wrench_at(found.impulse, found.positions, reacting_body(simulation, body), point);
}

Wrench reaction_wrench(const TimeStepping& simulation, InteractionHandle interaction, SystemHandle body,
                       const Eigen::Vector3d& point) {
  Wrench result = reaction_impulse(simulation, interaction, body, point);
  result.force /= simulation.state().last_step;
  result.moment /= simulation.state().last_step;
  return result;
}

std::vector<ContactReaction> contact_reactions(const TimeStepping& simulation, SystemHandle body) {
  std::vector<ContactReaction> result;
  for (const ContactStepReaction& found : simulation.contact_reactions(body)) {
    ContactReaction one{found.source, found.feature, found.other};
    const auto& acted = reacting_body(simulation, body);
    one.point = contact_point(found.H, found.positions, acted);
    one.impulse = wrench_at(impulse_of_step(found, simulation.state()), found.positions, acted, one.point);
    result.push_back(one);
  }
  return result;
}

}  // namespace nonsmooth
