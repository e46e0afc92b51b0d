// SPDX-License-Identifier: Apache-2.0
// Linear systems with a constraint of higher relative degree.
#pragma once

#include <Eigen/Core>

#include <nonsmooth/kernel/higher_order.hpp>

namespace nonsmooth::higher_order_processes {

/// A linear system, and the process that its constraint is made.
struct Process {
  NonSmoothDynamicalSystem model;
  SystemHandle system;
  InteractionHandle plain;
  HigherOrderHandles handles;
};

inline Process process(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, const Eigen::MatrixXd& C,
                       const Eigen::VectorXd& x0, bool linked = true) {
  Process made;
  made.system = made.model.add(FirstOrderLinearSystem{.A = A, .x0 = x0});
  made.plain = made.model.link(made.system, FirstOrderLinearRelation{.C = C, .B = B}, ComplementarityLaw{}, "stop");
  if (linked) made.handles = link_higher_order(made.model, made.plain);
  return made;
}

inline Eigen::MatrixXd integrators(Index n) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  A.diagonal(1).setOnes();
  return A;
}

inline Process chain(const Eigen::VectorXd& z, bool linked = true) {
  const Index n = z.size();
  return process(integrators(n), Eigen::VectorXd::Unit(n, n - 1), Eigen::VectorXd::Unit(n, 0).transpose(), z, linked);
}

}  // namespace nonsmooth::higher_order_processes
