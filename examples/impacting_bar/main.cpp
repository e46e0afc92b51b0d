// SPDX-License-Identifier: Apache-2.0
// An elastic bar flies end first against a rigid wall, by finite elements (SI units).
//   M dv + K q dt = H^T dp,    dq = v dt,    0 <= q_0  ⟂  dp >= 0   at the end that meets the wall.
// The exact bar knows no impact law: from contact at t1 = q0 / |v0| the wall pushes with S E |v0| / c = 1270.8 N, for
// as long as a wave takes to the free end and back, T_c = 2 L / c = 3.8545e-4 s, c = sqrt(E / rho); then the bar is
// stress-free, at |v0| away from the wall. Contact ends when that wave front arrives, as sharp as the scheme left it.
#include <cmath>
#include <iostream>
#include <numbers>
#include <string>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

constexpr double E = 210e9, kDensity = 7800.0, L = 1.0, S = 3.14e-4;  // [Pa], [kg/m^3], [m], [m^2]
constexpr double kGap = 5e-5, kSpeed = 0.1;                           // [m], [m/s]

struct Run {
  std::vector<double> t{}, force{}, energy{};
  double impulse = 0.0, middle = 0.0, begins = 0.0, ends = 0.0;  // [N s], mean force [N], contact [s]
  double lost = 0.0, numerical = 0.0;                            // energy [-]: at contact, in the scheme
};

Run fly(Index elements, double h, const Integrator& scheme) {
  // 1. Sparse matrices of linear elements with consistent mass; nothing dense is ever made of them.
  const Index n = elements + 1;
  const double l = L / static_cast<double>(elements), k = E * S / l, m = kDensity * S * l;
  std::vector<Eigen::Triplet<double>> stiffness, mass;
  for (Index i = 0; i < elements; ++i) {
    for (const Index a : {i, i + 1}) {
      for (const Index b : {i, i + 1}) {
        stiffness.emplace_back(a, b, a == b ? k : -k);
        mass.emplace_back(a, b, a == b ? m / 3 : m / 6);
      }
    }
  }
  Eigen::SparseMatrix<double> K(n, n), M(n, n);
  K.setFromTriplets(stiffness.begin(), stiffness.end()), M.setFromTriplets(mass.begin(), mass.end());

  NonSmoothDynamicalSystem model;
  const auto bar = model.add(LagrangianLinearSystem{.mass = M,
                                                    .stiffness = K,
                                                    .q0 = Eigen::VectorXd::Constant(n, kGap),
                                                    .v0 = Eigen::VectorXd::Constant(n, -kSpeed)});
  // 2. The law that impacts of the end node's own mass need: it stops (e = 0), the waves do the rest.
  const auto wall = model.link(bar, LagrangianLinearRelation{.H = Eigen::RowVectorXd::Unit(n, 0)}, NewtonImpactLaw{});

  // 3. Forces apart from the impact, and the balance of the energy.
  TimeStepping simulation{model, {.integrator = scheme, .step = h}};
  Ledger ledger(simulation);
  const double E0 = ledger.last().energy(), t1 = kGap / kSpeed, T_c = 2 * L * std::sqrt(kDensity / E);
  Run run;
  Index middle = 0;
  const auto report = simulation.advance_to(1.1e-3, [&](const State& x) {
    const double force = x.force(wall)[0];
    run.t.push_back(1e3 * x.t), run.force.push_back(force), run.energy.push_back(ledger.record(x).energy() / E0);
    run.impulse += x.impulse(wall)[0];
    if (x.impulse(wall)[0] > 0.0) run.ends = x.t, run.begins = run.begins > 0.0 ? run.begins : x.t;
    if (x.t > t1 + T_c / 3 && x.t < t1 + 2 * T_c / 3) run.middle += force, ++middle;
  });
  if (!report) std::cerr << report.message() << '\n';
  run.middle /= static_cast<double>(middle);
  run.lost = -ledger.total().contact / E0, run.numerical = ledger.total().numerical / E0;
  return run;
}

