// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/io/problem_file.hpp>

namespace nonsmooth::problem_files {

/// The words of a text, split once at white space; every layout is then tried on the same list.
class TokenList {
 public:
  /// Both views must outlive the list.
  TokenList(std::string_view text, std::string_view name);

  [[nodiscard]] std::size_t size() const noexcept { return tokens_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t i) const noexcept { return tokens_[i]; }
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  /// True if token i is the first of its line.
  [[nodiscard]] bool starts_line(std::size_t i) const noexcept;
  /// "<name>, line 3, column 7", counted from 1; past the last token: the end of the text.
  [[nodiscard]] std::string place(std::size_t i) const;

 private:
  std::string_view text_, name_;
  std::vector<std::string_view> tokens_;
};

/// A number as C writes it, the whole word: std::from_chars and a leading plus. False if the word is none.
[[nodiscard]] bool parse_real(std::string_view word, double& value) noexcept;
[[nodiscard]] bool parse_integer(std::string_view word, std::int64_t& value) noexcept;

/// Reads numbers one after the other; everything that is not as expected throws FormatError with its place.
class Cursor {
 public:
  explicit Cursor(const TokenList& tokens, std::size_t position = 0) noexcept : tokens_(&tokens), position_(position) {}

  [[nodiscard]] const TokenList& tokens() const noexcept { return *tokens_; }
  [[nodiscard]] std::size_t position() const noexcept { return position_; }
  void seek(std::size_t position) noexcept { position_ = position; }
  [[nodiscard]] bool at_end() const noexcept { return position_ >= tokens_->size(); }
  [[nodiscard]] Index remaining() const noexcept { return static_cast<Index>(tokens_->size() - position_); }

  std::string_view word(std::string_view what);
  void expect(std::string_view word);
  Index integer(std::string_view what, Index low, Index high = std::numeric_limits<Index>::max());
  double finite(std::string_view what);
  double at_least_zero(std::string_view what);  ///< finite, >= 0
  double bound(std::string_view what);          ///< any number but NaN
  /// `size` finite numbers; that many words are there before anything is allocated.
  Eigen::VectorXd vector(std::string_view what, Index size);
  Eigen::VectorXd bounds(std::string_view what, Index size);
  /// Values that come row by row.
  Eigen::MatrixXd rows(std::string_view what, Index num_rows, Index num_columns);
  /// Throws unless `count` more words are there; count may be any product of sizes already bounded.
  void require(std::string_view what, Index count);
  /// Rows times columns, for which there must be as many words. @throws FormatError.
  Index require_product(std::string_view what, Index rows, Index columns);
  /// A number of things each of which takes one word or more.
  Index count(std::string_view what, Index low);
  void skip_line();  ///< to the first word of the next line
  /// True if more words were asked for than there are: so it goes with a text that was cut short.
  [[nodiscard]] bool ran_out() const noexcept { return ran_out_; }

  /// Throws FormatError: "<place of the word last read>: found <found>, expected <expected>".
  [[noreturn]] void fail_back(const std::string& found, const std::string& expected) const;
  /// The same at the word to be read next.
  [[noreturn]] void fail_here(const std::string& found, const std::string& expected) const;

 private:
  [[noreturn]] void fail_at(std::size_t position, const std::string& found, const std::string& expected) const;

  const TokenList* tokens_;
  std::size_t position_;
  bool ran_out_ = false;
};

/// Rows times columns; throws FormatError through the cursor where it overflows or exceeds `limit`.
[[nodiscard]] Index checked_product(const Cursor& cursor, std::string_view what, Index rows, Index columns,
                                    Index limit);

/// A word as messages quote it: shortened, control characters replaced.
[[nodiscard]] std::string in_quotes(std::string_view word);

}  // namespace nonsmooth::problem_files
