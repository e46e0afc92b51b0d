// SPDX-License-Identifier: Apache-2.0
// What the callables of a nonlinear program say at a point, and the linear program there; not installed.
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/numerics/mpcc/nonlinear.hpp>

#include "pieces.hpp"

namespace nonsmooth::mpcc::detail {

/// Of each algorithm on a linear or quadratic program: interior points need some 20, and first-order steps are not
/// worth more here.
inline constexpr Index most_iterations = 200;

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

/// certify() of a linear program that stands for callables, by errors over the largest alone.
Certificate certify_linearized(const SparseProblem& linear, ConstVectorRef x, ConstVectorRef y, ConstVectorRef u,
                               ConstVectorRef v, VectorRef s, Look* look);

/// Values of the linear program at x to those of f there.
inline void shift_value(double f, qp::Figures& figures) {
  figures.dual_value += f - figures.value;
  figures.value = f;
}

/// Of the pieces of a linear program at x that on which its value falls most within |x'_j - x_j| <= box_j, which is
/// sizes_at().
struct Falling {
  Sides sides;        // empty: on none by more than `tolerance` of sum_j |c_j| box_j
  bool sure = false;  // all pieces were looked at, and x is on one
};
[[nodiscard]] Falling find_falling(const SparseProblem& linear, ConstVectorRef x, const std::vector<Index>& beta,
                                   double tolerance, const nonsmooth::detail::Deadline& deadline);

}  // namespace nonsmooth::mpcc::detail
