// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// What the title of a dumped problem says, in lines:
///
///     step 12 to t = 0.25 s, which was not taken
///     of the run 00c0ffee00c0ffee
///     level velocity, 2 rows, infeasible by closed form after 0 iterations, residual 1
///     worst: row 0 of left face on left piston and block
///     nonsmooth solve pile.failed.h5 --solver "block gauss-seidel" --tolerance 1e-10
///
/// The first is a remark, in which a step and a time may stand; the second is there where a Recorder wrote it.
struct DumpTitle {
  std::optional<Index> step{};  ///< State::steps behind it
  double t = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t run = 0;  ///< RunAbout::run; 0: of none
  std::string status{};   ///< to_string(Status)
  std::string solver{};   ///< that gave the answer, by name; may be empty
  Index iterations = 0;
  double residual = std::numeric_limits<double>::quiet_NaN();
  std::string algorithm{};  ///< to solve it again with; empty: not known to `nonsmooth solve`
  std::optional<double> tolerance{};
};

/// Nothing where the title is not that of a dumped problem.
[[nodiscard]] std::optional<DumpTitle> read_dump_title(std::string_view title);

}  // namespace nonsmooth
