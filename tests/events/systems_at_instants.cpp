// SPDX-License-Identifier: Apache-2.0
// What batches answer at an instant, of systems of four kinds whose velocities are packed in another order than a state
// has them: closed forms to some roundings of numbers up to 10 (kRounding), and what is inverse to one another.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "dynamics/system_caches.hpp"

namespace nonsmooth::systems_at_instants_test {
namespace {

constexpr double kRounding = 1e-14;
constexpr Index kLarge = 10;  // more rows than loops with the inverse serve

/// A point on the unit circle, q = (cos, sin), whose velocity is the angle's; 3 vdot = -q_1 - v.
class PointOnCircle final : public MechanicalSystem {
 public:
  [[nodiscard]] Eigen::VectorXd initial_position() const override { return Eigen::Vector2d(0.6, 0.8); }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return Eigen::VectorXd::Constant(1, 2.0); }
  void mass(ConstVectorRef, MatrixRef M) const override { M(0, 0) = 3.0; }
  void force(double, ConstVectorRef q, ConstVectorRef v, VectorRef F) const override { F[0] = -q[0] - v[0]; }
  void force_dq(double, ConstVectorRef q, ConstVectorRef, MatrixRef J) const override { J(0, 0) = q[1]; }
  void force_dv(double, ConstVectorRef, ConstVectorRef, MatrixRef J) const override { J(0, 0) = -1.0; }
  void retract(VectorRef q, ConstVectorRef w) const override {
    const Eigen::Vector2d from = q.normalized();
    q = std::cos(w[0]) * from + std::sin(w[0]) * Eigen::Vector2d(-from[1], from[0]);
  }
  void position_rates(ConstVectorRef q, ConstVectorRef v, VectorRef qdot) const override {
    qdot << -q[1] * v[0], q[0] * v[0];
  }
};

struct Batches {
  NonSmoothDynamicalSystem model;
  State state;
  std::vector<Index> first;
  Index n = 0;
  Eigen::VectorXd v, F, a;
  SystemCaches systems;

