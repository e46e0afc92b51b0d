// SPDX-License-Identifier: Apache-2.0
// FCLIB's files: written and read back in both forms of HDF5, the real ones, damaged ones.
#include <fstream>
#include <sstream>

#include <nonsmooth/io/fclib_file.hpp>

#include "../../io/src/problem_files/fclib.hpp"
#include "problem_files.hpp"

using namespace nonsmooth;
using namespace nonsmooth::problem_files_test;

namespace {

class Fclib : public Files {
 protected:
  [[nodiscard]] static std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }
};

void expect_same_solution(const FclibSolution& a, const FclibSolution& b) {
  expect_same(a.v, b.v);
  expect_same(a.r, b.r);
  expect_same(a.u, b.u);
}

FclibSolution some_solution(Index v, Index contact_rows, Index free_rows) {
  FclibSolution solution{.v = Eigen::VectorXd::LinSpaced(v, 0.0, third),
                         .r = Eigen::VectorXd::LinSpaced(contact_rows + free_rows, -third, tiny),
                         .u = Eigen::VectorXd::LinSpaced(contact_rows + free_rows, 0.1, 7.0)};
  solution.u.tail(free_rows).setZero();
  return solution;
}

/// u = W r + V l + q, V^T r + R l + s = 0.
mixed::Problem local_with_bilateral_rows() {
  mixed::Problem problem = some_blocks(
      {{.kind = SetKind::Coulomb3D, .mu = 0.3}, {.kind = SetKind::Free}, {.kind = SetKind::Free}}, {3, 1, 1});
  mixed::Problem symmetric = problem;
  symmetric.W.begin_pattern({3, 1, 1});
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 3; ++j) symmetric.W.insert(j);
    symmetric.W.next_row();
  }
  symmetric.W.end_pattern();
  double value = 0.0;
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j <= i; ++j) {
      auto block = symmetric.W.block(i, symmetric.W.find(i, j));
      for (double& entry : block.reshaped()) entry = (value += 1.0) / 7.0;
      if (i != j) symmetric.W.block(j, symmetric.W.find(j, i)) = block.transpose();
    }
  }
  return symmetric;
}

std::vector<FclibFile> some_files() {
  friction::GlobalProblem bilateral = global_friction(3);
  bilateral.K.clear();
  bilateral.K.push_back({.kind = SetKind::Coulomb3D, .mu = 0.3}, 3);
  for (int i = 0; i < 3; ++i) bilateral.K.push_back({.kind = SetKind::Free}, 1);
  const FclibInfo info{.title = "a title", .description = "of two lines\nand more", .degrees_of_freedom = 12};
  return {{.problem = friction_problem(3), .info = info, .solution = some_solution(0, 6, 0)},
          {.problem = friction_problem(2)},
          {.problem = local_with_bilateral_rows(), .solution = some_solution(0, 3, 2)},
          {.problem = global_friction(2), .guesses = {some_solution(4, 4, 0), some_solution(4, 4, 0)}},
          {.problem = global_friction(3), .solution = some_solution(4, 6, 0)},
          {.problem = bilateral, .solution = some_solution(4, 3, 3)},
          {.problem = global_rolling(5), .info = info},
          {.problem = global_rolling(3)},
          {.problem = global({}, 3)}};
}

}  // namespace

TEST_F(Fclib, WhatIsWrittenIsReadBackInBothFormsOfHdf5) {
  int number = 0;
  for (const FclibFile& given : some_files()) {
    for (const bool checksums : {true, false}) {
      SCOPED_TRACE("file " + std::to_string(number) + (checksums ? ", new" : ", old"));
      const std::filesystem::path path = file("p.fclib.h5");
      problem_files::write_fclib_file(given, path, checksums);
      EXPECT_EQ(problem_files::is_old_hdf5(bytes_of(path)), !checksums);
      const FclibFile back = read_fclib(path);
      expect_same(given.problem, back.problem);
      EXPECT_EQ(given.info, back.info);
      ASSERT_EQ(given.solution.has_value(), back.solution.has_value());
      if (given.solution) expect_same_solution(*given.solution, *back.solution);
      ASSERT_EQ(given.guesses.size(), back.guesses.size());
      for (std::size_t k = 0; k < given.guesses.size(); ++k) expect_same_solution(given.guesses[k], back.guesses[k]);
      const ProblemFile problem = read_problem(path);
      EXPECT_EQ(problem.format, FileFormat::Fclib);
      EXPECT_EQ(problem.title, given.info.title);
      expect_same(given.problem, problem.problem);
    }
    ++number;
  }
}

TEST_F(Fclib, TheExtensionSaysThatAProblemIsWrittenSo) {
  for (const char* name : {"p.fclib.h5", "p.fclib.hdf5", "P.FCLIB.HDF5"}) {
    write_problem(global_friction(3), file(name), "title");
    EXPECT_EQ(read_problem(file(name)).format, FileFormat::Fclib) << name;
    EXPECT_EQ(read_fclib(file(name)).info.title, "title") << name;
  }
}

