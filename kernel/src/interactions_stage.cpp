// SPDX-License-Identifier: Apache-2.0
// Stages 2 and 3: which interactions act, and their Jacobians as blocks of H and P.
#include <algorithm>

#include <nonsmooth/numerics/error.hpp>

#include "adapters.hpp"
#include "plan.hpp"

namespace nonsmooth::stages {
namespace {

constexpr Index kGrain = 512;  ///< contacts a chunk

void copy_jacobian(const InteractionPlan& interaction, Plan& plan) {
  for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
    const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
    Eigen::Map<Eigen::MatrixXd>(plan.hu.data() + leg.hu, interaction.rows, leg.n) =
        interaction.jacobian.middleCols(leg.column, leg.n);
  }
}

/// P = A^-1 H^T or h A^-1 B of one interaction.
void compute_p(const InteractionPlan& interaction, Plan& plan) {
  for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
    const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
    Eigen::Map<Eigen::MatrixXd> P(plan.p.data() + leg.p, leg.n, interaction.rows);
    if (interaction.first_order) {
      P = plan.h * interaction.linear->B.dense()->middleRows(leg.column, leg.n);
    } else {
      P = Eigen::Map<const Eigen::MatrixXd>(plan.hu.data() + leg.hu, interaction.rows, leg.n).transpose();
    }
    apply_inverse(plan, leg.system, P);
  }
}

void gather_positions(const Eigen::VectorXd& positions, InteractionPlan& interaction, const Plan& plan) {
  Index at = 0;
  for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
    const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
    interaction.q.segment(at, leg.nq) = positions.segment(leg.q, leg.nq);
    at += leg.nq;
  }
}

bool factor_varies(const Plan& plan, Index system) {
  const auto i = static_cast<std::size_t>(system);
  if (plan.kind[i] == SystemKind::Nonlinear) return true;
  return plan.kind[i] == SystemKind::Dense && plan.dense[static_cast<std::size_t>(plan.place[i])].matrix;
}

void add_blocks(const NonSmoothDynamicalSystem::Interaction& record, const InteractionPlan& interaction, Index index,
                Plan& plan) {
  const LawBlock& law = record.law;
  for (Index local = 0; local < interaction.rows; local += law.size) {
    BlockPlan block;
    block.interaction = index;
    block.local = local;
    block.row = interaction.row + local;
    block.size = law.size;
    block.set = law.set;
    if (law.bounds_are_forces) {
      block.set.lower *= plan.h;
      block.set.upper *= plan.h;
    }
    block.unilateral = law.unilateral;
    block.restitution = law.restitution;
    block.tangential_restitution = law.tangential_restitution;
    block.custom = law.custom.get();
    plan.blocks.push_back(block);
  }
}

/// u of a contact: rows (N, T).
void contact_velocity(const PlanarContact& contact, const double* v_first, const double* v_second, double* u) {
  for (std::size_t row = 0; row < 2; ++row) {
    double sum = 0.0;
    for (std::size_t c = 0; c < 3; ++c) sum += contact.H_first[3 * row + c] * v_first[c];
    if (v_second) {
      for (std::size_t c = 0; c < 3; ++c) sum += contact.H_second[3 * row + c] * v_second[c];
    }
    u[row] = sum;
  }
}

}  // namespace

