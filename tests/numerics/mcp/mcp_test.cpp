// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mcp.hpp>

#include <problems/lcp.hpp>
#include <problems/mcp.hpp>
#include <problems/obstacle.hpp>

namespace nonsmooth::mcp_test {
namespace {

using problems::Bounds;
using problems::infinite;
using problems::Mcp;

Certificate certificate_at(const mcp::Problem& problem, const Eigen::VectorXd& x) {
  Eigen::VectorXd w(problem.size());
  return mcp::certify(problem, x, w);
}

TEST(McpCertificate, AgreesWithIndependentArithmetic) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Index n = 1 + Index(seed % 9);
    Mcp mcp = problems::random_monotone_mcp(n, seed, Bounds::Mixed);
    if (seed % 3 == 0) mcp = problems::rescaled(mcp, seed, 3.0);
    if (seed % 4 == 0) mcp.problem.scale = 0.7;
    std::mt19937_64 random(seed);
    const Eigen::VectorXd x =
        Eigen::VectorXd(problems::normal_matrix(random, n, 1)).cwiseMax(mcp.problem.lower).cwiseMin(mcp.problem.upper);
    const double expected = problems::independent_residual(mcp.problem, x);
    // s (x - P(x - f/s)) loses some eps of s x beside f; s x is at most some hundred scales.
    EXPECT_NEAR(certificate_at(mcp.problem, x).residual, expected, 1e-12 * std::max(1.0, expected));
  }
}

TEST(McpCertificate, IsZeroAtPublishedSolutions) {
  // To some eps of the terms, which are below 10.
  for (const Mcp& mcp : {problems::kojima_shindo(), problems::josephy(), problems::billups()}) {
    for (const Eigen::VectorXd& x : mcp.solutions) EXPECT_LE(certificate_at(mcp.problem, x).error, 1e-14) << mcp.name;
  }
  for (const Mcp& mcp : {problems::nash_cournot_5(), problems::nash_cournot_10()}) {
    // Four digits of answers whose costs have slopes of up to 20 (Harker's (10 q)^(1/0.6)): 5e-5 times that.
    EXPECT_LE(certificate_at(mcp.problem, mcp.solutions[0]).error, 2e-3) << mcp.name;
  }
}

TEST(McpCertificate, RelaysOfTheLinearFamilyAreWorthTheSame) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const problems::Relay relay = problems::random_relay_p(5, seed, Bounds::Finite);
    const mcp::Problem problem = problems::as_mcp(relay.problem);
    EXPECT_LE(certificate_at(problem, relay.z).residual, 1e-14);
    EXPECT_GT(certificate_at(problem, Eigen::VectorXd(relay.z + Eigen::VectorXd::Constant(5, 1e-3))).residual, 1e-6);
  }
}

TEST(McpCertificate, FollowsItsScale) {
  mcp::Problem problem = problems::josephy().problem;  // F(0) = (-6, -2, -1, -3)
  const Certificate found = certificate_at(problem, Eigen::VectorXd::Zero(4));
  EXPECT_EQ(found.scale, 6.0);
  EXPECT_EQ(found.residual, 1.0);
  EXPECT_EQ(found.worst_row, 0);
  problem.scale = 60.0;
  EXPECT_EQ(certificate_at(problem, Eigen::VectorXd::Zero(4)).residual, 0.1);
  // A start where F is huge does not make it lax.
  problem.scale = 0.0;
  problem.start = Eigen::VectorXd::Constant(4, 1e6);
  EXPECT_EQ(certificate_at(problem, Eigen::VectorXd::Zero(4)).scale, 6.0);
}

TEST(McpCertificate, IsNoNumberWhereFIsNone) {
  const mcp::Problem problem = mcp::complementarity(
      {.num_unknowns = 1, .num_values = 1, .value = [](auto x, auto f) { f[0] = std::log(x[0] - 1.0); }});
  EXPECT_TRUE(std::isnan(certificate_at(problem, Eigen::VectorXd{{0.5}}).residual));
}

