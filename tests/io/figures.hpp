// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {

/// Asked of the shell, not of draw(): a picture that it fails to draw is no reason to skip.
inline bool has_gnuplot() { return std::system("gnuplot --version >/dev/null 2>&1") == 0; }

/// A folder for the pictures of a test, with a name that needs quotes.
class FigureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("nonsmooth figure's " + std::to_string(getpid()) + " " +
                                                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

/// The argument that a call refuses.
template <class Call>
std::string refused(Call call) {
  try {
    (void)call();
  } catch (const InvalidArgument& error) {
    return error.argument();
  }
  return "no exception";
}

}  // namespace nonsmooth
