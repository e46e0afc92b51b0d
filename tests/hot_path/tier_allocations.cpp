// SPDX-License-Identifier: Apache-2.0
// What the tiers of friction::Automatic ask where the first ones fail, with memory that is kept: the second call with a
// problem allocates nothing and gives the bits of a call without such memory.
#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <hot_path/allocation_guard.hpp>

#include <friction/reduced/admm_workspace.hpp>
#include <friction/reduced/gauss_seidel_schwarz_workspace.hpp>
#include <friction/reduced/semismooth_newton_workspace.hpp>
#include <mixed/infeasibility.hpp>
#include <mixed/proof_memory.hpp>
#include <mixed/refinement.hpp>
#include <mixed/refinement_memory.hpp>
#include <nonsmooth/numerics/any_solver.hpp>
#include <nonsmooth/numerics/friction/admm.hpp>
#include <nonsmooth/numerics/friction/automatic.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel.hpp>
#include <problems/piles.hpp>

namespace nonsmooth::tier_allocations {
namespace {

using problems::Rest;

constexpr double never = std::numeric_limits<double>::infinity();

/// Allocations of the second call of a workspace; both calls give what friction::solve() gives.
template <class Workspace, class Options>
long long allocations(const friction::Problem& problem, const Options& options, std::string_view solver) {
  const friction::Result expected = friction::solve(problem, options);
  EXPECT_EQ(expected.solver, solver);
  EXPECT_GT(expected.iterations, 1);
  Workspace workspace;
  friction::Result result;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(problem.W.rows());
  long long found = 0;
  for (int call = 0; call < 2; ++call) {
    const test::AllocationCount count;
    workspace.solve(problem, options, zero, result);
    found = count.now();
    EXPECT_EQ(result.r, expected.r) << call;
    EXPECT_EQ(result.u, expected.u) << call;
    EXPECT_EQ(result.status, expected.status) << call;
    EXPECT_EQ(result.iterations, expected.iterations) << call;
  }
  return found;
}

/// Some 100 to 200 contacts: patches of 8 and of 20, and Newton's method on the whole near the end.
TEST(TierAllocations, PatchesOfPiles) {
  for (const Rest rest : {Rest::Settled, Rest::Flowing}) {
    const auto problem = problems::reduced_problem(problems::ball_pile(60, 3, rest));
    for (const Index patch : {8, 20})
      for (const friction::Measure measure : {friction::Measure::Certificate, friction::Measure::NaturalMap}) {
        const friction::GaussSeidelSchwarz options{
            .tolerance = 1e-10, .measure = measure, .max_rounds = 20, .first_sweeps = 10, .patch = patch};
        EXPECT_EQ(
            (allocations<friction::internal::GaussSeidelSchwarzWorkspace>(problem, options, "gauss-seidel schwarz")), 0)
            << problem.W.rows() << " rows, patches of " << patch;
      }
  }
}

/// With dense and with sparse factors, in each formulation.
TEST(TierAllocations, SemismoothNewton) {
  using Formulation = friction::SemismoothNewton::Formulation;
  struct Case {
    Formulation formulation;
    std::string_view name;
  };
  for (const Index balls : {5, 40}) {
    const auto problem = problems::reduced_problem(problems::ball_pile(balls, 3, Rest::Loaded));
    for (const Case& one : {Case{Formulation::NaturalMap, "natural newton"},
                            {Formulation::AlartCurnier, "alart-curnier"},
                            {Formulation::JeanMoreau, "jean-moreau"},
                            {Formulation::FischerBurmeister, "fischer-burmeister"}}) {
      const friction::SemismoothNewton options{
          .tolerance = 1e-14, .formulation = one.formulation, .max_steps = 12, .sweeps = 3};
      EXPECT_EQ((allocations<friction::internal::SemismoothNewtonWorkspace>(problem, options, one.name)), 0)
          << problem.W.rows() << " rows, " << one.name;
    }
  }
}

/// Blocks above the diagonal a fifth larger: more than alternating directions leave to the right-hand side of
/// Cholesky's factors (1e-3), so that each penalty has an LU, of a full and of a sparse W.
TEST(TierAllocations, AlternatingDirectionsOnAnUnsymmetricMatrix) {
  for (const Index balls : {40, 10}) {
    auto problem = problems::reduced_problem(problems::ball_pile(balls, 3, Rest::Loaded));
    BlockSparseMatrix& W = problem.W;
    for (Index b = 0; b < W.num_block_rows(); ++b)
      for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k)
        if (W.column(k) > b) W.block(b, k) *= 1.2;
    const friction::Admm options{.tolerance = 1e-10, .max_iterations = 200};
    EXPECT_EQ((allocations<friction::internal::AdmmWorkspace>(problem, options, "admm")), 0) << W.rows() << " rows";
  }
}

/// More than the 120 rows up to which what is nearly a proof is made one.
TEST(TierAllocations, LooksForAProofThatIsNotThere) {
  const auto problem = problems::reduced_problem(problems::ball_pile(30, 3, Rest::Flowing));
  ASSERT_GT(problem.W.rows(), 120);
  const Eigen::VectorXd along = Eigen::VectorXd::Ones(problem.W.rows());
  const detail::Deadline deadline(never);
  mixed::internal::ProofMemory memory;
  Eigen::VectorXd proof;
  long long on_rows = 0, along_r = 0, any = 0;
  for (int call = 0; call < 2; ++call) {
    const test::AllocationCount first;
    EXPECT_FALSE(mixed::internal::find_proof_on_rows(problem, never, memory, proof));
    on_rows = first.now();
    const test::AllocationCount second;
    EXPECT_FALSE(mixed::internal::find_proof_along(problem, along, memory, proof));
    along_r = second.now();
    const test::AllocationCount third;
    EXPECT_FALSE(mixed::internal::find_proof(problem, 200, deadline, memory, proof));
    any = third.now();
  }
  EXPECT_EQ(on_rows, 0);
  EXPECT_EQ(along_r, 0);
  EXPECT_EQ(any, 0);
  EXPECT_EQ(proof.size(), 0);
}

TEST(TierAllocations, Refinement) {
  for (const Index balls : {5, 40}) {
    const auto problem = problems::reduced_problem(problems::ball_pile(balls, 3, Rest::Settled));
    mixed::Result near = friction::solve(problem, friction::GaussSeidel{.tolerance = 1e-5});
    ASSERT_TRUE(near) << near.message();
    near.status = Status::Stalled;
    mixed::Result expected = near, result;
    const detail::Deadline deadline(never);
    const Index steps = mixed::internal::refine(problem, 1e-11, 0, deadline, expected);
    EXPECT_GT(steps, 0);
    KeptMemory<mixed::internal::RefinementMemory> memory;
    long long found = 0;
    for (int call = 0; call < 2; ++call) {
      result = near;
      const test::AllocationCount count;
      EXPECT_EQ(mixed::internal::refine(problem, 1e-11, 0, deadline, memory, result), steps) << call;
      found = count.now();
      EXPECT_EQ(result.r, expected.r) << call;
      EXPECT_EQ(result.status, expected.status) << call;
    }
    EXPECT_EQ(found, 0) << problem.W.rows() << " rows";
  }
}

/// Sweeps that end at round-off, as the tolerance is below it, so that Newton steps come behind them.
TEST(TierAllocations, RefinementBehindSweepsOverContacts) {
  for (const Index balls : {5, 20}) {
    const auto problem = problems::reduced_problem(problems::ball_pile(balls, 3, Rest::Loaded));
    const friction::GaussSeidel options{.tolerance = 1e-17};
    ThreadPool threads(1);
    std::vector<friction::Decision> decisions;
    friction::Result swept;
    friction::GaussSeidelWorkspace().solve(problem, options, swept, &threads);
    ASSERT_EQ(swept.status, Status::Stalled) << swept.message();
    mixed::Result expected = swept, result;
    mixed::internal::refine(problem, options.tolerance, 0, detail::Deadline(never), expected);
    ASSERT_GT(expected.iterations, swept.iterations);
    AnySolverWorkspace workspace;
    const AnySolver solver = options;
    long long found = 0;
    for (int call = 0; call < 2; ++call) {
      result.r.setZero();
      const test::AllocationCount count;
      workspace.solve(solver, problem, false, threads, result, decisions);
      found = count.now();
      EXPECT_EQ(result.r, expected.r) << call;
      EXPECT_EQ(result.iterations, expected.iterations) << call;
    }
    EXPECT_EQ(found, 0) << problem.W.rows() << " rows";
  }
}

/// Once a workspace solved `first`, others that are smaller, which it did not meet, and `first` again allocate nothing.
template <class Workspace, class Options>
void expect_none_below(const std::vector<friction::Problem>& first, const std::vector<friction::Problem>& smaller,
                       const Options& options) {
  Workspace workspace;
  friction::Result result;
  const auto solve = [&](const friction::Problem& problem) {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(problem.W.rows());
    const friction::Result expected = friction::solve(problem, options);
    const test::AllocationCount count;
    workspace.solve(problem, options, zero, result);
    const long long found = count.now();
    EXPECT_EQ(result.r, expected.r) << problem.W.rows() << " rows";
    EXPECT_EQ(result.status, expected.status) << problem.W.rows() << " rows";
    return found;
  };
  for (const friction::Problem& problem : first) (void)solve(problem);
  for (const friction::Problem& problem : smaller) {
    EXPECT_EQ(solve(problem), 0) << problem.W.rows() << " rows";
    for (const friction::Problem& larger : first) EXPECT_EQ(solve(larger), 0) << larger.W.rows() << " rows";
  }
}

/// Of some 400 rows, which the patches alone get along with, 100, behind which Newton steps on the whole come, and 54,
/// with dense factors.
TEST(TierAllocations, SizesBelowTheLargest) {
  const auto piles = [](const std::vector<Index>& balls) {
    std::vector<friction::Problem> found;
    for (const Index count : balls)
      found.push_back(problems::reduced_problem(problems::ball_pile(count, 3, Rest::Loaded)));
    return found;
  };
  const auto first = piles({60, 20, 12}), smaller = piles({30, 10, 3, 5});
  expect_none_below<friction::internal::GaussSeidelSchwarzWorkspace>(
      first, smaller,
      friction::GaussSeidelSchwarz{.tolerance = 1e-10, .max_rounds = 20, .first_sweeps = 10, .patch = 8});
  expect_none_below<friction::internal::SemismoothNewtonWorkspace>(
      first, smaller, friction::SemismoothNewton{.tolerance = 1e-14, .max_steps = 12, .sweeps = 3});
}

}  // namespace
}  // namespace nonsmooth::tier_allocations
