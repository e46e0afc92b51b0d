// SPDX-License-Identifier: Apache-2.0
// Friction against rolling and spinning by events: balls, disks and boxes on planes, linked by hand and found, against
// closed forms. A ball of mass m and radius r has J = 2/5 m r^2.
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "event_log.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::rolling_friction_test {
namespace {

using namespace event_log;
using Eigen::Vector3d;
using shape_bodies::ball;

/// A step's error is below 1e-10 of its coordinates, of order one here; some tens of steps with factors of a few.
constexpr double kIntegrated = 1e-8;
constexpr double kRadius = 0.2, kMass = 1.5, kSlide = 0.4, kRoll = 0.01, kSpin = 0.02;

struct Case {
  std::string name;
  Index rows;
  bool found;
  friend void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }
};
std::string name_of(const testing::TestParamInfo<Case>& info) { return info.param.name; }

NewtonImpactRollingFrictionLaw law_of(Index rows, double restitution = 0.0) {
  return {.restitution = restitution,
          .friction = kSlide,
          .rolling = rows == 4 ? 0.0 : kRoll,
          .spinning = rows % 2 == 1 ? 0.0 : kSpin,
          .rows = rows};
}

/// A ball on the plane z = 0, whose gravity leans by `slope` towards x.
struct BallOnPlane {
  NonSmoothDynamicalSystem model;
  SystemHandle body;

  BallOnPlane(const Case& one, const Vector3d& velocity, const Vector3d& omega, double slope = 0.0,
              double restitution = 0.0, ShapeOnBody ground = {.shape = HalfSpace{}}) {
    RigidBody description = ball(kRadius, kMass, {0.0, 0.0, kRadius}, velocity);
    description.gravity = kGravity * Vector3d(std::sin(slope), 0.0, -std::cos(slope));
    const Eigen::Vector4d& p = description.orientation;
    description.angular_velocity = Eigen::Quaterniond(p[0], p[1], p[2], p[3]).toRotationMatrix().transpose() * omega;
    body = model.add(description);
    const NewtonImpactRollingFrictionLaw law = law_of(one.rows, restitution);
    if (one.found) {
      model.detect(BodyContacts({{body, {{.shape = Sphere{kRadius}}}}}, {std::move(ground)}, law));
    } else {
      model.link(body, SphereOnHalfSpace{.sphere = {.radius = kRadius}, .rows = one.rows}, law);
    }
  }
  /// The angular velocity in the axes of space.
  [[nodiscard]] Vector3d omega(const State& state) const {
    const Eigen::VectorXd q = state.q(body);
    return Eigen::Quaterniond(q[3], q[4], q[5], q[6]).toRotationMatrix() * state.v(body).tail<3>();
  }
};

/// When events of a kind happen to the group of rows that begins with this one.
std::vector<double> times_at(const EventDriven& simulation, EventKind kind, Index row) {
  std::vector<double> times;
  for (const Event& event : events_of(simulation, kind)) {
    if (event.row == row) times.push_back(event.t);
  }
  return times;
}

class BallByEvents : public testing::TestWithParam<Case> {};
class RollingBallByEvents : public BallByEvents {};   // with rows R
class SpinningBallByEvents : public BallByEvents {};  // with a row S

/// Rolling at v = omega r the moment is rolling m g against it: with m a = -F and J a / r = F r - rolling m g,
/// a = -rolling m g r / (J + m r^2) = -5/7 g rolling / r, until it rests. The spin has nothing to do with it:
/// J omega_z' = -spinning m g.
TEST_P(BallByEvents, ComesToRestAsItsMomentsSay) {
  const Index rows = GetParam().rows;
  const Vector3d along(0.6, 0.8, 0.0);
  const double speed = 0.5, spin = 6.0, a = 5.0 / 7.0 * kGravity * kRoll / kRadius;
  const double rests = speed / a, stands = 0.4 * kRadius * kRadius * spin / (kSpin * kGravity);
  const Vector3d rolling = speed / kRadius * Vector3d::UnitZ().cross(along);
  BallOnPlane one(GetParam(), speed * along, rolling + spin * Vector3d::UnitZ());
  EventDriven simulation(one.model);
  run_to(simulation, 3.0);
  const State& state = simulation.state();
  double way = speed * 3.0;
  if (rows > 4) {
    expect_times(times_at(simulation, EventKind::Stick, 3), {rests}, kIntegrated);
    way = 0.5 * speed * rests;
  }
  if (rows != 5) expect_times(times_at(simulation, EventKind::Stick, rows - 1), {stands}, kIntegrated);
  EXPECT_NEAR((state.q(one.body).head<3>() - Vector3d(0.0, 0.0, kRadius) - way * along).norm(), 0.0, kIntegrated);
  const Vector3d left = (rows > 4 ? Vector3d::Zero() : rolling) + (rows == 5 ? spin : 0.0) * Vector3d::UnitZ();
  EXPECT_NEAR((one.omega(state) - left).norm(), 0.0, kIntegrated / kRadius);
  EXPECT_TRUE(events_of(simulation, EventKind::Opening).empty());
}

