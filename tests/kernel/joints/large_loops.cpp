// SPDX-License-Identifier: Apache-2.0
// Loops of more than 400 rows some of which depend on others: trusses in the plane, of square bays with both diagonals,
// each of which has one state of stress of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <Eigen/Eigenvalues>

#include <nonsmooth/kernel.hpp>
#include <problems/truss.hpp>
#include <problems/uniform_numbers.hpp>

#include "stepping/problem/dependent_rows.hpp"

namespace nonsmooth::large_loops_test {
namespace {

using problems::Truss;

constexpr double kEpsilon = 2.3e-16;

/// H of unit masses, row k times unit[k]; nodes at both ends stand where it is held.
Eigen::MatrixXd jacobian(const Truss& truss, const Eigen::VectorXd& unit, bool held) {
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(std::ssize(truss.rods), 4 * (truss.bays + 1));
  for (Index k = 0; k < H.rows(); ++k) {
    const Truss::Rod& rod = truss.rods[static_cast<std::size_t>(k)];
    const Eigen::Vector2d along = unit[k] * (Truss::place(rod.to) - Truss::place(rod.from)).normalized();
    H.block<1, 2>(k, 2 * rod.from) = -along.transpose();
    H.block<1, 2>(k, 2 * rod.to) = along.transpose();
  }
  if (held) {
    H.leftCols(4).setZero();
    H.rightCols(4).setZero();
  }
  return H;
}

BlockSparseMatrix blocks_of(const Eigen::MatrixXd& W, bool whole) {
  BlockSparseMatrix result;
  result.begin_pattern(std::vector<Index>(static_cast<std::size_t>(W.rows()), 1));
  for (Index i = 0; i < W.rows(); ++i) {
    for (Index j = 0; j < W.cols(); ++j)
      if (whole || W(i, j) != 0.0) result.insert(j);
    result.next_row();
  }
  result.end_pattern();
  for (Index i = 0; i < W.rows(); ++i)
    for (Index k = result.row_begin(i); k < result.row_begin(i + 1); ++k) *result.values(k) = W(i, result.column(k));
  return result;
}

TEST(LargeLoops, AreSettledAsTheDenseLookDoes) {
  // The projector that is taken from q and the reactions that are shared against those of the eigenvectors of Ŵ at
  // zero, rows in units from 1e-3 to 1e3. Eigenvalues of Ŵ of 25 bays that are no zeros are above 1e-4 (asked below):
  // vectors are exact to some m eps / 1e-4. Held at both ends the truss has three states of stress more, from end to
  // end; its first and last posts move nothing.
  const Truss truss(25);
  const Index m = std::ssize(truss.rods);
  problems::UniformNumbers uniform;
  Eigen::VectorXd unit(m), q(m);
  for (Index k = 0; k < m; ++k) unit[k] = std::pow(10.0, 3.0 * uniform()), q[k] = uniform();
  for (const bool held : {false, true}) {
    const Eigen::MatrixXd H = jacobian(truss, unit, held), W = H * H.transpose();
    Eigen::VectorXd scale(m);  // of S
    for (Index k = 0; k < m; ++k) scale[k] = W(k, k) > 0.0 ? 1.0 / std::sqrt(W(k, k)) : 0.0;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scale.asDiagonal() * W * scale.asDiagonal());
    const Index nothing = held ? 2 : 0, zeros = (eigen.eigenvalues().array() < 1e-10).count();
    ASSERT_EQ(zeros - nothing, held ? 28 : 25);
    ASSERT_GT(eigen.eigenvalues()[zeros], 1e-4);
    Eigen::MatrixXd projector = eigen.eigenvectors().leftCols(zeros) * eigen.eigenvectors().leftCols(zeros).transpose();
    for (Index k = 0; k < m; ++k) {
      if (scale[k] == 0.0) projector(k, k) -= 1.0;
    }
    std::vector<EqualityRows> parts;
    for (Index k = 0; k < m; ++k) parts.push_back({.block = k});
    DependentRows rows;
    BlockSparseMatrix matrix = blocks_of(W, true);
    rows.look(matrix, parts, std::vector<char>(static_cast<std::size_t>(m), 0), 1e-4);
    EXPECT_EQ(rows.count(), zeros - nothing);
    EXPECT_TRUE(rows.proven());
    EXPECT_LE(rows.remainder(), 1e-6);

    const double tolerance = 10.0 * static_cast<double>(m) * kEpsilon / 1e-4;
    Eigen::VectorXd taken = q;
    const Eigen::VectorXd scaled = scale.cwiseProduct(q);
    EXPECT_NEAR(rows.combinations(taken.data()), (projector * scaled).norm(), tolerance * scaled.norm());
    rows.take_away(taken.data());
    EXPECT_LE((scale.cwiseProduct(taken) - scaled + projector * scaled).norm(), tolerance * scaled.norm());

    // Reactions of the changed problem are none in dependent rows. Shared they are of those of the given problem the
    // ones with the least |S^-1 r|, and a start that is made of them is the solution again.
    rows.change_diagonals(true, matrix);
    Eigen::MatrixXd changed = matrix.to_dense();
    for (Index k = 0; k < m; ++k)
      if (scale[k] == 0.0) taken[k] = 0.0;
    const Eigen::VectorXd found = changed.ldlt().solve(-taken);
    Eigen::VectorXd r = found, start;
    rows.share(r.data());
    start = r;
    rows.take_from_dependent(start.data());
    EXPECT_LE((changed * start + taken).cwiseProduct(scale).norm(), 1e-6 * scaled.norm());
    rows.change_diagonals(false, matrix);
    EXPECT_EQ(matrix.to_dense(), W);
    EXPECT_LE((scale.cwiseProduct(W * r) + scale.cwiseProduct(taken)).norm(), 1e-6 * scaled.norm());
    Eigen::VectorXd of_unit(m);
    for (Index k = 0; k < m; ++k) of_unit[k] = scale[k] > 0.0 ? r[k] / scale[k] : 0.0;
    EXPECT_LE((projector * of_unit).norm(), 1e-6 * of_unit.norm());
  }
}

TEST(LargeLoops, AFreeTrussOfAHundredBaysSharesItsForcesInEachBay) {
  // 501 rows about 100 states of stress, one a bay: force s_k = 1 in its four sides, -sqrt(2) in its diagonals. All
  // masses are 1 and W_kk = 2: reactions have the least sum of squares, sum over a bay of s_k r_k = 0. It spins, so
  // that they are not zero: by 0.2 rad/s, of rods up to 0.04 * 50 N strained along it.
  const Truss truss(100);
  const double h = 1e-3, spin = 0.2;
  for (const Form form : {Form::Reduced, Form::Global}) {
    NonSmoothDynamicalSystem model;
    std::vector<SystemHandle> nodes;
    for (int i = 0; i < 2 * (truss.bays + 1); ++i) {
      const Eigen::Vector2d x = Truss::place(i), from = x - Eigen::Vector2d(0.5 * truss.bays, 0.5);
      nodes.push_back(model.add(PlanarBody{.position = x, .velocity = {-spin * from.y(), spin * from.x()}}));
    }
    const std::vector<InteractionHandle> rods = truss.link(model, nodes, false);
    TimeStepping simulation(model, {.step = h, .newton = {.tolerance = 1e-10}, .form = form});
    for (int step = 0; step < 2; ++step) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << report.message();
      EXPECT_EQ(report.rows, 501);
      EXPECT_EQ(report.redundant_rows, 100);
      EXPECT_EQ(report.unexamined_rows, 0);
    }
    const auto force = [&](std::size_t k) { return simulation.state().impulse(rods[k])[0]; };
    double largest = 0.0;
    for (std::size_t k = 0; k < rods.size(); ++k) largest = std::max(largest, std::abs(force(k)));
    EXPECT_GT(largest, h * 1.0);
    for (std::size_t bay = 0; bay < 100; ++bay) {
      const std::size_t k = 5 * bay;
      const double sides = force(k) + force(k + 1) + force(k + 2) + force(k + 5), across = force(k + 3) + force(k + 4);
      EXPECT_NEAR(sides - std::sqrt(2.0) * across, 0.0, 1e-6 * largest) << bay;
    }
  }
}

