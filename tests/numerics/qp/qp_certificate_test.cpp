// SPDX-License-Identifier: Apache-2.0
// What the certificate of a quadratic program says, and what is no proof.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/qp.hpp>

#include <problems/lcp.hpp>
#include <problems/qp.hpp>
#include <problems/qp_residual.hpp>

namespace nonsmooth::qp_certificate_test {
namespace {

using Vector = Eigen::VectorXd;

/// A point near the solution, with errors of all sizes.
struct Pair {
  Vector x, y;
};
Pair disturbed(const problems::Qp& qp, double size, std::mt19937_64& random) {
  return {qp.x + size * problems::normal_matrix(random, qp.x.size(), 1),
          qp.y + size * problems::normal_matrix(random, qp.y.size(), 1)};
}

TEST(QpCertificate, AgreesWithIndependentArithmetic) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const problems::Qp qp = problems::planted_qp(
        {.n = 1 + Index(seed % 9), .m = Index(seed % 7), .rank = seed % 2 ? 1 + Index(seed % 3) : -1}, seed);
    std::mt19937_64 random(seed);
    for (const double size : {1.0, 1e-3, 1e-6}) {
      const Pair at = disturbed(qp, size, random);
      Vector s(qp.x.size());
      const double expected = problems::independent_residual(qp.problem, at.x, at.y);
      const double found = qp::certify(qp.problem, at.x, at.y, s).residual;
      // Sums of at most 20 terms of size 10: the errors round by 1e-14, scales are above 1e-2.
      EXPECT_NEAR(found, expected, 1e-11 * std::max(1.0, expected)) << seed;
      EXPECT_EQ(qp::certify(problems::sparse(qp.problem), at.x, at.y, s).worst_row,
                qp::certify(qp.problem, at.x, at.y, s).worst_row);
    }
    Vector s(qp.x.size());
    EXPECT_LE(qp::certify(qp.problem, qp.x, qp.y, s).residual, 1e-13) << seed;
  }
}

TEST(QpCertificate, TellsTheGapFromTheData) {
  // min x^2 / 2, x >= 1: at x = 1 + h, y = 1 + h the dual value is y - y^2 / 2.
  const qp::Problem problem{
      .Q = Eigen::MatrixXd{{1}}, .c = Vector::Zero(1), .A = Eigen::MatrixXd{{1}}, .row_lower = Vector{{1}}};
  const double h = 0.125;
  const Vector x{{1 + h}};
  Vector s(1);
  qp::Figures figures;
  const Certificate certificate = qp::certify(problem, x, x, s, &figures);
  EXPECT_EQ(s[0], 0.0);
  EXPECT_EQ(figures.value, (1 + h) * (1 + h) / 2);
  EXPECT_EQ(figures.dual_value, (1 + h) - (1 + h) * (1 + h) / 2);
  EXPECT_EQ(figures.primal, 0.0);
  EXPECT_EQ(figures.stationarity, 0.0);
  const double size = 1 + h;  // y times its bound, more than x Q x / 2
  EXPECT_EQ(figures.gap, (1 + h) * h / size);
  EXPECT_EQ(certificate.residual, figures.gap);
  EXPECT_EQ(certificate.worst_row, 0);
}

TEST(QpCertificate, DoesNotDependOnUnits) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const problems::Qp qp = problems::planted_qp({.n = 5, .m = 4}, seed);
    std::mt19937_64 random(seed);
    const Pair at = disturbed(qp, 1e-3, random);
    Vector s(5);
    const double here = qp::certify(qp.problem, at.x, at.y, s).residual;
    // x in a unit of 1/8, the objective in 1/32, rows in 1/2: powers of 2, so that nothing is rounded.
    qp::Problem other = qp.problem;
    other.Q *= 32.0 / 64.0;
    other.c *= 32.0 / 8.0;
    other.A *= 2.0 / 8.0;
    for (Vector* rows : {&other.row_lower, &other.row_upper}) *rows *= 2.0;
    for (Vector* bounds : {&other.lower, &other.upper}) *bounds *= 8.0;
    EXPECT_EQ(qp::certify(other, 8.0 * at.x, 16.0 * at.y, s).residual, here);
  }
}

