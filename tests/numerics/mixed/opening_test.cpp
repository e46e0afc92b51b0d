// SPDX-License-Identifier: Apache-2.0
// A gap that opens under a force is no solution, however large friction is: the natural map shows only a share of
// 1 / (1 + mu^2) of its velocity, as of penetration. Judged by the distance of (u, r) to the laws themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <nonsmooth/numerics/friction.hpp>
#include <nonsmooth/numerics/mixed.hpp>

#include <problems/canonical_units.hpp>
#include <problems/complementarity.hpp>
#include <problems/cones.hpp>
#include <problems/law_distance.hpp>
#include <problems/mixed.hpp>

namespace nonsmooth::opening_test {
namespace {

using problems::Block;
using problems::draw;

std::vector<Block> blocks_without_lift(double mu) {
  return {{{.kind = SetKind::Coulomb2D, .mu = mu}, 2},
          {{.kind = SetKind::Coulomb3D, .mu = mu}, 3},
          {{.kind = SetKind::Coulomb3D, .mu = mu, .mu_2 = 0.5 * mu}, 3},
          {{.kind = SetKind::DruckerPrager, .mu = mu, .lift = mu}, 3},
          {{.kind = SetKind::Rolling, .mu = mu, .rolling = mu}, 5}};
}

// r_N = 1 and u_N = 0.1 with |r_T| = mu r_N: the contact is to let go or to close, u_N = 0. W_NN = 1, and tangential
// rows so small that q stays of order 1.
TEST(Opening, AGapThatOpensUnderAForceCountsInFull) {
  for (const double mu : {0.5, 20.0, 1e3, 1e6, 1e9, 1e12}) {
    for (const Block& block : blocks_without_lift(mu)) {
      Eigen::VectorXd r = Eigen::VectorXd::Zero(block.size), u = r, w = Eigen::VectorXd::Constant(block.size, 1.0 / mu);
      r[0] = 1.0, r[1] = mu, u[0] = 0.1, w[0] = 1.0;
      const Eigen::MatrixXd W = w.asDiagonal();
      const auto problem = problems::mixed_from_dense(W, u - W * r, {block});
      Eigen::VectorXd found(block.size);
      const Certificate certificate = mixed::certify(problem, r, found);
      EXPECT_GE(certificate.error, 0.1 * (1.0 - 1e-12)) << mu << ", kind " << static_cast<int>(block.set.kind);
      if (!friction::supports(problem.K)) continue;
      friction::GlobalProblem global;
      global.A = Eigen::MatrixXd(w.cwiseInverse().asDiagonal()).sparseView();
      global.H = Eigen::MatrixXd::Identity(block.size, block.size).sparseView();
      global.f = Eigen::VectorXd::Zero(block.size);
      global.w = problem.q;
      global.K = problem.K;
      double balance = 0.0;
      const Eigen::VectorXd v = W * r;
      EXPECT_GE(friction::certify(global, v, r, found, balance).error, 0.1 * (1.0 - 1e-12)) << mu;
    }
  }
}

// Plastic flow with a large cone and most of its lift: u_0 < 0 beside a tangential velocity of a few parts in 1e9,
// which lifts û into the dual cone. No u with u_0 < 0 obeys the law.
TEST(Opening, LiftDoesNotHidePenetration) {
  for (const double mu : {10.0, 1e6, 1e11}) {
    const Block block{{.kind = SetKind::DruckerPrager, .mu = mu, .lift = 0.75 * mu}, 3};
    const Eigen::Vector3d w(1.0, 1.0 / mu, 1.0 / mu), r(1.0, mu, 0.0), u(-0.9, -10.0 / mu, 0.0);
    const Eigen::MatrixXd W = w.asDiagonal();
    const auto problem = problems::mixed_from_dense(W, u - W * r, {block});
    Eigen::VectorXd found(3);
    EXPECT_GE(mixed::certify(problem, r, found).error, 0.9 * (1.0 - 1e-12)) << mu;
  }
}

// At the apex every opening is allowed, and with a force of a part in 1e12 of what counts it is that force.
TEST(Opening, WithoutAForceItIsFree) {
  for (const double mu : {0.5, 1e6}) {
    for (const Block& block : blocks_without_lift(mu)) {
      Eigen::VectorXd r = Eigen::VectorXd::Zero(block.size), u = r;
      u[0] = 0.1;
      const Eigen::MatrixXd W = Eigen::MatrixXd::Identity(block.size, block.size);
      EXPECT_EQ(mixed::certify(problems::mixed_from_dense(W, u, {block}), r, u).error, 0.0);
      r[0] = 1e-12;
      const auto problem = problems::mixed_from_dense(W, u, {block});
      EXPECT_LE(mixed::certify(problem, r, u).error, 1.001e-12);  // |r| / rho, rho = 1
    }
  }
}

// W = diag(1, w, w), q = (-1, q_T): r_N = 1 where the contact sticks or slides. Every solver that says Solved has it.
TEST(Opening, SolversLeaveNoGapUnderAForce) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const double mu = std::pow(10.0, draw(random, 1.0, 9.0));
    const Eigen::Vector3d w(1.0, 1.0 / mu, 1.0 / mu);
    const Eigen::Vector3d q(-1.0, draw(random, -2.0, 2.0), draw(random, -2.0, 2.0));
    const auto problem = problems::mixed_from_dense(w.asDiagonal(), q, {{{.kind = SetKind::Coulomb3D, .mu = mu}, 3}});
    for (const auto& entry : friction::registry()) {
      if (!entry.supports(problem.K)) continue;
      const auto result = entry.solver.solve(problem, Limits{.tolerance = 1e-8, .max_iterations = 50});
      if (!result.ok()) continue;
      EXPECT_NEAR(result.r[0], 1.0, 2e-8 * q.lpNorm<Eigen::Infinity>()) << entry.name << ", " << mu;
    }
  }
}

