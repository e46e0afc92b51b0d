// SPDX-License-Identifier: Apache-2.0
// Scenes whose motion is known: how far off time-stepping is, and what a step costs. SI units, g = 9.81.
//
//   slope     box of 0.2 x 0.2 x 0.1 m on 20 degrees: mu = 0.5 holds it for 10 s; mu = 0.3 lets it slide for 2 s
//   straight  the same box pushed at 2 m/s over a plane, mu = 0.5, at 0, 22.5 and 45 degrees
//   rolling   a ball of 0.1 m pushed at 2 m/s, mu = 0.3: it rolls from 2 v / (7 mu g) on, at 5/7 v
//   heavy     a cube of 0.2 m on one that is 1 to 1000 times lighter, edges on edges and 1 mm aside, 5 s
//   bouncing  a ball of 0.1 m dropped from 1 m, e = 0.9: apex n at 0.81^n, 12 s
//   tower     ten cubes of 0.2 m, edges on edges and up to 1 mm aside, 30 s
//
// Gaps and ways are of the bodies' corners and centres, whatever the solver says of itself. Exits nonzero where a step
// fails or a stack falls.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Geometry>

#include <benchmarks/timing.hpp>
#include <nonsmooth/kernel.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;
using Eigen::Vector3d;

constexpr double kGravity = 9.81;
bool wrong = false;  // a step failed, or a stack fell

/// Bodies of a scene on one half-space.
struct Scene {
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> bodies;
  Vector3d normal = Vector3d::UnitZ();

  SystemHandle add(const Shape& shape, double mass, const Vector3d& inertia, const Vector3d& position,
                   const Vector3d& velocity, double tilt = 0.0) {
    RigidBody body;
    body.mass = mass;
    body.inertia = inertia.asDiagonal();
    body.position = position;
    body.velocity = velocity;
    body.orientation = {std::cos(0.5 * tilt), 0.0, std::sin(0.5 * tilt), 0.0};
    body.gravity = {0.0, 0.0, -kGravity};
    bodies.push_back({model.add(body), {}});
    ShapeOnBody placed;
    placed.shape = shape;
    bodies.back().shapes.push_back(placed);
    return bodies.back().body;
  }
  SystemHandle box(double mass, const Vector3d& half, const Vector3d& position, const Vector3d& velocity,
                   double tilt = 0.0) {
    const Vector3d squares = half.cwiseAbs2() * (mass / 3.0);
    return add(Box{half}, mass, squares.sum() * Vector3d::Ones() - squares, position, velocity, tilt);
  }
  SystemHandle ball(double radius, const Vector3d& position, const Vector3d& velocity) {
    return add(Sphere{radius}, 1.0, Vector3d::Constant(0.4 * radius * radius), position, velocity);
  }
  TimeStepping simulation(double mu, double e, double h) {
    NewtonImpactFrictionLaw law;
    law.restitution = e;
    law.friction = mu;
    law.dimension = 3;
    ShapeOnBody ground;
    ground.shape = HalfSpace{normal, 0.0};
    model.detect(BodyContacts(bodies, {ground}, law));
    TimeSteppingOptions options;
    options.step = h;
    options.solver = mixed::Automatic{.tolerance = 1e-12};
    return {model, options};
  }
};

/// Goes on to T and says what a step took [us].
template <class Observer>
double run(TimeStepping& simulation, double T, Observer&& observer) {
  const double start = cpu_seconds();
  const RunReport report = simulation.advance_to(T, observer);
  if (!report) {
    wrong = true;
    std::printf("  FAILED: %s\n", report.message().c_str());
  }
  return 1e6 * (cpu_seconds() - start) / static_cast<double>(std::max<Index>(1, report.steps));
}

Eigen::Matrix3d turn(ConstVectorRef q) { return Eigen::Quaterniond(q[3], q[4], q[5], q[6]).toRotationMatrix(); }

/// The lowest corner of a box above n.x = 0.
double gap_above_plane(ConstVectorRef q, const Vector3d& half, const Vector3d& n) {
  return n.dot(q.head<3>()) - half.dot((turn(q).transpose() * n).cwiseAbs());
}

