// SPDX-License-Identifier: Apache-2.0
// SpringDashpotLaw: contact time and restitution of one contact, order, stability at any step, and the rigid limit.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <problems/reference.hpp>

#include "kernel/closed_forms.hpp"
#include "kernel/mechanics_orders.hpp"

namespace nonsmooth::mechanics_spring_dashpot_test {
namespace {

using namespace closed_forms;
using namespace mechanics;

// A unit mass, q'' = -k q - 2 s q' while the force pushes. With wd = sqrt(k - s^2) and alpha = atan(s / wd) the force
// vanishes at wd t = pi - 2 alpha, the speed then being that of the approach times exp(-s t).
struct Contact {
  double k = 1e4, d = 20.0;
  double s = 0.5 * d, wd = std::sqrt(k - s * s);
  double duration = (kPi - 2.0 * std::atan(s / wd)) / wd;
  double restitution = std::exp(-s * duration);
  double depth = std::exp(-s * duration) * std::sin(wd * duration) / wd;  // still there at release, for unit approach
};

TEST(SpringDashpot, ClosedFormOfTheContact) {
  EXPECT_NEAR(Contact{}.restitution, 0.7440793977, 1e-10);
  EXPECT_NEAR(std::exp(-10.0 * kPi / Contact{}.wd), 0.7292476143, 1e-10);  // were it to pull to the end
  const double z = 0.1;
  EXPECT_NEAR(std::exp(-2.0 * z * std::acos(z) / std::sqrt(1.0 - z * z)), Contact{}.restitution, 1e-14);
}

struct Rebound {
  double speed = 0.0, begin = 0.0, end = 0.0, largest = 0.0;
};

Rebound rebound(const Contact& c, double gap, double h, double theta, double T) {
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(mass_point(1.0, 0.0, gap, -1.0));
  const auto contact =
      model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, SpringDashpotLaw{.stiffness = c.k, .damping = c.d});
  TimeStepping run(model, moreau_jean(h, theta));
  Rebound result;
  const auto report = run.advance_to(T, [&](const State& state) {
    const double force = state.force(contact)[0];
    EXPECT_GE(force, 0.0);  // it never pulls
    result.largest = std::max(result.largest, force);
    if (force > 0.0 && result.begin == 0.0) result.begin = state.t;
    if (force > 0.0) result.end = state.t;
  });
  EXPECT_TRUE(report) << report.message();
  result.speed = run.state().v(mass)[0];
  return result;
}

TEST(SpringDashpot, RestitutionAndContactTimeConvergeWithOrderOne) {
  // The dashpot's force jumps at first touch, which falls anywhere in its step: the error is of order one with a factor
  // that scatters by d h against the k^(1/2) h of the scheme, 20 %. The mean over 16 gaps scatters by a quarter of
  // that.
  const Contact c;
  for (const double theta : {0.5, 1.0}) {
    const auto restitution = [&](double h) {
      double sum = 0.0;
      for (int i = 0; i < 16; ++i)
        sum += std::abs(rebound(c, 1e-3 + 1.37e-5 * i, h, theta, 0.05).speed - c.restitution) / 16.0;
      return sum;
    };
    EXPECT_NEAR(fitted_order(1e-4, 4, restitution), 1.0, 0.1);
    const Rebound fine = rebound(c, 1e-3, 1e-6, theta, 0.05);
    EXPECT_NEAR(fine.begin, 1e-3, 3e-6);  // a gap of 1 mm at 1 m/s, seen to a step
    EXPECT_NEAR(fine.end - fine.begin, c.duration, 5e-6);
  }
}

TEST(SpringDashpot, PushesAtOnceWithTheDashpot) {
  // lambda = d |v| at first touch, before any depth: the largest of the first step tends to 20 N.
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(mass_point(1.0, 0.0, 0.0, -1.0));
  const auto contact =
      model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, SpringDashpotLaw{.stiffness = 1e4, .damping = 20.0});
  TimeStepping run(model, moreau_jean(1e-7));
  ASSERT_TRUE(run.step());
  EXPECT_NEAR(run.state().force(contact)[0], 20.0, 2e-3);  // (k - d^2) h = 1e-3
  EXPECT_EQ(run.state().percussion(contact)[0], 0.0);
}

