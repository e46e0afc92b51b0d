// SPDX-License-Identifier: Apache-2.0
// What event-driven simulation finds in a model before its first instant, and what it says where several motions go on.
#include <algorithm>
#include <string>
#include <vector>

#include "event_log.hpp"

namespace nonsmooth::examined_models_test {
namespace {

using namespace event_log;

Remarks remarks_of(const Remarks& all, Remark::Kind kind) {
  Remarks found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found), [kind](const Remark& r) { return r.kind == kind; });
  return found;
}

/// x_1^(n) = lambda, 0 <= x_1 ⟂ lambda >= 0: the relative degree is n.
NonSmoothDynamicalSystem stopped_chain(Index n, Law law = ComplementarityLaw{}) {
  NonSmoothDynamicalSystem model;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n), C = Eigen::MatrixXd::Zero(1, n), B = Eigen::MatrixXd::Zero(n, 1);
  for (Index i = 0; i + 1 < n; ++i) A(i, i + 1) = 1.0;
  C(0, 0) = B(n - 1, 0) = 1.0;
  Eigen::VectorXd x0 = Eigen::VectorXd::Zero(n);
  x0[1] = -1.0;
  const auto chain = model.add(FirstOrderLinearSystem{.A = A, .x0 = x0});
  model.link(chain, FirstOrderLinearRelation{.C = C, .B = B}, std::move(law), "stop");
  return model;
}

// x''' = lambda from (0, -1, 0): nothing that events know stops it.
TEST(ExaminedByEvents, RelativeDegreeThreeIsRefused) {
  const NonSmoothDynamicalSystem model = stopped_chain(3);
  try {
    EventDriven simulation(model);
    FAIL() << "not refused";
  } catch (const InvalidArgument& refused) {
    EXPECT_NE(std::string(refused.what()).find("row 0 of stop"), std::string::npos) << refused.what();
    EXPECT_NE(std::string(refused.what()).find("relative degree 3"), std::string::npos) << refused.what();
  }
  EventDriven reported(model, {.examination = Examination::Report});
  ASSERT_EQ(reported.examination().size(), 1u);
  const Remark& remark = reported.examination().front();
  EXPECT_EQ(remark.kind, Remark::Kind::RelativeDegree);
  EXPECT_EQ(remark.subject, "row 0 of stop");
  EXPECT_EQ(remark.value, 3.0);
  EXPECT_TRUE(remark.refused);
  EXPECT_EQ(reported.advance_to(1.0).outcome, RunReport::Outcome::NoMode) << "as it says";
  EventDriven blind(model, {.examination = Examination::Off});
  EXPECT_TRUE(blind.examination().empty());
  EXPECT_EQ(blind.advance_to(1.0).outcome, RunReport::Outcome::NoMode);
  EXPECT_THROW(EventDriven{stopped_chain(5)}, InvalidArgument);
}

TEST(ExaminedByEvents, RelativeDegreeTwoIsTold) {
  EventDriven simulation(stopped_chain(2));
  ASSERT_EQ(simulation.examination().size(), 1u);
  const Remark& remark = simulation.examination().front();
  EXPECT_EQ(remark.kind, Remark::Kind::RelativeDegree);
  EXPECT_EQ(remark.value, 2.0);
  EXPECT_FALSE(remark.refused);
  EXPECT_EQ(simulation.advance_to(1.0).outcome, RunReport::Outcome::NoMode) << "as it says";
  EventDriven equality(stopped_chain(2, EqualityLaw{}));
  ASSERT_EQ(equality.examination().size(), 1u);
  EXPECT_EQ(equality.examination().front().value, 2.0);
  EXPECT_EQ(equality.advance_to(1.0).outcome, RunReport::Outcome::NoMode) << "as it says";
}

// A relay's multiplier has bounds, and is no impulse whatever the degree.
TEST(ExaminedByEvents, BoundedMultipliersHaveNoDegreeToTell) {
  EventDriven simulation(stopped_chain(3, RelayLaw{}));
  EXPECT_TRUE(remarks_of(simulation.examination(), Remark::Kind::RelativeDegree).empty());
}

