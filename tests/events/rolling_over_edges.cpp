// SPDX-License-Identifier: Apache-2.0
// Cylinders and capsules that roll over the edge of a box with friction, straight and at an angle, by all contacts that
// two shapes have, against closed forms.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <problems/reference.hpp>

#include "contact/shape_pairs/frustum_on_hull.hpp"
#include "event_log.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::rolling_over_edges_test {
namespace {

using namespace event_log;
using Eigen::Vector3d;
using shape_bodies::turned_by;

constexpr double kRadius = 0.1, kHalf = 0.2, kMass = 0.8, kSpeed = 0.5, kAside = 0.1;
/// A step's error is below 1e-10 of its coordinates, of order one here; some hundreds of steps.
constexpr double kIntegrated = 1e-8;
/// Its top is z = 0, with an edge at x = 1.
const ShapeOnBody kTable{.shape = Box{{1.0, 0.8, 0.1}}, .position = {0.0, 0.0, -0.1}};

/// On the edge the centre is at the angle phi to the vertical. While it sticks, with I = j m R^2, c = 1 / (1 + j) and
/// G = g / R, it turns about the edge:
///
///     phi'^2 = w0^2 + 2 c G (1 - cos(phi)),   N = m (g cos(phi) - R phi'^2),   T = (1 - c) m g sin(phi),
///
/// until T = mu N, which is before N = 0. While it slips, E = phi'^2 has E' = 2 G (sin(phi) - mu cos(phi)) + 2 mu E,
/// and its spin grows at mu N R / I, until N = 0: E = G cos(phi). From there on it falls freely.
struct EdgePivot {
  double mu, j = 0.5, w0 = kSpeed / kRadius, G = kGravity / kRadius, c = 1.0 / (1.0 + j);
  double slips = 0.0, lifts = 0.0;  ///< phi

  explicit EdgePivot(double friction) : mu(friction) {
    slips = problems::root_between(
        [&](double phi) { return mu * (G * std::cos(phi) - stuck(phi)) - (1.0 - c) * G * std::sin(phi); }, 0.0, 1.2);
    lifts = problems::root_between([&](double phi) { return G * std::cos(phi) - slid(phi); }, slips, 1.5);
  }
  [[nodiscard]] double stuck(double phi) const {
    const double sine = std::sin(0.5 * phi);
    return w0 * w0 + 4.0 * c * G * sine * sine;
  }
  /// E of a homogeneous solution that fits at the slip, and a particular one.
  [[nodiscard]] double slid(double phi) const {
    const double a = -6.0 * mu * G / (1.0 + 4.0 * mu * mu), b = -2.0 * G - 2.0 * mu * a;
    const auto particular = [&](double at) { return a * std::sin(at) + b * std::cos(at); };
    return (stuck(slips) - particular(slips)) * std::exp(2.0 * mu * (phi - slips)) + particular(phi);
  }
  /// Since it came to the edge.
  [[nodiscard]] double time_of_stuck(double phi) const {
    return problems::integral_between([&](double at) { return 1.0 / std::sqrt(stuck(at)); }, 0.0, phi);
  }
  [[nodiscard]] double time_of_slip() const {
    return problems::integral_between([&](double at) { return 1.0 / std::sqrt(slid(at)); }, slips, lifts);
  }
  [[nodiscard]] double last_spin() const {
    return std::sqrt(stuck(slips)) +
           problems::integral_between(
               [&](double at) { return mu / j * (G * std::cos(at) - slid(at)) / std::sqrt(slid(at)); }, slips, lifts);
  }
};

/// About y, at x, turned by `yaw` about the vertical, that rolls.
struct RollingBody {
  RigidBody body{};
  NonSmoothDynamicalSystem model{};
  SystemHandle handle;

