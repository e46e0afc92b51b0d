// SPDX-License-Identifier: Apache-2.0
// The pivoting of Lemke's algorithm on dense data; not installed.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <internal/deadline.hpp>

#include "buffer.hpp"
#include "internal.hpp"
#include "relay/dictionary.hpp"
#include "symmetric_scaling.hpp"

namespace nonsmooth::lcp::detail {

using relay::detail::PivotEnd;

/// Variables are numbered w_0..w_{n-1}, z_0..z_{n-1}, then the artificial z0 (= 2 n).
struct LemkeState {
  std::vector<Index> basic;  // the variable of each row
  std::vector<Index> tied;
  GrowingVector x;       // values of the basic variables
  GrowingVector column;  // B^-1 of the entering column
  GrowingVector row_a, row_b;
  GrowingVector ray;  // z part of a secondary ray
  Index pivots = 0;
};

/// The loop over one basis; see lemke_loop.
template <class Basis>
class LemkeLoop {
 public:
  LemkeLoop(Basis& basis, const ConstVectorRef& q, const ConstVectorRef& d, Index refactor_every, LemkeState& state)
      : basis_(basis), q_(q), d_(d), n_(q.size()), artificial_(2 * n_), refactor_every_(refactor_every), s_(state) {}

  PivotEnd run(Index max_pivots, const nonsmooth::detail::Deadline& deadline) {
    lay_out();
    Index leaving_row = first_leaving_row();
    if (q_[leaving_row] >= 0.0) return PivotEnd::Complementary;
    s_.column = -d_;
    entering_ = artificial_;
    while (true) {
      const Index left = exchange(leaving_row);
      if (left == artificial_) return PivotEnd::Complementary;
      if (s_.pivots >= max_pivots) return PivotEnd::Limit;
      if (deadline.passed()) return PivotEnd::TimeLimit;
      fresh_ = false;
      if (since_refactor_ >= refactor_every_) {
        if (!refresh()) return PivotEnd::Breakdown;
      } else {
        basis_.update(leaving_row, s_.column);
      }
      entering_ = left < n_ ? left + n_ : left - n_;
      if (const std::optional<PivotEnd> end = find_leaving_row(leaving_row)) return *end;
    }
  }

 private:
  // Data are scaled to entries near 1. A direction below pivot_zero of its column's largest entry is round-off of the
  // updates (1e3 eps each over some 50 of them); x below zero_step counts as tied at zero for the same reason.
  static constexpr double pivot_zero = 1e-11;
  static constexpr double tie = 1e-13;

  void lay_out() {
    s_.basic.resize(static_cast<std::size_t>(n_));
    s_.tied.reserve(static_cast<std::size_t>(n_));
    s_.x = q_;
    s_.column.resize(n_);
    s_.row_a.resize(n_);
    s_.row_b.resize(n_);
    s_.ray.resize(n_);
    s_.pivots = 0;
    for (Index i = 0; i < n_; ++i) s_.basic[static_cast<std::size_t>(i)] = i;
    basis_.reset();
  }

  /// z0 enters: rows of [q, I] / d compared lexicographically, so the last of equal ratios leaves.
  Index first_leaving_row() {
    Index leaving_row = 0;
    for (Index i = 1; i < n_; ++i) {
      if (q_[i] * d_[leaving_row] <= q_[leaving_row] * d_[i]) leaving_row = i;
    }
    return leaving_row;
  }

  /// The entering variable takes row r of the basis; returns the one that had it. The column is the entering one's.
  Index exchange(Index r) {
    const double step = s_.x[r] / s_.column[r];
    for (Index i = 0; i < n_; ++i) {
      if (i == r) continue;
      s_.x[i] -= step * s_.column[i];
      if (s_.x[i] < 0.0) s_.x[i] = 0.0;  // round-off: the ratio test keeps every row feasible
    }
    s_.x[r] = step;
    const Index left = s_.basic[static_cast<std::size_t>(r)];
    s_.basic[static_cast<std::size_t>(r)] = entering_;
    ++s_.pivots;
    ++since_refactor_;
    return left;
  }

  /// Factors and x from the data; false where the basis is singular.
  bool refresh() {
    if (!basis_.refactor(s_.basic)) return false;
    basis_.solve_rhs(s_.x);
    s_.x = s_.x.cwiseMax(0.0);
    since_refactor_ = 0;
    fresh_ = true;
    return true;
  }

  /// The entering column, and the row that leaves for it; the end where there is none.
  std::optional<PivotEnd> find_leaving_row(Index& leaving_row) {
    while (true) {
      basis_.solve_column(entering_, s_.column);
      const double largest = s_.column.cwiseAbs().maxCoeff();
      if (!std::isfinite(largest)) return PivotEnd::Breakdown;
      const double threshold = pivot_zero * largest;
      double ratio = std::numeric_limits<double>::infinity();
      for (Index i = 0; i < n_; ++i) {
        if (s_.column[i] > threshold) ratio = std::min(ratio, s_.x[i] / s_.column[i]);
      }
      if (std::isinf(ratio)) {
        if (fresh_) {
          set_ray();
          return PivotEnd::Ray;
        }
      } else {
        leaving_row = row_of_ratio(ratio, threshold);
        // A pivot that is small beside its column is trusted only from fresh factors.
        const bool small = s_.column[leaving_row] < 1e-6 * largest;
        if (!small || fresh_) return std::nullopt;
      }
      if (!refresh()) return PivotEnd::Breakdown;
    }
  }