TEST(QpCertificate, LargeBoundsThatXIsFarFromHideNoError) {
  // min x^2 / 2, 1 <= x <= 1e11, as a row and as bounds: at x = 0 the error is 1 of the bound 1 that is violated.
  const qp::Problem row{.Q = Eigen::MatrixXd{{1}},
                        .c = Vector::Zero(1),
                        .A = Eigen::MatrixXd{{1}},
                        .row_lower = Vector{{1}},
                        .row_upper = Vector{{1e11}}};
  const qp::Problem bounds{
      .Q = Eigen::MatrixXd{{1}}, .c = Vector::Zero(1), .lower = Vector{{1}}, .upper = Vector{{1e11}}};
  const auto primal = [](const qp::Problem& problem, const Vector& x, const Vector& y) {
    Vector s(1);
    qp::Figures figures;
    static_cast<void>(qp::certify(problem, x, y, s, &figures));
    return figures.primal;
  };
  EXPECT_EQ(primal(row, Vector{{0}}, Vector{{0}}), 1.0);
  EXPECT_EQ(primal(row, Vector{{0.5}}, Vector{{-1}}), 0.5);  // y pushes on the bound that x is far from
  EXPECT_EQ(primal(bounds, Vector{{0}}, Vector()), 1.0);
  EXPECT_EQ(primal(row, Vector{{2e11}}, Vector{{0}}), 1.0);  // over the bound of 1e11, 1e11 of it
  for (const qp::Entry& entry : qp::registry()) {
    for (const qp::Problem& problem : {row, bounds}) {
      const qp::Result result = entry.solver.solve(problem);
      ASSERT_TRUE(result.ok()) << entry.name << ": " << result.message();
      EXPECT_NEAR(result.x[0], 1.0, 1e-8) << entry.name;
    }
  }
}

// min 1/2 (1e-12 x_1^2 + x_2^2) - x_2, x_1 = 1e6 and x_2 = 1, the latter in units from 1 to 1e-12: off by h it is off
// by h of itself, whatever the other row's bound.
TEST(QpCertificate, EachRowIsInItsOwnUnit) {
  const double h = 1.0 / 1024;
  for (const double unit : {1.0, 1e-6, 1e-12}) {
    const qp::Problem problem{.Q = Eigen::MatrixXd{{1e-12, 0}, {0, 1}},
                              .c = Vector{{0, -1}},
                              .A = Eigen::MatrixXd{{1, 0}, {0, unit}},
                              .row_lower = Vector{{1e6, unit}},
                              .row_upper = Vector{{1e6, unit}}};
    const Vector x{{1e6, 1 + h}};
    const Vector y{{1e-6, h / unit}};  // slopes that are left are rounding
    Vector s(2);
    qp::Figures figures;
    const Certificate certificate = qp::certify(problem, x, y, s, &figures);
    EXPECT_NEAR(certificate.residual, h / (2 + h), 1e-12) << unit;  // h over the bound and the row's terms
    EXPECT_EQ(certificate.residual, figures.primal) << unit;
    EXPECT_EQ(certificate.worst_row, 1) << unit;
    EXPECT_EQ(qp::certify(problems::sparse(problem), x, y, s).residual, certificate.residual) << unit;
  }
}

// min 1/2 (x_1^2 + q^2 x_2^2) - x_1 - q x_2: (1, 1 / q). At x_2 = (1 + h) / q its slope is h of the largest of its own.
TEST(QpCertificate, EachSlopeIsInItsOwnUnit) {
  const double h = 1.0 / 1024;
  for (const double q : {1.0, std::exp2(-20), std::exp2(-40)}) {
    const qp::Problem problem{.Q = Eigen::MatrixXd{{1, 0}, {0, q * q}}, .c = Vector{{-1, -q}}};
    Vector s(2);
    qp::Figures figures;
    const Certificate certificate = qp::certify(problem, Vector{{1, (1 + h) / q}}, Vector(), s, &figures);
    // h q over the terms q (1 + h) and q, and over V / x_2; for q = 1 over the largest of c.
    const double V = (1 + (1 + h) * (1 + h)) / 2;
    EXPECT_NEAR(certificate.residual, q == 1.0 ? h : h / (2 + h + V / (1 + h)), 1e-12) << q;
    EXPECT_EQ(certificate.residual, figures.stationarity) << q;
    EXPECT_EQ(certificate.worst_row, 1) << q;
  }
}