TEST(LargeLoops, ATrussThatHangsBetweenItsEndsHasStatesOfStressThroughAllOfIt) {
  // 499 rows, 103 states of stress, three of which pass all bays. Rods have W_kk = 2, at a node that is held 1. Of all
  // forces that carry it those with the least sum of W_kk r_k^2 are orthogonal to each state s: the sum of W_kk s_k r_k
  // is 0, over the sides and diagonals of a bay in the middle, over all rods below, over all above. Both ends carry
  // half of the weight of 198 nodes.
  const Truss truss(100);
  const double h = 1e-3;
  NonSmoothDynamicalSystem model;
  const std::vector<InteractionHandle> rods = truss.hang(model);
  TimeStepping simulation(model, {.step = h});
  for (int step = 0; step < 2; ++step) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(report.redundant_rows, 103);
  }
  const auto force = [&](std::size_t k) {
    const bool stands = truss.at_end(truss.rods[k].from) && truss.at_end(truss.rods[k].to);
    return stands ? 0.0 : simulation.state().impulse(rods[k])[0];
  };
  double largest = 0.0, below = 0.0, above = 0.0, left = 0.0;
  for (std::size_t k = 0; k < rods.size(); ++k) largest = std::max(largest, std::abs(force(k)));
  for (std::size_t bay = 0; bay < 100; ++bay) {
    const std::size_t k = 5 * bay;
    const double weight = bay == 0 || bay == 99 ? 1.0 : 2.0;
    below += weight * force(k + 1);
    above += weight * force(k + 2);
    if (weight < 2.0) continue;
    const double sides = force(k) + force(k + 1) + force(k + 2) + force(k + 5), across = force(k + 3) + force(k + 4);
    EXPECT_NEAR(sides - std::sqrt(2.0) * across, 0.0, 1e-6 * largest) << bay;
  }
  EXPECT_NEAR(below, 0.0, 1e-4 * largest);
  EXPECT_NEAR(above, 0.0, 1e-4 * largest);
  for (const std::size_t k : {3, 4}) left += (k == 3 ? -1.0 : 1.0) * std::sqrt(0.5) * force(k);
  EXPECT_NEAR(std::abs(left), h * 99.0 * 9.81, 1e-6 * h * 99.0 * 9.81);
  EXPECT_LE(simulation.state().velocities.lpNorm<Eigen::Infinity>(), 1e-9);
}

