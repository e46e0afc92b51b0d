// SPDX-License-Identifier: Apache-2.0
#include "nl_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <nonsmooth/io/problem_file.hpp>

#include "nl.hpp"
#include "stored_matrix.hpp"
#include "text_cursor.hpp"

namespace nonsmooth::problem_files {
namespace {

constexpr std::size_t num_header_lines = 10;
constexpr std::size_t deepest_expression = 4000;  // operators that are open at once

/// Lines without their remarks, split into words; what is asked for and not there is told with the line.
class NlLines {
 public:
  NlLines(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  /// The words of the next line that is not empty; none at the end.
  const std::vector<std::string_view>& next() {
    words_.clear();
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
    return words_;
  }
  [[nodiscard]] const std::vector<std::string_view>& words() const noexcept { return words_; }
  /// Lines that there can be at most from here on.
  [[nodiscard]] Index left() const noexcept {
    return static_cast<Index>(at_ < text_.size() ? (text_.size() - at_) / 2 + 1 : 0);
  }

  [[noreturn]] void fail(const std::string& found, const std::string& expected) const {
    throw FormatError(std::string(name_) + ", line " + std::to_string(number_) + ": found " + found + ", expected " +
                      expected);
  }
  [[noreturn]] void fail_word(std::size_t word, const std::string& expected) const {
    fail(word < words_.size() ? in_quotes(words_[word]) : words_.empty() ? "the end" : "the end of the line", expected);
  }
  /// Word `word` without its first `skip` letters.
  [[nodiscard]] Index integer(std::size_t word, Index low, Index high, const char* what, std::size_t skip = 0) const {
    std::int64_t value = 0;
    if (word >= words_.size() || !parse_integer(words_[word].substr(skip), value) || value < low || value > high) {
      fail_word(word, std::string(what) + " from " + std::to_string(low) + " to " + std::to_string(high));
    }
    return value;
  }
  [[nodiscard]] double real(std::size_t word, const char* what, std::size_t skip = 0) const {
    double value = 0.0;
    if (word >= words_.size() || !parse_real(words_[word].substr(skip), value) || !std::isfinite(value)) {
      fail_word(word, std::string(what) + ", a finite number");
    }
    return value;
  }

 private:
  std::string_view text_, name_;
  std::size_t at_ = 0, number_ = 0;
  std::vector<std::string_view> words_{};
};

class NlReader {
 public:
  NlReader(std::string_view text, std::string_view name) : lines_(text, name) {}

  [[nodiscard]] NlFile read() {
    read_header();
    while (!lines_.next().empty()) read_segment();
    if (!has_rows_ && num_rows_ > 0) lines_.fail("no segment r up to the end", "the sides of the rows");
    if (!has_bounds_) lines_.fail("no segment b up to the end", "the bounds of the variables");
    for (Index i = 0; i < num_rows_; ++i) {
      if (!has_body_[static_cast<std::size_t>(i)]) {
        lines_.fail("no segment C" + std::to_string(i) + " up to the end", "one for each row");
      }
    }
    for (std::size_t i = 0; i < has_objective_.size(); ++i) {
      if (!has_objective_[i]) {
        lines_.fail("no segment O" + std::to_string(i) + " up to the end", "one for each objective");
      }
    }
    // Segments J and G are the last ones: what misses some was cut short.
    require_terms(file_.rows, num_row_terms_, "segments J");
    require_terms(file_.objectives, num_objective_terms_, "segments G");
    return std::move(file_);
  }

 private:
  void require_terms(const std::vector<NlBody>& bodies, Index expected, const char* what) const {
    Index found = 0;
    for (const NlBody& body : bodies) found += static_cast<Index>(body.linear.size());
    if (found == expected) return;
    lines_.fail(std::to_string(found) + " terms in all " + what, std::to_string(expected) + ", as line 8 says");
  }

