// SPDX-License-Identifier: Apache-2.0
// Contacts between shapes of the plane: gaps against brute force, normals against differences, and what rests, slides
// and rolls on half-planes, lines of heights and each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/planar_scene.hpp"

namespace nonsmooth::planar_contacts_test {
namespace {

using bad_input::expect_refused;
using Eigen::Vector2d;
using Eigen::Vector3d;
using test::PlanarScene;
using test::rectangle;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Corners on the unit circle, stretched.
std::vector<Vector2d> random_polygon(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const int count = 3 + static_cast<int>(5.0 * uniform(random));
  const double height = 0.3 + uniform(random);
  std::vector<Vector2d> corners;
  for (int k = 0; k < count; ++k) {
    const double angle = 2.0 * std::numbers::pi * (k + 0.8 * uniform(random)) / count;
    corners.emplace_back(std::cos(angle), height * std::sin(angle));
  }
  return corners;
}

std::vector<Vector2d> moved(std::vector<Vector2d> points, const Vector3d& q) {
  const Eigen::Rotation2D<double> turn(q[2]);
  for (Vector2d& point : points) point = q.head<2>() + turn * point;
  return points;
}

double distance_to_segment(const Vector2d& p, const Vector2d& a, const Vector2d& b) {
  const double s = std::clamp((p - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
  return (p - a - s * (b - a)).norm();
}

/// Of the boundaries of two polygons (or an open line), which do not cross.
double boundary_distance(const std::vector<Vector2d>& one, const std::vector<Vector2d>& other, bool other_is_closed) {
  double least = kInfinity;
  const auto sides = [](const std::vector<Vector2d>& points, bool closed, auto visit) {
    for (std::size_t k = 0; k + (closed ? 0 : 1) < points.size(); ++k)
      visit(points[k], points[(k + 1) % points.size()]);
  };
  sides(other, other_is_closed, [&](const Vector2d& a, const Vector2d& b) {
    for (const Vector2d& p : one) least = std::min(least, distance_to_segment(p, a, b));
  });
  sides(one, true, [&](const Vector2d& a, const Vector2d& b) {
    for (const Vector2d& p : other) least = std::min(least, distance_to_segment(p, a, b));
  });
  return least;
}

/// How far a direction separates two polygons.
double separation_along(const Vector2d& direction, const std::vector<Vector2d>& one,
                        const std::vector<Vector2d>& other) {
  double top = -kInfinity, bottom = kInfinity;
  for (const Vector2d& p : one) top = std::max(top, direction.dot(p));
  for (const Vector2d& p : other) bottom = std::min(bottom, direction.dot(p));
  return bottom - top;
}

/// The largest over all directions: where polygons overlap, minus the least way out. Sides' normals among them.
double largest_separation(const std::vector<Vector2d>& one, const std::vector<Vector2d>& other) {
  double most = -kInfinity;
  const auto by_sides = [&](const std::vector<Vector2d>& owner, double sign) {
    for (std::size_t k = 0; k < owner.size(); ++k) {
      const Vector2d side = (owner[(k + 1) % owner.size()] - owner[k]).normalized();
      most = std::max(most, separation_along(sign * Vector2d(side.y(), -side.x()), one, other));
    }
  };
  by_sides(one, 1.0);
  by_sides(other, -1.0);
  return most;
}

double least_gap(const std::vector<DetectedContact>& contacts) {
  double least = kInfinity;
  for (const DetectedContact& contact : contacts) least = std::min(least, contact.gap);
  return least;
}

TEST(PlanarContacts, GapsOfPolygonsAreThoseOfBruteForce) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int apart = 0, overlapping = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const auto one = random_polygon(random), other = random_polygon(random);
    const double r_one = trial % 3 == 0 ? 0.1 : 0.0, r_other = trial % 5 == 0 ? 0.2 : 0.0;
    const Vector3d q_one(5.0 + uniform(random), uniform(random), 3.0 * uniform(random)),
        q_other(5.0 + 2.0 * uniform(random), 2.0 * uniform(random), 3.0 * uniform(random));
    PlanarScene plane;
    // As fast as 10 m/s for 1 s: whatever the distance, they are in reach.
    plane.add({.shape = ConvexPolygon{one, r_one}}, 1.0, q_one, {10.0, 0.0, 0.0});
    plane.add({.shape = ConvexPolygon{other, r_other}}, 1.0, q_other);
    const double found = least_gap(plane.contacts(1.0));
    const auto at_one = moved(one, q_one), at_other = moved(other, q_other);
    const double separation = largest_separation(at_one, at_other);
    const double hulls = separation > 0.0 ? boundary_distance(at_one, at_other, true) : separation;
    (separation > 0.0 ? apart : overlapping) += 1;
    // Coordinates of up to 8 are rounded some ten times each.
    ASSERT_NEAR(found, hulls - r_one - r_other, 1e-13) << trial;
  }
  EXPECT_GT(apart, 500);
  EXPECT_GT(overlapping, 500);
}

TEST(PlanarContacts, DisksAndSegmentsHaveTheirDistances) {
  PlanarScene plane;
  plane.add({.shape = Disk{0.5}}, 1.0, {0.0, 0.0, 0.0}, {10.0, 0.0, 0.0});
  plane.add({.shape = PlanarSegment{{-1.0, 0.0}, {1.0, 0.0}, 0.25}}, 1.0, {2.0, 2.0, std::numbers::pi / 2});
  // The segment stands upright at x = 2 from y = 1 to 3: its lower end is sqrt(5) away.
  EXPECT_NEAR(least_gap(plane.contacts(1.0)), std::sqrt(5.0) - 0.75, 1e-14);
  // In line with a segment, beyond its end, its sides separate nothing.
  PlanarScene in_line;
  in_line.add({.shape = Disk{0.5}}, 1.0, {0.0, 0.0, 0.0}, {10.0, 0.0, 0.0});
  in_line.add({.shape = PlanarSegment{{-1.0, 0.0}, {1.0, 0.0}}}, 1.0, {3.0, 0.0, 0.0});
  EXPECT_NEAR(least_gap(in_line.contacts(1.0)), 1.5, 1e-14);
  // Two rods side by side touch at both ends of what they share: x from 0.5 to 1.
  PlanarScene rods;
  rods.add({.shape = PlanarSegment{{-1.0, 0.0}, {1.0, 0.0}, 0.1}}, 1.0, {0.0, 0.0, 0.0});
  rods.add({.shape = PlanarSegment{{-1.0, 0.0}, {1.0, 0.0}, 0.1}}, 1.0, {1.5, 0.2, 0.0});
  const auto shared = rods.contacts();
  ASSERT_EQ(shared.size(), 2u);
  for (const DetectedContact& contact : shared) EXPECT_NEAR(contact.gap, 0.0, 1e-15);
  // Rods that cross: the least way out is along the other's normal.
  PlanarScene crossed;
  crossed.add({.shape = PlanarSegment{{-1.0, 0.0}, {1.0, 0.0}, 0.1}}, 1.0, {0.0, 0.0, 0.0});
  crossed.add({.shape = PlanarSegment{{-1.0, 0.0}, {1.0, 0.0}, 0.1}}, 1.0, {0.0, 0.7, std::numbers::pi / 2});
  EXPECT_NEAR(least_gap(crossed.contacts()), -0.3 - 0.2, 1e-14);
}

/// A line with ridges, valleys, flat places and steep flanks.
std::vector<Vector2d> random_heights(std::mt19937_64& random, int points) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<Vector2d> line;
  double x = -4.0, y = 0.0;
  for (int k = 0; k < points; ++k) {
    line.emplace_back(x, y);
    x += 0.2 + uniform(random);
    if (k % 4 != 0) y = 1.5 * uniform(random);
  }
  return line;
}

double height_of(const std::vector<Vector2d>& line, double x) {
  std::size_t k = 1;
  while (k + 1 < line.size() && line[k].x() < x) ++k;
  return line[k - 1].y() + (line[k].y() - line[k - 1].y()) * (x - line[k - 1].x()) / (line[k].x() - line[k - 1].x());
}

TEST(PlanarContacts, GapsOnALineOfHeightsAreThoseOfBruteForce) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int compared = 0, sunk = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const auto line = random_heights(random, 14);
    const auto corners = random_polygon(random);
    const bool disk = trial % 2 == 0;
    const double radius = disk ? 0.4 : trial % 3 == 0 ? 0.1 : 0.0;
    const Vector3d q(1.5 * uniform(random), 1.5 + 1.5 * uniform(random), 3.0 * uniform(random));
    PlanarScene plane;
    plane.ground.push_back({.shape = HeightLine{line}});
    // Upwards: nothing is found but what is near now, and all of that.
    plane.add({.shape = disk ? PlanarShape(Disk{radius}) : ConvexPolygon{corners, radius}}, 1.0, q, {0.0, 10.0, 0.0});
    const double found = least_gap(plane.contacts(1.0));
    if (disk) {
      double nearest = kInfinity;
      for (std::size_t k = 0; k + 1 < line.size(); ++k)
        nearest = std::min(nearest, distance_to_segment(q.head<2>(), line[k], line[k + 1]));
      const bool below = q[1] < height_of(line, q[0]);
      sunk += below ? 1 : 0;
      // Below the line no piece is farther than what is nearest: a piece, or a valley's point, which is above the lines
      // of all pieces that hold.
      if (!below) {
        ASSERT_NEAR(found, nearest - radius, 1e-13) << trial;
      } else {
        ASSERT_LE(found, -radius) << trial;
        ASSERT_GE(found, -nearest - radius - 1e-13) << trial;
      }
      ++compared;
      continue;
    }
    const auto placed = moved(corners, q);
    bool above = true;
    for (const Vector2d& corner : placed) above = above && corner.y() > height_of(line, corner.x());
    for (const Vector2d& point : line) {  // no tip inside the polygon
      bool inside = true;
      for (std::size_t k = 0; k < placed.size(); ++k) {
        const Vector2d side = placed[(k + 1) % placed.size()] - placed[k], to = point - placed[k];
        inside = inside && side.x() * to.y() - side.y() * to.x() > 0.0;
      }
      above = above && !inside;
    }
    if (!above) continue;
    ++compared;
    ASSERT_NEAR(found, boundary_distance(placed, line, false) - radius, 1e-13) << trial;
  }
  EXPECT_GT(compared, 1800);
  EXPECT_GT(sunk, 100);
}

