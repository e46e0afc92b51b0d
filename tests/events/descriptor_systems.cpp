// SPDX-License-Identifier: Apache-2.0
// Systems with a singular mass, as circuits written by nodes are: against closed forms, against the reduced systems
// that they were made of, and against time-stepping. Steps are accurate to 1e-10 of the state each, a handful of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <internal/decompositions.hpp>
#include <nonsmooth/kernel.hpp>

#include <support/parameter_name.hpp>

#include "descriptor_circuits.hpp"

namespace nonsmooth::descriptor_systems_test {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

using descriptor_circuits::HalfWave;
using descriptor_circuits::instants_of;
using descriptor_circuits::kTau;

// --- A half-wave rectifier ------------------------------------------------------------------------------------------

struct DescriptorIntegrator {
  const char* name;
  SmoothIntegrator integrator;

  friend void PrintTo(const DescriptorIntegrator& one, std::ostream* out) { *out << one.name; }
};

class DescriptorRectifier : public testing::TestWithParam<DescriptorIntegrator> {
 protected:
  void SetUp() override {
    const SmoothIntegrator& integrator = GetParam().integrator;
    if ((std::holds_alternative<Cvode>(integrator) && !Cvode::available()) ||
        (std::holds_alternative<Ida>(integrator) && !Ida::available())) {
      GTEST_SKIP() << "built without SUNDIALS (NONSMOOTH_WITH_SUNDIALS)";
    }
  }
};

TEST_P(DescriptorRectifier, BlocksAndConductsWhereTheClosedFormDoes) {
  // v1 and i as given violate their rows: they are computed, and v2 is kept.
  EventDriven simulation(HalfWave::model(Eigen::Vector3d(7.0, 0.0, -3.0)), {.integrator = GetParam().integrator});
  EXPECT_NEAR(simulation.state().unknowns[0], 0.0, 1e-300);  // b is asked inside the interval that begins at 0
  EXPECT_NEAR(simulation.state().unknowns[2], HalfWave::current(0.0), 1e-9);
  std::vector<double> before, after;
  const auto report = simulation.advance_to(1.5, EventDrivenObserver{.instant = [&](const Instant& at) {
                                              before.push_back(at.before.unknowns[2]);
                                              after.push_back(at.after.unknowns[2]);
                                              return true;
                                            }});
  ASSERT_TRUE(report) << report.message();
  const auto switches = instants_of(simulation, EventKind::Switch);
  ASSERT_GE(switches.size(), 2u);
  // BDF of SUNDIALS adds up 1e-10 of each of some hundred steps; i and dc/dt come from differences of sin(wt), whose
  // error is 1e-11 of w.
  const double tolerance = std::holds_alternative<Ida>(GetParam().integrator) ? 1e-7 : 1e-9;
  EXPECT_NEAR(switches[0], HalfWave::blocks(), tolerance);
  EXPECT_NEAR(switches[1], HalfWave::conducts(), tolerance);
  ASSERT_EQ(before.size(), switches.size());
  EXPECT_NEAR(before[0], 0.0, 100.0 * tolerance);  // 1e-9 s at 3 C w^2
  EXPECT_EQ(after[0], 0.0);
  EXPECT_EQ(before[1], 0.0);  // the algebraic current jumps where the diode begins to conduct
  EXPECT_NEAR(after[1], HalfWave::current(switches[1]), 100.0 * tolerance);
  const State& state = simulation.state();
  const double t = state.t;
  const bool conducts = switches.size() == 2u;
  ASSERT_FALSE(conducts);  // blocks again at 1 + blocks()
  EXPECT_NEAR(switches[2], 1.0 + HalfWave::blocks(), tolerance);
  EXPECT_NEAR(state.unknowns[0], HalfWave::source(t), 1e-14);
  EXPECT_NEAR(state.unknowns[1], HalfWave::held(t - 1.0), 10.0 * tolerance);
  EXPECT_EQ(state.unknowns[2], 0.0);
  EXPECT_NEAR(state.outputs[0], state.unknowns[1] - state.unknowns[0], 1e-14);
}
INSTANTIATE_TEST_SUITE_P(Integrators, DescriptorRectifier,
                         testing::Values(DescriptorIntegrator{"dormand_prince", DormandPrince{}},
                                         DescriptorIntegrator{"radau", RadauIIA{}}, DescriptorIntegrator{"ida", Ida{}}),
                         test::parameter_name);

TEST(DescriptorSystems, GuardsActionsAndSegmentsSeeTheWholeState) {
  // The guard is on the algebraic v1 = sin(wt), which passes 1/2 first at 1/12; the action takes charge from C and sets
  // an algebraic unknown to nonsense.
  double seen = -1.0;
  EventDrivenOptions options;
  options.events = {{.name = "half",
                     .guard = [](const State& x) { return x.unknowns[0] - 0.5; },
                     .direction = UserEvent::Direction::Rising},
                    {.name = "take", .instants = {0.4}, .action = [&](State& x) {
                       seen = x.unknowns[0];
                       x.unknowns[1] *= 0.5;
                       x.unknowns[2] = 99.0;
                     }}};
  EventDriven simulation(HalfWave::model(Eigen::Vector3d::Zero()), options);
  double worst = 0.0, left = 0.0, right = 0.0;
  State inside = simulation.state();
  const auto report =
      simulation.advance_to(0.5, {.segment =
                                      [&](const SmoothSegment& segment) {
                                        for (const double s : {0.25, 0.5, 0.75}) {
                                          const double t = segment.start() + s * (segment.end() - segment.start());
                                          segment.evaluate(t, inside);
                                          worst = std::max(worst, std::abs(inside.unknowns[0] - HalfWave::source(t)));
                                        }
                                        return true;
                                      },
                                  .instant =
                                      [&](const Instant& at) {
                                        if (at.before.t == 0.4) {
                                          left = at.before.unknowns[1];
                                          right = at.after.unknowns[1];
                                        }
                                        return true;
                                      }});
  ASSERT_TRUE(report) << report.message();
  const auto crossed = instants_of(simulation, EventKind::User);
  ASSERT_EQ(crossed.size(), 2u);
  EXPECT_NEAR(crossed[0], 1.0 / 12.0, 1e-12);
  EXPECT_LE(worst, 1e-14);
  EXPECT_NEAR(seen, HalfWave::source(0.4), 1e-13);
  EXPECT_NEAR(left, HalfWave::held(0.4), 1e-9);
  // Half of it is below the source: the ideal diode fills C at once, up to sin(wt).
  ASSERT_LT(0.5 * left, HalfWave::source(0.4));
  EXPECT_NEAR(right, HalfWave::source(0.4), 1e-12);
  ASSERT_FALSE(instants_of(simulation, EventKind::Jump).empty());
  EXPECT_EQ(instants_of(simulation, EventKind::Jump).back(), 0.4);
}

// --- Against the systems that they were made of
// -----------------------------------------------------------------------

struct Made {
  NonSmoothDynamicalSystem descriptor, reduced;
  Matrix columns;  ///< x = columns (x1; x2)
  Index n1 = 0;
};

/// Entries in [-1, 1].
class Draws {
 public:
  explicit Draws(unsigned seed) : random_(seed) {}
  double entry() { return distribution_(random_); }
  Matrix matrix(Index rows, Index columns) {
    Matrix A(rows, columns);
    for (Index j = 0; j < columns; ++j)
      for (Index i = 0; i < rows; ++i) A(i, j) = entry();
    return A;
  }
  Matrix regular(Index size) { return 3.0 * Matrix::Identity(size, size) + matrix(size, size); }

