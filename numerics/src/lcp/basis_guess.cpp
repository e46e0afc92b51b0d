// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "internal.hpp"
#include "linear_algebra/dense_kernels.hpp"

namespace nonsmooth::lcp::detail {
namespace {

class DenseColumns {
 public:
  explicit DenseColumns(const View& problem) : problem_(problem) {}
  [[nodiscard]] double diagonal(Index i) const { return problem_.M(i, i); }
  void add(Index i, double step, VectorRef w) const {
    nonsmooth::detail::subtract_scaled(w.size(), -step, problem_.M.data() + i * problem_.M.outerStride(), w.data());
  }

 private:
  const View& problem_;
};

class SparseColumns {
 public:
  explicit SparseColumns(const SparseProblem& problem) : problem_(problem), diagonal_(problem.M.diagonal()) {}
  [[nodiscard]] double diagonal(Index i) const { return diagonal_[i]; }
  void add(Index i, double step, VectorRef w) const {
    for (Eigen::SparseMatrix<double>::InnerIterator it(problem_.M, i); it; ++it) w[it.row()] += step * it.value();
  }

 private:
  const SparseProblem& problem_;
  Eigen::VectorXd diagonal_;
};

template <class Columns>
bool guess(const Columns& columns, ConstVectorRef q, Index max_sweeps, GrowingVector& z, GrowingVector& w,
           std::vector<Index>& rows) {
  const Index n = q.size();
  for (Index i = 0; i < n; ++i) {
    if (!(columns.diagonal(i) > 0.0)) return false;
  }
  z.setZero(n);
  w = q;
  double before = std::numeric_limits<double>::infinity();
  for (Index sweep = 0; sweep < max_sweeps; ++sweep) {
    bool moved = false;
    double change = 0.0;
    for (Index i = 0; i < n; ++i) {
      const double step = std::max(-z[i], -w[i] / columns.diagonal(i));
      if (step == 0.0) continue;
      const bool positive = z[i] > 0.0;
      z[i] += step;
      moved = moved || positive != (z[i] > 0.0);
      change = std::max(change, std::abs(step) * columns.diagonal(i));
      columns.add(i, step, w);
    }
    if (!moved || !(change <= 8.0 * before)) break;  // converged, or far from contraction: what there is must do
    before = change;
  }
  rows.clear();
  for (Index i = 0; i < n; ++i) {
    if (columns.diagonal(i) * z[i] > w[i]) rows.push_back(i);
  }
  return true;
}

}  // namespace

bool guess_basis(const View& problem, Index max_sweeps, GrowingVector& z, GrowingVector& w, std::vector<Index>& rows) {
  return guess(DenseColumns(problem), problem.q, max_sweeps, z, w, rows);
}

bool guess_basis(const SparseProblem& problem, Index max_sweeps, GrowingVector& z, GrowingVector& w,
                 std::vector<Index>& rows) {
  return guess(SparseColumns(problem), problem.q, max_sweeps, z, w, rows);
}

}  // namespace nonsmooth::lcp::detail
