// SPDX-License-Identifier: Apache-2.0
// Elliptic friction by events: a point on a floor, and balls and boxes that are found on one with a grain,
// (p_T1 / mu_1)^2 + (p_T2 / mu_2)^2 <= p_N^2, against closed forms.
#include <cmath>

#include "event_log.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::elliptic_friction_test {
namespace {

using namespace event_log;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kMass = 2.0, kFirst = 0.3, kSecond = 0.6;  // mu_1, mu_2
constexpr double kWeight = kMass * kGravity;

/// A point on the floor z = 0, pushed along it; rows (N, T1, T2), linked by matrices or by functions.
struct Point {
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  InteractionHandle contact;

  Point(const Vector2d& push, const Vector3d& v0, bool by_functions = false, double height = 0.0) {
    const NewtonImpactFrictionLaw law{.friction = kFirst, .dimension = 3, .second_friction = kSecond};
    body = model.add(LagrangianLinearSystem{.mass = (kMass * Vector3d::Ones()).asDiagonal(),
                                            .force = {push[0], push[1], -kWeight},
                                            .q0 = {0.0, 0.0, height},
                                            .v0 = v0});
    const Eigen::Matrix3d H{{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    if (by_functions) {
      contact = model.link(body,
                           ScleronomousRelation{.rows = 3,
                                                .h = [=](ConstVectorRef q, VectorRef y) { y = H * q; },
                                                .H = [=](ConstVectorRef, MatrixRef to) { to = H; }},
                           law);
    } else {
      contact = model.link(body, on_floor(3), law);
    }
  }
};

/// What a slip along n meets, for p_N = 1: (mu_1^2 n_1, mu_2^2 n_2) / |(mu_1 n_1, mu_2 n_2)|.
Vector2d brake(const Vector2d& n) {
  const Vector2d scaled(kFirst * n[0], kSecond * n[1]);
  return Vector2d(kFirst * scaled[0], kSecond * scaled[1]) / scaled.norm();
}

Vector2d along(double s) { return {std::cos(s), std::sin(s)}; }

TEST(EllipticFrictionByEvents, APushedPointSlidesWhereTheLawSays) {
  // Pushed with what it meets along n and m a n, which points elsewhere, it slides straight along n with a. Quadratic
  // in time: exact to the tolerance of the integrator, 1e-10 here.
  const double a = 1.5, T = 0.7;
  for (const bool by_functions : {false, true}) {
    for (const double s : {0.0, 0.3, 0.8, 1.4, 2.2, 4.1}) {
      const Vector2d n = along(s), friction = kWeight * brake(n);
      const Point point(friction + kMass * a * n, Vector3d::Zero(), by_functions);
      EventDriven simulation(point.model);
      run_to(simulation, T);
      const State& state = simulation.state();
      EXPECT_LE((state.v(point.body).head<2>() - a * T * n).norm(), 1e-9) << s;
      EXPECT_LE((state.q(point.body).head<2>() - 0.5 * a * T * T * n).norm(), 1e-9) << s;
      EXPECT_NEAR(state.force(point.contact)[0], kWeight, 1e-9) << s;
      EXPECT_LE((state.force(point.contact).tail<2>() + friction).norm(), 1e-8) << s;
      EXPECT_LE((state.u(point.contact).tail<2>() - a * T * n).norm(), 1e-9) << s;
      EXPECT_LE((state.y(point.contact).tail<2>() - 0.5 * a * T * T * n).norm(), 1e-9) << s;
    }
  }
}

TEST(EllipticFrictionByEvents, StopsAlongEachAxisByItsCoefficient) {
  // |v| = v_0 - mu_i g t: it sticks at v_0 / (mu_i g).
  const double v0 = 0.9;
  for (const int axis : {0, 1}) {
    const double mu = axis == 0 ? kFirst : kSecond;
    Vector3d v = Vector3d::Zero();
    v[axis] = v0;
    const Point point(Vector2d::Zero(), v);
    EventDriven simulation(point.model);
    run_to(simulation, 0.5);
    expect_times(times_of(simulation, EventKind::Stick), {v0 / (mu * kGravity)}, 1e-10);
    EXPECT_LE(simulation.state().v(point.body).norm(), 1e-10);
    EXPECT_NEAR(simulation.state().q(point.body)[axis], 0.5 * v0 * v0 / (mu * kGravity), 1e-9);
  }
}

TEST(EllipticFrictionByEvents, ASlipTurnsTowardsTheSmallerCoefficient) {
  // d v_1 / d v_2 = (mu_1 / mu_2)^2 v_1 / v_2: v_1^4 / v_2 stays at mu_2 = 2 mu_1. A sum of four relative errors of v_1
  // and one of v_2, each of the integrator's 1e-10 over the way.
  const Vector2d v0(0.5, 0.8);
  const Point point(Vector2d::Zero(), {v0[0], v0[1], 0.0});
  EventDriven simulation(point.model);
  const double start = std::pow(v0[0], 4) / v0[1];
  for (const double t : {0.05, 0.1, 0.14}) {
    run_to(simulation, t);
    const auto v = simulation.state().v(point.body);
    ASSERT_GT(v[1], 0.0);
    EXPECT_NEAR(std::pow(v[0], 4) / v[1], start, 1e-8 * start) << t;
    EXPECT_GT(v[0] / v[1], v0[0] / v0[1]);
    const Vector2d n = v.head<2>().normalized();
    EXPECT_LE((simulation.state().force(point.contact).tail<2>() + kWeight * brake(n)).norm(), 1e-8) << t;
  }
}

TEST(EllipticFrictionByEvents, HoldsUpToTheEllipse) {
  // Pushed with 0.999 b, b on the ellipse with the normal n, it stays. No friction exceeds b along n, and b.n = p_N
  // |(mu_1 n_1, mu_2 n_2)| >= p_N mu_1: with 1.01 b it is as fast as 0.01 mu_1 g t at least.
  for (const double s : {0.0, 0.1, 0.9, 1.5, 3.0}) {
    const Vector2d bound = kWeight * Vector2d(kFirst * std::cos(s), kSecond * std::sin(s));
    const Point held(0.999 * bound, Vector3d::Zero()), slides(1.01 * bound, Vector3d::Zero());
    EventDriven first(held.model), second(slides.model);
    run_to(first, 0.1);
    EXPECT_LE(first.state().v(held.body).norm(), 1e-12) << s;
    EXPECT_LE((first.state().force(held.contact).tail<2>() + 0.999 * bound).norm(), 1e-9) << s;
    run_to(second, 0.1);
    EXPECT_GE(second.state().v(slides.body).norm(), 0.01 * kFirst * kGravity * 0.1 - 1e-9) << s;
  }
}

TEST(EllipticFrictionByEvents, SlipsWhereAPushPassesTheEllipse) {
  // A push that grows as t b, b on an axis of the ellipse: held until t = 1, then v = b (t - 1)^2 / (2 m).
  for (const int axis : {0, 1}) {
    const double bound = kWeight * (axis == 0 ? kFirst : kSecond);
    NonSmoothDynamicalSystem model;
    const auto body = model.add(LagrangianLinearSystem{.mass = (kMass * Vector3d::Ones()).asDiagonal(),
                                                       .force =
                                                           [=](double t, VectorRef F) {
                                                             F = Vector3d(0.0, 0.0, -kWeight);
                                                             F[axis] = t * bound;
                                                           },
                                                       .q0 = Vector3d::Zero(),
                                                       .v0 = Vector3d::Zero()});
    model.link(body, on_floor(3),
               NewtonImpactFrictionLaw{.friction = kFirst, .dimension = 3, .second_friction = kSecond});
    EventDriven simulation(model);
    run_to(simulation, 1.2);
    expect_times(times_of(simulation, EventKind::Slip), {1.0}, 1e-9);
    EXPECT_NEAR(simulation.state().v(body)[axis], bound * 0.04 / (2.0 * kMass), 1e-8);
  }
}

TEST(EllipticFrictionByEvents, AnImpactSlidesAlongTheNormalOfTheEllipse) {
  // e = 0: p_N = m v_N. It goes on at w n where it comes with w n + v_N brake(n), and stops where it comes with less
  // than is on the ellipse.
  const double height = 0.05, fall = std::sqrt(2.0 * kGravity * height), w = 0.4;
  for (const double s : {0.2, 1.0, 1.5, 2.6}) {
    const Vector2d n = along(s), comes = w * n + fall * brake(n);
    const Point slides({0.0, 0.0}, {comes[0], comes[1], 0.0}, false, height);
    EventDriven simulation(slides.model);
    const double instant = fall / kGravity;
    Vector2d after = Vector2d::Zero(), impulse = Vector2d::Zero();
    double at = 0.0;
    const auto report = simulation.advance_to(instant + 1e-3, [&](const State& state) {
      if (at > 0.0 || !(state.impulse(slides.contact)[0] > 0.0)) return;
      at = state.t;
      after = state.v(slides.body).head<2>();
      impulse = state.impulse(slides.contact).tail<2>();
    });
    ASSERT_TRUE(report) << report.message();
    EXPECT_NEAR(at, instant, 1e-10);
    EXPECT_LE((after - w * n).norm(), 1e-9) << s;
    EXPECT_LE((impulse + kMass * fall * brake(n)).norm(), 1e-9) << s;
    const Vector2d held = 0.9 * fall * Vector2d(kFirst * std::cos(s), kSecond * std::sin(s));
    const Point stops({0.0, 0.0}, {held[0], held[1], 0.0}, false, height);
    EventDriven other(stops.model);
    run_to(other, instant + 1e-3);
    EXPECT_LE(other.state().v(stops.body).norm(), 1e-9) << s;
  }
}

/// A floor whose grain, T1, is at an angle to x, and what lies along it and across.
struct Grained {
  double angle = 0.4;

  [[nodiscard]] ShapeOnBody floor() const {
    return {.shape = HalfSpace{}, .grain = {2.0 * std::cos(angle), 2.0 * std::sin(angle), 0.3}};
  }
  [[nodiscard]] Vector2d from_space(const Vector3d& v) const {
    return {std::cos(angle) * v[0] + std::sin(angle) * v[1], std::cos(angle) * v[1] - std::sin(angle) * v[0]};
  }
  [[nodiscard]] Vector3d in_space(const Vector2d& v) const {
    return {std::cos(angle) * v[0] - std::sin(angle) * v[1], std::sin(angle) * v[0] + std::cos(angle) * v[1], 0.0};
  }
  [[nodiscard]] static Law law() {
    return NewtonImpactFrictionLaw{.friction = kFirst, .dimension = 3, .second_friction = kSecond};
  }
};

/// When v' = -g brake(v / |v|) has taken v_2 from v0_2 to v2, by Gauss's rule of sixth order on pieces of
/// (v0_2 - v2) / 2000.
double time_to(double v2, const Vector2d& v0) {
  // dv_2 / dt = -mu_2^2 g v_2 / sqrt(mu_1^2 v_1^2 + mu_2^2 v_2^2), v_1 = v0_1 (v_2 / v0_2)^(mu_1^2 / mu_2^2).
  const auto rate = [&](double v) {
    const double first = kFirst * v0[0] * std::pow(v / v0[1], kFirst * kFirst / (kSecond * kSecond));
    return std::hypot(first, kSecond * v) / (kSecond * kSecond * kGravity * v);
  };
  const int pieces = 2000;
  const double width = (v0[1] - v2) / pieces, nodes[3] = {-std::sqrt(0.6), 0.0, std::sqrt(0.6)},
               weights[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
  double sum = 0.0;
  for (int k = 0; k < pieces; ++k) {
    for (int j = 0; j < 3; ++j) sum += width * weights[j] * rate(v2 + width * (k + 0.5 + 0.5 * nodes[j]));
  }
  return sum;
}

TEST(EllipticFrictionByEvents, ABoxThatIsFoundSlidesAsThePoint) {
  // Four corners with one velocity; the load moves along the friction only: no moment turns the box. Along the grain
  // and across, v_1^4 / v_2 stays, and v_2 is at half of what it was when the quadrature says.
  const Grained grained;
  const Vector2d v0(0.5, 0.8);
  NonSmoothDynamicalSystem model;
  const auto box = model.add(RigidBody{.mass = kMass,
                                       .inertia = Vector3d(0.02, 0.03, 0.04).asDiagonal(),
                                       .position = {0.0, 0.0, 0.05},
                                       .orientation = shape_bodies::turned_by({0.0, 0.0, 1.1}),
                                       .velocity = grained.in_space(v0),
                                       .gravity = {0.0, 0.0, -kGravity}});
  model.detect(BodyContacts({{box, {{.shape = Box{{0.3, 0.2, 0.05}}}}}}, {grained.floor()}, Grained::law()));
  EventDriven simulation(model);
  run_to(simulation, time_to(0.5 * v0[1], v0));
  const Vector2d v = grained.from_space(simulation.state().v(box).head<3>());
  EXPECT_NEAR(v[1], 0.5 * v0[1], 1e-9);  // ten times the integrator's 1e-10
  EXPECT_NEAR(v[0], v0[0] * std::pow(0.5, 0.25), 1e-9);
  EXPECT_LE(simulation.state().v(box).tail<3>().norm(), 1e-9);
  run_to(simulation, 0.5);
  EXPECT_LE(simulation.state().v(box).norm(), 1e-9);  // at rest: at mu_1 g at least, 0.94 m/s take 0.33 s
}

TEST(EllipticFrictionByEvents, ABallThatIsFoundRollsOnWithFiveSeventhsWhateverTheEllipse) {
  // Its slip obeys the point's equation with 7/2 of friction: in 2/7 of the time; v = v0 + 2/7 (slip - v0).
  const Grained grained;
  const Vector2d v0(0.5, 0.8);
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(shape_bodies::ball(0.1, kMass, {0.0, 0.0, 0.1}, grained.in_space(v0), kGravity));
  model.detect(BodyContacts({{ball, {{.shape = Sphere{0.1}}}}}, {grained.floor()}, Grained::law()));
  EventDriven simulation(model);
  run_to(simulation, 2.0 / 7.0 * time_to(0.5 * v0[1], v0));
  const Vector2d slip(v0[0] * std::pow(0.5, 0.25), 0.5 * v0[1]);
  const Vector2d v = grained.from_space(simulation.state().v(ball).head<3>());
  EXPECT_LE((v - v0 - 2.0 / 7.0 * (slip - v0)).norm(), 1e-9);
  run_to(simulation, 0.3);
  EXPECT_EQ(times_of(simulation, EventKind::Stick).size(), 1u);
  EXPECT_LE((grained.from_space(simulation.state().v(ball).head<3>()) - 5.0 / 7.0 * v0).norm(), 1e-9);
}

TEST(EllipticFrictionByEvents, AGrainTurnsWithTheBodyThatHasIt) {
  // The box has the grain and lies turned by 1.1 on a floor without one: pushed off along its grain it stops by mu_1,
  // across by mu_2.
  for (const int axis : {0, 1}) {
    const double turn = 1.1, v0 = 0.6, mu = axis == 0 ? kFirst : kSecond;
    const Vector3d along(std::cos(turn + 0.5 * kPi * axis), std::sin(turn + 0.5 * kPi * axis), 0.0);
    NonSmoothDynamicalSystem model;
    const auto box = model.add(RigidBody{.mass = kMass,
                                         .inertia = Vector3d(0.02, 0.03, 0.04).asDiagonal(),
                                         .position = {0.0, 0.0, 0.05},
                                         .orientation = shape_bodies::turned_by({0.0, 0.0, turn}),
                                         .velocity = v0 * along,
                                         .gravity = {0.0, 0.0, -kGravity}});
    model.detect(BodyContacts({{box, {{.shape = Box{{0.3, 0.2, 0.05}}, .grain = {1.0, 0.0, 0.0}}}}},
                              {{.shape = HalfSpace{}}}, Grained::law()));
    EventDriven simulation(model);
    run_to(simulation, 0.5);
    for (const Event& event : events_of(simulation, EventKind::Stick)) EXPECT_NEAR(event.t, v0 / (mu * kGravity), 1e-9);
    const Vector3d way = 0.5 * v0 * v0 / (mu * kGravity) * along;
    EXPECT_LE((simulation.state().q(box).head<3>() - way - Vector3d(0.0, 0.0, 0.05)).norm(), 1e-9) << axis;
  }
}

}  // namespace
}  // namespace nonsmooth::elliptic_friction_test
