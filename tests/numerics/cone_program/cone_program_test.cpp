// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include <Eigen/Geometry>

#include <nonsmooth/numerics/cone_program.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/qp.hpp>

#include <problems/cone_program.hpp>
#include <problems/lcp.hpp>
#include <problems/qp.hpp>

namespace nonsmooth::cone_program_test {
namespace {

using cone_program::Problem;
using cone_program::Result;
using Vector = Eigen::VectorXd;

Eigen::SparseMatrix<double> sparse(const Eigen::MatrixXd& matrix) { return matrix.sparseView(); }

/// max a^T x, |x| <= radius: -radius |a| at radius a / |a|.
Problem ball(const Vector& a, double radius) {
  const Index n = a.size();
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(n + 1, n);
  G.bottomRows(n) = -Eigen::MatrixXd::Identity(n, n);
  Vector h = Vector::Zero(n + 1);
  h[0] = radius;
  return {.c = -a, .G = sparse(G), .h = h, .cones = {n + 1}};
}

TEST(ConeProgram, BallHasItsClosedForm) {
  std::mt19937_64 random(1);
  for (Index n = 1; n <= 12; ++n) {
    const Vector a = problems::normal_matrix(random, n, 1);
    const Result result = cone_program::solve(ball(a, 3.0));
    ASSERT_TRUE(result.ok()) << n << ": " << result.message();
    // A gap of 1e-8 |a| on a ball: the chord is sqrt(2 gap / |a|) = 1.4e-4,
    // times a few for the scale of the gap.
    EXPECT_NEAR(result.figures.value, -3.0 * a.norm(), 1e-6 * a.norm());
    EXPECT_LE((result.x - 3.0 * a / a.norm()).norm(), 2e-3);
  }
}

TEST(ConeProgram, NormsAgreeWithLeastSquares) {
  std::mt19937_64 random(2);
  for (Index n = 1; n <= 8; ++n) {
    const Index k = n + 3;
    const Eigen::MatrixXd F = problems::normal_matrix(random, k, n);
    const Vector f = problems::normal_matrix(random, k, 1);
    // min t, |F x - f| <= t, unknowns (x, t).
    Eigen::MatrixXd G = Eigen::MatrixXd::Zero(k + 1, n + 1);
    G(0, n) = -1.0;
    G.bottomLeftCorner(k, n) = F;
    Vector h = Vector::Zero(k + 1);
    h.tail(k) = f;
    Vector c = Vector::Zero(n + 1);
    c[n] = 1.0;
    const Result result = cone_program::solve(Problem{.c = c, .G = sparse(G), .h = h, .cones = {k + 1}});
    ASSERT_TRUE(result.ok()) << n << ": " << result.message();
    const qp::Result squares = qp::solve(qp::Problem{.Q = F.transpose() * F, .c = -F.transpose() * f});
    ASSERT_TRUE(squares.ok());
    const double least = (F * squares.x - f).norm();
    EXPECT_NEAR(result.figures.value, least, 1e-6 * least) << n;
  }
}

TEST(ConeProgramCertificate, AgreesWithIndependentArithmetic) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const problems::ConeProgram one = problems::planted_cone_program(
        {.n = 4 + Index(seed % 7), .equations = Index(seed % 3), .orthant = 3, .cones = {3, 4, 5}}, seed);
    Vector s(one.z.size());
    // Sums of at most 20 terms of size 10 round by some 1e-14, scales are above 1e-1.
    EXPECT_LE(cone_program::certify(one.problem, one.x, one.y, one.z, s).residual, 1e-13);
    std::mt19937_64 random(seed);
    for (const double size : {1.0, 1e-3, 1e-6}) {
      const auto moved = [&](const Vector& v) {
        return Vector(v + size * problems::normal_matrix(random, v.size(), 1));
      };
      const Vector x = moved(one.x), y = moved(one.y), z = moved(one.z);
      const double expected = problems::independent_residual(one.problem, x, y, z);
      EXPECT_NEAR(cone_program::certify(one.problem, x, y, z, s).residual, expected, 1e-11 * std::max(1.0, expected));
    }
  }
}

