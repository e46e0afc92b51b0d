// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

#include <nonsmooth/kernel/relation.hpp>
#include <nonsmooth/kernel/shapes.hpp>

#include "contact/contact_rows.hpp"
#include "model/equations/time_differences.hpp"
#include "moving.hpp"

/// What the surfaces of two shapes that are linked have beside their form: conveyors, and axes of their material.
namespace nonsmooth::shape_pairs {

struct PairSkins {
  /// V_i(x, t) of the first and the second, in the axes of their bodies, x the closest point from the centre there; of
  /// the ground in space. None: it rests on its body.
  std::array<SurfaceField, 2> velocities{};
  std::array<SurfaceField, 2> spins{};  ///< Omega_i(x, t) likewise, which rows of angular velocities feel
  /// Where friction is elliptic, T1 is the grain without what is along the normal, T2 = n x T1, as where contacts are
  /// found; without a grain, or with one along the normal, of the normal alone. Else tangents are the shapes' own.
  bool elliptic = false;
  Eigen::Vector3d grain = Eigen::Vector3d::Zero();  ///< in the axes of body `grain_of`
  Index grain_of = 0;

  [[nodiscard]] bool move() const { return velocities[0] || velocities[1] || spins[0] || spins[1]; }
  [[nodiscard]] bool are_plain() const { return !move() && !elliptic; }
  void swap() {
    std::swap(velocities[0], velocities[1]);
    std::swap(spins[0], spins[1]);
    grain_of = 1 - grain_of;
  }
};

/// What every pair of shapes is: the same with skins.
class PairOfShapes {
 public:
  virtual ~PairOfShapes() = default;
  [[nodiscard]] virtual std::shared_ptr<const MechanicalRelation> with(PairSkins skins) const = 0;
};

/// d/dt of direction . V(p, t) where p moves at p_rate: a fourth-order difference along that way, by the step that V's
/// own rate there leaves, of up to 16 |t| (at t = 0: 16 s). Exactly zero of a constant V. Some 100 calls of V.
inline double rate_of(const SurfaceField& velocity, const Eigen::Vector3d& direction, const Eigen::Vector3d& p,
                      const Eigen::Vector3d& p_rate, double t) {
  const auto along = [&](double s) { return direction.dot(velocity(p + s * p_rate, t + s)); };
  const double here = along(0.0), scale = differences::time_scale(t);
  const differences::Step step = differences::best_step(std::exp2(-40.0) * scale, [&](double s, double& slope) {
    return s > 16.0 * scale ? -1.0 : differences::slope_at_zero(along, here, 1.0, s, slope);
  });
  double slope = 0.0;
  if (step.length > 0.0) differences::slope_at_zero(along, here, 0.0, step.length, slope);
  return slope;
}

/// The velocity of a conveyor on body i at a place in space, A V(x, t) with A the body's axes and x = A^T (place - c).
template <class Bodies>
[[nodiscard]] Eigen::Vector3d surface_velocity(const SurfaceField& velocity, const Bodies& bodies, Index i,
                                               const Eigen::Vector3d& place, double t) {
  const Eigen::Matrix3d axes = bodies.axes(i);
  const Eigen::Vector3d lever = place - bodies.point(i, Eigen::Vector3d::Zero()).value;
  return axes * velocity(axes.transpose() * lever, t);
}
/// d/dt of direction . A V(x, t): the direction and the axes turn, and x moves on the body at A^T (place' - what the
/// body carries there).
template <class Bodies>
[[nodiscard]] double surface_rate(const SurfaceField& velocity, const Bodies& bodies, Index i, const Moving& direction,
                                  const Moving& place, double t) {
  const Eigen::Matrix3d axes = bodies.axes(i);
  const Eigen::Vector3d x = axes.transpose() * (place.value - bodies.point(i, Eigen::Vector3d::Zero()).value);
  const Eigen::Vector3d way = place.rate - bodies.carried(i, place.value, place.rate).rate;
  const Moving turned = moving(bodies.direction(i, velocity(x, t)));
  return direction.rate.dot(turned.value) + direction.value.dot(turned.rate) +
         rate_of(velocity, axes.transpose() * direction.value, x, axes.transpose() * way, t);
}

/// Tangents as contacts that are found have them (contact_rows::frame_of), and their rates.
inline Moving tangent_of_normal(const Moving& n, Index k) {
  const double sign = n.value.z() < -0.9 ? -1.0 : 1.0;
  const double a = 1.0 / (1.0 + sign * n.value.z()), a_rate = -sign * n.rate.z() * a * a;
  const double x = n.value.x(), y = n.value.y(), x_rate = n.rate.x(), y_rate = n.rate.y();
  const double cross = x_rate * y * a + x * y_rate * a + x * y * a_rate;
  const Eigen::Vector3d value = contact_rows::frame_of(n.value).row(k + 1);
  if (k == 0) return {value, {-2.0 * x * x_rate * a - x * x * a_rate, -cross, -sign * x_rate}};
  return {value, {-sign * cross, -sign * (2.0 * y * y_rate * a + y * y * a_rate), -y_rate}};
}
inline Moving tangent_on_grain(const Moving& n, const Moving& grain, Index k) {
  const double dot = n.value.dot(grain.value), dot_rate = n.rate.dot(grain.value) + n.value.dot(grain.rate);
  double length = 0.0;
  const Moving first = unit_of({grain.value - n.value * dot, grain.rate - n.rate * dot - n.value * dot_rate}, length);
  if (!(length > contact_rows::kLeastGrain * grain.value.norm())) return tangent_of_normal(n, k);
  if (k == 0) return first;
  return {n.value.cross(first.value), n.rate.cross(first.value) + n.value.cross(first.rate)};
}

}  // namespace nonsmooth::shape_pairs