  RollingBody(const Shape& shape, double x, double yaw, double mu) {
    const double across = kMass * (0.25 * kRadius * kRadius + kHalf * kHalf / 3.0);
    const Vector3d ahead(std::cos(yaw), std::sin(yaw), 0.0);
    body = {.mass = kMass,
            .inertia = Vector3d(across, across, 0.5 * kMass * kRadius * kRadius).asDiagonal().toDenseMatrix(),
            .position = {x, kAside, kRadius},
            .velocity = kSpeed * ahead,
            .angular_velocity = {0.0, 0.0, -kSpeed / kRadius},  // z of the body is -y for yaw = 0
            .gravity = {0.0, 0.0, -kGravity}};
    const double c = std::sqrt(0.5) * std::cos(0.5 * yaw), s = std::sqrt(0.5) * std::sin(0.5 * yaw);
    body.orientation = {c, c, s, s};  // about the vertical after a quarter about x
    handle = model.add(body);
    link_contacts(model, BodyContacts({{handle, {{.shape = shape}}}}, {kTable},
                                      NewtonImpactFrictionLaw{.friction = mu, .dimension = 3}));
  }
  [[nodiscard]] double energy(const State& state) const {
    const auto v = state.v(handle);
    const Vector3d spin = v.tail<3>();
    return 0.5 * (kMass * v.head<3>().squaredNorm() + spin.dot(body.inertia * spin)) +
           kMass * kGravity * state.q(handle)[2];
  }
};

void expect_at(const State& state, SystemHandle handle, const Vector3d& place) {
  EXPECT_LE((state.q(handle).head<3>() - place).norm(), kIntegrated) << "at " << state.q(handle).head<3>().transpose();
}

/// To where it sticks, slips, and flies.
void expect_pivot(const Shape& shape, double start) {
  const double mu = 0.5, at_edge = (1.0 - start) / kSpeed;
  const EdgePivot pivot(mu);
  const auto on_edge = [](double phi) {
    return Vector3d(1.0 + kRadius * std::sin(phi), kAside, kRadius * std::cos(phi));
  };
  RollingBody rolling(shape, start, 0.0, mu);
  EventDriven simulation(rolling.model);
  const double before = rolling.energy(simulation.state());
  run_to(simulation, at_edge);
  expect_at(simulation.state(), rolling.handle, on_edge(0.0));
  const double phi = 0.4;
  run_to(simulation, at_edge + pivot.time_of_stuck(phi));
  expect_at(simulation.state(), rolling.handle, on_edge(phi));
  EXPECT_NEAR(simulation.state().v(rolling.handle)[5], -std::sqrt(pivot.stuck(phi)), 10.0 * kIntegrated);  // 10 rad/s
  EXPECT_NEAR(rolling.energy(simulation.state()), before, 1e-9 * before);
  EXPECT_TRUE(events_of(simulation, EventKind::Slip).empty());

  const double slip = at_edge + pivot.time_of_stuck(pivot.slips), lift = slip + pivot.time_of_slip(), t = 0.03;
  run_to(simulation, lift + t);
  // Margins and pushes go through zero with slopes of m g and some 1 / s, and are known to 1e-7 of m g.
  const auto slipping = times_of(simulation, EventKind::Slip), opening = times_of(simulation, EventKind::Opening);
  ASSERT_FALSE(slipping.empty());
  ASSERT_FALSE(opening.empty());
  EXPECT_NEAR(slipping.front(), slip, 1e-7);
  EXPECT_NEAR(opening.front(), lift, 1e-7);
  const double v = kRadius * std::sqrt(pivot.slid(pivot.lifts)), sine = std::sin(pivot.lifts),
               cosine = std::cos(pivot.lifts);
  expect_at(simulation.state(), rolling.handle,
            on_edge(pivot.lifts) + t * v * Vector3d(cosine, 0.0, -sine) - 0.5 * kGravity * t * t * Vector3d::UnitZ());
  EXPECT_NEAR(simulation.state().v(rolling.handle)[5], -pivot.last_spin(), 10.0 * kIntegrated);
  EXPECT_TRUE(events_of(simulation, EventKind::Impact).empty());
}

TEST(RollingOverEdges, ACylinderPivotsSlipsAndFlies) { expect_pivot(Cylinder{kRadius, kHalf}, 0.9995); }

TEST(RollingOverEdges, ACapsulePivotsSlipsAndFlies) {
  for (const double start : {0.9995, 0.9}) expect_pivot(Capsule{kRadius, kHalf}, start);
}

TEST(RollingOverEdges, ACylinderAtAnAngleKeepsItsEnergyUntilItSlips) {
  // The end in front comes over the edge first, which bears it there: the other end is left where the middle passes.
  // Gaps have a double zero at the edge, seen when it is 1e-15: to the root of it over the speed, and an impact as
  // small may be recorded.
  const double yaw = 0.1, start = 0.97, along = kSpeed * std::cos(yaw);
  RollingBody rolling(Cylinder{kRadius, kHalf}, start, yaw, 0.5);
  EventDriven simulation(rolling.model);
  const double before = rolling.energy(simulation.state());
  for (const double T : {0.05, 0.08, 0.11, 0.14}) {
    run_to(simulation, T);
    EXPECT_NEAR(rolling.energy(simulation.state()), before, 1e-9 * before) << T;
  }
  const auto opening = times_of(simulation, EventKind::Opening);
  ASSERT_EQ(opening.size(), 2u);
  EXPECT_NEAR(opening[0], (1.0 - start - kHalf * std::sin(yaw)) / along, 1e-6);
  EXPECT_NEAR(opening[1], (1.0 - start) / along, 1e-6);
  for (const Event& impact : events_of(simulation, EventKind::Impact)) EXPECT_LE(impact.value, 1e-6 * kMass * kSpeed);
  EXPECT_TRUE(events_of(simulation, EventKind::Slip).empty());
  EXPECT_LT(simulation.state().q(rolling.handle)[2], 0.95 * kRadius) << "it is on its way down";
}

/// Rows of a cylinder on the table, by the rim of its lower end or across the edge x = 1.
class Rows {
 public:
  explicit Rows(bool across) : relation_(geometry(across), Index{1}) {}