/// The fingers of a grasp carry its weight and moment with what friction allows, none presses harder than t, and one
/// presses as hard: else t could be less.
TEST(ConeProgram, GraspsAreInBalanceAndNoneIsLooser) {
  for (const Index fingers : {4, 10, 50}) {
    const Problem problem = problems::grasp(fingers, 3);
    const Result result = cone_program::solve(problem);
    ASSERT_TRUE(result.ok()) << fingers << ": " << result.message();
    EXPECT_LE((problem.A * result.x - problem.b).norm(), 1e-7);
    double most = 0.0;
    for (Index i = 0; i < fingers; ++i) {
      const auto f = Vector(result.x.segment(1 + 3 * i, 3));
      most = std::max(most, f[0]);
      // A primal error of 1e-8 of terms of about 1.
      EXPECT_LE(f.tail(2).norm(), 0.5 * f[0] + 1e-7);
    }
    // A gap of 1e-8 relative to terms of up to the number of fingers.
    EXPECT_NEAR(most, result.x[0], 1e-6 * result.x[0] * static_cast<double>(fingers));
    EXPECT_GT(result.x[0], 0.0);
  }
}

/// Three fingers at equal angles about an upright cylinder press with N_i and rub with (T_i, V_i) against its weight of
/// 4.905 and a pull of H: min t under t >= N_i, (0.4 N_i, T_i, V_i) in the cone, balance of forces and moments.
Problem three_fingers(double H, double direction) {
  std::vector<Eigen::Triplet<double>> A, G;
  for (int i = 0; i < 3; ++i) {
    const double angle = 2.0 * M_PI * i / 3.0;
    const Eigen::Vector3d out(std::cos(angle), std::sin(angle), 0.0), up = Eigen::Vector3d::UnitZ();
    const Eigen::Vector3d axes[] = {-out, up.cross(out), up};
    for (int k = 0; k < 3; ++k) {
      for (int row = 0; row < 3; ++row) {
        A.emplace_back(row, 3 * i + k, axes[k][row]);
        A.emplace_back(3 + row, 3 * i + k, out.cross(axes[k])[row]);
      }
      G.emplace_back(3 + 3 * i + k, 3 * i + k, k == 0 ? -0.4 : -1.0);
    }
    G.emplace_back(i, 3 * i, 1.0);
    G.emplace_back(i, 9, -1.0);
  }
  Problem problem{.c = Vector::Unit(10, 9),
                  .A = Eigen::SparseMatrix<double>(6, 10),
                  .b = Vector{{-H * std::cos(direction), -H * std::sin(direction), 4.905, 0, 0, 0}},
                  .G = Eigen::SparseMatrix<double>(12, 10),
                  .h = Vector::Zero(12),
                  .orthant = 3,
                  .cones = {3, 3, 3}};
  problem.A.setFromTriplets(A.begin(), A.end());
  problem.G.setFromTriplets(G.begin(), G.end());
  return problem;
}

/// Several fingers at their limits at once: s and z of their cones are both at the boundary, where W^2 has no digits
/// left and pivots of the Newton system cancel.
TEST(ConeProgram, FingersAtTheirLimitsAtOnceAreHeld) {
  for (const double H : {0.0, 1.0, 2.0, 4.0, 6.0, 6.5, 7.0, 8.0}) {
    for (int degrees = 0; degrees < 360; degrees += 20) {
      const Result result =
          cone_program::solve(three_fingers(H, degrees * M_PI / 180.0), cone_program::InteriorPoint{});
      EXPECT_TRUE(result.ok()) << H << " N at " << degrees << " degrees: " << result.message();
    }
  }
}

