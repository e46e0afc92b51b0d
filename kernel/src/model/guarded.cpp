// SPDX-License-Identifier: Apache-2.0
#include "guarded.hpp"

#include <algorithm>

namespace nonsmooth {

void fail_part(const char* which) {
  try {
    throw;
  } catch (const std::exception& error) {
    throw PartFailure{which, error.what()};
  }
}

void fail_callable(std::string_view who, std::string_view what) {
  try {
    throw;
  } catch (const CallableFailure&) {
    throw;
  } catch (const PartFailure& error) {
    throw CallableFailure{std::string(error.part) + " of " + std::string(who) + " threw: " + error.detail};
  } catch (const std::exception& error) {
    throw CallableFailure{std::string(what) + " of " + std::string(who) + " threw: " + error.what()};
  } catch (...) {
    throw CallableFailure{std::string(what) + " of " + std::string(who) + " threw something that is no std::exception"};
  }
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  append_list(
      names.size(), [&names](std::size_t i) -> const std::string& { return names[i]; }, text);
  return text;
}

std::string place_of_row(const std::string& interaction, Index row, const std::vector<std::string>& systems) {
  std::string text;
  append_place_of_row(
      interaction, row, systems.size(), [&systems](std::size_t i) -> const std::string& { return systems[i]; }, text);
  return text;
}

}  // namespace nonsmooth
