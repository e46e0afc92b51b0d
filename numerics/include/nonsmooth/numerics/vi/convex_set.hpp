// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/sets.hpp>
#include <nonsmooth/numerics/status.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::vi {

/// {lower <= x <= upper}, row by row.
struct Box {
  Eigen::VectorXd lower;  ///< n entries, < +inf; -inf: no bound
  Eigen::VectorXd upper;  ///< n entries, > -inf, >= lower; +inf: no bound
};

/// {|x - center| <= radius} in the Euclidean norm.
struct Ball {
  Eigen::VectorXd center;
  double radius = 1.0;  ///< >= 0 [unit of x]
};

/// {a·x <= b}.
struct HalfSpace {
  Eigen::VectorXd a;  ///< not 0
  double b = 0.0;
};

/// {A x <= b, C x = d}; dense. Either block may be left out, with no rows, not both. It may be empty: projections tell
/// it with a proof.
struct Polyhedron {
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
  Eigen::MatrixXd C{};
  Eigen::VectorXd d{};

  [[nodiscard]] Index size() const noexcept { return A.rows() > 0 ? A.cols() : C.cols(); }  ///< n
  /// @throws InvalidArgument: no rows, no columns, shapes that differ, an entry that is not finite.
  void validate() const;
};

/// True if y = (y_A, y_C), one entry a row of A and C, proves that the polyhedron is empty (Farkas):
///
///     y_A >= 0,   A^T y_A + C^T y_C = 0,   b·y_A + d·y_C < 0.
///
/// An entry of the second counts as zero where it is at most `tolerance` of the sum of the absolute values of its
/// terms, the third must be negative by this part of its terms; negative, the default, takes 4 eps, what y and the rows
/// lose by being rounded. Sums are in extended precision.
[[nodiscard]] bool proves_empty(const Polyhedron& polyhedron, ConstVectorRef y, double tolerance = -1.0);

/// Any closed convex set by its projection, which the caller writes: x := the point of the set nearest to y. The
/// solvers compare what it returns with what projections do, at points that they meet:
///
///     P(P(y)) = P(y)     and     (y - P(y))·(z - P(y)) <= 0   for every z = P(other y),
///
/// both to `accuracy` times the size of the points, and refuse what is none (InvalidArgument "vi::UserSet::project").
struct UserSet {
  Index size = 0;  ///< n, >= 1
  std::function<void(ConstVectorRef y, VectorRef x)> project;
  double accuracy = 1e-10;  ///< of the callable, relative, in (0, 1e-2] [-]
};

class ConvexSet;
struct Shifted;

/// parts[0] x parts[1] x ...: the rows of the parts one behind the other. At least one part.
struct Product {
  std::vector<ConvexSet> parts;
};

/// What all parts have in common; parts of one size, at least one. Where all parts are polyhedra the intersection is
/// one (projected on exactly); else the projection is Dykstra's: with p_i = 0 and x = y at first, again and again
///
///     z = x + p_i,   x := P_i(z),   p_i := z - x      for each part i,
///
/// until the changes of p, continued as the geometric series of their last quotient, sum up to at most `tolerance` of
/// |y| and |x|, or are rounding of |p|; it also ends, IterationLimit, after a cycle in which a part that is such an
/// intersection itself did. Converges for every nonempty intersection, linearly where the parts meet at an angle,
/// slowly where they only touch. Where all parts have a Jacobian and k parts of n rows are k n <= 400, Newton's method
/// on x = y - sum p_i, P_i(x + p_i) = x is tried after 4 cycles, and after four times as many again and again; of three
/// and four parts also without one and without two of them, whose common point may lie in the others too. A root is the
/// projection, and implicit differentiation of it gives jacobian(). So two sets may overlap by 1e-8 of their size, and
/// three by 1e-6; more that are all so thin may end IterationLimit, with the error that is left. Source: Boyle, Dykstra
/// 1986 [boyle1986]; Birgin, Raydan 2005 [birgin2005] for changes of p as the rule.
struct Intersection {
  std::vector<ConvexSet> parts;
  double tolerance = 1e-14;   ///< in (0, 1) [-]
  Index max_cycles = 20'000;  ///< >= 1
};

/// How a projection ended.
struct ProjectionReport {
  /// Solved; Infeasible: the set is empty, and `proof` shows it; IterationLimit: Dykstra's cycles were not enough, or
  /// the set is empty by too little; NumericalFailure: rows that nearly depend on each other were too much.
  Status status = Status::Solved;
  Index iterations = 0;  ///< changes of the active set, cycles; 0 for closed forms
  /// Dykstra: estimate of |x - P(y)|, with those of its parts. Polyhedra: the most by which x leaves a row of norm 1, 0
  /// where this is what the row rounds to, (n + 2) eps (|b| + |x|) [unit of x].
  double error = 0.0;
  Eigen::VectorXd proof{};  ///< Infeasible only: as ConvexSet::proves_empty takes it

  [[nodiscard]] bool ok() const noexcept { return status == Status::Solved; }
};

