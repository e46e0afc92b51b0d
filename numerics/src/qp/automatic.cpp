// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/qp/automatic.hpp>

#include <cmath>
#include <utility>

#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/qp.hpp>

#include "internal.hpp"
#include "portfolio.hpp"

namespace nonsmooth::qp {
namespace {

// Unknowns up to which active sets are tried first: of planted programs of 400 to 2000 they take half of the time of
// interior points, of 1500 with Q of half rank or 0 four fifths; of linear ones of 400 to 1000 a fifth more.
constexpr Index small = 2000;
// Sparse programs of more are not made dense where nothing else has an answer.
constexpr Index dense_unknowns = 400, dense_rows = 1000;
// Up to these a dense copy costs less than the first sparse factors.
constexpr Index tiny_unknowns = 50, tiny_rows = 100;

using nonsmooth::detail::Deadline;
using nonsmooth::detail::Portfolio;

/// Of a problem that has been validated, whose convexity is not looked at once more; from `start` if that has run.
Result by_active_set(const Problem& problem, const DualActiveSet& options, const Result& start = {}) {
  Result found;
  if (start.status != Status::NotRun) {
    found.x = start.x;
    found.y = start.y;
    found.s = start.s;
  }
  DualActiveSetWorkspace().solve(problem, options, false, found);
  return found;
}

void run(const Problem& problem, const Automatic& options, const Deadline& deadline, Result& result) {
  Portfolio<Result> portfolio(options, deadline, result);
  const auto active_set = [&] {
    return portfolio.ends(by_active_set(problem, portfolio.within(DualActiveSet{}, &DualActiveSet::max_steps), result));
  };
  const auto interior = [&] {
    return portfolio.ends(solve(problem, portfolio.within(InteriorPoint{}, &InteriorPoint::max_steps)));
  };
  if (problem.num_unknowns() <= small) {
    if (active_set() || portfolio.late() || interior() || portfolio.late()) return;
  } else if (interior() || portfolio.late()) {
    return;
  }
  active_set();
}

void run(const SparseProblem& problem, const Automatic& options, const Deadline& deadline, Result& result) {
  Portfolio<Result> portfolio(options, deadline, result);
  const auto active_set = [&] {
    const Problem dense{.Q = Eigen::MatrixXd(problem.Q),
                        .c = problem.c,
                        .A = Eigen::MatrixXd(problem.A),
                        .row_lower = problem.row_lower,
                        .row_upper = problem.row_upper,
                        .lower = problem.lower,
                        .upper = problem.upper};
    return portfolio.ends(by_active_set(dense, portfolio.within(DualActiveSet{}, &DualActiveSet::max_steps)));
  };
  const bool tiny = problem.num_unknowns() <= tiny_unknowns && problem.num_rows() <= tiny_rows;
  if (tiny && (active_set() || portfolio.late())) return;
  if (portfolio.ends(solve(problem, portfolio.within(InteriorPoint{}, &InteriorPoint::max_steps)))) return;
  if (portfolio.late() || portfolio.ends(solve(problem, portfolio.within(Admm{}, &Admm::max_iterations)))) return;
  if (tiny || portfolio.late() || problem.num_unknowns() > dense_unknowns || problem.num_rows() > dense_rows) return;
  static_cast<void>(active_set());
}

/// A slope below the tolerance of the others is one all the same where it falls forever along its own unknown, to be
/// proven: beyond 64 eps |c|_inf, what rounding leaves of 0.
template <class P>
void look_along_unknowns(const P& problem, Result& result) {
  if (result.status != Status::Solved) return;
  const double largest = problem.c.cwiseAbs().maxCoeff();
  for (Index j = 0; j < problem.num_unknowns(); ++j) {
    const double cost = problem.c[j];
    const bool is_open = cost > 0.0 ? detail::lower(problem, j) == -detail::infinity
                                    : cost < 0.0 && detail::upper(problem, j) == detail::infinity;
    if (!is_open || cost * result.s[j] <= 0.0 || std::abs(cost) <= 64.0 * eps * largest) continue;
    if (problem.Q.coeff(j, j) > 0.0) continue;
    Eigen::VectorXd direction = Eigen::VectorXd::Zero(problem.num_unknowns());
    direction[j] = cost > 0.0 ? -1.0 : 1.0;
    if (!proves_unbounded(problem, direction)) continue;
    detail::end_unbounded(std::move(direction), result);
    return;
  }
}

template <class P>
Result solve_any(const P& problem, const Automatic& options) {
  options.validate();
  const Deadline deadline(options.time_limit);
  problem.validate();
  Result result;
  run(problem, options, deadline, result);
  nonsmooth::detail::call_solved(result);
  look_along_unknowns(problem, result);
  return result;
}

}  // namespace

void Automatic::validate() const {
  check::positive("qp::Automatic::tolerance", tolerance);
  check::at_least("qp::Automatic::max_iterations", max_iterations, 0);
  nonsmooth::detail::check_time_limit("qp::Automatic::time_limit", time_limit);
}

Result solve(const Problem& problem, const Automatic& options) { return solve_any(problem, options); }
Result solve(const SparseProblem& problem, const Automatic& options) { return solve_any(problem, options); }
Result solve(const Problem& problem) { return solve(problem, Automatic{}); }
Result solve(const SparseProblem& problem) { return solve(problem, Automatic{}); }

}  // namespace nonsmooth::qp
