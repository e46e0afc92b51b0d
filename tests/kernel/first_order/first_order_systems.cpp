// SPDX-License-Identifier: Apache-2.0
// First-order systems under their schemes: measured orders, the role of Jacobians, weights, holds, sampled feedback.
#include <Eigen/LU>
#include <Eigen/SparseCore>

#include "first_order.hpp"

namespace nonsmooth::first_order_systems_test {
namespace {

using namespace first_order;

/// M x' = M s'(t) + G(x) - G(s(t)): x = s = (sin t, cos 2t) solves it. G couples and is not linear.
FirstOrderSystem manufactured(bool with_jacobian) {
  const Eigen::Matrix2d M{{2.0, 0.5}, {0.25, 1.0}};
  const auto G = [](const Eigen::Vector2d& x) -> Eigen::Vector2d {
    return {-x[0] * x[0] * x[0] + x[1], -std::sin(x[1]) - x[0]};
  };
  FirstOrderSystem system;
  system.mass = M;
  system.f = [M, G](double t, ConstVectorRef x, VectorRef f) {
    f = M * Eigen::Vector2d(std::cos(t), -2.0 * std::sin(2.0 * t)) + G(x) - G({std::sin(t), std::cos(2.0 * t)});
  };
  if (with_jacobian) {
    system.f_dx = [](double, ConstVectorRef x, MatrixRef J) {
      J(0, 0) = -3.0 * x[0] * x[0];
      J(0, 1) = 1.0;
      J(1, 0) = -1.0;
      J(1, 1) = -std::cos(x[1]);
    };
  }
  system.x0 = {0.0, 1.0};
  return system;
}

struct Outcome {
  Eigen::VectorXd x;
  Index newton_iterations = 0, steps = 0;
};

Outcome run_to(const FirstOrderSystem& description, double theta, double h, double T) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(description);
  TimeStepping run(model, with(EulerMoreau{.theta = theta}, h));
  const RunReport report = run.advance_to(T);
  EXPECT_TRUE(report) << report.message();
  return {run.state().x(system), report.newton_iterations, report.steps};
}

TEST(FirstOrderSystem, OrdersOfTheta) {
  const double T = 2.0;
  const Eigen::Vector2d exact{std::sin(T), std::cos(2.0 * T)};
  const auto error = [&](double theta) {
    return [&, theta](double h) { return (run_to(manufactured(true), theta, h, T).x - exact).norm(); };
  };
  EXPECT_NEAR(fitted_order(0.02, 5, error(1.0)), 1.0, kSmooth);
  EXPECT_NEAR(fitted_order(0.02, 5, error(0.5)), 2.0, kSmooth);
  EXPECT_NEAR(fitted_order(0.02, 5, error(0.0)), 1.0, kSmooth);
}

TEST(FirstOrderSystem, JacobiansOnlySteerNewton) {
  // Differences err by sqrt(eps): the iteration contracts by 1e-8 a pass, and what is left of a settled one (tolerance
  // 1e-9 of |x| <= 1.5) is below 1e-16; the steps' errors add, without growth as the system contracts. 200 steps.
  const Outcome given = run_to(manufactured(true), 1.0, 0.01, 2.0),
                differences = run_to(manufactured(false), 1.0, 0.01, 2.0);
  EXPECT_LE((given.x - differences.x).norm(), 200.0 * 64.0 * kEps);
  // From x_k the error is O(h), then O(h^2), O(h^4) = 1e-8, and one more pass sees that nothing moves.
  EXPECT_LE(given.newton_iterations, 4 * given.steps);
  EXPECT_LE(differences.newton_iterations, 4 * differences.steps);
}

TEST(FirstOrderSystem, WithoutForceStandsStillAndALinearOneIsTheLinearSystem) {
  NonSmoothDynamicalSystem model;
  const auto still = model.add(FirstOrderSystem{.x0 = {1.25, -3.0}});
  const Eigen::Matrix2d A{{-0.3, 2.0}, {-1.0, -0.1}};
  const auto nonlinear = model.add(FirstOrderSystem{
      .f = [A](double t, ConstVectorRef x, VectorRef f) { f = A * x + Eigen::Vector2d(std::sin(t), 1.0); },
      .f_dx = [A](double, ConstVectorRef, MatrixRef J) { J = A; },
      .x0 = {1.0, 2.0}});
  const auto linear = model.add(FirstOrderLinearSystem{.A = A,
                                                       .b =
                                                           [](double t, VectorRef b) {
                                                             b[0] = std::sin(t);
                                                             b[1] = 1.0;
                                                           },
                                                       .x0 = {1.0, 2.0}});
  TimeStepping run(model, with(EulerMoreau{.theta = 0.7}, 0.01));
  ASSERT_TRUE(run.advance_to(1.0));
  EXPECT_EQ(run.state().x(still)[0], 1.25);
  EXPECT_EQ(run.state().x(still)[1], -3.0);
  // 100 steps, each to the rounding of a solve of two rows with |x| <= 4.
  EXPECT_LE((run.state().x(nonlinear) - run.state().x(linear)).norm(), 100.0 * 64.0 * kEps);
}

// Capacitor, inductor, resistor and diode in series: x1' = -x2 + lambda, x2' = x1 / (L C), 0 <= x1 / C + R lambda ⟂
// lambda >= 0, L = 1, C = 1 / (2 pi)^2, R = 10; E = x1^2 / (2 C) + x2^2 / 2.
struct Dissipative {
  static constexpr double R = 10.0, elastance = 4.0 * 9.8696044010893586188;
  NonSmoothDynamicalSystem model;
  SystemHandle circuit =
      model.add(FirstOrderLinearSystem{.A = {{0.0, -1.0}, {elastance, 0.0}}, .x0 = {1.0, 1.0}, .name = "circuit"});
  InteractionHandle diode =
      model.link(circuit, FirstOrderLinearRelation{.C = {{elastance, 0.0}}, .D = {{R}}, .B = {{1.0}, {0.0}}},
                 ComplementarityLaw{});
  [[nodiscard]] double energy(const State& s) const {
    const auto x = s.x(circuit);
    return 0.5 * (elastance * x[0] * x[0] + x[1] * x[1]);
  }
  [[nodiscard]] double lambda(const State& s) const { return s.lambda(diode)[0]; }
  [[nodiscard]] double w(const State& s) const { return s.y(diode)[0]; }
};

TEST(EulerMoreau, MultiplierWeightOfOneHalfHasTheEnergyIdentity) {
  const double h = 5e-3;
  // E = 20 and its change are sums of a dozen products of that size, each with a rounding of eps.
  const double round_off = 16.0 * kEps * 21.0;
  const auto largest_defect = [&](double weight, int& switches, int& conducting) {
    Dissipative d;
    TimeStepping run(d.model, with(EulerMoreau{.theta = 0.5, .multiplier_weight = weight}, h));
    double worst = 0.0;
    switches = conducting = 0;
    for (int k = 0; k < 600; ++k) {
      const State before = run.state();
      EXPECT_TRUE(run.step());
      const State& after = run.state();
      const double l0 = d.lambda(before), l1 = d.lambda(after), mean = 0.5 * (l0 + l1);
      const double change = d.energy(after) - d.energy(before);
      const double cross = 0.25 * (d.w(after) * l0 + d.w(before) * l1);
      worst = std::max(worst, std::abs(change - h * (cross - Dissipative::R * mean * mean)));
      if (cross != 0.0 && std::abs(h * cross) > round_off) ++switches;
      if (mean > 0.0) ++conducting;
      if (l0 == 0.0 && l1 == 0.0) {
        EXPECT_LE(std::abs(change), round_off) << "free motion keeps its energy";
      }
    }
    return worst;
  };
  int switches = 0, conducting = 0;
  EXPECT_LE(largest_defect(0.5, switches, conducting), round_off);
  EXPECT_GE(switches, 3);      // the cross term is there in switching steps: six of them in three seconds
  EXPECT_LE(switches, 6);      // and nowhere else
  EXPECT_GT(conducting, 200);  // the diode conducts for more than a third of the time
  EXPECT_GT(largest_defect(1.0, switches, conducting), 1e-6);  // with a fully implicit multiplier there is none
}

TEST(EulerMoreau, RelationWeightOfOneHalfDissipatesWhatTheResistorDoes) {
  // theta = g = 1/2, w = 1 is the midpoint rule: E+ - E = h (x1_m / C) lambda = -h R lambda^2, as lambda (x1_m / C +
  // R lambda) = 0 with x_m = (x + x+) / 2. The stored output is at t_{k+1} all the same.
  const double h = 5e-3, round_off = 16.0 * kEps * 21.0;
  Dissipative d;
  TimeStepping run(d.model, with(EulerMoreau{.theta = 0.5, .relation_weight = 0.5}, h));
  bool mixed = false;
  for (int k = 0; k < 600; ++k) {
    const State before = run.state();
    ASSERT_TRUE(run.step());
    const State& after = run.state();
    const double l = d.lambda(after), middle = 0.5 * (before.x(d.circuit)[0] + after.x(d.circuit)[0]);
    EXPECT_NEAR(d.energy(after) - d.energy(before), -h * Dissipative::R * l * l, round_off);
    const double w_middle = Dissipative::elastance * middle + Dissipative::R * l;
    EXPECT_GE(l, 0.0);
    EXPECT_GE(w_middle, -1e-12);  // |w| up to 50, exact to a few roundings
    EXPECT_LE(std::min(l, w_middle), 1e-12);
    EXPECT_EQ(d.w(after), Dissipative::elastance * after.x(d.circuit)[0] + Dissipative::R * l);
    mixed = mixed || d.w(after) < -1e-3;  // at t_{k+1} itself complementarity need not hold
  }
  EXPECT_TRUE(mixed);
}

// A rotates and damps, e^(At) = e^(-st) R(wt).
constexpr double kDamping = 0.3, kTurn = 2.0;
const Eigen::Matrix2d kSpiral{{-kDamping, -kTurn}, {kTurn, -kDamping}};
Eigen::Matrix2d spiral(double t) {
  const double c = std::cos(kTurn * t), s = std::sin(kTurn * t);
  return std::exp(-kDamping * t) * Eigen::Matrix2d{{c, -s}, {s, c}};
}

TEST(ZeroOrderHold, IsExactForConstantInputsWhateverTheStep) {
  const Eigen::Vector2d b{1.0, -0.5}, x0{3.0, 1.0}, rest = -kSpiral.inverse() * b;
  const Eigen::Matrix2d M{{2.0, 1.0}, {-0.5, 1.5}};
  for (const double h : {5.0, 0.7, 0.01}) {
    NonSmoothDynamicalSystem model;
    const auto plain = model.add(FirstOrderLinearSystem{.A = kSpiral, .b = b, .x0 = x0});
    const auto massive = model.add(FirstOrderLinearSystem{.mass = M, .A = M * kSpiral, .b = M * b, .x0 = x0});
    const auto integrator = model.add(FirstOrderLinearSystem{.b = b, .x0 = x0});
    TimeStepping run(model, with(ZeroOrderHold{}, h));
    for (int k = 1; k <= 20; ++k) {
      ASSERT_TRUE(run.step());
      const double t = run.state().t;
      // The exponential is good to some 16 eps |A h| (at most 12 here), |x| <= 4; errors of steps add.
      const double bound = k * 16.0 * kEps * 12.0 * 4.0;
      const Eigen::Vector2d exact = rest + spiral(t) * (x0 - rest);
      EXPECT_LE((run.state().x(plain) - exact).norm(), bound) << h;
      EXPECT_LE((run.state().x(massive) - exact).norm(), 8.0 * bound) << h;  // condition of M: 3
      EXPECT_LE((run.state().x(integrator) - (x0 + t * b)).norm(), bound * (1.0 + t)) << h;
    }
  }
}

TEST(ZeroOrderHold, SamplesItsInputWhereItIsTold) {
  // x' = t: x_n = h sum of t_{k+1}, or of t_k.
  for (const auto sample : {ZeroOrderHold::Sample::End, ZeroOrderHold::Sample::Start}) {
    NonSmoothDynamicalSystem model;
    const auto system = model.add(FirstOrderLinearSystem{.b = [](double t, VectorRef b) { b[0] = t; }, .x0 = {0.0}});
    TimeStepping run(model, with(ZeroOrderHold{.sample = sample}, 0.25));
    ASSERT_TRUE(run.advance_to(2.0));
    const double n = 8.0, exact = 0.0625 * n * (sample == ZeroOrderHold::Sample::End ? n + 1.0 : n - 1.0) / 2.0;
    EXPECT_NEAR(run.state().x(system)[0], exact, 16.0 * kEps * exact);
  }
}

TEST(ZeroOrderHold, IsExactBetweenSwitchesOfLaws) {
  // x' = x / 2 - sgn x from 1: x = 2 - e^(t/2) until 2 log 2, then 0. x' = -1 - x + lambda, 0 <= x ⟂ lambda >= 0 from
  // 1: x = 2 e^-t - 1 until log 2, then 0 with lambda = 1.
  NonSmoothDynamicalSystem model;
  const auto sliding = model.add(FirstOrderLinearSystem{.A = {{0.5}}, .x0 = {1.0}});
  const auto tank = model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .b = {-1.0}, .x0 = {1.0}});
  const FirstOrderLinearRelation unit{.C = {{1.0}}, .B = {{1.0}}};
  const auto relay = model.link(sliding, unit, RelayLaw{});
  const auto floor = model.link(tank, unit, ComplementarityLaw{});
  TimeStepping run(model, with(ZeroOrderHold{}, 0.13));
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(run.step());
    const State& s = run.state();
    const double bound = (k + 1) * 64.0 * kEps;
    EXPECT_NEAR(s.x(sliding)[0], std::max(0.0, 2.0 - std::exp(0.5 * s.t)), bound);
    EXPECT_NEAR(s.x(tank)[0], std::max(0.0, 2.0 * std::exp(-s.t) - 1.0), bound);
    if (s.t > 2.0 * std::log(2.0) + 0.13) {
      EXPECT_NEAR(s.lambda(relay)[0], 0.0, bound);
    }
    if (s.t > std::log(2.0) + 0.13) {
      EXPECT_NEAR(s.lambda(floor)[0], 1.0, bound / 0.13);
    }
  }
}