TEST(ExaminedByEvents, AMultiplierThatReachesNothingIsTold) {
  NonSmoothDynamicalSystem model;
  const auto two = model.add(FirstOrderLinearSystem{.x0 = {1.0, 0.0}});
  model.link(two, FirstOrderLinearRelation{.C = {{1, 0}}, .B = {{0}, {1}}}, ComplementarityLaw{}, "deaf");
  EventDriven simulation(model);
  ASSERT_EQ(remarks_of(simulation.examination(), Remark::Kind::Unreached).size(), 1u);
  EXPECT_EQ(simulation.examination().front().subject, "row 0 of deaf");
  EXPECT_TRUE(simulation.advance_to(1.0)) << "nothing acts";
}

// y = x - s lambda: two answers or none where s > 0, one where s < 0.
TEST(ExaminedByEvents, ProblemsOfSeveralAnswersAreTold) {
  for (const double s : {1.0, -1.0}) {
    NonSmoothDynamicalSystem model;
    const auto one = model.add(FirstOrderLinearSystem{.x0 = {1.0}});
    model.link(one, FirstOrderLinearRelation{.C = {{1}}, .D = {{-s}}, .B = {{1}}}, ComplementarityLaw{}, "diode");
    EventDriven simulation(model);
    const Remarks told = remarks_of(simulation.examination(), Remark::Kind::Ambiguity);
    ASSERT_EQ(told.size(), s > 0.0 ? 1u : 0u);
    for (const Remark& remark : told) EXPECT_EQ(remark.subject, "diode");
  }
}

// A ball 0.1 m inside the floor is refused, and told with its depth where it was moved out.
TEST(ExaminedByEvents, ARepairedStartIsToldWithItsDepth) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {-0.1}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{0.5}, "floor");
  EXPECT_THROW(EventDriven{model}, InvalidArgument);
  EventDriven simulation(model, {.repair_initial_state = true});
  ASSERT_EQ(simulation.examination().size(), 1u);
  const Remark& remark = simulation.examination().front();
  EXPECT_EQ(remark.kind, Remark::Kind::Interpenetration);
  EXPECT_EQ(remark.subject, "row 0 of floor");
  EXPECT_NEAR(remark.value, 0.1, 1e-16);  // a product of 1 and 0.1
  EXPECT_NEAR(simulation.state().q(ball)[0], 0.0, 1e-10);
  EXPECT_TRUE(
      EventDriven(model, {.repair_initial_state = true, .examination = Examination::Off}).examination().empty());
}

// x' = lambda with lambda in Sgn(x), from 0: motions with x' = 1, -1 and 0. One is taken, the others are told.
TEST(OtherMotions, OfARelayOfTheWrongSign) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.x0 = {0.0}});
  const auto wrong = model.link(system, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{-1.0}}}, RelayLaw{}, "wrong");
  EventDriven simulation(model);
  ASSERT_EQ(simulation.alternatives().size(), 2u);
  std::vector<double> rates{simulation.rates()[0]};
  for (const OtherMotion& other : simulation.alternatives()) {
    EXPECT_EQ(other.t, 0.0);
    ASSERT_EQ(other.rates.size(), 1);
    rates.push_back(other.rates[0]);
    EXPECT_EQ(other.multipliers[0], -other.rates[0]);  // -1 times it is the rate
    ASSERT_EQ(other.rows.size(), 1u);
    EXPECT_EQ(other.rows[0].kind, EventKind::Switch);
    EXPECT_EQ(other.rows[0].interaction, wrong);
    EXPECT_EQ(other.rows[0].value, other.multipliers[0]);  // the branch: -1, 0, 1
  }
  std::sort(rates.begin(), rates.end());
  EXPECT_EQ(rates, (std::vector<double>{-1.0, 0.0, 1.0}));
  ASSERT_EQ(remarks_of(simulation.examination(), Remark::Kind::Ambiguity).size(), 1u);
  // Told by the first report, and by none after it; the list stays.
  const auto report = simulation.advance_to(1.0);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, RunRemark::Kind::SeveralAnswers);
  EXPECT_EQ(report.findings[0].subject, "wrong");
  EXPECT_EQ(report.findings[0].first_t, 0.0);
  EXPECT_EQ(report.findings[0].count, 1);
  EXPECT_EQ(report.findings[0].worst, 2.0);
  EXPECT_NE(report.message().find("several answers"), std::string::npos) << report.message();
  EXPECT_TRUE(simulation.advance_to(2.0).findings.empty());
  EXPECT_EQ(simulation.findings().size(), 1u);
  EXPECT_EQ(simulation.alternatives().size(), 2u);
  // From 1 there is one motion.
  State away = simulation.state();
  away.x(system)[0] = 1.0;
  simulation.set_state(away);
  EXPECT_TRUE(simulation.alternatives().empty());
}

