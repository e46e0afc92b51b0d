// SPDX-License-Identifier: Apache-2.0
#include "page_data.hpp"

#include <bit>
#include <stdexcept>

#include "../json.hpp"
#include "../zlib_stream.hpp"

namespace nonsmooth::scene {

void PageData::begin(std::string_view name, std::string_view type, std::size_t bytes, std::size_t count, Index stride) {
  while (bytes_.size() % bytes != 0) bytes_.push_back(0);
  if (!arrays_.empty()) arrays_ += ", ";
  arrays_ += JsonObject()
                 .add("name", name)
                 .add("type", type)
                 .add("offset", static_cast<Index>(bytes_.size()))
                 .add("count", static_cast<Index>(count))
                 .add("stride", stride)
                 .text();
}

void PageData::add(std::string_view name, std::span<const double> values) {
  begin(name, "f64", sizeof(double), values.size(), 0);
  for (const double value : values) append(std::bit_cast<std::uint64_t>(value));
}

void PageData::add(std::string_view name, std::span<const float> values) {
  begin(name, "f32", sizeof(float), values.size(), 0);
  for (const float value : values) append(std::bit_cast<std::uint32_t>(value));
}

void PageData::add(std::string_view name, std::span<const std::uint32_t> values) {
  begin(name, "u32", sizeof(std::uint32_t), values.size(), 0);
  for (const std::uint32_t value : values) append(value);
}

void PageData::add(std::string_view name, std::span<const std::uint16_t> values) {
  begin(name, "u16", sizeof(std::uint16_t), values.size(), 0);
  for (const std::uint16_t value : values) append(value);
}

void PageData::add_frames(std::string_view name, std::span<const std::uint16_t> values, Index stride) {
  begin(name, "d16", 1, values.size(), stride);
  const std::size_t first = bytes_.size(), count = values.size(), back = static_cast<std::size_t>(stride);
  bytes_.resize(first + 2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto before = static_cast<std::uint16_t>(i >= back ? values[i - back] : 0);
    const auto difference = static_cast<std::int16_t>(static_cast<std::uint16_t>(values[i] - before));
    const auto coded =
        static_cast<std::uint16_t>((static_cast<unsigned>(difference) << 1) ^ (difference < 0 ? 0xFFFFu : 0u));
    bytes_[first + i] = static_cast<unsigned char>(coded);
    bytes_[first + count + i] = static_cast<unsigned char>(coded >> 8);
  }
}

void PageData::add_frames(std::string_view name, std::span<const std::uint8_t> values, Index stride) {
  begin(name, "d8", 1, values.size(), stride);
  const std::size_t back = static_cast<std::size_t>(stride);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto before = static_cast<std::uint8_t>(i >= back ? values[i - back] : 0);
    const auto difference = static_cast<std::int8_t>(static_cast<std::uint8_t>(values[i] - before));
    bytes_.push_back(
        static_cast<unsigned char>((static_cast<unsigned>(difference) << 1) ^ (difference < 0 ? 0xFFu : 0u)));
  }
}

std::string PageData::deflated() const {
  const std::string packed =
      nonsmooth::deflated({reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}, Z_DEFAULT_COMPRESSION);
  return base64({reinterpret_cast<const unsigned char*>(packed.data()), packed.size()});
}

std::string base64(std::span<const unsigned char> bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const unsigned three = (unsigned{bytes[i]} << 16) | (left > 1 ? unsigned{bytes[i + 1]} << 8 : 0u) |
                           (left > 2 ? unsigned{bytes[i + 2]} : 0u);
    text += digits[three >> 18];
    text += digits[(three >> 12) & 63];
    text += left > 1 ? digits[(three >> 6) & 63] : '=';
    text += left > 2 ? digits[three & 63] : '=';
  }
  return text;
}

}  // namespace nonsmooth::scene
