// SPDX-License-Identifier: Apache-2.0
// Polygons and segments of the plane on one another and on height lines by events: blocks dropped flat and tilted, over
// edges and along pieces, capsules, against closed forms and against the same on a half-plane.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../kernel/bad_input.hpp"
#include "event_log.hpp"

namespace nonsmooth::polygon_pairs_test {
namespace {

using namespace event_log;
using Eigen::Vector2d;
using Eigen::Vector3d;

/// A step's error is below 1e-10 of its coordinates, of order one here; some tens of steps with factors of a few.
constexpr double kIntegrated = 1e-8;
constexpr double kMass = 0.8, kWide = 0.4, kHigh = 0.2, kInertia = kMass * (kWide * kWide + kHigh * kHigh) / 12.0;

/// As wide and as high as told with its rounding, about `middle`.
ConvexPolygon block(double wide, double high, double rounding = 0.0, const Vector2d& middle = Vector2d::Zero()) {
  const double a = 0.5 * wide - rounding, b = 0.5 * high - rounding;
  return {{middle + Vector2d(-a, -b), middle + Vector2d(a, -b), middle + Vector2d(a, b), middle + Vector2d(-a, b)},
          rounding};
}
/// Its upper side is at zero, from x = -1 to 1.
ConvexPolygon table(double rounding = 0.0) { return block(2.0, 0.5, rounding, {0.0, -0.25}); }

PlanarBody falling(const Vector2d& position, double angle = 0.0, const Vector2d& velocity = Vector2d::Zero()) {
  return {.mass = kMass,
          .inertia = kInertia,
          .position = position,
          .angle = angle,
          .velocity = velocity,
          .gravity = {0.0, -kGravity}};
}
/// One body on the ground.
struct OnGround {
  NonSmoothDynamicalSystem model{};
  SystemHandle body;
  std::vector<LinkedContact> contacts;

