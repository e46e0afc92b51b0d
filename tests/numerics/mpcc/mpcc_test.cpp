// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string_view>

#include <Eigen/Geometry>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mpcc.hpp>

#include <problems/lcp.hpp>
#include <problems/mpcc.hpp>

namespace nonsmooth::mpcc_test {
namespace {

using mpcc::Problem;
using mpcc::Result;
using mpcc::Stationarity;
using Vector = Eigen::VectorXd;

/// min c^T x on 0 <= x_1 ⟂ x_2 >= 0: at 0 the multipliers are c.
Problem corner(const Eigen::Vector2d& c) {
  return {.Q = Eigen::MatrixXd::Zero(2, 2),
          .c = c,
          .G = Eigen::MatrixXd{{1, 0}},
          .g = Vector::Zero(1),
          .H = Eigen::MatrixXd{{0, 1}},
          .h = Vector::Zero(1)};
}

TEST(MpccCertificate, SignsOfTheMultipliersTellTheStationarity) {
  const auto told = [](const Eigen::Vector2d& c) {
    const Problem problem = corner(c);
    Vector s(2);
    mpcc::Look look;
    const Certificate certificate = mpcc::certify(problem, Vector::Zero(2), Vector(), c.head(1), c.tail(1), s, &look);
    EXPECT_EQ(certificate.residual, 0.0);
    EXPECT_EQ(s, (Vector::Zero(2)));
    EXPECT_EQ(look.biactive, (std::vector<Index>{0}));
    // 0 is a minimiser of linear programs on both half-lines just where both slopes are >= 0.
    EXPECT_EQ(mpcc::is_bouligand_stationary(problem, Vector::Zero(2)), c.minCoeff() >= 0.0);
    return look.stationarity;
  };
  EXPECT_EQ(told({1, 2}), Stationarity::Strong);
  EXPECT_EQ(told({1, 0}), Stationarity::Strong);
  EXPECT_EQ(told({0, -1}), Stationarity::Mordukhovich);
  EXPECT_EQ(told({-1, -2}), Stationarity::Clarke);
  EXPECT_EQ(told({-1, 1}), Stationarity::Weak);
}

TEST(MpccCertificate, AgreesWithThePlantedAndSeesWhatIsOff) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const bool indefinite : {false, true}) {
      const problems::Mpcc one =
          problems::planted_mpcc({.n = 6, .m = 3, .pairs = 4, .biactive = 0.5, .indefinite = indefinite}, seed);
      Vector s(6);
      mpcc::Look look;
      // Sums of some 20 terms of size 10, scales above 1e-1.
      EXPECT_LE(mpcc::certify(one.problem, one.x, one.y, one.u, one.v, s, &look).residual, 1e-12) << seed;
      EXPECT_EQ(look.stationarity, Stationarity::Strong) << seed;
      std::mt19937_64 random(seed);
      const Vector x = one.x + 1e-3 * problems::normal_matrix(random, 6, 1);
      EXPECT_GE(mpcc::certify(one.problem, x, one.y, one.u, one.v, s).residual, 1e-6) << seed;
      const Vector u = one.u + 1e-3 * problems::normal_matrix(random, 4, 1);
      EXPECT_GE(mpcc::certify(one.problem, one.x, one.y, u, one.v, s).residual, 1e-7) << seed;
    }
  }
}

TEST(MpccCertificate, BothSidesPositiveIsAnError) {
  const Problem problem = corner({1, 1});
  Vector s(2);
  mpcc::Look look;
  // The smaller side, 1/2, is to be 0; no scale but the largest terms of rows, 2.
  const Certificate certificate =
      mpcc::certify(problem, Vector{{0.5, 2}}, Vector(), Vector{{1}}, Vector{{1}}, s, &look);
  EXPECT_EQ(look.figures.primal, 0.25);
  EXPECT_GE(certificate.residual, 1.0);
  EXPECT_TRUE(look.biactive.empty());
}

