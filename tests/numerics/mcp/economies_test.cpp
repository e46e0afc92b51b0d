// SPDX-License-Identifier: Apache-2.0
// Markets that trade and capital that lasts, with data of our own: beyond the certificate, what economics says of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include <nonsmooth/numerics/mcp.hpp>

#include <problems/capital_stock.hpp>
#include <problems/mcp.hpp>
#include <problems/random_matrices.hpp>
#include <problems/spatial_prices.hpp>

namespace nonsmooth::economies_test {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using problems::CapitalEconomy, problems::Mcp, problems::SpatialPrices;

void expect_right_slopes(const Mcp& mcp) {
  const auto found = compare_jacobian(mcp.problem.F, mcp.problem.start);
  EXPECT_TRUE(found.agrees) << mcp.name << ": " << found.message(mcp.problem.F);
}

/// Every algorithm of the family from 0, 1 and 5 ends within `tolerance` of x in the first entries.
void expect_all_find(Mcp mcp, const VectorXd& x, double tolerance) {
  for (const double start : {0.0, 1.0, 5.0}) {
    mcp.problem.start.setConstant(start);
    for (const mcp::Entry& entry : mcp::registry()) {
      const mcp::Result result = entry.solver.solve(mcp.problem, {});
      ASSERT_TRUE(result.ok()) << mcp.name << ", " << entry.name << " from " << start << ": " << result.message();
      EXPECT_LE(problems::independent_residual(mcp.problem, result.x), 1e-8) << entry.name;
      EXPECT_LE((result.x.head(x.size()) - x).cwiseAbs().maxCoeff(), tolerance) << entry.name << " from " << start;
    }
  }
}

/// x_(k+1) = max(0, x_k - F(x_k) / 20) from 0: traders who carry more where it pays. A few lines that share nothing
/// with the solvers.
VectorXd where_traders_end(const Mcp& mcp, int days) {
  VectorXd x = VectorXd::Zero(mcp.problem.size()), f = x;
  for (int day = 0; day < days; ++day) {
    mcp.problem.F.value(x, f);
    x = (x - 0.05 * f).cwiseMax(0.0);
  }
  return x;
}

TEST(McpSpatialPrices, FourRegionsByEveryAlgorithmAndByTraders) {
  const SpatialPrices prices = problems::four_regions();
  const Mcp flows = problems::spatial_price_flows(prices), quantities = problems::spatial_price_quantities(prices);
  expect_right_slopes(flows);
  expect_right_slopes(quantities);
  const VectorXd x = where_traders_end(flows, 5000);
  EXPECT_LE((x - where_traders_end(flows, 2500)).cwiseAbs().maxCoeff(), 1e-11);  // they have ended
  // A residual of 1e-10 leaves 2e-9 in F at most, as |F(0)| is 14.2 by flows and 20 with quantities; the slopes of the
  // routes in use turn that into 1e-7 where their least singular value is 0.02 and more.
  std::vector<Index> used;
  for (Index f = 0; f < x.size(); ++f)
    if (x[f] > 1e-6) used.push_back(f);
  MatrixXd slopes = MatrixXd::Zero(x.size(), x.size());
  flows.problem.F.dense_jacobian(x, slopes);
  EXPECT_GE(MatrixXd(slopes(used, used)).jacobiSvd().singularValues().minCoeff(), 0.02);
  expect_all_find(flows, x, 1e-7);
  expect_all_find(quantities, x, 1e-7);
}

TEST(McpSpatialPrices, FourRegionsTradeAsTheyShould) {
  const SpatialPrices prices = problems::four_regions();
  const mcp::Result result = mcp::solve(problems::spatial_price_flows(prices).problem);
  ASSERT_TRUE(result.ok()) << result.message();
  const VectorXd x = result.x;
  const MatrixXd selling = prices.supply_prices(prices.supplies(x)), buying = prices.demand_prices(prices.demands(x));
  const VectorXd carrying = prices.freights(x);
  Index used = 0;
  for (Index g = 0; g < 2; ++g) {
    for (Index i = 0; i < 4; ++i) {
      for (Index j = 0; j < 4; ++j) {
        const Index f = prices.flow(g, i, j);
        const double loss = selling(g, i) + carrying[f] - buying(g, j);
        EXPECT_GE(loss, -1e-7);
        if (x[f] > 1e-6) {
          ++used;
          EXPECT_LE(loss, 1e-7);
        }
        // The fourth region lives by itself: who trades with it loses, but for what it is indifferent to.
        if ((i == 3 || j == 3) && f != prices.flow(1, 3, 3)) {
          EXPECT_EQ(x[f], 0.0);
          EXPECT_GT(loss, 0.5);
        }
      }
    }
  }
  EXPECT_EQ(used, 10);  // of 32
  // Degenerate: x = 0 and s + c - p = 0. The slope there is 1 + 6/5.
  EXPECT_LE(x[prices.flow(1, 3, 3)], 1e-8);
  EXPECT_NEAR(selling(1, 3), 6.0, 1e-7);
  EXPECT_NEAR(buying(1, 3), 6.0, 1e-7);
  // The first good travels from the first region to the second, which sends the second good back on the same road.
  EXPECT_GT(x[prices.flow(0, 0, 1)], 1.0);
  EXPECT_GT(x[prices.flow(1, 1, 0)], 1.0);
  EXPECT_GT(carrying[prices.flow(0, 0, 1)], 1.05 * prices.freight[0](0, 1));  // and they are in each other's way
  // What no program can say: nothing is minimised, as the slopes of F are not symmetric.
  MatrixXd slopes = MatrixXd::Zero(32, 32);
  problems::spatial_price_flows(prices).problem.F.dense_jacobian(x, slopes);
  EXPECT_GT((slopes - slopes.transpose()).cwiseAbs().maxCoeff(), 0.1);
}

TEST(McpSpatialPrices, PlantedOnesAreFound) {
  for (const auto& [goods, regions] : {std::pair<Index, Index>{1, 4}, {2, 3}, {3, 5}}) {
    double apart = 0.0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const auto [prices, planted] = problems::planted_prices(goods, regions, seed);
      Mcp flows = problems::spatial_price_flows(prices), quantities = problems::spatial_price_quantities(prices);
      expect_right_slopes(flows);
      expect_right_slopes(quantities);
      // Terms of F are below 50: its rounding is below 1e-13 by that of exp and pow, relative to |F| of 5 and more.
      EXPECT_LE(problems::independent_residual(flows.problem, planted), 1e-13);
      for (const double start : {0.0, 1.0, 3.0}) {
        for (Mcp* mcp : {&flows, &quantities}) {
          mcp->problem.start.setConstant(start);
          const mcp::Result result = mcp::solve(mcp->problem);
          ASSERT_TRUE(result.ok()) << mcp->name << ", seed " << seed << ": " << result.message();
          EXPECT_LE(problems::independent_residual(mcp->problem, result.x), 1e-8);
          // Quantities and freights are what was planted; goods may exchange roads at no change of these.
          const VectorXd x = result.x.head(planted.size());
          EXPECT_LE((prices.supplies(x) - prices.supplies(planted)).cwiseAbs().maxCoeff(), 1e-7)
              << goods << ' ' << seed;
          EXPECT_LE((prices.demands(x) - prices.demands(planted)).cwiseAbs().maxCoeff(), 1e-7) << goods << ' ' << seed;
          EXPECT_LE((prices.freights(x) - prices.freights(planted)).cwiseAbs().maxCoeff(), 1e-7)
              << goods << ' ' << seed;
          apart = std::max(apart, (x - planted).cwiseAbs().maxCoeff());
        }
      }
    }
    // One good has no other to exchange roads with. Of three, two of these draws have such a cycle of roads.
    if (goods == 1) {
      EXPECT_LE(apart, 1e-6);
    } else if (goods == 3) {
      EXPECT_GT(apart, 1e-3);
    }
  }
}

