// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/sets.hpp>

#include "../../../numerics/src/mixed/projection_jacobian.hpp"
#include "../../../numerics/src/rolling_cone.hpp"
#include "../../../numerics/src/set_kernels.hpp"

namespace nonsmooth::friction_sets_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Case {
  BlockSet set;
  Index n;
};

BlockSet rolling(double mu, double roll, double spin, double cohesion = 0.0) {
  return {.kind = SetKind::Rolling, .mu = mu, .rolling = roll, .spinning = spin, .cohesion = cohesion};
}
BlockSet elliptic(double mu, double mu_2, double cohesion = 0.0) {
  return {.kind = SetKind::Coulomb3D, .mu = mu, .mu_2 = mu_2, .cohesion = cohesion};
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const Index n : {3, 4, 5, 6})
    for (const BlockSet& set : {rolling(0.5, 0.5, 0.5), rolling(0.5, 0.1, 2.0), rolling(0.0, 0.3, 0.1),
                                rolling(0.4, 0.0, 0.0), rolling(0.0, 0.0, 0.0), rolling(3.0, 0.01, 0.2, 0.7)})
      list.push_back({set, n});
  for (const double ratio : {1e-3, 0.3, 1.0, 4.0, 1e3})
    for (const double mu : {0.05, 0.7, 5.0}) list.push_back({elliptic(mu, ratio * mu, ratio < 1.0 ? 0.0 : 0.4), 3});
  list.push_back({elliptic(0.0, 0.0, 0.4), 3});
  list.push_back({{.kind = SetKind::Coulomb2D, .mu = 0.6, .cohesion = 0.5}, 2});
  return list;
}

Eigen::VectorXd normal_vector(Index n, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return Eigen::VectorXd::NullaryExpr(n, [&] { return normal(random); });
}

/// max over the constraints of their violation, by the definition of the set.
double violation(const BlockSet& set, const Eigen::VectorXd& r) {
  const double r_N = r[0] + set.cohesion;
  if (set.mu_2 > 0.0) return std::max(-r_N, std::hypot(r[1] / set.mu, r[2] / set.mu_2) - r_N);
  double worst = -r_N;
  for (const auto& group : detail::rolling_groups(set, r.size()))
    worst = std::max(worst, r.segment(group.first, group.size).norm() - group.bound * r_N);
  return worst;
}

/// A point of the set by its definition.
Eigen::VectorXd member(const BlockSet& set, Index n, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0 - 1e-12);
  Eigen::VectorXd y = normal_vector(n, random);
  y[0] = 2.0 * std::abs(y[0]);
  if (set.mu_2 > 0.0) {
    const double factor = y[0] * uniform(random) / std::hypot(y[1] / set.mu, y[2] / set.mu_2);
    y.tail(2) *= factor;
  } else {
    for (const auto& group : detail::rolling_groups(set, n))
      y.segment(group.first, group.size) *=
          group.bound * y[0] * uniform(random) / y.segment(group.first, group.size).norm();
  }
  y[0] -= set.cohesion;
  return y;
}

// p = P_K(z) if and only if p is in K and (z - p)·(y - p) <= 0 for all y in K. With p off by d = 64 eps of the sizes
// (a few dozen roundings, none of which cancels) both hold to d times the sizes; an ellipse of axes in the ratio 10^3
// turns d in p_T into d / mu of its membership.
TEST(FrictionSets, ProjectionsSolveTheirVariationalInequality) {
  std::mt19937_64 random(1);
  for (const Case& c : cases()) {
    const double smallest = c.set.mu_2 > 0.0 ? std::min({c.set.mu, c.set.mu_2, 1.0}) : 1.0;
    for (int trial = 0; trial < 300; ++trial) {
      const Eigen::VectorXd z = (trial % 3 + 0.1) * normal_vector(c.n, random), y = member(c.set, c.n, random);
      Eigen::VectorXd p = z;
      project(c.set, p);
      const double size = z.norm() + c.set.cohesion + 1.0;
      EXPECT_LE(violation(c.set, p), 64.0 * eps * size / smallest) << static_cast<int>(c.set.kind) << " n " << c.n;
      EXPECT_LE((z - p).dot(y - p), 64.0 * eps * size * (3.0 * size + y.norm()))
          << static_cast<int>(c.set.kind) << " n " << c.n << " mu " << c.set.mu << " mu_2 " << c.set.mu_2;
    }
  }
}

