// SPDX-License-Identifier: Apache-2.0
// A rope around a drum that does not turn: Euler's exp(mu theta), by its exact discrete form.
//
// N beads at equal angles d = theta / N are joined by taut threads, chords that make an angle d / 2 with the drum's
// tangents. A pull T_0 holds the rope back, T_N draws it, both along the chords that would go on. Bead i between
// threads i - 1 and i is pressed on by (T_i + T_{i-1}) sin(d/2); where all slip with the acceleration a from rest,
//
//     (T_i - T_{i-1}) cos(d/2) = mu (T_i + T_{i-1}) sin(d/2) + m a,
//
// so T_i = rho T_{i-1} + s a with rho = (1 + mu tan(d/2)) / (1 - mu tan(d/2)), s = m / (cos(d/2) - mu sin(d/2)). It
// holds where T_N <= rho^N T_0, and rho^N = exp(2 N artanh(mu tan(d/2))) tends to exp(mu theta) with an error of
// mu theta (1 + mu^2) d^2 / 12 of its logarithm.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::capstan_test {
namespace {

/// A rope that leaves the drum where it came from plus `around`: disks whose centres are 1 m from the drum's, small
/// enough not to touch one another; the drum is a disk that is held, and none of them turns. Contacts are found.
struct Rope {
  static constexpr double kMass = 0.01, kStep = 1e-3;
  double d, mu;
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> beads;
  std::vector<InteractionHandle> threads;

  Rope(int count, double around, double friction, double held, double drawn) : d(around / count), mu(friction) {
    const double radius = 0.2 * d;
    const auto still = [](double) { return 0.0; };
    std::vector<SystemHandle> disks{
        model.add(PlanarBody{.prescribed = {{0, still}, {1, still}, {2, still}}, .name = "drum"})};
    std::vector<double> radii{1.0 - radius};
    for (int i = 0; i < count; ++i) {
      const double angle = (i + 0.5) * d;
      Eigen::Vector2d force = Eigen::Vector2d::Zero();
      if (i == 0) force -= held * chord(0);
      if (i == count - 1) force += drawn * chord(count);
      beads.push_back(model.add(PlanarBody{.mass = kMass,
                                           .position = {std::cos(angle), std::sin(angle)},
                                           .gravity = force / kMass,  // the pulls, as accelerations
                                           .prescribed = {{2, still}}}));
      disks.push_back(beads.back());
      radii.push_back(radius);
    }
    model.detect(DiskContacts(disks, radii, NewtonImpactFrictionLaw{.friction = mu}));
    for (std::size_t i = 1; i < beads.size(); ++i)
      threads.push_back(link_joint(model, {beads[i - 1], beads[i]}, DistanceJoint{.length = 2.0 * std::sin(0.5 * d)}));
  }

  /// Of thread i, towards the next bead.
  [[nodiscard]] Eigen::Vector2d chord(int i) const { return {-std::sin(i * d), std::cos(i * d)}; }
  [[nodiscard]] double rho() const { return (1.0 + mu * std::tan(0.5 * d)) / (1.0 - mu * std::tan(0.5 * d)); }

