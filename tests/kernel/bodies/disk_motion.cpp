// SPDX-License-Identifier: Apache-2.0
// What mechanics demands of disks in contact: balance at rest and the friction cone in a notch, rolling and sliding on
// an incline, momentum and energy of a cloud. (disk_contacts.cpp looks at the detection itself.)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::disk_motion_test {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double g = 9.81;

FloorProfile incline(double slope) {
  FloorProfile floor;
  floor.height = [=](double x) { return slope * x; };
  floor.slope = [=](double) { return slope; };
  floor.curvature = [](double) { return 0.0; };
  return floor;
}

struct Disks {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> bodies;
  std::vector<double> radii;

  void add(double x, double y, double r, double mass = 1.0, double gravity = g) {
    LagrangianLinearSystem disk;
    disk.mass = Eigen::Vector3d(mass, mass, 0.5 * mass * r * r).asDiagonal();
    disk.force = {0.0, -mass * gravity, 0.0};
    disk.q0 = {x, y, 0.0};
    bodies.push_back(model.add(disk));
    radii.push_back(r);
  }
  [[nodiscard]] DiskContacts contacts(NewtonImpactFrictionLaw law, FloorProfile floor = {}) const {
    return {bodies, radii, law, std::move(floor)};
  }
};

TEST(DiskMotion, PyramidStandsByFriction) {
  // Two disks on the floor, one on top in the notch: the floor carries the weight, the upper contacts half of it each,
  // and all impulses lie in their cones. With centres 2 r apart the notch is an equilateral triangle: the force on a
  // lower disk leans 30 degrees, and the lower disk, which friction alone keeps from rolling away, needs
  // mu >= tan 15 deg = 0.268 at its upper contact (force through its floor point); mu = 0.5 holds.
  const double r = 0.1, h = 1e-3;
  Disks disks;
  // Pressed together by 0.1 um: a gap of +1e-17 m would leave a disk in free fall for one step.
  const double top = r + std::sqrt(3.0) * r - 3e-7;
  disks.add(-r, r - 1e-7, r);
  disks.add(r, r - 1e-7, r);
  disks.add(0.0, top, r);
  const double mu = 0.5;
  disks.model.detect(std::make_shared<DiskContacts>(disks.contacts({0.0, mu, 0.0}, incline(0.0))));
  TimeSteppingOptions options;
  options.step = h;
  TimeStepping simulation(disks.model, options);
  for (int k = 0; k < 300; ++k) {
    const auto report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    double floor = 0.0;
    for (const auto& contact : simulation.state().contacts) {
      // A residual of 1e-10 g h in velocity is 1e-10 m g h in impulse, times the condition of W (below 100).
      const double slack = 1e-8 * g * h;
      EXPECT_GE(contact.impulse[0], -slack);
      EXPECT_LE(std::abs(contact.impulse[1]), mu * contact.impulse[0] + slack);
      if ((contact.feature & 0xffffffffu) == 0) floor += contact.impulse[0];
    }
    ASSERT_NEAR(floor, 3.0 * g * h, 1e-7 * g * h) << "step " << k;
  }
  // Nothing has moved: velocities stay at the solver's residual, 300 steps of h.
  EXPECT_NEAR(simulation.state().q(disks.bodies[2])[1], top, 300.0 * h * 1e-8);
}

TEST(DiskMotion, PyramidFallsWithoutEnoughFriction) {
  const double r = 0.1;
  Disks disks;
  disks.add(-r, r, r);
  disks.add(r, r, r);
  disks.add(0.0, r + std::sqrt(3.0) * r, r);
  disks.model.detect(std::make_shared<DiskContacts>(disks.contacts({0.0, 0.2, 0.0}, incline(0.0))));
  TimeSteppingOptions options;
  options.step = 1e-3;
  TimeStepping simulation(disks.model, options);
  ASSERT_TRUE(simulation.advance_to(1.0));
  EXPECT_LT(simulation.state().q(disks.bodies[2])[1], 2.0 * r) << "0.2 < tan 15 deg: the notch opens";
}

TEST(DiskMotion, RollsDownAnIncline) {
  // Rolls without slip for tan a <= 3 mu: acceleration 2/3 g sin a (I = m r^2 / 2), else g (sin a - mu cos a). The
  // normal is constant, so is every force: theta = 1/2 is exact but for the solver's residual 1e-10 g h a step and the
  // first step, in which the disk settles on the floor (gap 0 to rounding).
  const double r = 0.1, h = 1e-3, mu = 0.2;
  for (const double slope : {0.3, 0.55, 0.7, 1.0}) {
    const double a = std::atan(slope), s = std::sin(a), c = std::cos(a);
    Disks disks;
    disks.add(-s * r, c * r, r);
    disks.model.detect(std::make_shared<DiskContacts>(disks.contacts({0.0, mu, 0.0}, incline(slope))));
    TimeSteppingOptions options;
    options.step = h;
    TimeStepping simulation(disks.model, options);
    const auto report = simulation.advance_to(0.5);
    ASSERT_TRUE(report) << report.message();
    const auto v = simulation.state().v(disks.bodies[0]);
    const double acceleration = slope <= 3.0 * mu ? 2.0 / 3.0 * g * s : g * (s - mu * c);
    const double spin = slope <= 3.0 * mu ? acceleration / r : 2.0 * mu * g * c / r;
    EXPECT_NEAR(-v[0] * c - v[1] * s, 0.5 * acceleration, 500.0 * 10.0 * 1e-10 * g * h) << "slope " << slope;
    EXPECT_NEAR(v[2], 0.5 * spin, 500.0 * 100.0 * 1e-10 * g * h) << "slope " << slope;
  }
}