// x' = u with the sampled u = -k x(t_k) is x_{k+1} = (1 - k h) x_k, in whatever way the system is described.
TEST(Feedback, IsSampledAtTheStartOfTheStep) {
  constexpr double gain = 3.0, h = 0.1;
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> systems;
  const auto control = [&systems](std::size_t i) -> Feedback {
    return [&systems, i](const State& state, VectorRef u) { u = -gain * state.x(systems[i]); };
  };
  systems.push_back(model.add(FirstOrderLinearSystem{.x0 = {1.0}, .feedback = control(0)}));
  systems.push_back(model.add(FirstOrderSystem{.x0 = {1.0}, .feedback = control(1)}));
  systems.push_back(
      model.add(FirstOrderLinearSystem{.A = [](double, MatrixRef) {}, .x0 = {1.0}, .feedback = control(2)}));
  systems.push_back(model.add(FirstOrderLinearSystem{
      .A = Eigen::SparseMatrix<double>(40, 40), .x0 = Eigen::VectorXd::Ones(40), .feedback = control(3)}));
  systems.push_back(model.add(FirstOrderLinearSystem{.x0 = {1.0}, .feedback = control(4)}));
  // Mechanics: v' = u from v.
  std::vector<SystemHandle> bodies;
  const auto brake = [&bodies](std::size_t i) -> Feedback {
    return [&bodies, i](const State& state, VectorRef u) { u = -gain * state.v(bodies[i]); };
  };
  bodies.push_back(model.add(LagrangianLinearSystem{.q0 = {0.0}, .v0 = {1.0}, .feedback = brake(0)}));
  bodies.push_back(model.add(LagrangianLinearSystem{.mass = {{1.0, 0.0}, {0.0, 1.0}},
                                                    .damping = {{0.0, 1e-300}, {0.0, 0.0}},
                                                    .q0 = {0.0, 0.0},
                                                    .v0 = {1.0, 1.0},
                                                    .feedback = brake(1)}));
  bodies.push_back(model.add(LagrangianSystem{.q0 = {0.0}, .v0 = {1.0}, .feedback = brake(2)}));
  auto options = with(EulerMoreau{.theta = 1.0}, h);
  options.integrators = {{systems[4], ZeroOrderHold{}}};
  TimeStepping run(model, options);
  double expected = 1.0;
  for (int k = 0; k < 30; ++k) {
    const RunReport report = run.advance_to(run.state().t + h);
    ASSERT_TRUE(report) << report.message();
    expected *= 1.0 - gain * h;
    for (std::size_t i = 0; i < systems.size(); ++i)
      EXPECT_NEAR(run.state().x(systems[i])[0], expected, 16.0 * kEps) << i;
    for (std::size_t i = 0; i < bodies.size(); ++i)
      EXPECT_NEAR(run.state().v(bodies[i])[0], expected, 16.0 * kEps) << i;
  }
  EXPECT_NEAR(run.state().x(systems[3])[39], expected, 16.0 * kEps);
}

