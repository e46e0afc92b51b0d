// SPDX-License-Identifier: Apache-2.0
// What every solver of the mixed family owes its callers; a solver joins by being in the registry.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mixed.hpp>

#include <problems/mixed.hpp>

#include "registry_contract.hpp"

namespace nonsmooth::mixed_contract_test {
namespace {

using problems::Block;

/// Gauss-Seidel with its default tolerance leaves residuals up to 1e-10 of max|q|. W = G G^T + I has |W^-1| <= 1 and
/// the natural map is strongly monotone with modulus >= 1 in these units, so |r - r*| <= n^(1/2) |W| 1e-10 |q| with
/// n <= 40, |W| <= 5, |q| <= 10: below 1e-7.
constexpr double r_tolerance = 1e-7;

const std::vector<SetKind> every_kind = {SetKind::Free,      SetKind::Orthant,      SetKind::Box,
                                         SetKind::Coulomb2D, SetKind::Coulomb3D,    SetKind::SecondOrderCone,
                                         SetKind::VonMises,  SetKind::DruckerPrager};

/// Those whose set is a cone: (r, u) scales with q.
const std::vector<SetKind> cone_kinds = {SetKind::Free,      SetKind::Orthant,         SetKind::Coulomb2D,
                                         SetKind::Coulomb3D, SetKind::SecondOrderCone, SetKind::DruckerPrager};

class MixedContract : public testing::TestWithParam<std::string> {
 protected:
  const mixed::Entry& entry() const { return mixed::find(GetParam()); }
  mixed::Result solve(const mixed::Problem& problem) const { return entry().solver.solve(problem); }

  /// Those of the kinds that the algorithm takes.
  std::vector<SetKind> supported(const std::vector<SetKind>& kinds) const {
    std::vector<SetKind> taken;
    for (const SetKind kind : kinds) {
      ProductSet K;
      K.push_back({.kind = kind}, kind == SetKind::Coulomb2D ? 2 : 3);
      if (entry().supports(K)) taken.push_back(kind);
    }
    return taken;
  }
};

void expect_certified(const mixed::Problem& problem, const mixed::Result& result, double tolerance = 1e-10) {
  ASSERT_EQ(result.status, Status::Solved) << result.message();
  Eigen::VectorXd u(problem.q.size());
  const Certificate certificate = mixed::certify(problem, result.r, u);
  EXPECT_LE(certificate.residual, tolerance);
  EXPECT_EQ(certificate.residual, result.certificate.residual);
  EXPECT_EQ((u - result.u).cwiseAbs().maxCoeff(), 0.0);
}

TEST_P(MixedContract, FindsPlantedSolutionsWithoutFriction) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto planted = problems::planted_mixed(1 + static_cast<Index>(seed % 12),
                                                 supported({SetKind::Free, SetKind::Orthant, SetKind::Box}), seed);
    const auto result = solve(planted.problem);
    expect_certified(planted.problem, result);
    EXPECT_LE((result.r - planted.r).cwiseAbs().maxCoeff(), r_tolerance) << "seed " << seed;
  }
}

TEST_P(MixedContract, CertifiesEveryMixtureOfSets) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto planted = problems::planted_mixed(1 + static_cast<Index>(seed % 12), supported(every_kind), seed);
    Eigen::VectorXd u(planted.r.size());
    // The planted pair itself: q = u - W r rounds each of n <= 36 sums, far below 64 eps of their terms.
    EXPECT_LE(mixed::certify(planted.problem, planted.r, u).error,
              mixed::certify(planted.problem, planted.r, u).round_off);
    expect_certified(planted.problem, solve(planted.problem));
  }
}

