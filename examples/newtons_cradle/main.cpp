// SPDX-License-Identifier: Apache-2.0
// Newton's cradle: five equal balls in a row, and what three laws say of a multiple impact (SI units).
//
//   m dv + m g / l q dt = sum H_i^T dp_i,   0 <= y_i = q_{i+1} - q_i  ⟂  dp_i >= 0,   i = 1..4.
//
// Ball 1 strikes with speed v, the others touch: u- = (-v, 0, 0, 0).
//   Newton   u_i+ = -e_i u_i-, at once.   e = 1: (-3, 2, 2, 2, 2) v / 5. A contact that did not approach does not care
//            what its e is; a first one with e_1 = 0 takes all five along, (1, 1, 1, 1, 1) v / 5.
//   Poisson  a compression to (1, 1, 1, 1, 1) v / 5, p_c = (4, 3, 2, 1) m v / 5, then every contact gives back at least
//            e_i p_c. e = 1: the same as Newton's. e_1 = 0, others 1: p_1 = 3/10 is what keeps balls 1 and 2 together,
//            (-1, -1, 4, 4, 4) v / 10.
//   Liu, Zhao, Brogliato  springs, each with K d^(3/2) of Hertz, so hard that nothing moves meanwhile: a wave runs
//            through the row. e = 1: the limit of the row as it is, m xdd_i = K (d_{i-1}^(3/2) - d_i^(3/2)).
// All three keep the momentum, and with e = 1 the energy. A toy does what the third one says.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <numbers>
#include <stdexcept>

#include "picture.hpp"

using namespace nonsmooth;

namespace {

constexpr int kBalls = 5;
constexpr double kMass = 0.1, kLength = 0.2, kGravity = 9.81;
using Balls = Eigen::Matrix<double, kBalls, 1>;

/// The row of balls with place q and velocity v of the first one; `law` gives that of contact i.
template <class LawOf>
NonSmoothDynamicalSystem cradle(double q, double v, const LawOf& law) {
  NonSmoothDynamicalSystem model;
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(kBalls, kBalls);
  const auto balls = model.add(LagrangianLinearSystem{.mass = (kMass * one).eval(),
                                                      .stiffness = (kMass * kGravity / kLength * one).eval(),
                                                      .q0 = {q, 0.0, 0.0, 0.0, 0.0},
                                                      .v0 = {v, 0.0, 0.0, 0.0, 0.0}});
  for (int i = 0; i + 1 < kBalls; ++i) {
    const Eigen::MatrixXd H = one.row(i + 1) - one.row(i);
    model.link(balls, LagrangianLinearRelation{.H = H}, law(i));
  }
  return model;
}

/// Velocities after the first ball struck with 1 m/s: the settled initial state of a simulation by events.
template <class LawOf>
Balls struck(const LawOf& law) {
  return EventDriven{cradle(0.0, 1.0, law)}.state().unknowns;
}

/// The same from the row of Hertz's contacts itself, mass and K one: any others only change the unit of time.
Balls hertz_row() {
  using Motion = Eigen::Matrix<double, kBalls, 2>;
  const auto rate = [](const Motion& z) {
    Motion slope;
    slope.col(0) = z.col(1);
    slope.col(1).setZero();
    for (int i = 0; i + 1 < kBalls; ++i) {
      const double force = std::pow(std::max(0.0, z(i, 0) - z(i + 1, 0)), 1.5);
      slope(i, 1) -= force;
      slope(i + 1, 1) += force;
    }
    return slope;
  };
  Motion z = Motion::Zero();
  z(0, 1) = 1.0;
  const double h = 1e-3;
  for (int k = 0; k < 30'000; ++k) {
    const Motion a = rate(z), b = rate(z + 0.5 * h * a), c = rate(z + 0.5 * h * b), d = rate(z + h * c);
    z += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
  }
  return z.col(1);
}

}  // namespace

