// SPDX-License-Identifier: Apache-2.0
// The higher-order sweeping process against closed forms, and against trajectories by events with matrix exponentials.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <nonsmooth/kernel/higher_order.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "higher_order_processes.hpp"
#include "kernel/bad_input.hpp"

namespace nonsmooth::higher_order_test {
namespace {

using bad_input::expect_refused;
using namespace higher_order_processes;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// z1' = z2, z2' = z3, z3' = -z1 - z2 - z3 - d xi + lambda, xi1' = xi2, xi2' = -xi1 + z1.
Process five_states(double d1, double d2) {
  MatrixXd A = MatrixXd::Zero(5, 5);
  A << 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, -1, -1, -1, -d1, -d2, 0, 0, 0, 0, 1, 1, 0, 0, -1, 0;
  return process(A, VectorXd::Unit(5, 2), VectorXd::Unit(5, 0).transpose(), VectorXd::Unit(5, 0));
}

struct Outcome {
  double first_atom = 0.0, first_closed = -1.0;  ///< mu_2 of the step in which z_1 closes, and when it ends
  double largest_error = 0.0;                    ///< of z_1 against `exact`
  std::vector<double> contacts;                  ///< when w' is stopped, a second and more after it was before
  VectorXd sums, x;                              ///< of mu by row; x at the end
};

/// |z| in the metric of H^-1, H symmetric: levels as they are, xi of what the form says of x.
double size_in_metric(const HigherOrderForm& form, const VectorXd& x, const VectorXd& levels) {
  VectorXd z = form.W * x;
  z.head(levels.size()) = levels;
  VectorXd last(form.outputs);
  for (Index i = 0; i < form.outputs; ++i) last[i] = z[(i + 1) * form.degree - 1];
  return std::sqrt(z.squaredNorm() - last.squaredNorm() + last.dot(form.H.inverse() * last));
}

/// Every step is exact at every level, and bounded, to rounding: some hundred eps of the terms.
Outcome run(const Process& of, double h, double T, const std::function<double(double)>& exact = {}) {
  TimeStepping simulation(of.model, {.integrator = HigherOrderMoreau{}, .step = h});
  State before = simulation.state();
  Outcome result;
  double last_atom = 0.0;
  result.sums = VectorXd::Zero(before.y(of.handles.levels).size());
  const RunReport report = simulation.advance_to(T, [&](const State& state) {
    const double size = 1.0 + before.unknowns.lpNorm<Eigen::Infinity>();
    for (const LevelCertificate& level : certify_levels(simulation.model(), before, state, of.handles.levels)) {
      EXPECT_LE(std::max({level.outside, level.attracting, level.product, level.resting, level.unbalanced}),
                1e-13 * size * size)
          << "to t = " << state.t;
    }
    if (of.handles.form.rate >= 0.0) {
      const double part = 1.0 - h * of.handles.form.rate;
      EXPECT_GT(part, 0.0);
      EXPECT_LE(part * size_in_metric(of.handles.form, state.x(of.system), state.y(of.handles.levels)),
                size_in_metric(of.handles.form, before.x(of.system), before.y(of.handles.levels)) +
                    h * of.handles.form.forcing + 1e-12 * size)
          << "to t = " << state.t;
    }
    const VectorXd mu = atoms(state, of.handles.levels);
    if (mu.size() > 1 && mu[1] > 1e-9) {
      if (result.contacts.empty() || state.t > last_atom + 1.0) result.contacts.push_back(state.t);
      last_atom = state.t;
    }
    if (mu.size() > 1 && mu[1] > 1e-12 && result.first_closed < 0.0) {
      result.first_atom = mu[1];
      result.first_closed = state.t;
    }
    result.sums += mu;
    if (exact)
      result.largest_error = std::max(result.largest_error, std::abs(state.y(of.handles.levels)[0] - exact(state.t)));
    before = state;
  });
  EXPECT_TRUE(report) << report.message();
  EXPECT_TRUE(simulation.findings().empty());
  result.x = simulation.state().x(of.system);
  return result;
}

TEST(HigherOrderMoreau, ChainsThatStartInconsistentJumpAndRest) {
  // (0, -1, 0): z_2 jumps to 0 by an atom 1. (0, 0, -1, 0) likewise in z_3; -1/2 in z_1 takes an atom 1/2.
  const Outcome three = run(chain(VectorXd::Unit(3, 1) * -1.0), 1e-2, 1.0);
  EXPECT_LE((three.sums - VectorXd::Unit(3, 1)).lpNorm<Eigen::Infinity>(), 1e-14);
  EXPECT_LE(three.x.lpNorm<Eigen::Infinity>(), 1e-14);
  const Outcome four = run(chain(VectorXd::Unit(4, 2) * -1.0), 1e-2, 1.0);
  EXPECT_LE((four.sums - VectorXd::Unit(4, 2)).lpNorm<Eigen::Infinity>(), 1e-14);
  EXPECT_LE(four.x.lpNorm<Eigen::Infinity>(), 1e-14);
  const Outcome inside = run(chain(VectorXd::Unit(3, 0) * -0.5), 1e-2, 1.0);
  EXPECT_LE((inside.sums - 0.5 * VectorXd::Unit(3, 0)).lpNorm<Eigen::Infinity>(), 1e-14);
  EXPECT_LE(inside.x.lpNorm<Eigen::Infinity>(), 1e-14);
}

TEST(HigherOrderMoreau, ChainsThatFallLandAndRest) {
  // r = 3 from (1, 0, -1): z_1 = 1 - t^2 / 2 until sqrt(2), where z_2 = -sqrt(2) and z_3 = -1 jump to 0 and stay. r = 4
  // from (0, 1, -1, 0): back at t = 2 with z_2 = -1, z_3 = -1. z_3 has no drift: its atoms add up to 1 exactly; z_2
  // lands up to two steps off, and z_1 with its speed.
  for (const double h : {1e-2, 2e-3}) {
    const Outcome three = run(chain(Eigen::Vector3d(1.0, 0.0, -1.0)), h, 2.0);
    EXPECT_NEAR(three.first_closed, std::sqrt(2.0), 3.0 * h);
    EXPECT_NEAR(three.sums[1], std::sqrt(2.0), 3.0 * h);
    EXPECT_NEAR(three.sums[2], 1.0, 1e-12);
    EXPECT_LE(three.x.lpNorm<Eigen::Infinity>(), 1e-12);
    const Outcome four = run(chain(Eigen::Vector4d(0.0, 1.0, -1.0, 0.0)), h, 3.0);
    EXPECT_NEAR(four.first_closed, 2.0, 3.0 * h);
    EXPECT_NEAR(four.sums[1], 1.0, 3.0 * h);
    EXPECT_NEAR(four.sums[2], 1.0, 1e-12);
    EXPECT_LE(four.x.lpNorm<Eigen::Infinity>(), 1e-12);
  }
}

TEST(HigherOrderMoreau, BackwardEulerDivergesWhereItRests) {
  // From (0, -1, 0) implicit Euler's only multiplier makes z_3 = 1/h in one step: x(1) = (1 - h) / (2 h).
  for (const auto& [h, diverged] : {std::pair{1e-1, 4.5}, {1e-2, 49.5}, {1e-3, 499.5}}) {
    const Process plain = chain(VectorXd::Unit(3, 1) * -1.0, false);
    TimeStepping euler(plain.model,
                       {.integrator = EulerMoreau{.theta = 1.0}, .step = h, .examination = Examination::Off});
    ASSERT_TRUE(euler.advance_to(1.0));
    EXPECT_NEAR(euler.state().x(plain.system)[0], diverged, 1e-9 * diverged);
    EXPECT_THROW(TimeStepping(plain.model, {.integrator = HigherOrderMoreau{}, .step = h}), InvalidArgument);
  }
}

TEST(HigherOrderMoreau, FiveStatesWithoutFeedbackOfTheZeroDynamics) {
  // z_1 + z_3 = e^-t through all jumps, as z_2 alone jumps: z_1 = (e^-t + cos t + sin t) / 2 up to t1 = 2.4191656607,
  // then (a / 2) (e^-u - cos u + sin u), a = e^-t1, u = t - t1, until t1 + 3.9407331357. The atom is 0.7502031946.
  constexpr double kFirst = 2.4191656607, kPeriod = 3.9407331357;
  const auto exact = [](double t) {
    if (t <= kFirst) return 0.5 * (std::exp(-t) + std::cos(t) + std::sin(t));
    double start = kFirst;
    while (t > start + kPeriod) start += kPeriod;
    const double u = t - start;
    return 0.5 * std::exp(-start) * (std::exp(-u) - std::cos(u) + std::sin(u));
  };
  double error = 0.0, atom = 0.0;
  for (const double h : {2e-3, 1e-3}) {
    const Outcome found = run(five_states(0.0, 0.0), h, 6.0, exact);
    EXPECT_NEAR(found.first_closed, kFirst, 3.0 * h);
    const double atom_error = std::abs(found.first_atom - 0.7502031946);
    if (error > 0.0) {  // order 1; the atom's error varies with the place of t1 in its step
      EXPECT_NEAR(error / found.largest_error, 2.0, 0.1);
      EXPECT_LE(atom_error, 0.8 * atom);
    }
    error = found.largest_error;
    atom = atom_error;
  }
  EXPECT_NEAR(error, 3.15e-4, 2e-5);  // 7.9e-4 / 2.5 and 1.58e-3 / 5, of steps of 2.5e-3 and 5e-3
}

TEST(HigherOrderMoreau, FiveStatesWithFeedbackOfTheZeroDynamics) {
  // Of the same scheme, written by itself elsewhere: z_1(6) for steps of 1e-2, 5e-3; it errs by 5 h.
  for (const auto& [h, z] : {std::pair{1e-2, 1.267717}, {5e-3, 1.293640}})
    EXPECT_NEAR(run(five_states(0.0, 1.0), h, 6.0).x[0], z, 1e-6);
  EXPECT_NEAR(run(five_states(0.0, 1.0), 2e-3, 2.2).first_closed, 1.9875272948, 6e-3);
  EXPECT_NEAR(run(five_states(1.0, 0.0), 2e-3, 2.2).first_closed, 2.1418667804, 6e-3);
}

TEST(HigherOrderMoreau, FiveStatesCloseASecondTime) {
  // By events with matrix exponentials. d = (0, 1) lifts off at 2.3390010166 from (0, 0, 0, 1.2742681928, 0), and goes
  // on with the period 5.3591317198, 1.9834636863 times as far each time; d = (1, 0) rests from 8.7649447990 to
  // 10.3692223733; d = 0 has its second impact at 6.3598987964. z_1 errs by 5 h and falls with a speed of about 1.
  constexpr double kStep = 4e-3;
  const Outcome grows = run(five_states(0.0, 1.0), kStep, 2.3390010166 + 5.3591317198);
  ASSERT_EQ(grows.contacts.size(), 2U);
  EXPECT_NEAR(grows.contacts[1], 7.0755672391, 8.0 * kStep);
  EXPECT_NEAR(grows.x[3], 1.2742681928 * 1.9834636863, 20.0 * kStep);
  const Outcome rests = run(five_states(1.0, 0.0), kStep, 10.2);
  ASSERT_EQ(rests.contacts.size(), 2U);
  EXPECT_NEAR(rests.contacts[1], 8.7649447990, 8.0 * kStep);
  EXPECT_NEAR(rests.x[0], 0.0, 1e-12);
  const Outcome free = run(five_states(0.0, 0.0), kStep, 6.5);
  ASSERT_EQ(free.contacts.size(), 2U);
  EXPECT_NEAR(free.contacts[1], 2.4191656607 + 3.9407331357, 8.0 * kStep);
}

TEST(HigherOrderMoreau, ClosedLevelsAreSeenInAnyCoordinatesFromTheFirstStep) {
  // (0, -1, 0): z_1 is rounded to either side, and what it is rounded to is closed beside h |z_2|. The atom is that of
  // z_2, with 1e-12 for some ten eps and the condition of T.
  int above = 0;
  for (int shift = 0; shift < 12; ++shift) {
    MatrixXd T = MatrixXd::Identity(3, 3);
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 3; ++j)
        T(i, j) += 0.3 * std::sin(1.0 + shift + 2.0 * static_cast<double>(i) + 5.0 * static_cast<double>(j));
    const MatrixXd inverse = T.inverse();
    const Process of = process(T * integrators(3) * inverse, T.col(2), inverse.row(0), -T.col(1));
    if (of.model.initial_state().y(of.handles.levels)[0] > 0.0) ++above;
    const Outcome found = run(of, 1e-2, 0.05);
    EXPECT_LE((found.sums - VectorXd::Unit(3, 1)).lpNorm<Eigen::Infinity>(), 1e-12) << shift;
    EXPECT_LE(found.x.lpNorm<Eigen::Infinity>(), 1e-12) << shift;
  }
  EXPECT_GT(above, 0);
}

TEST(HigherOrderMoreau, OthersEnterAtLevelROrAreRefused) {
  // A brake of x_2 moves w'' no more by itself: C A B = 1. One of x_3 acts where lambda does.
  const auto with = [](Index row, bool before) {
    Process of = chain(Eigen::Vector3d(1.0, 0.0, -1.0), false);
    const MatrixXd B = VectorXd::Unit(3, row), C = B.transpose();
    const auto brake = [&] { of.model.link(of.system, FirstOrderLinearRelation{.C = C, .B = B}, RelayLaw{}, "brake"); };
    if (before) brake();
    of.handles = link_higher_order(of.model, of.plain);
    if (!before) brake();
    return of;
  };
  for (const bool before : {true, false}) {
    expect_refused(
        [&] {
          const Process of = with(1, before);
          TimeStepping(of.model, {.integrator = HigherOrderMoreau{}, .step = 1e-2});
        },
        {"stop", "brake", "level 2 of 3", "C A^1 B of it is 1"});
    const Process of = with(2, before);
    TimeStepping simulation(of.model, {.integrator = HigherOrderMoreau{}, .step = 1e-2});
    EXPECT_TRUE(simulation.advance_to(0.1));
  }
}

/// Two chains of r integrators that H couples, in other coordinates x = T z.
Process two_outputs(Index r, const MatrixXd& H, const MatrixXd& T, const VectorXd& z) {
  const Index n = 2 * r;
  MatrixXd A = MatrixXd::Zero(n, n), B = MatrixXd::Zero(n, 2), C = MatrixXd::Zero(2, n);
  for (const Index i : {0, 1}) {
    A.block(i * r, i * r, r, r) = integrators(r);
    A(i * r + r - 1, 0) = -1.0;  // both are driven by the first
    B.row(i * r + r - 1) = H.row(i);
    C(i, i * r) = 1.0;
  }
  const MatrixXd inverse = T.inverse();
  return process(T * A * inverse, T * B, C * inverse, T * z);
}

TEST(HigherOrderMoreau, SeveralOutputsInAnyCoordinates) {
  // The steps are the same whatever the coordinates, to rounding: |T^-1| |T| of some ten times eps of 500 steps.
  MatrixXd H(2, 2), T = MatrixXd::Identity(6, 6);
  H << 2.0, 1.0, 1.0, 2.0;
  VectorXd z(6);
  z << 1.0, 0.0, -1.0, 0.5, 0.0, -1.0;
  const Process own = two_outputs(3, H, T, z);
  EXPECT_EQ(own.handles.form.degree, 3);
  EXPECT_EQ(own.handles.form.outputs, 2);
  EXPECT_EQ(own.handles.form.H, H);
  const Outcome first = run(own, 4e-3, 2.0);
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < 6; ++j)
      T(i, j) += 0.3 * std::sin(1.0 + 2.0 * static_cast<double>(i) + 5.0 * static_cast<double>(j));
  const Process other = two_outputs(3, H, T, z);
  const Outcome second = run(other, 4e-3, 2.0);
  EXPECT_LE((T.inverse() * second.x - first.x).lpNorm<Eigen::Infinity>(), 1e-9);
  EXPECT_LE((second.sums - first.sums).lpNorm<Eigen::Infinity>(), 1e-9);
  EXPECT_GT(first.sums[4], 0.5);  // the second output has closed
}