 private:
  std::mt19937 random_;
  std::uniform_real_distribution<double> distribution_{-1.0, 1.0};
};

/// Reduced: x1' = A x1 + B lambda + b, y = C x1 + D lambda with D > 0. Written with algebraic x2 whose rows and columns
/// are mixed with those of x1 by regular matrices, so that nothing of it shows.
Made made(unsigned seed) {
  Draws draws(seed);
  const auto matrix = [&](Index rows, Index columns) { return draws.matrix(rows, columns); };
  const auto regular = [&](Index size) { return draws.regular(size); };
  const Index n1 = 2, n2 = 1 + static_cast<Index>(seed % 3), n = n1 + n2, m = 2;
  Matrix A11 = 0.3 * matrix(n1, n1);
  A11(0, 1) += 3.0;
  A11(1, 0) -= 3.0;  // turns round, so that there are switches
  const Matrix A12 = matrix(n1, n2), A21 = matrix(n2, n1), A22 = regular(n2), B1 = matrix(n1, m), B2 = matrix(n2, m),
               C1 = 2.0 * matrix(m, n1), C2 = matrix(m, n2), b1 = 0.3 * matrix(n1, 1), b2 = 0.3 * matrix(n2, 1),
               e = 0.3 * matrix(m, 1), x1 = matrix(n1, 1);
  const Matrix solved = LuFactors(A22).inverse();
  const Matrix reduced_D = 2.0 * Matrix::Identity(m, m) + 0.5 * matrix(m, m), D = reduced_D + C2 * solved * B2;
  Matrix A(n, n), B(n, m), C(m, n), M = Matrix::Zero(n, n), b(n, 1), x(n, 1);
  A << A11, A12, A21, A22;
  B << B1, B2;
  C << C1, C2;
  b << b1, b2;
  x << x1, Matrix::Zero(n2, 1);
  M.topLeftCorner(n1, n1).setIdentity();
  const Matrix rows = regular(n), columns = regular(n), back = LuFactors(columns).inverse();
  Made result;
  result.columns = columns;
  result.n1 = n1;
  const auto with = [&](NonSmoothDynamicalSystem& model, FirstOrderLinearSystem system,
                        FirstOrderLinearRelation relation) {
    model.link(model.add(std::move(system)), std::move(relation), ComplementarityLaw{});
  };
  with(
      result.descriptor,
      {.mass = Matrix(rows * M * back), .A = Matrix(rows * A * back), .b = Vector(rows * b), .x0 = Vector(columns * x)},
      {.C = Matrix(C * back), .D = D, .B = Matrix(rows * B), .e = Vector(e)});
  with(result.reduced, {.A = Matrix(A11 - A12 * solved * A21), .b = Vector(b1 - A12 * solved * b2), .x0 = Vector(x1)},
       {.C = Matrix(C1 - C2 * solved * A21),
        .D = reduced_D,
        .B = Matrix(B1 - A12 * solved * B2),
        .e = Vector(e - C2 * solved * b2)});
  return result;
}

/// Runs both to 5 s and compares events and last states. Reductions are of matrices whose condition is below 100: rows,
/// columns and A22 each lose two digits of 1e-16 at most, and switches 1e-10 of the steps between them. Returns the
/// number of events.
Index expect_the_same(const Made& problem) {
  EventDriven descriptor(problem.descriptor), reduced(problem.reduced);
  const auto report = descriptor.advance_to(5.0), expected = reduced.advance_to(5.0);
  EXPECT_TRUE(report) << report.message();
  EXPECT_TRUE(expected) << expected.message();
  const std::vector<Event>&events = descriptor.events(), &of_reduced = reduced.events();
  EXPECT_EQ(events.size(), of_reduced.size());
  for (std::size_t k = 0; k < std::min(events.size(), of_reduced.size()); ++k) {
    EXPECT_NEAR(events[k].t, of_reduced[k].t, 1e-9);
    EXPECT_EQ(events[k].row, of_reduced[k].row);
    EXPECT_EQ(events[k].value, of_reduced[k].value);
  }
  const double size = 1.0 + reduced.state().unknowns.norm();
  const Vector own = LuFactors(problem.columns).solve(descriptor.state().unknowns);
  EXPECT_LE((own.head(problem.n1) - reduced.state().unknowns).norm(), 1e-8 * size);
  EXPECT_LE((descriptor.state().multipliers - reduced.state().multipliers).norm(), 1e-8 * size);
  EXPECT_LE((descriptor.state().outputs - reduced.state().outputs).norm(), 1e-8 * size);
  return static_cast<Index>(of_reduced.size());
}

TEST(DescriptorSystems, HaveTheEventsOfTheSystemsTheyWereMadeOf) {
  Index switches = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    switches += expect_the_same(made(seed));
  }
  EXPECT_GT(switches, 60);
}

