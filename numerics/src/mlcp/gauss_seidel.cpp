// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mlcp/gauss_seidel.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/relay/gauss_seidel.hpp>

#include "internal.hpp"

namespace nonsmooth::mlcp {

void GaussSeidel::validate() const {
  check::positive("mlcp::GaussSeidel::tolerance", tolerance);
  check::at_least("mlcp::GaussSeidel::max_sweeps", max_sweeps, 1);
  check::positive("mlcp::GaussSeidel::relaxation", relaxation);
  if (!(relaxation < 2.0)) {
    throw InvalidArgument("mlcp::GaussSeidel::relaxation", std::to_string(relaxation), "a number in (0, 2)");
  }
  check::at_least("mlcp::GaussSeidel::check_every", check_every, 1);
  nonsmooth::detail::check_time_limit("mlcp::GaussSeidel::time_limit", time_limit);
}

Result solve(const Problem& problem, const GaussSeidel& options) {
  problem.validate();
  options.validate();
  relay::GaussSeidel inner;
  inner.tolerance = options.tolerance;
  inner.max_sweeps = options.max_sweeps;
  inner.relaxation = options.relaxation;
  inner.check_every = options.check_every;
  inner.time_limit = options.time_limit;
  return detail::from_relay(problem, relay::solve(detail::relay_form(problem), inner));
}

}  // namespace nonsmooth::mlcp
