// SPDX-License-Identifier: Apache-2.0
#include "affine_path.hpp"

#include <algorithm>
#include <vector>

#include "relay/sparse_partition.hpp"
#include "relay/sparse_scaling.hpp"
#include "vertex.hpp"

namespace nonsmooth::vi::detail {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using relay::detail::PivotEnd;
using relay::detail::Place;

// Of entries near 1: M + delta 1 has a condition of some 1/delta, so that 1e-3 leaves 13 digits of each step's answer;
// where M is monotone, sizes of M above it lose a factor of delta / (delta + size) a step.
constexpr double proximal_weight = 1e-3;
constexpr Index most_near_ones = 60;  // by a factor of 1/2 each, sizes of M down to delta: 2^-60 is less than eps

/// These rows of K's equations alone.
void keep_equations(const std::vector<Index>& rows, Polyhedron& K) {
  const auto count = static_cast<Index>(rows.size());
  MatrixXd C(count, K.size());
  VectorXd d(count);
  for (Index i = 0; i < count; ++i) {
    C.row(i) = K.C.row(rows[static_cast<std::size_t>(i)]);
    d[i] = K.d[rows[static_cast<std::size_t>(i)]];
  }
  K.C = std::move(C);
  K.d = std::move(d);
}

void add_block(const MatrixXd& block, Index row, Index column, double factor, bool transposed,
               std::vector<Eigen::Triplet<double>>& entries) {
  for (Index i = 0; i < block.rows(); ++i) {
    for (Index j = 0; j < block.cols(); ++j) {
      if (block(i, j) == 0.0) continue;
      const Index to_row = row + (transposed ? j : i), to_column = column + (transposed ? i : j);
      entries.emplace_back(static_cast<int>(to_row), static_cast<int>(to_column), factor * block(i, j));
    }
  }
}

}  // namespace

AffinePath::AffinePath(const Eigen::SparseMatrix<double>& M, const VectorXd& q, const Polyhedron& K, bool equilibrate)
    : n_(q.size()), K_(K) {
  if (K.C.rows() > 0) keep_equations(find_vertex(MatrixXd(0, n_), VectorXd(0), K.C, VectorXd::Zero(n_)).equations, K_);
  const relay::SparseProblem given = conditions(M, q);
  const relay::detail::Scaling scaling(given, equilibrate, problem_);
  units_ = scaling.unit * scaling.D.head(n_);
  const Index p = K_.C.rows(), m = K_.A.rows();
  const VectorXd columns = scaling.D.head(n_);
  if (p > 0) K_.C = scaling.D.segment(n_, p).asDiagonal() * K_.C * columns.asDiagonal();
  if (m > 0) K_.A = scaling.D.tail(m).asDiagonal() * K_.A * columns.asDiagonal();
  K_.d = problem_.q.segment(n_, p);
  K_.b = problem_.q.tail(m);
}

/// 0 = M x + C^T mu + A^T lambda + q,  0 = d - C x,  w = b - A x,  0 <= lambda ⟂ w >= 0  in z = (x, mu, lambda).
relay::SparseProblem AffinePath::conditions(const Eigen::SparseMatrix<double>& M, const VectorXd& q) const {
  const Index p = K_.C.rows(), m = K_.A.rows(), size = n_ + p + m;
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < n_; ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(M, j); entry; ++entry)
      entries.emplace_back(static_cast<int>(entry.row()), static_cast<int>(j), entry.value());
  }
  add_block(K_.C, 0, n_, 1.0, true, entries);
  add_block(K_.C, n_, 0, -1.0, false, entries);
  add_block(K_.A, 0, n_ + p, 1.0, true, entries);
  add_block(K_.A, n_ + p, 0, -1.0, false, entries);
  relay::SparseProblem problem{Eigen::SparseMatrix<double>(size, size), VectorXd(size),
                               VectorXd::Constant(size, -relay::detail::infinity),
                               VectorXd::Constant(size, relay::detail::infinity)};
  problem.M.setFromTriplets(entries.begin(), entries.end());
  problem.q << q, K_.d, K_.b;
  problem.lower.tail(m).setZero();
  return problem;
}

