// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/vi/forward_backward_forward.hpp>

#include "forward_steps.hpp"

namespace nonsmooth::vi {

void ForwardBackwardForward::validate() const { detail::check_forward("vi::ForwardBackwardForward", *this); }

Result solve(const Problem& problem, const ForwardBackwardForward& options) {
  problem.validate();
  options.validate();
  return detail::forward_steps(problem, detail::forward_options(options), detail::Correction::Tseng,
                               "vi::ForwardBackwardForward::start", "forward-backward-forward");
}

}  // namespace nonsmooth::vi
