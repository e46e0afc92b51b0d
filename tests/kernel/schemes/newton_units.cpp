// SPDX-License-Identifier: Apache-2.0
// Newton's iteration of a step ends alike in every unit of length.
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::newton_units_test {
namespace {

using Eigen::Vector3d;

/// What a run was, in units of its length.
struct Motion {
  Eigen::VectorXd q, v;
  std::vector<Index> iterations;  ///< by step
  Index contacts = 0;             ///< sum of all steps
};

/// A brick of edges L, 0.7 L and 0.45 L thrown spinning onto the ground, density 1000 kg / m^3 in units of its own:
/// with g and speeds in proportion to L all motions are one.
Motion tumble(double L, Index steps) {
  const double density = 1e3, a = 0.5 * L, b = 0.35 * L, c = 0.225 * L, m = 8.0 * density * a * b * c;
  const Eigen::Quaterniond Q(Eigen::AngleAxisd(0.7, Vector3d(1.0, 2.0, -0.5).normalized()));
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{
      .mass = m,
      .inertia = Vector3d(b * b + c * c, a * a + c * c, a * a + b * b).asDiagonal().toDenseMatrix() * (m / 3.0),
      .position = {0.0, 0.0, 1.2 * L},
      .orientation = {Q.w(), Q.x(), Q.y(), Q.z()},
      .velocity = {2.0 * L, -L, -L},
      .angular_velocity = {3.0, 6.0, -2.0},
      .gravity = {0.0, 0.0, -10.0 * L}});
  model.detect(BodyContacts({{body, {{.shape = Box{{a, b, c}}}}}}, {{.shape = HalfSpace{}}},
                            NewtonImpactFrictionLaw{.restitution = 0.3, .friction = 0.4, .dimension = 3}));
  TimeStepping run(model, {.step = 2e-3});
  Motion result;
  for (Index k = 0; k < steps; ++k) {
    const StepReport report = run.step();
    EXPECT_TRUE(report) << L << ", step " << k << ": " << report.message();
    if (!report) break;
    result.iterations.push_back(report.newton_iterations);
    result.contacts += report.rows / 3;
  }
  result.q = run.state().q(body);
  result.v = run.state().v(body);
  result.q.head<3>() /= L;
  result.v.head<3>() /= L;
  return result;
}

TEST(NewtonUnits, ATumblingBrickTakesTheSameIterationsAtAnySize) {
  // Powers of two, which change no rounding, next to 1e-6 m and 1e3 m; 2 s, from flight to rest.
  const Index steps = 1000;
  const Motion one = tumble(1.0, steps);
  EXPECT_GT(one.contacts, 100);
  for (const int power : {-20, -10, 10}) {
    const Motion other = tumble(std::ldexp(1.0, power), steps);
    EXPECT_EQ(other.iterations, one.iterations) << power;
    EXPECT_EQ(other.contacts, one.contacts) << power;
    EXPECT_LT((other.q - one.q).norm() + (other.v - one.v).norm(), 1e-9) << power << ": " << other.q.transpose();
  }
}

/// A pendulum of length L and mass 1 below a cart of mass 2, q = (x, angle), a system of the user's own, in which a
/// unit of the angle's rate moves the mass by L.
class CartWithPendulum : public MechanicalSystem {
 public:
  CartWithPendulum(double L, bool tells_lengths) : L_(L), tells_lengths_(tells_lengths) {}
  [[nodiscard]] Eigen::VectorXd initial_position() const override { return Eigen::Vector2d(0.0, 2.0); }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return Eigen::Vector2d(0.5 * L_, 0.0); }
  void mass(ConstVectorRef q, MatrixRef M) const override {
    M << 3.0, L_ * std::cos(q[1]), L_ * std::cos(q[1]), L_ * L_;
  }
  void force(double, ConstVectorRef q, ConstVectorRef v, VectorRef F) const override {
    F << L_ * v[1] * v[1] * std::sin(q[1]), -10.0 * L_ * L_ * std::sin(q[1]);
  }
  [[nodiscard]] Eigen::VectorXd velocity_lengths() const override {
    return tells_lengths_ ? Eigen::VectorXd(Eigen::Vector2d(1.0, L_)) : MechanicalSystem::velocity_lengths();
  }

 private:
  double L_;
  bool tells_lengths_;
};

std::vector<Index> iterations_of_swing(double L, bool tells_lengths) {
  NonSmoothDynamicalSystem model;
  model.add(std::make_shared<const CartWithPendulum>(L, tells_lengths));
  TimeStepping run(model, {.step = 1e-2});
  std::vector<Index> iterations;
  for (Index k = 0; k < 300; ++k) {
    const StepReport report = run.step();
    EXPECT_TRUE(report) << L << ", step " << k << ": " << report.message();
    iterations.push_back(report.newton_iterations);
  }
  return iterations;
}

TEST(NewtonUnits, AUsersSystemTellsWhatItsVelocitiesMove) {
  for (const int power : {-20, 20}) {
    const double L = std::ldexp(1.0, power);
    EXPECT_EQ(iterations_of_swing(L, true), iterations_of_swing(1.0, true)) << power;
    EXPECT_NE(iterations_of_swing(L, false), iterations_of_swing(1.0, false)) << power;
  }
}

/// The same, whose velocities have these lengths.
class CartOfLengths final : public CartWithPendulum {
 public:
  explicit CartOfLengths(Eigen::VectorXd lengths) : CartWithPendulum(1.0, true), lengths_(std::move(lengths)) {}
  [[nodiscard]] Eigen::VectorXd velocity_lengths() const override { return lengths_; }

 private:
  Eigen::VectorXd lengths_;
};

TEST(NewtonUnits, LengthsThatAreNoneAreRefusedByName) {
  for (const Eigen::VectorXd& lengths :
       {Eigen::VectorXd(Eigen::VectorXd::Ones(1)), Eigen::VectorXd(Eigen::Vector2d(1.0, 0.0))}) {
    NonSmoothDynamicalSystem model;
    try {
      model.add(std::make_shared<const CartOfLengths>(lengths));
      ADD_FAILURE() << "taken: " << lengths.transpose();
    } catch (const InvalidArgument& refusal) {
      EXPECT_NE(std::string(refusal.what()).find("MechanicalSystem::velocity_lengths"), std::string::npos)
          << refusal.what();
      EXPECT_NE(std::string(refusal.what()).find(lengths.size() == 1 ? "one a velocity" : "positive"),
                std::string::npos)
          << refusal.what();
    }
    EXPECT_EQ(model.num_systems(), 0);
  }
}

}  // namespace
}  // namespace nonsmooth::newton_units_test
