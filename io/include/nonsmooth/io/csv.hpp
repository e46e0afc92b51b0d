// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <iosfwd>
#include <stdexcept>

#include <nonsmooth/io/table.hpp>

namespace nonsmooth {

/// A file that could not be opened, read or written; what() names it and says why.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Comma-separated values (RFC 4180): the names, quoted where they need it, then a row a line with 17 significant
/// digits, so that reading gives the same doubles back. The decimal sign is a point whatever the locale.
void write_csv(const Table& table, std::ostream& stream);
/// Over what is there; the file appears under its name when it is complete. @throws FileError.
void write_csv(const Table& table, const std::filesystem::path& path);

/// What write_csv wrote. @throws InvalidArgument naming the line: a cell that is no number, another count of cells.
[[nodiscard]] Table read_csv(std::istream& stream);
[[nodiscard]] Table read_csv(const std::filesystem::path& path);  ///< @throws likewise, and FileError

}  // namespace nonsmooth
