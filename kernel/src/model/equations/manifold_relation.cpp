// SPDX-License-Identifier: Apache-2.0
#include "manifold_relation.hpp"

#include <algorithm>
#include <cmath>

#include "differences.hpp"

namespace nonsmooth {
namespace {

/// Whether the relation answers by a function of its own; what else such a function throws is for the run to tell.
template <class Call>
bool gives(Call&& call) {
  const RefusingDefaults refusing;
  try {
    call();
  } catch (const NeedsRetract&) {
    return false;
  } catch (...) {
    return true;
  }
  return true;
}

}  // namespace

ManifoldRelation::ManifoldRelation(std::shared_ptr<const MechanicalRelation> relation, std::vector<Part> parts,
                                   ConstVectorRef q)
    : relation_(std::move(relation)), parts_(std::move(parts)) {
  Index n = 0;
  for (const Part& part : parts_) n += part.n;
  const Index m = relation_->rows();
  Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(m, n);
  Eigen::VectorXd value = Eigen::VectorXd::Zero(m);
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(n), lambda = Eigen::VectorXd::Zero(m);
  if (relation_->is_compliant()) {
    gives_compliant_H_ = gives([&] { relation_->compliant_H(0.0, q, lambda, jacobian); });
  } else {
    gives_H_ = gives([&] { relation_->H(0.0, q, jacobian); });
    gives_curvature_ = gives([&] { relation_->curvature(0.0, q, v, value); });
  }
}

void ManifoldRelation::retract(VectorRef q, ConstVectorRef w) const {
  Index position = 0, direction = 0;
  for (const Part& part : parts_) {
    auto of_part = q.segment(position, part.nq);
    part.system->retract(of_part, w.segment(direction, part.n));
    position += part.nq;
    direction += part.n;
  }
}

template <class Value>
void ManifoldRelation::differences_along(ConstVectorRef q, MatrixRef jacobian, Value&& value) const {
  const Index m = jacobian.rows(), n = jacobian.cols();
  differences::Scratch scratch(2 * m + n + q.size());
  auto base = scratch.vector(m), moved = scratch.vector(m), direction = scratch.vector(n),
       position = scratch.vector(q.size());
  base.setZero();
  value(ConstVectorRef(q), VectorRef(base));
  direction.setZero();
  Index j = 0, first = 0;
  for (const Part& part : parts_) {
    for (Index k = 0; k < part.n; ++k, ++j) {
      // Tangents of a manifold are angles and lengths of size 1.
      direction[j] = part.nq == part.n ? differences::step_at(q[first + k]) : differences::kStep;
      position = q;
      retract(position, direction);
      moved.setZero();
      value(ConstVectorRef(position), VectorRef(moved));
      jacobian.col(j) = (moved - base) / direction[j];
      direction[j] = 0.0;
    }
    first += part.nq;
  }
}

void ManifoldRelation::H(double t, ConstVectorRef q, MatrixRef jacobian) const {
  if (gives_H_) {
    relation_->H(t, q, jacobian);
  } else {
    differences_along(q, jacobian, [&](ConstVectorRef at, VectorRef y) { relation_->h(t, at, y); });
  }
}

void ManifoldRelation::compliant_H(double t, ConstVectorRef q, ConstVectorRef lambda, MatrixRef jacobian) const {
  if (gives_compliant_H_) {
    relation_->compliant_H(t, q, lambda, jacobian);
  } else {
    differences_along(q, jacobian, [&](ConstVectorRef at, VectorRef y) { relation_->compliant_h(t, at, lambda, y); });
  }
}

void ManifoldRelation::curvature(double t, ConstVectorRef q, ConstVectorRef v, VectorRef value) const {
  if (gives_curvature_) {
    relation_->curvature(t, q, v, value);
    return;
  }
  const double speed = std::max(1.0, v.lpNorm<Eigen::Infinity>()), size = 1.0 + q.lpNorm<Eigen::Infinity>();
  const double unit = std::numeric_limits<double>::epsilon();
  // Of the velocity H v + h_t where H is given: s^2 against eps / s; of h otherwise: s^2 against eps / s^2.
  const double s = (gives_H_ ? std::cbrt(unit) : std::sqrt(std::sqrt(unit))) * size / speed;
  const Index m = value.size(), n = v.size();
  Eigen::VectorXd at(q.size()), w(n), drift(m), side_value(m);
  Eigen::MatrixXd jacobian(m, n);
  value.setZero();
  for (const double side : {1.0, -1.0}) {
    at = q;
    w = side * s * v;
    retract(at, w);
    if (gives_H_) {
      jacobian.setZero();
      drift.setZero();
      relation_->H(t + side * s, at, jacobian);
      relation_->h_t(t + side * s, at, drift);
      value += (side / (2.0 * s)) * (jacobian * v + drift);
    } else {
      side_value.setZero();
      relation_->h(t + side * s, at, side_value);
      value += side_value / (s * s);
    }
  }
  if (gives_H_) return;
  side_value.setZero();
  relation_->h(t, q, side_value);
  value -= 2.0 * side_value / (s * s);
}

}  // namespace nonsmooth
