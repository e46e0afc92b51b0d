// SPDX-License-Identifier: Apache-2.0
// Contacts of other shapes than disks have: balls in space on a plane, bodies of every kind, shapes and laws that
// differ within a source, surfaces that move; closed forms of sliding, sticking and rolling.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::contact_batches_test {
namespace {

constexpr double g = 9.81, kRadius = 0.1, kMass = 2.0, kStep = 1e-3;
/// Velocities of about 1 m/s, solved to 1e-12 in each of up to 1000 steps.
constexpr double kAgree = 1e-9;

using Vector6 = Eigen::Matrix<double, 6, 1>;

/// A plane below bodies in space (x, y, z, three angles) and in the plane (x, y, angle). A body's law and its feature
/// are those of its number.
class Plane final : public ContactSource {
 public:
  Plane(std::vector<SystemHandle> bodies, std::vector<Law> laws, double arm = kRadius, double belt = 0.0)
      : bodies_(std::move(bodies)), laws_(std::move(laws)), arm_(arm), belt_(belt) {}

  [[nodiscard]] const std::vector<SystemHandle>& bodies() const override { return bodies_; }
  [[nodiscard]] const std::vector<Law>& laws() const override { return laws_; }
  void detect(const BodyView& view, double horizon, std::vector<Index>&, ContactBatches& found) const override {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const bool spatial = view.v_begin[b + 1] - view.v_begin[b] == 6;
      const Index up = spatial ? 2 : 1;
      DetectedContact contact;
      contact.feature = b;
      contact.first = static_cast<Index>(b);
      contact.gap = view.q[view.q_begin[b] + up] - kRadius;
      contact.terms = kRadius + std::abs(view.q[view.q_begin[b] + up]);
      contact.law = laws_.size() > 1 ? static_cast<Index>(b) : 0;
      if (contact.gap + horizon * view.v[view.v_begin[b] + up] > 1e-8) continue;
      if (!spatial) {
        found.of(2, 3, 0).add(contact, std::array<double, 6>{0.0, 1.0, 0.0, 1.0, 0.0, arm_});
        continue;
      }
      const std::array<double, 18> H{0.0, 0.0, 1.0, 0.0,  0.0,   0.0,  // n
                                     1.0, 0.0, 0.0, 0.0,  -arm_, 0.0,  // x
                                     0.0, 1.0, 0.0, arm_, 0.0,   0.0};
      if (laws_[static_cast<std::size_t>(contact.law)].pointer()->name() == "NewtonImpactLaw") {
        found.of(1, 6, 0).add(contact, std::span(H).first(6));
      } else if (belt_ != 0.0) {
        found.of(3, 6, 0).add(contact, H, {}, std::array<double, 3>{0.0, -belt_, 0.0});
      } else {
        found.of(3, 6, 0).add(contact, H);
      }
    }
  }

 private:
  std::vector<SystemHandle> bodies_;
  std::vector<Law> laws_;
  double arm_, belt_;
};

Law friction(double mu, Index dimension = 3) { return NewtonImpactFrictionLaw{.friction = mu, .dimension = dimension}; }

enum class Kind { Diagonal, Dense, Nonlinear };

Vector6 inertia() {
  const double I = 0.4 * kMass * kRadius * kRadius;
  return (Vector6() << kMass, kMass, kMass, I, I, I).finished();
}

SystemHandle add_ball(NonSmoothDynamicalSystem& model, const Vector6& v0, Kind kind = Kind::Diagonal, double x = 0.0,
                      double height = kRadius) {
  const Vector6 q0 = (Vector6() << x, 0.0, height, 0.0, 0.0, 0.0).finished();
  const Vector6 weight = (Vector6() << 0.0, 0.0, -kMass * g, 0.0, 0.0, 0.0).finished();
  if (kind == Kind::Nonlinear) {
    return model.add(LagrangianSystem{
        .mass = [](ConstVectorRef, MatrixRef M) { M.diagonal() = inertia(); }, .external = weight, .q0 = q0, .v0 = v0});
  }
  LagrangianLinearSystem ball{.mass = inertia().asDiagonal(), .force = weight, .q0 = q0, .v0 = v0};
  if (kind == Kind::Dense) {
    Eigen::MatrixXd M = inertia().asDiagonal();
    M(3, 5) = M(5, 3) = 1e-16;  // moves nothing by more than 1e-13
    ball.mass = M;
  }
  return model.add(std::move(ball));
}

Vector6 moving(double x, double y) { return (Vector6() << x, y, 0.0, 0.0, 0.0, 0.0).finished(); }

TimeSteppingOptions options(int threads = 1) {
  return {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-12}, .threads = threads};
}

