// SPDX-License-Identifier: Apache-2.0
// Finite rotations of a thousand bodies as one system with sparse matrices on SO(3)^1000: modes of a twisted chain,
// what a turned frame and the group keep, a stop.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>
#include <problems/turning_chain.hpp>

namespace nonsmooth::sparse_rotations_test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using problems::TurningChain;
using std::numbers::pi;

constexpr Index kBodies = 1000;
constexpr double kStiffness = 1e5;
const Eigen::Vector4d kFrame = Eigen::Vector4d(0.4, -0.3, 0.8, 0.2).normalized();
/// e_3 is a principal axis.
const Matrix3d kInertia{{2.0, 0.3, 0.0}, {0.3, 1.5, 0.0}, {0.0, 0.0, 1.0}};

double at(Index i, Index count) { return (static_cast<double>(i) + 0.5) / static_cast<double>(count); }

/// A chain that is bent and twisted by some rad along its length and turns unevenly, in a turned frame; not at its
/// ends, from which waves of all lengths would come.
std::shared_ptr<const TurningChain> bent_chain(Index count, const Eigen::Quaterniond& frame) {
  Eigen::Matrix4Xd orientations(4, count);
  Eigen::Matrix3Xd spins(3, count);
  for (Index i = 0; i < count; ++i) {
    const double s = at(i, count);
    const Eigen::Quaterniond Q = frame * Eigen::AngleAxisd(2.0 * std::cos(pi * s), Vector3d::UnitX()) *
                                 Eigen::AngleAxisd(1.5 * std::cos(2.0 * pi * s), Vector3d::UnitZ());
    orientations.col(i) << Q.w(), Q.x(), Q.y(), Q.z();
    spins.col(i) << 1.0 + std::cos(pi * s), 0.5 * std::cos(2.0 * pi * s), 2.0;
  }
  Matrix3d inertia = kInertia;
  inertia(1, 2) = inertia(2, 1) = -0.2;
  const double stiffness = 0.1 * static_cast<double>(count * count);  // waves of some rad/s
  return std::make_shared<const TurningChain>(stiffness, inertia, orientations, spins);
}

TimeStepping simulation_of(const std::shared_ptr<const TurningChain>& chain, double h) {
  NonSmoothDynamicalSystem model;
  model.add(std::static_pointer_cast<const MechanicalSystem>(chain));
  return {model, {.step = h, .newton = {.tolerance = 1e-11}}};
}

TEST(SparseRotations, JacobiansAreThoseOfDifferences) {
  NonSmoothDynamicalSystem model;
  model.add(std::static_pointer_cast<const MechanicalSystem>(bent_chain(7, Eigen::Quaterniond::Identity())));
  EXPECT_TRUE(compare_jacobians(model, model.initial_state(0.0)).empty());
}

TEST(SparseRotations, AChainOfAThousandTwistsInItsModes) {
  // The third mode of 0.5 rad, about an axis that is turned: 6 / 1000 of it at most between neighbours, so that
  // sin phi differs from phi by phi^2 / 6 of it, which pushes at resonance: a phi^2 / 6 omega t / 2, and twice that
  // for the mode's own shape. theta = 1/2 makes tan(Omega h / 2) = omega h / 2 of a frequency. A turn about one axis
  // is exact under q exp(w); Newton stops at 1e-11 of Omega ~ 2 rad/s in each step.
  const double amplitude = 0.5, h = 0.02;
  Eigen::VectorXd mode(kBodies);
  for (Index i = 0; i < kBodies; ++i) mode[i] = std::cos(3.0 * pi * at(i, kBodies));
  const auto chain =
      std::make_shared<const TurningChain>(problems::twisted_chain(kStiffness, kInertia, amplitude * mode, kFrame));
  const double omega = chain->frequency(3), discrete = 2.0 / h * std::atan(0.5 * omega * h);
  TimeStepping simulation = simulation_of(chain, h);
  const Eigen::Quaterniond back = Eigen::Quaterniond(kFrame[0], kFrame[1], kFrame[2], kFrame[3]).conjugate();
  const double phi = amplitude * 3.0 * pi / static_cast<double>(kBodies);
  double swing = 0.0;
  const RunReport run = simulation.advance_to(1.5, [&](const State& state) {
    const double bound = 2.0 * amplitude * phi * phi / 6.0 * 0.5 * omega * state.t + 1e-9;
    double worst = 0.0, aside = 0.0, length = 0.0;
    for (Index i = 0; i < kBodies; ++i) {
      const Eigen::Vector4d q = state.positions.segment<4>(4 * i);
      const Eigen::Quaterniond turn = back * Eigen::Quaterniond(q[0], q[1], q[2], q[3]);
      const double angle = 2.0 * std::atan2(turn.z(), turn.w());
      worst = std::max(worst, std::abs(angle - amplitude * mode[i] * std::cos(discrete * state.t)));
      aside = std::max(aside, std::hypot(turn.x(), turn.y()));
      length = std::max(length, std::abs(q.norm() - 1.0));
    }
    swing = std::min(swing, std::cos(discrete * state.t));
    EXPECT_LE(worst, bound) << state.t;
    EXPECT_LE(aside, 1e-9);
    EXPECT_LE(length, 4e-16);
  });
  ASSERT_TRUE(run) << run.message();
  EXPECT_LT(swing, -0.99);  // it went over to the other side
}

