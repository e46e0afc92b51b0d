// SPDX-License-Identifier: Apache-2.0
// Reactions of joints as forces of a smooth motion, beside impulses (GeneralisedAlpha).
#include "joint_forces.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "alpha_systems.hpp"
#include "dynamics/relations/relation_values.hpp"
#include "failure.hpp"
#include "sums.hpp"
#include "workspace_implementation.hpp"

namespace nonsmooth::stages {
namespace {

using Caches = Workspace::Implementation;

constexpr double kContradiction = 1e-6;  ///< of the terms of u_k: far above what solvers and projections leave

constexpr double kGoesOn = 1.0;  ///< behind lambda in State::differences: no impact; otherwise 0

/// The interaction holds velocities rigidly, whatever the state, and nothing else.
bool holds_velocities(const InteractionPlan& interaction) {
  if (interaction.first_order || interaction.compliant || interaction.special) return false;
  const PreparedLaw& law = *interaction.law;
  const auto is_free = [](const LawBlock::Part& part) { return part.set.kind == SetKind::Free; };
  return !law.unilateral && !law.has_impacts() && law.varies == LawVaries::Never && law.is_its_block() &&
         law.auxiliary == 0 && law.level == LawLevel::Velocity && law.stiffness == 0.0 && law.coupling.size() == 0 &&
         law.offset.size() == 0 && law.law->force_law() == nullptr &&
         std::all_of(law.parts.begin(), law.parts.end(), is_free);
}

/// Calls visit(Jacobian block, its number) for those of the interactions that have forces.
template <class Visit>
void for_each_jacobian(const RelationCaches& relations, const JointForces& own, Visit visit) {
  for (const Index i : own.interactions) {
    const InteractionPlan& interaction = relations.interaction(i);
    for (Index l = interaction.first_jacobian; l < interaction.first_jacobian + interaction.num_jacobians; ++l)
      visit(interaction, relations.jacobians.list[static_cast<std::size_t>(l)], static_cast<std::size_t>(l));
  }
}

/// The p of an active block's Jacobian blocks, from an array that is laid out as JacobianBlocks::p.
void point_to(const std::vector<double>& p, const RelationCaches& relations, const ActiveBlock& block,
              ActiveSet& active) {
  const InteractionPlan& interaction = relations.interaction_of(*block.law);
  for (Index l = 0; l < block.num_jacobians; ++l) {
    const JacobianBlock& jacobian = relations.jacobians.list[static_cast<std::size_t>(interaction.first_jacobian + l)];
    active.jacobians[static_cast<std::size_t>(block.first_jacobian + l)].p =
        p.data() + jacobian.p + block.law->local * jacobian.n;
  }
}

void list_joints(const StepView& step, Caches& caches) {
  JointForces& own = caches.joint_forces;
  own.active.blocks.clear();
  own.active.jacobians.clear();
  own.active.keys.begin();
  for (std::size_t b = 0; b < own.blocks.size(); ++b) {
    if (!own.blocks[b]) continue;
    ActiveBlock& block = append_block(step, caches.relations, b, own.active);
    block.w = own.w.data() + block.law->row;
    point_to(own.p, caches.relations, block, own.active);
    own.active.keys.add({.identity = b, .size = static_cast<std::int32_t>(block.size)});
  }
  own.active.keys.end();
}

/// own.p := P of H as it stands, by `solve(system, columns)`.
template <class Solve>
void compute_responses(const RelationCaches& relations, JointForces& own, Solve solve) {
  for_each_jacobian(
      relations, own, [&](const InteractionPlan& interaction, const JacobianBlock& jacobian, std::size_t) {
        Eigen::Map<Eigen::MatrixXd> P(own.p.data() + jacobian.p, jacobian.n, interaction.rows);
        P = Eigen::Map<const Eigen::MatrixXd>(relations.jacobians.hu.data() + jacobian.hu, interaction.rows, jacobian.n)
                .transpose();
        solve(jacobian.system, P);
      });
}

/// Solves the rows of joints alone, own.active, from `z_free`; false where the step ends there.
bool solve_rows_of_joints(const TimeSteppingOptions& options, const StepView& step, const Eigen::VectorXd& z_free,
                          Caches& caches, StepReport& report) {
  JointForces& own = caches.joint_forces;
  const ActingRows rows{caches.relations, caches.contacts, own.active};
  own.one_step.matrix_stands = false;
  assemble(step, rows, caches.systems.inputs, z_free, options.dependent_rows, own.one_step);
  solve(options, step.state, rows, true, caches.threads, own.one_step);
  const mixed::Result& result = own.one_step.problem.result;
  for (const ActiveBlock& block : own.active.blocks) {
    for (Index r = 0; r < block.size; ++r) own.at_end[block.law->row + r] = result.r[block.row + r] / step.h();
  }
  add_problem(result, report);
  report.redundant_rows = own.one_step.redundant.count();
  report.unexamined_rows = own.one_step.redundant.unexamined();
  if (result.ok()) return true;
  report.outcome = StepReport::Outcome::SolverFailed;
  report.detail = place_of_failure(own.one_step.problem);
  if (options.on_failure == OnFailure::Accept) return true;
  report.taken = false;
  if (const std::string redundant = redundant_equalities(own.one_step.problem); !redundant.empty())
    report.detail += (report.detail.empty() ? "" : " ") + redundant;
  // What failed is what is shown.
  std::swap(caches.one_step.problem, own.one_step.problem);
  forget_pattern(caches.one_step);
  forget_pattern(own.one_step);
  return false;
}

/// H at the state, for the joints whose H varies.
void evaluate_jacobians(const State& state, const JointForces& own, RelationCaches& relations) {
  for (const Index i : own.interactions) {
    InteractionPlan& interaction = relations.interactions[static_cast<std::size_t>(i)];
    if (interaction.offset) continue;
    gather(state.positions, true, relations.jacobians, interaction);
    interaction.evaluator().H(state.t, interaction.q, interaction.lambda, interaction.jacobian);
    copy_jacobian(interaction, relations.jacobians);
  }
}

/// JointForces::jumps, u and H being of the state.
void find_jumps(const State& state, const RelationCaches& relations, JointForces& own) {
  own.jumped = false;
  for (const Index i : own.interactions) {
    const InteractionPlan& interaction = relations.interaction(i);
    for (Index r = 0; r < interaction.rows; ++r) {
      const double u = state.velocities[interaction.row + r];
      double terms = 0.0;
      for (const JacobianBlock& jacobian : relations.jacobians.of(interaction)) {
        const double* const H = relations.jacobians.hu.data() + jacobian.hu + r;
        for (Index k = 0; k < jacobian.n; ++k)
          terms += std::abs(H[k * interaction.rows] * state.unknowns[jacobian.z + k]);
      }
      const bool jumps = std::abs(u) > kContradiction * std::max(terms, std::abs(u - terms));
      own.jumps[static_cast<std::size_t>(interaction.row + r)] = jumps ? u : 0.0;
      own.jumped = own.jumped || jumps;
    }
  }
}

/// The state has lambda of its end, which no impact has made another.
bool knows_forces(const State& state) {
  return state.has_differences() && state.differences.size() > state.unknowns.size() &&
         state.differences[state.differences.size() - 1] == kGoesOn;
}

/// Impulses changed the velocities by more than contact at rest does, which takes back what v~ has gained: the motion
/// begins anew, with A = a. True where a system does.
bool begin_anew(const StepView& step, const StepSolution& solution, const StepSolution& smooth, State& state) {
  bool any = false;
  for (std::size_t s = 0; s < step.discretisation.schemes.size(); ++s) {
    if (!step.discretisation.schemes[s].generalised_alpha) continue;
    const Layout::System& place = step.system(static_cast<Index>(s));
    const auto z = smooth.z.segment(place.z, place.n);
    const double jump = (state.unknowns.segment(place.z, place.n) - z).norm();
    if (!(jump > 2.0 * (z - solution.z.segment(place.z, place.n)).norm())) continue;
    state.differences.segment(place.z, place.n).setZero();
    any = true;
  }
  return any;
}

/// H a + curvature = 0 at the state: lambda_k into own.at_end. False where the step ends there.
bool solve_accelerations(const TimeSteppingOptions& options, const StepView& step, Caches& caches, StepReport& report) {
  JointForces& own = caches.joint_forces;
  own.sum.setZero();
  for_each_alpha(step.discretisation, caches.systems, [&](const Layout::System& place, SystemBatch& batch, Index at) {
    batch.factor_mass(step, at);
    batch.free_accelerations(step, at, own.sum.segment(place.z, place.n));
  });
  own.sum *= step.h();
  compute_responses(caches.relations, own,
                    [&](Index system, MatrixRef P) { apply_inverse(caches.systems, system, P); });
  for (const Index i : own.interactions) {
    InteractionPlan& interaction = caches.relations.interactions[static_cast<std::size_t>(i)];
    interaction.values.setZero();
    if (!interaction.offset) {
      gather(step.state.positions, true, caches.relations.jacobians, interaction);
      gather(step.state.unknowns, false, caches.relations.jacobians, interaction);
      interaction.evaluator().curvature(step.state.t, interaction.q, interaction.z, interaction.values);
    }
    for (Index r = 0; r < interaction.rows; ++r)
      own.w[static_cast<std::size_t>(interaction.row + r)] = step.h() * interaction.values[r];
  }
  return solve_rows_of_joints(options, step, own.sum, caches, report);
}

bool nothing_else_acts(const StepView& step, const Caches& caches) {
  const JointForces& own = caches.joint_forces;
  const auto is_joint = [&](const ActiveBlock& block) {
    return block.model_block >= 0 && own.blocks[static_cast<std::size_t>(block.model_block)] != 0;
  };
  const auto acts = [&](const ImpulsiveLoad& load) {
    return load.instant > step.state.t && load.instant <= step.t_next;
  };
  const auto& loads = caches.systems.inputs.impulsive_loads;
  return !own.jumped && std::none_of(loads.begin(), loads.end(), acts) &&
         std::all_of(caches.active.blocks.begin(), caches.active.blocks.end(), is_joint);
}

/// The smooth motion has changed from `before` to `after`, which the systems take up; after := what they have.
void take_up(const StepView& step, const Eigen::VectorXd& before, Eigen::VectorXd& sum, Eigen::VectorXd& after,
             SystemCaches& systems) {
  for_each_alpha(step.discretisation, systems, [&](const Layout::System& place, SystemBatch& batch, Index at) {
    auto z = after.segment(place.z, place.n);
    auto change = sum.segment(place.z, place.n);
    change = z - before.segment(place.z, place.n);
    batch.add_smooth(step.h(), at, change);
    batch.smooth_unknowns(at, z);
  });
}

}  // namespace

void prepare_joint_forces(Caches& caches) {
  JointForces& own = caches.joint_forces;
  const RelationCaches& relations = caches.relations;
  own.on = own.alone = false;
  own.interactions.clear();
  own.blocks.assign(relations.blocks.size(), 0);
  for (std::size_t i = 0; i < relations.interactions.size(); ++i) {
    const InteractionPlan& interaction = relations.interactions[i];
    const auto linked = relations.jacobians.of(interaction);
    const auto is_alpha = [&](const JacobianBlock& one) {
      return caches.discretisation.scheme(one.system).generalised_alpha;
    };
    if (holds_velocities(interaction) && std::all_of(linked.begin(), linked.end(), is_alpha))
      own.interactions.push_back(static_cast<Index>(i));
  }
  own.on = !own.interactions.empty();
  if (!own.on) return;
  for (std::size_t b = 0; b < relations.blocks.size(); ++b) {
    own.blocks[b] =
        std::binary_search(own.interactions.begin(), own.interactions.end(), relations.blocks[b].interaction);
  }
  const Layout& layout = *caches.discretisation.layout;
  const auto rows = static_cast<std::size_t>(layout.num_rows);
  own.p.assign(relations.jacobians.p.size(), 0.0);
  own.w.assign(rows, 0.0);
  own.jumps.assign(rows, 0.0);
  own.at_start.setZero(layout.num_rows);
  own.at_end.setZero(layout.num_rows);
  own.sum.setZero(layout.num_unknowns);
  own.solution.z_free.setZero(layout.num_unknowns);
  own.solution.z.setZero(layout.num_unknowns);
  own.solution.lambda.setZero(layout.num_rows);
  own.reaction_begin.clear();
  Index reactions = 0;
  for (const JacobianBlock& one : relations.jacobians.list) {
    own.reaction_begin.push_back(reactions);
    reactions += one.n;
  }
  own.reactions.assign(static_cast<std::size_t>(reactions), 0.0);
  forget_pattern(own.one_step);
  own.one_step.touched.clear();
  own.one_step.solver.reset();
}

bool begin_joint_forces(const TimeSteppingOptions& options, const StepView& step, Caches& caches, StepReport& report) {
  JointForces& own = caches.joint_forces;
  own.one_step.redundant.begin_step();
  own.one_step.percussions.resize(0);
  list_joints(step, caches);
  evaluate_jacobians(step.state, own, caches.relations);
  find_jumps(step.state, caches.relations, own);
  if (knows_forces(step.state)) {
    own.at_start = step.state.differences.segment(step.state.unknowns.size(), own.at_start.size());
  } else {
    if (!solve_accelerations(options, step, caches, report)) return false;
    own.at_start = own.at_end;
  }
  own.sum.setZero();
  for_each_jacobian(
      caches.relations, own, [&](const InteractionPlan& interaction, const JacobianBlock& jacobian, std::size_t l) {
        Eigen::Map<Eigen::VectorXd> own_part(own.reactions.data() + own.reaction_begin[l], jacobian.n);
        own_part.noalias() = Eigen::Map<const Eigen::MatrixXd>(caches.relations.jacobians.hu.data() + jacobian.hu,
                                                               interaction.rows, jacobian.n)
                                 .transpose() *
                             own.at_start.segment(interaction.row, interaction.rows);
        own.sum.segment(jacobian.z, jacobian.n) += own_part;
      });
  for_each_alpha(step.discretisation, caches.systems, [&](const Layout::System& place, SystemBatch& batch, Index at) {
    batch.set_start_reaction(at, own.sum.segment(place.z, place.n));
  });
  return true;
}

bool solve_joint_forces(const TimeSteppingOptions& options, const StepView& step, Caches& caches, StepReport& report) {
  JointForces& own = caches.joint_forces;
  own.alone = nothing_else_acts(step, caches);
  compute_responses(caches.relations, own, [&](Index system, MatrixRef P) {
    const SystemCaches::Place& at = caches.systems.at(system);
    at.batch->apply_force_inverse(at.place, P);
  });
  for (const ActiveBlock& block : caches.active.blocks) {
    if (block.model_block < 0 || !own.blocks[static_cast<std::size_t>(block.model_block)]) continue;
    point_to(own.alone ? own.p : caches.relations.jacobians.p, caches.relations, block, caches.active);
  }
  caches.one_step.matrix_stands = false;
  if (own.alone) return true;
  for (std::size_t row = 0; row < own.w.size(); ++row) own.w[row] = caches.relations.w[row] - own.jumps[row];
  Eigen::VectorXd& z_free = caches.solution.z_free;
  own.solution.z_free = z_free;
  for_each_alpha(step.discretisation, caches.systems, [&](const Layout::System& place, SystemBatch& batch, Index at) {
    batch.smooth_unknowns(at, own.solution.z_free.segment(place.z, place.n));
  });
  if (!solve_rows_of_joints(options, step, own.solution.z_free, caches, report)) return false;
  const ActingRows rows{caches.relations, caches.contacts, own.active};
  apply_multipliers(caches.threads, rows, own.one_step, own.solution);
  refine_unknowns(step, rows, caches.threads, own.one_step, own.solution);
  z_free += own.solution.z - own.solution.z_free;
  take_up(step, own.solution.z_free, own.sum, own.solution.z, caches.systems);
  return true;
}

void take_joint_forces(const StepView& step, Caches& caches) {
  JointForces& own = caches.joint_forces;
  StepSolution& solution = caches.solution;
  for (const ActiveBlock& block : caches.active.blocks) {
    for (Index r = 0; r < block.size; ++r)
      own.at_end[block.law->row + r] = caches.one_step.problem.result.r[block.row + r] / step.h();
  }
  take_up(step, solution.z_free, own.sum, solution.z, caches.systems);
  solution.z_free = solution.z;
}

void tell_of_joint_forces(const JointForces& own, StepReport& report) {
  const mixed::Result& result = own.one_step.problem.result;
  report.solver_iterations += result.iterations;
  if (!(result.certificate.residual > report.certificate.residual)) return;
  report.certificate = result.certificate;
  report.at_round_off = result.at_round_off;
}

void commit_joint_forces(const StepView& step, const Caches& caches, State& state) {
  const JointForces& own = caches.joint_forces;
  const Index unknowns = state.unknowns.size(), rows = state.outputs.size();
  if (state.differences.size() != unknowns + rows + 1) {
    state.differences.conservativeResize(unknowns + rows + 1);
    state.differences.tail(rows + 1).setZero();
  }
  const bool anew = !own.alone && begin_anew(step, caches.solution, own.solution, state);
  state.differences[unknowns + rows] = anew ? 0.0 : kGoesOn;
  const double half = 0.5 * step.h();
  for (const Index i : own.interactions) {
    const InteractionPlan& interaction = caches.relations.interaction(i);
    const Index row = interaction.row, size = interaction.rows;
    auto multipliers = state.multipliers.segment(row, size);
    if (own.alone) multipliers.setZero();  // those of the problem were of t_{k+1}
    multipliers += half * (own.at_start.segment(row, size) + own.at_end.segment(row, size));
    state.differences.segment(unknowns + row, size) = own.at_end.segment(row, size);
  }
}

}  // namespace nonsmooth::stages
