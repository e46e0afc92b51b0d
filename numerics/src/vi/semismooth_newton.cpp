// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/vi/semismooth_newton.hpp>

#include <cmath>
#include <vector>

#include <internal/at.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "damped_newton.hpp"
#include "numbers.hpp"

namespace nonsmooth::vi {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

constexpr Index few_rows = 8;  // of a block, whose product costs less than to look at what it is

/// V = D J + (I - D) / rho or J D + (I - D) / rho with its factors, dense or sparse. Dense, the rows F of factors of K
/// whose D is not 0 are left of the equation: beside them V has 1 / rho on the diagonal and nothing else, in rows or in
/// columns.
class NewtonMatrix {
 public:
  explicit NewtonMatrix(detail::Run& run)
      : run_(run), sparse_(detail::has_sparse_newton_matrix(run.problem())), factors_of_K_(run.problem().K.factors()) {
    if (!sparse_) D_.resize(run.size(), run.size());
    if (!sparse_) return;
    identity_.resize(run.size(), run.size());
    identity_.setIdentity();
  }

  /// J at x with w = F(x), D at y; D J if natural. False where J is not finite.
  bool compute(const VectorXd& x, const VectorXd& w, const VectorXd& y, bool natural) {
    const double slope = 1.0 / run_.rho();
    if (sparse_) {
      if (!run_.jacobian(x, w, sparse_J_)) return false;
      run_.problem().K.jacobian(y, sparse_D_);
      // Products and sums keep entries that are 0 by their values: one pattern, one ordering.
      sparse_V_ = natural ? SparseMatrix(sparse_D_ * sparse_J_) : SparseMatrix(sparse_J_ * sparse_D_);
      sparse_V_ += SparseMatrix(slope * (identity_ - sparse_D_));
      return true;
    }
    if (!run_.jacobian(x, w, J_)) return false;
    run_.problem().K.jacobian(y, D_);
    natural_ = natural;
    find_free_rows();
    take_free_rows();
    multiply();
    return true;
  }

  /// d = -V^-1 e; a singular V once more with a small multiple of I / rho.
  bool solve(const VectorXd& e, VectorXd& d) {
    for (const double shift : {0.0, 1e-8}) {
      if (!factorize(shift / run_.rho())) continue;
      if (sparse_) {
        d = -e;
        sparse_factors_.solve_in_place(d);
      } else {
        solve_free_rows(e, d);
      }
      if (d.allFinite()) return true;
    }
    return false;
  }

 private:
  using SparseMatrix = Eigen::SparseMatrix<double>;

  void find_free_rows() {
    free_.clear();
    blocks_.clear();
    Index first = 0;
    for (const Index rows : factors_of_K_) {
      if ((D_.block(first, first, rows, rows).array() != 0.0).any()) {
        blocks_.push_back(rows);
        for (Index i = first; i < first + rows; ++i) free_.push_back(i);
      }
      first += rows;
    }
  }

  /// V := J of the free rows and columns.
  void take_free_rows() {
    const auto count = static_cast<Index>(free_.size());
    if (count == run_.size()) {
      V_ = J_;
      return;
    }
    V_.resize(count, count);
    for (Index j = 0; j < count; ++j) {
      const auto from = J_.col(free_[at(j)]);
      for (Index i = 0; i < count; ++i) V_(i, j) = from[free_[at(i)]];
    }
  }

  /// V := D V + (I - D) / rho if natural, else V D + (I - D) / rho.
  void multiply() {
    const double slope = 1.0 / run_.rho();
    Index first = 0;
    for (const Index rows : blocks_) {
      const Index row = free_[at(first)];
      const auto block = D_.block(row, row, rows, rows);
      if (rows == 1) {
        if (const double value = block(0, 0); natural_ && value != 1.0) {
          V_.row(first) *= value;
        } else if (value != 1.0) {
          V_.col(first) *= value;
        }
      } else if (rows > few_rows && is_rank_one_less(block)) {
        if (natural_) {
          along_.noalias() = V_.middleRows(first, rows).transpose() * normal_;
          V_.middleRows(first, rows).noalias() -= normal_ * along_.transpose();
          V_.middleRows(first, rows) *= multiple_;
        } else {
          along_.noalias() = V_.middleCols(first, rows) * normal_;
          V_.middleCols(first, rows).noalias() -= along_ * normal_.transpose();
          V_.middleCols(first, rows) *= multiple_;
        }
      } else if (natural_) {
        product_.noalias() = block * V_.middleRows(first, rows);
        V_.middleRows(first, rows) = product_;
      } else {
        product_.noalias() = V_.middleCols(first, rows) * block;
        V_.middleCols(first, rows) = product_;
      }
      V_.block(first, first, rows, rows) -= slope * block;
      first += rows;
    }
    V_.diagonal().array() += slope;
  }

  /// Whether D = alpha (I - s s^T) with |s| = 1, as of balls and half-spaces, or s = 0: alpha and s are then kept. The
  /// trace tells alpha, a column of alpha I - D is a multiple of s.
  bool is_rank_one_less(const Eigen::Block<MatrixXd>& D) {
    const Index rows = D.rows();
    Index pivot = 0;
    const double least = D.diagonal().minCoeff(&pivot);
    normal_.setZero(rows);
    if (least == D.diagonal().maxCoeff() && D(rows - 1, 0) == 0.0) {
      multiple_ = least;
    } else {
      multiple_ = D.trace() / static_cast<double>(rows - 1);
      if (!(least < multiple_)) return false;
      normal_ = -D.col(pivot);
      normal_[pivot] += multiple_;
      normal_ /= std::sqrt(normal_[pivot] * multiple_);
    }
    for (Index j = 0; j < rows; ++j) {
      column_ = D.col(j) + (multiple_ * normal_[j]) * normal_;
      column_[j] -= multiple_;
      if (!(column_.lpNorm<Eigen::Infinity>() <= 1e-13 * multiple_)) return false;
    }
    return true;
  }

