// SPDX-License-Identifier: Apache-2.0
// ExactLinear in contact beside what is published: the energy of a step with losses against an integral of its own, the
// scheme of two steps of Issanchou, Acary, Perignon, Touze & Le Carrou 2018 [issanchou2018], written here once more,
// and a string on a barrier of its whole length, whose motion is a closed form.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss.hpp>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/fitted_order.hpp"

namespace nonsmooth::exact_linear_contact_test {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

/// Oscillators m (q'' + 2 gamma q' + kappa q) = f, gamma^2 < kappa, and rows H that they have in common.
struct Modes {
  Eigen::VectorXd m{}, gamma{}, kappa{}, f{}, q{}, v{};
  Eigen::MatrixXd H{};

  [[nodiscard]] Eigen::VectorXd stiffness() const { return m.cwiseProduct(kappa); }
  [[nodiscard]] Eigen::VectorXd damping() const { return 2.0 * m.cwiseProduct(gamma); }
  [[nodiscard]] double energy(const Eigen::VectorXd& at_q, const Eigen::VectorXd& at_v) const {
    return 0.5 * (at_v.cwiseAbs2().dot(m) + at_q.cwiseAbs2().dot(stiffness())) - f.dot(at_q);
  }
  /// In coordinates x with q = turn x.
  [[nodiscard]] LagrangianLinearSystem system(const Eigen::MatrixXd& turn) const {
    if (turn.isIdentity(0.0))
      return {.mass = m.asDiagonal(),
              .damping = damping().asDiagonal(),
              .stiffness = stiffness().asDiagonal(),
              .force = f,
              .q0 = q,
              .v0 = v};
    const auto turned = [&](const Eigen::VectorXd& values) {
      return Eigen::MatrixXd(turn.transpose() * values.asDiagonal() * turn);
    };
    return {.mass = turned(m),
            .damping = turned(damping()),
            .stiffness = turned(stiffness()),
            .force = Eigen::VectorXd(turn.transpose() * f),
            .q0 = Eigen::VectorXd(turn.transpose() * q),
            .v0 = Eigen::VectorXd(turn.transpose() * v)};
  }
};

/// Six modes of 2 to 30 rad/s, each with a decay of its own, the first without, and three rows about them.
Modes struck() {
  const Index n = 6;
  Modes s;
  s.m = Eigen::VectorXd::LinSpaced(n, 1.0, 2.5);
  s.gamma = Eigen::VectorXd{{0.0, 0.3, 0.02, 1.5, 0.8, 5.0}};
  s.kappa = Eigen::VectorXd{{4.0, 25.0, 90.0, 250.0, 500.0, 900.0}};
  s.f = Eigen::VectorXd{{0.1, -0.2, 0.3, 0.5, -0.4, 1.0}};
  s.q = Eigen::VectorXd{{0.02, -0.01, 0.01, 0.005, 0.0, 0.003}};
  s.v = Eigen::VectorXd{{0.9, -0.5, 0.7, 0.3, -0.8, 0.4}};
  s.H = Eigen::MatrixXd{
      {0.8, -0.3, 0.5, 0.2, 0.4, -0.1}, {-0.6, 0.4, 0.3, -0.5, 0.1, 0.6}, {-0.2, -0.7, -0.4, 0.3, -0.6, 0.2}};
  return s;
}

/// What dampers take within h of free motion from (q, v): the integral of 2 m gamma v^2, of the closed form of v.
double damped(const Modes& s, const Eigen::VectorXd& q, const Eigen::VectorXd& v, double h) {
  double sum = 0.0;
  for (Index j = 0; j < s.m.size(); ++j) {
    const double gamma = s.gamma[j], w = std::sqrt(s.kappa[j] - gamma * gamma),
                 x = q[j] - s.f[j] / (s.m[j] * s.kappa[j]);
    const auto power = [&](double t) {
      const double at =
          std::exp(-gamma * t) * (v[j] * std::cos(w * t) - (s.kappa[j] * x + gamma * v[j]) / w * std::sin(w * t));
      return 2.0 * s.m[j] * gamma * at * at;
    };
    sum += boost::math::quadrature::gauss<double, 15>::integrate(power, 0.0, h);
  }
  return sum;
}

TEST(ExactLinearInContact, LosesWhatItsLawAndItsDampersTake) {
  // E_{k+1} - E_k = p^T (u_{k+1} + u_k) / 2 - D, D the dampers' work on the free motion that begins behind the first
  // half of the impulse. 15 points of Gauss are exact to eps as w h is below 1; energies are of about 3 J, and of some
  // 20 terms.
  const Modes s = struck();
  Eigen::VectorXd normal = Eigen::VectorXd::LinSpaced(6, -1.0, 0.7);
  normal.normalize();
  for (const bool dense : {false, true}) {
    Eigen::MatrixXd turn = Eigen::MatrixXd::Identity(6, 6);
    if (dense) turn -= 2.0 * normal * normal.transpose();
    for (const double e : {0.0, 0.5, 1.0}) {
      NonSmoothDynamicalSystem model;
      const auto body = model.add(s.system(turn));
      std::vector<InteractionHandle> stops;
      for (Index i = 0; i < 3; ++i)
        stops.push_back(
            model.link(body, LagrangianLinearRelation{.H = s.H.row(i) * turn, .b = {0.03}}, NewtonImpactLaw{e}));
      TimeStepping simulation(model, {.integrator = ExactLinear{}, .step = 0.02});
      int impacts = 0;
      double lost = 0.0, by_law = 0.0;
      const double E = s.energy(s.q, s.v);
      for (int k = 0; k < 500; ++k) {
        const State before = simulation.state();
        ASSERT_TRUE(simulation.step());
        const State& after = simulation.state();
        double work = 0.0, gained = 0.0;
        const Eigen::VectorXd q = turn * before.positions;
        Eigen::VectorXd started = turn * before.unknowns;
        for (std::size_t i = 0; i < 3; ++i) {
          const double p = after.impulse(stops[i])[0];
          const double u = before.u(stops[i])[0];
          work += 0.5 * p * (after.u(stops[i])[0] + u);
          gained += 0.5 * (1.0 - e) * p * std::max(u, 0.0);
          started += 0.5 * p * s.H.row(static_cast<Index>(i)).transpose().cwiseQuotient(s.m);
          impacts += p > 0.0;
        }
        const double D = damped(s, q, started, 0.02);
        const double change =
            s.energy(turn * after.positions, turn * after.unknowns) - s.energy(q, turn * before.unknowns);
        ASSERT_NEAR(change, work - D, 512.0 * kEps * 3.0) << dense << ' ' << e << ' ' << k;
        // u_{k+1} = -e u_k where p > 0: what approaches loses, what leaves and is turned back within the step gains, to
        // the solver's 64 eps of terms.
        ASSERT_LE(work, gained + 256.0 * kEps * 3.0) << e << ' ' << k;
        lost += D;
        by_law -= work;
      }
      EXPECT_GT(impacts, 10) << e;
      EXPECT_GT(lost, 0.3 * E) << e;  // the identity is about something
      EXPECT_GE(by_law, e < 1.0 ? 0.01 * E : -1e-10 * E) << e;
    }
  }
}

/// The published scheme of modes that start from (q, v), the first step being free, with one row, or none, under
/// Newton's law. Mode by mode, with A = 2 e^(-gamma h) cos(w h), d = e^(-2 gamma h), v_{k+1} = (q_{k+1} - q_k) / h,
///
///     theta = 2 / (kappa h^2) - A / (1 + d - A),   sigma = (1 / h + kappa h (1 - theta) / 2) (1 - d) / (1 + d),
///     m [v_{k+1} - v_k + h kappa (theta q_k + (1 - theta) (q_{k+1} + q_{k-1}) / 2) + h sigma (v_{k+1} + v_k)]
///                                                       = h f + H^T p,     0 <= u_{k+1} + e u_k ⟂ p >= 0.
struct Published {
  const Modes& modes;
  double h, e;
  Eigen::ArrayXd theta, sigma, A, q, v;  ///< A: of v_{k+1}

