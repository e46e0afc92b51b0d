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

/// diagonal := that of A where A has no other entry, else nothing.
void take_diagonal_of(const Sparse& A, GrowingVector& diagonal) {
  if (is_plain_diagonal(A)) {
    diagonal = Eigen::Map<const Eigen::VectorXd>(A.valuePtr(), A.cols());
    return;
  }
  const Columns columns(A);
  diagonal.setZero(A.cols());
  for (Index j = 0; j < A.cols(); ++j)
    for (Index k = columns.begin(j), end = columns.end(j); k < end; ++k) {
      if (columns.row[k] == j)
        diagonal[j] = columns.value[k];
      else if (columns.value[k] != 0.0)
        return diagonal.resize(0);
    }
}

[[nodiscard]] bool same_blocks(const Index* a, const Index* b, Index count) noexcept {
  for (Index i = 0; i < count; ++i)
    if (a[i] != b[i]) return false;
  return true;
}

}  // namespace

bool is_plain_diagonal(const Sparse& A) noexcept {
  if (!A.isCompressed() || A.nonZeros() != A.cols()) return false;
  const int* const begin = A.outerIndexPtr();
  const int* const row = A.innerIndexPtr();
  int other = 0;
  for (int j = 0; j < static_cast<int>(A.cols()); ++j) other |= (begin[j] ^ j) | (row[j] ^ j);
  return other == 0;
}

void Bodies::assign(const GlobalProblem& problem) {
  largest_ = 0;
  find_components(problem.A);
  find_contacts(problem);
  if (!is_diagonal()) place_.resize(dofs_.size());
  for (Index body = 0; body < size(); ++body) {
    largest_ = std::max(largest_, num_dofs(body));
    for (Index i = 0; i < num_dofs(body) && !is_diagonal(); ++i) place_[position(dofs(body)[i])] = i;
  }
}

void Bodies::find_components(const Sparse& A) {
  const Index n = A.cols();
  dofs_.resize(position(n));
  take_diagonal_of(A, diagonal_);
  if (is_diagonal()) {
    std::iota(dofs_.begin(), dofs_.end(), Index{0});
    dof_begin_.resize(position(n) + 1);
    std::iota(dof_begin_.begin(), dof_begin_.end(), Index{0});
    return;
  }
  sets_.reset(n);
  for (Index j = 0; j < n; ++j)
    for (Sparse::InnerIterator entry(A, j); entry; ++entry)
      if (entry.value() != 0.0) sets_.join(j, entry.row());
  sets_.list(dof_begin_, dofs_);
}

