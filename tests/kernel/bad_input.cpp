// SPDX-License-Identifier: Apache-2.0
// Every malformed input is refused by an exception that names the argument, what was found and what is expected; what
// goes wrong while time advances ends the step with the name and the time, and keeps everything before it.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// `call` throws InvalidArgument whose message holds every one of `parts`.
void expect_refused(const std::function<void()>& call, const std::vector<std::string>& parts) {
  try {
    call();
    ADD_FAILURE() << "nothing was refused; expected: " << parts.front();
  } catch (const InvalidArgument& error) {
    const std::string message = error.what();
    for (const std::string& part : parts) {
      EXPECT_NE(message.find(part), std::string::npos) << "\"" << part << "\" is not in \"" << message << "\"";
    }
    EXPECT_FALSE(error.argument().empty());
    EXPECT_FALSE(error.found().empty());
    EXPECT_FALSE(error.expected().empty());
  }
}

void expect_contains(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "\"" << part << "\" is not in \"" << message << "\"";
  }
}

LagrangianLinearSystem ball() {
  LagrangianLinearSystem system;
  system.mass = {{1.0}};
  system.force = {-9.81};
  system.q0 = {1.0};
  system.v0 = {0.0};
  system.name = "ball";
  return system;
}

FirstOrderLinearSystem capacitor() {
  FirstOrderLinearSystem system;
  system.A = {{-1.0}};
  system.x0 = {1.0};
  system.name = "capacitor";
  return system;
}

LagrangianLinearRelation height() {
  LagrangianLinearRelation relation;
  relation.H = {{1.0}};
  return relation;
}

FirstOrderLinearRelation output() {
  FirstOrderLinearRelation relation;
  relation.C = {{1.0}};
  relation.B = {{1.0}};
  return relation;
}

TimeSteppingOptions with_step(double h) {
  TimeSteppingOptions options;
  options.step = h;
  return options;
}

template <class System>
void expect_system_refused(const System& system, const std::vector<std::string>& parts) {
  NonSmoothDynamicalSystem model;
  expect_refused([&] { model.add(system); }, parts);
  EXPECT_EQ(model.num_systems(), 0) << "a refused system must not stay in the model";
}

// --- Systems -----------------------------------------------------------------------------------------------------

TEST(BadInput, SystemWithoutCoordinates) {
  expect_system_refused(LagrangianLinearSystem{}, {"LagrangianLinearSystem::q0", "no entry", "at least one"});
  expect_system_refused(LagrangianSystem{}, {"LagrangianSystem::q0", "no entry"});
  expect_system_refused(FirstOrderLinearSystem{}, {"FirstOrderLinearSystem::x0", "no entry"});
}

TEST(BadInput, MassOfAnotherShape) {
  auto system = ball();
  system.mass = {{1.0, 0.0}, {0.0, 1.0}};
  expect_system_refused(system, {"LagrangianLinearSystem::mass", "2 x 2", "1 x 1"});
}

TEST(BadInput, RaggedMatrix) {
  expect_refused([] { MatrixData({{1.0, 2.0}, {3.0}}); }, {"matrix", "1 entries in row 1", "2, as in row 0"});
}

TEST(BadInput, DampingAndStiffnessOfAnotherShape) {
  auto system = ball();
  system.damping = {{1.0, 2.0}};
  expect_system_refused(system, {"LagrangianLinearSystem::damping", "1 x 2", "1 x 1"});
  system = ball();
  system.stiffness = Eigen::VectorXd::Ones(3).asDiagonal();
  expect_system_refused(system, {"LagrangianLinearSystem::stiffness", "3 x 3", "1 x 1"});
}

TEST(BadInput, VectorsOfAnotherSize) {
  auto system = ball();
  system.v0 = {0.0, 0.0};
  expect_system_refused(system, {"LagrangianLinearSystem::v0", "2 entries", "1 entry"});
  system = ball();
  system.force = {0.0, -9.81};
  expect_system_refused(system, {"LagrangianLinearSystem::force", "2 entries", "1 entry"});
  auto circuit = capacitor();
  circuit.b = {1.0, 2.0, 3.0};
  expect_system_refused(circuit, {"FirstOrderLinearSystem::b", "3 entries", "1 entry"});
  circuit = capacitor();
  circuit.A = {{1.0, 2.0}, {3.0, 4.0}};
  expect_system_refused(circuit, {"FirstOrderLinearSystem::A", "2 x 2", "1 x 1"});
}

