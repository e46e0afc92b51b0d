// SPDX-License-Identifier: Apache-2.0
// Coins for tests by events, and one that rolls steadily on a circle.
#pragma once

#include <cmath>

#include <gtest/gtest.h>

#include "event_log.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::coins {

using Eigen::Vector3d;
using event_log::kGravity;

/// A cylinder about z.
struct Coin {
  double R = 0.1, half = 0.01, m = 0.3;

  [[nodiscard]] double across() const { return m * (0.25 * R * R + half * half / 3.0); }
  [[nodiscard]] double along() const { return 0.5 * m * R * R; }
  [[nodiscard]] RigidBody body() const {
    return {.mass = m,
            .inertia = Vector3d(across(), across(), along()).asDiagonal().toDenseMatrix(),
            .gravity = {0.0, 0.0, -kGravity}};
  }
  [[nodiscard]] Shape shape() const { return Cylinder{R, half}; }
  /// Of the middle over its lowest point, the axis at `angle` to the vertical.
  [[nodiscard]] double height(double angle) const { return half * std::cos(angle) + R * std::sin(angle); }
  [[nodiscard]] double slope(double angle) const { return R * std::cos(angle) - half * std::sin(angle); }
};

/// On z = 0, without slip. Its axis a at the angle theta to the vertical z = c a + s d, d up along its lower face, e =
/// a x d level: all turn about z at W. With the spin w a + W s d and the contact -h a - R d of the centre at rest, this
/// moves at (w R - W s h) e; z x e = s a - c d, and the moments about the centre are
///
///     W s (A W c - C w) = m g (R c - h s) + m W (w R - W s h) (h c + R s).
struct CircleOfCoin {
  Coin coin{};
  double theta = 0.5, W = 12.0;

  [[nodiscard]] double spin() const {
    const double s = std::sin(theta), c = std::cos(theta), arm = coin.height(theta);
    return (W * W * s * c * coin.across() - coin.m * kGravity * coin.slope(theta) +
            coin.m * W * W * s * coin.half * arm) /
           (W * s * coin.along() + coin.m * W * coin.R * arm);
  }
  [[nodiscard]] double speed() const { return spin() * coin.R - W * std::sin(theta) * coin.half; }
  [[nodiscard]] RigidBody start() const {
    RigidBody body = coin.body();
    body.orientation = shape_bodies::turned_by({theta, 0.0, 0.0});  // a = (0, -s, c), d = (0, c, s), e = (-1, 0, 0)
    body.position = {0.0, 0.0, coin.height(theta)};
    body.velocity = {-speed(), 0.0, 0.0};
    body.angular_velocity = {0.0, W * std::sin(theta), spin()};  // d is y of the body
    return body;
  }
  void expect_at(double t, const State& state, SystemHandle handle, double integrated) const {
    const double radius = speed() / W, phase = W * t, s = std::sin(theta), w = spin();
    EXPECT_NEAR(state.q(handle)[0], -radius * std::sin(phase), integrated);
    EXPECT_NEAR(state.q(handle)[1], radius * std::cos(phase) - radius, integrated);
    EXPECT_NEAR(state.q(handle)[2], coin.height(theta), 1e-9);
    EXPECT_NEAR(state.v(handle).tail<3>().squaredNorm(), W * W * s * s + w * w, 1e-6);
  }
};

}  // namespace nonsmooth::coins
