// SPDX-License-Identifier: Apache-2.0
// A block of rubber in plane strain, in finite elements of finite strain.
#pragma once

#include <vector>

#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth::problems {

/// Compressible neo-Hookean material [bonet2008], W = mu/2 (|F|^2 - 2 - 2 ln J) + lambda/2 (ln J)^2 per area, J = det
/// F, 1 m thick in triangles of constant strain with consistent mass: the cells of a grid, each cut in two. q is where
/// the nodes are, x and y in turn, row by row from the bottom.
struct ElasticBlock {
  Index columns = 4, rows = 4;       ///< cells
  double width = 1.0, height = 1.0;  ///< [m], x and y from 0
  double mu = 1.0, lambda = 1.5;     ///< Lamé's constants of small strain [Pa]
  double density = 1.0;              ///< [kg/m^3]

  [[nodiscard]] Index num_nodes() const { return (columns + 1) * (rows + 1); }
  [[nodiscard]] Index num_unknowns() const { return 2 * num_nodes(); }
  [[nodiscard]] Index node(Index column, Index row) const { return row * (columns + 1) + column; }
  [[nodiscard]] double mass() const { return density * width * height; }
  /// Undeformed, with the lower left corner at (0, 0).
  [[nodiscard]] Eigen::VectorXd rest() const;

  /// Its internal forces with their stiffness, its potential and mass, and the weight `-gravity` mass; q0 at rest().
  [[nodiscard]] SparseLagrangianSystem system(double gravity = 0.0) const;
  /// Heights of the nodes of the lowest row above y = floor, each with its place along it where there is friction:
  /// columns + 1 blocks of one or two rows.
  [[nodiscard]] LagrangianLinearRelation on_floor(double floor, bool friction) const;

  /// Principal stretch along x of a block that is stretched by `along_y` and free sideways: the Piola stress
  /// mu (s - 1/s) + lambda ln(s along_y) / s of that direction vanishes.
  [[nodiscard]] double free_stretch(double along_y) const;
  /// Piola stress P_yy [Pa] of that state.
  [[nodiscard]] double uniaxial_stress(double along_y) const;
};

}  // namespace nonsmooth::problems
