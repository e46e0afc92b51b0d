// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/semismooth_newton.hpp>
#include <problems/mixed.hpp>
#include <problems/piles.hpp>
#include <support/parameter_name.hpp>

namespace nonsmooth::friction {

inline void PrintTo(SemismoothNewton::Formulation formulation, std::ostream* out) {
  static constexpr const char* names[] = {"AlartCurnier", "JeanMoreau", "NaturalMap", "FischerBurmeister"};
  *out << names[static_cast<std::size_t>(formulation)];
}

}  // namespace nonsmooth::friction

namespace nonsmooth::semismooth_newton_test {
namespace {

using friction::Measure;
using friction::SemismoothNewton;
using Formulation = SemismoothNewton::Formulation;

mixed::Problem single(const BlockSet& set, const Eigen::VectorXd& q) {
  return problems::mixed_from_dense(Eigen::MatrixXd::Identity(q.size(), q.size()), q, {{set, q.size()}});
}

class FrictionSemismoothNewton : public ::testing::TestWithParam<Formulation> {};

// W = 1: the local answers. Without sweeps, so that Newton's method finds them.
TEST_P(FrictionSemismoothNewton, FindsStickSlipAndTakeOff) {
  const SemismoothNewton options{.tolerance = 1e-12, .formulation = GetParam(), .sweeps = 0};
  const BlockSet set{.kind = SetKind::Coulomb3D, .mu = 0.5};
  EXPECT_LE((solve(single(set, Eigen::Vector3d(-1, 0.2, 0)), options).r - Eigen::Vector3d(1, -0.2, 0)).norm(), 1e-11);
  EXPECT_LE((solve(single(set, Eigen::Vector3d(-1, 1.2, 1.6)), options).r - Eigen::Vector3d(1, -0.3, -0.4)).norm(),
            1e-11);
  EXPECT_LE(solve(single(set, Eigen::Vector3d(1, 1, 0)), options).r.norm(), 1e-11);
  // Without friction the tangential velocity stays.
  const auto smooth = solve(single({.kind = SetKind::Coulomb3D, .mu = 0.0}, Eigen::Vector3d(-1, 2, 3)), options);
  EXPECT_LE((smooth.r - Eigen::Vector3d(1, 0, 0)).norm(), 1e-11);
}

// W is well-conditioned and couples all blocks; a step too many would say that the last ones are not quadratic.
TEST_P(FrictionSemismoothNewton, SolvesWellConditionedMixedProblems) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const auto planted =
        problems::planted_mixed(25, {SetKind::Free, SetKind::Orthant, SetKind::Coulomb2D, SetKind::Coulomb3D}, seed);
    const auto result = solve(planted.problem, SemismoothNewton{.tolerance = 1e-11, .formulation = GetParam()});
    ASSERT_TRUE(result.ok()) << seed << ": " << result.message();
    Eigen::VectorXd u(planted.r.size());
    EXPECT_LE(mixed::certify(planted.problem, result.r, u).residual, 1e-11);
    EXPECT_LE(result.iterations, 25);
  }
}

// The rank of W is no more than 6 a ball: J is shifted where it is singular.
TEST_P(FrictionSemismoothNewton, SolvesAFlowingPile) {
  const auto problem = problems::reduced_problem(problems::ball_pile(40, 2, problems::Rest::Flowing));
  const auto result = solve(
      problem,
      SemismoothNewton{.tolerance = 1e-9, .measure = Measure::NaturalMap, .formulation = GetParam(), .sweeps = 200});
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE(result.figures.natural_map, 1e-9);
}

// With sliding friction of 0.5, and rows R and S bounded by 0.2 and 0.1 times r_N.
TEST_P(FrictionSemismoothNewton, Rolling) {
  Eigen::VectorXd q(6), expected(6);
  q << -1, 0, 2, 0.5, 0, 0.05;
  expected << 1, 0, -0.5, -0.2, 0, -0.05;
  const auto problem = single({.kind = SetKind::Rolling, .mu = 0.5, .rolling = 0.2, .spinning = 0.1}, q);
  const SemismoothNewton options{.tolerance = 1e-12, .formulation = GetParam(), .sweeps = 0};
  if (GetParam() == Formulation::FischerBurmeister) {
    EXPECT_THROW((void)solve(problem, options), InvalidArgument);
    return;
  }
  const auto result = solve(problem, options);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE((result.r - expected).norm(), 1e-11);
}

