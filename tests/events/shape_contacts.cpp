// SPDX-License-Identifier: Apache-2.0
// Contacts of shapes by events: rolling, a floor, a hill, capsules and the vertices of a box, against closed forms.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <problems/reference.hpp>

#include "event_log.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::shape_contacts_test {
namespace {

using namespace event_log;
using Eigen::Vector3d;
using shape_bodies::ball;
using shape_bodies::turned_by;

/// A step's error is below 1e-10 of its coordinates, of order one here; some tens of steps with factors of a few.
constexpr double kIntegrated = 1e-8;

/// From the axes of a body to those of space, q of 7 numbers.
Vector3d in_space(ConstVectorRef q, const Vector3d& a) {
  const Vector3d axis = q.segment<3>(4);
  const auto cross = [](const Vector3d& x, const Vector3d& y) {
    return Vector3d(x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]);
  };
  return a + 2.0 * (q[3] * cross(axis, a) + cross(axis, cross(axis, a)));
}

TEST(ShapesByEvents, ASphereSlidesThenRolls) {
  // Verification problem 16: at t = 2 v0 / (7 mu g) it rolls with 5/7 v0, after 12 v0^2 / (49 mu g).
  const double r = 0.1, m = 2.0, mu = 0.2, v0 = 1.5, t = 2.0 * v0 / (7.0 * mu * kGravity);
  const Vector3d along = Vector3d(0.6, 0.8, 0.0);
  NonSmoothDynamicalSystem model;
  const auto body = model.add(ball(r, m, {0.0, 0.0, r}, v0 * along, kGravity));
  const auto contacts = link_contacts(model, BodyContacts({{body, {{.shape = Sphere{r}}}}}, {{.shape = HalfSpace{}}},
                                                          NewtonImpactFrictionLaw{.friction = mu, .dimension = 3}));
  ASSERT_EQ(contacts.size(), 1u);
  EventDriven simulation(model);
  run_to(simulation, 1.0);
  // The friction is constant: velocities are integrated without truncation, and the turn of the body does not act back.
  expect_times(times_of(simulation, EventKind::Stick), {t}, 1e-10);
  EXPECT_TRUE(events_of(simulation, EventKind::Slip).empty());
  const State& state = simulation.state();
  const Vector3d v = state.v(body).head<3>(), omega = in_space(state.q(body), state.v(body).tail<3>());
  const double v1 = 5.0 / 7.0 * v0, way = 12.0 * v0 * v0 / (49.0 * mu * kGravity) + v1 * (1.0 - t);
  EXPECT_LE((v - v1 * along).norm(), 1e-12);
  EXPECT_LE((r * omega - v1 * Vector3d(-0.8, 0.6, 0.0)).norm(), 1e-12);
  EXPECT_LE((state.q(body).head<3>() - Vector3d(0.6 * way, 0.8 * way, r)).norm(), 1e-10);
  EXPECT_NEAR(state.force(contacts[0].interaction)[0], m * kGravity, 1e-11);
}

TEST(ShapesByEvents, ADiskBouncesOnAFloorAndIsSpun) {
  // The first impact takes the slip away: v_x = 2/3 v0, omega = -2/3 v0 / r, as no impulse on the rim changes the
  // moment about it. Later ones have no slip left. Flights are those of the height.
  const double r = 0.1, m = 1.0, e = 0.8, v0 = 0.3, height = 0.5;
  NonSmoothDynamicalSystem model;
  const auto disk = model.add(PlanarBody{.mass = m,
                                         .inertia = 0.5 * m * r * r,
                                         .position = {0.0, r + height},
                                         .velocity = {v0, 0.0},
                                         .gravity = {0.0, -kGravity}});
  const FloorProfile flat{.height = [](double) { return 0.0; },
                          .slope = [](double) { return 0.0; },
                          .curvature = [](double) { return 0.0; },
                          .highest = 0.0};
  const auto linked =
      link_contacts(model, DiskContacts({disk}, {r}, NewtonImpactFrictionLaw{.restitution = e, .friction = 1.0}, flat));
  ASSERT_EQ(linked.size(), 1u);
  EventDriven simulation(model);
  const double first = std::sqrt(2.0 * height / kGravity);
  run_to(simulation, first * (1.0 + 2.0 * e + 2.0 * e * e) + 0.01);
  expect_times(times_of(simulation, EventKind::Impact),
               {first, first * (1.0 + 2.0 * e), first * (1.0 + 2.0 * e + 2.0 * e * e)}, 1e-13);
  EXPECT_NEAR(simulation.state().v(disk)[0], 2.0 / 3.0 * v0, 1e-13);
  EXPECT_NEAR(simulation.state().v(disk)[2], -2.0 / 3.0 * v0 / r, 1e-12);
}

