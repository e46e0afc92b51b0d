// SPDX-License-Identifier: Apache-2.0
// The global form: reduction against dense algebra, the way back, its certificate, and what it refuses.

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/LU>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/global_problem.hpp>

#include <support/parameter_name.hpp>

namespace nonsmooth::friction::global_problem_test {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

/// Bodies of the sizes given, A block by block random with a dominant diagonal, dofs shuffled so that the blocks are
/// not contiguous; `contacts` of three rows, each between two bodies (or one and the ground).
GlobalProblem random_problem(const std::vector<Index>& sizes, Index contacts, bool symmetric, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Index n = 0;
  for (const Index size : sizes) n += size;
  std::vector<int> place(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < place.size(); ++i) place[i] = static_cast<int>(i);
  for (std::size_t i = place.size() - 1; i > 0; --i) std::swap(place[i], place[random() % (i + 1)]);
  std::vector<Eigen::Triplet<double>> A, H;
  std::vector<Index> first = {0};
  for (const Index size : sizes) {
    for (Index i = 0; i < size; ++i)
      for (Index j = 0; j <= i; ++j) {
        const int a = place[static_cast<std::size_t>(first.back() + i)];
        const int b = place[static_cast<std::size_t>(first.back() + j)];
        const double value = i == j ? static_cast<double>(size) + uniform(random) : uniform(random);
        A.emplace_back(a, b, value);
        if (i != j) A.emplace_back(b, a, symmetric ? value : uniform(random));
      }
    first.push_back(first.back() + size);
  }
  GlobalProblem problem;
  for (Index c = 0; c < contacts; ++c) {
    problem.K.push_back({.kind = SetKind::Coulomb3D, .mu = 0.5}, 3);
    for (int side = 0; side < 2; ++side) {
      const std::size_t body = random() % (sizes.size() + 1);
      if (body == sizes.size()) continue;  // the ground
      for (int row = 0; row < 3; ++row)
        for (Index i = 0; i < sizes[body]; ++i)
          H.emplace_back(static_cast<int>(3 * c) + row, place[static_cast<std::size_t>(first[body] + i)],
                         uniform(random));
    }
  }
  problem.A.resize(n, n);
  problem.A.setFromTriplets(A.begin(), A.end());
  problem.H.resize(3 * contacts, n);
  problem.H.setFromTriplets(H.begin(), H.end());
  problem.f = Eigen::VectorXd::NullaryExpr(n, [&] { return uniform(random); });
  problem.w = Eigen::VectorXd::NullaryExpr(3 * contacts, [&] { return uniform(random); });
  return problem;
}

Eigen::MatrixXd dense_reduced(const GlobalProblem& problem) {
  return Eigen::MatrixXd(problem.H) *
         Eigen::MatrixXd(problem.A).fullPivLu().solve(Eigen::MatrixXd(problem.H).transpose());
}

// Round-off of the reduction: n eps times the condition of a diagonally dominant block (< 10), with room.
constexpr double round_off = 1e-12;

struct Bodies {
  const char* name;
  std::vector<Index> sizes;

