// SPDX-License-Identifier: Apache-2.0
// Sparse relay problems: every answer by its certificate, and beside the dense algorithms'.

#include <gtest/gtest.h>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/relay.hpp>

#include <problems/obstacle.hpp>
#include <problems/relay.hpp>

namespace nonsmooth::relay_sparse_test {
namespace {

using problems::sparse;

/// 0 <= z ⟂ w >= 0 as a box without end.
relay::SparseProblem on_the_orthant(const lcp::SparseProblem& problem) {
  const Index n = problem.q.size();
  return {problem.M, problem.q, Eigen::VectorXd::Zero(n), Eigen::VectorXd::Constant(n, problems::infinite)};
}

TEST(RelaySparse, CertificateIsThatOfTheDenseProblem) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const problems::Relay relay = problems::random_relay_any(7, seed, problems::Bounds::Mixed);
    const Eigen::VectorXd z = relay.z + 0.1 * Eigen::VectorXd::LinSpaced(7, -1.0, 1.0);
    Eigen::VectorXd w(7), w_sparse(7);
    const Certificate dense = certify(relay.problem, z, w);
    const Certificate other = certify(sparse(relay.problem), z, w_sparse);
    // Sums of 8 terms in two orders.
    EXPECT_NEAR(dense.error, other.error, 1e-14 * dense.scale) << seed;
    EXPECT_NEAR(dense.scale, other.scale, 1e-14 * dense.scale) << seed;
    EXPECT_EQ(dense.worst_row, other.worst_row) << seed;
    EXPECT_LE((w - w_sparse).lpNorm<Eigen::Infinity>(), 1e-14 * dense.scale) << seed;
  }
}

class RelaySparseLemke : public ::testing::TestWithParam<Index> {};  // of crash_steps

TEST_P(RelaySparseLemke, SolvesWhatTheoryPromises) {
  for (const Index n : {1, 2, 5, 12, 30}) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      for (const problems::Bounds kinds : {problems::Bounds::Finite, problems::Bounds::Mixed}) {
        for (const problems::Relay& relay :
             {problems::random_relay_spd(n, seed, kinds), problems::random_relay_spd(n, seed, kinds, 0.5),
              problems::random_relay_p(n, seed, kinds), problems::random_relay_p(n, seed, kinds, 0.5),
              problems::random_relay_monotone(n, seed, kinds)}) {
          const relay::Result result =
              solve(sparse(relay.problem), relay::Lemke{.tolerance = 1e-10, .crash_steps = GetParam()});
          EXPECT_TRUE(result.ok()) << relay.name << " n " << n << " seed " << seed << ": " << result.message();
        }
      }
    }
  }
}

TEST_P(RelaySparseLemke, SolvesAnyMatrixOnFiniteBounds) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const problems::Relay relay = problems::random_relay_any(15, seed, problems::Bounds::Finite);
    const relay::Result result = solve(sparse(relay.problem), relay::Lemke{.crash_steps = GetParam()});
    EXPECT_TRUE(result.ok()) << seed << ": " << result.message();
  }
}

TEST_P(RelaySparseLemke, ProvesThatThereIsNoSolution) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const problems::Relay relay = problems::random_relay_infeasible(8, seed);
    const relay::SparseProblem problem = sparse(relay.problem);
    const relay::Result result = solve(problem, relay::Lemke{.crash_steps = GetParam()});
    EXPECT_EQ(result.status, Status::Infeasible) << seed << ": " << result.message();
    if (result.status == Status::Infeasible) {
      EXPECT_TRUE(proves_infeasible(problem, result.proof)) << seed;
      EXPECT_TRUE(proves_infeasible(relay.problem, result.proof)) << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Starts, RelaySparseLemke, ::testing::Values(0, 30));

TEST(RelaySparse, StringOverAHillByPivotsAndByNewton) {
  const problems::Discretized string = problems::string_over_hill(401);
  Index pivots = 0;
  for (const Index crash_steps : {0, 100}) {
    const relay::Result result = solve(on_the_orthant(string.problem), relay::Lemke{.crash_steps = crash_steps});
    ASSERT_TRUE(result.ok()) << result.message();
    // The scheme's error at the free boundary: h^2 times the jump of z'' (about 10).
    EXPECT_LE((result.z - string.exact).lpNorm<Eigen::Infinity>(), 20.0 * string.h * string.h);
    if (crash_steps == 0) {
      pivots = result.iterations;
    } else {
      EXPECT_LT(result.iterations, pivots / 2);  // Newton's steps change many places at once
    }
  }
}

TEST(RelaySparse, BeginsWhereItIsTold) {
  const problems::Discretized string = problems::string_over_hill(401);
  const relay::SparseProblem problem = on_the_orthant(string.problem);
  const relay::Result cold = solve(problem, relay::Lemke{});
  ASSERT_TRUE(cold.ok()) << cold.message();
  const relay::Result warm = solve(problem, relay::Lemke{.start = cold.z});
  ASSERT_TRUE(warm.ok()) << warm.message();
  EXPECT_EQ(warm.iterations, 1);  // one factorization at the solution's places
  EXPECT_THROW((void)solve(problem, relay::Lemke{.start = Eigen::VectorXd::Zero(3)}), InvalidArgument);
  EXPECT_THROW((void)solve(problem, relay::Lemke{.crash_steps = -1}), InvalidArgument);
}

TEST(RelaySparse, AlgorithmsWithoutThisStorageSaySo) {
  const problems::Relay relay = problems::random_relay_spd(3, 1, problems::Bounds::Finite);
  for (const char* name : {"active set", "enumeration"}) {
    try {
      (void)relay::find(name).solver.solve(sparse(relay.problem));
      FAIL() << name;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("sparse"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace nonsmooth::relay_sparse_test
