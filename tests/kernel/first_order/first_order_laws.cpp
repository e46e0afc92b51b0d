// SPDX-License-Identifier: Apache-2.0
// Laws of first-order interactions against closed forms and against each other.
#include <algorithm>

#include <problems/reference.hpp>

#include "first_order.hpp"

namespace nonsmooth::first_order_laws_test {
namespace {

using namespace first_order;

using Matrix = Eigen::MatrixXd;

TEST(ComplementarityLaw, BothShifts) {
  // y = R lambda - V: 0 <= R lambda - V + s ⟂ lambda + l >= 0 is lambda = max(-l, (V - s) / R).
  const double R = 4.0, h = 0.1;
  const auto V = [](double t) { return 5.0 * std::sin(t); };
  for (const auto& [drop, leak] :
       {std::pair{0.0, 0.0}, std::pair{0.7, 0.0}, std::pair{0.0, 0.3}, std::pair{-0.4, 0.2}, std::pair{0.6, -0.5}}) {
    const auto lambda = static_multipliers(
        Matrix{{R}}, [&](double t, VectorRef e) { e[0] = -V(t); },
        ComplementarityLaw{.y_shift = drop, .lambda_shift = leak}, h, 70);
    for (int k = 0; k < 70; ++k)
      EXPECT_NEAR(lambda[static_cast<std::size_t>(k)][0], std::max(-leak, (V(h * (k + 1)) - drop) / R),
                  16.0 * kEps * 5.0);
  }
}

// Twisting, x1' = x2, x2' in -2 Sgn(x1) - Sgn(x2): it rests at the origin, where the problem's data are the round-off
// of the state and the multipliers, 2 s1 + s2 = 0, are of the size of their bounds.
TEST(RelayLaw, TwistingRests) {
  for (const double theta : {0.5, 0.6, 0.75, 1.0})
    for (const double h : {0.1, 0.037, 0.01, 0.003}) {
      NonSmoothDynamicalSystem model;
      const auto body = model.add(FirstOrderLinearSystem{.A = {{0.0, 1.0}, {0.0, 0.0}}, .x0 = {1.0, 0.0}});
      const auto relays = model.link(
          body, FirstOrderLinearRelation{.C = Matrix::Identity(2, 2), .B = {{0.0, 0.0}, {2.0, 1.0}}}, RelayLaw{});
      TimeStepping run(model, with(EulerMoreau{.theta = theta}, h));
      for (int k = 0; k * h < 12.0; ++k) {
        const StepReport report = run.step();
        ASSERT_TRUE(report) << "theta " << theta << ", h " << h << ": " << report.message();
      }
      // Times between turns shrink by (k1 - k2) / (k1 + k2) = 1/3: at rest before t = 6. Then steps keep within h of 0.
      EXPECT_LE(run.state().x(body).norm(), 4.0 * h) << theta << ' ' << h;
      EXPECT_LE(run.state().lambda(relays).cwiseAbs().maxCoeff(), 1.0);
    }
}

TEST(NormalConeLaw, UnitSquareIsTheRelay) {
  // A plant of three states under two relays that its matrices couple; sliding on one, on both, and switching.
  const FirstOrderLinearSystem plant{.A = {{0.1, 1.0, 0.0}, {-2.0, 0.1, 1.0}, {0.0, -1.0, -0.2}},
                                     .x0 = {1.0, -2.0, 0.5}};
  const FirstOrderLinearRelation relation{.C = {{1.0, 0.3, 0.0}, {0.0, 1.0, 1.0}},
                                          .D = {{0.02, 0.01}, {-0.01, 0.0}},
                                          .B = {{1.0, 0.0}, {0.2, 1.0}, {0.0, 1.0}}};
  NonSmoothDynamicalSystem model;
  const auto first = model.add(plant), second = model.add(plant);
  const auto relay = model.link(first, relation, RelayLaw{});
  const auto cone = model.link(
      second, relation,
      NormalConeLaw{.A = Matrix{{1.0, 0.0}, {-1.0, 0.0}, {0.0, 1.0}, {0.0, -1.0}}, .b = Eigen::VectorXd::Ones(4)});
  TimeStepping run(model, with(EulerMoreau{.theta = 0.5}, 0.01));
  Index inside = 0;
  for (int k = 0; k < 600; ++k) {
    const StepReport report = run.step();
    ASSERT_TRUE(report) << report.message();
    const State& s = run.state();
    // Two pivoted problems of the same step: a few hundred roundings of states of size 3 in 600 steps.
    ASSERT_LE((s.x(first) - s.x(second)).norm(), 1e-10) << s.t;
    ASSERT_LE((s.lambda(relay) - s.lambda(cone)).norm(), 1e-8) << s.t;
    if (std::abs(s.lambda(relay)[0]) < 0.999) ++inside;
  }
  EXPECT_GT(inside, 10);  // it did slide
}

Eigen::Vector2d onto_segment(const Eigen::Vector2d& p, const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
  return a + std::clamp((p - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0) * (b - a);
}

TEST(NormalConeLaw, TriangleIsItsProjection) {
  // y = lambda - p: lambda = P_K(p), K the triangle of (0, 0), (1, 0), (0, 1): p itself, or the nearest of three edges.
  const NormalConeLaw triangle{.A = Matrix{{-1.0, 0.0}, {0.0, -1.0}, {1.0, 1.0}}, .b = Eigen::Vector3d(0.0, 0.0, 1.0)};
  const auto p = [](double t) { return Eigen::Vector2d{0.4 + 1.3 * std::cos(t), 0.3 + 1.1 * std::sin(2.0 * t)}; };
  const double h = 0.05;
  const auto lambda = static_multipliers(
      Matrix::Identity(2, 2), [&](double t, VectorRef e) { e = -p(t); }, triangle, h, 130);
  int interior = 0;
  for (int k = 0; k < 130; ++k) {
    const Eigen::Vector2d point = p(h * (k + 1)), o(0.0, 0.0), x(1.0, 0.0), y(0.0, 1.0);
    Eigen::Vector2d expected = point;
    if (point.minCoeff() < 0.0 || point.sum() > 1.0) {
      expected = onto_segment(point, o, x);
      for (const Eigen::Vector2d& other : {onto_segment(point, x, y), onto_segment(point, y, o)})
        if ((other - point).norm() < (expected - point).norm()) expected = other;
    } else {
      ++interior;
    }
    EXPECT_LE((lambda[static_cast<std::size_t>(k)] - expected).norm(), 64.0 * kEps) << k;
  }
  EXPECT_GT(interior, 5);
}

TEST(NormalConeLaw, DifferentialVariationalInequalityHoldsAtTheEndOfEachStep) {
  // x' = f + B u, u in SOL(K, G x + F u), K a triangle: y^T (v - u) >= 0 at its vertices v, y = G x + F u.
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderSystem{
      .f = [](double t, ConstVectorRef x, VectorRef f) { f = Eigen::Vector2d(std::sin(2.0 * t), 1.0 - x[0] * x[0]); },
      .x0 = {1.0, 0.5}});
  const Eigen::Matrix2d F{{0.5, 0.3}, {-0.3, 0.2}}, B{{1.0, 0.2}, {0.0, 1.5}};
  const auto link =
      model.link(system, FirstOrderLinearRelation{.C = Eigen::Matrix2d::Identity(), .D = F, .B = B},
                 NormalConeLaw{.A = Matrix{{-1.0, -1.0}, {2.0, -1.0}, {-1.0, 2.0}}, .b = Eigen::Vector3d::Ones()});
  TimeStepping run(model, with(EulerMoreau{.theta = 1.0}, 0.01));
  const std::vector<Eigen::Vector2d> vertices = {{1.0, 1.0}, {0.0, -1.0}, {-1.0, 0.0}};
  for (int k = 0; k < 500; ++k) {
    const Eigen::Vector2d x = run.state().x(system);
    const StepReport report = run.step();
    ASSERT_TRUE(report) << report.message();
    const State& s = run.state();
    const Eigen::Vector2d u = s.lambda(link), y = s.y(link), after = s.x(system);
    for (const Eigen::Vector2d& v : vertices) ASSERT_GE(y.dot(v - u), -1e-9);  // Newton's tolerance of |y| <= 4
    const Eigen::Vector2d f(std::sin(2.0 * s.t), 1.0 - after[0] * after[0]);
    ASSERT_LE((after - x - 0.01 * (f + B * u)).norm(), 1e-9 * (1.0 + after.norm()));
  }
}

TEST(MixedComplementarityLaw, IsAnEqualityAndAComplementarityLaw) {
  // An equality that keeps x_0 + x_1 at sin t through its multiplier, and a floor under x_2.
  const FirstOrderLinearSystem plant{.A = {{-1.0, 0.5, 0.2}, {0.0, -0.5, 0.3}, {1.0, 1.0, -1.0}},
                                     .b = [](double t, VectorRef b) { b[2] = -4.0 * std::cos(3.0 * t); },
                                     .x0 = {0.0, 0.0, 1.0}};
  const auto e = [](double t, VectorRef value) { value[0] = -std::sin(t); };
  NonSmoothDynamicalSystem model;
  const auto first = model.add(plant), second = model.add(plant);
  const auto both =
      model.link(first,
                 FirstOrderLinearRelation{
                     .C = {{1.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, .B = {{1.0, 0.0}, {0.5, 0.0}, {0.0, 1.0}}, .e = e},
                 MixedComplementarityLaw{.equalities = 1, .inequalities = 1});
  const auto equality = model.link(
      second, FirstOrderLinearRelation{.C = {{1.0, 1.0, 0.0}}, .B = {{1.0}, {0.5}, {0.0}}, .e = e}, EqualityLaw{});
  const auto floor = model.link(second, FirstOrderLinearRelation{.C = {{0.0, 0.0, 1.0}}, .B = {{0.0}, {0.0}, {1.0}}},
                                ComplementarityLaw{});
  TimeStepping run(model, with(EulerMoreau{.theta = 1.0}, 0.01));
  bool closed = false;
  for (int k = 0; k < 400; ++k) {
    ASSERT_TRUE(run.step());
    const State& s = run.state();
    ASSERT_LE((s.x(first) - s.x(second)).norm(), 1e-11);
    ASSERT_NEAR(s.lambda(both)[0], s.lambda(equality)[0], 1e-8);
    ASSERT_NEAR(s.lambda(both)[1], s.lambda(floor)[0], 1e-8);
    ASSERT_NEAR(s.x(first)[0] + s.x(first)[1], std::sin(s.t), 1e-12);
    ASSERT_GE(s.x(first)[2], -1e-12);
    closed = closed || s.lambda(floor)[0] > 0.1;
  }
  EXPECT_TRUE(closed);
}

// Oscillator with an element between: x1' = x2, x2' = -w^2 x1 - R x2 - lambda, and y = -x2 + D lambda.
struct ElementRun {
  std::vector<Eigen::Vector2d> x;
  std::vector<double> lambda;
};
ElementRun run_element(const Law& law, double D, double sign) {
  NonSmoothDynamicalSystem model;
  const auto circuit = model.add(
      FirstOrderLinearSystem{.A = {{0.0, 1.0}, {-39.478417604357434, -0.1}}, .x0 = {1.0, 1.0}, .name = "circuit"});
  const auto link =
      model.link(circuit, FirstOrderLinearRelation{.C = {{0.0, -sign}}, .D = {{D}}, .B = {{0.0}, {-sign}}}, law);
  TimeStepping run(model, with(EulerMoreau{.theta = 1.0}, 2e-3));
  ElementRun result;
  for (int k = 0; k < 1000; ++k) {
    const StepReport report = run.step();
    EXPECT_TRUE(report) << report.message();
    result.x.emplace_back(run.state().x(circuit));
    result.lambda.push_back(run.state().lambda(link)[0]);
  }
  return result;
}

TEST(PiecewiseLinearLaw, IsTheLawsThatItGeneralises) {
  struct Pair {
    const char* name;
    Law graph, law;
    double D_graph, D_law, sign;
  };
  const double V = 20.0, r = 3.0, drop = 0.7;
  const std::vector<Pair> pairs = {
      {"ideal diode", PiecewiseLinearLaw{.points = {{0.0, 0.0}}, .slope_before = kInfinity}, ComplementarityLaw{}, 0.0,
       0.0, 1.0},
      {"Zener diode",
       PiecewiseLinearLaw{.points = {{0.0, 0.0}, {V, 0.0}}, .slope_before = kInfinity, .slope_after = kInfinity},
       RelayLaw{0.0, V}, 0.0, 0.0, -1.0},
      {"resistance", PiecewiseLinearLaw{.points = {{0.0, 0.0}}, .slope_before = kInfinity, .slope_after = r},
       ComplementarityLaw{}, 0.1, 0.1 + r, 1.0},
      {"drop", PiecewiseLinearLaw{.points = {{0.0, drop}}, .slope_before = kInfinity, .slope_after = r},
       ComplementarityLaw{.y_shift = drop}, 0.0, r, 1.0},
      {"two-sided relay",
       PiecewiseLinearLaw{.points = {{-2.0, 0.0}, {1.0, 0.0}}, .slope_before = kInfinity, .slope_after = kInfinity},
       RelayLaw{-2.0, 1.0}, 0.0, 0.0, 1.0},
      {"straight line", PiecewiseLinearLaw{.points = {{0.0, 0.0}}, .slope_before = r, .slope_after = r}, EqualityLaw{},
       0.0, r, 1.0}};
  for (const Pair& pair : pairs) {
    const ElementRun graph = run_element(pair.graph, pair.D_graph, pair.sign),
                     law = run_element(pair.law, pair.D_law, pair.sign);
    double difference = 0.0, of_multipliers = 0.0, largest = 0.0;
    for (std::size_t k = 0; k < graph.x.size(); ++k) {
      difference = std::max(difference, (graph.x[k] - law.x[k]).norm());
      of_multipliers = std::max(of_multipliers, std::abs(graph.lambda[k] - law.lambda[k]));
      largest = std::max(largest, std::abs(law.lambda[k]));
    }
    // Pivoted answers of a problem and of one with more unknowns: roundings of 1000 steps of |x| <= 7 that do not grow;
    // multipliers are those over the step's h.
    EXPECT_LE(difference, 1e-11) << pair.name;
    EXPECT_LE(of_multipliers, 1e-8) << pair.name;
    EXPECT_GT(largest, 0.4) << pair.name;
  }
}

TEST(PiecewiseLinearLaw, SaturatingAmplifierAndGraphOfSixPieces) {
  const double D = 0.5, a = 2.0, h = 0.05;
  const auto p = [](double t) { return 9.0 * std::sin(t) + 2.0 * std::cos(3.0 * t); };
  const auto run = [&](const PiecewiseLinearLaw& law) {
    return static_multipliers(
        Matrix{{D}}, [&](double t, VectorRef e) { e[0] = -p(t); }, law, h, 130);
  };
  const auto amplifier = run({.points = {{-1.0, -a}, {1.0, a}}, .slope_before = kInfinity, .slope_after = kInfinity});
  // p - D lambda = F(lambda). Slope 3 until (-2, -4), a step to (-2, -1), a flat to (0.5, -1), slope 2 to (1.5, 1), a
  // step to (1.5, 2), slope 0.25 after: the inverse of D lambda + F is continuous, piece by piece.
  const PiecewiseLinearLaw graph{.points = {{-2.0, -4.0}, {-2.0, -1.0}, {0.5, -1.0}, {1.5, 1.0}, {1.5, 2.0}},
                                 .slope_before = 3.0,
                                 .slope_after = 0.25};
  const auto six = run(graph);
  const auto left_of_steps = [](double l) {
    if (l < -2.0) return -4.0 + 3.0 * (l + 2.0);
    if (l < 0.5) return -1.0;
    if (l < 1.5) return -1.0 + 2.0 * (l - 0.5);
    return 2.0 + 0.25 * (l - 1.5);
  };
  for (int k = 0; k < 130; ++k) {
    const double load = p(h * (k + 1));
    EXPECT_NEAR(amplifier[static_cast<std::size_t>(k)][0], std::clamp(load / (a + D), -1.0, 1.0), 64.0 * kEps);
    const double expected =
        problems::root_between([&](double l) { return D * l + left_of_steps(l) - load; }, -50.0, 50.0);
    EXPECT_NEAR(six[static_cast<std::size_t>(k)][0], expected, 64.0 * kEps * 20.0);
  }
}

TEST(ShockleyLaw, BehindAResistorIsTheRootOfItsEquation) {
  // y = R i - V, i = i_s (exp(-y / v_T) - 1): with the voltage d = V - R i the root of R i_s (exp(d / v_T) - 1) + d =
  // V, which is increasing. From deep blocking to conduction and back, at the steps of a wave.
  struct Case {
    double saturation, thermal, R;
  };
  for (const Case& c : {Case{1e-12, 0.02585, 1e3}, Case{1e-9, 0.05, 10.0}, Case{1e-14, 0.02585, 0.1}}) {
    const double saturation = c.saturation, thermal = c.thermal, R = c.R;
    const auto V = [](double t) { return 12.0 * std::sin(t); };
    const double h = 0.25;
    NonSmoothDynamicalSystem model;
    const auto still = model.add(FirstOrderLinearSystem{.x0 = {0.0}});
    const auto diode =
        model.link(still,
                   FirstOrderLinearRelation{
                       .C = {{0.0}}, .D = {{R}}, .B = {{0.0}}, .e = [&](double t, VectorRef e) { e[0] = -V(t); }},
                   ShockleyLaw{.saturation = saturation, .thermal = thermal});
    TimeStepping run(model, with(EulerMoreau{.theta = 1.0}, h));
    for (int k = 0; k < 60; ++k) {
      const StepReport report = run.step();
      ASSERT_TRUE(report) << report.message() << " R = " << R;
      const double load = V(run.state().t);
      const double voltage = problems::root_between(
          [&](double d) { return R * saturation * std::expm1(std::min(d / thermal, 600.0)) + d - load; },
          std::min(load, 0.0) - 1.0, std::max(load, 0.0) + 1.0);
      // Newton's correction is below 1e-9 of 1 + i in the current, or of the voltage's line (100 V at most where it
      // blocks); it converges quadratically, so that what is left is far below.
      EXPECT_NEAR(-run.state().y(diode)[0], voltage, 1e-7) << "R = " << R << ", V = " << load;
      EXPECT_NEAR(run.state().lambda(diode)[0], (load - voltage) / R, 1e-8 + 1e-7 / R)
          << "R = " << R << ", V = " << load;
      EXPECT_LE(report.newton_iterations, 15);
    }
  }
}

TEST(ShockleyLaw, RectifierTendsToTheIdealOne) {
  // C x' = i - x / R behind a diode and R_s fed by V: y = x + R_s i - V. A diode's voltage of at most d shifts the
  // answer by at most d (comparison: the flow is monotone and order-preserving, implicit steps are too), and a leak of
  // i_s by i_s R. d = v_T log(1 + i_max / i_s), i_max = V_max / R_s.
  const double R = 100.0, Rs = 1.0, C = 1e-3, saturation = 1e-12, Vmax = 10.0, h = 2e-4;
  const auto run_with = [&](const Law& law) {
    NonSmoothDynamicalSystem model;
    const auto filter = model.add(FirstOrderLinearSystem{.A = {{-1.0 / (R * C)}}, .x0 = {0.0}});
    model.link(
        filter,
        FirstOrderLinearRelation{.C = {{1.0}},
                                 .D = {{Rs}},
                                 .B = {{1.0 / C}},
                                 .e = [=](double t, VectorRef e) { e[0] = -Vmax * std::sin(314.15926535897931 * t); }},
        law);
    TimeStepping run(model, with(EulerMoreau{.theta = 1.0}, h));
    std::vector<double> x;
    const RunReport report = run.advance_to(0.06, [&](const State& s) { x.push_back(s.x(filter)[0]); });
    EXPECT_TRUE(report) << report.message();
    return x;
  };
  const std::vector<double> ideal = run_with(ComplementarityLaw{});
  double before = 0.0;
  for (const double thermal : {0.02585, 0.002585, 0.0002585}) {
    const std::vector<double> real = run_with(ShockleyLaw{.saturation = saturation, .thermal = thermal});
    ASSERT_EQ(real.size(), ideal.size());
    double worst = 0.0;
    for (std::size_t k = 0; k < ideal.size(); ++k) worst = std::max(worst, std::abs(real[k] - ideal[k]));
    EXPECT_LE(worst, thermal * std::log1p(Vmax / Rs / saturation) + saturation * R + 1e-7);
    if (before > 0.0) {
      EXPECT_NEAR(worst / before, 0.1, 0.02);  // linear in v_T but for the logarithm's argument
    }
    before = worst;
  }
}

}  // namespace
}  // namespace nonsmooth::first_order_laws_test
