// SPDX-License-Identifier: Apache-2.0
// Columns of disks that collapse on a floor, and how far they run (SI units).
//
//   m dv = m g dt + dp_N n + dp_T t,    I domega = r dp_T,    at each contact  0 <= u_N+  ⟂  p_N >= 0,
//   |p_T| <= mu p_N, opposed to the slip u_T;    on the floor |p_R| <= 0.2 r p_N, opposed to the spin.
//
// A column of half width L_0 and height H_0 = a L_0 ends as a heap of half width L. In a channel
//
//   (L - L_0) / L_0  grows as  a  for flat columns and as  a^(2/3)  for slender ones
//
// (Lube, Huppert, Sparks, Freundt 2005 [lube2005]; Balmforth & Kerswell 2005 [balmforth2005]): a flat one slumps at its
// edges, of a slender one much of the energy of its fall goes into the floor.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>
#include <vector>

using namespace nonsmooth;

const double kRadius = 0.005, kGravity = 9.81, kFriction = 0.5, kStep = 2e-3;  // [m], [m/s^2], [-], [s]

struct Column {
  double half_width = 0.0, height = 0.0, run_out = 0.0;
  std::vector<SystemHandle> disks;
  std::vector<double> radii;
  State start, end;
  bool completed = false;
  [[nodiscard]] double aspect() const { return height / half_width; }
  [[nodiscard]] double relative_run_out() const { return (run_out - half_width) / half_width; }
};

Column collapse(Index across, Index high) {
  // 1. Disks of 0.9 to 1.1 of the radius in rows, each a little beside the one below; explicit seed.
  Column column;
  NonSmoothDynamicalSystem model;
  std::mt19937_64 random(7);
  const auto uniform = [&](double low, double up) {
    return low + (up - low) * 0x1p-53 * static_cast<double>(random() >> 11);
  };
  const double pitch = 2.2 * kRadius, wide = pitch * static_cast<double>(across);
  for (Index i = 0; i < across * high; ++i) {
    const double r = kRadius * uniform(0.9, 1.1), m = M_PI * r * r * 1000.0;
    const double shift = (i / across) % 2 == 0 ? 0.25 : 0.75;
    column.disks.push_back(
        model.add(PlanarBody{.mass = m,
                             .inertia = 0.5 * m * r * r,
                             .position = {pitch * (static_cast<double>(i % across) + shift) - 0.5 * wide,
                                          kRadius + 0.9 * pitch * static_cast<double>(i / across) + 0.1 * kRadius},
                             .gravity = {0.0, -kGravity}}));
    column.radii.push_back(r);
  }
  column.half_width = 0.5 * wide;
  column.height = 0.9 * pitch * static_cast<double>(high);
  const FloorProfile floor{.height = [](double) { return 0.0; },
                           .slope = [](double) { return 0.0; },
                           .curvature = [](double) { return 0.0; },
                           .highest = 0.0,
                           .material = 1};
  const std::vector<Law> laws{
      NewtonImpactFrictionLaw{.friction = kFriction},
      NewtonImpactRollingFrictionLaw{.friction = kFriction, .rolling = 0.2 * kRadius}};  // so that none rolls away
  model.detect(DiskContacts(column.disks, column.radii, laws, ContactMaterials(2).set_law(0, 1, 1),
                            std::vector<Index>(column.disks.size(), 0), floor));

  // 2. Steps.
  TimeStepping simulation{model, {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-3}}};
  const double T = 5.0 * std::sqrt(column.height / kGravity) + 0.6;
  column.start = simulation.state();
  const auto report = simulation.advance_to(T);
  if (!report) std::cerr << report.message() << '\n';
  column.end = simulation.state();
  column.completed = bool(report);

  // 3. A triangle of half width L has its centre, on either side, at L / 3: all disks count, not those in front alone.
  double sum = 0.0;
  for (const SystemHandle disk : column.disks) sum += std::abs(column.end.q(disk)[0]);
  column.run_out = 3.0 * sum / static_cast<double>(column.disks.size());
  return column;
}

// The middle of a heap.
Panel seen(const Column& column, double widest) {
  Panel panel{
      .x = {"x [m]", -widest, widest}, .y = {"y [m]", 0.0, 0.4 * widest}, .disks = {.colour = {"height before [m]"}}};
  panel.series.push_back({.x = {-widest, widest}, .y = {0.0, 0.0}, .style = Series::Style::Ground});
  for (std::size_t i = 0; i < column.disks.size(); ++i) {
    const auto q = column.end.q(column.disks[i]);
    if (std::abs(q[0]) > widest) continue;
    panel.disks.x.push_back(q[0]);
    panel.disks.y.push_back(q[1]);
    panel.disks.radius.push_back(column.radii[i]);
    panel.disks.value.push_back(column.start.q(column.disks[i])[1]);
  }
  return panel;
}

int example(const Arguments& arguments) {
  const std::vector<Column> columns{collapse(36, 9), collapse(18, 18), collapse(8, 40), collapse(4, 80)};
  const auto exponent = [&](std::size_t i, std::size_t j) {
    return std::log(columns[j].relative_run_out() / columns[i].relative_run_out()) /
           std::log(columns[j].aspect() / columns[i].aspect());
  };

  // 4. Bounds. Some 320 disks: half a disk of the half width of a slender column, or of what a flat one runs, is a
  //    tenth of an exponent. Bounds are half of what the two laws are apart, so that neither passes for the other.
  Bounds bounds;
  for (const Column& column : columns) {
    if (!column.completed) return 1;
    double fastest = 0.0;
    for (const SystemHandle disk : column.disks) fastest = std::max(fastest, column.end.v(disk).head<2>().norm());
    bounds.near("fastest disk at the end [m/s]", fastest, 0.0, 0.05);
  }
  bounds.near("exponent of flat columns, a = 0.45 to 1.8", exponent(0, 1), 1.0, 1.0 / 6.0);
  bounds.near("exponent of slender ones, a = 9 to 36", exponent(2, 3), 2.0 / 3.0, 1.0 / 6.0);
  std::cout << bounds.report();
  if (arguments.pictures()) {
    Series found{.label = "columns", .style = Series::Style::Points}, one{.label = "a", .style = Series::Style::Dashed};
    Series other{.label = "a^{2/3}", .style = Series::Style::Dashed};
    for (const Column& column : columns) {
      found.x.push_back(column.aspect());
      found.y.push_back(column.relative_run_out());
    }
    one.x = {0.3, 4.0}, one.y = {0.3 * found.y[0] / found.x[0], 4.0 * found.y[0] / found.x[0]};
    other.x = {3.0, 50.0};
    for (const double a : other.x) other.y.push_back(found.y[3] * std::pow(a / found.x[3], 2.0 / 3.0));
    std::cout << draw({.title = "Columns that collapse",
                       .panels = {seen(columns[1], 0.4),
                                  seen(columns[3], 0.4),
                                  {.x = {.label = "aspect ratio a", .logarithmic = true},
                                   .y = {.label = "run-out / half width", .logarithmic = true},
                                   .series = {found, one, other}}},
                       .width = 760,
                       .height = 860},
                      *arguments.pictures() / "column_collapse.png")
                     .message()
              << '\n';
  }
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
