// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/convolution.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp.hpp>

#include "kernels.hpp"

namespace nonsmooth::convolution::convolution_test {
namespace {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Complex = std::complex<double>;
using test::entry;
using test::function;
using test::one;
using test::power_function;
using test::power_transform;
using test::transform;

// k = 1: w = q + int z. The least nondecreasing int z >= 0 that keeps w >= 0 is max(0, max over the past of -q), and it
// grows only where w = 0. Right ends of steps are exact, so the grid has it to the rounding of N sums.
TEST(Convolution, OfAnIntegratorIsTheRunningMaximum) {
  const auto q = [](double t) { return entry(std::cos(3.0 * t) - 0.5 * t); };
  const std::vector<Kernel> kernels{function([](double) { return 1.0; }),
                                    TableKernel{.t = entry(0.0), .values = one(1.0)},
                                    ExponentialKernel{.rates = Eigen::VectorXcd::Zero(1), .coefficients = one(1.0)},
                                    transform([](Complex s) { return 1.0 / s; })};
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const Result result = solve({.kernel = kernels[k], .q = q, .horizon = 6.0}, {.steps = 300});
    ASSERT_TRUE(result) << k << ": " << result.message();
    EXPECT_EQ(result.kernel.index, 1.0) << k;
    const double rounding = k == 3 ? 300 * 1e-12 * 4.0 : 1e-12;  // sampled weights: 3e-13 each
    double highest = 0.0, sum = 0.0;
    for (Index n = 0; n < 300; ++n) {
      highest = std::max(highest, -result.q(0, n));
      sum += result.p(0, n);
      ASSERT_NEAR(sum, highest, rounding) << k << " step " << n;
      ASSERT_NEAR(result.w(0, n), result.q(0, n) + highest, rounding) << k << " step " << n;
    }
  }
}

// k = t: a ball that falls from 1 and stays. Two steps of contact in a row have the velocity
// (q(t_{n+1}) - q(t_n)) / h + sum p = 0, which is the impulse g (t_n + h / 2) up to t_{n+1}: impact and weight.
TEST(Convolution, OfABallOnAFloorIsAnImpactAndItsWeight) {
  constexpr double g = 9.81, T = 1.0;
  constexpr Index N = 400;
  const double h = T / static_cast<double>(N), impact = std::sqrt(2.0 / g);
  const auto q = [](double t) { return entry(1.0 - 0.5 * g * t * t); };
  const std::vector<Kernel> kernels{function([](double t) { return t; }),
                                    TableKernel{.t = VectorXd{{0.0, 2.0}}, .values = MatrixXd{{0.0, 2.0}}},
                                    transform([](Complex s) { return 1.0 / (s * s); })};
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const Result result = solve({.kernel = kernels[k], .q = q, .horizon = T}, {.steps = N});
    ASSERT_TRUE(result) << k << ": " << result.message();
    EXPECT_EQ(result.kernel.index, 2.0);
    EXPECT_EQ(result.rule, k == 2 ? Rule::Bdf1 : Rule::StepStart);
    double sum = 0.0;
    for (Index n = 0; n < N; ++n) {
      const double t = h * static_cast<double>(n + 1);
      sum += result.p(0, n);
      if (t < impact - h) {
        ASSERT_EQ(result.p(0, n), 0.0) << k << " step " << n;
      } else if (t > impact + 2.0 * h) {
        ASSERT_NEAR(sum, g * (t - 0.5 * h), 1e-8) << k << " step " << n;  // rounding / h
      }
    }
    // One atom: the impact's impulse is in two steps, those after carry the weight.
    EXPECT_LE((result.p.array() > 1.5 * g * h).count(), 2) << k;
    const ContactWork work = contact_work(result);
    EXPECT_LE(work.contact.maxCoeff(), 1e-9);
    EXPECT_LT(work.contact.sum(), -1.0);  // an atom takes energy: v^2 / 2 = g of a plastic impact is between
  }
}

