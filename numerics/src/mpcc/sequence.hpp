// SPDX-License-Identifier: Apache-2.0
// Sequential quadratic programming on relaxed programs and on pieces; not installed.
#pragma once

#include <string>

#include <nonsmooth/numerics/mpcc/nonlinear.hpp>

#include "pieces.hpp"

namespace nonsmooth::mpcc::detail {

/// All callables at x.
struct Values {
  Eigen::VectorXd x;
  double f = 0.0;
  Eigen::VectorXd c, a, b;  // a = G(x), b = H(x)
};

/// Their slopes there.
struct Slopes {
  Eigen::VectorXd f;
  Eigen::SparseMatrix<double> c, G, H;
};

/// Asks the callables.
class Evaluator {
 public:
  explicit Evaluator(const NonlinearProblem& problem) : problem_(problem) {}

  /// False where a number is not finite; not_finite() tells which.
  [[nodiscard]] bool values(ConstVectorRef x, Values& out);
  [[nodiscard]] bool slopes(const Values& at, Slopes& out);
  [[nodiscard]] const std::string& not_finite() const { return not_finite_; }
  [[nodiscard]] Index count() const { return count_; }

 private:
  [[nodiscard]] bool value(const NonlinearMap& map, ConstVectorRef x, Eigen::VectorXd& out);
  [[nodiscard]] bool slope(const NonlinearMap& map, const Values& at, ConstVectorRef value,
                           Eigen::SparseMatrix<double>& out);

  const NonlinearProblem& problem_;
  Eigen::SparseMatrix<double> gradient_;
  std::string not_finite_;
  Index count_ = 0;
};

/// linearize() of what has been asked.
[[nodiscard]] SparseProblem linear_program(const NonlinearProblem& problem, const Values& values, const Slopes& slopes);

/// Values of the linear program at x to those of f there.
inline void shift_value(double f, qp::Figures& figures) {
  figures.dual_value += f - figures.value;
  figures.value = f;
}

/// Of the pieces of a linear program at x that on which its value falls most within |x' - x| <= box, which is
/// size_at().
struct Falling {
  Sides sides;        // empty: on none by more than `tolerance` of sum_j |c_j| box
  bool sure = false;  // all pieces were looked at, and x is on one
};
[[nodiscard]] Falling find_falling(const SparseProblem& linear, ConstVectorRef x, const std::vector<Index>& beta,
                                   double tolerance, const nonsmooth::detail::Deadline& deadline);

/// The steps. Keeps in `result` the best point of the piece that it is on.
class Sequence {
 public:
  Sequence(const NonlinearProblem& problem, const NonlinearRelaxation& options,
           const nonsmooth::detail::Deadline& deadline, NonlinearResult& result);

  /// @throws InvalidArgument where something is not finite at x.
  void begin(ConstVectorRef x);
  /// Towards the relaxed program of this t; the result may have ended.
  void relax(double t);
  /// Towards the program on these sides. True where its certificate is at the tolerance.
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
};

}  // namespace nonsmooth::mpcc::detail
