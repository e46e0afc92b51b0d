// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

#include <catalogue.hpp>
#include <nonsmooth/io/csv.hpp>
#include <nonsmooth/numerics/friction/registry.hpp>
#include <nonsmooth/numerics/relay/registry.hpp>
#include <nonsmooth/numerics/status.hpp>
#include <stopwatch.hpp>

#include "helpers.hpp"

namespace nonsmooth::command_test::solve_test {
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

TEST(Solve, TheSolutionNeverOverwritesTheProblem) {
  const Folder folder;
  const std::string file = folder.write("problem.dat", interior_lcp()), link = folder.at("link.csv");
  const std::string market = folder.write("market.mtx", interior_lcp());
  std::filesystem::create_symlink(file, link);
  const std::string text = read_text(file), vector = read_text(folder.at("market_q.mtx"));
  for (const std::string& out : {file, folder.at("./problem.dat"), link}) {
    const Outcome outcome = run({"solve", file, "--solution", out});
    EXPECT_EQ(outcome.code, command::bad_input) << out;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("--solution"), std::string::npos) << outcome.err;
    EXPECT_EQ(read_text(file), text);
  }
  EXPECT_EQ(run({"solve", market, "--solution", folder.at("market_q.mtx")}).code, command::bad_input);
  EXPECT_EQ(read_text(folder.at("market_q.mtx")), vector);
}

TEST(Solve, ASolutionThatCannotBeWrittenIsNoticedBeforeTheSolve) {
  const Folder folder;
  const std::string file = folder.write("problem.dat", interior_lcp());
  for (const std::string& out : {folder.at("no/such/folder.csv"), folder.at("")}) {
    const Outcome outcome = run({"solve", file, "--solution", out});
    EXPECT_EQ(outcome.code, command::bad_input) << out;
    EXPECT_EQ(outcome.out, "") << out;  // no row: nothing was solved
    EXPECT_NE(outcome.err.find("--solution " + out), std::string::npos) << outcome.err;
  }
  // A solver that does not exist leaves nothing behind.
  EXPECT_EQ(run({"solve", file, "--solver", "magic", "--solution", folder.at("s.csv")}).code, command::bad_input);
  EXPECT_FALSE(std::filesystem::exists(folder.at("s.csv")));
  EXPECT_FALSE(std::filesystem::exists(folder.at("s.csv.partial")));
}

// 0 = 2 u1 - 2, 0 = 4 u2 - 12, 0 <= v ⟂ v + u1 - 3 >= 0: u = (1, 3), v = 2, w = 0. Every number is exact.
TEST(Solve, TheSolutionOfAnMlcpKeepsEquationsAndUnknownsApart) {
  const Folder folder;
  const std::string csv = folder.at("solution.csv");
  mlcp::Problem problem{.A = Eigen::Matrix2d{{2, 0}, {0, 4}},
                        .B = Eigen::MatrixXd::Identity(1, 1),
                        .C = Eigen::MatrixXd::Zero(2, 1),
                        .D = Eigen::RowVector2d(1, 0),
                        .a = Eigen::Vector2d(-2, -12),
                        .b = Eigen::VectorXd::Constant(1, -3)};
  ASSERT_EQ(run({"solve", folder.write("mlcp.h5", problem), "--solution", csv}).code, command::success);
  EXPECT_EQ(read_text(csv),
            "kind,index,z,w\nfree,0,1,\nfree,1,3,\nequality,0,,0\nequality,1,,0\ncomplementarity,0,2,0\n");
  // The same equation twice with two right-hand sides: a multiple of y = (-1, 1) on the two rows proves it.
  problem.A = Eigen::Matrix2d{{1, 1}, {1, 1}};
  const Outcome outcome = run({"solve", folder.write("none.h5", problem), "--solution", csv});
  ASSERT_EQ(outcome.code, command::not_solved) << outcome.err;
  const auto rows = lines(read_text(csv));
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0], "kind,index,z,w,proof");
  EXPECT_TRUE(rows[1].starts_with("free,0,") && rows[1].ends_with(",,")) << rows[1];
  const auto last = [](const std::string& row) { return std::stod(row.substr(row.rfind(',') + 1)); };
  // A column of A counts as zero in y·A up to 4 eps of its terms, of which there are two.
  EXPECT_NEAR(last(rows[3]), -last(rows[4]), 8 * std::numeric_limits<double>::epsilon() * std::abs(last(rows[3])));
  EXPECT_NE(last(rows[3]), 0.0);
  EXPECT_EQ(last(rows[5]), 0.0);
}

TEST(Solve, TheProofOfInfeasibilityIsWritten) {
  const Folder folder;
  const std::string csv = folder.at("proof.csv");
  const Outcome outcome = run({"solve", folder.write("none.dat", infeasible_lcp()), "--solution", csv});
  EXPECT_EQ(outcome.code, command::not_solved);
  const Table table = read_csv(csv);
  ASSERT_EQ(table.num_rows(), 1);
  const double y = table.column("proof")[0];  // y >= 0, M y = -y <= 0, q y = -y < 0
  EXPECT_GT(y, 0.0);
  EXPECT_TRUE(std::isfinite(y));
}