TEST(MpccRelaxation, FindsThePublishedPoints) {
  for (const problems::PublishedMpcc& one : problems::published_mpccs()) {
    const Result result = mpcc::solve(one.problem, mpcc::Relaxation{});
    ASSERT_TRUE(result.ok()) << one.name << ": " << result.message();
    if (one.name == "bard1") {
      EXPECT_LE((result.x.head(2) - Eigen::Vector2d(1, 0)).norm(), 1e-8);
    }
    if (one.name == "gauvin") {
      EXPECT_LE((result.x - Eigen::Vector3d(2, 14, 0)).norm(), 1e-8);
    }
  }
}

TEST(MpccRelaxation, WithoutEnumerationTheMultipliersTellLess) {
  const Problem ralph1 = problems::published_mpccs().front().problem;
  const Result whole = mpcc::solve(ralph1, mpcc::Relaxation{});
  EXPECT_EQ(whole.stationarity, Stationarity::Bouligand) << whole.message();
  EXPECT_NE(whole.message().find("stationarity: B"), std::string::npos) << whole.message();
  const Result signs = mpcc::solve(ralph1, mpcc::Relaxation{.most_biactive = 0});
  EXPECT_LT(signs.stationarity, Stationarity::Bouligand) << signs.message();
  EXPECT_GE(signs.stationarity, Stationarity::Weak) << signs.message();
}

TEST(MpccRelaxation, StartsWhereItIsTold) {
  // kth3 has two minimisers, (0, 1) of value 1/2 and (1, 0) of value 1.
  const Problem kth3{.Q = Eigen::MatrixXd{{1, 0}, {0, 2}},
                     .c = Vector{{-1, -2}},
                     .G = Eigen::MatrixXd{{1, 0}},
                     .g = Vector::Zero(1),
                     .H = Eigen::MatrixXd{{0, 1}},
                     .h = Vector::Zero(1)};
  const Result first = mpcc::solve(kth3, mpcc::Relaxation{.start = Vector{{0, 1}}});
  const Result second = mpcc::solve(kth3, mpcc::Relaxation{.start = Vector{{1, 0}}});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_LE((first.x - Eigen::Vector2d(0, 1)).norm(), 1e-9);
  EXPECT_LE((second.x - Eigen::Vector2d(1, 0)).norm(), 1e-9);
  const Result best = mpcc::solve(kth3, mpcc::BranchAndBound{});
  EXPECT_LE((best.x - Eigen::Vector2d(0, 1)).norm(), 1e-9);
  EXPECT_EQ(best.reason, "the tree is exhausted: no other piece is better");
}

TEST(MpccRelaxation, SomeHundredUnknowns) {
  for (const Index n : {20, 60}) {
    const problems::Mpcc one =
        problems::planted_mpcc({.n = n, .m = n / 4, .pairs = n / 2, .biactive = 0.1}, std::uint64_t(n));
    const Result result = mpcc::solve(one.problem, mpcc::Relaxation{});
    ASSERT_TRUE(result.ok()) << n << ": " << result.message();
    EXPECT_LE(result.iterations, 200);
  }
}

TEST(MpccBranchAndBound, SidesThatAreSmallBesideOtherUnknownsAreDividedToo) {
  // x_1 + 1e-9 x_3 >= 5e-9. Without complementarity (5e-9, 1, 0), of which x_1 is 0 beside the 1: the piece x_1 = 0 has
  // x_3 = 5 and the value 1 - 2 + 500, the piece x_2 = 0 has (5e-9, 0, 0) and 25e-18.
  Problem problem{.Q = Eigen::Vector3d(2, 2, 0).asDiagonal(),
                  .c = Vector{{0, -2, 100}},
                  .A = Eigen::MatrixXd{{1, 0, 1e-9}},
                  .row_lower = Vector::Constant(1, 5e-9),
                  .lower = Vector{{-1, -1, 0}},
                  .G = Eigen::MatrixXd{{1, 0, 0}},
                  .g = Vector::Zero(1),
                  .H = Eigen::MatrixXd{{0, 1, 0}},
                  .h = Vector::Zero(1)};
  const Result result = mpcc::solve(problem, mpcc::BranchAndBound{});
  ASSERT_TRUE(result.ok()) << result.message();
  // The tolerance 1e-10 of the terms of the value, |c| 1 at most.
  EXPECT_LE(0.5 * result.x.dot(problem.Q * result.x) + problem.c.dot(result.x), 1e-8) << result.x.transpose();
}

