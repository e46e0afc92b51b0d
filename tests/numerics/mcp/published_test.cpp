// SPDX-License-Identifier: Apache-2.0
// Economies and networks whose data are published.
#include <gtest/gtest.h>

#include <string_view>
#include <utility>

#include <nonsmooth/numerics/mcp.hpp>

#include <problems/bertsekas.hpp>
#include <problems/mcp.hpp>
#include <problems/scarf.hpp>

namespace nonsmooth::published_test {
namespace {

using problems::Mcp;

TEST(McpEconomies, ScarfsActivityAnalysis) {
  const Mcp scarf = problems::scarf_activity_analysis();
  EXPECT_TRUE(compare_jacobian(scarf.problem.F, scarf.problem.start).agrees)
      << compare_jacobian(scarf.problem.F, scarf.problem.start).message(scarf.problem.F);
  Eigen::VectorXd first;
  for (const std::string_view name : {"automatic", "newton-josephy", "normal map newton", "semismooth newton"}) {
    const mcp::Result result = mcp::find(name).solver.solve(scarf.problem, {});
    ASSERT_TRUE(result.ok()) << name << ": " << result.message();
    EXPECT_LE(problems::independent_residual(scarf.problem, result.x), 2e-10) << name;
    // An economy: what is demanded has a price, somebody produces, and Walras's law holds: since every income is spent,
    // what all markets and activities have in excess is worth nothing. Prices below 2, quantities below 30.
    EXPECT_GT(result.x[0], 0.1);
    EXPECT_GT(result.x.segment(6, 8).maxCoeff(), 0.1);
    EXPECT_NEAR(result.x.head(6).dot(result.w.head(6)), 0.0, 1e-7);
    if (first.size() == 0) first = result.x;
    EXPECT_LE((result.x - first).cwiseAbs().maxCoeff(), 1e-6) << name;  // the one equilibrium that all find
  }
}

TEST(McpTraffic, BertsekasAndGafnisRingRoad) {
  const Eigen::VectorXd published{{0.1, 0.2, 0.3, 0.4, 0.5}}, crowded{{1.0, 8.0, 1.0, 8.0, 1.0}};
  for (const Eigen::VectorXd& demand : {published, crowded}) {
    for (const double gamma : {0.0, 0.5, 4.0}) {
      Mcp mcp = problems::bertsekas_gafni(demand, gamma);
      Mcp bounded = problems::bertsekas_gafni_bounded(demand, gamma);
      for (const Mcp& each : {mcp, bounded}) {
        EXPECT_TRUE(compare_jacobian(each.problem.F, each.problem.start).agrees)
            << each.name << ": " << compare_jacobian(each.problem.F, each.problem.start).message(each.problem.F);
      }
      const mcp::Result within = mcp::solve(bounded.problem);
      ASSERT_TRUE(within.ok()) << within.message();
      // MCPLIB's starts, x and z each one number and y another.
      for (const auto& [flow, cost] : {std::pair{0.0, 0.0}, {0.5, 0.5}, {100.0, 100.0}, {0.0, 100.0}, {0.0, 1.0}}) {
        mcp.problem.start = Eigen::VectorXd::Constant(15, flow);
        mcp.problem.start.tail(5).setConstant(cost);
        const mcp::Result result = mcp::solve(mcp.problem);
        ASSERT_TRUE(result.ok()) << "gamma " << gamma << ": " << result.message();
        EXPECT_LE(problems::independent_residual(mcp.problem, result.x), 2e-10);
        // Costs rise by 96 and more a unit of flow, and are 23 and more at no flow: 1e-10 of the larger scale moves
        // flows by less than that.
        EXPECT_LE((result.x.head(5) - within.x).cwiseAbs().maxCoeff(), 1e-8) << "gamma " << gamma;
        for (Index i = 0; i < 5; ++i) {  // Wardrop: who drives, drives at the least cost
          const double least = result.x[10 + i];
          EXPECT_GE(least, 20.0);
          EXPECT_NEAR(result.x[i] + result.x[5 + i], demand[i], 1e-7);
        }
      }
    }
  }
}

TEST(McpTraffic, RingRoadsOfEqualDemandsHaveAClosedForm) {
  for (const double d : {0.5, 1.0, 8.0}) {
    for (const double gamma : {0.0, 0.5, 4.0}) {
      const mcp::Result result = mcp::solve(problems::bertsekas_gafni(Eigen::VectorXd::Constant(5, d), gamma).problem);
      ASSERT_TRUE(result.ok()) << result.message();
      const double x = problems::bertsekas_gafni_equal(d, gamma);
      EXPECT_GT(x, 0.0);
      // The difference of the two costs rises by more than 100 a unit of x; the scale is below 2e4.
      EXPECT_LE((result.x.head(5).array() - x).abs().maxCoeff(), 1e-7) << "demand " << d << ", gamma " << gamma;
    }
  }
  // Up to some demand nobody takes the longer way: 11 + 2 gamma = what the inner road costs more than at no flow.
  const mcp::Result few = mcp::solve(problems::bertsekas_gafni(Eigen::VectorXd::Constant(5, 0.1), 0.5).problem);
  ASSERT_TRUE(few.ok()) << few.message();
  EXPECT_LE(few.x.head(5).maxCoeff(), 1e-9);
}

}  // namespace
}  // namespace nonsmooth::published_test
