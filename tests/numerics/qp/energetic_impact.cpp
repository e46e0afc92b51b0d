// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string_view>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/qp/energetic_impact.hpp>

namespace nonsmooth::energetic_impact_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using qp::EnergeticImpact;
using qp::EnergeticImpactResult;

/// Balls of mass 1 in a row, contact i between i and i + 1; the first comes with 1.
EnergeticImpact cradle(Index balls, double ratio) {
  EnergeticImpact impact{.M = MatrixXd::Identity(balls, balls),
                         .H = MatrixXd::Zero(balls, balls - 1),
                         .b = VectorXd::Unit(balls, 0),
                         .ratio = ratio};
  for (Index i = 0; i + 1 < balls; ++i) impact.H(i, i) = -1.0, impact.H(i + 1, i) = 1.0;
  return impact;
}

TEST(EnergeticImpact, OneContactKeepsTheRootOfItsEnergy) {
  for (const double e : {0.0, 0.25, 1.0}) {
    const EnergeticImpactResult found = qp::solve(
        {.M = MatrixXd::Constant(1, 1, 2.0), .H = MatrixXd::Ones(1, 1), .b = VectorXd::Constant(1, -3.0), .ratio = e});
    ASSERT_TRUE(found) << found.reason;
    ASSERT_EQ(found.solutions.size(), 1u);
    EXPECT_EQ(found.free_parameters, 0);
    EXPECT_NEAR(found.solutions[0].u[0], 3.0 * std::sqrt(e), 1e-12);
    EXPECT_NEAR(found.solutions[0].lambda[0], 6.0 * (1.0 + std::sqrt(e)), 1e-12);
  }
}

TEST(EnergeticImpact, ACradleByItsLaws) {
  // Three balls, e = 1. lambda_2 = lambda_1: the first rests, the last has all (Newton's cradle); lambda_2 = 0 is
  // refused, as the second ball would go into the third. The plastic impact: all go with 1/3, a third of the energy.
  EnergeticImpact impact = cradle(3, 1.0);
  impact.Theta = Eigen::RowVector2d(1.0, -1.0);
  EnergeticImpactResult found = qp::solve(impact);
  ASSERT_TRUE(found) << found.reason;
  ASSERT_EQ(found.solutions.size(), 1u);
  EXPECT_LE((found.solutions[0].u - Eigen::Vector3d(0.0, 0.0, 1.0)).norm(), 1e-12);
  impact.Theta = Eigen::RowVector2d(0.0, 1.0);
  found = qp::solve(impact);
  EXPECT_EQ(found.status, Status::Infeasible);
  EXPECT_TRUE(qp::proves_no_impact(impact, found.proof));
  found = qp::solve(cradle(3, 1.0));
  ASSERT_TRUE(found) << found.reason;
  EXPECT_EQ(found.free_parameters, 1);
  EXPECT_NEAR(found.least_ratio, 1.0 / 3.0, 1e-12);
  // s = 2 of lambda_p = (2/3, 1/3): u = b + 2 (u_p - b).
  EXPECT_LE((found.solutions[0].u - Eigen::Vector3d(-1.0, 2.0, 2.0) / 3.0).norm(), 1e-12);
}

TEST(EnergeticImpact, EnergiesBelowThePlasticImpactHaveAProofThatThereIsNone) {
  const EnergeticImpact impact = cradle(4, 0.24);  // the plastic one leaves 1/4
  const EnergeticImpactResult found = qp::solve(impact);
  ASSERT_EQ(found.status, Status::Infeasible) << found.reason;
  EXPECT_TRUE(found.solutions.empty());
  EXPECT_TRUE(qp::proves_no_impact(impact, found.proof));
  EnergeticImpact possible = impact;
  possible.ratio = 0.26;
  EXPECT_FALSE(qp::proves_no_impact(possible, found.proof));
  ASSERT_TRUE(qp::solve(possible));
  VectorXd wrong = found.proof;
  wrong.tail(3).setConstant(-1.0);
  EXPECT_FALSE(qp::proves_no_impact(impact, wrong));
  const EnergeticImpactResult least = qp::solve(cradle(4, 0.25));
  ASSERT_TRUE(least) << least.reason;
  EXPECT_LE((least.solutions[0].u - VectorXd::Constant(4, 0.25)).norm(),
            1e-7);  // a double root: the square root of eps
}

