// SPDX-License-Identifier: Apache-2.0
// Impact laws and the acceleration-level problem on small dense data, against closed forms.
#include "impact/impact_problem.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <Eigen/LU>

#include <nonsmooth/numerics/error.hpp>

#ifndef NONSMOOTH_REFERENCE_DATA
#define NONSMOOTH_REFERENCE_DATA ""
#endif

namespace nonsmooth::impacts::impact_problems_test {
namespace {

using Rule = ImpactContact::Rule;
using Verdict = ContactAnswer::Verdict;
constexpr double eps = std::numeric_limits<double>::epsilon();
// Answers of active sets are exact to the round-off of W's solve: conditions here are below 100.
constexpr double exact = 1e3 * eps;

/// Balls on a line: u_i = v_{i+1} - v_i, masses and velocities given.
struct Chain {
  Eigen::VectorXd mass, v;
  Eigen::MatrixXd G;
  ImpactProblem problem;

  Chain(Eigen::VectorXd masses, Eigen::VectorXd velocities, Rule rule, double e, bool wall = false)
      : mass(std::move(masses)), v(std::move(velocities)) {
    const Index n = mass.size(), first = wall ? 0 : 1;
    G.setZero(n - first, n);
    for (Index i = first; i < n; ++i) {
      G(i - first, i) = 1.0;
      if (i > 0) G(i - first, i - 1) = -1.0;
    }
    problem.W = G * mass.cwiseInverse().asDiagonal() * G.transpose();
    problem.u_minus = G * v;
    for (Index i = 0; i < G.rows(); ++i) problem.contacts.push_back({.first = i, .rule = rule, .restitution = e});
  }

  Eigen::VectorXd after(const ImpactResult& result) const {
    EXPECT_EQ(result.status, Status::Solved) << result.detail;
    return v + mass.cwiseInverse().cwiseProduct(G.transpose() * result.p);
  }
  double energy(const Eigen::VectorXd& velocities) const { return 0.5 * mass.dot(velocities.cwiseAbs2()); }
};

Eigen::VectorXd unit(Index n) { return Eigen::VectorXd::Unit(n, 0); }
Eigen::VectorXd ones(Index n) { return Eigen::VectorXd::Ones(n); }

TEST(NewtonImpact, ThreeEqualBallsAtOnce) {
  const Chain chain(ones(3), unit(3), Rule::Newton, 1.0);
  const auto result = solve_impact(chain.problem);
  EXPECT_LT((chain.after(result) - Eigen::Vector3d(-1.0, 2.0, 2.0) / 3.0).norm(), exact);
  EXPECT_NEAR(result.energy_change, 0.0, exact);
}

TEST(EveryLaw, TwoBalls) {
  // m1 m2 (1 + e) / (m1 + m2) of the relative velocity is the impulse. LZB: to the 1e-12 of a local error, times a few
  // hundred steps.
  for (const Rule rule : {Rule::Newton, Rule::Poisson, Rule::LiuZhaoBrogliato}) {
    for (const double e : {0.0, 0.3, 0.8, 1.0}) {
      const Chain chain(Eigen::Vector2d(1.0, 3.0), Eigen::Vector2d(2.0, -0.5), rule, e);
      const auto result = solve_impact(chain.problem);
      ASSERT_EQ(result.status, Status::Solved) << result.detail;
      EXPECT_NEAR(result.p[0], 0.75 * (1.0 + e) * 2.5, rule == Rule::LiuZhaoBrogliato ? 1e-9 : exact) << e;
      EXPECT_NEAR(result.energy_change, -0.5 * 0.75 * (1.0 - e * e) * 6.25, 1e-9);
    }
  }
}

TEST(NewtonImpact, EnergyDoesNotGrowWithOneRestitution) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int k = 0; k < 300; ++k) {
    const Index n = 2 + static_cast<Index>(random() % 10), m = 1 + static_cast<Index>(random() % 6);
    Eigen::MatrixXd H(n, m);  // often n > m: redundant
    Eigen::VectorXd v(m);
    for (double& entry : H.reshaped()) entry = uniform(random);
    for (double& entry : v) entry = uniform(random);
    ImpactProblem problem;
    problem.W = H * H.transpose();
    problem.u_minus = -(H * v).cwiseAbs();  // all approach
    for (Index i = 0; i < n; ++i) {
      if (problem.u_minus[i] != (H * v)[i]) H.row(i) *= -1.0;
    }
    problem.W = H * H.transpose();
    problem.u_minus = H * v;
    const double e = 0.5 * (1.0 + uniform(random));
    for (Index i = 0; i < n; ++i) problem.contacts.push_back({.first = i, .rule = Rule::Newton, .restitution = e});
    const auto result = solve_impact(problem);
    ASSERT_EQ(result.status, Status::Solved) << k << ' ' << result.detail;
    const Eigen::VectorXd after = v + H.transpose() * result.p;
    // The certificate's 1e-11 times |p| enters energies.
    const double room = 1e-10 * (1.0 + result.p.sum()) * (1.0 + v.norm());
    EXPECT_LE(after.squaredNorm(), v.squaredNorm() + room) << k;
    EXPECT_NEAR(result.energy_change, 0.5 * (after.squaredNorm() - v.squaredNorm()), room);
    EXPECT_GE(result.p.minCoeff(), -room);
    EXPECT_GE((result.u_plus + e * problem.u_minus).minCoeff(), -room);
  }
}

