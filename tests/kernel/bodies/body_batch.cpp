// SPDX-License-Identifier: Apache-2.0
// The batches of bodies in space and in the plane beside the same equations as a user writes them, step by step.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>
#include <problems/explicit_midpoint.hpp>

namespace nonsmooth::body_batch_test {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

/// What a body is, by the members that a user's class has: no batch knows it.
class UsersBody final : public MechanicalSystem {
 public:
  explicit UsersBody(std::shared_ptr<const MechanicalSystem> body) : body_(std::move(body)) {}
  [[nodiscard]] Eigen::VectorXd initial_position() const override { return body_->initial_position(); }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return body_->initial_velocity(); }
  void mass(ConstVectorRef q, MatrixRef M) const override { body_->mass(q, M); }
  void force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) const override { body_->force(t, q, v, F); }
  void force_dq(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const override {
    body_->force_dq(t, q, v, J);
  }
  void force_dv(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const override {
    body_->force_dv(t, q, v, J);
  }
  void retract(VectorRef q, ConstVectorRef w) const override {
    if (q.size() == w.size()) {
      q += w;
      return;
    }
    const Eigen::Vector3d turn = w.tail<3>();
    const double angle = turn.norm(), scale = angle > 0.0 ? std::sin(0.5 * angle) / angle : 0.5;
    const Eigen::Quaterniond by(std::cos(0.5 * angle), scale * turn[0], scale * turn[1], scale * turn[2]);
    const Eigen::Quaterniond Q = (Eigen::Quaterniond(q[3], q[4], q[5], q[6]) * by).normalized();
    q.head<3>() += w.head<3>();
    q.tail<4>() << Q.w(), Q.x(), Q.y(), Q.z();
  }
  [[nodiscard]] const std::vector<PrescribedVelocity>& prescribed() const override { return body_->prescribed(); }
  [[nodiscard]] const std::vector<PrescribedImpulse>& impulses() const override { return body_->impulses(); }
  [[nodiscard]] const Feedback& feedback() const override { return body_->feedback(); }

 private:
  std::shared_ptr<const MechanicalSystem> body_;
};

RigidBody spinning() {
  return {.mass = 1.7,
          .inertia = (Eigen::Matrix3d() << 1.0, 0.1, -0.2, 0.1, 1.4, 0.05, -0.2, 0.05, 1.9).finished(),
          .position = {0.3, -0.2, 0.9},
          .orientation = Eigen::Vector4d(0.5, -0.1, 0.7, 0.2).normalized(),
          .velocity = {0.4, -1.0, 0.2},
          .angular_velocity = {0.9, -1.6, 1.3},
          .gravity = {0.0, 0.0, -9.81}};
}

RigidBody with(RigidBody body, std::vector<AnyBodyLoad> loads) {
  body.loads = std::move(loads);
  return body;
}

RigidBody driven() {
  RigidBody body = spinning();
  body.prescribed = {{.component = 4, .velocity = [](double t) { return -1.6 * std::cos(t); }}};
  Eigen::VectorXd kick(6);
  kick << 0.1, 0.2, 0.3, -0.1, 0.4, 0.2;
  body.impulses = {{.instant = 0.105, .impulse = kick}};
  body.feedback = [](const State& state, VectorRef value) { value[5] = -0.1 * state.t; };
  return body;
}

RigidBody ball(RigidBody body) {
  body.inertia = 1.3 * Eigen::Matrix3d::Identity();
  return body;
}

PlanarBody flat(std::vector<AnyBodyLoad> loads) {
  return {.mass = 1.7,
          .inertia = 1.9,
          .position = {0.3, 0.9},
          .angle = -0.4,
          .velocity = {0.4, 0.2},
          .angular_velocity = 1.3,
          .gravity = {0.0, -9.81},
          .loads = std::move(loads)};
}

PlanarBody driven(PlanarBody body) {
  body.prescribed = {{.component = 2, .velocity = [](double t) { return 1.3 * std::cos(t); }}};
  body.impulses = {{.instant = 0.105, .impulse = {0.1, 0.3, -0.2}}};
  body.feedback = [](const State& state, VectorRef value) { value[0] = -0.1 * state.t; };
  return body;
}

const LinearDrag kDrag{.translation = 0.6, .rotation = 0.4};

/// A spring and a thrust beside it, both off the centre.
std::vector<AnyBodyLoad> spring_and_thrust() {
  return {
      PointSpring{
          .point = {0.2, 0.1, -0.4}, .anchor = {1.0, 2.0, 0.5}, .stiffness = 7.0, .damping = 0.8, .rest_length = 0.6},
      FollowerForce{.point = {0.0, 0.3, 0.1}, .force = {1.0, -2.0, 0.5}}};
}

struct Case {
  const char* name;
  std::shared_ptr<const MechanicalSystem> body;
  bool constant = false;  ///< A is, so that a step without contact is linear
  friend void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }
};

