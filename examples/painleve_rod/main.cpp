// SPDX-License-Identifier: Apache-2.0
// Is the motion of a rod that slides on a rough floor unique? Asked of the model before it runs (SI units).
//
//   M v' = (0, -m g, 0) + H^T (lambda_N, lambda_T),   q = (x, z, theta) of the middle,   M = diag(m, m, m l^2 / 3)
//   gap z - l sin(theta) >= 0,   |lambda_T| <= mu lambda_N, opposed to the slip of the tip
//
// With W = H M^-1 H^T: W_NN = (1 + 3 cos^2) / m, W_NT = -3 sin cos / m. The normal force lifts the tip by W_NN,
// friction pulls it down by mu W_NT: below Painleve's bound mu* = W_NN / |W_NT| there is one acceleration, above two or
// none.
#include <cmath>
#include <iostream>
#include <numbers>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

constexpr double kMass = 1.0, kHalf = 0.5, kG = 9.81, kMu = 1.6, kSlip = -1.0, kSpin = 8.0, kH = 1e-4;

/// The tip slides at kSlip, away from the middle, and touches the floor, while the rod turns at kSpin.
NonSmoothDynamicalSystem rod(double theta) {
  const double s = std::sin(theta), c = std::cos(theta);
  NonSmoothDynamicalSystem model;
  const SystemHandle body =
      model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(kMass, kMass, kMass * kHalf * kHalf / 3.0).asDiagonal(),
                                       .force = {0.0, -kMass * kG, 0.0},
                                       .q0 = {0.0, kHalf * s, theta},
                                       .v0 = {kSlip - kHalf * s * kSpin, kHalf * c * kSpin, kSpin},
                                       .name = "rod"});
  model.link(
      body,
      ScleronomousRelation{
          .rows = 2,
          .h = [](ConstVectorRef q, VectorRef y) { y << q[1] - kHalf * std::sin(q[2]), q[0] - kHalf * std::cos(q[2]); },
          .H = [](ConstVectorRef q,
                  MatrixRef H) { H << 0.0, 1.0, -kHalf * std::cos(q[2]), 1.0, 0.0, kHalf * std::sin(q[2]); }},
      NewtonImpactFrictionLaw{.friction = kMu}, "tip");
  return model;
}

int example(const Arguments& arguments) {
  // 1. The bound at each angle, by examination and in closed form; and the answers of a step.
  Table table{"theta [deg]", "bound", "closed form", "answers of a step"};
  double missed = 0.0, disagree = 0.0;
  for (int degree = 2; degree < 90; degree += 2) {
    const double theta = degree * std::numbers::pi / 180.0, s = std::sin(theta), c = std::cos(theta);
    const NonSmoothDynamicalSystem model = rod(theta);
    const analysis::MechanicalIsland island = analysis::examine(model).mechanical.front();
    const double bound = island.friction.front().bound, closed_form = (1.0 + 3.0 * c * c) / (3.0 * s * c);
    const auto answers = possible_steps(model, {.step = kH}, kH, model.initial_state());
    missed = std::fmax(missed, std::abs(bound / closed_form - 1.0));
    // Below the bound one answer; above it and spun off the floor (l sin spin^2 > g) three: off, sliding on, caught.
    const bool above = kMu >= closed_form;
    if (answers.size() != (above ? 3u : 1u) || island.friction.front().above() != above) ++disagree;
    table.record({1.0 * degree, bound, closed_form, static_cast<double>(answers.size())});
  }

  // 2. What an examination says: here of the rod where the bound is lowest, at tan(theta) = 2.
  const analysis::ModelExamination found = analysis::examine(rod(std::atan(2.0)));
  std::cout << to_string(found) << '\n';

  // 3. A picture, where one is wanted.
  if (arguments.pictures()) {
    const auto& theta = table.column("theta [deg]");
    const Figure figure{
        .title = "Painleve's rod: one answer below the bound, three above it",
        .panels =
            {Panel{.x = {.label = "angle [deg]", .low = 0.0, .high = 90.0},
                   .y = {.label = "friction", .low = 0.0, .high = 4.0},
                   .series = {{.x = theta, .y = table.column("bound"), .label = "Painleve's bound"},
                              {.x = theta,
                               .y = std::vector<double>(theta.size(), kMu),
                               .label = "mu of the rod",
                               .style = Series::Style::Guide}}},
             Panel{.x = {.label = "angle [deg]", .low = 0.0, .high = 90.0},
                   .y = {.label = "answers of a step", .low = 0.0, .high = 4.0},
                   .series = {{.x = theta, .y = table.column("answers of a step"), .style = Series::Style::Steps}}}},
        .width = 720,
        .height = 560};
    std::cout << draw(figure, *arguments.pictures() / "painleve_rod").message() << '\n';
  }

  // 4. Does it hold?
  Bounds bounds;
  bounds.near("bound off its closed form, relative", missed, 0.0, 1e-13);
  bounds.near("angles at which answers and bound disagree", disagree, 0.0, 0.0);
  bounds.near("the lowest bound", found.mechanical.front().friction.front().bound, 4.0 / 3.0, 1e-14);
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
