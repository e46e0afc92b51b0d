// SPDX-License-Identifier: Apache-2.0
// What every integrator promises, whatever its order: restart, order of accuracy, end of a run, reports, dissipation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <problems/explicit_midpoint.hpp>
#include <problems/models.hpp>
#include <support/parameter_name.hpp>

namespace nonsmooth::integrator_contract_test {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kExact = std::numeric_limits<double>::infinity();
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Every fifty steps a run starts afresh from a copy of the state, with caches of its own, and keeps to the same bits.
void expect_same_bits_from_a_copy(const problems::Model& m) {
  TimeStepping running(m.system, m.options);
  std::unique_ptr<TimeStepping> restarted;
  for (int k = 0; k < 500; ++k) {
    if (k % 50 == 7) {
      restarted = std::make_unique<TimeStepping>(running.model(), m.options);
      restarted->set_state(running.state());
    }
    ASSERT_TRUE(running.step());
    if (!restarted) continue;
    ASSERT_TRUE(restarted->step());
    ASSERT_EQ(hash_of(running.state()), hash_of(restarted->state())) << "step " << k;
  }
}

/// What a scheme promises of smooth motion.
struct Scheme {
  const char* name;
  Integrator integrator;
  double order = 1.0;          ///< of the global error in free motion; infinity: exact for constant coefficients
  double energy_change = 0.0;  ///< of a step of free motion, in units of -|dz|_E^2; NaN: nothing is promised

  [[nodiscard]] bool mechanical() const { return !integrator->coefficients().first_order; }
  [[nodiscard]] bool knows_friction() const {
    return integrator->coefficients().level != SchemeCoefficients::Level::Position;
  }
  /// Multipliers are to follow from the state.
  [[nodiscard]] bool is_explicit() const { return !mechanical() && integrator->coefficients().theta == 0.0; }
};

void PrintTo(const Scheme& scheme, std::ostream* out) { *out << scheme.name; }

class IntegratorContract : public testing::TestWithParam<Scheme> {
 protected:
  /// A model with events for the scheme's order: a ball that bounces (and slides, where the scheme knows friction), or
  /// a diode bridge, or one diode, whose multiplier follows from the state.
  [[nodiscard]] problems::Model with_events() const {
    auto m = GetParam().is_explicit()      ? problems::rlc_diode()
             : !GetParam().mechanical()    ? problems::diode_bridge()
             : GetParam().knows_friction() ? problems::bouncing_disk()
                                           : problems::bouncing_ball();
    m.options.integrator = GetParam().integrator;
    return m;
  }

