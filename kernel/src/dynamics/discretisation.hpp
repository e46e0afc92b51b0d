// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/workspace.hpp>
#include <nonsmooth/numerics/thread_pool.hpp>

namespace nonsmooth {

/// What a scheme is to the stages. The unknown z of a step is v_{k+1} (Moreau-Jean), (q_{k+1} - q_k) / h
/// (Schatzman-Paoli), or x_{k+1}.
struct Scheme {
  bool two_steps = false;  ///< Schatzman-Paoli
  bool hold = false;       ///< zero-order hold
  double theta = 0.5;
  double forecast = 0.5;              ///< of gaps
  double configuration_weight = 1.0;  ///< of q* between q_k and the iterate
  double multiplier_weight = 1.0;     ///< of r_{k+1} beside r_k
  double relation_weight = 1.0;       ///< of x_{k+1} beside x_k in y
  friend bool operator==(const Scheme&, const Scheme&) = default;
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
  bool two_steps = false;       ///< of some system
  double forecast = 0.0;        ///< of detected contacts: the largest of all schemes

  [[nodiscard]] const Layout::System& system(Index i) const { return layout->systems[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const Scheme& scheme(Index i) const { return schemes[static_cast<std::size_t>(i)]; }
};

namespace stages {

/// True where the revision and the schemes are those that the caches were made for; h is not looked at.
[[nodiscard]] bool has_schemes_of(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                                  const Discretisation& discretisation);
/// The scheme of each system, and h. @throws InvalidArgument for a scheme that a system cannot have, with the reason.
void discretise(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double h,
                Discretisation& discretisation);

}  // namespace stages
}  // namespace nonsmooth
