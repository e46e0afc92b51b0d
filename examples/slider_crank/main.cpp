// SPDX-License-Identifier: Apache-2.0
// A slider-crank whose slider has play in its guide, started at 150 rad/s and left alone (SI units).
//
//   M(q) dv + (F_gyr(q, v) + F_int(q)) dt = sum H_i(q)^T dp_i,    q = (angles of crank, rod, slider),
//
// M_01 = s cos(q_1 - q_0) alone depends on q; F_gyr = s sin(q_0 - q_1) (v_1^2, -v_0^2, 0) are its centrifugal forces
// and F_int is gravity. The guide is 2 (b + c) wide and the slider 2 b, so that it moves freely by c either way and
// turns: each of its corners may touch the guide, y_i = h_i(q), with e = 0.4 and mu = 0.01.
//   Source: Flores, Leine, Glocker 2010, Multibody System Dynamics 23, 165-190.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <numbers>
#include <string>
#include <vector>

#include "picture.hpp"

using namespace nonsmooth;
using std::cos, std::sin;

// What is kept of a run, and whether it holds.
struct Run {
  Table table{"turns", "crank's end", "far end", "crank [rad/s]", "without losses", "energy [J]", "impacts [J]"};
  Bounds bounds;
  RunReport report;
};

Run let_go() {
  const double l1 = 0.153, l2 = 0.306, a = 0.05, b = 0.025, c = 0.001;  // crank, rod, half the slider, play [m]
  const double m1 = 0.038, m2 = 0.038, m3 = 0.076, J1 = 7.4e-5, J2 = 5.9e-4, J3 = 2.7e-6, g = 9.81;
  const double M1 = J1 + (m1 / 4 + m2 + m3) * l1 * l1, M2 = J2 + (m2 / 4 + m3) * l2 * l2, s = (m2 / 2 + m3) * l1 * l2;
  const double G1 = (m1 / 2 + m2 + m3) * g * l1, G2 = (m2 / 2 + m3) * g * l2, e = 0.4, h = 5e-6, T = 0.2;

  // 1. What moves. Jacobians serve Newton's iteration, the potential the energy balance.
  NonSmoothDynamicalSystem model;
  const auto potential = [=](ConstVectorRef q) { return G1 * sin(q[0]) + G2 * sin(q[1]); };
  const auto crank = model.add(
      LagrangianSystem{.mass =
                           [=](ConstVectorRef q, MatrixRef M) {
                             M.diagonal() << M1, M2, J3;
                             M(0, 1) = M(1, 0) = s * cos(q[1] - q[0]);
                           },
                       .gyroscopic =
                           [=](ConstVectorRef q, ConstVectorRef v, VectorRef F) {
                             F << s * sin(q[0] - q[1]) * v[1] * v[1], -s * sin(q[0] - q[1]) * v[0] * v[0], 0.0;
                           },
                       .gyroscopic_dq =
                           [=](ConstVectorRef q, ConstVectorRef v, MatrixRef J) {
                             J(0, 0) = s * cos(q[0] - q[1]) * v[1] * v[1], J(0, 1) = -J(0, 0);
                             J(1, 1) = s * cos(q[0] - q[1]) * v[0] * v[0], J(1, 0) = -J(1, 1);
                           },
                       .gyroscopic_dv =
                           [=](ConstVectorRef q, ConstVectorRef v, MatrixRef J) {
                             J(0, 1) = 2 * s * sin(q[0] - q[1]) * v[1], J(1, 0) = -2 * s * sin(q[0] - q[1]) * v[0];
                           },
                       .internal = [=](double, ConstVectorRef q, ConstVectorRef,
                                       VectorRef F) { F << G1 * cos(q[0]), G2 * cos(q[1]), 0.0; },
                       .internal_dq = [=](double, ConstVectorRef q, ConstVectorRef,
                                          MatrixRef J) { J(0, 0) = -G1 * sin(q[0]), J(1, 1) = -G2 * sin(q[1]); },
                       .potential = potential,
                       .q0 = {0.0, 0.0, 0.0},
                       .v0 = {150.0, -75.0, -0.01}});

  // 2. What it may touch: upper (side = 1) and lower corners at the crank's end (end = -1) and the far end of the
  //    slider; rows are the gap and the place along the guide.
  std::vector<InteractionHandle> corners;
  for (const double side : {1.0, -1.0}) {
    for (const double end : {-1.0, 1.0}) {
      const ScleronomousRelation corner{
          .rows = 2,
          .h =
              [=](ConstVectorRef q, VectorRef y) {
                y << b + c - b * cos(q[2]) - side * (l1 * sin(q[0]) + l2 * sin(q[1]) + end * a * sin(q[2])),
                    l1 * cos(q[0]) + l2 * cos(q[1]) + end * a * cos(q[2]) - side * b * sin(q[2]);
              },
          .H =
              [=](ConstVectorRef q, MatrixRef H) {
                H << -side * l1 * cos(q[0]), -side * l2 * cos(q[1]), b * sin(q[2]) - side * end * a * cos(q[2]),
                    -l1 * sin(q[0]), -l2 * sin(q[1]), -end * a * sin(q[2]) - side * b * cos(q[2]);
              }};
      corners.push_back(model.link(crank, corner, NewtonImpactFrictionLaw{.restitution = e, .friction = 0.01}));
    }
  }

  // 3. Time. M and H in the middle of the step: the rule is then its own mirror image, which pays in energy.
  TimeStepping simulation{model, {.integrator = MoreauJean{.theta = 0.5, .configuration_weight = 0.5}, .step = h}};
  Ledger ledger(simulation);
  const double energy = ledger.last().energy();
  Run run;
  Eigen::Vector3d before = simulation.state().v(crank);
  double deepest = 0.0, fastest = 0.0, turning = 0.0, unbalanced = 0.0, longest = 0.0;
  std::array<double, 4> open_until{};
  run.report = simulation.advance_to(T, [&](const State& x) {
    const LedgerEntry& step = ledger.record(x);
    const Eigen::Vector3d q = x.q(crank), v = x.v(crank), mean = (v + before) / 2, jump = v - before;
    deepest = std::max(deepest, step.penetration);
    unbalanced +=
        h * s * (std::abs(mean[0]) + std::abs(mean[1])) * std::pow(std::abs(jump[0]) + std::abs(jump[1]), 2) / 4;
    turning = std::max(turning, std::abs(l1 * sin(q[0]) * v[0] * v[0] + l2 * sin(q[1]) * v[1] * v[1]));
    for (std::size_t i = 0; i < 4; ++i) {
      fastest = std::max(fastest, std::abs(x.u(corners[i])[0]));
      if (x.y(corners[i])[0] > 0.0) open_until[i] = x.t;
      longest = std::max(longest, x.t - open_until[i]);
    }
    before = v;
    if (run.table.num_rows() * 20 > std::lround(x.t / h)) return;
    // The same mechanism without play: sin q_1 = -(l1 / l2) sin q_0, one degree of freedom, all energy kept.
    const double q1 = -std::asin(l1 / l2 * sin(q[0])), ratio = -l1 * cos(q[0]) / (l2 * cos(q1));
    const double m = M1 + 2 * s * cos(q1 - q[0]) * ratio + M2 * ratio * ratio;
    const double ideal = std::sqrt(2 * (energy - potential(Eigen::Vector3d(q[0], q1, 0.0))) / m);
    const double centre = (l1 * sin(q[0]) + l2 * sin(q[1])) / c, tilt = a * sin(q[2]) / c;
    run.table.record({q[0] / (2 * std::numbers::pi), centre - tilt, centre + tilt, v[0], ideal, step.energy(),
                      energy + ledger.total().contact});
  });

  // 4. Bounds. A corner is caught up to a step late; and while it slides along the guide, H v is held to -e u in the
  //    middle of a step, half a step of its own change before its end: u settles at h dH/dt v / (2 (1 + e)), for as
  //    long as the contact lasts. Of the energy, a step with a jump of v by j adds, by its symmetry,
  //      h s sin(q_0 - q_1) ((w_1 - w_0) j_0 j_1 - w_0 j_1^2 + w_1 j_0^2) / 4,  w the mean of v,
  //    a smooth one nothing of this order. Energy moves the crank's speed by its share in 2 E / v_0, v_0 <= 150 rad/s.
  //    The turns are the limit of finer steps (see the README).
  const double added = ledger.total().numerical, turns = simulation.state().q(crank)[0] / (2 * std::numbers::pi);
  run.bounds.within("penetration [m]", deepest, 0.0, h * (fastest + turning / (2 * (1 + e)) * longest));
  run.bounds.near("energy that the scheme adds [J]", added, 0.0, unbalanced);
  run.bounds.near("turns", turns, 2.87803,
                  T * unbalanced * 150.0 / (2 * ledger.last().energy()) / (2 * std::numbers::pi));
  return run;
}

int example(const Arguments& arguments) {
  const Run run = let_go();
  if (!run.report) return std::cerr << run.report.message() << '\n', 1;
  std::cout << run.bounds.report();
  if (arguments.pictures()) std::cout << picture(run.table, *arguments.pictures() / "slider_crank").message() << '\n';
  return run.bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