  /// x'' = -w^2 x, w = 3, from (1, 0), as this scheme's kind of system; the handle is that of `unknown`.
  [[nodiscard]] NonSmoothDynamicalSystem oscillator() const {
    NonSmoothDynamicalSystem model;
    if (GetParam().mechanical()) {
      model.add(LagrangianLinearSystem{.mass = {{1.0}}, .stiffness = {{9.0}}, .q0 = {1.0}});
    } else {
      model.add(FirstOrderLinearSystem{.A = {{0.0, 1.0}, {-9.0, 0.0}}, .x0 = {1.0, 0.0}});
    }
    return model;
  }
  /// (x, x') of the oscillator.
  [[nodiscard]] Eigen::Vector2d point(const State& state) const {
    if (GetParam().mechanical()) return {state.positions[0], state.unknowns[0]};
    return state.unknowns;
  }
};

TEST_P(IntegratorContract, ACopiedStateGoesOnWithTheSameBits) { expect_same_bits_from_a_copy(with_events()); }

TEST_P(IntegratorContract, FreeMotionHasTheOrder) {
  // Global error c h^p + O(h^{p+1}): halving h divides it by 2^p, up to a relative w h T-ish next term: at h = 2.5e-3,
  // |w h| = 7.5e-3 times the few units of w T = 3 give 5 % at most. An exact scheme errs by rounding: 400 steps of a
  // few eps each.
  double error[2] = {0.0, 0.0};
  for (const int i : {0, 1}) {
    auto model = oscillator();
    TimeStepping simulation(model, {.integrator = GetParam().integrator, .step = i == 0 ? 5e-3 : 2.5e-3});
    ASSERT_TRUE(simulation.advance_to(1.0));
    const Eigen::Vector2d exact(std::cos(3.0), -3.0 * std::sin(3.0));
    error[i] = (point(simulation.state()) - exact).norm();
  }
  if (std::isinf(GetParam().order)) {
    EXPECT_LE(std::max(error[0], error[1]), 4e3 * kEps);
    return;
  }
  const double expected = std::pow(2.0, GetParam().order);
  EXPECT_NEAR(error[0] / error[1], expected, 0.05 * expected);
}

TEST_P(IntegratorContract, FreeMotionGainsNoEnergy) {
  // The theta scheme of a conservative system changes the energy by -(theta - 1/2) |dz|_E^2 each step: kept to rounding
  // for theta = 1/2 (4 eps a step), lost otherwise (StewartTrinkle: so for theta = 1, where it is implicit Euler's). An
  // exact scheme keeps it; two-step velocities are means over two steps, and an explicit scheme keeps another quadratic
  // form, so that nothing of the kind holds for them.
  if (std::isnan(GetParam().energy_change)) {
    // Bounded all the same: implicit in the force for theta >= 1/2, or symplectic with w h < 2. The form that is kept,
    // or lost, is within 1 +- w h / 2 of the energy (9 x^2 + x'^2) / 2, which is 4.5 at first and at least |(x, x')|^2
    // / 2.
    auto model = oscillator();
    TimeStepping simulation(model, {.integrator = GetParam().integrator, .step = 0.05});
    const double half = 0.5 * 3.0 * 0.05, bound = 3.0 * std::sqrt((1.0 + half) / (1.0 - half));
    for (int k = 0; k < 400; ++k) {
      ASSERT_TRUE(simulation.step());
      ASSERT_LE(point(simulation.state()).norm(), bound) << k;
    }
    return;
  }
  auto model = oscillator();
  TimeStepping simulation(model, {.integrator = GetParam().integrator, .step = 0.05});
  const auto energy = [&](const State& state) {
    const Eigen::Vector2d z = point(state);
    return 0.5 * (9.0 * z[0] * z[0] + z[1] * z[1]);
  };
  for (int k = 0; k < 400; ++k) {
    const Eigen::Vector2d before = point(simulation.state());
    const double e_before = energy(simulation.state());
    ASSERT_TRUE(simulation.step());
    const Eigen::Vector2d d = point(simulation.state()) - before;
    const double lost = GetParam().energy_change * (9.0 * d[0] * d[0] + d[1] * d[1]);
    ASSERT_NEAR(energy(simulation.state()), e_before - lost, 64.0 * kEps * std::max(4.5, e_before)) << k;
  }
}

TEST_P(IntegratorContract, TheLastStepEndsAtT) {
  const auto m = with_events();
  const double h = m.options.step, T = 10.4 * h;
  TimeStepping simulation(m.system, m.options);
  Index calls = 0;
  double last_t = 0.0;
  const auto report = simulation.advance_to(T, [&](const State& state) {
    ++calls;
    EXPECT_GT(state.t, last_t);
    EXPECT_LE(state.t - last_t, h * (1.0 + 1e-9));
    last_t = state.t;
  });
  ASSERT_TRUE(report);
  EXPECT_EQ(simulation.state().t, T);
  EXPECT_EQ(report.steps, 11);
  EXPECT_EQ(calls, 11);
  EXPECT_EQ(report.steps_accepted, 0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::Completed);
  // A scheme that adds energy to a passive circuit is told of.
  EXPECT_EQ(report.message().empty(), !(GetParam().energy_change < 0.0)) << report.message();
  EXPECT_EQ(report.last.outcome, StepReport::Outcome::Completed);
  EXPECT_TRUE(report.last.taken);
  // Going on starts a new grid at T; where T has been reached nothing happens.
  const auto bits = hash_of(simulation.state());
  EXPECT_EQ(simulation.advance_to(T).steps, 0);
  EXPECT_EQ(hash_of(simulation.state()), bits);
  EXPECT_EQ(simulation.advance_to(T + 2.0 * h).steps, 2);
  // One step of h from t = T, twice: rounded as T + 2 h is, up to one unit.
  EXPECT_DOUBLE_EQ(simulation.state().t, T + 2.0 * h);
}

TEST_P(IntegratorContract, TwoHalvesAreOneRun) {
  const auto m = with_events();
  const double h = m.options.step;
  TimeStepping whole(m.system, m.options), halves(m.system, m.options);
  const auto all = whole.advance_to(300.0 * h);
  const auto first = halves.advance_to(150.0 * h), second = halves.advance_to(300.0 * h);
  ASSERT_TRUE(all);
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_EQ(all.steps, 300);
  EXPECT_EQ(first.steps, 150);
  EXPECT_EQ(second.steps, 150);
  EXPECT_EQ(hash_of(whole.state()), hash_of(halves.state()));
  EXPECT_EQ(all.newton_iterations, first.newton_iterations + second.newton_iterations);
  EXPECT_EQ(all.worst_residual, std::max(first.worst_residual, second.worst_residual));
}

TEST_P(IntegratorContract, AnObserverThatReturnsFalseStops) {
  const auto m = with_events();
  TimeStepping simulation(m.system, m.options);
  int calls = 0;
  const auto report = simulation.advance_to(100.0 * m.options.step, [&](const State&) { return ++calls < 5; });
  EXPECT_EQ(report.steps, 5);
  EXPECT_EQ(report.outcome, RunReport::Outcome::StoppedByObserver);
  EXPECT_EQ(simulation.state().k, 5);
}

INSTANTIATE_TEST_SUITE_P(
    Schemes, IntegratorContract,
    testing::Values(
        Scheme{"MoreauJean050", MoreauJean{.theta = 0.5}, 2.0, 0.0},
        Scheme{"MoreauJean075", MoreauJean{.theta = 0.75}, 1.0, 0.25},
        Scheme{"MoreauJean100", MoreauJean{.theta = 1.0}, 1.0, 0.5},
        Scheme{"MoreauJeanAtStart", MoreauJean{.configuration_weight = 0.0}, 2.0, 0.0},
        Scheme{"SchatzmanPaoli050", SchatzmanPaoli{.theta = 0.5}, 1.0, kUnknown},
        Scheme{"SchatzmanPaoli100", SchatzmanPaoli{.theta = 1.0}, 1.0, kUnknown},
        Scheme{"StewartTrinkle100", StewartTrinkle{}, 1.0, 0.5},
        Scheme{"StewartTrinkle050", StewartTrinkle{.theta = 0.5}, 1.0, kUnknown},
        Scheme{"D1MinusLinear", D1MinusLinear{}, 2.0, kUnknown},
        Scheme{"D1MinusLinearByAccelerations", D1MinusLinear{D1MinusLinear::Forces::ByAccelerations}, 2.0, kUnknown},
        Scheme{"UsersExplicitMidpoint", std::make_shared<const problems::ExplicitMidpoint>(), 2.0, kUnknown},
        Scheme{"ExactLinear", ExactLinear{}, kExact, 0.0},
        Scheme{"GeneralisedAlpha080", GeneralisedAlpha{0.8}, 2.0, kUnknown},
        Scheme{"GeneralisedAlpha100", GeneralisedAlpha{1.0}, 2.0, kUnknown},
        Scheme{"EulerMoreau050", EulerMoreau{.theta = 0.5}, 2.0, 0.0},
        Scheme{"EulerMoreau100", EulerMoreau{.theta = 1.0}, 1.0, 0.5},
        Scheme{"EulerMoreauAveraged", EulerMoreau{.theta = 0.5, .multiplier_weight = 0.5}, 2.0, 0.0},
        Scheme{"EulerMoreauRelation", EulerMoreau{.theta = 0.5, .relation_weight = 0.75}, 2.0, 0.0},
        Scheme{"HigherOrderMoreau", HigherOrderMoreau{}, 1.0, 0.5}, Scheme{"ExplicitEuler", ExplicitEuler{}, 1.0, -0.5},
        Scheme{"RungeKutta4", RungeKutta4{}, 4.0, kUnknown},
        Scheme{"RungeKutta4Located", RungeKutta4{.locate = true}, 4.0, kUnknown},
        Scheme{"ImplicitRadau1", ImplicitRadau{1}, 1.0, 0.5}, Scheme{"ImplicitRadau2", ImplicitRadau{2}, 3.0, kUnknown},
        Scheme{"ImplicitRadau2Located", ImplicitRadau{2, true}, 3.0, kUnknown}, Scheme{"Bdf2", Bdf2{}, 2.0, kUnknown},
        Scheme{"Bdf2Located", Bdf2{.locate = true}, 2.0, kUnknown},
        Scheme{"AdamsBashforth2", AdamsBashforth2{}, 2.0, kUnknown},
        Scheme{"AdamsBashforth2Located", AdamsBashforth2{.locate = true}, 2.0, kUnknown},
        Scheme{"ZeroOrderHold", ZeroOrderHold{}, kExact, 0.0}),
    test::parameter_name);

/// What a step does besides its scheme: the forms of its problem, the projections of positions, moving sets.
struct Variant {
  const char* name;
  TimeSteppingOptions options;
  bool sweeping = false;
};

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

class StepContract : public testing::TestWithParam<Variant> {
 protected:
  [[nodiscard]] problems::Model model() const {
    auto m = problems::bouncing_disk();
    if (GetParam().sweeping) {
      // A point in a disk of radius 1 whose centre goes round a circle of radius 2.
      m.system.add(SweepingProcess{.project =
                                       [](double t, VectorRef x) {
                                         const Eigen::Vector2d centre(2.0 * std::cos(t), 2.0 * std::sin(t));
                                         const double distance = (x - centre).norm();
                                         if (distance > 1.0) x = centre + (x - centre) / distance;
                                       },
                                   .x0 = {2.0, 0.0}});
    }
    const double h = m.options.step;
    m.options = GetParam().options;
    m.options.step = h;
    return m;
  }
};

TEST_P(StepContract, ACopiedStateGoesOnWithTheSameBits) { expect_same_bits_from_a_copy(model()); }

TEST_P(StepContract, TwoHalvesAreOneRun) {
  const auto m = model();
  const double h = m.options.step;
  TimeStepping whole(m.system, m.options), halves(m.system, m.options);
  ASSERT_TRUE(whole.advance_to(300.0 * h));
  ASSERT_TRUE(halves.advance_to(150.0 * h));
  ASSERT_TRUE(halves.advance_to(300.0 * h));
  EXPECT_EQ(hash_of(whole.state()), hash_of(halves.state()));
}

TEST_P(StepContract, TheLastStepEndsAtT) {
  const auto m = model();
  const double T = 100.4 * m.options.step;
  TimeStepping simulation(m.system, m.options);
  const auto report = simulation.advance_to(T);
  ASSERT_TRUE(report);
  EXPECT_EQ(simulation.state().t, T);
  EXPECT_EQ(report.steps, 101);
}

INSTANTIATE_TEST_SUITE_P(Steps, StepContract,
                         testing::Values(Variant{"Global", {.form = Form::Global}},
                                         Variant{"DirectProjection", {.projection = {.kind = Projection::Direct}}},
                                         Variant{"CombinedProjection", {.projection = {.kind = Projection::Combined}}},
                                         Variant{"PositionsWithinStep",
                                                 {.integrator = GeneralisedAlpha{},
                                                  .projection = {.kind = Projection::WithinStep}}},
                                         Variant{"SubdividedOnFailure", {.on_failure = OnFailure::Subdivide}},
                                         Variant{"CatchingUp", {}, true}),
                         test::parameter_name);

class MoreauJeanContract : public testing::TestWithParam<double> {};

TEST_P(MoreauJeanContract, ImpactsCreateNoEnergy) {
  // Beads between two walls without forces: the kinetic energy changes by sum p (u+ + u-) / 2 = -(1-e) p |u-| / 2 <= 0
  // where a contact opened with u- < 0, for every theta. Rounding: 16 eps of the energy and what the solver leaves of
  // p (u+ + e u-), below 1e-9.
  for (const double e : {0.0, 0.5, 1.0}) {
    NonSmoothDynamicalSystem model;
    std::vector<SystemHandle> beads;
    const double v0[4] = {1.0, -2.0, 0.5, -1.0};
    for (int i = 0; i < 4; ++i) {
      beads.push_back(model.add(LagrangianLinearSystem{
          .mass = {{1.0 + 0.3 * i}}, .q0 = {1.0 * i + 0.5}, .v0 = Eigen::VectorXd::Constant(1, v0[i])}));
    }
    std::vector<InteractionHandle> contacts;
    contacts.push_back(model.link(beads[0], LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{e}));
    contacts.push_back(model.link(beads[3], LagrangianLinearRelation{.H = {{-1.0}}, .b = {4.0}}, NewtonImpactLaw{e}));
    for (std::size_t i = 0; i < 3; ++i) {
      contacts.push_back(
          model.link({beads[i], beads[i + 1]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, NewtonImpactLaw{e}));
    }
    TimeStepping simulation(model, {.integrator = MoreauJean{.theta = GetParam()}, .step = 1e-2});
    const auto kinetic = [&](const State& state) {
      double sum = 0.0;
      for (int i = 0; i < 4; ++i) sum += 0.5 * (1.0 + 0.3 * i) * state.unknowns[i] * state.unknowns[i];
      return sum;
    };
    int impacts = 0;
    for (int k = 0; k < 1000; ++k) {
      const State before = simulation.state();
      ASSERT_TRUE(simulation.step());
      const State& after = simulation.state();
      double work = 0.0;
      for (const auto contact : contacts) {
        work += 0.5 * after.impulse(contact)[0] * (before.u(contact)[0] + after.u(contact)[0]);
        impacts += after.impulse(contact)[0] > 0.0;
      }
      ASSERT_NEAR(kinetic(after), kinetic(before) + work, 64.0 * kEps * 10.0) << k;
      ASSERT_LE(kinetic(after), kinetic(before) + 1e-9) << k;
    }
    EXPECT_GT(impacts, e == 1.0 ? 10 : 2) << "too few to tell anything, e = " << e;
  }
}

TEST_P(MoreauJeanContract, EnergyBalanceOfAnImpactUnderGravity) {
  // v+ - v- = h f + p (m = 1) and q+ - q- = h (theta v+ + (1-theta) v-) give exactly, with E = v^2 / 2 - f q,
  //   E+ - E- = p (u+ + u-) / 2 - (theta - 1/2) h f (v+ - v-):
  // the impact takes its share, and the scheme shifts the position by (theta - 1/2) h (v+ - v-), nothing for theta =
  // 1/2.
  const double f = -9.81, h = 5e-3, theta = GetParam();
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .force = {f}, .q0 = {1.0}});
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{0.8});
  TimeStepping simulation(model, {.integrator = MoreauJean{.theta = theta}, .step = h});
  int impacts = 0;
  for (int k = 0; k < 800; ++k) {
    const double q0 = simulation.state().q(ball)[0], v0 = simulation.state().v(ball)[0];
    ASSERT_TRUE(simulation.step());
    const double q1 = simulation.state().q(ball)[0], v1 = simulation.state().v(ball)[0];
    const double p = simulation.state().impulse(floor)[0], work = 0.5 * p * (v0 + v1);
    impacts += p > 0.0;
    // Energies of about 10 J, a handful of roundings.
    ASSERT_NEAR(0.5 * (v1 * v1 - v0 * v0) - f * (q1 - q0), work - (theta - 0.5) * h * f * (v1 - v0),
                64.0 * kEps * 10.0);
    // u+ = -e u-: work = -(1 - e) p |u-| / 2; a contact that opened (u- > 0) takes no impulse unless h f closes it.
    ASSERT_LE(work, p * h * -f) << k;
    if (v0 < 0.0) {
      ASSERT_LE(work, 1e-12) << k;
    }
  }
  EXPECT_GT(impacts, 3);
}

