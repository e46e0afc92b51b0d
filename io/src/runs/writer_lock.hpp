// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

/// Who writes a run file holds a lock on a byte far behind its end as long as it lives, whatever ends it. HDF5's own
/// locks are on the whole file and given up when a single writer begins.
namespace nonsmooth::runs {

/// Of one open file. Closes it when it dies.
class WriterLock {
 public:
  WriterLock() = default;
  /// Opens the file, and takes the lock where the system has such. @throws FileError
  explicit WriterLock(const std::filesystem::path& path);
  WriterLock(WriterLock&& other) noexcept;
  WriterLock& operator=(WriterLock&& other) noexcept;
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;
  ~WriterLock();

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_ = -1;
};

/// True where somebody writes the file, or the system cannot tell.
[[nodiscard]] bool is_written(const std::filesystem::path& path);

/// True where its superblock says so too: not of a file that was closed, whatever the system can tell.
[[nodiscard]] bool is_marked_and_written(const std::filesystem::path& path);

/// True where another has the file to itself (HDF5's own lock), at this instant.
[[nodiscard]] bool is_held(const std::filesystem::path& path);

}  // namespace nonsmooth::runs
