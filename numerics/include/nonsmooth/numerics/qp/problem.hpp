// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>
#include <nonsmooth/numerics/outcome.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::qp {

/// The convex quadratic program in x in R^n
///
///     minimise 1/2 x^T Q x + c^T x    subject to    row_lower <= A x <= row_upper,   lower <= x <= upper,
///
/// Q (n x n) symmetric positive semidefinite, 0 for a linear program; A m x n, m >= 0; n >= 1; dense. A row whose two
/// bounds are equal is an equation. x solves it just where multipliers y (m) of the rows and s (n) of the bounds exist
/// with
///
///     Q x + c = A^T y + s,   y_i >= 0 but at the row's upper bound, y_i <= 0 but at its lower bound, s_j alike.
///
/// Source: Nocedal, Wright 2006, chapter 16 [nocedal2006].
struct Problem {
  Eigen::MatrixXd Q;
  Eigen::VectorXd c;
  Eigen::MatrixXd A{};          ///< empty: no rows
  Eigen::VectorXd row_lower{};  ///< m entries, < +inf; empty: -inf
  Eigen::VectorXd row_upper{};  ///< m entries, > -inf, >= row_lower; empty: +inf
  Eigen::VectorXd lower{};      ///< n entries, < +inf; empty: -inf
  Eigen::VectorXd upper{};      ///< n entries, > -inf, >= lower; empty: +inf

  [[nodiscard]] Index num_unknowns() const noexcept { return c.size(); }  ///< n
  [[nodiscard]] Index num_rows() const noexcept { return A.rows(); }      ///< m

  /// @throws InvalidArgument: empty, shapes that differ, an entry that is not finite, bounds that cross; a Q that is
  /// not symmetric, naming the first pair (i, j) with |Q_ij - Q_ji| > 1e-12 max(|Q_ij|, |Q_ji|, sqrt|Q_ii Q_jj|); an
  /// indefinite one, naming what was found: a negative diagonal entry, a 2 x 2 minor, or the least eigenvalue of
  /// D^-1 Q D^-1, D_j = sqrt Q_jj. Refused are matrices without Cholesky factors after D^-1 Q D^-1 has been shifted by
  /// 64 n eps, which every positive semidefinite matrix has in floating point. Cost: n^3 / 3, sparse: one
  /// factorization.
  void validate() const;
};

/// The same with sparse Q (both triangles) and A (column-major). No solver turns them into dense matrices, but for
/// Automatic at its end, where the program is not large, and validate() for the eigenvalue that it tells of an
/// indefinite Q of up to 500 rows; of larger ones it tells that the factors do not exist.
struct SparseProblem {
  Eigen::SparseMatrix<double> Q;
  Eigen::VectorXd c;
  Eigen::SparseMatrix<double> A{};
  Eigen::VectorXd row_lower{}, row_upper{}, lower{}, upper{};

  [[nodiscard]] Index num_unknowns() const noexcept { return c.size(); }
  [[nodiscard]] Index num_rows() const noexcept { return A.rows(); }

  void validate() const;  ///< as Problem::validate
};

