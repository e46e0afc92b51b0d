// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/automatic_workspace.hpp>

#include <nonsmooth/numerics/friction/hyperstaticity.hpp>

#include "friction_tiers.hpp"
#include "mixed/canonical.hpp"
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
