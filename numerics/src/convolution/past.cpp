// SPDX-License-Identifier: Apache-2.0
#include "past.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <utility>
#include <vector>

#include <internal/at.hpp>
#include <internal/fourier.hpp>

#include "modes.hpp"

namespace nonsmooth::convolution::detail {
namespace {

using Spectra = std::vector<std::vector<std::complex<double>>>;

/// A block of columns of W or p, one spectrum a row, zeros behind them up to `length`.
Spectra spectra_of(const Eigen::MatrixXd& values, Index from, Index columns, Index length,
                   FourierTransform& transform) {
  Spectra spectra(at(values.rows()));
  std::vector<double> x(at(length));
  for (Index i = 0; i < values.rows(); ++i) {
    std::fill(x.begin(), x.end(), 0.0);
    for (Index j = 0; j < columns; ++j) x[at(j)] = values(i, from + j);
    transform.forward(x, spectra[at(i)]);
  }
  return spectra;
}

/// sum_k W_ik p_k of spectra, back in time: calls `take(i, x)` for each row.
template <class Take>
void multiply(const Spectra& W, const Spectra& p, Index length, FourierTransform& transform, const Take& take) {
  const auto m = static_cast<Index>(p.size());
  std::vector<std::complex<double>> product;
  std::vector<double> x;
  for (Index i = 0; i < m; ++i) {
    product.assign(p[0].size(), {0.0, 0.0});
    for (Index k = 0; k < m; ++k) {
      const auto& a = W[at(k * m + i)];
      const auto& b = p[at(k)];
      for (std::size_t s = 0; s < product.size(); ++s) {  // plain products: no C99 rules for infinities
        product[s] += std::complex<double>(a[s].real() * b[s].real() - a[s].imag() * b[s].imag(),
                                           a[s].real() * b[s].imag() + a[s].imag() * b[s].real());
      }
    }
    transform.inverse(product, length, x);
    take(i, x);
  }
}

class DirectPast final : public Past {
 public:
  explicit DirectPast(const Weights& weights) : weights_(weights) {}
  void before(Index n, const Eigen::MatrixXd& p, Eigen::VectorXd& sum) override {
    sum.setZero();
    add_direct(weights_, 0, n, p, sum);
  }
  void known(Index, const Eigen::MatrixXd&) override {}

 private:
  const Weights& weights_;
};

/// Blocks of kBase steps. After block b, with r the largest power of two that divides b, the impulses of its last r
/// blocks go to the r blocks that follow; the triangle below the diagonal is the union of these squares and of the
/// triangles of single blocks.
class FourierPast final : public Past {
 public:
  explicit FourierPast(const Weights& weights)
      : weights_(weights), sums_(Eigen::MatrixXd::Zero(weights.size(), weights.count())) {}

  void before(Index n, const Eigen::MatrixXd& p, Eigen::VectorXd& sum) override {
    sum = sums_.col(n);
    add_direct(weights_, n - n % kBase, n, p, sum);
  }

  void known(Index n, const Eigen::MatrixXd& p) override {
    const Index N = weights_.count(), next = n + 1;
    if (next % kBase != 0 || next >= N) return;
    const Index block = next / kBase, r = block & -block, width = r * kBase, length = 2 * width;
    auto found = spectra_.find(width);
    if (found == spectra_.end()) {
      found = spectra_.emplace(width, spectra_of(weights_.values, 0, std::min(length, N), length, transform_)).first;
    }
    const Spectra impulses = spectra_of(p, next - width, width, length, transform_);
    const Index columns = std::min(width, N - next);
    multiply(found->second, impulses, length, transform_, [&](Index i, const std::vector<double>& x) {
      for (Index j = 0; j < columns; ++j) sums_(i, next + j) += x[at(width + j)];
    });
  }

