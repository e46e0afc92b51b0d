// SPDX-License-Identifier: Apache-2.0
// The scene of a run in its file and in a page, read back by a decoder of its own.
#include <nonsmooth/io/scene.hpp>

#include <cmath>
#include <fstream>
#include <limits>

#include <gtest/gtest.h>

#include <nonsmooth/io/recorder.hpp>
#include <nonsmooth/io/view.hpp>
#include <nonsmooth/kernel/body_contacts.hpp>
#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/laws.hpp>
#include <nonsmooth/kernel/relations.hpp>
#include <nonsmooth/kernel/systems.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>

#include "page_reader.hpp"
#include "problem_files.hpp"

namespace nonsmooth::scene_pages_test {
namespace {

using page_test::Page;
using problem_files_test::complaint;
using problem_files_test::contains;
using problem_files_test::Files;
using Kind = SceneGeometry::Kind;

class Pages : public Files {
 protected:
  void SetUp() override {
    Files::SetUp();
    std::ofstream(file("three.js")) << "REVISION";
  }
  [[nodiscard]] ViewOptions options() const { return {.three = file("three.js")}; }

  /// Two balls on their way along a helix, turning about z, as steps of a run with `steps` of them. Contacts, so many a
  /// step, have forces of 1 to `contacts` N at places that nothing compresses.
  void write_helix(const std::string& name, Index steps, Index contacts = 0) const {
    NonSmoothDynamicalSystem model;
    const SystemHandle one = model.add(RigidBody{.name = "one"}), two = model.add(RigidBody{.name = "two"});
    model.detect(BodyContacts({{one, {{.shape = Sphere{0.1}}}}, {two, {{.shape = Box{{0.1, 0.1, 0.1}}}}}},
                              {{.shape = HalfSpace{{0, 0, 1}, -1.0}}}, NewtonImpactLaw{0.5}));
    RunDescription description;
    description.about = {.name = "helix", .simulation = "TimeStepping"};
    description.systems = {{"one", 0, 7, 0, 6, false}, {"two", 7, 7, 6, 6, false}};
    description.sizes = {14, 12, 0, 0, 0, 0, 0};
    description.columns = {"t", "kinetic", "residual"};
    description.contact_forces = contacts > 0;
    describe_scene(scene_of(model), description);
    RunWriter writer(file(name), description);
    for (Index k = 0; k < steps; ++k) {
      const std::vector<double> q = positions(k), v(12, 0.5), values{0.01 * static_cast<double>(k), 1.0, 1e-9};
      RunStep step{.values = values};
      step.arrays[0] = q;
      step.arrays[1] = v;
      std::vector<ActingContact> list(static_cast<std::size_t>(contacts));
      for (std::size_t c = 0; c < list.size(); ++c) {
        const double x = std::fmod(0.7548776662 * static_cast<double>(c + 1) * static_cast<double>(k + 1), 1.0);
        list[c] = {.point = {x, x * x, std::sqrt(x)}, .normal = {0.0, 0.0, 1.0}, .first = 0, .second = 1};
        list[c].force = list[c].impulse = Eigen::Vector3d(0.0, 0.0, static_cast<double>(c + 1));
      }
      step.contacts = list;
      writer.add(step);
    }
    writer.close();
  }
  static std::vector<double> positions(Index step) {
    const double a = 0.1 * static_cast<double>(step);
    return {std::cos(a), std::sin(a), 0.05 * a,          std::cos(a),       0.0, 0.0, std::sin(a), -std::cos(a),
            0.5,         2.0,         std::cos(0.5 * a), std::sin(0.5 * a), 0.0, 0.0};
  }
};

TEST_F(Pages, ARecorderKeepsTheSceneOfEachRevision) {
  NonSmoothDynamicalSystem model;
  const SystemHandle ball = model.add(RigidBody{.position = {0, 0, 1}, .name = "ball"});
  std::vector<BodyShapes> shapes{{ball, {{.shape = Sphere{0.1}}}}};
  const SourceHandle source = model.detect(BodyContacts(shapes, {{.shape = HalfSpace{}}}, NewtonImpactLaw{0.5}));
  TimeStepping simulation(model, {.step = 1e-2});
  // A mark on the ground beside what the source has, and a table of the user's own.
  const ShapeOnBody post{.shape = Box{{0.1, 0.1, 1.0}}, .position = {2.0, 0.0, 0.0}};
  Recorder recorder(file("run.h5"), simulation,
                    {.shapes = {{{}, post}}, .tables = {{"/own/table", RunRows{{1.0, 2.0}}}}});
  ASSERT_TRUE(simulation.advance_to(0.05, recorder));
  simulation.edit([&](NonSmoothDynamicalSystem& edited) {
    shapes.push_back(
        {edited.add(RigidBody{.position = {1, 0, 1}, .name = "block"}), {{.shape = Box{{0.1, 0.1, 0.1}}}}});
    edited.replace(source, BodyContacts(shapes, {{.shape = HalfSpace{}}}, NewtonImpactLaw{0.5}));
  });
  ASSERT_TRUE(simulation.advance_to(0.1, recorder));
  recorder.close();
  const RunFile run(file("run.h5"));
  ASSERT_EQ(run.parts().size(), 2U);
  EXPECT_EQ(read_scene(run, 0), scene_of(model, {{{}, post}}));
  EXPECT_EQ(read_scene(run, 1), scene_of(simulation.model(), {{{}, post}}));
  EXPECT_EQ(read_scene(run, 1).shapes.size(), 4U);
  EXPECT_EQ(run.table(0, "/own/table"), (RunRows{{1.0, 2.0}}));

  // On the page the block is not there (0) before it came.
  (void)write_view(run, file("run.html"), options());
  const Page page(file("run.html"));
  const std::vector<std::uint16_t> places = page.frames("places");
  ASSERT_EQ(places.size(), static_cast<std::size_t>(run.num_steps()) * 2 * 3);
  EXPECT_EQ(places[3], 0);
  EXPECT_GT(places[places.size() - 3], 0);
}

TEST_F(Pages, TimesAreThoseOfTheRunHoweverLate) {
  // At 1e5 s floats are 7.8 ms apart: eight steps of 1 ms would be one.
  constexpr Index steps = 40;
  const auto time = [](Index k) { return 1e5 + 1e-3 * static_cast<double>(k); };
  RunDescription description;
  description.about = {.name = "late", .simulation = "TimeStepping"};
  description.systems = {{"x", 0, 0, 0, 1, true}};
  description.sizes = {0, 1, 0, 0, 0, 0, 0};
  description.columns = {"t"};
  RunWriter writer(file("late.h5"), description);
  for (Index k = 0; k < steps; ++k) {
    const std::vector<double> x{1.0}, values{time(k)};
    RunStep step{.values = values};
    step.arrays[1] = x;
    writer.add(step);
  }
  writer.close();
  (void)write_view(RunFile(file("late.h5")), file("late.html"), options());
  const std::vector<double> times = Page(file("late.html")).times();
  ASSERT_EQ(times.size(), static_cast<std::size_t>(steps));
  for (Index k = 0; k < steps; ++k) EXPECT_EQ(times[static_cast<std::size_t>(k)], time(k)) << k;
}

TEST_F(Pages, PlacesAndTurnsAreThoseOfTheRunToSixteenBits) {
  write_helix("helix.h5", 40);
  const RunFile run(file("helix.h5"));
  const ViewReport view = write_view(run, file("helix.html"), options());
  EXPECT_EQ(view.frames, 40);
  EXPECT_EQ(view.left_out, "");
  const Page page(file("helix.html"));
  const std::vector<double> low = page.numbers("low"), high = page.numbers("high");
  const std::vector<std::uint16_t> places = page.frames("places"), turns = page.frames("turns");
  ASSERT_EQ(low.size(), 3U);
  ASSERT_EQ(places.size(), 40U * 2 * 3);
  ASSERT_EQ(turns.size(), 40U * 2 * 3);
  for (Index k = 0; k < 40; ++k) {
    const std::vector<double> q = positions(k);
    for (std::size_t b = 0; b < 2; ++b) {
      const double sign = q[7 * b + 3] < 0.0 ? -1.0 : 1.0;
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t at = (static_cast<std::size_t>(k) * 2 + b) * 3 + i;
        const double unit = (high[i] - low[i]) / 65534.0;  // one step of 16 bits; rounding is half of one
        EXPECT_NEAR(low[i] + unit * (places[at] - 1.0), q[7 * b + i], 0.51 * unit) << k;
        EXPECT_NEAR(turns[at] / 32767.0 - 1.0, sign * q[7 * b + 4 + i], 0.51 / 32767.0) << k;
      }
    }
  }
}

TEST_F(Pages, SpeedsAreThoseOfPlacesAlone) {
  // A planar body drawn among bodies in space: its third unknown is an angular velocity, 100 rad/s, and no speed.
  NonSmoothDynamicalSystem model;
  model.add(RigidBody{.velocity = {0.0, 0.0, 1.0}, .angular_velocity = {300.0, 0.0, 0.0}, .name = "one"});
  const SystemHandle flat = model.add(PlanarBody{.velocity = {2.0, 0.0}, .angular_velocity = 100.0, .name = "flat"});
  TimeStepping simulation(model, {.step = 1e-3});
  const ShapeOnBody ball{.shape = Sphere{0.1}};
  Recorder recorder(file("run.h5"), simulation, {.shapes = {{flat, ball}}});
  ASSERT_TRUE(simulation.advance_to(0.01, recorder));
  recorder.close();
  (void)write_view(RunFile(file("run.h5")), file("run.html"), options());
  const Page page(file("run.html"));
  ASSERT_TRUE(contains(page.scene(), "\"dimension\": 3")) << page.scene();
  EXPECT_DOUBLE_EQ(page.number("typical_speed"), 2.0);
}

TEST_F(Pages, SpeedsAreThoseOfTheRunHoweverWideTheScene) {
  // One is a kilometre away and crawls at 1 mm/s, 0.1 mm a frame, where a step of the 16 bits is more than 15 mm; one
  // comes later; one rests; one is five decades slower than the fastest.
  NonSmoothDynamicalSystem model;
  const auto moving = [&](double x, double v, const char* name) {
    return model.add(RigidBody{.position = {x, 0.0, 0.0}, .velocity = {v, 0.0, 0.0}, .name = name});
  };
  const std::vector<SystemHandle> bodies = {moving(0.0, 10.0, "fast"), moving(1000.0, 1e-3, "slow"),
                                            moving(500.0, 0.0, "still"), moving(200.0, 9e-5, "slowest")};
  TimeStepping simulation(model, {.step = 0.1});
  Recorder recorder(file("run.h5"), simulation);
  ASSERT_TRUE(simulation.advance_to(1.0, recorder));
  simulation.edit([](NonSmoothDynamicalSystem& edited) {
    edited.add(RigidBody{.position = {0, 1, 0}, .velocity = {0, 0.5, 0}, .name = "late"});
  });
  ASSERT_TRUE(simulation.advance_to(2.0, recorder));
  recorder.close();
  const RunFile run(file("run.h5"));
  (void)write_view(run, file("run.html"), options());
  const Page page(file("run.html"));
  const std::vector<std::uint8_t> codes = page.byte_frames("speeds");
  const std::size_t frames = static_cast<std::size_t>(run.num_steps()), n = 5;
  ASSERT_EQ(codes.size(), frames * n);
  const double largest = page.number("largest_speed"), decades = page.number("speed_decades");
  EXPECT_DOUBLE_EQ(largest, 10.0);
  const auto speed = [&](std::size_t f, std::size_t b) {
    const int code = codes[f * n + b];
    return code == 0 ? 0.0 : largest * std::pow(10.0, decades * (code - 255) / 254);
  };
  const double exact = std::pow(10.0, 0.5 * decades / 254) * (1.0 + 1e-9);  // rounding: half a code
  for (std::size_t f = 0; f < frames; ++f) {
    EXPECT_EQ(speed(f, 0), 10.0);
    EXPECT_LT(std::max(speed(f, 1) / 1e-3, 1e-3 / speed(f, 1)), exact) << f;
    EXPECT_EQ(speed(f, 2), 0.0);
    EXPECT_EQ(speed(f, 3), 0.0);
  }
  const std::size_t came = static_cast<std::size_t>(run.parts()[1].first_step);
  EXPECT_EQ(speed(came - 1, 4), 0.0);
  for (std::size_t f = came; f < frames; ++f) EXPECT_LT(std::max(speed(f, 4) / 0.5, 0.5 / speed(f, 4)), exact) << f;
}

TEST_F(Pages, SpeedsOfARunThatRestsMostOfTheTimeAreSeenBesideThoseOfItsMotion) {
  NonSmoothDynamicalSystem model;
  model.add(RigidBody{.name = "one"});
  RunDescription description;
  description.systems = {{"one", 0, 7, 0, 6, false}};
  description.sizes = {7, 6, 0, 0, 0, 0, 0};
  describe_scene(scene_of(model), description);
  RunWriter writer(file("rest.h5"), description);
  for (int k = 0; k < 200; ++k) {  // a tenth of the time it moves, then what a solver leaves
    const std::vector<double> values{0.1 * k}, q{0.1 * k, 0, 0, 1, 0, 0, 0}, v{k < 20 ? 2.0 : 1e-6, 0, 0, 0, 0, 0};
    RunStep step{.values = values};
    step.arrays[0] = q;
    step.arrays[1] = v;
    writer.add(step);
  }
  writer.close();
  (void)write_view(RunFile(file("rest.h5")), file("rest.html"), options());
  EXPECT_DOUBLE_EQ(Page(file("rest.html")).number("typical_speed"), 0.2);  // a tenth of the 95th percentile
}

TEST_F(Pages, SystemsThatNoBodyStandsForArePlottedBesideThoseThatAreDrawn) {
  NonSmoothDynamicalSystem model;
  const SystemHandle ball = model.add(RigidBody{.position = {0, 0, 1}, .name = "ball"});
  const SystemHandle store =
      model.add(FirstOrderLinearSystem{.A = {{-1.0, 0.0}, {0.0, -1.0}}, .x0 = {1.0, 0.5}, .name = "store"});
  model.link(store, FirstOrderLinearRelation{.C = {{1.0, 0.0}}, .B = {{1.0}, {0.0}}}, ComplementarityLaw{}, "diode");
  model.detect(BodyContacts({{ball, {{.shape = Sphere{0.1}}}}}, {{.shape = HalfSpace{}}}, NewtonImpactLaw{0.5}));
  TimeStepping simulation(model, {.step = 1e-2});
  Recorder recorder(file("run.h5"), simulation);
  ASSERT_TRUE(simulation.advance_to(0.1, recorder));
  recorder.close();
  (void)write_view(RunFile(file("run.h5")), file("run.html"), options());
  const std::string scene = Page(file("run.html")).scene();
  for (const char* title : {"store: x", "store: phase portrait", "diode: lambda", "energy [J]"}) {
    EXPECT_TRUE(contains(scene, "\"title\": \"" + std::string(title) + "\"")) << title;
  }
  EXPECT_FALSE(contains(scene, "ball: ")) << "it is drawn";
}

TEST_F(Pages, FramesAreThinnedEvenlyAndThePageSaysSo) {
  write_helix("helix.h5", 500);
  const RunFile run(file("helix.h5"));
  ViewOptions few = options();
  few.frames = 11;
  EXPECT_EQ(write_view(run, file("few.html"), few).frames, 11);
  const Page page(file("few.html"));
  EXPECT_TRUE(contains(page.scene(), "11 of 500 steps"));
  const std::vector<std::uint16_t> places = page.frames("places");
  const std::vector<double> low = page.numbers("low"), high = page.numbers("high");
  for (Index f = 0; f < 11; ++f) {  // frames at k = 499 f / 10, rounded up
    const auto step = static_cast<Index>(std::ceil(49.9 * static_cast<double>(f) - 1e-9));
    const double unit = (high[0] - low[0]) / 65534.0;
    EXPECT_NEAR(low[0] + unit * (places[static_cast<std::size_t>(f) * 6] - 1.0), positions(step)[0], 0.51 * unit);
  }
  ViewOptions small = options();
  small.megabytes = 0.066;  // the page itself takes some 0.06
  const ViewReport view = write_view(run, file("small.html"), small);
  EXPECT_LT(view.frames, 500);
  EXPECT_LE(static_cast<double>(view.bytes), 0.066e6);
  EXPECT_TRUE(contains(view.left_out, "0.066 MB")) << view.left_out;
}

TEST_F(Pages, ImpulsesOfInstantsThatAreNoFrameAreNotLost) {
  // A ball falls from 1 m and bounces, by events: m (1 + e) v at each impact, in a page of four frames.
  NonSmoothDynamicalSystem model;
  const auto ball =
      model.add(LagrangianLinearSystem{.mass = {{2.0}}, .force = {-2.0 * 9.81}, .q0 = {1.0}, .name = "ball"});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{0.5}, "floor");
  EventDriven simulation(model, {.largest_step = 0.01});
  Recorder recorder(file("run.h5"), simulation);
  ASSERT_TRUE(simulation.advance_to(1.2, recorder));
  recorder.close();
  ViewOptions few = options();
  few.frames = 4;
  ASSERT_EQ(write_view(RunFile(file("run.h5")), file("run.html"), few).frames, 4);
  const std::vector<float> told = Page(file("run.html")).curve("floor: impulse since the frame before", "p");
  ASSERT_EQ(told.size(), 4U);
  // Frames at 0, 0.4, 0.8 and 1.2 s; it lands at t_1 = sqrt(2 / g) = 0.452 s, then at t_1 + 2 e t_1 =
  // 0.903 and + 2 e^2 t_1 = 1.129 s. Floats round to 6e-8 of 40 N s.
  const double speed = std::sqrt(2.0 * 9.81), first = 2.0 * 1.5 * speed;
  EXPECT_EQ(told[0], 0.0f);
  EXPECT_EQ(told[1], 0.0f);
  EXPECT_NEAR(told[2], first, 1e-5);
  EXPECT_NEAR(told[3], 0.5 * first + 0.25 * first, 1e-5);
}