TEST(MpccBranchAndBound, SmallEntriesHideNoBetterPiece) {
  // 1e-9 x_1 + x_3 = 5, so that x_1 could be 5e9 by its row, where the value would be 1e19 and is known to 1e5: nothing
  // that says what the values of two pieces near 1 are known to. The piece x_1 = 0, which the search comes to first,
  // has 1.01^2 / 2, the piece x_2 = 0 has 1/2, each less (1 + 1.01^2) / 2.
  Problem problem{.Q = Eigen::Vector3d(1, 1, 0).asDiagonal(),
                  .c = Vector{{-1.01, -1, 0}},
                  .A = Eigen::MatrixXd{{1e-9, 0, 1}},
                  .row_lower = Vector::Constant(1, 5.0),
                  .row_upper = Vector::Constant(1, 5.0),
                  .G = Eigen::MatrixXd{{1, 0, 0}},
                  .g = Vector::Zero(1),
                  .H = Eigen::MatrixXd{{0, 1, 0}},
                  .h = Vector::Zero(1)};
  for (const bool swapped : {false, true}) {
    const Result result = mpcc::solve(problem, mpcc::BranchAndBound{});
    ASSERT_TRUE(result.ok()) << result.message();
    // The tolerance 1e-10 of the value's terms, 2 at most.
    EXPECT_NEAR(result.figures.value, -0.5 * 1.01 * 1.01, 1e-9) << swapped << ": " << result.x.transpose();
    problem.G.swap(problem.H);
  }
}

TEST(MpccPieces, AnEmptyPieceBesideTheNearestPointLeavesItsSibling) {
  // x_1 >= 5e-9 forbids x_1 = 0, by less than what counts as 0 beside x_2 = 1: (5e-9, 0) is the answer.
  Problem problem = corner({0, -2});
  problem.Q = Eigen::MatrixXd{{2, 0}, {0, 2}};
  problem.lower = Vector{{5e-9, -1}};
  for (const Result& result :
       {mpcc::solve(problem, mpcc::Relaxation{}), mpcc::solve(problem, mpcc::BranchAndBound{})}) {
    ASSERT_TRUE(result.ok()) << result.message();
    // 1e-10 of the size 1.
    EXPECT_LE((result.x - Eigen::Vector2d(5e-9, 0)).norm(), 1e-9) << result.x.transpose();
  }
  // Of (0, 1), feasible to 1e-8, the one piece is empty, so that nothing is known of it.
  EXPECT_FALSE(mpcc::is_bouligand_stationary(problem, Vector{{0, 1}}));
}

TEST(MpccPieces, AnUnboundedPieceThatALimitLeavesOpenProvesNothing) {
  // min -x_1, x_1 <= x_3, 0 <= x_1 ⟂ x_2 >= 0, 0 <= x_3 ⟂ x_4 >= 0: of the four pieces at 0 that with x_2 = x_4 = 0,
  // which is looked at last, is unbounded.
  Problem problem{.Q = Eigen::MatrixXd::Zero(4, 4),
                  .c = Vector{{-1, 0, 0, 0}},
                  .A = Eigen::MatrixXd{{-1, 0, 1, 0}},
                  .row_lower = Vector::Zero(1),
                  .G = Eigen::MatrixXd{{1, 0, 0, 0}, {0, 0, 1, 0}},
                  .g = Vector::Zero(2),
                  .H = Eigen::MatrixXd{{0, 1, 0, 0}, {0, 0, 0, 1}},
                  .h = Vector::Zero(2)};
  EXPECT_TRUE(mpcc::solve(problem, mpcc::Relaxation{}).unbounded());
  for (Index most = 1; most <= 30; ++most)
    EXPECT_LT(mpcc::solve(problem, mpcc::Relaxation{.max_steps = most}).stationarity, Stationarity::Bouligand) << most;
}

