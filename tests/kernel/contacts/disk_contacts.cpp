// SPDX-License-Identifier: Apache-2.0
// Contacts between disks and with a floor: gaps, normals and pairs against brute force, then stacks and collisions.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::disk_contacts_test {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kGravity = 9.81;

FloorProfile sine_floor(double a, double k) {
  return {.height = [=](double x) { return a * std::sin(k * x); },
          .slope = [=](double x) { return a * k * std::cos(k * x); },
          .curvature = [=](double x) { return -a * k * k * std::sin(k * x); }};
}

FloorProfile parabola(double curvature) {
  return {.height = [=](double x) { return 0.5 * curvature * x * x; },
          .slope = [=](double x) { return curvature * x; },
          .curvature = [=](double) { return curvature; }};
}

/// A contact with its rows.
struct Found : DetectedContact {
  std::array<double, 6> H_first{}, H_second{};
};

/// Disks of a model of their own; mass r^2, inertia r^4 / 2.
struct Disks {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> handles;
  std::vector<double> radii;
  std::shared_ptr<const DiskContacts> source;

  void add(double r, const Eigen::Vector3d& q, const Eigen::Vector3d& v, double gravity) {
    handles.push_back(model.add(
        LagrangianLinearSystem{.mass = mass(r).asDiagonal(), .force = {0.0, -gravity * r * r, 0.0}, .q0 = q, .v0 = v}));
    radii.push_back(r);
  }
  static Eigen::Vector3d mass(double r) { return {r * r, r * r, 0.5 * r * r * r * r}; }
  void close(NewtonImpactFrictionLaw law, FloorProfile floor = {}) {
    source = std::make_shared<const DiskContacts>(handles, radii, law, std::move(floor));
    model.detect(source);
  }
  [[nodiscard]] std::vector<Found> detect(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double horizon) const {
    State state = model.initial_state();
    state.positions = q;
    state.unknowns = v;
    ContactBatches batches = contacts_at(state, *source, horizon);
    const ContactBatch& batch = batches.of(2, 3, 3);
    EXPECT_EQ(batch.size(), batches.num_contacts());
    std::vector<Found> contacts;
    for (Index i = 0; i < batch.size(); ++i) {
      contacts.push_back({batch.contacts[static_cast<std::size_t>(i)], {}, {}});
      std::copy_n(batch.H_first(i), 6, contacts.back().H_first.begin());
      std::copy_n(batch.H_second(i), 6, contacts.back().H_second.begin());
    }
    return contacts;
  }
};

const NewtonImpactFrictionLaw kLaw{.restitution = 0.3, .friction = 0.4};

// Central differences with step s: the gap's third derivative along |v| <= 3 is below |v|^3 / d^2 with d the smallest
// distance of centres or of a centre to the floor's centre of curvature (here d >= 0.1), and 2 eps |q| / s of rounding.
constexpr double kStep = 1e-5;
constexpr double kDifferenceBound = kStep * kStep * 27.0 / (6.0 * 0.01) * 4.0 + 4.0 * kEps / kStep * 4.0;

