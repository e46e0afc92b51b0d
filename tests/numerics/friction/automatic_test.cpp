// SPDX-License-Identifier: Apache-2.0
// The automatic choice: islands, limits, what it tells of its tiers, and what it must not call solved.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/friction/automatic.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel.hpp>

#include <problems/mixed.hpp>
#include <problems/piles.hpp>

namespace nonsmooth::automatic_test {
namespace {

using problems::Rest;

/// Two problems that know nothing of each other.
friction::Problem side_by_side(const friction::Problem& a, const friction::Problem& b) {
  friction::Problem both;
  std::vector<Index> sizes;
  for (const friction::Problem* part : {&a, &b})
    for (Index k = 0; k < part->K.num_blocks(); ++k) {
      sizes.push_back(part->K.size(k));
      both.K.push_back(part->K[k], part->K.size(k));
    }
  both.W.begin_pattern(sizes);
  Index first = 0;
  for (const friction::Problem* part : {&a, &b}) {
    const BlockSparseMatrix& W = part->W;
    for (Index i = 0; i < W.num_block_rows(); ++i) {
      for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) both.W.insert(first + W.column(k));
      both.W.next_row();
    }
    first += W.num_block_rows();
  }
  both.W.end_pattern();
  first = 0;
  for (const friction::Problem* part : {&a, &b}) {
    const BlockSparseMatrix& W = part->W;
    for (Index i = 0; i < W.num_block_rows(); ++i)
      for (Index k = 0; k < W.row_begin(i + 1) - W.row_begin(i); ++k)
        both.W.block(first + i, both.W.row_begin(first + i) + k) = W.block(i, W.row_begin(i) + k);
    first += W.num_block_rows();
  }
  both.q.resize(a.W.rows() + b.W.rows());
  both.q << a.q, b.q;
  return both;
}

/// A contact that its own reaction closes: no solution, and the row alone proves it.
friction::Problem impossible() {
  return problems::mixed_from_dense(Eigen::Vector2d(-1.0, 1.0).asDiagonal().toDenseMatrix(), Eigen::Vector2d(-1.0, 0.0),
                                    {{{.kind = SetKind::Coulomb2D, .mu = 0.5}, 2}});
}

const friction::Decision* decision(const friction::Result& result, std::string_view tier) {
  const auto found = std::find_if(result.decisions.begin(), result.decisions.end(),
                                  [&](const friction::Decision& d) { return d.tier == tier; });
  return found == result.decisions.end() ? nullptr : &*found;
}

/// H of the four corners of a cube of 1 kg on a plane, of half edge a; rows (N, T1, T2), or (N, T1).
Eigen::MatrixXd corners(double a, Index rows) {
  Eigen::MatrixXd H(4 * rows, 6);
  const Eigen::Matrix3d axes{{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
  Index row = 0;
  for (const double x : {-a, a}) {
    for (const double y : {-a, a}) {
      for (Index k = 0; k < rows; ++k, ++row) {
        const Eigen::Vector3d axis = axes.row(k);
        H.row(row) << axis.transpose(), Eigen::Vector3d(x, y, -a).cross(axis).transpose();
      }
    }
  }
  return H;
}

/// Friction without bound is a contact that does not slip: four corners stand still whatever pushes the cube while none
/// lifts, to the tolerance on |q|; what rounding leaves of u_T is no gap of mu times that.
TEST(FrictionAutomatic, ACubeSticksWithFrictionWithoutBound) {
  const double a = 0.1, turning = 1.5 / (a * a);
  using Push = Eigen::Vector<double, 6>;
  const Push inverse{1.0, 1.0, 1.0, turning, turning, turning};
  const std::vector<Push> pushes{Push{0.0, 0.0, -0.1, 0.0, 0.0, 0.0}, Push{0.05, 0.0, -0.1, 0.0, 0.0, 0.0},
                                 Push{0.03, -0.02, -0.1, 0.01, 0.02, 0.3}, Push{0.01, 0.07, -0.2, -0.1, 0.05, -1.0}};
  for (const Index rows : {Index{2}, Index{3}}) {
    const Eigen::MatrixXd H = corners(a, rows);
    const Eigen::MatrixXd W = H * inverse.asDiagonal() * H.transpose();
    const SetKind kind = rows == 2 ? SetKind::Coulomb2D : SetKind::Coulomb3D;
    for (double mu = 1e3; mu < 2e12; mu *= 10.0) {
      for (std::size_t k = 0; k < pushes.size(); ++k) {
        const Eigen::VectorXd q = H * pushes[k];
        const mixed::Problem problem =
            problems::mixed_from_dense(W, q, std::vector<problems::Block>(4, {{.kind = kind, .mu = mu}, rows}));
        const auto result = friction::solve(problem, friction::Automatic{.tolerance = 1e-10});
        ASSERT_TRUE(result) << result.message() << ", mu " << mu << ", push " << k << ", " << rows << " rows";
        EXPECT_LE(result.u.lpNorm<Eigen::Infinity>(), 1e-10 * q.lpNorm<Eigen::Infinity>()) << mu << ", push " << k;
      }
    }
  }
}

TEST(FrictionAutomatic, SolvesIslandsOnTheirOwn) {
  const friction::Problem wall = problems::reduced_problem(problems::brick_wall(3, 3, 1, false));
  const friction::Problem balls = problems::reduced_problem(problems::ball_pile(30, 11, Rest::Settled));
  const friction::Problem both = side_by_side(wall, balls);
  for (const auto measure : {friction::Measure::Certificate, friction::Measure::NaturalMap}) {
    const auto together = friction::solve(both, friction::Automatic{.tolerance = 1e-10, .measure = measure});
    ASSERT_TRUE(together) << together.message();
    EXPECT_LE(measure == friction::Measure::Certificate ? together.certificate.residual : together.figures.natural_map,
              1e-10);
    // The islands differ in what solves them, and their shares of the tolerance are enough for the whole.
    EXPECT_EQ(together.reason, "island by island");
    ASSERT_FALSE(together.decisions.empty());
    for (const auto& d : together.decisions) {
      EXPECT_FALSE(d.reason.empty()) << d.tier;
      EXPECT_GE(d.islands, 1);
      EXPECT_LE(d.islands, both.K.num_blocks());
    }
  }
}

TEST(FrictionAutomatic, SaysWhichIslandHasNoSolution) {
  const friction::Problem wall = problems::reduced_problem(problems::brick_wall(2, 2, 1, false));
  const auto result = friction::solve(side_by_side(wall, impossible()), friction::Automatic{});
  ASSERT_EQ(result.status, Status::Infeasible) << result.message();
  ASSERT_EQ(result.proof.size(), wall.W.rows() + 2);
  EXPECT_TRUE(mixed::proves_infeasible(side_by_side(wall, impossible()), result.proof));
  EXPECT_EQ(result.proof.head(wall.W.rows()).lpNorm<Eigen::Infinity>(), 0.0);
}

TEST(FrictionAutomatic, ListsEveryTierWithItsReason) {
  // Settled balls, hyperstatic: sweeps alone do not end it.
  const friction::Problem balls = problems::reduced_problem(problems::ball_pile(100, 1, Rest::Settled));
  const auto result = friction::solve(balls, friction::Automatic{.tolerance = 1e-10});
  ASSERT_TRUE(result) << result.message();
  ASSERT_GE(result.decisions.size(), 2u);
  EXPECT_EQ(result.decisions.front().tier, "gauss-seidel");
  EXPECT_EQ(result.decisions.front().reason, "the sweeps converge too slowly");
  const friction::Decision& last = result.decisions.back();
  EXPECT_EQ(last.tier, result.solver);
  EXPECT_LE(last.residual, 1e-10);
  EXPECT_FALSE(last.reason.empty());
}

TEST(FrictionAutomatic, LimitsEndItWithTheBestIterate) {
  const friction::Problem balls = problems::reduced_problem(problems::ball_pile(100, 1, Rest::Settled));
  const auto at_rest = friction::solve(balls, friction::Automatic{.tolerance = 1e-300, .max_iterations = 1});
  EXPECT_FALSE(at_rest.ok());
  EXPECT_LT(at_rest.certificate.residual, 1.0);  // r = 0 leaves q, a residual of 1
  const auto late = friction::solve(balls, friction::Automatic{.tolerance = 1e-15, .time_limit = 1e-9});
  EXPECT_EQ(late.status, Status::TimeLimit) << late.message();
  ASSERT_NE(decision(late, "gauss-seidel"), nullptr);
  EXPECT_EQ(decision(late, "gauss-seidel")->reason, "time_limit reached");
}

TEST(FrictionAutomatic, TheFieldsFigureWithoutFriction) {
  // No contact with friction: there is no natural map to divide, and the certificate takes its place.
  Eigen::Matrix2d W;
  W << 2.0, 1.0, 1.0, 2.0;
  const auto problem = problems::mixed_from_dense(W, Eigen::Vector2d(-1.0, -4.0), {{{.kind = SetKind::Orthant}, 2}});
  const auto chosen = friction::solve(problem, friction::Automatic{.measure = friction::Measure::NaturalMap});
  const auto swept = friction::solve(problem, friction::GaussSeidel{.measure = friction::Measure::NaturalMap});
  for (const auto& result : {chosen, swept}) {
    ASSERT_TRUE(result) << result.message();
    EXPECT_NEAR(result.r[0], 0.0, 1e-8);  // u = (1, 0): the first row opens
    EXPECT_NEAR(result.r[1], 2.0, 1e-8);
  }
}

/// A body without mass between two walls that close on it: no velocity opens both, and the reactions grow for ever.
TEST(FrictionAutomatic, ProvesASqueeze) {
  for (const double mu : {0.0, 0.3, 2.0}) {
    for (const bool elliptic : {false, true}) {
      Eigen::MatrixXd H = Eigen::MatrixXd::Zero(6, 3);
      H.topRows(3) = Eigen::Matrix3d::Identity();
      H.bottomRows(3) = Eigen::Vector3d(-1.0, 1.0, 1.0).asDiagonal();
      Eigen::VectorXd q(6);
      q << -1.0, 0.4, 0.1, -0.5, 0.4, 0.1;
      const BlockSet set{.kind = SetKind::Coulomb3D, .mu = mu, .mu_2 = elliptic ? 0.5 * mu : -1.0};
      const auto problem = problems::mixed_from_dense(H * H.transpose(), q, {{set, 3}, {set, 3}});
      const auto result = friction::solve(problem, friction::Automatic{});
      ASSERT_EQ(result.status, Status::Infeasible) << mu << ' ' << elliptic << ": " << result.message();
      EXPECT_TRUE(mixed::proves_infeasible(problem, result.proof));
    }
  }
}

}  // namespace
}  // namespace nonsmooth::automatic_test
