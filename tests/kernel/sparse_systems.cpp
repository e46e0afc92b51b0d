// SPDX-License-Identifier: Apache-2.0
// SparseLagrangianSystem beside the same system as LagrangianSystem: a chain of particles in the plane whose springs,
// masses and resistance vary, thrown onto a rough floor.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::sparse_systems_test {
namespace {

constexpr Index kParticles = 5, kCoordinates = 2 * kParticles;

/// Springs of 200 N/m and 0.3 m between neighbours; particle i has the mass 1 + 0.2 sin x_i. Resistance against the
/// velocities of both neighbours, which is symmetric, or with `skew` a push across them, which is not.
struct ThrownChain {
  bool skew = false;

  static constexpr double stiffness = 200.0, length = 0.3;

  template <class Add>
  static void mass(ConstVectorRef q, Add&& add) {
    for (Index i = 0; i < kParticles; ++i) {
      for (const Index k : {2 * i, 2 * i + 1}) add(k, k, 1.0 + 0.2 * std::sin(q[2 * i]));
    }
    for (Index k = 0; k + 2 < kCoordinates; ++k) {
      add(k, k + 2, 0.1);
      add(k + 2, k, 0.1);
    }
  }
  static void internal(ConstVectorRef q, VectorRef f) {
    for (Index i = 0; i + 1 < kParticles; ++i) {
      const Eigen::Vector2d d = q.segment<2>(2 * i + 2) - q.segment<2>(2 * i);
      const Eigen::Vector2d pull = stiffness * (1.0 - length / d.norm()) * d;
      f.segment<2>(2 * i) -= pull;
      f.segment<2>(2 * i + 2) += pull;
    }
  }
  template <class Add>
  static void internal_dq(ConstVectorRef q, Add&& add) {
    for (Index i = 0; i + 1 < kParticles; ++i) {
      const Eigen::Vector2d d = q.segment<2>(2 * i + 2) - q.segment<2>(2 * i);
      const double r = d.norm();
      const Eigen::Matrix2d K =
          stiffness * ((1.0 - length / r) * Eigen::Matrix2d::Identity() + (length / (r * r * r)) * d * d.transpose());
      for (Index a = 0; a < 2; ++a) {
        for (Index b = 0; b < 2; ++b) {
          add(2 * i + a, 2 * i + b, K(a, b));
          add(2 * i + 2 + a, 2 * i + 2 + b, K(a, b));
          add(2 * i + a, 2 * i + 2 + b, -K(a, b));
          add(2 * i + 2 + a, 2 * i + b, -K(a, b));
        }
      }
    }
  }
  void force(ConstVectorRef v, VectorRef F) const {
    for (Index k = 0; k < kCoordinates; ++k) {
      F[k] -= 0.3 * v[k] * std::abs(v[k]) + (k % 2 == 1 ? 9.81 : 0.0);
      if (k + 2 < kCoordinates) F[k] -= 0.1 * v[k + 2];
      if (k >= 2) F[k] -= (skew ? -0.1 : 0.1) * v[k - 2];
    }
  }
  template <class Add>
  void force_dv(ConstVectorRef v, Add&& add) const {
    for (Index k = 0; k < kCoordinates; ++k) {
      add(k, k, -0.6 * std::abs(v[k]));
      if (k + 2 < kCoordinates) add(k, k + 2, -0.1);
      if (k >= 2) add(k, k - 2, skew ? 0.1 : -0.1);
    }
  }

  static Eigen::VectorXd q0() {
    Eigen::VectorXd q(kCoordinates);
    for (Index i = 0; i < kParticles; ++i)
      q.segment<2>(2 * i) << 0.3 * static_cast<double>(i), 0.2 + 0.1 * static_cast<double>(i % 2);
    return q;
  }
  static Eigen::VectorXd v0() {
    Eigen::VectorXd v = Eigen::VectorXd::Zero(kCoordinates);
    for (Index i = 0; i < kParticles; ++i) v[2 * i] = 2.0;
    return v;
  }