TEST(McpBillups, DescentStallsAndProximalPointsDoNot) {
  const double answer = 1.0 + std::sqrt(1.01);
  for (const double start : {0.0, 0.1, 0.5}) {
    const Mcp mcp = problems::billups(start);
    const mcp::Result descent = mcp::solve(mcp.problem, mcp::SemismoothNewton{});
    EXPECT_NE(descent.status, Status::NumericalFailure);
    if (start == 0.0) {
      EXPECT_EQ(descent.status, Status::Stalled) << descent.message();
    }
    for (const mcp::Result& result : {mcp::solve(mcp.problem), mcp::solve(mcp.problem, mcp::ProximalPoint{}),
                                      mcp::solve(mcp.problem, mcp::NormalMapNewton{})}) {
      ASSERT_TRUE(result.ok()) << "from " << start << ": " << result.message();
      // F' = 2 sqrt(1.01) there; a scale of at most 0.76 (F at the start).
      EXPECT_NEAR(result.x[0], answer, 1e-10);
    }
  }
}

TEST(McpKojimaShindo, BothSolutionsAreReached) {
  const Mcp mcp = problems::kojima_shindo();
  bool degenerate = false, other = false;
  for (const double a : {0.0, 1.0, 2.0, 4.0}) {
    for (const double b : {0.0, 1.0, 3.0}) {
      mcp::Problem problem = mcp.problem;
      problem.start = Eigen::VectorXd{{a, 0.0, b, 0.5}};
      const mcp::Result result = mcp::solve(problem);
      ASSERT_TRUE(result.ok()) << result.message();
      degenerate = degenerate || (result.x - mcp.solutions[0]).norm() < 1e-7;
      other = other || (result.x - mcp.solutions[1]).norm() < 1e-7;
    }
  }
  EXPECT_TRUE(degenerate);
  EXPECT_TRUE(other);
}

TEST(McpBratu, FollowsItsClosedForm) {
  for (const Index n : {50, 200}) {
    const Mcp mcp = problems::bratu_1d(n, 3.0, 10.0);
    const mcp::Result result = mcp::solve(mcp.problem);
    ASSERT_TRUE(result.ok()) << result.message();
    // u'''' h^2 / 12 with |u''''| below 3 * 3 e^1.1 + ..., about 40, times the condition of the operator less its load:
    // below 2 h^2 where lambda is 3.
    EXPECT_LE((result.x - mcp.solutions[0]).cwiseAbs().maxCoeff(), 4.0 * mcp.digits) << n;
  }
}

TEST(McpBratu, RestsOnItsCeiling) {
  for (const std::string_view name : {"semismooth newton", "semismooth newton on min", "newton-josephy"}) {
    const Mcp mcp = problems::bratu_2d(15, 6.0, 0.2);
    const mcp::Result result = mcp::find(name).solver.solve(mcp.problem);
    ASSERT_TRUE(result.ok()) << name << ": " << result.message();
    EXPECT_LE(problems::independent_residual(mcp.problem, result.x), 2e-10);
    EXPECT_GT((result.x.array() == 0.2).count(), 10);  // exactly: the last step is one on the rows' places
  }
}

TEST(McpObstacle, LargeSparseOnes) {
  const problems::Discretized d = problems::membrane_over_ball(60);
  const mcp::Result result = mcp::solve(problems::as_mcp(d.problem.M, d.problem.q));
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE((result.x - d.exact).cwiseAbs().maxCoeff(), d.h);  // first order at the free boundary
  const Mcp chain = problems::sparse_chain(10'000, 1);
  const mcp::Result chained = mcp::solve(chain.problem);
  ASSERT_TRUE(chained.ok()) << chained.message();
  EXPECT_LE((chained.x - chain.solutions[0]).cwiseAbs().maxCoeff(), 1e-8);
}

// F in other units: the same x by the same certificate.
TEST(McpAutomatic, UnitsOfFAreNoMatter) {
  for (const double unit : {1e-12, 1e-6, 1e9}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Mcp planted = problems::random_monotone_mcp(12, seed, problems::Bounds::Mixed);
      mcp::Problem problem = planted.problem;
      problem.F.value = [&](ConstVectorRef x, VectorRef f) {
        planted.problem.F.value(x, f);
        f *= unit;
      };
      problem.F.dense_jacobian = [&](ConstVectorRef x, MatrixRef J) {
        planted.problem.F.dense_jacobian(x, J);
        J *= unit;
      };
      const mcp::Result result = mcp::solve(problem);
      ASSERT_TRUE(result.ok()) << unit << ", seed " << seed << ": " << result.message();
      EXPECT_LE((result.x - planted.solutions[0]).norm(), 1e-8) << unit << ", seed " << seed;
    }
  }
}

