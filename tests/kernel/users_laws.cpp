// SPDX-License-Identifier: Apache-2.0
// Laws of the library, written a second time as a user would, through the public interface alone: the same bits.
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace nonsmooth::users_laws_test {
namespace {

/// Of a unilateral contact in the plane without restitution.
LawShape contact_in_the_plane(LawVaries varies) {
  return {.size = 2,
          .varies = varies,
          .unilateral = true,
          .impact = {.kind = ImpactRule::Kind::Newton, .restitution = 0.0}};
}

/// Coulomb friction in the plane: 0.4 p_N holds what sticks, 0.25 p_N brakes what slides.
class TwoFrictions final : public NonSmoothLaw {
 public:
  [[nodiscard]] LawShape shape(LawUse /*use*/) const override { return contact_in_the_plane(LawVaries::Slip); }
  void block(const LawContext& context, LawBlock& block) const override {
    const double mu = std::abs(context.u[1]) <= 1e-9 ? 0.4 : 0.25;
    block.parts = {{{.kind = SetKind::Coulomb2D, .mu = mu}, 2}};
  }
};

/// A bond of 8 N that is gone once it was 0.1 m open, with friction 0.5.
class Glue final : public NonSmoothLaw {
 public:
  [[nodiscard]] std::string name() const override { return "glue"; }
  [[nodiscard]] LawShape shape(LawUse /*use*/) const override {
    return {.size = 2,
            .memory = 1,
            .varies = LawVaries::Step,
            .unilateral = true,
            .decides = true,
            .shifts = true,
            .impact = {.kind = ImpactRule::Kind::Other}};
  }
  void block(const LawContext& context, LawBlock& block) const override {
    const double intact = std::max(0.0, 1.0 - context.memory[0] / 0.1);
    block.parts = {{{.kind = SetKind::Coulomb2D, .mu = 0.5, .cohesion = context.h * intact * 8.0}, 2}};
  }
  [[nodiscard]] Activity activity(const LawContext& context) const override {
    return context.memory[0] < 0.1 ? Activity::Acts : Activity::WhereClosed;
  }
  void shift(const LawContext& context, VectorRef shift) const override {
    shift[0] += std::max(context.y[0], 0.0) / context.h;
  }
  void commit(const LawContext& context, VectorRef memory) const override {
    memory[0] = std::max(memory[0], context.y[0]);
  }
};

/// A law between a block on a belt that runs at 0.1 m/s, drawn back by a spring of 100 N/m, and the belt.
NonSmoothDynamicalSystem block_on_belt(const Law& law) {
  NonSmoothDynamicalSystem model;
  const auto block = model.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(1.0, 1.0).asDiagonal(),
                                                      .stiffness = Eigen::Vector2d(100.0, 0.0).asDiagonal(),
                                                      .force = {0.0, -9.81},
                                                      .q0 = {0.0, 0.0},
                                                      .v0 = {0.1, 0.0}});
  RheonomousRelation relation;
  relation.rows = 2;
  relation.h = [](double t, ConstVectorRef q, VectorRef y) { y << q[1], q[0] - 0.1 * t; };
  relation.H = [](double, ConstVectorRef, MatrixRef H) { H(0, 1) = H(1, 0) = 1.0; };
  relation.h_t = [](double, ConstVectorRef, VectorRef value) { value[1] = -0.1; };
  model.link(block, relation, law, "belt");
  return model;
}

/// A law between the floor and a unit mass that is pulled upwards by 2 t N until t = 5, then pressed down and aside.
NonSmoothDynamicalSystem pulled_mass(const Law& law) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(1.0, 1.0).asDiagonal(),
                                                     .force =
                                                         [](double t, VectorRef f) {
                                                           f[0] = t < 5.0 ? 0.0 : 1.0;
                                                           f[1] = t < 5.0 ? 2.0 * t : -20.0;
                                                         },
                                                     .q0 = {0.0, 0.0}});
  model.link(body, LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}}, law, "floor");
  return model;
}

