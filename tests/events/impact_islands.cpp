// SPDX-License-Identifier: Apache-2.0
// Contacts that do not act on one another: an impact, and a problem of accelerations, are solved group by group.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

#include "event_log.hpp"
#include "impact/impact_problem.hpp"
#include "impact/islands.hpp"

namespace nonsmooth::impacts::impact_islands_test {
namespace {

using namespace event_log;
using Rule = ImpactContact::Rule;
using Verdict = ContactAnswer::Verdict;
constexpr double kEps = std::numeric_limits<double>::epsilon();

/// Balls on a line, unit masses: contacts u_i = v_{i+1} - v_i.
ImpactProblem chain(const Eigen::VectorXd& v, Rule rule, double e) {
  ImpactProblem problem;
  const Index n = v.size() - 1;
  problem.W = 2.0 * Eigen::MatrixXd::Identity(n, n);
  for (Index i = 0; i + 1 < n; ++i) problem.W(i, i + 1) = problem.W(i + 1, i) = -1.0;
  problem.u_minus = v.tail(n) - v.head(n);
  for (Index i = 0; i < n; ++i) {
    problem.contacts.push_back(
        {.first = i, .rule = rule, .restitution = e, .friction = 0.0, .stiffness = 1.0 + 0.3 * double(i)});
  }
  return problem;
}

/// A rod's tip with friction: N, T coupled.
ImpactProblem tip(double vn, double vt, double e, Rule rule = Rule::Newton) {
  ImpactProblem problem;
  problem.W = Eigen::Matrix2d{{1.7, -0.6}, {-0.6, 1.3}};
  problem.u_minus = Eigen::Vector2d(vn, vt);
  problem.contacts.push_back({.size = 2, .rule = rule, .restitution = e, .friction = 0.3});
  return problem;
}

/// True where the next contact of together() is one of `a`: those of b come after them, or in turns.
bool takes_first(const ImpactProblem& a, std::size_t i, const ImpactProblem& b, std::size_t j, bool turns) {
  return j == b.contacts.size() || (i < a.contacts.size() && (!turns || i <= j));
}

/// Both, without a coupling between them.
ImpactProblem together(const ImpactProblem& a, const ImpactProblem& b, bool turns) {
  struct Row {
    bool first;
    Index row;
  };
  std::vector<Row> from;
  ImpactProblem both;
  for (std::size_t i = 0, j = 0; i < a.contacts.size() || j < b.contacts.size();) {
    const bool first = takes_first(a, i, b, j, turns);
    ImpactContact contact = first ? a.contacts[i++] : b.contacts[j++];
    for (Index r = 0; r < contact.size; ++r) from.push_back({first, contact.first + r});
    contact.first = static_cast<Index>(from.size()) - contact.size;
    both.contacts.push_back(contact);
  }
  const auto n = static_cast<Index>(from.size());
  both.W.setZero(n, n);
  both.u_minus.resize(n);
  for (Index r = 0; r < n; ++r) {
    const Row& one = from[static_cast<std::size_t>(r)];
    const ImpactProblem& part = one.first ? a : b;
    both.u_minus[r] = part.u_minus[one.row];
    for (Index s = 0; s < n; ++s) {
      const Row& other = from[static_cast<std::size_t>(s)];
      if (one.first == other.first) both.W(r, s) = part.W(one.row, other.row);
    }
  }
  return both;
}

TEST(Islands, ComponentsInOrder) {
  // Contacts of 1, 2, 1, 3 and 1 rows: 0 - 3 through one entry, 1 - 4 through one above round-off only.
  const std::vector<Index> first{0, 1, 3, 4, 7};
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(8, 8);
  using Islands = std::vector<std::vector<Index>>;
  EXPECT_EQ(find_islands(W, first), (Islands{{0}, {1}, {2}, {3}, {4}}));
  W(5, 0) = 1e-3;
  EXPECT_EQ(find_islands(W, first), (Islands{{0, 3}, {1}, {2}, {4}}));
  W(2, 7) = 63.0 * kEps;
  EXPECT_EQ(find_islands(W, first), (Islands{{0, 3}, {1}, {2}, {4}}));
  W(7, 2) = 65.0 * kEps;
  EXPECT_EQ(find_islands(W, first), (Islands{{0, 3}, {1, 4}, {2}}));
  EXPECT_EQ(rows_of_island({1, 4}, first, 8), (std::vector<Index>{1, 2, 7}));
  W(7, 7) = 1e6;  // a light body's contact: what is round-off grows with the root
  EXPECT_EQ(find_islands(W, first), (Islands{{0, 3}, {1}, {2}, {4}}));
  W(3, 4) = W(4, 3) = W(3, 1) = W(1, 3) = 0.1;
  EXPECT_EQ(find_islands(W, first), (Islands{{0, 1, 2, 3}, {4}}));
  EXPECT_TRUE(find_islands(Eigen::MatrixXd(0, 0), {}).empty());
}

TEST(ImpactIslands, GiveWhatEachGivesAlone) {
  const ImpactProblem parts[] = {
      chain(Eigen::Vector4d(1.0, 0.2, 0.0, -0.3), Rule::Newton, 0.6),
      chain(Eigen::Vector4d(1.0, 0.0, 0.0, 0.0), Rule::LiuZhaoBrogliato, 0.9),
      chain(Eigen::Vector4d(0.7, 0.5, 0.0, -0.1), Rule::Poisson, 0.5),
      tip(-1.0, 0.4, 0.3),
      tip(-0.2, 2.0, 0.8, Rule::Poisson),
      chain(Eigen::Vector3d(0.1, -0.2, 0.3), Rule::Bilateral, 0.0),
  };
  for (const ImpactProblem& a : parts) {
    for (const ImpactProblem& b : parts) {
      const ImpactResult one = solve_impact(a), other = solve_impact(b);
      ASSERT_EQ(one.status, Status::Solved) << one.detail;
      for (const bool turns : {false, true}) {
        const ImpactProblem both = together(a, b, turns);
        const ImpactResult result = solve_impact(both);
        ASSERT_EQ(result.status, Status::Solved) << result.detail;
        std::size_t i = 0, j = 0;
        for (const ImpactContact& contact : both.contacts) {
          const bool first = takes_first(a, i, b, j, turns);
          const ImpactResult& alone = first ? one : other;
          const Index from = first ? a.contacts[i++].first : b.contacts[j++].first;
          for (Index r = 0; r < contact.size; ++r) {
            EXPECT_EQ(result.p[contact.first + r], alone.p[from + r]);
            EXPECT_EQ(result.u_plus[contact.first + r], alone.u_plus[from + r]);
          }
        }
        EXPECT_EQ(result.energy_change, one.energy_change + other.energy_change);
        EXPECT_EQ(result.stored_energy, one.stored_energy + other.stored_energy);
      }
    }
  }
}

TEST(ImpactIslands, OneThatDoesNotApproachIsLeft) {
  // Its two laws could not act together, and its velocities are round-off beside the impact.
  ImpactProblem resting = chain(Eigen::Vector3d(0.0, 0.0, 0.5), Rule::Newton, 0.5);
  resting.contacts[1].rule = Rule::LiuZhaoBrogliato;
  resting.u_minus[0] = -60.0 * kEps;
  const ImpactProblem impact = chain(Eigen::Vector2d(1.0, 0.0), Rule::Newton, 0.5);
  const ImpactResult result = solve_impact(together(resting, impact, false));
  ASSERT_EQ(result.status, Status::Solved) << result.detail;
  EXPECT_EQ(result.p.head(2), Eigen::Vector2d::Zero());
  EXPECT_EQ(result.u_plus.head(2), resting.u_minus);
  EXPECT_DOUBLE_EQ(result.u_plus[2], 0.5);
  resting.u_minus[0] = -1e-3;
  EXPECT_THROW((void)solve_impact(together(resting, impact, false)), InvalidArgument);
}

TEST(ImpactIslands, WhatAWaveLeavesIsOfItsOwnSpeed) {
  // 2e-10 of the largest |u-| of the island, however fast another is; other laws leave round-off.
  const ImpactProblem slow = chain(Eigen::Vector3d(1e-6, 0.0, 0.0), Rule::LiuZhaoBrogliato, 0.0);
  const ImpactProblem fast = chain(Eigen::Vector3d(1e3, 0.0, -1e3), Rule::LiuZhaoBrogliato, 0.5);
  const ImpactProblem newton = chain(Eigen::Vector3d(10.0, 0.0, 0.0), Rule::Newton, 0.5);
  ImpactProblem all = together(together(slow, fast, false), newton, false);
  Eigen::VectorXd expected(6);
  expected << 2e-16, 2e-16, 2e-7, 2e-7, 0.0, 0.0;
  const Eigen::VectorXd left = left_by_solver(all);
  ASSERT_EQ(left.size(), 6);
  EXPECT_LE((left - expected).cwiseAbs().maxCoeff(), 4.0 * kEps * 2e-7);
  EXPECT_NEAR(left[0], 2e-16, 4.0 * kEps * 2e-16);
  all.impulse_step = 1e-3;  // explicit steps stop at thresholds of their own
  EXPECT_EQ(left_by_solver(all), Eigen::VectorXd::Zero(6));
}

TEST(ImpactIslands, OneThatIsNotSolvedSaysSo) {
  // A bilateral row that moves and that nothing pushes: W = 0.
  ImpactProblem stuck;
  stuck.W = Eigen::MatrixXd::Zero(1, 1);
  stuck.u_minus = Eigen::VectorXd::Ones(1);
  stuck.contacts.push_back({.rule = Rule::Bilateral});
  const ImpactProblem impact = chain(Eigen::Vector2d(1.0, 0.0), Rule::Newton, 0.5);
  const ImpactResult result = solve_impact(together(impact, stuck, false));
  EXPECT_NE(result.status, Status::Solved);
  EXPECT_FALSE(result.detail.empty());
  EXPECT_EQ(result.p.size(), 2);
}

/// Three balls of a chain with the law of Liu, Zhao and Brogliato; the first one flies at the others, which touch.
struct Cradle {
  std::vector<SystemHandle> balls;
  explicit Cradle(NonSmoothDynamicalSystem& model, double gap, double stiffness = 1.0) {
    for (int i = 0; i < 3; ++i)
      balls.push_back(model.add(LagrangianLinearSystem{.q0 = {i == 0 ? -gap : 0.0}, .v0 = {i == 0 ? 1.0 : 0.0}}));
    for (std::size_t i = 0; i < 2; ++i) {
      model.link({balls[i], balls[i + 1]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}},
                 LiuZhaoBrogliatoImpactLaw{.restitution = 1.0, .stiffness = i == 0 ? 1.0 : stiffness});
    }
  }
};

TEST(ImpactIslands, LawsThatCannotActTogetherFarApartAtOneInstant) {
  // A cradle and a ball on a wall, both at t = 1, beside a pendulum's bilateral row.
  NonSmoothDynamicalSystem alone, model;
  const Cradle reference(alone, 1.0, 3.0), cradle(model, 1.0, 3.0);
  const auto ball = model.add(LagrangianLinearSystem{.q0 = {1.0}, .v0 = {-1.0}});
  const auto wall = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.5});
  const auto pair = model.add(LagrangianLinearSystem{.q0 = {0.0, 0.0}, .v0 = {0.3, 0.3}});
  model.link(pair, LagrangianLinearRelation{.H = {{1.0, -1.0}}}, EqualityLaw{});
  EventDriven expected(alone), simulation(model);
  run_to(expected, 2.0);
  run_to(simulation, 2.0);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(simulation.state().v(cradle.balls[i])[0], expected.state().v(reference.balls[i])[0]);
  }
  EXPECT_NEAR(simulation.state().v(cradle.balls[2])[0], 1.0, 0.2);  // nearly all of it
  EXPECT_NEAR(simulation.state().v(ball)[0], 0.5, 4.0 * kEps);
  EXPECT_NEAR(simulation.state().q(ball)[0], 0.5, 16.0 * kEps);
  EXPECT_EQ(simulation.state().v(pair)[0], 0.3);
  std::size_t of_wall = 0;
  for (const Event& event : events_of(simulation, EventKind::Impact)) {
    EXPECT_NEAR(event.t, 1.0, 4.0 * kEps);
    of_wall += event.interaction == wall ? 1 : 0;
  }
  EXPECT_EQ(of_wall, 1u);
}

