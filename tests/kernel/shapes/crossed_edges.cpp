// SPDX-License-Identifier: Apache-2.0
// Boxes and polyhedra on one another as interactions: the least gap of vertices and edges against the narrow phase,
// apart and overlapping, gaps that are never below zero of shapes that are apart, what is refused.
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "contact/shape_pairs/edge_pair.hpp"
#include "kernel/bad_input.hpp"
#include "kernel/joint_bodies.hpp"
#include "linked_pair.hpp"
#include "narrow_phase.hpp"

namespace nonsmooth::crossed_edges_test {
namespace {

using bad_input::expect_refused;
using Eigen::Vector3d;
using jointed::exponential;
using narrow_phase::HullPointer;

/// The coordinates and sizes are about 1 m: the narrow phase has its distances to 1e-13 of these.
constexpr double kDistance = 1e-12;

struct Solid {
  Shape shape;
  HullPointer hull;
};
Solid box(const Vector3d& half) { return {Box{half}, narrow_phase::box_hull(half)}; }
Solid polyhedron(const std::vector<Vector3d>& corners) {
  ConvexPolyhedron own(corners);
  return {own, own.hull()};
}
const Solid kBrick = box({0.5, 0.3, 0.2}), kBar = box({0.15, 0.7, 0.1}),
            kWedge = polyhedron({{0.5, 0.0, -0.2}, {-0.5, 0.0, -0.3}, {0.0, 0.4, 0.0}, {0.1, -0.2, 0.5}}),
            kGem = polyhedron({{0.4, 0.0, 0.0},
                               {-0.4, 0.0, 0.0},
                               {0.0, 0.3, 0.1},
                               {0.1, -0.4, 0.0},
                               {0.0, 0.0, 0.5},
                               {0.0, 0.1, -0.3}});

/// Two bodies of these shapes, and all their gaps.
struct TwoSolids : linked_pair::LinkedPair {
  std::vector<SystemHandle> bodies{};
  narrow_phase::PlacedHull placed[2];

  TwoSolids(const Solid& one, const Solid& other, const Vector3d& apart, const Eigen::Vector4d& turned_one,
            const Eigen::Vector4d& turned_other) {
    const Solid* const solids[2]{&one, &other};
    const Vector3d places[2]{apart, Vector3d::Zero()};
    const Eigen::Vector4d turns[2]{turned_one, turned_other};
    std::vector<BodyShapes> shapes;
    for (std::size_t i = 0; i < 2; ++i) {
      q.segment<7>(7 * static_cast<Index>(i)) = jointed::place(places[i], turns[i]);
      bodies.push_back(model.add(RigidBody{.position = places[i], .orientation = turns[i]}));
      shapes.push_back({bodies.back(), {{.shape = solids[i]->shape}}});
      const Eigen::Matrix3d turn =
          Eigen::Quaterniond(turns[i][0], turns[i][1], turns[i][2], turns[i][3]).toRotationMatrix();
      placed[i].place(*solids[i]->hull, 0.0, turn, places[i] + turn * solids[i]->hull->middle);
    }
    contacts = link_contacts(model, BodyContacts(shapes, {}, NewtonImpactLaw{}));
  }
  [[nodiscard]] const LinkedContact& least() const {
    return *std::min_element(contacts.begin(), contacts.end(),
                             [&](const auto& one, const auto& other) { return gap(one) < gap(other); });
  }
  /// Of the narrow phase, with its normal.
  [[nodiscard]] narrow_phase::PatchPoint distance() const {
    return narrow_phase::nearest(narrow_phase::contacts(placed[0], placed[1]));
  }
};

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  double number() { return std::uniform_real_distribution<double>(-1.0, 1.0)(random_); }
  Vector3d vector() { return {number(), number(), number()}; }