TEST(NewtonImpact, BilateralRowsBeside) {
  // A ball hits one of two that a rod joins: m = 1 against 2.
  Chain chain(ones(3), unit(3), Rule::Newton, 0.5);
  chain.problem.contacts[1].rule = Rule::Bilateral;
  const auto v = chain.after(solve_impact(chain.problem));
  EXPECT_LT((v - Eigen::Vector3d(0.0, 0.5, 0.5)).norm(), exact);  // impulse 1.5 * 2 / 3 = 1
}

TEST(NewtonImpact, ObliqueWithFriction) {
  // A particle on a plane: slides on with mu (1 + e) |u_N| less, or stops sliding. W = 1 / m.
  for (const Rule rule : {Rule::Newton, Rule::Poisson}) {
    for (const double mu : {0.0, 0.1, 0.5}) {
      const double e = 0.6, mass = 2.0;
      ImpactProblem problem;
      problem.W = Eigen::Matrix3d::Identity() / mass;
      problem.u_minus = Eigen::Vector3d(-1.0, 0.3, -0.4);
      problem.contacts = {{.first = 0, .size = 3, .rule = rule, .restitution = e, .friction = mu}};
      const auto result = solve_impact(problem);
      ASSERT_EQ(result.status, Status::Solved) << result.detail;
      const double left = std::max(0.0, 1.0 - mu * (1.0 + e) / 0.5);
      // The circular cone is met to the certificate's 1e-11.
      EXPECT_LT((result.u_plus - Eigen::Vector3d(e, 0.3 * left, -0.4 * left)).norm(), 1e-10) << mu;
      problem.W = Eigen::Matrix2d::Identity() / mass;
      problem.u_minus = Eigen::Vector2d(-1.0, 0.5);
      problem.contacts[0].size = 2;
      const auto plane = solve_impact(problem);
      ASSERT_EQ(plane.status, Status::Solved) << plane.detail;
      EXPECT_LT((plane.u_plus - Eigen::Vector2d(e, 0.5 * left)).norm(), exact) << mu;
    }
  }
}

TEST(NewtonImpact, TangentialRestitution) {
  // A sphere whose spin reverses: u_T+ = -e_T u_T- while it sticks.
  ImpactProblem problem;
  problem.W = Eigen::Vector2d(1.0, 3.5).asDiagonal();
  problem.u_minus = Eigen::Vector2d(-1.0, 0.4);
  problem.contacts = {{.first = 0,
                       .size = 2,
                       .rule = Rule::Newton,
                       .restitution = 0.9,
                       .tangential_restitution = 0.5,
                       .friction = 1.0}};
  const auto result = solve_impact(problem);
  ASSERT_EQ(result.status, Status::Solved) << result.detail;
  EXPECT_LT((result.u_plus - Eigen::Vector2d(0.9, -0.2)).norm(), exact);
}