/// Both runs step by step to the same bits. Returns how many of the steps ended with impulse `row` not zero.
int steps_with_force(const NonSmoothDynamicalSystem& built_in, const NonSmoothDynamicalSystem& by_hand, Index row,
                     int steps) {
  TimeStepping first(built_in, {.step = 2e-3}), second(by_hand, {.step = 2e-3});
  EXPECT_EQ(hash_of(first.state()), hash_of(second.state()));
  int count = 0;
  for (int k = 0; k < steps; ++k) {
    EXPECT_TRUE(first.step() && second.step()) << k;
    EXPECT_EQ(hash_of(first.state()), hash_of(second.state())) << k;
    if (::testing::Test::HasFailure()) break;
    if (second.state().multipliers[row] != 0.0) ++count;
  }
  return count;
}

TEST(UsersLaws, StaticAndKineticFrictionByHandHaveTheSameBits) {
  const auto built_in = block_on_belt(StaticKineticFrictionLaw{.static_friction = 0.4, .kinetic_friction = 0.25});
  const auto by_hand = block_on_belt(std::make_shared<const TwoFrictions>());
  EXPECT_GT(steps_with_force(built_in, by_hand, 0, 3000), 2900);
  // It sticks and slips: the speed relative to the belt is zero in some steps and not in others.
  TimeStepping run(by_hand, {.step = 2e-3});
  int stuck = 0, slid = 0;
  ASSERT_TRUE(
      run.advance_to(6.0, [&](const State& state) { ++(std::abs(state.velocities[1]) < 1e-9 ? stuck : slid); }));
  EXPECT_GT(stuck, 100);
  EXPECT_GT(slid, 100);
  // By events, which read the block at rest and the one at slip.
  EventDriven first(built_in), second(by_hand);
  ASSERT_TRUE(first.advance_to(2.0));
  ASSERT_TRUE(second.advance_to(2.0));
  ASSERT_GE(second.events().size(), 4U);
  ASSERT_EQ(first.events().size(), second.events().size());
  EXPECT_EQ(hash_of(first.state()), hash_of(second.state()));
}

TEST(UsersLaws, ABondByHandHasTheSameBits) {
  const auto built_in = pulled_mass(CohesiveZoneLaw{.strength = 8.0, .opening = 0.1, .friction = 0.5});
  const auto by_hand = pulled_mass(std::make_shared<const Glue>());
  const int steps = 4000;  // it opens at t = 4, breaks, is pressed back and lands
  const int held = steps_with_force(built_in, by_hand, 0, steps);
  EXPECT_GE(held, 2000);
  EXPECT_LT(held, steps);
  TimeStepping run(by_hand, {.step = 2e-3});
  ASSERT_TRUE(run.advance_to(8.0));
  EXPECT_GT(run.state().law_memory[0], 0.1);
  EXPECT_GT(run.state().multipliers[0], 0.0) << "pressed to the floor again";
  EXPECT_THROW(EventDriven{by_hand}, InvalidArgument) << "what a law remembers is for time-stepping";
}

TEST(UsersLaws, MemoryIsTheStatesAndSurvivesARevision) {
  auto model = pulled_mass(std::make_shared<const Glue>());
  TimeStepping run(model, {.step = 2e-3});
  ASSERT_TRUE(run.advance_to(4.3));
  const double opened = run.state().law_memory[0];
  EXPECT_GT(opened, 0.0);
  run.edit([](NonSmoothDynamicalSystem& edited) { edited.add(LagrangianLinearSystem{.q0 = {0.0}}); });
  EXPECT_EQ(run.state().law_memory.size(), 1);
  EXPECT_EQ(run.state().law_memory[0], opened);
}

/// A spring of lambda = max(-y, 0)^3 in first order: its tangent at the iterate.
class CubicValve final : public NonSmoothLaw {
 public:
  [[nodiscard]] LawShape shape(LawUse /*use*/) const override { return {.varies = LawVaries::Iterate}; }
  void block(const LawContext& context, LawBlock& block) const override {
    // y + lambda^(1/3) = 0 about the multiplier at the iterate, kept away from the infinite slope at zero.
    const double lambda = std::max(context.iterate[0], 1e-3), root = std::cbrt(lambda);
    const double slope = root / (3.0 * lambda);
    block.parts = {{{.kind = SetKind::Free}, 1}};
    block.coupling = Eigen::MatrixXd::Constant(1, 1, slope);
    block.offset = Eigen::VectorXd::Constant(1, root - slope * lambda);
  }
};

