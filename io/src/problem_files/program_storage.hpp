// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <nonsmooth/io/problem_file.hpp>

namespace nonsmooth::problem_files {

/// Of formats that do not say how matrices are stored: programs of up to so many unknowns and rows together become
/// dense ones, which every algorithm takes.
inline constexpr Index most_dense_rows = 500;

[[nodiscard]] inline AnyProblem in_fitting_storage(qp::SparseProblem program) {
  if (program.num_unknowns() + program.num_rows() > most_dense_rows) return program;
  return qp::Problem{.Q = program.Q,
                     .c = std::move(program.c),
                     .A = program.A,
                     .row_lower = std::move(program.row_lower),
                     .row_upper = std::move(program.row_upper),
                     .lower = std::move(program.lower),
                     .upper = std::move(program.upper)};
}

[[nodiscard]] inline AnyProblem in_fitting_storage(mpcc::SparseProblem program) {
  if (program.num_unknowns() + program.num_rows() + 2 * program.num_pairs() > most_dense_rows) return program;
  return mpcc::Problem{.Q = program.Q,
                       .c = std::move(program.c),
                       .A = program.A,
                       .row_lower = std::move(program.row_lower),
                       .row_upper = std::move(program.row_upper),
                       .lower = std::move(program.lower),
                       .upper = std::move(program.upper),
                       .G = program.G,
                       .g = std::move(program.g),
                       .H = program.H,
                       .h = std::move(program.h)};
}

}  // namespace nonsmooth::problem_files
