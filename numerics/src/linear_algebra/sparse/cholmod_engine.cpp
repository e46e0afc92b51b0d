// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <numeric>
#include <vector>

#include <cholmod.h>

#include <internal/at.hpp>

#include "sparse_engines.hpp"

namespace nonsmooth::sparse_engines {
namespace {

/// The triangle of which the library takes no copy: 1 the upper one, -1 the lower one.
#ifdef NONSMOOTH_WITH_GPL
constexpr int kTriangle = -1;
#else
constexpr int kTriangle = 1;
#endif

/// Of P A P^T in the order that the library finds: it is given that matrix, with the order of its columns as they
/// stand, since of A itself it would allocate that matrix in each call.
class Cholmod final : public Engine {
 public:
  Cholmod() {
    cholmod_start(&common_);
    common_.print = 0;
    common_.error_handler = nullptr;
    common_.nmethods = 1;
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
    if (!order(A)) return false;
    permute(A);
    common_.method[0].ordering = CHOLMOD_NATURAL;
    common_.postorder = 0;
    cholmod_sparse view = view_of(permuted_, kTriangle);
    factor_ = cholmod_analyze(&view, &common_);
    return factor_ != nullptr;
  }
  bool factorize(const Sparse& A) override {
    for (std::size_t e = 0; e < source_.size(); ++e) permuted_.valuePtr()[e] = A.valuePtr()[source_[e]];
    cholmod_sparse view = view_of(permuted_, kTriangle);
    if (cholmod_factorize(&view, factor_, &common_) == 0 || common_.status != CHOLMOD_OK) return false;
    if (factor_->minor < factor_->n) return false;
    if (diagonal_.size() != A.cols()) diagonal_.resize(A.cols());
    diagonal_ = A.diagonal();
    const double unit = round_off(A.cols());
    const auto vanishes = [&](Index k, double root) {
      return !std::isfinite(root) || root <= 0.0 || root * root <= unit * diagonal_[order_[at(k)]];
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

  /// order_: the library's, of A's pattern.
  bool order(const Sparse& A) {
    common_.method[0].ordering = CHOLMOD_AMD;
    common_.postorder = 1;
    cholmod_sparse view = view_of(A, -1);
    cholmod_factor* ordered = cholmod_analyze(&view, &common_);
    if (ordered == nullptr) return false;
    const auto* order = static_cast<const int*>(ordered->Perm);
    order_.assign(order, order + A.cols());
    cholmod_free_factor(&ordered, &common_);
    return true;
  }

  /// permuted_: kTriangle of A in that order; source_: where in A the value of each of its entries stands.
  void permute(const Sparse& A) {
    const Index n = A.cols();
    place_.resize(order_.size());
    for (Index k = 0; k < n; ++k) place_[at(order_[at(k)])] = static_cast<int>(k);
    constexpr bool upper = kTriangle > 0;
    entries_.clear();
    for (Index j = 0; j < n; ++j) {
      for (int e = A.outerIndexPtr()[j]; e < A.outerIndexPtr()[j + 1]; ++e) {
        if (A.innerIndexPtr()[e] < j) continue;
        const int one = place_[at(A.innerIndexPtr()[e])], other = place_[at(j)];
        entries_.push_back({upper ? std::max(one, other) : std::min(one, other),
                            upper ? std::min(one, other) : std::max(one, other), e});
      }
    }
    std::sort(entries_.begin(), entries_.end());
    permuted_.resize(n, n);
    permuted_.resizeNonZeros(std::ssize(entries_));
    source_.clear();
    std::fill_n(permuted_.outerIndexPtr(), n + 1, 0);
    for (const auto& [column, row, source] : entries_) {
      ++permuted_.outerIndexPtr()[column + 1];
      permuted_.innerIndexPtr()[source_.size()] = row;
      source_.push_back(source);
    }
    std::partial_sum(permuted_.outerIndexPtr(), permuted_.outerIndexPtr() + n + 1, permuted_.outerIndexPtr());
  }

  void solve_columns(MatrixRef b, Memory& memory) {
    const Index n = b.rows();
    right_.resize(at(n * b.cols()));
    Eigen::Map<Eigen::MatrixXd> right(right_.data(), n, b.cols());
    for (Index k = 0; k < n; ++k) right.row(k) = b.row(order_[at(k)]);
    cholmod_dense view = {};
    view.nrow = view.d = at(n);
    view.ncol = static_cast<std::size_t>(b.cols());
    view.nzmax = view.d * view.ncol;
    view.x = right_.data();
    view.xtype = CHOLMOD_REAL;
    view.dtype = CHOLMOD_DOUBLE;
    cholmod_solve2(CHOLMOD_A, factor_, &view, nullptr, &memory.solution, nullptr, &memory.y, &memory.e, &common_);
    if (memory.solution == nullptr) throw std::bad_alloc();
    // Simplicial, it takes four rows of n for y, leaves it with as many as it used, and would allocate anew for that.
    if (factor_->is_super == 0 && memory.y != nullptr) {
      memory.y->nrow = memory.y->d = memory.y->nzmax / factor_->n;
      memory.y->ncol = factor_->n;
    }
    const Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>> x(
        static_cast<const double*>(memory.solution->x), n, b.cols(),
        Eigen::OuterStride<>(static_cast<Index>(memory.solution->d)));
    for (Index k = 0; k < n; ++k) b.row(order_[at(k)]) = x.row(k);
  }

  /// A's lower (-1) or upper (1) triangle in CHOLMOD's terms, on A's own arrays (which it only reads).
  static cholmod_sparse view_of(const Sparse& A, int triangle) {
    cholmod_sparse view = {};
    view.nrow = static_cast<std::size_t>(A.rows());
    view.ncol = static_cast<std::size_t>(A.cols());
    view.nzmax = static_cast<std::size_t>(A.nonZeros());
    view.p = const_cast<int*>(A.outerIndexPtr());
    view.i = const_cast<int*>(A.innerIndexPtr());
    view.x = const_cast<double*>(A.valuePtr());
    view.stype = triangle;
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
  std::vector<int> order_, place_, source_;
  std::vector<std::array<int, 3>> entries_;  // of the permuted matrix: column, row, source
  Sparse permuted_;
  std::vector<double> right_;
  Eigen::VectorXd diagonal_;  ///< of A
};

}  // namespace

std::unique_ptr<Engine> make_cholmod() { return std::make_unique<Cholmod>(); }

}  // namespace nonsmooth::sparse_engines