TEST(BadInput, EntriesThatAreNotFinite) {
  auto system = ball();
  system.q0 = {kNaN};
  expect_system_refused(system, {"LagrangianLinearSystem::q0", "nan", "entry 0", "finite"});
  system = ball();
  system.v0 = {kInfinity};
  expect_system_refused(system, {"LagrangianLinearSystem::v0", "inf", "finite"});
  system = ball();
  system.force = {kNaN};
  expect_system_refused(system, {"LagrangianLinearSystem::force", "nan", "finite"});
  system = ball();
  system.mass = {{kNaN}};
  expect_system_refused(system, {"LagrangianLinearSystem::mass", "finite"});
  system = ball();
  system.stiffness = {{kInfinity}};
  expect_system_refused(system, {"LagrangianLinearSystem::stiffness", "finite"});
  auto circuit = capacitor();
  circuit.A = {{kNaN}};
  expect_system_refused(circuit, {"FirstOrderLinearSystem::A", "finite"});
  LagrangianSystem pendulum;
  pendulum.q0 = {kNaN};
  expect_system_refused(pendulum, {"LagrangianSystem::q0", "nan", "finite"});
}

TEST(BadInput, NegativeMass) {
  auto system = ball();
  system.mass = {{-1.0}};
  expect_system_refused(system, {"LagrangianLinearSystem::mass", "diagonal entry 0", "-1", "positive"});
  system.mass = Eigen::VectorXd::Constant(1, 0.0).asDiagonal();
  expect_system_refused(system, {"LagrangianLinearSystem::mass", "diagonal entry 0", "positive"});
  Eigen::SparseMatrix<double> sparse(1, 1);
  sparse.insert(0, 0) = -2.0;
  system.mass = sparse;
  expect_system_refused(system, {"LagrangianLinearSystem::mass", "-2", "positive"});
}

TEST(BadInput, AsymmetricMass) {
  auto system = ball();
  system.q0 = {0.0, 0.0};
  system.v0 = {};
  system.force = {};
  system.mass = {{1.0, 0.5}, {0.0, 1.0}};
  expect_system_refused(system, {"LagrangianLinearSystem::mass", "not symmetric", "M = M^T"});
}

TEST(BadInput, MatrixThatMustBeConstant) {
  auto system = ball();
  system.mass = [](double, MatrixRef M) { M(0, 0) = 1.0; };
  expect_system_refused(system, {"LagrangianLinearSystem::mass", "a function of time", "constant"});
  auto circuit = capacitor();
  circuit.mass = [](double, MatrixRef M) { M(0, 0) = 1.0; };
  expect_system_refused(circuit, {"FirstOrderLinearSystem::mass", "a function of time", "constant"});
}

TEST(BadInput, PrescribedComponent) {
  auto system = ball();
  system.prescribed = {{1, [](double) { return 0.0; }}};
  expect_system_refused(system, {"LagrangianLinearSystem::prescribed", "component 1", "[0, 0]"});
  system.prescribed = {{0, nullptr}};
  expect_system_refused(system, {"LagrangianLinearSystem::prescribed", "no function", "velocity(t)"});
}

TEST(BadInput, NullPointers) {
  NonSmoothDynamicalSystem model;
  expect_refused([&] { model.add(std::shared_ptr<const DynamicalSystem>()); }, {"DynamicalSystem", "null pointer"});
  const auto system = model.add(ball());
  expect_refused([&] { model.link(system, std::shared_ptr<const Relation>(), NewtonImpactLaw{}); },
                 {"Relation", "null pointer"});
  expect_refused([&] { model.link(system, height(), std::shared_ptr<const NonSmoothLaw>()); },
                 {"NonSmoothLaw", "null pointer"});
  expect_refused([&] { model.detect(nullptr); }, {"ContactSource", "null pointer"});
}

