// SPDX-License-Identifier: Apache-2.0
// Three equal balls in a row touch, the first strikes with velocity 1. Of the impact two things are given: what part e
// of the energy it leaves, and in what proportion s the two contacts share the impulses,
//
//   u - b = H lambda,   u·u = e b·b,   0 <= H^T u (no ball goes into the next),   0 <= lambda,   lambda_2 = s lambda_1.
//
// With b = (1, 0, 0) u = (1 - lambda_1, lambda_1 - lambda_2, lambda_2), and the energy is 1 - 2 lambda_1 + 2 (1 - s +
// s^2) lambda_1^2: a quadratic equation, of whose roots those count that keep the signs, lambda_1 >= 1/(2 - s), 1/2 <=
// s < 2. Where none does there is no such impact, with a proof.
//
// And a condition that is switched off by the gap of the answer itself, without a forecast:
//
//   y = a lambda + b,   v = lambda - 1,     y <= 0:  0 <= v ⟂ lambda >= 0,     y > 0:  lambda = 0.
//
// lambda = 0 where b > 0, lambda = 1 where a + b <= 0: one answer, two, or none.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

#include <nonsmooth/io.hpp>
#include <nonsmooth/numerics/lcp/switched.hpp>
#include <nonsmooth/numerics/qp/energetic_impact.hpp>
using namespace nonsmooth;

qp::EnergeticImpact three_balls(double ratio, double share) {
  return {.M = Eigen::MatrixXd::Identity(3, 3),
          .H = Eigen::MatrixXd{{-1.0, 0.0}, {1.0, -1.0}, {0.0, 1.0}},
          .b = Eigen::VectorXd{{1.0, 0.0, 0.0}},
          .ratio = ratio,
          .Theta = Eigen::MatrixXd{{share, -1.0}}};
}

/// lambda_1 in closed form, larger root first; those that keep the signs.
std::vector<double> closed_form(double ratio, double share) {
  const double a = 2.0 * (1.0 - share + share * share), discriminant = 1.0 - a * (1.0 - ratio);
  std::vector<double> roots;
  if (share < 0.5 || share >= 2.0 || discriminant < 0.0) return roots;
  for (const double sign : {1.0, -1.0}) {
    const double lambda = (1.0 + sign * std::sqrt(discriminant)) / a;
    if (lambda >= 1.0 / (2.0 - share) - 1e-12) roots.push_back(lambda);
  }
  return roots;
}

/// All impacts over proportions s, for each ratio of energies: curves in the plane of the impulses.
Panel impulses(Bounds& bounds) {
  Panel panel{.x = {.label = "{/Symbol l}_1, the first two balls", .low = 0.4, .high = 1.5},
              .y = {.label = "{/Symbol l}_2, the last two", .low = 0.2, .high = 1.1},
              .series = {}};
  double error = 0.0;
  int different = 0, proven = 0, none = 0;
  for (const double ratio : {1.0, 0.7, 0.4}) {
    Series curve{.label = "e = " + std::to_string(ratio).substr(0, 3)};
    for (int i = 0; i <= 120; ++i) {
      const double share = 0.4025 + 0.007 * i;  // to 1.24, at no end of a curve
      const qp::EnergeticImpact impact = three_balls(ratio, share);
      const qp::EnergeticImpactResult found = qp::solve(impact);
      const std::vector<double> expected = closed_form(ratio, share);
      different += found.solutions.size() == expected.size() ? 0 : 1;
      for (const double lambda : expected) {
        double nearest = 1.0;
        for (const auto& solution : found.solutions) nearest = std::min(nearest, std::abs(solution.lambda[0] - lambda));
        error = std::max(error, nearest);
      }
      if (found.solutions.empty()) {
        ++none;
        proven += qp::proves_no_impact(impact, found.proof) ? 1 : 0;
      } else {
        curve.x.push_back(found.solutions[0].lambda[0]);
        curve.y.push_back(found.solutions[0].lambda[1]);
      }
    }
    panel.series.push_back(curve);
  }
  bounds.near("laws with another number of impacts than the closed form", different, 0.0, 0.0);
  bounds.near("impulses beside the closed form", error, 0.0, 1e-10);  // rounding, of roots that are 0.01 apart or more
  bounds.near("laws without an impact that are not proven", none - proven, 0.0, 0.0);
  std::cout << none << " of 363 laws have no impact, each with its proof\n";
  panel.series.push_back(
      {.x = {0.6, 1.05}, .y = {0.2, 1.1}, .label = "second ball against the first", .style = Series::Style::Guide});
  panel.series.push_back(
      {.x = {0.4, 1.5}, .y = {0.2, 0.75}, .label = "third against the second", .style = Series::Style::Guide});
  return panel;
}