// From four stocks, the last alone not empty, to two shops: min c^T x, x >= 0, sums of x by stocks and by shops given.
// All goes the way that costs nothing, so that the value is 0, and with it all that x_1, 0 but for rounding, moves in
// it.
TEST(QpCertificate, RoundingOfZerosIsNoErrorWhereTheValueIsZero) {
  const double load = 5.0 / 3, off = std::exp2(-53);
  qp::Problem problem{.Q = Eigen::MatrixXd::Zero(8, 8),
                      .c = Vector{{1, 8, 5, 3, 3, 7, 6, 0}},
                      .A = Eigen::MatrixXd::Zero(6, 8),
                      .row_lower = Vector{{0, 0, 0, load, 0, load}},
                      .row_upper = Vector{{0, 0, 0, load, 0, load}},
                      .lower = Vector::Zero(8)};
  for (Index k = 0; k < 8; ++k) problem.A(k / 2, k) = problem.A(4 + k % 2, k) = 1.0;
  const Vector x{{-off, 0, 0, 0, 0, 0, off, load}};
  // Multipliers of a basis, and none: with those the dual value has terms of 5 load, with these V itself is rounding.
  for (const Vector& y : {Vector{{0, 4, 2, 5, 1, -5}}, Vector(Vector::Zero(6))}) {
    Vector s(8);
    qp::Figures figures;
    static_cast<void>(qp::certify(problem, x, y, s, &figures));
    // x_1 and row 1 are off by off, row 4 by the rounding of off + load, 2 off; each over load at least, the largest
    // |x|, which is less than V / g_1 both times.
    EXPECT_LE(figures.primal, 2 * off / load) << y.transpose();
    EXPECT_EQ(figures.stationarity, 0.0) << y.transpose();
  }
}

// min x_2, x_2 >= 0, x_1 <= 1 and x_1 >= 1 as two rows: multipliers L of both cancel in every slope. At x_2 = 1 the
// value is off by 1, which is all of it, with L as without.
TEST(QpCertificate, MultipliersThatCancelHideNothing) {
  const double none = std::numeric_limits<double>::infinity();
  const qp::Problem problem{.Q = Eigen::MatrixXd::Zero(2, 2),
                            .c = Vector{{0, 1}},
                            .A = Eigen::MatrixXd{{1, 0}, {1, 0}},
                            .row_lower = Vector{{1, -none}},
                            .row_upper = Vector{{none, 1}},
                            .lower = Vector{{-none, 0}}};
  for (const double L : {0.0, 1e6, 1e10, 1e24}) {
    Vector s(2);
    qp::Figures figures;
    EXPECT_EQ(qp::certify(problem, Vector{{1, 1}}, Vector{{L, -L}}, s, &figures).residual, 1.0) << L;
    EXPECT_EQ(figures.gap, 1.0) << L;
    EXPECT_EQ(qp::certify(problem, Vector{{1, 0}}, Vector{{L, -L}}, s).residual, 0.0) << L;
    EXPECT_EQ(problems::independent_residual(problem, Vector{{1, 1}}, Vector{{L, -L}}), 1.0) << L;
  }
}

TEST(QpProof, HoldsForThePlantedAndForNothingElse) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    problems::Qp none = problems::infeasible_qp(3 + Index(seed % 5), 2 + Index(seed % 4), seed);
    for (Index j = 1; j < none.problem.c.size(); ++j) {
      none.problem.lower[j] = -std::numeric_limits<double>::infinity();
      none.problem.upper[j] = std::numeric_limits<double>::infinity();
    }
    EXPECT_TRUE(qp::proves_infeasible(none.problem, none.proof)) << seed;
    EXPECT_TRUE(qp::proves_infeasible(problems::sparse(none.problem), none.proof)) << seed;
    EXPECT_FALSE(qp::proves_infeasible(none.problem, -none.proof)) << seed;
    EXPECT_FALSE(qp::proves_infeasible(none.problem, Vector::Zero(none.proof.size()))) << seed;
    EXPECT_FALSE(qp::proves_infeasible(none.problem, Vector())) << seed;
    // Off by 1e-12, some column that nothing bounds no longer vanishes.
    Vector off = none.proof;
    off[none.proof.size() - 1] *= 1.0 + 1e-12;
    EXPECT_FALSE(qp::proves_infeasible(none.problem, off)) << seed;

    const problems::Qp open = problems::unbounded_qp(4 + Index(seed % 5), Index(seed % 4), seed);
    EXPECT_TRUE(qp::proves_unbounded(open.problem, open.proof)) << seed;
    EXPECT_TRUE(qp::proves_unbounded(problems::sparse(open.problem), open.proof)) << seed;
    EXPECT_FALSE(qp::proves_unbounded(open.problem, -open.proof)) << seed;
    EXPECT_FALSE(qp::proves_unbounded(open.problem, Vector::Zero(open.proof.size()))) << seed;
    off = open.proof;
    off[0] *= 1.0 + 1e-12;
    EXPECT_FALSE(qp::proves_unbounded(open.problem, off)) << seed;
  }
}