TEST(DiskContacts, NormalRowIsTheDerivativeOfTheGap) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int pairs = 0, floors = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Disks disks;
    Eigen::VectorXd q(6), v(6);
    const double direction = 3.0 * uniform(random), distance = 0.42 + 0.05 * uniform(random), x = 2.0 * uniform(random);
    q << x, 0.3 + 0.1 * uniform(random), uniform(random), x + distance * std::cos(direction), 0.0, uniform(random);
    q[4] = q[1] + distance * std::sin(direction);
    for (Index i = 0; i < 6; ++i) v[i] = uniform(random);
    disks.add(0.25, q.head<3>(), v.head<3>(), 0.0);
    disks.add(0.15, q.tail<3>(), v.tail<3>(), 0.0);
    disks.close(kLaw, sine_floor(0.05, 2.0));
    const auto at = disks.detect(q, v, 0.1);
    const auto after = disks.detect(q + kStep * v, v, 0.1), before = disks.detect(q - kStep * v, v, 0.1);
    for (const Found& contact : at) {
      const auto same = [&](const Found& other) { return other.feature == contact.feature; };
      const auto a = std::find_if(after.begin(), after.end(), same),
                 b = std::find_if(before.begin(), before.end(), same);
      if (a == after.end() || b == before.end()) continue;  // on the edge of what is in reach
      (contact.second >= 0 ? pairs : floors) += 1;
      double u[2] = {0.0, 0.0};
      for (std::size_t row = 0; row < 2; ++row) {
        for (std::size_t c = 0; c < 3; ++c) {
          u[row] += contact.H_first[3 * row + c] * v[3 * contact.first + static_cast<Index>(c)];
          if (contact.second >= 0)
            u[row] += contact.H_second[3 * row + c] * v[3 * contact.second + static_cast<Index>(c)];
        }
      }
      EXPECT_NEAR(u[0], (a->gap - b->gap) / (2.0 * kStep), kDifferenceBound) << "trial " << trial;

      // Tangent: the velocity of the two material points at the contact, second (or the disk) minus first (the floor).
      const double nx = contact.second >= 0 ? contact.H_second[0] : contact.H_first[0];
      const double ny = contact.second >= 0 ? contact.H_second[1] : contact.H_first[1];
      EXPECT_NEAR(nx * nx + ny * ny, 1.0, 8.0 * kEps);
      const auto slip = [&](Index body, double arm) {
        const double* w = v.data() + 3 * body;
        return (w[0] - w[2] * arm * ny) * ny - (w[1] + w[2] * arm * nx) * nx;
      };
      const double r_first = disks.radii[static_cast<std::size_t>(contact.first)];
      const double expected = contact.second >= 0
                                  ? slip(contact.second, -disks.radii[static_cast<std::size_t>(contact.second)]) -
                                        slip(contact.first, r_first)
                                  : slip(contact.first, -r_first);
      EXPECT_NEAR(u[1], expected, 32.0 * kEps) << "trial " << trial;
    }
  }
  EXPECT_GT(pairs, 150);
  EXPECT_GT(floors, 50);
}

TEST(DiskContacts, PairsAreThoseOfBruteForce) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    const Index n = 1 + static_cast<Index>(200.0 * uniform(random));
    const double width = 0.1 + 4.0 * uniform(random), height = seed % 3 == 0 ? 1e-6 : 0.1 + 4.0 * uniform(random);
    const double horizon = seed % 2 == 0 ? 0.0 : 0.05;
    Disks disks;
    Eigen::VectorXd q(3 * n), v(3 * n);
    for (Index i = 0; i < n; ++i) {
      q.segment<3>(3 * i) = Eigen::Vector3d(width * uniform(random) - 1.0, height * uniform(random) - 2.0, 0.0);
      v.segment<3>(3 * i) = Eigen::Vector3d(uniform(random) - 0.5, uniform(random) - 0.5, 3.0);
      // Of sizes that share cells, and of four decades, which do not.
      const double r = seed % 4 == 1 ? 0.4 * std::pow(10.0, -4.0 * uniform(random)) : 0.01 + 0.1 * uniform(random);
      disks.add(r, q.segment<3>(3 * i), v.segment<3>(3 * i), 0.0);
    }
    disks.close(kLaw);
    const auto found = disks.detect(q, v, horizon);
    // Sorted and unique: strictly ascending features.
    for (std::size_t c = 1; c < found.size(); ++c) ASSERT_LT(found[c - 1].feature, found[c].feature);
    std::size_t next = 0;
    for (Index i = 0; i < n; ++i) {
      for (Index j = i + 1; j < n; ++j) {
        const Eigen::Vector2d between = q.segment<2>(3 * j) - q.segment<2>(3 * i);
        const double radii = disks.radii[static_cast<std::size_t>(i)] + disks.radii[static_cast<std::size_t>(j)];
        const double gap = between.norm() - radii;
        const bool here = next < found.size() && found[next].first == i && found[next].second == j;
        // Closes within the horizon at the present velocities (with 1e-12 for rounding at the edge): must be found.
        const double approach = (v.segment<2>(3 * i) - v.segment<2>(3 * j)).norm();
        if (gap <= horizon * approach - 1e-12) {
          ASSERT_TRUE(here) << "seed " << seed << ": " << i << ", " << j;
        }
        if (!here) continue;
        // Distances of at most 6 are rounded by a few eps.
        ASSERT_NEAR(found[next].gap, gap, 32.0 * kEps * 6.0);
        ++next;
      }
    }
    ASSERT_EQ(next, found.size()) << "seed " << seed << ": a pair that is none";
  }
}

