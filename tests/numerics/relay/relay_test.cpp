// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/relay.hpp>

#include <problems/relay.hpp>

namespace nonsmooth::relay_test {
namespace {

using problems::Bounds;
using problems::infinite;

Eigen::VectorXd vector(std::initializer_list<double> values) {
  Eigen::VectorXd out(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), out.begin());
  return out;
}

TEST(RelayCertificate, IsTheProjectionInTheUnitOfQ) {
  // Row 0: s = 2, z - w/s = 0.5 + 1.5 is above u = 1: error 2 (0.5 - 1) = -1. Row 1: equality, error w = -3.
  // Row 2: no positive diagonal, s = 4 the largest of the row; z = u, w = 4 + 1 > 0: error min(4 * 2, 5) = 5.
  const relay::Problem problem{Eigen::MatrixXd{{2, 0, 0}, {0, 0, 1}, {0, 4, -1}}, vector({-4, -4, 2}),
                               vector({0, -infinite, -1}), vector({1, infinite, 1})};
  const Eigen::VectorXd z = vector({0.5, 1, 1});
  Eigen::VectorXd w(3);
  const Certificate certificate = relay::certify(problem, z, w);
  EXPECT_EQ(w, vector({-3, -3, 5}));
  EXPECT_EQ(certificate.error, 5.0);
  EXPECT_EQ(certificate.worst_row, 2);
  EXPECT_EQ(certificate.scale, 4.0);
  EXPECT_EQ(certificate.residual, 1.25);
  EXPECT_EQ(relay::certify(problem, z, w, 10.0).residual, 0.5);
}

TEST(RelayCertificate, AgreesWithIndependentArithmetic) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const problems::Relay relay = problems::random_relay_any(1 + Index(seed % 70), seed, Bounds::Mixed);
    std::mt19937_64 random(seed);
    const Eigen::VectorXd z = problems::normal_matrix(random, relay.problem.q.size(), 1);
    Eigen::VectorXd w(z.size());
    const double expected = problems::independent_residual(relay.problem, z);
    // Sums of up to 70 terms of size 1 to 10 in double: 70 eps of the largest.
    EXPECT_NEAR(relay::certify(relay.problem, z, w).residual, expected, 1e-13 * std::max(1.0, expected));
    EXPECT_LE(problems::independent_residual(relay.problem, relay.z), 1e-13);
  }
}

TEST(RelayCertificate, ScaleCountsABoxFarFromZero) {
  // q = 0, but M P(0) = 1000: an error of 1e-8 there is a relative 1e-11.
  const relay::Problem problem{Eigen::MatrixXd{{1}}, vector({0}), vector({1000}), vector({2000})};
  Eigen::VectorXd w(1);
  EXPECT_NEAR(relay::certify(problem, vector({1000 + 1e-8}), w).residual, 1e-11, 1e-13);
}

