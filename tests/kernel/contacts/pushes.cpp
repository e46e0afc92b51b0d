// SPDX-License-Identifier: Apache-2.0
// How far sources look where contacts push (StewartTrinkle): each body as far as itself and what may push it go.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
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

/// Balls at rest or not, in space or (z = 0) in the plane.
struct Balls {
  std::vector<Vector3d> places, velocities;
  std::vector<double> radii;

  void add(const Vector3d& place, const Vector3d& velocity = Vector3d::Zero(), double radius = kRadius) {
    places.push_back(place);
    velocities.push_back(velocity);
    radii.push_back(radius);
  }
  [[nodiscard]] Index count() const { return static_cast<Index>(places.size()); }
  [[nodiscard]] double gap(std::size_t i, std::size_t j) const {
    return (places[i] - places[j]).norm() - radii[i] - radii[j];
  }
};

enum class Kind { InSpace, PlanarShapes, Disks };

/// Pairs of bodies that a source of these balls finds; `memory`: the numbers that it took for that.
PairSet found_by(Kind kind, const Balls& balls, double push, std::size_t* memory = nullptr) {
  NonSmoothDynamicalSystem model;
  const Index n = balls.count(), nq = kind == Kind::InSpace ? 7 : 3, nv = kind == Kind::InSpace ? 6 : 3;
  Eigen::VectorXd q = Eigen::VectorXd::Zero(n * nq), v = Eigen::VectorXd::Zero(n * nv);
  std::vector<BodyShapes> bodies;
  std::vector<PlanarBodyShapes> planar;
  std::vector<SystemHandle> disks;
  for (Index i = 0; i < n; ++i) {
    const Vector3d &at = balls.places[static_cast<std::size_t>(i)],
                   &fast = balls.velocities[static_cast<std::size_t>(i)];
    const double radius = balls.radii[static_cast<std::size_t>(i)];
    if (kind == Kind::InSpace) {
      q.segment<4>(7 * i) << at, 1.0;
      v.segment<3>(6 * i) = fast;
      bodies.push_back({model.add(RigidBody{}), {{.shape = Sphere{radius}}}});
    } else {
      q.segment<2>(3 * i) = at.head<2>();
      v.segment<2>(3 * i) = fast.head<2>();
      disks.push_back(model.add(PlanarBody{}));
      planar.push_back({disks.back(), {{.shape = Disk{radius}}}});
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
    DiskContacts(disks, balls.radii, law).detect(view, kHorizon, scratch, batches);
  }
  if (memory) *memory = scratch.size();
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

/// How far the gap of a pair is beyond what is looked at, below zero for those that are to be found: by all pairs.
///
/// a of each ball is the largest of its speed, of -w and of a - max(w, 0) of its pairs, w = gap / horizon - |approach|,
/// until none grows; those are found whose gap is within the horizon at their approach, the difference of velocities,
/// and 2 max(a).
class AllPairs {
 public:
  explicit AllPairs(const Balls& balls) : balls_(balls) {
    const auto n = static_cast<std::size_t>(balls.count());
    for (const Vector3d& velocity : balls.velocities) a_.push_back(velocity.norm());
    for (bool grew = true; grew;) {
      grew = false;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i + 1; j < n; ++j) {
          const double w = std::max(balls.gap(i, j), 0.0) / kHorizon - approach(i, j);
          const double handed = std::max(-w, std::max(a_[i], a_[j]) - std::max(w, 0.0));
          for (const std::size_t k : {i, j}) {
            if (handed > a_[k] + 1e-6) a_[k] = handed, grew = true;
          }
        }
      }
    }
  }
  [[nodiscard]] double beyond(std::size_t i, std::size_t j) const {
    return balls_.gap(i, j) - kHorizon * (approach(i, j) + kPush * std::max(a_[i], a_[j]));
  }

 private:
  [[nodiscard]] double approach(std::size_t i, std::size_t j) const {
    return (balls_.velocities[i] - balls_.velocities[j]).norm();
  }

  const Balls& balls_;
  std::vector<double> a_;
};