TEST_P(MixedContract, ScalesWithTheUnitOfImpulse) {
  // r -> r / c, W -> c W (c a power of two: exact): the same u, the same residual, bit for bit.
  const auto planted = problems::planted_mixed(6, supported(cone_kinds), 7);
  const auto result = solve(planted.problem);
  mixed::Problem scaled = planted.problem;
  const double c = 1024.0;
  for (Index b = 0; b < scaled.W.num_block_rows(); ++b)
    for (Index k = scaled.W.row_begin(b); k < scaled.W.row_begin(b + 1); ++k) scaled.W.block(b, k) *= c;
  const auto other = solve(scaled);
  ASSERT_TRUE(other) << other.message();
  EXPECT_EQ((c * other.r - result.r).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_EQ(other.certificate.residual, result.certificate.residual);
}

TEST_P(MixedContract, ScalesWithTheUnitOfVelocity) {
  const auto planted = problems::planted_mixed(6, supported(cone_kinds), 8);
  const auto result = solve(planted.problem);
  mixed::Problem scaled = planted.problem;
  scaled.q *= 0.0625;
  const auto other = solve(scaled);
  ASSERT_TRUE(other) << other.message();
  EXPECT_EQ((16.0 * other.r - result.r).cwiseAbs().maxCoeff(), 0.0);
}

TEST_P(MixedContract, DoesNotDependOnTheOrderOfBlocks) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    std::mt19937_64 random(seed);
    const std::vector<SetKind> kinds = supported({SetKind::Free, SetKind::Orthant, SetKind::Box});
    auto blocks = problems::random_blocks(6, kinds, random);
    std::vector<Index> offsets = {0};
    for (const Block& block : blocks) offsets.push_back(offsets.back() + block.size);
    const Index n = offsets.back();
    const Eigen::MatrixXd W = problems::random_spd(n, 1.0, random);
    Eigen::VectorXd r(n), u(n);
    for (std::size_t b = 0; b < blocks.size(); ++b)
      problems::plant(blocks[b], random, r.segment(offsets[b], blocks[b].size), u.segment(offsets[b], blocks[b].size));
    const Eigen::VectorXd q = u - W * r;
    std::vector<std::size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    std::vector<Index> rows;
    std::vector<Block> permuted_blocks;
    for (const std::size_t b : order) {
      permuted_blocks.push_back(blocks[b]);
      for (Index i = offsets[b]; i < offsets[b + 1]; ++i) rows.push_back(i);
    }
    const auto first = solve(problems::mixed_from_dense(W, q, blocks));
    const auto second = solve(problems::mixed_from_dense(W(rows, rows), q(rows), permuted_blocks));
    ASSERT_TRUE(first && second);
    EXPECT_LE((first.r(rows) - second.r).cwiseAbs().maxCoeff(), 2.0 * r_tolerance);
  }
}

TEST_P(MixedContract, GivesTheSameBitsTwice) {
  const auto planted = problems::planted_mixed(10, supported(every_kind), 11);
  const auto first = solve(planted.problem), second = solve(planted.problem);
  EXPECT_TRUE((first.r.array() == second.r.array()).all());
}

TEST_P(MixedContract, SolvesTheZeroProblem) {
  auto problem =
      problems::planted_mixed(5, supported({SetKind::Orthant, SetKind::Coulomb2D, SetKind::SecondOrderCone}), 3)
          .problem;
  problem.q.setZero();
  const auto result = solve(problem);
  ASSERT_TRUE(result) << result.message();
  EXPECT_EQ(result.r.cwiseAbs().maxCoeff(), 0.0);
}

