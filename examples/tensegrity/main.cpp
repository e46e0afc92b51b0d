// SPDX-License-Identifier: Apache-2.0
// A tensegrity: three struts that touch nowhere, held by nine cables that pull and never push (SI units).
//
//   m xdd_i = m g + R_i,   J Omegad_i + Omega_i x J Omega_i = T_i,   (R, T) = sum over cables and contacts H^T lambda,
//   cable    y = l - a,   lambda = -k y - d ydot,   lambda <= 0:   it is slack where that would push,
//   floor    0 <= u_N+ ⟂ p_N >= 0,   |p_T| <= mu p_N, opposed to the slip.
//
// Ends of struts are two triangles, twisted by 150 degrees: with force densities q = tension / length it stands by
// itself where q_strut = -q_vertical, q_horizontal = q_vertical / sqrt 3. prism.hpp has its symmetric motions.
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <cmath>
#include <iostream>
#include <numbers>
#include <stdexcept>

#include "runs.hpp"

using namespace nonsmooth;

Tensegrity build(const Prism& rates, double height, double damping) {
  const Prism at = Prism::in_equilibrium();
  // 1. Struts: capsules along their third axis, which leans about the way from the axis of the prism.
  Tensegrity built;
  const Capsule strut{.radius = kRadius, .half_length = 0.5 * kLength};
  for (std::size_t i = 0; i < 3; ++i) {
    const double turn = static_cast<double>(i) * kThird;
    const Eigen::Quaterniond about(Eigen::AngleAxisd(turn, Eigen::Vector3d::UnitZ()));
    const Eigen::Quaterniond Q = about * Eigen::AngleAxisd(-at.beta, Eigen::Vector3d::UnitX());
    built.struts[i] = built.model.add(
        RigidBody{.mass = kMass,
                  .inertia = MassProperties::of_mass(strut, kMass).inertia,
                  .position = about * Eigen::Vector3d(at.rho, 0.0, 0.0) + Eigen::Vector3d(0.0, 0.0, at.c() + height),
                  .orientation = {Q.w(), Q.x(), Q.y(), Q.z()},
                  .velocity = about * Eigen::Vector3d(rates.rho, 0.0, 0.0),
                  .angular_velocity = {-rates.beta, 0.0, 0.0},
                  .gravity = {0.0, 0.0, -kGravity}});
  }

  // 2. Cables between their ends: springs that pull only.
  const auto all = cables();
  const auto a = rest_lengths();
  for (std::size_t i = 0; i < 9; ++i) {
    const Cable& one = all[i];
    const auto end = [](bool high) { return Eigen::Vector3d(0.0, 0.0, high ? 0.5 * kLength : -0.5 * kLength); };
    built.cables[i] = built.model.link(
        {built.struts[one.first], built.struts[one.second]},
        DistanceJoint{
            .first_point = end(one.first_high), .second_point = end(one.second_high), .length = a[i < 6 ? 1 : 0]},
        SpringDamperLaw{.stiffness = kStiffness, .damping = damping, .upper = 0.0});
  }
  return built;
}

constexpr double kPush = 12.0;  // [rad/s]