TEST(RelayCertificate, AFloorThatGrowsWithZVouchesForNothing) {
  // w = (-1, -0.5) at (z, z) for every z: an error of 1 = |q|, however large z makes the floor; yet no multiple of
  // (1, 1) solves. The problem is infeasible, y = (1, 1).
  const relay::Problem problem{Eigen::MatrixXd{{1, -1}, {-1, 1}}, vector({-1, -0.5}), vector({0, 0}),
                               vector({infinite, infinite})};
  for (const double size : {1e20, 1e26, 1e40}) {
    const relay::Solver diverged("diverged", [size](const relay::Problem&, const Limits&) {
      relay::Result result;
      result.z = vector({size, size});
      result.status = Status::Solved;
      return result;
    });
    EXPECT_EQ(diverged.solve(problem).status, Status::Stalled) << size;
  }
  EXPECT_EQ(relay::solve(problem).status, Status::Infeasible);
  // Far away and exact: z_0 - z_1 = 1 at (2^40 + 1, 2^40).
  const relay::Problem line{Eigen::MatrixXd{{1, -1}, {-1, 1}}, vector({-1, 1}), vector({0, 0}),
                            vector({infinite, infinite})};
  for (const double error : {0.0, 0x1p-12}) {
    const relay::Solver far("far", [error](const relay::Problem&, const Limits&) {
      relay::Result result;
      result.z = vector({0x1p40 + 1.0 + error, 0x1p40});
      result.status = Status::Solved;
      return result;
    });
    EXPECT_EQ(far.solve(line).status, error == 0.0 ? Status::Solved : Status::Stalled);
  }
  // No data at all, q = 0: z_0 = 3 z_1 holds for no double z_1 near 1/3; z_0 = z_1 does.
  relay::Problem nothing{Eigen::MatrixXd{{1, -3}, {-1, 3}}, vector({0, 0}), vector({0, 0}),
                         vector({infinite, infinite})};
  const relay::Solver third("third", [](const relay::Problem&, const Limits&) {
    relay::Result result;
    result.z = vector({1, 1.0 / 3.0});
    result.status = Status::Solved;
    return result;
  });
  EXPECT_EQ(third.solve(nothing).status, Status::Stalled);
  nothing.M = Eigen::MatrixXd{{1, -1}, {-1, 1}};
  const relay::Solver same("same", [](const relay::Problem&, const Limits&) {
    relay::Result result;
    result.z = vector({1.0 / 3.0, 1.0 / 3.0});
    result.status = Status::Solved;
    return result;
  });
  EXPECT_TRUE(same.solve(nothing).ok());
}

// Two relays at rest to round-off, as the twisting algorithm ends: z = (-1/2, 1) a - q / 2, whose terms are of size 1.
TEST(Relay, AtRestToRoundOffIsSolvedAndToldSo) {
  std::mt19937_64 random(3);
  for (int instance = 0; instance < 50; ++instance) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    const double h = std::pow(10.0, 2.0 * uniform(random) - 2.0);
    const relay::Problem problem{Eigen::MatrixXd{{h * h, 0.5 * h * h}, {2.0 * h, h}},
                                 vector({1e-17 * uniform(random), 1e-16 * uniform(random)}), vector({-1, -1}),
                                 vector({1, 1})};
    for (const relay::Entry& entry : relay::registry()) {
      const relay::Result result = entry.solver.solve(problem);
      if (!result.ok()) continue;  // M is singular: not every algorithm takes it
      // Independent of the certificate: error of each row, terms of at most M |z| and the data.
      const Eigen::VectorXd w = problem.M * result.z + problem.q;
      const Eigen::VectorXd terms = problem.M.cwiseAbs() * result.z.cwiseAbs() + problem.q.cwiseAbs();
      for (Index i = 0; i < 2; ++i) {
        const double s = problem.M(i, i);
        const double e = std::min(std::max(w[i], s * (result.z[i] - 1.0)), s * (result.z[i] + 1.0));
        EXPECT_LE(std::abs(e), 64.0 * std::numeric_limits<double>::epsilon() * terms[i]) << entry.name;
      }
    }
    const relay::Result told = relay::solve(problem);
    if (told.certificate.residual > 1e-10) {
      EXPECT_TRUE(told.at_round_off) << told.message();
    }
    for (const std::string_view name : {"automatic", "lemke", "enumeration"})
      EXPECT_TRUE(relay::find(name).solver.solve(problem).ok())
          << instance << ' ' << name << ": " << relay::find(name).solver.solve(problem).message();
  }
}

// A tolerance that no double reaches.
TEST(Relay, SolvesToRoundOffWhateverTheTolerance) {
  long told = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const relay::Problem problem = problems::random_relay_any(6, seed, Bounds::Finite).problem;
    const relay::Result usual = relay::solve(problem);
    const relay::Result result = relay::find("automatic").solver.solve(problem, {.tolerance = 1e-300});
    ASSERT_EQ(result.ok(), usual.ok()) << result.message();
    if (!result.ok() || result.certificate.residual <= 1e-300) continue;
    EXPECT_LE(result.certificate.row_residual, 64.0 * std::numeric_limits<double>::epsilon());
    EXPECT_TRUE(result.at_round_off) << result.message();
    EXPECT_NE(result.message().find("at round-off"), std::string::npos) << result.message();
    ++told;
  }
  EXPECT_GT(told, 0);
}

