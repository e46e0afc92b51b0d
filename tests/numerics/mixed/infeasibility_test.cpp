// SPDX-License-Identifier: Apache-2.0
// Proofs that no r in K gives a u that the law admits, set by set, and the solves that find them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include <mixed/infeasibility.hpp>
#include <mixed/proof_memory.hpp>
#include <nonsmooth/numerics/mixed.hpp>

#include <problems/mixed.hpp>

namespace nonsmooth::infeasibility_test {
namespace {

using problems::Block;
using problems::mixed_from_dense;

constexpr double infinity = std::numeric_limits<double>::infinity();

bool proves(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, const BlockSet& set, const Eigen::VectorXd& y) {
  return mixed::proves_infeasible(mixed_from_dense(W, q, {{set, q.size()}}), y);
}

/// With W = 0 only the signs of y and q·y < 0 count.
bool proves(const Eigen::VectorXd& q, const BlockSet& set, const Eigen::VectorXd& y) {
  return proves(Eigen::MatrixXd::Zero(q.size(), q.size()), q, set, y);
}

TEST(MixedProof, HasTheSignsOfEachSet) {
  using Eigen::Vector3d;
  const Vector3d e_0 = Vector3d::UnitX(), e_1 = Vector3d::UnitY();
  EXPECT_TRUE(proves(-e_0, {.kind = SetKind::Free}, e_0));
  EXPECT_TRUE(proves(e_0, {.kind = SetKind::Free}, -e_0));
  EXPECT_TRUE(proves(-e_0, {}, e_0));
  EXPECT_FALSE(proves(e_0, {}, -e_0));
  EXPECT_FALSE(proves(e_0, {}, e_0));
  EXPECT_TRUE(proves(-e_0, {.kind = SetKind::Box, .lower = 2.0}, e_0));
  EXPECT_FALSE(proves(e_0, {.kind = SetKind::Box, .lower = 2.0}, -e_0));
  EXPECT_TRUE(proves(e_0, {.kind = SetKind::Box, .upper = 2.0}, -e_0));
  EXPECT_FALSE(proves(-e_0, {.kind = SetKind::Box, .upper = 2.0}, e_0));
  EXPECT_TRUE(proves(-e_0, {.kind = SetKind::Box}, e_0));
  EXPECT_FALSE(proves(-e_0, {.kind = SetKind::Box, .lower = 0.0, .upper = 2.0}, e_0));
  // u in the dual of the cone of aperture 1/2, |u_T| <= u_0 / (1/2): y may have a tangential part of up to y_0 / 2.
  const BlockSet cone{.kind = SetKind::SecondOrderCone, .mu = 0.5};
  EXPECT_TRUE(proves(Vector3d(1.0, -3.0, 0.0), cone, Vector3d(1.0, 0.5, 0.0)));
  EXPECT_FALSE(proves(Vector3d(1.0, -3.0, 0.0), cone, Vector3d(1.0, 0.6, 0.0)));
  // A contact at u = (1, -3, 0) just separates.
  EXPECT_FALSE(proves(Vector3d(1.0, -3.0, 0.0), {.kind = SetKind::Coulomb3D, .mu = 0.5}, Vector3d(1.0, 0.5, 0.0)));
  for (const BlockSet& contact : {BlockSet{.kind = SetKind::Coulomb3D, .mu = 0.5},
                                  BlockSet{.kind = SetKind::Coulomb3D, .mu = 0.5, .mu_2 = 0.2, .cohesion = 3.0},
                                  BlockSet{.kind = SetKind::Rolling, .mu = 0.5, .rolling = 0.1}}) {
    EXPECT_TRUE(proves(-e_0, contact, e_0));
    EXPECT_FALSE(proves(-e_1, contact, e_1));
    EXPECT_FALSE(proves(-e_0 - e_1, contact, e_0 + 1e-9 * e_1));
  }
  // Plastic flow with lift 0.2: u_0 >= 0.3 |u_T|; with more lift than aperture there is no half-space of u.
  BlockSet flow{.kind = SetKind::DruckerPrager, .mu = 0.5, .lift = 0.2};
  EXPECT_TRUE(proves(Vector3d(1.0, -4.0, 0.0), flow, Vector3d(1.0, 0.3, 0.0)));
  EXPECT_FALSE(proves(Vector3d(1.0, -4.0, 0.0), flow, Vector3d(1.0, 0.4, 0.0)));
  flow.lift = 0.6;
  EXPECT_FALSE(proves(-e_0, flow, e_0));
  const BlockSet cylinder{.kind = SetKind::VonMises, .radius = 1.0};
  EXPECT_TRUE(proves(-e_0, cylinder, e_0));
  EXPECT_TRUE(proves(e_0, cylinder, -e_0));
  EXPECT_FALSE(proves(-e_1, cylinder, e_1));
}

TEST(MixedProof, NeedsEveryRInTheSet) {
  const Eigen::Vector3d e_0 = Eigen::Vector3d::UnitX();
  Eigen::Matrix3d W = Eigen::Matrix3d::Zero();
  const BlockSet contact{.kind = SetKind::Coulomb3D, .mu = 0.5};
  // u_N = -r_N + w r_T - 1 <= -r_N + w r_N / 2 - 1: a proof up to w = 2.
  W(0, 0) = -1.0;
  W(0, 1) = 2.0;
  EXPECT_TRUE(proves(W, -e_0, contact, e_0));
  W(0, 1) = 2.001;
  EXPECT_FALSE(proves(W, -e_0, contact, e_0));
  // u_N = -r_N - 1 >= 0 with r_N >= -c: only where the cohesion carries it.
  W(0, 1) = 0.0;
  EXPECT_TRUE(proves(W, -e_0, {.kind = SetKind::Coulomb3D, .mu = 0.5, .cohesion = 0.9}, e_0));
  EXPECT_FALSE(proves(W, -e_0, {.kind = SetKind::Coulomb3D, .mu = 0.5, .cohesion = 1.1}, e_0));
  // A bounded row beside an orthant: u_0 = r_1 - 1 with r_1 <= upper.
  const Eigen::Matrix2d coupled{{0.0, 1.0}, {0.0, 1.0}};
  for (const double upper : {0.9, 1.1}) {
    const auto problem = mixed_from_dense(coupled, Eigen::Vector2d(-1.0, 0.0),
                                          {{{}, 1}, {{.kind = SetKind::Box, .lower = -5.0, .upper = upper}, 1}});
    EXPECT_EQ(mixed::proves_infeasible(problem, Eigen::Vector2d(1.0, 0.0)), upper < 1.0);
  }
  // Ellipses: u_N = -r_N + 3 r_T1 + 4 r_T2 - 1 with |(r_T1 / 0.1, r_T2 / 0.2)| <= r_N: |(0.3, 0.8)| < 1, |(0.6, 0.8)|
  // = 1.
  W(0, 1) = 3.0;
  W(0, 2) = 4.0;
  EXPECT_TRUE(proves(W, -e_0, {.kind = SetKind::Coulomb3D, .mu = 0.1, .mu_2 = 0.2}, e_0));
  EXPECT_FALSE(proves(W, -e_0, {.kind = SetKind::Coulomb3D, .mu = 0.21, .mu_2 = 0.2}, e_0));
  // Not a number, or not one a row, is no proof.
  EXPECT_FALSE(proves(W, -e_0, contact, Eigen::Vector3d::Constant(std::nan(""))));
  EXPECT_FALSE(proves(W, -e_0, contact, Eigen::Vector2d(1.0, 0.0)));
}

/// What a solve that finds no solution says must hold.
void expect_proved(const mixed::Problem& problem, const mixed::Result& result) {
  EXPECT_EQ(result.status, Status::Infeasible) << result.message();
  EXPECT_TRUE(mixed::proves_infeasible(problem, result.proof)) << result.message();
}

TEST(MixedInfeasible, OneBlockThatNothingMoves) {
  for (const BlockSet& set :
       {BlockSet{.kind = SetKind::SecondOrderCone, .mu = 0.5}, BlockSet{.kind = SetKind::Coulomb3D, .mu = 0.5},
        BlockSet{.kind = SetKind::Coulomb3D, .mu = 0.5, .mu_2 = 0.3, .cohesion = 0.2},
        BlockSet{.kind = SetKind::Rolling, .mu = 0.5, .rolling = 0.1},
        BlockSet{.kind = SetKind::DruckerPrager, .mu = 0.5, .lift = 0.1},
        BlockSet{.kind = SetKind::VonMises, .radius = 1.0}}) {
    const auto problem = mixed_from_dense(Eigen::Matrix3d::Zero(), Eigen::Vector3d(-1.0, 0.0, 0.0), {{set, 3}});
    expect_proved(problem, mixed::solve(problem));
    expect_proved(problem, mixed::find("automatic").solver.solve(problem));
    // Beside one that moves, and coupled to it by a zero block.
    Eigen::MatrixXd W = Eigen::MatrixXd::Zero(6, 6);
    W.bottomRightCorner(3, 3).setIdentity();
    Eigen::VectorXd q(6);
    q << -1.0, 0.0, 0.0, -1.0, 0.2, 0.0;
    for (const bool keep : {true, false}) {
      const auto two = mixed_from_dense(W, q, {{set, 3}, {set, 3}}, keep);
      expect_proved(two, mixed::solve(two));
    }
  }
  // Drucker-Prager whose lift is more than its aperture solves everything by r = 0 or stays silent: no proof exists.
  const auto silent = mixed_from_dense(Eigen::Matrix3d::Zero(), Eigen::Vector3d(-1.0, 0.0, 0.0),
                                       {{{.kind = SetKind::DruckerPrager, .mu = 0.1, .lift = 0.5}, 3}});
  EXPECT_NE(mixed::solve(silent).status, Status::Infeasible);
}

/// Two blocks that push one body of mass 1 against each other, u_0 = v - a and u_1 = -v - a in row 0: not both can
/// hold.
mixed::Problem squeezed(const BlockSet& set, Index n, double gap) {
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(2 * n, n);
  H.topRows(n).setIdentity();
  H.bottomRows(n) = -Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(2 * n);
  q[0] = 0.3 + gap;
  q[n] = -0.3 + gap;
  return mixed_from_dense(H * H.transpose(), q, {{set, n}, {set, n}});
}

TEST(MixedInfeasible, ABodySqueezedBetweenTwoBlocks) {
  for (const BlockSet& set :
       {BlockSet{.kind = SetKind::SecondOrderCone, .mu = 0.5}, BlockSet{.kind = SetKind::Coulomb3D, .mu = 0.5},
        BlockSet{.kind = SetKind::Coulomb3D, .mu = 0.5, .mu_2 = 0.3, .cohesion = 0.2},
        BlockSet{.kind = SetKind::Rolling, .mu = 0.5, .rolling = 0.1},
        BlockSet{.kind = SetKind::DruckerPrager, .mu = 0.5, .lift = 0.1},
        BlockSet{.kind = SetKind::VonMises, .radius = 1.0}}) {
    const auto problem = squeezed(set, 3, -0.1);
    expect_proved(problem, mixed::solve(problem));
    // With room between them there is a solution, and nobody claims otherwise.
    if (set.kind == SetKind::VonMises) continue;  // u_0 = 0 on both: none
    const auto room = squeezed(set, 3, 0.1);
    EXPECT_TRUE(mixed::solve(room)) << mixed::solve(room).message();
    Eigen::VectorXd y;
    EXPECT_FALSE(mixed::internal::find_proof(room, 200, y));
    EXPECT_FALSE(mixed::internal::find_simple_proof(room, y));
  }
}

TEST(MixedInfeasible, NoProofIsFoundWhereASolutionWasPlanted) {
  const std::vector<SetKind> kinds = {SetKind::Free,      SetKind::Orthant,      SetKind::Box,
                                      SetKind::Coulomb2D, SetKind::Coulomb3D,    SetKind::SecondOrderCone,
                                      SetKind::VonMises,  SetKind::DruckerPrager};
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    auto planted = problems::planted_mixed(6, kinds, seed);
    // The same solution of a problem whose matrix is singular: only a u that the law admits stays.
    const Index n = planted.r.size();
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    Eigen::MatrixXd G(n, n / 2);
    for (double& entry : G.reshaped()) entry = normal(random);
    std::vector<Block> blocks;
    for (Index b = 0; b < planted.problem.K.num_blocks(); ++b)
      blocks.push_back({planted.problem.K[b], planted.problem.K.size(b)});
    const Eigen::MatrixXd W = G * G.transpose();
    const auto problem = mixed_from_dense(W, planted.u - W * planted.r, blocks);
    Eigen::VectorXd y;
    EXPECT_FALSE(mixed::internal::find_proof(problem, 300, y)) << "seed " << seed;
    EXPECT_FALSE(mixed::internal::find_simple_proof(problem, y)) << "seed " << seed;
  }
}

/// u = H v + w, W = H H^T: with y in the kernel of H^T, inside U*, and w·y < 0 there is no solution.
TEST(MixedInfeasible, PlantedProofsOfCones) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const BlockSet set{.kind = seed % 2 == 0 ? SetKind::SecondOrderCone : SetKind::Coulomb3D, .mu = 0.6};
    const Index n = 9;
    Eigen::MatrixXd H(n, 4);
    Eigen::VectorXd w(n);
    for (double& entry : H.reshaped()) entry = normal(random);
    for (double& entry : w) entry = normal(random);
    H.row(0) = -0.5 * H.row(3);  // y = e_0 + e_3 / 2, exactly: row 0 of W is minus half its row 3 to the bit
    w[0] = -0.5 * w[3] - 0.5;
    const auto problem = mixed_from_dense(H * H.transpose(), w, {{set, 3}, {set, 3}, {set, 3}});
    const auto result = mixed::solve(problem);
    EXPECT_FALSE(result.ok());
    if (result.status != Status::Infeasible) continue;
    EXPECT_TRUE(mixed::proves_infeasible(problem, result.proof));
    ++found;
  }
  // Proofs on the border of a second-order cone cannot be refined, and slow ones are given up.
  EXPECT_GE(found, 8);
}