  Published(const Modes& of, double step, double restitution) : modes(of), h(step), e(restitution) {
    const Eigen::ArrayXd gamma = of.gamma, kappa = of.kappa, w = (kappa - gamma.square()).sqrt();
    const Eigen::ArrayXd turn = 2.0 * (-gamma * h).exp() * (w * h).cos(), d = (-2.0 * gamma * h).exp();
    theta = 2.0 / (kappa * h * h) - turn / (1.0 + d - turn);
    sigma = (1.0 / h + 0.5 * kappa * h * (1.0 - theta)) * (1.0 - d) / (1.0 + d);
    A = of.m.array() * (1.0 + 0.5 * h * h * kappa * (1.0 - theta) + h * sigma);
    const Eigen::ArrayXd rest = of.f.array() / (of.m.array() * kappa), x = of.q.array() - rest;
    q = rest + (-gamma * h).exp() * (x * (w * h).cos() + (of.v.array() + gamma * x) / w * (w * h).sin());
    v = (q - of.q.array()) / h;
  }
  /// @returns p; a contact acts as under our forecast of 1/2.
  double step() {
    const Eigen::ArrayXd kappa = modes.kappa, m = modes.m;
    Eigen::ArrayXd next =
        (m * (v - h * kappa * (q - 0.5 * h * (1.0 - theta) * v) - h * sigma * v) + h * modes.f.array()) / A;
    double p = 0.0;
    if (modes.H.rows() > 0) {
      const Eigen::ArrayXd row = modes.H.row(0).transpose();
      const double u = (row * v).sum();
      if ((row * q).sum() + 0.5 * h * u <= 0.0)
        p = std::max(0.0, -((row * next).sum() + e * u) / (row.square() / A).sum());
      next += row * p / A;
    }
    q += h * next;
    v = next;
    return p;
  }
  /// Its own energy, of (q_k, q_{k+1}) = (q - h v, q).
  [[nodiscard]] double energy() const {
    const Eigen::ArrayXd m = modes.m, k = m * modes.kappa.array(), before = q - h * v;
    return 0.5 * (m * v.square() + k * (theta * q * before + 0.5 * (1.0 - theta) * (q.square() + before.square())))
                     .sum() -
           0.5 * (modes.f.array() * (q + before)).sum();
  }
};

TEST(ExactLinearInContact, MovesFreelyAsThePublishedTwoSteps) {
  // Both have the exact q at every t_k. A recursion of two steps adds a rounding of v, eps |q| / h, in each: h k times
  // that after k more, so eps k^2 / 2 of the largest q in all, 0.6 m of the slowest mode.
  Modes s = struck();
  s.H.resize(0, 6);
  for (const double h : {0.01, 0.05, 0.15}) {  // 0.3 to 4.5 rad of the fastest mode
    NonSmoothDynamicalSystem model;
    model.add(s.system(Eigen::MatrixXd::Identity(6, 6)));
    TimeStepping simulation(model, {.integrator = ExactLinear{}, .step = h});
    ASSERT_TRUE(simulation.step());
    Published published(s, h, 0.0);
    for (int k = 1; k <= 300; ++k) {
      for (Index j = 0; j < 6; ++j)
        ASSERT_NEAR(simulation.state().positions[j], published.q[j], kEps * 0.6 * (k * k + 10))
            << h << ' ' << k << ' ' << j;
      ASSERT_TRUE(simulation.step());
      published.step();
    }
  }
}

TEST(ExactLinearInContact, MovesModesByImpulsesAsTheirHalfTurnsSay) {
  // A^-1: (1 + dv**/dv*) / (2 m) here, (1 + d - A) / (m kappa h^2) of the published scheme: without damping cos^2(w h /
  // 2) and sin^2(w h / 2) / (w h / 2)^2 over m, which are 1 - (w h)^2 / 4 and 1 - (w h)^2 / 12.
  for (const double gamma : {0.0, 0.7}) {
    for (const double wh : {0.01, 0.3, 1.0, 2.5}) {
      const double h = 0.05, m = 1.7, w = wh / h, kappa = w * w + gamma * gamma;
      NonSmoothDynamicalSystem model;
      const auto mass = model.add(LagrangianLinearSystem{
          .mass = {{m}}, .damping = {{2.0 * m * gamma}}, .stiffness = {{m * kappa}}, .q0 = {0.0}, .v0 = {-1.0}});
      model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{0.5});
      TimeStepping simulation(model, {.integrator = ExactLinear{}, .step = h});
      ASSERT_TRUE(simulation.step());
      const double W = simulation.problem().reduced.W.to_dense()(0, 0), decay = std::exp(-gamma * h);
      EXPECT_NEAR(W, 0.5 * (1.0 + decay * (std::cos(wh) - gamma / w * std::sin(wh))) / m, 8.0 * kEps)
          << gamma << ' ' << wh;
      Modes one{.m = Eigen::VectorXd{{m}}, .gamma = Eigen::VectorXd{{gamma}}, .kappa = Eigen::VectorXd{{kappa}}};
      one.f = one.q = one.v = Eigen::VectorXd::Zero(1);
      // theta is a difference of two terms of 2 / (w h)^2, of which the rest is multiplied by (w h)^2 / 2.
      const double there = (1.0 + decay * decay - 2.0 * decay * std::cos(wh)) / (kappa * h * h);
      EXPECT_NEAR(m / Published(one, h, 0.0).A[0], there, 64.0 * kEps * (1.0 + 1.0 / (wh * wh))) << gamma << ' ' << wh;
      if (gamma > 0.0) continue;
      EXPECT_NEAR(m * W, std::pow(std::cos(0.5 * wh), 2), 8.0 * kEps);
      EXPECT_NEAR(there, std::pow(std::sin(0.5 * wh) / (0.5 * wh), 2), 8.0 * kEps * (1.0 + 1.0 / (wh * wh)));
    }
  }
}

