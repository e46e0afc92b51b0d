// SPDX-License-Identifier: Apache-2.0
// Stage 5: the solution of u = W r + q, and what it makes of the unknowns.
#include "one_step_solver.hpp"

#include <utility>

#include "stepping/failure.hpp"

namespace nonsmooth::stages {
namespace {

constexpr Index kSystemGrain = 256;  ///< systems a chunk
constexpr int kRefinements = 2;      ///< each leaves cond(W) eps of what was there

/// z := z + P r.
void add_impulses(ThreadPool& threads, const ActingRows& acting, const OneStepSolver& one_step, const double* r,
                  double* z) {
  const ActiveBlock* const blocks = acting.active.blocks.data();
  const ActiveJacobian* const jacobians = acting.active.jacobians.data();
  threads.for_each_range(
      static_cast<Index>(one_step.touched.size()), kSystemGrain, [=, &one_step](Index begin, Index end) {
        for (Index t = begin; t < end; ++t) {
          const auto system = static_cast<std::size_t>(one_step.touched[static_cast<std::size_t>(t)]);
          for (Index l = one_step.system_begin[system]; l < one_step.system_begin[system + 1]; ++l) {
            const ActiveJacobian& jacobian = jacobians[one_step.jacobians_by_system[static_cast<std::size_t>(l)]];
            const ActiveBlock& block = blocks[jacobian.block];
            double* const z_of = z + jacobian.z;
            for (Index c = 0; c < block.size; ++c) {
              const double r_c = r[block.row + c];
              const double* P = jacobian.p + c * jacobian.n;
              for (Index k = 0; k < jacobian.n; ++k) z_of[k] += P[k] * r_c;
            }
          }
        }
      });
}

}  // namespace

// Matched by interaction, and by contact source and feature (both lists are sorted by these).
void warm_start(const State& state, const ActingRows& acting, GrowingVector& r) {
  std::size_t memory = 0;
  for (const ActiveBlock& block : acting.active.blocks) {
    const double* last = nullptr;
    if (block.model_block >= 0) {
      last = state.multipliers.data() + block.law->row;
    } else {
      const auto identity = std::pair(block.source, block.contact->feature);
      const auto remembered = [&] { return std::pair(state.contacts[memory].source, state.contacts[memory].feature); };
      while (memory < state.contacts.size() && remembered() < identity) ++memory;
      if (memory < state.contacts.size() && remembered() == identity) last = state.contacts[memory].impulse.data();
    }
    for (Index k = 0; k < block.size; ++k) r[block.row + k] = last ? last[k] : 0.0;
  }
}

void solve(const TimeSteppingOptions& options, const State& state, const ActingRows& acting, bool from_state,
           ThreadPool& threads, OneStepSolver& one_step) {
  OneStepNSProblem& problem = one_step.problem;
  if (from_state) {
    warm_start(state, acting, problem.result.r);
    for (Index i = 0; i < one_step.percussions.size(); ++i) {
      if (one_step.percussions[i] != 0.0) problem.result.r[i] = one_step.percussions[i];
    }
  }
  one_step.redundant.begin_solution(problem.result.r.data());
  problem.start = problem.result.r;
  problem.global.reset();
  const auto* automatic = options.solver.get_if<mixed::Automatic>();
  const bool alone = automatic && one_step.redundant.solve_alone(automatic->tolerance, problem);
  if (!alone) {
    naming_rows(options.solver, problem, [&] {
      one_step.solver.solve(options.solver, problem.reduced, one_step.matrix_stands && one_step.solver_knows_matrix,
                            threads, problem.result, problem.decisions);
    });
  }
  one_step.solver_knows_matrix = !alone;
  one_step.redundant.end_solution(problem);
  one_step.matrix_stands = true;
}

bool keep_answer(double tolerance, OneStepSolver& one_step) {
  OneStepNSProblem& problem = one_step.problem;
  mixed::Result& result = problem.result;
  if (!result.ok() || result.r.size() != problem.reduced.W.rows() || one_step.redundant.solved_alone()) return false;
  one_step.redundant.begin_solution(result.r.data());
  const Certificate certificate = mixed::certify(problem.reduced, result.r, result.u);
  if (!(certificate.residual <= tolerance)) return false;
  result.certificate = certificate;
  problem.start = result.r;
  one_step.redundant.end_solution(problem);
  one_step.solver_knows_matrix = false;
  one_step.matrix_stands = true;
  return true;
}

void keep_multipliers(const ActingRows& acting, const mixed::Result& result, Eigen::VectorXd& lambda) {
  lambda.setZero();
  for (const ActiveBlock& block : acting.active.blocks) {
    if (block.model_block < 0) continue;
    const Index row = block.law->row;
    for (Index k = 0; k < block.size; ++k) lambda[row + k] = result.r[block.row + k];
  }
}

void apply_multipliers(ThreadPool& threads, const ActingRows& acting, const OneStepSolver& one_step,
                       StepSolution& solution) {
  solution.z = solution.z_free;
  if (acting.relations.any_iterates) keep_multipliers(acting, one_step.problem.result, solution.lambda);
  add_impulses(threads, acting, one_step, one_step.problem.result.r.data(), solution.z.data());
}

void refine_unknowns(const StepView& step, const ActingRows& acting, ThreadPool& threads, OneStepSolver& one_step,
                     StepSolution& solution) {
  if (!one_step.redundant.solved_alone()) return;
  OneStepNSProblem& problem = one_step.problem;
  GrowingVector &r = problem.result.r, &u = problem.result.u;
  auto d = one_step.terms.head(r.size());
  for (int pass = 0; pass < kRefinements; ++pass) {
    evaluate_rows(step, acting, solution.z, u.data());
    d.setZero();
    if (!one_step.redundant.correct(problem.reduced.W, u.data(), d.data())) return;
    r += d;
    add_impulses(threads, acting, one_step, d.data(), solution.z.data());
  }
  if (acting.relations.any_iterates) keep_multipliers(acting, problem.result, solution.lambda);
}

}  // namespace nonsmooth::stages