TEST(DescriptorSystems, AgreeWithTimeSteppingToOrderOfTheStep) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    const Made problem = made(seed);
    EventDriven exact(problem.descriptor);
    ASSERT_TRUE(exact.advance_to(2.0));
    std::vector<double> errors;
    for (const double h : {1e-3, 5e-4}) {
      TimeStepping stepping(problem.descriptor, {.integrator = EulerMoreau{.theta = 1.0}, .step = h});
      ASSERT_TRUE(stepping.advance_to(2.0));
      errors.push_back((stepping.state().unknowns - exact.state().unknowns).norm());
    }
    // x' and x'' are of size 10 and 30 here: h |x''| T / 2 each way.
    EXPECT_LE(errors[0], 0.1);
    EXPECT_NEAR(errors[0] / errors[1], 2.0, 0.3);
  }
}

// --- Index 2 --------------------------------------------------------------------------------------------------------

/// A source 1 + sin(wt) straight at C with R beside it: C v' = i - v / R, 0 = v - 1 - sin(wt). i = C w cos(wt) + v / R.
NonSmoothDynamicalSystem capacitor_at_a_source(double charge, bool diode) {
  const double C = 0.5, R = 2.0;
  NonSmoothDynamicalSystem model;
  const auto circuit =
      model.add(FirstOrderLinearSystem{.mass = Eigen::Vector2d(C, 0.0).asDiagonal(),
                                       .A = {{-1 / R, 1}, {-1, 0}},
                                       .b = [](double t, VectorRef b) { b[1] = 1.0 + std::sin(kTau * t); },
                                       .x0 = {charge, 0.0},
                                       .name = "loop"});
  // Behind a resistor of 1 a diode against 1: 0 <= lambda ⟂ y = 1 - v + lambda >= 0.
  if (diode)
    model.link(circuit, FirstOrderLinearRelation{.C = {{-1, 0}}, .D = {{1}}, .B = {{-1}, {0}}, .e = {1.0}},
               ComplementarityLaw{});
  return model;
}

