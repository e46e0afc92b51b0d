// SPDX-License-Identifier: Apache-2.0
// A rattleback: a boat that spins one way only, and turns back if it is spun the other (SI units).
//
//   m dv = m g dt + dp,   J dOmega + Omega x J Omega dt = r x R^T dp,   0 <= u_N+ ⟂ p_N >= 0,   |p_T| <= mu p_N.
//
// Its bottom is an ellipsoid of half axes a, b, c; the centre of mass is h below the ellipsoid's centre, and the axes
// of inertia are not those of the ellipsoid. The table is touched where the normal of the surface points down: with D =
// diag(a, b, c) and d = -R^T e_z in the body,
//
//   r = D^2 d / |D d| + (0, 0, h),   y_N = z - r . d,   u_i = e_i . (v + R (Omega x r)),
//   udot_i = e_i . (vdot + R (Omegadot x r + Omega x (Omega x r + rdot))).
//
// Where it does not slip u_T = 0 is no derivative of a y_T (nonholonomic): a relation needs rows of velocities only.
// Data of Kane & Levinson 1982 [kane1982]. Nothing is lost here, so that the spin comes back in full.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>

#include <Eigen/Geometry>

#include "picture.hpp"

using namespace nonsmooth;
using Eigen::Vector3d;

const double kGravity = 9.81, kMass = 1.0, kBelow = 0.01;
const Vector3d kSquares(0.2 * 0.2, 0.03 * 0.03, 0.02 * 0.02);  // of a, b, c

// Where the ellipsoid of a body is touched: from the centre of mass, in the body's axes; and its rate.
struct Support {
  Eigen::Matrix3d R;
  Vector3d d, r;

  explicit Support(ConstVectorRef q)
      : R(Eigen::Quaterniond(q[3], q[4], q[5], q[6])),
        d(-R.row(2).transpose()),
        r(of(d) + kBelow * Vector3d::UnitZ()) {}
  static Vector3d of(const Vector3d& d) { return kSquares.cwiseProduct(d) / std::sqrt(kSquares.dot(d.cwiseAbs2())); }
  [[nodiscard]] Vector3d rate(const Vector3d& spin) const {
    const Vector3d turns = d.cross(spin), s = of(d);
    const double length = std::sqrt(kSquares.dot(d.cwiseAbs2()));
    return (kSquares.cwiseProduct(turns) - s * s.dot(turns)) / length;
  }
};

// Rows N, T1, T2. The last two are velocities alone, of which no y is an integral.
ScleronomousRelation ellipsoid_on_table() {
  const auto rows = [](const Vector3d& a) { return Vector3d(a[2], a[0], a[1]); };
  return {.rows = 3,
          .h =
              [](ConstVectorRef q, VectorRef y) {
                const Support at(q);
                y[0] = q[2] - at.r.dot(at.d);
              },
          .H =
              [](ConstVectorRef q, MatrixRef H) {
                const Support at(q);
                for (const Index row : {0, 1, 2}) {
                  const Index axis = (row + 2) % 3;
                  H(row, axis) = 1.0;
                  H.row(row).tail<3>() = at.r.cross(Vector3d(at.R.row(axis)));
                }
              },
          .curvature =
              [rows](ConstVectorRef q, ConstVectorRef v, VectorRef c) {
                const Support at(q);
                const Vector3d spin = v.tail<3>();
                c = rows(at.R * spin.cross(spin.cross(at.r) + at.rate(spin)));
              }};
}

// How a spin goes on.
struct Run {
  Table table{"t", "spin", "pitch", "roll"};
  double off_energy = 0.0, off_table = 0.0, slip = 0.0;
  Index steps = 0;
  bool completed = false;
};

Run spun(double spin, double T) {
  // 1. The boat at rest but for its spin, tilted a little about its long axis.
  const Eigen::Quaterniond start(Eigen::AngleAxisd(0.5 * M_PI / 180.0, Vector3d::UnitX()));
  const Support at((Eigen::VectorXd(7) << Vector3d::Zero(), start.w(), start.x(), start.y(), start.z()).finished());
  const Vector3d omega = start.inverse() * Vector3d(0.0, 0.0, spin);
  NonSmoothDynamicalSystem model;
  const RigidBody boat{.mass = kMass,
                       .inertia = Eigen::Matrix3d{{2e-4, -2e-5, 0.0}, {-2e-5, 1.6e-3, 0.0}, {0.0, 0.0, 1.7e-3}},
                       .position = {0.0, 0.0, at.r.dot(at.d)},
                       .orientation = {start.w(), start.x(), start.y(), start.z()},
                       .velocity = start * at.r.cross(omega),
                       .angular_velocity = omega,
                       .gravity = {0.0, 0.0, -kGravity}};
  const auto body = model.add(boat);
  const auto contact =
      model.link(body, ellipsoid_on_table(), NewtonImpactFrictionLaw{.friction = 2.0, .dimension = 3}, "bottom");

  // 2. By events, of which there are none.
  EventDriven simulation{model};
  const auto energy = [&](const State& x) {
    const auto v = x.v(body);
    const Vector3d w = v.tail<3>();
    return 0.5 * (kMass * v.head<3>().squaredNorm() + w.dot(boat.inertia * w)) + kMass * kGravity * x.q(body)[2];
  };
  Run run;
  const double first = energy(simulation.state());
  const auto report = simulation.advance_to(
      T, EventDrivenObserver{.output =
                                 [&](const State& x) {
                                   const Support now(x.q(body));
                                   const Vector3d w = now.R * x.v(body).tail<3>();
                                   run.table.record({x.t, w[2], std::asin(now.R(2, 0)), std::asin(now.R(2, 1))});
                                   run.off_energy = std::max(run.off_energy, std::abs(energy(x) / first - 1.0));
                                   run.off_table = std::max(run.off_table, std::abs(x.y(contact)[0]));
                                   run.slip = std::max(run.slip, x.u(contact).norm());
                                   return true;
                                 },
                             .output_step = 2e-3});
  if (!report) std::cerr << report.message() << '\n';
  run.steps = report.steps;
  run.completed = bool(report);
  return run;
}

int example(const Arguments& arguments) {
  const double spin = 5.0;
  const Run back = spun(-spin, 12.0), on = spun(spin, 12.0);
  if (!back.completed || !on.completed) return 1;

  // 3. Bounds. Steps keep 1e-10 of the state, twice that of the energy; contact is kept to round-off by a projection
  //    after each. What the spin gives to pitch and roll comes back, as nothing is lost.
  Bounds bounds;
  for (const Run* run : {&back, &on}) {
    bounds.near("energy off by [of the first]", run->off_energy, 0.0, 2e-10 * static_cast<double>(run->steps));
    bounds.near("gap [m]", run->off_table, 0.0, 1e-11);
    bounds.near("slip [m/s]", run->slip, 0.0, 1e-9);
  }
  const auto& turned = back.table.column("spin");
  const auto zero = std::find_if(turned.begin(), turned.end(), [](double w) { return w > 0.0; });
  bounds.within("spun at -5 it turns at [s]", back.table.column("t")[std::size_t(zero - turned.begin())], 5.0, 7.0);
  bounds.within("and does so once: least spin after [rad/s]", *std::min_element(zero, turned.end()), 0.0, spin);
  bounds.near("spin at the end [rad/s]", turned.back(), spin, 0.01 * spin);
  bounds.within("spun at 5 it keeps [rad/s]", on.table.column("spin").back(), 0.95 * spin, spin);
  std::cout << bounds.report();
  if (arguments.pictures())
    std::cout << picture(back.table, on.table, *arguments.pictures() / "rattleback").message() << '\n';
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