TEST(SparseRotations, ATurnedFrameChangesNothing) {
  // Bodies turned by one Q see the same forces: v alike to Newton's tolerance and the rounding of the forces,
  // 1e-16 k = 1e-11 in steps of 0.01 s; q turned likewise.
  const Eigen::Quaterniond frame(kFrame[0], kFrame[1], kFrame[2], kFrame[3]);
  TimeStepping here = simulation_of(bent_chain(kBodies, Eigen::Quaterniond::Identity()), 0.01),
               there = simulation_of(bent_chain(kBodies, frame), 0.01);
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(here.step());
    ASSERT_TRUE(there.step());
  }
  EXPECT_GT((here.state().unknowns - bent_chain(kBodies, frame)->initial_velocity()).lpNorm<Eigen::Infinity>(), 0.1);
  EXPECT_LE((here.state().unknowns - there.state().unknowns).lpNorm<Eigen::Infinity>(), 1e-8);
  double apart = 0.0;
  for (Index i = 0; i < kBodies; ++i) {
    const Eigen::Vector4d q = here.state().positions.segment<4>(4 * i);
    const Eigen::Quaterniond turned = frame * Eigen::Quaterniond(q[0], q[1], q[2], q[3]);
    const Eigen::Vector4d expected(turned.w(), turned.x(), turned.y(), turned.z());
    apart = std::max(apart, (there.state().positions.segment<4>(4 * i) - expected).norm());
  }
  EXPECT_LE(apart, 1e-8);
}

TEST(SparseRotations, EnergyAndMomentumAreKeptToSecondOrder) {
  // Drifts a quarter at half the step, to (h omega)^2 of it; quaternions stay units.
  const auto chain = bent_chain(kBodies, Eigen::Quaterniond::Identity());
  const Eigen::VectorXd q0 = chain->initial_position(), v0 = chain->initial_velocity();
  const double energy = chain->energy(q0, v0);
  const Vector3d momentum = chain->momentum(q0, v0);
  double of_energy[2] = {0.0, 0.0}, of_momentum[2] = {0.0, 0.0};
  for (const int i : {0, 1}) {
    TimeStepping simulation = simulation_of(chain, i == 0 ? 0.01 : 0.005);
    const RunReport run = simulation.advance_to(0.4, [&](const State& state) {
      const auto &q = state.positions, &v = state.unknowns;
      of_energy[i] = std::max(of_energy[i], std::abs(chain->energy(q, v) / energy - 1.0));
      of_momentum[i] = std::max(of_momentum[i], (chain->momentum(q, v) - momentum).norm() / momentum.norm());
    });
    ASSERT_TRUE(run) << run.message();
    const auto quaternions = simulation.state().positions.reshaped(4, kBodies);
    EXPECT_LE((quaternions.colwise().norm().array() - 1.0).abs().maxCoeff(), 4e-16);
  }
  EXPECT_LE(of_energy[1], 1e-5);
  EXPECT_LE(of_momentum[1], 1e-4);
  EXPECT_NEAR(of_energy[0] / of_energy[1], 4.0, 0.02);
  EXPECT_NEAR(of_momentum[0] / of_momentum[1], 4.0, 0.02);
}

TEST(SparseRotations, AStopHoldsTheLastBody) {
  // The first mode swings the last body back; at a stop at 0.1 rad before its middle it stays for a time, with the
  // impulses of a push and none of a pull, no energy is gained, and the first body swings on.
  const double amplitude = 0.4;
  Eigen::VectorXd mode(kBodies);
  for (Index i = 0; i < kBodies; ++i) mode[i] = std::cos(pi * at(i, kBodies));
  const auto chain = std::make_shared<const TurningChain>(problems::twisted_chain(
      kStiffness, kInertia, -amplitude * mode, Eigen::Vector4d(1.0, 0.0, 0.0, 0.0)));  // the last is at +0.4 rad
  NonSmoothDynamicalSystem model;
  const auto all = model.add(std::static_pointer_cast<const MechanicalSystem>(chain));
  // y = e_y . R e_x - sin(0.1), turned about e_z by alpha: sin(alpha) - sin(0.1). dy = e_y . R (w x e_x).
  const auto last = [](ConstVectorRef q) {
    const Index i = 4 * (kBodies - 1);
    return Eigen::Quaterniond(q[i], q[i + 1], q[i + 2], q[i + 3]).toRotationMatrix();
  };
  const auto stop = model.link(
      all,
      ScleronomousRelation{.rows = 1,
                           .h = [last](ConstVectorRef q, VectorRef y) { y[0] = last(q)(1, 0) - std::sin(0.1); },
                           .H =
                               [last](ConstVectorRef q, MatrixRef H) {
                                 const Vector3d n = last(q).row(1);
                                 H.setZero();
                                 H.rightCols<3>() = Vector3d::UnitX().cross(n).transpose();
                               }},
      NewtonImpactLaw{});
  TimeStepping simulation(model, {.step = 0.01, .newton = {.tolerance = 1e-10}});
  double before = chain->energy(chain->initial_position(), chain->initial_velocity()), pressed = 0.0, lowest = 1.0;
  const double first = before;
  for (int k = 0; k < 200; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    const State& state = std::as_const(simulation).state();
    const double energy = chain->energy(state.positions, state.unknowns), p = state.impulse(stop)[0];
    EXPECT_GE(p, 0.0);
    // Of order 3 a step, (h omega)^3 of 1e-2 rad/s^2 h: 1e-6 of the energy.
    EXPECT_LE(energy, before + 1e-5 * first) << k;
    before = energy;
    pressed += p > 0.0 ? 1.0 : 0.0;
    lowest = std::min(lowest, state.y(stop)[0]);
  }
  EXPECT_GT(pressed, 10.0);
  EXPECT_GE(lowest, -0.01 * 2.0 * amplitude * chain->frequency(1));  // h times the speed of approach
}

}  // namespace
}  // namespace nonsmooth::sparse_rotations_test