TEST(ShapesByEvents, ADiskLeavesAHillThatBendsAwayFromIt) {
  // Without friction the height tells the speed. On height(x) = h cos(k x) a centre is at the distance r from the
  // curve, and leaves where speed^2 over the radius of curvature of its path, r more than the hill's, is g across.
  const double r = 0.05, h = 0.3, k = 2.0, start = -0.3, square = 10.2;
  const FloorProfile hill{.height = [=](double x) { return h * std::cos(k * x); },
                          .slope = [=](double x) { return -h * k * std::sin(k * x); },
                          .curvature = [=](double x) { return -h * k * k * std::cos(k * x); }};
  const auto length = [&](double s) { return std::hypot(1.0, hill.slope(s)); };
  const auto centre = [&](double s) {
    return Eigen::Vector2d(s - r * hill.slope(s) / length(s), hill.height(s) + r / length(s));
  };
  const auto margin = [&](double s) {
    const double rho = std::pow(length(s), 3) / -hill.curvature(s);
    return kGravity / length(s) - (square + 2.0 * kGravity * (centre(start)[1] - centre(s)[1])) / (rho + r);
  };
  const double leaves = problems::root_between(margin, start, 0.0);
  NonSmoothDynamicalSystem model;
  const Eigen::Vector2d along = Eigen::Vector2d(1.0, hill.slope(start)) / length(start);
  const auto disk = model.add(
      PlanarBody{.position = centre(start), .velocity = std::sqrt(square) * along, .gravity = {0.0, -kGravity}});
  model.link(disk, DiskOnFloor{{.radius = r}, hill}, NewtonImpactLaw{}, "hill");
  EventDriven simulation(model);
  Eigen::Vector2d left = Eigen::Vector2d::Zero();
  const auto report = simulation.advance_to(1.0, EventDrivenObserver{.instant = [&](const Instant& at) {
                                              left = at.after.q(disk).head<2>();
                                              return at.events[0].kind != EventKind::Opening;
                                            }});
  EXPECT_EQ(report.outcome, RunReport::Outcome::StoppedByObserver) << report.message();
  EXPECT_LE((left - centre(leaves)).norm(), kIntegrated);
}

