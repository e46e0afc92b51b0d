// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::test {

/// The call throws InvalidArgument of that argument, and its message has the words.
template <class Call>
void expect_refused(const Call& call, std::string_view argument, std::string_view words = {}) {
  try {
    static_cast<void>(call());
    ADD_FAILURE() << "not refused: " << argument;
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.argument(), argument) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

}  // namespace nonsmooth::test
