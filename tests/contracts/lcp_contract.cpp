// SPDX-License-Identifier: Apache-2.0
// What the LCP solvers of the registry promise: all of them honesty, and each its answers on the classes of matrices it
// is for. A new one joins by its line in the registry, and by leaving or joining the lists at the end.
#include <nonsmooth/numerics/lcp.hpp>

#include "../problems/games.hpp"
#include "../problems/lcp.hpp"
#include "registry_contract.hpp"

namespace nonsmooth::lcp_contract_test {
namespace {

using namespace nonsmooth::contracts;

class LcpContract : public testing::TestWithParam<std::string> {
 protected:
  const lcp::Entry& entry() const { return lcp::find(GetParam()); }
  bool fits(Index n) const {
    return (entry().max_rows == 0 || n <= entry().max_rows) && (entry().name != "enumeration" || n <= 10);
  }

  /// Solves in every storage the solver has; Solved must be true by independent arithmetic.
  std::vector<lcp::Result> all(const lcp::Problem& problem, const Limits& limits = {.tolerance = tolerance}) const {
    std::vector<lcp::Result> results;
    if (entry().solver.dense()) results.push_back(entry().solver.solve(problem, limits));
    if (entry().solver.sparse()) results.push_back(entry().solver.solve(problems::sparse(problem), limits));
    for (const lcp::Result& result : results) {
      expect_honest(
          result, [&] { return problems::independent_residual(problem.M, problem.q, result.z); },
          [&] { return lcp::proves_infeasible(problem, result.proof); });
    }
    return results;
  }

  void expect_solved(const lcp::Problem& problem) const {
    for (const lcp::Result& result : all(problem)) EXPECT_TRUE(result.ok()) << result.message();
  }

  /// A solution, or the limit's status with an iterate of the right size.
  void expect_limits_kept(const lcp::Problem& problem) const {
    for (const lcp::Result& result : all(problem, {.tolerance = tolerance, .max_iterations = 1})) {
      EXPECT_TRUE(result.ok() || result.status == Status::IterationLimit) << result.message();
      EXPECT_LE(result.iterations, 1) << result.message();
      EXPECT_EQ(result.z.size(), problem.q.size());
    }
    // The clock has passed before the first step: nobody needs less than a nanosecond.
    for (const lcp::Result& result : all(problem, {.tolerance = tolerance, .time_limit = 1e-9})) {
      EXPECT_TRUE(result.ok() || result.status == Status::TimeLimit) << result.message();
      EXPECT_EQ(result.z.size(), problem.q.size());
      EXPECT_TRUE(result.z.allFinite());
    }
  }

  void expect_independent_of_units(const lcp::Problem& problem) const {
    for (const double factor : {1e-6, 1e6}) {
      expect_solved({problem.M * factor, problem.q});
      expect_solved({problem.M, problem.q * factor});
      expect_solved({problem.M * factor, problem.q * factor});
    }
  }
};

class LcpPositiveDefinite : public LcpContract {};  // symmetric positive definite M
class LcpPMatrix : public LcpContract {};
class LcpSemidefinite : public LcpContract {};  // positive semidefinite M
class LcpProving : public LcpContract {};       // semidefinite M without solution
class LcpGames : public LcpContract {};         // bimatrix games

TEST_P(LcpPositiveDefinite, InteriorSolution) {
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

TEST_P(LcpPositiveDefinite, PlantedSymmetricPositiveDefinite) {
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

TEST_P(LcpPMatrix, Planted) {
  for (Index n = 1; n <= 30; ++n) {
    if (!fits(n)) continue;
    SCOPED_TRACE("n = " + std::to_string(n));
    expect_solved(problems::random_p(n, 200 + static_cast<std::uint64_t>(n)).problem);
  }
}

TEST_P(LcpPositiveDefinite, DegenerateSolutions) {
  for (Index n = 2; n <= 10; ++n) {
    SCOPED_TRACE("n = " + std::to_string(n));
    expect_solved(problems::random_spd(n, 300 + static_cast<std::uint64_t>(n), 0.5).problem);
  }
}

TEST_P(LcpPositiveDefinite, StatusDoesNotDependOnUnits) {
  expect_independent_of_units(problems::random_spd(6, 17).problem);
}

const lcp::Problem negative_row{Eigen::MatrixXd{{-1}}, Eigen::VectorXd{{-1}}};

TEST_P(LcpContract, OneNegativeRowIsNeverSolved) {
  for (const lcp::Result& result : all(negative_row)) EXPECT_FALSE(result.ok());
}

TEST_P(LcpContract, HonestOutsideItsClass) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Index n = 1 + static_cast<Index>(seed % 8);
    all(problems::random_psd(n, seed).problem);
    all(problems::random_p(n, seed).problem);
    for (const lcp::Result& result : all(problems::random_infeasible(n, seed).problem)) EXPECT_FALSE(result.ok());
    std::mt19937_64 random(seed);
    all({problems::normal_matrix(random, n, n), problems::normal_matrix(random, n, 1)});
  }
}

TEST_P(LcpSemidefinite, Feasible) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_solved(problems::random_psd(1 + static_cast<Index>(seed % 10), seed).problem);
  }
}

