// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/body_load.hpp>

namespace nonsmooth {

/// force = -translation xdot, moment = -rotation Omega.
struct LinearDrag {
  double translation = 0.0;  ///< >= 0 [N s/m]
  double rotation = 0.0;     ///< >= 0 [N m s]
};

/// The class that the description stands for, checked when a body is made.
[[nodiscard]] std::shared_ptr<const BodyLoad> make_load(LinearDrag load);

}  // namespace nonsmooth
