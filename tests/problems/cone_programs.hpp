// SPDX-License-Identifier: Apache-2.0
// Second-order cone programs with known answers. Every random one takes an explicit seed.
#pragma once

#include <cstdint>
#include <vector>

#include <nonsmooth/numerics/cone_program/problem.hpp>

namespace nonsmooth::problems {

struct ConeProgram {
  cone_program::Problem problem;
  Eigen::VectorXd x, y, z;  ///< a solution and its multipliers
};

/// A planted pair: each cone has s inside, z inside, or both on the boundary and orthogonal. A and G are full.
ConeProgram planted_cone_program(Index n, Index equations, Index orthant, const std::vector<Index>& cones,
                                 std::uint64_t seed);

/// A ball of radius 1 held by `fingers` in opposite pairs, 4 at least, mu = 0.5, against its weight of 1 along -z and a
/// moment of 0.1 about z, with the least largest normal force t. Unknowns: t, then of each finger its normal and two
/// tangential forces; six equations of balance; rows t - normal >= 0; a cone (mu normal, tangential) a finger; sparse.
/// Feasible: a pair that squeezes is in balance, and carries what friction then can.
cone_program::Problem grasp(Index fingers, std::uint64_t seed);

}  // namespace nonsmooth::problems
