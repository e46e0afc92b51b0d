// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <internal/sparse_room.hpp>
#include <nonsmooth/numerics/friction/global_problem.hpp>

#include "one_step_solver.hpp"

namespace nonsmooth {

/// What the global form of a one-step problem, A (v - v_free) = H^T r and u = H v + w without a Delassus matrix, keeps.
struct GlobalForm {
  std::vector<Index> systems, offset;  ///< systems in A, and the first of their rows by system; -1: not in A
  std::vector<char> acted_on;          ///< scratch, by system
  bool laws_checked = false;           ///< every law of the model is one that the global form solves
  bool on = false;                     ///< of the step: its problem is solved in this form
  Index shares = 0;                    ///< last rows of A, of unit mass: dependent rows that share their reactions
  BlockSparseMatrix products;          ///< of loops, blocks of W
  SparseWriter of_A, of_H;             ///< the memory that they are written with
  friction::GlobalResult found;        ///< of the solver; its v is v - v_free, empty where none was asked
};

namespace stages {

/// Whether the rows that act are solved in this form, asked for by the options: not where one has a set that the form
/// does not know, box or plastic, and the solver takes the reduced form as well. @throws InvalidArgument for a law that
/// the form or its solver cannot have, naming the interaction or source.
[[nodiscard]] bool takes_global(const TimeSteppingOptions& options, const ActingRows& acting,
                                const ContactSearch& search, GlobalForm& form);
/// A, H, w and K, equality rows that depend on others replaced as RedundantRows has them (`dependent` as assemble()).
void assemble_global(const StepView& step, const ActingRows& acting, const SystemCaches& systems,
                     const Eigen::VectorXd& z_free, double dependent, GlobalForm& form, OneStepSolver& one_step);
/// Solves it, warm-started from the state's multipliers; the result stands where that of the reduced form would.
void solve_global(const TimeSteppingOptions& options, const State& state, const ActingRows& acting, GlobalForm& form,
                  OneStepSolver& one_step);
/// z = z_free + A^-1 H^T r; lambda as apply_multipliers has it.
void apply_global(const Discretisation& discretisation, const SystemCaches& systems, const ActingRows& acting,
                  const GlobalForm& form, const mixed::Result& result, StepSolution& solution);

}  // namespace stages
}  // namespace nonsmooth
