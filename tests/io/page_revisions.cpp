// SPDX-License-Identifier: Apache-2.0
// Pages of runs whose model was edited: what goes on does so under its name, what comes and goes is shown while it is
// there, and bodies that leave the page's box are told.
#include <nonsmooth/io/observe.hpp>
#include <nonsmooth/io/paraview.hpp>
#include <nonsmooth/io/recorder.hpp>
#include <nonsmooth/io/scene.hpp>
#include <nonsmooth/io/view.hpp>

#include <cmath>
#include <fstream>
#include <limits>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

#include <nonsmooth/kernel/body_contacts.hpp>
#include <nonsmooth/kernel/laws.hpp>
#include <nonsmooth/kernel/relations.hpp>
#include <nonsmooth/kernel/systems.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>

#include "page_reader.hpp"
#include "problem_files.hpp"

namespace nonsmooth::page_revisions_test {
namespace {

using page_test::Page;
using problem_files_test::contains;
using problem_files_test::Files;

class PagesOfRevisions : public Files {
 protected:
  void SetUp() override {
    Files::SetUp();
    std::ofstream(file("three.js")) << "REVISION";
  }
  ViewReport write_page() const {
    return write_view(RunFile(file("run.h5")), file("run.html"), {.three = file("three.js")});
  }
};

/// Two decays, of rates 1 and 2 [1/s] from 1 and 10, each with a diode that feeds it where it would be negative.
struct TwoCircuits {
  NonSmoothDynamicalSystem model;
  SystemHandle first, second;
  InteractionHandle first_diode, second_diode;

  TwoCircuits() {
    std::tie(first, first_diode) = add(1.0, 1.0, "first");
    std::tie(second, second_diode) = add(2.0, 10.0, "second");
  }
  std::pair<SystemHandle, InteractionHandle> add(double rate, double x0, const std::string& name) {
    const SystemHandle store = model.add(
        FirstOrderLinearSystem{.A = {{-rate, 0.0}, {0.0, -rate}}, .x0 = {x0, 0.5 * x0}, .name = name + " store"});
    return {store, model.link(store, FirstOrderLinearRelation{.C = {{1.0, 0.0}}, .B = {{1.0}, {0.0}}},
                              ComplementarityLaw{}, name + " diode")};
  }
};

TEST_F(PagesOfRevisions, PlotsOfACircuitGoOnUnderItsNameWhenAnotherIsRemoved) {
  TwoCircuits circuits;
  TimeStepping simulation(circuits.model, {.step = 1e-2});
  Recorder recorder(file("run.h5"), simulation);
  std::vector<double> first{simulation.state().x(circuits.first)[0]}, second{simulation.state().x(circuits.second)[0]};
  const auto go_on = [&](double t, bool both) {
    ASSERT_TRUE(simulation.advance_to(t, observe(recorder, [&](const State& x) {
                                        first.push_back(both ? x.x(circuits.first)[0] : std::nan(""));
                                        second.push_back(x.x(circuits.second)[0]);
                                      })));
  };
  go_on(0.1, true);
  simulation.edit([&](NonSmoothDynamicalSystem& model) {
    model.remove(circuits.first_diode);
    model.remove(circuits.first);
  });
  go_on(0.2, false);
  recorder.close();
  ASSERT_EQ(RunFile(file("run.h5")).parts().size(), 2U);
  EXPECT_EQ(write_page().left_out, "");
  const Page page(file("run.html"));
  const std::vector<float> gone = page.curve("first store: x", "x1"), stays = page.curve("second store: x", "x1");
  ASSERT_EQ(gone.size(), first.size());
  ASSERT_EQ(stays.size(), second.size());
  for (std::size_t k = 0; k < second.size(); ++k) {
    EXPECT_EQ(stays[k], static_cast<float>(second[k])) << k;
    if (std::isnan(first[k]))
      EXPECT_TRUE(std::isnan(gone[k])) << k;  // a gap
    else
      EXPECT_EQ(gone[k], static_cast<float>(first[k])) << k;
  }
  EXPECT_TRUE(std::isnan(page.curve("first diode: lambda", "lambda").back()));
  EXPECT_EQ(page.curve("second diode: lambda", "lambda").back(), 0.0f);
  EXPECT_TRUE(std::isnan(page.curve("first store: phase portrait", "x2").back()));
}

TEST_F(PagesOfRevisions, SystemsOfLaterPartsArePlottedAndWhatIsNotIsTold) {
  TwoCircuits circuits;
  TimeStepping simulation(circuits.model, {.step = 1e-2});
  Recorder recorder(file("run.h5"), simulation);
  ASSERT_TRUE(simulation.advance_to(0.05, recorder));
  simulation.edit([&](NonSmoothDynamicalSystem& model) {
    model.add(
        FirstOrderLinearSystem{.A = -Eigen::MatrixXd::Identity(8, 8), .x0 = Eigen::VectorXd::Ones(8), .name = "later"});
    for (int k = 0; k < 20; ++k)
      model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {1.0}, .name = "more " + std::to_string(k)});
  });
  ASSERT_TRUE(simulation.advance_to(0.1, recorder));
  recorder.close();
  const std::string told = "of 25 systems and interactions the first 12 are plotted; of plots the first 6 curves";
  EXPECT_TRUE(contains(write_page().left_out, told)) << write_page().left_out;
  const Page page(file("run.html"));
  EXPECT_TRUE(contains(page.scene(), told));
  const std::vector<float> later = page.curve("later: x", "x6");
  ASSERT_FALSE(later.empty());
  EXPECT_TRUE(std::isnan(later.front()));
  EXPECT_EQ(later.back(), static_cast<float>(simulation.state().unknowns[4 + 5]));
}

