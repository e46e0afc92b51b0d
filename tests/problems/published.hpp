// SPDX-License-Identifier: Apache-2.0
// Small linear complementarity problems of the literature, with every solution that their source gives.
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/numerics/lcp/problem.hpp>

#include "lcp.hpp"

namespace nonsmooth::problems {

struct Published {
  std::string name;
  lcp::Problem problem;
  std::vector<Eigen::VectorXd> solutions;
  bool complete = false;  ///< there are no others
};

/// w_1 = w_2 = z_1 + z_2 - 1: every point of the segment z_1 + z_2 = 1 solves. Cottle, Pang, Stone 1992, remark 4.1.14
/// [cottle1992]; problem 10.2.2 of Floudas et al. 1999 [floudas1999].
inline Published segment_of_solutions() {
  return {"segment of solutions",
          {Eigen::MatrixXd{{1, 1}, {1, 1}}, Eigen::VectorXd{{-1, -1}}},
          {Eigen::VectorXd{{1, 0}}, Eigen::VectorXd{{0, 1}}, Eigen::VectorXd{{0.5, 0.5}}},
          false};
}

/// A P-matrix on which principal pivoting by the most negative row cycles: z = (1, 1, 1)/3. Murty 1974 [murty1974];
/// Kostreva 1979 [kostreva1979].
inline Published cycling() {
  return {"cycling",
          {Eigen::MatrixXd{{1, 2, 0}, {0, 1, 2}, {2, 0, 1}}, Eigen::VectorXd{{-1, -1, -1}}},
          {Eigen::VectorXd::Constant(3, 1.0 / 3.0)},
          true};
}

/// No sign pattern of a class, one solution z = (0, 1, 3), w = (2, 0, 0). Problem 10.2.3 of Floudas et al. 1999
/// [floudas1999]; Cottle, Pang, Stone 1992, example 4.3.3 [cottle1992].
inline Published cottle() {
  return {"cottle",
          {Eigen::MatrixXd{{0, -1, 2}, {2, 0, -2}, {-1, 1, 0}}, Eigen::VectorXd{{-3, 6, -1}}},
          {Eigen::VectorXd{{0, 1, 3}}},
          false};
}

/// A bimatrix game with three equilibria; Lemke-Howson paths from pure strategies reach the first two only. Cottle,
/// Pang, Stone 1992, example 4.4.23 [cottle1992]; problem 10.2.4 of Floudas et al. 1999 [floudas1999].
inline Published game_of_three() {
  return {"game of three equilibria",
          {Eigen::MatrixXd{{0, 0, 10, 20}, {0, 0, 30, 15}, {10, 20, 0, 0}, {30, 15, 0, 0}},
           Eigen::VectorXd::Constant(4, -1.0)},
          {Eigen::VectorXd{{1.0 / 10, 0, 1.0 / 10, 0}}, Eigen::VectorXd{{0, 1.0 / 15, 0, 1.0 / 15}},
           Eigen::VectorXd{{1.0 / 90, 2.0 / 45, 1.0 / 90, 2.0 / 45}}},
          true};
}

/// A quadratic program of three activities and one demand of 6, l the cost of the third: for l <= 23
/// z = (l + 16, l + 16, 2 (23 - l), 1286 - 9 l)/13, above z = (3, 3, 0, 83). M is positive semidefinite (its symmetric
/// part has a zero block), the solution unique. Problem 10.2.9 of Floudas et al. 1999 [floudas1999].
inline Published three_activities(double l) {
  Eigen::VectorXd z{{l + 16.0, l + 16.0, 2.0 * (23.0 - l), 1286.0 - 9.0 * l}};
  z /= 13.0;
  if (l > 23.0) z = Eigen::VectorXd{{3, 3, 0, 83}};
  return {"three activities",
          {Eigen::MatrixXd{{11, 0, 10, -1}, {0, 11, 10, -1}, {10, 10, 21, -1}, {1, 1, 1, 0}},
           Eigen::VectorXd{{50, 50, l, -6}}},
          {z},
          true};
}

/// w_1 = -z_2 - z_3, w_2 = z_1 - 1, w_3 = 1 - z_1: the feasible set is the point (1, 0, 0), and the slightest change of
/// q_1 below 0 empties it. After an example of Pang's on isolated solutions.
inline Published isolated_point() {
  return {"isolated point",
          {Eigen::MatrixXd{{0, -1, -1}, {1, 0, 0}, {-1, 0, 0}}, Eigen::VectorXd{{0, -1, 1}}},
          {Eigen::VectorXd{{1, 0, 0}}},
          true};
}

/// Murty's problem with the lower triangle and q_i = 2^i - 2^(n+1), i = 1..n: z = (2^(n+1) - 2) e_1, where
/// w_i = 2^(n+1) + 2^i - 4 > 0 for i > 1. With the upper triangle that q is the exponential one. [murty1978]
inline Published murty_lower(Index n) {
  Published p{"murty, lower", {Eigen::MatrixXd::Identity(n, n), Eigen::VectorXd(n)}, {}, true};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) p.problem.M(i, j) = 2.0;
    p.problem.q[i] = std::exp2(double(i + 1)) - std::exp2(double(n + 1));
  }
  p.solutions = {Eigen::VectorXd::Unit(n, 0) * -p.problem.q[0]};
  return p;
}

inline std::vector<Published> published() {
  return {segment_of_solutions(),
          cycling(),
          cottle(),
          game_of_three(),
          three_activities(1.0),
          three_activities(16.0),
          three_activities(23.0),
          three_activities(100.0),
          isolated_point(),
          murty_lower(8),
          {"murty", murty(8).problem, {murty(8).z}, true},
          {"fathi", fathi(8).problem, {fathi(8).z}, true}};
}

}  // namespace nonsmooth::problems
