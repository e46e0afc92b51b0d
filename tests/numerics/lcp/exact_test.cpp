// SPDX-License-Identifier: Apache-2.0
// Certificates and proofs against exact arithmetic.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include <nonsmooth/numerics/lcp.hpp>
#include <problems/exact.hpp>
#include <problems/lcp.hpp>

namespace nonsmooth::exact_test {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

void expect_exact(const lcp::Problem& problem, const Eigen::VectorXd& z, const Certificate& certificate) {
  // Certificate::round_off is what the rounding of u, n + 1 terms, may leave in an error.
  EXPECT_LE(std::abs(certificate.error - problems::exact_error(problem, z)), certificate.round_off);
}

TEST(Exact, ReportedErrorsAreRightToTheirRoundOff) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Index n = 2 + static_cast<Index>(seed % 5);
    for (const problems::Lcp& lcp : {problems::random_spd(n, seed, 0.3), problems::random_p(n, seed),
                                     problems::rescaled(problems::random_p(n, seed), seed, 6.0),
                                     problems::random_psd(n, seed), problems::random_infeasible(n, seed)}) {
      for (const lcp::Entry& entry : lcp::registry()) {
        if (!entry.solver.dense()) continue;
        SCOPED_TRACE(lcp.name + ", seed " + std::to_string(seed) + ", " + entry.solver.name());
        const lcp::Result result = entry.solver.solve(lcp.problem);
        expect_exact(lcp.problem, result.z, result.certificate);
        // Nothing is called solved that is not: to the tolerance, or to the rounding of its rows.
        if (result.ok() && !result.at_round_off) {
          EXPECT_LE(problems::exact_error(lcp.problem, result.z),
                    Limits{}.tolerance * result.certificate.scale + result.certificate.round_off);
        }
      }
    }
  }
}

// Sums that cancel: w of size 1 as a difference of terms of up to 1e12.
TEST(Exact, CertificatesOfAnyPointAreRightToTheirRoundOff) {
  std::mt19937_64 random(21);
  std::uniform_real_distribution<double> decades(0.0, 12.0);
  for (int trial = 0; trial < 500; ++trial) {
    const Index n = 1 + trial % 8;
    lcp::Problem problem{problems::normal_matrix(random, n, n), problems::normal_matrix(random, n, 1)};
    const Eigen::VectorXd z = std::pow(10.0, decades(random)) * problems::normal_matrix(random, n, 1);
    if (trial % 2 == 0) problem.q -= problem.M * z;
    Eigen::VectorXd w(n);
    expect_exact(problem, z, lcp::certify(problem, z, w));
  }
}

// The allowance of proves_infeasible is 4 eps of the terms; its sums in extended precision lose n 2^-64 of them, which
// is below eps / 256 here.
constexpr double kMost = (4.0 + 1.0 / 256.0) * kEps, kLeast = (4.0 - 1.0 / 256.0) * kEps;

TEST(Exact, ProofsOfInfeasibilityHold) {
  int proofs = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const problems::Lcp lcp = problems::random_infeasible(2 + static_cast<Index>(seed % 6), seed);
    for (const lcp::Entry& entry : lcp::registry()) {
      if (!entry.solver.dense()) continue;
      const lcp::Result result = entry.solver.solve(lcp.problem);
      EXPECT_NE(result.status, Status::Solved) << entry.name << ", seed " << seed;
      if (result.status != Status::Infeasible) continue;
      ++proofs;
      EXPECT_TRUE(problems::exact_proof(lcp.problem, result.proof, kMost)) << entry.name << ", seed " << seed;
    }
  }
  EXPECT_GE(proofs, 40);
}

// y moves by up to 16 eps about the kernel of M = a a^T, whose entries are rounded: proofs that just hold and just
// fail.
TEST(Exact, ProofsAreJudgedToTheirAllowance) {
  std::mt19937_64 random(22);
  std::uniform_real_distribution<double> entry(0.1, 1.0), shift(-16.0 * kEps, 16.0 * kEps);
  int verdicts[2] = {};
  for (int trial = 0; trial < 2000; ++trial) {
    const Eigen::Vector3d a(entry(random), entry(random), -entry(random));
    Eigen::VectorXd y{{entry(random), entry(random), 0.0}};
    y[2] = (a[0] * y[0] + a[1] * y[1]) / -a[2] * (1.0 + shift(random));
    const lcp::Problem problem{a * a.transpose(), Eigen::VectorXd{{-1.0, -1.0, 0.1}}};
    const bool proved = lcp::proves_infeasible(problem, y);
    EXPECT_TRUE(problems::exact_proof(problem, y, proved ? kMost : kLeast) == proved) << trial;
    ++verdicts[proved ? 1 : 0];
  }
  EXPECT_GT(verdicts[0], 200);
  EXPECT_GT(verdicts[1], 200);
}

}  // namespace
}  // namespace nonsmooth::exact_test
