// SPDX-License-Identifier: Apache-2.0

// Integration of smooth phases: order conditions of the tables of Dormand and Prince, and orders measured.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <smooth/dormand_prince_tables.hpp>
#include <smooth/stepper.hpp>

#include "../kernel/fitted_order.hpp"
#include "smooth_steppers.hpp"

namespace nonsmooth::smooth::smooth_stepper_orders_test {
namespace {

// --- The tables ---------------------------------------------------------------------------------------------------

struct Tree {
  int order = 1;
  double density = 1.0;
  std::vector<std::size_t> children;  // indices of smaller or equal trees, not increasing
};

/// All rooted trees up to an order, small ones first: 1, 1, 2, 4, 9, 20, 48, 115 of each order.
std::vector<Tree> rooted_trees(int largest) {
  std::vector<Tree> trees{Tree{}};
  for (int order = 2; order <= largest; ++order) {
    const std::size_t smaller = trees.size();
    Tree tree;
    const std::function<void(int, std::size_t)> add = [&](int left, std::size_t bound) {
      if (left == 0) {
        tree.order = order, tree.density = order;
        for (const auto child : tree.children) tree.density *= trees[child].density;
        trees.push_back(tree);
        return;
      }
      for (std::size_t child = 0; child < bound; ++child) {
        if (trees[child].order > left) break;
        tree.children.push_back(child);
        add(left - trees[child].order, child + 1);
        tree.children.pop_back();
      }
    };
    add(order - 1, smaller);
  }
  return trees;
}

/// Elementary weights Phi_i of each tree at each slope of a table.
template <class Table>
std::vector<std::array<double, Table::slopes>> elementary_weights(const std::vector<Tree>& trees) {
  std::vector<std::array<double, Table::slopes>> weights;
  for (const auto& tree : trees) {
    auto& weight = weights.emplace_back();
    weight.fill(1.0);
    for (const auto child : tree.children) {
      for (std::size_t i = 0; i < Table::slopes; ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < i; ++j) sum += Table::a[i][j] * weights[child][j];
        weight[i] *= sum;
      }
    }
  }
  return weights;
}

/// Largest |sum b_i Phi_i(tree) - s^order / density| over the trees of one order.
template <class Table>
double violation(const std::array<double, Table::slopes>& b, int order, double s = 1.0) {
  static const auto trees = rooted_trees(8);
  static const auto weights = elementary_weights<Table>(trees);
  double worst = 0.0;
  for (std::size_t k = 0; k < trees.size(); ++k) {
    if (trees[k].order != order) continue;
    double sum = 0.0;
    for (std::size_t i = 0; i < Table::slopes; ++i) sum += b[i] * weights[k][i];
    worst = std::max(worst, std::abs(sum - std::pow(s, order) / trees[k].density));
  }
  return worst;
}

/// Weights of the slopes in (z(t + s h) - z) / h, as the table's comment states dense output.
template <class Table>
std::array<double, Table::slopes> dense_weights(double s) {
  std::array<double, Table::slopes> weights{};
  const double u = 1.0 - s;
  for (std::size_t i = 0; i < Table::slopes; ++i) {
    const double first = i == 0 ? 1.0 : 0.0, last = i == Table::end ? 1.0 : 0.0, step = Table::a[Table::end][i];
    double rest = 0.0;
    for (std::size_t r = Table::dense.size(); r-- > 0;) {
      rest = Table::dense[r][i] + (r + 1 == Table::dense.size() ? 0.0 : (r % 2 == 0 ? s : u) * rest);
    }
    weights[i] = s * (step + u * (first - step + s * (2.0 * step - first - last + u * rest)));
  }
  return weights;
}

// Sums of products of up to 8 coefficients below 1e3 that cancel to at most 1: 1e3 * 16 * 8 eps = 3e-11. A condition
// that does not hold is off by 1e-6 and more (measured below by the orders that shall fail).
constexpr double kRoundOff = 3e-11, kViolated = 1e-6;

template <class Table>
void check_table(const std::vector<std::pair<std::array<double, Table::slopes>, int>>& embedded) {
  for (std::size_t i = 0; i < Table::slopes; ++i) {
    double sum = 0.0;
    for (const double a : Table::a[i]) sum += a;
    EXPECT_NEAR(sum, Table::c[i], 1e-13) << i;  // entries up to 50, 12 of them
  }
  for (int order = 1; order <= Table::order; ++order) {
    EXPECT_LT(violation<Table>(Table::a[Table::end], order), kRoundOff) << order;
  }
  for (const double s : {0.1, 0.35, 0.5, 0.8, 1.0}) {
    for (int order = 1; order <= Table::dense_order; ++order) {
      EXPECT_LT(violation<Table>(dense_weights<Table>(s), order, s), kRoundOff) << s << ' ' << order;
    }
  }
  EXPECT_GT(violation<Table>(dense_weights<Table>(0.5), Table::dense_order + 1, 0.5), kViolated);
  for (const auto& [weights, embedded_order] : embedded) {
    for (int order = 1; order <= embedded_order; ++order) EXPECT_LT(violation<Table>(weights, order), kRoundOff);
    EXPECT_GT(violation<Table>(weights, embedded_order + 1), kViolated);
  }
}

template <class Table>
std::array<double, Table::slopes> embedded_weights() {
  auto weights = Table::a[Table::end];
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= Table::error[i];
  return weights;
}

TEST(DormandPrinceTables, OrderConditionsOfRootedTrees) {
  EXPECT_EQ(rooted_trees(8).size(), 200U);
  check_table<DormandPrinceTable5>({{embedded_weights<DormandPrinceTable5>(), 4}});
  check_table<DormandPrinceTable8>({{embedded_weights<DormandPrinceTable8>(), 5}, {DormandPrinceTable8::order3, 3}});
}

// --- Orders -------------------------------------------------------------------------------------------------------

TEST(SmoothSteppers, OrdersOfSteps) {
  // Errors c h^p (1 + a h) with |a h| <= 0.5 at the largest step: the logarithms are off a line by log 1.5 = 0.4 at
  // the coarse end of four points, which moves the slope by 0.4 * 1.5 / (5 log 2) = 0.17.
  Function f(3, closed_form_slope);
  const double end = 3.0;
  const auto measured = [&](const SmoothIntegrator& method, double first) {
    return fitted_order(first, 3, [&](double h) {
      const auto stepper = make(method, {.fixed_step = h}, f);
      stepper->start(0.0, closed_form(0.0));
      run_to(*stepper, end);
      return (stepper->z() - closed_form(end)).norm();
    });
  };
  EXPECT_NEAR(measured(DormandPrince{5}, 0.125), 5.0, 0.2);
  EXPECT_NEAR(measured(DormandPrince{8}, 0.5), 8.0, 0.2);
  EXPECT_NEAR(measured(RadauIIA{}, 0.25), 5.0, 0.2);
}

TEST(SmoothSteppers, OrdersInsideAStepAndOfShortenedSteps) {
  // One step from the exact value: errors of one order more than the polynomial's inside, and of one more than the
  // method's where the step is shortened to the same place. Tolerance as above.
  Function f(3, closed_form_slope);
  const double start = 0.4;
  const auto measured = [&](const SmoothIntegrator& method, double first, bool shorten, int halvings = 3) {
    return fitted_order(first, halvings, [&](double h) {
      const auto stepper = make(method, {.fixed_step = h}, f);
      stepper->start(start, closed_form(start));
      EXPECT_EQ(stepper->advance(10.0), Outcome::Taken);
      double worst = 0.0;
      VectorXd z;
      for (const double s : {0.9, 0.6, 0.3}) {
        const double t = start + s * h;
        if (shorten) {
          EXPECT_EQ(stepper->shorten(t), Outcome::Taken);
        }
        stepper->dense().evaluate(t, z);
        worst = std::max(worst, (z - closed_form(t)).norm());
      }
      return worst;
    });
  };
  EXPECT_NEAR(measured(DormandPrince{5}, 0.25, false), 5.0, 0.2);
  EXPECT_NEAR(measured(DormandPrince{8}, 0.8, false), 8.0, 0.2);
  EXPECT_NEAR(measured(RadauIIA{}, 0.25, false), 4.0, 0.2);
  EXPECT_NEAR(measured(DormandPrince{5}, 0.25, true), 6.0, 0.2);
  EXPECT_NEAR(measured(DormandPrince{8}, 1.2, true, 2), 9.0, 0.2);
  EXPECT_NEAR(measured(RadauIIA{}, 0.25, true), 6.0, 0.2);
}

}  // namespace
}  // namespace nonsmooth::smooth::smooth_stepper_orders_test