TEST(PlanarContacts, ASunkCornerIsPushedOutTheNearestWay) {
  // A roof with flanks of 45 degrees and a tip at (0, 1): a disk's centre 0.1 below the left flank.
  PlanarScene roof;
  roof.ground.push_back({.shape = HeightLine{{{-1.0, 0.0}, {0.0, 1.0}, {1.0, 0.0}}}});
  const double half = std::sqrt(0.5);
  roof.add({.shape = Disk{0.2}}, 1.0, {-0.5 + 0.1 * half, 0.5 - 0.1 * half, 0.0});
  const auto on_roof = roof.contacts();
  ASSERT_EQ(on_roof.size(), 1u);
  EXPECT_NEAR(on_roof[0].gap, -0.1 - 0.2, 1e-15);
  // In a valley of the same flanks both hold: centre 0.1 below the bottom, 0.1 half below either line.
  PlanarScene valley;
  valley.ground.push_back({.shape = HeightLine{{{-1.0, 1.0}, {0.0, 0.0}, {1.0, 1.0}}}});
  valley.add({.shape = Disk{0.2}}, 1.0, {0.0, -0.1, 0.0});
  const auto in_valley = valley.contacts();
  ASSERT_EQ(in_valley.size(), 2u);
  for (const DetectedContact& contact : in_valley) EXPECT_NEAR(contact.gap, -0.1 * half - 0.2, 1e-15);
}

