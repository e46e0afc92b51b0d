// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <Eigen/LU>

#include <mixed/canonical.hpp>
#include <nonsmooth/numerics/friction.hpp>
#include <nonsmooth/numerics/lcp/problem.hpp>
#include <nonsmooth/numerics/mixed.hpp>

#include <problems/mixed.hpp>

namespace nonsmooth::certificate_test {
namespace {

using problems::Block;

constexpr double eps = std::numeric_limits<double>::epsilon();

TEST(MixedCertificate, OnOrthantsItIsThatOfTheLcp) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (const bool joined : {false, true})
    for (int trial = 0; trial < 50; ++trial) {
      const Index n = 6;
      lcp::Problem problem;
      problem.M.resize(n, n);
      problem.q.resize(n);
      Eigen::VectorXd z(n);
      for (Index i = 0; i < n; ++i) {
        problem.q[i] = normal(random);
        z[i] = std::abs(normal(random));
        for (Index j = 0; j < n; ++j) problem.M(i, j) = normal(random);  // a third of the diagonal is not positive
      }
      problem.M(2, 2) = 0.0;
      problem.M.row(3).setZero();
      const std::vector<Block> blocks =
          joined ? std::vector<Block>{{{}, 2}, {{}, 4}} : std::vector<Block>(6, Block{{}, 1});
      Eigen::VectorXd w(n), u(n);
      const auto expected = lcp::certify(problem, z, w);
      const auto found = mixed::certify(problems::mixed_from_dense(problem.M, problem.q, blocks), z, u);
      // The two sum products in different orders: a few eps of the terms, which round_off bounds from above.
      EXPECT_NEAR(found.error, expected.error, expected.round_off);
      EXPECT_NEAR(found.scale, expected.scale, 8.0 * eps * expected.scale);
      EXPECT_NEAR(found.round_off, expected.round_off, 8.0 * eps * expected.round_off);
      EXPECT_EQ(found.worst_row, expected.worst_row);
    }
}

/// Every set by the definition, e = (r - P_K(r - rho û)) / rho, through the public projections, penetration, and gaps
/// that open under a force.
TEST(MixedCertificate, IsTheNaturalMapOfEverySet) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 200; ++trial) {
    const std::vector<Block> blocks = {{{.kind = SetKind::Coulomb2D, .mu = 0.5}, 2},
                                       {{.kind = SetKind::Coulomb3D, .mu = 0.3}, 3},
                                       {{.kind = SetKind::SecondOrderCone, .mu = 0.8}, 4},
                                       {{.kind = SetKind::Box, .lower = -0.5, .upper = 1.0}, 1},
                                       {{.kind = SetKind::Free}, 2},
                                       {{.kind = SetKind::Rolling, .mu = 0.4, .rolling = 0.4, .spinning = 0.4}, 6},
                                       {{.kind = SetKind::Rolling, .mu = 0.0, .rolling = 0.2}, 3}};
    const Index n = 21;
    const Eigen::MatrixXd W = problems::random_spd(n, 0.5, random);
    Eigen::VectorXd q(n), r(n), u(n);
    for (Index i = 0; i < n; ++i) {
      q[i] = normal(random);
      r[i] = normal(random);
    }
    const auto problem = problems::mixed_from_dense(W, q, blocks);
    const auto certificate = mixed::certify(problem, r, u);
    double worst = 0.0;
    for (Index b = 0; b < problem.K.num_blocks(); ++b) {
      const Index offset = problem.K.offset(b), size = problem.K.size(b);
      const double rho = static_cast<double>(size) / W.block(offset, offset, size, size).trace();
      Eigen::VectorXd error(size);
      natural_error(problem.K[b], rho, r.segment(offset, size), u.segment(offset, size), error);
      worst = std::max(worst, error.cwiseAbs().maxCoeff());
      const SetKind kind = problem.K[b].kind;  // and how far û is outside K*, or off its boundary beside a force
      double opening = 0.0;
      if (kind == SetKind::Coulomb2D || kind == SetKind::Coulomb3D || kind == SetKind::Rolling) opening = u[offset];
      if (kind == SetKind::SecondOrderCone) {
        const double mu = problem.K[b].mu;
        const double tangential = u.segment(offset + 1, size - 1).norm();
        opening = (u[offset] - mu * tangential) / std::hypot(1.0, mu);
        if (tangential <= -mu * u[offset]) opening = -u.segment(offset, size).norm();  // the apex is nearest
      }
      const double force = r.segment(offset, size).cwiseAbs().maxCoeff();
      worst = std::max(worst, opening < 0.0 ? -opening : std::min(opening, force / rho));
    }
    // Both evaluate a projection of numbers of order |u| + |r| / rho <= 100 in a few roundings.
    EXPECT_NEAR(certificate.error, worst, 100.0 * 16.0 * eps);
    EXPECT_EQ(certificate.scale, q.cwiseAbs().maxCoeff());
  }
}

