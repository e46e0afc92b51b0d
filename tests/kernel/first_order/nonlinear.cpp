// SPDX-License-Identifier: Apache-2.0
// Systems, relations and laws that are given by callables or derived by the user, against formulas and against their
// built-in twins; sparse models against dense ones.
//
// The pendulum here is q'' = -w^2 sin q, w^2 = 9.81. Between two runs of one scheme that differ by d a step, the flow
// expands by at most e^{w t} in the norm max(w |q|, |v|), so that after n steps of h they differ by n d e^{w n h}.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include <Eigen/LU>

#include <nonsmooth/kernel.hpp>
#include <problems/models.hpp>
#include <problems/point_on_the_circle.hpp>

namespace nonsmooth::nonlinear_test {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kGravity = 9.81;
const double kOmega = std::sqrt(kGravity);

LagrangianSystem pendulum(double q0, bool jacobians, double friction = 0.0) {
  LagrangianSystem system{
      .mass = [](ConstVectorRef, MatrixRef M) { M(0, 0) = 2.0; },
      .force = [friction](double, ConstVectorRef q, ConstVectorRef v,
                          VectorRef F) { F[0] = -2.0 * (kGravity * std::sin(q[0]) + friction * v[0]); },
      .q0 = {q0},
      .v0 = {0.0},
      .name = "pendulum"};
  if (jacobians) {
    system.force_dq = [](double, ConstVectorRef q, ConstVectorRef, MatrixRef J) {
      J(0, 0) = -2.0 * kGravity * std::cos(q[0]);
    };
    system.force_dv = [friction](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = -2.0 * friction; };
  }
  return system;
}

double pendulum_energy(double q, double v) { return 0.5 * v * v + kGravity * (1.0 - std::cos(q)); }

// Newton stops once a correction is below `tolerance` (1 + |v|); the iterate that is kept is better by the contraction
// of the slowest of the iterations, h^2 w^2 / 4 (that of a Newton iteration without any Jacobian of F).
double pendulum_step_error(double h, double tolerance) {
  const double v_max = 2.0 * kOmega;
  return (1.0 + v_max) * (tolerance * h * h * kOmega * kOmega / 4.0 + 64.0 * kEps);
}

TEST(Pendulum, JacobiansOnlySteerNewton) {
  const double h = 0.01, tolerance = 1e-12;
  const Index steps = 200;
  NonSmoothDynamicalSystem with, without;
  const auto a = with.add(pendulum(2.0, true, 0.1)), b = without.add(pendulum(2.0, false, 0.1));
  const TimeSteppingOptions options{.step = h, .newton = {.tolerance = tolerance}};
  TimeStepping first(with, options), second(without, options);
  const double bound = pendulum_step_error(h, tolerance) * static_cast<double>(steps) *
                       std::exp(kOmega * h * static_cast<double>(steps));
  for (Index k = 0; k < steps; ++k) {
    ASSERT_TRUE(first.step());
    ASSERT_TRUE(second.step());
    ASSERT_NEAR(first.state().q(a)[0], second.state().q(b)[0], bound / kOmega) << k;
    ASSERT_NEAR(first.state().v(a)[0], second.state().v(b)[0], bound) << k;
  }
}

TEST(Pendulum, NewtonSettlesQuadratically) {
  // The first iterate is off by h |F| = 0.1; a correction leaves (h^2 / 4) max|F''| |e| h ~ 2.5e-5 h |e| of an error e
  // with the Jacobian at hand, so that the third correction is below 1e-9: three iterations, and one to spare.
  NonSmoothDynamicalSystem model;
  model.add(pendulum(2.0, true));
  TimeStepping simulation(model, {.step = 0.01});
  for (int k = 0; k < 200; ++k) {
    const auto report = simulation.step();
    ASSERT_TRUE(report);
    ASSERT_LE(report.newton_iterations, 4) << k;
  }
}

TEST(Pendulum, EnergyIsKeptToSecondOrder) {
  // The trapezoidal rule is symmetric: E(h) - E = c h^2 + O(h^4), so halving the step divides the drift by 4; the next
  // term changes the ratio by about (w h)^2 = 0.4 %, 5 % are allowed.
  double drift[2] = {0.0, 0.0};
  for (const int i : {0, 1}) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(pendulum(1.5, true));
    TimeStepping simulation(model, {.step = i == 0 ? 0.02 : 0.01, .newton = {.tolerance = 1e-13}});
    const double before = pendulum_energy(1.5, 0.0);
    ASSERT_TRUE(simulation.advance_to(4.0, [&](const State& state) {
      drift[i] = std::max(drift[i], std::abs(pendulum_energy(state.q(body)[0], state.v(body)[0]) - before));
    }));
  }
  EXPECT_NEAR(drift[0] / drift[1], 4.0, 0.2);
}

