// SPDX-License-Identifier: Apache-2.0
// Contacts of two shapes as relations: H and curvature against differences along the bodies' moves, rows against those
// of contacts that are found, refusals of other bodies.
//
// Differences are of the fourth order with s = 5e-4. Centres and axes are 0.4 m apart or more and a move of one unit
// brings points nearer by 2 m at most, so that |h^(5)| <= 4! 2^5 / 0.4^4 = 3e4: an error of s^4 3e4 / 30 = 6e-11, and
// of 3 eps / (2 s), 7e-13. Of H v along v, |v| = 0.4: |h^(6)| <= 5! 0.8^6 / 0.4^5 = 3e3, 6e-12.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <support/parameter_name.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/joint_bodies.hpp"
#include "shape_pair_cases.hpp"

namespace nonsmooth::shape_pairs_test {
namespace {

using Eigen::Vector3d;
using jointed::exponential;
using jointed::place;
using shape_pair_cases::pair_cases;
using shape_pair_cases::PairCase;
using shape_pair_cases::Pose;
using shape_pair_cases::RelationPointer;

constexpr double kStep = 5e-4, kGradient = 1e-10, kCurvature = 2e-11;
/// A tangent on a grain turns as fast as the normal over the sine of the angle between them, 0.2 and more here: five
/// times the differences' error with each derivative but the first, of five.
constexpr double kCurvatureOfSkins = 1e-9;

class ShapePairs : public testing::TestWithParam<PairCase> {
 protected:
  const PairCase& c = GetParam();
  Pose first{c.planar ? Eigen::VectorXd(Vector3d(0.3, -0.2, 0.7))
                      : place({0.3, -0.2, 0.5}, exponential({0.5, -0.4, 0.3}))};
  Pose other{c.planar ? Eigen::VectorXd(Vector3d(-0.4, 0.6, -1.1))
                      : place({-0.4, 0.6, -0.1}, exponential({-0.3, 0.8, 0.2}))};

