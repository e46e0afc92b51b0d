// SPDX-License-Identifier: Apache-2.0
#include "infeasibility.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <internal/decompositions.hpp>

#include "newton_system.hpp"
#include "projection_jacobian.hpp"
#include "proof_memory.hpp"
#include "rolling_cone.hpp"
#include "set_kernels.hpp"

namespace nonsmooth::mixed {
namespace {

using Real = long double;

/// What y and W lose by being rounded, in parts of the terms of a sum.
constexpr double round_off = 4.0 * std::numeric_limits<double>::epsilon();

/// Sums of W^T y below this part of their terms are worth making zero, in problems of at most so many rows.
constexpr double near_zero = 1e-6;
constexpr Index refined_rows = 120;

[[nodiscard]] bool row_wise(SetKind kind) noexcept {
  return kind == SetKind::Free || kind == SetKind::Orthant || kind == SetKind::Box;
}

/// The aperture of U*, a second-order cone, where it is one: that of K, less by the lift of a plastic flow, whose u
/// have u_0 >= (mu - lift) |u_T|. Negative: these u have no half-space in common.
[[nodiscard]] double dual_aperture(const BlockSet& set) noexcept {
  return set.kind == SetKind::DruckerPrager ? set.mu - set.lift : set.mu;
}

template <class Scalar>
[[nodiscard]] Real euclidean_norm(const Scalar* x, Index n) noexcept {
  Real sum = 0.0L;
  for (Index i = 0; i < n; ++i) sum += static_cast<Real>(x[i]) * x[i];
  return std::sqrt(sum);
}

/// x := P_U*(x), U* the y with y·u >= 0 for every u that the law admits for some r. A contact admits every u with
/// u_N >= 0, and a bounded row any u.
void project_on_dual(const BlockSet& set, double* x, Index n) noexcept {
  switch (set.kind) {
    case SetKind::Free:
      return;
    case SetKind::Orthant:
      for (Index i = 0; i < n; ++i) x[i] = std::max(0.0, x[i]);
      return;
    case SetKind::Box: {
      const bool below = std::isfinite(set.lower), above = std::isfinite(set.upper);
      for (Index i = 0; i < n; ++i) {
        if (below) x[i] = std::max(0.0, x[i]);
        if (above) x[i] = std::min(0.0, x[i]);
      }
      return;
    }
    case SetKind::SecondOrderCone:
    case SetKind::DruckerPrager:
      if (dual_aperture(set) < 0.0) return static_cast<void>(std::fill_n(x, n, 0.0));
      return project(BlockSet{.kind = SetKind::SecondOrderCone, .mu = dual_aperture(set)}, x, n);
    case SetKind::Coulomb2D:
    case SetKind::Coulomb3D:
    case SetKind::Rolling:
      x[0] = std::max(0.0, x[0]);
      break;
    case SetKind::VonMises:
      break;
  }
  std::fill(x + 1, x + n, 0.0);
}

/// True if y is in U*; on the border of a second-order cone to the rounding of its norm.
[[nodiscard]] bool in_dual(const BlockSet& set, const double* y, Index n) noexcept {
  const auto all = [&](Index first, auto&& holds) { return std::all_of(y + first, y + n, holds); };
  const auto zero = [](double entry) { return entry == 0.0; };
  switch (set.kind) {
    case SetKind::Free:
      return true;
    case SetKind::Orthant:
      return all(0, [](double entry) { return entry >= 0.0; });
    case SetKind::Box: {
      const bool below = std::isfinite(set.lower), above = std::isfinite(set.upper);
      return all(0, [&](double entry) { return !(below && entry < 0.0) && !(above && entry > 0.0); });
    }
    case SetKind::SecondOrderCone:
    case SetKind::DruckerPrager:
      if (dual_aperture(set) < 0.0) return all(0, zero);
      return y[0] >= 0.0 &&
             euclidean_norm(y + 1, n - 1) <= static_cast<Real>(dual_aperture(set)) * y[0] * (1.0L + 2 * round_off);
    case SetKind::Coulomb2D:
    case SetKind::Coulomb3D:
    case SetKind::Rolling:
      return y[0] >= 0.0 && all(1, zero);
    case SetKind::VonMises:
      return all(1, zero);
  }
  return false;
}

/// max c·r over |r_G| <= bound_G r_0 with r_0 = 1, less c_0.
[[nodiscard]] Real tangential_support(const BlockSet& set, const Real* c, Index n) noexcept {
  if (set.kind == SetKind::Coulomb3D && set.mu_2 >= 0.0)
    return std::hypot(static_cast<Real>(set.mu) * c[1], static_cast<Real>(set.mu_2) * c[2]);
  Real sum = 0.0L;
  for (const nonsmooth::detail::RollingGroup& group : nonsmooth::detail::rolling_groups(set, n))
    sum += static_cast<Real>(group.bound) * euclidean_norm(c + group.first, group.size);
  return sum;
}

/// An upper bound of y·u over r in K, and the size of its terms.
struct Bound {
  Real value = 0.0L, terms = 0.0L;

