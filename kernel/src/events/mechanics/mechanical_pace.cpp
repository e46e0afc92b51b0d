// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "mechanical_model.hpp"

namespace nonsmooth::events {

MechanicalModel::Pace MechanicalModel::pace(const Contact& contact, const smooth::DensePolynomial& dense) {
  const Index top = dense.degree - 1;  // of the derivative, sum over k <= top of (k + 1) c_{k+1} s^k
  if (top < 0) return {};
  squares_.setZero(top + 1);
  controls_.resize(top + 1);
  for (const LinkedBody& body : link_of(contact).bodies) {
    for (Index i = body.q; i < body.q + body.nq; ++i) {
      // b_j = sum over k of binomial(j, k) (k + 1) c_{k+1} / binomial(top, k), by sums of neighbours.
      double binomial = 1.0;
      for (Index k = 0; k <= top; ++k) {
        controls_[k] = static_cast<double>(k + 1) * dense.coefficients(i, k + 1) / binomial;
        binomial *= static_cast<double>(top - k) / static_cast<double>(k + 1);
      }
      for (Index round = 1; round <= top; ++round) {
        for (Index j = top; j >= round; --j) controls_[j] += controls_[j - 1];
      }
      squares_ += controls_.cwiseAbs2();
    }
  }
  squares_ = squares_.cwiseSqrt();
  return {squares_.mean(), squares_.maxCoeff()};
}

}  // namespace nonsmooth::events
