// SPDX-License-Identifier: Apache-2.0
// Balls in a row that touch, whose contacts are found by any source: for impacts of many contacts in both simulations.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

#include "kernel/closed_forms.hpp"

namespace nonsmooth::rows_of_balls {

// Small dense problems of condition below 100, solved by pivoting: exact but for round-off.
inline constexpr double kExact = 1e3 * closed_forms::kEps;
inline constexpr double kRadius = 0.1;

enum class Kind : unsigned char { Disks, Planar, Spheres };
inline constexpr Kind kKinds[]{Kind::Disks, Kind::Planar, Kind::Spheres};

/// Balls of unit mass in a row along x that touch, whose contacts a source finds.
struct Row {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> balls;
  SourceHandle source;
  Kind kind;

  Row(Kind of, const Eigen::VectorXd& v, std::vector<Law> laws, const ContactMaterials& pairs = ContactMaterials{},
      const std::vector<Index>& materials = {}, double apart = 0.0)
      : kind(of) {
    const auto material = [&](Index i) { return materials.empty() ? 0 : materials[static_cast<std::size_t>(i)]; };
    std::vector<PlanarBodyShapes> disks;
    std::vector<BodyShapes> spheres;
    for (Index i = 0; i < v.size(); ++i) {
      const double x = (2.0 * kRadius + apart) * static_cast<double>(i);
      const std::string name = "ball " + std::to_string(i);
      if (kind == Kind::Spheres) {
        balls.push_back(model.add(RigidBody{.inertia = 0.4 * kRadius * kRadius * Eigen::Matrix3d::Identity(),
                                            .position = {x, 0.0, 0.0},
                                            .velocity = {v[i], 0.0, 0.0},
                                            .name = name}));
        spheres.push_back({balls.back(), {{.shape = Sphere{kRadius}, .material = material(i)}}});
      } else {
        balls.push_back(model.add(PlanarBody{.position = {x, 0.0}, .velocity = {v[i], 0.0}, .name = name}));
        disks.push_back({balls.back(), {{.shape = Disk{kRadius}, .material = material(i)}}});
      }
    }
    switch (kind) {
      case Kind::Disks: {
        std::vector<Index> of_disks;
        for (Index i = 0; i < v.size(); ++i) of_disks.push_back(material(i));
        source = model.detect(
            DiskContacts(balls, std::vector<double>(balls.size(), kRadius), std::move(laws), pairs, of_disks));
        break;
      }
      case Kind::Planar:
        source = model.detect(PlanarContacts(disks, {}, std::move(laws), pairs));
        break;
      case Kind::Spheres:
        source = model.detect(BodyContacts(spheres, {}, std::move(laws), pairs));
    }
  }
  Row(Kind of, const Eigen::VectorXd& v, const Law& law) : Row(of, v, std::vector<Law>{law}) {}

  [[nodiscard]] Eigen::VectorXd velocities(const State& state) const {
    Eigen::VectorXd v(std::ssize(balls));
    for (Index i = 0; i < v.size(); ++i) v[i] = state.v(balls[static_cast<std::size_t>(i)])[0];
    return v;
  }
  /// After one step, and after the impact of an instant.
  void expect_after(const Eigen::VectorXd& expected, double tolerance = kExact) const {
    TimeStepping stepping(model, {.step = 1e-3});
    const StepReport report = stepping.step();
    ASSERT_TRUE(report) << report.message();
    EXPECT_LT((velocities(stepping.state()) - expected).norm(), tolerance) << velocities(stepping.state()).transpose();
    const EventDriven events(model, {});
    EXPECT_LT((velocities(events.state()) - expected).norm(), tolerance) << velocities(events.state()).transpose();
  }
};

}  // namespace nonsmooth::rows_of_balls