// The polar of {|r_G| <= a_G r_N} is {v_N + sum a_G |v_G| <= 0}, that of the ellipse {v_N + |(a v_1, b v_2)| <= 0}: in
// both cases v_N + lift(v) <= 0, with z = p + v and p·v = 0 (Moreau), of the cone shifted to its apex.
TEST(FrictionSets, MoreausDecomposition) {
  std::mt19937_64 random(2);
  for (const Case& c : cases()) {
    for (int trial = 0; trial < 300; ++trial) {
      const Eigen::VectorXd z = normal_vector(c.n, random);
      Eigen::VectorXd p = z;
      project(c.set, p);
      const Eigen::VectorXd v = z - p;
      p[0] += c.set.cohesion;
      const double size = z.norm() + c.set.cohesion, bound = 1.0 + std::max({c.set.mu, c.set.mu_2, c.set.spinning});
      EXPECT_LE(v[0] + velocity_lift(c.set, v.data(), c.n), 64.0 * eps * size * bound) << c.set.mu << " " << c.set.mu_2;
      EXPECT_LE(std::abs(p.dot(v)), 64.0 * eps * size * size);
    }
  }
}

TEST(FrictionSets, ProjectionsKeepWhatIsInsideAndNan) {
  std::mt19937_64 random(3);
  for (const Case& c : cases()) {
    const Eigen::VectorXd y = member(c.set, c.n, random);
    Eigen::VectorXd p = y;
    project(c.set, p);
    EXPECT_LE((p - y).norm(), 2.0 * eps * (y.norm() + c.set.cohesion));
    for (Index i = 0; i < c.n; ++i) {
      Eigen::VectorXd r = Eigen::VectorXd::Ones(c.n), u = r, e(c.n);
      r[i] = std::numeric_limits<double>::quiet_NaN();
      natural_error(c.set, 1.0, r, u, e);
      EXPECT_FALSE(e.allFinite());
      natural_error(c.set, 1.0, u, r, e);
      EXPECT_FALSE(e.allFinite());
    }
  }
}

// One group as long as the others are 0: the second-order cone.
// Without moments the nearest point is that of Coulomb's cone: r_N = (z_N + mu |z_T|) / (1 + mu^2) outside. A part in
// 1e12 outside of a cone with mu = 1e8 moves r_N by that part of itself, of which 1 / (1 + mu^2) is far below rounding.
// Sums, a root and a quotient: 8 eps of the largest entry of each kind.
TEST(FrictionSets, LargeFrictionDoesNotBlurTheBorderOfARollingCone) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> any(-1.0, 1.0), exponent(-3.0, 12.0), beyond(-14.0, 1.0);
  for (int trial = 0; trial < 2000; ++trial) {
    const double mu = std::pow(10.0, exponent(random)), angle = 3.0 * any(random);
    const double length = mu * (1.0 + any(random) * std::pow(10.0, beyond(random)));
    Eigen::VectorXd z(5);
    z << 1.0, length * std::cos(angle), length * std::sin(angle), 0.0, 0.0;
    Eigen::VectorXd expected = z.head(3), found = z;
    project({.kind = SetKind::Coulomb3D, .mu = mu}, expected);
    project({.kind = SetKind::Rolling, .mu = mu, .rolling = mu}, found);
    EXPECT_NEAR(found[0], expected[0], 8.0 * eps * expected[0]) << mu;
    EXPECT_EQ(found.tail(2).norm(), 0.0);
    EXPECT_LE((found.segment(1, 2) - expected.tail(2)).norm(), 8.0 * eps * expected.norm()) << mu;
  }
}

TEST(FrictionSets, ARollingConeContainsCoulombsCone) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 100; ++trial) {
    Eigen::VectorXd z = Eigen::VectorXd::Zero(6);
    z.head(3) = normal_vector(3, random);
    Eigen::VectorXd p = z.head(3);
    project({.kind = SetKind::Coulomb3D, .mu = 0.4}, p);
    project(rolling(0.4, 0.1, 0.2), z);
    EXPECT_LE((z.head(3) - p).norm(), 8.0 * eps * 4.0);
    EXPECT_EQ(z.tail(3).norm(), 0.0);
  }
}

