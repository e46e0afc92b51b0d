// SPDX-License-Identifier: Apache-2.0
// An elastic and a viscoelastic rod fly end first against a rigid wall (length, mass and speed of waves are 1).
//   u_tt = u_xx + b u_txx on (0, 1),   0 <= u(t, 0)  ⟂  N(t) >= 0,   N = -(u_x + b u_tx)(0),   free at x = 1.
// The gap of the end is all that contact sees, and it answers to the force by a convolution:
//   w = -v t + m * N,   m^(s) = coth(k) / (s sqrt(1 + b s)),   k = s / sqrt(1 + b s),
// for b = 0 a staircase, m = 1 + 2 sum_n H(t - 2 n): N = v until the wave is back at t = 2. With b > 0, until then,
//   N = v (erf(sqrt(t/b)) + sqrt(b/(pi t)) e^{-t/b}),   its integral v ((t + b/2) erf(sqrt(t/b)) + sqrt(b t/pi)
//   e^{-t/b}).
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/convolution.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <iostream>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

using namespace nonsmooth;

constexpr double kSpeed = 1.0, kEnd = 3.0;

struct Run {
  std::vector<double> t{}, force{}, gap{}, impulse{};  // at the end of each step; the impulse since t = 0
  double contact_time = 0.0;                           // end of the last step that the wall pushed
  double wall = 0.0, taken = 0.0, least_taken = 0.0;   // work: of contact, of deformation, its least sum so far
};

convolution::Kernel kernel_of_rod(double b) {
  if (b == 0.0) {
    return convolution::TableKernel{.t = Eigen::VectorXd{{0.0, 2.0, 2.0, 4.0}},
                                    .values = Eigen::MatrixXd{{1.0, 1.0, 3.0, 3.0}}};
  }
  return convolution::LaplaceKernel{.transform = [b](std::complex<double> s) -> Eigen::MatrixXcd {
    const std::complex<double> root = std::sqrt(1.0 + b * s), wave = std::exp(-2.0 * s / root);
    return Eigen::MatrixXcd::Constant(1, 1, (1.0 + wave) / ((1.0 - wave) * s * root));
  }};
}

Run fly(double b, Index steps) {
  const convolution::Problem problem{.kernel = kernel_of_rod(b),
                                     .q = [](double t) { return Eigen::VectorXd::Constant(1, -kSpeed * t); },
                                     .horizon = kEnd};
  const convolution::Result result = convolution::solve(problem, {.steps = steps});
  if (!result) std::cerr << result.message() << '\n';
  const convolution::ContactWork work = convolution::contact_work(result);
  Run run;
  double impulse = 0.0;
  for (Index n = 0; n < result.steps(); ++n) {
    impulse += result.p(0, n);
    run.t.push_back(result.h * static_cast<double>(n + 1));
    run.force.push_back(result.p(0, n) / result.h);
    run.gap.push_back(result.w(0, n));
    run.impulse.push_back(impulse);
    if (result.p(0, n) > 0.0) run.contact_time = run.t.back();
    run.wall = std::min(run.wall, work.contact[n]);
    run.least_taken = std::min(run.least_taken, run.taken += work.body[n]);
  }
  return run;
}

/// The same rod by linear finite elements under Moreau and Jean's scheme with theta = 1: backward Euler in time, as the
/// convolution by Bdf1.
Run fly_by_elements(double b, Index elements, Index steps) {
  const Index n = elements + 1;
  const double l = 1.0 / static_cast<double>(elements);
  std::vector<Eigen::Triplet<double>> stiffness, mass;
  for (Index i = 0; i < elements; ++i) {
    for (const Index row : {i, i + 1}) {
      for (const Index column : {i, i + 1}) {
        stiffness.emplace_back(row, column, row == column ? 1.0 / l : -1.0 / l);
        mass.emplace_back(row, column, row == column ? l / 3.0 : l / 6.0);
      }
    }
  }
  Eigen::SparseMatrix<double> K(n, n), M(n, n);
  K.setFromTriplets(stiffness.begin(), stiffness.end()), M.setFromTriplets(mass.begin(), mass.end());
  NonSmoothDynamicalSystem model;
  const auto rod = model.add(LagrangianLinearSystem{.mass = M,
                                                    .damping = Eigen::SparseMatrix<double>(b * K),
                                                    .stiffness = K,
                                                    .q0 = Eigen::VectorXd::Zero(n),
                                                    .v0 = Eigen::VectorXd::Constant(n, -kSpeed)});
  const auto wall = model.link(rod, LagrangianLinearRelation{.H = Eigen::RowVectorXd::Unit(n, 0)}, NewtonImpactLaw{});
  const double h = kEnd / static_cast<double>(steps);
  TimeStepping simulation{model, {.integrator = MoreauJean{.theta = 1.0}, .step = h}};
  Run run;
  double impulse = 0.0, before = 0.0;
  const auto report = simulation.advance_to(kEnd, [&](const State& x) {
    const double p = x.impulse(wall)[0], gap = x.q(rod)[0];
    impulse += p;
    run.t.push_back(x.t), run.force.push_back(p / h), run.gap.push_back(gap), run.impulse.push_back(impulse);
    if (p > 0.0) run.contact_time = x.t;
    run.wall = std::max(run.wall, std::abs(p * (gap - before)) / h);  // <a', b> of this step
    before = gap;
  });
  if (!report) std::cerr << report.message() << '\n';
  return run;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = a.size() == b.size() ? 0.0 : std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) largest = std::max(largest, std::abs(a[k] - b[k]));
  return largest;
}

