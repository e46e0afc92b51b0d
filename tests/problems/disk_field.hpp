// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth::problems {

inline constexpr double kDiskFieldStep = 2e-3;  ///< h [s]

/// The field of examples/disk_field at any size: disks of 5 to 10 cm, 1000 kg/m^2, in three layers over
/// y = 0.15 sin(2 x); e = 0.4, mu = 0.5.
[[nodiscard]] NonSmoothDynamicalSystem disk_field(Index count);

}  // namespace nonsmooth::problems
