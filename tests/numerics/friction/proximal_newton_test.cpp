// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/proximal_newton.hpp>
#include <problems/mixed.hpp>
#include <problems/piles.hpp>
#include <support/parameter_name.hpp>

#include "friction/reduced/active_modes.hpp"
#include "friction/reduced/interfaces.hpp"
#include "mixed/projection_jacobian.hpp"

namespace nonsmooth::proximal_newton_test {
namespace {

using friction::Measure;
using friction::ProximalNewton;
using problems::Block;

mixed::Problem single(const BlockSet& set, const Eigen::VectorXd& q) {
  return problems::mixed_from_dense(Eigen::MatrixXd::Identity(q.size(), q.size()), q, {{set, q.size()}});
}

/// One body of unit inertia on k points of a plane, each with three rows of a rigid motion: W = H H^T of rank 6.
mixed::Problem table(Index feet, const Eigen::VectorXd& push, double mu) {
  std::vector<Block> blocks(static_cast<std::size_t>(feet), {{.kind = SetKind::Coulomb3D, .mu = mu}, 3});
  Eigen::MatrixXd H(3 * feet, 6);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> place(-1.0, 1.0);
  for (Index k = 0; k < feet; ++k) {
    const Eigen::Vector3d x(place(random), place(random), -0.5);
    // Rows N, T1, T2 along z, x, y of v + omega x position.
    H.middleRows(3 * k, 3) << 0, 0, 1, x[1], -x[0], 0, 1, 0, 0, 0, x[2], -x[1], 0, 1, 0, -x[2], 0, x[0];
  }
  return problems::mixed_from_dense(H * H.transpose(), H * push, blocks);
}

// W = 1: each row's answer is the local one. A tolerance of 1e-12 on velocities is one on reactions.
TEST(FrictionProximalNewton, FindsStickSlipAndTakeOff) {
  const BlockSet set{.kind = SetKind::Coulomb3D, .mu = 0.5};
  for (const Index sweeps : {1, 0}) {
    const ProximalNewton options{.tolerance = 1e-12, .sweeps = sweeps};
    EXPECT_LE((solve(single(set, Eigen::Vector3d(-1, 0.2, 0)), options).r - Eigen::Vector3d(1, -0.2, 0)).norm(), 1e-11);
    EXPECT_LE((solve(single(set, Eigen::Vector3d(-1, 1.2, 1.6)), options).r - Eigen::Vector3d(1, -0.3, -0.4)).norm(),
              1e-11);
    EXPECT_EQ(solve(single(set, Eigen::Vector3d(1, 1, 0)), options).r.norm(), 0.0);
  }
}

// The three groups each find their own bound: 0.5, and 0.2 and 0.1 in metres.
TEST(FrictionProximalNewton, RollingAndSpinningContacts) {
  Eigen::VectorXd q(6), expected(6);
  q << -1, 0, 2, 0.5, 0, 0.05;
  expected << 1, 0, -0.5, -0.2, 0, -0.05;
  const BlockSet set{.kind = SetKind::Rolling, .mu = 0.5, .rolling = 0.2, .spinning = 0.1};
  const auto result = solve(single(set, q), ProximalNewton{.tolerance = 1e-12});
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE((result.r - expected).norm(), 1e-11);
}

// Forty feet, three times as many rows as W has rank: the reactions are not unique, their sum is the weight's impulse.
// |sum r_N - 1| <= |H^+| |u error| < 100 tolerance; a push within the cone sticks.
TEST(FrictionProximalNewton, HyperstaticTableSticks) {
  Eigen::VectorXd push = Eigen::VectorXd::Zero(6);
  push[0] = 0.2;
  push[2] = -1.0;
  const auto problem = table(40, push, 0.5);
  const auto result = solve(problem, ProximalNewton{.tolerance = 1e-10});
  ASSERT_TRUE(result.ok()) << result.message();
  double normal = 0.0, tangential = 0.0;
  for (Index k = 0; k < 40; ++k) {
    normal += result.r[3 * k];
    tangential += result.r[3 * k + 1];
  }
  EXPECT_NEAR(normal, 1.0, 1e-8);
  EXPECT_NEAR(tangential, -0.2, 1e-8);
  EXPECT_LE(result.u.norm(), 1e-8);
}

struct Stack {
  const char* name;
  problems::Pile (*make)();

  friend void PrintTo(const Stack& stack, std::ostream* out) { *out << stack.name; }
};

class WallsAndPiles : public ::testing::TestWithParam<Stack> {};

TEST_P(WallsAndPiles, AreSolvedInBothMeasures) {
  const auto problem = problems::reduced_problem(GetParam().make());
  for (const Measure measure : {Measure::Certificate, Measure::NaturalMap}) {
    const auto result = solve(problem, ProximalNewton{.tolerance = 1e-9, .measure = measure});
    ASSERT_TRUE(result.ok()) << result.message();
    Eigen::VectorXd u(problem.q.size());
    const Certificate certificate = mixed::certify(problem, result.r, u);
    const double figure = mixed::friction_figures(problem, result.r, u).natural_map;
    EXPECT_LE(measure == Measure::Certificate ? certificate.residual : figure, 1e-9);
  }
  const auto again = solve(problem, ProximalNewton{.tolerance = 1e-9});
  EXPECT_EQ(again.r, solve(problem, ProximalNewton{.tolerance = 1e-9}).r);  // bit for bit
}

INSTANTIATE_TEST_SUITE_P(
    All, WallsAndPiles,
    ::testing::Values(Stack{"WallAtRest", [] { return problems::brick_wall(4, 3, 1, false); }},
                      Stack{"WallPushed", [] { return problems::brick_wall(4, 3, 2, true); }},
                      Stack{"PileSettled", [] { return problems::ball_pile(60, 3, problems::Rest::Settled); }},
                      Stack{"PileFlowing", [] { return problems::ball_pile(60, 4, problems::Rest::Flowing); }}),
    test::parameter_name);

TEST(FrictionProximalNewton, MixedBlocks) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto planted =
        problems::planted_mixed(30, {SetKind::Free, SetKind::Orthant, SetKind::Coulomb2D, SetKind::Coulomb3D}, seed);
    const auto result = solve(planted.problem, ProximalNewton{.tolerance = 1e-11});
    EXPECT_TRUE(result.ok()) << result.message();
  }
}

