// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as a Siconos text; a letter before it, 'a' the first class, names the one expected.
// Either FormatError, or a valid problem; one whose own text can be written is read back with the same class, title and
// values.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nonsmooth/io/problem_file.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "../../../io/src/problem_files/siconos_text.hpp"
#include "same_problem.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nonsmooth;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr char last = 'a' + static_cast<char>(ProblemClass::GlobalRollingFriction);
  ProblemClass named{};
  const ProblemClass* expected = nullptr;
  if (!text.empty() && text.front() >= 'a' && text.front() <= last) {
    named = static_cast<ProblemClass>(text.front() - 'a');
    expected = &named;
    text.remove_prefix(1);
  }
  ProblemFile file;
  try {
    file = problem_files::read_siconos_text(text, "fuzz", expected);
  } catch (const FormatError&) {
    return 0;
  }
  std::visit([](const auto& problem) { problem.validate(); }, file.problem);
  if (expected != nullptr && class_of(file.problem) != named) std::abort();
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
