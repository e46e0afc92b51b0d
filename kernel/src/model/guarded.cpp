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
  constexpr std::size_t kMostNames = 6;
  std::vector<std::string> once;
  for (const std::string& name : names)
    if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(name);
  std::string text;
  const std::size_t shown = std::min(once.size(), kMostNames);
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : i + 1 == once.size() ? " and " : ", ") + once[i];
  return once.size() > shown ? text + " and " + std::to_string(once.size() - shown) + " more" : text;
}

std::string place_of_row(const std::string& interaction, Index row, const std::vector<std::string>& systems) {
  return "row " + std::to_string(row) + " of " + interaction + (systems.empty() ? "" : " on ") + list_of(systems);
}

}  // namespace nonsmooth
