// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mixed/workspace.hpp>

#include <Eigen/LU>

#include <problems/mixed.hpp>

namespace nonsmooth::automatic_test {
namespace {

using problems::Block;

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
const BlockSet free_set{.kind = SetKind::Free};

mixed::Result one_row(double w, double q, const BlockSet& set) {
  return solve(
      problems::mixed_from_dense(Eigen::MatrixXd::Constant(1, 1, w), Eigen::VectorXd::Constant(1, q), {{set, 1}}));
}

TEST(AutomaticRow, ClosedFormsOfEverySetAndSignOfW) {
  const BlockSet orthant{}, box{.kind = SetKind::Box, .lower = -1.0, .upper = 2.0};
  EXPECT_EQ(one_row(2.0, -1.0, orthant).r[0], 0.5);
  EXPECT_EQ(one_row(2.0, 1.0, orthant).r[0], 0.0);
  EXPECT_EQ(one_row(0.0, 1.0, orthant).r[0], 0.0);
  EXPECT_EQ(one_row(0.0, 0.0, orthant).r[0], 0.0);
  EXPECT_EQ(one_row(-2.0, 1.0, orthant).r[0], 0.0);
  EXPECT_EQ(one_row(2.0, -1.0, free_set).r[0], 0.5);
  EXPECT_EQ(one_row(-2.0, -1.0, free_set).r[0], -0.5);
  EXPECT_EQ(one_row(0.0, 0.0, free_set).r[0], 0.0);
  EXPECT_EQ(one_row(2.0, -1.0, box).r[0], 0.5);
  EXPECT_EQ(one_row(2.0, -9.0, box).r[0], 2.0);
  EXPECT_EQ(one_row(2.0, 9.0, box).r[0], -1.0);
  EXPECT_EQ(one_row(0.0, -1.0, box).r[0], 2.0);
  EXPECT_EQ(one_row(0.0, 1.0, box).r[0], -1.0);
  for (const double q : {-5.0, -1.0, 0.0, 1.0, 5.0}) EXPECT_TRUE(one_row(-1.0, q, box)) << q;
}

TEST(AutomaticRow, ProvesWhatHasNoSolution) {
  for (const double w : {0.0, -1.0}) {
    const auto result = one_row(w, -1.0, {});
    EXPECT_EQ(result.status, Status::Infeasible);
    ASSERT_EQ(result.proof.size(), 1);
    EXPECT_GE(result.proof[0], 0.0);
    EXPECT_LE(w * result.proof[0], 0.0);
    EXPECT_LT(-1.0 * result.proof[0], 0.0);
  }
  EXPECT_EQ(one_row(0.0, 1.0, free_set).status, Status::Infeasible);
  const BlockSet below{.kind = SetKind::Box, .lower = -infinity, .upper = 1.0};
  EXPECT_EQ(one_row(0.0, 1.0, below).status, Status::Infeasible);
  EXPECT_EQ(one_row(0.0, -1.0, below).r[0], 1.0);
}

TEST(AutomaticBilateral, EqualsTheDenseKktSystem) {
  // Free rows beside contacts that all push: then the solution is W r = -q, one dense solve.
  std::mt19937_64 random(6);
  for (const Index n : {5, 20, 60}) {
    std::vector<Block> blocks;
    for (Index i = 0; i < n; ++i) blocks.push_back({i % 3 == 0 ? BlockSet{} : free_set, 1});
    const Eigen::MatrixXd W = problems::random_spd(n, 1.0, random);
    const Eigen::VectorXd r = Eigen::VectorXd::LinSpaced(n, 0.5, 1.5);
    const Eigen::VectorXd q = -W * r;
    const Eigen::VectorXd reference = W.partialPivLu().solve(-q);
    const auto result = solve(problems::mixed_from_dense(W, q, blocks));
    ASSERT_TRUE(result) << result.message();
    // cond(W) <= 5 for I + G G^T: n eps cond on each side.
    EXPECT_LE((result.r - reference).cwiseAbs().maxCoeff(), 20.0 * static_cast<double>(n) * eps);
  }
}

TEST(AutomaticBilateral, LargeProblemsEliminateFreeRowsSparsely) {
  // A chain of n bilateral rows, tridiagonal (2, -1): sweeps need n^2 of them, the Schur complement one factorization.
  const Index n = 400;
  for (const bool with_contact : {false, true}) {
    mixed::Problem problem;
    problem.W.begin_pattern(std::vector<Index>(static_cast<std::size_t>(n), 1));
    for (Index i = 0; i < n; ++i) {
      if (i > 0) problem.W.insert(i - 1);
      if (i + 1 < n) problem.W.insert(i + 1);
      problem.W.next_row();
    }
    problem.W.end_pattern();
    problem.q.setZero(n);
    Eigen::VectorXd r(n);
    for (Index i = 0; i < n; ++i) {
      for (Index k = problem.W.row_begin(i); k < problem.W.row_begin(i + 1); ++k)
        problem.W.values(k)[0] = problem.W.column(k) == i ? 2.0 : -1.0;
      const bool contact = with_contact && i % 50 == 7;
      problem.K.push_back(contact ? BlockSet{} : free_set, 1);
      r[i] = contact && i % 100 == 7 ? 0.0 : std::sin(0.01 * static_cast<double>(i)) + 0.1;
    }
    Eigen::VectorXd u = Eigen::VectorXd::Zero(n);
    for (Index i = 7; with_contact && i < n; i += 100) u[i] = 0.5;
    for (Index i = 0; with_contact && i < n; i += 1)
      if (i % 50 == 7 && i % 100 != 7) r[i] = std::abs(r[i]);
    Eigen::VectorXd Wr(n);
    problem.W.multiply_add(r, Eigen::VectorXd::Zero(n), Wr);
    problem.q = u - Wr;
    const auto result = solve(problem, {.max_sweeps = 50});
    ASSERT_TRUE(result) << result.message();
    // cond = 4 (n+1)^2 / pi^2 = 6.5e4, times eps and a few tens of roundings.
    EXPECT_LE((result.r - r).cwiseAbs().maxCoeff(), 6.5e4 * 100.0 * eps);
  }
}

TEST(AutomaticOrthants, LargeIllConditionedProblemsGoToTheSparseLcp) {
  // An obstacle under a string: tridiagonal (2, -1), n = 400, pushed down in the middle. Sweeps contract by
  // 1 - pi^2 / n^2 and can't reach 1e-10 in the few hundred they are given.
  const Index n = 400;
  mixed::Problem problem;
  problem.W.begin_pattern(std::vector<Index>(static_cast<std::size_t>(n), 1));
  for (Index i = 0; i < n; ++i) {
    if (i > 0) problem.W.insert(i - 1);
    if (i + 1 < n) problem.W.insert(i + 1);
    problem.W.next_row();
    problem.K.push_back({}, 1);
  }
  problem.W.end_pattern();
  problem.q = Eigen::VectorXd::Constant(n, 1.0);
  problem.q.segment(150, 100).setConstant(-1.5);
  for (Index i = 0; i < n; ++i)
    for (Index k = problem.W.row_begin(i); k < problem.W.row_begin(i + 1); ++k)
      problem.W.values(k)[0] = problem.W.column(k) == i ? 2.0 : -1.0;
  const auto result = solve(problem);
  ASSERT_TRUE(result) << result.message();
  EXPECT_LE(result.iterations, 1000);
}

TEST(AutomaticRelay, ZeroAndSkewDiagonals) {
  // A diode and a Zener level coupled as an implicit step couples them; solved by hand for q_1 = 0.7, level 2:
  // u_0 = r_0 + r_1 / 2 + q_0, u_1 = -r_0 + 0.7. q_0 = -3: r_1 = 2 (u_1 < 0), r_0 = 2. q_0 = -1: u_1 = 0, r_0 = 0.7,
  // r_1 = 0.6. q_0 = -0.5: r_1 = 0 (u_1 = 0.2), r_0 = 0.5. q_0 = 1: both 0.
  const double expected[][3] = {{-3.0, 2.0, 2.0}, {-1.0, 0.7, 0.6}, {-0.5, 0.5, 0.0}, {1.0, 0.0, 0.0}};
  for (const auto& [q, r_0, r_1] : expected) {
    const auto result = solve(problems::skew_relay(1.0, 0.5, q, 0.7, 2.0));
    ASSERT_TRUE(result) << result.message();
    EXPECT_NEAR(result.r[0], r_0, 4.0 * eps);
    EXPECT_NEAR(result.r[1], r_1, 4.0 * eps);
  }
}

TEST(AutomaticRelay, PureSkewNetworksNeedPivoting) {
  // W = S - S^T has no diagonal at all. Bounded boxes: a solution always exists (a monotone VI on a compact set).
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 100; ++trial) {
    const Index n = 2 + trial % 7;
    Eigen::MatrixXd S(n, n);
    Eigen::VectorXd q(n);
    for (Index i = 0; i < n; ++i) {
      q[i] = normal(random);
      for (Index j = 0; j < n; ++j) S(i, j) = normal(random);
    }
    const std::vector<Block> blocks(static_cast<std::size_t>(n),
                                    Block{{.kind = SetKind::Box, .lower = -1, .upper = 1}, 1});
    const auto result = solve(problems::mixed_from_dense(S - S.transpose(), q, blocks));
    EXPECT_TRUE(result) << "trial " << trial << ": " << result.message();
  }
}

TEST(AutomaticFriction, SmallProblemsAreExactToRoundOff) {
  const std::vector<SetKind> kinds = {SetKind::Free, SetKind::Orthant, SetKind::Box, SetKind::Coulomb2D};
  int exact = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto planted = problems::planted_mixed(2 + static_cast<Index>(seed % 15), kinds, seed);
    const auto result = solve(planted.problem);
    ASSERT_TRUE(result) << result.message();
    // cond(W) <= 5 and n <= 50: a backward stable solve leaves less than the certificate's own floor of 64 eps.
    exact += result.certificate.error <= result.certificate.round_off ? 1 : 0;
  }
  EXPECT_EQ(exact, 100);
}

