// SPDX-License-Identifier: Apache-2.0
#include <internal/check.hpp>

#include <array>
#include <charconv>
#include <cmath>

namespace nonsmooth::check {

std::string text(double value) {
  std::array<char, 32> digits{};  // the longest has 24
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

void finite(std::string_view argument, ConstVectorRef value) {
  if (all_finite(value)) return;
  for (Index i = 0; i < value.size(); ++i) {
    if (!std::isfinite(value[i])) {
      throw InvalidArgument(std::string(argument), text(value[i]) + " in entry " + std::to_string(i), "finite entries");
    }
  }
}

void finite(std::string_view argument, ConstMatrixRef value) {
  for (Index j = 0; j < value.cols(); ++j) {
    if (all_finite(value.col(j))) continue;
    for (Index i = 0; i < value.rows(); ++i) {
      if (!std::isfinite(value(i, j))) {
        throw InvalidArgument(std::string(argument),
                              text(value(i, j)) + " in entry (" + std::to_string(i) + ", " + std::to_string(j) + ")",
                              "finite entries");
      }
    }
  }
}

void finite(std::string_view argument, double value) {
  if (!std::isfinite(value)) throw InvalidArgument(std::string(argument), text(value), "a finite number");
}

void size(std::string_view argument, Index found, Index expected, std::string_view why) {
  if (found == expected) return;
  std::string wanted = std::to_string(expected) + (expected == 1 ? " entry" : " entries");
  if (!why.empty()) wanted += ", " + std::string(why);
  throw InvalidArgument(std::string(argument), std::to_string(found) + (found == 1 ? " entry" : " entries"), wanted);
}

void shape(std::string_view argument, Index rows, Index cols, Index expected_rows, Index expected_cols) {
  if (rows == expected_rows && cols == expected_cols) return;
  throw InvalidArgument(std::string(argument), std::to_string(rows) + " x " + std::to_string(cols),
                        std::to_string(expected_rows) + " x " + std::to_string(expected_cols));
}

void range(std::string_view argument, double value, double low, double high) {
  if (value >= low && value <= high && std::isfinite(value)) return;  // a NaN fails both comparisons
  throw InvalidArgument(std::string(argument), text(value), "a number in [" + text(low) + ", " + text(high) + "]");
}

void positive(std::string_view argument, double value) {
  if (value > 0.0 && std::isfinite(value)) return;
  throw InvalidArgument(std::string(argument), text(value), "a positive finite number");
}

void at_least(std::string_view argument, Index value, Index low) {
  if (value >= low) return;
  throw InvalidArgument(std::string(argument), std::to_string(value), "at least " + std::to_string(low));
}

void within(std::string_view argument, Index value, Index low, Index high) {
  if (value >= low && value <= high) return;
  throw InvalidArgument(std::string(argument), std::to_string(value),
                        "at least " + std::to_string(low) + " and at most " + std::to_string(high));
}

}  // namespace nonsmooth::check
