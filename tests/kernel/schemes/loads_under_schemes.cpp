// SPDX-License-Identifier: Apache-2.0
// Every load on a body in space and in the plane: its Jacobians, and its motion under every scheme, free and on a
// hinge, against the equations of motion as they are written by hand. A body in space turns about z here, a principal
// axis.
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>
#include <problems/reference.hpp>

#include "kernel/fitted_order.hpp"

namespace nonsmooth::loads_under_schemes_test {
namespace {

using Eigen::Vector2d, Eigen::Vector3d;

constexpr double kMass = 1.7, kInertia = 0.9;
const Vector2d kGravity{0.3, -2.0};  // [m/s^2]

double cross(const Vector2d& a, const Vector2d& b) { return a[0] * b[1] - a[1] * b[0]; }
Vector2d turned(double angle, const Vector2d& a) {
  return {std::cos(angle) * a[0] - std::sin(angle) * a[1], std::sin(angle) * a[0] + std::cos(angle) * a[1]};
}

/// Where a body in the plane is and how it moves.
struct Plane {
  double t;
  Vector2d x;
  double angle;
  Vector2d v;
  double w;
};

/// A user's load: k / |x|^3 towards the origin, and a moment that holds the body back as a pendulum's does.
class Attraction final : public BodyLoad {
 public:
  static constexpr double kPull = 0.3, kMoment = 0.8;

  void add(const Motion& at, Force& F) const override {
    const Vector3d x = at.q.head<3>();
    F.head<3>() -= kPull / std::pow(x.norm(), 3) * x;
    F[5] -= kMoment * at.R(1, 0);
  }
  void add_dq(const Motion& at, Jacobian& J) const override {
    const Vector3d x = at.q.head<3>();
    const double r = x.norm();
    J.topLeftCorner<3, 3>() -=
        kPull / std::pow(r, 3) * (Eigen::Matrix3d::Identity() - 3.0 / (r * r) * x * x.transpose());
    // dR = R [w]x: dR(1, 0) = R(1, 1) w_3 - R(1, 2) w_2.
    J(5, 5) -= kMoment * at.R(1, 1);
    J(5, 4) += kMoment * at.R(1, 2);
  }
  void add_dv(const Motion&, Jacobian&) const override {}
};

/// A load, and the force (x, y) and the moment that it is on a body in the plane.
struct Loaded {
  const char* name;
  AnyBodyLoad load;
  std::function<Vector3d(const Plane&)> by_hand;
};

Vector3d at_point(const Vector2d& force, const Vector2d& arm, double moment = 0.0) {
  return {force[0], force[1], cross(arm, force) + moment};
}

Loaded on_spring() {
  const PointSpring spring{
      .point = {0.2, 0.1, 0.0}, .anchor = {1.0, 1.5, 0.0}, .stiffness = 7.0, .damping = 0.8, .rest_length = 0.6};
  return {"PointSpring", spring, [=](const Plane& at) {
            const Vector2d arm = turned(at.angle, spring.point.head<2>());
            const Vector2d line = at.x + arm - spring.anchor.head<2>();
            const Vector2d velocity = at.v + at.w * Vector2d(-arm[1], arm[0]), along = line.normalized();
            const double tension =
                spring.stiffness * (line.norm() - spring.rest_length) + spring.damping * along.dot(velocity);
            return at_point(-tension * along, arm);
          }};
}

Loaded followed() {
  const FollowerForce thrust{.point = {-0.2, 0.3, 0.0}, .force = {1.5, -0.7, 0.0}, .moment = {0.0, 0.0, 0.4}};
  return {"FollowerForce", thrust, [=](const Plane& at) {
            return at_point(turned(at.angle, thrust.force.head<2>()), turned(at.angle, thrust.point.head<2>()),
                            thrust.moment[2]);
          }};
}

Loaded dragged() {
  const LinearDrag drag{.translation = 1.4, .rotation = 0.5};
  return {"LinearDrag", drag, [=](const Plane& at) {
            return Vector3d(-drag.translation * at.v[0], -drag.translation * at.v[1], -drag.rotation * at.w);
          }};
}

Loaded given(LoadAxes axes) {
  const Vector3d point(0.3, -0.1, 0.0);
  GivenLoad load;
  load.load = [](double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) {
    F[0] = std::cos(3.0 * t) - q[0];
    F[1] = 0.5 * v[0] * v[5];
    F[5] = -4.0 * q[3] * q[6];  // -2 sin(angle)
  };
  load.force_axes = axes;
  load.point = point;
  return {axes == LoadAxes::Body ? "GivenInTheBody" : "GivenInSpace", load, [=](const Plane& at) {
            const Vector2d own(std::cos(3.0 * at.t) - at.x[0], 0.5 * at.v[0] * at.w);
            const Vector2d force = axes == LoadAxes::Body ? turned(at.angle, own) : own;
            return at_point(force, turned(at.angle, point.head<2>()), -2.0 * std::sin(at.angle));
          }};
}

Loaded attracted() {
  return {"UsersLoad", std::make_shared<const Attraction>(), [](const Plane& at) {
            const Vector2d force = -Attraction::kPull / std::pow(at.x.norm(), 3) * at.x;
            return Vector3d(force[0], force[1], -Attraction::kMoment * std::sin(at.angle));
          }};
}

// Jacobians beside differences about the middle, s = 2^-16: s^2 / 6 of third derivatives below 200, 8e-9; rounding
// 8 eps |F| / s, |F| < 30, 4e-9. Forward differences of a GivenLoad: sqrt(eps) of second derivatives and of rounding,
// at most 10 each, 3e-7.
void expect_jacobians_of_differences(const MechanicalSystem& body) {
  const double s = 0x1p-16, t = 0.3;
  const Eigen::VectorXd q = body.initial_position(), v = body.initial_velocity();
  const Index n = v.size();
  const auto force = [&](const Eigen::VectorXd& at_q, const Eigen::VectorXd& at_v) {
    Eigen::VectorXd F = Eigen::VectorXd::Zero(n);
    body.force(t, at_q, at_v, F);
    return F;
  };
  Eigen::MatrixXd by_q = Eigen::MatrixXd::Zero(n, n), by_v = by_q;
  body.force_dq(t, q, v, by_q);
  body.force_dv(t, q, v, by_v);
  for (Index j = 0; j < n; ++j) {
    const Eigen::VectorXd step = s * Eigen::VectorXd::Unit(n, j);
    Eigen::VectorXd before = q, after = q;
    body.retract(before, -step);
    body.retract(after, step);
    EXPECT_LE((by_q.col(j) - (force(after, v) - force(before, v)) / (2.0 * s)).lpNorm<Eigen::Infinity>(), 3.2e-7) << j;
    EXPECT_LE((by_v.col(j) - (force(q, v + step) - force(q, v - step)) / (2.0 * s)).lpNorm<Eigen::Infinity>(), 3.2e-7)
        << j;
  }
}

struct Case {
  Loaded loaded;
  bool in_space;
  friend void PrintTo(const Case& one, std::ostream* out) {
    *out << one.loaded.name << (one.in_space ? " in space" : " in the plane");
  }
};

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const bool in_space : {false, true}) {
    for (const Loaded& loaded :
         {on_spring(), followed(), dragged(), given(LoadAxes::Inertial), given(LoadAxes::Body), attracted()})
      result.push_back({loaded, in_space});
  }
  return result;
}

