// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/dynamical_system.hpp>

#include <nonsmooth/numerics/error.hpp>

#include "differences.hpp"
#include "plain_moves.hpp"

namespace nonsmooth {
namespace {

/// What the default of retract moved last in this thread.
thread_local const double* moved_plainly = nullptr;

}  // namespace

bool has_default_retract(const MechanicalSystem& system) {
  const Eigen::VectorXd q = system.initial_position();
  const Index n = system.initial_velocity().size();
  if (q.size() != n) return false;
  // Large ones too: a retract that wraps what the default moved is one of its own.
  for (const double size : {0.0, 1.0, 1000.0}) {
    const Eigen::VectorXd w = size * Eigen::VectorXd::LinSpaced(n, 1.0, 2.0), plain = q + w;
    Eigen::VectorXd moved = q;
    moved_plainly = nullptr;
    try {
      system.retract(moved, w);
    } catch (...) {  // the default does not throw here
      return false;
    }
    if (moved_plainly != moved.data() || moved != plain) return false;
  }
  return true;
}

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
  moved_plainly = q.data();
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
