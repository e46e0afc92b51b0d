// SPDX-License-Identifier: Apache-2.0
// Energy of impacts: Newton's law may give some, and both simulations say so; what other laws do beside it.
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <nonsmooth/kernel.hpp>

#include "kernel/closed_forms.hpp"

namespace nonsmooth::impact_energy_test {
namespace {

using closed_forms::kEps;
using closed_forms::mass_point;

/// Two uniform rods of mass and length 1 hang one from the other, angles from the vertical; the tip touches the floor:
///   M = (4/3, cos(a - b) / 2; ., 1/3),   y = h0 - cos a - cos b,   H = (sin a, sin b; cos a, cos b) on (N, T).
/// Kane's example with a = -40, b = -30 degrees, u- = (-1, 7/4), e = mu = 1/2: the tip sticks, u+ = (1/2, 0).
struct DoublePendulum {
  const double a = -40.0 * std::numbers::pi / 180.0, b = -30.0 * std::numbers::pi / 180.0;
  const Eigen::Vector2d u_minus{-1.0, 1.75};

  static Eigen::Matrix2d H(double a, double b) {
    return Eigen::Matrix2d{{std::sin(a), std::sin(b)}, {std::cos(a), std::cos(b)}};
  }
  static Eigen::Matrix2d M(double a, double b) {
    const double c = 0.5 * std::cos(a - b);
    return Eigen::Matrix2d{{4.0 / 3.0, c}, {c, 1.0 / 3.0}};
  }
  [[nodiscard]] Eigen::Matrix2d W() const { return H(a, b) * M(a, b).inverse() * H(a, b).transpose(); }
  [[nodiscard]] double energy(const Eigen::Vector2d& u) const { return 0.5 * u.dot(W().inverse() * u); }

