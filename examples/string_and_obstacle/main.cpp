// SPDX-License-Identifier: Apache-2.0
// A string, plucked at its middle, over a point obstacle that it touches at rest (SI units).
//
//   mu y_tt = T y_xx + r delta(x - L/2),   y(0) = y(L) = 0,   0 <= y(L/2)  ⟂  r >= 0;
//   by its modes, y = sum_j q_j sin(j pi x / L):   m (q_j'' + w_j^2 q_j) = r sin(j pi / 2),   m = mu L / 2.
//
// With c = sqrt(T / mu) and the period T0 = 2 L / c of the free string, d'Alembert's waves say what happens: the
// triangle of height A is flat at T0 / 4, falling at V = 4 A / T0; its halves swing through below while the obstacle
// holds their common end with 4 T A / L; at T0 / 2 the string is flat and rises, at 3 T0 / 4 it is the triangle again.
// The obstacle raises the pitch by a fourth: 4 / 3 of f0 = 1 / T0.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

constexpr double L = 1.0, kDensity = 1.2e-3, kTension = 192.0, A = 2e-3;  // [m], [kg/m], [N], [m]
constexpr Index kModes = 400, kSteps = 1600;                              // modes; steps a period of the free string
const double c = std::sqrt(kTension / kDensity), T0 = 2 * L / c, h = T0 / kSteps;

struct Run {
  std::vector<double> t{}, middle{}, force{}, begins{}, ends{};  // [s], [m], [N], instants of contact [s]
  double lost_first = 0.0, drift = 0.0, returned = 0.0;          // energy [-], energy off its start [-], shape [-]
};

Run pluck(const Integrator& scheme, bool obstacle, double restitution, double periods) {
  // 1. The string by its modes: M and K are diagonal.
  const Eigen::ArrayXd j = Eigen::ArrayXd::LinSpaced(kModes, 1, kModes), w = j * (std::numbers::pi * c / L);
  const Eigen::ArrayXd at_middle = (j * (std::numbers::pi / 2)).sin();
  const Eigen::VectorXd m = Eigen::VectorXd::Constant(kModes, kDensity * L / 2), k = w.square() * m.array();
  const Eigen::VectorXd triangle = 8 * A * at_middle / (j * std::numbers::pi).square();
  NonSmoothDynamicalSystem model;
  const auto string =
      model.add(LagrangianLinearSystem{.mass = m.asDiagonal(), .stiffness = k.asDiagonal(), .q0 = triangle});

  // 2. The obstacle under its middle.
  const LagrangianLinearRelation height{.H = at_middle.matrix().transpose(), .b = {obstacle ? 0.0 : 2 * A}};
  const auto point = model.link(string, height, NewtonImpactLaw{.restitution = restitution});

  // 3. Time.
  TimeStepping simulation{model, {.integrator = scheme, .step = h}};
  const auto energy = [&](const State& s) {
    return 0.5 * (m.dot(s.v(string).cwiseAbs2()) + k.dot(s.q(string).cwiseAbs2()));
  };
  const double E0 = energy(simulation.state());
  Run run;
  bool pressed = false;
  const auto report = simulation.advance_to(periods * T0, [&](const State& s) {
    const double r = s.impulse(point)[0] / h, E = energy(s) / E0;
    if (r > 0 && !pressed && (run.ends.empty() || s.t - run.ends.back() > T0 / 8)) run.begins.push_back(s.t - h);
    if (r > 0 && run.begins.size() > run.ends.size()) run.ends.push_back(s.t);
    if (r > 0) run.ends.back() = s.t;
    pressed = r > 0;
    if (run.begins.size() == 1) run.lost_first = 1 - E;
    run.drift = std::max(run.drift, std::abs(E - 1));
    run.t.push_back(s.t), run.middle.push_back(at_middle.matrix().dot(s.q(string))), run.force.push_back(r);
  });
  if (!report) throw std::runtime_error(report.message());
  run.returned = (simulation.state().q(string) - triangle).cwiseAbs().sum() / A;  // bounds the shape's error everywhere
  return run;
}

