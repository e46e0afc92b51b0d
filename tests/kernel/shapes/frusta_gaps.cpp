// SPDX-License-Identifier: Apache-2.0
// Cylinders and cones: gaps, normals and patches against brute force and differences.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <vector>

#include <Eigen/Geometry>

#include <contact/narrow_phase/frustum.hpp>
#include <nonsmooth/kernel.hpp>

#include "frusta.hpp"

namespace nonsmooth::frusta_gaps_test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using frusta::frustum_at;
using frusta::least_of;
using frusta::Random;
using frusta::support;
using narrow_phase::Patch;
using narrow_phase::PatchPoint;
using narrow_phase::PlacedFrustum;
using narrow_phase::PlacedHull;

double separation(const PlacedFrustum& own, const PlacedHull& hull, const Vector3d& n) {
  double most = -std::numeric_limits<double>::infinity();
  for (Index v = 0; v < hull.num_vertices(); ++v) most = std::max(most, n.dot(hull.vertex(v)));
  return -support(own, -n) - most;
}

std::vector<PatchPoint> points_of(const PlacedFrustum& own, const PlacedHull& hull, double reach = 100.0) {
  Patch patch;
  narrow_phase::find_contacts(own, hull, reach, patch);
  return {patch.begin(), patch.end()};
}

TEST(Frusta, GapsToHullsAreThoseOfBruteForce) {
  Random random(31);
  const std::vector<Frustum> frusta{{{0.4, 0.4}, 0.5, 0.0}, {{0.5, 0.0}, 0.4, 0.0}, {{0.2, 0.5}, 0.15, 0.0}};
  int overlapping = 0;
  for (int trial = 0; trial < 150; ++trial) {
    Frustum shape = frusta[static_cast<std::size_t>(trial % 3)];
    shape.size = std::hypot(std::max(shape.radii[0], shape.radii[1]), shape.half);
    PlacedFrustum own = frustum_at(shape, Vector3d::Zero(), random.turn());
    std::vector<Vector3d> corners;
    for (int k = 0; k < 10; ++k) corners.push_back(0.5 * random.vector(1.0).normalized());
    const auto hull = trial / 3 % 3 == 0   ? narrow_phase::box_hull({0.3, 0.4, 0.2})
                      : trial / 3 % 3 == 1 ? narrow_phase::segment_hull(0.4)
                                           : ConvexPolyhedron(corners).hull();
    PlacedHull other;
    const Matrix3d turn = random.turn();
    Vector3d at = 1.5 * random.vector(1.0).normalized();
    other.place(*hull, 0.0, turn, at);
    const PatchPoint far = least_of(points_of(own, other));
    const auto check = [&](const PatchPoint& least) {
      frusta::expect_least_gap(
          least, own, [&](const Vector3d& n) { return separation(own, other, n); }, trial);
      if (least.gap < 0.0) return;
      for (Index f = 0; f < other.num_faces(); ++f)
        ASSERT_LE(other.normal(f).dot(least.on_second), other.offset(f) + 1e-12) << trial;
    };
    check(far);
    const double wanted = trial % 2 == 0 ? 1e-3 : -random.number(1e-6, 0.1);
    at += (far.gap - wanted) * far.normal;
    other.place(*hull, 0.0, turn, at);
    const auto near = points_of(own, other);
    const PatchPoint& least = least_of(near);
    // A motion along the normal of the closest points closes the gap by as much.
    if (wanted > 0.0) {
      ASSERT_NEAR(least.gap, wanted, 1e-13) << trial;
    }
    check(least);
    overlapping += least.gap < 0.0 ? 1 : 0;
    for (const PatchPoint& point : near) ASSERT_GE(point.gap, least.gap);
  }
  EXPECT_GT(overlapping, 50);
}

TEST(Frusta, DistancesOfPointsAreThoseOfTheirNearestPoints) {
  // distance >= n . (x - y) for each y of the solid and unit n, with equality at the nearest point: the support
  // decides.
  Random random(37);
  for (int trial = 0; trial < 3000; ++trial) {
    Frustum shape{
        {random.number(0.1, 0.6), trial % 3 == 0 ? 0.0 : random.number(0.1, 0.6)}, random.number(0.1, 0.6), 0.0};
    const PlacedFrustum own = frustum_at(shape, random.vector(0.5), random.turn());
    const Vector3d x = own.centre + random.vector(1.2);
    const auto found = narrow_phase::distance_from(own, x);
    ASSERT_NEAR(found.normal.norm(), 1.0, 1e-14);
    ASSERT_NEAR(found.normal.dot(x) - support(own, found.normal), found.distance, 1e-14) << trial;
    // The derivative of the distance, by differences of curvature below 1 / distance.
    if (found.distance > 0.05) {
      const Vector3d d = random.vector(1.0).normalized();
      const double s = 1e-5, rate = (narrow_phase::distance_from(own, x + s * d).distance -
                                     narrow_phase::distance_from(own, x - s * d).distance) /
                                    (2.0 * s);
      ASSERT_NEAR(rate, found.normal.dot(d), 1e-7) << trial;
    } else if (found.distance < 0.0) {  // no plane that the solid is behind is nearer
      for (int k = 0; k < 20; ++k) {
        const Vector3d n = random.vector(1.0).normalized();
        ASSERT_LE(n.dot(x) - support(own, n), found.distance + 1e-14);
      }
    }
  }
}

