// SPDX-License-Identifier: Apache-2.0
// MPS and QPS: programs of the literature with the answers that it gives, every kind of row and bound, both forms of a
// line, and what is wrong told with line and column.
#include <fstream>

#include <nonsmooth/numerics/qp.hpp>

#include "problem_files.hpp"

namespace nonsmooth::mps_files_test {
namespace {

using namespace nonsmooth::problem_files_test;

/// 0.01 x1^2 + x2^2 - 100, 10 x1 - x2 >= 10, x1 in [2, 50], x2 in [-50, 50]: (2, 0), -99.96. Hock, Schittkowski 1981.
constexpr std::string_view hs21 = R"(* Fixed form, columns 2, 5, 15, 25, 40, 50.
NAME          HS21
ROWS
 N  OBJ
 G  CON1
COLUMNS
    X1        CON1      10.0
    X2        CON1      -1.0
RHS
    RHS       OBJ       100.0          CON1      10.0
BOUNDS
 LO BND       X1        2.0
 UP BND       X1        50.0
 LO BND       X2        -50.0
 UP BND       X2        50.0
QUADOBJ
    X1        X1        0.02
    X2        X2        2.0
ENDATA
)";

/// 9 - 8 x1 - 6 x2 - 4 x3 + 2 x1^2 + 2 x2^2 + x3^2 + 2 x1 x2 + 2 x1 x3, x1 + x2 + 2 x3 <= 3, x >= 0: (12, 7, 4) / 9,
/// 1/9. Free form, without the names of sets.
constexpr std::string_view hs35 = R"(NAME HS35 Beale
ROWS
 N obj
 L con
COLUMNS
 x1 obj -8 con 1
 x2 obj -6 con 1
 x3 obj -4 con 2
RHS
 obj -9 con 3
QUADOBJ
 x1 x1 4
 x1 x2 2
 x1 x3 2
 x2 x2 4
 x3 x3 2
ENDATA
)";

/// x1^2 + x2^2 / 2 + x3^2 + x4^2 / 2 - x1 x3 + x3 x4 - x1 - 3 x2 + x3 - x4, two rows below, one above, x >= 0:
/// (3, 23, 0, 6) / 11, -103/22. Both triangles of Q are there.
constexpr std::string_view hs76 = R"(NAME HS76
ROWS
 N  COST
 L  R1
 L  R2
 G  R3
COLUMNS
 X1 COST -1 R1 1
 X1 R2 3
 X2 COST -3 R1 2
 X2 R2 1 R3 1
 X3 COST 1 R1 1
 X3 R2 2 R3 4
 X4 COST -1 R1 1
 X4 R2 -1
RHS
 RHS R1 5 R2 4
 RHS R3 1.5
QMATRIX
 X1 X1 2
 X1 X3 -1
 X3 X1 -1
 X2 X2 1
 X3 X3 2
 X3 X4 1
 X4 X3 1
 X4 X4 1
ENDATA
)";

/// maximise x + 2 y + 1 with x + y <= 4, x - y in [-1, 2]: (1.5, 2.5), 7.5.
constexpr std::string_view most = R"(NAME
OBJSENSE
    MAX
ROWS
 N GAIN
 L SUM
 E DIFF
 N OTHER
COLUMNS
 X GAIN 1 SUM 1
 X DIFF 1 OTHER 5
 Y GAIN 2 SUM 1
 Y DIFF -1
RHS
 RHS GAIN -1 SUM 4
 RHS DIFF -1
RANGES
 RNG DIFF 3
ENDATA
)";

struct Known {
  std::string_view text;
  Eigen::VectorXd x;
  double objective;
};

TEST(Mps, ProgramsOfTheLiteratureHaveTheirAnswers) {
  for (const Known& known :
       {Known{hs21, Eigen::Vector2d(2, 0), -99.96}, Known{hs35, Eigen::Vector3d(12, 7, 4) / 9.0, 1.0 / 9.0},
        Known{hs76, Eigen::Vector4d(3, 23, 0, 6) / 11.0, -103.0 / 22.0}, Known{most, Eigen::Vector2d(1.5, 2.5), 7.5}}) {
    const ProblemFile file = read_problem_text(known.text, "f");
    EXPECT_EQ(file.format, FileFormat::Mps);
    const qp::Result result = qp::solve(std::get<qp::Problem>(file.problem));
    ASSERT_EQ(result.status, Status::Solved) << file.title << ": " << result.message();
    // Residuals are relative to data of at most 100, curvatures are 0.02 and more.
    EXPECT_LT((result.x - known.x).norm(), 1e-5) << file.title;
    EXPECT_NEAR(file.objective(result.figures.value), known.objective, 1e-5) << file.title;
  }
}