TEST(MpccPieces, ASideThatIsZeroForAllXAsksForNothing) {
  // -x + y^2 / 2 + y on |x|, |y| <= 3 and 1 - y >= 0 beside a side without entries: (3, -1), -3.5.
  const Eigen::MatrixXd side{{0, -1}}, nothing{{0, 0}};
  for (const bool first : {false, true}) {
    const Problem problem{.Q = Eigen::MatrixXd{{0, 0}, {0, 1}},
                          .c = Vector{{-1, 1}},
                          .lower = Vector::Constant(2, -3.0),
                          .upper = Vector::Constant(2, 3.0),
                          .G = first ? nothing : side,
                          .g = Vector{{first ? 0.0 : 1.0}},
                          .H = first ? side : nothing,
                          .h = Vector{{first ? 1.0 : 0.0}}};
    for (const mpcc::Entry& entry : mpcc::registry()) {
      const Result result = entry.solver.solve(problem, {});
      ASSERT_TRUE(result.ok()) << entry.name << ": " << result.message();
      EXPECT_NEAR(result.figures.value, -3.5, 1e-9) << entry.name;
      EXPECT_EQ(result.stationarity, Stationarity::Strong) << entry.name;
    }
  }
}

TEST(MpccPieces, NothingIsStationaryWhereNothingIsFeasible) {
  Problem problem = corner({1, 1});
  problem.upper = Vector{{-1, 5}};
  for (const mpcc::Entry& entry : mpcc::registry()) {
    const Result result = entry.solver.solve(problem, {});
    EXPECT_EQ(result.status, Status::Infeasible) << entry.name;
    EXPECT_EQ(result.stationarity, Stationarity::None) << entry.name;
  }
}

TEST(MpccPieces, ProductsThatVanishOnThePiecesAreNoCurvature) {
  // min x_1 x_2 + c^T x: c^T x on both pieces. No multiple of the squares of a piece's equation makes Q convex.
  for (const double turn : {0.0, 0.7}) {
    const Eigen::Matrix2d axes = Eigen::Rotation2Dd(turn).toRotationMatrix();
    const auto product = [&](const Eigen::Vector2d& c) {
      Problem problem = corner(axes.transpose() * c);
      problem.Q = axes.transpose() * Eigen::Matrix2d{{0, 1}, {1, 0}} * axes;
      problem.Q = 0.5 * (problem.Q + problem.Q.transpose()).eval();
      problem.G = axes.row(0);
      problem.H = axes.row(1);
      return problem;
    };
    const Problem bounded = product({1, 1}), falling = product({-1, 1});
    for (const std::string_view name : {"relaxation", "branch and bound"}) {
      const Result result = mpcc::find(name).solver.solve(bounded, Limits{});
      ASSERT_TRUE(result.ok()) << name << ", " << turn << ": " << result.message();
      EXPECT_LE(result.x.norm(), 1e-9) << name;  // 1e-10 of the size 1
      EXPECT_EQ(result.stationarity, Stationarity::Strong) << name;
      EXPECT_TRUE(mpcc::find(name).solver.solve(falling, Limits{}).unbounded()) << name << ", " << turn;
    }
    EXPECT_TRUE(mpcc::is_bouligand_stationary(bounded, Vector::Zero(2)));
  }
}

TEST(MpccAutomatic, ATreeOfAFewNodesGivesTheBestOfAllPieces) {
  Index exhausted = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Problem problem = problems::planted_mpcc({.n = 16, .m = 4, .pairs = 8, .biactive = 0.3}, seed).problem;
    const Result result = mpcc::solve(problem);
    ASSERT_TRUE(result.ok()) << result.message();
    if (!result.reason.starts_with("the tree is exhausted")) continue;
    ++exhausted;
    const double least = problems::least_of_pieces(problem);
    // Both to 1e-10 of the terms of the value, which are below 1e3.
    EXPECT_NEAR(result.figures.value, least, 2e-7) << seed;
  }
  EXPECT_GE(exhausted, 5);
}

TEST(MpccAutomatic, BouligandHoldsAtAWiderTolerance) {
  // Of this program the relaxation to 1e-8 had taken a piece for the best at x, though another one gains 5e-8.
  const Problem problem =
      problems::planted_mpcc({.n = 20, .m = 5, .pairs = 10, .biactive = 0.5, .indefinite = true}, 8).problem;
  const Result result = mpcc::find("relaxation").solver.solve(problem, {.tolerance = 1e-8});
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_TRUE(mpcc::is_bouligand_stationary(problem, result.x));
}

