// SPDX-License-Identifier: Apache-2.0
#include <problems/published.hpp>

#include <cmath>

#include <problems/lcp.hpp>

namespace nonsmooth::problems {

Published segment_of_solutions() {
  return {"segment of solutions",
          {Eigen::MatrixXd{{1, 1}, {1, 1}}, Eigen::VectorXd{{-1, -1}}},
          {Eigen::VectorXd{{1, 0}}, Eigen::VectorXd{{0, 1}}, Eigen::VectorXd{{0.5, 0.5}}},
          false};
}

Published cycling() {
  return {"cycling",
          {Eigen::MatrixXd{{1, 2, 0}, {0, 1, 2}, {2, 0, 1}}, Eigen::VectorXd{{-1, -1, -1}}},
          {Eigen::VectorXd::Constant(3, 1.0 / 3.0)},
          true};
}

Published cottle() {
  return {"cottle",
          {Eigen::MatrixXd{{0, -1, 2}, {2, 0, -2}, {-1, 1, 0}}, Eigen::VectorXd{{-3, 6, -1}}},
          {Eigen::VectorXd{{0, 1, 3}}},
          false};
}

Published game_of_three() {
  return {"game of three equilibria",
          {Eigen::MatrixXd{{0, 0, 10, 20}, {0, 0, 30, 15}, {10, 20, 0, 0}, {30, 15, 0, 0}},
           Eigen::VectorXd::Constant(4, -1.0)},
          {Eigen::VectorXd{{1.0 / 10, 0, 1.0 / 10, 0}}, Eigen::VectorXd{{0, 1.0 / 15, 0, 1.0 / 15}},
           Eigen::VectorXd{{1.0 / 90, 2.0 / 45, 1.0 / 90, 2.0 / 45}}},
          true};
}

Published three_activities(double l) {
  Eigen::VectorXd z{{l + 16.0, l + 16.0, 2.0 * (23.0 - l), 1286.0 - 9.0 * l}};
  z /= 13.0;
  if (l > 23.0) z = Eigen::VectorXd{{3, 3, 0, 83}};
  return {"three activities",
          {Eigen::MatrixXd{{11, 0, 10, -1}, {0, 11, 10, -1}, {10, 10, 21, -1}, {1, 1, 1, 0}},
           Eigen::VectorXd{{50, 50, l, -6}}},
          {z},
          true};
}

Published isolated_point() {
  return {"isolated point",
          {Eigen::MatrixXd{{0, -1, -1}, {1, 0, 0}, {-1, 0, 0}}, Eigen::VectorXd{{0, -1, 1}}},
          {Eigen::VectorXd{{1, 0, 0}}},
          true};
}

Published murty_lower(Index n) {
  Published p{"murty, lower", {Eigen::MatrixXd::Identity(n, n), Eigen::VectorXd(n)}, {}, true};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) p.problem.M(i, j) = 2.0;
    p.problem.q[i] = std::exp2(double(i + 1)) - std::exp2(double(n + 1));
  }
  p.solutions = {Eigen::VectorXd::Unit(n, 0) * -p.problem.q[0]};
  return p;
}

std::vector<Published> published() {
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