TEST(Mps, NamesTitleAndConstantAreKept) {
  const ProblemFile file = read_problem_text(hs35, "f");
  EXPECT_EQ(file.title, "HS35 Beale");
  EXPECT_EQ(file.unknown_names, (std::vector<std::string>{"x1", "x2", "x3"}));
  EXPECT_EQ(file.row_names, (std::vector<std::string>{"con"}));
  EXPECT_EQ(file.objective_constant, 9.0);
  EXPECT_FALSE(file.maximise);
  const ProblemFile other = read_problem_text(most, "f");
  EXPECT_TRUE(other.maximise);
  EXPECT_EQ(other.row_names, (std::vector<std::string>{"SUM", "DIFF"}));
  EXPECT_EQ(std::get<qp::Problem>(other.problem).c, Eigen::Vector2d(-1, -2));
}

TEST(Mps, EveryKindOfRangeAndBound) {
  const ProblemFile file = read_problem_text(
      "NAME\nROWS\n N C\n L L1\n G G1\n E E1\n E E2\n E E3\nCOLUMNS\n A C 1 L1 1\n B G1 1\n D E1 1\n F E2 1\n G E3 1\n"
      " H C 1\n I C 1\n J C 1\n K C 1\nRHS\n R L1 5 G1 2\n R E1 1 E2 1\n R E3 1\nRANGES\n S L1 -3 G1 4\n S E1 2 E2 -2\n"
      "BOUNDS\n UP B A 4\n UP B B -4\n MI B D\n FR B F\n FX B G 3\n LO B H 1\n UP B H inf\n PL B I\n UP B J 1e30\n"
      " LO B K -1e20\nENDATA\n",
      "f");
  const auto& problem = std::get<qp::Problem>(file.problem);
  Eigen::VectorXd row_lower(5), row_upper(5), lower(9), upper(9);
  row_lower << 2, 2, 1, -1, 1;
  row_upper << 5, 6, 3, 1, 1;
  lower << 0, -infinity, -infinity, -infinity, 3, 1, 0, 0, -infinity;
  upper << 4, -4, infinity, infinity, 3, infinity, infinity, infinity, infinity;
  EXPECT_EQ(problem.row_lower, row_lower);
  EXPECT_EQ(problem.row_upper, row_upper);
  EXPECT_EQ(problem.lower, lower);
  EXPECT_EQ(problem.upper, upper);
}

TEST(Mps, NamesOfTheFixedFormMayHoldBlanks) {
  std::string text(hs21);
  for (std::size_t at = text.find("CON1"); at != std::string::npos; at = text.find("CON1", at)) {
    text.replace(at, 4, "C 1 ");
  }
  const ProblemFile file = read_problem_text(text, "f");
  EXPECT_EQ(file.row_names, (std::vector<std::string>{"C 1"}));
  const ProblemFile plain = read_problem_text(hs21, "f");
  expect_same(plain.problem, file.problem);
}

/// What is wrong with a text in which `from` is `to`.
std::string told(std::string_view text, std::string_view from, std::string_view to) {
  std::string changed(text);
  const std::size_t at = changed.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  changed.replace(at, from.size(), to);
  return complaint<FormatError>([&] { (void)read_problem_text(changed, "f"); });
}