TEST_F(Pages, ContactsAreLeftOutBeforeFrames) {
  write_helix("helix.h5", 20, 3000);
  const RunFile run(file("helix.h5"));
  const ViewReport all = write_view(run, file("all.html"), options());
  EXPECT_EQ(all.left_out, "");
  ViewOptions small = options();
  small.megabytes = 0.5e-6 * static_cast<double>(all.bytes);
  const ViewReport view = write_view(run, file("small.html"), small);
  EXPECT_EQ(view.frames, 20);
  EXPECT_LE(static_cast<double>(view.bytes), 1e6 * small.megabytes);
  EXPECT_GT(static_cast<double>(view.bytes), 0.8e6 * small.megabytes) << "room is used";
  EXPECT_TRUE(contains(view.left_out, "of 3000 contacts")) << view.left_out;
  EXPECT_TRUE(contains(Page(file("small.html")).scene(), "of up to 3000 contacts")) << "the page says so";
}

TEST_F(Pages, ABodyThatFallsWithoutEndDoesNotMakeOthersSmall) {
  RunDescription description;
  description.about = {.name = "fall"};
  const Index n = 600;
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> shapes;
  for (Index i = 0; i < n; ++i) {
    shapes.push_back({model.add(RigidBody{.name = "b" + std::to_string(i)}), {{.shape = Sphere{0.01}}}});
    description.systems.push_back({"b" + std::to_string(i), 7 * i, 7, 6 * i, 6, false});
  }
  model.detect(BodyContacts(shapes, {}, NewtonImpactLaw{0.5}));
  description.sizes = {7 * n, 6 * n, 0, 0, 0, 0, 0};
  describe_scene(scene_of(model), description);
  RunWriter writer(file("fall.h5"), description);
  std::vector<double> q(static_cast<std::size_t>(7 * n), 0.0), v(static_cast<std::size_t>(6 * n), 0.0);
  for (Index i = 0; i < n; ++i) {
    q[static_cast<std::size_t>(7 * i)] = static_cast<double>(i) / static_cast<double>(n);
    q[static_cast<std::size_t>(7 * i + 3)] = 1.0;
  }
  for (int k = 0; k < 3; ++k) {
    q[0] = -1e9 * k;
    RunStep step{.values = std::vector<double>{0.1 * k}};
    const std::vector<double> values{0.1 * k};
    step.values = values;
    step.arrays[0] = q;
    step.arrays[1] = v;
    writer.add(step);
  }
  writer.close();
  (void)write_view(RunFile(file("fall.h5")), file("fall.html"), options());
  EXPECT_GT(Page(file("fall.html")).numbers("low")[0], -10.0);
}

