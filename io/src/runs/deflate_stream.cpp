// SPDX-License-Identifier: Apache-2.0
#include "deflate_stream.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>

namespace nonsmooth::runs {
namespace {

constexpr std::uint32_t kModulus = 65521;  // of Adler-32
constexpr std::size_t kMostStored = 65535, kMostRepeats = 258, kLeastRepeats = 3, kEndOfBlock = 256;

/// The fixed codes of RFC 1951, section 3.2.6, first bit lowest, and their lengths: of bytes (0 to 255), the end of a
/// block (256) and lengths of repeats.
struct FixedCode {
  std::uint16_t bits = 0, count = 0;
};
constexpr std::array<FixedCode, 288> fixed_codes = [] {
  std::array<FixedCode, 288> codes{};
  for (std::uint32_t symbol = 0; symbol < codes.size(); ++symbol) {
    const std::uint32_t code = symbol < 144   ? 0x30 + symbol
                               : symbol < 256 ? 0x190 + (symbol - 144)
                               : symbol < 280 ? symbol - 256
                                              : 0xc0 + (symbol - 280);
    const std::uint16_t count = symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
    std::uint32_t turned = 0;
    for (std::uint32_t i = 0; i < count; ++i) turned |= (code >> i & 1u) << (count - 1 - i);
    codes[symbol] = {static_cast<std::uint16_t>(turned), count};
  }
  return codes;
}();

}  // namespace

/// a = 1 + sum_i x_i and b = n + sum_i (n - i) x_i, counted from 0, in 16 columns whose sums the compiler keeps in
/// vectors: b = 16 sum_j (sums of the sums before) + sum_j (16 - j) (sum of column j).
std::uint32_t adler_32(std::uint32_t before, std::span<const unsigned char> bytes) noexcept {
  constexpr std::size_t kColumns = 16, kRows = 4096;  // 255 kRows^2 / 2 < 2^32
  std::uint64_t a = before & 0xffffu, b = before >> 16;
  while (bytes.size() >= kColumns) {
    const std::size_t rows = std::min(bytes.size() / kColumns, kRows);
    std::array<std::uint32_t, kColumns> sum{}, sum_before{};
    const unsigned char* x = bytes.data();
    for (std::size_t i = 0; i < rows; ++i, x += kColumns) {
      for (std::size_t j = 0; j < kColumns; ++j) {
        sum_before[j] += sum[j];
        sum[j] += x[j];
      }
    }
    b += rows * kColumns * a;
    for (std::size_t j = 0; j < kColumns; ++j) {
      a += sum[j];
      b += kColumns * std::uint64_t{sum_before[j]} + (kColumns - j) * std::uint64_t{sum[j]};
    }
    a %= kModulus;
    b %= kModulus;
    bytes = bytes.subspan(rows * kColumns);
  }
  for (const unsigned char x : bytes) {
    a += x;
    b += a;
  }
  return static_cast<std::uint32_t>(b % kModulus << 16 | a % kModulus);
}

DeflateStream::DeflateStream(int level) : level_(level) {
  constexpr int kWindow = 15, kMemory = 8;  // the library's defaults; < 0: no head and no checksum, which are ours
  if (deflateInit2(&zlib_, level, Z_DEFLATED, -kWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
}

DeflateStream::~DeflateStream() { deflateEnd(&zlib_); }

void DeflateStream::set_level(int level) {
  if (level == level_) return;
  deflateReset(&zlib_);
  deflateParams(&zlib_, level, Z_DEFAULT_STRATEGY);
  level_ = level;
}

void DeflateStream::begin() {
  used_ = 0;
  bits_ = 0;
  num_bits_ = 0;
  checksum_ = 1;
  reserve(2);
  put(0x0178, 16);  // deflate with a window of 2^15 bytes; no dictionary
}

void DeflateStream::reserve(std::size_t bytes) {
  constexpr std::size_t kEnds = 64;  // heads, ends and checksum
  if (bytes_.size() < used_ + bytes + kEnds) bytes_.resize(std::max(used_ + bytes + kEnds, 2 * bytes_.size()));
}

void DeflateStream::put(std::uint32_t bits, unsigned count) {
  bits_ |= std::uint64_t{bits} << num_bits_;
  num_bits_ += count;
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(bytes_.data() + used_, &bits_, sizeof bits_);  // of which whole bytes are kept
  used_ += num_bits_ / 8;
  bits_ >>= num_bits_ / 8 * 8;
  num_bits_ %= 8;
}

void DeflateStream::put_symbol(std::size_t symbol) { put(fixed_codes[symbol].bits, fixed_codes[symbol].count); }

/// The byte before again, 3 to 258 times: lengths of section 3.2.5 at the distance 1, whose code is zero.
void DeflateStream::put_repeats(std::size_t count) {
  const auto beyond = static_cast<std::uint32_t>(count - kLeastRepeats);
  std::size_t symbol = 257 + beyond;
  unsigned extra = 0;
  if (count == kMostRepeats) {
    symbol = 285;
  } else if (beyond >= 8) {
    extra = static_cast<unsigned>(std::bit_width(beyond)) - 3;
    symbol = 257 + 4 * extra + (beyond >> extra);
  }
  put_symbol(symbol);
  put(beyond & ((1u << extra) - 1), extra);
  put(0, 5);
}

void DeflateStream::put_run(unsigned char byte, std::size_t count) {
  put_symbol(byte);
  for (--count; count >= kLeastRepeats;) {
    const std::size_t now = std::min(count, kMostRepeats);
    put_repeats(now);
    count -= now;
  }
  for (; count > 0; --count) put_symbol(byte);
}

/// To a whole byte, by a stored block of nothing.
void DeflateStream::align() {
  if (num_bits_ == 0) return;
  put(0, 3);
  put(0, (8 - num_bits_ % 8) % 8);
  put(0, 16);
  put(0xffff, 16);
}

void DeflateStream::store(std::span<const unsigned char> bytes) {
  reserve(bytes.size() + 5 * (bytes.size() / kMostStored + 1));
  checksum_ = adler_32(checksum_, bytes);
  while (!bytes.empty()) {
    const std::size_t now = std::min(bytes.size(), kMostStored);
    put(0, 3);
    put(0, (8 - num_bits_ % 8) % 8);
    put(static_cast<std::uint32_t>(now), 16);
    put(~static_cast<std::uint32_t>(now) & 0xffffu, 16);
    std::memcpy(bytes_.data() + used_, bytes.data(), now);
    used_ += now;
    bytes = bytes.subspan(now);
  }
}

void DeflateStream::runs(std::span<const unsigned char> bytes) {
  reserve(2 * bytes.size());
  checksum_ = adler_32(checksum_, bytes);
  put(2, 3);  // a block of fixed codes that is not the last
  for (std::size_t begin = 0, end = 0; begin < bytes.size(); begin = end) {
    for (end = begin + 1; end < bytes.size() && bytes[end] == bytes[begin];) ++end;
    put_run(bytes[begin], end - begin);
  }
  put_symbol(kEndOfBlock);  // its end
}

/// With a = the sums before, n bytes x make a + n x and b + n a + x n (n + 1) / 2.
void DeflateStream::repeat(unsigned char byte, std::size_t count) {
  if (count == 0) return;
  reserve(count / 64 + 64);
  const std::uint64_t a = checksum_ & 0xffffu, b = checksum_ >> 16, n = count % kModulus;
  const std::uint64_t pairs =
      (count % 2 == 0 ? (count / 2 % kModulus) * ((count + 1) % kModulus) : n * ((count + 1) / 2 % kModulus)) %
      kModulus;
  checksum_ = static_cast<std::uint32_t>((b + n * a + byte * pairs) % kModulus << 16 | (a + n * byte) % kModulus);
  put(2, 3);
  put_run(byte, count);
  put_symbol(kEndOfBlock);
}

void DeflateStream::deflate(std::span<const unsigned char> bytes) {
  if (bytes.empty()) return;
  constexpr std::size_t kFlush = 16;
  checksum_ = adler_32(checksum_, bytes);
  align();
  reserve(deflateBound(&zlib_, bytes.size()) + kFlush);
  deflateReset(&zlib_);
  zlib_.next_in = const_cast<unsigned char*>(bytes.data());  // NOLINT: the library's interface wants it writable
  zlib_.avail_in = static_cast<uInt>(bytes.size());
  zlib_.next_out = bytes_.data() + used_;
  zlib_.avail_out = static_cast<uInt>(bytes_.size() - used_);
  ::deflate(&zlib_, Z_SYNC_FLUSH);  // to a whole byte; not the last block
  used_ = bytes_.size() - zlib_.avail_out;
}

std::span<const char> DeflateStream::end() {
  reserve(2);
  put(3, 3);  // a last block, of nothing
  put_symbol(kEndOfBlock);
  put(0, (8 - num_bits_ % 8) % 8);
  for (int shift = 24; shift >= 0; shift -= 8) put(checksum_ >> shift & 0xffu, 8);
  return {reinterpret_cast<const char*>(bytes_.data()), used_};
}

}  // namespace nonsmooth::runs
