// SPDX-License-Identifier: Apache-2.0
// An elastic bar dropped on a rigid floor, by characteristics: E = 900, rho = 1, L = 10, section 1, g = 10, from a
// height of 5; c = 30. Benchmark of Doyen, Ern, Piperno 2011, Time-integration schemes for the finite element dynamic
// Signorini problem.
//
// The bar hits at t = 1 with 10 m/s. In the falling frame the floor drives its end by f(s) = 10 s + 5 s^2, s since the
// impact, with a force E f'(s) / c = 300 (1 + s), until the wave is back from the free end, at s = 2/3: then the bar
// moves up with 10 m/s everywhere, compressed by twice the strain of its own weight. It flies for 2 s, three periods 2
// L / c of that vibration, and lands as compressed as it left; now the force is 500 - 300 s, and what it leaves after
// 2/3 s is a bar without strain at 10 m/s, which rises to where it was dropped: the motion has a period of 16/3 s.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/closed_forms.hpp"

namespace nonsmooth::bouncing_bar_test {
namespace {

using namespace closed_forms;

constexpr double kModulus = 900.0, kLength = 10.0, kHeight = 5.0, kFall = 10.0, kSpeed = 30.0;
constexpr double kLanding[] = {1.0, 11.0 / 3.0, 19.0 / 3.0}, kContact = 2.0 / 3.0;

/// Of the bottom end while the bar flies for the first time, s after it left: the vibration moves it by half a period
/// of a parabola, down and up again.
double first_flight(double s) {
  const double x = kSpeed * std::fmod(s, kContact), folded = std::min(x, 2.0 * kLength - x);
  return 10.0 * s - 0.5 * kFall * s * s - 2.0 / 9.0 * (folded - folded * folded / (2.0 * kLength));
}

struct Bar {
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  InteractionHandle floor;

  explicit Bar(Index n) {
    const double dx = kLength / static_cast<double>(n);
    Eigen::SparseMatrix<double> K(n + 1, n + 1);
    Eigen::VectorXd mass = Eigen::VectorXd::Constant(n + 1, dx);
    mass[0] = mass[n] = 0.5 * dx;
    for (Index i = 0; i < n; ++i) {
      K.coeffRef(i, i) += kModulus / dx;
      K.coeffRef(i + 1, i + 1) += kModulus / dx;
      K.coeffRef(i, i + 1) = K.coeffRef(i + 1, i) = -kModulus / dx;
    }
    body = model.add(LagrangianLinearSystem{.mass = mass.asDiagonal(),
                                            .stiffness = K,
                                            .force = Eigen::VectorXd(-kFall * mass),
                                            .q0 = Eigen::VectorXd::Constant(n + 1, kHeight)});
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(1, n + 1);
    H(0, 0) = 1.0;
    floor = model.link(body, LagrangianLinearRelation{.H = H}, NewtonImpactLaw{0.0});
  }
};

struct Figures {
  double impulse[3] = {}, early[3] = {}, late[3] = {}, begin[3] = {-1.0, -1.0, -1.0}, end[3] = {};
  double flight = 0.0;
};

Figures run(Index n, double steps_an_element) {
  Bar bar(n);
  const double h = kLength / (static_cast<double>(n) * kSpeed * steps_an_element);
  Figures figures;
  TimeStepping simulation(bar.model, moreau_jean(h));
  const auto report = simulation.advance_to(7.3, [&](const State& state) {
    const double p = state.impulse(bar.floor)[0];
    for (int i = 0; i < 3; ++i) {
      const double s = state.t - kLanding[i];
      if (s < -0.5 || s > kContact + 0.5) continue;
      figures.impulse[i] += p;
      if (s > 0.1 && s <= 0.3) figures.early[i] += p;
      if (s > 0.35 && s <= 0.55) figures.late[i] += p;
      if (p > 0.0 && figures.begin[i] < 0.0) figures.begin[i] = state.t;
      if (p > 0.0) figures.end[i] = state.t;
    }
    const double s = state.t - (kLanding[0] + kContact);
    if (s >= 0.0 && s <= 1.9)
      figures.flight = std::max(figures.flight, std::abs(state.q(bar.body)[0] - first_flight(s)));
  });
  EXPECT_TRUE(report) << report.message();
  return figures;
}

TEST(BouncingBar, FollowsTheWavesThroughThreeContacts) {
  // Lumped linear elements under theta = 1/2 disperse: after N elements a front is (N)^(1/3) of them wide. Fronts come
  // back after one round trip of 2 n elements in the first contact, five in the second (three of them in flight), six
  // in the third. That much early or late may contacts begin and end; impulses are off by less than 300 N, the smallest
  // force at the ends of a contact, over that time; the position of the end, by half the jump of its speed, 40/3 m/s.
  // Within a contact the mean force rings by its jump at the landing, up to 500 N, over the time of an element.
  const double early[] = {60.0 * 1.2, 88.0, 60.0 * 1.2}, late[] = {60.0 * 1.45, 73.0, 60.0 * 1.45};
  double coarse = 0.0;
  for (const Index n : {100, 200}) {
    const Figures x = run(n, 2.0);
    const double element = kLength / (static_cast<double>(n) * kSpeed);
    const double trips[] = {1.0, 5.0, 6.0};
    for (int i = 0; i < 3; ++i) {
      const double blur = std::cbrt(2.0 * static_cast<double>(n) * trips[i]) * element;
      EXPECT_NEAR(x.begin[i], kLanding[i], blur) << n << ' ' << i;
      EXPECT_NEAR(x.end[i], kLanding[i] + kContact, blur) << n << ' ' << i;
      EXPECT_NEAR(x.impulse[i], 800.0 / 3.0, 300.0 * blur) << n << ' ' << i;  // m (2 v + g 2 L / c)
      EXPECT_NEAR(x.early[i], early[i], 500.0 * element) << n << ' ' << i;
      EXPECT_NEAR(x.late[i], late[i], 500.0 * element) << n << ' ' << i;
      if (i == 1) {
        EXPECT_LE(x.flight, 20.0 / 3.0 * blur) << n;
      }
    }
    // Of the order 2/3 of such a front.
    if (n == 200) {
      EXPECT_GT(std::log2(coarse / x.flight), 0.5);
    }
    coarse = x.flight;
  }
}

}  // namespace
}  // namespace nonsmooth::bouncing_bar_test
