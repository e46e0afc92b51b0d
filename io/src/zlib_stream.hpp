// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <cstddef>
#include <new>
#include <span>
#include <string>

namespace nonsmooth {

/// Puts `bytes` into one stream of zlib at a level 0 to 9, or Z_DEFAULT_COMPRESSION, at the beginning of `packed`,
/// which keeps its room. @return how many bytes the stream has. @throws std::bad_alloc, the one way in which zlib fails
/// here
inline std::size_t deflate_into(std::string& packed, std::span<const char> bytes, int level) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  if (packed.size() < size) packed.resize(size);
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                static_cast<uLong>(bytes.size()), level) != Z_OK) {
    throw std::bad_alloc();
  }
  return size;
}

/// The stream alone. @throws likewise
[[nodiscard]] inline std::string deflated(std::span<const char> bytes, int level) {
  std::string packed;
  packed.resize(deflate_into(packed, bytes, level));
  return packed;
}

}  // namespace nonsmooth
