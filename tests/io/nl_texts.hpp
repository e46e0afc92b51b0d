// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

/// Texts of .nl files, their translation into bytes, and problems in them.
namespace nonsmooth::nl_texts {

inline std::string num(double value) {
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}
inline std::string n(double value) { return "n" + num(value) + "\n"; }
inline std::string v(Index i) { return "v" + std::to_string(i) + "\n"; }
inline std::string op(int number, const std::string& operands) {
  return "o" + std::to_string(number) + "\n" + operands;
}
inline std::string sum(const std::vector<std::string>& terms) {
  std::string text = "o54\n" + std::to_string(terms.size()) + "\n";
  for (const std::string& term : terms) text += term;
  return text;
}
inline std::string square(Index i) { return op(5, v(i) + n(2)); }

using Terms = std::vector<std::pair<Index, double>>;

/// What makes a file.
struct Nl {
  Index variables = 0;
  std::vector<std::string> rows{}, row_kinds{};           ///< an expression and "5 1 2", "4 0.5", ...
  std::vector<Terms> row_terms{};                         ///< of each row
  std::vector<std::string> bounds{};                      ///< of each variable
  std::vector<std::pair<int, std::string>> objectives{};  ///< sense and expression
  std::vector<Terms> objective_terms{};
  std::vector<std::pair<Terms, std::string>> defined{};
  Eigen::VectorXd start{};
};

inline std::string terms_text(const Terms& terms) {
  std::string text;
  for (const auto& [i, factor] : terms) text += std::to_string(i) + " " + num(factor) + "\n";
  return text;
}

inline bool varies(const std::string& expression) { return expression.find('v') != std::string::npos; }

/// The ten lines at the beginning. What varies stands first among rows, as AMPL's library needs it; all unknowns count
/// as nonlinear where anything is.
inline std::string header_of(const Nl& nl) {
  const auto count = [](const auto& all, const auto& is) {
    return std::to_string(std::count_if(all.begin(), all.end(), is));
  };
  const auto kind = [](char letter) { return [letter](const std::string& text) { return text[0] == letter; }; };
  const std::string all = std::to_string(nl.variables), none = "0";
  const bool in_rows = std::any_of(nl.rows.begin(), nl.rows.end(), varies);
  const bool in_objectives = std::any_of(nl.objectives.begin(), nl.objectives.end(),
                                         [](const auto& objective) { return varies(objective.second); });
  std::size_t row_terms = 0, objective_terms = 0, linear = 0, nonlinear = 0;
  for (const Terms& terms : nl.row_terms) row_terms += terms.size();
  for (const Terms& terms : nl.objective_terms) objective_terms += terms.size();
  for (std::size_t i = 0; i < nl.rows.size(); ++i) {
    if (nl.row_kinds[i][0] == '5') ++(varies(nl.rows[i]) ? nonlinear : linear);
  }
  return "g3 1 1 0\t# problem small\n " + all + " " + std::to_string(nl.rows.size()) + " " +
         std::to_string(nl.objectives.size()) + " " + count(nl.row_kinds, kind('0')) + " " +
         count(nl.row_kinds, kind('4')) + "\t# vars, constraints, objectives, ranges, eqns\n " +
         count(nl.rows, varies) + " " +
         count(nl.objectives, [](const auto& objective) { return varies(objective.second); }) + " " +
         std::to_string(linear) + " " + std::to_string(nonlinear) + " 0 0\n 0 0\n " + (in_rows ? all : none) + " " +
         (in_objectives ? all : none) + " " + (in_rows && in_objectives ? all : none) +
         "\t# nonlinear vars in constraints, objectives, both\n 0 0 0 1\n 0 0 0 0 0\n " + std::to_string(row_terms) +
         " " + std::to_string(objective_terms) + "\n 0 0\n " + std::to_string(nl.defined.size()) +
         " 0 0 0 0\t# common exprs: b,c,o,c1,o1\n";
}

/// How many terms the columns up to each have, but for the last.
inline std::string columns_text(const Nl& nl) {
  std::vector<Index> counts(static_cast<std::size_t>(nl.variables), 0);
  for (const Terms& terms : nl.row_terms) {
    for (const auto& [i, factor] : terms) ++counts[static_cast<std::size_t>(i)];
  }
  std::string text = "k" + std::to_string(nl.variables - 1) + "\t#columns\n";
  Index sum = 0;
  for (std::size_t i = 0; i + 1 < counts.size(); ++i) text += std::to_string(sum += counts[i]) + "\n";
  return text;
}

inline std::string nl_text(const Nl& nl) {
  std::string text = header_of(nl);
  for (std::size_t i = 0; i < nl.defined.size(); ++i) {
    text += "V" + std::to_string(nl.variables + static_cast<Index>(i)) + " " +
            std::to_string(nl.defined[i].first.size()) + " 0\n" + terms_text(nl.defined[i].first) +
            nl.defined[i].second;
  }
  for (std::size_t i = 0; i < nl.rows.size(); ++i) text += "C" + std::to_string(i) + "\n" + nl.rows[i];
  for (std::size_t i = 0; i < nl.objectives.size(); ++i) {
    text += "O" + std::to_string(i) + " " + std::to_string(nl.objectives[i].first) + "\n" + nl.objectives[i].second;
  }
  if (nl.start.size() > 0) text += "x" + std::to_string(nl.start.size()) + "\n";
  for (Index i = 0; i < nl.start.size(); ++i) text += std::to_string(i) + " " + num(nl.start[i]) + "\n";
  if (!nl.rows.empty()) text += "r\t#ranges\n";
  for (const std::string& kind : nl.row_kinds) text += kind + "\n";
  text += "b\t#bounds\n";
  for (const std::string& bound : nl.bounds) text += bound + "\n";
  if (!nl.rows.empty()) text += columns_text(nl);
  for (std::size_t i = 0; i < nl.row_terms.size(); ++i) {
    if (nl.row_terms[i].empty()) continue;
    text += "J" + std::to_string(i) + " " + std::to_string(nl.row_terms[i].size()) + "\n" + terms_text(nl.row_terms[i]);
  }
  for (std::size_t i = 0; i < nl.objective_terms.size(); ++i) {
    if (nl.objective_terms[i].empty()) continue;
    text += "G" + std::to_string(i) + " " + std::to_string(nl.objective_terms[i].size()) + "\n" +
            terms_text(nl.objective_terms[i]);
  }
  return text;
}

/// Kojima and Shindo 1986: F_1 = 3 x1^2 + 2 x1 x2 + 2 x2^2 + x3 + 3 x4 - 6, F_2 = 2 x1^2 + x1 + x2^2 + 10 x3 + 2 x4 -
/// 2, F_3 = 3 x1^2 + x1 x2 + 2 x2^2 + 2 x3 + 9 x4 - 9, F_4 = x1^2 + 3 x2^2 + 2 x3 + 3 x4 - 3; 0 <= x ⟂ F(x) >= 0. The
/// rows stand in another order than the variables that they complement.
inline Nl kojima_shindo(const Eigen::Vector4d& start) {
  const auto scaled = [](double factor, const std::string& of) { return op(2, n(factor) + of); };
  const std::string x12 = op(2, v(0) + v(1));
  Nl nl{.variables = 4, .bounds = {"2 0", "2 0", "2 0", "2 0"}, .start = start};
  nl.rows = {sum({square(0), scaled(3, square(1)), n(-3)}),
             sum({scaled(3, square(0)), scaled(2, x12), scaled(2, square(1)), n(-6)}),
             sum({scaled(3, square(0)), x12, scaled(2, square(1)), n(-9)}),
             sum({scaled(2, square(0)), square(1), n(-2)})};
  nl.row_kinds = {"5 1 4", "5 1 1", "5 1 3", "5 1 2"};
  nl.row_terms = {{{0, 0}, {1, 0}, {2, 2}, {3, 3}},
                  {{0, 0}, {1, 0}, {2, 1}, {3, 3}},
                  {{0, 0}, {1, 0}, {2, 2}, {3, 9}},
                  {{0, 1}, {1, 0}, {2, 10}, {3, 2}}};
  return nl;
}

/// Each operator of one number and of two, with its value at x = (a, b).
struct Known {
  std::string text;
  double value;
};

/// For 0 < a < b < 1 and 2 <= b / a < 3.
inline std::vector<Known> known_operators(double a, double b) {
  const std::string x = v(0), y = v(1), less = op(22, x + y), more = op(29, x + y);
  return {{op(0, x + y), a + b},
          {op(1, x + y), a - b},
          {op(2, x + y), a * b},
          {op(3, x + y), a / b},
          {op(4, y + x), std::fmod(b, a)},
          {op(5, x + y), std::pow(a, b)},
          {op(5, op(16, x) + n(3)), -a * a * a},
          {op(6, y + x), b - a},
          {op(6, x + y), 0.0},
          {"o11\n2\n" + x + y, a},
          {"o12\n2\n" + x + y, b},
          {op(13, y), 0.0},
          {op(14, y), 1.0},
          {op(15, op(16, x)), a},
          {op(16, x), -a},
          {op(35, less + x + y), a},
          {op(35, more + x + y), b},
          {op(35, op(20, more + less) + x + y), a},
          {op(35, op(21, more + less) + x + y), b},
          {op(35, op(23, x + y) + x + y), a},
          {op(35, op(24, x + y) + x + y), b},
          {op(35, op(28, x + y) + x + y), b},
          {op(35, op(30, x + y) + x + y), a},
          {op(35, op(34, less) + x + y), b},
          {op(37, x), std::tanh(a)},
          {op(38, x), std::tan(a)},
          {op(39, x), std::sqrt(a)},
          {op(40, x), std::sinh(a)},
          {op(41, x), std::sin(a)},
          {op(42, x), std::log10(a)},
          {op(43, x), std::log(a)},
          {op(44, x), std::exp(a)},
          {op(45, x), std::cosh(a)},
          {op(46, x), std::cos(a)},
          {op(47, x), std::atanh(a)},
          {op(48, x + y), std::atan2(a, b)},
          {op(49, x), std::atan(a)},
          {op(50, x), std::asinh(a)},
          {op(51, x), std::asin(a)},
          {op(52, op(0, x + n(1))), std::acosh(1.0 + a)},
          {op(53, x), std::acos(a)},
          {sum({x, y, x}), a + b + a},
          {op(55, y + x), 2.0}};
}

/// Translates a text into bytes of this order.
class Translation {
 public:
  Translation(const std::string& text, std::endian order) : swapped_(order != std::endian::native) {
    std::istringstream lines(text);
    std::string line;
    for (int k = 0; k < 10 && std::getline(lines, line); ++k) {
      if (k == 0) line[0] = 'b';
      if (k == 1) std::istringstream(line) >> variables_ >> rows_;
      if (k == 5) line = order == std::endian::little ? " 0 0 1 1" : " 0 0 2 1";
      bytes_ += line + "\n";
    }
    header_ = bytes_.size();
    while (std::getline(lines, line)) rest_ << line.substr(0, line.find('#')) << '\n';
    std::string word;
    while (rest_ >> word) segment(word);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::size_t header() const { return header_; }

 private:
  template <class T>
  void put(T value) {
    std::array<char, sizeof(T)> raw{};
    std::memcpy(raw.data(), &value, sizeof(T));
    if (swapped_) std::reverse(raw.begin(), raw.end());
    bytes_.append(raw.begin(), raw.end());
  }
  template <class T>
  T copy() {
    T value{};
    rest_ >> value;
    put(value);
    return value;
  }
  void items(int count, bool indices, bool reals) {
    for (int k = 0; k < count; ++k) {
      if (indices) copy<std::int32_t>();
      reals ? (void)copy<double>() : (void)copy<std::int32_t>();
    }
  }
  void segment(const std::string& word) {
    const char letter = word[0];
    bytes_ += letter;
    if (letter == 'r' || letter == 'b') return ranges(letter == 'r' ? rows_ : variables_);
    const int number = std::stoi(word.substr(1));
    put<std::int32_t>(number);
    if (letter == 'C') return expression();
    if (letter == 'k') return items(number, false, false);
    if (letter == 'x' || letter == 'd') return items(number, true, true);
    const int count = copy<std::int32_t>();
    if (letter == 'O') return expression();
    if (letter == 'V') copy<std::int32_t>();
    if (letter == 'S') {
      std::string name;
      rest_ >> name;
      put(static_cast<std::int32_t>(name.size()));
      bytes_ += name;
    }
    items(count, true, letter != 'S' || number >= 4);
    if (letter == 'V') expression();
  }
  void ranges(int count) {
    for (int k = 0; k < count; ++k) {
      char kind = 0;
      rest_ >> kind;
      bytes_ += kind;
      if (kind == '5') items(2, false, false);
      if (kind == '0') items(2, false, true);
      if (kind == '1' || kind == '2' || kind == '4') items(1, false, true);
    }
  }
  void expression() {
    std::string word;
    rest_ >> word;
    if (word[0] == 'n') {
      const double value = std::stod(word.substr(1));
      if (value == 7.0) return constant('s', std::int16_t{7});  // the short forms too
      if (value == -70000.0) return constant('l', std::int32_t{-70000});
      return constant('n', value);
    }
    const int number = std::stoi(word.substr(1));
    constant(word[0], static_cast<std::int32_t>(number));
    if (word[0] == 'v') return;
    const bool one = (number >= 13 && number <= 16) || number == 34 || (number >= 37 && number <= 53 && number != 48);
    int operands = one ? 1 : number == 35 ? 3 : 2;
    if (number == 54 || number == 11 || number == 12) operands = copy<std::int32_t>();
    for (int k = 0; k < operands; ++k) expression();
  }
  template <class T>
  void constant(char letter, T value) {
    bytes_ += letter;
    put(value);
  }

  bool swapped_;
  std::string bytes_;
  std::size_t header_ = 0;
  std::stringstream rest_;
  int variables_ = 0, rows_ = 0;
};

/// x0^2 + u^2 + 7 x1 complements x0 >= 0, -exp(-u) - 70000 + x0 in [-1, 2] x1; u = x0 + 2 x1 + x0 x1.
inline constexpr const char* complementarity_text = R"(g3 1 1 0
 2 2 0 0 0
 2 0 0 2 0 2
 0 0
 2 0 0
 0 0 0 1
 0 0 0 0 0
 4 0
 0 0
 1 0 0 0 0
V2 2 0
0 1
1 2
o2
v0
v1
C0
o54
3
o5
v0
n2
o5
v2
n2
o2
n7
v1
C1
o0
o16
o44
o16
v2
n-70000
S0 1 priority
1 4
S5 1 weight
0 0.25
x2
0 0.5
1 -0.25
d1
0 1.5
r
5 1 1
5 3 2
b
2 0
0 -1 2
k1
2
J0 2
0 0
1 0
J1 2
0 1
1 0
)";

/// Maximise -(x0 - 1)^2 - x1^2 + 0.5 x1 where 1 <= x0 + x1 <= 3, x0 - x1 = 0.25, x1 free.
inline constexpr const char* program_text = R"(g3 1 1 0
 2 2 1 1 1
 0 1
 0 0
 0 2 0
 0 0 0 1
 0 0 0 0 0
 4 2
 0 0
 0 0 0 0 0
C0
n0
C1
n0
O0 1
o16
o0
o5
o1
v0
n1
n2
o5
v1
n2
r
0 1 3
4 0.25
b
1 10
3
k1
2
J0 2
0 1
1 1
J1 2
0 1
1 -1
G0 2
0 0
1 0.5
)";

}  // namespace nonsmooth::nl_texts
