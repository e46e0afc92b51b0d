// SPDX-License-Identifier: Apache-2.0
#include "writer_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include <nonsmooth/io/csv.hpp>

namespace nonsmooth::runs {
namespace {

[[maybe_unused]] struct flock far_byte(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = off_t{1} << 61;
  lock.l_len = 1;
  return lock;
}

}  // namespace

WriterLock::WriterLock(const std::filesystem::path& path) : descriptor_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
  if (descriptor_ < 0) throw FileError(path.string() + ": cannot be opened for writing: " + std::strerror(errno));
#ifdef F_OFD_SETLK
  struct flock lock = far_byte(F_WRLCK);
  ::fcntl(descriptor_, F_OFD_SETLK, &lock);  // a file system without locks: its runs count as written
#endif
}

WriterLock::WriterLock(WriterLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

WriterLock& WriterLock::operator=(WriterLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

WriterLock::~WriterLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool is_written(const std::filesystem::path& path) {
#ifdef F_OFD_GETLK
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return true;
  struct flock lock = far_byte(F_WRLCK);
  const bool known = ::fcntl(descriptor, F_OFD_GETLK, &lock) == 0;
  ::close(descriptor);
  return !known || lock.l_type != F_UNLCK;
#else
  (void)path;
  return true;
#endif
}

bool is_held(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool held = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return held;
}

bool is_marked_and_written(const std::filesystem::path& path) {
  constexpr std::streamoff kFlags = 11;  // of the superblock
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(kFlags);
  const int flags = stream.get();
  return flags != std::ifstream::traits_type::eof() && flags != 0 && is_written(path);
}

}  // namespace nonsmooth::runs