  friend void PrintTo(const Bodies& bodies, std::ostream* out) { *out << bodies.name; }
};

class Reduction : public testing::TestWithParam<Bodies> {};

TEST_P(Reduction, AgreesWithDenseAlgebra) {
  for (const bool symmetric : {true, false}) {
    const GlobalProblem problem = random_problem(GetParam().sizes, 7, symmetric, 3);
    const Problem reduced = to_reduced(problem);
    const Eigen::MatrixXd expected = dense_reduced(problem);
    EXPECT_LT((reduced.W.to_dense() - expected).cwiseAbs().maxCoeff(), round_off * expected.cwiseAbs().maxCoeff());
    const Eigen::VectorXd q = problem.H * Eigen::MatrixXd(problem.A).fullPivLu().solve(problem.f).eval() + problem.w;
    EXPECT_LT((reduced.q - q).cwiseAbs().maxCoeff(), round_off * q.cwiseAbs().maxCoeff());
    if (symmetric) {
      EXPECT_EQ(reduced.W.to_dense(), reduced.W.to_dense().transpose());
    }
  }
}

TEST_P(Reduction, VelocitiesBalanceMomentum) {
  const GlobalProblem problem = random_problem(GetParam().sizes, 5, false, 8);
  const Eigen::VectorXd r = Eigen::VectorXd::LinSpaced(15, -1.0, 2.0);
  const Eigen::VectorXd v = velocities(problem, r);
  const Eigen::VectorXd force = problem.f + problem.H.transpose() * r;
  EXPECT_LT((problem.A * v - force).cwiseAbs().maxCoeff(), round_off * force.cwiseAbs().maxCoeff());
}

// Scalars (a diagonal mass), rigid bodies, a mixture, and one body beyond the dense limit of 64 dofs.
INSTANTIATE_TEST_SUITE_P(Bodies, Reduction,
                         testing::Values(Bodies{"Scalars", std::vector<Index>(24, 1)},
                                         Bodies{"Rigid", std::vector<Index>(5, 6)},
                                         Bodies{"Mixture", {1, 6, 3, 1, 1, 12, 2}}, Bodies{"BeyondDense", {90, 6, 1}}),
                         test::parameter_name);

/// Planar rigid bodies of diagonal mass in a row, each on the ground with contact 2 b and on the next with 2 b + 1:
/// one, two or three contacts a body. Rows without lever, and zeros that are stored as if they were entries.
GlobalProblem row_of_disks(Index bodies, bool stored_zeros) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(0.5, 1.5);
  GlobalProblem problem;
  std::vector<Eigen::Triplet<double>> A, H;
  const auto touch = [&](Index contact, Index body, double side) {
    const int row = static_cast<int>(2 * contact), dof = static_cast<int>(3 * body);
    H.emplace_back(row, dof, side * uniform(random));
    if (contact % 3 != 0 || stored_zeros) H.emplace_back(row, dof + 2, contact % 3 != 0 ? uniform(random) : 0.0);
    H.emplace_back(row + 1, dof + 1, side * uniform(random));
    H.emplace_back(row + 1, dof + 2, uniform(random));
    if (stored_zeros) H.emplace_back(static_cast<int>((2 * contact + 7) % (4 * bodies)), dof, 0.0);
  };
  for (Index b = 0; b < bodies; ++b) {
    for (int dof = 0; dof < 3; ++dof)
      A.emplace_back(static_cast<int>(3 * b) + dof, static_cast<int>(3 * b) + dof, uniform(random));
    touch(2 * b, b, 1.0);
    touch(2 * b + 1, b, 1.0);
    if (b + 1 < bodies && b % 2 == 0) touch(2 * b + 1, b + 1, -1.0);
    problem.K.push_back({.kind = SetKind::Coulomb2D, .mu = 0.3}, 2);
    problem.K.push_back({.kind = SetKind::Coulomb2D, .mu = 0.3}, 2);
  }
  problem.A.resize(3 * bodies, 3 * bodies);
  problem.A.setFromTriplets(A.begin(), A.end());
  problem.H.resize(4 * bodies, 3 * bodies);
  problem.H.setFromTriplets(H.begin(), H.end());
  problem.f = Eigen::VectorXd::NullaryExpr(3 * bodies, [&] { return uniform(random); });
  problem.w = Eigen::VectorXd::NullaryExpr(4 * bodies, [&] { return uniform(random); });
  return problem;
}

TEST(GlobalProblem, DiagonalMassesAreReducedExactly) {
  for (const bool stored_zeros : {false, true})
    for (const bool compressed : {true, false}) {
      GlobalProblem problem = row_of_disks(9, stored_zeros);
      if (!compressed) problem.A.uncompress();
      if (!compressed) problem.H.uncompress();
      const Problem reduced = to_reduced(problem);
      const Eigen::MatrixXd W = reduced.W.to_dense(), expected = dense_reduced(problem);
      EXPECT_LT((W - expected).cwiseAbs().maxCoeff(), round_off * expected.cwiseAbs().maxCoeff());
      EXPECT_EQ(W, W.transpose());
      // A stored zero couples nothing.
      EXPECT_EQ(reduced.W.num_blocks(), to_reduced(row_of_disks(9, false)).W.num_blocks());
      const Eigen::VectorXd r = Eigen::VectorXd::LinSpaced(36, -1.0, 2.0);
      Eigen::VectorXd u(36);
      double balance = 1.0;
      const Certificate certificate = certify(problem, velocities(problem, r), r, u, balance);
      EXPECT_LT((u - W * r - reduced.q).cwiseAbs().maxCoeff(), round_off * u.cwiseAbs().maxCoeff());
      EXPECT_LT(balance, round_off);
      EXPECT_DOUBLE_EQ(certificate.scale, reduced.q.lpNorm<Eigen::Infinity>());
    }
}

