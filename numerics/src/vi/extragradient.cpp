// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/vi/extragradient.hpp>

#include "forward_steps.hpp"

namespace nonsmooth::vi {

void Extragradient::validate() const { detail::check_forward("vi::Extragradient", *this); }

Result solve(const Problem& problem, const Extragradient& options) {
  problem.validate();
  options.validate();
  return detail::forward_steps(problem, detail::forward_options(options), detail::Correction::Extragradient,
                               "vi::Extragradient::start", "extragradient");
}

}  // namespace nonsmooth::vi
