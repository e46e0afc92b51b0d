// SPDX-License-Identifier: Apache-2.0
// Two bodies whose distance has a closed form: what our narrow phase says of it and Bullet's in both precisions, where
// it is installed; how many points each gives, and what a search costs. Exits nonzero where ours is off by more than
// 1e-12 of a body's size.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string_view>
#include <vector>

#include <Eigen/Geometry>

#include <benchmarks/engines/engines.hpp>
#include <benchmarks/timing.hpp>
#include <contact/narrow_phase/narrow_phase.hpp>

namespace {

using namespace nonsmooth;
using Eigen::Vector3d;
using engines::Body;
using engines::Contact;

constexpr double kGap = 0.01, kHalf = 0.5;  // [m]; cubes of 1 m
constexpr double kExact = 1e-12;            // [m]

Eigen::Quaterniond turned(double angle, const Vector3d& axis) {
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis.normalized()));
}

Body at(Body body, const Vector3d& x, const Eigen::Quaterniond& q = Eigen::Quaterniond::Identity()) {
  body.pose = {{x[0], x[1], x[2]}, {q.w(), q.x(), q.y(), q.z()}};
  return body;
}

/// A pair that is kGap apart.
struct Pair {
  const char* name;
  Body first, second;
};

std::vector<Pair> pairs() {
  Body cube, ball, capsule;
  cube.half_extents = {kHalf, kHalf, kHalf};
  ball.radius = 0.3;
  capsule.radius = 0.2;
  capsule.half_length = 0.4;
  const double half_edge = std::sqrt(2.0) * kHalf, half_corner = std::sqrt(3.0) * kHalf;
  const double quarter = 0.25 * M_PI;
  const Eigen::Quaterniond on_edge_x = turned(quarter, Vector3d::UnitX()),
                           on_edge_y = turned(quarter, Vector3d::UnitY());
  const auto on_corner = Eigen::Quaterniond::FromTwoVectors(Vector3d(1.0, 1.0, 1.0), -Vector3d::UnitZ());
  const Body below = at(cube, Vector3d::Zero()), edge_below = at(cube, Vector3d::Zero(), on_edge_x);
  const double root = kGap + ball.radius, leg = root / std::sqrt(2.0);
  return {
      {"face over face", below, at(cube, {0.1, 0.2, 2.0 * kHalf + kGap})},
      {"edge over face", below, at(cube, {0.1, 0.2, kHalf + half_edge + kGap}, on_edge_y)},
      {"corner over face", below, at(cube, {0.1, 0.2, kHalf + half_corner + kGap}, on_corner)},
      {"edge across edge", edge_below, at(cube, {0.1, 0.2, 2.0 * half_edge + kGap}, on_edge_y)},
      {"ball over face", below, at(ball, {0.1, 0.2, kHalf + root})},
      {"ball at edge", below, at(ball, {0.1, kHalf + leg, kHalf + leg})},
      {"ball over ball", at(ball, Vector3d::Zero()), at(ball, {0.0, 0.0, ball.radius + root})},
      {"capsule across capsule", at(capsule, Vector3d::Zero(), turned(0.5 * M_PI, Vector3d::UnitX())),
       at(capsule, {0.1, 0.2, 2.0 * capsule.radius + kGap}, turned(0.5 * M_PI, Vector3d::UnitY()))},
      {"capsule over edge", edge_below,
       at(capsule, {0.1, 0.2, half_edge + capsule.radius + kGap}, turned(0.5 * M_PI, Vector3d::UnitX()))},
  };
}

using HullPointer = std::shared_ptr<const Hull>;

HullPointer hull_of(const Body& body) {
  if (body.half_length > 0.0) return narrow_phase::segment_hull(body.half_length);
  if (body.radius > 0.0) return narrow_phase::point_hull();
  return narrow_phase::box_hull(Vector3d::Map(body.half_extents.data()));
}

narrow_phase::PlacedHull placed(const Body& body, const Hull& hull) {
  const auto& [w, x, y, z] = body.pose.orientation;
  narrow_phase::PlacedHull result;
  result.place(hull, body.radius, Eigen::Quaterniond(w, x, y, z).toRotationMatrix(),
               Vector3d::Map(body.pose.position.data()));
  return result;
}

Contact our_contact(const Pair& pair) {
  const HullPointer first = hull_of(pair.first), second = hull_of(pair.second);
  narrow_phase::Patch patch;
  Contact result{std::nan(""), 0, 0.0};
  constexpr int searches = 1000;
  const double start = benchmarks::cpu_seconds();
  for (int k = 0; k < searches; ++k) {  // bodies move between searches: placed anew
    patch.clear();
    find_contacts(placed(pair.first, *first), placed(pair.second, *second), 0.1, patch);
  }
  result.seconds = (benchmarks::cpu_seconds() - start) / searches;
  for (const narrow_phase::PatchPoint& point : patch) {
    result.gap = std::fmin(result.gap, point.gap);
    ++result.points;
  }
  return result;
}

void print(const char* code, const Contact& found) {
  std::printf("  %-22s error %9.1e m, %ld points, %7.0f ns\n", code, found.gap - kGap, found.points,
              1e9 * found.seconds);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Pair> all = pairs();
  if (std::any_of(argv + 1, argv + argc,
                  [](std::string_view argument) { return argument == "--benchmark_list_tests"; })) {
    for (const Pair& pair : all) std::puts(pair.name);  // as the other programs that measure
    return 0;
  }
  bool exact = true;
  for (const Pair& pair : all) {
    std::printf("%s\n", pair.name);
    const Contact found = our_contact(pair);
    print("ours", found);
    exact = exact && std::abs(found.gap - kGap) <= kExact;
#ifdef NONSMOOTH_HAVE_BULLET
    using engines::bullet_contact, engines::Precision;
    print("Bullet, single", bullet_contact(pair.first, pair.second, false, Precision::Single));
    print("Bullet, double", bullet_contact(pair.first, pair.second, false, Precision::Double));
    print("Bullet, double, hulls", bullet_contact(pair.first, pair.second, true, Precision::Double));
#endif
  }
  return exact ? 0 : 1;
}