  [[nodiscard]] SparseLagrangianSystem sparse() const {
    std::vector<std::vector<Index>> springs;
    for (Index i = 0; i + 1 < kParticles; ++i) springs.push_back({2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 3});
    const auto into = [](SparseEntries& entries) {
      return [&entries](Index i, Index j, double value) { entries.add(i, j, value); };
    };
    const ThrownChain chain = *this;
    return {.pattern = SparsePattern::of_elements(kCoordinates, springs),
            .mass_of_q = [=](ConstVectorRef q, SparseEntries& M) { mass(q, into(M)); },
            .internal = [](double, ConstVectorRef q, ConstVectorRef, VectorRef f) { internal(q, f); },
            .internal_dq = [=](double, ConstVectorRef q, ConstVectorRef, SparseEntries& J) { internal_dq(q, into(J)); },
            .internal_dv = [](double, ConstVectorRef, ConstVectorRef, SparseEntries&) {},
            .force = [chain](double, ConstVectorRef, ConstVectorRef v, VectorRef F) { chain.force(v, F); },
            .force_dq = [](double, ConstVectorRef, ConstVectorRef, SparseEntries&) {},
            .force_dv = [=](double, ConstVectorRef, ConstVectorRef v, SparseEntries& J) { chain.force_dv(v, into(J)); },
            .q0 = q0(),
            .v0 = v0(),
            .name = "chain"};
  }
  [[nodiscard]] LagrangianSystem dense() const {
    const auto into = [](MatrixRef matrix) {
      return [matrix](Index i, Index j, double value) mutable { matrix(i, j) += value; };
    };
    const ThrownChain chain = *this;
    return {.mass = [=](ConstVectorRef q, MatrixRef M) { mass(q, into(M)); },
            .force = [chain](double, ConstVectorRef, ConstVectorRef v, VectorRef F) { chain.force(v, F); },
            .force_dq = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {},
            .force_dv = [=](double, ConstVectorRef, ConstVectorRef v, MatrixRef J) { chain.force_dv(v, into(J)); },
            .internal = [](double, ConstVectorRef q, ConstVectorRef, VectorRef f) { internal(q, f); },
            .internal_dq = [=](double, ConstVectorRef q, ConstVectorRef, MatrixRef J) { internal_dq(q, into(J)); },
            .internal_dv = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {},
            .q0 = q0(),
            .v0 = v0(),
            .name = "chain"};
  }
};

struct Twins {
  TimeStepping sparse, dense;
  SystemHandle a, b;
  InteractionHandle on_floor_a, on_floor_b;
};

/// Both on the floor y = 0 with e = 0.3 and mu = 0.4.
Twins twins(const SparseLagrangianSystem& sparse, const LagrangianSystem& dense, const TimeSteppingOptions& options) {
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(kCoordinates, kCoordinates);
  for (Index i = 0; i < kParticles; ++i) H(2 * i, 2 * i + 1) = H(2 * i + 1, 2 * i) = 1.0;
  const LagrangianLinearRelation floor{.H = H, .b = Eigen::VectorXd::Zero(kCoordinates)};
  const NewtonImpactFrictionLaw law{.restitution = 0.3, .friction = 0.4};
  NonSmoothDynamicalSystem first, second;
  const auto a = first.add(sparse);
  const auto b = second.add(dense);
  const auto on_a = first.link(a, floor, law), on_b = second.link(b, floor, law);
  return {TimeStepping(first, options), TimeStepping(second, options), a, b, on_a, on_b};
}

/// The largest difference of q, v and impulses over 400 steps, of q up to 2 m and v up to 4 m/s.
double difference(Twins both) {
  double worst = 0.0;
  int pushed = 0, slides = 0;
  for (int k = 0; k < 400; ++k) {
    const StepReport first = both.sparse.step(), second = both.dense.step();
    EXPECT_TRUE(first) << first.message();
    EXPECT_TRUE(second) << second.message();
    EXPECT_EQ(first.newton_iterations, second.newton_iterations) << k;
    const State &one = both.sparse.state(), &other = both.dense.state();
    const Eigen::VectorXd p = one.impulse(both.on_floor_a);
    worst = std::max({worst, (one.q(both.a) - other.q(both.b)).lpNorm<Eigen::Infinity>(),
                      (one.v(both.a) - other.v(both.b)).lpNorm<Eigen::Infinity>(),
                      (p - other.impulse(both.on_floor_b)).lpNorm<Eigen::Infinity>()});
    for (Index i = 0; i < kParticles; ++i) {
      pushed += p[2 * i] > 0.0;
      slides += p[2 * i] > 0.0 && std::abs(std::abs(p[2 * i + 1]) - 0.4 * p[2 * i]) < 1e-9 * p[2 * i];
    }
  }
  EXPECT_GT(pushed, 100);
  EXPECT_GT(slides, 20);
  return worst;
}

/// Of two runs that round differently: some 10 eps of 4 m/s a step, 400 steps, and contacts and springs that amplify
/// what came before by less than 100 (a run whose v0 differs by 1e-9 ends 2e-8 apart).
constexpr double kRoundings = 400 * 10 * 4.0 * 2.2e-16 * 100;

const NewtonOptions kToRoundOff{.tolerance = 1e-13};

TEST(SparseLagrangianSystem, IsItsDenseTwinByCholesky) {
  const ThrownChain chain;
  EXPECT_LE(difference(twins(chain.sparse(), chain.dense(), {.step = 5e-3, .newton = kToRoundOff})), kRoundings);
}

TEST(SparseLagrangianSystem, IsItsDenseTwinByLU) {
  const ThrownChain chain{.skew = true};
  EXPECT_LE(difference(twins(chain.sparse(), chain.dense(), {.step = 5e-3, .newton = kToRoundOff})), kRoundings);
}

TEST(SparseLagrangianSystem, IsItsDenseTwinAtLinearisedGaps) {
  const ThrownChain chain;
  EXPECT_LE(difference(twins(chain.sparse(), chain.dense(),
                             {.integrator = StewartTrinkle{.theta = 0.5}, .step = 5e-3, .newton = kToRoundOff})),
            kRoundings);
}

TEST(SparseLagrangianSystem, IsItsDenseTwinInTheGlobalForm) {
  const ThrownChain chain{.skew = true};
  EXPECT_LE(
      difference(twins(chain.sparse(), chain.dense(), {.step = 5e-3, .newton = kToRoundOff, .form = Form::Global})),
      kRoundings);
}

TEST(SparseLagrangianSystem, IsItsDenseTwinProjected) {
  const ThrownChain chain;
  EXPECT_LE(difference(twins(chain.sparse(), chain.dense(),
                             {.step = 5e-3, .newton = kToRoundOff, .projection = {.kind = Projection::Combined}})),
            kRoundings);
}

TEST(SparseLagrangianSystem, IsItsDenseTwinWithAPrescribedParticle) {
  ThrownChain chain{.skew = true};
  SparseLagrangianSystem sparse = chain.sparse();
  LagrangianSystem dense = chain.dense();
  const auto ahead = [](double t) { return 2.0 + std::sin(5.0 * t); };
  sparse.prescribed = dense.prescribed = {{.component = 2 * kParticles - 2, .velocity = ahead}};
  sparse.impulses = dense.impulses = {{.instant = 0.3, .impulse = Eigen::VectorXd::Constant(kCoordinates, 0.2)}};
  sparse.external = dense.external = [](double t, VectorRef F) { F.setConstant(std::cos(t)); };
  EXPECT_LE(difference(twins(sparse, dense, {.step = 5e-3, .newton = kToRoundOff})), kRoundings);
}

/// Jacobians that were given against coloured differences of some sqrt(eps): the same solution, to Newton's tolerance
/// of 1e-12 relative in each of 400 steps, amplified by less than 100.
TEST(SparseLagrangianSystem, DifferencesStandForJacobians) {
  const ThrownChain chain{.skew = true};
  SparseLagrangianSystem without = chain.sparse();
  without.internal_dq = without.internal_dv = without.force_dq = without.force_dv = nullptr;
  const TimeSteppingOptions options{.step = 5e-3, .newton = {.tolerance = 1e-12}};
  NonSmoothDynamicalSystem first, second;
  const auto a = first.add(chain.sparse()), b = second.add(without);
  TimeStepping given(first, options), differences(second, options);
  for (int k = 0; k < 400; ++k) {
    ASSERT_TRUE(given.step());
    const StepReport report = differences.step();
    ASSERT_TRUE(report) << report.message();
    ASSERT_LE(report.newton_iterations, 5);
    ASSERT_LE((given.state().v(a) - differences.state().v(b)).lpNorm<Eigen::Infinity>(), 400 * 1e-12 * 4.0 * 100) << k;
  }
}

TEST(SparseLagrangianSystem, JacobiansAreCompared) {
  SparseLagrangianSystem chain = ThrownChain{.skew = true}.sparse();
  NonSmoothDynamicalSystem right;
  right.add(chain);
  State state = right.initial_state(0.0);
  state.unknowns.setLinSpaced(-1.0, 2.0);
  EXPECT_TRUE(compare_jacobians(right, state).empty());
  chain.internal_dq = [](double, ConstVectorRef q, ConstVectorRef, SparseEntries& J) {
    ThrownChain::internal_dq(q, [&J](Index i, Index j, double value) { J.add(i, j, 1.05 * value); });
  };
  NonSmoothDynamicalSystem wrong;
  wrong.add(chain);
  const auto found = compare_jacobians(wrong, wrong.initial_state(0.0));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().function, "force_dq of chain");
}

