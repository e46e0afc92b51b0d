// SPDX-License-Identifier: Apache-2.0
// What a simulation notices while it runs: multipliers that are impulses, energy from nowhere, several answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <stdexcept>

#include <nonsmooth/kernel.hpp>
#include <problems/models.hpp>

namespace nonsmooth::run_remarks_test {
namespace {

TimeSteppingOptions watched(const Integrator& scheme, double h) {
  TimeSteppingOptions options;
  options.integrator = scheme;
  options.step = h;
  return options;
}

std::optional<RunRemark> remark_of(const RunRemarks& remarks, RunRemark::Kind kind) {
  for (const RunRemark& remark : remarks) {
    if (remark.kind == kind) return remark;
  }
  return {};
}

/// Two capacitors of 1 F, at 10 V and 0 V, that leak 0.1 A/V; a switch that is closed makes their voltages one.
struct CapacitorLoop {
  NonSmoothDynamicalSystem model;
  SystemHandle first = model.add(FirstOrderLinearSystem{.A = {{-0.1}}, .x0 = {10.0}});
  SystemHandle second = model.add(FirstOrderLinearSystem{.A = {{-0.1}}, .x0 = {0.0}});

  void close(NonSmoothDynamicalSystem& open) const {
    open.link({first, second}, FirstOrderLinearRelation{.C = {{1.0, -1.0}}, .B = {{-1.0}, {1.0}}}, EqualityLaw{},
              "switch");
  }
};

// Half of 10 V goes over at once: h lambda = 5 C but for what leaks in the step, 0.1 h of it.
TEST(RunRemarks, ImpulseThatClosesACapacitorLoop) {
  for (const double theta : {0.5, 1.0}) {
    for (const double h : {1e-2, 1e-3, 1e-4}) {
      CapacitorLoop loop;
      loop.close(loop.model);
      TimeStepping simulation(loop.model, watched(EulerMoreau{.theta = theta}, h));
      const RunReport report = simulation.advance_to(50.0 * h);
      ASSERT_TRUE(report);
      ASSERT_EQ(report.findings.size(), 1u) << theta << ' ' << h;
      const RunRemark& remark = report.findings[0];
      EXPECT_EQ(remark.kind, RunRemark::Kind::ImpulsiveMultiplier);
      EXPECT_EQ(remark.subject, "row 0 of switch");
      EXPECT_EQ(remark.count, 1);
      EXPECT_NEAR(remark.first_t, h, 1e-15);
      EXPECT_NEAR(remark.worst, 5.0, 5.0 * 0.1 * h);
      EXPECT_NE(report.message().find("row 0 of switch: a multiplier of size 1/h in 1 steps"), std::string::npos)
          << report.message();
    }
  }
}

// The same while it runs: the loop is closed by an edit, and what was found before is kept.
TEST(RunRemarks, ImpulseAfterAnEdit) {
  const CapacitorLoop loop;
  TimeStepping simulation(loop.model, watched(EulerMoreau{.theta = 1.0}, 1e-3));
  ASSERT_TRUE(simulation.advance_to(0.5));
  EXPECT_TRUE(simulation.findings().empty());
  simulation.edit([&](NonSmoothDynamicalSystem& model) { loop.close(model); });
  ASSERT_TRUE(simulation.advance_to(0.6));
  ASSERT_EQ(simulation.findings().size(), 1u);
  EXPECT_NEAR(simulation.findings()[0].first_t, 0.501, 1e-12);
  EXPECT_NEAR(simulation.findings()[0].worst, 5.0 * std::exp(-0.05), 1e-3);
}

// A ball in first order, theta = 1: relative degree 2, v = sqrt(2 g) is taken in the step in which it lands from 1 m,
// at 0.4515 s. While it falls and while it rests its multiplier is a force.
TEST(RunRemarks, ImpulseOfRelativeDegreeTwo) {
  for (const double h : {1e-2, 3e-3, 1e-3, 1e-4}) {
    NonSmoothDynamicalSystem model;
    const auto ball =
        model.add(FirstOrderLinearSystem{.A = {{0.0, 1.0}, {0.0, 0.0}}, .b = {0.0, -9.81}, .x0 = {1.0, 0.0}});
    model.link(ball, FirstOrderLinearRelation{.C = {{1.0, 0.0}}, .B = {{0.0}, {1.0}}}, ComplementarityLaw{}, "floor");
    TimeStepping simulation(model, watched(EulerMoreau{.theta = 1.0}, h));
    ASSERT_TRUE(simulation.advance_to(1.0));
    ASSERT_EQ(simulation.findings().size(), 1u);
    const RunRemark& remark = simulation.findings()[0];
    EXPECT_EQ(remark.kind, RunRemark::Kind::ImpulsiveMultiplier);
    // The first step may leave part of a step's way: what is less than a tenth of v then has a remark of its own.
    EXPECT_LE(remark.count, 2);
    EXPECT_NEAR(remark.first_t, std::sqrt(2.0 / 9.81), 2.0 * h);
    EXPECT_LE(remark.worst, std::sqrt(2.0 * 9.81) + 9.81 * 2.0 * h);
    EXPECT_GE(remark.worst, 0.9 * std::sqrt(2.0 * 9.81));
  }
}

// x is held above e(t), which jumps by 1 at t = 0.5: so does x.
TEST(RunRemarks, ImpulseOfAnInputThatJumps) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {1.0}});
  model.link(system,
             FirstOrderLinearRelation{
                 .C = {{1.0}}, .B = {{1.0}}, .e = [](double t, VectorRef e) { e[0] = t > 0.4995 ? -2.0 : -0.5; }},
             ComplementarityLaw{}, "level");
  TimeStepping simulation(model, watched(EulerMoreau{.theta = 1.0}, 1e-3));
  ASSERT_TRUE(simulation.advance_to(1.0));
  ASSERT_EQ(simulation.findings().size(), 1u);
  EXPECT_EQ(simulation.findings()[0].subject, "row 0 of level");
  EXPECT_NEAR(simulation.findings()[0].first_t, 0.5, 1e-9);
  EXPECT_NEAR(simulation.findings()[0].worst, 2.0 - std::exp(-0.5), 5e-3);  // lambda holds 2 by 2 h besides
}

