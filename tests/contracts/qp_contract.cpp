// SPDX-License-Identifier: Apache-2.0
// What the solvers of quadratic programs promise; a new one joins by its line in the registry.
#include <nonsmooth/numerics/qp.hpp>

#include "../problems/program_judge.hpp"
#include "../problems/qp.hpp"
#include "../problems/qp_residual.hpp"
#include "registry_contract.hpp"

namespace nonsmooth::qp_contract_test {
namespace {

using namespace nonsmooth::contracts;

class QpContract : public testing::TestWithParam<std::string> {
 protected:
  const qp::Entry& entry() const { return qp::find(GetParam()); }

  /// Solves in each storage that the solver has; Solved and Infeasible must be true by independent arithmetic.
  template <class Look>
  void solve(const qp::Problem& problem, Look&& look, const Limits& limits = {.tolerance = tolerance}) const {
    if (entry().solver.dense()) look(judged(problem, entry().solver.solve(problem, limits)));
    if (entry().solver.sparse()) look(judged(problem, entry().solver.solve(problems::sparse(problem), limits)));
  }
  qp::Result judged(const qp::Problem& problem, qp::Result result) const {
    expect_honest(
        result, [&] { return result.at_round_off ? 0.0 : problems::independent_residual(problem, result.x, result.y); },
        [&] {
          return result.unbounded() ? problems::ray_holds(problem, result.direction)
                                    : problems::farkas_holds(problem, result.proof);
        });
    EXPECT_EQ(result.x.size(), problem.num_unknowns());
    EXPECT_EQ(result.y.size(), problem.num_rows());
    return result;
  }
};

TEST_P(QpContract, PlantedStrictlyConvex) {
  for (Index n = 1; n <= 25; n += 4) {
    for (const Index m : {Index{0}, n / 2, 2 * n}) {
      const problems::Qp qp = problems::planted_qp({.n = n, .m = m, .equations = n / 8}, 10 + std::uint64_t(n));
      solve(qp.problem, [&](const qp::Result& result) {
        ASSERT_TRUE(result.ok()) << "n = " << n << ", m = " << m << ": " << result.message();
        // Values within the gap, 1e-10 of terms of n, of the least, and curvature 1/2: sqrt of four times that.
        EXPECT_LE((result.x - qp.x).norm(), 1e-3);
        const double value = 0.5 * qp.x.dot(qp.problem.Q * qp.x) + qp.problem.c.dot(qp.x);
        EXPECT_NEAR(result.figures.value, value, 1e-8 * std::max(1.0, std::abs(value)));
      });
    }
  }
}

TEST_P(QpContract, SingularMatricesAndLinearPrograms) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Index n = 2 + Index(seed);
    for (const Index rank : {Index{0}, n / 2}) {
      const problems::Qp qp = problems::planted_qp({.n = n, .m = n, .rank = rank}, seed);
      const double value = 0.5 * qp.x.dot(qp.problem.Q * qp.x) + qp.problem.c.dot(qp.x);
      solve(qp.problem, [&](const qp::Result& result) {
        ASSERT_TRUE(result.ok()) << "n = " << n << ", rank " << rank << ": " << result.message();
        EXPECT_NEAR(result.figures.value, value, 1e-8 * std::max(1.0, std::abs(value)));
      });
    }
  }
}

TEST_P(QpContract, DegenerateAndDependentRows) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    for (const bool dependent : {false, true}) {
      const problems::Qp qp =
          problems::planted_qp({.n = 8, .m = 12, .equations = 3, .degenerate = 0.7, .dependent = dependent}, seed);
      solve(qp.problem,
            [&](const qp::Result& result) { EXPECT_TRUE(result.ok()) << seed << ": " << result.message(); });
    }
  }
}

TEST_P(QpContract, UnitsThatDifferByDecades) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const problems::Qp qp = problems::planted_qp({.n = 8, .m = 8, .equations = 2, .decades = 4.0}, seed);
    solve(qp.problem, [&](const qp::Result& result) { EXPECT_TRUE(result.ok()) << seed << ": " << result.message(); });
  }
}

