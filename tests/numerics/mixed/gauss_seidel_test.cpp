// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>

#include <problems/mixed.hpp>

namespace nonsmooth {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

mixed::Problem one_contact(const Eigen::Matrix2d& W, const Eigen::Vector2d& q, double mu) {
  return problems::mixed_from_dense(W, q, {{{.kind = SetKind::Coulomb2D, .mu = mu}, 2}});
}

TEST(GaussSeidelContact, TakesOffSticksAndSlidesAsTheClosedFormsSay) {
  const Eigen::Matrix2d W{{2.0, 0.0}, {0.0, 3.0}};
  const double mu = 0.5;
  struct Case {
    Eigen::Vector2d q, r, u;
  };
  // r_N = -q_N / 2 where it touches; stick r_T = -q_T / 3 while |r_T| <= mu r_N; else r_T = -+mu r_N.
  const Case cases[] = {{{1.0, 5.0}, {0.0, 0.0}, {1.0, 5.0}},
                        {{-2.0, 0.9}, {1.0, -0.3}, {0.0, 0.0}},
                        {{-2.0, 4.0}, {1.0, -0.5}, {0.0, 2.5}},
                        {{-2.0, -4.0}, {1.0, 0.5}, {0.0, -2.5}}};
  for (const Case& expected : cases) {
    const auto result = solve(one_contact(W, expected.q, mu), mixed::GaussSeidel{});
    ASSERT_TRUE(result) << result.message();
    EXPECT_LE((result.r - expected.r).cwiseAbs().maxCoeff(), 4.0 * eps);
    EXPECT_LE((result.u - expected.u).cwiseAbs().maxCoeff(), 16.0 * eps);
    EXPECT_LE(result.iterations, 1);
  }
}

/// The best certificate over a fine sampling of the four modes, without the solver's formulas: take-off, and for
/// contacts the family r = r_N (1, t), |t| <= mu, with u_N = 0; the right t has u_T = 0 or lies at an end.
TEST(GaussSeidelContact, IsExactAgainstBruteForceWithCoupling) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> friction(0.0, 1.5);
  int modes[3] = {};
  for (int trial = 0; trial < 2000; ++trial) {
    const Eigen::Matrix2d W = problems::random_spd(2, 0.1, random);
    const double mu = std::min(friction(random), 0.95 * W(0, 0) / std::abs(W(0, 1)));  // unique there
    const Eigen::Vector2d q(normal(random), normal(random));
    const auto problem = one_contact(W, q, mu);
    const auto result = solve(problem, mixed::GaussSeidel{});
    ASSERT_TRUE(result) << result.message();
    EXPECT_LE(result.iterations, 1);
    // One exact local solve: a 2 x 2 system, whose error is eps times its condition (<= 1e3 with ridge 0.1) in r.
    EXPECT_LE(result.certificate.residual, 1e3 * 4.0 * eps);
    Eigen::Vector2d reference = Eigen::Vector2d::Zero();
    if (q[0] < 0.0) {
      const auto r_of = [&](double t) {
        return Eigen::Vector2d(-q[0] / (W(0, 0) + W(0, 1) * t) * Eigen::Vector2d(1.0, t));
      };
      const auto slip = [&](double t) { return q[1] + W.row(1) * r_of(t); };
      // slip(t) crosses zero once at most and rises: bisection on t.
      double low = -mu, high = mu;
      if (slip(low) >= 0.0) {
        high = low;
      } else if (slip(high) <= 0.0) {
        low = high;
      }
      for (int k = 0; k < 80 && low < high; ++k) {
        const double t = 0.5 * (low + high);
        (slip(t) > 0.0 ? high : low) = t;
      }
      reference = r_of(0.5 * (low + high));
      ++modes[std::abs(high) == mu ? 1 : 2];
    } else {
      ++modes[0];
    }
    // Bisection ends within 2 ulp of t; r has the condition of W again.
    EXPECT_LE((result.r - reference).cwiseAbs().maxCoeff(), 1e3 * 8.0 * eps * (1.0 + reference.cwiseAbs().maxCoeff()));
  }
  for (const int count : modes) EXPECT_GT(count, 100);
}

TEST(GaussSeidelContact, FindsASolutionBeyondTheUniquenessBound) {
  // mu |W_NT| > W_NN: for positive definite W a solution still exists; whichever is given must be certified.
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 500; ++trial) {
    const Eigen::Matrix2d W{{1.0, 0.9}, {0.9, 1.0}};
    const auto result = solve(one_contact(W, {normal(random), normal(random)}, 2.0), mixed::GaussSeidel{});
    EXPECT_TRUE(result) << result.message();
  }
}

TEST(GaussSeidelContact, FrictionlessAndUncoupledDegenerateBlocks) {
  // mu = 0: the tangential row never pushes. W_TT = 0: no stick exists, the sign of q_T alone decides the side.
  auto result = solve(one_contact(Eigen::Matrix2d{{2, 0.3}, {0.3, 1}}, {-1.0, 0.7}, 0.0), mixed::GaussSeidel{});
  ASSERT_TRUE(result);
  EXPECT_EQ(result.r, Eigen::Vector2d(0.5, 0.0));
  result = solve(one_contact(Eigen::Matrix2d{{2, 0}, {0, 0}}, {-1.0, 0.7}, 0.5), mixed::GaussSeidel{});
  ASSERT_TRUE(result);
  EXPECT_EQ(result.r, Eigen::Vector2d(0.5, -0.25));
}

