// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/io/recorder.hpp>
#include <nonsmooth/io/run_file.hpp>

namespace nonsmooth {

/// A mesh whose nodes carry numbers of a system: a block of finite elements, the states of a first-order system along a
/// rod. A driver declares it, its run's file keeps it, and write_paraview() draws the system on it, frame by frame.
///
///     RecorderOptions options{.name = "block"};
///     keep_mesh({.name = "rubber", .system = "block", .carries = FieldMesh::Carries::Positions, .components = 2,
///                .nodes = X, .cells = quadrilaterals}, options);
///     Recorder recorder("block.h5", simulation, options);
struct FieldMesh {
  /// What the numbers of a node are: a field alone, its displacement from where `nodes` has it, or where it is [m].
  enum class Carries : unsigned char { Values, Displacements, Positions };

  std::string name{};    ///< of its files: letters, digits, _ and -, and none that a folder for ParaView has anyway
  std::string system{};  ///< of the model, by its name
  Carries carries = Carries::Values;
  Index components =
      1;  ///< numbers of a node, 1 to 9, one after another in q, of first order in x; see `carries`: 2, 3
  Eigen::MatrixXd nodes{};  ///< X, 2 x n or 3 x n [m]; the plane is z = 0
  /// Nodes of each cell, 2 x m (lines), 3 x m (triangles) or 4 x m (quadrilaterals, around); of volumes their sides.
  Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic> cells{};
  /// The place of each node's first number in the system's; -1: it has none, as a node that is held, and 0 is taken.
  /// Empty: components * node.
  std::vector<Index> first{};

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// Has a recorder keep a mesh, as tables under /meshes of each file of the run. @throws InvalidArgument naming the
/// field of the mesh; a name that another mesh has.
void keep_mesh(const FieldMesh& mesh, RecorderOptions& options);

/// Those that a run keeps, as the first of its files that was opened has them. @throws FormatError naming file, table
/// and row; what reading throws.
[[nodiscard]] std::vector<FieldMesh> meshes_of(const RunFile& run);

}  // namespace nonsmooth
