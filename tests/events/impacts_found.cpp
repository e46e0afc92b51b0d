// SPDX-License-Identifier: Apache-2.0
// Impacts of bodies whose contacts a source tells, by Newton's, Poisson's and Liu, Zhao and Brogliato's law.
#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/LU>

#include "event_log.hpp"

namespace nonsmooth::impacts_found_test {
namespace {

using namespace event_log;
using Eigen::Vector2d;

constexpr double kRadius = 0.1;

TEST(ImpactsFound, AChainOfDisksHandsItsSpeedOnByPairs) {
  // Equal disks a gap apart, the first one flies: v_N = ((1 + e) / 2)^(N - 1), ball i keeps (1 - e) / 2 of what it got
  // and is slower than those ahead: N - 1 impacts, each a gap over that speed after the one before. Flights are
  // straight: some roundings of times and places below 10 each.
  const double e = 0.8, gap = 0.3;
  for (const int N : {3, 5, 8}) {
    NonSmoothDynamicalSystem model;
    std::vector<SystemHandle> disks;
    for (int i = 0; i < N; ++i)
      disks.push_back(
          model.add(PlanarBody{.position = {i * (2.0 * kRadius + gap), 0.0}, .velocity = {i == 0 ? 1.0 : 0.0, 0.0}}));
    model.detect(DiskContacts(disks, std::vector<double>(disks.size(), kRadius), NewtonImpactLaw{.restitution = e}));
    EventDriven simulation(model);
    std::vector<double> expected;
    double handed = 1.0, t = 0.0;
    for (int i = 1; i < N; ++i, handed *= 0.5 * (1.0 + e)) expected.push_back(t += gap / handed);
    run_to(simulation, t + 1.0);
    expect_times(times_of(simulation, EventKind::Impact), expected, 1e-14 * N * t);
    handed = 1.0;
    for (int i = 0; i < N; ++i, handed *= 0.5 * (1.0 + e)) {
      const double speed = simulation.state().v(disks[static_cast<std::size_t>(i)])[0];
      EXPECT_NEAR(speed, i + 1 < N ? 0.5 * (1.0 - e) * handed : handed, 1e-14 * N) << N << ' ' << i;
    }
  }
}

TEST(ImpactsFound, ACradleOfHertzianSpheres) {
  // Five spheres that touch, each held by a spring of unit frequency to its place; the first is let go 1 m away and
  // arrives after a quarter period with 1 m/s. m q'' = d^(3/2) of five unit masses by the classical Runge-Kutta method
  // gives their velocities to 3e-9.
  const Eigen::VectorXd known =
      (Eigen::VectorXd(5) << -0.071085017, -0.030273764, -0.014463629, 0.127044986, 0.988777424).finished();
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> spheres;
  for (int i = 0; i < 5; ++i) {
    const Eigen::Vector3d place(2.0 * kRadius * i, 0.0, 0.0);
    spheres.push_back({model.add(RigidBody{.position = place - (i == 0 ? 1.0 : 0.0) * Eigen::Vector3d::UnitX(),
                                           .loads = {PointSpring{.anchor = place, .stiffness = 1.0}}}),
                       {{.shape = Sphere{kRadius}}}});
  }
  model.detect(BodyContacts(spheres, {}, LiuZhaoBrogliatoImpactLaw{.restitution = 1.0}));
  EventDriven simulation(model, {.relative_tolerance = 1e-12});
  const auto speed = [&](const State& state, std::size_t i) { return state.v(spheres[i].body)[0]; };
  Index impacts = 0;
  double most_gain = 0.0, off_mean = 0.0, aside = 0.0, start = 0.0;
  const auto energy = [&](const State& state) {
    double sum = 0.0;
    for (std::size_t i = 0; i < 5; ++i)
      sum += state.v(spheres[i].body).head<3>().squaredNorm() +
             (state.q(spheres[i].body).head<3>() - 2.0 * kRadius * static_cast<double>(i) * Eigen::Vector3d::UnitX())
                 .squaredNorm();
    return sum;
  };
  start = energy(simulation.state());
  const RunReport report =
      simulation.advance_to(60.5 * kPi, EventDrivenObserver{.instant = [&](const Instant& at) {
                              if (std::none_of(at.events.begin(), at.events.end(),
                                               [](const Event& e) { return e.kind == EventKind::Impact; }))
                                return true;
                              if (impacts++ == 0) {
                                EXPECT_NEAR(at.after.t, 0.5 * kPi, 1e-10);  // ten steps of 1e-12
                                for (std::size_t i = 0; i < 5; ++i)
                                  EXPECT_NEAR(speed(at.after, i), known[static_cast<Index>(i)], 1e-8) << i;
                              }
                              most_gain = std::max(most_gain, std::abs(energy(at.after) - energy(at.before)));
                              double mean = 0.0;
                              for (std::size_t i = 0; i < 5; ++i) {
                                const auto q = at.after.q(spheres[i].body);
                                mean += (q[0] - 2.0 * kRadius * static_cast<double>(i)) / 5.0;
                                aside = std::max(aside, q.segment<2>(1).norm());
                              }
                              off_mean = std::max(off_mean, std::abs(mean + 0.2 * std::cos(at.after.t)));
                              return true;
                            }});
  ASSERT_TRUE(report) << report.message();
  EXPECT_GE(impacts, 60);
  // As of the cradle of one coordinate each (long_cradle.cpp): 1e-9 of the energy an impact, 1e-8 of the mean.
  EXPECT_LE(most_gain, 1e-9);
  EXPECT_NEAR(energy(simulation.state()), start, 1e-9 * static_cast<double>(impacts));
  EXPECT_LE(off_mean, 1e-8);
  EXPECT_EQ(aside, 0.0);
}

TEST(ImpactsFound, PoissonsLawWithTwoCoefficientsLiftsAFootThatRests) {
  // A rod on two feet l from its centre, J = m l^2 / 3: W = (4, -2; -2, 4) / m. It turns about the left foot and hits
  // with the right one, u- = (0, -1), p_c = W^-1 (0, 1) = (1, 2) m / 6. The left foot gives back e of its share, the
  // right one nothing: p_eN = (e / 6, e / 12) m holds the right foot down, u+ = (e / 2, 0). Newton's law leaves (0, 0).
  const double e = 0.6, l = 0.7, m = 2.0;
  for (const bool poisson : {true, false}) {
    NonSmoothDynamicalSystem model;
    const auto rod = model.add(PlanarBody{.mass = m,
                                          .inertia = m * l * l / 3.0,
                                          .position = {0.0, kRadius},
                                          .velocity = {0.0, -0.5},
                                          .angular_velocity = -0.5 / l});
    const auto law = [&](double restitution) {
      return poisson ? Law(PoissonImpactLaw{.restitution = restitution}) : Law(NewtonImpactLaw{restitution});
    };
    model.detect(PlanarContacts({{rod,
                                  {{.shape = Disk{kRadius}, .position = {-l, 0.0}, .material = 1},
                                   {.shape = Disk{kRadius}, .position = {l, 0.0}, .material = 2}}}},
                                {{.shape = HalfPlane{}}}, {law(e), law(0.0)}, ContactMaterials(3, 0).set_law(0, 2, 1)));
    const EventDriven simulation(model);
    const auto v = simulation.state().v(rod);
    // A few operations on numbers of one.
    EXPECT_NEAR(v[1] - l * v[2], poisson ? 0.5 * e : 0.0, 1e-14) << poisson;
    EXPECT_NEAR(v[1] + l * v[2], 0.0, 1e-14) << poisson;
  }
}

TEST(ImpactsFound, PoissonsLawKnowsFrictionInBothPhases) {
  // The end of a slender rod of length 2 that leans by 30 degrees, J = 1/3: r = (1/2, -sqrt(3)/2) from the centre.
  const double rx = 0.5, ry = -std::sqrt(0.75), J = 1.0 / 3.0, e = 0.7, mu = 0.6;
  const Eigen::Matrix2d W{{1.0 + rx * rx / J, -rx * ry / J}, {-rx * ry / J, 1.0 + ry * ry / J}};
  const auto after = [&](double slip) -> Vector2d {
    NonSmoothDynamicalSystem model;
    const auto rod =
        model.add(PlanarBody{.inertia = J, .position = {0.0, -ry}, .angle = kPi / 6.0, .velocity = {slip, -1.0}});
    model.detect(PlanarContacts({{rod, {{.shape = PlanarSegment{{0.0, -1.0}, {0.0, 1.0}}}}}}, {{.shape = HalfPlane{}}},
                                PoissonImpactLaw{.restitution = e, .friction = mu, .dimension = 2}));
    const EventDriven simulation(model);
    const auto v = simulation.state().v(rod);
    return {v[1] + rx * v[2], v[0] - ry * v[2]};
  };
  // It sticks in both phases: u_N+ = e (1 + u_T- W_NT / W_TT), not Newton's e.
  const Vector2d stuck = after(0.5);
  EXPECT_NEAR(stuck[0], e * (1.0 + 0.5 * W(0, 1) / W(1, 1)), 1e-13);
  EXPECT_NEAR(stuck[1], 0.0, 1e-13);
  // It slides in both: p_N = (1 + e) / (W_NN - mu W_NT).
  const Vector2d slid = after(5.0);
  const double p = (1.0 + e) / (W(0, 0) - mu * W(0, 1));
  EXPECT_NEAR(slid[0], e, 1e-13);
  EXPECT_NEAR(slid[1], 5.0 + p * (W(0, 1) - mu * W(1, 1)), 1e-13);
}

}  // namespace
}  // namespace nonsmooth::impacts_found_test
