// SPDX-License-Identifier: Apache-2.0
// Programs and variational inequalities through the command: what is solved, what has no solution, and the proofs.
#include <cmath>

#include <gtest/gtest.h>

#include <catalogue.hpp>
#include <nonsmooth/numerics/cone_program/problem.hpp>
#include <nonsmooth/numerics/mpcc/problem.hpp>
#include <nonsmooth/numerics/qp/problem.hpp>
#include <nonsmooth/numerics/status.hpp>
#include <nonsmooth/numerics/vi/problem.hpp>

#include "helpers.hpp"

namespace nonsmooth::command_test::programs_test {
namespace {

constexpr std::string_view vi_head = "nonsmooth-problem 3\nclass vi\nM dense 2 2  1 0  0 1\nq vector 2  3 -4\n";

/// minimise x_0 + x_1 with x_0 - x_1 in [low, high], x >= 0.
std::string linear_program(const std::string& low, const std::string& high, const std::string& costs) {
  return "nonsmooth-problem 3\nclass qp\nQ dense 2 2 0 0 0 0\nc vector 2 " + costs +
         "\nA dense 1 2 1 -1\nrow_lower vector 1 " + low + "\nrow_upper vector 1 " + high +
         "\nlower vector 2 0 0\nend\n";
}

std::vector<std::string> cells(const std::string& row) {
  std::vector<std::string> all;
  std::istringstream stream(row + ",");
  for (std::string cell; std::getline(stream, cell, ',');) all.push_back(cell);
  return all;
}

/// The last cells of rows of this kind.
Eigen::VectorXd last_cells(const std::string& csv, std::string_view kind) {
  std::vector<double> all;
  for (const std::string& row : lines(csv)) {
    if (row.starts_with(kind) && !cells(row).back().empty()) all.push_back(std::stod(cells(row).back()));
  }
  return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Index>(all.size()));
}

// x = (1, 0): the row is at its lower bound with y = 1, and s_1 = c_1 + y = 2.
TEST(Programs, ASolutionHasUnknownsRowsAndMultipliers) {
  const Folder folder;
  const std::string file = folder.write_text("lp.txt", linear_program("1", "inf", "1 1")), csv = folder.at("lp.csv");
  const Outcome outcome = run({"solve", "--json", file, "--solution", csv});
  ASSERT_EQ(outcome.code, command::success) << outcome.err;
  EXPECT_EQ(members(outcome.out)["class"], "qp");
  EXPECT_EQ(members(outcome.out)["size"], "3");
  EXPECT_NEAR(std::stod(members(outcome.out)["objective"]), 1.0, 1e-7);
  const auto rows = lines(read_text(csv));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0], "kind,index,value,multiplier");
  const std::vector<std::pair<double, double>> expected = {{1.0, 0.0}, {0.0, 2.0}, {1.0, 1.0}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(rows[1 + i].starts_with(i < 2 ? "unknown," : "row,")) << rows[1 + i];
    // The residual is relative to data of size 1.
    EXPECT_NEAR(std::stod(cells(rows[1 + i])[2]), expected[i].first, 1e-7);
    EXPECT_NEAR(std::stod(cells(rows[1 + i])[3]), expected[i].second, 1e-7);
  }
}

TEST(Programs, InfeasibleAndUnboundedAreToldApartAndProven) {
  const Folder folder;
  const std::string infeasible = folder.write_text(  // x_0 + x_1 <= -1 with x >= 0
      "none.txt",
      "nonsmooth-problem 3\nclass qp\nQ dense 2 2 0 0 0 0\nc vector 2 1 1\nA dense 1 2 1 1\nrow_upper vector 1 -1\n"
      "lower vector 2 0 0\nend\n");
  const std::string unbounded = folder.write_text("falls.txt", linear_program("0", "inf", "-1 0"));
  const std::string csv = folder.at("proof.csv");
  const Outcome none = run({"solve", "--json", infeasible, "--solution", csv});
  EXPECT_EQ(none.code, command::not_solved);
  EXPECT_EQ(members(none.out)["status"], "infeasible");
  EXPECT_TRUE(qp::proves_infeasible(std::get<qp::Problem>(read_problem(infeasible).problem),
                                    last_cells(read_text(csv), "row")));
  const Outcome falls = run({"solve", "--json", unbounded, "--solution", csv});
  EXPECT_EQ(falls.code, command::not_solved);
  EXPECT_EQ(members(falls.out)["status"], "unbounded");
  EXPECT_NE(falls.err.find("the objective falls without bound"), std::string::npos) << falls.err;
  EXPECT_TRUE(qp::proves_unbounded(std::get<qp::Problem>(read_problem(unbounded).problem),
                                   last_cells(read_text(csv), "unknown")));
  const Outcome table = run({"solve", unbounded});
  EXPECT_NE(table.out.find("unbounded"), std::string::npos);
}

