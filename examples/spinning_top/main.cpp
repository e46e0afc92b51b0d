// SPDX-License-Identifier: Apache-2.0
// A spinning top whose tip is held, let go at a tilt: it nutates and precesses (SI units).
//
//   m xdd = m g + f,   J Omegad + Omega x J Omega = r x R^T f,   x + R r = 0,   r = (0, 0, -l) the tip in the body.
//
// With I = J_1 + m l^2, a = J_3 spin / I, b = 2 m g l / I the height u = cos(tilt) obeys
//   ud^2 = b (u_0 - u) (u - u_1) (u_2 - u),   u_1, u_2 = (a^2 -+ sqrt(a^4 - 4 b (a^2 u_0 - b))) / (2 b),
// so that it swings between u_0 and u_1, while the azimuth moves at a (u_0 - u) / (1 - u^2): cusps where it is at rest.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numbers>

#include <Eigen/Geometry>

using namespace nonsmooth;

int example(const Arguments& arguments) {
  const double m = 1.0, l = 0.1, J1 = 2e-3, J3 = 1.5e-3, g = 9.81, spin = 200.0, tilt = 0.6;
  const Eigen::Vector3d r(0.0, 0.0, -l), up = Eigen::Vector3d::UnitZ(), inertia(J1, J1, J3);
  const auto turn = [](ConstVectorRef q) { return Eigen::Quaterniond(q[3], q[4], q[5], q[6]); };

  // 1. The body, tilted about x, spinning about its axis; and its tip, held at the origin.
  NonSmoothDynamicalSystem model;
  const Eigen::Quaterniond start(Eigen::AngleAxisd(tilt, Eigen::Vector3d::UnitX()));
  const auto top = model.add(RigidBody{.mass = m,
                                       .inertia = inertia.asDiagonal(),
                                       .position = start * -r,
                                       .orientation = {start.w(), start.x(), start.y(), start.z()},
                                       .angular_velocity = {0.0, 0.0, spin},
                                       .gravity = {0.0, 0.0, -g}});
  link_joint(model, {top}, BallJoint{.frames = {.first = {.point = r}}}, "tip");

  // 2. The closed form. The integrals over half a nutation, u = (u_0 + u_1) / 2 + (u_0 - u_1) / 2 sin s, are of
  // periodic
  //    functions, which the midpoint rule takes to rounding with 64 points.
  const double I = J1 + m * l * l, a = J3 * spin / I, b = 2 * m * g * l / I, u0 = std::cos(tilt);
  const double root = std::sqrt(a * a * a * a - 4 * b * (a * a * u0 - b)), u1 = (a * a - root) / (2 * b);
  double half = 0.0, azimuth = 0.0;
  for (int i = 0; i < 64; ++i) {
    const double u = (u0 + u1) / 2 + (u0 - u1) / 2 * std::sin(std::numbers::pi * ((i + 0.5) / 64 - 0.5));
    const double dt = std::numbers::pi / 64 / std::sqrt((a * a + root) / 2 - b * u);  // b (u_2 - u)
    half += dt;
    azimuth += dt * a * (u0 - u) / (1 - u * u);
  }
  const int nutations = 8;

  // 3. By events.
  EventDriven simulation{model};
  Ledger ledger(simulation);
  const double energy = ledger.last().energy();
  Table table{"t", "x", "y", "tilt", "energy"};
  State at = simulation.state();
  double off_tip = 0.0, off_energy = 0.0, highest = -1.0, lowest = 1.0;
  Index samples = 0, steps = 0;
  const auto report = simulation.advance_to(
      2 * nutations * half, EventDrivenObserver{.segment = [&](const SmoothSegment& step) {
        for (; static_cast<double>(samples) * 1e-3 <= step.end(); ++samples) {
          step.evaluate(static_cast<double>(samples) * 1e-3, at);
          const Eigen::Vector3d axis = turn(at.q(top)) * up;
          table.record({at.t, axis[0], axis[1], std::acos(axis[2]), ledger.record(at).energy()});
        }
        step.evaluate(step.end(), at);
        ++steps;
        const double u = (turn(at.q(top)) * up)[2];
        highest = std::max(highest, u), lowest = std::min(lowest, u);
        off_tip = std::max(off_tip, (Eigen::Vector3d(at.q(top).head<3>()) + turn(at.q(top)) * r).norm());
        off_energy = std::max(off_energy, std::abs(ledger.record(at).energy() / energy - 1));
        return true;
      }});
  if (!report) return std::cerr << report.message() << '\n', 1;

  // 4. Bounds. Steps keep 1e-10 of the state; what they leave of the spin, energy and azimuth adds up, at most.
  const double error = 1e-10 * static_cast<double>(steps), end = 2 * nutations * azimuth;
  const Eigen::Vector3d axis = turn(simulation.state().q(top)) * up;
  const Eigen::Vector3d expected(std::sin(tilt) * std::sin(end), -std::sin(tilt) * std::cos(end), u0);
  Bounds bounds;
  bounds.near("axis after 8 nutations is off by", (axis - expected).norm(), 0.0, error * 2 * nutations);
  bounds.within("highest cos(tilt), less u_0", highest - u0, -1e-2, error);
  bounds.within("lowest cos(tilt), less u_1", lowest - u1, -error, 1e-2);
  bounds.near("spin about the axis [rad/s]", simulation.state().v(top)[5], spin, error * spin);
  bounds.near("energy drifts by [of the first]", off_energy, 0.0, 2 * error);
  bounds.near("tip moves by [m]", off_tip, 0.0, 1e-14);
  std::cout << bounds.report();

  // 5. A picture, where one is wanted.
  if (arguments.pictures()) {
    const auto& t = table.column("t");
    const double T = simulation.state().t, least = std::acos(u0), most = std::acos(u1);
    const Panel above{.x = {.label = "x of the axis", .low = -0.9, .high = 0.9},
                      .y = {.label = "y of the axis", .low = -0.9, .high = 0.9},
                      .series = {{.x = table.column("x"), .y = table.column("y")}},
                      .same_units = true};
    const Panel angle{
        .x = {.label = "time [s]", .low = 0.0, .high = T},
        .y = {.label = "tilt [rad]", .low = 0.55, .high = 0.85},
        .series = {{.x = t, .y = table.column("tilt"), .label = "top"},
                   {.x = {0.0, T}, .y = {least, least}, .label = "u_0, u_1", .style = Series::Style::Guide},
                   {.x = {0.0, T}, .y = {most, most}, .style = Series::Style::Guide}}};
    std::cout << draw({.title = "Spinning top: nutation and precession",
                       .panels = {above, angle},
                       .width = 960,
                       .height = 460,
                       .columns = 2},
                      *arguments.pictures() / "spinning_top")
                     .message()
              << '\n';
  }
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
