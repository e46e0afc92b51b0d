// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::test {

constexpr double kPlaneGravity = 9.81, kPlaneStep = 1e-3;

/// Bodies of unit mass in the plane, a shape each, and a ground.
struct PlanarScene {
  NonSmoothDynamicalSystem model;
  std::vector<PlanarBodyShapes> bodies;
  std::vector<PlanarShapeOnBody> ground;

  SystemHandle add(const PlanarShapeOnBody& shape, double inertia, const Eigen::Vector3d& q,
                   const Eigen::Vector3d& v = {0, 0, 0}, double gravity = kPlaneGravity) {
    const auto body = model.add(PlanarBody{.mass = 1.0,
                                           .inertia = inertia,
                                           .position = q.head<2>(),
                                           .angle = q[2],
                                           .velocity = v.head<2>(),
                                           .angular_velocity = v[2],
                                           .gravity = {0.0, -gravity}});
    bodies.push_back({body, {shape}});
    return body;
  }
  [[nodiscard]] TimeStepping simulation(double mu, MoreauJean scheme = {}) {
    model.detect(PlanarContacts(bodies, ground, NewtonImpactFrictionLaw{.friction = mu}));
    return TimeStepping(model,
                        {.integrator = scheme, .step = kPlaneStep, .solver = mixed::Automatic{.tolerance = 1e-12}});
  }
  /// All contacts within `horizon`, with the state as it is.
  [[nodiscard]] std::vector<DetectedContact> contacts(double horizon = 0.0) const {
    const PlanarContacts source(bodies, ground, NewtonImpactFrictionLaw{.friction = 0.1});
    std::vector<DetectedContact> found;
    for (const ContactBatch& batch : contacts_at(model.initial_state(), source, horizon))
      found.insert(found.end(), batch.contacts.begin(), batch.contacts.end());
    return found;
  }
};

inline ConvexPolygon rectangle(double half_width, double half_height) {
  return {.vertices = {{-half_width, -half_height},
                       {half_width, -half_height},
                       {half_width, half_height},
                       {-half_width, half_height}}};
}

}  // namespace nonsmooth::test