  void read_header() {
    if (!lines_.next().empty() && lines_.words()[0].starts_with('b')) {
      lines_.fail("the binary form", "the text form (ampl: option or -og, Pyomo: as it is)");
    }
    std::array<std::vector<Index>, num_header_lines> header;
    for (std::size_t line = 1; line < num_header_lines; ++line) {
      lines_.next();
      for (std::size_t word = 0; word < lines_.words().size(); ++word) {
        header[line].push_back(lines_.integer(word, 0, largest_size, "a number of the header"));
      }
      constexpr std::array<std::size_t, num_header_lines> least = {0, 3, 2, 2, 3, 2, 5, 2, 2, 5};
      if (header[line].size() < least[line]) lines_.fail_word(header[line].size(), "another number of the header");
      if (line == 3 && header[3][0] + header[3][1] > 0) lines_.fail("network constraints", "none");
      if (line == 5 && header[5][1] > 0) lines_.fail("imported functions", "none");
      if (line == 6 && std::accumulate(header[6].begin(), header[6].end(), Index{0}) > 0) {
        lines_.fail("integer variables", "continuous ones, others are not solved here");
      }
      if (line == 1 && header[1].size() > 5 && header[1][5] > 0) lines_.fail("logical constraints", "none");
      // Each has a line of its own.
      for (std::size_t k = 0; line == 1 && k < 3; ++k) {
        if (header[1][k] > lines_.left()) lines_.fail(std::to_string(header[1][k]), "fewer, for a file of its size");
      }
    }
    file_.num_variables = header[1][0];
    num_rows_ = header[1][1];
    num_row_terms_ = header[7][0];
    num_objective_terms_ = header[7][1];
    if (file_.num_variables == 0) lines_.fail("no variables", "at least one");
    file_.rows.resize(static_cast<std::size_t>(num_rows_));
    has_body_.resize(file_.rows.size(), false);
    file_.objectives.resize(static_cast<std::size_t>(header[1][2]));
    has_objective_.resize(file_.objectives.size(), false);
    file_.maximised.resize(file_.objectives.size(), false);
    file_.row_ranges.resize(file_.rows.size());
    file_.variable_ranges.resize(static_cast<std::size_t>(file_.num_variables));
    Index num_defined = 0;
    for (std::size_t k = 0; k < 5; ++k) num_defined += header[num_header_lines - 1][k];
    if (num_defined > lines_.left()) lines_.fail(std::to_string(num_defined), "fewer, for a file of its size");
    defined_.resize(static_cast<std::size_t>(num_defined), -1);
  }

  void read_segment() {
    const std::string_view head = lines_.words()[0];
    const auto index = [&](Index count, const char* what) { return lines_.integer(0, 0, count - 1, what, 1); };
    switch (head.front()) {
      case 'C': {
        const auto i = static_cast<std::size_t>(index(num_rows_, "C and a row"));
        if (has_body_[i]) lines_.fail_word(0, "each row once");
        has_body_[i] = true;
        file_.rows[i].root = read_expression();
        return;
      }
      case 'O': {
        const auto i = static_cast<std::size_t>(
            index(static_cast<Index>(file_.objectives.size()), "O and the number of an objective"));
        if (has_objective_[i]) lines_.fail_word(0, "each objective once");
        has_objective_[i] = true;
        file_.maximised[i] = lines_.integer(1, 0, 1, "0 (minimise) or 1 (maximise),") == 1;
        file_.objectives[i].root = read_expression();
        return;
      }
      case 'V':
        return read_defined();
      case 'J':
        return read_linear(file_.rows[static_cast<std::size_t>(index(num_rows_, "J and a row"))].linear);
      case 'G':
        return read_linear(file_
                               .objectives[static_cast<std::size_t>(index(static_cast<Index>(file_.objectives.size()),
                                                                          "G and the number of an objective"))]
                               .linear);
      case 'x':
        return read_start();
      case 'r':
        return read_rows();
      case 'b':
        return read_bounds();
      case 'd':
      case 'k':  // how many entries columns have up to each: J says it too
        return skip(lines_.integer(0, 0, lines_.left(), "a number of lines", 1));
      case 'S':
        return skip_suffix();
      default:
        lines_.fail_word(0, "a segment C, O, V, J, G, x, r, b, d, k or S");
    }
  }

