// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "body_in_plane.hpp"
#include "body_system.hpp"

namespace nonsmooth {

/// m xddot = F, J angleddot = T with loads, which are those of a body in space that turns about z.
class PlanarBodySystem final : public BodySystem<PlanarBody, 2, 1>, public BodyInPlane {
 public:
  using Position = Eigen::Vector3d;

  explicit PlanarBodySystem(PlanarBody body);

  [[nodiscard]] Eigen::VectorXd initial_position() const override;
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override;
  void force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) const override;
  void force_dq(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const override;
  void force_dv(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const override;
  [[nodiscard]] double potential(ConstVectorRef q) const override;

  static void move(Position& q, const Velocity& w) { q += w; }  ///< q := retract(q, w)
  [[nodiscard]] Velocity loads(double t, const Position& q, const Velocity& v) const;
  /// Their derivatives.
  [[nodiscard]] Jacobian loads_dq(double t, const Position& q, const Velocity& v) const;
  [[nodiscard]] Jacobian loads_dv(double t, const Position& q, const Velocity& v) const;
  // A turn in the plane has no gyroscopic moment.
  [[nodiscard]] static bool gyroscopic_varies() { return false; }
  [[nodiscard]] static Turn gyroscopic(const Turn&) { return Turn::Zero(); }
  [[nodiscard]] static Inertia gyroscopic_dv(const Turn&) { return Inertia::Zero(); }
};

}  // namespace nonsmooth
