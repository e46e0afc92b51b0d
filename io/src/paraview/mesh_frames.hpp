// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include <nonsmooth/io/field_mesh.hpp>

#include "vtk_file.hpp"

namespace nonsmooth::paraview {

/// The data sets of a mesh: its nodes where they are at a step, with q and v of each, of first order x. What stays is
/// encoded once.
class MeshFrames {
 public:
  MeshFrames(FieldMesh mesh, const VtkEncoder& encoder);

  [[nodiscard]] const FieldMesh& mesh() const { return mesh_; }
  /// Empty where the step's part has no system of that name with so many numbers.
  [[nodiscard]] PolyData at(const RunFile& run, Index step);
  /// Steps that were asked for and are empty.
  [[nodiscard]] Index missing() const { return missing_; }

 private:
  /// One number a component of each node; two become a vector in the plane z = 0.
  [[nodiscard]] std::vector<double> of_nodes(const Eigen::VectorXd& numbers) const;

  FieldMesh mesh_;
  const VtkEncoder& encoder_;
  Index needed_ = 0, missing_ = 0;
  std::vector<double> places_;
  VtkArray points_;
  VtkCells cells_;
};

}  // namespace nonsmooth::paraview
