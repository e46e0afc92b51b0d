// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// Named columns of numbers, filled row by row while a simulation runs. A row is recorded as a whole or not at all, so
/// that a run that stops early leaves everything up to there.
///
///     Table table{"t [s]", "q [m]"};
///     simulation.advance_to(10.0, [&](const State& x) { table.record({x.t, x.q(ball)[0]}); });
class Table {
 public:
  /// @throws InvalidArgument: no column, an empty name, a name that occurs twice.
  explicit Table(std::vector<std::string> names);
  Table(std::initializer_list<std::string> names) : Table(std::vector<std::string>(names)) {}

  /// Appends a row: one number a column, NaN and infinity allowed. @throws InvalidArgument for another count.
  void record(std::span<const double> row);
  void record(std::initializer_list<double> row) { record(std::span<const double>(row.begin(), row.size())); }

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] Index num_columns() const noexcept { return static_cast<Index>(names_.size()); }
  [[nodiscard]] Index num_rows() const noexcept { return static_cast<Index>(columns_.front().size()); }

  /// All values of a column. @throws InvalidArgument for an unknown name, naming the columns there are.
  [[nodiscard]] const std::vector<double>& column(std::string_view name) const;
  [[nodiscard]] const std::vector<double>& column(Index position) const;  ///< zero-based; throws likewise

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<double>> columns_;
};

}  // namespace nonsmooth
