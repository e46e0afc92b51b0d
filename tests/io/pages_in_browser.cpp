// SPDX-License-Identifier: Apache-2.0
// Pages of runs in headless Chromium (page_in_browser.py): in space with contacts and bodies that come and go, in the
// plane by time-stepping and by events, and of a circuit, whose plots are all there is.
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
  /// Records a run to T as NAME.h5, in space with a body that comes `late`, and writes its page. Skips the test where
  /// three.js is not there.
  std::string page_of(Simulation& simulation, double T, const std::string& name, const std::string& late = {}) const {
    const std::filesystem::path path = file(name + ".h5");
    Recorder recorder(path, simulation, {.name = name});
    if (!late.empty()) {
      EXPECT_TRUE(simulation.advance_to(0.4 * T, recorder));
      simulation.edit([&](NonSmoothDynamicalSystem& model) {
        model.add(RigidBody{.position = {0.8, 0.0, 0.5}, .gravity = {0.0, 0.0, -9.81}, .name = late});
      });
    }
    EXPECT_TRUE(simulation.advance_to(T, recorder));
    recorder.close();
    (void)write_view(RunFile(path), file(name + ".html"));
    return file(name + ".html").string();
  }
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

TEST_F(PagesInBrowser, LoadDrawPlayAndAnswerKeys) {
  const problems::Model bridge = problems::diode_bridge();
  TimeStepping space(balls_and_boxes(), {.step = 5e-3}), plane(disks(), {.step = 5e-3}),
      circuit(bridge.system, bridge.options);
  EventDriven events(disks(0.5), {.largest_step = 5e-3});
  std::string pages;
  try {
    pages = " '" + page_of(space, 0.6, "space", "late") + "' '" + page_of(plane, 0.6, "plane") + "' '" +
            page_of(events, 0.6, "events") + "' --plots '" + page_of(circuit, 500 * bridge.options.step, "circuit") +
            "'";
    EXPECT_GT(events.events().size(), 3U);  // each disk comes to the floor
  } catch (const FileError& error) {
    if (std::string(error.what()).find("libjs-three") == std::string::npos) throw;
    GTEST_SKIP() << error.what();
  }
  const int code = open_in_browser(pages);
  if (code == kNoBrowser || code == kNoPython) GTEST_SKIP() << "no chromedriver and chromium, or no python3";
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace nonsmooth::pages_in_browser_test