/// Thrown without turning it slides at -mu g, and turns by J omega' = mu m g r - rolling m g until v = omega r; then it
/// rolls on as above.
TEST_P(RollingBallByEvents, SlidesRollsAndRests) {
  const double speed = 1.0, turn = 2.5 * kGravity * (kSlide * kRadius - kRoll) / (kRadius * kRadius);
  const double rolls = speed / (kSlide * kGravity + turn * kRadius), slow = speed - kSlide * kGravity * rolls;
  const double a = 5.0 / 7.0 * kGravity * kRoll / kRadius;
  BallOnPlane one(GetParam(), {speed, 0.0, 0.0}, Vector3d::Zero());
  EventDriven simulation(one.model);
  run_to(simulation, 4.0);
  expect_times(times_at(simulation, EventKind::Stick, 0), {rolls}, kIntegrated);
  expect_times(times_at(simulation, EventKind::Stick, 3), {rolls + slow / a}, kIntegrated);
  const double way = 0.5 * (speed + slow) * rolls + 0.5 * slow * slow / a;
  EXPECT_NEAR(simulation.state().q(one.body)[0], way, kIntegrated);
  EXPECT_NEAR(simulation.state().v(one.body).norm(), 0.0, kIntegrated);
}

/// m g sin(slope) r against rolling m g cos(slope): at rest below tan(slope) = rolling / r, else
/// a = 5/7 g (sin(slope) - cos(slope) rolling / r). Without rows R it rolls in any case.
TEST_P(BallByEvents, RestsOnASlopeBelowTheAngleOfItsMoment) {
  const double lever = GetParam().rows == 4 ? 0.0 : kRoll / kRadius;
  for (const double share : {0.0, 0.9, 1.2, 3.0}) {
    const double slope = std::atan(share * kRoll / kRadius);
    BallOnPlane one(GetParam(), Vector3d::Zero(), Vector3d::Zero(), slope);
    EventDriven simulation(one.model);
    run_to(simulation, 1.0);
    const double a = 5.0 / 7.0 * kGravity * std::max(std::sin(slope) - std::cos(slope) * lever, 0.0);
    EXPECT_NEAR(simulation.state().q(one.body)[0], 0.5 * a, kIntegrated) << share;
    EXPECT_NEAR(simulation.state().v(one.body)[0], a, kIntegrated) << share;
  }
}

/// It falls with v and omega_z: the impulse m v (1 + e) stops J omega_z by spinning m v (1 + e) at most. No other spin.
TEST_P(SpinningBallByEvents, LosesSpinInAnImpact) {
  const double speed = 2.0, e = 0.5, J = 0.4 * kMass * kRadius * kRadius;
  const double stopped = kSpin * kMass * speed * (1.0 + e) / J;
  for (const double spin : {0.5 * stopped, 1.5 * stopped}) {
    BallOnPlane one(GetParam(), {0.0, 0.0, -speed}, spin * Vector3d::UnitZ(), 0.0, e);
    EventDriven simulation(one.model);
    run_to(simulation, 1e-3);
    EXPECT_NEAR(simulation.state().v(one.body)[2], e * speed - 1e-3 * kGravity, kIntegrated);
    // The problem of an impact is solved to 1e-11 of the velocities.
    EXPECT_NEAR((one.omega(simulation.state()) - std::max(spin - stopped, 0.0) * Vector3d::UnitZ()).norm(), 0.0, 1e-9);
  }
}

const Case kSpinning[] = {{"SpinningLinked", 4, false}, {"SpinningFound", 4, true}};
const Case kRolling[] = {{"RollingLinked", 5, false}, {"RollingFound", 5, true}};
const Case kBoth[] = {{"BothLinked", 6, false}, {"BothFound", 6, true}};
INSTANTIATE_TEST_SUITE_P(Rows4, BallByEvents, testing::ValuesIn(kSpinning), name_of);
INSTANTIATE_TEST_SUITE_P(Rows5, BallByEvents, testing::ValuesIn(kRolling), name_of);
INSTANTIATE_TEST_SUITE_P(Rows6, BallByEvents, testing::ValuesIn(kBoth), name_of);
INSTANTIATE_TEST_SUITE_P(Rows5, RollingBallByEvents, testing::ValuesIn(kRolling), name_of);
INSTANTIATE_TEST_SUITE_P(Rows6, RollingBallByEvents, testing::ValuesIn(kBoth), name_of);
INSTANTIATE_TEST_SUITE_P(Rows4, SpinningBallByEvents, testing::ValuesIn(kSpinning), name_of);
INSTANTIATE_TEST_SUITE_P(Rows6, SpinningBallByEvents, testing::ValuesIn(kBoth), name_of);

