// SPDX-License-Identifier: Apache-2.0
// A ball strikes the free end of a clamped beam: finite elements, and two systems linked (SI units).
//   beam   M dv + K q dt = -e dp, w = e^T q,    v = 0 in both coordinates of the clamped end,    no gravity
//   ball   m dv_b = dp,                0 <= q_b - w  ⟂  dp >= 0,                        w the tip's deflection
// Euler-Bernoulli: cubic elements, deflection and rotation a node. The ball, as heavy as two fifths of the beam, meets
// the tip again and again until the beam throws it back; from then on each mode of the beam swings on its own, the
// first one with w_1 = 1.8751041^2 sqrt(E I / (rho S L^4)).
#include <cmath>
#include <iostream>
#include <numbers>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

constexpr double E = 210e9, kDensity = 7800.0, L = 1.0, kRadius = 0.01, kBall = 1.0, kSpeed = 2.0;
constexpr Index kElements = 100,
                kSize = 2 * (kElements + 1);  // coordinates 2 i, 2 i + 1: deflection, rotation of node i

/// The first mode of a beam that is clamped at s = 0: deflection, or slope.
double mode(double s, bool slope) {
  const double k = 1.8751040687119611 / L,
               r = (std::cos(k * L) + std::cosh(k * L)) / (std::sin(k * L) + std::sinh(k * L));
  return slope ? k * (std::sinh(k * s) + std::sin(k * s) - r * (std::cosh(k * s) - std::cos(k * s)))
               : std::cosh(k * s) - std::cos(k * s) - r * (std::sinh(k * s) - std::sin(k * s));
}