TEST(UsersLaws, ACurveIsFollowedByNewton) {
  // x' = 1 - x + lambda, y = x - 3: at rest lambda = x - 1 would push; the valve gives lambda = (3 - x)^3 for x < 3.
  NonSmoothDynamicalSystem model;
  const auto tank = model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .b = {1.0}, .x0 = {0.0}});
  const auto valve = model.link(tank, FirstOrderLinearRelation{.C = {{1.0}}, .D = {}, .B = {{1.0}}, .e = {-3.0}},
                                std::make_shared<const CubicValve>(), "valve");
  TimeStepping run(model, {.integrator = EulerMoreau{.theta = 1.0}, .step = 1e-2});
  ASSERT_TRUE(run.advance_to(20.0));
  const double x = run.state().x(tank)[0];
  EXPECT_NEAR(run.state().lambda(valve)[0], std::pow(3.0 - x, 3.0), 1e-8);
  EXPECT_NEAR(1.0 - x + run.state().lambda(valve)[0], 0.0, 1e-8);
}

/// Friction that counts how it is asked, and fails at a time.
class Counted final : public NonSmoothLaw {
 public:
  struct Calls {
    int batches = 0, blocks = 0;
    Index largest = 0;
  };
  Counted(double mu, double fails_at, Calls& calls) : mu_(mu), fails_at_(fails_at), calls_(&calls) {}
  [[nodiscard]] LawShape shape(LawUse /*use*/) const override { return contact_in_the_plane(LawVaries::Step); }
  void block(const LawContext& context, LawBlock& block) const override {
    ++calls_->blocks;
    if (context.t > fails_at_) throw std::runtime_error("worn out");
    block.parts = {{{.kind = SetKind::Coulomb2D, .mu = mu_}, 2}};
  }
  void blocks(const LawBatch& batch) const override {
    ++calls_->batches;
    calls_->largest = std::max(calls_->largest, batch.size());
    NonSmoothLaw::blocks(batch);
  }

 private:
  double mu_, fails_at_;
  Calls* calls_;
};

TEST(UsersLaws, OfOneClassAreABatch) {
  Counted::Calls calls;
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> blocks;
  const double mu[] = {0.1, 0.2, 0.4};
  for (int b = 0; b < 3; ++b) {
    blocks.push_back(model.add(LagrangianLinearSystem{.force = {0.0, -9.81}, .q0 = {0.0, 0.0}, .v0 = {10.0, 0.0}}));
    const Law law = std::make_shared<const Counted>(mu[b], b == 1 ? 0.55 : 10.0, calls);
    model.link(blocks.back(), LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}}, law,
               "track " + std::to_string(b));
  }
  TimeStepping simulation(model, {.step = 0.1, .examination = Examination::Off});
  calls = {};
  for (int k = 1; k <= 5; ++k) {
    ASSERT_TRUE(simulation.step());
    // One call a step for all, one a block below it, and each with its own law: v = 10 m/s - mu g t.
    EXPECT_EQ(calls.batches, k);
    EXPECT_EQ(calls.blocks, 3 * k);
    for (std::size_t b = 0; b < 3; ++b)
      EXPECT_NEAR(simulation.state().v(blocks[b])[0], 10.0 - mu[b] * 9.81 * 0.1 * k, 1e-8);  // |q| 10, tolerance 1e-10
  }
  EXPECT_EQ(calls.largest, 3);
  const RunReport report = simulation.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  EXPECT_NE(report.message().find("track 1"), std::string::npos) << report.message();
  EXPECT_NE(report.message().find("worn out"), std::string::npos) << report.message();
}

/// A contact that remembers, until its memory fails.
class Forgetful final : public NonSmoothLaw {
 public:
  [[nodiscard]] LawShape shape(LawUse /*use*/) const override {
    return {.memory = 1, .unilateral = true, .impact = {.kind = ImpactRule::Kind::Newton, .restitution = 0.0}};
  }
  void block(const LawContext& /*context*/, LawBlock& block) const override {
    block.parts = {{{.kind = SetKind::Orthant}, 1}};
  }
  void commit(const LawContext& context, VectorRef memory) const override {
    if (context.t > 0.35) throw std::runtime_error("no more paper");
    memory[0] = context.t;
  }
};

