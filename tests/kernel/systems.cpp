// SPDX-License-Identifier: Apache-2.0
// Users' classes beside the aggregates that say the same, and what the classes of linear aggregates answer.
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include <nonsmooth/kernel/dynamics.hpp>
#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/model_checks.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>

#include "bad_input.hpp"

namespace nonsmooth::systems_test {
namespace {

using bad_input::expect_refused;

constexpr double kStep = 0.01;

/// Van der Pol's oscillator, driven.
void rate(double t, ConstVectorRef x, VectorRef f) {
  f[0] = x[1];
  f[1] = (1.0 - x[0] * x[0]) * x[1] - x[0] + std::cos(t);
}
void rate_dx(ConstVectorRef x, MatrixRef J) {
  J(0, 1) = 1.0;
  J(1, 0) = -2.0 * x[0] * x[1] - 1.0;
  J(1, 1) = 1.0 - x[0] * x[0];
}
Eigen::MatrixXd mass_of_oscillator() { return Eigen::MatrixXd{{2.0, 0.5}, {0.0, 1.0}}; }

FirstOrderSystem described(bool with_jacobian) {
  FirstOrderSystem system{.mass = mass_of_oscillator(), .f = rate, .x0 = {0.3, 0.2}};
  if (with_jacobian) system.f_dx = [](double, ConstVectorRef x, MatrixRef J) { rate_dx(x, J); };
  return system;
}

class Oscillator final : public FirstOrderDynamicalSystem {
 public:
  explicit Oscillator(bool with_jacobian) : with_jacobian_(with_jacobian) {}

  [[nodiscard]] Eigen::VectorXd initial_state() const override { return Eigen::Vector2d(0.3, 0.2); }
  [[nodiscard]] const MatrixData& mass() const override { return mass_; }
  void f(double t, ConstVectorRef x, VectorRef value) const override { rate(t, x, value); }
  bool f_dx(double, ConstVectorRef x, MatrixRef jacobian) const override {
    if (with_jacobian_) rate_dx(x, jacobian);
    return with_jacobian_;
  }

