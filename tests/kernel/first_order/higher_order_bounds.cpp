// SPDX-License-Identifier: Apache-2.0
// How far higher-order sweeping processes may grow, (1 - h rate)^-k and what drives them: held by runs, told where not.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <nonsmooth/kernel/higher_order.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>

#include "higher_order_processes.hpp"
#include "stepping/watches/run_watch.hpp"

namespace nonsmooth::higher_order_bounds_test {
namespace {

using namespace higher_order_processes;
using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(HigherOrderBounds, AStepBeyondTheBoundIsTold) {
  const Process of = chain(Eigen::Vector3d(1.0, 0.0, -1.0));
  TimeStepping simulation(of.model, {.integrator = HigherOrderMoreau{}, .step = 1e-2});
  StepSolution solution;
  solution.z = simulation.state().unknowns;
  const StepReport report = simulation.step();
  ASSERT_TRUE(report);
  State state = simulation.state();
  ThreadPool threads;
  const Discretisation discretisation(threads);
  const RelationCaches relations{};
  const TakenStep step{report, state, discretisation, relations, solution};
  // H = 1: the metric is that of z, and the shift's norm is 1.
  EXPECT_NEAR(of.handles.form.rate, 1.0, 1e-14);
  std::vector<RunWatch::Growth> growths(1);
  growths[0].systems = linked_systems(*of.model.layout(), {of.system.slot});
  growths[0].name = "stop";
  growths[0].rate = of.handles.form.rate;
  growths[0].metric = of.handles.form.W;
  growths[0].offset = VectorXd::Zero(3);
  growths[0].x = growths[0].size = VectorXd::Zero(3);
  RunRemarks noticed;
  stages::watch_growth(step, growths, noticed);
  EXPECT_TRUE(noticed.empty());
  state.unknowns *= 1.02;  // 0.99 of it is above what it was
  stages::watch_growth(step, growths, noticed);
  ASSERT_EQ(noticed.size(), 1U);
  EXPECT_EQ(noticed[0].kind, RunRemark::Kind::BoundExceeded);
  EXPECT_EQ(noticed[0].subject, "stop");
  EXPECT_NEAR(noticed[0].worst, 0.99 * state.unknowns.norm() / std::sqrt(2.0) - 1.0, 1e-12);
}

/// The run stays below its bound, p^k |z_0| + h forcing (p + ... + p^k), and nothing is told of it.
void expect_bounded(const NonSmoothDynamicalSystem& model, const HigherOrderHandles& handles, const MatrixXd& metric,
                    double h, double T) {
  TimeStepping simulation(model, {.integrator = HigherOrderMoreau{}, .step = h});
  const auto size = [&](const State& state) { return (metric * state.y(handles.levels)).norm(); };
  double allowed = size(simulation.state());
  const double p = 1.0 / (1.0 - h * handles.form.rate);
  ASSERT_GT(p, 0.0);
  const RunReport report = simulation.advance_to(T, [&](const State& state) {
    allowed = p * (allowed + h * handles.form.forcing);
    EXPECT_LE(size(state), allowed * (1.0 + 1e-9)) << "at t = " << state.t;
  });
  EXPECT_TRUE(report) << report.message();
  EXPECT_TRUE(simulation.findings().empty());
}

// z_3' = -6 + lambda, w = x_1 - 1/2: d = (0, 0, -6) in z = (w, w', w''), and |A_z| = 1, that of the shift.
TEST(HigherOrderBounds, WhatIsDrivenStaysWithinGronwallsBound) {
  NonSmoothDynamicalSystem model;
  const SystemHandle system =
      model.add(FirstOrderLinearSystem{.A = integrators(3), .b = {0.0, 0.0, -6.0}, .x0 = {1.5, 0.0, 0.0}});
  const InteractionHandle plain =
      model.link(system, FirstOrderLinearRelation{.C = {{1.0, 0.0, 0.0}}, .B = {{0.0}, {0.0}, {1.0}}, .e = {-0.5}},
                 ComplementarityLaw{});
  const HigherOrderHandles handles = link_higher_order(model, plain);
  EXPECT_NEAR(handles.form.rate, 1.0, 1e-14);
  EXPECT_NEAR(handles.form.forcing, 6.0, 1e-14);
  expect_bounded(model, handles, MatrixXd::Identity(3, 3), 1e-2, 3.0);
}

// H = diag(2, 1/2) (2 1; 1 2): S = diag(d) H^-1 with d = (1, 4). Two chains of two levels that meet.
TEST(HigherOrderBounds, AnHThatScalingMakesSymmetricHasItsBound) {
  MatrixXd A = MatrixXd::Zero(4, 4), B = MatrixXd::Zero(4, 2), C = MatrixXd::Zero(2, 4);
  A << 0, 1, 0, 0, -1, 0, 0.2, 0, 0, 0, 0, 1, 0.3, 0, -2, 0;
  B(1, 0) = 4.0, B(1, 1) = 2.0, B(3, 0) = 0.5, B(3, 1) = 1.0;
  C(0, 0) = C(1, 2) = 1.0;
  const Process of = process(A, B, C, Eigen::Vector4d(1.0, 0.3, 0.5, -1.0));
  ASSERT_TRUE(of.handles.form.rate > 0.0);
  Eigen::Matrix2d S = Eigen::Vector2d(1.0, 4.0).asDiagonal() * of.handles.form.H.inverse();
  ASSERT_LE((S - S.transpose()).norm(), 1e-14);
  const Eigen::Matrix2d L = S.llt().matrixU();
  MatrixXd metric = MatrixXd::Identity(4, 4);
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 2; ++j) metric(2 * i + 1, 2 * j + 1) = L(i, j);
  expect_bounded(of.model, of.handles, metric, 1e-3, 5.0);
}

// H = (1 -3; 3 1), a P-matrix that no scaling makes symmetric, as h_12 h_21 < 0: z_2 = (-1, 0) at w = 0 is stopped by
// lambda_1 = 1, which makes z_2 = (0, 3) of it, in one step and without any A.
TEST(HigherOrderBounds, WhereNoMetricDoesThereIsNoBound) {
  MatrixXd A = MatrixXd::Zero(4, 4), B = MatrixXd::Zero(4, 2), C = MatrixXd::Zero(2, 4);
  A(0, 1) = A(2, 3) = 1.0;
  B(1, 0) = 1.0, B(1, 1) = -3.0, B(3, 0) = 3.0, B(3, 1) = 1.0;
  C(0, 0) = C(1, 2) = 1.0;
  const Process of = process(A, B, C, Eigen::Vector4d(0.0, -1.0, 0.0, 0.0));
  EXPECT_TRUE(std::isnan(of.handles.form.rate));
  TimeStepping simulation(of.model, {.integrator = HigherOrderMoreau{}, .step = 1e-6});
  ASSERT_TRUE(simulation.step());
  const VectorXd z = simulation.state().y(of.handles.levels);
  EXPECT_NEAR(z[1], 0.0, 1e-12);
  EXPECT_NEAR(z[3], 3.0, 1e-12);
}

}  // namespace
}  // namespace nonsmooth::higher_order_bounds_test
