// SPDX-License-Identifier: Apache-2.0
// A run that goes on from a checkpoint in a model made anew has the bits of the run that never stopped; what is not the
// model of the checkpoint is named.
#include <nonsmooth/io/checkpoint.hpp>

#include <csignal>
#include <fstream>

#include <nonsmooth/io/recorder.hpp>
#include <nonsmooth/kernel/filtered_contacts.hpp>
#include <nonsmooth/kernel/fingerprint.hpp>
#include <support/parameter_name.hpp>

#include "checkpoint_scenes.hpp"
#include "run_files.hpp"
#include "run_processes.hpp"

namespace nonsmooth::checkpoints_test {
namespace {

using namespace checkpoint_tests;
using namespace run_files_test;

// ---- time-stepping

bool knows_joints(const State& state) { return state.differences.size() > state.unknowns.size(); }
bool presses(const State& state) { return state.multipliers.size() > 0 && state.multipliers.maxCoeff() > 0.0; }

/// On a hinge, with a wall.
NonSmoothDynamicalSystem pendulum() {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(PlanarBody{.inertia = 0.1, .position = {0.4, -0.3}, .gravity = {0.0, -9.81}});
  const auto q = model.initial_state().q(body);
  model.link({body}, PlanarHinge{planar_joint_to_ground(q, Eigen::Vector2d::Zero())}, EqualityLaw{});
  model.link(body, LagrangianLinearRelation{.H = {{1.0, 0.0, 0.0}}, .b = {0.2}}, NewtonImpactLaw{.restitution = 0.8});
  return model;
}

/// A cube that hangs by four bonds.
NonSmoothDynamicalSystem hanging_cube() {
  NonSmoothDynamicalSystem model;
  const auto cube = model.add(RigidBody{
      .inertia = 0.007 * Eigen::Matrix3d::Identity(), .position = {0.2, -0.3, -0.1}, .gravity = {0.0, 0.0, -9.81}});
  model.detect(BodyContacts({{cube, {{.shape = Box{Eigen::Vector3d::Constant(0.1)}}}}},
                            {{.shape = HalfSpace{.normal = {0.0, 0.0, -1.0}}}},
                            NewtonImpactFrictionLaw{.friction = 0.3, .dimension = 3, .cohesion = 20.0}));
  return model;
}
/// By a gap that a residual opened.
bool hangs_open(const State& state) {
  return std::any_of(state.contacts.begin(), state.contacts.end(),
                     [](const auto& one) { return one.impulse[0] < 0.0 && one.gap > 1e-12; });
}

const std::vector<Stepped> kStepped = cases_and(
    {{"Disks", disks, {.step = 2e-3}, 400, touches},
     {"DisksOnTwoThreads", disks, {.step = 2e-3, .threads = 2}, 400, touches},
     {"StewartTrinkle", disks, {.integrator = StewartTrinkle{}, .step = 2e-3}, 400, touches},
     {"Projected", disks, {.step = 2e-3, .projection = {.kind = Projection::All}}, 400, touches},
     {"HangingCube", hanging_cube, {.step = 1e-3, .solver = mixed::Automatic{.tolerance = 1e-4}}, 40, hangs_open},
     {"GeneralisedAlpha",
      [] { return bouncing_ball(); },
      {.integrator = GeneralisedAlpha{}, .step = 4e-3},
      800,
      differs},
     {"JointsUnderGeneralisedAlpha", pendulum, {.integrator = GeneralisedAlpha{}, .step = 4e-3}, 500, knows_joints},
     // To the rest behind 1.81 s, of which the next step has to know.
     {"D1MinusLinear", [] { return bouncing_ball(); }, {.integrator = D1MinusLinear{}, .step = 4e-3}, 800, presses},
     {"ExactLinear", [] { return bouncing_ball(); }, {.integrator = ExactLinear{}, .step = 4e-3}, 800, presses}});

class CheckpointOfSteps : public Files, public ::testing::WithParamInterface<Stepped> {};

TEST_P(CheckpointOfSteps, GoesOnWithTheSameBits) {
  const Stepped& own = GetParam();
  TimeStepping whole(own.model(), own.options);
  const Index between = own.steps / 5;
  std::vector<std::uint64_t> hashes;
  bool shown = false;
  for (Index k = 0; k < own.steps; ++k) {
    if (k % between == 0) {
      save_checkpoint(file(std::to_string(k)), whole);
      shown = shown || own.shows(std::as_const(whole).state());
    }
    const StepReport report = whole.step();
    ASSERT_TRUE(report) << report.message();
    hashes.push_back(hash_of(std::as_const(whole).state()));
  }
  EXPECT_TRUE(shown) << "no checkpoint of what the case is about";
  for (Index start = 0; start < own.steps; start += between) {
    TimeStepping again(own.model(), own.options);
    restore(again, file(std::to_string(start)));
    EXPECT_EQ(std::as_const(again).state().steps, start);
    for (Index k = start; k < own.steps; ++k) {
      ASSERT_TRUE(again.step());
      ASSERT_EQ(hash_of(std::as_const(again).state()), hashes[static_cast<std::size_t>(k)])
          << "parted in step " << k << " from the checkpoint before step " << start;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, CheckpointOfSteps, ::testing::ValuesIn(kStepped), test::parameter_name);

class Checkpoints : public Files {};

TEST_F(Checkpoints, KeepEveryNumberOfAState) {
  // hash_of() leaves out what no step depends on: percussions, projections, works, gaps, what sleep took.
  TimeStepping simulation(bowling(), {.step = 1e-3,
                                      .solver = mixed::Automatic{.tolerance = 1e-12},
                                      .projection = {.kind = Projection::All},
                                      .sleep = {.rest = 0.01, .steps = 20}});
  ASSERT_TRUE(simulation.advance_to(0.15));
  State odd = std::as_const(simulation).state();
  ASSERT_FALSE(odd.contacts.empty());
  odd.projections.setConstant(0.5);
  odd.percussions.setConstant(-0.25);
  odd.contacts[0].work_normal = -0.0;
  odd.contacts[0].work_tangential = std::numeric_limits<double>::denorm_min();
  odd.contacts[0].impulse[5] = 7.0;
  simulation.set_state(odd);
  const Checkpoint checkpoint = checkpoint_of(simulation);
  TimeStepping again(bowling(), simulation.options());
  restore(again, checkpoint);
  EXPECT_EQ(checkpoint_of(again).bytes, checkpoint.bytes);
  const State& now = std::as_const(again).state();
  EXPECT_EQ(now.contacts[0].impulse[5], 7.0);
  EXPECT_TRUE(std::signbit(now.contacts[0].work_normal));
  EXPECT_TRUE(now.sleep.taken == odd.sleep.taken);
  EXPECT_TRUE(now.projections == odd.projections);
  EXPECT_TRUE(now.percussions == odd.percussions);
}

// ---- event-driven simulation

struct Method {
  const char* name;
  SmoothIntegrator integrator;
  double step = 0.0;
  friend void PrintTo(const Method& own, std::ostream* out) { *out << own.name; }
};
class CheckpointOfEvents : public Files, public ::testing::WithParamInterface<Method> {};

void expect_same(const EventDriven& one, const EventDriven& other, double T) {
  const State &a = one.state(), &b = other.state();
  ASSERT_EQ(hash_of(a), hash_of(b)) << "at t = " << T;
  ASSERT_EQ(a.events.of, b.events.of) << "at t = " << T;
  ASSERT_TRUE(a.forces == b.forces);
}

TEST_P(CheckpointOfEvents, GoesOnWithTheSameBits) {
  const EventDrivenOptions options{.integrator = GetParam().integrator, .step = GetParam().step};
  // In flight, between impacts that follow fast, behind their accumulation.
  const std::vector<double> stops = {0.2, 0.5, 1.3, 1.75, 1.9, 2.2};
  EventDriven whole(bouncing_ball(), options);
  for (std::size_t k = 0; k < stops.size(); ++k) {
    ASSERT_TRUE(whole.advance_to(stops[k]));
    save_checkpoint(file(std::to_string(k)), whole);
  }
  bool accumulated = false;
  for (const Event& event : whole.events()) accumulated = accumulated || event.kind == EventKind::Accumulation;
  EXPECT_TRUE(accumulated);
  for (std::size_t start = 0; start + 1 < stops.size(); ++start) {
    EventDriven again(bouncing_ball(), options), reference(bouncing_ball(), options);
    restore(again, file(std::to_string(start)));
    for (std::size_t k = 0; k < stops.size(); ++k) {
      ASSERT_TRUE(reference.advance_to(stops[k]));
      if (k > start) {
        ASSERT_TRUE(again.advance_to(stops[k]));
        expect_same(reference, again, stops[k]);
      } else if (k == start) {
        (void)reference.take_events();
      }
    }
    const auto &one = reference.events(), &other = again.events();
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t k = 0; k < one.size(); ++k) {
      EXPECT_EQ(one[k].t, other[k].t);
      EXPECT_EQ(one[k].value, other[k].value);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, CheckpointOfEvents,
                         ::testing::Values(Method{"DormandPrince", DormandPrince{}}, Method{"RadauIIA", RadauIIA{}},
                                           Method{"GeneralisedAlpha", GeneralisedAlpha{}, 1e-3}),
                         test::parameter_name);

TEST_F(Checkpoints, OfMultistepMethodsAreTakenAtInstants) {
  if (!Cvode::available()) GTEST_SKIP() << "built without SUNDIALS";
  // A spring and a mass over a stop; instants of the user's at 0.5 s and 1.5 s.
  const auto model = [] {
    NonSmoothDynamicalSystem made;
    const auto mass = made.add(LagrangianSystem{
        .force = [](double, ConstVectorRef q, ConstVectorRef, VectorRef F) { F[0] = -40.0 * std::sin(q[0]); },
        .q0 = {0.4}});
    made.link(mass, LagrangianLinearRelation{.H = {{1.0}}, .b = {0.3}}, NewtonImpactLaw{.restitution = 0.8});
    return made;
  };
  for (const SmoothIntegrator& integrator :
       {SmoothIntegrator(Cvode{}), SmoothIntegrator(Cvode{Cvode::Method::Bdf}), SmoothIntegrator(Ida{})}) {
    SCOPED_TRACE(integrator.index());
    const EventDrivenOptions options{.integrator = integrator, .events = {{.name = "keep", .instants = {0.5, 1.5}}}};
    EventDriven whole(model(), options);
    Index refused = 0;
    for (const double T : {0.31, 0.43, 0.47}) {
      ASSERT_TRUE(whole.advance_to(T));
      const std::string told = complaint<InvalidArgument>([&] { (void)checkpoint_of(whole); });
      refused += contains(told, "Cvode and Ida at an instant") ? 1 : 0;
    }
    EXPECT_GT(refused, 0);
    EventDriven straight(model(), options);
    ASSERT_TRUE(straight.advance_to(0.5));
    const Checkpoint checkpoint = checkpoint_of(straight);
    EventDriven again(model(), options);
    restore(again, checkpoint);
    for (const double T : {0.9, 1.5, 2.0}) {
      ASSERT_TRUE(straight.advance_to(T));
      ASSERT_TRUE(again.advance_to(T));
      ASSERT_EQ(hash_of(straight.state()), hash_of(again.state())) << T;
    }
  }
}

TEST_F(Checkpoints, OfEventsAreTakenBetweenCalls) {
  EventDriven simulation(bouncing_ball());
  std::string told;
  ASSERT_TRUE(simulation.advance_to(
      0.2, [&](const State&) { told = complaint<InvalidArgument>([&] { (void)checkpoint_of(simulation); }); }));
  EXPECT_TRUE(contains(told, "between two calls of advance_to()")) << told;
  const std::string refused =
      complaint<InvalidArgument>([&] { Recorder recorder(file("run.h5"), simulation, {.checkpoint_every = 10}); });
  EXPECT_TRUE(contains(refused, "RecorderOptions::checkpoint_every: found 10 of EventDriven")) << refused;
  EXPECT_FALSE(std::filesystem::exists(file("run.h5")));
}

// ---- after edits

template <class Simulated, class Options>
void expect_same_bits_after_an_edit(const std::filesystem::path& path, const Options& options) {
  SpheresAndCart scene;
  Simulated whole(scene.model, options);
  ASSERT_TRUE(whole.advance_to(0.3));
  scene.edit(whole);
  ASSERT_TRUE(whole.advance_to(0.5));
  save_checkpoint(path, whole);
  SpheresAndCart made;
  Simulated again(made.model, options);
  const std::uint64_t before = hash_of(std::as_const(again).state());
  const std::string told = complaint<InvalidArgument>([&] { restore(again, path); });
  EXPECT_TRUE(contains(told, "system 0, system 0")) << told;
  EXPECT_EQ(hash_of(std::as_const(again).state()), before);
  made.edit(again);
  restore(again, path);
  std::vector<std::uint64_t> hashes;
  ASSERT_TRUE(whole.advance_to(1.0, [&](const State& state) { hashes.push_back(hash_of(state)); }));
  std::size_t k = 0;
  ASSERT_TRUE(again.advance_to(1.0, [&](const State& state) {
    ASSERT_LT(k, hashes.size());
    ASSERT_EQ(hash_of(state), hashes[k++]) << "at t = " << state.t;
  }));
  EXPECT_EQ(k, hashes.size());
  EXPECT_EQ(hash_of(std::as_const(again).state()), hash_of(std::as_const(whole).state()));
}

TEST_F(Checkpoints, AfterAnEditOfSteps) {
  expect_same_bits_after_an_edit<TimeStepping>(file("state"), TimeSteppingOptions{.step = 1e-3});
}
TEST_F(Checkpoints, AfterAnEditOfEvents) {
  expect_same_bits_after_an_edit<EventDriven>(file("state"), EventDrivenOptions{});
}

// ---- what differs is named

std::string refusal(const Constants& constants, const Checkpoint& checkpoint) {
  TimeStepping other(SpheresAndCart(constants).model, {.step = 1e-3});
  const std::uint64_t before = hash_of(std::as_const(other).state());
  const std::string told = complaint<InvalidArgument>([&] { restore(other, checkpoint); });
  EXPECT_EQ(hash_of(std::as_const(other).state()), before) << "the simulation is not what it was";
  return told;
}

TEST_F(Checkpoints, NameWhatDiffers) {
  TimeStepping simulation(SpheresAndCart().model, {.step = 1e-3});
  ASSERT_TRUE(simulation.advance_to(0.1));
  const Checkpoint checkpoint = checkpoint_of(simulation);
  const auto expect_named = [&](const Constants& constants, const std::vector<std::string>& parts) {
    const std::string told = refusal(constants, checkpoint);
    for (const std::string& part : parts) EXPECT_TRUE(contains(told, part)) << part << " in " << told;
    EXPECT_TRUE(contains(told, "functions are compared at t = 0 and the initial values only")) << told;
  };
  expect_named({.mass = 2.0}, {"system 0, system 0: M = diagonal [2 2 2", "(in the checkpoint M = diagonal [1 1 1"});
  expect_named({.gravity = 1.62}, {"system 0, system 0: F = [0 0 -1.62 0 0 0]", "[0 0 -9.81 0 0 0]"});
  expect_named({.friction = 0.41}, {"source 0: laws = ", "mu 0.41"});
  expect_named({.restitution = 0.31}, {"source 0: laws = "});
  expect_named({.radius = 0.11}, {"source 0: shapes = "});
  expect_named({.name = "middle"}, {"system 1, middle, where the checkpoint has system 1, second"});
  // One more system, without an interaction less, another function.
  const auto told_of = [&](const auto& change) {
    NonSmoothDynamicalSystem model = SpheresAndCart().model;
    change(model);
    TimeStepping other(model, {.step = 1e-3});
    return complaint<InvalidArgument>([&] { restore(other, checkpoint); });
  };
  const std::string more = told_of([](auto& model) { model.add(LagrangianLinearSystem{.q0 = {0.0}, .name = "more"}); });
  EXPECT_TRUE(contains(more, "system 4, more, where the checkpoint has interaction 0, stop")) << more;
}

TEST_F(Checkpoints, NameOtherPairsOfMaterialsAndOfBodies) {
  // Two spheres of their own materials that touch nothing yet.
  const auto model_of = [](Index law, bool excludes) {
    NonSmoothDynamicalSystem model;
    const auto one = model.add(RigidBody{.position = {0.0, 0.0, 1.0}}),
               other = model.add(RigidBody{.position = {0.0, 0.0, 2.0}});
    const NewtonImpactFrictionLaw smooth{.friction = 0.1, .dimension = 3}, rough{.friction = 0.9, .dimension = 3};
    BodyContacts contacts({{one, {{.shape = Sphere{0.1}}}}, {other, {{.shape = Sphere{0.1}, .material = 1}}}},
                          {{.shape = HalfSpace{}}}, {smooth, rough}, ContactMaterials(2, 0).set_law(0, 1, law));
    if (excludes) contacts.exclude(one, other);
    model.detect(contacts);
    return model;
  };
  TimeStepping simulation(model_of(0, false), {.step = 1e-3});
  ASSERT_TRUE(simulation.advance_to(0.01));
  const Checkpoint checkpoint = checkpoint_of(simulation);
  const auto told_of = [&](const NonSmoothDynamicalSystem& model) {
    TimeStepping other(model, {.step = 1e-3});
    return complaint<InvalidArgument>([&] { restore(other, checkpoint); });
  };
  const std::string law = told_of(model_of(1, false)), excluded = told_of(model_of(0, true));
  EXPECT_TRUE(contains(law, "source 0: pairs = 2 materials of hash ")) << law;
  EXPECT_TRUE(contains(excluded, "source 0: excluded pairs = 1 of hash ")) << excluded;
  TimeStepping same(model_of(0, false), {.step = 1e-3});
  restore(same, checkpoint);
}

TEST_F(Checkpoints, FunctionsAreComparedWhereTheyAreAsked) {
  const auto model = [](double at_start, double rate, double gap) {
    NonSmoothDynamicalSystem made;
    const auto mass = made.add(LagrangianLinearSystem{
        .force = [=](double t, VectorRef f) { f[0] = at_start + rate * t; }, .q0 = {1.0}, .name = "mass"});
    made.link(mass,
              ScleronomousRelation{.h = [=](ConstVectorRef q, VectorRef y) { y[0] = q[0] + gap * (q[0] - 1.0); },
                                   .H = [](ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; }},
              NewtonImpactLaw{}, "stop");
    return made;
  };
  TimeStepping simulation(model(-1.0, 0.0, 0.0), {.step = 1e-2});
  ASSERT_TRUE(simulation.advance_to(0.5));
  const Checkpoint checkpoint = checkpoint_of(simulation);
  // Another force at the start is seen, one that differs later is not.
  TimeStepping other(model(-2.0, 0.0, 0.0), {.step = 1e-2});
  const std::string told = complaint<InvalidArgument>([&] { restore(other, checkpoint); });
  EXPECT_TRUE(contains(told, "system 0, mass: F = a function, at t = 0 [-2]")) << told;
  TimeStepping later(model(-1.0, 3.0, 0.0), {.step = 1e-2});
  const RestoreReport report = restore(later, checkpoint);
  EXPECT_EQ(report.t, simulation.state().t);
  ASSERT_EQ(report.functions.size(), 1U);
  EXPECT_EQ(report.functions.front(), "system 0, mass: F");
  EXPECT_TRUE(contains(report.message(), "functions of the model cannot be compared")) << report.message();
  EXPECT_TRUE(contains(report.message(), "(system 0, mass: F)")) << report.message();
  // Where there are no functions, none are spoken of; what is not asked is called so.
  TimeStepping plain(bouncing_ball(), {.step = 1e-3});
  EXPECT_EQ(restore(plain, checkpoint_of(plain)).message(), "goes on from checkpoint, at t = 0 s");
  NonSmoothDynamicalSystem model_of_disks = disks();
  const std::shared_ptr<const ContactSource> source = model_of_disks.sources()[0];
  model_of_disks.detect(FilteredContacts(source, [](const DetectedContact& one, const BodyView&) { return one.law; }));
  TimeStepping filtered(model_of_disks, {.step = 2e-3});
  const std::string told_of_filter = restore(filtered, checkpoint_of(filtered)).message();
  EXPECT_TRUE(contains(told_of_filter, "source 1: filter, not asked)")) << told_of_filter;
  EXPECT_FALSE(contains(told_of_filter, "source 0: filter")) << told_of_filter;
  // Another gap that is the same at the start gives another y at the state itself: 0.1 of the way.
  TimeStepping elsewhere(model(-1.0, 0.0, 0.1), {.step = 1e-2});
  const std::string outputs = complaint<InvalidArgument>([&] { restore(elsewhere, checkpoint); });
  EXPECT_TRUE(contains(outputs, "functions that give other outputs y and u")) << outputs;
  EXPECT_EQ(std::as_const(elsewhere).state().t, 0.0);
}

// ---- in the files of runs

TEST_F(Checkpoints, ThatAreCloseMakeNoLargeFiles) {
  // A chunk has 10 steps. Between two of 400 checkpoints at most two chunks are written, of 10 steps of some 320 bytes
  // and of 64 contacts of 15 numbers, and a checkpoint of less than 4 kB: 2 (3200 + 64 15 8) + 4000 < 26 kB, even if
  // nothing were compressed, and 10.4 MB in all. Were each checkpoint to write all steps before it once more, these
  // were 400 times 2000 steps.
  constexpr Index steps = 4000, every = 10;
  {
    TimeStepping simulation(bouncing_ball(), {.step = 1e-3});
    Recorder recorder(file("run.h5"), simulation, {.checkpoint_every = every});
    for (Index k = 0; k < steps; ++k) recorder.record(simulation.step());
    recorder.close();
  }
  const RunFile run(file("run.h5"));
  EXPECT_EQ(run.num_steps(), steps + 1);
  ASSERT_EQ(run.checkpoints().size(), static_cast<std::size_t>(steps / every));
  EXPECT_LT(run.checkpoint(0).size(), 4000U);
  EXPECT_LT(std::filesystem::file_size(file("run.h5")), 12'000'000U);
}

TEST_F(Checkpoints, ARunThatWasKilledGoesOnFromItsLast) {
  std::vector<std::uint64_t> hashes;
  {
    TimeStepping whole(SpheresAndCart().model, {.step = 1e-3});
    hashes.push_back(hash_of(std::as_const(whole).state()));
    ASSERT_TRUE(whole.advance_to(0.8, [&](const State& state) { hashes.push_back(hash_of(state)); }));
  }
  const pid_t child = start_child([&]() -> int {
    TimeStepping own(SpheresAndCart().model, {.step = 1e-3});
    Recorder recorder(file("run.h5"), own, {.every = 3, .checkpoint_every = 100});
    own.advance_to(0.45, recorder);
    recorder.flush();
    ::raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(end_of(child), -1);
  const RunFile run(file("run.h5"));
  EXPECT_FALSE(run.parts()[0].closed);
  const auto kept = run.checkpoints();
  ASSERT_EQ(kept.size(), 4U);
  EXPECT_EQ(kept.back().step, 399 / 3);  // the last recorded step before or at step 400
  std::string lines;
  for (const std::string& line : fingerprint_of(SpheresAndCart().model)) lines += (lines.empty() ? "" : "\n") + line;
  EXPECT_EQ(run.about().fingerprint, lines);
  TimeStepping again(SpheresAndCart().model, {.step = 1e-3});
  restore(again, file("run.h5"));
  EXPECT_EQ(std::as_const(again).state().steps, 400);
  EXPECT_EQ(kept.back().t, std::as_const(again).state().t);
  Recorder next(file("next.h5"), again);
  ASSERT_TRUE(again.advance_to(0.8, next));
  next.close();
  const std::vector<std::uint64_t> later = RunFile(file("next.h5")).hashes();
  ASSERT_EQ(later.size(), hashes.size() - 400);
  for (std::size_t k = 0; k < later.size(); ++k) ASSERT_EQ(later[k], hashes[400 + k]) << "step " << 400 + k;
  TimeStepping other(SpheresAndCart({.mass = 2.0}).model, {.step = 1e-3});
  EXPECT_TRUE(contains(complaint<InvalidArgument>([&] { restore(other, file("run.h5")); }), "run.h5, checkpoint 3"));
}

TEST_F(Checkpoints, ARecorderKeepsThemWhereItIsAsked) {
  SpheresAndCart scene;
  EventDriven simulation(scene.model);
  {
    Recorder recorder(file("run.h5"), simulation);
    ASSERT_TRUE(simulation.advance_to(0.3, recorder));
    recorder.checkpoint();
    scene.edit(simulation);
    recorder.checkpoint();  // of the next part, whose first step it is behind
    ASSERT_TRUE(simulation.advance_to(0.6, recorder));
    recorder.checkpoint();
    recorder.close();
  }
  const RunFile run(file("run.h5"));
  ASSERT_EQ(run.parts().size(), 2U);
  ASSERT_EQ(run.checkpoints().size(), 3U);
  EXPECT_EQ(run.checkpoints()[1].step, run.parts()[1].first_step);
  SpheresAndCart made;
  EventDriven first(made.model);
  restore(first, Checkpoint{run.checkpoint(0), "the first"});
  EXPECT_EQ(first.state().t, 0.3);
  made.edit(first);  // as the run did
  ASSERT_TRUE(first.advance_to(0.6));
  EXPECT_EQ(hash_of(first.state()), hash_of(simulation.state()));
  SpheresAndCart later;
  EventDriven last(later.model);
  later.edit(last);
  restore(last, last_checkpoint(run));
  EXPECT_EQ(hash_of(last.state()), hash_of(simulation.state()));
  ASSERT_TRUE(simulation.advance_to(1.0));
  ASSERT_TRUE(last.advance_to(1.0));
  EXPECT_EQ(hash_of(last.state()), hash_of(simulation.state()));
}

TEST_F(Checkpoints, ARunWithoutOneSaysSo) {
  TimeStepping simulation(bouncing_ball(), {.step = 1e-3});
  Recorder(file("run.h5"), simulation).close();
  const std::string told = complaint<InvalidArgument>([&] { restore(simulation, file("run.h5")); });
  EXPECT_TRUE(contains(told, "run.h5 without a checkpoint")) << told;
  EXPECT_TRUE(contains(complaint<FileError>([&] { restore(simulation, file("none")); }), "none: cannot be opened"));
  EXPECT_TRUE(
      contains(complaint<InvalidArgument>([&] { Recorder(file("other.h5"), simulation, {.checkpoint_every = -1}); }),
               "RecorderOptions::checkpoint_every: found -1"));
}

}  // namespace
}  // namespace nonsmooth::checkpoints_test
