// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// A user's callable threw or returned a number that is not finite; ends the step, not the program.
struct CallableFailure : std::exception {
  explicit CallableFailure(std::string text) : detail(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return detail.c_str(); }
  std::string detail;
};

/// A callable that a class holds failed: guarded() around the class tells whose it is.
struct PartFailure : std::exception {
  PartFailure(const char* which, std::string text) : part(which), detail(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return detail.c_str(); }
  const char* part;
  std::string detail;
};

/// Inside a handler: throws PartFailure for a std::exception, else what was thrown.
[[noreturn]] void fail_part(const char* which);
/// Calls one of the callables that a class holds.
template <class Call>
void call_part(const char* which, Call&& call) {
  try {
    call();
  } catch (...) {
    fail_part(which);
  }
}

/// Inside a handler: throws what was thrown as a CallableFailure.
[[noreturn]] void fail_callable(std::string_view who, std::string_view what);
/// Calls a user's callable; `who` names the system or relation in the message, but where a callable inside is named.
template <class Call>
void guarded(std::string_view who, std::string_view what, Call&& call) {
  try {
    call();
  } catch (...) {
    fail_callable(who, what);
  }
}
template <class Values>
void require_finite(std::string_view who, std::string_view what, const Values& values) {
  if (!values.allFinite())
    throw CallableFailure{std::string(what) + " of " + std::string(who) + " returned a number that is not finite"};
}

constexpr std::size_t kMostNames = 6;  ///< in a list

/// Appends "a, b and c" of name(0) to name(count - 1), each once, in their order; of more than six "and <how many>
/// more". Allocates nothing where the text has room.
template <class Name>
void append_list(std::size_t count, Name name, std::string& text) {
  const auto is_first = [&name](std::size_t i) {
    std::size_t same = 0;
    while (name(same) != name(i)) ++same;
    return same == i;
  };
  std::size_t different = 0, shown = 0;
  for (std::size_t i = 0; i < count; ++i) different += is_first(i) ? 1 : 0;
  for (std::size_t i = 0; i < count && shown < kMostNames; ++i) {
    if (!is_first(i)) continue;
    text += shown == 0 ? "" : shown + 1 == different ? " and " : ", ";
    text += name(i);
    ++shown;
  }
  if (different > shown) (text += " and ").append(std::to_string(different - shown)).append(" more");
}
/// The same as a text of its own.
[[nodiscard]] std::string list_of(const std::vector<std::string>& names);

/// Appends "row 0 of stop on ball and box" of an interaction and its systems, by their names as in append_list().
template <class Name>
void append_place_of_row(const std::string& interaction, Index row, std::size_t systems, Name name, std::string& text) {
  (text += "row ").append(std::to_string(row)).append(" of ").append(interaction);
  if (systems > 0) text += " on ";
  append_list(systems, name, text);
}
/// The same as a text of its own.
[[nodiscard]] std::string place_of_row(const std::string& interaction, Index row,
                                       const std::vector<std::string>& systems);

}  // namespace nonsmooth