TEST(DiskContacts, OneFastDiskIsLookedAtBesideWhatItMayReachAlone) {
  // 1024 disks of radius 0.1 on a lattice of 0.25, gaps of 0.05 and more, over a floor 0.05 below the lowest. At rest
  // they see nothing; where one goes 1.2 within the horizon it sees the disks, and the floor, that are no farther than
  // that, and the others see nothing more. Gaps are off 1.2 by 1e-3 and more: no rounding decides.
  constexpr int side = 32;
  constexpr double r = 0.1, lattice = 0.25, horizon = 1e-3, way = 1.2;
  Disks disks;
  Eigen::VectorXd q(3 * side * side), v = Eigen::VectorXd::Zero(3 * side * side);
  for (int i = 0; i < side * side; ++i) {
    q.segment<3>(3 * i) = Eigen::Vector3d(lattice * (i % side), r + 0.05 + lattice * (i / side), 0.0);
    disks.add(r, q.segment<3>(3 * i), Eigen::Vector3d::Zero(), 0.0);
  }
  disks.close(kLaw, parabola(0.0));
  EXPECT_TRUE(disks.detect(q, v, horizon).empty());
  const Index fast = 4 * side + side / 2;
  v[3 * fast] = way / horizon;
  std::size_t expected = q[3 * fast + 1] - r <= way ? 1 : 0;
  for (Index i = 0; i < side * side; ++i) {
    const double gap = (q.segment<2>(3 * i) - q.segment<2>(3 * fast)).norm() - 2.0 * r;
    ASSERT_GT(std::abs(gap - way), 1e-3);
    if (i != fast && gap <= way) ++expected;
  }
  EXPECT_EQ(disks.detect(q, v, horizon).size(), expected);
  EXPECT_LT(expected, 100u);
}

TEST(DiskContacts, FloorGapIsTheSmallestDistance) {
  // Sampled every s = 1e-4 over [-2, 2] around the disk; the squared distance grows by at most (1 + ...) s^2 / 4 <= s^2
  // beside its minimum, so a sampled distance d' satisfies d <= d' <= d + s^2 / d, d >= 0.05 here.
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const double a = 0.1, k = 2.0, sample = 1e-4;  // smallest radius of curvature of the valleys 2.5
  const FloorProfile floor = sine_floor(a, k);
  int found_any = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const double r = 0.1 + 0.3 * uniform(random), x = 8.0 * uniform(random) - 4.0;
    const Eigen::Vector3d q(x, floor.height(x) + 0.05 + (r + 0.1) * uniform(random), 0.0);
    Disks disks;
    disks.add(r, q, Eigen::Vector3d::Zero(), 0.0);
    disks.close(kLaw, floor);
    double closest = std::numeric_limits<double>::infinity();
    for (double s = x - 2.0; s < x + 2.0; s += sample)
      closest = std::min(closest, std::hypot(s - x, floor.height(s) - q[1]));
    const Eigen::VectorXd at = q, v = Eigen::Vector3d(1.0, 0.0, 0.0);
    const auto found = disks.detect(at, v, 0.025);  // reach 0.05
    if (closest - r < 0.0) {
      ASSERT_EQ(found.size(), 1u) << trial;
    }
    if (found.empty()) continue;
    ++found_any;
    ASSERT_EQ(found[0].second, -1);
    EXPECT_NEAR(found[0].gap, closest - r, sample * sample / 0.04) << trial;
  }
  EXPECT_GT(found_any, 50);
}