TEST(SpringDashpot, NoStepIsTooLong) {
  // Explicit Euler needs h < d / k = 2e-3. Here the speed after a contact is never above that before it.
  const Contact c;
  for (const double theta : {0.5, 0.75, 1.0}) {
    for (const double gap : {0.0, 0.1, 0.5, 0.9})  // of a step
      for (double h = 1e-3; h < 1e3; h *= 10.0) {
        const Rebound run = rebound(c, gap * h, h, theta, 100.0 * h);
        EXPECT_LE(std::abs(run.speed), 1.0 + 1e-9) << theta << ' ' << h;
      }
  }
  for (const double d : {0.0, 20.0, 1e3}) {
    for (double k = 1e2; k < 1e15; k *= 100.0) {
      const Rebound run = rebound(Contact{.k = k, .d = d}, 3e-3, 1e-2, 0.5, 1.0);
      EXPECT_LE(std::abs(run.speed), 1.0 + 1e-9) << d << ' ' << k;
    }
  }
}

TEST(SpringDashpot, RestsInItsEquilibrium) {
  // m g = k |q|, whatever h; what the damped oscillation leaves after 5 s is below e^(-10 * 5 / 2).
  for (const double h : {1e-3, 1e-2}) {
    NonSmoothDynamicalSystem model;
    const auto mass = model.add(mass_point(1.0, -kGravity, 0.0, 0.0));
    const auto contact =
        model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, SpringDashpotLaw{.stiffness = 1e4, .damping = 20.0});
    TimeStepping run(model, moreau_jean(h));
    ASSERT_TRUE(run.advance_to(5.0));
    EXPECT_NEAR(run.state().q(mass)[0], -kGravity / 1e4, 1e-9);
    EXPECT_NEAR(run.state().force(contact)[0], kGravity, 1e-5);
  }
}

/// Height at T of a ball dropped from `height`, stiffness 1 / eps^2 and z = 0.1 (eps = 0: Moreau's rigid contact).
double dropped(double height, double eps, double T) {
  const Contact unit{.k = 1.0, .d = 0.2};
  double t = 0.0, q = height, v = 0.0;
  for (;;) {
    const double flight = (v + std::sqrt(v * v + 2.0 * kGravity * q)) / kGravity;
    if (t + flight >= T) return q + v * (T - t) - 0.5 * kGravity * (T - t) * (T - t);
    t += flight;
    v -= kGravity * flight;
    q = 0.0;
    if (eps == 0.0) {
      v *= -unit.restitution;
      continue;
    }
    // x = q + g / k swings about 0 in units of eps for time: x = e^(-s r) (g eps^2 cos + b sin), until the force is 0.
    const double a = kGravity * eps * eps, b = (v * eps + unit.s * a) / unit.wd;
    const auto x = [&](double r) {
      return std::exp(-unit.s * r) * (a * std::cos(unit.wd * r) + b * std::sin(unit.wd * r));
    };
    const auto rate = [&](double r) {
      return std::exp(-unit.s * r) * unit.wd * (b * std::cos(unit.wd * r) - a * std::sin(unit.wd * r)) - unit.s * x(r);
    };
    // Between where it pushes and where it would pull.
    const double end =
        problems::root_between([&](double r) { return x(r) - a + unit.d * rate(r); }, 0.5 * kPi, 1.5 * kPi);
    t += end * eps;
    q = x(end) - a;
    v = rate(end) / eps;
  }
}

