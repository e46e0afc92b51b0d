// SPDX-License-Identifier: Apache-2.0
// What every registered solver of every family owes a caller who asks for 1e-12 of a well-conditioned problem: the
// answer, by its own iterations or by the refinement at its door. Residuals are judged in quadruple precision.
#include <gtest/gtest.h>

#include <random>
#include <string_view>

#include <nonsmooth/numerics/friction.hpp>
#include <nonsmooth/numerics/lcp.hpp>
#include <nonsmooth/numerics/mixed.hpp>
#include <nonsmooth/numerics/mlcp.hpp>
#include <nonsmooth/numerics/relay.hpp>

#include <problems/complementarity.hpp>
#include <problems/cones.hpp>
#include <problems/games.hpp>
#include <problems/lcp.hpp>

#include "registry_contract.hpp"

namespace nonsmooth::round_off_contract_test {
namespace {

using contracts::every;
using contracts::test_name;
using problems::MatrixClass;
using testing::ValuesIn;

constexpr double tight = 1e-12;
/// The judge's r is the same, its sums are exact: it may find what doubles hide, 64 eps of terms that here are at most
/// thirty times |q| (cones of thirty rows with W below 10, |r| below 3, |q| above 1).
constexpr double judged = tight + 30.0 * 64.0 * 2.3e-16;

const std::vector<SetKind> all_kinds = {SetKind::Free,      SetKind::Orthant,      SetKind::Box,
                                        SetKind::Coulomb2D, SetKind::Coulomb3D,    SetKind::SecondOrderCone,
                                        SetKind::VonMises,  SetKind::DruckerPrager};

/// Those that the entry solves; sets that are never refused are not asked for.
template <class Entry>
std::vector<SetKind> kinds_of(const Entry& entry, const std::vector<SetKind>& kinds) {
  std::vector<SetKind> taken;
  for (const SetKind kind : kinds) {
    ProductSet K;
    K.push_back({.kind = kind, .mu = 0.5}, kind == SetKind::Coulomb2D ? 2 : 3);
    if (entry.supports(K)) taken.push_back(kind);
  }
  return taken;
}

/// W = H H^T + 1/2 of 2 to 16 blocks, r and u planted; a third of the blocks between two modes of their law.
template <class Entry>
void expect_tight_on_cones(const Entry& entry, const std::vector<SetKind>& kinds) {
  if (kinds.empty()) return;
  std::mt19937_64 random(16);
  for (Index k = 0; k < 20; ++k) {
    const problems::Cones cones = problems::random_cones(2 + k % 15, kinds, false, k % 3 == 0, 0.0, random);
    const auto result = entry.solver.solve(cones.problem, {.tolerance = tight});
    EXPECT_TRUE(result.ok()) << "instance " << k << ": " << result.message();
    EXPECT_LE(problems::independent_residual(cones, result.r), judged) << "instance " << k;
  }
}

class MixedRoundOff : public testing::TestWithParam<std::string> {};
class FrictionRoundOff : public testing::TestWithParam<std::string> {};
class LcpRoundOff : public testing::TestWithParam<std::string> {};
class RelayRoundOff : public testing::TestWithParam<std::string> {};
class MlcpRoundOff : public testing::TestWithParam<std::string> {};

TEST_P(MixedRoundOff, IsReached) {
  const mixed::Entry& entry = mixed::find(GetParam());
  expect_tight_on_cones(entry, kinds_of(entry, all_kinds));
}

TEST_P(FrictionRoundOff, IsReached) {
  const friction::Entry& entry = friction::find(GetParam());
  expect_tight_on_cones(entry, kinds_of(entry, {SetKind::Coulomb2D}));
  if (GetParam() != "faceted" && GetParam() != "outer facets")  // whose error is that of their facets
    expect_tight_on_cones(entry, kinds_of(entry, {SetKind::Free, SetKind::Orthant, SetKind::Coulomb3D}));
}

/// Positive definite M, symmetric, of 1 to 30 rows (few for enumeration).
problems::Boxed definite_boxed(Index k, bool lcp, bool few, std::mt19937_64& random) {
  return problems::random_boxed(MatrixClass::PositiveDefinite, {.n = 1 + (few ? k % 7 : 3 * k % 30)}, lcp, random);
}

TEST_P(LcpRoundOff, IsReached) {
  const lcp::Entry& entry = lcp::find(GetParam());
  std::mt19937_64 random(17);
  for (Index k = 0; k < 20; ++k) {
    const problems::Boxed b = definite_boxed(k, true, entry.max_rows > 0, random);
    const auto result = entry.solver.solve(lcp::Problem{b.problem.M, b.problem.q}, {.tolerance = tight});
    EXPECT_TRUE(result.ok()) << "instance " << k << ": " << result.message();
    EXPECT_LE(problems::independent_residual(b, result.z), judged) << "instance " << k;
  }
}

TEST_P(RelayRoundOff, IsReached) {
  const relay::Entry& entry = relay::find(GetParam());
  std::mt19937_64 random(18);
  for (Index k = 0; k < 20; ++k) {
    const problems::Boxed b = definite_boxed(k, false, entry.max_rows > 0, random);
    const auto result = entry.solver.solve(b.problem, {.tolerance = tight});
    EXPECT_TRUE(result.ok()) << "instance " << k << ": " << result.message();
    EXPECT_LE(problems::independent_residual(b, result.z), judged) << "instance " << k;
  }
}

TEST_P(MlcpRoundOff, IsReached) {
  const mlcp::Entry& entry = mlcp::find(GetParam());
  std::mt19937_64 random(19);
  for (Index k = 0; k < 20; ++k) {
    const problems::Boxed b = definite_boxed(k, false, entry.max_rows > 0, random);
    std::vector<Index> rows;
    const mlcp::Problem problem = problems::to_mlcp(b.problem, rows);
    const auto result = entry.solver.solve(problem, {.tolerance = tight});
    EXPECT_TRUE(result.ok()) << "instance " << k << ": " << result.message();
    Eigen::VectorXd uv(b.problem.q.size()), z(uv.size());
    uv << result.u, result.v;
    for (std::size_t i = 0; i < rows.size(); ++i) z[rows[i]] = uv[static_cast<Index>(i)];
    EXPECT_LE(problems::independent_residual(b, z), judged) << "instance " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, MixedRoundOff, ValuesIn(every(mixed::registry())), test_name);
INSTANTIATE_TEST_SUITE_P(Registry, FrictionRoundOff, ValuesIn(every(friction::registry())), test_name);
// Games alone; multigrid is for sparse M-matrices.
INSTANTIATE_TEST_SUITE_P(Registry, LcpRoundOff, ValuesIn(every(lcp::registry(), {"lemke-howson", "multigrid"})),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Registry, RelayRoundOff, ValuesIn(every(relay::registry())), test_name);
INSTANTIATE_TEST_SUITE_P(Registry, MlcpRoundOff, ValuesIn(every(mlcp::registry())), test_name);

/// Result::reason of a refined answer.
constexpr std::string_view refined = "refined by Newton steps on the modes that the solver found";

// Those of narrower classes.
TEST(LinearRoundOff, IsReachedOnGamesAndOnGrids) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const lcp::Problem game = problems::lemke_howson_form(problems::random_game(6, 5, seed));
    const auto result = lcp::find("lemke-howson").solver.solve(game, {.tolerance = tight});
    EXPECT_TRUE(result.ok()) << result.message();
    EXPECT_LE(result.certificate.residual, tight);
  }
  for (const Index m : {10, 20, 40}) {
    const auto result = lcp::find("multigrid").solver.solve(problems::obstacle_2d(m), {.tolerance = tight});
    EXPECT_TRUE(result.ok()) << result.message();
    EXPECT_LE(result.certificate.residual, tight);
  }
}

// A membrane of 120 points, whose M has a condition of some 6,000: Gauss-Seidel creeps, and leaves the contact set
// right and the last digits wrong.
TEST(LinearRefinement, EndsWhatSweepsOnAMembraneLeave) {
  const lcp::SparseProblem sparse = problems::obstacle_1d(120);
  const lcp::Problem dense{Eigen::MatrixXd(sparse.M), sparse.q};
  const lcp::Splitting plain{.kind = lcp::Splitting::Kind::GaussSeidel, .tolerance = 1e-13};
  const auto left = lcp::solve(dense, plain);
  ASSERT_FALSE(left.ok()) << left.message();
  for (const bool full : {true, false}) {
    const lcp::Solver& solver = lcp::find("projected gauss-seidel").solver;
    const Limits limits{.tolerance = 1e-13};
    const auto result = full ? solver.solve(dense, limits) : solver.solve(sparse, limits);
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_EQ(result.reason, refined);
    EXPECT_LE(result.certificate.residual, 1e-13);
    EXPECT_GT(result.iterations, left.iterations);
  }
  // The same rows as those of the relay family, which has an upper bound too, and of the mixed linear one.
  const Eigen::Index n = dense.q.size();
  const relay::Problem bounded{dense.M, dense.q, Eigen::VectorXd::Zero(n), Eigen::VectorXd::Constant(n, 1e3)};
  const auto relay = relay::find("gauss-seidel").solver.solve(bounded, {.tolerance = 1e-13});
  EXPECT_TRUE(relay.ok()) << relay.message();
  EXPECT_EQ(relay.reason, refined);
  const mlcp::Problem constrained{.A = Eigen::MatrixXd(0, 0),
                                  .B = dense.M,
                                  .C = Eigen::MatrixXd(0, n),
                                  .D = Eigen::MatrixXd(n, 0),
                                  .a = Eigen::VectorXd(0),
                                  .b = dense.q};
  const auto mixed = mlcp::find("gauss-seidel").solver.solve(constrained, {.tolerance = 1e-13});
  EXPECT_TRUE(mixed.ok()) << mixed.message();
  EXPECT_EQ(mixed.reason, refined);
}

}  // namespace
}  // namespace nonsmooth::round_off_contract_test
