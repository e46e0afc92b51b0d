// SPDX-License-Identifier: Apache-2.0
// What is known before and where there is no solution.
#include <cmath>
#include <limits>

#include <internal/decompositions.hpp>
#include <internal/matrix_exponential.hpp>
#include <nonsmooth/numerics/qp.hpp>

#include "discrete_problem.hpp"

namespace nonsmooth::boundary_value {
namespace {

// Entries of e^{A T}, a product of many factors, have lost some digits; conditions that differ by less are alike.
constexpr double alike = 1e-11;

double norm(const Eigen::MatrixXd& matrix) {
  return matrix.size() > 0 ? singular_values(matrix, false).values[0] : 0.0;
}

/// What |u| grows with |x| by; NaN where that is not known.
double growth_of_multipliers(const Problem& problem) {
  if (problem.num_multipliers() == 0) return 0.0;
  const bool through = problem.D.size() > 0 && !problem.D.isZero(0.0);
  const Eigen::MatrixXd product = problem.C * problem.B;
  const Eigen::MatrixXd& acting = through ? problem.D : product;
  if (!through && !product.isApprox(product.transpose(), 1e-12)) return std::numeric_limits<double>::quiet_NaN();
  const double least = symmetric_eigen(0.5 * (acting + acting.transpose())).values[0];
  if (!(least > 1e-12 * norm(acting))) return std::numeric_limits<double>::quiet_NaN();
  return norm(problem.B) * norm(through ? problem.C : Eigen::MatrixXd(problem.C * problem.A)) / least;
}

/// M + N e^{A T}, each row divided by its largest entry in (M, N e^{A T}); no rows where e^{A T} overflows.
Eigen::MatrixXd shooting_matrix(const Problem& problem, Eigen::VectorXd& scale) {
  const Eigen::MatrixXd at_end = problem.N * matrix_exponential(problem.T * problem.A);
  if (!at_end.allFinite()) return {};
  Eigen::MatrixXd S = problem.M + at_end;
  scale = problem.M.cwiseAbs().rowwise().maxCoeff().cwiseMax(at_end.cwiseAbs().rowwise().maxCoeff());
  for (Index i = 0; i < S.rows(); ++i) S.row(i) /= scale[i] > 0.0 ? scale[i] : 1.0;
  return S;
}

}  // namespace

Solvability solvability(const Problem& problem, double psi) {
  problem.validate();
  Solvability found;
  found.psi = psi;
  if (psi <= 0.0)
    found.psi =
        problem.linear() ? norm(problem.A) + growth_of_multipliers(problem) : std::numeric_limits<double>::quiet_NaN();
  found.growth = std::exp(problem.T * found.psi);
  if (problem.linear()) {
    Eigen::VectorXd scale;
    const Eigen::MatrixXd S = shooting_matrix(problem, scale);
    if (S.rows() > 0) {
      const Eigen::VectorXd values = singular_values(S, false).values;
      const double least = values[values.size() - 1];
      found.condition = least <= alike * values[0] ? detail::infinity : values[0] / least;
    }
  }
  const Eigen::MatrixXd sum = problem.M + problem.N;
  FullPivotLu factors;
  factors.set_threshold(1e-13);
  factors.compute(sum);
  if (!factors.is_invertible()) {
    found.reason = "M + N is singular: the bound says nothing";
    return found;
  }
  found.boundary = norm(factors.solve(problem.N));
  found.limit = found.boundary > 0.0 ? 1.0 + 1.0 / found.boundary : detail::infinity;
  found.holds = found.growth < found.limit;
  found.reason = std::isnan(found.psi) ? "no psi is known: neither D nor C B is positive definite, or f is nonlinear"
                 : found.holds         ? "a solution exists: exp(T psi) < 1 + 1 / |(M + N)^-1 N|"
                                       : "exp(T psi) is not below 1 + 1 / |(M + N)^-1 N|: the bound says nothing";
  return found;
}

bool detail::prove_contradiction(DiscreteProblem& discrete, const Problem& problem, const mlcp::SparseProblem& linear,
                                 Solution& solution) {
  Eigen::VectorXd scale;
  const Eigen::MatrixXd S = shooting_matrix(problem, scale);
  if (S.rows() == 0) return false;
  const SingularValues values = singular_values(S.transpose(), true, alike);
  for (Index k = values.rank; k < S.rows(); ++k) {
    Eigen::VectorXd y = values.V.col(k);
    for (Index i = 0; i < y.size(); ++i) {
      y[i] /= scale[i] > 0.0 ? scale[i] : 1.0;
      if (std::abs(values.V(i, k)) < alike) y[i] = 0.0;
    }
    Eigen::VectorXd all = discrete.adjoint(y);
    if (all.head(linear.a.size()).dot(linear.a) > 0.0) all = -all;
    if (!mlcp::proves_infeasible(linear, all, alike)) continue;
    solution.status = Status::Infeasible;
    solution.proof = all;
    solution.reason =
        "a combination of the boundary conditions vanishes for all x(0), and what is left of it contradicts";
    return true;
  }
  return false;
}

bool detail::prove_infeasible(const mlcp::SparseProblem& linear, double time_limit, Solution& solution) {
  const Index free = linear.a.size(), m = linear.b.size(), all = free + m;
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](const Eigen::SparseMatrix<double>& block, Index row, Index column) {
    for (Index j = 0; j < block.outerSize(); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator it(block, j); it; ++it)
        entries.emplace_back(static_cast<int>(row + it.row()), static_cast<int>(column + j), it.value());
    }
  };
  add(linear.A, 0, 0);
  add(linear.C, 0, free);
  add(linear.D, free, 0);
  add(linear.B, free, free);
  qp::SparseProblem program{.Q = Eigen::SparseMatrix<double>(all, all), .c = Eigen::VectorXd::Zero(all)};
  program.A.resize(all, all);
  program.A.setFromTriplets(entries.begin(), entries.end());
  program.row_lower.resize(all);
  program.row_upper.resize(all);
  program.lower.setConstant(all, -detail::infinity);
  program.upper.setConstant(all, detail::infinity);
  program.lower.tail(m) = linear.lower;
  program.upper.tail(m) = linear.upper;
  program.row_lower.head(free) = program.row_upper.head(free) = -linear.a;
  for (Index i = 0; i < m; ++i) {
    const bool below = linear.lower[i] > -detail::infinity, above = linear.upper[i] < detail::infinity;
    program.row_lower[free + i] = above ? -detail::infinity : -linear.b[i];
    program.row_upper[free + i] = below ? detail::infinity : -linear.b[i];
  }
  const qp::Result result = qp::solve(program, qp::Automatic{.time_limit = time_limit});
  if (result.status != Status::Infeasible || result.unbounded()) return false;
  for (const double tolerance : {-1.0, alike}) {
    if (!mlcp::proves_infeasible(linear, result.proof, tolerance)) continue;
    solution.status = Status::Infeasible;
    solution.proof = result.proof;
    solution.reason = "dynamics, boundary conditions and w >= 0 with u within its bounds contradict, see proof";
    return true;
  }
  return false;
}

}  // namespace nonsmooth::boundary_value
