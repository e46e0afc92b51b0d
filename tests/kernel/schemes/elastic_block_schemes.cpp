// SPDX-License-Identifier: Apache-2.0
// A block of rubber in nonlinear finite elements under every scheme that takes it: orders, energies, and one answer on
// a rigid floor.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>
#include <problems/elastic_block.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/fitted_order.hpp"

namespace nonsmooth::elastic_block_schemes_test {
namespace {

using bad_input::expect_refused;
using problems::ElasticBlock;

struct Case {
  const char* name;
  Integrator integrator;
  double order;        ///< of positions, in free motion
  double fades = 0.0;  ///< modes of frequency w fade as exp(-fades h w^2 t)
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"MoreauJean", MoreauJean{}, 2.0},
      {"SchatzmanPaoli", SchatzmanPaoli{}, 1.0, 0.25},
      {"StewartTrinkle", StewartTrinkle{}, 1.0, 0.5},
      {"D1MinusLinear", D1MinusLinear{}, 2.0},
      {"GeneralisedAlpha", GeneralisedAlpha{}, 2.0},
      {"GeneralisedAlphaWithoutDamping", GeneralisedAlpha{1.0}, 2.0},
  };
  return all;
}

class ElasticBlockSchemes : public ::testing::TestWithParam<Case> {};

/// Stretched along x and sheared, at rest: it rings for ever.
Eigen::VectorXd stretched(const ElasticBlock& block) {
  Eigen::VectorXd q = block.rest();
  for (Index k = 0; k < block.num_nodes(); ++k) q[2 * k] = 1.2 * q[2 * k] + 0.1 * q[2 * k + 1];
  return q;
}

TimeSteppingOptions options_of(const Integrator& integrator, double h) {
  return {.integrator = integrator, .step = h, .newton = {.tolerance = 1e-12}};
}

// The fastest oscillation has omega = 25 1/s, h omega = 0.05 in the longest step, so that terms of the next order are a
// twentieth. Against MoreauJean with an eighth of the shortest step: 1/64 of the smallest error of order 2, which bends
// a slope fitted over a factor of 4 by log2(1 + 1/64) / 2 = 0.01.
TEST_P(ElasticBlockSchemes, HaveTheirOrder) {
  const ElasticBlock block{.columns = 3, .rows = 3};
  SparseLagrangianSystem system = block.system();
  system.q0 = stretched(block);
  const auto end = [&](const Integrator& integrator, double h) -> Eigen::VectorXd {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(system);
    TimeStepping simulation(model, options_of(integrator, h));
    EXPECT_TRUE(simulation.advance_to(0.2));
    return simulation.state().q(body);
  };
  const Eigen::VectorXd exact = end(MoreauJean{}, 2e-3 / 32.0);
  const double order = fitted_order(2e-3, 2, [&](double h) { return (end(GetParam().integrator, h) - exact).norm(); });
  EXPECT_NEAR(order, GetParam().order, 0.1);
}

// Free of contact, over about two periods of the slowest mode. Schemes of order 2 move the energy to and fro by O(h^2),
// a quarter with half the step. Under the others each mode's falls as exp(-2 fades h w^2 t), a concave function of h,
// so that half the step takes between half and all of it. None gives any but for the first kind's.
TEST_P(ElasticBlockSchemes, KeepOrTakeEnergy) {
  const ElasticBlock block{.columns = 5, .rows = 4};
  SparseLagrangianSystem system = block.system();
  system.q0 = stretched(block);
  const Eigen::SparseMatrix<double> M = *system.mass.sparse();
  const double before = system.potential(system.q0.value());
  double gained = 0.0;
  const auto drift = [&](double h) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(system);
    TimeStepping simulation(model, options_of(GetParam().integrator, h));
    double most = 0.0;
    EXPECT_TRUE(simulation.advance_to(1.0, [&](const State& x) {
      const Eigen::VectorXd v = x.v(body);
      const double change = 0.5 * v.dot(M * v) + system.potential(x.q(body)) - before;
      most = std::max(most, std::abs(change));
      gained = std::max(gained, change);
    }));
    return most;
  };
  const double coarse = drift(4e-3), fine = drift(2e-3);
  EXPECT_LE(gained, 0.01 * before);
  EXPECT_LE(coarse, before);
  if (GetParam().fades > 0.0) {
    EXPECT_GT(coarse, 0.05 * before);
    EXPECT_GE(coarse / fine, 1.0);
    EXPECT_LE(coarse / fine, 2.0);
  } else {
    EXPECT_LE(coarse, 0.01 * before);
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.25);
  }
}

/// What a fall on a floor comes to.
struct Landing {
  double impulse = 0.0;   ///< of the floor [N s]
  Eigen::VectorXd q{};    ///< at the end
  double momentum = 0.0;  ///< worst balance of a step [N s]
};

