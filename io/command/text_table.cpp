// SPDX-License-Identifier: Apache-2.0
#include "text_table.hpp"

#include <algorithm>
#include <ostream>

#include <nonsmooth/numerics/error.hpp>

#include "text.hpp"

namespace nonsmooth::command {

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.width = std::max(column.width, width(column.title));
}

void TextTable::print_titles(std::ostream& out) const {
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.emplace_back(column.title);
  print_row(out, titles);
}

void TextTable::print_row(std::ostream& out, const std::vector<std::string>& cells) const {
  if (cells.size() != columns_.size()) {
    throw InvalidArgument("TextTable::print_row", std::to_string(cells.size()) + " cells",
                          std::to_string(columns_.size()));
  }
  std::string line;
  for (std::size_t j = 0; j < cells.size(); ++j) {
    const Column& column = columns_[j];
    const std::size_t characters = width(cells[j]);
    const std::string padding(column.width > characters ? column.width - characters : 0, ' ');
    if (j > 0) line += "  ";
    line += column.right ? padding + cells[j] : cells[j] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

}  // namespace nonsmooth::command
