// SPDX-License-Identifier: Apache-2.0
// Three fingers hold a cylinder (axis upwards) at equal angles, at the height of its centre of mass. Finger i presses
// with N_i and rubs with (T_i, V_i), along the circumference and upwards. How hard must the hardest press?
//   minimise t    subject to    N_i <= t,   |(T_i, V_i)| <= mu N_i,   forces and moments of all + the load = 0:
// a second-order cone program. The load is the weight m g and a pull H across the axis.
#include <cmath>
#include <iostream>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <nonsmooth/io.hpp>
#include <nonsmooth/numerics/cone_program.hpp>

#include "picture.hpp"
using namespace nonsmooth;

constexpr double weight = 0.5 * 9.81, mu = 0.4, pi = std::numbers::pi;  // [N]
constexpr int fingers = 3;

/// x = (N_1, T_1, V_1, N_2, ..., t). Rows of G: t - N_i >= 0, then the cones (mu N_i, T_i, V_i).
cone_program::Problem grasp(double H, double direction) {
  const int n = 3 * fingers + 1;
  std::vector<Eigen::Triplet<double>> A, G;
  for (int i = 0; i < fingers; ++i) {
    const Eigen::Vector3d axes[] = {-outwards(i), Eigen::Vector3d::UnitZ().cross(outwards(i)),
                                    Eigen::Vector3d::UnitZ()};
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d moment = outwards(i).cross(axes[k]);  // over the radius
      for (int row = 0; row < 3; ++row) {
        A.emplace_back(row, 3 * i + k, axes[k][row]);
        A.emplace_back(3 + row, 3 * i + k, moment[row]);
      }
      G.emplace_back(fingers + 3 * i + k, 3 * i + k, k == 0 ? -mu : -1.0);
    }
    G.emplace_back(i, 3 * i, 1.0), G.emplace_back(i, n - 1, -1.0);
  }
  cone_program::Problem problem{.c = Eigen::VectorXd::Unit(n, n - 1),
                                .A = Eigen::SparseMatrix<double>(6, n),
                                .b = Eigen::VectorXd::Zero(6),
                                .G = Eigen::SparseMatrix<double>(4 * fingers, n),
                                .h = Eigen::VectorXd::Zero(4 * fingers),
                                .orthant = fingers,
                                .cones = std::vector<Index>(fingers, 3)};
  problem.A.setFromTriplets(A.begin(), A.end()), problem.G.setFromTriplets(G.begin(), G.end());
  problem.b.head(3) = Eigen::Vector3d{-H * std::cos(direction), -H * std::sin(direction), weight};
  return problem;
}

cone_program::Result hold(double H, double direction) {
  auto result = cone_program::solve(grasp(H, direction));
  if (!result) throw std::runtime_error(result.message());
  return result;
}

/// How hard the hardest presses.
double hardest(double H, double direction) { return hold(H, direction).figures.value; }

/// Pulled towards finger 1. Each carries V = m g / 3, the others brake by T: N_1 = H + N - sqrt(3) T, T^2 + V^2 =
/// mu^2 N^2. All press alike as long as that helps, up to the N where dN_1/dN = 0.
double towards(double H) {
  const double V = weight / 3.0, root = std::sqrt(1.0 - 3.0 * mu * mu);
  return H <= 3.0 * mu * V / root ? std::sqrt(H * H / 3.0 + V * V) / mu : H + V * root / mu;
}

/// Pulled away from it, N_1 = V / mu, and N + sqrt(3) sqrt(mu^2 N^2 - V^2) = N_1 + H =: K for the others.
double away(double H) {
  const double V = weight / 3.0, K = V / mu + H, a = 1.0 - 3.0 * mu * mu;
  return (K - std::sqrt(K * K - a * (K * K + 3.0 * V * V))) / a;
}

int example(const Arguments& arguments) {
  Bounds bounds;

  // 1. The weight alone: each carries a third of it, and mu N = m g / 3. The gap is 1e-8 of its terms, one of which
  //    is t.
  Shown shown;
  const double least = weight / (3.0 * mu);
  const auto alone = hold(0.0, 0.0);
  std::cout << alone.message() << '\n';
  bounds.near("weight alone: hardest [N]", alone.figures.value, least, 1e-6 * least);

  // 2. With a pull towards a finger, and away from it, against the closed forms.
  double error = 0.0;
  for (double H = 0.0; H <= 8.0; H += 0.5) {
    shown.H.push_back(H);
    shown.towards.push_back(hardest(H, 0.0)), shown.away.push_back(hardest(H, pi));
    shown.towards_form.push_back(towards(H)), shown.away_form.push_back(away(H));
    error = std::max(
        {error, std::abs(shown.towards.back() / towards(H) - 1.0), std::abs(shown.away.back() / away(H) - 1.0)});
  }
  bounds.near("with a pull: error of the hardest", error, 0.0, 1e-6);
  shown.pulled_towards = hold(6.0, 0.0).x, shown.pulled_away = hold(6.0, pi).x;
  std::cout.precision(3);
  std::cout << "hardest under the weight alone " << alone.figures.value << " N, pulled by 6 N towards a finger "
            << hardest(6.0, 0.0) << " N, away from it " << hardest(6.0, pi) << " N\n";

  // 3. All directions. A third of a turn changes nothing, nor does the mirror image.
  for (const double H : {2.0, 4.0, 6.0}) {
    std::vector<double> pressed;
    for (int degrees = 0; degrees <= 360; degrees += 5) pressed.push_back(hardest(H, degrees * pi / 180.0));
    double unsymmetric = 0.0;
    for (std::size_t k = 0; k < pressed.size(); ++k)
      unsymmetric = std::max(
          {unsymmetric, std::abs(pressed[k] - pressed[(k + 24) % 72]), std::abs(pressed[k] - pressed[72 - k])});
    bounds.near("a third of a turn, mirrored [N]", unsymmetric, 0.0, 1e-5);
    shown.turned.push_back(pressed);
  }

  if (arguments.pictures()) std::cout << picture(shown, *arguments.pictures() / "grasp").message() << '\n';
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
