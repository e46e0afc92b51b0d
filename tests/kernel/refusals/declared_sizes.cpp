// SPDX-License-Identifier: Apache-2.0
// Sizes and counts that overflow, or that no memory holds: refused by name, before anything is allocated.
#include <limits>
#include <memory>

#include "kernel/bad_input.hpp"

namespace nonsmooth::declared_sizes_test {
namespace {

using namespace bad_input;

constexpr Index kLargestIndex = std::numeric_limits<Index>::max();
const std::vector<Index> kSizesThatOverflow = {Index{1} << 31,
                                               Index{1} << 32,
                                               Index{1} << 62,
                                               kLargestIndex,
                                               -1,
                                               -(Index{1} << 62),
                                               std::numeric_limits<Index>::min()};

class RowsOfAnySize : public MechanicalRelation {
 public:
  explicit RowsOfAnySize(Index rows) : rows_(rows) {}
  [[nodiscard]] Index rows() const override { return rows_; }
  void h(double /*t*/, ConstVectorRef /*q*/, VectorRef y) const override { y.setZero(); }

 private:
  Index rows_;
};

class BlocksOfAnySize : public NonSmoothLaw {
 public:
  explicit BlocksOfAnySize(Index size) : size_(size) {}
  [[nodiscard]] LawShape shape(LawUse /*use*/) const override { return {.size = size_}; }
  void block(const LawContext& /*context*/, LawBlock& block) const override { block.parts = {{BlockSet{}, size_}}; }

