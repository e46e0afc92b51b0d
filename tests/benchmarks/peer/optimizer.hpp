// SPDX-License-Identifier: Apache-2.0
#pragma once

// A problem of Siconos's among other people's optimizers. Only where the peer is.

#include <memory>
#include <string>
#include <utility>

#include <benchmarks/optimizers/optimizers.hpp>
#include <benchmarks/peer/complementarity.hpp>
#include <benchmarks/timing.hpp>

namespace nonsmooth::optimizers {

/// One of its solvers, with at most so many iterations.
class OfSiconos final : public Optimizer {
 public:
  OfSiconos(std::shared_ptr<peer::Complementarity> problem, std::string solver, int most_iterations)
      : problem_(std::move(problem)), solver_(std::move(solver)), most_iterations_(most_iterations) {}

  std::string name() const override { return "Siconos " + solver_; }
  Answer solve(double tolerance) override {
    const double start = benchmarks::cpu_seconds();
    const int info = problem_->run(solver_, tolerance, most_iterations_);
    Answer answer;
    answer.time = benchmarks::cpu_seconds() - start;
    answer.verdict = info == 0 ? Verdict::Solved : Verdict::None;
    answer.x = Eigen::Map<const Eigen::VectorXd>(problem_->z.data(), static_cast<Index>(problem_->z.size()));
    return answer;
  }

 private:
  std::shared_ptr<peer::Complementarity> problem_;
  std::string solver_;
  int most_iterations_;
};

}  // namespace nonsmooth::optimizers
