// SPDX-License-Identifier: Apache-2.0
// Piles of balls and walls of bricks: one time step of rigid bodies in frictional contact, as reduced or global
// problem. SI units. Every random number comes from an explicit seed.
#pragma once

#include <cstdint>
#include <vector>

#include <nonsmooth/numerics/friction/global_problem.hpp>

namespace nonsmooth::problems {

/// Bodies with their velocity at the end of a free step, and the points where they touch. The normal of a contact
/// points from `first` (-1: the ground) to `second`; u is the velocity of `second` relative to `first` there.
struct Pile {
  struct Body {
    Eigen::Vector3d position, velocity, inertia;  ///< m, m/s, kg m^2 (principal, along the axes)
    double mass;                                  ///< kg
  };
  struct Contact {
    Index first, second;
    Eigen::Vector3d point, normal;
    double mu;
  };
  std::vector<Body> bodies;
  std::vector<Contact> contacts;
};

enum class Rest : unsigned char {
  Settled,  ///< at rest under gravity
  Flowing,  ///< random velocities of 0.2 m/s
  Loaded,   ///< the uppermost layer 1000 times as heavy
};

constexpr double pile_step = 5e-3, pile_gravity = 9.81;

/// About `count` balls of radius 0.1 m +- 5 %, 1000 kg/m^3, on a close-packed lattice shaken by 5 % of the radius, in a
/// box without lid; contacts where balls overlap or come within 2 % of the radius of a wall; mu in [0.3, 0.8].
Pile ball_pile(Index count, std::uint64_t seed, Rest rest);

/// A wall of `rows` courses of `length` bricks (0.4 x 0.2 x 0.2 m, 2000 kg/m^3) in running bond; every two bricks that
/// lie on each other touch in the four corners of their common rectangle, so that reactions are not unique. Pushed: the
/// uppermost course moves along the wall at 0.3 m/s. mu in [0.3, 0.8].
Pile brick_wall(Index rows, Index length, std::uint64_t seed, bool pushed);

/// A v = f + H^T r, u = H v with A the masses and f = A v_free.
friction::GlobalProblem global_problem(const Pile& pile);

/// The same with the bodies eliminated.
friction::Problem reduced_problem(const Pile& pile);

}  // namespace nonsmooth::problems
