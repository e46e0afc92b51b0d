// SPDX-License-Identifier: Apache-2.0
// .nl files with an objective beside complementarity: what pairs they become, quadratic and by code, and programs of
// MacMPEC with known answers and their stationarity.
#include <cmath>
#include <random>

#include <nonsmooth/numerics/mpcc.hpp>

#include "nl_texts.hpp"
#include "problem_files.hpp"

namespace nonsmooth::nl_mpcc_files_test {
namespace {

using namespace nonsmooth::problem_files_test;
using namespace nonsmooth::nl_texts;

std::string squared_distance(Index i, double from) { return op(5, op(0, v(i) + n(-from)) + n(2)); }
std::string scaled(double factor, const std::string& of) { return op(2, n(factor) + of); }

ProblemFile read(const Nl& nl) { return read_problem_text(nl_text(nl), "f"); }

/// ralph1 of MacMPEC: 2 x - y on x >= 0, 0 <= y ⟂ y - x >= 0. At 0 it is B-stationary, not S: u + v = -1.
Nl ralph1() {
  return {.variables = 2,
          .rows = {n(0)},
          .row_kinds = {"5 1 2"},
          .row_terms = {{{0, -1}, {1, 1}}},
          .bounds = {"2 0", "2 0"},
          .objectives = {{0, n(0)}},
          .objective_terms = {{{0, 2}, {1, -1}}}};
}

TEST(NlMpcc, ALinearOneIsAsItsDataSay) {
  const ProblemFile file = read(ralph1());
  EXPECT_EQ(class_of(file.problem), ProblemClass::Mpcc);
  EXPECT_EQ(num_rows_of(file.problem), 4);  // two of the pair and two unknowns
  const auto& problem = std::get<mpcc::Problem>(file.problem);
  EXPECT_EQ(problem.Q, Eigen::Matrix2d::Zero());
  EXPECT_EQ(problem.c, Eigen::Vector2d(2, -1));
  EXPECT_EQ(problem.G, Eigen::RowVector2d(0, 1));
  EXPECT_EQ(problem.H, Eigen::RowVector2d(-1, 1));
  EXPECT_EQ(problem.num_rows(), 0);
  EXPECT_EQ(problem.lower, Eigen::Vector2d(0, -infinity));  // that of y is the side of the pair
  const mpcc::Result result = mpcc::solve(problem);
  ASSERT_EQ(result.status, Status::Solved) << result.message();
  EXPECT_EQ(result.stationarity, mpcc::Stationarity::Bouligand);
  EXPECT_LT(result.x.lpNorm<Eigen::Infinity>(), 1e-9);  // a vertex of rows with entries 1
}

/// Bard 1991, bard1 of MacMPEC: (x - 5)^2 + (2 y + 1)^2 where y minimises (y - 1)^2 - 1.5 x y under 3 x - y >= 3,
/// x - y/2 <= 4, x + y <= 7: y by its multipliers l. 17 at (1, 0), l = (3.5, 0, 0).
TEST(NlMpcc, BardsBilevelProgram) {
  const Nl nl{.variables = 5,
              .rows = {n(-3), n(4), n(7), n(-2)},
              .row_kinds = {"5 1 3", "5 1 4", "5 1 5", "4 0"},
              .row_terms = {{{0, 3}, {1, -1}},
                            {{0, -1}, {1, 0.5}},
                            {{0, -1}, {1, -1}},
                            {{0, -1.5}, {1, 2}, {2, 1}, {3, -0.5}, {4, 1}}},
              .bounds = {"2 0", "2 0", "2 0", "2 0", "2 0"},
              .objectives = {{0, op(0, squared_distance(0, 5) + op(5, op(0, scaled(2, v(1)) + n(1)) + n(2)))}}};
  for (const bool maximised : {false, true}) {
    Nl one = nl;
    if (maximised) one.objectives[0] = {1, op(16, nl.objectives[0].second)};
    const ProblemFile file = read(one);
    const auto& problem = std::get<mpcc::Problem>(file.problem);
    const mpcc::Result result = mpcc::solve(problem);
    ASSERT_EQ(result.status, Status::Solved) << result.message();
    EXPECT_NEAR(file.objective(result.figures.value), maximised ? -17.0 : 17.0, 1e-7);  // terms of at most 25
    EXPECT_LT((Eigen::VectorXd(result.x) - Eigen::VectorXd{{1, 0, 3.5, 0, 0}}).norm(), 1e-7) << result.x.transpose();
    EXPECT_EQ(result.stationarity, mpcc::Stationarity::Strong);
  }
}

// ralph2 of MacMPEC, x^2 + y^2 - 4 x y, is not convex, but on each piece.
TEST(NlMpcc, AnObjectiveThatIsNotConvexComesAsSparseData) {
  const Nl nl{.variables = 2,
              .rows = {n(0)},
              .row_kinds = {"5 1 1"},
              .row_terms = {{{1, 1}}},
              .bounds = {"2 0", "2 0"},
              .objectives = {{0, sum({square(0), square(1), scaled(-4, op(2, v(0) + v(1)))})}}};
  const ProblemFile file = read(nl);
  const mpcc::Result result = mpcc::solve(std::get<mpcc::SparseProblem>(file.problem), mpcc::NonlinearRelaxation{});
  ASSERT_EQ(result.status, Status::Solved) << result.message();
  EXPECT_GE(result.stationarity, mpcc::Stationarity::Bouligand);
  EXPECT_NEAR(result.figures.value, 0.0, 1e-7);
}

/// (x - 4.25)^2 + (z - 1)^2 where z minimises (z - 3)^2 under z^2 <= x: z - 3 + 2 z w = 0, 0 <= w ⟂ x - z^2 >= 0. Up to
/// x = 9 z is sqrt x, where the slope 2 (x - 4.25) + 1 - 1/sqrt x rises and is 0 at x = 4: 1.0625 at (4, 2, 1/4), v =
/// -1/2. Beyond it z is 3.
Nl bilevel() {
  return {.variables = 3,
          .rows = {op(16, square(1)), op(0, n(-3) + scaled(2, op(2, v(1) + v(2))))},
          .row_kinds = {"5 1 3", "4 0"},
          .row_terms = {{{0, 1}, {1, 0}}, {{1, 1}, {2, 0}}},
          .bounds = {"3", "3", "2 0"},
          .objectives = {{0, op(0, squared_distance(0, 4.25) + squared_distance(1, 1))}},
          .objective_terms = {{{0, 0}, {1, 0}}},
          .start = Eigen::Vector3d(0.5, 0.5, -1)};
}

TEST(NlMpcc, ANonlinearOneIsCode) {
  const ProblemFile file = read(bilevel());
  EXPECT_EQ(class_of(file.problem), ProblemClass::Mpcc);
  EXPECT_EQ(num_rows_of(file.problem), 6);
  const auto& problem = std::get<NonlinearMpcc>(file.problem);
  EXPECT_EQ(problem.start, Eigen::Vector3d(0.5, 0.5, 0));  // within its bounds
  const mpcc::NonlinearResult result = mpcc::solve(
      problem.program, mpcc::NonlinearRelaxation{.tolerance = 1e-10, .start = problem.start, .check_jacobian = true});
  ASSERT_EQ(result.status, Status::Solved) << result.message();
  EXPECT_LT((Eigen::VectorXd(result.x) - Eigen::Vector3d(4, 2, 0.25)).norm(), 1e-8) << result.x.transpose();
  EXPECT_NEAR(file.objective(result.figures.value), 1.0625, 1e-8);
  EXPECT_NEAR(result.v[0], -0.5, 1e-8);
  EXPECT_EQ(result.stationarity, mpcc::Stationarity::Strong);
  EXPECT_LT(result.iterations, 15);  // by Newton's steps, on second derivatives
}

/// (y - 3)^2 + (x - 1)^2 where 0 <= x <= 2 complements x - y, so that x is y put within its bounds: beyond 2 only
/// (y - 3)^2 is left, 1 at (2, 3), and below x = y give 2 at the least. `more` on the row makes it code.
Nl clamped(const std::string& more) {
  return {.variables = 2,
          .rows = {more},
          .row_kinds = {"5 3 1"},
          .row_terms = {{{0, 1}, {1, -1}}},
          .bounds = {"0 0 2", "3"},
          .objectives = {{0, op(0, squared_distance(1, 3) + squared_distance(0, 1))}},
          .objective_terms = {{{0, 0}, {1, 0}}},
          .start = Eigen::Vector2d(2.0, 2.5)};
}

TEST(NlMpcc, AVariableWithTwoBoundsAddsAnUnknown) {
  const auto data = std::get<mpcc::Problem>(read(clamped(n(0))).problem);
  EXPECT_EQ(data.G, (Eigen::MatrixXd{{1, 0, 0}, {-1, 0, 0}}));
  EXPECT_EQ(data.g, Eigen::Vector2d(0, 2));
  EXPECT_EQ(data.H, (Eigen::MatrixXd{{1, -1, 1}, {0, 0, 1}}));
  const mpcc::Result of_data = mpcc::solve(data);
  // The same row with its value 0 = sin(0 x) spelled out.
  const auto code = std::get<NonlinearMpcc>(read(clamped(op(41, scaled(0, op(44, v(0)))))).problem);
  EXPECT_EQ(code.start, Eigen::Vector3d(2, 2.5, 0.5));  // s = -(x - y)
  const mpcc::NonlinearResult of_code =
      mpcc::solve(code.program, mpcc::NonlinearRelaxation{.tolerance = 1e-10, .start = code.start});
  for (const mpcc::Result& result : {of_data, mpcc::Result(of_code)}) {
    ASSERT_EQ(result.status, Status::Solved) << result.message();
    EXPECT_LT((Eigen::VectorXd(result.x) - Eigen::Vector3d(2, 3, 1)).norm(), 1e-7) << result.x.transpose();
    EXPECT_EQ(result.stationarity, mpcc::Stationarity::Strong);
  }
}

/// x in [l, u] and b as a mixed complementarity problem has them.
bool is_complementary(double x, double b, double low, double high) {
  return low <= x && x <= high && (b <= 0.0 || x == low) && (b >= 0.0 || x == high);
}

// Of every kind of bounds the pairs and rows hold exactly where x complements b, for the s = max(-b, 0).
TEST(NlMpcc, PairsHoldWhereVariablesComplement) {
  const std::vector<std::tuple<std::string, std::string, double, double>> kinds = {{"2 -1", "1", -1, infinity},
                                                                                   {"1 2", "2", -infinity, 2},
                                                                                   {"0 -1 2", "3", -1, 2},
                                                                                   {"3", "0", -infinity, infinity},
                                                                                   {"4 1", "3", 1, 1}};
  for (const auto& [bounds, which, low, high] : kinds) {
    SCOPED_TRACE(bounds);
    const Nl nl{.variables = 2,  // x and b
                .rows = {n(0)},
                .row_kinds = {"5 " + which + " 1"},
                .row_terms = {{{1, 1}}},
                .bounds = {bounds, "3"},
                .objectives = {{0, square(1)}}};
    const auto problem = std::get<mpcc::Problem>(read(nl).problem);
    for (double x = -2.0; x <= 3.0; x += 0.5) {
      for (const double b : {-1.5, 0.0, 2.0}) {
        Eigen::VectorXd at(problem.num_unknowns());
        at.head(2) << x, b;
        if (at.size() == 3) at[2] = std::max(-b, 0.0);
        bool holds = (at.array() >= problem.lower.array()).all() && (at.array() <= problem.upper.array()).all();
        if (problem.num_rows() > 0) {
          const Eigen::VectorXd rows = problem.A * at;
          holds = holds && (rows.array() >= problem.row_lower.array()).all() &&
                  (rows.array() <= problem.row_upper.array()).all();
        }
        if (problem.num_pairs() > 0) {
          const Eigen::VectorXd G = problem.G * at + problem.g, H = problem.H * at + problem.h;
          holds = holds && G.minCoeff() >= 0.0 && H.minCoeff() >= 0.0 && G.cwiseMin(H).maxCoeff() == 0.0;
        }
        EXPECT_EQ(holds, is_complementary(x, b, low, high)) << x << ' ' << b;
      }
    }
  }
}

// x^1.5 is not defined below 0, where a step may round to: exp(y) + x^1.5 - 2 x with 0 <= x ⟂ y - x >= 0. On y = x
// its slope e^x + 1.5 sqrt x - 2 is negative at 0 and 0 at x = 0.28...; on x = 0 it falls with y to 0.
TEST(NlMpcc, ExpressionsAreAskedWithinBounds) {
  const Nl nl{.variables = 2,
              .rows = {op(1, v(1) + v(0))},
              .row_kinds = {"5 1 1"},
              .row_terms = {{{0, 0}, {1, 0}}},
              .bounds = {"2 0", "2 0"},
              .objectives = {{0, sum({op(44, v(1)), op(5, v(0) + n(1.5)), scaled(-2, v(0))})}},
              .objective_terms = {{{0, 0}, {1, 0}}}};
  const auto problem = std::get<NonlinearMpcc>(read(nl).problem);
  Eigen::VectorXd f(1);
  problem.program.f.value(Eigen::Vector2d(-1e-9, 0), f);
  EXPECT_NEAR(f[0], 1.0, 1e-15);
  const mpcc::NonlinearResult result =
      mpcc::solve(problem.program, mpcc::NonlinearRelaxation{.start = Eigen::Vector2d(0.1, 0.1)});
  ASSERT_EQ(result.status, Status::Solved) << result.message();
  EXPECT_GE(result.stationarity, mpcc::Stationarity::Bouligand);
  EXPECT_NEAR(result.x[0], result.x[1], 1e-8);
  EXPECT_NEAR(std::exp(result.x[0]) + 1.5 * std::sqrt(result.x[0]) - 2.0, 0.0, 1e-7);
}

/// f of two variables alone, on the pair 0 <= x_0 ⟂ x_1 >= 0.
NonlinearMpcc with_objective(const std::string& f) {
  return std::get<NonlinearMpcc>(read({.variables = 2,
                                       .rows = {n(0)},
                                       .row_kinds = {"5 1 1"},
                                       .row_terms = {{{1, 1}}},
                                       .bounds = {"2 0", "2 0"},
                                       .objectives = {{0, op(0, f + op(41, op(46, v(0))))}},
                                       .objective_terms = {{{0, 0}, {1, 0}}}})
                                     .problem);
}

// Second derivatives beside differences of the slopes, of every operator.
TEST(NlMpcc, EveryOperatorHasItsSecondDerivatives) {
  const Eigen::Vector2d x(0.3, 0.7);
  for (const Known& one : known_operators(x[0], x[1])) {
    SCOPED_TRACE(one.text);
    const mpcc::NonlinearProblem program = with_objective(op(2, one.text + op(41, v(1)))).program;
    Eigen::SparseMatrix<double> L(2, 2), J(1, 2);
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(0), zero = Eigen::VectorXd::Zero(1);
    program.hessian(x, none, zero, zero, L);
    const auto slopes_at = [&](const Eigen::Vector2d& at) -> Eigen::RowVector2d {
      program.f.jacobian(at, J);
      return Eigen::MatrixXd(J);
    };
    // Central differences: h^2 times third derivatives, at most some hundreds here, and eps / h.
    const double h = 1e-5;
    for (Index j = 0; j < 2; ++j) {
      const Eigen::RowVector2d difference =
          (slopes_at(x + h * Eigen::Vector2d::Unit(j)) - slopes_at(x - h * Eigen::Vector2d::Unit(j))) / (2.0 * h);
      for (Index i = 0; i < 2; ++i) EXPECT_NEAR(L.coeff(i, j), difference[i], 1e-7) << i << j;
    }
  }
}

/// What is wrong where a file has `kind` as its row.
std::string told(const std::string& kind, const std::string& objective, const std::string& row) {
  Nl nl = ralph1();
  nl.row_kinds = {kind};
  nl.objectives = {{0, objective}};
  nl.rows = {row};
  return complaint<FormatError>([&] { (void)read(nl); });
}

TEST(NlMpcc, WhatIsWrongIsTold) {
  EXPECT_TRUE(contains(told("5 3 2", n(0), n(0)), "found other bounds of variable 1 in segment b than in row 0"));
  EXPECT_TRUE(contains(told("5 1 2", op(3, v(0) + n(0)), n(0)), "found an objective with a factor that is not finite"));
  EXPECT_TRUE(contains(told("5 1 2", n(0), op(3, v(0) + n(0))), "found row 0 with a factor that is not finite"));
  EXPECT_TRUE(contains(told("5 1 2", op(64, v(0) + n(1)), n(0)), "found 'o64', expected an operator that is read"));
  EXPECT_TRUE(contains(told("5 1 3", n(0), n(0)), "found '3', expected a variable, counted from 1, from 1 to 2"));
}

class NlMpccFiles : public Files {};

// Data are written as those of other files are, and come back; code is refused.
TEST_F(NlMpccFiles, DataAreWrittenAndCodeIsNot) {
  const AnyProblem data = read(ralph1()).problem, code = read(bilevel()).problem;
  for (const char* name : {"p.h5", "p.txt"}) {
    write_problem(data, file(name));
    expect_same(std::get<mpcc::Problem>(read_problem(file(name), ProblemClass::Mpcc).problem),
                std::get<mpcc::Problem>(data));
  }
  for (const char* name : {"q.h5", "q.txt", "q.dat"}) {
    EXPECT_TRUE(contains(complaint<InvalidArgument>([&] { write_problem(code, file(name)); }), "an mpcc"));
    EXPECT_FALSE(std::filesystem::exists(file(name)));
  }
}

}  // namespace
}  // namespace nonsmooth::nl_mpcc_files_test
