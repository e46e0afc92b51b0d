// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>
#include <set_kernels.hpp>

#include <problems/mixed.hpp>
#include <problems/reference.hpp>

namespace nonsmooth::gauss_seidel_test {
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
      // slip(t) crosses zero once at most and rises.
      const double t = slip(-mu) >= 0.0 ? -mu : slip(mu) <= 0.0 ? mu : problems::root_between(slip, -mu, mu);
      reference = r_of(t);
      ++modes[std::abs(t) == mu ? 1 : 2];
    } else {
      ++modes[0];
    }
    // t is right to 4 eps; r has the condition of W again.
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

/// Cones and cylinders that a visit solves by its scalar equation (the first rows) or by the local Newton method.
std::vector<problems::Block> local_blocks() {
  std::vector<problems::Block> blocks;
  for (const double mu : {0.0, 0.3, 1.5}) {
    blocks.push_back({{.kind = SetKind::Coulomb3D, .mu = mu}, 3});
    for (const Index n : {2, 3, 5, 6}) {
      if (mu > 0.0) blocks.push_back({{.kind = SetKind::SecondOrderCone, .mu = mu}, n});
      if (mu > 0.0)
        for (const double share : {0.0, 0.5, 1.0})
          blocks.push_back({{.kind = SetKind::DruckerPrager, .mu = mu, .lift = share * mu}, n});
    }
  }
  for (const double radius : {0.0, 0.5})
    for (const Index n : {2, 3, 6}) blocks.push_back({{.kind = SetKind::VonMises, .radius = radius}, n});
  return blocks;
}

/// W = G G^T + ridge I, and a skew part: unsymmetric, but z·W z >= ridge |z|^2.
Eigen::MatrixXd monotone_matrix(Index n, double skew, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Eigen::MatrixXd W = problems::random_spd(n, 0.1, random), A(n, n);
  for (double& entry : A.reshaped()) entry = skew * normal(random);
  return W + A - A.transpose();
}

TEST(GaussSeidelBlock, OneVisitFindsPlantedSolutionsInEveryMode) {
  std::mt19937_64 random(6);
  for (const problems::Block& block : local_blocks()) {
    int modes[3] = {};
    for (int trial = 0; trial < 300; ++trial) {
      const Index n = block.size;
      const Eigen::MatrixXd W = monotone_matrix(n, trial % 2 == 0 ? 0.0 : 0.3, random);
      Eigen::VectorXd r(n), u(n);
      problems::plant(block, random, r, u);
      const auto problem = problems::mixed_from_dense(W, u - W * r, {block});
      const auto result = solve(problem, mixed::GaussSeidel{.max_sweeps = 3});
      ASSERT_TRUE(result) << static_cast<int>(block.set.kind) << " n " << n << " mu " << block.set.mu << ": "
                          << result.message();
      EXPECT_LE(result.iterations, 1);
      ++modes[result.u.norm() < 1e-8 ? 0 : result.r.norm() < 1e-8 ? 1 : 2];
      // Where u = û, and z·W z >= 0.1 |z|^2:  0.1 |r - r*| <= (1 + rho |W|) |e|  (the law is monotone at r - rho e and
      // r*), with rho |W| = n |W| / tr W below 1e3 here.
      if (lift_factor(block.set) == 0.0) {
        EXPECT_LE((result.r - r).norm(), 1e4 * std::max(result.certificate.error, 1e-14 * problem.q.norm()));
      }
    }
    EXPECT_GT(modes[0], 30);
    if (block.set.mu > 0.0) {
      EXPECT_GT(modes[1], 30);
      EXPECT_GT(modes[2], 30);
    }
  }
}

TEST(GaussSeidelBlock, SolvesSingularContactsAndCylinders) {
  // S of rank one or zero: the block cannot tell how a stick is shared. q in the range of W, so that a stick exists.
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal;
  for (const auto& set :
       {BlockSet{.kind = SetKind::Coulomb3D, .mu = 0.5}, BlockSet{.kind = SetKind::VonMises, .radius = 0.5}})
    for (const Index rank : {1, 2})
      for (int trial = 0; trial < 500; ++trial) {
        Eigen::MatrixXd G(3, rank);
        for (double& entry : G.reshaped()) entry = normal(random);
        const Eigen::Vector3d q = G * (G.transpose() * Eigen::Vector3d(normal(random), normal(random), normal(random)));
        const auto result =
            solve(problems::mixed_from_dense(G * G.transpose(), q, {{set, 3}}), mixed::GaussSeidel{.max_sweeps = 20});
        // Far into the cylinder rank one needs |r_0| of |q| / W_00; a tiny W_00 is as good as none.
        if (std::abs(G(0, 0)) < 0.1) continue;
        EXPECT_TRUE(result) << "rank " << rank << ": " << result.message();
      }
}

