// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mpcc.hpp>

#include <problems/mpcc.hpp>

#include "exponential_problem.hpp"

namespace nonsmooth::nonlinear_test {
namespace {

using Eigen::VectorXd;
using exponential_problem::coordinate;
using exponential_problem::exponential;
using mpcc::NonlinearProblem;
using mpcc::NonlinearRelaxation;
using mpcc::NonlinearResult;
using mpcc::SparseProblem;
using mpcc::Stationarity;
using Sparse = Eigen::SparseMatrix<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

SparseProblem sparse(const mpcc::Problem& p) {
  return {p.Q.sparseView(), p.c, p.A.sparseView(), p.row_lower, p.row_upper, p.lower, p.upper,
          p.G.sparseView(), p.g, p.H.sparseView(), p.h};
}

void expect_solved(const NonlinearProblem& problem, const NonlinearResult& result, double tolerance) {
  ASSERT_TRUE(result.ok()) << result.message();
  VectorXd s(problem.num_unknowns());
  mpcc::Look look;
  const Certificate certificate = mpcc::certify(problem, result.x, result.y, result.u, result.v, s, &look);
  EXPECT_LE(certificate.residual, tolerance);
  EXPECT_EQ(certificate.residual, result.certificate.residual);
  EXPECT_GE(result.stationarity, Stationarity::Clarke);
}

TEST(NonlinearMpcc, MinimisersInClosedForm) {
  for (const VectorXd& start : {VectorXd{{1.0, 0.1}}, VectorXd{{0.1, 2.0}}, VectorXd()}) {
    const NonlinearProblem problem = exponential();
    const NonlinearResult result = mpcc::solve(problem, NonlinearRelaxation{.start = start});
    expect_solved(problem, result, 1e-8);
    const bool on_x = result.x[0] > result.x[1];
    // The slopes are exact to 1e-8 and f'' is 2 or more on either piece.
    EXPECT_NEAR(result.x[0], on_x ? std::log(2.0) : 0.0, 2e-8);
    EXPECT_NEAR(result.x[1], on_x ? 0.0 : 1.0, 2e-8);
    EXPECT_NEAR(result.figures.value, on_x ? 3.0 - 2.0 * std::log(2.0) : 1.0, 1e-12);
    EXPECT_EQ(result.stationarity, Stationarity::Strong);
    EXPECT_TRUE(mpcc::is_bouligand_stationary(problem, result.x));
  }
}

/// min e^x - 1 + e^(2 x) / 2 - 1/2 - sin y on 0 <= y ⟂ y - x >= 0, x >= 0, which is ralph1 to first order at 0: its
/// minimiser 0 is B-stationary and not S, and gradients of active rows are dependent.
TEST(NonlinearMpcc, BouligandWhereNoMultipliersAreStrong) {
  NonlinearProblem problem = exponential();
  problem.f = {
      .num_unknowns = 2,
      .num_values = 1,
      .value = [](ConstVectorRef x,
                  VectorRef f) { f[0] = std::exp(x[0]) - 1.0 + 0.5 * std::expm1(2.0 * x[0]) - std::sin(x[1]); },
      .dense_jacobian = [](ConstVectorRef x,
                           MatrixRef J) { J << std::exp(x[0]) + std::exp(2.0 * x[0]), -std::cos(x[1]); }};
  problem.G = coordinate(1);
  problem.H = {.num_unknowns = 2,
               .num_values = 1,
               .value = [](ConstVectorRef x, VectorRef f) { f[0] = x[1] - x[0]; },
               .dense_jacobian = [](ConstVectorRef, MatrixRef J) { J << -1.0, 1.0; }};
  problem.lower = VectorXd{{0.0, -infinity}};
  const NonlinearResult result = mpcc::solve(problem, NonlinearRelaxation{.start = VectorXd{{1.0, 1.0}}});
  expect_solved(problem, result, 1e-8);
  EXPECT_LE(result.x.cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_EQ(result.stationarity, Stationarity::Bouligand);
  EXPECT_TRUE(mpcc::is_bouligand_stationary(problem, VectorXd::Zero(2)));
  EXPECT_FALSE(mpcc::is_bouligand_stationary(problem, VectorXd{{1.0, 1.0}}));
}

/// The optimal control of a switched system by finite elements whose lengths are unknowns, so that one ends where the
/// state changes sign (the published example of Stewart and Anitescu, 2010): over x(0) minimise
///
///     int_0^2 x^2 dt + (x(2) - 5/3)^2,    x' = 2 - sgn x,  which is 1 + 2 w, w = 1 where x < 0, 0 where x > 0.
///
/// Unknowns (x_0..x_N, p_0..p_N, w_1..w_N, h_1..h_N), p the positive part of x:
///     x_i - x_{i-1} = h_i (1 + 2 w_i),  sum h = 2,  p >= x,   0 <= p_{i-1} + p_i ⟂ w_i >= 0,
///     0 <= (p - x)_{i-1} + (p - x)_i ⟂ 1 - w_i >= 0.
/// With t the time at which x is 0, the value is 3 t^3 + (2 - t)^3 / 3 + (1/3 - t)^2, least where 8 t^2 + 6 t = 14/3.
struct Control {
  Index N;
  [[nodiscard]] Index x(Index i) const { return i; }
  [[nodiscard]] Index p(Index i) const { return N + 1 + i; }
  [[nodiscard]] Index w(Index i) const { return 2 * N + 2 + i - 1; }
  [[nodiscard]] Index h(Index i) const { return 3 * N + 2 + i - 1; }
  [[nodiscard]] Index size() const { return 4 * N + 2; }

  [[nodiscard]] NonlinearMap objective() const {
    return {.num_unknowns = size(),
            .num_values = 1,
            .value =
                [this](ConstVectorRef z, VectorRef f) {
                  const double end = z[x(N)] - 5.0 / 3.0;
                  f[0] = end * end;
                  for (Index i = 1; i <= N; ++i) {
                    const double a = z[x(i - 1)], b = z[x(i)];
                    f[0] += z[h(i)] * (a * a + a * b + b * b) / 3.0;
                  }
                },
            .jacobian =
                [this](ConstVectorRef z, Sparse& J) {
                  J.resize(1, size());
                  J.coeffRef(0, x(N)) += 2.0 * (z[x(N)] - 5.0 / 3.0);
                  for (Index i = 1; i <= N; ++i) {
                    const double a = z[x(i - 1)], b = z[x(i)];
                    J.coeffRef(0, x(i - 1)) += z[h(i)] * (2.0 * a + b) / 3.0;
                    J.coeffRef(0, x(i)) += z[h(i)] * (a + 2.0 * b) / 3.0;
                    J.coeffRef(0, h(i)) += (a * a + a * b + b * b) / 3.0;
                  }
                }};
  }
  /// Steps, the sum of lengths, negative parts.
  [[nodiscard]] NonlinearMap rows() const {
    return {.num_unknowns = size(),
            .num_values = 2 * N + 2,
            .value =
                [this](ConstVectorRef z, VectorRef c) {
                  c[N] = z.segment(h(1), N).sum();
                  for (Index i = 1; i <= N; ++i) c[i - 1] = z[x(i)] - z[x(i - 1)] - z[h(i)] * (1.0 + 2.0 * z[w(i)]);
                  for (Index i = 0; i <= N; ++i) c[N + 1 + i] = z[p(i)] - z[x(i)];
                },
            .jacobian =
                [this](ConstVectorRef z, Sparse& J) {
                  std::vector<Eigen::Triplet<double>> entries;
                  const auto add = [&](Index i, Index j, double v) { entries.emplace_back(int(i), int(j), v); };
                  for (Index i = 1; i <= N; ++i) {
                    add(i - 1, x(i), 1.0);
                    add(i - 1, x(i - 1), -1.0);
                    add(i - 1, h(i), -(1.0 + 2.0 * z[w(i)]));
                    add(i - 1, w(i), -2.0 * z[h(i)]);
                    add(N, h(i), 1.0);
                  }
                  for (Index i = 0; i <= N; ++i) {
                    add(N + 1 + i, p(i), 1.0);
                    add(N + 1 + i, x(i), -1.0);
                  }
                  J.setFromTriplets(entries.begin(), entries.end());
                }};
  }
  /// Of each element the positive parts and the negative ones, or w and 1 - w.
  [[nodiscard]] NonlinearMap side(bool parts) const {
    const auto each = [this, parts](auto&& add, auto&& constant) {
      for (Index i = 1; i <= N; ++i) {
        const Index plus = 2 * (i - 1), minus = plus + 1;
        if (!parts) {
          add(plus, w(i), 1.0);
          add(minus, w(i), -1.0);
          constant(minus, 1.0);
          continue;
        }
        for (const Index j : {i - 1, i}) {
          add(plus, p(j), 1.0);
          add(minus, p(j), 1.0);
          add(minus, x(j), -1.0);
        }
      }
    };
    return {.num_unknowns = size(),
            .num_values = 2 * N,
            .value =
                [each](ConstVectorRef z, VectorRef f) {
                  f.setZero();
                  each([&](Index i, Index j, double v) { f[i] += v * z[j]; }, [&](Index i, double v) { f[i] += v; });
                },
            .jacobian =
                [each](ConstVectorRef, Sparse& J) {
                  std::vector<Eigen::Triplet<double>> entries;
                  each([&](Index i, Index j, double v) { entries.emplace_back(int(i), int(j), v); },
                       [](Index, double) {});
                  J.setFromTriplets(entries.begin(), entries.end());
                }};
  }
  /// Of f - y·c; G and H are affine.
  void hessian(ConstVectorRef z, ConstVectorRef y, Sparse& L) const {
    std::vector<Eigen::Triplet<double>> entries;
    const auto add = [&](Index i, Index j, double v) {
      entries.emplace_back(int(i), int(j), v);
      if (i != j) entries.emplace_back(int(j), int(i), v);
    };
    add(x(N), x(N), 2.0);
    for (Index i = 1; i <= N; ++i) {
      const double a = z[x(i - 1)], b = z[x(i)], third = z[h(i)] / 3.0;
      add(x(i - 1), x(i - 1), 2.0 * third);
      add(x(i), x(i), 2.0 * third);
      add(x(i - 1), x(i), third);
      add(h(i), x(i - 1), (2.0 * a + b) / 3.0);
      add(h(i), x(i), (a + 2.0 * b) / 3.0);
      add(h(i), w(i), 2.0 * y[i - 1]);
    }
    L.setFromTriplets(entries.begin(), entries.end());
  }
  [[nodiscard]] NonlinearProblem problem() const {
    NonlinearProblem own{.f = objective(), .c = rows(), .G = side(true), .H = side(false)};
    own.row_lower = VectorXd::Zero(2 * N + 2);
    own.row_upper = own.row_lower;
    own.row_lower[N] = own.row_upper[N] = 2.0;
    own.row_upper.tail(N + 1).setConstant(infinity);
    own.lower = VectorXd::Zero(size());
    own.lower.head(N + 1).setConstant(-infinity);
    own.upper = VectorXd::Constant(size(), infinity);
    own.upper.segment(w(1), N).setOnes();
    own.hessian = [this](ConstVectorRef z, ConstVectorRef y, ConstVectorRef, ConstVectorRef, Sparse& L) {
      hessian(z, y, L);
    };
    return own;
  }
  /// Straight from -1 to 1, equal lengths; w undecided, or as it is on this way.
  [[nodiscard]] VectorXd start(bool decided) const {
    VectorXd z = VectorXd::Constant(size(), 0.5);
    for (Index i = 0; i <= N; ++i) {
      z[x(i)] = -1.0 + 2.0 * double(i) / double(N);
      z[p(i)] = std::max(0.0, z[x(i)]);
    }
    z.segment(h(1), N).setConstant(2.0 / double(N));
    for (Index i = 1; decided && i <= N; ++i) z[w(i)] = 2 * i <= N ? 1.0 : 0.0;
    return z;
  }
};

TEST(NonlinearMpcc, OptimalControlOfASwitchedSystem) {
  const double t = (-6.0 + std::sqrt(36.0 + 32.0 * 14.0 / 3.0)) / 16.0;
  const double least = 3.0 * t * t * t + std::pow(2.0 - t, 3) / 3.0 + std::pow(1.0 / 3.0 - t, 2);
  for (const bool second : {true, false}) {
    const Control control{.N = second ? 8 : 2};
    NonlinearProblem problem = control.problem();
    EXPECT_TRUE(compare_jacobian(problem.f, control.start(!second)).agrees);
    EXPECT_TRUE(compare_jacobian(problem.c, control.start(!second)).agrees);
    EXPECT_TRUE(compare_jacobian(problem.G, control.start(!second)).agrees);
    if (!second) problem.hessian = nullptr;
    const NonlinearResult result = mpcc::solve(problem, NonlinearRelaxation{.start = control.start(!second)});
    expect_solved(problem, result, 1e-8);
    // Exact for elements that end at the switch; values are flat at a minimiser, x is as exact as slopes are.
    EXPECT_NEAR(result.figures.value, least, 1e-6) << result.message();
    EXPECT_NEAR(result.x[0], -3.0 * t, 1e-3) << second;
  }
}

TEST(NonlinearMpcc, SparseDataAsDenseOnes) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const problems::Mpcc one = problems::planted_mpcc({.n = 8, .m = 3, .pairs = 4, .biactive = 0.4}, seed);
    const SparseProblem problem = sparse(one.problem);
    const NonlinearResult result = mpcc::solve(problem, NonlinearRelaxation{});
    ASSERT_TRUE(result.ok()) << seed << ": " << result.message();
    VectorXd s(8), dense_s(8);
    const double own = mpcc::certify(problem, result.x, result.y, result.u, result.v, s).residual;
    EXPECT_LE(own, 1e-8) << seed;
    // Sums in another order.
    EXPECT_NEAR(mpcc::certify(one.problem, result.x, result.y, result.u, result.v, dense_s).residual, own, 1e-12);
    EXPECT_LE(problems::independent_residual(one.problem, result.x, result.y, result.u, result.v), 1e-6) << seed;
    // What is said is true of the dense program as well; linear pieces are looked at to 1e-7.
    EXPECT_TRUE(result.stationarity < Stationarity::Bouligand ||
                mpcc::is_bouligand_stationary(one.problem, result.x, 1e-6))
        << seed;
  }
}

TEST(NonlinearMpcc, ContradictingSparseRowsAreProven) {
  const problems::Mpcc one = problems::infeasible_mpcc({.n = 6, .m = 2, .pairs = 3}, 5);
  const SparseProblem problem = sparse(one.problem);
  const NonlinearResult result = mpcc::solve(problem, NonlinearRelaxation{});
  EXPECT_EQ(result.status, Status::Infeasible) << result.message();
  EXPECT_TRUE(mpcc::proves_infeasible(problem, result.proof));
  EXPECT_TRUE(mpcc::proves_infeasible(one.problem, result.proof));
}

TEST(NonlinearMpcc, EndsWithoutAnAnswerAreTold) {
  NonlinearProblem empty = exponential();  // x^2 + 1 <= 0
  empty.c = {.num_unknowns = 2,
             .num_values = 1,
             .value = [](ConstVectorRef x, VectorRef f) { f[0] = x[0] * x[0] + 1.0; },
             .dense_jacobian = [](ConstVectorRef x, MatrixRef J) { J << 2.0 * x[0], 0.0; }};
  empty.row_upper = VectorXd::Zero(1);
  const NonlinearResult nowhere = mpcc::solve(empty, NonlinearRelaxation{});
  EXPECT_EQ(nowhere.status, Status::Stalled) << nowhere.message();
  EXPECT_EQ(nowhere.stationarity, Stationarity::None);
  EXPECT_EQ(mpcc::solve(exponential(), NonlinearRelaxation{.max_steps = 2}).status, Status::IterationLimit);
  EXPECT_EQ(mpcc::solve(exponential(), NonlinearRelaxation{.time_limit = 1e-9}).status, Status::TimeLimit);

  NonlinearProblem broken = exponential();  // to the minimiser log 2 its slope is not a number
  broken.f.dense_jacobian = [](ConstVectorRef x, MatrixRef J) {
    J << (x[0] > 0.6 ? std::numeric_limits<double>::quiet_NaN() : -1.0), 2.0 * x[1];
  };
  const NonlinearResult not_finite = mpcc::solve(broken, NonlinearRelaxation{.start = VectorXd{{0.1, 0.0}}});
  EXPECT_EQ(not_finite.status, Status::NumericalFailure) << not_finite.message();
  EXPECT_NE(not_finite.message().find("nan"), std::string::npos) << not_finite.message();
}

/// f(x) of one unknown, NaN where |x| > radius.
NonlinearMap within(double radius, double (*f)(double)) {
  return {.num_unknowns = 1, .num_values = 1, .value = [=](ConstVectorRef x, VectorRef out) {
            out[0] = std::abs(x[0]) > radius ? std::numeric_limits<double>::quiet_NaN() : f(x[0]);
          }};
}

/// min x^4 - x: 4 x^3 = 1; with the row x <= 1/2 there, where y = f' = -1/2.
TEST(NonlinearMpcc, NoPairs) {
  const auto quartic = [](double x) { return x * x * x * x - x; };
  for (const double radius : {infinity, 0.7}) {
    NonlinearProblem problem{.f = within(radius, quartic)};
    const NonlinearResult free = mpcc::solve(problem, NonlinearRelaxation{});
    expect_solved(problem, free, 1e-8);
    // Forward differences are off by sqrt(eps) f'' / 2 = 4e-8 of f'' = 4.8 and the residual by 1e-8 of the terms.
    EXPECT_NEAR(free.x[0], std::cbrt(0.25), 1e-7) << radius;
    EXPECT_TRUE(free.not_finite.empty()) << free.not_finite;
    problem.c = within(radius, [](double x) { return x; });
    problem.row_upper = VectorXd{{0.5}};
    const NonlinearResult bound = mpcc::solve(problem, NonlinearRelaxation{});
    expect_solved(problem, bound, 1e-8);
    EXPECT_NEAR(bound.x[0], 0.5, 1e-8) << radius;
    EXPECT_NEAR(bound.y[0], -0.5, 1e-7) << radius;
  }
  SparseProblem quadratic{.Q = Sparse(2, 2), .c = VectorXd{{-3.0, -1.0}}};
  quadratic.Q.setIdentity();
  const NonlinearResult least = mpcc::solve(quadratic, NonlinearRelaxation{});
  ASSERT_TRUE(least.ok()) << least.message();
  EXPECT_LE((least.x + quadratic.c).cwiseAbs().maxCoeff(), 1e-7);
}

/// min -x from 1, finite for |x| <= 1 alone: no step stays where f is finite, and the end tells so.
TEST(NonlinearMpcc, StepsThatAreNeverFiniteAreTold) {
  NonlinearProblem problem{.f = within(1.0, [](double x) { return -x; })};
  const NonlinearResult result = mpcc::solve(problem, NonlinearRelaxation{.start = VectorXd{{1.0}}});
  EXPECT_EQ(result.status, Status::Stalled) << result.message();
  EXPECT_NE(result.not_finite.find("nan"), std::string::npos) << result.message();
  EXPECT_NE(result.reason.find("not finite"), std::string::npos) << result.reason;
}

/// (x - 3)^2 + (y - 1)^2 on 0 <= x ⟂ y >= 0: the relaxed programs lead to (3, 0), of value 1 - 10, where the feasible
/// x that is nearest to 0 is (0, 0) and pieces at it would do with (0, 1).
TEST(NonlinearMpcc, SparseDataWithoutAStartAreRelaxed) {
  SparseProblem problem{.Q = Sparse(2, 2),
                        .c = VectorXd{{-6.0, -2.0}},
                        .G = Sparse(1, 2),
                        .g = VectorXd::Zero(1),
                        .H = Sparse(1, 2),
                        .h = VectorXd::Zero(1)};
  problem.Q.insert(0, 0) = problem.Q.insert(1, 1) = 2.0;
  problem.G.insert(0, 0) = problem.H.insert(0, 1) = 1.0;
  const NonlinearResult result = mpcc::solve(problem, NonlinearRelaxation{});
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE((result.x - VectorXd{{3.0, 0.0}}).cwiseAbs().maxCoeff(), 1e-7) << result.x.transpose();
}

/// min x^2 / 2 + y^2 / 2 - y on 0 <= x ⟂ y >= 0 from (1, 0): the least point of y = 0 is the origin, whose multipliers
/// 0 and -1 leave the piece x = 0, least at (0, 1). Both have a residual of exactly 0, and the answer must be the
/// second: the certificate of a weakly stationary point cannot tell them apart, that of the piece's program can.
TEST(NonlinearMpcc, AStationaryPointOfOnePieceIsNoAnswerOfTheNext) {
  SparseProblem problem{.Q = Sparse(2, 2),
                        .c = VectorXd{{0.0, -1.0}},
                        .G = Sparse(1, 2),
                        .g = VectorXd::Zero(1),
                        .H = Sparse(1, 2),
                        .h = VectorXd::Zero(1)};
  problem.Q.setIdentity();
  problem.G.insert(0, 0) = problem.H.insert(0, 1) = 1.0;
  const NonlinearResult result = mpcc::solve(problem, NonlinearRelaxation{.start = VectorXd{{1.0, 0.0}}});
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.stationarity, Stationarity::Strong);
  EXPECT_LE((result.x - VectorXd{{0.0, 1.0}}).cwiseAbs().maxCoeff(), 1e-7) << result.x.transpose();
  EXPECT_NEAR(result.figures.value, -0.5, 1e-8);  // slopes are exact to 1e-8, Q is I
}

