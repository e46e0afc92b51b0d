// SPDX-License-Identifier: Apache-2.0
// The nearest point of a polyhedron; not installed.
#pragma once

#include <vector>

#include <nonsmooth/numerics/status.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::vi::detail {

/// The method of Goldfarb and Idnani for  min |x - y|^2 / 2,  N_i·x <= b_i (i < m), the first `equalities` of them =,
/// rows of unit norm. Active rows keep N = Q (R; 0), R upper triangular; with n the normal of the row that x violates
/// most and d = Q^T n = (d_1, d_2), the step z = Q_2 d_2 moves x onto it along the others, r = R^-1 d_1 is what the
/// multipliers u of the others lose; the first u_i that becomes 0 leaves. A row that violates with z = 0 and no u_i to
/// lose is the proof that there is no point: n = sum r_i N_i with r_i <= 0 on inequalities.
///
/// Equalities enter first and never leave, whatever the sign of their u; dependent ones that do not contradict are left
/// out. Cost of a change: 4 n^2 for Q, m n for the violations.
class DualActiveSet {
 public:
  /// N holds one row a column (n x m); both stay where they are.
  DualActiveSet(const Eigen::MatrixXd& N, const Eigen::VectorXd& b);

  /// Takes the equalities in, once. False where two contradict: proof() then.
  [[nodiscard]] bool add_equalities(Index equalities);
  /// x := the nearest point; the equalities have been taken in. Infeasible: proof() then.
  [[nodiscard]] Status project(ConstVectorRef y, VectorRef x);

  [[nodiscard]] Index steps() const noexcept { return steps_; }
  [[nodiscard]] Index num_active() const noexcept { return static_cast<Index>(rows_.size()); }
  /// D := I - Q_1 Q_1^T.
  void jacobian(MatrixRef D) const;
  /// One entry a row of N, of norm near 1, after an Infeasible; in the rows' unit scale.
  [[nodiscard]] const Eigen::VectorXd& proof() const noexcept { return proof_; }

 private:
  void add(Index row, const Eigen::VectorXd& d);
  void drop(Index place);
  void correct(VectorRef x) const;
  void prove(Index row, const Eigen::VectorXd& r, double sign);
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& d) const;  // R^-1 d_1
  [[nodiscard]] bool depends(const Eigen::VectorXd& d) const;
  [[nodiscard]] Index most_violated(ConstVectorRef x, double size, double& violation) const;

  const Eigen::MatrixXd& N_;
  const Eigen::VectorXd& b_;
  Eigen::MatrixXd Q_, R_;
  std::vector<Index> rows_;   // active, in the order of R's columns
  std::vector<bool> active_;  // of all rows; left-out equalities too
  std::vector<double> u_;     // of active rows
  Index equalities_ = 0;      // of rows_
  Index first_inequality_ = 0;
  Index steps_ = 0;
  Eigen::VectorXd proof_;
};

}  // namespace nonsmooth::vi::detail