void Bodies::find_contacts(const GlobalProblem& problem) {
  constexpr Index widest = 12;  // two rigid bodies: beyond, a dense block wastes more than it saves
  const ProductSet& K = problem.K;
  block_of_row_.resize(position(K.num_rows()));
  for (Index b = 0; b < K.num_blocks(); ++b) std::fill_n(block_of_row_.begin() + K.offset(b), K.size(b), b);
  const Index components = size();
  const bool any = K.num_rows() > 0;
  const Columns H(problem.H);
  block_begin_.reserve(position(components) + 1);
  block_begin_.assign(1, 0);
  std::vector<Index>& touched = blocks_;
  touched.reserve(position(problem.H.data().allocatedSize()));
  touched.resize(any ? position(problem.H.nonZeros()) : 0);  // no more blocks than entries
  Index used = 0;                                            // of them
  Index merged = 0;                                          // bodies so far: dof_begin_[0 .. merged] are theirs
  Index before = 0;                                          // where the blocks of the last one begin
  for (Index component = 0; component < components; ++component) {
    const Index begin = at(dof_begin_, component), end = at(dof_begin_, component + 1), first = used;
    bool ascending = true;
    Index last = -1;
    for (Index i = begin; i < end && any; ++i)
      for (Index k = H.begin(at(dofs_, i)), stop = H.end(at(dofs_, i)); k < stop; ++k) {
        const Index block = block_of_row(H.row[k]);
        if (block == last || H.value[k] == 0.0) continue;
        ascending = ascending && block > last;
        touched[position(used++)] = last = block;
      }
    if (!ascending) {
      std::sort(touched.begin() + first, touched.begin() + used);
      used = std::unique(touched.begin() + first, touched.begin() + used) - touched.begin();
    }
    const Index count = used - first;
    if (merged > 0 && first - before == count && end - at(dof_begin_, merged - 1) <= widest &&
        same_blocks(touched.data() + first, touched.data() + before, count)) {
      used = first;
    } else {
      ++merged;
      block_begin_.push_back(used);
      before = first;
    }
    dof_begin_[position(merged)] = end;
  }
  dof_begin_.resize(position(merged) + 1);
  touched.resize(position(used));
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

void BodyFactors::assign(const GlobalProblem& problem, const Bodies& bodies) {
  problem_ = &problem;
  bodies_ = &bodies;
  all_diagonal_ = bodies.is_diagonal();
  symmetric_ = true;
  num_dense_ = 0;
  factors_.clear();
  num_sparse_ = 0;
  if (all_diagonal_) {
    diagonal_ = bodies.diagonal();
    if ((diagonal_.array() != 0.0).all()) return;
  } else {
    diagonal_.resize(problem.A.rows());
    diagonal_.setOnes();
    factors_.resize(position(bodies.size()));
  }
  for (Index body = 0; body < bodies.size(); ++body) factorize(body);
}

bool BodyFactors::take_diagonal(Index body) {
  const Columns A(problem_->A);
  const Index n = bodies_->num_dofs(body);
  const Index* dofs = bodies_->dofs(body);
  for (Index i = 0; i < n; ++i) {
    double value = 0.0;
    for (Index k = A.begin(dofs[i]), end = A.end(dofs[i]); k < end; ++k) {
      if (A.row[k] == dofs[i])
        value = A.value[k];
      else if (A.value[k] != 0.0)
        return false;
    }
    if (value == 0.0) refuse(body);
    diagonal_[dofs[i]] = value;
  }
  return true;
}

void BodyFactors::refuse(Index body) const {
  throw InvalidArgument(
      "friction::GlobalProblem::A",
      "a matrix singular to working precision in the body of row " + std::to_string(bodies_->dofs(body)[0]),
      "a nonsingular matrix");
}

void BodyFactors::factorize(Index body) {
  const Index n = bodies_->num_dofs(body);
  const Index* dofs = bodies_->dofs(body);
  if (all_diagonal_ || n <= small_body) {
    if (take_diagonal(body)) return;
    for (Index i = 0; i < n; ++i) diagonal_[dofs[i]] = 1.0;
  }
  if (n > small_body) return factorize_sparse(body);
  auto block = scratch_.product.matrix(n, n);
  block.setZero();
  for (Index j = 0; j < n; ++j)
    for (Sparse::InnerIterator entry(problem_->A, dofs[j]); entry; ++entry)
      if (entry.value() != 0.0) block(bodies_->place(entry.row()), j) = entry.value();
  symmetric_ = symmetric_ && block == block.transpose();
  if (num_dense_ == static_cast<Index>(dense_.size())) dense_.push_back(std::make_unique<DenseFactorization>());
  factors_[position(body)] = {Factors::Kind::Dense, num_dense_};
  if (!dense_[position(num_dense_++)]->factorize(block)) refuse(body);
}

void BodyFactors::factorize_sparse(Index body) {
  const Index n = bodies_->num_dofs(body);
  const Index* dofs = bodies_->dofs(body);
  if (num_sparse_ == static_cast<Index>(sparse_.size())) sparse_.push_back(std::make_unique<SparseBody>());
  factors_[position(body)] = {Factors::Kind::Sparse, num_sparse_};
  SparseBody& own = *sparse_[position(num_sparse_++)];
  auto& entries = own.writer.entries();
  entries.clear();
  for (Index j = 0; j < n; ++j)
    for (Sparse::InnerIterator entry(problem_->A, dofs[j]); entry; ++entry)
      if (entry.value() != 0.0)
        entries.emplace_back(static_cast<int>(bodies_->place(entry.row())), static_cast<int>(j), entry.value());
  own.writer.write(n, n, 0, own.block);
  bool symmetric = true;
  for (Index j = 0; j < n && symmetric; ++j) {
    for (Sparse::InnerIterator entry(own.block, j); entry; ++entry)
      symmetric = symmetric && own.block.coeff(j, entry.row()) == entry.value();
  }
  symmetric_ = symmetric_ && symmetric;
  own.by_cholesky = symmetric && own.cholesky.factorize(own.block);
  if (!own.by_cholesky && !own.lu.factorize(own.block)) refuse(body);
}

void BodyFactors::solve_in_place(Index body, MatrixRef b) const {
  if (is_diagonal(body)) {
    const Index* dofs = bodies_->dofs(body);
    for (Index j = 0; j < b.cols(); ++j)
      for (Index i = 0; i < b.rows(); ++i) b(i, j) /= diagonal_[dofs[i]];
    return;
  }
  const Factors& factors = factors_[position(body)];
  if (factors.kind == Factors::Kind::Dense)
    dense_[position(factors.number)]->solve_in_place(b);
  else {
    const SparseBody& own = *sparse_[position(factors.number)];
    (own.by_cholesky ? own.cholesky : own.lu).solve_in_place(b);
  }
}

void BodyFactors::solve_in_place(GrowingVector& b) const {
  b = b.cwiseQuotient(diagonal_);  // 1 on bodies that are not diagonal
  for (Index body = 0; body < bodies_->size() && !all_diagonal_; ++body) {
    if (is_diagonal(body)) continue;
    const Index n = bodies_->num_dofs(body);
    const Index* dofs = bodies_->dofs(body);
    GrowingVector& local = scratch_.local;
    local.resize(n);
    for (Index i = 0; i < n; ++i) local[i] = b[dofs[i]];
    solve_in_place(body, local);
    for (Index i = 0; i < n; ++i) b[dofs[i]] = local[i];
  }
}

void BodyFactors::solve(ConstVectorRef b, GrowingVector& x) const {
  x = b;
  solve_in_place(x);
  if (all_diagonal_) return;
  scratch_.rest.resize(b.size());
  scratch_.rest.noalias() = b - problem_->A * x;
  solve_in_place(scratch_.rest);
  x += scratch_.rest;
}

void BodyFactors::velocities(ConstVectorRef r, GrowingVector& v) const {
  const Columns H(problem_->H);
  GrowingVector& force = scratch_.force;
  force = problem_->f;
  for (Index j = 0; j < problem_->H.cols(); ++j) {
    double sum = 0.0;
    for (Index k = H.begin(j), end = H.end(j); k < end; ++k) sum += H.value[k] * r[H.row[k]];
    force[j] += sum;
  }
  solve(force, v);
}

}  // namespace nonsmooth::friction::internal
