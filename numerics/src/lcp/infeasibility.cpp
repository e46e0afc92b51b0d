// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>
#include <vector>

#include <internal/decompositions.hpp>
#include <internal/round_off.hpp>

#include "internal.hpp"
#include "relay/internal.hpp"

namespace nonsmooth::lcp {
namespace {

constexpr Index refined_rows = 400;    // larger systems are not refined
constexpr Index phase_one_rows = 400;  // a dense dictionary of twice as many rows

template <class Visit>
void column(const View& problem, Index j, Visit visit) {
  for (Index i = 0; i < problem.q.size(); ++i) visit(i, problem.M(i, j));
}

template <class Visit>
void column(const SparseProblem& problem, Index j, Visit visit) {
  for (Eigen::SparseMatrix<double>::InnerIterator it(problem.M, j); it; ++it) visit(it.row(), it.value());
}

/// (M^T y)_j and sum_i |M_ij y_i|, summed in extended precision.
struct ColumnSum {
  long double sum = 0.0L, terms = 0.0L;
};

template <class P>
ColumnSum column_sum(const P& problem, ConstVectorRef y, Index j) {
  ColumnSum result;
  column(problem, j, [&](Index i, double value) {
    const long double product = static_cast<long double>(value) * y[i];
    result.sum += product;
    result.terms += std::abs(product);
  });
  return result;
}

template <class P>
bool proves(const P& problem, ConstVectorRef y, double tolerance) {
  const Index n = problem.q.size();
  if (y.size() != n || !y.allFinite() || y.minCoeff() < 0.0 || y.maxCoeff() <= 0.0) return false;
  if (tolerance < 0.0) tolerance = 4.0 * eps;
  long double q_y = 0.0L, terms = 0.0L;
  for (Index i = 0; i < n; ++i) {
    const long double product = static_cast<long double>(problem.q[i]) * y[i];
    q_y += product;
    terms += std::abs(product);
  }
  if (!(q_y < -static_cast<long double>(tolerance) * terms)) return false;
  for (Index j = 0; j < n; ++j) {
    const ColumnSum c = column_sum(problem, y, j);
    if (!(c.sum <= static_cast<long double>(tolerance) * c.terms)) return false;
  }
  return true;
}

/// One step of y_i := y_i (1 + d_i) with the least d that takes the nearly vanishing columns of M^T y to zero; columns
/// are divided by the size of their terms, so that no unit matters. False where nothing is near zero.
template <class P>
bool refine(const P& problem, Eigen::VectorXd& y) {
  std::vector<Index> rows;
  std::vector<Index> position(static_cast<std::size_t>(y.size()), -1);
  for (Index i = 0; i < y.size(); ++i) {
    if (y[i] <= 0.0) continue;
    position[static_cast<std::size_t>(i)] = static_cast<Index>(rows.size());
    rows.push_back(i);
  }
  std::vector<Index> columns;
  std::vector<double> residual, terms;
  for (Index j = 0; j < y.size(); ++j) {
    const ColumnSum c = column_sum(problem, y, j);
    if (c.terms == 0.0L || std::abs(c.sum) > 1e-6L * c.terms) continue;
    columns.push_back(j);
    residual.push_back(static_cast<double>(c.sum / c.terms));
    terms.push_back(static_cast<double>(c.terms));
  }
  const auto m = static_cast<Index>(columns.size()), n = static_cast<Index>(rows.size());
  if (m == 0 || n > refined_rows || m > refined_rows) return false;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(m, n);
  for (Index k = 0; k < m; ++k) {
    column(problem, columns[static_cast<std::size_t>(k)], [&](Index i, double value) {
      const Index at = position[static_cast<std::size_t>(i)];
      if (at >= 0) A(k, at) = value * y[i] / terms[static_cast<std::size_t>(k)];
    });
  }
  CompleteOrthogonalFactors decomposition;
  decomposition.set_threshold(16.0 * static_cast<double>(std::max(m, n)) * eps);
  decomposition.compute(A);
  const Eigen::VectorXd d = decomposition.solve(-Eigen::Map<const Eigen::VectorXd>(residual.data(), m));
  // A larger step leaves the ray: M^T is regular on its rows, so that nothing is proved there.
  if (!d.allFinite() || d.cwiseAbs().maxCoeff() > 1e-6) return false;
  for (Index k = 0; k < n; ++k) y[rows[static_cast<std::size_t>(k)]] *= 1.0 + d[k];
  return true;
}

template <class P>
bool prove(const P& problem, Eigen::VectorXd& y) {
  if (y.size() != problem.q.size() || !y.allFinite() || y.minCoeff() < 0.0 || y.maxCoeff() <= 0.0) return false;
  if (proves(problem, y, -1.0)) return true;
  // What lies 1e-6 off a proof is worth refining; anything else is none.
  if (!proves(problem, y, 1e-6)) return false;
  Eigen::VectorXd refined = y;
  for (int pass = 0; pass < 3 && refine(problem, refined); ++pass) {
    if (!proves(problem, refined, -1.0)) continue;
    y = refined;
    return true;
  }
  return false;
}

}  // namespace

bool proves_infeasible(const View& problem, ConstVectorRef y, double tolerance) {
  return proves(problem, y, tolerance);
}
bool proves_infeasible(const Problem& problem, ConstVectorRef y, double tolerance) {
  return proves(detail::view(problem), y, tolerance);
}
bool proves_infeasible(const SparseProblem& problem, ConstVectorRef y, double tolerance) {
  return proves(problem, y, tolerance);
}

bool detail::prove_infeasible(const View& problem, Eigen::VectorXd& y) { return prove(problem, y); }
bool detail::prove_infeasible(const SparseProblem& problem, Eigen::VectorXd& y) { return prove(problem, y); }

void detail::prove_by_phase_one(const View& problem, double time_limit, Result& result) {
  const Index n = problem.q.size();
  if (n > phase_one_rows) return;
  const Eigen::VectorXd lower = Eigen::VectorXd::Zero(n), upper = Eigen::VectorXd::Constant(n, relay::detail::infinity);
  relay::Result found;
  found.solver = result.solver;
  if (!relay::detail::prove_infeasible({problem.M, problem.q, lower, upper}, time_limit, found)) {
    if (!found.reason.empty()) result.reason = "no solution found, though some z >= 0 has M z + q >= 0 (phase one)";
    return;
  }
  nonsmooth::detail::end_infeasible("no z >= 0 has M z + q >= 0 (phase one)", std::move(found.proof), result);
}

void detail::prove_by_phase_one(const SparseProblem& problem, double time_limit, Result& result) {
  if (problem.q.size() > phase_one_rows) return;
  const Eigen::MatrixXd M = problem.M;
  prove_by_phase_one(View{M, problem.q}, time_limit, result);
}

}  // namespace nonsmooth::lcp
