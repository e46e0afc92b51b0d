// SPDX-License-Identifier: Apache-2.0
// Walls: problems whose unilateral rows are pushed against each other, so that a y >= 0 with W y = 0 and q·y < 0 proves
// that there is no solution. The automatic choice is to end with such a proof, not at a limit.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include <mixed/infeasibility.hpp>
#include <nonsmooth/numerics/friction.hpp>
#include <nonsmooth/numerics/mixed.hpp>

#include <problems/hard_cones.hpp>
#include <problems/mixed.hpp>
#include <problems/proof_judge.hpp>

namespace nonsmooth::wall_test {
namespace {

using problems::HardCones;
using problems::HardFamily;
using problems::Verdict;

/// Calls visit(seed, instance) for the first `count` walls of a family whose rows have one unit.
template <class Visit>
void each_wall(HardFamily family, int count, Visit visit) {
  for (std::uint64_t seed = 1; count > 0; ++seed) {
    std::mt19937_64 random(seed);
    const HardCones wall = problems::random_hard_cones(family, false, random);
    if (wall.verdict != Verdict::Infeasible || wall.name.find("units apart") != std::string::npos) continue;
    visit(seed, wall);
    --count;
  }
}

TEST(Walls, FrictionEndsWithAProof) {
  for (const HardFamily family : {HardFamily::Spatial, HardFamily::Planar, HardFamily::Rolling})
    each_wall(family, 120, [](std::uint64_t seed, const HardCones& wall) {
      const auto result = friction::solve(wall.problem, friction::Automatic{});
      ASSERT_EQ(result.status, Status::Infeasible) << seed << " (" << wall.name << "): " << result.message();
      EXPECT_TRUE(problems::proof_holds(wall.W, wall.problem.q, wall.problem.K, result.proof)) << seed;
    });
}

TEST(Walls, EverySetEndsWithAProof) {
  for (const HardFamily family : {HardFamily::Cones, HardFamily::Mixed})
    each_wall(family, 120, [](std::uint64_t seed, const HardCones& wall) {
      const auto result = mixed::solve(wall.problem, mixed::Automatic{});
      ASSERT_EQ(result.status, Status::Infeasible) << seed << " (" << wall.name << "): " << result.message();
      EXPECT_TRUE(problems::proof_holds(wall.W, wall.problem.q, wall.problem.K, result.proof)) << seed;
    });
}

// Two contacts face each other: (1, 1) on their rows N. A third that is open on the same body takes no part.
TEST(Walls, RowsByThemselvesAreEnough) {
  Eigen::MatrixXd H(9, 4);
  H << 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0,  //
      -1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0,  //
      0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1;
  Eigen::VectorXd q(9), y;
  q << -1, 0.3, 0, 0.5, 0, 0.2, 1, 0, 0;
  const std::vector<problems::Block> blocks(3, {{.kind = SetKind::Coulomb3D, .mu = 0.4}, 3});
  const auto wall = problems::mixed_from_dense(H * H.transpose(), q, blocks);
  ASSERT_TRUE(mixed::internal::find_proof_on_rows(wall, 1.0, y));
  Eigen::VectorXd expected = Eigen::VectorXd::Zero(9);
  expected[0] = expected[3] = y.maxCoeff();
  EXPECT_LE((y - expected).lpNorm<Eigen::Infinity>(), 1e-15 * y.maxCoeff());  // rounding of two equal pivots
  Eigen::VectorXd apart = q;
  apart[0] = -0.4;  // q·y = 0.1: they fit
  EXPECT_FALSE(
      mixed::internal::find_proof_on_rows(problems::mixed_from_dense(H * H.transpose(), apart, blocks), 1.0, y));
}

}  // namespace
}  // namespace nonsmooth::wall_test
