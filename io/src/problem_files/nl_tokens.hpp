// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::problem_files {

/// What a .nl file is made of, one after the other, in its text and its binary form. What is asked for and not there
/// throws FormatError "NAME, PLACE: found ..., expected ...".
class NlTokens {
 public:
  explicit NlTokens(std::string_view name) : name_(name) {}
  NlTokens(const NlTokens&) = delete;
  NlTokens& operator=(const NlTokens&) = delete;
  virtual ~NlTokens() = default;

  /// Goes to the next item; false at the end. An item is a line of the text that is not empty, or what is asked for
  /// next of the bytes.
  virtual bool next() = 0;
  /// What the item is: its first letter. A number may follow at once.
  [[nodiscard]] virtual char letter(const char* expected) = 0;
  [[nodiscard]] virtual Index integer(Index low, Index high, const char* what) = 0;
  /// All that are left of the item: of the header's lines.
  [[nodiscard]] virtual std::vector<Index> integers(Index low, Index high, const char* what) = 0;
  [[nodiscard]] virtual double real(const char* what) = 0;
  /// A number behind n, s (16 bits) or l (32 bits).
  [[nodiscard]] virtual double constant(char kind) = 0;
  /// A kind of bounds, 0 to `high`, that stands first in its item.
  [[nodiscard]] virtual Index kind(Index high, const char* what) = 0;
  [[nodiscard]] virtual std::string_view word() = 0;  ///< the name of a suffix
  /// Passes items of which nothing is read: integers, and a number behind each where `numbers`.
  virtual void skip(Index count, bool indices, bool numbers) = 0;

  /// Items that there can be at most from here on.
  [[nodiscard]] virtual Index left() const = 0;

  [[noreturn]] void fail(const std::string& found, const std::string& expected) const;
  /// Of the item as a whole.
  [[noreturn]] void fail_item(const std::string& expected) const { fail(item(), expected); }

 private:
  [[nodiscard]] virtual std::string place() const = 0;  ///< "line N"
  [[nodiscard]] virtual std::string item() const = 0;   ///< as told, "the end" where there is none

  std::string_view name_;
};

/// The text form, and the ten lines at the beginning of both.
[[nodiscard]] std::unique_ptr<NlTokens> nl_lines(std::string_view text, std::string_view name);
/// What follows the header. `swapped`: numbers have the other order of bytes than this machine's.
[[nodiscard]] std::unique_ptr<NlTokens> nl_bytes(std::string_view bytes, std::string_view name, bool swapped);

}  // namespace nonsmooth::problem_files