TEST_F(Fclib, WhatItCannotHoldIsRefused) {
  const auto refusal = [&](const AnyProblem& problem) {
    const std::string text = complaint<InvalidArgument>([&] { write_fclib({.problem = problem}, file("p.fclib.h5")); });
    EXPECT_FALSE(std::filesystem::exists(file("p.fclib.h5")));
    return text;
  };
  EXPECT_TRUE(contains(refusal(dense_lcp()), "found a problem of class lcp, expected friction"));
  EXPECT_TRUE(contains(refusal(rolling(5)), "found rolling friction in reduced form"));
  EXPECT_TRUE(contains(refusal(generic()), "found block 1 of another set"));
  EXPECT_TRUE(contains(refusal(some_blocks({{.kind = SetKind::Free}, {.kind = SetKind::Coulomb2D}}, {1, 2})),
                       "found block 1 after a free one"));
  EXPECT_TRUE(contains(refusal(some_blocks({{.kind = SetKind::Coulomb2D}, {.kind = SetKind::Free}}, {2, 1})),
                       "otherwise than contacts on them"));
  EXPECT_TRUE(
      contains(refusal(global({{.kind = SetKind::Coulomb3D, .mu = 1.0, .mu_2 = 0.5}}, 3)), "found block 0 with mu_2"));
  EXPECT_TRUE(contains(complaint<InvalidArgument>([&] {
                         write_fclib({.problem = friction_problem(3), .solution = some_solution(0, 3, 0)},
                                     file("p.fclib.h5"));
                       }),
                       "r: found 3 entries, expected 6"));
}

TEST_F(Fclib, IsRefusedOrReadWhereverItIsCutOrChanged) {
  const auto files = some_files();
  for (const std::size_t k : {0u, 5u}) {
    problem_files::write_fclib_file(files[k], file("p.h5"), false);
    const std::string bytes = bytes_of(file("p.h5"));
    for (std::size_t size = 9; size + 1 < bytes.size(); size += 41) {
      try {  // the end of the older form may be unused
        (void)problem_files::read_fclib_image(std::string_view(bytes).substr(0, size), "f");
      } catch (const FormatError&) {
        EXPECT_LT(size, bytes.size());
      }
    }
    EXPECT_THROW((void)problem_files::read_fclib_image(std::string_view(bytes).substr(0, bytes.size() / 2), "f"),
                 FormatError);
    std::size_t refused = 0;
    for (std::size_t at = 9; at < bytes.size(); at += 5) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 0x51);
      try {
        (void)problem_files::read_fclib_image(changed, "f");
      } catch (const FormatError& error) {
        EXPECT_TRUE(std::string_view(error.what()).starts_with("f"));
        ++refused;
      }
    }
    EXPECT_GT(refused, 50u);
  }
}

TEST(FclibFiles, RealFilesHaveTheirProblems) {
  const std::filesystem::path root(NONSMOOTH_REFERENCE_DATA);
  if (root.empty() || !std::filesystem::is_directory(root / "data")) GTEST_SKIP() << "no NONSMOOTH_REFERENCE_DATA";
  const FclibFile local = read_fclib(root / "data/friction3d/LMGC_100_PR_PerioBox-i00361-60-03000.hdf5");
  EXPECT_EQ(class_of(local.problem), ProblemClass::Friction);
  EXPECT_EQ(num_rows(local.problem), 180);  // 60 contacts, as the name says
  for (const char* name : {"friction_global/Box_Stacks-i0122-82-5.hdf5", "friction_global/CubeH8.hdf5"}) {
    EXPECT_EQ(class_of(read_fclib(root / "data" / name).problem), ProblemClass::GlobalFriction) << name;
  }
  const FclibFile chute = read_fclib(root / "data/rolling/Chute-ndof-768-nc-4-3.hdf5");
  const auto& problem = std::get<friction::GlobalProblem>(chute.problem);
  EXPECT_EQ(problem.f.size(), 768);
  EXPECT_EQ(problem.K.num_blocks(), 4);
  // The same problem as a text, whose sparse entries have 6 digits; b and q have all.
  const ProblemFile text = read_problem(root / "data/rolling/GRFC3D_Chute-ndof-768-nc-4-3.dat");
  const auto& twin = std::get<friction::GlobalProblem>(text.problem);
  EXPECT_LE((problem.H - twin.H).norm(), 1e-5 * problem.H.norm());
  EXPECT_LE((problem.A - twin.A).norm(), 1e-5 * problem.A.norm());
  EXPECT_LE((problem.f - twin.f).norm(), 1e-14 * problem.f.norm());
}
