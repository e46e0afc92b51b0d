// SPDX-License-Identifier: Apache-2.0
// Piles that are laid for benchmarks (problems/laid_bodies.hpp): nothing overlaps, and each body lies on something.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <nonsmooth/numerics/error.hpp>
#include <problems/laid_bodies.hpp>

namespace nonsmooth::laid_piles_test {
namespace {

TEST(LaidPiles, SpheresLieOnOthersAndOverlapNone) {
  // Overlaps are left below 1e-10 r of each of a few; a sphere is no farther from its supports than a slope of 1/50
  // lets it stop short, ways of 1e-6 r, and what is as near by chance counts as one.
  const double r = 0.05, w = 0.4;
  const std::vector<Eigen::Vector3d> spheres = problems::laid_spheres(300, r, w);
  ASSERT_EQ(spheres.size(), 300u);
  int least = 3, on_three = 0;
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    const Eigen::Vector3d& p = spheres[i];
    EXPECT_GE(p.z(), r);
    EXPECT_LE(p.head<2>().cwiseAbs().maxCoeff(), w - r);
    const double near = 1e-3 * r;
    int supports = p.z() - r < near ? 3 : 0;
    for (int axis = 0; axis < 2; ++axis) supports += w - r - std::abs(p[axis]) < near ? 1 : 0;
    for (std::size_t j = 0; j < i; ++j) {
      const double gap = (p - spheres[j]).norm() - 2.0 * r;
      EXPECT_GE(gap, -1e-9 * r) << i << " " << j;
      supports += gap < near ? 1 : 0;
    }
    least = std::min(least, supports);
    on_three += supports >= 3 ? 1 : 0;
  }
  EXPECT_GE(least, 1);
  EXPECT_GE(on_three, 150);
}

TEST(LaidPiles, BoxesLieFlatOnTwo) {
  const Eigen::Vector3d half(0.033, 0.028, 0.024);
  const std::vector<problems::LaidBox> boxes = problems::laid_boxes(36, half, 0.15);
  ASSERT_EQ(boxes.size(), 36u);
  for (const problems::LaidBox& box : boxes) {
    const double below = box.position.z() - 2.0 * half.z();
    int supports = below < 0.0 ? 2 : 0;
    for (const problems::LaidBox& other : boxes) {
      if (std::abs(other.position.z() - below) > 1e-12) continue;
      const Eigen::Vector3d between = (box.position - other.position).cwiseAbs();
      if (between.x() < 2.0 * half.x() && between.y() < half.y()) ++supports;
    }
    EXPECT_EQ(supports, 2);
  }
  EXPECT_THROW(static_cast<void>(problems::laid_boxes(10, half, 0.05)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(problems::laid_boxes(41, half, 0.15)), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::laid_piles_test
