// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "contact_set.hpp"

namespace nonsmooth::stages {

/// u = H_first v_first + H_second v_second + h_t of one contact, the first `count` of its rows.
template <class Count, class Rows, class First, class Second>
void contact_velocity(Count count, Rows rows, First first, Second second, const double* H, const double* v_first,
                      const double* v_second, const double* h_t, double* u) {
  for_each_below(count, [&](Index r) {
    double sum = 0.0;
    for_each_below(first, [&](Index k) { sum += H[r * first + k] * v_first[k]; });
    if (v_second) for_each_below(second, [&](Index k) { sum += H[rows * first + r * second + k] * v_second[k]; });
    u[r] = h_t ? sum + h_t[r] : sum;
  });
}

}  // namespace nonsmooth::stages
