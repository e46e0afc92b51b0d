// SPDX-License-Identifier: Apache-2.0
// Symbolic factors of large elastic bodies are made once a run, whatever the scheme: CHOLMOD's own calls are
// counted.
#include <string>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>
#include <problems/elastic_block.hpp>
#include <support/cholmod_calls.hpp>

namespace nonsmooth::symbolic_factors_test {
namespace {

struct Case {
  const char* name;
  Integrator integrator;
  long long matrices;  ///< that are factored: A; M, S and N under GeneralisedAlpha; M under D1MinusLinear
  bool varies;         ///< and one of them changes in each iteration
};

class SymbolicFactors : public ::testing::TestWithParam<Case> {};

// A block falls onto a floor within some steps; contacts come and go, values of A change in each iteration.
TEST_P(SymbolicFactors, AreMadeOnce) {
  const problems::ElasticBlock block{.columns = 8, .rows = 12, .mu = 10.0, .lambda = 15.0};
  SparseLagrangianSystem system = block.system(1.0);
  system.v0 = Eigen::VectorXd::Zero(block.num_unknowns());
  NonSmoothDynamicalSystem model;
  const auto body = model.add(system);
  const auto floor = model.link(body, block.on_floor(-1e-4, false), NewtonImpactLaw{});
  TimeStepping simulation(model, {.integrator = GetParam().integrator, .step = 2e-3});
  test::CholmodCalls& calls = test::cholmod_calls = {};
  long long iterations = 0;
  double pushed = 0.0;
  for (int k = 0; k < 60; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    iterations += report.newton_iterations;
    pushed += simulation.state().impulse(floor).sum();
  }
  EXPECT_GT(pushed, 0.0);
  EXPECT_GE(calls.orderings, 1);
  EXPECT_LE(calls.orderings, GetParam().matrices);
  if (GetParam().varies) {
    EXPECT_GE(calls.factorisations, iterations / 2);
  }
  EXPECT_LE(calls.factorisations, (iterations + 60) * GetParam().matrices);
}

INSTANTIATE_TEST_SUITE_P(All, SymbolicFactors,
                         ::testing::Values(Case{"MoreauJean", MoreauJean{}, 1, true},
                                           Case{"SchatzmanPaoli", SchatzmanPaoli{}, 1, true},
                                           Case{"StewartTrinkle", StewartTrinkle{}, 1, true},
                                           Case{"D1MinusLinear", D1MinusLinear{}, 1, false},
                                           Case{"GeneralisedAlpha", GeneralisedAlpha{}, 3, true}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace nonsmooth::symbolic_factors_test
