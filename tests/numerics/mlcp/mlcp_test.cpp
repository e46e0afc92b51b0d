// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mlcp.hpp>
#include <nonsmooth/numerics/relay.hpp>

#include <problems/mlcp.hpp>
#include <problems/relay.hpp>

namespace nonsmooth::mlcp_test {
namespace {

using problems::infinite;

TEST(MlcpCertificate, AgreesWithIndependentArithmetic) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    problems::Mlcp mlcp = problems::random_mlcp(Index(seed % 5), 1 + Index(seed % 67), seed, false);
    if (seed % 3 == 0 && mlcp.problem.A.cols() > 0) mlcp = problems::with_dependent_rows(mlcp, 2, seed);
    if (seed % 2 == 0) {
      mlcp.problem.lower = Eigen::VectorXd::Constant(mlcp.problem.b.size(), -0.5);
      mlcp.problem.upper = Eigen::VectorXd::Constant(mlcp.problem.b.size(), 0.5);
    }
    std::mt19937_64 random(seed);
    const Eigen::VectorXd u = problems::normal_matrix(random, mlcp.problem.num_free(), 1);
    const Eigen::VectorXd v = problems::normal_matrix(random, mlcp.problem.num_constrained(), 1);
    Eigen::VectorXd w(v.size());
    const double expected = problems::independent_residual(mlcp.problem, u, v);
    // Sums of up to 72 terms of size 1 to 10 in double: 72 eps of the largest.
    EXPECT_NEAR(mlcp::certify(mlcp.problem, u, v, w).residual, expected, 1e-13 * std::max(1.0, expected));
  }
}

TEST(MlcpCertificate, CountsTheEqualityRowsFirst) {
  const problems::Mlcp one = problems::rectangular();
  Eigen::VectorXd w(1);
  EXPECT_EQ(mlcp::certify(one.problem, one.u, one.v, w).residual, 0.0);
  const Certificate second = mlcp::certify(one.problem, Eigen::VectorXd{{2}}, Eigen::VectorXd{{2}}, w);
  EXPECT_EQ(second.worst_row, 1);  // -2 - 2 + 1
  EXPECT_EQ(second.error, 3.0);
  const Certificate third = mlcp::certify(one.problem, Eigen::VectorXd{{-1}}, Eigen::VectorXd{{-1}}, w);
  EXPECT_EQ(w[0], -3.0);
  EXPECT_EQ(third.error, 3.0);
}

TEST(MlcpCertificate, AFloorThatGrowsWithTheIterateVouchesForNothing) {
  // 0 = u - v - 1, w = -u + v - 1/2 at u = v: errors of 1 and 1/2 however far away.
  const mlcp::Problem problem{Eigen::MatrixXd{{1}},  Eigen::MatrixXd{{1}},  Eigen::MatrixXd{{-1}},
                              Eigen::MatrixXd{{-1}}, Eigen::VectorXd{{-1}}, Eigen::VectorXd{{-0.5}}};
  const mlcp::Solver diverged("diverged", [](const mlcp::Problem&, const Limits&) {
    mlcp::Result result;
    result.u = Eigen::VectorXd{{1e26}};
    result.v = Eigen::VectorXd{{1e26}};
    result.status = Status::Solved;
    return result;
  });
  EXPECT_EQ(diverged.solve(problem).status, Status::Stalled);
  EXPECT_EQ(mlcp::solve(problem).status, Status::Infeasible);
}

TEST(MlcpProof, NearlySingularIsNotInfeasible) {
  // The matrix (4 -2; -2 1) + 2^-34 I is positive definite: one solution.
  const double small = 0x1p-34;
  const mlcp::Problem problem{Eigen::MatrixXd{{4 + small}}, Eigen::MatrixXd{{1 + small}}, Eigen::MatrixXd{{-2}},
                              Eigen::MatrixXd{{-2}},        Eigen::VectorXd{{-2}},        Eigen::VectorXd{{-1}}};
  EXPECT_FALSE(mlcp::proves_infeasible(problem, Eigen::VectorXd{{1, 2}}));
  for (const mlcp::Entry& entry : mlcp::registry()) {
    EXPECT_NE(entry.solver.solve(problem).status, Status::Infeasible) << entry.name;
  }
}