TEST(LargeLoops, HangBetweenTheirEndsHoweverManyBays) {
  // |z|^2 eps of a shear through 400 bays is above dependent_rows^2, and trusses of 200 and more bend with eigenvalues
  // of Ŵ below it, though no row is left with as little up to 400, which is proven; of 1000 bays one is left
  // with 5.5e-5. Velocities are zero to the rounding of 9.81 h, not of forces up to 5 kN s over the root of 1e-10.
  // Diagonals of the first bay carry half of the weight.
  const double h = 1e-3;
  for (const int bays : {200, 400, 1000}) {
    const Truss truss(bays);
    NonSmoothDynamicalSystem model;
    const std::vector<InteractionHandle> rods = truss.hang(model);
    TimeStepping simulation(model, {.step = h});
    for (int step = 0; step < 2; ++step) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << bays << ": " << report.message();
      EXPECT_EQ(report.redundant_rows, bays + 3);
      EXPECT_EQ(report.unexamined_rows, bays <= 400 ? 0 : report.rows) << bays;
      EXPECT_LE(simulation.state().velocities.lpNorm<Eigen::Infinity>(), 1e-17) << bays;
    }
    const auto force = [&](std::size_t k) { return simulation.state().impulse(rods[k])[0]; };
    const double left = std::sqrt(0.5) * (force(4) - force(3)), half = h * (bays - 1) * 9.81;
    EXPECT_NEAR(std::abs(left), half, 1e-6 * half) << bays;
  }
}

