// SPDX-License-Identifier: Apache-2.0
// Two firms adjust what they sell until neither gains by more: with the price p = a - x_1 - x_2 and costs c_i a unit,
// firm i's profit (p - c_i) x_i grows along -F_i,
//
//     F_i(x) = 2 x_i + x_j - (a - c_i),      K = {x >= 0, x_1 + x_2 <= Q}, a quota for both.
//
// Two adjustments, whose rest points are the solutions of VI(K, F):
//
//     x' = P_{T_K(x)}(-F(x)),      a projected dynamical system: the quota is hit, then slid along;
//     x' = u - x,  u in SOL(K, u - x + F(x)),  that is u = P_K(x - F(x)): a differential variational inequality.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <utility>
#include <vector>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

namespace {

const double a = 10.0, c1 = 1.0, c2 = 2.0, Q = 4.0;
const Eigen::Vector2d equilibrium(0.5 * (Q + c2 - c1), 0.5 * (Q - c2 + c1));

void push(ConstVectorRef x, VectorRef f) { f << a - c1 - 2.0 * x[0] - x[1], a - c2 - 2.0 * x[1] - x[0]; }

vi::ConvexSet quota() {
  return vi::Polyhedron{.A = Eigen::MatrixXd{{-1.0, 0.0}, {0.0, -1.0}, {1.0, 1.0}}, .b = Eigen::Vector3d(0.0, 0.0, Q)};
}

SweepingProcess projected(const Eigen::Vector2d& x0) {
  return {.set = quota(), .f = [](double, ConstVectorRef x, VectorRef f) { push(x, f); }, .x0 = x0};
}

DifferentialVariationalInequality smooth(const Eigen::Vector2d& x0) {
  return {.f = [](double, ConstVectorRef x, VectorRef f) { f = -x; },
          .B = [](double, ConstVectorRef, MatrixRef B) { B.setIdentity(); },
          .G =
              [](double, ConstVectorRef x, ConstVectorRef u, VectorRef G) {
                push(x, G);
                G = u - x - G;
              },
          .K = quota(),
          .x0 = x0};
}

/// The projected system: d = x_1 - x_2 has d' = c_2 - c_1 - d throughout, s = x_1 + x_2 has s' = 2 a - c_1 - c_2 - 3 s
/// up to the quota, where it stays.
Eigen::Vector2d exact(const Eigen::Vector2d& x0, double t) {
  const double d_rest = c2 - c1, s_rest = (2.0 * a - c1 - c2) / 3.0;
  const double d = d_rest + (x0[0] - x0[1] - d_rest) * std::exp(-t);
  const double s = std::min(Q, s_rest + (x0.sum() - s_rest) * std::exp(-3.0 * t));
  return {0.5 * (s + d), 0.5 * (s - d)};
}

/// Runs both from all starts at once. Errors are those of the projected system; of the other u is the equilibrium from
/// everywhere, as x - F(x) has the difference c_2 - c_1 and a sum beyond the quota: implicit steps of x' = u - x on a
/// straight line.
struct Adjustment {
  std::vector<Orbit> ways;
  double error = 0.0, off_line = 0.0, off_rest = 0.0, outside = 0.0, worst_residual = 0.0;
  RunReport report;
};
Adjustment adjust(const std::vector<Eigen::Vector2d>& starts, double h, double T) {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> systems;
  for (const auto& x0 : starts) systems.push_back(model.add(projected(x0)));
  for (const auto& x0 : starts) systems.push_back(model.add(smooth(x0)));
  TimeStepping simulation(model, {.step = h});
  Adjustment result;
  result.ways.resize(systems.size());
  const auto record = [&](const State& state) {
    for (std::size_t i = 0; i < systems.size(); ++i) {
      const Eigen::Vector2d x = state.x(systems[i]).head(2);  // of the inequality also u, behind
      result.ways[i].q.push_back(x[0]);
      result.ways[i].v.push_back(x[1]);
      result.outside = std::max({result.outside, -x[0], -x[1], x.sum() - Q});
      if (i < starts.size()) {
        result.error = std::max(result.error, (x - exact(starts[i], state.t)).norm());
      } else {
        const Eigen::Vector2d line = equilibrium + (starts[i - starts.size()] - equilibrium) *
                                                       std::pow(1.0 + h, -static_cast<double>(state.steps));
        result.off_line = std::max(result.off_line, (x - line).norm());
      }
    }
  };
  record(simulation.state());
  result.report = simulation.advance_to(T, record);
  result.worst_residual = result.report.worst_residual;
  for (const Orbit& way : result.ways)
    result.off_rest =
        std::max(result.off_rest, std::hypot(way.q.back() - equilibrium[0], way.v.back() - equilibrium[1]));
  return result;
}

Panel picture(const Adjustment& all, std::size_t starts) {
  Orbit projected{.label = "projected"}, smooth{.label = "by an inequality", .style = Series::Style::Dashed};
  for (std::size_t i = 0; i < all.ways.size(); ++i) {  // one curve each, which NaN breaks
    Orbit& of = i < starts ? projected : smooth;
    for (const auto& [to, from] : {std::pair(&of.q, &all.ways[i].q), std::pair(&of.v, &all.ways[i].v)}) {
      to->insert(to->end(), from->begin(), from->end());
      to->push_back(std::numeric_limits<double>::quiet_NaN());
    }
  }
  Panel panel = phase_portrait("sold by firm 1", "sold by firm 2", {projected, smooth});
  panel.series.insert(panel.series.begin(),
                      Series{.x = {0.0, Q, 0.0, 0.0}, .y = {0.0, 0.0, Q, 0.0}, .style = Series::Style::Guide});
  panel.series.push_back(
      {.x = {equilibrium[0]}, .y = {equilibrium[1]}, .label = "equilibrium", .style = Series::Style::Markers});
  panel.same_units = true;
  return panel;
}

}  // namespace

