// SPDX-License-Identifier: Apache-2.0
#include "poisson_impact.hpp"

namespace nonsmooth::impacts {

bool PoissonImpact::solve(PhaseSolver& solver) {
  solver.solve(compression, result_);
  const ProductSet& K = compression.K;
  p_ = result_.r;
  if (p_.size() != K.num_rows()) p_.setZero(K.num_rows());
  if (!result_.ok()) return false;
  given_.setZero(p_.size());
  for (Index i = 0; i < K.num_blocks(); ++i) {
    if (K[i].kind == SetKind::Free) continue;
    given_[K.offset(i)] = restitution[static_cast<std::size_t>(i)] * p_[K.offset(i)];
  }
  if (given_.isZero(0.0)) return true;
  start_ = result_.u;
  compression.W.multiply_add(given_, start_, start_);
  write_expansion();
  solver.solve(expansion_, result_);
  if (result_.r.size() != expansion_.q.size()) return false;
  p_ += given_;
  for (Index part = 0, at = 0; part < rows_.num_parts(); at += rows_.size(part++)) {
    for (Index k = 0; k < rows_.size(part); ++k) {
      const Index row = rows_.row(part, k);
      if (row >= 0) p_[K.offset(rows_.block(part)) + row] += result_.r[at + k];
    }
  }
  return result_.ok();
}

void PoissonImpact::write_expansion() {
  const ProductSet& K = compression.K;
  rows_.clear();
  expansion_.K.clear();
  for (Index i = 0; i < K.num_blocks(); ++i) {
    rows_.add(i, K.size(i));
    expansion_.K.push_back(K[i], K.size(i));
    const double bound = K[i].kind == SetKind::Free ? 0.0 : K[i].mu * given_[K.offset(i)];
    if (K.size(i) == 1 || !(bound > 0.0)) continue;
    BlockSet known;
    if (K.size(i) == 2) {
      known.kind = SetKind::Box;
      known.lower = -bound;
      known.upper = bound;
    } else {
      known.kind = SetKind::Coulomb3D;
      known.mu = K[i].mu;
    }
    rows_.add_tangential(i, K.size(i));
    expansion_.K.push_back(known, rows_.size(rows_.num_parts() - 1));
  }
  rows_.take(compression.W, expansion_.W);
  expansion_.q.resize(expansion_.K.num_rows());
  for (Index part = 0, at = 0; part < rows_.num_parts(); at += rows_.size(part++)) {
    for (Index k = 0; k < rows_.size(part); ++k) {
      const Index row = rows_.row(part, k);
      const Index first = K.offset(rows_.block(part));
      // The row that is none carries e p_cN by itself: 0 <= W_NN (p - e p_cN) ⟂ p >= 0.
      expansion_.q[at + k] =
          row < 0 ? -expansion_.W.block(part, expansion_.W.diagonal(part))(k, k) * given_[first] : start_[first + row];
    }
  }
}

}  // namespace nonsmooth::impacts
