// SPDX-License-Identifier: Apache-2.0
// The first downward zero of guards along a step, against zeros known beforehand.
#include "smooth/guard_roots.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::smooth::guard_roots_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// Guards given one by one.
class Functions : public Guards {
 public:
  using Function = std::function<double(double, const Eigen::VectorXd&)>;
  explicit Functions(std::vector<Function> functions) : functions_(std::move(functions)) {}
  [[nodiscard]] Index size() const override { return static_cast<Index>(functions_.size()); }
  void operator()(double t, const Eigen::VectorXd& z, Eigen::VectorXd& values) override {
    values.resize(size());
    for (std::size_t i = 0; i < functions_.size(); ++i) values[static_cast<Index>(i)] = functions_[i](t, z);
  }

 private:
  std::vector<Function> functions_;
};

Functions::Function component(Index i) {
  return [i](double, const Eigen::VectorXd& z) { return z[i]; };
}

/// z(t0 + s h) with these coefficients of the powers of s, one row for each component.
DensePolynomial polynomial(const Eigen::MatrixXd& coefficients, double t0 = 0.0, double h = 1.0) {
  DensePolynomial dense;
  dense.t0 = t0;
  dense.h = h;
  dense.degree = coefficients.cols() - 1;
  dense.coefficients = coefficients;
  return dense;
}

/// z = (s), for guards written as functions of t.
DensePolynomial clock(double t0 = 0.0, double h = 1.0) { return polynomial(Eigen::RowVector2d(0.0, 1.0), t0, h); }

/// scale times the product of (s - r).
Eigen::RowVectorXd product(const std::vector<double>& roots, double scale) {
  Eigen::RowVectorXd c = Eigen::RowVectorXd::Zero(static_cast<Index>(roots.size()) + 1);
  c[0] = scale;
  Index n = 0;
  for (const double r : roots) {
    ++n;
    for (Index k = n; k > 0; --k) c[k] = c[k - 1] - r * c[k];
    c[0] *= -r;
  }
  return c;
}

std::optional<Crossing> first(Guards& guards, const DensePolynomial& dense, const std::vector<int>& zeros = {},
                              const Eigen::VectorXd& dips = {}) {
  FirstCrossing search;
  return search.first(guards, dense, zeros, dips);
}

/// What the round-off of coefficients and of s makes of the place of a zero r of the product, and the bracket's 4 eps.
double place(const std::vector<double>& roots, double r, double t0 = 0.0, double h = 1.0) {
  double slope = 1.0, size = 1.0;
  for (const double other : roots) {
    if (other != r) slope *= std::abs(r - other);
    size *= 1.0 + std::abs(other);  // sum |c_k| for positive roots, a bound for all
  }
  return h * 2.0 * static_cast<double>(roots.size()) * eps * size / slope + 8.0 * eps * std::max(std::abs(t0), t0 + h);
}

TEST(GuardRoots, SimpleZerosOfPolynomials) {
  Functions guard({component(0)});
  for (const std::vector<double>& roots : {std::vector<double>{0.3}, {0.25, 0.75, 2.0}, {0.1, 0.2, 0.3, 0.4, 0.5}}) {
    const auto found = first(guard, polynomial(product(roots, -1.0)));
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->t, roots[0], place(roots, roots[0]));
    EXPECT_LE(found->before, found->t);
    EXPECT_GE(found->before, found->t - 4.0 * eps);
  }
}

TEST(GuardRoots, LooksAtTheDirection) {
  Functions guard({component(0)});
  EXPECT_FALSE(first(guard, polynomial(product({0.0, 2.0}, -1.0))));  // rises from zero and stays positive
  const auto start = first(guard, polynomial(product({0.4}, 1.0)));   // negative, rises through zero at 0.4
  ASSERT_TRUE(start);
  EXPECT_EQ(start->t, 0.0);
  EXPECT_EQ(start->before, 0.0);
  const auto later = first(guard, polynomial(product({0.0, 0.6}, -1.0)));  // rises from zero, falls at 0.6
  ASSERT_TRUE(later);
  EXPECT_NEAR(later->t, 0.6, place({0.0, 0.6}, 0.6));
}

TEST(GuardRoots, ADipBetweenSamplesIsFound) {
  Functions guard({component(0)});
  const std::vector<double> roots{0.61803, 0.61803 + 1e-6};  // the dip is 2.5e-13 deep
  const auto found = first(guard, polynomial(product(roots, 1.0)));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->t, roots[0], place(roots, roots[0]));
}

