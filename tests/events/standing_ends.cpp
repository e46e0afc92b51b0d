// SPDX-License-Identifier: Apache-2.0
// Cylinders that fall on their ends, by events: an end stands on four points, 1e-3 radii inside of its rim and 1e-6
// radii out of its plane.
#include <cmath>
#include <vector>

#include <problems/reference.hpp>

#include "event_log.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::standing_ends_test {
namespace {

using namespace event_log;
using Eigen::Vector2d;
using Eigen::Vector3d;
using shape_bodies::turned_by;

/// A cylinder on its rim, tilted by `start` about a level axis, at rest at first; friction keeps it from sliding. With
/// its centre h over a point that is r beside the axis, and the moment of inertia I = A + m (r^2 + h^2) about this,
///
///     I theta'' = -m g (r cos(theta) - h sin(theta)).
struct Falling {
  double R = 0.1, half = 0.05, m = 1.0, start = 0.1, friction = 2.0, restitution = 0.0, azimuth = 0.0;

  [[nodiscard]] double inertia() const { return m * (0.25 * R * R + half * half / 3.0); }
  [[nodiscard]] double inner() const { return 0.999 * R; }
  [[nodiscard]] double low() const { return half + 1e-6 * R; }
  [[nodiscard]] double first_angle() const {
    return std::atan(1e-6 / 1e-3);
  }  ///< where a point takes over from the rim
  [[nodiscard]] double about(double r, double h) const { return inertia() + m * (r * r + h * h); }
  [[nodiscard]] static double height(double r, double h, double angle) {
    return h * std::cos(angle) + r * std::sin(angle);
  }
  [[nodiscard]] SystemHandle add(NonSmoothDynamicalSystem& model, double above = 0.0) const {
    const double J = inertia();
    const auto body =
        model.add(RigidBody{.mass = m,
                            .inertia = Vector3d(J, J, 0.5 * m * R * R).asDiagonal().toDenseMatrix(),
                            .position = {0.0, 0.0, height(R, half, start) + above},
                            .orientation = turned_by(start * Vector3d(std::cos(azimuth), std::sin(azimuth), 0.0)),
                            .gravity = {0.0, 0.0, -kGravity}});
    const NewtonImpactFrictionLaw law{.restitution = restitution, .friction = friction, .dimension = 3};
    model.detect(BodyContacts({{body, {{.shape = Cylinder{R, half}}}}}, {{.shape = HalfSpace{}}}, law));
    return body;
  }
  /// All of it on the four points of the lower end, at rest. Positions are held to 1e-12 or so.
  void expect_rest(const EventDriven& simulation, SystemHandle body) const {
    const State& state = simulation.state();
    EXPECT_NEAR(state.q(body)[2], low(), 1e-10);
    EXPECT_LE(state.q(body).segment<2>(4).norm(), 1e-10);
    EXPECT_LE(state.v(body).norm(), 1e-12);
    double sum = 0.0;
    for (Index k = 0; k < 5; ++k) sum += state.forces[3 * k];
    EXPECT_NEAR(sum, m * kGravity, 1e-9 * m * kGravity);
    EXPECT_EQ(state.forces[0], 0.0);  // the rim
  }
};

/// Spins about the level axis after each instant with an impact, in order.
std::vector<double> spins_after_impacts(EventDriven& simulation, SystemHandle body, double T, std::size_t count) {
  std::vector<double> spins;
  const auto report = simulation.advance_to(T, EventDrivenObserver{.instant = [&](const Instant& now) {
                                              for (const Event& event : now.events) {
                                                if (event.kind != EventKind::Impact) continue;
                                                spins.push_back(now.after.v(body)[3]);
                                                break;
                                              }
                                              return spins.size() < count;
                                            }});
  EXPECT_TRUE(report) << report.message();
  return spins;
}

TEST(StandingEndsByEvents, AFlatCylinderFallsOnItsEndAndRests) {
  const Falling falling;
  NonSmoothDynamicalSystem model;
  const auto body = falling.add(model);
  EventDriven simulation(model);
  run_to(simulation, 1.0);
  const std::vector<Event> impacts = events_of(simulation, EventKind::Impact);
  ASSERT_FALSE(impacts.empty());
  // Where the first point touches: steps of 1e-8 a coordinate, some ten of them.
  const auto fall = [&](double, ConstVectorRef z, VectorRef rate) {
    const double torque = falling.R * std::cos(z[0]) - falling.half * std::sin(z[0]);
    rate << z[1], -falling.m * kGravity * torque / falling.about(falling.R, falling.half);
  };
  EXPECT_NEAR(problems::solve_ode(fall, Vector2d(falling.start, 0.0), 0.0, impacts.front().t)[0], falling.first_angle(),
              1e-7);
  falling.expect_rest(simulation, body);
}

TEST(StandingEndsByEvents, ATallCylinderRocksFromPointToPoint) {
  // Down on its rim, at tan(theta) = 1e-3 over to the point beside it, and at theta = 0 to the point across. An impact
  // on another point keeps the angular momentum about this.
  const Falling falling{.half = 0.3, .start = 0.05};
  NonSmoothDynamicalSystem model;
  const auto body = falling.add(model);
  EventDriven simulation(model, {.relative_tolerance = 1e-11});
  const std::vector<double> spins = spins_after_impacts(simulation, body, 1.0, 2);
  ASSERT_EQ(spins.size(), 2u);
  const double R = falling.R, h = falling.half, r = falling.inner(), l = falling.low(), J = falling.inertia();
  const double m = falling.m, first = falling.first_angle();
  const auto gained = [&](double of_r, double of_h, double from, double to) {
    return 2.0 * m * kGravity * (Falling::height(of_r, of_h, from) - Falling::height(of_r, of_h, to)) /
           falling.about(of_r, of_h);
  };
  double spin = -std::sqrt(gained(R, h, falling.start, first));
  spin *= (J + m * (R * r + h * l)) / falling.about(r, l);
  EXPECT_NEAR(spins[0], spin, 1e-8);
  spin = -std::sqrt(spin * spin + gained(r, l, first, 0.0));
  spin *= (J + m * (l * l - r * r)) / falling.about(r, l);
  EXPECT_NEAR(spins[1], spin, 1e-8);
  EXPECT_LT(spin, -0.1);  // it goes on
  run_to(simulation, 3.0);
  falling.expect_rest(simulation, body);
}

TEST(StandingEndsByEvents, CylindersThatFallAnyWayComeToRest) {
  // Between two points, and dropped flat with a rebound.
  for (const Falling& falling :
       {Falling{.friction = 0.5, .azimuth = 0.25 * kPi}, Falling{.start = 0.0, .friction = 0.2, .restitution = 0.5}}) {
    NonSmoothDynamicalSystem model;
    const auto body = falling.add(model, falling.restitution > 0.0 ? 0.05 : 0.0);
    EventDriven simulation(model);
    run_to(simulation, 1.5);
    falling.expect_rest(simulation, body);
  }
}

}  // namespace
}  // namespace nonsmooth::standing_ends_test
