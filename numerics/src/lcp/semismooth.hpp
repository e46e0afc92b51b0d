// SPDX-License-Identifier: Apache-2.0
// Semismooth Newton on the Fischer-Burmeister merit function, whatever the first direction; not installed.
#pragma once

#include "internal.hpp"

namespace nonsmooth::lcp::detail {

struct SemismoothOptions {
  double tolerance;
  Index max_steps;
  double decrease;     // Armijo
  Index memory;        // the merit function is compared with the largest of so many values before; 1: monotone
  bool min_map_first;  // z -> -M_aa^-1 q_a on a = {s z > w} is tried before the Fischer-Burmeister step
  double time_limit;
};

/// P: View or SparseProblem.
template <class P>
void semismooth_newton(const P& problem, const SemismoothOptions& options, Result& result);

}  // namespace nonsmooth::lcp::detail
