// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/vi/problem.hpp>

namespace nonsmooth {

/// The affine variational inequality VI(K, M x + q) as data, which a file can hold: find x in K with
///
///     (M x + q)·(y - x) >= 0  for all y in K.
///
/// vi::Problem has callables and sets that nothing can be read out of; problem() makes one of this. M is n x n, n >= 1,
/// dense or sparse; K is the product of `parts`, the rows of one behind those of the other. An affine mixed
/// complementarity problem, where K is a box, is a relay::Problem.
struct AffineVi {
  /// ProductSet: blocks of sets.hpp, as sets.
  using Part = std::variant<vi::Box, vi::Ball, vi::HalfSpace, vi::Polyhedron, ProductSet>;

  std::variant<Eigen::MatrixXd, Eigen::SparseMatrix<double>> M;
  Eigen::VectorXd q;        ///< n entries
  std::vector<Part> parts;  ///< at least one

  [[nodiscard]] Index size() const noexcept { return q.size(); }  ///< n
  [[nodiscard]] bool is_sparse() const noexcept { return M.index() == 1; }
  /// The product of the parts; of one part that set itself. @throws InvalidArgument as ConvexSet's constructors, and
  /// without parts.
  [[nodiscard]] vi::ConvexSet K() const;
  /// With the Jacobian M. What it holds is a copy. @throws InvalidArgument as validate().
  [[nodiscard]] vi::Problem problem() const;

  /// @throws InvalidArgument: shapes that differ, an entry that is not finite, a part that is no set, other rows of the
  /// parts together than n.
  void validate() const;
};

/// "box", "ball", "half-space", "polyhedron", "blocks".
[[nodiscard]] std::string_view name_of(const AffineVi::Part& part) noexcept;
/// How many rows of x it has.
[[nodiscard]] Index num_rows_of(const AffineVi::Part& part) noexcept;

}  // namespace nonsmooth
