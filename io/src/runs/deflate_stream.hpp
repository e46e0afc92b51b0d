// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <zlib.h>

namespace nonsmooth::runs {

/// A stream of zlib (RFC 1950) put together from blocks of deflate (RFC 1951), each of the kind that its bytes are
/// worth: zlib looks for repeats in all of them, which costs more than a simulation's step where there are none.
class DeflateStream {
 public:
  explicit DeflateStream(int level);  ///< of deflate(). @throws std::bad_alloc
  ~DeflateStream();
  DeflateStream(const DeflateStream&) = delete;
  DeflateStream& operator=(const DeflateStream&) = delete;

  void set_level(int level);  ///< 1 to 9
  void begin();
  void store(std::span<const unsigned char> bytes);    ///< as they are
  void runs(std::span<const unsigned char> bytes);     ///< each run of equal bytes as one byte and its length
  void repeat(unsigned char byte, std::size_t count);  ///< one such run
  void deflate(std::span<const unsigned char> bytes);  ///< by zlib
  std::span<const char> end();                         ///< valid until begin()

 private:
  void reserve(std::size_t bytes);
  void put(std::uint32_t bits, unsigned count);
  void put_symbol(std::size_t symbol);  ///< by its fixed code
  void put_repeats(std::size_t count);
  void put_run(unsigned char byte, std::size_t count);
  void align();

  z_stream zlib_{};
  int level_;
  std::vector<unsigned char> bytes_;
  std::size_t used_ = 0;
  std::uint64_t bits_ = 0;  ///< that are no whole byte yet, the lowest first
  unsigned num_bits_ = 0;
  std::uint32_t checksum_ = 1;
};

/// Adler-32 of `before` and the bytes behind it, as zlib's adler32(), some times faster.
[[nodiscard]] std::uint32_t adler_32(std::uint32_t before, std::span<const unsigned char> bytes) noexcept;

}  // namespace nonsmooth::runs