TEST(MixedCertificate, TheUniformKernelsAgreeWithTheGeneralPath) {
  // The same contacts, once alone (2 x 2 kernel), once beside a decoupled satisfied row (general path).
  const auto pile = problems::disk_pile(3, 3, 0.4);
  const Index n = pile.W.rows();
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  Eigen::VectorXd r(n + 1), u(n), v(n + 1);
  for (Index i = 0; i < n; ++i) r[i] = normal(random);
  r[n] = 0.0;
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(n + 1, n + 1);
  W.topLeftCorner(n, n) = pile.W.to_dense();
  Eigen::VectorXd q(n + 1);
  q << pile.q, 0.0;
  std::vector<Block> blocks(static_cast<std::size_t>(n / 2), Block{{.kind = SetKind::Coulomb2D, .mu = 0.4}, 2});
  blocks.push_back({{}, 1});
  const auto first = mixed::certify(pile, r.head(n), u);
  const auto second = mixed::certify(problems::mixed_from_dense(W, q, blocks), r, v);
  EXPECT_NEAR(first.error, second.error, first.round_off);
  EXPECT_EQ(first.worst_row, second.worst_row);
  EXPECT_LE((u - v.head(n)).cwiseAbs().maxCoeff(), first.round_off);
}

TEST(MixedCertificate, TheKernelOfContactsInSpaceAgreesWithTheGeneralPath) {
  // The same contacts, alone (3 x 3 kernel) and beside a decoupled satisfied row (general path): far from a solution,
  // and at one, where rounding may hide errors.
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  constexpr Index contacts = 12, n = 3 * contacts;
  std::vector<Block> blocks;
  for (Index i = 0; i < contacts; ++i)
    blocks.push_back({{.kind = SetKind::Coulomb3D, .mu = std::pow(10.0, normal(random))}, 3});
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(n + 1, n + 1);
  W.topLeftCorner(n, n) = problems::random_spd(n, 0.5, random);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(n + 1), r = Eigen::VectorXd::Zero(n + 1), u(n), v(n + 1);
  for (Index i = 0; i < n; ++i) q[i] = normal(random), r[i] = normal(random);
  const auto alone = problems::mixed_from_dense(W.topLeftCorner(n, n), q.head(n), blocks);
  blocks.push_back({{}, 1});
  const auto beside = problems::mixed_from_dense(W, q, blocks);
  const auto answer = friction::solve(alone, friction::Automatic{});
  ASSERT_TRUE(answer.ok()) << answer.message();
  const std::vector<Eigen::VectorXd> points{r.head(n), answer.r, 1e12 * answer.r};
  for (const Eigen::VectorXd& at : points) {
    r.head(n) = at;
    const auto first = mixed::certify(alone, at, u), second = mixed::certify(beside, r, v);
    EXPECT_EQ(u, v.head(n));  // sums in the same order
    EXPECT_EQ(first.error, second.error);
    EXPECT_EQ(first.worst_row, second.worst_row);
    EXPECT_EQ(first.row_residual, second.row_residual);
    EXPECT_EQ(first.scale, second.scale);
  }
}

TEST(MixedCertificate, NoticesNanAndTakesAFloor) {
  const auto problem =
      problems::mixed_from_dense(Eigen::Matrix2d::Identity(), Eigen::Vector2d(1e-3, 2e-3), {{{}, 1}, {{}, 1}});
  Eigen::VectorXd u(2);
  EXPECT_TRUE(std::isnan(mixed::certify(problem, Eigen::Vector2d(0.0, std::nan("")), u).residual));
  EXPECT_EQ(mixed::certify(problem, Eigen::Vector2d(1.0, 0.0), u, 10.0).scale, 10.0);
  EXPECT_EQ(mixed::certify(problem, Eigen::Vector2d(0.0, 0.0), u).residual, 0.0);
}

