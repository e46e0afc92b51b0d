// SPDX-License-Identifier: Apache-2.0
// Stages 4 and 5: the one object u = W r + q with its sets, and its solution.
#include <algorithm>
#include <utility>

#include "plan.hpp"

namespace nonsmooth::stages {
namespace {

constexpr Index kBlockGrain = 256;  ///< blocks a chunk

/// Legs that act on each system, in block order (compressed rows), and the systems touched.
void list_legs_by_system(Plan& plan) {
  const auto count = plan.layout->systems.size();
  plan.system_begin.assign(count + 1, 0);
  for (const ActiveLeg& leg : plan.active_legs) ++plan.system_begin[static_cast<std::size_t>(leg.system) + 1];
  plan.touched.clear();
  for (std::size_t i = 0; i < count; ++i) {
    if (plan.system_begin[i + 1] > 0) plan.touched.push_back(static_cast<Index>(i));
    plan.system_begin[i + 1] += plan.system_begin[i];
  }
  plan.system_legs.resize(plan.active_legs.size());
  // Filled from the back, so that begin ends where it started and the order within a system stays.
  for (std::size_t l = plan.active_legs.size(); l-- > 0;) {
    const auto system = static_cast<std::size_t>(plan.active_legs[l].system);
    plan.system_legs[static_cast<std::size_t>(--plan.system_begin[system + 1])] = static_cast<Index>(l);
  }
  // begin[i + 1] now holds the first leg of system i: shift back.
  for (std::size_t i = 0; i < count; ++i) plan.system_begin[i] = plan.system_begin[i + 1];
  plan.system_begin[count] = static_cast<Index>(plan.active_legs.size());
}

/// The interaction of a block whose multipliers are coupled by themselves (compliance, auxiliary rows), or nullptr.
const InteractionPlan* coupled(const Plan& plan, const ActiveBlock& block) {
  if (block.model_block < 0) return nullptr;
  const auto& model = plan.blocks[static_cast<std::size_t>(block.model_block)];
  const auto& interaction = plan.interactions[static_cast<std::size_t>(model.interaction)];
  return interaction.coupling.size() > 0 ? &interaction : nullptr;
}

/// Calls visit(j) for each active block j of the same interaction as block i (they are neighbours in the list).
template <class Visit>
void for_each_sibling(const Plan& plan, Index i, Visit&& visit) {
  const auto interaction_of = [&plan](Index j) {
    const ActiveBlock& block = plan.active[static_cast<std::size_t>(j)];
    return block.model_block < 0 ? Index{-1} : plan.blocks[static_cast<std::size_t>(block.model_block)].interaction;
  };
  const Index own = interaction_of(i);
  Index first = i;
  while (first > 0 && interaction_of(first - 1) == own) --first;
  for (Index j = first; j < static_cast<Index>(plan.active.size()) && interaction_of(j) == own; ++j) visit(j);
}

void lay_pattern(Plan& plan) {
  const auto count = static_cast<Index>(plan.active.size());
  plan.sizes.resize(plan.active.size());
  for (std::size_t i = 0; i < plan.active.size(); ++i) plan.sizes[i] = plan.active[i].size;
  plan.stamp.assign(plan.active.size(), -1);
  BlockSparseMatrix& W = plan.problem.W;
  W.begin_pattern(plan.sizes);
  const auto insert_once = [&](Index i, Index j) {
    if (plan.stamp[static_cast<std::size_t>(j)] == i) return;
    plan.stamp[static_cast<std::size_t>(j)] = i;
    W.insert(j);
  };
  for (Index i = 0; i < count; ++i) {
    const ActiveBlock& block = plan.active[static_cast<std::size_t>(i)];
    for (Index a = block.first_leg; a < block.first_leg + block.num_legs; ++a) {
      const auto system = static_cast<std::size_t>(plan.active_legs[static_cast<std::size_t>(a)].system);
      for (Index l = plan.system_begin[system]; l < plan.system_begin[system + 1]; ++l) {
        const Index leg = plan.system_legs[static_cast<std::size_t>(l)];
        insert_once(i, plan.active_legs[static_cast<std::size_t>(leg)].block);
      }
    }
    if (coupled(plan, block)) for_each_sibling(plan, i, [&](Index j) { insert_once(i, j); });
    W.next_row();
  }
  W.end_pattern();
}

/// W_ij += H_a P_b for one pair of legs on a common system; W_ij is size_i x size_j, column-major.
void add_product(const ActiveLeg& a, Index rows, const ActiveLeg& b, Index columns, double* block) {
  for (Index c = 0; c < columns; ++c) {
    const double* P = b.p + c * a.n;
    for (Index r = 0; r < rows; ++r) {
      const double* H = a.hu + r * a.row_stride;
      double sum = 0.0;
      for (Index k = 0; k < a.n; ++k) sum += H[k * a.column_stride] * P[k];
      block[c * rows + r] += a.weight * sum;
    }
  }
}

/// The same for two planar bodies' contacts: 2 x 3 times 3 x 2, H row by row.
void add_planar_product(const double* H, const double* P, double* block) {
  block[0] += H[0] * P[0] + H[1] * P[1] + H[2] * P[2];
  block[1] += H[3] * P[0] + H[4] * P[1] + H[5] * P[2];
  block[2] += H[0] * P[3] + H[1] * P[4] + H[2] * P[5];
  block[3] += H[3] * P[3] + H[4] * P[4] + H[5] * P[5];
}

void fill_values(Plan& plan) {
  BlockSparseMatrix& W = plan.problem.W;
  W.set_zero();
  plan.threads.for_each_range(static_cast<Index>(plan.active.size()), kBlockGrain, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const ActiveBlock& block = plan.active[static_cast<std::size_t>(i)];
      for (Index a = block.first_leg; a < block.first_leg + block.num_legs; ++a) {
        const ActiveLeg& leg = plan.active_legs[static_cast<std::size_t>(a)];
        const auto system = static_cast<std::size_t>(leg.system);
        for (Index l = plan.system_begin[system]; l < plan.system_begin[system + 1]; ++l) {
          const ActiveLeg& other =
              plan.active_legs[static_cast<std::size_t>(plan.system_legs[static_cast<std::size_t>(l)])];
          const ActiveBlock& column = plan.active[static_cast<std::size_t>(other.block)];
          double* values = W.values(W.find(i, other.block));
          if (block.contact >= 0 && column.contact >= 0) {
            add_planar_product(leg.hu, other.p, values);
          } else {
            add_product(leg, block.size, other, column.size, values);
          }
        }
      }
      if (const InteractionPlan* interaction = coupled(plan, block)) {
        const Index row = plan.blocks[static_cast<std::size_t>(block.model_block)].local;
        for_each_sibling(plan, i, [&](Index j) {
          const ActiveBlock& sibling = plan.active[static_cast<std::size_t>(j)];
          const Index column = plan.blocks[static_cast<std::size_t>(sibling.model_block)].local;
          W.block(i, W.find(i, j)) += interaction->coupling.block(row, column, block.size, sibling.size);
        });
      }
    }
  });
}