TEST(PlanarContacts, ARampAheadIsFoundBeforeItIsFaced) {
  // A floor and a ramp of 45 degrees from the origin on. A disk before its foot at 10 m/s: the centre is (x + y) / sqrt
  // 2 below its line's height, and the nearest point of that line is before the foot.
  const std::vector<Vector2d> line{{-5.0, 0.0}, {0.0, 0.0}, {1.0, 1.0}};
  const double half = std::sqrt(0.5);
  PlanarScene disk;
  disk.ground.push_back({.shape = HeightLine{line}});
  disk.add({.shape = Disk{0.1}}, 1.0, {-0.101, 0.1, 0.0}, {10.0, 0.0, 0.0});
  const auto on_disk = disk.contacts(0.01);
  ASSERT_EQ(on_disk.size(), 2u);
  EXPECT_NEAR(on_disk[1].gap, (0.101 + 0.1) * half - 0.1, 1e-14);
  // A box that stands on the floor meets it with its lower corner, 0.05 before the foot; one that passes above the top
  // of a ramp that ends at 0.1 does not, nor one that goes the other way.
  const auto corners_met = [&](const std::vector<Vector2d>& ground, double y, double speed, double horizon) {
    PlanarScene box;
    box.ground.push_back({.shape = HeightLine{ground}});
    box.add({.shape = rectangle(0.1, 0.1)}, 1.0, {-0.15, y, 0.0}, {speed, 0.0, 0.0});
    return box.contacts(horizon).size();
  };
  EXPECT_EQ(corners_met(line, 0.1, 10.0, 0.006), 3u);
  EXPECT_EQ(corners_met(line, 0.1, -10.0, 0.006), 2u);
  EXPECT_EQ(corners_met({{-5.0, 0.0}, {0.0, 0.0}, {0.1, 0.1}, {5.0, 0.1}}, 0.21, 20.0, 0.01), 2u);
}