TEST(FrictionSets, NaturalErrorsAreTheDefinition) {
  std::mt19937_64 random(5);
  for (const Case& c : cases()) {
    for (const double rho : {0.1, 1.0, 20.0}) {
      const Eigen::VectorXd r = normal_vector(c.n, random), u = normal_vector(c.n, random);
      Eigen::VectorXd hat = u, e(c.n);
      modify_velocity(c.set, hat);
      Eigen::VectorXd p = r - rho * hat;
      project(c.set, p);
      natural_error(c.set, rho, r, u, e);
      // Both subtract numbers of the size of r + rho û after a few dozen roundings, divided by rho.
      EXPECT_LE((e - (r - p) / rho).norm(), 128.0 * eps * (r.norm() + rho * hat.norm() + 1.0) / rho);
    }
  }
}

TEST(FrictionSets, TheLiftSumsTheGroups) {
  const Eigen::VectorXd u = (Eigen::VectorXd(6) << 1.0, 3.0, 4.0, -6.0, 8.0, -2.0).finished();
  const BlockSet set = rolling(0.5, 0.25, 2.0);
  EXPECT_EQ(velocity_lift(set, u.data(), 6), 0.5 * 5.0 + 0.25 * 10.0 + 2.0 * 2.0);
  EXPECT_EQ(velocity_lift(set, u.data(), 5), 0.5 * 5.0 + 0.25 * 10.0);
  EXPECT_EQ(velocity_lift(set, u.data(), 4), 0.5 * 5.0 + 2.0 * 6.0);
  EXPECT_EQ(velocity_lift(set, u.data(), 3), 0.5 * 3.0 + 0.25 * 4.0);
  EXPECT_EQ(velocity_lift(elliptic(1.0, 0.5), Eigen::Vector3d(0.0, 3.0, 8.0).eval().data(), 3), 5.0);
}

// Central differences: h^2 times third derivatives of order 1 / distance^2 of the kinks, plus eps / h. Points nearer
// than 0.05 to a kink, where the Jacobians at z +- 0.05 differ in rank, are left out.
TEST(FrictionSets, JacobiansAgreeWithDifferencesAwayFromKinks) {
  std::mt19937_64 random(6);
  constexpr double step = 1e-5, tolerance = 1e-6;
  const auto pattern = [](const BlockSet& set, const Eigen::VectorXd& z) {
    int code = 0, bit = 1;
    Eigen::VectorXd length(3);
    const auto groups = detail::rolling_groups(set, z.size());
    for (int k = 0; k < groups.count; ++k) length[k] = z.segment(groups.groups[k].first, groups.groups[k].size).norm();
    const auto projection = detail::project_on_rolling_cone(groups, z[0], length.data());
    if (projection.apex) return -1;
    for (int k = 0; k < groups.count; ++k, bit *= 2) code += projection.outside[k] ? bit : 0;
    return code;
  };
  for (const Case& c : cases()) {
    if (c.set.kind != SetKind::Rolling || c.set.cohesion > 0.0) continue;
    int tested = 0;
    for (int trial = 0; trial < 400 && tested < 40; ++trial) {
      const Eigen::VectorXd z = normal_vector(c.n, random);
      bool smooth = true;
      for (const auto& group : detail::rolling_groups(c.set, c.n))
        smooth = smooth && z.segment(group.first, group.size).norm() > 0.1;
      for (Index i = 0; i < c.n; ++i)
        for (const double side : {-0.05, 0.05})
          smooth = smooth && pattern(c.set, z) == pattern(c.set, z + side * Eigen::VectorXd::Unit(c.n, i));
      if (!smooth) continue;
      ++tested;
      Eigen::MatrixXd D(c.n, c.n);
      Eigen::VectorXd t(c.n);
      mixed::internal::projection_jacobian(c.set, z.data(), c.n, D.data());
      mixed::internal::velocity_jacobian(c.set, z.data(), c.n, t.data());
      for (Index j = 0; j < c.n; ++j) {
        Eigen::VectorXd plus = z, minus = z;
        plus[j] += step;
        minus[j] -= step;
        const double lift = velocity_lift(c.set, plus.data(), c.n) - velocity_lift(c.set, minus.data(), c.n);
        EXPECT_NEAR(lift / (2.0 * step), t[j], tolerance);
        project(c.set, plus);
        project(c.set, minus);
        EXPECT_LE((D.col(j) - (plus - minus) / (2.0 * step)).cwiseAbs().maxCoeff(), tolerance) << "n " << c.n;
      }
    }
    EXPECT_GE(tested, 10);
  }
}