TEST(ShapesByEvents, ASphereSlidesOrRollsOffASphere) {
  // From rest at th0 on a sphere that is fixed, sliding off leaves it at cos(th) = 2/3 cos(th0). Rolling, v^2 = 10/7 g
  // (R + r) (cos(th0) - cos(th)) as long as it sticks: |F_T| / F_N = 2/7 sin(th) / (17/7 cos(th) - 10/7 cos(th0)).
  const double R = 0.5, r = 0.1, th0 = 0.3, m = 0.8;
  const Vector3d start = (R + r) * Vector3d(0.6 * std::sin(th0), 0.8 * std::sin(th0), std::cos(th0));
  for (const double mu : {0.0, 0.7}) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(ball(r, m, start, Vector3d::Zero(), kGravity));
    const auto contact = model.link(
        body, SpherePair{{.radius = r}, {.radius = R}, mu > 0.0 ? 3 : 1},
        mu > 0.0 ? Law(NewtonImpactFrictionLaw{.friction = mu, .dimension = 3}) : Law(NewtonImpactLaw{}), "sphere");
    EventDriven simulation(model);
    const EventKind end = mu > 0.0 ? EventKind::Slip : EventKind::Opening;
    Eigen::VectorXd q = Eigen::VectorXd::Zero(7), v = Eigen::VectorXd::Zero(6);
    double aside = 0.0;
    const auto report = simulation.advance_to(3.0, EventDrivenObserver{.instant = [&](const Instant& at) {
                                                if (at.events[0].kind != end) return true;
                                                q = at.before.q(body), v = at.before.v(body);
                                                aside =
                                                    at.before.u(contact).tail(at.before.u(contact).size() - 1).norm();
                                                return false;
                                              }});
    ASSERT_EQ(report.outcome, RunReport::Outcome::StoppedByObserver) << report.message();
    const double c = q[2] / (R + r);
    EXPECT_NEAR(q.head<3>().norm(), R + r, 1e-10);
    EXPECT_NEAR(q[1] / q[0], 0.8 / 0.6, 1e-8);  // in the plane that it started in
    if (mu == 0.0) {
      EXPECT_NEAR(c, 2.0 / 3.0 * std::cos(th0), kIntegrated);
      EXPECT_LE(v.tail<3>().norm(), 1e-12);
      continue;
    }
    const double slips = problems::root_between(
        [&](double th) {
          return mu * (17.0 / 7.0 * std::cos(th) - 10.0 / 7.0 * std::cos(th0)) - 2.0 / 7.0 * std::sin(th);
        },
        th0, 0.9);
    EXPECT_NEAR(c, std::cos(slips), kIntegrated);
    EXPECT_NEAR(v.head<3>().squaredNorm(), 10.0 / 7.0 * kGravity * (R + r) * (std::cos(th0) - c), kIntegrated);
    EXPECT_LE(aside, 1e-9);
  }
}

TEST(ShapesByEvents, ACapsuleFallsFlatAndComesToRest) {
  // Both ends at once, each with -e of its velocity: flights as of a ball, no turn. In the end half the weight an end.
  const double r = 0.1, half = 0.4, m = 1.5, e = 0.5, height = 0.3, first = std::sqrt(2.0 * height / kGravity);
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.mass = m,
                                        .inertia = Vector3d(0.09, 0.09, 0.0075).asDiagonal(),
                                        .position = {0.0, 0.0, r + height},
                                        .orientation = turned_by({0.5 * kPi, 0.0, 0.0}),  // along y
                                        .gravity = {0.0, 0.0, -kGravity}});
  const auto linked = link_contacts(model, BodyContacts({{body, {{.shape = Capsule{r, half}}}}},
                                                        {{.shape = HalfSpace{}}}, NewtonImpactLaw{.restitution = e}));
  ASSERT_EQ(linked.size(), 2u);
  EventDriven simulation(model);
  run_to(simulation, first * (1.0 + e) / (1.0 - e) + 0.2);
  const auto times = times_of(simulation, EventKind::Impact);
  ASSERT_GE(times.size(), 6u);
  for (std::size_t k = 0; k < 3; ++k) {  // an event an end
    const double at = first * (1.0 + 2.0 * (k > 0 ? e : 0.0) + 2.0 * (k > 1 ? e * e : 0.0));
    EXPECT_NEAR(times[2 * k], at, 1e-13) << k;
    EXPECT_NEAR(times[2 * k + 1], at, 1e-13) << k;
  }
  const State& state = simulation.state();
  EXPECT_NEAR(state.q(body)[2], r, 1e-11);
  EXPECT_LE(state.v(body).norm(), 1e-11);
  for (const LinkedContact& contact : linked)
    EXPECT_NEAR(state.force(contact.interaction)[0], 0.5 * m * kGravity, 1e-10);
}

