// SPDX-License-Identifier: Apache-2.0
// A block of rubber is thrown onto a rough floor (SI units, plane strain, 1 m thick), by finite elements of finite
// strain whose matrices vary and stay sparse.
//   M dv + f(q) dt = M g dt + H^T dp,   dq = v dt,   0 <= y ⟂ p_N >= 0 and |p_T| <= mu p_N at each node below,
// f = dW/dq of the strain energy of rubber.hpp. No impact law but e = 0: waves in the block make it rebound.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include "rubber.hpp"
using namespace nonsmooth;

constexpr double kFriction = 0.5, kGravity = 9.81, kHeight = 0.01, kEnd = 0.06;  // [-], [m/s^2], [m], [s]
constexpr double kAlong = 1.5, kDown = 3.0;                                      // of the throw [m/s]
constexpr Index kCells = Rubber::cells;

struct Run {
  std::vector<double> t{}, kinetic{}, elastic{};
  std::vector<Series> shapes{};
  double begins = 0.0, ends = 0.0, rebound = 0.0, slowed = 0.0, pushed = 0.0;  // [s], [m/s], of the centre
  double balance = 0.0, numerical = 0.0, most = 0.0;                           // [-]
};

// `kept`: the file of the run, where one is wanted.
Run throw_block(double h, const std::optional<std::filesystem::path>& kept = {}) {
  // 1. The mesh, thrown; its weight.
  const auto rubber = std::make_shared<const Rubber>(kHeight);
  const Eigen::SparseMatrix<double> M = rubber->mass();
  const Index n = M.cols();
  Eigen::VectorXd v(n), weight = Eigen::VectorXd::Zero(n);
  for (Index i = 0; i < n; ++i) v[i] = i % 2 == 0 ? kAlong : -kDown;
  for (Index i = 1; i < n; i += 2) weight -= kGravity * M.col(i);

  // 2. Forces and their stiffness, which elements add to a pattern that stays: it is ordered once for all factors.
  NonSmoothDynamicalSystem model;
  const auto block = model.add(SparseLagrangianSystem{
      .pattern = rubber->pattern(),
      .mass = M,
      .internal = [=](double, ConstVectorRef q, ConstVectorRef, VectorRef f) { rubber->forces(q, f); },
      .internal_dq = [=](double, ConstVectorRef q, ConstVectorRef, SparseEntries& K) { rubber->stiffness(q, K); },
      .internal_dv = [](double, ConstVectorRef, ConstVectorRef, SparseEntries&) {},
      .external = weight,
      .potential = [=](ConstVectorRef q) { return rubber->energy(q) - weight.dot(q); },
      .q0 = rubber->X,
      .v0 = v,
      .name = "block"});

  // 3. Each node of the lower side touches the floor: its height and its way along, no impact law but e = 0.
  Eigen::SparseMatrix<double> H(2 * (kCells + 1), n);
  for (Index i = 0; i <= kCells; ++i) {
    H.insert(2 * i, 2 * Rubber::node(i, 0) + 1) = 1.0;
    H.insert(2 * i + 1, 2 * Rubber::node(i, 0)) = 1.0;
  }
  const auto floor = model.link(block, LagrangianLinearRelation{.H = H, .b = Eigen::VectorXd::Zero(H.rows())},
                                NewtonImpactFrictionLaw{.friction = kFriction});

  // 4. theta = 1/2: waves keep their energy. Momentum is looked at in each step. The run keeps the mesh, on which
  //    `nonsmooth paraview` draws it.
  TimeStepping simulation{model, {.step = h, .newton = {.tolerance = 1e-11}}};
  RecorderOptions options{.name = "a block of rubber", .file = {.overwrite = true}};
  keep_mesh(rubber->mesh("block"), options);
  std::optional<Recorder> recorder;
  if (kept) recorder.emplace(*kept, simulation, options);
  Ledger ledger(simulation);
  const double E0 = ledger.last().energy(), mass = Rubber::density * Rubber::side * Rubber::side;
  Eigen::Vector2d momentum(mass * kAlong, -mass * kDown);
  Run run;
  Index shots = 0;
  const auto look = [&](const State& x) {
    const Eigen::VectorXd q = x.q(block), p = x.impulse(floor), Mv = M * x.v(block);
    Eigen::Vector2d now = Eigen::Vector2d::Zero(), push(0.0, -h * mass * kGravity);
    for (Index i = 0; i < n; ++i) now[i % 2] += Mv[i];
    for (Index i = 0; i < p.size(); ++i) push[1 - i % 2] += p[i];
    run.balance = std::max(run.balance, (now - momentum - push).norm() / (mass * kDown));
    momentum = now;
    run.pushed += push[1], run.slowed -= push[0];
    if (p.maxCoeff() > 0.0) run.ends = x.t, run.begins = run.begins > 0.0 ? run.begins : x.t;
    const LedgerEntry& entry = ledger.record(x);
    run.most = std::max(run.most, entry.energy() / E0);
    run.t.push_back(1e3 * x.t), run.kinetic.push_back(entry.kinetic), run.elastic.push_back(rubber->energy(q));
    if (x.t < 0.015 * static_cast<double>(shots) - h / 2) return;
    Series shape;  // every edge of the sides and two lines within
    const double aside = 0.3 * static_cast<double>(shots++);
    for (const bool rows : {true, false}) {
      for (Index line = 0; line <= kCells; line += 4) {
        for (Index k = 0; k <= kCells; ++k) {
          const Index at = rows ? Rubber::node(k, line) : Rubber::node(line, k);
          shape.x.push_back(q[2 * at] + aside), shape.y.push_back(q[2 * at + 1]);
        }
        shape.x.push_back(std::numeric_limits<double>::quiet_NaN());
        shape.y.push_back(std::numeric_limits<double>::quiet_NaN());
      }
    }
    run.shapes.push_back(shape);
  };
  const RunReport report =
      recorder ? simulation.advance_to(kEnd, observe(*recorder, look)) : simulation.advance_to(kEnd, look);
  if (!report) std::cerr << report.message() << '\n';
  run.rebound = momentum[1] / mass, run.slowed /= mass, run.pushed /= mass;
  run.numerical = ledger.total().numerical / E0;
  return run;
}