TEST(SpringDashpot, ConvergesUnderGravityOverTwoContacts) {
  const double eps = 5e-3, T = 0.65;
  const auto error = [&](double h) {
    double sum = 0.0;
    for (int i = 0; i < 8; ++i) {
      const double height = 0.2 + 1.7e-4 * i;
      NonSmoothDynamicalSystem model;
      const auto mass = model.add(mass_point(1.0, -kGravity, height, 0.0));
      model.link(mass, LagrangianLinearRelation{.H = {{1.0}}},
                 SpringDashpotLaw{.stiffness = 1.0 / (eps * eps), .damping = 0.2 / eps});
      TimeStepping run(model, moreau_jean(h));
      const auto report = run.advance_to(T);
      EXPECT_TRUE(report) << report.message();
      sum += std::abs(run.state().q(mass)[0] - dropped(height, eps, T)) / 8.0;
    }
    return sum;
  };
  EXPECT_NEAR(fitted_order(5e-5, 3, error), 1.0, 0.15);  // as for one contact, with half as many gaps
}

TEST(SpringDashpot, TendsToTheRigidContactOfItsRestitution) {
  // Contacts last O(k^-1/2): so late is the motion, by the closed form, against that of Moreau's e = exp(...); and the
  // run, with h k^(1/2) = 0.004, is as near to the rigid scheme's as that, 2 mm of 200 mm, and the two schemes' own h.
  EXPECT_NEAR(
      fitted_order(1e-3, 5, [](double eps) { return std::abs(dropped(0.2, eps, 0.65) - dropped(0.2, 0.0, 0.65)); }),
      1.0, kSmooth);
  const double eps = 2.5e-4, h = 1e-6;
  double q[2];
  for (const int rigid : {0, 1}) {
    NonSmoothDynamicalSystem model;
    const auto mass = model.add(mass_point(1.0, -kGravity, 0.2, 0.0));
    const Law law = rigid ? Law(NewtonImpactLaw{Contact{}.restitution})
                          : Law(SpringDashpotLaw{.stiffness = 1.0 / (eps * eps), .damping = 0.2 / eps});
    model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, law);
    TimeStepping run(model, moreau_jean(h));
    ASSERT_TRUE(run.advance_to(0.65));
    q[rigid] = run.state().q(mass)[0];
  }
  EXPECT_NEAR(q[0], q[1], 2e-3);
}

/// A floor at `height`, from a class of its own that knows its constant Jacobian.
class Floor final : public MechanicalRelation {
 public:
  explicit Floor(double height) : height_(height) {}
  [[nodiscard]] Index rows() const override { return 1; }
  void h(double, ConstVectorRef q, VectorRef y) const override { y[0] = q[0] - height_; }
  void H(double, ConstVectorRef, MatrixRef jacobian) const override { jacobian(0, 0) = 1.0; }
  [[nodiscard]] const Eigen::MatrixXd* constant_jacobian() const override { return &jacobian_; }

 private:
  double height_;
  Eigen::MatrixXd jacobian_ = Eigen::MatrixXd::Ones(1, 1);
};

TEST(SpringDashpot, KnowsTheGapOfADerivedRelation) {
  // The same floor as a linear relation and as a class: the same steps, up to the rounding of Newton's iterate (1e-9
  // relative in its tolerance, a quadratic step below that for a linear problem).
  const auto make = [](bool derived) {
    NonSmoothDynamicalSystem model;
    const auto ball = model.add(LagrangianLinearSystem{.force = {-9.81}, .q0 = {1.2}});
    const SpringDashpotLaw law{.stiffness = 1e4, .damping = 20.0};
    if (derived) {
      model.link(ball, std::make_shared<const Floor>(1.0), law);
    } else {
      model.link(ball, LagrangianLinearRelation{.H = {{1.0}}, .b = {-1.0}}, law);
    }
    return TimeStepping(model, {.step = 1e-4});
  };
  TimeStepping derived = make(true), linear = make(false);
  for (int k = 0; k < 5000; ++k) {
    ASSERT_TRUE(derived.step());
    ASSERT_TRUE(linear.step());
    ASSERT_NEAR(derived.state().positions[0], linear.state().positions[0], 1e-9) << k;
  }
}

}  // namespace
}  // namespace nonsmooth::mechanics_spring_dashpot_test
