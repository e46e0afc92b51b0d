// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <zlib.h>

/// Chunks of numbers of 8 bytes, or of bytes, as HDF5's filters shuffle and deflate have them: byte 0 of all numbers
/// first, then byte 1, ..., as one stream of zlib. Planes whose bytes look random, as those of mantissas do, are stored
/// in it as they are: they would not shrink, and cost ten times as much as all others.
namespace nonsmooth::runs {

/// Encodes chunks, with memory that it keeps.
class ChunkEncoder {
 public:
  /// level: 0 to 9 of zlib; 0 stores every plane.
  explicit ChunkEncoder(int level);
  ~ChunkEncoder();
  ChunkEncoder(const ChunkEncoder&) = delete;
  ChunkEncoder& operator=(const ChunkEncoder&) = delete;

  void set_level(int level) noexcept { level_ = level; }  ///< of later chunks
  /// width: bytes of a number, 1 or 8. Valid until the next call. @throws std::bad_alloc
  std::span<const char> encode(std::span<const char> chunk, std::size_t width);

 private:
  /// A chunk of one number, encoded.
  struct Constant {
    std::uint64_t value = 0;
    std::size_t size = 0;
    int level = 0;
    std::vector<char> encoded;
  };

  std::span<const char> encode_any(std::span<const char> chunk, std::size_t width);
  void put(const unsigned char* bytes, std::size_t size, int level, bool last);

  int level_;
  z_stream stream_{};
  std::vector<unsigned char> planes_;
  std::vector<char> encoded_;
  std::vector<Constant> constants_;
  std::size_t used_ = 0;
};

/// The largest number of bytes that so many of a stream of zlib may stand for.
[[nodiscard]] constexpr std::size_t largest_decoded(std::size_t encoded) noexcept { return 1032 * encoded + 64; }

/// The chunk again; false where the stream is damaged, or not one of chunk.size() bytes. `planes`: scratch.
[[nodiscard]] bool decode_chunk(std::span<const char> encoded, std::size_t width, std::vector<unsigned char>& planes,
                                std::span<char> chunk);

}  // namespace nonsmooth::runs
