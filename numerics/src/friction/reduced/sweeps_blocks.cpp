// SPDX-License-Identifier: Apache-2.0
#include "sweeps_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <internal/decompositions.hpp>

#include "set_kernels.hpp"

namespace nonsmooth::friction::internal {
namespace {

/// One more of a pool that keeps its memory.
template <class T>
T& next(std::vector<T>& pool, std::size_t& used) {
  if (used == pool.size()) pool.emplace_back();
  return pool[used++];
}

}  // namespace

SweepsBlocks::Local SweepsBlocks::prepare_free(const double* W, Index n) {
  const Eigen::Map<const Eigen::MatrixXd> block(W, n, n);
  auto& factor = next(factors_, num_factors_);
  factor.compute(block);
  // A pivot at the round-off of the block's entries: the block is singular as far as its data can tell.
  const double pivot = factor.matrix().diagonal().cwiseAbs().minCoeff();
  if (pivot > static_cast<double>(n) * std::numeric_limits<double>::epsilon() * block.cwiseAbs().maxCoeff())
    return {.method = Method::Factors, .position = num_factors_ - 1};
  --num_factors_;
  CompleteOrthogonalFactors factors;
  factors.compute(block);
  next(pseudo_inverses_, num_pseudo_inverses_) = factors.pseudo_inverse();
  return {.method = Method::PseudoInverse, .position = num_pseudo_inverses_ - 1};
}

SweepsBlocks::Local SweepsBlocks::prepare_block(Index block) {
  const BlockSparseMatrix& W = problem_->W;
  const BlockSet& set = problem_->K[block];
  const Index n = W.size(block);
  const double* diagonal = W.values(W.diagonal(block));
  double trace = 0.0, norm = 0.0;
  for (Index i = 0; i < n; ++i) trace += diagonal[i * (n + 1)];
  for (Index i = 0; i < n * n; ++i) norm = std::max(norm, std::abs(diagonal[i]));
  const double scale = trace > 0.0 ? trace / static_cast<double>(n) : norm;
  if (n == 1 || set.kind == SetKind::Orthant || set.kind == SetKind::Box) {
    for (Index i = 0; i < n; ++i) {
      const double entry = diagonal[i * (n + 1)];
      const bool usable = set.kind == SetKind::Free ? entry != 0.0 : entry > 0.0;
      inverse_[static_cast<std::size_t>(W.offset(block) + i)] =
          1.0 / (usable ? entry : local::largest_entry(W, block, i, i + 1));
    }
    return {.method = Method::Rows, .scale = scale};
  }
  if (norm > 0.0) {
    if (set.kind == SetKind::Free) return prepare_free(diagonal, n);
    if (set.kind == SetKind::Coulomb2D) {
      if (next(planar_, num_planar_).prepare(diagonal, set.mu))
        return {.method = Method::Planar, .position = num_planar_ - 1, .scale = scale};
      --num_planar_;
    } else if (set.kind == SetKind::Coulomb3D) {
      if (next(spatial_, num_spatial_).prepare(diagonal, set.mu, false))
        return {.method = Method::Spatial, .position = num_spatial_ - 1, .scale = scale};
      --num_spatial_;
    }
    if (next(newton_, num_newton_).prepare(diagonal, set, n))
      return {.method = Method::Newton, .position = num_newton_ - 1, .scale = scale};
    --num_newton_;
  }
  return {.method = Method::Projection, .scale = local::largest_entry(W, block, 0, n)};
}

void SweepsBlocks::prepare(const mixed::Problem& problem) {
  problem_ = &problem;
  num_planar_ = num_spatial_ = num_newton_ = num_factors_ = num_pseudo_inverses_ = 0;
  const BlockSparseMatrix& W = problem.W;
  const auto rows = static_cast<std::size_t>(W.rows());
  if (inverse_.size() < rows) inverse_.resize(rows);
  if (scratch_.size() < 2 * rows) scratch_.resize(2 * rows);
  locals_.clear();
  for (Index i = 0; i < W.num_block_rows(); ++i) locals_.push_back(prepare_block(i));
}

double SweepsBlocks::solve_rows(Index block, double relaxation, const double* b, double* r) const {
  const BlockSparseMatrix& W = problem_->W;
  const Index n = W.size(block), offset = W.offset(block);
  const double* diagonal = W.values(W.diagonal(block));
  const auto bounds = local::interval(problem_->K[block]);
  double change = 0.0;
  for (Index i = 0; i < n; ++i) {
    double u = b[i];
    for (Index c = 0; c < n; ++c) u += diagonal[c * n + i] * r[c];
    const double inverse = inverse_[static_cast<std::size_t>(offset + i)];
    const double value = std::min(std::max(r[i] - relaxation * inverse * u, bounds.lower), bounds.upper);
    change = std::max(change, std::abs((value - r[i]) / inverse));
    r[i] = value;
  }
  return change;
}

double SweepsBlocks::solve_free(const Local& local, Index block, double relaxation, double* b, double* step,
                                double* r) const {
  const Index n = problem_->W.size(block);
  const double* diagonal = problem_->W.values(problem_->W.diagonal(block));
  for (Index c = 0; c < n; ++c)
    for (Index i = 0; i < n; ++i) b[i] += diagonal[c * n + i] * r[c];
  const Eigen::Map<Eigen::VectorXd> u(b, n);
  Eigen::Map<Eigen::VectorXd> correction(step, n);
  if (local.method == Method::PseudoInverse) {
    correction.noalias() = pseudo_inverses_[local.position].lazyProduct(u);
  } else {
    const auto& factor = factors_[local.position];
    factor.solve(u, correction);
  }
  for (Index i = 0; i < n; ++i) r[i] -= relaxation * step[i];
  return u.cwiseAbs().maxCoeff();  // what the local solve removes
}

double SweepsBlocks::visit(Index block, double relaxation, const detail::Deadline& deadline, double* whole) {
  const BlockSparseMatrix& W = problem_->W;
  const Index n = W.size(block), offset = W.offset(block), diagonal = W.diagonal(block);
  double* b = scratch_.data() + 2 * offset;
  double* old = b + n;
  double* r = whole + offset;
  std::copy_n(problem_->q.data() + offset, n, b);
  for (Index k = W.row_begin(block); k < W.row_begin(block + 1); ++k) {
    if (k == diagonal) continue;
    const Index columns = W.size(W.column(k));
    const double* x = whole + W.offset(W.column(k));
    const double* v = W.values(k);
    for (Index c = 0; c < columns; ++c, v += n)
      for (Index i = 0; i < n; ++i) b[i] += v[i] * x[c];
  }
  const Local& local = locals_[static_cast<std::size_t>(block)];
  const BlockSet& set = problem_->K[block];
  if (local.method == Method::Rows) return solve_rows(block, relaxation, b, r);
  if (local.method == Method::Factors || local.method == Method::PseudoInverse)
    return solve_free(local, block, relaxation, b, old, r);
  std::copy_n(r, n, old);
  bool solved = false;
  if (local.method == Method::Planar) {
    planar_[local.position].solve(b[0], b[1], r[0], r[1]);
    // A contact that has no mode leaves r alone; so does one that is solved.
    const double u_N = b[0] + W.values(diagonal)[0] * r[0] + W.values(diagonal)[2] * r[1];
    solved = r[0] != old[0] || r[1] != old[1] || u_N >= 0.0;
  } else if (local.method == Method::Spatial) {
    solved = spatial_[local.position].solve(b, r);
  } else if (local.method == Method::Newton) {
    newton_[local.position].solve(b, r, deadline);
    solved = true;
  }
  if (!solved) {  // a projected step: for a contact without a mode, and where W_ii is zero
    const double* v = W.values(diagonal);
    for (Index c = 0; c < n; ++c)
      for (Index i = 0; i < n; ++i) b[i] += v[c * n + i] * old[c];
    modify_velocity(set, Eigen::Map<Eigen::VectorXd>(b, n));
    for (Index i = 0; i < n; ++i) r[i] -= b[i] / local.scale;
    project(set, r, n);
  }
  if (relaxation != 1.0) {
    for (Index i = 0; i < n; ++i) r[i] = old[i] + relaxation * (r[i] - old[i]);
    project(set, r, n);
  }
  double change = 0.0;
  for (Index i = 0; i < n; ++i) change = std::max(change, local.scale * std::abs(r[i] - old[i]));
  return change;
}

}  // namespace nonsmooth::friction::internal
