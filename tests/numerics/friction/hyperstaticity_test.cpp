// SPDX-License-Identifier: Apache-2.0
// Two contacts at one point of one body, W = (I I; I I): the sum of the reactions is given, its parts are not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction.hpp>
#include <problems/mixed.hpp>

namespace nonsmooth::hyperstaticity_test {
namespace {

using Eigen::VectorXd;

// Dykstra stops at changes of 1e-10 of |r| <= 2; linear convergence leaves some hundred times that.
constexpr double smallest = 1e-8;

friction::Problem twins(const BlockSet& first, const BlockSet& second, const VectorXd& q) {
  const Index n = q.size();
  Eigen::MatrixXd W(2 * n, 2 * n);
  W << Eigen::MatrixXd::Identity(n, n), Eigen::MatrixXd::Identity(n, n), Eigen::MatrixXd::Identity(n, n),
      Eigen::MatrixXd::Identity(n, n);
  VectorXd twice(2 * n);
  twice << q, q;
  return problems::mixed_from_dense(W, twice, {{first, n}, {second, n}});
}

/// Solves, and checks the dimension and the smallest reactions of the two contacts.
void expect(const friction::Problem& problem, Index dimension, const VectorXd& first, const VectorXd& second) {
  const auto result = friction::solve(problem, friction::Automatic{.tolerance = 1e-12, .hyperstaticity = true});
  ASSERT_TRUE(result.ok()) << result.message();
  ASSERT_TRUE(result.hyperstaticity.has_value());
  EXPECT_EQ(result.hyperstaticity->nullspace_dimension, dimension);
  VectorXd both(first.size() + second.size()), u(both.size());
  both << first, second;
  const VectorXd& r = result.hyperstaticity->minimum_norm_r;
  EXPECT_LE((r - both).lpNorm<Eigen::Infinity>(), smallest) << r.transpose();
  // The same of the free function, whatever solution it is given; and it is a solution.
  const auto again = friction::hyperstaticity(problem, r, result.u);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->nullspace_dimension, dimension);
  EXPECT_LE((again->minimum_norm_r - both).lpNorm<Eigen::Infinity>(), smallest);
  EXPECT_LE(mixed::certify(problem, r, u).residual, 1e-7);  // W of norm 2 times the error above
}

constexpr double mu = 0.5, rolling = 0.2, spinning = 0.1;
const BlockSet wheel{.kind = SetKind::Rolling, .mu = mu, .rolling = rolling};
const BlockSet all{.kind = SetKind::Rolling, .mu = mu, .rolling = rolling, .spinning = spinning};

TEST(Hyperstaticity, RollingContactsAtRest) {
  const Eigen::Vector3d q(-1.0, 0.1, 0.05), half = -0.5 * q;
  expect(twins(wheel, wheel, q), 3, half, half);
  VectorXd whole(6);
  whole << -1.0, 0.1, -0.1, 0.05, 0.02, 0.03;
  expect(twins(all, all, whole), 6, -0.5 * whole, -0.5 * whole);
}

// r_T = -mu r_N where it slides, r_R = -rolling r_N where it rolls: those rows follow r_N, the others are free.
TEST(Hyperstaticity, RollingContactsThatSlideOrRoll) {
  expect(twins(wheel, wheel, Eigen::Vector3d(-1.0, 2.0, 0.05)), 2, Eigen::Vector3d(0.5, -0.25, -0.025),
         Eigen::Vector3d(0.5, -0.25, -0.025));
  expect(twins(wheel, wheel, Eigen::Vector3d(-1.0, 0.1, 1.0)), 2, Eigen::Vector3d(0.5, -0.05, -0.1),
         Eigen::Vector3d(0.5, -0.05, -0.1));
  expect(twins(wheel, wheel, Eigen::Vector3d(-1.0, 2.0, 1.0)), 1, Eigen::Vector3d(0.5, -0.25, -0.1),
         Eigen::Vector3d(0.5, -0.25, -0.1));
  VectorXd q(6), half(6);
  q << -1.0, 3.0, 4.0, 0.02, 0.0, 1.0;  // slides along (0.6, 0.8), spins, does not roll: r_N with T and S, R1, R2
  half << 0.5, -0.15, -0.2, -0.01, 0.0, -0.05;
  expect(twins(all, all, q), 3, half, half);
}

TEST(Hyperstaticity, OpenContactsAndRowsWithoutFriction) {
  expect(twins(wheel, wheel, Eigen::Vector3d(1.0, 2.0, 0.0)), 0, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero());
  const BlockSet smooth{.kind = SetKind::Coulomb3D};
  expect(twins(smooth, smooth, Eigen::Vector3d(-1.0, 0.0, 0.0)), 1, Eigen::Vector3d(0.5, 0.0, 0.0),
         Eigen::Vector3d(0.5, 0.0, 0.0));
  // Rows of an orthant are contacts of their own: one closed, one open.
  const BlockSet orthant{.kind = SetKind::Orthant};
  expect(twins(orthant, orthant, Eigen::Vector2d(-1.0, 1.0)), 1, Eigen::Vector2d(0.5, 0.0), Eigen::Vector2d(0.5, 0.0));
}

// Halves would be outside the cone of the second contact, r_T2 <= 0.1 r_N2. With b = r_N2 and r_T2 = 0.1 b the square
// (1 - b)^2 + b^2 + (0.2 - 0.1 b)^2 + (0.1 b)^2 is smallest at b = 2.04 / 4.04.
TEST(Hyperstaticity, SmallestReactionOnTheBoundaryOfACone) {
  const double b = 2.04 / 4.04;
  expect(twins({.kind = SetKind::Coulomb2D, .mu = 0.5}, {.kind = SetKind::Coulomb2D, .mu = 0.1},
               Eigen::Vector2d(-1.0, -0.2)),
         2, Eigen::Vector2d(1.0 - b, 0.2 - 0.1 * b), Eigen::Vector2d(b, 0.1 * b));
}

TEST(Hyperstaticity, EllipticAndCohesiveContacts) {
  const BlockSet elliptic{.kind = SetKind::Coulomb3D, .mu = 0.6, .mu_2 = 0.3};
  expect(twins(elliptic, elliptic, Eigen::Vector3d(-1.0, 0.1, 0.1)), 3, Eigen::Vector3d(0.5, -0.05, -0.05),
         Eigen::Vector3d(0.5, -0.05, -0.05));
  const BlockSet cohesive{.kind = SetKind::Coulomb2D, .mu = 0.5, .cohesion = 0.3};  // pulled, and held
  expect(twins(cohesive, cohesive, Eigen::Vector2d(0.2, 0.05)), 2, Eigen::Vector2d(-0.1, -0.025),
         Eigen::Vector2d(-0.1, -0.025));
}

/// `count` contacts in a row, W = I, neighbours coupled by zeros or by nothing.
friction::Problem row_of_contacts(Index count, bool coupled) {
  friction::Problem problem;
  problem.W.begin_pattern(std::vector<Index>(static_cast<std::size_t>(count), 3));
  for (Index i = 0; i < count; ++i) {
    for (Index j = std::max<Index>(i - 1, 0); j <= std::min(i + 1, count - 1); ++j)
      if (coupled || i == j) problem.W.insert(j);
    problem.W.next_row();
    problem.K.push_back({.kind = SetKind::Coulomb3D, .mu = 0.5}, 3);
  }
  problem.W.end_pattern();
  for (Index i = 0; i < count; ++i) problem.W.block(i, problem.W.diagonal(i)).setIdentity();
  problem.q = Eigen::Vector3d(-1.0, 0.0, 0.0).replicate(count, 1);
  return problem;
}

TEST(Hyperstaticity, IslandsOneByOneOrOneLargeOne) {
  constexpr Index count = 1001;  // 3003 closed rows: sparse factors where they hang together
  const VectorXd u = VectorXd::Zero(3 * count);
  for (const bool coupled : {false, true}) {
    const auto problem = row_of_contacts(count, coupled);
    const VectorXd r = -problem.q;
    const auto found = friction::hyperstaticity(problem, r, u);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->nullspace_dimension, 0);
    EXPECT_EQ(found->minimum_norm_r, r);
  }
}

