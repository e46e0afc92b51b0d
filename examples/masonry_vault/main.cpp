// SPDX-License-Identifier: Apache-2.0
// A barrel vault of dry stones, thick enough to stand or not (SI units): voussoirs as convex polyhedra.
//
//   m dv = m g dt + sum dp,   J dOmega + Omega x J Omega dt = sum r x dp,   0 <= u_N+  ⟂  p_N >= 0,
//   |p_T| <= mu p_N, opposed to the slip u_T, at the corners of each joint.
//
// Joints cannot pull. The vault stands as long as a line of thrust fits between intrados and extrados (Heyman 1969
// [heyman1969]): from the extrados of the crown, level, with a thrust H such that at the joint at b from the crown
//
//   W r_i sin b - M <= H (r_o - r_i cos b),   H (r_o - r_o cos b) <= W r_o sin b - M,   r = R -+ t / 2,
//
// W the weight from the crown to there and M its moment about the crown. For ever more stones that takes t / R = 0.1075
// of a half circle; for 16 of them it is what least_thickness() finds. Thinner, it falls by hinges at the crown, at the
// haunches and at the springings.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Geometry>

using namespace nonsmooth;

const int kStones = 16;
const double kRadius = 2.0, kDeep = 1.0, kDensity = 2000.0, kGravity = 9.81, kFriction = 0.6;
const double kHalfAngle = 0.5 * std::numbers::pi / kStones;

// Corners of a stone from the centre of the vault, z along its middle: (+-edge, height) at the intrados and extrados.
struct Stone {
  double low, high, slope = std::tan(kHalfAngle), area, centre;

  explicit Stone(double thickness)
      : low((kRadius - 0.5 * thickness) * std::cos(kHalfAngle)),
        high((kRadius + 0.5 * thickness) * std::cos(kHalfAngle)) {
    area = slope * (high * high - low * low);
    centre = 2.0 / 3.0 * slope * (std::pow(high, 3) - std::pow(low, 3)) / area;
  }
  [[nodiscard]] double mass() const { return kDensity * kDeep * area; }
  [[nodiscard]] RigidBody body(double angle) const {  // from the crown
    const double fourth = std::pow(high, 4) - std::pow(low, 4);
    const Eigen::Vector3d squares(std::pow(slope, 3) * fourth / (6.0 * area), kDeep * kDeep / 12.0,
                                  0.5 * slope * fourth / area - centre * centre);
    return {.mass = mass(),
            .inertia = (mass() * (squares.sum() * Eigen::Vector3d::Ones() - squares)).asDiagonal(),
            .position = {centre * std::sin(angle), 0.0, centre * std::cos(angle)},
            .orientation = {std::cos(0.5 * angle), 0.0, std::sin(0.5 * angle), 0.0},
            .gravity = {0.0, 0.0, -kGravity},
            .gyroscopic = GyroscopicTerm::Explicit};
  }
  // In the body, of one side of the vault.
  [[nodiscard]] std::vector<Eigen::Vector3d> outline(double y) const {
    const double a = slope * low, b = slope * high, down = low - centre, up = high - centre;
    return {{-a, y, down}, {a, y, down}, {b, y, up}, {-b, y, up}};
  }
  [[nodiscard]] Shape shape() const {
    std::vector<Eigen::Vector3d> corners = outline(-0.5 * kDeep);
    for (const Eigen::Vector3d& corner : outline(0.5 * kDeep)) corners.push_back(corner);
    return ConvexPolyhedron(corners);
  }
};

double least_thickness() {
  const auto stands = [](double t) {
    const Stone stone(t);
    const double r_i = kRadius - 0.5 * t, r_o = kRadius + 0.5 * t;
    double least = 0.0, largest = std::numeric_limits<double>::infinity(), W = 0.0, M = 0.0;
    for (int k = 0; 2 * k < kStones; ++k) {
      const double b = (2 * k + 2) * kHalfAngle, c = std::cos(b), s = std::sin(b);
      W += stone.mass() * kGravity;
      M += stone.mass() * kGravity * stone.centre * std::sin(b - kHalfAngle);
      least = std::max(least, (W * r_i * s - M) / (r_o - r_i * c));
      largest = std::min(largest, (W * r_o * s - M) / (r_o - r_o * c));
    }
    return least <= largest;
  };
  double falls = 0.05 * kRadius, holds = 0.2 * kRadius;
  while (holds - falls > 1e-9) {
    const double middle = 0.5 * (falls + holds);
    (stands(middle) ? holds : falls) = middle;
  }
  return holds;
}

// A vault let go at rest.
struct Run {
  Stone stone;
  std::vector<SystemHandle> stones{};
  State start{}, middle{}, end{};
  Table table{"t", "crown"};
  bool completed = false;

