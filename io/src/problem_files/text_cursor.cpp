// SPDX-License-Identifier: Apache-2.0
#include "text_cursor.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "../number.hpp"

namespace nonsmooth::problem_files {
namespace {

constexpr bool is_space(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// from_chars knows no leading plus, and "+-1" is no number.
std::string_view without_plus(std::string_view word) noexcept {
  return word.size() > 1 && word[0] == '+' && word[1] != '-' && word[1] != '+' ? word.substr(1) : word;
}

/// The number of decimal digits before the point, of a number that is not zero; negative for zeros behind it.
std::int64_t decimal_order(std::string_view word) noexcept {
  const std::size_t mark = std::min(word.find_first_of("eE"), word.size());
  const std::string_view mantissa = word.substr(0, mark);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = std::min(mantissa.find_first_of("123456789"), mantissa.size());
  const auto order = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) + (first > point ? 1 : 0);
  if (mark == word.size()) return order;
  std::string_view digits = word.substr(mark + 1);
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  constexpr std::int64_t beyond = std::int64_t{1} << 56;  // any word is shorter: its own digits cannot make up for it
  std::int64_t exponent = 0;
  for (const char c : digits) exponent = std::min(beyond, 10 * exponent + (c - '0'));
  return order + (negative ? -exponent : exponent);
}

}  // namespace

TokenList::TokenList(std::string_view text, std::string_view name) : text_(text), name_(name) {
  for (std::size_t i = 0; i < text.size();) {
    if (is_space(text[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && !is_space(text[i])) ++i;
    tokens_.push_back(text.substr(begin, i - begin));
  }
}

bool TokenList::starts_line(std::size_t i) const noexcept {
  if (i >= tokens_.size()) return false;
  if (i == 0) return true;
  const char* const previous_end = tokens_[i - 1].data() + tokens_[i - 1].size();
  return std::find(previous_end, tokens_[i].data(), '\n') != tokens_[i].data();
}

std::string TokenList::place(std::size_t i) const {
  const std::size_t at = i < tokens_.size() ? static_cast<std::size_t>(tokens_[i].data() - text_.data()) : text_.size();
  const std::string_view before = text_.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = at - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
  return std::string(name_) + ", line " + std::to_string(line) + ", column " + std::to_string(column);
}

bool parse_real(std::string_view word, double& value) noexcept {
  word = without_plus(word);
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (stop != end || word.empty()) return false;
  if (error == std::errc::result_out_of_range) {
    // from_chars leaves the value alone both above the largest double and below the smallest; only the latter is meant.
    if (decimal_order(word) > 0) return false;
    value = word[0] == '-' ? -0.0 : 0.0;
    return true;
  }
  return error == std::errc{};
}

bool parse_integer(std::string_view word, std::int64_t& value) noexcept {
  word = without_plus(word);
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  return error == std::errc{} && stop == end && !word.empty();
}

std::string in_quotes(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string text = "'";
  for (const char c : word.substr(0, longest)) text += c >= ' ' && c <= '~' ? c : '?';
  text += word.size() > longest ? "...'" : "'";
  return text;
}

void Cursor::fail_at(std::size_t position, const std::string& found, const std::string& expected) const {
  throw FormatError(tokens_->place(position) + ": found " + found + ", expected " + expected);
}

void Cursor::fail_back(const std::string& found, const std::string& expected) const {
  fail_at(position_ == 0 ? 0 : position_ - 1, found, expected);
}

void Cursor::fail_here(const std::string& found, const std::string& expected) const {
  fail_at(position_, found, expected);
}

std::string_view Cursor::word(std::string_view what) {
  if (at_end()) {
    ran_out_ = true;
    fail_here("the end", std::string(what));
  }
  return (*tokens_)[position_++];
}

void Cursor::expect(std::string_view expected) {
  const std::string_view found = word(in_quotes(expected));
  if (found != expected) fail_back(in_quotes(found), in_quotes(expected));
}

Index Cursor::integer(std::string_view what, Index low, Index high) {
  const std::string_view found = word(what);
  std::int64_t value = 0;
  if (!parse_integer(found, value)) fail_back(in_quotes(found), std::string(what) + ", an integer");
  if (value < low || value > high) {
    std::string range = std::string(what);
    if (low == high) {
      range += " = " + std::to_string(low);
    } else {
      range += " at least " + std::to_string(low);
      if (high != std::numeric_limits<Index>::max()) range += " and at most " + std::to_string(high);
    }
    fail_back(in_quotes(found), range);
  }
  return value;
}

double Cursor::finite(std::string_view what) {
  const std::string_view found = word(what);
  double value = 0.0;
  if (!parse_real(found, value)) fail_back(in_quotes(found), std::string(what) + ", a number");
  if (!std::isfinite(value)) fail_back(in_quotes(found), std::string(what) + ", a finite number");
  return value;
}

double Cursor::at_least_zero(std::string_view what) {
  const double value = finite(what);
  if (value < 0.0) fail_back(number(value), std::string(what) + " at least 0");
  return value;
}

double Cursor::bound(std::string_view what) {
  const std::string_view found = word(what);
  double value = 0.0;
  if (!parse_real(found, value) || std::isnan(value)) {
    fail_back(in_quotes(found), std::string(what) + ", a number or an infinity");
  }
  return value;
}

void Cursor::require(std::string_view what, Index count) {
  if (count <= remaining()) return;
  ran_out_ = true;
  throw FormatError(tokens_->place(tokens_->size()) + ": found " + std::to_string(remaining()) +
                    " words up to the end, expected the " + std::to_string(count) + " numbers of " + std::string(what));
}

Index Cursor::require_product(std::string_view what, Index rows, Index columns) {
  if (rows > 0 && columns > remaining() / rows) ran_out_ = true;
  return checked_product(*this, what, rows, columns, remaining());
}

Index Cursor::count(std::string_view what, Index low) {
  const Index high = remaining();
  std::int64_t value = 0;
  if (!at_end() && parse_integer((*tokens_)[position_], value) && value > high) ran_out_ = true;
  return integer(what, low, high);
}

Eigen::VectorXd Cursor::vector(std::string_view what, Index size) {
  require(what, size);
  Eigen::VectorXd value(size);
  for (double& entry : value) entry = finite(what);
  return value;
}

Eigen::VectorXd Cursor::bounds(std::string_view what, Index size) {
  require(what, size);
  Eigen::VectorXd value(size);
  for (double& entry : value) entry = bound(what);
  return value;
}

Eigen::MatrixXd Cursor::rows(std::string_view what, Index num_rows, Index num_columns) {
  require(what, checked_product(*this, what, num_rows, num_columns, std::numeric_limits<Index>::max()));
  Eigen::MatrixXd value(num_rows, num_columns);
  for (Index i = 0; i < num_rows; ++i) {
    for (Index j = 0; j < num_columns; ++j) value(i, j) = finite(what);
  }
  return value;
}

void Cursor::skip_line() {
  while (!at_end() && !tokens_->starts_line(position_)) ++position_;
}

Index checked_product(const Cursor& cursor, std::string_view what, Index rows, Index columns, Index limit) {
  if (rows == 0 || columns <= limit / rows) return rows * columns;
  cursor.fail_back(std::to_string(rows) + " x " + std::to_string(columns),
                   std::string(what) + " of at most " + std::to_string(limit) + " entries");
}

}  // namespace nonsmooth::problem_files
