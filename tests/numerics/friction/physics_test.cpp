// SPDX-License-Identifier: Apache-2.0
// What Coulomb's law says and convex models of friction get wrong, by time steps over a frozen W at tolerance 1e-12.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include <nonsmooth/numerics/friction.hpp>
#include <problems/mixed.hpp>
#include <problems/piles.hpp>

namespace nonsmooth::physics_test {
namespace {

using problems::Pile;

constexpr double g = 9.81, h = 1e-3;

/// A cuboid block of edges a x b x c [m] whose lower face is at height z, on `below` (-1: the ground), by four feet.
void lay_block(Pile& pile, double a, double b, double c, double mass, double z, Index below, double mu) {
  const Eigen::Vector3d inertia = mass / 12.0 * Eigen::Vector3d(b * b + c * c, a * a + c * c, a * a + b * b);
  const auto body = static_cast<Index>(pile.bodies.size());
  pile.bodies.push_back({{0.0, 0.0, z + 0.5 * c}, Eigen::Vector3d::Zero(), inertia, mass});
  for (const double x : {-0.5 * a, 0.5 * a})
    for (const double y : {-0.5 * b, 0.5 * b})
      pile.contacts.push_back({below, body, {x, y, z}, Eigen::Vector3d::UnitZ(), mu});
}

/// Steps M (v+ - v) = h F + H^T r over frozen contacts.
class Steps {
 public:
  explicit Steps(const Pile& pile, const Eigen::Vector3d& gravity)
      : global_(problems::global_problem(pile)), problem_(friction::to_reduced(global_)) {
    v.setZero(global_.f.size());
    acceleration_.setZero(v.size());
    pull(gravity);
  }

  void pull(const Eigen::Vector3d& gravity) {
    for (Index b = 0; b < v.size() / 6; ++b) acceleration_.segment<3>(6 * b) = gravity;
  }

  /// Solved, or no worse than the round-off that the certificate tells where that `may_stall` above the tolerance.
  const friction::Result& step(bool may_stall = false) {
    const Eigen::VectorXd free = v + h * acceleration_;
    problem_.q = Eigen::VectorXd(global_.H * free);
    result_ = friction::solve(problem_, friction::Automatic{.tolerance = 1e-12, .start = result_.r});
    if (may_stall && !result_.ok()) {
      EXPECT_EQ(result_.status, Status::Stalled) << result_.message();
      EXPECT_LE(result_.certificate.error, result_.certificate.round_off);
    } else {
      EXPECT_EQ(result_.status, Status::Solved) << result_.message();
    }
    v = free + (global_.H.transpose() * result_.r).cwiseQuotient(global_.A.diagonal());
    return result_;
  }
  [[nodiscard]] double size_of_q() const { return problem_.q.lpNorm<Eigen::Infinity>(); }
  [[nodiscard]] const friction::Problem& problem() const { return problem_; }

  Eigen::VectorXd v;