TEST(LargeLoops, OfAThousandBaysAreFree) {
  // As a hundred bays: one state of stress each, orthogonal to the forces. It spins at 0.02 rad/s, 500 m from its
  // centre.
  const Truss truss(1000);
  const double h = 1e-3, spin = 0.02;
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> nodes;
  for (int i = 0; i < 2 * (truss.bays + 1); ++i) {
    const Eigen::Vector2d x = Truss::place(i), from = x - Eigen::Vector2d(0.5 * truss.bays, 0.5);
    nodes.push_back(model.add(PlanarBody{.position = x, .velocity = {-spin * from.y(), spin * from.x()}}));
  }
  const std::vector<InteractionHandle> rods = truss.link(model, nodes, false);
  TimeStepping simulation(model, {.step = h});
  for (int step = 0; step < 2; ++step) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(report.redundant_rows, 1000);
    EXPECT_EQ(report.unexamined_rows, 0);
  }
  const auto force = [&](std::size_t k) { return simulation.state().impulse(rods[k])[0]; };
  double largest = 0.0;
  for (std::size_t k = 0; k < rods.size(); ++k) largest = std::max(largest, std::abs(force(k)));
  // In the middle T = w^2 2 (1 + ... + 500) = 500 501 w^2 [N] goes through a bay: a in each of both rods along it, d in
  // each diagonal, -sqrt(2) d in posts, 2 a + sqrt(2) d = T, and a = 2 sqrt(2) d as the state of stress is orthogonal:
  // a = 2/5 T, but for what T changes from bay to bay, 1 / 125000 of it.
  EXPECT_NEAR(largest, 0.4 * h * spin * spin * 500.0 * 501.0, 5e-5 * largest);
  // States of stress are known to the 20 eps that Ŵ z may leave in each of 5001 rows, over the least eigenvalue, 6e-11
  // of bending: 5e-3 at most.
  for (std::size_t bay = 0; bay < 1000; ++bay) {
    const std::size_t k = 5 * bay;
    const double sides = force(k) + force(k + 1) + force(k + 2) + force(k + 5), across = force(k + 3) + force(k + 4);
    EXPECT_NEAR(sides - std::sqrt(2.0) * across, 0.0, 5e-3 * largest) << bay;
  }
}

TEST(LargeLoops, ThatTheGlobalFormLeavesCountAsNotExamined) {
  NonSmoothDynamicalSystem model;
  (void)Truss(120).hang(model);
  TimeStepping simulation(model, {.step = 1e-3, .form = Form::Global});
  const StepReport report = simulation.step();
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(report.redundant_rows, 0);
  EXPECT_EQ(report.unexamined_rows, 599);
  EXPECT_LE(simulation.state().velocities.lpNorm<Eigen::Infinity>(), 1e-9);
}

TEST(LargeLoops, GoOnFromACopiedStateWithTheSameBits) {
  const Truss truss(100);
  NonSmoothDynamicalSystem model;
  (void)truss.hang(model);
  TimeStepping whole(model, {.step = 1e-3}), second(model, {.step = 1e-3});
  const auto step = [](TimeStepping& simulation) { ASSERT_TRUE(simulation.step()); };
  for (int k = 0; k < 2; ++k) step(whole);
  second.set_state(whole.state());
  for (int k = 0; k < 2; ++k) {
    step(whole);
    step(second);
  }
  EXPECT_EQ(second.state().positions, whole.state().positions);
  EXPECT_EQ(second.state().velocities, whole.state().velocities);
  EXPECT_EQ(second.state().multipliers, whole.state().multipliers);
}

TEST(LargeLoops, HaveTheOrderOfWhatIsCoupledNow) {
  // W of 25 bays whole, every row of which reaches the first, then without its zeros, where a row of the order reaches
  // back over no more than the rods of three bays: as if the whole W had not been.
  const Truss truss(25);
  const Index m = std::ssize(truss.rods);
  const Eigen::MatrixXd H = jacobian(truss, Eigen::VectorXd::Ones(m), false), W = H * H.transpose();
  std::vector<EqualityRows> parts;
  for (Index k = 0; k < m; ++k) parts.push_back({.block = k});
  RowEnvelope used, fresh;
  ASSERT_TRUE(used.write(blocks_of(W, true), parts, {}));
  EXPECT_EQ(used.width(), m - 1);
  ASSERT_TRUE(used.write(blocks_of(W, false), parts, {}));
  ASSERT_TRUE(fresh.write(blocks_of(W, false), parts, {}));
  EXPECT_LE(used.width(), 15);
  for (Index k = 0; k < m; ++k) EXPECT_EQ(used.place_of(k), fresh.place_of(k));
}

}  // namespace
}  // namespace nonsmooth::large_loops_test
