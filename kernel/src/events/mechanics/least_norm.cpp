// SPDX-License-Identifier: Apache-2.0
#include "least_norm.hpp"

#include <algorithm>
#include <cmath>

namespace nonsmooth::events {
namespace {

constexpr double kLeastShare = 1e-6;

/// Takes out of x what is along the first vectors of a basis, as many as `along` has entries, and adds it to these.
/// Twice: what is left is orthogonal to them to rounding.
template <class X, class Along>
void take_out(const Eigen::MatrixXd& basis, X&& x, Along&& along) {
  for (int pass = 0; pass < 2; ++pass) {
    for (Index i = 0; i < along.size(); ++i) {
      const double part = basis.col(i).dot(x);
      x -= part * basis.col(i);
      along[i] += part;
    }
  }
}

}  // namespace

void LeastNorm::compute(const Eigen::MatrixXd& W, const Eigen::VectorXd& capacities, const Eigen::VectorXd& weights) {
  unit_.resize(W.cols());
  free_.clear();
  const auto mobility_of = [&](Index k) {
    if (weights[k] > 0.0) return weights[k];
    return std::max(std::abs(W(k, k)), kLeastShare * W.row(k).cwiseAbs().maxCoeff());
  };
  double of_friction = 0.0;
  for (Index k = 0; k < W.cols(); ++k) {
    if (capacities[k] > 0.0) of_friction = std::max(of_friction, mobility_of(k));
  }
  double reference = 0.0;  // units that are powers of two then change nothing, as only ratios are rounded
  for (Index k = 0; k < W.cols(); ++k) {
    const bool free = std::isinf(capacities[k]);
    if (free) free_.push_back(k);
    const double mobility = capacities[k] > 0.0 && !free ? of_friction / capacities[k] : mobility_of(k);
    if (reference == 0.0) reference = mobility;
    unit_[k] = mobility > 0.0 ? std::sqrt(reference / mobility) : 1.0;
  }
  factorize(W);
}

void LeastNorm::compute_unscaled(const Eigen::MatrixXd& A) {
  unit_.setOnes(A.cols());
  free_.clear();
  factorize(A);
}

void LeastNorm::factorize(const Eigen::MatrixXd& A) {
  scaled_ = A;
  for (Index j = 0; j < A.cols(); ++j) scaled_.col(j) *= unit_[j];
  rows_.setOnes(A.rows());
  for (Index i = 0; i < A.rows() && A.cols() > 0; ++i) {
    const double largest = scaled_.row(i).cwiseAbs().maxCoeff();
    if (largest > 0.0) rows_[i] = 1.0 / largest;
    scaled_.row(i) *= rows_[i];
  }
  if (!free_.empty()) eliminate_free();
  factors_.compute(scaled_);
}

/// Gram and Schmidt's basis of the free columns; these are zero afterwards, and so are their unknowns.
void LeastNorm::eliminate_free() {
  const Index m = scaled_.rows(), n = scaled_.cols();
  basis_.resize(m, std::ssize(free_));
  triangle_.setZero(std::ssize(free_), std::ssize(free_));
  Index count = 0;
  for (Index end = std::ssize(free_); count < end;) {
    const Index k = free_[static_cast<std::size_t>(count)];
    auto column = scaled_.col(k);
    const double whole = column.norm();
    along_.setZero(count);
    take_out(basis_, column, along_);
    const double left = column.norm();
    if (left > threshold_ * whole) {
      triangle_.col(count).head(count) = along_;
      triangle_(count, count) = left;
      basis_.col(count++) = column / left;
    } else {
      std::swap(free_[static_cast<std::size_t>(count)], free_[static_cast<std::size_t>(--end)]);
      triangle_.col(end).head(count) = along_;
    }
    column.setZero();
  }
  coupling_.resize(count, n);
  find_kernel_of_free();
  for (Index j = 0; j < n; ++j) {
    const double whole = scaled_.col(j).norm();
    coupling_.col(j).setZero();
    take_out(basis_, scaled_.col(j), coupling_.col(j));
    if (scaled_.col(j).norm() <= threshold_ * whole) scaled_.col(j).setZero();  // rounding, which is no pivot
  }
}

/// Of each free column that depends on those of the basis: what of these takes its place.
void LeastNorm::find_kernel_of_free() {
  const Index count = num_kept();
  for (Index d = count; d < std::ssize(free_); ++d) {
    auto kernel = triangle_.col(d);
    for (Index i = count - 1; i >= 0; --i) {
      for (Index k = i + 1; k < count; ++k) kernel[i] += triangle_(i, k) * kernel[k];
      kernel[i] /= -triangle_(i, i);
    }
    kernel[d] = 1.0;
    for (int pass = 0; pass < 2; ++pass) {
      for (Index e = count; e < d; ++e) kernel -= triangle_.col(e).dot(kernel) * triangle_.col(e);
    }
    kernel.normalize();
  }
}

void LeastNorm::solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) {
  const Index m = factors_.rows(), rank = factors_.rank(), count = num_kept();
  image_ = rows_.cwiseProduct(b);
  along_.setZero(count);
  take_out(basis_, image_, along_);
  for (Index k = 0; k < rank; ++k) {  // Q^T
    const auto tail = factors_.matrix_qtz().col(k).tail(m - k - 1);
    const double along = factors_.q_coefficients()[k] * (image_[k] + tail.dot(image_.tail(m - k - 1)));
    image_[k] -= along;
    image_.tail(m - k - 1) -= along * tail;
  }
  factors_.solve_triangle_in_place(image_.head(rank));
  expand_others(image_);
  for (Index i = count - 1; i >= 0; --i) {
    double own = along_[i];
    for (Index j = 0; j < coupling_.cols(); ++j)
      own -= coupling_(i, factors_.permutation().indices()[j]) * reflected_[j];
    for (Index k = i + 1; k < count; ++k) own -= triangle_(i, k) * along_[k];
    along_[i] = own / triangle_(i, i);
  }
  scale(x);
}

