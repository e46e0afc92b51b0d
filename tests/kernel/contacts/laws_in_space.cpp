// SPDX-License-Identifier: Apache-2.0
// Friction against rolling and spinning, elliptic friction and cohesion, against closed forms.
//
// All forces are constant while a mode lasts, and theta = 1/2 is exact then. The solver leaves 1e-11 of velocities of
// about 1 m/s (10 rad/s) a step, times the condition of W, below 100: 1e-6 after the 1000 steps at most, kAgree. The
// step in which a motion stops ends at rest, where the closed form stops within: positions are off by a h^2 / 2 at
// most.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"

namespace nonsmooth::laws_in_space_test {
namespace {

using namespace bad_input;

constexpr double g = 9.81, h = 1e-3, R = 0.1, m = 2.0, kAgree = 1e-6;

TimeSteppingOptions options(Form form = Form::Reduced) {
  return {.step = h, .solver = mixed::Automatic{.tolerance = 1e-11}, .form = form};
}

/// A wheel in the plane, (x, y, angle), I = inertia m R^2, on the floor y = 0; rows (N, T, R).
struct Wheel {
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  InteractionHandle contact;

  Wheel(const NewtonImpactRollingFrictionLaw& law, const Eigen::Vector3d& v0, double inertia = 0.5, double weight = g,
        double height = R, double along = 0.0) {
    body = model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(m, m, inertia * m * R * R).asDiagonal(),
                                            .force = {m * along, -m * weight, 0.0},
                                            .q0 = {0.0, height, 0.0},
                                            .v0 = v0});
    contact = model.link(
        body, LagrangianLinearRelation{.H = {{0.0, 1.0, 0.0}, {1.0, 0.0, R}, {0.0, 0.0, 1.0}}, .b = {-R, 0.0, 0.0}},
        law);
  }
};

TEST(RollingFriction, AWheelStopsByItsFormula) {
  // Without slip I a / R^2 + m a = rolling m g / R: a = rolling g / (R (1 + c)) for I = c m R^2, v0^2 / (2 a) of way,
  // and the energy m v0^2 (1 + c) / 2 goes into the moment p_R.
  const double v0 = 0.5, rolling = 0.01;
  for (const Form form : {Form::Reduced, Form::Global}) {
    for (const double c : {0.5, 1.0}) {
      const double a = rolling * g / (R * (1.0 + c));
      const Wheel wheel({.friction = 0.3, .rolling = rolling}, {v0, 0.0, -v0 / R}, c);
      TimeStepping run(wheel.model, options(form));
      Ledger ledger(run);
      const RunReport report = run.advance_to(1.5, [&](const State& state) {
        ledger.record(state);
        const double expected = std::max(0.0, v0 - a * state.t);
        EXPECT_NEAR(state.v(wheel.body)[0], expected, kAgree) << state.t;
        EXPECT_NEAR(state.v(wheel.body)[2], -expected / R, kAgree / R) << state.t;
        EXPECT_NEAR(state.impulse(wheel.contact)[0], m * g * h, kAgree);
        if (expected > a * h) {
          EXPECT_NEAR(state.impulse(wheel.contact)[2], rolling * m * g * h, kAgree);
        }
      });
      ASSERT_TRUE(report) << report.message();
      EXPECT_NEAR(run.state().q(wheel.body)[0], v0 * v0 / (2.0 * a), 0.5 * a * h * h + kAgree);
      EXPECT_NEAR(ledger.total().friction, -0.5 * m * v0 * v0 * (1.0 + c), 1e-6);
      EXPECT_NEAR(ledger.total().numerical, 0.0, 1e-6);
    }
  }
}

TEST(RollingFriction, HoldsAWheelOnASlope) {
  // The weight leans over by the slope: held as long as R slope <= rolling, else it rolls with g (slope - rolling / R)
  // / (1 + c), c = 1/2.
  const double rolling = 0.01, limit = rolling / R;
  for (const double slope : {0.99 * limit, 1.01 * limit}) {
    const Wheel wheel({.friction = 0.3, .rolling = rolling}, Eigen::Vector3d::Zero(), 0.5, g, R, slope * g);
    TimeStepping run(wheel.model, options());
    ASSERT_TRUE(run.advance_to(0.5));
    EXPECT_NEAR(run.state().v(wheel.body)[0], 0.5 * std::max(0.0, g * (slope - limit) / 1.5), kAgree) << slope;
  }
}

