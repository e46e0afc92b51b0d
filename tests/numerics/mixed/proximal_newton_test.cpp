// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mixed/natural_newton.hpp>
#include <nonsmooth/numerics/mixed/proximal_newton.hpp>

#include <Eigen/Geometry>

#include "../../../numerics/src/mixed/projection_jacobian.hpp"
#include "conic_problems.hpp"

namespace nonsmooth::proximal_newton_test {
namespace {

using mixed::internal::Form;
using problems::Block;
using problems::Matrix;

constexpr double step = 1e-5;
/// Central differences with step h: h^2 times third derivatives. The maps are homogeneous, these are of order
/// 1 / distance^2 to their kinks, which the points below keep at 0.1 at least; round-off adds eps / h. 1e-7 covers
/// both.
constexpr double difference_tolerance = 1e-7;

/// One set of every kind, cones of several sizes.
std::vector<Block> sets() {
  std::vector<Block> list = {{{.kind = SetKind::Free}, 2},
                             {{.kind = SetKind::Orthant}, 3},
                             {{.kind = SetKind::Box, .lower = -0.5, .upper = 0.25}, 3},
                             {{.kind = SetKind::Coulomb2D, .mu = 0.7}, 2},
                             {{.kind = SetKind::Coulomb3D, .mu = 0.3}, 3}};
  for (const Index n : {1, 2, 3, 6}) list.push_back({{.kind = SetKind::SecondOrderCone, .mu = 1.4}, n});
  for (const Index n : {2, 3, 5}) {
    list.push_back({{.kind = SetKind::DruckerPrager, .mu = 0.6, .lift = 0.2}, n});
    list.push_back({{.kind = SetKind::VonMises, .radius = 0.8}, n});
  }
  return list;
}

Eigen::VectorXd normal_vector(Index n, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Eigen::VectorXd x(n);
  for (double& value : x) value = normal(random);
  return x;
}

/// True if P_K is smooth in a ball of 0.1 about z.
bool smooth_about(const BlockSet& set, const Eigen::VectorXd& z) {
  const double margin = 0.1, length = z.size() > 1 ? z.tail(z.size() - 1).norm() : 0.0;
  switch (set.kind) {
    case SetKind::Free:
      return true;
    case SetKind::Orthant:
      return z.cwiseAbs().minCoeff() > margin;
    case SetKind::Box:
      return (z.array() - set.lower).abs().minCoeff() > margin && (z.array() - set.upper).abs().minCoeff() > margin;
    case SetKind::VonMises:
      return std::abs(length - set.radius) > margin;
    default: {
      const double secant = std::hypot(1.0, set.mu);
      return std::abs(length - set.mu * z[0]) > margin * secant && std::abs(set.mu * length + z[0]) > margin * secant &&
             (z.size() == 1 || length > margin);
    }
  }
}

TEST(ProjectionJacobian, AgreesWithDifferencesAtSmoothPoints) {
  std::mt19937_64 random(1);
  for (const auto& [set, n] : sets()) {
    int tested = 0;
    while (tested < 50) {
      const Eigen::VectorXd z = normal_vector(n, random);
      if (!smooth_about(set, z)) continue;
      ++tested;
      Eigen::MatrixXd D(n, n);
      mixed::internal::projection_jacobian(set, z.data(), n, D.data());
      for (Index j = 0; j < n; ++j) {
        Eigen::VectorXd plus = z, minus = z;
        plus[j] += step;
        minus[j] -= step;
        project(set, plus);
        project(set, minus);
        EXPECT_LE((D.col(j) - (plus - minus) / (2.0 * step)).cwiseAbs().maxCoeff(), difference_tolerance)
            << "kind " << static_cast<int>(set.kind) << ", column " << j;
      }
    }
  }
}

TEST(ProjectionJacobian, IsSymmetricAndNonexpansiveEverywhere) {
  // Every element of the generalised Jacobian of a projection is symmetric with eigenvalues in [0, 1]: 0 <= x·D x <=
  // |x|^2 and |D x|^2 <= x·D x. Kinks too: the apex, the boundary, the axis.
  std::mt19937_64 random(2);
  for (const auto& [set, n] : sets())
    for (int sample = 0; sample < 40; ++sample) {
      Eigen::VectorXd z = normal_vector(n, random);
      if (sample % 4 == 0) z.setZero();
      if (sample % 4 == 1) project(set, z);
      if (sample % 4 == 2 && n > 1) z.tail(n - 1).setZero();
      Eigen::MatrixXd D(n, n);
      mixed::internal::projection_jacobian(set, z.data(), n, D.data());
      EXPECT_LE((D - D.transpose()).cwiseAbs().maxCoeff(), 1e-15);
      const Eigen::VectorXd x = normal_vector(n, random), y = D * x;
      EXPECT_LE(y.squaredNorm(), x.dot(y) + 1e-13 * x.squaredNorm());
    }
}

TEST(VelocityJacobian, AgreesWithDifferences) {
  std::mt19937_64 random(3);
  for (const auto& [set, n] : sets())
    for (int sample = 0; sample < 20; ++sample) {
      const Eigen::VectorXd u = normal_vector(n, random);
      if (n > 1 && u.tail(n - 1).norm() < 0.1) continue;
      Eigen::VectorXd t(n);
      mixed::internal::velocity_jacobian(set, u.data(), n, t.data());
      for (Index j = 0; j < n; ++j) {
        Eigen::VectorXd plus = u, minus = u;
        plus[j] += step;
        minus[j] -= step;
        modify_velocity(set, plus);
        modify_velocity(set, minus);
        const Eigen::VectorXd difference = (plus - minus) / (2.0 * step);
        EXPECT_NEAR(difference[0] - (j == 0 ? 1.0 : 0.0), t[j], difference_tolerance);
      }
    }
}

TEST(NaturalMap, DerivativesAgreeWithDifferencesInBothForms) {
  std::mt19937_64 random(4);
  for (const Form form : {Form::Natural, Form::Prediction})
    for (const Block& block : sets()) {
      const BlockSet& set = block.set;
      const Index n = block.size;
      Eigen::VectorXd rho = Eigen::VectorXd::Constant(n, 0.7);
      if (set.kind == SetKind::Orthant || set.kind == SetKind::Box) rho[1] = 1.3;
      int tested = 0, smooth = 0;
      while (tested < 50) {
        const Eigen::VectorXd r = normal_vector(n, random), u = normal_vector(n, random);
        ++tested;
        Eigen::VectorXd e(n), e_alone(n), scratch(n * n + 3 * n);
        Eigen::MatrixXd A(n, n), C(n, n), A_difference(n, n), C_difference(n, n), A_wide(n, n), C_wide(n, n);
        mixed::internal::linearize_natural_map(set, form, rho.data(), r.data(), u.data(), n, e.data(), A.data(),
                                               C.data(), scratch.data());
        mixed::internal::natural_map(set, form, rho.data(), r.data(), u.data(), n, e_alone.data());
        EXPECT_LE((e - e_alone).cwiseAbs().maxCoeff(), 4e-15 * (1.0 + r.norm() + u.norm()));
        const auto differences = [&](double h, Eigen::MatrixXd& by_r, Eigen::MatrixXd& by_u) {
          Eigen::VectorXd plus(n), minus(n);
          for (Index j = 0; j < n; ++j)
            for (const bool of_r : {true, false}) {
              Eigen::VectorXd r_plus = r, r_minus = r, u_plus = u, u_minus = u;
              (of_r ? r_plus : u_plus)[j] += h;
              (of_r ? r_minus : u_minus)[j] -= h;
              mixed::internal::natural_map(set, form, rho.data(), r_plus.data(), u_plus.data(), n, plus.data());
              mixed::internal::natural_map(set, form, rho.data(), r_minus.data(), u_minus.data(), n, minus.data());
              (of_r ? by_r : by_u).col(j) = (plus - minus) / (2.0 * h);
            }
        };
        differences(step, A_difference, C_difference);
        differences(0.03, A_wide, C_wide);
        // Away from kinks wide and narrow differences differ by h^2 only; where they do not, a kink is near.
        if ((A_wide - A_difference).norm() + (C_wide - C_difference).norm() > 0.05) continue;
        ++smooth;
        EXPECT_LE((A - A_difference).cwiseAbs().maxCoeff(), 1e-6) << static_cast<int>(set.kind);
        EXPECT_LE((C - C_difference).cwiseAbs().maxCoeff(), 1e-6) << static_cast<int>(set.kind);
      }
      EXPECT_GE(smooth, 15) << static_cast<int>(set.kind);
    }
}

TEST(NaturalMap, BothFormsVanishAtSolutionsOnly) {
  for (const Form form : {Form::Natural, Form::Prediction})
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const auto planted = problems::planted_conic(6, problems::all_kinds, Matrix::Symmetric, seed);
      for (Index b = 0; b < planted.problem.K.num_blocks(); ++b) {
        const Index o = planted.problem.K.offset(b), n = planted.problem.K.size(b);
        const Eigen::VectorXd rho = Eigen::VectorXd::Constant(n, 0.9), r = planted.r.segment(o, n);
        Eigen::VectorXd u = planted.u.segment(o, n), e(n);
        mixed::internal::natural_map(planted.problem.K[b], form, rho.data(), r.data(), u.data(), n, e.data());
        EXPECT_LE(e.cwiseAbs().maxCoeff(), 1e-14);
        // A push against the law: both forms agree on whether it still holds.
        u[0] -= 1.0;
        mixed::internal::natural_map(planted.problem.K[b], form, rho.data(), r.data(), u.data(), n, e.data());
        Eigen::VectorXd reference(n);
        natural_error(planted.problem.K[b], 0.9, r, u, reference);
        EXPECT_EQ(e.cwiseAbs().maxCoeff() > 1e-12, reference.cwiseAbs().maxCoeff() > 1e-12);
      }
    }
}

TEST(ProximalNewton, SolvesSingularProblems) {
  // W = G G^T of half the rank: r is not unique; a solution exists because one was planted.
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto planted = problems::planted_conic(2 + static_cast<Index>(seed % 12), problems::monotone_kinds,
                                                 Matrix::RankDeficient, seed);
    const auto result = solve(planted.problem, mixed::ProximalNewton{});
    EXPECT_TRUE(result) << "seed " << seed << ": " << result.message();
  }
}

