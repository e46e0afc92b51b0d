// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/nesterov.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <internal/check.hpp>

#include "projection_method.hpp"

namespace nonsmooth::friction {
namespace {

void descend(const Problem& problem, const Nesterov& options, mixed::Result& result) {
  internal::Monitor monitor(problem, options.tolerance, options.measure, options.time_limit, result);
  const Eigen::VectorXd& rho = monitor.rho();
  const Index n = problem.W.rows();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd r = result.r, u(n), y, y_u, v, next, d(n), Wd(n);
  problem.W.multiply_add(r, problem.q, u);
  if (monitor.observe(r, u)) return monitor.finish(Status::Stalled, "");
  y = r, y_u = u;
  // Along null vectors of W nothing holds L up, and a step of any length would pass; the lagged term makes momentum run
  // away there without turning against the gradient.
  constexpr double share = 0.3, runaway = 1.3;
  double L = options.curvature, theta = 1.0, highest = L;
  const double largest = 1e15 * options.curvature;
  while (result.iterations < options.max_iterations) {
    internal::modify_velocity(problem.K, y_u, v);
    while (true) {
      next = y - rho.cwiseProduct(v) / L;
      internal::project(problem.K, next);
      d = next - y;
      problem.W.multiply_add(d, zero, Wd);
      const double square = std::pow(internal::reaction_norm(d, rho), 2), curvature = d.dot(Wd);
      if (curvature <= L * square || square == 0.0) break;
      if (!std::isfinite(curvature)) return monitor.finish(Status::NumericalFailure, "numbers overflow");
      L = std::clamp(curvature / square, 1.2 * L, 4.0 * L);
      if (!(L < largest)) return monitor.finish(Status::Stalled, "no step, however short, descends");
    }
    // u of the new iterate from that of y: sums of increments drift, so that it is taken anew now and then.
    d = next - r;
    const bool turn = options.restart && (v.dot(d) > 0.0 || monitor.last() > runaway * monitor.best());
    if (result.iterations % 64 == 63)
      problem.W.multiply_add(next, problem.q, y_u);
    else
      y_u += Wd;
    ++result.iterations;
    const double square = theta * theta, theta_next = 0.5 * (std::sqrt(square * square + 4.0 * square) - square);
    const double beta = turn ? 0.0 : theta * (1.0 - theta) / (square + theta_next);
    theta = turn ? 1.0 : theta_next;
    v = y_u - u;  // scratch: the change of u
    u = y_u;
    r.swap(next);
    if (internal::Monitor::due(result.iterations) && monitor.observe(r, u)) break;
    y = r + beta * d;
    y_u += beta * v;
    highest = turn ? L : std::max(highest, L);
    L = std::max(options.decay * L, share * highest);
  }
  monitor.finish(Status::IterationLimit, "max_iterations reached");
}

/// The convex relaxation; what it is worth as an answer to the friction problem is the caller's certificate to say.
void relax(const Problem& problem, const Nesterov& options, mixed::Result& result) {
  const Problem relaxed = internal::relaxation_of(problem);
  Nesterov own = options;
  own.measure = Measure::Certificate;  // the relaxed cones are no friction blocks
  descend(relaxed, own, result);
  const bool solved = result.ok();
  const Status status = result.status;
  const std::string_view reason = result.reason;
  internal::Monitor monitor(problem, options.tolerance, options.measure, options.time_limit, result);
  monitor.finish(solved ? Status::Stalled : status,
                 solved ? "the convex relaxation is solved; its answer slides, and dilates" : reason);
}

void run_nesterov(const Problem& problem, const Nesterov& options, mixed::Result& result) {
  options.cone_complementarity ? relax(problem, options, result) : descend(problem, options, result);
}

}  // namespace

void Nesterov::validate() const {
  check::positive("friction::Nesterov::tolerance", tolerance);
  check::positive("friction::Nesterov::curvature", curvature);
  if (!(decay > 0.0 && decay <= 1.0))
    throw InvalidArgument("friction::Nesterov::decay", std::to_string(decay), "a number in (0, 1]");
  check::at_least("friction::Nesterov::max_iterations", max_iterations, 1);
  detail::check_time_limit("friction::Nesterov::time_limit", time_limit);
}

Result solve(const Problem& problem, const Nesterov& options) {
  return internal::solve_by(problem, options,
                            options.cone_complementarity ? "nesterov on the convex relaxation" : "nesterov",
                            "friction::Nesterov::start", !options.cone_complementarity, run_nesterov);
}

}  // namespace nonsmooth::friction