TEST(ConeProgramCertificate, SeesTheRowsThatTheGapDoesNot) {
  // min 1e9 x + 1e-9 y, x, y >= 1. At (1, 4e8) with the right multipliers the gap is 0.4 of 1e9, and row 1 off by all
  // that it has: s = 4e8 - 1 of terms of 4e8 + 1, z = 1e-9 of 2e-9 in the dual equation.
  const Problem problem{
      .c = Vector{{1e9, 1e-9}}, .G = sparse(Eigen::MatrixXd{{-1, 0}, {0, -1}}), .h = Vector{{-1, -1}}, .orthant = 2};
  Vector s(2);
  cone_program::Figures figures;
  const Certificate certificate =
      cone_program::certify(problem, Vector{{1, 4e8}}, Vector(), Vector{{1e9, 1e-9}}, s, &figures);
  EXPECT_LE(certificate.residual, 1e-9);
  EXPECT_NEAR(figures.complementarity, 0.5, 1e-6);
  for (const double unit : {0x1p-20, 0x1p20}) {  // of y, so that nothing is rounded
    Problem other = problem;
    other.c[1] /= unit;
    other.G.coeffRef(1, 1) /= unit;
    cone_program::Figures same;
    static_cast<void>(cone_program::certify(other, Vector{{1, 4e8 * unit}}, Vector(), Vector{{1e9, 1e-9}}, s, &same));
    EXPECT_EQ(same.complementarity, figures.complementarity);
  }
  const Result result = cone_program::solve(problem);
  ASSERT_TRUE(result.ok()) << result.message();
  // The residual would let y be 4e8, but not a dual equation of y that is off by 1e-8 of its 1e-9: with it y comes.
  EXPECT_NEAR(result.x[1], 1.0, 1e-6);
  EXPECT_LE(result.figures.complementarity, 1e-6);
}

/// (1e9, 1e9, 10) is outside of its cone by (sqrt(1e18 + 100) - 1e9) / sqrt 2 = 5e-8 / sqrt 2, less than half of what
/// two doubles near 1e9 differ by, 1.2e-7. Extended precision knows it to 1e9 x 1.1e-19 x some roundings, 1 % of it.
TEST(ConeProgramCertificate, LargeVectorsNextToTheBoundaryAreOutside) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "long double has no more digits than double";
  const double off = 5e-8 / std::sqrt(2.0);
  const Problem problem{.c = Vector{{1.0, -1.0, 0.0}},
                        .G = sparse(-Eigen::MatrixXd::Identity(3, 3)),
                        .h = Vector{{0, 0, 10}},
                        .cones = {3}};
  Vector s(3);
  cone_program::Figures figures;
  static_cast<void>(cone_program::certify(problem, Vector{{1e9, 1e9, 0.0}}, Vector(), problem.c, s, &figures));
  EXPECT_NEAR(figures.primal, off / 10.0, 0.01 * off / 10.0);  // over |h|
  Problem large = problem;                                     // z = c leaves no slope
  large.c = Vector{{1e9, 1e9, 10.0}};
  static_cast<void>(cone_program::certify(large, Vector{{1.0, 0.0, 0.0}}, Vector(), large.c, s, &figures));
  EXPECT_NEAR(figures.dual, off / 1e9, 0.01 * off / 1e9);  // over |c|
}

TEST(ConeProgram, LargeConesThatXIsFarFromHideNoError) {
  // min x, 1 <= x <= 1e11: at x = 0 the error is 1 of the h = -1 that is violated.
  const Problem problem{
      .c = Vector{{1}}, .G = sparse(Eigen::MatrixXd{{-1}, {1}}), .h = Vector{{-1, 1e11}}, .orthant = 2};
  Vector s(2);
  cone_program::Figures figures;
  static_cast<void>(cone_program::certify(problem, Vector{{0}}, Vector(), Vector{{1, 0}}, s, &figures));
  EXPECT_EQ(figures.primal, 1.0);
  static_cast<void>(cone_program::certify(problem, Vector{{0.5}}, Vector(), Vector{{1, 0}}, s, &figures));
  EXPECT_EQ(figures.primal, 0.5);
  const Result result = cone_program::solve(problem);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_NEAR(result.x[0], 1.0, 1e-6);
}

