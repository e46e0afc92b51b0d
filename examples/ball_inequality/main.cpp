// SPDX-License-Identifier: Apache-2.0
// A variational inequality on the unit disc K: find x in K with
//   F(x)·(y - x) >= 0 for all y in K,    F(x) = S (x - c),    S = (0 1; -1 0), a quarter turn.
// -F is the slope by which x_1 lowers and x_2 raises (x_1 - c_1)(x_2 - c_2); it circles around c. Solutions are where
// both rest that move at once along -F, projected on K. For c in K the solution is c. For |c| > 1 it is the point x of
// the circle where -F points straight outwards: the tangent from c, x·c = 1, on the side where x·S c >= 0. K couples
// the two, so that points where neither gains alone are more than this one.
#include <cmath>
#include <iostream>
#include <vector>

#include <nonsmooth/io.hpp>
#include <nonsmooth/numerics/vi.hpp>

#include "picture.hpp"
using namespace nonsmooth;

const Eigen::Matrix2d S{{0.0, 1.0}, {-1.0, 0.0}};

vi::Problem around(const Eigen::Vector2d& c) {
  const NonlinearMap F{.num_unknowns = 2,
                       .num_values = 2,
                       .value = [c](ConstVectorRef x, VectorRef f) { f = S * (x - c); },
                       .dense_jacobian = [](ConstVectorRef, MatrixRef J) { J = S; }};
  return {F, vi::Ball{Eigen::Vector2d::Zero(), 1.0}};
}

/// Solves and keeps the way.
template <class Method>
Way follow(const std::string& name, const vi::Problem& problem, Method method, const Eigen::Vector2d& start) {
  Way way{.name = name};
  method.start = start;
  method.on_iterate = [&way](ConstVectorRef x) { way.points.emplace_back(x); };
  way.result = vi::solve(problem, method);
  std::cout << way.result.message() << '\n';
  return way;
}

/// By three methods. Steps t that the first two keep, and no acceleration, so that each shows what it is.
constexpr double t = 0.4;
std::vector<Way> follow_all(const vi::Problem& problem, const Eigen::Vector2d& start) {
  return {follow("projection", problem, vi::Projection{.step = t, .memory = 0, .max_iterations = 500}, start),
          follow("extragradient", problem, vi::Extragradient{.step = t, .memory = 0}, start),
          follow("semismooth Newton", problem, vi::SemismoothNewton{}, start)};
}

int example(const Arguments& arguments) {
  Bounds bounds;

  // 1. c inside. A projection step, x - t F(x), makes the distance to c sqrt(1 + t^2) times as long, up to the circle,
  //    from where it cannot come nearer than 1 - |c|.
  const Eigen::Vector2d inside{0.2, 0.1}, start{0.6, 0.1};
  const std::vector<Way> ways = follow_all(around(inside), start);
  double nearest = 2.0;
  for (const Eigen::Vector2d& x : ways[0].points) nearest = std::min(nearest, (x - inside).norm());
  bounds.within("projection: nearest to c, the start", nearest, (start - inside).norm() - 1e-15, 0.4 + 1e-15);
  bounds.within("projection: last distance to c", (ways[0].points.back() - inside).norm(), 1.0 - inside.norm(), 2.0);

  // 2. A step with F as it is one step ahead, x - t F(x - t F(x)), makes it sqrt((1 - t^2)^2 + t^2) = 0.93 times as
  //    long. Rounding, 2e-16 a step, adds up to 1/(1 - 0.93) = 14 times that.
  const double rate = std::sqrt(std::pow(1.0 - t * t, 2) + t * t);
  double error = 0.0, length = (start - inside).norm();
  for (const Eigen::Vector2d& x : ways[1].points) {
    error = std::max(error, std::abs((x - inside).norm() - length));
    length *= rate;
  }
  bounds.near("extragradient: error of the closed rate", error, 0.0, 3e-15);
  bounds.near("extragradient: distance to c", (Eigen::Vector2d(ways[1].result.x) - inside).norm(), 0.0, 1e-10);
  bounds.near("Newton's steps for a linear F", static_cast<double>(ways[2].result.iterations), 1.0, 0.0);

  // 3. c outside: all arrive at the tangent point, here (4/5, -3/5), as the circle holds what turns.
  const Eigen::Vector2d outside{1.25, 0.0}, tangent{0.8, -0.6}, other_start{0.3, 0.7};
  const std::vector<Way> others = follow_all(around(outside), other_start);
  for (const Way& way : others)
    bounds.near(way.name + ": distance to the tangent point", (Eigen::Vector2d(way.result.x) - tangent).norm(), 0.0,
                1e-9);

  if (arguments.pictures())
    std::cout << picture(inside, ways, outside, others, *arguments.pictures() / "ball_inequality").message() << '\n';
  std::cout << bounds.report();
  return bounds.hold() && !ways[0].result ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
