// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as a file of a run, opened in memory. Either FormatError, or a run of which every step,
// contact, event and checkpoint can be asked for, its scene and its meshes: each answer is there or is a FormatError as
// well.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nonsmooth/io/problem_file.hpp>

#include "../../../io/src/paraview/mesh_tables.hpp"
#include "../../../io/src/runs/layout.hpp"
#include "../../../io/src/runs/part_file.hpp"
#include "../../../io/src/scene/scene_tables.hpp"

/// As of hdf5_fuzzer.cpp.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:max_allocation_size_mb=256:detect_leaks=0";
}  // NOLINT: the tool's name

namespace {

template <class Ask>
void ask(Ask question) {
  try {
    question();
  } catch (const nonsmooth::FormatError&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nonsmooth;
  const Hdf5Session session;
  std::optional<runs::PartFile> file;
  try {
    file.emplace(std::span<const char>(reinterpret_cast<const char*>(data), size), "fuzz");
  } catch (const FileError&) {
    return 0;
  }
  const Index steps = std::min<Index>(file->part.num_steps, 64);
  for (Index step = 0; step < steps; ++step) {
    ask([&] { (void)file->contacts(step); });
    ask([&] { (void)file->events(step); });
  }
  std::vector<double> values;
  std::vector<std::uint64_t> hashes;
  std::vector<std::string> solvers;
  ask([&] { file->read_columns(0, static_cast<Index>(file->columns.size()), 0, steps, values); });
  ask([&] { file->read_hashes(0, steps, hashes); });
  ask([&] { file->read_solvers(0, steps, solvers); });
  for (std::size_t a = 0; a < num_run_arrays; ++a)
    ask([&] { file->read_array(static_cast<RunArray>(a), 0, file->part.sizes[a], 0, steps, values); });
  ask([&] {
    const std::vector<double> index = file->checkpoint_index();
    for (std::size_t i = 0; i + runs::checkpoint_numbers <= index.size(); i += runs::checkpoint_numbers)
      (void)file->checkpoint(static_cast<Index>(index[i + 2]), static_cast<Index>(index[i + 3]));
  });
  ask([&] {
    file->objects().begin_anew();
    file->objects().require_group("/scene");
    (void)scene::read_tables("fuzz", static_cast<Index>(file->part.systems.size()),
                             [&](const char* path) { return file->objects().table(path); });
  });
  ask([&] {
    const auto& objects = file->objects();
    const auto anew = [&]() -> const auto& {
      objects.begin_anew();
      return objects;
    };
    (void)paraview::read_meshes(
        "fuzz", {.has = [&](const std::string& path) { return objects.exists("/meshes") && objects.exists(path); },
                 .table = [&](const std::string& path) { return anew().table(path); },
                 .texts = [&](const std::string& path) { return runs::split(anew().bytes(path), '\0'); }});
  });
  return 0;
}
