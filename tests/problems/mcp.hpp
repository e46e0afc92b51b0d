// SPDX-License-Identifier: Apache-2.0
// Nonlinear complementarity problems with known answers. Every random one takes an explicit seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nonsmooth/numerics/mcp/problem.hpp>
#include <nonsmooth/numerics/relay/problem.hpp>

#include <problems/relay.hpp>

namespace nonsmooth::problems {

struct Mcp {
  std::string name;
  mcp::Problem problem;
  std::vector<Eigen::VectorXd> solutions;  ///< known ones, to their digits
  double digits = 0.0;                     ///< what the known ones may be off by
};

/// Four quadratics of two solutions, (sqrt6/2, 0, 0, 1/2), degenerate in x_2, and (1, 0, 3, 0). From 0.
/// Kojima, Shindo 1986 [kojima1986].
Mcp kojima_shindo();

/// Its nondegenerate sister: (sqrt6/2, 0, 0, 1/2) alone. Josephy 1979 [josephy1979]; data as in MCPLIB
/// [dirksemcplib1995].
Mcp josephy();

/// An economy of one sector, two factors and a price level, F homogeneous of degree 0 in three of the unknowns:
/// solutions are rays, (1/2, 3t, t, 2t) for b = 1/2 and (3/4, t, t, 0) for b = 2. Mathiesen 1987 [mathiesen1987].
Mcp mathiesen(double b);
/// How far x is from the ray.
double distance_to_mathiesen(double b, const Eigen::VectorXd& x);

/// Firms that sell into p(Q) = (5000/Q)^(1/gamma) at marginal costs of a power law: five by Murphy, Sherali, Soyster
/// 1982 [murphy1982], ten by Harker 1988 [harker1988]; answers to four digits.
Mcp nash_cournot_5();
Mcp nash_cournot_10();

/// F = (x - 1)^2 - 1.01, x >= 0, from `start`: 1 + sqrt(1.01). Near 0 every merit function of F has a minimum that
/// solves nothing. Billups 1995 [billups1995].
Mcp billups(double start = 0.0);

/// A w of a linear problem, dense or sparse: F = M x + q.
mcp::Problem as_mcp(const relay::Problem& problem);
mcp::Problem as_mcp(const Eigen::SparseMatrix<double>& M, const Eigen::VectorXd& q);

/// -u'' = lambda e^u on (0, 1), u(0) = u(1) = 0, n inner points, times h^2, within 0 <= u <= ceiling; lambda < 3.51.
/// Where the ceiling is not reached u = -2 ln(cosh((x - 1/2) theta/2) / cosh(theta/4)),
/// theta = sqrt(2 lambda) cosh(theta/4), up to O(h^2).
Mcp bratu_1d(Index n, double lambda, double ceiling);
/// The same on the unit square, m x m inner points; no closed form.
Mcp bratu_2d(Index m, double lambda, double ceiling);

/// F = M x + c x^3 + e (exp(x / 2) - 1) + q, c, e >= 0 entry by entry, M positive definite without symmetry: strongly
/// monotone, one solution, which is planted. Bounds as random_relay_p has them; a share of the rows is degenerate.
Mcp random_monotone_mcp(Index n, std::uint64_t seed, Bounds kinds, double degenerate = 0.0);

/// The same in other units: rows and columns scaled by powers of ten over `decades`, NonlinearMap::sizes with them.
Mcp rescaled(Mcp mcp, std::uint64_t seed, double decades);

/// M of any sign with a planted solution, and sines: others may exist.
Mcp random_any_mcp(Index n, std::uint64_t seed, Bounds kinds);

/// A sparse one: tridiagonal M and cubes, l = 0, a planted solution.
Mcp sparse_chain(Index n, std::uint64_t seed);

/// F_i = log(x_i / a_i), x >= 1e-8: does not exist beyond; x = a.
Mcp logarithms();

/// The certificate's residual by other code: the projection as it is written, in long double from F and J.
double independent_residual(const mcp::Problem& problem, const Eigen::VectorXd& x);

}  // namespace nonsmooth::problems
