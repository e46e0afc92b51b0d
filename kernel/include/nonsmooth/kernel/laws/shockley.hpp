// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/nonsmooth_law.hpp>

namespace nonsmooth {

/// Shockley's diode beside the ideal one, first order: lambda = saturation (exp(-y / thermal) - 1), row by row, y the
/// voltage in the blocking direction and lambda the current. Linearised at the point of the curve nearest in current
/// (conducting) or voltage (blocking), which keeps Newton's iteration from overflowing.
struct ShockleyLaw {
  double saturation = 1e-12;  ///< i_s > 0 [A]
  double thermal = 0.02585;   ///< n V_T > 0 [V]; at 300 K
};

[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const ShockleyLaw& law);

}  // namespace nonsmooth