TEST(DescriptorSystems, IndexTwoFollowsItsSource) {
  for (const bool diode : {false, true}) {
    SCOPED_TRACE(diode);
    EventDriven simulation(capacitor_at_a_source(1.0, diode));
    EXPECT_TRUE(instants_of(simulation, EventKind::Jump).empty());
    const auto report = simulation.advance_to(0.8);
    ASSERT_TRUE(report) << report.message();
    const double t = 0.8, v = 1.0 + std::sin(kTau * t), drawn = diode ? std::max(v - 1.0, 0.0) : 0.0;
    EXPECT_NEAR(simulation.state().unknowns[0], v, 1e-14);
    // The source's derivative by differences of fourth order: 1e-11 of w, and round-off over their step of 1e-3 / w.
    EXPECT_NEAR(simulation.state().unknowns[1], 0.5 * kTau * std::cos(kTau * t) + v / 2.0 + drawn, 1e-9);
    if (!diode) continue;
    const auto switches = instants_of(simulation, EventKind::Switch);
    ASSERT_EQ(switches.size(), 1u);
    EXPECT_NEAR(switches[0], 0.5, 1e-10);
  }
}

TEST(DescriptorSystems, IndexTwoJumpsToItsSource) {
  EventDriven simulation(capacitor_at_a_source(0.25, false));
  ASSERT_EQ(simulation.events().size(), 1u);
  EXPECT_EQ(simulation.events()[0].kind, EventKind::Jump);
  EXPECT_NEAR(simulation.events()[0].value, 0.5 * 0.75, 1e-15);  // the charge C (1 - 0.25) that the source gives
  EXPECT_EQ(simulation.events()[0].interaction.model, InteractionHandle{}.model);
  EXPECT_NEAR(simulation.state().unknowns[0], 1.0, 1e-15);
}

