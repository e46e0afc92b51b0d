// SPDX-License-Identifier: Apache-2.0
// Capsules, cylinders and cones on cylinders and cones as linked contacts: gaps against other ways to find them, what
// is taken and what is refused. Jacobians and curvature are those of shape_pairs.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <variant>

#include "kernel/bad_input.hpp"
#include "kernel/joint_bodies.hpp"
#include "shape_pair_cases.hpp"

namespace nonsmooth::crossed_shapes_test {
namespace {

using bad_input::expect_refused;
using Eigen::Vector3d;
using jointed::exponential;
using jointed::place;

const Capsule kRod{.radius = 0.1, .half_length = 0.6};
const Cylinder kBar{0.1, 0.6}, kPost{0.3, 0.5};
const Cone kHat{0.4, 0.9}, kCup{0.2, 1.1, 0.35};
constexpr double kQuarter = 1.5707963267948966;

/// One shape on a body at a place, another of the ground about its origin: the contact that is linked.
struct Pair {
  NonSmoothDynamicalSystem model;
  const MechanicalRelation* relation = nullptr;

  Pair(const Shape& shape, const Shape& ground) {
    const auto body = model.add(RigidBody{.name = "thing"});
    const auto linked =
        link_contacts(model, BodyContacts({{body, {{.shape = shape}}}}, {{.shape = ground}}, NewtonImpactLaw{}));
    EXPECT_EQ(linked.size(), 1u);
    relation = model.interactions()[linked[0].interaction.slot].mechanical;
  }
  [[nodiscard]] double gap(const Eigen::VectorXd& q) const {
    Eigen::VectorXd y = Eigen::VectorXd::Zero(1);
    relation->h(0.0, q, y);
    return y[0];
  }
  [[nodiscard]] Eigen::MatrixXd H(const Eigen::VectorXd& q) const {
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(1, 6);
    relation->H(0.0, q, H);
    return H;
  }
};

/// Anywhere about the origin.
struct Places {
  std::mt19937 random{11};
  [[nodiscard]] Vector3d vector(double size) {
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    const double x = number(random), y = number(random), z = number(random);
    return size * Vector3d(x, y, z);
  }
  [[nodiscard]] Eigen::VectorXd next() {
    const Vector3d at = vector(1.0);
    return place(at, exponential(vector(2.0)));
  }
};

TEST(CrossedShapes, GapsOfCapsulesAreTheLeastOfBallsAlongTheirAxes) {
  // 4000 balls along 1.2 m: between two, 1.5e-4 m off, a distance d of the axis changes by 1.1e-8 / d, 2e-7 from 0.05
  // on.
  Places places;
  for (const auto& frustum : {std::variant<Cylinder, Cone>(kPost), std::variant<Cylinder, Cone>(Cone{0.4, 0.9}),
                              std::variant<Cylinder, Cone>(Cone{0.4, 0.9, 0.2})}) {
    const Pair capsule(kRod, std::visit([](const auto& shape) { return Shape(shape); }, frustum));
    int compared = 0;
    for (int trial = 0; trial < 40; ++trial) {
      const Eigen::VectorXd q = places.next();
      const Vector3d axis = jointed::turned(q.tail<4>(), Vector3d::UnitZ());
      double least = std::numeric_limits<double>::infinity();
      const auto ball = make_relation(SphereOnFrustum{.sphere = {.radius = kRod.radius}, .frustum = frustum});
      for (int k = 0; k <= 4000; ++k) {
        Eigen::VectorXd y = Eigen::VectorXd::Zero(1);
        ball->h(0.0, place(q.head<3>() + (k / 2000.0 - 1.0) * kRod.half_length * axis), y);
        least = std::min(least, y[0]);
      }
      EXPECT_LE(capsule.gap(q), least + 1e-14) << q.transpose();
      if (least + kRod.radius < 0.05) continue;
      EXPECT_NEAR(capsule.gap(q), least, 3e-7) << q.transpose();
      ++compared;
    }
    EXPECT_GE(compared, 20);
  }
}

TEST(CrossedShapes, GapsOfSidesAreThoseOfContactsThatAreFound) {
  // Where lines of both sides cross inside of both, their distance is what the narrow phase finds by closest points
  // (to 1e-13 of sizes of 1 m) wherever they are apart. Normals of the narrow phase beside a circle: to 1e-15 / 1e-3.
  using Solid = std::variant<Cylinder, Cone>;
  for (const auto& [own, other] :
       {std::pair<Solid, Solid>(kBar, kPost), std::pair<Solid, Solid>(kBar, kHat), std::pair<Solid, Solid>(kCup, kPost),
        std::pair<Solid, Solid>(kCup, kHat), std::pair<Solid, Solid>(kHat, kHat)}) {
    const auto shape_of = [](const Solid& solid) {
      return std::visit([](const auto& of) { return Shape(of); }, solid);
    };
    const auto frustum_of = [](const Solid& solid) {
      return std::visit([](const auto& of) { return narrow_phase::frustum_of(of); }, solid);
    };
    const auto high = [](const Solid& solid) { return solid.index() == 1 ? 0.5 * std::get<Cone>(solid).height : 0.0; };
    const auto sine = [](const Frustum& of) {
      return (of.radii[0] - of.radii[1]) / std::hypot(of.radii[0] - of.radii[1], 2.0 * of.half);
    };
    const Pair pair(shape_of(own), shape_of(other));
    const auto one = frustum_of(own), two = frustum_of(other);
    Places places;
    int apart = 0, crossed = 0;
    for (int trial = 0; trial < 400; ++trial) {
      Eigen::VectorXd q = places.next();
      q[2] += high(other);
      const auto axis = [&](const Vector3d& e) { return jointed::turned(q.tail<4>(), e); };
      const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
      narrow_phase::Patch patch;
      narrow_phase::find_contacts({one.get(), q.head<3>() + high(own) * axis(z), axis(z), axis(x), axis(y)},
                                  {two.get(), high(other) * z, z, x, y}, 10.0, patch);
      ASSERT_GE(patch.size(), 1u);
      const auto* const best =
          std::min_element(patch.begin(), patch.end(), [](const auto& a, const auto& b) { return a.gap < b.gap; });
      if (best->gap < 1e-3) continue;
      ++apart;
      EXPECT_NEAR(pair.gap(q), best->gap, 1e-12) << q.transpose();
      EXPECT_LE((pair.H(q).leftCols<3>().transpose() - best->normal).norm(), 1e-11) << q.transpose();
      // A normal of both sides: of lines that cross.
      const double off = std::abs(best->normal.dot(axis(z)) + sine(*one)) + std::abs(best->normal[2] - sine(*two));
      crossed += off < 1e-9 ? 1 : 0;
    }
    EXPECT_GE(apart, 150);
    EXPECT_GE(crossed, 15);
  }
}

TEST(CrossedShapes, SidesThatOverlapAreAsDeepAsTheyCameNearer) {
  // Along the normal of sides that cross, y falls by the way: apart, touching, overlapping, with one H. Where they have
  // passed one another they are apart again.
  const Pair pair(kHat, kPost);
  const Eigen::Vector4d turn = exponential({1.2, 0.0, 0.0});
  const Eigen::VectorXd far = place({0.74, 0.69, -0.1}, turn);
  const Vector3d n = pair.H(far).leftCols<3>().transpose();
  const double gap = pair.gap(far);
  ASSERT_GT(gap, 0.1);
  for (const double y : {1e-3, 0.0, -1e-12, -1e-3, -0.05}) {
    const Eigen::VectorXd at = place(far.head<3>() - (gap - y) * n, turn);
    EXPECT_NEAR(pair.gap(at), y, 1e-14);
    EXPECT_LE((pair.H(at).leftCols<3>().transpose() - n).norm(), 1e-14);
  }
  Places places;
  for (int trial = 0; trial < 100; ++trial) {
    const Eigen::VectorXd past = place(far.head<3>() - (gap + 1.6) * n + places.vector(0.1), turn);
    EXPECT_GT(pair.gap(past), 0.0);
  }
}

TEST(CrossedShapes, LinesThatTouchAreRefusedWhereTheyDo) {
  const Vector3d beside(0.4, 0.0, 0.1);
  const Eigen::Vector4d level = exponential({kQuarter, 0.0, 0.0});
  const Pair rod(kRod, kPost), bar(kBar, kPost);
  for (const Pair* pair : {&rod, &bar}) {
    // Side by side: apart there is a normal.
    EXPECT_NEAR(pair->H(place(beside + 1e-3 * Vector3d::UnitX()))(0, 0), 1.0, 1e-12);
    EXPECT_NEAR(pair->gap(place(beside)), 0.0, 1e-15);
    // Across the side: one point, whether it touches or not.
    for (const double in : {-1e-3, 0.0, 1e-3})
      EXPECT_NEAR(pair->H(place(beside + in * Vector3d::UnitX(), level))(0, 0), 1.0, 1e-12);
  }
  expect_refused([&] { (void)rod.H(place(beside)); }, {"a capsule on a cylinder or cone", "along a line or an end"});
  expect_refused([&] { (void)bar.H(place(beside)); }, {"a cylinder or cone on a cylinder or cone", "a line of a side"});
  // Along an end, 0.5 m up, a capsule lies on a line of it; on a rim it touches in a point.
  expect_refused([&] { (void)rod.H(place({0.0, 0.0, 0.6}, level)); }, {"a capsule on a cylinder or cone"});
  EXPECT_NO_THROW((void)rod.H(place({0.0, 0.0, 0.6}, exponential({kQuarter - 0.1, 0.0, 0.0}))));
  // A bar that stands on its end.
  expect_refused([&] { (void)bar.H(place({0.0, 0.0, 1.1})); }, {"a cylinder or cone on a cylinder or cone", "an end"});
}

TEST(CrossedShapes, TheGroundMayHaveTheCapsule) {
  // A post turned about x over a capsule of the ground along z.
  const Pair post(kPost, kRod);
  const Eigen::VectorXd q = place({0.5, 0.0, 0.0}, exponential({kQuarter, 0.0, 0.0}));
  EXPECT_NEAR(post.gap(q), 0.1, 1e-15);
  EXPECT_NEAR(post.H(q)(0, 0), 1.0, 1e-15);
}

TEST(CrossedShapes, ConesThatTouchByARimOrTheTipAreRefused) {
  // A tip on the side of a post, 0.3 off its axis; a base on its end, 0.5 up.
  const Pair hat(kHat, kPost);
  for (const auto& [at, turn] : {std::pair(Vector3d(0.3 + kHat.height, 0.0, 0.0), Vector3d(0.0, -kQuarter, 0.0)),
                                 std::pair(Vector3d(0.0, 0.0, 0.5), Vector3d(0.0, 0.0, 0.0))}) {
    const Eigen::VectorXd q = place(at, exponential(turn));
    EXPECT_NEAR(hat.gap(q), 0.0, 1e-12);
    expect_refused([&, own = q] { (void)hat.H(own); }, {"a cylinder or cone on a cylinder or cone", "a tip"});
  }
}

}  // namespace
}  // namespace nonsmooth::crossed_shapes_test