/// A body that starts on a turn about the origin, where the hinge is.
struct Start {
  double angle = 0.4, w = 1.2;
  Vector2d centre{0.5, -0.3};  ///< in the body's coordinates, from the hinge
  [[nodiscard]] Vector2d arm(double at) const { return turned(at, centre); }
  [[nodiscard]] Vector2d position() const { return arm(angle); }
  [[nodiscard]] Vector2d velocity() const { return w * Vector2d(-position()[1], position()[0]); }
};

class LoadsUnderSchemes : public testing::TestWithParam<Case> {
 protected:
  /// (x, y, cos angle, sin angle, xdot, ydot, w) at kEnd.
  using End = Eigen::Matrix<double, 7, 1>;
  static constexpr double kEnd = 0.5;

  [[nodiscard]] SystemHandle add(NonSmoothDynamicalSystem& model) const {
    const Vector2d x = start_.position(), v = start_.velocity();
    if (!GetParam().in_space) {
      return model.add(PlanarBody{.mass = kMass,
                                  .inertia = kInertia,
                                  .position = x,
                                  .angle = start_.angle,
                                  .velocity = v,
                                  .angular_velocity = start_.w,
                                  .gravity = kGravity,
                                  .loads = {GetParam().loaded.load}});
    }
    return model.add(RigidBody{.mass = kMass,
                               .inertia = Vector3d(0.5, 0.7, kInertia).asDiagonal(),
                               .position = {x[0], x[1], 0.0},
                               .orientation = {std::cos(0.5 * start_.angle), 0.0, 0.0, std::sin(0.5 * start_.angle)},
                               .velocity = {v[0], v[1], 0.0},
                               .angular_velocity = {0.0, 0.0, start_.w},
                               .gravity = {kGravity[0], kGravity[1], 0.0},
                               .loads = {GetParam().loaded.load}});
  }
  [[nodiscard]] InteractionHandle hang(NonSmoothDynamicalSystem& model, SystemHandle body) const {
    const Eigen::VectorXd q = model.initial_state().q(body);
    if (GetParam().in_space) return link_joint(model, {body}, HingeJoint{joint_to_ground(q, Vector3d::Zero())});
    return link_joint(model, {body}, PlanarHinge{planar_joint_to_ground(q, Vector2d::Zero())});
  }
  [[nodiscard]] End end_of(const State& state, SystemHandle body) const {
    const auto q = state.q(body), v = state.v(body);
    End end;
    if (GetParam().in_space) {
      const double c = q[3], s = q[6];
      end << q[0], q[1], c * c - s * s, 2.0 * c * s, v[0], v[1], v[5];
      // What leaves the plane is an error as well.
      end[0] += std::abs(q[2]) + std::abs(q[4]) + std::abs(q[5]);
      end[4] += std::abs(v[2]) + std::abs(v[3]) + std::abs(v[4]);
    } else {
      end << q[0], q[1], std::cos(q[2]), std::sin(q[2]), v[0], v[1], v[2];
    }
    return end;
  }
  [[nodiscard]] Vector3d forces(const Plane& at) const {
    return GetParam().loaded.by_hand(at) + Vector3d(kMass * kGravity[0], kMass * kGravity[1], 0.0);
  }
  /// m x'' = F, J angle'' = M.
  [[nodiscard]] End free_reference() const {
    Eigen::VectorXd z(6);
    z << start_.position(), start_.angle, start_.velocity(), start_.w;
    z = problems::solve_ode(
        [&](double t, ConstVectorRef at, VectorRef rate) {
          const Vector3d F = forces({t, at.head<2>(), at[2], at.segment<2>(3), at[5]});
          rate << at.tail<3>(), F[0] / kMass, F[1] / kMass, F[2] / kInertia;
        },
        z, 0.0, kEnd);
    return (End() << z[0], z[1], std::cos(z[2]), std::sin(z[2]), z.tail<3>()).finished();
  }
  /// (J + m |arm|^2) angle'' = M + arm x F.
  [[nodiscard]] End hanging_reference() const {
    const double inertia = kInertia + kMass * start_.centre.squaredNorm();
    const auto at_angle = [&](double t, double angle, double w) {
      const Vector2d arm = start_.arm(angle);
      return Plane{t, arm, angle, w * Vector2d(-arm[1], arm[0]), w};
    };
    const Eigen::VectorXd z = problems::solve_ode(
        [&](double t, ConstVectorRef y, VectorRef rate) {
          const Plane at = at_angle(t, y[0], y[1]);
          const Vector3d F = forces(at);
          rate << y[1], (F[2] + cross(at.x, F.head<2>())) / inertia;
        },
        Vector2d(start_.angle, start_.w), 0.0, kEnd);
    const Plane at = at_angle(kEnd, z[0], z[1]);
    return (End() << at.x, std::cos(z[0]), std::sin(z[0]), at.v, at.w).finished();
  }
  /// Error at kEnd; on a hinge, y is within `drift`.
  template <class Options>
  [[nodiscard]] double error(const Options& options, const End& reference, bool hangs = false,
                             double drift = 1.0) const {
    NonSmoothDynamicalSystem model;
    const auto body = add(model);
    const auto hinge = hangs ? hang(model, body) : InteractionHandle{};
    auto simulation = [&] {
      if constexpr (std::is_same_v<Options, TimeSteppingOptions>)
        return TimeStepping(model, options);
      else
        return EventDriven(model, options);
    }();
    const RunReport report = simulation.advance_to(kEnd);
    EXPECT_TRUE(report) << report.message();
    if (hangs) {
      EXPECT_LE(simulation.state().y(hinge).template lpNorm<Eigen::Infinity>(), drift);
    }
    return (end_of(simulation.state(), body) - reference).norm();
  }