TEST_F(Pages, BodiesWithoutAFinitePositionAreNotThereAndNamedWithTheirFirstTime) {
  // Three balls in five steps: the second has a NaN from the third step on, the third an infinity at the fourth.
  RunDescription description;
  description.about = {.name = "lost"};
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> shapes;
  for (Index i = 0; i < 3; ++i) {
    shapes.push_back({model.add(RigidBody{.name = "ball " + std::to_string(i)}), {{.shape = Sphere{0.1}}}});
    description.systems.push_back({"ball " + std::to_string(i), 7 * i, 7, 6 * i, 6, false});
  }
  model.detect(BodyContacts(shapes, {}, NewtonImpactLaw{0.5}));
  description.sizes = {21, 18, 0, 0, 0, 0, 0};
  describe_scene(scene_of(model), description);
  const auto write = [&](const std::string& name, bool third_too) {
    RunWriter writer(file(name), description);
    const std::vector<double> v(18, 0.0);
    for (int k = 0; k < 5; ++k) {
      std::vector<double> q(21, 0.0);
      for (std::size_t b = 0; b < 3; ++b) q[7 * b] = static_cast<double>(b), q[7 * b + 3] = 1.0;
      if (k >= 2) q[7 + 1] = std::nan("");
      if (third_too && k == 3) q[14] = std::numeric_limits<double>::infinity();
      const std::vector<double> values{0.25 * k};
      RunStep step{.values = values};
      step.arrays[0] = q;
      step.arrays[1] = v;
      writer.add(step);
    }
    writer.close();
    return write_view(RunFile(file(name)), file("lost.html"), options()).left_out;
  };
  EXPECT_EQ(write("one.h5", false), "ball 1 has no finite position from t = 0.5 and is not drawn then");
  EXPECT_EQ(write("two.h5", true),
            "2 bodies have no finite position and are not drawn then: ball 1 from t = 0.5, ball 2 from t = 0.75");
  const Page page(file("lost.html"));
  EXPECT_TRUE(page.numbers("outside").empty());
  EXPECT_GT(page.numbers("low")[0], -1.0);
  EXPECT_LT(page.numbers("high")[0], 3.0);
  const std::vector<std::uint16_t> places = page.frames("places");
  ASSERT_EQ(places.size(), 5U * 3 * 3);
  for (std::size_t k = 0; k < 5; ++k) {
    for (std::size_t b = 0; b < 3; ++b) {
      const bool lost = (b == 1 && k >= 2) || (b == 2 && k == 3);
      for (std::size_t axis = 0; axis < 3; ++axis)
        EXPECT_EQ(places[(3 * k + b) * 3 + axis] == 0, lost) << k << ' ' << b;
    }
  }
}

