// SPDX-License-Identifier: Apache-2.0
// The certificate of variational inequalities: units, short sets, points near infinity, what callables change.
#include <nonsmooth/numerics/vi.hpp>

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <problems/vi.hpp>

namespace nonsmooth::vi_certificate_test {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using problems::SetOf;

TEST(ViCertificate, UnitsOfFAndOfXDoNotMatter) {
  const problems::Vi vi = problems::planted_vi(SetOf::Box, 5, 2, false);
  const VectorXd x = vi.x.array() + 0.01;
  VectorXd w(5);
  const Certificate one = vi::certify(vi.problem, x, w);
  EXPECT_GT(one.residual, 1e-4);
  vi::Problem other = vi.problem;
  const NonlinearMap F = vi.problem.F;
  other.F.value = [F](ConstVectorRef y, VectorRef f) {
    F.value(y, f);
    f *= 1024.0;
  };
  EXPECT_NEAR(vi::certify(other, x, w).residual, one.residual, 1e-14);
  EXPECT_EQ(vi::certify(vi.problem, vi.x, w).residual <= 1e-14, true);
}

TEST(ViCertificate, AForceThatHardlyVariesEndsAtTheRightEnd) {
  // F < 0 on [0, l]: the solution is l. With 1/rho = 1e-3 |F| / l, e = (0 - l) / rho at 0 is 1e-3 of the scale.
  for (const auto& [force, length] : {std::pair{-1e12, 1.0}, std::pair{-1.0, 1e-11}}) {
    vi::Problem problem{problems::affine_map(MatrixXd{{0}}, VectorXd{{force}}),
                        vi::Box{VectorXd{{0}}, VectorXd{{length}}}};
    problem.F.sizes = VectorXd{{length}};
    VectorXd w(1);
    EXPECT_NEAR(vi::certify(problem, VectorXd{{0}}, w).residual, 1e-3, 1e-12);
    EXPECT_EQ(vi::certify(problem, VectorXd{{length}}, w).residual, 0.0);
    for (const vi::Entry& entry : vi::registry()) {
      const vi::Result result = entry.solver.solve(problem);
      ASSERT_TRUE(result.ok()) << entry.name << ": " << result.message();
      EXPECT_NEAR(result.x[0], length, 1e-7 * length) << entry.name;  // |e| = 1e-3 |F| |x - l| / l, at most 1e-10 |F|
    }
  }
  // F alike at both ends of [0, 1] and positive: 0 is the solution, 1 is none.
  NonlinearMap flat{.num_unknowns = 1, .num_values = 1};
  flat.value = [](ConstVectorRef x, VectorRef f) { f[0] = (x[0] - 0.5) * (x[0] - 0.5) + 1e-12 * x[0]; };
  const vi::Problem problem{flat, vi::Box{VectorXd{{0}}, VectorXd{{1}}}};
  VectorXd w(1);
  EXPECT_EQ(vi::certify(problem, VectorXd{{0}}, w).residual, 0.0);
  EXPECT_GT(vi::certify(problem, VectorXd{{1}}, w).residual, 0.9e-3);
}

TEST(ViCertificate, MeasuresShortSetsByTheirOwnLength) {
  // The same without sizes: x_1 is looked for once more as near as K is long, up and down.
  for (const double end : {1e-7, 1e-11, -1e-11}) {
    const vi::Box K{VectorXd{{std::min(0.0, end)}}, VectorXd{{std::max(0.0, end)}}};
    const vi::Problem problem{problems::affine_map(MatrixXd{{0}}, VectorXd{{end > 0.0 ? -1.0 : 1.0}}), K};
    VectorXd w(1);
    EXPECT_NEAR(vi::certify(problem, VectorXd{{0}}, w).residual, 1e-3, 1e-12);
    for (const vi::Entry& entry : vi::registry()) {
      const vi::Result result = entry.solver.solve(problem);
      ASSERT_TRUE(result.ok()) << entry.name << ": " << result.message();
      EXPECT_NEAR(result.x[0], end, 1e-7 * std::abs(end)) << entry.name;
      EXPECT_LE(problems::independent_residual(problem, result.x), 2e-10) << entry.name;
    }
  }
  // A set of one point, which a projection finds up to rounding alone, has no length.
  const vi::Polyhedron point{MatrixXd(0, 2), VectorXd(0), MatrixXd{{1, 0.3}, {0.2, 1}}, VectorXd{{0.1, 0.2}}};
  const vi::Result result = vi::solve({problems::affine_map(MatrixXd::Zero(2, 2), VectorXd::Ones(2)), point});
  EXPECT_TRUE(result.ok()) << result.message();
}

/// Rock, paper, scissors and more of n hands, n odd: hand i loses to the n / 2 that follow it, 1, 2, ... The one
/// equilibrium of n = 3 is to play each alike; of more it is one.
vi::Problem cyclic_game(Index n) {
  MatrixXd M = MatrixXd::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 1; k <= n / 2; ++k) {
      M(i, (i + k) % n) = double(k);
      M((i + k) % n, i) = -double(k);
    }
  }
  return {
      problems::affine_map(M, VectorXd::Zero(n)),
      vi::Polyhedron{
          .A = -MatrixXd::Identity(n, n), .b = VectorXd::Zero(n), .C = MatrixXd::Ones(1, n), .d = VectorXd::Ones(1)}};
}