/// Forces of the contacts of a step on each body, by the features that the state remembers.
Eigen::VectorXd impulses(const Disks& disks, const State& before, const State& after, double horizon, double friction,
                         double& floor_vertical) {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(before.unknowns.size());
  floor_vertical = 0.0;
  const auto contacts = disks.detect(before.positions, before.unknowns, horizon);
  for (const ContactMemory& memory : after.contacts) {
    const auto at = std::find_if(contacts.begin(), contacts.end(),
                                 [&](const Found& contact) { return contact.feature == memory.feature; });
    EXPECT_NE(at, contacts.end());
    if (at == contacts.end()) continue;
    // The cone up to the solver's tolerance, which is relative to impulses of about 0.1 N s.
    EXPECT_LE(std::abs(memory.impulse[1]), friction * memory.impulse[0] + 1e-9);
    EXPECT_GE(memory.impulse[0], -1e-9);
    for (std::size_t c = 0; c < 3; ++c) {
      const auto i = static_cast<Index>(c);
      sum[3 * at->first + i] += at->H_first[c] * memory.impulse[0] + at->H_first[3 + c] * memory.impulse[1];
      if (at->second >= 0) {
        sum[3 * at->second + i] += at->H_second[c] * memory.impulse[0] + at->H_second[3 + c] * memory.impulse[1];
      }
    }
    if (at->second < 0) {
      floor_vertical += at->H_first[1] * memory.impulse[0] + at->H_first[4] * memory.impulse[1];
    }
  }
  return sum;
}

TEST(DiskContacts, AColumnCarriesItsWeight) {
  // Three disks of radius 1/4 upon each other, 1e-9 m deep in each other so that rounding of the gap decides nothing.
  // In equilibrium v = 0, so the normal impulses are 3, 2, 1 weights times h, up to the solver's tolerance of 1e-12.
  const double r = 0.25, h = 1e-2;
  Disks disks;
  for (int i = 0; i < 3; ++i) {
    disks.add(r, {0.0, r + 2.0 * r * i - 1e-9 * (i + 1), 0.0}, Eigen::Vector3d::Zero(), kGravity);
  }
  disks.close({.restitution = 0.0, .friction = 0.4}, parabola(0.0));
  TimeStepping simulation(disks.model, {.step = h, .solver = mixed::Automatic{.tolerance = 1e-12}});
  const double weight = kGravity * r * r * h;
  for (int k = 0; k < 100; ++k) {
    ASSERT_TRUE(simulation.step());
    const auto& contacts = simulation.state().contacts;
    ASSERT_EQ(contacts.size(), 3u) << k;
    EXPECT_NEAR(contacts[0].impulse[0], 3.0 * weight, 1e-9);
    EXPECT_NEAR(contacts[1].impulse[0], 2.0 * weight, 1e-9);
    EXPECT_NEAR(contacts[2].impulse[0], 1.0 * weight, 1e-9);
    EXPECT_LE(simulation.state().unknowns.lpNorm<Eigen::Infinity>(), 1e-9);
  }
}