// The certificate bounds the distance to the law: the natural map gives the pair (r - rho e, û - e), whose u differs
// from the given one by e on tangential rows and by what is measured beside e on row N. The nearest sliding velocity
// along one direction is nearest in the Euclidean norm: sqrt(2) in the largest entry, of three rows, and as much again
// for rounding. Pairs near the boundary of every set, with forces and velocities over decades.
TEST(Opening, TheCertificateBoundsTheDistanceToTheLaw) {
  std::mt19937_64 random(2);
  int far = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const double mu = std::pow(10.0, draw(random, -3.0, 9.0));
    auto blocks = blocks_without_lift(mu);
    blocks.push_back({{.kind = SetKind::DruckerPrager, .mu = mu, .lift = 0.6 * mu}, 3});
    blocks.push_back({{.kind = SetKind::SecondOrderCone, .mu = mu}, 4});
    const Block& block = blocks[static_cast<std::size_t>(trial) % blocks.size()];
    const Index n = block.size;
    Eigen::VectorXd r(n), u(n), found(n);
    problems::plant(block, random, r, u);
    const Eigen::VectorXd d = problems::canonical_scale(block.set, n);
    for (Index i = 0; i < n; ++i) {
      u[i] += random() % 2 == 0 ? 0.0 : std::pow(10.0, draw(random, -9.0, 0.0)) * draw(random, -1.0, 1.0) / d[i];
      if (random() % 2 == 0) r[i] *= 1.0 + std::pow(10.0, draw(random, -9.0, 0.0)) * draw(random, -1.0, 1.0);
    }
    Eigen::VectorXd w(n);  // q of the size of u
    for (Index i = 0; i < n; ++i) w[i] = 1.0 / (std::max(1.0, r.lpNorm<Eigen::Infinity>()) * d[i] * d[i]);
    const Eigen::MatrixXd W = w.asDiagonal();
    const Eigen::VectorXd q = u - W * r;
    const auto problem = problems::mixed_from_dense(W, q, {block});
    const Certificate certificate = mixed::certify(problem, r, found);
    const problems::Worth worth = problems::worth(W, q, problem.K, r);
    far += worth.residual > 1e-6;
    EXPECT_LE(worth.residual, 2.0 * certificate.residual + 1e-14)
        << "trial " << trial << ", mu " << mu << ", kind " << static_cast<int>(block.set.kind);
  }
  EXPECT_GT(far, 1000);
}

}  // namespace
}  // namespace nonsmooth::opening_test