TEST(SparseLagrangianSystem, RatesAndLedgerAreThoseOfItsTwin) {
  const ThrownChain chain;
  NonSmoothDynamicalSystem first, second;
  const auto a = first.add(chain.sparse()), b = second.add(chain.dense());
  const State one = first.initial_state(0.0), other = second.initial_state(0.0);
  // M of condition 3, accelerations of some 10^2.
  EXPECT_LE((rates_of(first, one, a) - rates_of(second, other, b)).lpNorm<Eigen::Infinity>(), 1e-12);
  Ledger ledger(first), twin(second);
  ledger.record(one);
  twin.record(other);
  EXPECT_NEAR(ledger.last().kinetic, twin.last().kinetic, 1e-13);
  EXPECT_GT(ledger.last().kinetic, 10.0);
}

/// Points on the unit circle, tied to their neighbours by springs across, as a user's class: q = (cos, sin) of each, v
/// its angle's rate. 5 rad/s at most, so that energy is kept to (h omega)^2.
class Beads final : public SparseMechanicalSystem {
 public:
  explicit Beads(Index count) : count_(count) {
    std::vector<std::vector<Index>> ties;
    for (Index i = 0; i + 1 < count; ++i) ties.push_back({i, i + 1});
    pattern_ = SparsePattern::of_elements(count, ties);
  }
  [[nodiscard]] Eigen::VectorXd initial_position() const override {
    Eigen::VectorXd q(2 * count_);
    for (Index i = 0; i < count_; ++i)
      q.segment<2>(2 * i) << std::cos(0.3 * static_cast<double>(i)), std::sin(0.3 * static_cast<double>(i));
    return q;
  }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return Eigen::VectorXd::Ones(count_); }
  [[nodiscard]] const SparsePattern& pattern() const override { return pattern_; }
  [[nodiscard]] bool has_constant_mass() const override { return true; }
  void mass_entries(ConstVectorRef, SparseEntries& M) const override {
    for (Index i = 0; i < count_; ++i) M.add(i, i, 1.0 + static_cast<double>(i));
  }
  void force(double, ConstVectorRef q, ConstVectorRef, VectorRef F) const override {
    for (Index i = 0; i + 1 < count_; ++i) {  // potential k q_i · q_j: they repel
      const Eigen::Vector2d p = q.segment<2>(2 * i), r = q.segment<2>(2 * i + 2);
      const double torque = kSpring * (p[0] * r[1] - p[1] * r[0]);
      F[i] -= torque;
      F[i + 1] += torque;
    }
  }
  void force_dq_entries(double, ConstVectorRef q, ConstVectorRef, SparseEntries& J) const override {
    for (Index i = 0; i + 1 < count_; ++i) {
      const double c = kSpring * q.segment<2>(2 * i).dot(q.segment<2>(2 * i + 2));
      J.add(i, i, c);
      J.add(i + 1, i + 1, c);
      J.add(i, i + 1, -c);
      J.add(i + 1, i, -c);
    }
  }
  void force_dv_entries(double, ConstVectorRef, ConstVectorRef, SparseEntries&) const override {}
  void retract(VectorRef q, ConstVectorRef w) const override {
    for (Index i = 0; i < count_; ++i) {
      const Eigen::Vector2d from = q.segment<2>(2 * i).normalized();
      q.segment<2>(2 * i) = std::cos(w[i]) * from + std::sin(w[i]) * Eigen::Vector2d(-from[1], from[0]);
    }
  }
  [[nodiscard]] double energy(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
    double sum = 0.0;
    for (Index i = 0; i < count_; ++i) sum += 0.5 * (1.0 + static_cast<double>(i)) * v[i] * v[i];
    for (Index i = 0; i + 1 < count_; ++i) sum += kSpring * q.segment<2>(2 * i).dot(q.segment<2>(2 * i + 2));
    return sum;
  }

 private:
  static constexpr double kSpring = 3.0;
  Index count_;
  SparsePattern pattern_;
};

