// SPDX-License-Identifier: Apache-2.0
// Algorithms on the global form: closed forms, planted solutions, dependent contacts, what is refused.

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/global_admm.hpp>
#include <nonsmooth/numerics/friction/global_automatic.hpp>
#include <nonsmooth/numerics/friction/global_proximal_newton.hpp>

#include "incline.hpp"

namespace nonsmooth::friction::global_solvers_test {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

/// A solution (v, r) with contacts that separate, stick and slide, one after the other, and the problem it solves:
/// w = u - H v, f = A v - H^T r. Bodies of six dofs, A = B + B^T / 2 + dominant diagonal or its symmetric part.
struct Planted {
  GlobalProblem problem;
  Eigen::VectorXd v, r;
};
Planted plant(Index bodies, Index contacts, double mu, bool symmetric, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Planted planted;
  GlobalProblem& problem = planted.problem;
  std::vector<Eigen::Triplet<double>> A, H;
  for (Index b = 0; b < bodies; ++b)
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j <= i; ++j) {
        const int first = static_cast<int>(6 * b);
        const double value = i == j ? 7.0 : uniform(random);
        A.emplace_back(first + i, first + j, value);
        if (i != j) A.emplace_back(first + j, first + i, symmetric ? value : 0.5 * uniform(random));
      }
  const Index m = 3 * contacts;
  Eigen::VectorXd u = Eigen::VectorXd::Zero(m);
  planted.r.setZero(m);
  for (Index c = 0; c < contacts; ++c) {
    problem.K.push_back({.kind = SetKind::Coulomb3D, .mu = mu}, 3);
    const Index one = static_cast<Index>(random() % static_cast<std::uint64_t>(bodies));
    const Index two = static_cast<Index>(random() % static_cast<std::uint64_t>(bodies));
    for (int row = 0; row < 3; ++row)
      for (int i = 0; i < 6; ++i) {
        H.emplace_back(static_cast<int>(3 * c) + row, static_cast<int>(6 * one) + i, uniform(random));
        H.emplace_back(static_cast<int>(3 * c) + row, static_cast<int>(6 * two) + i, uniform(random));
      }
    auto rc = planted.r.segment(3 * c, 3), uc = u.segment(3 * c, 3);
    if (c % 3 == 0) {
      uc << 1.0 + uniform(random) * 0.5, uniform(random), uniform(random);  // apart
    } else {
      const double direction = 3.0 * uniform(random), share = c % 3 == 1 ? 0.6 : 1.0;
      rc << 1.0, share * mu * std::cos(direction), share * mu * std::sin(direction);
      if (c % 3 == 2) uc.tail(2) = -rc.tail(2) * (1.5 + uniform(random));  // slides against r_T
    }
  }
  problem.A.resize(6 * bodies, 6 * bodies);
  problem.A.setFromTriplets(A.begin(), A.end());
  problem.H.resize(m, 6 * bodies);
  problem.H.setFromTriplets(H.begin(), H.end());
  planted.v = Eigen::VectorXd::NullaryExpr(6 * bodies, [&] { return uniform(random); });
  problem.w = u - problem.H * planted.v;
  problem.f = problem.A * planted.v - problem.H.transpose() * planted.r;
  return planted;
}

double recertified(const GlobalProblem& problem, const GlobalResult& result) {
  Eigen::VectorXd u(problem.w.size());
  double balance = 0.0;
  return certify(problem, result.v, result.r, u, balance).residual;
}

template <class Options>
class GlobalSolvers : public testing::Test {};
using Algorithms = testing::Types<GlobalAutomatic, GlobalProximalNewton, GlobalAdmm>;
TYPED_TEST_SUITE(GlobalSolvers, Algorithms);

// The certificate bounds errors of u by 1e-10 |q| = 1e-10 * step * gravity, those of r by that over rho = 1 / mass;
// elimination of the two by the law costs a factor below 10.
constexpr double closed_form = 10.0 * 1e-10 * step * gravity * mass;

TYPED_TEST(GlobalSolvers, BlockSticksOnAnIncline) {
  const GlobalProblem problem = incline(0.4, 0.5);  // tan 0.4 = 0.42
  TypeParam options;
  options.tolerance = 1e-10;
  const GlobalResult result = solve(problem, options);
  ASSERT_TRUE(result) << result.message();
  EXPECT_LT((result.r + problem.f).norm(), closed_form);
  EXPECT_LT(result.v.norm(), closed_form);
  EXPECT_EQ(recertified(problem, result), result.certificate.residual);
}

