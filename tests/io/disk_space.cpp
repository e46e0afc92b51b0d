// SPDX-License-Identifier: Apache-2.0
// A full disk is met before it is written to, on file systems that take space ahead and on those that do not.
#include "../../io/src/runs/disk_space.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include <gtest/gtest.h>

#include <nonsmooth/io/csv.hpp>

#include "problem_files.hpp"

namespace nonsmooth::disk_space_test {
namespace {

using problem_files_test::complaint;
using problem_files_test::contains;
using problem_files_test::Files;
using runs::DiskCalls;
using runs::DiskSpace;

/// A file of 1000 bytes, open for writing.
class DiskSpaces : public Files {
 protected:
  void SetUp() override {
    Files::SetUp();
    descriptor_ = ::open(file("run.h5").c_str(), O_RDWR | O_CREAT, 0600);
    ASSERT_GE(descriptor_, 0);
    ASSERT_EQ(::ftruncate(descriptor_, kSize), 0);
  }
  void TearDown() override {
    ::close(descriptor_);
    Files::TearDown();
  }
  [[nodiscard]] DiskSpace space(const DiskCalls& calls) const { return {descriptor_, file("run.h5"), calls}; }
  [[nodiscard]] static std::string refusal(DiskSpace& space, std::uint64_t end) {
    return complaint<FileError>([&] { space.reserve(end); });
  }

  static constexpr off_t kSize = 1000;
  int descriptor_ = -1;
};

int takes_nothing(int, std::uint64_t, std::uint64_t) { return ENOTSUP; }

TEST_F(DiskSpaces, WithoutSpaceAheadAreWhatIsFree) {
  const DiskCalls calls{takes_nothing, [](int) { return std::optional<std::uint64_t>(5000); }};
  DiskSpace own = space(calls);
  EXPECT_NO_THROW(own.reserve(500));
  EXPECT_NO_THROW(own.reserve(6000));  // 1000 are there, 5000 are free
  const std::string full = refusal(own, 6001);
  EXPECT_TRUE(contains(full, "run.h5: no room on the disk: No space left on device")) << full;
  // What another program takes in between counts at the next call: nothing was taken.
  ASSERT_EQ(::ftruncate(descriptor_, 6000), 0);
  EXPECT_NO_THROW(own.reserve(11'000));
  EXPECT_TRUE(contains(refusal(own, 11'001), "no room"));
}

TEST_F(DiskSpaces, ThatNobodyKnowsShowWhenTheyAreWritten) {
  DiskSpace own = space({takes_nothing, [](int) { return std::optional<std::uint64_t>(); }});
  EXPECT_NO_THROW(own.reserve(std::uint64_t{1} << 60));
}

TEST_F(DiskSpaces, OfThisSystemAreKnown) {
  DiskSpace own = space({takes_nothing, runs::system_disk_calls().free});
  struct statvfs disk {};
  ASSERT_EQ(::fstatvfs(descriptor_, &disk), 0);
  if (disk.f_bavail > 0) {
    EXPECT_NO_THROW(own.reserve(kSize + 1));
  }
  EXPECT_TRUE(contains(refusal(own, std::uint64_t{1} << 62), "no room on the disk"));  // 4 EB
}

TEST_F(DiskSpaces, AreTakenAheadWhereTheyCanBe) {
  struct Taken {
    static int most(int, std::uint64_t, std::uint64_t end) { return end > (16U << 20) ? ENOSPC : 0; }
  };
  DiskSpace own = space({Taken::most, [](int) { return std::optional<std::uint64_t>(0); }});
  EXPECT_NO_THROW(own.reserve(10U << 20));  // not with what would be taken ahead
  EXPECT_NO_THROW(own.reserve(16U << 20));
  EXPECT_TRUE(contains(refusal(own, (16U << 20) + 1), "No space left on device"));
}

}  // namespace
}  // namespace nonsmooth::disk_space_test