TEST(Pendulum, ReboundsFromAStop) {
  const double h = 1e-3, e = 0.5;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(pendulum(1.0, true));
  const auto stop =
      model.link(body,
                 ScleronomousRelation{.rows = 1,
                                      .h = [](ConstVectorRef q, VectorRef y) { y[0] = std::sin(q[0]); },
                                      .H = [](ConstVectorRef q, MatrixRef H) { H(0, 0) = std::cos(q[0]); }},
                 NewtonImpactLaw{e});
  TimeStepping simulation(model, {.step = h, .newton = {.tolerance = 1e-12}});
  const double v_impact = std::sqrt(2.0 * kGravity * (1.0 - std::cos(1.0)));
  int impacts = 0;
  while (simulation.state().t < 2.0 && impacts < 2) {
    const double u_before = simulation.state().u(stop)[0], v_before = simulation.state().v(body)[0];
    ASSERT_TRUE(simulation.step());
    // A step that lands past the stop by more than a step's way missed it.
    ASSERT_GE(simulation.state().q(body)[0], -h * v_impact);
    if (simulation.state().impulse(stop)[0] == 0.0) continue;
    ++impacts;
    // u+ = -e u- up to the solver (1e-9 of u at most) and what Newton leaves in H(q).
    EXPECT_NEAR(simulation.state().u(stop)[0], -e * u_before, 1e-8);
    // At |q| <= h v from the stop, v differs from that at the stop by w^2 h^2 v; the scheme's own error is
    // (h^2 / 12) max|v'''| t e^{w t} < h^2 (w^4 / 12) 0.6 e^{1.9} < 4 w^2 h^2.
    const double expected = impacts == 1 ? v_impact : e * v_impact;
    EXPECT_NEAR(-v_before, expected, 2.0 * (4.0 + v_impact) * kGravity * h * h);
  }
  EXPECT_EQ(impacts, 2);
}

TEST(ScleronomousRelation, OfAnAffineGapIsTheLinearOne) {
  // Both round a step by a few eps of |q| + |v| <= 8; 160 steps of 25 ms (bounces at 0.45 s, 1.25 s, ...) add up what a
  // rebound does not amplify, the gap adds h v.
  const auto curved = problems::bouncing_ball_tilted();
  NonSmoothDynamicalSystem linear;
  const auto ball = linear.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(1.0, 1.0, 0.4 * 0.1 * 0.1).asDiagonal(),
                                                      .force = {-10.0, 0.0, 0.0},
                                                      .q0 = {1.0, 0.0, 0.0}});
  linear.link(ball, LagrangianLinearRelation{.H = {{1.0, 0.1, 0.0}}}, NewtonImpactLaw{0.9});
  TimeStepping first(curved.system, curved.options), second(linear, curved.options);
  int impacts = 0;
  for (int k = 1; k <= 160; ++k) {
    ASSERT_TRUE(first.step());
    ASSERT_TRUE(second.step());
    const double bound = 16.0 * kEps * 8.0 * k * (1.0 + curved.options.step * k);
    ASSERT_LE((first.state().positions - second.state().positions).lpNorm<Eigen::Infinity>(), bound) << k;
    ASSERT_LE((first.state().unknowns - second.state().unknowns).lpNorm<Eigen::Infinity>(), bound) << k;
    ASSERT_LE((first.state().outputs - second.state().outputs).lpNorm<Eigen::Infinity>(), bound) << k;
    ASSERT_EQ(first.state().multipliers[0] > 0.0, second.state().multipliers[0] > 0.0) << k;
    impacts += first.state().multipliers[0] > 0.0;
  }
  EXPECT_GE(impacts, 3);
}