TEST(PoissonImpact, ASlenderRodsCorner) {
  // m = 1, length 2, J = 1/3; the lower end is (1/2, -sqrt(3)/2) from the centre. It sticks in both phases:
  //   p_c = -W^-1 u-,  p_eN = e p_cN, u_T+ = 0  =>  u_N+ = e (-u_N- + u_T- W_NT / W_TT), not Newton's -e u_N-.
  const double rx = 0.5, ry = -std::sqrt(0.75), J = 1.0 / 3.0, e = 0.7;
  ImpactProblem problem;
  problem.W = Eigen::Matrix2d{{1.0 + rx * rx / J, -rx * ry / J}, {-rx * ry / J, 1.0 + ry * ry / J}};
  problem.u_minus = Eigen::Vector2d(-1.0, 0.5);
  problem.contacts = {{.first = 0, .size = 2, .rule = Rule::Poisson, .restitution = e, .friction = 0.6}};
  const Eigen::Vector2d compression = -problem.W.inverse() * problem.u_minus;
  ASSERT_LT(std::abs(compression[1]), 0.6 * compression[0]);
  auto result = solve_impact(problem);
  ASSERT_EQ(result.status, Status::Solved) << result.detail;
  const double rebound = e * (1.0 + 0.5 * problem.W(0, 1) / problem.W(1, 1));
  EXPECT_NEAR(result.u_plus[0], rebound, exact);
  EXPECT_NEAR(result.u_plus[1], 0.0, exact);
  EXPECT_NEAR(result.p[0], (1.0 + e) * compression[0], exact);
  problem.contacts[0].rule = Rule::Newton;
  result = solve_impact(problem);
  ASSERT_EQ(result.status, Status::Solved) << result.detail;
  EXPECT_NEAR(result.u_plus[0], e, exact);
  // Sliding all the way both laws agree: p_N = (1 + e) / (W_NN - mu W_NT), u_T- > 0 large.
  for (const Rule rule : {Rule::Newton, Rule::Poisson}) {
    problem.contacts[0].rule = rule;
    problem.u_minus[1] = 5.0;
    result = solve_impact(problem);
    ASSERT_EQ(result.status, Status::Solved) << result.detail;
    EXPECT_NEAR(result.p[0], (1.0 + e) / (problem.W(0, 0) - 0.6 * problem.W(0, 1)), exact);
    EXPECT_NEAR(result.u_plus[0], e, exact);
  }
}

TEST(PoissonImpact, ThreeBallsGiveTheImpulseBack) {
  // e = 1: p_c = (2/3, 1/3) W^-1.. of u- = (-1, 0); twice that separates, so p = 2 p_c as Newton's with e = 1.
  const Chain chain(ones(3), unit(3), Rule::Poisson, 1.0);
  EXPECT_LT((chain.after(solve_impact(chain.problem)) - Eigen::Vector3d(-1.0, 2.0, 2.0) / 3.0).norm(), exact);
}

TEST(LiuZhaoBrogliato, ThreeBallsWithLinearSprings) {
  // k = m = 1, d1 + d2 = sin t, d1 - d2 = sin(sqrt3 t) / sqrt3 until d1 = 0 again; then 2 and 3 alone: d2'' = -2 d2.
  double t = 2.57;
  const double root = std::sqrt(3.0);
  for (int k = 0; k < 10; ++k) t -= (std::sin(t) + std::sin(root * t) / root) / (std::cos(t) + std::cos(root * t));
  const double d2 = 0.5 * (std::sin(t) - std::sin(root * t) / root), rate1 = 0.5 * (std::cos(t) + std::cos(root * t));
  const double rate2 = 0.5 * (std::cos(t) - std::cos(root * t));
  ASSERT_NEAR(std::sin(t) + std::sin(root * t) / root, 0.0, 4.0 * eps);
  // u = v_{i+1} - v_i = -d_i'; the sum of velocities is 1.
  const double v1 = (1.0 + 2.0 * rate1 + rate2) / 3.0, pair = 1.0 - v1;
  const double apart = std::sqrt(rate2 * rate2 + 2.0 * d2 * d2);
  Chain chain(ones(3), unit(3), Rule::LiuZhaoBrogliato, 1.0);
  for (auto& contact : chain.problem.contacts) contact.exponent = 1.0;
  const Eigen::VectorXd v = chain.after(solve_impact(chain.problem));
  // 1e-12 a step, some hundred steps, amplified by the flow's condition of about 10.
  EXPECT_LT((v - Eigen::Vector3d(v1, 0.5 * (pair - apart), 0.5 * (pair + apart))).norm(), 1e-9);
}

