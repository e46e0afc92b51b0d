// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/qp.hpp>

#include <problems/lcp.hpp>
#include <problems/qp.hpp>

namespace nonsmooth::qp_test {
namespace {

using Vector = Eigen::VectorXd;

// The objective, then all bounds (and x with them), then the rows in other units: the same x in these.
TEST(QpAutomatic, UnitsAreNoMatter) {
  for (const double unit : {1e-12, 1e-6, 1e9}) {
    const problems::Qp planted = problems::planted_qp({.n = 15, .m = 20, .equations = 3}, 2);
    for (const int what : {0, 1, 2}) {
      qp::Problem problem = planted.problem;
      if (what == 0) problem.Q *= unit, problem.c *= unit;
      if (what == 1) {
        problem.c *= unit;
        for (Vector* bounds : {&problem.row_lower, &problem.row_upper, &problem.lower, &problem.upper}) *bounds *= unit;
      }
      if (what == 2) problem.A *= unit, problem.row_lower *= unit, problem.row_upper *= unit;
      const Vector x = (what == 1 ? unit : 1.0) * planted.x;
      const qp::Result result = qp::solve(problem);
      ASSERT_TRUE(result.ok()) << unit << " of " << what << ": " << result.message();
      EXPECT_LE((result.x - x).norm(), 1e-8 * x.norm()) << unit << " of " << what << ", " << result.solver;
    }
  }
}

// A row of 7e-3 beside one of 1e3: large steps from one active set to the next had ended before the first was active,
// off by 5e-5 of itself, and the value by 8e-6 of its terms.
TEST(QpInteriorPoint, EndsWithNoRowOffBesideALargerOne) {
  const problems::Qp planted = problems::planted_qp({.n = 4, .m = 3, .decades = 6.0}, 2000325985900428927u);
  const qp::Problem& problem = planted.problem;
  const auto value = [&problem](const Vector& x) { return 0.5 * x.dot(problem.Q * x) + problem.c.dot(x); };
  const double terms = 0.5 * planted.x.dot(problem.Q * planted.x) + problem.c.cwiseAbs().dot(planted.x.cwiseAbs());
  const qp::Result result = qp::solve(problems::sparse(problem), qp::InteriorPoint{.tolerance = 1e-9});
  ASSERT_TRUE(result.ok()) << result.message();
  // Row 0 with its multiplier of 1e-3 and bound of 1e3, row 1 of 79 and 7e-3: the value follows 1e-9 of each by 1e-9.
  EXPECT_NEAR(value(result.x), value(planted.x), 1e-8 * terms);
}

TEST(QpProblem, IndefiniteIsRefusedByNameWithWhatWasFound) {
  const auto refused = [](const Eigen::MatrixXd& Q, const std::string& found) {
    const qp::Problem problem{.Q = Q, .c = Vector::Zero(Q.rows())};
    for (int sparse = 0; sparse < 2; ++sparse) {
      try {
        if (sparse)
          problems::sparse(problem).validate();
        else
          problem.validate();
        ADD_FAILURE() << "not refused";
      } catch (const InvalidArgument& error) {
        EXPECT_EQ(error.argument(), "qp::Problem::Q");
        EXPECT_NE(error.found().find(found), std::string::npos) << error.what();
      }
    }
  };
  refused(Eigen::MatrixXd{{1, 0}, {0, -2}}, "-2 in entry (1, 1)");
  refused(Eigen::MatrixXd{{1, 0.5}, {0.5, 0}}, "0.5 in entry (0, 1)");
  refused(Eigen::MatrixXd{{4, 6}, {6, 4}}, "the eigenvalue -0.5");  // over D = 2: (1 1.5; 1.5 1)
  refused(Eigen::MatrixXd{{1, 2}, {0, 1}}, "2 in entry (0, 1)");    // not symmetric
}

TEST(QpProblem, SemidefiniteUpToRoundingIsTaken) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const problems::Qp qp = problems::planted_qp({.n = 30, .m = 0, .rank = 1 + Index(seed), .decades = 12.0}, seed);
    EXPECT_NO_THROW(qp.problem.validate()) << seed;
    EXPECT_NO_THROW(problems::sparse(qp.problem).validate()) << seed;
  }
}

