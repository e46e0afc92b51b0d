// SPDX-License-Identifier: Apache-2.0
// AMPL's .nl, written here as texts: complementarity and programs with known answers, every operator beside its value
// and differences, and what is wrong told with its line.
#include <cmath>

#include <nonsmooth/numerics/mcp.hpp>
#include <nonsmooth/numerics/qp.hpp>

#include "nl_texts.hpp"
#include "problem_files.hpp"

namespace nonsmooth::nl_files_test {
namespace {

using namespace nonsmooth::problem_files_test;

using namespace nonsmooth::nl_texts;

mcp::Problem mcp_of(const Nl& nl) { return std::get<mcp::Problem>(read_problem_text(nl_text(nl), "f").problem); }

TEST(Nl, KojimaAndShindoHasBothSolutions) {
  for (const Eigen::Vector4d& solution :
       {Eigen::Vector4d(std::sqrt(6.0) / 2.0, 0, 0, 0.5), Eigen::Vector4d(1, 0, 3, 0)}) {
    const Eigen::Vector4d start = solution + Eigen::Vector4d(0.02, 0.01, 0.01, 0.02);
    const mcp::Problem problem = mcp_of(kojima_shindo(start));
    EXPECT_EQ(problem.start, start);
    EXPECT_TRUE(problem.F.is_sparse());
    EXPECT_TRUE(compare_jacobian(problem.F, start).agrees) << compare_jacobian(problem.F, start).message(problem.F);
    const mcp::Result result = mcp::solve(problem);
    ASSERT_EQ(result.status, Status::Solved) << result.message();
    // At the first one x_3 = F_3 = 0: the error there is the square root of the residual at worst.
    EXPECT_LT((result.x - solution).norm(), 1e-3) << result.x.transpose();
  }
}

TEST(Nl, RowsWithoutAnExpressionThatVariesAreAffine) {
  // 0 <= x_0 ⟂ x_0^2 + x_1 - 4, 0 <= x_1 ⟂ x_0 + x_1 + 1 > 0 and an equation 2 x_2 - x_0 = 1 with a constant
  // expression: (2, 0, 1.5).
  Nl nl{.variables = 3, .bounds = {"2 0", "2 0", "3"}, .start = Eigen::Vector3d(1.0, 1.0, 0.0)};
  nl.rows = {sum({square(0), n(-4)}), n(1), n(0)};
  nl.row_kinds = {"5 1 1", "5 1 2", "4 1"};
  nl.row_terms = {{{0, 0}, {1, 1}}, {{0, 1}, {1, 1}}, {{0, -1}, {2, 2}}};
  const mcp::Problem problem = mcp_of(nl);
  EXPECT_EQ(problem.affine_rows, (std::vector<Index>{1, 2}));
  const Eigen::Vector3d x(0.5, 2.0, -1.0);
  Eigen::SparseMatrix<double> J(3, 3);
  for (int k = 0; k < 2; ++k) {  // what is in J before does not matter
    problem.F.jacobian(x, J);
    EXPECT_EQ(Eigen::MatrixXd(J), (Eigen::MatrixXd{{1.0, 1.0, 0.0}, {1.0, 1.0, 0.0}, {-1.0, 0.0, 2.0}}));
  }
  const mcp::Result result = mcp::solve(problem);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.x[1], 0.0);
  EXPECT_LT((result.x - Eigen::Vector3d(2.0, 0.0, 1.5)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Nl, EveryOperatorHasItsValueAndItsDerivative) {
  const double a = 0.3, b = 0.7;
  for (const Known& one : known_operators(a, b)) {
    SCOPED_TRACE(one.text);
    Nl nl{.variables = 2, .rows = {one.text, "n0\n"}, .row_kinds = {"4 0", "4 0"}, .bounds = {"3", "3"}};
    nl.row_terms = {{{0, 0}, {1, 0}}, {{1, 1}}};
    const mcp::Problem problem = mcp_of(nl);
    Eigen::VectorXd f(2);
    const Eigen::VectorXd at = Eigen::Vector2d(a, b);
    EXPECT_FALSE(evaluate(problem.F, at, f));
    EXPECT_DOUBLE_EQ(f[0], one.value);
    const JacobianComparison comparison = compare_jacobian(problem.F, at);
    EXPECT_TRUE(comparison.agrees) << comparison.message(problem.F);
  }
}

// u = x0 + 2 x1 + x0 x1 is defined once and used twice: F_0 = u^2 + x0 - 1, F_1 = exp(u) - x1.
TEST(Nl, DefinedVariablesAreShared) {
  Nl nl{.variables = 2,
        .rows = {op(0, op(5, v(2) + n(2)) + n(-1)), op(44, v(2))},
        .row_kinds = {"4 0", "4 0"},
        .row_terms = {{{0, 1}, {1, 0}}, {{0, 0}, {1, -1}}},
        .bounds = {"3", "3"},
        .defined = {{{{0, 1}, {1, 2}}, op(2, v(0) + v(1))}}};
  const mcp::Problem problem = mcp_of(nl);
  const Eigen::VectorXd x = Eigen::Vector2d(0.3, -0.4);
  Eigen::VectorXd f(2);
  EXPECT_FALSE(evaluate(problem.F, x, f));
  const double u = 0.3 - 0.8 - 0.12;
  EXPECT_NEAR(f[0], u * u + 0.3 - 1.0, 1e-15);  // sums of terms of at most 1
  EXPECT_NEAR(f[1], std::exp(u) + 0.4, 1e-15);
  EXPECT_TRUE(compare_jacobian(problem.F, x).agrees);
}

// 9 - 8 x1 - 6 x2 - 4 x3 + 2 x1^2 + 2 x2^2 + x3^2 + 2 x1 (x2 + x3), x1 + x2 + 2 x3 <= 3, x >= 0 (Hock, Schittkowski
// 1981, problem 35): (12, 7, 4) / 9 with 1/9. Maximised is its negative.
TEST(Nl, AQuadraticProgramIsOne) {
  for (const bool maximised : {false, true}) {
    const std::string objective =
        sum({n(9), op(2, n(2) + square(0)), op(2, n(2) + op(2, v(1) + v(1))), square(2),
             op(2, op(2, n(2) + v(0)) + op(0, v(1) + v(2))), op(1, op(3, v(0) + n(2)) + op(2, n(0.5) + v(0)))});
    Nl nl{.variables = 3,
          .rows = {"n0\n"},
          .row_kinds = {"1 3"},
          .row_terms = {{{0, 1}, {1, 1}, {2, 2}}},
          .bounds = {"2 0", "2 0", "2 0"},
          .objectives = {{maximised ? 1 : 0, maximised ? op(16, objective) : objective}},
          .objective_terms = {{{0, maximised ? 8 : -8}, {1, maximised ? 6 : -6}, {2, maximised ? 4 : -4}}}};
    const ProblemFile file = read_problem_text(nl_text(nl), "f");
    EXPECT_EQ(file.format, FileFormat::Nl);
    EXPECT_EQ(file.maximise, maximised);
    const auto& problem = std::get<qp::Problem>(file.problem);
    EXPECT_EQ(problem.Q, (Eigen::Matrix3d{{4, 2, 2}, {2, 4, 0}, {2, 0, 2}}));
    EXPECT_EQ(problem.c, Eigen::Vector3d(-8, -6, -4));
    const qp::Result result = qp::solve(problem);
    ASSERT_EQ(result.status, Status::Solved) << result.message();
    EXPECT_LT((result.x - Eigen::Vector3d(12, 7, 4) / 9.0).norm(), 1e-6);
    EXPECT_NEAR(file.objective(result.figures.value), (maximised ? -1.0 : 1.0) / 9.0, 1e-6);
  }
}

/// What is wrong with Kojima and Shindo's problem where `from` is `to`.
std::string told(const std::string& from, const std::string& to) {
  std::string text = nl_text(kojima_shindo(Eigen::Vector4d::Ones()));
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return complaint<FormatError>([&] { (void)read_problem_text(text, "f"); });
}

TEST(Nl, WhatIsWrongIsToldWithItsLine) {
  EXPECT_TRUE(contains(told("o54\n3\n", "o54\n0\n"), "line 13: found '0', expected a number of operands"));
  EXPECT_TRUE(contains(told("o5\nv0\nn2", "o64\nv0\nn2"), "found 'o64', expected an operator that is read here"));
  EXPECT_TRUE(contains(told("o5\nv0\nn2", "f0 1\nv0\nn2"), "found 'f0', expected o and an operator"));
  EXPECT_TRUE(contains(told("v0", "v7"), "found 'v7', expected v and a variable from 0 to 3"));
  EXPECT_TRUE(contains(told("C1", "C0"), "found 'C0', expected each row once"));
  EXPECT_TRUE(contains(told("C1", "L1"), "found 'L1', expected a segment C, O, V"));
  EXPECT_TRUE(contains(told("5 1 4", "5 1 5"), "found '5', expected a variable, counted from 1, from 1 to 4"));
  EXPECT_TRUE(contains(told("5 1 4", "5 1 1"), "found '1', expected each variable once"));
  EXPECT_TRUE(contains(told("5 1 4", "5 3 4"), "found other bounds of variable 3 in segment b than in row 0"));
  EXPECT_TRUE(contains(told("5 1 4", "2 0"), "found row 0, an inequality that complements nothing"));
  EXPECT_TRUE(contains(told("5 1 4", "4 0"), "found bounds of variable 3, which no row complements"));
  EXPECT_TRUE(contains(told("J3 4\n0 1", "J3 3"), "found 15 terms in all segments J, expected 16, as line 8 says"));
  EXPECT_TRUE(contains(told("J3 4\n0 1", "J3 4\n1 1"), "found a variable twice in this segment"));
  EXPECT_TRUE(contains(told("n-3", "nan"), "expected a number, a finite number"));
  EXPECT_TRUE(contains(told(" 0 0 0 0 0\n 16", " 1 0 0 0 0\n 16"), "line 7: found integer variables"));
  EXPECT_TRUE(contains(told(" 0 0 0 1\n", " 0 2 0 1\n"), "line 6: found imported functions"));
  EXPECT_TRUE(contains(told(" 4 4 0", " 400000000 4 0"), "line 2: found 400000000, expected fewer"));
  EXPECT_TRUE(contains(told("b\t#bounds\n2 0", "b\n0 3 2"), "found a lower bound above the upper one"));
  EXPECT_TRUE(contains(told("x4\n0 1\n1", "x4\n0 1\n0"), "found '0', expected each variable once"));
}

/// What is wrong with the minimum of x0^2 + x1 over x >= 0 with `more` before its last segments.
std::string told_of_program(const std::string& more, const std::string& from = "") {
  const Nl nl{.variables = 2, .bounds = {"2 0", "2 0"}, .objectives = {{0, square(0)}}, .objective_terms = {{{1, 1}}}};
  std::string text = nl_text(nl);
  const std::size_t at = from.empty() ? text.find("b\t#bounds") : text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), more);
  return complaint<FormatError>([&] { (void)read_problem_text(text, "f"); });
}

// What cancels, or has the factor 0, is no term; a square of a long sum and rows that share long variables end at a
// limit instead of taking the square of the file's size.
TEST(Nl, TermsThatVanishAreNone) {
  Nl nl{.variables = 2, .bounds = {"2 0", "2 0"}, .objectives = {{0, v(0)}}};
  nl.rows = {op(2, n(0) + square(0)), op(1, square(1) + square(1))};
  nl.row_kinds = {"1 3", "1 3"};
  nl.row_terms = {{{0, 1}}, {{1, 1}}};
  const auto problem = std::get<qp::Problem>(read_problem_text(nl_text(nl), "f").problem);
  EXPECT_EQ(problem.A, (Eigen::Matrix2d::Identity()));
}

TEST(Nl, ADivisionByZeroIsTold) {
  EXPECT_TRUE(
      contains(told_of_program("o3\nv0\nn0\n", "o5\nv0\nn2\n"), "found an objective with a factor that is not"));
}

TEST(Nl, ExpansionsEndAtALimit) {
  Nl nl{.variables = 3000, .bounds = std::vector<std::string>(3000, "2 0")};
  std::vector<std::string> all;
  for (Index i = 0; i < nl.variables; ++i) all.push_back(v(i));
  nl.objectives = {{0, op(5, sum(all) + n(2))}};
  EXPECT_TRUE(contains(complaint<FormatError>([&] { (void)read_problem_text(nl_text(nl), "f"); }),
                       "found an objective whose parts and terms"));
  nl.defined = {{{}, sum(all)}};
  nl.objectives = {};
  nl.rows.assign(1500, op(2, n(2) + v(3000)));
  nl.row_kinds.assign(1500, "1 3");
  EXPECT_TRUE(
      contains(complaint<FormatError>([&] { (void)read_problem_text(nl_text(nl), "f"); }), "whose parts and terms"));
  nl.rows.assign(3000, nl.rows[0]);
  nl.row_kinds.clear();
  for (Index i = 1; i <= nl.variables; ++i) nl.row_kinds.push_back("5 1 " + std::to_string(i));
  EXPECT_TRUE(
      contains(complaint<FormatError>([&] { (void)read_problem_text(nl_text(nl), "f"); }), "whose parts and terms"));
}

// A special ordered set is a constraint; other suffixes are hints.
TEST(Nl, SpecialOrderedSetsAreRefused) {
  for (const std::string suffix : {"sosno", "ref", "sos", "sosref"}) {
    EXPECT_TRUE(contains(told_of_program("S0 1 " + suffix + "\n0 1\n"),
                         "line 15: found '" + suffix + "', expected no special ordered sets"));
  }
  const Nl nl{.variables = 1, .bounds = {"2 0"}, .objectives = {{0, v(0)}}};
  EXPECT_NO_THROW((void)read_problem_text(nl_text(nl) + "S0 1 sstatus\n0 1\n", "f"));
}

TEST(Nl, EachObjectiveIsThereOnce) {
  EXPECT_TRUE(contains(told_of_program("", "O0 0\no5\nv0\nn2\n"), "found no segment O0 up to the end, expected one"));
  EXPECT_TRUE(contains(told_of_program("O0 0\nn0\n"), "line 15: found 'O0', expected each objective once"));
}

TEST(Nl, ADefinedVariableIsThereOnce) {
  Nl nl{.variables = 1, .bounds = {"2 0"}, .objectives = {{0, v(1)}}, .defined = {{{{0, 1}}, "n0\n"}}};
  std::string text = nl_text(nl);
  EXPECT_NO_THROW((void)read_problem_text(text, "f"));
  text.insert(text.find("O0"), "V1 0 0\nv0\n");
  EXPECT_TRUE(contains(complaint<FormatError>([&] { (void)read_problem_text(text, "f"); }),
                       "found 'V1', expected each defined variable once"));
}

TEST(Nl, AnObjectiveThatIsNotQuadraticIsRefusedByItsOperator) {
  Nl nl{.variables = 1, .bounds = {"2 0"}, .objectives = {{0, op(44, v(0))}}, .objective_terms = {{{0, 0}}}};
  EXPECT_TRUE(contains(complaint<FormatError>([&] { (void)read_problem_text(nl_text(nl), "f"); }),
                       "found an objective with operator o44"));
  nl.objectives[0].second = op(16, square(0));  // concave
  EXPECT_TRUE(contains(complaint<FormatError>([&] { (void)read_problem_text(nl_text(nl), "f"); }), "qp::Problem::Q"));
}

TEST(Nl, ATextThatIsCutShortIsRefused) {
  const std::string text = nl_text(kojima_shindo(Eigen::Vector4d::Ones()));
  for (std::size_t size = 2; size + 1 < text.size(); ++size) {
    EXPECT_THROW((void)read_problem_text(text.substr(0, size), "f"), FormatError) << size;
  }
}

// An operator in an operator in an operator ... is no recursion.
TEST(Nl, DeepExpressionsAreReadUpToALimit) {
  const auto nested = [](int depth) {
    std::string text;
    for (int k = 0; k < depth; ++k) text += "o16\n";
    return Nl{
        .variables = 1, .rows = {text + v(0)}, .row_kinds = {"5 1 1"}, .row_terms = {{{0, 0}}}, .bounds = {"2 0"}};
  };
  const mcp::Problem problem = mcp_of(nested(3999));
  Eigen::VectorXd f(1);
  EXPECT_FALSE(evaluate(problem.F, Eigen::VectorXd::Constant(1, 0.25), f));
  EXPECT_EQ(f[0], -0.25);
  EXPECT_TRUE(contains(complaint<FormatError>([&] { (void)mcp_of(nested(4001)); }), "at most 4000 operators"));
}

class NlFiles : public Files {};

TEST_F(NlFiles, WhatIsCodeIsNotWritten) {
  const AnyProblem problem = mcp_of(kojima_shindo(Eigen::Vector4d::Ones()));
  EXPECT_EQ(class_of(problem), ProblemClass::Mcp);
  for (const char* name : {"p.h5", "p.txt", "p.dat"}) {
    EXPECT_TRUE(
        contains(complaint<InvalidArgument>([&] { write_problem(problem, file(name)); }), "an mcp, whose F is"));
    EXPECT_FALSE(std::filesystem::exists(file(name)));
  }
}

}  // namespace
}  // namespace nonsmooth::nl_files_test
