// SPDX-License-Identifier: Apache-2.0
#include "sparse_engines.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include <klu.h>
#ifdef NONSMOOTH_WITH_GPL
#include <umfpack.h>
#endif

#include <nonsmooth/numerics/error.hpp>

#include "column_lu.hpp"

namespace nonsmooth::sparse_engines {
namespace {

/// Pivots that spread over no more than this are far from round-off; SuiteSparse's LU then skips the estimate.
constexpr double harmless_pivot_ratio = 1e-8;

class EigenLu final : public Engine {
 public:
  bool analyze(const Sparse& A) override {
    lu_.analyzePattern(A);
    return true;
  }
  bool factorize(const Sparse& A) override {
    // Eigen takes a structurally empty column for a programming error in some of its builds.
    for (Index j = 0; j < A.cols(); ++j) {
      if (A.outerIndexPtr()[j] == A.outerIndexPtr()[j + 1]) return false;
    }
    lu_.factorize(A);
    return lu_.info() == Eigen::Success && !is_ill_conditioned(A);
  }
  void solve(MatrixRef b, bool transposed) override {
    if (transposed) {
      b = lu_.transpose().solve(b).eval();
    } else {
      b = lu_.solve(b).eval();
    }
  }
  std::string_view name() const noexcept override { return "Eigen"; }

 private:
  Eigen::SparseLU<Sparse, Eigen::COLAMDOrdering<int>> lu_;
};

class KeptLu final : public Engine {
 public:
  bool analyze(const Sparse& A) override { return lu_.analyze(A); }
  bool factorize(const Sparse& A) override {
    return lu_.factorize(A) && (lu_.pivot_ratio() > harmless_pivot_ratio || !is_ill_conditioned(A));
  }
  void solve(MatrixRef b, bool transposed) override { lu_.solve_in_place(b, transposed); }
  std::string_view name() const noexcept override { return "columns"; }

 private:
  detail::ColumnLu lu_;
};

class EigenCholesky final : public Engine {
 public:
  bool analyze(const Sparse& A) override {
    llt_.analyzePattern(A);
    return llt_.info() == Eigen::Success;
  }
  bool factorize(const Sparse& A) override {
    llt_.factorize(A);
    if (llt_.info() != Eigen::Success) return false;
    const Eigen::VectorXd pivots = llt_.matrixL().nestedExpression().diagonal(), diagonal = A.diagonal();
    for (Index i = 0; i < A.cols(); ++i) {
      const double root = pivots[llt_.permutationP().size() > 0 ? llt_.permutationP().indices()(i) : i];
      if (!std::isfinite(root) || root * root <= round_off(A.cols()) * diagonal[i]) return false;
    }
    return true;
  }
  void solve(MatrixRef b, bool) override { b = llt_.solve(b).eval(); }
  std::string_view name() const noexcept override { return "Eigen"; }

 private:
  Eigen::SimplicialLLT<Sparse, Eigen::Lower> llt_;
};

#ifndef NONSMOOTH_WITH_GPL
class Klu final : public Engine {
 public:
  Klu() { klu_defaults(&common_); }
  ~Klu() override {
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }
  bool analyze(const Sparse& A) override {
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
    symbolic_ = klu_analyze(static_cast<int>(A.cols()), outer(A), inner(A), &common_);
    return symbolic_ != nullptr;
  }
  bool factorize(const Sparse& A) override {
    klu_free_numeric(&numeric_, &common_);
    // Pivots are chosen anew each time: with those of the call before, the bits would depend on the history.
    numeric_ = klu_factor(outer(A), inner(A), const_cast<double*>(A.valuePtr()), symbolic_, &common_);
    if (numeric_ == nullptr || common_.status != KLU_OK) return false;
    if (klu_rcond(symbolic_, numeric_, &common_) == 0 || !(common_.rcond > 0.0)) return false;
    return common_.rcond > harmless_pivot_ratio || !is_ill_conditioned(A);
  }
  void solve(MatrixRef b, bool transposed) override {
    const int columns = static_cast<int>(b.cols());
    const int stride = static_cast<int>(std::max(b.outerStride(), b.rows()));
    if (transposed) {
      klu_tsolve(symbolic_, numeric_, stride, columns, b.data(), &common_);
    } else {
      klu_solve(symbolic_, numeric_, stride, columns, b.data(), &common_);
    }
  }
  std::string_view name() const noexcept override { return "KLU"; }

 private:
  // The library reads these arrays only, but its C interface does not say const.
  static int* outer(const Sparse& A) { return const_cast<int*>(A.outerIndexPtr()); }
  static int* inner(const Sparse& A) { return const_cast<int*>(A.innerIndexPtr()); }

