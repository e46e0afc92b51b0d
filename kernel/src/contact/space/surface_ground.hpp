// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "contact/narrow_phase/surface.hpp"
#include "frustum_solid.hpp"

namespace nonsmooth {

/// A surface of triangles with the solid behind it: triangle meshes and height fields.
struct SurfaceGround {
  std::shared_ptr<const Surface> surface{};

  static constexpr bool ground_alone = true;
  [[nodiscard]] bool is_bounded() const { return !surface->bottomless; }
  [[nodiscard]] double width() const { return 0.0; }
  [[nodiscard]] Index num_numbers() const;
  [[nodiscard]] const char* kind() const { return "a triangle mesh or height field"; }
};

void make_part(const TriangleMesh& mesh, ShapePart<InSpace>& part);
void make_part(const HeightField& field, ShapePart<InSpace>& part);

void meet(const RoundedHull& first, const SurfaceGround& second, ShapeSearch<InSpace>& at);
void meet(const FrustumSolid& first, const SurfaceGround& second, ShapeSearch<InSpace>& at);

}  // namespace nonsmooth
