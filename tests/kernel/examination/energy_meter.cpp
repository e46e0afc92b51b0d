// SPDX-License-Identifier: Apache-2.0
// Energies of states against T = m v^2 / 2 and V = k q^2 / 2 - f q, and those of arrays against those of the state.
#include <nonsmooth/kernel/energies.hpp>

#include <gtest/gtest.h>

#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/kernel/state.hpp>
#include <nonsmooth/kernel/systems.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::energy_meter_test {
namespace {

constexpr Index kCount = 37;  // no whole number of vectors of a processor

/// Masses m_i = i + 1 on springs k_i = 2 i in a field f_i = -9 m_i, at q_i = i / 4 with v_i = 1 / 2 - i / 8: all
/// numbers and sums are multiples of 2^-7 below 2^30, so that nothing is rounded.
NonSmoothDynamicalSystem masses(bool diagonal) {
  NonSmoothDynamicalSystem model;
  for (Index i = 0; i < kCount; ++i) {
    const auto n = static_cast<double>(i);
    const MatrixData dense{{n + 1.0}}, one = Eigen::VectorXd::Constant(1, n + 1.0).asDiagonal();
    model.add(LagrangianLinearSystem{.mass = diagonal ? one : dense,
                                     .stiffness = Eigen::VectorXd::Constant(1, 2.0 * n).asDiagonal(),
                                     .force = {-9.0 * (n + 1.0)},
                                     .q0 = {0.25 * n},
                                     .v0 = {0.5 - 0.125 * n}});
  }
  return model;
}

Energies closed_form() {
  Energies sum;
  for (Index i = 0; i < kCount; ++i) {
    const auto n = static_cast<double>(i);
    const double m = n + 1.0, q = 0.25 * n, v = 0.5 - 0.125 * n;
    sum.kinetic += 0.5 * m * v * v;
    sum.potential += 0.5 * (2.0 * n) * q * q + 9.0 * m * q;
  }
  return sum;
}

void expect_same(const Energies& found, const Energies& expected) {
  EXPECT_EQ(found.kinetic, expected.kinetic);
  EXPECT_EQ(found.potential, expected.potential);
}

TEST(EnergyMeter, IsTheClosedFormOfDiagonalAndOfDenseMatrices) {
  EnergyMeter meter;
  for (const bool diagonal : {false, true}) {
    const NonSmoothDynamicalSystem model = masses(diagonal);
    EXPECT_EQ(meter.prepare(model), diagonal);
    expect_same(meter.of(model, model.initial_state()), closed_form());
  }
}

TEST(EnergyMeter, ArraysHaveTheEnergiesOfTheirState) {
  EnergyMeter meter;
  const NonSmoothDynamicalSystem model = masses(true);
  ASSERT_TRUE(meter.prepare(model));
  State state = model.initial_state();
  expect_same(meter.of_arrays(state.positions, state.unknowns), closed_form());
  for (Index i = 0; i < kCount; ++i) {  // numbers that sums round
    state.positions[i] = 1.0 / static_cast<double>(i + 3);
    state.unknowns[i] = 1.0 / static_cast<double>(7 - 2 * i);
  }
  expect_same(meter.of_arrays(state.positions, state.unknowns), meter.of(model, state));
}

TEST(EnergyMeter, ArraysAloneAreRefusedWhereTheyDoNotSayAll) {
  EnergyMeter meter;
  const Eigen::VectorXd x = Eigen::VectorXd::Zero(kCount), few = Eigen::VectorXd::Zero(kCount - 1);
  EXPECT_THROW((void)meter.of_arrays(x, x), InvalidArgument);
  ASSERT_TRUE(meter.prepare(masses(true)));
  EXPECT_THROW((void)meter.of_arrays(few, x), InvalidArgument);
  EXPECT_THROW((void)meter.of_arrays(x, few), InvalidArgument);
  NonSmoothDynamicalSystem others = masses(true);
  others.add(RigidBody{});
  EXPECT_FALSE(meter.prepare(others));
  EXPECT_THROW((void)meter.of_arrays(x, x), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::energy_meter_test
