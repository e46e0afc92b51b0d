// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/dynamical_system.hpp>

#include <nonsmooth/numerics/error.hpp>

#include "differences.hpp"

namespace nonsmooth {

const Feedback& DynamicalSystem::feedback() const {
  static const Feedback none;
  return none;
}

void MechanicalSystem::force_dq(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const {
  const Index n = v.size();
  differences::Scratch scratch(3 * n + q.size());
  auto base = scratch.vector(n), moved = scratch.vector(n), direction = scratch.vector(n);
  auto position = scratch.vector(q.size());
  base.setZero();
  direction.setZero();
  force(t, q, v, base);
  for (Index j = 0; j < n; ++j) {
    direction[j] = differences::step_at(j < q.size() ? q[j] : 1.0);
    position = q;
    retract(position, direction);
    moved.setZero();
    force(t, position, v, moved);
    J.col(j) = (moved - base) / direction[j];
    direction[j] = 0.0;
  }
}

void MechanicalSystem::force_dv(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const {
  differences::jacobian(v, J, [&](ConstVectorRef at, VectorRef F) { force(t, q, at, F); });
}

void MechanicalSystem::retract(VectorRef q, ConstVectorRef w) const {
  if (q.size() != w.size()) {
    throw InvalidArgument(
        "MechanicalSystem::retract",
        "none, with " + std::to_string(q.size()) + " coordinates and " + std::to_string(w.size()) + " velocities",
        "a retract(q, w) of its own: q + w is for as many of both");
  }
  q += w;
}

const std::vector<PrescribedVelocity>& MechanicalSystem::prescribed() const {
  static const std::vector<PrescribedVelocity> none;
  return none;
}
const std::vector<PrescribedImpulse>& MechanicalSystem::impulses() const {
  static const std::vector<PrescribedImpulse> none;
  return none;
}
const MatrixData& FirstOrderDynamicalSystem::mass() const {
  static const MatrixData identity;
  return identity;
}

bool FirstOrderDynamicalSystem::f_dx(double, ConstVectorRef, MatrixRef) const { return false; }

}  // namespace nonsmooth
