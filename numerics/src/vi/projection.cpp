// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/vi/projection.hpp>

#include "forward_steps.hpp"

namespace nonsmooth::vi {

void Projection::validate() const { detail::check_forward("vi::Projection", *this); }

Result solve(const Problem& problem, const Projection& options) {
  problem.validate();
  options.validate();
  return detail::forward_steps(problem, detail::forward_options(options), detail::Correction::None,
                               "vi::Projection::start", "projection");
}

}  // namespace nonsmooth::vi