/// The set of a block in this step.
BlockSet present_set(const BlockPlan& block, const State& state, const Plan& plan) {
  BlockSet set = block.set;
  if (block.stick) {
    const bool sticks = state.velocities.segment(block.row + 1, block.size - 1).norm() <= block.stick->stick_velocity;
    set.mu = sticks ? block.stick->holding : block.stick->sliding;
  }
  if (block.bond) {
    const double intact = std::max(0.0, 1.0 - state.law_memory[block.memory] / block.bond->opening);
    set.cohesion = plan.h * intact * block.bond->strength;
  }
  return set;
}

/// q = H z_free + w + what the law adds of the velocity before.
void fill_q(const State& state, Plan& plan) {
  GrowingVector& q = plan.problem.q;
  const double* free = plan.z_free.data();
  plan.threads.for_each_range(static_cast<Index>(plan.active.size()), kBlockGrain, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const ActiveBlock& block = plan.active[static_cast<std::size_t>(i)];
      law_terms(state, block, plan, q.segment(block.row, block.size));
      for (Index r = 0; r < block.size; ++r) {
        double sum = 0.0;
        for (Index a = block.first_leg; a < block.first_leg + block.num_legs; ++a) {
          const ActiveLeg& leg = plan.active_legs[static_cast<std::size_t>(a)];
          const double* H = leg.hu + r * leg.row_stride;
          double product = 0.0;
          for (Index k = 0; k < leg.n; ++k) product += H[k * leg.column_stride] * free[leg.z + k];
          sum += leg.weight * product;
        }
        q[block.row + r] += sum;
      }
    }
  });
}

}  // namespace

void law_terms(const State& state, const ActiveBlock& block, const Plan& plan, VectorRef value) {
  if (block.model_block < 0) {
    value[0] = plan.contacts[static_cast<std::size_t>(block.contact)].restitution *
               plan.contact_u[static_cast<std::size_t>(2 * block.contact)];
    value[1] = 0.0;
    return;
  }
  const BlockPlan& model = plan.blocks[static_cast<std::size_t>(block.model_block)];
  for (Index r = 0; r < block.size; ++r) {
    value[r] = plan.w[static_cast<std::size_t>(model.row + r)] +
               (r == 0 ? model.restitution : model.tangential_restitution) * state.velocities[model.row + r];
  }
  if (model.custom) {
    guarded("a user's law", "add_shift",
            [&] { model.custom->add_shift(state.velocities.segment(model.row, model.size), value); });
  }
}

