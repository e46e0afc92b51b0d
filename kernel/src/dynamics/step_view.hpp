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
  /// z_k of a mechanical system: that of the last step where its scheme keeps it, v_k elsewhere and at a start.
  [[nodiscard]] auto z_before(Index i) const {
    const Eigen::VectorXd& z = scheme(i).keeps_unknown && state.has_differences() ? state.differences : state.unknowns;
    return z.segment(system(i).z, system(i).n);
  }
};

}  // namespace nonsmooth
