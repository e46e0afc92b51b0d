// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include <nonsmooth/kernel/floor_profile.hpp>
#include <nonsmooth/kernel/handles.hpp>
#include <nonsmooth/kernel/planar_shapes.hpp>
#include <nonsmooth/kernel/shapes.hpp>

namespace nonsmooth {

/// A shape of a source of contacts (ContactSource::drawn_shapes), for what shows a run.
struct DrawnShape {
  SystemHandle body{};  ///< that carries it; a handle of no model: the ground
  std::variant<ShapeOnBody, PlanarShapeOnBody, FloorProfile> shape{};
};

}  // namespace nonsmooth