 private:
  static constexpr Index kBase = 64;
  const Weights& weights_;
  Eigen::MatrixXd sums_;
  FourierTransform transform_;
  std::map<Index, Spectra> spectra_;  // of the first 2 width weights, by width
};

class RecursivePast final : public Past {
 public:
  RecursivePast(const ExponentialKernel& kernel, double h, Rule rule)
      : modes_(modes_of(kernel, h, rule)), coefficients_(kernel.coefficients) {
    const auto m = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(coefficients_.rows()))));
    now_ = before_ = Eigen::ArrayXXcd::Zero(coefficients_.cols(), m);
  }

  void before(Index, const Eigen::MatrixXd&, Eigen::VectorXd& sum) override {
    const Index m = now_.cols();
    free_ = now_.colwise() * modes_.a + before_.colwise() * modes_.b;
    sum.setZero();
    for (Index k = 0; k < m; ++k) {  // column k of every C_l stands in rows k m ... of its column
      scaled_ = (free_.col(k) * modes_.gain).matrix();
      sum += (coefficients_.middleRows(k * m, m) * scaled_).real();
    }
  }
  void known(Index n, const Eigen::MatrixXd& p) override {
    before_.swap(now_);
    now_ = free_;
    for (Index k = 0; k < now_.cols(); ++k) now_.col(k) += p(k, n);
  }

 private:
  Modes modes_;
  Eigen::MatrixXcd coefficients_;
  Eigen::ArrayXXcd now_, before_, free_;  // modes x m
  Eigen::VectorXcd scaled_;
};

class CompressedPast final : public Past {
 public:
  CompressedPast(const Weights& weights, Compression compression) : weights_(weights), parts_(std::move(compression)) {
    const Index m = weights.size();
    moments_ = Eigen::ArrayXXd::Zero(parts_.factors.size(), m);
    // At step n the moments hold p_{n - first}, ...: each stands first / before the last of the kept weights.
    gains_ = parts_.coefficients * parts_.factors.array().pow(static_cast<double>(parts_.first)).matrix().asDiagonal();
  }

  void before(Index n, const Eigen::MatrixXd& p, Eigen::VectorXd& sum) override {
    const Index m = weights_.size(), oldest = n - parts_.first;
    if (oldest >= 0) {
      moments_.colwise() *= parts_.factors.array();
      for (Index k = 0; k < m; ++k) moments_.col(k) += p(k, oldest);
    }
    sum.setZero();
    add_direct(weights_, std::max(Index{0}, oldest + 1), n, p, sum);
    for (Index k = 0; k < m; ++k) sum += gains_.middleRows(k * m, m) * moments_.col(k).matrix();
  }
  void known(Index, const Eigen::MatrixXd&) override {}

 private:
  const Weights& weights_;
  Compression parts_;
  Eigen::MatrixXd gains_;
  Eigen::ArrayXXd moments_;  // terms x m
};

}  // namespace

void add_direct(const Weights& weights, Index from, Index n, const Eigen::MatrixXd& p, Eigen::VectorXd& sum) {
  if (p.rows() == 1) {
    double total = 0.0;
    const double* W = weights.values.data() + n;
    const double* z = p.data();
    for (Index j = from; j < n; ++j) total += W[-j] * z[j];
    sum[0] += total;
    return;
  }
  for (Index j = from; j < n; ++j) sum.noalias() += weights.weight(n - j).lazyProduct(p.col(j));
}

std::unique_ptr<Past> direct_past(const Weights& weights) { return std::make_unique<DirectPast>(weights); }
std::unique_ptr<Past> fourier_past(const Weights& weights) { return std::make_unique<FourierPast>(weights); }
std::unique_ptr<Past> recursive_past(const ExponentialKernel& kernel, double h, Rule rule) {
  return std::make_unique<RecursivePast>(kernel, h, rule);
}
std::unique_ptr<Past> compressed_past(const Weights& weights, Compression compression) {
  return std::make_unique<CompressedPast>(weights, std::move(compression));
}

Eigen::MatrixXd convolve(const Weights& weights, const Eigen::MatrixXd& p) {
  const Index n = p.cols();
  Index length = 4;
  while (length < 2 * n) length *= 2;
  FourierTransform transform;
  const Spectra W = spectra_of(weights.values, 0, n, length, transform);
  const Spectra impulses = spectra_of(p, 0, n, length, transform);
  Eigen::MatrixXd sums(p.rows(), n);
  multiply(W, impulses, length, transform, [&](Index i, const std::vector<double>& x) {
    for (Index j = 0; j < n; ++j) sums(i, j) = x[at(j)];
  });
  return sums;
}

}  // namespace nonsmooth::convolution::detail
