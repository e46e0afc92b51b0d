// SPDX-License-Identifier: Apache-2.0
// Derivatives along directions where x meets several surfaces, or hits several floors, at one instant: closed forms,
// and differences of runs.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <support/filippov_systems.hpp>

namespace nonsmooth::directions_test {
namespace {

using namespace filippov_systems;

Eigen::VectorXd end_of(FilippovSystem system, const Eigen::VectorXd& x0, double T) {
  system.x0 = x0;
  NonSmoothDynamicalSystem model;
  const FilippovHandles handles = link_filippov(model, std::move(system));
  EventDriven simulation(model);
  const RunReport report = simulation.advance_to(T);
  EXPECT_TRUE(report) << report.message();
  return simulation.state().x(handles.system);
}

struct Varied {
  Varied(const FilippovSystem& system, double T)
      : handles(link_filippov(model, system)), simulation(model, {.sensitivities = true}) {
    const RunReport report = simulation.advance_to(T);
    EXPECT_TRUE(report) << report.message();
  }
  [[nodiscard]] Eigen::VectorXd along(const Eigen::VectorXd& v) const {
    return simulation.directional_sensitivity(handles.system, v);
  }

  NonSmoothDynamicalSystem model;
  FilippovHandles handles;
  EventDriven simulation;
};

/// (x(T; x0 + a v) - x(T)) / a with a = 1e-4 and half of it, the first order of a taken out.
Eigen::VectorXd difference(const FilippovSystem& system, double T, const Eigen::VectorXd& v) {
  const Eigen::VectorXd x0 = system.x0.value(), end = end_of(system, x0, T);
  const double a = 1e-4;
  return 2.0 * (end_of(system, x0 + 0.5 * a * v, T) - end) / (0.5 * a) - (end_of(system, x0 + a * v, T) - end) / a;
}
/// Its second order in a, and runs that are known to 1e-11 over 1e-4.
constexpr double kOfDifferences = 1e-6;

const Eigen::Vector2d kDirections[] = {{1.0, 0.0}, {0.0, 1.0},  {-1.0, 0.0}, {0.0, -1.0},
                                       {1.0, 0.4}, {-0.3, 1.0}, {0.6, 0.6},  {-2.0, -0.5}};

/// From (-1, -1) with (1, 1) through the origin at t = 1, and on with `behind`; (1, 3) and (2, 1) lie to its sides.
FilippovSystem corner(std::vector<double> behind) {
  return {.x0 = {-1.0, -1.0},
          .switches = {coordinate(0), coordinate(1)},
          .regions = {constant({-1, -1}, {1.0, 1.0}), constant({1, -1}, {1.0, 3.0}), constant({-1, 1}, {2.0, 1.0}),
                      constant({1, 1}, std::move(behind))}};
}

// With the offset v, x_0 crosses after -v_0, x_1 after -v_1. Where v_0 > v_1, x_0 does first, and x_1 is left with v_1
// - v_0 to go at rate 3: both are 0 + (0 or (v_0 - v_1) / 3, 0) at s = -v_0 + (v_0 - v_1) / 3. Likewise with rate 2.
TEST(Directions, TheOrderOfCrossingsIsTheDirections) {
  const Eigen::Vector2d behind(0.5, 2.0);
  const Varied run(corner({behind[0], behind[1]}), 3.0);
  EXPECT_TRUE(run.simulation.sensitivity(run.handles.system).coincided);
  for (const Eigen::Vector2d& v : kDirections) {
    Eigen::Vector2d at, exact;
    double s = 0.0;
    if (v[0] >= v[1]) {
      const double between = (v[0] - v[1]) / 3.0;
      s = -v[0] + between;
      at = {between, 0.0};
    } else {
      const double between = (v[1] - v[0]) / 2.0;
      s = -v[1] + between;
      at = {0.0, between};
    }
    exact = at - s * behind;
    EXPECT_LE((run.along(v) - exact).norm(), 1e-9 * v.norm()) << v.transpose();
    EXPECT_LE((difference(corner({0.5, 2.0}), 3.0, v) - exact).norm(), kOfDifferences) << v.transpose();
  }
  // Of directions that keep both at one instant the matrix says it.
  const Eigen::Vector2d together(1.0, 1.0);
  EXPECT_LE((run.along(together) - run.simulation.sensitivity(run.handles.system).transition * together).norm(), 1e-9);
}

// Where x' is the same before and behind, the matrix is the identity, and directions are not.
TEST(Directions, FieldsBetweenCountWhereXGoesOnAsBefore) {
  const Varied run(corner({1.0, 1.0}), 3.0);
  EXPECT_TRUE(run.simulation.sensitivity(run.handles.system).coincided);
  for (const Eigen::Vector2d& v : kDirections)
    EXPECT_LE((run.along(v) - difference(corner({1.0, 1.0}), 3.0, v)).norm(), kOfDifferences) << v.transpose();
  EXPECT_LE((run.along(Eigen::Vector2d(1.0, 0.0)) - Eigen::Vector2d(1.0 + 1.0 / 3.0 - 1.0 / 3.0, 2.0 / 3.0)).norm(),
            1e-9);
}

// Behind the origin it slides along x_0 = 0; entered from either side, with sliding on x_1 = 0 on the way of some.
TEST(Directions, SlidingBehindTheInstant) {
  const FilippovSystem system{.x0 = {-1.0, -1.0},
                              .switches = {coordinate(0), coordinate(1)},
                              .regions = {constant({-1, -1}, {1.0, 1.0}), constant({1, -1}, {2.0, 3.0}),
                                          constant({-1, 1}, {2.0, 1.0}), constant({1, 1}, {-1.0, 2.0})}};
  const Varied run(system, 3.0);
  ASSERT_EQ(run.simulation.events().back().value, 1.0);
  for (const Eigen::Vector2d& v : kDirections) {
    const Eigen::VectorXd found = run.along(v);
    EXPECT_LE(std::abs(found[0]), 1e-12 * v.norm());
    EXPECT_LE((found - difference(system, 3.0, v)).norm(), kOfDifferences) << v.transpose();
  }
}

// Fields and surfaces that are curved and depend on time, one instant behind another: corners at (1, 1) and (3, 3).
TEST(Directions, OneInstantBehindAnother) {
  const auto bends = [](double a, double b) {
    return [=](double t, ConstVectorRef x, VectorRef f) {
      const double d = x[0] - x[1];  // the diagonal goes along itself
      f << 1.0 + a * (1.0 + 0.1 * std::sin(t)) + 0.3 * d, 1.0 + b * (1.0 + 0.1 * std::sin(t)) - 0.2 * d * x[0];
    };
  };
  const auto at = [](Index k, double level) {
    return SwitchingFunction{.value = [=](double, ConstVectorRef x) {
      return x[k] - level + 0.2 * (x[0] - x[1]) * (x[0] - x[1]) + 0.1 * (x[1 - k] - level);
    }};
  };
  FilippovSystem system{.x0 = {0.0, 0.0}, .switches = {at(0, 1.0), at(1, 1.0), at(0, 3.0), at(1, 3.0)}};
  for (int pattern = 0; pattern < 16; ++pattern) {
    std::vector<int> signs;
    for (int j = 0; j < 4; ++j) signs.push_back(pattern >> j & 1 ? 1 : -1);
    double a = 0.0, b = 0.0;
    if ((pattern & 3) == 1) a = 0.5, b = 1.0;
    if ((pattern & 3) == 2) a = 1.5, b = -0.2;
    if ((pattern & 12) == 4) a = -0.3, b = 0.4;
    if ((pattern & 12) == 8) a = 0.2, b = 0.7;
    system.regions.push_back({.signs = signs, .f = bends(a, b)});
  }
  const Varied run(system, 4.0);
  ASSERT_EQ(run.simulation.events().size(), 4u);
  for (const Eigen::Vector2d& v : kDirections)
    EXPECT_LE((run.along(v) - difference(system, 4.0, v)).norm(), 1e-5 * v.norm()) << v.transpose();
}

// Three planes of space through one point, six orders, and fields at random that all cross.
TEST(Directions, ThreeSurfaces) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> rate(0.5, 2.0), entry(-1.0, 1.0);
  for (int k = 0; k < 10; ++k) {
    FilippovSystem system{.x0 = {-1.0, -1.0, -1.0}, .switches = {coordinate(0), coordinate(1), coordinate(2)}};
    for (int pattern = 0; pattern < 8; ++pattern) {
      std::vector<int> signs;
      for (int j = 0; j < 3; ++j) signs.push_back(pattern >> j & 1 ? 1 : -1);
      system.regions.push_back(constant(signs, pattern == 0
                                                   ? std::vector<double>{1.0, 1.0, 1.0}
                                                   : std::vector<double>{rate(random), rate(random), rate(random)}));
    }
    const Varied run(system, 2.0);
    for (int direction = 0; direction < 6; ++direction) {
      const Eigen::Vector3d v(entry(random), entry(random), entry(random));
      EXPECT_LE((run.along(v) - difference(system, 2.0, v)).norm(), kOfDifferences) << k << ' ' << v.transpose();
    }
  }
}

// Where nothing meets it is the matrix, and bad directions are refused.
TEST(Directions, ElsewhereTheMatrix) {
  const Varied run(sliding_and_exit(), 2.0);
  const Eigen::Vector2d v(0.3, -0.7);
  EXPECT_LE((run.along(v) - run.simulation.sensitivity(run.handles.system).transition * v).norm(), 1e-15);
  EXPECT_THROW((void)run.along(Eigen::Vector3d::Ones()), InvalidArgument);
  EXPECT_THROW((void)run.along(Eigen::Vector2d(0.0, std::nan(""))), InvalidArgument);
}

constexpr double kGravity = 9.81;

/// A point over two floors, q_0 >= 0 and q_1 >= 0, that falls onto both at one instant.
struct Corner {
  Eigen::Matrix2d mass = Eigen::Matrix2d::Identity(), damping = Eigen::Matrix2d::Zero();
  Eigen::Vector2d restitution = Eigen::Vector2d::Constant(0.5);
  Eigen::Vector4d start = {1.0, 1.0, 0.0, 0.0};  // (q; v)
};

struct Falls {
  Falls(const Corner& corner, double T, bool sensitivities)
      : body(model.add(LagrangianLinearSystem{.mass = Eigen::MatrixXd(corner.mass),
                                              .damping = Eigen::MatrixXd(corner.damping),
                                              .force = Eigen::VectorXd(-kGravity * corner.mass.rowwise().sum()),
                                              .q0 = Eigen::VectorXd(corner.start.head(2)),
                                              .v0 = Eigen::VectorXd(corner.start.tail(2))})) {
    for (const Index k : {0, 1}) {
      Eigen::MatrixXd H = Eigen::MatrixXd::Zero(1, 2);
      H(0, k) = 1.0;
      model.link(body, LagrangianLinearRelation{.H = H}, NewtonImpactLaw{.restitution = corner.restitution[k]});
    }
    simulation.emplace(model, EventDrivenOptions{.sensitivities = sensitivities});
    const RunReport report = simulation->advance_to(T);
    EXPECT_TRUE(report) << report.message();
  }
  [[nodiscard]] Eigen::Vector4d end() const {
    Eigen::Vector4d x;
    x << simulation->state().q(body), simulation->state().v(body);
    return x;
  }
  [[nodiscard]] Eigen::VectorXd along(const Eigen::Vector4d& v) const {
    return simulation->directional_sensitivity(body, v);
  }