/// A cloud of disks at random velocities without gravity and without a floor.
Disks cloud(std::uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Disks disks;
  for (int i = 0; i < count; ++i) {
    const double r = 0.1 + 0.03 * uniform(random);
    disks.add(0.3 * (i % 6) + 0.02 * uniform(random), 0.3 * (i / 6) + 0.02 * uniform(random), r,
              1.0 + 0.5 * uniform(random), 0.0);
  }
  return disks;
}

TEST(DiskMotion, CollisionsConserveMomentum) {
  // Impulses act on both bodies at one point, so linear momentum is conserved to rounding, whatever the solver found.
  // Angular momentum about the origin too, up to what the contact arms overlap: the arms of the two bodies end
  // -gap apart, along the normal, so a tangential impulse p_T turns the pair by p_T gap. Penetration stays below
  // h |u_N| <= h 2 |v|_max, hence |dL| <= sum |p_T| h 2 |v|_max, and the positions at which arms are taken move by
  // h v while momenta are exchanged: another |p| h |v|.
  const int count = 24;
  Disks disks = cloud(3, count);
  disks.model.detect(std::make_shared<DiskContacts>(disks.contacts({0.8, 0.4, 0.0})));
  TimeSteppingOptions options;
  options.step = 1e-4;
  TimeStepping simulation(disks.model, options);
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (const auto& body : disks.bodies)
    simulation.state().v(body) = Eigen::Vector3d(uniform(random), uniform(random), uniform(random));
  Eigen::VectorXd mass(count), inertia(count);
  for (int i = 0; i < count; ++i) {
    const Eigen::VectorXd& masses =
        *disks.model.systems()[static_cast<std::size_t>(i)].linear_mechanical()->mass.diagonal();
    mass[i] = masses[0];
    inertia[i] = masses[2];
  }
  const auto momentum = [&](const State& x) {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (int i = 0; i < count; ++i) {
      const auto q = x.q(disks.bodies[static_cast<std::size_t>(i)]);
      const auto v = x.v(disks.bodies[static_cast<std::size_t>(i)]);
      sum += Eigen::Vector3d(mass[i] * v[0], mass[i] * v[1], mass[i] * (q[0] * v[1] - q[1] * v[0]) + inertia[i] * v[2]);
    }
    return sum;
  };
  const auto energy = [&](const State& x) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
      const auto v = x.v(disks.bodies[static_cast<std::size_t>(i)]);
      sum += 0.5 * mass[i] * (v[0] * v[0] + v[1] * v[1]) + 0.5 * inertia[i] * v[2] * v[2];
    }
    return sum;
  };
  const Eigen::Vector3d start = momentum(simulation.state());
  double previous = energy(simulation.state()), exchanged = 0.0;
  int collisions = 0;
  const double start_energy = previous;
  const auto report = simulation.advance_to(1.0, [&](const State& x) {
    for (const auto& contact : x.contacts) {
      exchanged += std::abs(contact.impulse[0]) + std::abs(contact.impulse[1]);
      if (contact.impulse[0] > 0.0) ++collisions;
    }
    const double now = energy(x);
    EXPECT_LE(now, previous * (1.0 + 1e-9)) << "t = " << x.t << ": e_N in [0,1], e_T = 0 and friction take energy";
    previous = now;
  });
  ASSERT_TRUE(report) << report.message();
  EXPECT_GT(collisions, 20);
  EXPECT_LT(previous, 0.99 * start_energy);
  const Eigen::Vector3d end = momentum(simulation.state());
  const double scale = mass.sum() * 1.5, v_max = std::sqrt(2.0 * start_energy / mass.minCoeff());
  EXPECT_NEAR(end[0], start[0], 10000.0 * 4.0 * kEps * scale);
  EXPECT_NEAR(end[1], start[1], 10000.0 * 4.0 * kEps * scale);
  EXPECT_NEAR(end[2], start[2], exchanged * options.step * 4.0 * v_max);
}

TEST(DiskMotion, ElasticCollisionsWithoutFrictionConserveEnergy) {
  // e = 1, mu = 0, single contacts: u_N+ = -u_N-, so the energy is conserved to the solver's residual; where several
  // contacts act at once Newton's law with e = 1 conserves it too (p^T (u+ + u-) = 0 row by row).
  Disks disks = cloud(5, 24);
  disks.model.detect(std::make_shared<DiskContacts>(disks.contacts({1.0, 0.0, 0.0})));
  TimeSteppingOptions options;
  options.step = 1e-3;
  TimeStepping simulation(disks.model, options);
  std::mt19937_64 random(13);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  double start = 0.0;
  const auto energy = [&](const State& x) {
    double sum = 0.0;
    for (std::size_t i = 0; i < disks.bodies.size(); ++i) {
      const Eigen::VectorXd& m = *disks.model.systems()[i].linear_mechanical()->mass.diagonal();
      sum += 0.5 * x.v(disks.bodies[i]).dot(m.cwiseProduct(x.v(disks.bodies[i])));
    }
    return sum;
  };
  for (const auto& body : disks.bodies)
    simulation.state().v(body) = Eigen::Vector3d(uniform(random), uniform(random), uniform(random));
  start = energy(simulation.state());
  int collisions = 0;
  const auto report = simulation.advance_to(1.0, [&](const State& x) {
    for (const auto& contact : x.contacts) collisions += contact.impulse[0] > 0.0;
  });
  ASSERT_TRUE(report) << report.message();
  EXPECT_GT(collisions, 10);
  EXPECT_NEAR(energy(simulation.state()), start, start * (1000.0 * 8.0 * kEps + collisions * 1e-9));
}

}  // namespace
}  // namespace nonsmooth::disk_motion_test
