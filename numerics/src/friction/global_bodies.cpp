// SPDX-License-Identifier: Apache-2.0
#include "global_bodies.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::friction::internal {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

std::size_t position(Index i) noexcept { return static_cast<std::size_t>(i); }

/// The root of a tree of parents, halving the path on the way.
Index root_of(std::vector<Index>& parent, Index i) noexcept {
  while (parent[position(i)] != i) {
    parent[position(i)] = parent[position(parent[position(i)])];
    i = parent[position(i)];
  }
  return i;
}

}  // namespace

Bodies::Bodies(const GlobalProblem& problem) {
  find_components(problem.A);
  find_contacts(problem);
  merge();
  place_.resize(dofs_.size());
  for (Index body = 0; body < size(); ++body) {
    largest_ = std::max(largest_, num_dofs(body));
    for (Index i = 0; i < num_dofs(body); ++i) place_[position(dofs(body)[i])] = i;
  }
}

void Bodies::find_components(const Sparse& A) {
  const Index n = A.cols();
  std::vector<Index> parent(position(n));
  std::iota(parent.begin(), parent.end(), Index{0});
  for (Index j = 0; j < n; ++j)
    for (Sparse::InnerIterator entry(A, j); entry; ++entry) {
      if (entry.value() == 0.0) continue;
      const Index a = root_of(parent, entry.row()), b = root_of(parent, j);
      parent[position(std::max(a, b))] = std::min(a, b);
    }
  std::vector<Index> component(position(n)), count;
  for (Index i = 0; i < n; ++i) {
    const Index root = root_of(parent, i);  // the smallest dof, numbered before
    if (root == i) {
      component[position(i)] = static_cast<Index>(count.size());
      count.push_back(0);
    } else {
      component[position(i)] = component[position(root)];
    }
    ++count[position(component[position(i)])];
  }
  dof_begin_.assign(count.size() + 1, 0);
  std::partial_sum(count.begin(), count.end(), dof_begin_.begin() + 1);
  std::vector<Index> next(dof_begin_.begin(), dof_begin_.end() - 1);
  dofs_.resize(position(n));
  for (Index i = 0; i < n; ++i) dofs_[position(next[position(component[position(i)])]++)] = i;
}

void Bodies::find_contacts(const GlobalProblem& problem) {
  const ProductSet& K = problem.K;
  block_of_row_.resize(position(K.num_rows()));
  for (Index b = 0; b < K.num_blocks(); ++b) std::fill_n(block_of_row_.begin() + K.offset(b), K.size(b), b);
  block_begin_.reserve(dof_begin_.size());
  block_begin_.assign(1, 0);
  for (Index body = 0; body < size(); ++body) {
    const auto first = blocks_.size();
    for (Index i = 0; i < num_dofs(body) && K.num_rows() > 0; ++i)
      for (Sparse::InnerIterator entry(problem.H, dofs(body)[i]); entry; ++entry) {
        const Index block = block_of_row(entry.row());
        if (entry.value() != 0.0 && (blocks_.size() == first || blocks_.back() != block)) blocks_.push_back(block);
      }
    const auto begin = blocks_.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, blocks_.end());
    blocks_.erase(std::unique(begin, blocks_.end()), blocks_.end());
    block_begin_.push_back(static_cast<Index>(blocks_.size()));
  }
}

void Bodies::merge() {
  constexpr Index widest = 12;  // two rigid bodies: beyond, a dense block wastes more than it saves
  std::vector<Index> dof_begin = {0}, block_begin = {0}, blocks;
  dof_begin.reserve(dof_begin_.size());
  block_begin.reserve(dof_begin_.size());
  blocks.reserve(blocks_.size());
  for (Index body = 0; body < size(); ++body) {
    const Index* own = this->blocks(body);
    const Index count = num_blocks(body), last = static_cast<Index>(dof_begin.size()) - 2;
    const bool same = last >= 0 && at(dof_begin_, body + 1) - at(dof_begin, last) <= widest &&
                      static_cast<Index>(blocks.size()) - at(block_begin, last) == count &&
                      std::equal(own, own + count, blocks.data() + at(block_begin, last));
    if (same) {
      dof_begin.back() = at(dof_begin_, body + 1);
      continue;
    }
    blocks.insert(blocks.end(), own, own + count);
    dof_begin.push_back(at(dof_begin_, body + 1));
    block_begin.push_back(static_cast<Index>(blocks.size()));
  }
  dof_begin_ = std::move(dof_begin);
  block_begin_ = std::move(block_begin);
  blocks_ = std::move(blocks);
}

double Bodies::reduced_entries(const ProductSet& K) const {
  double entries = 0.0;
  for (Index body = 0; body < size(); ++body) {
    double rows = 0.0;
    for (Index i = 0; i < num_blocks(body); ++i) rows += static_cast<double>(K.size(blocks(body)[i]));
    entries += rows * rows;
  }
  return entries;
}

BodyFactors::BodyFactors(const GlobalProblem& problem, const Bodies& bodies)
    : problem_(problem), bodies_(bodies), diagonal_(Eigen::VectorXd::Ones(problem.A.rows())) {
  factors_.resize(position(bodies.size()));
  for (Index body = 0; body < bodies.size(); ++body) factorize(body);
}