TEST(LiuZhaoBrogliato, EnergyAndMomentumOfChains) {
  for (const Index n : {3, 5, 10}) {
    const Chain chain(ones(n), unit(n), Rule::LiuZhaoBrogliato, 1.0);
    const auto result = solve_impact(chain.problem);
    const Eigen::VectorXd v = chain.after(result);
    EXPECT_NEAR(chain.energy(v), 0.5, 1e-9);
    EXPECT_NEAR(v.sum(), 1.0, 1e-13);
    EXPECT_GE(result.u_plus.minCoeff(), -1e-10);
    EXPECT_GT(v[n - 1], 0.98);  // Hertzian chains pass most on, but not all
    EXPECT_LT(v[n - 1], 0.999);
    EXPECT_LT(v[0], -0.05);
    EXPECT_GT(result.stored_energy, 0.25);
    EXPECT_LT(result.stored_energy, 0.5);
  }
}

TEST(LiuZhaoBrogliato, EnergyIsBalancedWhateverTheLastDigits) {
  // A cradle at its seventh passage, m = 0.1: energies balance to 1e-9 for all roundings of these velocities.
  const Eigen::Vector4d u{-0.00064081039843904772, -0.0044466542563990474, -0.025919925423986492, -0.11531526114489953};
  ImpactProblem problem;
  problem.W = 20.0 * Eigen::Matrix4d::Identity();
  for (Index i = 0; i < 4; ++i) {
    if (i < 3) problem.W(i, i + 1) = problem.W(i + 1, i) = -10.0;
    problem.contacts.push_back({.first = i, .rule = Rule::LiuZhaoBrogliato, .restitution = 1.0});
  }
  for (int trial = 0; trial < 81; ++trial) {
    problem.u_minus = u;
    for (int i = 0, digits = trial; i < 4; ++i, digits /= 3) problem.u_minus[i] *= 1.0 + 4e-16 * (digits % 3 - 1);
    const ImpactResult result = solve_impact(problem);
    EXPECT_EQ(result.status, Status::Solved) << trial << ": " << result.detail;
    EXPECT_NEAR(result.energy_change, 0.0, 1e-9 * result.stored_energy) << trial;
  }
}

TEST(LiuZhaoBrogliato, BilateralRowsHoldAllAlong) {
  // A ball hits one of two that a rod joins: m = 1 against 2, e = 1: (-1, 2, 2) / 3. A rod that moves before is stopped
  // first, (1, 0, 0.3) to (1, 0.15, 0.15). Two rods, one of which says nothing new; and two that contradict each other.
  Chain chain(ones(3), unit(3), Rule::LiuZhaoBrogliato, 1.0);
  chain.problem.contacts[1].rule = Rule::Bilateral;
  const ImpactResult result = solve_impact(chain.problem);
  ASSERT_EQ(result.status, Status::Solved) << result.detail;
  EXPECT_LT((chain.after(result) - Eigen::Vector3d(-1.0, 2.0, 2.0) / 3.0).norm(), 1e-9);
  EXPECT_NEAR(result.energy_change, 0.0, 1e-9);
  chain.problem.u_minus = Eigen::Vector2d(-1.0, 0.3);
  const ImpactResult stopped = solve_impact(chain.problem);
  ASSERT_EQ(stopped.status, Status::Solved) << stopped.detail;
  EXPECT_NEAR(stopped.u_plus[0], 0.85, 1e-9);
  EXPECT_NEAR(stopped.u_plus[1], 0.0, 1e-15);
  ImpactProblem twice;
  const std::vector<Index> rows{0, 1, 1};
  twice.W = chain.problem.W(rows, rows);
  twice.u_minus = Eigen::Vector3d(-1.0, 0.0, 0.0);
  twice.contacts = chain.problem.contacts;
  twice.contacts[1].size = 2;
  const ImpactResult redundant = solve_impact(twice);
  ASSERT_EQ(redundant.status, Status::Solved) << redundant.detail;
  EXPECT_NEAR(redundant.u_plus[0], 1.0, 1e-9);
  twice.u_minus[1] = 0.3;
  const ImpactResult contradictory = solve_impact(twice);
  EXPECT_EQ(contradictory.status, Status::NumericalFailure);
  EXPECT_NE(contradictory.detail.find("bilateral"), std::string::npos);
}

