// SPDX-License-Identifier: Apache-2.0
// What takes a Simulation& serves both: a ball (m = 1 kg) falls from q0 = 1 m on a floor with e = 1/2,
//   q = q0 - g t^2 / 2 until t_1 = sqrt(2 q0 / g) = 0.4515 s, where v_1 = -sqrt(2 g q0) turns to -e v_1.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::simulation_test {
namespace {

constexpr double kGravity = 9.81, kRestitution = 0.5, kStep = 5e-3;
constexpr double kEps = std::numeric_limits<double>::epsilon();
/// Parabolas are exact for both up to rounding: ninety steps of some roundings of 1 m (and of the energy g m).
constexpr double kExact = 1024.0 * kEps;

struct Kind {
  const char* name;
  std::unique_ptr<Simulation> (*make)(const NonSmoothDynamicalSystem&);
  double time_of_impact;  ///< within which it is known [s]
};

class SimulationContract : public testing::TestWithParam<Kind> {
 protected:
  SimulationContract() {
    ball_ = model_.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {1.0}});
    floor_ = model_.link(ball_, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = kRestitution});
    simulation_ = GetParam().make(model_);
  }
  [[nodiscard]] RunReport to_the_rebound(const std::function<void(const State&)>& record) {
    return simulation_->advance_to(1.0, [&](const State& x) {
      record(x);
      return x.v(ball_)[0] <= 0.0;
    });
  }

  NonSmoothDynamicalSystem model_;
  SystemHandle ball_;
  InteractionHandle floor_;
  std::unique_ptr<Simulation> simulation_;
};

TEST_P(SimulationContract, FallsByTheClosedForm) {
  Simulation& simulation = *simulation_;
  Ledger ledger(simulation);
  EXPECT_NEAR(ledger.last().energy(), kGravity, kExact);
  Index shown = 0;
  const RunReport report = simulation.advance_to(0.45, [&](const State& x, const StepReport& step) {
    ++shown;
    EXPECT_DOUBLE_EQ(step.t, x.t);
    EXPECT_NEAR(x.q(ball_)[0], 1.0 - 0.5 * kGravity * x.t * x.t, kExact);
    EXPECT_NEAR(x.v(ball_)[0], -kGravity * x.t, kGravity * kExact);
    EXPECT_NEAR(ledger.record(x).energy(), kGravity, kGravity * kExact);
  });
  EXPECT_TRUE(report) << report.message();
  EXPECT_EQ(report.outcome, RunReport::Outcome::Completed);
  EXPECT_EQ(report.message(), "");
  EXPECT_EQ(report.t, 0.45);
  EXPECT_EQ(report.steps, shown);
  EXPECT_GT(shown, 0);
  EXPECT_EQ(simulation.state().t, 0.45);
  EXPECT_EQ(simulation.model().num_systems(), 1);
  EXPECT_TRUE(simulation.examination().empty());
  EXPECT_TRUE(simulation.findings().empty());
  EXPECT_THROW((void)simulation.advance_to(0.1), InvalidArgument);
}

TEST_P(SimulationContract, ARunThatStopsEarlyKeepsWhatItRecorded) {
  Ledger ledger(*simulation_);
  std::vector<double> times;
  const RunReport report = to_the_rebound([&](const State& x) {
    times.push_back(x.t);
    ledger.record(x);
  });
  EXPECT_TRUE(report) << "an observer's wish is no failure";
  EXPECT_EQ(report.outcome, RunReport::Outcome::StoppedByObserver);
  EXPECT_EQ(report.message(), "stopped by the observer");
  const State& x = simulation_->state();
  ASSERT_FALSE(times.empty());
  EXPECT_EQ(times.back(), x.t);
  EXPECT_EQ(report.t, x.t);
  EXPECT_NEAR(x.t, std::sqrt(2.0 / kGravity), GetParam().time_of_impact + kExact);
  // Gravity changes the velocity by g a second; e |v| of the one with which the ball arrives.
  const double arrival = x.v(ball_)[0] / kRestitution;
  EXPECT_NEAR(arrival, std::sqrt(2.0 * kGravity), kGravity * (GetParam().time_of_impact + kExact));
  EXPECT_NEAR(x.impulse(floor_)[0], (1.0 + kRestitution) * arrival, kGravity * (kExact + GetParam().time_of_impact));
  // (1 - e^2) v^2 / 2 goes in the impact, up to the weight in its step.
  const double loss = 0.5 * (1.0 - kRestitution * kRestitution) * arrival * arrival;
  EXPECT_NEAR(ledger.total().contact, -loss, kGravity * (kExact + GetParam().time_of_impact * arrival));
  EXPECT_NEAR(ledger.total().energy(), kGravity - loss, kGravity * (kExact + GetParam().time_of_impact * arrival));

  EXPECT_TRUE(simulation_->advance_to(1.0));
  EXPECT_EQ(simulation_->state().t, 1.0);
}

TEST_P(SimulationContract, AStateThatIsSetGoesOnFromThere) {
  const State start = simulation_->state();
  ASSERT_TRUE(simulation_->advance_to(0.45));
  const double q = simulation_->state().q(ball_)[0];
  simulation_->set_state(start);
  EXPECT_EQ(simulation_->state().t, 0.0);
  ASSERT_TRUE(simulation_->advance_to(0.45));
  EXPECT_EQ(simulation_->state().q(ball_)[0], q);
}

TEST_P(SimulationContract, AnEditKeepsWhatWasThere) {
  ASSERT_TRUE(simulation_->advance_to(0.1));
  const SystemHandle second =
      simulation_->edit([](NonSmoothDynamicalSystem& model) { return model.add(LagrangianLinearSystem{.q0 = {2.0}}); });
  EXPECT_EQ(simulation_->state().q(second)[0], 2.0);
  EXPECT_EQ(simulation_->state().t, 0.1);
  EXPECT_TRUE(simulation_->advance_to(0.2));
  EXPECT_NEAR(simulation_->state().q(ball_)[0], 1.0 - 0.5 * kGravity * 0.04, kExact);
}

TEST_P(SimulationContract, AFunctionThatThrowsIsReported) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.force =
                                                         [](double t, VectorRef F) {
                                                           if (t > 0.5) throw std::runtime_error("no table");
                                                           F[0] = -kGravity;
                                                         },
                                                     .q0 = {10.0}});
  const auto simulation = GetParam().make(model);
  double shown = 0.0;
  const RunReport report = simulation->advance_to(1.0, [&](const State& x) { shown = x.t; });
  EXPECT_FALSE(report);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  EXPECT_NE(report.message().find("no table"), std::string::npos) << report.message();
  EXPECT_NE(report.detail.find("no table"), std::string::npos) << report.detail;
  EXPECT_EQ(report.t, simulation->state().t);
  EXPECT_EQ(report.t, shown) << "what was shown stands";
  const double t = report.t;
  EXPECT_NEAR(simulation->state().q(body)[0], 10.0 - 0.5 * kGravity * t * t, 10.0 * kExact);
}

INSTANTIATE_TEST_SUITE_P(Both, SimulationContract,
                         testing::Values(Kind{"TimeStepping",
                                              [](const NonSmoothDynamicalSystem& model) -> std::unique_ptr<Simulation> {
                                                return std::make_unique<TimeStepping>(
                                                    model, TimeSteppingOptions{.step = kStep});
                                              },
                                              kStep},
                                         Kind{"EventDriven",
                                              [](const NonSmoothDynamicalSystem& model) -> std::unique_ptr<Simulation> {
                                                return std::make_unique<EventDriven>(model);
                                              },
                                              0.0}),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace nonsmooth::simulation_test
