// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rigid-body engines on scenes of bodies, each behind these plain declarations: their headers are not written for our
// warnings. SI units.

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace engines {

using Vector = std::array<double, 3>;
/// Centre, and unit quaternion (w, x, y, z).
struct Pose {
  Vector position{};
  std::array<double, 4> orientation{1.0, 0.0, 0.0, 0.0};
};
/// Where a body is and how it moves: the velocity of its centre, and its angular velocity in the axes of space.
struct Motion {
  Pose pose{};
  Vector velocity{}, spin{};
};

struct Body {
  double radius = 0.0;       ///< of a ball or a capsule; 0: a box
  double half_length = 0.0;  ///< > 0: a capsule about z, from -half_length to half_length and `radius` beyond
  Vector half_extents{};     ///< of a box
  double mass = 0.0;
  Pose pose{};
  Vector force{};       ///< constant, at the centre, beside its weight
  bool guided = false;  ///< moves along x alone
};

/// Solid below: normal . x >= offset is outside.
struct Plane {
  Vector normal{0.0, 0.0, 1.0};  ///< of length 1
  double offset = 0.0;
};

/// Bodies of constant density at rest, between planes; one mu and one e for all pairs.
struct Scene {
  std::vector<Body> bodies;
  std::vector<Plane> planes;
  double friction = 0.0, restitution = 0.0, gravity = 0.0;  ///< gravity along -z
  double step = 0.0;
  long most_contacts = 0;  ///< for an engine that wants to know; 0: eight a body
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  /// One step. Returns its CPU time [s].
  virtual double step() = 0;
  virtual void set_velocity(std::size_t body, const Vector& velocity) = 0;  ///< of the centre
  [[nodiscard]] virtual long contacts() const = 0;                          ///< as it counts them, after a step
  [[nodiscard]] virtual Motion motion(std::size_t body) const = 0;
};

enum class Settings : unsigned char {
  Default,   ///< as the engine comes; no body sleeps
  Accurate,  ///< the most exact solver and cone that it has, at any cost
  Piles,     ///< Default, but for what that cannot hold
};
enum class Precision : unsigned char { Single, Double };

/// btSequentialImpulseConstraintSolver of 10 iterations on planes; Accurate: 200, two directions of friction, planes as
/// boxes of 20 m, and with restitution no contacts ahead of time and no velocities against penetration. Each runs in a
/// process of its own. @throws std::runtime_error where that ends.
[[nodiscard]] std::unique_ptr<Engine> bullet(const Scene& scene, Settings settings, Precision precision);
/// What an engine finds between two bodies.
struct Contact {
  double gap = 0.0;  ///< of the nearest of its points; NaN without any
  long points = 0;
  double seconds = 0.0;  ///< of the processor, a search
};
/// Bullet's contactPairTest, in a process of its own; boxes as btBoxShape, or `hulls`: as btConvexHullShape of their
/// corners, without margin. @throws std::runtime_error where the process ends.
[[nodiscard]] Contact bullet_contact(const Body& first, const Body& second, bool hulls, Precision precision);
/// dWorldQuickStep of 20 iterations with dContactApprox1; Accurate: dWorldStep.
[[nodiscard]] std::unique_ptr<Engine> ode(const Scene& scene, Settings settings);
/// Newton's method on pyramids; Accurate: on elliptic cones, impratio 10, solref 2 h, 50 iterations against slip, and
/// with restitution a stiffness and damping for it; Piles: conjugate gradients on elliptic cones, solref 2 h.
/// @throws std::runtime_error where MuJoCo makes no model of it.
[[nodiscard]] std::unique_ptr<Engine> mujoco(const Scene& scene, Settings settings);

}  // namespace engines
