// SPDX-License-Identifier: Apache-2.0
// Strings and membranes over obstacles, twisted bars that yield: sparse problems with closed forms.
#pragma once

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::problems {

/// A boundary value problem on a grid, and its closed form there.
struct Discretized {
  lcp::SparseProblem problem;
  Eigen::VectorXd exact;  ///< the closed form of z at the nodes; empty where there is none
  double h = 0.0;         ///< the grid's step
};

/// The five-point operator on m x m inner nodes, times h^2; node (i, j) is row j m + i.
Eigen::SparseMatrix<double> five_points(Index m);

/// A string of tension 1 from (-1, 0) to (1, 0) over the hill psi = cos 3x - 1/2, z = u - psi: it rests on [-a, a] and
/// is straight outside, tangent at a: psi(a) + psi'(a) (1 - a) = 0. n odd inner points. Rows times h^2.
Discretized string_over_hill(Index n);

/// A membrane over the unit ball on (-2, 2)^2, psi = sqrt(1 - r^2) (continued linearly in r from r = 0.9 on): it rests
/// on r <= a, outside u = -A ln r + B, and u is that on the boundary. Value and slope at a: A = a^2/sqrt(1 - a^2),
/// B = sqrt(1 - a^2) + A ln a; u = 0 at r = 2: a^2 (ln 2 - ln a) = 1 - a^2, a = 0.697965148223374. Bueler 2021
/// [bueler2021]. z = u - psi, m x m inner nodes, rows times h^2.
Discretized membrane_over_ball(Index m);

/// A bar of circular section (radius 1, yield slope 1) under the twist c: -Laplace u = c where |grad u| < 1. The bound
/// on the slope is the upper obstacle u <= 1 - r (Brezis, Sibony 1971 [brezis1971]): with r_e = min(1, 2/c),
/// u = 1 - r outside r_e, u = 1 - r_e + c (r_e^2 - r^2)/4 within. z = 1 - r - u at r_i = i/n, i = 0..n-1; cells in r.
/// Glowinski, Lions, Trémolières 1981 [glowinski1981].
Discretized torsion_disk(Index n, double c);

/// Its torque 2 ∫ u dA: pi c/4 while elastic (c <= 2), 2 pi/3 (1 - 2/c^3) beyond; 2 pi/3 is the plastic limit.
double torsion_disk_torque(double c);

/// The same for the unit square: u <= distance to the boundary. z = distance - u, m x m inner nodes, rows times h^2.
/// Elastic torque c (1/6 - 32/pi^5 sum tanh(k pi/2)/k^5, k odd) while c < 2.96; plastic limit 1/3.
Discretized torsion_square(Index m, double c);

}  // namespace nonsmooth::problems
