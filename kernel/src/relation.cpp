// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/relation.hpp>

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
  const Index m = rows(), n = q.size();
  Eigen::MatrixXd before = Eigen::MatrixXd::Zero(m, n), after = Eigen::MatrixXd::Zero(m, n);
  const double step = kDifferenceStep * (1.0 + q.lpNorm<Eigen::Infinity>()) / (1.0 + v.lpNorm<Eigen::Infinity>());
  H(t, q - step * v, before);
  H(t, q + step * v, after);
  value = (after - before) * v / (2.0 * step);
}

}  // namespace nonsmooth
