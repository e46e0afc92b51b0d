// SPDX-License-Identifier: Apache-2.0
// Modes with multipliers among the unknowns, r(t, z, zdot, lambda) = 0: zero where the explicit form is, and of
// index 1.
#include <cmath>

#include <Eigen/LU>

#include "event_log.hpp"
#include "events/mechanics/mechanical_part.hpp"
#include "first_order_modes.hpp"

namespace nonsmooth::implicit_form_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using event_log::kGravity;
using event_log::on_floor;

/// r(zdot, lambda) of a part at (t, z).
template <class Part>
VectorXd residual(Part& part, double t, const VectorXd& z, const VectorXd& zdot, const VectorXd& lambda) {
  VectorXd r = VectorXd::Constant(z.size() + lambda.size(), std::nan("")), own = r.head(z.size());
  part.residual(t, z, zdot, lambda.data(), own, r.data() + z.size());
  r.head(z.size()) = own;
  return r;
}

/// Zero to round-off of its terms at the part's own rates, and regular in (zdot, lambda), in which it is linear.
template <class Part>
void expect_same_mode(Part& part, double t, const VectorXd& z, const VectorXd& zdot, const VectorXd& lambda) {
  ASSERT_EQ(part.num_multipliers(), lambda.size());
  const VectorXd r = residual(part, t, z, zdot, lambda);
  const Index n = z.size(), all = r.size();
  MatrixXd J(all, all);
  for (Index j = 0; j < all; ++j) {
    VectorXd rates = zdot, multipliers = lambda;
    (j < n ? rates[j] : multipliers[j - n]) += 1.0;
    J.col(j) = residual(part, t, z, rates, multipliers) - r;
  }
  VectorXd unknowns(all);
  unknowns << zdot, lambda;
  const double terms = J.cwiseAbs().maxCoeff() * (1.0 + unknowns.lpNorm<Eigen::Infinity>());
  EXPECT_LT(r.lpNorm<Eigen::Infinity>(), 1e-10 * terms) << r.transpose();  // differences in time are good to 1e-11
  for (Index i = 0; i < all; ++i) J.row(i) /= J.row(i).lpNorm<Eigen::Infinity>();  // units of their own
  for (Index j = 0; j < all; ++j) J.col(j) /= J.col(j).lpNorm<Eigen::Infinity>();
  Eigen::FullPivLU<MatrixXd> factors(J);
  factors.setThreshold(1e-8);
  EXPECT_TRUE(factors.isInvertible()) << J;
}

// --- First order ----------------------------------------------------------------------------------------------------

void expect_same_mode(first_order_modes::FirstOrderRun& run, double t) {
  ASSERT_TRUE(run.ok) << run.resolution.detail;
  VectorXd zdot(run.z.size()), lambda(run.part.num_multipliers());
  run.part.rates(t, run.z, zdot);
  run.part.multipliers(t, run.z, lambda.data());
  expect_same_mode(run.part, t, run.z, zdot, lambda);
}

TEST(ImplicitForm, DiodesInBothModes) {
  // With and without a resistor in series: y = 0 holds lambda, or is differentiated. Units that differ by 1e9.
  for (const double r : {0.0, 0.1}) {
    for (const double current : {1.0, -1.0}) {
      const auto c = first_order_modes::circuit(
          Eigen::Matrix2d{{0.0, -1e9}, {1.0, -3.0}}, Eigen::Vector2d(2.0, current),
          {.C = {{0.0, 1.0}}, .D = {{r}}, .B = {{1e9}, {1.0}}, .e = {}}, ComplementarityLaw{});
      first_order_modes::FirstOrderRun run(c.model);
      expect_same_mode(run, 0.0);
    }
  }
}

TEST(ImplicitForm, RowsBesideOthersAtTheirBounds) {
  // The first relay is at its lower bound, -1, which the second, between its own, answers to: lambda_2 = 0.5.
  const auto c = first_order_modes::circuit(
      MatrixXd::Zero(1, 1), VectorXd::Constant(1, 0.75),
      {.C = {{1.0}, {0.0}}, .D = {{0.0, 0.0}, {0.5, 1.0}}, .B = {{1.0, 0.25}}, .e = {}}, RelayLaw{});
  first_order_modes::FirstOrderRun run(c.model);
  EXPECT_EQ(run.part.branches(), (first_order_modes::Branches{-1, 0}));
  EXPECT_NEAR(run.lambda(c.link, 1), 0.5, 1e-14);
  expect_same_mode(run, 0.0);
}

TEST(ImplicitForm, RedundantMultipliersAreHeld) {
  const auto c = first_order_modes::circuit(
      Eigen::Matrix2d{{0.0, 1.0}, {-4.0, -0.1}}, Eigen::Vector2d(-1.0, 0.0),
      {.C = {{0.0, -1.0}, {0.0, -1.0}}, .D = {}, .B = {{0.0, 0.0}, {-1.0, -1.0}}, .e = {}}, ComplementarityLaw{});
  first_order_modes::FirstOrderRun run(c.model);
  expect_same_mode(run, 0.0);
  const auto other = first_order_modes::circuit(
      Eigen::Matrix2d{{0.0, 1.0}, {-4.0, -0.1}}, Eigen::Vector2d(1.0, 0.0),
      {.C = {{0.0, -1.0}, {0.0, -1.0}}, .D = {}, .B = {{0.0, 0.0}, {-1.0, -1.0}}, .e = {}}, ComplementarityLaw{});
  first_order_modes::FirstOrderRun second(other.model);
  expect_same_mode(second, 0.0);
  EXPECT_EQ(run.part.num_multipliers() + second.part.num_multipliers(), 2);  // both diodes in one, none in the other
}