// Five rows and bounds meet in one point, planted, of which rounding leaves none: bounds of 0.1 are sums of terms of 1.
// A combination in which columns cancel to 1e-17 of their terms had excluded x by what is rounding of its data.
TEST(QpProof, WhatIsInfeasibleByRoundingOfColumnsIsNotProven) {
  const problems::Qp planted =
      problems::planted_qp({.n = 3, .m = 12, .rank = 3, .degenerate = 0.3}, 12056072688390514731u);
  const qp::Result result = qp::solve(planted.problem, qp::DualActiveSet{});
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE((result.x - planted.x).norm(), 1e-9 * planted.x.norm());
}

TEST(QpProof, NearlySingularIsNotUnbounded) {
  // Q = (1 -1; -1 1 + 2^-40) is positive definite: one minimiser, though some 2^40 away.
  const double small = 0x1p-40;
  const qp::Problem problem{.Q = Eigen::MatrixXd{{1, -1}, {-1, 1 + small}}, .c = Vector{{-1, -1}}};
  EXPECT_FALSE(qp::proves_unbounded(problem, Vector{{1, 1}}));
  for (const qp::Entry& entry : qp::registry()) {
    EXPECT_NE(entry.solver.solve(problem).status, Status::Infeasible) << entry.name;
  }
  // What 4 eps = 2^-50 of the terms cannot tell from a singular Q, as the header says: (Q d)_2 = 2^-52.
  const qp::Problem nearer{.Q = Eigen::MatrixXd{{1, -1}, {-1, 1 + 0x1p-52}}, .c = Vector{{-1, -1}}};
  EXPECT_TRUE(qp::proves_unbounded(nearer, Vector{{1, 1}}));
}

// x^2 - x y + y^2 / 2 + x + y with x = 0 as a row, which no bound and no other row has a size for: (0, -1).
TEST(QpCertificate, RowsThatAreZeroToRoundingHaveWhatTheyCouldBeAsScale) {
  const qp::Problem problem{.Q = Eigen::MatrixXd{{2, -1}, {-1, 1}},
                            .c = Vector{{1, 1}},
                            .A = Eigen::MatrixXd{{1, 0}, {-1, 0}},
                            .row_lower = Vector{{0, -1}},
                            .row_upper = Vector{{0, std::numeric_limits<double>::infinity()}}};
  Vector s(2);
  const auto residual = [&](double x) { return qp::certify(problem, Vector{{x, -1}}, Vector{{2, 0}}, s).residual; };
  // x could be 1/2, from where its own slope is 0: over that. Above rounding the row has its own terms alone.
  EXPECT_NEAR(residual(-1e-17), 2e-17, 1e-18);
  EXPECT_EQ(residual(-1e-10), 1.0);
  for (const qp::Entry& entry : qp::registry()) {
    if (entry.name == "interior point" || entry.name == "admm") continue;  // end some 1e-9 beside the row
    const qp::Result result = entry.solver.solve(problem);
    ASSERT_TRUE(result.ok()) << entry.name << ": " << result.message();
    EXPECT_LE(std::abs(result.x[0]), 1e-15) << entry.name;
    EXPECT_NEAR(result.x[1], -1.0, 1e-14) << entry.name;
  }
}

TEST(QpCertificate, ValuesThatAreZeroToRoundingHaveWhatTheyCouldBeAsScale) {
  // (x - 1)^2 / 2 + (y - 1)^2 / 2 in the cone x + y <= 0, x - y = 0, whose tip is the answer; alone each falls by 1/2.
  const qp::Problem problem{.Q = Eigen::MatrixXd::Identity(2, 2),
                            .c = Vector{{-1, -1}},
                            .A = Eigen::MatrixXd{{1, 1}, {1, -1}},
                            .row_lower = Vector{{-std::numeric_limits<double>::infinity(), 0}},
                            .row_upper = Vector{{0, 0}}};
  Vector s(2);
  const auto figures = [&](double x) {
    qp::Figures found;
    static_cast<void>(qp::certify(problem, Vector{{x, x}}, Vector{{-1, 0}}, s, &found));
    return found;
  };
  EXPECT_LE(figures(1e-17).primal, 1e-16);
  EXPECT_LE(figures(1e-17).gap, 1e-16);
  EXPECT_LE(figures(1e-17).complementarity, 1e-16);
  EXPECT_GE(figures(1e-6).gap, 0.5);
  EXPECT_GE(figures(1e-6).primal, 0.5);
}

