// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <nonsmooth/kernel/dynamical_system.hpp>

namespace nonsmooth {

/// M xdot = A(t) x + b(t) + feedback + r: constant or time-varying A and b, constant M.
///
/// A singular M makes rows algebraic (a descriptor system, circuits by nodes), where the pencil s M - A is regular:
/// EulerMoreau with theta > 0 takes it, 1 unless nothing jumps; EventDriven does with a constant A and index 1 or 2.
/// The algebraic part of x0 follows from the rest.
struct FirstOrderLinearSystem {
  MatrixData mass{};    ///< n x n, constant; empty: the identity
  MatrixData A{};       ///< n x n; empty: zero
  VectorData b{};       ///< n; empty: zero
  ConstantVector x0{};  ///< n
  Feedback feedback{};
  std::string name{};
};

/// M xdot = f(t, x) + feedback + r, solved by Newton. A singular M is for EulerMoreau with theta > 0.
struct FirstOrderSystem {
  MatrixData mass{};                                                           ///< n x n, constant; empty: I
  std::function<void(double t, ConstVectorRef x, VectorRef value)> f{};        ///< n, comes in zeroed; none: zero
  std::function<void(double t, ConstVectorRef x, MatrixRef jacobian)> f_dx{};  ///< n x n; none: forward differences
  ConstantVector x0{};                                                         ///< n
  Feedback feedback{};
  std::string name{};
};

/// The class that a description stands for. @throws InvalidArgument: no state, shapes that differ, non-finite entries.
[[nodiscard]] std::shared_ptr<const FirstOrderDynamicalSystem> make_system(FirstOrderLinearSystem system);
[[nodiscard]] std::shared_ptr<const FirstOrderDynamicalSystem> make_system(FirstOrderSystem system);

}  // namespace nonsmooth