  /// Packs what is mechanical, the last system first.
  explicit Batches(NonSmoothDynamicalSystem given) : model(std::move(given)), state(model.initial_state(0.5)) {
    const Layout& layout = *state.layout();
    first.assign(layout.systems.size(), -1);
    std::vector<Index> asked;
    v = Eigen::VectorXd::Zero(layout.num_unknowns);
    for (std::size_t i = first.size(); i-- > 0;) {
      const Layout::System& place = layout.systems[i];
      if (place.first_order) continue;
      first[i] = n;
      asked.push_back(static_cast<Index>(i));
      v.segment(n, place.n) = state.unknowns.segment(place.z, place.n);
      n += place.n;
    }
    v.conservativeResize(n);
    F = a = Eigen::VectorXd::Zero(n);
    std::sort(asked.begin(), asked.end());
    stages::prepare_instants(model, layout, asked, first, systems);
  }
  void evaluate() {
    for (SystemBatch* batch : systems.batches) {
      ASSERT_EQ(batch->factor_constant_masses(), -1);
      batch->evaluate_motion(state.t, state.positions, v, F);
      ASSERT_EQ(batch->accelerations(F, a), -1);
    }
  }
};

NonSmoothDynamicalSystem four_kinds() {
  NonSmoothDynamicalSystem model;
  Eigen::Matrix2d M{{2.0, 1.0}, {1.0, 3.0}}, C{{0.5, 0.0}, {0.0, 0.25}}, K{{4.0, -1.0}, {-1.0, 4.0}};
  model.add(LagrangianLinearSystem{.mass = M,
                                   .damping = C,
                                   .stiffness = K,
                                   .force = [](double t, VectorRef f) { f << t, 1.0; },
                                   .q0 = {0.5, -1.0},
                                   .v0 = {2.0, 0.25}});
  model.add(FirstOrderLinearSystem{.x0 = {1.0}});
  Eigen::VectorXd masses(kLarge), q(kLarge);
  for (Index i = 0; i < kLarge; ++i) {
    masses[i] = static_cast<double>(1 + i);
    q[i] = 0.1 * static_cast<double>(i);
  }
  model.add(LagrangianLinearSystem{
      .mass = masses.asDiagonal(), .stiffness = masses.asDiagonal(), .q0 = q, .v0 = Eigen::VectorXd::Ones(kLarge)});
  model.add(std::make_shared<const PointOnCircle>());
  return model;
}

TEST(SystemsAtInstants, AreInTheBatchesOfTheirKinds) {
  Batches instant(four_kinds());
  EXPECT_EQ(instant.systems.batches.size(), 3u);
  EXPECT_EQ(instant.systems.places.size(), 3u);  // the one of first order is not asked for
  instant.evaluate();
  const Eigen::Matrix2d M{{2.0, 1.0}, {1.0, 3.0}};
  const Eigen::Vector2d F(0.5 - 1.0 - 3.0, 1.0 - 0.0625 + 4.5);
  EXPECT_LE((instant.F.tail<2>() - F).norm(), kRounding);
  EXPECT_LE((instant.a.tail<2>() - M.inverse() * F).norm(), kRounding);
  EXPECT_LE((instant.a.segment(1, kLarge) + instant.state.positions.segment(2, kLarge)).norm(), kRounding);
  EXPECT_NEAR(instant.a[0], -2.6 / 3.0, kRounding);
}

TEST(SystemsAtInstants, MultiplyAndSolveWithTheirMasses) {
  Batches instant(four_kinds());
  instant.evaluate();
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(instant.n, -1.0, 2.0);
  Eigen::VectorXd product = Eigen::VectorXd::Zero(instant.n);
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(instant.n, instant.n), F_q = M, F_v = M;
  for (SystemBatch* batch : instant.systems.batches) {
    batch->mass_product(x, product);
    batch->masses(M);
    batch->jacobians(instant.state.t, instant.state.positions, instant.v, F_q, F_v);
  }
  EXPECT_LE((M * x - product).norm(), 10.0 * kRounding);  // sums of zeros beside two products
  for (SystemBatch* batch : instant.systems.batches) batch->solve_mass(product.data());
  EXPECT_LE((product - x).norm(), 10.0 * kRounding);  // conditions up to 3
  EXPECT_EQ(F_q(0, 0), instant.state.positions[instant.state.positions.size() - 1]);
  EXPECT_EQ(F_v(0, 0), -1.0);
  EXPECT_EQ(F_q(instant.n - 2, instant.n - 1), 1.0);
  EXPECT_EQ(F_v(instant.n - 1, instant.n - 1), -0.25);
  EXPECT_TRUE(F_q.block(0, 1, 1, kLarge).isZero(0.0));
}

TEST(SystemsAtInstants, MoveOnTheirManifolds) {
  Batches instant(four_kinds());
  const Eigen::VectorXd before = instant.state.positions;
  Eigen::VectorXd rates = Eigen::VectorXd::Zero(before.size()), after = before;
  const Eigen::VectorXd w = 0.25 * instant.v;
  bool moved = false;
  for (SystemBatch* batch : instant.systems.batches) {
    batch->position_rates(before, instant.v, rates);
    batch->move_positions(w, after);
  }
  EXPECT_EQ(Eigen::Vector2d(rates.head<2>()), Eigen::Vector2d(2.0, 0.25));
  EXPECT_LE((rates.tail<2>() - Eigen::Vector2d(-1.6, 1.2)).norm(), kRounding);
  EXPECT_EQ(after[0], before[0] + 0.5);
  const double angle = std::atan2(0.8, 0.6) + 0.5;
  EXPECT_LE((after.tail<2>() - Eigen::Vector2d(std::cos(angle), std::sin(angle))).norm(), kRounding);
  after.tail<2>() *= 2.0;
  for (SystemBatch* batch : instant.systems.batches) moved = batch->normalise(after) || moved;
  EXPECT_TRUE(moved);
  EXPECT_NEAR(after.tail<2>().norm(), 1.0, kRounding);
}

TEST(SystemsAtInstants, NameAMassThatIsNotPositiveDefinite) {
  for (const Index n : {1, 2}) {
    LagrangianSystem body;
    body.mass = [](ConstVectorRef q, MatrixRef M) {
      M.setIdentity();
      M(0, 0) = q[0];
    };
    body.q0 = Eigen::VectorXd::Ones(n);
    body.v0 = Eigen::VectorXd::Zero(n);
    NonSmoothDynamicalSystem model;
    model.add(body);
    Batches instant(model);
    instant.evaluate();
    instant.state.positions[0] = -1.0;
    SystemBatch& batch = *instant.systems.batches.front();
    batch.evaluate_motion(0.0, instant.state.positions, instant.v, instant.F);
    EXPECT_EQ(batch.accelerations(instant.F, instant.a), 0) << n;
  }
}

}  // namespace
}  // namespace nonsmooth::systems_at_instants_test
