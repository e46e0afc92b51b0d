// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <nonsmooth/kernel/equilibria.hpp>
#include <nonsmooth/numerics/lcp.hpp>

namespace nonsmooth::equilibria_test {
namespace {

// The RLC circuits with an ideal diode of Acary, Bonnefon, Brogliato 2011, section 1.1.2.
constexpr double kL = 1.0, kR = 10.0;
const double kC = 1.0 / std::pow(2.0 * std::numbers::pi, 2);

struct Circuit {
  FirstOrderLinearSystem system;
  FirstOrderLinearRelation relation;
};

Circuit circuit_a() {
  return {{.A = {{-1 / (kR * kC), 1}, {-1 / (kL * kC), 0}}},
          {.C = {{1 / (kR * kC), -1}}, .D = {{1 / kR}}, .B = {{-1 / kR}, {-1 / kL}}}};
}
Circuit circuit_b() {
  return {{.A = {{0, -1}, {1 / (kL * kC), 0}}}, {.C = {{1 / kC, 0}}, .D = {{kR}}, .B = {{1}, {0}}}};
}
Circuit circuit_c() { return {{.A = {{0, 1}, {-1 / (kL * kC), -0.1 / kL}}}, {.C = {{0, -1}}, .B = {{0}, {-1 / kL}}}}; }
Circuit circuit_d() {
  return {{.A = {{-1 / (kR * kC), 1}, {-1 / (kL * kC), 0}}}, {.C = {{0, 1}}, .B = {{0}, {1 / kL}}}};
}

// (a) and (c): D - C A^-1 B = 0, every lambda >= 0 solves: {x1 <= 0, x2 = 0} with lambda = -x1/C.
TEST(Equilibria, CircuitsAAndCHaveAHalfLineOfThem) {
  for (const Circuit& circuit : {circuit_a(), circuit_c()}) {
    const lcp::Problem problem = equilibrium_problem(circuit.system, circuit.relation);
    EXPECT_EQ(problem.M(0, 0), 0.0);
    EXPECT_EQ(problem.q[0], 0.0);
    const Equilibria all = find_equilibria(circuit.system, circuit.relation);
    ASSERT_EQ(all.corners.size(), 1u);
    EXPECT_FALSE(all.corners[0].isolated);
    EXPECT_TRUE(all.corners[0].x.isZero(0.0));
    ASSERT_EQ(all.half_lines.size(), 1u);
    EXPECT_EQ(all.half_lines[0].lambda_direction[0], 1.0);
    EXPECT_NEAR(all.half_lines[0].x_direction[0], -kC, 1e-15);
    EXPECT_NEAR(all.half_lines[0].x_direction[1], 0.0, 1e-15);
    const Eigen::VectorXd x = equilibrium_state(circuit.system, circuit.relation, Eigen::VectorXd{{1 / kC}});
    EXPECT_NEAR(x[0], -1.0, 1e-14);
    EXPECT_NEAR(x[1], 0.0, 1e-14);
  }
}

// (b): M = R; (d): M = 1/R: the origin alone.
TEST(Equilibria, CircuitsBAndDRestAtTheOriginAlone) {
  EXPECT_NEAR(equilibrium_problem(circuit_b().system, circuit_b().relation).M(0, 0), kR, 1e-14);
  EXPECT_NEAR(equilibrium_problem(circuit_d().system, circuit_d().relation).M(0, 0), 1 / kR, 1e-14);
  for (const Circuit& circuit : {circuit_b(), circuit_d()}) {
    const Equilibria all = find_equilibria(circuit.system, circuit.relation);
    ASSERT_EQ(all.corners.size(), 1u);
    EXPECT_TRUE(all.corners[0].isolated);
    EXPECT_TRUE(all.corners[0].x.isZero(0.0));
    EXPECT_TRUE(all.half_lines.empty());
  }
}

// xdot = -x + b + lambda, y = x: x = b where b >= 0, else 0 with lambda = -b.
TEST(Equilibria, ForcedScalar) {
  for (const double b : {2.0, -2.0}) {
    const Equilibria all = find_equilibria({.A = {{-1}}, .b = {b}}, {.C = {{1}}, .B = {{1}}});
    ASSERT_EQ(all.corners.size(), 1u);
    EXPECT_TRUE(all.corners[0].isolated);
    EXPECT_NEAR(all.corners[0].x[0], std::max(b, 0.0), 1e-15);
    EXPECT_NEAR(all.corners[0].lambda[0], std::max(-b, 0.0), 1e-15);
    EXPECT_NEAR(all.corners[0].y[0], std::max(b, 0.0), 1e-15);
  }
}

// A = -I, B = I, x = lambda, y = M lambda + q with D = M - C, C = 0.
Equilibria of_problem(const Eigen::MatrixXd& M, const Eigen::VectorXd& q) {
  const Index m = q.size();
  return find_equilibria({.A = Eigen::MatrixXd(-Eigen::MatrixXd::Identity(m, m))},
                         {.C = Eigen::MatrixXd(Eigen::MatrixXd::Zero(m, m)),
                          .D = M,
                          .B = Eigen::MatrixXd(Eigen::MatrixXd::Identity(m, m)),
                          .e = q});
}

TEST(Equilibria, SeveralIsolatedOnes) {
  // M = [1 2; 2 1], q = -1: (1/3, 1/3), (1, 0), (0, 1).
  const Equilibria all = of_problem(Eigen::MatrixXd{{1, 2}, {2, 1}}, Eigen::VectorXd{{-1, -1}});
  EXPECT_EQ(all.corners.size(), 3u);
  EXPECT_TRUE(all.half_lines.empty());
  for (const Equilibrium& x : all.corners) EXPECT_TRUE(x.isolated);
}

TEST(Equilibria, ASegmentHasTwoCornersAndNoHalfLine) {
  // M = ones, q = -1: {z >= 0, z1 + z2 = 1}.
  const Equilibria all = of_problem(Eigen::MatrixXd::Ones(2, 2), Eigen::VectorXd{{-1, -1}});
  ASSERT_EQ(all.corners.size(), 2u);
  EXPECT_FALSE(all.corners[0].isolated);
  EXPECT_FALSE(all.corners[1].isolated);
  EXPECT_TRUE(all.half_lines.empty());
}

TEST(Equilibria, ACornerThatNoComplementaryBasisGives) {
  // M = [0 0; 1 0], q = (0, -1): {z1 >= 1, z2 = 0} and, from z1 = 1 where w = 0, {z1 = 1, z2 >= 0}.
  const Equilibria all = of_problem(Eigen::MatrixXd{{0, 0}, {1, 0}}, Eigen::VectorXd{{0, -1}});
  ASSERT_EQ(all.corners.size(), 1u);
  EXPECT_NEAR(all.corners[0].lambda[0], 1.0, 1e-15);
  EXPECT_EQ(all.half_lines.size(), 2u);
}

TEST(Equilibria, NoneAtAll) {
  const Equilibria all = of_problem(Eigen::MatrixXd{{-1}}, Eigen::VectorXd{{-1}});
  EXPECT_TRUE(all.corners.empty());
  EXPECT_TRUE(all.half_lines.empty());
}

TEST(Equilibria, UnlikeUnitsAreNoSingularity) {
  // Circuit (c) with C = 1e-18 F: A has entries over 18 decades, yet x(lambda) = (-C lambda, 0).
  const FirstOrderLinearSystem system{.A = {{0, 1}, {-1e18, -0.1}}};
  const FirstOrderLinearRelation relation{.C = {{0, -1}}, .B = {{0}, {-1}}};
  EXPECT_NEAR(equilibrium_state(system, relation, Eigen::VectorXd{{1.0}})[0], -1e-18, 1e-30);
  EXPECT_EQ(find_equilibria(system, relation).half_lines.size(), 1u);
}

TEST(Equilibria, RefusesWhatHasNone) {
  const FirstOrderLinearRelation relation{.C = {{1, 0}}, .B = {{1}, {0}}};
  EXPECT_THROW((void)equilibrium_problem({.A = {{1, 2}, {2, 4}}}, relation), SingularMatrix);
  EXPECT_THROW((void)equilibrium_problem({.x0 = {0.0, 0.0}}, relation), SingularMatrix);  // A empty: zero
  EXPECT_THROW((void)equilibrium_problem({.A = {{1}}}, relation), InvalidArgument);
  EXPECT_THROW((void)equilibrium_problem({.A = {{1, 0}, {0, 1}}}, {.B = {{1}, {0}}}), InvalidArgument);
  const FirstOrderLinearSystem moving{.A = {{1, 0}, {0, 1}}, .b = [](double t, VectorRef b) { b[0] = t; }};
  EXPECT_THROW((void)equilibrium_problem(moving, relation), InvalidArgument);
  const FirstOrderLinearSystem regular{.A = {{1, 0}, {0, 1}}};
  EXPECT_THROW((void)equilibrium_state(regular, relation, Eigen::VectorXd::Ones(2)), InvalidArgument);
  const Index m = 13;
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(m, m);
  EXPECT_THROW((void)find_equilibria({.A = I}, {.C = I, .B = I}), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::equilibria_test
