// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <nonsmooth/kernel/systems/sweeping_process.hpp>

namespace nonsmooth {

/// A point that a moving set drags: the batch that is made for it reads the process.
class CallableSweepingProcess final : public DynamicalSystem {
 public:
  explicit CallableSweepingProcess(SweepingProcess process) : process_(std::move(process)) {}

  [[nodiscard]] std::string name() const override { return process_.name; }
  [[nodiscard]] Eigen::VectorXd initial_unknowns() const override { return process_.x0.value(); }
  [[nodiscard]] const SweepingProcess& process() const noexcept { return process_; }

 private:
  SweepingProcess process_;
};

}  // namespace nonsmooth