/// The least distance of corners of either cube from the face of the other that looks at it.
double gap_between(ConstVectorRef below, ConstVectorRef above, double half) {
  const Eigen::Matrix3d lower = turn(below), upper = turn(above);
  const Vector3d apart = above.head<3>() - below.head<3>();
  const double of_upper = lower.col(2).dot(apart) - half - half * (lower.col(2).transpose() * upper).cwiseAbs().sum();
  const double of_lower = upper.col(2).dot(apart) - half - half * (upper.col(2).transpose() * lower).cwiseAbs().sum();
  return std::min(of_upper, of_lower);
}

void slope(double h) {
  const double a = std::numbers::pi / 9.0;
  const Vector3d half(0.1, 0.1, 0.05), downhill(std::cos(a), 0.0, -std::sin(a));
  for (const double mu : {0.5, 0.3}) {
    Scene scene;
    scene.normal = {std::sin(a), 0.0, std::cos(a)};
    const auto box = scene.box(1.0, half, half[2] * scene.normal, Vector3d::Zero(), a);
    TimeStepping simulation = scene.simulation(mu, 0.0, h);
    const Vector3d start = simulation.state().q(box).head<3>();
    double deepest = 0.0, highest = 0.0;
    const double T = mu > 0.4 ? 10.0 : 2.0;
    const double cost = run(simulation, T, [&](const State& x) {
      const double gap = gap_above_plane(x.q(box), half, scene.normal);
      deepest = std::max(deepest, -gap), highest = std::max(highest, gap);
    });
    const double way = downhill.dot(Vector3d(simulation.state().q(box).head<3>()) - start);
    const double exact = mu > 0.4 ? 0.0 : 0.5 * kGravity * (std::sin(a) - mu * std::cos(a)) * T * T;
    std::printf("slope     mu = %.1f          way off %9.2e m, in by %8.1e m, lifted %8.1e m, %6.2f us a step\n", mu,
                way - exact, deepest, highest, cost);
  }
}

void straight(double h) {
  const Vector3d half(0.1, 0.1, 0.05);
  for (const double degrees : {0.0, 22.5, 45.0}) {
    const double a = degrees * std::numbers::pi / 180.0, speed = 2.0, mu = 0.5;
    Scene scene;
    const auto box = scene.box(1.0, half, {0.0, 0.0, half[2]}, speed * Vector3d(std::cos(a), std::sin(a), 0.0));
    TimeStepping simulation = scene.simulation(mu, 0.0, h);
    double yaw = 0.0, deepest = 0.0;
    const double cost = run(simulation, 2.0, [&](const State& x) {
      const auto q = x.q(box);
      yaw = std::max(yaw, std::abs(2.0 * std::atan2(q[6], q[3])));
      deepest = std::max(deepest, -gap_above_plane(q, half, Vector3d::UnitZ()));
    });
    const auto q = simulation.state().q(box);
    const double exact = speed * speed / (2.0 * mu * kGravity);
    std::printf(
        "straight  %4.1f degrees      stops off %9.2e of its way, bends %8.1e, turns %8.1e degrees, in by %8.1e m, "
        "%6.2f us a step\n",
        degrees, std::hypot(q[0], q[1]) / exact - 1.0, std::atan2(q[1], q[0]) * 180.0 / std::numbers::pi - degrees,
        yaw * 180.0 / std::numbers::pi, deepest, cost);
  }
}

void rolling(double h) {
  const double radius = 0.1, speed = 2.0, mu = 0.3;
  Scene scene;
  const auto ball = scene.ball(radius, {0.0, 0.0, radius}, {speed, 0.0, 0.0});
  TimeStepping simulation = scene.simulation(mu, 0.0, h);
  double rolls = 0.0, before = speed, deepest = 0.0;
  const double cost = run(simulation, 2.0, [&](const State& x) {
    const auto v = x.v(ball);
    const double slip = v[0] - radius * (turn(x.q(ball)) * v.tail<3>())[1], threshold = 0.01 * speed;
    if (rolls == 0.0 && slip < threshold) rolls = x.t - h * (threshold - slip) / (before - slip);
    before = slip;
    deepest = std::max(deepest, radius - x.q(ball)[2]);
  });
  std::printf(
      "rolling                    at %9.2e of its time, v off %9.2e, slip %9.2e m/s, in by %8.1e m, %6.2f us a step\n",
      rolls / (0.99 * 2.0 * speed / (7.0 * mu * kGravity)) - 1.0,
      simulation.state().v(ball)[0] / (5.0 / 7.0 * speed) - 1.0, before, deepest, cost);
}