TEST(ImpactIslands, AContactAtRestElsewhereHasNoImpacts) {
  // A block slides fast down an incline beside a ball that bounces: what the drift of the one leaves in its normal
  // velocity is more than round-off of the other's.
  NonSmoothDynamicalSystem model;
  const double angle = 0.3, c = std::cos(angle), s = std::sin(angle);
  const auto block = model.add(LagrangianLinearSystem{
      .mass = Eigen::Matrix2d::Identity(), .force = {0.0, -9.81}, .q0 = {0.0, 0.0}, .v0 = {100.0 * c, -100.0 * s}});
  const auto incline =
      model.link(block, LagrangianLinearRelation{.H = {{s, c}, {c, -s}}}, NewtonImpactFrictionLaw{.friction = 0.1});
  const auto ball = model.add(LagrangianLinearSystem{.force = {-9.81}, .q0 = {1e-3}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.9});
  EventDriven simulation(model);
  run_to(simulation, 1.0);
  std::size_t of_ball = 0;
  for (const Event& event : events_of(simulation, EventKind::Impact)) {
    EXPECT_NE(event.interaction, incline) << event.t << ", " << event.value;
    of_ball += event.interaction != incline ? 1 : 0;
  }
  EXPECT_GT(of_ball, 20u);
}

TEST(ImpactIslands, LawsThatMeetAtACommonBodyAreRefused) {
  // The last ball of the cradle rests against a wall with Newton's law.
  NonSmoothDynamicalSystem model;
  const Cradle cradle(model, 1.0);
  model.link(cradle.balls[2], LagrangianLinearRelation{.H = {{-1.0}}}, NewtonImpactLaw{.restitution = 0.5});
  EventDriven simulation(model);
  const auto report = simulation.advance_to(2.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::ImpactUnsolved);
  EXPECT_NE(report.message().find("that act on one another"), std::string::npos) << report.message();
  EXPECT_NEAR(simulation.state().t, 1.0, 4.0 * kEps);
}