TEST(DiskContacts, AHeapInAValleyCarriesItsWeight) {
  // Three disks settle in a parabola (radius of curvature 1 > 1/4). In every step M dv = h f + H^T p, to rounding of
  // impulses below 1; at rest the vertical forces of the floor are the weight, up to what the disks still move.
  const double r = 0.25, h = 5e-3, friction = 0.4, horizon = 0.5 * h;
  Disks disks;
  disks.add(r, {-0.3, 0.4, 0.0}, Eigen::Vector3d::Zero(), kGravity);
  disks.add(r, {0.3, 0.4, 0.0}, Eigen::Vector3d::Zero(), kGravity);
  disks.add(r, {0.02, 0.9, 0.0}, Eigen::Vector3d::Zero(), kGravity);
  disks.close({.restitution = 0.0, .friction = friction}, parabola(1.0));
  TimeStepping simulation(disks.model, {.step = h, .solver = mixed::Automatic{.tolerance = 1e-10}});
  const double mass = 3.0 * r * r;
  int contacts_seen = 0;
  double mean = 0.0;
  constexpr int kSteps = 1200, kLast = 400;
  double momentum_start = 0.0;
  for (int k = 0; k < kSteps; ++k) {
    const State before = simulation.state();
    const auto report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    const State& after = simulation.state();
    double vertical = 0.0;
    const Eigen::VectorXd push = impulses(disks, before, after, horizon, friction, vertical);
    double change = 0.0;
    for (Index b = 0; b < 3; ++b) {
      const Eigen::Vector3d M = Disks::mass(r);
      const Eigen::Vector3d dv = after.unknowns.segment<3>(3 * b) - before.unknowns.segment<3>(3 * b);
      const Eigen::Vector3d f(0.0, -kGravity * r * r * h, 0.0);
      ASSERT_LE((M.asDiagonal() * dv - f - push.segment<3>(3 * b)).lpNorm<Eigen::Infinity>(), 64.0 * kEps) << k;
      change += M[1] * dv[1];
    }
    // Summed over the bodies, contacts between them cancel.
    ASSERT_NEAR(vertical, mass * kGravity * h + change, 256.0 * kEps) << k;
    contacts_seen = std::max(contacts_seen, static_cast<int>(after.contacts.size()));
    const auto momentum = [&] { return r * r * (after.unknowns[1] + after.unknowns[4] + after.unknowns[7]); };
    if (k == kSteps - kLast - 1) momentum_start = momentum();
    if (k >= kSteps - kLast) mean += vertical;
    if (k == kSteps - 1) {
      // The exact balance over the window, and a heap that moves slower than 0.05 m/s.
      EXPECT_NEAR(mean, mass * kGravity * h * kLast + momentum() - momentum_start, kLast * 256.0 * kEps);
      EXPECT_LE(after.unknowns.lpNorm<Eigen::Infinity>(), 0.05);
    }
  }
  EXPECT_GE(contacts_seen, 4) << "two on the floor and two with the upper disk at least";
}

TEST(DiskContacts, ACollisionConservesMomentum) {
  // No gravity, no floor. Momentum to rounding. Angular momentum L = sum x ^ m v + I w: the impulse acts at points that
  // are |gap| apart along the normal, and x moves by h (v+ + v-) / 2 while v jumps: |dL| <= |p| (|gap| + h |v_rel| /
  // 2).
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const double h = 1e-3;
  for (int trial = 0; trial < 50; ++trial) {
    Disks disks;
    const double r[2] = {0.2, 0.3};
    disks.add(r[0], {-0.4, 0.1 * uniform(random), 0.0}, {1.0, 0.1 * uniform(random), 5.0 * uniform(random)}, 0.0);
    disks.add(r[1], {0.4, 0.1 * uniform(random), 0.0}, {-1.0, 0.1 * uniform(random), 5.0 * uniform(random)}, 0.0);
    disks.close({.restitution = 0.6, .friction = 0.5});
    TimeStepping simulation(disks.model, {.step = h, .solver = mixed::Automatic{.tolerance = 1e-10}});
    int impacts = 0;
    for (int k = 0; k < 400; ++k) {
      const State before = simulation.state();
      ASSERT_TRUE(simulation.step());
      const State& after = simulation.state();
      const auto sums = [&](const State& s) {
        Eigen::Vector4d sum = Eigen::Vector4d::Zero();  // momentum x, y, angular, energy
        for (Index b = 0; b < 2; ++b) {
          const Eigen::Vector3d M = Disks::mass(r[b]);
          const Eigen::Vector3d q = s.positions.segment<3>(3 * b), v = s.unknowns.segment<3>(3 * b);
          sum += Eigen::Vector4d(M[0] * v[0], M[1] * v[1], M[0] * (q[0] * v[1] - q[1] * v[0]) + M[2] * v[2],
                                 0.5 * v.dot(M.asDiagonal() * v));
        }
        return sum;
      };
      const Eigen::Vector4d a = sums(before), b = sums(after);
      double angular = 64.0 * kEps;
      if (!after.contacts.empty()) {
        impacts += after.contacts[0].impulse[0] > 0.0;  // none where the disks part but still overlap
        const double p = std::hypot(after.contacts[0].impulse[0], after.contacts[0].impulse[1]);
        // In reach only when |gap| <= h v / 2 to come, or passed by at most h v.
        angular += p * 1.5 * h * (before.unknowns.segment<2>(0) - before.unknowns.segment<2>(3)).norm();
      }
      ASSERT_LE((b - a).head<2>().lpNorm<Eigen::Infinity>(), 16.0 * kEps);
      ASSERT_LE(std::abs(b[2] - a[2]), angular) << "trial " << trial << ", step " << k;
      // Dissipation: (1 - e^2) of the normal part goes, and friction with e_T = 0 takes p_T (u_T+ + u_T-) / 2 <= 0.
      ASSERT_LE(b[3], a[3] + 1e-9);
    }
    EXPECT_EQ(impacts, 1) << trial;
  }
}

