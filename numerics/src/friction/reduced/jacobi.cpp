// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/jacobi.hpp>

#include <algorithm>
#include <vector>

#include <internal/check.hpp>

#include "mixed/block_sweeps.hpp"
#include "projection_method.hpp"

namespace nonsmooth::friction {
namespace {

/// The blocks on W's diagonal alone: a sweep over this problem solves each block on its own.
Problem diagonal_of(const Problem& problem) {
  Problem diagonal;
  diagonal.K = problem.K;
  diagonal.q = problem.q;
  const Index blocks = problem.W.num_block_rows();
  std::vector<Index> sizes(static_cast<std::size_t>(blocks));
  for (Index b = 0; b < blocks; ++b) sizes[static_cast<std::size_t>(b)] = problem.W.size(b);
  diagonal.W.begin_pattern(sizes);
  for (Index b = 0; b < blocks; ++b) {
    diagonal.W.insert(b);
    diagonal.W.next_row();
  }
  diagonal.W.end_pattern();
  for (Index b = 0; b < blocks; ++b)
    diagonal.W.block(b, diagonal.W.diagonal(b)) = problem.W.block(b, problem.W.diagonal(b));
  return diagonal;
}

void run_jacobi(const Problem& problem, const Jacobi& options, mixed::Result& result) {
  internal::Monitor monitor(problem, options.tolerance, options.measure, options.time_limit, result);
  const Index n = problem.W.rows();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd r = result.r, u(n), v, local(n), d(n), Wd(n);
  problem.W.multiply_add(r, problem.q, u);
  if (monitor.observe(r, u)) return monitor.finish(Status::Stalled, "");
  Problem diagonal = diagonal_of(problem);
  mixed::internal::BlockSweeps sweeps;
  if (sweeps.prepare(diagonal, mixed::GaussSeidel::Local::Exact) >= 0)
    return monitor.finish(Status::Stalled,
                          "a block's diagonal is not positive (or is singular): it has no local solution");
  double last = 1.0;
  while (result.iterations < options.max_iterations) {
    diagonal.W.multiply_add(r, zero, d);
    diagonal.q = u - d;
    local = r;
    (void)sweeps.sweep(diagonal, 1.0, monitor.deadline(), local.data());
    d = local - r;
    problem.W.multiply_add(d, zero, Wd);
    double damping = options.damping;
    if (damping == 0.0) {
      internal::modify_velocity(problem.K, u, v);
      const double slope = -v.dot(d), curvature = d.dot(Wd);
      const double best = curvature > 0.0 && slope > 0.0 ? std::clamp(slope / curvature, 0.05, 1.0) : last;
      damping = 0.5 * (best + last);
      last = best;
    }
    r += damping * d;
    // Sums of increments drift, so that u is taken anew now and then.
    if (result.iterations % 64 == 63)
      problem.W.multiply_add(r, problem.q, u);
    else
      u += damping * Wd;
    ++result.iterations;
    if (internal::Monitor::due(result.iterations) && monitor.observe(r, u)) break;
    if (d.isZero(0.0)) return monitor.finish(Status::Stalled, "a sweep changed nothing");
  }
  monitor.finish(Status::IterationLimit, "max_iterations reached");
}

}  // namespace

void Jacobi::validate() const {
  check::positive("friction::Jacobi::tolerance", tolerance);
  check::range("friction::Jacobi::damping", damping, 0.0, 1.0);
  check::at_least("friction::Jacobi::max_iterations", max_iterations, 1);
  detail::check_time_limit("friction::Jacobi::time_limit", time_limit);
}

Result solve(const Problem& problem, const Jacobi& options) {
  return internal::solve_by(problem, options, "block jacobi", "friction::Jacobi::start", true, run_jacobi);
}

}  // namespace nonsmooth::friction