  void add(Real part, Real size) noexcept {
    value += part;
    terms += size;
  }

  /// Adds the largest c·r over r in a block's K, sums c of terms of size t. False where there is none.
  [[nodiscard]] bool add_block(const BlockSet& set, const Real* c, const Real* t, Index n) noexcept {
    const auto zero = [&](Index i) { return std::abs(c[i]) <= round_off * t[i]; };
    switch (set.kind) {
      case SetKind::Free:
        for (Index i = 0; i < n; ++i)
          if (!zero(i)) return false;
        return true;
      case SetKind::Orthant:
        for (Index i = 0; i < n; ++i)
          if (!(c[i] <= round_off * t[i])) return false;
        return true;
      case SetKind::Box:
        for (Index i = 0; i < n; ++i) {
          double end = c[i] > 0.0L ? set.upper : set.lower;
          if (std::isinf(end)) {
            if (!zero(i)) return false;
            end = std::min(std::max(0.0, set.lower), set.upper);  // round-off of a zero
          }
          add(c[i] * end, t[i] * std::abs(end));
        }
        return true;
      case SetKind::VonMises:
        if (!zero(0)) return false;
        add(set.radius * euclidean_norm(c + 1, n - 1), set.radius * euclidean_norm(t + 1, n - 1));
        return true;
      case SetKind::SecondOrderCone:
      case SetKind::DruckerPrager:
      case SetKind::Coulomb2D:
      case SetKind::Coulomb3D:
      case SetKind::Rolling:
        break;
    }
    if (!(c[0] + tangential_support(set, c, n) <= round_off * (t[0] + tangential_support(set, t, n)))) return false;
    add(-static_cast<Real>(set.cohesion) * c[0], static_cast<Real>(set.cohesion) * t[0]);
    return true;
  }

  [[nodiscard]] bool proves() const noexcept { return value < -round_off * terms; }
};

/// c += W_k^T y of one block, t += |W_k|^T |y|.
void add_column_sums(const double* block, const double* y, Index rows, Index columns, Real* c, Real* t) noexcept {
  for (Index j = 0; j < columns; ++j)
    for (Index i = 0; i < rows; ++i) {
      const Real product = static_cast<Real>(block[j * rows + i]) * y[i];
      c[j] += product;
      t[j] += std::abs(product);
    }
}

/// True if y, zero but for the block's own rows `x`, proves it: the same sums, of one block row.
bool block_proves(const Problem& problem, Index b, const double* x, std::vector<Real>& c, std::vector<Real>& t) {
  const BlockSparseMatrix& W = problem.W;
  Bound bound;
  for (Index i = 0; i < W.size(b); ++i) {
    const Real product = static_cast<Real>(problem.q[W.offset(b) + i]) * x[i];
    bound.add(product, std::abs(product));
  }
  if (!bound.proves()) return false;
  for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) {
    const Index j = W.column(k);
    c.assign(static_cast<std::size_t>(W.size(j)), 0.0L);
    t.assign(static_cast<std::size_t>(W.size(j)), 0.0L);
    add_column_sums(W.values(k), x, W.size(b), W.size(j), c.data(), t.data());
    if (!bound.add_block(problem.K[j], c.data(), t.data(), W.size(j))) return false;
  }
  return bound.proves();
}

void violation(const ProductSet& K, const GrowingVector& u, GrowingVector& y) {
  y = -u;
  for (Index b = 0; b < K.num_blocks(); ++b) project_on_dual(K[b], y.data() + K.offset(b), K.size(b));
}

/// About |D W^T W D|, D = diag(rho), from below: power iterations from a vector of no pattern.
[[nodiscard]] double largest_curvature(const BlockSparseMatrix& W, const GrowingVector& rho,
                                       internal::ProofMemory& memory) {
  GrowingVector &x = memory.next, &product = memory.u, &zero = memory.zero;
  x.resize(rho.size());
  product.resize(rho.size());
  zero.setZero(rho.size());
  for (Index i = 0; i < x.size(); ++i) x[i] = 1.0 + std::fmod(0.6180339887498949 * static_cast<double>(i), 1.0);
  double length = 0.0;
  for (int k = 0; k < 20; ++k) {
    x.normalize();
    x = x.cwiseProduct(rho);
    W.multiply_add(x, zero, product);
    internal::multiply_transposed(W, product, x);
    x = x.cwiseProduct(rho);
    length = x.norm();
    if (!(length > 0.0)) break;
  }
  return length;
}

/// Small problems: the least relative change of the rows of y that takes the nearly vanishing sums of W^T y to zero.
/// False where it is no small change: nothing is proved there.
[[nodiscard]] bool refine(const BlockSparseMatrix& W, const ProductSet& K, Eigen::VectorXd& y) {
  const Index n = y.size();
  std::vector<Real> c(static_cast<std::size_t>(n), 0.0L), t(static_cast<std::size_t>(n), 0.0L);
  for (Index b = 0; b < W.num_block_rows(); ++b)
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) {
      const Index first = W.offset(W.column(k));
      add_column_sums(W.values(k), y.data() + W.offset(b), W.size(b), W.size(W.column(k)), c.data() + first,
                      t.data() + first);
    }
  const Eigen::MatrixXd dense = W.to_dense();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd residual = Eigen::VectorXd::Zero(n);
  for (Index j = 0; j < n; ++j) {
    const Real sum = c[static_cast<std::size_t>(j)], terms = t[static_cast<std::size_t>(j)];
    if (!(terms > 0.0L) || std::abs(sum) > near_zero * terms) continue;
    residual[j] = static_cast<double>(sum / terms);
    A.row(j) = dense.col(j).cwiseProduct(y).transpose() / static_cast<double>(terms);
  }
  CompleteOrthogonalFactors decomposition;
  decomposition.set_threshold(16.0 * static_cast<double>(n) * std::numeric_limits<double>::epsilon());
  decomposition.compute(A);
  const Eigen::VectorXd change = decomposition.solve(residual);
  if (!change.allFinite() || change.cwiseAbs().maxCoeff() > near_zero) return false;
  y -= y.cwiseProduct(change);
  for (Index b = 0; b < K.num_blocks(); ++b) project_on_dual(K[b], y.data() + K.offset(b), K.size(b));
  return true;
}

}  // namespace