TEST(RollingFriction, OnlyTheNormalRowBounces) {
  // p_N = m (1 + e) |v_y|; no friction at the point, and p_R = rolling p_N against the spin.
  const double e = 0.5, rolling = 0.01, spin = -20.0;
  const Wheel wheel({.restitution = e, .rolling = rolling}, {0.3, -1.0, spin}, 0.5, 0.0);
  TimeStepping run(wheel.model, options());
  ASSERT_TRUE(run.step());
  const auto v = run.state().v(wheel.body);
  EXPECT_NEAR(v[0], 0.3, kAgree);
  EXPECT_NEAR(v[1], e, kAgree);
  EXPECT_NEAR(v[2], spin + rolling * (1.0 + e) / (0.5 * R * R), kAgree / R);
}

TEST(RollingFriction, IsProjectedAlongTheNormal) {
  // 1 mm inside the floor: y alone is moved.
  const Wheel wheel({.friction = 0.3, .rolling = 0.01}, {0.5, 0.0, -5.0}, 0.5, g, R - 1e-3);
  TimeSteppingOptions unexamined = options();
  unexamined.examination = Examination::Off;  // it starts inside
  TimeSteppingOptions projecting = unexamined;
  projecting.projection.kind = Projection::Combined;
  TimeStepping plain(wheel.model, unexamined), projected(wheel.model, projecting);
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(plain.step());
    ASSERT_TRUE(projected.step());
    const auto q = projected.state().q(wheel.body);
    EXPECT_NEAR(q[0], plain.state().q(wheel.body)[0], kAgree) << k;
    EXPECT_NEAR(q[1], R, 1e-8 + kAgree) << k;
    EXPECT_NEAR(q[2], plain.state().q(wheel.body)[2], kAgree / R) << k;
  }
}

/// A ball (x, y, z, rotations), I = 2/5 m R^2, on the floor z = 0: the rows that a law of so many has.
struct Ball {
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  InteractionHandle contact;

  Ball(const NewtonImpactRollingFrictionLaw& law, const Eigen::VectorXd& v0) {
    const double I = 0.4 * m * R * R;
    Eigen::VectorXd mass(6), q0 = Eigen::VectorXd::Zero(6);
    mass << m, m, m, I, I, I;
    q0[2] = R;
    body = model.add(LagrangianLinearSystem{
        .mass = mass.asDiagonal(), .force = {0.0, 0.0, -m * g, 0.0, 0.0, 0.0}, .q0 = q0, .v0 = v0});
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(law.rows, 6);
    Eigen::VectorXd b = Eigen::VectorXd::Zero(law.rows);
    b[0] = -R;
    H(0, 2) = H(1, 0) = H(2, 1) = 1.0;
    H(1, 4) = -R;
    H(2, 3) = R;
    if (law.rows >= 5) H(3, 3) = H(4, 4) = 1.0;
    if (law.rows != 5) H(law.rows - 1, 5) = 1.0;
    contact = model.link(body, LagrangianLinearRelation{.H = H, .b = b}, law);
  }
};

TEST(RollingFriction, ABallRollsStraightAndStops) {
  // As the wheel with c = 2/5, in every direction; a spin slows by spinning m g / I beside it, as each of the three
  // bounds is of p_N alone.
  const double v0 = 0.5, rolling = 0.01, spinning = 2e-3, spin0 = 4.0;
  const double a = rolling * g / (1.4 * R), slowing = spinning * g / (0.4 * R * R);
  for (const Form form : {Form::Reduced, Form::Global}) {
    for (const Index rows : {5, 6}) {
      for (const double angle : {0.0, 0.7, 2.5, 4.0}) {
        const Eigen::Vector2d along{std::cos(angle), std::sin(angle)};
        Eigen::VectorXd v(6);
        v << v0 * along, 0.0, -v0 / R * along[1], v0 / R * along[0], spin0;
        const double about_normal = rows == 6 ? spinning : 0.0;
        const Ball ball({.friction = 0.3, .rolling = rolling, .spinning = about_normal, .rows = rows}, v);
        TimeStepping run(ball.model, options(form));
        const RunReport report = run.advance_to(0.9, [&](const State& state) {
          const Eigen::VectorXd now = state.v(ball.body);
          const double expected = std::max(0.0, v0 - a * state.t);
          EXPECT_NEAR((now.head<2>() - expected * along).norm(), 0.0, kAgree) << state.t;
          EXPECT_NEAR(now[4] * along[0] - now[3] * along[1], expected / R, kAgree / R) << state.t;
          EXPECT_NEAR(now[5], rows == 6 ? std::max(0.0, spin0 - slowing * state.t) : spin0, kAgree / R) << state.t;
        });
        ASSERT_TRUE(report) << report.message();
        EXPECT_NEAR(run.state().q(ball.body).head<2>().dot(along), v0 * v0 / (2.0 * a), 0.5 * a * h * h + kAgree);
      }
    }
  }
}

