// SPDX-License-Identifier: Apache-2.0
// What rounding must not hide: reactions so large that velocities are lost beside them, friction so large that the
// natural map no longer sees penetration. Judged in quadruple precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string_view>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction.hpp>
#include <nonsmooth/numerics/limits.hpp>
#include <nonsmooth/numerics/mixed.hpp>

#include <problems/complementarity.hpp>
#include <problems/cones.hpp>
#include <problems/contacts.hpp>
#include <problems/law_distance.hpp>
#include <problems/mixed.hpp>

namespace nonsmooth::rounding_test {
namespace {

using problems::Block;
using problems::draw;

Eigen::Vector3d normal_vector(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Eigen::Vector3d v;
  for (double& x : v) x = normal(random);
  return v;
}

// u_N = q_N - 2 r_1, u_1 = q_1 + 2 r_1, u_2 = q_2, q_N < 0: r_N = 0 leaves u_N < 0, and q_2 != 0 keeps the contact from
// sticking. A contact that slides has u_N = 0, r_1 = q_N / 2 < 0 and so u_1 = q_1 + q_N > 0: else there is no solution.
TEST(Rounding, OneContactWithoutSolutionIsNotSolved) {
  Eigen::Matrix3d W;
  W << 0.0, -2.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0;
  std::mt19937_64 random(1);
  int without = 0;
  for (int trial = 0; trial < 24; ++trial) {
    Eigen::Vector3d q = normal_vector(random);
    q[0] = -std::abs(q[0]);
    const bool solvable = q[1] + q[0] > 0.0;
    without += !solvable;
    const auto problem = problems::mixed_from_dense(W, q, {{{.kind = SetKind::Coulomb3D, .mu = 0.3}, 3}});
    const auto look = [&](const auto& result, std::string_view solver) {
      if (!solvable) {
        EXPECT_NE(result.status, Status::Solved) << solver << ", q = " << q.transpose();
      } else if (result.ok()) {
        EXPECT_LE(-result.u[0], 1e-8 * q.cwiseAbs().maxCoeff()) << solver << ", q = " << q.transpose();
      }
    };
    look(friction::solve(problem, friction::Automatic{.time_limit = 0.05}), "automatic");
    if (trial % 12 != 0) continue;
    for (const auto& entry : friction::registry()) {
      try {
        look(entry.solver.solve(problem, Limits{.tolerance = 1e-8, .time_limit = 0.02}), entry.name);
      } catch (const InvalidArgument&) {  // W is not symmetric
      }
    }
  }
  EXPECT_GT(without, 8);
}

// The reaction that was called a solution: u_N = -1.42, 1e16 beside it.
TEST(Rounding, PenetrationIsSeenBesideALargeReaction) {
  Eigen::Matrix3d W;
  W << 0.0, -2.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0;
  const Eigen::Vector3d q(-0.82, -0.6, -1.0);
  Eigen::VectorXd u(3);
  const auto problem = problems::mixed_from_dense(W, q, {{{.kind = SetKind::Coulomb3D, .mu = 0.3}, 3}});
  const Eigen::Vector3d r(1e16, 0.3, 3e15);
  EXPECT_GE(mixed::certify(problem, r, u).error, 1.42);
  EXPECT_GE(mixed::friction_figures(problem, r, u).natural_map * q.norm(), 1.0);
  const auto planar = problems::mixed_from_dense(Eigen::Matrix2d::Zero(), Eigen::Vector2d(-1.42, -1.0),
                                                 {{{.kind = SetKind::Coulomb2D, .mu = 0.3}, 2}});
  EXPECT_GE(mixed::certify(planar, Eigen::Vector2d(1e16, 3e15), u.head(2)).error, 1.42);
}

// W = I and q_N = -1: stick, r = -q. With mu = 1e8 the natural map of r = 0 is 1e-8 although the contact penetrates.
TEST(Rounding, NoFrictionIsSoLargeThatABodyMayFallThrough) {
  for (const double mu : {1e4, 1e8, 1e10, 1e12, 1e14, 1e16}) {
    for (const Index rows : {2, 3}) {
      const Eigen::VectorXd q = Eigen::Vector3d(-1.0, 0.3, -0.7).head(rows);
      const SetKind kind = rows == 2 ? SetKind::Coulomb2D : SetKind::Coulomb3D;
      const auto problem =
          problems::mixed_from_dense(Eigen::MatrixXd::Identity(rows, rows), q, {{{.kind = kind, .mu = mu}, rows}});
      Eigen::VectorXd u(rows);
      EXPECT_GE(mixed::certify(problem, Eigen::VectorXd::Zero(rows), u).error, 1.0) << mu;
      const auto result = friction::solve(problem, friction::Automatic{});
      ASSERT_TRUE(result.ok()) << mu << ": " << result.message();
      EXPECT_LE((result.r + q).cwiseAbs().maxCoeff(), 2e-8) << mu;
    }
  }
}

// The field's figure is a share of 1 / mu of that penetration: where a solve stops on it, it must not be taken for one.
TEST(Rounding, TheFieldsFigureSeesAPenetrationToo) {
  for (const double mu : {1e4, 1e8, 1e12, 1e16}) {
    for (const Index rows : {2, 3, 5}) {
      Eigen::VectorXd q = Eigen::VectorXd::Zero(rows), u(rows);
      q.head(2) << -1.0, 0.3;
      BlockSet set{.kind = rows == 2 ? SetKind::Coulomb2D : SetKind::Coulomb3D, .mu = mu};
      if (rows == 5) set = {.kind = SetKind::Rolling, .mu = mu, .rolling = 0.1 * mu};
      const auto problem = problems::mixed_from_dense(Eigen::MatrixXd::Identity(rows, rows), q, {{set, rows}});
      EXPECT_GE(mixed::friction_figures(problem, Eigen::VectorXd::Zero(rows), q).natural_map * q.norm(), 0.5) << mu;
      const auto result = friction::solve(problem, friction::Automatic{.measure = friction::Measure::NaturalMap});
      ASSERT_TRUE(result.ok()) << mu << ", " << rows << " rows: " << result.message();
      EXPECT_LE((result.r + q).cwiseAbs().maxCoeff(), 1e-7) << mu << ", " << rows << " rows";
    }
  }
}

// Rolling friction 7e5 times the sliding friction, W of rank 1: the row of the table of answers that were none.
TEST(Rounding, RollingWithAMatrixOfRankOneIsSolvedOrNot) {
  std::mt19937_64 random(7);
  int solved = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::VectorXd w = problems::normal_matrix(random, 5, 1), q = problems::normal_matrix(random, 5, 1);
    const problems::Cones cones{
        "rolling",
        problems::mixed_from_dense(w * w.transpose(), q,
                                   {{{.kind = SetKind::Rolling, .mu = 0.5, .rolling = 3.5e5}, 5}}),
        w * w.transpose()};
    const auto result = friction::solve(cones.problem, friction::Automatic{.max_iterations = 300, .time_limit = 0.05});
    if (!result.ok()) continue;
    ++solved;
    EXPECT_TRUE(problems::keeps_promise(problems::worth(cones.W, q, cones.problem.K, result.r), 1e-8)) << trial;
  }
  EXPECT_GT(solved, 20);
}

// The same in the global form: v = v_free + r, u = v.
TEST(Rounding, TheGlobalFormSeesPenetrationToo) {
  for (const double mu : {0.3, 1e4, 1e8, 1e12}) {
    friction::GlobalProblem problem;
    problem.A = Eigen::MatrixXd::Identity(3, 3).sparseView();
    problem.H = problem.A;
    problem.f = Eigen::Vector3d(-1.0, 0.1, -0.2);
    problem.w = Eigen::Vector3d::Zero();
    problem.K.push_back({.kind = SetKind::Coulomb3D, .mu = mu}, 3);
    Eigen::VectorXd u(3);
    double balance = 0.0;
    EXPECT_GE(friction::certify(problem, problem.f, Eigen::Vector3d::Zero(), u, balance).error, 1.0) << mu;
    EXPECT_EQ(balance, 0.0);
    const auto result = friction::solve(problem, friction::GlobalAutomatic{});
    ASSERT_TRUE(result.ok()) << mu << ": " << result.message();
    EXPECT_GE(result.u[0], -1e-8) << mu;
  }
}

// u = (0, u_T) with W = diag(3, 0, ..), rho >= 1: friction mu r_N = 2^36 along -u_T, but for an angle of 2^-20. The
// share of the natural map across r_T is |u_T| 2^-20 = 1e-6, below the last digit of r_T (1.5e-5), and û_N = mu |u_T|
// is as large as r: no rho shows it. The sine differs from the angle by 2^-41, |r_T| + rho |u_T| from |r_T| by 2^-34.
TEST(Rounding, HugeFrictionThatDoesNotOpposeSlidingIsSeen) {
  constexpr double mu = 0x1p36, direction = 0.7, angle = 0x1p-20;
  const auto error = [](const BlockSet& set, Index rows, Index first, const Eigen::VectorXd& r, double u_T) {
    Eigen::MatrixXd W = Eigen::MatrixXd::Zero(rows, rows);
    W(0, 0) = 3.0;
    Eigen::VectorXd q = Eigen::VectorXd::Zero(rows), u(rows);
    q[0] = -3.0 * r[0];
    q[first] = u_T * std::cos(direction);
    if (first + 1 < rows) q[first + 1] = u_T * std::sin(direction);
    const auto problem = problems::mixed_from_dense(W, q, {{set, rows}});
    return mixed::certify(problem, r, u).error;
  };
  const auto friction = [&](Index rows, Index first) {
    Eigen::VectorXd r = Eigen::VectorXd::Zero(rows);
    r[0] = 1.0;
    r[first] = -mu * std::cos(direction + angle);
    r[first + 1] = -mu * std::sin(direction + angle);
    return r;
  };
  const std::vector<std::pair<BlockSet, Index>> sets{
      {{.kind = SetKind::Coulomb3D, .mu = mu}, 3},
      {{.kind = SetKind::DruckerPrager, .mu = mu, .lift = mu}, 3},
      {{.kind = SetKind::VonMises, .radius = mu}, 3},
      {{.kind = SetKind::Rolling, .mu = mu, .rolling = 0.1}, 5},
      {{.kind = SetKind::Rolling, .mu = mu, .rolling = 0.1, .spinning = 0.1}, 6}};
  for (const auto& [set, rows] : sets) {
    const double seen = error(set, rows, 1, friction(rows, 1), 1.0);
    EXPECT_GE(seen, 0.999 * angle) << static_cast<int>(set.kind) << ", " << rows << " rows";
    EXPECT_LE(seen, 1e3 * angle) << static_cast<int>(set.kind) << ", " << rows << " rows";
  }
  EXPECT_GE(error({.kind = SetKind::Rolling, .mu = 0.1, .rolling = mu}, 5, 3, friction(5, 3), 1.0), 0.999 * angle);
  // In the plane: friction that drives the sliding.
  EXPECT_GE(error({.kind = SetKind::Coulomb2D, .mu = 0x1p60}, 2, 1, Eigen::Vector2d(1.0, 0x1p60), angle),
            0.999 * angle * std::cos(direction));
}

// The same contact in the global form: one degree of freedom, along the normal.
TEST(Rounding, TheGlobalFormSeesMisalignedFrictionToo) {
  constexpr double mu = 0x1p36, direction = 0.7, angle = 0x1p-20;
  friction::GlobalProblem problem;
  problem.A = Eigen::MatrixXd::Identity(1, 1).sparseView();
  problem.H = Eigen::MatrixXd::Identity(3, 1).sparseView();
  problem.f = Eigen::VectorXd::Constant(1, -3.0);  // A v = H^T r + f: v = 0 with r_N = 3
  problem.w = Eigen::Vector3d(0.0, std::cos(direction), std::sin(direction));
  problem.K.push_back({.kind = SetKind::Coulomb3D, .mu = mu}, 3);
  const Eigen::Vector3d r(3.0, -3.0 * mu * std::cos(direction + angle), -3.0 * mu * std::sin(direction + angle));
  Eigen::VectorXd u(3);
  double balance = 0.0;
  const auto certificate = friction::certify(problem, Eigen::VectorXd::Zero(1), r, u, balance);
  EXPECT_EQ(balance, 0.0);
  EXPECT_GE(certificate.error, 0.999 * angle);
}

/// A block of every cone that one row or one radius bounds, W with columns of zeros and reactions over 15 decades on
/// the boundary of the cone: the certificate must see what quadruple precision sees.
TEST(Rounding, TheCertificateSeesWhatQuadruplePrecisionSees) {
  std::mt19937_64 random(3);
  int judged = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    BlockSet set;
    switch (trial % 5) {
      case 0:
        set = {.kind = SetKind::Coulomb2D, .mu = std::pow(10.0, draw(random, -2.0, 12.0))};
        break;
      case 1:
        set = {.kind = SetKind::Coulomb3D, .mu = std::pow(10.0, draw(random, -2.0, 12.0))};
        break;
      case 2:
        set = {.kind = SetKind::SecondOrderCone, .mu = std::pow(10.0, draw(random, -2.0, 2.0))};
        break;
      case 3:
        set = {.kind = SetKind::DruckerPrager, .mu = draw(random, 0.1, 0.8), .lift = 0.05};
        break;
      default:
        set = {.kind = SetKind::VonMises, .radius = std::pow(10.0, draw(random, 0.0, 15.0))};
        break;
    }
    const Index n = set.kind == SetKind::Coulomb2D ? 2 : 3;
    Eigen::MatrixXd W = problems::normal_matrix(random, n, n);
    for (Index j = 0; j < n; ++j)
      if (random() % 2 == 0) W.col(j).setZero();
    const Eigen::VectorXd q = problems::normal_matrix(random, n, 1);
    // To |r| = 1e15: beyond, the last digit of r itself is worth a velocity of the size of q.
    const double size = std::pow(10.0, draw(random, 0.0, 15.0)) / std::max(1.0, set.mu);
    Eigen::VectorXd r = problems::normal_matrix(random, n, 1), u(n);
    if (set.kind == SetKind::VonMises) {
      r.tail(n - 1) *= set.radius / r.tail(n - 1).norm();
    } else {
      r[0] = size;
      r.tail(n - 1) *= set.mu * size / r.tail(n - 1).norm();
    }
    const problems::Cones cones{"one block", problems::mixed_from_dense(W, q, {{set, n}}), W};
    const double seen = mixed::certify(cones.problem, r, u).residual;
    const double exact = problems::independent_residual(cones, r);
    judged += exact > 1.0 / 32.0;
    // Half: the two differ by the rounding of u, which the scale holds to 1/64 of its terms.
    EXPECT_GE(seen, 0.5 * exact - 1.0 / 64.0) << "trial " << trial << ", mu " << set.mu << ", |r| " << r.norm();
  }
  EXPECT_GT(judged, 10'000);
}

}  // namespace
}  // namespace nonsmooth::rounding_test
