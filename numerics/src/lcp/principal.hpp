// SPDX-License-Identifier: Apache-2.0
// Principal systems M_aa z_a = -q_a of dense and sparse problems behind one door; not installed.
#pragma once

#include <vector>

#include <internal/round_off.hpp>
#include <internal/sparse_factors.hpp>

#include "internal.hpp"
#include "linear_algebra/dense_kernels.hpp"

namespace nonsmooth::lcp::detail {

/// z_a = -M_aa^-1 q_a, z_b = 0, w = M z + q, with one refinement.
class DensePrincipal {
 public:
  explicit DensePrincipal(const View& problem) : p_(problem) {}

  /// False if M_aa is singular to working precision.
  bool solve(const std::vector<Index>& rows, Eigen::VectorXd& z, Eigen::VectorXd& w) {
    const Index k = static_cast<Index>(rows.size());
    z.setZero();
    w = p_.q;
    if (k == 0) return true;
    if (!lu_.factorize_principal(p_.M, rows)) return false;
    step_.resize(k);
    for (int pass = 0; pass < 2; ++pass) {
      for (Index i = 0; i < k; ++i) step_[i] = -w[rows[static_cast<std::size_t>(i)]];
      lu_.solve_in_place(step_);
      for (Index i = 0; i < k; ++i) z[rows[static_cast<std::size_t>(i)]] += step_[i];
      w = p_.q;
      for (const Index j : rows) {
        nonsmooth::detail::subtract_scaled(w.size(), -z[j], p_.M.data() + j * p_.M.outerStride(), w.data());
      }
    }
    return z.allFinite();
  }

 private:
  View p_;
  DenseLu lu_;
  Eigen::VectorXd step_;
};

/// The same on the sparse principal submatrix: LDL^T where M is symmetric, LU otherwise and where LDL^T breaks down.
class SparsePrincipal {
 public:
  explicit SparsePrincipal(const SparseProblem& problem)
      : p_(problem), position_(static_cast<std::size_t>(problem.q.size())) {
    const Eigen::SparseMatrix<double> difference = p_.M - Eigen::SparseMatrix<double>(p_.M.transpose());
    symmetric_ = difference.nonZeros() == 0 || difference.coeffs().abs().maxCoeff() == 0.0;
  }

  [[nodiscard]] bool symmetric() const noexcept { return symmetric_; }

  bool solve(const std::vector<Index>& rows, Eigen::VectorXd& z, Eigen::VectorXd& w) {
    z.setZero();
    w = p_.q;
    if (rows.empty()) return true;
    extract(rows);
    if (symmetric_) {
      if (cholesky_.compute(sub_) && apply(cholesky_, rows, z, w)) return true;
    }
    return lu_.compute(sub_) && apply(lu_, rows, z, w);
  }

 private:
  void extract(const std::vector<Index>& rows) {
    std::fill(position_.begin(), position_.end(), -1);
    for (std::size_t k = 0; k < rows.size(); ++k) position_[static_cast<std::size_t>(rows[k])] = static_cast<int>(k);
    entries_.clear();
    for (const Index j : rows) {
      for (Eigen::SparseMatrix<double>::InnerIterator it(p_.M, j); it; ++it) {
        const int i = position_[static_cast<std::size_t>(it.row())];
        if (i >= 0) entries_.emplace_back(i, position_[static_cast<std::size_t>(j)], it.value());
      }
    }
    sub_.resize(static_cast<Index>(rows.size()), static_cast<Index>(rows.size()));
    sub_.setFromTriplets(entries_.begin(), entries_.end());
  }

  template <class Factors>
  bool apply(const Factors& factors, const std::vector<Index>& rows, Eigen::VectorXd& z, Eigen::VectorXd& w) {
    const Index k = static_cast<Index>(rows.size());
    z.setZero();
    w = p_.q;
    step_.resize(k);
    double before = 0.0;
    for (int pass = 0; pass < 2; ++pass) {
      for (Index i = 0; i < k; ++i) step_[i] = -w[rows[static_cast<std::size_t>(i)]];
      if (pass == 0) before = step_.cwiseAbs().maxCoeff();
      factors.solve_in_place(step_);
      for (Index i = 0; i < k; ++i) z[rows[static_cast<std::size_t>(i)]] += step_[i];
      w = p_.q;
      w.noalias() += p_.M * z;
    }
    double after = 0.0;
    for (const Index i : rows) after = std::max(after, std::abs(w[i]));
    return z.allFinite() && after <= 1e-3 * before;  // otherwise the factors are worthless
  }

  const SparseProblem& p_;
  bool symmetric_ = false;
  std::vector<int> position_;
  std::vector<Eigen::Triplet<double>> entries_;
  Eigen::SparseMatrix<double> sub_;
  SparseLdltFactors cholesky_;
  SparseLuFactors lu_;
  Eigen::VectorXd step_;
};

inline DensePrincipal principal_of(const View& problem) { return DensePrincipal(problem); }
inline SparsePrincipal principal_of(const SparseProblem& problem) { return SparsePrincipal(problem); }

/// A value whose sign is round-off counts as zero: 64 eps of the largest terms of M z + q, as in the certificate.
inline double sign_floor(ConstVectorRef q, ConstVectorRef w) {
  return 64.0 * eps * std::max(q.cwiseAbs().maxCoeff(), (w - q).cwiseAbs().maxCoeff());
}

}  // namespace nonsmooth::lcp::detail