TEST(GlobalProblem, ReducedBlocksAreThoseOfSharedBodies) {
  // Bodies 0 and 1 of two dofs each: contact 0 on body 0, contact 1 on body 1, contact 2 between them.
  GlobalProblem problem;
  problem.A = Sparse(4, 4);
  problem.A.setIdentity();
  problem.A.coeffRef(0, 1) = 0.5;
  problem.A.coeffRef(2, 3) = 0.5;
  std::vector<Eigen::Triplet<double>> H = {{0, 0, 1.0}, {1, 1, 1.0},  {2, 2, 1.0}, {3, 3, 1.0},
                                           {4, 0, 1.0}, {4, 2, -1.0}, {5, 1, 1.0}, {5, 3, -1.0}};
  problem.H.resize(6, 4);
  problem.H.setFromTriplets(H.begin(), H.end());
  problem.f = Eigen::VectorXd::Ones(4);
  problem.w.setZero(6);
  for (int c = 0; c < 3; ++c) problem.K.push_back({.kind = SetKind::Coulomb2D, .mu = 0.3}, 2);
  const Problem reduced = to_reduced(problem);
  EXPECT_LT(reduced.W.find(0, 1), 0);
  EXPECT_LT(reduced.W.find(1, 0), 0);
  EXPECT_GE(reduced.W.find(0, 2), 0);
  EXPECT_EQ(reduced.W.num_blocks(), 7);
}

