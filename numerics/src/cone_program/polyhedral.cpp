// SPDX-License-Identifier: Apache-2.0
#include "polyhedral.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <nonsmooth/numerics/qp/automatic.hpp>

#include "best.hpp"
#include "cones.hpp"
#include "proofs.hpp"
#include "sparse_entries.hpp"

namespace nonsmooth::cone_program::detail {
namespace {

using Vector = Eigen::VectorXd;

/// min c^T x, A x = b, and of each cone (first, size) its rows of G x <= h: as many as it has, in the same places.
qp::SparseProblem linear_program(const Problem& problem) {
  const Index n = problem.num_unknowns(), p = problem.num_equations(), m = problem.num_rows();
  std::vector<Eigen::Triplet<double>> mixing;  // rows of the linear program from those of G
  const auto put = [&mixing](Index i, Index j, double value) {
    mixing.emplace_back(static_cast<int>(i), static_cast<int>(j), value);
  };
  for_cones(problem, [&](Index first, Index size) {
    put(first, first, 1.0);
    if (size == 1) return;
    put(first, first + 1, -1.0);
    put(first + 1, first, 1.0);
    put(first + 1, first + 1, 1.0);
  });
  Eigen::SparseMatrix<double> T(m, m);
  T.setFromTriplets(mixing.begin(), mixing.end());
  std::vector<Eigen::Triplet<double>> entries;
  const auto append = [&entries](const Eigen::SparseMatrix<double>& block, Index first) {
    nonsmooth::detail::for_each_entry(block, [&](Index i, Index j, double value) {
      entries.emplace_back(static_cast<int>(first + i), static_cast<int>(j), value);
    });
  };
  append(problem.A, 0);
  if (m > 0) append(Eigen::SparseMatrix<double>(T * problem.G), p);
  qp::SparseProblem rows{.Q = Eigen::SparseMatrix<double>(n, n), .c = problem.c};
  rows.A.resize(p + m, n);
  rows.A.setFromTriplets(entries.begin(), entries.end());
  rows.row_lower.setConstant(p + m, -qp::detail::infinity);
  rows.row_lower.head(p) = problem.b;
  rows.row_upper.resize(p + m);
  rows.row_upper << problem.b, T * problem.h;
  return rows;
}

/// (y, z) of multipliers of the rows, which push down where they are negative.
Vector as_multipliers(const Problem& problem, const Vector& of_rows) {
  Vector multipliers = -of_rows;
  auto z = multipliers.tail(problem.num_rows());
  for_cones(problem, [&](Index first, Index size) {
    const double u = std::max(z[first], 0.0), v = size > 1 ? std::max(z[first + 1], 0.0) : 0.0;
    z[first] = u + v;
    if (size > 1) z[first + 1] = v - u;
  });
  return multipliers;
}

}  // namespace

bool is_polyhedral(const Problem& problem) {
  return std::all_of(problem.cones.begin(), problem.cones.end(), [](Index size) { return size <= 2; });
}

Result solve_polyhedral(const Problem& problem, const Automatic& options) {
  const Index p = problem.num_equations(), m = problem.num_rows();
  const qp::Result found = qp::solve(linear_program(problem), qp::Automatic{.tolerance = options.tolerance,
                                                                            .max_iterations = options.max_iterations,
                                                                            .time_limit = options.time_limit});
  Result result;
  result.solver = found.solver;
  result.iterations = found.iterations;
  if (found.y.size() == p + m) {
    const Vector multipliers = as_multipliers(problem, found.y);
    keep_better(Certifier(problem), found.x, multipliers.head(p), multipliers.tail(m), result);
  }
  const bool by_rounding = found.status == Status::Solved || found.status == Status::Infeasible;
  qp::detail::conclude(options.tolerance, by_rounding ? Status::Stalled : found.status,
                       by_rounding ? "rounding spoils what holds of its rows" : found.reason, result);
  if (found.unbounded() && proves_unbounded(problem, found.direction)) {
    Vector direction = found.direction;
    qp::detail::end_unbounded(std::move(direction), result);
  } else if (found.status == Status::Infeasible && found.proof.size() == p + m) {
    const Vector proof = as_multipliers(problem, found.proof);
    for (const Vector& one : {proof, without_rounding(proof, Vector::Ones(p + m))}) {
      if (!proves_infeasible(problem, one)) continue;
      nonsmooth::detail::end_infeasible("multipliers of its rows prove that no x is feasible", one, result);
      break;
    }
  }
  return result;
}

}  // namespace nonsmooth::cone_program::detail
