// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>
#include <nonsmooth/numerics/outcome.hpp>
#include <nonsmooth/numerics/qp/problem.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::mpcc {

/// The quadratic program with complementarity constraints in x in R^n
///
///     minimise 1/2 x^T Q x + c^T x    subject to    row_lower <= A x <= row_upper,   lower <= x <= upper,
///                                                   0 <= G x + g ⟂ H x + h >= 0,
///
/// Q (n x n) symmetric; A m x n; G, H k x n; n >= 1, m, k >= 0; dense. Its feasible set is a union of polyhedra, the
/// pieces: for each pair i one of (G x + g)_i and (H x + h)_i is 0. Q is to be convex on the pieces that a solver
/// meets, d^T Q d >= 0 for all d that a piece's equations leave free (its sides that are 0, and rows of A with
/// row_lower = row_upper; not lower = upper), else the solver ends Stalled: convex Q always is, and x^2 + y^2 - 4 x y
/// and x y on 0 <= x ⟂ y >= 0 as well.
///
/// x is weakly stationary if multipliers y (m), s (n), u and v (k) exist with
///
///     Q x + c = A^T y + s + G^T u + H^T v,    u_i = 0 where (G x + g)_i > 0,   v_i = 0 where (H x + h)_i > 0,
///
/// y and s of the signs of qp::Problem. What else holds is Stationarity. A bilevel program is one of these, once the
/// conditions of its lower level are written down. Source: Scheel, Scholtes 2000 [scheel2000]; Luo, Pang, Ralph 1996
/// [luo1996].
struct Problem {
  Eigen::MatrixXd Q;
  Eigen::VectorXd c;
  Eigen::MatrixXd A{};          ///< empty: no rows
  Eigen::VectorXd row_lower{};  ///< m entries, < +inf; empty: -inf
  Eigen::VectorXd row_upper{};  ///< m entries, > -inf, >= row_lower; empty: +inf
  Eigen::VectorXd lower{};      ///< n entries, < +inf; empty: -inf
  Eigen::VectorXd upper{};      ///< n entries, > -inf, >= lower; empty: +inf
  Eigen::MatrixXd G{};          ///< empty: no pairs
  Eigen::VectorXd g{};          ///< k entries
  Eigen::MatrixXd H{};
  Eigen::VectorXd h{};  ///< k entries

  [[nodiscard]] Index num_unknowns() const noexcept { return c.size(); }  ///< n
  [[nodiscard]] Index num_rows() const noexcept { return A.rows(); }      ///< m
  [[nodiscard]] Index num_pairs() const noexcept { return g.size(); }     ///< k

  /// @throws InvalidArgument: empty, shapes that differ, an entry that is not finite, bounds that cross, a Q that is
  /// not symmetric.
  void validate() const;
};

/// What is known of x, each of these more than those before it. With beta the pairs of which both sides are 0:
enum class Stationarity : unsigned char {
  None,          ///< no multipliers at the tolerance
  Weak,          ///< W: multipliers, of whatever signs on beta
  Clarke,        ///< C: u_i v_i >= 0 on beta
  Mordukhovich,  ///< M: u_i, v_i >= 0 or u_i v_i = 0 on beta
  Bouligand,     ///< B: on each of the 2^|beta| pieces at x, x is the minimiser; the pieces were solved one by one
  Strong,        ///< S: u_i, v_i >= 0 on beta; implies B, and follows from it where gradients of active rows are
                 ///< independent (MPEC-LICQ)
};

/// "none", "W", "C", "M", "B", "S".
[[nodiscard]] std::string_view to_string(Stationarity stationarity) noexcept;

/// What (x, y, u, v) is worth, recomputed from the data.
struct Look {
  qp::Figures figures;  ///< as of a quadratic program with equations for the sides that are to be 0
  /// beta: both sides at most 1e-8 of their terms, |g_i| + max_j |G_ij| L_j. L_j is the larger of |x_j| and what the
  /// data say of x_j: |c_j| over row j of Q, right-hand sides of pairs and equations over their entries in j; where
  /// they say nothing of it, the largest of all. So a large unknown hides nothing in rows that it is not in. Of sparse
  /// programs, which may be linearized at x, L_j is the largest for all j: a step there is as exact as that allows.
  std::vector<Index> biactive{};
  Stationarity stationarity = Stationarity::None;  ///< by the signs of u and v, None of them B; 1e-8 of the largest
                                                   ///< multiplier times its row counts as 0
};

/// What a solve found; x, y, u, v are the best point whatever the status. Solved: the residual is at the tolerance and
/// `stationarity` is C or more. Such a point is a local answer: other pieces, away from x, may be better, but where
/// BranchAndBound says that none is. Rows of the certificate: the m of A, the k of G, the k of H, then x.
/// Status::Infeasible: no x satisfies the rows, bounds and G x + g >= 0, H x + h >= 0, complementary or not, and
/// `proof` (m + 2 k entries) shows it; or the value falls without bound along `direction` from x, which is feasible.
struct Result : Outcome {
  GrowingVector x;     ///< n
  GrowingVector y;     ///< m
  GrowingVector u, v;  ///< k each
  GrowingVector s;     ///< n multipliers of the bounds, recomputed
  qp::Figures figures;
  Stationarity stationarity = Stationarity::None;
  std::vector<Index> biactive{};
  Eigen::VectorXd direction{};  ///< empty but for an unbounded program

  [[nodiscard]] bool unbounded() const noexcept { return status == Status::Infeasible && direction.size() > 0; }
  [[nodiscard]] std::string message() const;  ///< status, solver, residual, reason, what to look at next
};

/// The certificate of (x, y, u, v) as a weakly stationary point: that of the quadratic program (qp::certify) with rows
/// (A; G; H) in which of each pair the smaller side over its terms is an equation, the other one too where its
/// multiplier is negative and over the largest no smaller than the side over its terms, and else >= 0. So |G x + g| or
/// |H x + h| is an error of the first, a multiplier on a side that is not 0 one of complementarity. s must have n
/// entries and receives Q x + c - A^T y - G^T u - H^T v; `look` may be null.
[[nodiscard]] Certificate certify(const Problem& problem, ConstVectorRef x, ConstVectorRef y, ConstVectorRef u,
                                  ConstVectorRef v, VectorRef s, Look* look = nullptr);

/// True if x minimises the program on every piece that it is in, at least one, to `tolerance` of the terms
/// |x|^T |Q| |x| / 2 + |c|^T |x| there or at the minimiser: 2^|beta| quadratic programs, of which at most 1024 are
/// solved; with more it is false.
[[nodiscard]] bool is_bouligand_stationary(const Problem& problem, ConstVectorRef x, double tolerance = 1e-9);

/// True if `proof` (y, u, v) proves that no x satisfies the rows, the bounds and the two sides >= 0 (Farkas), as
/// qp::proves_infeasible has it. Programs whose pieces are all empty though this set is not have no such proof.
[[nodiscard]] bool proves_infeasible(const Problem& problem, ConstVectorRef proof, double tolerance = -1.0);

/// True if x is feasible, to 1e-9 as certify() measures it, and d proves that the value falls without bound from it on
/// a piece that it is in, as qp::proves_unbounded has it.
[[nodiscard]] bool proves_unbounded(const Problem& problem, ConstVectorRef x, ConstVectorRef d,
                                    double tolerance = -1.0);

}  // namespace nonsmooth::mpcc
