// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/sets.hpp>

namespace nonsmooth::projection_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Round-off of a projection: a norm of n entries costs (n/2 + 2) eps relative, the cone's formula some ten operations
/// more, none of which cancels below the size of z; n + 16 is above both together.
double round_off(Index n) { return static_cast<double>(n + 16) * eps; }

struct Case {
  std::string name;
  BlockSet set;
  Index n;
};

BlockSet box(double lower, double upper) { return {.kind = SetKind::Box, .lower = lower, .upper = upper}; }
BlockSet drucker_prager(double mu, double lift) { return {.kind = SetKind::DruckerPrager, .mu = mu, .lift = lift}; }
BlockSet von_mises(double radius) { return {.kind = SetKind::VonMises, .radius = radius}; }

std::vector<Case> cases() {
  std::vector<Case> list = {{"free", {.kind = SetKind::Free}, 4},
                            {"orthant", {.kind = SetKind::Orthant}, 5},
                            {"box", box(-0.5, 0.25), 3},
                            {"box unbounded above", box(-0.5, infinity), 3},
                            {"box unbounded below", box(-infinity, 0.25), 3},
                            {"box unbounded", box(-infinity, infinity), 3},
                            {"box of one point", box(0.25, 0.25), 2}};
  for (const double mu : {0.0, 1e-9, 0.3, 1.0, 7.0, 1e9}) {
    for (const Index n : {1, 2, 3, 4, 9}) list.push_back({"cone", {SetKind::SecondOrderCone, mu}, n});
    list.push_back({"Coulomb2D", {SetKind::Coulomb2D, mu}, 2});
    list.push_back({"Coulomb3D", {SetKind::Coulomb3D, mu}, 3});
    for (const double lift : {0.0, 0.2})
      for (const Index n : {2, 3, 6}) list.push_back({"Drucker-Prager", drucker_prager(mu, lift), n});
  }
  for (const double radius : {0.0, 0.4, 100.0})
    for (const Index n : {2, 3, 6}) list.push_back({"von Mises", von_mises(radius), n});
  return list;
}

class Random {
 public:
  Eigen::VectorXd vector(Index n) {
    return Eigen::VectorXd::NullaryExpr(n, [this] { return normal_(engine_); });
  }
  double uniform() { return uniform_(engine_); }

  /// A point of the set by its definition, without any projection.
  Eigen::VectorXd member(const BlockSet& set, Index n) {
    Eigen::VectorXd y = vector(n);
    switch (set.kind) {
      case SetKind::Free:
        return y;
      case SetKind::Orthant:
        return y.cwiseAbs();
      case SetKind::Box: {
        const double low = std::max(set.lower, -5.0), high = std::min(set.upper, 5.0);
        for (double& entry : y) entry = std::min(high, low + (high - low) * uniform());
        return y;
      }
      case SetKind::VonMises:
        y.tail(n - 1) *= set.radius * uniform() * (1.0 - round_off(n)) / y.tail(n - 1).norm();
        return y;
      default:
        break;
    }
    y[0] = std::abs(y[0]);
    if (n > 1) {
      // A little inside, so that the rounding of y itself does not take it out of K.
      const double radius = y[0] * set.mu * uniform() * (1.0 - round_off(n));
      y.tail(n - 1) *= radius / y.tail(n - 1).norm();
    }
    return y;
  }

