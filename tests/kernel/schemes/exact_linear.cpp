// SPDX-License-Identifier: Apache-2.0
// ExactLinear: the flow of a step against series in long double, impacts against closed forms, energies step by step.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <Eigen/LU>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/fitted_order.hpp"

namespace nonsmooth::exact_linear_test {
namespace {

using bad_input::expect_refused;

constexpr double kEps = std::numeric_limits<double>::epsilon();
using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

/// (q, v) after h of M v' + C v + K q = f_0 + (f_1 - f_0) t / h, by Taylor series of (q, v, f, f') over parts of h in
/// which all rates are below 1/2: 2^-30 / 30! is below eps of long double, and parts add up to 1e5 times that.
LongVector reference(const LongMatrix& M, const LongMatrix& C, const LongMatrix& K, const LongVector& q,
                     const LongVector& v, const LongVector& f_0, const LongVector& f_1, long double h) {
  const Index n = M.rows();
  const LongMatrix inverse = M.inverse();
  LongMatrix rates = LongMatrix::Zero(4 * n, 4 * n);
  rates.block(0, n, n, n) = rates.block(2 * n, 3 * n, n, n) = LongMatrix::Identity(n, n);
  rates.block(n, 0, n, n) = -inverse * K;
  rates.block(n, n, n, n) = -inverse * C;
  rates.block(n, 2 * n, n, n) = inverse;
  LongVector x(4 * n);
  x << q, v, f_0, (f_1 - f_0) / h;
  const long double fastest = (inverse * C).cwiseAbs().rowwise().sum().maxCoeff() +
                              std::sqrt((inverse * K).cwiseAbs().rowwise().sum().maxCoeff());
  const auto parts = static_cast<Index>(std::ceil(2.0L * h * fastest)) + 1;
  for (Index part = 0; part < parts; ++part) {
    LongVector term = x;
    for (int order = 1; order <= 30; ++order) {
      term = h / static_cast<long double>(parts * order) * (rates * term);
      x += term;
    }
  }
  return x.head(2 * n);
}

LagrangianLinearSystem oscillator(double m, double c, double k, double q, double v) {
  return {.mass = {{m}}, .damping = {{c}}, .stiffness = {{k}}, .q0 = {q}, .v0 = {v}};
}

/// An oscillator that is diagonal, or the first of two that are written in turned coordinates, so that they are dense.
enum class Storage : unsigned char { Diagonal, Dense };

TEST(ExactLinear, AStepIsTheFlowOfAnyDampedOscillator) {
  // Rates times h from 0 to 100, each side of the bounds between closed forms, critical and nearly critical damping,
  // negative stiffness. An answer is off by the rounding of its terms, each e^(growth h) times the data at most, and of
  // the phase: eps w h.
  const double m = 2.0, h = 0.25, q = 0.7, v = -1.3, f_0 = 0.4, f_1 = -0.9;
  for (const double gh : {0.0, 1e-7, 0.1, 0.49, 0.51, 3.0, 30.0}) {
    for (const double kappa_hh : {-4.0, -1e-7, 0.0, 1e-9, 0.2, 0.24, 0.26, gh * gh, gh * gh * (1.0 + 1e-9),
                                  gh * gh * (1.0 - 1e-9), 0.49 * gh * gh, 0.51 * gh * gh, 10.0, 1e4}) {
      const double c = 2.0 * m * gh / h, k = m * kappa_hh / (h * h);
      NonSmoothDynamicalSystem model;
      auto system = oscillator(m, c, k, q, v);
      system.force = [&](double t, VectorRef f) { f[0] = f_0 + (f_1 - f_0) * t / h; };
      model.add(system);
      TimeStepping simulation(model, {.integrator = ExactLinear{}, .step = h});
      ASSERT_TRUE(simulation.step());
      const auto one = [](double value) { return LongMatrix::Constant(1, 1, value); };
      const LongVector exact = reference(one(m), one(c), one(k), one(q), one(v), one(f_0), one(f_1), h);
      const double root = gh * gh > kappa_hh ? std::sqrt(gh * gh - kappa_hh) - gh : 0.0;
      const double size = (q + h * std::abs(v) + h * h * (std::abs(f_0) + std::abs(f_1)) / m) *
                          std::exp(std::max(0.0, root)) * (1.0 + std::sqrt(std::abs(kappa_hh)));
      const double rounding = 16.0 * kEps * size, rate = (1.0 + std::sqrt(std::abs(kappa_hh)) + 2.0 * gh) / h;
      EXPECT_NEAR(simulation.state().positions[0], static_cast<double>(exact[0]), rounding) << gh << ' ' << kappa_hh;
      EXPECT_NEAR(simulation.state().unknowns[0], static_cast<double>(exact[1]), rounding * rate)
          << gh << ' ' << kappa_hh;
    }
  }
}

TEST(ExactLinear, AStepIsTheFlowOfMatrices) {
  // Three masses: dampers in proportion to springs (modes), a damper alone (matrix exponential), gyroscopic coupling
  // and a follower's asymmetric K (the same). Data of order 1, h |rates| about 10: 1e3 eps covers three squarings of
  // the exponential of twelve rows.
  Eigen::Matrix3d M, K, one_damper = Eigen::Matrix3d::Zero(), gyroscopic = Eigen::Matrix3d::Zero(), follower;
  M << 2.0, 0.3, 0.0, 0.3, 1.5, -0.2, 0.0, -0.2, 1.0;
  K << 20.0, -8.0, 0.0, -8.0, 16.0, -8.0, 0.0, -8.0, 8.0;
  one_damper(2, 2) = 1.2;
  gyroscopic(0, 1) = 2.0;
  gyroscopic(1, 0) = -2.0;
  follower = K;
  follower(0, 2) = 3.0;
  const Eigen::Vector3d q(0.5, -0.2, 0.9), v(1.0, 0.0, -2.0), f(0.3, -1.0, 0.7);
  const double h = 2.0;
  for (const auto& [C, stiffness] : {std::pair<Eigen::Matrix3d, Eigen::Matrix3d>{Eigen::Matrix3d::Zero(), K},
                                     {0.3 * M + 0.02 * K, K},
                                     {one_damper, K},
                                     {gyroscopic, K},
                                     {one_damper, follower}}) {
    NonSmoothDynamicalSystem model;
    model.add(LagrangianLinearSystem{
        .mass = M, .damping = C, .stiffness = stiffness, .force = Eigen::VectorXd(f), .q0 = q, .v0 = v});
    TimeStepping simulation(model, {.integrator = ExactLinear{}, .step = h});
    ASSERT_TRUE(simulation.step());
    const LongVector exact =
        reference(M.cast<long double>(), C.cast<long double>(), stiffness.cast<long double>(), q.cast<long double>(),
                  v.cast<long double>(), f.cast<long double>(), f.cast<long double>(), h);
    for (Index i = 0; i < 3; ++i) {
      EXPECT_NEAR(simulation.state().positions[i], static_cast<double>(exact[i]), 1e3 * kEps);
      EXPECT_NEAR(simulation.state().unknowns[i], static_cast<double>(exact[3 + i]), 1e3 * kEps * 5.0);
    }
  }
}

TEST(ExactLinear, NoStepIsTooLongForFreeMotion) {
  // 50 modes of a string, w_j = j: back where they were after 2 pi, whatever the step, also beyond half a turn of most
  // of them. Phases err by eps w h a step, all of T by eps w T and a few eps a step.
  const Index n = 50;
  NonSmoothDynamicalSystem model;
  Eigen::VectorXd k(n), q(n);
  for (Index j = 0; j < n; ++j) k[j] = static_cast<double>((j + 1) * (j + 1)), q[j] = 1.0 / static_cast<double>(j + 1);
  model.add(
      LagrangianLinearSystem{.mass = Eigen::VectorXd::Ones(n).asDiagonal(), .stiffness = k.asDiagonal(), .q0 = q});
  for (const int steps : {3, 17, 400, 10000}) {
    TimeStepping simulation(model, {.integrator = ExactLinear{}, .step = 2.0 * std::numbers::pi / steps});
    for (int i = 0; i < steps; ++i) ASSERT_TRUE(simulation.step());
    const double rounding = kEps * (2.0 * std::numbers::pi * 50.0 + 4.0 * steps);
    for (Index j = 0; j < n; ++j) {
      EXPECT_NEAR(simulation.state().positions[j], q[j], rounding * q[j]) << steps << ' ' << j;
      EXPECT_NEAR(simulation.state().unknowns[j], 0.0, rounding) << steps << ' ' << j;
    }
  }
}

/// A modal body of eight modes with three stops around it, by its modes or in turned coordinates.
struct Struck {
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  std::vector<InteractionHandle> stops;
  Eigen::VectorXd mass, stiffness;
  Eigen::MatrixXd turn;  ///< modal from own coordinates

