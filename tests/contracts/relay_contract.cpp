// SPDX-License-Identifier: Apache-2.0
// What the relay solvers of the registry promise; a new one joins by its line in the registry.
#include <nonsmooth/numerics/relay.hpp>

#include "../problems/relay.hpp"
#include "registry_contract.hpp"

namespace nonsmooth::relay_contract_test {
namespace {

using namespace nonsmooth::contracts;
using problems::Bounds;
using problems::infinite;

class RelayContract : public testing::TestWithParam<std::string> {
 protected:
  const relay::Entry& entry() const { return relay::find(GetParam()); }
  bool fits(Index n) const { return entry().max_rows == 0 || n <= 7; }

  /// Solves; Solved and Infeasible must be true by independent arithmetic.
  relay::Result solve(const relay::Problem& problem, const Limits& limits = {.tolerance = tolerance}) const {
    relay::Result result = entry().solver.solve(problem, limits);
    expect_honest(
        result, [&] { return problems::independent_residual(problem, result.z); },
        [&] { return relay::proves_infeasible(problem, result.proof); });
    for (Index i = 0; i < result.z.size(); ++i) {
      EXPECT_GE(result.z[i], problem.lower[i]);
      EXPECT_LE(result.z[i], problem.upper[i]);
    }
    if (entry().solver.sparse()) expect_as_good(problem, limits, result);
    return result;
  }

 private:
  /// The same problem stored otherwise: as honest, and solved where that is.
  void expect_as_good(const relay::Problem& problem, const Limits& limits, const relay::Result& dense) const {
    const relay::SparseProblem sparse = problems::sparse(problem);
    const relay::Result result = entry().solver.solve(sparse, limits);
    expect_honest(
        result, [&] { return problems::independent_residual(problem, result.z); },
        [&] { return relay::proves_infeasible(sparse, result.proof); });
    EXPECT_TRUE(result.ok() || !dense.ok()) << "sparse: " << result.message();
  }
};

class RelayGeneral : public RelayContract {};  // positive definite M without symmetry

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

TEST_P(RelayGeneral, PlantedPositiveDefiniteAndDegenerate) {
  for (Index n = 1; n <= 20; ++n) {
    if (!fits(n)) continue;
    for (const double degenerate : {0.0, 0.5}) {
      const problems::Relay relay =
          problems::random_relay_p(n, 200 + static_cast<std::uint64_t>(n), Bounds::Mixed, degenerate);
      const relay::Result result = solve(relay.problem);
      EXPECT_TRUE(result.ok()) << "n = " << n << ": " << result.message();
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
    solve(problems::random_relay_p(n, seed, Bounds::Mixed, 0.5).problem);
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

TEST_P(RelayContract, HonoursItsLimits) {
  const problems::Relay relay = problems::random_relay_spd(7, 3, Bounds::Mixed);
  expect_limits_honoured([&](const Limits& limits) {
    relay::Result result = solve(relay.problem, limits);
    EXPECT_EQ(result.z.size(), 7);
    return result;
  });
  if (!entry().solver.sparse()) return;
  const relay::SparseProblem sparse = problems::sparse(relay.problem);
  expect_limits_honoured([&](const Limits& limits) { return entry().solver.solve(sparse, limits); });
}

TEST_P(RelayContract, RefusesMalformedInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const relay::Problem good{Eigen::MatrixXd::Identity(2, 2), -Eigen::VectorXd::Ones(2), -Eigen::VectorXd::Ones(2),
                            Eigen::VectorXd::Ones(2)};
  const auto refused = [&](auto&& spoil, std::string_view argument) {
    relay::Problem problem = good;
    Limits limits;
    spoil(problem, limits);
    expect_refused([&] { return entry().solver.solve(problem, limits); }, argument);
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

INSTANTIATE_TEST_SUITE_P(Registry, RelayContract, testing::ValuesIn(every(relay::registry())), test_name);
// Sweeps need symmetry or dominance.
INSTANTIATE_TEST_SUITE_P(Registry, RelayGeneral, testing::ValuesIn(every(relay::registry(), {"gauss-seidel"})),
                         test_name);

TEST(RelayResult, IsBornNotRun) { expect_born_not_run<relay::Result>(); }

TEST(RelayRegistry, NamesAreFound) {
  expect_names_found(relay::registry(), [](std::string_view name) -> const relay::Entry& { return relay::find(name); });
}

TEST(RelayRegistry, NeverTrustsACallable) {
  const relay::Problem problem{Eigen::MatrixXd::Identity(2, 2), -Eigen::VectorXd::Ones(2), Eigen::VectorXd::Zero(2),
                               Eigen::VectorXd::Ones(2)};
  relay::Result zeros;
  zeros.z.setZero(2);
  expect_claims_checked<relay::Solver>(problem, zeros, 2);
}

}  // namespace
}  // namespace nonsmooth::relay_contract_test