TEST(ContactBatches, ABlockSlidesUntilItStops) {
  // |v| = v0 - mu g t in the direction of v0 = (0.3, 0.4) m/s, at the end of every step; at rest from 0.17 s on.
  const double mu = 0.3, speed = 0.5;
  for (const Kind kind : {Kind::Diagonal, Kind::Dense, Kind::Nonlinear}) {
    NonSmoothDynamicalSystem model;
    const auto block = add_ball(model, moving(0.3, 0.4), kind);
    model.detect(Plane({block}, {friction(mu)}, 0.0));
    TimeStepping simulation(model, options());
    for (int k = 1; k <= 300; ++k) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << report.message();
      const double expected = std::max(0.0, speed - mu * g * kStep * k);
      const auto v = simulation.state().v(block);
      ASSERT_NEAR(v[0], 0.6 * expected, kAgree) << k;
      ASSERT_NEAR(v[1], 0.8 * expected, kAgree) << k;
      ASSERT_NEAR(v[2], 0.0, kAgree) << k;
      const auto& contacts = simulation.state().contacts;
      ASSERT_EQ(contacts.size(), 1u);
      ASSERT_EQ(contacts[0].rows, 3u);
      ASSERT_NEAR(contacts[0].impulse[0], kMass * g * kStep, kAgree) << k;
      ASSERT_LE(contacts[0].work_tangential, kAgree) << k;
    }
  }
}

TEST(ContactBatches, ABallRollsAtFiveSevenths) {
  // m r v + I omega about the contact point is kept: v = 5/7 v0 once it rolls, from 2 v0 / (7 mu g) = 0.05 s on; v0 -
  // mu g t before. 5/7 of the energy is left.
  const double mu = 0.3, speed = 0.5, rolls = 2.0 * speed / (7.0 * mu * g);
  for (const Kind kind : {Kind::Diagonal, Kind::Dense, Kind::Nonlinear}) {
    NonSmoothDynamicalSystem model;
    const auto ball = add_ball(model, moving(0.3, 0.4), kind);
    model.detect(Plane({ball}, {friction(mu)}));
    TimeStepping simulation(model, options());
    double work = 0.0;
    for (int k = 1; k <= 200; ++k) {
      ASSERT_TRUE(simulation.step());
      const auto v = simulation.state().v(ball);
      work += simulation.state().contacts.at(0).work_tangential;
      const double t = kStep * k, expected = t < rolls ? speed - mu * g * t : 5.0 / 7.0 * speed;
      ASSERT_NEAR(v[0], 0.6 * expected, kAgree) << k;
      ASSERT_NEAR(v[1], 0.8 * expected, kAgree) << k;
      ASSERT_NEAR(v[5], 0.0, kAgree) << k;
      if (t >= rolls) {
        ASSERT_NEAR(v[0], kRadius * v[4], kAgree) << k;
        ASSERT_NEAR(v[1], -kRadius * v[3], kAgree) << k;
      }
    }
    EXPECT_NEAR(work, -2.0 / 7.0 * 0.5 * kMass * speed * speed, kAgree);
  }
}

TEST(ContactBatches, ABeltCarriesABlock) {
  // mu g t until it moves as the belt does, 0.2 m/s.
  const double mu = 0.3, belt = 0.2;
  NonSmoothDynamicalSystem model;
  const auto block = add_ball(model, moving(0.0, 0.0));
  model.detect(Plane({block}, {friction(mu)}, 0.0, belt));
  TimeStepping simulation(model, options());
  for (int k = 1; k <= 200; ++k) {
    ASSERT_TRUE(simulation.step());
    ASSERT_NEAR(simulation.state().v(block)[0], std::min(belt, mu * g * kStep * k), kAgree) << k;
  }
}

TEST(ContactBatches, PairsOfASourceDifferInTheirLaws) {
  // Friction of three kinds and none: v0 - mu g t, whatever the others do.
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> blocks;
  const std::array<double, 3> mu{0.1, 0.4, 0.0};
  for (std::size_t b = 0; b < mu.size(); ++b)
    blocks.push_back(add_ball(model, moving(0.5, 0.0), Kind::Diagonal, static_cast<double>(b)));
  model.detect(Plane(blocks, {friction(mu[0]), friction(mu[1]), NewtonImpactLaw{.restitution = 0.5}}, 0.0));
  TimeStepping simulation(model, options());
  for (int k = 1; k <= 200; ++k) {
    ASSERT_TRUE(simulation.step());
    for (std::size_t b = 0; b < mu.size(); ++b)
      ASSERT_NEAR(simulation.state().v(blocks[b])[0], std::max(0.0, 0.5 - mu[b] * g * kStep * k), kAgree) << k;
  }
}

