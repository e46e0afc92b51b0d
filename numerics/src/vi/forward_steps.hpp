// SPDX-License-Identifier: Apache-2.0
// The loop that the projection method, the extragradient method and Tseng's splitting share; not installed.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/vi/problem.hpp>

namespace nonsmooth::vi::detail {

/// What becomes of x once y = P_K(x - t F(x)) is accepted.
enum class Correction : unsigned char {
  None,           ///< y
  Extragradient,  ///< P_K(x - t F(y))
  Tseng,          ///< y - t (F(y) - F(x))
};

/// The fields of the three.
struct ForwardOptions {
  double tolerance, step, acceptance, growth, reduction;
  Index memory;
  double decrease;
  Index max_iterations;
  double time_limit;
  const Eigen::VectorXd& start;
  const std::function<void(ConstVectorRef x)>& on_iterate;
  /// What the residual must fall by in an iteration, on average behind the first few, or the steps end; 1: anything.
  double rate = 1.0;
};

template <class Options>
[[nodiscard]] ForwardOptions forward_options(const Options& o) {
  return {o.tolerance, o.step,           o.acceptance, o.growth, o.reduction, o.memory,
          o.decrease,  o.max_iterations, o.time_limit, o.start,  o.on_iterate};
}

inline void check_open(const std::string& argument, double value, double high) {
  if (!(value > 0.0 && value < high))
    throw InvalidArgument(argument, check::text(value), "a number in (0, " + check::text(high) + ")");
}

/// @throws InvalidArgument naming the field of that solver.
template <class Options>
void check_forward(const std::string& solver, const Options& options) {
  check::positive(solver + "::tolerance", options.tolerance);
  if (options.step != 0.0) check::positive(solver + "::step", options.step);
  check_open(solver + "::acceptance", options.acceptance, 1.0);
  check_open(solver + "::growth", options.growth, options.acceptance);
  check_open(solver + "::reduction", options.reduction, 1.0);
  check::within(solver + "::memory", options.memory, 0, 1000);
  check_open(solver + "::decrease", options.decrease, 1.0);
  check::at_least(solver + "::max_iterations", options.max_iterations, 1);
  nonsmooth::detail::check_time_limit((solver + "::time_limit").c_str(), options.time_limit);
  check::finite(solver + "::start", ConstVectorRef(options.start));
}

[[nodiscard]] Result forward_steps(const Problem& problem, const ForwardOptions& options, Correction correction,
                                   const char* start_argument, std::string_view solver);

}  // namespace nonsmooth::vi::detail
