// SPDX-License-Identifier: Apache-2.0
#include "sparse_engines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include <cholmod.h>
#include <klu.h>
#ifdef NONSMOOTH_WITH_GPL
#include <umfpack.h>
#endif

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::sparse_engines {
namespace {

/// Pivots that spread over no more than this are far from round-off; SuiteSparse's LU then skips the estimate.
constexpr double harmless_pivot_ratio = 1e-8;

double round_off(Index n) noexcept { return static_cast<double>(n) * std::numeric_limits<double>::epsilon(); }

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

class Cholmod final : public Engine {
 public:
  Cholmod() {
    cholmod_start(&common_);
    common_.print = 0;
    common_.error_handler = nullptr;
    common_.nmethods = 1;
    common_.method[0].ordering = CHOLMOD_AMD;
    common_.final_ll = 1;  // L L^T, so that a matrix that is not positive definite is refused
#ifdef NONSMOOTH_WITH_GPL
    common_.supernodal = CHOLMOD_SUPERNODAL;
#else
    common_.supernodal = CHOLMOD_SIMPLICIAL;
#endif
  }
  ~Cholmod() override {
    for (Memory* const memory : {&of_one_, &of_four_}) {
      cholmod_free_dense(&memory->solution, &common_);
      cholmod_free_dense(&memory->y, &common_);
      cholmod_free_dense(&memory->e, &common_);
    }
    cholmod_free_factor(&factor_, &common_);
    cholmod_finish(&common_);
  }
  bool analyze(const Sparse& A) override {
    cholmod_free_factor(&factor_, &common_);
    cholmod_sparse view = view_of(A);
    factor_ = cholmod_analyze(&view, &common_);
    return factor_ != nullptr;
  }
  bool factorize(const Sparse& A) override {
    cholmod_sparse view = view_of(A);
    if (cholmod_factorize(&view, factor_, &common_) == 0 || common_.status != CHOLMOD_OK) return false;
    if (factor_->minor < factor_->n) return false;
    if (diagonal_.size() != A.cols()) diagonal_.resize(A.cols());
    diagonal_ = A.diagonal();
    const double unit = round_off(A.cols());
    const auto vanishes = [&](Index k, double root) {
      const int original = static_cast<const int*>(factor_->Perm)[k];
      return !std::isfinite(root) || root <= 0.0 || root * root <= unit * diagonal_[original];
    };
    const auto* x = static_cast<const double*>(factor_->x);
    if (factor_->is_super == 0) {
      const auto* p = static_cast<const int*>(factor_->p);
      for (Index k = 0; k < A.cols(); ++k) {
        if (vanishes(k, x[p[k]])) return false;
      }
      return true;
    }
    const auto *super = static_cast<const int*>(factor_->super), *pi = static_cast<const int*>(factor_->pi),
               *px = static_cast<const int*>(factor_->px);
    for (std::size_t s = 0; s < factor_->nsuper; ++s) {
      const Index height = pi[s + 1] - pi[s];
      for (Index k = super[s]; k < super[s + 1]; ++k) {
        if (vanishes(k, x[px[s] + (k - super[s]) * (height + 1)])) return false;
      }
    }
    return true;
  }
  void solve(MatrixRef b, bool) override {  // four columns at once, as the library takes them
    Index c = 0;
    for (; c + 4 <= b.cols(); c += 4) solve_columns(b.middleCols(c, 4), of_four_);
    for (; c < b.cols(); ++c) solve_columns(b.middleCols(c, 1), of_one_);
  }
  std::string_view name() const noexcept override {
#ifdef NONSMOOTH_WITH_GPL
    return "CHOLMOD supernodal";
#else
    return "CHOLMOD simplicial";
#endif
  }

 private:
  /// Kept from solve to solve, of a number of columns that stays: the library allocates anew for another.
  struct Memory {
    cholmod_dense *solution = nullptr, *y = nullptr, *e = nullptr;
  };

  void solve_columns(MatrixRef b, Memory& memory) {
    cholmod_dense view = {};
    view.nrow = static_cast<std::size_t>(b.rows());
    view.ncol = static_cast<std::size_t>(b.cols());
    view.d = static_cast<std::size_t>(std::max(b.outerStride(), b.rows()));
    view.nzmax = view.d * view.ncol;
    view.x = b.data();
    view.xtype = CHOLMOD_REAL;
    view.dtype = CHOLMOD_DOUBLE;
    cholmod_solve2(CHOLMOD_A, factor_, &view, nullptr, &memory.solution, nullptr, &memory.y, &memory.e, &common_);
    if (memory.solution == nullptr) throw std::bad_alloc();
    // Simplicial, it takes four rows of n for y, leaves it with as many as it used, and would allocate anew for that.
    if (factor_->is_super == 0 && memory.y != nullptr) {
      memory.y->nrow = memory.y->d = memory.y->nzmax / factor_->n;
      memory.y->ncol = factor_->n;
    }
    b = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>(
        static_cast<const double*>(memory.solution->x), b.rows(), b.cols(),
        Eigen::OuterStride<>(static_cast<Index>(memory.solution->d)));
  }

  /// The lower triangle of A in CHOLMOD's terms, on A's own arrays (which it only reads).
  static cholmod_sparse view_of(const Sparse& A) {
    cholmod_sparse view = {};
    view.nrow = static_cast<std::size_t>(A.rows());
    view.ncol = static_cast<std::size_t>(A.cols());
    view.nzmax = static_cast<std::size_t>(A.nonZeros());
    view.p = const_cast<int*>(A.outerIndexPtr());
    view.i = const_cast<int*>(A.innerIndexPtr());
    view.x = const_cast<double*>(A.valuePtr());
    view.stype = -1;
    view.itype = CHOLMOD_INT;
    view.xtype = CHOLMOD_REAL;
    view.dtype = CHOLMOD_DOUBLE;
    view.sorted = 1;
    view.packed = 1;
    return view;
  }

  cholmod_common common_;
  cholmod_factor* factor_ = nullptr;
  Memory of_one_, of_four_;
  Eigen::VectorXd diagonal_;  ///< of A
};

}  // namespace

bool Engine::is_ill_conditioned(const Sparse& A) {
  const Index n = A.cols();
  Eigen::VectorXd d(n), f = Eigen::VectorXd::Zero(n);
  for (Index j = 0; j < n; ++j) {
    double largest = 0.0;
    for (Sparse::InnerIterator entry(A, j); entry; ++entry) largest = std::max(largest, std::abs(entry.value()));
    if (largest == 0.0) return true;
    d[j] = 1.0 / largest;
    for (Sparse::InnerIterator entry(A, j); entry; ++entry) f[entry.row()] += std::abs(entry.value()) / largest;
  }
  const double limit = 1.0 / round_off(n);
  Eigen::VectorXd x = Eigen::VectorXd::Constant(n, 1.0 / static_cast<double>(n)), y(n), z(n);
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
    case Backend::SuiteSparse:
      break;
  }
  if (cholesky) return std::make_unique<Cholmod>();
#ifdef NONSMOOTH_WITH_GPL
  return std::make_unique<Umfpack>();
#else
  return std::make_unique<Klu>();
#endif
}

}  // namespace nonsmooth::sparse_engines
