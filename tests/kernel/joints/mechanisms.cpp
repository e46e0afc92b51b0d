// SPDX-License-Identifier: Apache-2.0
// Closed mechanisms of bodies and joints against numbers of others: Andrews' squeezer (published digits), the four-bar
// windows through their singular position, Bricard's loop (both of the IFToMM's library), a slider-crank on its
// formula.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>
#include <problems/mechanisms.hpp>
#include <problems/reference.hpp>

#include "kernel/fitted_order.hpp"

namespace nonsmooth::mechanisms_test {
namespace {

using problems::Mechanism;

constexpr double kPi = std::numbers::pi, kGravity = 9.81;

double energy_of(const NonSmoothDynamicalSystem& model, const State& state) {
  Ledger ledger(model);
  return ledger.record(state).energy();
}

/// Position projected where asked, to a tolerance far below what a step moves.
TimeSteppingOptions stepping(double h, Projection kind) {
  return {.step = h,
          .newton = {.tolerance = 1e-10},
          .projection = {.kind = kind, .unilateral_tolerance = 1e-10, .bilateral_tolerance = 1e-10}};
}

// The squeezer at t = 0.03 s: seven angles and their rates. Source: Test Set for Initial Value Problem Solvers, problem
// "andrews", computed there by PSIDE with tolerances of 1e-14.
constexpr double kSqueezerEnd = 0.03;
constexpr std::array<double, 7> kSqueezerAngles{15.81077119629904,   -15.75637105984298, 0.04082224013073101,
                                                -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
                                                1.048080741042263};
constexpr std::array<double, 7> kSqueezerRates{1139.920302151208, -1424.379294994111, 11.03291221937134,
                                               19.29337464421385, 0.5735699284790808, -19.29337464421385,
                                               0.3231791658026955};

std::array<double, 7> angles_of(const Mechanism& squeezer, const State& state, bool rates = false) {
  std::array<double, 7> turns{};
  for (std::size_t i = 0; i < 7; ++i) {
    const SystemHandle body = squeezer.bodies[i];
    turns[i] = rates ? state.v(body)[2] : state.q(body)[2];
  }
  return problems::squeezer_angles(turns);
}

void expect_published_end(const Mechanism& squeezer, const State& state, double angle, double rate) {
  const auto angles = angles_of(squeezer, state), rates = angles_of(squeezer, state, true);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(angles[i], kSqueezerAngles[i], angle) << "angle " << i;
    EXPECT_NEAR(rates[i], kSqueezerRates[i], rate * std::abs(kSqueezerRates[i])) << "rate " << i;
  }
}

TEST(AndrewsSqueezer, HasItsPublishedDigitsByDormandPrince) {
  const Mechanism squeezer = problems::andrews_squeezer();
  EventDriven simulation(squeezer.model,
                         {.integrator = DormandPrince{8}, .relative_tolerance = 1e-12, .absolute_tolerance = 1e-14});
  const double start = energy_of(squeezer.model, simulation.state());
  const double crank = simulation.state().q(squeezer.bodies[0])[2];
  const RunReport report = simulation.advance_to(kSqueezerEnd);
  ASSERT_TRUE(report) << report.message();
  const State& end = simulation.state();
  // What is published is 1.0e-12 s ahead along the motion, in all seven angles alike: so say the same equations by
  // Fehlberg's method of order 8 at 1e-15, and this run at 1e-11 to 1e-13, which agree to 5e-15 s. Half as much again
  // is left. That is ten digits of each angle but the third, which is the smallest: 2.7e-10 of it. Of rates 1e-12 s of
  // accelerations up to 6e5 rad/s^2.
  const auto angles = angles_of(squeezer, end), rates = angles_of(squeezer, end, true);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(angles[i], kSqueezerAngles[i], 1.5e-12 * std::abs(kSqueezerRates[i])) << "angle " << i;
    EXPECT_NEAR(angles[i] / kSqueezerAngles[i], 1.0, i == 2 ? 4e-10 : 1e-10) << "angle " << i;
    EXPECT_NEAR(rates[i] / kSqueezerRates[i], 1.0, 1e-7) << "rate " << i;
  }
  // What the motor gave: some 400 steps with 1e-12 of at most 1 J each.
  EXPECT_NEAR(energy_of(squeezer.model, end) - start,
              problems::kSqueezerTorque * (end.q(squeezer.bodies[0])[2] - crank), 1e-9);
  // Positions are on the hinges to round-off of their terms, of 0.1 m.
  for (const InteractionHandle joint : squeezer.joints) EXPECT_LE(end.y(joint).lpNorm<Eigen::Infinity>(), 1e-14);
}