const std::vector<NewtonImpactFrictionLaw> kPairLaws = {{.restitution = 0.1, .friction = 0.05},
                                                        {.restitution = 0.5, .friction = 0.1},
                                                        {.restitution = 0.9, .friction = 0.2}};

std::vector<Law> pair_laws() { return {kPairLaws.begin(), kPairLaws.end()}; }

/// Of materials 0 and 1: law 0 on its own kind, law 1 between them, law 2 of material 1 on its own kind.
ContactMaterials two_materials() {
  ContactMaterials pairs(2, 0);
  pairs.set_law(1, 0, 1).set_law(1, 1, 2);
  return pairs;
}

TEST(DiskContacts, PairsOfMaterialsBounceByTheirLaws) {
  // Equal disks of mass m = r^2 and I = m r^2 / 2 that touch, the first at (1, 5) m/s towards the other: with W_N = 2 /
  // m p_N = m (1 + e) / 2, and p_T = mu p_N slides throughout, as it takes 6 / m p_T <= 1.2 m/s of the 5 m/s.
  const double r = 0.125;
  Disks disks;
  std::vector<Index> materials;
  const std::vector<std::array<Index, 3>> pairs = {{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 2}};  // materials and law
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const double y = 10.0 * static_cast<double>(k);
    disks.add(r, {0.0, y, 0.0}, {1.0, 5.0, 0.0}, 0.0);
    disks.add(r, {2.0 * r, y, 0.0}, Eigen::Vector3d::Zero(), 0.0);
    materials.insert(materials.end(), {pairs[k][0], pairs[k][1]});
  }
  disks.model.detect(DiskContacts(disks.handles, disks.radii, pair_laws(), two_materials(), materials));
  TimeStepping simulation(disks.model, {.step = 1e-3, .solver = mixed::Automatic{.tolerance = 1e-12}});
  ASSERT_TRUE(simulation.step());
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const NewtonImpactFrictionLaw& law = kPairLaws[static_cast<std::size_t>(pairs[k][2])];
    const double normal = 0.5 * (1.0 + law.restitution), tangential = law.friction * normal;
    const auto first = simulation.state().v(disks.handles[2 * k]),
               second = simulation.state().v(disks.handles[2 * k + 1]);
    // The residual, of 5 m/s at most, times the condition of W, below 10.
    EXPECT_NEAR(first[0], 1.0 - normal, 1e-10) << k;
    EXPECT_NEAR(second[0], normal, 1e-10) << k;
    EXPECT_NEAR(first[1], 5.0 - tangential, 1e-10) << k;
    EXPECT_NEAR(second[1], tangential, 1e-10) << k;
    for (const double spin : {first[2], second[2]}) EXPECT_NEAR(spin, -2.0 * tangential / r, 1e-10 / r) << k;
  }
}