namespace {

/// proves_infeasible() with scratch.
[[nodiscard]] bool proves(const Problem& problem, ConstVectorRef y, std::vector<Real>& c, std::vector<Real>& t) {
  const BlockSparseMatrix& W = problem.W;
  const ProductSet& K = problem.K;
  if (y.size() != problem.q.size() || !y.allFinite()) return false;
  const auto n = static_cast<std::size_t>(y.size());
  c.assign(n, 0.0L);
  t.assign(n, 0.0L);
  Bound bound;
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const double* y_b = y.data() + K.offset(b);
    if (!in_dual(K[b], y_b, K.size(b))) return false;
    if (std::all_of(y_b, y_b + K.size(b), [](double entry) { return entry == 0.0; })) continue;
    for (Index i = 0; i < K.size(b); ++i) {
      const Real product = static_cast<Real>(problem.q[K.offset(b) + i]) * y_b[i];
      bound.add(product, std::abs(product));
    }
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) {
      const Index j = W.column(k);
      add_column_sums(W.values(k), y_b, K.size(b), K.size(j), c.data() + K.offset(j), t.data() + K.offset(j));
    }
  }
  for (Index b = 0; b < K.num_blocks(); ++b)
    if (!bound.add_block(K[b], c.data() + K.offset(b), t.data() + K.offset(b), K.size(b))) return false;
  return bound.proves();
}

}  // namespace

bool proves_infeasible(const Problem& problem, ConstVectorRef y) {
  std::vector<Real> c, t;
  return proves(problem, y, c, t);
}