TYPED_TEST(GlobalSolvers, BlockSlidesDownAnIncline) {
  const double angle = 0.6, mu = 0.5;  // tan 0.6 = 0.68
  const GlobalProblem problem = incline(angle, mu);
  TypeParam options;
  options.tolerance = 1e-10;
  const GlobalResult result = solve(problem, options);
  ASSERT_TRUE(result) << result.message();
  const double normal = step * mass * gravity * std::cos(angle);
  EXPECT_LT((result.r - Eigen::Vector3d(normal, -mu * normal, 0.0)).norm(), closed_form);
  const double speed = step * gravity * (std::sin(angle) - mu * std::cos(angle));
  EXPECT_LT((result.v - Eigen::Vector3d(0.0, speed, 0.0)).norm(), closed_form);  // no dilation: u_N = 0
}

TYPED_TEST(GlobalSolvers, BlockTakesOff) {
  GlobalProblem problem = incline(0.3, 0.5);
  problem.f[0] = 1.0;
  TypeParam options;
  options.tolerance = 1e-10;
  const GlobalResult result = solve(problem, options);
  ASSERT_TRUE(result) << result.message();
  EXPECT_LT(result.r.norm(), closed_form);
  EXPECT_LT((result.v - problem.f / mass).norm(), 1e-10);
}

TYPED_TEST(GlobalSolvers, PlantedVelocitiesAreFound) {
  // mu = 0.1: the problem is a small perturbation of a monotone one, whose velocities are unique.
  for (const bool symmetric : {true, false})
    for (unsigned seed = 0; seed < 5; ++seed) {
      const Planted planted = plant(6, 9, 0.1, symmetric, seed);
      TypeParam options;
      options.tolerance = 1e-10;
      const GlobalResult result = solve(planted.problem, options);
      ASSERT_TRUE(result) << result.message() << " seed " << seed;
      // 1e-10 |q|, |q| < 20, times the condition of the contacts' inverse (here below 1e3).
      EXPECT_LT((result.v - planted.v).cwiseAbs().maxCoeff(), 1e-10 * 20.0 * 1e3) << "seed " << seed;
    }
}

TYPED_TEST(GlobalSolvers, DependentRowsOfH) {
  // 20 contacts on two bodies: 60 rows of rank 12.
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Planted planted = plant(2, 20, 0.3, true, seed);
    const GlobalResult result = solve(planted.problem, TypeParam{.tolerance = 1e-8});
    ASSERT_TRUE(result) << result.message() << " seed " << seed;
    EXPECT_LE(recertified(planted.problem, result), 1e-8);
    EXPECT_LE(result.balance, 1e-8);
  }
}

TYPED_TEST(GlobalSolvers, FourFeetCarryTheWeight) {
  // A box of half sides 0.5, 0.4 and height 0.3 on four feet: H has rank 6 in 12 rows; the resultant is unique.
  GlobalProblem problem;
  problem.A.resize(6, 6);
  problem.A.setIdentity();
  std::vector<Eigen::Triplet<double>> H;
  int row = 0;
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.4, 0.4}) {
      const double z = -0.3;  // velocity of the point: v + omega x (x, y, z), rows (N = z, T1 = x, T2 = y)
      H.insert(H.end(), {{row, 2, 1.0}, {row, 3, y}, {row, 4, -x}});
      H.insert(H.end(), {{row + 1, 0, 1.0}, {row + 1, 4, z}, {row + 1, 5, -y}});
      H.insert(H.end(), {{row + 2, 1, 1.0}, {row + 2, 3, -z}, {row + 2, 5, x}});
      problem.K.push_back({.kind = SetKind::Coulomb3D, .mu = 0.6}, 3);
      row += 3;
    }
  problem.H.resize(12, 6);
  problem.H.setFromTriplets(H.begin(), H.end());
  problem.f.setZero(6);
  problem.f[2] = -step * gravity;
  problem.f[0] = 0.3 * step * gravity;  // pushed, below mu
  problem.w.setZero(12);
  const GlobalResult result = solve(problem, TypeParam{.tolerance = 1e-10});
  ASSERT_TRUE(result) << result.message();
  EXPECT_LT(result.v.norm(), 1e-9);
  double normal = 0.0, push = 0.0;
  for (int c = 0; c < 4; ++c) {
    normal += result.r[3 * c];
    push += result.r[3 * c + 1];
  }
  EXPECT_NEAR(normal, step * gravity, 1e-10);  // balance of momentum alone
  EXPECT_NEAR(push, -0.3 * step * gravity, 1e-10);
}