TEST_P(QpContract, PublishedValues) {
  for (const problems::PublishedQp& one : problems::published_qps()) {
    solve(one.problem, [&](const qp::Result& result) {
      ASSERT_TRUE(result.ok()) << one.name << ": " << result.message();
      // The gap is 1e-10 of its terms, which are at most some 2e5 (HS268).
      const double terms = std::abs(one.value) + std::abs(one.constant) + (one.name == "HS268" ? 2e5 : 0.0);
      EXPECT_NEAR(result.figures.value + one.constant, one.value, one.half_digit + 4.0 * tolerance * terms) << one.name;
    });
  }
}

TEST_P(QpContract, InfeasibleIsProven) {
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    const problems::Qp qp = problems::infeasible_qp(3 + Index(seed % 6), 2 + Index(seed % 5), seed);
    solve(qp.problem, [&](const qp::Result& result) {
      EXPECT_EQ(result.status, Status::Infeasible) << seed << ": " << result.message();
      EXPECT_FALSE(result.unbounded());
    });
  }
}

TEST_P(QpContract, UnboundedIsProven) {
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    const problems::Qp qp = problems::unbounded_qp(4 + Index(seed % 6), Index(seed % 5), seed);
    solve(qp.problem,
          [&](const qp::Result& result) { EXPECT_TRUE(result.unbounded()) << seed << ": " << result.message(); });
  }
}

TEST_P(QpContract, FixedUnknownsAndFreeRows) {
  // min (x - y)^2 / 2 + z^2 / 2, y = 3 by its bounds, z = 2 by a row, a row without bounds: 2 at (3, 3, 2).
  const double none = std::numeric_limits<double>::infinity();
  const qp::Problem problem{.Q = Eigen::MatrixXd{{1, -1, 0}, {-1, 1, 0}, {0, 0, 1}},
                            .c = Eigen::VectorXd::Zero(3),
                            .A = Eigen::MatrixXd{{0, 0, 2}, {1, 1, 1}},
                            .row_lower = Eigen::VectorXd{{4, -none}},
                            .row_upper = Eigen::VectorXd{{4, none}},
                            .lower = Eigen::VectorXd{{-none, 3, -none}},
                            .upper = Eigen::VectorXd{{none, 3, none}}};
  solve(problem, [](const qp::Result& result) {
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_LE((result.x - Eigen::Vector3d(3, 3, 2)).norm(), 1e-8);
    EXPECT_LE((result.y - Eigen::Vector2d(1, 0)).norm(), 1e-8);
  });
}

TEST_P(QpContract, TheSameTwice) {
  const problems::Qp qp = problems::planted_qp({.n = 6, .m = 8}, 5);
  std::vector<qp::Result> results;
  for (int k = 0; k < 2; ++k) solve(qp.problem, [&](const qp::Result& result) { results.push_back(result); });
  const std::size_t half = results.size() / 2;
  for (std::size_t k = 0; k < half; ++k) {
    EXPECT_EQ(results[k].x, results[half + k].x);
    EXPECT_EQ(results[k].y, results[half + k].y);
    EXPECT_EQ(results[k].status, results[half + k].status);
  }
}

TEST_P(QpContract, HonoursItsLimits) {
  const problems::Qp qp = problems::planted_qp({.n = 12, .m = 20}, 5);
  if (entry().solver.dense()) {
    expect_limits_honoured([&](const Limits& limits) { return entry().solver.solve(qp.problem, limits); });
  }
  if (entry().solver.sparse()) {
    const qp::SparseProblem sparse = problems::sparse(qp.problem);
    expect_limits_honoured([&](const Limits& limits) { return entry().solver.solve(sparse, limits); });
  }
}