TEST(Programs, AConeProgramWithoutAPointIsProven) {
  const Folder folder;
  // |x| <= -1: h - G x = (-1, x).
  const cone_program::Problem problem{.c = Eigen::VectorXd::Ones(1),
                                      .G = Eigen::MatrixXd(Eigen::Vector2d(0, -1)).sparseView(),
                                      .h = Eigen::Vector2d(-1, 0),
                                      .cones = {2}};
  const std::string file = folder.write("none.h5", problem), csv = folder.at("proof.csv");
  const Outcome outcome = run({"solve", "--json", file, "--solution", csv});
  EXPECT_EQ(outcome.code, command::not_solved);
  EXPECT_EQ(members(outcome.out)["status"], "infeasible") << outcome.out;
  EXPECT_TRUE(cone_program::proves_infeasible(problem, last_cells(read_text(csv), "row")));
}

/// minimise costs.x with 0 <= x_1 ⟂ x_1 - x_0 >= 0, x_0 >= 0 and what `rows` says.
std::string with_a_pair(const std::string& costs, const std::string& rows = {}) {
  return "nonsmooth-problem 4\nclass mpcc\nQ dense 2 2 0 0 0 0\nc vector 2 " + costs + "\n" + rows +
         "lower vector 2 0 -inf\nG dense 1 2  0 1\ng vector 1 0\nH dense 1 2  -1 1\nh vector 1 0\nend\n";
}

// At x = 0 both sides are 0. Of 2 x_0 - x_1 (ralph1 of MacMPEC) it is a minimiser on both pieces, but no multipliers
// u, v >= 0 exist: u + v = -1. Of x_0 + x_1 they do.
TEST(Programs, StationarityIsSaidWithTheSidesOfThePairs) {
  const Folder folder;
  const std::string csv = folder.at("pair.csv");
  for (const auto& [costs, kind, value] :
       {std::tuple("2 -1", "B", -1.0), std::tuple("1 1", "S", 1.0)}) {  // u + v is the cost of x_1
    const std::string file = folder.write_text("pair.txt", with_a_pair(costs));
    const Outcome outcome = run({"solve", "--json", file, "--solution", csv});
    ASSERT_EQ(outcome.code, command::success) << outcome.err;
    EXPECT_EQ(members(outcome.out)["class"], "mpcc");
    EXPECT_EQ(members(outcome.out)["size"], "4");
    EXPECT_EQ(members(outcome.out)["stationarity"], kind);
    // The residual is below 1e-8 of data of size 1.
    EXPECT_NEAR(std::stod(members(outcome.out)["objective"]), 0.0, 1e-7);
    EXPECT_NE(run({"solve", file}).out.find("solved (" + std::string(kind) + ")"), std::string::npos);
    const auto rows = lines(read_text(csv));
    ASSERT_EQ(rows.size(), 5u);
    EXPECT_EQ(rows[0], "kind,index,value,multiplier");
    EXPECT_TRUE(rows[2].starts_with("unknown,1,")) << rows[2];
    EXPECT_TRUE(rows[3].starts_with("G,0,")) << rows[3];
    EXPECT_TRUE(rows[4].starts_with("H,0,")) << rows[4];
    EXPECT_NEAR(std::stod(cells(rows[3])[3]) + std::stod(cells(rows[4])[3]), value, 1e-7);
  }
}

TEST(Programs, PairsWithoutAPointAndWithoutABoundAreProven) {
  const Folder folder;
  const std::string csv = folder.at("proof.csv");
  const std::string none =
      folder.write_text("none.txt", with_a_pair("1 1", "A dense 1 2 0 1\nrow_upper vector 1 -1\n"));
  const Outcome outcome = run({"solve", "--json", none, "--solution", csv});
  EXPECT_EQ(outcome.code, command::not_solved);
  EXPECT_EQ(members(outcome.out)["status"], "infeasible") << outcome.out;
  const std::string text = read_text(csv);
  Eigen::VectorXd proof(3);  // the row, then G, then H
  proof << last_cells(text, "row"), last_cells(text, "G"), last_cells(text, "H");
  EXPECT_TRUE(mpcc::proves_infeasible(std::get<mpcc::Problem>(read_problem(none).problem), proof));
  const std::string open = folder.write_text("falls.txt", with_a_pair("0 -1"));
  const Outcome falls = run({"solve", "--json", open, "--solution", csv});
  EXPECT_EQ(falls.code, command::not_solved);
  EXPECT_EQ(members(falls.out)["status"], "unbounded") << falls.out;
  EXPECT_NE(falls.err.find("on a choice of the sides of the pairs"), std::string::npos) << falls.err;
  EXPECT_GT(last_cells(read_text(csv), "unknown")[1], 0.0);
  const std::string info = run({"info", open}).out;
  for (const char* said : {"mpcc", "4 rows", "1 complementary pair of 2 rows"}) {
    EXPECT_NE(info.find(said), std::string::npos) << said << info;
  }
}