  [[nodiscard]] NonSmoothDynamicalSystem model(const Law& law) const {
    NonSmoothDynamicalSystem result;
    const auto rods =
        result.add(LagrangianSystem{.mass = [](ConstVectorRef q, MatrixRef mass) { mass = M(q[0], q[1]); },
                                    .force =
                                        [](double, ConstVectorRef q, ConstVectorRef v, VectorRef F) {
                                          const double s = 0.5 * std::sin(q[0] - q[1]);
                                          F << -s * v[1] * v[1], s * v[0] * v[0];
                                        },
                                    .q0 = {a, b},
                                    .v0 = Eigen::VectorXd(H(a, b).inverse() * u_minus),
                                    .name = "rods"});
    const double h0 = std::cos(a) + std::cos(b);
    result.link(rods,
                ScleronomousRelation{.rows = 2,
                                     .h =
                                         [h0](ConstVectorRef q, VectorRef y) {
                                           y << h0 - std::cos(q[0]) - std::cos(q[1]), std::sin(q[0]) + std::sin(q[1]);
                                         },
                                     .H = [](ConstVectorRef q, MatrixRef rows) { rows = H(q[0], q[1]); }},
                law, "floor");
    return result;
  }
};

double kinetic(const NonSmoothDynamicalSystem& model, const State& state) {
  return Ledger(model).record(state).kinetic;
}

const RunRemark* gain_in(const RunRemarks& findings) {
  for (const RunRemark& remark : findings)
    if (remark.kind == RunRemark::Kind::ImpactGain) return &remark;
  return nullptr;
}

TEST(ImpactEnergy, KanesDoublePendulumGainsByNewtonsLaw) {
  const DoublePendulum pendulum;
  const double before = pendulum.energy(pendulum.u_minus), gain = pendulum.energy({0.5, 0.0}) - before;
  ASSERT_GT(gain, 2.0 * before);  // 2.4 times what there was
  const NonSmoothDynamicalSystem model = pendulum.model(NewtonImpactFrictionLaw{.restitution = 0.5, .friction = 0.5});

  EventDriven events(model, {});
  EXPECT_NEAR(kinetic(model, events.state()), before + gain, 1e-11);
  const RunReport by_events = events.advance_to(1e-3);
  ASSERT_TRUE(by_events) << by_events.message();
  const RunRemark* told = gain_in(events.findings());
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(told->count, 1);
  EXPECT_NEAR(told->worst, gain, 1e-11);
  EXPECT_NE(told->message().find("gave energy"), std::string::npos) << told->message();
  EXPECT_NE(told->subject.find("floor on rods under Newton's law"), std::string::npos) << told->subject;
  ASSERT_NE(gain_in(by_events.findings), nullptr);

  // A step of length h: the rods turn by some 10 rad/s, so that W, H and their forces change u+ by some 10 h of its
  // size, in an energy whose W^-1 has a condition of 70.
  for (const double h : {1e-5, 1e-6}) {
    TimeStepping stepping(model, {.step = h});
    const RunReport by_steps = stepping.advance_to(h);
    ASSERT_TRUE(by_steps) << by_steps.message();
    EXPECT_NEAR(kinetic(model, stepping.state()), before + gain, 3e2 * h);
    told = gain_in(by_steps.findings);
    ASSERT_NE(told, nullptr);
    EXPECT_NEAR(told->worst, gain, 3e2 * h);
    EXPECT_NE(told->subject.find("floor on rods under Newton's law"), std::string::npos) << told->subject;
  }
  TimeStepping silent(model, {.step = 1e-6, .examination = Examination::Off});
  ASSERT_TRUE(silent.step());
  EXPECT_TRUE(silent.findings().empty());
}

TEST(ImpactEnergy, KanesDoublePendulumLosesByPoissonsLaw) {
  // u_c = 0 (the tip sticks), then p_eN = p_cN / 2, and friction just slides:
  //   p_c = -W^-1 u-,   p_e = (1, 1/2) p_cN / 2,   u+ = W p_e.
  const DoublePendulum pendulum;
  const Eigen::Matrix2d W = pendulum.W();
  const Eigen::Vector2d p_c = -W.inverse() * pendulum.u_minus, p_e = 0.5 * p_c[0] * Eigen::Vector2d(1.0, 0.5);
  const Eigen::Vector2d u_plus = W * p_e;
  ASSERT_LT(std::abs(p_c[1]), 0.5 * p_c[0]);
  ASSERT_LT(u_plus[1], 0.0);
  const double after = pendulum.energy(u_plus);
  EXPECT_LT(after, 0.1 * pendulum.energy(pendulum.u_minus));
  const NonSmoothDynamicalSystem model =
      pendulum.model(PoissonImpactLaw{.restitution = 0.5, .friction = 0.5, .dimension = 2});
  EventDriven events(model, {});
  EXPECT_NEAR(kinetic(model, events.state()), after, 1e-11);
  TimeStepping stepping(model, {.step = 1e-6});
  ASSERT_TRUE(stepping.step());
  EXPECT_NEAR(kinetic(model, stepping.state()), after, 1e-4);
  ASSERT_TRUE(events.advance_to(0.01));
  ASSERT_TRUE(stepping.advance_to(0.01));
  EXPECT_EQ(gain_in(events.findings()), nullptr);
  EXPECT_EQ(gain_in(stepping.findings()), nullptr);
}

TEST(ImpactEnergy, CoefficientsThatDifferGainByNewtonsLaw) {
  // Three unit balls, u- = (-1, 1/2), e = (1, 0): the second contact separates and is pushed together by the first.
  //   Newton: u+ = (1, 0), p = (7/6, 1/3), p·(u+ + u-) / 2 = 1/12.   Poisson: u+ = (3/4, 0), p = (1, 1/4), -1/16.
  for (const bool newton : {true, false}) {
    const double change = newton ? 1.0 / 12.0 : -1.0 / 16.0;
    const auto model = [&](double gap) {
      NonSmoothDynamicalSystem result;
      const std::vector<SystemHandle> balls{result.add(mass_point(1.0, 0.0, 0.0, 1.0)),
                                            result.add(mass_point(1.0, 0.0, 0.0, 0.0)),
                                            result.add(mass_point(1.0, 0.0, gap, 0.5))};
      for (std::size_t i = 0; i < 2; ++i) {
        const double e = i == 0 ? 1.0 : 0.0;
        result.link({balls[i], balls[i + 1]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}},
                    newton ? Law(NewtonImpactLaw{e}) : Law(PoissonImpactLaw{.restitution = e}));
      }
      return result;
    };
    const double before = 0.625;
    const NonSmoothDynamicalSystem touching = model(0.0);
    EventDriven events(touching, {});
    EXPECT_NEAR(kinetic(touching, events.state()), before + change, 1e3 * kEps) << newton;
    ASSERT_TRUE(events.advance_to(0.1));
    const RunRemark* told = gain_in(events.findings());
    ASSERT_EQ(told != nullptr, newton);
    if (told != nullptr) {
      EXPECT_NEAR(told->worst, change, 1e3 * kEps);
    }
    // A step looks half of it ahead: the second contact is closed where it is a little deeper than it opens in that.
    const NonSmoothDynamicalSystem pressed = model(-1e-3);
    TimeStepping stepping(pressed, {.step = 1e-3});
    ASSERT_TRUE(stepping.step());
    EXPECT_NEAR(kinetic(pressed, stepping.state()), before + change, 1e3 * kEps) << newton;
    told = gain_in(stepping.findings());
    ASSERT_EQ(told != nullptr, newton);
    if (told != nullptr) {
      EXPECT_NEAR(told->worst, change, 1e3 * kEps);
    }
  }
}

/// Two contacts with friction, rows (N1, T1, N2, T2), H H^T = W, unit masses, that are hit at once.
struct TwoFrictionalContacts {
  const Eigen::Matrix4d W{{1.0, 0.5, 0.0, 0.0}, {0.5, 4.25, 2.5, 0.0}, {0.0, 2.5, 2.0, -0.25}, {0.0, 0.0, -0.25, 2.75}};
  const Eigen::Matrix4d H = W.llt().matrixL();
  const Eigen::Vector4d u_minus{-1.0, 0.0, -1.0, 1.0};

