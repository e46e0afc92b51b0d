// SPDX-License-Identifier: Apache-2.0
// What the MLCP solvers of the registry promise; a new one joins by its line in the registry.
#include <nonsmooth/numerics/mlcp.hpp>

#include "../problems/mlcp.hpp"
#include "../problems/relay.hpp"
#include "registry_contract.hpp"

namespace nonsmooth::mlcp_contract_test {
namespace {

using namespace nonsmooth::contracts;

class MlcpContract : public testing::TestWithParam<std::string> {
 protected:
  const mlcp::Entry& entry() const { return mlcp::find(GetParam()); }
  bool fits(Index m) const { return entry().max_rows == 0 || m <= 8; }

  /// Solves; Solved and Infeasible must be true by independent arithmetic.
  mlcp::Result solve(const mlcp::Problem& problem, const Limits& limits = {.tolerance = tolerance}) const {
    mlcp::Result result = entry().solver.solve(problem, limits);
    expect_honest(
        result, [&] { return problems::independent_residual(problem, result.u, result.v); },
        [&] { return mlcp::proves_infeasible(problem, result.proof); });
    EXPECT_EQ(result.u.size(), problem.num_free());
    EXPECT_EQ(result.v.size(), problem.num_constrained());
    if (entry().solver.sparse()) expect_as_good(problem, limits, result);
    return result;
  }

 private:
  /// The same problem stored otherwise: as honest, and solved where that is.
  void expect_as_good(const mlcp::Problem& problem, const Limits& limits, const mlcp::Result& dense) const {
    const mlcp::SparseProblem sparse = problems::sparse(problem);
    const mlcp::Result result = entry().solver.solve(sparse, limits);
    expect_honest(
        result, [&] { return problems::independent_residual(problem, result.u, result.v); },
        [&] { return mlcp::proves_infeasible(sparse, result.proof); });
    EXPECT_TRUE(result.ok() || !dense.ok()) << "sparse: " << result.message();
  }
};

class MlcpGeneral : public MlcpContract {};  // positive definite without symmetry
class MlcpAnyRank : public MlcpContract {};  // A singular, or A with the first active rows of B
class MlcpProving : public MlcpContract {};  // rows that contradict each other

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

TEST_P(MlcpGeneral, PlantedPositiveDefiniteAndDegenerate) {
  for (Index n = 1; n <= 12; ++n) {
    const Index m = std::min<Index>(n, 8);
    for (const double degenerate : {0.0, 0.5}) {
      const mlcp::Result result =
          solve(problems::random_mlcp(n, m, 200 + static_cast<std::uint64_t>(n), false, degenerate).problem);
      EXPECT_TRUE(result.ok()) << "n = " << n << ": " << result.message();
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

TEST_P(MlcpAnyRank, DiodeBridge) {
  for (const double J : {-2.0, 0.5, 3.0}) {
    const problems::Mlcp bridge = problems::diode_bridge(J, 10.0);
    const mlcp::Result result = solve(bridge.problem);
    ASSERT_TRUE(result.ok()) << result.message();
    // Residual 1e-10 |J| in amperes; potentials are those times R = 10 and a few rows.
    EXPECT_LE((result.u - bridge.u).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LE((result.v - bridge.v).cwiseAbs().maxCoeff(), 1e-8);
  }
}

/// Small problems with dependent rows, with dependent columns and with rows that contradict each other.
struct Dependent {
  mlcp::Problem rows, columns, contradicting;
};

std::vector<Dependent> dependent_problems() {
  std::vector<Dependent> all;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Index n = 1 + static_cast<Index>(seed % 4);
    const Index m = 1 + static_cast<Index>(seed % 5);
    const Index extra = 1 + static_cast<Index>(seed % 3);
    const problems::Mlcp base = problems::random_mlcp(n, m, seed, false);
    all.push_back({problems::with_dependent_rows(base, extra, seed).problem,
                   problems::with_dependent_columns(base, extra, seed).problem,
                   problems::with_dependent_rows(base, extra, seed, 1.0).problem});
  }
  return all;
}

TEST_P(MlcpContract, HonestOutsideItsClass) {
  for (const Dependent& dependent : dependent_problems()) {
    solve(dependent.rows);
    solve(dependent.columns);
    EXPECT_FALSE(solve(dependent.contradicting).ok());
  }
  for (const double J : {-2.0, 0.5, 3.0}) solve(problems::diode_bridge(J, 10.0).problem);
  for (Index n = 1; n <= 8; ++n) solve(problems::random_mlcp(n, n, static_cast<std::uint64_t>(n), false, 0.5).problem);
}

TEST_P(MlcpAnyRank, DependentRowsAndColumns) {
  for (const Dependent& dependent : dependent_problems()) {
    const mlcp::Result rows = solve(dependent.rows);
    EXPECT_TRUE(rows.ok()) << rows.message();
    const mlcp::Result columns = solve(dependent.columns);
    EXPECT_TRUE(columns.ok()) << columns.message();
  }
}

TEST_P(MlcpProving, ContradictingRows) {
  for (const Dependent& dependent : dependent_problems()) {
    const mlcp::Result result = solve(dependent.contradicting);
    EXPECT_EQ(result.status, Status::Infeasible) << result.message();
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

TEST_P(MlcpContract, HonoursItsLimits) {
  const problems::Mlcp mlcp = problems::random_mlcp(3, 8, 5, true);
  expect_limits_honoured([&](const Limits& limits) { return solve(mlcp.problem, limits); });
  if (!entry().solver.sparse()) return;
  const mlcp::SparseProblem sparse = problems::sparse(mlcp.problem);
  expect_limits_honoured([&](const Limits& limits) { return entry().solver.solve(sparse, limits); });
}

TEST_P(MlcpContract, RefusesMalformedInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const mlcp::Problem good = problems::random_mlcp(2, 3, 1, true).problem;
  const auto refused = [&](auto&& spoil, std::string_view argument) {
    mlcp::Problem problem = good;
    Limits limits;
    spoil(problem, limits);
    expect_refused([&] { return entry().solver.solve(problem, limits); }, argument);
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

INSTANTIATE_TEST_SUITE_P(Registry, MlcpContract, testing::ValuesIn(every(mlcp::registry())), test_name);
// Sweeps need symmetry or dominance.
INSTANTIATE_TEST_SUITE_P(Registry, MlcpGeneral, testing::ValuesIn(every(mlcp::registry(), {"gauss-seidel"})),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Registry, MlcpAnyRank,
                         testing::ValuesIn(every(mlcp::registry(), {"elimination", "gauss-seidel", "active set"})),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Registry, MlcpProving,
                         testing::ValuesIn(only(mlcp::registry(), {"automatic", "lemke", "enumeration"})), test_name);

TEST(MlcpResult, IsBornNotRun) { expect_born_not_run<mlcp::Result>(); }

TEST(MlcpRegistry, NamesAreFound) {
  expect_names_found(mlcp::registry(), [](std::string_view name) -> const mlcp::Entry& { return mlcp::find(name); });
}

TEST(MlcpRegistry, NeverTrustsACallable) {
  const mlcp::Problem problem = problems::random_mlcp(2, 2, 3, true).problem;
  mlcp::Result zeros;
  zeros.u.setZero(2);
  zeros.v.setZero(2);
  expect_claims_checked<mlcp::Solver>(problem, zeros, 4);
}

}  // namespace
}  // namespace nonsmooth::mlcp_contract_test
