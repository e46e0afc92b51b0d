// SPDX-License-Identifier: Apache-2.0
// Doubles are exact numbers for CGAL, and so is every step of its simplex method for quadratic programs.
#include "optimizers.hpp"

#include <CGAL/Gmpzf.h>
#include <CGAL/QP_functions.h>
#include <CGAL/QP_models.h>

#include <benchmarks/timing.hpp>

#include "one_sided.hpp"

namespace nonsmooth::optimizers {

ExactVerdict exact(const qp::SparseProblem& problem) {
  const OneSided rows(problem);
  CGAL::Quadratic_program<double> program(CGAL::LARGER, false, 0.0, false, 0.0);
  int at = 0;
  const auto add = [&](const std::vector<Eigen::Triplet<double>>& entries, const std::vector<double>& sides,
                       CGAL::Comparison_result relation) {
    for (const auto& entry : entries) program.set_a(entry.col(), at + entry.row(), entry.value());
    for (std::size_t i = 0; i < sides.size(); ++i) {
      program.set_r(at + static_cast<int>(i), relation);
      program.set_b(at + static_cast<int>(i), sides[i]);
    }
    at += static_cast<int>(sides.size());
  };
  add(rows.E, rows.e, CGAL::EQUAL);
  add(rows.C, rows.d, CGAL::LARGER);
  for (Index j = 0; j < problem.num_unknowns(); ++j) program.set_c(static_cast<int>(j), problem.c[j]);
  for (Index j = 0; j < problem.Q.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(problem.Q, j); it; ++it) {
      if (it.row() >= j) program.set_d(static_cast<int>(it.row()), static_cast<int>(j), it.value());  // it means 2 D
    }
  }
  const double start = benchmarks::cpu_seconds();
  const auto solution = CGAL::solve_quadratic_program(program, CGAL::Gmpzf());
  ExactVerdict verdict;
  verdict.time = benchmarks::cpu_seconds() - start;
  verdict.verdict = solution.is_optimal()      ? Verdict::Solved
                    : solution.is_infeasible() ? Verdict::Infeasible
                    : solution.is_unbounded()  ? Verdict::Unbounded
                                               : Verdict::None;
  if (solution.is_optimal()) verdict.value = CGAL::to_double(solution.objective_value());
  return verdict;
}

}  // namespace nonsmooth::optimizers
