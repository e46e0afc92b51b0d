// SPDX-License-Identifier: Apache-2.0
// Problems on grids (obstacles, torsion, lubrication, options), against closed forms and published figures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <nonsmooth/numerics/lcp.hpp>

#include "../../problems/finance.hpp"
#include "../../problems/lubrication.hpp"
#include "../../problems/obstacle.hpp"
#include "published_test.hpp"

namespace nonsmooth::published_grids_test {
namespace {

using published::distance;
using published::solved;
using published::tolerance;

double worst(const problems::Discretized& d, ConstVectorRef z) { return (z - d.exact).cwiseAbs().maxCoeff(); }

/// Every algorithm for M-matrices gives one answer, automatic's, which is returned. M^-1 >= 0, so two z of residual r
/// are no further apart than 2 r scale |M^-1|_inf, with |M^-1|_inf = max(M^-1 1) =: reach.
Eigen::VectorXd solved_by_the_class(const lcp::SparseProblem& problem, double reach) {
  const Eigen::VectorXd z = solved(problem, lcp::Automatic{});
  const double bound = 4.0 * tolerance * problem.q.cwiseAbs().maxCoeff() * reach;
  EXPECT_LE(distance(solved(problem, lcp::PrimalDualActiveSet{}), z), bound);
  EXPECT_LE(distance(solved(problem, lcp::BlockPrincipalPivoting{}), z), bound);
  return z;
}

/// The exponent p of errors c h^p, by least squares over halved steps.
double order(const std::vector<double>& h, const std::vector<double>& error) {
  double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  const auto n = static_cast<double>(h.size());
  for (std::size_t k = 0; k < h.size(); ++k) {
    const double a = std::log(h[k]), b = std::log(error[k]);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

TEST(Obstacle, StringOverAHillErrsByTheEdgeAlone) {
  for (const Index n : {63, 100, 127, 200, 255, 511, 1023}) {
    const problems::Discretized d = problems::string_over_hill(n);
    // max(M^-1 1) = (n + 1)^2/8.
    const Eigen::VectorXd z = solved_by_the_class(d.problem, double((n + 1) * (n + 1)) / 8.0);
    // Straight pieces are exact; the last node on the hill is up to h/2 from a, where |psi''| <= 9: 9/2 (h/2)^2.
    EXPECT_LE(worst(d, z), 9.0 / 8.0 * d.h * d.h) << n;
  }
}

TEST(Obstacle, MembraneOverABallIsOfSecondOrder) {
  std::vector<double> h, error;
  for (const Index m : {19, 39, 79, 159}) {  // the last by automatic alone: pivoting by blocks takes seconds
    const problems::Discretized d = problems::membrane_over_ball(m);
    // M^-1 1 is the membrane under a load of 1/h^2 per unit: below (2^2/2)/h^2.
    const Eigen::VectorXd z =
        m < 100 ? solved_by_the_class(d.problem, 2.0 / (d.h * d.h)) : solved(d.problem, lcp::Automatic{});
    h.push_back(d.h), error.push_back(worst(d, z));
  }
  EXPECT_NEAR(order(h, error), 2.0, 0.3);  // scattered as above, over a factor of 8 in h
  EXPECT_LE(error.back(), 2.0 * h.back() * h.back());
}

TEST(Torsion, CircularSectionYieldsAsInTheClosedForm) {
  for (const double c : {1.0, 2.0, 3.0, 10.0}) {
    const problems::Discretized d = problems::torsion_disk(400, c);
    const Eigen::VectorXd z = solved_by_the_class(d.problem, 1.0 / (4.0 * d.h * d.h) * 4.0 / d.h);
    // Cells are exact for u = r^2; the cone's tip and the edge of the core err by their cell's load, c h^2.
    EXPECT_LE(worst(d, z), c * d.h * d.h) << c;
    double torque = 0.0;
    for (Index i = 0; i < 400; ++i) {
      const double r = double(i) * d.h;
      torque += 4.0 * std::numbers::pi * d.h * r * (1.0 - r - z[i]);
    }
    // Trapezia: h^2/12 times the change 2 (u + r u') of slope across [0, 1], and 2 pi max|error of u|.
    EXPECT_NEAR(torque, problems::torsion_disk_torque(c), 4.0 * std::numbers::pi * (1.0 + c) * d.h * d.h) << c;
    EXPECT_LT(torque, 2.0 * std::numbers::pi / 3.0);
  }
}

TEST(Torsion, SquareSectionGoesFromElasticToThePlasticLimit) {
  const Index m = 63;
  double before = 0.0;
  for (const double c : {2.0, 4.0, 8.0, 20.0, 200.0, 400.0}) {
    const problems::Discretized d = problems::torsion_square(m, c);
    const Eigen::VectorXd z = solved_by_the_class(d.problem, 0.0737 / (d.h * d.h));
    const auto u = [&](Index i, Index j) {
      if (std::min(i, j) < 0 || std::max(i, j) >= m) return 0.0;
      return d.h * double(std::min(std::min(i + 1, m - i), std::min(j + 1, m - j))) - z[j * m + i];
    };
    double torque = 0.0, slope = 0.0;
    for (Index j = -1; j < m; ++j) {
      for (Index i = -1; i < m; ++i) {
        torque += 2.0 * d.h * d.h * u(i, j);
        const double u_x = (u(i + 1, j) + u(i + 1, j + 1) - u(i, j) - u(i, j + 1)) / (2.0 * d.h);
        const double u_y = (u(i, j + 1) + u(i + 1, j + 1) - u(i, j) - u(i + 1, j)) / (2.0 * d.h);
        slope = std::max(slope, std::hypot(u_x, u_y));
      }
    }
    // What the obstacle stands for: no slope is above 1. Its second derivatives are below c, cells are h.
    EXPECT_LE(slope, 1.0 + c * d.h * d.h) << c;
    EXPECT_GT(torque, before) << c;
    before = torque;
    if (c == 2.0) {  // elastic: Saint-Venant's series; five points err by h^2/12 u'''' ~ h^2 c, relative to 0.07 c
      double series = 1.0 / 6.0;
      for (int k = 1; k < 40; k += 2) {
        series -= 32.0 / std::pow(std::numbers::pi, 5) * std::tanh(k * std::numbers::pi / 2.0) / std::pow(k, 5);
      }
      EXPECT_NEAR(torque / c, series, d.h * d.h);
      EXPECT_GT(z.minCoeff(), 0.0);  // nothing has yielded
    }
    if (c == 400.0) {  // above 4/h the load exceeds what the ridges carry: all plastic, u = distance to round-off
      EXPECT_LE(z.cwiseAbs().maxCoeff(), tolerance);
      EXPECT_NEAR(torque, 1.0 / 3.0, d.h * d.h);  // sums of a pyramid
    }
  }
}

TEST(JournalBearing, LongBearingMeetsTheClosedForm) {
  for (const double e : {0.2, 0.5, 0.8}) {
    const problems::LongBearing bearing{e};
    // The closed form itself: (H^3 p')' = H' where p > 0, p = p' = 0 at the rupture.
    const double step = 1e-4, t = 2.0;
    const auto flow = [&](double s) {
      return std::pow(bearing.film(s), 3) * (bearing.pressure(s + step) - bearing.pressure(s - step)) / (2.0 * step);
    };
    EXPECT_NEAR((flow(t + step) - flow(t - step)) / (2.0 * step), -e * std::sin(t), 1e-5);
    EXPECT_NEAR(bearing.pressure(bearing.rupture() - 1e-6), 0.0, 1e-9);
    std::vector<double> h, error;
    for (const Index n : {100, 200, 400, 800}) {
      const problems::Discretized d = problems::long_bearing(n, e);
      const double n2 = double(n) * double(n);
      const Eigen::VectorXd z = solved_by_the_class(d.problem, n2 / (8.0 * std::pow(1.0 - e, 3)));
      h.push_back(d.h), error.push_back(worst(d, z));
    }
    EXPECT_NEAR(order(h, error), 2.0, 0.25) << e;
  }
}

TEST(JournalBearing, FiniteBearingMeetsRaimondiAndBoyd) {
  const Index n = 180, m = 20;
  for (const problems::BearingEntry& entry : problems::raimondi_boyd()) {
    const lcp::SparseProblem problem = problems::finite_bearing(n, m, entry.e, entry.length_over_diameter);
    const Eigen::VectorXd p = solved(problem, lcp::Automatic{});
    const problems::BearingLoad load = problems::finite_bearing_load(n, m, p);
    // Printed to three digits, by differences on a grid of 1958: between two grids here nothing changes by 0.1 %.
    EXPECT_NEAR(load.sommerfeld / entry.sommerfeld, 1.0, 0.02) << entry.e << ", " << entry.length_over_diameter;
    EXPECT_NEAR(load.attitude, entry.attitude, 0.6) << entry.e << ", " << entry.length_over_diameter;
  }
}

TEST(JournalBearing, LimitsOfLength) {
  const Index n = 180, m = 20;
  const double e = 0.5;
  // Ocvirk's short bearing: p = (L/D)^2 |H'|/H^3 (1/2 - 2 y^2) where H' < 0, up to (L/D)^2 relative.
  const Eigen::VectorXd short_p = solved(problems::finite_bearing(n, m, e, 0.05), lcp::Automatic{});
  const problems::LongBearing bearing{e};
  double deviation = 0.0, peak = 0.0;
  for (Index i = 0; i + 1 < n; ++i) {
    const double t = double(i + 1) * 2.0 * std::numbers::pi / double(n);
    const double ocvirk = std::max(0.0, 0.0025 * e * std::sin(t) / std::pow(bearing.film(t), 3) / 2.0);
    deviation = std::max(deviation, std::abs(short_p[i] - ocvirk)), peak = std::max(peak, ocvirk);
  }
  EXPECT_LE(deviation, 0.04 * peak);
  // Middle plane of a bearing of 20 diameters: the ends are felt over a diameter, e^-20 of them in the middle.
  const Eigen::VectorXd long_p = solved(problems::finite_bearing(n, m, e, 20.0), lcp::Automatic{});
  const problems::Discretized d = problems::long_bearing(n, e);
  const Eigen::VectorXd middle = solved(d.problem, lcp::Automatic{});
  EXPECT_LE(distance(long_p.head(n - 1), middle), 1e-3 * middle.maxCoeff());
}

TEST(AmericanPut, WithoutExpiryMeetsMerton) {
  const problems::AmericanPut put{100.0, 0.05, 0.2, 1.0};
  std::vector<double> h, error;
  for (const Index half : {100, 200, 400}) {
    // Far up V = K^.. S^-g with g = 2.5 leaves e^(-2.5 width) of the value; 8 makes it 2e-9.
    const problems::AmericanPutGrid grid(put, half, 8.0);
    const lcp::SparseProblem problem = grid.perpetual();
    const Eigen::VectorXd z = solved(problem, lcp::Automatic{});
    double e = 0.0;
    for (Index i = 0; i < z.size(); ++i) {
      e = std::max(e, std::abs(grid.payoff()[i] + z[i] - put.perpetual_value(grid.spot()[i])));
    }
    h.push_back(8.0 / double(half)), error.push_back(e);
    EXPECT_NEAR(grid.boundary(z) / put.perpetual_boundary(), 1.0, 2.0 * h.back());
  }
  EXPECT_NEAR(order(h, error), 2.0, 0.3);
}

/// Crank and Nicolson after two implicit steps, each step from the last active set.
Eigen::VectorXd march(const problems::AmericanPutGrid& grid, double maturity, int steps) {
  Eigen::VectorXd z = Eigen::VectorXd::Zero(grid.spot().size());
  const double dt = maturity / steps;
  for (int k = 0; k < steps; ++k) {
    const lcp::SparseProblem problem = grid.step(z, dt, k < 2 ? 1.0 : 0.5);
    z = solved(problem, lcp::PrimalDualActiveSet{.start = z});
  }
  return z;
}

TEST(AmericanPut, MeetsThePublishedTable) {
  for (const problems::PutEntry& entry : problems::huang()) {
    const problems::AmericanPut put{entry.strike, problems::huang_rate, entry.volatility, entry.months / 12.0};
    const problems::AmericanPutGrid grid(put, 240, 6.0 * entry.volatility * std::sqrt(put.maturity));
    const Eigen::VectorXd z = march(grid, put.maturity, 100);
    // Printed to four decimals. Steps of 6 s/240 in ln S, s = sigma sqrt(T) < 0.31: linear interpolation errs by
    // h^2/8 S^2 V_SS <= h^2/8 K/(s sqrt(2 pi)) < 4e-4, the scheme by a few times that at the money.
    EXPECT_NEAR(grid.value(z, problems::huang_spot), entry.value, 2e-3)
        << entry.strike << ' ' << entry.volatility << ' ' << entry.months;
    // Trees of 1000 steps, against 10^4: up to s K/1000.
    EXPECT_NEAR(problems::binomial_value(put, problems::huang_spot, 1000), entry.value, 2e-3);
  }
}

TEST(AmericanPut, MeetsTheBinomialTree) {
  const problems::AmericanPut put{100.0, 0.05, 0.2, 1.0};
  const problems::AmericanPutGrid grid(put, 300, 1.2);
  const Eigen::VectorXd z = march(grid, 1.0, 200);
  const double tree = problems::binomial_value(put, 100.0, 4000);
  EXPECT_NEAR(tree, 6.0904, 5e-4);  // the value printed for S = K = 100, r = 5 %, sigma = 20 %, one year
  EXPECT_NEAR(grid.value(z, 100.0), tree, 2e-3);
  EXPECT_GT(grid.boundary(z), put.perpetual_boundary());
  EXPECT_LT(grid.boundary(z), put.strike);
}

TEST(AmericanPut, EveryAlgorithmOfTheClassAgreesOnAStep) {
  const problems::AmericanPut put{100.0, 0.05, 0.2, 1.0};
  const problems::AmericanPutGrid grid(put, 50, 1.2);
  const Eigen::VectorXd z0 = Eigen::VectorXd::Zero(grid.spot().size());
  const lcp::SparseProblem problem = grid.step(z0, 0.05, 1.0);
  // M is strictly diagonally dominant by 1 + r dt: |M^-1|_inf <= 1.
  const Eigen::VectorXd z = solved_by_the_class(problem, 1.0);
  const double bound = 4.0 * tolerance * problem.q.cwiseAbs().maxCoeff();
  EXPECT_LE(distance(solved(problem, lcp::Lemke{}), z), bound);
  EXPECT_LE(distance(solved(problem, lcp::Splitting{}), z), bound);
}

}  // namespace
}  // namespace nonsmooth::published_grids_test