/// Angular momentum stays (1e-9 a step, Newton's tolerance); energy to second order: a quarter of the drift at half the
/// step, to (h omega)^2 ~ 1 % of it.
TEST(SparseMechanicalSystem, OnAManifold) {
  const auto beads = std::make_shared<const Beads>(6);
  double drift[2] = {0.0, 0.0};
  for (const int i : {0, 1}) {
    NonSmoothDynamicalSystem model;
    const auto all = model.add(beads);
    EXPECT_TRUE(compare_jacobians(model, model.initial_state(0.0)).empty());
    TimeStepping simulation(model, {.step = i == 0 ? 0.02 : 0.01, .newton = {.tolerance = 1e-12}});
    const double before = beads->energy(beads->initial_position(), beads->initial_velocity());
    ASSERT_TRUE(simulation.advance_to(4.0, [&](const State& state) {
      drift[i] = std::max(drift[i], std::abs(beads->energy(state.q(all), state.v(all)) - before));
    }));
    const Eigen::VectorXd v = simulation.state().v(all);
    EXPECT_NEAR(v.dot(Eigen::VectorXd::LinSpaced(6, 1.0, 6.0)), 21.0, 400 * 21.0 * 1e-12);
  }
  EXPECT_NEAR(drift[0] / drift[1], 4.0, 0.1);
}

}  // namespace
}  // namespace nonsmooth::sparse_systems_test