TEST(BadInput, SingularIterationMatrix) {
  FirstOrderLinearSystem system = capacitor();
  system.mass = {{0.0}};
  system.A = {};
  NonSmoothDynamicalSystem model;
  model.add(system);
  TimeStepping simulation(model, with_step(1e-3));
  expect_refused([&] { simulation.step(); }, {"iteration matrix of capacitor", "singular", "regular"});
  EXPECT_EQ(simulation.state().t, 0.0);
}

// --- Links -------------------------------------------------------------------------------------------------------

class BadLink : public testing::Test {
 protected:
  NonSmoothDynamicalSystem model;
  SystemHandle mechanical = model.add(ball());
  SystemHandle electrical = model.add(capacitor());

  template <class AnyRelation>
  void expect_link_refused(const std::vector<SystemHandle>& systems, const AnyRelation& relation, const Law& law,
                           const std::vector<std::string>& parts) {
    const auto before = model.num_interactions();
    expect_refused([&] { model.link(systems, relation, law); }, parts);
    EXPECT_EQ(model.num_interactions(), before) << "a refused link must not stay in the model";
  }
};

TEST_F(BadLink, NoSystem) {
  expect_link_refused({}, height(), NewtonImpactLaw{}, {"link", "no system", "one or several"});
  expect_link_refused({}, output(), ComplementarityLaw{}, {"link", "no system", "one or several"});
}

TEST_F(BadLink, OneSystemTwice) {
  LagrangianLinearRelation relation;
  relation.H = {{1.0, -1.0}};
  expect_link_refused({mechanical, mechanical}, relation, NewtonImpactLaw{},
                      {"link", "ball twice", "each system once"});
}

TEST_F(BadLink, SystemsOfAnotherOrder) {
  expect_link_refused({electrical}, height(), NewtonImpactLaw{}, {"link", "first-order capacitor", "mechanical"});
  expect_link_refused({mechanical}, output(), ComplementarityLaw{}, {"link", "mechanical ball", "first-order"});
  LagrangianLinearRelation both;
  both.H = {{1.0, 1.0}};
  expect_link_refused({mechanical, electrical}, both, NewtonImpactLaw{}, {"link", "capacitor"});
}

TEST_F(BadLink, MatricesOfAnotherShape) {
  LagrangianLinearRelation relation;
  relation.H = {{1.0, 0.0}};
  expect_link_refused({mechanical}, relation, NewtonImpactLaw{}, {"LagrangianLinearRelation::H", "1 x 2", "m x 1"});
  relation = {};
  expect_link_refused({mechanical}, relation, NewtonImpactLaw{}, {"LagrangianLinearRelation::H", "nothing"});
  relation.H = {{1.0}};
  relation.b = {0.0, 1.0};
  expect_link_refused({mechanical}, relation, NewtonImpactLaw{},
                      {"LagrangianLinearRelation::b", "2 entries", "1 entry"});
  auto first = output();
  first.B = {{1.0, 2.0}};
  expect_link_refused({electrical}, first, ComplementarityLaw{}, {"FirstOrderLinearRelation::B", "1 x 2", "1 x 1"});
  first = output();
  first.D = {{1.0, 2.0}, {3.0, 4.0}};
  expect_link_refused({electrical}, first, ComplementarityLaw{}, {"FirstOrderLinearRelation::D", "2 x 2", "1 x 1"});
  first = output();
  first.e = {1.0, 2.0};
  expect_link_refused({electrical}, first, ComplementarityLaw{},
                      {"FirstOrderLinearRelation::e", "2 entries", "1 entry"});
  first = output();
  first.C = {};
  expect_link_refused({electrical}, first, ComplementarityLaw{}, {"FirstOrderLinearRelation::C", "nothing"});
}