TEST(ExactLinearInContact, HasTheEnergyIdentityThatIsPublishedOfTwoSteps) {
  // What losses and contact do to the published energy is what they do to E here, with means of two mean velocities in
  // the place of the flow's: p (u_{k+1} + u_k) / 2 - 2 h sigma m |(v_{k+1} + v_k) / 2|^2. E is this energy to O(h).
  const Modes s = struck();
  for (const double e : {0.0, 0.6, 1.0}) {
    const double h = 0.01;
    Published published(s, h, e);
    EXPECT_NEAR(published.energy(), s.energy(s.q, s.v), 0.5 * s.kappa.maxCoeff() * h * s.energy(s.q, s.v));
    int impacts = 0;
    for (int k = 0; k < 1000; ++k) {
      const double E = published.energy(), u = s.H.row(0).dot(published.v.matrix());
      const Eigen::ArrayXd v = published.v;
      const double p = published.step();
      impacts += p > 0.0;
      const double D = 2.0 * h * (published.sigma * s.m.array() * (0.5 * (v + published.v)).square()).sum();
      const double work = 0.5 * p * (s.H.row(0).dot(published.v.matrix()) + u);
      ASSERT_NEAR(published.energy() - E, work - D, 512.0 * kEps * 3.0 / h) << e << ' ' << k;
    }
    EXPECT_GE(impacts, 5);
  }
}