// The planted answers are found from either start, a skew part of a fifth of W included; more steps than from nothing
// would say that the start is none.
TEST_P(FrictionSemismoothNewton, StartsByExtragradientIterations) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    auto planted = problems::planted_mixed(
        25, {SetKind::Free, SetKind::Orthant, SetKind::Coulomb2D, SetKind::Coulomb3D}, seed, 2.0);
    Eigen::MatrixXd W = planted.problem.W.to_dense();
    std::mt19937_64 random(seed);
    const Eigen::MatrixXd G = problems::random_spd(W.rows(), 0.0, random).triangularView<Eigen::StrictlyUpper>();
    W += 0.2 * (G - G.transpose());
    std::vector<problems::Block> blocks;
    for (Index b = 0; b < planted.problem.K.num_blocks(); ++b)
      blocks.push_back({planted.problem.K[b], planted.problem.K.size(b)});
    const auto problem = problems::mixed_from_dense(W, planted.u - W * planted.r, blocks);
    SemismoothNewton options{
        .tolerance = 1e-11, .formulation = GetParam(), .first = SemismoothNewton::Start::Extragradient, .sweeps = 100};
    const auto result = solve(problem, options);
    ASSERT_TRUE(result.ok()) << seed << ": " << result.message();
    // 1e-11 of |q| < 20 over an eigenvalue of at least 1, with the factor of the law, below 10.
    EXPECT_LE((result.r - planted.r).lpNorm<Eigen::Infinity>(), 1e-8) << seed;
    options.sweeps = 0;
    EXPECT_LT(result.iterations, solve(problem, options).iterations) << seed;
  }
}

// A diagonal block of zero: r_1 acts on the other row alone, and 0 <= u_1 = r_0 - 1 ⟂ r_1 asks r_0 = 1. No sweep can
// begin; the extragradient method can (W is positive semidefinite).
TEST(FrictionSemismoothNewtonStart, NeedsNoLocalSolutions) {
  const Eigen::Matrix2d hollow{{1.0, -1.0}, {1.0, 0.0}};
  const auto problem = problems::mixed_from_dense(hollow, Eigen::Vector2d(0.5, -1.0), {{{}, 1}, {{}, 1}});
  // From the start alone: r = (1, 1.5) to the tolerance over the least singular value of W, 0.6.
  const auto result = solve(
      problem, SemismoothNewton{
                   .tolerance = 1e-6, .max_steps = 1, .first = SemismoothNewton::Start::Extragradient, .sweeps = 200});
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.iterations, 0);
  EXPECT_LE((result.r - Eigen::Vector2d(1.0, 1.5)).norm(), 1e-5);
}

// No reaction moves the row: approached at unit speed it cannot be stopped.
TEST_P(FrictionSemismoothNewton, DoesNotClaimWhatHasNoSolution) {
  const auto problem = problems::mixed_from_dense(Eigen::MatrixXd::Zero(3, 3), Eigen::Vector3d(-1, 0, 0),
                                                  {{{.kind = SetKind::Coulomb3D, .mu = 0.5}, 3}});
  EXPECT_FALSE(solve(problem, SemismoothNewton{.formulation = GetParam()}).ok());
}

INSTANTIATE_TEST_SUITE_P(All, FrictionSemismoothNewton,
                         ::testing::Values(Formulation::AlartCurnier, Formulation::JeanMoreau, Formulation::NaturalMap,
                                           Formulation::FischerBurmeister),
                         test::parameter_name);

TEST(FrictionSemismoothNewtonOptions, RefuseBadInput) {
  const auto problem = single({.kind = SetKind::Coulomb3D, .mu = 0.5}, Eigen::Vector3d(-1, 0, 0));
  EXPECT_THROW((void)solve(problem, SemismoothNewton{.tolerance = -1.0}), InvalidArgument);
  EXPECT_THROW((void)solve(problem, SemismoothNewton{.max_steps = 0}), InvalidArgument);
  EXPECT_THROW((void)solve(problem, SemismoothNewton{.memory = 0}), InvalidArgument);
  EXPECT_THROW((void)solve(problem, SemismoothNewton{.decrease = 0.6}), InvalidArgument);
  EXPECT_THROW((void)solve(problem, SemismoothNewton{.sweeps = -1}), InvalidArgument);
  EXPECT_THROW((void)solve(problem, SemismoothNewton{.time_limit = -1.0}), InvalidArgument);
  EXPECT_THROW((void)solve(problem, SemismoothNewton{.start = Eigen::VectorXd::Zero(4)}), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::semismooth_newton_test