 private:
  Index size_;
};

class DeclaredSizesOfLinks : public Linking {};

TEST_F(DeclaredSizesOfLinks, AreRefusedByName) {
  ScleronomousRelation scleronomous;
  scleronomous.h = [](ConstVectorRef, VectorRef y) { y.setZero(); };
  RheonomousRelation rheonomous;
  rheonomous.h = [](double, ConstVectorRef, VectorRef y) { y.setZero(); };
  CompliantRelation compliant;
  compliant.h = [](ConstVectorRef, ConstVectorRef, VectorRef y) { y.setZero(); };
  FirstOrderRelation first_order;
  first_order.h = [](double, ConstVectorRef, ConstVectorRef, VectorRef y) { y.setZero(); };
  first_order.g = [](double, ConstVectorRef, ConstVectorRef, VectorRef r) { r.setZero(); };
  FirstOrderLinearRelation varying;
  varying.C = [](double, MatrixRef C) { C.setZero(); };
  varying.B = [](double, MatrixRef B) { B.setZero(); };
  for (const Index size : kSizesThatOverflow) {
    const std::string found = std::to_string(size);
    scleronomous.rows = rheonomous.rows = compliant.rows = first_order.rows = varying.rows = size;
    expect_link_refused({mechanical}, scleronomous, NewtonImpactLaw{}, {"ScleronomousRelation::rows", found});
    expect_link_refused({mechanical}, rheonomous, NewtonImpactLaw{}, {"RheonomousRelation::rows", found});
    expect_link_refused({mechanical}, compliant, ComplementarityLaw{}, {"CompliantRelation::rows", found});
    expect_link_refused({electrical}, first_order, ComplementarityLaw{}, {"FirstOrderRelation::rows", found});
    expect_link_refused({electrical}, varying, ComplementarityLaw{}, {"FirstOrderLinearRelation::rows", found});
    const std::shared_ptr<const Relation> users = std::make_shared<RowsOfAnySize>(size);
    expect_link_refused({mechanical}, users, NewtonImpactLaw{}, {"Relation::rows", found});
    const std::shared_ptr<const NonSmoothLaw> law = std::make_shared<BlocksOfAnySize>(size);
    expect_link_refused({mechanical}, height(), law, {"LawShape::size", found});
    PlasticityLaw plasticity;
    plasticity.rows = size;
    expect_link_refused({mechanical}, height(), plasticity, {"PlasticityLaw", found});
    NewtonImpactFrictionLaw friction;
    friction.dimension = size;
    expect_link_refused({mechanical}, height(), friction, {"NewtonImpactFrictionLaw::dimension", found});
    MixedComplementarityLaw mixed;
    mixed.equalities = mixed.inequalities = size;
    expect_link_refused({electrical}, output(), mixed, {"MixedComplementarityLaw::equalities", found});
    mixed.equalities = 1;
    expect_link_refused({electrical}, output(), mixed, {"MixedComplementarityLaw::inequalities", found});
  }
}

TEST(DeclaredCounts, OfOptionsAreRefusedByName) {
  NonSmoothDynamicalSystem model;
  model.add(ball());
  for (const int threads : {std::numeric_limits<int>::max(), 1 << 20, -1, std::numeric_limits<int>::min()}) {
    TimeSteppingOptions options = with_step(1e-3);
    options.threads = threads;
    expect_refused([&] { TimeStepping simulation(model, options); }, {"TimeSteppingOptions::threads"});
    expect_refused([&] { Workspace workspace(threads); }, {"threads"});
  }
  for (const Index count : {kLargestIndex, Index{1} << 62, Index{-1}}) {
    EventDrivenOptions options;
    options.thresholds.chattering_events = count;
    expect_refused([&] { EventDriven simulation(model, options); }, {"EventThresholds::chattering_events"});
    TimeSteppingOptions stepping = with_step(1e-3);
    stepping.max_subdivisions = count;
    expect_refused([&] { TimeStepping simulation(model, stepping); }, {"TimeSteppingOptions::max_subdivisions"});
  }
}

// As many iterations as an Index counts are none too many: the loop ends where it has settled.
TEST(DeclaredCounts, OfIterationsMayBeAnything) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(ball());
  model.link(system, height(), NewtonImpactLaw{});
  TimeSteppingOptions options = with_step(1e-2);
  options.newton.max_iterations = options.newton.max_halvings = kLargestIndex;
  options.projection.kind = Projection::Combined;
  options.projection.max_iterations = kLargestIndex;
  TimeStepping simulation(model, options);
  EXPECT_TRUE(simulation.advance_to(1.0));
  EventDrivenOptions event_driven;
  event_driven.thresholds.accumulation_impacts = kLargestIndex;
  event_driven.thresholds.chattering_events = 1'000'000'000;
  EventDriven flight(model, event_driven);
  EXPECT_TRUE(flight.advance_to(0.4));
}

TEST(DeclaredHandles, OfSlotsThatDoNotExistAreRefused) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(ball());
  const auto floor = model.link(system, height(), NewtonImpactLaw{});
  const State state = model.initial_state();
  for (const std::uint32_t slot : {1U, 1U << 31, std::numeric_limits<std::uint32_t>::max()}) {
    const SystemHandle nobody{system.model, slot, system.generation};
    const InteractionHandle nothing{floor.model, slot, floor.generation};
    expect_refused([&] { (void)state.q(nobody); }, {"handle"});
    expect_refused([&] { (void)state.y(nothing); }, {"handle"});
    expect_refused([&] { model.remove(nobody); }, {"handle"});
    expect_refused([&] { model.remove(nothing); }, {"handle"});
    expect_refused([&] { model.link(nobody, height(), NewtonImpactLaw{}); }, {"handle"});
  }
}

// A step counter that was written to the end of its range starts a new grid; the next one is no overflow.
TEST(DeclaredCounts, OfStepsAtTheEndOfTheirRange) {
  NonSmoothDynamicalSystem model;
  model.add(ball());
  TimeStepping simulation(model, with_step(0.5));
  ASSERT_TRUE(simulation.step());
  State& state = simulation.state();
  state.k = std::numeric_limits<std::int64_t>::max();
  state.t_origin = 0.0;
  state.t = static_cast<double>(state.k) * 0.5;
  ASSERT_TRUE(simulation.step());
  EXPECT_EQ(simulation.state().k, 1);
}

}  // namespace
}  // namespace nonsmooth::declared_sizes_test