TEST(McpObstacle, OneLinearProblemIsEnoughWhereFIsLinear) {
  // Many rows by multigrid, few by active sets; from below, and from above: the obstacle turned upside down.
  for (const Index m : {10, 30}) {
    const auto obstacle = problems::obstacle_2d(m);
    const mcp::Problem below = problems::as_mcp(obstacle.M, obstacle.q);
    mcp::Problem above = problems::as_mcp(obstacle.M, -obstacle.q);
    above.lower.setConstant(-std::numeric_limits<double>::infinity());
    above.upper.setZero();
    const mcp::Result one = mcp::solve(below, mcp::NewtonJosephy{}), other = mcp::solve(above, mcp::NewtonJosephy{});
    for (const mcp::Result* result : {&one, &other}) {
      ASSERT_TRUE(result->ok()) << result->message();
      EXPECT_EQ(result->iterations, 1);
    }
    // Residuals of 1e-10 times the condition of the five points, 4 m^2 / pi^2.
    EXPECT_LE((one.x + other.x).cwiseAbs().maxCoeff(), 1e-10 * double(m * m));
  }
}

TEST(McpBratu, FactorsOfASymmetricJacobianAreThoseOfAnyOther) {
  // Rows in other units: the same solution by LU, for F' is not symmetric then.
  const Mcp mcp = problems::bratu_2d(12, 6.0, 0.2);
  const Index n = mcp.problem.size();
  Eigen::VectorXd units = Eigen::VectorXd::Ones(n);
  for (Index i = 0; i < n; i += 2) units[i] = 2.0;
  mcp::Problem scaled = mcp.problem;
  scaled.F.value = [F = mcp.problem.F, units](ConstVectorRef x, VectorRef f) {
    F.value(x, f);
    f = units.cwiseProduct(f).eval();
  };
  scaled.F.jacobian = [F = mcp.problem.F, units](ConstVectorRef x, Eigen::SparseMatrix<double>& J) {
    F.jacobian(x, J);
    J = (units.asDiagonal() * J).eval();
  };
  const mcp::Result symmetric = mcp::solve(mcp.problem, mcp::SemismoothNewton{});
  const mcp::Result other = mcp::solve(scaled, mcp::SemismoothNewton{});
  ASSERT_TRUE(symmetric.ok()) << symmetric.message();
  ASSERT_TRUE(other.ok()) << other.message();
  EXPECT_LE((symmetric.x - other.x).cwiseAbs().maxCoeff(), 1e-8);  // 1e-10 times a condition below 100
}

TEST(McpNotFinite, ThePointAndTheComponentAreTold) {
  // F_1 = -1 pushes x_1 up to 1/2, where it ends. Differences go down there, where F is.
  const mcp::Problem problem =
      mcp::complementarity({.num_unknowns = 2, .num_values = 2, .value = [](ConstVectorRef x, VectorRef f) {
                              f << x[0] - 1.0, x[1] < 0.5 ? -1.0 : std::nan("");
                            }});
  const auto told = [&](const auto& options) {
    const mcp::Result result = mcp::solve(problem, options);
    EXPECT_EQ(result.status, Status::NumericalFailure) << result.message();
    const std::string text = result.message();
    EXPECT_NE(text.find("nan in component 1 of F at x = ("), std::string::npos) << text;
    EXPECT_EQ(result.certificate.residual, 1.0);  // F_1 = -1 wherever it is
  };
  told(mcp::SemismoothNewton{});
  told(mcp::NewtonJosephy{});
}

/// Six unknowns, two of them fixed; F_2 and F_5 are affine. F_2 = 2 + x_1 >= 2 holds x_2 at 0; F_5 = -4 + x_2 - x_0 is
/// negative on [0, 3] once x_2 is 0 alone, as x_2 goes up to 9, and holds x_5 at 2. What is left is
/// x_0^3 + x_3 = 9, x_3 - x_0 = -1, of which (2, 1) is the solution.
mcp::Problem partly_held(bool sparse) {
  mcp::Problem problem{
      .F = {.num_unknowns = 6, .num_values = 6},
      .lower = Eigen::VectorXd{{0.0, 0.5, 0.0, -infinite, -1.0, 0.0}},
      .upper = Eigen::VectorXd{{3.0, 0.5, 9.0, infinite, -1.0, 2.0}},
      .start = Eigen::VectorXd{{1.0, 0.0, 3.0, 0.0, 0.0, 1.0}},
      .affine_rows = {5, 2},
  };
  problem.F.value = [](ConstVectorRef x, VectorRef f) {
    f << x[0] * x[0] * x[0] + x[3] - 9.0 + x[2], x[0] * x[5], 2.0 + x[1], x[3] - x[0] + x[4] + 2.0, 0.0,
        -4.0 + x[2] - x[0];
  };
  const auto J = [](ConstVectorRef x) {
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(6, 6);
    M.row(0) << 3.0 * x[0] * x[0], 0.0, 1.0, 1.0, 0.0, 0.0;
    M.row(1) << x[5], 0.0, 0.0, 0.0, 0.0, x[0];
    M(2, 1) = 1.0;
    M.row(3) << -1.0, 0.0, 0.0, 1.0, 1.0, 0.0;
    M.row(5) << -1.0, 0.0, 1.0, 0.0, 0.0, 0.0;
    return M;
  };
  if (sparse)
    problem.F.jacobian = [J](ConstVectorRef x, Eigen::SparseMatrix<double>& out) { out = J(x).sparseView(); };
  else
    problem.F.dense_jacobian = [J](ConstVectorRef x, MatrixRef out) { out = J(x); };
  return problem;
}