  [[nodiscard]] double energy(const State& state) const {
    const Eigen::VectorXd q = turn * state.positions, v = turn * state.unknowns;
    return 0.5 * (v.cwiseAbs2().dot(mass) + q.cwiseAbs2().dot(stiffness));
  }
};

Struck struck(double restitution, double damping, Storage storage) {
  const Index n = 8;
  Struck s;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> in(-1.0, 1.0);
  const auto vector = [&] {
    return Eigen::VectorXd(Eigen::VectorXd::NullaryExpr(n, [&](Index) { return in(random); }));
  };
  s.mass = Eigen::VectorXd::Constant(n, 1.5) + 0.5 * vector();
  s.stiffness = Eigen::VectorXd::LinSpaced(n, 1.0, 40.0).cwiseAbs2();
  const Eigen::VectorXd q = 0.02 * vector(), v = vector();
  Eigen::VectorXd normal = vector();
  normal.normalize();
  s.turn = Eigen::MatrixXd::Identity(n, n);
  if (storage == Storage::Dense) s.turn -= 2.0 * normal * normal.transpose();
  const auto turned = [&](const Eigen::VectorXd& values) -> MatrixData {
    if (storage == Storage::Diagonal) return values.asDiagonal();
    return Eigen::MatrixXd(s.turn.transpose() * values.asDiagonal() * s.turn);
  };
  LagrangianLinearSystem system{.mass = turned(s.mass), .stiffness = turned(s.stiffness)};
  if (damping > 0.0) system.damping = turned(damping * s.mass);
  system.q0 = Eigen::VectorXd(s.turn.transpose() * q);
  system.v0 = Eigen::VectorXd(s.turn.transpose() * v);
  s.body = s.model.add(system);
  for (int i = 0; i < 3; ++i) {
    const Eigen::MatrixXd H = vector().transpose() * s.turn;
    s.stops.push_back(
        s.model.link(s.body, LagrangianLinearRelation{.H = H, .b = {0.05}}, NewtonImpactLaw{restitution}));
  }
  return s;
}

TEST(ExactLinear, ElasticImpactsKeepTheEnergyForEver) {
  // e = 1: p (u_{k+1} + u_k) = 0 row by row to what the solver leaves, 64 eps of its terms as the problems
  // are of three rows. 2e4 steps add as many roundings of some eps each.
  for (const Storage storage : {Storage::Diagonal, Storage::Dense}) {
    const Struck s = struck(1.0, 0.0, storage);
    TimeStepping simulation(s.model, {.integrator = ExactLinear{}, .step = 0.03});
    const double E = s.energy(simulation.state());
    int impacts = 0;
    for (int k = 0; k < 20000; ++k) {
      ASSERT_TRUE(simulation.step());
      for (const auto stop : s.stops) impacts += simulation.state().impulse(stop)[0] > 0.0;
      ASSERT_NEAR(s.energy(simulation.state()), E, 64.0 * kEps * E * (k + 10)) << k;
    }
    EXPECT_GT(impacts, 1000);
    EXPECT_NEAR(s.energy(simulation.state()), E, 1e-11 * E);  // what it comes to: roundings of both signs
  }
}

TEST(ExactLinear, TheEnergyOfAStepIsThatOfItsImpulses) {
  // E_{k+1} - E_k = p^T (u_{k+1} + u_k) / 2 step by step, to roundings of energies of about 10 J; the ledger says the
  // same of a constant force. Where C takes some, no step gains more than that.
  for (const double damping : {0.0, 0.4}) {
    for (const double e : {0.0, 0.6}) {
      const Struck s = struck(e, damping, Storage::Diagonal);
      TimeStepping simulation(s.model, {.integrator = ExactLinear{}, .step = 0.02});
      Ledger ledger(simulation);
      int impacts = 0;
      for (int k = 0; k < 2000; ++k) {
        const State before = simulation.state();
        ASSERT_TRUE(simulation.step());
        const State& after = simulation.state();
        double work = 0.0;
        for (const auto stop : s.stops) {
          work += 0.5 * after.impulse(stop)[0] * (after.u(stop)[0] + before.u(stop)[0]);
          impacts += after.impulse(stop)[0] > 0.0;
        }
        const double change = s.energy(after) - s.energy(before), rounding = 256.0 * kEps * 10.0;
        const double numerical = ledger.record(after).numerical;
        if (damping == 0.0) {
          ASSERT_NEAR(change, work, rounding) << k;
          ASSERT_NEAR(numerical, 0.0, rounding) << k;
        } else {
          ASSERT_LE(change, work + rounding) << k;
        }
      }
      EXPECT_GT(impacts, 5);  // damping leaves few
    }
  }
}

TEST(ExactLinear, DiagonalAndDenseAreOneMotion) {
  // The same body in turned coordinates. 300 steps with some 20 impacts, each of which multiplies what they differ by
  // by a few: below 1e-9 from 1e-14.
  const Struck diagonal = struck(0.6, 0.3, Storage::Diagonal), dense = struck(0.6, 0.3, Storage::Dense);
  TimeStepping one(diagonal.model, {.integrator = ExactLinear{}, .step = 0.02});
  TimeStepping other(dense.model, {.integrator = ExactLinear{}, .step = 0.02});
  for (int k = 0; k < 300; ++k) {
    ASSERT_TRUE(one.step());
    ASSERT_TRUE(other.step());
    ASSERT_LE((dense.turn * other.state().positions - one.state().positions).norm(), 1e-9) << k;
    ASSERT_LE((dense.turn * other.state().unknowns - one.state().unknowns).norm(), 1e-9 * 40.0) << k;
  }
}

TEST(ExactLinear, ImpactsHaveOrderOne) {
  // q'' = -w^2 q over a stop at q = 0, from (1, 0): q = e^j |cos w t|, j impacts so far at w t = pi / 2 + i pi. An
  // impact is late or early by up to a step, by chance of h: the mean of twenty w that are near each other has a smooth
  // slope.
  const double e = 0.8, T = 5.0;
  const auto error = [&](double h) {
    double sum = 0.0;
    for (int i = 0; i < 20; ++i) {
      const double w = 3.0 + 0.0137 * i;
      NonSmoothDynamicalSystem model;
      const auto mass = model.add(oscillator(1.0, 0.0, w * w, 1.0, 0.0));
      model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{e});
      TimeStepping simulation(model, {.integrator = ExactLinear{}, .step = h});
      EXPECT_TRUE(simulation.advance_to(T, [&](const State& state) {
        const double turns = std::floor(w * state.t / std::numbers::pi + 0.5);
        sum += h * std::abs(state.positions[0] - std::pow(e, turns) * std::abs(std::cos(w * state.t)));
      }));
    }
    return sum;
  };
  EXPECT_NEAR(fitted_order(0.02, 4, error), 1.0, 0.1);
}

TEST(ExactLinear, ForcesOfTimeHaveOrderTwo) {
  // q'' + q = cos 2 t from (0, 0): q = (cos t - cos 2 t) / 3. The secant of f errs by h^2 f'' / 12 in the mean.
  const auto error = [&](double h) {
    NonSmoothDynamicalSystem model;
    auto system = oscillator(1.0, 0.0, 1.0, 0.0, 0.0);
    system.force = [](double t, VectorRef f) { f[0] = std::cos(2.0 * t); };
    model.add(system);
    TimeStepping simulation(model, {.integrator = ExactLinear{}, .step = h});
    EXPECT_TRUE(simulation.advance_to(3.0));
    return std::abs(simulation.state().positions[0] - (std::cos(3.0) - std::cos(6.0)) / 3.0);
  };
  EXPECT_NEAR(fitted_order(0.1, 4, error), 2.0, 0.02);
}

TEST(ExactLinear, ARestingContactCarriesItsLoadAndStays) {
  // An oscillator that a force presses onto a stop, from 0.1 m above, e = 0. At rest u = 0 at all instants. Undamped,
  // the way that half an impulse makes within a step ends where it began: the gap stays what it was when it closed, to
  // roundings of its terms of 2 mm. With damping gamma that way is short by gamma h^3 a / 6, a = 30 / 2 the
  // acceleration that presses, to relative (k y / 30 = 0.3 %) + h gamma; p / h = k q - f to gamma h and to that y.
  const double h = 1e-3;
  for (const double c : {0.0, 0.4}) {
    NonSmoothDynamicalSystem model;
    auto system = oscillator(2.0, c, 50.0, 0.1, 0.0);
    system.force = {-30.0};
    const auto mass = model.add(system);
    const auto stop = model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{0.0});
    TimeStepping simulation(model, {.integrator = ExactLinear{}, .step = h});
    ASSERT_TRUE(simulation.advance_to(1.0));
    const double closed = simulation.state().y(stop)[0], creep = c / 4.0 * h * h * h * 15.0 / 6.0;
    EXPECT_LE(closed, 0.0);
    EXPECT_GE(closed, -h * std::sqrt(2.0 * 0.1 * 15.0));  // a step of its approach at most
    for (int k = 1; k <= 10000; ++k) {
      ASSERT_TRUE(simulation.step());
      const double y = simulation.state().y(stop)[0];
      ASSERT_NEAR(y, closed - creep * k, 0.01 * creep * k + 2e-3 * kEps * (k + 10)) << c << ' ' << k;
      ASSERT_NEAR(simulation.state().impulse(stop)[0] / h, 30.0 + 50.0 * y, 30.0 * (c / 4.0 * h + h * h * 25.0)) << c;
    }
  }
}

