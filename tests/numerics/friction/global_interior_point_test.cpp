// SPDX-License-Identifier: Apache-2.0
// The interior point method on the global form: closed forms, planted solutions, large bodies, what is refused.

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/global_interior_point.hpp>

#include <problems/piles.hpp>
#include <support/parameter_name.hpp>

#include "incline.hpp"
#include "print_de_saxce.hpp"

namespace nonsmooth::friction::global_interior_point_test {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Term = InteriorPoint::DeSaxce;

class GlobalInteriorPointTerms : public testing::TestWithParam<Term> {
 protected:
  static GlobalInteriorPoint options(double tolerance = 1e-10) { return {.tolerance = tolerance, .term = GetParam()}; }
};

INSTANTIATE_TEST_SUITE_P(All, GlobalInteriorPointTerms, testing::Values(Term::Inside, Term::Outside),
                         test::parameter_name);

void expect_certified(const GlobalProblem& problem, const GlobalResult& result, double tolerance) {
  ASSERT_EQ(result.status, Status::Solved) << result.message();
  Eigen::VectorXd u(problem.w.size());
  double balance = 0.0;
  EXPECT_LE(certify(problem, result.v, result.r, u, balance).residual, tolerance);
  EXPECT_LE(balance, tolerance);
}

// A block slides for tan(angle) > mu, with v_T = step g (sin - mu cos); it rests below. |q| = step g, so that
// velocities are exact to some 1e-10 step g = 1e-11.
TEST_P(GlobalInteriorPointTerms, SolvesABlockOnAnIncline) {
  for (const double mu : {0.0, 0.2, 0.5, 0.6, 3.0}) {
    const double angle = std::atan(0.55);
    const auto problem = incline(angle, mu);
    const GlobalResult result = solve(problem, options());
    expect_certified(problem, result, 1e-10);
    const double slides = std::max(0.0, step * gravity * (std::sin(angle) - mu * std::cos(angle)));
    EXPECT_NEAR(result.v[1], slides, 1e-10) << "mu = " << mu;
    EXPECT_NEAR(result.v[0], 0.0, 1e-10);
    EXPECT_NEAR(result.r[0], step * mass * gravity * std::cos(angle), 1e-9);
  }
}

/// Bodies of `dofs` dofs (a chain of springs beside a dominant mass; with a skew part where not symmetric) and contacts
/// between two of them each, planted: apart, sticking and sliding in turn. w = u - H v, f = A v - H^T r.
GlobalProblem planted(Index bodies, Index dofs, Index contacts, bool symmetric, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  constexpr double mu = 0.4;
  GlobalProblem problem;
  std::vector<Eigen::Triplet<double>> A, H;
  const Index n = bodies * dofs, m = 3 * contacts;
  for (Index i = 0; i < n; ++i) {
    A.emplace_back(static_cast<int>(i), static_cast<int>(i), 3.0 + uniform(random));
    if (i % dofs == 0) continue;
    const double spring = uniform(random);
    A.emplace_back(static_cast<int>(i), static_cast<int>(i - 1), spring);
    A.emplace_back(static_cast<int>(i - 1), static_cast<int>(i), symmetric ? spring : 0.5 * uniform(random));
  }
  Eigen::VectorXd v(n), r = Eigen::VectorXd::Zero(m), u = r;
  for (double& entry : v) entry = uniform(random);
  for (Index c = 0; c < contacts; ++c) {
    problem.K.push_back({.kind = SetKind::Coulomb3D, .mu = mu}, 3);
    for (int side = 0; side < 2; ++side) {
      const Index first = dofs * static_cast<Index>(random() % static_cast<std::uint64_t>(bodies));
      for (int row = 0; row < 3; ++row)
        for (Index i = 0; i < std::min<Index>(dofs, 6); ++i)
          H.emplace_back(static_cast<int>(3 * c) + row, static_cast<int>(first + (5 * i) % dofs), uniform(random));
    }
    auto rc = r.segment<3>(3 * c), uc = u.segment<3>(3 * c);
    if (c % 3 == 0) {
      uc << 1.0, uniform(random), uniform(random);
      continue;
    }
    const double direction = 3.0 * uniform(random), share = c % 3 == 1 ? 0.6 : 1.0;
    rc << 1.0, share * mu * std::cos(direction), share * mu * std::sin(direction);
    if (c % 3 == 2) uc.tail<2>() = -rc.tail<2>();
  }
  problem.A.resize(n, n);
  problem.A.setFromTriplets(A.begin(), A.end());
  problem.H.resize(m, n);
  problem.H.setFromTriplets(H.begin(), H.end());
  problem.f = problem.A * v - problem.H.transpose() * r;
  problem.w = u - problem.H * v;
  return problem;
}

TEST_P(GlobalInteriorPointTerms, SolvesPlantedBodies) {
  for (const unsigned seed : {1u, 2u, 3u})
    for (const bool symmetric : {true, false}) {
      const auto problem = planted(4, 6, 6, symmetric, seed);
      expect_certified(problem, solve(problem, options()), 1e-10);
    }
}

// 12 contacts on two bodies of 6 dofs: W = H A^-1 H^T has rank 12 of 36.
TEST_P(GlobalInteriorPointTerms, TakesDependentContacts) {
  const auto problem = planted(2, 6, 12, true, 4);
  expect_certified(problem, solve(problem, options()), 1e-10);
}

// Bodies beyond those that are eliminated as one block.
TEST_P(GlobalInteriorPointTerms, TakesLargeBodies) {
  const auto problem = planted(2, 100, 9, true, 5);
  expect_certified(problem, solve(problem, options()), 1e-10);
}

TEST(GlobalInteriorPoint, AgreesWithTheReducedFormOnAWall) {
  const auto problem = problems::global_problem(problems::brick_wall(4, 3, 1, true));
  const GlobalResult global = solve(problem, GlobalInteriorPoint{.tolerance = 1e-9});
  expect_certified(problem, global, 1e-9);
  const auto reduced = to_reduced(problem);
  const Result local = solve(reduced, InteriorPoint{.tolerance = 1e-9});
  ASSERT_TRUE(local.ok()) << local.message();
  Eigen::VectorXd u(reduced.q.size());
  EXPECT_LE(mixed::certify(reduced, global.r, u).residual, 1e-8);  // rho of the two forms differ by less than ten
}

TEST_P(GlobalInteriorPointTerms, TakesAProblemWithoutContacts) {
  GlobalProblem problem = incline(0.5, 0.3);
  problem.H.resize(0, 3);
  problem.w.resize(0);
  problem.K.clear();
  const GlobalResult result = solve(problem, options());
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE((mass * result.v - problem.f).lpNorm<Eigen::Infinity>(), 1e-10 * problem.f.lpNorm<Eigen::Infinity>());
}

TEST_P(GlobalInteriorPointTerms, SaysWhyItStopped) {
  const auto problem = planted(4, 6, 6, true, 1);
  GlobalInteriorPoint few = options();
  few.max_iterations = 2;
  few.polish = 0;
  const GlobalResult limited = solve(problem, few);
  EXPECT_EQ(limited.status, Status::IterationLimit) << limited.message();
  EXPECT_EQ(limited.iterations, 2);
  GlobalInteriorPoint hasty = options();
  hasty.time_limit = 1e-9;
  EXPECT_EQ(solve(problem, hasty).status, Status::TimeLimit);
}

TEST(GlobalInteriorPoint, RefusesBadOptions) {
  const auto problem = incline(0.5, 0.3);
  const auto refuses = [&](const GlobalInteriorPoint& own, const std::string& field) {
    try {
      static_cast<void>(solve(problem, own));
      ADD_FAILURE() << field << " was taken";
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(field), std::string::npos) << error.what();
    }
  };
  refuses({.tolerance = 0.0}, "tolerance");
  refuses({.max_iterations = 0}, "max_iterations");
  refuses({.polish = -1}, "polish");
  refuses({.time_limit = -1.0}, "time_limit");
  refuses({.start = Eigen::VectorXd::Zero(5)}, "start");
  GlobalProblem singular = incline(0.5, 0.3);
  singular.A = Sparse(3, 3);
  EXPECT_THROW(static_cast<void>(solve(singular, GlobalInteriorPoint{})), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::friction::global_interior_point_test
