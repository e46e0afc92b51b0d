// SPDX-License-Identifier: Apache-2.0
// Pivoting for affine variational inequalities on polyhedra; not installed.
#pragma once

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/vi/convex_set.hpp>

#include "relay/sparse_path.hpp"

namespace nonsmooth::vi::detail {

/// The path that vi::CaoFerris describes, of -(M x + q) in N_K(x) on K = {A x <= b, C x = d}.
class AffinePath {
 public:
  AffinePath(const Eigen::SparseMatrix<double>& M, const Eigen::VectorXd& q, const Polyhedron& K, bool equilibrate);

  /// From a vertex near `start`, a point of K. Breakdown where M is singular on the lines in K and the problems near
  /// this one have not led to a solution, or where rounding has ended it.
  [[nodiscard]] relay::detail::PivotEnd run(const Eigen::VectorXd& start, Index max_pivots, Index refactor_every,
                                            const nonsmooth::detail::Deadline& deadline);

  /// x where the path ended, of its last basis solved afresh, or as the pivots left it.
  [[nodiscard]] Eigen::VectorXd x() const { return x_of(z_); }
  [[nodiscard]] Eigen::VectorXd x_as_pivoted() const { return x_of(pivoted_); }
  [[nodiscard]] Index pivots() const noexcept { return pivots_; }

 private:
  [[nodiscard]] Eigen::VectorXd x_of(const Eigen::VectorXd& z) const;
  [[nodiscard]] relay::detail::PivotEnd follow(const relay::SparseProblem& problem, bool from_infinity);
  [[nodiscard]] relay::detail::PivotEnd near_ones();
  [[nodiscard]] relay::SparseProblem conditions(const Eigen::SparseMatrix<double>& M, const Eigen::VectorXd& q) const;

  const Index n_;
  Polyhedron K_;                  // without equations that follow from others, then in the units of problem_
  relay::SparseProblem problem_;  // in z = (x, mu, lambda), entries near 1
  Eigen::VectorXd units_;         // of x: times these it is the given one
  relay::detail::Places places_;
  Eigen::VectorXd z_, pivoted_;
  Index pivots_ = 0, most_ = 0, refactor_every_ = 1;
  const nonsmooth::detail::Deadline* deadline_ = nullptr;
};

}  // namespace nonsmooth::vi::detail
