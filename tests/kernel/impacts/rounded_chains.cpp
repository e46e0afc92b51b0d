// SPDX-License-Identifier: Apache-2.0
// Balls that touch but for the rounding of their places, hit in the middle of a run: all contacts take part at once.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <nonsmooth/kernel.hpp>

#include "kernel/closed_forms.hpp"

namespace nonsmooth::rounded_chains_test {
namespace {

constexpr double kRadius = 0.1, kStep = 1e-3, e = 0.8;
constexpr int kBalls = 4;
/// W of a chain of equal balls of condition below 20, solved by pivoting.
constexpr double kExact = 1e3 * closed_forms::kEps;

enum class Kind : unsigned char { Disks, Planar, Spheres, LinkedDisks, LinkedSpheres, Rows, NonlinearRows };
constexpr Kind kKinds[]{Kind::Disks,         Kind::Planar, Kind::Spheres,      Kind::LinkedDisks,
                        Kind::LinkedSpheres, Kind::Rows,   Kind::NonlinearRows};

/// Balls of unit mass along x about `offset`; the first flies, the others touch but for `nudges` units in the last
/// place of where they are.
struct Chain {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> balls;

  Chain(Kind kind, double offset, const std::vector<int>& nudges, double apart = 0.0) {
    std::vector<PlanarBodyShapes> disks;
    std::vector<BodyShapes> spheres;
    for (int i = 0; i < kBalls; ++i) {
      // 0.05 m off: hit after 50 steps.
      double x = offset + (2.0 * kRadius + apart) * i - (i == 0 ? 0.05 : 0.0);
      const int nudge = nudges[static_cast<std::size_t>(i)];
      for (int k = 0; k < std::abs(nudge); ++k)
        x = std::nextafter(
            x, nudge > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity());
      const double v = i == 0 ? 1.0 : 0.0;
      if (kind == Kind::Spheres || kind == Kind::LinkedSpheres) {
        balls.push_back(model.add(RigidBody{.inertia = 0.4 * kRadius * kRadius * Eigen::Matrix3d::Identity(),
                                            .position = {x, 0.0, 0.0},
                                            .velocity = {v, 0.0, 0.0}}));
        spheres.push_back({balls.back(), {{.shape = Sphere{kRadius}}}});
      } else if (kind == Kind::Rows || kind == Kind::NonlinearRows) {
        balls.push_back(model.add(LagrangianLinearSystem{.mass = Eigen::VectorXd::Ones(1).asDiagonal(),
                                                         .q0 = Eigen::VectorXd::Constant(1, x),
                                                         .v0 = Eigen::VectorXd::Constant(1, v)}));
      } else {
        balls.push_back(model.add(PlanarBody{.position = {x, 0.0}, .velocity = {v, 0.0}}));
        disks.push_back({balls.back(), {{.shape = Disk{kRadius}}}});
      }
    }
    const NewtonImpactLaw law{e};
    if (!spheres.empty()) model.detect(BodyContacts(spheres, {}, law));
    if (kind == Kind::Planar || kind == Kind::LinkedDisks) model.detect(PlanarContacts(disks, {}, law));
    if (kind == Kind::Disks) model.detect(DiskContacts(balls, std::vector<double>(kBalls, kRadius), law));
    if (kind == Kind::LinkedDisks || kind == Kind::LinkedSpheres) model.link_sources();
    for (std::size_t i = 0; i + 1 < kBalls; ++i) {
      if (kind == Kind::Rows)
        model.link({balls[i], balls[i + 1]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .b = {-2.0 * kRadius}}, law);
      if (kind == Kind::NonlinearRows) {
        const ScleronomousRelation distance{
            .h = [](ConstVectorRef q, VectorRef y) { y[0] = std::abs(q[1] - q[0]) - 2.0 * kRadius; },
            .H =
                [](ConstVectorRef q, MatrixRef H) {
                  H(0, 1) = q[1] > q[0] ? 1.0 : -1.0;
                  H(0, 0) = -H(0, 1);
                }};
        model.link({balls[i], balls[i + 1]}, distance, law);
      }
    }
  }
  /// Velocities along x after the hit.
  [[nodiscard]] Eigen::VectorXd after(const Integrator& scheme) const {
    TimeStepping run(model, {.integrator = scheme, .step = kStep});
    const RunReport report = run.advance_to(0.06);
    EXPECT_TRUE(report) << report.message();
    Eigen::VectorXd v(kBalls);
    for (int i = 0; i < kBalls; ++i) v[i] = run.state().v(balls[static_cast<std::size_t>(i)])[0];
    return v;
  }
};

const std::vector<std::vector<int>> kNudges{{0, 0, 0, 0}, {0, 0, 1, 1}, {0, 0, -1, -1}, {0, 1, 0, 1}, {0, 0, 1, 0}};

/// v_1 - v_0 = e, the others at one speed: as Newton's law has it where all contacts take part.
Eigen::VectorXd at_once() {
  Eigen::VectorXd v = Eigen::VectorXd::Constant(kBalls, (1.0 + e) / kBalls);
  v[0] -= e;
  return v;
}

TEST(RoundedChains, AnImpactInARunDoesNotDependOnTheRoundingOfGaps) {
  for (const Kind kind : kKinds) {
    for (const double offset : {0.0, 0.1, 1.0 / 3.0, -7.3, 1e3}) {
      for (std::size_t n = 0; n < kNudges.size(); ++n) {
        const Eigen::VectorXd v = Chain(kind, offset, kNudges[n]).after(MoreauJean{});
        EXPECT_LT((v - at_once()).norm(), kExact)
            << static_cast<int>(kind) << ", " << offset << ", " << n << ": " << v.transpose();
      }
    }
  }
}

TEST(RoundedChains, UnderD1MinusLinear) {
  for (const Kind kind : {Kind::LinkedDisks, Kind::LinkedSpheres, Kind::Rows, Kind::NonlinearRows}) {
    for (const double offset : {0.0, 0.1, -7.3}) {
      for (std::size_t n = 0; n < kNudges.size(); ++n) {
        const Eigen::VectorXd v = Chain(kind, offset, kNudges[n]).after(D1MinusLinear{});
        EXPECT_LT((v - at_once()).norm(), kExact)
            << static_cast<int>(kind) << ", " << offset << ", " << n << ": " << v.transpose();
      }
    }
  }
}

TEST(RoundedChains, GapsAboveRoundingPassTheImpactOn) {
  // 1e-10 m are 10^6 roundings of these places: the hit goes from ball to ball, a step each, by (1 + e) / 2.
  for (const Kind kind : kKinds) {
    const Eigen::VectorXd v = Chain(kind, 0.0, kNudges[0], 1e-10).after(MoreauJean{});
    EXPECT_NEAR(v[kBalls - 1], std::pow(0.5 * (1.0 + e), kBalls - 1), kExact) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace nonsmooth::rounded_chains_test