TEST(ImplicitForm, DataThatMoveInTime) {
  // (2 + cos t) x = 1 + sin t, differentiated, and (1 + t) mu = x; up to t = 2, where all data jump.
  const auto c =
      first_order_modes::circuit(MatrixXd::Zero(1, 1), VectorXd::Constant(1, 1.0 / 3.0),
                                 {.C =
                                      [](double t, MatrixRef C) {
                                        C(0, 0) = t < 2.0 ? 2.0 + std::cos(t) : 7.0;
                                        C(1, 0) = -1.0;
                                      },
                                  .D = [](double t, MatrixRef D) { D(1, 1) = t < 2.0 ? 1.0 + t : -7.0; },
                                  .B = {{1.0, 0.0}},
                                  .e = [](double t, VectorRef e) { e[0] = t < 2.0 ? -1.0 - std::sin(t) : 7.0; },
                                  .rows = 2},
                                 EqualityLaw{}, [](double t, VectorRef b) { b[0] = t < 2.0 ? t : 1e3; });
  first_order_modes::FirstOrderRun run(c.model, 0.0, 2.0);
  for (const double t : {0.0, 0.7, 2.0}) {
    run.z[0] = (1.0 + std::sin(t)) / (2.0 + std::cos(t));
    expect_same_mode(run, t);
  }
}

TEST(ImplicitForm, NonlinearSystems) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderSystem{
      .f = [](double t, ConstVectorRef x, VectorRef f) { f << x[1], std::cos(t) - std::sin(x[0]); }, .x0 = {0.5, 0.0}});
  model.link(system, FirstOrderLinearRelation{.C = {{0.0, 1.0}}, .B = {{0.0}, {1.0}}}, RelayLaw{-2.0, 2.0});
  first_order_modes::FirstOrderRun run(model);
  EXPECT_EQ(run.part.num_multipliers(), 1);  // dry friction at rest
  expect_same_mode(run, 0.0);
}

// --- Mechanics ------------------------------------------------------------------------------------------------------

void expect_same_mode(const NonSmoothDynamicalSystem& model, Index multipliers) {
  events::MechanicalPart part(model, model.layout(), EventDrivenOptions{});
  part.set_window({0.0, std::numeric_limits<double>::infinity()});
  const State state = model.initial_state(0.0);
  VectorXd z(state.positions.size() + state.unknowns.size()), zdot = VectorXd::Zero(z.size());
  z << state.positions, state.unknowns;
  part.make_consistent(0.0, z, false, "test");
  std::vector<Event> log;
  const auto resolution = part.resolve(0.0, z, {}, log);
  ASSERT_TRUE(resolution) << resolution.detail;
  part.begin_step(0.0, z);
  part.rates(0.0, z, zdot);
  ASSERT_EQ(part.num_multipliers(), multipliers);
  const VectorXd lambda = part.multipliers().head(multipliers);
  expect_same_mode(part, 0.0, z, zdot, lambda);
}

TEST(ImplicitForm, APendulumHeldOnceAndTwice) {
  const ScleronomousRelation rod{
      .h = [](ConstVectorRef q, VectorRef y) { y[0] = q.squaredNorm() - 1.0; },
      .H = [](ConstVectorRef q, MatrixRef H) { H = 2.0 * q.transpose(); },
      .curvature = [](ConstVectorRef, ConstVectorRef v, VectorRef c) { c[0] = 2.0 * v.squaredNorm(); }};
  for (const int rods : {1, 2}) {
    NonSmoothDynamicalSystem model;
    const auto bob = model.add(
        LagrangianSystem{.mass = [](ConstVectorRef, MatrixRef M) { M << 2.0, 0.5, 0.5, 3.0; },
                         .force = [](double, ConstVectorRef, ConstVectorRef, VectorRef F) { F[1] = -2.0 * kGravity; },
                         .q0 = {1.0, 0.0},
                         .v0 = {0.0, 3.0}});
    for (int k = 0; k < rods; ++k) model.link(bob, rod, EqualityLaw{});
    expect_same_mode(model, rods);
  }
}

TEST(ImplicitForm, BlocksThatRestSlideAndStick) {
  // Thrown: the normal row with its friction; at rest under a force below mu N: both rows; above it: one.
  struct Case {
    double speed, force;
    Index multipliers;
  };
  for (const Case& one : {Case{1.0, 0.0, 1}, Case{0.0, 1.0, 2}, Case{0.0, 9.0, 1}}) {
    NonSmoothDynamicalSystem model;
    const auto block = model.add(LagrangianLinearSystem{.mass = 2.0 * Eigen::Matrix2d::Identity(),
                                                        .damping = 0.3 * Eigen::Matrix2d::Identity(),
                                                        .stiffness = Eigen::Vector2d(5.0, 0.0).asDiagonal(),
                                                        .force = {one.force, -2.0 * kGravity},
                                                        .q0 = {0.0, 0.0},
                                                        .v0 = {one.speed, 0.0}});
    model.link(block, on_floor(2), NewtonImpactFrictionLaw{.friction = 0.3});
    expect_same_mode(model, one.multipliers);
  }
}

TEST(ImplicitForm, RelaysAtTheirBoundsAndVelocitiesThatAreDictated) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(2.0, 3.0).asDiagonal().toDenseMatrix(),
                                                     .stiffness = {{4.0, -1.0}, {-1.0, 2.0}},
                                                     .q0 = {0.5, 0.0},
                                                     .v0 = {1.0, 0.0},
                                                     .prescribed = {{1, [](double t) { return std::sin(2.0 * t); }}}});
  model.link(body, LagrangianLinearRelation{.H = {{1.0, 0.0}}}, RelayLaw{-0.7, 0.7});
  expect_same_mode(model, 1);
}

}  // namespace
}  // namespace nonsmooth::implicit_form_test
