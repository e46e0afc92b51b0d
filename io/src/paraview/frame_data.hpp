// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/io/run_file.hpp>

#include "../scene/page_bodies.hpp"
#include "vtk_file.hpp"

namespace nonsmooth::paraview {

/// The bodies of a step that are there, by rows.
struct FrameBodies {
  std::vector<Index> numbers;  ///< among those of the run
  std::vector<Index> row_of;   ///< by number; -1: not there
  /// Tuple by tuple; angular velocities in the axes of space.
  std::vector<double> positions, orientations, velocities, speeds, angular_velocities;
  Index not_finite = 0;  ///< left out for this

  [[nodiscard]] Eigen::Vector3d position(Index row) const { return Eigen::Vector3d::Map(positions.data() + 3 * row); }
};
[[nodiscard]] FrameBodies bodies_at(const RunFile& run, const scene::PageBodies& bodies, Index step);

/// The contacts of a step.
struct FrameContacts {
  std::vector<ActingContact> contacts;  ///< systems replaced by bodies: -1 the ground, -2 not drawn
  Index not_finite = 0;
};
[[nodiscard]] FrameContacts contacts_at(const RunFile& run, const scene::PageBodies& bodies, Index step);

/// Makes the data sets of frames; what stays from one to the next is encoded once.
class FrameWriter {
 public:
  FrameWriter(const scene::PageBodies& bodies, const VtkEncoder& encoder) : bodies_(bodies), encoder_(encoder) {}

  [[nodiscard]] PolyData bodies(const FrameBodies& frame, const FrameContacts& contacts);
  [[nodiscard]] PolyData contacts(const FrameContacts& frame, bool impulses) const;
  [[nodiscard]] PolyData network(const FrameBodies& frame, const FrameContacts& contacts) const;

 private:
  const scene::PageBodies& bodies_;
  const VtkEncoder& encoder_;
  std::vector<Index> last_numbers_;
  std::vector<VtkArray> last_arrays_;
  VtkCells last_vertices_;
};

/// The systems of a part that are not drawn and have numbers.
[[nodiscard]] std::vector<Index> undrawn_systems(const RunFile& run, const scene::PageBodies& bodies, Index part);
/// Their entries at a step: a line of points each, one above the other.
[[nodiscard]] PolyData values_at(const RunFile& run, const std::vector<Index>& systems, Index step,
                                 const VtkEncoder& encoder);

/// What is shown of the scene.
struct SceneExtent {
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  double reach = 1.0;  ///< of half-spaces and lines without end from the middle [m]
};
/// The shapes of bodies (of_ground = false) in the axes of these, or those of the ground in space.
[[nodiscard]] PolyData shapes_of(const Scene& scene, bool of_ground, const SceneExtent& extent,
                                 const VtkEncoder& encoder);

}  // namespace nonsmooth::paraview
