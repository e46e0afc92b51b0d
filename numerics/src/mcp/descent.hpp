// SPDX-License-Identifier: Apache-2.0
// Descent on the merit function of a box function, by several directions; not installed.
#pragma once

#include <string_view>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/mcp/semismooth_newton.hpp>

#include "internal.hpp"

namespace nonsmooth::mcp::detail {

struct DescentOptions {
  double tolerance = 1e-10;
  Index max_steps = 300;
  double decrease = 1e-4;  // Armijo
  Index memory = 10;       // merits that the line search looks back on
  nonsmooth::detail::BoxFunction function = nonsmooth::detail::BoxFunction::FischerBurmeister;
  double weight = 0.95;          // of Penalised
  bool josephy = false;          // the solution of the linearised problem is the first direction
  bool only_m_matrices = false;  // ... where that is cheap: as MMatrixSteps takes them
  bool quick = false;            // Newton's steps alone, no shorter than a quarter: it arrives soon or is lost
};

/// SemismoothNewton as a short try: `quick` of DescentOptions.
[[nodiscard]] Result quick_newton(const Problem& problem, const SemismoothNewton& options);

/// From x, at which F is finite (f = F(x), J in the evaluator). result.solver stays; iterations are added to
/// result.iterations. x and f move to the last iterate.
void descend(const Problem& problem, const DescentOptions& options, double data_scale,
             const nonsmooth::detail::Deadline& deadline, Evaluator& evaluator, Eigen::VectorXd& x, Eigen::VectorXd& f,
             Result& result);

/// descend() from the start that an algorithm's options have (`argument`: its name), under their tolerance, limits and
/// line search.
template <class Options>
[[nodiscard]] Result descend_by(const Problem& problem, const Options& options, const char* argument,
                                std::string_view solver, DescentOptions descent) {
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  Result result;
  result.solver = solver;
  Eigen::VectorXd x = start_of(problem, argument, options.start, options.check_jacobian);
  Eigen::VectorXd f(problem.size());
  const double scale = data_scale(problem, result.values);
  Evaluator evaluator(problem, result);
  evaluate_start(problem, evaluator, x, f);
  descent.tolerance = options.tolerance;
  descent.max_steps = options.max_steps;
  descent.decrease = options.decrease;
  descent.memory = options.memory;
  descend(problem, descent, scale, deadline, evaluator, x, f, result);
  return result;
}

}  // namespace nonsmooth::mcp::detail