void prepare_interactions(const NonSmoothDynamicalSystem& model, Plan& plan) {
  plan.legs.clear();
  plan.interactions.clear();
  plan.blocks.clear();
  plan.all_constant = plan.inputs_constant = true;
  Index hu_size = 0, p_size = 0;
  for (const auto& place : plan.layout->interactions) {
    const auto& record = model.interactions()[place.slot];
    InteractionPlan interaction;
    interaction.name = "interaction " + std::to_string(place.slot);
    interaction.row = place.row;
    interaction.rows = place.rows;
    interaction.first_order = place.first_order;
    interaction.first_leg = static_cast<Index>(plan.legs.size());
    for (const std::uint32_t slot : record.systems) {
      const Index system = plan.layout->system_of_slot[slot];
      const auto& at = plan.system(system);
      plan.legs.push_back({system, at.n, at.z, at.q, at.nq, hu_size, p_size, interaction.columns});
      hu_size += place.rows * at.n;
      p_size += place.rows * at.n;
      interaction.columns += at.n;
      interaction.positions += at.nq;
      if (factor_varies(plan, system)) interaction.constant = false;
    }
    interaction.num_legs = static_cast<Index>(plan.legs.size()) - interaction.first_leg;
    interaction.jacobian = Eigen::MatrixXd::Zero(place.rows, interaction.columns);
    interaction.q = Eigen::VectorXd::Zero(interaction.positions);
    interaction.z = Eigen::VectorXd::Zero(interaction.columns);
    interaction.values = Eigen::VectorXd::Zero(place.rows);
    if (const auto* relation = std::get_if<std::shared_ptr<const Relation>>(&record.relation)) {
      interaction.relation = relation->get();
      if (const auto* affine = dynamic_cast<const LinearRelation*>(relation->get()))
        interaction.offset = &affine->offset();
      if (!interaction.relation->constant_jacobian()) interaction.constant = false;
    } else {
      interaction.linear = std::get<std::shared_ptr<const FirstOrderLinearRelation>>(record.relation).get();
      if (interaction.linear->e.function()) plan.inputs_constant = false;
      if (!interaction.linear->D.dense()->isZero(0.0)) interaction.D = interaction.linear->D.dense();
    }
    plan.all_constant = plan.all_constant && interaction.constant;
    add_blocks(record, interaction, static_cast<Index>(plan.interactions.size()), plan);
    plan.interactions.push_back(std::move(interaction));
  }
  plan.hu.assign(static_cast<std::size_t>(hu_size), 0.0);
  plan.p.assign(static_cast<std::size_t>(p_size), 0.0);
  plan.w.assign(static_cast<std::size_t>(plan.layout->num_rows), 0.0);
  for (InteractionPlan& interaction : plan.interactions) {
    if (interaction.first_order) {
      interaction.jacobian = *interaction.linear->C.dense();
      if (const auto* e = interaction.linear->e.constant()) {
        std::copy(e->begin(), e->end(), plan.w.begin() + static_cast<std::ptrdiff_t>(interaction.row));
      }
    } else if (const auto* H = interaction.relation->constant_jacobian()) {
      if (H->rows() != interaction.rows || H->cols() != interaction.columns) {
        throw InvalidArgument("Relation::constant_jacobian",
                              std::to_string(H->rows()) + " x " + std::to_string(H->cols()),
                              std::to_string(interaction.rows) + " x " + std::to_string(interaction.columns));
      }
      interaction.jacobian = *H;
    }
    copy_jacobian(interaction, plan);
    if (interaction.constant) compute_p(interaction, plan);
  }
  plan.source_systems.clear();
  for (const auto& source : model.sources()) {
    std::vector<Index> systems;
    for (const SystemHandle& handle : source->bodies()) systems.push_back(plan.layout->index(handle));
    for (const Index system : systems) {
      if (plan.kind[static_cast<std::size_t>(system)] != SystemKind::Diagonal) {
        throw InvalidArgument("ContactSource::bodies", plan.system(system).name,
                              "bodies of constant diagonal mass, damping and stiffness");
      }
    }
    plan.source_systems.push_back(std::move(systems));
  }
}

void detect_contacts(const NonSmoothDynamicalSystem& model, const State& state, Plan& plan) {
  plan.contacts.clear();
  plan.contact_source.clear();
  plan.contact_u.clear();
  for (std::size_t s = 0; s < model.sources().size(); ++s) {
    const ContactSource& source = *model.sources()[s];
    const auto& systems = plan.source_systems[s];
    const auto bodies = static_cast<Index>(systems.size());
    plan.bodies_q.resize(3 * bodies);
    plan.bodies_v.resize(3 * bodies);
    for (Index b = 0; b < bodies; ++b) {
      const auto& place = plan.system(systems[static_cast<std::size_t>(b)]);
      plan.bodies_q.segment<3>(3 * b) = state.positions.segment<3>(place.q);
      plan.bodies_v.segment<3>(3 * b) = state.unknowns.segment<3>(place.z);
    }
    plan.found.clear();
    const double horizon = plan.forecast * plan.h;
    guarded("a contact source", "detect",
            [&] { source.detect(plan.bodies_q, plan.bodies_v, horizon, plan.scratch, plan.found); });
    for (const PlanarContact& contact : plan.found) {
      const double* first = plan.bodies_v.data() + 3 * contact.first;
      const double* second = contact.second >= 0 ? plan.bodies_v.data() + 3 * contact.second : nullptr;
      double u[2];
      contact_velocity(contact, first, second, u);
      if (!(contact.gap + horizon * u[0] <= 0.0)) continue;
      plan.contacts.push_back(contact);
      plan.contacts.back().first = systems[static_cast<std::size_t>(contact.first)];
      if (contact.second >= 0) plan.contacts.back().second = systems[static_cast<std::size_t>(contact.second)];
      plan.contact_source.push_back(static_cast<Index>(s));
      plan.contact_u.push_back(u[0]);
      plan.contact_u.push_back(u[1]);
    }
  }
  const auto count = static_cast<Index>(plan.contacts.size());
  if (plan.contact_p.size() < static_cast<std::size_t>(12 * count))
    plan.contact_p.resize(static_cast<std::size_t>(12 * count));
  plan.threads.for_each_range(count, kGrain, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      const PlanarContact& contact = plan.contacts[static_cast<std::size_t>(c)];
      double* P = plan.contact_p.data() + 12 * c;
      const double* inverse = plan.a_inverse.data() + plan.system(contact.first).z;
      for (std::size_t i = 0; i < 6; ++i) P[i] = contact.H_first[i] * inverse[i % 3];
      if (contact.second >= 0) {
        inverse = plan.a_inverse.data() + plan.system(contact.second).z;
        for (std::size_t i = 0; i < 6; ++i) P[6 + i] = contact.H_second[i] * inverse[i % 3];
      }
    }
  });
}

