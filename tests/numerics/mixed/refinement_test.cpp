// SPDX-License-Identifier: Apache-2.0
// Answers near a solution are refined at the doors: to the tolerance asked for, and nothing else is touched. What an
// algorithm leaves by itself is seen by calling it directly, which refines nothing.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/friction.hpp>
#include <nonsmooth/numerics/mixed.hpp>

#include <problems/contacts.hpp>
#include <problems/law_distance.hpp>
#include <problems/mixed.hpp>

namespace nonsmooth::refinement_test {
namespace {

/// What every refined result says.
constexpr std::string_view refined = "refined by Newton steps on the modes that the solver found";

/// Bilateral rows, unilateral rows and friction in the plane and in space, in one problem.
const std::vector<SetKind> row_kinds = {SetKind::Free, SetKind::Orthant, SetKind::Coulomb2D, SetKind::Coulomb3D};

/// 4 to 26 blocks between bodies of 2 or 3 velocities, masses up to six decades apart: redundant rows in most.
mixed::Problem row_of_bodies(std::uint64_t seed) {
  const Index count = 4 + static_cast<Index>(2 * seed % 23);
  return problems::planted_row_of_bodies(count, row_kinds, 2 + static_cast<Index>(seed % 2), seed % 3 == 0 ? 0.0 : 6.0,
                                         seed)
      .problem;
}

/// The distance of (u, r) to the laws in quadruple precision; twice the tolerance is what it may be beside the natural
/// map, and `growth` is eps of the terms of u, of which r, rounded itself, leaves some.
void expect_judged(const mixed::Problem& problem, const Eigen::VectorXd& r, double tolerance) {
  const problems::Worth worth = problems::worth(problem.W.to_dense(), problem.q, problem.K, r);
  EXPECT_LE(worth.residual, 2.0 * tolerance + 16.0 * worth.growth);
}

TEST(Refinement, BilateralRowsOrthantsAndFrictionInOneProblemReachTheRoundOff) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const mixed::Problem problem = row_of_bodies(seed);
    for (const double tolerance : {1e-9, 1e-10, 1e-13}) {
      const auto result = mixed::find("automatic").solver.solve(problem, {.tolerance = tolerance});
      ASSERT_TRUE(result) << "seed " << seed << ": " << result.message();
      EXPECT_LE(result.certificate.residual, tolerance) << "seed " << seed;
      expect_judged(problem, result.r, tolerance);
    }
  }
}

TEST(Refinement, EndsWhatSweepsLeave) {
  int left = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const mixed::Problem problem = row_of_bodies(seed);
    const auto swept = mixed::solve(problem, mixed::GaussSeidel{.tolerance = 1e-13});
    const auto result = mixed::find("block gauss-seidel").solver.solve(problem, {.tolerance = 1e-13});
    if (swept.ok()) {  // nothing to refine: the same bits
      EXPECT_EQ((result.r - swept.r).cwiseAbs().maxCoeff(), 0.0);
      EXPECT_EQ(result.iterations, swept.iterations);
      continue;
    }
    EXPECT_LE(result.certificate.residual, swept.certificate.residual) << "seed " << seed;
    if (swept.certificate.residual > 1e-6) continue;  // the modes may be wrong still
    ++left;
    ASSERT_TRUE(result) << "seed " << seed << ": " << result.message();
    EXPECT_EQ(result.reason, refined);
    EXPECT_LE(result.certificate.residual, 1e-13);
    EXPECT_LE(result.iterations, swept.iterations + 12);
  }
  EXPECT_GE(left, 5);
}

TEST(Refinement, EndsWhatFirstOrderMethodsOfFrictionLeave) {
  // Rolling contacts between bodies in a row, up to 8 of them: sticking, rolling and open ones.
  int refined_ones = 0;
  std::mt19937_64 random(7);
  for (Index contacts = 1; contacts <= 16; ++contacts) {
    const auto drawn =
        problems::random_contacts({.law = problems::ContactLaw::Rolling, .contacts = 1 + contacts % 8}, random);
    for (const std::string name : {"fixed point", "nesterov", "extragradient", "tresca"}) {
      const auto result = friction::find(name).solver.solve(drawn.problem, {.tolerance = 1e-12});
      ASSERT_TRUE(result) << name << ", instance " << contacts << ": " << result.message();
      EXPECT_LE(result.certificate.residual, 1e-12);
      EXPECT_EQ(result.figures.natural_map, mixed::friction_figures(drawn.problem, result.r, result.u).natural_map);
      if (result.reason == refined) ++refined_ones;
    }
  }
  EXPECT_GE(refined_ones, 5);
}

TEST(Refinement, LeavesWhatTheCallerLimited) {
  int limited = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const mixed::Problem problem = row_of_bodies(seed);
    const Limits limits{.tolerance = 1e-13, .max_iterations = 200};
    const auto swept = mixed::solve(problem, mixed::GaussSeidel{.tolerance = 1e-13, .max_sweeps = 200});
    const auto result = mixed::find("block gauss-seidel").solver.solve(problem, limits);
    if (swept.status != Status::IterationLimit) continue;
    ++limited;
    EXPECT_EQ(result.status, Status::IterationLimit);
    EXPECT_EQ((result.r - swept.r).cwiseAbs().maxCoeff(), 0.0);
    EXPECT_EQ(result.iterations, swept.iterations);
  }
  EXPECT_GE(limited, 5);
}

TEST(Refinement, ForeignUnitsAreRefinedToo) {
  // An elliptic and a rolling contact: the first sweeps leave them open, the registry solves them in their own units.
  const mixed::Problem problem = problems::contacts_in_foreign_units();
  for (const std::string name : {"gauss-seidel", "fixed point", "nesterov"}) {
    const auto result = friction::find(name).solver.solve(problem, {.tolerance = 1e-13});
    EXPECT_TRUE(result) << name << ": " << result.message();
    Eigen::VectorXd u(problem.q.size());
    EXPECT_LE(mixed::certify(problem, result.r, u).residual, 1e-13) << name;
    EXPECT_EQ((u - result.u).cwiseAbs().maxCoeff(), 0.0) << name;
  }
}

TEST(Refinement, KeepsTheErrorThatFacetsAreAskedFor) {
  // A square cone: its slip directions are 20 degrees off or more, some percent of the residual.
  const auto problem = problems::mixed_from_dense(Eigen::Matrix3d::Identity(), Eigen::Vector3d(-1.0, 1.0, 0.5),
                                                  {{{.kind = SetKind::Coulomb3D, .mu = 0.3}, 3}});
  const auto result = friction::find("faceted").solver.solve(problem);
  EXPECT_FALSE(result);
  EXPECT_GT(result.certificate.residual, 1e-6);
}

}  // namespace
}  // namespace nonsmooth::refinement_test
