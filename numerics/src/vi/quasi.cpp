// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/vi/quasi.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/vi/automatic.hpp>

#include "forward_steps.hpp"
#include "measure.hpp"
#include "numbers.hpp"
#include "portfolio.hpp"
#include "run.hpp"

namespace nonsmooth::vi {
namespace {

using Eigen::VectorXd;

/// One solve: certificates of its iterates and the best of them.
class QuasiRun {
 public:
  QuasiRun(const QuasiProblem& problem, double tolerance, double time_limit, const VectorXd& start,
           const char* argument, std::string_view solver)
      : problem_(problem),
        first_{problem.F, problem.K.at(VectorXd::Zero(problem.K.size()))},
        deadline_(time_limit),
        projector_(first_.K),
        measure_(first_, projector_),
        tolerance_(tolerance) {
    result_.solver = solver;
    if (start.size() > 0) {
      check::size(argument, start.size(), problem.K.size(), "one a row of K, or none");
      check::finite(argument, ConstVectorRef(start));
    }
    x_.setZero(problem.K.size());
    if (start.size() > 0)
      x_ = start;
    else if (measure_.report().ok())
      x_ = measure_.x_0();
    w_.resize(x_.size());
    if (const std::optional<NotFinite> found = evaluate(problem.F, x_, w_))
      throw InvalidArgument(start.size() > 0 ? argument : "vi::QuasiProblem::F", found->message(problem.F),
                            "a point at which F is finite");
    result_.x = x_;
    result_.w = w_;
  }

  [[nodiscard]] const VectorXd& start() const noexcept { return x_; }
  [[nodiscard]] double rho() const noexcept { return measure_.rho(); }
  [[nodiscard]] double time_left() const { return deadline_.remaining(); }
  [[nodiscard]] const NonlinearMap& F() const noexcept { return problem_.F; }

  /// True where x is so far out that squares of it are no numbers, and K(x) may be none: the solve ends there.
  [[nodiscard]] bool is_lost(const VectorXd& x) {
    constexpr double largest = 1e150;
    if (x.lpNorm<Eigen::Infinity>() <= largest) return false;
    return end(Status::Stalled, "the iterates grow without bound");
  }
  /// Looks at x with w = F(x) and K = K(x). True where the solve ends, of which end() is the result then.
  [[nodiscard]] bool ends(const VectorXd& x, const VectorXd& w, const ConvexSet& K, Index iterations, Index most) {
    result_.iterations = iterations;
    Certificate certificate;
    if (measure_.report().ok()) {
      Projector project(K);
      certificate = measure_.certify(x, w, project);
    }
    const double before = result_.certificate.error;
    if (certificate.error < before || std::isnan(before)) {
      result_.x = x;
      result_.w = w;
      result_.certificate = certificate;
    }
    if (certificate.error < 0.9 * progress_) {
      progress_ = certificate.error;
      progress_at_ = iterations;
    }
    if (certificate.residual <= tolerance_) return end(Status::Solved, "the certificate is at or below the tolerance");
    if (!measure_.report().ok()) return end(Status::Stalled, "K(0) has no point to measure from");
    if (deadline_.passed()) return end(Status::TimeLimit, "time_limit reached");
    if (iterations == most) return end(Status::IterationLimit, "max_iterations reached");
    if (iterations - progress_at_ >= std::min<Index>(detail::stall_window, std::max<Index>(most / 5, 20)))
      return end(Status::Stalled, detail::stalled_reason);
    return false;
  }
  bool end(Status status, std::string_view reason) {
    if (status == Status::Solved) result_.not_finite.clear();
    result_.status = status;
    result_.reason = reason;
    return true;
  }
  /// Where F was not finite on the way, for a result that is not Solved.
  void note(std::string not_finite) { result_.not_finite = std::move(not_finite); }
  bool fail(const NotFinite& found) {
    note(found.message(problem_.F));
    return end(Status::NumericalFailure, "F is not finite where the iteration goes");
  }
  [[nodiscard]] Result result() { return std::move(result_); }

 private:
  using Projector = detail::Projector;

