// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "internal.hpp"

namespace nonsmooth::mcp::detail {
namespace {

// b_i |J_ii| over a_i below which row i is a_i x_i = r_i. A diagonal entry a_i / b_i beyond 1e12 |J_ii| would leave
// Cholesky's factors four of sixteen digits of what the row has beside it. The step of x_i is inexact by some 1e-12 of
// itself then; certificates are of F.
constexpr double vanishing = 1e-12;

}  // namespace

Jacobian::Jacobian(const Problem& problem) : is_sparse_(problem.F.is_sparse()) {
  const Index n = problem.size();
  if ((problem.lower.array() == problem.upper.array()).any()) moves_ = problem.lower.array() < problem.upper.array();
  if (!is_sparse_) return;
  diagonal_.resize(n, n);
  diagonal_.setIdentity();
}

std::optional<NotFinite> Jacobian::evaluate(const Problem& problem, ConstVectorRef x, ConstVectorRef f) {
  if (!is_sparse_) return evaluate_jacobian(problem.F, x, f, problem.lower, problem.upper, dense_);
  auto not_finite = evaluate_jacobian(problem.F, x, f, problem.lower, problem.upper, sparse_);
  symmetric_ = !not_finite && definite_ && is_symmetric();
  return not_finite;
}

void Jacobian::multiply_transposed(const Eigen::VectorXd& y, Eigen::VectorXd& out) const {
  if (is_sparse_) {
    out = sparse_.transpose() * y;
  } else {
    out.noalias() = dense_.transpose() * y;
  }
}

void Jacobian::terms(ConstVectorRef x, VectorRef out) const {
  if (!is_sparse_) {
    out.noalias() = dense_.cwiseAbs() * x.cwiseAbs();
    return;
  }
  out.setZero();
  for (Index j = 0; j < sparse_.cols(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(sparse_, j); entry; ++entry)
      out[entry.row()] += std::abs(entry.value() * x[j]);
  }
}

void Jacobian::slopes(VectorRef s) const {
  if (!is_sparse_) {
    s.setZero();
    for (Index j = 0; j < s.size(); ++j) {
      if (moves(j)) s = s.cwiseMax(dense_.col(j).cwiseAbs());
    }
    for (Index i = 0; i < s.size(); ++i) {
      if (dense_(i, i) > 0.0) s[i] = dense_(i, i);
    }
    return;
  }
  s.setZero();
  for (Index j = 0; j < sparse_.cols(); ++j) {
    if (!moves(j)) continue;
    for (Eigen::SparseMatrix<double>::InnerIterator entry(sparse_, j); entry; ++entry)
      s[entry.row()] = std::max(s[entry.row()], std::abs(entry.value()));
  }
  for (Index j = 0; j < sparse_.cols(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(sparse_, j); entry; ++entry) {
      if (entry.row() == j && entry.value() > 0.0) s[j] = entry.value();
    }
  }
}

bool Jacobian::has_signs_of_m() const {
  if (!is_sparse_) return false;
  for (Index j = 0; j < sparse_.cols(); ++j) {
    bool diagonal = false;
    for (Eigen::SparseMatrix<double>::InnerIterator entry(sparse_, j); entry; ++entry) {
      if (entry.row() != j ? entry.value() > 0.0 : !(entry.value() > 0.0)) return false;
      diagonal = diagonal || entry.row() == j;
    }
    if (!diagonal) return false;
  }
  return true;
}

Eigen::MatrixXd Jacobian::dense() const { return is_sparse_ ? Eigen::MatrixXd(sparse_) : dense_; }

Eigen::SparseMatrix<double> Jacobian::sparse(const Eigen::VectorXd& added) const {
  Eigen::SparseMatrix<double> diagonal(added.size(), added.size());
  diagonal.setIdentity();
  diagonal.diagonal() = added;
  return sparse_ + diagonal;
}

bool Jacobian::factorize(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  if (!is_sparse_) {
    newton_ = b.asDiagonal() * dense_;
    newton_.diagonal() += a;
    return newton_.allFinite() && lu_.factorize(newton_);
  }
  by_cholesky_ = symmetric_ && factorize_symmetric(a, b);
  if (by_cholesky_) return true;
  diagonal_.diagonal() = a;
  sparse_newton_ = b.asDiagonal() * sparse_;
  sparse_newton_ += diagonal_;  // the union of the patterns, whatever the values are: the ordering stays
  const Eigen::Map<const Eigen::VectorXd> values(sparse_newton_.valuePtr(), sparse_newton_.nonZeros());
  return values.allFinite() && sparse_lu_.factorize(sparse_newton_);
}

void Jacobian::solve(VectorRef x) const {
  if (by_cholesky_) {
    solve_symmetric(x);
  } else if (is_sparse_) {
    sparse_lu_.solve_in_place(x);
  } else {
    lu_.solve_in_place(x);
  }
}

bool Jacobian::is_symmetric() const {
  // Column by column the entries below the diagonal meet those of the rows in turn, as rows ascend in both.
  const Index n = sparse_.cols();
  std::vector<int> next(sparse_.outerIndexPtr(), sparse_.outerIndexPtr() + n);
  const int* const first = sparse_.outerIndexPtr();
  const int* const row = sparse_.innerIndexPtr();
  const double* const value = sparse_.valuePtr();
  for (Index j = 0; j < n; ++j) {
    int k = next[static_cast<std::size_t>(j)];  // those above have met their mirror images
    if (k == first[j + 1] || row[k] != j) return false;
    for (++k; k < first[j + 1]; ++k) {
      int& mirror = next[static_cast<std::size_t>(row[k])];
      if (mirror == first[row[k] + 1] || row[mirror] != j || value[mirror] != value[k]) return false;
      ++mirror;
    }
  }
  return true;
}

bool Jacobian::factorize_symmetric(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  const Index n = a.size();
  if (!(a.minCoeff() >= 0.0 && b.minCoeff() >= 0.0) || !a.allFinite() || !b.allFinite()) return false;
  symmetric_newton_ = sparse_;
  const int* const first = symmetric_newton_.outerIndexPtr();
  const int* const row = symmetric_newton_.innerIndexPtr();
  double* const value = symmetric_newton_.valuePtr();
  eliminated_.resize(static_cast<std::size_t>(n));
  divisors_.resize(n);
  const auto left = [this](Index i) { return eliminated_[static_cast<std::size_t>(i)] != 0; };
  for (Index j = 0; j < n; ++j) {
    const double slope = std::abs(sparse_.coeff(j, j));
    eliminated_[static_cast<std::size_t>(j)] = b[j] * slope <= vanishing * a[j] ? 1 : 0;
    divisors_[j] = left(j) ? a[j] : b[j];
    if (divisors_[j] == 0.0) return false;
  }
  for (Index j = 0; j < n; ++j) {  // the pattern stays, so that the ordering does
    for (int k = first[j]; k < first[j + 1]; ++k) {
      if (row[k] == j)
        value[k] = left(j) ? 1.0 : value[k] + a[j] / b[j];
      else if (left(j) || left(row[k]))
        value[k] = 0.0;
    }
  }
  definite_ = cholesky_.factorize(symmetric_newton_);
  return definite_;
}

void Jacobian::solve_symmetric(VectorRef x) const {
  x.array() /= divisors_.array();
  for (Index j = 0; j < x.size(); ++j) {
    if (eliminated_[static_cast<std::size_t>(j)] == 0 || x[j] == 0.0) continue;
    for (Eigen::SparseMatrix<double>::InnerIterator entry(sparse_, j); entry; ++entry) {
      if (eliminated_[static_cast<std::size_t>(entry.row())] == 0) x[entry.row()] -= entry.value() * x[j];
    }
  }
  cholesky_.solve_in_place(x);
}

}  // namespace nonsmooth::mcp::detail