TEST(AndrewsSqueezer, HasItsPublishedEndByRadau) {
  const Mechanism squeezer = problems::andrews_squeezer();
  EventDriven simulation(squeezer.model,
                         {.integrator = RadauIIA{}, .relative_tolerance = 1e-9, .absolute_tolerance = 1e-11});
  const RunReport report = simulation.advance_to(kSqueezerEnd);
  ASSERT_TRUE(report) << report.message();
  // Some thousand steps, an error of 1e-9 each; of rates the 6e5 rad/s^2 of the fastest over the crank's 1e3 rad/s, as
  // an error along the motion, 1e-9 s, has it: 6e-4 of 19 rad/s.
  expect_published_end(squeezer, simulation.state(), 1e-6, 1e-4);
}

TEST(AndrewsSqueezer, TimeSteppingConvergesToItWithOrderOne) {
  // H turns: order 1. An independent program with the same step, H at its end, has errors of 0.972, 0.497 and 0.250 at
  // 20, 10 and 5 us (2.5 turns of the crank): slope 0.98; and the same to four digits with its positions projected.
  for (const Projection kind : {Projection::None, Projection::Direct}) {
    const auto error = [&](double h) {
      const Mechanism squeezer = problems::andrews_squeezer();
      TimeSteppingOptions options = stepping(h, kind);
      options.newton = {};  // masses of some grams and h of 5 us: round-off of impulses moves small rates by 1e-10
      TimeStepping simulation(squeezer.model, options);
      const RunReport report = simulation.advance_to(kSqueezerEnd);
      EXPECT_TRUE(report) << report.message();
      const auto angles = angles_of(squeezer, simulation.state());
      double sum = 0.0;
      for (std::size_t i = 0; i < 7; ++i) sum += std::pow(angles[i] - kSqueezerAngles[i], 2);
      return std::sqrt(sum);
    };
    EXPECT_NEAR(fitted_order(2e-5, 2, error), 1.0, 0.05) << static_cast<int>(kind);
  }
}

/// N windows as long as all cranks are parallel: one pendulum of phi from upright, its couplers moving as the cranks'
/// tips: I phi'' = c sin(phi), I = (N + 1) / 3 + N, c = ((N + 1) / 2 + N) g.
struct ParallelCranks {
  int windows;
  double inertia, moment;

  explicit ParallelCranks(int count)
      : windows(count),
        inertia((count + 1) / 3.0 + count),  // [kg m^2]
        moment(((count + 1) / 2.0 + count) * kGravity) {}

  [[nodiscard]] double rate(double phi) const {
    return std::sqrt(1.0 + 2.0 * moment / inertia * (1.0 - std::cos(phi)));
  }
  /// Instant of the first singular position, phi = pi / 2.
  [[nodiscard]] double singular() const {
    return problems::integral_between([this](double phi) { return 1.0 / rate(phi); }, 0.0, 0.5 * kPi);
  }
  [[nodiscard]] double angle(double t) const {
    const auto f = [this](double, ConstVectorRef z, VectorRef d) { d << z[1], moment / inertia * std::sin(z[0]); };
    return problems::solve_ode(f, Eigen::Vector2d(0.0, 1.0), 0.0, t)[0];
  }
  /// The time of one turn.
  [[nodiscard]] double turn() const {
    return problems::integral_between([this](double phi) { return 1.0 / rate(phi); }, 0.0, 2.0 * kPi);
  }
  [[nodiscard]] std::size_t cranks() const { return static_cast<std::size_t>(windows) + 1; }
  /// phi of crank i.
  [[nodiscard]] static double of(const Mechanism& mechanism, const State& state, std::size_t i) {
    return 0.5 * kPi - state.q(mechanism.bodies[i])[2];
  }
  void expect_parallel(const Mechanism& mechanism, const State& state, double phi, double tolerance) const {
    ASSERT_EQ(mechanism.bodies.size(), 2 * cranks() - 1);
    for (std::size_t i = 0; i < cranks(); ++i)
      EXPECT_NEAR(of(mechanism, state, i), phi, tolerance) << windows << ' ' << i;
  }
  /// Couplers stay level.
  void expect_level(const Mechanism& mechanism, const State& state, double tolerance) const {
    for (std::size_t i = cranks(); i < mechanism.bodies.size(); ++i)
      EXPECT_NEAR(state.q(mechanism.bodies[i])[2], 0.0, tolerance) << windows << ' ' << i;
  }
};