int example(const Arguments& arguments) {
  const double c = std::sqrt(E / kDensity), t1 = kGap / kSpeed, T_c = 2 * L / c, force = S * E * kSpeed / c;
  const auto step = [&](Index elements) { return L / static_cast<double>(elements) / c; };  // a wave crosses an element
  const double theta = 0.5;
  const Run moreau_coarse = fly(100, step(100), MoreauJean{}), moreau = fly(200, step(200), MoreauJean{}),
            paoli_coarse = fly(100, step(100), SchatzmanPaoli{.theta = theta}),
            paoli = fly(200, step(200), SchatzmanPaoli{.theta = theta});

  if (arguments.pictures()) {
    const Axis time{.label = "time [ms]", .low = 0.45, .high = 1.0};
    const Series exact{.x = {0.45, 1e3 * t1, 1e3 * t1, 1e3 * (t1 + T_c), 1e3 * (t1 + T_c), 1.0},
                       .y = {0, 0, force, force, 0, 0},
                       .label = "exact",
                       .style = Series::Style::Dashed};
    const Figure figure{.title = "Elastic bar on a rigid wall, 200 elements",
                        .panels = {{.x = time,
                                    .y = {.label = "contact force [N]", .low = 0},
                                    .series = {{.x = moreau.t, .y = moreau.force, .label = "Moreau-Jean"},
                                               {.x = paoli.t, .y = paoli.force, .label = "Schatzman-Paoli"},
                                               exact}},
                                   {.x = time,
                                    .y = {.label = "energy / initial", .low = 0.9, .high = 1.01},
                                    .series = {{.x = moreau.t, .y = moreau.energy, .label = "Moreau-Jean"},
                                               {.x = paoli.t, .y = paoli.energy, .label = "Schatzman-Paoli"}}}},
                        .width = 760,
                        .height = 640};
    std::cout << draw(figure, *arguments.pictures() / "impacting_bar").message() << '\n';
  }

  // 4. Bounds. While the end is held, the returning front would turn the force from F to -F; contact ends halfway, at
  //    t1 + T_c, and what the blurred front took off before is missing in the impulse F T_c.
  //    Schatzman-Paoli, theta g_{k+1} + (1-theta) g_k: a wave of frequency w fades as exp(-theta h w^2 t / 2). After
  //    T_c the front is a normal distribution's, s = sqrt(theta h T_c) wide; F s sqrt(2/pi) is missing, to order s^2.
  //    Moreau-Jean, theta = 1/2: nothing fades, waves of k lag by (k l)^2 / 24 with h = l / c; the front is Airy's, of
  //    width a = (T_c h^2 / 8)^(1/3), and no more than F a is missing. Only the impact of the end node takes energy:
  //    of the mass of one element, at most.
  const double h = step(200), s = std::sqrt(theta * h * T_c), a = std::cbrt(T_c * h * h / 8);
  const auto missing = [&](const Run& run) { return 1.0 - run.impulse / (force * T_c); };
  Bounds bounds;
  bounds.near("Moreau-Jean: mean force, middle third of contact [N]", moreau.middle, force, force * a / (T_c / 3));
  bounds.near("Moreau-Jean: contact begins [s]", moreau.begins, t1, 2 * h);
  bounds.near("Moreau-Jean: contact ends [s]", moreau.ends, t1 + T_c, a + h);
  bounds.within("Moreau-Jean: missing impulse [-]", missing(moreau), 0.0, a / T_c);
  bounds.near("Moreau-Jean: its order, l and h together", std::log2(missing(moreau_coarse) / missing(moreau)), 2.0 / 3,
              0.1);
  bounds.within("Moreau-Jean: energy lost at the wall [-]", moreau.lost, 0.0, 1.0 / 200);
  bounds.near("Moreau-Jean: energy lost in the scheme [-]", moreau.numerical, 0.0, 1e-10);
  bounds.near("Schatzman-Paoli: mean force, middle third of contact [N]", paoli.middle, force, force * h / T_c);
  bounds.near("Schatzman-Paoli: contact begins [s]", paoli.begins, t1, 2 * h);
  bounds.near("Schatzman-Paoli: contact ends [s]", paoli.ends, t1 + T_c, 2 * h);
  bounds.near("Schatzman-Paoli: missing impulse [-]", missing(paoli), s / T_c * std::sqrt(2 / std::numbers::pi),
              s * s / (T_c * T_c));
  bounds.near("Schatzman-Paoli: its order, l and h together", std::log2(missing(paoli_coarse) / missing(paoli)), 0.5,
              s / T_c);
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
