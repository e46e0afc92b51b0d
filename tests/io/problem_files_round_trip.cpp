// SPDX-License-Identifier: Apache-2.0
// What is written is read back bit for bit, family by family and format by format; what a format cannot hold is
// refused.
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "problem_files.hpp"

namespace nonsmooth::problem_files_round_trip_test {
namespace {

using namespace nonsmooth::problem_files_test;

struct Named {
  std::string name;
  AnyProblem problem;
  ProblemClass problem_class;
};

std::vector<Named> text_problems() {
  return {{"lcp", dense_lcp(), ProblemClass::Lcp},
          {"sparse_lcp", sparse_lcp(), ProblemClass::Lcp},
          {"relay", dense_relay(), ProblemClass::Relay},
          {"boxes", boxes(), ProblemClass::Relay},
          {"mlcp", some_mlcp(2, 2, 3), ProblemClass::Mlcp},
          {"mlcp_tall", some_mlcp(4, 2, 1), ProblemClass::Mlcp},
          {"mlcp_flat", some_mlcp(1, 3, 2), ProblemClass::Mlcp},
          {"mlcp_linear", some_mlcp(2, 2, 0), ProblemClass::Mlcp},
          {"mlcp_lcp", some_mlcp(0, 0, 2), ProblemClass::Mlcp},
          {"soclcp", soc_cones(), ProblemClass::SocLcp},
          {"friction_2d", friction_problem(2), ProblemClass::Friction},
          {"friction_3d", friction_problem(3), ProblemClass::Friction},
          {"drucker_prager", drucker_prager(), ProblemClass::Plasticity},
          {"von_mises", von_mises(), ProblemClass::Plasticity},
          {"generic", generic(), ProblemClass::Mixed},
          {"rolling", rolling(5), ProblemClass::RollingFriction},
          {"global_friction_2d", global_friction(2), ProblemClass::GlobalFriction},
          {"global_friction_3d", global_friction(3), ProblemClass::GlobalFriction},
          {"global_rolling_2d", global_rolling(3), ProblemClass::GlobalRollingFriction},
          {"global_rolling", global_rolling(5), ProblemClass::GlobalRollingFriction},
          {"global_without_contacts", global({}, 3), ProblemClass::GlobalFriction}};
}

mlcp::Problem bounded_mlcp() {
  mlcp::Problem problem = some_mlcp(2, 2, 3);
  problem.lower = Eigen::Vector3d{-infinity, -0.0, -third};
  problem.upper = Eigen::Vector3d{tiny, infinity, third};
  return problem;
}

class ProblemFiles : public Files {
 protected:
  void expect_round_trip(const Named& given, const std::string& extension, FileFormat format) const {
    SCOPED_TRACE(given.name + extension);
    const std::filesystem::path path = file(given.name + extension);
    const std::string title = "a title, 1.0 of it\nand a second line";
    write_problem(given.problem, path, title);
    const ProblemFile back = read_problem(path);
    EXPECT_EQ(back.format, format);
    EXPECT_EQ(back.title, title);
    EXPECT_EQ(class_of(back.problem), given.problem_class);
    expect_same(given.problem, back.problem);
    expect_same(given.problem, read_problem(path, given.problem_class).problem);
    EXPECT_FALSE(std::filesystem::exists(path.string() + ".partial"));
  }
};

TEST_F(ProblemFiles, SiconosTextGivesTheSameBitsBack) {
  for (const Named& given : text_problems()) expect_round_trip(given, ".dat", FileFormat::SiconosText);
}

TEST_F(ProblemFiles, Hdf5GivesTheSameBitsBack) {
  std::vector<Named> all = text_problems();
  all.push_back({"bounded_mlcp", bounded_mlcp(), ProblemClass::Mlcp});
  all.push_back({"every_set", every_set(), ProblemClass::Mixed});
  all.push_back(
      {"two_frictions",
       some_blocks({{.kind = SetKind::Coulomb2D, .mu = 1.0}, {.kind = SetKind::Coulomb3D, .mu = 0.5}}, {2, 3}),
       ProblemClass::Friction});
  all.push_back({"rolling_2d", rolling(3), ProblemClass::RollingFriction});
  all.push_back({"rolling_and_sliding",
                 some_blocks({{.kind = SetKind::Rolling, .mu = 0.3, .rolling = tiny, .spinning = third},
                              {.kind = SetKind::Coulomb3D, .mu = 0.3, .mu_2 = third, .cohesion = tiny}},
                             {6, 3}),
                 ProblemClass::RollingFriction});
  all.push_back(
      {"box_with_a_unit",
       some_blocks({{.kind = SetKind::Box, .lower = -third, .unit = tiny}, {.kind = SetKind::Orthant}}, {1, 2}),
       ProblemClass::Mixed});
  all.push_back({"global_with_cohesion",
                 global({{.kind = SetKind::Coulomb3D, .mu = 0.3, .cohesion = third}, {.kind = SetKind::Free}}, 3),
                 ProblemClass::GlobalFriction});
  for (const Named& given : all) {
    expect_round_trip(given, ".h5", FileFormat::Hdf5);
    expect_round_trip(given, ".hdf5", FileFormat::Hdf5);
  }
}

// The layout is that of an old form of plasticity: a remark tells them apart, and where it is missing the class asked
// for.
TEST_F(ProblemFiles, RollingFrictionIn2DNamesItsClassInAText) {
  expect_round_trip({"rolling_2d", rolling(3), ProblemClass::RollingFriction}, ".dat", FileFormat::SiconosText);
  for (const std::string title : {"", "class: rolling", "class: lcp"}) {
    write_problem(rolling(3), file("p.dat"), title);
    const ProblemFile back = read_problem(file("p.dat"));
    expect_same(AnyProblem(rolling(3)), back.problem);
    EXPECT_EQ(back.title, title);
    EXPECT_THROW((void)read_problem(file("p.dat"), ProblemClass::Plasticity), FormatError);
  }
  std::ifstream stream(file("p.dat"));
  std::ostringstream text;
  text << stream.rdbuf();
  const std::string bare = text.str().substr(0, text.str().find('#'));
  expect_same(AnyProblem(rolling(3)), read_problem_text(bare, "f", ProblemClass::RollingFriction).problem);
  EXPECT_EQ(class_of(read_problem_text(bare, "f").problem), ProblemClass::Plasticity);
  // Of another layout such a remark is a title and nothing else.
  write_problem(friction_problem(3), file("p.dat"), "class: rolling");
  const ProblemFile sliding = read_problem(file("p.dat"));
  EXPECT_EQ(class_of(sliding.problem), ProblemClass::Friction);
  EXPECT_EQ(sliding.title, "class: rolling");
}

TEST_F(ProblemFiles, MatrixMarketGivesTheSameBitsBack) {
  for (const Named& given : text_problems()) {
    if (given.problem_class == ProblemClass::Lcp || given.problem_class == ProblemClass::Relay) {
      expect_round_trip(given, ".mtx", FileFormat::MatrixMarket);
    }
  }
}

TEST_F(ProblemFiles, BoundsOfAnEarlierProblemOfTheNameDoNotStay) {
  write_problem(dense_relay(), file("p.mtx"));
  ASSERT_TRUE(std::filesystem::exists(file("p_lower.mtx")));
  write_problem(dense_lcp(), file("p.mtx"));
  expect_same(AnyProblem(dense_lcp()), read_problem(file("p.mtx")).problem);
}

TEST_F(ProblemFiles, ATextWithoutATitleHasNone) {
  for (const char* name : {"p.dat", "p.mtx", "p.h5"}) {
    write_problem(dense_lcp(), file(name));
    EXPECT_EQ(read_problem(file(name)).title, "") << name;
  }
}

TEST_F(ProblemFiles, TwoFilesOfOneProblemAreEqual) {
  const auto bytes = [](const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  };
  for (const char* extension : {".dat", ".h5"}) {
    write_problem(friction_problem(3), file(std::string("a") + extension), "title");
    write_problem(friction_problem(3), file(std::string("b") + extension), "title");
    EXPECT_EQ(bytes(file(std::string("a") + extension)), bytes(file(std::string("b") + extension)));
  }
}

// Small numbers that all look like sizes, types and flags: the layouts must still be told from one another.
TEST_F(ProblemFiles, TheClassOfATextIsToldByItsLayout) {
  std::mt19937_64 random(1);
  const auto digit = [&] { return static_cast<double>(random() % 4); };
  const auto shuffle = [&](auto& matrix) {
    for (double& entry : matrix.reshaped()) entry = digit();
  };
  std::set<ProblemClass> seen;
  for (int round = 0; round < 100; ++round) {
    const Index n = 1 + static_cast<Index>(random() % 4), m = static_cast<Index>(random() % 4);
    const Index blocks = 1 + static_cast<Index>(random() % 3);
    lcp::Problem lcp{.M = Eigen::MatrixXd(n, n), .q = Eigen::VectorXd(n)};
    shuffle(lcp.M);
    shuffle(lcp.q);
    mlcp::Problem mlcp = some_mlcp(n + static_cast<Index>(random() % 2), n, m);
    for (Eigen::MatrixXd* matrix : {&mlcp.A, &mlcp.B, &mlcp.C, &mlcp.D}) shuffle(*matrix);
    shuffle(mlcp.a);
    shuffle(mlcp.b);
    const auto of = [&](SetKind kind, Index size) {
      mixed::Problem problem;
      const std::vector<Index> sizes(static_cast<std::size_t>(blocks), size);
      problem.W.begin_pattern(sizes);
      for (Index i = 0; i < blocks; ++i) problem.W.next_row();
      problem.W.end_pattern();
      for (Index i = 0; i < blocks; ++i) {
        auto block = problem.W.block(i, problem.W.diagonal(i));
        shuffle(block);
        problem.K.push_back(
            {.kind = kind, .mu = digit(), .lift = digit(), .radius = digit(), .lower = -1.0, .upper = 1.0}, size);
      }
      problem.q.resize(problem.W.rows());
      shuffle(problem.q);
      return problem;
    };
    const std::vector<AnyProblem> all = {
        lcp,
        lcp::SparseProblem{.M = lcp.M.sparseView(), .q = lcp.q},
        relay::Problem{.M = lcp.M, .q = lcp.q, .lower = Eigen::VectorXd::Zero(n), .upper = Eigen::VectorXd::Ones(n)},
        mlcp,
        of(SetKind::SecondOrderCone, n),
        of(SetKind::Coulomb2D, 2),
        of(SetKind::Coulomb3D, 3),
        of(SetKind::DruckerPrager, 3),
        of(SetKind::VonMises, 3),
        of(SetKind::Box, 1),
        of(SetKind::Orthant, n),
        of(SetKind::Rolling, 5),
        global_friction(2),
        global_rolling(3)};
    for (const AnyProblem& problem : all) {
      write_problem(problem, file("p.dat"));
      const ProblemFile back = read_problem(file("p.dat"));
      ASSERT_EQ(class_of(back.problem), class_of(problem)) << "round " << round;
      ASSERT_EQ(num_rows_of(back.problem), num_rows_of(problem)) << "round " << round;
      seen.insert(class_of(problem));
    }
  }
  EXPECT_EQ(seen.size(), 10u);
}

TEST_F(ProblemFiles, WhatAFormatCannotHoldIsRefusedAndNothingIsWritten) {
  const auto refusal = [&](const AnyProblem& problem, const std::string& name) {
    const std::string text = complaint<InvalidArgument>([&] { write_problem(problem, file(name)); });
    EXPECT_FALSE(std::filesystem::exists(file(name))) << name;
    return text;
  };
  EXPECT_EQ(refusal(bounded_mlcp(), "p.dat"),
            "write_problem: problem: found an mlcp with bounds, expected an mlcp with 0 <= v, as Siconos's text holds; "
            "use .h5");
  EXPECT_TRUE(contains(refusal(every_set(), "p.dat"), "found block 2 with bounds"));
  EXPECT_TRUE(contains(
      refusal(some_blocks({{.kind = SetKind::Free}, {.kind = SetKind::Coulomb2D, .mu = 0.1}}, {1, 2}), "p.dat"),
      "found block 1 of 2D friction, whose mu would be lost"));
  EXPECT_TRUE(contains(
      refusal(some_blocks({{.kind = SetKind::Free}, {.kind = SetKind::SecondOrderCone, .mu = 0.1}}, {1, 2}), "p.dat"),
      "found block 1 of a cone"));
  EXPECT_TRUE(contains(
      refusal(some_blocks({{.kind = SetKind::Coulomb2D, .mu = 1.0}, {.kind = SetKind::Coulomb3D, .mu = 0.5}}, {2, 3}),
              "p.dat"),
      "found blocks of two kinds"));
  EXPECT_TRUE(contains(
      refusal(
          some_blocks({{.kind = SetKind::VonMises, .radius = 1.0}, {.kind = SetKind::VonMises, .radius = 0.5}}, {2, 3}),
          "p.dat"),
      "found blocks of two sizes"));
  EXPECT_TRUE(
      contains(refusal(some_mlcp(1, 1, 1), "p.mtx"), "found a problem of class mlcp, expected an lcp or a relay"));
  EXPECT_TRUE(contains(refusal(friction_problem(3), "p.mtx"), "found a problem of class friction"));
  EXPECT_TRUE(contains(refusal(dense_lcp(), "p.xyz"), "expected an extension .txt, .dat, .mtx, "));
  EXPECT_TRUE(contains(refusal(global_friction(3), "p.mtx"), "found a problem of class global friction"));
  EXPECT_TRUE(contains(refusal(some_blocks({{.kind = SetKind::Coulomb3D, .mu = 1.0, .mu_2 = 0.5}}, {3}), "p.dat"),
                       "found block 0 with mu_2"));
  EXPECT_TRUE(contains(refusal(global({{.kind = SetKind::Coulomb3D, .mu = 1.0, .cohesion = 0.5}}, 3), "p.dat"),
                       "found block 0 with cohesion"));
  EXPECT_TRUE(contains(refusal(global({{.kind = SetKind::Free}}, 3), "p.dat"), "found blocks of other kinds"));
  EXPECT_TRUE(contains(refusal(some_blocks({{.kind = SetKind::Rolling, .mu = 0.1, .spinning = 0.1}}, {4}), "p.dat"),
                       "found block 0 with spinning friction"));
  EXPECT_TRUE(contains(refusal(rolling(4), "p.dat"), "found block 0 of 4 rows"));
  lcp::Problem bad = dense_lcp();
  bad.q[1] = infinity;
  EXPECT_TRUE(contains(refusal(bad, "p.h5"), "lcp::Problem::q"));
  EXPECT_TRUE(
      contains(complaint<InvalidArgument>([&] { write_problem(dense_lcp(), file("p.h5"), std::string(70'000, 'x')); }),
               "found 70000 bytes, expected at most 60000"));
  EXPECT_FALSE(std::filesystem::exists(file("p.h5")));
  EXPECT_FALSE(std::filesystem::exists(file("p.h5.partial")));
  for (const char* extension : {".dat", ".mtx", ".h5"}) {
    EXPECT_THROW(write_problem(dense_lcp(), file("no such folder") / (std::string("p") + extension)), FileError);
  }
}

TEST_F(ProblemFiles, AnotherClassThanExpectedIsRefused) {
  for (const char* name : {"p.dat", "p.mtx", "p.h5"}) {
    write_problem(dense_lcp(), file(name));
    EXPECT_TRUE(contains(complaint<FormatError>([&] { (void)read_problem(file(name), ProblemClass::Relay); }),
                         "found a problem of class lcp, expected relay"))
        << name;
  }
}

TEST_F(ProblemFiles, AFileThatIsNotThereIsNamed) {
  EXPECT_TRUE(contains(complaint<FileError>([&] { (void)read_problem(file("missing.dat")); }),
                       "missing.dat: cannot be opened for reading"));
  EXPECT_THROW((void)read_problem(file("")), FileError);  // a folder
}

}  // namespace
}  // namespace nonsmooth::problem_files_round_trip_test
