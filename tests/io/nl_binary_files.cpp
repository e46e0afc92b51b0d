// SPDX-License-Identifier: Apache-2.0
// AMPL's .nl in its binary form: texts with every segment, translated here into bytes of either order, are the same
// problems; what is cut short or wrong is told with its byte.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <sstream>

#include <nonsmooth/numerics/mcp.hpp>
#include <nonsmooth/numerics/qp.hpp>

#include "problem_files.hpp"

namespace nonsmooth::nl_binary_files_test {
namespace {

using namespace nonsmooth::problem_files_test;

/// Translates a text whose operators are sums (54) and those of one and two operands.
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
    rest_ << lines.rdbuf();
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
    const bool one = number == 16 || number == 44;
    int operands = one ? 1 : 2;
    if (number == 54) operands = copy<std::int32_t>();
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
constexpr const char* kComplementarity = R"(g3 1 1 0
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
constexpr const char* kProgram = R"(g3 1 1 0
 2 2 1 1 1
 0 1
 0 0
 0 2 0
 0 0 0 1
 0 0 0 0 0
 4 1
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
G0 1
1 0.5
)";

TEST(NlBinary, ComplementarityIsThatOfTheText) {
  const auto text = std::get<mcp::Problem>(read_problem_text(kComplementarity, "f").problem);
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const ProblemFile file = read_problem_text(Translation(kComplementarity, order).bytes(), "f");
    EXPECT_EQ(file.format, FileFormat::Nl);
    const auto& problem = std::get<mcp::Problem>(file.problem);
    EXPECT_EQ(problem.lower, text.lower);
    EXPECT_EQ(problem.upper, text.upper);
    EXPECT_EQ(problem.start, Eigen::Vector2d(0.5, -0.25));
    const Eigen::VectorXd x = Eigen::Vector2d(0.3, -0.4);
    const double u = 0.3 - 0.8 - 0.12;
    Eigen::VectorXd f(2), g(2);
    EXPECT_FALSE(evaluate(problem.F, x, f));
    EXPECT_FALSE(evaluate(text.F, x, g));
    EXPECT_EQ(f, g);
    EXPECT_NEAR(f[0], 0.09 + u * u - 2.8, 1e-14);             // terms of at most 3
    EXPECT_NEAR(f[1], -std::exp(-u) - 70000.0 + 0.3, 1e-10);  // terms of 7e4
    EXPECT_TRUE(compare_jacobian(problem.F, x).agrees);
  }
}

TEST(NlBinary, AProgramIsThatOfTheText) {
  const ProblemFile text = read_problem_text(kProgram, "f");
  const auto& expected = std::get<qp::Problem>(text.problem);
  EXPECT_EQ(expected.Q, (Eigen::Matrix2d{{2, 0}, {0, 2}}));
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const ProblemFile file = read_problem_text(Translation(kProgram, order).bytes(), "f");
    EXPECT_TRUE(file.maximise);
    EXPECT_EQ(file.objective(0.0), text.objective(0.0));  // its constant
    expect_same(std::get<qp::Problem>(file.problem), expected);
  }
}

std::string told(const std::string& bytes) {
  return complaint<FormatError>([&] { (void)read_problem_text(bytes, "f"); });
}

TEST(NlBinary, BytesThatAreCutShortAreRefused) {
  for (const char* text : {kComplementarity, kProgram}) {
    const Translation whole(text, std::endian::little);
    for (std::size_t size = whole.header(); size < whole.bytes().size(); ++size)
      EXPECT_TRUE(contains(told(whole.bytes().substr(0, size)), "f, ")) << size;
  }
}

TEST(NlBinary, WhatIsWrongIsToldWithItsByte) {
  const Translation whole(kProgram, std::endian::little);
  const auto with = [&](std::size_t at, const std::string& put) {
    std::string bytes = whole.bytes();
    return told(bytes.replace(whole.header() + at, put.size(), put));
  };
  EXPECT_TRUE(contains(with(0, "L"), "f, byte 1 behind the header: found 'L', expected a segment C, O, V"));
  EXPECT_TRUE(contains(with(1, "\x07"), "f, byte 5 behind the header: found 7, expected C and a row from 0 to 1"));
  EXPECT_TRUE(contains(with(5, "f"), "found 'f', expected o and an operator"));
  std::string kind = whole.bytes();
  kind.replace(kind.find(" 0 0 1 1"), 8, " 0 0 5 1");
  EXPECT_TRUE(contains(told(kind), "found 5, expected numbers of IEEE, 1 or 2, in line 6"));
}

}  // namespace
}  // namespace nonsmooth::nl_binary_files_test