 private:
  std::mt19937 random_;
};

TEST(CrossedEdges, TheLeastGapIsTheDistanceWhereverTheyAreApart) {
  const Solid* const solids[4]{&kBrick, &kBar, &kWedge, &kGem};
  Random random(7);
  int apart = 0, of_edges = 0;
  for (std::size_t trial = 0; trial < 400; ++trial) {
    const TwoSolids two(*solids[trial % 4], *solids[trial / 4 % 4], 1.2 * random.vector(),
                        exponential(3.0 * random.vector()), exponential(3.0 * random.vector()));
    const auto expected = two.distance();
    if (expected.gap < 1e-3) continue;
    ++apart;
    const LinkedContact& least = two.least();
    EXPECT_NEAR(two.gap(least), expected.gap, kDistance) << trial << " " << two.name(least);
    if (two.name(least).find("at edges") == std::string::npos) continue;
    ++of_edges;
    // The normal: of a distance of 1e-3 and more, and points to 1e-13.
    EXPECT_LE((two.H(least).leftCols<3>().transpose() - expected.normal).norm(), 1e-9) << trial;
  }
  EXPECT_GT(apart, 200);
  EXPECT_GT(of_edges, 60);
}

TEST(CrossedEdges, OverlapIsTheDepthOfTheNarrowPhase) {
  // From where edges are nearest, as much nearer along the normal that they overlap by 1e-3: there the edges separate
  // the most, and what they have is minus the depth.
  Random random(11);
  int compared = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Eigen::Vector4d turns[2]{exponential(3.0 * random.vector()), exponential(3.0 * random.vector())};
    const Vector3d apart = random.vector();
    const TwoSolids before(kBrick, kGem, apart, turns[0], turns[1]);
    const auto nearest = before.distance();
    if (nearest.gap < 1e-3 || before.name(before.least()).find("at edges") == std::string::npos) continue;
    const TwoSolids after(kBrick, kGem, apart - (nearest.gap + 1e-3) * nearest.normal, turns[0], turns[1]);
    const auto deep = after.distance();
    ASSERT_LT(deep.gap, 0.0);
    if ((deep.normal - nearest.normal).norm() > 1e-9) continue;  // near an end of an edge another is less deep
    ++compared;
    const auto edges = &before.least() - before.contacts.data();
    EXPECT_NEAR(after.gap(after.contacts[static_cast<std::size_t>(edges)]), deep.gap, kDistance) << trial;
  }
  EXPECT_GT(compared, 20);
}

TEST(CrossedEdges, NoGapIsBelowZeroOfShapesThatAreApart) {
  // One under the other: the edges that look away from each other cross as well, seen from above.
  Random random(3);
  int apart = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const TwoSolids two(kBrick, kWedge, {0.1 * random.number(), 0.1 * random.number(), -0.8 - 0.2 * random.number()},
                        exponential(random.vector()), exponential(random.vector()));
    if (two.distance().gap <= 0.0) continue;
    ++apart;
    for (const LinkedContact& contact : two.contacts) EXPECT_GT(two.gap(contact), 0.0) << two.name(contact);
  }
  EXPECT_GT(apart, 50);
}

TEST(CrossedEdges, EachVertexAndEachPairOfEdgesIsOne) {
  const TwoSolids two(kBrick, kWedge, {2.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0});
  EXPECT_EQ(two.contacts.size(), 8u + 4u + 12u * 6u);
  EXPECT_NE(two.name(two.contacts.front()).find("at vertex 0 of the first"), std::string::npos);
  EXPECT_NE(two.name(two.contacts.back()).find("at edges 11 and 5"), std::string::npos)
      << two.name(two.contacts.back());
}

TEST(CrossedEdges, FacesThatLieOnOneAnotherHaveTheirCrossings) {
  // A bar across a bar, and tilted by far less than counts: four crossings, with the normal of the faces.
  for (const double tilt : {0.0, 1e-9, -1e-9}) {
    const TwoSolids two(box({0.1, 0.8, 0.1}), box({0.9, 0.2, 0.1}), {0.05, 0.1, 0.2}, exponential({0.0, tilt, 0.0}),
                        {1.0, 0.0, 0.0, 0.0});
    int touching = 0;
    for (const LinkedContact& contact : two.contacts) {
      if (std::abs(two.gap(contact)) > 1e-8) continue;
      ++touching;
      EXPECT_LE((two.H(contact).leftCols<3>().transpose() - Vector3d::UnitZ()).norm(), 1e-14) << two.name(contact);
    }
    EXPECT_EQ(touching, 4);
  }
}

TEST(CrossedEdges, SharpOnSharpIsRefused) {
  // A vertex over an edge, edges along one another, an edge's end on an edge.
  const Solid cube = box({0.5, 0.5, 0.5});
  for (const Vector3d& apart : {Vector3d(0.0, 0.0, 1.0), Vector3d(0.25, 0.0, 1.0), Vector3d(1.0, 0.3, 1.0)}) {
    const TwoSolids two(cube, cube, apart, {1.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0});
    int vertices = 0, edges = 0;
    for (const LinkedContact& contact : two.contacts) {
      if (std::abs(two.gap(contact)) > 1e-12) continue;
      const auto ask = [&] { (void)two.H(contact); };
      if (two.name(contact).find("at edges") != std::string::npos) {
        ++edges;
        expect_refused(ask, {"an edge of a box or polyhedron on an edge of another", "edges along one another"});
      } else {
        ++vertices;
        expect_refused(ask, {"a box or polyhedron on another", "a vertex on an edge, both sharp"});
      }
    }
    EXPECT_GT(vertices, 0) << apart.transpose();
    EXPECT_GT(edges, 0) << apart.transpose();
  }
}

}  // namespace
}  // namespace nonsmooth::crossed_edges_test
