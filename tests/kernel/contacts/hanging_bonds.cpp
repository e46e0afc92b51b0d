// SPDX-License-Identifier: Apache-2.0
// What hangs by its cohesion at gap zero stays, however many steps the solver's residuals add up in, and falls where F
// is below its weight.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::hanging_bonds_test {
namespace {

using Eigen::Vector3d;

constexpr double kMass = 2.0, kGravity = 9.81, kWeight = kMass * kGravity, kStep = 1e-3, kHalf = 0.1, kFriction = 0.3;
constexpr double kCeiling = 3.7;  ///< its height: gaps are rounded

enum class Kind { LinkedBall, Ball, Cube, Box };

/// A body below a ceiling that it touches, with cohesion F a point: one of a ball, four of a cube, two of a box in the
/// plane.
struct Hanging {
  Kind kind;
  double cohesion;

  [[nodiscard]] NonSmoothDynamicalSystem model_of(SystemHandle& body) const {
    NonSmoothDynamicalSystem model;
    const bool in_plane = kind == Kind::Box;
    const NewtonImpactFrictionLaw law{
        .friction = kFriction, .dimension = in_plane || kind == Kind::LinkedBall ? 2 : 3, .cohesion = cohesion};
    const double middle = kCeiling - kHalf;
    if (kind == Kind::LinkedBall) {
      const auto weight = [](double, VectorRef F) { F = Vector3d(0.0, -kWeight, 0.0); };
      body = model.add(LagrangianLinearSystem{.mass = {{kMass, 0.0, 0.0}, {0.0, kMass, 0.0}, {0.0, 0.0, 0.008}},
                                              .force = weight,
                                              .q0 = {0.0, middle, 0.0}});
      model.link(body, LagrangianLinearRelation{.H = {{0.0, -1.0, 0.0}, {1.0, 0.0, kHalf}}, .b = {{middle, 0.0}}}, law);
    } else if (in_plane) {
      body = model.add(PlanarBody{.mass = kMass,
                                  .inertia = kMass * kHalf * kHalf * 2.0 / 3.0,
                                  .position = {0.2, middle},
                                  .gravity = {0.0, -kGravity}});
      const ConvexPolygon square{.vertices = {{-kHalf, -kHalf}, {kHalf, -kHalf}, {kHalf, kHalf}, {-kHalf, kHalf}}};
      model.detect(PlanarContacts({{body, {{.shape = square}}}},
                                  {{.shape = HalfPlane{.normal = {0.0, -1.0}, .offset = -kCeiling}}}, law));
    } else {
      body = model.add(RigidBody{.mass = kMass,
                                 .inertia = kMass * kHalf * kHalf * 2.0 / 3.0 * Eigen::Matrix3d::Identity(),
                                 .position = {0.2, -0.3, middle},
                                 .gravity = {0.0, 0.0, -kGravity}});
      const Shape shape = kind == Kind::Ball ? Shape(Sphere{kHalf}) : Shape(Box{Vector3d::Constant(kHalf)});
      model.detect(BodyContacts({{body, {{.shape = shape}}}},
                                {{.shape = HalfSpace{.normal = {0.0, 0.0, -1.0}, .offset = -kCeiling}}}, law));
    }
    return model;
  }
  [[nodiscard]] static double height(const State& state, SystemHandle body) {
    const auto q = state.q(body);
    return q[q.size() == 3 ? 1 : 2];
  }
};

[[nodiscard]] TimeSteppingOptions options_of(std::optional<double> tolerance) {
  TimeSteppingOptions options{.step = kStep};
  if (tolerance) options.solver = mixed::Automatic{.tolerance = *tolerance};
  return options;
}

/// The largest gap of the middle of what hangs, over the steps.
[[nodiscard]] double largest_gap(const Hanging& scene, std::optional<double> tolerance, Index steps) {
  SystemHandle body;
  TimeStepping run(scene.model_of(body), options_of(tolerance));
  double gap = 0.0;
  for (Index k = 0; k < steps; ++k) {
    const StepReport report = run.step();
    EXPECT_TRUE(report.ok()) << k;
    gap = std::max(gap, kCeiling - kHalf - Hanging::height(run.state(), body));
    if (!report.ok() || gap > 1e-3) break;
  }
  return gap;
}

/// 3 h r: r, what the solver leaves of u_N + y / h, is its tolerance times the largest |q|, h g and y / h beside it, so
/// below 2 h g; and what rounding leaves of a height of 3.7 m, by whose sums of three terms a gap is off in each of the
/// two steps that the next one sees.
[[nodiscard]] double bound(double tolerance) {
  return 3.0 * kStep * tolerance * 2.0 * kStep * kGravity +
         3.0 * 2.0 * 3.0 * std::numeric_limits<double>::epsilon() * kCeiling;
}

const std::vector<std::pair<Kind, Index>> kKinds{
    {Kind::LinkedBall, 100000}, {Kind::Ball, 100000}, {Kind::Cube, 10000}, {Kind::Box, 10000}};

TEST(HangingBonds, HoldForAnyNumberOfSteps) {
  for (const auto& [kind, steps] : kKinds) {
    for (const double share : {1.05, 3.0}) {
      const Hanging scene{.kind = kind, .cohesion = share * kWeight};
      EXPECT_LE(largest_gap(scene, {}, steps), bound(1e-10)) << static_cast<int>(kind) << " " << share;
      EXPECT_LE(largest_gap(scene, 1e-4, steps), bound(1e-4)) << static_cast<int>(kind) << " " << share;
    }
  }
}

/// Torn off in the first step, which takes F for h of its fall: of all points, four at most.
TEST(HangingBonds, HoldBesideCoefficientsOfSeveralContacts) {
  // A cube whose corners are linked, under a matrix that asks for nothing: what bonds close is beside what it asks for.
  NonSmoothDynamicalSystem model;
  const double middle = kCeiling - kHalf;
  const SystemHandle body =
      model.add(RigidBody{.mass = kMass,
                          .inertia = kMass * kHalf * kHalf * 2.0 / 3.0 * Eigen::Matrix3d::Identity(),
                          .position = {0.2, -0.3, middle},
                          .gravity = {0.0, 0.0, -kGravity}});
  const NewtonImpactFrictionLaw law{.friction = kFriction, .dimension = 3, .cohesion = 1.05 * kWeight};
  const BodyContacts source({{body, {{.shape = Box{Vector3d::Constant(kHalf)}}}}},
                            {{.shape = HalfSpace{.normal = {0.0, 0.0, -1.0}, .offset = -kCeiling}}}, law);
  GeneralisedNewtonImpact impact;
  for (const LinkedContact& contact : link_contacts(model, source)) impact.contacts.push_back(contact.interaction);
  const auto count = static_cast<Index>(impact.contacts.size());
  impact.restitution = Eigen::MatrixXd::Zero(count, count);
  model.add(std::move(impact));
  TimeStepping run(model, options_of(1e-4));
  double gap = 0.0;
  for (Index k = 0; k < 10000; ++k) {
    ASSERT_TRUE(run.step()) << k;
    gap = std::max(gap, middle - run.state().q(body)[2]);
  }
  EXPECT_LE(gap, bound(1e-4));
}

TEST(HangingBonds, FallWhereTheirPullIsBelowTheWeight) {
  for (const auto& [kind, unused] : kKinds) {
    const double points = kind == Kind::Cube ? 4.0 : kind == Kind::Box ? 2.0 : 1.0;
    for (const double share : {0.5, 0.95}) {
      SystemHandle body;
      TimeStepping run(Hanging{.kind = kind, .cohesion = share * kWeight / points}.model_of(body), options_of({}));
      const RunReport report = run.advance_to(0.2);
      ASSERT_TRUE(report) << report.message();
      const double t = run.state().t, held = share * kGravity * kStep;
      EXPECT_NEAR(kCeiling - kHalf - Hanging::height(run.state(), body), 0.5 * kGravity * t * t - held * t,
                  1.01 * held * t)
          << static_cast<int>(kind) << " " << share;
    }
  }
}

/// A load that presses and pulls in turn, up to 0.9 F: it holds in both, and in between.
TEST(HangingBonds, HoldWhereTheLoadTurns) {
  for (const double restitution : {0.0, 0.5}) {
    for (const double tolerance : {1e-10, 1e-4}) {
      const double F = 3.0 * kWeight;
      NonSmoothDynamicalSystem model;
      const auto body =
          model.add(LagrangianLinearSystem{.mass = {{kMass}},
                                           .force = [F](double t, VectorRef f) { f[0] = 0.9 * F * std::sin(40.0 * t); },
                                           .q0 = {0.0}});
      model.link(body, LagrangianLinearRelation{.H = {{1.0}, {0.0}}},
                 NewtonImpactFrictionLaw{.restitution = restitution, .friction = kFriction, .cohesion = F});
      TimeStepping run(model, options_of(tolerance));
      for (Index k = 0; k < 20000; ++k) {
        ASSERT_TRUE(run.step().ok());
        // In the depth residuals add up as in that of any contact.
        const double gap = run.state().q(body)[0], residual = tolerance * 2.0 * kStep * F / kMass;
        ASSERT_LE(gap, 3.0 * kStep * residual) << k << " " << restitution << " " << tolerance;
        ASSERT_GE(gap, -static_cast<double>(k + 1) * kStep * residual) << k << " " << restitution << " " << tolerance;
      }
    }
  }
}

/// Twelve cubes, with gaps that residuals open: the state that a step begins with is all that it knows, and threads
/// change no bit.
TEST(HangingBonds, GoOnWithTheSameBitsFromAnyStepAndOnAnyNumberOfThreads) {
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> cubes;
  for (Index i = 0; i < 12; ++i) {
    const auto number = static_cast<double>(i);
    const auto body = model.add(RigidBody{.mass = kMass,
                                          .inertia = kMass * kHalf * kHalf * 2.0 / 3.0 * Eigen::Matrix3d::Identity(),
                                          .position = {0.5 * number, 0.1 * number, kCeiling - kHalf},
                                          .gravity = {0.0, 0.0, -kGravity}});
    cubes.push_back({body, {{.shape = Box{Vector3d::Constant(kHalf)}}}});
  }
  model.detect(BodyContacts(cubes, {{.shape = HalfSpace{.normal = {0.0, 0.0, -1.0}, .offset = -kCeiling}}},
                            NewtonImpactFrictionLaw{.friction = kFriction, .dimension = 3, .cohesion = kWeight}));
  constexpr Index kSteps = 300;
  const auto run_on = [&](int threads) {
    TimeSteppingOptions options = options_of(1e-4);
    options.threads = threads;
    return TimeStepping(model, options);
  };
  TimeStepping whole = run_on(1);
  std::vector<std::uint64_t> hashes;
  std::vector<State> states;
  Index open = 0;
  for (Index k = 0; k < kSteps; ++k) {
    const State& state = std::as_const(whole).state();
    if (k % 50 == 7) states.push_back(state);
    ASSERT_TRUE(whole.step().ok());
    hashes.push_back(hash_of(state));
    ASSERT_EQ(state.contacts.size(), 48u) << k;
    open += std::count_if(state.contacts.begin(), state.contacts.end(),
                          [](const ContactMemory& contact) { return contact.gap > 1e-12; });
  }
  EXPECT_GT(open, 0) << "no gap that a residual opened";
  for (const State& start : states) {
    for (const int threads : {1, 2, 4}) {
      TimeStepping again = run_on(threads);
      again.set_state(start);
      for (Index k = start.steps; k < kSteps; ++k) {
        ASSERT_TRUE(again.step().ok());
        ASSERT_EQ(hash_of(std::as_const(again).state()), hashes[static_cast<std::size_t>(k)]) << k << " " << threads;
      }
    }
  }
}

}  // namespace
}  // namespace nonsmooth::hanging_bonds_test