TEST(UserSystem, RotationOnTheCircleIsThePendulum) {
  const double h = 0.01, tolerance = 1e-12;
  const Index steps = 200;
  NonSmoothDynamicalSystem circle, line;
  const auto a = circle.add(std::make_shared<const problems::PointOnTheCircle>(2.0, kGravity));
  const auto b = line.add(pendulum(2.0, true));
  ASSERT_EQ(circle.initial_state().q(a).size(), 2);
  ASSERT_EQ(circle.initial_state().v(a).size(), 1);
  const TimeSteppingOptions options{.step = h, .newton = {.tolerance = tolerance}};
  TimeStepping first(circle, options), second(line, options);
  const double bound = pendulum_step_error(h, tolerance) * static_cast<double>(steps) *
                       std::exp(kOmega * h * static_cast<double>(steps));
  for (Index k = 1; k <= steps; ++k) {
    ASSERT_TRUE(first.step());
    ASSERT_TRUE(second.step());
    const auto q = first.state().q(a);
    // A rotation rounds the length by at most 4 eps.
    ASSERT_NEAR(q.norm(), 1.0, 4.0 * kEps * static_cast<double>(k)) << k;
    const double angle = second.state().q(b)[0];
    ASSERT_NEAR(q[0], std::cos(angle), bound) << k;
    ASSERT_NEAR(q[1], std::sin(angle), bound) << k;
    ASSERT_NEAR(first.state().v(a)[0], second.state().v(b)[0], bound) << k;
  }
}

TEST(UserSystem, RotationMeetsAStop) {
  // h(q) = sin, H = dh/dq T(q) = cos: one column although q has two entries. Bits aside the same as the pendulum's.
  const double h = 0.01;
  NonSmoothDynamicalSystem circle, line;
  const auto a = circle.add(std::make_shared<const problems::PointOnTheCircle>(1.0, kGravity));
  const auto b = line.add(pendulum(1.0, true));
  const auto stop = circle.link(a,
                                ScleronomousRelation{.rows = 1,
                                                     .h = [](ConstVectorRef q, VectorRef y) { y[0] = q[1]; },
                                                     .H = [](ConstVectorRef q, MatrixRef H) { H(0, 0) = q[0]; }},
                                NewtonImpactLaw{0.5});
  line.link(b,
            ScleronomousRelation{.rows = 1,
                                 .h = [](ConstVectorRef q, VectorRef y) { y[0] = std::sin(q[0]); },
                                 .H = [](ConstVectorRef q, MatrixRef H) { H(0, 0) = std::cos(q[0]); }},
            NewtonImpactLaw{0.5});
  const TimeSteppingOptions options{.step = h, .newton = {.tolerance = 1e-12}};
  TimeStepping first(circle, options), second(line, options);
  int impacts = 0;
  const double bound = pendulum_step_error(h, 1e-12) * 100.0 * std::exp(kOmega);
  for (int k = 0; k < 100; ++k) {
    ASSERT_TRUE(first.step());
    ASSERT_TRUE(second.step());
    impacts += first.state().impulse(stop)[0] > 0.0;
    ASSERT_NEAR(first.state().v(a)[0], second.state().v(b)[0], bound) << k;
  }
  EXPECT_GE(impacts, 1);
}

/// y = (|q|^2 - R^2) / (2 R): a bead held on a circle.
class OnACircle : public MechanicalRelation {
 public:
  explicit OnACircle(double radius) : radius_(radius) {}
  [[nodiscard]] Index rows() const override { return 1; }
  void h(double, ConstVectorRef q, VectorRef y) const override {
    y[0] = (q.squaredNorm() - radius_ * radius_) / (2.0 * radius_);
  }
  void H(double, ConstVectorRef q, MatrixRef jacobian) const override { jacobian = q.transpose() / radius_; }

 protected:
  double radius_;
};

class OnACircleInFull final : public OnACircle {
 public:
  using OnACircle::OnACircle;
  void curvature(double, ConstVectorRef, ConstVectorRef v, VectorRef value) const override {
    value[0] = v.squaredNorm() / radius_;
  }
};