TEST(Frusta, EndsAndSidesMeetFacesInWholePatches) {
  const Frustum cylinder{{0.3, 0.3}, 0.5, std::hypot(0.3, 0.5)};
  PlacedHull plate;
  const auto box = narrow_phase::box_hull({1.0, 1.0, 0.1});
  plate.place(*box, 0.0, Matrix3d::Identity(), Vector3d::Zero());
  const auto count = [&](const Vector3d& centre, const Matrix3d& turn, double gap) {
    const auto points = points_of(frustum_at(cylinder, centre, turn), plate, 0.01);
    for (const PatchPoint& point : points) {
      EXPECT_NEAR(point.gap, gap, 1e-14);
      EXPECT_LE((point.normal - Vector3d::UnitZ()).norm(), 1e-14);
    }
    return points.size();
  };
  const Matrix3d upright = Matrix3d::Identity(),
                 lying = Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3d::UnitX()).toRotationMatrix();
  for (const double gap : {1e-3, 0.0, -1e-3}) {
    EXPECT_EQ(count({0.1, 0.2, 0.6 + gap}, upright, gap), 4u);
    EXPECT_EQ(count({0.9, 0.2, 0.6 + gap}, upright, gap), 5u);  // three of the circle, two where it crosses the side
    EXPECT_EQ(count({0.1, 0.2, 0.4 + gap}, lying, gap), 2u);
    EXPECT_EQ(count({0.1, 0.8, 0.4 + gap}, lying, gap), 2u);  // an end and the plate's side
  }
  // A capsule beside it, and one across its end.
  PlacedHull capsule;
  const auto axis = narrow_phase::segment_hull(0.4);
  capsule.place(*axis, 0.1, Matrix3d::Identity(), {0.45, 0.0, 0.3});
  const auto beside = points_of(frustum_at(cylinder, Vector3d::Zero(), upright), capsule, 0.1);
  ASSERT_EQ(beside.size(), 2u);
  for (const PatchPoint& point : beside) EXPECT_NEAR(point.gap, 0.05, 1e-14);
  capsule.place(*axis, 0.1, lying, {0.1, 0.0, 0.7});
  const auto on_end = points_of(frustum_at(cylinder, Vector3d::Zero(), upright), capsule, 0.2);
  ASSERT_EQ(on_end.size(), 2u);
  for (const PatchPoint& point : on_end) EXPECT_NEAR(point.gap, 0.1, 1e-14);
}

/// How far x is from the surface of a hull of faces.
double off_surface(const PlacedHull& hull, const Vector3d& x) {
  double most = -std::numeric_limits<double>::infinity();
  for (Index f = 0; f < hull.num_faces(); ++f) most = std::max(most, hull.normal(f).dot(x) - hull.offset(f));
  return std::abs(most);
}

TEST(Frusta, PatchesOfFlatConesLieOnBothSurfaces) {
  // Sides that look at the face within 0.2 rad all around, from straight down the axis to the line of the side on the
  // face, and beside the face's border; sizes of 1, so that 1e-12 is thousands of roundings.
  const PlacedHull plate = [] {
    static const auto box = narrow_phase::box_hull({0.8, 0.6, 0.1});
    PlacedHull placed;
    placed.place(*box, 0.0, Matrix3d::Identity(), Vector3d::Zero());
    return placed;
  }();
  const double half = 0.05;
  for (const double top : {0.0, 0.2}) {
    const Frustum shape{{top, 1.0}, half, std::hypot(1.0, half)};  // the narrow end is below
    for (const double tilt : {0.0, 1e-14, 1e-13, 1e-11, 1e-9, 1e-5, 0.03, std::atan(2.0 * half / (1.0 - top))}) {
      for (const double aside : {0.0, 0.3, 0.7}) {
        const Matrix3d turn = Eigen::AngleAxisd(tilt, Vector3d(0.6, 0.8, 0.0)).toRotationMatrix();
        const Vector3d narrow = Vector3d(aside, -0.5 * aside, 0.1 - 1e-3);
        const PlacedFrustum own = frustum_at(shape, narrow + half * turn.col(2), turn);
        const auto points = points_of(own, plate, 0.3);
        ASSERT_FALSE(points.empty());
        for (const PatchPoint& point : points) {
          ASSERT_NEAR(narrow_phase::distance_from(own, point.on_first).distance, 0.0, 1e-12) << tilt << ' ' << aside;
          ASSERT_NEAR(off_surface(plate, point.on_second), 0.0, 1e-12) << tilt << ' ' << aside;
        }
        if (tilt == 0.0 && top == 0.0) {  // the tip alone
          ASSERT_EQ(points.size(), 1u);
          ASSERT_LE((points[0].on_first - narrow).norm(), 1e-12);
        }
      }
    }
  }
}

