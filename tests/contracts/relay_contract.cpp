// SPDX-License-Identifier: Apache-2.0
// What every relay solver of the registry promises; a new one joins by its line in the registry.
#include <limits>

#include <gtest/gtest.h>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/relay.hpp>

#include "../problems/relay.hpp"

namespace {

using namespace nonsmooth;
using problems::Bounds;
using problems::infinite;

constexpr double tolerance = 1e-10;

class RelayContract : public testing::TestWithParam<std::size_t> {
 protected:
  const relay::Entry& entry() const { return relay::registry()[GetParam()]; }
  bool fits(Index n) const { return entry().max_rows == 0 || n <= 7; }

  /// Solves; Solved and Infeasible must be true by independent arithmetic.
  relay::Result solve(const relay::Problem& problem, const Limits& limits = {.tolerance = tolerance}) const {
    relay::Result result = entry().solver.solve(problem, limits);
    if (result.status == Status::Solved) {
      // Twice the tolerance: w in double against long double.
      EXPECT_LE(problems::independent_residual(problem, result.z), 2.0 * tolerance) << entry().name;
    }
    if (result.status == Status::Infeasible) {
      EXPECT_TRUE(relay::proves_infeasible(problem, result.proof));
    }
    for (Index i = 0; i < result.z.size(); ++i) {
      EXPECT_GE(result.z[i], problem.lower[i]);
      EXPECT_LE(result.z[i], problem.upper[i]);
    }
    EXPECT_NE(result.status, Status::NotRun);
    EXPECT_FALSE(result.message().empty());
    return result;
  }
};

TEST_P(RelayContract, SignEquation) {
  // w = z + q on [-1, 1]: z = -q clamped.
  for (const double q : {-3.0, -1.0, -0.25, 0.0, 0.5, 1.0, 2.0}) {
    const relay::Result result =
        solve({Eigen::MatrixXd{{1}}, Eigen::VectorXd{{q}}, Eigen::VectorXd{{-1}}, Eigen::VectorXd{{1}}});
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_NEAR(result.z[0], std::clamp(-q, -1.0, 1.0), 1e-10 * std::max(1.0, std::abs(q)));
  }
}

TEST_P(RelayContract, PlantedSymmetricPositiveDefinite) {
  for (Index n = 1; n <= 20; ++n) {
    if (!fits(n)) continue;
    for (const Bounds kinds : {Bounds::Finite, Bounds::Mixed}) {
      const problems::Relay relay = problems::random_relay_spd(n, 100 + static_cast<std::uint64_t>(n), kinds);
      const relay::Result result = solve(relay.problem);
      ASSERT_TRUE(result.ok()) << "n = " << n << ": " << result.message();
      // Least eigenvalue >= 1/2 and s_i < 8: |z - z*| <= (1 + s) |e| / (1/2) sqrt(n) < 100 residual scale.
      EXPECT_LE((result.z - relay.z).cwiseAbs().maxCoeff(), 100.0 * tolerance * result.certificate.scale);
    }
  }
}

TEST_P(RelayContract, PlantedPositiveDefiniteAndDegenerate) {
  const bool general = entry().name != "gauss-seidel";  // sweeps need symmetry or dominance: only honesty is asked
  for (Index n = 1; n <= 20; ++n) {
    if (!fits(n)) continue;
    for (const double degenerate : {0.0, 0.5}) {
      const problems::Relay relay =
          problems::random_relay_p(n, 200 + static_cast<std::uint64_t>(n), Bounds::Mixed, degenerate);
      const relay::Result result = solve(relay.problem);
      EXPECT_TRUE(result.ok() || !general) << "n = " << n << ": " << result.message();
    }
  }
}

TEST_P(RelayContract, StatusDoesNotDependOnUnits) {
  const problems::Relay relay = problems::random_relay_spd(6, 17, Bounds::Mixed);
  for (const double factor : {1e-6, 1e6}) {
    relay::Problem scaled = relay.problem;
    scaled.M *= factor;
    scaled.q *= factor;
    EXPECT_TRUE(solve(scaled).ok());
    scaled = relay.problem;
    scaled.q *= factor;
    scaled.lower *= factor;
    scaled.upper *= factor;
    EXPECT_TRUE(solve(scaled).ok());
  }
}

TEST_P(RelayContract, HonestOutsideItsClass) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Index n = 1 + static_cast<Index>(seed % 6);
    solve(problems::random_relay_monotone(n, seed, Bounds::Mixed).problem);
    solve(problems::random_relay_any(n, seed, Bounds::Finite).problem);
    EXPECT_NE(solve(problems::random_relay_any(n, seed, Bounds::Mixed).problem).status, Status::Infeasible);
    EXPECT_FALSE(solve(problems::random_relay_infeasible(n, seed).problem).ok());
  }
}

TEST_P(RelayContract, TheSameTwice) {
  const problems::Relay relay = problems::random_relay_monotone(7, 5, Bounds::Mixed);
  const relay::Result one = solve(relay.problem);
  const relay::Result two = solve(relay.problem);
  EXPECT_EQ(one.z, two.z);
  EXPECT_EQ(one.iterations, two.iterations);
  EXPECT_EQ(one.status, two.status);
}