int example(const Arguments& arguments) {
  // 1. One rod elastic, three with damping; one of these again with half as many steps, and by finite elements.
  constexpr Index kSteps = 3000, kElements = 200;
  const std::vector<double> damping{0.0, 0.001, 0.01, 0.1};
  std::vector<Run> runs;
  for (const double b : damping) runs.push_back(fly(b, kSteps));
  const Run &elastic = runs[0], &damped = runs[3], coarse = fly(0.1, kSteps / 2);
  const Run elements = fly_by_elements(0.1, kElements, kSteps);

  // 2. A picture, where one is wanted.
  if (arguments.pictures()) {
    Panel force{.x = {.label = "time [L / c]", .low = 0.0, .high = 2.5},
                .y = {.label = "force of the wall [S E v / c]", .low = 0.0, .high = 2.0},
                .series = {}};
    Panel gap{.x = force.x, .y = {.label = "gap [v L / c]", .low = 0.0, .high = 0.5}, .series = {}};
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const std::string label = k == 0 ? "elastic, b = 0" : "b = " + std::to_string(damping[k]).substr(0, 5);
      force.series.push_back({.x = runs[k].t, .y = runs[k].force, .label = label});
      gap.series.push_back({.x = runs[k].t, .y = runs[k].gap, .label = label});
    }
    force.series.push_back(
        {.x = elements.t, .y = elements.force, .label = "b = 0.100, finite elements", .style = Series::Style::Dashed});
    const Figure figure{
        .title = "An elastic rod and viscoelastic rods at a wall", .panels = {force, gap}, .width = 760, .height = 640};
    std::cout << draw(figure, *arguments.pictures() / "viscoelastic_rod").message() << '\n';
  }

  // 3. The elastic rod: each step is exact, to rounding of sums of 2000 terms.
  Bounds bounds;
  double force_error = 0.0;
  for (std::size_t k = 0; k < elastic.t.size(); ++k)
    force_error = std::max(force_error, std::abs(elastic.force[k] - (elastic.t[k] < 2.0005 ? kSpeed : 0.0)));
  bounds.near("b = 0: force of the wall less v, then 0", force_error, 0.0, 1e-9);
  bounds.near("b = 0: contact time", elastic.contact_time, 2.0, 1e-9);
  bounds.near("b = 0: impulse, twice that of the flight", elastic.impulse.back(), 2.0 * kSpeed, 1e-9);

  // 4. With damping, before a wave is back, the impulse in closed form, I(t). Of backward Euler, whose s is
  //    (1 - e^{-s h}) / h, the terms of first order in h cancel but for -(h v / 4) b / sqrt(1 + b s): it is behind by
  //    (h v / 4) sqrt(b / (pi t)) e^{-t/b}, and by terms h^2 / t of the next order. Waves of the far end are below
  //    e^{-(2 - t)^2 / (4 b)}.
  const auto behind = [](const Run& run, bool first_order_taken) {
    double largest = 0.0;
    const double b = 0.1, h = run.t[0];
    for (std::size_t k = 0; k < run.t.size() && run.t[k] <= 0.5; ++k) {
      const double t = run.t[k], root = std::sqrt(b / (std::numbers::pi * t)) * std::exp(-t / b);
      const double exact = kSpeed * ((t + 0.5 * b) * std::erf(std::sqrt(t / b)) + t * root);
      const double first_order = first_order_taken ? 0.25 * h * kSpeed * root : 0.0;
      if (t > 0.1) largest = std::max(largest, std::abs(exact - run.impulse[k] - first_order));
    }
    return largest;
  };
  const double h = kEnd / static_cast<double>(kSteps);
  bounds.near("b = 0.1: error of the impulse, 0.1 < t <= 0.5, less its first order", behind(damped, true), 0.0,
              kSpeed * h * h / 0.1);
  bounds.near("b = 0.1: its order", std::log2(behind(coarse, false) / behind(damped, false)), 1.0, 0.1);

  // 5. A wave of frequency f fades as e^{-b f^2 t / 2}: back at t = 2 its front is a normal distribution's, of width
  //    sqrt(2 b), and contact ends within three of these of 2.
  for (std::size_t k = 1; k < runs.size(); ++k) {
    const std::string name = "b = " + std::to_string(damping[k]).substr(0, 5);
    bounds.near(name + ": contact time", runs[k].contact_time, 2.0, 3.0 * std::sqrt(2.0 * damping[k]));
    bounds.within(name + ": impulse", runs[k].impulse.back(), kSpeed, runs[k - 1].impulse.back());
    // Contact does no work, as no step ends a flight here; what the deformation took is never negative.
    bounds.near(name + ": least work of contact in a step", runs[k].wall, 0.0, 1e-12);
    bounds.near(name + ": least work that went into the rod", runs[k].least_taken, 0.0, 1e-12);
    // Seen from the rod, the wall comes with v: v times the impulse is what it gave, and the motion as a whole has
    // impulse^2 / 2 of it; the rest is in waves, or lost to viscosity.
    const double impulse = runs[k].impulse.back();
    bounds.within(name + ": in waves and lost, of v^2 / 2", 2.0 * (runs[k].taken - 0.5 * impulse * impulse), 0.0, 1.0);
  }

  // 6. Finite elements are the same scheme in time. In space they put the mass of half an element at the end, whose
  //    impulse is at most v l. In each step force and velocity are orthogonal, <a', b> = 0, to rounding.
  const double l = 1.0 / static_cast<double>(kElements);
  bounds.within("elements: impulse, beside the convolution's", largest_difference(elements.impulse, damped.impulse),
                0.0, kSpeed * l);
  bounds.near("elements: contact time, beside the convolution's", elements.contact_time, damped.contact_time, 3.0 * h);
  bounds.near("elements: largest work of contact in a step", elements.wall, 0.0, 1e-10);
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
