// SPDX-License-Identifier: Apache-2.0
// Memory of steps of nonlinear finite elements: nothing of n x n is ever made, and from the second step on nothing is
// allocated but by SuiteSparse within a factorisation, the same in each.
#include <cstddef>

#include <gtest/gtest.h>
#include <malloc.h>

#include <hot_path/allocation_guard.hpp>
#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>
#include <problems/elastic_block.hpp>

namespace nonsmooth {
namespace {

using problems::ElasticBlock;

/// Of its own weight, above a floor.
TimeStepping on_floor(const ElasticBlock& block, double floor, const Law& law) {
  SparseLagrangianSystem system = block.system(1.0);
  system.v0 = Eigen::VectorXd::Zero(block.num_unknowns());
  NonSmoothDynamicalSystem model;
  const auto body = model.add(system);
  model.link(body, block.on_floor(floor, true), law);
  return {model, {.step = 0.01}};
}

TEST(SparseStepMemory, IsProportionalToTheUnknowns) {
  if (!test::counts_allocations) GTEST_SKIP() << "the sanitizers replace malloc";
  const ElasticBlock block{.columns = 8, .rows = 600, .width = 0.4, .height = 30.0, .mu = 1e3, .lambda = 1e3};
  const Index n = block.num_unknowns();
  ASSERT_GT(n, 10'000);
  // Meets the floor in the third step.
  TimeStepping simulation = on_floor(block, -1e-4, NewtonImpactFrictionLaw{.friction = 0.3});
  for (int k = 0; k < 5; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
  }
  EXPECT_GT(simulation.step().rows, 0);
  // Nine nodes a row: factors have some 25 entries a column of 12 bytes, 18 rows of H and of P 8 bytes a column each;
  // 16 n^2 is what one dense A and its factor would take, 1.9 GB.
  EXPECT_LT(static_cast<double>(test::largest_allocation), 1e3 * static_cast<double>(n));
  EXPECT_LT(static_cast<double>(mallinfo2().uordblks), 1e4 * static_cast<double>(n));
}

TEST(SparseStepMemory, IsAllocatedInFactorisationsAlone) {
  if (!test::counts_allocations) GTEST_SKIP() << "the sanitizers replace malloc";
  const ElasticBlock block{.columns = 4, .rows = 12, .mu = 1e3, .lambda = 1e3};
  // A factorisation of a matrix of these entries, which are those of a step but for their values.
  SparseFactorization factor(Structure::SymmetricPositiveDefinite);
  Eigen::SparseMatrix<double> A = block.system().pattern.zeros();
  for (Index i = 0; i < A.cols(); ++i) A.coeffRef(i, i) = 1.0;
  ASSERT_TRUE(factor.factorize(A));
  const test::AllocationCount one;
  ASSERT_TRUE(factor.factorize(A));
  const long long of_factorisation = one.now();

  TimeStepping simulation = on_floor(block, 0.0, EqualityLaw{});  // glued: rows that stay
  for (int k = 0; k < 2; ++k) ASSERT_TRUE(simulation.step());
  const std::size_t held = mallinfo2().uordblks;
  const test::AllocationCount count;
  Index iterations = 0;
  for (int k = 0; k < 20; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    iterations += report.newton_iterations;
  }
  EXPECT_GE(iterations, 20);
  EXPECT_EQ(count.now(), iterations * of_factorisation);
  EXPECT_LE(mallinfo2().uordblks, held + 64 * 1024) << "factors that differ by some entries";
}

}  // namespace
}  // namespace nonsmooth