void fill_sets(const State& state, const Plan& plan, ProductSet& K) {
  K.clear();
  for (const ActiveBlock& block : plan.active) {
    if (block.model_block >= 0) {
      K.push_back(present_set(plan.blocks[static_cast<std::size_t>(block.model_block)], state, plan), block.size);
    } else {
      BlockSet cone;
      cone.kind = SetKind::Coulomb2D;
      cone.mu = plan.contacts[static_cast<std::size_t>(block.contact)].friction;
      K.push_back(cone, 2);
    }
  }
}

// Matched by interaction, and by contact source and feature (both lists are sorted by these).
void warm_start(const State& state, Plan& plan) {
  GrowingVector& r = plan.result.r;
  std::size_t memory = 0;
  for (const ActiveBlock& block : plan.active) {
    if (block.model_block >= 0) {
      const BlockPlan& model = plan.blocks[static_cast<std::size_t>(block.model_block)];
      for (Index k = 0; k < block.size; ++k) r[block.row + k] = state.multipliers[model.row + k];
      continue;
    }
    const auto identity =
        std::pair(static_cast<std::uint64_t>(plan.contact_source[static_cast<std::size_t>(block.contact)]),
                  plan.contacts[static_cast<std::size_t>(block.contact)].feature);
    const auto remembered = [&] { return std::pair(state.contacts[memory].source, state.contacts[memory].feature); };
    while (memory < state.contacts.size() && remembered() < identity) ++memory;
    const bool known = memory < state.contacts.size() && remembered() == identity;
    r[block.row] = known ? state.contacts[memory].impulse_normal : 0.0;
    r[block.row + 1] = known ? state.contacts[memory].impulse_tangential : 0.0;
  }
}

void assemble(const State& state, Plan& plan) {
  const Index rows = plan.active.empty() ? 0 : plan.active.back().row + plan.active.back().size;
  const bool same_set = plan.key == plan.last_key;
  const bool has_contacts = !plan.contacts.empty();
  if (!same_set) {
    plan.last_key = plan.key;
    list_legs_by_system(plan);
    lay_pattern(plan);
    plan.problem.q.resize(rows);
    plan.result.r.resize(rows);
    plan.matrix_stands = false;
  }
  if (!plan.all_constant || has_contacts || plan.sets_vary) plan.matrix_stands = false;
  if (!plan.matrix_stands) {
    fill_sets(state, plan, plan.problem.K);
    fill_values(plan);
  }
  fill_q(state, plan);
}

void solve(const TimeSteppingOptions& options, const State& state, Plan& plan) {
  warm_start(state, plan);
  if (const auto* automatic = std::get_if<mixed::Automatic>(&options.solver)) {
    plan.solver.solve(plan.problem, *automatic, plan.matrix_stands && plan.solver_knows, plan.result);
  } else {
    plan.gauss_seidel.solve(plan.problem, std::get<mixed::GaussSeidel>(options.solver), plan.result);
  }
  plan.solver_knows = std::holds_alternative<mixed::Automatic>(options.solver);
  plan.matrix_stands = true;
}

void apply_multipliers(Plan& plan) {
  plan.z = plan.z_free;
  if (plan.any_iterates) {
    plan.lambda.setZero();
    for (const ActiveBlock& block : plan.active) {
      if (block.model_block < 0) continue;
      const Index row = plan.blocks[static_cast<std::size_t>(block.model_block)].row;
      for (Index k = 0; k < block.size; ++k) plan.lambda[row + k] = plan.result.r[block.row + k];
    }
  }
  plan.threads.for_each_range(static_cast<Index>(plan.touched.size()), kBlockGrain, [&](Index begin, Index end) {
    for (Index t = begin; t < end; ++t) {
      const auto system = static_cast<std::size_t>(plan.touched[static_cast<std::size_t>(t)]);
      for (Index l = plan.system_begin[system]; l < plan.system_begin[system + 1]; ++l) {
        const ActiveLeg& leg =
            plan.active_legs[static_cast<std::size_t>(plan.system_legs[static_cast<std::size_t>(l)])];
        const ActiveBlock& block = plan.active[static_cast<std::size_t>(leg.block)];
        double* z = plan.z.data() + leg.z;
        for (Index c = 0; c < block.size; ++c) {
          const double r = plan.result.r[block.row + c];
          const double* P = leg.p + c * leg.n;
          for (Index k = 0; k < leg.n; ++k) z[k] += P[k] * r;
        }
      }
    }
  });
}

}  // namespace nonsmooth::stages