/// Index 2 beside algebraic rows of index 1: x1' = A x1 + F x_c + B lambda + b, 0 = G x1, 0 = A31 x1 + A33 x_a + B3
/// lambda, mixed as in made(). Reduced: x1' = Q (A x1 + B lambda + b) with Q = 1 - F (G F)^-1 G, and x_a put in.
Made made_of_index_two(unsigned seed) {
  Draws draws(seed);
  const auto matrix = [&](Index rows, Index columns) { return draws.matrix(rows, columns); };
  const auto regular = [&](Index size) { return draws.regular(size); };
  const Index n1 = 3, n = n1 + 2, m = 1;
  const Matrix G = Eigen::RowVector3d(1, 1, 1) + 0.2 * matrix(1, 3), F = G.transpose() + 0.2 * matrix(3, 1);
  const Matrix Q = Matrix::Identity(3, 3) - F * G / (G * F)(0, 0);
  Matrix A11 = 0.3 * matrix(3, 3);
  A11(0, 1) += 3.0;
  A11(1, 0) -= 3.0;
  const Matrix A31 = matrix(1, 3), A33 = regular(1), A13 = matrix(3, 1), B1 = matrix(3, m), B3 = matrix(1, m),
               C1 = 2.0 * matrix(m, 3), C3 = matrix(m, 1), b1 = 0.3 * matrix(3, 1), e = 0.3 * matrix(m, 1),
               x1 = Q * matrix(3, 1), solved = A33.cwiseInverse();
  const Matrix reduced_D = Matrix::Constant(m, m, 2.0 + draws.entry()), D = reduced_D + C3 * solved * B3;
  Matrix A = Matrix::Zero(n, n), B = Matrix::Zero(n, m), C = Matrix::Zero(m, n), M = Matrix::Zero(n, n),
         b = Matrix::Zero(n, 1), x = Matrix::Zero(n, 1);
  A.topLeftCorner(n1, n1) = A11;
  A.block(0, 3, 3, 1) = F;
  A.block(0, 4, 3, 1) = A13;
  A.block(3, 0, 1, 3) = G;
  A.block(4, 0, 1, 3) = A31;
  A.block(4, 4, 1, 1) = A33;
  B.topRows(n1) = B1;
  B.bottomRows(1) = B3;
  C.leftCols(n1) = C1;
  C.rightCols(1) = C3;
  M.topLeftCorner(n1, n1).setIdentity();
  b.topRows(n1) = b1;
  x.topRows(n1) = x1;
  const Matrix rows = regular(n), columns = regular(n), back = LuFactors(columns).inverse();
  Made result;
  result.columns = columns;
  result.n1 = n1;
  result.descriptor.link(result.descriptor.add(FirstOrderLinearSystem{.mass = Matrix(rows * M * back),
                                                                      .A = Matrix(rows * A * back),
                                                                      .b = Vector(rows * b),
                                                                      .x0 = Vector(columns * x)}),
                         FirstOrderLinearRelation{.C = Matrix(C * back), .D = D, .B = Matrix(rows * B), .e = Vector(e)},
                         ComplementarityLaw{});
  result.reduced.link(result.reduced.add(FirstOrderLinearSystem{
                          .A = Matrix(Q * (A11 - A13 * solved * A31)), .b = Vector(Q * b1), .x0 = Vector(x1)}),
                      FirstOrderLinearRelation{.C = Matrix(C1 - C3 * solved * A31),
                                               .D = reduced_D,
                                               .B = Matrix(Q * (B1 - A13 * solved * B3)),
                                               .e = Vector(e)},
                      ComplementarityLaw{});
  return result;
}

TEST(DescriptorSystems, OfIndexTwoHaveTheEventsOfTheReduced) {
  Index switches = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    switches += expect_the_same(made_of_index_two(seed));
  }
  EXPECT_GT(switches, 60);
}

TEST(DescriptorSystems, RanksDoNotDependOnUnits) {
  // Two decoupled capacitors of 1 F and 1e-18 F with their resistors of 1 and 1e9 Ohm behind algebraic nodes.
  NonSmoothDynamicalSystem model;
  model.add(FirstOrderLinearSystem{.mass = Eigen::Vector4d(1.0, 1e-18, 0.0, 0.0).asDiagonal(),
                                   .A = {{-1, 0, 1, 0}, {0, -1e-9, 0, 1e-9}, {1, 0, -2, 0}, {0, 1e-9, 0, -2e-9}},
                                   .x0 = {1, 1, 0, 0}});
  EventDriven simulation(model);
  EXPECT_NEAR(simulation.state().unknowns[2], 0.5, 1e-15);
  EXPECT_NEAR(simulation.state().unknowns[3], 0.5, 1e-15);
  const auto report = simulation.advance_to(2e-9);
  ASSERT_TRUE(report) << report.message();
  EXPECT_NEAR(simulation.state().unknowns[1], std::exp(-1.0), 1e-10);  // a time constant of 2e-9 s
  EXPECT_NEAR(simulation.state().unknowns[3], 0.5 * std::exp(-1.0), 1e-10);
}

}  // namespace
}  // namespace nonsmooth::descriptor_systems_test
