// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include <nonsmooth/numerics/friction/interior_point.hpp>

namespace nonsmooth::friction {

/// For GoogleTest.
inline void PrintTo(InteriorPoint::DeSaxce term, std::ostream* out) {
  *out << (term == InteriorPoint::DeSaxce::Inside ? "Inside" : "Outside");
}

}  // namespace nonsmooth::friction
