// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/nonsmooth_law.hpp>

namespace nonsmooth {

/// Contact with a spring and a dashpot that only push, as a law of relative degree 0: where the gap is closed,
///
///     0 <= lambda ⟂ lambda / k + y + (d / k) u >= 0,
///
/// lambda = max(0, -k y - d u) [N], from the first touch until the force vanishes; implicit in the step, so stable for
/// every h. A step counts as closed where y_k <= 0 or y_k + h u_k <= 0. k -> infinity at a fixed damping ratio
/// z = d / (2 sqrt(k m)) is a rigid contact of Moreau's with e = exp(-pi z / sqrt(1 - z^2)) were the force to pull to
/// the end of the contact; as it does not, e = exp(-2 z acos(z) / sqrt(1 - z^2)).
struct SpringDashpotLaw {
  double stiffness = 0.0;  ///< k > 0 [N/m]
  double damping = 0.0;    ///< d >= 0 [N s/m]
};

[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const SpringDashpotLaw& law);

}  // namespace nonsmooth