  const QuasiProblem& problem_;
  Problem first_;  // on K(0)
  nonsmooth::detail::Deadline deadline_;
  Projector projector_;
  detail::Measure measure_;
  double tolerance_;
  double progress_ = detail::infinity;
  Index progress_at_ = 0;
  VectorXd x_, w_;
  Result result_;
};

/// y = P_K(x - t w) and F(y) with a t that the rule accepts; false where there is none.
bool predict(QuasiRun& run, const QuasiProjection& options, const ConvexSet& K, const VectorXd& x, const VectorXd& w,
             double& t, VectorXd& y, VectorXd& w_y) {
  detail::Projector project(K);
  for (int tries = 0; tries < 200 && t > 0.0; ++tries) {
    const Status status = project(x - t * w, y).status;
    if (status != Status::Solved && status != Status::IterationLimit)
      return !run.end(Status::Stalled, "K(x) has no point, or none was found");
    const std::optional<NotFinite> found = evaluate(run.F(), y, w_y);
    if (found) run.note(found->message(run.F()));
    const double moved = detail::norm_of(x - y);
    const double ratio = found ? 2.0 : t * detail::norm_of(w - w_y) / std::max(moved, 8.0 * eps * detail::norm_of(x));
    if (ratio <= options.acceptance || std::isnan(ratio)) {
      if (ratio < options.growth && ratio > 0.0) t /= options.reduction;
      return true;
    }
    if (found && tries == 199) return !run.fail(*found);
    t *= options.reduction * std::min(1.0, options.acceptance / ratio);
  }
  return !run.end(Status::Stalled, "no step is short enough for how F varies there");
}

/// F where a solver on K begins and measures from: at P_K(x) and P_K(0), as far as these are found.
std::optional<NotFinite> look_ahead(const NonlinearMap& F, const ConvexSet& K, const VectorXd& x) {
  detail::Projector project(K);
  VectorXd y(x.size()), w(x.size());
  for (const VectorXd& from : {VectorXd(VectorXd::Zero(x.size())), x}) {
    const Status status = project(from, y).status;
    if (status != Status::Solved && status != Status::IterationLimit) continue;
    if (std::optional<NotFinite> found = evaluate(F, y, w)) return found;
  }
  return std::nullopt;
}

void check_relaxation(const char* argument, double relaxation) {
  if (!(relaxation > 0.0 && relaxation <= 1.0))
    throw InvalidArgument(argument, check::text(relaxation), "a number in (0, 1]");
}

}  // namespace

void QuasiProblem::validate() const {
  F.validate();
  if (K.size() < 1) throw InvalidArgument("vi::QuasiProblem::K", "no rows", "at least one");
  check::size("vi::QuasiProblem::F: num_unknowns", F.num_unknowns, K.size(), "one a row of K");
  check::size("vi::QuasiProblem::F: num_values", F.num_values, K.size(), "one a row of K");
}

Certificate certify(const QuasiProblem& problem, ConstVectorRef x, VectorRef w) {
  problem.validate();
  check::size("vi::certify: x", x.size(), problem.K.size(), "one a row of K");
  check::size("vi::certify: w", w.size(), problem.K.size(), "one a row of K");
  const Problem first{problem.F, problem.K.at(VectorXd::Zero(problem.K.size()))};
  detail::Projector project(first.K);
  const detail::Measure measure(first, project);
  if (evaluate(problem.F, x, w) || !measure.report().ok()) return {};
  const ConvexSet K = problem.K.at(x);
  detail::Projector on_K(K);
  return measure.certify(x, w, on_K);
}

void QuasiFixedPoint::validate() const {
  check::positive("vi::QuasiFixedPoint::tolerance", tolerance);
  check_relaxation("vi::QuasiFixedPoint::relaxation", relaxation);
  check::at_least("vi::QuasiFixedPoint::max_iterations", max_iterations, 1);
  nonsmooth::detail::check_time_limit("vi::QuasiFixedPoint::time_limit", time_limit);
  check::finite("vi::QuasiFixedPoint::start", ConstVectorRef(start));
}

void QuasiProjection::validate() const {
  check::positive("vi::QuasiProjection::tolerance", tolerance);
  if (step != 0.0) check::positive("vi::QuasiProjection::step", step);
  detail::check_open("vi::QuasiProjection::acceptance", acceptance, 1.0);
  detail::check_open("vi::QuasiProjection::growth", growth, acceptance);
  detail::check_open("vi::QuasiProjection::reduction", reduction, 1.0);
  check_relaxation("vi::QuasiProjection::relaxation", relaxation);
  check::at_least("vi::QuasiProjection::max_iterations", max_iterations, 1);
  nonsmooth::detail::check_time_limit("vi::QuasiProjection::time_limit", time_limit);
  check::finite("vi::QuasiProjection::start", ConstVectorRef(start));
}

Result solve(const QuasiProblem& problem, const QuasiFixedPoint& options) {
  problem.validate();
  options.validate();
  QuasiRun run(problem, options.tolerance, options.time_limit, options.start, "vi::QuasiFixedPoint::start",
               "quasi fixed point");
  VectorXd x = run.start(), w(x.size());
  for (Index k = 0;; ++k) {
    if (run.is_lost(x)) return run.result();
    const ConvexSet K = problem.K.at(x);
    if (const std::optional<NotFinite> found = evaluate(problem.F, x, w)) {
      run.fail(*found);
      return run.result();
    }
    if (run.ends(x, w, K, k, options.max_iterations)) return run.result();
    if (const std::optional<NotFinite> found = look_ahead(problem.F, K, x)) {
      run.fail(*found);
      return run.result();
    }
    Automatic inner;
    inner.tolerance = 0.1 * options.tolerance;
    inner.time_limit = run.time_left();
    inner.start = x;
    const Result step = solve(Problem{problem.F, K}, inner);
    if (!step.not_finite.empty()) run.note(step.not_finite);
    if (!(step.certificate.residual <= 1e-6)) {
      run.end(step.status == Status::TimeLimit ? step.status : Status::Stalled,
              "the variational inequality on K(x) has not been solved");
      return run.result();
    }
    x += options.relaxation * (step.x - x);
  }
}

Result solve(const QuasiProblem& problem, const QuasiProjection& options) {
  problem.validate();
  options.validate();
  QuasiRun run(problem, options.tolerance, options.time_limit, options.start, "vi::QuasiProjection::start",
               "quasi projection");
  double t = options.step > 0.0 ? options.step : run.rho();
  VectorXd x = run.start(), w(x.size()), y(x.size()), w_y(x.size());
  static_cast<void>(evaluate(problem.F, x, w));  // finite: the run has begun there
  for (Index k = 0;; ++k) {
    if (run.is_lost(x)) return run.result();
    const ConvexSet K = problem.K.at(x);
    if (run.ends(x, w, K, k, options.max_iterations)) return run.result();
    if (!predict(run, options, K, x, w, t, y, w_y)) return run.result();
    x += options.relaxation * (y - x);
    if (options.relaxation == 1.0) {
      w = w_y;
    } else if (const std::optional<NotFinite> found = evaluate(problem.F, x, w)) {
      run.fail(*found);
      return run.result();
    }
  }
}

void QuasiAutomatic::validate() const {
  check::positive("vi::QuasiAutomatic::tolerance", tolerance);
  check::at_least("vi::QuasiAutomatic::max_iterations", max_iterations, 0);
  nonsmooth::detail::check_time_limit("vi::QuasiAutomatic::time_limit", time_limit);
  check::finite("vi::QuasiAutomatic::start", ConstVectorRef(start));
}

Result solve(const QuasiProblem& problem, const QuasiAutomatic& options) {
  problem.validate();
  options.validate();
  if (options.start.size() > 0)
    check::size("vi::QuasiAutomatic::start", options.start.size(), problem.K.size(), "one a row of K, or none");
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  Result best;
  nonsmooth::detail::Portfolio<Result> portfolio(options, deadline, best);
  QuasiProjection first;
  first.start = options.start;
  if (portfolio.ends(solve(problem, portfolio.within(first, &QuasiProjection::max_iterations))) || portfolio.late() ||
      best.status == Status::NumericalFailure)
    return best;
  QuasiFixedPoint second;
  second.start = best.x;
  static_cast<void>(portfolio.ends(solve(problem, portfolio.within(second, &QuasiFixedPoint::max_iterations))));
  return best;
}

Result solve(const QuasiProblem& problem) { return solve(problem, QuasiAutomatic{}); }

}  // namespace nonsmooth::vi
