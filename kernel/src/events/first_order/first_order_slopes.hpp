// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "first_order_mode.hpp"

namespace nonsmooth::events {

/// Of first-order systems in a mode, in the order of FirstOrderData,
///
///     A = d xdot/dx = J + P (Sx + Sg J),   J = M^-1 df/dx,   n x n,
///
/// with the maps of FirstOrderMode. Without descriptor systems.
class FirstOrderSlopes {
 public:
  /// The model has to outlive it and stay as it is.
  explicit FirstOrderSlopes(const NonSmoothDynamicalSystem& model);

  /// False where some f has no Jacobian, or constraints turn in time: dc/dt would be asked by x.
  [[nodiscard]] bool operator()(double t, const Eigen::VectorXd& z, const std::vector<signed char>& status,
                                Eigen::MatrixXd& A);

 private:
  struct System {
    FirstOrderSystemEvaluator description;
    Index x = 0, n = 0;
    Eigen::MatrixXd inverse_mass{};  ///< empty: the identity
  };
  FirstOrderData data_;
  std::vector<System> systems_;
  std::map<std::vector<signed char>, std::unique_ptr<FirstOrderMode>> modes_;
  bool given_ = true;
  Eigen::VectorXd x_;
  Eigen::MatrixXd J_, own_, map_;
};

}  // namespace nonsmooth::events
