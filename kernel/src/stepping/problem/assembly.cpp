// SPDX-License-Identifier: Apache-2.0
// Stage 4: the one object u = W r + q with its sets.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "dynamics/mechanics/common_motion.hpp"
#include "model/guarded.hpp"
#include "one_step_solver.hpp"

namespace nonsmooth::stages {
namespace {

constexpr Index kBlockGrain = 256;  ///< blocks a chunk

/// What acts on each system, in block order (compressed rows), and the systems touched.
void list_by_system(std::size_t count, const ActiveSet& active, OneStepSolver& one_step) {
  one_step.system_begin.assign(count + 1, 0);
  for (const ActiveJacobian& jacobian : active.jacobians)
    ++one_step.system_begin[static_cast<std::size_t>(jacobian.system) + 1];
  one_step.touched.clear();
  for (std::size_t i = 0; i < count; ++i) {
    if (one_step.system_begin[i + 1] > 0) one_step.touched.push_back(static_cast<Index>(i));
    one_step.system_begin[i + 1] += one_step.system_begin[i];
  }
  one_step.jacobians_by_system.resize(active.jacobians.size());
  // Filled from the back, so that begin ends where it started and the order within a system stays.
  for (std::size_t l = active.jacobians.size(); l-- > 0;) {
    const auto system = static_cast<std::size_t>(active.jacobians[l].system);
    one_step.jacobians_by_system[static_cast<std::size_t>(--one_step.system_begin[system + 1])] = static_cast<Index>(l);
  }
  // begin[i + 1] now holds the first entry of system i: shift back.
  for (std::size_t i = 0; i < count; ++i) one_step.system_begin[i] = one_step.system_begin[i + 1];
  one_step.system_begin[count] = static_cast<Index>(active.jacobians.size());
}

/// The interaction of a block whose multipliers are coupled by themselves (compliance, auxiliary rows), or nullptr.
const InteractionPlan* coupled(const ActingRows& acting, const ActiveBlock& block) {
  if (block.model_block < 0) return nullptr;
  const InteractionPlan& interaction = acting.relations.interaction_of(*block.law);
  return interaction.coupling.size() > 0 ? &interaction : nullptr;
}

/// Calls visit(j) for each active block j of the same interaction as block i (they are neighbours in the list).
template <class Visit>
void for_each_sibling(const ActingRows& acting, Index i, Visit&& visit) {
  const auto interaction_of = [&acting](Index j) {
    const ActiveBlock& block = acting.active.blocks[static_cast<std::size_t>(j)];
    return block.law->interaction;
  };
  const Index own = interaction_of(i);
  Index first = i;
  while (first > 0 && interaction_of(first - 1) == own) --first;
  for (Index j = first; j < static_cast<Index>(acting.active.blocks.size()) && interaction_of(j) == own; ++j) visit(j);
}

void lay_pattern(const ActingRows& acting, OneStepSolver& one_step) {
  const auto count = static_cast<Index>(acting.active.blocks.size());
  one_step.sizes.resize(acting.active.blocks.size());
  for (std::size_t i = 0; i < acting.active.blocks.size(); ++i) one_step.sizes[i] = acting.active.blocks[i].size;
  one_step.stamp.assign(acting.active.blocks.size(), -1);
  BlockSparseMatrix& W = one_step.problem.reduced.W;
  W.begin_pattern(one_step.sizes);
  const auto insert_once = [&](Index i, Index j) {
    if (one_step.stamp[static_cast<std::size_t>(j)] == i) return;
    one_step.stamp[static_cast<std::size_t>(j)] = i;
    W.insert(j);
  };
  for (Index i = 0; i < count; ++i) {
    const ActiveBlock& block = acting.active.blocks[static_cast<std::size_t>(i)];
    for (const ActiveJacobian& jacobian : acting.jacobians(block)) {
      const auto system = static_cast<std::size_t>(jacobian.system);
      for (Index l = one_step.system_begin[system]; l < one_step.system_begin[system + 1]; ++l) {
        const Index other = one_step.jacobians_by_system[static_cast<std::size_t>(l)];
        insert_once(i, acting.active.jacobians[static_cast<std::size_t>(other)].block);
      }
    }
    if (coupled(acting, block)) for_each_sibling(acting, i, [&](Index j) { insert_once(i, j); });
    W.next_row();
  }
  W.end_pattern();
}

/// BlockSet::unit of the row of a ForceLaw, u+ + c p + ... with c = 1 / (h a) > 0: sigma = W0 / (W0 + c), with W0 the
/// speed that p = 1 gives the row by what moves. Not below eps, where the force moves nothing but by rounding.
double unit_of_force(const ActingRows& acting, const ActiveBlock& block, double c) {
  double W0 = 0.0;
  for (const ActiveJacobian& jacobian : acting.jacobians(block)) {
    double sum = 0.0;
    for (Index k = 0; k < jacobian.n; ++k) sum += jacobian.hu[k * jacobian.column_stride] * jacobian.p[k];
    W0 += jacobian.weight * sum;
  }
  return W0 > 0.0 ? std::max(eps, W0 / (W0 + c)) : 1.0;
}

/// The set of a block as the problem has it.
BlockSet set_of(const ActingRows& acting, const ActiveBlock& block) {
  BlockSet set = *block.set;
  const InteractionPlan* interaction = coupled(acting, block);
  if (interaction == nullptr || set.kind != SetKind::Box || interaction->law->law->force_law() == nullptr) return set;
  const double c = interaction->coupling(block.law->local, block.law->local);
  if (c > 0.0) set.unit = unit_of_force(acting, block, c);
  return set;
}

/// W_ij += H_a P_b for one pair of Jacobian blocks on a common system; W_ij is size_i x size_j, column-major.
void add_product(const ActiveJacobian& a, Index rows, const ActiveJacobian& b, Index columns, double* block) {
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

/// The same for two detected contacts of equal sizes: H row by row, of weight 1.
template <Index rows, Index columns>
void add_product(const double* H, const double* P, double* block) {
  const auto each_row = [](auto visit) { for_each_below(std::integral_constant<Index, rows>{}, visit); };
  each_row([&](Index c) {
    each_row([&](Index r) {
      double sum = H[r * columns] * P[c * columns];
      for_each_below(std::integral_constant<Index, columns - 1>{},
                     [&](Index k) { sum += H[r * columns + k + 1] * P[c * columns + k + 1]; });
      block[c * rows + r] += sum;
    });
  });
}

void add_product(const ActiveJacobian& a, const ActiveBlock& row, const ActiveJacobian& b, const ActiveBlock& column,
                 double* block) {
  if (row.sizes == column.sizes) {
    if (row.sizes == JacobianSizes::TwoByThree) return add_product<2, 3>(a.hu, b.p, block);
    if (row.sizes == JacobianSizes::ThreeBySix) return add_product<3, 6>(a.hu, b.p, block);
  }
  add_product(a, row.size, b, column.size, block);
}

void fill_values(ThreadPool& threads, const ActingRows& acting, OneStepSolver& one_step) {
  BlockSparseMatrix& W = one_step.problem.reduced.W;
  W.set_zero();
  threads.for_each_range(static_cast<Index>(acting.active.blocks.size()), kBlockGrain, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const ActiveBlock& block = acting.active.blocks[static_cast<std::size_t>(i)];
      for (const ActiveJacobian& jacobian : acting.jacobians(block)) {
        const auto system = static_cast<std::size_t>(jacobian.system);
        for (Index l = one_step.system_begin[system]; l < one_step.system_begin[system + 1]; ++l) {
          const ActiveJacobian& other =
              acting.active
                  .jacobians[static_cast<std::size_t>(one_step.jacobians_by_system[static_cast<std::size_t>(l)])];
          const ActiveBlock& column = acting.active.blocks[static_cast<std::size_t>(other.block)];
          add_product(jacobian, block, other, column, W.values(W.find(i, other.block)));
        }
      }
      if (const InteractionPlan* interaction = coupled(acting, block)) {
        const Index row = block.law->local;
        for_each_sibling(acting, i, [&](Index j) {
          const ActiveBlock& sibling = acting.active.blocks[static_cast<std::size_t>(j)];
          const Index column = sibling.law->local;
          W.block(i, W.find(i, j)) += interaction->coupling.block(row, column, block.size, sibling.size);
        });
      }
    }
  });
}

/// The first `rows` rows of a block measure the ground beside what is between their systems.
bool measures_ground(const ActingRows& acting, const ActiveBlock& block, Index rows, RowsMeasure measure) {
  if (measure != RowsMeasure::ByJacobian) return measure == RowsMeasure::Ground;
  const std::span<const ActiveJacobian> jacobians = acting.jacobians(block);
  for (Index r = 0; r < rows; ++r) {
    const auto entry = [&](Index s, Index k) {
      const ActiveJacobian& one = jacobians[static_cast<std::size_t>(s)];
      return one.hu[r * one.row_stride + k * one.column_stride];
    };
    if (sees_common_motion(std::ssize(jacobians), jacobians.front().n, entry)) return true;
  }
  return false;
}

/// The rows that may depend on those of other joints: rigid equalities of velocities.
void list_equalities(const ActingRows& acting, std::vector<RedundantRows::FirstRows>& equalities) {
  equalities.clear();
  for (std::size_t i = 0; i < acting.active.blocks.size(); ++i) {
    const ActiveBlock& block = acting.active.blocks[i];
    if (block.model_block < 0 || !block.law->has_jacobian) continue;
    const bool all = block.set->kind == SetKind::Free;
    if (!all && !block.law->first_held) continue;
    const InteractionPlan& interaction = acting.relations.interaction_of(*block.law);
    if (interaction.first_order || interaction.coupling.size() > 0 || interaction.scheme.at_positions()) continue;
    const Index rows = all ? block.size : 1;
    equalities.push_back({static_cast<Index>(i), rows, measures_ground(acting, block, rows, interaction.measure)});
  }
}

/// OneStepSolver::terms.
void sum_terms_of_loops(const StepView& step, const ActingRows& acting, const Eigen::VectorXd& z_free,
                        OneStepSolver& one_step) {
  const Index rows = one_step.problem.num_rows();
  if (one_step.terms.size() < rows) one_step.terms.resize(rows);
  one_step.redundant.for_each_block([&](Index i) {
    const ActiveBlock& block = acting.active.blocks[static_cast<std::size_t>(i)];
    law_terms(step, block, acting, one_step.terms.data() + block.row);
    for (Index r = 0; r < block.size; ++r) {
      double sum = std::abs(one_step.terms[block.row + r]);
      for (const ActiveJacobian& jacobian : acting.jacobians(block)) {
        const double* H = jacobian.hu + r * jacobian.row_stride;
        for (Index k = 0; k < jacobian.n; ++k)
          sum += std::abs(jacobian.weight * H[k * jacobian.column_stride] * z_free[jacobian.z + k]);
      }
      one_step.terms[block.row + r] = sum;
    }
  });
}

void settle_redundant_rows(const StepView& step, const ActingRows& acting, const Eigen::VectorXd& z_free,
                           double dependent, OneStepSolver& one_step) {
  sum_terms_of_loops(step, acting, z_free, one_step);
  if (one_step.redundant.settle(one_step.terms, dependent, one_step.matrix_stands, one_step.problem))
    one_step.matrix_stands = false;
}

/// Calls visit(i, a, b) for Jacobian blocks a of block i and b on one system, of blocks in one loop.
template <class Visit>
void for_each_pair_in_loops(const ActingRows& acting, const OneStepSolver& one_step, Index i, Visit&& visit) {
  const Index loop = one_step.redundant.loop_of(i);
  if (loop < 0) return;
  for (const ActiveJacobian& jacobian : acting.jacobians(acting.active.blocks[static_cast<std::size_t>(i)])) {
    const auto system = static_cast<std::size_t>(jacobian.system);
    for (Index l = one_step.system_begin[system]; l < one_step.system_begin[system + 1]; ++l) {
      const auto place = static_cast<std::size_t>(one_step.jacobians_by_system[static_cast<std::size_t>(l)]);
      const ActiveJacobian& other = acting.active.jacobians[place];
      if (one_step.redundant.loop_of(other.block) == loop) visit(jacobian, other);
    }
  }
}

}  // namespace

