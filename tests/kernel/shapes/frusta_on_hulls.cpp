// SPDX-License-Identifier: Apache-2.0
// Cylinders and cones on boxes and polyhedra as interactions: the least gap of rims, tips and edges against the narrow
// phase, apart and overlapping, gaps that are not below zero of shapes that are apart, what is refused. Jacobians and
// curvature are those of shape_pairs.cpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "contact/narrow_phase/frustum.hpp"
#include "frusta.hpp"
#include "kernel/bad_input.hpp"
#include "kernel/joint_bodies.hpp"
#include "linked_pair.hpp"

namespace nonsmooth::frusta_on_hulls_test {
namespace {

using bad_input::expect_refused;
using Eigen::Vector3d;
using jointed::exponential;
using jointed::place;

/// The narrow phase has its distances to 1e-13 of sizes of about 1 m, and to 2e-12 where shapes just touch.
constexpr double kDistance = 1e-12;
/// What ends stand on, points and vertices, is 1e-6 radii of at most 0.4 m early, and 1e-3 radii beside the rim.
constexpr double kEarly = 1e-6;

using Solid = std::variant<Cylinder, Cone>;
const Solid kPost = Cylinder{0.3, 0.5}, kCoin = Cylinder{0.4, 0.02}, kHat = Cone{0.4, 0.9}, kCup = Cone{0.2, 0.7, 0.35};
const Shape kBrick = Box{{0.5, 0.3, 0.2}}, kPin = Box{{0.05, 0.04, 0.6}};
const Shape kGem = ConvexPolyhedron(
    {{0.4, 0.0, 0.0}, {-0.4, 0.0, 0.0}, {0.0, 0.3, 0.1}, {0.1, -0.4, 0.0}, {0.0, 0.0, 0.5}, {0.0, 0.1, -0.3}});

std::shared_ptr<const Hull> hull_of(const Shape& shape) {
  if (const auto* box = std::get_if<Box>(&shape)) return narrow_phase::box_hull(box->half_extents);
  return std::get<ConvexPolyhedron>(shape).hull();
}

/// A cylinder or cone on a body, a box or polyhedron on another or, turned round, the other way.
struct Two : linked_pair::LinkedPair {
  std::shared_ptr<const Frustum> frustum;
  std::shared_ptr<const Hull> hull;
  narrow_phase::PatchPoint closest;  ///< from the polyhedron to the cylinder or cone

