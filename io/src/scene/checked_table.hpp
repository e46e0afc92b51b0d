// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <utility>

#include <nonsmooth/io/problem_file.hpp>

#include "scene_tables.hpp"

namespace nonsmooth::scene {

/// A table of a part whose numbers are looked at one by one.
class CheckedTable {
 public:
  CheckedTable(const std::string& file, const ReadTable& read, std::string path, Index columns)
      : path_(std::move(path)), file_(file), rows_(read(path_.c_str())) {
    if (rows_.cols() != columns && rows_.rows() > 0) {
      refuse(0, std::to_string(rows_.cols()) + " columns", std::to_string(columns));
    }
  }
  [[nodiscard]] Index size() const { return rows_.rows(); }
  [[nodiscard]] double number(Index row, Index column) const {
    const double value = rows_(row, column);
    if (!std::isfinite(value)) refuse(row, "a number that is not finite", "finite numbers");
    return value;
  }
  /// A whole number in [low, high].
  [[nodiscard]] Index whole(Index row, Index column, Index low, Index high) const {
    const double value = rows_(row, column);
    if (!(value >= static_cast<double>(low) && value <= static_cast<double>(high)) || value != std::floor(value)) {
      refuse(row, std::to_string(value), std::to_string(low) + " to " + std::to_string(high));
    }
    return static_cast<Index>(value);
  }
  [[noreturn]] void refuse(Index row, const std::string& found, const std::string& expected) const {
    throw FormatError(file_ + ": " + path_ + ", row " + std::to_string(row) + ": found " + found + ", expected " +
                      expected);
  }

 private:
  std::string path_, file_;
  RunRows rows_;
};

}  // namespace nonsmooth::scene
