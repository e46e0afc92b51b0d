// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace nonsmooth {

/// Copies numbers that this thread does not read again, and another one later: past the caches, so that they keep what
/// the next step reads. Whoever reads them has to be told by a release behind streamed_copy_end().
inline void streamed_copy(double* to, const double* from, std::size_t count) noexcept {
#ifdef __SSE2__
  const auto stream_one = [&] {
    long long word = 0;
    std::memcpy(&word, from++, sizeof word);
    _mm_stream_si64(reinterpret_cast<long long*>(to++), word);
    --count;
  };
  if (count > 0 && reinterpret_cast<std::uintptr_t>(to) % 16 != 0) stream_one();
  for (; count >= 8; count -= 8, to += 8, from += 8) {
    const __m128d a = _mm_loadu_pd(from), b = _mm_loadu_pd(from + 2);
    const __m128d c = _mm_loadu_pd(from + 4), d = _mm_loadu_pd(from + 6);
    _mm_stream_pd(to, a);
    _mm_stream_pd(to + 2, b);
    _mm_stream_pd(to + 4, c);
    _mm_stream_pd(to + 6, d);
  }
  while (count > 0) stream_one();
#else
  if (count > 0) std::memcpy(to, from, count * sizeof(double));
#endif
}

inline void streamed_copy_end() noexcept {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace nonsmooth