std::vector<Case> cases() {
  return {{"Free", make_system(spinning())},
          {"Dragged", make_system(with(spinning(), {kDrag}))},
          {"OnASpring", make_system(with(spinning(), spring_and_thrust()))},
          {"Driven", make_system(driven())},
          {"DraggedBall", make_system(with(ball(spinning()), {kDrag})), true},
          {"DrivenBall", make_system(with(ball(driven()), {kDrag})), true},
          {"FlatDragged", make_system(flat({kDrag})), true},
          {"FlatOnASpring", make_system(flat(spring_and_thrust()))},
          {"FlatDriven", make_system(driven(flat({kDrag}))), true},
          {"FlatDrivenOnASpring", make_system(driven(flat(spring_and_thrust())))}};
}

class BodyBatchBesideUsers : public testing::TestWithParam<Case> {};

/// A body over a floor that a corner strikes: its row, with its Jacobian.
void link_floor(NonSmoothDynamicalSystem& model, SystemHandle body, bool in_plane) {
  const Eigen::Vector3d corner(0.1, 0.2, -0.5);
  const auto turn = [](ConstVectorRef q) { return Eigen::Quaterniond(q[3], q[4], q[5], q[6]).toRotationMatrix(); };
  ScleronomousRelation floor;
  if (in_plane) {
    floor.h = [=](ConstVectorRef q, VectorRef y) {
      y[0] = q[1] + std::sin(q[2]) * corner[0] + std::cos(q[2]) * corner[2];
    };
    floor.H = [=](ConstVectorRef q, MatrixRef H) {
      H(0, 1) = 1.0;
      H(0, 2) = std::cos(q[2]) * corner[0] - std::sin(q[2]) * corner[2];
    };
  } else {
    floor.h = [=](ConstVectorRef q, VectorRef y) { y[0] = q[2] + (turn(q) * corner)[2]; };
    floor.H = [=](ConstVectorRef q, MatrixRef H) {
      H(0, 2) = 1.0;
      // d(R corner) = R (turn x corner): its row is corner x R^T z.
      const Eigen::Vector3d up = turn(q).transpose() * Eigen::Vector3d::UnitZ();
      H.rightCols<3>() = corner.cross(up).transpose();
    };
  }
  model.link(body, floor, NewtonImpactLaw{0.5});
}

