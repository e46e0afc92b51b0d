// SPDX-License-Identifier: Apache-2.0
#include "proofs.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include <internal/round_off.hpp>

#include "cones.hpp"
#include "polyhedral.hpp"
#include "qp/internal.hpp"

namespace nonsmooth::cone_program::detail {
namespace {

using Vector = Eigen::VectorXd;

constexpr int most_refinements = 2;
constexpr double regularisation = 1e-10;  // of the systems, scaled

}  // namespace

qp::SparseProblem as_quadratic(const Problem& problem) {
  const Index n = problem.num_unknowns(), p = problem.num_equations(), m = problem.num_rows();
  qp::SparseProblem rows{.Q = Eigen::SparseMatrix<double>(n, n), .c = problem.c};
  rows.A.resize(p + m, n);
  rows.A.reserve(problem.A.nonZeros() + problem.G.nonZeros());
  const auto append = [&rows](const Eigen::SparseMatrix<double>& block, Index j, Index first) {
    if (j >= block.outerSize()) return;  // an empty matrix
    for (Eigen::SparseMatrix<double>::InnerIterator it(block, j); it; ++it)
      rows.A.insertBack(first + it.row(), j) = it.value();
  };
  for (Index j = 0; j < n; ++j) {
    rows.A.startVec(j);
    append(problem.A, j, 0);
    append(problem.G, j, p);
  }
  rows.A.finalize();
  rows.row_lower.setConstant(p + m, -qp::detail::infinity);
  rows.row_lower.head(p) = problem.b;
  rows.row_upper.resize(p + m);
  rows.row_upper << problem.b, problem.h;
  return rows;
}

Eigen::VectorXd without_rounding(Eigen::VectorXd multipliers, const Eigen::VectorXd& units) {
  const Vector sizes = multipliers.cwiseAbs().cwiseQuotient(units);
  const double little = sizes.size() > 0 ? eps * sizes.maxCoeff() : 0.0;
  for (Index i = 0; i < sizes.size(); ++i) {
    if (sizes[i] <= little) multipliers[i] = 0.0;
  }
  return multipliers;
}

bool Proofs::infeasible(Vector proof, Result& result) {
  for (int pass = 0; pass <= most_refinements && proof.allFinite(); ++pass) {
    Vector inside = without_rounding(proof, scaled_.rows);
    into_cones(inside);
    if (proves_infeasible(problem_, inside)) {
      nonsmooth::detail::end_infeasible("the direction in which z grows proves that no x is feasible", inside, result);
      return true;
    }
    if (!into_kernel(proof)) break;
  }
  return is_polyhedral(problem_) && linear(result);
}

/// The family of quadratic programs finds proofs of linear ones to rounding.
bool Proofs::linear(Result& result) {
  Result answer = solve_polyhedral(problem_, {.time_limit = 1.0});
  if (answer.status != Status::Infeasible || answer.unbounded()) return false;
  nonsmooth::detail::end_infeasible(answer.reason, std::move(answer.proof), result);
  return true;
}

bool Proofs::unbounded(Vector direction, Result& result) {
  for (int pass = 0; pass <= most_refinements && direction.allFinite(); ++pass) {
    if (proves_unbounded(problem_, direction)) {
      qp::detail::end_unbounded(std::move(direction), result);
      return true;
    }
    if (!onto_equations(direction)) return false;
  }
  return false;
}

/// What rounding leaves outside of K.
void Proofs::into_cones(Vector& proof) const {
  for_cones(problem_, [&](Index first, Index size) {
    auto own = proof.segment(problem_.num_equations() + first, size);
    own[0] = std::max(own[0], size > 1 ? (1.0 + 8.0 * eps) * own.tail(size - 1).norm() : 0.0);
  });
}

/// The least change with (A; G)^T y = 0.
bool Proofs::into_kernel(Vector& proof) {
  const Eigen::SparseMatrix<double>& rows = scaled_.own.A;
  if (rows.rows() == 0) return false;
  if (!of_kernel_) {
    of_kernel_ = std::make_unique<System>(scaled_.own);
    if (!of_kernel_->factorize(Vector::Constant(rows.cols(), regularisation), Vector::Ones(rows.rows()))) return false;
  }
  Vector f = -(rows.transpose() * proof.cwiseQuotient(scaled_.rows)), g = Vector::Zero(rows.rows());
  of_kernel_->solve(f, g);
  proof += scaled_.rows.cwiseProduct(g);
  return true;
}

/// The least change with A d = 0.
bool Proofs::onto_equations(Vector& d) {
  const Eigen::SparseMatrix<double>& rows = scaled_.own.A;
  const Index p = problem_.num_equations();
  if (p == 0) return false;
  if (!of_equations_) {
    of_equations_ = std::make_unique<System>(scaled_.own);
    Vector r = Vector::Constant(rows.rows(), qp::detail::infinity);
    r.head(p).setConstant(regularisation);
    if (!of_equations_->factorize(Vector::Ones(rows.cols()), r)) return false;
  }
  Vector f = Vector::Zero(rows.cols()), g = -(rows * d.cwiseQuotient(scaled_.columns));
  of_equations_->solve(f, g);
  d += scaled_.columns.cwiseProduct(f);
  return true;
}

}  // namespace nonsmooth::cone_program::detail
