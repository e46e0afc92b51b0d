// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "sparse_engines.hpp"

namespace nonsmooth {

using sparse_engines::Sparse;

struct SparseFactorization::Implementation {
  Implementation(Structure structure, Backend backend) : engine(sparse_engines::make_engine(structure, backend)) {}

  bool factorize(const Sparse& A) {
    factored = false;
    if (A.rows() != A.cols()) {
      throw InvalidArgument("SparseFactorization::factorize: A",
                            std::to_string(A.rows()) + " x " + std::to_string(A.cols()), "a square matrix");
    }
    if (!A.isCompressed()) {
      compressed = A;
      compressed.makeCompressed();
    }
    const Sparse& matrix = A.isCompressed() ? A : compressed;
    check::finite("SparseFactorization::factorize: the entries of A",
                  ConstVectorRef(Eigen::Map<const Eigen::VectorXd>(matrix.valuePtr(), matrix.nonZeros())));
    n = A.cols();
    if (n == 0) return factored = true;
    if (!has_pattern_of(matrix)) {
      outer.clear();  // no pattern, until it is analysed
      ++num_orderings;
      analyzed = engine->analyze(matrix);
      inner.assign(matrix.innerIndexPtr(), matrix.innerIndexPtr() + matrix.nonZeros());
      outer.assign(matrix.outerIndexPtr(), matrix.outerIndexPtr() + n + 1);
    }
    return factored = analyzed && engine->factorize(matrix);
  }

  bool has_pattern_of(const Sparse& A) const {
    return outer.size() == static_cast<std::size_t>(A.cols()) + 1 &&
           inner.size() == static_cast<std::size_t>(A.nonZeros()) &&
           std::equal(outer.begin(), outer.end(), A.outerIndexPtr()) &&
           std::equal(inner.begin(), inner.end(), A.innerIndexPtr());
  }

  void solve(MatrixRef b, bool transposed) const {
    if (!factored) {
      throw InvalidArgument("SparseFactorization::solve", "no factors", "a call of factorize() that returned true");
    }
    if (b.rows() != n) {
      throw InvalidArgument("SparseFactorization::solve: b", std::to_string(b.rows()) + " rows",
                            std::to_string(n) + " rows, as A has");
    }
    if (n > 0 && b.cols() > 0) engine->solve(b, transposed);
  }

  std::unique_ptr<sparse_engines::Engine> engine;
  bool analyzed = false, factored = false;  // analyzed: the pattern, which is that of `outer` and `inner`, has pivots
  Index n = 0;
  long long num_orderings = 0;
  std::vector<int> outer, inner;
  Sparse compressed;
};

SparseFactorization::SparseFactorization(Structure structure, Backend backend)
    : implementation_(std::make_unique<Implementation>(structure, backend)) {}
SparseFactorization::~SparseFactorization() = default;
SparseFactorization::SparseFactorization(SparseFactorization&&) noexcept = default;
SparseFactorization& SparseFactorization::operator=(SparseFactorization&&) noexcept = default;

bool SparseFactorization::factorize(const Eigen::SparseMatrix<double>& A) { return implementation_->factorize(A); }
void SparseFactorization::solve_in_place(MatrixRef b) const { implementation_->solve(b, false); }
void SparseFactorization::solve_transposed_in_place(MatrixRef b) const { implementation_->solve(b, true); }
long long SparseFactorization::num_orderings() const noexcept { return implementation_->num_orderings; }
std::string_view SparseFactorization::backend() const noexcept { return implementation_->engine->name(); }

}  // namespace nonsmooth