// Of three balls the third goes with 0.6 and Theta has lambda_2 = 0: u = (1 - s, s, 0.6), 1/2 <= s <= 0.6, and energies
// (1 - s)^2 + s^2 + 0.36 from 0.86 to 0.88 of 1.36. e = 1 has the roots 0 and 1.
TEST(EnergeticImpact, OnALineThatEndsThereIsNoneBeyond) {
  EnergeticImpact impact = cradle(3, 1.0);
  impact.b[2] = 0.6;
  impact.Theta = Eigen::RowVector2d(0.0, 1.0);
  EnergeticImpactResult found = qp::solve(impact);
  EXPECT_EQ(found.status, Status::Infeasible) << found.reason;
  EXPECT_NEAR(found.least_ratio, 0.86 / 1.36, 1e-12);
  ASSERT_EQ(found.proof.size(), 5);
  EXPECT_TRUE(qp::proves_no_impact(impact, found.proof));
  impact.ratio = (0.45 * 0.45 + 0.55 * 0.55 + 0.36) / 1.36;  // s = 0.55
  EXPECT_FALSE(qp::proves_no_impact(impact, found.proof));
  found = qp::solve(impact);
  ASSERT_TRUE(found) << found.reason;
  ASSERT_EQ(found.solutions.size(), 1u);
  EXPECT_NEAR(found.solutions[0].lambda[0], 0.55, 1e-12);
  EXPECT_NE(found.reason.find("line"), std::string_view::npos) << found.reason;
}

TEST(EnergeticImpact, ConditionsHoldWhateverTheMasses) {
  for (Index balls = 2; balls < 8; ++balls) {
    for (const double above : {0.1, 0.5, 1.0}) {
      EnergeticImpact impact = cradle(balls, 1.0);
      for (Index i = 0; i < balls; ++i) impact.M(i, i) = 1.0 + static_cast<double>((3 * i) % 5);
      const double least = qp::solve(impact).least_ratio;
      impact.ratio = least + above * (1.0 - least);
      const EnergeticImpactResult found = qp::solve(impact);
      ASSERT_TRUE(found) << found.reason;
      const VectorXd &u = found.solutions[0].u, &lambda = found.solutions[0].lambda;
      EXPECT_LE((impact.M * (u - impact.b) - impact.H * lambda).norm(), 1e-12);
      EXPECT_NEAR(u.dot(impact.M * u), impact.ratio * impact.b.dot(impact.M * impact.b), 1e-12);
      EXPECT_GE((impact.H.transpose() * u).minCoeff(), -1e-12);
      EXPECT_GE(lambda.minCoeff(), 0.0);
    }
  }
}

/// The conditions of an impact, from its data, to 1e-9 of their terms.
void expect_conditions(const EnergeticImpact& impact, const EnergeticImpactResult::Solution& found) {
  const double energy = impact.b.dot(impact.M * impact.b), size = 1.0 + found.lambda.norm();
  EXPECT_LE((impact.M * (found.u - impact.b) - impact.H * found.lambda).norm(), 1e-9 * size);
  EXPECT_NEAR(found.u.dot(impact.M * found.u), impact.ratio * energy, 1e-9 * energy);
  EXPECT_GE((impact.H.transpose() * found.u).minCoeff(), -1e-9 * size);
  EXPECT_GE(found.lambda.minCoeff(), -1e-9 * size);
  if (impact.Theta.rows() > 0) {
    EXPECT_LE((impact.Theta * found.lambda).norm(), 1e-9 * size * impact.Theta.norm());
  }
}

