// SPDX-License-Identifier: Apache-2.0
#include "block_sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "set_kernels.hpp"

namespace nonsmooth::mixed::internal {
namespace {

/// r + relaxation (target - r), back in the planar cone (the cone is convex, so only relaxation > 1 can leave it).
void relax_planar(double mu, double relaxation, double old_N, double old_T, double& r_N, double& r_T) noexcept {
  r_N = old_N + relaxation * (r_N - old_N);
  r_T = old_T + relaxation * (r_T - old_T);
  const double slope = std::abs(r_T);
  if (slope <= mu * r_N) return;
  const double along = mu * slope <= -r_N ? 0.0 : (r_N + mu * slope) / (1.0 + mu * mu);
  r_T = std::copysign(mu * along, r_T);
  r_N = along;
}

/// The same for a set of any size.
void relax(const BlockSet& set, double relaxation, const double* old, double* r, Index n) noexcept {
  for (Index i = 0; i < n; ++i) r[i] = old[i] + relaxation * (r[i] - old[i]);
  project(set, r, n);
}

void grow(std::vector<double>& buffer, Index size) {
  if (static_cast<Index>(buffer.size()) < size) buffer.resize(static_cast<std::size_t>(size));
}

/// One more of a pool that keeps its memory.
template <class T>
T& next(std::vector<T>& pool, std::size_t& used) {
  if (used == pool.size()) pool.emplace_back();
  return pool[used++];
}

[[nodiscard]] bool prepare_contact(local::Radial3D& contact, const double* W, const BlockSet& set) noexcept {
  const bool cylinder = set.kind == SetKind::VonMises;
  return contact.prepare(W, cylinder ? set.radius : set.mu, cylinder);
}

}  // namespace

Index BlockSweeps::prepare_rows(const Problem& problem) {
  const Index n = problem.W.rows();
  grow(inverse_, n);
  grow(lower_, n);
  grow(upper_, n);
  const double* values = problem.W.values(0);
  for (Index i = 0; i < n; ++i) {
    const double diagonal = values[problem.W.diagonal(i)];
    const BlockSet& set = problem.K[i];
    // A bilateral row only needs a nonzero diagonal, an inequality a positive one.
    if (set.kind == SetKind::Free ? diagonal == 0.0 : !(diagonal > 0.0)) return i;
    const auto k = static_cast<std::size_t>(i);
    const auto bounds = local::interval(set);
    inverse_[k] = 1.0 / diagonal;
    lower_[k] = bounds.lower;
    upper_[k] = bounds.upper;
  }
  return -1;
}

Index BlockSweeps::prepare_planar(const Problem& problem) {
  const Index n = problem.W.num_block_rows();
  if (static_cast<Index>(planar_.size()) < n) planar_.resize(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i)
    if (!planar_[static_cast<std::size_t>(i)].prepare(problem.W.values(problem.W.diagonal(i)), problem.K[i].mu))
      return 2 * i;
  return -1;
}

Index BlockSweeps::prepare_radial(const Problem& problem) {
  const Index n = problem.W.num_block_rows();
  if (static_cast<Index>(radial_.size()) < n) radial_.resize(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i)
    if (!prepare_contact(radial_[static_cast<std::size_t>(i)], problem.W.values(problem.W.diagonal(i)), problem.K[i]))
      return 3 * i;
  return -1;
}

bool BlockSweeps::factorize_free(const double* W, Index n, Local& local) {
  auto& factor = next(factors_, num_factors_);
  local = {.method = Method::Factors, .position = static_cast<Index>(num_factors_) - 1};
  const Eigen::Map<const Eigen::MatrixXd> block(W, n, n);
  factor.compute(block);
  // A pivot at the round-off of the block's entries: the block is singular as far as its data can tell.
  const double pivot = factor.matrix().diagonal().cwiseAbs().minCoeff();
  return pivot > static_cast<double>(n) * std::numeric_limits<double>::epsilon() * block.cwiseAbs().maxCoeff();
}

bool BlockSweeps::prepare_block(const BlockSet& set, const double* W, Index n, bool projection, Local& local) {
  double trace = 0.0, norm = 0.0;
  for (Index i = 0; i < n; ++i) {
    trace += W[i * (n + 1)];
    double sum = 0.0;
    for (Index j = 0; j < n; ++j) sum += std::abs(W[j * n + i]);
    norm = std::max(norm, sum);
  }
  if (!(norm > 0.0)) return false;
  const double scale = trace > 0.0 ? trace / static_cast<double>(n) : norm;
  if (projection) {  // 1 / |W_ii|_inf is at most 1 / its spectral radius
    local = {.method = Method::Projection, .position = 0, .scale = norm};
    return true;
  }
  if (set.kind == SetKind::Free) return factorize_free(W, n, local);
  if (set.kind == SetKind::Coulomb2D) {
    local = {.method = Method::Planar, .position = static_cast<Index>(num_planar_), .scale = scale};
    return next(planar_, num_planar_).prepare(W, set.mu);
  }
  if (n == 3 && (set.kind == SetKind::Coulomb3D || set.kind == SetKind::VonMises)) {
    local = {.method = Method::Radial, .position = static_cast<Index>(num_radial_), .scale = scale};
    if (prepare_contact(next(radial_, num_radial_), W, set)) return true;
    --num_radial_;
  }
  local = {.method = Method::Newton, .position = static_cast<Index>(num_newton_), .scale = scale};
  return next(newton_, num_newton_).prepare(W, set, n);
}

Index BlockSweeps::prepare_blocks(const Problem& problem, GaussSeidel::Local local) {
  const BlockSparseMatrix& W = problem.W;
  const Index blocks = W.num_block_rows();
  grow(inverse_, W.rows());
  locals_.assign(static_cast<std::size_t>(blocks), Local{});
  num_planar_ = num_radial_ = num_newton_ = num_factors_ = 0;
  Index largest = 1;
  for (Index b = 0; b < blocks; ++b) {
    const BlockSet& set = problem.K[b];
    const Index rows = W.size(b), offset = W.offset(b);
    const double* diagonal = W.values(W.diagonal(b));
    largest = std::max(largest, rows);
    const bool row_wise = rows == 1 || set.kind == SetKind::Orthant || set.kind == SetKind::Box;
    if (!row_wise) {
      if (!prepare_block(set, diagonal, rows, local == GaussSeidel::Local::Projection,
                         locals_[static_cast<std::size_t>(b)]))
        return offset;
      continue;
    }
    for (Index i = 0; i < rows; ++i) {
      const double entry = diagonal[i * (rows + 1)];
      if (set.kind == SetKind::Free ? entry == 0.0 : !(entry > 0.0)) return offset + i;
      inverse_[static_cast<std::size_t>(offset + i)] = 1.0 / entry;
    }
  }
  grow(scratch_, 2 * largest);
  return -1;
}

Index BlockSweeps::prepare(const Problem& problem, GaussSeidel::Local local) {
  const Index uniform = problem.W.uniform_size();
  const bool exact = local == GaussSeidel::Local::Exact;
  if (uniform == 1) {
    kernel_ = Kernel::Rows;
    return prepare_rows(problem);
  }
  if (uniform == 2 && exact && problem.K.all(SetKind::Coulomb2D)) {
    kernel_ = Kernel::Coulomb2D;
    return prepare_planar(problem);
  }
  if (uniform == 3 && exact && problem.K.all(SetKind::Coulomb3D) && prepare_radial(problem) < 0) {
    kernel_ = Kernel::Coulomb3D;
    return -1;
  }
  kernel_ = Kernel::Blocks;
  return prepare_blocks(problem, local);
}

double BlockSweeps::sweep(const Problem& problem, double relaxation, const detail::Deadline& deadline, double* r) {
  switch (kernel_) {
    case Kernel::Rows:
      return sweep_rows(problem, relaxation, r);
    case Kernel::Coulomb2D:
      return sweep_planar(problem, relaxation, r);
    case Kernel::Coulomb3D:
      return sweep_radial(problem, relaxation, deadline, r);
    case Kernel::Blocks:
      break;
  }
  return sweep_blocks(problem, relaxation, deadline, r);
}

double BlockSweeps::sweep_rows(const Problem& problem, double relaxation, double* r) const {
  const BlockSparseMatrix& W = problem.W;
  const Index n = W.rows();
  const double* values = W.values(0);
  const double* q = problem.q.data();
  double change = 0.0;
  for (Index i = 0; i < n; ++i) {
    double u = q[i];
    const Index end = W.row_begin(i + 1);
    for (Index k = W.row_begin(i); k < end; ++k) u += values[k] * r[W.column(k)];
    const auto at = static_cast<std::size_t>(i);
    const double step = relaxation * inverse_[at] * u;
    const double value = std::min(std::max(r[i] - step, lower_[at]), upper_[at]);
    change = std::max(change, std::abs((value - r[i]) * values[W.diagonal(i)]));
    r[i] = value;
  }
  return change;
}

double BlockSweeps::sweep_planar(const Problem& problem, double relaxation, double* r) const {
  const BlockSparseMatrix& W = problem.W;
  const Index n = W.num_block_rows();
  const double* v = W.values(0);
  const double* q = problem.q.data();
  const local::Coulomb2D* contact = planar_.data();
  double change = 0.0;
  Index k = 0;
  for (Index i = 0; i < n; ++i, ++contact) {
    double b_N = q[2 * i], b_T = q[2 * i + 1];
    const Index diagonal = W.diagonal(i), end = W.row_begin(i + 1);
    const auto accumulate = [&](Index last) {
      for (; k < last; ++k, v += 4) {
        const double* x = r + 2 * W.column(k);
        b_N += v[0] * x[0] + v[2] * x[1];
        b_T += v[1] * x[0] + v[3] * x[1];
      }
    };
    accumulate(diagonal);
    ++k, v += 4;
    accumulate(end);
    const double old_N = r[2 * i], old_T = r[2 * i + 1];
    double r_N = old_N, r_T = old_T;
    contact->solve(b_N, b_T, r_N, r_T);
    if (relaxation != 1.0) relax_planar(contact->mu, relaxation, old_N, old_T, r_N, r_T);
    change = std::max(change, std::max(contact->W_NN * std::abs(r_N - old_N), contact->W_TT * std::abs(r_T - old_T)));
    r[2 * i] = r_N;
    r[2 * i + 1] = r_T;
  }
  return change;
}

void BlockSweeps::solve_radial(const Problem& problem, Index block, local::Radial3D& contact, const double* b,
                               const detail::Deadline& deadline, double* r) {
  if (contact.solve(b, r)) return;
  if (rescue_.prepare(problem.W.values(problem.W.diagonal(block)), problem.K[block], 3)) rescue_.solve(b, r, deadline);
}

double BlockSweeps::sweep_radial(const Problem& problem, double relaxation, const detail::Deadline& deadline,
                                 double* r) {
  const BlockSparseMatrix& W = problem.W;
  const Index n = W.num_block_rows();
  const double* v = W.values(0);
  const double* q = problem.q.data();
  double change = 0.0;
  Index k = 0;
  for (Index i = 0; i < n; ++i) {
    double b[3] = {q[3 * i], q[3 * i + 1], q[3 * i + 2]};
    const Index diagonal = W.diagonal(i), end = W.row_begin(i + 1);
    const auto accumulate = [&](Index last) {
      for (; k < last; ++k, v += 9) {
        const double* x = r + 3 * W.column(k);
        b[0] += v[0] * x[0] + v[3] * x[1] + v[6] * x[2];
        b[1] += v[1] * x[0] + v[4] * x[1] + v[7] * x[2];
        b[2] += v[2] * x[0] + v[5] * x[1] + v[8] * x[2];
      }
    };
    accumulate(diagonal);
    ++k, v += 9;
    accumulate(end);
    local::Radial3D& contact = radial_[static_cast<std::size_t>(i)];
    double* ri = r + 3 * i;
    const double old[3] = {ri[0], ri[1], ri[2]};
    solve_radial(problem, i, contact, b, deadline, ri);
    if (relaxation != 1.0) relax(problem.K[i], relaxation, old, ri, 3);
    change = std::max({change, contact.W_00 * std::abs(ri[0] - old[0]), contact.scale * std::abs(ri[1] - old[1]),
                       contact.scale * std::abs(ri[2] - old[2])});
  }
  return change;
}

double BlockSweeps::solve_row_sets(const Problem& problem, Index block, double relaxation, const double* b,
                                   double* r) const {
  const Index rows = problem.W.size(block), offset = problem.W.offset(block);
  const double* W = problem.W.values(problem.W.diagonal(block));
  const auto bounds = local::interval(problem.K[block]);
  double change = 0.0;
  for (Index i = 0; i < rows; ++i) {
    double u = b[i];
    for (Index c = 0; c < rows; ++c) u += W[c * rows + i] * r[c];
    const double step = relaxation * inverse_[static_cast<std::size_t>(offset + i)] * u;
    const double value = std::min(std::max(r[i] - step, bounds.lower), bounds.upper);
    change = std::max(change, std::abs((value - r[i]) * W[i * rows + i]));
    r[i] = value;
  }
  return change;
}

/// b holds u of the block without its own reaction, with scratch of the same size behind it.
double BlockSweeps::solve_block(const Problem& problem, Index block, double relaxation,
                                const detail::Deadline& deadline, double* b, double* r) {
  const Index rows = problem.W.size(block);
  const BlockSet& set = problem.K[block];
  const Local& local = locals_[static_cast<std::size_t>(block)];
  const auto at = static_cast<std::size_t>(local.position);
  if (local.method == Method::Rows) return solve_row_sets(problem, block, relaxation, b, r);
  if (local.method == Method::Planar) {
    const local::Coulomb2D& contact = planar_[at];
    const double old_N = r[0], old_T = r[1];
    contact.solve(b[0], b[1], r[0], r[1]);
    if (relaxation != 1.0) relax_planar(contact.mu, relaxation, old_N, old_T, r[0], r[1]);
    return std::max(contact.W_NN * std::abs(r[0] - old_N), contact.W_TT * std::abs(r[1] - old_T));
  }
  double* other = b + rows;
  if (local.method == Method::Factors || local.method == Method::Projection) {
    const double* W = problem.W.values(problem.W.diagonal(block));
    for (Index c = 0; c < rows; ++c)
      for (Index i = 0; i < rows; ++i) b[i] += W[c * rows + i] * r[c];
  }
  if (local.method == Method::Factors) {
    // u of the block at the current r is what the local solve removes: that is its change.
    Eigen::Map<Eigen::VectorXd> u(b, rows), step(other, rows);
    factors_[at].solve(u, step);
    for (Index i = 0; i < rows; ++i) r[i] -= relaxation * step[i];
    return u.cwiseAbs().maxCoeff();
  }
  std::copy_n(r, rows, other);
  if (local.method == Method::Projection) {
    modify_velocity(set, Eigen::Map<Eigen::VectorXd>(b, rows));
    for (Index i = 0; i < rows; ++i) r[i] -= b[i] / local.scale;
    project(set, r, rows);
  } else if (local.method == Method::Radial) {
    solve_radial(problem, block, radial_[at], b, deadline, r);
  } else {
    newton_[at].solve(b, r, deadline);
  }
  if (relaxation != 1.0) relax(set, relaxation, other, r, rows);
  double change = 0.0;
  for (Index i = 0; i < rows; ++i) change = std::max(change, local.scale * std::abs(r[i] - other[i]));
  return change;
}

double BlockSweeps::sweep_blocks(const Problem& problem, double relaxation, const detail::Deadline& deadline,
                                 double* r) {
  const BlockSparseMatrix& W = problem.W;
  const double* q = problem.q.data();
  double* b = scratch_.data();
  double change = 0.0;
  for (Index block = 0; block < W.num_block_rows(); ++block) {
    const Index rows = W.size(block), offset = W.offset(block), diagonal = W.diagonal(block);
    std::copy_n(q + offset, rows, b);
    for (Index k = W.row_begin(block); k < W.row_begin(block + 1); ++k) {
      if (k == diagonal) continue;
      const Index j = W.column(k), columns = W.size(j);
      const double* x = r + W.offset(j);
      const double* v = W.values(k);
      for (Index c = 0; c < columns; ++c, v += rows)
        for (Index i = 0; i < rows; ++i) b[i] += v[i] * x[c];
    }
    change = std::max(change, solve_block(problem, block, relaxation, deadline, b, r + offset));
  }
  return change;
}

}  // namespace nonsmooth::mixed::internal