 private:
  std::mt19937_64 engine_{20240501};
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

Eigen::VectorXd projected(const BlockSet& set, Eigen::VectorXd z) {
  project(set, z);
  return z;
}

TEST(Projection, SolvesItsVariationalInequality) {
  Random random;
  for (const Case& c : cases()) {
    for (int trial = 0; trial < 200; ++trial) {
      const Eigen::VectorXd z = random.vector(c.n), p = projected(c.set, z), y = random.member(c.set, c.n);
      // With p off by d, |d| <= round_off |z| (of the larger of |z| and the bounds for a box, whose p is exact), the
      // product is at most |d| (|z - p| + |y - p|) + d.d, and |p| <= |z| + 1 for all these sets.
      const double size = z.norm() + 1.0;
      EXPECT_LE((z - p).dot(y - p), round_off(c.n) * size * (3.0 * size + y.norm())) << c.name << " mu " << c.set.mu;
    }
  }
}

TEST(Projection, LandsInTheSetAndStays) {
  Random random;
  for (const Case& c : cases()) {
    for (int trial = 0; trial < 200; ++trial) {
      const Eigen::VectorXd z = random.vector(c.n), p = projected(c.set, z), again = projected(c.set, p);
      // Twice the round-off of one projection: that of p, and that of projecting p.
      EXPECT_LE((again - p).norm(), 2.0 * round_off(c.n) * z.norm()) << c.name << " mu " << c.set.mu;
      if (c.set.kind == SetKind::Orthant) {
        EXPECT_GE(p.minCoeff(), 0.0);
      }
      if (c.set.kind == SetKind::Box) {
        EXPECT_GE(p.minCoeff(), c.set.lower);
        EXPECT_LE(p.maxCoeff(), c.set.upper);
      }
      if (c.set.kind == SetKind::VonMises) {
        EXPECT_EQ(p[0], z[0]);
        EXPECT_LE(p.tail(c.n - 1).norm(), c.set.radius * (1.0 + round_off(c.n)));
      }
      if (c.name == "cone" || c.name.starts_with("Coulomb") || c.name == "Drucker-Prager") {
        EXPECT_GE(p[0], 0.0);
        // |p_T| and mu p_0 are equal on the boundary, each within round_off |z_T|-like terms of the exact value.
        EXPECT_LE(p.tail(c.n - 1).norm(), c.set.mu * p[0] + 2.0 * round_off(c.n) * z.norm());
      }
    }
  }
}

TEST(Projection, MoreauDecompositionOfCones) {
  Random random;
  for (const double mu : {1e-6, 0.3, 1.0, 7.0, 1e6}) {
    for (const Index n : {1, 2, 3, 6}) {
      for (int trial = 0; trial < 200; ++trial) {
        const Eigen::VectorXd z = random.vector(n);
        const Eigen::VectorXd p = projected({SetKind::SecondOrderCone, mu}, z);
        // The dual of {|x| <= mu t} is {|x| <= t / mu}; the polar cone is its negative.
        const Eigen::VectorXd polar = -projected({SetKind::SecondOrderCone, 1.0 / mu}, -z);
        // One round-off for each projection, one for the rounding of 1/mu, which turns the ray by eps at most.
        EXPECT_LE((p + polar - z).norm(), 3.0 * round_off(n) * z.norm());
        EXPECT_LE(std::abs(p.dot(polar)), 3.0 * round_off(n) * z.squaredNorm());
      }
    }
  }
}

TEST(Projection, FrictionlessConeIsAHalfLine) {
  Eigen::Vector3d below(-2.0, 3.0, -4.0), above(2.0, 3.0, -4.0);
  project({SetKind::Coulomb3D, 0.0}, below);
  project({SetKind::Coulomb3D, 0.0}, above);
  EXPECT_EQ(below, Eigen::Vector3d(0.0, 0.0, 0.0));
  EXPECT_EQ(above, Eigen::Vector3d(2.0, 0.0, 0.0));
  Eigen::Vector3d axis(-2.0, 0.0, 0.0);
  project({SetKind::Coulomb3D, 0.0}, axis);
  EXPECT_EQ(axis, Eigen::Vector3d::Zero());
}

TEST(Projection, DoesNotOverflowOrUnderflow) {
  for (const double scale : {1e-200, 1e200}) {
    Eigen::Vector3d z = scale * Eigen::Vector3d(0.5, 3.0, 4.0);
    project({SetKind::Coulomb3D, 1.0}, z);
    // By hand: (t + |x|)/2 = 2.75 on the axis, x along (3, 4)/5. Powers of ten scale with one rounding each.
    const Eigen::Vector3d expected = scale * Eigen::Vector3d(2.75, 1.65, 2.2);
    EXPECT_LE((z - expected).lpNorm<Eigen::Infinity>(), round_off(3) * scale * 5.0);
  }
}

TEST(NaturalError, IsTheDefinition) {
  Random random;
  for (const Case& c : cases()) {
    for (const double rho : {0.01, 1.0, 30.0}) {
      const Eigen::VectorXd r = random.vector(c.n), u = random.vector(c.n);
      Eigen::VectorXd hat = u, error(c.n);
      modify_velocity(c.set, hat);
      natural_error(c.set, rho, r, u, error);
      const Eigen::VectorXd expected =
          c.set.kind == SetKind::Free ? u : Eigen::VectorXd((r - projected(c.set, r - rho * hat)) / rho);
      // The definition's own round-off: forming r - rho û, projecting it and subtracting, divided by rho.
      const double tolerance = 3.0 * round_off(c.n) * (r.norm() + rho * hat.norm() + 1.0) / rho;
      EXPECT_LE((error - expected).norm(), tolerance) << c.name << " mu " << c.set.mu << " rho " << rho;
    }
  }
}

TEST(NaturalError, VanishesExactlyAtSolutions) {
  Eigen::Vector3d error;
  // Separation: no reaction, the contact opens. Sticking: no velocity, reaction inside the cone.
  natural_error({SetKind::Coulomb3D, 0.5}, 2.0, Eigen::Vector3d::Zero(), Eigen::Vector3d(1.0, 0.2, 0.1), error);
  EXPECT_EQ(error, Eigen::Vector3d::Zero());
  natural_error({SetKind::Coulomb3D, 0.5}, 2.0, Eigen::Vector3d(2.0, 0.5, 0.5), Eigen::Vector3d::Zero(), error);
  EXPECT_EQ(error, Eigen::Vector3d::Zero());
  // Sliding: u_T against r_T on the boundary; zero up to the round-off of the projection.
  natural_error({SetKind::Coulomb3D, 0.5}, 2.0, Eigen::Vector3d(2.0, 0.6, 0.8), Eigen::Vector3d(0.0, -3.0, -4.0),
                error);
  EXPECT_LE(error.norm(), 3.0 * round_off(3) * (3.0 + 2.0 * 6.0) / 2.0);
  // A relay on its upper bound with u < 0, and inside with u = 0.
  Eigen::Vector2d two;
  natural_error(box(-1.0, 1.0), 0.5, Eigen::Vector2d(1.0, 0.3), Eigen::Vector2d(-2.0, 0.0), two);
  EXPECT_EQ(two, Eigen::Vector2d::Zero());
  // Elastic stress: no flow. Flow along the stress on the cylinder |r_T| = 5, whatever the pressure: 3-4-5, exact.
  natural_error(von_mises(6.0), 2.0, Eigen::Vector3d(-9.0, 3.0, 4.0), Eigen::Vector3d::Zero(), error);
  EXPECT_EQ(error, Eigen::Vector3d::Zero());
  natural_error(von_mises(5.0), 2.0, Eigen::Vector3d(-9.0, 3.0, 4.0), Eigen::Vector3d(0.0, -6.0, -8.0), error);
  EXPECT_LE(error.norm(), 3.0 * round_off(3) * (5.0 + 2.0 * 10.0) / 2.0);
  // Flow on the Drucker-Prager cone: u_T = -lambda r_T/|r_T| with u_0 = (mu - lift) |u_T|, so that û is normal to
  // K.
  natural_error(drucker_prager(0.5, 0.2), 2.0, Eigen::Vector3d(10.0, 3.0, 4.0), Eigen::Vector3d(3.0, -6.0, -8.0),
                error);
  EXPECT_LE(error.norm(), 3.0 * round_off(3) * (15.0 + 2.0 * 14.0) / 2.0);
}

TEST(NaturalError, KeepsNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const SetKind kind : {SetKind::Free, SetKind::Orthant, SetKind::Box, SetKind::SecondOrderCone}) {
    Eigen::VectorXd error(1);
    natural_error({kind, 0.5}, 1.0, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, nan), error);
    EXPECT_TRUE(std::isnan(error[0])) << static_cast<int>(kind);
    natural_error({kind, 0.5}, 1.0, Eigen::VectorXd::Constant(1, nan), Eigen::VectorXd::Zero(1), error);
    if (kind != SetKind::Free) {
      EXPECT_TRUE(std::isnan(error[0])) << static_cast<int>(kind);
    }
  }
}

