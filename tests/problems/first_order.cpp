// SPDX-License-Identifier: Apache-2.0
#include <problems/first_order.hpp>

#include <cmath>
#include <utility>

namespace nonsmooth::problems {

Model gene_network() {
  Model m;
  m.bodies = {
      m.system.add(FirstOrderLinearSystem{.A = {{-4.5, 0.0}, {0.0, -1.5}}, .x0 = {1.0, 6.0}, .name = "proteins"})};
  FirstOrderRelation steps;
  steps.rows = 4;
  steps.h = [](double, ConstVectorRef x, ConstVectorRef, VectorRef y) {
    y << 4.0 - x[0], 4.0 - x[1], 8.0 - x[0], 8.0 - x[1];
  };
  steps.h_dx = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) {
    J(0, 0) = J(1, 1) = J(2, 0) = J(3, 1) = -1.0;
  };
  steps.h_dlambda = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {};
  steps.g = [](double, ConstVectorRef, ConstVectorRef s, VectorRef r) {
    r[0] = 40.0 * (1.0 - s[2]) * s[1];
    r[1] = 40.0 * s[0] * (1.0 - s[3]);
  };
  steps.g_dx = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {};
  steps.g_dlambda = [](double, ConstVectorRef, ConstVectorRef s, MatrixRef J) {
    J(0, 1) = 40.0 * (1.0 - s[2]);
    J(0, 2) = -40.0 * s[1];
    J(1, 0) = 40.0 * (1.0 - s[3]);
    J(1, 3) = -40.0 * s[0];
  };
  m.contacts = {m.system.link(m.bodies[0], std::move(steps), RelayLaw{0.0, 1.0})};
  m.options.integrator = EulerMoreau{.theta = 0.5};
  m.options.step = 1e-3;
  m.steps = 2999;
  return m;
}

Model unfolded_ball() {
  constexpr double kappa = 0.5, gravity = 9.81;
  Model m;
  m.bodies = {
      m.system.add(FirstOrderLinearSystem{.A = {{0.0, 1.0}, {0.0, 0.0}}, .x0 = {1.0, 10.0}, .name = "unfolded ball"})};
  FirstOrderRelation signs;
  signs.rows = 2;
  signs.h = [](double, ConstVectorRef x, ConstVectorRef, VectorRef y) { y = x; };
  signs.h_dx = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J.setIdentity(); };
  signs.h_dlambda = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {};
  signs.g = [](double, ConstVectorRef x, ConstVectorRef s, VectorRef r) {
    r[0] = -kappa * s[0] * s[1] * x[1];
    r[1] = gravity * s[0] / (1.0 - kappa * s[0] * s[1]);
  };
  signs.g_dx = [](double, ConstVectorRef, ConstVectorRef s, MatrixRef J) { J(0, 1) = -kappa * s[0] * s[1]; };
  signs.g_dlambda = [](double, ConstVectorRef x, ConstVectorRef s, MatrixRef J) {
    const double d = 1.0 - kappa * s[0] * s[1];
    J(0, 0) = -kappa * s[1] * x[1];
    J(0, 1) = -kappa * s[0] * x[1];
    J(1, 0) = gravity / (d * d);
    J(1, 1) = gravity * kappa * s[0] * s[0] / (d * d);
  };
  m.contacts = {m.system.link(m.bodies[0], std::move(signs), RelayLaw{})};
  m.options.integrator = EulerMoreau{.theta = 1.0};
  m.options.newton.tolerance = 1e-12;
  m.options.step = 1e-3;
  m.steps = 10000;
  return m;
}

Model observed_system() {
  const auto input = [](double t) { return 30.0 * std::sin(50.0 * t); };
  const auto drive = [input](double t, VectorRef b) {
    b[0] = input(t);
    b[1] = 2.0 * input(t);
  };
  const FirstOrderLinearRelation diode{
      .C = {{-1.0, 1.0}}, .D = {{1.0}}, .B = {{-1.0}, {1.0}}, .e = [input](double t, VectorRef e) { e[0] = input(t); }};
  Model m;
  m.bodies = {m.system.add(
      FirstOrderLinearSystem{.A = {{1.0, 1.0}, {3.0, 1.0}}, .b = drive, .x0 = {10.0, 0.0}, .name = "process"})};
  const SystemHandle process = m.bodies[0];
  m.bodies.push_back(m.system.add(FirstOrderLinearSystem{.A = {{-1.0, -1.0}, {1.0, -1.0}},
                                                         .b = drive,
                                                         .x0 = {0.0, 0.0},
                                                         .feedback =
                                                             [process](const State& state, VectorRef value) {
                                                               const auto x = state.x(process);
                                                               value.setConstant(2.0 * (x[0] + x[1]));
                                                             },
                                                         .name = "observer"}));
  for (const SystemHandle body : m.bodies) m.contacts.push_back(m.system.link(body, diode, ComplementarityLaw{}));
  m.options.integrator = EulerMoreau{.theta = 0.5};
  m.options.step = 1e-4;
  m.steps = 19999;
  return m;
}

}  // namespace nonsmooth::problems