TEST(RelayProof, NearlySingularIsNotInfeasible) {
  // Positive definite by 2^-34: one solution. A y that nearly vanishes on the columns is no proof.
  relay::Problem problem{Eigen::MatrixXd{{4, -2}, {-2, 1}}, vector({-2, -1}), vector({0, 0}),
                         vector({infinite, infinite})};
  const Eigen::VectorXd y = vector({1, 2});
  EXPECT_TRUE(relay::proves_infeasible(problem, y));
  problem.M.diagonal().array() += 0x1p-34;
  EXPECT_FALSE(relay::proves_infeasible(problem, y));
  EXPECT_TRUE(relay::proves_infeasible(problem, y, 1e-10));  // who asks for less gets less
  for (const relay::Entry& entry : relay::registry()) {
    EXPECT_NE(entry.solver.solve(problem).status, Status::Infeasible) << entry.name;
  }
  // Random ones of rank below n with 1e-12 to 1e-10 on the diagonal, integers so that M is as exact as it looks.
  std::mt19937_64 random(3);
  std::uniform_int_distribution<int> integer(-2, 2);
  for (int k = 0; k < 500; ++k) {
    const Index n = 2 + k % 5;
    const Eigen::MatrixXd B = Eigen::MatrixXd::NullaryExpr(n, 1 + k % (n - 1), [&] { return integer(random); });
    relay::Problem regular{B * B.transpose(), Eigen::VectorXd::NullaryExpr(n, [&] { return integer(random); }),
                           Eigen::VectorXd::Zero(n), Eigen::VectorXd::Constant(n, infinite)};
    regular.M.diagonal().array() += std::ldexp(1.0, -34 - k % 7);
    if (k % 3 == 0) regular.lower[0] = -infinite;
    EXPECT_NE(relay::solve(regular).status, Status::Infeasible) << k;
  }
}

TEST(RelayProof, RefinementKeepsProofsOfSingularMatrices) {
  // M = A A^T is singular up to round-off only: the verdict stays.
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const relay::Problem problem = problems::random_relay_infeasible(1 + Index(seed % 40), seed).problem;
    const relay::Result result = relay::solve(problem);
    EXPECT_EQ(result.status, Status::Infeasible) << seed << ": " << result.message();
  }
}

TEST(RelayProof, SignsAndBounds) {
  // w = -z - 1 >= 0 has no z >= 0; y = 1.
  relay::Problem problem{Eigen::MatrixXd{{-1}}, vector({-1}), vector({0}), vector({infinite})};
  EXPECT_TRUE(relay::proves_infeasible(problem, vector({1})));
  EXPECT_FALSE(relay::proves_infeasible(problem, vector({-1})));
  EXPECT_FALSE(relay::proves_infeasible(problem, vector({0})));
  EXPECT_FALSE(relay::proves_infeasible(problem, vector({1, 1})));
  problem.M(0, 0) = 1e-9;  // small, but the only entry of its column: z = 1e9 solves
  EXPECT_FALSE(relay::proves_infeasible(problem, vector({1})));
  problem.M(0, 0) = -1;
  problem.upper[0] = 5;  // both bounds: z = 5, w = -6 solves, and y must be 0
  EXPECT_FALSE(relay::proves_infeasible(problem, vector({1})));
  // Equality row z_1 = 3 with z_1 in [0, 1].
  const relay::Problem equality{Eigen::MatrixXd{{0, 1}, {0, 0}}, vector({-3, 0}), vector({-infinite, 0}),
                                vector({infinite, 1})};
  EXPECT_TRUE(relay::proves_infeasible(equality, vector({1, 0})));
  EXPECT_FALSE(relay::proves_infeasible(equality, vector({-1, 0})));
  const relay::Result result = relay::solve(equality);
  EXPECT_EQ(result.status, Status::Infeasible) << result.message();
}