TEST(ModifyVelocity, AddsTheSlidingSpeedToTheNormalRow) {
  Eigen::Vector3d u(1.0, 3.0, 4.0);
  modify_velocity({SetKind::Coulomb3D, 0.5}, u);
  EXPECT_EQ(u, Eigen::Vector3d(3.5, 3.0, 4.0));
  Eigen::Vector2d v(1.0, -3.0);
  modify_velocity({SetKind::Coulomb2D, 0.5}, v);
  EXPECT_EQ(v, Eigen::Vector2d(2.5, -3.0));
  Eigen::Vector3d w(1.0, 3.0, 4.0);
  modify_velocity({SetKind::SecondOrderCone, 0.5}, w);
  EXPECT_EQ(w, Eigen::Vector3d(1.0, 3.0, 4.0));
  modify_velocity(von_mises(0.5), w);
  EXPECT_EQ(w, Eigen::Vector3d(1.0, 3.0, 4.0));
  modify_velocity(drucker_prager(0.5, 0.0), w);
  EXPECT_EQ(w, Eigen::Vector3d(1.0, 3.0, 4.0));
  modify_velocity(drucker_prager(0.5, 0.25), w);
  EXPECT_EQ(w, Eigen::Vector3d(2.25, 3.0, 4.0));
}