int example(const Arguments& arguments) {
  Bounds bounds;
  const Prism rest = Prism::in_equilibrium();
  const auto still = [&](double) { return rest; };

  // 3. It keeps its shape but for the rounding of places, 1e-15 of 5 m after 1 s of fall: a random walk of 1000 steps
  //    of that is 3e-14.
  bounds.near("left alone for 1 s it moves by [m], [rad]", swing({0.0, 0.0}, 1e-3, 1.0, still).off, 0.0, 1e-13);

  // 4. Small swings, K x = w^2 M x, M = diag(3 m, 3 J), of amplitude 1e-5. With theta = 1/2 tan(w_h h / 2) = w h / 2.
  //    Zeros, found by a line between two steps, are off by (w h)^3 / 16 of w t at most; there are 120.
  const Capsule strut{.radius = kRadius, .half_length = 0.5 * kLength};
  const double J = MassProperties::of_mass(strut, kMass).inertia(0, 0);
  const Eigen::Vector2d root = Eigen::Vector2d(3.0 * kMass, 3.0 * J).cwiseSqrt(), inverse = root.cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> modes(inverse.asDiagonal() * symmetric_stiffness() *
                                                             inverse.asDiagonal());
  double fast = 0.0;
  for (const Index mode : {0, 1}) {
    const double w = fast = std::sqrt(modes.eigenvalues()[mode]), h = 0.1 / w, w_h = 2.0 / h * std::atan(w * h / 2.0);
    const Eigen::Vector2d shape = modes.eigenvectors().col(mode);
    const Eigen::Vector2d v = 1e-5 * w * inverse.cwiseProduct(shape) / inverse.cwiseProduct(shape).norm();
    const Motion small = swing({v[0], v[1]}, h, 120.5 * std::numbers::pi / w_h, still);
    const auto &t = small.table.column("t"), &rho = small.table.column("rho"), &beta = small.table.column("beta");
    double last = 0.0, first_zero = 0.0, last_zero = 0.0;
    int zeros = 0;
    for (std::size_t i = 0; i < t.size(); ++i) {
      const double now = shape.dot(root.cwiseProduct(Eigen::Vector2d(rho[i] - rest.rho, beta[i] - rest.beta)));
      if (last * now < 0.0) {
        last_zero = t[i] - h * now / (now - last);
        if (++zeros == 1) first_zero = last_zero;
      }
      last = now;
    }
    bounds.near(mode == 0 ? "slow mode [rad/s]" : "fast mode [rad/s]",
                std::numbers::pi * (zeros - 1) / (last_zero - first_zero), w_h,
                w * 2.0 * std::pow(w * h, 3) / 16.0 / (std::numbers::pi * 119.0));
  }

  // 5. A push that lets cables go slack, beside the two equations of prism.hpp by events.
  NonSmoothDynamicalSystem reduced;
  const auto two =
      reduced.add(LagrangianSystem{.mass = [&](ConstVectorRef, MatrixRef M) { M = root.cwiseAbs2().asDiagonal(); },
                                   .force =
                                       [](double, ConstVectorRef q, ConstVectorRef, VectorRef F) {
                                         F = symmetric_force({q[0], q[1]});
                                       },
                                   .q0 = {rest.rho, rest.beta},
                                   .v0 = {0.0, kPush}});
  const auto push = [&](double h) {
    EventDriven reference{reduced};
    return swing({0.0, kPush}, h, 0.25, [&](double t) {
      if (const auto done = reference.advance_to(t); !done) throw std::runtime_error(done.message());
      return Prism{reference.state().q(two)[0], reference.state().q(two)[1]};
    });
  };
  //    The fast mode is late by w^3 h^2 T / 12; twice that, as slack cables let it swing further.
  for (const double h : {2e-4, 1e-4}) {
    bounds.within("pushed, it is off the two equations by [m], [rad]", push(h).off, 0.0,
                  2.0 * std::pow(fast, 3) * h * h * 0.25 / 12.0 * kPush / fast);
  }
  const Motion fine = push(1e-4);
  bounds.within("cables slack at once, pushed", static_cast<double>(fine.slack), 3.0, 9.0);

  // 6. The fall. No step moves the centre aside, as the symmetry by thirds stays, and cables give no momentum: both to
  //    rounding. It goes into the floor by the way of the step in which it lands. The fast mode, of some 2 J, comes and
  //    goes by (w h)^3 / 12 of its energy in a step.
  const double step = 2.5e-4;
  const Fall fall = drop(step);
  bounds.near("it lands at [s]", fall.lands, std::sqrt(2.0 * kHeight / kGravity), step);
  bounds.within("cables slack at once, landing", fall.slack, 3.0, 9.0);
  bounds.near("force of a cable that pushes [N]", fall.pushing, 0.0, 0.0);
  bounds.near("impulse of cables on the whole in a step [N s]", fall.inner, 0.0, 1e-12);
  bounds.near("the centre moves aside by [m]", fall.aside, 0.0, 1e-8);
  bounds.within("depth in the floor [m]", fall.deepest, 0.0, step * std::sqrt(2.0 * kGravity * kHeight));
  bounds.within("largest gain of energy in a step [J]", fall.gained, 0.0, 1e-4);
  bounds.near("energy lost in the end [J]", fall.lost, 3.0 * kMass * kGravity * kHeight, 0.1);
  bounds.near("height of the centre in the end [m]", fall.table.column("height").back(), rest.c() + kRadius, 0.01);
  if (arguments.pictures())
    std::cout << picture(fall.shots, fall.table, fine.table, *arguments.pictures() / "tensegrity").message() << '\n';
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