TEST(Programs, AnInequalityOnAnEmptySetIsProven) {
  const Folder folder;
  // x_0 <= -1 and -x_0 <= 0.
  const std::string file = folder.write_text("none.txt", std::string(vi_head) +
                                                             "K/0 set polyhedron\nK/0/A dense 2 2  1 0  -1 0\n"
                                                             "K/0/b vector 2  -1 0\nend\n");
  const std::string csv = folder.at("proof.csv");
  const Outcome outcome = run({"solve", "--json", file, "--solution", csv});
  EXPECT_EQ(outcome.code, command::not_solved);
  EXPECT_EQ(members(outcome.out)["status"], "infeasible") << outcome.out << outcome.err;
  const AnyProblem problem = read_problem(file).problem;
  EXPECT_TRUE(vi::proves_infeasible(std::get<AffineVi>(problem).problem(), last_cells(read_text(csv), "set")));
}

TEST(Programs, SolversThatNeedAPolyhedronAreNamedForOneAlone) {
  const Folder folder;
  const std::string ball = folder.write_text(
      "ball.txt", std::string(vi_head) + "K/0 set ball\nK/0/center vector 2 0 0\nK/0/radius vector 1 1\nend\n");
  const Outcome refused = run({"solve", ball, "--solver", "josephy-newton"});
  EXPECT_EQ(refused.code, command::bad_input);
  EXPECT_NE(refused.err.find("one for vi problems of this kind: automatic"), std::string::npos) << refused.err;
  EXPECT_EQ(run({"solve", ball}).code, command::success);
}

TEST(Programs, InfoTellsUnknownsRowsAndSets) {
  const Folder folder;
  const std::string info = run({"info", folder.write_text("lp.txt", linear_program("1", "inf", "1 1"))}).out;
  for (const char* said : {"qp", "text", "3 rows", "2 bounded unknown", "1 inequality", "4 of 9"}) {
    EXPECT_NE(info.find(said), std::string::npos) << said << info;
  }
  const std::string ball = folder.write_text(
      "ball.txt", std::string(vi_head) + "K/0 set ball\nK/0/center vector 2 0 0\nK/0/radius vector 1 1\nend\n");
  EXPECT_NE(run({"info", ball}).out.find("1 ball of 2 rows"), std::string::npos);
}

/// maximise 2 x - x^2 + 3 with x + y = 1, x, y >= 0: x = 1, 4.
constexpr std::string_view maximised = R"(NAME SMALL
OBJSENSE
    MAX
ROWS
 N GAIN
 E "SUM"
COLUMNS
 X GAIN 2 "SUM" 1
 Y "SUM" 1
RHS
 RHS GAIN -3 "SUM" 1
QUADOBJ
 X X -2
ENDATA
)";

