// SPDX-License-Identifier: Apache-2.0
#include "first_order_mode.hpp"

#include <algorithm>
#include <cmath>

#include <internal/decompositions.hpp>
#include <internal/round_off.hpp>

namespace nonsmooth::events {
namespace {

/// inverse := A^-1 by Gauss and Jordan with partial pivoting; A is used up, a singular one gives values that are not
/// finite. Allocates nothing once `inverse` was as large, which Eigen's factors do.
void invert_small(Eigen::MatrixXd& A, Eigen::MatrixXd& inverse) {
  const Index n = A.rows();
  inverse.setIdentity(n, n);
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i)
      if (std::abs(A(i, k)) > std::abs(A(pivot, k))) pivot = i;
    if (pivot != k) {
      A.row(k).swap(A.row(pivot));
      inverse.row(k).swap(inverse.row(pivot));
    }
    for (Index i = 0; i < n; ++i) {
      const double multiple = A(i, k) / A(k, k);
      if (i == k || multiple == 0.0) continue;
      A.row(i).tail(n - k) -= multiple * A.row(k).tail(n - k);
      inverse.row(i) -= multiple * inverse.row(k);
    }
  }
  for (Index k = 0; k < n; ++k) inverse.row(k) /= A(k, k);
}

}  // namespace

FirstOrderMode::FirstOrderMode(FirstOrderData& data, std::vector<signed char> status)
    : data_(&data), status_(std::move(status)) {
  bounds_ = Eigen::VectorXd::Zero(data.m);
  for (Index i = 0; i < data.m; ++i) {
    const signed char s = status_[static_cast<std::size_t>(i)];
    (s == 0 ? between_ : others_).push_back(i);
    const FirstOrderRow& row = data.rows[static_cast<std::size_t>(i)];
    if (s != 0) bounds_[i] = s < 0 ? row.lower : row.upper;
  }
  choose_pivots();
  build_coupling();
  in_K_.find(K_);
  held_.assign(in_K_.columns.begin() + in_K_.rank, in_K_.columns.end());
  std::sort(held_.begin(), held_.end());
  held_values_ = Eigen::VectorXd::Zero(static_cast<Index>(held_.size()));
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const FirstOrderRow& row = data.rows[static_cast<std::size_t>(between_[static_cast<std::size_t>(held_[i])])];
    held_values_[static_cast<Index>(i)] = std::clamp(0.0, row.lower, row.upper);
  }
  if (!held_.empty()) check_redundancy(in_K_);
  if (usable_) refresh();
}

void FirstOrderMode::choose_pivots() {
  const auto size = static_cast<Index>(between_.size());
  in_D_.find(data_->D(between_, between_));
  rank_ = in_D_.rank;
  null_ = size - rank_;
  refresh_null_space();
}

void FirstOrderMode::refresh_null_space() {
  const auto size = static_cast<Index>(between_.size());
  const auto D = [&](Index i, Index j) {
    const Index row = between_[static_cast<std::size_t>(in_D_.rows[static_cast<std::size_t>(i)])];
    const Index column = between_[static_cast<std::size_t>(in_D_.columns[static_cast<std::size_t>(j)])];
    return data_->D(row, column);
  };
  N_.setZero(size, null_);
  if (null_ == 0) return;
  D_pivots_.resize(rank_, rank_);
  D_rest_.resize(rank_, null_);
  for (Index i = 0; i < rank_; ++i) {
    for (Index j = 0; j < rank_; ++j) D_pivots_(j, i) = D(i, j);  // transposed
    for (Index k = 0; k < null_; ++k) D_rest_(i, k) = D(rank_ + k, i);
  }
  if (rank_ > 0) {
    invert_small(D_pivots_, D_inverse_);
    clean_product(D_inverse_, D_rest_, D_multiples_);
  }
  for (Index k = 0; k < null_; ++k) {
    N_(in_D_.rows[static_cast<std::size_t>(rank_ + k)], k) = 1.0;
    for (Index i = 0; i < rank_; ++i) {
      const double entry = D_multiples_(i, k), nearest = std::round(entry);
      // Ideal elements meet in whole numbers; the solve leaves round-off beside them.
      N_(in_D_.rows[static_cast<std::size_t>(i)], k) =
          -(nearest != 0.0 && std::abs(entry - nearest) <= 16.0 * static_cast<double>(size) * eps ? nearest : entry);
    }
  }
}

