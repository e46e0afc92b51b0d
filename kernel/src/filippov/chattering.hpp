// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Eigenvalues>

#include <nonsmooth/kernel/sliding_bound.hpp>

#include "model/switched/sliding_field.hpp"

namespace nonsmooth::filippov {

/// How a motion that chatters about c = 0 leaves the sliding one, at one (t, x) after another: e = G c + eta,
///
///     |eta|' <= mu |eta| + |B| d,   mu the largest eigenvalue of the symmetric part of D f_s on the tangent plane,
///     B = D f_s G - dG/dt along f_s, less its part along grad c,   |e| <= |G| d + |eta|,   |c| <= d.
///
/// Derivatives are central differences over eps^(1/3) of x. Cost of a look: 4 n + 6 fields.
class Chattering {
 public:
  Chattering(const FilippovFields& fields, const SwitchingLag& lag);

  /// False where x does not slide; mu and B are then as they were.
  bool look(double t, const Eigen::VectorXd& x);
  [[nodiscard]] const SlidingValues& values() const noexcept { return here_; }
  /// Of the last look.
  [[nodiscard]] double rate(double eta) const { return (n_ > 1 ? growth_ * eta : 0.0) + drive_ * farthest(); }
  [[nodiscard]] double distance(double eta) const { return here_.G.norm() * farthest() + eta; }
  [[nodiscard]] Index n() const noexcept { return n_; }

 private:
  [[nodiscard]] double farthest() const {
    return lag_.band + lag_.delay * std::max(here_.w_below, -here_.w_above);  // d
  }
  void find_growth(const Eigen::VectorXd& normal);

  const FilippovFields* fields_;
  SwitchingLag lag_;
  Index n_;
  double growth_ = 0.0, drive_ = 0.0;  ///< mu, |B|
  SlidingValues here_, ahead_, behind_;
  Eigen::VectorXd at_, B_, normal_;
  Eigen::MatrixXd A_, P_, S_;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigenvalues_;
};

}  // namespace nonsmooth::filippov