TEST(UserRelation, DefaultsAreDifferences) {
  const OnACircleInFull relation(0.7);
  const Eigen::Vector2d q(0.3, -0.6), v(1.2, 0.4);
  Eigen::MatrixXd exact(1, 2), differences = Eigen::MatrixXd::Zero(1, 2);
  relation.H(0.0, q, exact);
  relation.MechanicalRelation::H(0.0, q, differences);
  // Forward differences with s = sqrt(eps): s |h''| / 2 of truncation and 2 eps |h| / s of rounding, |h''| = 1 / R.
  EXPECT_LE((exact - differences).lpNorm<Eigen::Infinity>(), std::sqrt(kEps) * (0.5 / 0.7 + 2.0));
  Eigen::VectorXd curvature(1), from_h(1);
  relation.curvature(0.0, q, v, curvature);
  relation.MechanicalRelation::curvature(0.0, q, v, from_h);
  // H is linear in q, so only rounding: eps |H| |v| / s, s = sqrt(eps) (1 + |q|) / (1 + |v|).
  EXPECT_NEAR(curvature[0], from_h[0], 4.0 * std::sqrt(kEps) * (1.0 + v.norm()) * v.norm());
}

TEST(UserRelation, BeadOnACircleHasNoDriftOfVelocity) {
  // With theta = 1/2, H(q_k) v_k = 0 after each step gives
  //   |q_{k+1}|^2 - |q_k|^2 = h/2 (q_{k+1} + q_k)·(v_{k+1} + v_k) = h^2/4 (|v_k|^2 - |v_{k+1}|^2),
  // which telescopes: the position drifts by h^2 (|v_0|^2 - |v_n|^2) / 4 and no more. Each step leaves in u what Newton
  // leaves in q, h tolerance (1 + |v|), times |v| / R, and what the solver leaves; both are below 1e-10.
  const double R = 0.7, h = 0.01, tolerance = 1e-12;
  NonSmoothDynamicalSystem model;
  const auto bead = model.add(LagrangianLinearSystem{
      .mass = Eigen::Vector2d(1.0, 1.0).asDiagonal(), .force = {0.0, -kGravity}, .q0 = {R, 0.0}, .v0 = {0.0, 1.0}});
  const auto wire = model.link(bead, std::make_shared<const OnACircle>(R), EqualityLaw{});
  TimeStepping simulation(model, {.step = h, .newton = {.tolerance = tolerance}});
  bool pulled = false;
  for (int k = 1; k <= 300; ++k) {
    ASSERT_TRUE(simulation.step());
    const auto q = simulation.state().q(bead), v = simulation.state().v(bead);
    ASSERT_NEAR(simulation.state().u(wire)[0], 0.0, 1e-10) << k;
    ASSERT_NEAR(q.squaredNorm(), R * R + 0.25 * h * h * (1.0 - v.squaredNorm()), k * h * R * 2e-10) << k;
    pulled = pulled || simulation.state().impulse(wire)[0] < 0.0;
  }
  EXPECT_TRUE(pulled) << "the wire carries the bead at the bottom";
}

class HandImpact final : public NonSmoothLaw {
 public:
  explicit HandImpact(double restitution) : restitution_(restitution) {}
  [[nodiscard]] LawShape shape(LawUse) const override {
    return {.unilateral = true, .shifts = true, .impact = {.kind = ImpactRule::Kind::Other}};
  }
  void block(const LawContext&, LawBlock& block) const override { block.parts = {{BlockSet{}, 1}}; }
  void shift(const LawContext& context, VectorRef shift) const override { shift += restitution_ * context.u; }

 private:
  double restitution_;
};

TEST(UserLaw, NewtonImpactByHandHasTheSameBits) {
  NonSmoothDynamicalSystem built_in, by_hand;
  const LagrangianLinearSystem ball{
      .mass = Eigen::Vector3d(1.0, 1.0, 0.004).asDiagonal(), .force = {-9.81, 0.0, 0.0}, .q0 = {1.0, 0.0, 0.0}};
  const LagrangianLinearRelation floor{.H = {{1.0, 0.0, 0.0}}};
  built_in.link(built_in.add(ball), floor, NewtonImpactLaw{0.9});
  by_hand.link(by_hand.add(ball), floor, std::make_shared<const HandImpact>(0.9));
  TimeStepping first(built_in, {.step = 5e-3}), second(by_hand, {.step = 5e-3});
  for (int k = 0; k < 2000; ++k) {
    ASSERT_TRUE(first.step());
    ASSERT_TRUE(second.step());
    ASSERT_EQ(hash_of(first.state()), hash_of(second.state())) << k;
  }
}