void FirstOrderMode::build_coupling() {
  const auto size = static_cast<Index>(between_.size());
  C_between_.resize(size, data_->n);
  for (Index i = 0; i < size; ++i) C_between_.row(i) = data_->C.row(between_[static_cast<std::size_t>(i)]);
  clean_product(N_.transpose(), C_between_, NC_);
  K_.resize(size, size);
  for (Index i = 0; i < rank_; ++i) {
    const Index row = between_[static_cast<std::size_t>(in_D_.rows[static_cast<std::size_t>(i)])];
    for (Index j = 0; j < size; ++j) K_(i, j) = data_->D(row, between_[static_cast<std::size_t>(j)]);
  }
  if (null_ == 0) return;
  P_between_.resize(data_->n, size);
  for (Index j = 0; j < size; ++j) P_between_.col(j) = data_->P.col(between_[static_cast<std::size_t>(j)]);
  clean_product(NC_, P_between_, NCP_);
  K_.bottomRows(null_) = NCP_;
}

void FirstOrderMode::check_redundancy(const Pivots& pivots) {
  // w^T K = 0: w is 1 on a row without pivot and -(K_rest K_pivots^-1)^T on those with one.
  const auto size = static_cast<Index>(between_.size());
  const Index rank = pivots.rank, count = size - rank;
  Eigen::MatrixXd block(rank, rank), rest(rank, count);
  const auto entry = [&](Index i, Index j) {
    return K_(pivots.rows[static_cast<std::size_t>(i)], pivots.columns[static_cast<std::size_t>(j)]);
  };
  for (Index i = 0; i < rank; ++i) {
    for (Index j = 0; j < rank; ++j) block(j, i) = entry(i, j);
    for (Index k = 0; k < count; ++k) rest(i, k) = entry(rank + k, i);
  }
  const Eigen::MatrixXd weights = rank > 0 ? LuFactors(block).solve(rest) : rest;
  combinations_ = Eigen::MatrixXd::Zero(size, count);
  for (Index k = 0; k < count; ++k) {
    combinations_(pivots.rows[static_cast<std::size_t>(rank + k)], k) = 1.0;
    for (Index i = 0; i < rank; ++i) combinations_(pivots.rows[static_cast<std::size_t>(i)], k) = -weights(i, k);
  }
  Eigen::MatrixXd pivot_C(rank_, data_->n);
  for (Index i = 0; i < rank_; ++i)
    pivot_C.row(i) = data_->C.row(between_[static_cast<std::size_t>(in_D_.rows[static_cast<std::size_t>(i)])]);
  const double tolerance = 64.0 * static_cast<double>(size + 1) * eps;
  const auto vanishes = [&](const Eigen::MatrixXd& w, const Eigen::MatrixXd& map, Index k) {
    for (Index j = 0; j < map.cols(); ++j) {
      double sum = 0.0, terms = 0.0;
      for (Index i = 0; i < map.rows(); ++i) {
        sum += w(i, k) * map(i, j);
        terms += std::abs(w(i, k) * map(i, j));
      }
      if (std::abs(sum) > tolerance * terms) return false;
    }
    return true;
  };
  for (Index k = 0; k < count; ++k) {
    const Eigen::MatrixXd of_pivots = combinations_.topRows(rank_), of_null = combinations_.bottomRows(null_);
    if (vanishes(of_pivots, pivot_C, k)) {
      if (vanishes(of_null, NC_, k)) continue;
      if (is_implied(of_null.col(k))) {
        implied_ = true;
        continue;
      }
    }
    usable_ = false;
    // Condition `at` of K stands for pivot row `at` of D_JJ, or for the null combination of the row that comes there.
    const Index at = pivots.rows[static_cast<std::size_t>(rank + k)];
    const Index worst = between_[static_cast<std::size_t>(in_D_.rows[static_cast<std::size_t>(at)])];
    detail_ = data_->place_of(worst) + " has relative degree 2 or more: D and C M^-1 B do not determine its multiplier";
    return;
  }
}

/// True where c^T x = 0, c = (N^T C_J)^T w a combination that no multiplier of J reaches, is kept by the other
/// constraints: its rate c^T (G x + beta + P_o lambda_o) is a combination of theirs and has no term of its own. So a
/// state comes to rest where sliding modes meet.
bool FirstOrderMode::is_implied(const Eigen::VectorXd& w) const {
  if (!data_->is_autonomous()) return false;
  const Eigen::VectorXd c = NC_.transpose() * w, rate = data_->G.transpose() * c;
  Eigen::VectorXd beta;
  data_->drive(0.0, beta);
  double constant = c.dot(beta), terms = c.cwiseAbs().dot(beta.cwiseAbs());
  for (const Index o : others_) {
    constant += c.dot(data_->P.col(o)) * bounds_[o];
    terms += c.cwiseAbs().dot(data_->P.col(o).cwiseAbs()) * std::abs(bounds_[o]);
  }
  const double tolerance = 64.0 * static_cast<double>(data_->n + 1) * eps;
  if (std::abs(constant) > tolerance * terms) return false;
  // Gram and Schmidt on the constraints, twice for the round-off; then what is left of the rate.
  Eigen::MatrixXd basis(data_->n, null_);
  Index rank = 0;
  const auto reduced = [&](Eigen::VectorXd v) {
    for (int pass = 0; pass < 2; ++pass) v -= basis.leftCols(rank) * (basis.leftCols(rank).transpose() * v);
    return v;
  };
  for (Index k = 0; k < null_; ++k) {
    const Eigen::VectorXd row = NC_.row(k).transpose(), left = reduced(row);
    if (left.norm() > 1e-10 * row.norm()) basis.col(rank++) = left.normalized();
  }
  const Eigen::VectorXd sizes = data_->G.cwiseAbs().transpose() * c.cwiseAbs();
  return reduced(rate).norm() <= tolerance * sizes.norm();
}