/// A rigid box of unit mass on `feet` contacts of a plane, pushed sideways: W has rank 6, whatever the number of feet.
mixed::Problem box_on_feet(Index feet, double mu, double push) {
  const auto n = static_cast<std::size_t>(feet);
  Eigen::MatrixXd H(3 * feet, 6);  // rows (N, T1, T2), columns (v, omega)
  for (Index k = 0; k < feet; ++k) {
    const double angle = 2.0 * 3.14159265358979323846 * static_cast<double>(k) / static_cast<double>(feet);
    const Eigen::Vector3d arm(std::cos(angle), 0.8 * std::sin(angle), -0.5);
    const Eigen::Vector3d axes[3] = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    for (Index i = 0; i < 3; ++i) {
      H.row(3 * k + i).head(3) = axes[i];
      H.row(3 * k + i).tail(3) = arm.cross(axes[i]);
    }
  }
  Eigen::VectorXd inverse_mass(6), free_velocity(6);
  inverse_mass << 1.0, 1.0, 1.0, 2.0, 2.0, 1.5;
  free_velocity << push, 0.1 * push, -0.1, 0.0, 0.0, 0.0;
  return problems::mixed_from_dense(H * inverse_mass.asDiagonal() * H.transpose(), H * free_velocity,
                                    std::vector<Block>(n, {{.kind = SetKind::Coulomb3D, .mu = mu}, 3}));
}