TEST_P(BodyBatchBesideUsers, HasTheSameStepsToRoundOff) {
  // Both end Newton's iteration at the same iterates but for rounding: some 100 eps a step of sizes below 10 and of
  // factors whose condition is below 3. An instant of a motion that impacts make sensitive grows it by 10 at most in
  // 0.5 s.
  const std::vector<std::pair<const char*, Integrator>> schemes{
      {"theta 1/2", MoreauJean{.theta = 0.5}},
      {"theta 1", MoreauJean{.theta = 1.0}},
      {"in the middle", MoreauJean{.theta = 0.5, .configuration_weight = 0.5}},
      {"explicit midpoint", std::make_shared<const problems::ExplicitMidpoint>()}};
  for (const auto& [name, scheme] : schemes) {
    const auto& body = GetParam().body;
    if (!body->prescribed().empty() && std::string(name) == "explicit midpoint") continue;  // it refuses them
    SCOPED_TRACE(name);
    for (const Form form : {Form::Reduced, Form::Global}) {
      NonSmoothDynamicalSystem built_in, users;
      const bool in_plane = body->initial_position().size() == 3;
      const auto a = built_in.add(body);
      const auto b = users.add(std::make_shared<const UsersBody>(body));
      link_floor(built_in, a, in_plane);
      link_floor(users, b, in_plane);
      const TimeSteppingOptions options{.integrator = scheme, .step = 0.01, .form = form};
      TimeStepping first(built_in, options), second(users, options);
      for (int k = 1; k <= 50; ++k) {
        const StepReport one = first.step(), other = second.step();
        ASSERT_TRUE(one) << one.message();
        ASSERT_TRUE(other) << other.message();
        // A step with theta = 0, and one of constant A, is linear in v, which ours knows while no contact acts.
        if (one.newton_iterations == 0)
          EXPECT_TRUE(GetParam().constant || std::string(name) == "explicit midpoint") << k;
        else
          EXPECT_EQ(one.newton_iterations, other.newton_iterations) << k;
        const double tolerance = k * 100.0 * kEps * 10.0 * 3.0 * 10.0;
        ASSERT_LE((first.state().q(a) - second.state().q(b)).norm(), tolerance) << k;
        ASSERT_LE((first.state().v(a) - second.state().v(b)).norm(), tolerance) << k;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bodies, BodyBatchBesideUsers, testing::ValuesIn(cases()),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(RigidBatch, ExplicitGyroscopicMomentIsThatOfTheStart) {
  // J (Omega_1 - Omega_0) = -h Omega_0 x J Omega_0 in one step, to roundings of 8 terms of some 10.
  RigidBody body = spinning();
  body.gyroscopic = GyroscopicTerm::Explicit;
  NonSmoothDynamicalSystem model;
  const auto handle = model.add(body);
  TimeStepping simulation(model, {.step = 0.01});
  ASSERT_TRUE(simulation.step());
  const Eigen::Vector3d Omega = body.angular_velocity, moved = simulation.state().v(handle).tail<3>();
  const Eigen::Vector3d moment = body.inertia * (moved - Omega) + 0.01 * Omega.cross(body.inertia * Omega);
  EXPECT_LE(moment.norm(), 8.0 * 10.0 * kEps);
}

TEST(RigidBatch, EnergyAndMomentSwingBySquaresOfTheStepWithAnImplicitMoment) {
  // theta = 1/2 is the trapezoidal rule J (Omega_1 - Omega_0) = h (G_0 + G_1) / 2, so that Y = Omega - h / 2 J^-1 G
  // follows the midpoint rule, which keeps quadratic invariants: E(Y) = E + h^2 / 8 G . J^-1 G and |J Y|^2 =
  // |J Omega|^2 + h^2 / 4 |G|^2, as G is perpendicular to Omega and to J Omega. To Newton's 1e-10 or so a step.
  RigidBody body = spinning();
  body.gravity.setZero();
  const double h = 0.01, newton = 1e-10;
  const int steps = 1000;
  NonSmoothDynamicalSystem model;
  const auto handle = model.add(body);
  TimeStepping simulation(model, {.step = h});
  const Eigen::Matrix3d J = body.inertia, J_inverse = J.inverse();
  const auto spin = [&] { return Eigen::Vector3d(simulation.state().v(handle).tail<3>()); };
  const auto moment = [&](const Eigen::Vector3d& Omega) { return Eigen::Vector3d(-Omega.cross(J * Omega)); };
  const auto in_space = [&] {
    const auto q = simulation.state().q(handle);
    return Eigen::Vector3d(Eigen::Quaterniond(q[3], q[4], q[5], q[6]) * (J * spin()));
  };
  const Eigen::Vector3d start = spin(), L = in_space(), G0 = moment(start);
  const double E = 0.5 * start.dot(J * start), kept = E + h * h / 8.0 * G0.dot(J_inverse * G0);
  const double kept_moment = (J * start).squaredNorm() + h * h / 4.0 * G0.squaredNorm();
  // A step turns the moment in space by its local error: of the trapezoidal rule h^3 / 12 |J Omega'''|, of the turn
  // h^3 / 12 |L| (|Omega''| + |Omega x Omega'|). |G| <= (J_3 - J_1) / 2 w^2 makes |Omega'| <= c w^2, |Omega''| <=
  // 2 c^2 w^3, |Omega'''| <= 6 c^3 w^4 with c = (J_3 - J_1) / (2 J_1), w^2 <= 2 E / J_1. Twice that: higher orders.
  const Eigen::Vector3d moments = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(J).eigenvalues();
  const double c = (moments[2] - moments[0]) / (2.0 * moments[0]), w = std::sqrt(2.0 * kept / moments[0]);
  const double local = std::pow(h, 3) / 12.0 *
                       (moments[2] * 6.0 * std::pow(c, 3) * std::pow(w, 4) + L.norm() * (2.0 * c * c + c) * w * w * w);
  for (int k = 1; k <= steps; ++k) {
    ASSERT_TRUE(simulation.step());
    const Eigen::Vector3d Omega = spin(), G = moment(Omega);
    const double energy = 0.5 * Omega.dot(J * Omega);
    ASSERT_NEAR(energy + h * h / 8.0 * G.dot(J_inverse * G), kept, k * newton) << k;
    ASSERT_NEAR((J * Omega).squaredNorm() + h * h / 4.0 * G.squaredNorm(), kept_moment, k * newton) << k;
    ASSERT_LE((in_space() - L).norm(), 2.0 * k * local) << k;
  }
}

}  // namespace
}  // namespace nonsmooth::body_batch_test