TEST_P(QpContract, RefusesMalformedInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), none = std::numeric_limits<double>::infinity();
  const qp::Problem good = problems::planted_qp({.n = 3, .m = 2}, 1).problem;
  const auto refused = [&](auto&& spoil, std::string_view argument) {
    qp::Problem problem = good;
    Limits limits;
    spoil(problem, limits);
    if (entry().solver.dense()) expect_refused([&] { return entry().solver.solve(problem, limits); }, argument);
    if (!entry().solver.sparse()) return;
    const qp::SparseProblem sparse = problems::sparse(problem);
    expect_refused([&] { return entry().solver.solve(sparse, limits); }, argument);
  };
  using P = qp::Problem;
  refused([](P& p, Limits&) { p = P(); }, "qp::Problem::c");
  refused([](P& p, Limits&) { p.Q.setOnes(3, 2); }, "qp::Problem::Q");
  refused([&](P& p, Limits&) { p.Q(1, 1) = nan; }, "qp::Problem::Q");
  refused([](P& p, Limits&) { p.Q(0, 0) = -1.0; }, "qp::Problem::Q");
  refused([&](P& p, Limits&) { p.c[1] = nan; }, "qp::Problem::c");
  refused([](P& p, Limits&) { p.A.setOnes(2, 4); }, "qp::Problem::A");
  refused([&](P& p, Limits&) { p.A(1, 2) = nan; }, "qp::Problem::A");
  refused([](P& p, Limits&) { p.row_lower.setZero(3); }, "qp::Problem::row_lower");
  refused([&](P& p, Limits&) { p.row_lower[0] = none; }, "qp::Problem::row_lower");
  refused([&](P& p, Limits&) { p.row_upper[1] = nan; }, "qp::Problem::row_upper");
  refused([](P& p, Limits&) { p.lower.setZero(2); }, "qp::Problem::lower");
  refused(
      [](P& p, Limits&) {
        p.upper.setConstant(3, -1e9);
        p.lower.setZero(3);
      },
      "qp::Problem::lower");
  refused([](P&, Limits& l) { l.tolerance = -1.0; }, "Limits::tolerance");
  refused([&](P&, Limits& l) { l.time_limit = 0.0; }, "Limits::time_limit");
}

INSTANTIATE_TEST_SUITE_P(Registry, QpContract, testing::ValuesIn(every(qp::registry())), test_name);

TEST(QpResult, IsBornNotRun) { expect_born_not_run<qp::Result>(); }

TEST(QpRegistry, NamesAreFound) {
  expect_names_found(qp::registry(), [](std::string_view name) -> const qp::Entry& { return qp::find(name); });
}

TEST(QpRegistry, NeverTrustsACallable) {
  const qp::Problem problem = problems::planted_qp({.n = 3, .m = 2}, 3).problem;
  qp::Result zeros;
  zeros.x.setZero(3);
  zeros.y.setZero(2);
  expect_claims_checked<qp::Solver>(problem, zeros, 2);
}

TEST(QpRegistry, TakesOneVerdictOfTwo) {
  const problems::Qp none = problems::infeasible_qp(4, 3, 1), open = problems::unbounded_qp(5, 3, 1);
  const auto solved = [](const problems::Qp& qp, const Eigen::VectorXd& proof, const Eigen::VectorXd& direction) {
    qp::Result claim;
    claim.status = Status::Infeasible;
    claim.x.setZero(qp.problem.num_unknowns());
    claim.y.setZero(qp.problem.num_rows());
    claim.proof = proof;
    claim.direction = direction;
    return qp::Solver("claims both", [claim](const qp::Problem&, const Limits&) { return claim; }).solve(qp.problem);
  };
  const qp::Result first = solved(none, none.proof, Eigen::VectorXd::Ones(4));
  EXPECT_EQ(first.status, Status::Infeasible);
  EXPECT_FALSE(first.unbounded());
  EXPECT_EQ(first.proof, none.proof);
  const qp::Result second = solved(open, Eigen::VectorXd::Ones(3), open.proof);
  EXPECT_TRUE(second.unbounded());
  EXPECT_EQ(second.proof.size(), 0);
  EXPECT_EQ(solved(open, Eigen::VectorXd::Ones(3), -open.proof).status, Status::Stalled);
}

TEST(QpRegistry, RefusesTheStorageThatASolverLacks) {
  const qp::SparseProblem problem = problems::sparse(problems::planted_qp({.n = 3, .m = 2}, 3).problem);
  expect_refused([&] { return qp::find("dual active set").solver.solve(problem); }, "qp::Solver 'dual active set'");
}

}  // namespace
}  // namespace nonsmooth::qp_contract_test
