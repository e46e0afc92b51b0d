// SPDX-License-Identifier: Apache-2.0
// First-order relations: time-varying ones against manufactured solutions, nonlinear ones against recurrences in closed
// form and against their linear twins.
#include <problems/first_order.hpp>

#include "first_order.hpp"

namespace nonsmooth::first_order_relations_test {
namespace {

using namespace first_order;

TEST(TimeVaryingRelation, FollowsAManufacturedSolution) {
  // x = (sin t, cos t), lambda = 2 + cos t > 0 with y = C(t) x + D(t) lambda + e(t) = 0: e and b are made for it. With
  // w = theta = 1/2 and lambda_0 right the scheme is the trapezoidal rule: order 2 if r_k = B(t_k) lambda_k.
  const auto A = [](double t) { return Eigen::Matrix2d{{-1.0, std::sin(t)}, {0.5, -2.0 + 0.3 * std::cos(t)}}; };
  const auto B = [](double t) { return Eigen::Vector2d{1.0 + 0.5 * std::sin(2.0 * t), 0.3 * t}; };
  const auto C = [](double t) { return Eigen::RowVector2d{std::cos(t), 1.0 + 0.2 * t}; };
  const auto D = [](double t) { return 2.0 + std::sin(3.0 * t); };
  const auto s = [](double t) { return Eigen::Vector2d{std::sin(t), std::cos(t)}; };
  const auto lambda = [](double t) { return 2.0 + std::cos(t); };
  const double T = 1.5;
  const auto error = [&](double weight) {
    return [&, weight](double h) {
      NonSmoothDynamicalSystem model;
      const auto system = model.add(FirstOrderLinearSystem{
          .A = [&](double t, MatrixRef value) { value = A(t); },
          .b = [&](double t,
                   VectorRef b) { b = Eigen::Vector2d(std::cos(t), -std::sin(t)) - A(t) * s(t) - B(t) * lambda(t); },
          .x0 = s(0.0)});
      const auto link = model.link(
          system,
          FirstOrderLinearRelation{.C = [&](double t, MatrixRef value) { value = C(t); },
                                   .D = [&](double t, MatrixRef value) { value(0, 0) = D(t); },
                                   .B = [&](double t, MatrixRef value) { value = B(t); },
                                   .e = [&](double t, VectorRef e) { e[0] = -C(t) * s(t) - D(t) * lambda(t); },
                                   .rows = 1},
          ComplementarityLaw{});
      TimeStepping run(model, with(EulerMoreau{.theta = weight, .multiplier_weight = weight}, h));
      EXPECT_NEAR(run.state().y(link)[0], -D(0.0) * lambda(0.0), 16.0 * kEps);  // with no multiplier yet
      run.state().multipliers[0] = lambda(0.0);
      const RunReport report = run.advance_to(T);
      EXPECT_TRUE(report) << report.message();
      EXPECT_NEAR(run.state().y(link)[0], 0.0, 1e-12);
      return (run.state().x(system) - s(T)).norm() + std::abs(run.state().lambda(link)[0] - lambda(T));
    };
  };
  EXPECT_NEAR(fitted_order(0.05, 5, error(1.0)), 1.0, kSmooth);
  EXPECT_NEAR(fitted_order(0.05, 5, error(0.5)), 2.0, kSmooth);
}

// h = sinh lambda - x = 0 and g = -sinh lambda: x' = -x, and one implicit step is x+ = x / (1 + h).
FirstOrderRelation hyperbolic(bool jacobians) {
  FirstOrderRelation relation;
  relation.h = [](double, ConstVectorRef x, ConstVectorRef l, VectorRef y) { y[0] = std::sinh(l[0]) - x[0]; };
  relation.g = [](double, ConstVectorRef, ConstVectorRef l, VectorRef r) { r[0] = -std::sinh(l[0]); };
  if (jacobians) {
    relation.h_dx = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = -1.0; };
    relation.h_dlambda = [](double, ConstVectorRef, ConstVectorRef l, MatrixRef J) { J(0, 0) = std::cosh(l[0]); };
    relation.g_dx = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {};
    relation.g_dlambda = [](double, ConstVectorRef, ConstVectorRef l, MatrixRef J) { J(0, 0) = -std::cosh(l[0]); };
  }
  return relation;
}

TEST(NonlinearRelation, InLambdaIsItsRecurrence) {
  for (const bool jacobians : {true, false}) {
    NonSmoothDynamicalSystem model;
    const auto linear = model.add(FirstOrderLinearSystem{.x0 = {2.0}});
    const auto nonlinear = model.add(FirstOrderSystem{.x0 = {2.0}});
    const auto link = model.link(linear, hyperbolic(jacobians), EqualityLaw{});
    model.link(nonlinear, hyperbolic(jacobians), EqualityLaw{});
    TimeStepping run(model, with(EulerMoreau{.theta = 1.0}, 0.1));
    double x = 2.0;
    for (int k = 0; k < 50; ++k) {
      const StepReport report = run.step();
      ASSERT_TRUE(report) << report.message();
      x /= 1.1;
      // A settled iteration has moved by 1e-9 of |x| and |lambda| at most, and converges quadratically, or by sqrt(eps)
      // a pass with differences: 1e-16 is left, times the steps.
      EXPECT_NEAR(run.state().x(linear)[0], x, 1e-14);
      EXPECT_NEAR(run.state().x(nonlinear)[0], x, 1e-14);
      EXPECT_NEAR(run.state().lambda(link)[0], std::asinh(x), 1e-13);
      EXPECT_LE(report.newton_iterations, 8);
    }
  }
}

TEST(NonlinearRelation, InTimeAndStateIsItsRecurrence) {
  // lambda = x, g = -t lambda x: x+ = x - h t+ x+^2, for x' = -t x^2, x = x0 / (1 + x0 t^2 / 2).
  for (const bool jacobians : {true, false}) {
    FirstOrderRelation relation;
    relation.h = [](double, ConstVectorRef x, ConstVectorRef l, VectorRef y) { y[0] = l[0] - x[0]; };
    relation.g = [](double t, ConstVectorRef x, ConstVectorRef l, VectorRef r) { r[0] = -t * l[0] * x[0]; };
    if (jacobians) {
      relation.h_dx = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = -1.0; };
      relation.h_dlambda = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = 1.0; };
      relation.g_dx = [](double t, ConstVectorRef, ConstVectorRef l, MatrixRef J) { J(0, 0) = -t * l[0]; };
      relation.g_dlambda = [](double t, ConstVectorRef x, ConstVectorRef, MatrixRef J) { J(0, 0) = -t * x[0]; };
    }
    NonSmoothDynamicalSystem model;
    const auto system = model.add(FirstOrderLinearSystem{.x0 = {3.0}});
    model.link(system, relation, EqualityLaw{});
    const double h = 0.02;
    TimeStepping run(model, with(EulerMoreau{.theta = 1.0}, h));
    double x = 3.0;
    for (int k = 0; k < 100; ++k) {
      ASSERT_TRUE(run.step());
      const double a = h * run.state().t;
      x = 2.0 * x / (1.0 + std::sqrt(1.0 + 4.0 * a * x));
      EXPECT_NEAR(run.state().x(system)[0], x, 1e-13);  // as above, and roundings of 100 steps of |x| <= 3
    }
    // Order 1: |error| <= (h / 2) times the integral of |x''| (the flow contracts), below h / 2 * 2 max |x'| = 2.1 h.
    EXPECT_NEAR(x, 3.0 / (1.0 + 1.5 * 4.0), 2.1 * h * 3.0);
  }
}

