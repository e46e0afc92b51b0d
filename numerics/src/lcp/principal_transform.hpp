// SPDX-License-Identifier: Apache-2.0
// Principal transforms of w = M z + q, one pivot after the other; not installed.
#pragma once

#include <algorithm>
#include <vector>

#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "internal.hpp"

namespace nonsmooth::lcp::detail {

/// With a the rows exchanged so far, x = T y + t, where x = (z_a, w_b) and y = (w_a, z_b): T and t of the basis a.
/// Dense: T as a tableau, O(n^2) a pivot, built afresh from M by refresh().
class DenseTransform {
 public:
  explicit DenseTransform(const Problem& problem)
      : p_(problem), T_(problem.M), t_(problem.q), in_(static_cast<std::size_t>(problem.q.size()), 0) {}

  [[nodiscard]] bool exchanged(Index i) const { return in_[static_cast<std::size_t>(i)] != 0; }
  [[nodiscard]] const Eigen::VectorXd& constant() const { return t_; }
  void column(Index j, Eigen::VectorXd& out) const { out = T_.col(j); }
  [[nodiscard]] Index pivots_since_refresh() const { return since_; }

  /// Exchanges x_i and y_i for each of the given rows (one or two): the block T_ss must be nonsingular.
  void exchange(Index i) {
    const double pivot = T_(i, i);
    row_ = T_.row(i).transpose() / -pivot;
    row_[i] = 1.0 / pivot;
    const double constant = -t_[i] / pivot;
    column_ = T_.col(i);
    column_[i] = 0.0;
    T_.col(i).setZero();
    T_.noalias() += column_ * row_.transpose();
    T_.row(i) = row_.transpose();
    t_ += constant * column_;
    t_[i] = constant;
    in_[static_cast<std::size_t>(i)] ^= 1;
    ++since_;
  }

  /// Both at once, T_ii T_jj - T_ij T_ji nonzero: [x_i x_j] = P [y_i y_j] + ... is solved for y.
  void exchange(Index i, Index j) {
    // As Eigen's inverse(), which Eigen/LU has.
    const double one_by_determinant = 1.0 / (T_(i, i) * T_(j, j) - T_(j, i) * T_(i, j));
    Eigen::Matrix2d inverse;
    inverse << T_(j, j) * one_by_determinant, -T_(i, j) * one_by_determinant,  //
        -T_(j, i) * one_by_determinant, T_(i, i) * one_by_determinant;
    Eigen::MatrixXd rows(2, T_.cols());
    rows.row(0) = T_.row(i);
    rows.row(1) = T_.row(j);
    rows = (-inverse * rows).eval();
    rows.col(i) = inverse.col(0);
    rows.col(j) = inverse.col(1);
    const Eigen::Vector2d constant = -inverse * Eigen::Vector2d(t_[i], t_[j]);
    Eigen::MatrixXd columns(T_.rows(), 2);
    columns.col(0) = T_.col(i);
    columns.col(1) = T_.col(j);
    columns.row(i).setZero();
    columns.row(j).setZero();
    T_.col(i).setZero();
    T_.col(j).setZero();
    T_.noalias() += columns * rows;
    T_.row(i) = rows.row(0);
    T_.row(j) = rows.row(1);
    t_ += columns * constant;
    t_[i] = constant[0];
    t_[j] = constant[1];
    in_[static_cast<std::size_t>(i)] ^= 1;
    in_[static_cast<std::size_t>(j)] ^= 1;
    since_ += 2;
  }

  /// False if M_aa is singular to working precision.
  bool refresh() {
    std::vector<Index> a;
    std::vector<Index> b;
    for (Index i = 0; i < t_.size(); ++i) (exchanged(i) ? a : b).push_back(i);
    since_ = 0;
    T_ = p_.M;
    t_ = p_.q;
    if (a.empty()) return true;
    const Index k = static_cast<Index>(a.size());
    if (!lu_.factorize_principal(p_.M, a)) return false;
    Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(k, k);
    for (Index j = 0; j < k; ++j) lu_.solve_in_place(inverse.col(j));
    const Eigen::MatrixXd M_ab = p_.M(a, b);
    const Eigen::MatrixXd M_ba = p_.M(b, a);
    const Eigen::MatrixXd T_ab = -inverse * M_ab;
    const Eigen::VectorXd q_a = p_.q(a);
    const Eigen::VectorXd t_a = -inverse * q_a;
    T_(a, a) = inverse;
    T_(a, b) = T_ab;
    T_(b, a) = M_ba * inverse;
    T_(b, b) += M_ba * T_ab;
    t_(a) = t_a;
    t_(b) += M_ba * t_a;
    return T_.allFinite() && t_.allFinite();
  }

  /// u with u·(w - M z - q) = x_r - T_r y - t_r: what the original rows are multiplied with to give row r.
  bool multipliers(Index r, Eigen::VectorXd& u) const {
    u.setZero(t_.size());
    for (Index i = 0; i < t_.size(); ++i) {
      if (exchanged(i)) u[i] = -T_(r, i);
    }
    if (!exchanged(r)) u[r] = 1.0;
    return true;
  }