TEST(QpAutomatic, SolvesProgramsOnConesOfRows) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const problems::Qp planted = problems::cone_qp(1 + Index(seed % 12), Index(seed % 17), seed);
    const qp::Result result = qp::solve(planted.problem, qp::Automatic{.tolerance = 1e-8});
    ASSERT_TRUE(result.ok()) << seed << ": " << result.message();
    // The value is right to 1e-8 of terms of up to 2^9, and moves by |d|^2 / 2 and more where x moves by d.
    EXPECT_LE((result.x - planted.x).norm(), 4e-3) << seed;
  }
}

TEST(QpCertificate, ASlopeThatNothingBalancesIsNoSmallError) {
  // x is in no row and has no curvature: min -1e-3 x + 1e7 y falls forever, however small its slope is beside the
  // other.
  qp::Problem problem{.Q = Eigen::MatrixXd::Zero(2, 2),
                      .c = Vector{{-1e-3, 1e7}},
                      .A = Eigen::MatrixXd{{0, 1}},
                      .row_lower = Vector{{1}},
                      .lower = Vector::Zero(2)};
  Vector s(2);
  EXPECT_EQ(qp::certify(problem, Vector{{0, 1}}, Vector{{1e7}}, s).residual, 1.0);
  for (const qp::Entry& entry : qp::registry()) {
    const qp::Result result = entry.solver.solve(problem, {.tolerance = 1e-8});
    EXPECT_FALSE(result.ok()) << entry.name << ": " << result.message();
    EXPECT_TRUE(!result.unbounded() || qp::proves_unbounded(problem, result.direction)) << entry.name;
  }
  EXPECT_TRUE(qp::solve(problem, qp::Automatic{.tolerance = 1e-8}).unbounded());
  // What rounding leaves of 0 is no slope.
  problem.c[0] = -1e-9;
  EXPECT_TRUE(qp::solve(problem, qp::Automatic{.tolerance = 1e-8}).ok());
}

TEST(QpAutomatic, LooksForProofsAlongUnknownsOfSmallSlopes) {
  // min -1e-10 x + y, y >= 1, x + y >= 0: to 1e-8 of the slope of y that of x is 0, and no number says how large x is.
  const qp::Problem problem{.Q = Eigen::MatrixXd::Zero(2, 2),
                            .c = Vector{{-1e-10, 1}},
                            .A = Eigen::MatrixXd{{1, 1}, {0, 1}},
                            .row_lower = Vector{{0, 1}}};
  const qp::Result dense = qp::solve(problem, qp::Automatic{.tolerance = 1e-8});
  const qp::Result sparse = qp::solve(problems::sparse(problem), qp::Automatic{.tolerance = 1e-8});
  for (const qp::Result* result : {&dense, &sparse}) {
    EXPECT_TRUE(result->unbounded()) << result->message();
    EXPECT_TRUE(qp::proves_unbounded(problem, result->direction));
  }
}

/// The figures of (x, y), whose residual independent arithmetic finds too.
qp::Figures figures_of(const qp::Problem& problem, const Vector& x, const Vector& y) {
  Vector s(x.size());
  qp::Figures figures;
  const double residual = qp::certify(problem, x, y, s, &figures).residual;
  EXPECT_EQ(residual, problems::independent_residual(problem, x, y));
  EXPECT_EQ(qp::certify(problems::sparse(problem), x, y, s).residual, residual);
  return figures;
}

