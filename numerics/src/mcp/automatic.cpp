// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mcp/automatic.hpp>

#include <algorithm>
#include <utility>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mcp.hpp>

#include "descent.hpp"
#include "linear_step.hpp"
#include "moving_part.hpp"
#include "portfolio.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::mcp {

void Automatic::validate() const {
  check::positive("mcp::Automatic::tolerance", tolerance);
  check::within("mcp::Automatic::dense_limit", dense_limit, 0, NewtonJosephy{}.max_rows);
  check::at_least("mcp::Automatic::max_iterations", max_iterations, 0);
  nonsmooth::detail::check_time_limit("mcp::Automatic::time_limit", time_limit);
}

namespace {

constexpr Index tiny = 10;            // unknowns: others need few steps, so that no try may cost many
constexpr Index few_unknowns = 2000;  // up to here sparse factors cost no more than a multigrid hierarchy
// Dense problems of up to so many unknowns whose F is not monotone yield to one algorithm or another in a few steps,
// and to the rest in many or never: short tries come before the long ones.
constexpr Index few_dense = 60, smooth_steps = 40, josephy_steps = 6;
// Steps of Newton's method on min, which arrives sooner than others or is lost; the same of tiny problems, and of
// theirs on Fischer and Burmeister's function.
constexpr Index quick_steps = 25, tiny_steps = 12, tiny_smooth_steps = 11;

// Rows in other units than the largest may be off by this part of their own terms and more, within the tolerance.
constexpr double rough_rows = 1e-6;
constexpr Index row_finishing_steps = 5;

/// Whether a solution leaves small rows as good as unsolved, which Newton's next steps bring to their digits.
bool leaves_rows(const Result& result) {
  const Certificate& certificate = result.certificate;
  return result.status == Status::Solved && certificate.row_residual > rough_rows &&
         certificate.row_residual > 1e3 * certificate.residual;
}

/// A few steps from a solution, to the residual at which its worst row would be right to rough_rows. The better rows
/// are kept, the solver's name and the tolerance stand.
void finish_rows(const Problem& problem, const Automatic& options, const nonsmooth::detail::Deadline& deadline,
                 Result& result, Index& values, Index& jacobians) {
  using Reformulation = SemismoothNewton::Reformulation;
  for (const Reformulation reformulation : {Reformulation::Minimum, Reformulation::Penalised}) {
    const Certificate& certificate = result.certificate;
    if (!leaves_rows(result) || deadline.passed()) return;
    SemismoothNewton newton{.reformulation = reformulation};
    newton.tolerance = certificate.residual * (rough_rows / certificate.row_residual);
    newton.max_steps =
        options.max_iterations > 0 ? std::min(row_finishing_steps, options.max_iterations) : row_finishing_steps;
    newton.start = result.x;
    newton.time_limit = deadline.remaining();
    Result finer = detail::quick_newton(problem, newton);
    values += finer.values;
    jacobians += finer.jacobians;
    result.iterations += finer.iterations;
    if (!(finer.certificate.residual <= certificate.residual) ||
        !(finer.certificate.row_residual < certificate.row_residual))
      continue;
    result.x = std::move(finer.x);
    result.w = std::move(finer.w);
    result.certificate = finer.certificate;
  }
}

/// What F' at the start tells of a sparse problem.
struct Looks {
  bool cheap = false;  // linear problems cost little
  bool thin = false;   // so do factors
};

Looks looks_at_start(const Problem& problem, const Automatic& options, Index& jacobians) {
  if (!problem.F.is_sparse()) return {};
  const Eigen::VectorXd x = detail::start_of(problem, "mcp::Automatic::start", options.start, false);
  detail::Jacobian jacobian(problem);
  ++jacobians;
  if (jacobian.evaluate(problem, x, x)) return {};
  return {.cheap = detail::has_cheap_linear_problems(problem, jacobian), .thin = detail::is_thin(jacobian)};
}

}  // namespace

