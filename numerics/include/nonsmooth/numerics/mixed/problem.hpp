// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include <nonsmooth/numerics/certificate.hpp>
#include <nonsmooth/numerics/linear_algebra/block_sparse_matrix.hpp>
#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>
#include <nonsmooth/numerics/sets.hpp>
#include <nonsmooth/numerics/status.hpp>
#include <nonsmooth/numerics/types.hpp>

/// The one object that every nonsmooth step is, in reduced form, whatever sets its blocks have.
namespace nonsmooth::mixed {

/// Find r, u with  u = W r + q  and, on each block i,  -û_i in N_{K_i}(r_i)  (sets.hpp says û and K for each kind).
/// W is n x n in blocks that match K's; it need not be symmetric; where it is singular r need not be unique.
struct Problem {
  BlockSparseMatrix W;
  GrowingVector q;
  ProductSet K;

  /// @throws InvalidArgument: empty, blocks of W and K that differ, q of another size, an entry that is not finite.
  void validate() const;
};

/// What a solve found; r is the best iterate whatever the status, u = W r + q recomputed.
struct Result {
  GrowingVector r, u;
  Status status = Status::NotRun;
  Certificate certificate;
  Index iterations = 0;     ///< sweeps, pivots or linear solves of the solver used
  std::string_view solver;  ///< the algorithm that gave r, as in the registry
  std::string_view reason;  ///< static text: why it stopped there
  /// Status::Infeasible only, else empty: y that every u admitted by the law meets with y·u >= 0 (y_i >= 0 on orthant
  /// and normal rows, of any sign on free rows, 0 on tangential rows and on rows with two finite bounds, >= 0 where only
  /// the lower bound is finite, <= 0 where only the upper one is), while y·u = r·W^T y + q·y < 0 for every r in K.
  /// For orthants: y >= 0, W^T y <= 0, q·y < 0.
  Eigen::VectorXd proof;

  [[nodiscard]] bool ok() const noexcept { return status == Status::Solved; }
  explicit operator bool() const noexcept { return ok(); }
  [[nodiscard]] std::string message() const;  ///< status, solver, residual, reason, what to look at next
};

/// The certificate of r (see Certificate): one product W r and one projection a block; u receives W r + q.
/// floor < 0 takes the default. Allocates nothing; where K is not canonical it is the certificate of the canonical form
/// (see BlockSet), for which W is copied.
[[nodiscard]] Certificate certify(const Problem& problem, ConstVectorRef r, VectorRef u, double floor = -1.0);

/// What the field reports beside the certificate, over the friction blocks (Coulomb 2D and 3D) of a problem.
/// NaN where the problem has no such block.
struct FrictionFigures {
  /// sqrt(sum |r - P_K(r - û)|^2) / |q|_2 over all blocks: the natural map with rho = 1, as FCLIB's drivers report it.
  /// It mixes the units of r and u, so it is for comparison, not for stopping. Divided by 1 where q = 0.
  double natural_map = std::numeric_limits<double>::quiet_NaN();
  double cone_violation = std::numeric_limits<double>::quiet_NaN();   ///< max (|r_T| - mu r_N)^+, (-r_N)^+ [unit of r]
  double complementarity = std::numeric_limits<double>::quiet_NaN();  ///< max |r·û| over the blocks [unit of r u]
  double penetration = std::numeric_limits<double>::quiet_NaN();      ///< max (-u_N)^+ [unit of q]
};

/// The figures of (r, u), where u = W r + q as certify() gives it. natural_map sums over every block of the problem,
/// the others over its friction blocks (Coulomb, Rolling), all of the canonical form. Allocates nothing where K is
/// canonical. Source: Acary, Brémond, Huber, On solving contact problems
/// with Coulomb friction, 2018.
[[nodiscard]] FrictionFigures friction_figures(const Problem& problem, ConstVectorRef r, ConstVectorRef u);

}  // namespace nonsmooth::mixed