TEST(MpccProblem, NotConvexOnItsPiecesIsToldAsStalled) {
  // min -x_2^2 on 0 <= x_1 ⟂ x_2 >= 0, x <= 1: concave on the piece x_1 = 0.
  Problem problem = corner({0, 0});
  problem.Q = Eigen::MatrixXd{{0, 0}, {0, -2}};
  problem.upper = Vector::Ones(2);
  problem.lower = Vector{{0, 0.5}};  // the other piece is empty
  const Result result = mpcc::solve(problem);
  EXPECT_EQ(result.status, Status::Stalled) << result.message();
}

// A pair of size 1 beside an unknown of 1e9 that has nothing to do with it: sides of 1 are not 0, whatever else is
// large.
TEST(MpccSizes, AreThoseOfEachUnknown) {
  const Vector q{{1.0, 1.0, 1e-18}};
  const Problem dense{.Q = q.asDiagonal(),
                      .c = Vector{{-1.0, -0.5, -1e-9}},
                      .G = Eigen::RowVector3d{1.0, 0.0, 0.0},
                      .g = Vector::Zero(1),
                      .H = Eigen::RowVector3d{0.0, 1.0, 0.0},
                      .h = Vector::Zero(1)};
  for (const mpcc::Result& result : {mpcc::solve(dense), mpcc::solve(dense, mpcc::BranchAndBound{})}) {
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_TRUE(result.biactive.empty());
    EXPECT_EQ(result.stationarity, Stationarity::Strong) << result.message();
    EXPECT_NEAR(result.x[0], 1.0, 1e-8);
    EXPECT_NEAR(result.x[1], 0.0, 1e-8);
    EXPECT_NEAR(result.x[2], 1e9, 10.0);  // 1e-8 of it
  }
  EXPECT_TRUE(mpcc::is_bouligand_stationary(dense, Vector{{1.0, 0.0, 1e9}}));
  EXPECT_TRUE(mpcc::is_bouligand_stationary(dense, Vector{{0.0, 0.5, 1e9}}));
  EXPECT_FALSE(mpcc::is_bouligand_stationary(dense, Vector{{0.5, 0.0, 1e9}}));
}

TEST(MpccOptions, RefuseWhatTheyCannotMean) {
  const Problem good = corner({1, 1});
  const auto refused = [&](const auto& options, std::string_view argument) {
    try {
      static_cast<void>(mpcc::solve(good, options));
      ADD_FAILURE() << "not refused: " << argument;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.argument(), argument) << error.what();
    }
  };
  refused(mpcc::Relaxation{.tolerance = 0.0}, "mpcc::Relaxation::tolerance");
  refused(mpcc::Relaxation{.max_steps = 0}, "mpcc::Relaxation::max_steps");
  refused(mpcc::Relaxation{.most_biactive = 11}, "mpcc::Relaxation::most_biactive");
  refused(mpcc::Relaxation{.start = Vector::Zero(3)}, "mpcc::Relaxation::start");
  const double infinite = std::numeric_limits<double>::infinity();
  refused(mpcc::Relaxation{.start = Vector::Constant(2, infinite)}, "mpcc::Relaxation::start");
  refused(mpcc::Relaxation{.time_limit = -1.0}, "mpcc::Relaxation::time_limit");
  refused(mpcc::BranchAndBound{.tolerance = infinite}, "mpcc::BranchAndBound::tolerance");
  refused(mpcc::BranchAndBound{.max_nodes = 0}, "mpcc::BranchAndBound::max_nodes");
  refused(mpcc::BranchAndBound{.time_limit = 0.0}, "mpcc::BranchAndBound::time_limit");
  refused(mpcc::Automatic{.tolerance = 0.0}, "mpcc::Automatic::tolerance");
  refused(mpcc::Automatic{.max_iterations = -1}, "mpcc::Automatic::max_iterations");
  refused(mpcc::Automatic{.time_limit = 0.0}, "mpcc::Automatic::time_limit");
}

}  // namespace
}  // namespace nonsmooth::mpcc_test