Result solve(const Problem& problem, const Automatic& options) {
  problem.validate();
  options.validate();
  if (detail::may_shrink(problem)) return detail::solve_moving_part(problem, options, "mcp::Automatic::start");
  using Reformulation = SemismoothNewton::Reformulation;
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  Result best;
  nonsmooth::detail::Portfolio portfolio(options, deadline, best);
  Index values = 0, jacobians = 0;
  /// True where the search ends: a solution, or no time.
  const auto tried = [&](Result found) {
    values += found.values;
    jacobians += found.jacobians;
    return portfolio.ends(std::move(found)) || portfolio.late();
  };
  const auto ends = [&](auto algorithm, auto steps, const Eigen::VectorXd& start) {
    algorithm.start = start;
    return tried(solve(problem, portfolio.within(std::move(algorithm), steps)));
  };
  const auto briefly = [&](auto algorithm, auto steps, Index most) {
    algorithm.start = options.start;
    return tried(solve(problem, portfolio.briefly(std::move(algorithm), steps, most)));
  };
  const auto newton = [&](Reformulation reformulation) {
    return ends(SemismoothNewton{.reformulation = reformulation}, &SemismoothNewton::max_steps, options.start);
  };
  const auto quick = [&](Reformulation reformulation, Index steps) {
    SemismoothNewton algorithm{.reformulation = reformulation, .check_jacobian = options.check_jacobian};
    algorithm.start = options.start;
    return tried(
        detail::quick_newton(problem, portfolio.briefly(std::move(algorithm), &SemismoothNewton::max_steps, steps)));
  };
  const bool bounded = problem.lower.allFinite() && problem.upper.allFinite();
  const bool dense = problem.size() > tiny && problem.size() <= few_dense && !problem.F.is_sparse();
  const bool pivots = problem.size() <= options.dense_limit;
  const bool small = problem.size() <= few_unknowns || bounded;
  const auto all = [&] {
    Looks looks;
    if (!small) looks = looks_at_start(problem, options, jacobians);
    if (problem.size() <= tiny) {
      if (quick(Reformulation::Minimum, tiny_steps) || quick(Reformulation::FischerBurmeister, tiny_smooth_steps) ||
          quick(Reformulation::Penalised, tiny_smooth_steps))
        return;
      if (pivots && ends(NormalMapNewton{}, &NormalMapNewton::max_steps, options.start)) return;
    } else if (small || looks.thin) {
      if (quick(Reformulation::Minimum, quick_steps)) return;
      if (dense && quick(Reformulation::Penalised, smooth_steps)) return;
      if (small) looks = looks_at_start(problem, options, jacobians);
    }
    if (looks.cheap && ends(NewtonJosephy{.only_m_matrices = true, .check_jacobian = options.check_jacobian},
                            &NewtonJosephy::max_steps, options.start))
      return;
    if (ends(SemismoothNewton{.check_jacobian = options.check_jacobian}, &SemismoothNewton::max_steps, options.start))
      return;
    if (pivots && dense && briefly(NewtonJosephy{}, &NewtonJosephy::max_steps, josephy_steps)) return;
    if (dense && newton(Reformulation::Penalised)) return;
    if (pivots && problem.size() > tiny && ends(NormalMapNewton{}, &NormalMapNewton::max_steps, options.start)) return;
    if (pivots && ends(NewtonJosephy{}, &NewtonJosephy::max_steps, options.start)) return;
    if (ends(ProximalPoint{}, &ProximalPoint::max_steps, Eigen::VectorXd(best.x))) return;
    if (ends(ProximalPoint{}, &ProximalPoint::max_steps, options.start)) return;
    if (ends(InteriorPoint{}, &InteriorPoint::max_steps, options.start)) return;
    if (!dense && newton(Reformulation::Penalised)) return;
    newton(Reformulation::Minimum);
  };
  all();
  finish_rows(problem, options, deadline, best, values, jacobians);
  if (!best.ok() && portfolio.late()) {
    best.status = Status::TimeLimit;
    best.reason = "time_limit reached";
  }
  best.values = values;
  best.jacobians = jacobians;
  nonsmooth::detail::tell_round_off(bounded, best);
  return best;
}

Result solve(const Problem& problem) { return solve(problem, Automatic{}); }

}  // namespace nonsmooth::mcp