TEST(FrictionFigures, ArePinnedOnOneContactByHand) {
  Eigen::Matrix2d W = Eigen::Matrix2d::Identity();
  const auto problem =
      problems::mixed_from_dense(W, Eigen::Vector2d(3.0, 4.0), {{{.kind = SetKind::Coulomb2D, .mu = 0.5}, 2}});
  // r = (1, 1) leaves the cone by 1 - 0.5; u = (-0.5, 2): û = (0.5, 2), r·û = 2.5; z = r - û = (0.5, -1) projects on
  // the edge (1, -1/2): P = (0.5 + 0.5) / 1.25 (1, -1/2) = (0.8, -0.4), r - P = (0.2, 1.4), |.| = sqrt(2), |q| = 5.
  const auto figures = mixed::friction_figures(problem, Eigen::Vector2d(1.0, 1.0), Eigen::Vector2d(-0.5, 2.0));
  EXPECT_NEAR(figures.natural_map, std::sqrt(2.0) / 5.0, 4.0 * eps);
  EXPECT_NEAR(figures.cone_violation, 0.5, 2.0 * eps);
  EXPECT_NEAR(figures.complementarity, 2.5, 4.0 * eps);
  EXPECT_EQ(figures.penetration, 0.5);
  const auto none = problems::mixed_from_dense(W, Eigen::Vector2d(3.0, 4.0), {{{}, 2}});
  EXPECT_TRUE(std::isnan(mixed::friction_figures(none, Eigen::Vector2d(0, 0), Eigen::Vector2d(3, 4)).natural_map));
}

/// Blocks in units of their own, the certificate by the scaled copy of the problem, the figure by natural_error() and
/// half the opening.
TEST(MixedCertificate, InOtherUnitsIsThatOfTheScaledCopy) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  const std::vector<Block> blocks = {
      {{.kind = SetKind::Coulomb3D, .mu = 0.3, .mu_2 = 0.1}, 3},
      {{.kind = SetKind::Coulomb2D, .mu = 0.5, .cohesion = 0.2}, 2},
      {{.kind = SetKind::Rolling, .mu = 0.5, .rolling = 0.1, .spinning = 0.2, .cohesion = 0.3}, 6},
      {{.kind = SetKind::Coulomb3D, .mu = 0.3}, 3},
      {{}, 2},
      {{.kind = SetKind::Box, .lower = -0.5, .upper = 1.0, .unit = 0.2}, 1},
      {{.kind = SetKind::Box, .lower = 0.5, .unit = 3.0}, 1}};
  const Index n = 18;
  for (int trial = 0; trial < 50; ++trial) {
    Eigen::MatrixXd W = problems::random_spd(n, 0.5, random);
    if (trial % 5 == 0) W.diagonal().head(3).setConstant(-1.0);  // then the largest entry is the block's scale
    Eigen::VectorXd q(n), r(n), u(n), v(n), e(n);
    for (Index i = 0; i < n; ++i) {
      q[i] = normal(random);
      r[i] = normal(random);
    }
    const auto problem = problems::mixed_from_dense(W, q, blocks);
    const auto found = mixed::certify(problem, r, u);
    const mixed::internal::CanonicalForm form(problem);
    Eigen::VectorXd scaled = r;
    form.scaling().to_canonical(scaled);
    const auto expected = mixed::certify(form.problem(), scaled, v);
    form.scaling().velocity_from_canonical(v);
    // The same sums in other orders and units: a few eps of the terms, of which round_off has 64.
    EXPECT_NEAR(found.error, expected.error, expected.round_off);
    EXPECT_NEAR(found.scale, expected.scale, expected.round_off);
    EXPECT_NEAR(found.round_off, expected.round_off, 32.0 * eps * expected.round_off);
    EXPECT_EQ(found.worst_row, expected.worst_row);
    EXPECT_LE((u - v).cwiseAbs().maxCoeff(), 10.0 * expected.round_off);  // D^-1 is at most 5
    double square = 0.0;
    for (Index b = 0; b < problem.K.num_blocks(); ++b) {
      const Index o = problem.K.offset(b), size = problem.K.size(b);
      natural_error(problem.K[b], 1.0, r.segment(o, size), u.segment(o, size), e.segment(o, size));
      const double gap = std::min(u[o], scaled.segment(o, size).cwiseAbs().maxCoeff());  // opens under a force
      const bool by_rows = problem.K[b].kind == SetKind::Orthant || problem.K[b].kind == SetKind::Box;
      const double opening = by_rows ? 0.0 : 0.5 * (u[o] < 0.0 ? -u[o] : gap);
      square += std::max(e.segment(o, size).squaredNorm(), opening * opening);
    }
    // Rounding in some 16 terms of order 1 to 10 over |q| of order 4.
    EXPECT_NEAR(mixed::friction_figures(problem, r, u).natural_map, std::sqrt(square) / q.norm(), 256.0 * eps);
  }
}