TEST(AccelerationIslands, EachHasItsVerdict) {
  // Blocks of two planar contacts each, resting, many more rows than are enumerated at once: the answer of one block.
  const Eigen::Matrix4d W{{2.0, 0.4, 0.3, 0.4}, {0.4, 1.5, -0.4, 1.5}, {0.3, -0.4, 2.0, -0.4}, {0.4, 1.5, -0.4, 1.5}};
  const Eigen::Vector4d b(-9.81, 0.3, -9.81, 0.3);
  const auto contacts = [](Index count) {
    ProductSet sets;
    for (Index i = 0; i < 2 * count; ++i) sets.push_back({.kind = SetKind::Coulomb2D, .mu = 0.5}, 2);
    return sets;
  };
  const ContactAnswer one = solve_contact_problem(W, b, contacts(1));
  ASSERT_EQ(one.status, Status::Solved);
  ASSERT_EQ(one.verdict, Verdict::Unique);
  const Index count = 20;
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(4 * count, 4 * count);
  for (Index i = 0; i < count; ++i) all.block<4, 4>(4 * i, 4 * i) = W;
  Eigen::VectorXd load = b.replicate(count, 1);
  ContactAnswer answer = solve_contact_problem(all, load, contacts(count));
  ASSERT_EQ(answer.status, Status::Solved) << answer.detail;
  EXPECT_EQ(answer.verdict, Verdict::Unique);
  for (Index i = 0; i < count; ++i) {
    EXPECT_EQ(answer.lambda.segment(4 * i, 4), one.lambda);
    EXPECT_EQ(answer.w.segment(4 * i, 4), one.w);
  }
  // Painlevé's rod W_NN - mu W_NT < 0 at one of them: none where it presses, several where it lifts.
  ProductSet sets = contacts(count);
  sets.push_back({.kind = SetKind::Orthant}, 1);
  Eigen::MatrixXd rod = Eigen::MatrixXd::Zero(4 * count + 1, 4 * count + 1);
  rod.topLeftCorner(4 * count, 4 * count) = all;
  rod(4 * count, 4 * count) = -0.5;
  load.conservativeResize(4 * count + 1);
  load[4 * count] = 1.0;
  answer = solve_contact_problem(rod, load, sets);
  EXPECT_EQ(answer.status, Status::Solved) << answer.detail;
  EXPECT_EQ(answer.verdict, Verdict::Several);
  load[4 * count] = -1.0;
  answer = solve_contact_problem(rod, load, sets);
  EXPECT_EQ(answer.status, Status::Infeasible);
  EXPECT_EQ(answer.verdict, Verdict::None);
}