  /// At x and z, turned by `yaw`.
  [[nodiscard]] double gap(double x, double z, double yaw = 0.0) const {
    Eigen::VectorXd y(1);
    relation_.h(0.0, placed(x, z, yaw), y);
    return y[0];
  }
  [[nodiscard]] Vector3d normal(double x, double z) const {
    Eigen::MatrixXd H(1, 6);
    relation_.H(0.0, placed(x, z, 0.0), H);
    return H.row(0).head<3>().transpose();
  }

 private:
  [[nodiscard]] static Eigen::VectorXd placed(double x, double z, double yaw) {
    const double c = std::sqrt(0.5) * std::cos(0.5 * yaw), s = std::sqrt(0.5) * std::sin(0.5 * yaw);
    return (Eigen::VectorXd(7) << x, kAside, z, c, c, s, s).finished();
  }
  [[nodiscard]] static shape_pairs::FrustumOnHull geometry(bool across) {
    const shape_pairs::FrustumOnBody solid{narrow_phase::frustum_of(Cylinder{kRadius, kHalf})};
    shape_pairs::HullOnBody table{narrow_phase::box_hull(std::get<Box>(kTable.shape).half_extents), kTable.position};
    if (!across) return {shape_pairs::cap_of(solid, 0), table};
    for (const Hull::Edge& edge : table.hull->edges) {
      const Vector3d sum = table.hull->vertices[static_cast<std::size_t>(edge.from)] +
                           table.hull->vertices[static_cast<std::size_t>(edge.to)];
      if (sum[0] > 0.0 && sum[2] > 0.0) table.edge = &edge - table.hull->edges.data();
    }
    return {solid, table};
  }

  shape_pairs::ContactRelation<shape_pairs::FrustumOnHull, joints::SpaceBodies> relation_;
};

TEST(RollingOverEdges, ARimHasOneGapFromFaceToEdge) {
  // Over the face z - R, over the edge its distance from it less R, also where both are equal to what is told apart of
  // them: to round-off of sizes and places of order one.
  const Rows rim(false);
  for (int k = -200; k <= 200; ++k) {
    for (const double deep : {0.0, 3e-13, -3e-13}) {
      const double x = 1.0 + 2.5e-8 * k, z = kRadius - deep, beyond = std::max(x - 1.0, 0.0);
      const double distance = std::hypot(beyond, z);
      EXPECT_NEAR(rim.gap(x, z), distance - kRadius, 1e-14) << k;
      EXPECT_LE((rim.normal(x, z) - Vector3d(beyond, 0.0, z) / distance).norm(), 1e-12) << k;
    }
  }
}

TEST(RollingOverEdges, ASideHasOneGapFromItsEndToItsMiddle) {
  // Where the lower end, the front one, is d past the edge, its side is z - R over it; where it is d before, the circle
  // is d / cos(yaw) from its lowest point over the edge, no higher there than d^2 / (2 R cos(yaw)^2) and a part in
  // 1e-9.
  const Rows side(true);
  const double yaw = -0.1, c = std::cos(yaw), front = kHalf * std::sin(-yaw);
  for (int k = -200; k <= 200; ++k) {
    for (const double deep : {0.0, 3e-13, -3e-13}) {
      const double d = 2.5e-8 * k, z = kRadius - deep, gap = side.gap(1.0 - front + d, z, yaw) + deep;
      EXPECT_GE(gap, -1e-14) << k;
      EXPECT_LE(gap, 1e-14 + (d < 0.0 ? 1.001 * d * d / (2.0 * kRadius * c * c) : 0.0)) << k;
    }
  }
}

}  // namespace
}  // namespace nonsmooth::rolling_over_edges_test
