// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <utility>

#include "nl_model.hpp"

namespace nonsmooth::problem_files {
namespace {

/// The row of each variable: the one that complements it, or of a free one the next equation.
std::vector<std::size_t> rows_of_variables(const NlModel& model) {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  const NlFile& file = model.file();
  std::vector<std::size_t> rows(static_cast<std::size_t>(file.num_variables), none);
  std::vector<std::size_t> equations;
  for (std::size_t i = 0; i < file.rows.size(); ++i) {
    const NlRange& range = file.row_ranges[i];
    if (range.complements < 0) {
      if (!range.is_equation()) {
        model.fail("row " + std::to_string(i) + ", an inequality that complements nothing",
                   "equations and rows that complement a variable");
      }
      equations.push_back(i);
      continue;
    }
    model.check_complemented(i);
    rows[static_cast<std::size_t>(range.complements)] = i;
  }
  std::size_t next = 0;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (rows[j] != none) continue;
    if (!file.variable_ranges[j].is_free()) {
      model.fail("bounds of variable " + std::to_string(j) + ", which no row complements", "a row that does");
    }
    if (next == equations.size()) model.fail("fewer equations than free variables", "as many");
    rows[j] = equations[next++];
  }
  if (next != equations.size()) model.fail("more equations than free variables", "as many");
  return rows;
}

}  // namespace

mcp::Problem nl_complementarity(NlModel& model) {
  const NlFile& file = model.file();
  const Index n = file.num_variables;
  std::vector<NlComponent> components;
  for (const std::size_t row : rows_of_variables(model)) {
    components.push_back(model.component(file.rows[row], "row " + std::to_string(row)));
    if (file.row_ranges[row].complements < 0) components.back().less = file.row_ranges[row].lower;
    NlModel::find_variables(components.back());
  }
  const auto map = std::make_shared<const NlMap>(model.take_expressions(), std::move(components), n);
  mcp::Problem problem{
      .F = callables_of(map, n, "F"), .lower = model.lower(), .upper = model.upper(), .start = file.start};
  for (std::size_t j = 0; j < map->components().size(); ++j) {
    if (map->components()[j].is_affine()) problem.affine_rows.push_back(static_cast<Index>(j));
  }
  return problem;
}

}  // namespace nonsmooth::problem_files