// The run ends with the step that is the impulse: it is told then, nothing else changes, and it is not told again.
TEST(RunRemarks, ImpulseInTheLastStepOfARun) {
  const double h = 1e-3;
  CapacitorLoop loop;
  loop.close(loop.model);
  TimeStepping simulation(loop.model, watched(EulerMoreau{.theta = 1.0}, h));
  TimeStepping stepped(loop.model, watched(EulerMoreau{.theta = 1.0}, h));
  ASSERT_TRUE(stepped.step());
  const RunReport last = simulation.advance_to(h);
  ASSERT_TRUE(last);
  EXPECT_EQ(last.steps, 1);
  EXPECT_EQ(hash_of(simulation.state()), hash_of(stepped.state()));
  ASSERT_EQ(last.findings.size(), 1u);
  EXPECT_EQ(last.findings[0].count, 1);
  EXPECT_EQ(last.findings[0].first_t, h);
  EXPECT_NEAR(last.findings[0].worst, 5.0, 5.0 * 0.1 * h);
  EXPECT_TRUE(simulation.advance_to(h).findings.empty());  // no step, and nothing new
  EXPECT_TRUE(simulation.advance_to(5.0 * h).findings.empty());
  ASSERT_EQ(simulation.findings().size(), 1u);
  EXPECT_EQ(simulation.findings()[0].count, 1);
  EXPECT_TRUE(stepped.findings().empty());
  EXPECT_EQ(stepped.advance_to(h).findings.size(), 1u);  // of what was stepped before
}