  void set_ray() {
    s_.ray.setZero();
    for (Index i = 0; i < n_; ++i) {
      const Index variable = s_.basic[static_cast<std::size_t>(i)];
      if (variable >= n_ && variable < artificial_) s_.ray[variable - n_] = std::max(0.0, -s_.column[i]);
    }
    if (entering_ >= n_) s_.ray[entering_ - n_] = 1.0;
  }

  /// Of the rows tied at the least ratio: that of z0, else the lexicographically least.
  Index row_of_ratio(double ratio, double threshold) {
    const double slack = tie * std::max(1.0, s_.x.maxCoeff());
    s_.tied.clear();
    Index leaving_row = -1;
    for (Index i = 0; i < n_; ++i) {
      if (!(s_.column[i] > threshold) || s_.x[i] - ratio * s_.column[i] > slack) continue;
      if (s_.basic[static_cast<std::size_t>(i)] == artificial_) leaving_row = i;  // z0 reaches 0: done
      s_.tied.push_back(i);
    }
    if (leaving_row >= 0) return leaving_row;
    return least_of_tied();
  }

  /// By the rows of the inverse, each divided by its pivot.
  Index least_of_tied() {
    Index leaving_row = s_.tied.front();
    if (s_.tied.size() > 1) {
      basis_.inverse_row(leaving_row, s_.row_a);
      s_.row_a /= s_.column[leaving_row];
    }
    for (std::size_t k = 1; k < s_.tied.size(); ++k) {
      const Index other = s_.tied[k];
      basis_.inverse_row(other, s_.row_b);
      s_.row_b /= s_.column[other];
      // Entries of the two rows closer than their round-off count as equal.
      const double same = 1e-11 * std::max(s_.row_a.cwiseAbs().maxCoeff(), s_.row_b.cwiseAbs().maxCoeff());
      for (Index j = 0; j < n_; ++j) {
        const double difference = s_.row_b[j] - s_.row_a[j];
        if (std::abs(difference) <= same) continue;
        if (difference < 0.0) {
          leaving_row = other;
          s_.row_a.swap(s_.row_b);
        }
        break;
      }
    }
    return leaving_row;
  }

  Basis& basis_;
  const ConstVectorRef& q_;
  const ConstVectorRef& d_;
  const Index n_, artificial_, refactor_every_;
  LemkeState& s_;
  Index entering_ = -1;
  Index since_refactor_ = 0;
  bool fresh_ = false;  // the factors are of this very basis, without updates
};

/// Basis offers: reset(); bool refactor(basic); solve_column(variable, out); solve_rhs(out); inverse_row(r, out);
/// update(r, column); size(). Columns: e_i for w_i, -M_i for z_i, -d for z0; right-hand side q (largest entry 1).
template <class Basis>
PivotEnd lemke_loop(Basis& basis, ConstVectorRef q, ConstVectorRef d, Index max_pivots, Index refactor_every,
                    const nonsmooth::detail::Deadline& deadline, LemkeState& state) {
  return LemkeLoop<Basis>(basis, q, d, refactor_every, state).run(max_pivots, deadline);
}

/// Dense Lemke with memory that is kept from call to call, whatever their sizes.
struct DenseLemke {
  LemkeState state;
  GrowingVector q, D, d;  // q scaled to largest entry 1
  double q_scale = 1.0;

  /// Pivots; then the basic z are in `state`. d_user: covering vector or empty.
  PivotEnd run(const View& problem, ConstVectorRef covering, Index max_pivots, Index refactor_every, bool scale,
               const nonsmooth::detail::Deadline& deadline =
                   nonsmooth::detail::Deadline(std::numeric_limits<double>::infinity()));
  /// z of the final basis from pivoting alone.
  void extract(VectorRef z) const;
  /// z of the final basis by a fresh LU of M_aa with one refinement; false if singular.
  bool polish(VectorRef z);

 private:
  struct Basis;
  [[nodiscard]] nonsmooth::detail::Buffer::Matrix square(nonsmooth::detail::Buffer& buffer) const {
    return buffer.matrix(q.size(), q.size());
  }

  nonsmooth::detail::Buffer scaled_, inverse_, matrix_;  // D M D; of the basis
  GrowingVector work_, step_;
  std::vector<Index> rows_;
  DenseLu lu_;
};

/// Certifies result.z and sets the status as the end of the run says; a ray becomes a proof where it is one.
void conclude_run(const View& problem, double tolerance, PivotEnd end, const LemkeState& state, ConstVectorRef scaling,
                  Result& result);

}  // namespace nonsmooth::lcp::detail