TEST(RelayAutomatic, RowsInClosedForm) {
  const auto solve = [](double m, double q, double low, double high) {
    return relay::solve(relay::Problem{Eigen::MatrixXd{{m}}, vector({q}), vector({low}), vector({high})});
  };
  EXPECT_EQ(solve(2, -3, 0, infinite).z[0], 1.5);
  EXPECT_EQ(solve(0, 1, -4, 2).z[0], -4.0);
  EXPECT_EQ(solve(0, -1, -4, 2).z[0], 2.0);
  EXPECT_EQ(solve(0, 0, 1, 2).z[0], 1.0);
  EXPECT_EQ(solve(-1, 3, 0, 1).z[0], 0.0);
  EXPECT_EQ(solve(-1, -3, 0, 1).z[0], 1.0);
  EXPECT_EQ(solve(-2, 3, -infinite, infinite).z[0], 1.5);
  EXPECT_EQ(solve(-2, -3, -infinite, 0).z[0], 0.0);
  EXPECT_EQ(solve(5, 1, 7, 7).z[0], 7.0);
  for (const relay::Result& result : {solve(0, 1, -infinite, 0), solve(0, 1, -infinite, infinite),
                                      solve(-1, -1, 0, infinite), solve(-1, 1, -infinite, 0)}) {
    EXPECT_EQ(result.status, Status::Infeasible) << result.message();
  }
  // A large diagonal problem stays closed.
  problems::Relay relay = problems::random_relay_spd(30, 1, Bounds::Mixed);
  relay.problem.M = Eigen::MatrixXd(relay.problem.M.diagonal().asDiagonal());
  const relay::Result result = relay::solve(relay.problem);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.solver, "closed form");
}

TEST(RelayLemke, SolvesEveryBoundedBox) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const problems::Relay relay = problems::random_relay_any(1 + Index(seed % 25), seed, Bounds::Finite);
    const relay::Result result = relay::solve(relay.problem, relay::Lemke{});
    EXPECT_TRUE(result.ok()) << seed << ": " << result.message();
  }
}

TEST(RelayLemke, MonotoneProblemsAreSolvedOrProvedInfeasible) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Index n = 1 + Index(seed % 25);
    const relay::Result solved =
        relay::solve(problems::random_relay_monotone(n, seed, Bounds::Mixed).problem, relay::Lemke{});
    EXPECT_TRUE(solved.ok()) << seed << ": " << solved.message();
    const relay::Problem infeasible = problems::random_relay_infeasible(n, seed).problem;
    const relay::Result proved = relay::solve(infeasible, relay::Lemke{});
    EXPECT_EQ(proved.status, Status::Infeasible) << seed << ": " << proved.message();
    EXPECT_TRUE(relay::proves_infeasible(infeasible, proved.proof));
  }
}

TEST(RelayLemke, LinearProgramWithEqualities) {
  // min c·x over x >= 0, sum x = 1: the free multiplier has a zero diagonal block. x = e_k at the least c.
  const Index n = 6;
  relay::Problem problem{Eigen::MatrixXd::Zero(n + 1, n + 1), Eigen::VectorXd(n + 1), Eigen::VectorXd::Zero(n + 1),
                         Eigen::VectorXd::Constant(n + 1, infinite)};
  problem.M.col(n).head(n).setConstant(-1.0);
  problem.M.row(n).head(n).setConstant(1.0);
  problem.q << 3, 1, 4, 0.5, 5, 9, -1;
  problem.lower[n] = -infinite;
  const relay::Result result = relay::solve(problem, relay::Lemke{});
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_NEAR(result.z[3], 1.0, 1e-9);  // residual 1e-10 of scale 9
  EXPECT_NEAR(result.z[n], 0.5, 1e-9);
}

TEST(RelayLemke, TwelveDecades) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const problems::Relay relay = problems::rescaled(problems::random_relay_p(8, seed, Bounds::Mixed), seed, 12.0);
    for (const std::string_view name : {"automatic", "lemke", "active set", "semismooth newton"}) {
      const relay::Result result = relay::find(name).solver.solve(relay.problem);
      EXPECT_TRUE(result.ok()) << seed << ", " << name << ": " << result.message();
    }
  }
}

