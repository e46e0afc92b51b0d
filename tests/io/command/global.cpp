// SPDX-License-Identifier: Apache-2.0
// Friction through the command: global forms, solved, described and refused; FCLIB's files, converted.
#include <algorithm>

#include <gtest/gtest.h>

#include <catalogue.hpp>
#include <nonsmooth/io/fclib_file.hpp>
#include <nonsmooth/numerics/status.hpp>

#include "helpers.hpp"

namespace nonsmooth::command_test::global_test {
namespace {

Eigen::SparseMatrix<double> sparse(const Eigen::MatrixXd& matrix) { return matrix.sparseView(); }

/// A point of mass 2 on the ground, pushed down with f_N = -6 and aside with f_T = (1, 0): it sticks, since 1 < 0.5 *
/// 6, so that v = 0 and r = -f.
friction::GlobalProblem sticking() {
  friction::GlobalProblem problem{.A = sparse(2.0 * Eigen::Matrix3d::Identity()),
                                  .H = sparse(Eigen::Matrix3d::Identity()),
                                  .f = Eigen::Vector3d{-6, 1, 0},
                                  .w = Eigen::Vector3d::Zero(),
                                  .K{}};
  problem.K.push_back({.kind = SetKind::Coulomb3D, .mu = 0.5}, 3);
  return problem;
}

/// A v = f with v = (1, 2, -1).
friction::GlobalProblem without_contacts() {
  return {.A = sparse(Eigen::Matrix3d{{2, 1, 0}, {0, 4, 0}, {0, 0, 8}}),
          .H = Eigen::SparseMatrix<double>(0, 3),
          .f = Eigen::Vector3d{4, 8, -8},
          .w = Eigen::VectorXd(0),
          .K{}};
}

std::vector<std::string> global_names() {
  std::vector<std::string> names;
  for (const auto& line : command::solvers_of(ProblemClass::GlobalFriction)) names.emplace_back(line.name);
  return names;
}

/// The numbers of a CSV row behind its kind and index; NaN where a cell is empty.
std::vector<double> numbers(const std::string& row) {
  std::vector<double> all;
  std::istringstream stream(row.substr(row.find(',', row.find(',') + 1) + 1) + ",");
  for (std::string cell; std::getline(stream, cell, ',');) {
    all.push_back(cell.empty() ? std::numeric_limits<double>::quiet_NaN() : std::stod(cell));
  }
  return all;
}

TEST(Global, EveryAlgorithmSolvesAndTheSolutionHasVelocitiesAndContacts) {
  const Folder folder;
  const std::string file = folder.write("stick.h5", sticking()), csv = folder.at("stick.csv");
  ASSERT_EQ(global_names(),
            (std::vector<std::string>{"automatic", "global admm", "global proximal newton", "global interior point"}));
  for (const std::string& name : global_names()) {
    const Outcome outcome = run({"solve", "--json", "--solver", name, file, "--solution", csv});
    ASSERT_EQ(outcome.code, command::success) << name << ": " << outcome.err;
    EXPECT_EQ(members(outcome.out)["class"], "global friction");
    EXPECT_EQ(members(outcome.out)["size"], "6");
    if (name != "automatic") {
      EXPECT_EQ(members(outcome.out)["solver"], name);
    }
    const auto rows = lines(read_text(csv));
    ASSERT_EQ(rows.size(), 7u);
    EXPECT_EQ(rows[0], "kind,index,v,r,u");
    // residual <= 1e-8 bounds the error of u by 1e-8 |q|_inf = 3e-8, and that of r by as much over A^-1 = 1/2.
    const Eigen::Vector3d r(6, -1, 0);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(rows[1 + i].starts_with("velocity," + std::to_string(i))) << rows[1 + i];
      EXPECT_TRUE(rows[1 + i].ends_with(",,")) << rows[1 + i];
      EXPECT_NEAR(numbers(rows[1 + i])[0], 0.0, 1e-6);
      EXPECT_TRUE(rows[4 + i].starts_with("contact," + std::to_string(i) + ",,")) << rows[4 + i];
      EXPECT_NEAR(numbers(rows[4 + i])[1], r[static_cast<Index>(i)], 1e-6);
      EXPECT_NEAR(numbers(rows[4 + i])[2], 0.0, 1e-6);
    }
  }
}

TEST(Global, WithoutContactsItIsALinearSystem) {
  const Folder folder;
  const std::string file = folder.write("free.h5", without_contacts()), csv = folder.at("free.csv");
  const Outcome outcome = run({"solve", "--json", file, "--solution", csv});
  ASSERT_EQ(outcome.code, command::success) << outcome.err;
  EXPECT_EQ(members(outcome.out)["solver"], "closed form");
  const auto rows = lines(read_text(csv));
  ASSERT_EQ(rows.size(), 4u);
  const Eigen::Vector3d v(1, 2, -1);
  // Two products a row: a few units of round-off.
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(numbers(rows[1 + i])[0], v[static_cast<Index>(i)], 1e-14);
}

TEST(Global, ARefusedSolverIsWordedTheSameWithAndWithoutContacts) {
  const Folder folder;
  for (const AnyProblem& problem : {AnyProblem(sticking()), AnyProblem(without_contacts())}) {
    const Outcome outcome = run({"solve", "--solver", "magic", folder.write("p.h5", problem)});
    EXPECT_EQ(outcome.code, command::bad_input);
    EXPECT_NE(outcome.err.find("--solver: found 'magic', expected one for global friction problems of this kind: "
                               "automatic, global admm, global proximal newton, global interior point"),
              std::string::npos)
        << outcome.err;
  }
}

TEST(Global, ASingularMassIsNamed) {
  const Folder folder;
  friction::GlobalProblem problem = sticking();
  problem.A = sparse(Eigen::Matrix3d::Ones());
  for (const std::string& name : global_names()) {
    const Outcome outcome = run({"solve", "--solver", name, folder.write("p.h5", problem)});
    EXPECT_EQ(outcome.code, command::bad_input);
    EXPECT_NE(outcome.err.find("A: found a matrix singular to working precision"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("::"), std::string::npos) << outcome.err;
  }
}

// The point may not go down, and w = -1 drives it down whatever r: H = 0 leaves u = w.
TEST(Global, AProofHasAColumnOfItsOwn) {
  const Folder folder;
  friction::GlobalProblem problem = sticking();
  problem.H = Eigen::SparseMatrix<double>(3, 3);
  problem.w = Eigen::Vector3d{-1, 0, 0};
  const std::string csv = folder.at("none.csv");
  const Outcome outcome = run({"solve", "--json", folder.write("none.h5", problem), "--solution", csv});
  ASSERT_EQ(outcome.code, command::not_solved) << outcome.err;
  ASSERT_EQ(members(outcome.out)["status"], to_string(Status::Infeasible)) << outcome.err;
  const auto rows = lines(read_text(csv));
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[0], "kind,index,v,r,u,proof");
  EXPECT_TRUE(rows[1].ends_with(",,,")) << rows[1];
  EXPECT_GT(numbers(rows[4])[3], 0.0);  // y.w < 0
}

TEST(Global, InfoCountsTheWholeSystem) {
  const Folder folder;
  const Outcome outcome = run({"info", "--json", folder.write("p.h5", without_contacts()),  //
                               folder.write("q.h5", sticking())});
  ASSERT_EQ(outcome.code, command::success) << outcome.err;
  auto alone = members(lines(outcome.out).at(0)), stick = members(lines(outcome.out).at(1));
  EXPECT_EQ(alone["size"], "3");
  EXPECT_EQ(alone["nonzeros"], "4");
  EXPECT_EQ(alone["symmetric"], "false");
  EXPECT_EQ(alone["q_norm"], "8");
  EXPECT_EQ(stick["class"], "global friction");
  EXPECT_EQ(stick["size"], "6");
  EXPECT_EQ(stick["storage"], "sparse");
  EXPECT_EQ(stick["nonzeros"], "9");  // A, H and -H^T
  EXPECT_EQ(stick["symmetric"], "true");
  EXPECT_EQ(stick["blocks"],
            R"([{"set": "equality", "rows": 1, "count": 3}, {"set": "coulomb 3d", "rows": 3, "count": 1}])");
}

TEST(Friction, ARegistryOfItsOwnSolvesContacts) {
  const Folder folder;
  const std::string file = folder.write("contact.h5", friction::to_reduced(sticking()));
  std::vector<std::string_view> names;
  for (const auto& line : command::solvers_of(ProblemClass::Friction)) names.push_back(line.name);
  for (const char* name : {"automatic", "gauss-seidel", "alart-curnier"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
    const Outcome outcome = run({"solve", "--json", "--solver", name, file});
    EXPECT_EQ(outcome.code, command::success) << name << ": " << outcome.err;
  }
  // Rolling friction has fewer.
  const auto rolling = command::solvers_of(ProblemClass::RollingFriction);
  EXPECT_EQ(rolling.front().name, "automatic");
  EXPECT_TRUE(
      std::none_of(rolling.begin(), rolling.end(), [](const auto& line) { return line.name == "fischer-burmeister"; }));
}

class ConvertFclib : public ::testing::Test {
 protected:
  /// A problem with everything that FCLIB has a place for.
  void SetUp() override {
    const FclibSolution solution{
        .v = Eigen::Vector3d::Zero(), .r = Eigen::Vector3d{6, -1, 0}, .u = Eigen::Vector3d::Zero()};
    write_fclib({.problem = sticking(),
                 .info = {.title = "a point", .description = "that sticks", .degrees_of_freedom = 3},
                 .solution = solution,
                 .guesses = {solution, solution}},
                folder_.at("in.fclib.h5"));
  }
  Folder folder_;
};

TEST_F(ConvertFclib, KeepsEverythingFromFclibToFclib) {
  const Outcome outcome = run({"convert", folder_.at("in.fclib.h5"), folder_.at("out.fclib.h5")});
  ASSERT_EQ(outcome.code, command::success) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const FclibFile back = read_fclib(folder_.at("out.fclib.h5"));
  EXPECT_EQ(back.info, read_fclib(folder_.at("in.fclib.h5")).info);
  ASSERT_TRUE(back.solution);
  EXPECT_EQ(back.solution->r, Eigen::Vector3d(6, -1, 0));
  EXPECT_EQ(back.guesses.size(), 2u);
}

TEST_F(ConvertFclib, SaysWhatAnotherFormatLosesAndKeepsTheRest) {
  const Outcome away = run({"convert", folder_.at("in.fclib.h5"), folder_.at("out.h5")});
  ASSERT_EQ(away.code, command::success);
  EXPECT_EQ(away.out, "");
  EXPECT_NE(away.err.find("description, number of degrees of freedom, solution, guesses\n"), std::string::npos)
      << away.err;
  const Outcome back = run({"convert", folder_.at("out.h5"), folder_.at("back.fclib.h5")});
  ASSERT_EQ(back.code, command::success) << back.err;
  EXPECT_EQ(back.err, "");
  const FclibFile file = read_fclib(folder_.at("back.fclib.h5"));
  EXPECT_EQ(file.info, (FclibInfo{.title = "a point"}));
  EXPECT_FALSE(file.solution);
  const auto& problem = std::get<friction::GlobalProblem>(file.problem);
  EXPECT_EQ(problem.f, sticking().f);
  EXPECT_EQ(problem.A.toDense(), sticking().A.toDense());
}

TEST_F(ConvertFclib, TakesAProblemOfFreeBlocksAlone) {
  const std::string text =
      "1\n2\n2\n2\n2\n2\n1 2\n1 2\n3\n2\n0 1 2\n0 1\n0\n2\n1\n3\n-1\n-2\n2\n2\n";  // 2 z = 1, 3 z = 2
  const std::string file = folder_.write_text("free.dat", text);
  ASSERT_EQ(run({"convert", file, folder_.at("free.fclib.h5")}).code, command::success);
  const auto problem = std::get<mixed::Problem>(read_problem(folder_.at("free.fclib.h5")).problem);
  EXPECT_EQ(problem.W.to_dense(), (Eigen::MatrixXd{{2, 0}, {0, 3}}));
  EXPECT_TRUE(problem.K.all(SetKind::Free));
}

}  // namespace
}  // namespace nonsmooth::command_test::global_test