TEST(FourBars, AreOneFreedomOnRowsThatAreIndependentButWhereAllBarsAlign) {
  // N windows: 2 N + 1 bars of 3 velocities, 2 rows for each of 3 N + 1 hinges.
  for (const int windows : {2, 3, 4, 8}) {
    const auto found = analysis::examine(problems::four_bars(windows).model);
    ASSERT_EQ(found.mechanical.size(), 1u);
    const auto& island = found.mechanical.front();
    EXPECT_EQ(island.velocities, 3 * (2 * windows + 1));
    EXPECT_EQ(island.bilateral, 2 * (3 * windows + 1));
    EXPECT_EQ(island.degrees_of_freedom, 1);
    EXPECT_EQ(island.hyperstatic_degree, 0);
  }
}

TEST(FourBars, PassTheirSingularPositionByDormandPrince) {
  // Twice within 1.5 s, each time with all bars on one line. Steps of 1e-8 go across it: of several motions that go on
  // from there, the smooth one.
  for (const int count : {2, 3, 4, 8}) {
    const ParallelCranks pendulum(count);
    const Mechanism windows = problems::four_bars(count);
    EventDriven simulation(windows.model, {.relative_tolerance = 1e-8, .absolute_tolerance = 1e-10});
    const double start = energy_of(windows.model, simulation.state()), T = 1.5;
    const RunReport report = simulation.advance_to(T);
    ASSERT_TRUE(report) << report.message();
    const State& end = simulation.state();
    const double expected = pendulum.angle(T);
    ASSERT_GT(expected, 1.5 * kPi);
    // An error in phi grows by exp(sqrt(c / I) t) near the top, some tenfold, before the fall; 20 steps of 1e-8.
    pendulum.expect_parallel(windows, end, expected, 2e-6);
    // An error e of phi' is I phi' e of energy, phi' = 7 rad/s at most.
    EXPECT_NEAR(energy_of(windows.model, end), start, 20.0 * pendulum.inertia * 7.0 * 1e-8) << count;
    // Rows are held to some 1e-15, and what they hold is off by that over the distance from the singular position,
    // sin(phi) there: 1e-6 at a step's end, were it as near.
    pendulum.expect_level(windows, end, 1e-9);
  }
}

TEST(FourBars, KeepTheirEnergyAndTheirPeriodForTenSeconds) {
  // As the library's benchmark asks of N = 2: five turns, ten times through a singular position, by fixed steps of
  // order 8: at a singular position there is no error to control. Rows are held to some 1e-15 over the distance of a
  // stage from there, of ten passages with a dozen stages of 0.07 rad each 1e-4 rad or so at least; an error of 1e-11
  // of accelerations of 1e2 m/s^2 over a step is 1e-11 of velocities, and less than 1e-9 of an energy of 1e2 J. Ten
  // such and their growth near the top, tenfold in phi. With another step or another period a stage may fall a hundred
  // times nearer: at 13 ms it is 6e-6 J of two windows, and with three at 10 ms 3e-6 J.
  for (const int count : {2, 3, 4}) {
    const ParallelCranks pendulum(count);
    const double nearer = count == 2 ? 1.0 : 100.0;
    const Mechanism windows = problems::four_bars(count);
    EventDriven simulation(windows.model, {.integrator = DormandPrince{8}, .step = 1e-2});
    const double start = energy_of(windows.model, simulation.state());
    for (int second = 1; second <= 10; ++second) {
      const RunReport report = simulation.advance_to(second);
      ASSERT_TRUE(report) << report.message();
      const State& state = simulation.state();
      EXPECT_NEAR(energy_of(windows.model, state), start, nearer * 1e-8 * second) << count << ' ' << second;
      pendulum.expect_parallel(windows, state, pendulum.angle(second), nearer * 1e-7);
      pendulum.expect_level(windows, state, 1e-9);
    }
    // Its period: turn by turn it is where it began.
    const double turns = ParallelCranks::of(windows, simulation.state(), 0) / (2.0 * kPi);
    EXPECT_EQ(std::floor(turns), std::floor(10.0 / pendulum.turn())) << count;
    EXPECT_GT(turns, 5.0);
  }
}

