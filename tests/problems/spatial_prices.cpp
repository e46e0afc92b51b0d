// SPDX-License-Identifier: Apache-2.0
#include <problems/spatial_prices.hpp>

#include <cmath>
#include <utility>

#include <problems/random_matrices.hpp>

namespace nonsmooth::problems {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

constexpr double congestion = 0.15;

MatrixXd loads(const SpatialPrices& prices, ConstVectorRef x) {
  const Index R = prices.num_regions();
  MatrixXd load = MatrixXd::Zero(R, R);
  for (Index g = 0; g < prices.num_goods(); ++g)
    for (Index i = 0; i < R; ++i)
      for (Index j = 0; j < R; ++j)
        load(i, j) +=
            prices.weight[g] * (x[prices.flow(g, i, j)] + (i == j ? 0.0 : prices.oncoming * x[prices.flow(g, j, i)]));
  return load;
}

/// Row g R + i of the first and g R + j of the second: 1 at the flows of which S_gi and D_gj are the sums.
std::pair<MatrixXd, MatrixXd> sums_of_flows(const SpatialPrices& prices) {
  const Index G = prices.num_goods(), R = prices.num_regions();
  MatrixXd supply = MatrixXd::Zero(G * R, G * R * R), demand = supply;
  for (Index g = 0; g < G; ++g)
    for (Index i = 0; i < R; ++i)
      for (Index j = 0; j < R; ++j)
        supply(g * R + i, prices.flow(g, i, j)) = demand(g * R + j, prices.flow(g, i, j)) = 1.0;
  return {supply, demand};
}

/// Prices by g R + i.
VectorXd listed(const MatrixXd& values) { return values.transpose().reshaped(); }
MatrixXd tabled(const SpatialPrices& prices, ConstVectorRef values) {
  return values.reshaped(prices.num_regions(), prices.num_goods()).transpose();
}

Mcp spatial_mcp(const char* name, Index n, std::function<void(ConstVectorRef, VectorRef)> value,
                std::function<void(ConstVectorRef, MatrixRef)> slopes) {
  NonlinearMap F{
      .num_unknowns = n, .num_values = n, .value = std::move(value), .dense_jacobian = std::move(slopes), .name = name};
  return {name, mcp::complementarity(std::move(F), VectorXd::Ones(n)), {}, 0.0};
}

}  // namespace

MatrixXd SpatialPrices::supplies(ConstVectorRef x) const { return tabled(*this, sums_of_flows(*this).first * x); }

MatrixXd SpatialPrices::demands(ConstVectorRef x) const { return tabled(*this, sums_of_flows(*this).second * x); }

MatrixXd SpatialPrices::supply_prices(const MatrixXd& S) const {
  return least_supply_price + supply_slope.cwiseProduct(S) + supply_bend.cwiseProduct(S.cwiseAbs2()) +
         supply_coupling * S;
}

MatrixXd SpatialPrices::demand_prices(const MatrixXd& D) const {
  return greatest_demand_price.cwiseProduct((-D.cwiseQuotient(demand_decay)).array().exp().matrix()) -
         demand_coupling * D;
}

VectorXd SpatialPrices::freights(ConstVectorRef x) const {
  const Index R = num_regions();
  const MatrixXd full = loads(*this, x).cwiseQuotient(capacity);
  VectorXd cost(x.size());
  for (Index g = 0; g < num_goods(); ++g)
    for (Index i = 0; i < R; ++i)
      for (Index j = 0; j < R; ++j)
        cost[flow(g, i, j)] = freight[size_t(g)](i, j) * (1.0 + congestion * std::pow(full(i, j), 4));
  return cost;
}

MatrixXd SpatialPrices::supply_price_slopes(const MatrixXd& S) const {
  const Index G = num_goods(), R = num_regions();
  MatrixXd slopes = listed(supply_slope + 2.0 * supply_bend.cwiseProduct(S)).asDiagonal();
  for (Index g = 0; g < G; ++g)
    for (Index k = 0; k < G; ++k)
      for (Index i = 0; i < R; ++i) slopes(g * R + i, k * R + i) += supply_coupling(g, k);
  return slopes;
}

