// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/relation.hpp>

#include <utility>

#include "differences.hpp"
#include "manifold_relation.hpp"

namespace nonsmooth {
namespace {

thread_local bool defaults_refuse = false;

}  // namespace

void require_plain_moves(const char* function, ConstVectorRef q, Index velocities) {
  if (defaults_refuse || q.size() != velocities) throw NeedsRetract(function, q.size(), velocities);
}

RefusingDefaults::RefusingDefaults() : before_(std::exchange(defaults_refuse, true)) {}
RefusingDefaults::~RefusingDefaults() { defaults_refuse = before_; }

void MechanicalRelation::H(double t, ConstVectorRef q, MatrixRef jacobian) const {
  require_plain_moves("MechanicalRelation::H", q, jacobian.cols());
  differences::jacobian(q, jacobian, [&](ConstVectorRef at, VectorRef y) { h(t, at, y); });
}

void MechanicalRelation::h_t(double, ConstVectorRef, VectorRef value) const { value.setZero(); }

void MechanicalRelation::curvature(double t, ConstVectorRef q, ConstVectorRef v, VectorRef value) const {
  require_plain_moves("MechanicalRelation::curvature", q, v.size());
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

void MechanicalRelation::compliant_h(double t, ConstVectorRef q, ConstVectorRef, VectorRef y) const { h(t, q, y); }

void MechanicalRelation::compliant_H(double t, ConstVectorRef q, ConstVectorRef, MatrixRef jacobian) const {
  H(t, q, jacobian);
}

void MechanicalRelation::compliance(double t, ConstVectorRef q, ConstVectorRef lambda, MatrixRef D) const {
  differences::jacobian(lambda, D, [&](ConstVectorRef at, VectorRef y) { compliant_h(t, q, at, y); });
}

bool FirstOrderInputOutputRelation::h_dx(double, ConstVectorRef, ConstVectorRef, MatrixRef) const { return false; }
bool FirstOrderInputOutputRelation::h_dlambda(double, ConstVectorRef, ConstVectorRef, MatrixRef) const { return false; }
bool FirstOrderInputOutputRelation::g_dx(double, ConstVectorRef, ConstVectorRef, MatrixRef) const { return false; }
bool FirstOrderInputOutputRelation::g_dlambda(double, ConstVectorRef, ConstVectorRef, MatrixRef) const { return false; }

}  // namespace nonsmooth