  Start start_;
};

TEST_P(LoadsUnderSchemes, HasTheJacobiansOfItsDifferences) {
  const AnyBodyLoad& load = GetParam().loaded.load;
  const auto body = GetParam().in_space
                        ? make_system(RigidBody{.inertia = Vector3d(0.5, 0.7, kInertia).asDiagonal(),
                                                .position = {0.7, -0.6, 0.9},
                                                .orientation = Eigen::Vector4d(0.5, -0.1, 0.7, 0.2).normalized(),
                                                .velocity = {0.4, -1.0, 0.2},
                                                .angular_velocity = {0.9, -0.6, 1.3},
                                                .loads = {load}})
                        : make_system(PlanarBody{.position = {0.7, -0.6},
                                                 .angle = 0.8,
                                                 .velocity = {0.4, -1.0},
                                                 .angular_velocity = 1.3,
                                                 .loads = {load}});
  expect_jacobians_of_differences(*body);
}

// Points, forces and anchors out of the plane change what acts in it.
TEST(PlanarBody, HasTheJacobiansOfLoadsThatPointOutOfThePlane) {
  GivenLoad given;
  given.load = [](double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) {
    F << q[0] * v[1], std::sin(q[1] + t), v[5] * q[6], q[1], v[0], q[3] * v[5];
  };
  given.force_axes = LoadAxes::Body;
  given.moment_axes = LoadAxes::Inertial;
  given.point = {0.3, -0.1, 0.2};
  const std::vector<AnyBodyLoad> loads{
      PointSpring{
          .point = {0.2, 0.1, -0.4}, .anchor = {1.0, 2.0, 0.5}, .stiffness = 7.0, .damping = 0.8, .rest_length = 0.6},
      FollowerForce{.point = {0.0, 0.3, 0.1}, .force = {1.0, -2.0, 0.5}, .moment = {0.1, 0.2, 0.3}}, given};
  for (const AnyBodyLoad& load : loads) {
    expect_jacobians_of_differences(*make_system(PlanarBody{
        .position = {0.7, -0.6}, .angle = 0.8, .velocity = {0.4, -1.0}, .angular_velocity = 1.3, .loads = {load}}));
  }
}

