// SPDX-License-Identifier: Apache-2.0
#include "hermite_output.hpp"

namespace nonsmooth::events {

/// The rate of T by central differences of order 6 along retract(q, s v), with steps of 1/64 of the time step: their
/// noise in h^2 qddot is round-off of h qdot.
void HermiteOutput::differentiate_positions(double h, const End& at, Derivatives& q) {
  constexpr double kWeights[] = {0.75, -0.15, 1.0 / 60.0};
  v_ = at.z.tail(model_.num_velocities());
  const double s = h / 64.0;
  model_.position_rates(at.z, v_, q.first);
  model_.position_rates(at.z, at.a, q.second);
  for (int k = 1; k <= 3; ++k) {
    w_ = (k * s) * v_;
    moved_ = at.z;
    model_.move_positions(w_, moved_);
    model_.position_rates(moved_, v_, forward_);
    w_ = -w_;
    moved_ = at.z;
    model_.move_positions(w_, moved_);
    model_.position_rates(moved_, v_, backward_);
    q.second += (kWeights[k - 1] / s) * (forward_ - backward_);
  }
}

void HermiteOutput::write(double t, double h, const End& start, const End& end) {
  const Index n = model_.num_velocities(), positions = start.z.size() - n;
  dense_.t0 = t;
  dense_.h = h;
  dense_.degree = 5;
  dense_.coefficients.resize(start.z.size(), 6);
  const double *rate_start = start.z.data() + positions, *rate_end = end.z.data() + positions;
  const double *second_start = start.a.data(), *second_end = end.a.data();
  if (model_.has_manifolds()) {
    differentiate_positions(h, start, start_);
    differentiate_positions(h, end, end_);
    rate_start = start_.first.data(), rate_end = end_.first.data();
    second_start = start_.second.data(), second_end = end_.second.data();
  }
  for (Index i = 0; i < positions; ++i) {
    const double q0 = start.z[i], q1 = end.z[i], v0 = h * rate_start[i], v1 = h * rate_end[i];
    const double a0 = h * h * second_start[i], a1 = h * h * second_end[i], rise = q1 - q0;
    auto q = dense_.coefficients.row(i);
    q[0] = q0;
    q[1] = v0;
    q[2] = 0.5 * a0;
    q[3] = 10.0 * rise - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1;
    q[4] = -15.0 * rise + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1;
    q[5] = 6.0 * rise - 3.0 * (v0 + v1) - 0.5 * a0 + 0.5 * a1;
  }
  for (Index i = 0; i < n; ++i) {
    const double v0 = h * start.z[positions + i], v1 = h * end.z[positions + i];
    const double w0 = h * start.a[i], w1 = h * end.a[i], change = (v1 - v0) / h;
    auto v = dense_.coefficients.row(positions + i);
    v[0] = v0 / h;
    v[1] = w0;
    v[2] = 3.0 * change - 2.0 * w0 - w1;
    v[3] = -2.0 * change + w0 + w1;
    v[4] = v[5] = 0.0;
  }
}

}  // namespace nonsmooth::events