TEST(RollingFriction, ATopSlowsItsSpin) {
  // Four rows: I w' = -spinning m g, p_S against the spin, nothing else moves; at rest it stays.
  const double spinning = 2e-3, slowing = spinning * g / (0.4 * R * R);
  for (const Form form : {Form::Reduced, Form::Global}) {
    for (const double spin : {3.0, -3.0}) {
      Eigen::VectorXd v = Eigen::VectorXd::Zero(6);
      v[5] = spin;
      const Ball top({.friction = 0.3, .spinning = spinning, .rows = 4}, v);
      TimeStepping run(top.model, options(form));
      const RunReport report = run.advance_to(1.0, [&](const State& state) {
        const double expected = std::max(0.0, std::abs(spin) - slowing * state.t);
        EXPECT_NEAR(state.v(top.body)[5], std::copysign(expected, spin), kAgree / R) << state.t;
        EXPECT_NEAR(state.v(top.body).head(5).norm(), 0.0, kAgree / R) << state.t;
      });
      ASSERT_TRUE(report) << report.message();
    }
  }
}

/// A block (x, y, z) on the floor z = 0 or below a ceiling there, pushed in the plane; rows (N, T1, T2).
struct Block {
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  InteractionHandle contact;

  Block(const Law& law, const Eigen::Vector2d& push, const Eigen::Vector2d& v0, bool below = false) {
    body = model.add(LagrangianLinearSystem{.mass = (m * Eigen::Vector3d::Ones()).asDiagonal(),
                                            .force = {push[0], push[1], -m * g},
                                            .q0 = Eigen::Vector3d::Zero(),
                                            .v0 = {v0[0], v0[1], 0.0}});
    contact = model.link(
        body, LagrangianLinearRelation{.H = {{0.0, 0.0, below ? -1.0 : 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}}, law);
  }
};

TEST(EllipticFriction, APushedBlockSlidesWhereTheLawSays) {
  // A slip along n = (cos s, sin s) meets m g (mu_1^2 cos s, mu_2^2 sin s) / |(mu_1 cos s, mu_2 sin s)|. Pushed with
  // that and m a n, which points elsewhere, the block slides straight along n with a.
  const double mu_1 = 0.3, mu_2 = 0.6, a = 1.5;
  const NewtonImpactFrictionLaw law{.friction = mu_1, .dimension = 3, .second_friction = mu_2};
  for (const Form form : {Form::Reduced, Form::Global}) {
    for (const double s : {0.0, 0.3, 0.8, 1.4, 2.2, 4.1}) {
      const Eigen::Vector2d n{std::cos(s), std::sin(s)}, scaled{mu_1 * n[0], mu_2 * n[1]};
      const Eigen::Vector2d brake = m * g / scaled.norm() * Eigen::Vector2d(mu_1 * scaled[0], mu_2 * scaled[1]);
      const Block block(law, brake + m * a * n, Eigen::Vector2d::Zero());
      TimeStepping run(block.model, options(form));
      const RunReport report = run.advance_to(0.5, [&](const State& state) {
        EXPECT_NEAR((state.v(block.body).head<2>() - a * state.t * n).norm(), 0.0, kAgree) << s;
        EXPECT_NEAR((state.impulse(block.contact).tail<2>() + h * brake).norm(), 0.0, kAgree) << s;
      });
      ASSERT_TRUE(report) << report.message();
    }
  }
}

TEST(EllipticFriction, HoldsUpToTheEllipse) {
  // Pushed with 1.01 b, b on the ellipse with the normal n: no friction exceeds b along n, and b.n = m g |(mu_1 n_1,
  // mu_2 n_2)| >= m g mu_1, so that the block is as fast as 0.01 mu_1 g t at least.
  const double mu_1 = 0.3, mu_2 = 0.6;
  const NewtonImpactFrictionLaw law{.friction = mu_1, .dimension = 3, .second_friction = mu_2};
  for (const double s : {0.1, 0.9, 1.5, 3.0}) {
    const Eigen::Vector2d bound = m * g * Eigen::Vector2d(mu_1 * std::cos(s), mu_2 * std::sin(s));
    const Block held(law, 0.999 * bound, Eigen::Vector2d::Zero()), slides(law, 1.01 * bound, Eigen::Vector2d::Zero());
    TimeStepping first(held.model, options()), second(slides.model, options());
    ASSERT_TRUE(first.advance_to(0.1));
    ASSERT_TRUE(second.advance_to(0.1));
    EXPECT_NEAR(first.state().v(held.body).norm(), 0.0, kAgree) << s;
    EXPECT_GT(second.state().v(slides.body).norm(), 0.01 * mu_1 * g * 0.1 - kAgree) << s;
  }
}

TEST(EllipticFriction, WithEqualCoefficientsKeepsEveryDirection) {
  // |v| = v0 - mu g t along v0, whatever its angle.
  const double mu = 0.3, v0 = 0.9;
  for (int k = 0; k < 16; ++k) {
    const Eigen::Vector2d n{std::cos(0.4 * k), std::sin(0.4 * k)};
    const Block block(NewtonImpactFrictionLaw{.friction = mu, .dimension = 3, .second_friction = mu},
                      Eigen::Vector2d::Zero(), v0 * n);
    TimeStepping run(block.model, options());
    const RunReport report = run.advance_to(0.4, [&](const State& state) {
      EXPECT_NEAR((state.v(block.body).head<2>() - std::max(0.0, v0 - mu * g * state.t) * n).norm(), 0.0, kAgree) << k;
    });
    ASSERT_TRUE(report) << report.message();
  }
}

/// The ceiling z = 0 above point masses (x, y, z), as contacts found anew.
class Ceiling final : public ContactSource {
 public:
  Ceiling(std::vector<SystemHandle> bodies, std::vector<Law> laws)
      : bodies_(std::move(bodies)), laws_(std::move(laws)) {}
  [[nodiscard]] const std::vector<SystemHandle>& bodies() const override { return bodies_; }
  [[nodiscard]] const std::vector<Law>& laws() const override { return laws_; }
  void detect(const BodyView& view, double horizon, std::vector<Index>&, ContactBatches& found) const override {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      DetectedContact contact{.feature = b, .first = static_cast<Index>(b)};
      contact.gap = -view.q[view.q_begin[b] + 2];
      contact.terms = std::abs(contact.gap);
      if (contact.gap - horizon * view.v[view.v_begin[b] + 2] > 1e-8) continue;
      found.of(3, 3, 0).add(contact, std::array<double, 9>{0.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0});
    }
  }