void evaluate_rows(const StepView& step, const ActingRows& acting, const Eigen::VectorXd& z, double* q) {
  const double* const at_z = z.data();
  step.discretisation.threads.for_each_range(
      static_cast<Index>(acting.active.blocks.size()), kBlockGrain, [=, &step, &acting](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
          const ActiveBlock& block = acting.active.blocks[static_cast<std::size_t>(i)];
          const std::span<const ActiveJacobian> jacobians = acting.jacobians(block);
          law_terms(step, block, acting, q + block.row);
          for (Index r = 0; r < block.size; ++r) {
            double sum = 0.0;
            for (const ActiveJacobian& jacobian : jacobians) {
              const double* H = jacobian.hu + r * jacobian.row_stride;
              double product = 0.0;
              for (Index k = 0; k < jacobian.n; ++k) product += H[k * jacobian.column_stride] * at_z[jacobian.z + k];
              sum += jacobian.weight * product;
            }
            q[block.row + r] += sum;
          }
        }
      });
}

void fill_sets(const ActingRows& acting, ProductSet& K) {
  K.clear();
  for (const ActiveBlock& block : acting.active.blocks) {
    try {
      K.push_back(set_of(acting, block), block.size);
    } catch (const InvalidArgument& error) {  // of a law that varies: of others it was looked at when they were linked
      throw CallableFailure{std::string("the set that a law gave is none: ") + error.what()};
    }
  }
}