  /// One step with H where the beads are at rest: exact for the accelerations.
  [[nodiscard]] TimeStepping stepped() const {
    TimeStepping run(model, {.integrator = MoreauJean{.configuration_weight = 0.0},
                             .step = kStep,
                             .solver = mixed::Automatic{.tolerance = 1e-13},
                             .examination = Examination::Off});
    const StepReport report = run.step();
    EXPECT_TRUE(report) << report.message();
    return run;
  }
};

constexpr double kHeld = 2.0;

TEST(Capstan, SlipsWithTheTensionsOfItsRecursion) {
  // Velocities below 10 m/s solved to 1e-13, a condition of N^2 below 2e4: 1e-8.
  const double around = 1.5 * std::numbers::pi;
  for (const int count : {4, 16, 64}) {
    for (const double mu : {0.0, 0.2, 0.35}) {
      const Rope still(count, around, mu, kHeld, 0.0);
      const double rho = still.rho(), all = std::pow(rho, count), drawn = 1.2 * all * kHeld;
      const double s = Rope::kMass / (std::cos(0.5 * still.d) - mu * std::sin(0.5 * still.d));
      const double sum = mu == 0.0 ? count : (all - 1.0) / (rho - 1.0);
      const double a = (drawn - all * kHeld) / (s * sum);
      const Rope rope(count, around, mu, kHeld, drawn);
      const TimeStepping run = rope.stepped();
      double tension = kHeld;
      for (int i = 0; i < count; ++i) {
        const auto place = static_cast<std::size_t>(i);
        const Eigen::Vector2d along(-std::sin((i + 0.5) * rope.d), std::cos((i + 0.5) * rope.d));
        EXPECT_LE((run.state().v(rope.beads[place]).head<2>() - Rope::kStep * a * along).norm(), 1e-8 * Rope::kStep * a)
            << i;
        tension = rho * tension + s * a;
        if (i + 1 < count) {
          EXPECT_NEAR(-run.state().force(rope.threads[place])[0], tension, 1e-8 * drawn) << count << ' ' << i;
        }
      }
      EXPECT_NEAR(tension, drawn, 1e-12 * drawn);
    }
  }
}

TEST(Capstan, HoldsUpToItsRatioFromEitherSide) {
  // Drawn by more than rho^N it slips forwards, held back by more than that backwards, and between it stays at rest.
  const double around = std::numbers::pi, mu = 0.3;
  for (const int count : {8, 32}) {
    const double all = std::pow(Rope(count, around, mu, kHeld, kHeld).rho(), count);
    const auto speed = [&](double ratio) {
      const Rope rope(count, around, mu, kHeld, ratio * kHeld);
      const TimeStepping run = rope.stepped();
      double sum = 0.0;  // along the rope
      for (int i = 0; i < count; ++i) {
        const Eigen::Vector2d along(-std::sin((i + 0.5) * rope.d), std::cos((i + 0.5) * rope.d));
        sum += along.dot(run.state().v(rope.beads[static_cast<std::size_t>(i)]).head<2>()) / count;
      }
      return sum / (Rope::kStep * kHeld / (count * Rope::kMass));
    };
    for (const double ratio : {1.0 / (0.999 * all), 1.0, 0.999 * all}) {
      EXPECT_NEAR(speed(ratio), 0.0, 1e-9) << count << ' ' << ratio;
    }
    EXPECT_GT(speed(1.001 * all), 5e-4);
    EXPECT_LT(speed(1.0 / (1.001 * all)), -3e-4);
  }
}

TEST(Capstan, TendsToEulersFormulaWithOrderTwo) {
  // The acceleration is linear in T_N: two runs that slip tell where it is zero. The next term of the logarithm is
  // d^2 (3 mu^4 + 5 mu^2 + 2) / (20 (1 + mu^2)), below 0.12 d^2, of the first; solutions are exact to 1e-8.
  const double around = std::numbers::pi, mu = 0.3, euler = std::exp(mu * around);
  for (const int count : {8, 16, 32}) {
    const auto speed = [&](double ratio) {
      const Rope rope(count, around, mu, kHeld, ratio * kHeld);
      return rope.stepped().state().v(rope.beads.front()).norm();
    };
    const double slow = speed(1.2 * euler), fast = speed(1.6 * euler);
    const double ratio = euler * (1.2 - 0.4 * slow / (fast - slow)), d = around / count;
    const double expected = mu * around * (1.0 + mu * mu) * d * d / 12.0;
    EXPECT_NEAR(std::log(ratio / euler) / expected, 1.0, 0.12 * d * d + 1e-7 / expected) << count;
  }
}

}  // namespace
}  // namespace nonsmooth::capstan_test
