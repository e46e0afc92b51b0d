// SPDX-License-Identifier: Apache-2.0
// Linear complementarity problems with known answers. Every random one takes an explicit seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::problems {

// Unsolvable: feasible, yet without a solution; Unknown: nothing is known.
enum class Verdict { Solvable, Infeasible, Unsolvable, Unknown };

struct Lcp {
  std::string name;
  lcp::Problem problem;
  Verdict verdict = Verdict::Solvable;
  Eigen::VectorXd z;    ///< a solution where one was planted
  bool unique = false;  ///< z is the only solution
};

/// w = M z + q with M unit upper triangular, 2 above the diagonal, q = -1: z = e_n. Murty 1978 [murty1978].
Lcp murty(Index n);

/// Its symmetric positive definite sister M := U^T U with Murty's U; q = -1, z = e_1. Fathi 1979 [fathi1979].
Lcp fathi(Index n);

/// Interior solution (4/3, 7/3): M = (2 1; 1 2), q = (-5, -6).
Lcp interior();

Eigen::MatrixXd normal_matrix(std::mt19937_64& random, Index rows, Index cols);

/// q such that z with about half its rows positive solves; a share of the rows is degenerate (z_i = w_i = 0).
void plant(Lcp& lcp, std::mt19937_64& random, double degenerate);

/// Symmetric positive definite, A A^T / n + I / 2.
Lcp random_spd(Index n, std::uint64_t seed, double degenerate = 0.0);

/// Positive definite, not symmetric (so a P-matrix): the above plus a skew part.
Lcp random_p(Index n, std::uint64_t seed, double degenerate = 0.0);

/// Symmetric positive semidefinite of rank max(1, n / 2), feasible: solutions exist, z need not be unique.
Lcp random_psd(Index n, std::uint64_t seed);

/// Positive semidefinite and infeasible: y > 0 on some rows spans part of the kernel of M, q·y < 0.
Lcp random_infeasible(Index n, std::uint64_t seed);

/// The same problem in other units: rows and columns scaled by d_i over `decades`.
Lcp rescaled(Lcp lcp, std::uint64_t seed, double decades);

/// -u'' = f on (0, 1), u >= 0, u = 0 at both ends, n inner points: f = -1 outside (1/4, 3/4), 2 inside (a membrane that
/// is pushed down where it rests on the obstacle). Multiplied by h^2.
lcp::SparseProblem obstacle_1d(Index n);

/// -Laplace u = f on the unit square, u >= 0, five points, m x m inner points; f = 10 sin(2 pi x) sin(2 pi y).
lcp::SparseProblem obstacle_2d(Index m);

lcp::SparseProblem sparse(const lcp::Problem& problem);

/// The certificate's residual by other code: plain loops in long double.
double independent_residual(const Eigen::MatrixXd& M, const Eigen::VectorXd& q, const Eigen::VectorXd& z);

/// The same for a sparse matrix.
double independent_residual(const Eigen::SparseMatrix<double>& M, const Eigen::VectorXd& q, const Eigen::VectorXd& z);

}  // namespace nonsmooth::problems