bool FirstOrderMode::is_moved_by_held() const {
  for (const Index j : held_) {
    // K_pivots multipliers answer a unit of the held one.
    Eigen::VectorXd answer = -(K_inverse_ * K_.col(j));
    answer[j] += 1.0;
    Eigen::VectorXd moved = Eigen::VectorXd::Zero(data_->n), terms = moved;
    for (std::size_t i = 0; i < between_.size(); ++i) {
      const Eigen::VectorXd term = data_->P.col(between_[i]) * answer[static_cast<Index>(i)];
      moved += term;
      terms += term.cwiseAbs();
    }
    if (moved.norm() > 1e-10 * terms.norm()) return true;
  }
  return false;
}

void FirstOrderMode::invert(const Pivots& pivots) {
  const auto size = static_cast<Index>(between_.size());
  const Index rank = pivots.rank;
  K_inverse_.setZero(size, size);
  if (rank == 0) return;
  K_pivots_.resize(rank, rank);
  for (Index i = 0; i < rank; ++i)
    for (Index j = 0; j < rank; ++j)
      K_pivots_(i, j) = K_(pivots.rows[static_cast<std::size_t>(i)], pivots.columns[static_cast<std::size_t>(j)]);
  // Rows of one unit before columns are compared by partial pivoting.
  K_scale_.resize(rank);
  for (Index i = 0; i < rank; ++i) {
    K_scale_[i] = 1.0 / K_pivots_.row(i).lpNorm<Eigen::Infinity>();
    K_pivots_.row(i) *= K_scale_[i];
  }
  invert_small(K_pivots_, K_pivots_inverse_);
  for (Index i = 0; i < rank; ++i)
    for (Index j = 0; j < rank; ++j)
      K_inverse_(pivots.columns[static_cast<std::size_t>(i)], pivots.rows[static_cast<std::size_t>(j)]) =
          K_pivots_inverse_(i, j) * K_scale_[j];
}

bool FirstOrderMode::is_held(Index row) const {
  return std::any_of(held_.begin(), held_.end(), [&](Index i) { return between_[static_cast<std::size_t>(i)] == row; });
}

void FirstOrderMode::hold(const Eigen::VectorXd& lambda) {
  if (held_.empty()) return;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const Index row = between_[static_cast<std::size_t>(held_[i])];
    const FirstOrderRow& bounds = data_->rows[static_cast<std::size_t>(row)];
    held_values_[static_cast<Index>(i)] = std::clamp(lambda[row], bounds.lower, bounds.upper);
  }
  refresh();
}

