// SPDX-License-Identifier: Apache-2.0
#include "mps_lines.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <nonsmooth/io/problem_file.hpp>

#include "text_cursor.hpp"

namespace nonsmooth::problem_files {
namespace {

constexpr std::string_view mps_blanks = " \t\r\v\f";

std::string_view without_blanks(std::string_view text) noexcept {
  const std::size_t begin = std::min(text.find_first_not_of(mps_blanks), text.size());
  const std::size_t end = text.find_last_not_of(mps_blanks);
  return end == std::string_view::npos ? text.substr(0, 0) : text.substr(begin, end + 1 - begin);
}

}  // namespace

bool MpsLines::next() {
  while (at_ < text_.size()) {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    line_ = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++number_;
    if (line_.starts_with('*') || without_blanks(line_).empty()) continue;
    section_ = mps_blanks.find(line_.front()) == std::string_view::npos;
    fields_.clear();
    section_ || form_ == MpsForm::Free ? split_free() : split_fixed();
    return true;
  }
  line_ = {};
  fields_.clear();
  ++number_;
  return false;
}

void MpsLines::split_free() {
  for (std::size_t i = 0; i < line_.size();) {
    const std::size_t begin = std::min(line_.find_first_not_of(mps_blanks, i), line_.size());
    const std::size_t end = std::min(line_.find_first_of(mps_blanks, begin), line_.size());
    if (end > begin) fields_.push_back({line_.substr(begin, end - begin), begin + 1});
    i = end;
  }
}

/// Columns 2-3, 5-12, 15-22, 25-36, 40-47, 50-61.
void MpsLines::split_fixed() {
  constexpr std::array<std::pair<std::size_t, std::size_t>, 6> columns = {
      {{1, 3}, {4, 12}, {14, 22}, {24, 36}, {39, 47}, {49, 61}}};
  for (const auto& [begin, end] : columns) {
    const std::size_t first = std::min(begin, line_.size());
    fields_.push_back({without_blanks(line_.substr(first, end - begin)), begin + 1});
  }
  for (std::size_t i = 0; i < line_.size(); ++i) {
    const bool inside = std::any_of(columns.begin(), columns.end(),
                                    [&](const auto& range) { return i >= range.first && i < range.second; });
    if (!inside && mps_blanks.find(line_[i]) == std::string_view::npos) {
      fields_ = {{line_.substr(i, 1), i + 1}};
      fail_field(0, "blanks between the fields of the fixed form");
    }
  }
  while (!fields_.empty() && fields_.back().text.empty()) fields_.pop_back();
  // A line without a code begins with its first name, as a line in free form does.
  if (!fields_.empty() && fields_.front().text.empty()) fields_.erase(fields_.begin());
}

void MpsLines::fail(std::size_t field, const std::string& found, const std::string& expected) const {
  const std::size_t column = field < fields_.size() ? fields_[field].column : line_.size() + 1;
  throw FormatError(std::string(name_) + ", line " + std::to_string(number_) + ", column " + std::to_string(column) +
                    ": found " + found + ", expected " + expected);
}

void MpsLines::fail_field(std::size_t field, const std::string& expected) const {
  fail(field, field < fields_.size() ? in_quotes(fields_[field].text) : "the end of the line", expected);
}

double MpsLines::number_at(std::size_t field) const {
  double value = 0.0;
  if (field >= fields_.size() || !parse_real(fields_[field].text, value) || !std::isfinite(value)) {
    fail_field(field, "a finite number");
  }
  return value;
}

double MpsLines::bound_at(std::size_t field) const {
  double value = 0.0;
  if (field >= fields_.size() || !parse_real(fields_[field].text, value) || std::isnan(value)) {
    fail_field(field, "a number or an infinity");
  }
  return value;
}

}  // namespace nonsmooth::problem_files
