// SPDX-License-Identifier: Apache-2.0
#include "hull_slice.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace nonsmooth::filippov {
namespace {

constexpr double kDependent = 1e-9;  ///< of a row's terms: what is left of one that depends on the others
constexpr double kNegative = 1e-10;  ///< weights down to it are zero: round-off of a basis that is well conditioned
constexpr Index kWidth = kMostWeights + 2;

/// The next number with as many bits.
std::uint32_t next_mask(std::uint32_t mask) {
  const std::uint32_t low = mask & (~mask + 1), ripple = mask + low;
  return ripple | (((mask ^ ripple) >> 2) / low);
}

}  // namespace

bool solve_small(double* rows, Index n) {
  double largest = 0.0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) largest = std::max(largest, std::abs(rows[i * (n + 1) + j]));
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i)
      if (std::abs(rows[i * (n + 1) + k]) > std::abs(rows[pivot * (n + 1) + k])) pivot = i;
    if (!(std::abs(rows[pivot * (n + 1) + k]) > 1e-12 * largest)) return false;
    if (pivot != k) std::swap_ranges(rows + k * (n + 1), rows + (k + 1) * (n + 1), rows + pivot * (n + 1));
    for (Index i = k + 1; i < n; ++i) {
      const double factor = rows[i * (n + 1) + k] / rows[k * (n + 1) + k];
      for (Index j = k; j <= n; ++j) rows[i * (n + 1) + j] -= factor * rows[k * (n + 1) + j];
    }
  }
  for (Index k = n - 1; k >= 0; --k) {
    double sum = rows[k * (n + 1) + n];
    for (Index j = k + 1; j < n; ++j) sum -= rows[k * (n + 1) + j] * rows[j * (n + 1) + n];
    rows[k * (n + 1) + n] = sum / rows[k * (n + 1) + k];
  }
  return true;
}

void HullSlice::set(const SurfaceRates& w, const SurfaceVector& terms) {
  w_ = w;
  terms_ = terms;
  for (Index j = 0; j < w_.rows(); ++j)
    if (terms[j] > 0.0) w_.row(j) /= terms[j];
  // Rows independent of one another and of the row of ones, by Gram-Schmidt twice.
  const double scale = std::sqrt(static_cast<double>(w_.cols()));
  Eigen::Matrix<double, kMostHeld + 1, Eigen::Dynamic, Eigen::RowMajor, kMostHeld + 1, kMostWeights> basis(
      kMostHeld + 1, w_.cols());
  basis.row(0).setConstant(1.0 / scale);
  rank_ = 0;
  for (Index j = 0; j < w_.rows(); ++j) {
    auto rest = basis.row(rank_ + 1);
    rest = w_.row(j);
    // What is left beside the constant row: w constant and not zero holds for no theta, and is kept to say so.
    if (rest.template lpNorm<Eigen::Infinity>() <= kDependent) continue;
    for (int pass = 0; pass < 2; ++pass)
      for (Index k = 0; k <= rank_; ++k) rest -= rest.dot(basis.row(k)) * basis.row(k);
    const double left = rest.norm();
    if (left <= kDependent * scale) {
      bool depends = rank_ > 0;  // on other rows alone: their combination is zero where they are
      if (depends) {
        Eigen::Matrix<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, kMostWeights> own = w_.row(j);
        // Least squares on the chosen rows, without the row of ones.
        double normal[kMostHeld * (kMostHeld + 1)];
        for (Index a = 0; a < rank_; ++a) {
          for (Index b = 0; b < rank_; ++b)
            normal[a * (rank_ + 1) + b] =
                w_.row(rows_[static_cast<std::size_t>(a)]).dot(w_.row(rows_[static_cast<std::size_t>(b)]));
          normal[a * (rank_ + 1) + rank_] = w_.row(rows_[static_cast<std::size_t>(a)]).dot(own);
        }
        depends = solve_small(normal, rank_);
        for (Index a = 0; depends && a < rank_; ++a)
          own -= normal[a * (rank_ + 1) + rank_] * w_.row(rows_[static_cast<std::size_t>(a)]);
        depends = depends && own.template lpNorm<Eigen::Infinity>() <= 1e3 * kDependent;
      }
      if (depends) continue;
      rows_[0] = j;  // no theta: a constant row
      rank_ = -1;
      return;
    }
    rest /= left;
    rows_[static_cast<std::size_t>(rank_++)] = j;
  }
}