TEST(GivenBack, LeavesTheImpulsesOfAnImpactThatNothingPushesOn) {
  // Inclusions without restitution have the impulses of each law as their answer, to the residual of 1e-11 of both.
  std::vector<ImpactProblem> problems;
  for (const double e : {0.0, 0.4, 1.0}) {
    for (const Rule rule : {Rule::Newton, Rule::Poisson, Rule::LiuZhaoBrogliato})
      problems.push_back(chain(Eigen::Vector4d(2.0, 0.5, 0.5, -1.0), rule, e));
    problems.push_back(chain(Eigen::Vector4d(2.0, 0.5, 0.5, -1.0), Rule::Newton, 0.0));
    for (ImpactContact& contact : problems.back().contacts) contact.by_matrix = true;
    problems.back().E = Eigen::Matrix3d{{0.0, 0.0, e}, {0.0, e, 0.0}, {e, 0.0, 0.2}};
    for (const Rule rule : {Rule::Newton, Rule::Poisson}) {
      for (const double slip : {0.1, 4.0, -3.0}) problems.push_back(tip(-1.0, slip, e, rule));  // sticks, slides
    }
  }
  for (std::size_t k = 0; k < problems.size(); ++k) {
    const ImpactResult solved = solve_impact(problems[k]);
    ASSERT_EQ(solved.status, Status::Solved) << k << ' ' << solved.detail;
    const ImpactResult again = solve_impact(with_given_back(problems[k], solved));
    ASSERT_EQ(again.status, Status::Solved) << k << ' ' << again.detail;
    EXPECT_LT((again.p - solved.p).norm(), 1e-8) << k;
  }
}

}  // namespace
}  // namespace nonsmooth::impacts::impact_islands_test
