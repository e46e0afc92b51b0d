// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

/// Quadruple precision, 113 bits: what judges answers whose terms cancel in doubles and in extended precision alike.
namespace nonsmooth::problems {

#ifdef __SIZEOF_FLOAT128__
__extension__ using Quad = __float128;
#else
using Quad = long double;  // 113 bits on the machines that have no other
#endif
using QuadVector = std::vector<Quad>;

[[nodiscard]] inline Quad absolute(Quad x) { return x < 0 ? -x : x; }

/// Two steps of Newton's method from the root in extended precision, whose error falls to its square.
[[nodiscard]] inline Quad root(Quad x) {
  Quad y = std::sqrt(static_cast<long double>(x));
  if (!(y > 0)) return y;
  for (int k = 0; k < 2; ++k) y = (y + x / y) / 2;
  return y;
}

}  // namespace nonsmooth::problems
