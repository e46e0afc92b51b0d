// SPDX-License-Identifier: Apache-2.0
// What the solvers of programs with complementarity constraints promise; a new one joins by its line in the registry.
#include <nonsmooth/numerics/mpcc.hpp>

#include "../problems/mpcc.hpp"
#include "../problems/program_judge.hpp"
#include "registry_contract.hpp"

namespace nonsmooth::mpcc_contract_test {
namespace {

using namespace nonsmooth::contracts;
using mpcc::Stationarity;
using problems::Mpcc;

mpcc::SparseProblem sparse(const mpcc::Problem& p) {
  return {p.Q.sparseView(), p.c, p.A.sparseView(), p.row_lower, p.row_upper, p.lower, p.upper,
          p.G.sparseView(), p.g, p.H.sparseView(), p.h};
}

class MpccContract : public testing::TestWithParam<std::string> {
 protected:
  const mpcc::Entry& entry() const { return mpcc::find(GetParam()); }
  bool global() const { return GetParam() == "branch and bound"; }

  /// Solves; Solved, Infeasible and the stationarity must be true by other arithmetic.
  mpcc::Result solve(const mpcc::Problem& problem, const Limits& limits = {.tolerance = tolerance}) const {
    const mpcc::Result result = entry().solver.solve(problem, limits);
    expect_honest(
        result,
        // Of other scales than the certificate's, never above 1e2 times those of these problems.
        [&] { return 1e-2 * problems::independent_residual(problem, result.x, result.y, result.u, result.v); },
        [&] {
          return result.unbounded() ? problems::ray_holds(problem, result.x, result.direction)
                                    : problems::farkas_holds(problem, result.proof);
        });
    if (!result.ok()) return result;
    EXPECT_GE(result.stationarity, Stationarity::Clarke) << result.message();
    if (result.stationarity != Stationarity::Bouligand) {
      EXPECT_GE(problems::stationarity_by_signs(problem, result.x, result.u, result.v), result.stationarity);
    }
    if (result.stationarity >= Stationarity::Bouligand) {
      EXPECT_TRUE(mpcc::is_bouligand_stationary(problem, result.x)) << result.message();
      EXPECT_TRUE(problems::stationary_on_every_piece(problem, result.x)) << result.message();
    }
    return result;
  }
};

TEST_P(MpccContract, PublishedValues) {
  for (const problems::PublishedMpcc& one : problems::published_mpccs()) {
    const mpcc::Result result = solve(one.problem);
    ASSERT_TRUE(result.ok()) << one.name << ": " << result.message();
    const double value = result.figures.value + one.constant, size = 1.0 + std::abs(one.value) + std::abs(one.constant);
    const double error = global() || std::abs(value - one.value) < std::abs(value - one.other)
                             ? std::abs(value - one.value)
                             : std::abs(value - one.other);
    EXPECT_LE(error, 1e-8 * size) << one.name << ": " << value;
    EXPECT_GE(result.stationarity, one.best) << one.name << ": " << result.message();
  }
}

TEST_P(MpccContract, Planted) {
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    const Mpcc one =
        problems::planted_mpcc({.n = 3 + Index(seed % 6), .m = Index(seed % 3), .pairs = 1 + Index(seed % 5)}, seed);
    const mpcc::Result result = solve(one.problem);
    ASSERT_TRUE(result.ok()) << seed << ": " << result.message();
    EXPECT_GE(result.stationarity, Stationarity::Bouligand) << seed << ": " << result.message();
    const double least = problems::least_of_pieces(one.problem);
    const double size = 1.0 + std::abs(least);  // values to a gap of 1e-10 of some 100 terms
    EXPECT_GE(result.figures.value, least - 1e-7 * size) << seed;
    if (global()) {
      EXPECT_LE(result.figures.value, least + 1e-7 * size) << seed;
    }
  }
}

TEST_P(MpccContract, BiactivePairs) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Mpcc one = problems::planted_mpcc(
        {.n = 5 + Index(seed % 4), .m = Index(seed % 2), .pairs = 1 + Index(seed % 4), .biactive = 0.6}, seed);
    const mpcc::Result result = solve(one.problem);
    ASSERT_TRUE(result.ok()) << seed << ": " << result.message();
    EXPECT_GE(result.stationarity, Stationarity::Bouligand) << seed << ": " << result.message();
  }
}

