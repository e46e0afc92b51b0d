// SPDX-License-Identifier: Apache-2.0
// Closed rows that depend on one another: doubly held points, two feet of one body that stick, a table on four feet.
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include <Eigen/QR>

#include "../kernel/fitted_order.hpp"
#include "event_log.hpp"
#include "events/mechanics/least_norm.hpp"

namespace nonsmooth::redundant_rows_test {
namespace {

using namespace event_log;

/// Nothing happens after the start, where contacts close.
void expect_closings_alone(const EventDriven& simulation) {
  for (const Event& event : simulation.events()) {
    EXPECT_EQ(event.kind, EventKind::Closing);
    EXPECT_EQ(event.t, 0.0);
  }
}

TEST(LeastNorm, IsThePseudoinverseOfAnyRank) {
  // Products of random factors of r columns, entries in [-1, 1]: conditions of some hundreds, so 1e-12 in x of order 1
  // to 100. Right-hand sides are in the range, where the scale of the rows, 10^[-3, 3], does not matter to x.
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto fill = [&](Eigen::MatrixXd& A) {
    for (Index i = 0; i < A.size(); ++i) A.data()[i] = uniform(random);
  };
  events::LeastNorm system(1e-11);
  Eigen::VectorXd x, y;
  for (const auto& [m, n, r] :
       {std::array<Index, 3>{1, 1, 1}, {4, 4, 3}, {5, 5, 5}, {6, 6, 1}, {7, 4, 2}, {3, 8, 3}, {8, 3, 3}, {12, 12, 5}}) {
    Eigen::MatrixXd left(m, r), right(r, n), solution(n, 1);
    fill(left);
    fill(right);
    fill(solution);
    Eigen::MatrixXd A = left * right;
    for (Index i = 0; i < m; ++i) A.row(i) *= std::pow(10.0, 3.0 * uniform(random));
    const Eigen::VectorXd b = A * solution;
    system.compute_unscaled(A);
    ASSERT_EQ(system.rank(), r) << m << " x " << n;
    system.solve(b, x);
    const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> span(right);
    const Eigen::VectorXd expected = span.solve(right * solution);
    EXPECT_LT((x - expected).norm(), 1e-11 * expected.norm()) << m << " x " << n;
    // The basis of the span: orthonormal, and x is in it.
    Eigen::MatrixXd V(n, r);
    for (Index k = 0; k < r; ++k) {
      system.expand(Eigen::VectorXd::Unit(r, k), y);
      V.col(k) = y;
    }
    EXPECT_LT((V.transpose() * V - Eigen::MatrixXd::Identity(r, r)).norm(), 1e-14 * static_cast<double>(n * r));
    EXPECT_LT((V * (V.transpose() * x) - x).norm(), 1e-13 * x.norm());
  }
  system.compute(Eigen::Matrix2d::Zero());  // also of a matrix that has none
  EXPECT_EQ(system.rank(), 0);
  system.solve(Eigen::Vector2d::Zero(), x);
  EXPECT_EQ(x, Eigen::VectorXd::Zero(2));
}

TEST(LeastNorm, RowsOfInfiniteCapacityThatDependShareAsEqualSprings) {
  // W = J J^T of seven rows in four directions. Rows 5 and 6 are in the plane of rows 3 and 4, all four without a
  // bound: of what leaves their sum as it is, k, they bear nothing, sum_i k_i W_ii x_i = 0. Conditions of some
  // hundreds.
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  events::LeastNorm system(1e-11);
  for (int trial = 0; trial < 20; ++trial) {
    Eigen::MatrixXd J(7, 4);
    for (Index i = 0; i < J.size(); ++i) J.data()[i] = uniform(random);
    J.row(5) = trial < 10 ? Eigen::RowVectorXd(J.row(3)) : Eigen::RowVectorXd(J.row(3) + 0.5 * J.row(4));
    J.row(6) = J.row(4) - 2.0 * J.row(3);
    const Eigen::MatrixXd W = J * J.transpose();
    Eigen::VectorXd solution(7), capacities(7), x;
    for (Index i = 0; i < 7; ++i) solution[i] = uniform(random);
    constexpr double free = std::numeric_limits<double>::infinity();
    capacities << 0.0, 1.0, 0.5, free, free, free, free;
    const Eigen::VectorXd b = W * solution;
    system.compute(W, capacities, Eigen::VectorXd::Zero(7));
    ASSERT_EQ(system.rank(), 4) << trial;
    system.solve(b, x);
    EXPECT_LT((W * x - b).norm(), 1e-12 * b.norm()) << trial;
    Eigen::MatrixXd kernel(4, 2);
    kernel.col(0) << (trial < 10 ? Eigen::Vector4d(1.0, 0.0, -1.0, 0.0) : Eigen::Vector4d(1.0, 0.5, -1.0, 0.0));
    kernel.col(1) << -2.0, 1.0, 0.0, -1.0;
    const Eigen::VectorXd weighted = W.diagonal().tail(4).cwiseProduct(x.tail(4));
    EXPECT_LT((kernel.transpose() * weighted).norm(), 1e-11 * weighted.norm()) << trial;
  }
}

TEST(LeastNorm, DependsOnNoUnits) {
  // W = H M^-1 H^T of 5 rows of rank 3; in other units of the rows, S W S and S b, multipliers are S^-1 x. To the bit
  // where units are powers of four, whose roots are exact; elsewhere to round-off of conditions below 1e3.
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Eigen::MatrixXd H(5, 3);
  for (Index i = 0; i < H.size(); ++i) H.data()[i] = uniform(random);
  const Eigen::MatrixXd W = H * H.transpose();
  const Eigen::VectorXd b = H * Eigen::Vector3d(0.3, -1.0, 0.7);
  events::LeastNorm system(1e-11);
  Eigen::VectorXd x, scaled;
  system.compute(W);
  ASSERT_EQ(system.rank(), 3);
  system.solve(b, x);
  EXPECT_LT((W * x - b).norm(), 1e-12);
  // Smallest in the norm of W's diagonal: that is, W_kk x_k is in the range of W.
  const Eigen::VectorXd gradient = W.diagonal().cwiseProduct(x);
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> range(H);
  EXPECT_LT((H * range.solve(gradient) - gradient).norm(), 1e-12);
  const Eigen::VectorXd powers = (Eigen::VectorXd(5) << 4.0, 0.25, 1.0, 1024.0, 16.0).finished();
  const Eigen::VectorXd any = (Eigen::VectorXd(5) << 1e3, 0.7, 3.0, 1e-3, 1.0).finished();
  for (const Eigen::VectorXd& S : {powers, any}) {
    system.compute(S.asDiagonal() * W * S.asDiagonal());
    ASSERT_EQ(system.rank(), 3);
    system.solve(S.cwiseProduct(b), scaled);
    const Eigen::VectorXd back = S.cwiseProduct(scaled);
    EXPECT_LT((back - x).norm(), S == powers ? 0x1p-1074 : 1e-12);
  }
}

/// |q|^2 = 1 in the first two coordinates.
ScleronomousRelation on_unit_circle() {
  return {.rows = 1,
          .h = [](ConstVectorRef q, VectorRef y) { y[0] = q.head(2).squaredNorm() - 1.0; },
          .H = [](ConstVectorRef q, MatrixRef H) { H.row(0).head(2) = 2.0 * q.head(2).transpose(); },
          .curvature = [](ConstVectorRef, ConstVectorRef v, VectorRef c) { c[0] = 2.0 * v.head(2).squaredNorm(); }};
}

/// A pendulum of length 1 whose constraint is there twice, or once.
struct Pendulum {
  NonSmoothDynamicalSystem model;
  SystemHandle bob;
  std::vector<InteractionHandle> rods;
  explicit Pendulum(int count) {
    bob = model.add(LagrangianLinearSystem{
        .mass = Eigen::Matrix2d(2.0 * Eigen::Matrix2d::Identity()), .force = {0.0, -2.0 * kGravity}, .q0 = {1.0, 0.0}});
    for (int k = 0; k < count; ++k) rods.push_back(model.link(bob, on_unit_circle(), EqualityLaw{}));
  }
};

TEST(RedundantRows, APendulumHeldTwice) {
  // Half the force each, m (v^2 - g q_y) / 2 along 2 q, whichever the integrator: as exact as the state is on the
  // circle. The motion is that of the pendulum held once, of which a run at 1e-12 is the reference.
  Pendulum once(1);
  EventDriven reference(once.model, {.relative_tolerance = 1e-12, .absolute_tolerance = 1e-12});
  const double T = 1.3;
  run_to(reference, T);
  const Eigen::VectorXd q = reference.state().positions, v = reference.state().unknowns;
  const auto error = [&](const EventDrivenOptions& options) {
    Pendulum twice(2);
    EventDriven simulation(twice.model, options);
    run_to(simulation, T);
    const State& x = simulation.state();
    const double force = -(x.unknowns.squaredNorm() - kGravity * x.positions[1]);
    for (const auto rod : twice.rods) EXPECT_NEAR(x.force(rod)[0], 0.5 * force, 1e-12 * std::abs(force));
    EXPECT_NEAR(x.positions.norm(), 1.0, 4e-15);
    return std::hypot((x.positions - q).norm(), (x.unknowns - v).norm());
  };
  EXPECT_LT(error({}), 1e-8);
  EXPECT_LT(error({.integrator = RadauIIA{}}), 1e-8);
  for (const double rho : {0.0, 0.8, 1.0}) {
    const auto at = [&](double h) { return error({.integrator = GeneralisedAlpha{rho}, .step = h}); };
    EXPECT_NEAR(fitted_order(0.01, 3, at), 2.0, 0.1) << rho;
  }
}

TEST(RedundantRows, TheSameAsHeldOnceWithGeneralisedAlpha) {
  // The method's steps do not depend on how often a constraint is there: round-off of some hundred steps.
  State states[2];
  for (const int count : {1, 2}) {
    Pendulum pendulum(count);
    EventDriven simulation(pendulum.model, {.integrator = GeneralisedAlpha{}, .step = 0.01});
    run_to(simulation, 2.0);
    states[count - 1] = simulation.state();
  }
  EXPECT_LT((states[0].positions - states[1].positions).norm(), 1e-11);
  EXPECT_LT((states[0].unknowns - states[1].unknowns).norm(), 1e-11);
}

TEST(RedundantRows, APositionAndAVelocityThatDepend) {
  // A bead on a ring, pressed on a floor across it that holds it in the radial direction too: the ring is held by
  // positions, the foot's radial row by velocities. The reference is the bead on the ring alone; each carries half of
  // the radial force f = -(v^2 - g q_y), along 2 q and q.
  const double T = 1.3, press = 50.0;
  Pendulum once(1);
  EventDriven reference(once.model, {.relative_tolerance = 1e-12, .absolute_tolerance = 1e-12});
  run_to(reference, T);
  const Eigen::VectorXd q = reference.state().positions, v = reference.state().unknowns;
  const auto error = [&](const EventDrivenOptions& options) {
    NonSmoothDynamicalSystem model;
    const auto bead =
        model.add(LagrangianLinearSystem{.force = {0.0, -kGravity, -press}, .q0 = {1.0, 0.0, 0.0}, .v0 = {0, 0, 0}});
    const auto ring = model.link(bead, on_unit_circle(), EqualityLaw{});
    const auto foot = model.link(bead,
                                 ScleronomousRelation{.rows = 2,
                                                      .h =
                                                          [](ConstVectorRef p, VectorRef y) {
                                                            y[0] = p[2];
                                                            y[1] = 0.5 * p.head(2).squaredNorm();
                                                          },
                                                      .H =
                                                          [](ConstVectorRef p, MatrixRef H) {
                                                            H(0, 2) = 1.0;
                                                            H.row(1).head(2) = p.head(2).transpose();
                                                          },
                                                      .curvature = [](ConstVectorRef, ConstVectorRef u,
                                                                      VectorRef c) { c[1] = u.head(2).squaredNorm(); }},
                                 NewtonImpactFrictionLaw{.friction = 1.0});
    EventDriven simulation(model, options);
    run_to(simulation, T);
    const State& x = simulation.state();
    const Eigen::Vector3d p = x.q(bead), u = x.v(bead);
    const double force = -(u.squaredNorm() - kGravity * p[1]);
    EXPECT_NEAR(x.force(ring)[0], 0.25 * force, 1e-12 * std::abs(force));
    EXPECT_NEAR(x.force(foot)[1], 0.5 * force, 1e-12 * std::abs(force));
    EXPECT_NEAR(x.force(foot)[0], press, 1e-12 * press);
    expect_closings_alone(simulation);
    return std::hypot((p.head(2) - q).norm(), (u.head(2) - v).norm());
  };
  EXPECT_LT(error({}), 1e-8);
  const auto at = [&](double h) { return error({.integrator = GeneralisedAlpha{}, .step = h}); };
  EXPECT_NEAR(fitted_order(0.02, 3, at), 2.0, 0.1);
}

/// A block (x, y, phi) on two feet at +-b, c below its centre, that carries a mass on a spring along x.
struct Block {
  static constexpr double mass = 2.0, carried = 0.5, k = 20.0, b = 0.4, c = 0.2;
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  std::array<InteractionHandle, 2> feet;
  Block(double mu, const Eigen::Vector4d& q0, const Eigen::Vector4d& v0, double stiffness = k) {
    Eigen::Matrix4d K = Eigen::Matrix4d::Zero();
    K(0, 0) = K(3, 3) = stiffness;
    K(0, 3) = K(3, 0) = -stiffness;
    body = model.add(LagrangianLinearSystem{.mass = Eigen::Vector4d(mass, mass, 0.1, carried).asDiagonal(),
                                            .stiffness = K,
                                            .force = {0.0, -mass * kGravity, 0.0, 0.0},
                                            .q0 = q0,
                                            .v0 = v0});
    for (std::size_t i = 0; i < 2; ++i) {
      const double arm = i == 0 ? b : -b;
      feet[i] = model.link(body, LagrangianLinearRelation{.H = {{0.0, 1.0, arm, 0.0}, {1.0, 0.0, c, 0.0}}},
                           NewtonImpactFrictionLaw{.friction = mu});
    }
  }
};

TEST(RedundantRows, TwoFeetThatStickUnderAnOscillation) {
  // s = s0 cos(w t) while the block rests: T1 + T2 = -k s, N1 + N2 = m g, b (N1 - N2) + c (T1 + T2) = 0; friction is
  // shared as N is.
  const double s0 = 0.15, w = std::sqrt(Block::k / Block::carried), T = 2.0;
  const auto error = [&](const EventDrivenOptions& options) {
    Block block(0.5, {0.0, 0.0, 0.0, s0}, Eigen::Vector4d::Zero());
    EventDriven simulation(block.model, options);
    run_to(simulation, T);
    const State& x = simulation.state();
    const Eigen::Vector4d q = x.q(block.body), v = x.v(block.body);
    EXPECT_LT(q.head(3).norm(), 1e-14);
    EXPECT_LT(v.head(3).norm(), 1e-14);
    const double force = Block::k * q[3], weight = Block::mass * kGravity;
    for (std::size_t i = 0; i < 2; ++i) {
      const double lever = (i == 0 ? 0.5 : -0.5) * Block::c / Block::b * force;
      EXPECT_NEAR(x.force(block.feet[i])[0], 0.5 * weight + lever, 1e-12 * weight);
      EXPECT_NEAR(x.force(block.feet[i])[1], -(0.5 + lever / weight) * force, 1e-12 * weight);
    }
    expect_closings_alone(simulation);
    return std::hypot(q[3] - s0 * std::cos(w * T), v[3] / w + s0 * std::sin(w * T));
  };
  EXPECT_LT(error({}), 1e-8);
  EXPECT_LT(error({.integrator = RadauIIA{}}), 1e-8);
  const auto at = [&](double h) { return error({.integrator = GeneralisedAlpha{}, .step = h}); };
  EXPECT_NEAR(fitted_order(0.02, 3, at), 2.0, 0.1);
}

TEST(RedundantRows, ABlockSlidesAndStopsOnBothFeet) {
  // Friction mu g stops it after v / (mu g), v^2 / (2 mu g) on: accelerations are constant, so every integrator is
  // exact. The spring is left out.
  const double mu = 0.3, v = 1.2, deceleration = mu * kGravity, stop = v / deceleration;
  for (const EventDrivenOptions& options :
       {EventDrivenOptions{}, {.integrator = GeneralisedAlpha{}, .step = 0.013}, {.integrator = RadauIIA{}}}) {
    Block block(mu, Eigen::Vector4d::Zero(), {v, 0.0, 0.0, 0.0}, 0.0);
    EventDriven simulation(block.model, options);
    run_to(simulation, 1.0);
    expect_times(times_of(simulation, EventKind::Stick), {stop, stop}, 1e-12);
    const State& x = simulation.state();
    EXPECT_NEAR(x.q(block.body)[0], 0.5 * v * stop, 1e-12);
    EXPECT_LT(x.v(block.body).norm(), 1e-14);
    for (const auto foot : block.feet) {
      EXPECT_NEAR(x.force(foot)[0], 0.5 * Block::mass * kGravity, 1e-11);
      EXPECT_NEAR(x.force(foot)[1], 0.0, 1e-11);
    }
  }
}

/// A table (x, z, roll, pitch) on four feet, guided along x and held there by a spring; other friction at the first.
/// A damper acts on a combination of x and pitch: an implicit method's matrix of the rows, H A^-1 E, then differs from
/// H M^-1 E by order h, its null space too.
struct Table {
  static constexpr double half = 0.5, height = 0.3;
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  std::array<InteractionHandle, 4> feet;
  Table(double first, double second, double stiffness, double speed) {
    Eigen::Matrix4d damping = Eigen::Matrix4d::Zero();
    damping(0, 0) = 1.0;
    damping(3, 3) = 4.0;
    damping(0, 3) = damping(3, 0) = 1.5;
    body = model.add(LagrangianLinearSystem{.mass = Eigen::Vector4d(1.0, 1.0, 0.2, 0.3).asDiagonal(),
                                            .damping = damping,
                                            .stiffness = Eigen::Vector4d(stiffness, 0.0, 0.0, 0.0).asDiagonal(),
                                            .force = {0.0, -kGravity, 0.0, 0.0},
                                            .q0 = {0.0, 0.0, 0.0, 0.0},
                                            .v0 = {speed, 0.0, 0.0, 0.0}});
    for (std::size_t i = 0; i < 4; ++i) {
      const double x = i == 0 || i == 3 ? half : -half, y = i < 2 ? half : -half;
      feet[i] = model.link(body, LagrangianLinearRelation{.H = {{0.0, 1.0, y, -x}, {1.0, 0.0, 0.0, -height}}},
                           NewtonImpactFrictionLaw{.friction = i == 0 ? first : second});
    }
  }
};

TEST(RedundantRows, ThatComeToDependOnTheirWay) {
  // q1 = 0 and q1 + q0 q2 = 0 on (q0, 0, 0): rows (0, 1, 0) and (0, 1, q0), the same at q0 = 0, which the fourth of the
  // steps meets to the bit.
  NonSmoothDynamicalSystem model;
  const auto point = model.add(
      LagrangianLinearSystem{.mass = Eigen::Matrix3d::Identity(), .q0 = {-1.0, 0.0, 0.0}, .v0 = {1.0, 0.0, 0.0}});
  model.link(point, LagrangianLinearRelation{.H = {{0.0, 1.0, 0.0}}}, EqualityLaw{});
  ScleronomousRelation product;
  product.h = [](ConstVectorRef q, VectorRef y) { y[0] = q[1] + q[0] * q[2]; };
  product.H = [](ConstVectorRef q, MatrixRef H) { H << q[2], 1.0, q[0]; };
  product.curvature = [](ConstVectorRef, ConstVectorRef v, VectorRef value) { value[0] = 2.0 * v[0] * v[2]; };
  model.link(point, product, EqualityLaw{});
  EventDriven simulation(model, {.integrator = DormandPrince{.order = 5}, .step = 0.25});
  run_to(simulation, 2.0);
  const auto q = simulation.state().q(point);
  EXPECT_NEAR(q[0], 1.0, 16.0 * std::numeric_limits<double>::epsilon());
  EXPECT_NEAR(q.tail(2).norm(), 0.0, 16.0 * std::numeric_limits<double>::epsilon());
}

TEST(RedundantRows, ATableThatSlidesOnFourFeet) {
  // Four normal rows of rank 3 while it slides, W unsymmetric, and friction, so the motion, depends on which of the
  // possible loads is taken: the two integrators have to take that of equal springs, which is linear in the place of a
  // foot, as no two of these differ in the distance from the centre; the second to order 2.
  const double T = 0.4;
  Table table(0.4, 0.1, 4.0, 2.0);
  EventDriven reference(table.model, {.relative_tolerance = 1e-12, .absolute_tolerance = 1e-12});
  run_to(reference, T);
  expect_closings_alone(reference);
  double sum = 0.0, drag = 0.0, across = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Eigen::VectorXd force = reference.state().force(table.feet[i]);
    EXPECT_NEAR(force[1], -(i == 0 ? 0.4 : 0.1) * force[0], 1e-12);
    sum += force[0];
    drag -= force[1];
    across += i % 2 == 0 ? force[0] : -force[0];
  }
  EXPECT_NEAR(sum, kGravity, 1e-11);
  EXPECT_NEAR(across, 0.0, 1e-12 * kGravity);
  EXPECT_GT(std::abs(drag - 0.175 * kGravity), 1e-3 * kGravity);  // that of equal loads
  const auto error = [&](double h) {
    EventDriven simulation(table.model, {.integrator = GeneralisedAlpha{}, .step = h});
    run_to(simulation, T);
    for (const auto foot : table.feet) {
      EXPECT_LT((simulation.state().force(foot) - reference.state().force(foot)).norm(), 20.0 * h * h);
    }
    return (simulation.state().positions - reference.state().positions).norm() +
           (simulation.state().unknowns - reference.state().unknowns).norm();
  };
  EXPECT_NEAR(fitted_order(0.02, 3, error), 2.0, 0.1);
}

TEST(RedundantRows, ATableComesToRestOnFourFeet) {
  // It sticks where it stops, with eight closed rows of rank 4: as the integration at 1e-12 has it.
  Table table(0.3, 0.3, 4.0, 2.0);
  EventDriven reference(table.model, {.relative_tolerance = 1e-12, .absolute_tolerance = 1e-12});
  run_to(reference, 2.0);
  const auto stops = times_of(reference, EventKind::Stick);
  ASSERT_EQ(stops.size(), 4u);
  const double rest = reference.state().positions[0];
  const auto error = [&](double h) {
    EventDriven simulation(table.model, {.integrator = GeneralisedAlpha{}, .step = h});
    run_to(simulation, 2.0);
    EXPECT_EQ(times_of(simulation, EventKind::Stick).size(), 4u);
    EXPECT_LT(simulation.state().unknowns.norm(), 1e-14);
    double sum = 0.0, along = 0.0;
    for (const auto foot : table.feet) {
      sum += simulation.state().force(foot)[0];
      along += simulation.state().force(foot)[1];
    }
    EXPECT_NEAR(sum, kGravity, 1e-11);
    EXPECT_NEAR(along, 4.0 * simulation.state().positions[0], 1e-11);
    return std::abs(times_of(simulation, EventKind::Stick).at(0) - stops[0]) +
           std::abs(simulation.state().positions[0] - rest);
  };
  // Its last step is cut at another fraction for each h.
  EXPECT_NEAR(fitted_order(0.02, 4, error), 2.0, 0.4);
}

}  // namespace
}  // namespace nonsmooth::redundant_rows_test
