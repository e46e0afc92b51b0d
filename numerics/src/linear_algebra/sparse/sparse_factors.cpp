// SPDX-License-Identifier: Apache-2.0
#include <internal/sparse_factors.hpp>

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
};

SparseLdltFactors::SparseLdltFactors() : implementation_(std::make_unique<Implementation>()) {}
SparseLdltFactors::~SparseLdltFactors() = default;
SparseLdltFactors::SparseLdltFactors(SparseLdltFactors&&) noexcept = default;
SparseLdltFactors& SparseLdltFactors::operator=(SparseLdltFactors&&) noexcept = default;

bool SparseLdltFactors::compute(const Eigen::SparseMatrix<double>& A) {
  implementation_->factors.compute(A);
  return implementation_->factors.info() == Eigen::Success;
}

void SparseLdltFactors::solve_in_place(Eigen::VectorXd& x) const { x = implementation_->factors.solve(x).eval(); }

}  // namespace nonsmooth
