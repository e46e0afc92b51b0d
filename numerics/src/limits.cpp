// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/limits.hpp>

#include <cmath>
#include <string>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {

void Limits::validate() const {
  check::positive("Limits::tolerance", tolerance);
  check::at_least("Limits::max_iterations", max_iterations, 0);
  detail::check_time_limit("Limits::time_limit", time_limit);
}

void detail::check_time_limit(const char* argument, double seconds) {
  if (!(seconds > 0.0)) throw InvalidArgument(argument, std::to_string(seconds), "more than 0 s, or infinity");
}

}  // namespace nonsmooth
