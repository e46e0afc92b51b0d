// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/convolution/reduction.hpp>

#include <algorithm>

namespace nonsmooth::convolution {

IndexReduction measure_index_reduction(const Problem& problem, double epsilon, const Stepping& options) {
  options.validate();
  Stepping same = options;  // the rule of k, for both
  same.rule =
      resolve(options.rule, problem.kernel, problem.horizon / static_cast<double>(options.steps), options.steps);
  Problem reduced = problem;
  reduced.kernel = reduce_index(problem.kernel, epsilon);
  IndexReduction found{.exact = solve(problem, same), .reduced = solve(reduced, same)};
  const Index steps = std::min(found.exact.steps(), found.reduced.steps());
  if (steps == 0) return found;
  found.w_error = (found.reduced.w.leftCols(steps) - found.exact.w.leftCols(steps)).cwiseAbs().maxCoeff();
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(found.exact.p.rows());
  for (Index n = 0; n < steps; ++n) {
    sum += found.reduced.p.col(n) - found.exact.p.col(n);
    found.impulse_error = std::max(found.impulse_error, sum.cwiseAbs().maxCoeff());
  }
  return found;
}

}  // namespace nonsmooth::convolution
