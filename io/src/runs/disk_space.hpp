// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

namespace nonsmooth::runs {

/// What is asked of the file system that a file is on.
struct DiskCalls {
  /// Takes the bytes from `begin` to `end` behind the end of a file. 0, or why not, an errno; ENOTSUP where the system
  /// cannot take space ahead.
  int (*take)(int descriptor, std::uint64_t begin, std::uint64_t end);
  /// Bytes that are free for this user; nothing where the system does not say.
  std::optional<std::uint64_t> (*free)(int descriptor);
};
/// fallocate() and fstatvfs().
[[nodiscard]] DiskCalls system_disk_calls() noexcept;

/// Takes space on a disk before a file is written there, so that what is written fits: HDF5 cannot go back from a write
/// that failed. Where the system cannot take it, what is free has to be as much.
class DiskSpace {
 public:
  DiskSpace() = default;
  /// descriptor: of the file, open for writing; it has to outlive this.
  DiskSpace(int descriptor, std::filesystem::path path, DiskCalls calls = system_disk_calls())
      : descriptor_(descriptor), path_(std::move(path)), calls_(calls) {}

  /// Room up to the byte `end` of the file. @throws FileError
  void reserve(std::uint64_t end);
  /// Gives back what lies behind the end of the file.
  void give_back() const noexcept;

 private:
  int descriptor_ = -1;
  std::filesystem::path path_;
  DiskCalls calls_ = system_disk_calls();
  std::uint64_t reserved_ = 0;
};

}  // namespace nonsmooth::runs
