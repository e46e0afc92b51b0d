// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <nonsmooth/kernel/higher_order.hpp>

#include "batched_law.hpp"

namespace nonsmooth {

/// What a process knows of itself beside rows and law.
struct HigherOrderData {
  HigherOrderForm form;
  Eigen::VectorXd drift;   ///< n: W M^-1 b, so that (W x)' = A_z W x + drift + what multipliers do
  Eigen::VectorXd offset;  ///< n: z = W x + offset
  Eigen::MatrixXd metric;  ///< n x n: |metric x + metric_offset| is the norm that is bounded; empty: none is
  Eigen::VectorXd metric_offset;
  HigherOrderOptions options;
};

/// 0 <= z_i ⟂ lambda_i >= 0 where z_1, ..., z_{i-1} at t_k count as closed, else lambda_i = 0; a block is the r levels
/// of one output. It remembers s_j, the largest |z_j| and |H mu_j| so far.
class NestedConesLaw final : public laws::BatchedLaw<NestedConesLaw> {
 public:
  explicit NestedConesLaw(std::shared_ptr<const HigherOrderData> data)
      : data_(std::move(data)), gain_(data_->form.H.cwiseAbs().rowwise().sum().maxCoeff()) {}

  [[nodiscard]] const HigherOrderData& data() const noexcept { return *data_; }
  /// How many levels of a block act in a step of length h from y: those before it are closed. At least 1.
  [[nodiscard]] Index acting(ConstVectorRef y, ConstVectorRef memory, double h) const;

  [[nodiscard]] std::string name() const override { return "nested cones"; }
  [[nodiscard]] LawShape shape(LawUse use) const override;
  void block(const LawContext& context, LawBlock& block) const override;
  void commit(const LawContext& context, VectorRef memory) const override;

 private:
  std::shared_ptr<const HigherOrderData> data_;
  double gain_;  ///< of a multiplier of level r on z_r
};

/// The law of nested cones, or nullptr.
[[nodiscard]] const NestedConesLaw* nested_cones(const NonSmoothLaw& law);

/// Levels of a process are w, w', ... where no other interaction enters below level r: C A^k M^-1 B_other = 0 for
/// k < r - 1, to 1e-11 of the rows' and columns' norms; of an input that is not a constant matrix at t = 0 and the
/// model's start, to 1e-7. Cost: n^2 by its multipliers. @throws InvalidArgument with the number
void require_levels(const NonSmoothDynamicalSystem& model, const NonSmoothDynamicalSystem::InteractionRecord& process);

}  // namespace nonsmooth
