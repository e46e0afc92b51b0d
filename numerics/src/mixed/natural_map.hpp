// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/mixed/problem.hpp>

#include "newton_system.hpp"
#include "projection_jacobian.hpp"

namespace nonsmooth::mixed::internal {

/// The natural map e(r, u) of all blocks of K, in either form, and its derivatives. K stays where it is.
class NaturalMap {
 public:
  explicit NaturalMap(const ProductSet& K);

  void evaluate(Form form, const Eigen::VectorXd& rho, const Eigen::VectorXd& r, const Eigen::VectorXd& u,
                Eigen::VectorXd& e) const;
  /// The same, with A and C.
  void linearize(Form form, const Eigen::VectorXd& rho, const Eigen::VectorXd& r, const Eigen::VectorXd& u,
                 Eigen::VectorXd& e);
  /// A := A + by / rho.
  void shift(double by, const Eigen::VectorXd& rho);
  /// A := A + C alpha / rho: the derivative where u has a proximal term alpha (r - center) / rho.
  void add_proximal_term(double alpha, const Eigen::VectorXd& rho);

  BlockDiagonal A, C;  ///< de/dr and de/du, of the last linearize()

 private:
  const ProductSet& K_;
  Eigen::VectorXd scratch_;
};

}  // namespace nonsmooth::mixed::internal
