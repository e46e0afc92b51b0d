// SPDX-License-Identifier: Apache-2.0
// What every MLCP solver of the registry promises; a new one joins by its line in the registry.
#include <limits>

#include <gtest/gtest.h>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mlcp.hpp>

#include "../problems/mlcp.hpp"

namespace {

using namespace nonsmooth;

constexpr double tolerance = 1e-10;

class MlcpContract : public testing::TestWithParam<std::size_t> {
 protected:
  const mlcp::Entry& entry() const { return mlcp::registry()[GetParam()]; }
  bool fits(Index m) const { return entry().max_rows == 0 || m <= 8; }
  /// Those that need a regular A (elimination, sweeps) or a regular start.
  bool any_rank() const {
    return entry().name != "elimination" && entry().name != "gauss-seidel" && entry().name != "active set";
  }

  /// Solves; Solved and Infeasible must be true by independent arithmetic.
  mlcp::Result solve(const mlcp::Problem& problem, const Limits& limits = {.tolerance = tolerance}) const {
    mlcp::Result result = entry().solver.solve(problem, limits);
    if (result.status == Status::Solved) {
      // Twice the tolerance: w in double against long double.
      EXPECT_LE(problems::independent_residual(problem, result.u, result.v), 2.0 * tolerance) << entry().name;
    }
    if (result.status == Status::Infeasible) {
      EXPECT_TRUE(mlcp::proves_infeasible(problem, result.proof));
    }
    EXPECT_NE(result.status, Status::NotRun);
    EXPECT_FALSE(result.message().empty());
    EXPECT_EQ(result.u.size(), problem.num_free());
    EXPECT_EQ(result.v.size(), problem.num_constrained());
    return result;
  }
};

TEST_P(MlcpContract, PlantedSymmetricPositiveDefinite) {
  for (Index n = 1; n <= 12; ++n) {
    for (const Index m : {Index{1}, n}) {
      if (!fits(m)) continue;
      const problems::Mlcp mlcp = problems::random_mlcp(n, m, 100 + static_cast<std::uint64_t>(n), true);
      const mlcp::Result result = solve(mlcp.problem);
      ASSERT_TRUE(result.ok()) << "n = " << n << ": " << result.message();
      // Least eigenvalue >= 1/2 and s_i < 8: |z - z*| <= (1 + s) |e| / (1/2) sqrt(n + m) < 100 residual scale.
      const double bound = 100.0 * tolerance * result.certificate.scale;
      EXPECT_LE((result.u - mlcp.u).cwiseAbs().maxCoeff(), bound);
      EXPECT_LE((result.v - mlcp.v).cwiseAbs().maxCoeff(), bound);
      EXPECT_LE((result.w - (mlcp.problem.D * result.u + mlcp.problem.B * result.v + mlcp.problem.b)).norm(), 1e-12);
    }
  }
}

TEST_P(MlcpContract, PlantedPositiveDefiniteAndDegenerate) {
  const bool general = entry().name != "gauss-seidel";  // sweeps need symmetry or dominance: only honesty is asked
  for (Index n = 1; n <= 12; ++n) {
    const Index m = std::min<Index>(n, 8);
    for (const double degenerate : {0.0, 0.5}) {
      const mlcp::Result result =
          solve(problems::random_mlcp(n, m, 200 + static_cast<std::uint64_t>(n), false, degenerate).problem);
      EXPECT_TRUE(result.ok() || !general) << "n = " << n << ": " << result.message();
    }
  }
}

TEST_P(MlcpContract, LinearEquationsAlone) {
  const mlcp::Problem problem{Eigen::MatrixXd{{2, 1}, {1, 3}}, {}, {}, {}, Eigen::VectorXd{{-3, -4}}, {}};
  const mlcp::Result result = solve(problem);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE((result.u - Eigen::VectorXd::Ones(2)).cwiseAbs().maxCoeff(), 1e-14);  // |A^-1| < 1, some eps
}

TEST_P(MlcpContract, NoFreeUnknowns) {
  const mlcp::Problem problem{{}, Eigen::MatrixXd{{2, 1}, {1, 2}}, Eigen::MatrixXd(0, 2), Eigen::MatrixXd(2, 0),
                              {}, Eigen::VectorXd{{-5, -6}}};
  const mlcp::Result result = solve(problem);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE((result.v - Eigen::VectorXd{{4.0 / 3.0, 7.0 / 3.0}}).cwiseAbs().maxCoeff(), 6e-10);  // |B^-1| = 1, |q| = 6
}

TEST_P(MlcpContract, DiodeBridge) {
  for (const double J : {-2.0, 0.5, 3.0}) {
    const problems::Mlcp bridge = problems::diode_bridge(J, 10.0);
    const mlcp::Result result = solve(bridge.problem);
    if (!any_rank()) continue;
    ASSERT_TRUE(result.ok()) << result.message();
    // Residual 1e-10 |J| in amperes; potentials are those times R = 10 and a few rows.
    EXPECT_LE((result.u - bridge.u).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LE((result.v - bridge.v).cwiseAbs().maxCoeff(), 1e-8);
  }
}

TEST_P(MlcpContract, DependentRowsAndColumns) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Index n = 1 + static_cast<Index>(seed % 4);
    const Index m = 1 + static_cast<Index>(seed % 5);
    const Index extra = 1 + static_cast<Index>(seed % 3);
    const problems::Mlcp base = problems::random_mlcp(n, m, seed, false);
    const bool must = any_rank();
    const mlcp::Result rows = solve(problems::with_dependent_rows(base, extra, seed).problem);
    EXPECT_TRUE(rows.ok() || !must) << rows.message();
    const mlcp::Result columns = solve(problems::with_dependent_columns(base, extra, seed).problem);
    EXPECT_TRUE(columns.ok() || !must) << columns.message();
    const mlcp::Result contradicting = solve(problems::with_dependent_rows(base, extra, seed, 1.0).problem);
    EXPECT_FALSE(contradicting.ok());
    const bool proves = entry().name == "automatic" || entry().name == "lemke" || entry().name == "enumeration";
    if (proves) {
      EXPECT_EQ(contradicting.status, Status::Infeasible) << contradicting.message();
    }
  }
}

