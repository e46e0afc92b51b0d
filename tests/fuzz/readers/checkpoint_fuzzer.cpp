// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as a checkpoint, as they are and with the length and the checksum made to fit, as a
// forger would. Either FormatError, or a state of the model that is asked for: written and read again it gives the same
// bytes.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <zlib.h>

#include <nonsmooth/io/problem_file.hpp>

#include "../../../io/src/runs/state_bytes.hpp"

extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:max_allocation_size_mb=256";
}  // NOLINT: the tool's name

namespace {

using namespace nonsmooth;

/// Two bodies in the plane and a circuit; a stop, a diode with a row of its own and memory; one source of contacts.
std::shared_ptr<const Layout> small_layout() {
  auto layout = std::make_shared<Layout>();
  layout->model = 1;
  layout->revision = 1;
  layout->systems = {{.q = 0, .nq = 3, .z = 0, .n = 3, .slot = 0, .name = "left"},
                     {.q = 3, .nq = 3, .z = 3, .n = 3, .slot = 1, .name = "right"},
                     {.z = 6, .n = 2, .first_order = true, .slot = 2, .name = "circuit"}};
  layout->interactions = {{.row = 0, .rows = 1, .slot = 0, .name = "stop"},
                          {.row = 1, .rows = 1, .auxiliary = 1, .first_order = true, .slot = 1, .name = "diode"}};
  layout->sources.resize(1);
  layout->num_positions = 6;
  layout->num_unknowns = 8;
  layout->num_rows = 3;
  layout->num_memory = 1;
  return layout;
}

void put(std::string& bytes, std::size_t at, std::uint64_t value) {
  for (std::size_t k = 0; k < 8; ++k) bytes[at + k] = static_cast<char>((value >> (8 * k)) & 0xffU);
}

/// The length behind the format and the version, and the checksum of all before it at the end.
std::string with_fitting_sums(std::string bytes) {
  constexpr std::size_t kLengthAt = 32, kLeast = 48;
  if (bytes.size() < kLeast) return bytes;
  put(bytes, kLengthAt, bytes.size());
  const auto size = static_cast<uInt>(bytes.size() - 8);
  put(bytes, bytes.size() - 8, crc32(crc32(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), size));
  return bytes;
}

std::string written(std::string_view bytes) {
  static const std::shared_ptr<const Layout> layout = small_layout();
  const runs::CheckpointReader reader(bytes, "fuzz");
  std::string again;
  runs::write_checkpoint(runs::head_bytes(reader.head()), reader.state(layout), again);
  return again;
}

void try_bytes(const std::string& bytes) {
  std::string once;
  try {
    once = written(bytes);
  } catch (const FormatError&) {
    return;
  }
  if (written(once) != once) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try_bytes(bytes);
  try_bytes(with_fitting_sums(bytes));
  return 0;
}
