// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <internal/disjoint_sets.hpp>

#include "contact/active_set.hpp"
#include "stepping/problem/step_solution.hpp"

namespace nonsmooth {

/// Who sleeps while a step is made, by system, and what is known of those that may (SleepOptions). What decides is in
/// State::sleep: nothing of a step that is not taken stays.
struct Sleep {
  enum class Role : unsigned char {
    Awake,    ///< of a kind that never sleeps
    Support,  ///< all its velocities are prescribed: it ties nothing, as the ground
    Sleeper,
  };

  SleepOptions options;
  double whole_step = 0.0;  ///< h that rest is measured by; shorter steps are not counted [s]
  bool on = false;          ///< somebody may sleep
  bool any = false;         ///< somebody slept when the step began
  bool solved = true;       ///< the step: where it is accepted as it is, it says nothing of rest

  std::shared_ptr<const Layout> layout;  ///< that what follows was made for
  std::vector<Role> roles;
  std::vector<Index> mass_begin;  ///< of M of a sleeper, n x n, in `masses`
  std::vector<double> masses;

  std::vector<Index> island;  ///< SleepMemory::island in this step
  Index woken = 0, fell_asleep = 0, asleep = 0;
  double energy_taken = 0.0;

  // Scratch: q and contacts at the start of the step, those of the step; islands of those that are awake.
  Eigen::VectorXd positions;
  std::vector<ContactMemory> contacts, others;
  DisjointSets sets{0};
  std::vector<Index> set_begin, set_members;
  std::vector<char> may_rest;  ///< by system
  std::vector<std::array<Index, 2>> touched_before;

  [[nodiscard]] bool sleeps(Index system) const { return on && island[static_cast<std::size_t>(system)] >= 0; }
};

namespace stages {

/// Who sleeps in the step, into `sleep` and `asleep` (ContactSearch): those of the state but for what has a velocity.
/// After free_state(), whose prescribed velocities say which supports are at rest.
void begin_sleep(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, const StepView& step,
                 const RelationCaches& relations, const Eigen::VectorXd& z_free, Sleep& sleep, ContactSearch& search);
/// Nobody sleeps in what follows: ends of a step that are looked at beside the one it has.
void look_at_all_awake(Sleep& sleep, ContactSearch& search);
/// Wakes the islands that something acts on from outside, or a contact that shares a matrix of coefficients with one of
/// theirs. True where some woke: what acts is to be found again.
[[nodiscard]] bool wake_touched(const ActiveSet& active, const RelationCaches& relations, Sleep& sleep,
                                std::vector<char>& asleep);
/// Wakes the islands whose forces changed; z_free is that of the first linearisation. True likewise.
[[nodiscard]] bool wake_pushed(const StepView& step, const Eigen::VectorXd& z_free, Sleep& sleep,
                               std::vector<char>& asleep);
/// z := 0 where systems sleep.
void hold_sleepers(const Discretisation& discretisation, const Sleep& sleep, Eigen::VectorXd& z);

/// Keeps what the commit of motion and multipliers overwrites, where somebody sleeps.
void keep_for_sleepers(const State& state, Sleep& sleep);
/// After the commit of motion (solution.z: the velocities before) and multipliers (last: those before): sleepers get
/// back what they had, islands at rest fall asleep.
void commit_sleep(const Discretisation& discretisation, const ActingRows& acting, const std::vector<char>& asleep,
                  const StepSolution& solution, Sleep& sleep, State& state);

}  // namespace stages
}  // namespace nonsmooth
