// SPDX-License-Identifier: Apache-2.0
// Contacts beside bounded rows, each held at a bound or free: closed forms of a block that a motor of bounded force
// drags over a floor.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include <automatic/bounded_rows.hpp>
#include <nonsmooth/numerics/mixed.hpp>

namespace nonsmooth::bounded_rows_test {
namespace {

constexpr double kFriction = 0.5, kFall = 2.0, kMass = 4.0;

/// A block of 4 kg that lands at 2 m/s, and a motor along x that is to bring it to `wanted` by |p| <= `most`:
/// m v = (p_T1 + p, p_T2, p_N) from rest, u = (v_z - 2, v_x, v_y; v_x - wanted).
mixed::Problem dragged_block(double wanted, double most) {
  mixed::Problem problem;
  problem.K.push_back({.kind = SetKind::Coulomb3D, .mu = kFriction}, 3);
  problem.K.push_back({.kind = SetKind::Box, .lower = -most, .upper = most}, 1);
  problem.W.begin_pattern({3, 1});
  for (int row = 0; row < 2; ++row) {
    problem.W.insert(0);
    problem.W.insert(1);
    problem.W.next_row();
  }
  problem.W.end_pattern();
  const auto block = [&](Index i, Index j) { return problem.W.block(i, problem.W.find(i, j)); };
  block(0, 0) = Eigen::Matrix3d::Identity() / kMass;
  block(0, 1)(1, 0) = block(1, 0)(0, 1) = block(1, 1)(0, 0) = 1.0 / kMass;
  problem.q = Eigen::Vector4d(-kFall, 0.0, 0.0, -wanted);
  return problem;
}

mixed::Result solved_from_zero(const mixed::Problem& problem) {
  mixed::Result result;
  result.r = Eigen::VectorXd::Zero(problem.W.rows());
  result.u = Eigen::VectorXd::Zero(problem.W.rows());
  result.certificate = mixed::certify(problem, result.r, result.u);
  friction::internal::ContactMemory memory;
  const detail::Deadline deadline(std::numeric_limits<double>::infinity());
  EXPECT_TRUE(mixed::internal::solve_by_bounds(problem, {}, deadline, memory, result)) << result.message();
  EXPECT_TRUE(result.ok());
  EXPECT_LE(result.certificate.residual, mixed::Automatic{}.tolerance);
  return result;
}

/// p_N = m 2 m/s = 8 N s stops the fall, so that friction is up to 4 N s. All numbers are below 10, the residual is
/// 1e-10 of the largest |q|, which is below 10 too, over W >= 1/4.
constexpr double kClose = 1e-8, kNormal = kMass * kFall, kDrag = kFriction * kNormal;

TEST(BoundedRows, MotorThatIsTooWeakPushesAllItCanAndNothingMoves) {
  const mixed::Result result = solved_from_zero(dragged_block(1.0, 3.0));
  const Eigen::Vector4d r(kNormal, -3.0, 0.0, 3.0);
  EXPECT_LE((Eigen::VectorXd(result.r) - r).lpNorm<Eigen::Infinity>(), kClose);
}

TEST(BoundedRows, MotorThatIsStrongEnoughReachesItsVelocityAgainstFriction) {
  const mixed::Result result = solved_from_zero(dragged_block(1.0, 20.0));
  const Eigen::Vector4d r(kNormal, -kDrag, 0.0, kMass * 1.0 + kDrag);
  EXPECT_LE((Eigen::VectorXd(result.r) - r).lpNorm<Eigen::Infinity>(), kClose);
}

TEST(BoundedRows, MotorBetweenTheTwoDragsAtItsBound) {
  for (const double sign : {1.0, -1.0}) {
    const mixed::Result result = solved_from_zero(dragged_block(sign * 1.0, 5.0));
    const Eigen::Vector4d r(kNormal, -sign * kDrag, 0.0, sign * 5.0);
    EXPECT_LE((Eigen::VectorXd(result.r) - r).lpNorm<Eigen::Infinity>(), kClose);
    EXPECT_NEAR(result.u[1], sign * (5.0 - kDrag) / kMass, kClose);
  }
}

/// A bound that asks for far more than the data are: the tolerance stays that of the whole.
TEST(BoundedRows, AForceThatIsGivenIsHeld) {
  mixed::Problem problem = dragged_block(0.0, 1.0);
  ProductSet K;
  K.push_back(problem.K[0], 3);
  K.push_back({.kind = SetKind::Box, .lower = 1e6, .upper = 1e6}, 1);
  problem.K = K;
  const mixed::Result result = solved_from_zero(problem);
  EXPECT_EQ(result.r[3], 1e6);
  EXPECT_NEAR(result.r[0], kNormal, 1e-4);  // 1e-10 of u = 2.5e5 m/s, over W
  EXPECT_NEAR(result.u[1], (1e6 - kFriction * kNormal) / kMass, 1e-4);
}

TEST(BoundedRows, OnlyContactsBesideBoxesAreTaken) {
  const mixed::Problem problem = dragged_block(1.0, 1.0);
  EXPECT_TRUE(mixed::internal::are_contacts_beside_boxes(problem.K));
  ProductSet contact, cone = problem.K, boxes;
  contact.push_back(problem.K[0], 3);
  boxes.push_back(problem.K[1], 1);
  cone.push_back({.kind = SetKind::SecondOrderCone, .mu = 1.0}, 3);
  EXPECT_FALSE(mixed::internal::are_contacts_beside_boxes(contact));
  EXPECT_FALSE(mixed::internal::are_contacts_beside_boxes(cone));
  EXPECT_FALSE(mixed::internal::are_contacts_beside_boxes(boxes));
}

}  // namespace
}  // namespace nonsmooth::bounded_rows_test
