// SPDX-License-Identifier: Apache-2.0
// The loop that Newton's methods share; not installed.
#pragma once

#include <string>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/vi/problem.hpp>

#include "run.hpp"

namespace nonsmooth::vi::detail {

/// An equation e(s) = 0 that stands for the problem.
class Equation {
 public:
  Equation() = default;
  Equation(const Equation&) = delete;
  Equation& operator=(const Equation&) = delete;
  virtual ~Equation() = default;

  /// s of a point of K with its value.
  [[nodiscard]] virtual Eigen::VectorXd unknowns(const Eigen::VectorXd& x, const Eigen::VectorXd& w) const = 0;
  /// x, w = F(x) and |e| at s + t d, of which the equation makes its next s. False where something fails.
  [[nodiscard]] virtual bool go(const Eigen::VectorXd& s, double t, const Eigen::VectorXd& d) = 0;
  /// The step from where go() went last. False where there is none.
  [[nodiscard]] virtual bool direction(Eigen::VectorXd& d) = 0;

  Eigen::VectorXd s, x, w;
  double norm = 0.0;  ///< |e| [unit of F]
};

struct NewtonOptions {
  double tolerance;
  Index max_steps;
  double decrease;
  Index memory, fallback_iterations;
};

template <class Options>
[[nodiscard]] NewtonOptions newton_options(const Options& o) {
  return {o.tolerance, o.max_steps, o.decrease, o.memory, o.fallback_iterations};
}

/// @throws InvalidArgument naming the field of that solver.
template <class Options>
void check_newton(const std::string& solver, const Options& options) {
  check::positive(solver + "::tolerance", options.tolerance);
  check::at_least(solver + "::max_steps", options.max_steps, 1);
  if (!(options.decrease > 0.0 && options.decrease <= 0.5))
    throw InvalidArgument(solver + "::decrease", check::text(options.decrease), "a number in (0, 1/2]");
  check::within(solver + "::memory", options.memory, 1, check::most_iterates);
  check::at_least(solver + "::fallback_iterations", options.fallback_iterations, 0);
  nonsmooth::detail::check_time_limit((solver + "::time_limit").c_str(), options.time_limit);
  check::finite(solver + "::start", ConstVectorRef(options.start));
}

/// Whether SemismoothNewton's matrix is sparse: F's Jacobian is, and the blocks of P_K's have at most a quarter of n^2
/// entries.
[[nodiscard]] bool has_sparse_newton_matrix(const Problem& problem);

/// From run.start() on; `run` is ready.
[[nodiscard]] Result damped_newton(Run& run, const NewtonOptions& options, Equation& equation);

}  // namespace nonsmooth::vi::detail