TEST(DiskContacts, TheFloorHasAMaterial) {
  const double r = 0.125;
  Disks disks;
  for (int k = 0; k < 2; ++k) disks.add(r, {static_cast<double>(k), r, 0.0}, {0.0, -1.0, 0.0}, 0.0);
  const auto flat = [](double) { return 0.0; };
  disks.model.detect(DiskContacts(disks.handles, disks.radii, pair_laws(), two_materials(), {0, 1},
                                  {.height = flat, .slope = flat, .curvature = flat, .material = 1}));
  TimeStepping simulation(disks.model, {.step = 1e-3, .solver = mixed::Automatic{.tolerance = 1e-12}});
  ASSERT_TRUE(simulation.step());
  EXPECT_NEAR(simulation.state().v(disks.handles[0])[1], kPairLaws[1].restitution, 1e-10);
  EXPECT_NEAR(simulation.state().v(disks.handles[1])[1], kPairLaws[2].restitution, 1e-10);
}

TEST(ContactMaterials, IsSymmetricAndHasADefault) {
  ContactMaterials pairs(3, 4);
  pairs.set_law(2, 0, 1);
  EXPECT_EQ(pairs.law(0, 2), 1);
  EXPECT_EQ(pairs.law(2, 0), 1);
  EXPECT_EQ(pairs.law(1, 2), 4);
  EXPECT_EQ(pairs.largest_law(), 4);
  EXPECT_THROW((void)pairs.law(0, 3), InvalidArgument);
  EXPECT_THROW(pairs.set_law(-1, 0, 0), InvalidArgument);
  EXPECT_THROW(pairs.set_law(0, 0, -1), InvalidArgument);
  EXPECT_THROW(ContactMaterials(0), InvalidArgument);
  EXPECT_THROW(ContactMaterials(1, -1), InvalidArgument);
  EXPECT_EQ(ContactMaterials(3).law(1, 2), ContactMaterials::no_law);
  Disks disks;
  disks.add(0.1, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(), 0.0);
  const auto make = [&](std::vector<Law> laws, std::vector<Index> materials, Index floor = 0) {
    return DiskContacts(disks.handles, disks.radii, std::move(laws), two_materials(), std::move(materials),
                        {.material = floor});
  };
  EXPECT_NO_THROW(make(pair_laws(), {1}));
  EXPECT_THROW(make(pair_laws(), {}), InvalidArgument);
  EXPECT_THROW(make(pair_laws(), {2}), InvalidArgument);
  EXPECT_THROW(make(pair_laws(), {0}, 2), InvalidArgument);
  EXPECT_THROW(make({kLaw, kLaw}, {0}), InvalidArgument) << "law 2 is not there";
}

TEST(DiskContacts, RefusesBadInput) {
  Disks disks;
  disks.add(0.1, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(), 0.0);
  const auto make = [&](std::vector<double> radii, NewtonImpactFrictionLaw law, FloorProfile floor = {}) {
    return DiskContacts(disks.handles, std::move(radii), law, std::move(floor));
  };
  EXPECT_NO_THROW(make({0.1}, kLaw));
  EXPECT_THROW(make({}, kLaw), InvalidArgument);
  EXPECT_THROW(make({0.0}, kLaw), InvalidArgument);
  EXPECT_THROW(make({std::numeric_limits<double>::quiet_NaN()}, kLaw), InvalidArgument);
  EXPECT_THROW(make({0.1}, {.restitution = 1.1}), InvalidArgument);
  EXPECT_THROW(make({0.1}, {.friction = -0.1}), InvalidArgument);
  EXPECT_THROW(make({0.1}, {.tangential_restitution = 1.5}), InvalidArgument);
  EXPECT_THROW(make({0.1}, {.dimension = 3}), InvalidArgument);
  EXPECT_THROW(make({0.1}, kLaw, {.height = [](double) { return 0.0; }}), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::disk_contacts_test