TEST(ExactLinearInContact, ConvergesToTheMotionOfThePublishedScheme) {
  // A damped oscillator over a stop at 0 from rest at 1: e^j |free motion|, j impacts so far, a half turn apart. Both
  // err by when an impact is found, up to a step by chance of h: the mean of twenty w has a smooth slope. Theirs is at
  // the end of a step, for what falls half a step about it; ours in the middle of one, which with a forecast of 1 is
  // the one in which it falls: late and early are alike, and errors the same to a fifth. With 1/2 they are late by half
  // a step in the mean, which adds up over impacts in the place of going to and fro: more than twice as much.
  const double e = 0.7, T = 5.0, gamma = 0.1;
  const auto errors = [&](double h, bool ours, double forecast = 1.0) {
    double sum = 0.0;
    for (int i = 0; i < 20; ++i) {
      const double w = 3.0 + 0.0137 * i;
      Modes one{.m = Eigen::VectorXd{{1.3}},
                .gamma = Eigen::VectorXd{{gamma}},
                .kappa = Eigen::VectorXd{{w * w + gamma * gamma}},
                .f = Eigen::VectorXd::Zero(1),
                .q = Eigen::VectorXd::Ones(1),
                .v = Eigen::VectorXd::Zero(1),
                .H = Eigen::MatrixXd::Ones(1, 1)};
      const auto exact = [&](double t) {
        const double turns = std::floor((w * t - std::atan2(gamma, w)) / std::numbers::pi + 0.5);
        return std::pow(e, turns) * std::abs(std::exp(-gamma * t) * (std::cos(w * t) + gamma / w * std::sin(w * t)));
      };
      if (ours) {
        NonSmoothDynamicalSystem model;
        const auto mass = model.add(one.system(Eigen::MatrixXd::Identity(1, 1)));
        model.link(mass, LagrangianLinearRelation{.H = one.H}, NewtonImpactLaw{e});
        TimeStepping simulation(model, {.integrator = ExactLinear{.forecast = forecast}, .step = h});
        EXPECT_TRUE(simulation.advance_to(
            T, [&](const State& state) { sum += h * std::abs(state.positions[0] - exact(state.t)); }));
      } else {
        Published published(one, h, e);
        for (int k = 2; k * h <= T; ++k) {
          published.step();
          sum += h * std::abs(published.q[0] - exact(k * h));
        }
      }
    }
    return sum;
  };
  EXPECT_NEAR(fitted_order(0.02, 4, [&](double h) { return errors(h, true); }), 1.0, 0.1);
  EXPECT_NEAR(fitted_order(0.02, 4, [&](double h) { return errors(h, false); }), 1.0, 0.1);
  for (const double h : {0.02, 0.005}) {
    const double ratio = errors(h, true) / errors(h, false);
    EXPECT_NEAR(ratio, 1.0, 0.2) << h;
    EXPECT_GT(errors(h, true, 0.5), 2.0 * errors(h, true)) << h;
  }
}

