// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/state.hpp>

#include "discretisation.hpp"

namespace nonsmooth {

/// What every stage of a step starts from and none writes: the state at t_k, the end of the step, the schemes.
struct StepView {
  const State& state;
  double t_next;
  const Discretisation& discretisation;

  [[nodiscard]] double h() const { return discretisation.h; }
  [[nodiscard]] const Layout::System& system(Index i) const { return discretisation.system(i); }
  [[nodiscard]] const Scheme& scheme(Index i) const { return discretisation.scheme(i); }
};

}  // namespace nonsmooth
