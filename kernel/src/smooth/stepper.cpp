// SPDX-License-Identifier: Apache-2.0
#include "stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "small_products.hpp"
#include "step_control.hpp"

namespace nonsmooth::smooth {

void DensePolynomial::evaluate(double t, Eigen::VectorXd& z) const {
  const double s = h == 0.0 ? 0.0 : (t - t0) / h;
  z.resize(coefficients.rows());
  sum_powers(coefficients, degree, s, z.data());
}

double first_step(RightHandSide& f, double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot, double longest,
                  const ErrorControl& control, int order, Eigen::VectorXd& stage, Eigen::VectorXd& slope) {
  constexpr double negligible = 1e-5;  // of the tolerance: says nothing of the time scale
  const auto norm = [&](const Eigen::VectorXd& x) {
    return weighted_norm(x, z, z, control.relative, control.absolute);
  };
  const double size = norm(z), speed = norm(zdot);
  double trial = size < negligible || speed < negligible ? 1e-6 : 0.01 * size / speed;
  trial = std::min(trial, longest);
  stage.noalias() = z + trial * zdot;
  f(t + trial, stage, slope);
  if (!check::all_finite(slope)) return std::min(0.1 * trial, longest);
  slope -= zdot;
  const double largest = std::max(speed, norm(slope) / trial);
  const double h = largest <= 1e-15 ? std::max(1e-6, 1e-3 * trial) : std::pow(0.01 / largest, 1.0 / (order + 1));
  return std::min({100.0 * trial, h, longest});
}

void check_control(const ErrorControl& control) {
  constexpr double largest = std::numeric_limits<double>::max();
  check::range("ErrorControl::relative", control.relative, 0.0, 1.0);
  check::positive("ErrorControl::absolute", control.absolute);
  check::range("ErrorControl::fixed_step", control.fixed_step, 0.0, largest);
  check::range("ErrorControl::initial_step", control.initial_step, 0.0, largest);
  check::range("ErrorControl::largest_step", control.largest_step, 0.0, largest);
}

}  // namespace nonsmooth::smooth
