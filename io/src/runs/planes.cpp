// SPDX-License-Identifier: Apache-2.0
#include "planes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace nonsmooth::runs {
namespace {

/// How planes are put into the stream.
enum class PlaneKind : unsigned char {
  Constant,  ///< one byte and its number
  Runs,      ///< lengths of runs
  Stored,    ///< as they are
  Deflated,  ///< by zlib
};

/// Whether a sixth of the bytes or more differ from the one before, by a sample: below it, codes of runs take less than
/// half of them.
bool changes_often(const unsigned char* bytes, std::size_t size) {
  constexpr std::size_t kPieces = 16, kPiece = 32;
  std::size_t changes = 0, seen = 0;
  const std::size_t stride = std::max(size / kPieces, kPiece);
  for (std::size_t begin = 0; begin + kPiece <= size; begin += stride, seen += kPiece) {
    for (std::size_t i = begin + 1; i < begin + kPiece; ++i) changes += bytes[i] != bytes[i - 1] ? 1 : 0;
  }
  return 6 * changes >= seen;
}

/// The probability that two bytes of a sample agree: 1 / how many values there are in effect, 1/256 of noise.
double agreement(const unsigned char* bytes, std::size_t size) {
  constexpr std::size_t kSample = 256;
  std::array<unsigned, 256> count{};
  const std::size_t taken = std::min(size, kSample), stride = size / taken;
  for (std::size_t i = 0; i < taken; ++i) ++count[bytes[i * stride]];
  double pairs = 0.0;
  for (const unsigned c : count) pairs += static_cast<double>(c) * (static_cast<double>(c) - 1.0);
  return pairs / (static_cast<double>(taken) * (static_cast<double>(taken) - 1.0));
}

/// Bytes that are drawn at random from few values shrink: where two agree in 1 of 64 cases or more, codes take off a
/// quarter, from 1 of 4 on most, in more time than a simulation leaves where there are many.
PlaneKind kind_of(const unsigned char* bytes, std::size_t size, int level, bool many) {
  constexpr double kAgree = 1.0 / 64.0, kAgreeOften = 1.0 / 4.0;
  constexpr std::size_t kFew = 64;
  if (level == 0) return PlaneKind::Stored;
  if (size < kFew) return PlaneKind::Deflated;
  if (level == 1 && many) return changes_often(bytes, size) ? PlaneKind::Stored : PlaneKind::Runs;
  return agreement(bytes, size) < (level == 1 ? kAgreeOften : kAgree) ? PlaneKind::Stored : PlaneKind::Deflated;
}

using Bytes16 [[gnu::vector_size(16)]] = unsigned char;

/// 128 bytes, the place of each a number of 7 bits: these are turned left by one, as the first four vectors are
/// interleaved with the last four. Of 16 numbers of 8 bytes, with places (number, byte), four turns make planes with
/// places (byte, number), and three more make numbers again.
[[gnu::always_inline]] inline Bytes16 lower(Bytes16 a, Bytes16 b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
[[gnu::always_inline]] inline Bytes16 upper(Bytes16 a, Bytes16 b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
[[gnu::always_inline]] inline void turn(std::array<Bytes16, 8>& x) {  // no loop: it stays in registers
  x = {lower(x[0], x[4]), upper(x[0], x[4]), lower(x[1], x[5]), upper(x[1], x[5]),
       lower(x[2], x[6]), upper(x[2], x[6]), lower(x[3], x[7]), upper(x[3], x[7])};
}

/// Bits that are not the same in all numbers.
std::uint64_t bits_that_vary(const unsigned char* numbers, std::size_t count) {
  using Pair [[gnu::vector_size(16)]] = std::uint64_t;
  if (count == 0) return 0;
  std::uint64_t first = 0;
  std::memcpy(&first, numbers, sizeof first);
  const Pair same = {first, first};
  Pair a{}, b{}, c{}, d{};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    std::array<Pair, 4> x;
    std::memcpy(x.data(), numbers + 8 * i, sizeof x);
    a |= x[0] ^ same;
    b |= x[1] ^ same;
    c |= x[2] ^ same;
    d |= x[3] ^ same;
  }
  a |= b | c | d;
  std::uint64_t varying = a[0] | a[1];
  for (; i < count; ++i) {
    std::uint64_t one = 0;
    std::memcpy(&one, numbers + 8 * i, sizeof one);
    varying |= one ^ first;
  }
  return varying;
}

/// Plane b of the result has byte b of every number, where bits of it vary; the others are left as they are.
void shuffle(const unsigned char* numbers, std::size_t count, std::uint64_t varying, unsigned char* planes) {
  constexpr int kFew = 2;  // by themselves
  int varied = 0;
  for (std::size_t b = 0; b < 8; ++b) varied += (varying >> (8 * b) & 0xffu) != 0 ? 1 : 0;
  std::size_t i = 0;
  for (; varied > kFew && i + 16 <= count; i += 16) {
    std::array<Bytes16, 8> x;
    std::memcpy(x.data(), numbers + 8 * i, sizeof x);
    turn(x);
    turn(x);
    turn(x);
    turn(x);
    unsigned char* const to = planes + i;
    std::memcpy(to, &x[0], 16);
    std::memcpy(to + count, &x[1], 16);
    std::memcpy(to + 2 * count, &x[2], 16);
    std::memcpy(to + 3 * count, &x[3], 16);
    std::memcpy(to + 4 * count, &x[4], 16);
    std::memcpy(to + 5 * count, &x[5], 16);
    std::memcpy(to + 6 * count, &x[6], 16);
    std::memcpy(to + 7 * count, &x[7], 16);
  }
  for (std::size_t b = 0; b < 8; ++b) {
    if ((varying >> (8 * b) & 0xffu) == 0) continue;
    for (std::size_t k = i; k < count; ++k) planes[b * count + k] = numbers[8 * k + b];
  }
}

void unshuffle(const unsigned char* planes, std::size_t count, char* numbers) {
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    std::array<Bytes16, 8> x;
    for (std::size_t b = 0; b < 8; ++b) std::memcpy(&x[b], planes + b * count + i, 16);
    turn(x);
    turn(x);
    turn(x);
    std::memcpy(numbers + 8 * i, x.data(), sizeof x);
  }
  for (; i < count; ++i) {
    for (std::size_t b = 0; b < 8; ++b) numbers[8 * i + b] = static_cast<char>(planes[b * count + i]);
  }
}

}  // namespace