TEST(ExactLinear, AModeOfHalfTurnsIsLeftOutOfContact) {
  // Two modes that meet a stop together, w h = pi for one of them: it turns its sign each step, whatever the stop does,
  // and the other meets the stop with it. The energy stays, e = 1.
  const double h = 0.1, w = std::numbers::pi / h;
  NonSmoothDynamicalSystem model;
  const auto modes = model.add(LagrangianLinearSystem{.stiffness = {{1.0, 0.0}, {0.0, w * w}}, .q0 = {1.0, 0.01}});
  const auto stop = model.link(modes, LagrangianLinearRelation{.H = {{1.0, 1.0}}, .b = {0.5}}, NewtonImpactLaw{1.0});
  TimeStepping simulation(model, {.integrator = ExactLinear{}, .step = h});
  int impacts = 0;
  for (int k = 1; k <= 1000; ++k) {
    ASSERT_TRUE(simulation.step());
    const State& state = simulation.state();
    impacts += state.impulse(stop)[0] > 0.0;
    ASSERT_NEAR(state.positions[1], k % 2 == 1 ? -0.01 : 0.01, 4.0 * kEps * k);
    // 4 eps w of the mode's velocity, which is rounding, is what u_k + u_{k+1} may be off by in an impact.
    ASSERT_NEAR(0.5 * (state.unknowns.squaredNorm() + state.positions[0] * state.positions[0]), 0.5, 1e-10);
  }
  EXPECT_GT(impacts, 10);
}

