// SPDX-License-Identifier: Apache-2.0
// Laws of contacts found anew that look at the state: friction that holds more than it brakes, a user's shift.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::contact_laws_test {
namespace {

constexpr double kGravity = 9.81, kStep = 1e-2;

/// y = 0 below a body (x, y, angle).
class Ground final : public ContactSource {
 public:
  Ground(SystemHandle body, Law law) : bodies_{body}, laws_{std::move(law)} {}
  [[nodiscard]] const std::vector<SystemHandle>& bodies() const override { return bodies_; }
  [[nodiscard]] const std::vector<Law>& laws() const override { return laws_; }
  [[nodiscard]] BodySize body_size() const override { return {3, 3}; }
  void detect(const BodyView& view, double horizon, std::vector<Index>&, ContactBatches& found) const override {
    DetectedContact contact;
    contact.gap = view.q[1];
    contact.terms = std::abs(view.q[1]);
    if (contact.gap + horizon * view.v[1] > 1e-8) return;
    found.of(2, 3, 0).add(contact, std::array<double, 6>{0.0, 1.0, 0.0, 1.0, 0.0, 0.0});
  }

 private:
  std::vector<SystemHandle> bodies_;
  std::vector<Law> laws_;
};

/// NewtonImpactFrictionLaw, e = 0.5, mu = 0.3, as a shift.
class Bounce final : public NonSmoothLaw {
 public:
  [[nodiscard]] LawShape shape(LawUse) const override {
    return {.size = 2, .unilateral = true, .shifts = true, .impact = {.kind = ImpactRule::Kind::Other}};
  }
  void block(const LawContext&, LawBlock& block) const override {
    block.parts = {{{.kind = SetKind::Coulomb2D, .mu = 0.3}, 2}};
  }
  void shift(const LawContext& context, VectorRef shift) const override { shift[0] += 0.5 * context.u[0]; }
};

struct Block {
  NonSmoothDynamicalSystem model;
  SystemHandle body;

  Block(const Law& law, const Eigen::Vector3d& v0, double height, double pull) {
    body = model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(1.0, 1.0, 1.0).asDiagonal(),
                                            .force =
                                                [pull](double t, VectorRef f) {
                                                  f[0] = pull * t;
                                                  f[1] = -kGravity;
                                                },
                                            .q0 = {0.0, height, 0.0},
                                            .v0 = v0});
    model.detect(Ground(body, law));
  }
};

TEST(ContactLaws, FrictionHoldsMoreThanItBrakes) {
  // Pulled by 0.997 N/s t: slips when it passes 0.5 N, then accelerates by (F - 0.3 N) / m.
  const Block block(StaticKineticFrictionLaw{.static_friction = 0.5, .kinetic_friction = 0.3}, Eigen::Vector3d::Zero(),
                    0.0, 0.997);
  TimeStepping run(block.model, {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-12}});
  double v = 0.0;
  bool first = true;
  ASSERT_TRUE(run.advance_to(6.0, [&](const State& state) {
    const double pull = 0.997 * (state.t - 0.5 * kStep);
    if (pull >= 0.5 * kGravity) {  // in its first step it brakes with what it held with
      v += kStep * (pull - (first ? 0.5 : 0.3) * kGravity);
      first = false;
    }
    EXPECT_NEAR(state.v(block.body)[0], v, 1e-6);
  }));
  EXPECT_FALSE(first);
}

/// Friction that counts how it is asked.
class Counted final : public NonSmoothLaw {
 public:
  Counted(double mu, std::vector<Index>& batches) : mu_(mu), batches_(&batches) {}
  [[nodiscard]] LawShape shape(LawUse) const override {
    return {.size = 2,
            .varies = LawVaries::Step,
            .unilateral = true,
            .impact = {.kind = ImpactRule::Kind::Newton, .restitution = 0.0}};
  }
  void block(const LawContext&, LawBlock& block) const override {
    block.parts = {{{.kind = SetKind::Coulomb2D, .mu = mu_}, 2}};
  }
  void blocks(const LawBatch& batch) const override {
    batches_->push_back(batch.size());
    NonSmoothLaw::blocks(batch);
  }

 private:
  double mu_;
  std::vector<Index>* batches_;
};

TEST(ContactLaws, OfOneClassAreABatch) {
  // Two sources, a block on the ground each: v = 10 m/s - mu g t, by one call a step.
  std::vector<Index> batches;
  const std::array<double, 2> mu{0.1, 0.4};
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> blocks;
  for (const double own : mu) {
    blocks.push_back(model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(1.0, 1.0, 1.0).asDiagonal(),
                                                      .force = {0.0, -kGravity, 0.0},
                                                      .q0 = {0.0, 0.0, 0.0},
                                                      .v0 = {10.0, 0.0, 0.0}}));
    model.detect(Ground(blocks.back(), std::make_shared<const Counted>(own, batches)));
  }
  TimeStepping run(model, {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-12}});
  batches.clear();
  for (int k = 1; k <= 20; ++k) {
    ASSERT_TRUE(run.step());
    EXPECT_EQ(batches, std::vector<Index>(static_cast<std::size_t>(k), 2));
    for (std::size_t b = 0; b < mu.size(); ++b)
      EXPECT_NEAR(run.state().v(blocks[b])[0], 10.0 - mu[b] * kGravity * kStep * k, 1e-8) << k;
  }
}

TEST(ContactLaws, AUsersShiftBouncesAsNewtonsLaw) {
  const Eigen::Vector3d v0(1.0, 0.0, 0.0);
  const Block users(std::make_shared<const Bounce>(), v0, 0.3, 0.0);
  const Block built_in(NewtonImpactFrictionLaw{.restitution = 0.5, .friction = 0.3}, v0, 0.3, 0.0);
  const TimeSteppingOptions options{.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-12}};
  TimeStepping one(users.model, options), other(built_in.model, options);
  int bounces = 0;
  for (int k = 0; k < 100; ++k) {
    ASSERT_TRUE(one.step());
    ASSERT_TRUE(other.step());
    ASSERT_LE((one.state().unknowns - other.state().unknowns).lpNorm<Eigen::Infinity>(), 1e-12) << k;
    ASSERT_EQ(one.state().contacts.size(), other.state().contacts.size()) << k;
    for (std::size_t c = 0; c < one.state().contacts.size(); ++c) {
      const ContactMemory &own = one.state().contacts[c], &expected = other.state().contacts[c];
      EXPECT_NEAR(own.impulse[0], expected.impulse[0], 1e-12) << k;
      EXPECT_NEAR(own.work_normal, expected.work_normal, 1e-12) << k;
      EXPECT_NEAR(own.work_tangential, expected.work_tangential, 1e-12) << k;
      bounces += own.work_normal < -0.1 ? 1 : 0;
    }
  }
  EXPECT_GE(bounces, 2);
}

}  // namespace
}  // namespace nonsmooth::contact_laws_test
