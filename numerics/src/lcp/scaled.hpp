// SPDX-License-Identifier: Apache-2.0
// A problem in units of its own: D M D with entries near 1 and the largest entry of q 1; not installed.
#pragma once

#include "lemke_loop.hpp"

namespace nonsmooth::lcp::detail {

inline double largest_entry(const Eigen::MatrixXd& M) { return M.cwiseAbs().maxCoeff(); }
inline double largest_entry(const Eigen::SparseMatrix<double>& M) {
  return M.nonZeros() == 0 ? 0.0 : M.coeffs().abs().maxCoeff();
}

inline void scaled_maxima(const Eigen::MatrixXd& M, VectorRef weights, VectorRef largest) {
  largest.setZero();
  for (Index j = 0; j < M.cols(); ++j) {
    for (Index i = 0; i < M.rows(); ++i) {
      const double value = std::abs(M(i, j)) * weights[i] * weights[j];
      largest[i] = std::max(largest[i], value);
      largest[j] = std::max(largest[j], value);
    }
  }
}

inline void scaled_maxima(const Eigen::SparseMatrix<double>& M, VectorRef weights, VectorRef largest) {
  largest.setZero();
  for (Index j = 0; j < M.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(M, j); it; ++it) {
      const double value = std::abs(it.value()) * weights[it.row()] * weights[j];
      largest[it.row()] = std::max(largest[it.row()], value);
      largest[j] = std::max(largest[j], value);
    }
  }
}

/// z solves the problem given iff z / (q_scale D) solves `own`. All factors are powers of two, so nothing is rounded
/// but by underflow. A problem whose D would leave the range of double ends with `finite` false.
template <class P>
struct Scaled {
  P own;
  Eigen::VectorXd D;
  double q_scale = 1.0;
  bool finite = true;

  explicit Scaled(const P& problem) : own(problem) {
    const Index n = problem.q.size();
    D.setOnes(n);
    Eigen::VectorXd work(n);
    nonsmooth::detail::scale_symmetrically(
        [&](VectorRef weights, VectorRef largest) { scaled_maxima(own.M, weights, largest); }, D, work);
    finite = D.allFinite() && D.minCoeff() > 0.0;
    if (!finite) D.setOnes();
    own.M = D.asDiagonal() * problem.M * D.asDiagonal();
    own.q = problem.q.cwiseProduct(D);
    const double largest = own.q.cwiseAbs().maxCoeff();
    if (largest > 0.0 && std::isfinite(largest)) q_scale = std::exp2(std::floor(std::log2(largest)));
    own.q /= q_scale;
    finite = finite && own.q.allFinite() && std::isfinite(largest_entry(own.M));
  }

  void unscale(const Eigen::VectorXd& from, Eigen::VectorXd& z) const {
    z = (from.cwiseProduct(D) * q_scale).cwiseMax(0.0);
  }
};

}  // namespace nonsmooth::lcp::detail
