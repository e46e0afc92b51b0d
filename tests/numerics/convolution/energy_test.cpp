// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include <nonsmooth/numerics/convolution.hpp>

#include "kernels.hpp"

namespace nonsmooth::convolution::energy_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Complex = std::complex<double>;
using test::entry;
using test::function;
using test::transform;

// The elastic rod, length 1 and waves of speed 1, at a wall with speed v: m = 1 + 2 sum_n H(t - 2 n). The wall pushes
// with v until the wave is back at t = 2, then the end leaves: w = v (t - 2). No step does work at the wall.
TEST(ConvolutionEnergy, OfRouthsRodIsExact) {
  constexpr double v = 0.7;
  const TableKernel kernel{.t = VectorXd{{0.0, 2.0, 2.0, 4.0, 4.0, 6.0}},
                           .values = MatrixXd{{1.0, 1.0, 3.0, 3.0, 5.0, 5.0}}};
  const Result result =
      solve({.kernel = kernel, .q = [](double t) { return entry(-v * t); }, .horizon = 5.0}, {.steps = 250});
  ASSERT_TRUE(result) << result.message();
  const MatrixXd force = result.density();
  for (Index n = 0; n < 250; ++n) {
    const double t = 0.02 * static_cast<double>(n + 1);
    ASSERT_NEAR(force(0, n), t < 2.01 ? v : 0.0, 1e-11) << n;
    ASSERT_NEAR(result.w(0, n), std::max(0.0, v * (t - 2.0)), 1e-11) << n;
  }
  const ContactWork work = contact_work(result);
  EXPECT_LE(work.contact.cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_NEAR(work.body.sum(), 2.0 * v * v, 1e-10);  // v^2 dt over the contact: taken from the flight by the waves
}

// A rod with Kelvin-Voigt damping without end, K = 1 / (s sqrt(1 + b s)), index 3/2: it is passive, so that what its
// deformation took is never negative, whatever the force did; contact takes a little where it begins, less with h.
TEST(ConvolutionEnergy, OfAViscoelasticRod) {
  const LaplaceKernel kernel = transform([](Complex s) { return 1.0 / (s * std::sqrt(1.0 + 0.1 * s)); });
  const auto run = [&](Index N, Rule rule) {
    return solve({.kernel = kernel,
                  .q = [](double t) { return entry(0.3 * std::cos(5.0 * t) - 0.1 * t + 0.05); },
                  .horizon = 4.0},
                 {.steps = N, .rule = rule});
  };
  std::vector<double> lost;
  for (const Index N : {200, 800}) {
    const Result result = run(N, Rule::Bdf1);
    ASSERT_TRUE(result) << result.message();
    EXPECT_EQ(result.kernel.index, 1.5);
    const ContactWork work = contact_work(result);
    EXPECT_LE(work.contact.maxCoeff(), 1e-9);  // -p w / h of the step before, and rounding
    EXPECT_LE((work.contact - work.free - work.body).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_NEAR(work.contact[N / 2], result.p(0, N / 2) * (result.w(0, N / 2) - result.w(0, N / 2 - 1)) / result.h,
                1e-12);
    double taken = 0.0;
    for (Index n = 0; n < N; ++n) EXPECT_GE(taken += work.body[n], -1e-12) << n;
    lost.push_back(-work.contact.sum());
    EXPECT_LT(lost.back(), 0.2 * taken);
  }
  EXPECT_LT(lost[1], 0.6 * lost[0]);
}

// Without loss, K = 1 / (s^2 + 0.01), under a force that is planted: s K(s) is positive, and what the body took is
// never negative under the rule's own difference, to rounding of 400 sums of terms to 400. Backward differences under
// Bdf2 let it give 200 that it never had.
TEST(ConvolutionEnergy, OfABodyWithoutLossIsByTheRulesDifference) {
  constexpr Index N = 400;
  const LaplaceKernel kernel = transform([](Complex s) { return 1.0 / (s * s + 0.01); });
  for (const Rule rule : {Rule::Bdf1, Rule::Bdf2}) {
    const Weights weights = weights_of(kernel, 1.0, N, rule);
    Result result;
    result.h = 1.0, result.rule = rule, result.w0 = entry(0.0);
    result.q = MatrixXd::Zero(1, N), result.p.resize(1, N);
    for (Index n = 0; n < N; ++n) result.p(0, n) = 1.0 + std::cos(0.13 * static_cast<double>(n));
    (void)certify(weights, result.q, entry(0.0), entry(std::numeric_limits<double>::infinity()), result.p, result.w);
    const ContactWork work = contact_work(result);
    double taken = 0.0, least = 0.0, by_backward = 0.0, least_by_backward = 0.0;
    for (Index n = 0; n < N; ++n) {
      least = std::min(least, taken += work.body[n]);
      by_backward += result.p(0, n) * (result.w(0, n) - (n > 0 ? result.w(0, n - 1) : 0.0));
      least_by_backward = std::min(least_by_backward, by_backward);
    }
    EXPECT_GE(least, -1e-8);
    EXPECT_GT(taken, 1.0);
    if (rule == Rule::Bdf2) {
      EXPECT_LT(least_by_backward, -100.0);
    } else {
      EXPECT_GE(least_by_backward, -1e-8);
    }
  }
}

// Under the floor at t = 0 the first impulse, an atom -q(0) / K0, pushes the gap open: contact gives p q(0) / h, then
// 0.
TEST(ConvolutionEnergy, ContactThatBeginsUnderTheFloorDoesWork) {
  const Result result =
      solve({.kernel = function([](double) { return 1.0; }), .q = [](double) { return entry(-0.5); }, .horizon = 1.0},
            {.steps = 10});
  ASSERT_TRUE(result) << result.message();
  const ContactWork work = contact_work(result);
  EXPECT_NEAR(work.contact[0], 0.5 * 0.5 / 0.1, 1e-12);
  EXPECT_LE(work.contact.tail(9).cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace nonsmooth::convolution::energy_test
