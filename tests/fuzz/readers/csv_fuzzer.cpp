// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as comma-separated values. Either InvalidArgument, or a table that is written and read
// back with the same names and the same bits.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>

#include <nonsmooth/io/csv.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace {

using namespace nonsmooth;

bool same(const Table& a, const Table& b) {
  if (a.names() != b.names() || a.num_rows() != b.num_rows()) return false;
  for (Index j = 0; j < a.num_columns(); ++j) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.num_rows()); ++i) {
      const double x = a.column(j)[i], y = b.column(j)[i];
      if (std::isnan(x) ? !std::isnan(y) : std::bit_cast<std::uint64_t>(x) != std::bit_cast<std::uint64_t>(y))
        return false;
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
  std::optional<Table> table;
  try {
    table.emplace(read_csv(text));
  } catch (const InvalidArgument&) {
    return 0;
  }
  std::stringstream again;  // which nothing in it may refuse
  write_csv(*table, again);
  if (!same(read_csv(again), *table)) std::abort();
  return 0;
}