TEST(ProximalNewton, SolvesHyperstaticContacts) {
  for (const Index feet : {4, 9, 25})
    for (const double push : {0.0, 0.02, 0.3}) {
      const auto problem = box_on_feet(feet, 0.5, push);
      const auto result = solve(problem, mixed::ProximalNewton{});
      ASSERT_TRUE(result) << feet << " feet, push " << push << ": " << result.message();
      // Impulses balance the weight: sum of r_N = 0.1 (unit mass, no normal velocity left).
      double weight = 0.0;
      for (Index k = 0; k < feet; ++k) weight += result.r[3 * k];
      EXPECT_NEAR(weight, 0.1, 1e-8);
      // Friction stops a push of 0.02 < mu 0.1 and takes 0.05 of one of 0.3.
      if (push == 0.02) {
        EXPECT_LE(result.u.cwiseAbs().maxCoeff(), 1e-8);
      }
    }
}

TEST(ProximalNewton, SolvesRedundantBilateralRows) {
  Eigen::MatrixXd H(3, 2);
  H << 1.0, 0.0, 1.0, 0.0, 0.5, 1.0;
  const BlockSet free{.kind = SetKind::Free};
  for (const bool joined : {false, true}) {
    const auto blocks =
        joined ? std::vector<Block>{{free, 2}, {{}, 1}} : std::vector<Block>{{free, 1}, {free, 1}, {{}, 1}};
    const auto problem = problems::mixed_from_dense(H * H.transpose(), H * Eigen::Vector2d(-1.0, -2.0), blocks);
    const auto result = solve(problem, mixed::ProximalNewton{});
    EXPECT_TRUE(result) << result.message();
  }
}

