// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/systems/lagrangian.hpp>

namespace nonsmooth {

/// What systems of a PlanarBody are beside a MechanicalSystem: of them alone is q = (x, y, angle), where three numbers
/// are a place in space of others.
class BodyInPlane {
 public:
  BodyInPlane() = default;
  BodyInPlane(const BodyInPlane&) = default;
  BodyInPlane& operator=(const BodyInPlane&) = default;
  virtual ~BodyInPlane() = default;
};

/// A PlanarBody without loads, as the linear system that it is. @throws as make_system
[[nodiscard]] std::shared_ptr<const MechanicalSystem> make_planar_system(LagrangianLinearSystem system);

}  // namespace nonsmooth