void forget_pattern(OneStepSolver& one_step) { one_step.pattern = -1; }

void list_origins(const Discretisation& discretisation, const ActingRows& acting, OneStepNSProblem& problem) {
  if (problem.layout != discretisation.layout) problem.layout = discretisation.layout;
  problem.level = discretisation.at_positions ? OneStepNSProblem::Level::Position : OneStepNSProblem::Level::Velocity;
  problem.blocks.resize(acting.active.blocks.size());
  problem.systems.clear();
  OneStepNSProblem::Block* block = problem.blocks.data();
  for (const ActiveBlock& active : acting.active.blocks) {
    block->row = active.row;
    block->size = active.size;
    block->interaction = active.law->interaction;  // -1 of contacts found
    block->local = active.law->local;
    block->source = active.contact ? static_cast<Index>(active.source) : -1;
    block->feature = active.contact ? active.contact->feature : 0;
    block->first_system = static_cast<Index>(problem.systems.size());
    if (active.contact) {
      problem.systems.push_back(active.contact->first);
      if (active.contact->second >= 0) problem.systems.push_back(active.contact->second);
    } else {
      for (const JacobianBlock& jacobian : acting.relations.jacobians.of(acting.relations.interaction_of(*active.law)))
        problem.systems.push_back(jacobian.system);
    }
    block->systems = static_cast<Index>(problem.systems.size()) - block->first_system;
    ++block;
  }
}

