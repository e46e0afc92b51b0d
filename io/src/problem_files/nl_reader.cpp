// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <nonsmooth/numerics/error.hpp>

#include "nl.hpp"
#include "nl_model.hpp"

namespace nonsmooth::problem_files {
namespace {

/// As many equations as unknowns, which are free.
bool is_square_system(const NlFile& file) {
  return static_cast<Index>(file.rows.size()) == file.num_variables &&
         std::all_of(file.row_ranges.begin(), file.row_ranges.end(),
                     [](const auto& row) { return row.is_equation(); }) &&
         std::all_of(file.variable_ranges.begin(), file.variable_ranges.end(),
                     [](const auto& variable) { return variable.is_free(); });
}

ProblemFile problem_of(NlFile file, std::string_view name) {
  NlModel model(std::move(file), name);
  const NlFile& read = model.file();
  const bool any_complements = std::any_of(read.row_ranges.begin(), read.row_ranges.end(),
                                           [](const NlRange& range) { return range.complements >= 0; });
  ProblemFile result{.problem = {}, .format = FileFormat::Nl};
  if (any_complements && !read.objectives.empty()) {
    read_nl_mpcc(model, result);
  } else if (any_complements || (read.objectives.empty() && is_square_system(read))) {
    result.problem = nl_complementarity(model);
  } else {
    read_nl_program(model, result);
  }
  return result;
}

}  // namespace

ProblemFile read_nl(std::string_view text, std::string_view name) {
  try {
    ProblemFile file = problem_of(read_nl_file(text, name), name);
    std::visit([](const auto& problem) { problem.validate(); }, file.problem);
    return file;
  } catch (const InvalidArgument& error) {
    throw FormatError(std::string(name) + ": " + error.what());
  }
}

}  // namespace nonsmooth::problem_files