bool HullSlice::basis_weights(std::uint32_t mask, Weights& theta) const {
  const Index count = std::popcount(mask);
  if (rank_ < 0 || count != rank_ + 1) return false;
  double rows[(kMostHeld + 1) * (kMostHeld + 2)];
  Index column = 0;
  for (Index i = 0; i < size(); ++i) {
    if (!(mask >> i & 1)) continue;
    for (Index a = 0; a < rank_; ++a) rows[a * (count + 1) + column] = w_(rows_[static_cast<std::size_t>(a)], i);
    rows[rank_ * (count + 1) + column++] = 1.0;
  }
  for (Index a = 0; a < count; ++a) rows[a * (count + 1) + count] = a == rank_ ? 1.0 : 0.0;
  if (!solve_small(rows, count)) return false;
  theta.setZero(size());
  column = 0;
  for (Index i = 0; i < size(); ++i)
    if (mask >> i & 1) theta[i] = rows[column++ * (count + 1) + count];
  return true;
}

/// theta = tau + sigma, sigma >= 0 with at most r entries: all choices of them.
double HullSlice::innermost(Weights& theta) const {
  double best = -std::numeric_limits<double>::infinity();
  theta.setZero(size());
  if (rank_ < 0) return best;
  const Index count = rank_ + 1;
  double rows[(kMostHeld + 1) * (kMostHeld + 2)];
  const auto attempt = [&](std::uint32_t mask) {
    Index column = 1;
    for (Index a = 0; a < rank_; ++a) {
      rows[a * (count + 1)] = w_.row(rows_[static_cast<std::size_t>(a)]).sum();
      rows[a * (count + 1) + count] = 0.0;
    }
    rows[rank_ * (count + 1)] = static_cast<double>(size());
    rows[rank_ * (count + 1) + count] = 1.0;
    for (Index i = 0; i < size(); ++i) {
      if (!(mask >> i & 1)) continue;
      for (Index a = 0; a < rank_; ++a) rows[a * (count + 1) + column] = w_(rows_[static_cast<std::size_t>(a)], i);
      rows[rank_ * (count + 1) + column++] = 1.0;
    }
    if (!solve_small(rows, count)) return;
    const double tau = rows[count];
    if (!(tau > best)) return;
    for (Index k = 1; k < count; ++k)
      if (rows[k * (count + 1) + count] < -1e-14) return;
    best = tau;
    theta.setConstant(size(), tau);
    column = 1;
    for (Index i = 0; i < size(); ++i)
      if (mask >> i & 1) theta[i] += rows[column++ * (count + 1) + count];
  };
  if (rank_ == 0) {
    attempt(0);
    return best;
  }
  const std::uint32_t end = std::uint32_t{1} << size();
  for (std::uint32_t mask = (std::uint32_t{1} << rank_) - 1; mask < end; mask = next_mask(mask)) attempt(mask);
  return best;
}

void HullSlice::vertices(std::vector<Weights>& thetas, std::vector<std::uint32_t>& masks) const {
  thetas.clear();
  masks.clear();
  if (rank_ < 0 || rank_ + 1 > size()) return;
  const std::uint32_t end = std::uint32_t{1} << size();
  Weights theta;
  for (std::uint32_t mask = (std::uint32_t{1} << (rank_ + 1)) - 1; mask < end; mask = next_mask(mask)) {
    if (!basis_weights(mask, theta) || theta.minCoeff() < -kNegative) continue;
    const bool known = std::any_of(thetas.begin(), thetas.end(), [&](const Weights& other) {
      return (other - theta).lpNorm<Eigen::Infinity>() <= kNegative;
    });
    if (known) continue;
    thetas.push_back(theta);
    masks.push_back(mask);
  }
}

bool HullSlice::multi_affine(SurfaceVector& alpha, Weights& theta) const {
  constexpr int kMost = 50;
  const Index q = w_.rows(), m = size();
  if (rank_ < 0) return false;
  const auto weights = [&] {
    theta.resize(m);
    for (Index i = 0; i < m; ++i) {
      theta[i] = 1.0;
      for (Index j = 0; j < q; ++j) theta[i] *= i >> j & 1 ? alpha[j] : 1.0 - alpha[j];
    }
  };
  weights();
  double rows[kMostHeld * (kMostHeld + 1)];
  double last = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < kMost; ++pass) {
    if (rank_ == 0) return true;
    SurfaceRates slopes = SurfaceRates::Zero(rank_, q);
    for (Index j = 0; j < q; ++j)
      for (Index i = 0; i < m; ++i) {
        double slope = i >> j & 1 ? 1.0 : -1.0;
        for (Index k = 0; k < q; ++k)
          if (k != j) slope *= i >> k & 1 ? alpha[k] : 1.0 - alpha[k];
        for (Index a = 0; a < rank_; ++a) slopes(a, j) += slope * w_(rows_[static_cast<std::size_t>(a)], i);
      }
    double residual = 0.0;
    for (Index a = 0; a < rank_; ++a) {
      const double value = w_.row(rows_[static_cast<std::size_t>(a)]).dot(theta.transpose());
      residual = std::max(residual, std::abs(value));
      for (Index b = 0; b < rank_; ++b) rows[a * (rank_ + 1) + b] = slopes.row(a).dot(slopes.row(b));
      rows[a * (rank_ + 1) + rank_] = value;
    }
    if (residual == 0.0 || (residual < 1e-13 && residual >= 0.5 * last)) return true;
    last = residual;
    if (!solve_small(rows, rank_)) return false;
    for (Index j = 0; j < q; ++j)
      for (Index a = 0; a < rank_; ++a) alpha[j] -= slopes(a, j) * rows[a * (rank_ + 1) + rank_];
    if (!alpha.allFinite() || alpha.lpNorm<Eigen::Infinity>() > 1e3) return false;
    weights();
  }
  return last < 1e-12;
}

