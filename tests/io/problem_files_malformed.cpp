// SPDX-License-Identifier: Apache-2.0
// Texts that are not what they say: each is refused with its place, what was found and what was expected.
#include <sys/stat.h>

#include <cstdio>
#include <string>
#include <vector>

#include "problem_files.hpp"

namespace nonsmooth::problem_files_malformed_test {
namespace {

using namespace nonsmooth::problem_files_test;

std::string refusal(const std::string& text) {
  return complaint<FormatError>([&] { (void)read_problem_text(text, "f"); });
}

/// What follows the layout that fits furthest is cut off.
std::string reason(const std::string& text) {
  const std::string all = refusal(text);
  return all.substr(0, all.find(" (read as "));
}

const std::string sparse_head = "2\n2\n2\n2\n1\nCSparse\n";

TEST(MalformedSiconosText, EndsTooEarly) {
  EXPECT_EQ(refusal(""), "f: found an empty file, expected a problem");
  EXPECT_EQ(refusal(" \n "), "f: found an empty file, expected a problem");
  EXPECT_EQ(reason("2\n0\n2\n2\n2 2\n1 0 0 1\n-1\n"),
            "f, line 8, column 1: found 1 words up to the end, expected the 2 numbers of q");
  EXPECT_EQ(reason("2\n0\n2\n2\n2 2\n1 0 0"), "f, line 5, column 3: found 2 x 2, expected M of at most 3 entries");
}

TEST(MalformedSiconosText, HoldsAWordThatIsNoNumber) {
  EXPECT_EQ(refusal("2\n0\n2\n2\n2 2\n1 0 x 1\n-1 -1\n"),
            "f, line 6, column 5: found 'x', expected M, a number (read as lcp, which fits furthest)");
  EXPECT_EQ(reason("2\n0\n2\n2\n2 2\n1 0 0 1\n-1 1,5\n"), "f, line 7, column 4: found '1,5', expected q, a number");
  EXPECT_EQ(reason("2\n0\n2\n2\n2 2\n1 0 0 1\n-1 0x1p3\n"), "f, line 7, column 4: found '0x1p3', expected q, a number");
  EXPECT_EQ(reason("2\n0\n2\n2\n2 2\n1 0 0 1\n-1 " + std::string(60, 'y')),
            "f, line 7, column 4: found '" + std::string(40, 'y') + "...', expected q, a number");
}

TEST(MalformedSiconosText, HoldsANumberThatIsNotFinite) {
  for (const char* word : {"nan", "inf", "-inf", "NaN", "infinity"}) {
    EXPECT_EQ(reason("2\n0\n2\n2\n2 2\n1 0 0 1\n-1 " + std::string(word)),
              "f, line 7, column 4: found '" + std::string(word) + "', expected q, a finite number");
  }
  EXPECT_EQ(reason("2\n0\n2\n2\n2 2\n1 0 0 1e999\n-1 1\n"), "f, line 6, column 7: found '1e999', expected M, a number");
  EXPECT_EQ(reason("1\n0\n1\n1\n1 1\n1\n0.5\n0\nnan\n"),
            "f, line 9, column 1: found 'nan', expected the upper bounds, a number or an infinity");
}

TEST(MalformedSiconosText, TakesANumberBelowTheSmallestForZero) {
  const ProblemFile file = read_problem_text("1 0 1 1 1 1 1 -1e-999", "f");
  expect_same(std::get<lcp::Problem>(file.problem).q[0], -0.0);
}

TEST(MalformedSiconosText, SaysSizesThatCannotBe) {
  EXPECT_EQ(reason("2\n0\n2\n2\n2 3\n1 0 0 1\n-1 -1\n"),
            "f, line 5, column 3: found '3', expected M's number of columns, again = 2");
  EXPECT_EQ(reason("-2\n0\n-2\n-2\n"),
            "f, line 1, column 1: found '-2', expected the number of rows at least 1 and at "
            "most 4");
  EXPECT_TRUE(contains(reason("99999999999999999999\n0\n"), "f, line 1, column 1: found '99999999999999999999'"));
  // 10^18 entries, or a matrix of 10^9 x 10^9, are refused before anything is allocated.
  EXPECT_EQ(reason(sparse_head + "triplet: 2-by-2, nzmax: 4 nnz: 1000000000000000000\n0 0 : 1\n1 1\n"),
            "f, line 7, column 32: found '1000000000000000000', expected M's number of entries from 0 to 1");
  EXPECT_TRUE(contains(reason("0\n1000000000\n1000000000\n1000000000 1000000000\n1 2 3\n"), "expected"));
  EXPECT_TRUE(contains(reason("1\n1000000000000\n1000000000000\n0 0 0\n"), "expected"));
}

TEST(MalformedSiconosText, HoldsIndicesOutOfRange) {
  EXPECT_EQ(reason(sparse_head + "triplet: 2-by-2, nzmax: 2 nnz: 2\n0 0 : 1\n2 1 : 1\n-1 -1\n"),
            "f, line 9, column 1: found '2', expected M's row number at least 0 and at most 1");
  EXPECT_EQ(reason(sparse_head + "triplet: 2-by-2, nzmax: 2 nnz: 2\n0 0 : 1\n1 -1 : 1\n-1 -1\n"),
            "f, line 9, column 3: found '-1', expected M's column number at least 0 and at most 1");
  EXPECT_EQ(reason("2\n1\n2\n2\n1\n1\n1\n2\n2\n2\n1\n0 1\n1\n0\n1 0 0 1\n-1 -1\n"),
            "f, line 13, column 1: found '1', expected M's column number = 0");
  EXPECT_EQ(reason("2\n1\n2\n2\n2\n1\n1\n2\n2\n2\n2\n0 2\n0 0\n0\n1 0 0 1\n1\n1 0 0 1\n-1 -1\n"),
            "f, line 13, column 3: found block column 0 twice in block row 0, expected each block once");
  EXPECT_EQ(reason("2\n1\n2\n2\n1\n1\n1\n2\n2\n2\n1\n0 2\n0\n0\n1 0 0 1\n-1 -1\n"),
            "f, line 12, column 3: found '2', expected M's row pointer at least 0 and at most 1");
}

TEST(MalformedSiconosText, ContradictsItself) {
  EXPECT_EQ(reason("2\n2\n2\n2\n2\nCSparse\n2-by-2, nzmax: 2 nnz: 2, 1-norm: 1\n"
                   "col 0 : locations 0 to 1\n0 : 1\ncol 1 : locations 1 to 1\n1 : 1\n-1 -1\n"),
            "f, line 8, column 24: found '1', expected M's last location = 0");
  EXPECT_EQ(reason("2\n2\n2\n2\n4\nCSparse\ntriplet: 2-by-2, nzmax: 2 nnz: 2\n0 1 : 1\n1 0 : 1\n-1 -1\n"),
            "f, line 9, column 7: found entries on both sides of the diagonal, expected one half of a symmetric matrix "
            "(origin 4)");
  EXPECT_EQ(reason("1 1\n1 1\n0 1 2\n0 1\n0\n2\n2\n2 2\n1 3 2 4\n-1 -2\n1.5\n4\n2\n3\n-1\n-2\n"),
            "f, line 16, column 1: found A(0, 0) = 1.5 in the second storage, expected 1 as in the first");
  EXPECT_TRUE(contains(reason("1\n0\n1\n1\n1 1\n1\n0.5\n1\n0\n"), "f: relay::Problem::lower: found 1"));
}

TEST(MalformedSiconosText, HasNumbersLeftOver) {
  EXPECT_EQ(reason("1\n0\n1\n1\n1 1\n1\n-1\n7\n8\n9\n"),
            "f, line 10, column 1: found '9' left over, expected the end, or "
            "a remark on a line of its own, after # or of words");
  EXPECT_EQ(read_problem_text("1\n0\n1\n1\n1 1\n1\n-1\nremark 7\n8\n", "f").title, "remark 7\n8");
}

TEST(MalformedSiconosText, IsOfALawThatTheFileDoesNotHold) {
  EXPECT_EQ(reason("1\n2\n2\n1\n1\n1\n2\n2\n2\n1\n0 1\n0\n0\n1 0 0 1\n-1 -2\n3\n"),
            "f, line 16, column 1: found type 3, friction 2D, expected a type whose coefficients the file holds "
            "(0, 2, 4, 9)");
}

TEST(MalformedSiconosText, HasAGlobalFormThatDoesNotFit) {
  const auto complaint_of = [](const std::string& text) {
    return complaint<FormatError>([&] { (void)read_problem_text(text, "f", ProblemClass::GlobalFriction); });
  };
  EXPECT_TRUE(contains(complaint_of("2\n1\n0\n1\n2\n1 2\n1 1\n0\n1\n2\n1 2\n1 0\n-1\n0 0\n0.5\n"), "a square M"));
  EXPECT_TRUE(contains(complaint_of("2\n1\n0\n1\n1\n1 1\n1\n0\n1\n3\n1 3\n1 0 0\n-1\n0 0\n0.5\n"),
                       "expected H's number of columns = 2"));
  EXPECT_TRUE(
      contains(complaint_of("2\n1\n0\n1\n1\n1 1\n1\n0\n1\n2\n1 2\n1 0\n-1\n0 0\n-0.5\n"), "expected mu at least 0"));
  EXPECT_TRUE(contains(complaint_of("2\n1\n0\n1\n1\n1 1\n1\n0\n1\n2\n1 2\n1 0\n-1\n0 0\n"), "expected"));
}

TEST(MalformedSiconosText, SpeaksOfTheLayoutAskedFor) {
  const std::string text = "3\n1\n0\n3\n3\n3 3\n1 0 0 0 1 0 0 0 1\n-1 0 0\n-0.5\n";
  EXPECT_EQ(complaint<FormatError>([&] { (void)read_problem_text(text, "f", ProblemClass::Friction); }),
            "f, line 9, column 1: found -0.5, expected mu at least 0 (read as friction, which fits furthest)");
  EXPECT_EQ(complaint<FormatError>([&] { (void)read_problem_text(text, "f", ProblemClass::Relay); }),
            "f, line 3, column 1: found '0', expected M's number of rows = 3 (read as relay, which fits furthest)");
}

TEST(MalformedMatrixMarket, IsRefusedWithItsPlace) {
  EXPECT_EQ(refusal("%%MatrixMarket matrix array real general\n1 1\n1\n"),
            "f: found a matrix alone, expected its vector q in a file of the same name with _q before the extension");
  EXPECT_EQ(refusal("\211HDF\r\n\032\n"), "f: found HDF5, expected a text");
}

class MalformedMarketFiles : public Files {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::FILE* stream = std::fopen(file(name).c_str(), "wb");
    ASSERT_NE(stream, nullptr);
    std::fwrite(text.data(), 1, text.size(), stream);
    std::fclose(stream);
  }
  [[nodiscard]] std::string refusal_of(const std::string& matrix) const {
    write("p.mtx", matrix);
    const std::string text = complaint<FormatError>([&] { (void)read_problem(file("p.mtx")); });
    const std::string path = file("p.mtx").string();
    return text.starts_with(path) ? text.substr(path.size()) : text;
  }
};

const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n";
const std::string array = "%%MatrixMarket matrix array real general\n";

TEST_F(MalformedMarketFiles, AreRefusedWithTheirPlace) {
  EXPECT_TRUE(contains(refusal_of(array + "1 1\n1\n"), "found a matrix alone, expected its vector q"));
  write("p_q.mtx", array + "2 1\n-1\n-1\n");
  EXPECT_EQ(refusal_of(coordinate + "2 2 1\n3 1 1\n"),
            ", line 3, column 1: found '3', expected a row at least 1 and at most 2");
  EXPECT_EQ(refusal_of(coordinate + "2 2 1\n0 1 1\n"),
            ", line 3, column 1: found '0', expected a row at least 1 and at most 2");
  EXPECT_EQ(refusal_of(coordinate + "2 2 1000000000\n1 1 1\n"),
            ", line 4, column 1: found 3 words up to the end, expected the 3000000000 numbers of the entries");
  EXPECT_EQ(refusal_of(coordinate + "2 2 1\n1 1 nan\n"),
            ", line 3, column 5: found 'nan', expected an entry, a finite number");
  EXPECT_EQ(refusal_of(coordinate + "2 2 1\n1 1 1\n1 2 1\n"), ", line 4, column 1: found '1', expected the end");
  EXPECT_EQ(refusal_of(array + "3 3\n1\n"),
            ", line 2, column 1: found '3', expected the number of rows, those of q = 2");
  EXPECT_EQ(refusal_of("%%MatrixMarket matrix array complex general\n2 2\n1\n"),
            ", line 1, column 29: found 'complex', expected real or integer or pattern");
  EXPECT_EQ(refusal_of("%%MatrixMarket matrix array real hermitian\n2 2\n1\n"),
            ", line 1, column 34: found 'hermitian', expected general or symmetric or skew-symmetric");
  EXPECT_EQ(refusal_of("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n"),
            ", line 3, column 3: found an entry above the diagonal, expected the lower half of a symmetric matrix");
  write("p_lower.mtx", array + "2 1\n0\nnan\n");
  EXPECT_TRUE(contains(refusal_of(array + "2 2\n1\n0\n0\n1\n"), "p_lower.mtx, line 4, column 1: found 'nan'"));
  write("p_lower.mtx", array + "3 1\n0\n0\n0\n");
  EXPECT_TRUE(contains(refusal_of(array + "2 2\n1\n0\n0\n1\n"), "p_lower.mtx, line 2, column 1: found '3'"));
}

TEST_F(MalformedMarketFiles, EverySymmetryAndFieldIsRead) {
  write("p_q.mtx", "%%matrixmarket matrix array real general\n2 1\n-1\n-1\n");
  EXPECT_TRUE(contains(refusal_of(array + "2 2\n1\n0\n0\n1\n"), "p_q.mtx, line 1, column 1"));  // the mark has one case
  write("p_q.mtx", "%%MatrixMarket MATRIX Array Real General\n% remark\n\n2 1\n-1\n-1\n");
  const auto dense = [&](const std::string& text) {
    write("p.mtx", text);
    return std::get<lcp::Problem>(read_problem(file("p.mtx")).problem).M;
  };
  const auto sparse = [&](const std::string& text) {
    write("p.mtx", text);
    return Eigen::MatrixXd(std::get<lcp::SparseProblem>(read_problem(file("p.mtx")).problem).M);
  };
  EXPECT_EQ(dense(array + "2 2\n1\n2\n3\n4\n"), (Eigen::MatrixXd{{1, 3}, {2, 4}}));
  EXPECT_EQ(dense("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n4\n"), (Eigen::MatrixXd{{1, 2}, {2, 4}}));
  EXPECT_EQ(dense("%%MatrixMarket matrix array real skew-symmetric\n2 2\n2\n"), (Eigen::MatrixXd{{0, -2}, {2, 0}}));
  EXPECT_EQ(sparse("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 2\n"),
            (Eigen::MatrixXd{{0, -2}, {2, 0}}));
  EXPECT_EQ(sparse("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n"),
            (Eigen::MatrixXd{{1, 1}, {1, 0}}));
  EXPECT_EQ(sparse(coordinate + "2 2 3\n1 1 2\n1 1 3\n2 2 1\n"), (Eigen::MatrixXd{{5, 0}, {0, 1}}));  // summed
}

TEST_F(MalformedMarketFiles, AMissingBoundIsInfinite) {
  write("p_q.mtx", array + "2 1\n-1\n-1\n");
  write("p_lower.mtx", array + "2 1\n-inf\n0\n");
  write("p.mtx", array + "2 2\n1\n0\n0\n1\n");
  const auto problem = std::get<relay::Problem>(read_problem(file("p.mtx")).problem);
  EXPECT_EQ(problem.lower, Eigen::Vector2d(-infinity, 0.0));
  EXPECT_EQ(problem.upper, Eigen::Vector2d(infinity, infinity));
}

TEST(MalformedSiconosText, HasADamagedWordThatIsNoRemark) {
  EXPECT_EQ(reason("1 0 1 1 1 1 2 -1 x3 3"),
            "f, line 1, column 18: found 'x3', expected the lower bounds, a number or an infinity");
  EXPECT_EQ(
      complaint<FormatError>([] { (void)read_problem_text("1 0 1 1 1 1 2 -1 x3 3", "f", ProblemClass::Lcp); }),
      "f, line 1, column 18: found 'x3' left over, expected the end, or a remark on a line of its own, after # or "
      "of words (read as lcp, which fits furthest)");
  for (const char* rest : {"x3 3", "\nx3 3", " remark", " #3 3", "\n-x", "\n.", "\nnan", "\n# a\001b"}) {
    EXPECT_NE(refusal("1 0 1 1 1 1 2 -1" + std::string(rest)), "no such exception") << rest;
  }
  EXPECT_NE(refusal(std::string("1 0 1 1 1 1 2 -1\nremark\0", 24)), "no such exception");
  const auto title = [](const std::string& rest) { return read_problem_text("1 0 1 1 1 1 2 -1" + rest, "f").title; };
  EXPECT_EQ(title("\nRemark 4.1.14\n"), "Remark 4.1.14");
  EXPECT_EQ(title("\nnote: 3\r\nof 4\r\n"), "note: 3\nof 4");
  EXPECT_EQ(title("\n  # 1\n# 2\n#3\n"), "1\n2\n3");
  EXPECT_EQ(title("\n\xC3\x89tude 1"), "\xC3\x89tude 1");
}

TEST(MalformedSiconosText, SaysANumberTooLargeForADouble) {
  const std::string zeros(400, '0');
  const auto q = [](const std::string& word) {
    return std::get<lcp::Problem>(read_problem_text("1 0 1 1 1 1 1 " + word, "f").problem).q[0];
  };
  for (const std::string& word :
       std::vector<std::string>{"-1" + zeros + "e-50", "1" + zeros, "1" + zeros + ".5e-10", "0.001e999",
                                "1e99999999999999999999", "0." + zeros + "1e900"}) {
    EXPECT_NE(refusal("1 0 1 1 1 1 1 " + word), "no such exception") << word.substr(0, 20);
  }
  expect_same(q("-0." + zeros + "1"), -0.0);
  expect_same(q("0." + zeros + "1e+50"), 0.0);
  expect_same(q("1" + zeros + "e-900"), 0.0);
  expect_same(q("-1e-99999999999999999999"), -0.0);
}

TEST(MalformedSiconosText, MayBeginWithAByteOrderMark) {
  EXPECT_EQ(num_rows_of(read_problem_text("\xEF\xBB\xBF"
                                          "1 0 1 1 1 1 2 -1",
                                          "f")
                            .problem),
            1);
  EXPECT_EQ(refusal("\xEF\xBB\xBF"), "f: found an empty file, expected a problem");
}

TEST(MalformedSiconosText, WouldBeMostlyZeros) {
  // One stored entry of 5000 x 5000: an mlcp needs it dense, a cone needs its block.
  const std::string M = "1\n5000\n5000\n1\n2\n2\n1 5000\n1 5000\n2\n1\n0 1\n0\n0\n1\n";
  std::string q;
  for (int i = 0; i < 5000; ++i) q += "1 ";
  const std::string limit = "found 5000 x 5000, mostly not stored, expected at most 16777216 entries";
  EXPECT_TRUE(contains(refusal("1\n0\n0\n5000\n0 5000\n1\n" + M + q), limit));
  EXPECT_TRUE(contains(refusal("5000\n1\n" + M + q + "\n0 5000\n1\n"), limit));
}

class Paths : public Files {};

TEST_F(Paths, OfVectorsAreNotWrittenTo) {
  write_problem(dense_lcp(), file("a.mtx"));
  for (const char* name : {"a_q.mtx", "a_lower.mtx", "a_upper.mtx"}) {
    EXPECT_TRUE(contains(complaint<InvalidArgument>([&] { write_problem(dense_lcp(), file(name)); }),
                         "expected a name that does not end in _"));
  }
  expect_same(AnyProblem(dense_lcp()), read_problem(file("a.mtx")).problem);
  EXPECT_NO_THROW(write_problem(dense_lcp(), file("a_q.dat")));
}

TEST_F(Paths, ThatCannotBeWrittenLeaveNothingBehind) {
  for (const char* name : {"p.dat", "p.h5", "p.csv"}) {
    std::filesystem::create_directories(file(name) / "not empty");
    if (file(name).extension() == ".csv") {
      EXPECT_THROW(write_csv(Table({"a"}), file(name)), FileError);
    } else {
      EXPECT_THROW(write_problem(dense_lcp(), file(name)), FileError) << name;
    }
    EXPECT_FALSE(std::filesystem::exists(file(name).string() + ".partial")) << name;
  }
}

TEST_F(Paths, ThatAreNoRegularFilesAreSaidToBe) {
  ASSERT_EQ(::mkfifo(file("pipe.dat").c_str(), 0600), 0);
  EXPECT_TRUE(contains(complaint<FileError>([&] { (void)read_problem(file("pipe.dat")); }), "is no regular file"));
  EXPECT_TRUE(contains(complaint<FileError>([&] { (void)read_csv(file("pipe.dat")); }), "is no regular file"));
  EXPECT_TRUE(contains(complaint<FileError>([&] { (void)read_problem(file("")); }), "is no regular file"));
}

TEST_F(Paths, NameTheFileWhoseTitleCannotBe) {
  for (const char* name : {"p.dat", "p.mtx", "p.h5"}) {
    EXPECT_TRUE(
        contains(complaint<InvalidArgument>([&] { write_problem(dense_lcp(), file(name), std::string(70'000, 'x')); }),
                 std::string(name) + ": title: found 70000 bytes, expected at most 60000"));
    EXPECT_TRUE(contains(complaint<InvalidArgument>([&] { write_problem(dense_lcp(), file(name), "a\033[31m"); }),
                         "found the control character 27"));
    EXPECT_FALSE(std::filesystem::exists(file(name)));
  }
}

}  // namespace
}  // namespace nonsmooth::problem_files_malformed_test