TEST(GlobalProblem, RefusesWhatIsMalformed) {
  const GlobalProblem good = random_problem({6, 6}, 2, true, 1);
  ASSERT_NO_THROW(good.validate());
  const auto argument = [](const GlobalProblem& problem) {
    try {
      problem.validate();
    } catch (const InvalidArgument& error) {
      return error.argument();
    }
    return std::string("none");
  };
  GlobalProblem bad = good;
  bad.A.resize(0, 0);
  EXPECT_EQ(argument(bad), "friction::GlobalProblem::A");
  bad = good;
  bad.A.coeffRef(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(argument(bad), "friction::GlobalProblem::A");
  bad = good;
  bad.f.resize(3);
  EXPECT_EQ(argument(bad), "friction::GlobalProblem::f");
  bad = good;
  bad.w.resize(5);
  EXPECT_EQ(argument(bad), "friction::GlobalProblem::w");
  bad = good;
  bad.H = good.H.transpose();
  EXPECT_EQ(argument(bad), "friction::GlobalProblem::H");
  bad = good;
  bad.w[2] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(argument(bad), "friction::GlobalProblem::w");
  bad = good;
  bad.K.clear();
  for (int b = 0; b < 2; ++b) bad.K.push_back({.kind = SetKind::Box, .lower = -1.0, .upper = 1.0}, 3);
  EXPECT_EQ(argument(bad), "friction::GlobalProblem::K");
}

TEST(GlobalProblem, RefusesASingularMass) {
  GlobalProblem problem = random_problem({6, 1, 80}, 3, true, 2);
  const Eigen::MatrixXd dense = problem.A;
  for (Index row = 0; row < dense.rows(); ++row) {
    Eigen::MatrixXd singular = dense;
    singular.row(row).setZero();  // also in the body of one dof, and in the sparse one
    singular.col(row).setZero();
    problem.A = singular.sparseView();
    ASSERT_THROW((void)to_reduced(problem), InvalidArgument);
    ASSERT_THROW((void)velocities(problem, Eigen::VectorXd::Zero(9)), InvalidArgument);
    if (row > 8) break;
  }
}

TEST(GlobalProblem, WithoutContactsThereIsNothingToReduceTo) {
  GlobalProblem problem = random_problem({6}, 0, true, 2);
  EXPECT_NO_THROW(problem.validate());
  EXPECT_THROW((void)to_reduced(problem), InvalidArgument);
}

TEST(GlobalProblem, RoundTripOfReducedForms) {
  // Ten dependent contacts on one body: W of rank 6 in 30 rows; and two islands.
  for (const auto& sizes : {std::vector<Index>{6}, std::vector<Index>{6, 6, 6}}) {
    Problem reduced = to_reduced(random_problem(sizes, 10, true, 5));
    const GlobalProblem global = to_global(reduced);
    EXPECT_NO_THROW(global.validate());
    EXPECT_LE(global.A.rows(), 6 * static_cast<Index>(sizes.size()));
    const Problem again = to_reduced(global);
    const double size = reduced.W.to_dense().cwiseAbs().maxCoeff();
    EXPECT_LT((again.W.to_dense() - reduced.W.to_dense()).cwiseAbs().maxCoeff(), round_off * size);
    EXPECT_EQ(again.q, reduced.q);  // A = 1, f = 0
  }
}

// W = H A^-1 H^T summed in another order below the diagonal: some eps apart from its mirror, of rank 6 in 30 rows.
TEST(GlobalProblem, ToGlobalTakesAMatrixThatIsSymmetricUpToRoundOff) {
  Problem reduced = to_reduced(random_problem({6}, 10, true, 5));
  const Eigen::MatrixXd symmetric = reduced.W.to_dense();
  const double size = symmetric.cwiseAbs().maxCoeff();
  const auto disturb = [&](double by) {
    for (Index i = 0; i < reduced.W.num_block_rows(); ++i)
      for (Index k = reduced.W.row_begin(i); k < reduced.W.row_begin(i + 1); ++k)
        if (reduced.W.column(k) < i) reduced.W.block(i, k).array() += (i + k) % 2 == 0 ? by : -by;
  };
  disturb(4.0 * std::numeric_limits<double>::epsilon() * size);
  ASSERT_NE(reduced.W.to_dense(), reduced.W.to_dense().transpose().eval());
  const GlobalProblem global = to_global(reduced);
  EXPECT_EQ(global.A.rows(), 6);
  const Eigen::MatrixXd again = to_reduced(global).W.to_dense();
  // Half of the disturbance, and what the pivots that count as noise leave: 4 * 30 * (1 + 2) eps.
  EXPECT_LE((again - symmetric).cwiseAbs().maxCoeff(), 400.0 * std::numeric_limits<double>::epsilon() * size);
  EXPECT_EQ(again, again.transpose().eval());
  disturb(1e-13 * size);
  EXPECT_THROW((void)to_global(reduced), InvalidArgument);
}

TEST(GlobalProblem, ZeroMatrixHasAGlobalForm) {
  Problem reduced;
  reduced.W.begin_pattern({2});
  reduced.W.next_row();
  reduced.W.end_pattern();
  reduced.q = Eigen::VectorXd::Ones(2);
  reduced.K.push_back({.kind = SetKind::Coulomb2D, .mu = 0.5}, 2);
  EXPECT_TRUE(to_reduced(to_global(reduced)).W.to_dense().isZero(0.0));
}

TEST(GlobalProblem, ToGlobalRefusesWhatHasNoFactor) {
  Problem reduced;
  reduced.W.begin_pattern({2});
  reduced.W.next_row();
  reduced.W.end_pattern();
  reduced.q = Eigen::VectorXd::Ones(2);
  reduced.K.push_back({.kind = SetKind::Coulomb2D, .mu = 0.5}, 2);
  const auto set = [&](double a, double b, double c, double d) { reduced.W.block(0, 0) << a, b, c, d; };
  set(1.0, 0.5, 0.4, 1.0);  // not symmetric
  EXPECT_THROW((void)to_global(reduced), InvalidArgument);
  set(1.0, 0.0, 0.0, -1.0);  // a negative pivot at once
  EXPECT_THROW((void)to_global(reduced), InvalidArgument);
  set(1.0, 2.0, 2.0, 1.0);  // one after elimination: 1 - 4
  EXPECT_THROW((void)to_global(reduced), InvalidArgument);
  set(0.0, 1.0, 1.0, 0.0);  // zero pivots, and a remainder
  EXPECT_THROW((void)to_global(reduced), InvalidArgument);
}

TEST(GlobalCertificate, IsWhatTheDataSay) {
  // Mass 2 and a wall: A = 2 I, H = I, w = 0, f = (-2, 1): q = f / 2, rho = 2. At v = (0.1, 0.5), r = (2.5, 0):
  // u = v; |u_T| = 0.5, û_N = 0.1 + 0.5 * 0.5 = 0.35; z = r - 2 û = (1.8, -1): outside K = {|r_T| <= r_N / 2}, above
  // its polar; P_N = (1.8 + 0.5) / 1.25 = 1.84, P_T = -0.92; e = (r - P) / rho = (0.33, 0.46).
  GlobalProblem problem;
  problem.A.resize(2, 2);
  problem.A.setIdentity();
  problem.A *= 2.0;
  problem.H.resize(2, 2);
  problem.H.setIdentity();
  problem.f = Eigen::Vector2d(-2.0, 1.0);
  problem.w.setZero(2);
  problem.K.push_back({.kind = SetKind::Coulomb2D, .mu = 0.5}, 2);
  Eigen::VectorXd u(2);
  double balance = -1.0;
  const Certificate certificate = certify(problem, Eigen::Vector2d(0.1, 0.5), Eigen::Vector2d(2.5, 0.0), u, balance);
  EXPECT_NEAR(certificate.error, 0.46, 1e-15);
  EXPECT_EQ(certificate.scale, 1.0);
  EXPECT_EQ(certificate.worst_row, 1);
  EXPECT_EQ(u, Eigen::Vector2d(0.1, 0.5));
  // A v - H^T r - f = (0.2 - 2.5 + 2, 1 - 0 - 1) = (-0.3, 0); |f| = 2.
  EXPECT_NEAR(balance, 0.15, 1e-15);
  EXPECT_NEAR(certificate.residual, 0.46, 1e-15);
  const Certificate worse = certify(problem, Eigen::Vector2d(9.0, 0.5), Eigen::Vector2d(2.5, 0.0), u, balance);
  EXPECT_NEAR(worse.residual, std::max(balance, worse.error), 1e-15);
  EXPECT_NEAR(balance, 8.75, 1e-14);  // (18 - 2.5 + 2) / 2
}

TEST(GlobalCertificate, OfWhatSticksCountsGroupsWithoutFriction) {
  // Of unit masses a contact that sticks, mu = 2, rolls with 0.01 and spins freely: with u_S = 5 and r_S = 0 all holds;
  // r_S = 1 is outside K by 1, whatever else sticks.
  GlobalProblem problem;
  problem.A.resize(6, 6);
  problem.A.setIdentity();
  problem.H.resize(6, 6);
  problem.H.setIdentity();
  problem.f = (Eigen::VectorXd(6) << -1.0, 0.0, 0.0, 0.0, 0.0, 5.0).finished();
  problem.w.setZero(6);
  problem.K.push_back({.kind = SetKind::Rolling, .mu = 2.0, .rolling = 0.01}, 6);
  Eigen::VectorXd u(6), v = (Eigen::VectorXd(6) << 0.0, 0.0, 0.0, 0.0, 0.0, 5.0).finished();
  Eigen::VectorXd r = (Eigen::VectorXd(6) << 1.0, 0.0, 0.0, 0.0, 0.0, 0.0).finished();
  double balance = 0.0;
  EXPECT_LE(certify(problem, v, r, u, balance).residual, 1e-15);
  problem.f[5] = 4.0;
  r[5] = 1.0;
  EXPECT_GE(certify(problem, v, r, u, balance).error, 0.1);
}

TEST(GlobalCertificate, DoesNotDependOnTheUnitOfMassOrTime) {
  GlobalProblem problem = random_problem({6, 6, 6}, 5, true, 11);
  const Eigen::VectorXd r = Eigen::VectorXd::LinSpaced(15, 0.0, 1.0), v = velocities(problem, r);
  Eigen::VectorXd u(15);
  double balance = 0.0;
  const double residual = certify(problem, v, r, u, balance).residual;
  problem.A *= 0x1p10;
  problem.f *= 0x1p10;
  EXPECT_EQ(certify(problem, v, 0x1p10 * r, u, balance).residual, residual);
  problem.f *= 0x1p-5;  // velocities, and with them impulses, in another unit of time
  problem.w *= 0x1p-5;
  EXPECT_EQ(certify(problem, 0x1p-5 * v, 0x1p5 * r, u, balance).residual, residual);
}

TEST(GlobalCertificate, OfForeignSetsIsThatOfTheCanonicalForm) {
  // An elliptic contact with cohesion, against the reduced certificate: with A diagonal both have the same rho and q.
  GlobalProblem problem = random_problem(std::vector<Index>(6, 1), 2, true, 4);
  problem.A = Sparse(problem.A.diagonal().asDiagonal());
  problem.K.clear();
  problem.K.push_back({.kind = SetKind::Coulomb3D, .mu = 0.5, .mu_2 = 0.3}, 3);
  problem.K.push_back({.kind = SetKind::Coulomb3D, .mu = 0.7, .cohesion = 0.2}, 3);
  const Eigen::VectorXd r = Eigen::VectorXd::LinSpaced(6, 0.4, -0.1), v = velocities(problem, r);
  Eigen::VectorXd u(6), expected_u(6);
  double balance = 0.0;
  const Certificate certificate = certify(problem, v, r, u, balance);
  const Certificate expected = mixed::certify(to_reduced(problem), r, expected_u);
  EXPECT_NEAR(certificate.error, expected.error, 1e-14);
  EXPECT_NEAR(certificate.scale, expected.scale, 1e-14);
  EXPECT_LT((u - expected_u).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(GlobalResult, IsBornNotRun) {
  const GlobalResult result;
  EXPECT_FALSE(result);
  EXPECT_TRUE(std::isnan(result.certificate.residual));
  EXPECT_NE(result.message().find("not run"), std::string::npos);
}

}  // namespace
}  // namespace nonsmooth::friction::global_problem_test