// k = D delta: at each instant the complementarity problem of D and q(t), by itself.
TEST(Convolution, WithoutMemoryIsAProblemAnInstant) {
  const MatrixXd D{{2.0, 1.0}, {1.0, 2.0}};
  const auto q = [](double t) { return VectorXd{{std::sin(5.0 * t), std::cos(7.0 * t) - 0.5}}; };
  const FunctionKernel kernel{.r = [](double) { return MatrixXd::Zero(2, 2); }, .impulse = D};
  const Result result = solve({.kernel = kernel, .q = q, .horizon = 2.0}, {.steps = 40});
  ASSERT_TRUE(result) << result.message();
  EXPECT_EQ(result.kernel.index, 0.0);
  const MatrixXd z = result.density();
  for (Index n = 0; n < 40; ++n) {
    const lcp::Result instant = lcp::solve(lcp::Problem{D, result.q.col(n)});
    EXPECT_LE((z.col(n) - instant.z).cwiseAbs().maxCoeff(), 1e-13) << n;
  }
}

// The kernel of x' = A x + B z, w = C x + q: Bdf1 is the backward Euler scheme of that system, step by step.
TEST(Convolution, OfALinearSystemIsItsBackwardEulerScheme) {
  const MatrixXd A{{-1.0, 2.0}, {-2.0, -1.0}}, B{{0.0}, {1.0}}, C{{0.3, 1.0}};
  const auto q = [](double t) { return entry(-std::sin(2.0 * t)); };
  constexpr Index N = 200;
  const double h = 5.0 / static_cast<double>(N);
  const double c = 1.0 + h;  // of I - h A = [c, -2 h; 2 h, c]
  const MatrixXd inverse = MatrixXd{{c, 2.0 * h}, {-2.0 * h, c}} / (c * c + 4.0 * h * h);
  const LaplaceKernel by_transform{.transform = [&](Complex s) -> MatrixXcd {
    const Complex d = (s + 1.0) * (s + 1.0) + 4.0;  // det(s - A)
    return MatrixXcd::Constant(1, 1, (0.3 * 2.0 + (s + 1.0)) / d);
  }};
  const Result sum = solve({.kernel = kernel_of(A, B, C), .q = q, .horizon = 5.0}, {.steps = N});
  const Result sampled = solve({.kernel = by_transform, .q = q, .horizon = 5.0}, {.steps = N});
  ASSERT_TRUE(sum && sampled) << sum.message() << sampled.message();
  EXPECT_EQ(sum.kernel.index, 1.0);
  VectorXd x = VectorXd::Zero(2);
  for (Index n = 0; n < N; ++n) {
    const VectorXd free = inverse * x;
    const double w = (C * free)[0] + sum.q(0, n), p = std::max(0.0, -w / (C * inverse * B)(0, 0));
    x = free + inverse * B * p;
    ASSERT_NEAR(sum.p(0, n), p, 1e-12) << n;
    ASSERT_NEAR(sampled.p(0, n), p, 1e-10) << n;
  }
}

// Planted: z = t (1 - t) up to 1, then w = (t - 1)^2, and q = w - k * z; behind 1 what goes on as t - t^2 is taken
// back. (k * t^n)(s) of the kernels:
using Powers = std::function<double(double s, int n)>;
Powers of_power(double a) {  // k = t^{a-1} / Gamma(a)
  return [a](double s, int n) { return std::tgamma(n + 1.0) * std::pow(s, a + n) / std::tgamma(a + n + 1.0); };
}
double of_relaxation(double s, int n) {  // k = e^{-t}
  return n == 1 ? s - 1.0 + std::exp(-s) : s * s - 2.0 * s + 2.0 - 2.0 * std::exp(-s);
}
double planted_q(const Powers& convolved, double t) {
  const double now = convolved(t, 1) - convolved(t, 2);
  return t > 1.0 ? (t - 1.0) * (t - 1.0) - now - convolved(t - 1.0, 1) - convolved(t - 1.0, 2) : -now;
}

