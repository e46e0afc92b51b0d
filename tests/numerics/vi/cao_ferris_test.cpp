// SPDX-License-Identifier: Apache-2.0
// What pivoting from a vertex processes beyond the contract suite: maps that are not monotone, lines, degenerate sets.
#include <nonsmooth/numerics/vi/cao_ferris.hpp>

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/vi/josephy_newton.hpp>
#include <problems/random_matrices.hpp>
#include <problems/vi.hpp>

#include "expect_refused.hpp"

namespace nonsmooth::cao_ferris_test {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using problems::affine_map;
using test::expect_refused;

constexpr double tolerance = 1e-10;

void expect_solved(const vi::Problem& problem, const vi::Result& result, const std::string& what) {
  ASSERT_TRUE(result.ok()) << what << ": " << result.message();
  EXPECT_LE(problems::independent_residual(problem, result.x), 2.0 * tolerance) << what;
}

TEST(CaoFerris, ReachesASolutionForEveryMatrixOnABoundedSet) {
  problems::Random random(4);
  for (Index trial = 0; trial < 150; ++trial) {
    const Index n = 1 + trial % 10;
    const Index p = trial % 3 == 0 ? n / 3 : 0;
    const vi::Polyhedron K = problems::random_polytope(n, p, trial % 2 == 0 ? 0.5 : 0.0, std::uint64_t(trial));
    // No part of M is favoured: half of these are indefinite already at n = 1.
    const vi::Problem problem{affine_map(3.0 * problems::entries(random, n, n), problems::entries(random, n, 1)), K};
    expect_solved(problem, vi::solve(problem, vi::CaoFerris{}), "cao-ferris, " + std::to_string(trial));
    expect_solved(problem, vi::solve(problem, vi::JosephyNewton{}), "josephy newton, " + std::to_string(trial));
  }
}

TEST(CaoFerris, TakesAnAffineMapFarFromZero) {
  // F itself rounds to eps |M| |x|, some 1e-5, beside values that are what is left of this. F > 0 in both rows: x = l.
  const MatrixXd M{{1.0 / 3.0, 1.0 / 21.0}, {-1.0 / 21.0, 1.0 / 3.0}};
  const VectorXd lower = VectorXd::Constant(2, 1e11), upper = lower.array() + 10.0;
  for (const double above : {0.0, 5.0}) {
    const VectorXd zero = lower.array() + above;
    const vi::Problem problem{affine_map(M, -M * zero), vi::Box{lower, upper}};
    const vi::Result result = vi::solve(problem, vi::CaoFerris{});
    ASSERT_NE(result.status, Status::NotRun);
    // M has 1/3 in its symmetric part: an F that is 64 eps |M| |x|_i off moves x by at most 3 sqrt(2) of that.
    EXPECT_LE((result.x - zero).lpNorm<Eigen::Infinity>(), 3.0 * 1.5 * 64.0 * 2.3e-16 * 0.4 * 1e11);
  }
}

TEST(CaoFerris, FindsEquilibriaOfBimatrixGames) {
  // Each player's mixed strategies are a simplex; costs A y and B^T x: every vertex of the product leads to one.
  problems::Random random(8);
  for (Index n = 1; n <= 8; ++n) {
    MatrixXd M = MatrixXd::Zero(2 * n, 2 * n);
    M.topRightCorner(n, n) = problems::entries(random, n, n);
    M.bottomLeftCorner(n, n) = problems::entries(random, n, n);
    vi::Polyhedron K{-MatrixXd::Identity(2 * n, 2 * n), VectorXd::Zero(2 * n), MatrixXd::Zero(2, 2 * n),
                     VectorXd::Ones(2)};
    K.C.row(0).head(n).setOnes();
    K.C.row(1).tail(n).setOnes();
    const vi::Problem problem{affine_map(M, VectorXd::Zero(2 * n)), K};
    for (Index first = 0; first < n; ++first) {
      vi::CaoFerris options;
      options.start = VectorXd::Unit(2 * n, first) + VectorXd::Unit(2 * n, n + first);
      const vi::Result result = vi::solve(problem, options);
      expect_solved(problem, result, "n = " + std::to_string(n));
      // No pure strategy is better than the mixed one.
      EXPECT_GE(result.w.head(n).minCoeff(), result.x.head(n).dot(result.w.head(n)) - 1e-9);
      EXPECT_GE(result.w.tail(n).minCoeff(), result.x.tail(n).dot(result.w.tail(n)) - 1e-9);
    }
  }
}

TEST(CaoFerris, CopositiveOnTheRecessionConeIsEnough) {
  // x >= 0, sum x >= 1: M > 0 entry by entry is strictly copositive there, and far from monotone.
  problems::Random random(2);
  for (Index n = 2; n <= 12; ++n) {
    vi::Polyhedron K{MatrixXd(n + 1, n), VectorXd::Zero(n + 1)};
    K.A << -MatrixXd::Identity(n, n), -MatrixXd::Ones(1, n);
    K.b[n] = -1.0;
    const MatrixXd M = problems::entries(random, n, n).cwiseAbs() + 0.1 * MatrixXd::Ones(n, n);
    const vi::Problem problem{affine_map(M, 3.0 * problems::entries(random, n, 1)), K};
    expect_solved(problem, vi::solve(problem, vi::CaoFerris{}), "n = " + std::to_string(n));
  }
}

TEST(CaoFerris, TellsASecondaryRay) {
  // F_1 = -1 on x_1 >= 0, and the gradient of (x_1 - x_2)^2 / 2 - x_1 on the quadrant: both fall for ever.
  const vi::Polyhedron quadrant{-MatrixXd::Identity(2, 2), VectorXd::Zero(2)};
  for (const MatrixXd& M : {MatrixXd(MatrixXd::Zero(2, 2)), MatrixXd{{1, -1}, {-1, 1}}}) {
    const vi::Result result = vi::solve({affine_map(M, VectorXd{{-1, 0}}), quadrant}, vi::CaoFerris{});
    EXPECT_EQ(result.status, Status::Stalled) << result.message();
    EXPECT_NE(result.reason.find("secondary ray"), std::string_view::npos) << result.message();
  }
}

TEST(CaoFerris, LinesInTheSet) {
  const vi::ConvexSet half = vi::HalfSpace{VectorXd{{-1, 0, 0}}, 0.0};
  // F = (x_1 + 1, x_3 + 2, -x_2 + 3) on x_1 >= 0: x_1 = 0 where F_1 = 1, and F_2 = F_3 = 0.
  const vi::Result skew =
      vi::solve({affine_map(MatrixXd{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, VectorXd{{1, 2, 3}}), half}, vi::CaoFerris{});
  ASSERT_TRUE(skew.ok()) << skew.message();
  EXPECT_LE((skew.x - VectorXd{{0, 3, -2}}).norm(), 1e-9);
  // F = (x_1 - 1, x_2 - 2, 0): singular along x_3, where it asks for nothing.
  const vi::Result singular =
      vi::solve({affine_map(MatrixXd{{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}, VectorXd{{-1, -2, 0}}), half}, vi::CaoFerris{});
  ASSERT_TRUE(singular.ok()) << singular.message();
  EXPECT_LE((singular.x.head(2) - VectorXd{{1, 2}}).norm(), 1e-8);
  // No row at all: M x + q = 0.
  const MatrixXd M{{2, 1}, {-1, 0}};
  const vi::Result whole = vi::solve({affine_map(M, -M * VectorXd{{3, 4}}),
                                      vi::Box{VectorXd::Constant(2, -HUGE_VAL), VectorXd::Constant(2, HUGE_VAL)}},
                                     vi::CaoFerris{});
  ASSERT_TRUE(whole.ok()) << whole.message();
  EXPECT_LE((whole.x - VectorXd{{3, 4}}).norm(), 1e-9);
}

TEST(CaoFerris, DegenerateVertices) {
  // The apex of a pyramid of 24 sides, each twice, where 3 rows make a basis; F monotone, and not.
  const Index sides = 24;
  vi::Polyhedron K{MatrixXd(2 * sides + 1, 3), VectorXd::Zero(2 * sides + 1)};
  for (Index i = 0; i < 2 * sides; ++i) {
    const double angle = 2.0 * M_PI * static_cast<double>(i % sides) / static_cast<double>(sides);
    K.A.row(i) << std::cos(angle), std::sin(angle), -1.0;
  }
  K.A.row(2 * sides) << 0.0, 0.0, 1.0;
  K.b[2 * sides] = 2.0;
  problems::Random random(9);
  for (Index trial = 0; trial < 60; ++trial) {
    const MatrixXd B = problems::entries(random, 3, 3);
    const MatrixXd M = trial % 2 == 0 ? MatrixXd(B * B.transpose()) : B;
    const vi::Problem problem{affine_map(M, problems::entries(random, 3, 1)), K};
    expect_solved(problem, vi::solve(problem, vi::CaoFerris{}), std::to_string(trial));
  }
}

TEST(CaoFerris, EquationsThatFollowFromOthersAndSetsOfOnePoint) {
  vi::Polyhedron K{-MatrixXd::Identity(3, 3), VectorXd::Zero(3), MatrixXd{{1, 1, 1}, {2, 2, 2}, {1, -1, 0}, {2, 0, 1}},
                   VectorXd{{3, 6, 0, 3}}};
  problems::Random random(3);
  for (Index trial = 0; trial < 20; ++trial) {
    const vi::Problem problem{affine_map(problems::entries(random, 3, 3), problems::entries(random, 3, 1)), K};
    expect_solved(problem, vi::solve(problem, vi::CaoFerris{}), std::to_string(trial));
  }
  K.C.row(3) << 1, 0, 0;
  K.d[3] = 1.0;  // (1, 1, 1) alone
  const vi::Problem point{affine_map(problems::entries(random, 3, 3), problems::entries(random, 3, 1)), K};
  const vi::Result result = vi::solve(point, vi::CaoFerris{});
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE((result.x - VectorXd::Ones(3)).norm(), 1e-14);
}

TEST(CaoFerris, RowsInOtherUnitsAreTheSameSet) {
  problems::Random random(5);
  for (Index trial = 0; trial < 30; ++trial) {
    const Index n = 2 + trial % 6;
    vi::Polyhedron K = problems::random_polytope(n, 0, 0.3, std::uint64_t(trial));
    for (Index i = 0; i < K.b.size(); ++i) {
      const double unit = std::pow(10.0, problems::uniform(random, -5.0, 5.0));
      K.A.row(i) *= unit;
      K.b[i] *= unit;
    }
    const MatrixXd M = problems::entries(random, n, n);
    const vi::Problem problem{affine_map(1e6 * M, 1e6 * problems::entries(random, n, 1)), K};
    expect_solved(problem, vi::solve(problem, vi::CaoFerris{}), std::to_string(trial));
  }
}

TEST(CaoFerris, DifferencesLoseNoDigits) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    problems::Vi vi = problems::planted_vi(problems::SetOf::Polyhedron, 6, seed, false, true);
    vi.problem.F.dense_jacobian = {};
    const vi::Result result = vi::solve(vi.problem, vi::CaoFerris{});
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_LE((result.x - vi.x).cwiseAbs().maxCoeff(), 252.0 * tolerance * result.certificate.scale);
  }
}

TEST(CaoFerris, SparseJacobians) {
  // A chain on a box, 300 unknowns, M tridiagonal without symmetry: x = x* where it is inside, planted.
  const Index n = 300;
  problems::Random random(7);
  Eigen::SparseMatrix<double> M(n, n);
  for (Index i = 0; i < n; ++i) {
    M.insert(i, i) = 2.5;
    if (i > 0) M.insert(i, i - 1) = -1.4;
    if (i + 1 < n) M.insert(i, i + 1) = -0.6;
  }
  const problems::Vi planted = problems::planted_vi(problems::SetOf::Box, n, 11, false, true);
  VectorXd w(n);
  planted.problem.F.value(planted.x, w);  // minus a normal
  const VectorXd q = w - M * planted.x;
  const vi::Problem problem{{.num_unknowns = n,
                             .num_values = n,
                             .value = [&](ConstVectorRef x, VectorRef f) { f = M * x + q; },
                             .jacobian = [&](ConstVectorRef, Eigen::SparseMatrix<double>& J) { J = M; }},
                            planted.problem.K};
  const vi::Result result = vi::solve(problem, vi::CaoFerris{});
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE((result.x - planted.x).cwiseAbs().maxCoeff(), 1e-7);
}

TEST(CaoFerris, RefusesWhatItDoesNotTake) {
  const vi::Problem good = problems::planted_vi(problems::SetOf::Polyhedron, 3, 1, true, true).problem;
  const auto refused = [&](const vi::Problem& problem, const vi::CaoFerris& options, std::string_view argument) {
    expect_refused([&] { return vi::solve(problem, options); }, argument);
  };
  refused(problems::planted_vi(problems::SetOf::Polyhedron, 3, 1, true).problem, {}, "vi::CaoFerris: problem.F");
  refused(problems::planted_vi(problems::SetOf::Ball, 3, 1, true, true).problem, {}, "vi::CaoFerris: problem.K");
  refused(good, {.tolerance = 0.0}, "vi::CaoFerris::tolerance");
  refused(good, {.max_pivots = -1}, "vi::CaoFerris::max_pivots");
  refused(good, {.refactor_every = 0}, "vi::CaoFerris::refactor_every");
  refused(good, {.time_limit = 0.0}, "vi::CaoFerris::time_limit");
  vi::CaoFerris start;
  start.start = VectorXd::Zero(2);
  refused(good, start, "vi::CaoFerris::start");
}

}  // namespace
}  // namespace nonsmooth::cao_ferris_test
