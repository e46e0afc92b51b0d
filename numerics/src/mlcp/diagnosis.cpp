// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mlcp/diagnosis.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "internal.hpp"

namespace nonsmooth::mlcp {
namespace {

/// Rows, then columns, to largest entry 1, twice; rows of zeros stay.
void equilibrate(Eigen::MatrixXd& matrix, Eigen::VectorXd& rows, Eigen::VectorXd& columns) {
  rows.setOnes(matrix.rows());
  columns.setOnes(matrix.cols());
  if (matrix.size() == 0) return;
  for (int pass = 0; pass < 2; ++pass) {
    for (Index i = 0; i < matrix.rows(); ++i) {
      const double largest = matrix.row(i).cwiseAbs().maxCoeff();
      if (!(largest > 0.0)) continue;
      matrix.row(i) /= largest;
      rows[i] /= largest;
    }
    for (Index j = 0; j < matrix.cols(); ++j) {
      const double largest = matrix.col(j).cwiseAbs().maxCoeff();
      if (!(largest > 0.0)) continue;
      matrix.col(j) /= largest;
      columns[j] /= largest;
    }
  }
}

void list(std::ostringstream& out, const std::vector<Index>& rows) {
  out << " (";
  for (std::size_t k = 0; k < rows.size() && k < 8; ++k) out << (k ? ", " : "") << rows[k];
  out << (rows.size() > 8 ? ", ...)" : ")");
}

/// True if y is a proof, or becomes one by refinement.
bool proved(const Problem& problem, const relay::Problem& form, Eigen::VectorXd& y) {
  const Index p = problem.num_equalities();
  Eigen::VectorXd padded = Eigen::VectorXd::Zero(form.q.size());
  padded.head(p) = y.head(p);
  if (!relay::detail::refine_proof(relay::detail::view(form), padded)) return false;
  y.head(p) = padded.head(p);
  return proves_infeasible(problem, y);
}

/// Splits the dependent equality rows in redundant and contradicting ones.
void dependent_rows(const Problem& problem, double tolerance, Diagnosis& diagnosis) {
  const Index n = problem.num_free();
  const Index m = problem.num_constrained();
  const Index p = problem.num_equalities();
  if (p == 0) return;
  Eigen::MatrixXd rows(p, n + m);
  if (n > 0) rows.leftCols(n) = problem.A;
  if (m > 0) rows.rightCols(m) = problem.C;
  Eigen::VectorXd scale, columns;
  equilibrate(rows, scale, columns);
  PivotedQr factors;
  factors.set_threshold(tolerance);
  factors.compute(rows.transpose());
  const Index rank = rows.cols() == 0 ? 0 : factors.rank();
  diagnosis.rank_equalities = rank;
  const auto order = factors.permutation().indices();
  Eigen::MatrixXd independent(rows.cols(), rank);
  for (Index k = 0; k < rank; ++k) independent.col(k) = rows.row(order[k]).transpose();
  const HouseholderQr basis(independent);
  const relay::Problem form = detail::relay_form(problem);
  for (Index k = rank; k < p; ++k) {
    const Index row = order[k];
    // y·(A u + C v + a) = y·a for all u and v.
    Eigen::VectorXd y = Eigen::VectorXd::Zero(p + m);
    y[row] = scale[row];
    if (rank > 0) {
      const Eigen::VectorXd combination = basis.solve(rows.row(row).transpose());
      for (Index j = 0; j < rank; ++j) y[order[j]] = -combination[j] * scale[order[j]];
    }
    const double largest = y.cwiseAbs().maxCoeff();
    for (Index i = 0; i < p; ++i) {
      if (std::abs(y[i]) <= 1e-14 * largest) y[i] = 0.0;
    }
    if (problem.a.dot(y.head(p)) > 0.0) y = -y;
    if (proved(problem, form, y)) {
      diagnosis.contradicting.push_back(row);
      if (diagnosis.proof.size() == 0) diagnosis.proof = y;
    } else {
      diagnosis.redundant.push_back(row);
    }
  }
  std::sort(diagnosis.redundant.begin(), diagnosis.redundant.end());
  std::sort(diagnosis.contradicting.begin(), diagnosis.contradicting.end());
}

}  // namespace

bool Diagnosis::regular() const noexcept { return std::isfinite(condition); }

std::string Diagnosis::message() const {
  std::ostringstream out;
  out.precision(3);
  const char* separator = "";
  if (!contradicting.empty()) {
    out << contradicting.size() << " contradicting equality row" << (contradicting.size() > 1 ? "s" : "");
    list(out, contradicting);
    separator = "; ";
  }
  if (!redundant.empty()) {
    out << separator << redundant.size() << " redundant equality row" << (redundant.size() > 1 ? "s" : "");
    list(out, redundant);
    separator = "; ";
  }
  if (undetermined.cols() > 0) {
    out << separator << undetermined.cols() << " direction" << (undetermined.cols() > 1 ? "s" : "")
        << " of u that no row determines";
    separator = "; ";
  }
  if (regular()) {
    out << separator << "A can be eliminated, condition " << condition;
  } else {
    out << separator << "A cannot be eliminated, rank " << rank_free;
  }
  return out.str();
}

Diagnosis diagnose(const Problem& problem, double tolerance) {
  problem.validate();
  check::positive("mlcp::diagnose: tolerance", tolerance);
  check::range("mlcp::diagnose: tolerance", tolerance, 0.0, 1.0);
  const Index n = problem.num_free();
  const Index m = problem.num_constrained();
  const Index p = problem.num_equalities();
  Diagnosis diagnosis;
  dependent_rows(problem, tolerance, diagnosis);
  diagnosis.undetermined.resize(n, 0);
  diagnosis.condition = n == p ? 1.0 : relay::detail::infinity;
  if (n == 0) return diagnosis;
  Eigen::VectorXd rows, columns;
  if (p > 0) {
    Eigen::MatrixXd A = problem.A;
    equilibrate(A, rows, columns);
    const Eigen::VectorXd values = singular_values(A, false).values;
    for (Index k = 0; k < values.size(); ++k) diagnosis.rank_free += values[k] > tolerance * values[0] ? 1 : 0;
    diagnosis.condition = n == p && diagnosis.rank_free == n ? values[0] / values[n - 1] : relay::detail::infinity;
  }
  Eigen::MatrixXd all(p + m, n);
  if (p > 0) all.topRows(p) = problem.A;
  if (m > 0) all.bottomRows(m) = problem.D;
  equilibrate(all, rows, columns);
  PivotedQr factors;
  factors.set_threshold(tolerance);
  factors.compute(all);
  const Index rank = all.rows() == 0 ? 0 : factors.rank();
  if (rank == n) return diagnosis;
  // Kernel of R = (R1 R2): (-R1^-1 R2; I), back in the user's units.
  const Eigen::MatrixXd R = factors.matrix_r().topRows(rank);
  Eigen::MatrixXd kernel(n, n - rank);
  kernel.bottomRows(n - rank).setIdentity();
  if (rank > 0) {
    kernel.topRows(rank) = -R.leftCols(rank).triangularView<Eigen::Upper>().solve(R.rightCols(n - rank));
  }
  diagnosis.undetermined = factors.permutation() * kernel;
  diagnosis.undetermined = columns.asDiagonal() * diagnosis.undetermined;
  diagnosis.undetermined.colwise().normalize();
  return diagnosis;
}

}  // namespace nonsmooth::mlcp
