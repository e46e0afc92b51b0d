// SPDX-License-Identifier: Apache-2.0
// Problems of optimal control whose solutions are known.
#pragma once

#include <Eigen/Core>

#include <nonsmooth/kernel/optimal_control.hpp>

namespace nonsmooth::optimal_control_problems {

/// x'' = u, 1/2 int u^2, from (x_0, v_0) to (x_1, v_1) within 1.
inline optimal_control::Problem mass(Eigen::Vector2d start, Eigen::Vector2d end) {
  optimal_control::Problem problem{.A = Eigen::MatrixXd{{0.0, 1.0}, {0.0, 0.0}},
                                   .B = Eigen::MatrixXd{{0.0}, {1.0}},
                                   .R = Eigen::MatrixXd{{1.0}},
                                   .M = Eigen::MatrixXd::Zero(4, 2),
                                   .N = Eigen::MatrixXd::Zero(4, 2),
                                   .b = Eigen::VectorXd(4)};
  problem.M.topRows(2).setIdentity();
  problem.N.bottomRows(2).setIdentity();
  problem.b << start, end;
  return problem;
}

/// Bryson, Denham: turned round before a wall, x <= l.
inline optimal_control::Problem before_a_wall(double l) {
  optimal_control::Problem problem = mass({0.0, 1.0}, {0.0, -1.0});
  problem.C = Eigen::MatrixXd{{-1.0, 0.0}};
  problem.d = Eigen::VectorXd{{l}};
  return problem;
}

/// min 1/2 int x^2 + u^2, x' = u, 2 -> 2 in T = 4, x >= 1: x = cosh(t_1 - t) to t_1 = arcosh 2, the arc x = 1 with
/// lambda = x - x'' = 1, back again; cost 2 sqrt 3 + (T - 2 t_1) / 2.
inline optimal_control::Problem valley() {
  return {.A = Eigen::MatrixXd{{0.0}},
          .B = Eigen::MatrixXd{{1.0}},
          .Q = Eigen::MatrixXd{{1.0}},
          .R = Eigen::MatrixXd{{1.0}},
          .C = Eigen::MatrixXd{{1.0}},
          .d = Eigen::VectorXd{{-1.0}},
          .M = Eigen::MatrixXd{{1.0}, {0.0}},
          .N = Eigen::MatrixXd{{0.0}, {1.0}},
          .b = Eigen::VectorXd{{2.0, 2.0}},
          .T = 4.0};
}

}  // namespace nonsmooth::optimal_control_problems