INSTANTIATE_TEST_SUITE_P(Thetas, MoreauJeanContract, testing::Values(0.5, 0.75, 1.0), [](const auto& theta) {
  std::string name = "theta_" + testing::PrintToString(theta.param);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST(EulerMoreauContract, ADiodeCreatesNoEnergy) {
  // Oscillator, resistor and diode with E = C v^2 / 2 + L i^2 / 2, theta = 1: E+ - E- <= x+^T Q (x+ - x-) = -h lambda
  // v' with v' the voltage across diode and resistor, lambda v' = R lambda^2 - lambda y >= 0 as lambda y = 0. For theta
  // = 1/2 the average of v before and after stands in for v', which bounds nothing in the step in which the diode
  // switches.
  auto m = problems::rlc_diode();
  m.options.integrator = EulerMoreau{.theta = 1.0};
  using O = problems::Oscillator;
  TimeStepping simulation(m.system, m.options);
  const auto energy = [&](const State& state) {
    return 0.5 * (O::C * state.unknowns[0] * state.unknowns[0] + O::L * state.unknowns[1] * state.unknowns[1]);
  };
  const double scale = energy(simulation.state());
  for (int k = 0; k < 499; ++k) {
    const double before = energy(simulation.state());
    ASSERT_TRUE(simulation.step());
    ASSERT_LE(energy(simulation.state()), before + 16.0 * kEps * scale) << k;
  }
}

}  // namespace
}  // namespace nonsmooth::integrator_contract_test
