// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/dynamical_system.hpp>

namespace nonsmooth {

/// Whether retract is that of MechanicalSystem, q := q + w: it is asked to move q0, and the default tells that it ran.
/// A retract that looks like q + w at q0, but is its own, is told apart.
[[nodiscard]] bool has_default_retract(const MechanicalSystem& system);

}  // namespace nonsmooth
