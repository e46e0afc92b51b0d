// SPDX-License-Identifier: Apache-2.0
// FCLIB's files: written and read back in both forms of HDF5, the real ones, damaged ones.
#include <cstring>
#include <fstream>
#include <sstream>

#include <nonsmooth/io/fclib_file.hpp>

#include "../../io/src/problem_files/fclib.hpp"
#include "../../io/src/problem_files/hdf5_output.hpp"
#include "problem_files.hpp"

namespace nonsmooth::fclib_test {
namespace {

using namespace nonsmooth::problem_files_test;

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
          {.problem = global({}, 3)},
          {.problem = some_blocks({{.kind = SetKind::Free}, {.kind = SetKind::Free}}, {1, 1}),
           .solution = some_solution(0, 0, 2)},
          {.problem = global({{.kind = SetKind::Free}, {.kind = SetKind::Free}}, 1)}};
}

/// Contacts in 3D, W zero but for the first, whose triplets on the diagonal begin `x`, nzmax being its size; `add` adds
/// more.
template <class Add>
void write_by_hand(const std::filesystem::path& path, bool checksums, std::int32_t num_contacts,
                   const std::vector<double>& x, const Add& add) {
  problem_files::write_new_hdf5(path, checksums, [&](problem_files::Hdf5Writer& writer) {
    for (const char* group : {"/fclib_local", "/fclib_local/vectors", "/fclib_local/W"}) writer.group(group);
    writer.small_integers("/fclib_local/spacedim", {3});
    writer.reals("/fclib_local/vectors/q", Eigen::VectorXd::Constant(3 * num_contacts, -1.0));
    writer.reals("/fclib_local/vectors/mu", Eigen::VectorXd::Constant(num_contacts, 0.5));
    for (const char* size : {"/fclib_local/W/m", "/fclib_local/W/n"}) writer.small_integers(size, {3 * num_contacts});
    writer.small_integers("/fclib_local/W/nz", {3});
    writer.small_integers("/fclib_local/W/nzmax", {static_cast<std::int32_t>(x.size())});
    writer.small_integers("/fclib_local/W/p", {0, 1, 2});
    writer.small_integers("/fclib_local/W/i", {0, 1, 2});
    writer.reals("/fclib_local/W/x", x.data(), static_cast<Index>(x.size()));
    add(writer);
  });
}

void write_by_hand(const std::filesystem::path& path, bool checksums, const std::vector<double>& x) {
  write_by_hand(path, checksums, 1, x, [](auto&) {});
}

/// The ways in which a file may hold a matrix.
enum class Stored { ByColumns, ByRows, ColumnFirst, RowFirst };

/// p and i of each entry of `matrix`: pointers to the lines (nz = -1: columns, -2: rows), or the numbers of triplets.
void write_matrix(problem_files::Hdf5Writer& writer, const std::string& path, const Eigen::SparseMatrix<double>& matrix,
                  Stored stored) {
  const bool lines = stored == Stored::ByColumns || stored == Stored::ByRows;
  const bool columns = stored == Stored::ByColumns || stored == Stored::ColumnFirst;
  // Columns of `major` are what p tells.
  const Eigen::SparseMatrix<double> major = columns ? matrix : Eigen::SparseMatrix<double>(matrix.transpose());
  std::vector<std::int32_t> p, i;
  std::vector<double> x;
  if (lines) p.push_back(0);
  for (Index line = 0; line < major.cols(); ++line) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(major, line); entry; ++entry) {
      if (!lines) p.push_back(static_cast<std::int32_t>(line));
      i.push_back(static_cast<std::int32_t>(entry.row()));
      x.push_back(entry.value());
    }
    if (lines) p.push_back(static_cast<std::int32_t>(x.size()));
  }
  const auto count = static_cast<std::int32_t>(x.size());
  writer.group(path.c_str());
  writer.small_integers(path + "/m", {static_cast<std::int32_t>(matrix.rows())});
  writer.small_integers(path + "/n", {static_cast<std::int32_t>(matrix.cols())});
  writer.small_integers(path + "/nzmax", {count});
  writer.small_integers(path + "/nz", {stored == Stored::ByColumns ? -1 : stored == Stored::ByRows ? -2 : count});
  writer.small_integers(path + "/p", p);
  writer.small_integers(path + "/i", i);
  writer.reals(path + "/x", x.data(), static_cast<Index>(x.size()));
}

