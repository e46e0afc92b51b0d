// SPDX-License-Identifier: Apache-2.0
// What the model's relations and laws are once schemes and a step length are known.
#include <algorithm>

#include <nonsmooth/numerics/error.hpp>

#include "dynamics/mechanics/common_motion.hpp"
#include "law_batches.hpp"
#include "laws/nested_cones.hpp"
#include "model/bodies/body_in_plane.hpp"
#include "model/joints/joint_relation.hpp"
#include "relation_caches.hpp"
#include "relation_values.hpp"

namespace nonsmooth::stages {
namespace {

void add_blocks(double h, const InteractionPlan& interaction, Index index, RelationCaches& relations) {
  const PreparedLaw& law = *interaction.law;
  Index auxiliary = interaction.rows, count = 0;
  for (Index first = 0; first < interaction.rows; first += law.size, ++count) {
    Index local = first, within = 0, number = 0;
    for (const LawBlock::Part& part : law.parts) {
      BlockPlan block;
      block.interaction = index;
      block.has_jacobian = within < law.size;
      Index& at = block.has_jacobian ? local : auxiliary;
      block.local = at;
      at += part.size;
      within += part.size;
      block.row = interaction.row + block.local;
      block.size = part.size;
      block.of_law = count;
      block.part = number++;
      block.set = set_in_impulses(h, block, interaction);
      block.decides = law.decides;
      block.first_held = part.first_held;
      block.shifts = law.shifts;
      block.impacts = law.has_impacts();
      block.rule = law.impact;
      if (interaction.scheme.at_gaps() && is_of_gap(block, interaction)) {
        check_at_gaps(interaction.scheme, law, interaction.name);
        block.gap_rows = rows_of_gap(block, interaction);
        block.recovery = interaction.scheme.recovery;
      }
      block.unilateral = law.unilateral && !interaction.scheme.at_positions() && block.gap_rows == 0;
      if (law.impact.kind == ImpactRule::Kind::Newton) {
        if (law.level == LawLevel::Velocity && !interaction.scheme.at_positions())
          block.restitution = law.impact.restitution;
        block.tangential_restitution = law.impact.tangential_restitution;
      }
      relations.blocks.push_back(block);
    }
  }
}

/// The scheme that the rows of an interaction are written in. @throws InvalidArgument where its systems disagree.
Scheme common_scheme(const Discretisation& discretisation, const JacobianBlocks& jacobians,
                     const InteractionPlan& interaction) {
  const PreparedLaw& law = *interaction.law;
  Scheme first = discretisation.scheme(jacobians.of(interaction).front().system);
  const bool levels = law.level == LawLevel::Position && !interaction.first_order;
  for (const JacobianBlock& jacobian : jacobians.of(interaction)) {
    const Scheme& other = discretisation.scheme(jacobian.system);
    const auto refuse = [&](const std::string& what, const char* expected) {
      throw InvalidArgument("TimeSteppingOptions::integrators",
                            interaction.name + " between systems of different " + what, expected);
    };
    if (other.level != first.level || other.keeps_unknown != first.keeps_unknown)
      refuse("levels (" + first.integrator->name() + ", " + other.integrator->name() + ")",
             "the same scheme on both sides of an interaction");
    if (interaction.first_order &&
        (other.multiplier_weight != first.multiplier_weight || other.relation_weight != first.relation_weight ||
         other.exponential != first.exponential))
      refuse("weights", "the same scheme on both sides of an interaction");
    if (levels && other.position != first.position)
      refuse("weights of the position", "one scheme, and one theta of it, where a law is about positions");
    first.forecast = std::max(first.forecast, other.forecast);
    first.recovery = std::max(first.recovery, other.recovery);
  }
  if (levels && !(first.position > 0.0)) {
    throw InvalidArgument(
        "TimeSteppingOptions::integrator",
        first.integrator->name() + " of position weight 0 with " + interaction.name + ", whose law is about positions",
        "a weight > 0 (MoreauJean::theta > 0), so that the position at the end of a step depends on "
        "its velocity");
  }
  return first;
}

void check_at_positions(const InteractionPlan& interaction, const PreparedLaw& law) {
  const bool plain = law.parts.size() == 1 && !law.in_forces && law.stiffness == 0.0 && law.is_its_block() &&
                     (law.parts[0].set.kind == SetKind::Orthant || law.parts[0].set.kind == SetKind::Free);
  if (!plain || interaction.compliant) {
    throw InvalidArgument(interaction.scheme.integrator->name(), "the law or the compliance of " + interaction.name,
                          "NewtonImpactLaw or EqualityLaw: multipliers of the position level are no forces or "
                          "impulses that friction, springs and relays could be about; take MoreauJean");
  }
}

/// Rows of what is linear in the velocity and the impulse of a step alone.
void check_of_impulses(const Discretisation& discretisation, const JacobianBlocks& jacobians,
                       const InteractionPlan& interaction, const PreparedLaw& law) {
  for (const JacobianBlock& jacobian : jacobians.of(interaction)) {
    const Scheme& scheme = discretisation.scheme(jacobian.system);
    if (!scheme.parts_impulses() ||
        (law.level == LawLevel::Velocity && !interaction.compliant && law.coupling.size() == 0))
      continue;
    throw InvalidArgument(scheme.integrator->name(), "the law or the compliance of " + interaction.name,
                          "a law of velocities and impulses: forces that depend on positions are the system's, or take "
                          "MoreauJean");
  }
}

/// Measures of levels take part with their whole size.
void check_nested(const Discretisation& discretisation, const JacobianBlocks& jacobians,
                  const InteractionPlan& interaction) {
  for (const JacobianBlock& jacobian : jacobians.of(interaction)) {
    const Scheme& scheme = discretisation.scheme(jacobian.system);
    if (scheme.theta == 1.0 && scheme.multiplier_weight == 1.0 && scheme.relation_weight == 1.0 && !scheme.exponential)
      continue;
    throw InvalidArgument("TimeSteppingOptions::integrator",
                          scheme.integrator->name() + " for " + interaction.name + ", which has levels",
                          "HigherOrderMoreau, whose weights the measures of levels need");
  }
}

void set_kind(const NonSmoothDynamicalSystem::InteractionRecord& record, InteractionPlan& interaction,
              RelationCaches& relations) {
  const Index m = interaction.rows;
  if (record.mechanical) {
    interaction.relation = record.mechanical;
    interaction.compliant = interaction.relation->is_compliant();
    if (const auto* affine = interaction.relation->linear()) {
      interaction.offset = &affine->b.value();
      if (interaction.compliant) interaction.D = *affine->compliance.dense();
    } else if (interaction.compliant) {
      interaction.D = Eigen::MatrixXd::Zero(m, m);
    }
    return;
  }
  interaction.linear = record.first_order->linear();
  if (!interaction.linear) {
    interaction.nonlinear = record.first_order;
    interaction.iterates = true;
    interaction.constant = false;
    interaction.D = Eigen::MatrixXd::Zero(m, m);
    interaction.input = Eigen::MatrixXd::Zero(interaction.columns, m);
    interaction.input_dx = Eigen::MatrixXd::Zero(interaction.columns, interaction.columns);
    interaction.g = interaction.g_before = Eigen::VectorXd::Zero(interaction.columns);
    return;
  }
  if (interaction.linear->e.function()) relations.inputs_constant = false;
  if (!interaction.first_order_relation().has_constant_matrices()) {
    interaction.constant = false;
    interaction.input = Eigen::MatrixXd::Zero(interaction.columns, m);
    interaction.g_before = Eigen::VectorXd::Zero(interaction.columns);
  }
  if (const auto* D = interaction.linear->D.dense()) {
    if (!D->isZero(0.0)) interaction.D = *D;
  } else {
    interaction.D = Eigen::MatrixXd::Zero(m, m);
  }
}

/// Systems that are no bodies have the motion in common that moves each of their coordinates alike; bodies, rigid ones,
/// which relations other than joints are not asked for.
RowsMeasure measure_of(const NonSmoothDynamicalSystem& model, const InteractionPlan& interaction,
                       const JacobianBlocks& jacobians, const Layout& layout) {
  if (!interaction.relation) return RowsMeasure::Ground;
  const auto systems = jacobians.of(interaction);
  const auto count = static_cast<Index>(systems.size());
  if (const auto* const joint = dynamic_cast<const joints::RelationOfBodies*>(interaction.relation))
    return joint->measures_ground(count) ? RowsMeasure::Ground : RowsMeasure::Between;
  const Index n = systems.front().n;
  for (const JacobianBlock& one : systems) {
    const auto& record = model.systems()[layout.systems[static_cast<std::size_t>(one.system)].slot];
    if (one.n != n || !record.moves_plainly || dynamic_cast<const BodyInPlane*>(record.mechanical) != nullptr)
      return RowsMeasure::Ground;
  }
  const Eigen::MatrixXd* const H = interaction.relation->constant_jacobian();
  if (H == nullptr) return RowsMeasure::ByJacobian;
  for (Index row = 0; row < interaction.rows; ++row) {
    const auto entry = [&](Index s, Index k) { return (*H)(row, systems[static_cast<std::size_t>(s)].column + k); };
    if (sees_common_motion(count, n, entry)) return RowsMeasure::Ground;
  }
  return RowsMeasure::Between;
}

/// The matrices of the model on its blocks, whose own coefficients they replace.
/// @throws InvalidArgument for a contact under a scheme whose rows are not about velocities alone.
void prepare_impact_matrices(const NonSmoothDynamicalSystem& model, const Layout& layout, RelationCaches& relations) {
  relations.impact_matrices.clear();
  for (const NonSmoothDynamicalSystem::ImpactMatrix& matrix : model.impact_matrices()) {
    ImpactMatrixPlan plan{{}, matrix.restitution};
    for (const std::uint32_t slot : matrix.contacts) {
      const auto block = std::find_if(relations.blocks.begin(), relations.blocks.end(), [&](const BlockPlan& one) {
        return layout.interactions[static_cast<std::size_t>(one.interaction)].slot == slot;
      });
      const InteractionPlan& interaction = relations.interaction_of(*block);
      if (interaction.scheme.at_positions() || interaction.scheme.at_gaps())
        throw InvalidArgument(interaction.scheme.integrator->name(), "GeneralisedNewtonImpact on " + interaction.name,
                              "MoreauJean");
      block->restitution = 0.0;
      plan.blocks.push_back(block - relations.blocks.begin());
    }
    relations.impact_matrices.push_back(std::move(plan));
  }
  if (!relations.impact_matrices.empty())
    relations.matrix_shifts.assign(static_cast<std::size_t>(layout.num_rows), 0.0);
}

/// Its Jacobians with respect to the systems that it links, and room for what is per row and per column.
void link_systems(const std::vector<LinkedSystem>& linked_to, SystemCaches& systems, InteractionPlan& interaction,
                  Index& hu_size, RelationCaches& relations) {
  interaction.first_jacobian = static_cast<Index>(relations.jacobians.list.size());
  for (const LinkedSystem& linked : linked_to) {
    relations.jacobians.list.push_back({linked, hu_size, hu_size});
    hu_size += interaction.rows * linked.n;
    interaction.columns += linked.n;
    interaction.positions += linked.nq;
    const auto& own = systems.at(linked.system);
    if (own.batch->factor_varies(own.place)) interaction.constant = false;
  }
  interaction.num_jacobians = static_cast<Index>(relations.jacobians.list.size()) - interaction.first_jacobian;
  interaction.jacobian = Eigen::MatrixXd::Zero(interaction.rows, interaction.columns);
  interaction.q = Eigen::VectorXd::Zero(interaction.positions);
  interaction.z = interaction.scratch = Eigen::VectorXd::Zero(interaction.columns);
  interaction.values = interaction.lambda = interaction.y_free = Eigen::VectorXd::Zero(interaction.rows);
  interaction.weight = Eigen::VectorXd::Ones(interaction.rows);
}

}  // namespace

void check_at_gaps(const Scheme& scheme, const PreparedLaw& law, const std::string& name) {
  if (!law.unilateral) return;
  const auto refuse = [&](const char* what, const char* why) {
    throw InvalidArgument(scheme.integrator->name(), law.law->name() + " of " + name + ", " + what, why);
  };
  if (is_separate(law.impact.kind)) refuse("an impact that is solved by itself", "NewtonImpactLaw, or take MoreauJean");
  if (law.decides || law.shifts)
    refuse("which decides when it acts, or shifts u+", "a law that acts where the gap closes, or take MoreauJean");
  if (std::any_of(law.parts.begin(), law.parts.end(), [](const auto& part) { return part.set.cohesion > 0.0; }))
    refuse("with cohesion", "none, as contacts within reach would pull across their gaps, or take MoreauJean");
}

void prepare_interactions(const NonSmoothDynamicalSystem& model, const Discretisation& discretisation,
                          SystemCaches& systems, RelationCaches& relations) {
  relations.jacobians.list.clear();
  relations.interactions.clear();
  relations.blocks.clear();
  relations.separate_impacts = relations.measure_varies = false;
  relations.all_constant = relations.inputs_constant = true;
  relations.any_special = relations.any_iterates = relations.any_input_history = false;
  Index hu_size = 0;
  relations.interactions.reserve(discretisation.layout->interactions.size());
  for (const auto& place : discretisation.layout->interactions) {
    const auto& record = model.interactions()[place.slot];
    const PreparedLaw& law = *record.law;
    InteractionPlan interaction;
    interaction.name = record.name;
    interaction.law = record.law;
    interaction.row = place.row;
    interaction.rows = place.rows;
    interaction.extended = place.rows + place.auxiliary;
    interaction.first_order = place.first_order;
    link_systems(linked_systems(*discretisation.layout, record.systems), systems, interaction, hu_size, relations);
    set_kind(record, interaction, relations);
    interaction.measure = measure_of(model, interaction, relations.jacobians, *discretisation.layout);
    relations.measure_varies = relations.measure_varies || interaction.measure == RowsMeasure::ByJacobian;
    interaction.scheme = common_scheme(discretisation, relations.jacobians, interaction);
    if (interaction.scheme.at_positions()) check_at_positions(interaction, law);
    check_of_impulses(discretisation, relations.jacobians, interaction, law);
    if (nested_cones(*law.law)) {
      check_nested(discretisation, relations.jacobians, interaction);
      require_levels(model, record);
    }
    if (law.varies != LawVaries::Never) {
      interaction.law_blocks.assign(static_cast<std::size_t>(place.rows / law.size), law);
      if (law.varies == LawVaries::Iterate) interaction.iterates = true;
      if (law.varies == LawVaries::Iterate || law.coupling.size() > 0) interaction.constant = false;
    }
    relations.separate_impacts = relations.separate_impacts || is_separate(law.impact.kind);
    interaction.memory = place.memory;
    interaction.special = interaction.scheme.at_positions() || law.level != LawLevel::Velocity ||
                          law.offset.size() > 0 || interaction.scheme.relation_weight != 1.0;
    interaction.evaluated =
        interaction.relation && !interaction.offset &&
        (!interaction.relation->constant_jacobian() || interaction.compliant || interaction.special);
    if (interaction.evaluated) {
      interaction.constant = false;
      interaction.iterates = true;
    }
    relations.any_special = relations.any_special || interaction.special;
    relations.any_iterates = relations.any_iterates || interaction.iterates;
    relations.any_input_history =
        relations.any_input_history || interaction.nonlinear || interaction.scheme.multiplier_weight != 1.0;
    relations.all_constant = relations.all_constant && interaction.constant;
    add_blocks(discretisation.h, interaction, static_cast<Index>(relations.interactions.size()), relations);
    relations.interactions.push_back(std::move(interaction));
  }
  prepare_impact_matrices(model, *discretisation.layout, relations);
  relations.jacobians.hu.assign(static_cast<std::size_t>(hu_size), 0.0);
  relations.jacobians.p.assign(static_cast<std::size_t>(hu_size), 0.0);
  relations.w.assign(static_cast<std::size_t>(discretisation.layout->num_rows), 0.0);
  group_laws(relations);
  for (InteractionPlan& interaction : relations.interactions)
    prepare_values(discretisation, systems, interaction, relations);
  relations.stand = !relations.laws_vary && relations.all_constant && relations.inputs_constant &&
                    !relations.any_special && !relations.any_input_history && systems.nonlinear.empty();
  relations.outputs_call_users =
      relations.any_memory ||
      std::any_of(systems.batches.begin(), systems.batches.end(),
                  [](const SystemBatch* batch) { return batch->commit_calls_users(); }) ||
      std::any_of(relations.interactions.begin(), relations.interactions.end(), [](const InteractionPlan& i) {
        return (i.relation && !i.offset) || i.nonlinear || (i.linear && i.linear->e.function());
      });
}

}  // namespace nonsmooth::stages