 private:
  const Problem& p_;
  Eigen::MatrixXd T_;
  Eigen::VectorXd t_, row_, column_;
  std::vector<char> in_;
  DenseLu lu_;
  Index since_ = 0;
};

/// The same from factors of M_aa, made anew after each exchange; T itself is never formed. refresh() must follow every
/// exchange.
class SparseTransform {
 public:
  explicit SparseTransform(const SparseProblem& problem)
      : p_(problem),
        t_(problem.q),
        in_(static_cast<std::size_t>(problem.q.size()), 0),
        position_(static_cast<std::size_t>(problem.q.size()), -1) {}

  [[nodiscard]] bool exchanged(Index i) const { return in_[static_cast<std::size_t>(i)] != 0; }
  [[nodiscard]] const Eigen::VectorXd& constant() const { return t_; }
  [[nodiscard]] Index pivots_since_refresh() const { return since_; }

  void column(Index j, Eigen::VectorXd& out) const {
    Eigen::VectorXd full = Eigen::VectorXd::Zero(t_.size());
    Eigen::VectorXd part = Eigen::VectorXd::Zero(static_cast<Index>(rows_.size()));
    out.setZero(t_.size());
    if (exchanged(j)) {
      part[position_[static_cast<std::size_t>(j)]] = 1.0;
    } else {
      for (Eigen::SparseMatrix<double>::InnerIterator it(p_.M, j); it; ++it) {
        const int at = position_[static_cast<std::size_t>(it.row())];
        if (at >= 0) part[at] = -it.value();
      }
      full[j] = 1.0;
    }
    if (!rows_.empty()) lu_.solve_in_place(part);
    scatter(part, full);
    out.noalias() = p_.M * full;
    for (std::size_t k = 0; k < rows_.size(); ++k) out[rows_[k]] = part[static_cast<Index>(k)];
  }

  void exchange(Index i) {
    in_[static_cast<std::size_t>(i)] ^= 1;
    ++since_;
  }
  void exchange(Index i, Index j) {
    exchange(i);
    exchange(j);
  }

  bool refresh() {
    const Index n = t_.size();
    since_ = 0;
    rows_.clear();
    std::fill(position_.begin(), position_.end(), -1);
    for (Index i = 0; i < n; ++i) {
      if (!exchanged(i)) continue;
      position_[static_cast<std::size_t>(i)] = static_cast<int>(rows_.size());
      rows_.push_back(i);
    }
    t_ = p_.q;
    if (rows_.empty()) return true;
    std::vector<Eigen::Triplet<double>> entries;
    for (const Index j : rows_) {
      for (Eigen::SparseMatrix<double>::InnerIterator it(p_.M, j); it; ++it) {
        const int i = position_[static_cast<std::size_t>(it.row())];
        if (i >= 0) entries.emplace_back(i, position_[static_cast<std::size_t>(j)], it.value());
      }
    }
    const Index k = static_cast<Index>(rows_.size());
    Eigen::SparseMatrix<double> sub(k, k);
    sub.setFromTriplets(entries.begin(), entries.end());
    if (!lu_.factorize(sub)) return false;
    Eigen::VectorXd part = -p_.q(rows_);
    lu_.solve_in_place(part);
    Eigen::VectorXd full = Eigen::VectorXd::Zero(n);
    scatter(part, full);
    t_.noalias() += p_.M * full;
    for (std::size_t i = 0; i < rows_.size(); ++i) t_[rows_[i]] = part[static_cast<Index>(i)];
    return t_.allFinite();
  }

  bool multipliers(Index r, Eigen::VectorXd& u) const {
    const Index n = t_.size();
    u.setZero(n);
    Eigen::VectorXd part = Eigen::VectorXd::Zero(static_cast<Index>(rows_.size()));
    if (exchanged(r)) {
      part[position_[static_cast<std::size_t>(r)]] = -1.0;
    } else {
      u[r] = 1.0;
      const Eigen::VectorXd row = p_.M.transpose() * u;
      for (std::size_t k = 0; k < rows_.size(); ++k) part[static_cast<Index>(k)] = -row[rows_[k]];
    }
    if (!rows_.empty()) lu_.solve_transposed_in_place(part);
    scatter(part, u);
    return u.allFinite();
  }

 private:
  void scatter(const Eigen::VectorXd& part, Eigen::VectorXd& full) const {
    for (std::size_t k = 0; k < rows_.size(); ++k) full[rows_[k]] = part[static_cast<Index>(k)];
  }

  const SparseProblem& p_;
  Eigen::VectorXd t_;
  std::vector<char> in_;
  std::vector<int> position_;
  std::vector<Index> rows_;
  SparseFactorization lu_;
  Index since_ = 0;
};

inline DenseTransform transform_of(const Problem& problem) { return DenseTransform(problem); }
inline SparseTransform transform_of(const SparseProblem& problem) { return SparseTransform(problem); }

}  // namespace nonsmooth::lcp::detail