 private:
  std::vector<SystemHandle> bodies_;
  std::vector<Law> laws_;
};

/// How a law comes to the block below the ceiling.
enum class Way { Linked, Found, FoundBesideOneThatVaries };

Block hanging(const Law& law, Way way, double pull = 0.0) {
  Block block(law, {pull, 0.0}, Eigen::Vector2d::Zero(), true);
  if (way == Way::Linked) return block;
  block.model.remove(block.contact);
  std::vector<Law> laws{law};
  if (way == Way::FoundBesideOneThatVaries) laws.emplace_back(StaticKineticFrictionLaw{.dimension = 3});
  block.model.detect(Ceiling({block.body}, laws));
  return block;
}

TEST(Cohesion, HoldsABodyBelowACeilingUpToItsBound) {
  // Held where F >= m g. Else the contact pulls with F for the one step at whose start it is closed, and the block
  // falls with g t - F h / m. Held, it stays where it is: what rounding moves in 1000 steps is counted as closed.
  for (const Way way : {Way::Linked, Way::Found, Way::FoundBesideOneThatVaries}) {
    for (const double part : {0.5, 0.999, 1.001, 3.0}) {
      const double F = part * m * g;
      const Block block = hanging(NewtonImpactFrictionLaw{.friction = 0.4, .dimension = 3, .cohesion = F}, way);
      TimeStepping run(block.model, options());
      const RunReport report = run.advance_to(1.0);
      ASSERT_TRUE(report) << report.message();
      const double fall = part > 1.0 ? 0.0 : g - F * h / m;
      EXPECT_NEAR(run.state().v(block.body)[2], -fall, kAgree) << part;
      if (part > 1.0) {
        EXPECT_NEAR(run.state().q(block.body)[2], 0.0, kAgree) << part;
      }
    }
  }
}