TEST(ViCertificate, MeasuresSimplicesAcross) {
  // x_0 = (1, ..., 1) / n is the solution, where F is 0 up to rounding, and s is normal to K: F(x_1) is the scale.
  for (const Index n : {3, 5, 7, 9, 21}) {
    const vi::Problem game = cyclic_game(n);
    VectorXd w(n), corner = VectorXd::Zero(n), half = corner;
    corner[0] = 1.0;
    half.tail(n - 1).setConstant(1.0 / double(n - 1));
    const Certificate certificate = vi::certify(game, VectorXd::Constant(n, 1.0 / double(n)), w);
    EXPECT_LE(certificate.residual, 1e-14) << n;
    EXPECT_GT(certificate.scale, 1e-2) << n;
    for (const VectorXd& wrong : {corner, half}) EXPECT_GT(vi::certify(game, wrong, w).residual, 1e-2) << n;
    for (const vi::Entry& entry : vi::registry()) {
      const vi::Result result = entry.solver.solve(game);
      ASSERT_TRUE(result.ok()) << n << ", " << entry.name << ": " << result.message();
      EXPECT_LE(problems::independent_residual(game, result.x), 1e-9) << n << ", " << entry.name;
      // What a hand wins against x is 0 or less.
      EXPECT_LE((-result.w).maxCoeff(), 1e-9 * double(n)) << n << ", " << entry.name;
    }
  }
}

TEST(ViHyperplane, StepsBelowRoundingStaySteps) {
  // At the solution r and F(z) are rounding, and the step is no longer than r all the same.
  for (const Index n : {3, 5, 9}) {
    const vi::Result result = vi::solve(cyclic_game(n), vi::HyperplaneProjection{.tolerance = 1e-300});
    EXPECT_NE(result.status, Status::NumericalFailure) << result.message();
    EXPECT_LE((result.x.array() - 1.0 / double(n)).abs().maxCoeff(), 1e-12) << n;
  }
}

// F' = 2 on [0, 10], F = 6 at 0, which is the solution: |e| = 2 x near 0 by rho = 1/2, wherever F may not be asked.
TEST(ViCertificate, TakesTheSlopeOfFWhereFIsFinite) {
  for (const double broken : {0.05, 0.5, 5.0}) {  // the radius around 1, where F is asked first; the last leaves none
    const vi::Problem problem{{.num_unknowns = 1,
                               .num_values = 1,
                               .value =
                                   [broken](ConstVectorRef x, VectorRef f) {
                                     const bool there = std::abs(x[0] - 1.0) < broken && x[0] > 1e-4;
                                     f[0] = there ? std::numeric_limits<double>::quiet_NaN() : 2.0 * x[0] + 6.0;
                                   }},
                              vi::Box{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, 10.0)}};
    Eigen::VectorXd w(1);
    const Certificate certificate = vi::certify(problem, Eigen::VectorXd{{1e-6}}, w);
    // Without a second value 1 / rho is a thousandth of |F(0)|, and |e| that times x.
    EXPECT_NEAR(certificate.error, broken < 1.0 ? 2e-6 : 6e-9, 1e-14) << broken;
  }
}

