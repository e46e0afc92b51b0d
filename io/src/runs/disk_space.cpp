// SPDX-License-Identifier: Apache-2.0
#include "disk_space.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <nonsmooth/io/csv.hpp>

namespace nonsmooth::runs {
namespace {

int take([[maybe_unused]] int descriptor, [[maybe_unused]] std::uint64_t begin, [[maybe_unused]] std::uint64_t end) {
#ifdef FALLOC_FL_KEEP_SIZE
  if (::fallocate(descriptor, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin), static_cast<off_t>(end - begin)) == 0)
    return 0;
  return errno == ENOSYS || errno == EINVAL || errno == EOPNOTSUPP ? ENOTSUP : errno;
#else
  return ENOTSUP;
#endif
}

std::optional<std::uint64_t> free_bytes(int descriptor) {
  struct statvfs disk {};
  if (::fstatvfs(descriptor, &disk) != 0) return std::nullopt;
  return std::uint64_t{disk.f_bavail} * disk.f_frsize;
}

}  // namespace

DiskCalls system_disk_calls() noexcept { return {take, free_bytes}; }

void DiskSpace::reserve(std::uint64_t end) {
  constexpr std::uint64_t ahead = 8U << 20;
  const auto fail = [this](int why) {
    throw FileError(path_.string() + ": no room on the disk: " + std::strerror(why));
  };
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && end > limit.rlim_cur) fail(EFBIG);
  if (end <= reserved_) return;
  int why = calls_.take(descriptor_, reserved_, end + ahead);
  if (why == 0) {
    reserved_ = end + ahead;
    return;
  }
  if (why != ENOTSUP) why = calls_.take(descriptor_, reserved_, end);
  if (why == 0) {
    reserved_ = end;
    return;
  }
  if (why != ENOTSUP) fail(why);
  struct stat file {};
  const std::optional<std::uint64_t> free = calls_.free(descriptor_);
  if (!free || ::fstat(descriptor_, &file) != 0) return;  // it shows when it is written
  const auto size = static_cast<std::uint64_t>(file.st_size);
  if (end > size && *free < end - size) fail(ENOSPC);
}

void DiskSpace::give_back() const noexcept {
  struct stat file {};
  if (descriptor_ >= 0 && ::fstat(descriptor_, &file) == 0) (void)!::ftruncate(descriptor_, file.st_size);
}

}  // namespace nonsmooth::runs