TEST(GuardRoots, ADipOfAFastOscillationIsFound) {
  // sin 50 t + 1 - depth is negative for |50 t - 3 pi / 2| < acos(1 - depth): zeros 1e-6 apart.
  const double half = 50.0 * 0.5e-6, depth = 2.0 * std::pow(std::sin(0.5 * half), 2);
  Functions guard({[&](double t, const Eigen::VectorXd&) { return std::sin(50.0 * t) + 1.0 - depth; }});
  const auto found = first(guard, clock());
  ASSERT_TRUE(found);
  // Values are right to 2 eps (sum) and 2 eps 50 t |cos|, the slope is 50 sin(half).
  EXPECT_NEAR(found->t, (1.5 * std::numbers::pi - half) / 50.0, 4.0 * eps / (50.0 * std::sin(half)));

  Functions sine({[](double t, const Eigen::VectorXd&) { return std::sin(50.0 * t); }});
  const auto half_period = first(sine, clock(), {1});
  ASSERT_TRUE(half_period);
  EXPECT_NEAR(half_period->t, std::numbers::pi / 50.0, 4.0 * eps);
}

TEST(GuardRoots, DistancesOnCurvedPaths) {
  Functions distance({[](double, const Eigen::VectorXd& z) { return z.squaredNorm() - 1.0; }});
  Eigen::MatrixXd cubic(2, 4);
  cubic << 1.2, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0;  // x = 1.2 - s^3
  auto found = first(distance, polynomial(cubic));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->t, std::cbrt(0.2), 8.0 * eps);  // slope 2 * 3 * 0.34: 4 eps of values are 2 eps of t

  Eigen::MatrixXd chord(2, 2);
  chord << -0.5, 1.0, 1.0 - 1e-13, 0.0;  // enters the disk by 1e-13 only, for 9e-7
  found = first(distance, polynomial(chord));
  ASSERT_TRUE(found);
  // x^2 + y^2 = 1 with y = 1 - d: x^2 = 2 d - d^2; 1 - 1e-13 itself is rounded by eps / 2, squares and sums by 2 eps.
  const double d = 1.0 - chord(1, 0), x = std::sqrt(2.0 * d - d * d);
  EXPECT_NEAR(found->t, 0.5 - x, 4.0 * eps / (2.0 * x));
}

TEST(GuardRoots, ZerosAtTheStartAreNotFoundAgain) {
  Functions guard({component(0)});
  for (const double noise : {0.0, 1e-17, -1e-17}) {
    for (const int order : {1, 2}) {
      std::vector<double> roots(static_cast<std::size_t>(order), 0.0);
      auto growing = polynomial(product(roots, 1.0));
      growing.coefficients(0, 0) += noise;
      EXPECT_FALSE(first(guard, growing, {order})) << order;
      auto falling = polynomial(product(roots, -1.0));
      falling.coefficients(0, 0) += noise;
      const auto at_start = first(guard, falling, {order});
      ASSERT_TRUE(at_start) << order;
      EXPECT_EQ(at_start->t, 0.0);
      for (const double next : {0.7, 1e-3, 1e-5}) {
        roots.push_back(next);
        auto curve = polynomial(product(roots, -1.0));
        curve.coefficients(0, 0) += noise;
        const auto found = first(guard, curve, {order});
        ASSERT_TRUE(found) << order << ' ' << next;
        const double slope = std::pow(next, order);
        EXPECT_NEAR(found->t, next, 8.0 * eps + (1.1 * std::abs(noise) + 4.0 * eps * slope * (1.0 + next)) / slope);
        roots.pop_back();
      }
    }
  }
}

TEST(GuardRoots, ASlopeOfRoundOffAtTheStartIsNoCrossing) {
  Functions guard({component(0)});
  // -1e-17 s + s^2 is negative for 1e-17 only, by 2.5e-35.
  const auto curve = polynomial(Eigen::RowVector3d(0.0, -1e-17, 1.0));
  EXPECT_FALSE(first(guard, curve, {1}));
  EXPECT_FALSE(first(guard, curve, {2}));
  EXPECT_FALSE(first(guard, curve, {0}));
  // A multiplier that stays zero but for round-off.
  Functions both({component(0), component(1)});
  EXPECT_FALSE(first(both, polynomial(Eigen::MatrixXd{{1.0, 1.0}, {1e-17, -3e-17}}), {}, Eigen::Vector2d(0.0, 1e-15)));
  EXPECT_FALSE(first(both, polynomial(Eigen::MatrixXd::Zero(2, 3))));
}

