// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/relation.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace nonsmooth {
namespace {

const double kDifferenceStep = std::sqrt(std::numeric_limits<double>::epsilon());

}  // namespace

void Relation::H(double t, ConstVectorRef q, MatrixRef jacobian) const {
  Eigen::VectorXd base = Eigen::VectorXd::Zero(rows()), moved(rows()), position = q;
  h(t, q, base);
  for (Index j = 0; j < q.size(); ++j) {
    const double step = kDifferenceStep * std::max(1.0, std::abs(q[j]));
    position[j] = q[j] + step;
    moved.setZero();
    h(t, position, moved);
    jacobian.col(j) = (moved - base) / step;
    position[j] = q[j];
  }
}

void Relation::h_t(double, ConstVectorRef, VectorRef value) const { value.setZero(); }

void Relation::curvature(double t, ConstVectorRef q, ConstVectorRef v, VectorRef value) const {
  // d^2/ds^2 h(t + s, q + s v) at s = 0; the step balances its error s^2 against rounding eps / s^2. H is not used: it
  // may be a difference itself.
  const double speed = std::max(1.0, v.lpNorm<Eigen::Infinity>());
  const double s = std::sqrt(kDifferenceStep) * (1.0 + (q.size() ? q.lpNorm<Eigen::Infinity>() : 0.0)) / speed;
  Eigen::VectorXd before = Eigen::VectorXd::Zero(rows()), here = before, after = before;
  h(t - s, q - s * v, before);
  h(t, q, here);
  h(t + s, q + s * v, after);
  value = ((after - here) - (here - before)) / (s * s);
}

}  // namespace nonsmooth