/// exponential() in units: the same steps, as a start tells the size of x.
TEST(NonlinearMpcc, MinimisersInAnyUnit) {
  for (const double unit : {1e-6, 1e6}) {
    NonlinearProblem problem = exponential();
    const NonlinearMap one = problem.f;
    problem.f.value = [&](ConstVectorRef x, VectorRef f) { one.value(VectorXd(x / unit), f); };
    problem.f.dense_jacobian = [&](ConstVectorRef x, MatrixRef J) {
      one.dense_jacobian(VectorXd(x / unit), J);
      J /= unit;
    };
    for (auto* side : {&problem.G, &problem.H}) side->sizes = VectorXd::Constant(2, unit);
    for (const VectorXd& start : {VectorXd{{1.0, 0.1}}, VectorXd{{0.1, 2.0}}}) {
      const NonlinearResult result = mpcc::solve(problem, NonlinearRelaxation{.start = unit * start});
      expect_solved(problem, result, 1e-8);
      const bool on_x = result.x[0] > result.x[1];
      EXPECT_NEAR(result.x[0] / unit, on_x ? std::log(2.0) : 0.0, 2e-8) << unit;
      EXPECT_NEAR(result.x[1] / unit, on_x ? 0.0 : 1.0, 2e-8) << unit;
      const NonlinearResult plain = mpcc::solve(exponential(), NonlinearRelaxation{.start = start});
      EXPECT_LE(std::abs(result.iterations - plain.iterations), 5) << unit;  // rounding may differ by a step a piece
    }
  }
}