  NonSmoothDynamicalSystem model;
  SystemHandle body;
  std::optional<EventDriven> simulation;
};

/// Derivatives of R and of rates are known to 1e-11, and two bounces make them some hundred times larger.
constexpr double kOfImpacts = 1e-8;

const Eigen::Vector4d kOfCorner[] = {{1.0, 0.0, 0.0, 0.0},   {-1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0},
                                     {0.0, -1.0, 0.0, 0.0},  {0.0, 0.0, 1.0, 0.0},  {0.0, 0.0, 0.0, -1.0},
                                     {0.5, -0.3, 0.7, -0.2}, {-0.4, 0.6, 0.1, 0.3}};

// Coordinates that know nothing of one another bounce twice: each as in one dimension,
//     dq+ = -e dq-,   dv+ = -e dv- + (1 + e) g dq- / |v-|,   |v-| = g t_1 and e g t_1,   2 e t_1 from one to the other.
TEST(Directions, ImpactsOfCoordinatesApart) {
  const Corner corner;
  const double T = 1.0, e = 0.5, first = std::sqrt(2.0 / kGravity), second = first * (1.0 + 2.0 * e);
  const Falls run(corner, T, true);
  EXPECT_TRUE(run.simulation->sensitivity(run.body).coincided);
  for (const Eigen::Vector4d& v : kOfCorner) {
    Eigen::Array2d q = v.head(2), rate = v.tail(2);
    const auto impact = [&](double speed) {
      rate = -e * rate + (1.0 + e) * kGravity * q / speed;
      q = -e * q;
    };
    q += first * rate;
    impact(kGravity * first);
    q += (second - first) * rate;
    impact(e * kGravity * first);
    q += (T - second) * rate;
    Eigen::Vector4d exact;
    exact << q, rate;
    EXPECT_LE((run.along(v) - exact).norm(), kOfImpacts * exact.norm()) << v.transpose();
  }
}

// A damper between the coordinates pulls the one that falls on while the other is up again: which one that is, and so
// the derivative, depends on the direction.
TEST(Directions, ImpactsThatADamperCouples) {
  Corner corner;
  corner.damping << 0.8, -0.8, -0.8, 0.8;
  corner.restitution << 0.5, 0.9;
  const double T = 0.7, a = 1e-4;
  const Falls run(corner, T, true);
  const Eigen::Vector4d end = run.end();
  const auto quotient = [&](const Eigen::Vector4d& v, double step) -> Eigen::Vector4d {
    Corner beside = corner;
    beside.start += step * v;
    return (Falls(beside, T, false).end() - end) / step;
  };
  for (const Eigen::Vector4d& v : kOfCorner) {
    const Eigen::Vector4d difference = 2.0 * quotient(v, 0.5 * a) - quotient(v, a);
    EXPECT_LE((run.along(v) - difference).norm(), 10.0 * kOfDifferences) << v.transpose();  // x is some 10 times larger
  }
  EXPECT_GE((run.along(kOfCorner[0]) + run.along(kOfCorner[1])).norm(), 0.1);  // no matrix has that
  // Of directions that keep both at one instant the matrix says it.
  const Eigen::Vector4d together(1.0, 1.0, 0.5, 0.5);
  EXPECT_LE((run.along(together) - run.simulation->sensitivity(run.body).transition * together).norm(),
            kOfImpacts * together.norm());
}

// Where the mass couples the impacts, velocities behind differ by their order: x(T) jumps. One that lands and stays
// changes the forces. Both are told, and have no derivative.
TEST(Directions, ImpactsWithoutADerivative) {
  Corner coupled, lands;
  coupled.mass << 1.0, 0.3, 0.3, 1.0;
  lands.restitution << 0.0, 0.5;
  for (const Corner& corner : {coupled, lands}) {
    const Falls run(corner, 0.6, true);
    EXPECT_TRUE(run.simulation->sensitivity(run.body).coincided);
    EXPECT_TRUE(run.along(kOfCorner[0]).array().isNaN().all());
  }
}

}  // namespace
}  // namespace nonsmooth::directions_test