TEST(RelayLemke, PivotLimitAndRefactoring) {
  const problems::Relay relay = problems::random_relay_any(20, 4, Bounds::Finite);
  relay::Lemke options;
  options.max_pivots = 2;
  EXPECT_EQ(relay::solve(relay.problem, options).status, Status::IterationLimit);
  options.max_pivots = 0;
  const relay::Result plain = relay::solve(relay.problem, options);
  options.refactor_every = 1;
  const relay::Result fresh = relay::solve(relay.problem, options);
  ASSERT_TRUE(plain.ok() && fresh.ok());
  EXPECT_EQ(plain.iterations, fresh.iterations);  // the same path
  EXPECT_LE((plain.z - fresh.z).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(RelayActiveSet, StartsFromTheAnswer) {
  const problems::Relay relay = problems::random_relay_p(12, 9, Bounds::Mixed);
  relay::ActiveSet options;
  options.start = relay.z;
  const relay::Result result = relay::solve(relay.problem, options);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE(result.iterations, 2);
  options.start = Eigen::VectorXd::Zero(3);
  EXPECT_THROW(static_cast<void>(relay::solve(relay.problem, options)), InvalidArgument);
}

TEST(RelayActiveSet, EndsWhereItCycles) {
  // Outside the P-matrices: of these some cycle, none may be called solved or run to the limit.
  int stalled = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const relay::Result result =
        relay::solve(problems::random_relay_any(10, seed, Bounds::Finite).problem, relay::ActiveSet{});
    EXPECT_NE(result.status, Status::IterationLimit);
    stalled += result.status == Status::Stalled ? 1 : 0;
  }
  EXPECT_GT(stalled, 0);
}

TEST(RelaySemismoothNewton, BothReformulations) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const problems::Relay relay = problems::random_relay_p(1 + Index(seed % 15), seed, Bounds::Mixed, 0.3);
    for (const auto reformulation :
         {relay::SemismoothNewton::Reformulation::FischerBurmeister, relay::SemismoothNewton::Reformulation::Minimum}) {
      relay::SemismoothNewton options;
      options.reformulation = reformulation;
      for (const Index memory : {1, 5}) {
        options.memory = memory;
        const relay::Result result = relay::solve(relay.problem, options);
        EXPECT_TRUE(result.ok()) << seed << ": " << result.message();
      }
    }
  }
  relay::SemismoothNewton one;
  one.max_steps = 1;
  EXPECT_EQ(relay::solve(problems::random_relay_any(15, 2, Bounds::Finite).problem, one).status,
            Status::IterationLimit);
}

TEST(RelayGaussSeidel, RefusesWhatItCannotSweep) {
  const relay::Problem negative{Eigen::MatrixXd{{-1}}, vector({1}), vector({-1}), vector({1})};
  EXPECT_EQ(relay::solve(negative, relay::GaussSeidel{}).status, Status::NumericalFailure);
  const relay::Problem singular{Eigen::MatrixXd{{0, 1}, {1, 1}}, vector({1, 1}), vector({-infinite, 0}),
                                vector({infinite, 1})};
  EXPECT_EQ(relay::solve(singular, relay::GaussSeidel{}).status, Status::NumericalFailure);
  relay::GaussSeidel options;
  options.max_sweeps = 1;
  EXPECT_EQ(relay::solve(problems::random_relay_spd(20, 1, Bounds::Finite).problem, options).status,
            Status::IterationLimit);
  options.max_sweeps = 1000;
  options.relaxation = 1.3;
  EXPECT_TRUE(relay::solve(problems::random_relay_spd(20, 1, Bounds::Mixed).problem, options).ok());
}