TEST(GaussSeidel, SolvesAPileAndReportsTheFieldsFigures) {
  const auto problem = problems::disk_pile(6, 4, 0.4);
  const auto result = solve(problem, mixed::GaussSeidel{.tolerance = 1e-8});
  ASSERT_TRUE(result) << result.message();
  const auto figures = mixed::friction_figures(problem, result.r, result.u);
  // Local solves keep r in the cone; edges are -+mu r_N rounded once.
  EXPECT_LE(figures.cone_violation, eps * result.r.cwiseAbs().maxCoeff());
  // An error e <= 1e-8 |q| bounds the normal velocity of a contact that pushes, and the penetration of one that
  // doesn't.
  EXPECT_LE(figures.penetration, 1e-8 * result.certificate.scale);
  EXPECT_LE(figures.natural_map, 1e-6);
}

TEST(GaussSeidel, AWarmStartThatIsASolutionCostsOneCheckAndNoSweep) {
  const auto problem = problems::disk_pile(5, 3, 0.4);
  mixed::GaussSeidelWorkspace workspace;
  mixed::Result result;
  workspace.solve(problem, {}, result);
  ASSERT_TRUE(result);
  EXPECT_GT(result.iterations, 0);
  const Eigen::VectorXd r = result.r;
  workspace.solve(problem, {}, result);
  ASSERT_TRUE(result);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_TRUE((r.array() == result.r.array()).all());
}

TEST(GaussSeidel, StartsFromZeroWhereTheStartIsNotFinite) {
  const auto problem = problems::disk_pile(3, 2, 0.4);
  mixed::GaussSeidelWorkspace workspace;
  mixed::Result cold, poisoned;
  workspace.solve(problem, {}, cold);
  poisoned.r = Eigen::VectorXd::Constant(problem.W.rows(), std::nan(""));
  workspace.solve(problem, {}, poisoned);
  EXPECT_TRUE((cold.r.array() == poisoned.r.array()).all());
}

TEST(GaussSeidel, KeepsTheBestIterateAtTheLimit) {
  const auto problem = problems::disk_pile(10, 10, 0.4);
  double previous = std::numeric_limits<double>::infinity();
  for (const Index sweeps : {1, 20, 400}) {
    const auto result = solve(problem, mixed::GaussSeidel{.max_sweeps = sweeps});
    EXPECT_EQ(result.status, Status::IterationLimit);
    EXPECT_EQ(result.iterations, sweeps);
    EXPECT_LE(result.certificate.residual, previous);
    Eigen::VectorXd u(problem.W.rows());
    EXPECT_EQ(mixed::certify(problem, result.r, u).residual, result.certificate.residual);
    EXPECT_NE(result.message().find("iteration limit"), std::string::npos);
    previous = result.certificate.residual;
  }
}

TEST(GaussSeidel, RelaxationReachesTheSameAnswer) {
  const auto planted =
      problems::planted_mixed(8, {SetKind::Free, SetKind::Orthant, SetKind::Box, SetKind::Coulomb2D}, 9);
  for (const double relaxation : {0.7, 1.0, 1.2}) {
    const auto result = solve(planted.problem, mixed::GaussSeidel{.relaxation = relaxation});
    EXPECT_TRUE(result) << relaxation << ": " << result.message();
  }
}

TEST(GaussSeidel, NamesTheBlockWithoutALocalSolution) {
  Eigen::Matrix3d W = Eigen::Matrix3d::Identity();
  W(1, 1) = 0.0;
  W(1, 2) = 1.0;
  W(2, 1) = -1.0;
  const auto result = solve(problems::mixed_from_dense(W, Eigen::Vector3d(-1, -1, -1), {{{}, 1}, {{}, 1}, {{}, 1}}),
                            mixed::GaussSeidel{});
  EXPECT_EQ(result.status, Status::NumericalFailure);
  EXPECT_EQ(result.certificate.worst_row, 1);
  EXPECT_TRUE(result.r.allFinite());
}

TEST(GaussSeidel, DivergenceIsAStatus) {
  // Far from diagonally dominant and indefinite off the diagonal: sweeps multiply the iterate by up to 10^4.
  Eigen::Matrix2d W{{1.0, -100.0}, {-100.0, 1.0}};
  const auto result =
      solve(problems::mixed_from_dense(W, Eigen::Vector2d(-1, -1), {{{}, 1}, {{}, 1}}), mixed::GaussSeidel{});
  EXPECT_EQ(result.status, Status::NumericalFailure) << result.message();
  EXPECT_TRUE(result.r.allFinite());
}

TEST(GaussSeidel, OptionsAreRefusedWithTheFieldsName) {
  const auto problem = problems::disk_pile(1, 1, 0.4);
  const auto refused = [&](const mixed::GaussSeidel& options, const char* field) {
    try {
      (void)solve(problem, options);
      ADD_FAILURE() << field;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(error.argument().find(field), std::string::npos) << error.what();
    }
  };
  refused({.tolerance = 0.0}, "tolerance");
  refused({.tolerance = std::nan("")}, "tolerance");
  refused({.max_sweeps = 0}, "max_sweeps");
  refused({.relaxation = 0.0}, "relaxation");
  refused({.relaxation = 2.0}, "relaxation");
  refused({.relaxation = std::nan("")}, "relaxation");
  refused({.check_every = 0}, "check_every");
}

}  // namespace
}  // namespace nonsmooth