/// A soft spring, u = (w + c) r + v c with c = 1e6 w, beside a contact: with the unit w / (w + c) the scale is that of
/// w v and the contact's q, not of c v.
TEST(MixedCertificate, ABoxCountsInItsUnit) {
  const double w = 0.5, c = 1e6 * w, v = 2.0, gap = -1e-3;
  const Eigen::Matrix2d W = (Eigen::Matrix2d() << w + c, 0.1, 0.1, w).finished();
  const Eigen::Vector2d q(v * c, gap);
  Eigen::VectorXd u(2);
  const auto scale = [&](double unit) {
    const auto problem = problems::mixed_from_dense(W, q, {{{.kind = SetKind::Box, .unit = unit}, 1}, {{}, 1}});
    return mixed::certify(problem, Eigen::Vector2d(-v, 0.0), u).scale;
  };
  EXPECT_EQ(scale(1.0), v * c);
  const double unit = w / (w + c);
  EXPECT_NEAR(scale(unit), unit * v * c, 4.0 * eps * v);
  EXPECT_LT(scale(unit), 1.001 * w * v);
  // The answer is the same: r = -q / W of the spring alone, then the contact's.
  const auto problem = problems::mixed_from_dense(W, q, {{{.kind = SetKind::Box, .unit = unit}, 1}, {{}, 1}});
  const mixed::Result found = mixed::solve(problem, mixed::Automatic{.tolerance = 1e-12});
  ASSERT_TRUE(found) << found.message();
  const Eigen::Vector2d exact = W.partialPivLu().solve(-q);  // both press or pull: no bound is met
  ASSERT_GT(exact[1], 0.0);
  EXPECT_LE((found.r - exact).cwiseAbs().maxCoeff(), 1e-12 * exact.cwiseAbs().maxCoeff());
}

// A contact without friction that separates, at rest along the plane: the apex, although 0 <= 0 * (-1) holds too.
TEST(MixedCertificate, WithoutApertureASeparatingContactIsSolvedByZero) {
  for (const SetKind kind :
       {SetKind::SecondOrderCone, SetKind::Coulomb2D, SetKind::Coulomb3D, SetKind::DruckerPrager}) {
    const Index n = kind == SetKind::Coulomb2D ? 2 : 3;
    mixed::Problem problem;
    problem.W.begin_pattern({n});
    problem.W.next_row();
    problem.W.end_pattern();
    problem.W.block(0, 0).setIdentity();
    problem.q = Eigen::VectorXd::Unit(n, 0);
    problem.K.push_back({.kind = kind, .mu = 0.0}, n);
    Eigen::VectorXd u(n);
    EXPECT_EQ(mixed::certify(problem, Eigen::VectorXd::Zero(n), u).residual, 0.0);
    const mixed::Result result = mixed::solve(problem);
    EXPECT_EQ(result.status, Status::Solved) << result.message();
    EXPECT_EQ(Eigen::VectorXd(result.r), Eigen::VectorXd::Zero(n));
  }
}

// Not a number in any row is the worst error, wherever it stands: in blocks of rows, of planar and of spatial contacts.
TEST(MixedCertificate, KeepsWhatIsNotANumber) {
  for (const SetKind kind : {SetKind::Orthant, SetKind::Coulomb2D, SetKind::Coulomb3D}) {
    const Index size = kind == SetKind::Orthant ? 1 : kind == SetKind::Coulomb2D ? 2 : 3;
    const BlockSet set{.kind = kind, .mu = kind == SetKind::Orthant ? 0.0 : 0.5};
    const auto problem =
        problems::mixed_from_dense(Eigen::MatrixXd::Identity(3 * size, 3 * size), -Eigen::VectorXd::Ones(3 * size),
                                   {{set, size}, {set, size}, {set, size}});
    for (Index row = 0; row < 3 * size; ++row) {
      Eigen::VectorXd r = Eigen::VectorXd::Ones(3 * size), u(3 * size);
      r[row] = std::numeric_limits<double>::quiet_NaN();
      EXPECT_TRUE(std::isnan(mixed::certify(problem, r, u).residual)) << static_cast<int>(kind) << ' ' << row;
    }
  }
}

}  // namespace
}  // namespace nonsmooth::certificate_test