double planted_error(const Kernel& kernel, const Powers& convolved, Rule rule, Index N) {
  const Result result =
      solve({.kernel = kernel, .q = [&](double t) { return entry(planted_q(convolved, t)); }, .horizon = 2.0},
            {.steps = N, .rule = rule});
  EXPECT_TRUE(result) << result.message();
  const auto impulse = [](double t) { return t < 1.0 ? t * t / 2.0 - t * t * t / 3.0 : 1.0 / 6.0; };
  double error = 0.0;
  for (Index n = 0; n < result.steps(); ++n) {
    const double t = result.h * static_cast<double>(n);
    const double end = t + result.h, value = end < 1.0 ? end * (1.0 - end) : 0.0;
    error += std::abs(result.p(0, n) - (rule == Rule::Bdf2 ? result.h * value : impulse(end) - impulse(t)));
  }
  return error;
}

double order(const Kernel& kernel, const Powers& convolved, Rule rule) {
  return std::log2(planted_error(kernel, convolved, rule, 100) / planted_error(kernel, convolved, rule, 400)) / 2.0;
}

// z is Lipschitz and begins at 0: order one of the rules of order one, at every index; of Bdf2 two, less what the
// corner of z at the end of contact leaves. At index 1 k = e^{-t}, as of k = 1 all answers are exact.
TEST(Convolution, OrdersAreTheRules) {
  for (const double a : {0.5, 1.25, 1.5, 2.0}) {
    EXPECT_NEAR(order(power_transform(a), of_power(a), Rule::Bdf1), 1.0, 0.1) << a;
    EXPECT_GT(order(power_transform(a), of_power(a), Rule::Bdf2), 1.5) << a;
    if (a < 2.0) {
      EXPECT_GT(order(power_function(a), of_power(a), Rule::ProductIntegration), 0.9) << a;
    }
    if (a >= 1.5) {
      EXPECT_NEAR(order(power_function(a), of_power(a), Rule::StepStart), 1.0, 0.1) << a;
    }
  }
  const LaplaceKernel relaxation = transform([](Complex s) { return 1.0 / (1.0 + s); });
  EXPECT_NEAR(order(relaxation, of_relaxation, Rule::Bdf1), 1.0, 0.1);
  EXPECT_GT(order(relaxation, of_relaxation, Rule::Bdf2), 1.5);
  const FunctionKernel by_values = function([](double t) { return std::exp(-t); });
  EXPECT_GT(order(by_values, of_relaxation, Rule::ProductIntegration), 0.9);
  EXPECT_NEAR(order(by_values, of_relaxation, Rule::StepStart), 1.0, 0.1);
}

