// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/body_load.hpp>

#include "rotation.hpp"

/// Places and motions of a body in space; fixed sizes, no memory from the heap.
namespace nonsmooth::body_motion {

/// q := retract(q, w).
inline void retract(BodyLoad::Position& q, const BodyLoad::Velocity& w) {
  q.head<3>() += w.head<3>();
  q.tail<4>() = rotation::turned(q.tail<4>(), w.tail<3>());
}

[[nodiscard]] inline BodyLoad::Motion at(double t, const BodyLoad::Position& q, const BodyLoad::Velocity& v) {
  return {t, q, v, rotation::matrix(q.tail<4>())};
}

}  // namespace nonsmooth::body_motion