/// What (x, y) is worth, part by part, each relative to its scale; recomputed from the data. With s = Q x + c - A^T y:
///
/// - primal: how far A x and x are outside their bounds. Scale of rows: the largest of |A P(0)|, P(0) the x within its
///   bounds that is nearest to 0, and of the bounds that count, or where that is 0 of the terms |A||x|. A row's bound
///   counts if it is violated, and up to (|A||x|)_i if y_i pushes on it; so a large bound that x is far from does not
///   hide errors at others. Rows without a scale that should be 0 and are so to rounding, 64 eps, of what x could make
///   of them, u_i = max_j |A_ij| U_j, have the largest u_i of these; U_j is the larger of |c_j| / Q_jj and of the least
///   of V / g_j, sqrt(2 V / Q_jj) and |x|_inf (V and g below). Scale of x: the largest of its bounds that count alike,
///   or where that is 0 |x|_inf.
/// - stationarity: |s_j| where x_j has no bound that s_j could push on, and |y_i| max_j |A_ij| where a row has none.
///   Scale: |Q P(0) + c|_inf and |c|_inf, or where both are 0 of the terms |Q||x| + |A^T||y|.
/// - complementarity: sum of |multiplier| times the distance to the bound that it pushes on;
/// - gap: |primal value - dual value|, the sum of the same terms with their signs. Where an error is more than 1e-11 of
///   its own terms, also the most that is certain to be missing, from one unknown alone: what the value falls by as x_j
///   moves until its slope, a bound or a row stops it; and what the dual value does by an s_j that pushes on no bound,
///   s_j^2 / (2 Q_jj). Scale of both: the largest of |x^T Q x| / 2, |c_j x_j|, |y_i bound_i| and |s_j bound_j|, or
///   where these and the sum are rounding of it max_j c_j^2 / Q_jj: a value of 0. Of |y_i| the scale counts no more
///   than slopes g_j = |c_j| + |Q x|_j ask for: y'_i = max_j g_j / |A_ij|, or what up to two other rows hand on, the
///   lesser of max_jk |A_kj| y'_k / |A_ij| and |g|_inf / max_j |A_ij|; and of |s_j| the larger of g_j and of max_i
///   |A_ij y_i| then. What is more are mostly rows that cancel in every slope, as of two that leave nothing between
///   them: the scale would hide what is wrong elsewhere. Products of distances beyond rounding of their terms, 64 eps,
///   count as they are: second differences have multipliers that are sums of sums of slopes, and no bound of this kind.
///
/// Rows may differ in their units, and so may unknowns. So primal and stationarity also count each error over a size
/// of its own, where that is worse and the error is more than 64 eps of its own terms. That size is the sum of these
/// terms, (|A||x|)_i, |x_j| or (|Q||x| + |A^T||y| + |c|)_j, and of the largest of what else tells one. Data tell
///
/// - of x_j: X_j, the largest of |P(0)_j|, |c_j| / Q_jj and |bound_i| / |A_ij| of all rows i (bounds nearest to 0);
/// - of y_i: Y_i = max_j |c_j| / |A_ij|;
/// - of the value: V, the scale of complementarity and gap. Where V is rounding, up to 64 eps max_j |c_j| X_j, as of
///   values that are 0, it tells nothing and that maximum stands for it, infinity where that is 0.
///
/// An error d of x_j moves the value by g_j d + Q_jj d^2 / 2, an error d of slope j by |x_j| d. With this the sizes are
///
/// - of an unknown |bound|, X_j, and the least of V / g_j, sqrt(2 V / Q_jj) and |x|_inf; X_j alone where g_j is 0 and
///   X_j more than rounding of |x|_inf;
/// - of a row |bound|, and max_j |A_ij| times what it is of unknowns;
/// - of a slope |c_j|, max_i |Q_ij| X_i, max_i |A_ij| Y_i, and the lesser of V / max(|x_j|, X_j, B_j) and |g|_inf; B_j,
///   0 for slopes within 1e-11 of their terms, is what would count in rows with a multiplier: parts as large as
///   (|A||x|)_i, or as another x_k makes at the first bound that is not 0, of its own or by a row, over |A_ij|;
/// - of y_i where the row has no bound that it could push on: Y_i.
///
/// The slope c_j of an x_j that nothing stops, no curvature, bound or row, counts as a whole, 1, from 64 eps |c|_inf
/// on.
///
/// So x_2 of 1e-9 beside x_1 of 1e3 is right to the tolerance where the value depends on it, whatever the units; and
/// bounds and slopes of 1e-17 that stand for 0 ask for nothing that moves the value by less than the tolerance of it.
struct Figures {
  double primal = std::numeric_limits<double>::quiet_NaN();
  double stationarity = std::numeric_limits<double>::quiet_NaN();
  double complementarity = std::numeric_limits<double>::quiet_NaN();
  double gap = std::numeric_limits<double>::quiet_NaN();
  double value = std::numeric_limits<double>::quiet_NaN();       ///< 1/2 x^T Q x + c^T x [unit of the objective]
  double dual_value = std::numeric_limits<double>::quiet_NaN();  ///< what weak duality leaves below any value, up to
                                                                 ///< the stationarity error
};

