// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/relay/automatic.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/relay.hpp>

#include "portfolio.hpp"
#include "refinement.hpp"

namespace nonsmooth::relay {
namespace {

constexpr Index active_set_steps = 30;
constexpr double enumeration_limit = 6561.0;  // combinations
constexpr double enumeration_work = 1e9;      // multiply-adds of their factorizations: a second, about

bool is_diagonal(ConstMatrixRef M) {
  for (Index j = 0; j < M.cols(); ++j) {
    for (Index i = 0; i < M.rows(); ++i) {
      if (i != j && M(i, j) != 0.0) return false;
    }
  }
  return true;
}

/// A solution of w = m z + q, -w in N_[lower,upper](z); false if there is none. The least |z| is not looked for.
bool solve_row(double m, double q, double lower, double upper, double& z) {
  const double nearest = detail::clamp(0.0, lower, upper);
  if (m > 0.0) {
    z = detail::clamp(-q / m, lower, upper);
    return true;
  }
  if (m == 0.0) {
    z = q > 0.0 ? lower : (q < 0.0 ? upper : nearest);
    return std::isfinite(z);
  }
  // m < 0: w at a bound has the sign it needs, or w = 0 lies between.
  if (lower > -detail::infinity && m * lower + q >= 0.0) {
    z = lower;
  } else if (upper < detail::infinity && m * upper + q <= 0.0) {
    z = upper;
  } else {
    z = detail::clamp(-q / m, lower, upper);
    return z == -q / m;
  }
  return true;
}

bool closed_form(const View& problem, double tolerance, double time_limit, Result& result) {
  const Index n = problem.q.size();
  result = Result();
  result.solver = "closed form";
  result.z.resize(n);
  bool all = true;
  for (Index i = 0; i < n; ++i) {
    double z = 0.0;
    if (!solve_row(problem.M(i, i), problem.q[i], problem.lower[i], problem.upper[i], z)) {
      all = false;
      z = detail::clamp(0.0, problem.lower[i], problem.upper[i]);
    }
    result.z[i] = z;
  }
  detail::conclude(problem, tolerance, result, Status::Stalled, "a row of the diagonal problem has no solution");
  if (!all && result.status != Status::Solved) detail::prove_infeasible(problem, time_limit, result);
  return all;
}

void run(const View& problem, const Automatic& options, Result& best) {
  const Index n = problem.q.size();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  if (is_diagonal(problem.M)) {
    const bool all = closed_form(problem, options.tolerance, options.time_limit, best);
    if (!all || best.ok()) return;
  }
  const Eigen::VectorXd nowhere;
  Result result;
  detail::active_set(problem, options.tolerance, options.max_iterations > 0 ? options.max_iterations : active_set_steps,
                     deadline.remaining(), nowhere, best);
  if (best.ok() || best.status == Status::TimeLimit) return;
  nonsmooth::detail::Portfolio<Result> portfolio(options, deadline, best);
  const auto done = [&] {
    const bool ends = portfolio.ends(Result(result));
    if (!ends && deadline.passed()) best.status = Status::TimeLimit, best.reason = "time_limit reached";
    return ends || best.status == Status::TimeLimit;
  };
  if (n <= options.lemke_limit) {
    detail::lemke(problem, options.tolerance, options.max_iterations, deadline.remaining(), result);
    if (done()) return;
  }
  detail::semismooth_newton(problem, options.tolerance, options.max_iterations, deadline.remaining(), result);
  if (done()) return;
  const double bases = detail::num_bases(problem);
  const double rows = static_cast<double>(n);
  if (bases <= enumeration_limit && bases * rows * rows * rows / 3.0 <= enumeration_work) {
    // Singular combinations cost a linear program each: they count too.
    detail::enumerate(problem, options.tolerance, options.max_iterations, enumeration_work, deadline.remaining(),
                      result);
    if (!done() && result.status == Status::Stalled) {  // all there is has been tried: nothing else says as much
      best.status = result.status;
      best.reason = result.reason;
      best.solver = result.solver;
    }
  }
}

}  // namespace

void Automatic::validate() const {
  check::positive("relay::Automatic::tolerance", tolerance);
  check::at_least("relay::Automatic::lemke_limit", lemke_limit, 0);
  check::at_least("relay::Automatic::sparse_lemke_limit", sparse_lemke_limit, 0);
  check::at_least("relay::Automatic::max_iterations", max_iterations, 0);
  nonsmooth::detail::check_time_limit("relay::Automatic::time_limit", time_limit);
}

void detail::automatic(const View& problem, double tolerance, Index max_iterations, double time_limit, Result& result) {
  Automatic options;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  options.time_limit = time_limit;
  run(problem, options, result);
}

Result solve(const Problem& problem, const Automatic& options) {
  problem.validate();
  options.validate();
  Result result;
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  run(detail::view(problem), options, result);
  detail::refine(detail::view(problem), options.tolerance, options.max_iterations, deadline, result);
  detail::tell_round_off(detail::view(problem), result);
  return result;
}

Result solve(const SparseProblem& problem, const Automatic& options) {
  problem.validate();
  options.validate();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  const Index n = problem.q.size();
  Lemke lemke{.tolerance = options.tolerance, .time_limit = options.time_limit};
  lemke.max_pivots = options.max_iterations > 0 ? options.max_iterations : 2 * n + 100;
  Result best = solve(problem, lemke);
  nonsmooth::detail::Portfolio<Result> portfolio(options, deadline, best);
  const auto open = [&] {
    if (best.ok() || best.status == Status::Infeasible || best.status == Status::TimeLimit) return false;
    if (deadline.passed()) best.status = Status::TimeLimit, best.reason = "time_limit reached";
    return best.status != Status::TimeLimit;
  };
  if (open()) {
    SemismoothNewton newton{.tolerance = options.tolerance, .time_limit = deadline.remaining()};
    if (options.max_iterations > 0) newton.max_steps = options.max_iterations;
    portfolio.ends(solve(problem, newton));
  }
  if (open() && n <= options.sparse_lemke_limit) {
    lemke.crash_steps = 0;
    lemke.max_pivots = options.max_iterations;
    lemke.time_limit = deadline.remaining();
    portfolio.ends(solve(problem, lemke));
  }
  detail::tell_round_off(problem, best);
  return best;
}

Result solve(const Problem& problem) { return solve(problem, Automatic{}); }
Result solve(const SparseProblem& problem) { return solve(problem, Automatic{}); }

}  // namespace nonsmooth::relay
