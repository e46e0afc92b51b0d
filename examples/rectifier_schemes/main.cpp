// SPDX-License-Identifier: Apache-2.0
// A charged coil that rings with a capacitor and feeds a resistor through a bridge of ideal diodes, as a netlist says
// it (SI units): nodes a and b at the capacitor, p at the resistor, its other end is ground.
//
//   L i_L' = v_C,    C v_C' = -i_L - (i_3 - i_1)
//   0 = phi_a - phi_b - v_C           the capacitor's branch           (equalities: any potential, any row)
//   0 = i_1 - i_3 + i_2 - i_4         what leaves it at a comes back at b
//   0 = phi_p / R - i_3 - i_4         the resistor's node
//   0 <= phi_a, phi_b, phi_p - phi_a, phi_p - phi_b  ⟂  i_1, i_2, i_3, i_4 >= 0      reverse voltages, currents
//
// One scheme with three weights, theta of f, w of the multiplier's input, g of the state that the relation sees:
//   x_{k+1} - x_k = h A (theta x_{k+1} + (1-theta) x_k) + h B (w lambda_{k+1} + (1-w) lambda_k),
//   y = C (g x_{k+1} + (1-g) x_k) + D lambda_{k+1}.
#include <cmath>
#include <iostream>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

constexpr double kL = 1e-2, kC = 1e-6, kR = 1e3, kEnd = 5e-3;

/// Ideal diodes lose nothing: v_C'' + v_C' / (R C) + v_C / (L C) = 0 whatever the sign of v_C.
double exact(double t, double i_L, double v_C) {
  const double s = 1.0 / (2.0 * kR * kC), w = std::sqrt(1.0 / (kL * kC) - s * s);
  return std::exp(-s * t) * (v_C * std::cos(w * t) - (i_L / kC + s * v_C) / w * std::sin(w * t));
}

struct Errors {
  double voltage = 0.0;              // largest error of v_C [V]
  double load = 0.0, halfway = 0.0;  // of the load's phi_p [V], against |v_C| at t_{k+1} and half a step before
};

/// The run from (v_C, i_L), and how far it is from the closed form.
Errors run(const EulerMoreau& scheme, double h, double v_C = 0.0, double i_L = 0.1) {
  // 1. What evolves: x = (v_C, i_L).
  NonSmoothDynamicalSystem model;
  const auto circuit = model.add(FirstOrderLinearSystem{.A = {{0.0, -1.0 / kC}, {1.0 / kL, 0.0}}, .x0 = {v_C, i_L}});

  // 2. Kirchhoff's laws and the diodes, lambda = (phi_a, phi_b, phi_p, i_1, i_2, i_3, i_4): three rows of equality,
  // four
  //    of complementarity, in one law.
  const auto bridge =
      model.link(circuit,
                 FirstOrderLinearRelation{.C = {{-1, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}},
                                          .D = {{1, -1, 0, 0, 0, 0, 0},
                                                {0, 0, 0, 1, 1, -1, -1},
                                                {0, 0, 1 / kR, 0, 0, -1, -1},
                                                {1, 0, 0, 0, 0, 0, 0},
                                                {0, 1, 0, 0, 0, 0, 0},
                                                {-1, 0, 1, 0, 0, 0, 0},
                                                {0, -1, 1, 0, 0, 0, 0}},
                                          .B = {{0, 0, 0, 1 / kC, 0, -1 / kC, 0}, {0, 0, 0, 0, 0, 0, 0}}},
                 MixedComplementarityLaw{.equalities = 3, .inequalities = 4});

  // 3. How time advances.
  TimeStepping simulation{model, {.integrator = scheme, .step = h}};
  Errors errors;
  const auto report = simulation.advance_to(kEnd, [&](const State& state) {
    const double t = state.t, load = state.lambda(bridge)[2];
    errors.voltage = std::fmax(errors.voltage, std::abs(state.x(circuit)[0] - exact(t, i_L, v_C)));
    errors.load = std::fmax(errors.load, std::abs(load - std::abs(exact(t, i_L, v_C))));
    errors.halfway = std::fmax(errors.halfway, std::abs(load - std::abs(exact(t - h / 2, i_L, v_C))));
  });
  if (!report) std::cerr << report.message() << '\n';
  return errors;
}

int example(const Arguments& arguments) {
  const EulerMoreau implicit{.theta = 1.0}, trapezoid{.theta = 0.5}, averaged{.theta = 0.5, .multiplier_weight = 0.5},
      midpoint{.theta = 0.5, .relation_weight = 0.5};

  // 4. Errors over six steps, each half of the one before.
  Table table{"h [us]", "implicit", "trapezoid", "averaged", "midpoint"};
  for (double h = 8e-6; h > 2e-7; h *= 0.5) {
    table.record({1e6 * h, run(implicit, h).voltage, run(trapezoid, h).voltage, run(averaged, h).voltage,
                  run(midpoint, h).voltage});
  }
  const auto order = [&](const char* column) {  // of the last halving
    const auto& error = table.column(column);
    return std::log2(error[error.size() - 2] / error.back());
  };
  if (arguments.pictures()) {
    const Figure figure{.title = "Bridge rectifier: error of the voltage by the weights of the scheme",
                        .panels = {convergence(table.column("h [us]"), "largest error of v_C [V]",
                                               {{table.column("implicit"), "theta = w = g = 1"},
                                                {table.column("trapezoid"), "theta = 1/2, w = g = 1"},
                                                {table.column("averaged"), "theta = w = 1/2, g = 1"},
                                                {table.column("midpoint"), "theta = g = 1/2, w = 1"}},
                                               0.0, "step h [microseconds]")},
                        .width = 720,
                        .height = 520};
    std::cout << draw(figure, *arguments.pictures() / "rectifier_schemes").message() << '\n';
  }

  // 5. Does it hold? Orders to what a third order leaves of them at the last halving. Where the run starts with diodes
  //    that conduct, the multiplier before the first step is not zero, as the state says it is: an error of order 1.
  const Errors fine = run(averaged, 2.5e-7), fine_midpoint = run(midpoint, 2.5e-7);
  const double start = run(averaged, 5e-7, 10.0, 0.0).voltage, start_fine = run(averaged, 2.5e-7, 10.0, 0.0).voltage;
  Bounds bounds;
  bounds.near("order, theta = w = g = 1", order("implicit"), 1.0, 0.05);
  bounds.near("order, theta = 1/2, w = g = 1", order("trapezoid"), 1.0, 0.05);
  bounds.near("order, theta = w = 1/2, g = 1", order("averaged"), 2.0, 0.05);
  bounds.near("order, theta = g = 1/2, w = 1", order("midpoint"), 2.0, 0.05);
  bounds.within("times more exact, w = 1/2 at 0.25 us than implicit",
                table.column("implicit").back() / table.column("averaged").back(), 2200.0, 2500.0);
  bounds.within("times more exact, w = 1/2 at 0.25 us than theta = 1/2 alone",
                table.column("trapezoid").back() / table.column("averaged").back(), 110.0, 130.0);
  bounds.within("error of the load, w = 1/2 [V]", fine.load, 0.0, 1e-4);
  bounds.within("error of the load half a step before, g = 1/2 [V]", fine_midpoint.halfway, 0.0, 1e-4);
  bounds.near("order from a start in conduction, w = 1/2", std::log2(start / start_fine), 1.0, 0.05);
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