TYPED_TEST(GlobalSolvers, EllipticCohesiveAndRollingContacts) {
  GlobalProblem elliptic = incline(0.6, 0.8);  // sticks along T1 with 0.8, slides along T2
  std::swap(elliptic.f[1], elliptic.f[2]);
  elliptic.K.clear();
  elliptic.K.push_back({.kind = SetKind::Coulomb3D, .mu = 0.8, .mu_2 = 0.5}, 3);
  TypeParam options;
  options.tolerance = 1e-10;
  GlobalResult result = solve(elliptic, options);
  ASSERT_TRUE(result) << result.message();
  const double normal = step * mass * gravity * std::cos(0.6);
  EXPECT_LT((result.r - Eigen::Vector3d(normal, 0.0, -0.5 * normal)).norm(), closed_form);

  GlobalProblem cohesive = incline(0.3, 0.5);
  cohesive.f = Eigen::Vector3d(0.1, 0.0, 0.0);  // pulled off with less than the cohesion: stays
  cohesive.K.clear();
  cohesive.K.push_back({.kind = SetKind::Coulomb3D, .mu = 0.5, .cohesion = 0.15}, 3);
  result = solve(cohesive, options);
  ASSERT_TRUE(result) << result.message();
  EXPECT_LT(result.v.norm(), closed_form);
  EXPECT_NEAR(result.r[0], -0.1, closed_form);

  // A wheel of radius R on the ground, dofs (normal, along, spin): u_T = along + R spin = 0 while it rolls, u_R = spin.
  // Pushed by p, momentum and spin balance: mass v = p + r_T, I omega = R r_T + r_R, v = -R omega, and rolling friction
  // |r_R| = rolling r_N against omega.
  const double radius = 0.5, inertia = 0.25, rolling = 0.05, push = 0.1, weight = 0.2;
  GlobalProblem wheel;
  wheel.A.resize(3, 3);
  wheel.A.insert(0, 0) = mass;
  wheel.A.insert(1, 1) = mass;
  wheel.A.insert(2, 2) = inertia;
  wheel.H.resize(3, 3);
  wheel.H.insert(0, 0) = 1.0;
  wheel.H.insert(1, 1) = 1.0;
  wheel.H.insert(1, 2) = radius;
  wheel.H.insert(2, 2) = 1.0;
  wheel.f = Eigen::Vector3d(-weight, push, 0.0);
  wheel.w.setZero(3);
  wheel.K.push_back({.kind = SetKind::Rolling, .mu = 0.8, .rolling = rolling}, 3);
  result = solve(wheel, options);
  ASSERT_TRUE(result) << result.message();
  // omega < 0, so r_R = + rolling weight; elimination of r_T gives
  // (mass + inertia / R^2) v = push - rolling weight / R.
  const double speed = (push - rolling * weight / radius) / (mass + inertia / (radius * radius));
  EXPECT_NEAR(result.v[1], speed, 1e-9);
  EXPECT_NEAR(result.v[2], -speed / radius, 1e-9);
  EXPECT_NEAR(result.r[2], rolling * weight, 1e-9);
  EXPECT_LE(recertified(wheel, result), 1e-10);
}

TYPED_TEST(GlobalSolvers, WithoutContacts) {
  GlobalProblem problem = plant(3, 0, 0.3, false, 1).problem;
  problem.f = Eigen::VectorXd::LinSpaced(18, -1.0, 1.0);
  for (const Index columns : {18, 0}) {  // an H without rows need not have columns either
    problem.H.resize(0, columns);
    const GlobalResult result = solve(problem, TypeParam{});
    ASSERT_TRUE(result) << result.message();
    EXPECT_LT((problem.A * result.v - problem.f).cwiseAbs().maxCoeff(), 1e-14);  // eps n |A||v|
  }
}

TYPED_TEST(GlobalSolvers, StartsAtTheSolution) {
  const Planted planted = plant(5, 6, 0.2, true, 3);
  TypeParam options{.tolerance = 1e-8};
  const GlobalResult cold = solve(planted.problem, options);
  ASSERT_TRUE(cold) << cold.message();
  options.start = planted.r;
  const GlobalResult warm = solve(planted.problem, options);
  ASSERT_TRUE(warm) << warm.message();
  EXPECT_LE(warm.iterations, 1);
  EXPECT_LT(warm.iterations, std::max<Index>(cold.iterations, 2));
}