// The third ball goes away with 0.6: along (1, 0) the second runs into it, and both take part.
TEST(EnergeticImpact, AContactThatSeparatesAlreadyHasAnAnswerForEachEnergy) {
  for (const double above : {0.0, 0.3, 1.0}) {
    EnergeticImpact impact = cradle(3, 1.0);
    impact.b[2] = 0.6;
    const double least = qp::solve(impact).least_ratio;
    EXPECT_NEAR(least, (0.5 + 0.36) / 1.36, 1e-12);
    impact.ratio = least + above * (1.0 - least);
    const EnergeticImpactResult found = qp::solve(impact);
    ASSERT_TRUE(found) << found.reason;
    expect_conditions(impact, found.solutions[0]);
  }
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  for (int repeat = 0; repeat < 60; ++repeat) {
    EnergeticImpact impact = cradle(5, 1.0);
    for (Index i = 0; i < 5; ++i) {
      impact.b[i] = normal(random);
      impact.M(i, i) = std::exp(normal(random));
    }
    const double least = qp::solve(impact).least_ratio;
    impact.ratio = 0.5 * (1.0 + least);
    const EnergeticImpactResult found = qp::solve(impact);
    ASSERT_TRUE(found) << found.reason;
    expect_conditions(impact, found.solutions[0]);
  }
}

// A mass between two walls: u = 0 is all that they allow.
TEST(EnergeticImpact, ContactsThatJamEachOtherHaveOneEnergy) {
  EnergeticImpact impact{
      .M = MatrixXd::Ones(1, 1), .H = Eigen::RowVector2d(1.0, -1.0), .b = VectorXd::Ones(1), .ratio = 0.5};
  const EnergeticImpactResult found = qp::solve(impact);
  ASSERT_EQ(found.status, Status::Infeasible) << found.reason;
  EXPECT_TRUE(qp::proves_no_impact(impact, found.proof));
  VectorXd wrong = found.proof;
  wrong[2] += 1.0;
  EXPECT_FALSE(qp::proves_no_impact(impact, wrong));
  impact.ratio = 0.0;
  EXPECT_FALSE(qp::proves_no_impact(impact, found.proof));
  const EnergeticImpactResult rests = qp::solve(impact);
  ASSERT_TRUE(rests) << rests.reason;
  EXPECT_NEAR(rests.solutions[0].u[0], 0.0, 1e-7);  // a double root: the square root of eps
}

// Four balls with (1, 0, 0, 0.4) and lambda_1 = 20 lambda_3: the conditions leave a triangle of (lambda_2, lambda_3)
// with the corners (21, 2) / 59, (18, 1.4) / 38 and (42, 4) / 85. Energies of 1.16: from 0.4305 in the first to 0.5199
// in the last, where u = (5, 38, 38, 38) / 85.
TEST(EnergeticImpact, ALawThatBoundsImpulsesEndsAtTheVertexOfMostEnergy) {
  EnergeticImpact impact = cradle(4, 0.5);
  impact.b[3] = 0.4;
  impact.Theta = Eigen::RowVector3d(1.0, 0.0, -20.0);
  EnergeticImpactResult found = qp::solve(impact);
  ASSERT_TRUE(found) << found.reason;
  expect_conditions(impact, found.solutions[0]);
  const double most = (25.0 + 3.0 * 1444.0) / 7225.0 / 1.16;
  impact.ratio = most + 1e-6;
  found = qp::solve(impact);
  EXPECT_EQ(found.status, Status::Infeasible) << found.reason;
  EXPECT_TRUE(qp::proves_no_impact(impact, found.proof));
  impact.ratio = most - 1e-6;
  EXPECT_FALSE(qp::proves_no_impact(impact, found.proof));
  found = qp::solve(impact);
  ASSERT_TRUE(found) << found.reason;
  expect_conditions(impact, found.solutions[0]);
  EXPECT_LE((found.solutions[0].u - Eigen::Vector4d(5.0, 38.0, 38.0, 38.0) / 85.0).norm(), 1e-4);  // 1e-6 by slopes
}

TEST(EnergeticImpact, RefusesWhatIsNone) {
  EnergeticImpact impact = cradle(2, 1.5);
  EXPECT_THROW((void)qp::solve(impact), InvalidArgument);
  impact = cradle(2, 1.0);
  impact.M(0, 0) = -1.0;
  EXPECT_THROW((void)qp::solve(impact), InvalidArgument);
  impact = cradle(2, 1.0);
  impact.b.setZero();
  EXPECT_THROW((void)qp::solve(impact), InvalidArgument);
  EXPECT_THROW((void)qp::proves_no_impact(cradle(2, 1.0), VectorXd::Zero(1)), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::energetic_impact_test