  /// S kind n name: hints to solvers, but for special ordered sets, which are constraints.
  void skip_suffix() {
    constexpr std::array<std::string_view, 4> of_sets = {"sosno", "ref", "sos", "sosref"};
    if (lines_.words().size() > 2 && std::find(of_sets.begin(), of_sets.end(), lines_.words()[2]) != of_sets.end()) {
      lines_.fail_word(2, "no special ordered sets, which are not solved here");
    }
    skip(lines_.integer(1, 0, lines_.left(), "a number of lines"));
  }

  void skip(Index count) {
    for (Index k = 0; k < count; ++k) {
      if (lines_.next().empty()) lines_.fail_word(0, "the lines of a segment");
    }
  }

  void read_linear(std::vector<NlTerm>& terms) {
    if (!terms.empty()) lines_.fail_word(0, "each segment once");
    const Index count = lines_.integer(1, 0, file_.num_variables, "a number of terms");
    for (Index k = 0; k < count; ++k) terms.push_back(read_term());
    std::sort(terms.begin(), terms.end(), [](const NlTerm& a, const NlTerm& b) { return a.variable < b.variable; });
    if (std::adjacent_find(terms.begin(), terms.end(),
                           [](const NlTerm& a, const NlTerm& b) { return a.variable == b.variable; }) != terms.end()) {
      lines_.fail("a variable twice in this segment", "each once");
    }
  }

  NlTerm read_term() {
    lines_.next();
    return {.variable = lines_.integer(0, 0, file_.num_variables - 1, "a variable"),
            .factor = lines_.real(1, "its factor")};
  }

  /// V i n k: variable i is defined as an expression and n linear terms.
  void read_defined() {
    const Index n = file_.num_variables;
    const Index i = lines_.integer(0, n, n + static_cast<Index>(defined_.size()) - 1, "V and a defined variable", 1);
    if (defined_[static_cast<std::size_t>(i - n)] >= 0) lines_.fail_word(0, "each defined variable once");
    const Index count = lines_.integer(1, 0, n, "a number of terms");
    std::vector<NlTerm> terms;
    for (Index k = 0; k < count; ++k) terms.push_back(read_term());
    Index root = read_expression();
    NlExpressions& all = file_.expressions;
    for (const NlTerm& term : terms) {
      const Index product = all.add(NlOperator::Multiply, all.add_variable(term.variable), all.add_number(term.factor));
      root = root < 0 ? product : all.add(NlOperator::Sum, root, product);
    }
    defined_[static_cast<std::size_t>(i - n)] = root < 0 ? all.add_number(0.0) : root;
  }

  void read_start() {
    const Index count = lines_.integer(0, 0, file_.num_variables, "x and a number of lines", 1);
    if (file_.start.size() > 0) lines_.fail_word(0, "each segment once");
    file_.start = Eigen::VectorXd::Zero(file_.num_variables);
    std::vector<bool> given(static_cast<std::size_t>(file_.num_variables), false);
    for (Index k = 0; k < count; ++k) {
      const NlTerm term = read_term();
      if (given[static_cast<std::size_t>(term.variable)]) lines_.fail_word(0, "each variable once");
      given[static_cast<std::size_t>(term.variable)] = true;
      file_.start[term.variable] = term.factor;
    }
  }

  /// "0 l u", "1 u", "2 l", "3", "4 v".
  void read_range(NlRange& range, Index type) const {
    if (type == 0 || type == 2) range.lower = lines_.real(1, "a lower bound");
    if (type == 0 || type == 1) range.upper = lines_.real(type == 0 ? 2 : 1, "an upper bound");
    if (type == 4) range.lower = range.upper = lines_.real(1, "a value");
    if (range.lower > range.upper) lines_.fail("a lower bound above the upper one", "one that is not");
  }

  void read_bounds() {
    if (has_bounds_) lines_.fail_word(0, "each segment once");
    has_bounds_ = true;
    for (NlRange& range : file_.variable_ranges) {
      lines_.next();
      read_range(range, lines_.integer(0, 0, 4, "a kind of bounds"));
    }
  }

