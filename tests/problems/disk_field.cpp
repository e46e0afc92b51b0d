// SPDX-License-Identifier: Apache-2.0
#include <problems/disk_field.hpp>

#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <vector>

#include <nonsmooth/kernel/disk_contacts.hpp>

namespace nonsmooth::problems {

NonSmoothDynamicalSystem disk_field(Index count) {
  constexpr Index layers = 3;
  constexpr double g = 9.81, density = 1000.0, e = 0.4, mu = 0.5, a = 0.15, k = 2.0;
  NonSmoothDynamicalSystem model;
  std::mt19937_64 random(1);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * 0x1p-53 * static_cast<double>(random() >> 11);
  };
  std::vector<SystemHandle> disks;
  std::vector<double> radii;
  for (Index i = 0; i < count; ++i) {
    const double r = uniform(0.05, 0.1), m = density * std::numbers::pi * r * r;
    const double x = 0.35 * static_cast<double>(i / layers) + uniform(-0.02, 0.02);
    const double y = 0.5 + 0.25 * static_cast<double>(i % layers);
    disks.push_back(model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(m, m, 0.5 * m * r * r).asDiagonal(),
                                                     .damping = {},
                                                     .stiffness = {},
                                                     .force = {0.0, -m * g, 0.0},
                                                     .q0 = {x, y, 0.0},
                                                     .v0 = {},
                                                     .prescribed = {},
                                                     .name = {}}));
    radii.push_back(r);
  }
  model.detect(std::make_shared<DiskContacts>(
      disks, radii, NewtonImpactFrictionLaw{.restitution = e, .friction = mu, .tangential_restitution = 0.0},
      FloorProfile{.height = [](double x) { return a * std::sin(k * x); },
                   .slope = [](double x) { return a * k * std::cos(k * x); },
                   .curvature = [](double x) { return -a * k * k * std::sin(k * x); },
                   .highest = a}));
  return model;
}

}  // namespace nonsmooth::problems
