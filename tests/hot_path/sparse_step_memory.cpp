// SPDX-License-Identifier: Apache-2.0
// Memory of steps of nonlinear finite elements, finite rotations and fields: nothing of n x n is ever made, and from
// the second step on nothing is allocated.
#include <cmath>
#include <cstddef>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <malloc.h>

#include <hot_path/allocation_guard.hpp>
#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>
#include <problems/elastic_block.hpp>
#include <problems/turning_chain.hpp>

namespace nonsmooth {
namespace {

using problems::ElasticBlock;

/// UMFPACK, of builds with SuiteSparse's GPL parts, allocates in each call.
bool factors_keep_memory() { return SparseFactorization().backend() == "columns"; }
constexpr const char* kOtherFactors = "sparse factors of another library";

/// Of its own weight, above a floor.
TimeStepping on_floor(const ElasticBlock& block, double floor, const Law& law,
                      const Integrator& integrator = MoreauJean{}) {
  SparseLagrangianSystem system = block.system(1.0);
  system.v0 = Eigen::VectorXd::Zero(block.num_unknowns());
  NonSmoothDynamicalSystem model;
  const auto body = model.add(system);
  model.link(body, block.on_floor(floor, true), law);
  return {model, {.integrator = integrator, .step = 0.01}};
}

/// Newton's iterations of 20 steps.
Index iterations_of_steps(TimeStepping& simulation) {
  Index iterations = 0;
  for (int k = 0; k < 20; ++k) {
    const StepReport report = simulation.step();
    EXPECT_TRUE(report) << report.message();
    iterations += report.newton_iterations;
  }
  return iterations;
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

/// Bodies on SO(3), twisted by 1 rad from end to end; A is not symmetric.
TimeStepping of_rotations(Index bodies) {
  const Eigen::Matrix3d inertia{{2.0, 0.3, 0.0}, {0.3, 1.5, 0.1}, {0.0, 0.1, 1.0}};
  NonSmoothDynamicalSystem model;
  model.add(std::static_pointer_cast<const MechanicalSystem>(std::make_shared<const problems::TurningChain>(
      problems::twisted_chain(1e3, inertia, Eigen::VectorXd::LinSpaced(bodies, 0.0, 1.0), {1.0, 0.0, 0.0, 0.0}))));
  return {model, {.step = 0.01}};
}

TEST(SparseStepMemory, UnderGeneralisedAlphaIsProportionalToTheUnknowns) {
  if (!test::counts_allocations) GTEST_SKIP() << "the sanitizers replace malloc";
  test::largest_allocation = 0;
  const ElasticBlock block{.columns = 8, .rows = 600, .width = 0.4, .height = 30.0, .mu = 1e3, .lambda = 1e3};
  const Index n = block.num_unknowns();
  TimeStepping simulation = on_floor(block, -1e-4, NewtonImpactFrictionLaw{.friction = 0.3}, GeneralisedAlpha{});
  for (int k = 0; k < 5; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
  }
  EXPECT_GT(simulation.step().rows, 0);
  // Three factors in the place of one, and six matrices in that of three.
  EXPECT_LT(static_cast<double>(test::largest_allocation), 1e3 * static_cast<double>(n));
  EXPECT_LT(static_cast<double>(mallinfo2().uordblks), 3e4 * static_cast<double>(n));
}

TEST(SparseStepMemory, OfFiniteRotationsIsProportionalToTheUnknowns) {
  if (!test::counts_allocations) GTEST_SKIP() << "the sanitizers replace malloc";
  test::largest_allocation = 0;
  constexpr Index bodies = 4000, n = 3 * bodies;
  TimeStepping simulation = of_rotations(bodies);
  for (int k = 0; k < 5; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    EXPECT_GE(report.newton_iterations, 1);
  }
  // Rows of A have 9 entries, factors two of 15 at most, of 12 bytes; a dense A and its factor would take 2.3 GB.
  EXPECT_LT(static_cast<double>(test::largest_allocation), 1e3 * static_cast<double>(n));
  EXPECT_LT(static_cast<double>(mallinfo2().uordblks), 1e4 * static_cast<double>(n));
}

TEST(SparseStepMemory, OfFiniteRotationsIsNotAllocatedAfterTheSecond) {
  if (!test::counts_allocations) GTEST_SKIP() << "the sanitizers replace malloc";
  if (!factors_keep_memory()) GTEST_SKIP() << kOtherFactors;
  TimeStepping simulation = of_rotations(60);
  for (int k = 0; k < 2; ++k) ASSERT_TRUE(simulation.step());
  const std::size_t held = mallinfo2().uordblks;
  const test::AllocationCount count;
  const Index iterations = iterations_of_steps(simulation);
  EXPECT_GE(iterations, 20);
  EXPECT_EQ(count.now(), 0);
  EXPECT_LE(mallinfo2().uordblks, held + 64 * 1024) << "factors that differ by some entries";
}

/// x' = x_{i-1} - 2 x_i + x_{i+1} + x_i - x_i^3 of n states, of which 8 are held below 0.5.
TimeStepping of_field(Index n, bool given) {
  std::vector<std::vector<Index>> neighbours;
  for (Index i = 0; i + 1 < n; ++i) neighbours.push_back({i, i + 1});
  SparseFirstOrderSystem field{.pattern = SparsePattern::of_elements(n, neighbours)};
  field.f = [n](double, ConstVectorRef x, VectorRef value) {
    for (Index i = 0; i < n; ++i) {
      value[i] = -x[i] - x[i] * x[i] * x[i];
      if (i > 0) value[i] += x[i - 1];
      if (i + 1 < n) value[i] += x[i + 1];
    }
  };
  if (given) {
    field.f_dx = [n](double, ConstVectorRef x, SparseEntries& J) {
      for (Index i = 0; i < n; ++i) {
        J.add(i, i, -1.0 - 3.0 * x[i] * x[i]);
        if (i == 0) continue;
        J.add(i, i - 1, 1.0);
        J.add(i - 1, i, 1.0);
      }
    };
  }
  field.x0 = Eigen::VectorXd::NullaryExpr(n, [](Index i) { return 0.4 * std::sin(0.01 * static_cast<double>(i)); });
  NonSmoothDynamicalSystem model;
  const auto handle = model.add(field);
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(8, n);
  for (Index j = 0; j < 8; ++j) C(j, (j + 1) * n / 9) = -1.0;
  model.link(
      handle,
      FirstOrderLinearRelation{.C = C, .B = Eigen::MatrixXd(C.transpose()), .e = Eigen::VectorXd::Constant(8, 0.5)},
      ComplementarityLaw{});
  return {model, {.step = 0.1}};
}

TEST(SparseStepMemory, OfAFieldIsProportionalToTheUnknowns) {
  if (!test::counts_allocations) GTEST_SKIP() << "the sanitizers replace malloc";
  constexpr Index n = 20'000;
  for (const bool given : {true, false}) {
    test::largest_allocation = 0;
    TimeStepping simulation = of_field(n, given);
    for (int k = 0; k < 5; ++k) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << report.message();
      EXPECT_GE(report.newton_iterations, 2);
    }
    // 8 rows of C, B and P in 8 bytes a state; of n x n it would be 3.2 GB.
    EXPECT_LT(static_cast<double>(test::largest_allocation), 1e3 * static_cast<double>(n));
    EXPECT_LT(static_cast<double>(mallinfo2().uordblks), 1e4 * static_cast<double>(n));
  }
}

TEST(SparseStepMemory, OfAFieldIsNotAllocatedAfterTheSecond) {
  if (!test::counts_allocations) GTEST_SKIP() << "the sanitizers replace malloc";
  if (!factors_keep_memory()) GTEST_SKIP() << kOtherFactors;
  for (const bool given : {true, false}) {
    TimeStepping simulation = of_field(200, given);
    for (int k = 0; k < 2; ++k) ASSERT_TRUE(simulation.step());
    const test::AllocationCount count;
    const Index iterations = iterations_of_steps(simulation);
    EXPECT_GE(iterations, 40);
    EXPECT_EQ(count.now(), 0) << given;
  }
}

TEST(SparseStepMemory, IsNotAllocatedAfterTheSecond) {
  if (!test::counts_allocations) GTEST_SKIP() << "the sanitizers replace malloc";
  if (!factors_keep_memory()) GTEST_SKIP() << kOtherFactors;
  const ElasticBlock block{.columns = 4, .rows = 12, .mu = 1e3, .lambda = 1e3};
  TimeStepping simulation = on_floor(block, 0.0, EqualityLaw{});  // glued: rows that stay
  for (int k = 0; k < 2; ++k) ASSERT_TRUE(simulation.step());
  const std::size_t held = mallinfo2().uordblks;
  const test::AllocationCount count;
  const Index iterations = iterations_of_steps(simulation);
  EXPECT_GE(iterations, 20);
  EXPECT_EQ(count.now(), 0);
  EXPECT_LE(mallinfo2().uordblks, held + 64 * 1024) << "factors that differ by some entries";
}

// Two of its three matrices vary, A's pattern is theirs.
TEST(SparseStepMemory, UnderGeneralisedAlphaIsNotAllocatedAfterTheSecond) {
  if (!test::counts_allocations) GTEST_SKIP() << "the sanitizers replace malloc";
  if (!factors_keep_memory()) GTEST_SKIP() << kOtherFactors;
  const ElasticBlock block{.columns = 4, .rows = 12, .mu = 1e3, .lambda = 1e3};
  TimeStepping simulation = on_floor(block, 0.0, EqualityLaw{}, GeneralisedAlpha{});
  for (int k = 0; k < 2; ++k) ASSERT_TRUE(simulation.step());
  const test::AllocationCount count;
  const Index iterations = iterations_of_steps(simulation);
  EXPECT_GE(iterations, 20);
  EXPECT_EQ(count.now(), 0);
}

/// Of n rows, each with some entries anywhere and one in column 7 i + 3.
Eigen::SparseMatrix<double> scattered(Index n, unsigned seed) {
  std::minstd_rand random(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::vector<Eigen::Triplet<double, Index>> entries;
  for (Index i = 0; i < n; ++i) {
    entries.emplace_back(i, (7 * i + 3) % n, 3.0 + value(random));
    for (int k = 0; k < 2; ++k) entries.emplace_back(i, static_cast<Index>(random()) % n, value(random));
  }
  Eigen::SparseMatrix<double> A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

// As contacts come and go: nothing but the entries of the largest factors counts.
TEST(SparseStepMemory, OfFactorsOfOtherPatternsIsKept) {
  if (!test::counts_allocations) GTEST_SKIP() << "the sanitizers replace malloc";
  if (!factors_keep_memory()) GTEST_SKIP() << kOtherFactors;
  SparseFactorization factor;
  std::vector<Eigen::SparseMatrix<double>> matrices;
  for (const Index n : {300, 100, 200, 299}) matrices.push_back(scattered(n, static_cast<unsigned>(n)));
  Eigen::MatrixXd x = Eigen::MatrixXd::Ones(300, 5);
  const auto solve = [&](const Eigen::SparseMatrix<double>& A) {
    EXPECT_TRUE(factor.factorize(A));
    factor.solve_in_place(x.topRows(A.rows()));
    factor.solve_transposed_in_place(x.topRows(A.rows()));
  };
  for (const auto& A : matrices) solve(A);
  const test::AllocationCount count;
  for (const auto& A : matrices) solve(A);
  EXPECT_EQ(count.now(), 0);
  EXPECT_EQ(factor.num_orderings(), 8);
}

}  // namespace
}  // namespace nonsmooth
