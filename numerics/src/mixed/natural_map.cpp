// SPDX-License-Identifier: Apache-2.0
#include "natural_map.hpp"

#include <algorithm>

namespace nonsmooth::mixed::internal {

NaturalMap::NaturalMap(const ProductSet& K) { prepare(K); }

void NaturalMap::prepare(const ProductSet& K) {
  A.prepare(K);
  C.prepare(K);
  K_ = &K;
  Index widest = 0;
  for (Index b = 0; b < K.num_blocks(); ++b) widest = std::max(widest, K.size(b));
  scratch_.resize(static_cast<std::size_t>(widest * (widest + 3)));
}

void NaturalMap::evaluate(Form form, ConstVectorRef rho, ConstVectorRef r, ConstVectorRef u, VectorRef e) const {
  for (Index b = 0; b < K_->num_blocks(); ++b) {
    const Index o = K_->offset(b);
    natural_map((*K_)[b], form, rho.data() + o, r.data() + o, u.data() + o, K_->size(b), e.data() + o);
  }
}

void NaturalMap::linearize(Form form, ConstVectorRef rho, ConstVectorRef r, ConstVectorRef u, VectorRef e) {
  for (Index b = 0; b < K_->num_blocks(); ++b) {
    const Index o = K_->offset(b);
    linearize_natural_map((*K_)[b], form, rho.data() + o, r.data() + o, u.data() + o, K_->size(b), e.data() + o,
                          A.block(b), C.block(b), scratch_.data());
  }
}

void NaturalMap::shift(double by, ConstVectorRef rho) {
  for (Index b = 0; b < K_->num_blocks(); ++b) {
    const Index o = K_->offset(b), n = K_->size(b);
    for (Index i = 0; i < n; ++i) A.block(b)[i * (n + 1)] += by / rho[o + i];
  }
}

void NaturalMap::add_proximal_term(double alpha, ConstVectorRef rho) {
  for (Index b = 0; b < K_->num_blocks(); ++b) {
    const Index o = K_->offset(b), n = K_->size(b);
    double* a = A.block(b);
    const double* c = C.block(b);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) a[j * n + i] += c[j * n + i] * (alpha / rho[o + j]);
  }
}

}  // namespace nonsmooth::mixed::internal