TEST(UsersLaws, AMemoryThatFailsLeavesTheStateWhereItWas) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {-9.81}, .q0 = {1.0}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, std::make_shared<const Forgetful>());
  TimeStepping simulation(model, {.step = 0.1});
  ASSERT_TRUE(simulation.advance_to(0.3));
  const auto before = hash_of(simulation.state());
  const StepReport report = simulation.step();
  EXPECT_FALSE(report.taken);
  EXPECT_NE(report.message().find("no more paper"), std::string::npos) << report.message();
  EXPECT_EQ(hash_of(simulation.state()), before);
}

/// Friction whose coefficient is lost on the way.
class Lost final : public NonSmoothLaw {
 public:
  [[nodiscard]] LawShape shape(LawUse /*use*/) const override { return contact_in_the_plane(LawVaries::Step); }
  void block(const LawContext& context, LawBlock& block) const override {
    const double mu = context.t > 0.25 ? std::numeric_limits<double>::quiet_NaN() : 0.3;
    block.parts = {{{.kind = SetKind::Coulomb2D, .mu = mu}, 2}};
  }
};

TEST(UsersLaws, ASetThatIsNoneFailsTheStep) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.force = {0.0, -9.81}, .q0 = {0.0, 0.0}, .v0 = {1.0, 0.0}});
  model.link(body, LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}}, std::make_shared<const Lost>());
  TimeStepping simulation(model, {.step = 0.1});
  const RunReport report = simulation.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  EXPECT_NEAR(simulation.state().t, 0.3, 1e-12);
  EXPECT_NE(report.message().find("mu"), std::string::npos) << report.message();
}

/// Two sets for one contact: which row is the gap?
class TwoParts final : public NonSmoothLaw {
 public:
  [[nodiscard]] LawShape shape(LawUse /*use*/) const override { return {.size = 2, .unilateral = true}; }
  void block(const LawContext& /*context*/, LawBlock& block) const override {
    block.parts = {{{.kind = SetKind::Orthant}, 1}, {{.kind = SetKind::Box, .lower = -1.0, .upper = 1.0}, 1}};
  }
};

TEST(UsersLaws, AUnilateralLawHasOneSet) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.q0 = {0.0, 0.0}});
  EXPECT_THROW(
      model.link(body, LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}}, std::make_shared<const TwoParts>()),
      InvalidArgument);
}

/// Numbers that a law may not have, and an activity that nothing asks for.
class Numbers final : public NonSmoothLaw {
 public:
  explicit Numbers(const LawShape& shape) : shape_(shape) {}
  [[nodiscard]] std::string name() const override { return "Numbers"; }
  [[nodiscard]] LawShape shape(LawUse /*use*/) const override { return shape_; }
  void block(const LawContext& /*context*/, LawBlock& block) const override {
    block.parts = {{{.kind = SetKind::Orthant}, 1}};
  }

 private:
  LawShape shape_;
};

TEST(UsersLaws, NumbersAreCheckedWhenALawIsLinked) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  LawShape bouncy, stiff, damped, deciding;
  bouncy.impact.restitution = 1.5;
  stiff.stiffness = nan;
  damped.damping = -1.0;
  deciding.decides = true;
  const auto refused = [](const LawShape& shape, const std::string& field) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(LagrangianLinearSystem{.q0 = {0.0}});
    try {
      model.link(body, LagrangianLinearRelation{.H = {{1.0}}}, std::make_shared<const Numbers>(shape));
      ADD_FAILURE() << field << " is taken";
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(field), std::string::npos) << error.what();
    }
  };
  refused(bouncy, "ImpactRule::restitution of Numbers");
  refused(stiff, "LawShape::stiffness of Numbers");
  refused(damped, "LawShape::damping of Numbers");
  refused(deciding, "LawShape::decides");
}