  [[nodiscard]] Index velocities() const { return c.planar ? 3 : 6; }
  [[nodiscard]] Index all_rows() const { return c.planar ? 2 : 3; }
  [[nodiscard]] std::vector<Index> bodies() const {
    return c.of_ground ? std::vector<Index>{1} : std::vector<Index>{1, 2};
  }
  [[nodiscard]] Eigen::VectorXd positions(Index count) const {
    Eigen::VectorXd q(count * first.q.size());
    q.head(first.q.size()) = first.q;
    if (count == 2) q.tail(first.q.size()) = other.q;
    return q;
  }
  [[nodiscard]] RelationPointer relation(Index count, Index rows) const {
    return c.make(first, count == 2 ? other : Pose{}, rows);
  }
  [[nodiscard]] Eigen::VectorXd moved(const Eigen::VectorXd& q, const Eigen::VectorXd& w) const {
    Eigen::VectorXd result = q;
    if (c.planar) {
      result += w;
    } else {
      jointed::move(result, w);
    }
    return result;
  }
  [[nodiscard]] static Eigen::MatrixXd H_of(const MechanicalRelation& relation, const Eigen::VectorXd& q, Index n) {
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(relation.rows(), n);
    relation.H(0.0, q, H);
    return H;
  }
  /// df/ds at s = 0 of f along w.
  template <class Function>
  [[nodiscard]] auto slope(const Eigen::VectorXd& q, const Eigen::VectorXd& w, const Function& f) const {
    const auto at = [&](double s) { return f(moved(q, s * kStep * w)); };
    return Eigen::VectorXd((8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * kStep));
  }
};

TEST_P(ShapePairs, JacobianAndCurvatureAreThoseOfDifferences) {
  for (const Index count : bodies()) {
    const RelationPointer pair = relation(count, all_rows());
    const Index n = velocities() * count;
    const Eigen::VectorXd q = positions(count);
    ASSERT_NO_THROW(pair->validate(n));
    const auto h = [&](const Eigen::VectorXd& at) {
      Eigen::VectorXd y = Eigen::VectorXd::Ones(pair->rows());
      pair->h(0.0, at, y);
      return y;
    };
    if (!std::isnan(c.gap)) {
      EXPECT_NEAR(h(q)[0], c.gap, 1e-14);  // some ten terms of 1 m
    }
    EXPECT_TRUE(h(q).tail(all_rows() - 1).isZero(0.0));
    const Eigen::MatrixXd H = H_of(*pair, q, n);
    for (Index j = 0; j < n; ++j) {
      const Eigen::VectorXd differences = slope(q, Eigen::VectorXd::Unit(n, j), h);
      EXPECT_NEAR(H(0, j), differences[0], kGradient) << count << " bodies, column " << j;
    }
    // (d/dt H) v, of tangential rows as well, whose H is no gradient.
    Eigen::VectorXd v(n), curvature = Eigen::VectorXd::Zero(pair->rows());
    for (Index j = 0; j < n; ++j) v[j] = std::sin(1.0 + 2.3 * static_cast<double>(j));
    v *= 0.4 / v.norm();
    pair->curvature(0.0, q, v, curvature);
    const Eigen::VectorXd differences =
        slope(q, v, [&](const Eigen::VectorXd& at) { return Eigen::VectorXd(H_of(*pair, at, n) * v); });
    EXPECT_LE((curvature - differences).lpNorm<Eigen::Infinity>(), kCurvature) << count << " bodies";
    EXPECT_FALSE(pair->depends_on_time());
    EXPECT_TRUE(pair->is_gradient(0));
    EXPECT_FALSE(pair->is_gradient(1));
  }
}

TEST_P(ShapePairs, CurvatureOfConveyorsAndGrainsIsThatOfDifferences) {
  // d/dt (H v + h_t) at a constant v, of both surfaces moving at some 1 m/s, with rates of some 1 / s.
  for (const Index count : bodies()) {
    shape_pairs::PairSkins skins;
    for (const double phase : {0.0, 1.0}) {
      skins.velocities[phase == 0.0 ? 0 : 1] = [phase, planar = c.planar](const Vector3d& x, double t) {
        return Vector3d(std::sin(x[1] + 0.7 * t + phase), std::cos(x[0] - x[2] + phase), planar ? 0.0 : 0.5 + x[0] * t);
      };
    }
    skins.elliptic = !c.planar;
    skins.grain = {0.3, -0.8, 0.5};
    for (const Index grain_of : {0, 1}) {
      skins.grain_of = grain_of;
      const RelationPointer plain = relation(count, all_rows());
      const RelationPointer pair = dynamic_cast<const shape_pairs::PairOfShapes&>(*plain).with(skins);
      EXPECT_TRUE(pair->depends_on_time());
      const Index n = velocities() * count;
      const Eigen::VectorXd q = positions(count);
      Eigen::VectorXd v(n), curvature = Eigen::VectorXd::Zero(pair->rows());
      for (Index j = 0; j < n; ++j) v[j] = std::sin(1.0 + 2.3 * static_cast<double>(j));
      v *= 0.4 / v.norm();
      constexpr double t = 0.6;
      pair->curvature(t, q, v, curvature);
      const auto u = [&](double s) {
        const Eigen::VectorXd at = moved(q, s * kStep * v);
        Eigen::VectorXd h_t = Eigen::VectorXd::Zero(pair->rows());
        pair->h_t(t + s * kStep, at, h_t);
        EXPECT_EQ(h_t[0], 0.0);
        return Eigen::VectorXd(H_of(*pair, at, n) * v + h_t);
      };
      const Eigen::VectorXd differences = (8.0 * (u(1.0) - u(-1.0)) - (u(2.0) - u(-2.0))) / (12.0 * kStep);
      EXPECT_LE((curvature - differences).lpNorm<Eigen::Infinity>(), kCurvatureOfSkins) << count << " bodies";
    }
  }
}

TEST_P(ShapePairs, RowsAreThoseOfPointsThatMoveTogether) {
  for (const Index count : bodies()) {
    const RelationPointer pair = relation(count, all_rows());
    const Index n = velocities() * count;
    const Eigen::MatrixXd H = H_of(*pair, positions(count), n);
    // (n, t_1, t_2) are orthonormal and right-handed, (n, t) as DiskContacts has them.
    const Eigen::MatrixXd axes = H.leftCols(c.planar ? 2 : 3);
    EXPECT_LE((axes * axes.transpose() - Eigen::MatrixXd::Identity(axes.rows(), axes.rows())).norm(), 1e-14);
    EXPECT_NEAR(c.planar ? -axes.determinant() : axes.determinant(), 1.0, 1e-14);
    if (count == 1) continue;
    // Two bodies that move as one do not move against each other, but for a gap that turns.
    const Vector3d v(0.3, -0.7, 0.2), omega = c.planar ? Vector3d(0.0, 0.0, 0.4) : Vector3d(0.4, 0.5, -0.3);
    Eigen::VectorXd w(n);
    for (Index i = 0; i < 2; ++i) {
      const Pose& body = i == 0 ? first : other;
      const Vector3d velocity = v + jointed::cross(omega, body.origin());
      if (c.planar) {
        w.segment<3>(3 * i) << velocity.head<2>(), omega[2];
      } else {
        w.segment<6>(6 * i) << velocity, body.direction(omega);
      }
    }
    const Eigen::VectorXd u = H * w;
    Eigen::VectorXd y = Eigen::VectorXd::Zero(pair->rows());
    pair->h(0.0, positions(2), y);
    EXPECT_NEAR(u[0], 0.0, 1e-14);
    const Eigen::Vector3d normal = c.planar ? Vector3d(axes(0, 0), axes(0, 1), 0.0) : Vector3d(axes.row(0));
    const Vector3d slip = jointed::cross(omega, y[0] * normal);
    for (Index k = 1; k < axes.rows(); ++k) EXPECT_NEAR(u[k], axes.row(k).dot(slip.head(axes.cols())), 1e-14) << k;
  }
}

TEST_P(ShapePairs, NoGapIsSteeperThanItSays) {
  for (const Index count : bodies()) {
    const RelationPointer pair = relation(count, 1);
    const double steepness = pair->steepness(count);
    if (steepness == 0.0) continue;  // not known, as on planes that turn
    Eigen::MatrixXd H = H_of(*pair, positions(count), velocities() * count);
    // A quaternion goes half of what its body turns.
    for (Index i = 0; i < count && !c.planar; ++i) H.middleCols(6 * i + 3, 3) *= 2.0;
    EXPECT_LE(H.norm(), steepness) << count;
    EXPECT_GE(H.norm(), c.steep * steepness) << count;
    EXPECT_EQ(pair->smallest_feature() > 0.0, !c.sharp);
  }
}

TEST_P(ShapePairs, TheNormalRowAloneIsTheSame) {
  for (const Index count : bodies()) {
    const Index n = velocities() * count;
    const Eigen::MatrixXd one = H_of(*relation(count, 1), positions(count), n);
    EXPECT_EQ(one, H_of(*relation(count, all_rows()), positions(count), n).topRows(1));
  }
}

TEST_P(ShapePairs, RefusesOtherBodiesAndRows) {
  const RelationPointer pair = relation(1, 1);
  bad_input::expect_refused([&] { pair->validate_system("a pendulum", 1, 1); }, {"a pendulum", "bodies"});
  bad_input::expect_refused([&] { pair->validate(18); }, {"bodies", "18 velocities"});
  // One, with friction 2 in the plane and 3 in space, and with rows against turning 3, and 4 to 6.
  const bool in_space = all_rows() == 3;
  for (const Index rows : in_space ? std::vector<Index>{0, 2, 7} : std::vector<Index>{0, 4})
    bad_input::expect_refused([&] { (void)relation(1, rows); }, {"::rows", std::to_string(rows)});
}

TEST(ShapePairsOfCylinders, CurvatureBesideAnEndIsThatOfDifferences) {
  // Behind the end of the second one and beside it: its rim is nearest, to the side of the first or to the rim of this.
  // Rates are known to 2e-8 of some 1 m/s, and their products with others of that size to some of it; differences of H
  // to 1.5 / kStep of the narrow phase's 1e-12.
  for (const double along : {0.0, 0.55}) {
    const Pose first{place({0.3, -0.2, 0.5}, exponential({0.5, -0.4, 0.3}))},
        other{place({-0.4, 0.6, -0.1}, exponential({-0.3, 0.8, 0.2}))};
    const PairCase c =
        shape_pair_cases::crossed_cylinders("BesideAnEnd", 1.2, std::nan(""), {0.05 + along, 0.9, 1.0 + 0.4 * along});
    const RelationPointer pair = c.make(first, other, 3);
    Eigen::VectorXd q(14), v(12), curvature = Eigen::VectorXd::Zero(3);
    q << first.q, other.q;
    for (Index j = 0; j < 12; ++j) v[j] = std::sin(1.0 + 2.3 * static_cast<double>(j));
    v *= 0.4 / v.norm();
    pair->curvature(0.0, q, v, curvature);
    const auto u = [&](double s) {
      Eigen::VectorXd at = q;
      jointed::move(at, s * kStep * v);
      Eigen::MatrixXd H = Eigen::MatrixXd::Zero(3, 12);
      pair->H(0.0, at, H);
      return Eigen::VectorXd(H * v);
    };
    const Eigen::VectorXd differences = (8.0 * (u(1.0) - u(-1.0)) - (u(2.0) - u(-2.0))) / (12.0 * kStep);
    EXPECT_LE((curvature - differences).lpNorm<Eigen::Infinity>(), 1e-7) << along;
    EXPECT_GT(differences.lpNorm<Eigen::Infinity>(), 1e-2) << "no test otherwise";
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShapePairs, testing::ValuesIn(pair_cases()), test::parameter_name);

}  // namespace
}  // namespace nonsmooth::shape_pairs_test
