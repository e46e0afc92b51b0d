// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rigid-body engines on the scene of problems/dropped_bodies.hpp, each behind these plain declarations: their headers
// are not written for our warnings.

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace engines {

using Vector = std::array<double, 3>;
/// Centre, and unit quaternion (w, x, y, z).
struct Pose {
  Vector position{};
  std::array<double, 4> orientation{1.0, 0.0, 0.0, 0.0};
};

/// Equal bodies at rest above the floor z = 0, between walls |x|, |y| = half_width.
struct Drop {
  std::vector<Pose> poses;
  double radius = 0.0;  ///< of spheres; 0: boxes of these half extents
  Vector half_extents{};
  double mass = 0.0, friction = 0.0, gravity = 0.0, half_width = 0.0;
  double step = 0.0;  ///< [s]
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  virtual void step() = 0;
  [[nodiscard]] virtual long contacts() const = 0;  ///< as the engine counts them, after a step
  [[nodiscard]] virtual Pose pose(std::size_t body) const = 0;
};

/// btSequentialImpulseConstraintSolver; single precision, as Debian's default package has it. No sleeping.
[[nodiscard]] std::unique_ptr<Engine> bullet(const Drop& drop, int iterations);
/// dWorldQuickStep with dContactApprox1. No auto-disabling.
[[nodiscard]] std::unique_ptr<Engine> ode(const Drop& drop, int iterations);
/// Elliptic cones by conjugate gradients, solref of 2 h. @throws std::runtime_error where MuJoCo makes no model of it.
[[nodiscard]] std::unique_ptr<Engine> mujoco(const Drop& drop);

}  // namespace engines