TEST(Frusta, EndsThatLookAwayFromAPlaneHaveNoPointInTheirMiddle) {
  Patch patch;
  const Matrix3d turn = Matrix3d::Identity();
  const auto count = [&](const Frustum& shape) {
    narrow_phase::find_contacts(frustum_at(shape, Vector3d::Zero(), turn), Vector3d::UnitZ(), -shape.half, 1.0, patch);
    return patch.size();
  };
  EXPECT_EQ(count({{1.0, 1.0}, 0.05, std::hypot(1.0, 0.05)}), 4u);  // a thin disk: those that it stands on
  EXPECT_EQ(count({{0.0, 1.0}, 0.05, std::hypot(1.0, 0.05)}), 1u);  // a cone on its tip
  EXPECT_EQ(count({{1.0, 0.0}, 0.05, std::hypot(1.0, 0.05)}), 5u);  // a cone on its base, and its tip above
}

TEST(Frusta, NormalRowsAreDerivativesOfGaps) {
  // The least gap of a pair changes as its normal row says; third derivatives are below 8 / d^2 = 1e5 at distances
  // d >= 1e-2, so that central differences are right to s^2 1e5 / 6 = 2e-8, and to 2e-9 by rounding. Overlaps of more
  // than 0.1 are left out: there the gap told may not be the least way out.
  constexpr double s = 1e-6, tolerance = 1e-7;
  Random random(41);
  int compared = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Shape solid = trial % 2 == 0
                            ? Shape(Cylinder{random.number(0.2, 0.4), random.number(0.2, 0.4)})
                            : Shape(Cone{.radius = random.number(0.3, 0.5), .height = random.number(0.3, 0.6)});
    const std::vector<Shape> others{HalfSpace{.normal = {0.1, 0.2, 1.0}, .offset = -0.8}, Sphere{0.3},
                                    Capsule{0.2, 0.3}, Box{Vector3d(0.2, 0.3, 0.4)}};
    const Shape& other = others[static_cast<std::size_t>(trial / 2 % 4)];
    const Eigen::Quaterniond turn(random.turn()), turn_other(random.turn());
    NonSmoothDynamicalSystem model;
    const auto body = model.add(RigidBody{.orientation = {turn.w(), turn.x(), turn.y(), turn.z()},
                                          .velocity = random.vector(1.0),
                                          .angular_velocity = random.vector(1.0)});
    const bool plane = std::holds_alternative<HalfSpace>(other);
    const ShapeOnBody ground{
        .shape = other,
        .position = plane ? Vector3d(Vector3d::Zero()) : Vector3d(0.9 * random.vector(1.0)),
        .orientation = plane ? Eigen::Vector4d(1.0, 0.0, 0.0, 0.0)
                             : Eigen::Vector4d(turn_other.w(), turn_other.x(), turn_other.y(), turn_other.z())};
    const BodyContacts source({{body, {{.shape = solid, .position = {0.1, 0.0, -0.1}}}}}, {ground}, NewtonImpactLaw{});
    const auto least_after = [&](double time) {
      State state = model.initial_state();
      const Eigen::VectorXd v = time * state.v(body);
      Eigen::Quaterniond q(state.q(body)[3], state.q(body)[4], state.q(body)[5], state.q(body)[6]);
      if (v.tail<3>().norm() > 0.0)
        q = q * Eigen::Quaterniond(Eigen::AngleAxisd(v.tail<3>().norm(), v.tail<3>().normalized()));
      state.q(body).head<3>() += v.head<3>();
      state.q(body).tail<4>() << q.w(), q.x(), q.y(), q.z();
      double gap = std::numeric_limits<double>::infinity(), rate = 0.0;
      std::uint64_t feature = 0;
      for (const ContactBatch& batch : contacts_at(state, source, 1.0)) {
        for (Index i = 0; i < batch.size(); ++i) {
          const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
          if (contact.gap >= gap) continue;
          gap = contact.gap;
          feature = contact.feature;
          rate = Eigen::Map<const Eigen::Matrix<double, 6, 1>>(batch.H_first(i)).dot(state.v(body));
        }
      }
      return std::tuple(gap, rate, feature);
    };
    const auto [gap, rate, feature] = least_after(0.0);
    const auto [before, rate_before, feature_before] = least_after(-s);
    const auto [after, rate_after, feature_after] = least_after(s);
    if (!std::isfinite(gap) || std::abs(gap) < 1e-2 || gap < -0.1 || feature_before != feature ||
        feature_after != feature)
      continue;
    ASSERT_NEAR(rate, (after - before) / (2.0 * s), tolerance) << trial;
    ++compared;
  }
  EXPECT_GT(compared, 60);
}

}  // namespace
}  // namespace nonsmooth::frusta_gaps_test