TYPED_TEST(GlobalSolvers, StopsOnTheFieldsFigure) {
  const Planted planted = plant(5, 6, 0.2, true, 4);
  const GlobalResult result = solve(planted.problem, TypeParam{.tolerance = 1e-7, .measure = Measure::NaturalMap});
  ASSERT_TRUE(result) << result.message();
  EXPECT_LE(result.figures.natural_map, 1e-7);
  EXPECT_LE(result.balance, 1e-7);
}

TYPED_TEST(GlobalSolvers, SaysSoWhereThereIsNoSolution) {
  // Two walls close in on one body: v - 1 >= 0 and -v - 1 >= 0. y = (1, 1) proves it: H^T y = 0, w·y = -2.
  GlobalProblem problem;
  problem.A.resize(1, 1);
  problem.A.setIdentity();
  problem.H.resize(2, 1);
  problem.H.insert(0, 0) = 1.0;
  problem.H.insert(1, 0) = -1.0;
  problem.f.setZero(1);
  problem.w = Eigen::Vector2d(-1.0, -1.0);
  for (int c = 0; c < 2; ++c) problem.K.push_back({.kind = SetKind::Orthant}, 1);
  const GlobalResult result = solve(problem, TypeParam{});
  EXPECT_NE(result.status, Status::Solved);
  EXPECT_NE(result.status, Status::NotRun);
  if (result.status == Status::Infeasible) {
    ASSERT_EQ(result.proof.size(), 2);
    EXPECT_GE(result.proof.minCoeff(), 0.0);
    EXPECT_LT((problem.H.transpose() * result.proof).norm(), 1e-12 * result.proof.norm());
    EXPECT_LT(problem.w.dot(result.proof), 0.0);
  }
}

TYPED_TEST(GlobalSolvers, RefusesBadInput) {
  const GlobalProblem good = incline(0.4, 0.5);
  const auto refused = [](const GlobalProblem& problem, const TypeParam& options) {
    try {
      (void)solve(problem, options);
    } catch (const InvalidArgument& error) {
      return error.argument();
    }
    return std::string("nothing");
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refused(good, TypeParam{.tolerance = 0.0}).find("::tolerance"), std::string::npos);
  EXPECT_NE(refused(good, TypeParam{.tolerance = nan}).find("::tolerance"), std::string::npos);
  EXPECT_NE(refused(good, TypeParam{.time_limit = -1.0}).find("::time_limit"), std::string::npos);
  EXPECT_NE(refused(good, TypeParam{.start = Eigen::VectorXd::Zero(2)}).find("::start"), std::string::npos);
  EXPECT_NE(refused(good, TypeParam{.start = Eigen::VectorXd::Constant(3, nan)}).find("::start"), std::string::npos);
  GlobalProblem singular = good;
  singular.A.coeffRef(1, 1) = 0.0;
  EXPECT_EQ(refused(singular, TypeParam{}), "friction::GlobalProblem::A");
  GlobalProblem wrong = good;
  wrong.f.resize(2);
  EXPECT_EQ(refused(wrong, TypeParam{}), "friction::GlobalProblem::f");
}

TYPED_TEST(GlobalSolvers, AreRepeatable) {
  const Planted planted = plant(4, 12, 0.4, false, 9);
  const GlobalResult one = solve(planted.problem, TypeParam{}), two = solve(planted.problem, TypeParam{});
  EXPECT_EQ(one.r, two.r);
  EXPECT_EQ(one.v, two.v);
  EXPECT_EQ(one.iterations, two.iterations);
}

TYPED_TEST(GlobalSolvers, DoNotDependOnTheUnitOfMass) {
  // Powers of two scale every operation exactly: the same iterations, the same velocities bit by bit.
  const Planted planted = plant(4, 12, 0.4, true, 9);
  GlobalProblem light = planted.problem;
  light.A *= 0x1p-20;
  light.f *= 0x1p-20;
  const GlobalResult one = solve(planted.problem, TypeParam{}), two = solve(light, TypeParam{});
  ASSERT_TRUE(one) << one.message();
  EXPECT_EQ(one.iterations, two.iterations);
  EXPECT_EQ(one.v, two.v);
  EXPECT_EQ(0x1p-20 * one.r, two.r);
}