TEST(AutomaticFriction, HyperstaticPilesAreSolvedWhereSweepsStall) {
  for (const Index width : {2, 3, 4, 5}) {
    const auto problem = problems::disk_pile(width, width, 0.4);
    const auto result = solve(problem);
    EXPECT_TRUE(result) << result.message();
  }
}

TEST(AutomaticInfeasible, CarriesAProofThatStands) {
  // u_0 = r_0 - r_1 - 1 >= 0 and u_1 = -r_0 + r_1 - 1 >= 0 add up to -2 >= 0; the free row couples to both.
  Eigen::Matrix3d W{{1.0, -1.0, 0.0}, {-1.0, 1.0, 0.0}, {0.5, 0.0, 1.0}};
  const Eigen::Vector3d q(-1.0, -1.0, 0.3);
  const auto result = solve(problems::mixed_from_dense(W, q, {{{}, 1}, {{}, 1}, {free_set, 1}}), {.max_sweeps = 100});
  ASSERT_EQ(result.status, Status::Infeasible) << result.message();
  const Eigen::VectorXd y = result.proof, Wy = W.transpose() * y;
  ASSERT_EQ(y.size(), 3);
  const double size = y.cwiseAbs().maxCoeff();
  EXPECT_GE(y[0], 0.0);
  EXPECT_GE(y[1], 0.0);
  EXPECT_LE(Wy[0], 8.0 * eps * size);
  EXPECT_LE(Wy[1], 8.0 * eps * size);
  EXPECT_LE(std::abs(Wy[2]), 8.0 * eps * size);
  EXPECT_LT(q.dot(y), -0.1 * size);
}

