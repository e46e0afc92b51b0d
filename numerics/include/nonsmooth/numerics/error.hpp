// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// A caller's mistake: says which argument, what was found there and what is expected.
/// Non-convergence is never an exception; it is a Status.
class InvalidArgument : public std::invalid_argument {
 public:
  /// what() reads "<argument>: found <found>, expected <expected>".
  InvalidArgument(std::string argument, std::string found, std::string expected)
      : std::invalid_argument(argument + ": found " + found + ", expected " + expected),
        argument_(std::move(argument)),
        found_(std::move(found)),
        expected_(std::move(expected)) {}

  [[nodiscard]] const std::string& argument() const noexcept { return argument_; }  ///< e.g. "lcp::Problem::q"
  [[nodiscard]] const std::string& found() const noexcept { return found_; }        ///< e.g. "3 entries"
  [[nodiscard]] const std::string& expected() const noexcept {
    return expected_;
  }  ///< e.g. "2 entries, one a row of M"

 private:
  std::string argument_, found_, expected_;
};

/// The checks that every public door shares; each throws InvalidArgument and costs one pass over its argument.
namespace check {

/// Every entry finite; the message names the first entry that is not.
void finite(std::string_view argument, ConstVectorRef value);
void finite(std::string_view argument, ConstMatrixRef value);
void finite(std::string_view argument, double value);

/// value has exactly `size` entries; `why` completes "expected <size> entries, ...".
void size(std::string_view argument, Index found, Index expected, std::string_view why);

/// value is rows x cols.
void shape(std::string_view argument, Index rows, Index cols, Index expected_rows, Index expected_cols);

/// low <= value <= high (both ends in), value finite.
void range(std::string_view argument, double value, double low, double high);

/// value > 0 and finite.
void positive(std::string_view argument, double value);

/// value >= low.
void at_least(std::string_view argument, Index value, Index low);

}  // namespace check
}  // namespace nonsmooth