TEST(GlobalProximalNewton, Limits) {
  const GlobalProblem problem = plant(6, 20, 0.5, true, 2).problem;
  EXPECT_EQ(solve(problem, GlobalProximalNewton{.max_steps = 1}).status, Status::IterationLimit);
  EXPECT_EQ(solve(problem, GlobalProximalNewton{.time_limit = 1e-9}).status, Status::TimeLimit);
  EXPECT_EQ(solve(problem, GlobalProximalNewton{.max_steps = 1}).iterations, 1);
  EXPECT_THROW((void)solve(problem, GlobalProximalNewton{.reduction = 1.0}), InvalidArgument);
  EXPECT_THROW((void)solve(problem, GlobalProximalNewton{.regularization = 0.0}), InvalidArgument);
}

TEST(GlobalAdmm, Limits) {
  const GlobalProblem problem = plant(6, 20, 0.5, true, 2).problem;
  EXPECT_EQ(solve(problem, GlobalAdmm{.max_iterations = 3}).status, Status::IterationLimit);
  EXPECT_EQ(solve(problem, GlobalAdmm{.max_iterations = 3}).iterations, 3);
  EXPECT_EQ(solve(problem, GlobalAdmm{.time_limit = 1e-9}).status, Status::TimeLimit);
  EXPECT_THROW((void)solve(problem, GlobalAdmm{.relaxation = 2.0}), InvalidArgument);
  EXPECT_THROW((void)solve(problem, GlobalAdmm{.penalty = -1.0}), InvalidArgument);
}

// Nesterov's weights save iterations; the answer is the planted one with and without.
TEST(GlobalAdmm, GoesWithoutAcceleration) {
  const Planted planted = plant(6, 9, 0.1, true, 1);
  const GlobalResult plain = solve(planted.problem, GlobalAdmm{.tolerance = 1e-10, .accelerate = false});
  const GlobalResult accelerated = solve(planted.problem, GlobalAdmm{.tolerance = 1e-10});
  ASSERT_TRUE(plain) << plain.message();
  ASSERT_TRUE(accelerated) << accelerated.message();
  EXPECT_GT(plain.iterations, accelerated.iterations);
  EXPECT_LT((plain.v - planted.v).cwiseAbs().maxCoeff(), 1e-10 * 20.0 * 1e3);  // as in PlantedVelocitiesAreFound
}

// A first penalty that is off by three decades is mended by factorizations where they are allowed.
TEST(GlobalAdmm, BalancesItsPenaltyUnlessForbidden) {
  const Planted planted = plant(6, 9, 0.1, true, 1);
  for (const double penalty : {1e-4, 1e3}) {
    const GlobalResult balanced = solve(planted.problem, GlobalAdmm{.tolerance = 1e-8, .penalty = penalty});
    const GlobalResult fixed =
        solve(planted.problem,
              GlobalAdmm{.tolerance = 1e-8, .max_iterations = 5000, .penalty = penalty, .max_refactorizations = 0});
    ASSERT_TRUE(balanced) << balanced.message();
    EXPECT_GT(fixed.iterations, 2 * balanced.iterations) << penalty;
    if (fixed) {
      EXPECT_LE(recertified(planted.problem, fixed), 1e-8);
    }
  }
}

