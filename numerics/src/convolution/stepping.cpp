// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/convolution/stepping.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp/workspace.hpp>
#include <nonsmooth/numerics/relay.hpp>

#include "past.hpp"

namespace nonsmooth::convolution {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The problem of a step, w = W_0 p + c within bounds of p, for one W_0 and many c.
class StepSolver {
 public:
  StepSolver(const Weights& weights, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, double tolerance)
      : tolerance_(tolerance),
        complementary_((lower.array() == 0.0).all() && (upper.array() == kInfinity).all()),
        step_{weights.weight(0), Eigen::VectorXd::Zero(weights.size()), weights.h * lower, weights.h * upper} {
    step_.validate();
  }

  /// False where no answer was certified: failure() tells.
  bool solve(const Eigen::VectorXd& c, Eigen::Ref<Eigen::VectorXd> p) {
    if (c.size() == 1 && std::isfinite(c[0])) {  // W_0 > 0
      p[0] = std::clamp(-c[0] / step_.M(0, 0), step_.lower[0], step_.upper[0]);
      return std::isfinite(p[0]) || fail("the impulse of a step overflows");
    }
    if (complementary_ && c.allFinite()) {
      workspace_.solve({step_.M, c}, tolerance_, called_, answer_);
      called_ = true;
      p = answer_.z;
      if (answer_.ok()) return true;
    }
    return general(c, p);
  }

  [[nodiscard]] const relay::Result& failure() const { return failure_; }

 private:
  bool fail(std::string_view reason) {
    failure_.status = Status::NumericalFailure;
    failure_.reason = reason;
    return false;
  }

  bool general(const Eigen::VectorXd& c, Eigen::Ref<Eigen::VectorXd> p) {
    if (!c.allFinite()) return fail("the past of a step is not finite");
    step_.q = c;
    relay::Result found = relay::solve(step_, relay::Automatic{.tolerance = tolerance_});
    p = found.z;
    const bool solved = found.ok() || found.at_round_off;
    if (!solved) failure_ = std::move(found);
    return solved;
  }

  double tolerance_;
  bool complementary_, called_ = false;
  relay::Problem step_;
  relay::Result failure_;
  lcp::Workspace workspace_;
  lcp::Result answer_;
};

Eigen::VectorXd q_at(const Problem& problem, double t, Index m) {
  Eigen::VectorXd value = problem.q(t);
  const std::string argument = "convolution::Problem::q at t = " + check::text(t);
  check::size(argument, value.size(), m, "one a row of the kernel");
  check::finite(argument, ConstVectorRef(value));
  return value;
}

Eigen::VectorXd bound(const char* argument, const Eigen::VectorXd& given, Index m, double otherwise) {
  if (given.size() == 0) return Eigen::VectorXd::Constant(m, otherwise);
  check::size(argument, given.size(), m, "one a row of the kernel");
  return given;
}

/// w must not fall where z grows.
void check_sign(const Examination& found, const Weights& weights) {
  if (found.index > 2.01) {
    throw InvalidArgument("convolution::Problem::kernel", "index " + check::text(found.index),
                          "at most 2: of smoother kernels states would have to jump");
  }
  for (Index i = 0; i < found.size; ++i) {
    const double first = weights.weight(0)(i, i), leading = found.leading(i, i);
    if (first > 0.0 && leading >= 0.0) continue;
    throw InvalidArgument("convolution::Problem::kernel",
                          "the wrong sign: entry (" + std::to_string(i) + ", " + std::to_string(i) + ") is " +
                              check::text(leading) + " near t = 0 and " + check::text(first) + " in the first weight",
                          "positive ones: w must not fall as z grows");
  }
}

struct Choice {
  std::unique_ptr<detail::Past> past;
  double error = 0.0;            // of each weight
  std::string_view reason = {};  // where it is not what was asked for
};

Choice choose(const Problem& problem, const Stepping& options, const Weights& weights, Rule rule) {
  const auto* exponentials = std::get_if<ExponentialKernel>(&problem.kernel);
  switch (options.history) {
    case History::Direct:
      return {.past = detail::direct_past(weights)};
    case History::Compressed: {
      Compression compression = compress(weights, options.compression_tolerance);
      if (!compression.met)
        return {.past = detail::fourier_past(weights),
                .reason = "no sum of decaying exponentials within the tolerance: history by Fourier transforms"};
      const double error = compression.error;
      return {.past = detail::compressed_past(weights, std::move(compression)), .error = error};
    }
    case History::Recursion:
      if (exponentials == nullptr)
        throw InvalidArgument("convolution::Stepping::history", "Recursion for a kernel that is no sum of exponentials",
                              "Fourier, Direct or Compressed");
      break;
    case History::Automatic:
    case History::Fourier:
      break;
  }
  if (exponentials != nullptr && options.history != History::Fourier)
    return {.past = detail::recursive_past(*exponentials, weights.h, rule)};
  return {.past = detail::fourier_past(weights)};
}

/// All steps, until one has no answer or time is up; returns how many.
Index run(StepSolver& solver, detail::Past& past, const Eigen::MatrixXd& q, double time_limit, Result& result) {
  const nonsmooth::detail::Deadline deadline(time_limit);
  Eigen::VectorXd sum(q.rows());
  for (Index n = 0; n < q.cols(); ++n) {
    if (deadline.passed()) {
      result.status = Status::TimeLimit;
      result.reason = "time_limit reached";
      return n;
    }
    past.before(n, result.p, sum);
    sum += q.col(n);
    if (!solver.solve(sum, result.p.col(n))) {
      result.failure = solver.failure();
      result.status = result.failure.status == Status::Infeasible ? Status::Stalled : result.failure.status;
      result.reason = result.failure.status == Status::Infeasible ? "a step has no solution after those before it"
                                                                  : "a step was not solved";
      return n;
    }
    past.known(n, result.p);
  }
  return q.cols();
}

}  // namespace