void assemble(const StepView& step, const ActingRows& acting, const SystemInputs& inputs, const Eigen::VectorXd& z_free,
              double dependent, OneStepSolver& one_step) {
  const bool same_set = acting.active.keys.pattern() == one_step.pattern;
  const bool has_contacts = !acting.contacts.empty();
  if (!same_set) {
    one_step.pattern = acting.active.keys.pattern();
    const Index rows = acting.active.rows();
    list_by_system(step.discretisation.layout->systems.size(), acting.active, one_step);
    one_step.redundant.put_back(one_step.problem);
    lay_pattern(acting, one_step);
    one_step.problem.reduced.q.resize(rows);
    one_step.problem.result.r.resize(rows);
    list_origins(step.discretisation, acting, one_step.problem);
    one_step.matrix_stands = false;
  }
  if (!same_set || acting.relations.measure_varies) {
    one_step.redundant.put_back(one_step.problem);
    list_equalities(acting, one_step.redundant.candidates());
    one_step.redundant.find_loops(one_step.problem, inputs);
  }
  if (!acting.relations.all_constant || has_contacts || acting.relations.laws_vary) one_step.matrix_stands = false;
  if (!one_step.matrix_stands) {
    fill_sets(acting, one_step.problem.reduced.K);
    one_step.redundant.put_back(one_step.problem);
    fill_values(step.discretisation.threads, acting, one_step);
  }
  evaluate_rows(step, acting, z_free, one_step.problem.reduced.q.data());
  if (one_step.redundant.any_loops()) settle_redundant_rows(step, acting, z_free, dependent, one_step);
}

void find_loops(const StepView& step, const ActingRows& acting, const SystemInputs& inputs,
                const Eigen::VectorXd& z_free, OneStepSolver& one_step, BlockSparseMatrix& products) {
  list_equalities(acting, one_step.redundant.candidates());
  one_step.redundant.find_loops(one_step.problem, inputs);
  if (!one_step.redundant.any_loops()) return;
  sum_terms_of_loops(step, acting, z_free, one_step);
  list_by_system(step.discretisation.layout->systems.size(), acting.active, one_step);
  const std::vector<ActiveBlock>& blocks = acting.active.blocks;
  const auto count = static_cast<Index>(blocks.size());
  one_step.sizes.resize(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) one_step.sizes[i] = blocks[i].size;
  one_step.stamp.assign(blocks.size(), -1);
  products.begin_pattern(one_step.sizes);
  for (Index i = 0; i < count; ++i) {
    for_each_pair_in_loops(acting, one_step, i, [&](const ActiveJacobian&, const ActiveJacobian& other) {
      Index& stamp = one_step.stamp[static_cast<std::size_t>(other.block)];
      if (stamp != i) products.insert(other.block);
      stamp = i;
    });
    products.next_row();
  }
  products.end_pattern();
  products.set_zero();
  for (Index i = 0; i < count; ++i) {
    for_each_pair_in_loops(acting, one_step, i, [&](const ActiveJacobian& jacobian, const ActiveJacobian& other) {
      add_product(jacobian, blocks[static_cast<std::size_t>(i)].size, other,
                  blocks[static_cast<std::size_t>(other.block)].size, products.values(products.find(i, other.block)));
    });
  }
}

}  // namespace nonsmooth::stages