TEST(ExactLinear, JointsAndOtherSchemesBesideIt) {
  // A string of ten modes tied at its middle to a mass under MoreauJean: u = 0 holds to rounding, y drifts by h^2 as
  // far as the string bends within a step, bounded as the bending is. Measured: halving h divides the drift by four.
  const auto drift = [](double h) {
    NonSmoothDynamicalSystem model;
    const Index n = 10;
    Eigen::VectorXd k(n);
    Eigen::MatrixXd H(1, n + 1);
    for (Index j = 0; j < n; ++j) {
      k[j] = static_cast<double>((j + 1) * (j + 1));
      H(0, j) = std::sin(0.5 * std::numbers::pi * static_cast<double>(j + 1));
    }
    H(0, n) = -1.0;
    const auto string = model.add(LagrangianLinearSystem{
        .mass = Eigen::VectorXd::Ones(n).asDiagonal(), .stiffness = k.asDiagonal(), .q0 = Eigen::VectorXd::Zero(n)});
    const auto mass = model.add(LagrangianLinearSystem{.mass = {{3.0}}, .force = {-1.0}, .q0 = {0.0}});
    const auto tie = model.link({string, mass}, LagrangianLinearRelation{.H = H}, EqualityLaw{});
    TimeSteppingOptions options{.integrator = ExactLinear{}, .step = h};
    options.integrators = {{mass, MoreauJean{}}};
    TimeStepping simulation(model, options);
    double worst = 0.0, u = 0.0;
    EXPECT_TRUE(simulation.advance_to(20.0, [&](const State& state) {
      worst = std::max(worst, std::abs(state.y(tie)[0]));
      u = std::max(u, std::abs(state.u(tie)[0]));
    }));
    EXPECT_LE(u, 1e-12);
    return worst;
  };
  EXPECT_NEAR(fitted_order(0.04, 3, drift), 2.0, 0.2);
}

