// SPDX-License-Identifier: Apache-2.0
// Pages of runs in headless Chromium (page_in_browser.py): in space with contacts and bodies that come and go, in the
// plane by time-stepping and by events, late, and of a circuit, whose plots are all there is.
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include <nonsmooth/io/recorder.hpp>
#include <nonsmooth/io/view.hpp>
#include <nonsmooth/kernel.hpp>
#include <problems/models.hpp>

#include "problem_files.hpp"

namespace nonsmooth::pages_in_browser_test {
namespace {

using problem_files_test::Files;

constexpr int kNoBrowser = 77, kNoPython = 127;

class PagesInBrowser : public Files {
 protected:
  /// Records a run to T, in space with a body that comes `late`, writes its page and looks at it, as one of plots
  /// alone by `option`. Skips the test where there is no browser, or no three.js.
  void look_at(Simulation& simulation, double T, const std::string& late = {}, const std::string& option = {}) const {
    {
      Recorder recorder(file("run.h5"), simulation, {.name = "run"});
      if (!late.empty()) {
        ASSERT_TRUE(simulation.advance_to(0.4 * T, recorder));
        simulation.edit([&](NonSmoothDynamicalSystem& model) {
          model.add(RigidBody{.position = {0.8, 0.0, 0.5}, .gravity = {0.0, 0.0, -9.81}, .name = late});
        });
      }
      ASSERT_TRUE(simulation.advance_to(T, recorder));
    }
    try {
      (void)write_view(RunFile(file("run.h5")), file("run.html"));
    } catch (const FileError& error) {
      if (std::string(error.what()).find("libjs-three") == std::string::npos) throw;
      GTEST_SKIP() << error.what();
    }
    const int code = open_in_browser(" " + option + "'" + file("run.html").string() + "'");
    if (code == kNoBrowser || code == kNoPython) GTEST_SKIP() << "no chromedriver and chromium, or no python3";
    EXPECT_EQ(code, 0);
  }

 private:
  static int open_in_browser(const std::string& pages) {
    const std::string script = NONSMOOTH_TEST_FOLDER "/io/page_in_browser.py";
    const int status = std::system(("python3 '" + script + "'" + pages).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

NonSmoothDynamicalSystem balls_and_boxes() {
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> shapes;
  for (int k = 0; k < 12; ++k) {
    const auto body = model.add(RigidBody{.inertia = 0.01 * Eigen::Matrix3d::Identity(),
                                          .position = {0.25 * (k % 3), 0.25 * (k / 3 % 2), 0.3 + 0.3 * (k / 6)},
                                          .gravity = {0.0, 0.0, -9.81},
                                          .name = "body " + std::to_string(k)});
    shapes.push_back({body, {{.shape = k % 2 == 0 ? Shape{Sphere{0.1}} : Shape{Box{{0.08, 0.08, 0.08}}}}}});
  }
  model.detect(
      BodyContacts(shapes, {{.shape = HalfSpace{}}}, NewtonImpactFrictionLaw{.friction = 0.4, .dimension = 3}));
  return model;
}

NonSmoothDynamicalSystem disks(double restitution = 0.0) {
  NonSmoothDynamicalSystem model;
  std::vector<PlanarBodyShapes> shapes;
  for (int k = 0; k < 5; ++k) {
    const auto body = model.add(PlanarBody{.inertia = 0.005,
                                           .position = {0.21 * k, 0.3 + 0.05 * k},
                                           .gravity = {0.0, -9.81},
                                           .name = "disk " + std::to_string(k)});
    shapes.push_back({body, {{.shape = Disk{0.1}}}});
  }
  model.detect(PlanarContacts(shapes, {{.shape = HalfPlane{}}},
                              NewtonImpactFrictionLaw{.restitution = restitution, .friction = 0.4}));
  return model;
}

TEST_F(PagesInBrowser, InSpaceWithABodyThatComesLaterLoadDrawPlayAndAnswerKeys) {
  TimeStepping simulation(balls_and_boxes(), {.step = 5e-3});
  look_at(simulation, 0.6, "late");
}

TEST_F(PagesInBrowser, InThePlaneDoSo) {
  TimeStepping simulation(disks(), {.step = 5e-3});
  look_at(simulation, 0.6);
}

TEST_F(PagesInBrowser, OfEventsDoSo) {
  EventDriven simulation(disks(0.5), {.largest_step = 5e-3});
  look_at(simulation, 0.6);
  EXPECT_GT(simulation.events().size(), 3U);  // each disk comes to the floor
}

TEST_F(PagesInBrowser, OfALateRunDoSo) {
  TimeStepping simulation(disks(), {.step = 1e-3}, 1e5);  // where a float holds hundredths of a second
  look_at(simulation, 1e5 + 0.6);
}

TEST_F(PagesInBrowser, OfACircuitShowItsPlotsAlone) {
  const problems::Model bridge = problems::diode_bridge();
  TimeStepping simulation(bridge.system, bridge.options);
  look_at(simulation, 500 * bridge.options.step, {}, "--plots ");
}

}  // namespace
}  // namespace nonsmooth::pages_in_browser_test