TEST(Cohesion, HoldsSidewaysToo) {
  // Friction is of p_N + h F: below the ceiling a pull up to mu (F - m g) is held, the rest accelerates.
  const double mu = 0.4, F = 2.0 * m * g, bound = mu * (F - m * g);
  for (const Way way : {Way::Linked, Way::Found}) {
    for (const double pull : {0.9 * bound, 1.5 * bound}) {
      const Law plain = NewtonImpactFrictionLaw{.friction = mu, .dimension = 3, .cohesion = F};
      const Block block = hanging(plain, way, pull);
      TimeStepping run(block.model, options());
      ASSERT_TRUE(run.advance_to(0.5));
      EXPECT_NEAR(run.state().v(block.body)[0], 0.5 * std::max(0.0, pull - bound) / m, kAgree) << pull;
      EXPECT_NEAR(run.state().v(block.body)[2], 0.0, kAgree) << pull;
    }
  }
}

TEST(Cohesion, RollsWithMoreResistance) {
  // The wheel's a with p_N + h F in the place of m g h.
  const double v0 = 0.5, rolling = 0.01, F = 0.5 * m * g, a = rolling * 1.5 * g / (1.5 * R);
  const Wheel wheel({.friction = 0.3, .rolling = rolling, .cohesion = F}, {v0, 0.0, -v0 / R});
  TimeStepping run(wheel.model, options());
  const RunReport report = run.advance_to(
      0.3, [&](const State& state) { EXPECT_NEAR(state.v(wheel.body)[0], v0 - a * state.t, kAgree) << state.t; });
  ASSERT_TRUE(report) << report.message();
}

void expect_law_refused(const Law& law, Index rows, const std::vector<std::string>& parts) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(ball());
  const LagrangianLinearRelation relation{.H = Eigen::MatrixXd::Ones(rows, 1)};
  expect_refused([&] { model.link(body, relation, law); }, parts);
}

TEST(LawsInSpace, RefuseBadInput) {
  for (const double wrong : {-0.1, kNaN, kInfinity}) {
    const auto friction = [&](NewtonImpactFrictionLaw law, const char* field) {
      law.dimension = 3;
      expect_law_refused(law, 3, {std::string("NewtonImpactFrictionLaw::") + field});
    };
    friction({.friction = 0.3, .second_friction = wrong}, "second_friction");
    friction({.cohesion = wrong}, "cohesion");
    const auto rolling = [&](NewtonImpactRollingFrictionLaw law, const char* field) {
      law.rows = 6;
      expect_law_refused(law, 6, {std::string("NewtonImpactRollingFrictionLaw::") + field});
    };
    rolling({.restitution = wrong}, "restitution");
    rolling({.friction = wrong}, "friction");
    rolling({.rolling = wrong}, "rolling");
    rolling({.spinning = wrong}, "spinning");
    rolling({.cohesion = wrong}, "cohesion");
  }
  expect_law_refused(NewtonImpactFrictionLaw{.friction = 0.3, .second_friction = 0.2}, 2,
                     {"NewtonImpactFrictionLaw::second_friction", "dimension = 2", "one tangent"});
  expect_law_refused(NewtonImpactFrictionLaw{.friction = 0.3, .dimension = 3, .second_friction = 0.0}, 3,
                     {"NewtonImpactFrictionLaw::second_friction", "both > 0"});
  for (const Index rows : {2, 7})
    expect_law_refused(NewtonImpactRollingFrictionLaw{.rows = rows}, rows, {"NewtonImpactRollingFrictionLaw::rows"});
  expect_law_refused(NewtonImpactRollingFrictionLaw{.rolling = 0.1, .rows = 4}, 4,
                     {"NewtonImpactRollingFrictionLaw::rolling", "rows = 4", "no row R"});
  for (const Index rows : {3, 5}) {
    expect_law_refused(NewtonImpactRollingFrictionLaw{.spinning = 0.1, .rows = rows}, rows,
                       {"NewtonImpactRollingFrictionLaw::spinning", "no row S"});
  }
  expect_law_refused(NewtonImpactRollingFrictionLaw{.rows = 5}, 4, {"relation", "4 rows", "multiple of 5"});
}

}  // namespace
}  // namespace nonsmooth::laws_in_space_test