TEST(ViCertificate, NoPointNearInfinityIsASolution) {
  // F = (1, 1) on x_1 <= 2: at x_2 = -1e20 the natural map x - P(x - F) is 0 in doubles.
  const vi::Problem problem{problems::affine_map(MatrixXd::Zero(2, 2), VectorXd::Ones(2)),
                            vi::HalfSpace{VectorXd{{1, 0}}, 2.0}};
  VectorXd w(2);
  for (const double far : {-1e16, -1e18, -1e20, -1e300})
    EXPECT_GT(vi::certify(problem, VectorXd{{far, far}}, w).residual, 1e-2) << far;
}

TEST(ViCertificate, RowsOfWhichFIsSmallShowTheirErrors) {
  // F = (1e6 (x_1 - 1/2), x_2 - 1/2) on [0, 1]^2 at (1/2, 0.6): e = (0, 0.1) of a scale of 5e5, and of at most 1/2 in
  // its own row.
  const NonlinearMap F = problems::affine_map(MatrixXd{{1e6, 0}, {0, 1}}, VectorXd{{-5e5, -0.5}});
  const vi::ConvexSet square = vi::Box{VectorXd::Zero(2), VectorXd::Ones(2)};
  VectorXd w(2);
  const VectorXd x{{0.5, 0.6}};
  const Certificate alone = vi::certify(vi::Problem{F, square}, x, w);
  EXPECT_NEAR(alone.residual, 2e-7, 1e-16);  // x - rho F rounds 0.6 at 1 / rho near 1e6
  EXPECT_NEAR(alone.row_residual, 0.2, 1e-9);
  EXPECT_EQ(alone.worst_relative_row, 1);
  // A set that couples the rows has one error for all of them.
  const vi::ConvexSet coupled = vi::Polyhedron{*square.polyhedron()};
  const Certificate together = vi::certify(vi::Problem{F, coupled}, x, w);
  EXPECT_NEAR(together.row_residual, 2e-7, 1e-12);
  const Certificate solved = vi::certify(vi::Problem{F, square}, VectorXd{{0.5, 0.5}}, w);
  EXPECT_EQ(solved.row_residual, 0.0);
  EXPECT_EQ(solved.worst_relative_row, -1);
}

TEST(ViCertificate, WhatDykstraMayBeOffByIsPartOfTheError) {
  // F = x - c: rho = 1, so that the point projected is c whatever x is.
  const VectorXd c{{2, -1}}, x{{0.5, 0.25}};
  const vi::ConvexSet K =
      vi::Intersection{{vi::Ball{VectorXd{{0, 0}}, 1.0}, vi::HalfSpace{VectorXd{{0, -1}}, 0.0}}, 1e-3};
  VectorXd w(2), z(2);
  const vi::ProjectionReport report = K.project(c, z);
  ASSERT_TRUE(report.ok());
  EXPECT_GT(report.error, 0.0);
  const Certificate certificate = vi::certify(vi::Problem{problems::affine_map(MatrixXd::Identity(2, 2), -c), K}, x, w);
  // rho is 1 to the rounding of a secant, and Dykstra's estimate moves by as much.
  EXPECT_NEAR(certificate.error, (x - z).cwiseAbs().maxCoeff() + report.error, 1e-12);
}

TEST(ViCertificate, SolvedIsWhatTheLastLookSays) {
  // F changes for good after some calls: whatever an algorithm saw before, what it returns is certified as it is now.
  Index changed = 0;
  for (const vi::Entry& entry : vi::registry()) {
    if (entry.takes == vi::Takes::AffineOnPolyhedra) continue;  // F is not
    for (Index calls = 1; calls < 40; ++calls) {
      Index count = 0;
      NonlinearMap F{.num_unknowns = 1, .num_values = 1};
      F.value = [&](ConstVectorRef x, VectorRef f) { f[0] = ++count > calls ? 1000.0 * x[0] + 700.0 : x[0] + 0.5; };
      const vi::Result result = entry.solver.solve({F, vi::Box{VectorXd{{-1}}, VectorXd{{1}}}});
      EXPECT_EQ(result.ok(), result.certificate.residual <= 1e-10) << entry.name << calls << ": " << result.message();
      if (result.reason.find("asked again") != std::string_view::npos) ++changed;
    }
  }
  EXPECT_GT(changed, 0);
}

}  // namespace
}  // namespace nonsmooth::vi_certificate_test
