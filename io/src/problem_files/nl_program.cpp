// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "nl_model.hpp"
#include "program_storage.hpp"

namespace nonsmooth::problem_files {

void read_nl_program(NlModel& model, ProblemFile& result) {
  const NlFile& file = model.file();
  const Index n = file.num_variables, m = static_cast<Index>(file.rows.size());
  qp::SparseProblem problem{.Q = Eigen::SparseMatrix<double>(n, n),
                            .c = Eigen::VectorXd::Zero(n),
                            .A = Eigen::SparseMatrix<double>(m, m == 0 ? 0 : n),
                            .row_lower = Eigen::VectorXd(m),
                            .row_upper = Eigen::VectorXd(m),
                            .lower = model.lower(),
                            .upper = model.upper()};
  if (!file.objectives.empty()) {
    result.maximise = file.maximised[0];
    const NlQuadratic objective = model.polynomial(file.objectives[0], "an objective");
    result.objective_constant = objective.constant;
    set_quadratic(objective, result.maximise ? -1.0 : 1.0, problem.Q, problem.c);
  }
  std::vector<Triplet> entries;
  for (Index i = 0; i < m; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const NlQuadratic row = model.polynomial(file.rows[k], "row " + std::to_string(i));
    if (!row.quadratic.empty())
      model.fail("row " + std::to_string(i) + ", which is quadratic", "linear rows of a program");
    for (const auto& [j, value] : row.linear) {
      entries.emplace_back(static_cast<SparseIndex>(i), static_cast<SparseIndex>(j), value);
    }
    problem.row_lower[i] = file.row_ranges[k].lower - row.constant;
    problem.row_upper[i] = file.row_ranges[k].upper - row.constant;
  }
  problem.A.setFromTriplets(entries.begin(), entries.end());
  result.problem = in_fitting_storage(std::move(problem));
}

}  // namespace nonsmooth::problem_files