/// A ball on a floor, then on a floor with a wall and with a box on the ball; in the end the wall is gone.
TEST_F(PagesOfRevisions, ShapesAreShownWhileTheirRevisionHasThem) {
  NonSmoothDynamicalSystem model;
  const SystemHandle ball = model.add(RigidBody{.position = {0, 0, 1}, .name = "ball"});
  const ShapeOnBody floor{.shape = HalfSpace{}}, wall{.shape = HalfSpace{{1, 0, 0}, -2.0}};
  const std::vector<BodyShapes> bare{{ball, {{.shape = Sphere{0.1}}}}},
      loaded{{ball, {{.shape = Sphere{0.1}}, {.shape = Box{{0.1, 0.1, 0.1}}, .position = {0, 0, 0.2}}}}};
  const SourceHandle source = model.detect(BodyContacts(bare, {floor}, NewtonImpactLaw{0.5}));
  TimeStepping simulation(model, {.step = 1e-2});
  Recorder recorder(file("run.h5"), simulation);
  ASSERT_TRUE(simulation.advance_to(0.05, recorder));
  for (const auto& [ground, shapes] : {std::pair{std::vector{floor, wall}, loaded}, {std::vector{floor}, loaded}}) {
    simulation.edit([&](NonSmoothDynamicalSystem& edited) {
      edited.replace(source, BodyContacts(shapes, ground, NewtonImpactLaw{0.5}));
    });
    ASSERT_TRUE(simulation.advance_to(simulation.state().t + 0.05, recorder));
  }
  recorder.close();
  const RunFile run(file("run.h5"));
  ASSERT_EQ(run.parts().size(), 3U);
  EXPECT_EQ(write_page().left_out, "");
  EXPECT_TRUE(contains(write_paraview(run, file("folder")).left_out, "changes of 2 shapes"))
      << "its files have no times";
  const auto begin = [&](std::size_t part) { return static_cast<double>(run.parts()[part].first_step); };
  // Ball, floor, then what came: box and wall; of those that are not always there also from when to when.
  std::vector<std::vector<double>> shapes = Page(file("run.html")).shapes();
  ASSERT_EQ(shapes.size(), 4U);
  EXPECT_EQ(shapes[0].size(), 9U);
  EXPECT_EQ(shapes[1].size(), 9U);
  EXPECT_EQ(shapes[1][1], -1.0) << "the ground";
  const double end = static_cast<double>(run.num_steps());
  ASSERT_EQ(shapes[2].size(), 11U);
  EXPECT_EQ(shapes[2][1], 0.0) << "on the ball";
  EXPECT_EQ(shapes[2][4], 0.2);
  EXPECT_EQ(std::vector<double>(shapes[2].end() - 2, shapes[2].end()), (std::vector{begin(1), end}));
  ASSERT_EQ(shapes[3].size(), 11U);
  EXPECT_EQ(shapes[3][1], -1.0);
  EXPECT_EQ(std::vector<double>(shapes[3].end() - 2, shapes[3].end()), (std::vector{begin(1), begin(2)}));
}

