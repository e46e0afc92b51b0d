// SPDX-License-Identifier: Apache-2.0
// Traffic in which nobody gains by another route (Wardrop 1952). Unknown are the flow v_e of each road e = (i, j),
// which takes the time t_e(v_e), and the least time T_i from each place i to the goal, where T = 0:
//   0 <= v_e  ⟂  t_e(v_e) + T_j - T_i >= 0          a road that is used is on a quickest way,
//   flow out of i - flow into i = demand d_i         what starts at i leaves it; the goal's row is T = 0 instead.
// A mixed complementarity problem with a sparse Jacobian, and no list of routes.
#include <cmath>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <vector>

#include "network.hpp"
using namespace nonsmooth;

/// x = (v, T).
mcp::Problem wardrop(const Network& network) {
  const auto roads = static_cast<Index>(network.roads.size()), places = network.demand.size(), n = roads + places;
  const double unbounded = std::numeric_limits<double>::infinity();
  mcp::Problem problem{.F = {.num_unknowns = n, .num_values = n},
                       .lower = Eigen::VectorXd::Zero(n),
                       .upper = Eigen::VectorXd::Constant(n, unbounded)};
  problem.lower.tail(places).setConstant(-unbounded);
  problem.lower[roads + network.goal] = problem.upper[roads + network.goal] = 0.0;
  problem.F.value = [network, roads](ConstVectorRef x, VectorRef f) {
    f.tail(network.demand.size()) = -network.demand;
    for (Index e = 0; e < roads; ++e) {
      const Road& road = network.roads[static_cast<std::size_t>(e)];
      f[e] = road.time(x[e]) + x[roads + road.to] - x[roads + road.from];
      f[roads + road.from] += x[e];
      f[roads + road.to] -= x[e];
    }
  };
  problem.F.jacobian = [network, roads](ConstVectorRef x, Eigen::SparseMatrix<double>& J) {
    std::vector<Eigen::Triplet<double>> entries;
    for (Index e = 0; e < roads; ++e) {
      const Road& road = network.roads[static_cast<std::size_t>(e)];
      const int row = static_cast<int>(e), from = static_cast<int>(roads) + road.from,
                to = static_cast<int>(roads) + road.to;
      entries.emplace_back(row, row, road.slope * road.power * std::pow(x[e], road.power - 1.0));
      entries.emplace_back(row, to, 1.0), entries.emplace_back(row, from, -1.0);
      entries.emplace_back(to, row, -1.0), entries.emplace_back(from, row, 1.0);
    }
    J.setFromTriplets(entries.begin(), entries.end());
  };
  return problem;
}

Traffic solve(const std::string& name, const Network& network) {
  const auto result = mcp::solve(wardrop(network));
  std::cout << name << ": " << result.message() << '\n';
  if (!result) throw std::runtime_error("no equilibrium");
  const auto places = network.demand.size();
  return {name, network, result.x.head(result.x.size() - places), result.x.tail(places)};
}

/// Least times to the goal by plain relaxation (Bellman, Ford), which knows nothing of the problem above.
Eigen::VectorXd quickest(const Network& network, const Eigen::VectorXd& v) {
  Eigen::VectorXd T = Eigen::VectorXd::Constant(network.demand.size(), 1e300);
  T[network.goal] = 0.0;
  for (Index round = 0; round < T.size(); ++round) {
    for (std::size_t e = 0; e < network.roads.size(); ++e) {
      const Road& road = network.roads[e];
      T[road.from] = std::min(T[road.from], T[road.to] + road.time(v[static_cast<Index>(e)]));
    }
  }
  return T;
}

int example(const Arguments& arguments) {
  Bounds bounds;
  const std::vector<Traffic> all{solve("Braess's network", braess(false)), solve("one road more", braess(true)),
                                 solve("a city, two bridges", city({1, 5})), solve("a third bridge", city({1, 3, 5}))};

  // 1. Braess 1968: without the road both routes carry 3 and take 10·3 + 50 + 3 = 83 min; with it each of three carries
  //    2, and all take 10·4 + 50 + 2 = 92 min. The new road makes everybody later.
  //    F is met to 1e-10 of its size, some 50.
  const Eigen::VectorXd without{{3, 3, 3, 3}}, with{{4, 2, 2, 4, 2}};
  bounds.near("Braess: error of the flows", (all[0].v - without).lpNorm<Eigen::Infinity>(), 0.0, 1e-8);
  bounds.near("Braess: minutes for everybody", all[0].T[0], 83.0, 1e-7);
  bounds.near("one road more: error of the flows", (all[1].v - with).lpNorm<Eigen::Infinity>(), 0.0, 1e-8);
  bounds.near("one road more: minutes for everybody", all[1].T[0], 92.0, 1e-7);

  // 2. Wardrop's conditions with least times found by other means: all together spend what their quickest ways take,
  //    sum_e v_e t_e = sum_i d_i T_i, which holds only if no road off a quickest way is used.
  for (const Traffic& traffic : all) {
    const Eigen::VectorXd T = quickest(traffic.network, traffic.v);
    bounds.near(traffic.name + ": spent / least", traffic.spent() / traffic.network.demand.dot(T), 1.0, 1e-8);
    bounds.near(traffic.name + ": error of T", (T - traffic.T).lpNorm<Eigen::Infinity>() / T.maxCoeff(), 0.0, 1e-8);
  }
  for (const Traffic& traffic : all) std::cout << traffic.name << ": " << traffic.mean_time() << " min a vehicle\n";
  // No closed form: the equilibrium is unique (times rise), each mean time is right to some 1e-8, and this is
  // their ratio.
  bounds.near("time with the third bridge / without", all[3].mean_time() / all[2].mean_time(), 0.91661, 1e-4);

  if (arguments.pictures()) std::cout << picture(all, *arguments.pictures() / "traffic_network").message() << '\n';
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