TEST(SeveralSchemes, EachSystemHasItsOwn) {
  // One step h of x' = -x + 1 from 3 under four schemes; a ball beside them falls under mechanics' default.
  const double h = 0.5;
  NonSmoothDynamicalSystem model;
  const FirstOrderLinearSystem decay{.A = {{-1.0}}, .b = {1.0}, .x0 = {3.0}};
  const auto implicit = model.add(decay), middle = model.add(decay), exact = model.add(decay),
             explicit_ = model.add(decay);
  const auto ball = model.add(LagrangianLinearSystem{.force = {-9.81}, .q0 = {0.0}, .v0 = {1.0}});
  const auto point = model.add(LagrangianLinearSystem{.force = {-9.81}, .q0 = {0.0}, .v0 = {1.0}});
  auto options = with(EulerMoreau{.theta = 1.0}, h);
  options.integrators = {{middle, EulerMoreau{.theta = 0.5}},
                         {exact, ZeroOrderHold{}},
                         {explicit_, EulerMoreau{.theta = 0.0}},
                         {point, MoreauJean{.theta = 1.0}}};
  TimeStepping run(model, options);
  ASSERT_TRUE(run.step());
  const State& s = run.state();
  EXPECT_NEAR(s.x(implicit)[0], 3.0 - 2.0 * h / (1.0 + h), 16.0 * kEps);
  EXPECT_NEAR(s.x(middle)[0], 3.0 - 2.0 * h / (1.0 + 0.5 * h), 16.0 * kEps);
  EXPECT_NEAR(s.x(exact)[0], 1.0 + 2.0 * std::exp(-h), 16.0 * kEps);
  EXPECT_NEAR(s.x(explicit_)[0], 3.0 - 2.0 * h, 16.0 * kEps);
  EXPECT_NEAR(s.q(ball)[0], h - 0.5 * 9.81 * h * h, 16.0 * kEps);
  EXPECT_NEAR(s.q(point)[0], h - 9.81 * h * h, 16.0 * kEps);
}

}  // namespace
}  // namespace nonsmooth::first_order_systems_test