bool BodyFactors::take_diagonal(Index body) {
  const Index n = bodies_.num_dofs(body);
  const Index* dofs = bodies_.dofs(body);
  for (Index i = 0; i < n; ++i)
    for (Sparse::InnerIterator entry(problem_.A, dofs[i]); entry; ++entry)
      if (entry.row() != dofs[i] && entry.value() != 0.0) return false;
  for (Index i = 0; i < n; ++i) diagonal_[dofs[i]] = problem_.A.coeff(dofs[i], dofs[i]);
  return true;
}

void BodyFactors::factorize(Index body) {
  const Index n = bodies_.num_dofs(body);
  const Index* dofs = bodies_.dofs(body);
  Factors& factors = factors_[position(body)];
  const auto refuse = [&] {
    throw InvalidArgument("friction::GlobalProblem::A",
                          "a matrix singular to working precision in the body of row " + std::to_string(dofs[0]),
                          "a nonsingular matrix");
  };
  if (n <= small_body && take_diagonal(body)) {
    for (Index i = 0; i < n; ++i)
      if (diagonal_[dofs[i]] == 0.0) refuse();
    return;
  }
  all_diagonal_ = false;
  if (n <= small_body) {
    Eigen::MatrixXd block = Eigen::MatrixXd::Zero(n, n);
    for (Index j = 0; j < n; ++j)
      for (Sparse::InnerIterator entry(problem_.A, dofs[j]); entry; ++entry)
        if (entry.value() != 0.0) block(bodies_.place(entry.row()), j) = entry.value();
    symmetric_ = symmetric_ && block == block.transpose();
    factors.dense = std::make_unique<DenseFactorization>();
    if (!factors.dense->factorize(block)) refuse();
    return;
  }
  Sparse block(n, n);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < n; ++j)
    for (Sparse::InnerIterator entry(problem_.A, dofs[j]); entry; ++entry)
      if (entry.value() != 0.0)
        entries.emplace_back(static_cast<int>(bodies_.place(entry.row())), static_cast<int>(j), entry.value());
  block.setFromTriplets(entries.begin(), entries.end());
  const bool symmetric = Sparse(block - Sparse(block.transpose())).coeffs().isZero(0.0);
  symmetric_ = symmetric_ && symmetric;
  if (symmetric) {
    factors.sparse = std::make_unique<SparseFactorization>(Structure::SymmetricPositiveDefinite);
    if (factors.sparse->factorize(block)) return;
  }
  factors.sparse = std::make_unique<SparseFactorization>();
  if (!factors.sparse->factorize(block)) refuse();
}

void BodyFactors::solve_in_place(Index body, MatrixRef b) const {
  const Factors& factors = factors_[position(body)];
  if (factors.dense) {
    factors.dense->solve_in_place(b);
  } else if (factors.sparse) {
    factors.sparse->solve_in_place(b);
  } else {
    const Index* dofs = bodies_.dofs(body);
    for (Index j = 0; j < b.cols(); ++j)
      for (Index i = 0; i < b.rows(); ++i) b(i, j) /= diagonal_[dofs[i]];
  }
}

void BodyFactors::solve_in_place(Eigen::VectorXd& b) const {
  b = b.cwiseQuotient(diagonal_);  // 1 on bodies that are not diagonal
  Eigen::VectorXd local;
  for (Index body = 0; body < bodies_.size() && !all_diagonal_; ++body) {
    const Factors& factors = factors_[position(body)];
    if (!factors.dense && !factors.sparse) continue;
    const Index n = bodies_.num_dofs(body);
    const Index* dofs = bodies_.dofs(body);
    local.resize(n);
    for (Index i = 0; i < n; ++i) local[i] = b[dofs[i]];
    solve_in_place(body, local);
    for (Index i = 0; i < n; ++i) b[dofs[i]] = local[i];
  }
}

Eigen::VectorXd BodyFactors::solve(const Eigen::VectorXd& b) const {
  Eigen::VectorXd x = b;
  solve_in_place(x);
  if (all_diagonal_) return x;
  Eigen::VectorXd rest = b - problem_.A * x;
  solve_in_place(rest);
  x += rest;
  return x;
}