/// On the middle of a table that turns at Omega, J omega_z' = spinning m g until omega_z = Omega.
TEST(RollingFrictionByEvents, ATableTakesABallAlong) {
  const double Omega = 3.0;
  ShapeOnBody table{.shape = HalfSpace{}};
  table.surface_velocity = [Omega](const Vector3d& x, double) { return Vector3d(-Omega * x[1], Omega * x[0], 0.0); };
  table.surface_spin = [Omega](const Vector3d&, double) { return Vector3d(0.0, 0.0, Omega); };
  BallOnPlane one({"Table", 6, true}, Vector3d::Zero(), Vector3d::Zero(), 0.0, 0.0, table);
  EventDriven simulation(one.model);
  run_to(simulation, 1.0);
  expect_times(times_at(simulation, EventKind::Stick, 5), {0.4 * kRadius * kRadius * Omega / (kSpin * kGravity)},
               kIntegrated);
  EXPECT_NEAR((one.omega(simulation.state()) - Vector3d(0.0, 0.0, Omega)).norm(), 0.0, kIntegrated / kRadius);
  EXPECT_NEAR(simulation.state().q(one.body).head<2>().norm(), 0.0, kIntegrated);
}

/// J = m r^2 / 2: a = -2/3 g rolling / r. By hand in coordinates, linked as shapes, found.
TEST(RollingFrictionByEvents, ADiskComesToRestAsItsMomentSays) {
  const double speed = 0.5, a = 2.0 / 3.0 * kGravity * kRoll / kRadius;
  const NewtonImpactRollingFrictionLaw law = law_of(3);
  for (int how = 0; how < 3; ++how) {
    NonSmoothDynamicalSystem model;
    const SystemHandle body = model.add(PlanarBody{.mass = kMass,
                                                   .inertia = 0.5 * kMass * kRadius * kRadius,
                                                   .position = {0.0, kRadius},
                                                   .velocity = {speed, 0.0},
                                                   .angular_velocity = -speed / kRadius,
                                                   .gravity = {0.0, -kGravity}});
    if (how == 0) {
      model.link(body,
                 LagrangianLinearRelation{.H = {{0.0, 1.0, 0.0}, {1.0, 0.0, kRadius}, {0.0, 0.0, 1.0}},
                                          .b = {{-kRadius, 0.0, 0.0}}},
                 law);
    } else if (how == 1) {
      model.link(body, DiskOnHalfPlane{.disk = {.radius = kRadius}, .half_plane = {.normal = {0.0, 1.0}}, .rows = 3},
                 law);
    } else {
      model.detect(
          PlanarContacts({{body, {{.shape = Disk{kRadius}}}}}, {{.shape = HalfPlane{.normal = {0.0, 1.0}}}}, law));
    }
    EventDriven simulation(model);
    run_to(simulation, 3.0);
    expect_times(times_at(simulation, EventKind::Stick, 2), {speed / a}, kIntegrated);
    EXPECT_NEAR(simulation.state().q(body)[0], 0.5 * speed * speed / a, kIntegrated) << how;
    EXPECT_NEAR(simulation.state().v(body).norm(), 0.0, kIntegrated) << how;
  }
}

/// Sliding with a moment that its friction does not overcome, mu r < rolling, it does not turn at all, and rests after
/// v^2 / (2 mu g).
TEST(RollingFrictionByEvents, ABallThatHardlyRollsSlidesOn) {
  const double speed = 1.0, mu = 0.04;
  NonSmoothDynamicalSystem model;
  const SystemHandle body = model.add(ball(kRadius, kMass, {0.0, 0.0, kRadius}, {speed, 0.0, 0.0}, kGravity));
  model.link(body, SphereOnHalfSpace{.sphere = {.radius = kRadius}, .rows = 5},
             NewtonImpactRollingFrictionLaw{.friction = mu, .rolling = 1.01 * mu * kRadius, .rows = 5});
  EventDriven simulation(model);
  run_to(simulation, 4.0);
  expect_times(times_at(simulation, EventKind::Stick, 0), {speed / (mu * kGravity)}, kIntegrated);
  EXPECT_NEAR(simulation.state().q(body)[0], 0.5 * speed * speed / (mu * kGravity), kIntegrated);
  EXPECT_NEAR((simulation.state().q(body).tail<4>() - ball(kRadius, kMass, Vector3d::Zero()).orientation).norm(), 0.0,
              kIntegrated);
}