TEST_F(BadLink, EntriesThatAreNotFinite) {
  LagrangianLinearRelation relation;
  relation.H = {{kNaN}};
  expect_link_refused({mechanical}, relation, NewtonImpactLaw{}, {"LagrangianLinearRelation::H", "not finite"});
  relation = height();
  relation.b = {kInfinity};
  expect_link_refused({mechanical}, relation, NewtonImpactLaw{}, {"LagrangianLinearRelation::b", "inf", "finite"});
  auto first = output();
  first.D = {{kNaN}};
  expect_link_refused({electrical}, first, ComplementarityLaw{}, {"FirstOrderLinearRelation::D", "not finite"});
  first = output();
  first.e = {kNaN};
  expect_link_refused({electrical}, first, ComplementarityLaw{}, {"FirstOrderLinearRelation::e", "nan", "finite"});
}

TEST_F(BadLink, FunctionsWhereConstantsAreNeeded) {
  LagrangianLinearRelation relation;
  relation.H = [](double, MatrixRef H) { H(0, 0) = 1.0; };
  expect_link_refused({mechanical}, relation, NewtonImpactLaw{},
                      {"LagrangianLinearRelation::H", "a function", "constant"});
}

TEST_F(BadLink, RowsThatDoNotMatchTheLaw) {
  expect_link_refused({mechanical}, height(), NewtonImpactFrictionLaw{}, {"relation", "1 rows", "multiple of 2"});
  LagrangianLinearRelation three;
  three.H = {{1.0}, {1.0}, {1.0}};
  expect_link_refused({mechanical}, three, NewtonImpactFrictionLaw{}, {"relation", "3 rows", "multiple of 2"});
}

TEST_F(BadLink, RelationsWithoutFunctionOrRows) {
  expect_link_refused({mechanical}, ScleronomousRelation{}, NewtonImpactLaw{},
                      {"ScleronomousRelation::h", "no function"});
  ScleronomousRelation relation;
  relation.rows = 0;
  relation.h = [](ConstVectorRef, VectorRef) {};
  expect_link_refused({mechanical}, relation, NewtonImpactLaw{}, {"ScleronomousRelation::rows", "0", "at least 1"});
}

TEST_F(BadLink, LawsThatDoNotFitTheRelation) {
  expect_link_refused({mechanical}, height(), ComplementarityLaw{},
                      {"law", "ComplementarityLaw on a mechanical relation", "NewtonImpactLaw"});
  expect_link_refused({electrical}, output(), NewtonImpactLaw{},
                      {"law", "an impact law on a first-order relation", "ComplementarityLaw"});
  auto two = output();
  two.C = {{1.0}, {1.0}};
  two.B = {{1.0, 1.0}};
  expect_link_refused({electrical}, two, NewtonImpactFrictionLaw{}, {"law", "impact law on a first-order relation"});
}

TEST_F(BadLink, LawParametersOutOfRange) {
  for (const double e : {-0.1, 1.1, kNaN, kInfinity}) {
    expect_link_refused({mechanical}, height(), NewtonImpactLaw{e}, {"NewtonImpactLaw::restitution", "[0, 1]"});
  }
  LagrangianLinearRelation two;
  two.H = {{1.0}, {1.0}};
  NewtonImpactFrictionLaw law;
  law.restitution = 2.0;
  expect_link_refused({mechanical}, two, law, {"NewtonImpactFrictionLaw::restitution", "2", "[0, 1]"});
  law = {};
  law.tangential_restitution = -1.0;
  expect_link_refused({mechanical}, two, law, {"NewtonImpactFrictionLaw::tangential_restitution", "-1", "[0, 1]"});
  for (const double mu : {-0.3, kNaN, kInfinity}) {
    law = {};
    law.friction = mu;
    expect_link_refused({mechanical}, two, law, {"NewtonImpactFrictionLaw::friction", "[0, "});
  }
  expect_link_refused({electrical}, output(), RelayLaw{1.0, -1.0},
                      {"RelayLaw", "lower = 1", "upper = -1", "lower <= upper"});
  expect_link_refused({electrical}, output(), RelayLaw{kNaN, 1.0}, {"RelayLaw", "nan", "lower <= upper"});
}

// --- Handles, states, revisions ----------------------------------------------------------------------------------

