// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as an HDF5 file, opened in memory. Either FormatError, or a valid problem; one of FCLIB
// with its solutions too.
#include <cstdint>

#include <nonsmooth/io/problem_file.hpp>

#include "../../../io/src/problem_files/fclib.hpp"
#include "../../../io/src/problem_files/hdf5_file.hpp"

/// HDF5 copes with a malloc that fails, as it does for the sizes some damaged files ask for. It leaks some bytes of the
/// heads of objects that it refuses.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:max_allocation_size_mb=256:detect_leaks=0";
}  // NOLINT: the tool's name

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nonsmooth;
  try {
    const char* const bytes = reinterpret_cast<const char*>(data);
    const ProblemFile file = problem_files::read_hdf5_image({bytes, size}, "fuzz");
    std::visit([](const auto& problem) { problem.validate(); }, file.problem);
    if (file.format == FileFormat::Fclib) (void)problem_files::read_fclib_image({bytes, size}, "fuzz");
  } catch (const FileError&) {
    return 0;
  }
  return 0;
}