TEST_P(MixedContract, RefusesMalformedProblems) {
  const auto good = problems::planted_mixed(4, supported(every_kind), 5).problem;
  const auto refused = [&](const mixed::Problem& problem, const std::string& argument) {
    try {
      (void)solve(problem);
      ADD_FAILURE() << "not refused: " << argument;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.argument(), argument) << error.what();
    }
  };
  refused({}, "mixed::Problem::W");
  auto bad = good;
  bad.K.clear();
  refused(bad, "mixed::Problem::K");
  bad = problems::mixed_from_dense(Eigen::Matrix2d::Identity(), Eigen::Vector2d::Zero(), {{{}, 1}, {{}, 1}});
  bad.K.clear();
  bad.K.push_back({}, 2);
  refused(bad, "mixed::Problem::K");
  bad.K.push_back({}, 1);
  refused(bad, "mixed::Problem::K");
  bad = good;
  bad.q.setZero(good.q.size() + 1);
  refused(bad, "mixed::Problem::q");
  bad = good;
  bad.q[1] = std::numeric_limits<double>::quiet_NaN();
  refused(bad, "mixed::Problem::q");
  bad.q[1] = std::numeric_limits<double>::infinity();
  refused(bad, "mixed::Problem::q");
  bad = good;
  bad.W.values(0)[0] = std::numeric_limits<double>::infinity();
  refused(bad, "mixed::Problem::W");
  // A set that the algorithm does not take is refused by name, not solved badly.
  const auto contact = problems::mixed_from_dense(Eigen::Matrix3d::Identity(), Eigen::Vector3d(-1, 0, 0),
                                                  {{{.kind = SetKind::Coulomb3D, .mu = 0.5}, 3}});
  if (!entry().supports(contact.K)) {
    EXPECT_THROW((void)solve(contact), InvalidArgument);
  }
}