TEST_P(MpccContract, ConvexOnPiecesAlone) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Mpcc one =
        problems::planted_mpcc({.n = 4 + Index(seed % 3), .pairs = 1 + Index(seed % 3), .indefinite = true}, seed);
    const mpcc::Result result = solve(one.problem);
    EXPECT_TRUE(result.ok()) << seed << ": " << result.message();
  }
}

TEST_P(MpccContract, InfeasibleIsProven) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Mpcc none = problems::infeasible_mpcc({.n = 4, .m = 2, .pairs = 1 + Index(seed % 3)}, seed);
    ASSERT_TRUE(mpcc::proves_infeasible(none.problem, none.proof, 1e-15)) << seed;
    ASSERT_TRUE(problems::farkas_holds(none.problem, none.proof)) << seed;
    EXPECT_FALSE(problems::farkas_holds(none.problem, -none.proof)) << seed;
    const mpcc::Result result = solve(none.problem);
    EXPECT_EQ(result.status, Status::Infeasible) << seed << ": " << result.message();
    EXPECT_FALSE(result.unbounded());
  }
}

TEST_P(MpccContract, EmptyPiecesWithoutAProofAreNotCalledInfeasible) {
  // 0 <= x_1 ⟂ x_2 >= 0, both at least 1: no piece has a point, the set without complementarity has.
  const mpcc::Problem problem{.Q = Eigen::MatrixXd::Identity(2, 2),
                              .c = Eigen::VectorXd::Zero(2),
                              .lower = Eigen::VectorXd::Ones(2),
                              .G = Eigen::MatrixXd{{1, 0}},
                              .g = Eigen::VectorXd::Zero(1),
                              .H = Eigen::MatrixXd{{0, 1}},
                              .h = Eigen::VectorXd::Zero(1)};
  const mpcc::Result result = solve(problem);
  EXPECT_EQ(result.status, Status::Stalled) << result.message();
  EXPECT_EQ(result.stationarity, Stationarity::None);
}

TEST_P(MpccContract, UnboundedIsProven) {
  // min -x_1 on 0 <= x_1 ⟂ x_2 >= 0: along (1, 0).
  const mpcc::Problem problem{.Q = Eigen::MatrixXd::Zero(2, 2),
                              .c = Eigen::Vector2d(-1, 0),
                              .G = Eigen::MatrixXd{{1, 0}},
                              .g = Eigen::VectorXd::Zero(1),
                              .H = Eigen::MatrixXd{{0, 1}},
                              .h = Eigen::VectorXd::Zero(1)};
  const mpcc::Result result = solve(problem);
  ASSERT_TRUE(result.unbounded()) << result.message();
  EXPECT_GT(result.direction[0], 0.0);
  EXPECT_FALSE(mpcc::proves_unbounded(problem, result.x, -result.direction));
  // Along (1, 1) the value falls, but not on a piece.
  EXPECT_FALSE(mpcc::proves_unbounded(problem, result.x, Eigen::Vector2d(1, 1)));
}

TEST_P(MpccContract, PlantedUnbounded) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Mpcc open = problems::unbounded_mpcc({.n = 3 + Index(seed % 5), .m = 2, .pairs = 1 + Index(seed % 3)}, seed);
    ASSERT_TRUE(mpcc::proves_unbounded(open.problem, open.x, open.proof)) << seed;
    ASSERT_TRUE(problems::ray_holds(open.problem, open.x, open.proof)) << seed;
    EXPECT_FALSE(problems::ray_holds(open.problem, open.x, -open.proof)) << seed;
    const mpcc::Result result = solve(open.problem);
    EXPECT_TRUE(result.unbounded()) << seed << ": " << result.message();
  }
}

