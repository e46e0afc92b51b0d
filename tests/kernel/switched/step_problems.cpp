// SPDX-License-Identifier: Apache-2.0
// Elements whose modes Newton's iteration does not follow: a step, or a part of it, as one program.
#include <gtest/gtest.h>

#include <Eigen/Core>

#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/filippov.hpp>
#include <nonsmooth/kernel/finite_element_stepping.hpp>

namespace nonsmooth::step_problems_test {
namespace {

/// x' = A x + b - 1.5 x^3 + 0.45 sin(A x), entry by entry.
FilippovRegion field(int sign, const Eigen::Matrix2d& A, const Eigen::Vector2d& b) {
  return {.signs = {sign}, .f = [=](double, ConstVectorRef x, VectorRef f) {
            const Eigen::Vector2d Ax = A * x;
            f = Ax + b;
            f.array() += 0.45 * Ax.array().sin() - 1.5 * x.array().cube();
          }};
}

// One of 1500 random systems, a curved surface: with steps of 0.6 no number of elements has the modes behind the first
// switch, nor has the rest of the step an answer as one program; a part of it has, and modes go on from there. Known to
// 1e-6 of terms of some 5 and, behind the program, to elements of 0.2 to 0.6 of order 5 (1e-5 here).
TEST(StepProblems, APartOfAStepWhereTheWholeHasNoAnswer) {
  Eigen::Matrix2d below, above;
  below << 4.5426548071777182, 4.8761018948419581, 1.9068795890657382, -1.4441991462797101;
  above << -1.9249942867461163, -1.6510386492325253, 3.0712942633711284, 1.0180264148076139;
  const Eigen::Vector2d a(0.36331735504633422, 0.28560937457944346);
  constexpr double level = 0.3 * -0.10799373406929824, bend = -0.44150764523529995;
  const FilippovSystem system{
      .x0 = {0.31093457085731147, 0.0050895352846398456},
      .switches = {{.value = [=](double, ConstVectorRef x) { return a.dot(x) + level + bend * x.squaredNorm(); },
                    .gradient = [=](double, ConstVectorRef x, VectorRef G) { G = a + 2.0 * bend * x; }}},
      .regions = {field(-1, below, {1.8984139936375839, 3.8513952480117051}),
                  field(1, above, {2.3708890802794493, -4.707182198953948})}};
  NonSmoothDynamicalSystem model;
  const FilippovHandles handles = link_filippov(model, system);
  FiniteElementStepping elements(model, {.step = 0.6, .family = FiniteElementFamily::GaussLegendre, .stages = 3});
  const RunReport report = elements.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  for (const RunRemark& remark : report.findings) {
    EXPECT_EQ(remark.kind, RunRemark::Kind::StepProblem);
    EXPECT_LE(remark.worst, 1e-6);
  }
  EventDriven events(model);
  ASSERT_TRUE(events.advance_to(2.0));
  EXPECT_LE((elements.state().x(handles.system) - events.state().x(handles.system)).norm(), 1e-4);
}

}  // namespace
}  // namespace nonsmooth::step_problems_test
