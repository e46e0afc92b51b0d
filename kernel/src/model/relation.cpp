// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/relation.hpp>

#include <utility>

#include "adapters.hpp"
#include "differences.hpp"
#include "manifold_relation.hpp"

namespace nonsmooth {
namespace {

thread_local bool defaults_refuse = false;

/// Differences along q + w: not where a move of the configuration is another one, and for as many of both only.
void require_plain_moves(const char* function, ConstVectorRef q, Index velocities) {
  if (defaults_refuse || q.size() != velocities) throw NeedsRetract(function, q.size(), velocities);
}

}  // namespace

RefusingDefaults::RefusingDefaults() : before_(std::exchange(defaults_refuse, true)) {}
RefusingDefaults::~RefusingDefaults() { defaults_refuse = before_; }

void Relation::H(double t, ConstVectorRef q, MatrixRef jacobian) const {
  require_plain_moves("Relation::H", q, jacobian.cols());
  differences::jacobian(q, jacobian, [&](ConstVectorRef at, VectorRef y) { h(t, at, y); });
}

void Relation::h_t(double, ConstVectorRef, VectorRef value) const { value.setZero(); }

void Relation::curvature(double t, ConstVectorRef q, ConstVectorRef v, VectorRef value) const {
  require_plain_moves("Relation::curvature", q, v.size());
  // d^2/ds^2 h(t + s, q + s v) at s = 0; the step balances its error s^2 against rounding eps / s^2. H is not used: it
  // may be a difference itself.
  const double speed = std::max(1.0, v.lpNorm<Eigen::Infinity>());
  const double s = std::sqrt(differences::kStep) * (1.0 + (q.size() ? q.lpNorm<Eigen::Infinity>() : 0.0)) / speed;
  Eigen::VectorXd before = Eigen::VectorXd::Zero(rows()), here = before, after = before;
  h(t - s, q - s * v, before);
  h(t, q, here);
  h(t + s, q + s * v, after);
  value = ((after - here) - (here - before)) / (s * s);
}

void Relation::compliant_h(double t, ConstVectorRef q, ConstVectorRef, VectorRef y) const { h(t, q, y); }

void Relation::compliant_H(double t, ConstVectorRef q, ConstVectorRef, MatrixRef jacobian) const { H(t, q, jacobian); }

void Relation::compliance(double t, ConstVectorRef q, ConstVectorRef lambda, MatrixRef D) const {
  differences::jacobian(lambda, D, [&](ConstVectorRef at, VectorRef y) { compliant_h(t, q, at, y); });
}

void CallableScleronomous::along_velocity(ConstVectorRef q, ConstVectorRef v, VectorRef value) const {
  require_plain_moves("ScleronomousRelation::curvature", q, v.size());
  const double speed = v.lpNorm<Eigen::Infinity>();
  value.setZero();
  if (speed == 0.0) return;
  const Index m = description_.rows, n = v.size();
  const double s = std::cbrt(std::numeric_limits<double>::epsilon()) * (1.0 + q.lpNorm<Eigen::Infinity>()) / speed;
  differences::Scratch scratch(m * n + n);
  auto at = scratch.vector(n), entries = scratch.vector(m * n);
  Eigen::Map<Eigen::MatrixXd> jacobian(entries.data(), m, n);
  for (const double side : {1.0, -1.0}) {
    at = q + side * s * v;
    jacobian.setZero();
    description_.H(at, jacobian);
    value.noalias() += (side / (2.0 * s)) * jacobian.lazyProduct(v);
  }
}

void CallableRheonomous::h_t(double t, ConstVectorRef q, VectorRef value) const {
  if (description_.h_t) {
    description_.h_t(t, q, value);
    return;
  }
  // Centred: h is smooth in time to both sides, and the error of the velocity goes into the motion.
  const double s = std::cbrt(std::numeric_limits<double>::epsilon()) * std::max(1.0, std::abs(t));
  differences::Scratch scratch(2 * rows());
  auto before = scratch.vector(rows()), after = scratch.vector(rows());
  before.setZero();
  after.setZero();
  description_.h(t - s, q, before);
  description_.h(t + s, q, after);
  value = (after - before) / (2.0 * s);
}

void CallableRheonomous::curvature(double t, ConstVectorRef q, ConstVectorRef v, VectorRef value) const {
  if (!description_.H || !description_.h_t) {
    Relation::curvature(t, q, v, value);
    return;
  }
  require_plain_moves("RheonomousRelation::curvature", q, v.size());
  // Centred difference of the velocity H v + h_t along the motion: rounding is divided by s, not by s^2.
  const double speed = std::max(1.0, v.lpNorm<Eigen::Infinity>());
  const double s = std::cbrt(std::numeric_limits<double>::epsilon()) * (1.0 + q.lpNorm<Eigen::Infinity>()) / speed;
  const Index m = description_.rows, n = v.size();
  differences::Scratch scratch(m * n + n + m);
  auto at = scratch.vector(n), entries = scratch.vector(m * n), drift = scratch.vector(m);
  Eigen::Map<Eigen::MatrixXd> jacobian(entries.data(), m, n);
  value.setZero();
  for (const double side : {1.0, -1.0}) {
    at = q + side * s * v;
    jacobian.setZero();
    drift.setZero();
    description_.H(t + side * s, at, jacobian);
    description_.h_t(t + side * s, at, drift);
    value.noalias() += (side / (2.0 * s)) * (jacobian.lazyProduct(v) + drift);
  }
}

void CallableCompliant::compliant_H(double, ConstVectorRef q, ConstVectorRef lambda, MatrixRef jacobian) const {
  if (description_.H) {
    description_.H(q, lambda, jacobian);
  } else {
    require_plain_moves("CompliantRelation::H", q, jacobian.cols());
    differences::jacobian(q, jacobian, [&](ConstVectorRef at, VectorRef y) { description_.h(at, lambda, y); });
  }
}

}  // namespace nonsmooth
