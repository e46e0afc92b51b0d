// SPDX-License-Identifier: Apache-2.0
// What the Newton methods and the splitting owe their callers on every set of the family.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mixed/admm.hpp>
#include <nonsmooth/numerics/mixed/fischer_burmeister.hpp>
#include <nonsmooth/numerics/mixed/natural_newton.hpp>
#include <nonsmooth/numerics/mixed/proximal_newton.hpp>

#include "conic_problems.hpp"

namespace nonsmooth::conic_solvers_test {
namespace {

using problems::Matrix;

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Options>
struct Traits {
  static const std::vector<SetKind>& kinds() { return problems::all_kinds; }
  static const std::vector<SetKind>& monotone() { return problems::monotone_kinds; }
  static constexpr bool every_set = true;
  static Index& limit(Options& options) { return options.max_steps; }
};
template <>
Index& Traits<mixed::Admm>::limit(mixed::Admm& options) {
  return options.max_iterations;
}
template <>
struct Traits<mixed::FischerBurmeister> {
  inline static const std::vector<SetKind> own = {SetKind::Free, SetKind::Orthant, SetKind::SecondOrderCone};
  static const std::vector<SetKind>& kinds() { return own; }
  static const std::vector<SetKind>& monotone() { return own; }
  static constexpr bool every_set = false;
  static Index& limit(mixed::FischerBurmeister& options) { return options.max_steps; }
};

template <class Options>
class ConicSolver : public testing::Test {};
using Solvers = testing::Types<mixed::ProximalNewton, mixed::NaturalNewton, mixed::FischerBurmeister, mixed::Admm>;
TYPED_TEST_SUITE(ConicSolver, Solvers);

void expect_certified(const mixed::Problem& problem, const mixed::Result& result, double tolerance = 1e-10) {
  ASSERT_EQ(result.status, Status::Solved) << result.message();
  Eigen::VectorXd u(problem.q.size());
  const Certificate certificate = mixed::certify(problem, result.r, u);
  EXPECT_LE(certificate.residual, tolerance);
  EXPECT_EQ(certificate.residual, result.certificate.residual);
  EXPECT_EQ((u - result.u).cwiseAbs().maxCoeff(), 0.0);
}

TYPED_TEST(ConicSolver, FindsTheOnlySolutionOfMonotoneProblems) {
  for (const Matrix matrix : {Matrix::Symmetric, Matrix::Unsymmetric})
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const auto planted =
          problems::planted_conic(1 + static_cast<Index>(seed % 12), Traits<TypeParam>::monotone(), matrix, seed);
      const auto result = solve(planted.problem, TypeParam{});
      expect_certified(planted.problem, result);
      // Sym(W) >= I, so |r - r*| <= (1 + |W| max rho) |e| / 1 with |e| <= sqrt(60) 1e-10 |q|, |W| <= 8, rho <= 1,
      // |q| <= 20: below 2e-7.
      EXPECT_LE((result.r - planted.r).cwiseAbs().maxCoeff(), 2e-7) << "seed " << seed;
    }
}

TYPED_TEST(ConicSolver, SolvesEverySet) {
  for (const SetKind kind : Traits<TypeParam>::kinds())
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const auto planted = problems::planted_conic(5, {kind}, Matrix::Symmetric, seed);
      SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + ", seed " + std::to_string(seed));
      expect_certified(planted.problem, solve(planted.problem, TypeParam{}));
    }
}

TYPED_TEST(ConicSolver, SolvesEveryMixture) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto planted =
        problems::planted_conic(1 + static_cast<Index>(seed % 12), Traits<TypeParam>::kinds(), Matrix::Symmetric, seed);
    Eigen::VectorXd u(planted.r.size());
    EXPECT_LE(mixed::certify(planted.problem, planted.r, u).error,
              mixed::certify(planted.problem, planted.r, u).round_off);
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_certified(planted.problem, solve(planted.problem, TypeParam{}));
  }
}

TYPED_TEST(ConicSolver, TakesTheSparsePath) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto planted = problems::planted_chain(80, Traits<TypeParam>::monotone(), seed);
    ASSERT_GT(planted.r.size(), 64);
    expect_certified(planted.problem, solve(planted.problem, TypeParam{}));
  }
}

TYPED_TEST(ConicSolver, NeverClaimsToSolveWhatHasNoSolution) {
  for (const auto& [why, problem] : problems::unsolvable_problems(!Traits<TypeParam>::every_set)) {
    const auto result = solve(problem, TypeParam{});
    EXPECT_NE(result.status, Status::Solved) << why;
    EXPECT_NE(result.status, Status::NotRun) << why;
    EXPECT_GT(result.certificate.residual, 1e-3) << why;
    EXPECT_TRUE(result.r.allFinite()) << why;
  }
}

