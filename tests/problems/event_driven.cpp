// SPDX-License-Identifier: Apache-2.0
#include <problems/event_driven.hpp>

#include <cmath>
#include <numbers>
#include <string>

namespace nonsmooth::problems {

Model falling_ball(double restitution) {
  Model m;
  m.bodies = {m.system.add(
      PlanarBody{.inertia = 0.6 * 0.1 * 0.1, .position = {1.0, 0.0}, .gravity = {-9.81, 0.0}, .name = "ball"})};
  m.contacts = {m.system.link(m.bodies[0], LagrangianLinearRelation{.H = {{1.0, 0.0, 0.0}}, .b = {}},
                              NewtonImpactLaw{restitution})};
  m.options.step = 5e-3;
  m.steps = 1700;
  return m;
}

Model column_of_steel_balls() {
  constexpr double radius = 0.005, young = 203e9, poisson = 0.3, pi = 3.14159265;  // pi as in the reference
  const double mass = 4.0 / 3.0 * pi * radius * radius * radius * 7780.0;
  const double wall = 4.0 / 3.0 * young * young / (2.0 * (1.0 - poisson * poisson) * young);
  const double ball = 2.0 / 3.0 * young / (1.0 - poisson * poisson);
  Model m;
  double height = 0.05 + radius;
  for (int i = 0; i < 10; ++i) {
    m.bodies.push_back(m.system.add(LagrangianLinearSystem{.mass = {{mass}},
                                                           .damping = {},
                                                           .stiffness = {},
                                                           .force = {-9.81 * mass},
                                                           .q0 = {height},
                                                           .v0 = {},
                                                           .prescribed = {},
                                                           .name = "ball " + std::to_string(i)}));
    height += 2.0 * radius;
    if (i == 0) {
      m.contacts.push_back(m.system.link(
          m.bodies[0], LagrangianLinearRelation{.H = {{1.0}}, .b = {-radius}},
          LiuZhaoBrogliatoImpactLaw{.restitution = 1.0, .stiffness = std::sqrt(radius) * wall, .exponent = 1.5}));
    } else {
      m.contacts.push_back(m.system.link(
          {m.bodies[m.bodies.size() - 2], m.bodies.back()},
          LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .b = {-2.0 * radius}},
          LiuZhaoBrogliatoImpactLaw{.restitution = 1.0, .stiffness = std::sqrt(0.5 * radius) * ball, .exponent = 1.5}));
    }
  }
  m.options.step = 1e-3;
  m.steps = 499;
  return m;
}

Model block_on_two_corners() {
  constexpr double L = 0.1, B = 0.05, angle = std::numbers::pi / 3.0;
  Model m;
  m.bodies = {m.system.add(PlanarBody{
      .inertia = (0.5 * 0.5 + 1.0) / 12.0,
      .position = {0.5 * std::cos(angle) - 0.25 * std::sin(angle), 0.5 * std::sin(angle) + 0.25 * std::cos(angle)},
      .angle = angle,
      .gravity = {0.0, -9.81},
      .name = "block"})};
  m.contacts = {m.system.link(m.bodies[0],
                              ScleronomousRelation{.rows = 2,
                                                   .h =
                                                       [](ConstVectorRef q, VectorRef y) {
                                                         const double s = L * std::sin(q[2]), c = B * std::cos(q[2]);
                                                         y[0] = q[1] - s - c;
                                                         y[1] = q[1] + s - c;
                                                       },
                                                   .H =
                                                       [](ConstVectorRef q, MatrixRef H) {
                                                         const double c = L * std::cos(q[2]), s = B * std::sin(q[2]);
                                                         H(0, 1) = H(1, 1) = 1.0;
                                                         H(0, 2) = -c + s;
                                                         H(1, 2) = c + s;
                                                       },
                                                   .curvature =
                                                       [](ConstVectorRef q, ConstVectorRef v, VectorRef c) {
                                                         const double square = v[2] * v[2];
                                                         c[0] = (L * std::sin(q[2]) + B * std::cos(q[2])) * square;
                                                         c[1] = (-L * std::sin(q[2]) + B * std::cos(q[2])) * square;
                                                       }},
                              NewtonImpactLaw{0.9})};
  m.options.step = 1e-3;
  m.steps = 580;
  return m;
}

}  // namespace nonsmooth::problems
