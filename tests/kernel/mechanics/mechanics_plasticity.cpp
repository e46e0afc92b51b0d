// SPDX-License-Identifier: Apache-2.0
// PlasticityLaw: one material point under prescribed stretching, against closed forms.
#include <cmath>

#include <gtest/gtest.h>

#include "kernel/closed_forms.hpp"
#include "kernel/mechanics_orders.hpp"

namespace nonsmooth::mechanics_plasticity_test {
namespace {

using namespace closed_forms;
using namespace mechanics;

constexpr double kBulk = 300.0, kShear2 = 100.0;  ///< K and 2 G of the material point

/// Strains as coordinates, all of them prescribed; stress = multipliers, y = -strain + D stress = -(plastic strain).
struct Point {
  NonSmoothDynamicalSystem model;
  SystemHandle strain;
  InteractionHandle stress;

  Point(const std::vector<std::function<double(double)>>& rates, const PlasticityLaw& law) {
    const auto n = static_cast<Index>(rates.size());
    LagrangianLinearSystem system{.q0 = Eigen::VectorXd::Zero(n)};
    Eigen::VectorXd v0(n), D = Eigen::VectorXd::Constant(n, 1.0 / kShear2);
    for (Index i = 0; i < n; ++i) {
      const auto& rate = rates[static_cast<std::size_t>(i)];
      system.prescribed.push_back({.component = i, .velocity = rate});
      v0[i] = rate(0.0);
    }
    system.v0 = v0;
    D[0] = 1.0 / kBulk;
    strain = model.add(system);
    stress = model.link(
        strain,
        LagrangianLinearRelation{.H = Eigen::MatrixXd(-Eigen::MatrixXd::Identity(n, n)), .compliance = D.asDiagonal()},
        law);
  }
};

std::function<double(double)> constant(double value) {
  return [value](double) { return value; };
}

TEST(VonMises, ElasticThenPlasticUnderProportionalStretching) {
  // s = 2 G e t up to |s| = yield, then it stays; the mean stress grows on elastically. Exact in the scheme: the
  // solver's 1e-9 a step in stresses of 30 at most.
  const double yield = 5.0, h = 0.01;
  const Eigen::Vector3d rate{0.1, 0.3, 0.4};  // equivalent 0.5 in rows 1, 2: yields at t = 5 / (100 * 0.5) = 0.1
  Point point({constant(rate[0]), constant(rate[1]), constant(rate[2])}, PlasticityLaw{.yield = yield, .rows = 3});
  TimeStepping run(point.model, moreau_jean(h));
  const auto report = run.advance_to(0.3, [&](const State& state) {
    const Eigen::VectorXd stress = state.force(point.stress), y = state.y(point.stress);
    const double t = state.t, tolerance = 30 * 1e-9 * 30.0;
    EXPECT_NEAR(stress[0], kBulk * rate[0] * t, tolerance);
    const double equivalent = std::min(kShear2 * 0.5 * t, yield), flowed = 0.5 * t - equivalent / kShear2;
    EXPECT_NEAR(stress[1], 0.6 * equivalent, tolerance);
    EXPECT_NEAR(stress[2], 0.8 * equivalent, tolerance);
    EXPECT_NEAR(y[0], 0.0, tolerance);
    EXPECT_NEAR(y[1], -0.6 * flowed, tolerance);
    EXPECT_NEAR(y[2], -0.8 * flowed, tolerance);
    EXPECT_EQ(state.percussion(point.stress).norm(), 0.0);
  });
  EXPECT_TRUE(report) << report.message();
}

TEST(VonMises, UnloadsElasticallyAndYieldsBackwards) {
  // e = 0.5 sin: plastic forwards, elastic over 2 yield / 2 G of stretch back, plastic backwards.
  const double yield = 5.0;
  const auto rate = [](double t) { return t < 0.2 ? 0.5 : -0.5; };
  Point point({constant(0.0), rate}, PlasticityLaw{.yield = yield, .rows = 2});
  TimeStepping run(point.model, moreau_jean(0.01));
  ASSERT_TRUE(run.advance_to(0.6, [&](const State& state) {
    // Velocities are those of the ends of steps: the step to 0.2 goes back already.
    const double t = state.t, turn = 0.19;
    const double expected = t < turn + 1e-9 ? std::min(50.0 * t, yield) : std::max(yield - 50.0 * (t - turn), -yield);
    EXPECT_NEAR(state.force(point.stress)[1], expected, 1e-6) << t;
  }));
}

TEST(VonMises, TurnsIntoTheDirectionOfStretching) {
  // On the surface s' = 2 G (e' - n (n . e')), |s| = yield: the angle to e' obeys tan(psi / 2) = tan(psi_0 / 2)
  // exp(-2 G |e'| t / yield). Radial return is backward Euler for it: order one.
  const double yield = 5.0, rate = 0.5, load = 0.1;
  const auto error = [&](double h) {
    // Loaded along row 1 just to the surface, then stretched along row 2.
    Point point({constant(0.0), [&](double t) { return t < load + 0.1 * h ? rate : 0.0; },
                 [&](double t) { return t < load + 0.1 * h ? 0.0 : rate; }},
                PlasticityLaw{.yield = yield, .rows = 3});
    TimeStepping run(point.model, moreau_jean(h));
    const double T = 0.1;
    EXPECT_TRUE(run.advance_to(load + T));
    const Eigen::VectorXd stress = run.state().force(point.stress);
    EXPECT_NEAR(std::hypot(stress[1], stress[2]), yield, 1e-6);
    const double half = std::exp(-kShear2 * rate * T / yield);  // psi_0 = pi / 2
    return std::abs(std::atan2(stress[1], stress[2]) - 2.0 * std::atan(half));
  };
  EXPECT_NEAR(fitted_order(0.1 / 16, 4, error), 1.0, kSmooth);
}

TEST(DruckerPrager, ShearUnderConfinementDilates) {
  // Compressed to p0 first, then sheared at constant volume: elastic until s = c + mu p0; then with the flow
  // (-psi, 1) beta of stretching (pressure positive, compression positive)
  //   p' = K psi beta,  s' = 2 G (g' - beta),  s' = mu p'   =>   beta = 2 G g' / (2 G + mu psi K).
  // All rates are constant, so the scheme is exact: the solver's 1e-9 of stresses below 100, a step of 60.
  const double c = 2.0, mu = 0.6, squeeze = 0.1, shear = 0.5, p0 = kBulk * squeeze * 0.1, h = 0.01;
  for (const double psi : {0.0, 0.25, 0.6}) {
    Point point(
        {[&](double t) { return t < 0.1 + 0.1 * h ? squeeze : 0.0; },
         [&](double t) { return t < 0.1 + 0.1 * h ? 0.0 : shear; }},
        PlasticityLaw{
            .surface = PlasticityLaw::Surface::DruckerPrager, .yield = c, .friction = mu, .dilation = psi, .rows = 2});
    TimeStepping run(point.model, moreau_jean(h, 1.0));  // so that strains too are sums of h v_{k+1}
    const double elastic = (c + mu * p0) / (kShear2 * shear), beta = kShear2 * shear / (kShear2 + mu * psi * kBulk);
    const auto report = run.advance_to(0.6, [&](const State& state) {
      const double t = state.t, flow = beta * std::max(t - 0.1 - elastic, 0.0);
      const double p = t < 0.1 + 1e-9 ? kBulk * squeeze * t : p0 + kBulk * psi * flow;
      const double s = t < 0.1 + 1e-9 ? 0.0 : std::min(kShear2 * shear * (t - 0.1), c + mu * p);
      const Eigen::VectorXd stress = state.force(point.stress), y = state.y(point.stress);
      EXPECT_NEAR(stress[0], p, 1e-5) << psi << ' ' << t;
      EXPECT_NEAR(stress[1], s, 1e-5) << psi << ' ' << t;
      EXPECT_NEAR(y[1], -flow, 1e-7);
      EXPECT_NEAR(y[0], psi * flow, 1e-7);  // minus a compression of -psi flow
    });
    EXPECT_TRUE(report) << report.message();
  }
}

TEST(DruckerPrager, TensionIsCutAtTheApex) {
  // Pulled apart without shear, associated: p stops at -c / mu.
  Point point(
      {constant(-0.1), constant(0.0)},
      PlasticityLaw{
          .surface = PlasticityLaw::Surface::DruckerPrager, .yield = 2.0, .friction = 0.5, .dilation = 0.5, .rows = 2});
  TimeStepping run(point.model, moreau_jean(0.01));
  ASSERT_TRUE(run.advance_to(0.3, [&](const State& state) {
    EXPECT_NEAR(state.force(point.stress)[0], std::max(-kBulk * 0.1 * state.t, -4.0), 1e-6);
    EXPECT_NEAR(state.force(point.stress)[1], 0.0, 1e-6);
  }));
}

TEST(VonMises, WithoutComplianceItIsRigidPlastic) {
  // A mass on such a bar: it decelerates by yield / m and stands, as under Coulomb friction.
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(
      LagrangianLinearSystem{.mass = Eigen::Vector2d(2.0, 2.0).asDiagonal(), .q0 = {0.0, 0.0}, .v0 = {0.0, 1.0}});
  const auto bar =
      model.link(mass, LagrangianLinearRelation{.H = {{1.0, 0.0}, {0.0, 1.0}}}, PlasticityLaw{.yield = 4.0, .rows = 2});
  TimeStepping run(model, moreau_jean(0.01));
  ASSERT_TRUE(run.advance_to(1.0, [&](const State& state) {
    EXPECT_NEAR(state.v(mass)[1], std::max(1.0 - 2.0 * state.t, 0.0), 1e-8);
    EXPECT_NEAR(state.force(bar)[1], state.t < 0.5 + 1e-9 ? -4.0 : 0.0, 1e-6);
  }));
}

}  // namespace
}  // namespace nonsmooth::mechanics_plasticity_test