TEST_F(BadLink, StaleHandles) {
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

TEST_F(BadLink, HandlesOfAnotherModel) {
  NonSmoothDynamicalSystem other;
  const auto stranger = other.add(ball());
  expect_link_refused({stranger}, height(), NewtonImpactLaw{}, {"system handle", "another model"});
  expect_refused([&] { model.remove(stranger); }, {"system handle", "another model"});
  expect_refused([&] { (void)model.initial_state().v(stranger); }, {"system handle", "another model"});
  expect_refused([&] { (void)model.initial_state().v(SystemHandle{}); }, {"system handle", "another model"});
}

TEST_F(BadLink, HandlesNewerThanTheState) {
  const State before = model.initial_state();
  const auto newcomer = model.add(ball());
  expect_refused([&] { (void)before.q(newcomer); }, {"system handle", "newer than this revision"});
}

TEST_F(BadLink, AccessorsOfTheOtherOrder) {
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

TEST_F(BadLink, StateOfAnotherRevision) {
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

// --- Options -----------------------------------------------------------------------------------------------------

void expect_options_refused(const TimeSteppingOptions& options, const std::vector<std::string>& parts) {
  NonSmoothDynamicalSystem model;
  model.add(ball());
  expect_refused([&] { TimeStepping simulation(model, options); }, parts);
}

TEST(BadInput, StepThatIsNotPositive) {
  expect_options_refused({}, {"TimeSteppingOptions::step", "0", "positive"});
  for (const double h : {-1e-3, kNaN, kInfinity})
    expect_options_refused(with_step(h), {"TimeSteppingOptions::step", "positive"});
}

TEST(BadInput, SchemeParametersOutOfRange) {
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

TEST(BadInput, OtherOptionsOutOfRange) {
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

TEST(BadInput, EmptyModel) {
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

TEST(BadInput, EditThatThrowsLeavesTheSimulationAsItWas) {
  NonSmoothDynamicalSystem model;
  const auto only = model.add(ball());
  TimeStepping simulation(model, with_step(1e-3));
  simulation.step();
  const auto before = hash(simulation.state());
  EXPECT_THROW(simulation.edit([&](NonSmoothDynamicalSystem& m) {
    m.link(only, height(), NewtonImpactLaw{});
    throw std::runtime_error("changed my mind");
  }),
               std::runtime_error);
  EXPECT_EQ(simulation.model().num_interactions(), 0);
  EXPECT_EQ(hash(simulation.state()), before);
  EXPECT_TRUE(simulation.step().ok());
}

TEST(BadInput, TimesThatCannotBeReached) {
  NonSmoothDynamicalSystem model;
  model.add(ball());
  TimeStepping simulation(model, with_step(0.1), 1.0);
  simulation.advance_to(2.0);
  expect_refused([&] { simulation.advance_to(1.5); }, {"advance_to: T", "1.5", "at least the present time", "2.0"});
  expect_refused([&] { simulation.advance_to(kNaN); }, {"advance_to: T", "nan", "finite"});
  expect_refused([&] { simulation.advance_to(kInfinity); }, {"advance_to: T", "inf", "finite"});
  expect_refused([&] { TimeStepping late(model, with_step(0.1), kNaN); }, {"t0", "nan", "finite"});
}

TEST(BadInput, DiskContacts) {
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
  expect_refused([&] { DiskContacts({one}, {1.0}, law); }, {"DiskContacts: restitution", "1.5", "[0, 1]"});
  law = {};
  law.friction = -1.0;
  expect_refused([&] { DiskContacts({one}, {1.0}, law); }, {"DiskContacts: friction", "-1"});
  FloorProfile floor;
  floor.height = [](double) { return 0.0; };
  expect_refused([&] { DiskContacts({one}, {1.0}, {}, floor); }, {"DiskContacts: floor", "without slope", "all three"});
  expect_refused(
      [&] {
        model.detect(std::make_shared<DiskContacts>(std::vector<SystemHandle>{flat}, std::vector<double>{1.0},
                                                    NewtonImpactFrictionLaw{}));
      },
      {"ContactSource::bodies", "ball", "three coordinates"});
  model.detect(std::make_shared<DiskContacts>(std::vector<SystemHandle>{one}, std::vector<double>{1.0},
                                              NewtonImpactFrictionLaw{}));
  expect_refused([&] { model.remove(one); }, {"remove", "ball", "contact source"});
}

// --- Callables that fail while time advances -----------------------------------------------------------------------

/// Advances to t = 1 in steps of 0.1 and checks that step `last + 1` failed with `parts` and that the state stayed.
void expect_stopped(TimeStepping& simulation, Index last, const std::vector<std::string>& parts) {
  std::vector<double> recorded;
  State seen;
  const auto report = simulation.advance_to(1.0, [&](const State& state) {
    recorded.push_back(state.t);
    seen = state;
  });
  EXPECT_FALSE(report);
  EXPECT_EQ(report.last.outcome, StepReport::Outcome::CallableFailed);
  EXPECT_FALSE(report.last.taken);
  EXPECT_EQ(report.steps, last);
  EXPECT_EQ(static_cast<Index>(recorded.size()), last) << "everything recorded before stays";
  expect_contains(report.message(), parts);
  if (last > 0) {
    EXPECT_EQ(hash(simulation.state()), hash(seen)) << "the state stays where it was";
  }
  EXPECT_EQ(simulation.state().k, last);
}

TEST(BadCallable, ForceOfTimeThatThrows) {
  auto system = ball();
  system.force = [](double t, VectorRef f) {
    if (t > 0.35) throw std::runtime_error("no table beyond 0.35 s");
    f[0] = -9.81;
  };
  NonSmoothDynamicalSystem model;
  model.add(system);
  TimeStepping simulation(model, with_step(0.1));
  expect_stopped(simulation, 3, {"t = 0.4", "ball", "no table beyond 0.35 s"});
}

TEST(BadCallable, ForceOfTimeThatReturnsNaN) {
  auto system = ball();
  system.force = [](double t, VectorRef f) { f[0] = t > 0.35 ? kNaN : -9.81; };
  NonSmoothDynamicalSystem model;
  model.add(system);
  TimeStepping simulation(model, with_step(0.1));
  expect_stopped(simulation, 3, {"t = 0.4", "ball", "not finite"});
}

TEST(BadCallable, ForceThatThrowsSomethingElse) {
  LagrangianSystem system;
  system.q0 = {0.0};
  system.force = [](double t, ConstVectorRef, ConstVectorRef, VectorRef) {
    if (t > 0.25) throw 42;  // NOLINT: what a user may do
  };
  system.name = "pendulum";
  NonSmoothDynamicalSystem model;
  model.add(system);
  TimeStepping simulation(model, with_step(0.1));
  expect_stopped(simulation, 2, {"t = 0.3", "force", "pendulum", "no std::exception"});
}

TEST(BadCallable, NonlinearPartsThatReturnNaN) {
  LagrangianSystem good;
  good.q0 = {0.0};
  good.v0 = {1.0};
  good.name = "pendulum";
  const auto run = [](const LagrangianSystem& system, const std::vector<std::string>& parts) {
    NonSmoothDynamicalSystem model;
    model.add(system);
    TimeStepping simulation(model, with_step(0.1));
    expect_stopped(simulation, 0, parts);
  };
  auto system = good;
  system.mass = [](ConstVectorRef, MatrixRef M) { M(0, 0) = kNaN; };
  run(system, {"t = 0.1", "mass(q)", "pendulum", "not finite"});
  system = good;
  system.force = [](double, ConstVectorRef, ConstVectorRef, VectorRef F) { F[0] = kInfinity; };
  run(system, {"t = 0.1", "force", "pendulum", "not finite"});
  system = good;
  system.force_dq = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = kNaN; };
  run(system, {"t = 0.1", "force_dq", "pendulum", "not finite"});
  system = good;
  system.force_dv = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = kNaN; };
  run(system, {"t = 0.1", "force_dv", "pendulum", "not finite"});
  system = good;
  system.mass = [](ConstVectorRef, MatrixRef M) { M(0, 0) = 0.0; };
  run(system, {"t = 0.1", "pendulum", "not positive"});
}

TEST(BadCallable, FirstOrderPartsThatReturnNaN) {
  auto system = capacitor();
  system.A = [](double t, MatrixRef A) { A(0, 0) = t > 0.25 ? kNaN : -1.0; };
  NonSmoothDynamicalSystem first;
  first.add(system);
  TimeStepping varying(first, with_step(0.1));
  expect_stopped(varying, 2, {"t = 0.3", "A(t)", "capacitor", "not finite"});

  system = capacitor();
  system.b = [](double t, VectorRef b) { b[0] = t > 0.25 ? kInfinity : 0.0; };
  NonSmoothDynamicalSystem second;
  second.add(system);
  TimeStepping driven(second, with_step(0.1));
  expect_stopped(driven, 2, {"t = 0.3", "capacitor", "not finite"});

  NonSmoothDynamicalSystem third;
  auto relation = output();
  relation.e = [](double t, VectorRef e) { e[0] = t > 0.25 ? kNaN : 0.0; };
  third.link(third.add(capacitor()), relation, ComplementarityLaw{});
  TimeStepping linked(third, with_step(0.1));
  expect_stopped(linked, 2, {"t = 0.3", "e(t)", "interaction 0", "not finite"});
}

TEST(BadCallable, PrescribedVelocity) {
  auto system = ball();
  system.prescribed = {{0, [](double t) { return t > 0.25 ? kNaN : 1.0; }}};
  NonSmoothDynamicalSystem model;
  model.add(system);
  TimeStepping simulation(model, with_step(0.1));
  expect_stopped(simulation, 2, {"t = 0.3", "prescribed velocity", "ball", "not finite"});
}

TEST(BadCallable, RelationThatFailsAfterTheVelocityWasFound) {
  // h is asked again at q_{k+1}, when the step has been computed: the state must still be the old one.
  NonSmoothDynamicalSystem model;
  ScleronomousRelation relation;
  relation.h = [](ConstVectorRef q, VectorRef y) {
    if (q[0] < 0.6) throw std::domain_error("below the chart");
    y[0] = q[0];
  };
  relation.H = [](ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; };
  model.link(model.add(ball()), relation, NewtonImpactLaw{});
  TimeStepping simulation(model, with_step(0.1));
  // theta = 1/2 is exact: q = 1 - 4.905 t^2 is 0.8038 at 0.2 s and 0.5586 at 0.3 s.
  expect_stopped(simulation, 2, {"t = 0.3", "h(q)", "interaction 0", "below the chart"});
}

TEST(BadCallable, JacobianThatReturnsNaN) {
  NonSmoothDynamicalSystem model;
  ScleronomousRelation relation;
  relation.h = [](ConstVectorRef q, VectorRef y) { y[0] = q[0]; };
  relation.H = [](ConstVectorRef q, MatrixRef H) { H(0, 0) = q[0] < 0.6 ? kNaN : 1.0; };
  model.link(model.add(ball()), relation, NewtonImpactLaw{});
  TimeStepping simulation(model, with_step(0.1));
  expect_stopped(simulation, 2, {"t = 0.3", "H(q)", "interaction 0", "not finite"});
}

TEST(BadCallable, LawThatThrows) {
  class Moody final : public NonSmoothLaw {
   public:
    [[nodiscard]] BlockSet set() const override { return BlockSet{}; }
    void add_shift(ConstVectorRef u_minus, VectorRef) const override {
      if (u_minus[0] < -2.5) throw std::runtime_error("too fast for me");
    }
  };
  NonSmoothDynamicalSystem model;
  const auto body = model.add(ball());
  model.link(body, height(), std::make_shared<const Moody>());
  // Always active at velocity level: u >= 0 holds the ball, so it is given the speed by its initial condition.
  TimeStepping simulation(model, with_step(0.1));
  simulation.state().v(body)[0] = -3.0;
  update_outputs(simulation.model(), simulation.state());
  expect_stopped(simulation, 0, {"t = 0.1", "law", "too fast for me"});
}

TEST(BadCallable, AFailedStepCanBeTriedAgain) {
  // The second attempt succeeds and gives the bits of a run that never failed.
  const auto run = [](bool fails) {
    auto tries = std::make_shared<int>(0);
    auto system = ball();
    system.force = [tries, fails](double t, VectorRef f) {
      if (fails && t > 0.35 && (*tries)++ == 0) throw std::runtime_error("sensor offline");
      f[0] = -9.81 + std::sin(10.0 * t);
    };
    auto circuit = capacitor();
    auto misses = std::make_shared<int>(0);
    circuit.A = [misses, fails](double t, MatrixRef A) {
      if (fails && t > 0.55 && (*misses)++ == 0) throw std::runtime_error("sensor offline");
      A(0, 0) = -1.0 - t;
    };
    NonSmoothDynamicalSystem model;
    model.add(system);
    model.add(circuit);
    TimeStepping simulation(model, with_step(0.1));
    Index failures = 0;
    while (!simulation.advance_to(1.0)) {
      if (++failures == 3) break;
    }
    EXPECT_EQ(failures, fails ? 2 : 0);
    return hash(simulation.state());
  };
  EXPECT_EQ(run(true), run(false));
}

TEST(BadCallable, NewtonThatDoesNotSettle) {
  // F jumps with the sign of v: no v solves v - v_k = h F(v), and the iteration flips for ever.
  LagrangianSystem system;
  system.q0 = {0.0};
  system.v0 = {1e-3};
  system.force = [](double, ConstVectorRef, ConstVectorRef v, VectorRef F) { F[0] = v[0] >= 0.0 ? -1.0 : 1.0; };
  system.force_dq = system.force_dv = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {};
  system.name = "chatterer";
  NonSmoothDynamicalSystem model;
  model.add(system);
  auto options = with_step(0.1);
  options.integrator = MoreauJean{1.0, 0.5};
  TimeStepping stops(model, options);
  const auto report = stops.advance_to(1.0);
  EXPECT_FALSE(report);
  EXPECT_EQ(report.last.outcome, StepReport::Outcome::NewtonLimit);
  EXPECT_EQ(stops.state().t, 0.0);
  expect_contains(report.message(), {"t = 0.1", "Newton", "50 iterations", "on_failure"});

  options.on_failure = OnFailure::Accept;
  TimeStepping accepts(model, options);
  const auto accepted = accepts.advance_to(1.0);
  EXPECT_TRUE(accepted);
  EXPECT_GT(accepted.steps_accepted, 0);
  EXPECT_EQ(accepted.steps, 10);
  expect_contains(accepted.message(), {"accepted above tolerance"});
}

TEST(BadCallable, ProblemWithoutSolution) {
  // y = x - 1 = 0 and B = 0: no multiplier can do it.
  NonSmoothDynamicalSystem model;
  auto relation = output();
  relation.B = {{0.0}};
  relation.e = {-1.0};
  auto system = capacitor();
  system.A = {};
  system.x0 = {3.0};
  model.link(model.add(system), relation, EqualityLaw{});
  TimeStepping simulation(model, with_step(0.1));
  const auto report = simulation.advance_to(1.0);
  EXPECT_FALSE(report);
  EXPECT_EQ(report.last.outcome, StepReport::Outcome::SolverFailed);
  EXPECT_NE(report.last.solver, Status::Solved);
  EXPECT_EQ(simulation.state().t, 0.0);
  expect_contains(report.message(), {"t = 0.1", "1 rows", "residual", "on_failure"});
}

TEST(BadInput, AnObserverMayStop) {
  NonSmoothDynamicalSystem model;
  model.add(ball());
  TimeStepping simulation(model, with_step(0.1));
  const auto report = simulation.advance_to(1.0, [](const State& state) { return state.t < 0.45; });
  EXPECT_TRUE(report.stopped_by_observer);
  EXPECT_EQ(report.steps, 5);
  expect_contains(report.message(), {"stopped by the observer"});
}

}  // namespace
}  // namespace nonsmooth