namespace internal {

bool prove(const Problem& problem, ProofMemory& memory, Eigen::VectorXd& y) {
  const GrowingVector& found = memory.y;
  if (proves(problem, found, memory.sums, memory.terms)) {
    y = found;
    return true;
  }
  if (found.size() > refined_rows || !(problem.q.dot(found) < 0.0)) return false;
  Eigen::VectorXd refined = found;
  for (int pass = 0; pass < 2 && refine(problem.W, problem.K, refined); ++pass) {
    if (!proves_infeasible(problem, refined)) continue;
    y = refined;
    return true;
  }
  return false;
}

bool find_simple_proof(const Problem& problem, Eigen::VectorXd& y) {
  const BlockSparseMatrix& W = problem.W;
  std::vector<double> x;
  std::vector<Real> c, t;
  const auto holds = [&](Index b) {
    if (!block_proves(problem, b, x.data(), c, t)) return false;
    y.setZero(W.rows());
    std::copy(x.begin(), x.end(), y.data() + W.offset(b));
    return proves_infeasible(problem, y);
  };
  for (Index b = 0; b < W.num_block_rows(); ++b) {
    const Index o = W.offset(b), n = W.size(b);
    const double* diagonal = W.values(W.diagonal(b));
    for (Index i = 0; i < n; ++i) {
      if (diagonal[i * (n + 1)] > 0.0) continue;
      x.assign(static_cast<std::size_t>(n), 0.0);
      for (Index k = 0; k < n; ++k)
        if (k == i || !row_wise(problem.K[b].kind)) x[static_cast<std::size_t>(k)] = -problem.q[o + k];
      project_on_dual(problem.K[b], x.data(), n);
      if (holds(b)) return true;
      if (!row_wise(problem.K[b].kind)) break;
    }
  }
  return false;
}

bool find_proof(const Problem& problem, Index max_iterations, Eigen::VectorXd& y,
                const nonsmooth::detail::Deadline& deadline) {
  ProofMemory memory;
  return find_proof(problem, max_iterations, deadline, memory, y);
}

bool find_proof(const Problem& problem, Index max_iterations, const nonsmooth::detail::Deadline& deadline,
                ProofMemory& memory, Eigen::VectorXd& proof) {
  const BlockSparseMatrix& W = problem.W;
  const ProductSet& K = problem.K;
  const Index n = W.rows();
  GrowingVector &rho = memory.rho, &r = memory.r, &next = memory.next, &u = memory.u, &image = memory.image;
  GrowingVector &step = memory.step, &ahead = memory.ahead, &y = memory.y;
  for (GrowingVector* vector : {&rho, &next, &u, &image, &step, &y}) vector->resize(n);
  r.setZero(n);
  const auto project_all = [&](GrowingVector& z) {
    for (Index b = 0; b < K.num_blocks(); ++b) project(K[b], z.data() + K.offset(b), K.size(b));
  };
  project_all(r);
  ahead = r;
  natural_scales(problem, VectorRef(rho));
  const double bound = 1.5 * largest_curvature(W, rho, memory);  // of the function's curvature everywhere
  double curvature = 1.0, momentum = 1.0;
  for (Index k = 0; k < max_iterations && !deadline.passed(); ++k) {
    W.multiply_add(ahead, problem.q, u);
    violation(K, u, y);
    const double value = 0.5 * y.squaredNorm();
    if (!(value > 0.0)) return false;
    if (k % 100 == 0 && prove(problem, memory, proof)) return true;
    if (k % 20 == 0 && k % 100 != 0 && proves(problem, y, memory.sums, memory.terms)) {
      proof = y;
      return true;
    }
    multiply_transposed(W, y, image);  // minus the gradient
    while (true) {  // the least curvature that bounds the function from above along the step, in the metric 1 / rho^2
      next = ahead + image.cwiseProduct(rho.cwiseAbs2()) / curvature;
      project_all(next);
      step = next - ahead;
      const double gain = 0.5 * curvature * step.cwiseQuotient(rho).squaredNorm();
      if (curvature >= bound) break;
      if (gain <= 1e-9 * value) {  // the difference of two values is round-off
        curvature = bound;
        continue;
      }
      W.multiply_add(next, problem.q, u);
      violation(K, u, y);
      if (!(0.5 * y.squaredNorm() > (value - image.dot(step) + gain) * (1.0 + 1e-12))) break;
      curvature *= 2.0;
    }
    const bool turned = image.dot(next - r) < 0.0;
    const double before = turned ? 1.0 : momentum;
    momentum = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * before * before));
    ahead = next + (turned ? 0.0 : (before - 1.0) / momentum) * (next - r);
    r = next;
    curvature *= 0.95;
  }
  W.multiply_add(r, problem.q, u);
  violation(K, u, y);
  return prove(problem, memory, proof);
}

bool find_proof_along(const Problem& problem, ConstVectorRef r, ProofMemory& memory, Eigen::VectorXd& proof) {
  const double size = r.size() > 0 ? r.lpNorm<Eigen::Infinity>() : 0.0;
  if (!(size > 0.0) || !std::isfinite(size)) return false;
  GrowingVector& y = memory.y;
  y = r / size;
  const ProductSet& K = problem.K;
  for (Index b = 0; b < K.num_blocks(); ++b) {
    double* y_b = y.data() + K.offset(b);
    project_on_dual(K[b], y_b, K.size(b));
    // What did not grow with the others takes no part.
    for (Index i = 0; i < K.size(b); ++i)
      if (std::abs(y_b[i]) < near_zero) y_b[i] = 0.0;
  }
  return prove(problem, memory, proof);
}

}  // namespace internal
}  // namespace nonsmooth::mixed