// What runs of one step each tell together is what one run tells, and each tells its own step.
TEST(RunRemarks, RunsOfOneStepTellWhatOneRunTells) {
  const double h = 1e-3;
  Index told = 0;
  for (int start = 0; start < 40; ++start) {
    NonSmoothDynamicalSystem model;  // a ball in first order, relative degree 2: an impact may take two steps
    const auto ball = model.add(FirstOrderLinearSystem{
        .A = {{0.0, 1.0}, {0.0, 0.0}}, .b = {0.0, -9.81}, .x0 = {1e-2 + 1e-4 * start, 0.1 * start}});
    model.link(ball, FirstOrderLinearRelation{.C = {{1.0, 0.0}}, .B = {{0.0}, {1.0}}}, ComplementarityLaw{}, "floor");
    TimeStepping whole(model, watched(EulerMoreau{.theta = 1.0}, h));
    TimeStepping parts(model, watched(EulerMoreau{.theta = 1.0}, h));
    Index of_parts = 0;
    for (Index k = 1; k <= 1000; ++k) {
      const RunReport report = parts.advance_to(static_cast<double>(k) * h);
      ASSERT_TRUE(report);
      for (const RunRemark& remark : report.findings) {
        EXPECT_EQ(remark.first_t, report.last.t);
        of_parts += remark.count;
      }
    }
    ASSERT_TRUE(whole.advance_to(parts.state().t));
    EXPECT_EQ(hash_of(whole.state()), hash_of(parts.state()));
    ASSERT_EQ(whole.findings().size(), 1u);
    ASSERT_EQ(parts.findings().size(), 1u);
    EXPECT_EQ(parts.findings()[0].count, whole.findings()[0].count);
    EXPECT_EQ(of_parts, whole.findings()[0].count);
    EXPECT_EQ(parts.findings()[0].first_t, whole.findings()[0].first_t);
    EXPECT_EQ(parts.findings()[0].worst, whole.findings()[0].worst);
    told += of_parts;
  }
  EXPECT_GE(told, 40);
}

// x is held above a level that starts to rise, 10 times as fast as x falls: the first such step looks like a jump, and
// is none. A function that cannot be asked beyond the end of the run says nothing of it.
TEST(RunRemarks, TheStartOfAFastMotionIsNoImpulse) {
  for (const bool is_asked_beyond : {true, false}) {
    NonSmoothDynamicalSystem model;
    const double h = 1e-3, end = 0.501;
    const auto system = model.add(FirstOrderLinearSystem{.x0 = {1.0}});
    model.link(system,
               FirstOrderLinearRelation{.C = {{1.0}},
                                        .B = {{1.0}},
                                        .e =
                                            [=](double t, VectorRef e) {
                                              if (!is_asked_beyond && t > end + 0.5 * h) throw std::out_of_range("t");
                                              e[0] = -1.0 - 10.0 * std::max(0.0, t - 0.5);
                                            }},
               ComplementarityLaw{}, "level");
    TimeStepping simulation(model, watched(EulerMoreau{.theta = 1.0}, h));
    ASSERT_TRUE(simulation.advance_to(0.5));
    ASSERT_TRUE(simulation.advance_to(end));
    EXPECT_NEAR(simulation.state().x(system)[0], 1.01, 1e-9);
    EXPECT_TRUE(simulation.findings().empty()) << simulation.findings()[0].message();
    if (!is_asked_beyond) continue;
    ASSERT_TRUE(simulation.advance_to(0.6));
    EXPECT_TRUE(simulation.findings().empty()) << simulation.findings()[0].message();
  }
}

// A resistor of 1 ohm in the row (D = 1) bounds the current, whatever the start: nothing is told.
TEST(RunRemarks, BoundedMultipliersAreNone) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.A = {{-0.1}}, .x0 = {-1.0}});
  model.link(system, FirstOrderLinearRelation{.C = {{1.0}}, .D = {{1.0}}, .B = {{1.0}}}, ComplementarityLaw{});
  TimeStepping simulation(model, watched(EulerMoreau{.theta = 1.0}, 1e-3));
  ASSERT_TRUE(simulation.advance_to(1.0));
  EXPECT_TRUE(simulation.findings().empty());
}