// Row 4 of u is minus a positive combination of rows 2 and 6, less 1/2; pivoting after an elimination of free rows.
TEST(MixedInfeasible, VerdictsOfPivotingHold) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    Eigen::MatrixXd H(10, 7);
    Eigen::VectorXd w(10);
    for (double& entry : H.reshaped()) entry = normal(random);
    for (double& entry : w) entry = normal(random);
    H.row(4) = -0.7 * H.row(2) - 0.4 * H.row(6);
    w[4] = -0.7 * w[2] - 0.4 * w[6] - 0.5;
    const auto problem = mixed_from_dense(H * H.transpose(), w,
                                          {{{.kind = SetKind::Free}, 2},
                                           {{}, 2},
                                           {{.kind = SetKind::Coulomb2D, .mu = 0.3}, 2},
                                           {{}, 1},
                                           {{.kind = SetKind::Box, .lower = -1.0, .upper = 1.0}, 1},
                                           {{.kind = SetKind::Box, .lower = -1.0}, 1},
                                           {{}, 1}});
    const auto result = mixed::solve(problem);
    EXPECT_FALSE(result.ok());
    if (result.status != Status::Infeasible) continue;
    EXPECT_TRUE(mixed::proves_infeasible(problem, result.proof)) << "seed " << seed;
    ++found;
  }
  EXPECT_GE(found, 45);  // W rounds: its kernel is that of a matrix beside it
}

