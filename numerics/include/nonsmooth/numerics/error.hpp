// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace nonsmooth {

/// A caller's mistake: says which argument, what was found there and what is expected.
/// Non-convergence is never an exception; it is a Status.
class InvalidArgument : public std::invalid_argument {
 public:
  /// what() reads "<argument>: found <found>, expected <expected>".
  InvalidArgument(std::string argument, std::string found, std::string expected);
  InvalidArgument(const InvalidArgument&) = default;
  InvalidArgument& operator=(const InvalidArgument&) = default;
  ~InvalidArgument() override;

  [[nodiscard]] const std::string& argument() const noexcept { return argument_; }  ///< e.g. "lcp::Problem::q"
  [[nodiscard]] const std::string& found() const noexcept { return found_; }        ///< e.g. "3 entries"
  /// e.g. "2 entries, one a row of M"
  [[nodiscard]] const std::string& expected() const noexcept { return expected_; }

 private:
  std::string argument_, found_, expected_;
};

}  // namespace nonsmooth