/// A closed convex set K of R^n with a projection P_K; a value, whose copies share what never changes.
///
///     vi::ConvexSet K = vi::Ball{center, 2.0};
///     vi::ConvexSet L = vi::Intersection{{K, vi::HalfSpace{a, b}}};
class ConvexSet {
 public:
  ConvexSet() = default;  ///< of no rows; a problem refuses it

  ConvexSet(const Box& box);                    // NOLINT: a set is what describes it
  ConvexSet(const Ball& ball);                  // NOLINT
  ConvexSet(const HalfSpace& half_space);       // NOLINT
  ConvexSet(const Polyhedron& polyhedron);      // NOLINT
  ConvexSet(const ProductSet& blocks);          // NOLINT: K of sets.hpp, as a set: û plays no part
  ConvexSet(const Product& product);            // NOLINT
  ConvexSet(const Intersection& intersection);  // NOLINT
  ConvexSet(const UserSet& set);                // NOLINT
  ConvexSet(const Shifted& shifted);            // NOLINT
  // Each throws InvalidArgument naming the field: no rows, sizes that differ, bounds of which none is between, a
  // negative radius, a = 0, no callable, numbers that are not finite.

  [[nodiscard]] Index size() const noexcept;  ///< n

  /// x := P_K(y); x is 0 where the report says that there is no point. x may be y. Cost: O(n) of boxes, balls,
  /// half-spaces and blocks; of polyhedra a dual active set method (Goldfarb, Idnani 1983 [goldfarb1983]), n^2 and
  /// (rows) n a change of the set.
  /// @throws InvalidArgument sizes that differ; a user's callable that returns a number that is not finite.
  ProjectionReport project(ConstVectorRef y, VectorRef x) const;

  /// Numbers of rows of the sets that K is known to be the product of, one behind the other: 1 of each row of a box,
  /// those of blocks and of the factors of products; n of sets that are not known to be a product.
  [[nodiscard]] std::vector<Index> factors() const;

  /// Whether jacobian() is known: of all sets but a user's, non-canonical blocks (BlockSet), intersections by Dykstra
  /// of more than 400 rows in all, and what contains one of these.
  [[nodiscard]] bool has_jacobian() const noexcept;
  /// D := an element of the generalised Jacobian of P_K at y (n x n): the derivative wherever P_K has one; of a
  /// polyhedron I - N (N^T N)^-1 N^T, N the normals of the active rows that carry y - P_K(y) (Han, Sun 1997 [han1997]).
  /// @throws InvalidArgument sizes that differ, no Jacobian known.
  void jacobian(ConstVectorRef y, MatrixRef D) const;
  /// The same, sparse and compressed: a full block of each of factors(), the same pattern for every y.
  void jacobian(ConstVectorRef y, Eigen::SparseMatrix<double>& D) const;

  /// The same set as {A x <= b, C x = d}: of boxes, half-spaces, polyhedra, blocks Free, Orthant and Box, products and
  /// intersections of these; none of other sets. Bounds come row by row, the lower one first; equal ones are a row of
  /// C.
  [[nodiscard]] std::optional<Polyhedron> polyhedron() const;

  /// Whether support() is known: of boxes, balls, half-spaces, polyhedra, products of these.
  [[nodiscard]] bool has_support() const noexcept;
  /// max {c·y : y in K}, infinity where it has no bound; y becomes a point that attains it, where one does. Of a
  /// polyhedron a linear program, by mlcp::Lemke on its optimality conditions: NaN where that ends without an answer.
  /// @throws InvalidArgument sizes that differ, no support function known; a polyhedron that is empty.
  [[nodiscard]] double support(ConstVectorRef c, VectorRef y) const;
  /// The same; `terms` becomes the sum of what it summed, without signs: 1e-16 of it is the rounding, whatever is left.
  [[nodiscard]] double support(ConstVectorRef c, VectorRef y, double& terms) const;

  /// Entries of a proof that K is empty: one a row of A and C of a polyhedron, of products, and of intersections by
  /// Dykstra, those of the parts one behind the other; behind these, of an intersection whose parts all have a
  /// support(), a vector v_i a part, n entries each. 0 of the other sets, which are never empty or do not know.
  [[nodiscard]] Index proof_rows() const noexcept;
  /// True if y proves that K is empty: of a polyhedron as the function of that name; of parts, one of them; of
  /// parts that are apart, sum_i v_i = 0 to rounding and sum_i max {v_i·y : y in K_i} < -1e-9 of its terms.
  [[nodiscard]] bool proves_empty(ConstVectorRef y) const;

  /// Accuracy of the least accurate projection that a caller wrote and that K is made of; 0 where there is none.
  [[nodiscard]] double user_accuracy() const noexcept;

  struct Implementation;  ///< private to the library

 private:
  std::shared_ptr<const Implementation> implementation_;
};

/// {k + by : k in K}.
struct Shifted {
  ConvexSet K;
  Eigen::VectorXd by;  ///< n entries
};

}  // namespace nonsmooth::vi
