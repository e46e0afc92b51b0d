// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include <nonsmooth/kernel/relation.hpp>

namespace nonsmooth {

/// y = C x + D lambda + e(t),  r = B lambda. C is m x n, B n x m, D m x m, n the sum of the linked systems' states;
/// each constant or a function of time.
struct FirstOrderLinearRelation {
  MatrixData C{};  ///< m x n; a function of time needs `rows`
  MatrixData D{};  ///< m x m; empty: zero
  MatrixData B{};  ///< n x m
  VectorData e{};  ///< m, constant or a function of time; empty: zero
  Index rows = 0;  ///< m, where C is a function of time; otherwise read off C
  /// > 0: what y or lambda of a row does by e(t), or by b(t) of the linked systems, below zero and back takes no
  /// shorter time: then event-driven simulation loses no switch of it. 0: not known; what lasts a hundredth of a step
  /// is seen all the same.
  double smallest_feature = 0.0;  ///< [s]
};

/// y = h(t, x, lambda),  r = g(t, x, lambda), solved by Newton. Jacobians come in zeroed; those not given are forward
/// differences over 1.5e-8 max(1, |lambda_j|) (or x_j), beside one of four times that; where the two differ by more
/// than 1e-3, or neither moves y and a step of 1e-3 does, a step is looked for between 1e-22 and 1e-2, on both sides: a
/// junction whose currents are 1e-12 runs, and a switch of 1e-9 S beside terms of 1. h and g may throw outside of their
/// domain at these places. Where several systems are linked, dg/dx enters block by block: what the state of one does to
/// the input of another is iterated, which converges where h |dg_i/dx_j| is well below 1.
struct FirstOrderRelation {
  using Function = std::function<void(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef value)>;
  using Jacobian = std::function<void(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian)>;

  Index rows = 1;        ///< m, 1 to 2^20
  Function h{};          ///< m; required
  Jacobian h_dx{};       ///< m x n
  Jacobian h_dlambda{};  ///< m x m
  Function g{};          ///< n; required
  Jacobian g_dx{};       ///< n x n
  Jacobian g_dlambda{};  ///< n x m
};

/// The class that a description stands for; checked when it is linked.
[[nodiscard]] std::shared_ptr<const FirstOrderInputOutputRelation> make_relation(FirstOrderLinearRelation relation);
[[nodiscard]] std::shared_ptr<const FirstOrderInputOutputRelation> make_relation(FirstOrderRelation relation);

}  // namespace nonsmooth
