// SPDX-License-Identifier: Apache-2.0
// The first-order half of event-driven simulation: its modes, the instants between them, and states that jump.
#include "first_order_modes.hpp"

#include <Eigen/LU>

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::first_order_modes_test {
namespace {

using namespace first_order_modes;

// L = 1, C = 1/(2 pi)^2, x = (charge, current), R = 10 but in (c). The integration errs by some 1e-12 of each state a
// step (100 steps: 1e-10); events and values below are all of order 1 to 40.
constexpr double kW0 = 2.0 * kPi, kElastance = kW0 * kW0, kR = 10.0, kRate = kElastance / kR;
constexpr double kTolerance = 1e-9;

Circuit circuit_a() {
  return circuit(Eigen::Matrix2d{{-kRate, 1.0}, {-kElastance, 0.0}}, Eigen::Vector2d{1.0, -1.0},
                 {.C = {{kRate, -1.0}}, .D = {{1.0 / kR}}, .B = {{-1.0 / kR}, {-1.0}}, .e = {}}, ComplementarityLaw{});
}
Circuit circuit_b() {
  return circuit(Eigen::Matrix2d{{0.0, -1.0}, {kElastance, 0.0}}, Eigen::Vector2d{1.0, 1.0},
                 {.C = {{kElastance, 0.0}}, .D = {{kR}}, .B = {{1.0}, {0.0}}, .e = {}}, ComplementarityLaw{});
}
Circuit circuit_c() {
  return circuit(Eigen::Matrix2d{{0.0, 1.0}, {-kElastance, -0.1}}, Eigen::Vector2d{1.0, 0.0},
                 {.C = {{0.0, -1.0}}, .D = {}, .B = {{0.0}, {-1.0}}, .e = {}}, ComplementarityLaw{});
}
Circuit circuit_d(const Eigen::Vector2d& x0) {
  return circuit(Eigen::Matrix2d{{-kRate, 1.0}, {-kElastance, 0.0}}, x0,
                 {.C = {{0.0, 1.0}}, .D = {}, .B = {{0.0}, {1.0}}, .e = {}}, ComplementarityLaw{});
}

TEST(FirstOrderModes, DiodeAcrossResistor) {  // (a), relative degree 0
  const Circuit c = circuit_a();
  FirstOrderRun run(c.model);
  EXPECT_EQ(run.part.branches(), Branches{-1});
  run.advance_to(1.0);
  ASSERT_TRUE(run.ok) << run.resolution.detail;
  // Blocking, w = -x1': the switch is the first extremum of a damped oscillation.
  const double s = kRate / 2.0, wd = std::sqrt(kElastance - s * s), v0 = -1.0 - kRate;
  const double t1 = std::atan2(-v0 * wd, -(kElastance + s * v0)) / wd;
  const double x1 = std::exp(-s * t1) * (std::cos(wd * t1) + (v0 + s) / wd * std::sin(wd * t1));
  ASSERT_EQ(run.instants.size(), 1U);
  EXPECT_NEAR(run.instants[0], 0.39555783966, 1e-11);  // all digits of the reference
  EXPECT_NEAR(run.instants[0], t1, 1e-12);  // of a slope of 19, round-off and 1e-12 a step of the integration
  EXPECT_EQ(run.part.branches(), Branches{0});
  EXPECT_NEAR(run.z[0], x1, kTolerance);
  EXPECT_NEAR(run.z[1], x1 * kRate * std::exp(-kR * (1.0 - t1)), kTolerance);
  EXPECT_NEAR(run.lambda(c.link), -x1 * kElastance + kR * run.z[1], 40.0 * kTolerance);
}

TEST(FirstOrderModes, DiodeInSeriesWithResistor) {  // (b)
  const Circuit c = circuit_b();
  FirstOrderRun run(c.model);
  run.advance_to(3.0);
  ASSERT_TRUE(run.ok) << run.resolution.detail;
  const double s = kRate / 2.0, damped = kPi / std::sqrt(kElastance - s * s);
  std::vector<double> times = {std::atan(kW0) / kW0};
  while (times.size() < 6) times.push_back(times.back() + (times.size() % 2 == 1 ? damped : 0.5));
  ASSERT_EQ(run.instants.size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(run.instants[i], times[i], 1e-10) << i;
  ASSERT_EQ(run.log.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(run.log[i].kind, EventKind::Switch);
    EXPECT_EQ(run.log[i].interaction, c.link);
    EXPECT_EQ(run.log[i].value, i % 2 == 0 ? 0.0 : -1.0);
  }
}

TEST(FirstOrderModes, DiodeInSeriesWithInductor) {  // (c), relative degree 1
  const Circuit c = circuit_c();
  FirstOrderRun run(c.model);
  // x = (1, 0): w = 0, and w' = w0^2 > 0 without lambda. The instant is decided by the first derivative.
  EXPECT_EQ(run.part.branches(), Branches{-1});
  run.advance_to(2.0);
  ASSERT_TRUE(run.ok) << run.resolution.detail;
  const double t1 = kPi / std::sqrt(kElastance - 0.0025), x1 = -std::exp(-0.05 * t1);
  ASSERT_EQ(run.instants.size(), 1U);
  EXPECT_NEAR(run.instants[0], t1, 1e-12);
  EXPECT_NEAR(run.z[0], x1, kTolerance);
  EXPECT_EQ(run.z[1], 0.0);  // put there exactly, and its rate cancels
  EXPECT_NEAR(run.lambda(c.link), -x1 * kElastance, 40.0 * kTolerance);
}

TEST(FirstOrderModes, ReverseCurrentJumps) {  // (d), x2(0) = -1 < 0
  const Circuit c = circuit_d({1.0, -1.0});
  FirstOrderRun run(c.model);
  ASSERT_TRUE(run.ok) << run.resolution.detail;
  EXPECT_EQ(run.z[0], 1.0);
  EXPECT_EQ(run.z[1], 0.0);
  ASSERT_EQ(run.log.size(), 1U);
  EXPECT_EQ(run.log[0].kind, EventKind::Jump);
  EXPECT_EQ(run.log[0].value, 1.0);  // L (0 - (-1)); L = 1
  EXPECT_EQ(run.part.branches(), Branches{0});
  EXPECT_NEAR(run.lambda(c.link), kElastance, 1e-12 * kElastance);
  run.advance_to(1.0);
  ASSERT_TRUE(run.ok);
  EXPECT_EQ(run.events, 0);
  EXPECT_NEAR(run.z[0], std::exp(-kRate), kTolerance);
}

TEST(FirstOrderModes, DiodeInParallelWithInductor) {  // (d), with an event
  const Circuit c = circuit_d({-1.0, 0.0});
  FirstOrderRun run(c.model);
  EXPECT_EQ(run.part.branches(), Branches{-1});
  EXPECT_TRUE(run.log.empty());
  run.advance_to(1.0);
  const double s = kRate / 2.0, t1 = kPi / std::sqrt(kElastance - s * s);
  ASSERT_EQ(run.instants.size(), 1U);
  EXPECT_NEAR(run.instants[0], t1, 1e-12);
  EXPECT_NEAR(run.z[0], std::exp(-s * t1 - kRate * (1.0 - t1)), kTolerance);
}

/// Series RLC and a Zener diode: x2 > 0 takes v = 0, x2 < 0 takes V, x2 = 0 anything between.
class Zener : public testing::TestWithParam<bool> {};

TEST_P(Zener, HoldsTheCurrent) {
  struct Case {
    double V;
    int half_cycles;
  };
  for (const Case& test : {Case{5.0, 7}, Case{10.0, 3}, Case{20.0, 1}, Case{30.0, 1}}) {
    SCOPED_TRACE(test.V);
    Law law = RelayLaw{.lower = 0.0, .upper = test.V};
    if (GetParam()) {
      law = PiecewiseLinearLaw{
          .points = {{0.0, 0.0}, {test.V, 0.0}}, .slope_before = kInfinity, .slope_after = kInfinity};
    }
    const Circuit c = circuit(Eigen::Matrix2d{{0.0, 1.0}, {-kElastance, -0.1}}, Eigen::Vector2d{1.0, 1.0},
                              {.C = {{0.0, 1.0}}, .D = {}, .B = {{0.0}, {1.0}}, .e = {}}, law);
    FirstOrderRun run(c.model);
    run.advance_to(4.0);
    ASSERT_TRUE(run.ok) << run.resolution.detail;
    // With v = 0 the first turning point, then half cycles about 0 (x2 > 0) or C V (x2 < 0) until |x1 / C| <= V.
    const double wd = std::sqrt(kElastance - 0.0025), half = kPi / wd, d = std::exp(-0.05 * half);
    double X = 1.01256496845, t1 = 0.02508837716;
    ASSERT_EQ(run.instants.size(), static_cast<std::size_t>(test.half_cycles) + 1);
    for (int k = 0; k < test.half_cycles; ++k) {
      EXPECT_NEAR(run.instants[static_cast<std::size_t>(k)], t1 + k * half, 1e-10) << k;
      const double centre = X > 0.0 ? test.V / kElastance : 0.0;
      X = centre - d * (X - centre);
    }
    EXPECT_NEAR(run.instants.back(), t1 + test.half_cycles * half, 1e-10);  // digits of the reference
    EXPECT_NEAR(run.z[0], X, 1e-9);
    EXPECT_EQ(run.z[1], 0.0);
    EXPECT_NEAR(run.lambda(c.link), X * kElastance, 1e-7);
  }
}
// GetParam(): as a piecewise linear law, whose vertical ends are rows of their own.
INSTANTIATE_TEST_SUITE_P(Forms, Zener, testing::Bool(),
                         [](const auto& graph) { return std::string(graph.param ? "Graph" : "Relay"); });

TEST(FirstOrderModes, RelayStopsAtZero) {
  const Circuit c = circuit(Eigen::MatrixXd::Zero(1, 1), Eigen::VectorXd::Constant(1, 0.75),
                            {.C = {{1.0}}, .D = {}, .B = {{1.0}}, .e = {}}, RelayLaw{});
  FirstOrderRun run(c.model);
  EXPECT_EQ(run.part.branches(), Branches{-1});
  run.advance_to(2.0);
  ASSERT_EQ(run.instants.size(), 1U);
  EXPECT_NEAR(run.instants[0], 0.75, 4.0 * kEps);
  EXPECT_EQ(run.z[0], 0.0);
  EXPECT_EQ(run.part.branches(), Branches{0});
}

TEST(FirstOrderModes, FilippovSpiralKeepsItsModes) {
  // x1' = -s1 + 2 s2, x2' = -2 s1 - s2: |x1| + |x2| falls at the rate 2, turn after turn.
  const auto spiral = [](const Eigen::Vector2d& x0) {
    return circuit(Eigen::Matrix2d::Zero(), x0,
                   {.C = Eigen::Matrix2d::Identity(), .D = {}, .B = Eigen::Matrix2d{{1.0, -2.0}, {2.0, 1.0}}, .e = {}},
                   RelayLaw{});
  };
  const Circuit c = spiral({1.0, 0.5});
  FirstOrderRun run(c.model);
  run.advance_to(0.74);
  ASSERT_TRUE(run.ok) << run.resolution.detail;
  EXPECT_NEAR(std::abs(run.z[0]) + std::abs(run.z[1]), 1.5 - 2.0 * 0.74, 1e-12);
  // From (1, 0.5) both fall: s = (1, 1) gives x' = (1, -3).
  ASSERT_GE(run.instants.size(), 3U);
  EXPECT_NEAR(run.instants[0], 0.5 / 3.0, 1e-14);
  const Circuit at_rest = spiral({0.0, 0.0});
  const FirstOrderRun rest(at_rest.model);
  EXPECT_EQ(rest.part.branches(), (Branches{0, 0}));
}

TEST(FirstOrderModes, TwoRelaysSlideTogether) {
  // x' = (0.5, -0.25) - [2 1; 1 2] s: both reach zero and slide with s = [2 1; 1 2]^-1 (0.5, -0.25).
  const Eigen::Matrix2d W{{2.0, 1.0}, {1.0, 2.0}};
  const Eigen::Vector2d b{0.5, -0.25};
  const Circuit c = circuit(Eigen::Matrix2d::Zero(), Eigen::Vector2d{0.4, 1.0},
                            {.C = Eigen::Matrix2d::Identity(), .D = {}, .B = W, .e = {}}, RelayLaw{}, b);
  FirstOrderRun run(c.model);
  run.advance_to(5.0);
  ASSERT_TRUE(run.ok) << run.resolution.detail;
  // First x1 at rate -2.5; then s1 = (0.5 - 1) / 2 keeps it there and x2' = -0.25 - s1 - 2 = -2.
  ASSERT_EQ(run.instants.size(), 2U);
  EXPECT_NEAR(run.instants[0], 0.16, 1e-14);
  EXPECT_NEAR(run.instants[1], 0.16 + (1.0 - 0.16 * 3.25) / 2.0, 1e-14);
  EXPECT_EQ(run.part.branches(), (Branches{0, 0}));
  EXPECT_EQ(run.z.lpNorm<Eigen::Infinity>(), 0.0);
  const Eigen::Vector2d s = -W.inverse() * b;  // lambda = -s
  EXPECT_NEAR(run.lambda(c.link, 0), s[0], 1e-14);
  EXPECT_NEAR(run.lambda(c.link, 1), s[1], 1e-14);
}

TEST(FirstOrderModes, RelativeDegreeTwoIsRefused) {
  // x1' = x2, x2' = lambda, 0 <= x1: an obstacle at the level of positions.
  const Circuit c = circuit(Eigen::Matrix2d{{0.0, 1.0}, {0.0, 0.0}}, Eigen::Vector2d{1.0, -1.0},
                            {.C = {{1.0, 0.0}}, .D = {}, .B = {{0.0}, {1.0}}, .e = {}}, ComplementarityLaw{});
  FirstOrderRun run(c.model);
  ASSERT_TRUE(run.ok);
  run.advance_to(2.0);
  EXPECT_NEAR(run.t, 1.0, 1e-13);
  EXPECT_EQ(run.resolution.outcome, Resolution::Outcome::NoMode);
  EXPECT_NE(run.resolution.detail.find("diode"), std::string::npos) << run.resolution.detail;
  EXPECT_NE(run.resolution.detail.find("relative degree 2"), std::string::npos) << run.resolution.detail;
}

TEST(FirstOrderModes, NoBranchIsNamed) {
  // y = -1 - lambda, lambda >= 0: neither sign of the law can hold.
  const Circuit c = circuit(Eigen::MatrixXd::Zero(1, 1), Eigen::VectorXd::Zero(1),
                            {.C = {{0.0}}, .D = {{-1.0}}, .B = {{0.0}}, .e = {-1.0}}, ComplementarityLaw{});
  const FirstOrderRun run(c.model);
  EXPECT_EQ(run.resolution.outcome, Resolution::Outcome::NoMode);
  EXPECT_NE(run.resolution.detail.find("diode"), std::string::npos) << run.resolution.detail;
}

TEST(FirstOrderModes, AContradictionIsNamed) {
  // 0 = 1 in two equality rows of the same current.
  const Circuit c = circuit(Eigen::MatrixXd::Zero(1, 1), Eigen::VectorXd::Zero(1),
                            {.C = {{1.0}, {1.0}}, .D = {}, .B = {{1.0, 1.0}}, .e = {0.0, -1.0}}, EqualityLaw{});
  const FirstOrderRun run(c.model);
  EXPECT_EQ(run.resolution.outcome, Resolution::Outcome::NoMode);
  EXPECT_NE(run.resolution.detail.find("diode"), std::string::npos) << run.resolution.detail;
}

TEST(FirstOrderModes, DegenerateInstantsAreDecidedByTheNextDerivative) {
  // 0 <= lambda ⟂ lambda + x1 >= 0 with x1 = a t^k / k!: at t = 0 value and k - 1 derivatives vanish.
  for (int k = 1; k <= 3; ++k) {
    for (const double a : {1.0, -1.0}) {
      SCOPED_TRACE(std::to_string(k) + ", a = " + std::to_string(a));
      Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3, 3);
      A(0, 1) = A(1, 2) = 1.0;
      Eigen::VectorXd x0 = Eigen::VectorXd::Zero(3), b = Eigen::VectorXd::Zero(3);
      if (k == 3) {
        b[2] = a;
      } else {
        x0[k] = a;
      }
      const Circuit c =
          circuit(A, x0, {.C = {{1.0, 0.0, 0.0}}, .D = {{1.0}}, .B = Eigen::MatrixXd::Zero(3, 1), .e = {}},
                  ComplementarityLaw{}, b);
      FirstOrderRun run(c.model);
      EXPECT_EQ(run.part.branches(), Branches{static_cast<signed char>(a > 0.0 ? -1 : 0)});
      run.advance_to(1.0);
      EXPECT_EQ(run.events, 0);  // the zero at the start is not found again
      const double x = a / (k == 1 ? 1.0 : k == 2 ? 2.0 : 6.0);
      EXPECT_NEAR(run.lambda(c.link), std::max(0.0, -x), 1e-12);
    }
  }
}

TEST(FirstOrderModes, NonlinearSystems) {
  // x' = -x^3 + lambda in the units of a mass 2, x >= -1/2 kept by lambda: from 1, pushed by -1.
  NonSmoothDynamicalSystem model;
  const auto system =
      model.add(FirstOrderSystem{.mass = {{2.0}},
                                 .f = [](double, ConstVectorRef x, VectorRef f) { f[0] = -std::pow(x[0], 3) - 1.0; },
                                 .x0 = {1.0}});
  const auto link = model.link(system, FirstOrderLinearRelation{.C = {{1.0}}, .D = {}, .B = {{1.0}}, .e = {0.5}},
                               ComplementarityLaw{});
  FirstOrderRun run(model);
  EXPECT_EQ(run.part.branches(), Branches{-1});
  run.advance_to(10.0);
  ASSERT_TRUE(run.ok) << run.resolution.detail;
  // t = 2 integral of dx / (1 + x^3) over [-1/2, 1].
  const auto primitive = [](double x) {
    return std::log(std::abs(1.0 + x)) / 3.0 - std::log(x * x - x + 1.0) / 6.0 +
           std::atan((2.0 * x - 1.0) / std::sqrt(3.0)) / std::sqrt(3.0);
  };
  ASSERT_EQ(run.instants.size(), 1U);
  EXPECT_NEAR(run.instants[0], 2.0 * (primitive(1.0) - primitive(-0.5)), 1e-11);
  EXPECT_EQ(run.z[0], -0.5);
  EXPECT_NEAR(run.lambda(link), 0.875, 1e-15);
}

template <class Make>
std::string refusal(Make&& make) {
  try {
    const NonSmoothDynamicalSystem model = make();
    const FirstOrderPart part(model, EventDrivenOptions{});
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

class HalfSpace final : public NonSmoothLaw {
 public:
  [[nodiscard]] LawShape shape(LawUse) const override { return {.varies = LawVaries::Step}; }
  void block(const LawContext&, LawBlock& block) const override { block.parts = {{BlockSet{}, 1}}; }
};

TEST(FirstOrderModes, WhatIsNotKnownIsRefusedByName) {
  const auto with = [](FirstOrderLinearSystem system, Law law) {
    NonSmoothDynamicalSystem model;
    const auto handle = model.add(std::move(system));
    (void)model.link(handle, FirstOrderLinearRelation{.C = {{1.0}}, .D = {}, .B = {{1.0}}, .e = {}}, std::move(law),
                     "the link");
    return model;
  };
  const FirstOrderLinearSystem plain{.x0 = {1.0}, .name = "the plant"};
  EXPECT_EQ(refusal([&] { return with(plain, ComplementarityLaw{}); }), "");
  const std::string shockley = refusal([&] { return with(plain, ShockleyLaw{}); });
  EXPECT_NE(shockley.find("ShockleyLaw on the link"), std::string::npos) << shockley;
  const std::string custom = refusal([&] { return with(plain, std::make_shared<const HalfSpace>()); });
  EXPECT_NE(custom.find("NonSmoothLaw on the link"), std::string::npos) << custom;
  FirstOrderLinearSystem fed = plain;
  fed.feedback = [](const State&, VectorRef) {};
  const std::string feedback = refusal([&] { return with(fed, ComplementarityLaw{}); });
  EXPECT_NE(feedback.find("Feedback on the plant"), std::string::npos) << feedback;
  const std::string nonlinear = refusal([&] {
    NonSmoothDynamicalSystem model;
    const auto handle = model.add(plain);
    (void)model.link(
        handle,
        FirstOrderRelation{.h = [](double, ConstVectorRef x, ConstVectorRef, VectorRef y) { y[0] = x[0]; },
                           .g = [](double, ConstVectorRef, ConstVectorRef lambda, VectorRef r) { r[0] = lambda[0]; }},
        ComplementarityLaw{}, "the link");
    return model;
  });
  EXPECT_NE(nonlinear.find("FirstOrderRelation on the link"), std::string::npos) << nonlinear;
  const std::string sweeping = refusal([&] {
    NonSmoothDynamicalSystem model;
    (void)model.add(SweepingProcess{.project = [](double, VectorRef) {}, .f = {}, .x0 = {0.0}, .name = "the point"});
    return model;
  });
  EXPECT_NE(sweeping.find("the point"), std::string::npos) << sweeping;
}

}  // namespace
}  // namespace nonsmooth::first_order_modes_test