TEST_P(LcpProving, Infeasible) {
  const auto expect_infeasible = [&](const lcp::Problem& problem) {
    for (const lcp::Result& result : all(problem)) EXPECT_EQ(result.status, Status::Infeasible) << result.message();
  };
  expect_infeasible(negative_row);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_infeasible(problems::random_infeasible(1 + static_cast<Index>(seed % 10), seed).problem);
  }
}

TEST_P(LcpGames, Equilibria) {
  std::vector<problems::Bimatrix> games = problems::games();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    games.push_back(problems::random_game(2 + static_cast<Index>(seed % 5), 2 + static_cast<Index>(seed % 7), seed));
  }
  for (const problems::Bimatrix& game : games) {
    for (const lcp::Result& result : all(problems::lemke_howson_form(game))) {
      ASSERT_TRUE(result.ok()) << game.name << ": " << result.message();
      const auto [x, y] = problems::strategies_of(game, result.z);
      // w errs by 1e-10 at most, and sum x', sum y' are at least 1 over the largest cost, 8: regrets of 8e-10.
      EXPECT_LE(problems::regret(game, x, y), 1e-9) << game.name;
    }
  }
}

TEST_P(LcpGames, StatusDoesNotDependOnUnits) {
  expect_independent_of_units(problems::lemke_howson_form(problems::random_game(4, 3, 17)));
}

TEST_P(LcpGames, HonoursItsLimits) { expect_limits_kept(problems::lemke_howson_form(problems::random_game(7, 5, 5))); }

TEST_P(LcpPositiveDefinite, HonoursItsLimits) { expect_limits_kept(problems::random_spd(12, 5).problem); }

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
      expect_refused([&] { return entry().solver.solve(given, {.tolerance = tol}); }, argument);
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

INSTANTIATE_TEST_SUITE_P(Registry, LcpContract, testing::ValuesIn(every(lcp::registry())), test_name);
INSTANTIATE_TEST_SUITE_P(Registry, LcpPositiveDefinite, testing::ValuesIn(every(lcp::registry(), {"lemke-howson"})),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Registry, LcpPMatrix,
                         // Sweeps need symmetry or diagonal dominance.
                         testing::ValuesIn(every(lcp::registry(),
                                                 {"lemke-howson", "projected gauss-seidel", "projected sor",
                                                  "projected symmetric sor", "projected jacobi"})),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Registry, LcpSemidefinite,
                         testing::ValuesIn(only(lcp::registry(),
                                                {"automatic", "lemke", "keller", "interior point", "enumeration"})),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Registry, LcpProving,
                         testing::ValuesIn(only(lcp::registry(), {"automatic", "lemke", "keller", "enumeration"})),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Registry, LcpGames, testing::ValuesIn(only(lcp::registry(), {"automatic", "lemke-howson"})),
                         test_name);

TEST(LcpResult, IsBornNotRun) { expect_born_not_run<lcp::Result>(); }

TEST(LcpRegistry, NamesAreFound) {
  expect_names_found(lcp::registry(), [](std::string_view name) -> const lcp::Entry& { return lcp::find(name); });
}

TEST(LcpRegistry, NeverTrustsACallable) {
  const lcp::Problem problem{Eigen::MatrixXd::Identity(2, 2), -Eigen::VectorXd::Ones(2)};
  lcp::Result zeros;
  zeros.z.setZero(2);
  expect_claims_checked<lcp::Solver>(problem, zeros, 2);
}

}  // namespace
}  // namespace nonsmooth::lcp_contract_test
