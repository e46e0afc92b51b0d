// SPDX-License-Identifier: Apache-2.0
// What the iterations of all algorithms share; not installed.
#pragma once

#include <functional>
#include <string_view>

#include <Eigen/SparseCore>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/vi/problem.hpp>

#include "measure.hpp"
#include "projector.hpp"

namespace nonsmooth::vi::detail {

/// Nine tenths of the best estimate in this many iterations is progress; less is a stall. Linear convergence slower
/// than a digit in 1e5 iterations is told as one.
inline constexpr Index stall_window = 5000;

inline constexpr std::string_view stalled_reason = "the natural residual has stopped falling";

/// One solve: points and values of F with their failures, the best iterate, how it ends.
class Run {
 public:
  /// Begins at P_K(start), or at x_0 = P_K(0) without one. `argument` names the start for messages.
  /// @throws InvalidArgument a start of another size or not finite, F not finite where it begins.
  Run(const Problem& problem, double tolerance, double time_limit, const Eigen::VectorXd& start, const char* argument,
      std::string_view solver);

  /// To be called with each x that is observed; nothing where it is empty. `look` outlives the run.
  void show(const std::function<void(ConstVectorRef x)>& look) noexcept { look_ = &look; }
  /// Where there is a point to begin with. @throws InvalidArgument: a Jacobian of F that differences there deny.
  void check_jacobian() const;
  /// False where K has no point to begin with: finish() tells.
  [[nodiscard]] bool ready() const noexcept { return ready_; }
  [[nodiscard]] Index size() const noexcept { return problem_.K.size(); }
  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }
  [[nodiscard]] double rho() const noexcept { return measure_.rho(); }
  [[nodiscard]] const Eigen::VectorXd& start() const noexcept { return x_; }    ///< the first point, in K
  [[nodiscard]] const Eigen::VectorXd& start_w() const noexcept { return w_; }  ///< F there
  [[nodiscard]] bool late() const { return deadline_.passed(); }
  [[nodiscard]] double time_left() const { return deadline_.remaining(); }

  /// w := F(x). False where it is not finite, which is remembered.
  [[nodiscard]] bool evaluate(ConstVectorRef x, VectorRef w);
  /// J := F'(x), dense. False where it is not finite, which is remembered.
  [[nodiscard]] bool jacobian(ConstVectorRef x, ConstVectorRef w, Eigen::MatrixXd& J);
  /// The same, sparse.
  [[nodiscard]] bool jacobian(ConstVectorRef x, ConstVectorRef w, Eigen::SparseMatrix<double>& J);
  /// x := P_K(y). False where that fails, which is remembered.
  [[nodiscard]] bool project(ConstVectorRef y, VectorRef x);

  /// Of x with w = F(x) and y = P_K(x - t w): keeps x if it is the best so far by max(1, t / rho) |x - y| / t, which is
  /// no less than the certificate's |e|. True where the certificate, asked once this is small, is met.
  bool observe(ConstVectorRef x, ConstVectorRef w, ConstVectorRef y, double t);
  /// The same by the certificate itself.
  bool observe(ConstVectorRef x, ConstVectorRef w);
  /// What the last observe() made of x [unit of F].
  [[nodiscard]] double estimate() const noexcept { return estimate_; }
  /// Whether the estimates have not fallen for stall_window observations.
  [[nodiscard]] bool stalled() const noexcept { return observed_ - progress_at_ >= stall_window; }
  /// The best so far [unit of F].
  [[nodiscard]] double best() const noexcept { return best_; }

  /// The result of the best point: Solved where its certificate is met, else `otherwise`, of which Solved is Stalled.
  [[nodiscard]] Result finish(Status otherwise, std::string_view reason, Index iterations);
  /// The same where evaluate(), jacobian() or project() has failed for good.
  [[nodiscard]] Result fail(Index iterations);

 private:
  bool keep(ConstVectorRef x, double estimate);

  const Problem& problem_;
  double tolerance_;
  std::string_view solver_;
  nonsmooth::detail::Deadline deadline_;
  Projector projector_;
  Measure measure_;
  ProjectionReport failed_;  // the last projection, if it failed
  std::string not_finite_;   // the last value that was not finite
  Eigen::VectorXd x_, w_;    // where it begins
  Eigen::VectorXd best_x_;
  double estimate_, best_, progress_;
  Index observed_ = 0, progress_at_ = 0;
  const std::function<void(ConstVectorRef x)>* look_ = nullptr;
  bool ready_ = false;
};

}  // namespace nonsmooth::vi::detail