/// The answer (x, p, r) of an economy.
struct Stationary {
  VectorXd x, p, r, stock;
};

Stationary stationary(const CapitalEconomy& economy) {
  const mcp::Result result = mcp::solve(problems::invariant_capital(economy).problem);
  EXPECT_TRUE(result.ok()) << result.message();
  const Index m = economy.inputs.cols(), n = economy.inputs.rows();
  return {result.x.head(m), result.x.segment(m, n), result.x.tail(economy.uses.rows()),
          economy.outputs * result.x.head(m)};
}

TEST(McpInvariantCapital, MachinesAndGrainByEveryAlgorithm) {
  for (const double discount : {0.5, 0.7, 0.8, 0.9, 1.0}) {
    const CapitalEconomy economy = problems::machines_and_grain(discount);
    const Mcp mcp = problems::invariant_capital(economy);
    expect_right_slopes(mcp);
    const Stationary found = stationary(economy);
    // What v curves by along a feasible direction is 0.02 and more, B is of 1 and |F| at most 10 at the starts.
    expect_all_find(mcp, found.x, 1e-6);
    EXPECT_GT(found.x.head(6).maxCoeff(), 1.0);  // an economy that works
    EXPECT_GT(found.stock.minCoeff(), 0.5);
    EXPECT_GE((economy.resources - economy.uses * found.x).minCoeff(), -1e-8);
    // Monotone without discount alone: p and its rows have no diagonal that could outweigh (1 - alpha) B / 2.
    MatrixXd slopes = MatrixXd::Zero(14, 14);
    mcp.problem.F.dense_jacobian(mcp.problem.start, slopes);
    const double least =
        Eigen::SelfAdjointEigenSolver<MatrixXd>(0.5 * (slopes + slopes.transpose())).eigenvalues().minCoeff();
    if (discount == 1.0) {
      EXPECT_GE(least, -1e-12);
    } else {
      EXPECT_LT(least, -0.01);
    }
  }
}

