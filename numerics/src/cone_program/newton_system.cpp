// SPDX-License-Identifier: Apache-2.0
#include "newton_system.hpp"

#include "linear_algebra/dense_kernels.hpp"

namespace nonsmooth::cone_program::detail {
namespace {

constexpr double kkt_regularisation = 1e-9;  // delta
constexpr double accurate = 1e-8;  // of a right-hand side, what a solve may leave: a step is off by no more than that
constexpr double dense_enough = 1e-6;  // the same of dense factors: others cost as much as all steps before
constexpr double most_shift = 1e-8;    // of the blocks W^2, relative to their largest entries; more is another W
constexpr int most_passes = 8;
// Parts of its diagonal that H gets in turn, where rounding leaves a pivot of it that is not positive: the rounding is
// sqrt n eps of them as a rule, n eps at most, and refinement takes the rest out again.
constexpr double diagonal_parts[] = {0.0, 1e-15, 1e-14, 1e-13};
constexpr double nearly_full = 0.3;          // part of the entries: below, sparse factors cost less
constexpr Index most_dense_unknowns = 3000;  // H is 72 MB

}  // namespace

NewtonSystem::NewtonSystem(const Problem& problem, const Scaling& scaling)
    : problem_(problem),
      scaling_(scaling),
      n_(problem.num_unknowns()),
      p_(problem.num_equations()),
      m_(problem.num_rows()) {
  const double entries = double(problem.A.nonZeros() + problem.G.nonZeros());
  full_ = m_ > 0 && n_ <= most_dense_unknowns && entries >= nearly_full * double(n_) * double(p_ + m_);
  if (!full_) return;
  G_ = problem.G;
  if (p_ > 0) A_ = problem.A;
}

bool NewtonSystem::factorize(const Vector& right, Vector& solution) {
  double left = 0.0;
  dense_factors_ = full_ && factorize_dense();
  if (dense_factors_) {
    solution = solve(right);
    if (leaves_little(right, solution, &left) || left <= dense_enough * right.cwiseAbs().maxCoeff()) return true;
    dense_factors_ = false;
  }
  double best_shift = -1.0, least = std::numeric_limits<double>::infinity();
  for (double shift = 0.0; shift <= most_shift; shift = std::max(1e-15, 10.0 * shift)) {
    if (!factorize_sparse(shift)) continue;
    solution = solve(right);
    if (leaves_little(right, solution, &left)) return true;
    if (left < least) {
      least = left;
      best_shift = shift;
    }
  }
  if (best_shift < 0.0 || !factorize_sparse(best_shift)) return false;
  solution = solve(right);
  return true;
}

bool NewtonSystem::leaves_little(const Vector& right, const Vector& solution, double* left) const {
  *left = (right - multiply(solution)).cwiseAbs().maxCoeff();
  return *left <= accurate * right.cwiseAbs().maxCoeff();
}

bool NewtonSystem::factorize_dense() {
  using nonsmooth::detail::cholesky_of_top;
  scaled_.resize(m_, n_);
  scaling_.apply_inverse(problem_, G_, scaled_);
  if (!scaled_.allFinite()) return false;
  LV_.resize(n_ + p_, n_);
  bool definite = false;
  for (const double part : diagonal_parts) {
    nonsmooth::detail::symmetric_product(m_, n_, scaled_.data(), LV_.data(), n_ + p_, packed_);
    LV_.diagonal().array() += kkt_regularisation + part * LV_.diagonal().array();
    if (p_ > 0) LV_.bottomRows(p_) = A_;
    definite = cholesky_of_top(n_ + p_, n_, LV_.data(), packed_);
    if (definite) break;
  }
  if (!definite || p_ == 0) return definite;
  const Eigen::MatrixXd columns = LV_.bottomRows(p_).transpose();
  S_.resize(p_, p_);
  nonsmooth::detail::symmetric_product(n_, p_, columns.data(), S_.data(), p_, packed_);
  S_.diagonal().array() += kkt_regularisation;
  return cholesky_of_top(p_, p_, S_.data(), packed_);
}

/// With c = W^-1 r_z, r = r_x + (W^-1 G)^T c and u = L^-1 r: S y = V u - r_y, L^T x = u - V^T y, z = W^-1 (W^-1 G x -
/// c).
void NewtonSystem::solve_dense(Vector& v) const {
  const Vector c = scaling_.apply(problem_, v.tail(m_), true);
  const auto L = LV_.topRows(n_).triangularView<Eigen::Lower>();
  Vector x = v.head(n_) + scaled_.transpose() * c;
  L.solveInPlace(x);
  if (p_ > 0) {
    Vector y = LV_.bottomRows(p_) * x - v.segment(n_, p_);
    S_.triangularView<Eigen::Lower>().solveInPlace(y);
    S_.triangularView<Eigen::Lower>().transpose().solveInPlace(y);
    x.noalias() -= LV_.bottomRows(p_).transpose() * y;
    v.segment(n_, p_) = y;
  }
  L.transpose().solveInPlace(x);
  v.head(n_) = x;
  v.tail(m_) = scaling_.apply(problem_, scaled_ * x - c, true);
}

bool NewtonSystem::factorize_sparse(double shift) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto put = [&entries](Index i, Index j, double value) {
    entries.emplace_back(static_cast<int>(i), static_cast<int>(j), value);
  };
  for (Index j = 0; j < n_; ++j) put(j, j, kkt_regularisation);
  for (Index i = 0; i < p_; ++i) put(n_ + i, n_ + i, -kkt_regularisation);
  const auto matrix = [&](const Eigen::SparseMatrix<double>& block, Index first) {
    for (Index j = 0; j < block.outerSize(); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator it(block, j); it; ++it) put(first + it.row(), j, it.value());
    }
  };
  matrix(problem_.A, n_);
  matrix(problem_.G, n_ + p_);
  const Index rows = n_ + p_;
  for_cones(problem_, [&](Index first, Index size) {
    const double square = scaling_.eta[first] * scaling_.eta[first];
    const double largest = square * (2.0 * scaling_.w[first] * scaling_.w[first] - 1.0);
    for (Index i = first; i < first + size; ++i) {
      put(rows + i, rows + i, -shift * largest);
      for (Index j = first; j <= i; ++j) {
        const double one = i != j ? 0.0 : i == first ? -1.0 : 1.0;
        put(rows + i, rows + j, -square * (2.0 * scaling_.w[i] * scaling_.w[j] + one));
      }
    }
  });
  Eigen::SparseMatrix<double> lower(n_ + p_ + m_, n_ + p_ + m_);
  lower.setFromTriplets(entries.begin(), entries.end());
  return lower.coeffs().allFinite() && sparse_.compute(lower);
}

