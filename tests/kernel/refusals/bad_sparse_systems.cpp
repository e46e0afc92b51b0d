// SPDX-License-Identifier: Apache-2.0
// What SparsePattern and SparseLagrangianSystem refuse, and how a step tells which callable failed.
#include <stdexcept>
#include <string>
#include <vector>

#include "kernel/bad_input.hpp"

namespace nonsmooth::bad_sparse_systems_test {
namespace {

using namespace bad_input;

/// Three coordinates of which neighbours are tied, a spring of 1 N/m in each.
SparseLagrangianSystem tied() {
  return {.pattern = SparsePattern::of_elements(3, {{0, 1}, {1, 2}}),
          .internal = [](double, ConstVectorRef q, ConstVectorRef, VectorRef f) { f = q; },
          .internal_dq =
              [](double, ConstVectorRef, ConstVectorRef, SparseEntries& K) {
                for (Index i = 0; i < 3; ++i) K.add(i, i, 1.0);
              },
          .q0 = {1.0, 0.0, 0.0},
          .name = "net"};
}

void expect_tied_refused(const SparseLagrangianSystem& system, const std::vector<std::string>& parts) {
  NonSmoothDynamicalSystem model;
  expect_refused([&] { model.add(system); }, parts);
}

TEST(BadSparsePattern, NotSquare) {
  expect_refused([] { SparsePattern(Eigen::SparseMatrix<double>(2, 3)); }, {"SparsePattern", "2 x 3", "square"});
}

TEST(BadSparsePattern, OfNoRow) {
  expect_refused([] { SparsePattern(Eigen::SparseMatrix<double>(0, 0)); }, {"SparsePattern", "0 x 0", "one row"});
  expect_refused([] { (void)SparsePattern::of_elements(0, {}); }, {"SparsePattern::of_elements: n", "0", "1"});
}

TEST(BadSparsePattern, DegreeOfFreedomOutOfRange) {
  expect_refused([] { (void)SparsePattern::of_elements(4, {{0, 1}, {2, 4}}); }, {"elements[1]", "4", "0 to 3"});
  expect_refused([] { (void)SparsePattern::of_elements(4, {{-1, 1}}); }, {"elements[0]", "-1", "0 to 3"});
}

TEST(SparsePattern, HoldsTheDiagonalAndItsTranspose) {
  Eigen::SparseMatrix<double> entries(3, 3);
  entries.insert(0, 2) = 0.0;
  const SparsePattern pattern(entries);
  EXPECT_EQ(pattern.size(), 3);
  EXPECT_EQ(pattern.num_entries(), 5);
  EXPECT_EQ(pattern.find(0, 0), 0);
  EXPECT_EQ(pattern.find(2, 0), 1);
  EXPECT_EQ(pattern.find(1, 1), 2);
  EXPECT_EQ(pattern.find(0, 2), 3);
  EXPECT_EQ(pattern.find(2, 2), 4);
  EXPECT_EQ(pattern.find(0, 1), -1);
  EXPECT_EQ(pattern.find(0, 3), -1);
  EXPECT_EQ(pattern.find(-1, 0), -1);
  EXPECT_EQ(SparsePattern().size(), 0);
}

TEST(SparseEntries, AddElements) {
  const SparsePattern pattern = SparsePattern::of_elements(3, {{0, 1}, {1, 2}});
  Eigen::VectorXd values = Eigen::VectorXd::Zero(pattern.num_entries());
  SparseEntries entries(pattern, values);
  const Eigen::Matrix2d element{{1.0, 2.0}, {3.0, 4.0}};
  entries.add(std::vector<Index>{2, 1}, element);
  entries.add(1, 1, 10.0);
  EXPECT_EQ(values[pattern.find(2, 2)], 1.0);
  EXPECT_EQ(values[pattern.find(2, 1)], 2.0);
  EXPECT_EQ(values[pattern.find(1, 2)], 3.0);
  EXPECT_EQ(values[pattern.find(1, 1)], 14.0);
  EXPECT_EQ(values.sum(), 20.0);
  expect_refused([&] { entries.add(0, 2, 1.0); }, {"SparseEntries::add", "(0, 2)", "pattern", "7 entries"});
  expect_refused([&] { entries.add(std::vector<Index>{0, 2}, element); }, {"SparseEntries::add", "(2, 0)", "pattern"});
  expect_refused([&] { entries.add(std::vector<Index>{0, 1, 2}, element); }, {"element", "2 x 2", "3 x 3"});
}

TEST(BadSparseSystem, NoCoordinate) { expect_tied_refused({}, {"SparseLagrangianSystem::q0", "no entry"}); }

TEST(BadSparseSystem, NoPattern) {
  expect_tied_refused({.q0 = {1.0}}, {"SparseLagrangianSystem::pattern", "none", "1 rows"});
}

TEST(BadSparseSystem, PatternOfAnotherSize) {
  auto system = tied();
  system.q0 = {1.0, 2.0};
  expect_tied_refused(system, {"SparseLagrangianSystem::pattern", "3 rows", "2 rows"});
}

TEST(BadSparseSystem, VelocitiesOfAnotherSize) {
  auto system = tied();
  system.v0 = {1.0, 2.0};
  expect_tied_refused(system, {"SparseLagrangianSystem::v0", "2 entries", "3"});
}

TEST(BadSparseSystem, TwoMasses) {
  auto system = tied();
  system.mass = Eigen::Vector3d::Ones().asDiagonal();
  system.mass_of_q = [](ConstVectorRef, SparseEntries&) {};
  expect_tied_refused(system, {"SparseLagrangianSystem::mass_of_q", "constant mass"});
}

TEST(BadSparseSystem, ConstantMass) {
  auto system = tied();
  system.mass = [](double, MatrixRef) {};
  expect_tied_refused(system, {"SparseLagrangianSystem::mass", "a function of time"});
  system.mass = Eigen::Matrix2d::Identity();
  expect_tied_refused(system, {"SparseLagrangianSystem::mass", "2 x 2", "3 x 3"});
  system.mass = Eigen::Vector3d(1.0, -1.0, 1.0).asDiagonal();
  expect_tied_refused(system, {"SparseLagrangianSystem::mass", "diagonal entry 1"});
  system.mass = Eigen::Matrix3d{{2.0, 0.0, 1.0}, {0.0, 2.0, 0.0}, {1.0, 0.0, 2.0}};
  expect_tied_refused(system, {"SparseLagrangianSystem::mass", "(2, 0)", "pattern"});
}

TEST(BadSparseSystem, JacobianWithoutItsPart) {
  const auto nothing = [](double, ConstVectorRef, ConstVectorRef, SparseEntries&) {};
  auto system = tied();
  system.force_dv = nothing;
  expect_tied_refused(system, {"SparseLagrangianSystem::force_dv", "missing"});
  system = tied();
  system.internal = nullptr;
  expect_tied_refused(system, {"SparseLagrangianSystem::internal_dq", "missing"});
}

TEST(BadSparseSystem, ExternalPrescribedAndImpulses) {
  auto system = tied();
  system.external = {1.0};
  expect_tied_refused(system, {"SparseLagrangianSystem::external", "1 entry", "3"});
  system = tied();
  system.prescribed = {{.component = 3, .velocity = [](double) { return 0.0; }}};
  expect_tied_refused(system, {"SparseLagrangianSystem::prescribed", "3"});
  system = tied();
  system.impulses = {{.instant = 1.0, .impulse = {1.0}}};
  expect_tied_refused(system, {"SparseLagrangianSystem::impulses", "1 entry"});
}

TEST(BadSparseSystem, MassOfTheStart) {
  auto system = tied();
  system.mass_of_q = [](ConstVectorRef, SparseEntries& M) {
    for (Index i = 0; i < 3; ++i) M.add(i, i, 1.0);
    M.add(0, 1, 0.5);
  };
  NonSmoothDynamicalSystem one;
  one.add(system);
  expect_refused([&] { TimeStepping(one, {.step = 0.1}); }, {"mass(q) of net", "not symmetric"});
  system.mass_of_q = [](ConstVectorRef, SparseEntries& M) {
    for (Index i = 0; i < 3; ++i) M.add(i, i, 1.0);
    for (const Index i : {0, 1}) {
      M.add(i, i + 1, 0.9);
      M.add(i + 1, i, 0.9);
    }
  };
  NonSmoothDynamicalSystem other;
  other.add(system);
  expect_refused([&] { TimeStepping(other, {.step = 0.1}); }, {"mass(q) of net", "not positive definite"});
}

/// The first step fails and its message holds `parts`; the state stays.
void expect_failed(const SparseLagrangianSystem& system, const std::vector<std::string>& parts) {
  NonSmoothDynamicalSystem model;
  model.add(system);
  TimeStepping simulation(model, {.step = 0.1});
  const std::uint64_t before = hash_of(simulation.state());
  const StepReport report = simulation.step();
  EXPECT_EQ(report.outcome, StepReport::Outcome::CallableFailed);
  EXPECT_FALSE(report.taken);
  expect_contains(report.message(), parts);
  EXPECT_EQ(hash_of(simulation.state()), before);
}

TEST(BadSparseCallable, EntryOutsideOfThePattern) {
  auto system = tied();
  system.internal_dq = [](double, ConstVectorRef, ConstVectorRef, SparseEntries& K) { K.add(0, 2, 1.0); };
  expect_failed(system, {"internal_dq of net", "(0, 2)", "pattern"});
  system = tied();
  system.mass_of_q = [](ConstVectorRef, SparseEntries& M) { M.add(3, 3, 1.0); };
  expect_failed(system, {"mass_of_q of net", "(3, 3)", "pattern"});
}

TEST(BadSparseCallable, NumbersThatAreNotFinite) {
  auto system = tied();
  system.internal_dq = [](double, ConstVectorRef, ConstVectorRef, SparseEntries& K) { K.add(2, 1, kNaN); };
  expect_failed(system, {"internal_dq of net", "not finite", "(2, 1)"});
  system = tied();
  system.mass_of_q = [](ConstVectorRef, SparseEntries& M) { M.values().setConstant(kInfinity); };
  expect_failed(system, {"mass_of_q of net", "not finite", "(0, 0)"});
  system = tied();
  system.internal = [](double, ConstVectorRef, ConstVectorRef, VectorRef f) { f[1] = kNaN; };
  expect_failed(system, {"force(t, q, v) of net", "not finite"});
}

TEST(BadSparseCallable, PartsThatThrow) {
  const auto fail = [] { throw std::runtime_error("an element is inside out"); };
  auto system = tied();
  system.internal = [&](double, ConstVectorRef, ConstVectorRef, VectorRef) { fail(); };
  expect_failed(system, {"internal of net", "inside out"});
  system = tied();
  system.internal_dv = [&](double, ConstVectorRef, ConstVectorRef, SparseEntries&) { fail(); };
  expect_failed(system, {"internal_dv of net", "inside out"});
  system = tied();
  system.force = [&](double, ConstVectorRef, ConstVectorRef, VectorRef) { fail(); };
  expect_failed(system, {"force of net", "inside out"});
  system = tied();
  system.external = [&](double, VectorRef) { fail(); };
  expect_failed(system, {"external of net", "inside out"});
}

TEST(BadSparseCallable, MassWithoutADiagonal) {
  auto system = tied();
  system.mass_of_q = [](ConstVectorRef, SparseEntries& M) {
    M.add(0, 0, 1.0);
    M.add(1, 1, 1.0);
  };
  expect_failed(system, {"mass(q) of net", "diagonal entry 2", "not positive"});
}

TEST(BadSparseCallable, SingularIterationMatrix) {
  // A = M + h^2 K / 4, of which two rows are (1, 1, 0).
  auto system = tied();
  system.internal_dq = [](double, ConstVectorRef, ConstVectorRef, SparseEntries& K) {
    for (const Index i : {0, 1}) K.add(i, 1 - i, 4.0 / (0.1 * 0.1));
  };
  expect_failed(system, {"iteration matrix", "net", "singular"});
}

}  // namespace
}  // namespace nonsmooth::bad_sparse_systems_test
