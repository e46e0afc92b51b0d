// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "surface_faces.hpp"

namespace nonsmooth::narrow_phase {

/// One hull on a surface: what is near, then pairs of features that meet.
class SurfaceSearch final : SurfaceFaces {
 public:
  SurfaceSearch(const MovingHull& first, const Surface& second, const Eigen::Vector3d& at, std::vector<Index>& memory);

  [[nodiscard]] PointList find();

 private:
  void of_vertex(Index v, PointList& points) const;
  void beside_edge(Index v, std::int32_t edge, PointList& points) const;
  void beside_vertex(Index v, std::int32_t vertex, PointList& points) const;
  void across_edges(std::int32_t edge, PointList& points) const;
  /// `apart`: if they meet, then beyond reach in each other.
  void across_edge(Index of_hull, std::int32_t edge, PointList& points) const;
  void under_faces(std::int32_t vertex, PointList& points) const;
  void beside_hull_edge(Index of_hull, std::int32_t vertex, PointList& points) const;
  void drop_hidden(PointList& points) const;

  /// Two lines that cross: the closest points, n from the surface to the hull, whether the one on the hull is within
  /// its edge, and whether both are.
  struct Crossing {
    Eigen::Vector3d on_hull, on_surface, normal;
    bool within_own = false, within = false;
  };
  [[nodiscard]] bool cross(Index of_hull, std::int32_t edge, const Eigen::Vector3d& shift, Crossing& found) const;
  [[nodiscard]] bool cross_at(std::int32_t vertex, double distance, Crossing& found) const;
  [[nodiscard]] bool overlap_at(Index of_hull, const Surface::Edge& edge, const Crossing& found,
                                const Eigen::Vector3d& shift) const;
  [[nodiscard]] double separation(std::int32_t face) const override;
  void list_ways_out(std::int32_t part, WaysOut& ways) const override;
  [[nodiscard]] bool goes_through(std::int32_t triangle, const Eigen::Vector3d& shift) const override;
  [[nodiscard]] bool vertex_supports(Index v, const Eigen::Vector3d& direction, double sine) const;
  [[nodiscard]] bool edge_supports(Index e, const Eigen::Vector3d& direction, double sine) const;
  [[nodiscard]] bool is_beside(const Surface::Edge& edge, const Eigen::Vector3d& x, Eigen::Vector3d& between) const;
  [[nodiscard]] bool is_under(Index face, const Eigen::Vector3d& x) const;
  [[nodiscard]] double depth_outside(const Eigen::Vector3d& x) const;
  [[nodiscard]] double time_to_meet(const Eigen::Vector3d& between, const Eigen::Vector3d& velocity) const;

  const PlacedHull& hull_;
};

}  // namespace nonsmooth::narrow_phase