TEST(NonlinearRelation, OverTwoSystemsKeepsWhatItExchanges) {
  // x' = -lambda x z, z' = lambda x z with lambda = 2: what one loses the other gains. Each system's factor knows its
  // own dg/dx, the other's is lagged: the iteration still settles on the implicit step.
  FirstOrderRelation exchange;
  exchange.h = [](double, ConstVectorRef, ConstVectorRef l, VectorRef y) { y[0] = l[0] - 2.0; };
  exchange.g = [](double, ConstVectorRef x, ConstVectorRef l, VectorRef r) {
    r[0] = -l[0] * x[0] * x[1];
    r[1] = -r[0];
  };
  NonSmoothDynamicalSystem model;
  const auto prey = model.add(FirstOrderLinearSystem{.x0 = {1.0}}),
             hunter = model.add(FirstOrderLinearSystem{.x0 = {0.1}});
  model.link({prey, hunter}, exchange, EqualityLaw{});
  const double h = 0.05;
  TimeStepping run(model, with(EulerMoreau{.theta = 1.0}, h));
  for (int k = 0; k < 100; ++k) {
    const double x = run.state().x(prey)[0], z = run.state().x(hunter)[0];
    const StepReport report = run.step();
    ASSERT_TRUE(report) << report.message();
    const double exchanged = 2.0 * h * run.state().x(prey)[0] * run.state().x(hunter)[0];
    // The lag contracts by 2 h = 0.1: a correction below 1e-9 (of sizes up to 2.3) leaves 3e-10.
    EXPECT_NEAR(run.state().x(prey)[0], x - exchanged, 3e-10);
    EXPECT_NEAR(run.state().x(hunter)[0], z + exchanged, 3e-10);
  }
  EXPECT_GT(run.state().x(hunter)[0], 1.09);  // logistic: all of it but e^(-2.2 * 5)
}