/// x >= (large, 1) at (large, 1/2): the second row is off by a third of its terms, whatever the first is, and in any
/// unit of rows, unknowns and objective.
TEST(ConeProgramCertificate, LargeRowsThatXIsAtHideNoError) {
  for (const double unit : {1e-6, 1.0, 1e9}) {
    const Eigen::MatrixXd G{{-1.0, 0.0}, {0.0, -unit}};
    const Problem rows{.c = Vector{{1.0, 1.0}}, .G = sparse(G), .h = Vector{{-1e12, -unit}}, .orthant = 2};
    Vector s(2);
    cone_program::Figures figures;
    const Certificate certificate =
        cone_program::certify(rows, Vector{{1e12, 0.5}}, Vector(), Vector{{1.0, 1.0 / unit}}, s, &figures);
    EXPECT_NEAR(figures.primal, 1.0 / 3.0, 1e-15);
    EXPECT_EQ(certificate.residual, figures.primal);
    EXPECT_EQ(certificate.worst_row, 1);
    EXPECT_LE(figures.dual, 1e-15);
    // The same as equations A x = b, and turned into slopes: c = (1e12, 1) and z = (1e12, 1/2).
    const Problem equations{.c = Vector{{1.0, 1.0}}, .A = rows.G, .b = rows.h};
    Vector none(0);
    static_cast<void>(
        cone_program::certify(equations, Vector{{1e12, 0.5}}, Vector{{1.0, 1.0 / unit}}, Vector(), none, &figures));
    EXPECT_NEAR(figures.primal, 1.0 / 3.0, 1e-15);
    const Problem slopes{.c = Vector{{1e12, unit}}, .G = sparse(G), .h = Vector{{-1.0, -1.0}}, .orthant = 2};
    static_cast<void>(
        cone_program::certify(slopes, Vector{{1.0, 1.0 / unit}}, Vector(), Vector{{1e12, 0.5}}, s, &figures));
    EXPECT_NEAR(figures.dual, 1.0 / 3.0, 1e-15);
    EXPECT_LE(figures.primal, 1e-15);
  }
}

/// Rows with h = 0 are compared with what the data say of their unknowns: x2 >= x3 is off by 1/2, x2 and x3 about 1.
TEST(ConeProgramCertificate, RowsWithoutARightHandSideAreSeenBesideLargeOnes) {
  const Eigen::MatrixXd G{{-1.0, 0.0, 0.0}, {0.0, -1.0, 1.0}, {0.0, 0.0, -1.0}};
  const Problem problem{.c = Vector{{1.0, 1.0, 1.0}}, .G = sparse(G), .h = Vector{{-1e12, 0.0, -1.0}}, .orthant = 3};
  Vector s(3);
  cone_program::Figures figures;
  static_cast<void>(
      cone_program::certify(problem, Vector{{1e12, 0.5, 1.0}}, Vector(), Vector{{1.0, 1.0, 2.0}}, s, &figures));
  EXPECT_NEAR(figures.primal, 0.5 / (1.0 + 1.5), 1e-15);
}

