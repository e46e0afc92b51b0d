// SPDX-License-Identifier: Apache-2.0
// What every solver of the friction family owes its callers; a solver joins by being in the registry.
#include <gtest/gtest.h>

#include <nonsmooth/numerics/friction.hpp>

#include <problems/mixed.hpp>
#include <problems/piles.hpp>

#include "registry_contract.hpp"

namespace nonsmooth::friction_contract_test {
namespace {

using contracts::every;
using contracts::only;
using contracts::test_name;
using problems::planted_mixed;
using testing::ValuesIn;

class FrictionContract : public testing::TestWithParam<std::string> {
 protected:
  const friction::Entry& entry() const { return friction::find(GetParam()); }
  friction::Result solve(const friction::Problem& problem, const Limits& limits = {}) const {
    return entry().solver.solve(problem, limits);
  }
};
using FrictionRound = FrictionContract;    // cones as they are, in the plane
using FrictionSpatial = FrictionContract;  // and in space

void expect_certified(const friction::Problem& problem, const friction::Result& result, double tolerance) {
  ASSERT_EQ(result.status, Status::Solved) << result.message();
  Eigen::VectorXd u(problem.q.size());
  EXPECT_LE(mixed::certify(problem, result.r, u).residual, tolerance);
  EXPECT_EQ((u - result.u).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_EQ(result.figures.natural_map, mixed::friction_figures(problem, result.r, u).natural_map);
}

/// Two contacts that couple weakly, one sliding and one sticking: W = 1 + weak, mu = 0.4, planted.
friction::Problem two_contacts(SetKind kind) {
  const Index d = kind == SetKind::Coulomb2D ? 2 : 3;
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(2 * d, 2 * d);
  W(0, d) = W(d, 0) = W(1, d + 1) = W(d + 1, 1) = 0.1;
  Eigen::VectorXd r = Eigen::VectorXd::Zero(2 * d), u = r;
  r[0] = 1.0, r[1] = -0.4, u[1] = 0.5;  // slides forward
  r[d] = 2.0, r[d + 1] = 0.3;           // sticks
  const BlockSet set{.kind = kind, .mu = 0.4};
  return problems::mixed_from_dense(W, u - W * r, {{set, d}, {set, d}});
}

TEST_P(FrictionRound, SolvesTwoContactsInThePlane) {
  const auto problem = two_contacts(SetKind::Coulomb2D);
  expect_certified(problem, solve(problem), 1e-10);
}

TEST_P(FrictionSpatial, SolvesTwoContactsInSpace) {
  const auto problem = two_contacts(SetKind::Coulomb3D);
  expect_certified(problem, solve(problem), 1e-10);
}

TEST_P(FrictionContract, IsHonestOnAPile) {
  const auto problem = problems::reduced_problem(problems::ball_pile(8, 3, problems::Rest::Flowing));
  if (!entry().supports(problem.K)) {
    EXPECT_THROW(static_cast<void>(solve(problem)), InvalidArgument);
    return;
  }
  const auto result = solve(problem, {.tolerance = 1e-6, .max_iterations = 2000});
  Eigen::VectorXd u(problem.q.size());
  const double residual = mixed::certify(problem, result.r, u).residual;
  EXPECT_EQ(result.certificate.residual, residual);
  if (result.ok()) {
    EXPECT_LE(residual, 1e-6);
  }
  EXPECT_NE(result.status, Status::NotRun);
  EXPECT_FALSE(result.message().empty());
}

TEST_P(FrictionRound, SameInputSameBits) {
  const auto problem = two_contacts(SetKind::Coulomb2D);
  const auto first = solve(problem), second = solve(problem);
  EXPECT_EQ((first.r - second.r).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_EQ(first.iterations, second.iterations);
}

TEST_P(FrictionContract, RefusesBadProblems) {
  auto problem = two_contacts(SetKind::Coulomb2D);
  problem.q[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(solve(problem)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(solve(two_contacts(SetKind::Coulomb3D), {.tolerance = -1.0})), InvalidArgument);
  ProductSet box;
  box.push_back({.kind = SetKind::Box, .lower = -1.0, .upper = 1.0}, 1);
  EXPECT_FALSE(entry().supports(box));
  EXPECT_THROW(static_cast<void>(solve(problems::mixed_from_dense(Eigen::MatrixXd::Identity(1, 1),
                                                                  Eigen::VectorXd::Ones(1), {{box[0], 1}}))),
               InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Registry, FrictionContract, ValuesIn(every(friction::registry())), test_name);
// Facets are not round, and without friction there is nothing to slide.
INSTANTIATE_TEST_SUITE_P(Registry, FrictionRound,
                         ValuesIn(every(friction::registry(), {"frictionless", "frictionless qp"})), test_name);
INSTANTIATE_TEST_SUITE_P(Registry, FrictionSpatial,
                         ValuesIn(every(friction::registry(), {"faceted", "outer facets", "frictionless",
                                                               "frictionless qp", "planar lcp", "planar lemke"})),
                         test_name);

TEST(FrictionRegistry, FindsEveryName) {
  contracts::expect_names_found(friction::registry(), friction::find);
  contracts::expect_names_found(friction::global_registry(), friction::find_global);
}

// The reduced form of each problem is two_contacts(): u as there, whatever v is.
TEST(FrictionRegistry, SolvesTheGlobalForm) {
  for (const SetKind kind : {SetKind::Coulomb2D, SetKind::Coulomb3D}) {
    const friction::GlobalProblem problem = friction::to_global(two_contacts(kind));
    for (const friction::GlobalEntry& entry : friction::global_registry()) {
      const friction::GlobalResult result = entry.solver.solve(problem);
      ASSERT_TRUE(result.ok()) << entry.name << ": " << result.message();
      Eigen::VectorXd u(problem.w.size());
      double balance = 0.0;
      const Certificate certificate = friction::certify(problem, result.v, result.r, u, balance);
      EXPECT_EQ(certificate.residual, result.certificate.residual) << entry.name;
      EXPECT_EQ((u - result.u).cwiseAbs().maxCoeff(), 0.0) << entry.name;
    }
  }
}

TEST(FrictionRegistry, ResultsAreBornNotRun) { contracts::expect_born_not_run<friction::Result>(); }

TEST(FrictionRegistry, ChecksWhatUsersSolversClaim) {
  friction::Result zeros;
  zeros.r.setZero(4);
  contracts::expect_claims_checked<friction::Solver>(two_contacts(SetKind::Coulomb2D), zeros, 4);
  friction::GlobalResult still;
  const friction::GlobalProblem global = friction::to_global(two_contacts(SetKind::Coulomb2D));
  still.v.setZero(global.f.size());
  still.r.setZero(4);
  contracts::expect_claims_checked<friction::GlobalSolver>(global, still, 4);
}

}  // namespace
}  // namespace nonsmooth::friction_contract_test