TEST(FourBars, PassTheirSingularPositionByTimeStepping) {
  // A step's end at h phi' / 2 before the singular position makes the step's own equations singular: Newton's
  // iteration has nothing to converge to. Steps are laid so that the position falls on three quarters of one; the
  // run's own error of h may move it from there, as with three windows that are projected, and the step is halved.
  const double T = 1.0;
  for (const int count : {2, 3, 4}) {
    const ParallelCranks pendulum(count);
    const double expected = pendulum.angle(T);
    for (const Projection kind : {Projection::None, Projection::Direct}) {
      double lost[3] = {};
      int run = 0;
      const auto error = [&](double about) {
        const double h = pendulum.singular() / (std::round(pendulum.singular() / about) + 0.75);
        const Mechanism windows = problems::four_bars(count);
        TimeSteppingOptions options = stepping(h, kind);
        options.on_failure = OnFailure::Subdivide;
        TimeStepping simulation(windows.model, options);
        const double start = energy_of(windows.model, simulation.state());
        const RunReport report = simulation.advance_to(T);
        EXPECT_TRUE(report) << report.message();
        const double phi = ParallelCranks::of(windows, simulation.state(), 0);
        EXPECT_GT(phi, 0.5 * kPi) << "through the singular position";
        // 1e-10 of a row that Newton's iteration leaves, over the distance h phi' / 4 from the singular position.
        pendulum.expect_parallel(windows, simulation.state(), phi, 1e-6);
        lost[run++] = start - energy_of(windows.model, simulation.state());
        return std::abs(phi - expected);
      };
      EXPECT_NEAR(fitted_order(2e-3, 2, error), 1.0, 0.1) << count << ' ' << static_cast<int>(kind);
      // The reaction works against h c / 2, c the centripetal acceleration: energy goes with h. An independent program
      // with the same step and N = 2, at 2, 1 and 0.5 ms: 1.521, 0.769, 0.387 J, and 4.96, 2.50, 1.25 mrad of phi.
      for (int i = 0; i < 2; ++i) {
        EXPECT_GT(lost[i + 1], 0.0);
        EXPECT_NEAR(lost[i] / lost[i + 1], 2.0, 0.1) << count << ' ' << static_cast<int>(kind);
      }
    }
  }
}

/// cos of the six angles between a bar and the next, the ground's first; they fold alternately by theta and phi.
std::array<double, 6> cosines(const Mechanism& loop, const State& state) {
  std::array<Eigen::Vector3d, 6> bars = problems::bricard_bars();
  for (std::size_t k = 1; k < 6; ++k) {
    const Eigen::Vector4d Q = state.q(loop.bodies[k - 1]).tail<4>();
    const Eigen::Vector3d axis = Q.tail<3>(), bar = bars[k];
    bars[k] = bar + 2.0 * axis.cross(axis.cross(bar) + Q[0] * bar);
  }
  std::array<double, 6> result{};
  for (std::size_t k = 0; k < 6; ++k) result[k] = bars[k].dot(bars[(k + 1) % 6]);
  return result;
}

/// The loop is closed where cos(theta) + cos(phi) + cos(theta) cos(phi) = 0, every second hinge alike.
/// Source: Chen, You, Tarnai 2005, Threefold-symmetric Bricard linkages for deployable structures, for twists of a
/// right angle and bars of one length.
void expect_folded_as_one(const Mechanism& loop, const State& state, double tolerance) {
  const auto c = cosines(loop, state);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(c[k], c[k + 2], tolerance) << k << " at " << state.t;
  EXPECT_NEAR(c[0] + c[1] + c[0] * c[1], 0.0, tolerance) << state.t;
}

TEST(Bricard, IsOverconstrainedOnce) {
  const Mechanism loop = problems::bricard_loop();
  const auto found = analysis::examine(loop.model);
  ASSERT_EQ(found.mechanical.size(), 1u);
  const auto& island = found.mechanical.front();
  EXPECT_EQ(island.why_not, "");
  EXPECT_EQ(island.velocities, 30);
  EXPECT_EQ(island.bilateral, 30);
  EXPECT_EQ(island.degrees_of_freedom, 1);
  EXPECT_EQ(island.hyperstatic_degree, 1);
  EXPECT_EQ(island.redundant.size(), 1u);
  EXPECT_TRUE(island.contradicting.empty());
}