TEST(AutomaticBilateral, RedundantAndContradictingRows) {
  // Two copies of one row: consistent data have solutions, contradicting data have none.
  Eigen::Matrix2d W = Eigen::Matrix2d::Ones();
  const std::vector<Block> blocks = {{free_set, 1}, {free_set, 1}};
  EXPECT_TRUE(solve(problems::mixed_from_dense(W, Eigen::Vector2d(-1, -1), blocks)));
  const auto result = solve(problems::mixed_from_dense(W, Eigen::Vector2d(-1, 1), blocks), {.max_sweeps = 100});
  EXPECT_EQ(result.status, Status::Infeasible) << result.message();
  EXPECT_TRUE(result.r.allFinite());
}

TEST(AutomaticWorkspace, HistoryDoesNotChangeTheAnswersBits) {
  const std::vector<SetKind> kinds = {SetKind::Free, SetKind::Orthant, SetKind::Box, SetKind::Coulomb2D};
  mixed::Workspace used;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    auto problem = problems::planted_mixed(2 + static_cast<Index>(seed % 5), kinds, seed).problem;
    mixed::Result old, fresh;
    used.solve(problem, {}, false, old);
    problem.q *= 0.9;
    problem.q[0] += 0.1;
    mixed::Workspace workspace;
    fresh.r = old.r;
    used.solve(problem, {}, true, old);
    workspace.solve(problem, {}, false, fresh);
    ASSERT_TRUE(fresh) << fresh.message();
    EXPECT_TRUE((old.r.array() == fresh.r.array()).all()) << "seed " << seed;
  }
}