MatrixXd SpatialPrices::demand_price_slopes(const MatrixXd& D) const {
  const Index G = num_goods(), R = num_regions();
  const MatrixXd falling = greatest_demand_price.cwiseQuotient(demand_decay)
                               .cwiseProduct((-D.cwiseQuotient(demand_decay)).array().exp().matrix());
  MatrixXd slopes = listed(-falling).asDiagonal();
  for (Index g = 0; g < G; ++g)
    for (Index k = 0; k < G; ++k)
      for (Index j = 0; j < R; ++j) slopes(g * R + j, k * R + j) -= demand_coupling(g, k);
  return slopes;
}

MatrixXd SpatialPrices::freight_slopes(ConstVectorRef x) const {
  const Index G = num_goods(), R = num_regions();
  const MatrixXd full = loads(*this, x).cwiseQuotient(capacity);
  MatrixXd slopes = MatrixXd::Zero(x.size(), x.size());
  for (Index g = 0; g < G; ++g) {
    for (Index i = 0; i < R; ++i) {
      for (Index j = 0; j < R; ++j) {
        const double by_load = freight[size_t(g)](i, j) * congestion * 4.0 * std::pow(full(i, j), 3) / capacity(i, j);
        for (Index k = 0; k < G; ++k) {
          slopes(flow(g, i, j), flow(k, i, j)) = by_load * weight[k];
          if (i != j) slopes(flow(g, i, j), flow(k, j, i)) = by_load * weight[k] * oncoming;
        }
      }
    }
  }
  return slopes;
}

Mcp spatial_price_flows(const SpatialPrices& prices) {
  const Index n = prices.num_goods() * prices.num_regions() * prices.num_regions();
  const auto [supply, demand] = sums_of_flows(prices);
  return spatial_mcp(
      "spatial prices by flows", n,
      [prices, supply = supply, demand = demand](ConstVectorRef x, VectorRef f) {
        f = supply.transpose() * listed(prices.supply_prices(tabled(prices, supply * x))) + prices.freights(x) -
            demand.transpose() * listed(prices.demand_prices(tabled(prices, demand * x)));
      },
      [prices, supply = supply, demand = demand](ConstVectorRef x, MatrixRef J) {
        J = supply.transpose() * prices.supply_price_slopes(tabled(prices, supply * x)) * supply +
            prices.freight_slopes(x) -
            demand.transpose() * prices.demand_price_slopes(tabled(prices, demand * x)) * demand;
      });
}

Mcp spatial_price_quantities(const SpatialPrices& prices) {
  const Index m = prices.num_goods() * prices.num_regions(), flows = m * prices.num_regions();
  const auto [supply, demand] = sums_of_flows(prices);
  return spatial_mcp(
      "spatial prices by quantities", flows + 4 * m,
      [=, supply = supply, demand = demand](ConstVectorRef y, VectorRef f) {
        const auto x = y.head(flows), S = y.segment(flows, m), D = y.segment(flows + m, m),
                   sigma = y.segment(flows + 2 * m, m), pi = y.tail(m);
        f.head(flows) = supply.transpose() * sigma + prices.freights(x) - demand.transpose() * pi;
        f.segment(flows, m) = listed(prices.supply_prices(tabled(prices, S))) - sigma;
        f.segment(flows + m, m) = pi - listed(prices.demand_prices(tabled(prices, D)));
        f.segment(flows + 2 * m, m) = S - supply * x;
        f.tail(m) = demand * x - D;
      },
      [=, supply = supply, demand = demand](ConstVectorRef y, MatrixRef J) {
        const Index s = flows, d = flows + m, sigma = flows + 2 * m, pi = flows + 3 * m;
        J.topLeftCorner(flows, flows) = prices.freight_slopes(y.head(flows));
        J.block(0, sigma, flows, m) = supply.transpose();
        J.block(0, pi, flows, m) = -demand.transpose();
        J.block(s, s, m, m) = prices.supply_price_slopes(tabled(prices, y.segment(s, m)));
        J.block(s, sigma, m, m) = -MatrixXd::Identity(m, m);
        J.block(d, d, m, m) = -prices.demand_price_slopes(tabled(prices, y.segment(d, m)));
        J.block(d, pi, m, m).setIdentity();
        J.block(sigma, s, m, m).setIdentity();
        J.block(sigma, 0, m, flows) = -supply;
        J.block(pi, 0, m, flows) = demand;
        J.block(pi, d, m, m) = -MatrixXd::Identity(m, m);
      });
}