TEST(QpDualActiveSet, ExactOnThePublished) {
  for (const problems::PublishedQp& one : problems::published_qps()) {
    const qp::Result result = qp::solve(one.problem, qp::DualActiveSet{});
    ASSERT_TRUE(result.ok() || result.at_round_off) << one.name << ": " << result.message();
    EXPECT_NEAR(result.figures.value + one.constant, one.value, one.half_digit) << one.name;
  }
}

TEST(QpDualActiveSet, AWarmStartTakesNoStepAtTheSolution) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const problems::Qp qp = problems::planted_qp({.n = 20, .m = 40, .equations = 3}, seed);
    qp::DualActiveSetWorkspace workspace;
    qp::Result result;
    workspace.solve(qp.problem, {}, false, result);
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_GT(result.iterations, 0);
    const qp::Result cold = result;
    workspace.solve(qp.problem, {}, true, result);
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_EQ(result.iterations, 0);
    EXPECT_LE((result.x - cold.x).cwiseAbs().maxCoeff(), 1e-12);
    // What was solved before changes no bit.
    qp::Result fresh = cold;
    qp::DualActiveSetWorkspace().solve(qp.problem, {}, false, fresh);
    EXPECT_EQ(fresh.x, result.x);
    EXPECT_EQ(fresh.y, result.y);
  }
}

TEST(QpPrimalActiveSet, FiguresOfAnInfeasibleProgramAreItsOwn) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const problems::Qp qp = problems::infeasible_qp(3 + Index(seed % 4), 2 + Index(seed % 3), seed);
    const qp::Result result = qp::solve(qp.problem, qp::PrimalActiveSet{});
    ASSERT_EQ(result.status, Status::Infeasible) << seed << ": " << result.message();
    const Vector x = result.x, y = result.y;
    const Vector s = qp.problem.Q * x + qp.problem.c - qp.problem.A.transpose() * y;
    // Sums of some 20 terms that round by eps of the largest.
    const double size = (qp.problem.Q.cwiseAbs() * x.cwiseAbs() + qp.problem.c.cwiseAbs() +
                         qp.problem.A.cwiseAbs().transpose() * y.cwiseAbs())
                            .maxCoeff();
    EXPECT_LE((result.s - s).cwiseAbs().maxCoeff(), 1e-14 * size) << seed;
    Vector own(x.size());
    EXPECT_EQ(qp::certify(qp.problem, x, y, own).residual, result.certificate.residual) << seed;
  }
}

TEST(QpDualActiveSet, FollowsParameters) {
  problems::Qp qp = problems::planted_qp({.n = 20, .m = 40}, 3);
  std::mt19937_64 random(7);
  qp::DualActiveSetWorkspace workspace;
  qp::Result warm;
  Index warm_steps = 0, cold_steps = 0;
  for (int k = 0; k < 50; ++k) {
    qp.problem.c += 0.05 * problems::normal_matrix(random, 20, 1);
    workspace.solve(qp.problem, {}, k > 0, warm);
    ASSERT_TRUE(warm.ok()) << warm.message();
    const qp::Result cold = qp::solve(qp.problem, qp::DualActiveSet{});
    // Least eigenvalue 1/2, one minimiser: both are within residual scale / (1/2) of it.
    EXPECT_LE((warm.x - cold.x).cwiseAbs().maxCoeff(), 1e-8);
    warm_steps += warm.iterations;
    cold_steps += cold.iterations;
  }
  EXPECT_LT(warm_steps, cold_steps / 4);
}

TEST(QpDualActiveSet, CountsTheRowsThatAWarmStartDrops) {
  // min |x|^2 / 2 - x_1 - x_2, x >= 0: (1, 1). The start has both bounds active, whose multipliers are -1.
  const qp::Problem problem{.Q = Eigen::MatrixXd::Identity(2, 2), .c = Vector{{-1, -1}}, .lower = Vector::Zero(2)};
  qp::DualActiveSet options;
  options.start_x = Vector::Zero(2);
  options.start_y = Vector();
  options.start_s = Vector::Ones(2);
  const qp::Result whole = qp::solve(problem, options);
  ASSERT_TRUE(whole.ok()) << whole.message();
  EXPECT_EQ(whole.iterations, 2);
  EXPECT_EQ(whole.x, (Vector{{1, 1}}));
  options.max_steps = 1;
  const qp::Result early = qp::solve(problem, options);
  EXPECT_EQ(early.status, Status::IterationLimit);
  EXPECT_EQ(early.iterations, 1);
}

