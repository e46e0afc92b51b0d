// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ostream>
#include <span>
#include <string>

#include "number.hpp"

namespace nonsmooth {

/// A line of write_csv() behind the names; `line` is room for it.
inline void write_csv_row(std::span<const double> row, std::string& line, std::ostream& stream) {
  line.clear();
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (j > 0) line += ',';
    append_number(line, row[j]);
  }
  stream << line << '\n';
}

}  // namespace nonsmooth
