// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any text as the title of a dumped problem. Either nothing, or what its lines say when they are
// written anew is what was read.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "../../../io/src/dump_title.hpp"

namespace {

using namespace nonsmooth;

std::string digits(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

/// In the order and the words of dump_title.hpp.
std::string title_of(const DumpTitle& said) {
  std::string title = said.step ? "step " + std::to_string(*said.step) + " to" : "the last instant at";
  title += " t = " + digits(said.t) + " s\n";
  char run[32];
  std::snprintf(run, sizeof run, "%016llx", static_cast<unsigned long long>(said.run));
  title += "of the run " + std::string(run) + "\nlevel velocity, 2 rows, " + said.status;
  if (!said.solver.empty()) title += " by " + said.solver;
  title += " after " + std::to_string(said.iterations) + " iterations, residual " + digits(said.residual);
  title += "\nnonsmooth solve it.h5";
  if (!said.algorithm.empty()) title += " --solver \"" + said.algorithm + '"';
  if (said.tolerance) title += " --tolerance " + digits(*said.tolerance);
  return title;
}

bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same(const DumpTitle& a, const DumpTitle& b) {
  return a.step == b.step && same(a.t, b.t) && a.run == b.run && a.status == b.status && a.solver == b.solver &&
         a.iterations == b.iterations && same(a.residual, b.residual) && a.algorithm == b.algorithm &&
         a.tolerance.has_value() == b.tolerance.has_value() && same(a.tolerance.value_or(0), b.tolerance.value_or(0));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::optional<DumpTitle> said = read_dump_title({reinterpret_cast<const char*>(data), size});
  if (!said) return 0;
  const std::optional<DumpTitle> again = read_dump_title(title_of(*said));
  if (!again || !same(*again, *said)) std::abort();
  return 0;
}