TEST_P(MixedContract, RefusesBadSettings) {
  const auto good = problems::planted_mixed(2, supported(every_kind), 5).problem;
  for (const double tolerance : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THROW((void)entry().solver.solve(good, {.tolerance = tolerance}), InvalidArgument);
  EXPECT_THROW((void)entry().solver.solve(good, {.max_iterations = -1}), InvalidArgument);
  EXPECT_THROW((void)entry().solver.solve(good, {.time_limit = 0.0}), InvalidArgument);
}

TEST_P(MixedContract, StopsAtItsLimitsWithTheBestIterate) {
  // A start of 0 that is not a solution, and work for more than a microsecond.
  const auto problem = problems::planted_mixed(40, supported(every_kind), 13).problem;
  Eigen::VectorXd u(problem.q.size());
  const double start = mixed::certify(problem, Eigen::VectorXd::Zero(problem.q.size()), u).residual;
  for (const Limits& limits : {Limits{.time_limit = 1e-9}, Limits{.max_iterations = 1}}) {
    const auto result = entry().solver.solve(problem, limits);
    ASSERT_TRUE(result.r.allFinite());
    EXPECT_LE(mixed::certify(problem, result.r, u).residual, start);
    EXPECT_FALSE(result.reason.empty() && !result.ok());
    if (limits.max_iterations == 1) {
      EXPECT_LE(result.iterations, entry().name == "automatic" ? 6 : 1);  // one of each of its tiers
    }
    if (entry().name != "automatic") {
      EXPECT_EQ(result.status, limits.max_iterations == 1 ? Status::IterationLimit : Status::TimeLimit)
          << result.message();
    }
  }
}

TEST_P(MixedContract, ToleranceBelowRoundOffIsToldApart) {
  const auto planted = problems::planted_mixed(8, supported(every_kind), 21);
  const auto result = entry().solver.solve(planted.problem, {.tolerance = 1e-30});
  // Either an exact zero, or the truth: no progress below round-off.
  EXPECT_TRUE(result.ok() || result.status == Status::Stalled) << result.message();
  EXPECT_LE(result.certificate.error, result.certificate.round_off);
}

TEST_P(MixedContract, RedundantBilateralRowsDoNotCrash) {
  // Two copies of one bilateral row beside a contact: r is not unique, u is.
  Eigen::MatrixXd H(3, 2);
  H << 1.0, 0.0, 1.0, 0.0, 0.5, 1.0;
  const Eigen::MatrixXd W = H * H.transpose();
  const Eigen::VectorXd q = H * Eigen::Vector2d(-1.0, -2.0);
  const BlockSet free{.kind = SetKind::Free};
  for (const bool joined : {false, true}) {
    const auto blocks =
        joined ? std::vector<Block>{{free, 2}, {{}, 1}} : std::vector<Block>{{free, 1}, {free, 1}, {{}, 1}};
    const auto problem = problems::mixed_from_dense(W, q, blocks);
    const auto result = solve(problem);
    EXPECT_NE(result.status, Status::NotRun);
    EXPECT_FALSE(result.message().empty());
    if (result.ok()) expect_certified(problem, result);
    // A block of two equal rows has no LU: a sweep can't solve it and must say so; each row alone can.
    if (!joined || entry().name == "automatic") {
      EXPECT_TRUE(result.ok()) << result.message();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, MixedContract, testing::ValuesIn(contracts::every(mixed::registry())),
                         contracts::test_name);

TEST(MixedResult, IsBornNotRunWithANanResidual) {
  const mixed::Result result;
  EXPECT_EQ(result.status, Status::NotRun);
  EXPECT_FALSE(result.ok());
  EXPECT_FALSE(static_cast<bool>(result));
  EXPECT_TRUE(std::isnan(result.certificate.residual));
  EXPECT_NE(result.message().find("not run"), std::string::npos);
}

TEST(MixedRegistry, FindsByNameAndListsTheKnownOnes) {
  EXPECT_EQ(mixed::find("automatic").name, "automatic");
  try {
    (void)mixed::find("nobody");
    ADD_FAILURE();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("block gauss-seidel"), std::string::npos);
  }
}

TEST(MixedRegistry, SaysWhatEachSolverTakes) {
  ProductSet cones, friction;
  cones.push_back({.kind = SetKind::SecondOrderCone, .mu = 1.0}, 4);
  friction.push_back({.kind = SetKind::Coulomb3D, .mu = 1.0}, 3);
  for (const mixed::Entry& entry : mixed::registry()) EXPECT_TRUE(entry.supports(cones)) << entry.name;
  EXPECT_TRUE(mixed::find("automatic").supports(friction));
  EXPECT_FALSE(mixed::find("fischer-burmeister").supports(friction));
}

TEST(MixedRegistry, CertifiesWhatUsersSolversClaim) {
  const auto planted = problems::planted_mixed(3, every_kind, 2);
  const mixed::Solver honest("honest", [&](const mixed::Problem&, const Limits&) {
    mixed::Result result;
    result.r = planted.r;
    result.status = Status::Solved;
    return result;
  });
  EXPECT_TRUE(honest.solve(planted.problem));
  EXPECT_EQ(honest.solve(planted.problem).solver, "honest");
  const mixed::Solver liar("liar", [&](const mixed::Problem& problem, const Limits&) {
    mixed::Result result;
    result.r = Eigen::VectorXd::Ones(problem.q.size());
    result.status = Status::Solved;
    return result;
  });
  EXPECT_EQ(liar.solve(planted.problem).status, Status::Stalled);
  // Feasible, but not by r = 0 (a row that closes); once more in units that are not the canonical ones.
  for (const double cohesion : {0.0, 0.5}) {
    const BlockSet contact{.kind = SetKind::Coulomb3D, .mu = 0.5, .cohesion = cohesion};
    const auto problem = problems::mixed_from_dense(Eigen::Matrix4d::Identity(), Eigen::Vector4d(-1.0, 0.2, 0.0, -1.0),
                                                    {{contact, 3}, {{}, 1}});
    mixed::Result zeros;
    zeros.r.setZero(4);
    contracts::expect_claims_checked<mixed::Solver>(problem, zeros, 4);
  }
  // A claim with its proof stands, and no other status keeps one.
  const auto closed = problems::mixed_from_dense(Eigen::Matrix2d{{0.0, 0.0}, {0.0, 1.0}}, Eigen::Vector2d(-1.0, 1.0),
                                                 {{{}, 1}, {{}, 1}});
  for (const bool right : {true, false}) {
    const mixed::Solver claim("claim", [&](const mixed::Problem&, const Limits&) {
      mixed::Result result;
      result.r.setZero(2);
      result.status = Status::Infeasible;
      result.proof = Eigen::Vector2d::Unit(right ? 0 : 1);
      return result;
    });
    const auto result = claim.solve(closed);
    EXPECT_EQ(result.status, right ? Status::Infeasible : Status::Stalled);
    EXPECT_EQ(result.proof.size(), right ? 2 : 0);
  }
}

}  // namespace
}  // namespace nonsmooth::mixed_contract_test