TEST(Mps, WhatIsWrongIsToldWithLineAndColumn) {
  EXPECT_TRUE(contains(told(hs35, "con 1\n x2", "con 1e\n x2"), "f, line 6, column 16: found '1e', expected a finite"));
  EXPECT_TRUE(contains(told(hs35, "x3 obj -4 con", "x3 obj -4 cob"), "line 8, column 12: found 'cob', expected the"));
  EXPECT_TRUE(contains(told(hs35, " L con", " R con"), "line 4, column 2: found 'R', expected N, L, G or E"));
  EXPECT_TRUE(contains(told(hs35, "x3 obj -4 con 2", "x1 obj -4 con 2"), "line 8, column 2: found 'x1', expected the"));
  EXPECT_TRUE(contains(told(hs35, "x1 obj -8 con 1", "x1 obj -8 obj 1"), "expected each row of a column once"));
  EXPECT_TRUE(contains(told(hs35, "obj -9 con 3", "obj"), "expected one or two rows with numbers"));
  EXPECT_TRUE(contains(told(hs35, "ENDATA", ""), "expected ENDATA"));
  EXPECT_TRUE(contains(told(hs35, "QUADOBJ", "QCMATRIX con"), "line 11, column 1: found 'QCMATRIX', expected NAME"));
  EXPECT_TRUE(contains(told(hs35, "x2 x2 4", "x2 x1 2"),
                       "line 15, column 2: found an entry twice, expected each once, of one"));
  EXPECT_TRUE(contains(told(hs35, "x1 x3 2", "x1 x9 2"), "found 'x9', expected the name of a column"));
  EXPECT_TRUE(contains(told(hs76, "X3 X1 -1", "X3 X1 -2"), "f: qp::Problem::Q"));  // not symmetric
  EXPECT_TRUE(contains(told(hs21, "X1        X1        0.02", "X1        X1        -0.02"), "f: qp::Problem::Q"));
  EXPECT_TRUE(contains(told(hs21, " UP BND       X1        50.0", " UP BND       X1        1.0 "),
                       "line 13: found bounds of 'X1' that"));
  EXPECT_TRUE(contains(told(hs21, " UP BND       X2", " UP OTHER     X2"), "expected one set: 'BND'"));
  EXPECT_TRUE(contains(told(most, " RNG DIFF 3", " RNG GAIN 3"), "expected a row with a side"));
  EXPECT_TRUE(contains(told(most, "    MAX", "    LARGEST"), "line 3, column 5: found 'LARGEST', expected MIN or MAX"));
}

// MOSEK's QSECTION names a row; of a row that is not the objective it is a quadratic constraint.
TEST(Mps, AQuadraticSectionIsOfTheObjective) {
  EXPECT_TRUE(
      contains(told(hs35, "QUADOBJ", "QSECTION con"), "line 11, column 10: found 'con', expected the objective's"));
  EXPECT_TRUE(
      contains(told(hs35, "QUADOBJ", "QSECTION cob"), "line 11, column 10: found 'cob', expected the name of a row"));
  EXPECT_TRUE(
      contains(told(hs35, "QUADOBJ", "QUADOBJ con"), "line 11, column 9: found 'con', expected nothing behind"));
  std::string named(hs35);
  named.replace(named.find("QUADOBJ"), 7, "QSECTION obj");
  expect_same(read_problem_text(hs35, "f").problem, read_problem_text(named, "f").problem);
}

TEST(Mps, WhatIsSaidTwiceIsRefused) {
  EXPECT_TRUE(
      contains(told(hs35, " obj -9 con 3", " con 2 con 3"), "line 10, column 8: found 'con', expected each row"));
  EXPECT_TRUE(contains(told(hs35, " obj -9 con 3", " obj -9 obj 3"), "column 9: found 'obj', expected each row once"));
  EXPECT_TRUE(contains(told(hs21, " UP BND       X2", " UP BND       X1"),
                       "line 15, column 15: found 'X1', expected each bound"));
  EXPECT_TRUE(contains(told(hs21, " LO BND       X2", " FX BND       X1"),
                       "line 14, column 15: found 'X1', expected each bound"));
  EXPECT_TRUE(contains(told(most, "    MAX", "    MAX\n    MIN"), "line 4, column 5: found 'MIN', expected one sense"));
  EXPECT_TRUE(contains(told(most, " RNG DIFF 3", " RNG DIFF 3\n RNG DIFF 4"), "found 'DIFF', expected each row once"));
}

TEST(Mps, AnotherSetIsToldWhereItStands) {
  EXPECT_TRUE(contains(told(hs35, " obj -9 con 3", " R1 obj -9\n R2 con 3 obj 2"),
                       "line 11, column 2: found 'R2', expected one set"));
  EXPECT_TRUE(contains(told(hs21, " UP BND       X2        50.0", " FR BN2       X2"),
                       "column 5: found 'BN2', expected one set"));
}