TEST(HigherOrderMoreau, AConstantDriftStandsInAllLevels) {
  // x''' = -1 + lambda + b in the middle of the chain: z_2 = x_2 + b_1, and it lands where z does, not x.
  Process moved;
  moved.system = moved.model.add(FirstOrderLinearSystem{.mass = {{2.0, 0, 0}, {0, 1.0, 0}, {0, 0, 4.0}},
                                                        .A = {{0, 2.0, 0}, {0, 0, 1.0}, {0, 0, 0}},
                                                        .b = {1.0, 0.5, -4.0},
                                                        .x0 = {1.0, -0.5, -0.5}});
  moved.plain = moved.model.link(moved.system,
                                 FirstOrderLinearRelation{.C = {{1.0, 0, 0}}, .B = {{0.0}, {0.0}, {4.0}}, .e = {-0.5}},
                                 ComplementarityLaw{});
  moved.handles = link_higher_order(moved.model, moved.plain);
  // z(0) = (1/2, 0, 0), z_3' = -1 + lambda.
  const State start = moved.model.initial_state();
  EXPECT_LE((start.y(moved.handles.levels) - Eigen::Vector3d(0.5, 0.0, 0.0)).norm(), 1e-15);
  EXPECT_NEAR(moved.handles.form.rate, 1.0, 1e-14);
  EXPECT_NEAR(moved.handles.form.forcing, 1.0, 1e-14);
  const Outcome found = run(moved, 1e-3, 2.0);
  EXPECT_NEAR(found.first_closed, std::cbrt(3.0), 3e-3);  // t^3 / 6 = 1/2
  EXPECT_LE((found.x - Eigen::Vector3d(0.5, -0.5, -0.5)).lpNorm<Eigen::Infinity>(), 1e-11);
}