void index_sets(const State& state, Plan& plan) {
  plan.active.clear();
  plan.active_legs.clear();
  plan.key.clear();
  Index row = 0;
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    const BlockPlan& block = plan.blocks[b];
    if (block.unilateral && !(state.outputs[block.row] + plan.forecast * plan.h * state.velocities[block.row] <= 0.0)) {
      continue;
    }
    const InteractionPlan& interaction = plan.interactions[static_cast<std::size_t>(block.interaction)];
    ActiveBlock active;
    active.size = block.size;
    active.row = row;
    active.first_leg = static_cast<Index>(plan.active_legs.size());
    active.num_legs = interaction.num_legs;
    active.model_block = static_cast<Index>(b);
    for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
      const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
      plan.active_legs.push_back({leg.system, leg.n, leg.z, static_cast<Index>(plan.active.size()),
                                  plan.hu.data() + leg.hu + block.local, 1, interaction.rows,
                                  plan.p.data() + leg.p + block.local * leg.n});
    }
    plan.active.push_back(active);
    plan.key.push_back({b, -1, -1, -1});
    row += block.size;
  }
  for (std::size_t c = 0; c < plan.contacts.size(); ++c) {
    const PlanarContact& contact = plan.contacts[c];
    ActiveBlock active;
    active.size = 2;
    active.row = row;
    active.first_leg = static_cast<Index>(plan.active_legs.size());
    active.num_legs = contact.second >= 0 ? 2 : 1;
    active.contact = static_cast<Index>(c);
    const auto block = static_cast<Index>(plan.active.size());
    plan.active_legs.push_back({contact.first, 3, plan.system(contact.first).z, block, contact.H_first.data(), 3, 1,
                                plan.contact_p.data() + 12 * c});
    if (contact.second >= 0) {
      plan.active_legs.push_back({contact.second, 3, plan.system(contact.second).z, block, contact.H_second.data(), 3,
                                  1, plan.contact_p.data() + 12 * c + 6});
    }
    plan.active.push_back(active);
    plan.key.push_back({contact.feature, plan.contact_source[c], contact.first, contact.second});
    row += 2;
  }
}

bool active_relations_vary(const Plan& plan) {
  if (plan.all_constant) return false;
  return std::any_of(plan.active.begin(), plan.active.end(), [&plan](const ActiveBlock& active) {
    if (active.model_block < 0) return false;
    const auto& block = plan.blocks[static_cast<std::size_t>(active.model_block)];
    const auto& interaction = plan.interactions[static_cast<std::size_t>(block.interaction)];
    return interaction.relation && !interaction.relation->constant_jacobian();
  });
}

void linearise_relations(double t_next, Plan& plan) {
  if (plan.all_constant && plan.inputs_constant) return;
  for (InteractionPlan& interaction : plan.interactions) {
    if (interaction.first_order) {
      if (const auto* e = interaction.linear->e.function()) {
        interaction.values.setZero();
        guarded(interaction.name, "e(t)", [&] { (*e)(t_next, interaction.values); });
        require_finite(interaction.name, "e(t)", interaction.values);
        std::copy(interaction.values.begin(), interaction.values.end(),
                  plan.w.begin() + static_cast<std::ptrdiff_t>(interaction.row));
      }
    } else if (!interaction.relation->constant_jacobian()) {
      gather_positions(plan.q_iterate, interaction, plan);
      interaction.jacobian.setZero();
      guarded(interaction.name, "H(q)", [&] { interaction.relation->H(t_next, interaction.q, interaction.jacobian); });
      require_finite(interaction.name, "H(q)", interaction.jacobian);
      interaction.values.setZero();
      guarded(interaction.name, "h_t", [&] { interaction.relation->h_t(t_next, interaction.q, interaction.values); });
      require_finite(interaction.name, "h_t", interaction.values);
      std::copy(interaction.values.begin(), interaction.values.end(),
                plan.w.begin() + static_cast<std::ptrdiff_t>(interaction.row));
      copy_jacobian(interaction, plan);
    }
    if (!interaction.constant) compute_p(interaction, plan);
  }
}

}  // namespace nonsmooth::stages
