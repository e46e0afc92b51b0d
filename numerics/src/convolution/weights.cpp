// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/convolution/weights.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <internal/fourier.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "kernel_forms.hpp"
#include "modes.hpp"

namespace nonsmooth::convolution {
namespace {

[[noreturn]] void refuse_rule(const char* found, const char* expected) {
  throw InvalidArgument("convolution::Rule", found, expected);
}

/// Nodes and weights of Gauss's rule on [0, 1]: zeros of the Legendre polynomial of degree n by Newton's iteration.
template <std::size_t n>
std::array<std::pair<double, double>, n> gauss_rule() {
  std::array<std::pair<double, double>, n> rule;
  for (std::size_t i = 0; i < n; ++i) {
    double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (static_cast<double>(n) + 0.5));
    double slope = 0.0;
    for (int iteration = 0; iteration < 8; ++iteration) {  // quadratic, from an error below 1e-2
      double before = 1.0, value = x;
      for (std::size_t k = 2; k <= n; ++k) {
        const auto d = static_cast<double>(k);
        before = std::exchange(value, ((2.0 * d - 1.0) * x * value - (d - 1.0) * before) / d);
      }
      slope = static_cast<double>(n) * (x * value - before) / (x * x - 1.0);
      x -= value / slope;
    }
    rule[i] = {0.5 * (1.0 - x), 1.0 / ((1.0 - x * x) * slope * slope)};
  }
  return rule;
}

/// (1/h) int_{t_j}^{t_{j+1}} r by quadrature. In the first step t = h u^c, c = k / a with an integer k next to 2 a: of
/// r = t^{a-1} g(t) then u^{k-1} g(h u^c) is integrated, a polynomial for half-integer a and polynomials g.
/// Returns the largest difference from rules of fewer points: odd ones, with a node in the middle where even ones
/// agree.
double integrate_by_quadrature(const FunctionKernel& kernel, double index, Index m, Weights& made) {
  static const auto few = gauss_rule<8>();
  static const auto fewer = gauss_rule<7>();
  static const auto many = gauss_rule<32>();
  static const auto less = gauss_rule<23>();
  const double c = std::max(1.0, std::ceil(2.0 * index)) / index;
  if (!std::isnormal(made.h * std::pow(many.front().first, c))) {  // the first node is the smallest of both rules
    throw InvalidArgument("convolution::FunctionKernel::index", check::text(index),
                          "more, about 0.01: else instants underflow to 0; or FunctionKernel::integral");
  }
  const auto first = [&](const auto& rule) {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(m, m);
    for (const auto& [u, weight] : rule)
      sum += weight * c * std::pow(u, c - 1.0) * detail::r_at(kernel, made.h * std::pow(u, c), m);
    return sum;
  };
  const auto later = [&](const auto& rule, Index j) {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(m, m);
    for (const auto& [u, weight] : rule) sum += weight * detail::r_at(kernel, made.h * (static_cast<double>(j) + u), m);
    return sum;
  };
  double difference = 0.0;
  for (Index j = 0; j < made.count(); ++j) {
    const Eigen::MatrixXd sum = j == 0 ? first(many) : later(few, j);
    difference = std::max(difference, (sum - (j == 0 ? first(less) : later(fewer, j))).cwiseAbs().maxCoeff());
    made.values.col(j) = sum.reshaped();
  }
  return difference;
}

void fill(const FunctionKernel& kernel, const Examination& found, Rule rule, Weights& made) {
  const Index m = found.size;
  double difference = 0.0;
  made.error = 8.0 * eps;
  if (rule == Rule::StepStart) {
    for (Index j = 0; j < made.count(); ++j)
      made.values.col(j) = detail::r_at(kernel, made.h * static_cast<double>(j + 1), m).reshaped();
  } else if (rule != Rule::ProductIntegration) {
    refuse_rule("a BDF rule for a kernel by its values",
                "ProductIntegration or StepStart: a BDF rule needs the transform");
  } else if (kernel.integral) {
    Eigen::MatrixXd before = detail::integral_at(kernel, 0.0, m);
    for (Index j = 0; j < made.count(); ++j) {
      Eigen::MatrixXd next = detail::integral_at(kernel, made.h * static_cast<double>(j + 1), m);
      made.values.col(j) = ((next - before) / made.h).reshaped();
      before.swap(next);
    }
    made.error = 4.0 * eps * static_cast<double>(made.count());
  } else {
    const double of_r = std::isnan(kernel.index) ? 1.0 : kernel.index;  // where delta hides what r is near 0
    difference = integrate_by_quadrature(kernel, found.index > 0.0 ? found.index : of_r, m, made);
  }
  made.values.col(0) += detail::impulse_of(kernel.impulse, m).reshaped() / made.h;
  if (difference > 0.0) made.error += difference / made.values.cwiseAbs().maxCoeff();
}

/// r(t), from the left, of a segment that ends at or behind t; moves `segment` on.
Eigen::VectorXd table_at(const TableKernel& kernel, double t, Index& segment) {
  const Index last = kernel.t.size() - 1;
  while (segment < last && kernel.t[segment + 1] < t) ++segment;
  if (segment == last) return kernel.values.col(last);
  const double from = kernel.t[segment], length = kernel.t[segment + 1] - from;
  const double part = length > 0.0 ? (t - from) / length : 1.0;
  return (1.0 - part) * kernel.values.col(segment) + part * kernel.values.col(segment + 1);
}

void fill(const TableKernel& kernel, const Examination& found, Rule rule, Weights& made) {
  if (rule == Rule::Bdf1 || rule == Rule::Bdf2)
    refuse_rule("a BDF rule for a kernel by a table",
                "ProductIntegration or StepStart: a BDF rule needs the transform");
  const Index last = kernel.t.size() - 1;
  made.error = 8.0 * eps;
  Index segment = 0;
  for (Index j = 0; j < made.count(); ++j) {
    const double begin = made.h * static_cast<double>(j), end = made.h * static_cast<double>(j + 1);
    if (rule == Rule::StepStart) {
      made.values.col(j) = table_at(kernel, end, segment);
      continue;
    }
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(made.values.rows());
    double from = begin;
    while (from < end) {
      while (segment < last && kernel.t[segment + 1] <= from) ++segment;
      const double to = segment < last ? std::min(end, kernel.t[segment + 1]) : end;
      Index here = segment;  // linear in between: the value in the middle
      sum += (to - from) * table_at(kernel, 0.5 * (from + to), here);
      from = to;
    }
    made.values.col(j) = sum / (end - begin);
  }
  made.values.col(0) += detail::impulse_of(kernel.impulse, found.size).reshaped() / made.h;
}

void fill(const ExponentialKernel& kernel, const Examination& found, Rule rule, Weights& made) {
  const detail::Modes modes = detail::modes_of(kernel, made.h, rule);
  Eigen::ArrayXcd value = modes.gain, before = Eigen::ArrayXcd::Zero(modes.gain.size());
  for (Index j = 0; j < made.count(); ++j) {
    made.values.col(j) = (kernel.coefficients * value.matrix()).real();
    const Eigen::ArrayXcd next = modes.a * value + modes.b * before;
    before = value;
    value = next;
  }
  made.values.col(0) += detail::impulse_of(kernel.impulse, found.size).reshaped() / made.h;
  made.error = 4.0 * eps * static_cast<double>(made.count());
}

/// sum_j W_j zeta^j on the circle |zeta| = rho, and back: entry by entry a transform of length n. What wraps around has
/// rho^n beside it, rounding grows by rho^-N: equal where rho^{n+N} = eps.
void fill(const LaplaceKernel& kernel, const Examination& found, Rule rule, Weights& made) {
  if (rule != Rule::Bdf1 && rule != Rule::Bdf2)
    refuse_rule("ProductIntegration or StepStart for a kernel by its transform",
                "Bdf1 or Bdf2: the others need values");
  const Index N = made.count(), m = found.size;
  Index n = 4;
  while (n < 4 * N) n *= 2;
  const double rho = std::pow(eps, 1.0 / static_cast<double>(n + N));
  Eigen::MatrixXcd samples(m * m, n / 2 + 1);
  for (Index k = 0; k <= n / 2; ++k) {
    const std::complex<double> zeta =
        std::polar(rho, -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
    const std::complex<double> one = 1.0 - zeta, delta = rule == Rule::Bdf1 ? one : one + 0.5 * one * one;
    samples.col(k) = detail::transform_at(kernel, delta / made.h, m).reshaped() / made.h;
  }
  FourierTransform transform;
  std::vector<std::complex<double>> X(at(n / 2 + 1));
  std::vector<double> x;
  for (Index i = 0; i < m * m; ++i) {
    for (Index k = 0; k <= n / 2; ++k) X[at(k)] = samples(i, k);
    transform.inverse(X, n, x);
    for (Index j = 0; j < N; ++j) made.values(i, j) = x[at(j)] * std::pow(rho, -static_cast<double>(j));
  }
  made.error = std::pow(eps, 0.8);
}

/// Whether W_1 is above 2.3 W_0 in a direction: weights from which product integration finds sums of two impulses only.
bool rises(const Weights& weights) {
  constexpr double kMost = 2.3;  // of r ~ t^{a-1} 2^a - 1: a = 1.72, between 3/2 and the 2 that is to be seen
  const Eigen::MatrixXd first = weights.weight(0), second = weights.weight(1);
  const Eigen::MatrixXd start = first + first.transpose();
  if (nonsmooth::is_positive_definite(start))
    return !nonsmooth::is_positive_definite(kMost * start - second - second.transpose());
  return (second.diagonal().array() > kMost * first.diagonal().array()).any();
}

}  // namespace

namespace detail {

Modes modes_of(const ExponentialKernel& kernel, double h, Rule rule) {
  const Eigen::ArrayXcd x = h * kernel.rates.array();
  Modes modes{.a = x, .b = Eigen::ArrayXcd::Zero(x.size()), .gain = x};
  for (Index l = 0; l < x.size(); ++l) {
    if (rule == Rule::Bdf1 || rule == Rule::Bdf2) {
      const std::complex<double> pole = (rule == Rule::Bdf1 ? 1.0 : 1.5) - x[l];
      if (std::abs(pole) < 1e-12) {
        throw InvalidArgument("convolution::ExponentialKernel::rates[" + std::to_string(l) + "]",
                              "a growth by " + check::text(x[l].real()) + " a step", "shorter steps");
      }
      modes.gain[l] = 1.0 / pole;
      modes.a[l] = (rule == Rule::Bdf1 ? 1.0 : 2.0) / pole;
      if (rule == Rule::Bdf2) modes.b[l] = -0.5 / pole;
    } else {
      modes.a[l] = std::exp(x[l]);
      // (e^x - 1) / x; of small x the series: the first term left out is below rounding.
      const std::complex<double> mean =
          std::abs(x[l]) > 1e-2
              ? (modes.a[l] - 1.0) / x[l]
              : 1.0 + x[l] / 2.0 * (1.0 + x[l] / 3.0 * (1.0 + x[l] / 4.0 * (1.0 + x[l] / 5.0 * (1.0 + x[l] / 6.0))));
      modes.gain[l] = rule == Rule::StepStart ? modes.a[l] : mean;
    }
  }
  return modes;
}

}  // namespace detail

Index Weights::size() const noexcept {
  return static_cast<Index>(std::lround(std::sqrt(static_cast<double>(values.rows()))));
}

Eigen::Map<const Eigen::MatrixXd> Weights::weight(Index j) const {
  const Index m = size();
  return {values.data() + j * values.rows(), m, m};
}

Rule resolve(Rule rule, const Kernel& kernel, double h, Index steps) {
  if (rule != Rule::Automatic) return rule;
  if (std::holds_alternative<ExponentialKernel>(kernel) || std::holds_alternative<LaplaceKernel>(kernel))
    return Rule::Bdf1;
  const bool oscillates =
      steps == 1 ? examine(kernel, h).index > 1.5 : rises(weights_of(kernel, h, Index{2}, Rule::ProductIntegration));
  return oscillates ? Rule::StepStart : Rule::ProductIntegration;
}

Weights weights_of(const Kernel& kernel, double h, Index steps, Rule rule) {
  check::positive("convolution::weights_of: h", h);
  check::within("convolution::weights_of: steps", steps, 1, Index{1} << 26);
  const double horizon = h * static_cast<double>(steps);
  const Examination found = examine(kernel, horizon);
  const Rule chosen = resolve(rule, kernel, h, steps);
  Weights made{.h = h, .values = Eigen::MatrixXd(found.size * found.size, steps)};
  std::visit([&](const auto& form) { fill(form, found, chosen, made); }, kernel);
  if (!made.values.allFinite())
    throw InvalidArgument("convolution: the kernel", "a weight that is not finite", "one that stays finite up to T");
  return made;
}

}  // namespace nonsmooth::convolution
