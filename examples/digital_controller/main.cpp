// SPDX-License-Identifier: Apache-2.0
// A motor held at rest by a digital sliding-mode controller that measures the angle alone (SI units).
//
//   x' = A x + (0, u + d),   A = [0 1; 0 -a],   x = (angle, speed);  d: a disturbance from t = 2 s on
//   z' = A z + (0, u) + L (x_1 - z_1)           an observer of both, as the controller's clock samples it
//   u = -U sgn sigma(z_k), sigma = speed + c angle            explicit: the sign at the sample
//   u in -U Sgn sigma(e^(A h) z_k + b u), b = (gamma, phi)    implicit: the sign where u will have led to
//
// u, and what the observer is fed with, are sampled at t_k and held: between samples all is linear with constant
// inputs, and ZeroOrderHold is exact, whatever h. With E = e^(-a h), phi = (1-E)/a, gamma = (h-phi)/a it is
//   x_{k+1} = [1 phi; 0 E] x_k + (gamma, phi) (u_k + d).
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

constexpr double kA = 5.0, kU = 10.0, kC = 4.0, kD = 3.0, kH = 0.02, kStart = 2.0, kEnd = 4.0;

struct Loop {
  SystemHandle motor{}, observer{};
};

int example(const Arguments& arguments) {
  const double E = std::exp(-kA * kH), phi = (1.0 - E) / kA, gamma = (kH - phi) / kA;
  // The observer's error e = x - z obeys e_{k+1} = ([1 phi; 0 E] - K (1 0)) e_k; this K makes that nilpotent: dead
  // beat.
  const Eigen::Vector2d K(1.0 + E, E * E / phi);
  const Eigen::Vector2d L((K[0] - gamma * K[1] / phi) / kH, K[1] / phi);  // what, held, acts as K

  // 1. Two controllers, and the functions that are sampled at the beginning of each step with the whole state.
  std::array<Loop, 2> loops;  // implicit, explicit; filled below, read when the simulation runs
  const auto control = [&](std::size_t i, const State& state) {
    const auto z = state.x(loops[i].observer);
    if (i == 1) return z[1] + kC * z[0] > 0.0 ? -kU : kU;
    const double free = E * z[1] + kC * (z[0] + phi * z[1]);  // sigma at t_{k+1} without u
    return std::clamp(-free / (phi + kC * gamma), -kU, kU);
  };
  const auto disturbance = [](double t, VectorRef b) { b[1] = t > kStart ? kD : 0.0; };

  // 2. The model: two motors, two observers.
  NonSmoothDynamicalSystem model;
  const MatrixData A = Eigen::MatrixXd{{0.0, 1.0}, {0.0, -kA}};
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const Feedback drive = [&, i](const State& state, VectorRef value) { value[1] = control(i, state); };
    const Feedback correct = [&, i](const State& state, VectorRef value) {
      value = L * (state.x(loops[i].motor)[0] - state.x(loops[i].observer)[0]);
      value[1] += control(i, state);
    };
    loops[i].motor = model.add(FirstOrderLinearSystem{.A = A, .b = disturbance, .x0 = {1.0, 0.5}, .feedback = drive});
    loops[i].observer = model.add(FirstOrderLinearSystem{.A = A, .x0 = {0.0, 0.0}, .feedback = correct});
  }

  // 3. How time advances: the step is the controller's period.
  TimeStepping simulation{model, {.integrator = ZeroOrderHold{}, .step = kH}};
  Table table{"t [s]", "angle", "angle explicit", "sigma", "sigma explicit", "u", "u explicit"};
  double missed_by_observer = 0.0, sliding_rate = 0.0, changes = 0.0, before = 0.0;
  const double slides = (1.0 - kC * phi + kC * gamma * E / phi) / (1.0 + kC * gamma / phi);  // of the angle, a sample
  const auto report = simulation.advance_to(kEnd, [&](const State& state) {
    const auto x = state.x(loops[0].motor), other = state.x(loops[1].motor);
    if (state.t > 1.0 && state.t < kStart + 0.5 * kH)  // slides without a disturbance
      sliding_rate = std::fmax(sliding_rate, std::abs(x[0] / table.column("angle").back() - slides));
    if (state.t > 1.5 * kH && state.t < kStart + 0.5 * kH)
      missed_by_observer = std::fmax(missed_by_observer, (x - state.x(loops[0].observer)).cwiseAbs().maxCoeff());
    const double u = control(1, state);
    if (state.t > kEnd - 1.0 && u != before) ++changes;
    before = u;
    table.record({state.t, x[0], other[0], x[1] + kC * x[0], other[1] + kC * other[0], control(0, state), u});
  });
  if (!report) std::cerr << report.message() << '\n';

  // 4. A picture, where one is wanted.
  if (arguments.pictures()) {
    const auto panel = [&](const char* label, const char* column, const char* sampled, Series::Style style) {
      return time_series(table.column("t [s]"), label,
                         {{table.column(sampled), "explicit", style}, {table.column(column), "implicit", style}});
    };
    const Figure figure{.title = "Digital sliding-mode control of a motor, disturbed from t = 2 s on",
                        .panels = {panel("angle [rad]", "angle", "angle explicit", Series::Style::Line),
                                   panel("sigma [rad/s]", "sigma", "sigma explicit", Series::Style::Line),
                                   panel("control u [rad/s^2]", "u", "u explicit", Series::Style::Steps)},
                        .width = 720,
                        .height = 700};
    std::cout << draw(figure, *arguments.pictures() / "digital_controller").message() << '\n';
  }

  // 5. Does it hold? The closed forms of the sampled loop, to rounding. A constant d leaves the observer the error e,
  // and
  //    the controller, which knows neither e nor d, what both add to sigma in a sample. It slides on to u = -d and
  //    sigma = c angle by that shrinkage: 3.4e-4 is left after 2 s.
  const Eigen::Vector2d e = kD * Eigen::Vector2d((1.0 - E) * gamma + phi * phi, K[0] * phi - K[1] * gamma);
  const double sigma = E * e[1] + kC * (e[0] + phi * e[1]) + (phi + kC * gamma) * kD;
  Bounds bounds;
  bounds.near("observer's error, two samples on", missed_by_observer, 0.0, 1e-11);
  bounds.near("shrinkage of the angle a sample, off by", sliding_rate, 0.0, 1e-12);
  bounds.near("sigma under the disturbance [rad/s]", table.column("sigma").back(), sigma, 1e-12);
  bounds.near("u under the disturbance [rad/s^2]", table.column("u").back(), -kD, kD * 3.4e-4);
  bounds.near("angle at the end [rad]", table.column("angle").back(), sigma / kC, 3.4e-4);
  // The explicit u has two values only, and its mean has to be -d: it changes in many of the last 50 samples, for ever.
  bounds.within("changes of u in the last second, explicit", changes, 10.0, 50.0);
  std::cout << bounds.report();
  return report && bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
