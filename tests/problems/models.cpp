// SPDX-License-Identifier: Apache-2.0
#include <problems/models.hpp>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <utility>

namespace nonsmooth::problems {

Model bouncing_ball(double theta) {
  Model m;
  m.bodies = {m.system.add(
      PlanarBody{.inertia = 0.4 * 0.1 * 0.1, .position = {1.0, 0.0}, .gravity = {-9.81, 0.0}, .name = "ball"})};
  m.contacts = {
      m.system.link(m.bodies[0], LagrangianLinearRelation{.H = {{1.0, 0.0, 0.0}}, .b = {}}, NewtonImpactLaw{0.9})};
  m.options.integrator = MoreauJean{.theta = theta, .forecast = 0.5};
  m.options.step = 5e-3;
  m.steps = 2000;
  return m;
}

Model bouncing_ball_tilted() {
  constexpr double alpha = 0.1;
  Model m;
  m.bodies = {m.system.add(
      PlanarBody{.inertia = 0.4 * 0.1 * 0.1, .position = {1.0, 0.0}, .gravity = {-10.0, 0.0}, .name = "ball"})};
  m.contacts = {
      m.system.link(m.bodies[0],
                    ScleronomousRelation{.rows = 1,
                                         .h = [](ConstVectorRef q, VectorRef y) { y[0] = q[0] + alpha * q[1]; },
                                         .H =
                                             [](ConstVectorRef, MatrixRef H) {
                                               H(0, 0) = 1.0;
                                               H(0, 1) = alpha;
                                             },
                                         .curvature = {}},
                    NewtonImpactLaw{0.9})};
  m.options.integrator = MoreauJean{.theta = 0.5, .forecast = 0.5};
  m.options.step = 0.025;
  m.steps = 400;
  return m;
}

Model column_of_beads(Index beads) {
  Model m;
  for (Index i = 0; i < beads; ++i) {
    m.bodies.push_back(m.system.add(PlanarBody{.inertia = 0.006,
                                               .position = {1.0 + 0.25 * static_cast<double>(i), 0.0},
                                               .gravity = {-9.81, 0.0},
                                               .name = "bead " + std::to_string(i)}));
  }
  m.options.integrator = MoreauJean{.theta = 0.5, .forecast = 0.5};
  m.options.step = 5e-4;
  m.steps = 4000;
  return m;
}

InteractionHandle link_bead(NonSmoothDynamicalSystem& system, const std::vector<SystemHandle>& beads, Index i) {
  const auto bead = static_cast<std::size_t>(i);
  if (i == 0) {
    return system.link(beads[0], LagrangianLinearRelation{.H = {{1.0, 0.0, 0.0}}, .b = {-kBeadRadius}},
                       NewtonImpactLaw{0.9});
  }
  return system.link({beads[bead - 1], beads[bead]},
                     LagrangianLinearRelation{.H = {{-1.0, 0.0, 0.0, 1.0, 0.0, 0.0}}, .b = {-2.0 * kBeadRadius}},
                     NewtonImpactLaw{0.9});
}

Model ball_on_moving_plane() {
  Model m;
  PlanarBody ball{.inertia = 0.4 * 0.1 * 0.1, .position = {1.0, 0.0}, .gravity = {-9.81, 0.0}, .name = "ball"};
  PlanarBody plane = ball;
  plane.position.setZero();
  plane.prescribed = {
      {.component = 0, .velocity = [](double t) { return 2.0 + std::cos(std::numbers::pi * t / 2.0); }}};
  plane.name = "plane";
  m.bodies = {m.system.add(std::move(ball)), m.system.add(std::move(plane))};
  m.contacts = {m.system.link(m.bodies, LagrangianLinearRelation{.H = {{1.0, 0.0, 0.0, -1.0, 0.0, 0.0}}, .b = {}},
                              NewtonImpactLaw{0.9})};
  m.options.integrator = MoreauJean{.theta = 0.5, .forecast = 0.5};
  m.options.step = 5e-3;
  m.steps = 2000;
  return m;
}

Model bouncing_disk() {
  Model m;
  m.bodies = {m.system.add(PlanarBody{.inertia = 0.4 * 0.1 * 0.1,
                                      .position = {0.0, 1.0},
                                      .velocity = {1.0, 0.0},
                                      .angular_velocity = 20.0,
                                      .gravity = {0.0, -9.81},
                                      .name = "disk"})};
  m.contacts = {
      m.system.link(m.bodies[0], LagrangianLinearRelation{.H = {{0.0, 1.0, 0.0}, {-1.0, 0.0, -0.1}}, .b = {}},
                    NewtonImpactFrictionLaw{.restitution = 0.9, .friction = 0.5, .tangential_restitution = 0.0})};
  m.options.integrator = MoreauJean{.theta = 0.5, .forecast = 0.5};
  m.options.step = 5e-3;
  m.steps = 2000;
  return m;
}

FirstOrderLinearSystem Oscillator::system() {
  return {.mass = {}, .A = {{0.0, -1.0 / C}, {1.0 / L, 0.0}}, .b = {}, .x0 = {10.0, 0.0}, .name = "oscillator"};
}

Model rlc_diode() {
  using O = Oscillator;
  Model m;
  m.bodies = {m.system.add(O::system())};
  m.contacts = {m.system.link(
      m.bodies[0], FirstOrderLinearRelation{.C = {{-1.0, 0.0}}, .D = {{O::R}}, .B = {{-1.0 / O::C}, {0.0}}, .e = {}},
      ComplementarityLaw{})};
  m.options.integrator = EulerMoreau{.theta = 0.5000000000001};
  m.options.step = 1e-5;
  m.steps = 499;
  return m;
}

Model diode_bridge() {
  using O = Oscillator;
  Model m;
  m.bodies = {m.system.add(O::system())};
  m.contacts = {m.system.link(m.bodies[0],
                              FirstOrderLinearRelation{.C = {{0.0, 0.0}, {0.0, 0.0}, {-1.0, 0.0}, {1.0, 0.0}},
                                                       .D = {{1.0 / O::R, 1.0 / O::R, -1.0, 0.0},
                                                             {1.0 / O::R, 1.0 / O::R, 0.0, -1.0},
                                                             {1.0, 0.0, 0.0, 0.0},
                                                             {0.0, 1.0, 0.0, 0.0}},
                                                       .B = {{0.0, 0.0, -1.0 / O::C, 1.0 / O::C}, {0.0, 0.0, 0.0, 0.0}},
                                                       .e = {}},
                              ComplementarityLaw{})};
  m.options.integrator = EulerMoreau{.theta = 0.5};
  m.options.step = 1e-6;
  m.steps = 4999;
  return m;
}

Model diode_bridge_filter() {
  using O = Oscillator;
  constexpr double Cf = 300e-9;
  Model m;
  m.bodies = {m.system.add(O::system()),
              m.system.add(FirstOrderLinearSystem{
                  .mass = {}, .A = {{-1.0 / (O::R * Cf)}}, .b = {}, .x0 = {0.0}, .name = "filter"})};
  m.contacts = {m.system.link(
      m.bodies,
      FirstOrderLinearRelation{
          .C = {{0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}, {-1.0, 0.0, 1.0}, {1.0, 0.0, 0.0}},
          .D = {{0.0, -1.0, 0.0, 0.0}, {1.0, 0.0, 1.0, -1.0}, {0.0, -1.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}},
          .B = {{0.0, 0.0, -1.0 / O::C, 1.0 / O::C}, {0.0, 0.0, 0.0, 0.0}, {1.0 / Cf, 0.0, 1.0 / Cf, 0.0}},
          .e = {}},
      ComplementarityLaw{})};
  m.options.integrator = EulerMoreau{.theta = 1.0};
  m.options.step = 1e-6;
  m.steps = 4999;
  return m;
}

Model resonant_converter() {
  constexpr double Lf = 0.4e-3, Cf = 2.2e-6, Lr = 150e-6, Cr = 68e-9, R = 33.0;
  Model m;
  m.bodies = {m.system.add(FirstOrderLinearSystem{.mass = {},
                                                  .A = {{0.0, -1.0 / Lr, 0.0, 0.0},
                                                        {1.0 / Cr, 0.0, 0.0, 0.0},
                                                        {0.0, 0.0, 0.0, -1.0 / Lf},
                                                        {0.0, 0.0, 1.0 / Cf, -1.0 / (R * Cf)}},
                                                  .b =
                                                      [](double t, VectorRef b) {
                                                        const double wave =
                                                            std::sin(2.0 * std::numbers::pi * 55000.0 * t);
                                                        if (t > 0.0) b[0] = wave / std::abs(wave) / Lr;
                                                      },
                                                  .x0 = {0.0, 0.0, 0.0, 0.0},
                                                  .name = "converter"})};
  m.contacts = {
      m.system.link(m.bodies[0],
                    FirstOrderLinearRelation{
                        .C = {{0.0, -1.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 1.0, 0.0}},
                        .D = {{0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 1.0}, {-1.0, 0.0, 0.0, 0.0}, {0.0, -1.0, 0.0, 0.0}},
                        .B = {{0.0, 0.0, 0.0, 0.0},
                              {-1.0 / Cr, 1.0 / Cr, 0.0, 0.0},
                              {0.0, 0.0, 1.0 / Lf, 1.0 / Lf},
                              {0.0, 0.0, 0.0, 0.0}},
                        .e = {}},
                    ComplementarityLaw{})};
  m.options.integrator = EulerMoreau{.theta = 0.5};
  m.options.step = 5e-8;
  m.steps = 39999;
  return m;
}

Model simple_relay() {
  Model m;
  m.bodies = {m.system.add(FirstOrderLinearSystem{.mass = {}, .A = {}, .b = {}, .x0 = {1.0, -1.0}, .name = "plant"})};
  m.contacts = {m.system.link(
      m.bodies[0],
      FirstOrderLinearRelation{.C = {{1.0, 0.0}, {0.0, 1.0}}, .D = {}, .B = {{2.0, 0.0}, {0.0, 2.0}}, .e = {}},
      RelayLaw{})};
  m.options.integrator = EulerMoreau{.theta = 0.5};
  m.options.step = 1e-3;
  m.steps = 799;
  return m;
}

Model relay_oscillator() {
  constexpr double xi = -0.07, omega = 10.0, l = 0.05, k = 1.0, sigma = -1.0, rho = 1.0;
  Model m;
  m.bodies = {m.system.add(FirstOrderLinearSystem{.mass = {},
                                                  .A = {{-(2.0 * xi * omega + l), 1.0, 0.0},
                                                        {-(2.0 * xi * omega * l + omega * omega), 0.0, 1.0},
                                                        {-l * omega * omega, 0.0, 0.0}},
                                                  .b = {},
                                                  .x0 = {0.0, 0.5, 0.0},
                                                  .name = "plant"})};
  m.contacts = {
      m.system.link(m.bodies[0],
                    FirstOrderLinearRelation{
                        .C = {{1.0, 0.0, 0.0}}, .D = {}, .B = {{k}, {2.0 * k * sigma * rho}, {k * rho * rho}}, .e = {}},
                    RelayLaw{})};
  m.options.integrator = EulerMoreau{.theta = 0.5};
  m.options.step = 1e-2;
  m.steps = 9999;
  return m;
}

Model friction_oscillator() {
  Model m;
  m.bodies = {m.system.add(FirstOrderLinearSystem{
      .mass = {}, .A = {{0.0, 1.0}, {-1.0, 0.0}}, .b = {}, .x0 = {12.0, 6.0}, .name = "oscillator"})};
  m.contacts = {m.system.link(
      m.bodies[0], FirstOrderLinearRelation{.C = {{0.0, 1.0}}, .D = {}, .B = {{0.0}, {1.0}}, .e = {}}, RelayLaw{})};
  m.options.integrator = EulerMoreau{.theta = 0.5};
  m.options.step = 1e-2;
  m.steps = 9999;
  return m;
}

}  // namespace nonsmooth::problems