TEST(RelayEnumeration, FindsEverySolution) {
  // w = -z on [-1, 1]: z = -1 has w = 1 >= 0, z = 0 has w = 0, z = 1 has w = -1 <= 0.
  const relay::Problem line{Eigen::MatrixXd{{-1}}, vector({0}), vector({-1}), vector({1})};
  const std::vector<relay::Result> three = relay::all_solutions(line);
  ASSERT_EQ(three.size(), 3U);
  EXPECT_EQ(three[0].z[0], -1.0);
  EXPECT_EQ(three[1].z[0], 0.0);
  EXPECT_EQ(three[2].z[0], 1.0);
  const relay::Problem two{-Eigen::MatrixXd::Identity(2, 2), vector({0, 0}), vector({-1, -1}), vector({1, 1})};
  EXPECT_EQ(relay::all_solutions(two).size(), 9U);
  relay::Enumeration options;
  options.max_bases = 8;
  try {
    static_cast<void>(relay::solve(two, options));
    ADD_FAILURE() << "nine combinations were tried";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.found(), "more than 8 combinations of places");
    EXPECT_EQ(error.expected(), "at most 8 to enumerate");
  }
}

TEST(RelayEnumeration, TellsWhereItWasCutShort) {
  const relay::Problem two{-Eigen::MatrixXd::Identity(2, 2), vector({0, 0}), vector({-1, -1}), vector({1, 1})};
  bool complete = false;
  EXPECT_EQ(relay::all_solutions(two, {}, &complete).size(), 9U);
  EXPECT_TRUE(complete);
  relay::Enumeration options;
  options.max_combinations = 4;
  EXPECT_EQ(relay::all_solutions(two, options, &complete).size(), 4U);  // each combination solves
  EXPECT_FALSE(complete);
  options.max_combinations = 9;
  EXPECT_EQ(relay::all_solutions(two, options, &complete).size(), 9U);
  EXPECT_TRUE(complete);
  options.max_combinations = 0;
  options.time_limit = 1e-9;
  EXPECT_EQ(relay::all_solutions(two, options, &complete).size(), 1U);
  EXPECT_FALSE(complete);
}

TEST(RelayAutomatic, EnumeratesWithinItsWork) {
  // Pairs of rows as in FeasibleWithoutSolution next to many free ones: 2^12 combinations of 200 rows are too many.
  const auto pairs = [](Index constrained, Index free) {
    const Index n = constrained + free;
    relay::Problem problem{Eigen::MatrixXd::Identity(n, n), Eigen::VectorXd::Ones(n), Eigen::VectorXd::Zero(n),
                           Eigen::VectorXd::Constant(n, infinite)};
    problem.M.topLeftCorner(constrained, constrained).setZero();
    for (Index i = 0; i < constrained; i += 2) {
      problem.M(i, i + 1) = 1.0;
      problem.q[i] = -1.0;
    }
    problem.lower.tail(free).setConstant(-infinite);
    return problem;
  };
  const relay::Result few = relay::solve(pairs(6, 10));
  EXPECT_EQ(few.reason, "no combination solves it (enumerated)") << few.message();
  const relay::Result many = relay::solve(pairs(12, 188));
  EXPECT_FALSE(many.ok());
  EXPECT_NE(many.status, Status::Infeasible);
  EXPECT_NE(many.solver, "enumeration") << many.message();
}

TEST(RelayEnumeration, FeasibleWithoutSolution) {
  // w_1 = 1 > 0 forces z_1 = 0, then w_0 = z_1 - 1 = -1 < 0; yet z = (0, 1) has w >= 0.
  const relay::Problem problem{Eigen::MatrixXd{{0, 1}, {0, 0}}, vector({-1, 1}), vector({0, 0}),
                               vector({infinite, infinite})};
  const relay::Result result = relay::solve(problem, relay::Enumeration{});
  EXPECT_EQ(result.status, Status::Stalled) << result.message();
  EXPECT_EQ(relay::solve(problem).status, Status::Stalled);
}

TEST(RelayEnumeration, SingularCombinationsByALinearProgram) {
  // w_0 = z_0 + z_1 - 1 = w_1 on z_0 in [0, 0.3], z_1 in [0, inf): the least-norm point (1/2, 1/2) is out of bounds.
  const relay::Problem problem{Eigen::MatrixXd{{1, 1}, {1, 1}}, vector({-1, -1}), vector({0.1, 0.1}),
                               vector({0.3, infinite})};
  for (const relay::Result& result : relay::all_solutions(problem)) {
    EXPECT_NEAR(result.z.sum(), 1.0, 1e-10);
    EXPECT_LE(problems::independent_residual(problem, result.z), 2e-10);
  }
  EXPECT_TRUE(relay::solve(problem, relay::Enumeration{}).ok());
}