int example(const Arguments& arguments) {
  const double periods = 30;
  const Run free = pluck(ExactLinear{}, false, 0.0, periods), lagging = pluck(MoreauJean{}, false, 0.0, periods);
  const Run stopped = pluck(ExactLinear{}, true, 0.0, periods), elastic = pluck(ExactLinear{}, true, 1.0, periods);

  if (arguments.pictures()) {
    const std::vector<double> corners{0, T0 / 4, T0 / 2, 3 * T0 / 4, T0, 5 * T0 / 4, 3 * T0 / 2};
    const auto ms = [](std::vector<double> t) {
      for (double& one : t) one *= 1e3;
      return t;
    };
    const auto first = [](std::vector<double> values) { return values.resize(3 * kSteps / 2), values; };
    Panel middle =
        time_series(ms(first(stopped.t)), "middle [mm]",
                    {{ms(first(free.middle)), "free"}, {ms(first(stopped.middle)), "over the obstacle"}}, "time [ms]");
    middle.series.push_back({.x = ms(corners), .y = ms({A, 0, 0, A, 0, 0, A}), .style = Series::Style::Guide});
    const Panel force =
        time_series(ms(first(stopped.t)), "force [N]", {{first(stopped.force), "over the obstacle"}}, "time [ms]");
    const std::string label = "amplitude of the middle [m]";
    const SpectrumOptions window{.window = Window::BlackmanHarris};
    Panel low = spectrum(stopped.t, label, {{free.middle, "free"}, {stopped.middle, "over the obstacle"}}, window);
    Panel high =
        spectrum(stopped.t, label,
                 {{free.middle, "free"}, {lagging.middle, "free, by Moreau-Jean", Series::Style::Dashed}}, window);
    low.x.low = 0.0, low.x.high = 14 / T0, low.y.low = 1e-6;
    high.x.low = 90 / T0, high.x.high = 104 / T0, high.y.low = 1e-9;
    std::cout << draw({.title = "A string over a point obstacle",
                       .panels = {middle, low, force, high},
                       .width = 1100,
                       .height = 640,
                       .columns = 2},
                      *arguments.pictures() / "string_and_obstacle")
                     .message()
              << '\n';
  }

  // 4. Bounds.
  //    The free string is where it was after each period, to 48000 roundings of eps and the phase eps w t of each mode.
  //    By Moreau-Jean mode j lags by 2 pi j periods (w_j h)^2 / 12: those beyond the j that is half a turn late are
  //    anywhere, 2 / pi times their 8 / (pi j)^2 off on average.
  //    The obstacle: 400 modes make fronts of T0 / 400 = 4 h. At the impact the middle weighs 1 / W, W = sum H_j^2 (1 +
  //    cos w_j h) / (2 m) over the odd modes, (1 + 2 / pi) / 2 N / (mu L) as w_N h = pi / 2: without restitution
  //    V^2 / (2 W) of the string's mu L V^2 / 2 is lost, and more is not, as contact at rest takes none. With e = 1
  //    each impact gives back all: roundings.
  const double eps = std::numeric_limits<double>::epsilon(), steps = periods * kSteps;
  const double half_turn = std::cbrt(6 / periods * kSteps * kSteps / std::pow(2 * std::numbers::pi, 2));
  const double anywhere = 2 / std::numbers::pi * 4 / (std::numbers::pi * std::numbers::pi * half_turn);
  const double node = 2 / ((1 + 2 / std::numbers::pi) * static_cast<double>(kModes));
  const auto lines = spectrum_of(stopped.t, stopped.middle, {.window = Window::BlackmanHarris});
  const auto top = std::max_element(lines.value.begin() + 4, lines.value.end()) - lines.value.begin();
  const double contacts = static_cast<double>(stopped.begins.size()) - 1;
  double held = 0.0;
  for (Index i = kSteps / 3; i < 5 * kSteps / 12; ++i) held += stopped.force[static_cast<std::size_t>(i)];
  Bounds bounds;
  bounds.near("free: off its start after 30 periods [-]", free.returned, 0.0,
              4 * eps * (steps + 2 * std::numbers::pi * periods * kModes));
  bounds.near("free: energy off its start [-]", free.drift, 0.0, 4 * eps * steps);
  bounds.within("free, by Moreau-Jean: off its start [-]", lagging.returned, anywhere / 2, 4 * anywhere);
  bounds.near("contact begins [T0]", stopped.begins.at(0) / T0, 0.25, 2.0 / kSteps);
  bounds.near("contact ends [T0]", stopped.ends.at(0) / T0, 0.5, 4.0 / kSteps);
  bounds.near("mean force, middle third of contact [N]", held / (kSteps / 12), 4 * kTension * A / L, 12.0 / kModes);
  bounds.near("energy lost at the first impact [-]", stopped.lost_first, node, 0.1 * node);
  bounds.near("period over the obstacle [T0]", (stopped.begins.back() - stopped.begins[0]) / contacts / T0, 0.75,
              1.0 / kSteps);
  bounds.near("strongest line [f0]", lines.frequency[static_cast<std::size_t>(top)] * T0, 4.0 / 3, 0.5 / periods);
  bounds.near("elastic: energy off its start [-]", elastic.drift, 0.0, 64 * eps * steps);
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