/// min x2, x2 >= 0, x1 <= 1 and x1 >= 1: multipliers L of the last two cancel. At (1, 1) the gap is 1 of |c||x| = 1,
/// and of 1 from each row, whose multiplier c asks to be 1 at most.
TEST(ConeProgramCertificate, MultipliersThatCancelHideNoGap) {
  const Eigen::MatrixXd G{{0.0, -1.0}, {1.0, 0.0}, {-1.0, 0.0}};
  const Problem problem{.c = Vector{{0.0, 1.0}}, .G = sparse(G), .h = Vector{{0.0, 1.0, -1.0}}, .orthant = 3};
  for (const double L : {1.0, 1e6, 1e10, 1e24}) {
    Vector s(3);
    const Vector z{{1.0, L, L}};
    EXPECT_EQ(cone_program::certify(problem, Vector{{1, 1}}, Vector(), z, s).residual, 1.0 / 3.0) << L;
    EXPECT_EQ(cone_program::certify(problem, Vector{{1, 0}}, Vector(), z, s).residual, 0.0) << L;
    EXPECT_NEAR(problems::independent_residual(problem, Vector{{1, 1}}, Vector(), z), 1.0 / 3.0, 1e-15) << L;
  }
}

TEST(ConeProgram, SolvedHoldsForSmallRowsBesideLargeOnes) {
  for (const double large : {1e3, 1e6, 1e9, 1e12}) {
    const Problem problem{.c = Vector{{1.0 / large, 1.0 / large}},
                          .G = sparse(-Eigen::MatrixXd::Identity(2, 2)),
                          .h = Vector{{-large, -1.0}},
                          .orthant = 2};
    for (const cone_program::Entry& entry : cone_program::registry()) {
      const Result result = entry.solver.solve(problem, Limits{.tolerance = 1e-8});
      EXPECT_TRUE(result.ok() || large > 1e9 || entry.name == "admm") << large << ' ' << result.message();
      // An error of 1e-8 of the terms, 1 + |x2|. At 1e12 the numbers of the Newton system differ by more than it
      // solves.
      EXPECT_TRUE(!result.ok() || result.x[1] >= 1.0 - 2.1e-8) << large << ' ' << result.message();
    }
  }
}

/// min x1, x1 - x2 <= -1, -(1 - 1e-10) x1 + x2 <= 0: (-2e10, 2e10 ...) is feasible, and x1 falls without bound,
/// although (1, 1) combines the rows to 1e-10 x1 <= -1.
TEST(ConeProgram, WhatIsInfeasibleNearTheOriginAloneIsNotCalledSo) {
  const double less = 1.0 - 1e-10;
  const Problem problem{
      .c = Vector{{1, 0}}, .G = sparse(Eigen::MatrixXd{{1, -1}, {-less, 1}}), .h = Vector{{-1, 0}}, .orthant = 2};
  EXPECT_FALSE(cone_program::proves_infeasible(problem, Vector{{1, 1}}));
  EXPECT_TRUE(cone_program::proves_unbounded(problem, Vector{{-1, -less}}));
  const Result result = cone_program::solve(problem);
  EXPECT_EQ(result.proof.size(), 0);
  EXPECT_FALSE(result.ok());
}

/// The norm of a small z underflows in squares: it is outside of its cone all the same.
TEST(ConeProgram, SmallVectorsAreInsideOfConesAsLargeOnesAre) {
  const Problem problem{.c = Vector{{1}}, .G = sparse(Eigen::MatrixXd{{0}, {0}}), .h = Vector{{2, 1}}, .cones = {2}};
  EXPECT_FALSE(cone_program::proves_infeasible(problem, Vector{{0, -1e-200}}));
}