Eigen::SparseMatrix<double> tridiagonal(Index n, double off, double diagonal) {
  Eigen::SparseMatrix<double> A(n, n);
  for (Index i = 0; i < n; ++i) {
    A.insert(i, i) = diagonal;
    if (i > 0) A.insert(i, i - 1) = off;
    if (i + 1 < n) A.insert(i, i + 1) = off;
  }
  A.makeCompressed();
  return A;
}

// Two runs whose steps are solves with one matrix of condition kappa, on rounded data: a step differs by at most
// 16 n eps kappa |z| (the usual bound, generous), and the schemes with theta >= 1/2 do not amplify it in the energy
// norm (another factor sqrt(kappa) <= kappa to come back from that norm, and h a step from v to q).
double twin_bound(Index n, double kappa, double size, int step) {
  return 16.0 * static_cast<double>(n) * kEps * kappa * kappa * size * step;
}

TEST(SparseSystem, ElasticBarIsItsDenseTwin) {
  // A bar of 200 elements falls on a stop at its lower end, with consistent mass (eigenvalues in [1/3, 1] m) and
  // k = m, h = 1/2: A = M + h^2/4 K lies between m/3 and m + m/4, kappa < 4.
  const Index n = 200;
  const auto M = tridiagonal(n, 1.0 / 6.0, 2.0 / 3.0), K = tridiagonal(n, -1.0, 2.0);
  const Eigen::SparseMatrix<double> C = 0.01 * K;
  const Eigen::VectorXd v0 = Eigen::VectorXd::Constant(n, -1.0);
  NonSmoothDynamicalSystem sparse, dense;
  const auto force = [](double t, VectorRef f) { f.setConstant(0.01 * std::sin(t)); };
  const auto a = sparse.add(LagrangianLinearSystem{
      .mass = M, .damping = C, .stiffness = K, .force = force, .q0 = Eigen::VectorXd::Zero(n), .v0 = v0});
  const auto b = dense.add(LagrangianLinearSystem{.mass = Eigen::MatrixXd(M),
                                                  .damping = Eigen::MatrixXd(C),
                                                  .stiffness = Eigen::MatrixXd(K),
                                                  .force = force,
                                                  .q0 = Eigen::VectorXd::Zero(n),
                                                  .v0 = v0});
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(1, n);
  H(0, 0) = 1.0;
  const auto s = sparse.link(a, LagrangianLinearRelation{.H = H, .b = {0.75}}, NewtonImpactLaw{0.0});
  const auto d = dense.link(b, LagrangianLinearRelation{.H = H, .b = {0.75}}, NewtonImpactLaw{0.0});
  TimeStepping first(sparse, {.step = 0.5}), second(dense, {.step = 0.5});
  int impacts = 0;
  for (int k = 1; k <= 100; ++k) {
    ASSERT_TRUE(first.step());
    ASSERT_TRUE(second.step());
    impacts += first.state().impulse(s)[0] > 0.0;
    const double bound = twin_bound(n, 4.0, 2.0, k) * (1.0 + 0.5 * k);
    ASSERT_LE((first.state().v(a) - second.state().v(b)).lpNorm<Eigen::Infinity>(), bound) << k;
    ASSERT_LE((first.state().q(a) - second.state().q(b)).lpNorm<Eigen::Infinity>(), bound) << k;
    ASSERT_NEAR(first.state().impulse(s)[0], second.state().impulse(d)[0], bound) << k;
  }
  EXPECT_GE(impacts, 1);
}

