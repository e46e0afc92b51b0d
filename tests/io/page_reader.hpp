// SPDX-License-Identifier: Apache-2.0
// Reads a page that write_view() wrote, apart from what wrote it.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace nonsmooth::page_test {

/// What a page says: its scene as text, its arrays decoded as page/data.js does.
class Page {
 public:
  explicit Page(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    scene_ = between(text, "<script type=\"application/json\" id=\"scene\">", "</script>");
    inflate(between(text, "<script type=\"text/plain\" id=\"data\">", "</script>"));
  }
  [[nodiscard]] const std::string& scene() const { return scene_; }
  /// A member that is a list of numbers.
  [[nodiscard]] std::vector<double> numbers(const std::string& name) const {
    std::vector<double> all;
    const std::string list = between(scene_, "\"" + name + "\": [", "]");
    static const std::regex number("[-+0-9.eE]+");
    for (std::sregex_iterator at(list.begin(), list.end(), number), end; at != end; ++at)
      all.push_back(std::stod(at->str()));
    return all;
  }
  [[nodiscard]] double number(const std::string& name) const {
    const std::string member = "\"" + name + "\": ";
    EXPECT_NE(scene_.find(member), std::string::npos) << scene_;
    return std::stod(scene_.substr(scene_.find(member) + member.size()));
  }
  [[nodiscard]] std::vector<std::uint16_t> frames(const std::string& name) const {
    std::size_t offset = 0, count = 0, stride = 0;
    if (!find(name, "d16", offset, count, stride)) return {};
    std::vector<std::uint16_t> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      const unsigned coded = bytes_[offset + i] | (unsigned{bytes_[offset + count + i]} << 8);
      const unsigned difference = (coded >> 1) ^ ((coded & 1) != 0 ? 0xFFFFu : 0u);
      values[i] = static_cast<std::uint16_t>(difference + (i >= stride ? values[i - stride] : 0u));
    }
    return values;
  }
  [[nodiscard]] std::vector<std::uint8_t> byte_frames(const std::string& name) const {
    std::size_t offset = 0, count = 0, stride = 0;
    if (!find(name, "d8", offset, count, stride)) return {};
    std::vector<std::uint8_t> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      const unsigned coded = bytes_[offset + i];
      const unsigned difference = (coded >> 1) ^ ((coded & 1) != 0 ? 0xFFu : 0u);
      values[i] = static_cast<std::uint8_t>(difference + (i >= stride ? values[i - stride] : 0u));
    }
    return values;
  }
  /// Of the frames [s].
  [[nodiscard]] std::vector<double> times() const {
    std::size_t offset = 0, count = 0, stride = 0;
    if (!find("times", "f64", offset, count, stride)) return {};
    EXPECT_EQ(offset % 8, 0U) << "a browser refuses a Float64Array that begins there";
    std::vector<double> values(count);
    std::memcpy(values.data(), bytes_.data() + offset, 8 * count);
    return values;
  }
  /// The values of a curve of a plot.
  [[nodiscard]] std::vector<float> curve(const std::string& title, const std::string& name) const {
    const std::size_t plot = scene_.find("\"title\": \"" + title + "\", \"x_label\"");
    EXPECT_NE(plot, std::string::npos) << title << " in " << scene_;
    if (plot == std::string::npos) return {};
    const std::string of_plot = scene_.substr(plot, scene_.find("}]", plot) - plot);
    std::size_t offset = 0, count = 0, stride = 0;
    if (!find(between(of_plot, "\"name\": \"" + name + "\", \"array\": \"", "\""), "f32", offset, count, stride)) {
      ADD_FAILURE() << "no curve " << name << " in " << of_plot;
      return {};
    }
    std::vector<float> values(count);
    std::memcpy(values.data(), bytes_.data() + offset, 4 * count);
    return values;
  }
  /// The shapes, a row of numbers each.
  [[nodiscard]] std::vector<std::vector<double>> shapes() const {
    std::vector<std::vector<double>> rows;
    const std::string list = between(scene_, "\"shapes\": [", "]], ") + "]";
    static const std::regex row("\\[([^\\]]*)\\]"), number("[-+0-9.eE]+");
    for (std::sregex_iterator at(list.begin(), list.end(), row), end; at != end; ++at) {
      const std::string text = (*at)[1];
      rows.emplace_back();
      for (std::sregex_iterator one(text.begin(), text.end(), number); one != end; ++one)
        rows.back().push_back(std::stod(one->str()));
    }
    return rows;
  }

 private:
  bool find(const std::string& name, const std::string& type, std::size_t& offset, std::size_t& count,
            std::size_t& stride) const {
    std::smatch found;
    const std::regex entry("\\{\"name\": \"" + name + "\", \"type\": \"" + type +
                           "\", \"offset\": (\\d+), \"count\": (\\d+), \"stride\": (\\d+)\\}");
    if (!std::regex_search(scene_, found, entry)) return false;
    offset = std::stoul(found[1]);
    count = std::stoul(found[2]);
    stride = std::stoul(found[3]);
    return true;
  }
  static std::string between(const std::string& text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from), begin = at + from.size();
    if (at == std::string::npos) return {};
    return text.substr(begin, text.find(to, begin) - begin);
  }
  void inflate(const std::string& base64) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<unsigned char> packed;
    unsigned bits = 0;
    int held = 0;
    for (const char c : base64) {
      const std::size_t digit = digits.find(c);
      if (digit == std::string::npos) continue;
      bits = (bits << 6) | static_cast<unsigned>(digit);
      held += 6;
      if (held < 8) continue;
      held -= 8;
      packed.push_back(static_cast<unsigned char>(bits >> held));
    }
    bytes_.resize(1 << 24);
    uLongf size = bytes_.size();
    EXPECT_EQ(uncompress(bytes_.data(), &size, packed.data(), packed.size()), Z_OK);
    bytes_.resize(size);
  }

  std::string scene_;
  std::vector<unsigned char> bytes_;
};

}  // namespace nonsmooth::page_test
