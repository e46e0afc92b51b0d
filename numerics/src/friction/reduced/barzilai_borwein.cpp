// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/barzilai_borwein.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <internal/check.hpp>

#include "projection_method.hpp"

namespace nonsmooth::friction {
namespace {

/// The last values 1/2 r·W r + q·r, which leave out the friction term, and their r.
class History {
 public:
  History(Index n, Index memory) : r_(n, memory), value_(memory) {}
  void add(const Eigen::VectorXd& r, double value) {
    r_.col(count_ % r_.cols()) = r;
    value_[count_ % r_.cols()] = value;
    ++count_;
  }
  /// The largest of them, each with s·r of its own r for the present s.
  [[nodiscard]] double largest(const Eigen::VectorXd& s) const {
    double result = -std::numeric_limits<double>::infinity();
    for (Index k = 0; k < std::min(count_, r_.cols()); ++k) result = std::max(result, value_[k] + s.dot(r_.col(k)));
    return result;
  }

 private:
  Eigen::MatrixXd r_;
  Eigen::VectorXd value_;
  Index count_ = 0;
};

void run_barzilai_borwein(const Problem& problem, const BarzilaiBorwein& options, mixed::Result& result) {
  constexpr double shortest = 1e-8, longest = 1e8;  // of t
  internal::Monitor monitor(problem, options.tolerance, options.measure, options.time_limit, result);
  const Eigen::VectorXd& rho = monitor.rho();
  const Index n = problem.W.rows();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd r = result.r, u(n), v, v_before(n), y(n), d(n), Wd(n), s(n);
  History history(n, options.memory);
  problem.W.multiply_add(r, problem.q, u);
  if (monitor.observe(r, u)) return monitor.finish(Status::Stalled, "");
  internal::modify_velocity(problem.K, u, v);
  double t = 1.0;
  while (result.iterations < options.max_iterations) {
    s = v - u;
    const double value = 0.5 * r.dot(u + problem.q);
    history.add(r, value);
    d = r - t * rho.cwiseProduct(v);
    internal::project(problem.K, d);
    d -= r;
    problem.W.multiply_add(d, zero, Wd);
    const double slope = v.dot(d), curvature = d.dot(Wd);
    double lambda = 1.0;
    if (value + s.dot(r) + slope + 0.5 * curvature > history.largest(s) + options.descent * slope && curvature > 0.0)
      lambda = std::clamp(-slope / curvature, 1e-3, 1.0);
    r += lambda * d;
    // Sums of increments drift, so that u is taken anew now and then.
    if (result.iterations % 64 == 63)
      problem.W.multiply_add(r, problem.q, u);
    else
      u += lambda * Wd;
    v_before.swap(v);
    internal::modify_velocity(problem.K, u, v);
    ++result.iterations;
    if (internal::Monitor::due(result.iterations) && monitor.observe(r, u)) break;
    y = v - v_before;
    const double s_s = lambda * lambda * std::pow(internal::reaction_norm(d, rho), 2), s_y = lambda * d.dot(y);
    const double y_y = std::pow(internal::velocity_norm(y, rho), 2);
    if (s_y > 0.0)
      t = std::clamp(result.iterations % 2 == 0 ? s_s / s_y : s_y / y_y, shortest, longest);
    else
      t = std::min(2.0 * t, longest);
  }
  monitor.finish(Status::IterationLimit, "max_iterations reached");
}

}  // namespace

void BarzilaiBorwein::validate() const {
  check::positive("friction::BarzilaiBorwein::tolerance", tolerance);
  check::within("friction::BarzilaiBorwein::memory", memory, 1, check::most_iterates);
  if (!(descent > 0.0 && descent < 0.5))
    throw InvalidArgument("friction::BarzilaiBorwein::descent", std::to_string(descent), "a number in (0, 0.5)");
  check::at_least("friction::BarzilaiBorwein::max_iterations", max_iterations, 1);
  detail::check_time_limit("friction::BarzilaiBorwein::time_limit", time_limit);
}

Result solve(const Problem& problem, const BarzilaiBorwein& options) {
  return internal::solve_by(problem, options, "barzilai-borwein", "friction::BarzilaiBorwein::start", true,
                            run_barzilai_borwein);
}

}  // namespace nonsmooth::friction
