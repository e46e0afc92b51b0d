// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/convolution/kernel.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "kernel_forms.hpp"

namespace nonsmooth::convolution {
namespace {

[[noreturn]] void refuse_vanishing(const std::string& what) {
  throw InvalidArgument("convolution: the kernel", what, "one that is not 0 there: w would not answer to z");
}

Examination conclude(double index, const Eigen::MatrixXd& leading) {
  const Eigen::MatrixXd symmetric = 0.5 * (leading + leading.transpose());
  return {.size = leading.rows(),
          .index = index,
          .leading = leading,
          .positive_definite = nonsmooth::is_positive_definite(symmetric)};
}

/// From values at two small distances of 0, a power law between them: |values| ~ distance^power.
Examination by_slope(const Eigen::MatrixXd& near, const Eigen::MatrixXd& far, double ratio, double offset) {
  const double small = near.cwiseAbs().maxCoeff(), large = far.cwiseAbs().maxCoeff();
  if (small == 0.0 || large == 0.0) refuse_vanishing("0 near t = 0");
  const double power = offset + std::log(large / small) / std::log(ratio);
  const double rounded = std::round(2.0 * power) / 2.0;
  return conclude(std::abs(power - rounded) < 2e-3 ? rounded : power, near / small);
}

Examination examine_form(const FunctionKernel& kernel, double horizon) {
  const double near = 1e-12 * horizon, far = 1e-11 * horizon;
  const Eigen::MatrixXd first = detail::r_at(kernel, near);
  const Eigen::MatrixXd D = detail::impulse_of(kernel.impulse, first.rows());
  if (!D.isZero(0.0)) return conclude(0.0, D);
  Examination found = by_slope(first, detail::r_at(kernel, far, first.rows()), 10.0, 1.0);
  if (!std::isnan(kernel.index)) {
    check::positive("convolution::FunctionKernel::index", kernel.index);
    found.index = kernel.index;
  }
  return found;
}

Examination examine_form(const TableKernel& kernel, double) {
  detail::validate(kernel);
  const Index m = detail::size_of_rows("convolution::TableKernel::values", kernel.values.rows());
  const Eigen::MatrixXd D = detail::impulse_of(kernel.impulse, m);
  if (!D.isZero(0.0)) return conclude(0.0, D);
  Index first = 0;
  while (first + 1 < kernel.t.size() && kernel.t[first + 1] == 0.0) ++first;
  if (!kernel.values.col(first).isZero(0.0)) return conclude(1.0, kernel.values.col(first).reshaped(m, m));
  if (first + 1 == kernel.t.size() || kernel.values.col(first + 1).isZero(0.0))
    refuse_vanishing("0 up to the second instant of its table");
  return conclude(2.0, (kernel.values.col(first + 1) / kernel.t[first + 1]).reshaped(m, m));
}

Examination examine_form(const ExponentialKernel& kernel, double) {
  detail::validate(kernel);
  const Index m = detail::size_of_rows("convolution::ExponentialKernel::coefficients", kernel.coefficients.rows());
  const Eigen::MatrixXd D = detail::impulse_of(kernel.impulse, m);
  if (!D.isZero(0.0)) return conclude(0.0, D);
  // r^(n)(0) = Re sum C_l lambda_l^n; what is left of terms that cancel is rounding.
  Eigen::VectorXcd power = Eigen::VectorXcd::Ones(kernel.rates.size());
  for (int n = 0; n <= 3; ++n) {
    const Eigen::VectorXd sum = (kernel.coefficients * power).real();
    const Eigen::VectorXd terms = kernel.coefficients.cwiseAbs() * power.cwiseAbs();
    if (sum.cwiseAbs().maxCoeff() > 1e4 * eps * terms.maxCoeff()) return conclude(1.0 + n, sum.reshaped(m, m));
    power = power.cwiseProduct(kernel.rates);
  }
  refuse_vanishing("four derivatives 0 at t = 0");
}

Examination examine_form(const LaplaceKernel& kernel, double horizon) {
  const double near = 1e12 / horizon, far = 1e11 / horizon;
  const Eigen::MatrixXcd first = detail::transform_at(kernel, near);
  const Eigen::MatrixXcd second = detail::transform_at(kernel, far, first.rows());
  if (first.imag().cwiseAbs().maxCoeff() > 1e-9 * first.cwiseAbs().maxCoeff())
    throw InvalidArgument("convolution::LaplaceKernel::transform", "complex at s = " + check::text(near),
                          "real on the real axis, as kernels are real");
  return by_slope(first.real(), second.real(), 10.0, 0.0);
}

}  // namespace

Examination examine(const Kernel& kernel, double horizon) {
  check::positive("convolution: the horizon", horizon);
  return std::visit([&](const auto& form) { return examine_form(form, horizon); }, kernel);
}

}  // namespace nonsmooth::convolution
