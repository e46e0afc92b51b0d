// SPDX-License-Identifier: Apache-2.0
#include "canonical.hpp"

#include <algorithm>

namespace nonsmooth::mixed::internal {

BlockSet canonical_set(const BlockSet& given, Index n, double* scale) noexcept {
  BlockSet set = given;
  std::fill_n(scale, n, 1.0);
  set.cohesion = 0.0;
  if (set.kind == SetKind::Coulomb3D) {
    if (set.mu_2 > 0.0 && set.mu_2 != set.mu) scale[2] = set.mu_2 / set.mu;
    set.mu_2 = -1.0;
  } else if (set.kind == SetKind::Box) {
    if (set.unit == 1.0) return set;
    scale[0] = set.unit;
    set.lower /= set.unit;
    set.upper /= set.unit;
    set.unit = 1.0;
  } else if (set.kind == SetKind::Rolling) {
    const Index spin = n == 4 || n == 6 ? 1 : 0, first = n == 3 ? 2 : 3;
    if (set.mu > 0.0 && set.rolling > 0.0) {
      std::fill(scale + first, scale + n - spin, set.rolling / set.mu);
      set.rolling = set.mu;
    }
    if (set.mu > 0.0 && set.spinning > 0.0) {
      if (spin > 0) scale[n - 1] = set.spinning / set.mu;
      set.spinning = set.mu;
    }
  }
  return set;
}

void CanonicalScaling::assign(const ProductSet& K) {
  scale_.resize(K.num_rows());
  shift_.setZero(K.num_rows());
  K_.clear();
  K_.reserve(K.num_blocks());
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const Index o = K.offset(b), n = K.size(b);
    shift_[o] = K[b].cohesion;
    K_.push_back(canonical_set(K[b], n, scale_.data() + o), n);
  }
}

void CanonicalScaling::to_canonical(VectorRef r) const { r = (r + shift_).cwiseQuotient(scale_); }

void CanonicalScaling::from_canonical(VectorRef r) const { r = r.cwiseProduct(scale_) - shift_; }

void CanonicalScaling::velocity_to_canonical(VectorRef u) const { u = u.cwiseProduct(scale_); }

void CanonicalScaling::velocity_from_canonical(VectorRef u) const { u = u.cwiseQuotient(scale_); }

void CanonicalScaling::proof_from_canonical(VectorRef y) const { y = y.cwiseProduct(scale_); }

void CanonicalForm::assign(const Problem& problem, bool same_matrix) {
  const BlockSparseMatrix& W = problem.W;
  if (!same_matrix || problem_.W.rows() != W.rows()) {
    scaling_.assign(problem.K);
    problem_.K = scaling_.sets();
    problem_.W = W;
    const GrowingVector& scale = scaling_.scale();
    for (Index b = 0; b < W.num_block_rows(); ++b)
      for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) {
        const Index n = W.size(b), first = W.offset(W.column(k)), columns = W.size(W.column(k));
        double* value = problem_.W.values(k);
        for (Index j = 0; j < columns; ++j)
          for (Index i = 0; i < n; ++i) value[j * n + i] *= scale[W.offset(b) + i] * scale[first + j];
      }
  }
  product_.setZero(W.rows());
  if (!scaling_.shift().isZero(0.0)) W.multiply_add(scaling_.shift(), product_, product_);
  problem_.q = (problem.q - product_).cwiseProduct(scaling_.scale());
}

}  // namespace nonsmooth::mixed::internal
