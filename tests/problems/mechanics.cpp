// SPDX-License-Identifier: Apache-2.0
#include <problems/mechanics.hpp>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace nonsmooth::problems {

Model woodpecker() {
  constexpr double r_O = 0.0025, r_M = 0.0031, h_M = 0.0058, l_M = 0.010, l_G = 0.015, h_S = 0.02, l_S = 0.0201;
  constexpr double m_M = 0.0003, m_S = 0.0045, J_M = 5e-9, J_S = 7e-7, c = 0.0056, g = 9.81;
  Model m;
  m.bodies = {m.system.add(LagrangianLinearSystem{.mass = {{m_S + m_M, m_S * l_M, m_S * l_G},
                                                           {m_S * l_M, J_M + m_S * l_M * l_M, m_S * l_M * l_G},
                                                           {m_S * l_G, m_S * l_M * l_G, J_S + m_S * l_G * l_G}},
                                                  .stiffness = {{0.0, 0.0, 0.0}, {0.0, c, -c}, {0.0, -c, c}},
                                                  .force = {-g * (m_S + m_M), -g * m_S * l_M, -g * m_S * l_G},
                                                  .q0 = {0.0, -0.1036, -0.2788},
                                                  .v0 = {-0.3411, 4.8572e-15, -7.4583},
                                                  .name = "woodpecker"})};
  const auto link = [&](LagrangianLinearRelation relation, double e, const char* name) {
    m.contacts.push_back(m.system.link(m.bodies[0], std::move(relation),
                                       NewtonImpactFrictionLaw{.restitution = e, .friction = 0.3}, name));
  };
  link({.H = {{0.0, 0.0, -h_S}, {1.0, l_M, l_G - l_S}}, .b = {l_M + l_G - l_S - r_O, 0.0}}, 0.5, "beak");
  link({.H = {{0.0, h_M, 0.0}, {1.0, r_M, 0.0}}, .b = {r_M - r_O, 0.0}}, 0.0, "lower edge");
  link({.H = {{0.0, -h_M, 0.0}, {1.0, r_M, 0.0}}, .b = {r_M - r_O, 0.0}}, 0.0, "upper edge");
  m.options.integrator = MoreauJean{.theta = 0.5};
  m.options.step = 2e-5;
  m.steps = 14999;
  return m;
}

Model cam_follower() {
  Model m;
  m.bodies = {m.system.add(LagrangianLinearSystem{
      .mass = {{1.221}}, .stiffness = {{1430.8}}, .q0 = {0.40}, .v0 = {0.4}, .name = "follower"})};
  m.contacts = {m.system.link(m.bodies[0],
                              RheonomousRelation{.rows = 1,
                                                 .h = [](double, ConstVectorRef q, VectorRef y) { y[0] = q[0]; },
                                                 .H = [](double, ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; },
                                                 .h_t = [](double, ConstVectorRef, VectorRef) {}},
                              NewtonImpactLaw{0.8})};
  m.options.integrator = MoreauJean{.theta = 0.5};
  m.options.step = 1e-4;
  m.steps = 10000;
  return m;
}

CamProfile CamProfile::at(double t) {
  constexpr double pi = 3.14159265, k1 = 0.45, k2 = 0.40393320723821, rho1 = 0.85, rho3 = 0.15;
  constexpr double rho2 = 0.55393320723821, beta2 = 1.050328174371336, beta3 = 1.22173047639603;
  double rate = 2.0 * pi * 358.0 / 60.0, beta = std::fmod(rate * t + pi / 2.0, 2.0 * pi);
  if (beta > pi) {
    beta = 2.0 * pi - beta;
    rate = -rate;
  }
  if (beta <= pi / 2.0) return {0.40 - 0.3, 0.0};
  if (beta <= pi / 2.0 + beta2) {
    const double s = std::sqrt(1.0 - std::pow(std::cos(beta) * k1 / rho1, 2));
    return {-k1 * std::sin(beta) + rho1 * s - 0.3,
            (-k1 * std::cos(beta) + k1 * k1 * std::sin(beta) * std::cos(beta) / (rho1 * s)) * rate};
  }
  if (beta <= pi / 2.0 + beta3) {
    const double a = beta + pi / 9.0, s = std::sqrt(1.0 - std::pow(std::sin(a) * k2 / rho3, 2));
    return {-k2 * std::cos(a) + rho3 * s - 0.3,
            (k2 * std::sin(a) - k2 * k2 * std::sin(a) * std::cos(a) / (rho3 * s)) * rate};
  }
  return {rho2 - 0.3, 0.0};
}