/// Contacts in 3D alone. A file's H is the transposed one of the problem.
void write_global(const std::filesystem::path& path, bool checksums, const friction::GlobalProblem& problem,
                  Stored stored) {
  problem_files::write_new_hdf5(path, checksums, [&](problem_files::Hdf5Writer& writer) {
    for (const char* group : {"/fclib_global", "/fclib_global/vectors"}) writer.group(group);
    writer.small_integers("/fclib_global/spacedim", {3});
    writer.reals("/fclib_global/vectors/f", problem.f);
    writer.reals("/fclib_global/vectors/w", problem.w);
    Eigen::VectorXd mu(problem.K.num_blocks());
    for (Index b = 0; b < mu.size(); ++b) mu[b] = problem.K[b].mu;
    writer.reals("/fclib_global/vectors/mu", mu);
    write_matrix(writer, "/fclib_global/M", problem.A, stored);
    write_matrix(writer, "/fclib_global/H", problem.H.transpose(), stored);
  });
}

/// Another name for the object `from`.
void link(const std::filesystem::path& path, const std::string& from, const std::string& to) {
  const Hdf5Session session;
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  ASSERT_GE(H5Lcreate_hard(file.id(), from.c_str(), file.id(), to.c_str(), H5P_DEFAULT, H5P_DEFAULT), 0);
}

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

// Rows of H that are 0: as triplets, columns without entries would tell a reader that p is the row, and H would come
// back as its transpose.
TEST_F(Fclib, AnHWithEmptyRowsIsReadBack) {
  for (const Index dofs : {2, 3}) {
    friction::GlobalProblem problem;
    problem.A = Eigen::MatrixXd::Identity(dofs, dofs).sparseView();
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(2, dofs);
    H.topLeftCorner(1, 2) << 1.0, 2.0;
    problem.H = H.sparseView();
    problem.f = Eigen::VectorXd::Ones(dofs);
    problem.w.setZero(2);
    problem.K.push_back({.kind = SetKind::Coulomb2D, .mu = 0.3}, 2);
    for (const bool checksums : {true, false}) {
      const std::filesystem::path path = file("p.fclib.h5");
      problem_files::write_fclib_file({.problem = problem}, path, checksums);
      expect_same(problem, read_fclib(path).problem);
    }
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

TEST_F(Fclib, WhatWouldNotBeReadBackIsNotWritten) {
  const auto refusal = [&](const FclibFile& given) {
    const std::string text = complaint<InvalidArgument>([&] { write_fclib(given, file("p.fclib.h5")); });
    EXPECT_FALSE(std::filesystem::exists(file("p.fclib.h5")));
    return text;
  };
  const FclibFile good = {.problem = local_with_bilateral_rows(), .solution = some_solution(0, 3, 2)};
  FclibFile bad = good;
  bad.guesses.assign(1001, *good.solution);
  EXPECT_TRUE(contains(refusal(bad), "guesses: found 1001, expected at most 1000"));
  for (const double value : {infinity, std::numeric_limits<double>::quiet_NaN()}) {
    bad = good;
    bad.solution->r[1] = value;
    EXPECT_TRUE(contains(refusal(bad), "r: found " + std::to_string(value) + " at entry 1, expected finite numbers"));
  }
  bad = good;
  bad.guesses = {*good.solution};
  bad.guesses[0].u[4] = 0.5;
  EXPECT_TRUE(contains(refusal(bad), "u: found 0.500000 at entry 4, expected 0 in a bilateral row"));
  for (std::string FclibInfo::*text : {&FclibInfo::title, &FclibInfo::description, &FclibInfo::math_info}) {
    bad = good;
    bad.info.*text = std::string("a\0b", 3);
    EXPECT_TRUE(contains(refusal(bad), "found a zero at byte 1, expected text without zeros"));
  }
  for (const Index degrees : {Index{-1}, Index{1} << 31}) {
    bad = good;
    bad.info.degrees_of_freedom = degrees;
    EXPECT_TRUE(contains(refusal(bad), "degrees_of_freedom: found " + std::to_string(degrees) + ", expected 0 to"));
  }
}

// FCLIB writes nzmax entries of which nz count.
TEST_F(Fclib, WhatLiesBehindTheLastEntryOfAMatrixHasNoSense) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const bool checksums : {true, false}) {
    write_by_hand(file("p.h5"), checksums, {2.0, 2.0, 2.0, nan});
    const auto problem = std::get<mixed::Problem>(read_problem(file("p.h5")).problem);
    EXPECT_EQ(problem.W.to_dense(), (2.0 * Eigen::Matrix3d::Identity()).eval());
    write_by_hand(file("p.h5"), checksums, {2.0, nan, 2.0, 2.0});
    EXPECT_TRUE(contains(complaint<FormatError>([&] { (void)read_problem(file("p.h5")); }),
                         "/fclib_local/W/x: found no finite number at entry 1"));
    write_by_hand(file("p.h5"), checksums, {2.0, 2.0});  // and nz = 3 > nzmax
    EXPECT_THROW((void)read_problem(file("p.h5")), FormatError);
  }
}

