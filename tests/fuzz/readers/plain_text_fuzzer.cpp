// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as our own text. Either FormatError, or a valid problem that is written and read back
// with the same title and values.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nonsmooth/io/problem_file.hpp>

#include "../../../io/src/problem_files/plain_text.hpp"
#include "same_problem.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nonsmooth;
  ProblemFile file;
  try {
    file = problem_files::read_plain_text({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const FormatError&) {
    return 0;
  }
  std::visit([](const auto& problem) { problem.validate(); }, file.problem);
  const ProblemFile back =
      problem_files::read_plain_text(problem_files::plain_text_of(file.problem, file.title), "written");
  if (!fuzz::same(back.problem, file.problem) || back.title != file.title) std::abort();
  return 0;
}