 private:
  bool with_jacobian_;
  MatrixData mass_ = mass_of_oscillator();
};

/// y = x_0 + 1/2 + lambda, r = (0, lambda).
FirstOrderRelation described_stop() {
  return {.rows = 1,
          .h = [](double, ConstVectorRef x, ConstVectorRef lambda, VectorRef y) { y[0] = x[0] + 0.5 + lambda[0]; },
          .h_dx = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = 1.0; },
          .g = [](double, ConstVectorRef, ConstVectorRef lambda, VectorRef r) { r[1] = lambda[0]; }};
}

class Stop final : public FirstOrderInputOutputRelation {
 public:
  [[nodiscard]] Index rows() const override { return 1; }
  void h(double, ConstVectorRef x, ConstVectorRef lambda, VectorRef y) const override { y[0] = x[0] + 0.5 + lambda[0]; }
  void g(double, ConstVectorRef, ConstVectorRef lambda, VectorRef r) const override { r[1] = lambda[0]; }
  bool h_dx(double, ConstVectorRef, ConstVectorRef, MatrixRef J) const override {
    J(0, 0) = 1.0;
    return true;
  }
};

template <class System>
NonSmoothDynamicalSystem model_of(System system, AnyRelation relation) {
  NonSmoothDynamicalSystem model;
  const auto oscillator = model.add(std::move(system));
  model.link(oscillator, std::move(relation), ComplementarityLaw{});
  return model;
}

TEST(FirstOrderClasses, HaveTheBitsOfTheirAggregates) {
  for (const bool with_jacobian : {true, false}) {
    const auto aggregate = model_of(described(with_jacobian), described_stop());
    const auto own = model_of(std::make_shared<Oscillator>(with_jacobian), std::make_shared<const Stop>());
    TimeStepping first(aggregate, {.integrator = EulerMoreau{.theta = 0.5}, .step = kStep}),
        second(own, {.integrator = EulerMoreau{.theta = 0.5}, .step = kStep});
    bool pressed = false;
    for (int k = 0; k < 1000; ++k) {
      ASSERT_TRUE(first.step());
      ASSERT_TRUE(second.step());
      ASSERT_EQ(hash_of(first.state()), hash_of(second.state())) << "step " << k;
      pressed = pressed || first.state().multipliers[0] > 0.0;
    }
    EXPECT_TRUE(pressed);
    EXPECT_EQ(rates_of(aggregate, first.state()), rates_of(own, second.state()));
    EXPECT_NO_THROW(verify_jacobians(own, second.state()));
  }
}

TEST(FirstOrderClasses, HaveTheBitsOfTheirAggregatesBetweenEvents) {
  const FirstOrderLinearRelation stop{.C = {{1.0, 0.0}}, .D = {{1.0}}, .B = {{0.0}, {1.0}}, .e = {0.5}};
  EventDriven first(model_of(described(false), stop), {}),
      second(model_of(std::make_shared<Oscillator>(false), stop), {});
  ASSERT_TRUE(first.advance_to(10.0));
  ASSERT_TRUE(second.advance_to(10.0));
  EXPECT_EQ(hash_of(first.state()), hash_of(second.state()));
}

TEST(LinearClasses, AnswerByTheirFormulas) {
  // F = f - C v - K q, V = q K q / 2 - f q. Integers and halves: no rounding.
  const Eigen::MatrixXd M{{2.0, 1.0}, {1.0, 3.0}}, C{{4.0, 0.0}, {1.0, 5.0}}, K{{6.0, -2.0}, {-2.0, 8.0}};
  const Eigen::Vector2d f(1.0, -2.0), q(3.0, 0.5), v(-1.0, 2.0);
  const Eigen::SparseMatrix<double> sparse = K.sparseView();
  for (const MatrixData& stiffness : {MatrixData(K), MatrixData(sparse)}) {
    const auto system = make_system(
        LagrangianLinearSystem{.mass = M, .damping = C, .stiffness = stiffness, .force = f, .q0 = q, .name = "beam"});
    Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(2, 2), dq = mass, dv = mass;
    Eigen::VectorXd force = Eigen::VectorXd::Zero(2);
    system->mass(q, mass);
    system->force(0.0, q, v, force);
    system->force_dq(0.0, q, v, dq);
    system->force_dv(0.0, q, v, dv);
    EXPECT_EQ(mass, M);
    EXPECT_EQ(force, Eigen::VectorXd(f - C * v - K * q));
    EXPECT_EQ(dq, Eigen::MatrixXd(-K));
    EXPECT_EQ(dv, Eigen::MatrixXd(-C));
    EXPECT_EQ(system->potential(q), 0.5 * q.dot(K * q) - f.dot(q));
    EXPECT_EQ(system->name(), "beam");
    EXPECT_EQ(system->initial_velocity(), Eigen::VectorXd(Eigen::Vector2d::Zero()));
    ASSERT_NE(system->linear(), nullptr);
    EXPECT_EQ(system->linear()->damping.to_dense(2), C);
  }
  // At t = 2: f = A x + b with A = t K, b = (t, 0).
  const auto circuit = make_system(FirstOrderLinearSystem{
      .A = [&](double t, MatrixRef A) { A = t * K; }, .b = [](double t, VectorRef b) { b[0] = t; }, .x0 = q});
  Eigen::MatrixXd f_dx = Eigen::MatrixXd::Zero(2, 2);
  Eigen::VectorXd rate_of_circuit = Eigen::VectorXd::Zero(2);
  circuit->f(2.0, q, rate_of_circuit);
  ASSERT_TRUE(circuit->f_dx(2.0, q, f_dx));
  EXPECT_EQ(rate_of_circuit, Eigen::VectorXd(2.0 * (K * q) + Eigen::Vector2d(2.0, 0.0)));
  EXPECT_EQ(f_dx, Eigen::MatrixXd(2.0 * K));
}

TEST(LinearClasses, OfRelationsAnswerByTheirFormulas) {
  const Eigen::MatrixXd C{{1.0, 2.0}}, D{{3.0}}, B{{4.0}, {5.0}};
  const Eigen::VectorXd x = Eigen::Vector2d(0.5, -1.0), lambda = Eigen::VectorXd::Constant(1, 2.0);
  const auto relation = make_relation(FirstOrderLinearRelation{.C = C, .D = D, .B = B, .e = {0.25}});
  Eigen::VectorXd y = Eigen::VectorXd::Zero(1), r = Eigen::VectorXd::Zero(2);
  relation->h(0.0, x, lambda, y);
  relation->g(0.0, x, lambda, r);
  EXPECT_EQ(y[0], 0.5 - 2.0 + 6.0 + 0.25);
  EXPECT_EQ(r, Eigen::VectorXd(Eigen::Vector2d(8.0, 10.0)));
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(2, 1);
  ASSERT_TRUE(relation->g_dlambda(0.0, x, lambda, J));
  EXPECT_EQ(J, B);
}

class OfNoKind final : public DynamicalSystem {
 public:
  [[nodiscard]] Eigen::VectorXd initial_unknowns() const override { return Eigen::VectorXd::Zero(1); }
};

class RelationOfNoKind final : public Relation {
 public:
  [[nodiscard]] Index rows() const override { return 1; }
};

class WithoutState final : public FirstOrderDynamicalSystem {
 public:
  [[nodiscard]] Eigen::VectorXd initial_state() const override { return {}; }
  void f(double, ConstVectorRef, VectorRef) const override {}
};

TEST(Classes, OfNoKindAreRefused) {
  NonSmoothDynamicalSystem model;
  expect_refused([&] { model.add(std::make_shared<OfNoKind>()); }, {"DynamicalSystem", "MechanicalSystem"});
  expect_refused([&] { model.add(std::make_shared<WithoutState>()); }, {"FirstOrderDynamicalSystem::initial_state"});
  const auto capacitor = model.add(FirstOrderLinearSystem{.x0 = {0.0}});
  expect_refused([&] { model.link(capacitor, std::make_shared<const RelationOfNoKind>(), EqualityLaw{}); },
                 {"Interaction::relation", "MechanicalRelation"});
}

}  // namespace
}  // namespace nonsmooth::systems_test