const std::vector<SetKind> cone_kinds = {SetKind::Free,      SetKind::Orthant,         SetKind::Box,
                                         SetKind::Coulomb3D, SetKind::SecondOrderCone, SetKind::VonMises,
                                         SetKind::Coulomb2D, SetKind::DruckerPrager};

TEST(AutomaticCones, CertifiesMixturesOfEverySet) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto planted = problems::planted_mixed(3 + static_cast<Index>(seed), cone_kinds, seed);
    const auto result = solve(planted.problem);
    ASSERT_TRUE(result) << "seed " << seed << ": " << result.message();
    Eigen::VectorXd u(planted.r.size());
    EXPECT_EQ(mixed::certify(planted.problem, result.r, u).residual, result.certificate.residual);
  }
}

TEST(AutomaticCones, SolvesWhereSweepsCreep) {
  // W = G G^T of half rank with planted r, u: redundant cones, where sweeps contract at a rate near one.
  for (const SetKind kind : {SetKind::Coulomb3D, SetKind::SecondOrderCone, SetKind::DruckerPrager, SetKind::VonMises}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      std::mt19937_64 random(seed);
      std::vector<Block> blocks;
      for (Index b = 0; b < 20; ++b)
        blocks.push_back({{.kind = kind, .mu = kind == SetKind::Coulomb3D ? 0.2 : 0.6, .lift = 0.1, .radius = 1.0}, 3});
      const Index n = 60;
      Eigen::MatrixXd G(n, n / 2);
      std::normal_distribution<double> normal;
      for (double& entry : G.reshaped()) entry = normal(random);
      const Eigen::MatrixXd W = G * G.transpose();
      Eigen::VectorXd r(n), u(n);
      for (Index b = 0; b < 20; ++b)
        problems::plant(blocks[static_cast<std::size_t>(b)], random, r.segment(3 * b, 3), u.segment(3 * b, 3));
      const auto problem = problems::mixed_from_dense(W, u - W * r, blocks);
      const auto result = solve(problem);
      EXPECT_TRUE(result) << static_cast<int>(kind) << " seed " << seed << ": " << result.message();
    }
  }
}

