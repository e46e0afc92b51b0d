// SPDX-License-Identifier: Apache-2.0
#include "vertex.hpp"

#include <algorithm>
#include <cmath>

#include "numbers.hpp"

namespace nonsmooth::vi::detail {
namespace {

constexpr double dependent = 1e-10;  // of a unit row: what is left below it has fewer than six digits

/// Unit rows, a column each, and what is left of them orthogonally to those taken.
class Remainders {
 public:
  explicit Remainders(const Eigen::MatrixXd& rows) : left_(rows.transpose()), lengths_(rows.rows()) {
    for (Index i = 0; i < lengths_.size(); ++i) {
      const double length = norm_of(left_.col(i));
      if (length > 0.0) left_.col(i) /= length;
      lengths_[i] = length > 0.0 ? 1.0 : 0.0;
    }
  }

  /// 0 of a row that depends on those taken.
  [[nodiscard]] double length(Index i) const { return lengths_[i] > dependent ? lengths_[i] : 0.0; }
  [[nodiscard]] Eigen::VectorXd direction(Index i) const {
    Eigen::VectorXd q = left_.col(i) / lengths_[i];
    for (const Eigen::VectorXd& taken : taken_) q -= taken.dot(q) * taken;  // short remainders lose this first
    return q.normalized();
  }
  void take(Index i) {
    taken_.push_back(direction(i));
    left_ -= taken_.back() * (taken_.back().transpose() * left_);
    left_.col(i).setZero();
    for (Index j = 0; j < lengths_.size(); ++j) lengths_[j] = left_.col(j).norm();
  }

 private:
  Eigen::MatrixXd left_;
  Eigen::VectorXd lengths_;
  std::vector<Eigen::VectorXd> taken_;
};

}  // namespace

Vertex find_vertex(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, const Eigen::MatrixXd& C, Eigen::VectorXd x) {
  const Index n = x.size(), m = A.rows(), p = C.rows();
  Eigen::MatrixXd rows(p + m, n);
  if (p > 0) rows.topRows(p) = C;
  if (m > 0) rows.bottomRows(m) = A;
  Remainders left(rows);
  Vertex vertex;
  for (bool found = true; found;) {
    Index longest = -1;
    for (Index i = 0; i < p; ++i)
      if (left.length(i) > (longest < 0 ? 0.0 : left.length(longest))) longest = i;
    found = longest >= 0;
    if (!found) break;
    left.take(longest);
    vertex.equations.push_back(longest);
  }
  Eigen::VectorXd lengths(m);
  for (Index i = 0; i < m; ++i) lengths[i] = norm_of(A.row(i).transpose());
  while (true) {
    // How far each row is along its remainder. Rows at one distance, up to rounding: the longest remainder.
    Eigen::VectorXd distance = Eigen::VectorXd::Constant(m, infinity);
    for (Index i = 0; i < m; ++i) {
      if (left.length(p + i) > 0.0)
        distance[i] = std::max(0.0, (b[i] - A.row(i).dot(x)) / lengths[i]) / left.length(p + i);
    }
    const double least = m > 0 ? distance.minCoeff() : infinity;
    if (std::isinf(least)) break;
    // Distances round by some hundred eps of x, which each step of up to n adds to: 1e-13. Which of the rows that are
    // alike is taken decides how well the vertex is known, not whether it is one.
    const double alike = least + 1e-13 * std::max(least, x.lpNorm<Eigen::Infinity>());
    Index next = -1;
    for (Index i = 0; i < m; ++i) {
      if (distance[i] <= alike && (next < 0 || left.length(p + i) > left.length(p + next))) next = i;
    }
    x += distance[next] * left.direction(p + next);
    left.take(p + next);
    vertex.rows.push_back(next);
  }
  vertex.x = std::move(x);
  return vertex;
}

}  // namespace nonsmooth::vi::detail
