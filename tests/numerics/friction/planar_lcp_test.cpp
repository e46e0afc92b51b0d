// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/planar_lcp.hpp>
#include <nonsmooth/numerics/mixed/proximal_newton.hpp>
#include <problems/mixed.hpp>

namespace nonsmooth::planar_lcp_test {
namespace {

using friction::Pivoting;
using friction::PlanarLcp;
using problems::Block;

constexpr double mu = 0.3;

Block contact(double friction = mu) { return {{.kind = SetKind::Coulomb2D, .mu = friction}, 2}; }

std::vector<PlanarLcp> every_way(double tolerance = 1e-12) {
  std::vector<PlanarLcp> ways;
  for (const auto form : {PlanarLcp::Form::Klarbring, PlanarLcp::Form::StewartTrinkle})
    for (const auto pivoting : {Pivoting::Automatic, Pivoting::Lemke})
      ways.push_back({.tolerance = tolerance, .form = form, .pivoting = pivoting});
  return ways;
}

// W = I, q_N = -1: r_N = 1, r_T the nearest to -q_T of [-mu, mu]. Exact to round-off: all numbers are of order one.
TEST(PlanarLcp, AnswersOneContactExactly) {
  for (const auto& way : every_way())
    for (const double slide : {-2.0, -0.3, -0.1, 0.0, 0.2, 0.3, 5.0}) {
      const auto problem =
          problems::mixed_from_dense(Eigen::Matrix2d::Identity(), Eigen::Vector2d(-1.0, slide), {contact()});
      const auto result = friction::solve(problem, way);
      ASSERT_EQ(result.status, Status::Solved) << result.message();
      EXPECT_NEAR(result.r[0], 1.0, 1e-14);
      EXPECT_NEAR(result.r[1], -std::clamp(slide, -mu, mu), 1e-14);
      EXPECT_EQ(result.solver, way.pivoting == Pivoting::Lemke ? "planar lemke" : "planar lcp");
    }
}

TEST(PlanarLcp, TakesOffWithoutPivots) {
  const auto problem = problems::mixed_from_dense(Eigen::Matrix2d::Identity(), Eigen::Vector2d(0.5, -3.0), {contact()});
  const auto result = friction::solve(problem, PlanarLcp{});
  ASSERT_EQ(result.status, Status::Solved);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_TRUE(result.r.isZero(0.0));
  EXPECT_EQ(result.u, problem.q);
}

// An unsymmetric part of a fifth of the symmetric one; bilateral and frictionless rows mixed in. With ridge 1 the
// smallest eigenvalue of the symmetric part is at least 1 and |W_NT| mu stays below it: the planted answer is the only
// one, and the error is at most the residual over the least eigenvalue.
TEST(PlanarLcp, FindsPlantedAnswers) {
  for (const auto& way : every_way())
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
      auto planted = problems::planted_mixed(6, {SetKind::Coulomb2D, SetKind::Orthant, SetKind::Free}, seed, 2.0);
      Eigen::MatrixXd W = planted.problem.W.to_dense();
      std::mt19937_64 random(seed);
      const Eigen::MatrixXd G = problems::random_spd(W.rows(), 0.0, random).triangularView<Eigen::StrictlyUpper>();
      W += 0.2 * (G - G.transpose());
      std::vector<Block> blocks;
      for (Index b = 0; b < planted.problem.K.num_blocks(); ++b)
        blocks.push_back({planted.problem.K[b], planted.problem.K.size(b)});
      const auto problem = problems::mixed_from_dense(W, planted.u - W * planted.r, blocks);
      const auto result = friction::solve(problem, way);
      ASSERT_EQ(result.status, Status::Solved) << seed << ": " << result.message();
      EXPECT_LE(result.certificate.residual, 1e-12);
      EXPECT_LE((result.r - planted.r).lpNorm<Eigen::Infinity>(), 1e-10) << seed;
    }
}

// 60 disks: over a hundred contacts, several hundred variables, so that the LCP is sparse. u of the pile is unique
// where W is symmetric positive definite and friction moderate: all ways agree with proximal Newton on it.
TEST(PlanarLcp, AgreesOnAPileOfDisks) {
  const auto problem = problems::disk_pile(8, 7, 0.2);
  ASSERT_GT(3 * problem.K.num_blocks(), 300);
  const auto reference = mixed::solve(problem, mixed::ProximalNewton{.tolerance = 1e-12});
  ASSERT_TRUE(reference.ok());
  for (auto way : every_way(1e-10)) {
    for (const auto measure : {friction::Measure::Certificate, friction::Measure::NaturalMap}) {
      way.measure = measure;
      const auto result = friction::solve(problem, way);
      ASSERT_EQ(result.status, Status::Solved) << result.message();
      // Both meet the law to 1e-10 |q| and better; the pile amplifies an error by less than 1e3.
      EXPECT_LE((result.u - reference.u).lpNorm<Eigen::Infinity>(), 1e-7 * problem.q.lpNorm<Eigen::Infinity>());
      if (measure == friction::Measure::NaturalMap) {
        EXPECT_LE(result.figures.natural_map, 1e-10);
      }
    }
  }
}

// A wedge driven between two walls that do not yield: u_1 = r_1 - r_2 - 1 and u_2 = r_2 - r_1 - 1 cannot both be >= 0.
TEST(PlanarLcp, ProvesThatAWedgeFindsNoRoom) {
  Eigen::Matrix4d W = Eigen::Matrix4d::Zero();
  W(0, 0) = W(2, 2) = 1.0;
  W(0, 2) = W(2, 0) = -1.0;
  W(1, 1) = W(3, 3) = 1.0;
  const auto problem = problems::mixed_from_dense(W, Eigen::Vector4d(-1.0, 0.1, -1.0, 0.2), {contact(), contact()});
  for (const auto& way : every_way()) {
    const auto result = friction::solve(problem, way);
    ASSERT_EQ(result.status, Status::Infeasible) << result.message();
    const Eigen::VectorXd& y = result.proof;
    ASSERT_EQ(y.size(), 4);
    EXPECT_GE(y[0], 0.0);
    EXPECT_GE(y[2], 0.0);
    EXPECT_EQ(y[1], 0.0);
    EXPECT_EQ(y[3], 0.0);
    EXPECT_LT(problem.q.dot(y), 0.0);
    const Eigen::Vector4d image = W.transpose() * y;  // every r in K has r·W^T y <= 0
    for (const Index o : {0, 2}) EXPECT_LE(image[o] + mu * std::abs(image[o + 1]), 1e-15);
  }
}

// Painlevé: W_NN - mu W_NT = -1.4 while sliding forward. Approaching, the rod has one way: it jams, r = -W^-1 q, whose
// |r_T| = 1.6 < mu r_N = 4. Separating it may open, slide or jam. Sliding backward nothing is unusual. W is positive
// definite, so that pivoting must find an answer each time.
TEST(PlanarLcp, SolvesPainleve) {
  Eigen::Matrix2d W;
  W << 1.0, 3.0, 3.0, 10.0;
  for (const double approach : {0.2, -0.2})
    for (const double slide : {1.0, -1.0}) {
      const auto problem = problems::mixed_from_dense(W, Eigen::Vector2d(approach, slide), {contact(0.8)});
      for (const auto& way : every_way()) {
        const auto result = friction::solve(problem, way);
        ASSERT_EQ(result.status, Status::Solved) << approach << ' ' << slide << ": " << result.message();
        Eigen::VectorXd u(2);
        EXPECT_LE(mixed::certify(problem, result.r, u).residual, way.tolerance);
        if (approach < 0.0 && slide > 0.0) {
          // Rounding of some ten operations on W^-1 q, whose terms are below 10.
          EXPECT_LE((result.r - Eigen::Vector2d(5.0, -1.6)).norm(), 1e-13);
        }
      }
    }
}

// Cohesion c: the contact pulls with up to c. Separating at 0.1 with c = 0.5 and W = I: r_N = -0.1, u = 0.
TEST(PlanarLcp, TakesCohesiveContacts) {
  const Block sticky{{.kind = SetKind::Coulomb2D, .mu = mu, .cohesion = 0.5}, 2};
  const auto problem = problems::mixed_from_dense(Eigen::Matrix2d::Identity(), Eigen::Vector2d(0.1, 0.05), {sticky});
  for (const auto& way : every_way()) {
    const auto result = friction::solve(problem, way);
    ASSERT_EQ(result.status, Status::Solved) << result.message();
    EXPECT_NEAR(result.r[0], -0.1, 1e-14);
    EXPECT_NEAR(result.r[1], -0.05, 1e-14);
  }
}

TEST(PlanarLcp, StopsAtItsLimits) {
  const auto problem = problems::disk_pile(8, 7, 0.2);
  auto result = friction::solve(problem, PlanarLcp{.pivoting = Pivoting::Lemke, .max_iterations = 3});
  EXPECT_FALSE(result.ok());
  EXPECT_LE(result.iterations, 3);
  EXPECT_TRUE(result.r.allFinite());
  result = friction::solve(problem, PlanarLcp{.pivoting = Pivoting::Lemke, .time_limit = 1e-9});
  EXPECT_EQ(result.status, Status::TimeLimit);
}

TEST(PlanarLcp, RefusesBadInput) {
  const auto problem = problems::mixed_from_dense(Eigen::Matrix2d::Identity(), Eigen::Vector2d(-1.0, 0.0), {contact()});
  EXPECT_THROW((void)friction::solve(problem, PlanarLcp{.tolerance = 0.0}), InvalidArgument);
  EXPECT_THROW((void)friction::solve(problem, PlanarLcp{.max_iterations = -1}), InvalidArgument);
  EXPECT_THROW((void)friction::solve(problem, PlanarLcp{.time_limit = 0.0}), InvalidArgument);
  const auto spatial = problems::mixed_from_dense(Eigen::Matrix3d::Identity(), Eigen::Vector3d(-1.0, 0.0, 0.0),
                                                  {{{.kind = SetKind::Coulomb3D, .mu = mu}, 3}});
  EXPECT_THROW((void)friction::solve(spatial, PlanarLcp{}), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::planar_lcp_test