TEST(ConeProgram, InfeasibleIsProven) {
  std::mt19937_64 random(3);
  for (Index n = 1; n <= 8; ++n) {
    // |x| <= 1, a^T x >= 2 |a|.
    const Vector a = problems::normal_matrix(random, n, 1);
    Problem problem = ball(a, 1.0);
    Eigen::MatrixXd G(n + 2, n);
    G << -a.transpose(), Eigen::MatrixXd(problem.G);
    Vector h(n + 2);
    h << -2.0 * a.norm(), problem.h;
    problem.G = sparse(G);
    problem.h = h;
    problem.orthant = 1;
    const Result result = cone_program::solve(problem);
    ASSERT_EQ(result.status, Status::Infeasible) << n << ": " << result.message();
    EXPECT_FALSE(result.unbounded());
    EXPECT_TRUE(cone_program::proves_infeasible(problem, result.proof));
    EXPECT_FALSE(cone_program::proves_infeasible(problem, -result.proof));
    EXPECT_NE(result.message().find("1e9 of the data"), std::string::npos) << result.message();
    // The feasible one has no proof, this one least of all.
    problem.h[0] = -0.5 * a.norm();
    EXPECT_FALSE(cone_program::proves_infeasible(problem, result.proof));
  }
}

/// t <= 0 in a unit of 1 / big, x_1 >= 2, t >= |x|: multipliers (2 / big, 2), of which the first is no rounding.
TEST(ConeProgram, ProofsKeepWhatIsSmallByItsUnitAlone) {
  for (const double big : {1e10, 1e17, 1e20}) {
    const Eigen::MatrixXd G{{big, 0, 0}, {0, -1, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    const Problem problem{
        .c = Vector::Zero(3), .G = sparse(G), .h = Vector{{0, -2, 0, 0, 0}}, .orthant = 2, .cones = {3}};
    const Result result = cone_program::solve(problem, cone_program::InteriorPoint{});
    ASSERT_EQ(result.status, Status::Infeasible) << big << ": " << result.message();
    EXPECT_TRUE(cone_program::proves_infeasible(problem, result.proof)) << big;
    EXPECT_GT(result.proof[0], 0.0) << big;
  }
}

TEST(ConeProgram, UnboundedIsProven) {
  // min -t, |x| <= t: along (0, 1).
  const Problem problem{.c = Vector{{0, 0, -1}},
                        .G = sparse(Eigen::MatrixXd{{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}}),
                        .h = Vector::Zero(3),
                        .cones = {3}};
  const Result result = cone_program::solve(problem);
  ASSERT_TRUE(result.unbounded()) << result.message();
  EXPECT_TRUE(cone_program::proves_unbounded(problem, result.direction));
  EXPECT_FALSE(cone_program::proves_unbounded(problem, -result.direction));
}

// Whatever the units of the objective, of the right-hand sides and of the matrices are, x and the certificate, which
// has none, are what they are in units of 1. A gap of 1e-8 leaves x its digits but for some 1e-4, as on a ball above.
TEST(ConeProgram, UnitsFrom1e12thTo1e9AreNoMatter) {
  for (const double unit : {1e-12, 1e-6, 1e3, 1e9}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const problems::ConeProgram planted =
          problems::planted_cone_program({.n = 12, .equations = 3, .orthant = 4, .cones = {3, 4, 5}}, seed);
      for (const int what : {0, 1, 2, 3}) {
        Problem scaled = planted.problem;
        double x = 1.0;
        if (what == 0 || what == 3) scaled.c *= unit;
        if (what == 1 || what == 3) scaled.b *= unit, scaled.h *= unit, x *= unit;
        if (what == 2 || what == 3) scaled.A *= unit, scaled.G *= unit, x /= unit;
        const Result interior = cone_program::solve(scaled, cone_program::InteriorPoint{});
        EXPECT_LE(interior.certificate.residual, 1e-7) << unit << " of " << what << ", seed " << seed;
        const Result result = cone_program::solve(scaled);
        ASSERT_TRUE(result.ok()) << unit << " of " << what << ", seed " << seed << ": " << result.message();
        const double value = scaled.c.dot(x * planted.x), terms = scaled.c.norm() * x * planted.x.norm();
        EXPECT_NEAR(result.figures.value, value, 1e-6 * terms) << unit << " of " << what << ", seed " << seed;
        EXPECT_NEAR(problems::independent_residual(scaled, result.x, result.y, result.z), result.certificate.residual,
                    1e-9);
      }
    }
  }
}

TEST(ConeProgramAdmm, ReachesWhatInteriorPointsDo) {
  for (const Index n : {20, 60}) {
    const problems::ConeProgram one = problems::planted_cone_program(
        {.n = n, .equations = n / 4, .orthant = n / 2, .cones = {n / 4, 3, 3, 3, n / 5}}, 7);
    const Result exact = cone_program::solve(one.problem),
                 split = cone_program::solve(one.problem, cone_program::Admm{});
    ASSERT_TRUE(exact.ok()) << n << ": " << exact.message();
    ASSERT_TRUE(split.ok()) << n << ": " << split.message();
    // The gap of the splitting is 1e-6 of its terms, |c||x| and their like: some n of size 10.
    EXPECT_NEAR(split.figures.value, exact.figures.value, 1e-5 * double(10 * n));
  }
}

TEST(ConeProgram, OptionsRefuseWhatTheyCannotMean) {
  const Problem good = ball(Vector::Ones(2), 1.0);
  const auto refused = [&](const auto& options, std::string_view argument) {
    try {
      static_cast<void>(cone_program::solve(good, options));
      ADD_FAILURE() << "not refused: " << argument;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.argument(), argument) << error.what();
    }
  };
  refused(cone_program::InteriorPoint{.tolerance = 0.0}, "cone_program::InteriorPoint::tolerance");
  refused(cone_program::InteriorPoint{.max_steps = 0}, "cone_program::InteriorPoint::max_steps");
  refused(cone_program::Admm{.tolerance = -1.0}, "cone_program::Admm::tolerance");
  refused(cone_program::Admm{.max_iterations = 0}, "cone_program::Admm::max_iterations");
  refused(cone_program::Automatic{.max_iterations = -1}, "cone_program::Automatic::max_iterations");
  refused(cone_program::Automatic{.time_limit = 0.0}, "cone_program::Automatic::time_limit");
}

