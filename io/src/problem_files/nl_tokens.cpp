// SPDX-License-Identifier: Apache-2.0
#include "nl_tokens.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include <nonsmooth/io/problem_file.hpp>

#include "stored_matrix.hpp"
#include "text_cursor.hpp"

namespace nonsmooth::problem_files {
namespace {

std::string from_to(const char* what, Index low, Index high) {
  return std::string(what) + " from " + std::to_string(low) + " to " + std::to_string(high);
}

/// Lines without their remarks, split into words.
class NlLines final : public NlTokens {
 public:
  NlLines(std::string_view text, std::string_view name) : NlTokens(name), text_(text) {}

  bool next() override {
    words_.clear();
    word_ = 0;
    while (words_.empty() && at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, end - at_);
      at_ = end + 1;
      ++number_;
      line = line.substr(0, line.find('#'));
      constexpr std::string_view blanks = " \t\r";
      for (std::size_t i = 0; i < line.size();) {
        const std::size_t begin = std::min(line.find_first_not_of(blanks, i), line.size());
        i = std::min(line.find_first_of(blanks, begin), line.size());
        if (i > begin) words_.push_back(line.substr(begin, i - begin));
      }
    }
    first_ = words_.empty() ? std::string_view() : words_[0];
    return !words_.empty();
  }
  char letter(const char* expected) override {
    if (words_.empty()) fail_item(expected);
    const char found = words_[0].front();
    words_[0].remove_prefix(1);
    if (words_[0].empty()) ++word_;
    return found;
  }
  Index integer(Index low, Index high, const char* what) override {
    std::int64_t value = 0;
    if (word_ >= words_.size() || !parse_integer(words_[word_], value) || value < low || value > high)
      fail_word(from_to(what, low, high));
    ++word_;
    return value;
  }
  std::vector<Index> integers(Index low, Index high, const char* what) override {
    std::vector<Index> found;
    while (word_ < words_.size()) found.push_back(integer(low, high, what));
    return found;
  }
  double real(const char* what) override {
    double value = 0.0;
    if (word_ >= words_.size() || !parse_real(words_[word_], value) || !std::isfinite(value))
      fail_word(std::string(what) + ", a finite number");
    ++word_;
    return value;
  }
  double constant(char) override { return real("a number"); }
  Index kind(Index high, const char* what) override { return integer(0, high, what); }
  std::string_view word() override { return word_ < words_.size() ? words_[word_++] : std::string_view(); }
  void skip(Index count, bool, bool) override {
    for (Index k = 0; k < count; ++k) {
      if (!next()) fail_item("the lines of a segment");
    }
  }
  Index left() const override { return static_cast<Index>(at_ < text_.size() ? (text_.size() - at_) / 2 + 1 : 0); }

 private:
  std::string place() const override { return "line " + std::to_string(number_); }
  std::string item() const override { return first_.empty() ? "the end" : in_quotes(first_); }
  [[noreturn]] void fail_word(const std::string& expected) const {
    if (word_ == 0) fail_item(expected);
    fail(word_ < words_.size() ? in_quotes(words_[word_]) : "the end of the line", expected);
  }

  std::string_view text_, first_;
  std::size_t at_ = 0, number_ = 0, word_ = 0;
  std::vector<std::string_view> words_{};
};

/// Numbers as they are in memory.
class NlBytes final : public NlTokens {
 public:
  NlBytes(std::string_view bytes, std::string_view name, bool swapped)
      : NlTokens(name), bytes_(bytes), swapped_(swapped) {}

  bool next() override {
    item_ = at_;
    return at_ < bytes_.size();
  }
  char letter(const char* expected) override {
    if (at_ >= bytes_.size()) fail("the end", expected);
    return bytes_[at_++];
  }
  Index integer(Index low, Index high, const char* what) override {
    const auto value = Index{take<std::int32_t>(what)};
    if (value < low || value > high) fail(std::to_string(value), from_to(what, low, high));
    return value;
  }
  std::vector<Index> integers(Index, Index, const char*) override { return {}; }  // it has no lines
  double real(const char* what) override {
    const double value = take<double>(what);
    if (!std::isfinite(value)) fail("a number that is not finite", std::string(what) + ", a finite number");
    return value;
  }
  double constant(char kind) override {
    if (kind == 's') return take<std::int16_t>("a number");
    if (kind == 'l') return take<std::int32_t>("a number");
    return real("a number");
  }
  Index kind(Index high, const char* what) override {
    const char digit = letter(what);
    if (digit < '0' || digit > static_cast<char>('0' + high)) fail_item(from_to(what, 0, high));
    return digit - '0';
  }
  std::string_view word() override {
    const Index size = integer(0, static_cast<Index>(bytes_.size() - at_), "the length of a name");
    const std::string_view found = bytes_.substr(at_, static_cast<std::size_t>(size));
    if (static_cast<Index>(found.size()) < size) fail("the end", "a name");
    at_ += found.size();
    return found;
  }
  void skip(Index count, bool indices, bool numbers) override {
    const std::size_t each = (indices ? sizeof(std::int32_t) : 0) + (numbers ? sizeof(double) : sizeof(std::int32_t));
    if (static_cast<std::size_t>(count) > (bytes_.size() - at_) / each) fail("the end", "the numbers of a segment");
    at_ += static_cast<std::size_t>(count) * each;
  }
  Index left() const override { return static_cast<Index>(bytes_.size() - at_); }

 private:
  std::string place() const override { return "byte " + std::to_string(at_) + " behind the header"; }
  std::string item() const override { return item_ < bytes_.size() ? in_quotes(bytes_.substr(item_, 1)) : "the end"; }
  template <class T>
  [[nodiscard]] T take(const char* what) {
    std::array<char, sizeof(T)> raw{};
    if (bytes_.size() - at_ < raw.size()) fail("the end", what);
    std::copy_n(bytes_.data() + at_, raw.size(), raw.begin());
    at_ += raw.size();
    if (swapped_) std::reverse(raw.begin(), raw.end());
    T value;
    std::memcpy(&value, raw.data(), sizeof(T));
    return value;
  }

  std::string_view bytes_;
  bool swapped_;
  std::size_t at_ = 0, item_ = 0;
};

}  // namespace

void NlTokens::fail(const std::string& found, const std::string& expected) const {
  throw FormatError(std::string(name_) + ", " + place() + ": found " + found + ", expected " + expected);
}

std::unique_ptr<NlTokens> nl_lines(std::string_view text, std::string_view name) {
  return std::make_unique<NlLines>(text, name);
}
std::unique_ptr<NlTokens> nl_bytes(std::string_view bytes, std::string_view name, bool swapped) {
  return std::make_unique<NlBytes>(bytes, name, swapped);
}

}  // namespace nonsmooth::problem_files