Model double_pendulum() {
  constexpr double g = 10.0;
  Model m;
  m.bodies = {
      m.system.add(LagrangianSystem{.mass =
                                        [](ConstVectorRef q, MatrixRef M) {
                                          const double c = std::cos(q[0] - q[1]);
                                          M << 2.0, c, c, 1.0;
                                        },
                                    .gyroscopic =
                                        [](ConstVectorRef q, ConstVectorRef v, VectorRef F) {
                                          const double s = std::sin(q[0] - q[1]);
                                          F << v[1] * v[1] * s, -v[0] * v[0] * s;
                                        },
                                    .gyroscopic_dq =
                                        [](ConstVectorRef q, ConstVectorRef v, MatrixRef J) {
                                          const double c = std::cos(q[0] - q[1]);
                                          J << v[0] * v[1] * c, -v[1] * v[1] * c, -v[0] * v[0] * c, v[0] * v[0] * c;
                                        },
                                    .gyroscopic_dv =
                                        [](ConstVectorRef q, ConstVectorRef v, MatrixRef J) {
                                          const double s = std::sin(q[0] - q[1]);
                                          J << 0.0, 2.0 * v[1] * s, -2.0 * v[0] * s, 0.0;
                                        },
                                    .internal = [](double, ConstVectorRef q, ConstVectorRef,
                                                   VectorRef F) { F << 2.0 * g * std::sin(q[0]), g * std::sin(q[1]); },
                                    .internal_dq =
                                        [](double, ConstVectorRef q, ConstVectorRef, MatrixRef J) {
                                          J(0, 0) = 2.0 * g * std::cos(q[0]);
                                          J(1, 1) = g * std::cos(q[1]);
                                        },
                                    .internal_dv = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {},
                                    .q0 = {0.1, 0.2},
                                    .v0 = {0.0, 0.0},
                                    .name = "pendulum"})};
  m.contacts = {
      m.system.link(m.bodies[0],
                    ScleronomousRelation{.rows = 1,
                                         .h = [](ConstVectorRef q, VectorRef y) { y[0] = std::sin(q[0]); },
                                         .H = [](ConstVectorRef q, MatrixRef H) { H(0, 0) = std::cos(q[0]); }},
                    NewtonImpactLaw{1.0}, "elbow"),
      m.system.link(
          m.bodies[0],
          ScleronomousRelation{.rows = 1,
                               .h = [](ConstVectorRef q, VectorRef y) { y[0] = std::sin(q[0]) + std::sin(q[1]); },
                               .H = [](ConstVectorRef q, MatrixRef H) { H << std::cos(q[0]), std::cos(q[1]); }},
          NewtonImpactLaw{0.0}, "tip")};
  m.options.integrator = MoreauJean{.theta = 0.500001};
  m.options.step = 5e-4;
  m.options.newton.max_iterations = 1;
  m.steps = 10000;
  return m;
}

Model impacting_stick() {
  constexpr double half = 0.5, pi = std::numbers::pi;
  Model m;
  m.bodies = {m.system.add(PlanarBody{.inertia = 1.0 / 12.0,
                                      .position = {half * std::sin(pi / 4), half * std::cos(pi / 4) + 0.01},
                                      .angle = pi / 4,
                                      .velocity = {-0.5, 0.1},
                                      .angular_velocity = 0.1,
                                      .gravity = {0.0, -10.0},
                                      .name = "stick"})};
  m.contacts = {m.system.link(
      m.bodies[0],
      ScleronomousRelation{
          .rows = 2,
          .h = [](ConstVectorRef q, VectorRef y) { y[0] = q[1] - half * std::cos(q[2]); },
          .H = [](ConstVectorRef q,
                  MatrixRef H) { H << 0.0, 1.0, half * std::sin(q[2]), -1.0, 0.0, -half * std::cos(q[2]); }},
      NewtonImpactFrictionLaw{.restitution = 1.0, .friction = 0.01})};
  m.options.integrator = MoreauJean{.theta = 0.5};
  m.options.step = 1e-4;
  m.options.newton.max_iterations = 1;  // linearly implicit: H at q_k + h v_k
  m.steps = 2000;
  return m;
}

