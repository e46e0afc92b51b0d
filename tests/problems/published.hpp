// SPDX-License-Identifier: Apache-2.0
// Small linear complementarity problems of the literature, with every solution that their source gives.
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::problems {

struct Published {
  std::string name;
  lcp::Problem problem;
  std::vector<Eigen::VectorXd> solutions;
  bool complete = false;  ///< there are no others
};

/// w_1 = w_2 = z_1 + z_2 - 1: every point of the segment z_1 + z_2 = 1 solves. Cottle, Pang, Stone 1992, remark 4.1.14
/// [cottle1992]; problem 10.2.2 of Floudas et al. 1999 [floudas1999].
Published segment_of_solutions();

/// A P-matrix on which principal pivoting by the most negative row cycles: z = (1, 1, 1)/3. Murty 1974 [murty1974];
/// Kostreva 1979 [kostreva1979].
Published cycling();

/// No sign pattern of a class, one solution z = (0, 1, 3), w = (2, 0, 0). Problem 10.2.3 of Floudas et al. 1999
/// [floudas1999]; Cottle, Pang, Stone 1992, example 4.3.3 [cottle1992].
Published cottle();

/// A bimatrix game with three equilibria; Lemke-Howson paths from pure strategies reach the first two only. Cottle,
/// Pang, Stone 1992, example 4.4.23 [cottle1992]; problem 10.2.4 of Floudas et al. 1999 [floudas1999].
Published game_of_three();

/// A quadratic program of three activities and one demand of 6, l the cost of the third: for l <= 23
/// z = (l + 16, l + 16, 2 (23 - l), 1286 - 9 l)/13, above z = (3, 3, 0, 83). M is positive semidefinite (its symmetric
/// part has a zero block), the solution unique. Problem 10.2.9 of Floudas et al. 1999 [floudas1999].
Published three_activities(double l);

/// w_1 = -z_2 - z_3, w_2 = z_1 - 1, w_3 = 1 - z_1: the feasible set is the point (1, 0, 0), and the slightest change of
/// q_1 below 0 empties it. After an example of Pang's on isolated solutions.
Published isolated_point();

/// Murty's problem with the lower triangle and q_i = 2^i - 2^(n+1), i = 1..n: z = (2^(n+1) - 2) e_1, where
/// w_i = 2^(n+1) + 2^i - 4 > 0 for i > 1. With the upper triangle that q is the exponential one. [murty1978]
Published murty_lower(Index n);

std::vector<Published> published();

}  // namespace nonsmooth::problems
