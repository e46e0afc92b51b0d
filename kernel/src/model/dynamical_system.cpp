// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/dynamical_system.hpp>

#include <algorithm>
#include <vector>

#include <nonsmooth/numerics/error.hpp>

#include "adapters.hpp"
#include "differences.hpp"

namespace nonsmooth {
namespace {

/// Memory of this thread for one part of a sum, zeroed; it grows and stays, so that steps do not allocate.
double* zeroed_scratch(Index size) {
  thread_local std::vector<double> memory;
  if (memory.size() < static_cast<std::size_t>(size)) memory.resize(static_cast<std::size_t>(size));
  std::fill_n(memory.begin(), size, 0.0);
  return memory.data();
}

using VectorMap = Eigen::Map<Eigen::VectorXd>;
using MatrixMap = Eigen::Map<Eigen::MatrixXd>;

/// J += sign d value(x) / dx, from `derivative` where it was given, else by differences.
template <class Value, class Derivative, class Call>
void add_jacobian(double sign, const Value& value, const Derivative& derivative, ConstVectorRef x, MatrixRef J,
                  Call&& call) {
  if (!value) return;
  MatrixMap part(zeroed_scratch(J.size()), J.rows(), J.cols());
  if (derivative) {
    call(derivative, x, MatrixRef(part));
  } else {
    differences::jacobian(x, part, [&](ConstVectorRef at, VectorRef F) { call(value, at, F); });
  }
  J += sign * part;
}

}  // namespace

void DynamicalSystem::force_dq(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const {
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

void DynamicalSystem::force_dv(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const {
  differences::jacobian(v, J, [&](ConstVectorRef at, VectorRef F) { force(t, q, at, F); });
}

void DynamicalSystem::retract(VectorRef q, ConstVectorRef w) const {
  if (q.size() != w.size()) {
    throw InvalidArgument(
        "DynamicalSystem::retract",
        "none, with " + std::to_string(q.size()) + " coordinates and " + std::to_string(w.size()) + " velocities",
        "a retract(q, w) of its own: q + w is for as many of both");
  }
  q += w;
}

const std::vector<PrescribedVelocity>& DynamicalSystem::prescribed() const {
  static const std::vector<PrescribedVelocity> none;
  return none;
}
const std::vector<PrescribedImpulse>& DynamicalSystem::impulses() const {
  static const std::vector<PrescribedImpulse> none;
  return none;
}
const Feedback& DynamicalSystem::feedback() const {
  static const Feedback none;
  return none;
}

void CallableSystem::force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) const {
  const LagrangianSystem& d = description_;
  const auto add = [&F](double sign, auto&& call) {
    VectorMap part(zeroed_scratch(F.size()), F.size());
    call(VectorRef(part));
    F += sign * part;
  };
  if (d.force) d.force(t, q, v, F);
  if (d.internal) add(-1.0, [&](VectorRef part) { d.internal(t, q, v, part); });
  if (d.gyroscopic) add(-1.0, [&](VectorRef part) { d.gyroscopic(q, v, part); });
  if (const auto* constant = d.external.constant()) {
    F += *constant;
  } else if (const auto* function = d.external.function()) {
    add(1.0, [&](VectorRef part) { (*function)(t, part); });
  }
}

void CallableSystem::force_dq(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const {
  const LagrangianSystem& d = description_;
  const auto at_q = [&](const auto& f, ConstVectorRef at, auto&& out) { f(t, at, v, out); };
  add_jacobian(1.0, d.force, d.force_dq, q, J, at_q);
  add_jacobian(-1.0, d.internal, d.internal_dq, q, J, at_q);
  add_jacobian(-1.0, d.gyroscopic, d.gyroscopic_dq, q, J,
               [&](const auto& f, ConstVectorRef at, auto&& out) { f(at, v, out); });
}

void CallableSystem::force_dv(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const {
  const LagrangianSystem& d = description_;
  const auto at_v = [&](const auto& f, ConstVectorRef at, auto&& out) { f(t, q, at, out); };
  add_jacobian(1.0, d.force, d.force_dv, v, J, at_v);
  add_jacobian(-1.0, d.internal, d.internal_dv, v, J, at_v);
  add_jacobian(-1.0, d.gyroscopic, d.gyroscopic_dv, v, J,
               [&](const auto& f, ConstVectorRef at, auto&& out) { f(q, at, out); });
}

}  // namespace nonsmooth