void LeastNorm::expand(const Eigen::VectorXd& y, Eigen::VectorXd& x) {
  expand_others(y);
  along_ = y.segment(factors_.rank(), num_kept());
  scale(x);
}

void LeastNorm::expand_others(const Eigen::VectorXd& y) {
  const Index n = factors_.cols(), rank = factors_.rank(), rest = n - rank;
  reflected_.setZero(n);
  reflected_.head(rank) = y.head(rank);
  for (Index k = 0; k < rank && rest > 0; ++k) {  // Z^T
    const auto tail = factors_.matrix_qtz().row(k).tail(rest);
    const double along = factors_.z_coefficients()[k] * (reflected_[k] + tail.dot(reflected_.tail(rest)));
    reflected_[k] -= along;
    reflected_.tail(rest) -= along * tail.transpose();
  }
}

/// x from reflected_ and, of the free ones, along_.
void LeastNorm::scale(Eigen::VectorXd& x) const {
  const Index n = factors_.cols();
  x.resize(n);
  for (Index j = 0; j < n; ++j) {
    const Index k = factors_.permutation().indices()[j];
    x[k] = unit_[k] * reflected_[j];
  }
  const Index count = num_kept();
  for (Index i = 0; i < std::ssize(free_); ++i) x[free_[static_cast<std::size_t>(i)]] = i < count ? along_[i] : 0.0;
  for (Index d = count; d < std::ssize(free_); ++d) {  // least norm: nothing along the kernel
    double along = 0.0;
    for (std::size_t i = 0; i < free_.size(); ++i) along += triangle_(static_cast<Index>(i), d) * x[free_[i]];
    for (std::size_t i = 0; i < free_.size(); ++i) x[free_[i]] -= along * triangle_(static_cast<Index>(i), d);
  }
  for (const Index k : free_) x[k] *= unit_[k];
}

}  // namespace nonsmooth::events