/// x' = ..., whose levels z_1 = x_1, z_2 = x_2 + x_1^2, z_3 = x_3 + 2 x_1 z_2 obey z_3' = -1 + (1 + x_1^2) lambda, and
/// xi = x_4 - x_1 with xi' = -xi.
HigherOrderSystem bent(const VectorXd& x0) {
  const auto z2 = [](ConstVectorRef x) { return x[1] + x[0] * x[0]; };
  const auto z3 = [z2](ConstVectorRef x) { return x[2] + 2.0 * x[0] * z2(x); };
  return {.degree = 3,
          .outputs = 1,
          .x0 = x0,
          .f =
              [=](ConstVectorRef x, VectorRef f) {
                f[0] = z2(x);
                f[1] = x[2];
                f[2] = -1.0 - 2.0 * z2(x) * z2(x) - 2.0 * x[0] * z3(x);
                f[3] = z2(x) - (x[3] - x[0]);
              },
          .G = [](ConstVectorRef x, MatrixRef G) { G(2, 0) = 1.0 + x[0] * x[0]; },
          .lie =
              [=](ConstVectorRef x, MatrixRef lie) {
                lie(0, 0) = x[0];
                lie(0, 1) = z2(x);
                lie(0, 2) = z3(x);
                lie(0, 3) = -1.0;
              },
          .H = [](ConstVectorRef x, MatrixRef H) { H(0, 0) = 1.0 + x[0] * x[0]; },
          .xi = [](ConstVectorRef x, VectorRef xi) { xi[0] = x[3] - x[0]; },
          .xi_rate = [](ConstVectorRef x, VectorRef rate) { rate[0] = -(x[3] - x[0]); },
          .inverse =
              [](ConstVectorRef z, VectorRef x) {
                x[0] = z[0];
                x[1] = z[1] - z[0] * z[0];
                x[2] = z[2] - 2.0 * z[0] * z[1];
                x[3] = z[3] + z[0];
              },
          .name = "bent"};
}