TEST(QpInteriorPoint, SparseAndDenseAgree) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const problems::Qp qp = problems::planted_qp({.n = 15, .m = 10, .equations = 4, .degenerate = 0.5}, seed);
    const qp::Result dense = qp::solve(qp.problem, qp::InteriorPoint{});
    const qp::Result sparse = qp::solve(problems::sparse(qp.problem), qp::InteriorPoint{});
    ASSERT_TRUE(dense.ok()) << dense.message();
    ASSERT_TRUE(sparse.ok()) << sparse.message();
    EXPECT_LE((dense.x - qp.x).cwiseAbs().maxCoeff(), 1e-4);  // degenerate: products of 1e-10 are squares of 1e-5
    EXPECT_LE((sparse.x - qp.x).cwiseAbs().maxCoeff(), 1e-4);
  }
}

TEST(QpInteriorPoint, BoundsOneUlpApart) {
  const double above = 0.1 + 0.2;  // the double after 0.3
  ASSERT_EQ(above, std::nextafter(0.3, 1.0));
  // min |x|^2 / 2 - x_1 - x_2: both at 0.3, up to one ulp, x_1 by its bounds and x_2 by a row.
  const qp::Problem problem{.Q = Eigen::MatrixXd::Identity(2, 2),
                            .c = Vector{{-1, -1}},
                            .A = Eigen::MatrixXd{{0, 1}},
                            .row_lower = Vector{{0.3}},
                            .row_upper = Vector{{above}},
                            .lower = Vector{{0.3, 0}},
                            .upper = Vector{{above, 1}}};
  for (const bool sparse : {false, true}) {
    const qp::Result result =
        sparse ? qp::solve(problems::sparse(problem), qp::InteriorPoint{}) : qp::solve(problem, qp::InteriorPoint{});
    ASSERT_TRUE(result.ok()) << sparse << ": " << result.message();
    EXPECT_LE((result.x - Vector{{0.3, 0.3}}).cwiseAbs().maxCoeff(), 1e-10) << sparse;
    EXPECT_NEAR(result.s[0], -0.7, 1e-10) << sparse;
    EXPECT_NEAR(result.y[0], -0.7, 1e-8) << sparse;
  }
}
// min 1/2 |x|^2 - x_2 - 2 x_3, x_1 >= L, |x_2 + x_3| <= 1: (L, 0, 1) with y = -1, without the row (L, 1, 2). The
// certificate compares slopes of x_2 with what makes up the value, L^2 / 2: from L = 1e10 on they do not count in it.
TEST(QpInteriorPoint, OneLargeBoundLeavesTheOtherUnknownsTheirDigits) {
  for (const double L : {1.0, 9.9e5, 1.02e6, 1e9, 1e12}) {
    for (const bool row : {true, false}) {
      qp::Problem problem{.Q = Eigen::MatrixXd::Identity(3, 3), .c = Vector{{0.0, -1.0, -2.0}}};
      problem.lower.setConstant(3, -std::numeric_limits<double>::infinity());
      problem.upper = -problem.lower;
      problem.lower[0] = L;
      if (row) {
        problem.A = Eigen::MatrixXd{{0.0, 1.0, 1.0}};
        problem.row_lower = Vector{{-1.0}};
        problem.row_upper = Vector{{1.0}};
      }
      const qp::Result result = qp::solve(problem, qp::InteriorPoint{});
      ASSERT_TRUE(result.ok()) << L << ": " << result.message();
      // x_1 is at its bound; a stationarity of 1e-10 L leaves 1e-4 where L is 1e6, but steps end with errors that are
      // squares of those before: some 1e-8, what the regularisation is.
      EXPECT_NEAR(result.x[0], L, 1e-9 * L) << L;
      if (L > 1e10) continue;
      EXPECT_NEAR(result.x[1], row ? 0.0 : 1.0, 1e-6) << L;
      EXPECT_NEAR(result.x[2], row ? 1.0 : 2.0, 1e-6) << L;
    }
  }
}

