// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "dormand_prince_tables.hpp"
#include "stepper.hpp"

namespace nonsmooth::smooth {

/// Explicit Runge-Kutta pair of a table, error control with a PI controller [gustafsson1991]. The slope at a step's end
/// is the first of the next one; that of a shortened or amended step is evaluated when it is asked for. Evaluations a
/// step: Table::end, and with dense() those of the slopes behind it. If f throws, z() and t() are as before.
template <class Table>
class DormandPrinceStepper final : public Stepper {
 public:
  DormandPrinceStepper(const ErrorControl& control, RightHandSide& f);

  void start(double t, const Eigen::VectorXd& z) override;
  Outcome advance(double t_limit) override;
  Outcome shorten(double t_end) override;
  void amend(const Eigen::VectorXd& z) override;
  [[nodiscard]] const DensePolynomial& dense() override;
  [[nodiscard]] bool save(std::vector<double>& numbers) override;
  void resume(const std::vector<double>& numbers) override;

 private:
  enum class SlopeAt : unsigned char { Unknown, First, End };  // where the slope at (t(), z()) is kept

  bool evaluate(std::size_t slope, double t, const Eigen::VectorXd& z);  // false where f is not finite
  bool evaluate_current();
  template <std::size_t I>
  bool evaluate_stage(double t, double h, const Eigen::VectorXd& z);
  bool step(double t, double h, const Eigen::VectorXd& z);  // z_next_ from slopes_[0]
  [[nodiscard]] double error_norm(double h, const Eigen::VectorXd& z);
  [[nodiscard]] double factor(double error);
  void make_dense();

  RightHandSide& f_;
  ErrorControl control_;
  std::array<Eigen::VectorXd, Table::slopes> slopes_;
  Eigen::VectorXd z_start_, z_next_, stage_;
  DensePolynomial dense_;
  SlopeAt slope_at_ = SlopeAt::Unknown;
  bool stepped_ = false;  // z_start_ and slopes_ are those of the step just taken
  bool dense_made_ = false;
  double h_next_ = 0.0;      // 0: found from f
  double last_error_ = 1.0;  // of the last step taken, in units of the tolerance
};

extern template class DormandPrinceStepper<DormandPrinceTable5>;
extern template class DormandPrinceStepper<DormandPrinceTable8>;

}  // namespace nonsmooth::smooth
