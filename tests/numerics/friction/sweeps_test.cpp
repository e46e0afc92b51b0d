// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <friction/reduced/large_pages.hpp>
#include <friction/reduced/sweeps.hpp>

#include <nonsmooth/numerics/friction/gauss_seidel.hpp>
#include <problems/complementarity.hpp>
#include <problems/piles.hpp>

namespace nonsmooth::sweeps_test {
namespace {

using friction::internal::LargePages;
using friction::internal::SweepPlan;
using friction::internal::Sweeps;
using mixed::local::Radial3D;

constexpr double eps = std::numeric_limits<double>::epsilon();

struct Course {
  Eigen::VectorXd r;
  std::vector<double> changes;
};

/// Sweeps of each kind, forward and backward, plain and relaxed, with and without rests.
Course course(const friction::Problem& problem, bool four_lanes) {
  std::vector<Index> order(static_cast<std::size_t>(problem.K.num_blocks()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  ThreadPool pool(1);
  Sweeps sweeps;
  sweeps.prepare(problem, order, nullptr);
  Course result{.r = Eigen::VectorXd::Zero(problem.W.rows()), .changes = {}};
  sweeps.load(result.r.data());
  for (int k = 0; k < 40; ++k) {
    SweepPlan plan{.relaxation = k % 4 == 3 ? 1.2 : 1.0, .backward = k % 3 == 2, .four_lanes = four_lanes};
    if (k % 5 == 4) plan.resting_change = 0.01 * result.changes.back();
    result.changes.push_back(
        sweeps.sweep(plan, pool, detail::Deadline(std::numeric_limits<double>::infinity())).change);
  }
  sweeps.store(result.r.data());
  return result;
}

TEST(FrictionSweeps, AnyNumberOfLanesGivesTheSameBits) {
  for (const auto rest : {problems::Rest::Flowing, problems::Rest::Settled}) {
    const friction::Problem problem = problems::reduced_problem(problems::ball_pile(150, 1, rest));
    const Course two = course(problem, false), four = course(problem, true);
    EXPECT_TRUE((two.r.array() == four.r.array()).all());
    EXPECT_EQ(two.changes, four.changes);
    // They are sweeps of some use.
    EXPECT_LT(two.changes.back(), 0.5 * *std::max_element(two.changes.begin(), two.changes.end()));
    EXPECT_GT(two.r.norm(), 0.0);
  }
}

/// The problem with the first entry of every block below the diagonal moved by its last bit: W is symmetric to
/// round-off and no block is the transposed of another.
friction::Problem without_mirrored_blocks(friction::Problem problem) {
  BlockSparseMatrix& W = problem.W;
  for (Index i = 0; i < W.num_block_rows(); ++i)
    for (Index k = W.row_begin(i); k < W.diagonal(i); ++k)
      W.values(k)[0] = std::nextafter(W.values(k)[0], std::numeric_limits<double>::infinity());
  return problem;
}

/// Sweeps of each kind, by colours or in the order itself, from reactions that change in between; more of them than the
/// sums of shared blocks live.
Eigen::VectorXd long_course(const friction::Problem& problem, bool colored, int threads) {
  std::vector<Index> order(static_cast<std::size_t>(problem.K.num_blocks()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  friction::internal::Coloring coloring;
  if (colored) coloring.color(problem.W, order);
  ThreadPool pool(threads);
  Sweeps sweeps;
  sweeps.prepare(problem, order, colored ? &coloring : nullptr);
  Eigen::VectorXd r = Eigen::VectorXd::Zero(problem.W.rows());
  sweeps.load(r.data());
  double change = 0.0;
  for (int k = 0; k < 120; ++k) {
    SweepPlan plan{.relaxation = k % 7 == 3 ? 1.2 : 1.0, .backward = k % 3 == 2};
    if (k % 5 >= 3) plan.resting_change = 0.01 * change;
    change = sweeps.sweep(plan, pool, detail::Deadline(std::numeric_limits<double>::infinity())).change;
    if (k % 5 == 4) sweeps.wake();
    if (k == 20 || k == 51)
      for (Index i = 0; i < sweeps.num_reactions(); ++i) sweeps.change_reactions()[i] *= 1.5;
    if (k == 51) sweeps.project();
  }
  sweeps.store(r.data());
  return r;
}

TEST(FrictionSweeps, BlocksStoredForTwoRowsGiveWhatTwoBlocksDo) {
  for (const auto rest : {problems::Rest::Flowing, problems::Rest::Settled}) {
    const friction::Problem problem = problems::reduced_problem(problems::ball_pile(600, 2, rest));
    const friction::Problem apart = without_mirrored_blocks(problem);
    for (const bool colored : {false, true}) {
      const Eigen::VectorXd shared = long_course(problem, colored, 1), plain = long_course(apart, colored, 1);
      // Each sweep leaves some ten units of round-off, times the ratio of W's largest entries to its diagonal's
      // smallest, some ten; those of all 120 may add up.
      EXPECT_LE((shared - plain).norm(), 120 * 100 * eps * plain.norm());
      EXPECT_GT(plain.norm(), 0.0);
      if (colored) {
        EXPECT_TRUE((shared.array() == long_course(problem, true, 2).array()).all());
        EXPECT_TRUE((shared.array() == long_course(problem, true, 3).array()).all());
      }
    }
  }
}

TEST(FrictionSweeps, SharedBlocksKeepTheirDigitsOverThousandsOfSweeps) {
  const friction::Problem problem = problems::reduced_problem(problems::ball_pile(60, 2, problems::Rest::Flowing));
  for (const bool freeze : {false, true}) {
    const friction::Result result =
        friction::solve(problem, friction::GaussSeidel{.tolerance = 1e-300, .max_iterations = 4000, .freeze = freeze});
    EXPECT_GT(result.iterations, 500);
    // A sum of some ten terms, made anew before its additions leave more than ten units of round-off.
    EXPECT_LE(result.certificate.error, 20.0 * eps);
  }
}

/// A contact at rest in nothing: W symmetric positive definite, its coupling small against its diagonal, so that the
/// local solution is unique for mu <= 1.
struct RandomContact {
  Eigen::Matrix3d W;
  Eigen::Vector3d b;
  double mu;

  explicit RandomContact(std::mt19937_64& random) {
    Eigen::Matrix3d part;
    for (double& entry : part.reshaped()) entry = problems::draw(random, -0.2, 0.2);
    W = part * part.transpose();
    for (Index i = 0; i < 3; ++i) W(i, i) += problems::draw(random, 0.7, 2.0);
    b = {-problems::draw(random, 0.5, 1.0), problems::draw(random, -1.0, 1.0), problems::draw(random, -1.0, 1.0)};
    mu = problems::draw(random, 0.1, 1.0);
  }
};

TEST(FrictionSweeps, ShortcutsOfALocalSolveGiveItsSolution) {
  std::mt19937_64 random(3);
  int sticks = 0, slides = 0;
  for (int k = 0; k < 2000; ++k) {
    const RandomContact contact(random);
    Radial3D law;
    ASSERT_TRUE(law.prepare(contact.W.data(), contact.mu, false));
    Eigen::Vector3d r = Eigen::Vector3d::Zero();
    ASSERT_TRUE(law.solve(contact.b.data(), r.data()));

    Eigen::Vector3d shortcut = Eigen::Vector3d::Constant(7.0);
    const bool sticks_here = law.stick(contact.b.data(), shortcut.data());
    // Both sides test the same cone; a contact within their round-off of its border is unlikely to be drawn.
    EXPECT_EQ(sticks_here, law.mode == Radial3D::Mode::Stick);
    if (sticks_here) {
      ++sticks;
      EXPECT_LE((shortcut - r).norm(), 100.0 * eps * r.norm());  // some thirty operations, W's condition below 4
      EXPECT_FALSE(law.slide(contact.b.data(), shortcut.data()));
      continue;
    }
    EXPECT_TRUE((shortcut.array() == 7.0).all());

    // The next visit comes with almost the same b.
    const Eigen::Vector3d b = contact.b + 1e-5 * Eigen::Vector3d::Random();
    const double start = law.slip;
    const bool slid = law.slide(b.data(), shortcut.data());
    Radial3D cold;
    ASSERT_TRUE(cold.prepare(contact.W.data(), contact.mu, false));
    ASSERT_TRUE(cold.solve(b.data(), r.data()));
    if (!slid) {
      EXPECT_EQ(law.slip, start);
      EXPECT_TRUE((shortcut.array() == 7.0).all());
      continue;
    }
    ++slides;
    // slide() leaves 64 eps of the radius, about as much in r for a condition below 4.
    EXPECT_LE((shortcut - r).norm(), 1000.0 * eps * r.norm());
    EXPECT_LE(shortcut.tail<2>().norm(), contact.mu * shortcut[0] * (1.0 + 4.0 * eps));
  }
  EXPECT_GT(sticks, 100);
  EXPECT_GT(slides, 100);
}

TEST(FrictionSweeps, ShortcutsRefuseWhatTheyCannotSolve) {
  const Eigen::Matrix3d singular = Eigen::Vector3d(2.0, 0.0, 0.0).asDiagonal();
  const Eigen::Vector3d pressed(-1.0, 0.1, 0.0), lifted(1.0, 0.1, 0.0);
  const Eigen::Vector3d invalid(std::numeric_limits<double>::quiet_NaN(), 0.0, 0.0);
  for (const double mu : {0.0, 0.5}) {
    for (const Eigen::Matrix3d& W : {singular, Eigen::Matrix3d(Eigen::Matrix3d::Identity())}) {
      Radial3D law;
      ASSERT_TRUE(law.prepare(W.data(), mu, false));
      law.slip = 0.5;
      Eigen::Vector3d r = Eigen::Vector3d::Constant(7.0);
      for (const Eigen::Vector3d& b : {lifted, invalid}) {
        EXPECT_FALSE(law.stick(b.data(), r.data()));
        EXPECT_FALSE(law.slide(b.data(), r.data()));
      }
      if (mu == 0.0 || W(1, 1) == 0.0) {
        EXPECT_FALSE(law.stick(pressed.data(), r.data()));
        EXPECT_FALSE(law.slide(pressed.data(), r.data()));
      }
      EXPECT_TRUE((r.array() == 7.0).all());
    }
  }
}

TEST(FrictionSweeps, LargePagesAlignWhatTheyHold) {
  std::vector<double, LargePages<double>> few(10), many(std::size_t{1} << 20, 1.0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(few.data()) % 64, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(many.data()) % (std::uintptr_t{1} << 21), 0U);
  many.resize(many.size() + 3, 2.0);  // moves, and ends inside a page
  EXPECT_EQ(many.front(), 1.0);
  EXPECT_EQ(many.back(), 2.0);
}

}  // namespace
}  // namespace nonsmooth::sweeps_test
