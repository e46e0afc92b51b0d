// SPDX-License-Identifier: Apache-2.0
// Shapes of bodies that touch: rows of H, pairs against brute force, and motions with closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <support/free_rigid_body.hpp>

#include "kernel/bad_input.hpp"

namespace nonsmooth::body_contacts_test {
namespace {

using bad_input::expect_refused;
using Eigen::Vector3d;
using Eigen::Vector4d;
using support::FreeRigidBody;
using Vector6 = FreeRigidBody::Vector6;
using Vector7 = FreeRigidBody::Vector7;

constexpr double g = 9.81, kStep = 1e-3, kMass = 2.0, kSide = 0.2;
/// Velocities of some 1 m/s, solved to 1e-12 in each of up to 1500 steps.
constexpr double kAgree = 1e-8;

Vector7 at(const Vector3d& position, const Vector4d& orientation = {1.0, 0.0, 0.0, 0.0}) {
  return (Vector7() << position, orientation.normalized()).finished();
}
Vector6 moving(const Vector3d& v, const Vector3d& omega = Vector3d::Zero()) {
  return (Vector6() << v, omega).finished();
}

/// Bodies of a model, on z <= 0.
struct Scene {
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> bodies;
  std::vector<ShapeOnBody> ground{{.shape = HalfSpace{}}};

