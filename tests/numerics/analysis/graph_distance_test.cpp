// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string_view>

#include <nonsmooth/numerics/analysis.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::analysis::graph_distance_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// From -1 to 1 at an instant, over [0, 3].
FilledGraph jump_at(double instant) {
  return {.t = VectorXd{{0.0, instant, instant, 3.0}}, .x = MatrixXd{{-1.0, -1.0, 1.0, 1.0}}};
}

// Rounding of sums of a few numbers of size 1.
constexpr double kRounding = 1e-14;

TEST(GraphDistance, OfOneJumpAtTwoInstants) {
  const FilledGraph a = jump_at(1.0), b = jump_at(1.25);
  EXPECT_NEAR(l1_distance(a, b), 0.5, kRounding);  // 2 over a quarter
  EXPECT_EQ(sup_distance(a, b), 2.0);
  EXPECT_NEAR(hausdorff_distance(a, b), 0.25, kRounding);
  EXPECT_NEAR(hausdorff_distance(a, b, {.time_scale = 0.5}), 0.5, kRounding);
  EXPECT_EQ(hausdorff_distance(a, a), 0.0);
  EXPECT_EQ(sup_distance(a, a), 0.0);
  EXPECT_EQ(l1_distance(a, a), 0.0);
}

// a climbs to 1 and is back, b is 0: |a - b| has a triangle of area 1. From the tip down it is 1, whatever is beside.
TEST(GraphDistance, OfATip) {
  const FilledGraph a{.t = VectorXd{{0.0, 1.0, 2.0}}, .x = MatrixXd{{0.0, 1.0, 0.0}}},
      b{.t = VectorXd{{0.0, 2.0}}, .x = MatrixXd{{0.0, 0.0}}};
  EXPECT_NEAR(l1_distance(a, b), 1.0, kRounding);
  EXPECT_EQ(sup_distance(a, b), 1.0);
  EXPECT_EQ(hausdorff_distance(a, b), 1.0);
}

// Both rise by 2, half a second apart: all points of one rise between 0.5 and 1.5 are as far from the other graph.
TEST(GraphDistance, IsTheSameAlongARise) {
  const FilledGraph up{.t = VectorXd{{0.0, 2.0, 2.0, 4.0}}, .x = MatrixXd{{0.0, 0.0, 2.0, 2.0}}},
      around{.t = VectorXd{{0.0, 2.0, 2.5, 2.5, 2.5, 4.0}}, .x = MatrixXd{{0.0, 0.0, 0.0, 2.0, 2.0, 2.0}}};
  EXPECT_NEAR(hausdorff_distance(up, around), 0.5, 1e-6 * 0.5);
}

TEST(GraphDistance, OfALineThatCrossesAnother) {
  const FilledGraph a{.t = VectorXd{{0.0, 2.0}}, .x = MatrixXd{{-1.0, 1.0}}},
      b{.t = VectorXd{{0.0, 2.0}}, .x = MatrixXd{{1.0, -1.0}}};
  EXPECT_NEAR(l1_distance(a, b), 2.0, kRounding);  // |2 - 2 t| over [0, 2]
  EXPECT_EQ(sup_distance(a, b), 2.0);
  // An end is nearest to the foot of its perpendicular on the other line, sqrt(2) away.
  EXPECT_NEAR(hausdorff_distance(a, b), std::sqrt(2.0), kRounding);
}

TEST(GraphDistance, ScalesCountByComponent) {
  const FilledGraph a{.t = VectorXd{{0.0, 1.0}}, .x = MatrixXd{{0.0, 0.0}, {0.0, 0.0}}},
      b{.t = VectorXd{{0.0, 1.0}}, .x = MatrixXd{{3.0, 3.0}, {400.0, 400.0}}};
  EXPECT_NEAR(hausdorff_distance(a, b, {.scales = VectorXd{{1.0, 100.0}}}), 5.0, kRounding);
  EXPECT_NEAR(l1_distance(a, b), 403.0, 1e3 * kRounding);
}

TEST(GraphDistance, OfStepFunctions) {
  const VectorXd t{{0.0, 1.0, 2.0}};
  const MatrixXd x{{5.0, 1.0, 2.0}};
  const FilledGraph before = step_function(t, x), after = step_function(t, x, Hold::After);
  const FilledGraph zero{.t = VectorXd{{0.0, 2.0}}, .x = MatrixXd{{0.0, 0.0}}};
  EXPECT_NEAR(l1_distance(before, zero), 3.0, kRounding);  // 1 and 2
  EXPECT_NEAR(l1_distance(after, zero), 6.0, kRounding);   // 5 and 1
  EXPECT_EQ(sup_distance(before, zero), 2.0);              // 5 at an instant alone is not seen
  EXPECT_EQ(hausdorff_distance(before, zero), 5.0);        // but it is on the graph
}

