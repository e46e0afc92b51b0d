// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::scene {

/// The arrays of a page (page/data.js): one zlib stream, and what lies where in it.
class PageData {
 public:
  void add(std::string_view name, std::span<const double> values);
  void add(std::string_view name, std::span<const float> values);
  void add(std::string_view name, std::span<const std::uint32_t> values);
  void add(std::string_view name, std::span<const std::uint16_t> values);
  /// Frames of `stride` numbers, as differences with the frame before, zigzag coded, low bytes before high ones: what
  /// rests or moves little from frame to frame takes next to nothing.
  void add_frames(std::string_view name, std::span<const std::uint16_t> values, Index stride);
  /// The same of single bytes.
  void add_frames(std::string_view name, std::span<const std::uint8_t> values, Index stride);

  [[nodiscard]] std::string arrays_as_json() const { return "[" + arrays_ + "]"; }
  /// The bytes deflated, in base64.
  [[nodiscard]] std::string deflated() const;

 private:
  /// `bytes`: of a number, a multiple of which is its place, as typed arrays of a browser need.
  void begin(std::string_view name, std::string_view type, std::size_t bytes, std::size_t count, Index stride);
  template <class Bits>
  void append(Bits bits) {
    for (std::size_t k = 0; k < sizeof bits; ++k) bytes_.push_back(static_cast<unsigned char>(bits >> (8 * k)));
  }

  std::vector<unsigned char> bytes_;
  std::string arrays_;
};

/// RFC 4648.
[[nodiscard]] std::string base64(std::span<const unsigned char> bytes);

}  // namespace nonsmooth::scene
