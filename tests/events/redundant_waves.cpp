// SPDX-License-Identifier: Apache-2.0
// The law of Liu, Zhao and Brogliato where contacts are redundant (W singular) or act at one instant: corners of boxes
// on a plane, contacts in one place.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "impact/impact_problem.hpp"

namespace nonsmooth::impacts::redundant_waves_test {
namespace {

using Rule = ImpactContact::Rule;

// Of the largest speed, and of the energy: 1e-12 a step of the impact, some hundred steps.
constexpr double converged = 1e-9;

enum class Fall : unsigned char { Flat, Tilted, OnAnEdge, AlmostFlat };
constexpr Fall falls[] = {Fall::Flat, Fall::Tilted, Fall::OnAnEdge, Fall::AlmostFlat};

/// The corners of a box that meet a plane at once: u = G v with v of the centre and the turning.
struct Corners {
  Eigen::MatrixXd G;
  Eigen::Matrix3d inverse_mass;
  Eigen::Vector3d v;
  ImpactProblem problem;

  void write(double e, double exponent) {
    problem.W = G * inverse_mass * G.transpose();
    problem.u_minus = G * v;
    problem.contacts.clear();
    for (Index i = 0; i < G.rows(); ++i)
      problem.contacts.push_back({.first = i, .rule = Rule::LiuZhaoBrogliato, .restitution = e, .exponent = exponent});
  }
  [[nodiscard]] double energy() const { return 0.5 * v.dot(inverse_mass.inverse() * v); }
};

/// Half-extents of .05 to .3 m, masses of .5 to 3 kg. On an edge: one corner, or two, at rest to round-off.
Corners random_box(std::mt19937& random, int dimension, Fall fall) {
  std::uniform_real_distribution<double> uniform(0.5, 3.0), sign(-1.0, 1.0);
  const double mass = uniform(random), a = 0.1 * uniform(random), b = 0.1 * uniform(random), c = 0.1 * uniform(random);
  const double speed = uniform(random), one = sign(random), two = sign(random), angle = 3.0 * sign(random);
  const double turning = fall == Fall::Flat ? 0.0 : fall == Fall::Tilted ? 2.0 : 1e-9;
  Corners box;
  box.v = Eigen::Vector3d(-speed, turning * one * speed / b, turning * two * speed / a);
  if (fall == Fall::OnAnEdge) box.v.tail<2>() = Eigen::Vector2d(speed / b, 0.0);
  box.inverse_mass = Eigen::Vector3d(1.0, 3.0 / (b * b + c * c), 3.0 / (a * a + c * c)).asDiagonal();
  box.inverse_mass /= mass;
  if (dimension == 2) {
    box.G = Eigen::MatrixXd{{1.0, b, 0.0}, {1.0, -b, 0.0}};
    box.v[2] = 0.0;
    return box;
  }
  // In axes turned about the normal: the same W and u, but for round-off.
  box.G = Eigen::MatrixXd{{1.0, b, -a}, {1.0, b, a}, {1.0, -b, -a}, {1.0, -b, a}};
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
  axes.bottomRightCorner<2, 2>() = Eigen::Rotation2Dd(angle).toRotationMatrix();
  box.G *= axes;
  box.inverse_mass = (axes.transpose() * box.inverse_mass * axes).eval();
  box.v = (axes.transpose() * box.v).eval();
  return box;
}

void expect_balanced(const Corners& box, const ImpactResult& result, double e, const std::string& name) {
  ASSERT_EQ(result.status, Status::Solved) << name << result.detail;
  const double speed = box.problem.u_minus.lpNorm<Eigen::Infinity>();
  EXPECT_GE(result.p.minCoeff(), 0.0) << name;
  EXPECT_GE(result.u_plus.minCoeff(), -1e-10 * speed) << name;
  EXPECT_LE(result.energy_change, converged * box.energy()) << name;
  if (e == 1.0) {
    EXPECT_NEAR(result.energy_change, 0.0, converged * box.energy()) << name;
  }
}

/// The same with contacts in reverse, masses of another unit and velocities of another one.
void expect_alike(const Corners& box, const ImpactResult& result, const std::string& name) {
  constexpr double velocity = 0.013, inverse_mass = 3.7;
  ImpactProblem other = box.problem;
  other.W = inverse_mass * box.problem.W.reverse();
  other.u_minus = velocity * box.problem.u_minus.reverse();
  const ImpactResult alike = solve_impact(other);
  ASSERT_EQ(alike.status, Status::Solved) << name << alike.detail;
  EXPECT_LT((alike.u_plus.reverse() / velocity - result.u_plus).lpNorm<Eigen::Infinity>(),
            converged * box.problem.u_minus.lpNorm<Eigen::Infinity>())
      << name;
}

TEST(RedundantWaves, BoxesFlatAndTiltedInThePlaneAndInSpace) {
  for (const int dimension : {2, 3}) {
    for (const Fall fall : falls) {
      for (const double e : {0.0, 0.2, 0.5, 0.8, 1.0}) {
        for (const double exponent : {1.0, 1.5}) {
          std::mt19937 random(1);
          for (int k = 0; k < 20; ++k) {
            Corners box = random_box(random, dimension, fall);
            box.write(e, exponent);
            const std::string name = std::to_string(dimension) + "D, fall " + std::to_string(static_cast<int>(fall)) +
                                     ", e " + std::to_string(e) + ", exponent " + std::to_string(exponent) + ", box " +
                                     std::to_string(k) + ": ";
            const ImpactResult result = solve_impact(box.problem);
            expect_balanced(box, result, e, name);
            expect_alike(box, result, name);
            if (HasFatalFailure()) return;
            if (fall != Fall::Flat) continue;
            // By symmetry each corner has e |v-|.
            const double speed = -box.v[0];
            EXPECT_LT((result.u_plus.array() - e * speed).abs().maxCoeff(), converged * speed) << name;
            EXPECT_NEAR(result.energy_change, (e * e - 1.0) * box.energy(), 2.0 * converged * box.energy()) << name;
          }
        }
      }
    }
  }
}

TEST(RedundantWaves, CornersThatDoNotActOnOneAnother) {
  // J = m b^2: each corner hits with half the mass and has its own e |u-|, whatever the other does. Of W_12 there is
  // round-off.
  std::mt19937 random(2);
  for (int k = 0; k < 20; ++k) {
    for (const double e : {0.0, 0.5, 1.0}) {
      Corners box = random_box(random, 2, Fall::AlmostFlat);
      const double b = box.G(0, 1);
      box.inverse_mass(1, 1) = box.inverse_mass(0, 0) / (b * b);
      box.v[1] = 0.1 * k / b * box.v[0] / 2.0;
      box.write(e, 1.5);
      const ImpactResult result = solve_impact(box.problem);
      ASSERT_EQ(result.status, Status::Solved) << k << ": " << result.detail;
      EXPECT_LT((result.u_plus + e * box.problem.u_minus).lpNorm<Eigen::Infinity>(), converged * 2.0 * -box.v[0]) << k;
    }
  }
}

TEST(RedundantWaves, ContactsInOnePlaceShareTheEnergyByStiffness) {
  // All have one indentation at the end of compression and K_i / sum K of the energy, of which e_i^2 is given back:
  // v+^2 = v-^2 sum K_i e_i^2 / sum K.
  const Eigen::VectorXd K = (Eigen::VectorXd(5) << 1.0, 0.3, 2.0, 1.0, 0.7).finished();
  const Eigen::VectorXd e = (Eigen::VectorXd(5) << 1.0, 0.5, 0.0, 0.8, 0.2).finished();
  for (const double exponent : {1.0, 1.5, 3.0}) {
    for (Index n = 1; n <= 5; ++n) {
      ImpactProblem problem;
      problem.W = Eigen::MatrixXd::Constant(n, n, 1.0 / 0.3);
      problem.u_minus = Eigen::VectorXd::Constant(n, -0.7);
      for (Index i = 0; i < n; ++i)
        problem.contacts.push_back(
            {.first = i, .rule = Rule::LiuZhaoBrogliato, .restitution = e[i], .stiffness = K[i], .exponent = exponent});
      const ImpactResult result = solve_impact(problem);
      ASSERT_EQ(result.status, Status::Solved) << n << ": " << result.detail;
      const double rebound = 0.7 * std::sqrt(K.head(n).dot(e.head(n).cwiseAbs2()) / K.head(n).sum());
      EXPECT_LT((result.u_plus.array() - rebound).abs().maxCoeff(), converged) << n << ", exponent " << exponent;
    }
  }
}

/// Three unit balls in a row, the first at `speed`, in contacts of stiffnesses K_i [N m^-eta_i] with exponents of their
/// own.
Eigen::VectorXd velocities_of_contacts(double speed, const Eigen::Vector2d& K, const Eigen::Vector2d& eta) {
  ImpactProblem problem;
  problem.W = Eigen::MatrixXd{{2.0, -1.0}, {-1.0, 2.0}};
  problem.u_minus = Eigen::Vector2d(-speed, 0.0);
  for (Index i = 0; i < 2; ++i) {
    problem.contacts.push_back(
        {.first = i, .rule = Rule::LiuZhaoBrogliato, .restitution = 1.0, .stiffness = K[i], .exponent = eta[i]});
  }
  const ImpactResult result = solve_impact(problem);
  EXPECT_EQ(result.status, Status::Solved);
  return result.u_plus;
}

// In another unit of length, l of it a metre, forces and velocities are l times as large and K l^(1 - eta) times.
TEST(RedundantWaves, ExponentsOfTheirOwnDoNotDependOnTheUnitOfLength) {
  const Eigen::Vector2d K(1e10, 1e8), eta(1.5, 1.0);
  const Eigen::VectorXd u = velocities_of_contacts(1.0, K, eta);
  for (const double l : {1e-3, 1e3}) {
    const Eigen::Vector2d scaled = K.array() * Eigen::Array2d::Constant(l).pow(1.0 - eta.array());
    EXPECT_LE((velocities_of_contacts(l, scaled, eta) / l - u).lpNorm<Eigen::Infinity>(), converged) << l;
  }
  // Energy: 1/2 (v_1^2 + v_2^2 + v_3^2) = 1/2 with v_1 + v_2 + v_3 = 1 and u = (v_2 - v_1, v_3 - v_2).
  EXPECT_NEAR(u[0] * u[0] + u[0] * u[1] + u[1] * u[1], 1.0, converged);
}

}  // namespace
}  // namespace nonsmooth::impacts::redundant_waves_test