/// As many balls as make the box that of most: it leaves out what is beyond half of its width.
class BodiesThatLeave : public PagesOfRevisions {
 protected:
  /// `far`: at the end these are 1e9 m away, or nowhere.
  void write(Index far, double where) const {
    const Index n = 600;
    NonSmoothDynamicalSystem model;
    std::vector<BodyShapes> shapes;
    RunDescription description;
    for (Index i = 0; i < n; ++i) {
      const std::string name = "b" + std::to_string(i);
      shapes.push_back({model.add(RigidBody{.name = name}), {{.shape = Sphere{0.01}}}});
      description.systems.push_back({name, 7 * i, 7, 6 * i, 6, false});
    }
    model.detect(BodyContacts(shapes, {}, NewtonImpactLaw{0.5}));
    description.sizes = {7 * n, 6 * n, 0, 0, 0, 0, 0};
    describe_scene(scene_of(model), description);
    RunWriter writer(file("run.h5"), description, {.overwrite = true});
    std::vector<double> q(static_cast<std::size_t>(7 * n), 0.0), v(static_cast<std::size_t>(6 * n), 0.0);
    for (int k = 0; k < 200; ++k) {
      for (Index i = 0; i < n; ++i) {
        q[static_cast<std::size_t>(7 * i)] = static_cast<double>(i) / static_cast<double>(n);
        q[static_cast<std::size_t>(7 * i + 3)] = 1.0;
        if (k == 199 && i < far) q[static_cast<std::size_t>(7 * i + 1)] = where;
      }
      const std::vector<double> values{0.1 * k};
      RunStep step{.values = values};
      step.arrays[0] = q;
      step.arrays[1] = v;
      writer.add(step);
    }
    writer.close();
  }
};

TEST_F(BodiesThatLeave, AreToldOnThePageAndInTheReport) {
  write(0, 0.0);
  EXPECT_EQ(write_page().left_out, "");
  write(1, 1e9);
  const std::string one = "b0 leaves the box that is shown and stands at its side then";
  EXPECT_EQ(write_page().left_out, one);
  EXPECT_TRUE(contains(Page(file("run.html")).scene(), one));
  EXPECT_EQ(Page(file("run.html")).numbers("outside"), std::vector{0.0});
  write(5, -1e9);
  const std::string some = "5 bodies leave the box that is shown and stand at its side then: b0, b1, b2, ...";
  EXPECT_EQ(write_page().left_out, some);
  const Page page(file("run.html"));
  EXPECT_TRUE(contains(page.scene(), some));
  EXPECT_EQ(page.numbers("outside").size(), 5U);
  const std::vector<std::uint16_t> places = page.frames("places");
  EXPECT_EQ(places[3 * 600 * 199 + 1], 1) << "at its side";
  write(2, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(contains(write_page().left_out, "2 bodies have no finite position")) << write_page().left_out;
}

}  // namespace
}  // namespace nonsmooth::page_revisions_test
