// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/time_stepping.hpp>

namespace nonsmooth::stages {

/// Those that are shown the problems of a simulation's steps; its workspaces share them.
class ProblemWatches {
 public:
  [[nodiscard]] std::shared_ptr<const ProblemWatch> add(ProblemWatch watch) {
    auto added = std::make_shared<const ProblemWatch>(std::move(watch));
    std::erase_if(all_, [](const auto& one) { return one.expired(); });
    all_.push_back(added);
    return added;
  }

  void show(const OneStepNSProblem& problem, double t, double length) const {
    for (const auto& one : all_) {
      if (const auto watch = one.lock()) (*watch)(problem, t, length);
    }
  }

 private:
  std::vector<std::weak_ptr<const ProblemWatch>> all_;
};

}  // namespace nonsmooth::stages