TEST(HigherOrderMoreau, NonlinearByItsLieDerivatives) {
  // z = (1/2, 0, 0), xi = 1: z_1 = 1/2 - t^3 / 6 until cbrt(3), then at rest with lambda = 1; xi = e^-t whatever jumps.
  Process of;
  of.handles = link_higher_order(of.model, bent(Eigen::Vector4d(0.5, -0.25, 0.0, 1.5)));
  of.system = of.handles.system;
  EXPECT_LE((of.model.initial_state().x(of.system) - Eigen::Vector4d(0.5, 0.0, 0.0, 1.0)).norm(), 1e-15);
  const Outcome found = run(of, 1e-3, 2.0, [](double t) { return std::max(0.5 - t * t * t / 6.0, 0.0); });
  EXPECT_NEAR(found.first_closed, std::cbrt(3.0), 3e-3);
  EXPECT_LE(found.largest_error, 3e-3);  // h |z_2| / 2 of the free motion, and one step of it where it lands
  EXPECT_LE(found.x.head(3).lpNorm<Eigen::Infinity>(), 1e-12);
  EXPECT_NEAR(found.x[3], std::pow(1.0 + 1e-3, -2000.0), 1e-12);
  // atoms stop z_2 = -cbrt(9) / 2 and z_3 = -cbrt(3); from then on mu_3 = h.
  EXPECT_NEAR(found.sums[1], 0.5 * std::cbrt(9.0), 5e-3);
  EXPECT_NEAR(found.sums[2], 2.0, 5e-3);

  const auto refused = [](HigherOrderSystem system, std::vector<std::string> parts) {
    NonSmoothDynamicalSystem model;
    expect_refused([&] { link_higher_order(model, std::move(system)); }, std::move(parts));
    EXPECT_EQ(model.num_systems(), 0);
  };
  const VectorXd x0 = Eigen::Vector4d(0.5, -0.25, 0.0, 1.5);
  HigherOrderSystem wrong = bent(x0);
  wrong.lie = [right = wrong.lie](ConstVectorRef x, MatrixRef lie) { right(x, lie), lie(0, 2) *= 1.01; };
  wrong.inverse = [](ConstVectorRef z, VectorRef x) {
    x << z[0], z[1] - z[0] * z[0], z[2] / 1.01 - 2.0 * z[0] * z[1], z[3] + z[0];
  };
  refused(wrong, {"HigherOrderSystem::lie", "L_f^3 h_0", "off by 0.01"});
  wrong = bent(x0);
  wrong.G = [](ConstVectorRef, MatrixRef G) { G(1, 0) = 1.0; };
  refused(wrong, {"relative degree is lower", "L_f^1 h_0"});
  wrong = bent(x0);
  wrong.H = [](ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; };
  refused(wrong, {"HigherOrderSystem::H"});
  wrong = bent(x0);
  wrong.G = [](ConstVectorRef x, MatrixRef G) { G(2, 0) = 1.0 + x[0] * x[0], G(3, 0) = 1.0; };
  refused(wrong, {"lambda moves it"});
  wrong = bent(x0);
  wrong.inverse = [](ConstVectorRef z, VectorRef x) { x = z; };
  refused(wrong, {"inverse"});
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  wrong = bent(x0);
  wrong.f = [right = wrong.f](ConstVectorRef x, VectorRef f) { right(x, f), f[2] = kNaN; };
  refused(wrong, {"HigherOrderSystem::f", "not finite"});
  wrong = bent(x0);
  wrong.G = [](ConstVectorRef x, MatrixRef G) { G(2, 0) = 1.0 + x[0] * x[0], G(3, 0) = kNaN; };
  refused(wrong, {"HigherOrderSystem::G", "not finite"});
  wrong = bent(x0);
  wrong.xi = {};
  refused(wrong, {"xi", "no function"});

  // w'' = -g + lambda with g = 1e-7: a wrong sign is as wrong in these units.
  const auto falling = [](double g) {
    return HigherOrderSystem{
        .degree = 2,
        .outputs = 1,
        .x0 = {1.0, 0.0},
        .f = [](ConstVectorRef x, VectorRef f) { f << x[1], -1e-7; },
        .G = [](ConstVectorRef, MatrixRef G) { G(1, 0) = 1.0; },
        .lie = [g](ConstVectorRef x, MatrixRef lie) { lie << x[0], x[1], -g; },
        .H = [](ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; },
        .inverse = [](ConstVectorRef z, VectorRef x) { x = z; },
    };
  };
  refused(falling(-1e-7), {"L_f^2 h_0", "off by 2e-07"});
  NonSmoothDynamicalSystem model;
  EXPECT_NO_THROW(link_higher_order(model, falling(1e-7)));
}