TEST_P(MlcpContract, TheSameTwice) {
  const problems::Mlcp mlcp = problems::random_mlcp(4, 6, 5, false);
  const mlcp::Result one = solve(mlcp.problem);
  const mlcp::Result two = solve(mlcp.problem);
  EXPECT_EQ(one.u, two.u);
  EXPECT_EQ(one.v, two.v);
  EXPECT_EQ(one.status, two.status);
}

TEST_P(MlcpContract, TimeLimit) {
  // Over before it starts, on a problem that everyone solves and no one in the first step.
  const problems::Mlcp mlcp = problems::random_mlcp(3, 8, 5, true);
  ASSERT_TRUE(solve(mlcp.problem).ok());
  Limits limits;
  limits.time_limit = 1e-9;
  const mlcp::Result result = solve(mlcp.problem, limits);
  EXPECT_EQ(result.status, Status::TimeLimit) << result.message();
}

TEST_P(MlcpContract, IterationLimit) {
  const problems::Mlcp mlcp = problems::random_mlcp(3, 8, 5, true);
  ASSERT_TRUE(solve(mlcp.problem).ok());
  Limits limits;
  limits.max_iterations = 1;
  const mlcp::Result result = solve(mlcp.problem, limits);
  EXPECT_EQ(result.status, Status::IterationLimit) << result.message();
  EXPECT_LE(result.iterations, 1);
}

TEST_P(MlcpContract, RefusesMalformedInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const mlcp::Problem good = problems::random_mlcp(2, 3, 1, true).problem;
  const auto refused = [&](auto&& spoil, std::string_view argument) {
    mlcp::Problem problem = good;
    Limits limits;
    spoil(problem, limits);
    try {
      static_cast<void>(entry().solver.solve(problem, limits));
      ADD_FAILURE() << "not refused: " << argument;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.argument(), argument) << error.what();
    }
  };
  using P = mlcp::Problem;
  refused([](P& p, Limits&) { p = P(); }, "mlcp::Problem");
  refused([](P& p, Limits&) { p.A.setOnes(3, 2); }, "mlcp::Problem::A");
  refused([&](P& p, Limits&) { p.A(0, 1) = nan; }, "mlcp::Problem::A");
  refused([](P& p, Limits&) { p.B.setOnes(3, 2); }, "mlcp::Problem::B");
  refused([&](P& p, Limits&) { p.B(2, 1) = nan; }, "mlcp::Problem::B");
  refused([](P& p, Limits&) { p.C.setOnes(3, 3); }, "mlcp::Problem::C");
  refused([&](P& p, Limits&) { p.C(0, 1) = nan; }, "mlcp::Problem::C");
  refused([](P& p, Limits&) { p.D.setOnes(2, 3); }, "mlcp::Problem::D");
  refused([&](P& p, Limits&) { p.D(0, 1) = nan; }, "mlcp::Problem::D");
  refused([&](P& p, Limits&) { p.a[0] = nan; }, "mlcp::Problem::a");
  refused([&](P& p, Limits&) { p.b[0] = nan; }, "mlcp::Problem::b");
  refused([](P& p, Limits&) { p.lower.setZero(2); }, "mlcp::Problem::lower");
  refused([](P& p, Limits&) { p.upper.setOnes(4); }, "mlcp::Problem::upper");
  refused([](P& p, Limits&) { p.upper.setConstant(3, -1.0); }, "mlcp::Problem::lower");
  refused([](P& p, Limits&) { p.upper.setConstant(3, -problems::infinite); }, "mlcp::Problem::upper");
  refused([](P&, Limits& l) { l.tolerance = -1.0; }, "Limits::tolerance");
  refused([&](P&, Limits& l) { l.time_limit = 0.0; }, "Limits::time_limit");
}

std::string test_name(const testing::TestParamInfo<std::size_t>& parameter) {
  std::string name(mlcp::registry()[parameter.param].name);
  for (char& c : name) {
    if (c == ' ' || c == '-') c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Registry, MlcpContract, testing::Range<std::size_t>(0, mlcp::registry().size()), test_name);

TEST(MlcpResult, IsBornNotRun) {
  const mlcp::Result result;
  EXPECT_EQ(result.status, Status::NotRun);
  EXPECT_TRUE(std::isnan(result.certificate.residual));
  EXPECT_FALSE(result.ok());
}

TEST(MlcpRegistry, NeverTrustsACallable) {
  const mlcp::Problem problem = problems::random_mlcp(2, 2, 3, true).problem;
  const mlcp::Solver liar("liar", [](const mlcp::Problem& given, const Limits&) {
    mlcp::Result result;
    result.u.setZero(given.num_free());
    result.v.setZero(given.num_constrained());
    result.status = Status::Solved;
    return result;
  });
  EXPECT_EQ(liar.solve(problem).status, Status::Stalled);
  EXPECT_THROW(static_cast<void>(mlcp::find("nobody")), InvalidArgument);
  EXPECT_EQ(mlcp::registry().front().name, "automatic");
}

}  // namespace
