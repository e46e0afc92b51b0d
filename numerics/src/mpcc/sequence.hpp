// SPDX-License-Identifier: Apache-2.0
// Sequential quadratic programming on relaxed programs and on pieces; not installed.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "linearization.hpp"

namespace nonsmooth::mpcc::detail {

/// The steps. Keeps in `result` the best point of the piece that it is on.
class Sequence {
 public:
  Sequence(const NonlinearProblem& problem, const NonlinearRelaxation& options,
           const nonsmooth::detail::Deadline& deadline, NonlinearResult& result);

  /// @throws InvalidArgument where something is not finite at x.
  void begin(ConstVectorRef x);
  /// Towards the relaxed program of this t; the result may have ended.
  void relax(double t);
  /// Towards the program on these sides. True where the certificates of the point in `result`, which now() is, as a
  /// weakly stationary one and as an answer of that program are both at the tolerance.
  [[nodiscard]] bool on_piece(const Sides& sides);

  [[nodiscard]] SparseProblem linear() const { return linear_program(problem_, now_, slopes_); }
  [[nodiscard]] const Values& now() const { return now_; }
  [[nodiscard]] Index values() const { return evaluator_.count(); }

 private:
  enum class Step : unsigned char { Taken, Settled, Failed };
  enum class Trial : unsigned char { Taken, Refused, NotFinite };

  void set_rows(bool products);
  [[nodiscard]] Eigen::VectorXd rows_at(const Values& values) const;
  [[nodiscard]] Eigen::SparseMatrix<double> row_slopes() const;
  [[nodiscard]] double priced(const Eigen::VectorXd& rows) const;
  [[nodiscard]] Step step();
  [[nodiscard]] std::optional<qp::Result> direction(const Eigen::SparseMatrix<double>& J, const Eigen::VectorXd& rows);
  [[nodiscard]] std::optional<qp::Result> priced_direction(const qp::SparseProblem& program);
  [[nodiscard]] bool search(const Eigen::SparseMatrix<double>& J, const Eigen::VectorXd& rows,
                            const Eigen::VectorXd& d);
  [[nodiscard]] Trial try_at(const Eigen::VectorXd& x, double most, Values& trial);
  void take_multipliers(const Eigen::VectorXd& multipliers);
  [[nodiscard]] Eigen::VectorXd lagrangian_slope() const;
  [[nodiscard]] Eigen::SparseMatrix<double> hessian(const Eigen::VectorXd& y, const Eigen::VectorXd& u,
                                                    const Eigen::VectorXd& v) const;
  void check_hessian() const;
  [[nodiscard]] bool curve(const Eigen::SparseMatrix<double>& J);
  void make_convex(Eigen::SparseMatrix<double> B, const Eigen::SparseMatrix<double>& J);
  void update_curve(const Eigen::VectorXd& step, const Eigen::VectorXd& slope_before);
  [[nodiscard]] bool go_on();
  void end_not_finite(std::string what);
  void keep();
  void keep_afresh();

  const NonlinearProblem& problem_;
  const NonlinearRelaxation& options_;
  const nonsmooth::detail::Deadline& deadline_;
  NonlinearResult& result_;
  Evaluator evaluator_;
  const Index n_, m_, k_;
  Values now_;
  Slopes slopes_;
  bool products_ = false;
  Eigen::VectorXd low_, high_, prices_;  // of the rows c, G, H and, if products_, G H
  Eigen::VectorXd y_, u_, v_;            // multipliers, those of the products within u and v
  Eigen::SparseMatrix<double> B_;
  Eigen::VectorXd augmented_;  // sigma of each row
  Eigen::MatrixXd quasi_;      // B where there is no Hessian; empty before the first step
  double size_ = 1.0;          // size_at() of the iterate that the step starts from
  double radius_ = 0.0, last_move_ = 0.0;
  Sides sides_;                                             // of the piece; empty on relaxed programs
  double kept_ = std::numeric_limits<double>::quiet_NaN();  // the figure that `result` was kept by
};

}  // namespace nonsmooth::mpcc::detail