Eigen::VectorXd NewtonSystem::solve(const Vector& right, double enough) const {
  const double whole = right.cwiseAbs().maxCoeff();
  Vector best = Vector::Zero(right.size()), now = best, left = right;
  double smallest = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < most_passes; ++pass) {
    Vector change = left;
    dense_factors_ ? solve_dense(change) : sparse_.solve_in_place(change);
    now += change;
    left = right - multiply(now);
    const double size = left.cwiseAbs().maxCoeff();
    if (!(size < smallest)) break;
    best = now;
    const bool slow = size > 0.5 * smallest;
    smallest = size;
    if (slow || (left.array().abs() <= enough * right.array().abs() + 1e-16 * whole).all()) break;
  }
  return best;
}

Eigen::VectorXd NewtonSystem::multiply(const Vector& v) const {
  Vector result = Vector::Zero(v.size());
  const auto z = v.tail(m_);
  add_products(v.head(n_), v.segment(n_, p_), z, result.head(n_), result.segment(n_, p_), result.tail(m_));
  if (m_ > 0) result.tail(m_) -= scaling_.apply(problem_, scaling_.apply(problem_, z, false), false);
  return result;
}

void NewtonSystem::add_products(ConstVectorRef x, ConstVectorRef y, ConstVectorRef z, VectorRef dual,
                                VectorRef equations, VectorRef rows) const {
  const auto add = [&](const auto& A, const auto& G) {
    if (p_ > 0) {
      dual.noalias() += A.transpose() * y;
      equations.noalias() += A * x;
    }
    if (m_ > 0) {
      dual.noalias() += G.transpose() * z;
      rows.noalias() += G * x;
    }
  };
  full_ ? add(A_, G_) : add(problem_.A, problem_.G);
}

}  // namespace nonsmooth::cone_program::detail