// Murty's method takes 2^40 - 1 pivots for 40 rows of Murty's matrix.
TEST(Solve, ATimeLimitIsAStatus) {
  const Folder folder;
  const std::string file = folder.write("murty.dat", murty(40));
  const Outcome outcome = run({"solve", "--json", "--solver", "murty", "--max-iterations", "1000000000000000000",
                               "--time-limit", "0.05", file});
  EXPECT_EQ(outcome.code, command::not_solved) << outcome.err;
  EXPECT_EQ(members(outcome.out)["status"], to_string(Status::TimeLimit)) << outcome.out;
  EXPECT_NE(outcome.err.find("--time-limit"), std::string::npos) << outcome.err;
}

TEST(Solve, MessagesSpeakOfOptionsAndNotOfCode) {
  const Folder folder;
  const std::string murty_file = folder.write("murty.dat", murty(30));
  const std::string enumeration = run({"solve", "--solver", "enumeration", murty_file}).err;
  EXPECT_NE(enumeration.find(murty_file + ": --solver: enumeration takes at most 20 rows, not 30 rows"),
            std::string::npos)
      << enumeration;
  const std::string limit = run({"solve", "--solver", "lemke", "--max-iterations", "1", murty_file}).err;
  EXPECT_NE(limit.find(" after 1 iteration: "), std::string::npos) << limit;
  EXPECT_NE(limit.find("--max-iterations"), std::string::npos) << limit;
  // u1 + u2 = 2 and u1 + u2 = 12.
  const mlcp::Problem contradiction{.A = Eigen::Matrix2d::Ones(),
                                    .B = Eigen::MatrixXd::Identity(1, 1),
                                    .C = Eigen::MatrixXd::Zero(2, 1),
                                    .D = Eigen::RowVector2d::Zero(),
                                    .a = Eigen::Vector2d(-2, -12),
                                    .b = Eigen::VectorXd::Ones(1)};
  const std::string none = run({"solve", folder.write("none.h5", contradiction)}).err;
  const std::string stalled = run({"solve", "--solver", "projected-jacobi", murty_file}).err;
  for (const std::string& text : {enumeration, limit, none, stalled}) {
    EXPECT_EQ(text.find("::"), std::string::npos) << text;
  }
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
  mixed::Problem planar;
  planar.W.begin_pattern({2});
  planar.W.next_row();
  planar.W.end_pattern();
  planar.W.block(0, 0).setIdentity();
  planar.q = Eigen::Vector2d{-1, 0.2};
  planar.K.push_back({.kind = SetKind::Coulomb2D, .mu = 0.5}, 2);
  return {{"lcp", lcp::Problem{.M = M, .q = q}},
          {"lcp", lcp::SparseProblem{.M = M.sparseView(), .q = q}},
          {"relay", relay::Problem{.M = M, .q = q, .lower = Eigen::Vector2d{-1, -1}, .upper = Eigen::Vector2d{1, 1}}},
          {"mlcp", mlcp::Problem{.A = M.topLeftCorner(1, 1),
                                 .B = M.bottomRightCorner(1, 1),
                                 .C = M.topRightCorner(1, 1),
                                 .D = M.bottomLeftCorner(1, 1),
                                 .a = q.head(1),
                                 .b = q.tail(1)}},
          {"friction", friction},
          {"friction", planar},
          {"relay",
           relay::SparseProblem{
               .M = M.sparseView(), .q = q, .lower = Eigen::Vector2d{-1, -1}, .upper = Eigen::Vector2d{1, 1}}},
          {"mlcp", mlcp::SparseProblem{.A = M.topLeftCorner(1, 1).sparseView(),
                                       .B = M.bottomRightCorner(1, 1).sparseView(),
                                       .C = M.topRightCorner(1, 1).sparseView(),
                                       .D = M.bottomLeftCorner(1, 1).sparseView(),
                                       .a = q.head(1),
                                       .b = q.tail(1)}},
          {"qp", qp::Problem{.Q = M, .c = q, .A = M.topRows(1), .row_upper = Eigen::VectorXd::Ones(1)}},
          {"qp",
           qp::SparseProblem{
               .Q = M.sparseView(), .c = q, .A = M.topRows(1).sparseView(), .row_upper = Eigen::VectorXd::Ones(1)}},
          {"vi", AffineVi{.M = M, .q = q, .parts = {vi::Box{Eigen::Vector2d{0, 0}, Eigen::Vector2d{1, 1}}}}},
          {"quasi", AffineQuasiVi{.base = {.M = M, .q = q, .parts = {vi::Ball{.center = q, .radius = 1.0}}},
                                  .T = Eigen::MatrixXd{{0, 0.1}, {0.2, 0}},
                                  .t = Eigen::Vector2d{1, -1}}},
          {"cone program", cone_program::Problem{.c = Eigen::Vector2d{1, 0},
                                                 .A = Eigen::MatrixXd(Eigen::RowVector2d(0, 1)).sparseView(),
                                                 .b = Eigen::VectorXd::Ones(1),
                                                 .G = (-M).sparseView(),
                                                 .h = Eigen::Vector2d{0, 0},
                                                 .cones = {2}}},
          {"mpcc", mpcc::Problem{.Q = M,
                                 .c = q,
                                 .A = M.topRows(1),
                                 .row_upper = Eigen::VectorXd::Ones(1),
                                 .G = Eigen::MatrixXd{{1, 0}},
                                 .g = Eigen::VectorXd::Zero(1),
                                 .H = Eigen::MatrixXd{{0, 1}},
                                 .h = Eigen::VectorXd::Ones(1)}},
          {"mpcc", mpcc::SparseProblem{.Q = M.sparseView(),
                                       .c = q,
                                       .A = M.topRows(1).sparseView(),
                                       .row_upper = Eigen::VectorXd::Ones(1),
                                       .G = Eigen::MatrixXd{{1, 0}}.sparseView(),
                                       .g = Eigen::VectorXd::Zero(1),
                                       .H = Eigen::MatrixXd{{0, 1}}.sparseView(),
                                       .h = Eigen::VectorXd::Ones(1)}}};
}

