// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/mixed/problem.hpp>

namespace nonsmooth::mixed {

/// How the disk |x| <= 1 of every cone's section becomes a regular polygon.
struct Polyhedral {
  enum class Side : unsigned char {
    Inner,  ///< corners on the circle: recovered r are admissible
    Outer,  ///< edges on the circle: r may leave the cone by 1 / cos(pi / facets) - 1
  };
  Index facets = 16;  ///< corners, and edges, of the polygon; 3 to 2^20; even ones are symmetric about the axes
  Side side = Side::Inner;

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// A mixed problem whose disks are polygons, and the way back.
class PolyhedralProblem {
 public:
  /// Blocks of Free, Orthant, Box and Coulomb2D only. An LCP where every block is an Orthant.
  Problem problem;

  /// r of the original problem from r of `problem`. @throws InvalidArgument for another size than problem.q.
  [[nodiscard]] Eigen::VectorXd recover(ConstVectorRef multipliers) const;

 private:
  friend PolyhedralProblem polyhedral(const Problem& problem, const Polyhedral& options);
  struct Piece {
    Index parent;       // block of the original problem
    Eigen::MatrixXd R;  // r of the parent = sum of R times the multipliers of its pieces
  };
  std::vector<Piece> pieces_;
  std::vector<Index> offsets_;  // of the original blocks
  Eigen::VectorXd shift_;       // cohesion on its rows; empty where there is none
};

/// Replaces the disks of cones and cylinders of three rows by polygons with corners p_j (two rows: exactly, by two
/// corners); Free, Orthant, Box and Coulomb2D blocks stay.
///   SecondOrderCone: r = sum_j z_j (1, mu p_j), 0 <= z_j ⟂ u_0 + mu p_j·u_T >= 0: one Orthant of k rows.
///   Coulomb3D, DruckerPrager, with the gain c of û: r_T = sum_j b_j p_j,
///     0 <= r_0 ⟂ u_0 + (c - mu) g >= 0,   0 <= b_j ⟂ p_j·u_T + g >= 0,   0 <= g ⟂ mu r_0 - sum_j b_j >= 0,
///     one Orthant of k + 2 rows (r_0, b, g); g is |u_T| in the polygon's norm.
///   Rolling: the same with one b and g for each group of rows. Elliptic and cohesive blocks: their canonical form.
///   VonMises: r_0 Free; the same b and g with `radius` in place of mu r_0.
///
/// Error: the sections differ by 1 - cos(pi / k) = O(1/k^2) times the radius, and so does, for symmetric positive
/// semidefinite W and û = u, the least value of r·W r / 2 + q·r. The direction of r_T along the circle is only found to
/// O(1/k), the step between corners: r itself converges like 1/k where W is positive definite. The certificate of the
/// recovered r against the original problem says what it is worth; a few steps of NaturalNewton from it finish the job.
///
/// Multipliers of a polygon are not unique inside it. Cost: k^2 entries a block of W; use few facets.
/// Source: Stewart, Trinkle 1996 [stewart1996]; Ben-Tal, Nemirovski 2001 [bental2001] for approximations.
/// @throws InvalidArgument as Problem::validate and Polyhedral::validate; for a cone or cylinder of more than 3 rows.
[[nodiscard]] PolyhedralProblem polyhedral(const Problem& problem, const Polyhedral& options = {});

}  // namespace nonsmooth::mixed