// A unsymmetric in pattern and value, H not square: a reader that took rows for columns would not give either back.
// With as many velocities as rows every number of a triplet fits both ways, and the columns of H that would be empty
// decide.
TEST_F(Fclib, EveryStorageOfAMatrixGivesTheSameProblem) {
  friction::GlobalProblem oblong = global_friction(3), square = oblong;
  oblong.A.coeffRef(2, 0) = 0.5;
  oblong.A.makeCompressed();
  square.A.resize(6, 6);
  const std::vector<Eigen::Triplet<double>> masses = {{0, 0, third}, {1, 1, 2.0}, {2, 2, 0.1},   {3, 3, 7.0},
                                                      {4, 4, 1.0},   {5, 5, 3.0}, {1, 0, -tiny}, {2, 5, 0.25}};
  square.A.setFromTriplets(masses.begin(), masses.end());
  // Contacts reach the first five velocities alone: read the wrong way, one contact row would be empty.
  std::vector<Eigen::Triplet<double>> lever;
  for (int row = 0; row < 6; ++row) {
    lever.emplace_back(row, row % 5, 1.0 + row);
    lever.emplace_back(row, (row + 2) % 5, -0.1 * (row + 1));
  }
  square.H.resize(6, 6);
  square.H.setFromTriplets(lever.begin(), lever.end());
  square.f = Eigen::VectorXd::LinSpaced(6, -1.0, third);
  for (const auto* problem : {&oblong, &square}) {
    for (const bool checksums : {true, false}) {
      for (const auto stored : {Stored::ByColumns, Stored::ByRows, Stored::ColumnFirst, Stored::RowFirst}) {
        SCOPED_TRACE(std::to_string(static_cast<int>(stored)) + (problem == &square ? " square" : " oblong"));
        write_global(file("p.h5"), checksums, *problem, stored);
        expect_same(AnyProblem(*problem), read_problem(file("p.h5")).problem);
      }
    }
  }
}

