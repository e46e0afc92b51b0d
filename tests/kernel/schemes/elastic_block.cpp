// SPDX-License-Identifier: Apache-2.0
// A block of rubber on a rigid floor, 10^3 unknowns in nonlinear finite elements whose matrices stay sparse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <problems/elastic_block.hpp>

#include "kernel/fitted_order.hpp"

namespace nonsmooth::elastic_block_test {
namespace {

using problems::ElasticBlock;

/// Mass, momentum and energy of a block by its own description.
struct Balance {
  Eigen::SparseMatrix<double> M;
  std::function<double(ConstVectorRef)> potential;

  explicit Balance(const SparseLagrangianSystem& system) : M(*system.mass.sparse()), potential(system.potential) {}
  [[nodiscard]] double momentum(const Eigen::VectorXd& v, Index axis) const {
    const Eigen::VectorXd p = M * v;
    double sum = 0.0;
    for (Index i = axis; i < p.size(); i += 2) sum += p[i];
    return sum;
  }
  [[nodiscard]] double energy(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
    return 0.5 * v.dot(M * v) + potential(q);
  }
};

/// Stretched along x and sheared, at rest: it rings for ever.
Eigen::VectorXd distorted(const ElasticBlock& block) {
  Eigen::VectorXd q = block.rest();
  for (Index k = 0; k < block.num_nodes(); ++k) q[2 * k] = 1.2 * q[2 * k] + 0.1 * q[2 * k + 1];
  return q;
}

// Compressed between a floor and a plate that goes down, both without friction, it comes to rest with one deformation
// everywhere, the closed form's; the floor presses with its stress. Implicit Euler with steps of many periods: 1 + (h
// omega)^2 > 10^4 divides what is left of the motion in each, so that six are at round-off; Newton's tolerance is
// 1e-12.
TEST(ElasticBlock, CompressedUniformlyHasTheExactStress) {
  const ElasticBlock block{.columns = 24, .rows = 20, .width = 1.5, .height = 1.0, .mu = 2.0, .lambda = 5.0};
  ASSERT_GE(block.num_unknowns(), 1000);
  constexpr double h = 100.0, compression = 0.2;
  SparseLagrangianSystem system = block.system();
  for (Index i = 0; i <= block.columns; ++i) {
    system.prescribed.push_back({.component = 2 * block.node(i, block.rows) + 1,
                                 .velocity = [](double t) { return t < 1.5 * h ? -compression / h : 0.0; }});
  }
  NonSmoothDynamicalSystem model;
  const auto body = model.add(system);
  const auto floor = model.link(body, block.on_floor(0.0, false), NewtonImpactLaw{});
  TimeStepping simulation(model, {.integrator = MoreauJean{.theta = 1.0}, .step = h, .newton = {.tolerance = 1e-12}});
  for (int k = 0; k < 6; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    if (k > 0) continue;  // what is left to converge is little but rounding
    EXPECT_LE(report.newton_iterations, 8);
  }
  const Eigen::VectorXd q = simulation.state().q(body), X = block.rest();
  const double along = block.free_stretch(1.0 - compression);
  EXPECT_GT(along, 1.05);
  double off = 0.0;
  for (Index k = 0; k < block.num_nodes(); ++k) {
    off = std::max(off, std::abs(q[2 * k] - q[0] - along * X[2 * k]));
    off = std::max(off, std::abs(q[2 * k + 1] - (1.0 - compression) * X[2 * k + 1]));
  }
  EXPECT_LE(off, 1e-9);
  const double pressure = -block.uniaxial_stress(1.0 - compression);
  EXPECT_GT(pressure, 0.5);
  EXPECT_NEAR(simulation.state().force(floor).sum(), pressure * block.width, 1e-8);
}

struct Iterates {
  std::vector<double> errors;  ///< of v after 1, 2, ... iterations
};

/// One long step from a distorted block, with the stiffness times `factor`.
Iterates newton_iterates(double factor) {
  const ElasticBlock block{.columns = 24, .rows = 20};
  SparseLagrangianSystem system = block.system();
  system.q0 = distorted(block);
  const auto stiffness = system.internal_dq;
  system.internal_dq = [=](double t, ConstVectorRef q, ConstVectorRef v, SparseEntries& K) {
    stiffness(t, q, v, K);
    K.values() *= factor;
  };
  NonSmoothDynamicalSystem model;
  const auto body = model.add(system);
  const auto after = [&](Index iterations) -> Eigen::VectorXd {
    TimeStepping simulation(model, {.step = 0.1,
                                    .newton = {.tolerance = 1e-15, .max_iterations = iterations, .max_halvings = 0},
                                    .on_failure = OnFailure::Accept});
    simulation.step();
    return simulation.state().v(body);
  };
  const Eigen::VectorXd converged = after(30);
  Iterates result;
  for (Index k = 1; k <= 5; ++k)
    result.errors.push_back((after(k) - converged).lpNorm<Eigen::Infinity>() / converged.lpNorm<Eigen::Infinity>());
  return result;
}

// e_(k+1) <= C e_k^2 with one C, until rounding: 0.1, 2e-2, 4e-4, 1e-7, 1e-14. With a stiffness 5 % off, that is some
// parts of a hundred of A, the errors fall by such a part alone.
TEST(ElasticBlock, NewtonConvergesQuadratically) {
  const std::vector<double> e = newton_iterates(1.0).errors, off = newton_iterates(1.05).errors;
  constexpr double C = 2.5;
  EXPECT_GT(e[0], 0.05);
  for (std::size_t k = 0; k + 1 < e.size(); ++k) EXPECT_LE(e[k + 1], C * e[k] * e[k] + 1e-13) << k;
  EXPECT_GT(off[4], 1e-10);
}

// Internal forces have no sum: M v+ - M v summed over the nodes is the weight's impulse and the floor's, in each step
// to Newton's tolerance of 1e-12 relative to velocities of 2 m/s and 1 kg.
TEST(ElasticBlock, FallsOntoARoughFloorByItsMomentum) {
  const ElasticBlock block{.columns = 16, .rows = 16};
  constexpr double h = 5e-3, gravity = 2.0;
  SparseLagrangianSystem system = block.system(gravity);
  Eigen::VectorXd q = block.rest(), v = Eigen::VectorXd::Zero(q.size());
  for (Index k = 0; k < block.num_nodes(); ++k) {
    q[2 * k + 1] += 0.05;
    v[2 * k] = 0.5;
    v[2 * k + 1] = -0.5;
  }
  system.q0 = q;
  system.v0 = v;
  const Balance balance(system);
  NonSmoothDynamicalSystem model;
  const auto body = model.add(system);
  const auto floor = model.link(body, block.on_floor(0.0, true), NewtonImpactFrictionLaw{.friction = 0.3});
  TimeStepping simulation(model, {.step = h, .newton = {.tolerance = 1e-12}});
  const double energy = balance.energy(q, v);
  double px = balance.momentum(v, 0), py = balance.momentum(v, 1), lowest = py, highest = py, most = energy;
  Index iterations = 0, most_iterations = 0;
  for (int k = 0; k < 150; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    most_iterations = std::max(most_iterations, report.newton_iterations);
    iterations += report.newton_iterations;
    const Eigen::VectorXd p = simulation.state().impulse(floor), now = simulation.state().v(body);
    double normal = 0.0, tangential = 0.0;
    for (Index i = 0; i <= block.columns; ++i) {
      normal += p[2 * i];
      tangential += p[2 * i + 1];
    }
    const double nx = balance.momentum(now, 0), ny = balance.momentum(now, 1);
    ASSERT_NEAR(nx - px, tangential, 1e-11) << k;
    ASSERT_NEAR(ny - py, normal - h * gravity * block.mass(), 1e-11) << k;
    px = nx;
    py = ny;
    lowest = std::min(lowest, py);
    highest = std::max(highest, py);
    most = std::max(most, balance.energy(simulation.state().q(body), now));
  }
  EXPECT_LT(lowest, -0.55 * block.mass());  // it fell
  EXPECT_GT(highest, 0.05 * block.mass());  // and rebounded by its elasticity alone
  EXPECT_LT(px, 0.45 * block.mass());       // friction slowed it
  EXPECT_LE(iterations, 150 * 6);
  EXPECT_LE(most_iterations, 10);  // where nodes come to stick or slip
  // Impacts and friction take energy; what the scheme adds is of second order in h omega.
  EXPECT_LE(most, energy * 1.005);
  EXPECT_LT(balance.energy(simulation.state().q(body), simulation.state().v(body)), 0.99 * energy);
}

// Free of contact: theta = 1/2 is of second order, theta = 1 of first, against a run with theta = 1/2 of an eighth of
// the shortest step. The fastest oscillation has omega = 25 1/s: h omega = 0.05, and what theta = 1 damps is
// h omega^2 t / 2 = 0.13 at most of it.
TEST(ElasticBlock, HasTheOrderOfItsScheme) {
  const ElasticBlock block{.columns = 3, .rows = 3};
  SparseLagrangianSystem system = block.system();
  system.q0 = distorted(block);
  const auto end = [&](double theta, double h) -> Eigen::VectorXd {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(system);
    TimeStepping simulation(model,
                            {.integrator = MoreauJean{.theta = theta}, .step = h, .newton = {.tolerance = 1e-12}});
    EXPECT_TRUE(simulation.advance_to(0.2));
    return simulation.state().q(body);
  };
  const Eigen::VectorXd exact = end(0.5, 2e-3 / 32.0);
  const auto order = [&](double theta) {
    return fitted_order(2e-3, 2, [&](double h) { return (end(theta, h) - exact).norm(); });
  };
  EXPECT_NEAR(order(0.5), 2.0, 0.1);
  EXPECT_NEAR(order(1.0), 1.0, 0.1);
}

// Energy of free oscillations: halving the step divides the drift of the trapezoidal rule by 4.
TEST(ElasticBlock, KeepsEnergyToSecondOrder) {
  const ElasticBlock block{.columns = 5, .rows = 4};
  SparseLagrangianSystem system = block.system();
  system.q0 = distorted(block);
  const Balance balance(system);
  const double before = balance.potential(system.q0.value());
  EXPECT_GT(before, 0.01);
  double drift[2] = {0.0, 0.0};
  for (const int i : {0, 1}) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(system);
    TimeStepping simulation(model, {.step = i == 0 ? 0.01 : 0.005, .newton = {.tolerance = 1e-12}});
    ASSERT_TRUE(simulation.advance_to(1.0, [&](const State& state) {
      drift[i] = std::max(drift[i], std::abs(balance.energy(state.q(body), state.v(body)) - before));
    }));
  }
  EXPECT_NEAR(drift[0] / drift[1], 4.0, 0.4);
  EXPECT_LE(drift[1], 0.01 * before);
}

TEST(ElasticBlock, StiffnessIsTheDerivativeOfItsForces) {
  const ElasticBlock block{.columns = 3, .rows = 2};
  SparseLagrangianSystem system = block.system();
  system.q0 = distorted(block);
  NonSmoothDynamicalSystem model;
  model.add(system);
  EXPECT_TRUE(compare_jacobians(model, model.initial_state(0.0)).empty());
}

}  // namespace
}  // namespace nonsmooth::elastic_block_test