TEST(ProductSet, CountsBlocksAndRows) {
  ProductSet K;
  EXPECT_EQ(K.num_rows(), 0);
  EXPECT_TRUE(K.all(SetKind::Free));
  K.push_back({SetKind::Orthant}, 4);
  EXPECT_TRUE(K.all(SetKind::Orthant));
  K.push_back({SetKind::Coulomb3D, 0.3}, 3);
  EXPECT_EQ(K.num_blocks(), 2);
  EXPECT_EQ(K.num_rows(), 7);
  EXPECT_EQ(K.offset(1), 4);
  EXPECT_EQ(K.size(1), 3);
  EXPECT_EQ(K[1].mu, 0.3);
  EXPECT_FALSE(K.all(SetKind::Orthant));
  EXPECT_EQ(K.count(SetKind::Coulomb3D), 1);
  K.clear();
  EXPECT_EQ(K.num_blocks(), 0);
  EXPECT_EQ(K.num_rows(), 0);
  EXPECT_EQ(K.count(SetKind::Orthant), 0);
}

TEST(ProductSet, RefusesMalformedBlocksAndStaysAsItWas) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ProductSet K;
  EXPECT_THROW(K.push_back({SetKind::Orthant}, 0), InvalidArgument);
  EXPECT_THROW(K.push_back({SetKind::Coulomb3D, -0.1}, 3), InvalidArgument);
  EXPECT_THROW(K.push_back({SetKind::Coulomb3D, nan}, 3), InvalidArgument);
  EXPECT_THROW(K.push_back({SetKind::SecondOrderCone, infinity}, 3), InvalidArgument);
  EXPECT_THROW(K.push_back({SetKind::Coulomb3D, 0.1}, 2), InvalidArgument);
  EXPECT_THROW(K.push_back({SetKind::Coulomb2D, 0.1}, 3), InvalidArgument);
  EXPECT_THROW(K.push_back(box(1.0, -1.0), 1), InvalidArgument);
  EXPECT_THROW(K.push_back(box(nan, 1.0), 1), InvalidArgument);
  EXPECT_THROW(K.push_back(box(infinity, infinity), 1), InvalidArgument);
  for (const double bad : {-0.1, nan, infinity}) {
    EXPECT_THROW(K.push_back(drucker_prager(bad, 0.0), 3), InvalidArgument);
    EXPECT_THROW(K.push_back(drucker_prager(0.3, bad), 3), InvalidArgument);
    EXPECT_THROW(K.push_back(von_mises(bad), 3), InvalidArgument);
  }
  EXPECT_THROW(K.push_back(drucker_prager(0.3, 0.0), 1), InvalidArgument);
  EXPECT_THROW(K.push_back(von_mises(1.0), 1), InvalidArgument);
  EXPECT_EQ(K.num_blocks(), 0);
  EXPECT_EQ(K.num_rows(), 0);
}

}  // namespace
}  // namespace nonsmooth::projection_test
