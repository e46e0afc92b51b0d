// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/frictionless.hpp>
#include <nonsmooth/numerics/mixed/proximal_newton.hpp>
#include <nonsmooth/numerics/mixed/workspace.hpp>
#include <problems/mixed.hpp>
#include <problems/piles.hpp>

namespace nonsmooth::frictionless_test {
namespace {

using friction::Frictionless;
using friction::Pivoting;
using problems::Block;

Block contact(double mu) { return {{.kind = SetKind::Coulomb3D, .mu = mu}, 3}; }

// W_NN = 2, W_NT = (1, 0), q_N = -1: r_N = (1 - r_T1) / 2 where that is positive.
TEST(Frictionless, HoldsTangentialReactions) {
  Eigen::Matrix3d W = 2.0 * Eigen::Matrix3d::Identity();
  W(0, 1) = W(1, 0) = 1.0;
  const auto problem = problems::mixed_from_dense(W, Eigen::Vector3d(-1.0, 0.3, 0.0), {contact(0.4)});
  for (const double held : {-1.0, 0.0, 0.5, 1.0, 3.0}) {
    const auto result = friction::solve(problem, Frictionless{.tangential = Eigen::Vector3d(77.0, held, 0.25)});
    ASSERT_EQ(result.status, Status::Solved) << result.message();
    EXPECT_NEAR(result.r[0], std::max(0.0, 0.5 * (1.0 - held)), 1e-15);
    EXPECT_EQ(result.r[1], held);
    EXPECT_EQ(result.r[2], 0.25);
    // u is that of the whole problem.
    EXPECT_LE((result.u - (W * result.r + Eigen::Vector3d(-1.0, 0.3, 0.0))).lpNorm<Eigen::Infinity>(), 1e-15);
  }
}

std::vector<Frictionless> every_way(double tolerance) {
  return {{.tolerance = tolerance, .pivoting = Pivoting::Automatic},
          {.tolerance = tolerance, .pivoting = Pivoting::Lemke},
          {.tolerance = tolerance, .method = Frictionless::Method::QuadraticProgram}};
}

/// The same blocks without friction.
friction::Problem without_friction(const friction::Problem& problem) {
  friction::Problem smooth;
  smooth.W = problem.W;
  smooth.q = problem.q;
  for (Index b = 0; b < problem.K.num_blocks(); ++b) {
    BlockSet set = problem.K[b];
    set.mu = 0.0;
    smooth.K.push_back(set, problem.K.size(b));
  }
  return smooth;
}

// With mu = 0 everywhere it is the problem itself: certified by the general certificate, and, W being positive
// definite, the only answer.
TEST(Frictionless, SolvesContactsWithoutFriction) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto problem = without_friction(
        problems::planted_mixed(8, {SetKind::Coulomb3D, SetKind::Coulomb2D, SetKind::Orthant, SetKind::Free}, seed, 1.0)
            .problem);
    const auto reference = mixed::solve(problem, mixed::ProximalNewton{.tolerance = 1e-12});
    ASSERT_TRUE(reference.ok());
    for (const auto& way : every_way(1e-12)) {
      const auto result = friction::solve(problem, way);
      ASSERT_EQ(result.status, Status::Solved) << seed << ": " << result.message();
      Eigen::VectorXd u(problem.q.size());
      EXPECT_LE(mixed::certify(problem, result.r, u).residual, 1e-11) << seed;  // rows weigh a little otherwise there
      // Both to 1e-12 of |q| < 10 over an eigenvalue of at least 1.
      EXPECT_LE((result.r - reference.r).lpNorm<Eigen::Infinity>(), 1e-10) << seed;
    }
  }
}

// Four corners an interface: a singular W_NN of some four hundred rows. u_N is unique all the same.
TEST(Frictionless, TakesARedundantWall) {
  const auto problem = problems::reduced_problem(problems::brick_wall(8, 7, 1, false));
  ASSERT_GT(problem.K.num_blocks(), 300);
  const auto smooth = without_friction(problem);
  for (const auto method : {Frictionless::Method::Complementarity, Frictionless::Method::QuadraticProgram}) {
    const auto result = friction::solve(problem, Frictionless{.tolerance = 1e-9, .method = method});
    ASSERT_EQ(result.status, Status::Solved) << result.message();
    Eigen::VectorXd u(problem.q.size());
    EXPECT_LE(mixed::certify(smooth, result.r, u).residual, 1e-8);
    EXPECT_GE(result.r.minCoeff(), 0.0);
  }
}