TEST(MlcpElimination, AnIllConditionedWholeIsNotSolvedByItsSchurProblem) {
  // A of condition about 1e9: u comes back from v with errors that the Schur problem does not see. What is called
  // solved must be so by independent arithmetic.
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    problems::Mlcp mlcp = problems::random_mlcp(6, 4, seed, false);
    mlcp.problem.A.row(5) = mlcp.problem.A.row(4) + 1e-8 * mlcp.problem.A.row(5);
    const mlcp::Result result = mlcp::solve(mlcp.problem, mlcp::Elimination{});
    if (!result.ok()) continue;
    ++solved;
    EXPECT_LE(problems::independent_residual(mlcp.problem, result.u, result.v), 2e-10);
  }
  EXPECT_GT(solved, 10);  // rows solved together mend most of them
}

TEST(MlcpAutomatic, RectangularWithOneSolution) {
  const problems::Mlcp one = problems::rectangular();
  for (const std::string_view name : {"automatic", "lemke", "active set", "enumeration", "semismooth newton"}) {
    const mlcp::Result result = mlcp::find(name).solver.solve(one.problem);
    ASSERT_TRUE(result.ok()) << name << ": " << result.message();
    EXPECT_NEAR(result.u[0], 0.5, 1e-9);
    EXPECT_NEAR(result.v[0], 0.5, 1e-9);
  }
}

TEST(MlcpAutomatic, TellsOfRedundantRows) {
  const problems::Mlcp mlcp = problems::with_dependent_rows(problems::random_mlcp(3, 4, 1, false), 2, 7);
  const mlcp::Result result = mlcp::solve(mlcp.problem);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_NE(result.reason.find("redundant"), std::string_view::npos);
  EXPECT_LE((result.u - mlcp.u).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_LE((result.v - mlcp.v).cwiseAbs().maxCoeff(), 1e-7);
}

TEST(MlcpAutomatic, FewerEquationsThanUnknowns) {
  // u_0 + u_1 = 1 + v, w = u_0 - 2 + v: nothing more determines u; every answer must hold all the same.
  mlcp::Problem problem{Eigen::MatrixXd{{1, 1}}, Eigen::MatrixXd{{1}},  Eigen::MatrixXd{{-1}},
                        Eigen::MatrixXd{{1, 0}}, Eigen::VectorXd{{-1}}, Eigen::VectorXd{{-2}}};
  const mlcp::Result result = mlcp::solve(problem);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE(problems::independent_residual(problem, result.u, result.v), 2e-10);
}

TEST(MlcpAutomatic, ContradictingRowsCarryTheirProof) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const problems::Mlcp mlcp = problems::with_dependent_rows(problems::random_mlcp(3, 4, seed, false), 2, seed, 0.5);
    const mlcp::Result result = mlcp::solve(mlcp.problem);
    ASSERT_EQ(result.status, Status::Infeasible) << result.message();
    ASSERT_EQ(result.proof.size(), 5 + 4);
    EXPECT_TRUE(mlcp::proves_infeasible(mlcp.problem, result.proof));
    // By hand: y A = 0 and y C = 0 on the equality rows alone, or with the signs of w; y·(a, b) < 0.
    EXPECT_LT(result.proof.head(5).dot(mlcp.problem.a) + result.proof.tail(4).dot(mlcp.problem.b), 0.0);
    EXPECT_LE((mlcp.problem.A.transpose() * result.proof.head(5) + mlcp.problem.D.transpose() * result.proof.tail(4))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-9);
  }
}

