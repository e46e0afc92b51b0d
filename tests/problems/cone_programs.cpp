// SPDX-License-Identifier: Apache-2.0
#include <problems/cone_programs.hpp>

#include <random>

#include <Eigen/Geometry>

#include <problems/lcp.hpp>

namespace nonsmooth::problems {

ConeProgram planted_cone_program(Index n, Index equations, Index orthant, const std::vector<Index>& cones,
                                 std::uint64_t seed) {
  std::mt19937_64 random(seed);
  ConeProgram result;
  Index m = orthant;
  for (const Index size : cones) m += size;
  const Eigen::MatrixXd A = normal_matrix(random, equations, n), G = normal_matrix(random, m, n);
  result.x = normal_matrix(random, n, 1);
  result.y = normal_matrix(random, equations, 1);
  result.z.setZero(m);
  Eigen::VectorXd s = Eigen::VectorXd::Zero(m);
  for (Index i = 0; i < orthant; ++i) (random() % 2 ? s : result.z)[i] = 0.5 + double(random() % 8) / 8.0;
  Index first = orthant;
  for (const Index size : cones) {
    const Eigen::VectorXd side = normal_matrix(random, size - 1, 1);
    const std::uint64_t kind = random() % 3;
    Eigen::VectorXd boundary(size), other(size);
    boundary << side.norm(), side;
    other << 2.0 * side.norm(), -2.0 * side;
    if (kind == 0) {
      s.segment(first, size) = boundary;
      s[first] += 0.5;
    } else if (kind == 1) {
      result.z.segment(first, size) = boundary;
      result.z[first] += 0.5;
    } else {
      s.segment(first, size) = boundary;
      result.z.segment(first, size) = other;
    }
    first += size;
  }
  result.problem = {.c = -(A.transpose() * result.y + G.transpose() * result.z),
                    .A = A.sparseView(),
                    .b = A * result.x,
                    .G = G.sparseView(),
                    .h = G * result.x + s,
                    .orthant = orthant,
                    .cones = cones};
  return result;
}

cone_program::Problem grasp(Index fingers, std::uint64_t seed) {
  constexpr double mu = 0.5, moment = 0.1;
  std::mt19937_64 random(seed);
  std::vector<Eigen::Triplet<double>> A, G;
  Eigen::Vector3d point;
  for (Index i = 0; i < fingers; ++i) {
    point = i % 2 == 0 ? Eigen::Vector3d(normal_matrix(random, 3, 1)).normalized() : Eigen::Vector3d(-point);
    const Eigen::Vector3d normal = -point, first = normal.unitOrthogonal();
    const Eigen::Vector3d axes[] = {normal, first, normal.cross(first)};
    const int column = static_cast<int>(1 + 3 * i);
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d torque = point.cross(axes[k]);
      for (int row = 0; row < 3; ++row) {
        A.emplace_back(row, column + k, axes[k][row]);
        if (k > 0) A.emplace_back(3 + row, column + k, torque[row]);
      }
      G.emplace_back(static_cast<int>(fingers + 3 * i) + k, column + k, k == 0 ? -mu : -1.0);
    }
    G.emplace_back(static_cast<int>(i), 0, -1.0);
    G.emplace_back(static_cast<int>(i), column, 1.0);
  }
  const Index n = 1 + 3 * fingers;
  cone_program::Problem problem;
  problem.c = Eigen::VectorXd::Unit(n, 0);
  problem.A.resize(6, n);
  problem.A.setFromTriplets(A.begin(), A.end());
  problem.b = Eigen::VectorXd{{0, 0, 1, 0, 0, moment}};
  problem.G.resize(4 * fingers, n);
  problem.G.setFromTriplets(G.begin(), G.end());
  problem.h.setZero(4 * fingers);
  problem.orthant = fingers;
  problem.cones.assign(static_cast<std::size_t>(fingers), 3);
  return problem;
}

}  // namespace nonsmooth::problems
