// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::analysis::detail {

/// Rows of a Jacobian made orthogonal one after the other (Gram-Schmidt, twice), each scaled to length 1, in
/// coordinates in which the diagonal of M is 1: neither units of rows nor of coordinates matter. A row joins the basis
/// where more than `dependent` of it is left. Cost O(n rank) a row.
class RowBasis {
 public:
  explicit RowBasis(const Eigen::VectorXd& mass_diagonal);

  /// Whether the row joins. Where it does not, `coefficients` of the rows that joined make it up.
  [[nodiscard]] bool joins(const Eigen::VectorXd& row, double dependent, Eigen::VectorXd& coefficients);
  [[nodiscard]] Index rank() const { return Q_.cols(); }
  /// The basis as rows of the same coordinates as H's: E v = 0 where H v = 0, rank() x n.
  [[nodiscard]] Eigen::MatrixXd rows() const { return Q_.transpose() * scale_.cwiseInverse().asDiagonal(); }
  /// Columns w with E w = 0, of length 1 in the scaled coordinates; n x (n - rank()).
  [[nodiscard]] Eigen::MatrixXd kernel() const;

 private:
  Eigen::VectorXd scale_;  // diag(M)^(-1/2)
  Eigen::MatrixXd Q_, triangle_;
};

}  // namespace nonsmooth::analysis::detail