/// Which of all elastic impacts the laws with names are.
void mark_laws(Bounds& bounds, Panel& panel) {
  const auto cradle = qp::solve(three_balls(1.0, 1.0)), poisson = qp::solve(three_balls(1.0, 0.5));
  Series marks{.label = "Poisson; Newton's cradle", .style = Series::Style::Markers};
  for (const auto* found : {&poisson, &cradle}) {
    if (!*found || found->solutions.empty()) return bounds.near("an elastic law without an impact", 1.0, 0.0, 0.0);
    marks.x.push_back(found->solutions[0].lambda[0]);
    marks.y.push_back(found->solutions[0].lambda[1]);
  }
  const Eigen::Vector3d last(0.0, 0.0, 1.0), together(-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0);
  bounds.near("s = 1: the last ball has all", (cradle.solutions[0].u - last).norm(), 0.0, 1e-10);
  bounds.near("s = 1/2: (-1, 2, 2) / 3", (poisson.solutions[0].u - together).norm(), 0.0, 1e-10);
  panel.series.push_back(marks);
}

/// How many answers the switched condition has, over a and b.
Panel answers(Bounds& bounds) {
  Panel panel{.x = {.label = "b, the gap without {/Symbol l}", .low = -1.0, .high = 1.0},
              .y = {.label = "a, what {/Symbol l} opens it by", .low = -1.0, .high = 1.0},
              .series = {{.label = "no answer", .style = Series::Style::Markers},
                         {.label = "one", .style = Series::Style::Points},
                         {.label = "two", .style = Series::Style::Markers}}};
  int different = 0, unproven = 0;
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 20; ++j) {
      const double b = -0.95 + 0.1 * i, a = -0.97 + 0.1 * j;  // off the lines b = 0 and a + b = 0
      const lcp::SwitchedProblem problem{.A = Eigen::MatrixXd{{a}},
                                         .b = Eigen::VectorXd{{b}},
                                         .V = Eigen::MatrixXd{{1.0}},
                                         .c = Eigen::VectorXd{{-1.0}}};
      const lcp::SwitchedResult found = lcp::solve(problem);
      const std::size_t count = found.solutions.size(), expected = (b > 0.0 ? 1u : 0u) + (a + b <= 0.0 ? 1u : 0u);
      different += count == expected && found.complete ? 0 : 1;
      unproven += count > 0 || lcp::proves_none(problem, found.proof) ? 0 : 1;
      panel.series[std::min<std::size_t>(count, 2)].x.push_back(b);
      panel.series[std::min<std::size_t>(count, 2)].y.push_back(a);
    }
  }
  bounds.near("switched conditions with another number of answers", different, 0.0, 0.0);
  bounds.near("switched conditions without an answer that are not proven", unproven, 0.0, 0.0);
  return panel;
}

int example(const Arguments& arguments) {
  Bounds bounds;
  Panel plane = impulses(bounds);
  mark_laws(bounds, plane);
  const Panel switched = answers(bounds);
  if (arguments.pictures()) {
    const Figure figure{.title = "Impacts of three balls by what energy is left; answers of a switched condition",
                        .panels = {plane, switched},
                        .width = 720,
                        .height = 860};
    std::cout << draw(figure, *arguments.pictures() / "energetic_impact").message() << '\n';
  }
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