PivotEnd AffinePath::run(const VectorXd& start, Index max_pivots, Index refactor_every,
                         const nonsmooth::detail::Deadline& deadline) {
  const Index size = problem_.q.size(), m = K_.A.rows();
  most_ = relay::detail::pivot_limit(max_pivots, size);
  refactor_every_ = refactor_every;
  deadline_ = &deadline;
  const Vertex vertex = find_vertex(K_.A, K_.b, K_.C, start.cwiseQuotient(units_));
  places_.assign(static_cast<std::size_t>(size), Place::Between);
  std::fill(places_.end() - m, places_.end(), Place::Lower);
  for (const Index row : vertex.rows) places_[static_cast<std::size_t>(size - m + row)] = Place::Between;
  z_.setZero(size);
  pivoted_ = z_;
  VectorXd w(size);
  if (relay::detail::SparsePartition(problem_).solve(places_, z_, w)) return follow(problem_, true);
  z_.setZero(size);
  z_.head(n_) = vertex.x;
  return near_ones();
}

/// Along the path of `problem` from places and z, which are where it ends then. From infinity: z is that of the places,
/// at a vertex.
PivotEnd AffinePath::follow(const relay::SparseProblem& problem, bool from_infinity) {
  if (deadline_->passed()) return PivotEnd::TimeLimit;
  if (pivots_ >= most_) return PivotEnd::Limit;
  if (from_infinity) {
    for (Index i = z_.size() - K_.A.rows(); i < z_.size(); ++i) {
      if (places_[static_cast<std::size_t>(i)] == Place::Between) z_[i] = std::max(0.0, z_[i]) + 1.0;
    }
  }
  relay::detail::SparsePath path(problem);
  if (!path.start(places_, z_, VectorXd(), from_infinity)) return PivotEnd::Breakdown;
  const PivotEnd end = path.run(most_ - pivots_, refactor_every_, *deadline_);
  pivots_ += path.pivots();
  path.extract(z_);
  pivoted_ = z_;
  places_ = path.places();
  if (end != PivotEnd::Complementary) return end;
  VectorXd afresh(z_.size()), w(z_.size());
  if (relay::detail::SparsePartition(problem).solve(places_, afresh, w)) z_ = afresh;
  return end;
}

/// M + delta 1 and q - delta x_before in place of M and q, one after the other, each from where the one before ended:
/// where K has lines on which M is singular.
PivotEnd AffinePath::near_ones() {
  Eigen::SparseMatrix<double> shift(z_.size(), z_.size());
  shift.setIdentity();
  shift.diagonal().head(n_).setConstant(proximal_weight);
  shift.diagonal().tail(z_.size() - n_).setZero();
  relay::SparseProblem near = problem_;
  near.M += shift;
  VectorXd w(z_.size());
  for (Index k = 0; k < most_near_ones; ++k) {
    const VectorXd before = z_.head(n_);
    near.q.head(n_) = problem_.q.head(n_) - proximal_weight * before;
    if (k == 0 && !relay::detail::SparsePartition(near).solve(places_, z_, w)) return PivotEnd::Breakdown;
    if (const PivotEnd end = follow(near, k == 0); end != PivotEnd::Complementary) return end;
    const double moved = (z_.head(n_) - before).lpNorm<Eigen::Infinity>();
    if (proximal_weight * moved <= 1e-14) return PivotEnd::Complementary;  // of q near 1: some 50 eps
  }
  return PivotEnd::Breakdown;
}

VectorXd AffinePath::x_of(const VectorXd& z) const { return units_.cwiseProduct(z.head(n_)); }

}  // namespace nonsmooth::vi::detail
