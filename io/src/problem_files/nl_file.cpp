// SPDX-License-Identifier: Apache-2.0
#include "nl_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <numeric>
#include <optional>

#include <nonsmooth/io/problem_file.hpp>

#include "nl.hpp"
#include "nl_tokens.hpp"
#include "stored_matrix.hpp"
#include "text_cursor.hpp"

namespace nonsmooth::problem_files {
namespace {

constexpr std::size_t num_header_lines = 10;
constexpr std::size_t deepest_expression = 4000;  // operators that are open at once

/// Up to the end of the header's last line.
std::size_t size_of_header(std::string_view file) {
  std::size_t end = 0;
  for (std::size_t line = 0; line < num_header_lines && end < file.size(); ++line)
    end = std::min(file.find('\n', end), file.size() - 1) + 1;
  return end;
}

class NlReader {
 public:
  NlReader(std::string_view file, std::string_view name)
      : binary_(file.starts_with('b')),
        rest_(binary_ ? file.substr(size_of_header(file)) : std::string_view()),
        name_(name),
        tokens_(nl_lines(file.substr(0, binary_ ? file.size() - rest_.size() : file.size()), name)) {}

  [[nodiscard]] NlFile read() {
    read_header();
    while (tokens_->next()) read_segment();
    if (!has_rows_ && num_rows_ > 0) tokens_->fail("no segment r up to the end", "the sides of the rows");
    if (!has_bounds_) tokens_->fail("no segment b up to the end", "the bounds of the variables");
    for (Index i = 0; i < num_rows_; ++i) {
      if (!has_body_[static_cast<std::size_t>(i)]) {
        tokens_->fail("no segment C" + std::to_string(i) + " up to the end", "one for each row");
      }
    }
    for (std::size_t i = 0; i < has_objective_.size(); ++i) {
      if (!has_objective_[i]) {
        tokens_->fail("no segment O" + std::to_string(i) + " up to the end", "one for each objective");
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
    tokens_->fail(std::to_string(found) + " terms in all " + what, std::to_string(expected) + ", as line 8 says");
  }

  void read_header() {
    std::array<std::vector<Index>, num_header_lines> header;
    (void)tokens_->next();
    for (std::size_t line = 1; line < num_header_lines; ++line) {
      (void)tokens_->next();
      header[line] = tokens_->integers(0, largest_size, "a number of the header");
      constexpr std::array<std::size_t, num_header_lines> least = {0, 3, 2, 2, 3, 2, 5, 2, 2, 5};
      if (header[line].size() < least[line]) tokens_->fail("the end of the line", "another number of the header");
      if (line == 3 && header[3][0] + header[3][1] > 0) tokens_->fail("network constraints", "none");
      if (line == 5 && header[5][1] > 0) tokens_->fail("imported functions", "none");
      if (line == 6 && std::accumulate(header[6].begin(), header[6].end(), Index{0}) > 0) {
        tokens_->fail("integer variables", "continuous ones, others are not solved here");
      }
      if (line == 1 && header[1].size() > 5 && header[1][5] > 0) tokens_->fail("logical constraints", "none");
      // Each has a line of its own, or some bytes.
      for (std::size_t k = 0; line == 1 && k < 3; ++k) {
        if (header[1][k] > most_items()) tokens_->fail(std::to_string(header[1][k]), "fewer, for a file of its size");
      }
    }
    file_.num_variables = header[1][0];
    num_rows_ = header[1][1];
    num_row_terms_ = header[7][0];
    num_objective_terms_ = header[7][1];
    if (file_.num_variables == 0) tokens_->fail("no variables", "at least one");
    file_.rows.resize(static_cast<std::size_t>(num_rows_));
    has_body_.resize(file_.rows.size(), false);
    file_.objectives.resize(static_cast<std::size_t>(header[1][2]));
    has_objective_.resize(file_.objectives.size(), false);
    file_.maximised.resize(file_.objectives.size(), false);
    file_.row_ranges.resize(file_.rows.size());
    file_.variable_ranges.resize(static_cast<std::size_t>(file_.num_variables));
    Index num_defined = 0;
    for (std::size_t k = 0; k < 5; ++k) num_defined += header[num_header_lines - 1][k];
    if (num_defined > most_items()) tokens_->fail(std::to_string(num_defined), "fewer, for a file of its size");
    defined_.resize(static_cast<std::size_t>(num_defined), -1);
    if (binary_) read_on_in_bytes(header[5].size() > 2 ? header[5][2] : 0);
  }

  /// `kind`: 1 of numbers whose least byte is first, 2 whose last is, 0 of those of this machine.
  void read_on_in_bytes(Index kind) {
    if (kind > 2) tokens_->fail(std::to_string(kind), "numbers of IEEE, 1 or 2, in line 6");
    const bool swapped = kind != 0 && (kind == 1) != (std::endian::native == std::endian::little);
    tokens_ = nl_bytes(rest_, name_, swapped);
  }
  [[nodiscard]] Index most_items() const { return tokens_->left() + static_cast<Index>(rest_.size()); }

  void read_segment() {
    constexpr const char* segments = "a segment C, O, V, J, G, x, r, b, d, k or S";
    const auto index = [&](Index count, const char* what) { return tokens_->integer(0, count - 1, what); };
    switch (const char head = tokens_->letter(segments); head) {
      case 'C': {
        const auto i = static_cast<std::size_t>(index(num_rows_, "C and a row"));
        if (has_body_[i]) tokens_->fail_item("each row once");
        has_body_[i] = true;
        file_.rows[i].root = read_expression();
        return;
      }
      case 'O': {
        const auto i = static_cast<std::size_t>(
            index(static_cast<Index>(file_.objectives.size()), "O and the number of an objective"));
        if (has_objective_[i]) tokens_->fail_item("each objective once");
        has_objective_[i] = true;
        file_.maximised[i] = tokens_->integer(0, 1, "0 (minimise) or 1 (maximise),") == 1;
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
        return tokens_->skip(tokens_->integer(0, tokens_->left(), "a number of items"), head == 'd', head == 'd');
      case 'S':
        return skip_suffix();
      default:
        tokens_->fail_item(segments);
    }
  }

  /// S kind n name: hints to solvers, but for special ordered sets, which are constraints.
  void skip_suffix() {
    constexpr std::array<std::string_view, 4> of_sets = {"sosno", "ref", "sos", "sosref"};
    constexpr Index of_reals = 4;
    const Index kind = tokens_->integer(0, 7, "a kind of suffix");
    const Index count = tokens_->integer(0, tokens_->left(), "a number of items");
    const std::string_view name = tokens_->word();
    if (std::find(of_sets.begin(), of_sets.end(), name) != of_sets.end())
      tokens_->fail(in_quotes(name), "no special ordered sets, which are not solved here");
    tokens_->skip(count, true, (kind & of_reals) != 0);
  }

  void read_linear(std::vector<NlTerm>& terms) {
    if (!terms.empty()) tokens_->fail_item("each segment once");
    const Index count = tokens_->integer(0, file_.num_variables, "a number of terms");
    for (Index k = 0; k < count; ++k) terms.push_back(read_term());
    std::sort(terms.begin(), terms.end(), [](const NlTerm& a, const NlTerm& b) { return a.variable < b.variable; });
    if (std::adjacent_find(terms.begin(), terms.end(),
                           [](const NlTerm& a, const NlTerm& b) { return a.variable == b.variable; }) != terms.end()) {
      tokens_->fail("a variable twice in this segment", "each once");
    }
  }

  NlTerm read_term() {
    (void)tokens_->next();
    const Index variable = tokens_->integer(0, file_.num_variables - 1, "a variable");
    return {.variable = variable, .factor = tokens_->real("its factor")};
  }

  /// V i n k: variable i is defined as an expression and n linear terms; k says where it is used.
  void read_defined() {
    const Index n = file_.num_variables;
    const Index i = tokens_->integer(n, n + static_cast<Index>(defined_.size()) - 1, "V and a defined variable");
    if (defined_[static_cast<std::size_t>(i - n)] >= 0) tokens_->fail_item("each defined variable once");
    const Index count = tokens_->integer(0, n, "a number of terms");
    (void)tokens_->integer(0, largest_size, "where it is used");
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
    const Index count = tokens_->integer(0, file_.num_variables, "x and a number of items");
    if (file_.start.size() > 0) tokens_->fail_item("each segment once");
    file_.start = Eigen::VectorXd::Zero(file_.num_variables);
    std::vector<bool> given(static_cast<std::size_t>(file_.num_variables), false);
    for (Index k = 0; k < count; ++k) {
      const NlTerm term = read_term();
      if (given[static_cast<std::size_t>(term.variable)]) fail_value(term.variable, "each variable once");
      given[static_cast<std::size_t>(term.variable)] = true;
      file_.start[term.variable] = term.factor;
    }
  }

  /// "0 l u", "1 u", "2 l", "3", "4 v".
  void read_range(NlRange& range, Index type) {
    if (type == 0 || type == 2) range.lower = tokens_->real("a lower bound");
    if (type == 0 || type == 1) range.upper = tokens_->real("an upper bound");
    if (type == 4) range.lower = range.upper = tokens_->real("a value");
    if (range.lower > range.upper) tokens_->fail("a lower bound above the upper one", "one that is not");
  }

  void read_bounds() {
    if (has_bounds_) tokens_->fail_item("each segment once");
    has_bounds_ = true;
    for (NlRange& range : file_.variable_ranges) {
      (void)tokens_->next();
      read_range(range, tokens_->kind(4, "a kind of bounds"));
    }
  }

  void read_rows() {
    if (has_rows_) tokens_->fail_item("each segment once");
    has_rows_ = true;
    std::vector<bool> complemented(static_cast<std::size_t>(file_.num_variables), false);
    for (NlRange& range : file_.row_ranges) {
      (void)tokens_->next();
      const Index type = tokens_->kind(5, "a kind of row");
      if (type != 5) {
        read_range(range, type);
        continue;
      }
      const Index which = tokens_->integer(0, 3, "which bounds the variable has,");
      range.complements = tokens_->integer(1, file_.num_variables, "a variable, counted from 1,") - 1;
      range.has_lower = which % 2 == 1;
      range.has_upper = which >= 2;
      if (complemented[static_cast<std::size_t>(range.complements)])
        fail_value(range.complements + 1, "each variable once");
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
    constexpr const char* nodes = "o and an operator, n and a number or v and a variable";
    while (true) {
      if (!tokens_->next()) tokens_->fail("the end", "an expression");
      const char head = tokens_->letter(nodes);
      Index made = -1;
      if (head == 'o') {
        if (open.size() == deepest_expression) tokens_->fail_item("at most 4000 operators in each other");
        open.push_back(read_operator());
        continue;
      }
      if (head == 'n' || head == 's' || head == 'l') {
        const double value = tokens_->constant(head);
        if (open.empty() && value == 0.0) return -1;
        made = all.add_number(value);
      } else if (head == 'v') {
        made = variable();
      } else {
        tokens_->fail_item(nodes);
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
    const Index number = tokens_->integer(0, 1000, "o and an operator");
    const std::optional<int> operands = num_operands(static_cast<int>(number));
    if (!operands) fail_node('o', number, "an operator that is read here (docs/file_formats.md)");
    Open one{.what = static_cast<NlOperator>(number), .missing = *operands};
    if (one.missing < 0) {
      (void)tokens_->next();
      one.missing = tokens_->integer(1, std::max<Index>(tokens_->left(), 1), "a number of operands");
    }
    return one;
  }

  Index variable() {
    const Index n = file_.num_variables;
    const Index i = tokens_->integer(0, n + static_cast<Index>(defined_.size()) - 1, "v and a variable");
    if (i < n) return file_.expressions.add_variable(i);
    const Index root = defined_[static_cast<std::size_t>(i - n)];
    if (root < 0) fail_node('v', i, "a variable that was defined before");
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

  [[noreturn]] void fail_value(Index value, const std::string& expected) const {
    tokens_->fail(in_quotes(std::to_string(value)), expected);
  }
  [[noreturn]] void fail_node(char letter, Index number, const std::string& expected) const {
    tokens_->fail(in_quotes(letter + std::to_string(number)), expected);
  }

  bool binary_;
  std::string_view rest_, name_;  ///< what follows the header of the binary form
  std::unique_ptr<NlTokens> tokens_;
  NlFile file_;
  Index num_rows_ = 0, num_row_terms_ = 0, num_objective_terms_ = 0;
  bool has_rows_ = false, has_bounds_ = false;
  std::vector<bool> has_body_{}, has_objective_{};
  std::vector<Index> defined_{};
};

}  // namespace

NlFile read_nl_file(std::string_view file, std::string_view name) { return NlReader(file, name).read(); }

bool is_nl(std::string_view text) noexcept {
  return text.size() > 1 && (text[0] == 'g' || text[0] == 'b') && text[1] >= '0' && text[1] <= '9';
}

}  // namespace nonsmooth::problem_files
