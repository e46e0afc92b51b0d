// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "dynamics/system_batch.hpp"
#include "model/inclusions/process_with_law.hpp"

namespace nonsmooth {

struct SteppedProcess {
  Index system = 0;
  std::unique_ptr<ProcessStepper> stepper;
};

/// Systems that have their law within them: z_free is x_{k+1}, and no interaction acts on them.
class ProcessBatch final : public ListedBatch<SteppedProcess> {
 public:
  using ListedBatch::ListedBatch;

  [[nodiscard]] bool takes(const SystemCandidate& candidate) const override;
  void prepare(const DiscretisedSystem& given) override;
  void free_state(const StepView& step, Eigen::VectorXd& z_free) override;
  void apply_inverse(Index, MatrixRef b) override { b.setZero(); }
  /// What the systems solved in the last free_state(): rows of all, the certificate of the worst.
  [[nodiscard]] const OwnProblem& own_problems() const { return solved_; }

 private:
  OwnProblem solved_;
};

}  // namespace nonsmooth
