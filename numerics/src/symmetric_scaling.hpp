// SPDX-License-Identifier: Apache-2.0
// Units for pivoting; not installed.
#pragma once

#include <cmath>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::detail {

/// D with entries of D M D near 1: five passes of symmetric equilibration, then rounded to powers of two. `rows` must
/// return max over row and column i of |M_ij| d_j d_i.
template <class LargestOf>
void scale_symmetrically(LargestOf&& largest_of, VectorRef d, VectorRef largest) {
  d.setOnes();
  for (int pass = 0; pass < 5; ++pass) {
    largest_of(d, largest);
    for (Index i = 0; i < d.size(); ++i) {
      if (largest[i] > 0.0) d[i] /= std::sqrt(largest[i]);
    }
  }
  for (Index i = 0; i < d.size(); ++i) d[i] = std::exp2(std::round(std::log2(d[i])));
}

}  // namespace nonsmooth::detail