  Two(const Solid& solid, const Shape& shape, const Eigen::VectorXd& of_solid, const Eigen::VectorXd& of_shape)
      : frustum(std::visit([](const auto& own) { return narrow_phase::frustum_of(own); }, solid)),
        hull(hull_of(shape)) {
    std::vector<BodyShapes> bodies;
    for (const auto& [at, own] : {std::pair(of_solid, std::visit([](const auto& one) { return Shape(one); }, solid)),
                                  std::pair(of_shape, shape)})
      bodies.push_back({model.add(RigidBody{.position = at.head<3>(), .orientation = at.tail<4>()}), {{.shape = own}}});
    contacts = link_contacts(model, BodyContacts(bodies, {}, NewtonImpactLaw{}));
    q << of_shape, of_solid;  // links are of the polyhedron first
    const auto turn_of = [](const Eigen::VectorXd& at) {
      return Eigen::Quaterniond(at[3], at[4], at[5], at[6]).toRotationMatrix();
    };
    const Eigen::Matrix3d turn = turn_of(of_solid), other = turn_of(of_shape);
    const double high = solid.index() == 1 ? frustum->half : 0.0;
    narrow_phase::PlacedHull placed;
    placed.place(*hull, 0.0, other, of_shape.head<3>() + other * hull->middle);
    narrow_phase::Patch patch;
    narrow_phase::find_contacts(frusta::frustum_at(*frustum, of_solid.head<3>() + high * turn.col(2), turn), placed,
                                10.0, patch);
    closest = *std::min_element(patch.begin(), patch.end(), [](const auto& a, const auto& b) { return a.gap < b.gap; });
  }
  /// What an end stands on is early by kEarly radii.
  [[nodiscard]] bool is_early(const LinkedContact& contact) const {
    return name(contact).find("standing") != std::string::npos || name(contact).find("at vertex") != std::string::npos;
  }
  /// Of rims, tips and edges.
  [[nodiscard]] const LinkedContact& least() const {
    const LinkedContact* found = nullptr;
    for (const LinkedContact& contact : contacts) {
      if (!is_early(contact) && (found == nullptr || gap(contact) < gap(*found))) found = &contact;
    }
    return *found;
  }
};

Eigen::VectorXd somewhere(frusta::Random& random, double size) {
  const Vector3d at = random.vector(size);
  return place(at, exponential(random.vector(3.0)));
}

TEST(FrustaOnHulls, TheLeastGapIsTheDistanceWhereverTheyAreApart) {
  frusta::Random random(5);
  int apart = 0, of_ends = 0, of_edges = 0;
  for (const Solid& solid : {kPost, kCoin, kHat, kCup}) {
    for (const Shape& shape : {kBrick, kPin, kGem}) {
      for (int trial = 0; trial < 60; ++trial) {
        const Two two(solid, shape, somewhere(random, 1.0), somewhere(random, 0.3));
        if (two.closest.gap < 1e-3) continue;
        ++apart;
        const LinkedContact& least = two.least();
        EXPECT_NEAR(two.gap(least), two.closest.gap, kDistance) << trial << " " << two.name(least);
        // Links are from the cylinder or cone to the polyhedron. Normals beside a circle: to 1e-15 / 1e-3.
        EXPECT_LE((two.H(least).leftCols<3>().transpose() + two.closest.normal).norm(), 1e-11) << two.name(least);
        (two.name(least).find("at end") != std::string::npos ? of_ends : of_edges) += 1;
        for (const LinkedContact& contact : two.contacts)
          EXPECT_GT(two.gap(contact), two.closest.gap - 1.001 * kEarly) << two.name(contact);
      }
    }
  }
  EXPECT_GT(apart, 400);
  EXPECT_GT(of_ends, 100);
  EXPECT_GT(of_edges, 100);
}

TEST(FrustaOnHulls, OverlapIsTheDepthOfTheNarrowPhase) {
  // From where a rim or an edge is nearest, as much nearer that they overlap by 1e-3: what it has is minus the depth,
  // but where another feature separates more.
  frusta::Random random(9);
  int compared = 0;
  for (const Solid& solid : {kPost, kCoin, kHat, kCup}) {
    for (const Shape& shape : {kBrick, kGem}) {
      for (int trial = 0; trial < 30; ++trial) {
        const Eigen::VectorXd of_solid = somewhere(random, 1.0), of_shape = somewhere(random, 0.3);
        const Two before(solid, shape, of_solid, of_shape);
        if (before.closest.gap < 1e-3) continue;
        Eigen::VectorXd nearer = of_solid;
        nearer.head<3>() -= (before.closest.gap + 1e-3) * before.closest.normal;
        const Two after(solid, shape, nearer, of_shape);
        if ((after.closest.normal - before.closest.normal).norm() > 1e-9) continue;
        ++compared;
        const auto least = &before.least() - before.contacts.data();
        EXPECT_NEAR(after.gap(after.contacts[static_cast<std::size_t>(least)]), after.closest.gap, 2.0 * kDistance)
            << trial << " " << before.name(before.least());
      }
    }
  }
  EXPECT_GT(compared, 60);
}

TEST(FrustaOnHulls, EachIsNamed) {
  const Eigen::VectorXd here = place(Vector3d::Zero(), {1.0, 0.0, 0.0, 0.0}),
                        there = place({3.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0});
  const Two post(kPost, kBrick, here, there), hat(kHat, kGem, here, there);
  EXPECT_EQ(post.contacts.size(), 2u * 5u + 8u + 12u);
  EXPECT_EQ(hat.contacts.size(), 5u + 1u + 6u + hat.hull->edges.size());
  EXPECT_NE(post.name(post.contacts[0]).find("at end 0"), std::string::npos);
  EXPECT_NE(post.name(post.contacts[4]).find("at end 0, standing on point 3"), std::string::npos);
  EXPECT_NE(post.name(post.contacts.back()).find("at edge 11"), std::string::npos);
}

TEST(FrustaOnHulls, ARimGoesOverAnEdgeWithoutAJump) {
  // A coin tilted by 0.4 about y over the edge of a brick along y, at x = 0.5: beyond, the rim is nearest to the edge.
  // Steps of 1e-7 turn n by 1e-7 over the radius of the rim there, 0.4 sin(0.4), or so.
  const auto normal_at = [](double x) {
    const double high = 0.2 + 0.02 * std::cos(0.4) + 0.4 * std::sin(0.4) + 1e-3;
    const Two two(kCoin, kBrick, place({x, 0.05, high}, exponential({0.0, 0.4, 0.0})),
                  place(Vector3d::Zero(), {1.0, 0.0, 0.0, 0.0}));
    return Vector3d(-two.H(two.least()).leftCols<3>().transpose());
  };
  // The lowest point is 0.4 cos(0.4) + 0.02 sin(0.4) aside of the middle: towards x, and against n there.
  const double edge = 0.5 - 0.4 * std::cos(0.4) + 0.02 * std::sin(0.4);
  EXPECT_LE((normal_at(edge - 1e-7) - Vector3d::UnitZ()).norm(), 1e-12);
  EXPECT_LE((normal_at(edge + 1e-7) - Vector3d::UnitZ()).norm(), 2e-4);  // 1e-7 off an edge that is 1e-3 away
  EXPECT_GT((normal_at(edge + 1e-2) - Vector3d::UnitZ()).norm(), 1e-2);
}

TEST(FrustaOnHulls, SharpOnSharpAndLinesAlongEdgesAreRefused) {
  const Eigen::VectorXd brick = place(Vector3d::Zero(), {1.0, 0.0, 0.0, 0.0});
  const auto touching = [](const Two& two, const std::string& of) {
    for (const LinkedContact& contact : two.contacts) {
      if (two.name(contact).find(of) != std::string::npos && std::abs(two.gap(contact)) < 1e-12) return &contact;
    }
    return static_cast<const LinkedContact*>(nullptr);
  };
  // A tip on a vertex, upside down; on an edge, and on a face, where it has rows.
  const double high = 0.2 + 0.9;
  const Two tip(kHat, kBrick, place({0.5, 0.3, high}, {0.0, 1.0, 0.0, 0.0}), brick);
  const LinkedContact* const contact = touching(tip, "at end 1");
  ASSERT_NE(contact, nullptr);
  expect_refused([&] { (void)tip.H(*contact); }, {"a cylinder or cone on a box or polyhedron", "both sharp"});
  const Two edge(kHat, kBrick, place({0.5, 0.1, high}, {0.0, 1.0, 0.0, 0.0}), brick);
  const LinkedContact* const on_edge = touching(edge, "at edge");
  ASSERT_NE(on_edge, nullptr);
  expect_refused([&] { (void)edge.H(*on_edge); }, {"a cylinder or cone on a box or polyhedron", "a tip on an edge"});
  const Two face(kHat, kBrick, place({0.3, 0.1, high}, {0.0, 1.0, 0.0, 0.0}), brick);
  const LinkedContact* const on_face = touching(face, "at end 1");
  ASSERT_NE(on_face, nullptr);
  EXPECT_NO_THROW((void)face.H(*on_face));
  // A rim on a vertex: an end over the corner, tilted along the diagonal so that its lowest point is there.
  const Vector3d d = Vector3d(-0.5, -0.3, 0.0).normalized(), about = d.cross(Vector3d::UnitZ());
  const double tilt = 0.3;
  const Eigen::Vector4d turn = exponential(tilt * about);
  const Vector3d u = jointed::turned(turn, Vector3d::UnitZ());
  const Vector3d lowest = (Vector3d::UnitZ() - u[2] * u).normalized();
  const Two rim(kPost, kBrick, place(Vector3d(0.5, 0.3, 0.2) + 0.5 * u + 0.3 * lowest, turn), brick);
  const LinkedContact* const on_vertex = touching(rim, "at end 0");
  ASSERT_NE(on_vertex, nullptr);
  const LinkedContact* const on_its_edge = touching(rim, "at edge");
  ASSERT_NE(on_its_edge, nullptr);
  expect_refused([&] { (void)rim.H(*on_its_edge); }, {"a cylinder or cone on a box or polyhedron", "rim or tip"});
}

}  // namespace
}  // namespace nonsmooth::frusta_on_hulls_test