TYPED_TEST(ConicSolver, StopsAtItsLimits) {
  const auto planted = problems::planted_conic(12, Traits<TypeParam>::kinds(), Matrix::Symmetric, 5);
  TypeParam options{};
  Traits<TypeParam>::limit(options) = 1;
  auto result = solve(planted.problem, options);
  EXPECT_EQ(result.status, Status::IterationLimit) << result.message();
  EXPECT_EQ(result.iterations, 1);
  EXPECT_TRUE(std::isfinite(result.certificate.residual));
  options = {};
  options.time_limit = 1e-9;
  result = solve(planted.problem, options);
  EXPECT_EQ(result.status, Status::TimeLimit) << result.message();
}

TYPED_TEST(ConicSolver, StartsWhereItIsTold) {
  const auto planted = problems::planted_conic(8, Traits<TypeParam>::kinds(), Matrix::Symmetric, 4);
  TypeParam options{};
  options.start = planted.r;
  const auto result = solve(planted.problem, options);
  expect_certified(planted.problem, result);
  EXPECT_EQ(result.iterations, 0);
  options.start = Eigen::VectorXd::Zero(planted.r.size() + 1);
  EXPECT_THROW((void)solve(planted.problem, options), InvalidArgument);
  options.start = planted.r;
  options.start[0] = std::nan("");
  EXPECT_THROW((void)solve(planted.problem, options), InvalidArgument);
}

TYPED_TEST(ConicSolver, RefusesBadInput) {
  const auto good = problems::planted_conic(3, Traits<TypeParam>::kinds(), Matrix::Symmetric, 9).problem;
  for (const double bad : {0.0, -1.0, std::nan(""), infinity}) {
    TypeParam options{};
    options.tolerance = bad;
    EXPECT_THROW((void)solve(good, options), InvalidArgument);
  }
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    TypeParam options{};
    options.time_limit = bad;
    EXPECT_THROW((void)solve(good, options), InvalidArgument);
  }
  TypeParam options{};
  Traits<TypeParam>::limit(options) = 0;
  EXPECT_THROW((void)solve(good, options), InvalidArgument);
  EXPECT_THROW((void)solve(mixed::Problem{}, TypeParam{}), InvalidArgument);
  auto bad = good;
  bad.q[0] = infinity;
  EXPECT_THROW((void)solve(bad, TypeParam{}), InvalidArgument);
  bad = good;
  bad.W.values(0)[0] = std::nan("");
  EXPECT_THROW((void)solve(bad, TypeParam{}), InvalidArgument);
}

TYPED_TEST(ConicSolver, TellsRoundOffApart) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto planted = problems::planted_conic(8, Traits<TypeParam>::kinds(), Matrix::Symmetric, seed);
    TypeParam options{};
    options.tolerance = 1e-30;
    const auto result = solve(planted.problem, options);
    EXPECT_TRUE(result.ok() || result.status == Status::Stalled) << result.message();
    EXPECT_LE(result.certificate.error, result.certificate.round_off) << result.message();
  }
}

TYPED_TEST(ConicSolver, KeepsItsBitsAndTheUnits) {
  const auto planted = problems::planted_conic(8, Traits<TypeParam>::kinds(), Matrix::Symmetric, 7);
  const auto first = solve(planted.problem, TypeParam{}), second = solve(planted.problem, TypeParam{});
  EXPECT_TRUE((first.r.array() == second.r.array()).all());
  // r -> r / c with W -> c W, then q -> c q: powers of two change no bit (bounds and radii would carry the unit of r).
  const std::vector<SetKind> cones = {SetKind::Free, SetKind::Orthant, SetKind::SecondOrderCone};
  const auto conic = problems::planted_conic(8, cones, Matrix::Symmetric, 7).problem;
  const auto reference = solve(conic, TypeParam{});
  auto scaled = conic;
  for (Index b = 0; b < scaled.W.num_block_rows(); ++b)
    for (Index k = scaled.W.row_begin(b); k < scaled.W.row_begin(b + 1); ++k) scaled.W.block(b, k) *= 1024.0;
  const auto other = solve(scaled, TypeParam{});
  EXPECT_EQ(other.certificate.residual, reference.certificate.residual);
  EXPECT_EQ((1024.0 * other.r - reference.r).cwiseAbs().maxCoeff(), 0.0);
  scaled = conic;
  scaled.q *= 0.0625;
  EXPECT_EQ((16.0 * solve(scaled, TypeParam{}).r - reference.r).cwiseAbs().maxCoeff(), 0.0);
}

TYPED_TEST(ConicSolver, SolvesTheZeroProblem) {
  auto problem = problems::planted_conic(6, Traits<TypeParam>::monotone(), Matrix::Symmetric, 2).problem;
  problem.q.setZero();
  const auto result = solve(problem, TypeParam{});
  ASSERT_TRUE(result) << result.message();
  EXPECT_EQ(result.r.cwiseAbs().maxCoeff(), 0.0);
}

}  // namespace
}  // namespace nonsmooth::conic_solvers_test
