// SPDX-License-Identifier: Apache-2.0
#include "planes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <new>

namespace nonsmooth::runs {
namespace {

constexpr std::size_t kMostConstants = 16;

/// How a plane is put into the stream.
enum class PlaneKind : unsigned char {
  Random,   ///< as it is
  Uneven,   ///< it would shrink by a part, in more time than a simulation leaves: as it is at level 1
  Repeats,  ///< shrunk
};

/// Bytes that are drawn at random from few values shrink; how many there are in effect is 1 / the probability that two
/// of a sample agree, 1/256 of noise. From 1/64 on codes take off a quarter or more, from 1/4 on most.
PlaneKind kind_of(const unsigned char* bytes, std::size_t size) {
  constexpr std::size_t kSample = 1024;
  constexpr double kAgree = 1.0 / 64.0, kRuns = 1.0 / 4.0;
  if (size < 64) return PlaneKind::Repeats;
  std::array<unsigned, 256> count{};
  const std::size_t taken = std::min(size, kSample), stride = size / taken;
  for (std::size_t i = 0; i < taken; ++i) ++count[bytes[i * stride]];
  double pairs = 0.0;
  for (const unsigned c : count) pairs += static_cast<double>(c) * (static_cast<double>(c) - 1.0);
  const double agree = pairs / (static_cast<double>(taken) * (static_cast<double>(taken) - 1.0));
  return agree < kAgree ? PlaneKind::Random : agree < kRuns ? PlaneKind::Uneven : PlaneKind::Repeats;
}

/// The 8 x 8 bytes of eight numbers turned over: Warren, Hacker's Delight, 2nd edition, section 7-3, on bytes.
void transpose(std::array<std::uint64_t, 8>& x) {
  const auto exchange = [&x](std::size_t distance, unsigned shift, std::uint64_t mask) {
    for (std::size_t i = 0; i < 8; ++i) {
      if ((i & distance) != 0) continue;
      const std::uint64_t t = ((x[i] >> shift) ^ x[i + distance]) & mask;
      x[i + distance] ^= t;
      x[i] ^= t << shift;
    }
  };
  exchange(1, 8, 0x00ff00ff00ff00ffULL);
  exchange(2, 16, 0x0000ffff0000ffffULL);
  exchange(4, 32, 0x00000000ffffffffULL);
}

/// Plane b of the result has byte b of every number.
void shuffle(const char* numbers, std::size_t count, unsigned char* planes) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    std::array<std::uint64_t, 8> x;
    std::memcpy(x.data(), numbers + 8 * i, sizeof x);
    transpose(x);
    for (std::size_t b = 0; b < 8; ++b) std::memcpy(planes + b * count + i, &x[b], 8);
  }
  for (; i < count; ++i) {
    for (std::size_t b = 0; b < 8; ++b) planes[b * count + i] = static_cast<unsigned char>(numbers[8 * i + b]);
  }
}

void unshuffle(const unsigned char* planes, std::size_t count, char* numbers) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    std::array<std::uint64_t, 8> x;
    for (std::size_t b = 0; b < 8; ++b) std::memcpy(&x[b], planes + b * count + i, 8);
    transpose(x);
    std::memcpy(numbers + 8 * i, x.data(), sizeof x);
  }
  for (; i < count; ++i) {
    for (std::size_t b = 0; b < 8; ++b) numbers[8 * i + b] = static_cast<char>(planes[b * count + i]);
  }
}

}  // namespace

ChunkEncoder::ChunkEncoder(int level) : level_(level) {
  if (deflateInit(&stream_, level_) != Z_OK) throw std::bad_alloc();
}

ChunkEncoder::~ChunkEncoder() { deflateEnd(&stream_); }

/// Appends to the stream. The buffer is large enough for what no deflate makes smaller.
void ChunkEncoder::put(const unsigned char* bytes, std::size_t size, int level, bool last) {
  stream_.next_out = reinterpret_cast<unsigned char*>(encoded_.data()) + used_;
  stream_.avail_out = static_cast<uInt>(encoded_.size() - used_);
  stream_.next_in = nullptr;
  stream_.avail_in = 0;
  deflateParams(&stream_, level, Z_DEFAULT_STRATEGY);   // what came before is put out at its own level
  stream_.next_in = const_cast<unsigned char*>(bytes);  // NOLINT: the library's interface wants it writable
  stream_.avail_in = static_cast<uInt>(size);
  deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
  used_ = encoded_.size() - stream_.avail_out;
}

std::span<const char> ChunkEncoder::encode(std::span<const char> chunk, std::size_t width) {
  // Columns of one number, as z in the plane has, come again and again.
  if (width != 8 || chunk.size() < 16 || std::memcmp(chunk.data(), chunk.data() + 8, chunk.size() - 8) != 0)
    return encode_any(chunk, width);
  std::uint64_t value = 0;
  std::memcpy(&value, chunk.data(), sizeof value);
  const auto known = std::find_if(constants_.begin(), constants_.end(), [&](const Constant& one) {
    return one.value == value && one.size == chunk.size() && one.level == level_;
  });
  if (known != constants_.end()) return known->encoded;
  const std::span<const char> encoded = encode_any(chunk, width);
  if (constants_.size() >= kMostConstants) constants_.clear();
  constants_.push_back({value, chunk.size(), level_, {encoded.begin(), encoded.end()}});
  return encoded;
}

std::span<const char> ChunkEncoder::encode_any(std::span<const char> chunk, std::size_t width) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(chunk.data());
  const std::size_t size = chunk.size() / width;  // of a plane
  if (width == 8) {
    planes_.resize(chunk.size());
    shuffle(chunk.data(), size, planes_.data());
    bytes = planes_.data();
  }
  encoded_.resize(std::max(encoded_.size(), deflateBound(&stream_, chunk.size()) + 64 * width + 1024));
  used_ = 0;
  deflateReset(&stream_);
  const auto kind = [&](std::size_t plane) {
    return level_ == 0 ? PlaneKind::Random : kind_of(bytes + plane * size, size);
  };
  PlaneKind own = kind(0);
  for (std::size_t begin = 0, end = 0; begin < width; begin = end) {  // planes of one kind together
    const PlaneKind now = own;
    for (end = begin + 1; end < width && (own = kind(end)) == now;) ++end;
    const bool stored = now == PlaneKind::Random || (now == PlaneKind::Uneven && level_ == 1);
    put(bytes + begin * size, (end - begin) * size, stored ? 0 : level_, end == width);
  }
  return {encoded_.data(), used_};
}

bool decode_chunk(std::span<const char> encoded, std::size_t width, std::vector<unsigned char>& planes,
                  std::span<char> chunk) {
  unsigned char* out = reinterpret_cast<unsigned char*>(chunk.data());
  if (width == 8) {
    planes.resize(chunk.size());
    out = planes.data();
  }
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return false;
  stream.next_in =
      const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(encoded.data()));  // NOLINT: as above
  stream.avail_in = static_cast<uInt>(encoded.size());
  stream.next_out = out;
  stream.avail_out = static_cast<uInt>(chunk.size());
  const int status = inflate(&stream, Z_FINISH);
  const bool whole = status == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  if (whole && width == 8) unshuffle(planes.data(), chunk.size() / 8, chunk.data());
  return whole;
}

}  // namespace nonsmooth::runs