  SystemHandle add(const Shape& shape, double inertia, const Vector7& q, const Vector6& v, double gravity = g) {
    bodies.push_back(
        {model.add(std::make_shared<const FreeRigidBody>(kMass, Vector3d::Constant(inertia), q, v, gravity)),
         {{.shape = shape}}});
    return bodies.back().body;
  }
  SystemHandle add_cube(const Vector3d& position, const Vector6& v) {
    return add(Box{Vector3d::Constant(0.5 * kSide)}, kMass * kSide * kSide / 6.0, at(position), v);
  }
  [[nodiscard]] std::shared_ptr<const BodyContacts> source(double mu) const {
    const Law law = mu > 0.0 ? Law(NewtonImpactFrictionLaw{.friction = mu, .dimension = 3}) : NewtonImpactLaw{};
    return std::make_shared<const BodyContacts>(bodies, ground, law);
  }
  TimeStepping simulation(double mu, MoreauJean scheme = {}) {
    model.detect(source(mu));
    return TimeStepping(model, {.integrator = scheme, .step = kStep, .solver = mixed::Automatic{.tolerance = 1e-12}});
  }
};

TEST(BodyContacts, LooksAsFarAsTwoBodiesApproachEachOther) {
  // Balls of 0.1 m with a gap of 0.05 m, far above the floor, over 10 ms: both fly 1 m, and what tells is how they near
  // each other.
  const auto found = [](double approach) {
    Scene scene;
    const double inertia = 0.4 * kMass * 0.01;
    scene.add(Sphere{0.1}, inertia, at({0.0, 0.0, 50.0}), moving({100.0 + approach, 30.0, 0.0}));
    scene.add(Sphere{0.1}, inertia, at({0.25, 0.0, 50.0}), moving({100.0, 30.0, 0.0}));
    return contacts_at(scene.model.initial_state(), *scene.source(0.0), 0.01).num_contacts();
  };
  EXPECT_EQ(found(0.0), 0);
  EXPECT_EQ(found(4.9), 0);
  EXPECT_EQ(found(5.0 + 1e-9), 1);
  EXPECT_EQ(found(50.0), 1);
}

TEST(BodyContacts, ABoxAtRestStaysWhereItIs) {
  for (const double mu : {0.0, 0.5}) {
    Scene scene;
    const auto cube = scene.add_cube({0.3, -0.4, 0.5 * kSide}, moving(Vector3d::Zero()));
    TimeStepping simulation = scene.simulation(mu);
    const Eigen::VectorXd before = simulation.state().q(cube);
    for (int k = 0; k < 200; ++k) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << report.message();
      ASSERT_EQ(simulation.state().contacts.size(), 4u) << k;
      double sum = 0.0;
      for (const ContactMemory& contact : simulation.state().contacts) sum += contact.impulse[0];
      ASSERT_NEAR(sum, kMass * g * kStep, 1e-10);
      ASSERT_EQ(simulation.state().contacts[0].rows, mu > 0.0 ? 3u : 1u);
    }
    // Residual velocities of 1e-12 m/s for 0.2 s.
    EXPECT_LE((simulation.state().q(cube) - before).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(BodyContacts, ABallRollsAtFiveSevenths) {
  // v0 - mu g t until 2 v0 / (7 mu g), 5/7 v0 after; Omega follows in the body's axes, which turn.
  const double mu = 0.3, speed = 0.5, radius = 0.1, rolls = 2.0 * speed / (7.0 * mu * g);
  Scene scene;
  const auto ball = scene.add(Sphere{radius}, 0.4 * kMass * radius * radius, at({0.0, 0.0, radius}),
                              moving({0.6 * speed, 0.8 * speed, 0.0}));
  TimeStepping simulation = scene.simulation(mu);
  for (int k = 1; k <= 150; ++k) {
    ASSERT_TRUE(simulation.step());
    const auto v = simulation.state().v(ball);
    const double t = kStep * k, expected = t < rolls ? speed - mu * g * t : 5.0 / 7.0 * speed;
    ASSERT_NEAR(v[0], 0.6 * expected, kAgree) << k;
    ASSERT_NEAR(v[1], 0.8 * expected, kAgree) << k;
    ASSERT_NEAR(v[2], 0.0, kAgree) << k;
    if (t >= rolls) {
      ASSERT_NEAR(v.tail<3>().norm(), expected / radius, kAgree / radius) << k;
    }
  }
}

TEST(BodyContacts, AThrownCubeStopsWhereItShould) {
  // v^2 / (2 mu g), but for the last step, which ends its motion: mu g h^2. It rests on four corners all the way.
  const double mu = 0.5, speed = 6.0;
  Scene scene;
  const auto cube = scene.add_cube({0.0, 0.0, 0.5 * kSide}, moving({speed, 0.0, 0.0}));
  TimeStepping simulation = scene.simulation(mu);
  std::set<std::uint64_t> features;
  for (int k = 0; k < 1300; ++k) {
    ASSERT_TRUE(simulation.step());
    const auto q = simulation.state().q(cube);
    ASSERT_NEAR(q[2], 0.5 * kSide, 1e-10) << k;
    ASSERT_EQ(simulation.state().contacts.size(), 4u) << k;
    for (const ContactMemory& contact : simulation.state().contacts) features.insert(contact.feature);
  }
  EXPECT_EQ(features.size(), 4u);
  const auto q = simulation.state().q(cube);
  EXPECT_NEAR(q[0], speed * speed / (2.0 * mu * g), mu * g * kStep * kStep);
  EXPECT_NEAR(q[1], 0.0, kAgree);
  EXPECT_NEAR(simulation.state().v(cube).norm(), 0.0, kAgree);
}

TEST(BodyContacts, AStackStands) {
  Scene scene;
  for (int k = 0; k < 5; ++k) {
    // Each a little beside the one below: corners of both are in the patch.
    scene.add_cube({0.01 * (k % 3), 0.005 * (k % 2), (k + 0.5) * kSide}, moving(Vector3d::Zero()));
  }
  TimeStepping simulation = scene.simulation(0.5);
  const Eigen::VectorXd before = simulation.state().positions;
  for (int k = 0; k < 100; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    ASSERT_EQ(simulation.state().contacts.size(), 20u) << k;
  }
  // Residual velocities of 1e-11 m/s (weights of five on compliances of one) for 0.1 s.
  EXPECT_LE((simulation.state().positions - before).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(BodyContacts, ABallAtAnySpeedIsStoppedByAPlate) {
  // 1 m a step through a plate of 2 mm, from every place before it.
  for (const double from : {0.15, 0.4, 0.77, 1.05}) {
    Scene scene;
    scene.ground = {{.shape = Box{Vector3d(1.0, 1.0, 1e-3)}}};
    const auto ball = scene.add(Sphere{0.01}, 1e-4, at({0.0, 0.0, from}), moving({0.0, 0.0, -1000.0}), 0.0);
    TimeStepping simulation = scene.simulation(0.2, MoreauJean{.theta = 1.0, .forecast = 1.0});
    for (int k = 0; k < 10; ++k) ASSERT_TRUE(simulation.step());
    EXPECT_GE(simulation.state().q(ball)[2], 0.011 - 1e-9) << from;
  }
}

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed) {}
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  Vector3d vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }
  Vector4d orientation() {
    return Vector4d(number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0), number(0.1, 1.0)).normalized();
  }
  Shape shape() {
    switch (static_cast<int>(number(0.0, 3.0))) {
      case 0:
        return Sphere{number(0.2, 0.4)};
      case 1:
        return Capsule{number(0.1, 0.3), number(0.2, 0.5)};
      default:
        return Box{Vector3d(number(0.2, 0.5), number(0.2, 0.5), number(0.2, 0.5))};
    }
  }

 private:
  std::mt19937_64 random_;
};

TEST(BodyContacts, NormalRowsAreDerivativesOfGaps) {
  // Central differences: the third derivative of a gap along a motion of 2 m/s over distances d >= 1e-2 is below 8 /
  // d^2 = 1e5, so that the error is below s^2 1e5 / 6 = 2e-8; rounding adds some 10 eps / s = 2e-9.
  constexpr double s = 1e-6, tolerance = 1e-7;
  Draws draws(5);
  int compared = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Scene scene;
    for (int b = 0; b < 2; ++b) {
      const Vector3d position = b == 0 ? draws.vector(0.1) : Vector3d(0.9 * draws.vector(1.0));
      scene.add(draws.shape(), 1.0, at(position, draws.orientation()), moving(draws.vector(1.0), draws.vector(1.0)),
                0.0);
      scene.bodies.back().shapes[0].position = draws.vector(0.2);
      scene.bodies.back().shapes[0].orientation = draws.orientation();
    }
    scene.ground = {{.shape = HalfSpace{.normal = {0.1, 0.2, 1.0}, .offset = -0.3}}};
    const auto source = scene.source(0.5);
    const auto batches_after = [&](double time) {
      State state = scene.model.initial_state();
      for (const BodyShapes& body : scene.bodies) FreeRigidBody::move(state.q(body.body), time * state.v(body.body));
      return contacts_at(state, *source, 0.05);
    };
    const ContactBatches now = batches_after(0.0), before = batches_after(-s), after = batches_after(s);
    const State state = scene.model.initial_state();
    for (const ContactBatch& batch : now) {
      for (Index i = 0; i < batch.size(); ++i) {
        const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
        const auto find = [&](const ContactBatches& batches) -> const DetectedContact* {
          for (const ContactBatch& other : batches) {
            for (const DetectedContact& candidate : other.contacts)
              if (candidate.feature == contact.feature) return &candidate;
          }
          return nullptr;
        };
        const DetectedContact *earlier = find(before), *later = find(after);
        if (!earlier || !later || std::abs(contact.gap) < 1e-2) continue;
        // Of a pair of shapes the closest features: the others of a patch look along their normal as it is.
        const bool nearest =
            std::none_of(batch.contacts.begin(), batch.contacts.end(), [&](const DetectedContact& other) {
              return other.feature >> 22 == contact.feature >> 22 && other.gap < contact.gap - 1e-9;
            });
        if (!nearest && contact.second >= 0) continue;
        const auto velocity = [&](Index body) {
          return Vector6(state.v(scene.bodies[static_cast<std::size_t>(body)].body));
        };
        double u = Eigen::Map<const Vector6>(batch.H_first(i)).dot(velocity(contact.first));
        if (contact.second >= 0) u += Eigen::Map<const Vector6>(batch.H_second(i)).dot(velocity(contact.second));
        const double rate = (later->gap - earlier->gap) / (2.0 * s);
        EXPECT_NEAR(u, rate, tolerance) << trial;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 300);
}

TEST(BodyContacts, PairsAreThoseOfBruteForce) {
  Draws draws(9);
  for (int trial = 0; trial < 10; ++trial) {
    Scene scene;
    const int count = 150;
    std::vector<double> radii;
    std::vector<Vector7> positions;
    for (int b = 0; b < count; ++b) {
      radii.push_back(std::pow(10.0, draws.number(trial % 2 == 0 ? -0.1 : -2.0, 0.0)));
      positions.push_back(at(draws.vector(trial < 5 ? 3.0 : 12.0)));
      scene.add(Sphere{radii.back()}, 1.0, positions.back(), moving(draws.vector(1.0)));
    }
    scene.ground.clear();
    const ContactBatches found = contacts_at(scene.model.initial_state(), *scene.source(0.1), 0.1);
    std::set<std::pair<Index, Index>> pairs;
    for (const ContactBatch& batch : found) {
      for (std::size_t c = 0; c < batch.contacts.size(); ++c) {
        pairs.emplace(batch.contacts[c].first, batch.contacts[c].second);
        if (c > 0) {
          ASSERT_LT(batch.contacts[c - 1].feature, batch.contacts[c].feature);
        }
      }
    }
    for (Index i = 0; i < count; ++i) {
      for (Index j = i + 1; j < count; ++j) {
        const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
        const double gap = (positions[a] - positions[b]).head<3>().norm() - radii[a] - radii[b];
        if (gap < 0.0) {
          ASSERT_TRUE(pairs.contains({i, j})) << trial;
        }
        if (gap > 0.4) {  // two speeds of at most sqrt(3) m/s for 0.1 s
          ASSERT_FALSE(pairs.contains({i, j})) << trial;
        }
      }
    }
  }
}

TEST(BodyContacts, GroupsAndExcludedPairsDoNotTouch) {
  Scene scene;
  for (int b = 0; b < 3; ++b) scene.add(Sphere{0.5}, 1.0, at({0.5 * b, 0.0, 0.3}), moving(Vector3d::Zero()));
  const State state = scene.model.initial_state();
  const auto overlaps = [&](const BodyContacts& source) { return interpenetrations(state, source); };
  const NewtonImpactFrictionLaw law{.friction = 0.1, .dimension = 3};
  BodyContacts all(scene.bodies, scene.ground, law);
  const auto told = overlaps(all);
  ASSERT_EQ(told.size(), 5u);  // two neighbours, three with the ground; centres of the outer ones are 1 m apart
  EXPECT_EQ(told[0].first.body, 0);
  EXPECT_EQ(told[0].second.body, 1);
  EXPECT_NEAR(told[0].depth, 0.5, 1e-14);
  EXPECT_EQ(told[1].second.body, -1);
  EXPECT_NEAR(told[1].depth, 0.2, 1e-14);
  EXPECT_EQ(overlaps(all.exclude(scene.bodies[1].body, scene.bodies[0].body)).size(), 4u);
  expect_refused([&] { all.exclude(scene.bodies[1].body, scene.bodies[1].body); },
                 {"BodyContacts::exclude", "a body and itself", "two bodies"});
  scene.bodies[1].shapes[0].groups = 2;
  scene.ground[0].mask = 1;
  EXPECT_EQ(overlaps(BodyContacts(scene.bodies, scene.ground, law)).size(), 4u);
  scene.bodies[2].shapes[0].mask = 1;
  EXPECT_EQ(overlaps(BodyContacts(scene.bodies, scene.ground, law)).size(), 3u);
}

TEST(BodyContacts, RefusesWhatIsNoShape) {
  Scene scene;
  const auto body = scene.add(Sphere{0.5}, 1.0, at(Vector3d::Zero()), moving(Vector3d::Zero()));
  const NewtonImpactFrictionLaw law{.friction = 0.1, .dimension = 3};
  const auto on_body = [&](const ShapeOnBody& shape, const std::vector<std::string>& parts) {
    expect_refused([&] { BodyContacts({{body, {shape}}}, {}, law); }, parts);
  };
  const auto on_ground = [&](const ShapeOnBody& shape, const std::vector<std::string>& parts) {
    expect_refused([&] { BodyContacts({}, {shape}, law); }, parts);
  };
  const double nan = std::nan("");
  const std::string positive = "expected a positive finite number", finite = "expected finite entries";
  on_body({.shape = Sphere{0.0}}, {"Sphere::radius", "found 0", positive});
  on_body({.shape = Box{Vector3d(1.0, 0.0, 1.0)}}, {"Box::half_extents", "found 0", positive});
  on_body({.shape = Capsule{1.0, -1.0}}, {"Capsule::half_length", "found -1", positive});
  on_body({.shape = HalfSpace{}}, {"BodyShapes::shapes", "found a half-space", "expected shapes that bodies can have"});
  on_body({.shape = Sphere{1.0}, .position = {0.0, 0.0, nan}},
          {"ShapeOnBody::position", "found nan in entry 2", finite});
  on_body({.shape = Sphere{1.0}, .orientation = Vector4d(1.0, 1.0, 0.0, 0.0)},
          {"ShapeOnBody::orientation", "found a quaternion of norm 1.414", "expected a unit quaternion"});
  on_body({.shape = Sphere{1.0}, .material = 1}, {"material of shape 0 of body 0", "found 1", "expected 0 to 0"});
  on_body({.shape = Sphere{1.0}, .grain = Vector3d(0.0, nan, 0.0)},
          {"ShapeOnBody::grain", "found nan in entry 1", finite});
  on_ground({.shape = HalfSpace{.normal = Vector3d::Zero()}}, {"HalfSpace::normal: length", "found 0", positive});
  on_ground({.shape = HalfSpace{.normal = {0.0, 0.0, nan}}}, {"HalfSpace::normal", "found nan in entry 2", finite});
  on_ground({.shape = HalfSpace{.offset = nan}}, {"HalfSpace::offset", "found nan", "expected a finite number"});
  expect_refused([&] { BodyContacts({}, {}, NewtonImpactFrictionLaw{.friction = 0.1}); },
                 {"BodyContacts: law", "found", "expected"});
  expect_refused([&] { BodyContacts({}, {}, NewtonImpactRollingFrictionLaw{.friction = 0.1, .rows = 3}); },
                 {"BodyContacts: law", "found", "expected"});
  expect_refused([&] { BodyContacts({}, {}, {law}, ContactMaterials(2, 1)); },
                 {"BodyContacts: laws", "found", "expected"});
  State state = scene.model.initial_state();
  for (const double w : {1.1, nan}) {
    state.q(body)[3] = w;
    expect_refused([&] { (void)contacts_at(state, *scene.source(0.1)); },
                   {"found a quaternion of norm", w > 1.0 ? "1.1" : "nan", "expected a unit quaternion"});
  }
}

}  // namespace
}  // namespace nonsmooth::body_contacts_test