void FirstOrderMode::refresh() {
  const auto size = static_cast<Index>(between_.size());
  const Index n = data_->n, m = data_->m;
  if (!is_current()) {
    refresh_null_space();
    build_coupling();
    stamp_ = data_->present_stamp();
  }
  flow_rate = -1.0;
  invert(in_K_);
  // The right-hand side's maps, then lambda_J = -K^-1 (...).
  Rx_.setZero(size, n);
  Rg_.setZero(size, n);
  Re_.setZero(size, m);
  Rc_.setZero(size, null_);
  r0_.setZero(size);
  for (Index i = 0; i < rank_; ++i) {
    const Index row = between_[static_cast<std::size_t>(in_D_.rows[static_cast<std::size_t>(i)])];
    Rx_.row(i) = data_->C.row(row);
    Re_(i, row) = 1.0;
    for (const Index o : others_) r0_[i] += data_->D(row, o) * bounds_[o];
  }
  for (Index k = 0; k < null_; ++k) {
    Rg_.row(rank_ + k) = NC_.row(k);
    Rc_(rank_ + k, k) = 1.0;
    for (const Index o : others_) {
      if (bounds_[o] != 0.0) r0_[rank_ + k] += NC_.row(k).dot(data_->P.col(o)) * bounds_[o];
    }
  }
  for (std::size_t i = 0; i < held_.size(); ++i) r0_ += K_.col(held_[i]) * held_values_[static_cast<Index>(i)];
  Sx.setZero(2 * m, n);
  Sg.setZero(2 * m, n);
  Se.setZero(2 * m, m);
  Sc.setZero(2 * m, null_);
  s0.setZero(2 * m);
  s0.head(m) = bounds_;
  const auto spread = [&](Eigen::MatrixXd& map, Eigen::MatrixXd& result) {
    for (Index j = 0; j < map.cols(); ++j) {
      row_.noalias() = K_inverse_ * map.col(j);
      for (Index i = 0; i < size; ++i) result(between_[static_cast<std::size_t>(i)], j) = -row_[i];
    }
    result.bottomRows(m).noalias() = data_->D * result.topRows(m);
  };
  spread(Rx_, Sx);
  spread(Rg_, Sg);
  spread(Re_, Se);
  spread(Rc_, Sc);
  row_.noalias() = K_inverse_ * r0_;
  for (Index i = 0; i < size; ++i) s0[between_[static_cast<std::size_t>(i)]] = -row_[i];
  for (std::size_t i = 0; i < held_.size(); ++i)
    s0[between_[static_cast<std::size_t>(held_[i])]] += held_values_[static_cast<Index>(i)];
  s0.tail(m).noalias() = data_->D * s0.head(m);
  Sx.bottomRows(m) += data_->C;
  for (Index i = 0; i < m; ++i) Se(m + i, i) += 1.0;
  if (!data_->drift_linear) return;
  SX = Sx;
  SX.noalias() += Sg * data_->G;
  A = data_->G;
  A.noalias() += data_->P * SX.topRows(m);
  T.setIdentity(n, n);
  T.noalias() += data_->P * Sg.topRows(m);
  if (!data_->is_autonomous()) return;
  data_->drive(0.0, beta_);
  value_constant = s0;
  value_constant.noalias() += Se * data_->e;
  rate_constant.noalias() = T * beta_;
  rate_constant.noalias() += data_->P * value_constant.head(m);
  value_constant.noalias() += Sg * beta_;
}

void FirstOrderMode::constraints(const Eigen::VectorXd& x, Eigen::VectorXd& c, Eigen::VectorXd* terms) {
  c.setZero(null_);
  if (terms) terms->setZero(null_);
  for (std::size_t i = 0; i < between_.size() && null_ > 0; ++i) {
    const Index row = between_[i];
    double value = data_->e[row], magnitude = std::abs(value);
    const auto add = [&](double term) {
      value += term;
      magnitude += std::abs(term);
    };
    for (Index j = 0; j < data_->n; ++j) add(data_->C(row, j) * x[j]);
    for (const Index o : others_) add(data_->D(row, o) * bounds_[o]);
    for (Index k = 0; k < null_; ++k) {
      const double weight = N_(static_cast<Index>(i), k);
      c[k] += weight * value;
      if (terms) (*terms)[k] += std::abs(weight) * magnitude;
    }
  }
}

bool FirstOrderMode::involves(Index k, const std::vector<char>& flags) const {
  for (std::size_t i = 0; i < between_.size(); ++i)
    if (N_(static_cast<Index>(i), k) != 0.0 && flags[static_cast<std::size_t>(between_[i])]) return true;
  return false;
}

void FirstOrderMode::impulse(const Eigen::VectorXd& c, Eigen::VectorXd& Lambda) const {
  Lambda.setZero(data_->m);
  for (std::size_t i = 0; i < between_.size(); ++i)
    for (Index k = 0; k < null_; ++k) Lambda[between_[i]] -= K_inverse_(static_cast<Index>(i), rank_ + k) * c[k];
}

void FirstOrderMode::impulse_terms(const Eigen::VectorXd& c_terms, Eigen::VectorXd& terms) const {
  terms.setZero(data_->m);
  for (std::size_t i = 0; i < between_.size(); ++i)
    for (Index k = 0; k < null_; ++k)
      terms[between_[i]] += std::abs(K_inverse_(static_cast<Index>(i), rank_ + k)) * c_terms[k];
}

bool FirstOrderMode::contradicts(const Eigen::VectorXd& constraint_rate) const {
  for (Index k = 0; k < combinations_.cols(); ++k) {
    double sum = 0.0, terms = 0.0;
    for (Index i = 0; i < null_; ++i) {
      sum += combinations_(rank_ + i, k) * constraint_rate[i];
      terms += std::abs(combinations_(rank_ + i, k) * constraint_rate[i]);
    }
    if (std::abs(sum) > 1e-8 * terms) return true;
  }
  return false;
}

}  // namespace nonsmooth::events