BlockSparseMatrix BodyFactors::pattern() const {
  const ProductSet& K = problem_.K;
  const Index blocks = K.num_blocks();
  std::vector<Index> begin(position(blocks) + 1, 0), bodies_of;
  for (Index body = 0; body < bodies_.size(); ++body)
    for (Index i = 0; i < bodies_.num_blocks(body); ++i) ++begin[position(bodies_.blocks(body)[i]) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  bodies_of.resize(position(begin.back()));
  std::vector<Index> next(begin.begin(), begin.end() - 1);
  for (Index body = 0; body < bodies_.size(); ++body)
    for (Index i = 0; i < bodies_.num_blocks(body); ++i)
      bodies_of[position(next[position(bodies_.blocks(body)[i])]++)] = body;
  std::vector<Index> sizes(position(blocks)), seen(position(blocks), -1);
  for (Index b = 0; b < blocks; ++b) sizes[position(b)] = K.size(b);
  BlockSparseMatrix W;
  W.begin_pattern(sizes);
  for (Index b = 0; b < blocks; ++b) {
    for (Index k = begin[position(b)]; k < begin[position(b) + 1]; ++k) {
      const Index body = bodies_of[position(k)];
      for (Index i = 0; i < bodies_.num_blocks(body); ++i) {
        const Index other = bodies_.blocks(body)[i];
        if (seen[position(other)] == b) continue;
        seen[position(other)] = b;
        W.insert(other);
      }
    }
    W.next_row();
  }
  W.end_pattern();
  return W;
}

BlockSparseMatrix BodyFactors::reduced_matrix() const {
  BlockSparseMatrix W = pattern();
  Scratch scratch;
  for (Index body = 0; body < bodies_.size(); ++body) {
    const Index count = bodies_.num_blocks(body);
    if (count == 0) continue;
    scratch.first.assign(1, 0);  // row of each touched block among the touched rows
    for (Index i = 0; i < count; ++i)
      scratch.first.push_back(scratch.first.back() + problem_.K.size(bodies_.blocks(body)[i]));
    if (bodies_.num_dofs(body) <= small_body && scratch.first.back() <= 512)
      add_small(W, body, scratch);
    else
      add_large(W, body, scratch);
  }
  for (Index i = 0; i < W.num_block_rows() && symmetric_; ++i)
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      const Index j = W.column(k), rows = W.size(i), columns = W.size(j);
      if (j < i) continue;
      double* upper = W.values(k);
      double* lower = W.values(W.find(j, i));
      for (Index c = 0; c < columns; ++c)
        for (Index r = 0; r < rows; ++r) {
          const double mean = 0.5 * (upper[c * rows + r] + lower[r * columns + c]);
          upper[c * rows + r] = lower[r * columns + c] = mean;
        }
    }
  return W;
}

Index BodyFactors::touched_row(Index body, const std::vector<Index>& first, Index row) const {
  const Index* blocks = bodies_.blocks(body);
  const Index block = bodies_.block_of_row(row);
  const Index i = std::lower_bound(blocks, blocks + bodies_.num_blocks(body), block) - blocks;
  return first[position(i)] + row - problem_.K.offset(block);
}

void BodyFactors::add_small(BlockSparseMatrix& W, Index body, Scratch& scratch) const {
  const std::vector<Index>& first = scratch.first;
  const Index n = bodies_.num_dofs(body), count = bodies_.num_blocks(body), rows = first.back();
  const Index* blocks = bodies_.blocks(body);
  auto H = scratch.H.matrix(rows, n);
  auto X = scratch.X.matrix(n, rows);
  auto product = scratch.product.matrix(rows, rows);
  H.setZero();
  for (Index j = 0; j < n; ++j)
    for (Sparse::InnerIterator entry(problem_.H, bodies_.dofs(body)[j]); entry; ++entry)
      if (entry.value() != 0.0) H(touched_row(body, first, entry.row()), j) = entry.value();
  X = H.transpose();
  solve_in_place(body, X);
  product = H.lazyProduct(X);
  for (Index i = 0; i < count; ++i)
    for (Index j = 0; j < count; ++j) {
      double* value = W.values(W.find(blocks[i], blocks[j]));
      for (Index c = first[position(j)]; c < first[position(j) + 1]; ++c)
        for (Index r = first[position(i)]; r < first[position(i) + 1]; ++r) *value++ += product(r, c);
    }
}

void BodyFactors::add_large(BlockSparseMatrix& W, Index body, Scratch& scratch) const {
  constexpr Index panel_rows = 48;  // right-hand sides at a time: a dense n x m would not fit for a large body
  const std::vector<Index>& first = scratch.first;
  const Index n = bodies_.num_dofs(body), count = bodies_.num_blocks(body);
  const Index* blocks = bodies_.blocks(body);
  Sparse H(first.back(), n);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < n; ++j)
    for (Sparse::InnerIterator entry(problem_.H, bodies_.dofs(body)[j]); entry; ++entry)
      if (entry.value() != 0.0)
        entries.emplace_back(static_cast<int>(touched_row(body, first, entry.row())), static_cast<int>(j),
                             entry.value());
  H.setFromTriplets(entries.begin(), entries.end());
  const Sparse transpose = H.transpose();
  Eigen::MatrixXd X, product;
  for (Index begin = 0, end = 0; begin < count; begin = end) {
    for (end = begin + 1; end < count && first[position(end) + 1] - first[position(begin)] <= panel_rows;) ++end;
    const Index column = first[position(begin)], columns = first[position(end)] - column;
    X = transpose.middleCols(column, columns);
    solve_in_place(body, X);
    product = H * X;
    for (Index i = 0; i < count; ++i)
      for (Index j = begin; j < end; ++j)
        W.block(blocks[i], W.find(blocks[i], blocks[j])) +=
            product.block(first[position(i)], first[position(j)] - column, W.size(blocks[i]), W.size(blocks[j]));
  }
}

}  // namespace nonsmooth::friction::internal
