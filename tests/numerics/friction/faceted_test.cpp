// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/faceted.hpp>
#include <nonsmooth/numerics/friction/planar_lcp.hpp>
#include <problems/mixed.hpp>

namespace nonsmooth::faceted_test {
namespace {

using friction::Faceted;
using problems::Block;
using std::numbers::pi;

constexpr double mu = 0.3;
const Block contact{{.kind = SetKind::Coulomb3D, .mu = mu}, 3};

/// A unit mass pressed on the floor by 1 that slides at `speed` in the direction `angle`.
friction::Problem sliding(double angle, double speed = 1.0) {
  return problems::mixed_from_dense(Eigen::Matrix3d::Identity(),
                                    Eigen::Vector3d(-1.0, speed * std::cos(angle), speed * std::sin(angle)), {contact});
}

struct Errors {
  double direction = 0.0;          // [rad], the largest
  double least = 2.0, most = 0.0;  // braking along the velocity over mu r_N
};

/// Over many directions of sliding. The round cone brakes by exactly mu r_N against the velocity.
Errors errors_of(Index facets, Faceted::Cone cone) {
  Errors errors;
  for (int k = 0; k < 96; ++k) {
    const double angle = 2.0 * pi * (k + 0.25) / 96.0;
    // Fast: a slow velocity between two corners is turned to between them within the step.
    const auto result = friction::solve(sliding(angle, 20.0), Faceted{.facets = facets, .cone = cone});
    const double along = -(result.r[1] * std::cos(angle) + result.r[2] * std::sin(angle));
    const double across = -(result.r[2] * std::cos(angle) - result.r[1] * std::sin(angle));
    EXPECT_NEAR(result.r[0], 1.0, 1e-12);
    errors.direction = std::max(errors.direction, std::abs(std::atan2(across, along)));
    errors.least = std::min(errors.least, along / mu);
    errors.most = std::max(errors.most, along / mu);
    // Certified against the round cone: Solved would be wrong by far.
    EXPECT_EQ(result.status, Status::Stalled);
    EXPECT_GT(result.certificate.residual, 1e-5);
  }
  return errors;
}

// The weakness of faceting. A mass that slides brakes along the corner nearest to its velocity: the direction is wrong
// by up to pi / k, the braking by up to 1 - cos(pi / k) = O(1 / k^2); both depend on the direction of sliding.
TEST(Faceted, BrakesAnisotropically) {
  double previous_direction = 0.0, previous_braking = 0.0;
  for (const Index k : {4, 8, 16}) {
    const double angle = pi / static_cast<double>(k);
    const Errors inner = errors_of(k, Faceted::Cone::Inner), outer = errors_of(k, Faceted::Cone::Outer);
    // 96 directions offset by a quarter step miss the worst one by at most a step, 2 pi / 96.
    EXPECT_LE(inner.direction, angle + 1e-9);
    EXPECT_GE(inner.direction, angle - 2.0 * pi / 96.0);
    EXPECT_GE(inner.least, std::cos(angle) - 1e-9);
    EXPECT_LE(inner.most, 1.0 + 1e-9);
    EXPECT_GE(outer.least, 1.0 - 1e-9);
    EXPECT_LE(outer.most, 1.0 / std::cos(angle) + 1e-9);
    EXPECT_GT(outer.most - outer.least, 0.5 * (1.0 / std::cos(angle) - 1.0));
    if (previous_direction > 0.0) {
      // Orders 1 and 2: halved and quartered by twice the facets, up to the step between the directions tried.
      EXPECT_NEAR(previous_direction / inner.direction, 2.0, 0.3);
      EXPECT_NEAR(previous_braking / (1.0 - inner.least), 4.0, 1.0);
    }
    previous_direction = inner.direction;
    previous_braking = 1.0 - inner.least;
  }
}

// The path of a mass thrown at 20 degrees: straight on a round cone; a pyramid turns it towards the bisector of its
// corners, since it brakes along one axis only until both components are equal.
TEST(Faceted, BendsAStraightPath) {
  const double start = pi / 9.0;
  double turned[2];
  for (const int i : {0, 1}) {
    double v[2] = {5.0 * std::cos(start), 5.0 * std::sin(start)};
    for (int step = 0; step < 9; ++step) {
      const auto problem = sliding(std::atan2(v[1], v[0]), std::hypot(v[0], v[1]));
      const auto result = friction::solve(problem, Faceted{.facets = i == 0 ? 4 : 32});
      v[0] = result.u[1], v[1] = result.u[2];
    }
    turned[i] = std::abs(std::atan2(v[1], v[0]) - start);
  }
  // Four corners: v_x falls from 4.70 by 0.3 a step to 2.0, v_y stays 1.71: atan(1.71 / 2.0) = 40.5 degrees.
  EXPECT_NEAR(turned[0], std::atan2(5.0 * std::sin(start), 5.0 * std::cos(start) - 9.0 * mu) - start, 1e-9);
  // 32 corners: the velocity turns to within half a facet of the bisector nearest by, pi / 32.
  EXPECT_LE(turned[1], pi / 32.0);
}

// Sliding along a corner, sticking and taking off are exact.
TEST(Faceted, IsExactWhereTheFacetsDoNotMatter) {
  for (const auto cone : {Faceted::Cone::Inner, Faceted::Cone::Outer}) {
    EXPECT_EQ(friction::solve(sliding(1.0, 0.1), Faceted{.cone = cone}).status, Status::Solved);
    auto open = sliding(0.5);
    open.q[0] = 1.0;
    const auto result = friction::solve(open, Faceted{.cone = cone});
    EXPECT_EQ(result.status, Status::Solved);
    EXPECT_TRUE(result.r.isZero(0.0));
  }
  const auto along = friction::solve(sliding(0.5 * pi), Faceted{.facets = 4});
  ASSERT_EQ(along.status, Status::Solved) << along.message();
  EXPECT_NEAR(along.r[2], -mu, 1e-14);
}

// Many contacts with bilateral and frictionless rows: the residual of the round cone falls with the facets.
TEST(Faceted, ApproachesTheRoundCone) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto planted = problems::planted_mixed(
        5, {SetKind::Coulomb3D, SetKind::Coulomb2D, SetKind::Orthant, SetKind::Free}, seed, 2.0);
    for (const auto cone : {Faceted::Cone::Inner, Faceted::Cone::Outer}) {
      double coarse = 0.0, fine = 0.0;
      for (const Index facets : {4, 32}) {
        const auto result = friction::solve(planted.problem, Faceted{.facets = facets, .cone = cone});
        ASSERT_TRUE(result.status == Status::Stalled || result.ok()) << result.message();
        (facets == 4 ? coarse : fine) = (result.r - planted.r).lpNorm<Eigen::Infinity>();
      }
      // Directions are right to pi / facets: 0.1 at 32, of reactions of at most 1, W^-1 of norm at most 1/2.
      EXPECT_LE(fine, 0.15) << seed;
      EXPECT_LE(fine, coarse + 1e-12) << seed;
    }
  }
}