TEST(Pushes, FindWhatAllPairsWouldTell) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  std::size_t in_all = 0;
  for (int trial = 0; trial < 30; ++trial) {
    Balls balls;
    for (int i = 0; i < 60; ++i) {
      const double x = number(random), y = number(random), fast = i % 20 == 0 ? 4.0 : 0.2, u = number(random),
                   w = number(random);
      // In each third trial radii from 1 to 10: some balls are widened for the fastest at once, others are not.
      const double radius = trial % 3 == 0 ? kRadius * (1.0 + 9.0 * std::abs(number(random))) : kRadius;
      balls.add(25.0 * kRadius * Vector3d(x, y, 0.0), fast * Vector3d(u, w, 0.0), radius);
    }
    const AllPairs told(balls);
    for (const Kind kind : kKinds) {
      const PairSet found = found_by(kind, balls, kPush);
      in_all += found.size();
      for (Index i = 0; i < balls.count(); ++i) {
        for (Index j = i + 1; j < balls.count(); ++j) {
          const double beyond = told.beyond(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
          if (std::abs(beyond) < 1e-6) continue;  // rounding, and what is kept in sight for it
          EXPECT_EQ(found.contains({i, j}), beyond < 0.0) << i << " " << j;
        }
      }
    }
  }
  EXPECT_GT(in_all, 1000u);
}

/// A ball of 2 m/s on a row of balls at rest with gaps of 0.002 radii, linked in a shuffled order; and far from them,
/// at rest, the first two, 3 radii apart.
Balls two_apart_and_row(int count) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(5));
  Balls balls;
  balls.add({0.0, 10.0, 0.0});
  balls.add({5.0 * kRadius, 10.0, 0.0});
  for (const int i : order) balls.add({2.002 * kRadius * i, 0.0, 0.0}, {i == 0 ? 2.0 : 0.0, 0.0, 0.0});
  return balls;
}

TEST(Pushes, GiveAllTheFastestWhereRoundsDoNotDo) {
  // A gap takes 0.2 of 200 radii/s, so that all of a row of 400 get some. A pass along the pairs, which are in the
  // order of numbers, hands on to where these stop to ascend (or to descend), e - 1 = 1.7 balls on in the mean of
  // shuffled ones: some 120 in nine rounds of 8 passes. All bodies then look as far as what the fastest may give, 2 x 2
  // radii, the two of 3 radii apart too, which nobody pushes; all that may meet is found. A row of 12 is done before.
  const Balls row = two_apart_and_row(400), shorter = two_apart_and_row(12);
  for (const Kind kind : kKinds) {
    const AllPairs told(row);
    const PairSet found = found_by(kind, row, kPush);
    std::size_t may_meet = 0;
    for (Index i = 0; i < row.count(); ++i) {
      for (Index j = i + 1; j < row.count(); ++j) {
        if (told.beyond(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) > -1e-6) continue;
        EXPECT_TRUE(found.contains({i, j})) << i << " " << j;
        ++may_meet;
      }
    }
    EXPECT_GE(may_meet, 399u);
    EXPECT_TRUE(found.contains({0, 1}));
    EXPECT_FALSE(found_by(kind, shorter, kPush).contains({0, 1}));
  }
}

TEST(Pushes, OneBoulderDoesNotWidenBallsBesideIt) {
  // 400 balls of 1 cm at rest, 10 cm from each other, and one of 500 m, 1 km off, at 40 m/s: what it may push, 2 x 40
  // m/s in 10 ms and the slack, is 1 m, little beside the mean of the radii, 1.25 m, and much beside the 400. Widened
  // by it, each would have some 300 others in sight, 60 000 pairs; so they have none, and memory is as without pushes.
  Balls balls;
  for (int i = 0; i < 400; ++i) balls.add(0.1 * Vector3d(i % 20, i / 20, 0.0));
  balls.add({-1500.0, 0.0, 0.0}, {0.0, 40.0, 0.0}, 500.0);
  for (const Kind kind : kKinds) {
    std::size_t memory = 0, without = 0;
    EXPECT_TRUE(found_by(kind, balls, kPush, &memory).empty());
    EXPECT_TRUE(found_by(kind, balls, 0.0, &without).empty());
    EXPECT_LE(memory, without);
  }
}

}  // namespace
}  // namespace nonsmooth::pushes_test
