// SPDX-License-Identifier: Apache-2.0
// How far sources look where contacts push (StewartTrinkle): each body as far as itself and what may push it go.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::pushes_test {
namespace {

using Eigen::Vector3d;
using PairSet = std::set<std::pair<Index, Index>>;

constexpr double kPush = 2.0, kHorizon = 0.01, kRadius = 0.01;

/// Balls of one radius at rest or not, in space or (z = 0) in the plane.
struct Balls {
  std::vector<Vector3d> places, velocities;

  void add(const Vector3d& place, const Vector3d& velocity = Vector3d::Zero()) {
    places.push_back(place);
    velocities.push_back(velocity);
  }
  [[nodiscard]] Index count() const { return static_cast<Index>(places.size()); }
  [[nodiscard]] double gap(std::size_t i, std::size_t j) const {
    return (places[i] - places[j]).norm() - 2.0 * kRadius;
  }
};

enum class Kind { InSpace, PlanarShapes, Disks };

/// Pairs of bodies that a source of these balls finds.
PairSet found_by(Kind kind, const Balls& balls, double push) {
  NonSmoothDynamicalSystem model;
  const Index n = balls.count(), nq = kind == Kind::InSpace ? 7 : 3, nv = kind == Kind::InSpace ? 6 : 3;
  Eigen::VectorXd q = Eigen::VectorXd::Zero(n * nq), v = Eigen::VectorXd::Zero(n * nv);
  std::vector<BodyShapes> bodies;
  std::vector<PlanarBodyShapes> planar;
  std::vector<SystemHandle> disks;
  for (Index i = 0; i < n; ++i) {
    const Vector3d &at = balls.places[static_cast<std::size_t>(i)],
                   &fast = balls.velocities[static_cast<std::size_t>(i)];
    if (kind == Kind::InSpace) {
      q.segment<4>(7 * i) << at, 1.0;
      v.segment<3>(6 * i) = fast;
      bodies.push_back({model.add(RigidBody{}), {{.shape = Sphere{kRadius}}}});
    } else {
      q.segment<2>(3 * i) = at.head<2>();
      v.segment<2>(3 * i) = fast.head<2>();
      disks.push_back(model.add(PlanarBody{}));
      planar.push_back({disks.back(), {{.shape = Disk{kRadius}}}});
    }
  }
  std::vector<Index> scratch;
  ContactBatches batches;
  const BodyView view{.q = q, .v = v, .push = push};
  const NewtonImpactLaw law{};
  if (kind == Kind::InSpace) {
    BodyContacts(bodies, {}, law).detect(view, kHorizon, scratch, batches);
  } else if (kind == Kind::PlanarShapes) {
    PlanarContacts(planar, {}, law).detect(view, kHorizon, scratch, batches);
  } else {
    DiskContacts(disks, std::vector<double>(static_cast<std::size_t>(n), kRadius), law)
        .detect(view, kHorizon, scratch, batches);
  }
  PairSet found;
  for (const ContactBatch& batch : batches)
    for (const DetectedContact& contact : batch.contacts) found.insert(std::minmax(contact.first, contact.second));
  return found;
}

constexpr Kind kKinds[]{Kind::InSpace, Kind::PlanarShapes, Kind::Disks};

TEST(Pushes, OneFastBodyDoesNotMakeTheOthersLookFar) {
  // A hundred balls at rest, 0.5 radii from each other; one at 100 m/s, which goes 100 radii in the horizon, 3 m off.
  Balls balls;
  for (int i = 0; i < 100; ++i) balls.add(2.5 * kRadius * Vector3d(i % 10, i / 10, 0.0));
  balls.add({4.0, 0.0, 0.0}, {0.0, 100.0, 0.0});
  for (const Kind kind : kKinds) EXPECT_TRUE(found_by(kind, balls, kPush).empty());
  // In reach of them it may push any of them.
  balls.places.back() = {0.5, 0.0, 0.0};
  for (const Kind kind : kKinds) EXPECT_GT(found_by(kind, balls, kPush).size(), 1000u);
}

TEST(Pushes, AreHandedOnFromBallToBall) {
  // 2 m/s, 2 radii in the horizon, towards a row with gaps of 0.4 radii: the speed of 200 radii/s is handed on less 40
  // at each gap, and with kPush of it a ball looks as far as 4, 4, 3.2, 2.4 ... radii to either side.
  Balls balls;
  balls.add({-1.0 - 2.4 * kRadius, 0.0, 0.0}, {2.0, 0.0, 0.0});
  for (int i = 0; i < 30; ++i) balls.add({-1.0 + 2.4 * kRadius * i, 0.0, 0.0});
  for (const Kind kind : kKinds) {
    const PairSet found = found_by(kind, balls, kPush);
    for (Index i = 0; i < 6; ++i) EXPECT_TRUE(found.contains({i, i + 1})) << i;
    EXPECT_FALSE(found.contains({20, 21}));
    EXPECT_EQ(found_by(kind, balls, 0.0).size(), 1u);  // the fast one meets the first alone: 2 radii and 0.4
  }
}

TEST(Pushes, FindWhatAllPairsWouldTell) {
  // a of each ball is the largest of its speed, of -w and of a - max(w, 0) of its pairs, w = gap / horizon -
  // |approach|, from all pairs until none grows; those are found whose gap is within the horizon at their approach and
  // 2 max(a). Approach: the difference of velocities, and in the plane at most the sum of speeds, by which it is
  // bounded there.
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  std::size_t in_all = 0;
  for (int trial = 0; trial < 30; ++trial) {
    Balls balls;
    for (int i = 0; i < 60; ++i) {
      const double x = number(random), y = number(random), fast = i % 20 == 0 ? 4.0 : 0.2, u = number(random),
                   w = number(random);
      balls.add(25.0 * kRadius * Vector3d(x, y, 0.0), fast * Vector3d(u, w, 0.0));
    }
    for (const Kind kind : kKinds) {
      const auto n = static_cast<std::size_t>(balls.count());
      const auto approach = [&](std::size_t i, std::size_t j) {
        const Vector3d &one = balls.velocities[i], &other = balls.velocities[j];
        return kind == Kind::InSpace ? (one - other).norm() : one.norm() + other.norm();
      };
      std::vector<double> a;
      for (const Vector3d& velocity : balls.velocities) a.push_back(velocity.norm());
      for (bool grew = true; grew;) {
        grew = false;
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = i + 1; j < n; ++j) {
            const double w = std::max(balls.gap(i, j), 0.0) / kHorizon - approach(i, j);
            const double handed = std::max(-w, std::max(a[i], a[j]) - std::max(w, 0.0));
            for (const std::size_t k : {i, j}) {
              if (handed > a[k] + 1e-6) a[k] = handed, grew = true;
            }
          }
        }
      }
      const PairSet found = found_by(kind, balls, kPush);
      in_all += found.size();
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i + 1; j < n; ++j) {
          const double beyond = balls.gap(i, j) - kHorizon * (approach(i, j) + kPush * std::max(a[i], a[j]));
          if (std::abs(beyond) < 1e-6) continue;  // rounding, and what is kept in sight for it
          EXPECT_EQ(found.contains({static_cast<Index>(i), static_cast<Index>(j)}), beyond < 0.0) << i << " " << j;
        }
      }
    }
  }
  EXPECT_GT(in_all, 1000u);
}

}  // namespace
}  // namespace nonsmooth::pushes_test