Landing land(const ElasticBlock& block, const Integrator& integrator, double h) {
  constexpr double gravity = 2.0;
  SparseLagrangianSystem system = block.system(gravity);
  Eigen::VectorXd q = block.rest(), v = Eigen::VectorXd::Zero(q.size());
  for (Index k = 0; k < block.num_nodes(); ++k) q[2 * k + 1] += 0.0101, v[2 * k + 1] = -0.5;
  system.q0 = q;
  system.v0 = v;
  const Eigen::SparseMatrix<double> M = *system.mass.sparse();
  NonSmoothDynamicalSystem model;
  const auto body = model.add(system);
  const auto floor = model.link(body, block.on_floor(0.0, false), NewtonImpactLaw{});
  TimeStepping simulation(model, options_of(integrator, h));
  Landing landing;
  const RunReport report =
      simulation.advance_to(0.4, [&](const State& x) { landing.impulse += x.impulse(floor).sum(); });
  EXPECT_TRUE(report) << report.message();
  landing.q = simulation.state().q(body);
  const Eigen::VectorXd change = M * (simulation.state().v(body) - v);
  double sum = 0.0;
  for (Index i = 1; i < change.size(); i += 2) sum += change[i];
  landing.momentum = std::abs(sum - landing.impulse + gravity * 0.4 * block.mass());
  return landing;
}

// One answer: with steps of h the places of nodes differ from those of MoreauJean with h / 16 by no more than C h, an
// impact late by a step moves a node by its speed of 0.5 m/s times h, twice that with what it meets later. What fades
// smooths a front of that speed over s = sqrt(2 fades h t), which moves what it passes by 0.5 s / sqrt(2 pi). Internal
// forces have no sum, and what floor and weight give is what the block has. SchatzmanPaoli's v is the mean of two
// steps' z, so that the last step's impulses are half in it: its balance is off by half a step's push, F h / 2 with F =
// rho c v of the width, c = sqrt(lambda + 2 mu), and h times the weight.
TEST_P(ElasticBlockSchemes, LandAlike) {
  const ElasticBlock block{.columns = 6, .rows = 6};
  constexpr double h = 4e-3;
  const Landing reference = land(block, MoreauJean{}, h / 16.0);
  const Landing coarse = land(block, GetParam().integrator, h), fine = land(block, GetParam().integrator, h / 4.0);
  const auto off = [&](const Landing& one) { return (one.q - reference.q).lpNorm<Eigen::Infinity>(); };
  EXPECT_GT(reference.impulse, 0.5 * block.mass());
  const auto bound = [](double step) {
    return 0.5 * (2.0 * step + 0.4 * std::sqrt(2.0 * GetParam().fades * step * 0.4));
  };
  EXPECT_LE(off(coarse), bound(h));
  EXPECT_LE(off(fine), bound(h / 4.0));
  const bool means = std::string(GetParam().name) == "SchatzmanPaoli";
  const double push = (std::sqrt(block.lambda + 2.0 * block.mu) * 0.5 * 2.0 + 2.0) * h;
  EXPECT_LE(coarse.momentum, means ? push : 1e-9);
}

INSTANTIATE_TEST_SUITE_P(All, ElasticBlockSchemes, ::testing::ValuesIn(cases()),
                         [](const auto& one) { return std::string(one.param.name); });

/// With callables of dense matrices.
LagrangianSystem dense_twin(const SparseLagrangianSystem& sparse) {
  const SparsePattern pattern = sparse.pattern;
  return {.mass = [M = Eigen::MatrixXd(*sparse.mass.sparse())](ConstVectorRef, MatrixRef mass) { mass = M; },
          .internal =
              [forces = sparse.internal](double t, ConstVectorRef q, ConstVectorRef v, VectorRef f) {
                f.setZero();
                forces(t, q, v, f);
              },
          .internal_dq =
              [pattern, entries = sparse.internal_dq](double t, ConstVectorRef q, ConstVectorRef v, MatrixRef K) {
                Eigen::SparseMatrix<double> values = pattern.zeros();
                SparseEntries into(pattern, Eigen::Map<Eigen::VectorXd>(values.valuePtr(), values.nonZeros()));
                entries(t, q, v, into);
                K = values;
              },
          .internal_dv = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {},
          .external = sparse.external,
          .q0 = sparse.q0,
          .v0 = sparse.v0};
}

/// Positions held within the step, to far less than twins may differ by.
constexpr ProjectionOptions kHeld{
    .kind = Projection::WithinStep, .unilateral_tolerance = 1e-12, .bilateral_tolerance = 1e-12};