/// Multipliers that come to 0 have errors of their own size: without c the certificate would never see them vanish.
TEST(ConeProgramInteriorPoint, WithoutAnObjectiveAFeasiblePointSolves) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Problem problem =
        problems::planted_cone_program({.n = 6, .equations = 1, .orthant = 4, .cones = {3, 2}}, seed).problem;
    problem.c.setZero();
    const Result result = cone_program::solve(problem, cone_program::InteriorPoint{});
    ASSERT_TRUE(result.ok()) << seed << ": " << result.message();
    EXPECT_TRUE(result.z.isZero(0.0) && result.y.isZero(0.0));
  }
}

// min x_1 with x_2 = x_3 and x_1 + x_2 - x_3 >= 0 has the least value 0; (-1e-9, 1, 1) is off by 1e-9 of its terms in
// the second row, and falls by no more than taking that away costs.
TEST(ConeProgram, ADirectionThatFallsByItsErrorsAloneProvesNothing) {
  Problem problem;
  problem.c = Eigen::VectorXd::Unit(5, 0);
  problem.A = Eigen::RowVectorXd{{0.0, 1.0, -1.0, 0.0, 0.0}}.sparseView();
  problem.b = Eigen::VectorXd::Zero(1);
  problem.G =
      Eigen::MatrixXd{{-1.0, -1.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 0.0, -1.0, 0.0}, {0.0, 0.0, 0.0, 0.0, -1.0}}.sparseView();
  problem.h = Eigen::VectorXd::Zero(3);
  problem.orthant = 1;
  problem.cones = {2};
  Eigen::VectorXd d(5);
  d << -1e-9, 1.0, 1.0, 0.0, 0.0;
  EXPECT_FALSE(proves_unbounded(problem, d));
  d << -1.0, 1.0, 0.0, 0.0, 0.0;  // off by all of x_2
  EXPECT_FALSE(proves_unbounded(problem, d));
}

}  // namespace
}  // namespace nonsmooth::cone_program_test
