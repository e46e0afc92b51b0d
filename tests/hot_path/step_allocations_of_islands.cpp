// SPDX-License-Identifier: Apache-2.0
// The same of many bodies whose contacts come and go: nothing is allocated while no island is larger than seen before.
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hot_path/allocation_guard.hpp>
#include <hot_path/allocations_of_steps.hpp>
#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel.hpp>
#include <problems/mechanisms.hpp>
#include <problems/models.hpp>
#include <problems/shaken_boxes.hpp>
#include <problems/truss.hpp>

namespace nonsmooth {
namespace {

using test::allocations;

TEST(StepAllocationsOfIslands, FieldOfDisks) {
  // Thirty disks fall into a sine's valleys; once the largest active set has been seen, nothing is allocated though the
  // number of contacts goes up and down.
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> disks;
  const double r = 0.1, m = 1.0;
  for (int i = 0; i < 30; ++i) {
    disks.push_back(model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(m, m, 0.5 * m * r * r).asDiagonal(),
                                                     .force = {0.0, -9.81 * m, 0.0},
                                                     .q0 = {0.25 * (i % 10), 0.4 + 0.25 * (i / 10), 0.0}}));
  }
  const double a = 0.05, k = 3.0;
  model.detect(std::make_shared<DiskContacts>(
      disks, std::vector<double>(disks.size(), r), NewtonImpactFrictionLaw{.restitution = 0.3, .friction = 0.3},
      FloorProfile{[=](double x) { return a * std::sin(k * x); }, [=](double x) { return a * k * std::cos(k * x); },
                   [=](double x) { return -a * k * k * std::sin(k * x); }}));
  TimeStepping simulation(model, {.step = 2e-3,
                                  // Sweeps alone: the pivoting fallbacks size their tableaux by the problem at hand.
                                  .solver = mixed::GaussSeidel{.tolerance = 1e-3},
                                  .on_failure = OnFailure::Accept});
  std::size_t largest = 0;
  // Long enough for the largest pattern of W (pairs of contacts on a disk), not only the most contacts, to be seen.
  for (int step = 0; step < 1500; ++step) {
    (void)simulation.step();
    largest = std::max(largest, simulation.state().contacts.size());
  }
  ASSERT_GT(largest, 20u);
  for (int step = 0; step < 500; ++step) {
    const test::AllocationCount count;
    (void)simulation.step();
    const long long found = count.now();
    const std::size_t contacts = simulation.state().contacts.size();
    if (contacts > largest) {
      largest = contacts;
    } else {
      EXPECT_EQ(found, 0) << "step " << step << ", " << contacts << " contacts, largest " << largest;
    }
  }
}

/// A run whose islands come, go and change size, and then the same run again, in which nothing is larger than was met.
void expect_nothing_new(NonSmoothDynamicalSystem model, const TimeSteppingOptions& options, Index steps) {
  TimeStepping simulation(std::move(model), options);
  const State start = simulation.state();
  const auto run = [&] {
    for (Index k = 0; k < steps; ++k) {
      const StepReport report = simulation.step();
      if (!report) ADD_FAILURE() << report.message();
    }
    return hash_of(std::as_const(simulation).state());
  };
  const std::uint64_t end = run();
  simulation.set_state(start);
  (void)simulation.step();  // coordinates that somebody wrote are looked at once
  simulation.set_state(start);
  const test::AllocationCount count;
  EXPECT_EQ(run(), end);
  EXPECT_EQ(count.now(), 0);
}

TEST(StepAllocationsOfIslands, IslandsThatChangeTheirSize) {
  // Active sets, pivoting and sweeps of 1 to 20 contacts, by the automatic choice.
  expect_nothing_new(problems::shaken_disks(), {.step = problems::ShakenBox::step}, 4000);
  // In space by sweeps alone: the methods behind them allocate.
  expect_nothing_new(problems::shaken_bodies(),
                     {.step = problems::ShakenBox::step, .solver = mixed::GaussSeidel{.tolerance = 1e-3}}, 1000);
}