LagrangianSystem SliderCrank::mechanism() {
  return {.mass =
              [](ConstVectorRef q, MatrixRef M) {
                const double coupling = s * std::cos(q[1] - q[0]);
                M(0, 0) = J1 + (0.25 * m1 + m2 + m3) * l1 * l1;
                M(0, 1) = M(1, 0) = coupling;
                M(1, 1) = J2 + (0.25 * m2 + m3) * l2 * l2;
                M(2, 2) = J3;
              },
          .gyroscopic =
              [](ConstVectorRef q, ConstVectorRef v, VectorRef F) {
                const double sine = s * std::sin(q[0] - q[1]);
                F << sine * v[1] * v[1], -sine * v[0] * v[0], 0.0;
              },
          .gyroscopic_dq =
              [](ConstVectorRef q, ConstVectorRef v, MatrixRef J) {
                const double cosine = s * std::cos(q[0] - q[1]);
                J.topLeftCorner(2, 2) << cosine * v[1] * v[1], -cosine * v[1] * v[1], -cosine * v[0] * v[0],
                    cosine * v[0] * v[0];
              },
          .gyroscopic_dv =
              [](ConstVectorRef q, ConstVectorRef v, MatrixRef J) {
                const double sine = s * std::sin(q[0] - q[1]);
                J(0, 1) = 2.0 * sine * v[1];
                J(1, 0) = -2.0 * sine * v[0];
              },
          .internal =
              [](double, ConstVectorRef q, ConstVectorRef, VectorRef F) {
                F << (0.5 * m1 + m2 + m3) * g * l1 * std::cos(q[0]), (0.5 * m2 + m3) * g * l2 * std::cos(q[1]), 0.0;
              },
          .internal_dq =
              [](double, ConstVectorRef q, ConstVectorRef, MatrixRef J) {
                J(0, 0) = -(0.5 * m1 + m2 + m3) * g * l1 * std::sin(q[0]);
                J(1, 1) = -(0.5 * m2 + m3) * g * l2 * std::sin(q[1]);
              },
          .internal_dv = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {},
          .q0 = {0.0, 0.0, 0.0},
          .v0 = {150.0, -75.0, -0.01},
          .name = "slider-crank"};
}

ScleronomousRelation SliderCrank::corner(int i) {
  const double up = i < 2 ? -1.0 : 1.0;          // of the slider's height in the gap
  const double front = i % 2 == 0 ? -1.0 : 1.0;  // sign of a
  const double side = i < 2 ? -1.0 : 1.0;        // sign of b sin(q2) in the position
  return {.rows = 2,
          .h =
              [=](ConstVectorRef q, VectorRef y) {
                const double height = l1 * std::sin(q[0]) + l2 * std::sin(q[1]) + front * a * std::sin(q[2]);
                y[0] = 0.5 * d + up * height - b * std::cos(q[2]);
                y[1] =
                    l1 * std::cos(q[0]) + l2 * std::cos(q[1]) + front * a * std::cos(q[2]) + side * b * std::sin(q[2]);
              },
          .H =
              [=](ConstVectorRef q, MatrixRef H) {
                const double s2 = std::sin(q[2]), c2 = std::cos(q[2]);
                H << up * l1 * std::cos(q[0]), up * l2 * std::cos(q[1]), up * front * a * c2 + b * s2,
                    -l1 * std::sin(q[0]), -l2 * std::sin(q[1]), -front * a * s2 + side * b * c2;
              }};
}

Model slider_crank() {
  Model m;
  m.bodies = {m.system.add(SliderCrank::mechanism())};
  for (int i = 0; i < 4; ++i) {
    m.contacts.push_back(m.system.link(m.bodies[0], SliderCrank::corner(i),
                                       NewtonImpactFrictionLaw{.restitution = 0.4, .friction = 0.01},
                                       "corner " + std::to_string(i)));
  }
  m.options.integrator = MoreauJean{.theta = 0.5};
  m.options.step = 1e-5;
  m.options.newton.residual_tolerance = 1e-10;  // that of the reference trajectory
  m.steps = 20000;
  return m;
}

Model disks_in_a_box() {
  constexpr double R = 0.1, wall = 0.26, J = 0.5 * R * R;
  const std::vector<std::pair<double, double>> centres = {{-0.12, 0.15}, {0.11, 0.17}, {-0.02, 0.38}, {-0.15, 0.60},
                                                          {0.14, 0.62},  {0.03, 0.86}, {-0.13, 1.08}, {0.12, 1.12}};
  const NewtonImpactFrictionLaw law{.restitution = 0.2, .friction = 0.3};
  Model m;
  for (const auto& [x, y] : centres) {
    m.bodies.push_back(m.system.add(PlanarBody{
        .inertia = J, .position = {x, y}, .gravity = {0.0, -9.81}, .name = "disk " + std::to_string(m.bodies.size())}));
  }
  for (const SystemHandle disk : m.bodies) {
    m.contacts.push_back(
        m.system.link(disk, LagrangianLinearRelation{.H = {{0.0, 1.0, 0.0}, {1.0, 0.0, R}}, .b = {-R, 0.0}}, law));
    m.contacts.push_back(m.system.link(
        disk, LagrangianLinearRelation{.H = {{1.0, 0.0, 0.0}, {0.0, 1.0, -R}}, .b = {wall - R, 0.0}}, law));
    m.contacts.push_back(m.system.link(
        disk, LagrangianLinearRelation{.H = {{-1.0, 0.0, 0.0}, {0.0, 1.0, R}}, .b = {wall - R, 0.0}}, law));
  }
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    for (std::size_t j = i + 1; j < m.bodies.size(); ++j) {
      m.contacts.push_back(m.system.link(
          {m.bodies[i], m.bodies[j]},
          ScleronomousRelation{
              .rows = 2,
              .h = [](ConstVectorRef q, VectorRef y) { y[0] = std::hypot(q[3] - q[0], q[4] - q[1]) - 2.0 * R; },
              .H =
                  [](ConstVectorRef q, MatrixRef H) {
                    const double dx = q[3] - q[0], dy = q[4] - q[1];
                    const double distance = std::hypot(dx, dy), nx = dx / distance, ny = dy / distance;
                    H << -nx, -ny, 0.0, nx, ny, 0.0, ny, -nx, -R, -ny, nx, -R;
                  }},
          law));
    }
  }
  m.options.integrator = MoreauJean{.theta = 0.5};
  m.options.step = 1e-3;
  m.options.newton.max_iterations = 1;  // linearly implicit: H at q_k + h v_k
  m.steps = 1000;
  return m;
}

