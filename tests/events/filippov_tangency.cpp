// SPDX-License-Identifier: Apache-2.0
// Switches that accumulate on one surface, where its rate is made a surface too.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/filippov.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <support/filippov_systems.hpp>

namespace nonsmooth::filippov_tangency_test {
namespace {

using namespace filippov_systems;

FilippovRegion linear(std::vector<int> signs, const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  return {.signs = std::move(signs),
          .f = [A, b](double, ConstVectorRef x, VectorRef f) { f = A * x + b; },
          .f_dx = [A](double, ConstVectorRef, MatrixRef J) { J = A; }};
}

/// x'' = 1/4 - Sgn x - k x': the switch acts on x'' alone.
FilippovSystem swings(double k) {
  const Eigen::Matrix2d A{{0.0, 1.0}, {0.0, -k}};
  return {.x0 = {0.2, 0.0},
          .switches = {coordinate(0)},
          .regions = {linear({1}, A, Eigen::Vector2d(0.0, -0.75)), linear({-1}, A, Eigen::Vector2d(0.0, 1.25))}};
}

struct Motion {
  Motion(FilippovSystem system, double accumulation)
      : handles(link_filippov(model, std::move(system))),
        simulation(model, {.thresholds = {.accumulation = accumulation}}) {}
  [[nodiscard]] std::vector<Event> accumulations() const {
    std::vector<Event> list;
    for (const Event& event : simulation.events())
      if (event.kind == EventKind::Accumulation) list.push_back(event);
    return list;
  }

  NonSmoothDynamicalSystem model;
  FilippovHandles handles;
  EventDriven simulation;
};

// At rest at 0, where 1/4 = theta_+ - theta_-, from x within the threshold times what |x| and |x'| were on.
TEST(FilippovTangency, ComesToRestOnOneSurface) {
  for (const double threshold : {1e-1, 1e-2}) {
    Motion run(with_tangency(swings(0.5), 0), threshold);
    const RunReport report = run.simulation.advance_to(400.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_LE(run.simulation.state().x(run.handles.system).norm(), 1e-12);
    const auto theta = run.simulation.state().lambda(run.handles.fields);  // by c and d
    EXPECT_NEAR(theta[1] + theta[3], 0.625, 1e-9);
    ASSERT_EQ(run.accumulations().size(), 1u);
    EXPECT_GT(run.accumulations()[0].value, 0.0);
    EXPECT_LE(run.accumulations()[0].value, threshold);
    EXPECT_EQ(run.simulation.events().back().t, run.accumulations()[0].t);
  }
  // Without it the same is followed switch by switch, in intervals that fall like 1 / n.
  Motion alone(swings(0.5), 1e-1);
  ASSERT_TRUE(alone.simulation.advance_to(20.0));
  EXPECT_TRUE(alone.accumulations().empty());
  EXPECT_GE(alone.simulation.events().size(), 20u);
}

// L i' = u E - v, C v' = i - v / R, u = 1 where v < v_r, a diode at i = 0, all 1: v_r = i = 0.4, with the duty 0.4.
TEST(FilippovTangency, ABuckConverterWithoutHysteresis) {
  const double reference = 0.4;
  const Eigen::Matrix2d A{{0.0, -1.0}, {1.0, -1.0}}, back{{0.0, 1.0}, {1.0, -1.0}};
  for (const FilippovMeaning meaning : {FilippovMeaning::MultiAffine, FilippovMeaning::Hull}) {
    const FilippovSystem buck{
        .x0 = {0.0, 0.0},
        .switches = {{.name = "comparator",
                      .value = [reference](double, ConstVectorRef x) { return reference - x[1]; },
                      .gradient = [](double, ConstVectorRef, VectorRef gradient) { gradient[1] = -1.0; }},
                     coordinate(0)},
        .regions = {linear({1, 0}, A, Eigen::Vector2d(1.0, 0.0)), linear({-1, 1}, A, Eigen::Vector2d::Zero()),
                    linear({-1, -1}, back, Eigen::Vector2d::Zero())},
        .meaning = meaning};
    Motion run(with_tangency(buck, 0, {0, 1}), 1e-3);
    const RunReport report = run.simulation.advance_to(1e3);
    ASSERT_TRUE(report) << report.message();
    EXPECT_LE((run.simulation.state().x(run.handles.system) - Eigen::Vector2d::Constant(reference)).norm(), 1e-12);
    const auto lambda = run.simulation.state().lambda(run.handles.fields);
    double duty = lambda[0];
    if (meaning == FilippovMeaning::Hull)
      for (duty = 0.0; const Index i : {1, 3, 5, 7}) duty += lambda[i];
    EXPECT_NEAR(duty, reference, 1e-9);
    ASSERT_EQ(run.accumulations().size(), 1u);
    EXPECT_LE(run.accumulations()[0].value, 2e-3);  // 1e-3 of |v| and |i| up to 0.7 and 0.5
  }
}

TEST(FilippovTangency, Refuses) {
  EXPECT_THROW((void)with_tangency(swings(0.5), 1), InvalidArgument);
  EXPECT_THROW((void)with_tangency(spiral(0.4, 0.3), 0, {1, 0}), InvalidArgument);
  EXPECT_THROW((void)with_tangency(spiral(0.4, 0.3), 0, {1}), InvalidArgument);
  EXPECT_EQ(with_tangency(spiral(0.4, 0.3), 1).switches.size(), 3u);
}

}  // namespace
}  // namespace nonsmooth::filippov_tangency_test
