// SPDX-License-Identifier: Apache-2.0
// The pivoting of Lemke's algorithm over any representation of the basis inverse; not installed.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../deadline.hpp"
#include "internal.hpp"

namespace nonsmooth::lcp::detail {

/// Variables are numbered w_0..w_{n-1}, z_0..z_{n-1}, then the artificial z0 (= 2 n).
struct LemkeState {
  std::vector<Index> basic;  // the variable of each row
  std::vector<Index> tied;
  Eigen::VectorXd x;       // values of the basic variables
  Eigen::VectorXd column;  // B^-1 of the entering column
  Eigen::VectorXd row_a, row_b;
  Eigen::VectorXd perturbation;  // B^-1 p, where rows of the inverse are dear
  Eigen::VectorXd ray;           // z part of a secondary ray
  Index pivots = 0;
};

enum class LemkeEnd : unsigned char { Complementary, Ray, Limit, TimeLimit, Breakdown };

/// A fixed vector p > 0 without pattern for the second column of the lexicographic order [q, p, I]: ties of q are
/// broken by one number a row, where each row of the inverse costs a solve.
inline void lexicographic_vector(Index n, Eigen::VectorXd& p) {
  p.resize(n);
  for (Index i = 0; i < n; ++i) p[i] = 1.0 + std::fmod(0.6180339887498949 * static_cast<double>(i + 1), 1.0);
}

/// Basis offers: `dear_rows`, true where inverse_row costs a solve (then solve_vector(x) too); reset(); bool
/// refactor(basic); solve_column(variable, out); solve_rhs(out); inverse_row(r, out); update(r, column); size().
/// Columns: e_i for w_i, -M_i for z_i, -d for z0; right-hand side q (largest entry 1).
template <class Basis>
LemkeEnd lemke_loop(Basis& basis, ConstVectorRef q, ConstVectorRef d, Index max_pivots, Index refactor_every,
                    const nonsmooth::detail::Deadline& deadline, LemkeState& s) {
  // Data are scaled to entries near 1. A direction below pivot_zero of its column's largest entry is round-off of the
  // updates (1e3 eps each over some 50 of them); x below zero_step counts as tied at zero for the same reason.
  constexpr double pivot_zero = 1e-11;
  constexpr double tie = 1e-13;
  const Index n = q.size();
  const Index artificial = 2 * n;
  s.basic.resize(static_cast<std::size_t>(n));
  s.tied.reserve(static_cast<std::size_t>(n));
  s.x = q;
  s.column.resize(n);
  s.row_a.resize(n);
  s.row_b.resize(n);
  s.ray.resize(n);
  s.pivots = 0;
  for (Index i = 0; i < n; ++i) s.basic[static_cast<std::size_t>(i)] = i;
  basis.reset();

  // z0 enters: rows of [q, I] / d compared lexicographically, so the last of equal ratios leaves.
  Index leaving_row = 0;
  for (Index i = 1; i < n; ++i) {
    if (q[i] * d[leaving_row] <= q[leaving_row] * d[i]) leaving_row = i;
  }
  if constexpr (Basis::dear_rows) {
    lexicographic_vector(n, s.perturbation);
    const double least = q[leaving_row] / d[leaving_row];
    for (Index i = 0; i < n; ++i) {
      if (q[i] / d[i] == least && s.perturbation[i] * d[leaving_row] < s.perturbation[leaving_row] * d[i]) {
        leaving_row = i;
      }
    }
  }
  if (q[leaving_row] >= 0.0) return LemkeEnd::Complementary;
  s.column = -d;
  Index entering = artificial;
  Index since_refactor = 0;
  while (true) {
    const Index r = leaving_row;
    const double step = s.x[r] / s.column[r];
    for (Index i = 0; i < n; ++i) {
      if (i == r) continue;
      s.x[i] -= step * s.column[i];
      if (s.x[i] < 0.0) s.x[i] = 0.0;  // round-off: the ratio test keeps every row feasible
    }
    s.x[r] = step;
    if constexpr (Basis::dear_rows) {
      const double perturbed = s.perturbation[r] / s.column[r];
      s.perturbation -= perturbed * s.column;
      s.perturbation[r] = perturbed;
    }
    const Index left = s.basic[static_cast<std::size_t>(r)];
    s.basic[static_cast<std::size_t>(r)] = entering;
    ++s.pivots;
    ++since_refactor;
    if (left == artificial) return LemkeEnd::Complementary;
    if (s.pivots >= max_pivots) return LemkeEnd::Limit;
    if (deadline.passed()) return LemkeEnd::TimeLimit;
    bool fresh = false;
    const auto refresh = [&] {
      if (!basis.refactor(s.basic)) return false;
      basis.solve_rhs(s.x);
      s.x = s.x.cwiseMax(0.0);
      if constexpr (Basis::dear_rows) {
        lexicographic_vector(n, s.perturbation);
        basis.solve_vector(s.perturbation);
      }
      since_refactor = 0;
      fresh = true;
      return true;
    };
    if (since_refactor >= refactor_every) {
      if (!refresh()) return LemkeEnd::Breakdown;
    } else {
      basis.update(r, s.column);
    }
    entering = left < n ? left + n : left - n;

    while (true) {
      basis.solve_column(entering, s.column);
      const double largest = s.column.cwiseAbs().maxCoeff();
      if (!std::isfinite(largest)) return LemkeEnd::Breakdown;
      const double threshold = pivot_zero * largest;
      double ratio = std::numeric_limits<double>::infinity();
      for (Index i = 0; i < n; ++i) {
        if (s.column[i] > threshold) ratio = std::min(ratio, s.x[i] / s.column[i]);
      }
      if (std::isinf(ratio)) {
        if (!fresh) {
          if (!refresh()) return LemkeEnd::Breakdown;
          continue;
        }
        s.ray.setZero();
        for (Index i = 0; i < n; ++i) {
          const Index variable = s.basic[static_cast<std::size_t>(i)];
          if (variable >= n && variable < artificial) s.ray[variable - n] = std::max(0.0, -s.column[i]);
        }
        if (entering >= n) s.ray[entering - n] = 1.0;
        return LemkeEnd::Ray;
      }
      const double slack = tie * std::max(1.0, s.x.maxCoeff());
      s.tied.clear();
      leaving_row = -1;
      for (Index i = 0; i < n; ++i) {
        if (!(s.column[i] > threshold) || s.x[i] - ratio * s.column[i] > slack) continue;
        if (s.basic[static_cast<std::size_t>(i)] == artificial) leaving_row = i;  // z0 reaches 0: done
        s.tied.push_back(i);
      }
      if constexpr (Basis::dear_rows) {
        if (leaving_row < 0 && s.tied.size() > 1) {
          double least = std::numeric_limits<double>::infinity();
          for (const Index i : s.tied) least = std::min(least, s.perturbation[i] / s.column[i]);
          const double same = 1e-11 * std::max(1.0, std::abs(least));
          std::erase_if(s.tied, [&](Index i) { return s.perturbation[i] / s.column[i] > least + same; });
        }
      }
      if (leaving_row < 0) {
        leaving_row = s.tied.front();
        if (s.tied.size() > 1) {
          basis.inverse_row(leaving_row, s.row_a);
          s.row_a /= s.column[leaving_row];
        }
        for (std::size_t k = 1; k < s.tied.size(); ++k) {
          const Index other = s.tied[k];
          basis.inverse_row(other, s.row_b);
          s.row_b /= s.column[other];
          // Entries of the two rows closer than their round-off count as equal.
          const double same = 1e-11 * std::max(s.row_a.cwiseAbs().maxCoeff(), s.row_b.cwiseAbs().maxCoeff());
          for (Index j = 0; j < n; ++j) {
            const double difference = s.row_b[j] - s.row_a[j];
            if (std::abs(difference) <= same) continue;
            if (difference < 0.0) {
              leaving_row = other;
              s.row_a.swap(s.row_b);
            }
            break;
          }
        }
      }
      // A pivot that is small beside its column is trusted only from fresh factors.
      if (s.column[leaving_row] < 1e-6 * largest && !fresh) {
        if (!refresh()) return LemkeEnd::Breakdown;
        continue;
      }
      break;
    }
  }
}

/// D with entries of D M D near 1: five passes of symmetric equilibration, then rounded to powers of two. `rows` must
/// return max over row and column i of |M_ij| d_j d_i.
template <class LargestOf>
void equilibrate(LargestOf&& largest_of, VectorRef d, VectorRef largest) {
  d.setOnes();
  for (int pass = 0; pass < 5; ++pass) {
    largest_of(d, largest);
    for (Index i = 0; i < d.size(); ++i) {
      if (largest[i] > 0.0) d[i] /= std::sqrt(largest[i]);
    }
  }
  for (Index i = 0; i < d.size(); ++i) d[i] = std::exp2(std::round(std::log2(d[i])));
}

/// Dense Lemke with memory that is kept from call to call.
struct DenseLemke {
  LemkeState state;
  Eigen::MatrixXd M;        // D M D
  Eigen::VectorXd q, D, d;  // q scaled to largest entry 1
  double q_scale = 1.0;

  /// Pivots; then the basic z are in `state`. d_user: covering vector or empty.
  LemkeEnd run(const View& problem, ConstVectorRef covering, Index max_pivots, Index refactor_every, bool scale,
               const nonsmooth::detail::Deadline& deadline =
                   nonsmooth::detail::Deadline(std::numeric_limits<double>::infinity()));
  /// z of the final basis from pivoting alone.
  void extract(VectorRef z) const;
  /// z of the final basis by a fresh LU of M_aa with one refinement; false if singular.
  bool polish(VectorRef z);

 private:
  struct Basis;
  Eigen::MatrixXd inverse_, matrix_;
  Eigen::VectorXd work_, step_;
  std::vector<Index> rows_;
  DenseLu lu_;
};

/// Certifies result.z and sets the status as the end of the run says; a ray becomes a proof where it is one.
void settle(const View& problem, double tolerance, LemkeEnd end, const LemkeState& state, ConstVectorRef scaling,
            Result& result);
void settle(const SparseProblem& problem, double tolerance, LemkeEnd end, const LemkeState& state,
            ConstVectorRef scaling, Result& result);

}  // namespace nonsmooth::lcp::detail