TEST(GaussSeidelBlock, HandChecks) {
  // W = I. Von Mises: r_0 = -q_0, r_T = -q_T pulled back to the radius: |(3, 4)| = 5 to 2.5.
  auto result = solve(problems::mixed_from_dense(Eigen::Matrix3d::Identity(), Eigen::Vector3d(2.0, -3.0, -4.0),
                                                 {{{.kind = SetKind::VonMises, .radius = 2.5}, 3}}),
                      mixed::GaussSeidel{});
  ASSERT_TRUE(result);
  EXPECT_LE((result.r - Eigen::Vector3d(-2.0, 1.5, 2.0)).norm(), 8.0 * eps);
  // Second-order cone, mu = 1: r = P_K(-q) as W = I; P_K(1, -3, 0) = (2, -2, 0).
  result = solve(problems::mixed_from_dense(Eigen::Matrix3d::Identity(), Eigen::Vector3d(-1.0, 3.0, 0.0),
                                            {{{.kind = SetKind::SecondOrderCone, .mu = 1.0}, 3}}),
                 mixed::GaussSeidel{});
  ASSERT_TRUE(result);
  EXPECT_LE((result.r - Eigen::Vector3d(2.0, -2.0, 0.0)).norm(), 32.0 * eps);
  // Coulomb: r_N = 1, the rest slides: r_T = -0.5 (3, 0) / 3.
  result = solve(problems::mixed_from_dense(Eigen::Matrix3d::Identity(), Eigen::Vector3d(-1.0, 3.0, 0.0),
                                            {{{.kind = SetKind::Coulomb3D, .mu = 0.5}, 3}}),
                 mixed::GaussSeidel{});
  ASSERT_TRUE(result);
  EXPECT_LE((result.r - Eigen::Vector3d(1.0, -0.5, 0.0)).norm(), 8.0 * eps);
  EXPECT_LE((result.u - Eigen::Vector3d(0.0, 2.5, 0.0)).norm(), 16.0 * eps);
}

TEST(GaussSeidelBlock, RefusesNothingAndNamesTheConeWithoutW) {
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(4, 4);
  W.bottomRightCorner(3, 3).setZero();
  const auto result = solve(problems::mixed_from_dense(W, Eigen::Vector4d(-1, -1, 0, 0),
                                                       {{{}, 1}, {{.kind = SetKind::SecondOrderCone, .mu = 1.0}, 3}}),
                            mixed::GaussSeidel{});
  EXPECT_EQ(result.status, Status::NumericalFailure);
  EXPECT_EQ(result.certificate.worst_row, 1);
}

const std::vector<SetKind> every_kind = {SetKind::Free,      SetKind::Orthant,      SetKind::Box,
                                         SetKind::Coulomb2D, SetKind::Coulomb3D,    SetKind::SecondOrderCone,
                                         SetKind::VonMises,  SetKind::DruckerPrager};

TEST(GaussSeidel, SolvesMixturesOfEverySetByBothLocalSteps) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto planted = problems::planted_mixed(2 + static_cast<Index>(seed), every_kind, seed);
    for (const auto local : {mixed::GaussSeidel::Local::Exact, mixed::GaussSeidel::Local::Projection})
      for (const double relaxation : {1.0, 1.1}) {
        const auto result = solve(planted.problem, mixed::GaussSeidel{.relaxation = relaxation, .local = local});
        EXPECT_TRUE(result) << "seed " << seed << ": " << result.message();
      }
  }
}

TEST(GaussSeidel, HomogeneousContactsAndMixturesAgree) {
  // The loop of its own for three-dimensional contacts against the general one, which an extra block calls for.
  const auto planted = problems::planted_mixed(12, {SetKind::Coulomb3D}, 17);
  const Index n = planted.problem.q.size();
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(n + 1, n + 1);
  W.topLeftCorner(n, n) = planted.problem.W.to_dense();
  Eigen::VectorXd q = Eigen::VectorXd::Zero(n + 1);
  q.head(n) = planted.problem.q;
  std::vector<problems::Block> blocks;
  for (Index b = 0; b < planted.problem.K.num_blocks(); ++b) blocks.push_back({planted.problem.K[b], 3});
  blocks.push_back({{.kind = SetKind::Free}, 1});
  const mixed::GaussSeidel options{.tolerance = 1e-300, .max_sweeps = 7};
  const auto alone = solve(planted.problem, options);
  const auto mixture = solve(problems::mixed_from_dense(W, q, blocks, false), options);
  // The two add the same products in the same order; compilers may fuse neither.
  EXPECT_LE((alone.r - mixture.r.head(n)).norm(), 1e-13 * alone.r.norm());
}

TEST(GaussSeidel, TheTimeLimitEndsItWithTheBestIterate) {
  const auto problem = problems::disk_pile(10, 10, 0.4);
  const auto result =
      solve(problem, mixed::GaussSeidel{.tolerance = 1e-300, .max_sweeps = 1'000'000'000, .time_limit = 1e-3});
  EXPECT_EQ(result.status, Status::TimeLimit);
  Eigen::VectorXd u(problem.W.rows());
  EXPECT_EQ(mixed::certify(problem, result.r, u).residual, result.certificate.residual);
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
  refused({.time_limit = 0.0}, "time_limit");
  refused({.time_limit = std::nan("")}, "time_limit");
}

}  // namespace
}  // namespace nonsmooth::gauss_seidel_test
