// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <set>
#include <string_view>

#include <nonsmooth/numerics/analysis.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <problems/analysis_systems.hpp>

namespace nonsmooth::analysis::linear_system_test {
namespace {

using Eigen::MatrixXd;
using System = LinearComplementaritySystem;

constexpr double L = 1.0, C = 1.0 / (4.0 * std::numbers::pi * std::numbers::pi), R = 10.0;

// The four circuits with a capacitor, an inductor, a resistor and an ideal diode, Acary & Brogliato 2008,
// (1.11)-(1.14).
System circuit(char which) {
  switch (which) {
    case 'a':
      return {.A = MatrixXd{{-1.0 / (R * C), 1.0}, {-1.0 / (L * C), 0.0}},
              .B = MatrixXd{{-1.0 / R}, {-1.0 / L}},
              .C = MatrixXd{{1.0 / (R * C), -1.0}},
              .D = MatrixXd{{1.0 / R}}};
    case 'b':
      return {.A = MatrixXd{{0.0, -1.0}, {1.0 / (L * C), 0.0}},
              .B = MatrixXd{{1.0}, {0.0}},
              .C = MatrixXd{{1.0 / C, 0.0}},
              .D = MatrixXd{{R}}};
    case 'c':
      return {.A = MatrixXd{{0.0, 1.0}, {-1.0 / (L * C), -R / L}},
              .B = MatrixXd{{0.0}, {-1.0 / L}},
              .C = MatrixXd{{0.0, -1.0}}};
    default:
      return {.A = MatrixXd{{-1.0 / (R * C), 1.0}, {-1.0 / (L * C), 0.0}},
              .B = MatrixXd{{0.0}, {1.0 / L}},
              .C = MatrixXd{{0.0, 1.0}}};
  }
}

// A resonant circuit that feeds a resistor through four diodes [acarybonnefonbrogliato2011]: x = (voltage, current).
System diode_bridge() {
  constexpr double inductance = 1e-2, capacitance = 1e-6, resistance = 1e3, g = 1.0 / resistance;
  return {.A = MatrixXd{{0.0, -1.0 / capacitance}, {1.0 / inductance, 0.0}},
          .B = MatrixXd{{0.0, 0.0, -1.0 / capacitance, 1.0 / capacitance}, {0.0, 0.0, 0.0, 0.0}},
          .C = MatrixXd{{0.0, 0.0}, {0.0, 0.0}, {-1.0, 0.0}, {1.0, 0.0}},
          .D = MatrixXd{{g, g, -1.0, 0.0}, {g, g, 0.0, -1.0}, {1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}}};
}

// A chain of r integrators, y^(r) = lambda.
System integrators(Index r) {
  System s{.A = MatrixXd::Zero(r, r), .B = MatrixXd::Zero(r, 1), .C = MatrixXd::Zero(1, r)};
  for (Index i = 0; i + 1 < r; ++i) s.A(i, i + 1) = 1.0;
  s.B(r - 1, 0) = s.C(0, 0) = 1.0;
  return s;
}

// The talk's example with internal dynamics: z_3' = -z_1 - z_2 - z_3 - d xi + lambda, xi_1' = xi_2, xi_2' = -xi_1 +
// z_1.
System five_states() {
  System s{.A = MatrixXd::Zero(5, 5), .B = MatrixXd::Zero(5, 1), .C = MatrixXd::Zero(1, 5)};
  s.A << 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, -1, -1, -1, 0, -1, 0, 0, 0, 0, 1, 1, 0, 0, -1, 0;
  s.B(2, 0) = s.C(0, 0) = 1.0;
  return s;
}

TEST(RelativeDegree, OfTheFourCircuits) {
  EXPECT_EQ(relative_degree(circuit('a')).uniform(), 0);
  EXPECT_EQ(relative_degree(circuit('b')).uniform(), 0);
  EXPECT_EQ(relative_degree(circuit('c')).uniform(), 1);
  EXPECT_EQ(relative_degree(circuit('d')).uniform(), 1);
  EXPECT_NEAR(relative_degree(circuit('c')).decoupling(0, 0), 1.0 / L, 1e-15);
}

TEST(RelativeDegree, OfChains) {
  for (Index r = 1; r <= 8; ++r) {
    const RelativeDegree degree = relative_degree(integrators(r));
    EXPECT_EQ(degree.uniform(), r);
    EXPECT_EQ(degree.first, r);
  }
  EXPECT_EQ(relative_degree(five_states()).uniform(), 3);
  // Bryson & Denham: the conditions of optimality double the degree 2 of the state constraint. x'' = u, u = eta_2.
  System s{.A = MatrixXd::Zero(4, 4), .B = MatrixXd::Zero(4, 1), .C = MatrixXd{{-1.0, 0.0, 0.0, 0.0}}};
  s.A(0, 1) = s.A(1, 3) = 1.0;
  s.A(3, 2) = -1.0;
  s.B(2, 0) = 1.0;
  EXPECT_EQ(relative_degree(s).uniform(), 4);
}

TEST(RelativeDegree, TellsVectorSingularAndInfinite) {
  // y_1 = x_1, x_1' = lambda_1; y_2 = x_2, x_2'' = lambda_2 + coupling lambda_1.
  System s{.A = MatrixXd::Zero(3, 3),
           .B = MatrixXd{{1.0, 0.0}, {0.0, 0.0}, {0.5, 1.0}},
           .C = MatrixXd{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}};
  s.A(1, 2) = 1.0;
  const RelativeDegree degree = relative_degree(s);
  EXPECT_EQ(degree.kind, DegreeKind::Vector);
  EXPECT_EQ(degree.of_output, (std::vector<Index>{1, 2}));
  EXPECT_EQ(degree.uniform(), -1);
  s.B.col(1) *= 0.0;
  EXPECT_EQ(relative_degree(s).kind, DegreeKind::NotRegular);
  s.B(2, 0) = 0.0;
  EXPECT_EQ(relative_degree(s).kind, DegreeKind::Infinite);
  EXPECT_EQ(relative_degree(s).of_output, (std::vector<Index>{1, 4}));
}

TEST(MarkovParameters, LeavesTheGapBetweenZeroAndNotZero) {
  // C B = 1 + t - 1: terms of size 2, round-off (n + 2)(k + 2) eps 2 = 24 eps.
  const auto zero = [](double t) {
    const System s{.A = MatrixXd::Identity(2, 2), .B = MatrixXd{{1.0 + t}, {1.0}}, .C = MatrixXd{{1.0, -1.0}}};
    return markov_parameters(s).is_zero(1, 0, 0);
  };
  EXPECT_EQ(zero(0.0), Verdict::Holds);
  EXPECT_EQ(zero(4e-15), Verdict::Holds);
  EXPECT_EQ(zero(1e-13), Verdict::NotKnown);
  EXPECT_EQ(zero(4e-12), Verdict::NotKnown);
  EXPECT_EQ(zero(1e-11), Verdict::Fails);
}

TEST(ZeroDynamics, OfTheExampleWithFiveStates) {
  const ZeroDynamics form = zero_dynamics(five_states());
  ASSERT_EQ(form.exists, Verdict::Holds);
  EXPECT_EQ(form.first_row, (std::vector<Index>{0, 3}));
  EXPECT_LE(form.residual, 1e-14);
  // xi'' = -xi: eigenvalues +-i, whatever basis.
  EXPECT_NEAR(form.A_xi.trace(), 0.0, 1e-14);
  EXPECT_NEAR(form.A_xi(0, 0) * form.A_xi(1, 1) - form.A_xi(0, 1) * form.A_xi(1, 0), 1.0, 1e-14);
  EXPECT_NEAR(form.B_xi.norm(), 1.0, 1e-14);
  EXPECT_EQ(zero_dynamics(circuit('a')).exists, Verdict::Fails);
}

TEST(ReachableSpace, OfAChainAndOfItsParts) {
  EXPECT_TRUE(controllability(integrators(20)).complete.holds());
  EXPECT_TRUE(observability(integrators(20)).complete.holds());
  System s = integrators(6);
  s.B.setZero();
  s.B(3, 0) = 1.0;  // x_5, x_6 are not reached
  EXPECT_EQ(controllability(s).dimension, 4);
  EXPECT_TRUE(controllability(s).complete.fails());
  s.C.setZero();
  s.C(0, 2) = 1.0;  // x_1, x_2 leave no trace
  const ReachableSpace seen = observability(s);
  EXPECT_EQ(seen.dimension, 4);
  EXPECT_LE(seen.missing.bottomRows(4).norm(), 1e-15);
}

TEST(Passivity, OfTheFourCircuits) {
  for (const char which : {'a', 'b', 'c', 'd'}) {
    const Passivity found = passivity(circuit(which));
    EXPECT_TRUE(found.passive.holds()) << which << ": " << found.passive.reason;
    EXPECT_LE(problems::storage_defect(circuit(which), found.P), 1e-13) << which;
  }
  // Without input, (b) keeps its energy; a mode on the imaginary axis decays at no rate.
  EXPECT_TRUE(passivity(circuit('b')).strictly_passive.fails());
}

// P B = C^T and a lossless resonator leave one storage function, the energy: P = diag(capacitance, inductance).
TEST(Passivity, FindsTheEnergyOfTheDiodeBridge) {
  const Passivity found = passivity(diode_bridge());
  ASSERT_TRUE(found.passive.holds()) << found.passive.reason;
  EXPECT_NEAR(found.P(0, 0), 1e-6, 1e-18);
  EXPECT_NEAR(found.P(1, 1), 1e-2, 1e-14);
  EXPECT_NEAR(found.P(0, 1), 0.0, 1e-16);
  EXPECT_TRUE(found.strictly_passive.fails());
}

// H(s) = (s + b) / (s + 1)^2: Re H(i w) has the sign of b + (2 - b) w^2.
TEST(Passivity, DependsOnAZero) {
  const auto with_zero = [](double b) {
    return passivity({.A = MatrixXd{{0.0, 1.0}, {-1.0, -2.0}}, .B = MatrixXd{{0.0}, {1.0}}, .C = MatrixXd{{b, 1.0}}});
  };
  EXPECT_TRUE(with_zero(1.5).passive.holds());
  EXPECT_TRUE(with_zero(1.5).strictly_passive.holds());
  EXPECT_TRUE(with_zero(2.0).passive.holds()) << with_zero(2.0).passive.reason;
  EXPECT_TRUE(with_zero(2.0).strictly_passive.fails());
  const Passivity not_passive = with_zero(3.0);
  ASSERT_TRUE(not_passive.passive.fails());
  const std::complex<double> s = not_passive.frequency, H = (s + 3.0) / ((s + 1.0) * (s + 1.0));
  EXPECT_GE(s.real(), 0.0);
  EXPECT_LT(H.real(), 0.0);
}

// A notch (s^2 + w^2) / (s^2 + 2 z w s + w^2), z = 1 or 0.1: the real part (w^2 - t^2)^2 / ... touches zero at t = w.
TEST(Passivity, TouchesZeroAtANotch) {
  for (const double w : {1.0, 0.37, 250.0}) {
    for (const double z : {1.0, 0.1}) {
      const System s{.A = MatrixXd{{0.0, 1.0}, {-w * w, -2.0 * z * w}},
                     .B = MatrixXd{{0.0}, {1.0}},
                     .C = MatrixXd{{0.0, -2.0 * z * w}},
                     .D = MatrixXd{{1.0}}};
      const Passivity found = passivity(s);
      EXPECT_TRUE(found.passive.holds()) << w << ' ' << z << ' ' << found.passive.reason;
      EXPECT_TRUE(found.strictly_passive.fails()) << w << ' ' << z << ' ' << found.strictly_passive.reason;
      // A share of 1e-3 less feedthrough makes it negative there.
      System less = s;
      less.D(0, 0) -= 1e-3;
      EXPECT_TRUE(passivity(less).passive.fails());
    }
  }
}

TEST(Passivity, IsRefusedWithItsReason) {
  // Degree 2 and 3; a negative gain; a negative feedthrough; an unstable mode.
  EXPECT_TRUE(passivity(integrators(2)).passive.fails());
  EXPECT_TRUE(passivity(integrators(3)).passive.fails());
  const MatrixXd one = MatrixXd::Ones(1, 1);
  EXPECT_TRUE(passivity({.A = -one, .B = one, .C = -one}).passive.fails());
  EXPECT_TRUE(passivity({.A = -one, .B = one, .C = one, .D = -one}).passive.fails());
  const Passivity unstable = passivity({.A = 3.0 * one, .B = one, .C = one});
  EXPECT_TRUE(unstable.passive.fails());
  EXPECT_NEAR(unstable.frequency.real(), 3.0, 1e-14);
  EXPECT_TRUE(passivity(integrators(1)).passive.holds());
  EXPECT_TRUE(passivity(integrators(1)).strictly_passive.fails());
}

TEST(Index, OfCircuitsAndChains) {
  EXPECT_EQ(complementarity_index(circuit('a')).index, 0);
  EXPECT_EQ(complementarity_index(circuit('d')).index, 1);
  EXPECT_EQ(complementarity_index(integrators(3)).index, 3);
  EXPECT_EQ(complementarity_index(diode_bridge()).index, -1);  // lambda is not determined by x and y
}

TEST(Solutions, TheoremsHaveTextsAndSources) {
  EXPECT_EQ(to_string(Theorem::NotKnown), "not known");
  EXPECT_EQ(to_string(WellPosedness{}.theorem), "not known");
  EXPECT_EQ(to_string(Theorem::FeedthroughIsP), "D is a P-matrix: lambda is a Lipschitz function of x");
  EXPECT_EQ(citation(Theorem::FeedthroughIsP), "cottle1992");
  EXPECT_EQ(citation(Theorem::NoUnilateralContact), "");
  std::set<std::string_view> texts;
  for (int k = 0; k <= static_cast<int>(Theorem::ContradictingVelocities); ++k)
    EXPECT_TRUE(texts.insert(to_string(static_cast<Theorem>(k))).second) << k;
}

TEST(Solutions, OfCircuitsAndChains) {
  for (const char which : {'a', 'b'}) {
    const WellPosedness found = examine_solutions(circuit(which));
    EXPECT_EQ(found.uniqueness, Verdict::Holds);
    EXPECT_EQ(found.theorem, Theorem::FeedthroughIsP);
  }
  for (const char which : {'c', 'd'}) {
    const WellPosedness found = examine_solutions(circuit(which));
    EXPECT_EQ(found.existence, Verdict::Holds);
    EXPECT_EQ(found.unique_multiplier, Verdict::Holds);
    EXPECT_EQ(found.theorem, Theorem::PassiveFullRank);
  }
  const WellPosedness bridge = examine_solutions(diode_bridge());
  EXPECT_EQ(bridge.existence, Verdict::Holds);
  EXPECT_EQ(bridge.uniqueness, Verdict::Holds);
  EXPECT_EQ(bridge.unique_multiplier, Verdict::NotKnown);
  EXPECT_EQ(bridge.theorem, Theorem::PassiveMaximalMonotone);
  EXPECT_EQ(examine_solutions(integrators(3)).uniqueness, Verdict::Holds);
  EXPECT_EQ(examine_solutions(five_states()).theorem, Theorem::LeadingCoefficientsAreP);
  // x''' = -lambda: nothing keeps x >= 0.
  System s = integrators(3);
  s.B *= -1.0;
  EXPECT_EQ(examine_solutions(s).existence, Verdict::Fails);
  EXPECT_LT((s.C * examine_solutions(s).initial_state)(0), 0.0);
}

// D = 0 and C B = S symmetric: a sweeping process for S > 0, whatever A; not for an indefinite S.
TEST(Solutions, OfASweepingProcess) {
  const MatrixXd unstable{{1.0, 3.0}, {-2.0, 2.0}}, I = MatrixXd::Identity(2, 2);
  const MatrixXd S{{2.0, -1.0}, {-1.0, 1.0}};
  EXPECT_TRUE(passivity({.A = unstable, .B = S, .C = I}).passive.fails());
  const WellPosedness found = examine_solutions({.A = unstable, .B = S, .C = I});
  EXPECT_EQ(found.existence, Verdict::Holds);
  EXPECT_EQ(found.uniqueness, Verdict::Holds);
  // P but not symmetric: the rational complementarity problem decides, not a storage function.
  EXPECT_EQ(examine_solutions({.A = unstable, .B = MatrixXd{{1.0, -3.0}, {0.0, 1.0}}, .C = I}).theorem,
            Theorem::LeadingCoefficientsAreP);
  EXPECT_NE(examine_solutions({.A = unstable, .B = MatrixXd{{1.0, 2.0}, {2.0, 1.0}}, .C = I}).uniqueness,
            Verdict::Holds);
}

// A drift b < 0 of an output that nothing can push: y = x + lambda_1 - lambda_2 ... no admissible state may be left.
TEST(Solutions, LeavesADriftThatMayNotBeMet) {
  const System bridge = diode_bridge();
  System shifted = bridge;
  shifted.b = Eigen::VectorXd::Constant(4, -1.0);
  EXPECT_EQ(examine_solutions(shifted).existence, Verdict::NotKnown);
  EXPECT_EQ(examine_solutions(shifted).uniqueness, Verdict::Holds);
}

TEST(LinearComplementaritySystem, RefusesShapesAndSingularMass) {
  const MatrixXd one = MatrixXd::Ones(1, 1), two = MatrixXd::Ones(2, 2);
  EXPECT_THROW((void)relative_degree({}), InvalidArgument);
  EXPECT_THROW((void)relative_degree({.A = one, .B = one, .C = MatrixXd(0, 1)}), InvalidArgument);
  EXPECT_THROW((void)relative_degree({.A = one, .B = two, .C = one}), InvalidArgument);
  EXPECT_THROW((void)relative_degree({.A = one, .B = one, .C = two}), InvalidArgument);
  EXPECT_THROW((void)passivity({.A = one, .B = one, .C = one, .D = two}), InvalidArgument);
  EXPECT_THROW((void)passivity({.A = one, .B = one, .C = one, .M = two}), InvalidArgument);
  EXPECT_THROW((void)controllability({.A = two, .B = MatrixXd::Ones(2, 1), .C = MatrixXd::Ones(1, 2), .M = two}),
               InvalidArgument);
  EXPECT_THROW((void)examine_solutions({.A = one, .B = one, .C = one, .a = Eigen::VectorXd::Ones(2)}), InvalidArgument);
  EXPECT_THROW((void)examine_solutions({.A = one, .B = one, .C = one, .b = Eigen::VectorXd::Ones(2)}), InvalidArgument);
  EXPECT_THROW((void)zero_dynamics({.A = one / 0.0, .B = one, .C = one}), InvalidArgument);
}

// M x' = A x + B lambda: a mass of 2 divides gains and rates.
TEST(LinearComplementaritySystem, DividesByItsMass) {
  const MatrixXd one = MatrixXd::Ones(1, 1);
  const MarkovParameters parameters = markov_parameters({.A = -one, .B = one, .C = one, .M = 2.0 * one});
  EXPECT_EQ(parameters.H[1](0, 0), 0.5);
  EXPECT_EQ(passivity({.A = -one, .B = one, .C = one, .M = 2.0 * one}).P(0, 0), 2.0);
}

class ConstructedSystems : public ::testing::TestWithParam<int> {};

TEST_P(ConstructedSystems, GetTheirVerdicts) {
  long missed = 0, due = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(1000 * seed + static_cast<std::uint64_t>(GetParam()));
    const problems::ClassifiedSystem instance = problems::random_classified_system(GetParam(), random);
    for (const problems::SystemVerdict& verdict : problems::judge_system(instance)) {
      ++due;
      if (verdict.found == Verdict::NotKnown) {
        ++missed;
        continue;
      }
      EXPECT_EQ(verdict.found == Verdict::Holds, verdict.holds)
          << instance.name << ", " << verdict.name << ", seed " << seed;
    }
  }
  EXPECT_LE(50 * missed, due);
}
INSTANTIATE_TEST_SUITE_P(All, ConstructedSystems, ::testing::Range(0, problems::num_system_families));

}  // namespace
}  // namespace nonsmooth::analysis::linear_system_test
