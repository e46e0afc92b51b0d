// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nonsmooth::problem_files {

/// How the fields of a line are told apart: by white space, or by columns, where names may hold blanks.
enum class MpsForm : unsigned char { Free, Fixed };

/// A field and the column, counted from 1, at which it begins.
struct MpsField {
  std::string_view text;
  std::size_t column = 0;
};

/// The lines of an MPS text that are no remarks, one after the other.
class MpsLines {
 public:
  MpsLines(std::string_view text, std::string_view name, MpsForm form) : text_(text), name_(name), form_(form) {}

  /// Goes to the next line; false at the end.
  bool next();
  /// It begins a section, which stands in column 1.
  [[nodiscard]] bool is_section() const noexcept { return section_; }
  /// Of a section by white space; else by the form. Fixed: none is empty but the last ones that are left out.
  [[nodiscard]] const std::vector<MpsField>& fields() const noexcept { return fields_; }
  [[nodiscard]] std::string_view line() const noexcept { return line_; }
  [[nodiscard]] std::size_t number() const noexcept { return number_; }  ///< of the line, from 1

  /// "name, line 3, column 5": found ..., expected ... @throws FormatError.
  [[noreturn]] void fail(std::size_t field, const std::string& found, const std::string& expected) const;
  [[noreturn]] void fail_field(std::size_t field, const std::string& expected) const;
  /// A finite number.
  [[nodiscard]] double number_at(std::size_t field) const;
  /// Any number but NaN; "inf" and the like too.
  [[nodiscard]] double bound_at(std::size_t field) const;

 private:
  void split_free();
  void split_fixed();

  std::string_view text_, name_, line_{};
  MpsForm form_;
  std::size_t at_ = 0, number_ = 0;
  bool section_ = false;
  std::vector<MpsField> fields_{};
};

}  // namespace nonsmooth::problem_files
