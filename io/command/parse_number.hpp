// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::command {

/// A whole number or a double, in the C locale and to the last character; CLI11 would read 010 as 8.
/// @throws InvalidArgument naming the option.
template <class Number>
[[nodiscard]] Number parse_number(std::string_view option, std::string_view text, std::string_view expected,
                                  const std::function<bool(Number)>& admissible) {
  Number value{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size() || !admissible(value)) {
    throw InvalidArgument(std::string(option), "'" + std::string(text) + "'", std::string(expected));
  }
  return value;
}

}  // namespace nonsmooth::command