/// Without friction against sliding nothing turns it: it slides on, and what turns it already, it loses.
TEST(RollingFrictionByEvents, ActsWithoutFrictionAgainstSliding) {
  const double speed = 1.0, turn = 4.0;
  NonSmoothDynamicalSystem model;
  RigidBody description = ball(kRadius, kMass, {0.0, 0.0, kRadius}, {speed, 0.0, 0.0}, kGravity);
  description.orientation = {1.0, 0.0, 0.0, 0.0};
  description.angular_velocity = {0.0, turn, 0.0};
  const SystemHandle body = model.add(description);
  model.link(body, SphereOnHalfSpace{.sphere = {.radius = kRadius}, .rows = 5},
             NewtonImpactRollingFrictionLaw{.rolling = kRoll, .rows = 5});
  EventDriven simulation(model);
  run_to(simulation, 1.0);
  expect_times(times_at(simulation, EventKind::Stick, 3), {0.4 * kRadius * kRadius * turn / (kRoll * kGravity)},
               kIntegrated);
  EXPECT_NEAR(simulation.state().q(body)[0], speed, kIntegrated);
}

/// Four corners hold a box whose moments they may share in many ways.
TEST(RollingFrictionByEvents, ABoxOnASlopeStands) {
  for (const Index rows : {4, 5, 6}) {
    NonSmoothDynamicalSystem model;
    const double slope = 0.2;
    const SystemHandle body =
        model.add(RigidBody{.mass = kMass,
                            .inertia = 0.01 * Eigen::Matrix3d::Identity(),
                            .position = {0.0, 0.0, 0.1},
                            .gravity = kGravity * Vector3d(std::sin(slope), 0.0, -std::cos(slope))});
    model.detect(BodyContacts({{body, {{.shape = Box{{0.2, 0.2, 0.1}}}}}}, {{.shape = HalfSpace{}}}, law_of(rows)));
    EventDriven simulation(model);
    run_to(simulation, 1.0);
    EXPECT_NEAR((simulation.state().q(body).head<3>() - Vector3d(0.0, 0.0, 0.1)).norm(), 0.0, 1e-10) << rows;
    EXPECT_NEAR(simulation.state().v(body).norm(), 0.0, 1e-10) << rows;
  }
}

/// Moments at four feet take part in what their normal forces hold. Friction is shared by the normal forces that are
/// left, so that all feet slip together, where the pull p t is mu m g: from then on m v = p (t - t_slip)^2 / 2.
TEST(RollingFrictionByEvents, ABoxOnFourFeetSlipsWhereAllItsFrictionIsUsed) {
  const double pull = 6.0, expected = kSlide * kMass * kGravity / pull, end = expected + 0.5;
  for (const Index rows : {4, 5, 6}) {
    for (const double rolling : {0.002, 0.5}) {
      for (const double lever : {0.0, 0.05}) {
        SCOPED_TRACE(testing::Message() << rows << " rows, " << rolling << ", pulled at " << lever);
        NonSmoothDynamicalSystem model;
        const GivenLoad load{.load = [&](double t, ConstVectorRef, ConstVectorRef,
                                         VectorRef f) { f << pull * t, 0.0, 0.0, 0.0, 0.0, 0.0; },
                             .point = {0.0, 0.0, lever}};
        const SystemHandle body = model.add(RigidBody{.mass = kMass,
                                                      .inertia = 0.02 * Eigen::Matrix3d::Identity(),
                                                      .position = {0.0, 0.0, 0.1},
                                                      .gravity = {0.0, 0.0, -kGravity},
                                                      .loads = {load}});
        NewtonImpactRollingFrictionLaw law = law_of(rows);
        if (rows > 4) law.rolling = rolling;
        if (rows % 2 == 0) law.spinning = rolling;
        model.detect(BodyContacts({{body, {{.shape = Box{{0.3, 0.3, 0.1}}}}}}, {{.shape = HalfSpace{}}}, law));
        EventDriven simulation(model);
        run_to(simulation, end);
        const std::vector<Event> slips = events_of(simulation, EventKind::Slip);
        EXPECT_EQ(slips.size(), 4);
        for (const Event& slip : slips) EXPECT_NEAR(slip.t, expected, kIntegrated);
        EXPECT_NEAR(simulation.state().v(body)[0], pull / (2.0 * kMass) * 0.25, kIntegrated);
        EXPECT_NEAR(simulation.state().v(body).tail<5>().norm(), 0.0, kIntegrated);
      }
    }
  }
}

}  // namespace
}  // namespace nonsmooth::rolling_friction_test