/// Balls and disks in turn on one plane, a heap of disks beside them.
struct Mixed {
  NonSmoothDynamicalSystem model;

  Mixed() {
    std::vector<SystemHandle> bodies, disks;
    std::vector<Law> laws;
    for (int b = 0; b < 40; ++b) {
      const double height = kRadius + 0.01 * (b % 5);
      if (b % 2 == 0) {
        bodies.push_back(add_ball(model, moving(0.5, 0.01 * b), b % 4 == 0 ? Kind::Dense : Kind::Diagonal, b, height));
      } else {
        bodies.push_back(add_disk(static_cast<double>(b), height));
      }
      laws.push_back(friction(0.2, b % 2 == 0 ? 3 : 2));
    }
    for (int b = 0; b < 20; ++b) disks.push_back(add_disk(0.201 * (b % 5), kRadius + 0.2 * (b / 5)));
    const auto flat = [](double) { return 0.0; };
    model.detect(DiskContacts(disks, std::vector<double>(disks.size(), kRadius),
                              NewtonImpactFrictionLaw{.restitution = 0.1, .friction = 0.3},
                              {.height = flat, .slope = flat, .curvature = flat}));
    model.detect(Plane(bodies, laws));
  }
  SystemHandle add_disk(double x, double height) {
    return model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(1.0, 1.0, 0.5 * kRadius * kRadius).asDiagonal(),
                                            .force = {0.0, -g, 0.0},
                                            .q0 = {x, height, 0.0},
                                            .v0 = {0.3, 0.0, 0.0}});
  }
};

TEST(ContactBatches, StandInTheOrderOfSourcesAndFeatures) {
  const Mixed mixed;
  TimeStepping simulation(mixed.model, {.step = 2e-3});
  std::size_t most = 0;
  for (int k = 0; k < 200; ++k) {
    ASSERT_TRUE(simulation.step());
    const auto& contacts = simulation.state().contacts;
    std::size_t of_plane = 0;
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      if (c > 0) {
        ASSERT_LT(std::pair(contacts[c - 1].source, contacts[c - 1].feature),
                  std::pair(contacts[c].source, contacts[c].feature));
      }
      const bool spatial = contacts[c].source == 1 && contacts[c].feature % 2 == 0;
      ASSERT_EQ(contacts[c].rows, spatial ? 3u : 2u);
      of_plane += contacts[c].source;
    }
    most = std::max(most, of_plane);
  }
  EXPECT_EQ(most, 40u);
}

TEST(ContactBatches, BitsDependOnNeitherThreadsNorWorkspaces) {
  const Mixed mixed;
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 4}) {
    TimeSteppingOptions chosen{.step = 2e-3, .threads = threads};
    TimeStepping simulation(mixed.model, chosen);
    for (int k = 0; k < 100; ++k) ASSERT_TRUE(simulation.step());
    State copy = simulation.state();
    Workspace fresh(threads);
    for (int k = 0; k < 20; ++k) {
      ASSERT_TRUE(simulation.step());
      ASSERT_TRUE(step(mixed.model, chosen, 2e-3, copy, fresh));
      ASSERT_EQ(hash_of(copy), hash_of(simulation.state())) << k;
    }
    if (threads == 1) expected = hash_of(simulation.state());
    EXPECT_EQ(hash_of(simulation.state()), expected) << threads << " threads";
  }
}

TEST(ContactBatches, AProjectionLiftsABallOutOfThePlane) {
  for (const Kind kind : {Kind::Diagonal, Kind::Dense, Kind::Nonlinear}) {
    NonSmoothDynamicalSystem model;
    const auto ball = add_ball(model, (Vector6() << 0.2, 0.0, -3.0, 0.0, 0.0, 0.0).finished(), kind, 0.0, 0.2);
    model.detect(Plane({ball}, {friction(0.3)}));
    TimeSteppingOptions chosen{.step = 1e-2};
    chosen.projection.kind = Projection::Combined;
    TimeStepping simulation(model, chosen);
    for (int k = 0; k < 50; ++k) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << report.message();
      ASSERT_GE(simulation.state().q(ball)[2] - kRadius, -chosen.projection.unilateral_tolerance) << k;
    }
    EXPECT_NEAR(simulation.state().v(ball)[0], 5.0 / 7.0 * 0.2, 1e-5);
  }
}

