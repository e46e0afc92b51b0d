// SPDX-License-Identifier: Apache-2.0
// The polyhedra that the feasible set is made of; not installed.
#pragma once

#include <optional>
#include <vector>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/mpcc/sparse_problem.hpp>
#include <nonsmooth/numerics/qp.hpp>

namespace nonsmooth::mpcc::detail {

/// A side counts as 0 up to this part of its terms: the product of two such sides is rounding.
constexpr double zero_side = 1e-8;
/// qp::Figures::primal up to which the point of a program that is not solved is of use: what is off by more cannot tell
/// which sides are 0.
constexpr double feasible = zero_side;

/// What a better piece must gain at least of the terms of the value is 10 times the tolerance, and no more than what
/// is_bouligand_stationary() lets pass by itself, so that what is called B-stationary is so for it.
constexpr double most_gain_left = 1e-9;

/// What is asked of each pair.
enum class Side : signed char {
  Both,  // G x + g >= 0 and H x + h >= 0, complementary or not
  G,     // G x + g = 0, H x + h >= 0
  H,
  None,  // both are 0
};
using Sides = std::vector<Side>;

/// The two sides of each pair at x, and the terms that they are compared with (Look::biactive).
struct Pairs {
  Eigen::VectorXd a, b, a_terms, b_terms;
};
template <class P>
[[nodiscard]] Pairs pairs_at(const P& problem, ConstVectorRef x);

/// What lengths at x are compared with, > 0: the larger of |x|_inf and the data's own size, |c| over |Q| and what pairs
/// and equations ask for over their rows; where all are 0 the least bound that is finite and not 0, and without one 1.
template <class P>
[[nodiscard]] double size_at(const P& problem, ConstVectorRef x);

/// The same of each unknown, > 0, which need not have one unit: the larger of |x_j| and what the data say of x_j alone,
/// |c_j| over row j of Q and the right-hand sides of pairs and equations over their entries in j; size_at() where they
/// say nothing of it.
template <class P>
[[nodiscard]] Eigen::VectorXd sizes_at(const P& problem, ConstVectorRef x);

/// The side that is the smaller over its terms, of each pair.
[[nodiscard]] Sides smaller_sides(const Pairs& pairs);
/// Pairs of which both sides are at most zero_side of their terms.
[[nodiscard]] std::vector<Index> biactive_pairs(const Pairs& pairs);

/// The quadratic program on these sides, rows (A; G; H), Q as it is.
[[nodiscard]] qp::Problem program_of(const Problem& problem, const Sides& sides);
[[nodiscard]] qp::SparseProblem program_of(const SparseProblem& problem, const Sides& sides);

/// The t of the relaxed programs, of the terms of a pair.
constexpr double first_t = 0.1, last_t = 1e-7, shrink = 0.1;

/// The largest |entry| of each row.
[[nodiscard]] Eigen::VectorXd row_sizes(const Eigen::MatrixXd& rows);
[[nodiscard]] Eigen::VectorXd row_sizes(const Eigen::SparseMatrix<double>& rows);
/// Where Q is not positive semidefinite: the objective on the equations N x = n among the rows, which is convex just
/// where P Q P is, P = I - N^+ N. With x_0 = N^+ n and |Q| the largest entry,
///
///     Q := P Q P + |Q| (I - P),   c := P (c + Q x_0) - |Q| x_0,
///
/// has on them the same values but for a constant, and slopes that differ by a sum of rows of N. Eigenvalues of P Q P
/// within rounding of 0, 64 n eps |Q|, are 0. False, and nothing done, where one is below. Cost: an orthogonal
/// decomposition and eigenvalues, some 10 n^3.
[[nodiscard]] bool make_convex(qp::Problem& program);
/// The program made convex and solved, the multipliers of equations those of Q and c as they were; nothing where it
/// is not convex on its equations. The certificate is that of the program made convex.
[[nodiscard]] std::optional<qp::Result> solve_on_equations(qp::Problem program, const qp::Automatic& options);

/// What a search has left and has found.
struct Search {
  const Problem& problem;
  double tolerance;
  Index most_programs;
  Index most_biactive;
  const nonsmooth::detail::Deadline& deadline;
  Result& result;  // Status::NotRun while nothing has ended the search

  /// The program on these sides, solved; nothing where limits are over (then the result has ended) or Q is not convex
  /// there.
  [[nodiscard]] std::optional<qp::Result> solve(const Sides& sides);
  [[nodiscard]] std::optional<qp::Result> solve(qp::Problem program);
  /// Counts one more quadratic program. False where a limit has ended the result.
  [[nodiscard]] bool go_on();
  /// Certifies the answer of a program into the result.
  void keep(const qp::Result& answer);
  /// Takes the least point of a piece and goes on to pieces at it while the value falls. False where the piece is empty
  /// or not convex, or looks unbounded without a direction that holds; the result may have ended.
  bool descend(Sides sides);
  /// Ends the result by the direction of an unbounded piece, if it holds. True if it does.
  bool end_unbounded(const Sides& sides, const qp::Result& answer);
  void conclude();
};

/// The value at `now` less that at `other`, over the terms |x|^T |Q| |x| / 2 + |c|^T |x| of the larger, which have the
/// unit of the value whatever units the unknowns have; 0 where the values are within 64 eps of L^T |Q| L / 2 + |c|^T L,
/// L the larger sizes_at() of both, as what is rounding beside that has no terms to speak of.
[[nodiscard]] double gain(const Problem& problem, ConstVectorRef now, ConstVectorRef other);

}  // namespace nonsmooth::mpcc::detail