TEST_P(MpccContract, WithoutPairs) {
  // A quadratic program: min (x - 1)^2 + y^2, x + y >= 2: (3/2, 1/2).
  const mpcc::Problem problem{.Q = 2.0 * Eigen::MatrixXd::Identity(2, 2),
                              .c = Eigen::Vector2d(-2, 0),
                              .A = Eigen::MatrixXd{{1, 1}},
                              .row_lower = Eigen::VectorXd{{2}}};
  const mpcc::Result result = solve(problem);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE((result.x - Eigen::Vector2d(1.5, 0.5)).norm(), 1e-9);
  EXPECT_EQ(result.stationarity, Stationarity::Strong);
}

TEST_P(MpccContract, TheSameTwice) {
  const Mpcc one = problems::planted_mpcc({.n = 6, .m = 2, .pairs = 4}, 5);
  const mpcc::Result first = solve(one.problem), second = solve(one.problem);
  EXPECT_EQ(first.x, second.x);
  EXPECT_EQ(first.u, second.u);
  EXPECT_EQ(first.v, second.v);
  EXPECT_EQ(first.status, second.status);
}

TEST_P(MpccContract, HonoursItsLimits) {
  const Mpcc one = problems::planted_mpcc({.n = 6, .m = 2, .pairs = 4}, 5);
  expect_limits_honoured([&](const Limits& limits) { return entry().solver.solve(one.problem, limits); });
}

TEST_P(MpccContract, SparseData) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Mpcc one = problems::planted_mpcc({.n = 6, .m = 2, .pairs = 3, .biactive = 0.4}, seed);
    const Mpcc none = problems::infeasible_mpcc({.n = 4, .m = 2, .pairs = 2}, seed);
    if (!entry().solver.sparse()) {
      expect_refused([&] { return entry().solver.solve(sparse(one.problem)); }, "mpcc::Solver '" + GetParam() + "'");
      continue;
    }
    const mpcc::Result result = entry().solver.solve(sparse(one.problem), {.tolerance = tolerance});
    ASSERT_TRUE(result.ok()) << seed << ": " << result.message();
    // As for dense data, on which the judges work; linear pieces are looked at to 1e-7.
    EXPECT_LE(problems::independent_residual(one.problem, result.x, result.y, result.u, result.v), 1e2 * tolerance);
    EXPECT_GE(result.stationarity, Stationarity::Clarke) << seed;
    if (result.stationarity >= Stationarity::Bouligand) {
      EXPECT_TRUE(mpcc::is_bouligand_stationary(one.problem, result.x, 1e-6)) << seed;
      EXPECT_TRUE(mpcc::is_bouligand_stationary(sparse(one.problem), result.x)) << seed;
    }
    const mpcc::Result proven = entry().solver.solve(sparse(none.problem), {.tolerance = tolerance});
    EXPECT_EQ(proven.status, Status::Infeasible) << seed << ": " << proven.message();
    EXPECT_TRUE(problems::farkas_holds(none.problem, proven.proof)) << seed;
  }
}

/// One field after the other, of dense and of sparse problems; `type` is the name of P.
template <class P>
void expect_fields_refused(const mpcc::Entry& entry, const P& good, const std::string& type) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), none = std::numeric_limits<double>::infinity();
  const auto refused = [&](const char* field, auto&& spoil) {
    P problem = good;
    spoil(problem);
    expect_refused([&] { return entry.solver.solve(problem); }, type + "::" + field);
  };
  refused("c", [](P& p) { p = P(); });
  refused("c", [&](P& p) { p.c[1] = nan; });
  refused("Q", [](P& p) { p.Q.resize(3, 2); });
  refused("Q", [](P& p) { p.Q.coeffRef(0, 1) += 1.0; });
  refused("Q", [&](P& p) { p.Q.coeffRef(1, 1) = nan; });
  refused("A", [&](P& p) { p.A.coeffRef(1, 2) = none; });
  refused("A", [](P& p) { p.A.resize(2, 4); });
  refused("G", [](P& p) { p.G.resize(1, 3); });
  refused("G", [&](P& p) { p.G.coeffRef(1, 1) = nan; });
  refused("H", [](P& p) { p.H.resize(2, 4); });
  refused("H", [&](P& p) { p.H.coeffRef(0, 0) = -none; });
  refused("g", [&](P& p) { p.g[0] = nan; });
  refused("h", [](P& p) { p.h.setZero(3); });
  refused("h", [&](P& p) { p.h[1] = none; });
  refused("row_lower", [&](P& p) { p.row_lower = Eigen::Vector2d(none, 0.0); });
  refused("row_lower", [](P& p) { p.row_lower.setZero(3); });
  refused("row_lower", [](P& p) {
    p.row_lower = Eigen::Vector2d(0.0, 1.0);
    p.row_upper = Eigen::Vector2d(0.0, 0.5);
  });
  refused("row_upper", [&](P& p) { p.row_upper = Eigen::Vector2d(nan, none); });
  refused("row_upper", [](P& p) { p.row_upper.setZero(1); });
  refused("lower", [](P& p) { p.lower.setZero(2); });
  refused("lower", [&](P& p) { p.lower = Eigen::Vector3d(0.0, nan, 0.0); });
  refused("upper", [&](P& p) { p.upper = Eigen::Vector3d(0.0, 0.0, -none); });
  refused("upper", [](P& p) { p.upper.setZero(4); });
}

