// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/planar_shapes.hpp>
#include <nonsmooth/kernel/shapes.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// Mass, centre of mass and inertia of what has one density rho throughout a solid of volume V:
///
///     m = rho V,     c = (1 / V) int x dV,     J = rho int |d|^2 I - d d^T dV,  d = x - c,
///
/// in the axes of the shape, or of the body that it was placed on. J is about c: J = m (tr(C) I - C), where
/// C = (1 / V) int d d^T dV. With Q = a^2 + a b + b^2:
///
///     Sphere, r:                V = 4 pi r^3 / 3, c = 0, C = r^2 / 5 I
///     Box, half extents a:      V = 8 a_1 a_2 a_3, c = 0, C = diag(a_1^2, a_2^2, a_3^2) / 3
///     Cylinder, r, half l:      V = 2 pi r^2 l, c = 0, C = diag(r^2 / 4, r^2 / 4, l^2 / 3)
///     Capsule, r, half l:       V = V_c + V_s of that cylinder and sphere, c = 0,
///                               V C_xx = V_c r^2 / 4 + V_s r^2 / 5,
///                               V C_zz = V_c l^2 / 3 + V_s (r^2 / 5 + 3 l r / 4 + l^2)
///     Cone, a below, b above:   V = pi h Q / 3, c_z = h (a^2 + 2 a b + 3 b^2) / (4 Q),
///                               C_xx = 3 (a^4 + a^3 b + a^2 b^2 + a b^3 + b^4) / (20 Q),
///                               C_zz = 3 h^2 (a^4 + 4 a^3 b + 10 a^2 b^2 + 4 a b^3 + b^4) / (80 Q^2)
///     ConvexPolyhedron:         sums over tetrahedra
///
/// A polyhedron's tetrahedra have an inner point o as their tip and the triangles (p_1, p_2, p_3) of its faces as their
/// bases, p from o: V_k = det(p_1, p_2, p_3) / 6, int x = V_k s / 4, int x x^T = V_k / 20 (sum p p^T + s s^T), s = sum
/// p: exact to rounding for the corners as they are, or to `coplanar` of the size where the corners of a face are in no
/// one plane. Cost: O(corners); of the others none.
///
/// A RigidBody is where its centre of mass is, and J is in its axes: a shape whose c is not zero is on it at -c.
struct MassProperties {
  double mass = 0.0;                                  ///< m [kg]
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();   ///< c [m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< J about c [kg m^2]

  /// @throws InvalidArgument: a mass that is not positive and finite, a degenerate shape, a shape that is no bounded
  /// solid (half-space, triangle mesh, height field: the ground's alone).
  [[nodiscard]] static MassProperties of_mass(const Shape& shape, double mass);
  /// `density`: rho [kg/m^3]. @throws InvalidArgument as `of_mass`, of the density.
  [[nodiscard]] static MassProperties of_density(const Shape& shape, double density);

  /// The same solid turned and then moved: c := position + Q c, J := Q J Q^T, Q of the unit quaternion (w, x, y, z), as
  /// ShapeOnBody has them. @throws InvalidArgument: not finite, or a norm that is not 1 to 1e-9.
  [[nodiscard]] MassProperties placed(const Eigen::Vector3d& position,
                                      const Eigen::Vector4d& orientation = {1.0, 0.0, 0.0, 0.0}) const;
  /// J + m (|d|^2 I - d d^T), d = point - c: about another point of the same axes [kg m^2].
  [[nodiscard]] Eigen::Matrix3d inertia_about(const Eigen::Vector3d& point) const;
  /// Both as one body: masses add, c is their mean by mass, J both about it. What two solids share counts twice.
  MassProperties& operator+=(const MassProperties& other);
  [[nodiscard]] friend MassProperties operator+(MassProperties one, const MassProperties& other) {
    return one += other;
  }
};

/// The same in the plane, of an area A: m = rho A, c = (1 / A) int x dA, J = rho int |x - c|^2 dA. Of a Disk A = pi
/// r^2, J = m r^2 / 2. All points within `rounding` of a polygon or a segment are the polygon, a rectangle on each of
/// its sides and a sector at each of its corners, whose A, int x and int |x|^2 are summed from an inner point o:
///
///     triangle (o, p, q), k = p x q:    k / 2,    k (p + q) / 6,    k (p.p + p.q + q.q) / 12,
///     rectangle l x r about z:          l r,      l r z,            l r (|z|^2 + (l^2 + r^2) / 12),
///     sector of angle a about p:        a r^2/2,  a r^2/2 p + f,    a r^2/2 |p|^2 + 2 p.f + a r^4/4,
///
/// f = r^3 / 3 int of the directions within the sector. Cost: O(vertices log vertices).
struct PlanarMassProperties {
  double mass = 0.0;                                 ///< m [kg]
  Eigen::Vector2d centre = Eigen::Vector2d::Zero();  ///< c [m]
  double inertia = 0.0;                              ///< J about c [kg m^2]

  /// Of a PlanarSegment without rounding, a thin rod, too: J = m l^2 / 12.
  /// @throws InvalidArgument: a mass that is not positive and finite, a degenerate shape, a shape that is not bounded
  /// (half-plane, height line: the ground's alone).
  [[nodiscard]] static PlanarMassProperties of_mass(const PlanarShape& shape, double mass);
  /// `density`: rho [kg/m^2], a solid's times its depth. @throws InvalidArgument as `of_mass`, of the density; a
  /// PlanarSegment without rounding, which has no area.
  [[nodiscard]] static PlanarMassProperties of_density(const PlanarShape& shape, double density);

  /// The same area turned by an angle [rad] about the origin and then moved. @throws InvalidArgument: not finite.
  [[nodiscard]] PlanarMassProperties placed(const Eigen::Vector2d& position, double angle = 0.0) const;
  /// J + m |point - c|^2 [kg m^2].
  [[nodiscard]] double inertia_about(const Eigen::Vector2d& point) const;
  /// Both as one body; what two areas share counts twice.
  PlanarMassProperties& operator+=(const PlanarMassProperties& other);
  [[nodiscard]] friend PlanarMassProperties operator+(PlanarMassProperties one, const PlanarMassProperties& other) {
    return one += other;
  }
};

}  // namespace nonsmooth
