// SPDX-License-Identifier: Apache-2.0
// A leader sets the toll p of a road, drivers answer (Stackelberg). Group k, d_k drivers, has that road, which takes
// t = a + b sum v_j and costs p, and one of its own, which takes a_k + b_k (d_k - v_k). With T_k the least cost,
//   0 <= v_k        ⟂  t + p - T_k >= 0,                            a road that is used costs the least:
//   0 <= d_k - v_k  ⟂  a_k + b_k (d_k - v_k) - T_k >= 0             nobody gains by another one (Wardrop).
// The leader earns p sum v_k. In x = (p, v_1, ..., v_K, T_1, ..., T_K) that is a quadratic program with complementarity
// constraints; p v has no sign, but on every choice of sides v falls linearly with p, and the program is convex.
#include <algorithm>
#include <iostream>
#include <stdexcept>

#include <nonsmooth/numerics/mpcc.hpp>

#include "network.hpp"
using namespace nonsmooth;

/// The constraints, without an objective.
mpcc::Problem drivers(const Network& network) {
  const auto K = static_cast<Index>(network.groups.size()), n = 1 + 2 * K;
  mpcc::Problem problem{.Q = Eigen::MatrixXd::Zero(n, n), .c = Eigen::VectorXd::Zero(n)};
  problem.lower = Eigen::VectorXd::Zero(n);  // p, v and times
  problem.upper = Eigen::VectorXd::Constant(n, 1000.0);
  problem.G = Eigen::MatrixXd::Zero(2 * K, n), problem.H = problem.G;
  problem.g = Eigen::VectorXd::Zero(2 * K), problem.h = problem.g;
  for (Index k = 0; k < K; ++k) {
    const Group& group = network.groups[static_cast<std::size_t>(k)];
    const Index v = 1 + k, T = 1 + K + k, own = K + k;
    problem.G(k, v) = 1.0;
    problem.H(k, 0) = 1.0, problem.H(k, T) = -1.0, problem.h[k] = network.alone;
    problem.H.block(k, 1, 1, K).setConstant(network.congestion);
    problem.G(own, v) = -1.0, problem.g[own] = group.demand;
    problem.H(own, v) = -group.congestion, problem.H(own, T) = -1.0;
    problem.h[own] = group.alone + group.congestion * group.demand;
  }
  return problem;
}

/// minimise -p sum v.
mpcc::Problem revenue(const Network& network) {
  mpcc::Problem problem = drivers(network);
  const auto K = static_cast<Index>(network.groups.size());
  problem.Q.row(0).segment(1, K).setConstant(-1.0), problem.Q.col(0).segment(1, K).setConstant(-1.0);
  return problem;
}

/// minimise what all spend: t sum v + sum (a_k + b_k (d_k - v_k)) (d_k - v_k), less its part without v.
mpcc::Problem time_of_all(const Network& network) {
  mpcc::Problem problem = drivers(network);
  const auto K = static_cast<Index>(network.groups.size());
  problem.Q.block(1, 1, K, K).setConstant(2.0 * network.congestion);
  for (Index k = 0; k < K; ++k) {
    const Group& group = network.groups[static_cast<std::size_t>(k)];
    problem.Q(1 + k, 1 + k) += 2.0 * group.congestion;
    problem.c[1 + k] = network.alone - group.alone - 2.0 * group.congestion * group.demand;
  }
  return problem;
}

/// The equilibrium where the toll road costs P, as a start.
Eigen::VectorXd equilibrium(const Network& network, double P) {
  const auto K = static_cast<Index>(network.groups.size());
  Eigen::VectorXd x(1 + 2 * K);
  x[0] = network.toll(P);
  for (Index k = 0; k < K; ++k) {
    const Group& group = network.groups[static_cast<std::size_t>(k)];
    x[1 + k] = group.flow(P);
    x[1 + K + k] = std::min(P, group.alone + group.congestion * (group.demand - x[1 + k]));
  }
  return x;
}

