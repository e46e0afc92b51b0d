// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/io/fclib_file.hpp>

/// FCLIB's layout on HDF5; docs/file_formats.md has it object by object.
namespace nonsmooth::problem_files {

/// A file of more guesses is neither read nor written.
inline constexpr Index most_guesses = 1000;

/// The objects of an HDF5 file, in whichever form it is; paths begin with '/'.
class DataSets {
 public:
  explicit DataSets(std::string name) : name_(std::move(name)) {}
  virtual ~DataSets() = default;
  DataSets(const DataSets&) = delete;
  DataSets& operator=(const DataSets&) = delete;

  /// False too where a group above it is not there.
  [[nodiscard]] virtual bool exists(const std::string& path) const = 0;
  /// True if the data of this set were ever written: a writer may leave a set without any.
  [[nodiscard]] virtual bool is_written(const std::string& path) const = 0;
  [[nodiscard]] virtual std::vector<std::int64_t> integers(const std::string& path) const = 0;
  /// Whatever they are, NaN too.
  [[nodiscard]] virtual std::vector<double> reals(const std::string& path) const = 0;
  [[nodiscard]] virtual std::string text(const std::string& path) const = 0;
  /// Of a group; nothing where there is no such attribute of one integer.
  [[nodiscard]] virtual std::optional<std::int64_t> attribute(const std::string& path, std::string_view key) const = 0;

  [[noreturn]] void fail(const std::string& path, const std::string& found, const std::string& expected) const {
    throw FormatError(name_ + ", " + path + ": found " + found + ", expected " + expected);
  }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  std::string name_;
};

/// True if these bytes begin an HDF5 file of the form before HDF5 1.8, which is FCLIB's, and never ours.
[[nodiscard]] bool is_old_hdf5(std::string_view bytes) noexcept;

/// Whether the solution and the guesses are read too.
enum class FclibParts : unsigned char { All, ProblemAlone };

/// @throws FormatError naming the object's path in the file.
[[nodiscard]] FclibFile read_fclib_sets(const DataSets& sets, FclibParts parts);
/// From a copy of a file in memory, of either form.
[[nodiscard]] FclibFile read_fclib_image(std::string_view bytes, std::string_view name,
                                         FclibParts parts = FclibParts::All);
/// The problem, and its title in lines without control characters.
[[nodiscard]] ProblemFile problem_of(FclibFile file);

/// Into a new file at this very path, in the form with checksums, or in the older one, as FCLIB does.
/// @throws FileError, InvalidArgument.
void write_fclib_file(const FclibFile& file, const std::filesystem::path& path, bool checksums = true);

}  // namespace nonsmooth::problem_files
