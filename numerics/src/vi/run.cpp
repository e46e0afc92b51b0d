// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <algorithm>
#include <cmath>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "checked_jacobian.hpp"
#include "end_infeasible.hpp"
#include "numbers.hpp"

namespace nonsmooth::vi::detail {

Run::Run(const Problem& problem, double tolerance, double time_limit, const Eigen::VectorXd& start,
         const char* argument, std::string_view solver)
    : problem_(problem),
      tolerance_(tolerance),
      solver_(solver),
      deadline_(time_limit),
      projector_(problem.K),
      measure_(problem, projector_),
      estimate_(infinity),
      best_(infinity),
      progress_(infinity) {
  if (start.size() > 0) {
    check::size(argument, start.size(), size(), "one a row of K, or none");
    check::finite(argument, ConstVectorRef(start));
  }
  failed_ = measure_.report();
  if (!failed_.ok()) return;
  x_ = measure_.x_0();
  w_ = measure_.F_0();
  ready_ = true;
  if (start.size() == 0) return;
  ready_ = project(start, x_);
  if (ready_ && !evaluate(x_, w_)) throw InvalidArgument(argument, not_finite_, "a point at which F is finite");
}

void Run::check_jacobian() const {
  if (ready_) nonsmooth::detail::check_jacobian("vi::Problem::F", problem_.F, x_);
}

bool Run::evaluate(ConstVectorRef x, VectorRef w) {
  const std::optional<NotFinite> found = nonsmooth::evaluate(problem_.F, x, w);
  if (found) not_finite_ = found->message(problem_.F);
  return !found;
}

bool Run::jacobian(ConstVectorRef x, ConstVectorRef w, Eigen::MatrixXd& J) {
  const Eigen::VectorXd none;
  const std::optional<NotFinite> found = evaluate_jacobian(problem_.F, x, w, none, none, J);
  if (found) not_finite_ = found->message(problem_.F);
  return !found;
}

bool Run::jacobian(ConstVectorRef x, ConstVectorRef w, Eigen::SparseMatrix<double>& J) {
  const Eigen::VectorXd none;
  const std::optional<NotFinite> found = evaluate_jacobian(problem_.F, x, w, none, none, J);
  if (found) not_finite_ = found->message(problem_.F);
  return !found;
}

bool Run::project(ConstVectorRef y, VectorRef x) {
  ProjectionReport report = projector_(y, x);
  // Dykstra's last point is as near as it came, and the certificate knows by how much.
  const bool done = report.ok() || report.status == Status::IterationLimit;
  failed_ = done ? ProjectionReport{} : std::move(report);
  return done;
}

bool Run::keep(ConstVectorRef x, double estimate) {
  estimate_ = estimate;
  ++observed_;
  if (look_ != nullptr && *look_) (*look_)(x);
  if (!(estimate < best_) && best_x_.size() > 0) return false;
  best_ = estimate;
  best_x_ = x;
  if (estimate < 0.9 * progress_) {
    progress_ = estimate;
    progress_at_ = observed_;
  }
  return true;
}

bool Run::observe(ConstVectorRef x, ConstVectorRef w, ConstVectorRef y, double t) {
  const double estimate = std::max(1.0, t / rho()) * (x - y).lpNorm<Eigen::Infinity>() / t;
  keep(x, estimate);
  if (!(estimate <= tolerance_ * measure_.data())) return false;
  const Certificate certificate = measure_.estimate(x, w);
  if (!(certificate.residual <= tolerance_)) return false;
  best_ = 0.0;
  best_x_ = x;
  return true;
}

bool Run::observe(ConstVectorRef x, ConstVectorRef w) {
  const Certificate certificate = measure_.estimate(x, w);
  keep(x, std::isnan(certificate.error) ? infinity : certificate.error);
  if (!(certificate.residual <= tolerance_)) return false;
  best_ = 0.0;
  best_x_ = x;
  return true;
}

Result Run::finish(Status otherwise, std::string_view reason, Index iterations) {
  Result result;
  result.solver = solver_;
  result.iterations = iterations;
  result.x = best_x_.size() > 0 ? best_x_ : (x_.size() == size() ? x_ : Eigen::VectorXd::Zero(size()));
  Eigen::VectorXd w(size());
  const bool finite = evaluate(result.x, w);
  result.w = w;
  if (measure_.report().ok() && finite) result.certificate = measure_.certify(result.x, w);
  if (result.certificate.residual <= tolerance_) {
    result.status = Status::Solved;
    result.reason = "the certificate is at or below the tolerance";
  } else {
    const bool met = otherwise == Status::Solved;  // when it was asked before
    result.status = met ? Status::Stalled : otherwise;
    result.reason = met ? "the certificate was met, and is not where F and P_K are asked again" : reason;
    result.not_finite = not_finite_;
  }
  return result;
}

Result Run::fail(Index iterations) {
  if (failed_.status == Status::Infeasible) {
    Result result = finish(Status::Infeasible, {}, iterations);
    nonsmooth::detail::end_infeasible("K is empty", failed_.proof, result);
    return result;
  }
  if (!failed_.ok()) {
    if (failed_.status == Status::IterationLimit)
      return finish(Status::Stalled, "no point of K was found: the parts may have none in common", iterations);
    return finish(Status::NumericalFailure, "the projection on K failed", iterations);
  }
  return finish(Status::NumericalFailure, "F is not finite where the iteration goes", iterations);
}

}  // namespace nonsmooth::vi::detail
