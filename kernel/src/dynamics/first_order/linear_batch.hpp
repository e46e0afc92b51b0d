// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/mechanics/constant_mass_batch.hpp"

namespace nonsmooth {

/// What batches of linear systems that keep a factor share, dense or sparse. A system has its `factor`, `iteration` (A
/// before prescribed components were cut out) and `scratch`.
template <class System>
class LinearBatch : public ListedBatch<System, ConstantMassBatch> {
 public:
  using ListedBatch<System, ConstantMassBatch>::ListedBatch;

  void follow(const StepView& step, Index place, const PrescribedComponent& prescribed, double change,
              Eigen::VectorXd& z_free) override {
    System& s = this->at(place);
    s.scratch = -change * s.iteration.col(prescribed.component);
    apply_inverse(place, s.scratch);
    const auto& system = step.system(s.system);
    z_free.segment(system.z, system.n) += s.scratch;
  }

  void apply_inverse(Index place, MatrixRef b) override {
    this->inputs_.cut(this->system_at(place), b);
    auto& factor = this->at(place).factor;
    if constexpr (requires { factor.solve_in_place(b, this->inputs_.buffer); }) {
      factor.solve_in_place(b, this->inputs_.buffer);
    } else {
      factor.solve_in_place(b);
    }
  }
};

}  // namespace nonsmooth
