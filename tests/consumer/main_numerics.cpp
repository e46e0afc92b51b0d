// SPDX-License-Identifier: Apache-2.0
// The LCP  w = M z + q,  0 <= z ⟂ w >= 0  with M = [2 1; 1 2], q = (-5, -6). M is positive definite, so z is unique;
// z > 0 forces w = 0, hence z = -M^-1 q = (4/3, 7/3).
#include <cmath>
#include <iostream>

#include <nonsmooth/numerics.hpp>

int main() {
  nonsmooth::lcp::Problem problem;
  problem.M = Eigen::MatrixXd{{2.0, 1.0}, {1.0, 2.0}};
  problem.q = Eigen::VectorXd{{-5.0, -6.0}};

  const auto result = nonsmooth::lcp::solve(problem);
  if (!result) {
    std::cerr << result.message() << '\n';
    return 1;
  }
  const double error = std::hypot(result.z[0] - 4.0 / 3.0, result.z[1] - 7.0 / 3.0);
  std::cout << "z = " << result.z.transpose() << ", error " << error << '\n';
  return error < 1e-9 ? 0 : 1;
}
