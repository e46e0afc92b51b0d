// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/workspace.hpp>
#include <nonsmooth/numerics/thread_pool.hpp>

namespace nonsmooth {

/// What a scheme is to the stages: its coefficients, and who gave them.
struct Scheme : SchemeCoefficients {
  std::shared_ptr<const OneStepIntegrator> integrator;
  [[nodiscard]] bool at_positions() const { return level == Level::Position; }
  [[nodiscard]] bool at_gaps() const { return level == Level::LinearisedGap; }
  /// Forces and impulses have problems of their own.
  [[nodiscard]] bool half_explicit() const { return level == Level::HalfExplicit || level == Level::HalfExplicitRates; }
  /// Of mechanics, and exact for constant matrices: impulses act before and behind a flow.
  [[nodiscard]] bool is_flow() const { return exponential && !first_order; }
  /// Impulses act on z by an A^-1 that is known, on positions otherwise than by z, and forces apart from both.
  [[nodiscard]] bool parts_impulses() const { return is_flow() || generalised_alpha; }
  /// Systems may fall asleep: rest is one of velocities, and what acts is what presses.
  [[nodiscard]] bool lets_sleep() const { return level == Level::Velocity && !keeps_unknown && !parts_impulses(); }
  /// Of z_k in the mean position, over the step, at which linear forces are taken: q_k + weight h z_k + ... (z - z_k).
  [[nodiscard]] double weight_ahead() const { return theta + (1.0 - theta) * explicit_point; }
};

/// What the caches of a workspace were made for, and the threads that loops over them run on.
struct Discretisation {
  explicit Discretisation(ThreadPool& pool) : threads(pool) {}

  ThreadPool& threads;
  bool prepared = false;  ///< false: the next step makes every cache anew
  std::shared_ptr<const Layout> layout;
  double h = 0.0;
  Integrator integrator;
  std::vector<std::pair<SystemHandle, Integrator>> integrators;
  std::vector<Scheme> schemes;  ///< by system
  bool keeps_unknowns = false;  ///< of some system
  bool at_positions = false;    ///< the unilateral rows of some system
  bool joins = false;     ///< what a projection closes acts, above its place too (Projection::Combined, WithinStep)
  double forecast = 0.0;  ///< of detected contacts: the largest of all schemes
  double reach = 0.0;     ///< the same, of schemes at linearised gaps

  [[nodiscard]] const Layout::System& system(Index i) const { return layout->systems[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const Scheme& scheme(Index i) const { return schemes[static_cast<std::size_t>(i)]; }
};

namespace stages {

/// What a scheme may ask about a system.
[[nodiscard]] SchemeUse use_of(const NonSmoothDynamicalSystem::System& system);
/// What TimeSteppingOptions::validate refuses beside schemes: a few comparisons, made in each step.
void validate_beside_schemes(const TimeSteppingOptions& options);
/// @throws InvalidArgument where nobody may sleep by the schemes alone, though it is asked for.
void check_sleep(const SleepOptions& sleep, const Layout& layout, const std::vector<Scheme>& schemes);
/// True where the revision and the schemes are those that the caches were made for; h is not looked at.
[[nodiscard]] bool has_schemes_of(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                                  const Discretisation& discretisation);
/// Its steps are those of half_explicit.hpp: all schemes of a model are half-explicit, or none is.
[[nodiscard]] inline bool is_half_explicit(const Discretisation& discretisation) {
  return !discretisation.schemes.empty() && discretisation.schemes.front().half_explicit();
}
/// The scheme of each system, and h. @throws InvalidArgument for a scheme that a system cannot have, with the reason.
void discretise(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double h,
                Discretisation& discretisation);

}  // namespace stages
}  // namespace nonsmooth
