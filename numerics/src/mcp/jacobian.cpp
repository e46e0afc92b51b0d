// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "internal.hpp"

namespace nonsmooth::mcp::detail {

Jacobian::Jacobian(const Problem& problem) : is_sparse_(problem.F.is_sparse()) {
  const Index n = problem.size();
  if (!is_sparse_) return;
  diagonal_.resize(n, n);
  diagonal_.setIdentity();
}

std::optional<NotFinite> Jacobian::evaluate(const Problem& problem, ConstVectorRef x, ConstVectorRef f) {
  return is_sparse_ ? evaluate_jacobian(problem.F, x, f, problem.lower, problem.upper, sparse_)
                    : evaluate_jacobian(problem.F, x, f, problem.lower, problem.upper, dense_);
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
    for (Index i = 0; i < s.size(); ++i) s[i] = dense_(i, i) > 0.0 ? dense_(i, i) : dense_.row(i).cwiseAbs().maxCoeff();
    return;
  }
  s.setZero();
  for (Index j = 0; j < sparse_.cols(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(sparse_, j); entry; ++entry)
      s[entry.row()] = std::max(s[entry.row()], std::abs(entry.value()));
  }
  for (Index j = 0; j < sparse_.cols(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(sparse_, j); entry; ++entry) {
      if (entry.row() == j && entry.value() > 0.0) s[j] = entry.value();
    }
  }
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
  diagonal_.diagonal() = a;
  sparse_newton_ = b.asDiagonal() * sparse_;
  sparse_newton_ += diagonal_;  // the union of the patterns, whatever the values are: the ordering stays
  const Eigen::Map<const Eigen::VectorXd> values(sparse_newton_.valuePtr(), sparse_newton_.nonZeros());
  return values.allFinite() && sparse_lu_.factorize(sparse_newton_);
}

void Jacobian::solve(VectorRef x) const {
  if (is_sparse_) {
    sparse_lu_.solve_in_place(x);
  } else {
    lu_.solve_in_place(x);
  }
}

}  // namespace nonsmooth::mcp::detail