TEST(Hyperstaticity, NothingWhereItCannotBeTold) {
  constexpr Index large = 33'334;  // 100,002 closed rows
  const auto chain = row_of_contacts(large, true);
  EXPECT_FALSE(friction::hyperstaticity(chain, -chain.q, VectorXd::Zero(3 * large)).has_value());
  auto unsymmetric = row_of_contacts(1001, true);
  unsymmetric.W.block(0, unsymmetric.W.find(0, 1))(0, 0) = 0.1;
  EXPECT_FALSE(friction::hyperstaticity(unsymmetric, -unsymmetric.q, VectorXd::Zero(3003)).has_value());
}

/// `joints` bodies in a row on springs, each joined to the next by two contacts at one point: W = D D^T for each
/// coordinate, D the differences of neighbours, every row of it twice.
friction::Problem row_of_double_joints(Index joints) {
  friction::Problem problem;
  problem.W.begin_pattern(std::vector<Index>(static_cast<std::size_t>(2 * joints), 3));
  const auto neighbours = [&](Index i) {
    return std::pair(2 * std::max<Index>(i / 2 - 1, 0), 2 * std::min(i / 2 + 2, joints));
  };
  for (Index i = 0; i < 2 * joints; ++i) {
    for (Index j = neighbours(i).first; j < neighbours(i).second; ++j) problem.W.insert(j);
    problem.W.next_row();
    problem.K.push_back({.kind = SetKind::Coulomb3D, .mu = 0.5}, 3);
  }
  problem.W.end_pattern();
  for (Index i = 0; i < 2 * joints; ++i)
    for (Index k = problem.W.row_begin(i); k < problem.W.row_begin(i + 1); ++k)
      problem.W.block(i, k) = Eigen::Matrix3d::Identity() * (problem.W.column(k) / 2 == i / 2 ? 2.0 : -1.0);
  return problem;
}

