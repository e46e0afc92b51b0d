// SPDX-License-Identifier: Apache-2.0
// Problems of cones at the edge of double precision: friction coefficients from 0 to 1e12, W of any rank, loads far
// larger than what they cause, sliding without a direction, rows in units decades apart, and walls: problems without a
// solution, with a proof planted. Every draw comes from the engine passed.
#pragma once

#include <random>
#include <string>

#include <nonsmooth/numerics/friction/global_problem.hpp>

#include <problems/lcp.hpp>

namespace nonsmooth::problems {

enum class HardFamily : unsigned char {
  Mixed,    ///< every set in one problem
  Cones,    ///< second-order cones and Drucker-Prager, of 1 to 4 rows
  Rolling,  ///< of 3 to 6 rows
  Planar,   ///< with cohesion in a quarter of them
  Spatial,  ///< isotropic, elliptic, cohesive
};

struct HardCones {
  std::string name;
  friction::GlobalProblem global;  ///< A (block diagonal, 6 x 6 a body), H, f, w of the same; Mixed, Cones: empty
  friction::Problem problem;       ///< W = H A^-1 H^T, rounded; q rounded once
  Eigen::MatrixXd W;               ///< dense
  Verdict verdict = Verdict::Unknown;
  Eigen::VectorXd r{};  ///< a solution to the rounding of q where one was planted
  Eigen::VectorXd y{};  ///< a proof where one was planted
};

/// 1 to 6 blocks. `global`: A is of 6 x 6 bodies that are not diagonal in half of the draws, f is not 0, and only
/// friction, orthants and free blocks are taken.
HardCones random_hard_cones(HardFamily family, bool global, std::mt19937_64& random);

}  // namespace nonsmooth::problems
