// SPDX-License-Identifier: Apache-2.0
// What every LCP solver of the registry promises; a new one joins by its line in the registry.
#include <limits>

#include <gtest/gtest.h>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp.hpp>

#include "../problems/lcp.hpp"

namespace {

using namespace nonsmooth;

constexpr double tolerance = 1e-10;

class LcpContract : public testing::TestWithParam<std::size_t> {
 protected:
  const lcp::Entry& entry() const { return lcp::registry()[GetParam()]; }
  bool fits(Index n) const {
    return (entry().max_rows == 0 || n <= entry().max_rows) && (entry().name != "enumeration" || n <= 10);
  }

  /// Lemke-Howson promises nothing but games, which have tests of their own: here it is held to honesty alone.
  bool games_only() const { return entry().name == "lemke-howson"; }

  /// Solves in every storage the solver has; Solved must be true by independent arithmetic.
  std::vector<lcp::Result> all(const lcp::Problem& problem, const Limits& limits = {.tolerance = tolerance}) const {
    std::vector<lcp::Result> results;
    if (entry().solver.dense()) results.push_back(entry().solver.solve(problem, limits));
    if (entry().solver.sparse()) results.push_back(entry().solver.solve(problems::sparse(problem), limits));
    for (const lcp::Result& result : results) {
      if (result.status == Status::Solved) {
        // Twice the tolerance: w in double against long double, see fuzz/complementarity.cpp.
        EXPECT_LE(problems::independent_residual(problem.M, problem.q, result.z), 2.0 * tolerance);
      }
      if (result.status == Status::Infeasible) {
        EXPECT_TRUE(lcp::proves_infeasible(problem, result.proof));
      }
      EXPECT_NE(result.status, Status::NotRun);
      EXPECT_FALSE(result.message().empty());
    }
    return results;
  }
};

TEST_P(LcpContract, InteriorSolution) {
  if (games_only()) GTEST_SKIP() << "no game";
  const problems::Lcp lcp = problems::interior();
  for (const lcp::Result& result : all(lcp.problem)) {
    ASSERT_TRUE(result.ok()) << result.message();
    // |M^-1|_inf = 1 and |q| = 6: a residual of 1e-10 leaves at most 6e-10 in z.
    EXPECT_LE((result.z - lcp.z).cwiseAbs().maxCoeff(), 6e-10);
    EXPECT_LE((result.w - (lcp.problem.M * result.z + lcp.problem.q)).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST_P(LcpContract, NonNegativeQGivesZero) {
  for (const lcp::Result& result : all({Eigen::MatrixXd{{1, -3}, {2, 1}}, Eigen::VectorXd{{0, 2}}})) {
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_EQ(result.z, Eigen::VectorXd::Zero(2));
    EXPECT_EQ(result.certificate.residual, 0.0);
  }
}

TEST_P(LcpContract, PlantedSymmetricPositiveDefinite) {
  if (games_only()) GTEST_SKIP() << "no game";
  for (Index n = 1; n <= 30; ++n) {
    if (!fits(n)) continue;
    const problems::Lcp lcp = problems::random_spd(n, 100 + static_cast<std::uint64_t>(n));
    for (const lcp::Result& result : all(lcp.problem)) {
      ASSERT_TRUE(result.ok()) << "n = " << n << ": " << result.message();
      // Least eigenvalue >= 1/2 and s_i < 8: |z - z*| <= (1 + s) |e| / (1/2) sqrt(n) < 100 residual |q|.
      EXPECT_LE((result.z - lcp.z).cwiseAbs().maxCoeff(), 100.0 * tolerance * lcp.problem.q.cwiseAbs().maxCoeff());
    }
  }
}

TEST_P(LcpContract, PlantedPMatrix) {
  if (games_only()) GTEST_SKIP() << "no game";
  // Sweeps need symmetry or diagonal dominance: for them only honesty is asked, which all() checks.
  const bool general = entry().name.find("projected") == std::string_view::npos;
  for (Index n = 1; n <= 30; ++n) {
    if (!fits(n)) continue;
    const problems::Lcp lcp = problems::random_p(n, 200 + static_cast<std::uint64_t>(n));
    for (const lcp::Result& result : all(lcp.problem)) {
      EXPECT_TRUE(result.ok() || !general) << "n = " << n << ": " << result.message();
    }
  }
}

TEST_P(LcpContract, DegenerateSolutions) {
  if (games_only()) GTEST_SKIP() << "no game";
  for (Index n = 2; n <= 10; ++n) {
    const problems::Lcp lcp = problems::random_spd(n, 300 + static_cast<std::uint64_t>(n), 0.5);
    for (const lcp::Result& result : all(lcp.problem))
      EXPECT_TRUE(result.ok()) << "n = " << n << ": " << result.message();
  }
}

TEST_P(LcpContract, StatusDoesNotDependOnUnits) {
  if (games_only()) GTEST_SKIP() << "no game";
  const problems::Lcp lcp = problems::random_spd(6, 17);
  for (const double factor : {1e-6, 1e6}) {
    for (const lcp::Result& result : all({lcp.problem.M * factor, lcp.problem.q}))
      EXPECT_TRUE(result.ok()) << result.message();
    for (const lcp::Result& result : all({lcp.problem.M, lcp.problem.q * factor}))
      EXPECT_TRUE(result.ok()) << result.message();
    for (const lcp::Result& result : all({lcp.problem.M * factor, lcp.problem.q * factor}))
      EXPECT_TRUE(result.ok()) << result.message();
  }
}

TEST_P(LcpContract, OneNegativeRowIsNeverSolved) {
  const lcp::Problem problem{Eigen::MatrixXd{{-1}}, Eigen::VectorXd{{-1}}};
  for (const lcp::Result& result : all(problem)) {
    EXPECT_FALSE(result.ok());
    const bool proves = entry().name == "automatic" || entry().name == "lemke" || entry().name == "keller" ||
                        entry().name == "enumeration";
    if (proves) {
      EXPECT_EQ(result.status, Status::Infeasible) << result.message();
    }
  }
}

TEST_P(LcpContract, HonestOutsideItsClass) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Index n = 1 + static_cast<Index>(seed % 8);
    all(problems::random_psd(n, seed).problem);
    for (const lcp::Result& result : all(problems::random_infeasible(n, seed).problem)) EXPECT_FALSE(result.ok());
    std::mt19937_64 random(seed);
    all({problems::normal_matrix(random, n, n), problems::normal_matrix(random, n, 1)});
  }
}

TEST_P(LcpContract, SemidefiniteProblemsGetTheirVerdict) {
  // The classes that the headers promise a verdict for; the rest is held to honesty above.
  const std::string_view name = entry().name;
  const bool solves =
      name == "automatic" || name == "lemke" || name == "keller" || name == "interior point" || name == "enumeration";
  if (!solves) GTEST_SKIP() << "positive semidefinite matrices are outside the class of " << name;
  const bool proves = name != "interior point";
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Index n = 1 + static_cast<Index>(seed % 10);
    for (const lcp::Result& result : all(problems::random_psd(n, seed).problem))
      EXPECT_TRUE(result.ok()) << "n = " << n << ", seed " << seed << ": " << result.message();
    for (const lcp::Result& result : all(problems::random_infeasible(n, seed).problem)) {
      EXPECT_EQ(result.status == Status::Infeasible, proves || result.status == Status::Infeasible)
          << "n = " << n << ", seed " << seed << ": " << result.message();
    }
  }
}

TEST_P(LcpContract, HonoursItsLimits) {
  if (games_only()) GTEST_SKIP() << "no game";
  const problems::Lcp lcp = problems::random_spd(12, 5);
  if (!fits(12) && entry().name != "enumeration") return;
  for (const lcp::Result& result : all(lcp.problem, {.tolerance = tolerance, .max_iterations = 1})) {
    EXPECT_TRUE(result.ok() || result.status == Status::IterationLimit) << result.message();
    EXPECT_LE(result.iterations, 1) << result.message();
    EXPECT_EQ(result.z.size(), 12);
  }
  // The clock has passed before the first step: nobody needs less than a nanosecond.
  for (const lcp::Result& result : all(lcp.problem, {.tolerance = tolerance, .time_limit = 1e-9})) {
    EXPECT_TRUE(result.ok() || result.status == Status::TimeLimit) << result.message();
    EXPECT_EQ(result.z.size(), 12);
    EXPECT_TRUE(result.z.allFinite());
  }
}

TEST_P(LcpContract, OverflowIsNoAnswer) {
  // |M||q| beyond the range of double: z = (q2, q1) / 1e300 is representable, products on the way need not be.
  for (const lcp::Problem& problem :
       {lcp::Problem{Eigen::MatrixXd{{1e300, 5e299}, {5e299, 1e300}}, Eigen::VectorXd{{-1e300, -1e300}}},
        lcp::Problem{Eigen::MatrixXd{{1e-300, 0}, {0, 1e300}}, Eigen::VectorXd{{-1e300, -1e-300}}},
        lcp::Problem{Eigen::MatrixXd{{1e300, -1e300}, {-1e300, 1e300}}, Eigen::VectorXd{{-1e300, -1e-300}}}}) {
    for (const lcp::Result& result : all(problem)) {
      EXPECT_TRUE(result.z.allFinite()) << result.message();
      if (result.ok()) {
        EXPECT_LE(result.certificate.residual, tolerance);
      }
    }
  }
}

TEST_P(LcpContract, RefusesMalformedInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Eigen::MatrixXd M = Eigen::MatrixXd::Identity(2, 2);
  const Eigen::VectorXd q = -Eigen::VectorXd::Ones(2);
  const auto refused = [&](const lcp::Problem& problem, std::string_view argument, double tol = tolerance) {
    const auto check = [&](const auto& given) {
      try {
        static_cast<void>(entry().solver.solve(given, {.tolerance = tol}));
        ADD_FAILURE() << "not refused: " << argument;
      } catch (const InvalidArgument& error) {
        EXPECT_EQ(error.argument(), argument) << error.what();
      }
    };
    if (entry().solver.dense()) check(problem);
    if (entry().solver.sparse()) check(problems::sparse(problem));
  };
  refused({Eigen::MatrixXd(0, 0), Eigen::VectorXd(0)}, "lcp::Problem::M");
  refused({Eigen::MatrixXd::Ones(2, 3), q}, "lcp::Problem::M");
  refused({M, Eigen::VectorXd::Ones(3)}, "lcp::Problem::q");
  refused({M * nan, q}, "lcp::Problem::M");
  refused({M, q * std::numeric_limits<double>::infinity()}, "lcp::Problem::q");
  refused({M, q}, "Limits::tolerance", 0.0);
  refused({M, q}, "Limits::tolerance", nan);
}

std::string test_name(const testing::TestParamInfo<std::size_t>& parameter) {
  std::string name(lcp::registry()[parameter.param].name);
  for (char& c : name) {
    if (c == ' ' || c == '-') c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Registry, LcpContract, testing::Range<std::size_t>(0, lcp::registry().size()), test_name);

TEST(LcpResult, IsBornNotRun) {
  const lcp::Result result;
  EXPECT_EQ(result.status, Status::NotRun);
  EXPECT_TRUE(std::isnan(result.certificate.residual));
  EXPECT_FALSE(result.ok());
}

}  // namespace
