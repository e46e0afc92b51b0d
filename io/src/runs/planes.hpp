// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "deflate_stream.hpp"

/// Chunks of numbers of 8 bytes, or of bytes, as HDF5's filters shuffle and deflate have them: byte 0 of all numbers
/// first, then byte 1, ..., as one stream of zlib. Planes whose bytes look random, as those of mantissas do, are stored
/// in it as they are: they would not shrink, and cost ten times as much as all others.
namespace nonsmooth::runs {

/// Encodes chunks, with memory that it keeps.
class ChunkEncoder {
 public:
  /// level: 0 to 9 of zlib; 0 stores every plane. @throws std::bad_alloc
  explicit ChunkEncoder(int level);

  void set_level(int level);  ///< of later chunks
  /// width: bytes of a number, 1 or 8. many: at level 1 zlib is not asked, and planes shrink by their runs alone. Valid
  /// until the next call. @throws std::bad_alloc
  std::span<const char> encode(std::span<const char> chunk, std::size_t width, bool many = false);

 private:
  void put_planes(const unsigned char* numbers, std::size_t size, bool many);

  int level_;
  DeflateStream stream_;
  std::vector<unsigned char> planes_;
};

/// The largest number of bytes that so many of a stream of zlib may stand for.
[[nodiscard]] constexpr std::size_t largest_decoded(std::size_t encoded) noexcept { return 1032 * encoded + 64; }

/// The chunk again; false where the stream is damaged, or not one of chunk.size() bytes. `planes`: scratch.
[[nodiscard]] bool decode_chunk(std::span<const char> encoded, std::size_t width, std::vector<unsigned char>& planes,
                                std::span<char> chunk);

}  // namespace nonsmooth::runs