TEST(SparseSystem, FirstOrderIsItsDenseTwin) {
  // Heat in a rod with a relay at one end; M = I, h |A| = 0.4: kappa < 1.4.
  const Index n = 100;
  const auto A = tridiagonal(n, 1.0, -2.0);
  Eigen::VectorXd x0 = Eigen::VectorXd::LinSpaced(n, -1.0, 1.0);
  NonSmoothDynamicalSystem sparse, dense;
  const auto b = [](double t, VectorRef value) { value[3] = std::cos(t); };
  const auto first_handle = sparse.add(FirstOrderLinearSystem{.A = A, .b = b, .x0 = x0});
  const auto second_handle = dense.add(FirstOrderLinearSystem{.A = Eigen::MatrixXd(A), .b = b, .x0 = x0});
  Eigen::MatrixXd row = Eigen::MatrixXd::Zero(1, n);
  row(0, n - 1) = 1.0;
  const FirstOrderLinearRelation end{.C = row, .B = row.transpose()};
  sparse.link(first_handle, end, RelayLaw{});
  dense.link(second_handle, end, RelayLaw{});
  const TimeSteppingOptions options{.integrator = EulerMoreau{.theta = 0.75}, .step = 0.1};
  TimeStepping first(sparse, options), second(dense, options);
  for (int k = 1; k <= 100; ++k) {
    ASSERT_TRUE(first.step());
    ASSERT_TRUE(second.step());
    ASSERT_LE((first.state().unknowns - second.state().unknowns).lpNorm<Eigen::Infinity>(), twin_bound(n, 1.4, 1.0, k));
  }
}

TEST(DenseSystem, PrescribedComponentDrivesTheOthers) {
  // Against the scheme written out for the two free components: A_ff dv_f = (rhs - A dv_p)_f.
  const double h = 0.05, theta = 0.75;
  Eigen::Matrix3d M, C, K;
  M << 2.0, 0.3, 0.1, 0.3, 1.0, 0.2, 0.1, 0.2, 1.5;
  C << 0.2, -0.1, 0.0, -0.1, 0.3, 0.0, 0.0, 0.0, 0.1;
  K << 4.0, -2.0, 0.0, -2.0, 5.0, -3.0, 0.0, -3.0, 3.0;
  const Eigen::Vector3d f(0.5, -1.0, 0.25);
  const auto dictated = [](double t) { return std::sin(3.0 * t) + 0.2; };
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.mass = M,
                                                     .damping = C,
                                                     .stiffness = K,
                                                     .force = f,
                                                     .q0 = {0.1, 0.2, 0.3},
                                                     .v0 = {0.0, 0.2, -0.5},
                                                     .prescribed = {{.component = 1, .velocity = dictated}}});
  TimeStepping simulation(model, {.integrator = MoreauJean{.theta = theta}, .step = h});
  Eigen::Vector3d q(0.1, 0.2, 0.3), v(0.0, 0.2, -0.5);
  const Eigen::Matrix3d A = M + h * theta * C + h * h * theta * theta * K;
  for (int k = 1; k <= 200; ++k) {
    const Eigen::Vector3d rhs = h * (f - C * v - K * (q + h * theta * v));
    const double change = dictated(k * h) - v[1];
    Eigen::Matrix2d free;
    free << A(0, 0), A(0, 2), A(2, 0), A(2, 2);
    const Eigen::Vector2d dv =
        free.partialPivLu().solve(Eigen::Vector2d(rhs[0] - A(0, 1) * change, rhs[2] - A(2, 1) * change));
    const Eigen::Vector3d next = v + Eigen::Vector3d(dv[0], change, dv[1]);
    q += h * (theta * next + (1.0 - theta) * v);
    v = next;
    v[1] = dictated(k * h);
    ASSERT_TRUE(simulation.step());
    ASSERT_DOUBLE_EQ(simulation.state().v(body)[1], dictated(k * h)) << k;
    // kappa(A) < 8; energy norms within a factor of K and M: 5 / 0.8 < 8 as well; sizes below 2.
    const double bound = twin_bound(3, 8.0, 2.0, k);
    ASSERT_LE((simulation.state().v(body) - v).lpNorm<Eigen::Infinity>(), bound) << k;
    ASSERT_LE((simulation.state().q(body) - q).lpNorm<Eigen::Infinity>(), bound * (1.0 + h * k)) << k;
  }
}

}  // namespace
}  // namespace nonsmooth::nonlinear_test