TEST_F(Pages, TablesThatDoNotFitAreRefusedByRow) {
  RunDescription description;
  description.systems = {{"one", 0, 7, 0, 6, false}};
  description.sizes = {7, 6, 0, 0, 0, 0, 0};
  Scene scene;
  scene.dimension = 3;
  scene.geometries = {{.kind = Kind::Sphere, .numbers = {0.1}, .size = 0.1}};
  scene.shapes = {{.geometry = 0, .body = 3}};  // there is one system
  describe_scene(scene, description);
  RunWriter(file("bad.h5"), description).close();
  const RunFile run(file("bad.h5"));
  const std::string told = complaint<FormatError>([&] { (void)read_scene(run, 0); });
  EXPECT_TRUE(contains(told, "/scene/shapes, row 0")) << told;
  EXPECT_TRUE(contains(told, "bad.h5")) << told;

  // A material that no integer holds.
  for (const double material : {1e300, -1.0, 0.5}) {
    scene.shapes = {{.geometry = 0, .body = 0}};
    description.tables.clear();
    describe_scene(scene, description);
    for (RunTable& table : description.tables) {
      if (table.path == "/scene/shapes") table.rows(0, 9) = material;
    }
    RunWriter(file("worse.h5"), description, {.overwrite = true}).close();
    const RunFile worse(file("worse.h5"));
    const std::string of_material = complaint<FormatError>([&] { (void)read_scene(worse, 0); });
    EXPECT_TRUE(contains(of_material, "/scene/shapes, row 0: found ")) << of_material;
  }
}

TEST_F(Pages, OptionsAreChecked) {
  write_helix("helix.h5", 2);
  const RunFile run(file("helix.h5"));
  for (const auto& wrong :
       {ViewOptions{.frames = 1}, ViewOptions{.megabytes = 0.0}, ViewOptions{.contacts_a_frame = -1}}) {
    EXPECT_TRUE(
        contains(complaint<InvalidArgument>([&] { (void)write_view(run, file("x.html"), wrong); }), "ViewOptions::"));
  }
  EXPECT_TRUE(contains(complaint<FileError>([&] { (void)write_view(run, file("none/x.html"), options()); }), "x.html"));
}

}  // namespace
}  // namespace nonsmooth::scene_pages_test