TEST(MixedInfeasible, HugeAndTinyUnitsMakeNoDifference) {
  for (const double unit : {1e-30, 1e-8, 1e8, 1e30}) {
    auto problem = squeezed({.kind = SetKind::Coulomb3D, .mu = 0.5}, 3, -0.1);
    problem.q *= unit;
    expect_proved(problem, mixed::solve(problem));
    Eigen::VectorXd y = infinity * Eigen::VectorXd::Ones(6);
    EXPECT_FALSE(mixed::proves_infeasible(problem, y));
  }
}

/// A body between two walls that close on it: an iteration squeezes it ever harder, along the proof.
TEST(Infeasibility, FoundAlongAReactionThatGrows) {
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(6, 3);
  H.topRows(3) = Eigen::Matrix3d::Identity();
  H.bottomRows(3) = Eigen::Vector3d(-1.0, 1.0, 1.0).asDiagonal();
  Eigen::VectorXd q(6), r(6), y;
  q << -1.0, 0.4, 0.1, -0.5, 0.4, 0.1;
  r << 1e9, -0.2, 3.0, 1e9, 0.1, 0.0;  // what did not grow takes no part
  mixed::internal::ProofMemory memory;
  const BlockSet set{.kind = SetKind::Coulomb3D, .mu = 0.5};
  const auto closing = problems::mixed_from_dense(H * H.transpose(), q, {{set, 3}, {set, 3}});
  ASSERT_TRUE(mixed::internal::find_proof_along(closing, r, memory, y));
  EXPECT_TRUE(mixed::proves_infeasible(closing, y));
  // Walls that open: the same direction proves nothing.
  const auto opening = problems::mixed_from_dense(H * H.transpose(), -q, {{set, 3}, {set, 3}});
  EXPECT_FALSE(mixed::internal::find_proof_along(opening, r, memory, y));
  EXPECT_FALSE(mixed::internal::find_proof_along(closing, Eigen::VectorXd::Zero(6), memory, y));
}

}  // namespace
}  // namespace nonsmooth::infeasibility_test
