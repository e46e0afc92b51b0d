// SPDX-License-Identifier: Apache-2.0
#include "descriptor_form.hpp"

#include <algorithm>

#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "pivots.hpp"

namespace nonsmooth {
namespace {

using Matrix = Eigen::MatrixXd;

Matrix rows_of(const Matrix& A, const std::vector<Index>& rows) { return A(rows, Eigen::seqN(Index{0}, A.cols())); }
Matrix columns_of(const Matrix& A, const std::vector<Index>& columns) {
  return A(Eigen::seqN(Index{0}, A.rows()), columns);
}

/// A by its pivots: the inverse of their block, a basis of what A maps to zero, and one of the rows that A maps to
/// zero.
struct Kernels {
  std::vector<Index> rows, columns;              ///< of the pivots
  std::vector<Index> other_rows, other_columns;  ///< in the same order as rows of `left` and columns of `right`
  Matrix inverse, left, right;                   ///< left A = 0, A right = 0

  explicit Kernels(const Matrix& A) {
    Pivots pivots;
    pivots.find(A);
    const auto split = [&](const std::vector<Index>& order, std::vector<Index>& first, std::vector<Index>& rest) {
      first.assign(order.begin(), order.begin() + pivots.rank);
      rest.assign(order.begin() + pivots.rank, order.end());
      std::sort(rest.begin(), rest.end());
    };
    split(pivots.rows, rows, other_rows);
    split(pivots.columns, columns, other_columns);
    const auto others = static_cast<Index>(other_rows.size()), free = static_cast<Index>(other_columns.size());
    left = Matrix::Zero(others, A.rows());
    right = Matrix::Zero(A.cols(), free);
    for (Index i = 0; i < others; ++i) left(i, other_rows[static_cast<std::size_t>(i)]) = 1.0;
    for (Index j = 0; j < free; ++j) right(other_columns[static_cast<std::size_t>(j)], j) = 1.0;
    inverse.resize(pivots.rank, pivots.rank);
    if (pivots.rank == 0) return;
    Matrix block = A(rows, columns), product;
    const Eigen::VectorXd scale = block.rowwise().lpNorm<Eigen::Infinity>().cwiseInverse();
    block = scale.asDiagonal() * block;
    inverse = LuFactors(block).inverse() * scale.asDiagonal();
    clean_product(A(other_rows, columns), inverse, product);
    left(Eigen::seqN(Index{0}, others), rows) = -product;
    clean_product(inverse, A(rows, other_columns), product);
    right(columns, Eigen::seqN(Index{0}, free)) = -product;
  }
  [[nodiscard]] bool is_regular() const { return other_rows.empty() && other_columns.empty(); }
};

Matrix clean(const Matrix& left, const Matrix& right) {
  Matrix result;
  clean_product(left, right, result);
  return result;
}

/// 1 - left right.
Matrix one_minus(const Matrix& left, const Matrix& right) {
  const Index n = left.rows();
  Matrix wide(n, 2 * n), tall(2 * n, n);
  wide << Matrix::Identity(n, n), -left;
  tall << Matrix::Identity(n, n), right;
  return clean(wide, tall);
}

}  // namespace

PencilIndex pencil_index(Matrix M, Matrix A) {
  const Index n = M.rows();
  // weights(i, j): row j of the given matrices is in row i of the present ones.
  Matrix weights = Matrix::Identity(n, n);
  for (Index index = 0; index <= n; ++index) {
    const Kernels mass(M);
    if (mass.is_regular()) return {index, {}};
    const Matrix algebraic = clean(mass.left, A), algebraic_weights = mass.left.cwiseAbs() * weights;
    const Kernels dependent(algebraic);
    if (!dependent.other_rows.empty()) {
      const Matrix concerned = dependent.left.cwiseAbs() * algebraic_weights;
      PencilIndex singular{PencilIndex::kSingular, {}};
      for (Index j = 0; j < n; ++j) {
        if (concerned.col(j).maxCoeff() > 0.0) singular.rows.push_back(j);
      }
      return singular;
    }
    const Matrix kept = rows_of(M, mass.rows), rates = rows_of(A, mass.rows);
    const Matrix kept_weights = rows_of(weights, mass.rows);
    M << kept, algebraic;
    A << rates, Matrix::Zero(algebraic.rows(), n);
    weights << kept_weights, algebraic_weights;
  }
  PencilIndex singular{PencilIndex::kSingular, {}};
  for (Index j = 0; j < n; ++j) singular.rows.push_back(j);
  return singular;
}

void require_regular_pencil(const std::string& name, const Matrix& M, const Matrix& A) {
  const PencilIndex pencil = pencil_index(M, A);
  if (pencil.index != PencilIndex::kSingular) return;
  std::string rows;
  for (const Index row : pencil.rows) rows += (rows.empty() ? " " : ", ") + std::to_string(row);
  throw InvalidArgument("mass and A of " + name,
                        "det(s M - A) = 0 for every s: rows" + rows + " of M xdot = A x depend on one another",
                        "as many independent equations as unknowns");
}

DescriptorForm DescriptorForm::of(const Matrix& M, const Matrix& A) {
  const Index n = M.rows();
  const Kernels mass(M);
  DescriptorForm form;
  form.N = Matrix::Zero(n, n);
  for (const Index column : mass.columns) form.N(column, column) = 1.0;
  form.N(mass.columns, mass.other_columns) = -rows_of(mass.right, mass.columns);

  const Matrix UA = clean(mass.left, A);
  const Kernels algebraic(clean(UA, mass.right));
  const Matrix U = rows_of(mass.left, algebraic.rows);
  const Matrix V = columns_of(mass.right, algebraic.columns);
  form.Z = clean(clean(V, algebraic.inverse), U);
  form.K = clean(mass.right, algebraic.right);
  form.R = clean(algebraic.left, mass.left);
  form.X = one_minus(form.Z, A);
  form.A = A;
  for (const Index column : mass.other_columns) {
    form.A.col(column).setZero();
    form.X.col(column).setZero();
  }
  const Matrix reached = one_minus(A, form.Z);
  form.W = Matrix::Zero(n, n);
  form.W(mass.columns, Eigen::seqN(Index{0}, n)) = clean(mass.inverse, rows_of(reached, mass.rows));
  form.P = clean(form.W, clean(A, form.K));
  return form;
}

}  // namespace nonsmooth