TEST_P(MpccContract, RefusesEachBadField) {
  const mpcc::Problem good = problems::planted_mpcc({.n = 3, .m = 2, .pairs = 2}, 1).problem;
  expect_fields_refused(entry(), good, "mpcc::Problem");
  if (entry().solver.sparse()) expect_fields_refused(entry(), sparse(good), "mpcc::SparseProblem");
  const auto limits_refused = [&](const Limits& limits, std::string_view argument) {
    expect_refused([&] { return entry().solver.solve(good, limits); }, argument);
  };
  limits_refused({.tolerance = -1.0}, "Limits::tolerance");
  limits_refused({.time_limit = 0.0}, "Limits::time_limit");
  limits_refused({.max_iterations = -1}, "Limits::max_iterations");
}

INSTANTIATE_TEST_SUITE_P(Registry, MpccContract, testing::ValuesIn(every(mpcc::registry())), test_name);

TEST(MpccResult, IsBornNotRun) { expect_born_not_run<mpcc::Result>(); }

TEST(MpccRegistry, NamesAreFound) {
  expect_names_found(mpcc::registry(), [](std::string_view name) -> const mpcc::Entry& { return mpcc::find(name); });
}

TEST(MpccJudge, TellsTheKindsApart) {
  // min c^T x on 0 <= x_1 ⟂ x_2 >= 0 at 0, whose multipliers are c: B just where no entry is negative, as S is.
  const auto corner = [](double first, double second) {
    return mpcc::Problem{.Q = Eigen::MatrixXd::Zero(2, 2),
                         .c = Eigen::Vector2d(first, second),
                         .G = Eigen::MatrixXd{{1, 0}},
                         .g = Eigen::VectorXd::Zero(1),
                         .H = Eigen::MatrixXd{{0, 1}},
                         .h = Eigen::VectorXd::Zero(1)};
  };
  const auto signs = [&](const mpcc::Problem& problem) {
    return problems::stationarity_by_signs(problem, Eigen::Vector2d::Zero(), problem.c.head(1), problem.c.tail(1));
  };
  EXPECT_EQ(signs(corner(1, 2)), Stationarity::Strong);
  EXPECT_EQ(signs(corner(0, -1)), Stationarity::Mordukhovich);
  EXPECT_EQ(signs(corner(-1, -2)), Stationarity::Clarke);
  EXPECT_EQ(signs(corner(1, -1)), Stationarity::Weak);
  for (const double second : {2.0, 0.0, -1e-3}) {
    EXPECT_EQ(problems::stationary_on_every_piece(corner(1, second), Eigen::Vector2d::Zero()), second >= 0.0);
  }
}

TEST(MpccRegistry, NeverTrustsACallable) {
  const mpcc::Problem problem = problems::planted_mpcc({.n = 3, .m = 1, .pairs = 2}, 3).problem;
  mpcc::Result zeros;
  zeros.x.setZero(3);
  zeros.y.setZero(1);
  zeros.u.setZero(2);
  zeros.v.setZero(2);
  zeros.stationarity = Stationarity::Strong;
  expect_claims_checked<mpcc::Solver>(problem, zeros, 5);
}

}  // namespace
}  // namespace nonsmooth::mpcc_contract_test
