// SPDX-License-Identifier: Apache-2.0
// Scenes that cannot be: orientations that are none. Each is refused with its name, and what was found.
#include <string>
#include <utility>
#include <vector>

#include "bad_input.hpp"

namespace nonsmooth {
namespace {

using namespace bad_input;

class BadScene : public ::testing::Test {
 protected:
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> solid{model.add(RigidBody{.name = "first"}), model.add(RigidBody{.name = "second"})};
};

TEST_F(BadScene, OrientationsThatAreWrittenAreUnits) {
  const std::vector<std::string> told{"q of second", "orientation", "of length 1.0", "unit quaternion"};
  const double more = 1.0 + 3e-6;  // beyond 1e-6
  State off = model.initial_state();
  off.q(solid[1]).tail<4>() *= more;
  TimeStepping steps(model, {.step = 1e-3});
  expect_refused([&] { steps.set_state(off); }, told);
  EventDriven events(model);
  expect_refused([&] { events.set_state(off); }, told);
  Workspace workspace;
  expect_refused([&] { (void)nonsmooth::step(model, {.step = 1e-3}, 1e-3, off, workspace); }, told);
  ASSERT_TRUE(steps.step());
  steps.state().q(solid[1]).tail<4>() *= more;
  expect_refused([&] { (void)steps.step(); }, told);
  // What an integrator leaves is taken.
  State near = model.initial_state();
  near.q(solid[1]).tail<4>() *= 1.0 + 3e-7;
  TimeStepping(model, {.step = 1e-3}).set_state(near);
}

}  // namespace
}  // namespace nonsmooth