/// min sum_i y_i - x_i on 0 <= x_i ⟂ y_i >= 0, all at most one unit: least where x_i is one and y_i 0, and nowhere else
/// B-stationary, as an x_i of 0 may rise.
TEST(NonlinearMpcc, BouligandInAnyUnit) {
  for (const double unit : {1e-6, 1.0, 1e6}) {
    for (const Index pairs : {2, 5}) {
      const Index n = 2 * pairs;
      mpcc::Problem dense{.Q = Eigen::MatrixXd::Zero(n, n), .c = VectorXd::Ones(n)};
      dense.G = Eigen::MatrixXd::Identity(pairs, n);
      dense.H = Eigen::MatrixXd::Identity(n, n).bottomRows(pairs);
      dense.g = dense.h = VectorXd::Zero(pairs);
      dense.lower = VectorXd::Zero(n);
      dense.upper = VectorXd::Constant(n, unit);
      VectorXd least = VectorXd::Zero(n), other = least;
      dense.c.head(pairs).setConstant(-1.0);  // least: x = unit, y = 0
      least.head(pairs).setConstant(unit);
      other.head(pairs - 1).setConstant(unit);  // of the last pair both sides are 0, and x may rise
      const NonlinearProblem problem{
          .f = {.num_unknowns = n,
                .num_values = 1,
                .value = [&](ConstVectorRef x, VectorRef f) { f[0] = dense.c.dot(x); },
                .dense_jacobian = [&](ConstVectorRef, MatrixRef J) { J = dense.c.transpose(); }},
          .lower = dense.lower,
          .upper = dense.upper,
          .G = {.num_unknowns = n,
                .num_values = pairs,
                .value = [&](ConstVectorRef x, VectorRef f) { f = dense.G * x; },
                .dense_jacobian = [&](ConstVectorRef, MatrixRef J) { J = dense.G; }},
          .H = {.num_unknowns = n,
                .num_values = pairs,
                .value = [&](ConstVectorRef x, VectorRef f) { f = dense.H * x; },
                .dense_jacobian = [&](ConstVectorRef, MatrixRef J) { J = dense.H; }}};
      for (const VectorXd& x : {least, other, VectorXd(VectorXd::Zero(n))}) {
        const bool is_least = x == least;
        EXPECT_EQ(mpcc::is_bouligand_stationary(dense, x), is_least) << unit << ", " << n;
        EXPECT_EQ(mpcc::is_bouligand_stationary(problem, x), is_least) << unit << ", " << n;
      }
    }
  }
}

