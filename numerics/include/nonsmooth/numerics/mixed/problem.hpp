// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>

#include <nonsmooth/numerics/linear_algebra/block_sparse_matrix.hpp>
#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>
#include <nonsmooth/numerics/outcome.hpp>
#include <nonsmooth/numerics/sets.hpp>
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

/// What a solve found; r is the best iterate whatever the status, u = W r + q recomputed. A proof is y as in
/// proves_infeasible(); for orthants y >= 0, W^T y <= 0, q·y < 0.
struct Result : Outcome {
  GrowingVector r, u;

  [[nodiscard]] std::string message() const;  ///< status, solver, residual, reason, what to look at next
};

/// True if y proves that the problem has no solution: y·u >= 0 for every u that the law admits, whatever r, while
/// y·(W r + q) < 0 for every r in K. The first is, block by block: y of any sign on Free blocks and row 0 of von Mises;
/// y >= 0 on orthants and rows N of contacts; on boxes >= 0 where only the lower bound is finite, <= 0 where only the
/// upper one is; |y_T| <= mu y_0 on second-order cones and |y_T| <= (mu - lift) y_0 on Drucker-Prager (0 where the
/// lift is larger); 0 on every other row: tangential, rolling and spinning ones, rows with two finite bounds. The
/// second: with c = W^T y, -c is in K* on cones and 0 on Free rows, and q·y plus the largest c·r over bounded rows and
/// cohesion is negative. Each is tested to 4 eps of the terms of its own sums, which are in extended precision: that is
/// what y and W lose by being rounded, and a looser test would call nearly singular regular problems infeasible.
/// Any sets, in the problem's own units. Cost: one product with W.
[[nodiscard]] bool proves_infeasible(const Problem& problem, ConstVectorRef y);

/// The certificate of r (see Certificate): one product W r and one projection a block; u receives W r + q.
/// floor < 0 takes the default. Allocates nothing. Where K is not canonical it is the certificate of the canonical form
/// (see BlockSet), r and u being in the problem's own units.
[[nodiscard]] Certificate certify(const Problem& problem, ConstVectorRef r, VectorRef u, double floor = -1.0);

/// What the field reports beside the certificate, over the friction blocks (Coulomb, Rolling) of a problem.
/// NaN where the problem has no such block.
struct FrictionFigures {
  /// sqrt(sum |r - P_K(r - û)|^2) / |q|_2 over all blocks: the natural map with rho = 1, as FCLIB's drivers report it.
  /// Of a block of a cone what the map does not show takes its place where it is larger, as in Certificate: half the
  /// penetration, or of a gap that opens under a force (of contacts the map shows 1 / sqrt(1 + mu^2) of it, so that
  /// this is mu > sqrt(3)), and what rounding hides. It mixes the units of r and u, so it is for comparison, not for
  /// stopping. Divided by 1 where q = 0. In the problem's own units, also of blocks that are not canonical (see
  /// BlockSet): rolling rows count as moments, as in the field.
  double natural_map = std::numeric_limits<double>::quiet_NaN();
  double cone_violation = std::numeric_limits<double>::quiet_NaN();   ///< max (|r_T| - mu r_N)^+, (-r_N)^+ [unit of r]
  double complementarity = std::numeric_limits<double>::quiet_NaN();  ///< max |r·û| over the blocks [unit of r u]
  double penetration = std::numeric_limits<double>::quiet_NaN();      ///< max (-u_N)^+ [unit of q]
};

/// The figures of (r, u), where u = W r + q as certify() gives it. natural_map sums over every block of the problem,
/// the others over its friction blocks (Coulomb, Rolling), in the units of the canonical form, where all rows of r are
/// forces. Allocates nothing. Source: Acary, Brémond, Huber, On solving contact problems with Coulomb friction, 2018.
[[nodiscard]] FrictionFigures friction_figures(const Problem& problem, ConstVectorRef r, ConstVectorRef u);

}  // namespace nonsmooth::mixed