// x' = -2 l1, y' = -0.75 + 2.25 l2, l1 and l2 in Sgn(x - y) with a relay each. On x = y from t = 1/7 on, x' = y' leaves
// one of them free: l2 = (0.75 - 2 l1) / 2.25 in [-1, 1] for l1 in [-0.75, 1], so that x' is in [-2, 1.5]. Multipliers
// left where they were give x(1) = 17/14 - 6/7 0.375 = 0.892857 by events; steps go by the end x' = -2, to x(1) = 17/14
// - 12/7 = -0.5.
TEST(OtherMotions, OfTwoRelaysOnOneSurface) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.b = {0.0, -0.75}, .x0 = {1.5, 1.0}});
  const auto two = model.link(system, FirstOrderLinearRelation{.C = {{1, -1}, {1, -1}}, .B = {{2, 0}, {0, -2.25}}},
                              RelayLaw{}, "two");
  EventDriven simulation(model, {.on_ambiguity = OnAmbiguity::First});
  EXPECT_TRUE(simulation.alternatives().empty());
  const auto report = simulation.advance_to(1.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_NEAR(simulation.state().x(system)[0], 0.892857142857, 1e-9);  // the tolerance of the run
  ASSERT_EQ(simulation.alternatives().size(), 2u);
  std::vector<std::pair<double, const OtherMotion*>> ends;
  for (const OtherMotion& other : simulation.alternatives()) ends.emplace_back(other.rates[0], &other);
  std::sort(ends.begin(), ends.end());
  // Rates of numbers of size 1 by a handful of operations: 1e-13.
  for (const auto& [x_rate, multipliers] :
       {std::pair{-2.0, Eigen::Vector2d(-1.0, 5.0 / 9.0)}, std::pair{1.5, Eigen::Vector2d(0.75, -1.0)}}) {
    const OtherMotion& other = *ends[x_rate < 0.0 ? 0 : 1].second;
    EXPECT_NEAR(other.t, 1.0 / 7.0, 1e-12);
    EXPECT_NEAR(other.rates[0], x_rate, 1e-13);
    EXPECT_NEAR(other.rates[1], x_rate, 1e-13) << "on the surface";
    EXPECT_NEAR((other.multipliers - multipliers).norm(), 0.0, 1e-13);  // of the relation: -l
    ASSERT_EQ(other.rows.size(), 1u);
    EXPECT_EQ(other.rows[0].interaction, two);
    EXPECT_EQ(other.rows[0].row, x_rate < 0.0 ? 0 : 1);
    EXPECT_EQ(other.rows[0].value, -1.0);
  }
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].subject, "two");
  EXPECT_NEAR(report.findings[0].first_t, 1.0 / 7.0, 1e-12);
  EXPECT_EQ(report.findings[0].worst, 2.0);
}

// x' = 1 - lambda, y = x, x from -1: a step that meets one instant of one motion tells nothing.
TEST(OtherMotions, AreNotToldWhereTheMotionIsUnique) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.b = {0.5}, .x0 = {-1.0}});
  model.link(system, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}}, RelayLaw{});
  EventDriven simulation(model);
  EXPECT_TRUE(simulation.examination().empty());
  const auto report = simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_TRUE(report.findings.empty());
  EXPECT_TRUE(report.message().empty());
  EXPECT_TRUE(simulation.alternatives().empty());
}

}  // namespace
}  // namespace nonsmooth::examined_models_test
