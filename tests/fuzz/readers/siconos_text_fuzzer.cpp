// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as a Siconos text. Either FormatError, or a valid problem; one whose own text can be
// written is read back with the same class, title and values.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nonsmooth/io/problem_file.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "../../../io/src/problem_files/siconos_text.hpp"
#include "same_problem.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nonsmooth;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ProblemFile file;
  try {
    file = problem_files::read_siconos_text(text, "fuzz", nullptr);
  } catch (const FormatError&) {
    return 0;
  }
  std::visit([](const auto& problem) { problem.validate(); }, file.problem);
  std::string again;
  try {
    again = problem_files::siconos_text_of(file.problem, file.title);
  } catch (const InvalidArgument&) {
    return 0;
  }
  const ProblemClass problem_class = class_of(file.problem);
  const ProblemFile back = problem_files::read_siconos_text(again, "written", &problem_class);
  if (!fuzz::same(back.problem, file.problem) || back.title != file.title) std::abort();
  return 0;
}