Index Beam::size() const { return 2 * (elements + 1); }

Beam::Sparse Beam::stiffness() const {
  const double l = length / static_cast<double>(elements);
  Eigen::Matrix4d K;
  K << 12.0, 6.0 * l, -12.0, 6.0 * l, 6.0 * l, 4.0 * l * l, -6.0 * l, 2.0 * l * l, -12.0, -6.0 * l, 12.0, -6.0 * l,
      6.0 * l, 2.0 * l * l, -6.0 * l, 4.0 * l * l;
  return assemble(E * I / (l * l * l) * K);
}

Beam::Sparse Beam::mass() const {
  const double l = length / static_cast<double>(elements);
  Eigen::Matrix4d M;
  M << 156.0, 22.0 * l, 54.0, -13.0 * l, 22.0 * l, 4.0 * l * l, 13.0 * l, -3.0 * l * l, 54.0, 13.0 * l, 156.0,
      -22.0 * l, -13.0 * l, -3.0 * l * l, -22.0 * l, 4.0 * l * l;
  return assemble(rho * S * l / 420.0 * M);
}

Beam::Sparse Beam::assemble(const Eigen::Matrix4d& element) const {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index e = 0; e < elements; ++e) {
    for (Index i = 0; i < 4; ++i) {
      for (Index j = 0; j < 4; ++j)
        entries.emplace_back(static_cast<int>(2 * e + i), static_cast<int>(2 * e + j), element(i, j));
    }
  }
  Sparse matrix(size(), size());
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

Model ball_on_beam(Index elements) {
  const Beam beam{.elements = elements};
  const Index n = beam.size();
  const auto still = [](double) { return 0.0; };
  Model m;
  m.bodies = {m.system.add(LagrangianLinearSystem{
                  .mass = beam.mass(),
                  .stiffness = beam.stiffness(),
                  .q0 = Eigen::VectorXd::Zero(n),
                  .v0 = {},
                  .prescribed = {{.component = n - 2, .velocity = still}, {.component = n - 1, .velocity = still}},
                  .name = "beam"}),
              m.system.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {1e-6}, .v0 = {-2.0}, .name = "ball"})};
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(1, n + 1);
  H(0, 0) = -1.0;
  H(0, n) = 1.0;
  m.contacts = {m.system.link(m.bodies, LagrangianLinearRelation{.H = H}, NewtonImpactLaw{0.0})};
  m.options.integrator = MoreauJean{.theta = 0.5, .forecast = 0.0};
  m.options.step = 1e-3;
  m.steps = 98;
  return m;
}

Model position_level_ball() {
  Model m = bouncing_ball();
  m.options.integrator = SchatzmanPaoli{.theta = 0.5};
  return m;
}

Model projected_ball() {
  Model m = bouncing_ball();
  m.options.projection = {.kind = Projection::Direct, .unilateral_tolerance = 1e-8, .bilateral_tolerance = 1e-4};
  return m;
}

Model ball_on_compliant_floor(double step) {
  Model m;
  m.bodies = {
      m.system.add(PlanarBody{.inertia = 0.004, .position = {1.0, 0.0}, .gravity = {-9.81, 0.0}, .name = "ball"})};
  m.contacts = {
      m.system.link(m.bodies[0], LagrangianLinearRelation{.H = {{-1.0, 0.0, 0.0}}, .b = {0.7}}, NewtonImpactLaw{1.0},
                    "roof"),
      m.system.link(m.bodies[0], LagrangianLinearRelation{.H = {{1.0, 0.0, 0.0}}, .b = {-0.1}, .compliance = {{0.01}}},
                    ComplementarityLaw{}, "floor")};
  m.options.integrator = MoreauJean{.theta = 0.5};
  m.options.step = step;
  m.steps = static_cast<Index>(std::lround(10.0 / step));
  return m;
}

}  // namespace nonsmooth::problems
