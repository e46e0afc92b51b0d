// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as the Matrix Market files of a problem, parted by lines of three hyphens: M, q, lower,
// upper. Either FormatError, or a valid problem that is read back, value for value, from what is written of it.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nonsmooth/io/problem_file.hpp>

#include "../../../io/src/problem_files/matrix_market.hpp"
#include "same_problem.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nonsmooth;
  using namespace nonsmooth::problem_files;
  constexpr std::string_view parting = "\n---\n";
  std::string_view text(reinterpret_cast<const char*>(data), size);
  MarketFiles files;
  const std::array<MarketFile*, 4> parts = {&files.matrix, &files.q, &files.lower, &files.upper};
  for (MarketFile* part : parts) {
    const std::size_t end = text.find(parting);
    *part = {"fuzz", std::string(text.substr(0, end))};
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + parting.size());
  }
  ProblemFile file;
  try {
    file = read_matrix_market(files);
  } catch (const FormatError&) {
    return 0;
  }
  std::visit([](const auto& problem) { problem.validate(); }, file.problem);
  const ProblemFile back = read_matrix_market(matrix_market_of(file.problem, file.title));
  if (!fuzz::same(back.problem, file.problem)) std::abort();
  return 0;
}
