// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/dynamical_system.hpp>

#include <cmath>
#include <limits>

namespace nonsmooth {
namespace {

const double kDifferenceStep = std::sqrt(std::numeric_limits<double>::epsilon());

}  // namespace

void DynamicalSystem::force_dq(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const {
  const Index n = v.size();
  Eigen::VectorXd base = Eigen::VectorXd::Zero(n), moved(n), direction = Eigen::VectorXd::Zero(n), position(q.size());
  force(t, q, v, base);
  for (Index j = 0; j < n; ++j) {
    const double scale = j < q.size() ? std::max(1.0, std::abs(q[j])) : 1.0;
    direction[j] = kDifferenceStep * scale;
    position = q;
    retract(position, direction);
    moved.setZero();
    force(t, position, v, moved);
    J.col(j) = (moved - base) / direction[j];
    direction[j] = 0.0;
  }
}

void DynamicalSystem::force_dv(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const {
  const Index n = v.size();
  Eigen::VectorXd base = Eigen::VectorXd::Zero(n), moved(n), velocity = v;
  force(t, q, v, base);
  for (Index j = 0; j < n; ++j) {
    const double step = kDifferenceStep * std::max(1.0, std::abs(v[j]));
    velocity[j] = v[j] + step;
    moved.setZero();
    force(t, q, velocity, moved);
    J.col(j) = (moved - base) / step;
    velocity[j] = v[j];
  }
}

void DynamicalSystem::retract(VectorRef q, ConstVectorRef w) const { q += w; }

}  // namespace nonsmooth
