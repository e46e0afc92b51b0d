// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/automatic_workspace.hpp>

#include <utility>

#include <nonsmooth/numerics/friction/hyperstaticity.hpp>

#include "friction_tiers.hpp"
#include "mixed/canonical.hpp"
#include "mixed/friction_tiers.hpp"
#include "mixed/internal.hpp"
#include "set_kernels.hpp"

namespace nonsmooth::friction {

struct AutomaticWorkspace::Implementation {
  internal::AutomaticMemory memory;
  mixed::internal::CanonicalForm canonical;
};

AutomaticWorkspace::AutomaticWorkspace() : implementation_(std::make_unique<Implementation>()) {}
AutomaticWorkspace::~AutomaticWorkspace() = default;
AutomaticWorkspace::AutomaticWorkspace(AutomaticWorkspace&&) noexcept = default;
AutomaticWorkspace& AutomaticWorkspace::operator=(AutomaticWorkspace&&) noexcept = default;

void AutomaticWorkspace::solve(const Problem& problem, const Automatic& options, Result& result) {
  if (!implementation_) implementation_ = std::make_unique<Implementation>();
  Implementation& work = *implementation_;
  const auto run = [&](const Problem& canonical, Result& found) {
    mixed::internal::begin(canonical, "automatic", found);
    found.decisions.clear();
    found.hyperstaticity.reset();
    for (Index b = 0; b < canonical.K.num_blocks(); ++b)
      project(canonical.K[b], found.r.data() + canonical.K.offset(b), canonical.K.size(b));
    internal::solve_canonical(canonical, options, work.memory, found);
    if (options.measure == Measure::Certificate) mixed::internal::tell_round_off(canonical, found);
    if (options.hyperstaticity && found.ok()) found.hyperstaticity = hyperstaticity(canonical, found.r, found.u);
    found.figures = mixed::friction_figures(canonical, found.r, found.u);
  };
  if (problem.K.is_canonical()) return run(problem, result);
  mixed::internal::solve_canonical(problem, work.canonical, false, result, run);
}

}  // namespace nonsmooth::friction

namespace nonsmooth::mixed::internal {

struct FrictionTiers::Memory {
  friction::internal::TierMemory tiers;
  friction::Result result;
};

FrictionTiers::FrictionTiers() = default;
FrictionTiers::~FrictionTiers() = default;

bool FrictionTiers::takes(const ProductSet& K) noexcept {
  const Index friction = K.count(SetKind::Coulomb2D) + K.count(SetKind::Coulomb3D) + K.count(SetKind::Rolling);
  return friction > 0 && friction + K.count(SetKind::Orthant) + K.count(SetKind::Free) == K.num_blocks();
}

void FrictionTiers::solve(const Problem& problem, const Automatic& options, const detail::Deadline& deadline,
                          bool modes_tried, Result& result) {
  if (!memory_) memory_ = std::make_unique<Memory>();
  friction::Result& found = memory_->result;
  const Index before = std::exchange(result.iterations, 0);
  static_cast<Result&>(found) = std::move(result);
  found.decisions.clear();
  const friction::Automatic own{.tolerance = options.tolerance, .max_iterations = options.max_iterations};
  friction::internal::Tiers tiers(problem, own, deadline, memory_->tiers, found);
  if (!tiers.sweep()) tiers.run(modes_tried);
  // The sweeps of the first tier are this family's own; without any decision the start was a solution.
  const bool swept = found.decisions.size() == 1 && found.solver == "gauss-seidel";
  if (swept || found.decisions.empty()) found.solver = "block gauss-seidel";
  result = std::move(static_cast<Result&>(found));
  result.iterations += before;
}

}  // namespace nonsmooth::mixed::internal
