// SPDX-License-Identifier: Apache-2.0
// Piecewise affine systems by cells and by max and min: against matrix exponentials, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <internal/matrix_exponential.hpp>
#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::piecewise_affine_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd oscillator(double square) { return MatrixXd{{0.0, 1.0}, {-square, 0.0}}; }

/// x'' = -k x with k to the right of 0 and another to the left: continuous.
PiecewiseAffineSystem two_springs() {
  return {.x0 = {0.0, 1.0},
          .cells = {{.E = MatrixXd{{-2.0, 0.0}}, .e = VectorXd::Zero(1), .A = oscillator(4.0), .name = "right"},
                    {.E = MatrixXd{{0.5, 0.0}}, .e = VectorXd::Zero(1), .A = oscillator(1.0), .name = "left"}},
          .continuous = true,
          .name = "springs"};
}

/// exp(A t) of (x; 1) with x' = A x + b.
VectorXd flow(const MatrixXd& A, const VectorXd& b, double t, const VectorXd& x) {
  const Index n = x.size();
  MatrixXd whole = MatrixXd::Zero(n + 1, n + 1);
  whole.topLeftCorner(n, n) = t * A;
  whole.topRightCorner(n, 1) = t * b;
  VectorXd start(n + 1);
  start << x, 1.0;
  return (matrix_exponential(whole) * start).head(n);
}

// Half a turn each: pi / 2 to the right, pi to the left; then on in the right cell.
TEST(PiecewiseAffine, CellsAgainstMatrixExponentials) {
  const FilippovSystem system = to_filippov(two_springs());
  EXPECT_EQ(system.switches.size(), 1u);  // both rows are one plane
  NonSmoothDynamicalSystem model;
  const auto handles = link_filippov(model, system);
  EventDriven simulation(model);
  const double turn = 1.5 * std::numbers::pi;
  const auto report = simulation.advance_to(turn + 0.5);
  ASSERT_TRUE(report) << report.message();
  const VectorXd expected = flow(oscillator(4.0), VectorXd::Zero(2), 0.5, VectorXd{{0.0, 1.0}});
  EXPECT_LE((simulation.state().x(handles.system) - expected).norm(), 1e-8);  // integrated to 1e-10 a step
  ASSERT_EQ(simulation.events().size(), 2u);
  EXPECT_NEAR(simulation.events()[0].t, 0.5 * std::numbers::pi, 1e-9);
  EXPECT_NEAR(simulation.events()[1].t, turn, 1e-9);
}

/// Four quadrants of the plane, moved to (1, 2), each with a field that leads into the next: x' = A x + b towards
/// points of its own.
PiecewiseAffineSystem quadrants() {
  PiecewiseAffineSystem system{.x0 = {2.0, 4.0}};
  const VectorXd centre{{1.0, 2.0}};
  for (const double x : {1.0, -1.0}) {
    for (const double y : {1.0, -1.0}) {
      AffineCell cell{
          .E = MatrixXd{{-x, 0.0}, {0.0, -y}}, .e = VectorXd{{-x * 1.0, -y * 2.0}}, .A = -MatrixXd::Identity(2, 2)};
      // Anticlockwise: towards points 3 beyond the side and 6 along it, so that no crossing is near the centre.
      cell.b = centre + (x * y > 0.0 ? VectorXd{{-3.0 * x, 6.0 * y}} : VectorXd{{6.0 * x, -3.0 * y}});
      system.cells.push_back(std::move(cell));
    }
  }
  return system;
}

TEST(PiecewiseAffine, FieldsThatJumpAgainstMatrixExponentials) {
  const PiecewiseAffineSystem cells = quadrants();
  NonSmoothDynamicalSystem model;
  const auto handles = link_filippov(model, to_filippov(cells));
  EventDriven simulation(model);
  const double T = 1.5;
  const auto report = simulation.advance_to(T);
  ASSERT_TRUE(report) << report.message();
  ASSERT_GE(simulation.events().size(), 2u);
  // From event to event in the cell that holds the middle of the way.
  VectorXd x = cells.x0.value();
  double t = 0.0;
  std::vector<double> ends;
  for (const Event& event : simulation.events()) ends.push_back(event.t);
  ends.push_back(T);
  std::size_t own = 0;                      // (1, 1)
  const std::size_t next[] = {2, 0, 3, 1};  // of (1, 1), (1, -1), (-1, 1), (-1, -1)
  for (const double end : ends) {
    x = flow(cells.cells[own].A, cells.cells[own].b, end - t, x);
    t = end;
    own = next[own];
  }
  EXPECT_LE((simulation.state().x(handles.system) - x).norm(), 1e-8);
}

