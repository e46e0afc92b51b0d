// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace nonsmooth::runs {

/// Takes space on a disk before a file is written there, so that what is written fits: HDF5 cannot go back from a write
/// that failed.
class DiskSpace {
 public:
  DiskSpace() = default;
  /// descriptor: of the file, open for writing; it has to outlive this.
  DiskSpace(int descriptor, std::filesystem::path path) : descriptor_(descriptor), path_(std::move(path)) {}

  /// Room up to the byte `end` of the file. @throws FileError
  void reserve(std::uint64_t end);
  /// Gives back what lies behind the end of the file.
  void give_back() const noexcept;

 private:
  int descriptor_ = -1;
  std::filesystem::path path_;
  std::uint64_t reserved_ = 0;
};

}  // namespace nonsmooth::runs
