// SPDX-License-Identifier: Apache-2.0
// The certificate's scale and rho, found once a solve; not installed.
#pragma once

#include <optional>

#include <nonsmooth/numerics/vi/problem.hpp>

#include "projector.hpp"

namespace nonsmooth::vi::detail {

/// x_0, F(x_0), rho and what the scale is made of, as certify() says.
class Measure {
 public:
  /// @throws InvalidArgument F(x_0) not finite.
  Measure(const Problem& problem, Projector& project);

  /// Solved, or why K has no x_0: nothing below may be asked for then.
  [[nodiscard]] const ProjectionReport& report() const noexcept { return report_; }
  [[nodiscard]] const Eigen::VectorXd& x_0() const noexcept { return x_0_; }
  [[nodiscard]] const Eigen::VectorXd& F_0() const noexcept { return F_0_; }
  [[nodiscard]] double rho() const noexcept { return rho_; }
  /// The scale but for its floor.
  [[nodiscard]] double data() const noexcept { return data_; }
  /// Residual, error and scale of certify() alone.
  [[nodiscard]] Certificate estimate(ConstVectorRef x, ConstVectorRef w) const {
    Eigen::VectorXd e(x.size());
    double added = 0.0;
    return errors(x, w, project_, e, added);
  }
  /// The certificate of x with w = F(x), by one projection.
  [[nodiscard]] Certificate certify(ConstVectorRef x, ConstVectorRef w) const { return certify(x, w, project_); }
  /// The same by the projection on another set.
  [[nodiscard]] Certificate certify(ConstVectorRef x, ConstVectorRef w, Projector& project) const;

 private:
  /// All but the rows; e becomes the error, `added` what a projection that is not exact adds to it.
  [[nodiscard]] Certificate errors(ConstVectorRef x, ConstVectorRef w, Projector& project, Eigen::VectorXd& e,
                                   double& added) const;
  void relate(ConstVectorRef e, ConstVectorRef w, double added, const ConvexSet& K, Certificate& certificate) const;

  Projector& project_;
  ProjectionReport report_;
  Eigen::VectorXd x_0_, F_0_;
  Eigen::VectorXd F_sizes_;  // of each row, the larger at x_0 and x_1
  double rho_ = 1.0, data_ = 0.0;
};

}  // namespace nonsmooth::vi::detail
