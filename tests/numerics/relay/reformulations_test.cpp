// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp/lemke.hpp>
#include <nonsmooth/numerics/relay.hpp>

#include <problems/relay.hpp>

namespace nonsmooth::reformulations_test {
namespace {

using problems::Bounds;
using problems::infinite;

TEST(RelayAsLcp, TheSameSolution) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const problems::Relay relay = problems::random_relay_p(1 + Index(seed % 10), seed, Bounds::Mixed, 0.2);
    const relay::AsLcp form = relay::as_lcp(relay.problem);
    const lcp::Result x = lcp::solve(form.problem, lcp::Lemke{});
    ASSERT_TRUE(x.ok()) << seed << ": " << x.message();
    // Least eigenvalue >= 1/2, entries below 20, residuals 1e-10: z to 1e-8 of the scale of the LCP.
    const double bound = 1e-8 * std::max(1.0, x.certificate.scale);
    EXPECT_LE((form.recover(x.z) - relay.z).cwiseAbs().maxCoeff(), bound) << seed;
  }
}

TEST(RelayAsLcp, OnlyFixedRows) {
  const relay::Problem problem{Eigen::MatrixXd::Ones(2, 2), Eigen::VectorXd::Ones(2), Eigen::VectorXd{{3, -1}},
                               Eigen::VectorXd{{3, -1}}};
  const relay::AsLcp form = relay::as_lcp(problem);
  const lcp::Result x = lcp::solve(form.problem, lcp::Lemke{});
  ASSERT_TRUE(x.ok());
  EXPECT_EQ(form.recover(x.z), problem.lower);
}

TEST(RelayFromLcp, TheSameSolution) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const problems::Lcp lcp = problems::random_p(1 + Index(seed % 10), seed);
    const relay::Result result = relay::solve(relay::from_lcp(lcp.problem));
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_LE((result.z - lcp.z).cwiseAbs().maxCoeff(), 1e-8 * std::max(1.0, lcp.problem.q.cwiseAbs().maxCoeff()));
  }
}

TEST(RelayAsAvi, HoldsTheVariationalInequality) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const problems::Relay relay = problems::random_relay_p(1 + Index(seed % 8), seed, Bounds::Mixed);
    const relay::Avi avi = relay::as_avi(relay.problem);
    const Eigen::VectorXd F = avi.M * relay.z + avi.q;
    for (Index r = 0; r < avi.A.rows(); ++r) EXPECT_GE(avi.A.row(r).dot(relay.z), avi.b[r] - 1e-14);
    std::mt19937_64 random(seed);
    for (int sample = 0; sample < 50; ++sample) {  // F·(y - z) >= 0 for points y of the polyhedron
      const Eigen::VectorXd y = (relay.z + 3.0 * problems::normal_matrix(random, relay.z.size(), 1))
                                    .cwiseMax(relay.problem.lower)
                                    .cwiseMin(relay.problem.upper);
      EXPECT_GE(F.dot(y - relay.z), -1e-12);  // F of free rows is round-off of entries near 10
    }
    const relay::Problem back = relay::from_avi(avi);
    EXPECT_EQ(back.lower, relay.problem.lower);
    EXPECT_EQ(back.upper, relay.problem.upper);
  }
}

TEST(RelayFromAvi, ScalesAndTightens) {
  const relay::Avi avi{Eigen::MatrixXd::Identity(2, 2), Eigen::VectorXd::Ones(2),
                       Eigen::MatrixXd{{2, 0}, {1, 0}, {0, -4}}, Eigen::VectorXd{{-6, -5, -2}}};
  const relay::Problem problem = relay::from_avi(avi);
  EXPECT_EQ(problem.lower, (Eigen::VectorXd{{-3, -infinite}}));
  EXPECT_EQ(problem.upper, (Eigen::VectorXd{{infinite, 0.5}}));
  relay::Avi general = avi;
  general.A(0, 1) = 1.0;
  EXPECT_THROW(static_cast<void>(relay::from_avi(general)), InvalidArgument);
  relay::Avi wrong = avi;
  wrong.b.resize(2);
  EXPECT_THROW(static_cast<void>(relay::from_avi(wrong)), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::reformulations_test