TEST(ShapesByEvents, ABoxDroppedOnAnEdgeRocks) {
  // A box of half widths (b, c) and half height a, tilted by `tilt` about y, falls from `height` on its lower edge,
  // which sticks: phi = alpha - tilt is the angle of the diagonal to the vertical, I = 4/3 m R^2 about the edge, so
  // that phi' = 3 v sin(phi) / (4 R) after it; then phi'' = p^2 sin(phi), p^2 = 3 g / (4 R), to phi = alpha, where the
  // other edge hits and leaves 1 - 3/2 sin^2(alpha) of the rate (Housner 1963), verification problem 7.
  const double a = 0.5, b = 0.1, c = 0.15, tilt = 0.1, m = 3.0, height = 0.02;
  const double R = std::hypot(a, b), alpha = std::atan2(b, a), p2 = 0.75 * kGravity / R, phi0 = alpha - tilt;
  NonSmoothDynamicalSystem model;
  const auto block = model.add(
      RigidBody{.mass = m,
                .inertia = m / 3.0 * Vector3d(a * a + c * c, a * a + b * b, b * b + c * c).asDiagonal().toDenseMatrix(),
                .position = {0.0, 0.0, b * std::sin(tilt) + a * std::cos(tilt) + height},
                .orientation = turned_by({0.0, tilt, 0.0}),
                .gravity = {0.0, 0.0, -kGravity}});
  const auto linked =
      link_contacts(model, BodyContacts({{block, {{.shape = Box{{b, c, a}}}}}}, {{.shape = HalfSpace{}}},
                                        NewtonImpactFrictionLaw{.friction = 2.0, .dimension = 3}));
  ASSERT_EQ(linked.size(), 8u);
  const double dropped = std::sqrt(2.0 * height / kGravity);
  const double start = 0.75 * kGravity * dropped * std::sin(phi0) / R;
  const auto rate = [&](double phi) { return std::sqrt(start * start + 2.0 * p2 * (std::cos(phi0) - std::cos(phi))); };
  const double ratio = 1.0 - 1.5 * std::sin(alpha) * std::sin(alpha), after = ratio * rate(alpha);
  // Then up to phi_1, where the rate is zero, and back: phi = phi_1 + (alpha - phi_1) s^2 makes the integrand regular.
  const double phi1 = std::acos(std::cos(alpha) + 0.5 * after * after / p2);
  const double quarter = problems::integral_between(
      [&](double s) {
        const double half = 0.5 * (alpha - phi1) * s * s;
        return (alpha - phi1) * s / std::sqrt(p2 * std::sin(half) * std::sin(phi1 + half));
      },
      0.0, 1.0);
  const double landed = dropped + problems::integral_between([&](double phi) { return 1.0 / rate(phi); }, phi0, alpha);
  EventDriven simulation(model);
  std::vector<double> times, ratios;
  const auto report = simulation.advance_to(
      landed + 2.0 * quarter + 0.05, EventDrivenObserver{.instant = [&](const Instant& at) {
        const bool impact = std::any_of(at.events.begin(), at.events.end(),
                                        [](const Event& event) { return event.kind == EventKind::Impact; });
        if (!impact) return true;
        times.push_back(at.after.t);
        ratios.push_back(at.after.v(block)[4] / at.before.v(block)[4]);
        return true;
      }});
  ASSERT_TRUE(report) << report.message();
  ASSERT_EQ(times.size(), 3u);
  EXPECT_NEAR(times[0], dropped, 1e-12);  // a parabola
  EXPECT_NEAR(times[1], landed, kIntegrated);
  EXPECT_NEAR(times[2], landed + 2.0 * quarter, kIntegrated);
  EXPECT_NEAR(ratios[1], ratio, 1e-10);  // all vertices on the floor to what is integrated, 1e-10
  EXPECT_NEAR(ratios[2], ratio, 1e-10);
  EXPECT_LE(std::abs(simulation.state().v(block)[1]) + std::abs(simulation.state().v(block)[3]), 1e-9);
}

}  // namespace
}  // namespace nonsmooth::shape_contacts_test