// Against points strewn over both graphs: what they give is too small or too large by at most their distance.
TEST(GraphDistance, OfRandomGraphsIsThatOfManyPoints) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int run = 0; run < 5; ++run) {
    const auto graph = [&] {
      FilledGraph made{VectorXd(12), MatrixXd(2, 12)};
      for (Index k = 0; k < 12; ++k) {
        made.t[k] = k % 3 == 2 ? made.t[k - 1] : static_cast<double>(k) + 0.2 * uniform(random);
        for (Index i = 0; i < 2; ++i) made.x(i, k) = uniform(random);
      }
      made.t[0] = 0.0;
      made.t[11] = 12.0;
      return made;
    };
    constexpr Index kPoints = 60;  // a segment
    const auto strewn = [](const FilledGraph& g) {
      MatrixXd points(3, 11 * kPoints + 1);
      for (Index k = 0; k < 11; ++k) {
        for (Index p = 0; p <= kPoints; ++p) {
          const double part = static_cast<double>(p) / static_cast<double>(kPoints);
          points(0, k * kPoints + p) = g.t[k] + part * (g.t[k + 1] - g.t[k]);
          points.col(k * kPoints + p).tail(2) = g.x.col(k) + part * (g.x.col(k + 1) - g.x.col(k));
        }
      }
      return points;
    };
    const FilledGraph a = graph(), b = graph();
    const MatrixXd of_a = strewn(a), of_b = strewn(b);
    double largest = 0.0, gap = 0.0;
    for (Index p = 0; p < of_a.cols(); ++p) {
      largest = std::fmax(largest, std::sqrt((of_b.colwise() - of_a.col(p)).colwise().squaredNorm().minCoeff()));
      largest = std::fmax(largest, std::sqrt((of_a.colwise() - of_b.col(p)).colwise().squaredNorm().minCoeff()));
      if (p > 0)
        gap = std::fmax(gap, std::fmax((of_a.col(p) - of_a.col(p - 1)).norm(), (of_b.col(p) - of_b.col(p - 1)).norm()));
    }
    EXPECT_NEAR(hausdorff_distance(a, b, {.accuracy = 1e-9}), largest, 0.5 * gap) << run;
  }
}

template <class Call>
void expect_refused(const Call& call, std::string_view argument, std::string_view words) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << argument;
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.argument(), argument) << error.what();
    EXPECT_NE(std::string_view(error.what()).find(words), std::string_view::npos) << error.what();
  }
}

TEST(GraphDistance, RefusesWhatIsNoFunction) {
  const FilledGraph good = jump_at(1.0);
  FilledGraph backwards = good, torn = good, other = good, longer = good, instant = good;
  backwards.t[1] = -1e-9;
  torn.x(0, 2) = std::numeric_limits<double>::quiet_NaN();
  other.x = MatrixXd::Zero(2, 4);
  longer.t[3] = 3.00000005;
  instant.t.setConstant(1e-9);
  const auto refused = [&](const FilledGraph& bad, std::string_view argument, std::string_view words) {
    expect_refused([&] { (void)l1_distance(good, bad); }, argument, words);
    expect_refused([&] { (void)sup_distance(good, bad); }, argument, words);
    expect_refused([&] { (void)hausdorff_distance(good, bad); }, argument, words);
  };
  refused(backwards, "analysis::FilledGraph::t", "-1e-09 after 0 at instant 1");
  refused(torn, "analysis::FilledGraph", "at instant 2");
  refused(other, "analysis::FilledGraph::x", "2 components in the second graph");
  refused(longer, "analysis::FilledGraph::t", "e-08 s apart");
  refused(instant, "analysis::FilledGraph::t", "1e-09");
  refused(FilledGraph{}, "analysis::FilledGraph::t", "0 instants");
  const auto measured = [&](const GraphMetric& metric, std::string_view argument, std::string_view words) {
    expect_refused([&] { (void)hausdorff_distance(good, good, metric); }, argument, words);
  };
  measured({.time_scale = -1e-9}, "analysis::GraphMetric::time_scale", "-1e-09");
  measured({.time_scale = std::numeric_limits<double>::infinity()}, "analysis::GraphMetric::time_scale", "inf");
  measured({.scales = VectorXd{{1.0, 1.0}}}, "analysis::GraphMetric::scales", "2 entries");
  measured({.scales = VectorXd{{-1e-9}}}, "analysis::GraphMetric::scales", "-1e-09 for component 0");
  measured({.accuracy = 1e-13}, "analysis::GraphMetric::accuracy", "1e-13");
  expect_refused([&] { (void)step_function(good.t, good.x); }, "analysis::step_function::t", "instant 1 twice");
}

}  // namespace
}  // namespace nonsmooth::analysis::graph_distance_test