/// Cubes on one another, each `aside` of the one below in turn; the lowest has 1 kg.
void stack(const std::string& name, const std::vector<double>& masses, double aside, double h, double T) {
  const double half = 0.1;
  Scene scene;
  std::vector<SystemHandle> cubes;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const Vector3d place(aside * static_cast<double>(i % 2), 0.5 * aside * static_cast<double>(i % 3),
                         half * static_cast<double>(2 * i + 1));
    cubes.push_back(scene.box(masses[i], Vector3d::Constant(half), place, Vector3d::Zero()));
  }
  TimeStepping simulation = scene.simulation(0.5, 0.0, h);
  const Eigen::VectorXd start = simulation.state().positions;
  double deepest = 0.0;
  const double cost = run(simulation, T, [&](const State& x) {
    deepest = std::max(deepest, -gap_above_plane(x.q(cubes[0]), Vector3d::Constant(half), Vector3d::UnitZ()));
    for (std::size_t i = 1; i < cubes.size(); ++i)
      deepest = std::max(deepest, -gap_between(x.q(cubes[i - 1]), x.q(cubes[i]), half));
  });
  const double moved = (simulation.state().positions - start).cwiseAbs().maxCoeff();
  if (moved > 0.05) wrong = true;
  std::printf("%-9s %-16s %s, moved %8.1e m, in by %8.1e m, %6.2f us a step\n", name.c_str(),
              aside > 0.0 ? "1 mm aside" : "edges on edges", moved < 0.05 ? "stands" : "FALLS", moved, deepest, cost);
}

void bouncing(double h) {
  const double radius = 0.1, drop = 1.0, e = 0.9;
  Scene scene;
  const auto ball = scene.ball(radius, {0.0, 0.0, radius + drop}, Vector3d::Zero());
  TimeStepping simulation = scene.simulation(0.0, e, h);
  std::vector<double> apexes;
  double before = 0.0, energy = kGravity * drop, gained = 0.0;
  const double cost = run(simulation, 12.0, [&](const State& x) {
    const double v = x.v(ball)[2], now = kGravity * (x.q(ball)[2] - radius) + 0.5 * v * v;
    gained = std::max(gained, now - energy);
    energy = now;
    if (before > 0.0 && v <= 0.0) apexes.push_back(now / (kGravity * drop));
    before = v;
  });
  std::printf("bouncing ");
  for (const std::size_t n : {1u, 2u, 5u, 10u, 20u}) {
    if (n <= apexes.size())
      std::printf(" apex %zu off %7.4f,", n, apexes[n - 1] / std::pow(e * e, static_cast<double>(n)) - 1.0);
  }
  std::printf(" gained %8.1e J, %6.2f us a step\n", gained, cost);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--benchmark_list_tests") {  // as the other programs that measure
    std::puts("slope, straight, rolling, heavy, bouncing, tower");
    return 0;
  }
  for (const double h : {1.0 / 240.0, 1e-3}) {
    std::printf("h = %.6f s\n", h);
    slope(h);
    straight(h);
    rolling(h);
    for (const double aside : {0.0, 1e-3}) {
      for (const double ratio : {1.0, 10.0, 100.0, 1000.0})
        stack("heavy " + std::to_string(static_cast<int>(ratio)), {1.0, ratio}, aside, h, 5.0);
    }
    bouncing(h);
    for (const double aside : {0.0, 1e-3}) stack("tower", std::vector<double>(10, 1.0), aside, h, 30.0);
  }
  return wrong ? 1 : 0;
}
