// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/nonsmooth_law.hpp>

namespace nonsmooth {

/// -y in N_[lower,upper](lambda), row by row: lambda = lower where y > 0, upper where y < 0, between where y = 0. In
/// mechanics y is the velocity u and the bounds are those of the force [N].
struct RelayLaw {
  double lower = -1.0;
  double upper = 1.0;
};

/// -y in N_K(lambda), K = {lambda: A lambda <= b} a polyhedron, as many rows a block as A has columns. In mechanics y
/// is the velocity u and lambda a force. In the problem of a step: y + A^T z = 0, 0 <= z ⟂ b - A lambda >= 0.
struct NormalConeLaw {
  Eigen::MatrixXd A{};  ///< faces x rows
  Eigen::VectorXd b{};  ///< faces
};

/// -y in N_S(lambda), S = {lambda >= 0, sum lambda = 1} the simplex: lambda weighs the rows where y is least. In the
/// problem of a step 0 <= lambda_i ⟂ y_i - mu >= 0, sum lambda = 1. The law of a FilippovSystem (filippov.hpp). In
/// mechanics y is the velocity u and lambda a force.
struct SimplexLaw {
  Index rows = 2;  ///< a block, 1 to 1024
};

/// -y = F(lambda), row by row: F a maximal monotone graph that is piecewise linear, through the points (lambda_i, z_i)
/// of which neither coordinate falls from one to the next; before the first and after the last point straight, with a
/// slope dz/dlambda that is infinite for a vertical end (lambda bounded).
///   ideal diode          {(0, 0)}, slope_before infinity, slope_after 0
///   Zener diode          {(0, 0), (V, 0)}, both infinity (RelayLaw of bounds 0, V)
///   diode with a drop V  {(0, V)}, infinity, slope_after the resistance
///   saturating amplifier {(-1, -a), (1, a)}, both infinity
/// In the problem of a step each segment is a box variable of its own: z = z_0 + sum of zeta_i,
/// lambda - lambda_i - zeta_i / slope_i in N_[0, z_{i+1} - z_i](zeta_i). In mechanics y is the velocity u and lambda a
/// force.
struct PiecewiseLinearLaw {
  std::vector<std::pair<double, double>> points{{0.0, 0.0}};  ///< (lambda_i, z_i), at least one
  double slope_before = 0.0;                                  ///< dz/dlambda >= 0; infinity: vertical
  double slope_after = 0.0;                                   ///< dz/dlambda >= 0; infinity: vertical
};

[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const RelayLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const NormalConeLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const SimplexLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const PiecewiseLinearLaw& law);

}  // namespace nonsmooth