/// A string of n modes on a barrier of its whole length, felt at n points, from a triangle (L = c = mu = 1, height 1).
/// Its free motion is flat at 1/2, for all points together as its modes are odd ones, and there all points meet the
/// barrier at once: at an impact v becomes -e v.
struct OnBarrier {
  static constexpr Index n = 19;
  Eigen::ArrayXd w = Eigen::ArrayXd::LinSpaced(n, 1.0, n) * std::numbers::pi;
  Eigen::MatrixXd H = Eigen::MatrixXd::NullaryExpr(n, n, [](Index i, Index j) {
    return std::sin(std::numbers::pi * static_cast<double>((i + 1) * (j + 1)) / static_cast<double>(n + 1));
  });
  Eigen::VectorXd m = Eigen::VectorXd::Constant(n, 0.5), k = 0.5 * w.square();
  Eigen::VectorXd triangle = 8.0 * (0.5 * w).sin() / w.square();
  NonSmoothDynamicalSystem model;
  SystemHandle string;
  std::vector<InteractionHandle> points;

  explicit OnBarrier(double e) {
    string = model.add(LagrangianLinearSystem{.mass = m.asDiagonal(), .stiffness = k.asDiagonal(), .q0 = triangle});
    for (Index i = 0; i < n; ++i)
      points.push_back(model.link(string, LagrangianLinearRelation{.H = H.row(i)}, NewtonImpactLaw{e}));
  }
  [[nodiscard]] double energy(const State& state) const {
    return 0.5 * (m.dot(state.v(string).cwiseAbs2()) + k.dot(state.q(string).cwiseAbs2()));
  }
};