TEST(LiuZhaoBrogliato, LimitsOfTheStiffnessRatio) {
  // A hard first contact is over before the second begins: one collision after the other. A hard second contact makes
  // one body of two: (1 - 2, 2, 2) / 3, less what is left of the pair's vibration, of order k1 / k2 of the energy.
  Chain chain(ones(3), unit(3), Rule::LiuZhaoBrogliato, 1.0);
  double last = 1.0;
  for (const double ratio : {1e2, 1e4, 1e6}) {
    chain.problem.contacts[0].stiffness = ratio;
    const double off = (chain.after(solve_impact(chain.problem)) - Eigen::Vector3d(0.0, 0.0, 1.0)).norm();
    EXPECT_LT(off, 0.1 * last);
    last = off;
  }
  EXPECT_LT(last, 1e-6);
  last = 1.0;
  for (const double ratio : {1e-2, 1e-4, 1e-6}) {
    chain.problem.contacts[0].stiffness = ratio;
    const Eigen::VectorXd v = chain.after(solve_impact(chain.problem));
    const double off = std::abs(v[0] + 1.0 / 3.0);
    EXPECT_LT(off, 0.1 * last);
    last = off;
  }
  EXPECT_LT(last, 1e-6);
}

TEST(LiuZhaoBrogliato, OneAfterTheOther) {
  // Ball after ball, each contact a hundred thousand times softer than the one before: v_N = v_0.
  Chain chain(ones(4), unit(4), Rule::LiuZhaoBrogliato, 1.0);
  chain.problem.contacts[0].stiffness = 1e8;
  chain.problem.contacts[1].stiffness = 1e4;
  EXPECT_LT((chain.after(solve_impact(chain.problem)) - Eigen::Vector4d(0.0, 0.0, 0.0, 1.0)).norm(), 1e-4);
}

TEST(LiuZhaoBrogliato, LosesWhatRestitutionsTake) {
  for (const double e : {0.0, 0.2, 0.5, 0.9}) {
    Chain chain(Eigen::Vector4d(1.0, 2.0, 0.5, 1.0), unit(4), Rule::LiuZhaoBrogliato, e);
    const auto result = solve_impact(chain.problem);
    const Eigen::VectorXd v = chain.after(result);
    EXPECT_NEAR(chain.mass.dot(v), 1.0, 1e-12);
    EXPECT_NEAR(chain.energy(v) - 0.5, result.energy_change, 1e-12);
    EXPECT_LT(result.energy_change, 0.0);
    EXPECT_GE(result.u_plus.minCoeff(), -1e-10);
    if (e == 0.0) {
      EXPECT_LT((v - 1.0 / 4.5 * ones(4)).norm(), 1e-9);  // all stay together
    }
  }
}

TEST(LiuZhaoBrogliato, FixedStepsConverge) {
  for (const double e : {1.0, 0.6}) {
    Chain chain(ones(4), unit(4), Rule::LiuZhaoBrogliato, e);
    const Eigen::VectorXd limit = chain.after(solve_impact(chain.problem));
    double before = 0.0;
    for (const double step : {1e-3, 1e-4, 1e-5}) {
      chain.problem.impulse_step = step;
      const double error = (chain.after(solve_impact(chain.problem)) - limit).norm();
      EXPECT_LT(error, 20.0 * step);  // first order; the factor is a few units
      if (before > 0.0) {
        EXPECT_LT(error, 0.5 * before);
      }
      before = error;
    }
  }
}

