// SPDX-License-Identifier: Apache-2.0
#include "descriptor_form.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "dynamics/factors/bounded_elimination.hpp"
#include "dynamics/factors/pivots.hpp"

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
  Matrix left_errors, right_errors;              ///< bounds of the errors of the entries of `left` and `right`

  explicit Kernels(const Matrix& A, const Matrix& errors_of_A = {}) {
    Pivots pivots;
    pivots.find(A, errors_of_A);
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
    left_errors = Matrix::Zero(others, A.rows());
    right_errors = Matrix::Zero(A.cols(), free);
    for (Index i = 0; i < others; ++i) left(i, other_rows[static_cast<std::size_t>(i)]) = 1.0;
    for (Index j = 0; j < free; ++j) right(other_columns[static_cast<std::size_t>(j)], j) = 1.0;
    inverse.resize(pivots.rank, pivots.rank);
    if (pivots.rank == 0) return;
    Matrix block = A(rows, columns), product;
    const Eigen::VectorXd scale = block.rowwise().lpNorm<Eigen::Infinity>().cwiseInverse();
    block = scale.asDiagonal() * block;
    const LuFactors factors(block);
    inverse = factors.inverse();
    // An inverse X by P A = L U errs by a few units of |X| P^T |L| |U| |X|, entry by entry: zeros among them are zeros.
    Matrix lower = factors.matrix().cwiseAbs(), upper = lower.triangularView<Eigen::Upper>();
    lower.triangularView<Eigen::Upper>().setZero();
    lower.diagonal().setOnes();
    const double units = 8.0 * static_cast<double>(pivots.rank) * eps;
    Matrix errors = inverse.cwiseAbs() * (factors.permutation().transpose() * (lower * upper)) * inverse.cwiseAbs();
    errors *= units;
    inverse = (inverse.cwiseAbs().array() > errors.array()).select(inverse, 0.0);
    inverse = (inverse * scale.asDiagonal()).eval();
    errors = (errors * scale.asDiagonal()).eval();
    const Matrix given = round_off_bounds(A);
    clean_product(A(other_rows, columns), inverse, product);
    left(Eigen::seqN(Index{0}, others), rows) = -product;
    left_errors(Eigen::seqN(Index{0}, others), rows) =
        A(other_rows, columns).cwiseAbs() * errors + given(other_rows, columns) * inverse.cwiseAbs();
    clean_product(inverse, A(rows, other_columns), product);
    right(columns, Eigen::seqN(Index{0}, free)) = -product;
    right_errors(columns, Eigen::seqN(Index{0}, free)) =
        errors * A(rows, other_columns).cwiseAbs() + inverse.cwiseAbs() * given(rows, other_columns);
  }
};

Matrix clean(const Matrix& left, const Matrix& right) {
  constexpr double kUnits = 32.0;  // factors are results of eliminations
  Matrix result;
  clean_product(left, right, result, kUnits);
  return result;
}

/// What round-off leaves of mass.left A mass.right, entry by entry.
Matrix algebraic_errors(const Kernels& mass, const Matrix& A) {
  const Matrix sizes = A.cwiseAbs(), left = mass.left.cwiseAbs(), right = mass.right.cwiseAbs();
  return mass.left_errors * sizes * right + left * sizes * mass.right_errors + left * round_off_bounds(A) * right;
}

/// 1 - left right.
Matrix one_minus(const Matrix& left, const Matrix& right) {
  const Index n = left.rows();
  Matrix wide(n, 2 * n), tall(2 * n, n);
  wide << Matrix::Identity(n, n), -left;
  tall << Matrix::Identity(n, n), right;
  return clean(wide, tall);
}

/// |A_ij / M_ij| where both are there, which no units of rows and columns change: where the eigenvalues of the pencil
/// are to be looked for. The middle, the least and the largest; rows' largest entries where no entries meet.
std::array<double, 3> rates_of(const Matrix& M, const Matrix& A) {
  std::vector<double> rates;
  const auto add = [&rates](double a, double m) {
    if (a != 0.0 && m != 0.0) rates.push_back(std::abs(a / m));
  };
  for (Index j = 0; j < M.cols(); ++j)
    for (Index i = 0; i < M.rows(); ++i) add(A(i, j), M(i, j));
  if (rates.empty()) {
    for (Index i = 0; i < M.rows(); ++i) add(A.row(i).lpNorm<Eigen::Infinity>(), M.row(i).lpNorm<Eigen::Infinity>());
  }
  if (rates.empty()) return {1.0, 1.0, 1.0};
  std::sort(rates.begin(), rates.end());
  return {rates[rates.size() / 2], rates.front(), rates.back()};
}

/// The rows that depend on one another in s M - A for every s that is tried: 0, and about the pencil's rates; none
/// where some s M - A is regular.
std::vector<Index> dependent_rows(const Matrix& M, const Matrix& A) {
  Matrix tried = -A;
  const auto is_regular = [&tried] {
    Pivots pivots;
    pivots.find(tried);
    return pivots.rank == tried.rows();
  };
  if (is_regular()) return {};
  for (const double multiple : {0.618, -1.447, 311.9, -3.2e-3}) {
    for (const double rate : rates_of(M, A)) {
      tried = multiple * rate * M - A;
      if (is_regular()) return {};
    }
  }
  const Matrix left = Kernels(tried).left;
  Eigen::VectorXd terms(tried.rows());
  for (Index i = 0; i < tried.rows(); ++i)
    terms[i] = left.col(i).lpNorm<Eigen::Infinity>() * tried.row(i).lpNorm<Eigen::Infinity>();
  std::vector<Index> rows;
  for (Index i = 0; i < tried.rows(); ++i) {
    const bool vanishes = tried.row(i).isZero(0.0);
    if (vanishes || terms[i] > 1e-10 * terms.maxCoeff()) rows.push_back(i);
  }
  return rows;
}

}  // namespace

PencilIndex pencil_index(const Matrix& M, const Matrix& A) {
  const Index n = M.rows();
  Matrix both(n, 2 * n), bounds(n, 2 * n);
  both << M, A;
  bounds << round_off_bounds(M), round_off_bounds(A);
  BoundedElimination shuffle(both, bounds, n);
  for (Index index = 0; index <= n; ++index) {
    shuffle.run();
    if (shuffle.rank() == n) return {index, {}};
    shuffle.shift_rest();
  }
  if (const auto rows = dependent_rows(M, A); !rows.empty()) return {PencilIndex::kSingular, rows};
  return {PencilIndex::kUnknown, {}};
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
  const Kernels algebraic(clean(UA, mass.right), algebraic_errors(mass, A));
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