  // How far a stone goes out on the right, and up [m].
  [[nodiscard]] double out(std::size_t i) const { return end.q(stones[i])[0] - start.q(stones[i])[0]; }
  [[nodiscard]] double up(std::size_t i) const { return end.q(stones[i])[2] - start.q(stones[i])[2]; }
};

Run let_go(double thickness, double tolerance, double T) {
  // 1. Stones side by side, the last of each side on the ground.
  Run run{.stone = Stone(thickness)};
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> shapes;
  const Shape shape = run.stone.shape();
  for (int i = 0; i < kStones; ++i) {
    run.stones.push_back(model.add(run.stone.body((2 * i + 1 - kStones) * kHalfAngle)));
    shapes.push_back({run.stones.back(), {{.shape = shape}}});
  }
  model.detect(
      BodyContacts(shapes, {{.shape = HalfSpace{}}}, NewtonImpactFrictionLaw{.friction = kFriction, .dimension = 3}));

  // 2. Steps. The gyroscopic term is explicit, the rest linear in velocities: one iteration is exact.
  TimeStepping simulation{
      model, {.step = 2e-3, .solver = mixed::Automatic{.tolerance = tolerance}, .newton = {.max_iterations = 1}}};
  run.start = simulation.state();
  const auto report = simulation.advance_to(T, [&](const State& x) {
    run.table.record({x.t, x.q(run.stones[kStones / 2])[2]});
    if (x.k == std::lround(0.7 * T / 2e-3)) run.middle = x;
  });
  if (!report) std::cerr << report.message() << '\n';
  run.end = simulation.state();
  run.completed = bool(report);
  return run;
}

Series outlines(const Run& run, const State& x) {
  Series lines;
  for (const SystemHandle stone : run.stones) {
    const auto q = x.q(stone);
    const Eigen::Quaterniond turn(q[3], q[4], q[5], q[6]);
    auto corners = run.stone.outline(0.0);
    corners.push_back(corners.front());
    for (const Eigen::Vector3d& corner : corners) {
      const Eigen::Vector3d place = turn * corner;
      lines.x.push_back(q[0] + place[0]);
      lines.y.push_back(q[2] + place[2]);
    }
    lines.x.push_back(std::numeric_limits<double>::quiet_NaN());
    lines.y.push_back(std::numeric_limits<double>::quiet_NaN());
  }
  return lines;
}

Picture picture(const Run& stands, const Run& falls, const std::filesystem::path& file) {
  const auto seen = [](const Run& run, const State& x) {
    return Panel{.x = {"x [m]", -3.0, 3.0},
                 .y = {"z [m]", 0.0, 2.4},
                 .series = {{.x = {-3.0, 3.0}, .y = {0.0, 0.0}, .style = Series::Style::Ground}, outlines(run, x)}};
  };
  const auto line = [](const Run& run, const std::string& label) {
    return Series{.x = run.table.column("t"), .y = run.table.column("crown"), .label = label};
  };
  return draw({.title = "A vault of 16 stones",
               .panels = {seen(stands, stands.end),
                          seen(falls, falls.middle),
                          seen(falls, falls.end),
                          {.x = {.label = "time [s]"},
                           .y = {.label = "crown [m]"},
                           .series = {line(stands, "2 % thicker"), line(falls, "2 % thinner")}}},
               .width = 700,
               .height = 1300},
              file);
}

int example(const Arguments& arguments) {
  const double t = least_thickness();
  const Run stands = let_go(1.02 * t, 1e-9, 0.3), falls = let_go(0.98 * t, 1e-6, 0.9);
  if (!stands.completed || !falls.completed) return 1;

  // 3. Bounds. A stone at rest is solved to 1e-9 of g h in each step, a falling one to 1e-6. The pivots of the falling
  //    vault are as symmetric as it is: both sides move alike until round-off grows with the fall.
  Bounds bounds;
  const std::size_t crown = kStones / 2, haunch = 12, other = kStones - 1 - haunch;  // of the right, and of the left
  bounds.near("least thickness / radius", t / kRadius, 0.1071, 5e-4);
  bounds.near("the thicker vault moves by [m]", (stands.end.positions - stands.start.positions).cwiseAbs().maxCoeff(),
              0.0, 1e-9);
  bounds.within("crown of the thinner one goes up by [m]", falls.up(crown), -1.5, -0.1);
  bounds.within("and its haunches go out by [m]", std::min(falls.out(haunch), -falls.out(other)), 0.02, 1.0);
  bounds.near("left and right differ by [m]", falls.out(haunch) + falls.out(other), 0.0, 0.02);
  std::cout << bounds.report();
  if (arguments.pictures())
    std::cout << picture(stands, falls, *arguments.pictures() / "masonry_vault.png").message() << '\n';
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