  void read_rows() {
    if (has_rows_) lines_.fail_word(0, "each segment once");
    has_rows_ = true;
    std::vector<bool> complemented(static_cast<std::size_t>(file_.num_variables), false);
    for (NlRange& range : file_.row_ranges) {
      lines_.next();
      const Index type = lines_.integer(0, 0, 5, "a kind of row");
      if (type != 5) {
        read_range(range, type);
        continue;
      }
      const Index which = lines_.integer(1, 0, 3, "which bounds the variable has,");
      range.complements = lines_.integer(2, 1, file_.num_variables, "a variable, counted from 1,") - 1;
      range.has_lower = which % 2 == 1;
      range.has_upper = which >= 2;
      if (complemented[static_cast<std::size_t>(range.complements)]) lines_.fail_word(2, "each variable once");
      complemented[static_cast<std::size_t>(range.complements)] = true;
    }
  }

  /// An operator whose operands are being read.
  struct Open {
    NlOperator what = NlOperator::Sum;
    Index missing = 0;
    std::vector<Index> operands{};
  };

  /// In Polish notation, an operator or an operand a line; -1 for the number 0.
  Index read_expression() {
    std::vector<Open> open;
    NlExpressions& all = file_.expressions;
    while (true) {
      lines_.next();
      if (lines_.words().empty()) lines_.fail_word(0, "an expression");
      const std::string_view word = lines_.words()[0];
      Index made = -1;
      if (word.front() == 'o') {
        if (open.size() == deepest_expression) lines_.fail_word(0, "at most 4000 operators in each other");
        open.push_back(read_operator());
        continue;
      }
      if (word.front() == 'n' || word.front() == 's' || word.front() == 'l') {
        const double value = lines_.real(0, "a number", 1);
        if (open.empty() && value == 0.0) return -1;
        made = all.add_number(value);
      } else if (word.front() == 'v') {
        made = variable();
      } else {
        lines_.fail_word(0, "o and an operator, n and a number or v and a variable");
      }
      while (!open.empty()) {
        open.back().operands.push_back(made);
        if (--open.back().missing > 0) break;
        made = closed(open.back());
        open.pop_back();
      }
      if (open.empty()) return made;
    }
  }

  Open read_operator() {
    const Index number = lines_.integer(0, 0, 1000, "o and an operator", 1);
    const std::optional<int> operands = num_operands(static_cast<int>(number));
    if (!operands) lines_.fail_word(0, "an operator that is read here (docs/file_formats.md)");
    Open one{.what = static_cast<NlOperator>(number), .missing = *operands};
    if (one.missing < 0) {
      lines_.next();
      one.missing = lines_.integer(0, 1, std::max<Index>(lines_.left(), 1), "a number of operands");
    }
    return one;
  }

  Index variable() {
    const Index n = file_.num_variables;
    const Index i = lines_.integer(0, 0, n + static_cast<Index>(defined_.size()) - 1, "v and a variable", 1);
    if (i < n) return file_.expressions.add_variable(i);
    const Index root = defined_[static_cast<std::size_t>(i - n)];
    if (root < 0) lines_.fail_word(0, "a variable that was defined before");
    return root;
  }

  Index closed(const Open& one) {
    NlExpressions& all = file_.expressions;
    const auto& operands = one.operands;
    if (num_operands(static_cast<int>(one.what)) != -1) {
      return all.add(one.what, operands[0], operands.size() > 1 ? operands[1] : -1,
                     operands.size() > 2 ? operands[2] : -1);
    }
    Index made = operands[0];
    for (std::size_t k = 1; k < operands.size(); ++k) made = all.add(one.what, made, operands[k]);
    return made;
  }

  NlLines lines_;
  NlFile file_;
  Index num_rows_ = 0, num_row_terms_ = 0, num_objective_terms_ = 0;
  bool has_rows_ = false, has_bounds_ = false;
  std::vector<bool> has_body_{}, has_objective_{};
  std::vector<Index> defined_{};
};

}  // namespace

NlFile read_nl_text(std::string_view text, std::string_view name) { return NlReader(text, name).read(); }

bool is_nl(std::string_view text) noexcept {
  return text.size() > 1 && (text[0] == 'g' || text[0] == 'b') && text[1] >= '0' && text[1] <= '9';
}

}  // namespace nonsmooth::problem_files
