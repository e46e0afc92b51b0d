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
// Up to this height columns are factored as they lie: the cost of the band of a grid of as many rows meets there that
// of Cholesky's factors in an order that keeps them sparse.
constexpr Index highest_band = 64;

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
  if (not_finite) return not_finite;
  places_.find(sparse_);
  symmetric_ = definite_ && is_symmetric();
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
  const int* const first = sparse_.outerIndexPtr();
  const int* const row = sparse_.innerIndexPtr();
  const double* const value = sparse_.valuePtr();
  out.setZero();
  for (Index j = 0; j < sparse_.cols(); ++j) {
    for (int k = first[j]; k < first[j + 1]; ++k) out[row[k]] += std::abs(value[k] * x[j]);
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
  const double* const value = sparse_.valuePtr();
  bool all_positive = true;
  for (Index j = 0; j < s.size(); ++j) {
    const int place = places_.diagonal[static_cast<std::size_t>(j)];
    s[j] = place >= 0 ? value[place] : 0.0;
    all_positive = all_positive && s[j] > 0.0;
  }
  if (all_positive) return;
  Eigen::VectorXd largest = Eigen::VectorXd::Zero(s.size());
  for (Index j = 0; j < sparse_.cols(); ++j) {
    if (!moves(j)) continue;
    for (Eigen::SparseMatrix<double>::InnerIterator entry(sparse_, j); entry; ++entry)
      largest[entry.row()] = std::max(largest[entry.row()], std::abs(entry.value()));
  }
  for (Index i = 0; i < s.size(); ++i) {
    if (!(s[i] > 0.0)) s[i] = largest[i];
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

void Jacobian::Places::find(const Eigen::SparseMatrix<double>& J) {
  const auto n = static_cast<std::size_t>(J.cols()), entries = static_cast<std::size_t>(J.nonZeros());
  const int* const first = J.outerIndexPtr();
  const int* const row = J.innerIndexPtr();
  if (outer.size() == n + 1 && inner.size() == entries && std::equal(outer.begin(), outer.end(), first) &&
      std::equal(inner.begin(), inner.end(), row))
    return;
  outer.assign(first, first + n + 1);
  inner.assign(row, row + entries);
  diagonal.assign(n, -1);
  mirror.assign(entries, -1);
  // Column by column the entries below the diagonal meet those of the rows in turn, as rows ascend in both.
  std::vector<int> next(first, first + n);
  bool symmetric = true;
  for (std::size_t j = 0; j < n; ++j) {
    const int column = static_cast<int>(j);
    for (int k = first[j]; k < first[j + 1]; ++k) {
      if (row[k] == column) diagonal[j] = k;
    }
    int k = next[j];  // those above have met their mirror images
    symmetric = symmetric && k < first[j + 1] && row[k] == column;
    if (!symmetric) continue;
    for (mirror[static_cast<std::size_t>(k)] = k, ++k; k < first[j + 1] && symmetric; ++k) {
      const auto below = static_cast<std::size_t>(row[k]);
      int& image = next[below];
      symmetric = below > j && image < first[below + 1] && row[image] == column;
      if (!symmetric) break;
      mirror[static_cast<std::size_t>(k)] = image;
      mirror[static_cast<std::size_t>(image)] = k;
      ++image;
    }
  }
  if (!symmetric) mirror.clear();
}

bool Jacobian::is_symmetric() const {
  if (places_.mirror.empty()) return false;
  const double* const value = sparse_.valuePtr();
  for (std::size_t k = 0; k < places_.mirror.size(); ++k) {
    if (value[k] != value[places_.mirror[k]]) return false;
  }
  return true;
}

bool Jacobian::factorize_symmetric(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  const Index n = a.size();
  if (!(a.minCoeff() >= 0.0 && b.minCoeff() >= 0.0) || !a.allFinite() || !b.allFinite()) return false;
  const double* const value = sparse_.valuePtr();
  place_.resize(static_cast<std::size_t>(n));
  kept_.clear();
  divisors_.resize(n);
  for (Index j = 0; j < n; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const bool leaves = b[j] * std::abs(value[places_.diagonal[at]]) <= vanishing * a[j];
    divisors_[j] = leaves ? a[j] : b[j];
    if (divisors_[j] == 0.0) return false;
    place_[at] = leaves ? -1 : static_cast<int>(kept_.size());
    if (!leaves) kept_.push_back(static_cast<int>(j));
  }
  reach_.resize(kept_.size());
  for (std::size_t c = 0; c < kept_.size(); ++c) {
    int k = sparse_.outerIndexPtr()[kept_[c] + 1];
    while (left(sparse_.innerIndexPtr()[--k])) {
    }
    reach_[c] = place_[static_cast<std::size_t>(sparse_.innerIndexPtr()[k])];
  }
  by_band_ = nonsmooth::detail::BandFactors::height(reach_) <= highest_band;
  definite_ = by_band_ ? factorize_band(a, b) : factorize_ordered(a, b);
  return definite_;
}

void Jacobian::relax(const Problem& problem, ConstVectorRef x, ConstVectorRef f, int sweeps, VectorRef z) const {
  const int* const first = sparse_.outerIndexPtr();
  const int* const row = sparse_.innerIndexPtr();
  const double* const value = sparse_.valuePtr();
  const auto at = [&](Index i) {  // column i is row i
    double w = f[i];
    for (int k = first[i]; k < first[i + 1]; ++k) w += value[k] * (z[row[k]] - x[row[k]]);
    const double slope = value[places_.diagonal[static_cast<std::size_t>(i)]];
    if (slope > 0.0) z[i] = clamp(z[i] - w / slope, problem.lower[i], problem.upper[i]);
  };
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (Index i = 0; i < z.size(); ++i) at(i);
    for (Index i = z.size(); i-- > 0;) at(i);
  }
}

bool Jacobian::factorize_band(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  const int* const first = sparse_.outerIndexPtr();
  const int* const row = sparse_.innerIndexPtr();
  const double* const value = sparse_.valuePtr();
  band_.clear(reach_);
  for (std::size_t c = 0; c < kept_.size(); ++c) {
    const Index j = kept_[c];
    const int diagonal = places_.diagonal[static_cast<std::size_t>(j)];
    band_.entry(static_cast<Index>(c), static_cast<Index>(c)) = value[diagonal] + a[j] / b[j];
    for (int k = diagonal + 1; k < first[j + 1]; ++k) {
      if (!left(row[k])) band_.entry(place_[static_cast<std::size_t>(row[k])], static_cast<Index>(c)) = value[k];
    }
  }
  return band_.factorize();
}

bool Jacobian::factorize_ordered(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  symmetric_newton_ = sparse_;
  const int* const first = symmetric_newton_.outerIndexPtr();
  const int* const row = symmetric_newton_.innerIndexPtr();
  double* const value = symmetric_newton_.valuePtr();
  for (Index j = 0; j < a.size(); ++j) {  // the pattern stays, so that the ordering does
    for (int k = first[j]; k < first[j + 1]; ++k) {
      if (row[k] == j)
        value[k] = left(j) ? 1.0 : value[k] + a[j] / b[j];
      else if (left(j) || left(row[k]))
        value[k] = 0.0;
    }
  }
  return cholesky_.factorize(symmetric_newton_);
}

void Jacobian::solve_symmetric(VectorRef x) const {
  const int* const first = sparse_.outerIndexPtr();
  const int* const row = sparse_.innerIndexPtr();
  const double* const value = sparse_.valuePtr();
  x.array() /= divisors_.array();
  for (Index j = 0; j < x.size(); ++j) {
    if (!left(j) || x[j] == 0.0) continue;
    for (int k = first[j]; k < first[j + 1]; ++k) {
      if (!left(row[k])) x[row[k]] -= value[k] * x[j];
    }
  }
  if (!by_band_) {
    cholesky_.solve_in_place(x);
    return;
  }
  const auto kept = static_cast<Index>(kept_.size());
  kept_part_.resize(kept);
  for (Index c = 0; c < kept; ++c) kept_part_[c] = x[kept_[static_cast<std::size_t>(c)]];
  band_.solve_in_place(kept_part_.data());
  for (Index c = 0; c < kept; ++c) x[kept_[static_cast<std::size_t>(c)]] = kept_part_[c];
}

}  // namespace nonsmooth::mcp::detail