bool is_sparse(const AnyProblem& problem) {
  const auto* const affine = std::get_if<AffineVi>(&problem);
  return affine != nullptr
             ? affine->is_sparse()
             : !std::holds_alternative<lcp::Problem>(problem) && !std::holds_alternative<relay::Problem>(problem) &&
                   !std::holds_alternative<mlcp::Problem>(problem) && !std::holds_alternative<qp::Problem>(problem) &&
                   !std::holds_alternative<mpcc::Problem>(problem);
}

TEST(Solve, EveryClassIsSolvedFromItsFile) {
  const Folder folder;
  for (const auto& [name, problem] : one_of_each_class()) {
    const std::string file = folder.write(name + ".h5", problem);
    const Outcome outcome = run({"solve", "--json", file, "--solution", folder.at("solution.csv")});
    EXPECT_EQ(outcome.code, command::success) << name << outcome.err;
    EXPECT_EQ(members(outcome.out)["class"], name);
    EXPECT_EQ(
        static_cast<Index>(lines(read_text(folder.at("solution.csv"))).size()),
        1 + num_rows_of(problem) + (name == "mlcp" ? 1 : 0));  // the names, and the one free unknown beside its row
    const Outcome info = run({"info", "--json", file});
    EXPECT_EQ(info.code, command::success);
    EXPECT_EQ(members(info.out)["class"], name);
    EXPECT_EQ(members(info.out)["symmetric"], "true");
  }
}

bool relay_takes_sparse(std::string_view name) {
  return std::any_of(relay::registry().begin(), relay::registry().end(),
                     [&](const auto& entry) { return entry.name == name && entry.solver.sparse(); });
}

TEST(Solve, EverySolverListedForAClassCanBeNamed) {
  const Folder folder;
  for (const auto& [name, problem] : one_of_each_class()) {
    const std::string file = folder.write(name + ".h5", problem);
    for (const auto& line : command::solvers_of(class_of(problem))) {
      if (is_sparse(problem) ? !line.sparse : !line.dense) continue;
      if (name == "relay" && is_sparse(problem) && !relay_takes_sparse(line.name)) continue;  // mixed's, of blocks
      const auto* const contact = std::get_if<mixed::Problem>(&problem);
      if (contact != nullptr && !friction::find(line.name).supports(contact->K)) continue;  // of 2D, or of 3D alone
      const Outcome outcome = run({"solve", "--json", "--solver", std::string(line.name), file});
      EXPECT_NE(outcome.code, command::bad_input) << name << ", " << line.name << ": " << outcome.err;
    }
  }
}

TEST(Solve, ARealProblemInEveryFormat) {
  const std::filesystem::path data = NONSMOOTH_REFERENCE_DATA;
  if (data.empty()) GTEST_SKIP() << "no reference data (NONSMOOTH_REFERENCE_DATA)";
  const std::string file = (data / "data/lcp/lcp_CPS_1.dat").string();
  const Folder folder;
  ASSERT_EQ(run({"convert", file, folder.at("cps.h5")}).code, command::success);
  ASSERT_EQ(run({"convert", file, folder.at("cps.mtx")}).code, command::success);
  const Outcome outcome = run({"solve", "--json", file, folder.at("cps.h5"), folder.at("cps.mtx")});
  EXPECT_EQ(outcome.code, command::success) << outcome.err;
  ASSERT_EQ(lines(outcome.out).size(), 3u);
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
}  // namespace nonsmooth::command_test::solve_test