TEST(Hyperstaticity, ALargeIslandOfDoubleContacts) {
  constexpr Index joints = 520;  // 3120 closed rows, half of them needless
  auto problem = row_of_double_joints(joints);
  VectorXd r(6 * joints), half(6 * joints);
  for (Index j = 0; j < joints; ++j) {
    const double share = 0.5 + 0.3 * std::sin(static_cast<double>(j));
    const Eigen::Vector3d sum(1.0 + 0.1 * std::cos(static_cast<double>(j)), 0.1, -0.2);
    r.segment(6 * j, 3) = share * sum;
    r.segment(6 * j + 3, 3) = (1.0 - share) * sum;
    half.segment(6 * j, 3) = half.segment(6 * j + 3, 3) = 0.5 * sum;
  }
  VectorXd u(6 * joints);
  problem.W.multiply_add(r, VectorXd::Zero(6 * joints), u);
  problem.q = -u;  // it rests
  const auto found = friction::hyperstaticity(problem, r, VectorXd::Zero(6 * joints));
  ASSERT_TRUE(found.has_value());
  // Five standard deviations of the estimate, the root of an eighth of the dimension each.
  EXPECT_NEAR(static_cast<double>(found->nullspace_dimension), 3.0 * joints, 5.0 * std::sqrt(3.0 * joints / 8.0));
  // Found to 1e-5 |r|.
  EXPECT_LE((found->minimum_norm_r - half).norm(), 1e-5 * r.norm());
  EXPECT_LE(mixed::certify(problem, found->minimum_norm_r, u).residual, 1e-8);
}

TEST(Hyperstaticity, RefusesWhatItIsNotFor) {
  const auto problem = twins(wheel, wheel, Eigen::Vector3d(-1.0, 0.0, 0.0));
  const VectorXd six = VectorXd::Zero(6), five = VectorXd::Zero(5);
  EXPECT_THROW((void)friction::hyperstaticity(problem, five, six), InvalidArgument);
  EXPECT_THROW((void)friction::hyperstaticity(problem, six, five), InvalidArgument);
  EXPECT_THROW((void)friction::hyperstaticity(problem, six, six, 0.0), InvalidArgument);
  const BlockSet box{.kind = SetKind::Box, .lower = 0.0, .upper = 1.0};
  EXPECT_THROW((void)friction::hyperstaticity(twins(box, box, Eigen::Vector3d(-1.0, 0.0, 0.0)), six, six),
               InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::hyperstaticity_test
