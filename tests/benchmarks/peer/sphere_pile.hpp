// SPDX-License-Identifier: Apache-2.0
#pragma once

// The peer's side of sphere_pile_peer.cpp. Plain declarations: the peer's headers are C++17, ours C++20.

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace peer {

/// Equal balls over the floor z = 0, between walls |x|, |y| = half_width; e = 0.
struct Balls {
  std::vector<std::array<double, 3>> positions, velocities;
  std::vector<std::array<double, 4>> orientations;  ///< (w, x, y, z)
  std::vector<std::array<double, 3>> spins;         ///< in the axes of the body
  double radius = 0.0, mass = 0.0, friction = 0.0, gravity = 0.0, half_width = 0.0;
  double step = 0.0;
  double tolerance = 0.0;  ///< of the solver's own test
};

/// The problem of a step and its answer, rows (N, T1, T2) a contact.
struct Answer {
  std::vector<double> mu, q, r, u;
};

class SpherePile {
 public:
  SpherePile(const SpherePile&) = delete;
  SpherePile& operator=(const SpherePile&) = delete;
  virtual ~SpherePile() = default;

  virtual void step() = 0;
  [[nodiscard]] virtual Answer answer() const = 0;  ///< of the last step
  [[nodiscard]] virtual std::array<double, 3> position(std::size_t ball) const = 0;

 protected:
  SpherePile() = default;
};

/// MoreauJeanOSI with theta = 1/2, contacts by SiconosBulletCollisionManager, FrictionContact by its default solver,
/// NSGS, of at most `sweeps`, from the last step's reactions; one iteration of Newton's method a step.
[[nodiscard]] std::unique_ptr<SpherePile> sphere_pile(const Balls& balls, int sweeps);

}  // namespace peer
