// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/nonsmooth_law.hpp>

namespace nonsmooth {

/// Coulomb friction, static above kinetic: a contact that sticks at t_k (|u_T| <= stick_velocity) holds up to
/// `static_friction` times p_N, one that slides brakes with `kinetic_friction` times p_N. Otherwise as
/// NewtonImpactFrictionLaw. The coefficient of a step is that of its start: an error of order h, and no step is left
/// without a solution.
struct StaticKineticFrictionLaw {
  double restitution = 0.0;       ///< e_N in [0, 1] [-]
  double static_friction = 0.0;   ///< mu_s >= kinetic_friction [-]
  double kinetic_friction = 0.0;  ///< mu_k >= 0 [-]
  double stick_velocity = 1e-9;   ///< > 0 [m/s]: round-off of a sticking solution, far below any slip that matters
  Index dimension = 2;            ///< 2 or 3
};

[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const StaticKineticFrictionLaw& law);

}  // namespace nonsmooth
