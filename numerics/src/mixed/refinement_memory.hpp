// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>

#include "canonical.hpp"
#include "natural_map.hpp"
#include "newton_system.hpp"

namespace nonsmooth::mixed::internal {

/// What refine() keeps from call to call, to allocate nothing where one before had as many rows and entries.
struct RefinementMemory {
  NewtonSystem system;
  NaturalMap map;
  GrowingVector rho, r, u, step;
  CanonicalForm canonical;  ///< of a problem in other units, and the answer that it came with
  GrowingVector given;
};

}  // namespace nonsmooth::mixed::internal