// Three lines through one point: of eight patterns two do not occur, and get the field of a neighbour.
TEST(PiecewiseAffine, PatternsThatDoNotOccur) {
  PiecewiseAffineSystem sectors{.x0 = {1.0, 0.2}};
  const auto normal = [](double angle) { return Eigen::RowVector2d(-std::sin(angle), std::cos(angle)); };
  for (int k = 0; k < 6; ++k) {
    const double from = k * std::numbers::pi / 3.0, to = (k + 1) * std::numbers::pi / 3.0;
    AffineCell cell{.E = MatrixXd(2, 2), .e = VectorXd::Zero(2), .A = oscillator(1.0 + k)};
    cell.E << -normal(from), normal(to);
    sectors.cells.push_back(cell);
  }
  const FilippovSystem system = to_filippov(sectors);
  EXPECT_EQ(system.switches.size(), 3u);
  ASSERT_EQ(system.regions.size(), 8u);
  Eigen::Vector2d f;
  int cases = 0;
  for (const FilippovRegion& region : system.regions) {
    f.setZero();
    region.f(0.0, Eigen::Vector2d(1.0, 0.0), f);
    EXPECT_GE(-f[1], 1.0);
    EXPECT_LE(-f[1], 6.0);
    cases += region.name.empty() ? 0 : 1;
  }
  EXPECT_EQ(cases, 8);
  // In each sector its own.
  for (int k = 0; k < 6; ++k) {
    const double middle = (k + 0.5) * std::numbers::pi / 3.0;
    const Eigen::Vector2d x(std::cos(middle), std::sin(middle));
    for (const FilippovRegion& region : system.regions) {
      bool within = true;
      for (std::size_t j = 0; j < 3; ++j) within = within && region.signs[j] * system.switches[j].value(0.0, x) > 0.0;
      if (!within) continue;
      f.setZero();
      region.f(0.0, x, f);
      EXPECT_NEAR(f[1], -(1.0 + k) * x[0], 1e-15);
    }
  }
}

// v' = max(-1, min(1, -x)) from (3, 0): -1 until x = 1 at t = 2, then x = cos s - 2 sin s.
TEST(PiecewiseAffine, MaxMin) {
  const MaxMinSystem saturated{.x0 = {3.0, 0.0},
                               .rates = {{{{.a = VectorXd{{0.0, 1.0}}}}},
                                         {{{.a = VectorXd::Zero(2), .b = -1.0}},
                                          {{.a = VectorXd::Zero(2), .b = 1.0}, {.a = VectorXd{{-1.0, 0.0}}}}}}};
  const FilippovSystem system = to_filippov(saturated);
  EXPECT_EQ(system.switches.size(), 2u);
  NonSmoothDynamicalSystem model;
  const auto handles = link_filippov(model, system);
  EventDriven simulation(model);
  const auto report = simulation.advance_to(2.5);
  ASSERT_TRUE(report) << report.message();
  const double s = 0.5;
  EXPECT_NEAR(simulation.state().x(handles.system)[0], std::cos(s) - 2.0 * std::sin(s), 1e-9);
  EXPECT_NEAR(simulation.state().x(handles.system)[1], -std::sin(s) - 2.0 * std::cos(s), 1e-9);
}

/// x' of a system at x, by the region whose signs x has.
VectorXd rate_at(const FilippovSystem& system, const VectorXd& x) {
  for (const FilippovRegion& region : system.regions) {
    bool within = true;
    for (std::size_t j = 0; j < system.switches.size(); ++j)
      within = within && region.signs[j] * system.switches[j].value(0.0, x) > 0.0;
    if (!within) continue;
    VectorXd f = VectorXd::Zero(x.size());
    region.f(0.0, x, f);
    return f;
  }
  return {};
}

AffineFunction affine(double a, double b) { return {.a = VectorXd{{a}}, .b = b}; }

// A patch of length 1 beside a plane at 5e9 is none that is thin: only the planes that bound it count.
TEST(PiecewiseAffine, FarPlanesLeaveNearPatterns) {
  const MaxMinSystem far{.x0 = {0.5},
                         .rates = {{{affine(0.0, 0.0)}, {affine(1.0, 0.0), affine(0.0, 1.0)}, {affine(2.0, -1e10)}}}};
  const FilippovSystem system = to_filippov(far);
  for (const double x : {-3.0, 0.25, 0.5, 0.75, 2.0, 4e9, 6e9, 2e10}) {
    const double expected = std::max({0.0, std::min(x, 1.0), 2.0 * x - 1e10});
    EXPECT_EQ(rate_at(system, VectorXd{{x}})[0], expected) << x;
  }
}