TEST(RelayOptions, RefuseTheirFieldsOneByOne) {
  const relay::Problem problem{Eigen::MatrixXd{{1}}, vector({1}), vector({-1}), vector({1})};
  const auto refused = [&](const auto& options, std::string_view argument) {
    try {
      static_cast<void>(relay::solve(problem, options));
      ADD_FAILURE() << "not refused: " << argument;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.argument(), argument);
    }
  };
  refused(relay::Lemke{.tolerance = 0}, "relay::Lemke::tolerance");
  refused(relay::Lemke{.max_pivots = -1}, "relay::Lemke::max_pivots");
  refused(relay::Lemke{.refactor_every = 0}, "relay::Lemke::refactor_every");
  refused(relay::Lemke{.time_limit = 0}, "relay::Lemke::time_limit");
  refused(relay::ActiveSet{.tolerance = -1}, "relay::ActiveSet::tolerance");
  refused(relay::ActiveSet{.max_steps = 0}, "relay::ActiveSet::max_steps");
  refused(relay::ActiveSet{.start = vector({infinite})}, "relay::ActiveSet::start");
  refused(relay::ActiveSet{.time_limit = -1}, "relay::ActiveSet::time_limit");
  refused(relay::SemismoothNewton{.tolerance = 0}, "relay::SemismoothNewton::tolerance");
  refused(relay::SemismoothNewton{.max_steps = 0}, "relay::SemismoothNewton::max_steps");
  refused(relay::SemismoothNewton{.decrease = 0.6}, "relay::SemismoothNewton::decrease");
  refused(relay::SemismoothNewton{.memory = 0}, "relay::SemismoothNewton::memory");
  refused(relay::SemismoothNewton{.time_limit = 0}, "relay::SemismoothNewton::time_limit");
  refused(relay::GaussSeidel{.tolerance = 0}, "relay::GaussSeidel::tolerance");
  refused(relay::GaussSeidel{.max_sweeps = 0}, "relay::GaussSeidel::max_sweeps");
  refused(relay::GaussSeidel{.relaxation = 2}, "relay::GaussSeidel::relaxation");
  refused(relay::GaussSeidel{.check_every = 0}, "relay::GaussSeidel::check_every");
  refused(relay::GaussSeidel{.time_limit = 0}, "relay::GaussSeidel::time_limit");
  refused(relay::Enumeration{.tolerance = 0}, "relay::Enumeration::tolerance");
  refused(relay::Enumeration{.max_bases = 0}, "relay::Enumeration::max_bases");
  refused(relay::Enumeration{.max_combinations = -1}, "relay::Enumeration::max_combinations");
  refused(relay::Enumeration{.time_limit = 0}, "relay::Enumeration::time_limit");
  refused(relay::Automatic{.tolerance = 0}, "relay::Automatic::tolerance");
  refused(relay::Automatic{.lemke_limit = -1}, "relay::Automatic::lemke_limit");
  refused(relay::Automatic{.max_iterations = -1}, "relay::Automatic::max_iterations");
  refused(relay::Automatic{.time_limit = 0}, "relay::Automatic::time_limit");
}

TEST(RelayAutomatic, TimeLimitKeepsTheBestIterate) {
  const problems::Relay relay = problems::random_relay_any(60, 2, Bounds::Finite);
  relay::Automatic options;
  options.time_limit = 1e-9;
  const relay::Result result = relay::solve(relay.problem, options);
  EXPECT_EQ(result.status, Status::TimeLimit) << result.message();
  EXPECT_EQ(result.z.size(), 60);
  EXPECT_TRUE(std::isfinite(result.certificate.residual));
}

}  // namespace
}  // namespace nonsmooth::relay_test
