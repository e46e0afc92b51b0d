// SPDX-License-Identifier: Apache-2.0
#pragma once

// The loop of the family's semismooth Newton methods, which differ in the equations e(r, W r + q) = 0 they solve.

#include <algorithm>
#include <string_view>
#include <vector>

#include <internal/deadline.hpp>

#include "newton_stop.hpp"
#include "newton_system.hpp"

namespace nonsmooth::mixed::internal {

struct DampedNewton {
  double tolerance;   // on the certificate
  Index max_steps;    // directions taken
  Index memory;       // merits of which the largest is the line search's reference
  double decrease;    // Armijo's fraction of the slope
  int halvings;       // of a Newton step; more are a sign that the gradient does better
  double time_limit;  // [s]
};

/// Newton's direction of J = A + C W, shifted where J is singular, else the gradient's of the merit |e|^2 / 2; line
/// search against the largest of the last merits. `Equations` has
///
///     double merit(r, u, e);            e and |e|^2 / 2
///     double linearize(r, u, e);        the same with A = de/dr and C = de/du
///     void shift(by);                   J + by / rho, with the sign that makes J more regular
///     void keep(r, u, scratch, result)  certifies r, or what it stands for, into result; u receives W r + q
///     rho, A, C
///
/// Starts from result.r and concludes there.
template <class Equations>
void damped_newton(const Problem& problem, const DampedNewton& options, Equations& equations, Result& result) {
  const detail::Deadline deadline(options.time_limit);
  const Index n = problem.W.rows();
  NewtonSystem system(problem);
  Eigen::VectorXd r = result.r, u(n), e(n), step(n), product(n), trial(n), trial_u(n), gradient(n), scratch(n);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(n);
  std::vector<double> history;
  NewtonStop stop;
  const auto conclude_with = [&](Status otherwise, std::string_view reason) {
    conclude(problem, options.tolerance, result, otherwise, reason);
  };
  for (;; ++result.iterations) {
    equations.keep(r, u, scratch, result);
    if (stop.due(result.certificate.residual, options.tolerance, result.certificate, result.iterations,
                 options.max_steps, deadline))
      return conclude_with(stop.status, stop.reason);

    const double value = equations.linearize(r, u, e);
    history.push_back(value);
    if (static_cast<Index>(history.size()) > options.memory) history.erase(history.begin());
    const double reference = *std::max_element(history.begin(), history.end());
    equations.C.multiply_transposed(problem.K, e, scratch);
    multiply_transposed(problem.W, scratch, gradient);
    equations.A.multiply_transposed(problem.K, e, scratch);
    gradient += scratch;
    bool regular = false;
    double added = 0.0;
    for (double shift = 0.0; shift <= 1.0 && !regular; shift = shift == 0.0 ? 1e-10 : 100.0 * shift) {
      equations.shift(shift - added);
      added = shift;
      regular = system.factorize(equations.A, equations.C);
    }
    // Newton's direction, then the gradient's; a merit that is not finite fails every test.
    bool moved = false;
    for (int attempt = regular ? 0 : 1; attempt < 2 && !moved; ++attempt) {
      double slope = -2.0 * value;
      if (attempt == 0) {
        step = -e;
        system.solve_in_place(step);
      } else {
        step = -equations.rho.cwiseAbs2().cwiseProduct(gradient);
        slope = gradient.dot(step);
      }
      if (!step.allFinite() || !(slope < 0.0)) continue;
      problem.W.multiply_add(step, zero, product);
      double t = 1.0;
      for (int halving = 0; halving < (attempt == 0 ? options.halvings : 40) && !moved; ++halving, t *= 0.5) {
        trial = r + t * step;
        trial_u = u + t * product;
        moved = equations.merit(trial, trial_u, scratch) <= reference + options.decrease * t * slope;
      }
    }
    if (!moved || trial == r)
      return conclude_with(Status::Stalled, "no descent: a stationary point of the merit function, or round-off");
    r = trial;
  }
}

}  // namespace nonsmooth::mixed::internal