// The filter's capacitor is charged through the bridge in the first step, and never again (problems/models.hpp).
TEST(RunRemarks, OfTheCircuits) {
  for (const auto& make : {problems::rlc_diode, problems::diode_bridge, problems::resonant_converter,
                           problems::simple_relay, problems::relay_oscillator, problems::friction_oscillator}) {
    const problems::Model circuit = make();
    TimeStepping simulation(circuit.system, circuit.options);
    ASSERT_TRUE(simulation.advance_to(2000.0 * circuit.options.step));
    EXPECT_TRUE(simulation.findings().empty()) << simulation.findings()[0].message();
  }
  const problems::Model filter = problems::diode_bridge_filter();
  TimeStepping simulation(filter.system, filter.options);
  ASSERT_TRUE(simulation.advance_to(2000.0 * filter.options.step));
  ASSERT_EQ(simulation.findings().size(), 1u);
  EXPECT_EQ(simulation.findings()[0].count, 1);
  EXPECT_NEAR(simulation.findings()[0].first_t, filter.options.step, 1e-15);
  // 300 nF from 0 to 7.69 V.
  EXPECT_NEAR(simulation.findings()[0].worst, 300e-9 * 7.69, 0.02 * 300e-9 * 7.69);
}

// x' = (S - R) x + b + B lambda, y = B^T x + D lambda: S skew, R positive, D zero or a resistor. From y >= 0 nothing
// jumps, however modes change; from y = -1 in one row of D = 0 the first step does, and nothing else. The time scales
// are above 1 / 20 s, so that h = 1 ms resolves them.
TEST(RunRemarks, OfRandomPassiveSystems) {
  std::mt19937_64 random(7);
  const auto uniform = [&] { return 0x1p-52 * static_cast<double>(random() >> 11) - 1.0; };
  for (int trial = 0; trial < 200; ++trial) {
    Eigen::Matrix4d skew, full;
    for (Eigen::Matrix4d* matrix : {&skew, &full}) {
      for (double& entry : matrix->reshaped()) entry = uniform();
    }
    Eigen::MatrixXd B = Eigen::MatrixXd::Zero(4, 2);  // rows that do not meet: y_1 and y_2 are set apart below
    B(0, 0) = 1.0;
    B(2, 0) = uniform();
    B(1, 1) = 1.0;
    B(3, 1) = uniform();
    const bool resistor = trial % 2 == 0;
    const Eigen::MatrixXd A = 3.0 * (skew - skew.transpose()) - 0.3 * full * full.transpose();
    Eigen::VectorXd x0(4), b(4);
    for (Index i = 0; i < 4; ++i) {
      x0[i] = uniform();
      b[i] = 3.0 * uniform();
    }
    for (const bool jumps : {false, true}) {
      x0[0] = (jumps ? -1.0 : 0.3) - B(2, 0) * x0[2];
      x0[1] = 0.2 - B(3, 1) * x0[3];
      NonSmoothDynamicalSystem model;
      const auto system = model.add(FirstOrderLinearSystem{.A = A, .b = b, .x0 = x0});
      model.link(system,
                 FirstOrderLinearRelation{
                     .C = B.transpose(), .D = (resistor ? 1.0 : 0.0) * Eigen::Matrix2d::Identity(), .B = B},
                 ComplementarityLaw{}, "diodes");
      TimeStepping simulation(model, watched(EulerMoreau{.theta = trial % 4 < 2 ? 0.5 : 1.0}, 1e-3));
      ASSERT_TRUE(simulation.advance_to(3.0));
      const auto impulse = remark_of(simulation.findings(), RunRemark::Kind::ImpulsiveMultiplier);
      ASSERT_EQ(impulse.has_value(), jumps && !resistor) << trial << (impulse ? impulse->message() : "");
      if (!impulse) continue;
      EXPECT_EQ(impulse->count, 1);
      EXPECT_EQ(impulse->subject, "row 0 of diodes");
      // C B h lambda = 1 but for what the step's own motion changes of y: rates up to some 20, times h.
      EXPECT_NEAR(impulse->worst * (1.0 + B(2, 0) * B(2, 0)), 1.0, 0.05);
    }
  }
}

