// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mpcc/nonlinear.hpp>

#include "checked_jacobian.hpp"
#include "end_infeasible.hpp"
#include "qp/internal.hpp"
#include "sequence.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::mpcc {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

constexpr Index most_quasi_unknowns = 300;  // whose dense updates cost less than the programs
constexpr Index most_corrected = 5;         // pieces tried at the end of the relaxation
constexpr double falls = 1e-7;              // as is_bouligand_stationary() has it

/// The pieces that the end of the relaxation is near, until one has an answer.
bool find_piece(detail::Sequence& sequence, const NonlinearResult& result) {
  std::optional<detail::Sides> before;
  for (Index count = 0; count < most_corrected; ++count) {
    detail::Sides sides = detail::smaller_sides(detail::pairs_at(sequence.linear(), sequence.now().x));
    if (before && sides == *before) return false;
    if (sequence.on_piece(sides)) return true;
    if (result.status != Status::NotRun) return false;
    before = std::move(sides);
  }
  return false;
}

/// From an answer on one piece to better ones at it.
void descend(detail::Sequence& sequence, const NonlinearRelaxation& options,
             const nonsmooth::detail::Deadline& deadline, NonlinearResult& result) {
  while (result.stationarity < Stationarity::Strong) {
    const SparseProblem linear = sequence.linear();
    const detail::Falling falling = detail::find_falling(linear, result.x, result.biactive, falls, deadline);
    if (falling.sides.empty()) {
      if (falling.sure) result.stationarity = Stationarity::Bouligand;
      return;
    }
    NonlinearResult best = result;
    const double value = sequence.now().f;
    const double least = 10.0 * options.tolerance * linear.c.cwiseAbs().dot(detail::sizes_at(linear, result.x));
    if (sequence.on_piece(falling.sides) && sequence.now().f < value - least) continue;
    best.iterations = result.iterations;
    if (result.status != Status::NotRun) {
      best.status = result.status;
      best.reason = result.reason;
      best.not_finite = result.not_finite;
    }
    result = std::move(best);
    return;
  }
}

/// From a start of the user's no farther than it is.
double first_t_of(const detail::Sequence& sequence, bool given) {
  if (!given) return detail::first_t;
  const detail::Pairs pairs = detail::pairs_at(sequence.linear(), sequence.now().x);
  double t = 0.0;
  for (Index i = 0; i < pairs.a.size(); ++i) {
    const double terms = pairs.a_terms[i] * pairs.b_terms[i];
    if (terms > 0.0) t = std::max(t, pairs.a[i] * pairs.b[i] / terms);
  }
  return std::min(detail::first_t, t);
}

void conclude(double tolerance, NonlinearResult& result) {
  if (result.status == Status::NumericalFailure) {
    result.stationarity = Stationarity::None;
    return;
  }
  const bool met = result.certificate.residual <= tolerance, strong = result.stationarity >= Stationarity::Clarke;
  if (met && strong) {
    result.status = Status::Solved;
    result.reason = "the tolerance is met";
    result.not_finite.clear();
    return;
  }
  if (result.status == Status::NotRun) result.status = Status::Stalled;
  if (strong) nonsmooth::detail::note_round_off(false, result);
  if (result.reason.empty() && !result.not_finite.empty())
    result.reason = "callables are not finite along the last step, however short";
  if (result.reason.empty())
    result.reason = met ? "multipliers of both signs on pairs with both sides 0, and no better piece was solved"
                        : "no step makes the value and the violations smaller";
  if (!met && !result.at_round_off) result.stationarity = Stationarity::None;
}

NonlinearResult born(const NonlinearProblem& problem) {
  NonlinearResult result;
  result.solver = "relaxation";
  result.x.setZero(problem.num_unknowns());
  result.y.setZero(problem.num_rows());
  result.u.setZero(problem.num_pairs());
  result.v = result.u;
  result.s = result.x;
  return result;
}

/// Of each map at x. @throws InvalidArgument.
void check_jacobians(const NonlinearProblem& problem, const Eigen::VectorXd& x) {
  const auto check = [&](const char* field, const NonlinearMap& map) {
    if (map.num_values == 0) return;
    nonsmooth::detail::check_jacobian(std::string("mpcc::NonlinearProblem::") + field, map, x, problem.lower,
                                      problem.upper);
  };
  check("f", problem.f);
  check("c", problem.c);
  check("G", problem.G);
  check("H", problem.H);
}

/// `given`: the start is the user's.
void run(const NonlinearProblem& problem, const NonlinearRelaxation& options,
         const nonsmooth::detail::Deadline& deadline, bool given, NonlinearResult& result) {
  Eigen::VectorXd x = options.start.size() > 0 ? options.start : Eigen::VectorXd::Zero(problem.num_unknowns());
  for (Index j = 0; j < x.size(); ++j)
    x[j] = qp::detail::clamp(x[j], qp::detail::lower(problem, j), qp::detail::upper(problem, j));
  if (options.check_jacobian) check_jacobians(problem, x);
  detail::Sequence sequence(problem, options, deadline, result);
  sequence.begin(x);
  if (problem.num_pairs() > 0) {
    for (double t = first_t_of(sequence, given); t >= detail::last_t && result.status == Status::NotRun;
         t *= detail::shrink)
      sequence.relax(t);
  }
  if (result.status == Status::NotRun && find_piece(sequence, result)) descend(sequence, options, deadline, result);
  result.values = sequence.values();
  conclude(options.tolerance, result);
}

