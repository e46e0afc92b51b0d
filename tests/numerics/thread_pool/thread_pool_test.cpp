// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hot_path/allocation_guard.hpp>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/thread_pool.hpp>

namespace nonsmooth::thread_pool_test {
namespace {

TEST(ThreadPool, VisitsEveryIndexOnceInTheStatedChunks) {
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (const Index n : {1, 2, 7, 64, 1000}) {
      for (const Index grain : {1, 3, 64, 5000}) {
        std::vector<int> visits(static_cast<std::size_t>(n), 0);
        std::vector<Index> first_of(static_cast<std::size_t>(n), -1);
        pool.for_each_range(n, grain, [&](Index first, Index last) {
          for (Index i = first; i < last; ++i) {
            ++visits[static_cast<std::size_t>(i)];
            first_of[static_cast<std::size_t>(i)] = first;
          }
        });
        for (Index i = 0; i < n; ++i) {
          ASSERT_EQ(visits[static_cast<std::size_t>(i)], 1);
          ASSERT_EQ(first_of[static_cast<std::size_t>(i)], i / grain * grain);
        }
      }
    }
  }
}

TEST(ThreadPool, SameBitsForAnyNumberOfThreads) {
  // Partial sums chunk by chunk, then summed in order: their bits depend on the chunks only.
  const auto sum = [](int threads) {
    ThreadPool pool(threads);
    constexpr Index n = 10007, grain = 100;
    std::vector<double> partial((n + grain - 1) / grain, 0.0);
    pool.for_each_range(n, grain, [&](Index first, Index last) {
      double s = 0.0;
      for (Index i = first; i < last; ++i) s += std::sin(static_cast<double>(i));
      partial[static_cast<std::size_t>(first / grain)] = s;
    });
    double total = 0.0;
    for (const double s : partial) total += s;
    return total;
  };
  const double one = sum(1);
  EXPECT_EQ(one, sum(2));
  EXPECT_EQ(one, sum(4));
}

TEST(ThreadPool, AnEmptyRangeCallsNothing) {
  for (const int threads : {1, 2}) {
    ThreadPool pool(threads);
    pool.for_each_range(0, 16, [](Index, Index) { FAIL(); });
  }
}

TEST(ThreadPool, RethrowsTheExceptionOfTheLowestChunk) {
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::string message;
      try {
        pool.for_each_range(100, 10, [](Index first, Index) {
          if (first >= 30) throw std::runtime_error("chunk " + std::to_string(first));
        });
      } catch (const std::runtime_error& error) {
        message = error.what();
      }
      EXPECT_EQ(message, "chunk 30");
    }
    int visited = 0;  // the pool works on after an exception
    pool.for_each_range(1, 1, [&](Index, Index) { ++visited; });
    EXPECT_EQ(visited, 1);
  }
}

TEST(ThreadPool, NestedAndConcurrentCallsRunInTheirOwnThread) {
  ThreadPool pool(2);
  std::vector<double> values(64, 0.0);
  const auto fill = [&](std::size_t start) {
    pool.for_each_range(4, 1, [&, start](Index i, Index) {
      pool.for_each_range(8, 2, [&](Index first, Index last) {
        for (Index j = first; j < last; ++j) values[start + static_cast<std::size_t>(8 * i + j)] += 1.0;
      });
    });
  };
  std::thread other([&] { fill(32); });
  fill(0);
  other.join();
  for (const double value : values) EXPECT_EQ(value, 1.0);
}

TEST(ThreadPool, ManyShortCallsAndSleepsInBetween) {
  ThreadPool pool(3);
  std::vector<long long> sums(3, 0);
  for (int call = 0; call < 2000; ++call) {
    pool.for_each_range(3, 1, [&](Index i, Index) { sums[static_cast<std::size_t>(i)] += i + 1; });
    if (call % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(sums[0], 2000);
  EXPECT_EQ(sums[2], 6000);
}

TEST(AllocationGuard, TheAllocationGuardCounts) {
  if (!test::counts_allocations) GTEST_SKIP() << "allocations are not counted under sanitizers";
  const test::AllocationCount count;
  std::vector<int> numbers(100);
  Eigen::VectorXd vector = Eigen::VectorXd::Zero(static_cast<Index>(numbers.size()));
  void* memory = nullptr;
  const bool aligned = posix_memalign(&memory, 64, 128) == 0;
  const long long counted = count.now();
  std::free(memory);
  EXPECT_TRUE(aligned);
  EXPECT_EQ(counted, 3);
  EXPECT_EQ(vector.sum(), 0.0);
}

TEST(ThreadPool, ACallAllocatesNothing) {
  ThreadPool pool(2);
  std::vector<double> values(1000, 0.0);
  const auto body = [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) values[static_cast<std::size_t>(i)] += 1.0;
  };
  pool.for_each_range(1000, 10, body);
  const test::AllocationCount count;
  for (int call = 0; call < 10; ++call) pool.for_each_range(1000, 10, body);
  EXPECT_EQ(count.now(), 0);
}

TEST(ThreadPool, Moves) {
  ThreadPool first(2), second = std::move(first);
  EXPECT_EQ(first.size(), 1);
  EXPECT_EQ(second.size(), 2);
  first = ThreadPool(3);
  EXPECT_EQ(first.size(), 3);
}

TEST(ThreadPool, RefusesNonsense) {
  EXPECT_THROW(ThreadPool(0), InvalidArgument);
  ThreadPool pool;
  EXPECT_THROW(pool.for_each_range(-1, 1, [](Index, Index) {}), InvalidArgument);
  EXPECT_THROW(pool.for_each_range(1, 0, [](Index, Index) {}), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::thread_pool_test
