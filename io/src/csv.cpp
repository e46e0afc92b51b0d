// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/csv.hpp>

#include <array>
#include <charconv>
#include <fstream>
#include <istream>
#include <ostream>
#include <system_error>

#include <nonsmooth/numerics/error.hpp>

#include "csv_row.hpp"
#include "replaced_file.hpp"

namespace nonsmooth {
namespace {

/// One record of RFC 4180: a quoted cell may hold commas, line breaks and doubled quotes. False at the end.
bool read_record(std::istream& stream, std::vector<std::string>& cells, Index& line) {
  cells.clear();
  if (stream.peek() == std::istream::traits_type::eof()) return false;
  ++line;
  std::string cell;
  bool quoted = false;
  char c = 0;
  while (stream.get(c)) {
    if (quoted) {
      if (c == '"' && stream.peek() == '"') {
        cell += '"';
        stream.get(c);
      } else if (c == '"') {
        quoted = false;
      } else {
        cell += c;
      }
    } else if (c == '"' && cell.empty()) {
      quoted = true;
    } else if (c == ',') {
      cells.push_back(std::move(cell));
      cell.clear();
    } else if (c == '\n') {
      break;
    } else if (c != '\r') {
      cell += c;
    }
  }
  if (quoted) throw InvalidArgument("CSV record " + std::to_string(line), "an open quote at the end", "a closing one");
  cells.push_back(std::move(cell));
  return true;
}

}  // namespace

void write_csv(const Table& table, std::ostream& stream) {
  for (Index j = 0; j < table.num_columns(); ++j) {
    const std::string& name = table.names()[static_cast<std::size_t>(j)];
    if (j > 0) stream << ',';
    if (name.find_first_of(",\"\r\n") == std::string::npos) {
      stream << name;
    } else {
      stream << '"';
      for (const char c : name) stream << (c == '"' ? "\"\"" : std::string(1, c));
      stream << '"';
    }
  }
  stream << '\n';
  std::string line;
  std::vector<double> row(table.names().size());
  for (std::size_t i = 0; i < static_cast<std::size_t>(table.num_rows()); ++i) {
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = table.column(static_cast<Index>(j))[i];
    write_csv_row(row, line, stream);
  }
}

void write_csv(const Table& table, const std::filesystem::path& path) {
  replace_file(path, [&](std::ostream& stream) { write_csv(table, stream); });
}

Table read_csv(std::istream& stream) {
  std::vector<std::string> cells;
  Index line = 0;
  if (!read_record(stream, cells, line)) throw InvalidArgument("CSV", "an empty file", "a line of names");
  Table table(cells);
  std::vector<double> row(cells.size());
  while (read_record(stream, cells, line)) {
    const std::string where = "CSV record " + std::to_string(line);
    if (cells.size() != row.size()) {
      throw InvalidArgument(where, std::to_string(cells.size()) + " cells", std::to_string(row.size()));
    }
    for (std::size_t j = 0; j < row.size(); ++j) {
      const char* end = cells[j].data() + cells[j].size();
      const auto [stop, error] = std::from_chars(cells[j].data(), end, row[j]);
      if (error != std::errc{} || stop != end) throw InvalidArgument(where, "'" + cells[j] + "'", "a number");
    }
    table.record(row);
  }
  return table;
}

Table read_csv(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw FileError(path.string() + ": is no regular file");  // a pipe would keep the reader waiting
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(path.string() + ": cannot be opened for reading");
  return read_csv(file);
}

}  // namespace nonsmooth