TEST(McpInvariantCapital, TheBestPlanStaysThere) {
  constexpr Index periods = 8, period = 14;
  for (const double discount : {0.5, 0.7, 0.9, 1.0}) {
    const CapitalEconomy economy = problems::machines_and_grain(discount);
    const Stationary found = stationary(economy);
    const Mcp plan = problems::capital_plan(economy, found.stock, found.p, periods);
    expect_right_slopes(plan);
    const mcp::Result best = mcp::solve(plan.problem);
    ASSERT_TRUE(best.ok()) << "discount " << discount << ": " << best.message();
    for (Index t = 0; t < periods; ++t) {
      // Errors of 1e-10 of |F| < 10 over the curvature 0.02 alpha^t, alpha^7 >= 0.0078.
      EXPECT_LE((best.x.segment(period * t, 10) - found.x).cwiseAbs().maxCoeff(), 1e-5) << discount << ' ' << t;
    }
    // From half of the stock it moves, towards the invariant stock. What is left at the end counts by fixed prices,
    // which bend the last periods only.
    const mcp::Result poor = mcp::solve(problems::capital_plan(economy, 0.5 * found.stock, found.p, periods).problem);
    ASSERT_TRUE(poor.ok()) << "discount " << discount << ": " << poor.message();
    double before = 0.5 * found.stock.norm();
    for (Index t = 0; t < 5; ++t) {
      const VectorXd left = economy.outputs * poor.x.segment(period * t, 10);
      const double distance = (left - found.stock).norm();
      EXPECT_LT(distance, 0.9 * before) << "discount " << discount << ", period " << t;
      before = distance;
    }
    EXPECT_LT(before, 0.15 * found.stock.norm());
  }
}

