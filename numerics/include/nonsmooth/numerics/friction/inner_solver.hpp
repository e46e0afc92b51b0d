// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nonsmooth::friction {

/// What solves the convex problems inside the methods that fix a part of Coulomb's law and iterate on it.
enum class InnerSolver : unsigned char {
  /// Up to 100 iterations of mixed::Admm, then mixed::ProximalNewton from there. In Panagiotopoulos, where the sets are
  /// bounds (normal problems, tangents in the plane), W is symmetric to 1e-12 and there are at most 150 rows,
  /// qp::DualActiveSet from the third inner problem on, each from the active set of the one before.
  Hybrid,
  ProximalNewton,  ///< mixed::ProximalNewton: few steps, singular W taken as it is
  GaussSeidel,     ///< mixed::GaussSeidel: cheap sweeps, for the well-conditioned problems of granular flow
  Admm,            ///< mixed::Admm: one factorization an inner problem
};

}  // namespace nonsmooth::friction
