// SPDX-License-Identifier: Apache-2.0
#include "mesh_frames.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace nonsmooth::paraview {

MeshFrames::MeshFrames(FieldMesh mesh, const VtkEncoder& encoder) : mesh_(std::move(mesh)), encoder_(encoder) {
  if (mesh_.first.empty()) {
    for (Index i = 0; i < mesh_.nodes.cols(); ++i) mesh_.first.push_back(mesh_.components * i);
  }
  needed_ = std::max<Index>(0, *std::max_element(mesh_.first.begin(), mesh_.first.end()) + mesh_.components);
  if (std::all_of(mesh_.first.begin(), mesh_.first.end(), [](Index place) { return place < 0; })) needed_ = 0;
  for (Index i = 0; i < mesh_.nodes.cols(); ++i) {
    for (Index k = 0; k < 3; ++k) places_.push_back(k < mesh_.nodes.rows() ? mesh_.nodes(k, i) : 0.0);
  }
  points_ = encoder_.numbers("Points", 3, places_);
  std::vector<std::int32_t> corners;
  for (const Index node : mesh_.cells.reshaped()) corners.push_back(static_cast<std::int32_t>(node));
  cells_ = vtk_cells(encoder_, mesh_.cells.rows(), corners);
}

std::vector<double> MeshFrames::of_nodes(const Eigen::VectorXd& numbers) const {
  const Index width = mesh_.components == 2 ? 3 : mesh_.components;
  std::vector<double> values;
  values.reserve(mesh_.first.size() * static_cast<std::size_t>(width));
  for (const Index place : mesh_.first) {
    for (Index k = 0; k < width; ++k) values.push_back(place < 0 || k >= mesh_.components ? 0.0 : numbers[place + k]);
  }
  return values;
}

PolyData MeshFrames::at(const RunFile& run, Index step) {
  const std::vector<RunSystem>& systems = run.parts()[static_cast<std::size_t>(run.part_of(step))].systems;
  const auto system =
      std::find_if(systems.begin(), systems.end(), [&](const RunSystem& one) { return one.name == mesh_.system; });
  if (system == systems.end() || (system->first_order ? system->n : system->nq) < needed_) {
    ++missing_;
    return {.points = encoder_.numbers("Points", 3, {})};
  }
  const Eigen::VectorXd z = run.unknowns(step).segment(system->z, system->n);
  const Eigen::VectorXd q = system->first_order ? z : run.positions(step).segment(system->q, system->nq).eval();
  const Index width = mesh_.components == 2 ? 3 : mesh_.components;
  const std::vector<double> field = of_nodes(q);
  PolyData data{.num_points = mesh_.nodes.cols(), .points = points_};
  if (mesh_.carries != FieldMesh::Carries::Values) {
    std::vector<double> moved = places_;
    const bool adds = mesh_.carries == FieldMesh::Carries::Displacements;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      if (mesh_.first[i / 3] < 0) continue;
      const double there = adds ? moved[i] + field[i] : field[i];
      // What is not finite, as a float too, stays where it was: a node without a place ends ParaView's bounds.
      if (std::abs(there) <= static_cast<double>(std::numeric_limits<float>::max())) moved[i] = there;
    }
    data.points = encoder_.numbers("Points", 3, moved);
  }
  (mesh_.cells.rows() == 2 ? data.lines : data.polygons) = cells_;
  data.point_data.push_back(encoder_.numbers(system->first_order ? "x" : "q", width, field));
  if (!system->first_order && system->n == system->nq)
    data.point_data.push_back(encoder_.numbers("v", width, of_nodes(z)));
  return data;
}

}  // namespace nonsmooth::paraview