  /// Of V's rows and columns beside F.
  void solve_free_rows(const VectorXd& e, VectorXd& d) {
    const auto count = static_cast<Index>(free_.size());
    if (count == run_.size()) {
      d = -e;
      factors_.solve_in_place(d);
      return;
    }
    right_.resize(count);
    d = -run_.rho() * e;
    if (natural_) {
      for (const Index i : free_) d[i] = 0.0;
      spread_.noalias() = J_ * d;
      spread_ = -e - D_ * spread_;
      for (Index i = 0; i < count; ++i) right_[i] = spread_[free_[at(i)]];
      if (count > 0) factors_.solve_in_place(right_);
    } else {
      for (Index i = 0; i < count; ++i) right_[i] = -e[free_[at(i)]];
      if (count > 0) factors_.solve_in_place(right_);
      spread_.setZero(e.size());
      for (Index i = 0; i < count; ++i) spread_[free_[at(i)]] = right_[i];
      spread_ = D_ * spread_;
      d.noalias() -= run_.rho() * (J_ * spread_);
    }
    for (Index i = 0; i < count; ++i) d[free_[at(i)]] = right_[i];
  }

  bool factorize(double shift) {
    if (!sparse_) {
      V_.diagonal().array() += shift;
      return V_.allFinite() && (V_.size() == 0 || factors_.factorize(V_));
    }
    if (shift > 0.0) sparse_V_ += SparseMatrix(shift * identity_);
    const Eigen::Map<const VectorXd> values(sparse_V_.valuePtr(), sparse_V_.nonZeros());
    return values.allFinite() && sparse_factors_.factorize(sparse_V_);
  }

  detail::Run& run_;
  bool sparse_, natural_ = false;
  std::vector<Index> factors_of_K_, free_, blocks_;  // rows of F; sizes of the factors of K that these are
  MatrixXd D_, J_, V_, product_;
  VectorXd normal_, along_, column_, right_, spread_;  // normal_: s
  double multiple_ = 1.0;                              // alpha
  SparseMatrix sparse_D_, sparse_J_, sparse_V_, identity_;
  DenseFactorization factors_;
  SparseFactorization sparse_factors_;
};

class NewtonEquation : public detail::Equation {
 public:
  explicit NewtonEquation(detail::Run& run) : run_(run), p_(run.size()), matrix_(run) {}

 protected:
  detail::Run& run_;
  VectorXd e_, p_;
  NewtonMatrix matrix_;
};

class NaturalMap final : public NewtonEquation {
 public:
  using NewtonEquation::NewtonEquation;

  VectorXd unknowns(const VectorXd& x_of_K, const VectorXd&) const override { return x_of_K; }
  bool go(const VectorXd& from, double t, const VectorXd& d) override {
    x.resize(from.size());
    w.resize(from.size());
    if (t == 0.0)
      x = from;
    else if (!run_.project(from + t * d, x))
      return false;
    s = x;
    if (!run_.evaluate(x, w) || !run_.project(x - run_.rho() * w, p_)) return false;
    e_ = (x - p_) / run_.rho();
    norm = detail::norm_of(e_);
    return true;
  }
  bool direction(VectorXd& d) override {
    return matrix_.compute(x, w, x - run_.rho() * w, true) && matrix_.solve(e_, d);
  }
};

class NormalMap final : public NewtonEquation {
 public:
  using NewtonEquation::NewtonEquation;

  VectorXd unknowns(const VectorXd& x_of_K, const VectorXd& w_of_K) const override {
    return x_of_K - run_.rho() * w_of_K;
  }
  bool go(const VectorXd& from, double t, const VectorXd& d) override {
    x.resize(from.size());
    w.resize(from.size());
    s = from + t * d;
    if (!run_.project(s, x) || !run_.evaluate(x, w)) return false;
    e_ = w + (s - x) / run_.rho();
    norm = detail::norm_of(e_);
    return true;
  }
  bool direction(VectorXd& d) override { return matrix_.compute(x, w, s, false) && matrix_.solve(e_, d); }
};

}  // namespace

bool detail::has_sparse_newton_matrix(const Problem& problem) {
  if (!problem.F.is_sparse()) return false;
  const double n = static_cast<double>(problem.K.size());
  double entries = 0.0;
  for (const Index size : problem.K.factors()) entries += static_cast<double>(size) * static_cast<double>(size);
  return entries <= 0.25 * n * n;
}

void SemismoothNewton::validate() const { detail::check_newton("vi::SemismoothNewton", *this); }

Result solve(const Problem& problem, const SemismoothNewton& options) {
  problem.validate();
  options.validate();
  if (!problem.K.has_jacobian()) {
    throw InvalidArgument("vi::SemismoothNewton: problem.K", "a set whose projection has no known Jacobian",
                          "boxes, balls, half-spaces, polyhedra, canonical blocks or products of these");
  }
  const bool natural = options.equation == SemismoothNewton::Equation::Natural;
  detail::Run run(problem, options.tolerance, options.time_limit, options.start, "vi::SemismoothNewton::start",
                  natural ? "semismooth newton" : "semismooth newton on the normal map");
  if (!run.ready()) return run.fail(0);
  if (options.check_jacobian) run.check_jacobian();
  run.show(options.on_iterate);
  if (natural) {
    NaturalMap equation(run);
    return detail::damped_newton(run, detail::newton_options(options), equation);
  }
  NormalMap equation(run);
  return detail::damped_newton(run, detail::newton_options(options), equation);
}

}  // namespace nonsmooth::vi
