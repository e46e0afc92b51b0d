// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/kernel/one_step_ns_problem.hpp>
#include <nonsmooth/numerics/any_solver.hpp>

#include "contact/active_set.hpp"
#include "redundant_rows.hpp"
#include "step_solution.hpp"

namespace nonsmooth {

/// The one-step problem of the rows that act, the pattern of its reduced form and its solvers.
struct OneStepSolver {
  OneStepNSProblem problem;
  AnySolverWorkspace solver;
  bool matrix_stands = false;        ///< W and K are those of the last assembly
  bool solver_knows_matrix = false;  ///< and what was solved last was by `solver`

  Index pattern = -1;                                    ///< of ActiveKeys, that what follows is of
  std::vector<Index> system_begin, jacobians_by_system;  ///< what acts on each system, in block order
  std::vector<Index> touched;                            ///< systems that some block acts on
  std::vector<Index> sizes, stamp;

  RedundantRows redundant;
  Eigen::VectorXd terms;      ///< absolute ones that q is the sum of, of the rows of loops, until they are settled
  GrowingVector percussions;  ///< of an impact that was solved by itself in this step: a start; empty: none
};

namespace stages {

/// The next assembly starts from nothing.
void forget_pattern(OneStepSolver& one_step);
/// Where the rows that act come from, into problem.blocks.
void list_origins(const Discretisation& discretisation, const ActingRows& acting, OneStepNSProblem& problem);
/// W, q, K of the rows that act; equality rows of loops that are left with less than `dependent` by others, 0: none, as
/// RedundantRows has them.
void assemble(const StepView& step, const ActingRows& acting, const SystemInputs& inputs, const Eigen::VectorXd& z_free,
              double dependent, OneStepSolver& one_step);
/// The loops of the equality rows that act, before a problem in the global form: their blocks of W, and the terms of
/// their rows. After list_origins.
void find_loops(const StepView& step, const ActingRows& acting, const SystemInputs& inputs,
                const Eigen::VectorXd& z_free, OneStepSolver& one_step, BlockSparseMatrix& products);
/// Solves it, from the state's multipliers (or the impulses of an impact that was solved by itself) or else from the
/// answer of the linearisation before, of the same step.
void solve(const TimeSteppingOptions& options, const State& state, const ActingRows& acting, bool from_state,
           ThreadPool& threads, OneStepSolver& one_step);
/// Keeps the answer of the linearisation before where it is one of this one too, to `tolerance`, by its certificate.
/// False where it is none, or a loop was solved alone: solve() comes next.
[[nodiscard]] bool keep_answer(double tolerance, OneStepSolver& one_step);
/// H z + w + what laws add of the velocity before, of the rows that act: q at z = z_free.
void evaluate_rows(const StepView& step, const ActingRows& acting, const Eigen::VectorXd& z, double* q);
/// z = z_free + P r; lambda = r by state row, where something is nonlinear.
void apply_multipliers(ThreadPool& threads, const ActingRows& acting, const OneStepSolver& one_step,
                       StepSolution& solution);
/// Of a large loop that was solved alone: r := r + d, z := z + P d with W d = -(H z + w). Where a loop is long, what
/// W r + q has of rounding, eps |W||r|, is that over the root of the least eigenvalue in z; H z has eps |H||z|.
void refine_unknowns(const StepView& step, const ActingRows& acting, ThreadPool& threads, OneStepSolver& one_step,
                     StepSolution& solution);
/// The part of it that is lambda.
void keep_multipliers(const ActingRows& acting, const mixed::Result& result, Eigen::VectorXd& lambda);

/// What a row has beside H z: w and what is added to u+, on the rows of one active block.
inline void law_terms(const StepView& step, const ActiveBlock& block, const ActingRows& acting, double* value) {
  for (Index r = 0; r < block.size; ++r) value[r] = (block.w ? block.w[r] : 0.0) + acting.added(step, block, r);
}
/// The sets of the active blocks; rows of a ForceLaw count by the speed that it gives (BlockSet::unit).
void fill_sets(const ActingRows& acting, ProductSet& K);
/// Last step's multipliers of the active blocks.
void warm_start(const State& state, const ActingRows& acting, GrowingVector& r);

}  // namespace stages
}  // namespace nonsmooth