/// b + M x with Jacobian M.
NonlinearMap affine(const Sparse& M, const Eigen::VectorXd& b, std::string name) {
  if (b.size() == 0) return {};
  return {.num_unknowns = M.cols(),
          .num_values = M.rows(),
          .value = [&M, &b](ConstVectorRef x, VectorRef f) { f = b + M * x; },
          .jacobian = [&M](ConstVectorRef, Sparse& J) { J = M; },
          .name = std::move(name)};
}

/// The nearest x to the start with rows and sides >= 0; false where a proof ends the result, or a limit.
bool nearest(const SparseProblem& problem, const NonlinearRelaxation& options,
             const nonsmooth::detail::Deadline& deadline, Eigen::VectorXd& x, NonlinearResult& result) {
  const Index n = problem.num_unknowns();
  qp::SparseProblem program =
      detail::program_of(problem, detail::Sides(static_cast<std::size_t>(problem.num_pairs()), detail::Side::Both));
  program.Q.setIdentity();
  program.c = options.start.size() > 0 ? Eigen::VectorXd(-options.start) : Eigen::VectorXd::Zero(n);
  const qp::Result found =
      qp::solve(program, qp::Automatic{.tolerance = options.tolerance, .time_limit = deadline.remaining()});
  ++result.iterations;
  if (found.status == Status::Infeasible && !found.unbounded() && proves_infeasible(problem, found.proof)) {
    nonsmooth::detail::end_infeasible("no x satisfies the rows and the sides, complementary or not", found.proof,
                                      result);
    return false;
  }
  if (found.x.size() == n && found.x.allFinite()) x = found.x;
  return true;
}

}  // namespace

void NonlinearRelaxation::validate() const {
  check::positive("mpcc::NonlinearRelaxation::tolerance", tolerance);
  check::at_least("mpcc::NonlinearRelaxation::max_steps", max_steps, 1);
  check::finite("mpcc::NonlinearRelaxation::start", ConstVectorRef(start));
  nonsmooth::detail::check_time_limit("mpcc::NonlinearRelaxation::time_limit", time_limit);
}

NonlinearResult solve(const NonlinearProblem& problem, const NonlinearRelaxation& options) {
  options.validate();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  problem.validate();
  const Index n = problem.num_unknowns();
  if (options.start.size() > 0)
    check::size("mpcc::NonlinearRelaxation::start", options.start.size(), n, "one an unknown");
  if (!problem.hessian && n > most_quasi_unknowns)
    throw InvalidArgument("mpcc::NonlinearProblem::hessian", "none, and " + std::to_string(n) + " unknowns",
                          "a Hessian above " + std::to_string(most_quasi_unknowns) + " unknowns");
  NonlinearResult result = born(problem);
  run(problem, options, deadline, options.start.size() > 0, result);
  return result;
}

NonlinearResult solve(const SparseProblem& problem, const NonlinearRelaxation& options) {
  options.validate();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  problem.validate();
  const Index n = problem.num_unknowns();
  if (options.start.size() > 0)
    check::size("mpcc::NonlinearRelaxation::start", options.start.size(), n, "one an unknown");
  const Eigen::VectorXd no_offset = Eigen::VectorXd::Zero(problem.num_rows());
  const NonlinearProblem callables{
      .f = {.num_unknowns = n,
            .num_values = 1,
            .value = [&](ConstVectorRef x, VectorRef f) { f[0] = 0.5 * x.dot(problem.Q * x) + problem.c.dot(x); },
            .jacobian =
                [&](ConstVectorRef x, Sparse& J) {
                  const Eigen::VectorXd slope = problem.Q * x + problem.c;
                  J = Eigen::MatrixXd(slope.transpose()).sparseView();
                },
            .name = "f"},
      .c = affine(problem.A, no_offset, "A x"),
      .row_lower = problem.row_lower,
      .row_upper = problem.row_upper,
      .lower = problem.lower,
      .upper = problem.upper,
      .G = affine(problem.G, problem.g, "G x + g"),
      .H = affine(problem.H, problem.h, "H x + h"),
      .hessian = [&](ConstVectorRef, ConstVectorRef, ConstVectorRef, ConstVectorRef, Sparse& L) { L = problem.Q; }};
  NonlinearResult result = born(callables);
  NonlinearRelaxation own = options;
  own.start.setZero(n);
  own.check_jacobian = false;  // of callables of our own
  if (!nearest(problem, options, deadline, own.start, result)) return result;
  run(callables, own, deadline, options.start.size() > 0, result);
  return result;
}

}  // namespace nonsmooth::mpcc