TEST(PlanarContacts, EveryPlaceAboutARidgeTouchesSomething) {
  // A corner exactly at the edge of a table, and to either side of it by units in the last place.
  const double edge = 0.1 + 0.2;
  for (int ulps = -3; ulps <= 3; ++ulps) {
    PlanarScene table;
    table.ground.push_back({.shape = HeightLine{{{-1.0, 0.0}, {edge, 0.0}, {1.0, -2.0}}}});
    table.add({.shape = rectangle(0.2, 0.1)}, 1.0, {0.1 + ulps * 0x1p-55, 0.1, 0.0});
    EXPECT_GE(table.contacts().size(), 2u) << ulps;
  }
  // A rod that has gone through a tip by more than its rounding is held all the same.
  PlanarScene rod;
  rod.ground.push_back({.shape = HeightLine{{{-1.0, -1.0}, {0.0, 0.0}, {1.0, -1.0}}}});
  rod.add({.shape = PlanarSegment{{-0.5, 0.0}, {0.5, 0.0}, 0.01}}, 1.0, {0.0, -0.02, 0.0});
  const auto through = rod.contacts();
  ASSERT_EQ(through.size(), 1u);
  EXPECT_NEAR(through[0].gap, -0.03, 1e-15);
  // A disk in a groove of its own radius touches all of its pieces, and more of them than there are names refuse.
  const auto groove = [](int pieces) {
    PlanarScene scene;
    std::vector<Vector2d> points;
    for (int k = 1; k < pieces; ++k) {
      const double angle = std::numbers::pi * (1.0 + static_cast<double>(k) / pieces);
      points.emplace_back(std::cos(angle), std::sin(angle));
    }
    scene.ground.push_back({.shape = HeightLine{points}});
    scene.add({.shape = Disk{1.0}}, 1.0, {0.0, 0.0, 0.0});
    return scene.contacts().size();
  };
  EXPECT_EQ(groove(1000), 998u);
  EXPECT_THROW(groove(5000), InvalidArgument);
}