TEST(McpInvariantCapital, NoPlanIsBetter) {
  problems::Random random(3);
  for (const double discount : {0.5, 0.8, 1.0}) {
    const CapitalEconomy economy = problems::machines_and_grain(discount);
    const Stationary found = stationary(economy);
    double closest = -1e300;
    for (int draw = 0; draw < 2000; ++draw) {
      VectorXd stock = found.stock;
      double gained = 0.0, weight = 1.0;
      const double apart = std::pow(10.0, problems::uniform(random, -3.0, 1.0));
      for (int t = 0; t < 6; ++t, weight *= discount) {
        VectorXd x = (found.x + apart * VectorXd(problems::entries(random, 10, 1))).cwiseMax(0.0);
        // Shrunk until there is enough of everything.
        const double enough = std::min(stock.cwiseQuotient(economy.inputs * x).minCoeff(),
                                       economy.resources.cwiseQuotient(economy.uses * x).minCoeff());
        x *= std::min(1.0, enough);
        gained += weight * (economy.utility(x) - economy.utility(found.x));
        stock = economy.outputs * x;
      }
      gained += weight * found.p.dot(stock - found.stock);
      EXPECT_LE(gained, 1e-8) << "discount " << discount << ", draw " << draw;
      closest = std::max(closest, gained);
    }
    EXPECT_GT(closest, -0.05);  // some of the plans came near
  }
}

TEST(McpInvariantCapital, TechniquesChangeWithPatience) {
  for (const double discount : {0.3, 0.5, 0.8, 0.83, 0.84, 0.9, 1.0}) {
    for (const double labour : {0.5, 3.0}) {
      const VectorXd answer = problems::two_techniques_answer(discount, labour);
      Mcp mcp = problems::invariant_capital(problems::two_techniques(discount, labour));
      expect_right_slopes(mcp);
      EXPECT_LE(problems::independent_residual(mcp.problem, answer), 1e-15);
      for (const double start : {0.0, 1.0, 5.0}) {
        mcp.problem.start.setConstant(start);
        for (const mcp::Entry& entry : mcp::registry()) {
          const mcp::Result result = entry.solver.solve(mcp.problem, {});
          // Here v curves along one activity alone, and whoever descends on a merit function may stop before the end.
          if (entry.name.find("semismooth") == std::string_view::npos) {
            EXPECT_TRUE(result.ok()) << entry.name << ", discount " << discount << ": " << result.message();
          }
          if (!result.ok()) continue;
          // r/p of the techniques differ by 0.6 |alpha - 5/6|, at least 0.002, and p >= 0.17: 1e-10 over that.
          EXPECT_LE((result.x - answer).cwiseAbs().maxCoeff(), 1e-6) << entry.name << ", discount " << discount;
        }
      }
    }
  }
}

TEST(McpInvariantCapital, WhereTechniquesAreWorthTheSameOrNothing) {
  const mcp::Result nothing = mcp::solve(problems::invariant_capital(problems::two_techniques(0.2, 3.0)).problem);
  ASSERT_TRUE(nothing.ok()) << nothing.message();
  EXPECT_LE(nothing.x.head(3).maxCoeff(), 1e-8);
  EXPECT_GE(nothing.x[3], 1.0 - 1e-8);
  // At 5/6 both serve: 2 x_1 + x_2 = labour, 3 x_1 + 1.6 x_2 is eaten.
  for (const double start : {0.0, 1.0, 5.0}) {
    Mcp mcp = problems::invariant_capital(problems::two_techniques(5.0 / 6.0, 3.0));
    mcp.problem.start.setConstant(start);
    const mcp::Result both = mcp::solve(mcp.problem);
    ASSERT_TRUE(both.ok()) << both.message();
    EXPECT_NEAR(2.0 * both.x[0] + both.x[1], 3.0, 1e-7);
    EXPECT_NEAR(3.0 * both.x[0] + 1.6 * both.x[1], both.x[2], 1e-7);
    EXPECT_NEAR(both.x[3] * (1.0 + both.x[2]), 1.0, 1e-7);
    EXPECT_NEAR(both.x[4], both.x[3] * 7.0 / 6.0, 1e-7);
  }
}

}  // namespace
}  // namespace nonsmooth::economies_test