TEST(MlcpDiagnosis, CountsRanks) {
  const problems::Mlcp regular = problems::random_mlcp(4, 3, 1, true);
  const mlcp::Diagnosis fine = mlcp::diagnose(regular.problem);
  EXPECT_TRUE(fine.regular());
  EXPECT_EQ(fine.rank_equalities, 4);
  EXPECT_EQ(fine.rank_free, 4);
  EXPECT_TRUE(fine.redundant.empty());
  EXPECT_EQ(fine.undetermined.cols(), 0);

  const mlcp::Diagnosis rows = mlcp::diagnose(problems::with_dependent_rows(regular, 2, 3).problem);
  EXPECT_EQ(rows.rank_equalities, 4);
  EXPECT_EQ(rows.redundant.size(), 2U);
  EXPECT_FALSE(rows.contradicts());
  EXPECT_NE(rows.message().find("2 redundant"), std::string::npos) << rows.message();

  const problems::Mlcp against = problems::with_dependent_rows(regular, 1, 3, 2.0);
  const mlcp::Diagnosis wrong = mlcp::diagnose(against.problem);
  ASSERT_TRUE(wrong.contradicts());
  EXPECT_TRUE(mlcp::proves_infeasible(against.problem, wrong.proof));

  const problems::Mlcp more = problems::with_dependent_columns(regular, 2, 3);
  const mlcp::Diagnosis columns = mlcp::diagnose(more.problem);
  ASSERT_EQ(columns.undetermined.cols(), 2);
  // Unit vectors that change no row: up to some ten eps of entries near 5.
  EXPECT_LE((more.problem.A * columns.undetermined).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LE((more.problem.D * columns.undetermined).cwiseAbs().maxCoeff(), 1e-12);

  EXPECT_FALSE(mlcp::diagnose(problems::diode_bridge(1.0, 10.0).problem).regular());
  EXPECT_THROW(static_cast<void>(mlcp::diagnose(regular.problem, 0.0)), InvalidArgument);
}

TEST(MlcpElimination, RefinesAndProves) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const problems::Mlcp mlcp = problems::random_mlcp(15, 4, seed, false, 0.25);
    const mlcp::Result result = mlcp::solve(mlcp.problem, mlcp::Elimination{});
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_LE((result.u - mlcp.u).cwiseAbs().maxCoeff(), 1e-7);
  }
  // u = v + 1, w = -u < 0 for all v >= 0.
  const mlcp::Problem infeasible{Eigen::MatrixXd{{1}},  Eigen::MatrixXd{{0}},  Eigen::MatrixXd{{-1}},
                                 Eigen::MatrixXd{{-1}}, Eigen::VectorXd{{-1}}, Eigen::VectorXd{{0}}};
  const mlcp::Result result = mlcp::solve(infeasible, mlcp::Elimination{});
  ASSERT_EQ(result.status, Status::Infeasible) << result.message();
  EXPECT_TRUE(mlcp::proves_infeasible(infeasible, result.proof));
  const mlcp::Result singular = mlcp::solve(problems::diode_bridge(1.0, 1.0).problem, mlcp::Elimination{});
  EXPECT_EQ(singular.status, Status::NumericalFailure);
}

TEST(MlcpEnumeration, EverySolution) {
  // w = -v + 1 with u = v: v = 0 (w = 1) and v = 1 (w = 0).
  const mlcp::Problem problem{Eigen::MatrixXd{{1}}, Eigen::MatrixXd{{-1}}, Eigen::MatrixXd{{-1}},
                              Eigen::MatrixXd{{0}}, Eigen::VectorXd{{0}},  Eigen::VectorXd{{1}}};
  const std::vector<mlcp::Result> two = mlcp::all_solutions(problem);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].v[0] + two[1].v[0], 1.0);
  EXPECT_EQ(two[0].u[0], two[0].v[0]);
  bool complete = true;
  mlcp::Enumeration options;
  options.max_combinations = 1;
  EXPECT_EQ(mlcp::all_solutions(problem, options, &complete).size(), 1U);
  EXPECT_FALSE(complete);
  options.max_bases = 1;
  EXPECT_THROW(static_cast<void>(mlcp::solve(problem, options)), InvalidArgument);
}

TEST(MlcpReformulations, TheSameSolution) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    problems::Mlcp mlcp = problems::random_mlcp(1 + Index(seed % 4), 1 + Index(seed % 6), seed, false);
    const mlcp::Result direct = mlcp::solve(mlcp.problem);
    ASSERT_TRUE(direct.ok());
    const auto same = [&](const Eigen::VectorXd& u, const Eigen::VectorXd& v) {
      EXPECT_LE((u - mlcp.u).cwiseAbs().maxCoeff(), 1e-7) << seed;  // condition below 50, residuals 1e-10, scale 20
      EXPECT_LE((v - mlcp.v).cwiseAbs().maxCoeff(), 1e-7) << seed;
    };
    same(direct.u, direct.v);
    for (const auto& form : {mlcp::as_relay(mlcp.problem), mlcp::as_relay_by_elimination(mlcp.problem)}) {
      const relay::Result x = relay::solve(form.problem);
      ASSERT_TRUE(x.ok());
      same(form.recover_u(x.z), form.recover_v(x.z));
    }
    for (const auto& form : {mlcp::as_lcp_by_elimination(mlcp.problem), mlcp::as_lcp_by_splitting(mlcp.problem)}) {
      // The LCP solved as a relay problem: two reformulations in a row.
      const relay::Result x = relay::solve(relay::from_lcp(form.problem));
      ASSERT_TRUE(x.ok()) << x.message();
      same(form.recover_u(x.z), form.recover_v(x.z));
    }
    const problems::Relay relay = problems::random_relay_p(8, seed, problems::Bounds::Mixed);
    const mlcp::FromRelay blocks = mlcp::from_relay(relay.problem);
    const mlcp::Result result = mlcp::solve(blocks.problem);
    ASSERT_TRUE(result.ok());
    EXPECT_LE((blocks.recover(result.u, result.v) - relay.z).cwiseAbs().maxCoeff(), 1e-7);
  }
  const problems::Lcp lcp = problems::interior();
  EXPECT_LE((mlcp::solve(mlcp::from_lcp(lcp.problem)).v - lcp.z).cwiseAbs().maxCoeff(), 6e-10);
  EXPECT_THROW(static_cast<void>(mlcp::as_lcp_by_elimination(problems::rectangular().problem)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(mlcp::as_lcp_by_elimination(problems::diode_bridge(1, 1).problem)), InvalidArgument);
}

