// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/tresca.hpp>

#include <string>

#include <internal/check.hpp>

#include "threshold_iteration.hpp"

namespace nonsmooth::friction {
namespace {

void run_tresca(const Problem& problem, const Tresca& options, mixed::Result& result) {
  const auto relaxed = [&](const Eigen::VectorXd& s, const Eigen::VectorXd& f) -> Eigen::VectorXd {
    return s + options.relaxation * f;
  };
  internal::iterate_on_thresholds(problem, options, relaxed, result);
}

}  // namespace

void Tresca::validate() const {
  check::positive("friction::Tresca::tolerance", tolerance);
  if (!(relaxation > 0.0 && relaxation <= 1.0))
    throw InvalidArgument("friction::Tresca::relaxation", std::to_string(relaxation), "a number in (0, 1]");
  check::at_least("friction::Tresca::max_iterations", max_iterations, 1);
  detail::check_time_limit("friction::Tresca::time_limit", time_limit);
}

Result solve(const Problem& problem, const Tresca& options) {
  return internal::solve_by(problem, options, "tresca", "friction::Tresca::start", true, run_tresca);
}

}  // namespace nonsmooth::friction