  OnGround(const PlanarBody& own, const PlanarShape& shape, const PlanarShape& ground, const Law& law)
      : body(model.add(own)),
        contacts(link_contacts(model, PlanarContacts({{body, {{.shape = shape}}}}, {{.shape = ground}}, law))) {}
};

/// The sum of the normal forces.
double load(const EventDriven& simulation, const std::vector<LinkedContact>& contacts) {
  double sum = 0.0;
  for (const LinkedContact& contact : contacts) sum += simulation.state().force(contact.interaction)[0];
  return sum;
}

/// Of two ways of straight pieces that do not cross: from the points of each to the pieces of the other.
double distance(const std::vector<Vector2d>& one, const std::vector<Vector2d>& other) {
  double least = 1e9;
  for (const auto& [points, pieces] : {std::pair(&one, &other), std::pair(&other, &one)}) {
    for (const Vector2d& x : *points) {
      for (std::size_t k = 0; k + 1 < pieces->size(); ++k) {
        const Vector2d &a = (*pieces)[k], along = (*pieces)[k + 1] - a;
        const double s = std::clamp(along.dot(x - a) / along.squaredNorm(), 0.0, 1.0);
        least = std::min(least, (x - a - s * along).norm());
      }
    }
  }
  return least;
}
/// The corners of a shape at (x, y, angle), and the first again.
std::vector<Vector2d> way_around(const std::vector<Vector2d>& corners, ConstVectorRef q) {
  std::vector<Vector2d> way;
  const Vector2d x(std::cos(q[2]), std::sin(q[2])), y(-x[1], x[0]);
  for (std::size_t k = 0; k <= corners.size(); ++k) {
    const Vector2d& corner = corners[k % corners.size()];
    way.emplace_back(q.head<2>() + corner[0] * x + corner[1] * y);
  }
  return way;
}

TEST(PolygonsByEvents, TheLeastGapIsTheDistanceAndHItsGradient) {
  // Anywhere apart; sizes of 1 m. H by central differences over 1e-6: 1e-12 / r of its truncation, 1e-10 of rounding.
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  const HeightLine ground{
      {{-9.0, -1.5}, {-1.0, -1.0}, {-0.5, -1.6}, {0.2, -1.6}, {0.9, -1.6}, {1.4, -0.9}, {9.0, -1.2}}};
  const std::vector<Vector2d> corners[3]{
      {{-0.4, -0.3}, {0.5, -0.2}, {0.1, 0.4}}, block(0.7, 0.4).vertices, {{-0.4, 0.1}, {0.5, 0.0}}};
  const double r[3]{0.02, 0.05, 0.1};
  const std::vector<PlanarShape> shapes{ConvexPolygon{corners[0], r[0]}, ConvexPolygon{corners[1], r[1]},
                                        PlanarSegment{corners[2][0], corners[2][1], r[2]}};
  int compared = 0;
  for (std::size_t trial = 0; trial < 45; ++trial) {
    const std::size_t kinds[2]{trial % 3, trial / 3 % 3};
    NonSmoothDynamicalSystem model;
    std::vector<PlanarBodyShapes> bodies;
    for (std::size_t i = 0; i < 2; ++i) {
      const Vector2d place(i == 0 ? -0.6 : 0.6, 0.4 * number(random));
      const auto body = model.add(PlanarBody{.position = place, .angle = 3.0 * number(random)});
      bodies.push_back({body, {{.shape = shapes[kinds[i]]}}});
    }
    const auto linked = link_contacts(model, PlanarContacts(bodies, {{.shape = ground}}, NewtonImpactLaw{}));
    const State state = model.initial_state();
    for (const auto& pair : {std::pair<Index, Index>{0, 1}, {0, -1}, {1, -1}}) {
      const Index first = pair.first, second = pair.second;
      Eigen::VectorXd q = state.positions.segment(3 * first, second < 0 ? 3 : 6);
      const auto gap = [&] {
        const std::size_t kind = kinds[first];
        const auto own = way_around(corners[kind], q.head(3));
        if (second < 0) return distance(own, ground.points) - r[kind];
        return distance(own, way_around(corners[kinds[1]], q.tail(3))) - r[kind] - r[kinds[1]];
      };
      const LinkedContact* least = nullptr;
      for (const LinkedContact& own : linked) {
        if (own.first != first || own.second != second) continue;
        if (!least || state.y(own.interaction)[0] < state.y(least->interaction)[0]) least = &own;
      }
      ASSERT_NE(least, nullptr);
      const double expected = gap();
      if (expected < 0.01) continue;
      ++compared;
      EXPECT_NEAR(state.y(least->interaction)[0], expected, 1e-14) << trial;
      Eigen::MatrixXd H = Eigen::MatrixXd::Zero(1, q.size());
      model.interactions()[least->interaction.slot].mechanical->H(0.0, q, H);
      for (Index j = 0; j < q.size(); ++j) {
        const double at = q[j], way = 1e-6;
        q[j] = at + way;
        const double above = gap();
        q[j] = at - way;
        EXPECT_NEAR(H(0, j), (above - gap()) / (2.0 * way), 1e-9) << trial;
        q[j] = at;
      }
    }
  }
  EXPECT_GT(compared, 100);
}

TEST(PolygonsByEvents, ABlockDroppedFlatOnABlockBouncesAndRests) {
  // Impacts of both vertices at once: at t1 = sqrt(2 h / g), then after 2 e^k t1; the last at t1 (1 + e) / (1 - e).
  const double h = 0.3, e = 0.5, t1 = std::sqrt(2.0 * h / kGravity), rest = t1 * (1.0 + e) / (1.0 - e);
  OnGround scene(falling({0.1, 0.5 * kHigh + h}), block(kWide, kHigh), table(), NewtonImpactLaw{e});
  EventDriven simulation(scene.model);
  EXPECT_EQ(simulation.model().num_interactions(), 8);
  run_to(simulation, rest + 0.1);
  const std::vector<double> times = times_of(simulation, EventKind::Impact);
  ASSERT_GE(times.size(), 8u);
  double expected = t1;
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(times[2 * k], expected, kIntegrated);
    EXPECT_NEAR(times[2 * k + 1], expected, kIntegrated);
    expected += 2.0 * std::pow(e, static_cast<double>(k) + 1.0) * t1;
  }
  EXPECT_LE((simulation.state().q(scene.body) - Vector3d(0.1, 0.5 * kHigh, 0.0)).norm(), kIntegrated);
  EXPECT_LE(simulation.state().v(scene.body).norm(), kIntegrated);
  EXPECT_NEAR(load(simulation, scene.contacts), kMass * kGravity, 1e-10);
}

TEST(PolygonsByEvents, ABlockDroppedTiltedMovesAsOnAHalfPlane) {
  // The vertex that is lowest hits at (y - lowest) = g t^2 / 2; with lever x to it, p = (1 + e) g t / (1 / m + x^2 /
  // J). From there on through rocking, slips and rest as on a half-plane, whose pairs are others.
  const double angle = 0.3, h = 0.25, e = 0.3;
  const Vector2d corner(-0.5 * kWide, -0.5 * kHigh);
  const double lever = std::cos(angle) * corner.x() - std::sin(angle) * corner.y(),
               below = std::sin(angle) * corner.x() + std::cos(angle) * corner.y();
  const double t1 = std::sqrt(2.0 * h / kGravity);
  const Law law = NewtonImpactFrictionLaw{.restitution = e, .friction = 0.4, .dimension = 2};
  std::vector<Event> before;
  Eigen::VectorXd q = Eigen::VectorXd::Zero(3);
  for (const PlanarShape& ground : {PlanarShape{HalfPlane{}}, PlanarShape{table()}, PlanarShape{table(0.01)}}) {
    OnGround scene(falling({0.0, h - below}, angle), block(kWide, kHigh), ground, law);
    EventDriven simulation(scene.model);
    run_to(simulation, 0.6);
    const std::vector<Event> impacts = events_of(simulation, EventKind::Impact);
    ASSERT_FALSE(impacts.empty());
    EXPECT_NEAR(impacts[0].t, t1, kIntegrated);
    if (before.empty()) {
      before = simulation.events(), q = simulation.state().q(scene.body);
      continue;
    }
    ASSERT_EQ(simulation.events().size(), before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(simulation.events()[i].kind, before[i].kind);
      EXPECT_NEAR(simulation.events()[i].t, before[i].t, 1e2 * kIntegrated);
    }
    EXPECT_LE((simulation.state().q(scene.body) - q).norm(), 1e2 * kIntegrated);
  }
  // Without friction, the first impact alone.
  OnGround scene(falling({0.0, h - below}, angle), block(kWide, kHigh), table(), NewtonImpactLaw{e});
  EventDriven simulation(scene.model);
  run_to(simulation, t1 + 1e-3);
  const double p = (1.0 + e) * kGravity * t1 / (1.0 / kMass + lever * lever / kInertia);
  const Vector3d v(0.0, -kGravity * (t1 + 1e-3) + p / kMass, lever * p / kInertia);
  EXPECT_LE((simulation.state().v(scene.body) - v).norm(), kIntegrated);
}

TEST(PolygonsByEvents, AVertexBelowHitsASideOffItsMiddle) {
  // The ground's spike at x = 0.1 of the block's lower side.
  const double h = 0.25, e = 0.6, lever = 0.1, t1 = std::sqrt(2.0 * h / kGravity), t = t1 + 0.02;
  const ConvexPolygon spike{.vertices = {{0.0, 0.0}, {-0.3, -1.0}, {0.3, -1.0}}};
  const HeightLine ridge{{{-0.3, -1.0}, {0.0, 0.0}, {0.3, -1.0}}};
  const double p = (1.0 + e) * kGravity * t1 / (1.0 / kMass + lever * lever / kInertia);
  const Vector3d v(0.0, -kGravity * t + p / kMass, lever * p / kInertia);
  for (const PlanarShape& ground : {PlanarShape{spike}, PlanarShape{ridge}}) {
    OnGround scene(falling({-lever, 0.5 * kHigh + h}), block(kWide, kHigh), ground, NewtonImpactLaw{e});
    EventDriven simulation(scene.model);
    EXPECT_EQ(simulation.model().num_interactions(), std::holds_alternative<HeightLine>(ground) ? 5 : 7);
    run_to(simulation, t);
    expect_times(times_of(simulation, EventKind::Impact), {t1}, kIntegrated);
    EXPECT_LE((simulation.state().v(scene.body) - v).norm(), kIntegrated);
  }
}

TEST(PolygonsByEvents, AStackOfEqualBlocksStands) {
  // Three with round corners, corner over corner, dropped together on a half-plane without rebound: their loads.
  NonSmoothDynamicalSystem model;
  std::vector<PlanarBodyShapes> shapes;
  for (int i = 0; i < 3; ++i) {
    const SystemHandle body = model.add(falling({0.0, (0.5 + i) * kHigh + 0.1 * (i + 1)}));
    shapes.push_back({body, {{.shape = block(kWide, kHigh, 0.01)}}});
  }
  const Law law = NewtonImpactFrictionLaw{.friction = 0.5, .dimension = 2};
  const auto contacts = link_contacts(model, PlanarContacts(shapes, {{.shape = HalfPlane{}}}, law));
  EventDriven simulation(model);
  run_to(simulation, 1.0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_LE(
        (simulation.state().q(shapes[static_cast<std::size_t>(i)].body) - Vector3d(0.0, (0.5 + i) * kHigh, 0.0)).norm(),
        kIntegrated);
  }
  EXPECT_NEAR(load(simulation, contacts), 6.0 * kMass * kGravity, 1e-9);
}

/// Slides over an edge without friction, and tips where its centre is over it. What bears it there changes from a
/// vertex of its own to that of the edge, whose gap has a double zero: located to the root of what rounding makes of
/// it, some 1e-8 of the way, an impact as small may be recorded.
void expect_tipping_at(double edge, const PlanarShape& shape, const PlanarShape& ground) {
  const double velocity = 0.5, t = 0.35 / velocity;
  OnGround scene(falling({edge - 0.35, 0.5 * kHigh}, 0.0, {velocity, 0.0}), shape, ground, NewtonImpactLaw{0.5});
  EventDriven simulation(scene.model);
  run_to(simulation, t - 1e-4);
  EXPECT_LE((simulation.state().q(scene.body) - Vector3d(edge - 1e-4 * velocity, 0.5 * kHigh, 0.0)).norm(), 1e-9);
  EXPECT_NEAR(load(simulation, scene.contacts), kMass * kGravity, 1e-8);
  run_to(simulation, t + 1e-2);
  for (const Event& impact : events_of(simulation, EventKind::Impact)) EXPECT_LE(impact.value, 1e-6 * kMass * velocity);
  const std::vector<double> openings = times_of(simulation, EventKind::Opening);
  ASSERT_EQ(openings.size(), 2u);
  EXPECT_NEAR(openings[1], t, 1e-6);
  EXPECT_LT(simulation.state().q(scene.body)[2], 0.0);
}

TEST(PolygonsByEvents, ABlockSlidesOverAnEdgeAndTips) {
  const double r = 0.01;
  const HeightLine plateau{{{-2.0, 0.0}, {-0.5, 0.0}, {0.3, 0.0}, {1.0, 0.0}, {1.5, -2.0}}};
  expect_tipping_at(1.0, block(kWide, kHigh, r), plateau);
  expect_tipping_at(1.0 - r, block(kWide, kHigh, r), table(r));
  expect_tipping_at(1.0 - r, block(kWide, kHigh), table(r));
}

TEST(PolygonsByEvents, ABlockSlidesAlongPiecesAsOnOne) {
  // On a slope of 3 in 4 with points at every 0.05 to 0.2, against friction: x'' = g (sin - mu cos) along it.
  const double mu = 0.3, t = 0.5, rate = kGravity * (0.6 - 0.8 * mu);
  HeightLine slope;
  for (const double s : {0.0, 0.2, 0.3, 0.35, 0.5, 0.7, 0.75, 0.9, 1.1, 1.2, 1.4})
    slope.points.emplace_back(4.0 * s, -3.0 * s);
  const Vector2d along(0.8, -0.6), normal(0.6, 0.8);
  const Vector2d start = 0.1 * along + 0.5 * kHigh * normal;
  OnGround scene(falling(start, std::atan2(-0.6, 0.8)), block(kWide, kHigh), slope,
                 NewtonImpactFrictionLaw{.friction = mu, .dimension = 2});
  EventDriven simulation(scene.model);
  run_to(simulation, t);
  EXPECT_TRUE(events_of(simulation, EventKind::Impact).empty());
  EXPECT_TRUE(events_of(simulation, EventKind::Opening).empty());
  const Vector2d end = start + 0.5 * rate * t * t * along;
  EXPECT_LE((simulation.state().q(scene.body).head<2>() - end).norm(), kIntegrated);
}

TEST(PolygonsByEvents, CapsulesCollideEndOnEndAndSideOnSide) {
  // At 0.5 m/s each. Along their axes in one point, which both ends have: p = (1 + e) m / 2 in all. Side on side with d
  // between their middles: p at either end of what they share, 4 p / m + d^2 p / J = 1 + e, and both turn by -d p / J.
  const double e = 0.7, r = 0.05, m = 2.0, J = 0.1;
  const PlanarSegment rod{{-0.2, 0.0}, {0.2, 0.0}, r};
  for (const bool across : {false, true}) {
    const double d = across ? 0.05 : 0.0, gap = across ? 0.3 - 2.0 * r : 0.7 - 0.4 - 2.0 * r;
    const Vector2d way = across ? Vector2d::UnitY() : Vector2d::UnitX(), apart = across ? Vector2d(d, 0.3) : 0.7 * way;
    const double p = (1.0 + e) / (4.0 / m + d * d / J);
    NonSmoothDynamicalSystem model;
    const auto first = model.add(PlanarBody{.mass = m, .inertia = J, .velocity = 0.5 * way});
    const auto second = model.add(PlanarBody{.mass = m, .inertia = J, .position = apart, .velocity = -0.5 * way});
    model.detect(PlanarContacts({{first, {{.shape = rod}}}, {second, {{.shape = rod}}}}, {}, NewtonImpactLaw{e}));
    EventDriven simulation(model);
    EXPECT_EQ(simulation.model().num_interactions(), 4);
    run_to(simulation, gap + 0.01);
    expect_times(times_of(simulation, EventKind::Impact), {gap, gap}, kIntegrated);
    const Vector2d v = (0.5 - 2.0 * p / m) * way;
    EXPECT_LE((simulation.state().v(first) - Vector3d(v[0], v[1], -d * p / J)).norm(), kIntegrated) << across;
    EXPECT_LE((simulation.state().v(second) - Vector3d(-v[0], -v[1], -d * p / J)).norm(), kIntegrated) << across;
  }
}

TEST(PolygonsByEvents, SharpCornersOnCornersAreRefused) {
  // The block's corner passes the table's at t = 0.15 / 0.5.
  OnGround scene(falling({0.65, 0.5 * kHigh}, 0.0, {0.5, 0.0}), block(kWide, kHigh), table(), NewtonImpactLaw{0.5});
  EventDriven simulation(scene.model);
  const auto report = simulation.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  EXPECT_NE(report.message().find("corner on a corner, both sharp"), std::string::npos) << report.message();
  EXPECT_NEAR(simulation.state().t, 0.3, 1e-6);
  const PlanarSegment rod{{-0.2, 0.0}, {0.2, 0.0}};
  bad_input::expect_refused(
      [&] {
        OnGround(falling({0.0, 1.0}), rod, table(), NewtonImpactLaw{});
      },
      {"a segment of", "a polygon of the ground", "without a rounding"});
}

}  // namespace
}  // namespace nonsmooth::polygon_pairs_test