/// A contact that answers with a number that is none from t = 0.25 on, in one of its answers.
class Forgotten final : public NonSmoothLaw {
 public:
  enum class Answer : unsigned char { Block, Shift, Memory, Error };
  explicit Forgotten(Answer answer) : answer_(answer) {}
  [[nodiscard]] std::string name() const override { return "Forgotten"; }
  [[nodiscard]] LawShape shape(LawUse /*use*/) const override {
    return {.memory = 1,
            .varies = LawVaries::Iterate,
            .unilateral = true,
            .shifts = true,
            .impact = {.kind = ImpactRule::Kind::Other}};
  }
  void block(const LawContext& context, LawBlock& block) const override {
    block.parts = {{{.kind = SetKind::Orthant}, 1}};
    if (lost(Answer::Block, context)) block.coupling = Eigen::MatrixXd::Zero(1, 1);
  }
  void shift(const LawContext& context, VectorRef shift) const override {
    if (lost(Answer::Shift, context)) shift[0] = std::numeric_limits<double>::quiet_NaN();
  }
  void commit(const LawContext& context, VectorRef memory) const override {
    if (lost(Answer::Memory, context)) memory[0] = std::numeric_limits<double>::quiet_NaN();
  }
  [[nodiscard]] double newton_error(double /*tolerance*/, const LawContext& context,
                                    const LawBlock& /*block*/) const override {
    return lost(Answer::Error, context) ? std::numeric_limits<double>::quiet_NaN() : 0.0;
  }

 private:
  [[nodiscard]] bool lost(Answer answer, const LawContext& context) const {
    return answer == answer_ && context.t > 0.25;
  }
  Answer answer_;
};

/// Keeps the scale that newton_error is told of each row; a row that nothing presses.
class Scaled final : public NonSmoothLaw {
 public:
  explicit Scaled(Eigen::VectorXd* told) : told_(told) {}
  [[nodiscard]] LawShape shape(LawUse /*use*/) const override { return {.size = 2, .varies = LawVaries::Iterate}; }
  void block(const LawContext& /*context*/, LawBlock& block) const override {
    block.parts = {{{.kind = SetKind::Box, .lower = 0.0, .upper = 0.0}, 2}};
  }
  [[nodiscard]] double newton_error(double /*tolerance*/, const LawContext& context,
                                    const LawBlock& /*block*/) const override {
    *told_ = context.multiplier_scale;
    return 0.0;
  }

 private:
  Eigen::VectorXd* told_;
};

TEST(UsersLaws, TheScaleOfARowIsInItsUnit) {
  // A body of m and J that moves by v and turns by w, under no force: a row along x has the scale m 2 |v|, in N s,
  // whatever w is; one about the axis J 2 |w|, in N m s.
  const double m = 3.0, J = 0.02, v = 0.5, w = 40.0;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(PlanarBody{.mass = m, .inertia = J, .velocity = {v, 0.0}, .angular_velocity = w});
  Eigen::VectorXd told;
  model.link(body, LagrangianLinearRelation{.H = {{1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}},
             std::make_shared<const Scaled>(&told));
  TimeStepping simulation(model, {.step = 1e-3});
  ASSERT_TRUE(simulation.step());
  ASSERT_EQ(told.size(), 2);
  const double eps = std::numeric_limits<double>::epsilon();
  EXPECT_NEAR(told[0], m * 2.0 * v, 8.0 * eps * m * v);
  EXPECT_NEAR(told[1], J * 2.0 * w, 8.0 * eps * J * w);
}

TEST(UsersLaws, AnAnswerThatIsNoNumberFailsTheStep) {
  using Answer = Forgotten::Answer;
  for (const auto& [answer, what] :
       {std::pair{Answer::Block, "other sizes"}, std::pair{Answer::Shift, "the law's shift of floor (Forgotten)"},
        std::pair{Answer::Memory, "what the law remembers of floor (Forgotten)"},
        std::pair{Answer::Error, "the law's error of floor (Forgotten)"}}) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(LagrangianLinearSystem{.force = {-9.81}, .q0 = {0.0}});
    model.link(body, LagrangianLinearRelation{.H = {{1.0}}}, std::make_shared<const Forgotten>(answer), "floor");
    TimeStepping simulation(model, {.step = 0.1});
    const RunReport report = simulation.advance_to(1.0);
    EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
    EXPECT_LT(simulation.state().t, 0.35);
    EXPECT_NE(report.message().find(what), std::string::npos) << report.message();
  }
}

}  // namespace
}  // namespace nonsmooth::users_laws_test
