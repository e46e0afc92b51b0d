// SPDX-License-Identifier: Apache-2.0
#include "coarse_principal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <internal/at.hpp>

namespace nonsmooth::lcp::detail {
namespace {

/// One sweep of Gauss-Seidel from x = 0: entries above the diagonal meet zeros only, but are cheaper read than tested.
void sweep(const RowMatrix& A, const Eigen::VectorXd& inverse_diagonal, const Eigen::VectorXd& b, bool forward,
           Eigen::VectorXd& x) {
  const int* const begin = A.begin.data();
  const int* const column = A.column.data();
  const double* const value = A.value.data();
  const auto relax = [&](int i) {
    double sum = b[i];
    for (int k = begin[i]; k < begin[i + 1]; ++k) sum -= value[k] * x[column[k]];
    x[i] += sum * inverse_diagonal[i];
  };
  if (forward) {
    for (int i = 0; i < A.rows; ++i) relax(i);
  } else {
    for (int i = A.rows; i-- > 0;) relax(i);
  }
}

void residual(const RowMatrix& A, const Eigen::VectorXd& x, const Eigen::VectorXd& b, Eigen::VectorXd& r) {
  for (int i = 0; i < A.rows; ++i) {
    double sum = b[i];
    for (int k = A.begin[at(i)]; k < A.begin[at(i + 1)]; ++k) sum -= A.value[at(k)] * x[A.column[at(k)]];
    r[i] = sum;
  }
}

}  // namespace

bool CoarsePrincipal::prepare(std::size_t l, const std::vector<int>& rows) {
  levels_.clear();
  levels_.emplace_back();
  levels_.back().A = principal_submatrix(hierarchy_.level(l).A, rows);
  std::vector<int> here = rows, next;
  for (; l + 1 < hierarchy_.size(); ++l) {
    Level& fine = levels_.back();
    fine.P = rows_of(hierarchy_.level(l).P, here, next);
    if (next.empty()) {
      fine.P = RowMatrix();
      break;
    }
    fine.Pt = transposed(fine.P);
    RowMatrix coarse = galerkin(fine.A, fine.P, fine.Pt);
    levels_.emplace_back();
    levels_.back().A = std::move(coarse);
    here.swap(next);
  }
  for (Level& level : levels_) {
    level.inverse_diagonal = level.A.diagonal();
    if (!(level.inverse_diagonal.minCoeff() > 0.0)) return false;
    level.inverse_diagonal = level.inverse_diagonal.cwiseInverse();
    level.x.resize(level.A.rows);
    level.b.resize(level.A.rows);
    level.r.resize(level.A.rows);
  }
  direct_ = levels_.back().A.rows <= hierarchy_.coarsest();
  if (!direct_) return true;
  // Truncation can leave two coarse functions proportional to each other: the shift keeps the factors finite, and what
  // it changes lies in the kernel of the interpolation.
  Eigen::SparseMatrix<double> last = levels_.back().A.to_eigen();
  for (int i = 0; i < levels_.back().A.rows; ++i) last.coeffRef(i, i) *= 1.0 + 1e-9;
  direct_ = coarsest_.factorize(last);
  return true;
}

void CoarsePrincipal::cycle(std::size_t k) {
  Level& level = levels_[k];
  if (k + 1 == levels_.size()) {
    if (direct_) {
      level.x = level.b;
      coarsest_.solve_in_place(level.x);
    } else {
      level.x.setZero();
      for (int pass = 0; pass < 2; ++pass) {
        sweep(level.A, level.inverse_diagonal, level.b, true, level.x);
        sweep(level.A, level.inverse_diagonal, level.b, false, level.x);
      }
    }
    return;
  }
  level.x.setZero();
  sweep(level.A, level.inverse_diagonal, level.b, true, level.x);
  residual(level.A, level.x, level.b, level.r);
  multiply(level.Pt, level.r, levels_[k + 1].b);
  cycle(k + 1);
  multiply_add(level.P, levels_[k + 1].x, level.x, level.x);
  sweep(level.A, level.inverse_diagonal, level.b, false, level.x);
}

void CoarsePrincipal::precondition(const Eigen::VectorXd& r, Eigen::VectorXd& out) {
  levels_.front().b = r;
  cycle(0);
  out = levels_.front().x;
}

double CoarsePrincipal::solve(const Eigen::VectorXd& b, double target, Index max_iterations, Eigen::VectorXd& x) {
  x.setZero(b.size());
  r_ = b;
  return symmetric_ ? conjugate_gradients(target, max_iterations, x) : bicgstab(target, max_iterations, x);
}

double CoarsePrincipal::conjugate_gradients(double target, Index max_iterations, Eigen::VectorXd& x) {
  const RowMatrix& A = levels_.front().A;
  double error = r_.cwiseAbs().maxCoeff();
  double rz = 0.0;
  for (Index k = 0; k < max_iterations && error > target; ++k, ++iterations_) {
    precondition(r_, z_);
    const double rz_next = r_.dot(z_);
    if (!(rz_next > 0.0)) break;  // not positive definite, or a number overflowed
    if (k == 0) {
      p_ = z_;
    } else {
      p_ = z_ + (rz_next / rz) * p_;
    }
    rz = rz_next;
    multiply(A, p_, q_);
    const double curvature = p_.dot(q_);
    if (!(curvature > 0.0)) break;
    const double step = rz / curvature;
    x += step * p_;
    r_ -= step * q_;
    error = r_.cwiseAbs().maxCoeff();
  }
  return error;
}

double CoarsePrincipal::bicgstab(double target, Index max_iterations, Eigen::VectorXd& x) {
  const RowMatrix& A = levels_.front().A;
  double error = r_.cwiseAbs().maxCoeff();
  const Eigen::VectorXd shadow = r_;
  double rho = 1.0, alpha = 1.0, omega = 1.0;
  p_.setZero(r_.size());
  q_.setZero(r_.size());
  for (Index k = 0; k < max_iterations && error > target; ++k, ++iterations_) {
    const double rho_next = shadow.dot(r_);
    if (rho_next == 0.0 || omega == 0.0) break;
    const double beta = rho_next / rho * (alpha / omega);
    rho = rho_next;
    p_ = r_ + beta * (p_ - omega * q_);
    precondition(p_, z_);
    multiply(A, z_, q_);
    alpha = rho / shadow.dot(q_);
    x += alpha * z_;
    r_ -= alpha * q_;
    error = r_.cwiseAbs().maxCoeff();
    if (!std::isfinite(error) || error <= target) break;
    precondition(r_, z_);
    multiply(A, z_, t_);
    const double square = t_.squaredNorm();
    omega = square > 0.0 ? t_.dot(r_) / square : 0.0;
    x += omega * z_;
    r_ -= omega * t_;
    error = r_.cwiseAbs().maxCoeff();
    if (!std::isfinite(error)) break;
  }
  return error;
}

}  // namespace nonsmooth::lcp::detail
