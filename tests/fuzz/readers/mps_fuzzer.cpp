// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as MPS. Either FormatError, or a valid program; one that can be written is read back with
// the same title and values.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nonsmooth/io/problem_file.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "../../../io/src/problem_files/mps.hpp"
#include "same_problem.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nonsmooth;
  ProblemFile file;
  try {
    file = problem_files::read_mps({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const FormatError&) {
    return 0;
  }
  std::visit([](const auto& problem) { problem.validate(); }, file.problem);
  std::string again;
  try {
    again = problem_files::mps_of(file.problem, file.title);
  } catch (const InvalidArgument&) {
    return 0;
  }
  const ProblemFile back = problem_files::read_mps(again, "written");
  if (!fuzz::same(back.problem, file.problem) || back.title != file.title) std::abort();
  return 0;
}