TEST(Programs, TheObjectiveAndTheNamesAreThoseOfTheFile) {
  const Folder folder;
  const std::string file = folder.write_text("small.qps", maximised), csv = folder.at("small.csv");
  const Outcome outcome = run({"solve", "--json", file, "--solution", csv});
  ASSERT_EQ(outcome.code, command::success) << outcome.err;
  EXPECT_NEAR(std::stod(members(outcome.out)["objective"]), 4.0, 1e-7);
  const auto rows = lines(read_text(csv));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0], "kind,index,name,value,multiplier");
  EXPECT_TRUE(rows[1].starts_with("unknown,0,X,"));
  EXPECT_TRUE(rows[3].starts_with(R"(row,0,"""SUM""",)")) << rows[3];
  const Outcome converted = run({"convert", file, folder.at("small.h5")});
  EXPECT_EQ(converted.code, command::success);
  for (const char* said : {"maximisation", "constant of the objective", "names of unknowns and rows"}) {
    EXPECT_NE(converted.err.find(said), std::string::npos) << said;
  }
}

/// 0 <= x ⟂ exp(x) - 2 >= 0: x = log 2.
constexpr std::string_view exponential = R"(g3 0 1 0
 1 1 0 0 0
 1 0 0 1 0 0
 0 0
 1 0 0
 0 0 0 1
 0 0 0 0 0
 1 0
 0 0
 0 0 0 0 0
C0
o0
o44
v0
n-2
r
5 1 1
b
2 0
k0
J0 1
0 0
)";

TEST(Programs, ANonlinearProblemIsSolvedByEveryAlgorithmOfItsClass) {
  const Folder folder;
  const std::string file = folder.write_text("exp.nl", exponential), csv = folder.at("exp.csv");
  for (const auto& line : command::solvers_of(ProblemClass::Mcp)) {
    const Outcome outcome = run({"solve", "--json", file, "--solver", std::string(line.name), "--solution", csv});
    ASSERT_EQ(outcome.code, command::success) << line.name << ": " << outcome.err;
    EXPECT_EQ(members(outcome.out)["class"], "mcp");
    const auto rows = lines(read_text(csv));
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0], "x,w");
    EXPECT_NEAR(std::stod(cells(rows[1])[0]), std::log(2.0), 1e-7);  // F' = 2 there, |F(0)| = 1
  }
  const std::string info = run({"info", file}).out;
  for (const char* said : {"mcp", "nl", "1 row", "1 complementarity", "1 of 1"}) {
    EXPECT_NE(info.find(said), std::string::npos) << said << info;
  }
}

/// 2 x - y on x >= 0, 0 <= y ⟂ y - x >= 0 (ralph1 of MacMPEC): B-stationary at 0, not S.
constexpr std::string_view linear_objective_and_pair = R"(g3 1 1 0
 2 1 1 0 0
 0 0 1 0 0 0
 0 0
 0 0 0
 0 0 0 1
 0 0 0 0 0
 2 2
 0 0
 0 0 0 0 0
C0
n0
O0 0
n5
r
5 1 2
b
2 0
2 0
k1
1
J0 2
0 -1
1 1
G0 2
0 2
1 -1
)";

/// Maximise -(x - 2)^2 - y, 0 <= y ⟂ exp(x) - 3 + y >= 0: at x = 2, y = 0, since exp(2) > 3.
constexpr std::string_view exponential_pair = R"(g3 1 1 0
 2 1 1 0 0
 1 1 0 1 0 0
 0 0
 2 2 2
 0 0 0 1
 0 0 0 0 0
 2 2
 0 0
 0 0 0 0 0
C0
o0
o44
v0
n-3
O0 1
o16
o5
o0
v0
n-2
n2
r
5 1 2
b
3
2 0
k1
1
J0 2
0 0
1 1
G0 2
0 0
1 -1
)";

TEST(Programs, AnObjectiveBesideComplementarityComesFromNl) {
  const Folder folder;
  const std::string data = folder.write_text("data.nl", linear_objective_and_pair);
  const std::string code = folder.write_text("code.nl", exponential_pair), csv = folder.at("code.csv");
  for (const std::string solver : {"automatic", "relaxation", "branch and bound"}) {
    const Outcome outcome = run({"solve", "--json", data, "--solver", solver});
    ASSERT_EQ(outcome.code, command::success) << outcome.err;
    EXPECT_EQ(members(outcome.out)["class"], "mpcc");
    EXPECT_EQ(members(outcome.out)["stationarity"], "B");
    EXPECT_NEAR(std::stod(members(outcome.out)["objective"]), 5.0, 1e-7);  // with the file's constant
  }
  for (const std::string solver : {"automatic", "relaxation"}) {
    const Outcome outcome = run({"solve", "--json", code, "--solver", solver, "--solution", csv});
    ASSERT_EQ(outcome.code, command::success) << outcome.err;
    EXPECT_EQ(members(outcome.out)["class"], "mpcc");
    EXPECT_EQ(members(outcome.out)["stationarity"], "S");
    EXPECT_NEAR(std::stod(members(outcome.out)["objective"]), 0.0, 1e-9);
    const auto rows = lines(read_text(csv));
    ASSERT_EQ(rows.size(), 5u);  // title, x, y, G, H
    EXPECT_NEAR(std::stod(cells(rows[1])[2]), 2.0, 1e-8);
    EXPECT_NEAR(std::stod(cells(rows[3])[3]), 1.0, 1e-8);                  // u: the slope of y
    EXPECT_NEAR(std::stod(cells(rows[4])[2]), std::exp(2.0) - 3.0, 1e-7);  // H
  }
  EXPECT_NE(run({"solve", code}).out.find("solved (S)"), std::string::npos);
  const Outcome other = run({"solve", code, "--solver", "branch and bound"});
  EXPECT_EQ(other.code, command::bad_input);
  EXPECT_NE(other.err.find("automatic"), std::string::npos) << other.err;
  for (const std::string& file : {data, code}) {
    const std::string info = run({"info", file}).out;
    for (const char* said : {"mpcc", "nl", "4 rows", "1 complementary pair of 2 rows"})
      EXPECT_NE(info.find(said), std::string::npos) << said << info;
  }
}

}  // namespace
}  // namespace nonsmooth::command_test::programs_test