  [[nodiscard]] double energy(const Eigen::Vector4d& u) const { return 0.5 * u.dot(W.inverse() * u); }
  [[nodiscard]] NonSmoothDynamicalSystem model(double e_1, double e_2) const {
    NonSmoothDynamicalSystem result;
    const auto masses = result.add(LagrangianLinearSystem{.mass = Eigen::Matrix4d::Identity(),
                                                          .q0 = Eigen::Vector4d::Zero(),
                                                          .v0 = Eigen::Vector4d(H.inverse() * u_minus)});
    for (const Index row : {0, 2}) {
      result.link(masses, LagrangianLinearRelation{.H = H.middleRows(row, 2)},
                  PoissonImpactLaw{.restitution = row == 0 ? e_1 : e_2, .friction = 1.0, .dimension = 2});
    }
    return result;
  }
};

TEST(ImpactEnergy, FrictionAndCoefficientsThatDifferGainByPoissonsLaw) {
  // e = (0, 1), mu = 1: both stick, u_c = 0; then the second gives p_cN2 back and sticks, the first slides:
  //   p_e = (a, -a, p_cN2, b) with u_N1 = u_T2 = 0.
  const TwoFrictionalContacts contacts;
  const Eigen::Matrix4d& W = contacts.W;
  const Eigen::Vector4d p_c = -W.inverse() * contacts.u_minus;
  for (const Index row : {0, 2}) ASSERT_LT(std::abs(p_c[row + 1]), p_c[row]);
  const Eigen::Matrix2d unknown{{W(0, 0) - W(0, 1), W(0, 3)}, {W(3, 0) - W(3, 1), W(3, 3)}};
  const Eigen::Vector2d known(W(0, 2), W(3, 2)), ab = -p_c[2] * (unknown.inverse() * known);
  const Eigen::Vector4d p_e(ab[0], -ab[0], p_c[2], ab[1]), u_plus = W * p_e;
  ASSERT_GE(p_e[0], 0.0);
  ASSERT_GT(u_plus[1], 0.0);
  ASSERT_GT(u_plus[2], 0.0);
  ASSERT_LT(std::abs(p_e[3]), p_e[2]);
  const double before = contacts.energy(contacts.u_minus), gain = contacts.energy(u_plus) - before;
  ASSERT_GT(gain, 2.0 * before);

  const NonSmoothDynamicalSystem model = contacts.model(0.0, 1.0);
  EventDriven events(model, {});
  EXPECT_NEAR(kinetic(model, events.state()), before + gain, 1e-11);
  TimeStepping stepping(model, {.step = 1e-3});
  ASSERT_TRUE(stepping.step());
  EXPECT_NEAR(kinetic(model, stepping.state()), before + gain, 1e-8);  // u to 1e-10 of some 3 m/s, times W^-1 u+
  const RunReport by_events = events.advance_to(1e-3);
  for (const RunRemark* told : {gain_in(by_events.findings), gain_in(stepping.findings())}) {
    ASSERT_NE(told, nullptr);
    EXPECT_NEAR(told->worst, gain, 1e-8);
    EXPECT_NE(told->message().find(" under Poisson's law: "), std::string::npos) << told->message();
  }
}

TEST(ImpactEnergy, OneCoefficientGainsNoneByPoissonsLaw) {
  // The change is at most -(1 - e^2) p_c·W p_c / 2, and p_c·W p_c / 2 is all the energy that there was where u_c = 0.
  const TwoFrictionalContacts contacts;
  const double before = contacts.energy(contacts.u_minus);
  for (const double e : {0.0, 0.5, 0.9, 1.0}) {
    const NonSmoothDynamicalSystem model = contacts.model(e, e);
    EventDriven events(model, {});
    EXPECT_LE(kinetic(model, events.state()), e * e * before + 1e-11) << e;
    TimeStepping stepping(model, {.step = 1e-3});
    ASSERT_TRUE(stepping.step());
    EXPECT_LE(kinetic(model, stepping.state()), e * e * before + 1e-8) << e;
    EXPECT_EQ(gain_in(events.findings()), nullptr) << e;
    EXPECT_EQ(gain_in(stepping.findings()), nullptr) << e;
  }
}

/// Three balls on threads, unit masses, frequency 1, that touch at rest; the first is let go from -1.
NonSmoothDynamicalSystem cradle(const Law& law) {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> balls;
  for (int i = 0; i < 3; ++i)
    balls.push_back(model.add(LagrangianLinearSystem{.stiffness = {{1.0}}, .q0 = {i == 0 ? -1.0 : 0.0}}));
  for (std::size_t i = 0; i < 2; ++i)
    model.link({balls[i], balls[i + 1]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, law);
  return model;
}

double energy_of(const State& state) { return 0.5 * (state.unknowns.squaredNorm() + state.positions.squaredNorm()); }

TEST(ImpactEnergy, ACradleGainsNoneInAThousandImpacts) {
  for (const Law& law : {Law(NewtonImpactLaw{1.0}), Law(PoissonImpactLaw{.restitution = 1.0}),
                         Law(PoissonImpactLaw{.restitution = 0.999})}) {
    // Linear, theta = 1/2: energy changes by p·(u+ + u-) / 2 alone, which is not positive beyond round-off.
    const NonSmoothDynamicalSystem model = cradle(law);
    TimeStepping stepping(model, {.step = 0.05});
    double last = energy_of(stepping.state());
    const double first = last;
    Index impacts = 0;
    const RunReport report = stepping.advance_to(3500.0, [&](const State& state) {
      const double energy = energy_of(state);
      if (state.multipliers.maxCoeff() > 0.0) ++impacts;
      EXPECT_LE(energy, last + 64.0 * kEps * first) << state.t;
      last = energy;
    });
    ASSERT_TRUE(report) << report.message();
    EXPECT_GE(impacts, 1000);
    EXPECT_EQ(gain_in(report.findings), nullptr);
  }
}

}  // namespace
}  // namespace nonsmooth::impact_energy_test