// x = D x' with D from 2^-10 to 2^10 and rows in units as far apart: which row is violated most does not change, in the
// metric of H^-1, so that the steps are as many.
TEST(QpDualActiveSet, UnitsOfUnknownsAndRowsAreNoMatterToItsChoices) {
  std::mt19937_64 random(3);
  const auto unit = [&random] { return std::exp2(static_cast<double>(random() % 21) - 10.0); };
  for (const std::uint64_t seed : {1, 2, 3}) {
    const problems::Qp planted = problems::planted_qp({.n = 40, .m = 30}, seed);
    qp::Problem problem = planted.problem;
    const Vector D = Vector::NullaryExpr(40, [&] { return unit(); }),
                 E = Vector::NullaryExpr(30, [&] { return unit(); });
    problem.Q = D.asDiagonal() * problem.Q * D.asDiagonal();
    problem.c.array() *= D.array();
    problem.A = E.asDiagonal() * problem.A * D.asDiagonal();
    for (Vector* bounds : {&problem.row_lower, &problem.row_upper})
      if (bounds->size() > 0) bounds->array() *= E.array();
    for (Vector* bounds : {&problem.lower, &problem.upper})
      if (bounds->size() > 0) bounds->array() /= D.array();
    const qp::Result one = qp::solve(planted.problem, qp::DualActiveSet{});
    const qp::Result other = qp::solve(problem, qp::DualActiveSet{});
    ASSERT_TRUE(one.ok()) << one.message();
    ASSERT_TRUE(other.ok()) << other.message();
    EXPECT_EQ(other.iterations, one.iterations) << seed;
    EXPECT_GT(one.iterations, 5) << seed;
  }
}

TEST(QpLinear, LinearProgramsByEveryAlgorithm) {
  // max x + 2 y under x + y <= 4, x + 3 y <= 6, x, y >= 0: 5 at (3, 1).
  const qp::Problem problem{.Q = Eigen::MatrixXd::Zero(2, 2),
                            .c = Vector{{-1, -2}},
                            .A = Eigen::MatrixXd{{1, 1}, {1, 3}},
                            .row_upper = Vector{{4, 6}},
                            .lower = Vector::Zero(2)};
  for (const qp::Entry& entry : qp::registry()) {
    const qp::Result result = entry.solver.solve(problem);
    ASSERT_TRUE(result.ok()) << entry.name << ": " << result.message();
    EXPECT_LE((result.x - Vector{{3, 1}}).cwiseAbs().maxCoeff(), 1e-8) << entry.name;
    EXPECT_LE((result.y - Vector{{-0.5, -0.5}}).cwiseAbs().maxCoeff(), 1e-8) << entry.name;
  }
}

TEST(QpLinear, SlopesWhoseSquaresAreNotFinite) {
  for (const double size : {1e200, 1e-200}) {
    const qp::Problem problem{.Q = Eigen::MatrixXd::Zero(2, 2),
                              .c = Vector{{-size, 2.0 * size}},
                              .lower = Vector::Zero(2),
                              .upper = Vector::Constant(2, 3.0)};
    for (const bool admm : {false, true}) {
      const qp::Result result = admm ? qp::solve(problem, qp::Admm{}) : qp::solve(problem, qp::InteriorPoint{});
      ASSERT_TRUE(result.ok()) << size << admm << ": " << result.message();
      EXPECT_LE((result.x - Vector{{3, 0}}).cwiseAbs().maxCoeff(), 1e-8) << size << admm;
    }
  }
}

// A row without entries holds or not whatever x is, so that no slope asks for its multiplier.
TEST(QpInteriorPoint, RowsWithoutEntriesThatHoldHaveNoMultiplier) {
  const qp::Problem problem{.Q = Eigen::MatrixXd{{1, 0}, {0, 1}},
                            .c = Eigen::VectorXd{{-2, 1}},
                            .A = Eigen::MatrixXd{{1, 1}, {0, 0}, {0, 0}},
                            .row_lower = Eigen::VectorXd{{-5, -1, 0}},
                            .row_upper = Eigen::VectorXd{{0.5, 0.015625, 0}}};
  const qp::Result result = qp::solve(problem, qp::InteriorPoint{.tolerance = 1e-10});
  ASSERT_TRUE(result.ok()) << result.message();
  // x = -c - (1, 1) t on x_1 + x_2 = 1/2: t = 1/4.
  EXPECT_NEAR(result.x[0], 1.75, 1e-8);
  EXPECT_NEAR(result.x[1], -1.25, 1e-8);
  EXPECT_NEAR(result.y[0], -0.25, 1e-8);
  EXPECT_EQ(result.y[1], 0.0);
  EXPECT_EQ(result.y[2], 0.0);
  qp::Problem none = problem;
  none.row_lower[1] = 0.0078125;
  EXPECT_EQ(qp::solve(none, qp::InteriorPoint{}).status, Status::Infeasible);
}

}  // namespace
}  // namespace nonsmooth::qp_test