// v+ = v - h q, q+ = q + h v: the energy grows by the factor 1 + h^2 in each step.
TEST(RunRemarks, EnergyOfAnExplicitScheme) {
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.mass = {{1.0}}, .stiffness = {{1.0}}, .q0 = {1.0}});
  const double h = 0.125;
  TimeStepping simulation(model, watched(MoreauJean{.theta = 0.0}, h));
  const RunReport report = simulation.advance_to(40.0 * h);
  ASSERT_TRUE(report);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, RunRemark::Kind::EnergyGain);
  EXPECT_EQ(report.findings[0].subject, "the mechanical systems");
  EXPECT_EQ(report.findings[0].count, 40);
  EXPECT_EQ(report.findings[0].first_t, h);
  const double last = 0.5 * h * h * std::pow(1.0 + h * h, 39);
  EXPECT_NEAR(report.findings[0].worst, last, 1e-12 * last);
}

// Free, damped and full matrices under theta >= 1/2, with gravity, impacts and friction: nothing is gained.
TEST(RunRemarks, EnergyOfImplicitSchemes) {
  for (const double theta : {0.5, 0.75, 1.0}) {
    for (const double e : {0.0, 0.5, 1.0}) {
      NonSmoothDynamicalSystem model;
      const auto body = model.add(LagrangianLinearSystem{.mass = {{2.0, 0.5}, {0.5, 1.0}},
                                                         .damping = {{0.1, 0.05}, {0.05, 0.2}},
                                                         .stiffness = {{3.0, -1.0}, {-1.0, 2.0}},
                                                         .force = {-9.81, 1.0},
                                                         .q0 = {1.0, 0.0}});
      model.link(body, LagrangianLinearRelation{.H = {{1.0, 0.0}}}, NewtonImpactLaw{e});
      TimeStepping simulation(model, watched(MoreauJean{.theta = theta}, 1e-2));
      ASSERT_TRUE(simulation.advance_to(10.0));
      EXPECT_TRUE(simulation.findings().empty()) << simulation.findings()[0].message();
    }
  }
}

/// One contact whose Delassus matrix is [1 0.8; 0.8 1], mu = 0.5, met with u- = (-1, -0.8) without forces.
RunReport oblique_impact(double restitution) {
  NonSmoothDynamicalSystem model;
  const auto body =
      model.add(LagrangianLinearSystem{.mass = {{1.0, 0.0}, {0.0, 1.0}}, .q0 = {0.055, 0.0}, .v0 = {-1.0, 0.0}});
  model.link(body, LagrangianLinearRelation{.H = {{1.0, 0.0}, {0.8, 0.6}}},
             NewtonImpactFrictionLaw{.restitution = restitution, .friction = 0.5});
  TimeStepping simulation(model, watched(MoreauJean{}, 1e-2));
  return simulation.advance_to(0.2);
}

// What friction holds on a slope moves by what the solver leaves of its free way, up as well as down: no energy.
TEST(RunRemarks, WhatStandsOnASlopeGainsNoEnergy) {
  for (const double slope : {0.15, 0.3, 0.44}) {
    NonSmoothDynamicalSystem model;
    const auto block = model.add(PlanarBody{
        .inertia = 0.01, .position = {0.0, 0.1}, .gravity = {9.81 * std::sin(slope), -9.81 * std::cos(slope)}});
    const ConvexPolygon shape({{-0.3, -0.1}, {0.3, -0.1}, {0.3, 0.1}, {-0.3, 0.1}});
    model.detect(PlanarContacts({{block, {{.shape = shape}}}}, {{.shape = HalfPlane{}}},
                                NewtonImpactFrictionLaw{.friction = 0.5}));
    TimeStepping simulation(model, watched(MoreauJean{}, 1e-3));
    ASSERT_TRUE(simulation.advance_to(1.0));
    EXPECT_TRUE(simulation.findings().empty()) << slope;
  }
}

// Newton's law with friction is not passive: for e = 1 the slip turns, p_N = 2 / (1 - 0.4), u_T+ = 0.2, and the work
// -0.5 p_N (0.2 - 0.8) / 2 = 0.5 J comes from nowhere. For e = 0 it does not.
TEST(RunRemarks, EnergyOfNewtonsLawWithFriction) {
  const RunReport elastic = oblique_impact(1.0);
  ASSERT_TRUE(elastic);
  const auto gain = remark_of(elastic.findings, RunRemark::Kind::EnergyGain);
  ASSERT_TRUE(gain);
  EXPECT_EQ(gain->count, 1);
  EXPECT_NEAR(gain->worst, 0.5, 1e-8);  // the solver's tolerance
  EXPECT_NEAR(gain->first_t, 0.06, 1e-12);
  const auto impact = remark_of(elastic.findings, RunRemark::Kind::ImpactGain);  // the same, of the contact
  ASSERT_TRUE(impact);
  EXPECT_EQ(impact->count, 1);
  EXPECT_NEAR(impact->worst, 0.5, 1e-8);
  EXPECT_TRUE(oblique_impact(0.0).findings.empty());
}

