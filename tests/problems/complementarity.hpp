// SPDX-License-Identifier: Apache-2.0
// Random problems of every complementarity family with known verdicts, and certificates by other code: plain loops in
// long double. One generator a class; every draw comes from the random engine that is passed.
#pragma once

#include <limits>
#include <random>
#include <string>
#include <vector>

#include <nonsmooth/numerics/mlcp/problem.hpp>
#include <nonsmooth/numerics/relay/problem.hpp>

#include <problems/lcp.hpp>

namespace nonsmooth::problems {

/// How a class of problems is to be drawn.
struct Draw {
  Index n = 1;
  double degenerate = 0.0;  ///< share of rows with z_i = w_i = 0
  double decades = 0.0;     ///< the units of rows and columns vary over that many
};

/// An LCP, relay or mixed LCP as its most general form, with what is known of it.
struct Boxed {
  std::string name;
  relay::Problem problem;
  Verdict verdict = Verdict::Solvable;
  bool known_class = true;  ///< a class in which a direct method is proved to end with the right verdict
  Eigen::VectorXd z{};      ///< a solution where one was planted
};

inline constexpr double unbounded = std::numeric_limits<double>::infinity();

double draw(std::mt19937_64& random, double low, double high);
Eigen::VectorXd draw(std::mt19937_64& random, Index n, double low, double high);

/// The matrix classes. `rank_deficient` says which may be singular.
enum class MatrixClass : unsigned char {
  PositiveDefinite,      ///< symmetric
  PositiveReal,          ///< x·M x > 0, not symmetric
  P,                     ///< positive principal minors; not positive definite: rows and columns scaled apart
  PositiveSemidefinite,  ///< symmetric, half the rank
  Monotone,              ///< x·M x >= 0, not symmetric, singular symmetric part
  Kkt,                   ///< [H -A^T; A 0]: a quadratic program
  MMatrix,               ///< off-diagonal entries <= 0, diagonally dominant
  Laplacian,             ///< the same with row sums zero: singular
  StrictlyCopositive,    ///< no negative entry, positive diagonal
  CopositivePlus,        ///< the above and a singular positive semidefinite block, coupled by a skew part
  Z,                     ///< off-diagonal entries <= 0, any diagonal: solvable if feasible (least element)
  Sufficient,            ///< a positive semidefinite matrix, rows and columns scaled apart
  Any,                   ///< no class
};
inline constexpr int num_matrix_classes = 13;

Eigen::MatrixXd random_matrix(MatrixClass kind, Index n, std::mt19937_64& random);

Boxed random_boxed(MatrixClass kind, const Draw& options, bool lcp, std::mt19937_64& random);

/// Monotone and infeasible: a y allowed by the bounds with M^T y = 0 and q·y = -1 (Farkas). At least one row is not
/// bounded on both sides.
Boxed random_infeasible_boxed(const Draw& options, bool lcp, std::mt19937_64& random);

/// Feasible and without a solution, so that no proof of infeasibility may be found either: w_1 = z_2 - 1, w_2 = 1 (z_2
/// >= 1 needs w_2 = 0), in units of its own, above a positive definite block that both feed. n >= 2.
Boxed random_unsolvable(Index n, std::mt19937_64& random);

/// Free rows and their columns first: (u, v) of the mixed form; `rows` lists where each came from.
mlcp::Problem to_mlcp(const relay::Problem& p, std::vector<Index>& rows);

/// The certificate's residual of a relay, LCP or mixed LCP by other code. s_i = M_ii if positive, else the row's
/// largest |M_ij|, else 1; equality rows |w_i|.
double independent_residual(const Boxed& boxed, const Eigen::VectorXd& z);

/// Whether y proves that there is no solution, by other code: y allowed by the bounds, and y·(M z + q) < 0 for every z
/// in them. A column's sum counts as zero up to 64 n eps of its terms.
bool independent_proof(const relay::Problem& p, const Eigen::VectorXd& y);

}  // namespace nonsmooth::problems