TEST(MlcpLimits, IterationsAndTime) {
  const problems::Mlcp bridge = problems::diode_bridge(1.0, 10.0);
  mlcp::Lemke lemke;
  lemke.max_pivots = 1;
  EXPECT_EQ(mlcp::solve(bridge.problem, lemke).status, Status::IterationLimit);
  mlcp::SemismoothNewton newton;
  newton.time_limit = 1e-9;
  EXPECT_EQ(mlcp::solve(bridge.problem, newton).status, Status::TimeLimit);
  mlcp::ActiveSet start;
  start.start_u = Eigen::VectorXd::Zero(2);
  EXPECT_THROW(static_cast<void>(mlcp::solve(bridge.problem, start)), InvalidArgument);
  start.start_u = bridge.u;
  start.start_v = bridge.v;
  const mlcp::Result warm = mlcp::solve(bridge.problem, start);
  ASSERT_TRUE(warm.ok()) << warm.message();
  EXPECT_LE(warm.iterations, 1);
}

TEST(MlcpOptions, RefuseTheirFieldsOneByOne) {
  const mlcp::Problem problem = problems::random_mlcp(1, 1, 1, true).problem;
  const auto refused = [&](const auto& options, std::string_view argument) {
    try {
      static_cast<void>(mlcp::solve(problem, options));
      ADD_FAILURE() << "not refused: " << argument;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.argument(), argument);
    }
  };
  refused(mlcp::Lemke{.tolerance = 0}, "relay::Lemke::tolerance");
  refused(mlcp::Lemke{.max_pivots = -1}, "relay::Lemke::max_pivots");
  refused(mlcp::Lemke{.refactor_every = 0}, "relay::Lemke::refactor_every");
  refused(mlcp::Lemke{.time_limit = 0}, "relay::Lemke::time_limit");
  refused(mlcp::ActiveSet{.tolerance = 0}, "mlcp::ActiveSet::tolerance");
  refused(mlcp::ActiveSet{.max_steps = 0}, "mlcp::ActiveSet::max_steps");
  refused(mlcp::ActiveSet{.time_limit = 0}, "mlcp::ActiveSet::time_limit");
  refused(mlcp::SemismoothNewton{.tolerance = 0}, "relay::SemismoothNewton::tolerance");
  refused(mlcp::SemismoothNewton{.max_steps = 0}, "relay::SemismoothNewton::max_steps");
  refused(mlcp::SemismoothNewton{.decrease = 1}, "relay::SemismoothNewton::decrease");
  refused(mlcp::SemismoothNewton{.memory = 0}, "relay::SemismoothNewton::memory");
  refused(mlcp::GaussSeidel{.tolerance = 0}, "relay::GaussSeidel::tolerance");
  refused(mlcp::GaussSeidel{.max_sweeps = 0}, "relay::GaussSeidel::max_sweeps");
  refused(mlcp::GaussSeidel{.relaxation = 0}, "relay::GaussSeidel::relaxation");
  refused(mlcp::GaussSeidel{.check_every = 0}, "relay::GaussSeidel::check_every");
  refused(mlcp::Elimination{.tolerance = 0}, "mlcp::Elimination::tolerance");
  refused(mlcp::Elimination{.condition_limit = 1}, "mlcp::Elimination::condition_limit");
  refused(mlcp::Elimination{.max_iterations = -1}, "mlcp::Elimination::max_iterations");
  refused(mlcp::Enumeration{.tolerance = 0}, "relay::Enumeration::tolerance");
  refused(mlcp::Enumeration{.max_combinations = -1}, "relay::Enumeration::max_combinations");
  refused(mlcp::Enumeration{.max_bases = 0}, "relay::Enumeration::max_bases");
  refused(mlcp::Automatic{.tolerance = 0}, "mlcp::Automatic::tolerance");
  refused(mlcp::Automatic{.max_iterations = -1}, "mlcp::Automatic::max_iterations");
  refused(mlcp::Automatic{.time_limit = 0}, "mlcp::Automatic::time_limit");
}

}  // namespace
}  // namespace nonsmooth::mlcp_test