TEST(NonlinearRelation, AffineOneIsTheLinearRelation) {
  // The circuit of EulerMoreau's energy identity, every scheme weight, with and without Jacobians.
  const double elastance = 39.478417604357434, R = 10.0;
  for (const EulerMoreau scheme : {EulerMoreau{.theta = 1.0}, EulerMoreau{.theta = 0.5, .multiplier_weight = 0.5},
                                   EulerMoreau{.theta = 0.5, .multiplier_weight = 0.6, .relation_weight = 0.7}}) {
    for (const bool jacobians : {true, false}) {
      FirstOrderRelation relation;
      relation.h = [=](double t, ConstVectorRef x, ConstVectorRef l, VectorRef y) {
        y[0] = elastance * x[0] + R * l[0] + std::sin(t);
      };
      relation.g = [](double, ConstVectorRef, ConstVectorRef l, VectorRef r) { r[0] = l[0]; };
      if (jacobians) {
        relation.h_dx = [=](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = elastance; };
        relation.h_dlambda = [=](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = R; };
        relation.g_dx = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {};
        relation.g_dlambda = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = 1.0; };
      }
      NonSmoothDynamicalSystem model;
      const FirstOrderLinearSystem circuit{.A = {{0.0, -1.0}, {elastance, 0.0}}, .x0 = {1.0, 1.0}};
      const auto first = model.add(circuit), second = model.add(circuit);
      const auto nonlinear = model.link(first, relation, ComplementarityLaw{});
      const auto linear = model.link(second,
                                     FirstOrderLinearRelation{.C = {{elastance, 0.0}},
                                                              .D = {{R}},
                                                              .B = {{1.0}, {0.0}},
                                                              .e = [](double t, VectorRef e) { e[0] = std::sin(t); }},
                                     ComplementarityLaw{});
      TimeStepping run(model, with(scheme, 5e-3));
      for (int k = 0; k < 400; ++k) {
        ASSERT_TRUE(run.step());
        const State& s = run.state();
        // Jacobians by differences err by 1e-7 of 39 and correct themselves but for that share of 1e-9 of |x| <= 7;
        // roundings of 400 steps of a motion that does not grow stay below 400 * 16 eps * 40.
        ASSERT_LE((s.x(first) - s.x(second)).norm(), 6e-11);
        ASSERT_NEAR(s.lambda(nonlinear)[0], s.lambda(linear)[0], 6e-10);
        ASSERT_NEAR(s.y(nonlinear)[0], s.y(linear)[0], 6e-9);
      }
    }
  }
}

TEST(NonlinearRelation, UnfoldedBallFliesAndComesToRest) {
  problems::Model m = problems::unfolded_ball();
  TimeStepping run(m.system, m.options);
  ASSERT_TRUE(run.advance_to(1.0));
  // Implicit Euler errs in free flight by g h t / 2 in the height; the step of the apex (t = 0.51) may miss up to g h
  // of speed, and half a second later as much of height.
  const double h = m.options.step, g = 9.81;
  const auto x = run.state().x(m.bodies[0]);
  ASSERT_LT(x[1], 0.0);
  EXPECT_NEAR(x[0], 1.0 + 5.0 - 0.5 * g, g * h);
  EXPECT_NEAR(1.5 * x[1], 5.0 - g, g * h);
  // Bounces with e = 1/3 from the speed v_1 of the first accumulate at t_1 + 2 e v_1 / (g (1 - e)) = t_1 + v_1 / g. A
  // bounce is off by a step at most, and the height by g h t / 2 / v_1 < 2 steps of time before the first; later ones
  // weigh less (speeds fall by e while the shift is of a step): seven of them until v h is below the height of a step.
  const double v_1 = std::sqrt(25.0 + 2.0 * g), end = (5.0 + v_1) / g + v_1 / g;
  ASSERT_TRUE(run.advance_to(1.862));
  EXPECT_LT(run.state().x(m.bodies[0]).norm(), 1e-9);
  EXPECT_NEAR(1.862, end, 10.0 * h);
  // At rest lambda_1 acts on nothing, and q of a step is round-off, underflowing to 0 in the end.
  ASSERT_TRUE(run.advance_to(3.0));
  EXPECT_LT(run.state().x(m.bodies[0]).norm(), 1e-9);
}

}  // namespace
}  // namespace nonsmooth::first_order_relations_test
