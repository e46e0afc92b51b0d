// SPDX-License-Identifier: Apache-2.0
// Malformed systems: refused by an exception that names the argument, what was found and what is expected.
#include <memory>

#include "kernel/bad_input.hpp"

namespace nonsmooth::bad_systems_test {
namespace {

using namespace bad_input;

template <class System>
void expect_system_refused(const System& system, const std::vector<std::string>& parts) {
  NonSmoothDynamicalSystem model;
  expect_refused([&] { model.add(system); }, parts);
  EXPECT_EQ(model.num_systems(), 0) << "a refused system must not stay in the model";
}

TEST(BadSystem, SystemWithoutCoordinates) {
  expect_system_refused(LagrangianLinearSystem{}, {"LagrangianLinearSystem::q0", "no entry", "at least one"});
  expect_system_refused(LagrangianSystem{}, {"LagrangianSystem::q0", "no entry"});
  expect_system_refused(FirstOrderLinearSystem{}, {"FirstOrderLinearSystem::x0", "no entry"});
}

TEST(BadSystem, MassOfAnotherShape) {
  auto system = ball();
  system.mass = {{1.0, 0.0}, {0.0, 1.0}};
  expect_system_refused(system, {"LagrangianLinearSystem::mass", "2 x 2", "1 x 1"});
}

TEST(BadSystem, RaggedMatrix) {
  expect_refused([] { MatrixData({{1.0, 2.0}, {3.0}}); }, {"matrix", "1 entries in row 1", "2, as in row 0"});
}

TEST(BadSystem, DampingAndStiffnessOfAnotherShape) {
  auto system = ball();
  system.damping = {{1.0, 2.0}};
  expect_system_refused(system, {"LagrangianLinearSystem::damping", "1 x 2", "1 x 1"});
  system = ball();
  system.stiffness = Eigen::VectorXd::Ones(3).asDiagonal();
  expect_system_refused(system, {"LagrangianLinearSystem::stiffness", "3 x 3", "1 x 1"});
}

TEST(BadSystem, VectorsOfAnotherSize) {
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

TEST(BadSystem, EntriesThatAreNotFinite) {
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

TEST(BadSystem, NegativeMass) {
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

TEST(BadSystem, AsymmetricMass) {
  auto system = ball();
  system.q0 = {0.0, 0.0};
  system.v0 = {};
  system.force = {};
  system.mass = {{1.0, 0.5}, {0.0, 1.0}};
  expect_system_refused(system, {"LagrangianLinearSystem::mass", "not symmetric", "M = M^T"});
}

TEST(BadSystem, MatrixThatMustBeConstant) {
  auto system = ball();
  system.mass = [](double, MatrixRef M) { M(0, 0) = 1.0; };
  expect_system_refused(system, {"LagrangianLinearSystem::mass", "a function of time", "constant"});
  auto circuit = capacitor();
  circuit.mass = [](double, MatrixRef M) { M(0, 0) = 1.0; };
  expect_system_refused(circuit, {"FirstOrderLinearSystem::mass", "a function of time", "constant"});
}

TEST(BadSystem, PrescribedComponent) {
  auto system = ball();
  system.prescribed = {{1, [](double) { return 0.0; }}};
  expect_system_refused(system, {"LagrangianLinearSystem::prescribed", "component 1", "[0, 0]"});
  system.prescribed = {{0, nullptr}};
  expect_system_refused(system, {"LagrangianLinearSystem::prescribed", "no function", "velocity(t)"});
}

TEST(BadSystem, NullPointers) {
  NonSmoothDynamicalSystem model;
  expect_refused([&] { model.add(std::shared_ptr<const DynamicalSystem>()); }, {"DynamicalSystem", "null pointer"});
  const auto system = model.add(ball());
  expect_refused([&] { model.link(system, std::shared_ptr<const Relation>(), NewtonImpactLaw{}); },
                 {"Interaction::relation", "null pointer"});
  expect_refused([&] { model.link(system, height(), std::shared_ptr<const NonSmoothLaw>()); },
                 {"NonSmoothLaw", "null pointer"});
  expect_refused([&] { model.detect(nullptr); }, {"ContactSource", "null pointer"});
}

TEST(BadSystem, SingularPencil) {
  FirstOrderLinearSystem system = capacitor();
  system.mass = {{0.0}};
  system.A = {};
  NonSmoothDynamicalSystem model;
  model.add(system);
  expect_refused([&] { TimeStepping(model, with_step(1e-3)); },
                 {"mass and A of capacitor", "det(s M - A) = 0", "as many independent equations as unknowns"});
}

}  // namespace
}  // namespace nonsmooth::bad_systems_test
