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

#include <friction/reduced/gauss_seidel_schwarz_workspace.hpp>
#include <friction/reduced/semismooth_newton_workspace.hpp>
#include <mixed/infeasibility.hpp>
#include <mixed/proof_memory.hpp>
#include <mixed/refinement.hpp>
#include <mixed/refinement_memory.hpp>
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

}  // namespace
}  // namespace nonsmooth::tier_allocations
