// SPDX-License-Identifier: Apache-2.0
// A system that says its matrices in entries of a pattern, at instants and by events, beside its dense twin: four balls
// above one another, tied by springs of 100 d + 400 d^3 at distances of 1 + d, whose mass 1 + 0.1 sin q varies.
#include <gtest/gtest.h>

#include <cmath>

#include <nonsmooth/kernel.hpp>

#include "dynamics/system_caches.hpp"

namespace nonsmooth::sparse_systems_test {
namespace {

constexpr Index kBalls = 4;

double stretch(ConstVectorRef q, Index i) { return q[i + 1] - q[i] - 1.0; }

void pull_and_weight(ConstVectorRef q, VectorRef F) {
  for (Index i = 0; i < kBalls; ++i) F[i] -= 9.81;
  for (Index i = 0; i + 1 < kBalls; ++i) {
    const double d = stretch(q, i), pull = 100.0 * d + 400.0 * d * d * d;
    F[i] += pull;
    F[i + 1] -= pull;
  }
}

template <class Add>
void stiffness(ConstVectorRef q, Add&& add) {
  for (Index i = 0; i + 1 < kBalls; ++i) {
    const double d = stretch(q, i), k = 100.0 + 1200.0 * d * d;
    add(i, i, -k);
    add(i + 1, i + 1, -k);
    add(i, i + 1, k);
    add(i + 1, i, k);
  }
}

double mass_of(double q) { return 1.0 + 0.1 * std::sin(q); }

const Eigen::VectorXd kStart = Eigen::Vector4d(0.5, 1.6, 2.5, 3.5);

NonSmoothDynamicalSystem with_floor(NonSmoothDynamicalSystem model, SystemHandle balls) {
  model.link(balls, LagrangianLinearRelation{.H = Eigen::RowVectorXd::Unit(kBalls, 0)},
             NewtonImpactLaw{.restitution = 0.6});
  return model;
}

NonSmoothDynamicalSystem sparse_balls() {
  NonSmoothDynamicalSystem model;
  const auto balls = model.add(SparseLagrangianSystem{
      .pattern = SparsePattern::of_elements(kBalls, {{0, 1}, {1, 2}, {2, 3}}),
      .mass_of_q =
          [](ConstVectorRef q, SparseEntries& M) {
            for (Index i = 0; i < kBalls; ++i) M.add(i, i, mass_of(q[i]));
            M.add(0, 1, 0.2);
            M.add(1, 0, 0.2);
          },
      .force = [](double, ConstVectorRef q, ConstVectorRef, VectorRef F) { pull_and_weight(q, F); },
      .force_dq = [](double, ConstVectorRef q, ConstVectorRef,
                     SparseEntries& J) { stiffness(q, [&J](Index i, Index j, double value) { J.add(i, j, value); }); },
      .force_dv = [](double, ConstVectorRef, ConstVectorRef, SparseEntries&) {},
      .q0 = kStart,
      .name = "balls"});
  return with_floor(model, balls);
}

NonSmoothDynamicalSystem dense_balls() {
  NonSmoothDynamicalSystem model;
  const auto balls = model.add(LagrangianSystem{
      .mass =
          [](ConstVectorRef q, MatrixRef M) {
            for (Index i = 0; i < kBalls; ++i) M(i, i) = mass_of(q[i]);
            M(0, 1) = M(1, 0) = 0.2;
          },
      .force = [](double, ConstVectorRef q, ConstVectorRef, VectorRef F) { pull_and_weight(q, F); },
      .force_dq = [](double, ConstVectorRef q, ConstVectorRef,
                     MatrixRef J) { stiffness(q, [&J](Index i, Index j, double value) { J(i, j) += value; }); },
      .force_dv = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {},
      .q0 = kStart,
      .name = "balls"});
  return with_floor(model, balls);
}

/// What a batch of the one system answers at its start.
struct Answers {
  Eigen::VectorXd F = Eigen::VectorXd::Zero(kBalls), a = F, product = F, solution = F;
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(kBalls, kBalls), F_q = M, F_v = M;

