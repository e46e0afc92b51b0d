// SPDX-License-Identifier: Apache-2.0
#pragma once

// Problems of the mixed family for tests and benchmarks. Every random one takes an explicit seed.

#include <cstdint>
#include <random>
#include <vector>

#include <nonsmooth/numerics/mixed/problem.hpp>

namespace nonsmooth::problems {

struct Block {
  BlockSet set;
  Index size;
};

/// A mixed problem from a dense W (all blocks in the pattern, or only those with a nonzero entry).
mixed::Problem mixed_from_dense(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, const std::vector<Block>& blocks,
                                bool keep_zero_blocks = true);

struct PlantedMixed {
  mixed::Problem problem;
  Eigen::VectorXd r, u;  ///< a solution; the only one where W is symmetric positive definite and no cone has friction
};

/// A pair (r, u) that satisfies the law of one set exactly, drawn over all its modes.
void plant(const Block& block, std::mt19937_64& random, Eigen::Ref<Eigen::VectorXd> r, Eigen::Ref<Eigen::VectorXd> u);

/// A random symmetric positive definite n x n matrix, G G^T + ridge I with G of standard normals over sqrt(n).
Eigen::MatrixXd random_spd(Index n, double ridge, std::mt19937_64& random);

/// Blocks of the given kinds drawn at random, with sizes 1..3 for Free, Orthant and Box, 2..6 for cones and cylinders
/// that have no size of their own.
std::vector<Block> random_blocks(Index count, const std::vector<SetKind>& kinds, std::mt19937_64& random);

/// W = random_spd, (r, u) planted, q = u - W r.
PlantedMixed planted_mixed(Index count, const std::vector<SetKind>& kinds, std::uint64_t seed, double ridge = 1.0);

/// Bodies in a row, each of `dofs` velocities and a mass from 10^(-decades/2) to 10^(decades/2): block i of
/// random_blocks couples the bodies i and i + 1 by rows of standard normals, W = H A^-1 H^T, q = u - W r with (r, u)
/// planted.
PlantedMixed planted_row_of_bodies(Index count, const std::vector<SetKind>& kinds, Index dofs, double decades,
                                   std::uint64_t seed);

/// A packing of unit disks (m = 1, I = 1/2) in `layers` staggered layers of `width` on a bumpy floor, one step h = 0.01
/// of gravity 9.81 away from rest: each disk touches two below and its right neighbour. Coulomb 2D blocks.
mixed::Problem disk_pile(Index width, Index layers, double mu);

/// The Zener diode in the series RLC circuit, implicit in both multipliers: W = [[a, h/L], [1, 0]] up to signs has a
/// zero on its diagonal and a skew coupling, so no row-wise sweep can solve it. First a box (the relay), then a row.
mixed::Problem skew_relay(double a, double coupling, double q_0, double q_1, double level);

/// An elliptic and a rolling contact that touch each other: rows in units of their own.
mixed::Problem contacts_in_foreign_units();

}  // namespace nonsmooth::problems
