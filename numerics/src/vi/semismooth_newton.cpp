// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/vi/semismooth_newton.hpp>

#include <vector>

#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "damped_newton.hpp"
#include "numbers.hpp"

namespace nonsmooth::vi {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

/// V = D J + (I - D) / rho or J D + (I - D) / rho with its factors, dense or sparse.
class NewtonMatrix {
 public:
  explicit NewtonMatrix(detail::Run& run)
      : run_(run), sparse_(detail::has_sparse_newton_matrix(run.problem())), factors_of_K_(run.problem().K.factors()) {
    if (!sparse_) D_.resize(run.size(), run.size());
    identity_.resize(run.size(), run.size());
    if (sparse_) identity_.setIdentity();
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
    multiply(natural);
    V_ -= slope * D_;
    V_.diagonal().array() += slope;
    return true;
  }

  /// d = -V^-1 e; a singular V once more with a small multiple of I / rho.
  bool solve(const VectorXd& e, VectorXd& d) {
    for (const double shift : {0.0, 1e-8}) {
      if (!factorize(shift / run_.rho())) continue;
      d = -e;
      if (sparse_) {
        sparse_factors_.solve_in_place(d);
      } else {
        factors_.solve_in_place(d);
      }
      if (d.allFinite()) return true;
    }
    return false;
  }

 private:
  using SparseMatrix = Eigen::SparseMatrix<double>;

  /// V := D J if natural, else J D; D has a block for each factor of K, mostly of one row on boxes.
  void multiply(bool natural) {
    V_.resize(run_.size(), run_.size());
    Index first = 0;
    for (const Index rows : factors_of_K_) {
      const auto block = D_.block(first, first, rows, rows);
      if (natural && rows == 1) {
        V_.row(first) = block(0, 0) * J_.row(first);
      } else if (natural) {
        V_.middleRows(first, rows).noalias() = block * J_.middleRows(first, rows);
      } else if (rows == 1) {
        V_.col(first) = block(0, 0) * J_.col(first);
      } else {
        V_.middleCols(first, rows).noalias() = J_.middleCols(first, rows) * block;
      }
      first += rows;
    }
  }

  bool factorize(double shift) {
    if (!sparse_) {
      V_.diagonal().array() += shift;
      return V_.allFinite() && factors_.factorize(V_);
    }
    if (shift > 0.0) sparse_V_ += SparseMatrix(shift * identity_);
    const Eigen::Map<const VectorXd> values(sparse_V_.valuePtr(), sparse_V_.nonZeros());
    return values.allFinite() && sparse_factors_.factorize(sparse_V_);
  }

  detail::Run& run_;
  bool sparse_;
  std::vector<Index> factors_of_K_;
  MatrixXd D_, J_, V_;
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