TEST(HigherOrderMoreau, AStateGoesOnWithTheSameBits) {
  const Process of = five_states(0.0, 1.0);
  const TimeSteppingOptions options{.integrator = HigherOrderMoreau{}, .step = 1e-2};
  TimeStepping whole(of.model, options), first(of.model, options), second(of.model, options);
  ASSERT_TRUE(whole.advance_to(5.0));
  ASSERT_TRUE(first.advance_to(2.1));  // in contact
  second.set_state(first.state());
  ASSERT_TRUE(second.advance_to(5.0));
  EXPECT_EQ(hash_of(whole.state()), hash_of(second.state()));
}

TEST(HigherOrderMoreau, RefusesWhatIsNoProcessWithTheNumbers) {
  const auto refused = [](Process of, std::vector<std::string> parts) {
    expect_refused([&] { (void)link_higher_order(of.model, of.plain); }, std::move(parts));
    EXPECT_EQ(of.model.num_interactions(), 1);
  };
  MatrixXd A = MatrixXd::Zero(3, 3), B = MatrixXd::Zero(3, 2), C = MatrixXd::Zero(2, 3);
  A(0, 1) = 1.0;
  B(1, 0) = B(2, 1) = C(0, 0) = C(1, 2) = 1.0;
  refused(process(A, B, C, VectorXd::Zero(3), false), {"(2, 1)", "not the same"});
  refused(process(MatrixXd::Zero(2, 2), Eigen::Vector2d(0.0, 1.0), Eigen::RowVector2d(1.0, 0.0),
                  Eigen::Vector2d::Zero(), false),
          {"none", "reaches"});
  refused(process(MatrixXd::Zero(2, 2), MatrixXd::Ones(2, 2), MatrixXd::Identity(2, 2), Eigen::Vector2d::Zero(), false),
          {"(1, 1)", "singular"});
  refused(
      process(integrators(3), VectorXd::Unit(3, 2) * -1.0, VectorXd::Unit(3, 0).transpose(), VectorXd::Zero(3), false),
      {"r = 3", "P-matrix"});
  const auto with_D = [](const MatrixXd& D) {
    Process of;
    of.system = of.model.add(FirstOrderLinearSystem{.A = integrators(2), .x0 = {1.0, 1.0}});
    of.plain = of.model.link(
        of.system, FirstOrderLinearRelation{.C = MatrixXd::Identity(2, 2), .D = D, .B = MatrixXd::Identity(2, 2)},
        ComplementarityLaw{});
    return of;
  };
  refused(with_D(Eigen::Matrix2d{{1.0, 0.0}, {0.0, 0.0}}), {"D = [1, 0; 0, 0]", "neither zero nor definite"});
  refused(with_D(Eigen::Matrix2d::Identity()), {"positive definite", "EulerMoreau"});
  Process relay = chain(Eigen::Vector3d::Zero(), false);
  relay.model.remove(relay.plain);
  relay.plain = relay.model.link(relay.system, FirstOrderLinearRelation{.C = {{1.0, 0, 0}}, .B = {{0.0}, {0.0}, {1.0}}},
                                 RelayLaw{});
  refused(relay, {"RelayLaw", "ComplementarityLaw"});
  Process linked = chain(Eigen::Vector3d::Zero());
  EXPECT_THROW(link_higher_order(linked.model, linked.plain), InvalidArgument);  // it is gone
  expect_refused([&] { link_higher_order(linked.model, linked.handles.levels); }, {"nested cones"});
  expect_refused([&] { TimeStepping(linked.model, {.integrator = EulerMoreau{}, .step = 0.1}); },
                 {"EulerMoreau", "levels", "HigherOrderMoreau"});
  expect_refused([&] { link_higher_order(linked.model, linked.handles.levels, {.closed = 0.1}); }, {"closed"});
}

}  // namespace
}  // namespace nonsmooth::higher_order_test
