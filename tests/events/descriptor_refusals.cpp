// SPDX-License-Identifier: Apache-2.0
// What is refused of systems with a singular mass, or told, when a simulation is made.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "descriptor_circuits.hpp"

namespace nonsmooth::descriptor_refusals_test {
namespace {

using descriptor_circuits::HalfWave;
using Matrix = Eigen::MatrixXd;

/// What making a simulation throws; empty if it does not.
std::string descriptor_refusal(const std::function<void()>& make) {
  try {
    make();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return {};
}
std::string refusal_by_events(const NonSmoothDynamicalSystem& model) {
  return descriptor_refusal([&] { EventDriven simulation(model); });
}
std::string refusal_by_steps(const NonSmoothDynamicalSystem& model, const Integrator& integrator) {
  return descriptor_refusal([&] { TimeStepping simulation(model, {.integrator = integrator, .step = 1e-2}); });
}
bool tells(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(DescriptorRefusals, SingularPencilsAreRefusedWithTheirRows) {
  // C between two nodes that nothing ties to ground; a third node stands apart.
  NonSmoothDynamicalSystem model;
  model.add(FirstOrderLinearSystem{.mass = {{1, 0, -1}, {0, 1, 0}, {-1, 0, 1}},
                                   .A = {{-2, 0, 2}, {0, -1, 0}, {2, 0, -2}},
                                   .x0 = {1, 1, 0},
                                   .name = "floating"});
  for (const std::string& found : {refusal_by_events(model), refusal_by_steps(model, EulerMoreau{.theta = 1.0}),
                                   refusal_by_steps(model, ZeroOrderHold{})}) {
    EXPECT_TRUE(tells(found, "floating")) << found;
    EXPECT_TRUE(tells(found, "rows 0, 2 ")) << found;
    EXPECT_TRUE(tells(found, "det(s M - A) = 0")) << found;
  }
}

TEST(DescriptorRefusals, IndexThreeIsRefusedByEventsAndRunsBySteps) {
  // x0' = x1, x1' = x2, 0 = x0.
  NonSmoothDynamicalSystem model;
  model.add(FirstOrderLinearSystem{.mass = Eigen::Vector3d(1, 1, 0).asDiagonal(),
                                   .A = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}},
                                   .x0 = {0, 0, 0},
                                   .name = "chain"});
  const std::string found = refusal_by_events(model);
  EXPECT_TRUE(tells(found, "chain") && tells(found, "index 3")) << found;
  EXPECT_EQ(refusal_by_steps(model, EulerMoreau{.theta = 1.0}), "");
}

TEST(DescriptorRefusals, IndexLostInRoundOffIsRefusedByEventsAndRunsBySteps) {
  // Three integrators, mixed by the Hilbert matrix of order 4, whose condition is 1.6e4: twice, before each of four
  // differentiations, which is more than the sixteen digits there are.
  Matrix mix(4, 4), integrators = Matrix::Zero(4, 4);
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j) mix(i, j) = 1.0 / static_cast<double>(1 + i + j);
  for (Index i = 0; i < 3; ++i) integrators(i, i + 1) = 1.0;
  NonSmoothDynamicalSystem model;
  model.add(FirstOrderLinearSystem{.mass = Matrix(mix * integrators * mix),
                                   .A = Matrix(mix * mix),
                                   .x0 = Eigen::VectorXd::Zero(4),
                                   .name = "mixed"});
  const std::string found = refusal_by_events(model);
  EXPECT_TRUE(tells(found, "index is lost in round-off on mixed")) << found;
  EXPECT_EQ(refusal_by_steps(model, EulerMoreau{.theta = 1.0}), "");
}

TEST(DescriptorRefusals, WhatASchemeCannotDoWithASingularMassIsRefusedAtOnce) {
  const auto rectifier = HalfWave::model(Eigen::Vector3d::Zero());
  EXPECT_TRUE(tells(refusal_by_steps(rectifier, ZeroOrderHold{}), "ZeroOrderHold for rectifier"));
  EXPECT_TRUE(tells(refusal_by_steps(rectifier, EulerMoreau{.theta = 0.0}), "rectifier, whose mass is singular"));
  EXPECT_EQ(refusal_by_steps(rectifier, EulerMoreau{.theta = 1.0}), "");

  const MatrixData mass = Eigen::Vector2d(1, 0).asDiagonal();
  NonSmoothDynamicalSystem varying, nonlinear;
  varying.add(FirstOrderLinearSystem{
      .mass = mass, .A = [](double, MatrixRef A) { A << -1, 1, 1, -1; }, .x0 = {1, 1}, .name = "varying"});
  nonlinear.add(FirstOrderSystem{.mass = mass,
                                 .f = [](double, ConstVectorRef x, VectorRef f) { f << -x[1], x[0] - x[1]; },
                                 .x0 = {1, 1},
                                 .name = "nonlinear"});
  EXPECT_TRUE(tells(refusal_by_events(varying), "singular mass with A(t) on varying")) << refusal_by_events(varying);
  EXPECT_TRUE(tells(refusal_by_events(nonlinear), "on nonlinear")) << refusal_by_events(nonlinear);
  EXPECT_TRUE(tells(refusal_by_steps(varying, ZeroOrderHold{}), "ZeroOrderHold for varying"));
  EXPECT_TRUE(tells(refusal_by_steps(varying, EulerMoreau{.theta = 0.0}), "varying, whose mass is singular"));
  EXPECT_TRUE(tells(refusal_by_steps(nonlinear, EulerMoreau{.theta = 0.0}), "nonlinear, whose mass is singular"));
  // Both run by steps with theta = 1: x0' = -x1, x1 = x0 and x0' = 0, x1 = x0.
  for (const auto& [model, decay] : {std::pair{&varying, 0.0}, std::pair{&nonlinear, 1.0}}) {
    TimeStepping stepping(*model, {.integrator = EulerMoreau{.theta = 1.0}, .step = 1e-3});
    ASSERT_TRUE(stepping.advance_to(1.0));
    EXPECT_NEAR(stepping.state().unknowns[0], std::exp(-decay), 1e-3);
    EXPECT_NEAR(stepping.state().unknowns[1], stepping.state().unknowns[0], 1e-12);
  }
}

TEST(DescriptorRefusals, StepsWithThetaBelowOneAreToldToRing) {
  const auto rectifier = HalfWave::model(Eigen::Vector3d::Zero());
  TimeStepping average(rectifier, {.integrator = EulerMoreau{.theta = 0.5}, .step = 1e-3});
  ASSERT_EQ(average.examination().size(), 1u);
  EXPECT_EQ(average.examination()[0].kind, Remark::Kind::AlgebraicRinging);
  EXPECT_EQ(average.examination()[0].value, 1.0);
  EXPECT_TRUE(tells(average.examination()[0].message(), "rectifier: found a singular mass"));
  TimeStepping end(rectifier, {.integrator = EulerMoreau{.theta = 1.0}, .step = 1e-3});
  EXPECT_TRUE(end.examination().empty());
  ASSERT_TRUE(average.advance_to(0.9) && end.advance_to(0.9));  // the diode blocks
  // Between +- C w, the current at t = 0 that the initial i = 0 does not have; by its rows it is 0.
  EXPECT_NEAR(std::abs(average.state().unknowns[2]), HalfWave::C * HalfWave::w, 0.1);
  EXPECT_EQ(end.state().unknowns[2], 0.0);
  EXPECT_NEAR(average.state().unknowns[1], HalfWave::held(0.9), 2e-3);  // h w
}

TEST(DescriptorRefusals, RelativeDegreeIsThatOfTheReducedSystem) {
  // x0' = x3, x1' = x0, x2' = x1, 0 = lambda - x3: the third derivative of x2 is lambda, and x3 is lambda.
  NonSmoothDynamicalSystem cubic, direct;
  for (auto* model : {&cubic, &direct}) {
    const auto chain = model->add(FirstOrderLinearSystem{.mass = Eigen::Vector4d(1, 1, 1, 0).asDiagonal(),
                                                         .A = {{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, -1}},
                                                         .x0 = {0, -1, 0, 0}});
    const Matrix C = model == &cubic ? Matrix(Eigen::RowVector4d(0, 0, 1, 0)) : Matrix(Eigen::RowVector4d(0, 0, 0, 1));
    model->link(chain, FirstOrderLinearRelation{.C = C, .B = {{0}, {0}, {0}, {1}}}, ComplementarityLaw{});
  }
  const std::string found = refusal_by_steps(cubic, EulerMoreau{.theta = 1.0});
  EXPECT_TRUE(tells(found, "row 0 of") && tells(found, "relative degree 3")) << found;
  EXPECT_EQ(refusal_by_steps(direct, EulerMoreau{.theta = 1.0}), "");
}

}  // namespace
}  // namespace nonsmooth::descriptor_refusals_test
