// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/kernel/workspace.hpp>

#include "contact/active_set.hpp"
#include "stepping/problem/one_step_solver.hpp"
#include "stepping/problem/step_solution.hpp"

namespace nonsmooth {

/// Reactions of joints under GeneralisedAlpha, as forces of the smooth motion beside the impulses of all that acts:
///
///     M a = F + H^T lambda,   H v~ + h_t = 0 at t_{k+1},   v~ = v_{k+1} without impulses,
///
/// of interactions that hold velocities, between systems of that scheme alone. v~ = z_smooth + P_s (h lambda), with
/// P_s = gamma S^-1 H^T of the linearised motion, so that lambda solves a problem of its own, before that of impulses:
/// 0 = (H z_smooth + h_t) + H P_s (h lambda). Where nothing else acts it is all there is to the step, and impulses are
/// zero. Otherwise impulses start from v~, and joints have some too, H W = 0, for what contacts, impulsive loads and
/// velocities that contradict a joint do. M a_{k+1} has the F of v_{k+1}, with impulses, and lambda that of v~: between
/// impacts of bodies that nothing but joints act on they are one.
///
/// lambda_k is in the state (State::differences). Where it has none, and after impacts, the accelerations of the
/// state give it: H a + curvature = 0. After impacts A begins anew too, as v~ ended where H was of another q.
struct JointForces {
  bool on = false;                  ///< the model has such joints
  bool alone = false;               ///< of the linearised problem: nothing else acts
  std::vector<char> blocks;         ///< by block of the model: of such a joint
  std::vector<Index> interactions;  ///< such joints
  ActiveSet active;                 ///< their blocks
  std::vector<double> p;            ///< P_s, where JacobianBlocks::p has P
  std::vector<double> w;            ///< by state row: what H z~ has beside it
  std::vector<double> jumps;        ///< by state row: u_k that contradicts a joint, to be taken by an impulse
  bool jumped = false;
  Eigen::VectorXd at_start, at_end;   ///< lambda_k, lambda_{k+1} by state row; zero elsewhere
  std::vector<Index> reaction_begin;  ///< by Jacobian block
  std::vector<double> reactions;      ///< H_k^T lambda_k
  Eigen::VectorXd sum;                ///< of all unknowns
  OneStepSolver one_step;             ///< where impulses act too
  StepSolution solution;              ///< likewise
};

namespace stages {

/// After systems and interactions.
void prepare_joint_forces(Workspace::Implementation& caches);
/// lambda_k, and with it the accelerations that the step starts from. False where the step ends there.
[[nodiscard]] bool begin_joint_forces(const TimeSteppingOptions& options, const StepView& step,
                                      Workspace::Implementation& caches, StepReport& report);
/// Before a linearised problem: what acts beside joints. Where nothing does, the rows that act get P_s, and their
/// problem is that of lambda; otherwise that is solved here, and solution.z_free is the v~ that impulses start from.
/// False where the step ends there.
[[nodiscard]] bool solve_joint_forces(const TimeSteppingOptions& options, const StepView& step,
                                      Workspace::Implementation& caches, StepReport& report);
/// Where lambda has a problem of its own beside that of the report: its iterations, and its certificate if it is worse.
void tell_of_joint_forces(const JointForces& own, StepReport& report);
/// After a problem of lambda alone: the systems take it up.
void take_joint_forces(const StepView& step, Workspace::Implementation& caches);
/// The impulses of these forces into the state's multipliers, and lambda_{k+1} for the next step. After commit_motion,
/// since when caches.solution.z is v_k.
void commit_joint_forces(const StepView& step, const Workspace::Implementation& caches, State& state);

}  // namespace stages
}  // namespace nonsmooth