int example(const Arguments& arguments) {
  const double S = std::numbers::pi * kRadius * kRadius, I = S * kRadius * kRadius / 4, T = 0.5;
  const double h = T / static_cast<double>(arguments.integer("steps", 5000)), l = L / kElements;

  // 1. The beam, its tip at node 0; prescribed velocities hold the other end.
  Eigen::Matrix4d k, m;
  k << 12, 6 * l, -12, 6 * l, 6 * l, 4 * l * l, -6 * l, 2 * l * l, -12, -6 * l, 12, -6 * l, 6 * l, 2 * l * l, -6 * l,
      4 * l * l;
  m << 156, 22 * l, 54, -13 * l, 22 * l, 4 * l * l, 13 * l, -3 * l * l, 54, 13 * l, 156, -22 * l, -13 * l, -3 * l * l,
      -22 * l, 4 * l * l;
  std::vector<Eigen::Triplet<double>> stiffness, mass;
  for (Index e = 0; e < kElements; ++e) {
    for (Index i = 0; i < 4; ++i) {
      for (Index j = 0; j < 4; ++j) {
        stiffness.emplace_back(2 * e + i, 2 * e + j, E * I / (l * l * l) * k(i, j));
        mass.emplace_back(2 * e + i, 2 * e + j, kDensity * S * l / 420 * m(i, j));
      }
    }
  }
  Eigen::SparseMatrix<double> K(kSize, kSize), M(kSize, kSize);
  K.setFromTriplets(stiffness.begin(), stiffness.end()), M.setFromTriplets(mass.begin(), mass.end());
  NonSmoothDynamicalSystem model;
  const auto still = [](double) { return 0.0; };
  const auto beam = model.add(LagrangianLinearSystem{.mass = M,
                                                     .stiffness = K,
                                                     .q0 = Eigen::VectorXd::Zero(kSize),
                                                     .prescribed = {{kSize - 2, still}, {kSize - 1, still}}});

  // 2. The ball, and the contact between the two: the gap q_b - w acts on the coordinates of both, beam first.
  const auto ball = model.add(LagrangianLinearSystem{.mass = {{kBall}}, .q0 = {1e-6}, .v0 = {-kSpeed}});
  const Eigen::RowVectorXd H = Eigen::RowVectorXd::Unit(kSize + 1, kSize) - Eigen::RowVectorXd::Unit(kSize + 1, 0);
  const auto contact = model.link({beam, ball}, LagrangianLinearRelation{.H = H}, NewtonImpactLaw{.restitution = 0.0});

  // 3. Time, and what is kept: positions, energies, and the first mode's share of the motion, phi^T M q.
  Eigen::VectorXd phi(kSize);
  for (Index i = 0; i <= kElements; ++i) {
    const double s = L - l * static_cast<double>(i);
    phi[2 * i] = mode(s, false), phi[2 * i + 1] = -mode(s, true);
  }
  const Eigen::VectorXd weight = M * phi;
  TimeStepping simulation{model, {.integrator = MoreauJean{.theta = 0.5}, .step = h}};
  Ledger ledger(simulation);
  const double E0 = ledger.last().energy();
  Table table{"t", "tip", "ball", "E tip", "E ball", "E"};
  double last_contact = 0.0, deepest = 0.0, fastest = 0.0, share = 0.0;
  std::vector<double> crossings;
  const auto report = simulation.advance_to(T, [&](const State& x) {
    const double total = ledger.record(x).energy(), own = kBall * x.v(ball)[0] * x.v(ball)[0] / 2;
    table.record({1e3 * x.t, 1e3 * x.q(beam)[0], 1e3 * x.q(ball)[0], total - own, own, total});
    if (x.impulse(contact)[0] > 0.0) last_contact = x.t, crossings.clear();
    deepest = std::fmax(deepest, -x.y(contact)[0]), fastest = std::fmax(fastest, -x.u(contact)[0]);
    const double now = weight.dot(x.q(beam));
    if (share * now < 0.0) crossings.push_back(x.t - h * now / (now - share));
    share = now;
  });
  if (!report) std::cerr << report.message() << '\n';

  // 4. A picture, where one is wanted.
  if (arguments.pictures()) {
    const Axis time{.label = "time [ms]", .low = 0.0, .high = 200.0};
    const auto curve = [&](const char* column, const char* label) {
      return Series{.x = table.column("t"), .y = table.column(column), .label = label};
    };
    const Figure figure{.title = "Ball on a clamped beam",
                        .panels = {{.x = time,
                                    .y = {.label = "position [mm]", .low = -40, .high = 60},
                                    .series = {curve("tip", "tip of the beam"), curve("ball", "ball")}},
                                   {.x = time,
                                    .y = {.label = "energy [J]", .low = 0.0},
                                    .series = {curve("E tip", "beam"), curve("E ball", "ball"), curve("E", "sum")}}},
                        .width = 760,
                        .height = 640};
    std::cout << draw(figure, *arguments.pictures() / "impacting_beam").message() << '\n';
  }

  // 5. Bounds. The trapezoidal rule (theta = 1/2) swings slower than w_1 by (w_1 h)^2 / 12, cubic elements add nothing
  //    to be seen, (1.875 l)^4 / 1440; a tenth of that is left for the interpolated zero crossings. Rayleigh: with the
  //    static shape the tip weighs 33/140 of the beam, its spring is 3 E I / L^3, and ball and tip part after half a
  //    swing, earlier or later by no more than half a period of the second mode, 4.6940911^2 in the place of 1.875^2.
  //    No step's gap closes by more than what the ball moves in it. Round-off of 10^4 products with K: 1e-8.
  const double pi = std::numbers::pi, w_unit = std::sqrt(E * I / (kDensity * S)) / (L * L);
  const double w_1 = std::pow(1.8751040687119611, 2) * w_unit, w_2 = std::pow(4.6940911329741746, 2) * w_unit;
  const double measured = pi * static_cast<double>(crossings.size() - 1) / (crossings.back() - crossings.front());
  const double lag = w_1 * std::pow(w_1 * h, 2) / 12;
  const double half_swing = pi * std::sqrt((kBall + 33.0 / 140 * kDensity * S * L) * std::pow(L, 3) / (3 * E * I));
  Bounds bounds;
  bounds.near("first frequency, after the last contact [rad/s]", measured, w_1 - lag, lag / 10);
  bounds.near("they part at [s]", last_contact, half_swing, pi / w_2);
  bounds.within("deepest penetration [m]", deepest, 0.0, h * fastest);
  bounds.near("energy that the scheme adds [J]", ledger.total().numerical, 0.0, 1e-8);
  bounds.within("energy that impacts take [J]", -ledger.total().contact, 0.0, E0);
  bounds.near("velocity of the clamped end [m/s]", simulation.state().v(beam).tail(2).norm(), 0.0, 0.0);
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {"steps"}, example); }