  explicit Answers(const NonSmoothDynamicalSystem& model) {
    SystemCaches systems;
    const State state = model.initial_state(0.0);
    stages::prepare_instants(model, *state.layout(), {0}, {0}, systems);
    SystemBatch& batch = *systems.batches.front();
    const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(kBalls, -1.0, 1.0);
    EXPECT_EQ(batch.factor_constant_masses(), -1);
    batch.evaluate_motion(0.0, state.positions, v, F);
    EXPECT_EQ(batch.accelerations(F, a), -1);
    batch.mass_product(v, product);
    batch.masses(M);
    batch.jacobians(0.0, state.positions, v, F_q, F_v);
    solution = v;
    batch.solve_mass(solution.data());
  }
};

TEST(SparseSystemAtInstants, AnswersAsItsDenseTwin) {
  const Answers sparse(sparse_balls()), dense(dense_balls());
  EXPECT_EQ(sparse.F, dense.F);
  EXPECT_EQ(sparse.M, dense.M);
  EXPECT_EQ(sparse.F_q, dense.F_q);
  EXPECT_EQ(sparse.F_v, dense.F_v);
  EXPECT_GT(dense.F.norm(), 10.0);
  // Condition below 2, forces of some 20 N.
  EXPECT_LE((sparse.a - dense.a).norm(), 1e-13);
  EXPECT_LE((sparse.product - dense.product).norm(), 1e-15);
  EXPECT_LE((sparse.solution - dense.solution).norm(), 1e-15);
}

TEST(SparseSystemAtInstants, NamesAMassThatIsNotPositiveDefinite) {
  NonSmoothDynamicalSystem model;
  model.add(SparseLagrangianSystem{.pattern = SparsePattern::of_elements(2, {{0, 1}}),
                                   .mass_of_q =
                                       [](ConstVectorRef q, SparseEntries& M) {
                                         M.add(0, 0, 1.0);
                                         M.add(1, 1, q[0]);
                                       },
                                   .q0 = {-1.0, 0.0}});
  SystemCaches systems;
  const State state = model.initial_state(0.0);
  stages::prepare_instants(model, *state.layout(), {0}, {0}, systems);
  Eigen::VectorXd F = Eigen::VectorXd::Zero(2), a = F;
  SystemBatch& batch = *systems.batches.front();
  batch.evaluate_motion(0.0, state.positions, F, F);
  EXPECT_EQ(batch.accelerations(F, a), 0);
}

/// Some 2 s with a dozen impacts: the same events, and the same end to the integrators' tolerance of 1e-10 of 4 m in a
/// second, amplified by less than 100 (a start that is 1e-9 off ends 3e-8 off).
void expect_same_run(const EventDrivenOptions& options) {
  EventDriven sparse(sparse_balls(), options), dense(dense_balls(), options);
  const auto first = sparse.advance_to(2.0), second = dense.advance_to(2.0);
  ASSERT_TRUE(first) << first.message();
  ASSERT_TRUE(second) << second.message();
  EXPECT_GT(sparse.events().size(), 5u);
  EXPECT_EQ(sparse.events().size(), dense.events().size());
  EXPECT_LE((sparse.state().positions - dense.state().positions).norm(), 1e-8);
  EXPECT_LE((sparse.state().unknowns - dense.state().unknowns).norm(), 1e-7);
}

TEST(SparseSystemByEvents, IsItsDenseTwin) { expect_same_run({}); }
TEST(SparseSystemByEvents, IsItsDenseTwinByRadau) { expect_same_run({.integrator = RadauIIA{}}); }
TEST(SparseSystemByEvents, IsItsDenseTwinByGeneralisedAlpha) {
  expect_same_run({.integrator = GeneralisedAlpha{}, .step = 1e-3});
}

}  // namespace
}  // namespace nonsmooth::sparse_systems_test