// Each unknown is in a unit of its own, and all numbers are powers of 2, so that figures are exact. What is wrong is as
// large as the value, and 2^-30 of the numbers of another unit.
TEST(QpCertificate, WhatOneUnknownAloneTakesFromTheValueCounts) {
  const double h = std::exp2(-30);
  // min (h^2 x_1^2 + x_2^2) / 2 - h x_1 + x_2, x_2 >= 0: x_1 = 1 / h, -1/2. The value that x_2 makes alone is 1.
  const qp::Problem curved{
      .Q = Eigen::MatrixXd{{h * h, 0}, {0, 1}}, .c = Vector{{-h, 1}}, .lower = Vector{{-1 / h, 0}}};
  EXPECT_EQ(figures_of(curved, Vector{{0, 0}}, Vector()).gap, 0.5);
  EXPECT_EQ(figures_of(curved, Vector{{1 / h, 0}}, Vector()).gap, 0.0);
  // min -h x_1 + x_2, x_1 <= 1 / h as a row, x_2 >= 1: x_1 = 1 / h, 0. At x_1 = 0 the value is 1.
  const qp::Problem linear{.Q = Eigen::MatrixXd::Zero(2, 2),
                           .c = Vector{{-h, 1}},
                           .A = Eigen::MatrixXd{{1, 0}},
                           .row_upper = Vector{{1 / h}},
                           .lower = Vector{{0, 1}}};
  EXPECT_EQ(figures_of(linear, Vector{{0, 1}}, Vector{{0}}).gap, 1.0);
  EXPECT_EQ(figures_of(linear, Vector{{1 / h, 1}}, Vector{{-h}}).gap, 0.0);
  // Solvers may find no better, but not call it solved.
  for (const qp::Entry& entry : qp::registry()) {
    for (const qp::Problem& problem : {curved, linear}) {
      const qp::Result result = entry.solver.solve(problem, {.tolerance = 1e-8});
      if (!result.ok()) continue;
      EXPECT_NEAR(result.x[0] * h, 1.0, 1e-3)
          << entry.name << ": " << result.message();  // the value's 1e-8 is x's 1e-4
    }
  }
  EXPECT_TRUE(qp::solve(curved).ok());
}

TEST(QpCertificate, RowsThatLeaveNothingHideNothingOfAnotherUnit) {
  // min h x_1 + x_2, x_1 >= 1 / h as a row, x_1 <= 1 / h, x_2 >= 1 as a row: (1 / h, 1), and multipliers (h + t, 1), -t
  // of the bound for every t >= 0. At x_2 = 3/2 the product is 1/2, beside values of 1 and 3/2.
  const double h = std::exp2(-40);
  const qp::Problem problem{.Q = Eigen::MatrixXd::Zero(2, 2),
                            .c = Vector{{h, 1}},
                            .A = Eigen::MatrixXd::Identity(2, 2),
                            .row_lower = Vector{{1 / h, 1}},
                            .upper = Vector{{1 / h, std::numeric_limits<double>::infinity()}}};
  for (const double t : {0.0, 1.0, 1024.0}) {
    EXPECT_EQ(figures_of(problem, Vector{{1 / h, 1.5}}, Vector{{h + t, 1}}).complementarity, 0.5 / 1.5) << t;
    EXPECT_EQ(figures_of(problem, Vector{{1 / h, 1}}, Vector{{h + t, 1}}).complementarity, 0.0) << t;
  }
}

TEST(QpProof, WhatIsFeasibleAtOnePointOfTwoRowsIsNotProvenInfeasible) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // x_1 = -48 and x_2 = 6 / 2048, where the row x_2 <= 6 / 2048 leaves nothing: the multipliers of the first two and of
  // the last row cancel to 4 eps, and so does what they make of the bounds. Value 2.5 (-48) + 48^2 (9/256) - 84 - 18.
  const qp::Problem open{.Q = Eigen::MatrixXd{{0, 0, 0}, {0, 9.0 / 128, 0}, {0, 0, 0}},
                         .c = Vector{{384, 2.5, -28672}},
                         .A = Eigen::MatrixXd{{0, 12, 196608}, {0, -0.125, -4096}, {0, 0, -2048}, {12, 0, -192}},
                         .row_lower = Vector{{0, -6, -6, -1.125}},
                         .row_upper = Vector{{0, -6, 0, -0.9375}},
                         .lower = Vector{{-5.0 / 64, -infinity, -infinity}},
                         .upper = Vector{{-1.0 / 64, -32, infinity}}};
  EXPECT_FALSE(
      qp::proves_infeasible(open, Vector{{-2.5431315104166665e-06, -0.000244140625, 0.00024414062499999919, 0}}));
  for (const qp::Entry& entry : qp::registry()) {
    const qp::Result result = entry.solver.solve(open, {.tolerance = 1e-9});
    EXPECT_NE(result.status, Status::Infeasible) << entry.name << ": " << result.message();
    EXPECT_TRUE(!result.ok() || std::abs(result.figures.value + 141.0) <= 1e-6) << entry.name;
  }
  EXPECT_TRUE(qp::solve(open).ok());
}

}  // namespace
}  // namespace nonsmooth::qp_certificate_test