// The minimiser of 1/2 r·W r + q·r over r_N >= 0: no other admissible point is lower, and Frictionless says so with the
// value, -1/2 r·W r there (r·u = 0).
TEST(Frictionless, MinimisesTheQuadratic) {
  const auto problem = without_friction(problems::reduced_problem(problems::brick_wall(4, 3, 1, false)));
  const auto result =
      friction::solve(problem, Frictionless{.tolerance = 1e-11, .method = Frictionless::Method::QuadraticProgram});
  ASSERT_EQ(result.status, Status::Solved) << result.message();
  EXPECT_EQ(result.solver, "frictionless qp");
  const Eigen::MatrixXd W = problem.W.to_dense();
  const auto value = [&](const Eigen::VectorXd& r) { return 0.5 * r.dot(W * r) + problem.q.dot(r); };
  const double least = value(result.r);
  // r·u is at most sum r_i |error_i|, each error 1e-11 |q|.
  EXPECT_NEAR(least, -0.5 * result.r.dot(W * result.r), 1e-11 * problem.q.lpNorm<Eigen::Infinity>() * result.r.sum());
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 200; ++k) {
    Eigen::VectorXd other = result.r;
    for (Index i = 0; i < other.size(); i += 3)
      other[i] = std::max(0.0, other[i] * (1.0 + normal(random)) + 1e-3 * normal(random));
    EXPECT_GE(value(other), least - 1e-12 * std::abs(least));
  }
}

TEST(Frictionless, SaysSoWhereThereIsNoQuadraticProgram) {
  Eigen::MatrixXd W = 2.0 * Eigen::MatrixXd::Identity(6, 6);
  W(0, 3) = 0.5;
  const auto problem = problems::mixed_from_dense(W, -Eigen::VectorXd::Ones(6), {contact(0.0), contact(0.0)});
  EXPECT_TRUE(friction::solve(problem, Frictionless{}).ok());
  const auto result = friction::solve(problem, Frictionless{.method = Frictionless::Method::QuadraticProgram});
  EXPECT_EQ(result.status, Status::Stalled) << result.message();
  EXPECT_NE(result.reason.find("not symmetric"), std::string_view::npos) << result.reason;
}

TEST(Frictionless, ProvesThatAWedgeFindsNoRoom) {
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(6, 6);
  W(0, 3) = W(3, 0) = -1.0;
  Eigen::VectorXd q = Eigen::VectorXd::Zero(6);
  q[0] = q[3] = -1.0;
  const auto problem = problems::mixed_from_dense(W, q, {contact(0.3), contact(0.3)});
  for (const auto& way : every_way(1e-10)) {
    const auto result = friction::solve(problem, way);
    ASSERT_EQ(result.status, Status::Infeasible) << result.message();
    ASSERT_EQ(result.proof.size(), 6);
    EXPECT_LT(q.dot(result.proof), 0.0);
    EXPECT_GE(result.proof.minCoeff(), 0.0);
    EXPECT_LE((W.transpose() * result.proof).maxCoeff(), 1e-15);
  }
}

// W = I, separating at 0.1, cohesion 0.5: the contact pulls with 0.1; at 0.8 it lets go, pulling with all of its 0.5.
TEST(Frictionless, TakesCohesion) {
  const Block sticky{{.kind = SetKind::Coulomb3D, .mu = 0.4, .cohesion = 0.5}, 3};
  for (const double speed : {0.1, 0.8}) {
    const auto problem =
        problems::mixed_from_dense(Eigen::Matrix3d::Identity(), Eigen::Vector3d(speed, 0.0, 0.0), {sticky});
    const auto result = friction::solve(problem, Frictionless{});
    ASSERT_EQ(result.status, Status::Solved) << result.message();
    EXPECT_NEAR(result.r[0], -std::min(speed, 0.5), 1e-15);
  }
}

TEST(Frictionless, StopsAtItsLimits) {
  const auto problem = problems::reduced_problem(problems::brick_wall(8, 7, 1, false));
  const auto result = friction::solve(problem, Frictionless{.time_limit = 1e-9});
  EXPECT_EQ(result.status, Status::TimeLimit);
  EXPECT_TRUE(result.r.allFinite());
  EXPECT_FALSE(friction::solve(problem, Frictionless{.pivoting = Pivoting::Lemke, .max_iterations = 2}).ok());
  const auto few =
      friction::solve(problem, Frictionless{.method = Frictionless::Method::QuadraticProgram, .max_iterations = 2});
  EXPECT_EQ(few.status, Status::IterationLimit);
  EXPECT_EQ(few.iterations, 2);
}

TEST(Frictionless, RefusesBadInput) {
  const auto problem =
      problems::mixed_from_dense(Eigen::Matrix3d::Identity(), Eigen::Vector3d(-1.0, 0.0, 0.0), {contact(0.5)});
  EXPECT_THROW((void)friction::solve(problem, Frictionless{.tolerance = 0.0}), InvalidArgument);
  EXPECT_THROW((void)friction::solve(problem, Frictionless{.tangential = Eigen::Vector2d::Zero()}), InvalidArgument);
  EXPECT_THROW((void)friction::solve(problem, Frictionless{.tangential = Eigen::Vector3d(
                                                               0.0, 0.0, std::numeric_limits<double>::infinity())}),
               InvalidArgument);
  EXPECT_THROW((void)friction::solve(problem, Frictionless{.max_iterations = -1}), InvalidArgument);
  const auto box = problems::mixed_from_dense(Eigen::MatrixXd::Identity(1, 1), Eigen::VectorXd::Ones(1),
                                              {{{.kind = SetKind::Box, .lower = -1.0, .upper = 1.0}, 1}});
  EXPECT_THROW((void)friction::solve(box, Frictionless{}), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::frictionless_test
