// SPDX-License-Identifier: Apache-2.0
// Names of tests with parameters: the parameter as GoogleTest prints it, without what such a name may not hold.
//
//     struct Case {
//       const char* name;
//       friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
//     };
//     INSTANTIATE_TEST_SUITE_P(All, Suite, testing::Values(Case{"Small"}, Case{"Large"}), test::parameter_name);
#pragma once

#include <string>

#include <gtest/gtest.h>

namespace nonsmooth::test {

inline constexpr auto parameter_name = [](const auto& info) {
  std::string name = testing::PrintToString(info.param);
  std::erase_if(name, [](char c) {
    return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_');
  });
  return name;
};

}  // namespace nonsmooth::test
