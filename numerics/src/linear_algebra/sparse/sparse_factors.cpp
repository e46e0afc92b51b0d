// SPDX-License-Identifier: Apache-2.0
#include <internal/sparse_factors.hpp>

#include <algorithm>
#include <vector>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

namespace nonsmooth {

struct SparseLuFactors::Implementation {
  Eigen::SparseLU<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> factors;
};

SparseLuFactors::SparseLuFactors() : implementation_(std::make_unique<Implementation>()) {}
SparseLuFactors::~SparseLuFactors() = default;
SparseLuFactors::SparseLuFactors(SparseLuFactors&&) noexcept = default;
SparseLuFactors& SparseLuFactors::operator=(SparseLuFactors&&) noexcept = default;

bool SparseLuFactors::compute(const Eigen::SparseMatrix<double>& A) {
  implementation_->factors.compute(A);
  return implementation_->factors.info() == Eigen::Success;
}

void SparseLuFactors::solve_in_place(VectorRef x) const { x = implementation_->factors.solve(x).eval(); }

void SparseLuFactors::solve_transposed_in_place(VectorRef x) const {
  x = implementation_->factors.transpose().solve(x).eval();
}

struct SparseLdltFactors::Implementation {
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors;
  std::vector<int> columns, rows;  // the pattern that the order is for

  /// The order for A, found anew unless A has that pattern.
  void order(const Eigen::SparseMatrix<double>& A) {
    const int *const outer = A.outerIndexPtr(), *const inner = A.innerIndexPtr();
    const auto num_columns = static_cast<std::size_t>(A.outerSize() + 1), size = static_cast<std::size_t>(A.nonZeros());
    if (std::equal(columns.begin(), columns.end(), outer, outer + num_columns) &&
        std::equal(rows.begin(), rows.end(), inner, inner + size))
      return;
    columns.clear();  // of no matrix, until there is an order
    factors.analyzePattern(A);
    rows.assign(inner, inner + size);
    columns.assign(outer, outer + num_columns);
  }
};

SparseLdltFactors::SparseLdltFactors() : implementation_(std::make_unique<Implementation>()) {}
SparseLdltFactors::~SparseLdltFactors() = default;
SparseLdltFactors::SparseLdltFactors(SparseLdltFactors&&) noexcept = default;
SparseLdltFactors& SparseLdltFactors::operator=(SparseLdltFactors&&) noexcept = default;

bool SparseLdltFactors::compute(const Eigen::SparseMatrix<double>& A) {
  if (!A.isCompressed()) {
    Eigen::SparseMatrix<double> compressed = A;
    compressed.makeCompressed();
    return compute(compressed);
  }
  implementation_->order(A);
  implementation_->factors.factorize(A);
  return implementation_->factors.info() == Eigen::Success;
}

void SparseLdltFactors::solve_in_place(Eigen::VectorXd& x) const { x = implementation_->factors.solve(x).eval(); }

}  // namespace nonsmooth
