// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "surface_contacts.hpp"
#include "surface_names.hpp"
#include "surface_points.hpp"

namespace nonsmooth::narrow_phase {

/// Sees points of a shape and a surface, one by one.
class WaysOut {
 public:
  virtual void see(const PatchPoint& way) = 0;

 protected:
  ~WaysOut() = default;
};

/// What of a surface is near to a shape, and points of the shape over its faces.
class SurfaceFaces {
 protected:
  /// `size`: of a ball about the shape, to which `radius` is added all around.
  SurfaceFaces(const Motion& motion, double size, double radius, const Surface& second, const Eigen::Vector3d& at,
               std::vector<Index>& memory);
  ~SurfaceFaces() = default;

  /// What comes near to a box about the shape.
  void list_near(Eigen::Vector3d low, Eigen::Vector3d high);
  [[nodiscard]] std::span<const Index> triangles() const;
  [[nodiscard]] std::span<const Index> edges() const;
  [[nodiscard]] std::span<const Index> vertices() const;

  /// Or on its surface, as what is straight below an edge lies on a face.
  [[nodiscard]] bool is_in_solid(const Eigen::Vector3d& x) const;
  /// The point x of the shape, called k: out of the solid if it is in there.
  void lift(const Eigen::Vector3d& x, Index k, std::int32_t face, PointList& points) const;
  void over_face(const Eigen::Vector3d& x, Index k, std::int32_t triangle, const NearestPoint& nearest,
                 PointList& points) const;
  [[nodiscard]] bool is_over(std::int32_t triangle, const Eigen::Vector3d& x, double height,
                             const NearestPoint& nearest) const;
  /// In the prism on the triangle.
  [[nodiscard]] bool is_above_or_below(std::int32_t triangle, const Eigen::Vector3d& x) const;
  [[nodiscard]] bool prevails(std::int32_t triangle, const Eigen::Vector3d& x) const;
  /// Where the shape goes through a part of the surface, all that hangs together, and nothing of `points` touches this,
  /// sharp edges are past each other: of each place where it does the shortest way out is added, all that is flush.
  void add_what_is_past(PointList& points) const;
  /// Ways that may move the shape out of a part: points that are deeper than the margin and, moved out, touch.
  virtual void list_ways_out(std::int32_t part, WaysOut& ways) const = 0;
  /// True where the shape, moved so, goes through a triangle by more than the margin.
  [[nodiscard]] virtual bool goes_through(std::int32_t triangle, const Eigen::Vector3d& shift) const = 0;
  /// What lies no deeper may only be on the mean planes of faces.
  [[nodiscard]] double margin() const { return 2.0 * view_.tolerance + view_.surface.deviation; }
  /// How far a face's plane keeps the shape from what is behind it.
  [[nodiscard]] virtual double separation(std::int32_t face) const = 0;
  /// Until a gap that changes at a rate is closed: at most the horizon, else infinite.
  [[nodiscard]] double time_to_touch(double gap, double rate) const;
  void add(const Eigen::Vector3d& normal, const Eigen::Vector3d& on_shape, double distance, std::uint64_t feature,
           PointList& points) const;

  [[nodiscard]] bool is_on_part(std::uint64_t feature, std::int32_t part) const;
  struct Cut;
  class ShortestWay;
  class FlushWays;
  [[nodiscard]] bool touches(const PointList& points, std::size_t k) const;
  void list_cut(std::int32_t triangle) const;
  [[nodiscard]] bool find_cut(std::int32_t triangle, const PointList& points, std::size_t num_found, Cut& cut) const;
  [[nodiscard]] bool leaves(const Cut& cut, const Eigen::Vector3d& shift) const;
  [[nodiscard]] Eigen::Vector3d beyond(const PatchPoint& point) const;
  [[nodiscard]] bool is_free(const PatchPoint& way) const;
  [[nodiscard]] bool has_shorter(const Cut& cut) const;

  static constexpr double kJustSupports = 1e-6;  ///< sine: normals of what is past, for all of a flush patch
  static constexpr double kAside = 1e3;          ///< of the tolerance: how far a point is moved beyond what lifts it

  const Motion& motion_;
  double size_, radius_;
  SurfaceView view_;
  SurfaceNames names_;
  std::vector<Index>& memory_;
  Eigen::Vector3d low_, high_;  ///< of the box about the shape
  std::size_t triangles_begin_, edges_begin_ = 0, vertices_begin_ = 0, vertices_end_ = 0;
};

}  // namespace nonsmooth::narrow_phase