TEST(GuardRoots, StartsAtZeroAndFalls) {
  Functions guard({component(0)});
  for (const double value : {0.0, 1e-18, -1e-18}) {
    const auto found = first(guard, polynomial(Eigen::RowVector3d(value, -1.0, 0.5), 3.0, 0.1));
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->t, 3.0, 4.0 * eps * 3.0);
    EXPECT_LE(found->before, found->t);
  }
}

TEST(GuardRoots, SimultaneousZerosAreTied) {
  Functions guards({component(0), component(1), component(2), component(3)});
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(4, 4);
  c.row(0).head(2) = product({0.3}, -1.0);
  c.row(1).head(4) = product({0.3, 1.5, 2.0}, -1e6);
  c.row(2).head(2) = product({0.3 + 1e-12}, -1.0);  // later
  c.row(3).head(2) = product({0.3}, 1e-6);          // rises
  c(3, 0) += 1.0;
  const auto found = first(guards, polynomial(c));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->t, 0.3, 8.0 * eps);
  std::vector<Index> all = found->tied;
  all.push_back(found->guard);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (std::vector<Index>{0, 1}));
}

TEST(GuardRoots, TheEarliestOfNeighbouringZeros) {
  // 1e-11 apart, closer than interpolants of the sine tell, farther than round-off.
  const double t1 = 0.3 - 1e-11;
  Functions guards({[](double t, const Eigen::VectorXd&) { return 0.3 - t; },
                    [&](double t, const Eigen::VectorXd&) { return std::sin(3.0 * (t1 - t)); }});
  const auto found = first(guards, clock());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->guard, 1);
  EXPECT_NEAR(found->t, t1, 4.0 * eps);
  EXPECT_TRUE(found->tied.empty());
}

TEST(GuardRoots, GrazesAreNoCrossings) {
  Functions guard({component(0)});
  const auto parabola = [](double least) {
    Eigen::RowVectorXd c = product({0.4, 0.4}, 1.0);
    c[0] += least;
    return c;
  };
  EXPECT_FALSE(first(guard, polynomial(parabola(1e-14))));
  EXPECT_FALSE(first(guard, polynomial(parabola(0.0))));
  EXPECT_FALSE(first(guard, polynomial(parabola(-1e-12)), {}, Eigen::VectorXd::Constant(1, 2e-12)));
  const auto found = first(guard, polynomial(parabola(-1e-12)), {}, Eigen::VectorXd::Constant(1, 1e-13));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->t, 0.4 - 1e-6, 4.0 * eps / 2e-6);
  // The graze does not hide what comes after it, nor move it.
  std::vector<double> roots{0.4 - 1e-6, 0.4 + 1e-6, 0.9};
  const auto next = first(guard, polynomial(product(roots, -1.0)), {}, Eigen::VectorXd::Constant(1, 2e-12));
  ASSERT_TRUE(next);
  EXPECT_NEAR(next->t, 0.9, place(roots, 0.9));
}

TEST(GuardRoots, ProductsOfRandomFactors) {
  std::mt19937 random(12345);
  std::uniform_real_distribution<double> place_of(-0.5, 1.5), size(-3.0, 3.0);
  Functions guard({component(0)});
  FirstCrossing search;
  int looked_at = 0, crossings = 0;
  for (int k = 0; k < 3000; ++k) {
    std::vector<double> roots(1 + random() % 7);
    for (double& r : roots) r = place_of(random);
    if (random() % 4 == 0 && roots.size() > 1) roots[1] = roots[0] + 1e-4 * place_of(random);
    std::sort(roots.begin(), roots.end());
    const double scale = std::pow(10.0, size(random)) * (random() % 2 == 0 ? 1.0 : -1.0);
    const auto dense = polynomial(product(roots, scale), random() % 2 == 0 ? 0.0 : 7.0, random() % 2 == 0 ? 1.0 : 0.01);
    const double noise = 64.0 * eps * dense.coefficients.cwiseAbs().sum();
    // The exact answer, unless a value between zeros, or at the start, is within round-off.
    const auto value = [&](double s) {
      double product_of = scale;
      for (const double r : roots) product_of *= s - r;
      return product_of;
    };
    double expected = value(0.0) < 0.0 ? 0.0 : 2.0;
    bool clear = std::abs(value(0.0)) > noise;
    for (std::size_t i = 0; i < roots.size(); ++i) {
      if (roots[i] <= 0.0 || roots[i] >= 1.0) continue;
      const double next = i + 1 < roots.size() ? std::min(roots[i + 1], 1.0) : 1.0;
      clear = clear && std::abs(value(0.5 * (roots[i] + next))) > noise;
      if (expected > 1.0) expected = roots[i];
    }
    if (!clear) continue;
    ++looked_at;
    const auto found = search.first(guard, dense, {}, {});
    ASSERT_EQ(found.has_value(), expected <= 1.0) << k;
    if (!found) continue;
    ++crossings;
    const double t = dense.t0 + expected * dense.h;
    if (expected == 0.0) {
      EXPECT_EQ(found->t, t) << k;
      continue;
    }
    double slope = std::abs(scale);
    for (const double r : roots) slope *= r == expected ? 1.0 : std::abs(expected - r);
    EXPECT_NEAR(found->t, t, dense.h * noise / slope + 8.0 * eps * std::max(dense.t0, dense.end())) << k;
    EXPECT_LE(found->before, found->t);
  }
  EXPECT_GT(looked_at, 2700);
  EXPECT_GT(crossings, 1500);
}