// GeneralisedAlpha with sparse and with dense matrices: the same equations, solved to 1e-12 of velocities of 1 m/s in
// 50 steps; with positions held too, which have another G and B.
TEST(ElasticBlockUnderGeneralisedAlpha, IsItsDenseTwin) {
  const ElasticBlock block{.columns = 4, .rows = 3};
  SparseLagrangianSystem system = block.system(2.0);
  system.q0 = stretched(block);
  system.v0 = Eigen::VectorXd::Zero(block.num_unknowns());
  for (const auto& [rho, holds] : {std::pair{0.0, false}, {0.8, false}, {1.0, false}, {0.0, true}, {0.8, true}}) {
    Eigen::VectorXd ends[2];
    for (const bool sparse : {true, false}) {
      NonSmoothDynamicalSystem model;
      const SystemHandle body = sparse ? model.add(system) : model.add(dense_twin(system));
      model.link(body, block.on_floor(-0.02, true), NewtonImpactFrictionLaw{.friction = 0.3});
      TimeSteppingOptions options = options_of(GeneralisedAlpha{rho}, 5e-3);
      if (holds) options.projection = kHeld;
      TimeStepping simulation(model, options);
      ASSERT_TRUE(simulation.advance_to(0.25));
      EXPECT_GT(simulation.state().multipliers.lpNorm<1>(), 0.0);
      EXPECT_EQ(simulation.state().projections.lpNorm<1>() > 0.0, holds);
      ends[sparse ? 0 : 1] = simulation.state().q(body);
    }
    EXPECT_LE((ends[0] - ends[1]).lpNorm<Eigen::Infinity>(), 1e-9) << rho << (holds ? ", held" : "");
  }
}

// A chain of 40 masses, damped and driven: linear, with matrices that come in sparse or dense.
TEST(LinearSystemUnderGeneralisedAlpha, IsItsDenseTwin) {
  constexpr Index n = 40;
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n), C = M, K = M;
  for (Index i = 0; i < n; ++i) {
    M(i, i) = 1.0, C(i, i) = 0.2, K(i, i) = 200.0;
    if (i > 0) M(i, i - 1) = M(i - 1, i) = 0.2, K(i, i - 1) = K(i - 1, i) = -100.0;
  }
  Eigen::VectorXd ends[2][2];
  for (const auto& [sparse, holds] : {std::pair{true, false}, {true, true}, {false, false}, {false, true}}) {
    LagrangianLinearSystem chain{.force = [](double t, VectorRef f) { f[0] = -20.0 * std::cos(3.0 * t); },
                                 .q0 = Eigen::VectorXd::Constant(n, 0.05)};
    if (sparse) {
      chain.mass = Eigen::SparseMatrix<double>(M.sparseView());
      chain.damping = Eigen::SparseMatrix<double>(C.sparseView());
      chain.stiffness = Eigen::SparseMatrix<double>(K.sparseView());
    } else {
      chain.mass = M, chain.damping = C, chain.stiffness = K;
    }
    NonSmoothDynamicalSystem model;
    const auto body = model.add(chain);
    model.link(body, LagrangianLinearRelation{.H = Eigen::RowVectorXd::Unit(n, 0)},
               NewtonImpactLaw{.restitution = 0.5});
    TimeSteppingOptions options{.integrator = GeneralisedAlpha{0.8}, .step = 0.01};
    if (holds) options.projection = kHeld;
    TimeStepping simulation(model, options);
    double pushed = 0.0, held = 0.0, deepest = 0.0;
    ASSERT_TRUE(simulation.advance_to(2.0, [&](const State& x) {
      pushed += x.multipliers[0];
      held += x.projections[0];
      deepest = std::max(deepest, -x.outputs[0]);
    }));
    EXPECT_GT(pushed, 0.0);
    EXPECT_EQ(held > 0.0, holds);
    EXPECT_EQ(deepest <= kHeld.unilateral_tolerance, holds) << deepest;
    ends[holds ? 1 : 0][sparse ? 0 : 1] = simulation.state().q(body);
  }
  for (const auto& [of_sparse, of_dense] : ends) EXPECT_LE((of_sparse - of_dense).lpNorm<Eigen::Infinity>(), 1e-11);
  EXPECT_GT((ends[0][0] - ends[1][0]).lpNorm<Eigen::Infinity>(), 1e-6);  // another motion
}

// K = -10 grows: S = M / of_a - h^2 beta 10 changes its sign where h^2 beta = 0.1 M / of_a.
TEST(LinearSystemUnderGeneralisedAlpha, RefusesAStepInWhichItGrowsTooFar) {
  constexpr Index n = 40;
  Eigen::SparseMatrix<double> K(n, n);
  K.setIdentity();
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{
      .stiffness = Eigen::SparseMatrix<double>(-10.0 * K), .q0 = Eigen::VectorXd::Ones(n), .name = "heap"});
  expect_refused([&] { TimeStepping(model, {.integrator = GeneralisedAlpha{1.0}, .step = 1.0}).step(); },
                 {"TimeSteppingOptions::step", "GeneralisedAlpha", "heap", "shorter"});
}

TEST(ElasticBlockUnderExactLinear, IsRefusedWithTheSchemesThatTakeIt) {
  const ElasticBlock block;
  NonSmoothDynamicalSystem model;
  model.add(block.system());
  expect_refused([&] { TimeStepping(model, {.integrator = ExactLinear{}, .step = 0.01}).step(); },
                 {"ExactLinear", "block", "MoreauJean"});
}

}  // namespace
}  // namespace nonsmooth::elastic_block_schemes_test
