// SPDX-License-Identifier: Apache-2.0
// A lazy dog on a leash: its walker goes straight on, over the fence of a garden that the dog cannot leave. The dog
// only moves where the leash or the fence moves it, which is Moreau's sweeping process
//
//     -x' in N_C(t)(x),      C(t) = {|x - c(t)| <= 1} and the garden, a polygon.
//
// On the grass it draws a tractrix; along the fence the leash drags it; and when the walker is a leash's length behind
// the fence C(t) is empty: the leash tears, with a proof that there is nowhere to be.
#include <cmath>
#include <iostream>
#include <limits>
#include <numbers>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

namespace {

const double heading = std::numbers::pi / 6.0, angle = 2.0, fence = 1.0;  // the dog's first angle, from the heading
const double garden_x[] = {-2.0, 5.0}, garden_y[] = {-1.5, fence};

Eigen::Vector2d walker(double t) { return {t * std::cos(heading), t * std::sin(heading)}; }

/// On the grass: the angle phi from the heading has phi' = sin phi, so that tan(phi / 2) grows by e^t.
Eigen::Vector2d tractrix(double t) {
  const double phi = heading + 2.0 * std::atan(std::tan(0.5 * angle) * std::exp(t));
  return walker(t) + Eigen::Vector2d(std::cos(phi), std::sin(phi));
}

/// At the fence: the end of the leash behind the walker.
Eigen::Vector2d at_fence(double t) {
  const double beyond = walker(t)[1] - fence;
  return {walker(t)[0] - std::sqrt(1.0 - beyond * beyond), fence};
}

/// The dog every h minutes, and how the run ended.
struct Walk {
  std::vector<double> t, x, y;
  RunReport report;
};
Walk walk(double h, double T) {
  // 1. The set that sweeps: an intersection, projected on by Dykstra's method.
  NonSmoothDynamicalSystem model;
  const vi::ConvexSet garden = vi::Box{Eigen::Vector2d(garden_x[0], garden_y[0]), Eigen::Vector2d(garden_x[1], fence)};
  const auto dog = model.add(SweepingProcess{.set =
                                                 [&](double t) {
                                                   return vi::Intersection{{vi::Ball{walker(t), 1.0}, garden}};
                                                 },
                                             .x0 = tractrix(0.0),
                                             .name = "the dog"});

  // 2. Catching up: a projection a step.
  TimeStepping simulation(model, {.step = h});
  Walk result;
  const auto record = [&](const State& state) {
    result.t.push_back(state.t);
    result.x.push_back(state.x(dog)[0]);
    result.y.push_back(state.x(dog)[1]);
  };
  record(simulation.state());
  result.report = simulation.advance_to(T, record);
  return result;
}

/// Largest distance of the dog from a curve, over the instants in [from, to].
template <class Exact>
double distance(const Walk& dog, double from, double to, Exact&& exact) {
  double largest = 0.0;
  for (std::size_t k = 0; k < dog.t.size(); ++k)
    if (dog.t[k] > from && dog.t[k] < to)
      largest = std::max(largest, (Eigen::Vector2d(dog.x[k], dog.y[k]) - exact(dog.t[k])).norm());
  return largest;
}

Panel picture(const Walk& dog) {
  const double gap = std::numeric_limits<double>::quiet_NaN();
  Series way{.label = "walker", .style = Series::Style::Dashed},
      leashes{.label = "leash", .style = Series::Style::Points};
  Series rims{.style = Series::Style::Guide};
  for (double t = 0.0; t <= 4.3; t += 0.1) {
    way.x.push_back(walker(t)[0]);
    way.y.push_back(walker(t)[1]);
  }
  for (const double t : {0.0, 1.0, 2.0, 3.0, 3.6}) {
    const auto k = static_cast<std::size_t>(std::lround(t / dog.t[1]));
    for (double s = 0.0; s <= 1.0; s += 0.1) {
      leashes.x.push_back(dog.x[k] + s * (walker(t)[0] - dog.x[k]));
      leashes.y.push_back(dog.y[k] + s * (walker(t)[1] - dog.y[k]));
    }
    for (double phi = 0.0; phi < 6.4; phi += 0.1) {
      rims.x.push_back(walker(t)[0] + std::cos(phi));
      rims.y.push_back(walker(t)[1] + std::sin(phi));
    }
    rims.x.push_back(gap);
    rims.y.push_back(gap);
  }
  const Series garden{.x = {garden_x[0], garden_x[1], garden_x[1], garden_x[0], garden_x[0]},
                      .y = {garden_y[0], garden_y[0], garden_y[1], garden_y[1], garden_y[0]},
                      .label = "garden",
                      .style = Series::Style::Bodies};
  return {.x = {.label = "x [m]"},
          .y = {.label = "y [m]"},
          .series = {garden, rims, {.x = dog.x, .y = dog.y, .label = "dog"}, way, leashes},
          .same_units = true};
}

}  // namespace

int example(const Arguments& arguments) {
  const double h = 0.015, torn = (1.0 + fence) / std::sin(heading);
  const Walk dog = walk(h, 5.0), coarse = walk(2.0 * h, 2.5);
  std::cout << dog.report.message() << '\n';
  if (arguments.pictures()) {
    const Figure figure{.title = "A dog, its leash and a fence", .panels = {picture(dog)}, .width = 900, .height = 520};
    std::cout << draw(figure, *arguments.pictures() / "leash").message() << '\n';
  }

  // 3. Does it hold? The leash tears between two steps. The tractrix meets the fence shortly after t = 3, as the dog
  // follows in the walker's steps by then.
  Bounds bounds;
  const double off = distance(dog, 0.0, 2.5, tractrix), off_coarse = distance(coarse, 0.0, 2.5, tractrix);
  bounds.within("off the tractrix [m]", off, 0.0, h);
  bounds.near("order there", std::log2(off_coarse / off), 1.0, 0.1);
  bounds.within("off the fence's way [m]", distance(dog, 3.3, 3.9, at_fence), 0.0, 1e-9);
  bounds.near("the leash tears at [min]", dog.report.last.t, torn, h);
  bounds.near(
      "with a proof that there is no way on",
      dog.report.last.solver == Status::Infeasible && dog.report.detail.find("proved") != std::string::npos ? 1.0 : 0.0,
      1.0, 0.0);
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
