// SPDX-License-Identifier: Apache-2.0
// Texts whose sizes, counts, offsets or indices overflow: each integer in turn becomes one that a 32-bit or a 64-bit
// number cannot hold, or whose sums and products cannot be. Refused with its place, before anything is allocated.
#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "problem_files.hpp"

namespace nonsmooth::problem_files_sizes_test {
namespace {

using namespace nonsmooth::problem_files_test;

constexpr std::array<const char*, 10> sizes_that_overflow = {
    "2147483647",          "2147483648",          "4294967296",
    "3037000500",  // the root of 2^63
    "1152921504606846976", "4611686018427387904", "9223372036854775807", "-1", "-2147483648", "-9223372036854775808"};

std::string text_written(const AnyProblem& problem, const std::filesystem::path& path) {
  write_problem(problem, path);
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Index rows_of(const AnyProblem& problem) {
  return std::visit(
      [](const auto& any) -> Index {
        if constexpr (requires { any.q.size(); }) return any.q.size();
        if constexpr (requires { any.w.size(); }) return any.w.size();
        return -1;
      },
      problem);
}

class DeclaredSizes : public Files {
 protected:
  /// Replaces every whole number of the text; a number that is an entry of a matrix may be read.
  static void expect_refused(const std::string& text) {
    const AnyProblem whole = read_problem_text(text, "f").problem;
    Index refused = 0;
    for (std::size_t begin = text.find_first_of("0123456789"); begin != std::string::npos;) {
      const std::size_t end = std::min(text.find_first_of(" \t\r\n,", begin), text.size());
      const std::string word = text.substr(begin, end - begin);
      const bool whole_number = word.find_first_not_of("0123456789") == std::string::npos &&
                                (begin == 0 || std::isspace(static_cast<unsigned char>(text[begin - 1])) != 0);
      for (const char* size :
           whole_number ? std::span<const char* const>(sizes_that_overflow) : std::span<const char* const>()) {
        const std::string changed = text.substr(0, begin) + size + text.substr(end);
        try {
          const AnyProblem read = read_problem_text(changed, "f").problem;
          EXPECT_EQ(rows_of(read), rows_of(whole)) << changed;
        } catch (const FormatError& error) {
          EXPECT_TRUE(contains(error.what(), "f, line ")) << error.what();
          ++refused;
        } catch (const std::exception& error) {
          ADD_FAILURE() << error.what() << " from\n" << changed;
        }
      }
      begin = text.find_first_of("0123456789", end);
    }
    EXPECT_GE(refused, 10) << "no size was found in\n" << text;
  }
};

TEST_F(DeclaredSizes, OfEveryStorageInTexts) {
  const std::string q = "-1 1\n";
  expect_refused("2\n0\n2\n2\n2\t2\n2 4\n3 5\n-1 +1e0\n");
  expect_refused("2\n1\n2\n2\n1\n1\n1\n2\n2\n2\n1\n0 1\n0\n0\n2 4 3 5\n" + q);
  expect_refused("2\n1\n2\n2\n4\n2\n2\n1 2\n1 2\n3\n4\n0 2 4\n1 0 0 1\n0\n3\n1\n2\n2\n4\n3\n5\n" + q);
  expect_refused(
      "2\n2\n2\n2\n1\nCSparse Version 3.1.9\ntriplet: 2-by-2, nzmax: 9 nnz: 5\n 0 0 : 1\n 0 1 : 3\n 1 0 : 4\n 1 1 : 5\n"
      " 0 0 : 1\n" +
      q);
  expect_refused(
      "2\n2\n2\n2\n2\nCSparse\n2-by-2, nzmax: 4 nnz: 4, 1-norm: 8\n col 0 : locations 0 to 1\n 0 : 2\n 1 : 4\n"
      " col 1 : locations 2 to 3\n 0 : 3\n 1 : 5\n" +
      q);
}

TEST_F(DeclaredSizes, OfEveryClassInTexts) {
  for (const AnyProblem& problem :
       {AnyProblem(dense_lcp()), AnyProblem(sparse_lcp()), AnyProblem(dense_relay()), AnyProblem(some_mlcp(2, 3, 2)),
        AnyProblem(friction_problem(2)), AnyProblem(friction_problem(3)), AnyProblem(soc_cones()),
        AnyProblem(global_friction(3)), AnyProblem(rolling(5))}) {
    expect_refused(text_written(problem, file("problem.dat")));
  }
}

TEST_F(DeclaredSizes, OfMatrixMarket) {
  for (const AnyProblem& problem : {AnyProblem(dense_lcp()), AnyProblem(sparse_lcp())}) {
    const std::string text = text_written(problem, file("problem.mtx"));
    const std::size_t line = text.find_first_of("0123456789", text.find('\n'));
    for (std::size_t begin = line; begin < text.find('\n', line);) {
      const std::size_t end = text.find_first_of(" \n", begin);
      for (const char* size : sizes_that_overflow) {
        std::ofstream(file("problem.mtx"), std::ios::binary) << text.substr(0, begin) << size << text.substr(end);
        EXPECT_THROW((void)read_problem(file("problem.mtx")), FormatError) << size;
      }
      begin = end + 1;
    }
  }
}

}  // namespace
}  // namespace nonsmooth::problem_files_sizes_test