int example(const Arguments& arguments) {
  const std::vector<Eigen::Vector2d> starts = {{0.2, 0.2}, {0.2, 3.0}, {3.5, 0.1}};
  const double h = 1.0 / 64, T = 16.0;
  const Adjustment all = adjust(starts, h, T), fine = adjust(starts, 0.5 * h, 1.0), coarse = adjust(starts, h, 1.0);
  if (!all.report) std::cerr << all.report.message() << '\n';
  if (arguments.pictures()) {
    const Figure figure{
        .title = "Two firms under one quota", .panels = {picture(all, starts.size())}, .width = 720, .height = 640};
    std::cout << draw(figure, *arguments.pictures() / "quota_duopoly").message() << '\n';
  }

  // Does it hold? Without a quota each would sell (a - 2 c_i + c_j) / 3; with it both give up the same of F:
  // x = (Q + c_2 - c_1, Q - c_2 + c_1) / 2 = (2.5, 1.5). Deviations from it fall by e^-T = 1e-7. Explicit steps of
  // s' = 3 (s_rest - s) are off by 9/2 h t e^{-3t} |s_rest - s_0| <= 2.9 h, s being sqrt(2) times a length.
  const DviIndex index = index_of(smooth(starts[0]), 0.0, starts[0], Eigen::Vector2d::Zero());
  Bounds bounds;
  bounds.within("off the equilibrium at the end", all.off_rest, 0.0, 1e-5);
  bounds.within("outside of the quota", all.outside, 0.0, 1e-9);
  bounds.near("order of the projected system", std::log2(coarse.error / fine.error), 1.0, 0.15);
  bounds.within("its error", coarse.error, 0.0, 2.5 * h);
  bounds.within("the inequality's ways off straight lines", all.off_line, 0.0, 1e-8);
  bounds.near("index of the inequality", index.index, 0.0, 0.0);
  bounds.within("largest residual of its steps", all.worst_residual, 0.0, 1e-10);
  std::cout << bounds.report();
  return all.report && bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