TEST(Faceted, IsExactInThePlane) {
  const auto problem = problems::disk_pile(4, 3, 0.4);
  const auto faceted = friction::solve(problem, Faceted{}), planar = friction::solve(problem, friction::PlanarLcp{});
  ASSERT_EQ(faceted.status, Status::Solved) << faceted.message();
  EXPECT_EQ(faceted.r, planar.r);
}

// A floor without compliance in the normal direction, struck at 1: no reaction stops it.
TEST(Faceted, ProvesInfeasibility) {
  Eigen::Matrix3d W = Eigen::Matrix3d::Identity();
  W(0, 0) = 0.0;
  const auto problem = problems::mixed_from_dense(W, Eigen::Vector3d(-1.0, 0.2, 0.1), {contact});
  for (const auto cone : {Faceted::Cone::Inner, Faceted::Cone::Outer}) {
    const auto result = friction::solve(problem, Faceted{.cone = cone});
    ASSERT_EQ(result.status, Status::Infeasible) << result.message();
    ASSERT_EQ(result.proof.size(), 3);
    EXPECT_GT(result.proof[0], 0.0);
    EXPECT_EQ(result.proof.tail(2), Eigen::Vector2d::Zero());
  }
}

// Elliptic and rolling blocks by their canonical forms: sticking ones are answered exactly.
TEST(Faceted, TakesEveryFrictionSet) {
  const Block elliptic{{.kind = SetKind::Coulomb3D, .mu = 0.5, .mu_2 = 0.2}, 3};
  auto problem = problems::mixed_from_dense(Eigen::Matrix3d::Identity(), Eigen::Vector3d(-1.0, 0.2, 0.05), {elliptic});
  EXPECT_EQ(friction::solve(problem, Faceted{}).status, Status::Solved);
  const Block rolling{{.kind = SetKind::Rolling, .mu = 0.5, .rolling = 0.1}, 5};
  Eigen::VectorXd q(5);
  q << -1.0, 0.1, 0.1, 0.01, 0.02;
  problem = problems::mixed_from_dense(Eigen::MatrixXd::Identity(5, 5), q, {rolling});
  const auto result = friction::solve(problem, Faceted{.facets = 16});
  ASSERT_EQ(result.status, Status::Solved) << result.message();
  EXPECT_LE((result.r + q).lpNorm<Eigen::Infinity>(), 1e-13);
}

TEST(Faceted, RefusesBadInput) {
  EXPECT_THROW((void)friction::solve(sliding(0.1), Faceted{.facets = 2}), InvalidArgument);
  EXPECT_THROW((void)friction::solve(sliding(0.1), Faceted{.tolerance = -1.0}), InvalidArgument);
  EXPECT_THROW((void)friction::solve(sliding(0.1), Faceted{.time_limit = std::numeric_limits<double>::quiet_NaN()}),
               InvalidArgument);
  const auto box = problems::mixed_from_dense(Eigen::MatrixXd::Identity(1, 1), Eigen::VectorXd::Ones(1),
                                              {{{.kind = SetKind::Box, .lower = -1.0, .upper = 1.0}, 1}});
  EXPECT_THROW((void)friction::solve(box, Faceted{}), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::faceted_test