TEST(Mps, WholeNumbersAreRefusedByName) {
  EXPECT_TRUE(contains(told(hs35, "COLUMNS\n", "COLUMNS\n M1 'MARKER' 'INTORG'\n"),
                       "line 6, column 14: found ''INTORG'', expected no marker: integer unknowns"));
  for (const std::string type : {"BV", "LI", "UI", "SC"}) {
    EXPECT_TRUE(contains(told(hs21, " LO BND       X1", " " + type + " BND       X1"),
                         "found '" + type + "', expected UP, LO, FX, FR, MI or PL: integer"));
  }
}

TEST(Mps, ATextThatIsCutShortIsRefused) {
  for (std::size_t size = 1; size + 8 < hs76.size(); ++size) {
    EXPECT_THROW((void)read_problem_text(hs76.substr(0, size), "f"), FormatError) << size;
  }
}

class MpsFiles : public Files {};

TEST_F(MpsFiles, AProgramIsWrittenAndReadBackBitForBit) {
  const qp::Problem given{
      .Q = Eigen::Vector3d{third, 0.1, 0.0}.asDiagonal(),
      .c = Eigen::Vector3d{-0.0, tiny, -third},
      .A = Eigen::MatrixXd{{1.0, third, -tiny}, {0.0, 1e300, 0.25}, {-0.0, 1.0, 1.0}, {1.0, 0.0, 0.0}},
      .row_lower = Eigen::Vector4d{-infinity, third, 0.5, third},
      .row_upper = Eigen::Vector4d{0.1, third, 0.75, infinity},
      .lower = Eigen::Vector3d{-infinity, 0.0, -third},
      .upper = Eigen::Vector3d{infinity, infinity, tiny}};
  for (const char* name : {"p.mps", "p.qps"}) {
    write_problem(given, file(name), "a title");
    const ProblemFile back = read_problem(file(name), ProblemClass::Qp);
    EXPECT_EQ(back.format, FileFormat::Mps);
    EXPECT_EQ(back.title, "a title");
    expect_same(AnyProblem(given), back.problem);
  }
}

// Beyond 500 unknowns and rows a program is a sparse one.
TEST_F(MpsFiles, ALargeProgramIsSparse) {
  constexpr Index n = 600;
  qp::SparseProblem given{.Q = Eigen::SparseMatrix<double>(n, n), .c = Eigen::VectorXd::LinSpaced(n, -1.0, 1.0)};
  given.Q.setIdentity();
  given.lower = Eigen::VectorXd::Zero(n);
  given.upper = Eigen::VectorXd::Constant(n, infinity);
  write_problem(given, file("p.qps"));
  expect_same(AnyProblem(given), read_problem(file("p.qps")).problem);
}

TEST_F(MpsFiles, WhatMpsCannotHoldIsRefused) {
  const auto refusal = [&](const AnyProblem& problem, std::string_view title = {}) {
    return complaint<InvalidArgument>([&] { write_problem(problem, file("p.qps"), title); });
  };
  EXPECT_TRUE(contains(refusal(dense_lcp()), "found a problem of class lcp, expected a qp"));
  qp::Problem problem{.Q = Eigen::MatrixXd::Zero(1, 1), .c = Eigen::VectorXd::Ones(1)};
  EXPECT_TRUE(contains(refusal(problem, "two\nlines"), "found a title of several lines"));
  problem.lower = Eigen::VectorXd::Constant(1, -1e25);
  EXPECT_TRUE(contains(refusal(problem), "found a bound of X0 -1.0"));
  EXPECT_TRUE(contains(refusal(problem), "expected less than 1e20 in magnitude, which MPS takes for infinite"));
  problem.lower = {};
  problem.A = Eigen::MatrixXd::Ones(1, 1);
  problem.row_lower = Eigen::VectorXd::Constant(1, -0.1);
  problem.row_upper = Eigen::VectorXd::Constant(1, 0.2);  // 0.2 - -0.1 is rounded, and so is what it gives back
  EXPECT_TRUE(contains(refusal(problem), "found sides of row 0 that no range gives back exactly"));
}

}  // namespace
}  // namespace nonsmooth::mps_files_test