/// Whatever step is the last: the point is one of the way, with its own certificate.
TEST(NonlinearMpcc, LimitsLeaveTheLastPoint) {
  const NonlinearProblem problem = exponential();
  const VectorXd start{{3.0, 3.0}};
  const Index all = mpcc::solve(problem, NonlinearRelaxation{.start = start}).iterations;
  for (Index steps = 1; steps < all; ++steps) {
    const NonlinearResult result = mpcc::solve(problem, NonlinearRelaxation{.max_steps = steps, .start = start});
    EXPECT_EQ(result.iterations, steps);
    EXPECT_GT((result.x - start).cwiseAbs().maxCoeff(), 1e-3) << steps;
    VectorXd s(2);
    EXPECT_EQ(mpcc::certify(problem, result.x, result.y, result.u, result.v, s).residual, result.certificate.residual)
        << steps;
    EXPECT_TRUE(std::isfinite(result.certificate.residual)) << steps;
  }
}

TEST(NonlinearMpcc, HessiansThatAreNotFiniteAreTold) {
  NonlinearProblem problem = exponential();
  double most = 0.6;
  problem.hessian = [&most](ConstVectorRef x, ConstVectorRef, ConstVectorRef, ConstVectorRef, Sparse& L) {
    L.insert(0, 0) = x[0] > most ? std::numeric_limits<double>::quiet_NaN() : std::exp(x[0]);
    L.insert(1, 1) = 2.0;
  };
  const NonlinearRelaxation options{.start = VectorXd{{0.1, 0.0}}};
  const NonlinearResult result = mpcc::solve(problem, options);
  EXPECT_EQ(result.status, Status::NumericalFailure) << result.message();
  EXPECT_EQ(result.not_finite.find("nan in entry (0, 0) of the Hessian at x = ("), 0U) << result.not_finite;
  most = 0.05;
  EXPECT_THROW(static_cast<void>(mpcc::solve(problem, options)), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::nonlinear_test