TEST(ExactLinearInContact, AnElasticBarrierTurnsAStringBack) {
  // e = 1: the step of an impact leaves q where it was and turns v around, which is the free motion turned back about
  // the middle of the step: q_j(0) cos(w_j s) at all times, s = t up to the first impact and then back and forth. To
  // 1000 steps of roundings of W, whose condition is cos^-2(w_n h / 2) = 1.1, w_n times them of v, and w_n h in s.
  const OnBarrier barrier(1.0);
  const double h = 0.5 / 47.3;
  TimeStepping simulation(barrier.model, {.integrator = ExactLinear{}, .step = h});
  const double E = barrier.energy(simulation.state());
  double s = 0.0, sign = 1.0;
  int impacts = 0;
  for (int k = 1; k <= 1000; ++k) {
    ASSERT_TRUE(simulation.step());
    const State& state = simulation.state();
    const bool hit = state.impulse(barrier.points[9])[0] > 0.0;
    for (const auto point : barrier.points) ASSERT_EQ(state.impulse(point)[0] > 0.0, hit) << k;
    if (hit) {
      sign = -sign;
      ++impacts;
    } else {
      s += sign * h;
    }
    const Eigen::ArrayXd q = barrier.triangle.array() * (barrier.w * s).cos();
    ASSERT_LE((state.q(barrier.string).array() - q).abs().maxCoeff(), 16.0 * kEps * (k + 10)) << k;
    ASSERT_NEAR(barrier.energy(state), E, 64.0 * kEps * E * (k + 10)) << k;
  }
  EXPECT_EQ(impacts, 11);  // 10.57 s, one a second from 0.5 s on
}

TEST(ExactLinearInContact, ABarrierTakesOfAStringWhatItsLawSays) {
  // e < 1: after the j-th impact e^j |free motion|. With a forecast of 1 each is late or early by h / 2 at most, which
  // shifts what follows by h: at a speed of 2, a fifth more where n modes ring. What leaves and is turned back within a
  // step gains (1 - e) p u_k / 2.
  for (const double e : {0.0, 0.5}) {
    for (const double h : {0.5 / 47.3, 0.5 / 189.3}) {
      const OnBarrier barrier(e);
      TimeStepping simulation(barrier.model, {.integrator = ExactLinear{.forecast = 1.0}, .step = h});
      const double E = barrier.energy(simulation.state());
      double before = E;
      Eigen::VectorXd u = Eigen::VectorXd::Zero(OnBarrier::n);
      ASSERT_TRUE(simulation.advance_to(3.0, [&](const State& state) {
        const double j = std::floor(state.t + 0.5);
        const Eigen::ArrayXd q = std::pow(e, j) * barrier.triangle.array() * (barrier.w * state.t).cos();
        const Eigen::VectorXd exact = (barrier.H * q.matrix()).cwiseAbs();
        EXPECT_LE((barrier.H * state.q(barrier.string) - exact).cwiseAbs().maxCoeff(), 2.4 * h * std::max(j, 1.0))
            << e << ' ' << state.t;
        double gained = 64.0 * kEps * E;
        for (std::size_t i = 0; i < barrier.points.size(); ++i)
          gained += 0.5 * (1.0 - e) * state.impulse(barrier.points[i])[0] * std::max(u[static_cast<Index>(i)], 0.0);
        EXPECT_LE(barrier.energy(state), before + gained) << e << ' ' << state.t;
        before = barrier.energy(state);
        u = barrier.H * state.v(barrier.string);
      }));
      EXPECT_NEAR(before / E, std::pow(e, 6), 40.0 * h) << e;
    }
  }
}

}  // namespace
}  // namespace nonsmooth::exact_linear_contact_test