TEST(Bricard, FoldsAsItsClosedFormAndKeepsItsEnergyByEvents) {
  // One freedom: the closed form holds each angle to the others, and the energy their speed. Ten seconds, as the
  // library's benchmark.
  const Mechanism loop = problems::bricard_loop();
  EventDriven simulation(loop.model, {});
  const double start = energy_of(loop.model, simulation.state());
  double kinetic = 0.0;
  for (int second = 1; second <= 10; ++second) {
    const RunReport report = simulation.advance_to(second);
    ASSERT_TRUE(report) << report.message();
    const State& state = simulation.state();
    // Rows are held to some 1e-14; the sixth singular value of the hinges' screws is zero all along, the fifth above
    // 0.8, so that thirty rows move the angles by 30 * 1e-14 / 0.8.
    expect_folded_as_one(loop, state, 1e-12);
    Ledger ledger(loop.model);
    kinetic = std::max(kinetic, ledger.record(state).kinetic);
    // 1e-10 of each velocity a step, some 100 steps a second.
    EXPECT_NEAR(ledger.last().energy(), start, 100.0 * second * 2.0 * 1e-10 * std::max(kinetic, 10.0)) << second;
  }
  EXPECT_GT(kinetic, 0.1) << "it moved";
}

/// Bricard's loop at theta, hinge by hinge from the ground: sines and cosines of its closed form, rates of theta' = 1.
struct FoldedLoop {
  double mass = 0.0;     ///< 2 T at theta' = 1 [kg m^2]
  double heights = 0.0;  ///< of the five centres, along y [m]
  double third = 0.0;    ///< x of the third bar's end, sin(theta) [m]

  explicit FoldedLoop(double theta) {
    const double c = std::cos(theta), s = std::sin(theta), c2 = -c / (1.0 + c), s2 = std::sqrt(1.0 - c2 * c2);
    const double rate = -s * (1.0 + c2) / (s2 * (1.0 + c));  // phi' / theta', the closed form differentiated
    const double along = 0.01 / 6.0, across = 1.01 / 12.0;   // moments of a bar of 1 kg
    const auto bars = problems::bricard_bars();
    Eigen::Vector3d bar = bars[0], axis = bars[0].cross(bars[1]), point = Eigen::Vector3d::Zero(), v = point, w = point;
    for (int k = 0; k < 5; ++k) {
      const bool even = k % 2 == 0;
      const Eigen::Vector3d next = (even ? c : c2) * bar + (even ? s : s2) * axis.cross(bar);
      w += (even ? 1.0 : rate) * axis;
      const Eigen::Vector3d centre = v + 0.5 * w.cross(next);
      mass += centre.squaredNorm() + across * w.squaredNorm() + (along - across) * std::pow(w.dot(next), 2);
      heights += point[1] + 0.5 * next[1];
      point += next, v += w.cross(next);
      if (k == 2) third = point[0];
      axis = (even ? 1.0 : -1.0) * next.cross(axis).eval();  // twists of a right angle, to and fro
      bar = next;
    }
  }
  /// dt / dtheta of the motion that starts at rest at pi / 2, by its energy.
  [[nodiscard]] double slowness() const {
    return std::sqrt(mass / (2.0 * kGravity * (FoldedLoop(0.5 * kPi).heights - heights)));
  }
};

TEST(Bricard, TakesTheTimeOfItsOneFreedom) {
  // theta'^2 m(theta) / 2 = V(pi / 2) - V(theta): theta falls from pi / 2, is 0 at 1.2479 s, and goes on to -pi / 2.
  const Mechanism loop = problems::bricard_loop();
  EventDriven simulation(loop.model, {});
  const double times[] = {1.0, 1.25, 1.5};
  double theta[3] = {};
  for (int i = 0; i < 3; ++i) {
    const RunReport report = simulation.advance_to(times[i]);
    ASSERT_TRUE(report) << report.message();
    const State& state = simulation.state();
    const Eigen::Vector4d Q = state.q(loop.bodies[2]).tail<4>();
    const Eigen::Vector3d axis = Q.tail<3>(), bar = problems::bricard_bars()[3];
    const double end = state.q(loop.bodies[2])[0] + 0.5 * (bar + 2.0 * axis.cross(axis.cross(bar) + Q[0] * bar))[0];
    theta[i] = std::asin(end);
    EXPECT_NEAR(FoldedLoop(theta[i]).third, end, 1e-14);
  }
  // Where an independent program, by small steps of time-stepping, is at 1 s: to its h of 0.5 ms.
  EXPECT_NEAR(theta[0], 0.5358, 1e-3);
  for (int i = 0; i < 2; ++i) {
    // A relative error of 1e-10 a step, some hundred steps, at theta' = 2 rad/s.
    EXPECT_NEAR(problems::integral_between([](double x) { return FoldedLoop(x).slowness(); }, theta[i + 1], theta[i]),
                times[i + 1] - times[i], 1e-8)
        << i;
  }
}

