// SPDX-License-Identifier: Apache-2.0
// Relay problems (affine variational inequalities on boxes) with known answers. Every random one takes an explicit
// seed.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include <nonsmooth/numerics/relay/problem.hpp>

#include <problems/lcp.hpp>

namespace nonsmooth::problems {

struct Relay {
  std::string name;
  relay::Problem problem;
  Verdict verdict = Verdict::Solvable;
  Eigen::VectorXd z;    ///< a solution where one was planted
  bool unique = false;  ///< z is the only solution
};

inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// The same problem stored otherwise.
relay::SparseProblem sparse(const relay::Problem& problem);

/// Which bounds a random problem may have.
enum class Bounds { Finite, Mixed };

/// Symmetric positive definite: one solution.
Relay random_relay_spd(Index n, std::uint64_t seed, Bounds kinds, double degenerate = 0.0);

/// Positive definite, not symmetric: one solution.
Relay random_relay_p(Index n, std::uint64_t seed, Bounds kinds, double degenerate = 0.0);

/// Positive semidefinite of rank at most max(1, n / 2) plus a skew part of rank 2: monotone, z need not be unique.
Relay random_relay_monotone(Index n, std::uint64_t seed, Bounds kinds);

/// Any matrix: a solution is planted, there may be others.
Relay random_relay_any(Index n, std::uint64_t seed, Bounds kinds);

/// Symmetric positive semidefinite with y in the kernel, of the signs of proves_infeasible, and q·y = -1.
/// The first row has one bound at most, so that y can be nonzero.
Relay random_relay_infeasible(Index n, std::uint64_t seed);

/// The same problem in other units: rows and columns scaled by d_i over `decades` (of the entries of M).
Relay rescaled(Relay relay, std::uint64_t seed, double decades);

/// The certificate's residual by other code: the projection as it is written, in long double.
double independent_residual(const relay::Problem& problem, const Eigen::VectorXd& z);

}  // namespace nonsmooth::problems
