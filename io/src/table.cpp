// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/table.hpp>

#include <algorithm>

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {
namespace {

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

}  // namespace

Table::Table(std::vector<std::string> names) : names_(std::move(names)), columns_(names_.size()) {
  if (names_.empty()) throw InvalidArgument("Table::names", "no column", "at least one");
  for (auto name = names_.begin(); name != names_.end(); ++name) {
    if (name->empty()) {
      throw InvalidArgument("Table::names", "an empty name at column " + std::to_string(name - names_.begin()),
                            "a name for each column");
    }
    if (std::find(names_.begin(), name, *name) != name) {
      throw InvalidArgument("Table::names", "'" + *name + "' twice", "names that differ");
    }
  }
}

void Table::record(std::span<const double> row) {
  if (row.size() != columns_.size()) {
    throw InvalidArgument("Table::record", std::to_string(row.size()) + " numbers",
                          std::to_string(columns_.size()) + ", one a column: " + quoted_list(names_));
  }
  // Room first: when memory runs out, no column is longer than another.
  for (auto& column : columns_) {
    if (column.size() == column.capacity()) column.reserve(std::max<std::size_t>(64, 2 * column.size()));
  }
  for (std::size_t i = 0; i < row.size(); ++i) columns_[i].push_back(row[i]);
}

const std::vector<double>& Table::column(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) {
    throw InvalidArgument("Table::column", "'" + std::string(name) + "'", "one of " + quoted_list(names_));
  }
  return columns_[static_cast<std::size_t>(found - names_.begin())];
}

const std::vector<double>& Table::column(Index position) const {
  if (position < 0 || position >= num_columns()) {
    throw InvalidArgument("Table::column", std::to_string(position), "0 to " + std::to_string(num_columns() - 1));
  }
  return columns_[static_cast<std::size_t>(position)];
}

}  // namespace nonsmooth