TEST(LiuZhaoBrogliato, ColumnOfTenBeads) {
  const std::string root = NONSMOOTH_REFERENCE_DATA;
  if (root.empty()) GTEST_SKIP() << "no reference data (NONSMOOTH_REFERENCE_DATA)";
  std::ifstream file(root + "/validation/BeadColumnED_LZBModel/BeadColumnED_LZBModel.ref.txt");
  ASSERT_TRUE(file) << "no reference file of the column of beads";
  // The first impact: two rows at one time, the column falling as one, and each bead with its own velocity after it.
  std::string line;
  std::getline(file, line);
  Eigen::VectorXd row(21), last = Eigen::VectorXd::Zero(21);
  bool found = false;
  while (!found && std::getline(file, line)) {
    std::istringstream words(line);
    for (double& entry : row) words >> entry;
    found = row[0] > 0.0 && row[0] == last[0] && last[11] < -0.9 && row[11] > 0.0;
    if (!found) last = row;
  }
  ASSERT_TRUE(found);
  const double mass = 4.0 / 3.0 * 3.14159265 * std::pow(0.005, 3) * 7780.0;
  Chain chain(mass * ones(10), last.tail(10), Rule::LiuZhaoBrogliato, 1.0, true);
  chain.problem.contacts[0].stiffness = std::sqrt(2.0);
  chain.problem.impulse_step = 1e-6;
  // The same scheme: round-off only, the file has 13 digits of velocities near 1.
  EXPECT_LT((chain.after(solve_impact(chain.problem)) - row.tail(10)).cwiseAbs().maxCoeff(), 1e-9);
  // Its limit is 1e-3 away: first order, impulse_step / m = 2.5e-4.
  chain.problem.impulse_step = 0.0;
  const Eigen::VectorXd limit = chain.after(solve_impact(chain.problem));
  EXPECT_LT((limit - row.tail(10)).cwiseAbs().maxCoeff(), 2e-3);
  EXPECT_NEAR(chain.energy(limit), chain.energy(chain.v), 1e-9 * chain.energy(chain.v));
}

ProductSet orthants(Index n) {
  ProductSet sets;
  for (Index i = 0; i < n; ++i) sets.push_back({.kind = SetKind::Orthant}, 1);
  return sets;
}

TEST(Accelerations, ACornerBelowAnOverhangingWall) {
  const auto answer =
      solve_contact_problem(Eigen::Matrix2d{{1.0, -0.5}, {-0.5, 1.0}}, Eigen::Vector2d(-1.0, 3.0), orthants(2));
  ASSERT_EQ(answer.status, Status::Solved) << answer.detail;
  EXPECT_EQ(answer.verdict, Verdict::Unique);
  EXPECT_LT((answer.lambda - Eigen::Vector2d(1.0, 0.0)).norm(), exact);
  EXPECT_LT((answer.w - Eigen::Vector2d(0.0, 2.5)).norm(), exact);
}

TEST(Accelerations, PainlevesRod) {
  // m = 1, length 2, tan = 2: with lambda_T = mu lambda_N the normal acceleration is A lambda + b,
  // A = 1 + 3 cos^2 - 3 mu sin cos, zero at mu = 4/3.
  const double sine = 2.0 / std::sqrt(5.0), cosine = 1.0 / std::sqrt(5.0);
  const auto solve = [&](double mu, double b) {
    const double A = 1.0 + 3.0 * cosine * cosine - 3.0 * mu * sine * cosine;
    return solve_contact_problem(Eigen::MatrixXd::Constant(1, 1, A), Eigen::VectorXd::Constant(1, b), orthants(1));
  };
  EXPECT_EQ(solve(1.33, -1.0).verdict, Verdict::Unique);
  EXPECT_EQ(solve(1.33, 1.0).verdict, Verdict::Unique);
  const auto none = solve(1.34, -1.0);
  EXPECT_EQ(none.verdict, Verdict::None);
  EXPECT_NE(none.status, Status::Solved);
  EXPECT_FALSE(none.detail.empty());
  const auto several = solve(1.34, 1.0);
  EXPECT_EQ(several.verdict, Verdict::Several);
  ASSERT_EQ(several.status, Status::Solved);
  EXPECT_EQ(several.lambda[0], 0.0);  // the smallest

  // The same rod at 45 degrees at rest, mu = 2: it takes off, or jams (lambda = -W^-1 b is in the cone).
  ProductSet sets;
  sets.push_back({.kind = SetKind::Coulomb2D, .mu = 2.0}, 2);
  const auto jam = solve_contact_problem(Eigen::Matrix2d{{2.5, -1.5}, {-1.5, 2.5}}, Eigen::Vector2d(0.1, -1.0), sets);
  EXPECT_EQ(jam.verdict, Verdict::Several);
  EXPECT_EQ(jam.status, Status::Solved);
}