// 0.1 + 0.2 and 0.3 are one slope: no plane at 1e16.
TEST(PiecewiseAffine, SlopesThatRoundOffParts) {
  const MaxMinSystem system{.x0 = {0.5}, .rates = {{{affine(0.1 + 0.2, 0.0)}, {affine(0.3, 1.0), affine(0.0, 2.0)}}}};
  const FilippovSystem filippov = to_filippov(system);
  EXPECT_EQ(filippov.switches.size(), 2u);  // x = 2 / 0.3 and 1 / 0.3
  for (const double x : {-5.0, 1.0, 5.0, 9.0}) {
    const double expected = std::max(0.3 * x, std::min(0.3 * x + 1.0, 2.0));
    EXPECT_NEAR(rate_at(filippov, VectorXd{{x}})[0], expected, 1e-14) << x;
  }
}

template <class System>
std::string refusal(const System& system) {
  try {
    (void)to_filippov(system);
  } catch (const InvalidArgument& refused) {
    return refused.what();
  }
  return "";
}

void expect_refused(const PiecewiseAffineSystem& system, std::initializer_list<const char*> parts) {
  const std::string message = refusal(system);
  for (const char* part : parts) EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
}

// Normals by angle: the largest entry of the second is another one by round-off, and the plane is one.
TEST(PiecewiseAffine, OnePlaneByAngles) {
  const double angle = 0.75 * std::numbers::pi;
  PiecewiseAffineSystem halves{.x0 = {1.0, 0.0}, .continuous = true};
  for (const double own : {angle, angle - std::numbers::pi}) {
    halves.cells.push_back({.E = MatrixXd{{std::cos(own), std::sin(own)}},
                            .e = VectorXd::Zero(1),
                            .A = oscillator(1.0),
                            .b = VectorXd{{0.0, own > 0.0 ? 1.0 : -1.0}}});
  }
  expect_refused(halves, {"continuous", "differ on their common facet, by 2"});
  halves.continuous = false;
  EXPECT_EQ(to_filippov(halves).switches.size(), 1u);
  halves.cells[1].e[0] = 5e-17;  // what a sum leaves in the place of 0
  EXPECT_EQ(to_filippov(halves).switches.size(), 1u);
  // Planes 1e-10 apart are two without a pattern between: halves have a facet in common all the same.
  halves.cells[0].e[0] = 1.0;
  halves.cells[1].e[0] = -1.0 + 1e-10;
  halves.continuous = true;
  expect_refused(halves, {"continuous", "differ on their common facet"});
}

TEST(PiecewiseAffine, BadCellsAreToldWithAPoint) {
  PiecewiseAffineSystem bad = two_springs();
  bad.cells[0].e[0] = 1.0;  // -2 x <= 1: from -1/2 on
  expect_refused(bad, {"right and left that overlap", "x = ("});
  bad.cells[0].e[0] = -1.0;  // from 1/2 on
  expect_refused(bad, {"do not cover", "x = ("});
  bad = two_springs();
  bad.cells.push_back(
      {.E = MatrixXd{{1.0, 0.0}, {-1.0, 0.0}}, .e = VectorXd{{0.0, 0.0}}, .A = oscillator(1.0), .name = "line"});
  expect_refused(bad, {"line, which has no inside"});
  bad = two_springs();
  bad.cells[1].b = VectorXd{{0.0, 0.5}};
  expect_refused(bad, {"continuous", "differ on their common facet, by 0.5", "x = ("});
  bad.continuous = false;
  EXPECT_EQ(refusal(bad), "");
  bad = two_springs();
  bad.cells[1].A(1, 1) = 1.0;  // equal at one point of the facet alone
  expect_refused(bad, {"continuous"});
  bad = two_springs();
  bad.cells[1].E.setZero();
  expect_refused(bad, {"row 0 of E of left", "zeros"});
  bad = two_springs();
  bad.cells[1].A = MatrixXd::Zero(1, 2);
  expect_refused(bad, {"A of left"});
  bad = two_springs();
  bad.cells.clear();
  expect_refused(bad, {"cells"});
  bad = two_springs();
  for (int k = 1; k < 10; ++k) {
    bad.cells[0].E.conservativeResize(k + 1, 2);
    bad.cells[0].E.row(k) << -1.0, 0.1 * k;
    bad.cells[0].e.conservativeResize(k + 1);
    bad.cells[0].e[k] = 0.0;
  }
  expect_refused(bad, {"distinct hyperplanes"});
  EXPECT_NE(refusal(MaxMinSystem{.x0 = {0.0}, .rates = {{{}}}}).find("min of nothing"), std::string::npos);
  EXPECT_NE(refusal(MaxMinSystem{.x0 = {0.0}, .rates = {{{{.a = VectorXd{{1.0}}}}}}}).find("no two"),
            std::string::npos);
}

}  // namespace
}  // namespace nonsmooth::piecewise_affine_test