void Stepping::validate() const {
  check::within("convolution::Stepping::steps", steps, 1, Index{1} << 26);
  check::positive("convolution::Stepping::tolerance", tolerance);
  check::range("convolution::Stepping::compression_tolerance", compression_tolerance, 1e-13, 1.0);
  nonsmooth::detail::check_time_limit("convolution::Stepping::time_limit", time_limit);
}

Result solve(const Problem& problem, const Stepping& options) {
  options.validate();
  if (!problem.q) throw InvalidArgument("convolution::Problem::q", "no callable", "one");
  const Index N = options.steps;
  Result result;
  result.solver = "convolution stepping";
  result.kernel = examine(problem.kernel, problem.horizon);
  result.h = problem.horizon / static_cast<double>(N);
  result.rule = resolve(options.rule, problem.kernel, result.h, N);
  const Index m = result.kernel.size;
  const Weights weights = weights_of(problem.kernel, result.h, N, result.rule);
  check_sign(result.kernel, weights);
  const Eigen::VectorXd lower = bound("convolution::Problem::lower", problem.lower, m, 0.0);
  const Eigen::VectorXd upper = bound("convolution::Problem::upper", problem.upper, m, kInfinity);
  StepSolver solver(weights, lower, upper, options.tolerance);
  result.w0 = q_at(problem, 0.0, m);
  result.q.resize(m, N);
  for (Index n = 0; n < N; ++n) result.q.col(n) = q_at(problem, result.h * static_cast<double>(n + 1), m);

  const Choice choice = choose(problem, options, weights, result.rule);
  result.p = Eigen::MatrixXd::Zero(m, N);
  const Index done = run(solver, *choice.past, result.q, options.time_limit, result);
  result.iterations = done;
  result.q.conservativeResize(Eigen::NoChange, done);
  result.p.conservativeResize(Eigen::NoChange, done);
  result.w.resize(m, done);
  if (done == 0) return result;
  result.certificate = certify(weights, result.q, lower, upper, result.p, result.w);
  result.history = choice.error * static_cast<double>(m) * result.p.cwiseAbs().sum();
  if (done < N) return result;
  const bool met = result.certificate.residual <= options.tolerance;
  result.status = met ? Status::Solved : Status::Stalled;
  result.reason =
      met ? choice.reason : "the residual of all steps is above the tolerance: rounding, or a compressed history";
  if (met && choice.reason.empty()) result.reason = "every step certified";
  return result;
}

}  // namespace nonsmooth::convolution
