// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace nonsmooth::command {

/// An aligned table that is printed row by row, as rows come: each column is as wide as it is told, or as its title.
/// A longer cell keeps its text and moves the rest of its row.
class TextTable {
 public:
  struct Column {
    std::string_view title;
    std::size_t width = 0;  ///< characters
    bool right = false;     ///< numbers
  };

  explicit TextTable(std::vector<Column> columns);

  void print_titles(std::ostream& out) const;
  /// One cell a column, each a line of printable text. @throws InvalidArgument for another count.
  void print_row(std::ostream& out, const std::vector<std::string>& cells) const;

 private:
  std::vector<Column> columns_;
};

}  // namespace nonsmooth::command