TEST(Accelerations, FourFeet) {
  // A block on four feet: three degrees of freedom, W of rank 3. The motion is unique, forces are not.
  Eigen::MatrixXd H(4, 3);
  H << 1, 1, 1, 1, -1, 1, 1, 1, -1, 1, -1, -1;
  const Eigen::MatrixXd W = H * Eigen::Vector3d(1.0, 2.0, 3.0).asDiagonal() * H.transpose();
  auto answer = solve_contact_problem(W, Eigen::VectorXd::Constant(4, -9.81), orthants(4));
  ASSERT_EQ(answer.status, Status::Solved) << answer.detail;
  EXPECT_EQ(answer.verdict, Verdict::Unique);
  EXPECT_LT(answer.w.norm(), 9.81 * exact);
  EXPECT_LT((answer.lambda - Eigen::VectorXd::Constant(4, 9.81 / 4.0)).norm(), 9.81 * exact);
  // Pulled up at one side: it tilts about the other two feet.
  answer = solve_contact_problem(W, Eigen::VectorXd(H * Eigen::Vector3d(-1.0, 0.0, 4.0)), orthants(4));
  ASSERT_EQ(answer.status, Status::Solved) << answer.detail;
  EXPECT_EQ(answer.verdict, Verdict::Unique);
  EXPECT_NEAR(answer.lambda.head(2).norm(), 0.0, 10.0 * exact);
  EXPECT_NEAR(answer.w.tail(2).norm(), 0.0, 10.0 * exact);
}

TEST(Accelerations, RedundantBilateralRows) {
  ProductSet sets;
  sets.push_back({.kind = SetKind::Free}, 2);
  const Eigen::MatrixXd W = Eigen::MatrixXd::Ones(2, 2);
  auto answer = solve_contact_problem(W, Eigen::Vector2d(1.0, 1.0), sets);
  ASSERT_EQ(answer.status, Status::Solved) << answer.detail;
  EXPECT_EQ(answer.verdict, Verdict::Unique);
  EXPECT_NEAR(answer.lambda.sum(), -1.0, exact);
  answer = solve_contact_problem(W, Eigen::Vector2d(1.0, 2.0), sets);
  EXPECT_EQ(answer.verdict, Verdict::None);
  EXPECT_NE(answer.status, Status::Solved);
}

TEST(Accelerations, BoxesAndContactsTogether) {
  // A relay's row at a bound, between, and at the other; one contact sticks, one slides.
  ProductSet box;
  box.push_back({.kind = SetKind::Box, .lower = -1.0, .upper = 2.0}, 1);
  for (const double b : {-5.0, 0.3, 5.0}) {
    const auto answer = solve_contact_problem(Eigen::MatrixXd::Ones(1, 1), Eigen::VectorXd::Constant(1, b), box);
    ASSERT_EQ(answer.status, Status::Solved);
    EXPECT_NEAR(answer.lambda[0], std::clamp(-b, -1.0, 2.0), exact);
  }
  ProductSet sets;
  sets.push_back({.kind = SetKind::Coulomb2D, .mu = 0.5}, 2);
  sets.push_back({.kind = SetKind::Coulomb2D, .mu = 0.5}, 2);
  Eigen::Vector4d b(-1.0, 0.4, -1.0, 0.9);
  const auto answer = solve_contact_problem(Eigen::Matrix4d::Identity(), b, sets);
  ASSERT_EQ(answer.status, Status::Solved);
  EXPECT_EQ(answer.verdict, Verdict::Unique);
  EXPECT_LT((answer.lambda - Eigen::Vector4d(1.0, -0.4, 1.0, -0.5)).norm(), exact);
}

TEST(ImpactProblems, BadInput) {
  Chain chain(ones(3), unit(3), Rule::LiuZhaoBrogliato, 1.0);
  auto problem = chain.problem;
  problem.contacts[1].rule = Rule::Newton;
  EXPECT_THROW((void)solve_impact(problem), InvalidArgument);
  problem = chain.problem;
  problem.contacts[0].stiffness = 0.0;
  EXPECT_THROW((void)solve_impact(problem), InvalidArgument);
  problem = chain.problem;
  problem.contacts[0].restitution = 1.5;
  EXPECT_THROW((void)solve_impact(problem), InvalidArgument);
  problem = chain.problem;
  problem.contacts[1].first = 0;
  EXPECT_THROW((void)solve_impact(problem), InvalidArgument);
  problem = chain.problem;
  problem.u_minus[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)solve_impact(problem), InvalidArgument);
  problem = chain.problem;
  problem.impulse_step = 1e-3;
  problem.contacts[1].exponent = 1.0;
  EXPECT_THROW((void)solve_impact(problem), InvalidArgument);
  problem.contacts.pop_back();
  EXPECT_THROW((void)solve_impact(problem), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::impacts::impact_problems_test