int example(const Arguments& arguments) {
  std::optional<std::filesystem::path> kept;
  if (arguments.pictures()) kept = *arguments.pictures() / "rubber_block.h5";
  const Run coarse = throw_block(5e-4), run = throw_block(2.5e-4, kept);
  if (arguments.pictures()) {
    Panel seen{.x = {"x [m], 0.3 m more every 15 ms", -0.05, 1.55},
               .y = {"y [m]", -0.02, 0.4},
               .series = {{.x = {-0.05, 1.55}, .y = {0.0, 0.0}, .style = Series::Style::Ground}},
               .same_units = true};
    seen.series.insert(seen.series.end(), run.shapes.begin(), run.shapes.end());
    const Figure figure{
        .title = "A block of rubber thrown onto a rough floor",
        .panels = {seen,
                   time_series(run.t, "energy [J]", {{run.kinetic, "kinetic"}, {run.elastic, "elastic"}}, "time [ms]")},
        .width = 1000,
        .height = 640};
    std::cout << draw(figure, *arguments.pictures() / "rubber_block").message() << '\n';
  }

  // 5. Bounds. Internal forces have no sum: what the floor and the weight give is what momentum gains, to Newton's
  //    tolerance in each step. In flight the lower side falls as a point does.
  const double meets = (std::sqrt(kDown * kDown + 2 * kGravity * kHeight) - kDown) / kGravity;
  Bounds bounds;
  bounds.within("momentum that a step gains beside floor and weight, relative", run.balance, 0.0, 1e-10);
  bounds.near("contact begins [s]", run.begins, meets, 2.5e-4);
  bounds.within("contact ends [s]", run.ends, meets + 0.01, 0.05);
  bounds.within("rebound of the centre [m/s]", run.rebound, 0.5 * kDown, kDown);
  bounds.within("friction takes of its way along [m/s]", run.slowed, 0.01, kFriction * (run.pushed + kGravity * kEnd));
  bounds.within("most energy there is / thrown", run.most, 0.99, 1.01);
  bounds.near("energy that the scheme adds / thrown", run.numerical, 0.0, 0.02);
  bounds.near("rebound, twice the step [m/s]", coarse.rebound, run.rebound, 0.1);
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