TEST(ContactBatches, WhatDoesNotFitIsTold) {
  NonSmoothDynamicalSystem model;
  const auto ball = add_ball(model, moving(0.0, 0.0));
  NonSmoothDynamicalSystem other;
  const auto circuit = other.add(FirstOrderLinearSystem{.x0 = {1.0}});
  EXPECT_THROW(other.detect(Plane({circuit}, {friction(0.3)})), InvalidArgument);
  EXPECT_THROW(model.detect(Plane({ball}, {friction(-0.3)})), InvalidArgument);
  EXPECT_THROW(model.detect(Plane({ball}, {EqualityLaw{}})), InvalidArgument);
  EXPECT_THROW(model.detect(Plane({ball}, {CohesiveZoneLaw{.opening = 1.0, .dimension = 3}})), InvalidArgument);

  ContactBatches batches;
  EXPECT_THROW((void)batches.of(0, 3, 3), InvalidArgument);
  EXPECT_THROW((void)batches.of(7, 3, 3), InvalidArgument);
  EXPECT_THROW((void)batches.of(2, 0, 3), InvalidArgument);
  EXPECT_THROW(batches.of(2, 3, 3).add({}, std::array<double, 5>{}), InvalidArgument);
  EXPECT_THROW(batches.of(2, 3, 3).add({.second = 1}, std::array<double, 6>{}), InvalidArgument);

  model.detect(Plane({ball}, {friction(0.3, 2)}));  // two rows for contacts of three
  EXPECT_THROW(TimeStepping(model, options()), InvalidArgument);
  TimeSteppingOptions unexamined = options();
  unexamined.examination = Examination::Off;
  TimeStepping simulation(model, unexamined);
  const std::uint64_t before = hash_of(simulation.state());
  const StepReport report = simulation.step();
  EXPECT_EQ(report.outcome, StepReport::Outcome::CallableFailed);
  EXPECT_NE(report.message().find("as many rows"), std::string::npos) << report.message();
  EXPECT_EQ(hash_of(simulation.state()), before);
}

/// One feature on two bodies, of other columns each: it is in two batches.
class Twice final : public ContactSource {
 public:
  explicit Twice(std::vector<SystemHandle> bodies) : bodies_(std::move(bodies)) {}

  [[nodiscard]] const std::vector<SystemHandle>& bodies() const override { return bodies_; }
  [[nodiscard]] const std::vector<Law>& laws() const override { return laws_; }
  void detect(const BodyView&, double, std::vector<Index>&, ContactBatches& found) const override {
    found.of(1, 6, 0).add({.feature = 3, .first = 0}, std::array<double, 6>{0.0, 0.0, 1.0});
    found.of(1, 3, 0).add({.feature = 2, .first = 1}, std::array<double, 3>{0.0, 1.0, 0.0});
    found.of(1, 3, 0).add({.feature = 3, .first = 1}, std::array<double, 3>{0.0, 1.0, 0.0});
  }

 private:
  std::vector<SystemHandle> bodies_;
  std::vector<Law> laws_{NewtonImpactLaw{}};
};

TEST(ContactBatches, AFeatureInTwoBatchesIsRefused) {
  NonSmoothDynamicalSystem model;
  const auto ball = add_ball(model, moving(0.0, 0.0));
  const auto disk = model.add(LagrangianLinearSystem{.q0 = {0.0, 0.0, 0.0}, .name = "disk"});
  const Twice source({ball, disk});
  model.detect(source);
  try {
    (void)contacts_at(model.initial_state(), source);
    ADD_FAILURE() << "not refused";
  } catch (const InvalidArgument& refused) {
    const std::string text = refused.what();
    EXPECT_NE(text.find("contact 3 of the contact source of"), std::string::npos) << text;
    EXPECT_NE(text.find("disk"), std::string::npos) << text;
    EXPECT_NE(text.find("in two batches"), std::string::npos) << text;
  }
  EXPECT_THROW(TimeStepping(model, options()), InvalidArgument) << "the examination asks the source as well";
  TimeSteppingOptions unexamined = options();
  unexamined.examination = Examination::Off;
  TimeStepping simulation(model, unexamined);
  const StepReport report = simulation.step();
  EXPECT_EQ(report.outcome, StepReport::Outcome::CallableFailed);
  EXPECT_NE(report.message().find("in two batches"), std::string::npos) << report.message();
}

TEST(ContactBatches, ATangentialRowThatIsNotFiniteIsNamed) {
  NonSmoothDynamicalSystem model;
  const auto ball = add_ball(model, moving(0.0, 0.0));
  model.detect(Plane({ball}, {friction(0.4)}, std::numeric_limits<double>::quiet_NaN()));
  TimeSteppingOptions unexamined = options();
  unexamined.examination = Examination::Off;
  TimeStepping simulation(model, unexamined);
  const StepReport report = simulation.step();
  EXPECT_EQ(report.outcome, StepReport::Outcome::CallableFailed);
  EXPECT_NE(report.message().find("contact 0 of a contact source: a tangential row"), std::string::npos)
      << report.message();
}

}  // namespace
}  // namespace nonsmooth::contact_batches_test
