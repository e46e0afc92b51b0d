// SPDX-License-Identifier: Apache-2.0
// Stage 2: which blocks act in a step.
#include <algorithm>
#include <span>

#include "active_set.hpp"
#include "cohesion.hpp"
#include "dynamics/relations/law_batches.hpp"
#include "dynamics/relations/relation_values.hpp"
#include "impact_rules.hpp"
#include "model/guarded.hpp"
#include "model/impact_matrix.hpp"

namespace nonsmooth::stages {
namespace {

/// Rows of H of the relation at the state's positions into interaction.jacobian.
void evaluate_jacobian(const State& state, const JacobianBlocks& jacobians, InteractionPlan& interaction) {
  gather(state.positions, true, jacobians, interaction);
  interaction.evaluator().H(state.t, interaction.q, interaction.jacobian);
}

/// Entry k of its normal row, of one of its systems.
double normal_entry(const BlockPlan& block, const JacobianBlocks& jacobians, const InteractionPlan& interaction,
                    const JacobianBlock& jacobian, Index k) {
  return interaction.offset ? jacobians.hu[static_cast<std::size_t>(jacobian.hu + k * interaction.rows + block.local)]
                            : interaction.jacobian(block.local, jacobian.column + k);
}

/// H_N A^-1 H_N^T of its normal row, by H as it was evaluated last; A is M where it is not known yet.
double inverse_mass(const BlockPlan& block, const StepView& step, const JacobianBlocks& jacobians,
                    InteractionPlan& interaction, SystemCaches& systems) {
  double sum = 0.0;
  for (const JacobianBlock& jacobian : jacobians.of(interaction)) {
    auto P = interaction.scratch.segment(jacobian.column, jacobian.n);  // H, then A^-1 H^T
    for (Index k = 0; k < jacobian.n; ++k) P[k] = normal_entry(block, jacobians, interaction, jacobian, k);
    if (interaction.constant) {
      const Eigen::Map<const Eigen::VectorXd> known(jacobians.p.data() + jacobian.p + block.local * jacobian.n,
                                                    jacobian.n);
      sum += std::abs(P.dot(known));
      continue;
    }
    const auto& system = systems.at(jacobian.system);
    system.batch->factor_mass(step, system.place);  // M alone says how large A^-1 is
    interaction.z.segment(jacobian.column, jacobian.n) = P;
    apply_inverse(systems, jacobian.system, P);
    sum += std::abs(P.dot(interaction.z.segment(jacobian.column, jacobian.n)));
  }
  return sum;
}

/// Sizes of what its gap and its velocity are sums of, by H as it was evaluated last.
struct RowSizes {
  double gap = 0.0, velocity = 0.0;
};
RowSizes sizes_of_row(const BlockPlan& block, const StepView& step, const JacobianBlocks& jacobians,
                      const InteractionPlan& interaction) {
  RowSizes sizes{.gap = interaction.offset ? std::abs((*interaction.offset)[block.local]) : 0.0};
  for (const JacobianBlock& jacobian : jacobians.of(interaction)) {
    double largest = 0.0;
    for (Index k = 0; k < jacobian.n; ++k) {
      const double H = normal_entry(block, jacobians, interaction, jacobian, k);
      if (jacobian.n == jacobian.nq) sizes.gap += std::abs(H * step.state.positions[jacobian.q + k]);
      largest = std::max(largest, std::abs(H));
      sizes.velocity += std::abs(H * step.state.unknowns[jacobian.z + k]);
    }
    // On a manifold the coordinates of q are not those of H.
    if (jacobian.n != jacobian.nq)
      sizes.gap += largest * step.state.positions.segment(jacobian.q, jacobian.nq).lpNorm<1>();
  }
  return sizes;
}

/// By rounding, and where it pressed by what moves it then.
Lift lift(const BlockPlan& block, const StepView& step, const JacobianBlocks& jacobians, InteractionPlan& interaction,
          SystemCaches& systems) {
  const double impulse = step.state.multipliers[block.row],
               p = was_loaded(block.set, impulse) ? std::abs(impulse) : 0.0;
  if (!interaction.offset) evaluate_jacobian(step.state, jacobians, interaction);
  const RowSizes sizes = sizes_of_row(block, step, jacobians, interaction);
  bool stays = p > 0.0 && !step.discretisation.joins;
  for (const JacobianBlock& jacobian : jacobians.of(interaction))
    stays = stays && step.scheme(jacobian.system).generalised_alpha;
  const double stopped = p > 0.0 ? inverse_mass(block, step, jacobians, interaction, systems) * p : 0.0;
  const double way = lift_by_rounding(sizes.gap) + lift_by_residuals * (step.h() * stopped);
  if (!stays) return {.way = way};
  return {.way = way + lift_by_rounding(interaction.scheme.forecast * step.h() * sizes.velocity),
          .from = std::max(0.0, step.state.outputs[block.row])};
}

/// No rounding can have made the gap, by H as it was evaluated last, at the state or a step before: no row grows
/// a million-fold in a step. False where nothing was evaluated yet, and H is 0.
bool is_far(double gap, const StepView& step, const JacobianBlocks& jacobians, const BlockPlan& block,
            const InteractionPlan& interaction) {
  if (interaction.offset) return false;
  double terms = 0.0;
  for (const JacobianBlock& one : jacobians.of(interaction)) {
    terms += interaction.jacobian.row(block.local).segment(one.column, one.n).lpNorm<Eigen::Infinity>() *
             step.state.positions.segment(one.q, one.nq).lpNorm<1>();
  }
  return terms > 0.0 && gap > 1e6 * lift_by_rounding(terms);
}

/// The gap that is forecast at part of the step is closed, or the law decides.
bool is_closed(const BlockPlan& block, const StepView& step, const std::vector<Activity>& activities,
               const JacobianBlocks& jacobians, InteractionPlan& interaction, SystemCaches& systems) {
  if (block.decides) {
    const Activity activity = activities[static_cast<std::size_t>(interaction.law_place + block.of_law)];
    if (activity != Activity::WhereClosed) return activity == Activity::Acts;
  }
  const double gap = step.state.outputs[block.row];
  const double change = step.h() * step.state.velocities[block.row];
  // A spring that a step went into without feeling it would give back more than that step took.
  if (interaction.law->stiffness > 0.0) return std::min(gap, gap + change) <= 0.0;
  const double forecast = gap + interaction.scheme.forecast * change;
  if (forecast <= 0.0) return true;
  return is_lifted(forecast, block, step, jacobians, interaction, systems);
}

/// F of a block whose law never varies; of others 0, they say what they have themselves.
double cohesion_of(const InteractionPlan& interaction, const BlockPlan& block) {
  if (interaction.law->varies != LawVaries::Never) return 0.0;
  return interaction.law_block(block.of_law).parts[static_cast<std::size_t>(block.part)].set.cohesion;
}

/// Its bond, which has not parted, holds it, whatever its gap is. After set_cohesion().
bool is_held(const State& state, const InteractionPlan& interaction, const BlockPlan& block) {
  if (!block.impacts || interaction.compliant || interaction.scheme.at_positions()) return false;
  const bool bound = cohesion_of(interaction, block) > 0.0 && block.set.cohesion > 0.0;
  return bound && holds(block.rule.restitution, state.multipliers[block.row], state.last_step);
}

/// The cohesion of a block in this step, in impulses; true where it has parted. Laws that vary say theirs themselves.
bool set_cohesion(const StepView& step, const JacobianBlocks& jacobians, SystemCaches& systems,
                  InteractionPlan& interaction, BlockPlan& block) {
  const double force = cohesion_of(interaction, block);
  if (force == 0.0) return false;
  const State& state = step.state;
  double speed = 0.0;
  for (const JacobianBlock& one : jacobians.of(interaction))
    speed = std::max(speed, state.unknowns.segment(one.z, one.n).lpNorm<Eigen::Infinity>());
  const auto left = [&](double full) {
    if (!interaction.offset) evaluate_jacobian(state, jacobians, interaction);
    return left_of_pull(full * inverse_mass(block, step, jacobians, interaction, systems), state.last_step,
                        lift_by_rounding(sizes_of_row(block, step, jacobians, interaction).gap));
  };
  const bool parted = has_parted({.velocity = state.velocities[block.row],
                                  .speed = speed,
                                  .gap = state.outputs[block.row],
                                  .impulse = state.multipliers[block.row]},
                                 force, state.last_step, left);
  block.set.cohesion = parted ? 0.0 : step.h() * force;
  return parted;
}

/// The blocks of the model that act; none between systems that sleep.
void add_interactions(const StepView& step, const std::vector<char>& asleep, const Joining& joining,
                      SystemCaches& systems, RelationCaches& relations, ActiveSet& active) {
  if (relations.laws_decide) evaluate_law_activities(step, relations);
  std::fill(relations.law_acts.begin(), relations.law_acts.end(), char{0});
  for (std::size_t b = 0; b < relations.blocks.size(); ++b) {
    BlockPlan& block = relations.blocks[b];
    InteractionPlan& interaction = relations.interactions[static_cast<std::size_t>(block.interaction)];
    const bool joined = b < joining.blocks.size() && joining.blocks[b];
    if (!joined && all_sleep(relations.jacobians.of(interaction), asleep)) continue;
    bool parted = false;
    if (block.unilateral) {
      active.stands = false;
      parted = set_cohesion(step, relations.jacobians, systems, interaction, block);
      if (!joined && !is_held(step.state, interaction, block) &&
          !is_closed(block, step, relations.law_activities, relations.jacobians, interaction, systems))
        continue;
    }
    ActiveBlock& acts = append_block(step, relations, b, active);
    if (block.shifts) {
      acts.shift = relations.law_shifts.data() + block.row;
      relations.law_acts[relations.law_place_of(block)] = 1;
    }
    // With another set it is another block: matrices that stand do so with their sets.
    active.keys.add({.identity = b, .size = static_cast<std::int32_t>(block.size), .first = parted ? 0 : -1});
  }
}

JacobianSizes sizes_of(const ContactBatch& batch) {
  const bool alike = batch.columns_second == 0 || batch.columns_second == batch.columns_first;
  if (alike && batch.rows == 2 && batch.columns_first == 3) return JacobianSizes::TwoByThree;
  if (alike && batch.rows == 3 && batch.columns_first == 6) return JacobianSizes::ThreeBySix;
  return JacobianSizes::Any;
}

/// Detected contacts, behind what is there.
void add_contacts(const StepView& step, const ContactSearch& search, const ContactSet& contacts, ActiveSet& active) {
  Index row = active.rows();
  std::size_t number = 0;
  contacts.for_each([&](const ContactSet::Place& place, Index i) {
    const ContactBatch& batch = *place.batch;
    const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
    const BlockPlan& law =
        search.sources[static_cast<std::size_t>(place.source)].laws[static_cast<std::size_t>(contact.law)];
    const auto index = static_cast<Index>(active.blocks.size());
    // Written where it stays: a block on the stack would be copied.
    ActiveBlock& block = active.blocks.emplace_back();
    block.size = batch.rows;
    block.row = row;
    block.first_jacobian = static_cast<Index>(active.jacobians.size());
    block.num_jacobians = contact.second >= 0 ? 2 : 1;
    block.law = &law;
    block.set = contacts.sets.empty() ? &law.set : &contacts.sets[number];
    block.u = place.u + i * batch.rows;
    block.w = batch.h_t_of(i);
    block.contact = &contact;
    if (law.shifts || law.set.cohesion > 0.0) block.shift = contacts.shifts.data() + block.u;
    block.source = static_cast<std::uint32_t>(place.source);
    block.sizes = sizes_of(batch);
    ++number;
    const auto add = [&](Index system, Index columns, const double* H, const double* P) {
      ActiveJacobian& jacobian = active.jacobians.emplace_back();
      jacobian.system = system;
      jacobian.n = jacobian.row_stride = columns;
      jacobian.z = step.system(system).z;
      jacobian.block = index;
      jacobian.hu = H;
      jacobian.p = P;
    };
    const double* const P = contacts.P.data() + place.P + i * batch.stride();
    add(contact.first, batch.columns_first, batch.H_first(i), P);
    if (contact.second >= 0)
      add(contact.second, batch.columns_second, batch.H_second(i), P + batch.rows * batch.columns_first);
    active.keys.add({.identity = contact.feature,
                     .source = static_cast<std::int32_t>(place.source),
                     .size = static_cast<std::int32_t>(batch.rows),
                     .first = contact.first,
                     .second = contact.second});
    row += batch.rows;
  });
}

/// What bonds add to u+ of linked blocks that they hold; those of contacts found are in ContactSet::shifts.
void shift_by_bonds(const StepView& step, RelationCaches& relations, ActiveSet& active) {
  for (ActiveBlock& block : active.blocks) {
    if (block.model_block < 0 || !(block.set->cohesion > 0.0)) continue;
    const BlockPlan& law = *block.law;
    const double gap = step.state.outputs[law.row];
    if (law.shifts || !(gap > 0.0) || !is_held(step.state, relations.interaction_of(law), law)) continue;
    double* const shift = relations.law_shifts.data() + law.row;
    std::fill_n(shift, law.size, 0.0);
    *shift = closing_speed(gap, step.h());
    block.shift = shift;
  }
}

/// What matrices of coefficients add to u+ of blocks that act.
void shift_by_matrices(const StepView& step, RelationCaches& relations, ActiveSet& active) {
  relations.active_blocks.assign(relations.blocks.size(), -1);
  for (std::size_t i = 0; i < active.blocks.size(); ++i) {
    const Index block = active.blocks[i].model_block;
    if (block >= 0) relations.active_blocks[static_cast<std::size_t>(block)] = static_cast<Index>(i);
  }
  for (const ImpactMatrixPlan& matrix : relations.impact_matrices) {
    const auto number = [&](Index j) {
      return relations.active_blocks[static_cast<std::size_t>(matrix.blocks[static_cast<std::size_t>(j)])];
    };
    const auto row = [&](Index j) { return relations.block(matrix.blocks[static_cast<std::size_t>(j)]).row; };
    for (Index i = 0; i < matrix.E.rows(); ++i) {
      if (number(i) < 0) continue;
      ActiveBlock& block = active.blocks[static_cast<std::size_t>(number(i))];
      double* shift = relations.matrix_shifts.data() + row(i);
      *shift = (block.shift ? *block.shift : 0.0) +  // what its bond closes
               describe::added_restitution(
                   matrix.E, i, [&](Index j) { return number(j) >= 0; },
                   [&](Index j) { return step.state.velocities[row(j)]; });
      block.shift = shift;
    }
  }
}

}  // namespace

bool is_lifted(double gap, const BlockPlan& block, const StepView& step, const JacobianBlocks& jacobians,
               InteractionPlan& interaction, SystemCaches& systems) {
  if (!block.impacts || interaction.compliant) return false;
  const bool loaded = was_loaded(block.set, step.state.multipliers[block.row]);
  if (!loaded && is_far(gap, step, jacobians, block, interaction)) return false;
  return is_within(lift(block, step, jacobians, interaction, systems), gap);
}

ActiveBlock& append_block(const StepView& step, const RelationCaches& relations, std::size_t b, ActiveSet& active) {
  const BlockPlan& block = relations.blocks[b];
  const InteractionPlan& interaction = relations.interaction_of(block);
  const auto index = static_cast<Index>(active.blocks.size());
  ActiveBlock acts;
  acts.size = block.size;
  acts.row = active.rows();
  acts.first_jacobian = static_cast<Index>(active.jacobians.size());
  acts.num_jacobians = block.has_jacobian ? interaction.num_jacobians : 0;
  acts.law = &block;
  acts.set = &block.set;
  acts.u = block.row;
  acts.w = relations.w.data() + block.row;
  acts.model_block = static_cast<Index>(b);
  for (Index l = interaction.first_jacobian; l < interaction.first_jacobian + acts.num_jacobians; ++l) {
    const JacobianBlock& jacobian = relations.jacobians.list[static_cast<std::size_t>(l)];
    active.jacobians.push_back({jacobian.system, jacobian.n, jacobian.z, index,
                                relations.jacobians.hu.data() + jacobian.hu + block.local, 1, interaction.rows,
                                relations.jacobians.p.data() + jacobian.p + block.local * jacobian.n,
                                step.scheme(jacobian.system).relation_weight});
  }
  return active.blocks.emplace_back(acts);
}

bool all_sleep(std::span<const JacobianBlock> linked, const std::vector<char>& asleep) {
  return !asleep.empty() && std::all_of(linked.begin(), linked.end(), [&asleep](const JacobianBlock& one) {
    return asleep[static_cast<std::size_t>(one.system)] != 0;
  });
}

void index_sets(const StepView& step, const ContactSearch& search, const ContactSet& contacts, const Joining& joining,
                SystemCaches& systems, RelationCaches& relations, ImpactRules& rules, ActiveSet& active) {
  if (!active.stands || !contacts.empty() || !search.asleep.empty()) {
    active.stands = contacts.empty() && search.asleep.empty();
    active.blocks.clear();
    active.jacobians.clear();
    active.keys.begin();
    add_interactions(step, search.asleep, joining, systems, relations, active);
    if (!contacts.empty()) add_contacts(step, search, contacts, active);
    active.keys.end();
  }
  if (relations.laws_shift) evaluate_law_shifts(step, relations);
  shift_by_bonds(step, relations, active);
  if (!relations.impact_matrices.empty()) shift_by_matrices(step, relations, active);
  if (rules.any()) shift_by_rules(step, relations, search, contacts, rules, active);
}

bool needs_newton(const SystemCaches& systems, const RelationCaches& relations, const ActiveSet& active) {
  const auto iterates = [](const SystemBatch* batch) { return batch->iterates(); };
  if (std::any_of(systems.nonlinear.begin(), systems.nonlinear.end(), iterates)) return true;
  if (!relations.any_iterates) return false;
  return std::any_of(active.blocks.begin(), active.blocks.end(), [&relations](const ActiveBlock& block) {
    return block.model_block >= 0 && relations.interaction_of(relations.block(block.model_block)).iterates;
  });
}

}  // namespace nonsmooth::stages
