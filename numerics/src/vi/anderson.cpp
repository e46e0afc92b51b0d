// SPDX-License-Identifier: Apache-2.0
#include "anderson.hpp"

#include <algorithm>
#include <cmath>

namespace nonsmooth::vi::detail {

Anderson::Anderson(Index size, Index memory)
    : memory_(std::min(memory, size)),
      Q_(size, memory_),
      U_(memory_, memory_),
      Y_(size, memory_),
      r_(size),
      last_r_(size),
      last_image_(size),
      products_(memory_),
      coefficients_(memory_) {}

bool Anderson::propose(const Eigen::VectorXd& x, const Eigen::VectorXd& image, Eigen::VectorXd& proposal) {
  if (memory_ == 0) return false;
  r_ = image - x;
  if (pairs_ > 0) {
    if (columns_ == memory_) drop_oldest();
    Q_.col(columns_) = r_ - last_r_;
    Y_.col(columns_) = image - last_image_;
    append();
  }
  last_r_ = r_;
  last_image_ = image;
  ++pairs_;
  if (columns_ == 0) return false;
  auto gamma = coefficients_.head(columns_);
  gamma.noalias() = Q_.leftCols(columns_).transpose() * r_;
  for (Index i = columns_ - 1; i >= 0; --i) {
    gamma[i] /= U_(i, i);
    gamma.head(i) -= gamma[i] * U_.col(i).head(i);
  }
  proposal = image;
  proposal.noalias() -= Y_.leftCols(columns_) * gamma;
  return proposal.allFinite();
}

/// Makes of the difference in column `columns_` of Q its unit remainder, and a column of U.
void Anderson::append() {
  auto q = Q_.col(columns_);
  const double length = q.norm();
  if (!(length > 0.0)) {
    columns_ = 0;
    return;
  }
  auto u = U_.col(columns_).head(columns_);
  u.setZero();
  double left = length;
  if (columns_ > 0) {
    const auto others = Q_.leftCols(columns_);
    auto products = products_.head(columns_);
    for (int pass = 0; pass < 2; ++pass) {  // once more where more than a digit was lost
      const double before = left;
      products.noalias() = others.transpose() * q;
      q.noalias() -= others * products;
      u += products;
      left = q.norm();
      if (left > 0.1 * before) break;
    }
  }
  if (!(left > 1e-8 * length)) {  // alone, as a difference of the images that it belongs to
    Y_.col(0) = Y_.col(columns_);
    Q_.col(0) = r_ - last_r_;
    columns_ = 0;
    left = Q_.col(0).norm();
  }
  Q_.col(columns_) /= left;
  U_(columns_, columns_) = left;
  ++columns_;
}

/// U without its first column has one entry below the diagonal in each column: rotations of rows and of Q's columns
/// take these away.
void Anderson::drop_oldest() {
  const Index last = columns_ - 1;
  for (Index j = 0; j < last; ++j) {
    U_.col(j).head(j + 2) = U_.col(j + 1).head(j + 2);
    Y_.col(j) = Y_.col(j + 1);
  }
  for (Index j = 0; j < last; ++j) {
    const double length = std::hypot(U_(j, j), U_(j + 1, j));
    const double c = U_(j, j) / length, s = U_(j + 1, j) / length;  // U_(j + 1, j) is a pivot of before, not 0
    U_(j, j) = length;
    for (Index k = j + 1; k < last; ++k) {
      const double above = U_(j, k), below = U_(j + 1, k);
      U_(j, k) = c * above + s * below;
      U_(j + 1, k) = c * below - s * above;
    }
    for (Index i = 0; i < Q_.rows(); ++i) {
      const double above = Q_(i, j), below = Q_(i, j + 1);
      Q_(i, j) = c * above + s * below;
      Q_(i, j + 1) = c * below - s * above;
    }
  }
  columns_ = last;
}

}  // namespace nonsmooth::vi::detail