/// What a solve found; x, y are the best iterate whatever the status, and a start for the next solve. Rows of the
/// certificate and of what it names: the m rows of A first, then x. Status::Infeasible says that there is no solution,
/// for one of two reasons: no x is feasible, and `proof` (m entries) shows it (proves_infeasible); or the value
/// falls without bound along `direction` (n entries) from every feasible x, if there is any (proves_unbounded).
struct Result : Outcome {
  GrowingVector x;  ///< n
  GrowingVector y;  ///< m multipliers of the rows
  GrowingVector s;  ///< n multipliers of the bounds, Q x + c - A^T y, recomputed
  Figures figures;
  Eigen::VectorXd direction{};  ///< empty but for an unbounded program

  /// Status::Infeasible because the program is unbounded below.
  [[nodiscard]] bool unbounded() const noexcept { return status == Status::Infeasible && direction.size() > 0; }
  [[nodiscard]] std::string message() const;  ///< status, solver, residual, reason, what to look at next
};

/// The certificate of (x, y): residual = the largest of the four figures; error, scale, round_off (64 eps of the
/// largest terms, of one row of its own) and worst_row those of the part that is largest; row_residual relates each
/// error to its own terms, complementarity as a whole to all of its. s must have n entries and receives Q x + c - A^T
/// y; `figures` may be null. Cost: one product with Q and two with A.
[[nodiscard]] Certificate certify(const Problem& problem, ConstVectorRef x, ConstVectorRef y, VectorRef s,
                                  Figures* figures = nullptr);
[[nodiscard]] Certificate certify(const SparseProblem& problem, ConstVectorRef x, ConstVectorRef y, VectorRef s,
                                  Figures* figures = nullptr);

/// True if y (m entries) proves that no x is feasible (Farkas): with r = A^T y,
///
///     max {r^T x : lower <= x <= upper} < min {y^T t : row_lower <= t <= row_upper}.
///
/// Entries of y push on finite bounds alone. Where r_j would need an infinite bound, |r_j| <= tolerance
/// sum_i |A_ij y_i| is allowed and counts as 0; the two sides are apart by more than 16 tolerance times the sum of
/// their terms, |y_i bound_i| and sum_i |A_ij y_i| |bound_j| of each r_j that is not 0: an x whose terms in the rows
/// are as large as these cannot make up for that by what is allowed. Sums in extended precision; a negative tolerance
/// takes 4 eps, which covers that y was rounded (1/2 eps of each term) and little more: a larger one would prove only
/// that no x of moderate size is feasible. So the proof holds for the data up to 4 eps of each entry: of programs that
/// close to each other it cannot tell which one is given.
[[nodiscard]] bool proves_infeasible(const Problem& problem, ConstVectorRef y, double tolerance = -1.0);
[[nodiscard]] bool proves_infeasible(const SparseProblem& problem, ConstVectorRef y, double tolerance = -1.0);

/// True if d (n entries) proves that the program, if any x is feasible, falls without bound: Q d = 0, A d in the
/// recession cone of the rows' bounds, d in that of its own (exactly), c^T d < 0. Rounding is allowed for row by row as
/// above: (Q d)_i up to tolerance sum_j |Q_ij d_j|, (A d)_i beyond 0 up to tolerance sum_j |A_ij d_j|, c^T d <
/// -16 tolerance sum_j |c_j d_j|. What 4 eps = 2^-50 cannot tell: Q = (1 -1; -1 1 + 2^-52), positive definite with its
/// minimiser some 2^52 away, passes with d = (1, 1), as the singular Q beside it does.
[[nodiscard]] bool proves_unbounded(const Problem& problem, ConstVectorRef d, double tolerance = -1.0);
[[nodiscard]] bool proves_unbounded(const SparseProblem& problem, ConstVectorRef d, double tolerance = -1.0);

}  // namespace nonsmooth::qp