TEST(AutomaticCones, TakesAConeWithoutAnyLocalSolution) {
  // A skew pair: W_00 = 0 and what the cone pushes on is the box's velocity; no sweep has a local solution.
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(4, 4);
  W(0, 3) = -1.0;
  W(3, 0) = 1.0;
  W(3, 3) = 1.0;
  // u_0 = -r_3 + 0.5, u_3 = r_0 + r_3 - 2 = 0: r = (1.5, 0, 0 | 0.5) with u = 0 everywhere.
  const auto problem = problems::mixed_from_dense(W, Eigen::Vector4d(0.5, 0.0, 0.0, -2.0),
                                                  {{{.kind = SetKind::SecondOrderCone, .mu = 1.0}, 3}, {free_set, 1}});
  const auto result = solve(problem);
  ASSERT_TRUE(result) << result.message();
  EXPECT_NEAR(result.r[0], 1.5, 1e-9);  // r_0 + r_3 = 2 and r_3 = 0.5 to the tolerance of 1e-10 times |q| = 2
  EXPECT_NEAR(result.r[3], 0.5, 1e-9);
}

TEST(AutomaticCones, AProblemWithoutSolutionStallsWithTheBestIterateAndAReason) {
  // u_0 = -1 whatever r: no r admits it.
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(3, 3);
  W(0, 0) = 0.0;
  const auto problem = problems::mixed_from_dense(W, Eigen::Vector3d(-1.0, 0.0, 0.0),
                                                  {{{.kind = SetKind::SecondOrderCone, .mu = 0.5}, 3}});
  const auto result = solve(problem);
  EXPECT_FALSE(result.ok());
  EXPECT_TRUE(result.r.allFinite());
  EXPECT_FALSE(result.reason.empty());
  Eigen::VectorXd u(3);
  EXPECT_EQ(mixed::certify(problem, result.r, u).residual, result.certificate.residual);
}

TEST(AutomaticCones, WarmStartsAreTaken) {
  const auto planted = problems::planted_mixed(12, cone_kinds, 5);
  mixed::Workspace workspace;
  mixed::Result result;
  workspace.solve(planted.problem, {}, false, result);
  ASSERT_TRUE(result);
  EXPECT_GT(result.iterations, 0);
  workspace.solve(planted.problem, {}, true, result);
  ASSERT_TRUE(result);
  EXPECT_EQ(result.iterations, 0);
}

TEST(AutomaticOrthants, TheCertificateIsTheFamilysOwn) {
  // It is the LCP solver's, taken over: the same formula, sums in another order.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto planted = problems::planted_mixed(8, {SetKind::Orthant}, seed);
    const auto result = solve(planted.problem);
    ASSERT_TRUE(result);
    Eigen::VectorXd u(planted.r.size());
    const Certificate own = mixed::certify(planted.problem, result.r, u);
    EXPECT_LE((u - result.u).cwiseAbs().maxCoeff(), own.round_off);
    EXPECT_LE(std::abs(own.error - result.certificate.error), own.round_off);
    EXPECT_NEAR(own.round_off, result.certificate.round_off, 1e-12 * own.round_off);
    EXPECT_EQ(own.scale, result.certificate.scale);
  }
}

TEST(AutomaticWorkspace, OptionsAreRefusedWithTheFieldsName) {
  EXPECT_THROW((mixed::Automatic{.tolerance = -1.0}.validate()), InvalidArgument);
  EXPECT_THROW((mixed::Automatic{.max_sweeps = 0}.validate()), InvalidArgument);
  EXPECT_THROW((mixed::Automatic{.max_iterations = -1}.validate()), InvalidArgument);
  EXPECT_THROW((mixed::Automatic{.dense_limit = -1}.validate()), InvalidArgument);
  EXPECT_THROW((mixed::Automatic{.time_limit = 0.0}.validate()), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::automatic_test
