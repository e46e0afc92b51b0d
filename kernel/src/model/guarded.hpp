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

/// "a, b and c" of names, each once, in their order; of more than six "and <how many> more".
[[nodiscard]] std::string list_of(const std::vector<std::string>& names);
/// "row 0 of stop on ball and box" of an interaction and its systems.
[[nodiscard]] std::string place_of_row(const std::string& interaction, Index row,
                                       const std::vector<std::string>& systems);

}  // namespace nonsmooth