TEST(GuardRoots, OneInterpolationWhereNothingCrosses) {
  // 60 guards, smooth at the scale of the step: eleven evaluations for all of them, whatever step it is.
  std::vector<Functions::Function> functions;
  for (int i = 0; i < 60; ++i) {
    functions.emplace_back(
        [i](double t, const Eigen::VectorXd& z) { return 1.0 + 0.01 * i + 0.5 * std::sin(z[0] + t); });
  }
  Functions guards(functions);
  FirstCrossing search;
  for (int k = 1; k <= 5; ++k) {
    EXPECT_FALSE(search.first(guards, clock(static_cast<double>(k)), {}, {}));
    EXPECT_EQ(search.evaluations(), 11 * k);
  }
  // Guards that hardly move, far from zero, are let go after four, those that move evenly after seven; one among them
  // that does not asks for all eleven.
  const auto still = [](double, const Eigen::VectorXd& z) { return 1.0 + 1e-3 * std::sin(z[0]); };
  const auto even = [](double, const Eigen::VectorXd& z) { return 1.0 + 0.2 * z[0] + 1e-5 * std::sin(z[0]); };
  const auto moving = [](double, const Eigen::VectorXd& z) { return 1.0 + 0.5 * std::sin(3.0 * z[0]); };
  Functions calm({still, still}), straight({still, even}), mixed({still, moving});
  FirstCrossing four, seven, eleven;
  EXPECT_FALSE(four.first(calm, clock(), {}, {}));
  EXPECT_EQ(four.evaluations(), 4);
  EXPECT_FALSE(seven.first(straight, clock(), {}, {}));
  EXPECT_EQ(seven.evaluations(), 7);
  EXPECT_FALSE(eleven.first(mixed, clock(), {}, {}));
  EXPECT_EQ(eleven.evaluations(), 11);
  // A dip between five of them, and one at a scale of which they see the ends only.
  Functions dip({[](double, const Eigen::VectorXd& z) { return 0.5 + std::cos(7.588342 * (2.0 * z[0] - 1.0)); }});
  FirstCrossing close;
  EXPECT_TRUE(close.first(dip, clock(), {}, {}));
  // An affine guard's zero: the same eleven, and the bracket on the guard itself.
  Functions line({component(0)});
  FirstCrossing other;
  ASSERT_TRUE(other.first(line, polynomial(product({0.37}, -1.0)), {}, {}));
  EXPECT_LE(other.evaluations(), 22);
}

TEST(GuardRoots, NoiseEnds) {
  // A guard that is nothing but noise of 1e-9 about zero, with no dip allowed: the search ends, and costs what it says.
  std::mt19937 random(1);
  std::uniform_real_distribution<double> noise(-1e-9, 1e-9);
  Functions guard({[&](double, const Eigen::VectorXd&) { return noise(random); }});
  FirstCrossing search;
  (void)search.first(guard, clock(), {}, {});
  EXPECT_LT(search.evaluations(), 9 * 3 * 1024);
}

TEST(GuardRoots, BadInput) {
  Functions guard({component(0)}), broken({[](double t, const Eigen::VectorXd&) { return std::sqrt(0.5 - t); }});
  EXPECT_THROW((void)first(broken, clock()), InvalidArgument);
  EXPECT_THROW((void)first(guard, clock(), {0, 0}), InvalidArgument);
  EXPECT_THROW((void)first(guard, clock(), {5}), InvalidArgument);
  EXPECT_THROW((void)first(guard, clock(), {}, Eigen::VectorXd::Constant(1, -1.0)), InvalidArgument);
  EXPECT_THROW((void)first(guard, clock(), {}, Eigen::VectorXd::Zero(2)), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::smooth::guard_roots_test
