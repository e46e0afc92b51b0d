// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system_batch.hpp"

namespace nonsmooth {

struct SweepingSystem {
  Index system = 0;
  const SweepingProcess* description = nullptr;
  Eigen::VectorXd f;
};

/// Points that moving sets drag, by catching up: z_free is x_{k+1}, and no interaction acts on them.
class SweepingBatch final : public ListedBatch<SweepingSystem> {
 public:
  using ListedBatch::ListedBatch;

  [[nodiscard]] bool takes(const SystemCandidate& candidate) const override;
  void prepare(const DiscretisedSystem& given) override;
  void free_state(const StepView& step, Eigen::VectorXd& z_free) override;
  void apply_inverse(Index, MatrixRef b) override { b.setZero(); }
};

}  // namespace nonsmooth
