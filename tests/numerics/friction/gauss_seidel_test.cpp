// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

#include <Eigen/Eigenvalues>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>

#include <problems/mixed.hpp>
#include <problems/piles.hpp>

#include "friction/reduced/sweeps.hpp"

namespace nonsmooth::gauss_seidel_test {
namespace {

using friction::GaussSeidel;
constexpr double eps = std::numeric_limits<double>::epsilon();

friction::Problem one_contact(const Eigen::Matrix3d& W, const Eigen::Vector3d& q, double mu) {
  return problems::mixed_from_dense(W, q, {{{.kind = SetKind::Coulomb3D, .mu = mu}, 3}});
}

/// Contacts in a row, each coupled with the next: W = G G^T, G lower block bidiagonal; symmetric positive definite.
friction::Problem contact_chain(Index contacts, double mu, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto block = [&](double diagonal) {
    Eigen::Matrix3d m;
    for (Index k = 0; k < 9; ++k) m.data()[k] = 0.3 * normal(random);
    m.diagonal().array() += diagonal;
    return m;
  };
  const auto n = static_cast<std::size_t>(contacts);
  std::vector<Eigen::Matrix3d> on(n), below(n);
  for (std::size_t i = 0; i < n; ++i) on[i] = block(1.0), below[i] = block(-0.7);
  friction::Problem problem;
  problem.W.begin_pattern(std::vector<Index>(n, 3));
  for (Index i = 0; i < contacts; ++i) {
    for (Index j = std::max<Index>(0, i - 1); j <= std::min(contacts - 1, i + 1); ++j) problem.W.insert(j);
    problem.W.next_row();
    problem.K.push_back({.kind = SetKind::Coulomb3D, .mu = mu}, 3);
  }
  problem.W.end_pattern();
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = static_cast<Index>(i);
    problem.W.block(row, problem.W.diagonal(row)) = on[i] * on[i].transpose();
    if (i == 0) continue;
    problem.W.block(row, problem.W.diagonal(row)) += below[i] * below[i].transpose();
    const Eigen::Matrix3d lower = below[i] * on[i - 1].transpose();
    problem.W.block(row, problem.W.find(row, row - 1)) = lower;
    problem.W.block(row - 1, problem.W.find(row - 1, row)) = lower.transpose();
  }
  problem.q.resize(3 * contacts);
  for (double& q : problem.q) q = normal(random);
  for (Index i = 0; i < contacts; ++i) problem.q[3 * i] -= 1.0;  // most of them touch
  return problem;
}

TEST(FrictionGaussSeidel, TakesOffSticksAndSlidesAsTheClosedFormsSay) {
  const Eigen::Matrix3d W = Eigen::Vector3d(2.0, 3.0, 3.0).asDiagonal();
  const double mu = 0.5;
  struct Case {
    Eigen::Vector3d q, r, u;
  };
  // r_N = -q_N / 2 where it touches; stick r_T = -q_T / 3 while |r_T| <= mu r_N, else r_T = -mu r_N q_T / |q_T|.
  const Case cases[] = {{{1.0, 5.0, -1.0}, {0.0, 0.0, 0.0}, {1.0, 5.0, -1.0}},
                        {{-2.0, 0.9, 0.3}, {1.0, -0.3, -0.1}, {0.0, 0.0, 0.0}},
                        {{-2.0, 3.0, 4.0}, {1.0, -0.3, -0.4}, {0.0, 2.1, 2.8}}};
  for (const Case& expected : cases) {
    const auto result = solve(one_contact(W, expected.q, mu), GaussSeidel{});
    ASSERT_TRUE(result) << result.message();
    EXPECT_LE(result.iterations, 1);
    EXPECT_LE((result.r - expected.r).cwiseAbs().maxCoeff(), 8.0 * eps);   // a dozen operations on numbers near 1
    EXPECT_LE((result.u - expected.u).cwiseAbs().maxCoeff(), 64.0 * eps);  // times the 3 of W, minus 5
  }
}

TEST(FrictionGaussSeidel, PlainSweepsAreThoseOfTheGenericMethod) {
  const friction::Problem cases[] = {
      problems::planted_mixed(30, {SetKind::Coulomb3D}, 3).problem,
      problems::planted_mixed(30, {SetKind::Coulomb2D}, 4).problem,
      problems::planted_mixed(30, {SetKind::Free, SetKind::Orthant, SetKind::Coulomb3D}, 5).problem};
  for (const auto& problem : cases) {
    const auto expected = solve(problem, mixed::GaussSeidel{.tolerance = 1e-12});
    const auto found =
        solve(problem, GaussSeidel{.tolerance = 1e-12, .relaxation = 1.0, .extrapolate = false, .freeze = false});
    ASSERT_TRUE(expected && found) << found.message();
    // u within 1e-12 |q| of the law on both sides, and W's smallest eigenvalue is at least the ridge, 1: with friction
    // no bound, but the sweeps are the same, so they end at the same solution; 100 for the mu of up to 0.8.
    EXPECT_LE((expected.r - found.r).norm(), 1e-10 * problem.q.norm());
  }
}

TEST(FrictionGaussSeidel, AnyOrderAndOptionGivesTheOneSolution) {
  // Without friction and with W positive definite r is unique: |r - r'| <= 2 |e| / lambda_min.
  auto problem = contact_chain(60, 0.0, 1);
  const double smallest = problem.W.to_dense().selfadjointView<Eigen::Lower>().eigenvalues().minCoeff();
  std::vector<Index> shuffled(60);
  std::iota(shuffled.begin(), shuffled.end(), Index{0});
  std::mt19937_64 random(2);
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  const auto reference = solve(problem, GaussSeidel{.tolerance = 1e-11});
  ASSERT_TRUE(reference) << reference.message();
  const GaussSeidel options[] = {{.tolerance = 1e-11, .order = GaussSeidel::Order::ReverseCuthillMcKee},
                                 {.tolerance = 1e-11, .order = GaussSeidel::Order::User, .user_order = shuffled},
                                 {.tolerance = 1e-11, .symmetric = true},
                                 {.tolerance = 1e-11, .relaxation = 0.8, .extrapolate = false},
                                 {.tolerance = 1e-11, .relaxation = 1.4},
                                 {.tolerance = 1e-11, .freeze = false},
                                 {.tolerance = 1e-11, .conjugate = true},
                                 {.tolerance = 1e-11, .extrapolate = false, .conjugate = true},
                                 {.tolerance = 1e-11, .conjugate = true, .colored = true, .num_threads = 2},
                                 {.tolerance = 1e-11, .colored = true, .num_threads = 2}};
  for (const auto& option : options) {
    const auto found = solve(problem, option);
    ASSERT_TRUE(found) << found.message();
    const double error = 1e-11 * std::sqrt(180.0) * problem.q.lpNorm<Eigen::Infinity>();
    EXPECT_LE((found.r - reference.r).norm(), 4.0 * error / smallest);
  }
}

TEST(FrictionGaussSeidel, SameBitsForAnyNumberOfThreads) {
  const friction::Problem cases[] = {
      contact_chain(1500, 0.6, 7), problems::disk_pile(60, 12, 0.5),
      problems::planted_mixed(20, {SetKind::Free, SetKind::Orthant, SetKind::Coulomb2D, SetKind::Coulomb3D}, 8)
          .problem};
  for (const auto& problem : cases) {
    for (const bool freeze : {false, true}) {
      GaussSeidel options{.tolerance = 1e-12, .max_iterations = 60, .freeze = freeze, .colored = true};
      const auto one = solve(problem, options);
      for (const int threads : {2, 4}) {
        options.num_threads = threads;
        const auto more = solve(problem, options);
        EXPECT_EQ(one.iterations, more.iterations);
        EXPECT_TRUE((one.r.array() == more.r.array()).all()) << threads << " threads";
      }
    }
  }
}

TEST(FrictionGaussSeidel, SolvesSingularAndUnsymmetricLocalBlocks) {
  // A contact whose tangential rows W does not see: stick needs q_T = 0, sliding fixes r_T by the direction of q_T.
  Eigen::Matrix3d blind = Eigen::Matrix3d::Zero();
  blind(0, 0) = 2.0;
  auto result = solve(one_contact(blind, {-2.0, 3.0, 4.0}, 0.5), GaussSeidel{});
  ASSERT_TRUE(result) << result.message();
  EXPECT_LE((result.r - Eigen::Vector3d(1.0, -0.3, -0.4)).norm(), 1e-9);  // residual 1e-10 of |q| = 4, over W_NN = 2
  // An unsymmetric block with a sliding solution planted: u_T = (3, 4), r_T = -0.5 (0.6, 0.8).
  const Eigen::Matrix3d skew{{2.0, 0.5, -0.3}, {-0.4, 3.0, 1.0}, {0.2, -1.0, 2.5}};
  const Eigen::Vector3d r(1.0, -0.3, -0.4), u(0.0, 3.0, 4.0);
  const Eigen::Vector3d q = u - skew * r;
  result = solve(one_contact(skew, q, 0.5), GaussSeidel{});
  ASSERT_TRUE(result) << result.message();
  EXPECT_LE((result.r - r).norm(), 1e-8);
  // Two identical bilateral rows: any split of the reaction that sums to 1 is a solution, the least-norm one is found.
  Eigen::Matrix2d twin;
  twin.setOnes();
  result = solve(problems::mixed_from_dense(twin, Eigen::Vector2d(-1.0, -1.0), {{{.kind = SetKind::Free}, 2}}),
                 GaussSeidel{});
  ASSERT_TRUE(result) << result.message();
  EXPECT_LE((result.r - Eigen::Vector2d(0.5, 0.5)).norm(), 1e-9);
  // A diagonal block of zero: r_1 acts on the other contact alone, and 0 <= u_1 = r_0 - 1 ⟂ r_1 asks r_0 = 1.
  const Eigen::Matrix2d hollow{{1.0, -1.0}, {1.0, 0.0}};
  result = solve(problems::mixed_from_dense(hollow, Eigen::Vector2d(0.5, -1.0), {{{}, 1}, {{}, 1}}),
                 GaussSeidel{.relaxation = 0.5});
  ASSERT_TRUE(result) << result.message();
  EXPECT_LE((result.r - Eigen::Vector2d(1.0, 1.5)).norm(), 1e-8);
}

TEST(FrictionGaussSeidel, SaysSoWhereThereIsNoSolution) {
  // u_N = -1 whatever r.
  const auto result =
      solve(one_contact(Eigen::Matrix3d::Zero(), {-1.0, 0.0, 0.0}, 0.5), GaussSeidel{.max_iterations = 500});
  EXPECT_FALSE(result);
  EXPECT_GE(result.certificate.residual, 0.5);
}

// What freeze is for, counted where it happens: in a pile a good part of the visits is left out once sweeps settle, the
// reactions of blocks that rest stay to the last bit, and woken blocks are visited again.
TEST(FrictionGaussSeidel, SettledContactsRest) {
  for (const auto& problem : {problems::disk_pile(12, 6, 0.3), contact_chain(100, 0.3, 11)}) {
    const Index contacts = problem.K.num_blocks();
    std::vector<Index> order(static_cast<std::size_t>(contacts));
    std::iota(order.begin(), order.end(), Index{0});
    friction::internal::Sweeps sweeps;
    sweeps.prepare(problem, order, nullptr);
    Eigen::VectorXd r = Eigen::VectorXd::Zero(problem.q.size()), before = r;
    sweeps.load(r.data());
    ThreadPool pool(1);
    const detail::Deadline deadline(std::numeric_limits<double>::infinity());
    friction::internal::SweepOutcome outcome = sweeps.sweep({}, pool, deadline);
    EXPECT_EQ(outcome.skipped, 0);
    constexpr Index count = 100;
    Index skipped = 0;
    for (Index k = 0; k < count; ++k) {
      sweeps.store(before.data());
      outcome = sweeps.sweep({.resting_change = 0.01 * outcome.change}, pool, deadline);
      sweeps.store(r.data());
      skipped += outcome.skipped;
      Index still = 0;
      for (Index b = 0; b < contacts; ++b)
        still +=
            r.segment(problem.K.offset(b), problem.K.size(b)) == before.segment(problem.K.offset(b), problem.K.size(b));
      EXPECT_GE(still, outcome.skipped) << k;
    }
    EXPECT_GT(skipped, count * contacts / 10);
    EXPECT_LT(skipped, count * contacts);
    sweeps.wake();
    EXPECT_EQ(sweeps.sweep({}, pool, deadline).skipped, 0);
  }
}

TEST(FrictionGaussSeidel, FrozenContactsNeverMakeAWrongCertificate) {
  for (const double mu : {0.0, 0.3, 0.9}) {
    for (const auto& problem : {problems::disk_pile(12, 6, mu), contact_chain(100, mu, 11)}) {
      const auto result = solve(problem, GaussSeidel{.tolerance = 1e-9, .freeze = true});
      ASSERT_TRUE(result) << result.message();
      Eigen::VectorXd u(problem.q.size());
      EXPECT_LE(mixed::certify(problem, result.r, u).residual, 1e-9);
      // The option does something: visits left out leave other last bits.
      const auto all = solve(problem, GaussSeidel{.tolerance = 1e-9, .freeze = false});
      ASSERT_TRUE(all) << all.message();
      EXPECT_NE(all.r, result.r) << mu;
    }
  }
}

TEST(FrictionGaussSeidel, StopsOnTheFieldsFigureWhereAsked) {
  const auto problem = problems::disk_pile(12, 6, 0.5);
  for (const double tolerance : {1e-4, 1e-8}) {
    const auto result = solve(problem, GaussSeidel{.tolerance = tolerance, .measure = friction::Measure::NaturalMap});
    ASSERT_TRUE(result) << result.message();
    EXPECT_LE(mixed::friction_figures(problem, result.r, result.u).natural_map, tolerance);
    EXPECT_EQ(result.figures.natural_map, mixed::friction_figures(problem, result.r, result.u).natural_map);
  }
}

TEST(FrictionGaussSeidel, ExtrapolationSavesSweepsOnARedundantPile) {
  // Measured at 1e-10: 3 times and more on this pile.
  const auto problem = problems::disk_pile(12, 12, 0.5);
  const auto plain = solve(problem, GaussSeidel{.relaxation = 1.0, .extrapolate = false, .freeze = false});
  const auto jumping = solve(problem, GaussSeidel{.relaxation = 1.0, .freeze = false});
  ASSERT_TRUE(plain && jumping) << plain.message() << jumping.message();
  EXPECT_LT(2 * jumping.iterations, plain.iterations);
}

TEST(FrictionGaussSeidel, ConjugateDirectionsSaveSweepsOnATower) {
  // Contacts between n equal blocks on one another, W = tridiag(-1, 2, -1): a sweep takes off cos^2(pi / (n + 1)) of
  // the error, so that 10^-8 takes some 8 ln(10) (n + 1)^2 / pi^2 sweeps, 4850 of n = 50; gradients that are conjugate
  // take n + 1 of a quadratic form, and those of sweeps, which are no gradients of one, more: 626 are measured, a fifth
  // is asked for.
  constexpr Index n = 50;
  Eigen::MatrixXd tower = 2.0 * Eigen::MatrixXd::Identity(n, n);
  tower.diagonal(1).setConstant(-1.0);
  tower.diagonal(-1).setConstant(-1.0);
  const auto problem = problems::mixed_from_dense(tower, Eigen::VectorXd::Constant(n, -1.0),
                                                  std::vector<problems::Block>(n, {{.kind = SetKind::Orthant}, 1}));
  const GaussSeidel plain{.tolerance = 1e-8, .relaxation = 1.0, .extrapolate = false, .freeze = false};
  GaussSeidel directed = plain;
  directed.conjugate = true;
  const auto slow = solve(problem, plain), fast = solve(problem, directed);
  ASSERT_TRUE(slow && fast) << slow.message() << fast.message();
  EXPECT_NEAR(static_cast<double>(slow.iterations), 4850.0, 0.1 * 4850.0);
  EXPECT_LT(5 * fast.iterations, slow.iterations);
}

TEST(FrictionGaussSeidel, ConjugateDirectionsGiveWayWhereTheyStall) {
  // Of 80 such piles the one on which directions alone stand still above 1e-6 for 20 000 sweeps: contacts take turns in
  // sliding, and p keeps them at it. With spells of sweeps without directions some 4000 do.
  const auto problem = problems::reduced_problem(problems::ball_pile(20, 8, problems::Rest::Settled));
  const auto result = solve(problem, GaussSeidel{.tolerance = 1e-6, .max_iterations = 20'000, .conjugate = true});
  EXPECT_TRUE(result) << result.message();
}

TEST(FrictionGaussSeidel, WorkspaceStartsWarmAndForgetsNothingItShould) {
  friction::GaussSeidelWorkspace workspace;
  friction::Result result;
  const auto problem = contact_chain(80, 0.5, 21);
  workspace.solve(problem, {}, result);
  ASSERT_TRUE(result) << result.message();
  workspace.solve(problem, {}, result);
  EXPECT_EQ(result.iterations, 0);
  // Another problem between two solves leaves no trace.
  const Eigen::VectorXd first = solve(problem, GaussSeidel{}).r;
  friction::Result other;
  workspace.solve(problems::disk_pile(6, 4, 0.4), {}, other);
  result.r.setZero(problem.q.size());
  workspace.solve(problem, {}, result);
  EXPECT_TRUE((result.r.array() == first.array()).all());
}

TEST(FrictionGaussSeidel, TakesSetsThatAreNotCanonical) {
  // Cohesion 0.5: the contact pulls. u_N = 2 r_N + 0.6 = 0 at r_N = -0.3 > -0.5, |r_T| = 0.05 < mu (r_N + 0.5).
  const Eigen::Matrix3d W = Eigen::Vector3d(2.0, 2.0, 2.0).asDiagonal();
  const auto problem = problems::mixed_from_dense(W, Eigen::Vector3d(0.6, 0.1, 0.0),
                                                  {{{.kind = SetKind::Coulomb3D, .mu = 0.5, .cohesion = 0.5}, 3}});
  const auto result = solve(problem, GaussSeidel{});
  ASSERT_TRUE(result) << result.message();
  EXPECT_LE((result.r - Eigen::Vector3d(-0.3, -0.05, 0.0)).norm(), 1e-9);
}

TEST(FrictionGaussSeidel, RefusesBadOptionsByName) {
  const auto problem = problems::disk_pile(4, 2, 0.5);
  const auto refused = [&](const GaussSeidel& options, const std::string& field) {
    try {
      (void)solve(problem, options);
      ADD_FAILURE() << field << " was not refused";
    } catch (const InvalidArgument& error) {
      EXPECT_NE(error.argument().find(field), std::string::npos) << error.what();
    }
  };
  refused({.tolerance = 0.0}, "tolerance");
  refused({.max_iterations = 0}, "max_iterations");
  refused({.relaxation = 2.0}, "relaxation");
  refused({.relaxation = std::numeric_limits<double>::quiet_NaN()}, "relaxation");
  refused({.colored = true, .num_threads = 0}, "num_threads");
  refused({.num_threads = 2}, "num_threads");
  refused({.check_every = 0}, "check_every");
  refused({.time_limit = -1.0}, "time_limit");
  refused({.user_order = {0}}, "user_order");
  refused({.order = GaussSeidel::Order::User, .user_order = {0, 1}}, "user_order");
  std::vector<Index> twice(static_cast<std::size_t>(problem.K.num_blocks()), 0);
  refused({.order = GaussSeidel::Order::User, .user_order = twice}, "user_order");
  refused({.start = Eigen::VectorXd::Zero(1)}, "start");
}

}  // namespace
}  // namespace nonsmooth::gauss_seidel_test