 private:
  friction::GlobalProblem global_;
  friction::Problem problem_;
  Eigen::VectorXd acceleration_;
  friction::Result result_;
};

Pile block_on_ground(double mu, double mass = 2.0) {
  Pile pile;
  lay_block(pile, 0.4, 0.3, 0.1, mass, 0.0, -1, mu);
  return pile;
}

// Convex relaxations replace u_N = 0 by u_N = mu |u_T|: at 1 m/s and mu = 0.3 they would leave the floor at 0.3 m/s.
TEST(FrictionPhysics, NoDilationWhileSliding) {
  Steps steps(block_on_ground(0.3), {0.0, 0.0, -g});
  steps.v[0] = 1.0;
  for (int k = 0; k < 300; ++k) {
    const auto& result = steps.step();
    // residual <= 1e-12 bounds every component of the natural error by 1e-12 |q|; u_N of a closed contact is one, up to
    // the projection's part of at most (1 + mu) of it.
    for (Index c = 0; c < 4; ++c) EXPECT_LE(std::abs(result.u[3 * c]), 1e-11 * steps.size_of_q()) << k;
  }
  // mu g decelerates: 1 - 0.3 * 9.81 * 0.3 = 0.1171 m/s after 300 steps; each step adds 1e-12 of |q| <= 1.
  EXPECT_NEAR(steps.v[0], 1.0 - 0.3 * g * 300 * h, 1e-9);
}

// A pyramid of friction would turn the velocity towards its edges and brake differently along them.
TEST(FrictionPhysics, SlidingIsIsotropic) {
  for (int k = 0; k < 16; ++k) {
    const double angle = std::numbers::pi * (k + 0.37) / 8.0;
    Steps steps(block_on_ground(0.2), {0.0, 0.0, -g});
    steps.v[0] = std::cos(angle), steps.v[1] = std::sin(angle);
    for (int i = 0; i < 100; ++i) steps.step();
    const double speed = std::hypot(steps.v[0], steps.v[1]);
    EXPECT_NEAR(speed, 1.0 - 0.2 * g * 100 * h, 1e-9) << angle;
    EXPECT_NEAR(steps.v[0] / speed, std::cos(angle), 1e-9) << angle;
    EXPECT_NEAR(steps.v[1] / speed, std::sin(angle), 1e-9) << angle;
  }
}

// Regularised friction creeps. The slope of 20 degrees turns by a radian or so a step and the load swings by a half, so
// that no step's reactions are those of the step before; tan(20 degrees) = 0.364 < mu = 0.4.
TEST(FrictionPhysics, SticksOnATurningSlope) {
  const double slope = 20.0 * std::numbers::pi / 180.0;
  Steps steps(block_on_ground(0.4), Eigen::Vector3d::Zero());
  Index solved_anew = 0;
  double moved = 0.0;
  for (int k = 0; k < 10'000; ++k) {
    const double size = g * (1.0 + 0.5 * std::sin(0.7 * k)), angle = 1.1 * k + 0.3 * std::sin(2.3 * k);
    steps.pull(
        {size * std::sin(slope) * std::cos(angle), size * std::sin(slope) * std::sin(angle), -size * std::cos(slope)});
    const auto& result = steps.step();
    solved_anew += result.iterations > 0;
    for (Index c = 0; c < 4; ++c)
      ASSERT_LE(std::hypot(result.u[3 * c + 1], result.u[3 * c + 2]), 1e-11 * steps.size_of_q()) << k;
    moved += h * std::hypot(steps.v[0], steps.v[1]);
  }
  EXPECT_EQ(solved_anew, 10'000);
  EXPECT_LE(moved, 10'000 * h * 1e-11 * 1.5 * g * h);  // the bound of every step, summed
}

TEST(FrictionPhysics, SlidesOnASteeperSlope) {
  const double slope = 25.0 * std::numbers::pi / 180.0;  // tan = 0.466 > mu = 0.4
  Steps steps(block_on_ground(0.4), {g * std::sin(slope), 0.0, -g * std::cos(slope)});
  for (int k = 0; k < 100; ++k) steps.step();
  EXPECT_NEAR(steps.v[0], g * (std::sin(slope) - 0.4 * std::cos(slope)) * 100 * h, 1e-9);
}

// Sweeps need some mass-ratio many iterations. The load swings, so that each step is solved anew. The light block's
// velocity is a difference of impulses `ratio` times its own weight h g: sums of some 20 terms on rows of W of order
// one round by 20 eps ratio h g. What the certificate calls round-off is 64 times the rounding of single terms; beyond
// a ratio of 1e3 that is more than 1e-12 h g, and the answer may say so.
TEST(FrictionPhysics, HeavyBlockOnALightOne) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  for (double ratio = 1.0; ratio <= 1e6; ratio *= 10.0) {
    Pile pile = block_on_ground(0.5, 1.0);
    lay_block(pile, 0.4, 0.3, 0.1, ratio, 0.1, 0, 0.5);
    Steps steps(pile, Eigen::Vector3d::Zero());
    for (int k = 0; k < 20; ++k) {
      const double size = g * (1.0 + 0.5 * std::sin(0.7 * k)), push = 0.3 * size;  // below mu = 0.5
      steps.pull({push * std::cos(1.1 * k), push * std::sin(1.1 * k), -size});
      const auto& result = steps.step(ratio > 1e3);
      double below = 0.0, between = 0.0;
      for (Index c = 0; c < 4; ++c) below += result.r[3 * c], between += result.r[3 * (c + 4)];
      // A velocity error is an error of the weight carried relative to h g: 1e-12 times the lever arms, or rounding.
      const double allowed = 1e-11 + 64.0 * 20.0 * eps * ratio;
      ASSERT_NEAR(below / (h * size * (1.0 + ratio)), 1.0, allowed) << ratio << ' ' << k;
      ASSERT_NEAR(between / (h * size * ratio), 1.0, allowed) << ratio << ' ' << k;
      // All eight contacts stick. The last step's error is in q again, and does not add up.
      ASSERT_LE(result.u.lpNorm<Eigen::Infinity>(), 2.0 * allowed * h * size) << ratio << ' ' << k;
    }
  }
}

// Four feet: three would do. Six velocities leave a kernel of dimension 12 - 6; the smallest reaction is symmetric.
TEST(FrictionPhysics, SmallestReactionOfFourFeet) {
  const Pile pile = block_on_ground(0.5);
  Steps steps(pile, {0.0, 0.0, -g});
  const auto result = steps.step();
  const auto found = friction::hyperstaticity(steps.problem(), result.r, result.u);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->nullspace_dimension, 6);
  for (Index c = 0; c < 4; ++c) {
    // Dykstra stops at changes of 1e-11 of |r|; linear convergence leaves some hundred times that.
    EXPECT_NEAR(found->minimum_norm_r[3 * c], 2.0 * g * h / 4.0, 1e-8);
    EXPECT_NEAR(found->minimum_norm_r[3 * c + 1], 0.0, 1e-8);
    EXPECT_NEAR(found->minimum_norm_r[3 * c + 2], 0.0, 1e-8);
  }
  Eigen::VectorXd u(result.u.size());
  EXPECT_LE(mixed::certify(steps.problem(), found->minimum_norm_r, u).residual, 1e-6);  // it is a solution too
}

friction::Problem one_contact(double W_NN, double W_NT, double W_TT, double q_N, double q_T, double mu) {
  Eigen::Matrix2d W;
  W << W_NN, W_NT, W_NT, W_TT;
  return problems::mixed_from_dense(W, Eigen::Vector2d(q_N, q_T), {{{.kind = SetKind::Coulomb2D, .mu = mu}, 2}});
}

// Painlevé: W_NN - mu W_NT < 0 while u_T > 0. With q_N > 0 the contact may open, slide under load or jam: all three are
// solutions, and Newton's method finds the one that is near.
TEST(FrictionPhysics, PainleveWithSeveralSolutions) {
  const double mu = 1.5;
  const auto problem = one_contact(1.0, 1.2, 2.0, 0.1, 1.0, mu);
  // Sliding forward, r_T = -mu r_N: u_N = (1 - 1.8) r_N + 0.1 = 0 at r_N = 0.125; u_T = 1 + (1.2 - 3) 0.125 > 0.
  // Jammed: r = -W^-1 q, det W = 0.56; 0.88 / 0.56 < 1.5 times 1 / 0.56.
  const Eigen::Vector2d solutions[] = {{0.0, 0.0}, {0.125, -mu * 0.125}, {1.0 / 0.56, -0.88 / 0.56}};
  const Eigen::Vector2d starts[] = {{0.02, 0.01}, {0.13, -0.19}, {1.6, -1.6}};
  Eigen::VectorXd u(2);
  for (int k = 0; k < 3; ++k) {
    EXPECT_LE(mixed::certify(problem, solutions[k], u).residual, 1e-15) << k;
    const auto near =
        friction::solve(problem, friction::SemismoothNewton{.tolerance = 1e-12, .sweeps = 0, .start = starts[k]});
    ASSERT_EQ(near.status, Status::Solved) << k << ": " << near.message();
    EXPECT_GT(near.iterations, 0);
    // 1e-12 of |q| = 1 over the least singular value of the modes' systems, 0.25 for W and 0.8 sliding.
    EXPECT_LE((near.r - solutions[k]).norm(), 1e-11) << k;
  }
  const auto result = friction::solve(problem);
  ASSERT_EQ(result.status, Status::Solved) << result.message();
  EXPECT_LE(mixed::certify(problem, result.r, u).residual, 1e-8);
}

// Painlevé without a solution. The contact slides forward whatever r is (u_T = 1: its tangential row yields to
// nothing), friction -mu r_N presses it down twice as much as r_N lifts it: u_N = -1 + (1 - 2) r_N < 0. No linear
// functional proves that, since a reaction pushing forward, which friction cannot be, would lift: the verdict is
// Stalled.
TEST(FrictionPhysics, PainleveWithoutSolutionIsNotSolved) {
  Eigen::Matrix2d W;
  W << 1.0, 2.0, 0.0, 0.0;
  const auto problem =
      problems::mixed_from_dense(W, Eigen::Vector2d(-1.0, 1.0), {{{.kind = SetKind::Coulomb2D, .mu = 1.0}, 2}});
  for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
    const auto result = friction::solve(problem, friction::Automatic{.tolerance = tolerance});
    EXPECT_EQ(result.status, Status::Stalled) << tolerance << ": " << result.message();
    EXPECT_EQ(result.proof.size(), 0);
    EXPECT_TRUE(result.r.allFinite());
    // u is off by at least 1/10 of the approach, however large r has grown.
    EXPECT_GT(result.certificate.error, 0.1);
  }
}

// A reaction that pulls its own contact shut, W_NN < 0: proved.
TEST(FrictionPhysics, ContactThatPullsItselfShutIsProvedInfeasible) {
  const auto problem = one_contact(-1.0, 0.0, 1.0, -1.0, 0.5, 0.3);
  const auto result = friction::solve(problem);
  ASSERT_EQ(result.status, Status::Infeasible) << result.message();
  EXPECT_TRUE(mixed::proves_infeasible(problem, result.proof));
}

// A contact that no impulse opens: W_NN = W_NT = 0 and q_N < 0.
TEST(FrictionPhysics, NoSolutionIsProved) {
  const auto problem = one_contact(0.0, 0.0, 1.0, -1.0, 0.5, 0.3);
  const auto result = friction::solve(problem);
  ASSERT_EQ(result.status, Status::Infeasible) << result.message();
  // y_N >= 0, y_T = 0, -W^T y in K*, q·y < 0.
  ASSERT_EQ(result.proof.size(), 2);
  EXPECT_GT(result.proof[0], 0.0);
  EXPECT_EQ(result.proof[1], 0.0);
  const Eigen::VectorXd image = -problem.W.to_dense().transpose() * result.proof;
  EXPECT_GE(image[0], 0.3 * std::abs(image[1]));
  EXPECT_LT(problem.q.dot(result.proof), 0.0);
}

TEST(FrictionPhysics, WithoutFrictionNothingBrakes) {
  Steps steps(block_on_ground(0.0), {0.0, 0.0, -g});
  steps.v[0] = 1.0;
  for (int k = 0; k < 100; ++k) steps.step();
  EXPECT_NEAR(steps.v[0], 1.0, 1e-13);  // no tangential impulse at all
}

// mu = 10 holds a block on a slope of 80 degrees (tan = 5.7) whose feet are too far apart for it to topple.
TEST(FrictionPhysics, LargeFrictionHoldsOnASteepSlope) {
  Pile pile;
  lay_block(pile, 1.0, 1.0, 0.05, 2.0, 0.0, -1, 10.0);
  const double slope = 80.0 * std::numbers::pi / 180.0;
  Steps steps(pile, {g * std::sin(slope), 0.0, -g * std::cos(slope)});
  for (int k = 0; k < 100; ++k) steps.step();
  EXPECT_LE(steps.v.lpNorm<Eigen::Infinity>(),
            100 * 1e-11 * g * h * 20.0);  // 100 steps of the bound, lever arms of 20 /m
}

}  // namespace
}  // namespace nonsmooth::physics_test
