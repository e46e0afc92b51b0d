// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/haslinger.hpp>

#include <optional>

#include <internal/check.hpp>

#include "threshold_iteration.hpp"

namespace nonsmooth::friction {
namespace {

void run_haslinger(const Problem& problem, const Haslinger& options, mixed::Result& result) {
  std::optional<internal::Anderson> anderson;
  internal::Safeguard safeguard;
  const auto accelerated = [&](const Eigen::VectorXd& s, const Eigen::VectorXd& f) -> Eigen::VectorXd {
    if (!anderson) anderson.emplace(s.size(), options.memory);
    const Eigen::VectorXd next = safeguard.next(
        s, f, [&](const auto& x, const auto& change) { return anderson->next(x, change); },
        [&] { anderson->forget(); });
    return next.cwiseMax(0.0);
  };
  internal::iterate_on_thresholds(problem, options, accelerated, result);
}

}  // namespace

void Haslinger::validate() const {
  check::positive("friction::Haslinger::tolerance", tolerance);
  check::within("friction::Haslinger::memory", memory, 0, check::most_iterates);
  check::at_least("friction::Haslinger::max_iterations", max_iterations, 1);
  detail::check_time_limit("friction::Haslinger::time_limit", time_limit);
}

Result solve(const Problem& problem, const Haslinger& options) {
  return internal::solve_by(problem, options, "haslinger", "friction::Haslinger::start", true, run_haslinger);
}

}  // namespace nonsmooth::friction
