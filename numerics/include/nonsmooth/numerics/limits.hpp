// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// When a solver taken from a registry stops, whatever the algorithm. Algorithms that are called by their own options
/// have a field of their own for each.
struct Limits {
  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0
  Index max_iterations =
      0;  ///< pivots, Newton steps or sweeps of each algorithm tried; >= 0; 0: the algorithm's default
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

}  // namespace nonsmooth