ChunkEncoder::ChunkEncoder(int level) : level_(level), stream_(std::max(level, 1)) {}

void ChunkEncoder::set_level(int level) {
  level_ = level;
  stream_.set_level(std::max(level, 1));
}

std::span<const char> ChunkEncoder::encode(std::span<const char> chunk, std::size_t width, bool many) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(chunk.data());
  stream_.begin();
  if (width == 8) {
    put_planes(bytes, chunk.size() / 8, many);
  } else if (level_ == 0) {
    stream_.store({bytes, chunk.size()});
  } else {
    stream_.deflate({bytes, chunk.size()});
  }
  return stream_.end();
}

void ChunkEncoder::put_planes(const unsigned char* numbers, std::size_t size, bool many) {
  std::uint64_t first = 0;
  if (size > 0) std::memcpy(&first, numbers, sizeof first);
  const std::uint64_t varying = level_ == 0 ? ~std::uint64_t{0} : bits_that_vary(numbers, size);
  planes_.resize(std::max(planes_.size(), 8 * size));
  shuffle(numbers, size, varying, planes_.data());
  const auto value = [&](std::size_t b) { return static_cast<unsigned char>(first >> (8 * b) & 0xffu); };
  const auto kind = [&](std::size_t b) {
    if ((varying >> (8 * b) & 0xffu) == 0) return PlaneKind::Constant;
    return kind_of(planes_.data() + b * size, size, level_, many);
  };
  PlaneKind own = kind(0);
  for (std::size_t begin = 0, end = 0; begin < 8; begin = end) {  // planes of one kind together
    const PlaneKind now = own;
    for (end = begin + 1; end < 8; ++end) {
      own = kind(end);
      if (own != now || (now == PlaneKind::Constant && value(end) != value(begin))) break;
    }
    const std::span<const unsigned char> planes(planes_.data() + begin * size, (end - begin) * size);
    switch (now) {
      case PlaneKind::Constant:
        stream_.repeat(value(begin), planes.size());
        break;
      case PlaneKind::Runs:
        stream_.runs(planes);
        break;
      case PlaneKind::Stored:
        stream_.store(planes);
        break;
      case PlaneKind::Deflated:
        stream_.deflate(planes);
        break;
    }
  }
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
