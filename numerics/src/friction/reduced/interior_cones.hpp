// SPDX-License-Identifier: Apache-2.0
#pragma once

// Friction as a product of second-order cones, and what an interior point needs of them.

#include <vector>

#include <nonsmooth/numerics/sets.hpp>

#include "growing_matrix.hpp"
#include "mixed/newton_system.hpp"

namespace nonsmooth::friction::internal {

/// A point of a product of cones: one column a cone, rows that a cone does not have are 0.
using ConePoint = GrowingMatrix<3>;

/// The cones L = {x_0 >= |x_T|} that a product K of canonical friction sets is made of, and G, which takes r to them:
///
///     r in K  <=>  x = G r in L^m and r = 0 on the rows that vanish,      û in K*  <=  û = G^T y, y in L^m,
///
/// x = (mu r_N, r_T) of a Coulomb block; (mu r_N, r_T), (mu r_N, r_R), (mu r_N, r_S) of a Rolling one; r_i of a row of
/// an orthant; none of a Free block. Where mu = 0 the tangential rows vanish.
class FrictionCones {
 public:
  FrictionCones() = default;
  explicit FrictionCones(const ProductSet& K);
  /// Those of another product, which stays alive and unchanged until the next call. Keeps its memory.
  void prepare(const ProductSet& K);

  [[nodiscard]] Index size() const noexcept { return static_cast<Index>(cones_.size()); }
  /// The block of K that a cone belongs to.
  [[nodiscard]] Index block(Index cone) const noexcept { return cones_[static_cast<std::size_t>(cone)].block; }
  /// True for cones with De Saxcé's term: all but those of one row.
  [[nodiscard]] bool lifts(Index cone) const noexcept { return cones_[static_cast<std::size_t>(cone)].rows > 0; }
  /// D := 0 on the rows where r = 0 by the sets alone.
  void erase_vanishing(VectorRef D) const;

  void to_cones(ConstVectorRef r, ConePoint& x) const;       ///< x = G r
  void add_velocity(const ConePoint& y, VectorRef u) const;  ///< u += G^T y
  /// r_N of every contact and row of an orthant raised until x_0 >= |x_T| + size on its cones.
  void move_inside(double size, VectorRef r) const;
  /// B = G^T D G, D one 3 x 3 matrix a cone in the columns 3 j .. 3 j + 2, and 1 on the rows that vanish.
  void assemble(const GrowingMatrix<3>& D, mixed::internal::BlockDiagonal& B) const;

 private:
  struct Cone {
    Index block, normal, tail, rows;  // x = (mu r_normal, r_tail, ... r_tail+rows-1)
    double mu;
  };
  const ProductSet* K_ = nullptr;
  std::vector<Cone> cones_;
  std::vector<Index> vanishing_, vanishing_block_;  // rows, and their blocks
};

/// The scaling of Nesterov and Todd at x, y in the interior of a cone: V = theta (2 v v^T - J), J = diag(1, -1, -1), is
/// symmetric with V y = V^-1 x = lambda, and H = V^-2 has H x = y. Source: Nesterov, Todd 1997 [nesterov1997].
struct NesterovTodd {
  Eigen::Vector3d v, lambda;
  Eigen::Matrix3d H;
  double theta = 1.0;

  void update(const Eigen::Vector3d& x, const Eigen::Vector3d& y);
  [[nodiscard]] Eigen::Vector3d scale(const Eigen::Vector3d& y) const;    ///< V y
  [[nodiscard]] Eigen::Vector3d unscale(const Eigen::Vector3d& x) const;  ///< V^-1 x
};

/// a∘b = (a·b, a_0 b_T + b_0 a_T), the product of the cone's Jordan algebra; e = (1, 0, 0) is its unit.
[[nodiscard]] Eigen::Vector3d jordan_product(const Eigen::Vector3d& a, const Eigen::Vector3d& b);
/// The b with a∘b = c; a in the interior of L.
[[nodiscard]] Eigen::Vector3d jordan_quotient(const Eigen::Vector3d& a, const Eigen::Vector3d& c);
/// The largest t with x + t dx in L, infinity where there is none; x in the interior.
[[nodiscard]] double step_to_boundary(const Eigen::Vector3d& x, const Eigen::Vector3d& dx);

}  // namespace nonsmooth::friction::internal