TEST(GlobalAutomatic, SpringsOnTheGround) {
  // A net of 40 x 5 masses joined by springs, A = m + h^2 K, whose lowest row rests on the ground: one body of 600 dofs
  // under 120 rows. Alternating directions on (A, H) come before 120 solves with A.
  constexpr int columns = 40, rows = 5;
  const auto dof = [](int column, int row) { return 3 * (row * columns + column); };
  std::vector<Eigen::Triplet<double>> A, H;
  const auto spring = [&](int a, int b, const Eigen::Vector3d& along) {
    const Eigen::Matrix3d stiffness = 4.0 * along * along.transpose() + 0.5 * Eigen::Matrix3d::Identity();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        A.emplace_back(a + i, a + j, stiffness(i, j));
        A.emplace_back(b + i, b + j, stiffness(i, j));
        A.emplace_back(a + i, b + j, -stiffness(i, j));
        A.emplace_back(b + i, a + j, -stiffness(i, j));
      }
  };
  GlobalProblem problem;
  problem.f.setZero(3 * columns * rows);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const int a = dof(column, row);
      for (int i = 0; i < 3; ++i) A.emplace_back(a + i, a + i, 1.0);
      if (column > 0) spring(a, dof(column - 1, row), Eigen::Vector3d::UnitX());
      if (row > 0) spring(a, dof(column, row - 1), Eigen::Vector3d::UnitZ());
      problem.f[a] = 0.02 * column;  // pulled along, more and more: some stick, some slide
      problem.f[a + 2] = -0.3;
    }
  for (int column = 0; column < columns; ++column) {
    const int a = dof(column, 0);
    H.insert(H.end(), {{3 * column, a + 2, 1.0}, {3 * column + 1, a, 1.0}, {3 * column + 2, a + 1, 1.0}});
    problem.K.push_back({.kind = SetKind::Coulomb3D, .mu = 0.4}, 3);
  }
  problem.A.resize(3 * columns * rows, 3 * columns * rows);
  problem.A.setFromTriplets(A.begin(), A.end());
  problem.H.resize(3 * columns, 3 * columns * rows);
  problem.H.setFromTriplets(H.begin(), H.end());
  problem.w.setZero(3 * columns);
  const GlobalResult result = solve(problem, GlobalAutomatic{.tolerance = 1e-8});
  ASSERT_TRUE(result) << result.message();
  EXPECT_EQ(result.decisions.front().tier, "global admm");
  EXPECT_LE(recertified(problem, result), 1e-8);
  // The springs' forces are internal: the sum of f, of r and of momentum balance.
  double weight = 0.0, along = 0.0;
  for (int column = 0; column < columns; ++column) {
    weight += result.r[3 * column];
    along += result.r[3 * column + 1];
    EXPECT_LE(result.r.segment(3 * column + 1, 2).norm(), 0.4 * result.r[3 * column] + 1e-6);
  }
  double fall = 0.0, drift = 0.0;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      fall += result.v[dof(column, row) + 2];
      drift += result.v[dof(column, row)];
    }
  EXPECT_NEAR(drift, 0.02 * 780.0 * rows + along, 1e-6);  // sum of 0 .. 39 = 780
  EXPECT_NEAR(fall, weight - 0.3 * columns * rows, 1e-6);
  EXPECT_GT(weight, 0.0);
  EXPECT_GT(drift, 0.0);
}

// Two contacts that face each other, at rest but for the last digit of w: q·y = -2^-53 beside terms of order 1 proves
// nothing, as H A^-1 f is rounded too. A gap of 1e-3 that is missing is a proof.
TEST(GlobalAutomatic, RoundingOfTheFreeVelocityIsNoProof) {
  for (const double missing : {0x1p-53, 1e-3}) {
    friction::GlobalProblem problem;
    problem.A = Eigen::MatrixXd::Identity(3, 3).sparseView();
    Eigen::MatrixXd H(6, 3);
    H << 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, 1, 0, 0, 0, 1;
    problem.H = H.sparseView();
    problem.f = Eigen::Vector3d(0.75, 0.3, -0.2);
    problem.w = -H * problem.f;
    problem.w[0] -= missing;
    for (int i = 0; i < 2; ++i) problem.K.push_back({.kind = SetKind::Coulomb3D, .mu = 0.4}, 3);
    const auto result = friction::solve(problem, friction::GlobalAutomatic{});
    EXPECT_EQ(result.status == Status::Infeasible, missing == 1e-3) << result.message();
  }
}

TEST(GlobalAutomatic, HyperstaticContactsAreSolved) {
  const Planted planted = plant(6, 60, 0.5, true, 4);  // 180 rows on 36 dofs
  const GlobalResult result = solve(planted.problem, GlobalAutomatic{.tolerance = 1e-8});
  ASSERT_TRUE(result) << result.message();
  EXPECT_LE(recertified(planted.problem, result), 1e-8);
  GlobalAutomatic options{.tolerance = 1e-6, .start = result.r};
  const GlobalResult warm = solve(planted.problem, options);
  ASSERT_TRUE(warm) << warm.message();
  EXPECT_EQ(solve(planted.problem, GlobalAutomatic{.time_limit = 1e-9}).status, Status::TimeLimit);
}

TEST(GlobalAutomatic, KeepsTheGlobalFormWhereTheReducedOneIsDense) {
  // 1001 contacts on one body: W would be a full matrix of 3003 rows.
  const Planted planted = plant(1, 1001, 0.3, true, 6);
  const GlobalResult result = solve(planted.problem, GlobalAutomatic{.tolerance = 1e-8});
  ASSERT_TRUE(result) << result.message();
  ASSERT_FALSE(result.decisions.empty());
  EXPECT_EQ(result.decisions.front().tier, "presolve");
  EXPECT_EQ(result.decisions.front().reason, "the reduced matrix would be larger than A and H");
  EXPECT_LE(recertified(planted.problem, result), 1e-8);
}

}  // namespace
}  // namespace nonsmooth::friction::global_solvers_test
