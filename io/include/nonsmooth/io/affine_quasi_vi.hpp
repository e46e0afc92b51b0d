// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>
#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/io/affine_vi.hpp>
#include <nonsmooth/numerics/vi/quasi.hpp>

namespace nonsmooth {

/// The affine quasi-variational inequality as data, which a file can hold: find x in K(x) with
///
///     (M x + q)·(y - x) >= 0  for all y in K(x),     K(x) = t + T x + {z : z in the parts at x},
///
/// where M, q and the parts are those of `base` and the sides of a polyhedron among them may move with all of x,
///
///     A z <= b + B x,   C z = d + D x        (z its rows alone).
///
/// So do boxes, balls and cones move along (t, T), and firms that share a stock bound each other (B): a generalised
/// Nash game. vi::QuasiProblem has callables that nothing can be read out of; problem() makes one of this.
struct AffineQuasiVi {
  /// How the sides of a polyhedron move; a matrix without entries where they do not.
  struct Slopes {
    Eigen::MatrixXd B{};  ///< as many rows as A, n columns
    Eigen::MatrixXd D{};  ///< as many rows as C, n columns
  };

  AffineVi base;                 ///< M, q and the parts at x = 0
  std::vector<Slopes> slopes{};  ///< one a part, without entries but of polyhedra; none: no side moves
  std::variant<Eigen::MatrixXd, Eigen::SparseMatrix<double>> T{};  ///< n x n where t has entries
  Eigen::VectorXd t{};                                             ///< n entries [unit of x]; none: no translation

  [[nodiscard]] Index size() const noexcept { return base.size(); }  ///< n
  /// With the Jacobian M. What it holds is a copy. K(x) costs the product T x and, where sides move, a copy of the
  /// polyhedra. @throws InvalidArgument as validate().
  [[nodiscard]] vi::QuasiProblem problem() const;

  /// The points (z, x) with x = t + T x + z and z in the polyhedra among the parts at x (boxes, half-spaces and what
  /// else is one too): the rows A (z) - B x <= b, part behind part, then C (z) - D x = d, then x - T x - z = t. A
  /// solution lies in its own K(x): where this is empty there is none. @throws InvalidArgument as validate().
  [[nodiscard]] vi::Polyhedron fixed_points() const;

  /// @throws InvalidArgument: as AffineVi::validate; shapes that differ, an entry that is not finite or, of B, D and T,
  /// above 1e150 (so K(x) is finite as far out as solves go), another number of slopes than parts, slopes of a part
  /// that is no polyhedron.
  void validate() const;
};

/// y with proves_infeasible(problem, y); no entries where none was found, or fixed_points() would have more than 2^22
/// entries. Cost: a projection on fixed_points(). @throws InvalidArgument as AffineQuasiVi::validate.
[[nodiscard]] Eigen::VectorXd infeasibility_of(const AffineQuasiVi& problem);

/// True if y proves that no x lies in its own K(x): vi::proves_empty of fixed_points().
[[nodiscard]] bool proves_infeasible(const AffineQuasiVi& problem, ConstVectorRef y);

}  // namespace nonsmooth