// With an input, a drive or a moving obstacle the model is not closed, and nothing is said of its energy.
TEST(RunRemarks, EnergyOfDrivenModelsIsTheirOwn) {
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{
      .mass = {{1.0}}, .stiffness = {{1.0}}, .force = [](double t, VectorRef f) { f[0] = std::cos(t); }, .q0 = {0.0}});
  TimeStepping simulation(model, watched(MoreauJean{}, 1e-2));
  ASSERT_TRUE(simulation.advance_to(10.0));
  EXPECT_TRUE(simulation.findings().empty());
}

// A coil and a capacitor, with a diode that never conducts: passive, V = x^T x / 2, and theta = 0 makes it grow by the
// factor 1 + h^2. A state that is written between steps is no gain.
TEST(RunRemarks, StorageOfAPassiveCircuit) {
  for (const double theta : {0.0, 0.5}) {
    NonSmoothDynamicalSystem model;
    const auto circuit = model.add(FirstOrderLinearSystem{.A = {{0.0, 1.0}, {-1.0, 0.0}}, .x0 = {1.0, 0.0}});
    model.link(circuit, FirstOrderLinearRelation{.C = {{0.0, 1.0}}, .D = {{100.0}}, .B = {{0.0}, {1.0}}},
               RelayLaw{0.0, 0.0}, "diode");
    const double h = 0.125;
    TimeStepping simulation(model, watched(EulerMoreau{.theta = theta}, h));
    ASSERT_TRUE(simulation.advance_to(16.0 * h));
    simulation.state().x(circuit) = Eigen::Vector2d(10.0, 0.0);
    ASSERT_TRUE(simulation.advance_to(17.0 * h));
    if (theta == 0.5) {
      EXPECT_TRUE(simulation.findings().empty());
      continue;
    }
    ASSERT_EQ(simulation.findings().size(), 1u);
    EXPECT_EQ(simulation.findings()[0].kind, RunRemark::Kind::EnergyGain);
    EXPECT_EQ(simulation.findings()[0].subject, "the systems of diode");
    EXPECT_EQ(simulation.findings()[0].count, 17);
  }
}

// x' = lambda with lambda in Sgn(x): from 0 a step has three answers, from there on one.
TEST(RunRemarks, SeveralAnswersAreCounted) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.x0 = {0.0}});
  model.link(system, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{-1.0}}}, RelayLaw{}, "wrong");
  TimeStepping simulation(model, watched(EulerMoreau{.theta = 1.0}, 0.125));
  ASSERT_TRUE(simulation.step());
  ASSERT_TRUE(simulation.step());
  const auto several = remark_of(simulation.findings(), RunRemark::Kind::SeveralAnswers);
  ASSERT_TRUE(several);
  EXPECT_EQ(several->subject, "wrong");
  EXPECT_EQ(several->first_t, 0.125);
  EXPECT_EQ(several->worst, 2.0);
  const StepReport last = simulation.step();
  EXPECT_EQ(several->count, last.other_ends > 0 ? 3 : several->count);
}

TEST(RunRemarks, NothingIsLookedForWithoutExamination) {
  CapacitorLoop loop;
  loop.close(loop.model);
  TimeSteppingOptions options = watched(EulerMoreau{.theta = 1.0}, 1e-3);
  options.examination = Examination::Off;
  TimeStepping simulation(loop.model, options);
  ASSERT_TRUE(simulation.advance_to(0.1));
  EXPECT_TRUE(simulation.findings().empty());
}

}  // namespace
}  // namespace nonsmooth::run_remarks_test
