// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as the objects of an FCLIB file, one a line, whatever holds them: a letter (i integers,
// r reals, t text, a attribute), the path, the values; `w` alone is a set that was never written. Either FormatError,
// or a valid problem with its solutions; one that FCLIB can hold is read back, value for value, from what is written of
// it, in both forms of HDF5. The containers themselves are hdf5_fuzzer's.
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include <unistd.h>

#include <nonsmooth/io/fclib_file.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "../../../io/src/problem_files/fclib.hpp"
#include "same_problem.hpp"

extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:max_allocation_size_mb=256";
}  // NOLINT: the tool's name

namespace {

using namespace nonsmooth;
using namespace nonsmooth::problem_files;

/// Objects by their paths, in text.
class TextSets : public DataSets {
 public:
  explicit TextSets(std::string_view text) : DataSets("fuzz") {
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      if (line.size() < 3 || line[1] != ' ') continue;
      const std::size_t end = std::min(line.find(' ', 2), line.size());
      const std::string path(line.substr(2, end - 2));
      objects_.insert_or_assign((line[0] == 'a' ? "@" : "") + path,
                                Object{line[0], std::string(line.substr(std::min(end + 1, line.size())))});
    }
  }

  [[nodiscard]] bool exists(const std::string& path) const override {
    const auto inside = objects_.lower_bound(path + '/');
    return objects_.contains(path) || (inside != objects_.end() && inside->first.starts_with(path + '/'));
  }
  [[nodiscard]] bool is_written(const std::string& path) const override { return at(path).kind != 'w'; }
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& path) const override {
    return numbers<std::int64_t>(path, 'i');
  }
  [[nodiscard]] std::vector<double> reals(const std::string& path) const override { return numbers<double>(path, 'r'); }
  [[nodiscard]] std::string text(const std::string& path) const override {
    const Object& object = at(path);
    if (object.kind != 't') fail(path, "another type", "a text");
    return object.text;
  }
  [[nodiscard]] std::optional<std::int64_t> attribute(const std::string& path, std::string_view key) const override {
    const std::string own = "@" + path + "/" + std::string(key);
    if (!objects_.contains(own)) return std::nullopt;
    const auto value = numbers<std::int64_t>(own, 'a');
    if (value.size() != 1) fail(path, "another type", "one integer");
    return value.front();
  }

 private:
  struct Object {
    char kind = 0;
    std::string text;
  };

  [[nodiscard]] const Object& at(const std::string& path) const {
    const auto found = objects_.find(path);
    if (found == objects_.end()) fail(path, "nothing", "a data set");
    return found->second;
  }
  /// Up to the first that is none.
  template <class Number>
  [[nodiscard]] std::vector<Number> numbers(const std::string& path, char kind) const {
    const Object& object = at(path);
    if (object.kind != kind) fail(path, "another type", "numbers");
    std::vector<Number> list;
    const char* here = object.text.data();
    const char* const end = here + object.text.size();
    while (here != end) {
      if (*here == ' ') {
        ++here;
        continue;
      }
      Number value{};
      const auto [stop, error] = std::from_chars(here, end, value);
      if (error != std::errc{}) break;
      list.push_back(value);
      here = stop;
    }
    return list;
  }

  std::map<std::string, Object, std::less<>> objects_;
};

bool same(const FclibSolution& a, const FclibSolution& b) {
  return fuzz::same(a.v, b.v) && fuzz::same(a.r, b.r) && fuzz::same(a.u, b.u);
}

bool same(const FclibFile& a, const FclibFile& b) {
  if (!fuzz::same(a.problem, b.problem) || !(a.info == b.info) || a.solution.has_value() != b.solution.has_value() ||
      a.guesses.size() != b.guesses.size() || (a.solution && !same(*a.solution, *b.solution)))
    return false;
  for (std::size_t k = 0; k < a.guesses.size(); ++k)
    if (!same(a.guesses[k], b.guesses[k])) return false;
  return true;
}

/// In memory where the system has a place for it.
std::filesystem::path scratch_file() {
  const std::filesystem::path memory = "/dev/shm";
  return (std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path()) /
         ("fclib_fuzzer_" + std::to_string(::getpid()) + ".hdf5");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FclibFile file;
  try {
    file = read_fclib_sets(TextSets({reinterpret_cast<const char*>(data), size}), FclibParts::All);
  } catch (const FormatError&) {
    return 0;
  }
  std::visit([](const auto& problem) { problem.validate(); }, file.problem);
  static const std::filesystem::path path = scratch_file();
  for (const bool checksums : {true, false}) {
    std::filesystem::remove(path);
    try {
      write_fclib_file(file, path, checksums);
    } catch (const InvalidArgument&) {  // rolling friction in reduced form, a text with a zero in it
      return 0;
    }
    if (!same(read_fclib(path), file)) std::abort();
  }
  std::filesystem::remove(path);
  return 0;
}