// One guess of 90 numbers twice, 1440 bytes, under 1000 names: 1.4 MB of a file of less than a tenth.
TEST_F(Fclib, DataUnderManyNamesAreNotMultiplied) {
  for (const bool checksums : {true, false}) {
    write_by_hand(file("p.h5"), checksums, 30, {2.0, 2.0, 2.0}, [](problem_files::Hdf5Writer& writer) {
      for (const char* group : {"/guesses", "/guesses/1"}) writer.group(group);
      writer.small_integers("/guesses/number_of_guesses", {1000});
      writer.reals("/guesses/1/u", Eigen::VectorXd::Ones(90));
      writer.reals("/guesses/1/r", Eigen::VectorXd::Ones(90));
    });
    for (int k = 2; k <= 1000; ++k) link(file("p.h5"), "/guesses/1", "/guesses/" + std::to_string(k));
    const std::string refusal = complaint<FormatError>([&] { (void)read_fclib(file("p.h5")); });
    EXPECT_TRUE(contains(refusal, "found more data than the file has bytes")) << refusal;
    EXPECT_LT(std::filesystem::file_size(file("p.h5")), 144'000u);
    EXPECT_EQ(num_rows_of(read_problem(file("p.h5")).problem), 90);  // which needs none of them
  }
}

// 600 groups whose heads were forged to point to the 200 names of one.
TEST_F(Fclib, NamesUnderManyGroupsAreNotMultiplied) {
  write_by_hand(file("p.h5"), false, 1, {2.0, 2.0, 2.0}, [](problem_files::Hdf5Writer& writer) {
    writer.group("/guesses");
    writer.small_integers("/guesses/number_of_guesses", {600});
    for (int k = 1; k <= 600; ++k) writer.group(("/guesses/" + std::to_string(k)).c_str());
    for (const char* name : {"/guesses/1/u", "/guesses/1/r"}) writer.reals(name, Eigen::Vector3d::Ones());
    for (int k = 0; k < 200; ++k) writer.group(("/guesses/1/name" + std::to_string(k)).c_str());
  });
  std::string bytes = bytes_of(file("p.h5"));
  // A group's head holds the addresses of its tree and of its heap, one after the other.
  const auto address = [&](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  };
  const auto begins = [&](std::uint64_t at, std::string_view mark) {
    return at < bytes.size() && std::string_view(bytes).substr(at).starts_with(mark);
  };
  const auto holds = [&](std::uint64_t heap, const std::string& name) {
    return bytes.substr(address(heap + 24), 64).find('\0' + name + '\0') != std::string::npos;
  };
  std::string all_names;
  std::vector<std::size_t> empty_groups;
  for (std::size_t at = 0; at + 16 <= bytes.size(); at += 8) {
    if (!begins(address(at), "TREE") || !begins(address(at + 8), "HEAP")) continue;
    if (holds(address(at + 8), "name0")) all_names = bytes.substr(at, 16);
    if (bytes[address(at) + 6] == 0) empty_groups.push_back(at);  // a tree without entries
  }
  ASSERT_EQ(all_names.size(), 16u);
  ASSERT_GE(empty_groups.size(), 599u);
  for (const std::size_t at : empty_groups) bytes.replace(at, 16, all_names);
  const std::string refusal = complaint<FormatError>([&] { (void)problem_files::read_fclib_image(bytes, "f"); });
  EXPECT_TRUE(contains(refusal, "found too many members, expected at most 100000")) << refusal;
}

TEST_F(Fclib, IsRefusedOrReadWhereverItIsCutOrChanged) {
  const auto files = some_files();
  for (const std::size_t k : {0u, 5u}) {
    problem_files::write_fclib_file(files[k], file("p.h5"), false);
    const std::string bytes = bytes_of(file("p.h5"));
    for (std::size_t size = 9; size < bytes.size(); size += 41) {
      EXPECT_THROW((void)problem_files::read_fclib_image(std::string_view(bytes).substr(0, size), "f"), FormatError)
          << size << " of " << bytes.size() << " bytes";
    }
    EXPECT_THROW((void)problem_files::read_fclib_image(std::string_view(bytes).substr(0, bytes.size() - 1), "f"),
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
  if (root.empty() || !std::filesystem::is_directory(root / "data"))
    GTEST_SKIP() << "no reference data (NONSMOOTH_REFERENCE_DATA)";
  const FclibFile local = read_fclib(root / "data/friction3d/LMGC_100_PR_PerioBox-i00361-60-03000.hdf5");
  EXPECT_EQ(class_of(local.problem), ProblemClass::Friction);
  EXPECT_EQ(num_rows_of(local.problem), 180);  // 60 contacts, as the name says
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

}  // namespace
}  // namespace nonsmooth::fclib_test