TEST(StepAllocationsOfIslands, IslandsThatMoveFromThreadToThread) {
  // Two rows of masses in contact on two threads, 9 contacts and 1. Then the long one is torn in the middle: what was
  // the second thread's 1 contact is 4, and 3 islands are more than there were, of fewer contacts in all.
  constexpr double torn = 0.1;
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> masses;
  const auto add = [&](double before, double after) {
    const auto force = [=](double t, VectorRef F) { F[0] = t < torn ? before : after; };
    masses.push_back(model.add(LagrangianLinearSystem{.mass = {{1.0}}, .force = force, .q0 = {0.0}}));
  };
  for (int i = 0; i < 10; ++i) {
    const double end = i == 0 ? 1.0 : i == 9 ? -1.0 : 0.0, middle = i == 4 ? -2.0 : i == 5 ? 2.0 : 0.0;
    add(end, end + middle);
  }
  add(1.0, 1.0);
  add(-1.0, -1.0);
  for (std::size_t i = 0; i + 1 < masses.size(); ++i) {
    if (i != 9) model.link({masses[i], masses[i + 1]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, NewtonImpactLaw{});
  }
  TimeStepping simulation(model, {.step = 1e-2, .solver = mixed::GaussSeidel{.tolerance = 1e-8}, .threads = 2});
  EXPECT_EQ(allocations(simulation, 1, 40), 0);
  EXPECT_GT(simulation.state().positions[5] - simulation.state().positions[4], 1e-3);
  EXPECT_EQ((simulation.state().multipliers.array() > 0.0).count(), 9);
}

/// A search for contacts keeps its memory in the scratch and the batches that it is handed.
void expect_search_keeps_memory(const ContactSource& source, const BodyView& bodies, Index least_contacts) {
  std::vector<Index> scratch;
  ContactBatches found;
  const auto detect = [&] {
    found.clear();
    source.detect(bodies, 1e-3, scratch, found);
    return found.num_contacts();
  };
  const Index contacts = detect();
  EXPECT_GT(contacts, least_contacts);
  const test::AllocationCount count;
  EXPECT_EQ(detect(), contacts);
  EXPECT_EQ(count.now(), 0);
}

TEST(StepAllocationsOfIslands, TrussWithDependentRods) {
  // 449 rods in one loop, 93 of which depend on others, three of them on all.
  NonSmoothDynamicalSystem model;
  (void)problems::Truss(90).hang(model);
  TimeStepping simulation(std::move(model), {.step = 1e-3});
  EXPECT_EQ(allocations(simulation, 2, 8), 0);
}

TEST(StepAllocationsOfIslands, TrussThatStandsOnContacts) {
  // 301 rods, 60 of which depend on others, beside the four rows of two feet with friction: the rods are eliminated by
  // Cholesky's factors, the feet are a small LCP, whose second method has its memory from when it is first tried (step
  // 6). CHOLMOD permutes the matrix into one that it makes, of four arrays, in each factorization; nothing else is
  // allocated.
  NonSmoothDynamicalSystem model;
  const problems::Truss truss(60);
  std::vector<SystemHandle> nodes;
  for (int i = 0; i < 2 * (truss.bays + 1); ++i)
    nodes.push_back(model.add(PlanarBody{.position = problems::Truss::place(i), .gravity = {0.0, -9.81}}));
  (void)truss.link(model, nodes, false);
  for (const int foot : {0, 2 * truss.bays}) {
    model.link(nodes[static_cast<std::size_t>(foot)], LagrangianLinearRelation{.H = {{0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}}},
               NewtonImpactFrictionLaw{.friction = 0.3});
  }
  TimeStepping simulation(std::move(model), {.step = 1e-3});
  EXPECT_LE(allocations(simulation, 10, 30), 20 * 4);
}

TEST(StepAllocationsOfIslands, ShapesOfBodies) {
  std::vector<BodyShapes> bodies;
  Eigen::VectorXd q(7 * 64), v = Eigen::VectorXd::Constant(6 * 64, 0.1);
  std::vector<Index> q_begin, v_begin;
  for (Index b = 0; b < 64; ++b) {
    const Shape shapes[] = {Sphere{0.1}, Box{Eigen::Vector3d::Constant(0.1)}, Capsule{0.1, 0.05}, Cylinder{0.1, 0.1}};
    bodies.push_back({SystemHandle{}, {{.shape = shapes[b % 4]}}});
    q.segment<7>(7 * b) << 0.19 * static_cast<double>(b % 4), 0.19 * static_cast<double>(b / 4 % 4),
        0.1 + 0.19 * static_cast<double>(b / 16), 1.0, 0.0, 0.0, 0.0;
  }
  for (Index b = 0; b <= 64; ++b) {
    q_begin.push_back(7 * b);
    v_begin.push_back(6 * b);
  }
  Eigen::MatrixXd heights(30, 30);
  for (Index i = 0; i < 30; ++i) {
    for (Index j = 0; j < 30; ++j)
      heights(i, j) = 0.02 * std::sin(0.9 * static_cast<double>(i)) * std::cos(1.1 * static_cast<double>(j));
  }
  const BodyContacts source(bodies,
                            {{.shape = HalfSpace{}},
                             {.shape = Box{Eigen::Vector3d(1.0, 1.0, 0.01)}},
                             {.shape = HeightField(heights, {0.05, 0.05}), .position = {-0.4, -0.4, 0.0}}},
                            NewtonImpactFrictionLaw{.friction = 0.3, .dimension = 3});
  expect_search_keeps_memory(source, {0.0, q, v, q_begin, v_begin}, 200);
}

TEST(StepAllocationsOfIslands, ShapesOfThePlane) {
  std::vector<PlanarBodyShapes> bodies;
  Eigen::VectorXd q(3 * 64), v = Eigen::VectorXd::Constant(3 * 64, 0.1);
  std::vector<Index> q_begin, v_begin;
  const ConvexPolygon square{{{-0.1, -0.1}, {0.1, -0.1}, {0.1, 0.1}, {-0.1, 0.1}}};
  for (Index b = 0; b < 64; ++b) {
    const PlanarShape shapes[] = {Disk{0.1}, square, PlanarSegment{{-0.1, 0.0}, {0.1, 0.0}, 0.05}};
    bodies.push_back({SystemHandle{}, {{.shape = shapes[b % 3]}}});
    q.segment<3>(3 * b) << 0.19 * static_cast<double>(b % 8), 0.1 + 0.19 * static_cast<double>(b / 8), 0.0;
  }
  for (Index b = 0; b <= 64; ++b) {
    q_begin.push_back(3 * b);
    v_begin.push_back(3 * b);
  }
  const PlanarContacts source(bodies,
                              {{.shape = HalfPlane{}}, {.shape = HeightLine{{{-1.0, 0.1}, {0.0, 0.2}, {3.0, 0.0}}}}},
                              NewtonImpactFrictionLaw{.friction = 0.3});
  expect_search_keeps_memory(source, {0.0, q, v, q_begin, v_begin}, 100);
}

}  // namespace
}  // namespace nonsmooth
