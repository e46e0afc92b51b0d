// SPDX-License-Identifier: Apache-2.0
// AMPL's .nl in its binary form: texts with every segment, translated here into bytes of either order, are the same
// problems; what is cut short or wrong is told with its byte.
#include <bit>

#include <nonsmooth/numerics/mcp.hpp>
#include <nonsmooth/numerics/qp.hpp>

#include "nl_texts.hpp"
#include "problem_files.hpp"

namespace nonsmooth::nl_binary_files_test {
namespace {

using namespace nonsmooth::problem_files_test;

using namespace nonsmooth::nl_texts;

TEST(NlBinary, ComplementarityIsThatOfTheText) {
  const auto text = std::get<mcp::Problem>(read_problem_text(complementarity_text, "f").problem);
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const ProblemFile file = read_problem_text(Translation(complementarity_text, order).bytes(), "f");
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
  const ProblemFile text = read_problem_text(program_text, "f");
  const auto& expected = std::get<qp::Problem>(text.problem);
  EXPECT_EQ(expected.Q, (Eigen::Matrix2d{{2, 0}, {0, 2}}));
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const ProblemFile file = read_problem_text(Translation(program_text, order).bytes(), "f");
    EXPECT_TRUE(file.maximise);
    EXPECT_EQ(file.objective(0.0), text.objective(0.0));  // its constant
    expect_same(std::get<qp::Problem>(file.problem), expected);
  }
}

std::string told(const std::string& bytes) {
  return complaint<FormatError>([&] { (void)read_problem_text(bytes, "f"); });
}

TEST(NlBinary, BytesThatAreCutShortAreRefused) {
  for (const char* text : {complementarity_text, program_text}) {
    const Translation whole(text, std::endian::little);
    for (std::size_t size = whole.header(); size < whole.bytes().size(); ++size)
      EXPECT_TRUE(contains(told(whole.bytes().substr(0, size)), "f, ")) << size;
  }
}

TEST(NlBinary, WhatIsWrongIsToldWithItsByte) {
  const Translation whole(program_text, std::endian::little);
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