// Every way to sum the past gives the same w, within rounding of sums of 700 terms of size 1 and what compression says.
TEST(Convolution, HistoriesAgree) {
  const auto q = [](double t) { return VectorXd{{std::cos(4.0 * t), std::sin(3.0 * t) - 0.2}}; };
  // Relaxations and an oscillation, coupled; positive definite at 0.
  ExponentialKernel sum{.rates = Eigen::VectorXcd(3), .coefficients = MatrixXcd(4, 3)};
  sum.rates << -0.5, Complex(-0.2, 9.0), -30.0;
  sum.coefficients << 1.0, 0.5, 0.3, 0.2, 0.0, 0.1, 0.2, 0.0, 0.1, 0.8, 0.1, 0.4;
  for (const Rule rule : {Rule::Bdf1, Rule::Bdf2, Rule::ProductIntegration, Rule::StepStart}) {
    const Problem problem{.kernel = sum, .q = q, .horizon = 5.0};
    const Result direct = solve(problem, {.steps = 700, .rule = rule, .history = History::Direct});
    ASSERT_TRUE(direct) << direct.message();
    EXPECT_TRUE(direct.kernel.positive_definite);
    for (const History history : {History::Fourier, History::Recursion}) {
      const Result other = solve(problem, {.steps = 700, .rule = rule, .history = history});
      ASSERT_TRUE(other) << other.message();
      EXPECT_LE((other.w - direct.w).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LE((other.p - direct.p).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_EQ(other.history, 0.0);
    }
  }
  const Problem diffusion{
      .kernel = power_transform(1.5), .q = [](double t) { return entry(std::cos(4.0 * t) - 0.2 * t); }, .horizon = 5.0};
  const Result direct = solve(diffusion, {.steps = 3000, .history = History::Direct});
  const Result compressed =
      solve(diffusion, {.steps = 3000, .history = History::Compressed, .compression_tolerance = 1e-10});
  ASSERT_TRUE(direct && compressed) << direct.message() << compressed.message();
  EXPECT_GT(compressed.history, 0.0);
  EXPECT_LT(compressed.history, 1e-8);
  EXPECT_LE((compressed.w - direct.w).cwiseAbs().maxCoeff(), 10.0 * compressed.history);
}

// Of 10^4 weights of t^{1/2}: the error that is told is the largest one there is. Of a wave no such sum exists.
TEST(Convolution, CompressionTellsItsError) {
  const Weights weights = weights_of(power_transform(1.5), 1e-3, 10'000);
  const Compression made = compress(weights, 1e-9);
  EXPECT_TRUE(made.met);
  double largest = 0.0;
  for (Index j = made.first; j < weights.count(); j += 7) {
    double sum = 0.0;
    for (Index l = 0; l < made.factors.size(); ++l)
      sum += made.coefficients(0, l) * std::pow(made.factors[l], static_cast<double>(j));
    largest = std::max(largest, std::abs(sum - weights.values(0, j)));
  }
  const double rounding = 1e-11 * weights.values.cwiseAbs().maxCoeff();  // of 10^4 products of mu, beside pow
  EXPECT_LE(largest, made.error + rounding);
  EXPECT_LE(made.error, 1e-9 * weights.values.cwiseAbs().maxCoeff());
  const Compression wave = compress(weights_of(transform([](Complex s) { return s / (s * s + 400.0); }), 1e-3, 10'000));
  EXPECT_FALSE(wave.met);
  EXPECT_GT(wave.error, 1e-3);
}

// t + epsilon with epsilon far below h is a mass: product integration would let its weight alternate for ever. So of a
// row that is a mass beside one that is a damper, and of the two in other coordinates.
TEST(Convolution, TheRuleIsChosenAtTheScaleOfTheStep) {
  constexpr double g = 9.81;
  constexpr Index N = 400;
  const Problem ball{.kernel = reduce_index(function([](double t) { return t; }), 1e-6),
                     .q = [](double t) { return entry(1.0 - 0.5 * g * t * t); },
                     .horizon = 1.0};
  const Result one_row = solve(ball, {.steps = N});
  ASSERT_TRUE(one_row) << one_row.message();
  EXPECT_EQ(one_row.rule, Rule::StepStart);
  // epsilon / h = 4e-4 of an impulse is carried into the next step; the impact is at t = 0.4515.
  for (Index n = 185; n < N; ++n) ASSERT_NEAR(one_row.density()(0, n), g, 1e-3) << n;

  const auto row = [](double t) { return MatrixXd{{1.0, 0.0}, {0.0, t}}; };
  const MatrixXd turn = MatrixXd{{0.6, 0.8}, {-0.8, 0.6}};
  const double h = 1.0 / static_cast<double>(N);
  EXPECT_EQ(resolve(Rule::Automatic, FunctionKernel{.r = row}, h, N), Rule::StepStart);
  EXPECT_EQ(resolve(Rule::Automatic,
                    FunctionKernel{.r = [&](double t) { return MatrixXd(turn * row(t) * turn.transpose()); }}, h, N),
            Rule::StepStart);
  EXPECT_EQ(resolve(Rule::Automatic, power_function(1.5), h, N), Rule::ProductIntegration);
  EXPECT_EQ(resolve(Rule::Automatic, power_function(0.5), h, N), Rule::ProductIntegration);
  EXPECT_EQ(resolve(Rule::Automatic, reduce_index(function([](double t) { return t; }), 1.0), h, N),
            Rule::ProductIntegration);
  const Result two_rows = solve({.kernel = FunctionKernel{.r = row},
                                 .q =
                                     [](double t) {
                                       return VectorXd{{-t, 1.0 - 0.5 * g * t * t}};
                                     },
                                 .horizon = 1.0},
                                {.steps = N});
  ASSERT_TRUE(two_rows) << two_rows.message();
  for (Index n = 185; n < N; ++n) ASSERT_NEAR(two_rows.density()(1, n), g, 1e-6) << n;
}

// Quadrature tells its error: at a jump of r within a step it is large, of smooth r rounding.
TEST(Convolution, WeightsTellTheErrorOfTheirQuadrature) {
  const FunctionKernel jump = function([](double t) { return t < 0.255 ? 1.0 : 3.0; });
  const Weights coarse = weights_of(jump, 0.1, 10, Rule::ProductIntegration);
  const double exact = (0.055 * 1.0 + 0.045 * 3.0) / 0.1, error = std::abs(coarse.values(0, 2) - exact);
  EXPECT_GT(error, 1e-3);
  EXPECT_GE(coarse.error * 3.0, error);
  EXPECT_LT(weights_of(function([](double t) { return std::exp(-t); }), 0.1, 10, Rule::ProductIntegration).error,
            1e-13);
  FunctionKernel singular = power_function(5e-4);
  singular.index = 5e-4;
  try {
    (void)weights_of(singular, 0.1, 10, Rule::ProductIntegration);
    ADD_FAILURE() << "not refused";
  } catch (const InvalidArgument& error_of_index) {
    EXPECT_EQ(error_of_index.argument(), "convolution::FunctionKernel::index") << error_of_index.what();
  }
}

// w = q + 1e-300 int z, and q = -1e10 from the third step on asks for 1e310: the run ends there and says so.
TEST(Convolution, AnImpulseThatOverflowsIsNoSolution) {
  const Result result = solve({.kernel = function([](double) { return 1e-300; }),
                               .q = [](double t) { return entry(t < 0.25 ? 1.0 : -1e10); },
                               .horizon = 1.0},
                              {.steps = 10});
  EXPECT_EQ(result.status, Status::NumericalFailure) << result.message();
  EXPECT_EQ(result.steps(), 2);
  EXPECT_EQ(result.failure.status, Status::NumericalFailure);
  EXPECT_NE(result.failure.reason.find("overflow"), std::string::npos);
}

// While contact lasts z_e = z / (1 + e sqrt(s)) by transforms: with z = 0 at both ends the error is of order e.
TEST(Convolution, ReducedIndexCostsItsEpsilon) {
  const Problem problem{
      .kernel = power_transform(1.5), .q = [](double t) { return entry(planted_q(of_power(1.5), t)); }, .horizon = 2.0};
  std::vector<double> w, impulse;
  for (const double epsilon : {4e-3, 1e-3}) {
    const IndexReduction found = measure_index_reduction(problem, epsilon, {.steps = 400});
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found.reduced.kernel.index, 1.0);
    w.push_back(found.w_error);
    impulse.push_back(found.impulse_error);
  }
  EXPECT_NEAR(std::log(w[0] / w[1]) / std::log(4.0), 1.0, 0.15);
  EXPECT_NEAR(std::log(impulse[0] / impulse[1]) / std::log(4.0), 1.0, 0.15);
  EXPECT_LT(w[1], 1e-3);
}

// Bounds -1 and 1 on an integrator: from w = 1, z = -1 brings w to 0 at t = 1, where it stays.
TEST(Convolution, WithinBoundsIsARelay) {
  const Result result = solve({.kernel = function([](double) { return 1.0; }),
                               .q = [](double) { return entry(1.0); },
                               .horizon = 2.0,
                               .lower = entry(-1.0),
                               .upper = entry(1.0)},
                              {.steps = 64});
  ASSERT_TRUE(result) << result.message();
  for (Index n = 0; n < 64; ++n) {
    EXPECT_NEAR(result.density()(0, n), n < 32 ? -1.0 : 0.0, 1e-12) << n;
    EXPECT_NEAR(result.w(0, n), std::max(0.0, 1.0 - static_cast<double>(n + 1) / 32.0), 1e-12) << n;
  }
}

TEST(Convolution, TheCertificateSeesEveryStep) {
  const Kernel kernel = power_transform(1.5);
  Result result =
      solve({.kernel = kernel, .q = [](double t) { return entry(std::cos(4.0 * t)); }, .horizon = 3.0}, {.steps = 100});
  ASSERT_TRUE(result);
  const Weights weights = weights_of(kernel, result.h, 100);
  const VectorXd zero = entry(0.0), infinite = entry(std::numeric_limits<double>::infinity());
  Index touched = 0;
  while (result.p(0, touched) == 0.0) ++touched;
  MatrixXd w;
  EXPECT_LE(certify(weights, result.q, zero, infinite, result.p, w).residual, 1e-10);
  EXPECT_LE((w - result.w).cwiseAbs().maxCoeff(), 1e-14);
  result.p(0, touched) += 1e-6;
  const Certificate spoilt = certify(weights, result.q, zero, infinite, result.p, w);
  EXPECT_NEAR(spoilt.error, 1e-6 * weights.values.maxCoeff(), 0.9e-6 * weights.values.maxCoeff());
  EXPECT_GE(spoilt.worst_row, touched);
}

// No z >= 0 has z_1 - 2 z_2 >= 1 and z_2 - 2 z_1 >= 1: their sum is -(z_1 + z_2) >= 2.
TEST(Convolution, AStepWithoutSolutionIsTold) {
  const FunctionKernel kernel{.r = [](double) { return MatrixXd::Zero(2, 2); },
                              .impulse = MatrixXd{{1.0, -2.0}, {-2.0, 1.0}}};
  const Result result = solve({.kernel = kernel,
                               .q =
                                   [](double t) {
                                     return VectorXd{{0.45 - t, 0.45 - t}};
                                   },
                               .horizon = 1.0},
                              {.steps = 10});
  EXPECT_EQ(result.status, Status::Stalled);
  EXPECT_EQ(result.steps(), 4);
  EXPECT_FALSE(result.kernel.positive_definite);
  EXPECT_EQ(result.failure.status, Status::Infeasible);
  EXPECT_EQ(result.failure.proof.size(), 2);
  EXPECT_NE(result.message().find("no solution"), std::string::npos) << result.message();
}

TEST(Convolution, IndicesAreFound) {
  EXPECT_EQ(examine(function([](double t) { return std::sqrt(t); }), 1.0).index, 1.5);
  EXPECT_EQ(examine(function([](double t) { return std::exp(-t); }), 1.0).index, 1.0);
  EXPECT_NEAR(examine(power_function(0.3), 1.0).index, 0.3, 2e-3);
  EXPECT_EQ(examine(transform([](Complex s) { return 1.0 / (s * (s + 1.0)); }), 1.0).index, 2.0);
  EXPECT_EQ(examine(transform([](Complex s) { return (s + 2.0) / (s + 1.0); }), 1.0).index, 0.0);
  const ExponentialKernel difference{.rates = Eigen::VectorXcd{{-1.0, -2.0}},
                                     .coefficients = MatrixXcd{{1.0, -1.0}}};  // e^-t - e^-2t ~ t
  EXPECT_EQ(examine(difference, 1.0).index, 2.0);
  EXPECT_NEAR(examine(difference, 1.0).leading(0, 0), 1.0, 1e-15);
  EXPECT_EQ(examine(reduce_index(difference, 0.5), 1.0).index, 1.0);
  EXPECT_EQ(examine(reduce_index(difference, 0.5), 1.0).leading(0, 0), 0.5);
  // The mode with a pair of conjugates: r = e^{-t} (cos 2 t + 0.3 sin 2 t) and two of its values by hand.
  const ExponentialKernel pair =
      kernel_of(MatrixXd{{-1.0, 2.0}, {-2.0, -1.0}}, MatrixXd{{0.0}, {1.0}}, MatrixXd{{0.3, 1.0}});
  for (const double t : {0.0, 0.7}) {
    const double r = (pair.coefficients * (t * pair.rates.array()).exp().matrix()).real()[0];
    EXPECT_NEAR(r, std::exp(-t) * (std::cos(2.0 * t) + 0.3 * std::sin(2.0 * t)), 1e-14);
  }
}

template <class Call>
void expect_refused(const Call& call, std::string_view argument, std::string_view words) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << argument << ", " << words;
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.argument(), argument) << error.what();
    EXPECT_NE(std::string_view(error.what()).find(words), std::string_view::npos) << error.what();
  }
}

TEST(Convolution, RefusesWhatHasNoAnswer) {
  const auto q = [](double t) { return entry(-t); };
  const auto refused = [&](const Kernel& kernel, std::string_view argument, std::string_view words,
                           const Stepping& options = {.steps = 10}) {
    expect_refused([&] { (void)solve({.kernel = kernel, .q = q, .horizon = 1.0}, options); }, argument, words);
  };
  const Kernel good = function([](double) { return 1.0; });
  refused(function([](double) { return -1.0; }), "convolution::Problem::kernel", "the wrong sign");
  refused(function([](double t) { return std::cos(100.0 * t) - 1.2; }), "convolution::Problem::kernel", "wrong sign");
  refused(function([](double t) { return t * t; }), "convolution::Problem::kernel", "index 3");
  refused(function([](double) { return 0.0; }), "convolution: the kernel", "0 near t = 0");
  refused(function([](double t) { return std::log(t - 0.5); }), "convolution::FunctionKernel::r", "no finite value");
  refused(FunctionKernel{}, "convolution::FunctionKernel::r", "no callable");
  refused(good, "convolution::Rule", "needs the transform", {.steps = 10, .rule = Rule::Bdf2});
  refused(power_transform(1.0), "convolution::Rule", "need values", {.steps = 10, .rule = Rule::StepStart});
  refused(transform([](Complex s) { return Complex(0.0, 1.0) / s; }), "convolution::LaplaceKernel::transform",
          "complex");
  refused(good, "convolution::Stepping::history", "Recursion", {.steps = 10, .history = History::Recursion});
  refused(good, "convolution::Stepping::steps", "0", {});
  refused(good, "convolution::Stepping::tolerance", "-1e-09", {.steps = 10, .tolerance = -1e-9});
  refused(TableKernel{.t = VectorXd{{0.0, 2.0, 1.0}}, .values = MatrixXd::Ones(1, 3)}, "convolution::TableKernel::t[2]",
          "at least 2");
  refused(TableKernel{.t = entry(0.1), .values = one(1.0)}, "convolution::TableKernel::t[0]", "0.1");
  refused(TableKernel{.t = entry(0.0), .values = MatrixXd::Ones(2, 1)}, "convolution::TableKernel::values", "2 rows");
  expect_refused([&] { (void)solve({.kernel = good, .q = {}, .horizon = 1.0}, {.steps = 10}); },
                 "convolution::Problem::q", "no callable");
  expect_refused([&] { (void)solve({.kernel = good, .q = q, .horizon = -1.0}, {.steps = 10}); },
                 "convolution: the horizon", "-1");
  expect_refused(
      [&] {
        (void)solve({.kernel = good, .q = q, .horizon = 1.0, .lower = entry(1.0), .upper = entry(0.0)}, {.steps = 10});
      },
      "relay::Problem::lower", "1");
  expect_refused(
      [] {
        (void)kernel_of(MatrixXd{{0.0, 1.0}, {0.0, 0.0}}, MatrixXd{{0.0}, {1.0}}, MatrixXd{{1.0, 0.0}});
      },
      "convolution::kernel_of: A", "condition");
  expect_refused([&] { (void)reduce_index(good, -1e-9); }, "convolution::reduce_index: epsilon", "-1e-09");
}

}  // namespace
}  // namespace nonsmooth::convolution::convolution_test
