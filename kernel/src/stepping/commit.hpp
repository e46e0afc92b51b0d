// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stepping/problem/one_step_solver.hpp"

/// What a step commits to the state, in this order.
namespace nonsmooth::stages {

/// Positions, then unknowns; solution.z gets those before. Scratch of `systems` is written.
void commit_motion(const Discretisation& discretisation, SystemCaches& systems, StepSolution& solution, State& state);
/// Multipliers, percussions and the memory of detected contacts. Before outputs are evaluated anew: the step still sees
/// those at t_k in `state`.
void commit_multipliers(const StepView& step, const ActingRows& acting, const mixed::Result& result,
                        Eigen::VectorXd& last_multipliers, State& state);
/// t, and the grid of steps.
void commit_time(double t_next, const Discretisation& discretisation, State& state);

}  // namespace nonsmooth::stages
