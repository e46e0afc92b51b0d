// SPDX-License-Identifier: Apache-2.0
#pragma once

// First-order models with nonlinear inputs and sampled feedback, each with its equations, its parameters and the scheme
// it is run with; those of the reference trajectories of an independent code.

#include <problems/models.hpp>

namespace nonsmooth::problems {

/// Gene network of two proteins x with step functions s_i in [0, 1] of the thresholds y = (4 - x_0, 4 - x_1, 8 - x_0,
/// 8 - x_1), s_i = 0 below its threshold (y_i > 0) and 1 above:
///     x_0' = -4.5 x_0 + 40 (1 - s_2) s_1,   x_1' = -1.5 x_1 + 40 s_0 (1 - s_3),   x(0) = (1, 6).
/// Both slide on their upper thresholds in the end: x = (8, 8), s = (1, 1, 0.1, 0.7).
Model gene_network();

/// Zhuravlev and Ivanov's transformation of a ball that bounces with losses into a first-order system without impacts:
/// with lambda in -Sgn(x) row by row and kappa = 1/2,
///     x_0' = x_1 - kappa lambda_0 lambda_1 x_1,   x_1' = g lambda_0 / (1 - kappa lambda_0 lambda_1),   x(0) = (1, 10).
/// The height is |x_0|, the restitution (1 - kappa) / (1 + kappa) = 1/3; g = 9.81 m/s^2. The bounces accumulate at 1.86
/// s, and the ball rests from there on: lambda_0 = 0, while lambda_1 acts on nothing and may be anything.
Model unfolded_ball();

/// A linear complementarity system driven by u = 30 sin 50 t, and a Luenberger observer of it that samples the output
/// x_0 + x_1 at the start of each step:
///     x' = A x + (u, 2 u) + B lambda,              A = [1 1; 3 1],   B = (-1, 1),   x(0) = (10, 0),
///     z' = (A - L G) z + (u, 2 u) + L G x + B mu,  L = (1, 1),       G = (2, 2),    z(0) = 0,
///     0 <= (-1, 1) x + lambda + u ⟂ lambda >= 0,   0 <= (-1, 1) z + mu + u ⟂ mu >= 0.
Model observed_system();

}  // namespace nonsmooth::problems