// At every point, kinks included, a generalised Jacobian of a projection is symmetric with eigenvalues in [0, 1].
TEST(FrictionSets, JacobiansAreSymmetricAndNonexpansiveEverywhere) {
  std::mt19937_64 random(7);
  for (const Case& c : cases()) {
    if (c.set.kind != SetKind::Rolling || c.set.cohesion > 0.0) continue;
    for (int trial = 0; trial < 60; ++trial) {
      Eigen::VectorXd z = normal_vector(c.n, random);
      if (trial % 4 == 0) z.setZero();
      if (trial % 4 == 1) project(c.set, z);
      if (trial % 4 == 2) z.tail(c.n - 1).setZero();
      Eigen::MatrixXd D(c.n, c.n);
      mixed::internal::projection_jacobian(c.set, z.data(), c.n, D.data());
      EXPECT_LE((D - D.transpose()).cwiseAbs().maxCoeff(), 8.0 * eps);
      const Eigen::VectorXd x = normal_vector(c.n, random), y = D * x;
      EXPECT_LE(y.squaredNorm(), x.dot(y) + 1e-13 * x.squaredNorm());
    }
  }
}

TEST(FrictionSets, BothFormsOfTheNaturalMapHaveTheDerivativesOfDifferences) {
  using mixed::internal::Form;
  std::mt19937_64 random(8);
  constexpr double step = 1e-6;
  for (const Form form : {Form::Natural, Form::Prediction})
    for (const Index n : {3, 4, 5, 6}) {
      const BlockSet set = rolling(0.5, 0.5, 0.5);
      int tested = 0;
      for (int trial = 0; trial < 300 && tested < 30; ++trial) {
        const Eigen::VectorXd r = 2.0 * normal_vector(n, random), u = normal_vector(n, random);
        const Eigen::VectorXd rho = Eigen::VectorXd::Constant(n, 0.7);
        Eigen::VectorXd e(n), scratch(n * (n + 3)), other(n * n);
        Eigen::MatrixXd A(n, n), C(n, n), A_2(n, n), C_2(n, n);
        const auto linearize = [&](const Eigen::VectorXd& at_r, const Eigen::VectorXd& at_u, Eigen::MatrixXd& a,
                                   Eigen::MatrixXd& c) {
          mixed::internal::linearize_natural_map(set, form, rho.data(), at_r.data(), at_u.data(), n, e.data(), a.data(),
                                                 c.data(), scratch.data());
        };
        linearize(r, u, A, C);
        Eigen::MatrixXd dA(n, n), dC(n, n);
        bool smooth = true;
        for (Index j = 0; j < n; ++j)
          for (const bool of_u : {false, true}) {
            Eigen::VectorXd plus(n), minus(n);
            const Eigen::VectorXd d = step * Eigen::VectorXd::Unit(n, j), zero = Eigen::VectorXd::Zero(n);
            const Eigen::VectorXd dr = of_u ? zero : d, du = of_u ? d : zero;
            for (const double side : {-1.0, 1.0}) {
              linearize(r + 1e4 * side * dr, u + 1e4 * side * du, A_2, C_2);  // 0.01 away
              smooth = smooth && (A_2 - A).cwiseAbs().maxCoeff() < 0.1 && (C_2 - C).cwiseAbs().maxCoeff() < 0.1;
            }
            mixed::internal::natural_map(set, form, rho.data(), (r + dr).eval().data(), (u + du).eval().data(), n,
                                         plus.data());
            mixed::internal::natural_map(set, form, rho.data(), (r - dr).eval().data(), (u - du).eval().data(), n,
                                         minus.data());
            (of_u ? dC : dA).col(j) = (plus - minus) / (2.0 * step);
          }
        if (!smooth) continue;  // a kink within 0.01
        ++tested;
        // eps / step = 2e-10 times sizes of ten; step^2 times third derivatives of at most 1e4.
        EXPECT_LE((A - dA).cwiseAbs().maxCoeff(), 2e-8);
        EXPECT_LE((C - dC).cwiseAbs().maxCoeff(), 2e-8);
      }
      EXPECT_GE(tested, 5);
    }
}

