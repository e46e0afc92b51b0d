// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/kernel/systems/rigid_body.hpp>

/// What the loads of a body in space exert, and its derivatives; fixed sizes, no memory from the heap.
namespace nonsmooth::body_loads {

using Position = Eigen::Matrix<double, 7, 1>;
using Velocity = Eigen::Matrix<double, 6, 1>;
using Jacobian = Eigen::Matrix<double, 6, 6>;

/// q := retract(q, w).
void retract(Position& q, const Velocity& w);

/// Where a body is and how it moves.
struct Motion {
  Motion(double time, const Position& position, const Velocity& velocity);

  double t;
  Position q;
  Velocity v;
  Eigen::Matrix3d R;  ///< of body coordinates into those of space
};

/// @throws InvalidArgument, `argument` naming the load.
void validate(const std::string& argument, const BodyLoad& load);
/// Its Jacobians have entries between translation and rotation, or differ from a multiple of I in translation.
[[nodiscard]] bool couples(const BodyLoad& load);

/// F += the force in space and the moment about the centre of mass in body axes.
void add(const BodyLoad& load, const Motion& at, Velocity& F);
/// J += its derivative along the tangent directions of retract.
void add_dq(const BodyLoad& load, const Motion& at, Jacobian& J);
/// J += its derivative by v.
void add_dv(const BodyLoad& load, const Motion& at, Jacobian& J);
/// [J]; 0 of a load that has none.
[[nodiscard]] double potential(const BodyLoad& load, const Position& q);

}  // namespace nonsmooth::body_loads
