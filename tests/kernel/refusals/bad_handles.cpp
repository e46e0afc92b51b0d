// SPDX-License-Identifier: Apache-2.0
// Handles and states that do not belong to the model: refused by an exception that names the argument, what was found
// and what is expected.
#include "kernel/bad_input.hpp"

namespace nonsmooth::bad_handles_test {
namespace {

using namespace bad_input;

class BadHandle : public Linking {};

TEST_F(BadHandle, StaleHandles) {
  const auto contact = model.link(mechanical, height(), NewtonImpactLaw{});
  expect_refused([&] { model.remove(mechanical); }, {"remove", "ball", "linked 1 time", "no interaction"});
  model.remove(contact);
  expect_refused([&] { model.remove(contact); }, {"interaction handle", "stale", "lives"});
  model.remove(mechanical);
  expect_refused([&] { model.remove(mechanical); }, {"system handle", "stale", "lives"});
  expect_link_refused({mechanical}, height(), NewtonImpactLaw{}, {"system handle", "stale", "lives"});
  const State state = model.initial_state();
  expect_refused([&] { (void)state.q(mechanical); }, {"system handle", "stale"});
  expect_refused([&] { (void)state.y(contact); }, {"interaction handle", "stale"});
}

TEST_F(BadHandle, HandlesOfAnotherModel) {
  NonSmoothDynamicalSystem other;
  const auto stranger = other.add(ball());
  expect_link_refused({stranger}, height(), NewtonImpactLaw{}, {"system handle", "another model"});
  expect_refused([&] { model.remove(stranger); }, {"system handle", "another model"});
  expect_refused([&] { (void)model.initial_state().v(stranger); }, {"system handle", "another model"});
  expect_refused([&] { (void)model.initial_state().v(SystemHandle{}); }, {"system handle", "another model"});
}

TEST_F(BadHandle, HandlesNewerThanTheState) {
  const State before = model.initial_state();
  const auto newcomer = model.add(ball());
  expect_refused([&] { (void)before.q(newcomer); }, {"system handle", "newer than this revision"});
}

TEST_F(BadHandle, AccessorsOfTheOtherOrder) {
  const auto floor = model.link(mechanical, height(), NewtonImpactLaw{});
  const auto diode = model.link(electrical, output(), ComplementarityLaw{});
  const State state = model.initial_state();
  expect_refused([&] { (void)state.q(electrical); }, {"State::q", "first-order capacitor", "mechanical"});
  expect_refused([&] { (void)state.v(electrical); }, {"State::v", "first-order capacitor", "mechanical"});
  expect_refused([&] { (void)state.x(mechanical); }, {"State::x", "mechanical ball", "first-order"});
  expect_refused([&] { (void)state.impulse(diode); }, {"State::impulse", "first-order interaction", "mechanical"});
  expect_refused([&] { (void)state.u(diode); }, {"State::u", "first-order interaction"});
  expect_refused([&] { (void)state.lambda(floor); }, {"State::lambda", "mechanical interaction", "first-order"});
  expect_refused([] { (void)State().q(SystemHandle{}); }, {"State", "empty state"});
}

TEST_F(BadHandle, StateOfAnotherRevision) {
  TimeSteppingOptions options = with_step(1e-3);
  TimeStepping simulation(model, options);
  State old = simulation.state();
  simulation.edit([](NonSmoothDynamicalSystem& m) { m.add(ball()); });
  expect_refused([&] { simulation.set_state(old); }, {"set_state", "another revision", "migrate"});
  Workspace workspace;
  expect_refused([&] { nonsmooth::step(simulation.model(), options, 1e-3, old, workspace); },
                 {"step: state", "another revision", "migrate"});
  expect_refused([&] { update_outputs(simulation.model(), old); }, {"update_outputs", "another revision"});
  NonSmoothDynamicalSystem other;
  other.add(ball());
  expect_refused([&] { (void)simulation.model().migrate(other.initial_state()); }, {"migrate", "another model"});
}

}  // namespace
}  // namespace nonsmooth::bad_handles_test