TEST_P(RelayContract, TimeLimit) {
  // Over before it starts, on a problem that everyone solves and no one in the first step.
  const problems::Relay relay = problems::random_relay_spd(7, 3, Bounds::Mixed);
  ASSERT_TRUE(solve(relay.problem).ok());
  Limits limits;
  limits.time_limit = 1e-9;
  const relay::Result result = solve(relay.problem, limits);
  EXPECT_EQ(result.status, Status::TimeLimit) << result.message();
  EXPECT_EQ(result.z.size(), 7);
}

TEST_P(RelayContract, IterationLimit) {
  const problems::Relay relay = problems::random_relay_spd(7, 3, Bounds::Mixed);
  ASSERT_TRUE(solve(relay.problem).ok());
  Limits limits;
  limits.max_iterations = 1;
  const relay::Result result = solve(relay.problem, limits);
  EXPECT_EQ(result.status, Status::IterationLimit) << result.message();
  EXPECT_LE(result.iterations, 1);
  EXPECT_EQ(result.z.size(), 7);
}

TEST_P(RelayContract, RefusesMalformedInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const relay::Problem good{Eigen::MatrixXd::Identity(2, 2), -Eigen::VectorXd::Ones(2), -Eigen::VectorXd::Ones(2),
                            Eigen::VectorXd::Ones(2)};
  const auto refused = [&](auto&& spoil, std::string_view argument) {
    relay::Problem problem = good;
    Limits limits;
    spoil(problem, limits);
    try {
      static_cast<void>(entry().solver.solve(problem, limits));
      ADD_FAILURE() << "not refused: " << argument;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.argument(), argument) << error.what();
    }
  };
  using P = relay::Problem;
  refused([](P& p, Limits&) { p.M.resize(0, 0); }, "relay::Problem::M");
  refused([](P& p, Limits&) { p.M.setOnes(2, 3); }, "relay::Problem::M");
  refused([&](P& p, Limits&) { p.M(1, 0) = nan; }, "relay::Problem::M");
  refused([](P& p, Limits&) { p.q.setOnes(3); }, "relay::Problem::q");
  refused([](P& p, Limits&) { p.q[0] = infinite; }, "relay::Problem::q");
  refused([](P& p, Limits&) { p.lower.setOnes(1); }, "relay::Problem::lower");
  refused([](P& p, Limits&) { p.lower[1] = 2.0; }, "relay::Problem::lower");
  refused([](P& p, Limits&) { p.lower[1] = infinite; }, "relay::Problem::lower");
  refused([&](P& p, Limits&) { p.lower[1] = nan; }, "relay::Problem::lower");
  refused([](P& p, Limits&) { p.upper.setOnes(3); }, "relay::Problem::upper");
  refused([](P& p, Limits&) { p.upper[0] = -infinite; }, "relay::Problem::upper");
  refused([](P&, Limits& l) { l.tolerance = 0.0; }, "Limits::tolerance");
  refused([](P&, Limits& l) { l.max_iterations = -1; }, "Limits::max_iterations");
  refused([&](P&, Limits& l) { l.time_limit = nan; }, "Limits::time_limit");
}

std::string test_name(const testing::TestParamInfo<std::size_t>& parameter) {
  std::string name(relay::registry()[parameter.param].name);
  for (char& c : name) {
    if (c == ' ' || c == '-') c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Registry, RelayContract, testing::Range<std::size_t>(0, relay::registry().size()), test_name);

TEST(RelayResult, IsBornNotRun) {
  const relay::Result result;
  EXPECT_EQ(result.status, Status::NotRun);
  EXPECT_TRUE(std::isnan(result.certificate.residual));
  EXPECT_FALSE(result.ok());
}

TEST(RelayRegistry, AutomaticFirstAndNamesFound) {
  EXPECT_EQ(relay::registry().front().name, "automatic");
  for (const relay::Entry& entry : relay::registry()) EXPECT_EQ(relay::find(entry.name).name, entry.name);
  EXPECT_THROW(static_cast<void>(relay::find("nobody")), InvalidArgument);
}

TEST(RelayRegistry, NeverTrustsACallable) {
  const relay::Problem problem{Eigen::MatrixXd::Identity(2, 2), -Eigen::VectorXd::Ones(2), Eigen::VectorXd::Zero(2),
                               Eigen::VectorXd::Ones(2)};
  const relay::Solver liar("liar", [](const relay::Problem& given, const Limits&) {
    relay::Result result;
    result.z.setZero(given.q.size());
    result.status = Status::Solved;
    return result;
  });
  EXPECT_EQ(liar.solve(problem).status, Status::Stalled);
  const relay::Solver pessimist("pessimist", [](const relay::Problem& given, const Limits&) {
    relay::Result result;
    result.z.setZero(given.q.size());
    result.proof = Eigen::VectorXd::Ones(given.q.size());
    result.status = Status::Infeasible;
    return result;
  });
  EXPECT_EQ(pessimist.solve(problem).status, Status::Stalled);
  EXPECT_THROW(relay::Solver("", [](const relay::Problem&, const Limits&) { return relay::Result(); }),
               InvalidArgument);
  EXPECT_THROW(relay::Solver("none", {}), InvalidArgument);
}

}  // namespace