// Errors c h^p (1 + O(h)) of steps of 1/64 of the run and less: slopes within 0.1 of p.
TEST_P(LoadsUnderSchemes, MovesAFreeBodyWithTheOrderOfTheScheme) {
  const End exact = free_reference();
  const auto order = [&](const Integrator& scheme) {
    return fitted_order(kEnd / 64.0, 3,
                        [&](double h) { return error(TimeSteppingOptions{.integrator = scheme, .step = h}, exact); });
  };
  EXPECT_NEAR(order(MoreauJean{.theta = 0.5}), 2.0, 0.1);
  EXPECT_NEAR(order(MoreauJean{.theta = 1.0}), 1.0, 0.1);
  EXPECT_NEAR(order(StewartTrinkle{}), 1.0, 0.1);
  EXPECT_NEAR(fitted_order(kEnd / 64.0, 3,
                           [&](double h) {
                             return error(EventDrivenOptions{.integrator = GeneralisedAlpha{}, .step = h}, exact);
                           }),
              2.0, 0.1);
  // 1e-10 a step of numbers up to 3, a few dozen steps.
  EXPECT_LE(error(EventDrivenOptions{}, exact), 1e-10 * 3.0 * 50.0);
}

// A joint whose H turns makes the schemes order 1; a projection's tolerance, 1e-8, is far below their errors. y of a
// step is h^2 / 2 w^2 |arm| at most, 6e-5 of a step of 1/64 of the run: 64 add up.
TEST_P(LoadsUnderSchemes, MovesABodyOnAHingeWithTheOrderOfTheScheme) {
  const End exact = hanging_reference();
  for (const Form form : {Form::Reduced, Form::Global}) {
    for (const Projection kind : {Projection::None, Projection::Direct, Projection::Combined}) {
      for (const double theta : {0.5, 1.0}) {
        const double order = fitted_order(kEnd / 64.0, 3, [&](double h) {
          return error(
              TimeSteppingOptions{
                  .integrator = MoreauJean{.theta = theta}, .step = h, .form = form, .projection = {.kind = kind}},
              exact, true, kind == Projection::None ? 4e-3 : 1e-8);
        });
        EXPECT_NEAR(order, 1.0, 0.1) << static_cast<int>(form) << static_cast<int>(kind) << theta;
      }
    }
  }
  EXPECT_NEAR(fitted_order(kEnd / 64.0, 3,
                           [&](double h) {
                             return error(TimeSteppingOptions{.integrator = StewartTrinkle{}, .step = h}, exact, true);
                           }),
              1.0, 0.1);
  EXPECT_NEAR(fitted_order(kEnd / 64.0, 3,
                           [&](double h) {
                             return error(EventDrivenOptions{.integrator = GeneralisedAlpha{}, .step = h}, exact, true,
                                          1e-12);
                           }),
              2.0, 0.1);
  EXPECT_LE(error(EventDrivenOptions{}, exact, true, 1e-12), 1e-10 * 3.0 * 50.0);
}

INSTANTIATE_TEST_SUITE_P(Bodies, LoadsUnderSchemes, testing::ValuesIn(cases()), [](const auto& instance) {
  return std::string(instance.param.loaded.name) + (instance.param.in_space ? "InSpace" : "InThePlane");
});

}  // namespace
}  // namespace nonsmooth::loads_under_schemes_test
