// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/convolution/weights.hpp>

namespace nonsmooth::convolution {
namespace {

/// Weights that are kept as they are: sums of exponentials take rates up to 36 / kFirst a step for what follows.
constexpr Index kFirst = 32;

/// first, and on by a 32nd each time, to the last.
std::vector<Index> instants_of(Index first, Index count) {
  std::vector<Index> instants;
  for (Index j = first; j < count; j += std::max(Index{1}, j / 32)) instants.push_back(j);
  if (instants.back() != count - 1) instants.push_back(count - 1);
  return instants;
}

/// mu = 1 and e^{-x}, x from 1 / (20 N) to 1 in equal ratios.
Eigen::VectorXd factors_of(Index terms, Index count) {
  Eigen::VectorXd factors(terms);
  const double low = std::log(0.05 / static_cast<double>(count));
  for (Index l = 0; l + 1 < terms; ++l)
    factors[l] = std::exp(-std::exp(low * (1.0 - static_cast<double>(l) / static_cast<double>(terms - 2))));
  factors[terms - 1] = 1.0;
  return factors;
}

Compression fit(const Weights& weights, Index terms) {
  const Index N = weights.count(), rows = weights.values.rows();
  const std::vector<Index> instants = instants_of(kFirst, N);
  const auto count = static_cast<Index>(instants.size());
  Compression made;
  made.first = kFirst;
  made.factors = factors_of(terms, N);
  Eigen::MatrixXd powers(count, terms), right(count, rows);
  for (Index k = 0; k < count; ++k) {
    const Index j = instants[at(k)];
    powers.row(k) = made.factors.array().pow(static_cast<double>(j)).transpose();
    right.row(k) = weights.values.col(j).transpose();
  }
  CompleteOrthogonalFactors factors;
  factors.set_threshold(1e-14);  // of least norm: terms that the sum does not need stay small
  factors.compute(powers);
  made.coefficients = factors.solve_columns(right).transpose();
  made.error = (powers * made.coefficients.transpose() - right).cwiseAbs().maxCoeff();
  return made;
}

/// The error at every weight, in the place of that at the instants of the fit.
void measure(const Weights& weights, Compression& made) {
  Eigen::ArrayXd power;
  for (Index j = made.first; j < weights.count(); ++j) {
    // Anew every 256 weights: rounding of 10^6 products would be seen as an error.
    if (j == made.first || j % 256 == 0) power = made.factors.array().pow(static_cast<double>(j));
    made.error =
        std::max(made.error, (weights.values.col(j) - made.coefficients * power.matrix()).cwiseAbs().maxCoeff());
    power *= made.factors.array();
  }
}

}  // namespace

Compression compress(const Weights& weights, double tolerance) {
  check::at_least("convolution::compress: weights", weights.count(), 1);
  check::range("convolution::compress: tolerance", tolerance, 1e-13, 1.0);
  const Index N = weights.count(), rows = weights.values.rows();
  if (N <= 2 * kFirst) {  // all are kept
    return {.first = N, .factors = {}, .coefficients = Eigen::MatrixXd(rows, 0), .error = 0.0, .met = true};
  }
  const double allowed = tolerance * weights.values.cwiseAbs().maxCoeff();
  Compression best;
  for (const Index terms : {12, 24, 48, 96, 160}) {
    Compression made = fit(weights, terms);
    if (terms == 12 || made.error < best.error) best = std::move(made);
    if (best.error > allowed) continue;
    measure(weights, best);
    best.met = best.error <= allowed;
    if (best.met) return best;
  }
  measure(weights, best);
  return best;
}

}  // namespace nonsmooth::convolution
