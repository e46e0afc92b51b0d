// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "dynamics/factors/pivots.hpp"
#include "first_order_data.hpp"

/// One mode of the first-order subsystem: which row is at a bound and which is between, and what its multipliers are.
namespace nonsmooth::events {

/// A mode, with J the rows between their bounds (y^_J = 0) and o the others (lambda_o at a bound). With D_JJ of rank r,
/// p its pivot rows and N (|J| x k, k = |J| - r) a basis of its left null space, the constraints
///
///     c(t, x) = N^T (C_J x + e_J + D_Jo lambda_o) = 0
///
/// hold no multiplier and are differentiated once (relative degree 1):
///
///     K lambda_J = -[C_p x + e_p + D_po lambda_o;  N^T C_J (g + P_o lambda_o) + dc/dt],   K = [D_pJ; N^T C_J P_J].
///
/// An impulse Lambda with D_JJ Lambda = 0 that changes c by -c solves K Lambda = [0; -c]. Where K is singular and the
/// combinations of rows that vanish in it vanish in C_p and N^T C_J too, constraints are redundant: as many multipliers
/// are not determined, and held at given values. No constraint sees what they do to x. Where P_J moves x by them all
/// the same, several motions satisfy the laws, and the held values choose one. A combination that does not vanish in
/// C_p and N^T C_J is redundant too where the other constraints keep it at zero (is_implied: two relays that meet at
/// rest). Otherwise some constraint would have to be differentiated again (relative degree 2 or more) and the mode is
/// not usable.
class FirstOrderMode {
 public:
  /// status[row]: -1 at the lower bound, 0 between, 1 at the upper bound.
  FirstOrderMode(FirstOrderData& data, std::vector<signed char> status);

  [[nodiscard]] const std::vector<signed char>& status() const noexcept { return status_; }
  [[nodiscard]] bool usable() const noexcept { return usable_; }
  [[nodiscard]] const std::string& detail() const noexcept { return detail_; }  ///< why it is not
  [[nodiscard]] const std::vector<Index>& between() const noexcept { return between_; }
  [[nodiscard]] Index num_constraints() const noexcept { return null_; }  ///< k
  /// True where dc/dt is asked for: constraints, and data that change in time.
  [[nodiscard]] bool needs_constraint_rate() const noexcept {
    return null_ > 0 && (data_->matrices_vary || data_->offsets_vary);
  }
  [[nodiscard]] bool is_held(Index row) const;
  /// True where a row has relative degree 2 or more and the others keep it at zero.
  [[nodiscard]] bool has_implied_rows() const noexcept { return implied_; }
  /// True where a multiplier that is held moves x: several motions satisfy the laws in this mode.
  [[nodiscard]] bool is_moved_by_held() const;
  /// Values of the multipliers that are not determined, taken from lambda (m), within their bounds.
  void hold(const Eigen::VectorXd& lambda);
  /// lambda (m) := the values that are held, in their rows.
  void write_held(Eigen::VectorXd& lambda) const {
    for (std::size_t i = 0; i < held_.size(); ++i)
      lambda[between_[static_cast<std::size_t>(held_[i])]] = held_values_[static_cast<Index>(i)];
  }

  /// The maps below from the data's present values, unless they are of these already.
  void update() {
    if (!is_current()) refresh();
  }
  /// c and its terms' magnitudes at x, data's present values.
  void constraints(const Eigen::VectorXd& x, Eigen::VectorXd& c, Eigen::VectorXd* terms);
  /// True where a flagged row (m flags) is in constraint k.
  [[nodiscard]] bool involves(Index k, const std::vector<char>& flags) const;
  /// The row that constraint k stands for: all others in it have a multiplier of their own in D.
  [[nodiscard]] Index row_of(Index k) const {
    return between_[static_cast<std::size_t>(in_D_.rows[static_cast<std::size_t>(rank_ + k)])];
  }
  /// N alone from the data's present values, for differences of c in time.
  void update_null_space() {
    if (is_current()) return;
    stamp_ = 0;
    refresh_null_space();
  }
  /// Lambda (m): the impulse that removes c.
  void impulse(const Eigen::VectorXd& c, Eigen::VectorXd& Lambda) const;
  /// What impulse() loses to cancellation: |K^-1| terms, by row.
  void impulse_terms(const Eigen::VectorXd& c_terms, Eigen::VectorXd& terms) const;
  /// Combinations of dc/dt that redundant constraints leave to the data: zero, or the mode contradicts itself.
  [[nodiscard]] bool contradicts(const Eigen::VectorXd& constraint_rate) const;

  /// lambda^ (m) from the multipliers of between(); the others are at their bounds.
  void spread(const double* lambda, Eigen::VectorXd& all) const;
  /// What determines the multipliers of between(), as data and maps are now:
  ///
  ///     rows = (C_p x + e_p + D_p lambda^;  N^T C_J xdot + dc/dt)
  ///
  /// with lambda - its given value in place of the conditions that redundant multipliers leave without one. Index 1.
  /// dc/dt where needs_constraint_rate(), else null.
  void closed_rows(const Eigen::VectorXd& x, const Eigen::VectorXd& xdot, const Eigen::VectorXd& lambda,
                   const Eigen::VectorXd* constraint_rate, double* rows) const;

  /// (lambda^; y^) = Sx x + Sg g + Se e + Sc dc/dt + s0, 2m rows.
  Eigen::MatrixXd Sx, Sg, Se, Sc;
  Eigen::VectorXd s0;
  /// The same with g = G x + beta put in, where the drift is linear: SX x + Sg beta + ..., and
  /// xdot = A x + T beta + P (...), A = G + P (Sx + Sg G), T = 1 + P Sg.
  Eigen::MatrixXd SX, A, T;
  /// Where data_.is_autonomous(): xdot = A x + rate_constant, (lambda^; y^) = SX x + value_constant.
  Eigen::VectorXd rate_constant, value_constant;
  double flow_rate = -1.0;  ///< for users of the mode: a bound of the rates in A; < 0: not known, or maps are new

 private:
  [[nodiscard]] bool is_current() const noexcept { return stamp_ > 0 && stamp_ == data_->present_stamp(); }
  void refresh();
  void refresh_null_space();
  void choose_pivots();
  void build_coupling();
  void check_redundancy(const Pivots& pivots);
  [[nodiscard]] bool is_implied(const Eigen::VectorXd& w) const;
  void invert(const Pivots& pivots);

  FirstOrderData* data_;
  std::vector<signed char> status_;
  bool usable_ = true, implied_ = false;
  Index stamp_ = 0;  ///< of the values that the maps were made for; 0: none that come back
  std::string detail_;
  std::vector<Index> between_, others_;
  Pivots in_D_, in_K_;
  Index rank_ = 0, null_ = 0;
  std::vector<Index> held_;  // positions in between_
  Eigen::VectorXd held_values_, bounds_;
  Eigen::MatrixXd N_;   // |J| x k
  Eigen::MatrixXd NC_;  // N^T C_J, k x n
  Eigen::MatrixXd K_, K_inverse_, combinations_;
  // Scratch, one for each shape, so that data that move in time allocate nothing.
  Eigen::MatrixXd D_pivots_, D_rest_, D_inverse_, D_multiples_, C_between_, P_between_, NCP_, K_pivots_,
      K_pivots_inverse_;
  Eigen::MatrixXd Rx_, Rg_, Re_, Rc_;
  Eigen::VectorXd r0_, row_, K_scale_, beta_;
};

}  // namespace nonsmooth::events
