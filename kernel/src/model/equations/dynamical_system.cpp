// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/dynamical_system.hpp>

#include <algorithm>
#include <array>
#include <limits>

#include <nonsmooth/numerics/error.hpp>

#include "differences.hpp"
#include "model/guarded.hpp"
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

void MechanicalSystem::position_rates(ConstVectorRef q, ConstVectorRef v, VectorRef qdot) const {
  qdot.setZero();
  const double speed = v.lpNorm<Eigen::Infinity>();
  if (speed < std::numeric_limits<double>::min()) return;
  // Six moves, the largest a turn of 0.02: the error s^6 / 140 is a tenth of the rounding, eps / s.
  constexpr std::array<double, 3> kWeights{45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0};
  const double s = 1.0 / (128.0 * speed);
  differences::Scratch scratch(4 * q.size() + v.size());
  auto after = scratch.vector(q.size()), before = scratch.vector(q.size()), first = scratch.vector(q.size()),
       bent = scratch.vector(q.size()), w = scratch.vector(v.size());
  double largest = 0.0;
  bent.setZero();
  for (std::size_t k = 0; k < kWeights.size(); ++k) {
    w = (static_cast<double>(k + 1) * s) * v;
    after = before = q;
    moved_plainly = nullptr;
    call_part("retract(q, w)", [&] { retract(after, w); });
    if (moved_plainly == after.data()) {
      qdot = v;
      return;
    }
    w = -w;
    call_part("retract(q, w)", [&] { retract(before, w); });
    after -= before;
    qdot += (kWeights[k] / s) * after;
    if (k == 0) first = after;
    largest = std::max(largest, after.lpNorm<Eigen::Infinity>());
    bent = bent.cwiseMax((after - static_cast<double>(k + 1) * first).cwiseAbs());
  }
  // Of a smooth retract the moves grow with their length, but for some s^2; a jump does not.
  if (bent.lpNorm<Eigen::Infinity>() >
      0.125 * largest + 64.0 * std::numeric_limits<double>::epsilon() * q.lpNorm<Eigen::Infinity>()) {
    throw PartFailure("retract(q, w)", "it is not smooth in w over moves of 3/128 along v; give position_rates");
  }
}

Eigen::VectorXd MechanicalSystem::velocity_lengths() const { return Eigen::VectorXd::Ones(initial_velocity().size()); }

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
