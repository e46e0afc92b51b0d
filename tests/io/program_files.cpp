// SPDX-License-Identifier: Apache-2.0
// Programs, those with complementarity constraints, variational inequalities and relays and mlcps with sparse matrices
// in our HDF5 and our text: the same bits back; what is wrong with a text is told with its place.
#include <fstream>

#include <nonsmooth/numerics/cone_program/interior_point.hpp>
#include <nonsmooth/numerics/qp.hpp>
#include <nonsmooth/numerics/vi.hpp>

#include "problem_files.hpp"

namespace nonsmooth::program_files_test {
namespace {

using namespace nonsmooth::problem_files_test;

Eigen::SparseMatrix<double> sparse(const Eigen::MatrixXd& matrix) { return matrix.sparseView(); }

/// 1/2 x^T Q x + c^T x with Q = diag(1/3, 0.1, 0) and every kind of bound.
qp::Problem dense_qp() {
  return {.Q = Eigen::Vector3d{third, 0.1, 0.0}.asDiagonal(),
          .c = Eigen::Vector3d{-0.0, tiny, -third},
          .A = Eigen::MatrixXd{{1.0, third, -tiny}, {0.0, huge, -0.0}},
          .row_lower = Eigen::Vector2d{-infinity, third},
          .row_upper = Eigen::Vector2d{0.1, third},
          .lower = Eigen::Vector3d{-infinity, 0.0, -third},
          .upper = Eigen::Vector3d{infinity, infinity, tiny}};
}

qp::SparseProblem sparse_qp() {
  Eigen::SparseMatrix<double> A(2, 3);
  const std::vector<Eigen::Triplet<double>> entries = {{1, 0, third}, {0, 2, -0.0}, {1, 2, tiny}};  // -0.0 is stored
  A.setFromTriplets(entries.begin(), entries.end());
  const qp::Problem dense = dense_qp();
  return {.Q = sparse(dense.Q), .c = dense.c, .A = A, .row_upper = dense.row_upper};
}

relay::SparseProblem sparse_relay() {
  const lcp::SparseProblem lcp = sparse_lcp();
  const relay::Problem bounds = dense_relay();
  return {.M = lcp.M, .q = lcp.q, .lower = bounds.lower, .upper = bounds.upper};
}

mlcp::SparseProblem sparse_mlcp() {
  const mlcp::Problem dense = some_mlcp(2, 3, 2);
  return {.A = sparse(dense.A),
          .B = sparse(dense.B),
          .C = sparse(dense.C),
          .D = sparse(dense.D),
          .a = dense.a,
          .b = dense.b,
          .upper = Eigen::Vector2d{third, infinity}};
}

/// A product of every set that has data, the blocks with parameters that came late.
AffineVi every_part() {
  ProductSet blocks;
  blocks.push_back({.kind = SetKind::SecondOrderCone, .mu = third}, 3);
  blocks.push_back({.kind = SetKind::Coulomb3D, .mu = 0.1, .mu_2 = third, .cohesion = tiny}, 3);
  AffineVi problem{.M{},
                   .q = Eigen::VectorXd::LinSpaced(16, -third, third),
                   .parts = {vi::Box{Eigen::Vector2d{-infinity, -tiny}, Eigen::Vector2d{third, infinity}},
                             vi::Ball{.center = Eigen::Vector3d{0.1, -0.0, third}, .radius = third},
                             vi::HalfSpace{.a = Eigen::Vector2d{third, -1.0}, .b = -tiny},
                             vi::Polyhedron{.A = Eigen::MatrixXd{{1.0, third}},
                                            .b = Eigen::VectorXd::Constant(1, 0.1),
                                            .C = Eigen::MatrixXd{{-0.0, 2.0}},
                                            .d = Eigen::VectorXd::Constant(1, -third)},
                             blocks, vi::Polyhedron{.A = Eigen::MatrixXd{{third}}, .b = Eigen::VectorXd::Ones(1)}}};
  Eigen::MatrixXd M = Eigen::MatrixXd::Identity(16, 16);
  M(0, 1) = M(3, 4) = third;
  problem.M = M;
  return problem;
}

AffineVi sparse_vi() {
  AffineVi problem = every_part();
  problem.M = sparse(std::get<Eigen::MatrixXd>(problem.M));
  return problem;
}

/// every_part() whose polyhedra move in one kind of side each, and all of which moves along.
AffineQuasiVi every_motion() {
  AffineQuasiVi problem{.base = every_part(), .slopes = std::vector<AffineQuasiVi::Slopes>(6)};
  const Eigen::RowVectorXd slopes = Eigen::RowVectorXd::LinSpaced(16, -third, tiny);
  problem.slopes[3].D = slopes;
  problem.slopes[5].B = -slopes;
  Eigen::MatrixXd T = Eigen::MatrixXd::Zero(16, 16);
  T(0, 3) = third;
  T(15, 1) = -tiny;
  problem.T = T;
  problem.t = Eigen::VectorXd::LinSpaced(16, -0.0, third);
  return problem;
}

AffineQuasiVi sparse_motion() {
  AffineQuasiVi problem = every_motion();
  problem.base.M = sparse(std::get<Eigen::MatrixXd>(problem.base.M));
  problem.T = sparse(std::get<Eigen::MatrixXd>(problem.T));
  problem.slopes.clear();
  return problem;
}

cone_program::Problem cones() {
  return {.c = Eigen::Vector2d{third, -0.0},
          .A = sparse(Eigen::MatrixXd{{third, 1.0}}),
          .b = Eigen::VectorXd::Constant(1, tiny),
          .G = sparse(Eigen::MatrixXd{{third, 0.0}, {0.0, -1.0}, {huge, 0.1}, {1.0, 1.0}}),
          .h = Eigen::Vector4d{0.1, 0.2, -third, -0.0},
          .orthant = 1,
          .cones = {2, 1}};
}

/// dense_qp() with two pairs.
mpcc::Problem pairs() {
  const qp::Problem program = dense_qp();
  return {.Q = program.Q,
          .c = program.c,
          .A = program.A,
          .row_lower = program.row_lower,
          .row_upper = program.row_upper,
          .lower = program.lower,
          .upper = program.upper,
          .G = Eigen::MatrixXd{{third, 0.0, -0.0}, {-1.0, tiny, 0.1}},
          .g = Eigen::Vector2d{-tiny, third},
          .H = Eigen::MatrixXd{{0.0, -third, 1.0}, {huge, 0.0, 2.0}},
          .h = Eigen::Vector2d{-0.0, 0.2}};
}

/// The same with sparse matrices.
mpcc::SparseProblem sparse_pairs() {
  const mpcc::Problem dense = pairs();
  return {.Q = sparse(dense.Q),
          .c = dense.c,
          .A = sparse(dense.A),
          .row_lower = dense.row_lower,
          .row_upper = dense.row_upper,
          .lower = dense.lower,
          .upper = dense.upper,
          .G = sparse(dense.G),
          .g = dense.g,
          .H = sparse(dense.H),
          .h = dense.h};
}

struct Named {
  std::string name;
  AnyProblem problem;
  ProblemClass problem_class;
};

std::vector<Named> programs() {
  const qp::Problem linear{.Q = Eigen::MatrixXd::Zero(1, 1), .c = Eigen::VectorXd::Ones(1)};
  const cone_program::Problem alone{.c = Eigen::VectorXd::Ones(1)};
  const mpcc::Problem without_pairs{.Q = linear.Q, .c = linear.c};
  AffineQuasiVi still{.base = sparse_vi()}, sides_alone = every_motion();
  sides_alone.T = {};
  sides_alone.t = {};
  return {{"qp", dense_qp(), ProblemClass::Qp},
          {"linear", linear, ProblemClass::Qp},
          {"qp_sparse", sparse_qp(), ProblemClass::Qp},
          {"relay_sparse", sparse_relay(), ProblemClass::Relay},
          {"mlcp_sparse", sparse_mlcp(), ProblemClass::Mlcp},
          {"vi", every_part(), ProblemClass::Vi},
          {"vi_sparse", sparse_vi(), ProblemClass::Vi},
          {"quasi", every_motion(), ProblemClass::Quasi},
          {"quasi_sparse", sparse_motion(), ProblemClass::Quasi},
          {"quasi_still", still, ProblemClass::Quasi},
          {"quasi_sides", sides_alone, ProblemClass::Quasi},
          {"cones", cones(), ProblemClass::ConeProgram},
          {"no_cones", alone, ProblemClass::ConeProgram},
          {"mpcc", pairs(), ProblemClass::Mpcc},
          {"mpcc_sparse", sparse_pairs(), ProblemClass::Mpcc},
          {"no_pairs", without_pairs, ProblemClass::Mpcc}};
}

class ProgramFiles : public Files {
 protected:
  void expect_round_trip(const Named& given, const std::string& extension, FileFormat format) const {
    SCOPED_TRACE(given.name + extension);
    const std::filesystem::path path = file(given.name + extension);
    const std::string title = "a title, 1.0 of it\n\n# and a third line";
    write_problem(given.problem, path, title);
    const ProblemFile back = read_problem(path);
    EXPECT_EQ(back.format, format);
    EXPECT_EQ(back.title, title);
    EXPECT_EQ(class_of(back.problem), given.problem_class);
    expect_same(given.problem, back.problem);
    expect_same(given.problem, read_problem(path, given.problem_class).problem);
  }
};

TEST_F(ProgramFiles, Hdf5GivesTheSameBitsBack) {
  for (const Named& given : programs()) expect_round_trip(given, ".h5", FileFormat::Hdf5);
}

TEST_F(ProgramFiles, OurTextGivesTheSameBitsBack) {
  for (const Named& given : programs()) expect_round_trip(given, ".txt", FileFormat::Text);
  mlcp::Problem bounded = some_mlcp(2, 2, 3);
  bounded.lower = Eigen::Vector3d{-infinity, -0.0, -third};
  for (const Named& given : std::vector<Named>{{"lcp", dense_lcp(), ProblemClass::Lcp},
                                               {"lcp_sparse", sparse_lcp(), ProblemClass::Lcp},
                                               {"relay", dense_relay(), ProblemClass::Relay},
                                               {"mlcp", bounded, ProblemClass::Mlcp},
                                               {"mlcp_lcp", some_mlcp(0, 0, 2), ProblemClass::Mlcp}}) {
    expect_round_trip(given, ".txt", FileFormat::Text);
  }
}

TEST_F(ProgramFiles, WhatAFormatCannotHoldIsRefused) {
  for (const Named& given : programs()) {
    if (given.problem_class == ProblemClass::Relay) continue;
    EXPECT_TRUE(contains(complaint<InvalidArgument>([&] { write_problem(given.problem, file("p.dat")); }), "use .h5"));
    EXPECT_TRUE(contains(complaint<InvalidArgument>([&] { write_problem(given.problem, file("p.mtx")); }), "use .h5"));
    EXPECT_TRUE(
        contains(complaint<InvalidArgument>([&] { write_problem(given.problem, file("p.fclib.h5")); }), "friction"));
  }
  EXPECT_TRUE(contains(complaint<InvalidArgument>([&] { write_problem(friction_problem(3), file("p.txt")); }),
                       "found a problem in blocks"));
  EXPECT_FALSE(std::filesystem::exists(file("p.txt")));
}

// Other programs than ours read such a relay: as boxes of one row.
TEST_F(ProgramFiles, ASparseRelayGoesIntoTheOtherTexts) {
  const relay::SparseProblem given = sparse_relay();
  for (const char* name : {"p.dat", "p.mtx"}) {
    write_problem(given, file(name));
    const AnyProblem back = read_problem(file(name)).problem;
    const auto& boxes = std::get<mixed::Problem>(back);
    expect_same(Eigen::MatrixXd(boxes.W.to_sparse()), Eigen::MatrixXd(given.M));
    for (Index i = 0; i < 3; ++i) {
      EXPECT_EQ(boxes.K[i].lower, given.lower[i]);
      EXPECT_EQ(boxes.K[i].upper, given.upper[i]);
    }
  }
}

/// HS35 of Hock and Schittkowski: x = (12, 7, 4) / 9 with the value 1/9; the constant 9 of its objective is left out.
constexpr std::string_view hs35 =
    "nonsmooth-problem 3   # Hock, Schittkowski 1981, problem 35\n"
    "# Beale's problem\n"
    "class qp\n"
    "Q dense 3 3   # row by row\n"
    "4 2 2\n"
    "2 4 0\n"
    "2 0 2\n"
    "c vector 3  -8 -6 -4\n"
    "A dense 1 3  1 1 2\n"
    "row_upper vector 1  3\n"
    "lower vector 3  0 0 0\n"
    "end\n";

TEST(PlainText, IsWrittenByPeople) {
  const ProblemFile file = read_problem_text(hs35, "hs35.txt");
  EXPECT_EQ(file.title, "Beale's problem");
  const qp::Result result = qp::solve(std::get<qp::Problem>(file.problem));
  ASSERT_EQ(result.status, Status::Solved) << result.message();
  // The residual is relative to |c| = 8, and the least eigenvalue of Q is above 0.5.
  EXPECT_LT((result.x - Eigen::Vector3d(12, 7, 4) / 9.0).norm(), 1e-6);
  EXPECT_NEAR(result.figures.value + 9.0, 1.0 / 9.0, 1e-6);
}

TEST(PlainText, HoldsAVariationalInequalityOnABall) {
  // x + q = -t (x - 0) on |x| = 1: x = -q / |q| = (-0.6, 0.8).
  const ProblemFile file = read_problem_text(
      "nonsmooth-problem 3\nclass vi\nM sparse 2 2 2\n1 1 1\n0 0 1\nq vector 2 3 -4\nK/0 set ball\n"
      "K/0/center vector 2 0 0\nK/0/radius vector 1 1\nend\n",
      "ball.txt");
  const vi::Result result = vi::solve(std::get<AffineVi>(file.problem).problem());
  ASSERT_EQ(result.status, Status::Solved) << result.message();
  EXPECT_LT((result.x - Eigen::Vector2d(-0.6, 0.8)).norm(), 1e-6);
}

/// What is wrong with HS35 when `from` in it is `to`.
std::string told(std::string_view from, std::string_view to) {
  std::string text(hs35);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return complaint<FormatError>([&] { (void)read_problem_text(text, "f"); });
}

TEST(PlainText, WhatIsWrongIsToldWithItsPlace) {
  EXPECT_TRUE(contains(told("4 2 2", "4 2 x"), "f, line 5, column 5: found 'x', expected the entries of Q, a number"));
  EXPECT_TRUE(contains(told("class qp", "class friction"), "line 3, column 7: found 'friction', expected lcp, relay"));
  EXPECT_TRUE(contains(told("problem 3", "problem 6"), "line 1, column 19: found '6', expected the version"));
  EXPECT_TRUE(contains(told("lower vector 3", "lwoer vector 3"), "found 'lwoer', expected the fields of a problem"));
  EXPECT_TRUE(contains(told("c vector", "c list"), "found 'list', expected dense, sparse, vector"));
  EXPECT_TRUE(
      contains(told("c vector 3", "row_lower vector 3"), "found no 'c' up to the end, expected a field of the"));
  EXPECT_TRUE(contains(told("lower vector 3  0 0 0", "lower vector 4  0 0 0"),
                       "found the end, expected the name of a field, or 'end'"));
  EXPECT_TRUE(contains(told("A dense 1 3  1 1 2", "A sparse 1 3 1 0 0 1"), "found 'sparse', expected dense for A"));
  EXPECT_TRUE(contains(told("A dense 1 3  1 1 2", "Q dense 1 3  1 1 2"), "found 'Q' again, expected each field once"));
  EXPECT_TRUE(contains(told("row_upper vector 1  3", "row_upper vector 1  nan"), "a number or an infinity"));
  EXPECT_TRUE(contains(told("row_upper vector 1", "row_upper vector 2 0"), "f: qp::Problem::row_upper"));
  EXPECT_TRUE(contains(told("4 2 2\n2 4 0", "4 2 2\n2 -4 0"), "f: qp::Problem::Q"));
  EXPECT_TRUE(contains(told("Q dense 3 3", "Q dense 2000000000 2000000000"), "line 4"));
}

TEST(PlainText, ASparseMatrixIsCheckedBeforeItIsMade) {
  const auto of = [](const std::string& matrix) {
    return complaint<FormatError>([&] {
      (void)read_problem_text("nonsmooth-problem 3\nclass lcp\nM sparse " + matrix + "\nq vector 2 1 1\nend\n", "f");
    });
  };
  EXPECT_TRUE(
      contains(of("2 2 1 2 0 1"), "line 3, column 16: found '2', expected a row of M at least 0 and at most 1"));
  EXPECT_TRUE(contains(of("2 2 2 0 0 1 0 0 1"), "found the entry (0, 0) twice in M, expected each entry once"));
  EXPECT_TRUE(contains(of("2 2147483647 0"), "found 2147483647 columns in M, expected at most "));
  EXPECT_TRUE(contains(of("16777216 16777216 0"), "found 16777216 columns in M, expected at most "));
  EXPECT_TRUE(contains(of("2 2 1000000 0 0 1"), "expected the 3000000 numbers of M"));
}

TEST(PlainText, ASetIsNamed) {
  const auto of = [](const std::string& set) {
    return complaint<FormatError>([&] {
      (void)read_problem_text("nonsmooth-problem 3\nclass vi\nM dense 2 2 1 0 0 1\nq vector 2 1 1\n" + set + "\nend",
                              "f");
    });
  };
  EXPECT_TRUE(contains(of(""), "found no 'K' up to the end, expected a group"));
  EXPECT_TRUE(contains(of("K/0 set disk"), "found an unknown set in K/0, expected box, ball, half-space, polyhedron"));
  EXPECT_TRUE(contains(of("K/0 set ball\nK/0/center vector 2 0 0"), "found no 'K/0/radius'"));
  EXPECT_TRUE(contains(of("K/0 set ball\nK/0/center vector 2 0 0\nK/0/radius vector 1 -1"), "f: "));
  EXPECT_TRUE(
      contains(of("K/0 set box\nK/0/lower vector 1 0\nK/0/upper vector 1 1"), "AffineVi::parts: found 1 entry"));
  EXPECT_TRUE(
      contains(of("K/1 set box\nK/1/lower vector 2 0 0\nK/1/upper vector 2 1 1"), "found 'K/1', expected the fields"));
}

TEST(PlainText, ATextThatIsCutShortOrGoesOnIsRefused) {
  for (std::size_t size = 0; size + 1 < hs35.size(); ++size) {
    EXPECT_THROW((void)read_problem_text(hs35.substr(0, size), "f"), FormatError) << size;
  }
  EXPECT_TRUE(contains(told("end\n", ""), "line 12, column 1: found the end, expected the name of a field, or 'end'"));
  EXPECT_TRUE(contains(told("end\n", "end 1"), "found '1', expected nothing behind 'end'"));
}

}  // namespace
}  // namespace nonsmooth::program_files_test