int example(const Arguments& arguments) {
  // 1. One impact, three laws, twice: elastic contacts, and putty between the first two balls.
  const auto newton = [](int) { return NewtonImpactLaw{.restitution = 1.0}; };
  const auto poisson = [](int) { return PoissonImpactLaw{.restitution = 1.0}; };
  const auto wave = [](int) { return LiuZhaoBrogliatoImpactLaw{.restitution = 1.0}; };
  const std::array elastic{struck(newton), struck(poisson), struck(wave)};
  const std::array putty{struck([](int i) { return NewtonImpactLaw{.restitution = i == 0 ? 0.0 : 1.0}; }),
                         struck([](int i) { return PoissonImpactLaw{.restitution = i == 0 ? 0.0 : 1.0}; }),
                         struck([](int i) { return LiuZhaoBrogliatoImpactLaw{.restitution = i == 0 ? 0.0 : 1.0}; })};
  const std::array names{"Newton", "Poisson", "Liu, Zhao, Brogliato"};
  std::cout << std::fixed << std::setprecision(4);
  for (std::size_t k = 0; k < 3; ++k) {
    std::cout << std::setw(21) << names[k] << ":  elastic " << elastic[k].transpose() << "   putty "
              << putty[k].transpose() << '\n';
  }
  std::cout << std::defaultfloat << std::setprecision(6);

  // 2. The cradle swings: the first ball is let go 2 cm away, and all come back to the middle at the same instants.
  const double half_period = std::numbers::pi * std::sqrt(kLength / kGravity), q0 = 0.02;
  const double energy_0 = 0.5 * kMass * kGravity / kLength * q0 * q0;
  std::array<Table, 3> motion{Table{"t", "1", "2", "3", "4", "5"}, Table{"t", "1", "2", "3", "4", "5"},
                              Table{"t", "1", "2", "3", "4", "5"}};
  double lost = 0.0, off_time = 0.0, off_middle = 0.0;
  const auto swing = [&](const auto& law, Table& table) {
    EventDriven simulation{cradle(-q0, 0.0, law)};
    State at = simulation.state();
    int samples = 0;
    const auto report = simulation.advance_to(
        8.0 * half_period, EventDrivenObserver{.segment = [&](const SmoothSegment& step) {
          for (; samples * 0.004 <= step.end(); ++samples) {
            step.evaluate(samples * 0.004, at);
            const auto& q = at.positions;
            off_middle =
                std::max(off_middle, std::abs(q.mean() + 0.2 * q0 * std::cos(std::numbers::pi * at.t / half_period)));
            table.record({at.t, 100 * q[0], 100 * q[1] + 1, 100 * q[2] + 2, 100 * q[3] + 3, 100 * q[4] + 4});
          }
          return true;
        }});
    if (!report) throw std::runtime_error(report.message());
    for (const Event& event : simulation.events()) {
      if (event.kind != EventKind::Impact) continue;
      const double halves = event.t / half_period - 0.5;
      off_time = std::max(off_time, std::abs(halves - std::round(halves)) * half_period);
    }
    const State& x = simulation.state();
    const double energy = 0.5 * kMass * (x.unknowns.squaredNorm() + kGravity / kLength * x.positions.squaredNorm());
    lost = std::max(lost, std::abs(energy - energy_0) / energy_0);
  };
  swing(newton, motion[0]), swing(poisson, motion[1]), swing(wave, motion[2]);

  double apart = 0.0;
  for (Index ball = 1; ball <= kBalls; ++ball) {
    for (std::size_t i = 0; i < motion[0].column(ball).size(); ++i)
      apart = std::max(apart, 1e-2 * std::abs(motion[0].column(ball)[i] - motion[1].column(ball)[i]));
  }

  // 3. Bounds. Newton's and Poisson's are closed forms. The wave is compared with the row of Hertz's contacts, whose
  //    Runge-Kutta steps of 1e-3 pass kinks of order 3/2 with errors of h^(5/2) = 3e-8. Impacts are in eight half
  //    periods of 3 steps or so at 1e-10 each, and lose 1e-9 of the energy at most where laws lose none.
  //    No impact changes the mean of all places, which swings on by itself.
  const auto off = [](const Balls& v, double first, double second, double third) {
    return (v - Balls{first, second, third, third, third}).lpNorm<Eigen::Infinity>();
  };
  double momentum = 0.0, energy_kept = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    momentum = std::max({momentum, std::abs(elastic[k].sum() - 1.0), std::abs(putty[k].sum() - 1.0)});
    energy_kept = std::max(energy_kept, std::abs(elastic[k].squaredNorm() - 1.0));
  }
  Bounds bounds;
  bounds.near("momentum changes by [of it]", momentum, 0.0, 1e-12);
  bounds.near("energy of elastic impacts changes by [of it]", energy_kept, 0.0, 1e-9);
  bounds.near("Newton, elastic, off by [m/s]", off(elastic[0], -0.6, 0.4, 0.4), 0.0, 1e-14);
  bounds.near("Poisson, elastic, off by [m/s]", off(elastic[1], -0.6, 0.4, 0.4), 0.0, 1e-14);
  bounds.near("wave off that of Hertz's row by [m/s]", (elastic[2] - hertz_row()).lpNorm<Eigen::Infinity>(), 0.0, 1e-7);
  bounds.near("Newton, putty, off by [m/s]", off(putty[0], 0.2, 0.2, 0.2), 0.0, 1e-14);
  bounds.near("Poisson, putty, off by [m/s]", off(putty[1], -0.1, -0.1, 0.4), 0.0, 1e-14);
  bounds.near("putty opens with [m/s]", putty[2][1] - putty[2][0], 0.0, 1e-9);
  bounds.within("energy left by the wave with putty", putty[2].squaredNorm(), 0.2, 1.0);
  bounds.near("impacts of swings off by [s]", off_time, 0.0, 1e-9);
  bounds.near("energy lost in eight half periods [of it]", lost, 0.0, 1e-8);
  bounds.near("Poisson swings apart from Newton by [m]", apart, 0.0, 1e-10);
  bounds.near("mean of the places off by [m]", off_middle, 0.0, 1e-10);
  std::cout << bounds.report();
  if (arguments.pictures())
    std::cout << picture(motion[0], motion[2], *arguments.pictures() / "newtons_cradle").message() << '\n';
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