// A warm start that is a solution costs no step.
TEST(FrictionProximalNewton, StartsFromASolution) {
  const auto planted = problems::planted_mixed(20, {SetKind::Coulomb3D}, 5);
  const auto result = solve(planted.problem, ProximalNewton{.start = planted.r});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.iterations, 0);
}

// No reaction moves the row: approached at unit speed it cannot be stopped.
TEST(FrictionProximalNewton, DoesNotClaimWhatHasNoSolution) {
  const auto problem = problems::mixed_from_dense(Eigen::MatrixXd::Zero(3, 3), Eigen::Vector3d(-1, 0, 0),
                                                  {{{.kind = SetKind::Coulomb3D, .mu = 0.5}, 3}});
  EXPECT_FALSE(solve(problem, ProximalNewton{.max_steps = 50}).ok());
}

TEST(FrictionProximalNewton, RefusesBadInput) {
  const auto problem = single({.kind = SetKind::Coulomb3D, .mu = 0.5}, Eigen::Vector3d(-1, 0, 0));
  EXPECT_THROW((void)solve(problem, ProximalNewton{.tolerance = 0.0}), InvalidArgument);
  EXPECT_THROW((void)solve(problem, ProximalNewton{.max_steps = 0}), InvalidArgument);
  EXPECT_THROW((void)solve(problem, ProximalNewton{.max_inner_steps = 0}), InvalidArgument);
  EXPECT_THROW((void)solve(problem, ProximalNewton{.regularization = -1.0}), InvalidArgument);
  EXPECT_THROW((void)solve(problem, ProximalNewton{.sweeps = -1}), InvalidArgument);
  EXPECT_THROW((void)solve(problem, ProximalNewton{.time_limit = 0.0}), InvalidArgument);
  EXPECT_THROW((void)solve(problem, ProximalNewton{.start = Eigen::VectorXd::Zero(2)}), InvalidArgument);
  const auto plastic = single({.kind = SetKind::VonMises, .radius = 1.0}, Eigen::Vector3d(-1, 0, 0));
  EXPECT_THROW((void)solve(plastic, ProximalNewton{}), InvalidArgument);
}

// W = V Ŵ V^T to round-off of entries of order one, with 6 rows instead of 120; and the same Newton step with it as by
// elimination: with x of the system (1 + B W) x = b, B = -dP/du, its residual is round-off over alpha.
TEST(FrictionProximalNewton, InterfacesReproduceW) {
  Eigen::VectorXd push = Eigen::VectorXd::Zero(6);
  push[0] = 0.2;
  push[2] = -1.0;
  const auto problem = table(40, push, 0.5);
  const Index n = problem.W.rows();
  Eigen::VectorXd rho;
  mixed::internal::natural_scales(problem, rho);
  const Eigen::VectorXd root = rho.cwiseSqrt();
  const friction::internal::Interfaces interfaces(problem, root);
  ASSERT_TRUE(interfaces.useful());
  ASSERT_EQ(interfaces.num_groups(), 1);
  EXPECT_EQ(interfaces.W().rows(), 6);
  Eigen::MatrixXd V(n, 6);
  for (Index m = interfaces.begin(0); m < interfaces.begin(1); ++m)
    V.middleRows(3 * interfaces.member(m), 3) = Eigen::Map<const Eigen::MatrixXd>(interfaces.basis(m), 3, 6);
  const Eigen::MatrixXd W = root.asDiagonal() * problem.W.to_dense() * root.asDiagonal();
  EXPECT_LE((V * interfaces.W().to_dense() * V.transpose() - W).lpNorm<Eigen::Infinity>(), 1e-12);

  constexpr double alpha = 1e-3, h = 1e-6;
  friction::internal::ActiveModes modes;
  const GrowingVector scales = rho;
  modes.prepare(problem, scales);
  const Eigen::VectorXd center = Eigen::VectorXd::Constant(n, 0.01);
  Eigen::VectorXd x(n), b = problem.q, zero = Eigen::VectorXd::Zero(n), Wb(n), Wx(n), plus(n), minus(n);
  ASSERT_TRUE(modes.factorize(center, problem.q, alpha));
  problem.W.multiply_add(b, zero, Wb);
  modes.solve(b, Wb, x);
  problem.W.multiply_add(x, zero, Wx);
  modes.predict(center, problem.q + h * Wx, alpha, plus);
  modes.predict(center, problem.q - h * Wx, alpha, minus);
  // A central difference of a smooth piece: h^2 times third derivatives, and round-off eps / (alpha h).
  EXPECT_LE((x - (plus - minus) / (2.0 * h) - b).norm(), 1e-5 * b.norm());
}

}  // namespace
}  // namespace nonsmooth::proximal_newton_test
