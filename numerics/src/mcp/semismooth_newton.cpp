// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mcp/semismooth_newton.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "descent.hpp"
#include "moving_part.hpp"

namespace nonsmooth::mcp {
namespace {

using Reformulation = SemismoothNewton::Reformulation;
using nonsmooth::detail::BoxFunction;

BoxFunction function_of(Reformulation reformulation) {
  switch (reformulation) {
    case Reformulation::FischerBurmeister:
      return BoxFunction::FischerBurmeister;
    case Reformulation::Penalised:
      return BoxFunction::Penalised;
    case Reformulation::Minimum:
      return BoxFunction::Minimum;
  }
  throw InvalidArgument("mcp::SemismoothNewton::reformulation", "an unknown value", "one of the enumeration");
}

std::string_view name_of(Reformulation reformulation) {
  switch (reformulation) {
    case Reformulation::Penalised:
      return "penalised semismooth newton";
    case Reformulation::Minimum:
      return "semismooth newton on min";
    default:
      return "semismooth newton";
  }
}

/// Of a problem that does not shrink.
Result run_newton(const Problem& problem, const SemismoothNewton& options, bool quick) {
  return detail::descend_by(problem, options, "mcp::SemismoothNewton::start", name_of(options.reformulation),
                            {.function = function_of(options.reformulation), .weight = options.weight, .quick = quick});
}

}  // namespace

void SemismoothNewton::validate() const {
  check::positive("mcp::SemismoothNewton::tolerance", tolerance);
  static_cast<void>(function_of(reformulation));
  if (!(weight > 0.0 && weight < 1.0))
    throw InvalidArgument("mcp::SemismoothNewton::weight", check::text(weight), "a number in (0, 1)");
  check::at_least("mcp::SemismoothNewton::max_steps", max_steps, 1);
  check::positive("mcp::SemismoothNewton::decrease", decrease);
  check::range("mcp::SemismoothNewton::decrease", decrease, 0.0, 0.5);
  check::within("mcp::SemismoothNewton::memory", memory, 1, check::most_iterates);
  nonsmooth::detail::check_time_limit("mcp::SemismoothNewton::time_limit", time_limit);
}

Result solve(const Problem& problem, const SemismoothNewton& options) {
  problem.validate();
  options.validate();
  if (detail::may_shrink(problem)) return detail::solve_moving_part(problem, options, "mcp::SemismoothNewton::start");
  return run_newton(problem, options, false);
}

Result detail::quick_newton(const Problem& problem, const SemismoothNewton& options) {
  return run_newton(problem, options, true);
}

}  // namespace nonsmooth::mcp
