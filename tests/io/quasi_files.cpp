// SPDX-License-Identifier: Apache-2.0
// Affine quasi-variational inequalities: what their data mean as sets that move, what is proven of them, and what is
// refused. That files give the same bits back: program_files.cpp.
#include <limits>
#include <random>

#include <nonsmooth/numerics/vi/quasi.hpp>

#include "problem_files.hpp"

namespace nonsmooth::quasi_files_test {
namespace {

using namespace nonsmooth::problem_files_test;
using Eigen::MatrixXd, Eigen::VectorXd;

constexpr std::string_view game =
    "nonsmooth-problem 5\n# Two firms that share a stock of 15\nclass quasi\n"
    "M dense 2 2  2 2.6666666666666665  1.25 2\nq vector 2 -34 -24.25\n"
    "K/0 set polyhedron\n"
    "K/0/A dense 6 2  -1 0  0 -1  1 0  0 1  1 0  0 1\nK/0/b vector 6  0 0 10 10 15 15\n"
    "K/0/B dense 6 2  0 0  0 0  0 0  0 0  0 -1  -1 0\n"
    "end\n";

/// Two that each want to be 1 above the other: every K(x) has points, no x is in its own.
AffineQuasiVi overbid() {
  return {.base = {.M = MatrixXd{{1, 0}, {0, 1}},
                   .q = VectorXd::Zero(2),
                   .parts = {vi::Polyhedron{.A = -MatrixXd::Identity(2, 2), .b = -VectorXd::Ones(2)}}},
          .slopes = {{.B = MatrixXd{{0, -1}, {-1, 0}}}}};
}

TEST(QuasiFiles, AGameIsWrittenByPeople) {
  const AnyProblem problem = read_problem_text(game, "game.txt").problem;
  ASSERT_EQ(class_of(problem), ProblemClass::Quasi);
  const vi::QuasiProblem quasi = std::get<AffineQuasiVi>(problem).problem();
  VectorXd w(2);
  // Harker 1991 [harker1991]: (5, 9) and (t, 15 - t), 9 <= t <= 10. The entry 8/3 is rounded.
  EXPECT_LE(vi::certify(quasi, VectorXd{{5, 9}}, w).residual, 1e-15);
  EXPECT_LE(vi::certify(quasi, VectorXd{{9.5, 5.5}}, w).residual, 1e-15);
  EXPECT_GT(vi::certify(quasi, VectorXd{{8.5, 6.5}}, w).residual, 1e-3);
  const vi::Result result = vi::solve(quasi);
  ASSERT_TRUE(result.ok()) << result.message();
  // M's inverse is below 10 in norm and |e| <= 1e-10 * 34, as in tests/numerics/vi/quasi_test.cpp.
  const double isolated = (result.x - VectorXd{{5, 9}}).norm();
  const double segment = std::abs(result.x.sum() - 15.0) + std::max({0.0, 9.0 - result.x[0], result.x[0] - 10.0});
  EXPECT_LE(std::min(isolated, segment), 1e-6) << result.x.transpose();
}

TEST(QuasiFiles, WhatMovesIsWhereItsDataSay) {
  // K(x) = t + T x + [0, 1] x {z_1 = 2 + x_0, z_2 <= 3 - x_2}.
  AffineQuasiVi problem{.base = {.M = MatrixXd(MatrixXd::Identity(3, 3)),
                                 .q = VectorXd::Zero(3),
                                 .parts = {vi::Box{VectorXd::Zero(1), VectorXd::Ones(1)},
                                           vi::Polyhedron{.A = MatrixXd{{0, 1}},
                                                          .b = VectorXd::Constant(1, 3.0),
                                                          .C = MatrixXd{{1, 0}},
                                                          .d = VectorXd::Constant(1, 2.0)}}},
                        .slopes = {{}, {.B = MatrixXd{{0, 0, -1}}, .D = MatrixXd{{1, 0, 0}}}},
                        .T = MatrixXd{{0, 1, 0}, {0, 0, 0}, {2, 0, 0}},
                        .t = VectorXd{{10, 20, 30}}};
  VectorXd nearest(3);
  const auto project = [&](const AffineQuasiVi& one, const VectorXd& x, const VectorXd& y) {
    EXPECT_TRUE(one.problem().K.at(x).project(y, nearest).ok());
    return nearest;
  };
  // At x = (1, 2, 3): [12, 13] x {23} x (-inf, 32]. Whole numbers below 2^53 have no rounding but the projection's own.
  const VectorXd x{{1, 2, 3}};
  EXPECT_LE((project(problem, x, VectorXd{{100, 0, 100}}) - VectorXd{{13, 23, 32}}).norm(), 1e-12);
  EXPECT_LE((project(problem, x, VectorXd{{0, 0, -5}}) - VectorXd{{12, 23, -5}}).norm(), 1e-12);
  problem.t = {};
  EXPECT_LE((project(problem, x, VectorXd{{100, 0, 100}}) - VectorXd{{1, 3, 0}}).norm(), 1e-12);
  problem.slopes.clear();
  EXPECT_LE((project(problem, x, VectorXd{{100, 0, 100}}) - VectorXd{{1, 2, 3}}).norm(), 1e-12);
}

TEST(QuasiFiles, PointsOfTheirOwnSetsAreAPolyhedron) {
  // x_0 = 10 + x_1 + z_0, 0 <= z_0 <= 1; x_1 = 20 + z_1, z_1 = 2 + x_0 / 2.
  const AffineQuasiVi problem{
      .base = {.M = MatrixXd(MatrixXd::Identity(2, 2)),
               .q = VectorXd::Zero(2),
               .parts = {vi::Box{VectorXd::Zero(1), VectorXd::Ones(1)},
                         vi::Polyhedron{.A{}, .b{}, .C = MatrixXd{{1}}, .d = VectorXd::Constant(1, 2.0)}}},
      .slopes = {{}, {.D = MatrixXd{{0.5, 0}}}},
      .T = MatrixXd{{0, 1}, {0, 0}},
      .t = VectorXd{{10, 20}}};
  const vi::Polyhedron points = problem.fixed_points();
  ASSERT_EQ(points.size(), 4);
  ASSERT_EQ(points.A.rows(), 2);
  ASSERT_EQ(points.C.rows(), 3);
  // z_0 = s gives x_0 = 64 + 2 s, x_1 = 54 + s, z_1 = 34 + s.
  for (const double s : {0.0, 0.5, 1.0}) {
    const VectorXd at{{s, 34 + s, 64 + 2 * s, 54 + s}};
    EXPECT_LE((points.A * at - points.b).maxCoeff(), 0.0);
    EXPECT_EQ(points.C * at, points.d);
  }
  EXPECT_GT((points.A * VectorXd{{2, 36, 68, 56}} - points.b).maxCoeff(), 0.5);
  EXPECT_EQ(infeasibility_of(problem).size(), 0);
}

TEST(QuasiFiles, ThatNoPointIsInItsOwnSetIsProven) {
  const AffineQuasiVi problem = overbid();
  VectorXd nearest(2);
  EXPECT_TRUE(problem.problem().K.at(VectorXd{{5, -3}}).project(VectorXd::Zero(2), nearest).ok());
  VectorXd proof = infeasibility_of(problem);
  ASSERT_EQ(proof.size(), 4);
  EXPECT_TRUE(proves_infeasible(problem, proof));
  // By hand: the sum of -z_0 + x_1 <= -1, -z_1 + x_0 <= -1 and x - z = 0 (taken -1 times) is 0 <= -2.
  EXPECT_TRUE(proves_infeasible(problem, VectorXd{{1, 1, -1, -1}}));
  EXPECT_FALSE(proves_infeasible(problem, VectorXd{{1, 1, 1, 1}}));
  EXPECT_FALSE(proves_infeasible(problem, VectorXd{{1, 0.5, -1, -0.5}}));
  AffineQuasiVi open = problem;
  open.slopes[0].B(0, 1) = -0.5;  // (3, 4) bids 1 above half of the other, and 1 above the other
  EXPECT_EQ(infeasibility_of(open).size(), 0);
  EXPECT_FALSE(proves_infeasible(open, proof));
  // A set that stays and is empty: z_0 <= -1 and -z_0 <= 0.
  const AffineQuasiVi still{
      .base = {.M = MatrixXd(MatrixXd::Identity(2, 2)),
               .q = VectorXd::Zero(2),
               .parts = {vi::Polyhedron{.A = MatrixXd{{1, 0}, {-1, 0}}, .b = VectorXd{{-1, 0}}}}}};
  proof = infeasibility_of(still);
  EXPECT_TRUE(proof.size() == 4 && proves_infeasible(still, proof));
}

/// A box and a polyhedron with a point (z, x) in whole numbers, of which a third of the sides are exactly at their
/// ends; nothing is rounded.
AffineQuasiVi planted(Index n, Index rows, std::mt19937_64& draws, VectorXd& at) {
  const auto whole = [&](Index r, Index c, int most) {
    MatrixXd matrix(r, c);
    for (double& entry : matrix.reshaped()) entry = std::uniform_int_distribution<int>(-most, most)(draws);
    return matrix;
  };
  const auto slack = [&](Index r) {
    VectorXd value(r);
    for (double& entry : value) entry = std::max(0, std::uniform_int_distribution<int>(-2, 4)(draws));
    return value;
  };
  const VectorXd x = whole(2 * n, 1, 5), z = whole(2 * n, 1, 5);
  at.resize(4 * n);
  at << z, x;
  const MatrixXd T = whole(2 * n, 2 * n, 1);
  vi::Polyhedron sides{.A = whole(rows, n, 3), .b{}, .C = whole(1, n, 3), .d{}};
  AffineQuasiVi::Slopes slopes{.B = whole(rows, 2 * n, 2), .D = whole(1, 2 * n, 2)};
  sides.b = sides.A * z.tail(n) - slopes.B * x + slack(rows);
  sides.d = sides.C * z.tail(n) - slopes.D * x;
  return {.base = {.M = MatrixXd(MatrixXd::Identity(2 * n, 2 * n)),
                   .q = VectorXd::Zero(2 * n),
                   .parts = {vi::Box{z.head(n) - slack(n), z.head(n) + slack(n)}, sides}},
          .slopes = {{}, slopes},
          .T = T,
          .t = x - z - T * x};
}

TEST(QuasiFiles, NoPlantedPointIsDisprovedAndEveryContradictionIsProven) {
  std::mt19937_64 draws(20);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    const Index n = 1 + round % 5, rows = 1 + round % 7;
    VectorXd at;
    AffineQuasiVi problem = planted(n, rows, draws, at);
    const vi::Polyhedron points = problem.fixed_points();
    EXPECT_LE((points.A * at - points.b).maxCoeff(), 0.0);
    EXPECT_EQ(points.C * at, points.d);
    EXPECT_EQ(infeasibility_of(problem).size(), 0);
    // One side more, what the others sum up to the other way round less 1: all together 0 <= -1.
    auto& sides = std::get<vi::Polyhedron>(problem.base.parts[1]);
    const auto with_negative_sum = [](MatrixXd& matrix) {
      matrix.conservativeResize(matrix.rows() + 1, Eigen::NoChange);
      matrix.bottomRows(1) = -matrix.topRows(matrix.rows() - 1).colwise().sum().eval();
    };
    const double sum = sides.b.sum();
    with_negative_sum(sides.A);
    with_negative_sum(problem.slopes[1].B);
    sides.b.conservativeResize(rows + 1);
    sides.b[rows] = -sum - 1.0;
    const VectorXd proof = infeasibility_of(problem);
    EXPECT_TRUE(proof.size() > 0 && proves_infeasible(problem, proof));
  }
}

std::string refused(const AffineQuasiVi& problem) {
  return complaint<InvalidArgument>([&] { problem.validate(); });
}

TEST(QuasiFiles, MalformedDataAreRefusedByName) {
  AffineQuasiVi problem = overbid();
  problem.slopes[0].B = MatrixXd::Zero(1, 2);
  EXPECT_TRUE(contains(refused(problem), "AffineQuasiVi::slopes[0].B: found 1 x 2, expected 2 x 2"))
      << refused(problem);
  problem = overbid();
  problem.slopes[0].B(1, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(contains(refused(problem), "AffineQuasiVi::slopes[0].B")) << refused(problem);
  problem = overbid();
  problem.slopes[0].D = MatrixXd::Ones(1, 2);
  EXPECT_TRUE(contains(refused(problem), "AffineQuasiVi::slopes[0].D: found 1 x 2, expected 0 x 2"))
      << refused(problem);
  problem = overbid();
  problem.slopes.emplace_back();
  EXPECT_TRUE(contains(refused(problem), "AffineQuasiVi::slopes: found 2")) << refused(problem);
  problem = overbid();
  problem.base.parts = {vi::Box{VectorXd::Zero(2), VectorXd::Ones(2)}};
  EXPECT_TRUE(contains(refused(problem), "AffineQuasiVi::slopes[0]: found slopes of a box")) << refused(problem);
  problem = overbid();
  problem.t = VectorXd::Ones(3);
  EXPECT_TRUE(contains(refused(problem), "AffineQuasiVi::t: found 3")) << refused(problem);
  problem.t = VectorXd::Ones(2);
  EXPECT_TRUE(contains(refused(problem), "AffineQuasiVi::T: found 0 x 0, expected 2 x 2")) << refused(problem);
  problem.T =
      Eigen::SparseMatrix<double>(MatrixXd::Constant(2, 2, std::numeric_limits<double>::infinity()).sparseView());
  EXPECT_TRUE(contains(refused(problem), "AffineQuasiVi::T")) << refused(problem);
  problem.T = MatrixXd{{0, 1e200}, {0, 0}};
  EXPECT_TRUE(contains(refused(problem), "AffineQuasiVi::T: found an entry of 1e+200, expected entries of at most"));
  problem = overbid();
  problem.base.q[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(contains(refused(problem), "AffineVi::q")) << refused(problem);
}

TEST(QuasiFiles, WhatIsWrongWithATextIsTold) {
  const auto told = [](std::string_view from, std::string_view to) {
    std::string text(game);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    return complaint<FormatError>([&] { (void)read_problem_text(text, "f"); });
  };
  EXPECT_TRUE(contains(told("K/0/B dense 6 2  0 0", "K/0/B dense 5 2 "), "f: AffineQuasiVi::slopes[0].B: found 5 x 2"));
  EXPECT_TRUE(contains(told("0 -1  -1 0\nend", "0 -1  nan 0\nend"), "found 'nan', expected the entries of K/0/B"));
  EXPECT_TRUE(contains(told("end", "K/0/D dense 0 0\nend"), "found no entries in K/0/D, expected a row of slopes"));
  EXPECT_TRUE(contains(told("end", "t vector 2 0 0\nend"), "found no 'T' up to the end"));
  EXPECT_TRUE(contains(told("end", "T dense 2 2 0 0 0 0\nend"), "found no 't' up to the end"));
  EXPECT_TRUE(contains(told("end", "T dense 2 2 0 0 0 0\nt vector 1 0\nend"), "found 1 entries in t, expected 2"));
  EXPECT_TRUE(contains(told("end", "T dense 1 2 0 0\nt vector 2 0 0\nend"), "f: AffineQuasiVi::T: found 1 x 2"));
  EXPECT_TRUE(contains(told("end", "K/1 set box\nK/1/lower vector 1 0\nK/1/upper vector 1 1\nK/1/B dense 1 2 0 0\nend"),
                       "found 'K/1/B', expected the fields of a problem of class quasi"));
  EXPECT_TRUE(contains(told("class quasi", "class vi"), "found 'K/0/B', expected the fields of a problem of class vi"));
}

}  // namespace
}  // namespace nonsmooth::quasi_files_test