/// Between two costs P at which a group begins or ends to leave the toll road, its flow is c - s P: the toll is P - a -
/// b (c - s P), and the revenue a parabola with its top at P = ((1 + b s) c + s (a + b c)) / (2 s (1 + b s)). The P of
/// all tops that lie in their intervals.
std::vector<double> tops(const Network& network) {
  std::vector<double> ends, all;
  for (const Group& group : network.groups)
    ends.insert(ends.end(), {group.alone, group.alone + group.congestion * group.demand});
  std::sort(ends.begin(), ends.end());
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    double c = 0.0, s = 0.0;
    for (const Group& group : network.groups) {
      const double last = group.alone + group.congestion * group.demand;
      if (ends[i] >= group.alone && ends[i + 1] <= last) {
        c += last / group.congestion, s += 1.0 / group.congestion;
      } else if (ends[i + 1] <= group.alone) {
        c += group.demand;
      }
    }
    const double b = network.congestion, a = network.alone;
    const double P = ((1.0 + b * s) * c + s * (a + b * c)) / (2.0 * s * (1.0 + b * s));
    if (s > 0.0 && P > ends[i] && P < ends[i + 1]) all.push_back(P);
  }
  return all;
}

mpcc::Result solved(const mpcc::Result& result) {
  std::cout << result.message() << '\n';
  if (!result) throw std::runtime_error("no answer");
  return result;
}

int example(const Arguments& arguments) {
  Bounds bounds;
  const Network network{.groups = {{3, 18, 1}, {2, 24, 6}, {1, 30, 40}}};
  Shown shown;

  // 1. The best toll of all, by branch and bound on the sides. Tops at tolls of 7, 16, 30 min: 49/2, 256/7, 900/41.
  //    The certificate is 1e-10 of data of 100.
  const auto best = solved(mpcc::solve(revenue(network), mpcc::BranchAndBound{}));
  bounds.near("best toll [min]", best.x[0], 16.0, 1e-6);
  bounds.near("its revenue", -best.figures.value, 256.0 / 7.0, 1e-6);
  shown.best_toll = best.x[0], shown.best_revenue = -best.figures.value;

  // 2. The relaxation gives local answers: the top of the part of the curve on which it starts.
  const std::vector<double> all = tops(network), starts{19.0, 28.0, 45.0};
  if (all.size() != starts.size()) throw std::runtime_error("another number of tops");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto local =
        solved(mpcc::solve(revenue(network), mpcc::Relaxation{.start = equilibrium(network, starts[i])}));
    bounds.near("local answer, toll [min]", local.x[0], network.toll(all[i]), 1e-6);
    shown.local_toll.push_back(local.x[0]), shown.local_revenue.push_back(-local.figures.value);
  }

  // 3. A planner wants all drivers together to spend the least time: 94 with a toll of 4, 96 without.
  const auto planned = solved(mpcc::solve(time_of_all(network), mpcc::BranchAndBound{}));
  double without = 0.0;  // all on their own roads
  for (const Group& group : network.groups) without += group.demand * (group.alone + group.congestion * group.demand);
  bounds.near("planner's toll [min]", planned.x[0], 4.0, 1e-6);
  bounds.near("time of all drivers", planned.figures.value + without, 94.0, 1e-6);
  shown.planner_toll = planned.x[0], shown.planner_time = planned.figures.value + without;

  // 4. A limit price: with (4, 18, 2) and (2, 34, 10) the best toll, 22, is the last at which all of group 2 stays.
  //    Both sides of its second pair are 0, nobody on its own road, which would take as long.
  const Network threshold{.groups = {{4, 18, 2}, {2, 34, 10}}};
  const auto limit = solved(mpcc::solve(revenue(threshold), mpcc::BranchAndBound{}));
  bounds.near("limit price [min]", limit.x[0], 22.0, 1e-6);
  bounds.near("its revenue", -limit.figures.value, 44.0, 1e-6);
  bounds.near("pairs of which both sides are 0", double(limit.biactive.size()), 1.0, 0.0);
  bounds.within("its stationarity is B or S", double(limit.stationarity), double(mpcc::Stationarity::Bouligand),
                double(mpcc::Stationarity::Strong));

  std::cout.precision(4);
  std::cout << "toll " << best.x[0] << " min earns " << -best.figures.value << ", stationarity "
            << to_string(best.stationarity) << "\nlimit price " << limit.x[0] << " min, stationarity "
            << to_string(limit.stationarity) << '\n';
  std::cout << "a planner's toll of " << planned.x[0] << " min: all drivers spend " << shown.planner_time << '\n';

  if (arguments.pictures()) std::cout << picture(network, shown, *arguments.pictures() / "toll_road").message() << '\n';
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
