// SPDX-License-Identifier: Apache-2.0
// Rows of joints: H and curvature against differences along the bodies' moves, freedoms left, turns, refusals.
//
// Differences are of the fourth order. First ones of step s: an error of s^4 |h^(5)| / 30 and of 3 eps |h| / (2 s);
// second ones: s^4 |h^(6)| / 90 and 16 eps |h| / (3 s^2). Bodies lie within 2 m and move by |w|_2 = 1 to 3 a unit of s,
// so that |h^(k)| <= 10 * 3^k, 2 * 3^k for unit directions in each entry.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/QR>

#include <support/parameter_name.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/joint_bodies.hpp"

namespace nonsmooth::joints_test {
namespace {

using jointed::exponential;
using jointed::place;

using RelationPointer = std::shared_ptr<const MechanicalRelation>;

constexpr double kPi = std::numbers::pi;

/// Three bodies anywhere; bodies in the plane are (x, y, angle).
Eigen::VectorXd scattered(Index bodies, bool planar) {
  Eigen::VectorXd q((planar ? 3 : 7) * bodies);
  for (Index i = 0; i < bodies; ++i) {
    const double k = static_cast<double>(i);
    if (planar) {
      q.segment<3>(3 * i) << 0.3 - k, 0.7 * k, 0.4 + 1.1 * k;
    } else {
      q.segment<7>(7 * i) = place({0.3 - k, 0.7 * k, 0.2 + 0.1 * k}, exponential({0.5 + 0.4 * k, -0.4 * k, 0.3}));
    }
  }
  return q;
}

void move(VectorRef q, ConstVectorRef w, bool planar) {
  if (planar) {
    q += w;
  } else {
    jointed::move(q, w);
  }
}

Eigen::VectorXd value_at(const MechanicalRelation& joint, const Eigen::VectorXd& q, const Eigen::VectorXd& w,
                         bool planar) {
  Eigen::VectorXd moved = q, y = Eigen::VectorXd::Zero(joint.rows());
  move(moved, w, planar);
  joint.h(0.0, moved, y);
  return y;
}

JointFrames crooked_frames() {
  return {{{0.2, -0.1, 0.4}, {1.0, 2.0, -0.5}, {0.3, 0.0, 1.0}}, {{-0.3, 0.5, 0.1}, {0.2, 1.0, 0.7}, {1.0, 0.4, 0.0}}};
}
JointFrames other_frames() {
  return {{{0.1, 0.3, -0.2}, {0.0, 1.0, 0.4}, {1.0, 0.1, 0.0}}, {{0.6, 0.1, 0.2}, {1.0, 0.3, 0.3}, {0.0, 0.2, 1.0}}};
}
PlanarFrames planar_frames() { return {{{0.2, -0.1}, 0.3}, {{-0.4, 0.6}, -0.8}}; }

struct JointCase {
  std::string name;
  std::function<RelationPointer()> make;
  Index freedom;  ///< of the first body against the second, 6 less the rank
  bool planar = false;
  Index least_bodies = 1;
  bool closes = true;  ///< y = 0 where its frames coincide, and H has full rank there
  bool timed = false;
  friend void PrintTo(const JointCase& c, std::ostream* out) { *out << c.name; }
};

const std::vector<JointCase>& joint_cases() {
  static const std::vector<JointCase> cases{
      {"Fixed", [] { return make_relation(FixedJoint{crooked_frames()}); }, 0},
      {"Ball", [] { return make_relation(BallJoint{crooked_frames()}); }, 3},
      {"Hinge", [] { return make_relation(HingeJoint{crooked_frames()}); }, 1},
      {"Slider", [] { return make_relation(SliderJoint{crooked_frames()}); }, 1},
      {"Cylindrical", [] { return make_relation(CylindricalJoint{crooked_frames()}); }, 2},
      {"Universal", [] { return make_relation(UniversalJoint{crooked_frames()}); }, 2},
      {"Planar", [] { return make_relation(PlanarJoint{crooked_frames()}); }, 3},
      {"Screw",
       [] {
         return make_relation(ScrewJoint{crooked_frames(), 4.0});
       },
       1},
      {"Distance",
       [] {
         return make_relation(DistanceJoint{{0.2, 0.1, 0.0}, {-0.3, 0.4, 0.2}, 1.0});
       },
       5},
      {"Gear",
       [] {
         return make_relation(GearJoint{crooked_frames(), other_frames(), 2, -3});
       },
       11, false, 2},
      {"Rack",
       [] {
         return make_relation(RackJoint{crooked_frames(), other_frames(), 0.8});
       },
       11, false, 2},
      {"PlanarDistance",
       [] {
         return make_relation(DistanceJoint{{0.2, 0.1, 0.0}, {-0.3, 0.4, 0.0}, 1.0});
       },
       2, true},
      {"PlanarHinge", [] { return make_relation(PlanarHinge{planar_frames()}); }, 1, true},
      {"PlanarSlider", [] { return make_relation(PlanarSlider{planar_frames()}); }, 1, true},
      {"FrictionalSlider", [] { return make_relation(FrictionalSlider{crooked_frames()}); }, 0},
      {"PlanarFrictionalHinge", [] { return make_relation(PlanarFrictionalHinge{planar_frames()}); }, 0, true},
      {"PlanarFrictionalSlider", [] { return make_relation(PlanarFrictionalSlider{planar_frames()}); }, 0, true},
      {"PlanarFixed", [] { return make_relation(PlanarFixed{planar_frames()}); }, 0, true},
      {"FrictionalHinge", [] { return make_relation(FrictionalHinge{crooked_frames()}); }, 0},
      {"FrictionalCylindrical",
       [] {
         return make_relation(FrictionalCylindrical{crooked_frames(), 0.7});
       },
       0},
      {"FrictionalScrew",
       [] {
         return make_relation(FrictionalScrew{crooked_frames(), 4.0, 0.7});
       },
       0},
      {"FrictionalUniversal", [] { return make_relation(FrictionalUniversal{crooked_frames()}); }, 0},
      {"FrictionalPlanar",
       [] {
         return make_relation(FrictionalPlanar{crooked_frames(), 0.7});
       },
       0},
      {"FrictionalGear",
       [] {
         return make_relation(FrictionalGear{crooked_frames(), other_frames(), 2, -3});
       },
       10, false, 2},
      {"FrictionalRack",
       [] {
         return make_relation(FrictionalRack{crooked_frames(), other_frames(), 0.8});
       },
       10, false, 2},
      {"HingeAngle", [] { return make_relation(HingeAngle{.frames = crooked_frames(), .direction = -1.0}); }, 5},
      {"SliderPosition", [] { return make_relation(SliderPosition{.frames = crooked_frames(), .direction = -1.0}); },
       5},
      {"CollarStop",
       [] { return make_relation(CollarStop{.frames = crooked_frames(), .direction = -1.0, .radius = 0.7}); }, 4},
      {"KeyStop", [] { return make_relation(KeyStop{.frames = crooked_frames(), .direction = -1.0, .radius = 0.7}); },
       4},
      {"FirstPin",
       [] { return make_relation(UniversalAngle{.frames = crooked_frames(), .pin = 1, .direction = -1.0}); }, 5},
      {"SecondPin", [] { return make_relation(UniversalAngle{.frames = crooked_frames(), .pin = 2}); }, 5},
      {"BallSwing", [] { return make_relation(BallSwing{.frames = crooked_frames(), .limit = 0.8}); }, 5, false, 1,
       false},
      {"HingeMotor",
       [] { return make_relation(HingeMotor{.frames = crooked_frames(), .angle = [](double) { return 0.0; }}); }, 5,
       false, 1, true, true},
      {"SliderMotor",
       [] { return make_relation(SliderMotor{.frames = crooked_frames(), .position = [](double) { return 0.0; }}); }, 5,
       false, 1, true, true}};
  return cases;
}

class Joints : public testing::TestWithParam<JointCase> {};

TEST_P(Joints, JacobianAndCurvatureAreThoseOfDifferences) {
  const JointCase& c = GetParam();
  const RelationPointer joint = c.make();
  for (const Index bodies : {c.least_bodies, c.least_bodies + 1}) {
    const Eigen::VectorXd q = scattered(bodies, c.planar);
    const Index n = (c.planar ? 3 : 6) * bodies, m = joint->rows();
    ASSERT_NO_THROW(joint->validate(n));
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(m, n);
    joint->H(0.0, q, H);
    for (Index j = 0; j < n; ++j) {
      const double s = 1e-3;
      const Eigen::VectorXd e = s * Eigen::VectorXd::Unit(n, j);
      const Eigen::VectorXd difference =
          (8.0 * (value_at(*joint, q, e, c.planar) - value_at(*joint, q, -e, c.planar)) -
           (value_at(*joint, q, 2.0 * e, c.planar) - value_at(*joint, q, -2.0 * e, c.planar))) /
          (12.0 * s);
      // |w| = 1: 1e-12 * 100 / 30 and 3 eps 10 / (2 s).
      EXPECT_LE((H.col(j) - difference).lpNorm<Eigen::Infinity>(), 8e-12) << bodies << " bodies, column " << j;
    }
    Eigen::VectorXd v(n), curvature = Eigen::VectorXd::Zero(m);
    for (Index j = 0; j < n; ++j) v[j] = std::sin(1.0 + 2.3 * static_cast<double>(j));
    joint->curvature(0.0, q, v, curvature);
    const double s = 2e-3;
    const Eigen::VectorXd difference =
        (16.0 * (value_at(*joint, q, s * v, c.planar) + value_at(*joint, q, -s * v, c.planar)) -
         (value_at(*joint, q, 2.0 * s * v, c.planar) + value_at(*joint, q, -2.0 * s * v, c.planar)) -
         30.0 * value_at(*joint, q, 0.0 * v, c.planar)) /
        (12.0 * s * s);
    // |w| <= 3: 1.6e-11 * 7290 / 90 and 16 eps 10 / (3 s^2), 3e-9.
    EXPECT_LE((curvature - difference).lpNorm<Eigen::Infinity>(), 6e-9) << bodies << " bodies";
    EXPECT_EQ(joint->depends_on_time(), c.timed);
  }
}

TEST_P(Joints, LeavesItsFreedomsWhereItIsClosed) {
  const JointCase& c = GetParam();
  const RelationPointer joint = c.make();
  if (c.name == "Distance" || c.name == "PlanarDistance" || c.least_bodies == 2 || c.planar || !c.closes) {
    const Eigen::VectorXd q = scattered(c.least_bodies, c.planar);
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(joint->rows(), (c.planar ? 3 : 6) * c.least_bodies);
    joint->H(0.0, q, H);
    EXPECT_EQ(H.cols() - Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(H).rank(), c.freedom);
    return;
  }
  // Joints of two frames, closed where the frame of the first body is that of the second: the ground's.
  const JointFrames frames = crooked_frames();
  const auto basis = [](const JointFrame& frame) {
    Eigen::Matrix3d axes;
    const Eigen::Vector3d axis = frame.axis.normalized();
    const Eigen::Vector3d normal = (frame.normal - axis.dot(frame.normal) * axis).normalized();
    axes << normal, jointed::cross(axis, normal), axis;
    return axes;
  };
  const Eigen::Matrix3d R = basis(frames.second) * basis(frames.first).transpose();
  // No body is turned by half a turn here: the scalar part is not small.
  const double w = 0.5 * std::sqrt(1.0 + R.trace());
  ASSERT_GT(w, 0.1);
  const Eigen::Vector4d Q(w, (R(2, 1) - R(1, 2)) / (4.0 * w), (R(0, 2) - R(2, 0)) / (4.0 * w),
                          (R(1, 0) - R(0, 1)) / (4.0 * w));
  const Eigen::VectorXd q = place(frames.second.point - R * frames.first.point, Q);
  Eigen::VectorXd y = Eigen::VectorXd::Ones(joint->rows());
  joint->h(0.0, q, y);
  // Sums of ten terms of size 1; the quaternion's entries are divided by 4 w >= 0.4.
  EXPECT_LE(y.lpNorm<Eigen::Infinity>(), 1e-14);
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(joint->rows(), 6);
  joint->H(0.0, q, H);
  EXPECT_EQ(Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(H).rank(), joint->rows());
  EXPECT_EQ(6 - joint->rows(), c.freedom);
}

TEST_P(Joints, RefusesOtherNumbersOfCoordinates) {
  const JointCase& c = GetParam();
  const RelationPointer joint = c.make();
  bad_input::expect_refused([&] { joint->validate(5); }, {"bodies", "5 velocities"});
  bad_input::expect_refused([&] { joint->validate(24); }, {"bodies", "24 velocities"});
  Eigen::VectorXd y = Eigen::VectorXd::Zero(joint->rows());
  bad_input::expect_refused([&] { joint->h(0.0, Eigen::VectorXd::Zero(5), y); }, {"bodies", "5 coordinates"});
}

TEST(JointRates, OfABallAreThoseOfTheBodiesTurns) {
  // No coordinate has them as its rates: d (R a) = w x (R a) of each body by itself, the second with the other sign.
  const RelationPointer joint = make_relation(FrictionalBall{crooked_frames()});
  const Eigen::VectorXd q = scattered(2, false);
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(6, 12);
  joint->H(0.0, q, H);
  for (Index j = 0; j < 12; ++j) {
    const Index body = j / 6;
    const double s = 1e-3, sign = body == 0 ? 1.0 : -1.0;
    const auto turned = [&](double by, const Eigen::Vector3d& a) {
      Eigen::VectorXd moved = q;
      move(moved, by * Eigen::VectorXd::Unit(12, j), false);
      const Eigen::Vector4d Q = moved.segment<4>(7 * body + 3);
      return jointed::turned(Q, a);
    };
    const Eigen::Vector3d w = sign * H.col(j).tail<3>();
    for (Index k = 0; k < 3; ++k) {
      const Eigen::Vector3d a = Eigen::Vector3d::Unit(k);
      const Eigen::Vector3d difference =
          (8.0 * (turned(s, a) - turned(-s, a)) - (turned(2.0 * s, a) - turned(-2.0 * s, a))) / (12.0 * s);
      // As in the differences above.
      EXPECT_LE((jointed::cross(w, turned(0.0, a)) - difference).norm(), 8e-12) << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Joints, testing::ValuesIn(joint_cases()), test::parameter_name);

/// A body turned by `angle` about z through its centre, at height z.
Eigen::VectorXd about_z(double angle, double z = 0.0) { return place({0.0, 0.0, z}, exponential({0.0, 0.0, angle})); }

TEST(JointTurns, AScrewHoldsOnEachOfItsTurns) {
  const double pitch = 0.3;
  const RelationPointer screw = make_relation(ScrewJoint{joint_to_ground(about_z(0.0), {0.0, 0.0, 0.0}), pitch});
  Eigen::VectorXd y = Eigen::VectorXd::Zero(5);
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(5, 6);
  for (int k = -45; k <= 45; ++k) {
    const double theta = 0.7 * k, way = pitch * theta / (2.0 * kPi);
    screw->h(0.0, about_z(theta, way), y);
    // Round-off of angles of up to 32, times pitch / pi.
    EXPECT_LE(y.lpNorm<Eigen::Infinity>(), 1e-15 * 32.0) << k;
    screw->H(0.0, about_z(theta, way), H);
    // zdot - pitch / (2 pi) thetadot: a turn negates the quaternion, and the way of a turn the sine.
    EXPECT_NEAR(H(4, 2), 1.0, 1e-13) << k;
    EXPECT_NEAR(H(4, 5), -pitch / (2.0 * kPi), 1e-13) << k;
    screw->h(0.0, about_z(theta, way + 0.01), y);
    EXPECT_NEAR(y[4], pitch / kPi * std::sin(kPi * 0.01 / pitch), 1e-13) << k;
  }
}

TEST(JointTurns, GearsAndRacksHoldOnEachOfTheirTurns) {
  const JointFrames ground = joint_to_ground(about_z(0.0), {0.0, 0.0, 0.0});
  const RelationPointer gear = make_relation(GearJoint{ground, ground, 12, 30});
  const RelationPointer rack = make_relation(RackJoint{ground, ground, 0.05});
  Eigen::VectorXd q(14), y = Eigen::VectorXd::Zero(1);
  for (int k = -45; k <= 45; ++k) {
    const double theta = 0.7 * k;
    q << about_z(theta), about_z(-12.0 / 30.0 * theta);
    gear->h(0.0, q, y);
    EXPECT_LE(std::abs(y[0]), 1e-14 * 32.0) << k;
    q << about_z(theta), about_z(0.0, 0.05 * theta);
    rack->h(0.0, q, y);
    EXPECT_LE(std::abs(y[0]), 1e-15 * 32.0) << k;
  }
}

TEST(JointTurns, TheSignOfAQuaternionIsOfNoMatter) {
  Eigen::VectorXd q = scattered(2, false), other = q;
  other.segment<4>(3) *= -1.0;
  for (const JointCase& c : joint_cases()) {
    if (c.planar) continue;
    const RelationPointer joint = c.make();
    Eigen::VectorXd y = Eigen::VectorXd::Zero(joint->rows()), mirrored = y;
    joint->h(0.0, q, y);
    joint->h(0.0, other, mirrored);
    // These frames are no maker's: a row with an angle changes its sign, its zeros do not.
    EXPECT_LE((y.cwiseAbs() - mirrored.cwiseAbs()).lpNorm<Eigen::Infinity>(), 1e-14) << c.name;
  }
}

TEST(JointTurns, RatesHaveTheSignOfTheFirstBodyWhateverTheQuaternions) {
  // Screw zdot - pitch / (2 pi) thetadot; gear theta_1dot + n_2 / n_1 theta_2dot; rack zdot - radius thetadot.
  const Eigen::Vector3d a = Eigen::Vector3d(1.0, 2.0, -2.0) / 3.0, b = Eigen::Vector3d(-2.0, 6.0, 3.0) / 7.0;
  const double pitch = 0.3, radius = 0.05;
  for (const double sign_first : {1.0, -1.0}) {
    for (const double sign_second : {1.0, -1.0}) {
      Eigen::VectorXd q = scattered(2, false);
      q.segment<4>(3) *= sign_first;
      q.segment<4>(10) *= sign_second;
      const JointFrames pin = joint_to_ground(q.head<7>(), {0.2, 0.1, 0.3}, a);
      const JointFrames other = joint_to_ground(q.tail<7>(), {-0.4, 0.6, 0.1}, b);
      const JointFrames between = joint_between(q.head<7>(), q.tail<7>(), {0.2, 0.1, 0.3}, a);
      const auto spin = [&q](Index body, const Eigen::Vector3d& axis) {
        const Eigen::Vector4d Q = q.segment<4>(7 * body + 3), back(Q[0], -Q[1], -Q[2], -Q[3]);
        return jointed::turned(back, axis);
      };
      const auto row = [&q](const RelationPointer& joint) {
        Eigen::MatrixXd H = Eigen::MatrixXd::Zero(joint->rows(), 12);
        joint->H(0.0, q, H);
        return Eigen::RowVectorXd(H.bottomRows(1));
      };
      SCOPED_TRACE(std::to_string(sign_first) + " and " + std::to_string(sign_second));
      // Entries of size 1, sums of some twenty terms of size 1.
      const double tolerance = 1e-14;
      const Eigen::RowVectorXd gear = row(make_relation(GearJoint{pin, other, 3, 5}));
      EXPECT_NEAR(gear.segment<3>(3).dot(spin(0, a)), 1.0, tolerance);
      EXPECT_NEAR(gear.segment<3>(9).dot(spin(1, b)), 5.0 / 3.0, tolerance);
      const Eigen::RowVectorXd rack = row(make_relation(RackJoint{pin, other, radius}));
      EXPECT_NEAR(rack.segment<3>(3).dot(spin(0, a)), -radius, tolerance);
      EXPECT_NEAR(rack.segment<3>(6).dot(b), 1.0, tolerance);
      const Eigen::RowVectorXd screw = row(make_relation(ScrewJoint{between, pitch}));
      EXPECT_NEAR(screw.segment<3>(0).dot(a), 1.0, tolerance);
      EXPECT_NEAR(screw.segment<3>(3).dot(spin(0, a)), -pitch / (2.0 * kPi), tolerance);
    }
  }
}

TEST(JointTurns, OppositeAxesHaveNoAngle) {
  // Half a turn about x: the axes lie on one line, which the rows of a hinge admit.
  const JointFrames ground = joint_to_ground(about_z(0.0), Eigen::Vector3d::Zero());
  Eigen::VectorXd q = place(Eigen::Vector3d::Zero(), {0.0, 1.0, 0.0, 0.0}), pair(14);
  pair << q, about_z(0.0);
  for (const auto& [joint, at] : {std::pair{make_relation(HingeAngle{.frames = ground}), q},
                                  {make_relation(HingeMotor{.frames = ground, .angle = [](double) { return 0.0; }}), q},
                                  {make_relation(ScrewJoint{ground, 0.3}), q},
                                  {make_relation(GearJoint{ground, ground, 2, 3}), pair},
                                  {make_relation(RackJoint{ground, ground, 0.1}), pair}}) {
    Eigen::VectorXd y = Eigen::VectorXd::Zero(joint->rows());
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(joint->rows(), at.size() / 7 * 6);
    bad_input::expect_refused([&, &relation = *joint, &place = at] { relation.h(0.0, place, y); }, {"axes opposite"});
    bad_input::expect_refused([&, &relation = *joint, &place = at] { relation.H(0.0, place, H); }, {"axes opposite"});
  }
}

}  // namespace
}  // namespace nonsmooth::joints_test