bool HullSlice::moments(const SurfaceVector& gradients, Weights& theta) const {
  if (w_.rows() != 2 || rank_ != 2) return false;
  double rows[4 * 5];
  for (Index i = 0; i < 4; ++i) {
    const double size = std::hypot(w_(0, i) * terms_[0] / gradients[0], w_(1, i) * terms_[1] / gradients[1]);
    rows[i] = w_(0, i);
    rows[5 + i] = w_(1, i);
    rows[10 + i] = i == 0 || i == 3 ? size : -size;
    rows[15 + i] = 1.0;
  }
  rows[4] = rows[9] = rows[14] = 0.0;
  rows[19] = 1.0;
  if (!solve_small(rows, 4)) return false;
  theta.resize(4);
  for (Index i = 0; i < 4; ++i) theta[i] = rows[i * 5 + 4];
  return true;
}

void least_norm(const Eigen::MatrixXd& G, Eigen::VectorXd& mu) {
  const Index count = G.rows();
  mu.setZero(count);
  Index start = 0;
  for (Index k = 1; k < count; ++k)
    if (G(k, k) < G(start, start)) start = k;
  mu[start] = 1.0;
  std::array<Index, kWidth> corral{};
  Index used = 1;
  corral[0] = start;
  std::array<double, (kWidth + 1) * (kWidth + 2)> rows;
  const double largest = G.diagonal().maxCoeff();
  const auto gradient = [&](Index k) {
    double sum = 0.0;
    for (Index a = 0; a < used; ++a)
      sum += G(k, corral[static_cast<std::size_t>(a)]) * mu[corral[static_cast<std::size_t>(a)]];
    return sum;
  };
  for (Index pass = 0; pass < 20 * count; ++pass) {
    double norm = 0.0, least = std::numeric_limits<double>::infinity();
    for (Index a = 0; a < used; ++a)
      norm += mu[corral[static_cast<std::size_t>(a)]] * gradient(corral[static_cast<std::size_t>(a)]);
    Index best = -1;
    for (Index k = 0; k < count; ++k) {
      const double value = gradient(k);
      if (value < least) least = value, best = k;
    }
    if (least >= norm - 1e-13 * largest || used + 1 >= kWidth) return;
    if (std::find(corral.begin(), corral.begin() + used, best) != corral.begin() + used) return;
    corral[static_cast<std::size_t>(used++)] = best;
    while (true) {
      const Index n = used + 1;
      for (Index a = 0; a < used; ++a) {
        for (Index b = 0; b < used; ++b)
          rows[static_cast<std::size_t>(a * (n + 1) + b)] =
              G(corral[static_cast<std::size_t>(a)], corral[static_cast<std::size_t>(b)]);
        rows[static_cast<std::size_t>(a * (n + 1) + used)] = largest;
        rows[static_cast<std::size_t>(a * (n + 1) + n)] = 0.0;
        rows[static_cast<std::size_t>(used * (n + 1) + a)] = largest;
      }
      rows[static_cast<std::size_t>(used * (n + 1) + used)] = 0.0;
      rows[static_cast<std::size_t>(used * (n + 1) + n)] = largest;
      if (!solve_small(rows.data(), n)) return;
      double part = 1.0;
      Index leaves = -1;
      for (Index a = 0; a < used; ++a) {
        const double to = rows[static_cast<std::size_t>(a * (n + 1) + n)],
                     from = mu[corral[static_cast<std::size_t>(a)]];
        if (to > 1e-14) continue;
        const double ratio = from > to ? from / (from - to) : 0.0;
        if (ratio < part) part = ratio, leaves = a;
      }
      for (Index a = 0; a < used; ++a) {
        double& own = mu[corral[static_cast<std::size_t>(a)]];
        own += part * (rows[static_cast<std::size_t>(a * (n + 1) + n)] - own);
      }
      if (leaves < 0) break;
      mu[corral[static_cast<std::size_t>(leaves)]] = 0.0;
      std::copy(corral.begin() + leaves + 1, corral.begin() + used, corral.begin() + leaves);
      --used;
    }
  }
}

}  // namespace nonsmooth::filippov