TEST(PlanarContacts, NormalRowsAreDerivativesOfGaps) {
  // Central differences with step s: s^2 / 6 of the gap's third derivative, below |v|^3 / d^2 with points no faster
  // than 3 and closest points no nearer than d = 0.1 (vertices and roundings), and eps |q| / s of rounding, less than
  // 1e-10.
  constexpr double s = 1e-5, bound = s * s / 6.0 * 27.0 / 0.01 + 1e-10;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto heights = random_heights(random, 12);
  int compared = 0;
  for (int trial = 0; trial < 300; ++trial) {
    NonSmoothDynamicalSystem model;
    std::vector<PlanarBodyShapes> bodies;
    for (int b = 0; b < 2; ++b) {
      const auto body = model.add(PlanarBody{});
      const PlanarShape shape = trial % 3 == 0   ? PlanarShape(Disk{0.3})
                                : trial % 3 == 1 ? PlanarShape(ConvexPolygon{random_polygon(random), 0.05})
                                                 : PlanarShape(PlanarSegment{{-0.5, 0.1}, {0.7, 0.0}, 0.1});
      bodies.push_back({body, {{.shape = shape, .position = {0.2, -0.1}, .angle = 0.4}}});
    }
    const PlanarContacts source(bodies, {{.shape = HeightLine{heights}}, {.shape = HalfPlane{{0.3, 1.0}, -0.5}}},
                                NewtonImpactFrictionLaw{.friction = 0.5});
    State state = model.initial_state();
    for (Index i = 0; i < 6; ++i) {
      state.positions[i] = (i % 3 == 1 ? 1.0 : 0.0) + 1.5 * uniform(random);
      state.unknowns[i] = uniform(random);
    }
    const Eigen::VectorXd q = state.positions, v = state.unknowns;
    const auto gaps_at = [&](const Eigen::VectorXd& positions) {
      State moved_state = state;
      moved_state.positions = positions;
      std::vector<std::pair<std::uint64_t, double>> gaps;
      for (const ContactBatch& batch : contacts_at(moved_state, source, 0.2))
        for (const DetectedContact& contact : batch.contacts) gaps.emplace_back(contact.feature, contact.gap);
      return gaps;
    };
    const auto after = gaps_at(q + s * v), before = gaps_at(q - s * v);
    const auto gap_of = [](const auto& gaps, std::uint64_t feature) {
      const auto at = std::find_if(gaps.begin(), gaps.end(), [&](const auto& gap) { return gap.first == feature; });
      return at == gaps.end() ? std::nan("") : at->second;
    };
    for (const ContactBatch& batch : contacts_at(state, source, 0.2)) {
      const double least = least_gap(batch.contacts);
      for (Index i = 0; i < batch.size(); ++i) {
        const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
        // Of two bodies, the closest points: other ends of sides that are not parallel have gaps along a normal that
        // turns, which is no rate of theirs until the sides meet.
        if (contact.second >= 0 && contact.gap > least) continue;
        const double rate = (gap_of(after, contact.feature) - gap_of(before, contact.feature)) / (2.0 * s);
        if (std::isnan(rate)) continue;  // on the edge of what is in reach
        double u = 0.0;
        for (Index c = 0; c < 3; ++c) {
          u += batch.H_first(i)[c] * v[3 * contact.first + c];
          if (contact.second >= 0) u += batch.H_second(i)[c] * v[3 * contact.second + c];
        }
        ASSERT_NEAR(u, rate, bound) << "trial " << trial << " feature " << contact.feature;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 500);
}

TEST(PlanarContacts, TellsWhatOverlapsAndLeavesOutWhatItIsAskedTo) {
  PlanarScene plane;
  plane.ground.push_back({.shape = HeightLine{{{-1.0, 0.0}, {0.0, 0.0}, {1.0, 0.0}}}});
  for (int b = 0; b < 3; ++b) plane.add({.shape = Disk{0.5}}, 1.0, {0.5 * b - 0.5, 0.3, 0.0});
  const State state = plane.model.initial_state();
  const NewtonImpactFrictionLaw law{.friction = 0.1};
  PlanarContacts all(plane.bodies, plane.ground, law);
  const auto told = interpenetrations(state, all);
  ASSERT_EQ(told.size(), 5u);  // two neighbours, three with the ground; centres of the outer ones are 1 m apart
  EXPECT_EQ(told[0].first.body, 0);
  EXPECT_EQ(told[0].second.body, 1);
  EXPECT_NEAR(told[0].depth, 0.5, 1e-14);
  EXPECT_EQ(told[1].second.body, -1);
  EXPECT_EQ(told[1].second.place, 0);
  EXPECT_NEAR(told[1].depth, 0.2, 1e-14);
  all.exclude(plane.bodies[1].body, plane.bodies[0].body);
  EXPECT_EQ(interpenetrations(state, all).size(), 4u);
  plane.bodies[1].shapes[0].groups = 2;
  plane.ground[0].mask = 1;
  EXPECT_EQ(interpenetrations(state, PlanarContacts(plane.bodies, plane.ground, law)).size(), 4u);
  EXPECT_THROW(all.exclude(plane.bodies[1].body, SystemHandle{}), InvalidArgument);
}

TEST(PlanarContacts, RefusesWhatIsNoShape) {
  PlanarScene plane;
  const auto body = plane.add({.shape = Disk{0.5}}, 1.0, {0.0, 0.0, 0.0});
  const NewtonImpactFrictionLaw law{.friction = 0.1};
  const auto on_body = [&](const PlanarShapeOnBody& shape, const std::vector<std::string>& parts) {
    expect_refused([&] { PlanarContacts({{body, {shape}}}, {}, law); }, parts);
  };
  const auto on_ground = [&](const PlanarShapeOnBody& shape, const std::vector<std::string>& parts) {
    expect_refused([&] { PlanarContacts({}, {shape}, law); }, parts);
  };
  const std::string positive = "expected a positive finite number", finite = "expected finite entries",
                    bounded = "expected shapes that are bounded";
  const double nan = std::nan("");
  on_body({.shape = Disk{0.0}}, {"Disk::radius", "found 0", positive});
  on_body({.shape = ConvexPolygon{{{0.0, 0.0}, {1.0, 0.0}}}},
          {"ConvexPolygon::vertices: number", "found 2", "expected at least 3 and at most 256"});
  on_body({.shape = ConvexPolygon{{{0.0, 0.0}, {1.0, 0.0}, {2.0, 0.0}}}},
          {"ConvexPolygon::vertices", "found points that are all on a line", "expected points that span an area"});
  on_body({.shape = ConvexPolygon{{{0.0, 0.0}, {1.0, 0.0}, {nan, 1.0}}}},
          {"ConvexPolygon::vertices[2]", "found nan in entry 0", finite});
  on_body({.shape = ConvexPolygon{rectangle(1.0, 1.0).vertices, -0.1}},
          {"ConvexPolygon::rounding", "found -0.1", "expected a number in [0,"});
  on_body({.shape = PlanarSegment{}}, {"PlanarSegment: length", "found 0", positive});
  on_body({.shape = PlanarSegment{{0.0, nan}, {1.0, 0.0}}}, {"PlanarSegment::from", "found nan", finite});
  on_body({.shape = PlanarSegment{{0.0, 0.0}, {1.0, 0.0}, nan}},
          {"PlanarSegment::rounding", "found nan", "expected a number in [0,"});
  on_body({.shape = HalfPlane{}}, {"PlanarBodyShapes::shapes", "found a half-plane", bounded});
  on_body({.shape = HeightLine{{{0.0, 0.0}, {1.0, 0.0}}}},
          {"PlanarBodyShapes::shapes", "found a height line", bounded});
  on_body({.shape = Disk{1.0}, .position = {nan, 0.0}},
          {"PlanarShapeOnBody::position", "found nan in entry 0", finite});
  on_body({.shape = Disk{1.0}, .angle = nan}, {"PlanarShapeOnBody::angle", "found nan", "expected a finite number"});
  on_body({.shape = Disk{1.0}, .material = 1}, {"material of shape 0 of body 0", "found 1", "expected 0 to 0"});
  on_ground({.shape = HalfPlane{.normal = Vector2d::Zero()}}, {"HalfPlane::normal: length", "found 0", positive});
  on_ground({.shape = HeightLine{{{0.0, 0.0}}}}, {"HeightLine::points: number", "found 1", "expected at least 2"});
  on_ground({.shape = HeightLine{{{0.0, 0.0}, {1.0, nan}}}}, {"HeightLine::points[1]", "found nan in entry 1", finite});
  on_ground({.shape = HeightLine{{{0.0, 0.0}, {0.0, 1.0}}}}, {"HeightLine::points", "found", "ascending x"});
  on_ground({.shape = HeightLine{{{0.0, 0.0}, {1.0, 1.0}}}, .angle = 0.1},
            {"PlanarShapeOnBody::angle", "found 0.1 of a height line", "expected 0"});
  expect_refused([&] { PlanarContacts({}, {}, NewtonImpactFrictionLaw{.dimension = 3}); },
                 {"PlanarContacts: law", "found", "expected"});
  expect_refused([&] { PlanarContacts({}, {}, {law}, ContactMaterials(2, 1)); },
                 {"PlanarContacts: laws", "found", "expected"});
}

TEST(PlanarContacts, OtherBodiesThanThoseOfThePlaneAreRefused) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{});
  EXPECT_THROW(model.detect(PlanarContacts({{body, {{.shape = Disk{1.0}}}}}, {}, NewtonImpactFrictionLaw{})),
               InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::planar_contacts_test