TEST(ExactLinear, SameBitsOnAnyNumberOfThreads) {
  // 3000 oscillators in one system beside others, which threads share in chunks.
  NonSmoothDynamicalSystem model;
  const Index n = 3000;
  Eigen::VectorXd k = Eigen::VectorXd::LinSpaced(n, 1.0, 1e4), q = k.unaryExpr([](double x) { return std::sin(x); });
  const auto many = model.add(
      LagrangianLinearSystem{.mass = Eigen::VectorXd::Ones(n).asDiagonal(), .stiffness = k.asDiagonal(), .q0 = q});
  for (int i = 0; i < 10; ++i) model.add(oscillator(1.0, 0.1, 2.0 + i, 1.0, 0.0));
  model.link(many, LagrangianLinearRelation{.H = Eigen::MatrixXd::Constant(1, n, 0.02), .b = {0.01}},
             NewtonImpactLaw{0.7});
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    TimeStepping simulation(model, {.integrator = ExactLinear{}, .step = 0.01, .threads = threads});
    for (int step = 0; step < 30; ++step) ASSERT_TRUE(simulation.step());
    hashes.push_back(hash_of(simulation.state()));
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(ExactLinear, RefusesWhatItCannotDo) {
  const auto options = [](ExactLinear scheme) { return TimeSteppingOptions{.integrator = scheme, .step = 0.1}; };
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{.q0 = {1.0}, .name = "mass"});
  expect_refused([&] { TimeStepping(model, options({.forecast = 2.0})); }, {"ExactLinear::forecast", "2"});
  auto global = options({});
  global.form = Form::Global;
  expect_refused([&] { TimeStepping(model, global).step(); }, {"TimeSteppingOptions::form", "ExactLinear", "Reduced"});
  auto asleep = options({});
  asleep.sleep = {.rest = 0.01};
  expect_refused([&] { TimeStepping(model, asleep).step(); }, {"SleepOptions::rest", "ExactLinear"});
  {
    auto sprung = model;
    sprung.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, SpringDashpotLaw{.stiffness = 10.0}, "buffer");
    expect_refused([&] { TimeStepping(sprung, options({})).step(); }, {"ExactLinear", "buffer", "MoreauJean"});
  }
  {
    auto sprung = model;
    sprung.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, SpringDamperLaw{.stiffness = 10.0}, "spring");
    expect_refused([&] { TimeStepping(sprung, options({})).step(); }, {"ExactLinear", "spring", "the system's"});
  }
  {
    NonSmoothDynamicalSystem led;
    led.add(
        LagrangianLinearSystem{.q0 = {1.0}, .prescribed = {{.velocity = [](double) { return 0.0; }}}, .name = "led"});
    expect_refused([&] { TimeStepping(led, options({})).step(); }, {"ExactLinear for led", "prescribes no velocities"});
  }
  {
    NonSmoothDynamicalSystem turning;
    turning.add(RigidBody{.name = "top"});
    expect_refused([&] { TimeStepping(turning, options({})).step(); }, {"ExactLinear for top", "constant M, C and K"});
  }
  {
    // A damper that is not of modes, and an undamped mode that makes half a turn: there is no A.
    NonSmoothDynamicalSystem half;
    const double w = std::numbers::pi / 0.1;
    half.add(LagrangianLinearSystem{.mass = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
                                    .damping = {{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}},
                                    .stiffness = {{2.0, -1.0, 0.0}, {-1.0, 2.0, 0.0}, {0.0, 0.0, w * w}},
                                    .q0 = {0.0, 0.0, 1.0},
                                    .name = "half"});
    expect_refused([&] { TimeStepping(half, options({})).step(); },
                   {"TimeSteppingOptions::step", "half", "half a turn"});
  }
  // What grows and makes half a turn: e^(-gamma h) cos(w h) is below -1, so that A^-1 is negative. By itself, as a mode
  // of dense matrices, and where there are no modes.
  const double k = std::pow(std::numbers::pi / 0.1, 2);
  const MatrixData dense = {{k, 1.0}, {1.0, k}}, growing = {{-1.0, 0.0}, {0.0, -1.0}},
                   apart = {{-1.0, 0.5}, {-0.5, 0.0}};
  for (const auto& [damping, stiffness] :
       {std::pair<MatrixData, MatrixData>{{{-1.0}}, {{k}}}, {growing, dense}, {apart, dense}}) {
    NonSmoothDynamicalSystem fed;
    fed.add(LagrangianLinearSystem{
        .damping = damping, .stiffness = stiffness, .q0 = Eigen::VectorXd::Zero(damping.rows()), .name = "fed"});
    expect_refused([&] { TimeStepping(fed, options({})).step(); }, {"TimeSteppingOptions::step", "fed", "grows"});
    TimeStepping(fed, {.integrator = ExactLinear{}, .step = 0.05}).step();  // a quarter of a turn
  }
}

}  // namespace
}  // namespace nonsmooth::exact_linear_test
