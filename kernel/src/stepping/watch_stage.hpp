// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analysis/examine_start.hpp"
#include "plan.hpp"

/// What a simulation notices while it runs, into plan.watch and RunRemarks. Nothing here changes a result.
namespace nonsmooth::stages {

/// What is to be looked at in a model that starts from a state; the plan is prepared.
void prepare_watch(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, const State& state,
                   Plan& plan);
/// The run goes on from a state that somebody wrote.
void watch_anew(Plan& plan);
/// After a step that was taken, with the plan as it left it: plan.z holds the unknowns that it started from. Appends
/// what is to be said of it, and of the step before. Cost: one pass over the unknowns.
void watch_step(const NonSmoothDynamicalSystem& model, const StepReport& report, const State& state, Plan& plan,
                RunRemarks& noticed);

/// At the end of a run: tells the impulses of its last steps that are known by the step after alone. That step, and one
/// more where an impulse may take two, is made on a copy of the state, in a workspace of its own: what the run would
/// see if it went on is what decides. Nothing is told where it cannot be made, or in halves. A run that goes on does
/// not tell it again. Cost: nothing where no impulse is waited for; up to two steps otherwise.
void tell_last_impulses(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, const State& state,
                        Workspace& workspace, Plan& plan, RunRemarks& noticed);

/// 0 belongs to every set of the law, and nothing shifts it: multipliers take energy out, and never put any in.
[[nodiscard]] bool is_passive(const LawBlock& law);
/// The storage of a passive island without inputs whose scheme may add to it: theta below 1/2, or weights below 1. With
/// theta >= 1/2 and weights of 1 a step's storage rises by second order at most, whatever it meets, and nothing is
/// looked for.
[[nodiscard]] std::optional<RunWatch::Storage> storage_of(const Island& island, const NonSmoothDynamicalSystem& model,
                                                          const Plan& plan);
/// The part of watch_step that is about first-order systems.
void watch_first_order(const StepReport& report, const State& state, Plan& plan, RunRemarks& noticed);

/// StepReport::halves_differ of a step from `before` to `after` that ends at `halves` when it is made as two.
[[nodiscard]] double halves_differ(const State& before, const State& after, const State& halves);
/// StepReport::multiplier_growth of the same, by way of `middle`; the plan is that of the whole step, of length h.
[[nodiscard]] double multiplier_growth(const State& before, const State& after, const State& middle,
                                       const State& halves, const Plan& plan);

}  // namespace nonsmooth::stages
