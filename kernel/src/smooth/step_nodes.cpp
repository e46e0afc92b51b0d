// SPDX-License-Identifier: Apache-2.0
#include "step_nodes.hpp"

#include <cmath>
#include <numbers>

namespace nonsmooth::smooth::step_nodes {

namespace {

using Extended = Eigen::Matrix<long double, kDegree + 1, kDegree + 1>;

/// A^-1 by Gauss and Jordan with partial pivoting: once a program, in extended precision.
Extended inverse_of(Extended A) {
  Extended inverse = Extended::Identity();
  for (Index k = 0; k <= kDegree; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i <= kDegree; ++i) {
      if (std::abs(A(i, k)) > std::abs(A(pivot, k))) pivot = i;
    }
    A.row(k).swap(A.row(pivot));
    inverse.row(k).swap(inverse.row(pivot));
    const long double scale = 1.0L / A(k, k);
    A.row(k) *= scale;
    inverse.row(k) *= scale;
    for (Index i = 0; i <= kDegree; ++i) {
      if (i == k) continue;
      const long double factor = A(i, k);
      A.row(i) -= factor * A.row(k);
      inverse.row(i) -= factor * inverse.row(k);
    }
  }
  return inverse;
}

}  // namespace

const Tables& tables() {
  static const Tables instance = [] {
    constexpr long double pi = std::numbers::pi_v<long double>;
    Tables t;
    Eigen::Matrix<long double, 1, kDegree + 1> x;
    for (Index j = 0; j <= kDegree; ++j) {
      const long double sine = std::sin(pi * static_cast<long double>(j) / (2 * kDegree));
      x[j] = sine * sine;
      t.nodes[j] = static_cast<double>(x[j]);
    }
    t.nodes[kDegree] = 1.0;
    x[kDegree] = 1.0L;
    Extended collocation;
    for (Index j = 0; j <= kDegree; ++j) {
      long double binomial = 1.0L;
      for (Index k = 0; k <= kDegree; ++k) {
        collocation(k, j) = binomial * std::pow(x[j], static_cast<long double>(k)) *
                            std::pow(1.0L - x[j], static_cast<long double>(kDegree - k));
        binomial *= static_cast<long double>(kDegree - k) / static_cast<long double>(k + 1);
        const long double ends = (j == 0 || j == kDegree ? 0.5L : 1.0L) * (k == 0 || k == kDegree ? 0.5L : 1.0L);
        t.chebyshev(j, k) =
            static_cast<double>(2.0L / kDegree * ends * (k % 2 == 0 ? 1 : -1) *
                                std::cos(pi * static_cast<long double>(j * k) / static_cast<long double>(kDegree)));
      }
    }
    for (std::size_t c = 0; c < kChecks.size(); ++c) {
      for (const Index stride : {1, 2}) {
        Row& weights = (stride == 1 ? t.at_checks : t.every_other_at_checks)[c];
        weights.setZero();
        for (Index j = 0; j <= kDegree; j += stride) {
          long double weight = 1.0L;
          for (Index k = 0; k <= kDegree; k += stride) {
            if (k != j) weight *= (static_cast<long double>(kChecks[c]) - x[k]) / (x[j] - x[k]);
          }
          weights[j] = static_cast<double>(weight);
        }
      }
    }
    const Extended inverse = inverse_of(collocation);
    t.bernstein = inverse.cast<double>();
    t.amplification = t.bernstein.cwiseAbs().colwise().sum().maxCoeff();
    t.extrapolation[0] = 0.0;
    for (Index j = 1; j <= kDegree; ++j) {
      long double weight = 1.0L;
      for (Index k = 1; k <= kDegree; ++k) {
        if (k != j) weight *= x[k] / (x[k] - x[j]);
      }
      t.extrapolation[j] = static_cast<double>(weight);
    }
    return t;
  }();
  return instance;
}

double bernstein_sum(const Row& b, double x) {
  static_assert(kDegree == 8);
  constexpr std::array<double, kDegree + 1> binomial{1, 8, 28, 56, 70, 56, 28, 8, 1};
  const double u = 1.0 - x;
  double sum = b[0], power = 1.0;
  for (Index k = 1; k <= kDegree; ++k) {
    power *= x;
    sum = sum * u + binomial[static_cast<std::size_t>(k)] * power * b[k];
  }
  return sum;
}

}  // namespace nonsmooth::smooth::step_nodes
