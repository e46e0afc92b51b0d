// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/convolution/problem.hpp>

#include <algorithm>

#include <internal/check.hpp>
#include <internal/round_off.hpp>

#include "message.hpp"
#include "past.hpp"

namespace nonsmooth::convolution {

std::string Result::message() const {
  return nonsmooth::detail::message(
      *this, {.stalled = "see Result::failure, or take Bdf1 or StepStart, shorter steps, History::Fourier",
              .infeasible = "see Result::failure",
              .numerical_failure = "look at the size of the kernel's values and of q"});
}

Certificate certify(const Weights& weights, const Eigen::MatrixXd& q, const Eigen::VectorXd& lower,
                    const Eigen::VectorXd& upper, const Eigen::MatrixXd& p, Eigen::MatrixXd& w, double floor) {
  const Index m = weights.size(), n = p.cols();
  check::within("convolution::certify: columns of p", n, 1, weights.count());
  check::shape("convolution::certify: p", p.rows(), n, m, n);
  check::shape("convolution::certify: q", q.rows(), q.cols(), m, n);
  check::size("convolution::certify: lower", lower.size(), m, "one a row");
  check::size("convolution::certify: upper", upper.size(), m, "one a row");
  w = q + detail::convolve(weights, p);
  relay::Problem step{
      .M = weights.weight(0), .q = Eigen::VectorXd(m), .lower = weights.h * lower, .upper = weights.h * upper};
  Certificate worst{.error = 0.0, .scale = std::max(floor, q.cwiseAbs().maxCoeff()), .row_residual = 0.0};
  Eigen::VectorXd z(m), answer(m);
  for (Index k = 0; k < n; ++k) {
    z = p.col(k);
    step.q.noalias() = w.col(k) - step.M * z;
    const Certificate of_step = relay::certify(step, z, answer, 0.0);
    if (!(of_step.error <= worst.error)) {  // a NaN stays
      worst.error = of_step.error;
      worst.worst_row = k * m + of_step.worst_row;
    }
    if (of_step.row_residual > worst.row_residual) {
      worst.row_residual = of_step.row_residual;
      worst.worst_relative_row = k * m + of_step.worst_relative_row;
    }
    worst.round_off = std::max(worst.round_off, of_step.round_off);
  }
  if (floor < 0.0) worst.scale = std::max(worst.scale, worst.round_off);
  worst.residual = worst.error == 0.0 ? 0.0 : worst.error / worst.scale;
  return worst;
}

}  // namespace nonsmooth::convolution