TEST(McpMovingPart, WhatCannotMoveLeaves) {
  const Eigen::VectorXd answer{{2.0, 0.5, 0.0, 1.0, -1.0, 2.0}};
  for (const bool sparse : {false, true}) {
    const mcp::Problem problem = partly_held(sparse);
    const auto solved = [&](auto options) {
      const mcp::Result result = mcp::solve(problem, options);
      ASSERT_TRUE(result.ok()) << result.message();
      // |J^-1| < 1 of the two that are left, F of at most 9 at 0; the others are there exactly.
      EXPECT_LE((result.x - answer).cwiseAbs().maxCoeff(), 9e-10);
      EXPECT_EQ(result.x[2], 0.0);
      EXPECT_EQ(result.x[5], 2.0);
      EXPECT_EQ(result.certificate.residual, certificate_at(problem, result.x).residual);
    };
    solved(mcp::Automatic{});
    solved(mcp::SemismoothNewton{});
    solved(mcp::ProximalPoint{});
    solved(mcp::InteriorPoint{});
    // Two of six unknowns move.
    solved(mcp::NewtonJosephy{.max_rows = 2});
    solved(mcp::NormalMapNewton{.max_rows = 2});
  }
  mcp::Problem problem = partly_held(false);
  problem.lower[0] = problem.upper[0] = 2.0;
  problem.lower[3] = problem.upper[3] = 1.0;
  const mcp::Result result = mcp::solve(problem);
  EXPECT_EQ(result.status, Status::Solved);
  EXPECT_EQ(result.x, answer);
  EXPECT_EQ(result.certificate.residual, 0.0);
  EXPECT_EQ(result.iterations, 0);
}

TEST(McpMovingPart, RowsThatAreNotAffineAreToldByTheCertificate) {
  // F = (x - 1)^2 - 1/4 is -1/4 with slope 0 at 1: as an affine row it would hold x at 3, where F is not negative.
  mcp::Problem problem{.F = {.num_unknowns = 1,
                             .num_values = 1,
                             .value = [](ConstVectorRef x, VectorRef f) { f[0] = (x[0] - 1.0) * (x[0] - 1.0) - 0.25; },
                             .dense_jacobian = [](ConstVectorRef x, MatrixRef J) { J(0, 0) = 2.0 * (x[0] - 1.0); }},
                       .lower = Eigen::VectorXd{{0.9}},
                       .upper = Eigen::VectorXd{{3.0}},
                       .start = Eigen::VectorXd{{1.0}}};
  ASSERT_NEAR(mcp::solve(problem).x[0], 1.5, 1e-9);
  problem.affine_rows = {0};
  const mcp::Result result = mcp::solve(problem);
  EXPECT_EQ(result.status, Status::Stalled) << result.message();
  EXPECT_NE(result.message().find("affine"), std::string::npos) << result.message();
}

TEST(McpMovingPart, MessagesHaveTheNumbersOfTheWhole) {
  mcp::Problem problem = mcp::complementarity(
      {.num_unknowns = 3,
       .num_values = 3,
       .value = [](ConstVectorRef x, VectorRef f) { f << 0.0, x[1] - 1.0, x[2] < 0.5 ? -1.0 : std::nan(""); },
       .value_names = {"coal", "steel", "corn"}});
  problem.upper[0] = 0.0;
  const mcp::Result result = mcp::solve(problem, mcp::SemismoothNewton{});
  EXPECT_EQ(result.status, Status::NumericalFailure);
  EXPECT_NE(result.message().find("nan in component 2 (corn) of F at x = (0, "), std::string::npos) << result.message();
  problem.start = Eigen::VectorXd{{0.0, 0.0, 0.7}};
  try {
    static_cast<void>(mcp::solve(problem, mcp::SemismoothNewton{}));
    ADD_FAILURE() << "not refused";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.argument(), "mcp::Problem::F");
    EXPECT_NE(error.found().find("component 2 (corn)"), std::string::npos) << error.found();
  }
}

