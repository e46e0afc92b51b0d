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
  Eigen::VectorXd proof;    ///< of an infeasible or unbounded program: what proves_... takes
};

/// What a random program is like.
struct ConeShape {
  Index n = 1, equations = 0, orthant = 0;
  std::vector<Index> cones{};
  double degenerate = 0.0;  ///< part of the cones with s = 0 and z = 0
};

/// With a pair that solves it: of each row of the orthant s or z is 0; of a cone s is inside and z 0, z inside and s 0,
/// or both are on the boundary and orthogonal.
ConeProgram planted_cone_program(const ConeShape& shape, std::uint64_t seed);

/// No x is feasible: z inside of K with A^T y + G^T z = 0 and b^T y + h^T z = -1.
ConeProgram infeasible_cone_program(const ConeShape& shape, std::uint64_t seed);

/// Feasible and unbounded: d with A d = 0, -G d inside of K and c^T d = -1.
ConeProgram unbounded_cone_program(const ConeShape& shape, std::uint64_t seed);

/// A ball of radius 1 held by `fingers` in opposite pairs, 4 at least, mu = 0.5, against its weight of 1 along -z and a
/// moment of 0.1 about z, with the least largest normal force t. Unknowns: t, then of each finger its normal and two
/// tangential forces; six equations of balance; rows t - normal >= 0; a cone (mu normal, tangential) a finger; sparse.
/// Feasible: a pair that squeezes is in balance, and carries what friction then can.
cone_program::Problem grasp(Index fingers, std::uint64_t seed);

/// Figures::primal, dual and gap, the largest, by other code: dense, in extended precision.
double independent_residual(const cone_program::Problem& problem, const Eigen::VectorXd& x, const Eigen::VectorXd& y,
                            const Eigen::VectorXd& z);

}  // namespace nonsmooth::problems
