// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/error.hpp>

#include <utility>

namespace nonsmooth {

InvalidArgument::InvalidArgument(std::string argument, std::string found, std::string expected)
    : std::invalid_argument(argument + ": found " + found + ", expected " + expected),
      argument_(std::move(argument)),
      found_(std::move(found)),
      expected_(std::move(expected)) {}

InvalidArgument::~InvalidArgument() = default;

}  // namespace nonsmooth
