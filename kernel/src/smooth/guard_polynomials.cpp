// SPDX-License-Identifier: Apache-2.0
// Guards that are polynomials along a step: their Bernstein coefficients bound them without interpolation.
#include <algorithm>
#include <cmath>
#include <limits>

#include "guard_roots.hpp"

namespace nonsmooth::smooth {

/// True if no guard comes near zero on the step: the Bernstein coefficients of the guards' polynomials tell, those of
/// the quotient by s where there is a zero at the start.
bool FirstCrossing::coefficients_stay_clear(const Eigen::VectorXi& orders) const {
  constexpr Index most = 15;
  const Index last = dense_->degree;
  if (last > most) return false;
  for (Index i = 0; i < num_guards_; ++i) {
    const Index first = orders.size() > 0 ? orders[i] : 0, top = last - first;
    if (first > 1 || top < 0) return false;
    std::array<double, most + 1> b{};
    double lowest = 0.0, sum = 0.0;
    for (Index k = 0; k <= top; ++k) {
      const double a = b[static_cast<std::size_t>(k)] = coefficients_(i, first + k);
      sum += std::abs(a);
      if (k == 0 || a < 0.0) lowest += a;
    }
    const double round_off = 64.0 * std::numeric_limits<double>::epsilon() * sum;
    if (!std::isfinite(sum)) return false;
    if (lowest > round_off) continue;
    // Tighter: a_k / binomial(top, k), then sums of sums, b_j = sum over k of binomial(j, k) of it.
    double weight = 1.0;
    for (Index k = 1; k <= top; ++k) {
      weight *= static_cast<double>(k) / static_cast<double>(top - k + 1);
      b[static_cast<std::size_t>(k)] *= weight;
    }
    for (Index r = 1; r <= top; ++r) {
      for (Index k = top; k >= r; --k) b[static_cast<std::size_t>(k)] += b[static_cast<std::size_t>(k - 1)];
    }
    if (!(*std::min_element(b.begin(), b.begin() + (top + 1)) > round_off)) return false;
  }
  return true;
}

bool FirstCrossing::stays_clear(Guards& guards, const DensePolynomial& dense) {
  dense_ = &dense;
  num_guards_ = guards.size();
  return guards.along(dense, coefficients_) && coefficients_stay_clear(Eigen::VectorXi());
}

}  // namespace nonsmooth::smooth