TEST(ProximalNewton, NeedsItsProximalTerm) {
  // W = 0 and u = q = (mu, 1, 0) on the boundary of K*: the solutions are the ray r = t (1, -mu, 0), t >= 0, and
  // Newton's matrix on the natural map is singular there.
  const double mu = 0.5;
  const auto problem = problems::mixed_from_dense(Eigen::Matrix3d::Zero(), Eigen::Vector3d(mu, 1.0, 0.0),
                                                  {{{.kind = SetKind::SecondOrderCone, .mu = mu}, 3}});
  const auto result = solve(problem, mixed::ProximalNewton{.start = Eigen::Vector3d(2.0, 0.5, 0.3)});
  ASSERT_TRUE(result) << result.message();
  EXPECT_NEAR(result.r[1], -mu * result.r[0], 1e-9 * (1.0 + result.r[0]));
  EXPECT_NEAR(result.r[2], 0.0, 1e-9 * (1.0 + result.r[0]));
}

TEST(ProximalNewton, RefusesBadOptions) {
  const auto good = problems::planted_conic(2, problems::all_kinds, Matrix::Symmetric, 1).problem;
  const double nan = std::nan("");
  for (const double bad : {0.0, -1.0, nan}) {
    EXPECT_THROW((void)solve(good, mixed::ProximalNewton{.regularization = bad}), InvalidArgument);
    EXPECT_THROW((void)solve(good, mixed::ProximalNewton{.reduction = bad}), InvalidArgument);
    EXPECT_THROW((void)solve(good, mixed::NaturalNewton{.decrease = bad}), InvalidArgument);
  }
  EXPECT_THROW((void)solve(good, mixed::ProximalNewton{.reduction = 1.0}), InvalidArgument);
  EXPECT_THROW((void)solve(good, mixed::ProximalNewton{.max_inner_steps = 0}), InvalidArgument);
  EXPECT_THROW((void)solve(good, mixed::NaturalNewton{.decrease = 0.6}), InvalidArgument);
  EXPECT_THROW((void)solve(good, mixed::NaturalNewton{.memory = 0}), InvalidArgument);
}

TEST(NaturalNewton, ConvergesQuadraticallyNearRegularSolutions) {
  // Started within 1e-3 of a strictly complementary solution: 1e-3 -> 1e-6 -> 1e-12 in the worst case, so four steps.
  Index tested = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto planted = problems::planted_conic(4, {SetKind::SecondOrderCone}, Matrix::Symmetric, seed);
    std::mt19937_64 random(seed);
    mixed::NaturalNewton options;
    options.start = planted.r + 1e-3 * normal_vector(planted.r.size(), random);
    bool strict = true;  // no block with r on the boundary and u = 0
    for (Index b = 0; b < planted.problem.K.num_blocks(); ++b) {
      const Index o = planted.problem.K.offset(b), n = planted.problem.K.size(b);
      Eigen::VectorXd sum = planted.r.segment(o, n) - planted.u.segment(o, n);
      strict = strict && (n == 1 || smooth_about(planted.problem.K[b], 5.0 * sum));
    }
    if (!strict) continue;
    ++tested;
    const auto result = solve(planted.problem, options);
    ASSERT_TRUE(result) << result.message();
    EXPECT_LE(result.iterations, 4) << seed;
  }
  EXPECT_GE(tested, 5);
}

}  // namespace
}  // namespace nonsmooth::proximal_newton_test