/// Crank of length r about the origin, rod of length l, slider along x, all of them bodies in space that start with the
/// velocities of the crank's spin. Hinges everywhere: three rows more than the loop needs.
struct SliderCrank {
  static constexpr double kCrank = 0.2, kRod = 0.5, kSpin = 7.0, kStart = 0.6;
  NonSmoothDynamicalSystem model;
  SystemHandle crank, rod, slider;

  [[nodiscard]] static double slider_at(double angle) {
    return kCrank * std::cos(angle) + std::sqrt(kRod * kRod - std::pow(kCrank * std::sin(angle), 2));
  }
  SliderCrank() {
    const double r = kCrank, s = std::sin(kStart), c = std::cos(kStart), along = std::sqrt(kRod * kRod - r * r * s * s);
    const Eigen::Vector3d elbow(r * c, r * s, 0.0), wrist(slider_at(kStart), 0.0, 0.0), z = Eigen::Vector3d::UnitZ();
    const Eigen::Vector3d elbow_velocity(-r * s * kSpin, r * c * kSpin, 0.0);
    const Eigen::Vector3d wrist_velocity(-r * s * kSpin - r * r * s * c * kSpin / along, 0.0, 0.0);
    std::vector<Eigen::VectorXd> places;
    const auto body = [&](const Eigen::Vector3d& centre, const Eigen::Vector3d& velocity, double spin,
                          const char* name) {
      const RigidBody description{.inertia = Eigen::Vector3d(0.01, 0.02, 0.02).asDiagonal(),
                                  .position = centre,
                                  .velocity = velocity,
                                  .angular_velocity = spin * z,
                                  .gravity = {0.0, -kGravity, 0.0},
                                  .name = name};
      places.push_back((Eigen::VectorXd(7) << centre, description.orientation).finished());
      return model.add(description);
    };
    crank = body(0.5 * elbow, 0.5 * elbow_velocity, kSpin, "crank");
    rod = body(0.5 * (elbow + wrist), 0.5 * (elbow_velocity + wrist_velocity), -r * c * kSpin / along, "rod");
    slider = body(wrist, wrist_velocity, 0.0, "slider");
    const JointFrames bearing = joint_to_ground(places[0], Eigen::Vector3d::Zero(), z);
    link_joint(model, {crank}, HingeJoint{bearing}, "bearing");
    link_joint(model, {crank, rod}, HingeJoint{joint_between(places[0], places[1], elbow, z)}, "elbow");
    link_joint(model, {rod, slider}, HingeJoint{joint_between(places[1], places[2], wrist, z)}, "wrist");
    link_joint(model, {slider}, SliderJoint{joint_to_ground(places[2], wrist, Eigen::Vector3d::UnitX())}, "guide");
    link_joint(model, {crank},
               HingeMotor{.frames = bearing,
                          .angle = [](double t) { return kSpin * t; },
                          .velocity = [](double) { return kSpin; },
                          .acceleration = [](double) { return 0.0; }},
               "motor");
  }
  void expect_on_its_formula(const State& state, double tolerance) const {
    const auto q = state.q(slider);
    EXPECT_NEAR(q[0], slider_at(kStart + kSpin * state.t), tolerance) << state.t;
    EXPECT_LE(q.segment<2>(1).norm(), tolerance) << state.t;
  }
};

TEST(SliderCrank, OfRigidBodiesGoesWhereItsMotorSendsItByTimeStepping) {
  const SliderCrank mechanism;
  TimeStepping simulation(mechanism.model, stepping(2e-3, Projection::Direct));
  // A dozen rows between the crank and the slider, each left within 1e-10.
  const RunReport report =
      simulation.advance_to(2.0, [&](const State& state) { mechanism.expect_on_its_formula(state, 2e-9); });
  ASSERT_TRUE(report) << report.message();
}

TEST(SliderCrank, OfRigidBodiesGoesWhereItsMotorSendsItByEvents) {
  const SliderCrank mechanism;
  EventDriven simulation(mechanism.model, {});
  for (int i = 1; i <= 20; ++i) {
    const RunReport report = simulation.advance_to(0.1 * i);
    ASSERT_TRUE(report) << report.message();
    // Rows are held to round-off of their terms, of 1 m and of up to 14 rad: some 1e-14 each.
    mechanism.expect_on_its_formula(simulation.state(), 1e-12);
  }
}

}  // namespace
}  // namespace nonsmooth::mechanisms_test
