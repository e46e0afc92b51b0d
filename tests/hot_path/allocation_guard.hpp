// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts every call of malloc and its kin in the whole program, the libraries it is linked to included; a count of
// operator new would miss Eigen's memory. The C library's names are replaced by definitions, so exactly one source file
// of an executable may include this header:
//
//     #include <hot_path/allocation_guard.hpp>
//
//     workspace.solve(problem);                    // the first call may allocate
//     const nonsmooth::test::AllocationCount count;
//     workspace.solve(problem);
//     EXPECT_EQ(count.now(), 0);
//
// What OpenBLAS takes within a product of matrices is not counted: its kernels for small ones take and give back a
// buffer in each call on processors with AVX-512, which no caller can keep.
//
// Thread-safe: all threads count into one place. Needs glibc. Under the address, thread or leak sanitizers, which
// replace malloc themselves, nothing is counted: now() is 0 and counts_allocations is false.

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#include <dlfcn.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NONSMOOTH_COUNT_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define NONSMOOTH_COUNT_ALLOCATIONS 0
#endif
#endif
#if !defined(NONSMOOTH_COUNT_ALLOCATIONS) && defined(__GLIBC__)
#define NONSMOOTH_COUNT_ALLOCATIONS 1
#elif !defined(NONSMOOTH_COUNT_ALLOCATIONS)
#define NONSMOOTH_COUNT_ALLOCATIONS 0
#endif

namespace nonsmooth::test {

inline constexpr bool counts_allocations = NONSMOOTH_COUNT_ALLOCATIONS != 0;

/// Constant-initialised, so that it may count before main and in the construction of other statics.
inline constinit std::atomic<long long> num_allocations{0};
inline constinit std::atomic<std::size_t> largest_allocation{0};  ///< [bytes]

inline constinit thread_local long long num_thread_allocations = 0;
inline constinit thread_local bool within_openblas = false;

inline void note_allocation(std::size_t size) noexcept {
  if (within_openblas) return;
  ++num_thread_allocations;
  num_allocations.fetch_add(1, std::memory_order_relaxed);
  std::size_t largest = largest_allocation.load(std::memory_order_relaxed);
  while (largest < size && !largest_allocation.compare_exchange_weak(largest, size, std::memory_order_relaxed)) {
  }
}

/// The allocations since its construction, by all threads.
class AllocationCount {
 public:
  [[nodiscard]] long long now() const noexcept { return num_allocations.load(std::memory_order_relaxed) - start_; }

 private:
  long long start_ = num_allocations.load(std::memory_order_relaxed);
};

/// The same of this thread alone.
class ThreadAllocationCount {
 public:
  [[nodiscard]] long long now() const noexcept { return num_thread_allocations - start_; }

 private:
  long long start_ = num_thread_allocations;
};

}  // namespace nonsmooth::test

#if NONSMOOTH_COUNT_ALLOCATIONS

extern "C" {

void* __libc_malloc(std::size_t size) noexcept;
void* __libc_calloc(std::size_t count, std::size_t size) noexcept;
void* __libc_realloc(void* memory, std::size_t size) noexcept;
void* __libc_memalign(std::size_t alignment, std::size_t size) noexcept;
void __libc_free(void* memory) noexcept;

void* malloc(std::size_t size) noexcept {
  nonsmooth::test::note_allocation(size);
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  nonsmooth::test::note_allocation(count * size);
  return __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
  nonsmooth::test::note_allocation(size);
  return __libc_realloc(memory, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  nonsmooth::test::note_allocation(size);
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  nonsmooth::test::note_allocation(size);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  nonsmooth::test::note_allocation(size);
  void* const fresh = __libc_memalign(alignment, size);
  if (fresh == nullptr) return ENOMEM;
  *memory = fresh;
  return 0;
}

void free(void* memory) noexcept { __libc_free(memory); }

/// CBLAS's, with enumerations as the integers that they are.
void cblas_dgemm(int order, int transposed_a, int transposed_b, int m, int n, int k, double alpha, const double* a,
                 int lda, const double* b, int ldb, double beta, double* c, int ldc) {
  using Product = decltype(&cblas_dgemm);
  nonsmooth::test::within_openblas = true;
  static const auto product = reinterpret_cast<Product>(dlsym(RTLD_NEXT, "cblas_dgemm"));
  product(order, transposed_a, transposed_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  nonsmooth::test::within_openblas = false;
}

}  // extern "C"

#endif  // NONSMOOTH_COUNT_ALLOCATIONS
