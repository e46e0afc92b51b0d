// SPDX-License-Identifier: Apache-2.0
// What a force tears off its cohesion by steps, also where it hangs in a depth, against closed forms.
#include <cmath>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::torn_cohesion_test {
namespace {

constexpr double kMass = 2.0, kGravity = 9.81, kWeight = kMass * kGravity, kPull = 10.0, kRate = 40.0;
constexpr double kTorn = (kWeight + kPull) / kRate;  ///< t1: the force r t is m g + F

/// The height at t of what stood at `start` until t1: then m v' = r t - m g.
double height(double start, double t) {
  const double s = t - kTorn;
  return start + kRate * s * s * s / (6.0 * kMass) + 0.5 * kPull / kMass * s * s;
}

struct Torn {
  bool found;
  double depth, restitution = 0.0;

  [[nodiscard]] NonSmoothDynamicalSystem model_of(SystemHandle& body) const {
    NonSmoothDynamicalSystem model;
    const auto pull = [](double at, VectorRef F) { F = Eigen::Vector3d(0.0, kRate * at - kWeight, 0.0); };
    const auto zero = [](double) { return 0.0; };
    body = model.add(LagrangianLinearSystem{
        .mass = {{kMass, 0.0, 0.0}, {0.0, kMass, 0.0}, {0.0, 0.0, 0.1}}, .force = pull, .q0 = {0.0, 0.1 - depth, 0.0}});
    const NewtonImpactFrictionLaw law{.restitution = restitution, .friction = 0.3, .cohesion = kPull};
    if (found) {
      model.detect(DiskContacts({body}, {0.1}, law, FloorProfile{zero, zero, zero}));
    } else {
      model.link(body, LagrangianLinearRelation{.H = {{0.0, 1.0, 0.0}, {1.0, 0.0, 0.1}}, .b = {{-0.1, 0.0}}}, law);
    }
    return model;
  }
  [[nodiscard]] double height_at(double t, double h) const {
    SystemHandle body;
    TimeStepping simulation(model_of(body), {.step = h});
    return reached(t, simulation, body);
  }
  /// By steps of h at most, each made of two halves.
  [[nodiscard]] double height_by_halves(double t, double h) const {
    SystemHandle body;
    AdaptiveOptions options{.stepping = {.step = h}};
    options.accuracy = {.position = {.absolute = 1e-4}, .velocity = {.absolute = 1e-3}, .span = t};
    AdaptiveTimeStepping simulation(model_of(body), options);
    return reached(t, simulation, body);
  }

 private:
  template <class Stepping>
  [[nodiscard]] static double reached(double t, Stepping& simulation, SystemHandle body) {
    const auto report = simulation.advance_to(t);
    EXPECT_TRUE(report) << report.message();
    return simulation.state().q(body)[1] - 0.1;
  }
};

/// It is torn off within two steps of t1, in which F / m and r h / m change its velocity: below 3 h F / m, and the
/// height by that in the time left.
TEST(TornCohesion, LeavesWhenItsForceDoesFromAnyDepth) {
  const double T = 1.2, left = T - kTorn;
  for (const bool found : {false, true}) {
    for (const double depth : {0.0, 1e-5, 1e-3, 1e-2}) {
      for (const double h : {1e-3, 1e-4}) {
        EXPECT_NEAR(Torn({found, depth}).height_at(T, h), height(-depth, T), 3.0 * h * kPull / kMass * left)
            << found << " " << depth << " " << h;
      }
    }
  }
}

/// In which half of a step it is torn off, the next step knows: pulled back in the first half of each it would be late
/// by 0.03 m from a depth of 1 mm, whatever the steps. One more half step than above, which is within the same bound.
TEST(TornCohesion, LeavesByStepsOfTwoHalvesToo) {
  const double T = 1.2, left = T - kTorn, h = 1e-3;
  for (const bool found : {false, true}) {
    for (const double depth : {0.0, 1e-3, 1e-2})
      EXPECT_NEAR(Torn({found, depth}).height_by_halves(T, h), height(-depth, T), 3.0 * h * kPull / kMass * left)
          << found << " " << depth;
  }
}

/// 1 kg on a floor with a spring k beside the bond F, pulled by r t: past t = F / r it creeps by r (t - F / r) / k, at
/// a speed far below what F gives it in a step. Where A is known that is (h F / (m + h^2 k)) 1e-5 = 1e-10 m/s, else h F
/// / m 1e-5 = 1e-8 m/s, beside r / k = 5e-9 m/s; then the gap tells, at 3e-11 m, within 6 ms.
TEST(TornCohesion, LeavesWhereAStiffSpringHoldsItsBody) {
  constexpr double k = 1e8, F = 1.0, r = 0.5, h = 1e-3;
  for (const bool linear : {true, false}) {
    NonSmoothDynamicalSystem model;
    const auto body =
        linear ? model.add(LagrangianLinearSystem{.mass = {{1.0, 0.0}, {0.0, 1.0}},
                                                  .stiffness = {{0.0, 0.0}, {0.0, k}},
                                                  .force = [](double t, VectorRef f) { f[1] = r * t; },
                                                  .q0 = {0.0, 0.0}})
               : model.add(LagrangianSystem{
                     .force = [](double t, ConstVectorRef q, ConstVectorRef, VectorRef f) { f[1] = r * t - k * q[1]; },
                     .force_dq = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(1, 1) = -k; },
                     .q0 = {0.0, 0.0},
                     .v0 = {0.0, 0.0}});
    const auto floor = model.link(body, LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}},
                                  NewtonImpactFrictionLaw{.friction = 0.3, .cohesion = F});
    TimeStepping simulation(model, {.integrator = MoreauJean{.theta = 1.0}, .step = h});
    ASSERT_TRUE(simulation.advance_to(F / r - 0.01));
    EXPECT_NEAR(simulation.state().impulse(floor)[0] / h, -(F - 0.01 * r), 1e-3 * F) << linear;
    ASSERT_TRUE(simulation.advance_to(F / r + 0.02));
    EXPECT_EQ(simulation.state().impulse(floor)[0], 0.0) << linear;
  }
}

}  // namespace
}  // namespace nonsmooth::torn_cohesion_test
