// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include <catalogue.hpp>
#include <nonsmooth/io/csv.hpp>
#include <nonsmooth/numerics/status.hpp>
#include <stopwatch.hpp>

#include "helpers.hpp"

namespace nonsmooth::command_test {
namespace {

const std::vector<std::string> keys{"file", "class", "size", "solver", "status", "iterations", "residual", "elapsed_s"};

/// Murty's P-matrix of n rows: 1 on the diagonal, 2 above it, q = -1. Lemke's method takes many pivots.
lcp::Problem murty(Index n) {
  Eigen::MatrixXd M = Eigen::MatrixXd::Identity(n, n);
  M.triangularView<Eigen::StrictlyUpper>().setConstant(2.0);
  return {.M = M, .q = Eigen::VectorXd::Constant(n, -1.0)};
}

TEST(Solve, OneJsonObjectWithExactlyTheKeys) {
  const Folder folder;
  const std::string file = folder.write("interior.dat", interior_lcp());
  const Outcome outcome = run({"solve", "--json", file});
  EXPECT_EQ(outcome.code, command::success) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  ASSERT_EQ(lines(outcome.out).size(), 1u);
  const auto object = Json::object(lines(outcome.out)[0]);
  ASSERT_TRUE(object) << outcome.out;
  std::vector<std::string> found;
  for (const auto& [key, value] : *object) found.push_back(key);
  EXPECT_EQ(found, keys);
  auto member = members(outcome.out);
  EXPECT_EQ(member["file"], file);
  EXPECT_EQ(member["class"], "lcp");
  EXPECT_EQ(member["size"], "2");
  EXPECT_EQ(member["status"], to_string(Status::Solved));
  EXPECT_LE(std::stod(member["residual"]), 1e-8);
  EXPECT_GT(std::stod(member["elapsed_s"]), 0.0);
  EXPECT_LT(std::stod(member["elapsed_s"]), 0.2);
}

TEST(Solve, TheTableHasTheSameColumnsAlignedAndInTheOrderGiven) {
  const Folder folder;
  const std::string b = folder.write("b_long_name.dat", interior_lcp()), a = folder.write("a.dat", murty(4));
  const Outcome outcome = run({"solve", b, a});
  EXPECT_EQ(outcome.code, command::success) << outcome.err;
  const auto rows = lines(outcome.out);
  ASSERT_EQ(rows.size(), 3u);
  std::istringstream titles(rows[0]);
  EXPECT_EQ((std::vector<std::string>{std::istream_iterator<std::string>(titles), {}}), keys);
  EXPECT_TRUE(rows[1].starts_with(b));
  EXPECT_TRUE(rows[2].starts_with(a));
  const std::size_t column = rows[0].find("status");
  EXPECT_EQ(rows[1].substr(column, 6), "solved");
  EXPECT_EQ(rows[2].substr(column, 6), "solved");
}

TEST(Solve, AProblemWithoutASolutionIsNotSolved) {
  const Folder folder;
  const Outcome outcome = run({"solve", "--json", folder.write("none.dat", infeasible_lcp())});
  EXPECT_EQ(outcome.code, command::not_solved);
  EXPECT_EQ(members(outcome.out)["status"], to_string(Status::Infeasible));
  EXPECT_NE(outcome.err.find("none.dat"), std::string::npos);
}

TEST(Solve, ALimitOfIterationsIsAStatusAndNotAnError) {
  const Folder folder;
  const std::string file = folder.write("murty.dat", murty(8));
  const Outcome outcome = run({"solve", "--json", "--solver", "lemke", "--max-iterations", "1", file});
  EXPECT_EQ(outcome.code, command::not_solved);
  EXPECT_EQ(members(outcome.out)["status"], to_string(Status::IterationLimit)) << outcome.out;
  EXPECT_EQ(run({"solve", "--solver", "lemke", "--max-iterations=0", file}).code, command::success);
}

TEST(Solve, ABadFileOfSeveralLeavesTheOthersAndDecidesTheCode) {
  const Folder folder;
  const std::string good = folder.write("good.dat", interior_lcp()), none = folder.write("none.dat", infeasible_lcp());
  const std::string torn = folder.write_text("torn.dat", "2\n1 0\n0"), missing = folder.at("missing.dat");
  const Outcome outcome = run({"solve", "--json", torn, good, missing, none, good});
  EXPECT_EQ(outcome.code, command::bad_input);
  const auto rows = lines(outcome.out);
  ASSERT_EQ(rows.size(), 3u) << outcome.out;
  EXPECT_EQ(members(rows[0])["file"], good);
  EXPECT_EQ(members(rows[1])["file"], none);
  EXPECT_EQ(members(rows[2])["file"], good);
  EXPECT_NE(outcome.err.find(torn), std::string::npos);
  EXPECT_NE(outcome.err.find(missing), std::string::npos);
  EXPECT_EQ(run({"solve", good, none}).code, command::not_solved);
}

TEST(Solve, NamesOfSolversIgnoreCaseAndHyphens) {
  const Folder folder;
  const std::string file = folder.write("interior.dat", interior_lcp());
  for (const char* name : {"block principal pivoting", "Block-Principal_Pivoting", "BLOCK_PRINCIPAL_PIVOTING"}) {
    const Outcome outcome = run({"solve", "--json", file, "--solver", name});
    EXPECT_EQ(outcome.code, command::success) << outcome.err;
    EXPECT_EQ(members(outcome.out)["solver"], "block principal pivoting");
  }
}

TEST(Solve, AnUnknownSolverIsRefusedWithTheNamesOfTheClass) {
  const Folder folder;
  const Outcome outcome = run({"solve", "--solver", "magic", folder.write("interior.dat", interior_lcp())});
  EXPECT_EQ(outcome.code, command::bad_input);
  EXPECT_EQ(outcome.out, "");
  for (const auto& line : command::solvers_of(ProblemClass::Lcp)) {
    EXPECT_EQ(outcome.err.find(", " + std::string(line.name)) != std::string::npos ||
                  outcome.err.find(": " + std::string(line.name)) != std::string::npos,
              line.dense)  // the file holds a dense matrix
        << line.name;
  }
  EXPECT_NE(outcome.err.find("'magic'"), std::string::npos);
  EXPECT_NE(outcome.err.find("interior.dat"), std::string::npos);
}

TEST(Solve, HostileFileNamesCannotBreakTheOutput) {
  const Folder folder;
  for (const std::string name :
       {"quote\".dat", "back\\slash.dat", "line\nbreak.dat", "\x1b[31mred.dat", "not_utf8_\xFF\xC3.dat",
        "gr\xC3\xB6\xC3\x9F\x65.dat", " space .dat", "$(touch x).dat"}) {
    const std::string file = folder.write(name, interior_lcp());
    const Outcome json = run({"solve", "--json", file});
    EXPECT_EQ(json.code, command::success) << json.err;
    ASSERT_EQ(lines(json.out).size(), 1u);
    ASSERT_TRUE(Json::object(lines(json.out)[0])) << json.out;
    if (name.find('\xFF') == std::string::npos) {
      EXPECT_EQ(members(lines(json.out)[0])["file"], file);
    }
    const Outcome table = run({"solve", file});
    EXPECT_EQ(lines(table.out).size(), 2u) << table.out;
    EXPECT_EQ(table.out.find('\x1b'), std::string::npos);
    const Outcome failed = run({"solve", file + ".missing"});
    EXPECT_EQ(failed.code, command::bad_input);
    EXPECT_EQ(lines(failed.err).size(), 1u) << failed.err;
    EXPECT_EQ(failed.err.find('\x1b'), std::string::npos);
  }
  const Outcome dash = run({"solve", "--json", "--", "--no-such-file.dat"});
  EXPECT_EQ(dash.code, command::bad_input);
  EXPECT_NE(dash.err.find("--no-such-file.dat"), std::string::npos);
}

// M is symmetric with eigenvalues 1 and 3, so that |z - (4/3, 7/3)| <= |w| / 1, and residual <= 1e-8 means
// |w_i| <= 1e-8 max |q| = 6e-8.
TEST(Solve, TheSolutionIsWrittenForOneProblem) {
  const Folder folder;
  const std::string file = folder.write("interior.dat", interior_lcp()), csv = folder.at("solution.csv");
  EXPECT_EQ(run({"solve", file, "--solution", csv}).code, command::success);
  const Table table = read_csv(csv);
  ASSERT_EQ(table.num_rows(), 2);
  EXPECT_NEAR(table.column("z")[0], 4.0 / 3.0, 1e-7);
  EXPECT_NEAR(table.column("z")[1], 7.0 / 3.0, 1e-7);
  EXPECT_NEAR(table.column("w")[0], 0.0, 1e-7);
  const Outcome two = run({"solve", file, file, "--solution", csv});
  EXPECT_EQ(two.code, command::bad_input);
  EXPECT_EQ(two.out, "");
}

/// A problem with one solution for most classes: M symmetric positive definite, or one contact of unit mass.
std::vector<std::pair<std::string, AnyProblem>> one_of_each_class() {
  const Eigen::MatrixXd M = Eigen::Matrix2d{{2, 1}, {1, 2}};
  const Eigen::VectorXd q = Eigen::Vector2d{-5, -6};
  mixed::Problem friction;
  friction.W.begin_pattern({3});
  friction.W.insert(0);
  friction.W.next_row();
  friction.W.end_pattern();
  friction.W.block(0, 0).setIdentity();
  friction.q = Eigen::Vector3d{-1, 0.2, 0};
  friction.K.push_back({.kind = SetKind::Coulomb3D, .mu = 0.5}, 3);
  return {{"lcp", lcp::Problem{.M = M, .q = q}},
          {"lcp", lcp::SparseProblem{.M = M.sparseView(), .q = q}},
          {"relay", relay::Problem{.M = M, .q = q, .lower = Eigen::Vector2d{-1, -1}, .upper = Eigen::Vector2d{1, 1}}},
          {"mlcp", mlcp::Problem{.A = M.topLeftCorner(1, 1),
                                 .B = M.bottomRightCorner(1, 1),
                                 .C = M.topRightCorner(1, 1),
                                 .D = M.bottomLeftCorner(1, 1),
                                 .a = q.head(1),
                                 .b = q.tail(1)}},
          {"friction", friction}};
}

TEST(Solve, EveryClassIsSolvedFromItsFile) {
  const Folder folder;
  for (const auto& [name, problem] : one_of_each_class()) {
    const std::string file = folder.write(name + ".h5", problem);
    const Outcome outcome = run({"solve", "--json", file, "--solution", folder.at("solution.csv")});
    EXPECT_EQ(outcome.code, command::success) << name << outcome.err;
    EXPECT_EQ(members(outcome.out)["class"], name);
    EXPECT_EQ(read_csv(folder.at("solution.csv")).num_rows(), num_rows(problem));
    const Outcome info = run({"info", "--json", file});
    EXPECT_EQ(info.code, command::success);
    EXPECT_EQ(members(info.out)["class"], name);
    EXPECT_EQ(members(info.out)["symmetric"], "true");
  }
}

TEST(Solve, EverySolverListedForAClassCanBeNamed) {
  const Folder folder;
  for (const auto& [name, problem] : one_of_each_class()) {
    const std::string file = folder.write(name + ".h5", problem);
    const bool dense = problem.index() != 1 && name != "friction";
    for (const auto& line : command::solvers_of(class_of(problem))) {
      if (dense ? !line.dense : !line.sparse) continue;
      const Outcome outcome = run({"solve", "--json", "--solver", std::string(line.name), file});
      EXPECT_NE(outcome.code, command::bad_input) << name << ", " << line.name << ": " << outcome.err;
    }
  }
}

TEST(Solve, ARealProblemInEveryFormat) {
  const std::filesystem::path data = NONSMOOTH_REFERENCE_DATA;
  if (data.empty()) GTEST_SKIP() << "NONSMOOTH_REFERENCE_DATA is not set";
  const std::string file = (data / "data/lcp/lcp_CPS_1.dat").string();
  const Folder folder;
  ASSERT_EQ(run({"convert", file, folder.at("cps.h5")}).code, command::success);
  const Outcome outcome = run({"solve", "--json", file, folder.at("cps.h5")});
  EXPECT_EQ(outcome.code, command::success) << outcome.err;
  ASSERT_EQ(lines(outcome.out).size(), 2u);
  for (const std::string& line : lines(outcome.out)) EXPECT_EQ(members(line)["status"], "solved");
}

// 0.2 s and 51 are the documented limits of repetition.
TEST(Stopwatch, RepeatsShortTasksOnly) {
  int calls = 0;
  const auto [last, quick] = command::timed([&] { return ++calls; });
  EXPECT_EQ(last, 1);  // the first result is the one that counts
  EXPECT_GE(calls, 2);
  EXPECT_LE(calls, 52);
  EXPECT_LT(quick, 0.02);
  calls = 0;
  const auto [once, slow] = command::timed([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(210));
    return ++calls;
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(once, 1);
  EXPECT_GE(slow, 0.21);
}

}  // namespace
}  // namespace nonsmooth::command_test
