// SPDX-License-Identifier: Apache-2.0
// Three queues: customers come in at rate a(t) to counter 1, a third of those it serves leave, the rest go on to
// counter 2; counter 3 serves what 2 has served, slowly. Fluid model, customers and minutes.
//
//   l1' = a(t) - r1,   l2' = 2/3 r1 - r2,   l3' = r2 - r3,      0 <= l_i  ⟂  c_i - r_i >= 0:
//
// a counter works at its capacity c_i while anybody waits, and serves what comes in (less than c_i) while nobody does.
// With the idle capacity lambda = c - r as multiplier it is a linear complementarity system.
#include <iostream>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

int example(const Arguments& arguments) {
  const double c1 = 1.5, c2 = 1.2, c3 = 0.5, rush = 3.0, rush_ends = 1.0, h = 1.0 / 256, T = 6.0;
  const double on = 2.0 / 3.0;  // of counter 1's customers

  // 1. Queue lengths, all counters at capacity: x' = b(t) + r with b = (a - c1, 2/3 c1 - c2, c2 - c3).
  NonSmoothDynamicalSystem model;
  const auto queues = model.add(FirstOrderLinearSystem{
      .b = [&](double t, VectorRef b) { b << (t <= rush_ends ? rush : 0.0) - c1, on * c1 - c2, c2 - c3; },
      .x0 = {0.0, 0.0, 0.0}});

  // 2. Idle capacity gives back what was counted too much: y = l, r = B lambda.
  const auto idle = model.link(queues,
                               FirstOrderLinearRelation{.C = Eigen::Matrix3d::Identity(),
                                                        .B = {{1.0, 0.0, 0.0}, {-on, 1.0, 0.0}, {0.0, -1.0, 1.0}}},
                               ComplementarityLaw{});

  // 3. Backward Euler: exact for rates that are constant in a step.
  TimeStepping simulation{model, {.integrator = EulerMoreau{.theta = 1.0}, .step = h}};
  Table table{"t", "l1", "l2", "l3", "r1", "r2", "r3"};
  double served = 0.0, empty[3] = {0.0, 0.0, 0.0}, longest[3] = {0.0, 0.0, 0.0};
  const auto report = simulation.advance_to(T, [&](const State& state) {
    const auto l = state.x(queues);
    const auto spare = state.lambda(idle);
    table.record({state.t, l[0], l[1], l[2], c1 - spare[0], c2 - spare[1], c3 - spare[2]});
    served += h * (c3 - spare[2]);
    for (int i = 0; i < 3; ++i) {
      longest[i] = std::max(longest[i], l[i]);
      if (l[i] > 1e-12) empty[i] = state.t + h;
    }
  });
  if (!report) std::cerr << report.message() << '\n';

  // 4. A picture, where one is wanted.
  if (arguments.pictures()) {
    const auto& t = table.column("t");
    const auto three = [&](const std::string& name) {
      std::vector<Curve> curves;
      for (const std::string number : {"1", "2", "3"}) curves.push_back({table.column(name + number), name + number});
      return curves;
    };
    const Figure figure{.title = "A rush of one minute travels through three counters",
                        .panels = {time_series(t, "queues", three("l"), "time [min]"),
                                   time_series(t, "rates [1/min]", three("r"), "time [min]")},
                        .width = 720,
                        .height = 560};
    std::cout << draw(figure, *arguments.pictures() / "queue_network").message() << '\n';
  }

  // 5. Does it hold? By hand: l1 grows at 3 - 1.5 for a minute and shrinks at 1.5 for another. Until then counter 2
  // gets 1,
  //    less than it could serve: no queue there. Counter 3 gets 1 and serves 1/2 for two minutes: l3 = 1, gone after
  //    two more. Two thirds of the three customers get through. An event is seen in the step it lies in.
  Bounds bounds;
  bounds.near("longest queue 1", longest[0], 1.5, 1e-9);
  bounds.near("longest queue 2", longest[1], 0.0, 1e-9);
  bounds.near("longest queue 3", longest[2], 1.0, 1e-9);
  bounds.near("counter 1 has no queue from [min]", empty[0], 2.0, h);
  bounds.near("counter 3 has no queue from [min]", empty[2], 4.0, h);
  bounds.near("customers served by all", served, 2.0, 1e-9);
  std::cout << bounds.report();
  return report && bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
