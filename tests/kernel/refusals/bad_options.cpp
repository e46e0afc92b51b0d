// SPDX-License-Identifier: Apache-2.0
// Malformed options, models, times and contact sources: refused by an exception that names the argument, what was found
// and what is expected.
#include <memory>
#include <stdexcept>

#include "kernel/bad_input.hpp"

namespace nonsmooth::bad_options_test {
namespace {

using namespace bad_input;

void expect_options_refused(const TimeSteppingOptions& options, const std::vector<std::string>& parts) {
  NonSmoothDynamicalSystem model;
  model.add(ball());
  expect_refused([&] { TimeStepping simulation(model, options); }, parts);
}

TEST(BadOption, StepThatIsNotPositive) {
  expect_options_refused({}, {"TimeSteppingOptions::step", "0", "positive"});
  for (const double h : {-1e-3, kNaN, kInfinity})
    expect_options_refused(with_step(h), {"TimeSteppingOptions::step", "positive"});
}

TEST(BadOption, SchemeParametersOutOfRange) {
  for (const double theta : {-0.01, 1.01, kNaN}) {
    auto options = with_step(1e-3);
    options.integrator = MoreauJean{theta, 0.5};
    expect_options_refused(options, {"MoreauJean::theta", "[0, 1]"});
    options.integrator = MoreauJean{0.5, theta};
    expect_options_refused(options, {"MoreauJean::forecast", "[0, 1]"});
    options.integrator = EulerMoreau{theta};
    expect_options_refused(options, {"EulerMoreau::theta", "[0, 1]"});
  }
}

TEST(BadOption, OtherOptionsOutOfRange) {
  auto options = with_step(1e-3);
  options.newton.tolerance = 0.0;
  expect_options_refused(options, {"NewtonOptions::tolerance", "0", "positive"});
  options = with_step(1e-3);
  options.newton.max_iterations = 0;
  expect_options_refused(options, {"NewtonOptions::max_iterations", "0", "at least 1"});
  options = with_step(1e-3);
  options.threads = 0;
  expect_options_refused(options, {"TimeSteppingOptions::threads", "0", "at least 1"});
  options = with_step(1e-3);
  mixed::GaussSeidel sweeps;
  sweeps.tolerance = -1.0;
  options.solver = sweeps;
  expect_options_refused(options, {"GaussSeidel::tolerance", "-1", "positive"});
  mixed::Automatic automatic;
  automatic.max_sweeps = 0;
  options.solver = automatic;
  expect_options_refused(options, {"Automatic::max_sweeps", "0", "at least 1"});
}

// A workspace that knows the model, h and the schemes refuses what a fresh one does, and the state stays.
TEST(BadOption, OutOfRangeInAWarmWorkspace) {
  const auto sweeps = [](double tolerance) {
    mixed::GaussSeidel options;
    options.tolerance = tolerance;
    return options;
  };
  std::vector<TimeSteppingOptions> broken(10, with_step(1e-3));
  broken[0].newton.tolerance = kNaN;
  broken[1].newton.max_iterations = 0;
  broken[2].newton.residual_tolerance = -1.0;
  broken[3].max_subdivisions = 0;
  broken[4].solver = sweeps(-1.0);
  broken[5].solver = "gauss-seidel";
  broken[5].form = Form::Global;
  broken[6].projection.unilateral_tolerance = 0.0;
  broken[7].integrator = MoreauJean{1.5, 0.5};
  broken[8].verify = -1;
  broken[9].step = 0.0;
  NonSmoothDynamicalSystem model;
  model.add(ball());
  State state = model.initial_state();
  Workspace warm;
  for (const TimeSteppingOptions& options : broken) {
    ASSERT_TRUE(step(model, with_step(1e-3), 1e-3, state, warm).ok());
    const auto before = hash_of(state);
    std::string cold;
    try {
      Workspace fresh;
      step(model, options, 1e-3, state, fresh);
    } catch (const InvalidArgument& error) {
      cold = error.what();
    }
    ASSERT_NE(cold, "");
    expect_refused([&] { step(model, options, 1e-3, state, warm); }, {cold});
    EXPECT_EQ(hash_of(state), before);
  }
}

TEST(BadOption, EmptyModel) {
  expect_refused([] { TimeStepping simulation(NonSmoothDynamicalSystem{}, with_step(1e-3)); },
                 {"TimeStepping: model", "no system", "at least one"});
  NonSmoothDynamicalSystem model;
  const auto only = model.add(ball());
  TimeStepping simulation(model, with_step(1e-3));
  expect_refused([&] { simulation.edit([&](NonSmoothDynamicalSystem& m) { m.remove(only); }); },
                 {"edit: model", "no system", "at least one"});
  EXPECT_EQ(simulation.model().num_systems(), 1) << "a refused edit leaves the simulation as it was";
  EXPECT_TRUE(simulation.step().ok());
}

TEST(BadOption, EditThatThrowsLeavesTheSimulationAsItWas) {
  NonSmoothDynamicalSystem model;
  const auto only = model.add(ball());
  TimeStepping simulation(model, with_step(1e-3));
  simulation.step();
  const auto before = hash_of(simulation.state());
  EXPECT_THROW(simulation.edit([&](NonSmoothDynamicalSystem& m) {
    m.link(only, height(), NewtonImpactLaw{});
    throw std::runtime_error("changed my mind");
  }),
               std::runtime_error);
  EXPECT_EQ(simulation.model().num_interactions(), 0);
  EXPECT_EQ(hash_of(simulation.state()), before);
  EXPECT_TRUE(simulation.step().ok());
}

TEST(BadOption, TimesThatCannotBeReached) {
  NonSmoothDynamicalSystem model;
  model.add(ball());
  TimeStepping simulation(model, with_step(0.1), 1.0);
  simulation.advance_to(2.0);
  expect_refused([&] { simulation.advance_to(1.5); }, {"advance_to: T", "1.5", "at least the present time", "2.0"});
  expect_refused([&] { simulation.advance_to(kNaN); }, {"advance_to: T", "nan", "finite"});
  expect_refused([&] { simulation.advance_to(kInfinity); }, {"advance_to: T", "inf", "finite"});
  expect_refused([&] { TimeStepping late(model, with_step(0.1), kNaN); }, {"t0", "nan", "finite"});
}

TEST(BadOption, DiskContacts) {
  LagrangianLinearSystem disk = ball();
  disk.mass = Eigen::Vector3d(1.0, 1.0, 0.5).asDiagonal();
  disk.q0 = disk.v0 = disk.q0;
  disk.q0 = {0.0, 1.0, 0.0};
  disk.v0 = {};
  disk.force = {};
  NonSmoothDynamicalSystem model;
  const auto one = model.add(disk);
  const auto flat = model.add(ball());
  expect_refused([&] { DiskContacts({one}, {1.0, 2.0}, {}); }, {"DiskContacts: radii", "2 entries", "1 entry"});
  for (const double radius : {0.0, -1.0, kNaN}) {
    expect_refused([&] { DiskContacts({one}, {radius}, {}); }, {"DiskContacts: radius", "positive"});
  }
  NewtonImpactFrictionLaw law;
  law.restitution = 1.5;
  expect_refused([&] { DiskContacts({one}, {1.0}, law); }, {"NewtonImpactFrictionLaw::restitution", "1.5", "[0, 1]"});
  law = {};
  law.friction = -1.0;
  expect_refused([&] { DiskContacts({one}, {1.0}, law); }, {"NewtonImpactFrictionLaw::friction", "-1"});
  FloorProfile floor;
  floor.height = [](double) { return 0.0; };
  law = {};
  expect_refused([&] { DiskContacts({one}, {1.0}, law, floor); },
                 {"DiskContacts: floor", "without slope", "all three"});
  law.dimension = 3;
  expect_refused([&] { DiskContacts({one}, {1.0}, law); },
                 {"DiskContacts: law", "NewtonImpactFrictionLaw of 3 rows", "(N, T, R)"});
  expect_refused(
      [&] {
        model.detect(std::make_shared<DiskContacts>(std::vector<SystemHandle>{flat}, std::vector<double>{1.0},
                                                    NewtonImpactFrictionLaw{}));
      },
      {"ContactSource::bodies", "ball", "3 coordinates"});
  model.detect(std::make_shared<DiskContacts>(std::vector<SystemHandle>{one}, std::vector<double>{1.0},
                                              NewtonImpactFrictionLaw{}));
  expect_refused([&] { model.remove(one); }, {"remove", "ball", "contact source"});
}

}  // namespace
}  // namespace nonsmooth::bad_options_test
