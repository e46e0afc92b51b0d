// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::test {

constexpr double kBodyStep = 1e-3;

/// One body in space, of one shape, on a shape of the ground.
struct BodyOnGround {
  NonSmoothDynamicalSystem model;
  SystemHandle body;

  BodyOnGround(const RigidBody& description, const Shape& shape, const ShapeOnBody& ground, const Law& law)
      : body(model.add(description)) {
    model.detect(std::make_shared<const BodyContacts>(std::vector<BodyShapes>{{body, {{.shape = shape}}}},
                                                      std::vector<ShapeOnBody>{ground}, law));
  }
  [[nodiscard]] TimeStepping simulation(MoreauJean scheme = {}, Form form = Form::Reduced) const {
    return TimeStepping(
        model, {.integrator = scheme, .step = kBodyStep, .solver = mixed::Automatic{.tolerance = 1e-12}, .form = form});
  }
};

}  // namespace nonsmooth::test