TEST(McpOptions, AJacobianThatDoesNotMatchIsTold) {
  mcp::Problem problem = problems::josephy().problem;
  problem.start = Eigen::VectorXd::Ones(4);
  problem.F.dense_jacobian = [good = problem.F.dense_jacobian](ConstVectorRef x, MatrixRef J) {
    good(x, J);
    J(2, 1) += 1.0;
  };
  const auto told = [&](auto options) {
    options.check_jacobian = true;
    try {
      static_cast<void>(mcp::solve(problem, options));
      ADD_FAILURE() << "not told";
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.argument(), "mcp::Problem::F: the Jacobian");
      // x_0 + 4 x_1 = 5 at (1, 1, 1, 1); differences give 5 to 1e-9.
      EXPECT_NE(error.found().find("entry (2, 1) of the Jacobian of F is 6, differences give "), std::string::npos);
    }
  };
  told(mcp::SemismoothNewton{});
  told(mcp::NewtonJosephy{});
  told(mcp::NormalMapNewton{});
  told(mcp::ProximalPoint{});
  told(mcp::InteriorPoint{});
  told(mcp::Automatic{});
  problem.lower[0] = problem.upper[0] = 1.0;  // the entry has the numbers of the whole
  told(mcp::SemismoothNewton{});
  told(mcp::InteriorPoint{.start = Eigen::VectorXd::Ones(4)});
}

TEST(McpOptions, AWarmStartChangesNoScale) {
  const Mcp mcp = problems::nash_cournot_5();
  const mcp::Result cold = mcp::solve(mcp.problem);
  ASSERT_TRUE(cold.ok());
  const auto warm = [&](auto options) {
    options.start = cold.x;
    const mcp::Result result = mcp::solve(mcp.problem, options);
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_EQ(result.certificate.scale, cold.certificate.scale);
    EXPECT_EQ(result.iterations, 0);
    options.start = Eigen::VectorXd::Ones(3);
    EXPECT_THROW(static_cast<void>(mcp::solve(mcp.problem, options)), InvalidArgument);
  };
  warm(mcp::SemismoothNewton{});
  warm(mcp::NewtonJosephy{});
  warm(mcp::NormalMapNewton{});
  warm(mcp::ProximalPoint{});
  warm(mcp::Automatic{});
}