  klu_common common_;
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
};
#else
class Umfpack final : public Engine {
 public:
  Umfpack() {
    umfpack_di_defaults(control_);
    control_[UMFPACK_IRSTEP] = 0;  // no refinement: a solve then needs the factors only
  }
  ~Umfpack() override { release(); }
  bool analyze(const Sparse& A) override {
    release();
    const int n = static_cast<int>(A.cols());
    return umfpack_di_symbolic(n, n, A.outerIndexPtr(), A.innerIndexPtr(), nullptr, &symbolic_, control_, nullptr) ==
           UMFPACK_OK;
  }
  bool factorize(const Sparse& A) override {
    if (numeric_ != nullptr) umfpack_di_free_numeric(&numeric_);
    double info[UMFPACK_INFO] = {};
    const int status =
        umfpack_di_numeric(A.outerIndexPtr(), A.innerIndexPtr(), A.valuePtr(), symbolic_, &numeric_, control_, info);
    if (status != UMFPACK_OK) return false;
    return info[UMFPACK_RCOND] > harmless_pivot_ratio || !is_ill_conditioned(A);
  }
  void solve(MatrixRef b, bool transposed) override {
    rhs_.resize(b.rows());
    for (Index c = 0; c < b.cols(); ++c) {
      rhs_ = b.col(c);
      umfpack_di_solve(transposed ? UMFPACK_At : UMFPACK_A, nullptr, nullptr, nullptr, b.col(c).data(), rhs_.data(),
                       numeric_, control_, nullptr);
    }
  }
  std::string_view name() const noexcept override { return "UMFPACK"; }

 private:
  void release() {
    if (numeric_ != nullptr) umfpack_di_free_numeric(&numeric_);
    if (symbolic_ != nullptr) umfpack_di_free_symbolic(&symbolic_);
  }

  double control_[UMFPACK_CONTROL];
  void *symbolic_ = nullptr, *numeric_ = nullptr;
  Eigen::VectorXd rhs_;
};
#endif

}  // namespace

bool Engine::is_ill_conditioned(const Sparse& A) {
  const Index n = A.cols();
  estimate_.resize(static_cast<std::size_t>(5 * n));
  Index used = 0;
  const auto vector = [&] { return Eigen::Map<Eigen::VectorXd>(estimate_.data() + n * used++, n); };
  auto d = vector(), f = vector(), x = vector(), y = vector(), z = vector();
  f.setZero();
  for (Index j = 0; j < n; ++j) {
    double largest = 0.0;
    for (Sparse::InnerIterator entry(A, j); entry; ++entry) largest = std::max(largest, std::abs(entry.value()));
    if (largest == 0.0) return true;
    d[j] = 1.0 / largest;
    for (Sparse::InnerIterator entry(A, j); entry; ++entry) f[entry.row()] += std::abs(entry.value()) / largest;
  }
  const double limit = 1.0 / round_off(n);
  x.setConstant(1.0 / static_cast<double>(n));
  for (int turn = 0; turn < 5; ++turn) {
    y = x.cwiseQuotient(d);
    solve(y, true);
    y.array() *= f.array();
    const double estimate = y.lpNorm<1>();
    if (!std::isfinite(estimate) || estimate > limit) return true;
    z = f;
    for (Index i = 0; i < n; ++i) z[i] = std::copysign(f[i], y[i]);
    solve(z, false);
    z.array() /= d.array();
    Index steepest = 0;
    const double slope = z.cwiseAbs().maxCoeff(&steepest);
    if (!std::isfinite(slope) || slope > limit) return true;
    if (slope <= z.dot(x)) return false;
    x.setZero();
    x[steepest] = 1.0;
  }
  return false;
}

std::unique_ptr<Engine> make_engine(Structure structure, Backend backend) {
  const bool cholesky = structure == Structure::SymmetricPositiveDefinite;
  switch (backend) {
    case Backend::Lapack:
      throw InvalidArgument("SparseFactorization: backend", "Lapack", "Automatic, Eigen or SuiteSparse");
    case Backend::Eigen:
      if (cholesky) return std::make_unique<EigenCholesky>();
      return std::make_unique<EigenLu>();
    case Backend::Automatic:
#ifndef NONSMOOTH_WITH_GPL
      if (!cholesky) return std::make_unique<KeptLu>();
#endif
      break;
    case Backend::SuiteSparse:
      break;
  }
  if (cholesky) return make_cholmod();
#ifdef NONSMOOTH_WITH_GPL
  return std::make_unique<Umfpack>();
#else
  return std::make_unique<Klu>();
#endif
}

}  // namespace nonsmooth::sparse_engines