SpatialPrices four_regions() {
  return {.least_supply_price = MatrixXd{{2, 6, 9, 12}, {8, 3, 5, 6}},
          .supply_slope = MatrixXd{{0.5, 0.8, 1, 1}, {1, 0.4, 0.6, 1}},
          .supply_bend = MatrixXd{{0.05, 0.02, 0.05, 0.1}, {0.1, 0.02, 0.05, 0.1}},
          .supply_coupling = MatrixXd{{0, 0.2}, {-0.1, 0}},
          .greatest_demand_price = MatrixXd{{12, 16, 20, 11}, {18, 10, 15, 6}},
          .demand_decay = MatrixXd{{10, 12, 8, 5}, {9, 10, 12, 5}},
          .demand_coupling = MatrixXd{{0, 0.3}, {0.1, 0}},
          .freight{MatrixXd{{0, 1.5, 4, 8}, {2, 0, 2, 8}, {3.5, 2.5, 0, 8}, {8, 8, 8, 0}},
                   MatrixXd{{0, 1, 2, 5}, {0.8, 0, 1, 5}, {2, 1.2, 0, 5}, {8, 8, 8, 0}}},
          .capacity = MatrixXd{{1, 4, 3, 2}, {5, 1, 4, 2}, {3, 4, 1, 2}, {2, 2, 2, 1}},
          .weight = VectorXd{{1, 0.8}},
          .oncoming = 0.5};
}

PlantedPrices planted_prices(Index goods, Index regions, std::uint64_t seed) {
  Random random(seed);
  const auto table = [&](Index rows, double low, double high) {
    return MatrixXd(MatrixXd::NullaryExpr(rows, regions, [&] { return uniform(random, low, high); }));
  };
  const auto coupling = [&] {  // the slopes are 0.5 and more: a row of these and a column stay below that
    MatrixXd between = 0.25 / double(goods) * entries(random, goods, goods);
    between.diagonal().setZero();
    return between;
  };
  PlantedPrices planted;
  SpatialPrices& prices = planted.prices;
  prices = {.least_supply_price = MatrixXd::Zero(goods, regions),
            .supply_slope = table(goods, 0.5, 1.0),
            .supply_bend = table(goods, 0.0, 0.1),
            .supply_coupling = coupling(),
            .greatest_demand_price = MatrixXd::Zero(goods, regions),
            .demand_decay = table(goods, 10.0, 20.0),
            .demand_coupling = coupling(),
            .freight = std::vector<MatrixXd>(size_t(goods), MatrixXd::Ones(regions, regions)),
            .capacity = table(regions, 2.0, 4.0),
            .weight = VectorXd::NullaryExpr(goods, [&] { return uniform(random, 0.5, 1.0); }),
            .oncoming = 0.25};
  VectorXd& x = planted.flows;
  x = VectorXd::NullaryExpr(goods * regions * regions, [&] { return uniform(random, -1.0, 1.0); }).cwiseMax(0.0);
  const MatrixXd S = prices.supplies(x), D = prices.demands(x);
  // Supply prices between 1 and 5, demand prices between 10 and 30 at x, by a and m; then freights by what lies
  // between.
  const MatrixXd selling = table(goods, 1.0, 5.0), buying = table(goods, 10.0, 30.0);
  prices.least_supply_price = selling - prices.supply_prices(S);
  prices.greatest_demand_price =
      (buying + prices.demand_coupling * D).cwiseProduct(D.cwiseQuotient(prices.demand_decay).array().exp().matrix());
  const VectorXd crowded = prices.freights(x);  // of t = 1
  for (Index g = 0; g < goods; ++g) {
    for (Index i = 0; i < regions; ++i) {
      for (Index j = 0; j < regions; ++j) {
        const Index f = prices.flow(g, i, j);
        const double loss = x[f] > 0.0 ? 0.0 : uniform(random, 0.0, 2.0);
        prices.freight[size_t(g)](i, j) = (buying(g, j) - selling(g, i) + loss) / crowded[f];
      }
    }
  }
  return planted;
}

}  // namespace nonsmooth::problems