TEST(McpOptions, AreRefusedByName) {
  const mcp::Problem problem = problems::josephy().problem;
  const auto refused = [&](const auto& options, std::string_view argument) {
    try {
      static_cast<void>(mcp::solve(problem, options));
      ADD_FAILURE() << "not refused: " << argument;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.argument(), argument);
    }
  };
  refused(mcp::SemismoothNewton{.tolerance = 0.0}, "mcp::SemismoothNewton::tolerance");
  refused(mcp::SemismoothNewton{.weight = 1.0}, "mcp::SemismoothNewton::weight");
  refused(mcp::SemismoothNewton{.max_steps = 0}, "mcp::SemismoothNewton::max_steps");
  refused(mcp::SemismoothNewton{.decrease = 0.7}, "mcp::SemismoothNewton::decrease");
  refused(mcp::SemismoothNewton{.memory = 0}, "mcp::SemismoothNewton::memory");
  refused(mcp::SemismoothNewton{.time_limit = -1.0}, "mcp::SemismoothNewton::time_limit");
  refused(mcp::NewtonJosephy{.tolerance = -1.0}, "mcp::NewtonJosephy::tolerance");
  refused(mcp::NewtonJosephy{.max_steps = 0}, "mcp::NewtonJosephy::max_steps");
  refused(mcp::NewtonJosephy{.decrease = 0.0}, "mcp::NewtonJosephy::decrease");
  refused(mcp::NewtonJosephy{.memory = 0}, "mcp::NewtonJosephy::memory");
  refused(mcp::NewtonJosephy{.time_limit = 0.0}, "mcp::NewtonJosephy::time_limit");
  refused(mcp::NormalMapNewton{.tolerance = 0.0}, "mcp::NormalMapNewton::tolerance");
  refused(mcp::NormalMapNewton{.time_limit = 0.0}, "mcp::NormalMapNewton::time_limit");
  refused(mcp::ProximalPoint{.tolerance = 0.0}, "mcp::ProximalPoint::tolerance");
  refused(mcp::ProximalPoint{.time_limit = 0.0}, "mcp::ProximalPoint::time_limit");
  refused(mcp::ProximalPoint{.weight = 1e10}, "mcp::ProximalPoint::weight");
  refused(mcp::InteriorPoint{.tolerance = 0.0}, "mcp::InteriorPoint::tolerance");
  refused(mcp::InteriorPoint{.time_limit = 0.0}, "mcp::InteriorPoint::time_limit");
  refused(mcp::NewtonJosephy{.max_rows = 3}, "mcp::NewtonJosephy::max_rows");
  refused(mcp::NormalMapNewton{.max_steps = 0}, "mcp::NormalMapNewton::max_steps");
  refused(mcp::NormalMapNewton{.crash_steps = -1}, "mcp::NormalMapNewton::crash_steps");
  refused(mcp::NormalMapNewton{.watch = -1}, "mcp::NormalMapNewton::watch");
  refused(mcp::NormalMapNewton{.decrease = 0.6}, "mcp::NormalMapNewton::decrease");
  refused(mcp::NormalMapNewton{.max_rows = 3}, "mcp::NormalMapNewton::max_rows");
  refused(mcp::ProximalPoint{.weight = 0.0}, "mcp::ProximalPoint::weight");
  refused(mcp::ProximalPoint{.max_steps = 0}, "mcp::ProximalPoint::max_steps");
  refused(mcp::ProximalPoint{.inner_steps = 0}, "mcp::ProximalPoint::inner_steps");
  refused(mcp::InteriorPoint{.max_steps = 0}, "mcp::InteriorPoint::max_steps");
  refused(mcp::InteriorPoint{.sigma = 1.0}, "mcp::InteriorPoint::sigma");
  refused(mcp::Automatic{.tolerance = 0.0}, "mcp::Automatic::tolerance");
  refused(mcp::Automatic{.dense_limit = 2001}, "mcp::Automatic::dense_limit");
  refused(mcp::Automatic{.max_iterations = -1}, "mcp::Automatic::max_iterations");
  refused(mcp::Automatic{.time_limit = 0.0}, "mcp::Automatic::time_limit");
}

TEST(McpInteriorPoint, TakesFThatDoesNotExistAtTheBounds) {
  // log x_i at x_i = 0, where the others refuse to start.
  mcp::Problem problem = problems::logarithms().problem;
  problem.lower.setZero();
  problem.start = Eigen::VectorXd::Zero(3);
  problem.scale = 1.0;
  EXPECT_THROW(static_cast<void>(mcp::solve(problem, mcp::SemismoothNewton{})), InvalidArgument);
  const mcp::Result result = mcp::solve(problem, mcp::InteriorPoint{});
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE((result.x - Eigen::VectorXd{{0.5, 3.0, 20.0}}).cwiseAbs().maxCoeff(), 20.0 * 1e-10);
}

TEST(McpAutomatic, FindsPlantedSolutionsOfAnyMatrix) {
  // Bounds that are all finite always leave a solution; what has been found is certified by the contract.
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Mcp mcp = problems::random_any_mcp(2 + Index(seed % 7), seed, Bounds::Finite);
    solved += mcp::solve(mcp.problem).ok() ? 1 : 0;
  }
  RecordProperty("solved", solved);
  EXPECT_GE(solved, 95);
}

TEST(McpAutomatic, BringsSmallRowsToDigitsOfTheirOwn) {
  // 1e6 (x_1 - 2) and 1e-6 (x_2^3 + x_2 - 10), both 0 at 2: to 1e-10 of F_1(0) = -2e6 any x_2 below 500 solves.
  const mcp::Problem problem =
      mcp::equations({.num_unknowns = 2, .num_values = 2, .value = [](ConstVectorRef x, VectorRef f) {
                        f << 1e6 * (x[0] - 2.0), 1e-6 * (x[1] * x[1] * x[1] + x[1] - 10.0);
                      }});
  const mcp::Result result = mcp::solve(problem);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE(result.certificate.residual, 1e-10);
  EXPECT_LE(result.certificate.row_residual, 1e-6);
  // F_2 has terms of 20e-6 and a slope of 13e-6 there.
  EXPECT_NEAR(result.x[1], 2.0, 2e-6);
}

}  // namespace
}  // namespace nonsmooth::mcp_test
