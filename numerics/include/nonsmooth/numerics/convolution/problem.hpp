// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include <nonsmooth/numerics/convolution/weights.hpp>
#include <nonsmooth/numerics/outcome.hpp>
#include <nonsmooth/numerics/relay/problem.hpp>

namespace nonsmooth::convolution {

/// The convolution complementarity problem: find z on [0, T] with
///
///     w(t) = q(t) + int_0^t k(t - s) z(s) ds,     0 <= z(t) ⟂ w(t) >= 0,
///
/// or with bounds  -w(t) in N_[l,u](z(t)).  z has m rows and may have atoms where the index of k is one or more (there
/// bounds other than 0 and infinity are bounds of densities, and forbid atoms on their side).
/// Source: Stewart 2006 [stewart2006].
struct Problem {
  Kernel kernel;
  std::function<Eigen::VectorXd(double t)> q;  ///< m entries, asked at t >= 0
  double horizon = 0.0;                        ///< T > 0 [s]
  Eigen::VectorXd lower{};                     ///< l, m entries, < +inf; empty: 0
  Eigen::VectorXd upper{};                     ///< u, m entries, > -inf, >= l; empty: +inf
};

/// What a run found: column n - 1 is of the step that ends at t_n = n h. The best that is known whatever the status;
/// a run that ends early has the columns of the steps that were solved.
struct Result : Outcome {
  double h = 0.0;         ///< [s]
  Rule rule{};            ///< the one used
  Examination kernel{};   ///< of the kernel
  Eigen::VectorXd w0;     ///< q(0)
  Eigen::MatrixXd q;      ///< m x N: q(t_n)
  Eigen::MatrixXd p;      ///< m x N: impulses of z over (t_{n-1}, t_n]; densities are p / h, atoms what stays as h -> 0
  Eigen::MatrixXd w;      ///< m x N, recomputed from p with the weights, by one Fourier transform
  double history = 0.0;   ///< bound of |w - the w that steps were solved with|_inf that compression allows; else 0
  relay::Result failure;  ///< where a step was not solved: its problem's result, in impulses; else NotRun

  [[nodiscard]] Index steps() const noexcept { return p.cols(); }
  [[nodiscard]] Eigen::MatrixXd density() const { return p / h; }  ///< z, its mean over each step
  [[nodiscard]] std::string message() const;  ///< status, solver, residual, reason, what to look at next
};

/// The certificate of impulses p (m x n, n <= N) over all steps: errors as relay::certify of the problems of the steps,
/// with W_0, bounds h l and h u, and  q(t_n) + sum_{j<n} W_{n-j} p_j  for q, at the answers themselves; scale = max_n
/// |q(t_n)|_inf, or `floor` if that is larger; worst_row = (n - 1) m + i. w receives the w of all steps.
/// Cost: O(n log n). @throws InvalidArgument: shapes that do not fit.
[[nodiscard]] Certificate certify(const Weights& weights, const Eigen::MatrixXd& q, const Eigen::VectorXd& lower,
                                  const Eigen::VectorXd& upper, const Eigen::MatrixXd& p, Eigen::MatrixXd& w,
                                  double floor = -1.0);

}  // namespace nonsmooth::convolution