TEST(FrictionSets, ProductsKnowWhetherTheyAreCanonical) {
  ProductSet K;
  const auto canonical_after = [&](const BlockSet& set, Index n) {
    K.clear();
    EXPECT_TRUE(K.is_canonical());
    K.push_back(set, n);
    return K.is_canonical();
  };
  EXPECT_TRUE(canonical_after({.kind = SetKind::Coulomb3D, .mu = 0.3}, 3));
  EXPECT_TRUE(canonical_after(elliptic(0.3, 0.3), 3));
  EXPECT_FALSE(canonical_after(elliptic(0.3, 0.2), 3));
  EXPECT_FALSE(canonical_after({.kind = SetKind::Coulomb2D, .mu = 0.3, .cohesion = 1.0}, 2));
  EXPECT_TRUE(canonical_after(rolling(0.3, 0.3, 0.3), 6));
  EXPECT_TRUE(canonical_after(rolling(0.3, 0.0, 0.3), 6));
  EXPECT_TRUE(canonical_after(rolling(0.0, 0.1, 0.2), 6));
  EXPECT_FALSE(canonical_after(rolling(0.3, 0.1, 0.3), 6));
  EXPECT_FALSE(canonical_after(rolling(0.3, 0.3, 0.1), 6));
  EXPECT_TRUE(canonical_after(rolling(0.3, 0.3, 0.1), 5));  // no row S
  EXPECT_TRUE(canonical_after(rolling(0.3, 0.1, 0.3), 4));  // no rows R
  EXPECT_FALSE(canonical_after(rolling(0.3, 0.1, 0.3), 3));
  EXPECT_TRUE(canonical_after({.kind = SetKind::Box, .lower = -1.0}, 1));
  EXPECT_FALSE(canonical_after({.kind = SetKind::Box, .lower = -1.0, .unit = 0.5}, 1));
}

TEST(FrictionSets, AUnitIsOfBoxesOfOneRow) {
  ProductSet K;
  const auto refuses = [&](const BlockSet& set, Index n) { EXPECT_THROW(K.push_back(set, n), InvalidArgument); };
  refuses({.kind = SetKind::Box, .unit = 0.0}, 1);
  refuses({.kind = SetKind::Box, .unit = -1.0}, 1);
  refuses({.kind = SetKind::Box, .unit = std::numeric_limits<double>::infinity()}, 1);
  refuses({.kind = SetKind::Box, .unit = std::numeric_limits<double>::quiet_NaN()}, 1);
  refuses({.kind = SetKind::Box, .unit = 0.5}, 2);
  refuses({.kind = SetKind::Orthant, .unit = 0.5}, 1);
  EXPECT_EQ(K.num_blocks(), 0);
}

TEST(FrictionSets, ProductsRefuseBadFields) {
  ProductSet K;
  const auto refuses = [&](const BlockSet& set, Index n) { EXPECT_THROW(K.push_back(set, n), InvalidArgument); };
  for (const double bad : {-0.1, std::nan(""), infinity}) {
    refuses(rolling(bad, 0.1, 0.1), 6);
    refuses(rolling(0.1, bad, 0.1), 6);
    refuses(rolling(0.1, 0.1, bad), 6);
    refuses(rolling(0.1, 0.1, 0.1, bad), 6);
    refuses({.kind = SetKind::Coulomb2D, .mu = 0.3, .cohesion = bad}, 2);
    if (!(bad < 0.0)) refuses(elliptic(0.1, bad), 3);
  }
  for (const Index n : {1, 2, 7}) refuses(rolling(0.1, 0.1, 0.1), n);
  refuses(elliptic(0.1, 0.0), 3);
  refuses(elliptic(0.0, 0.1), 3);
  refuses({.kind = SetKind::Coulomb2D, .mu = 0.3, .mu_2 = 0.3}, 2);
  refuses({.kind = SetKind::SecondOrderCone, .mu = 0.3, .cohesion = 0.1}, 3);
  refuses({.kind = SetKind::Coulomb3D, .mu = 0.3, .rolling = 0.1}, 3);
  refuses({.kind = SetKind::Coulomb3D, .mu = 0.3, .spinning = 0.1}, 3);
  EXPECT_EQ(K.num_blocks(), 0);
  K.push_back(elliptic(0.0, 0.0), 3);
  EXPECT_EQ(K.num_blocks(), 1);
}

}  // namespace
}  // namespace nonsmooth::friction_sets_test
