// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/nonsmooth_law.hpp>

namespace nonsmooth {

/// 0 <= y + y_shift ⟂ lambda + lambda_shift >= 0, row by row: ideal diodes and their kin (first order), and compliant
/// contact at the level of positions (mechanics, where lambda is a force [N] and y = h(q, lambda): a spring that can
/// push only). A shifted diode conducts backwards up to lambda_shift and drops y_shift.
struct ComplementarityLaw {
  double y_shift = 0.0;       ///< [unit of y]
  double lambda_shift = 0.0;  ///< [unit of lambda]
};

/// y = 0 (first order) or u = 0 (mechanics, velocity level), multiplier of any sign.
struct EqualityLaw {};

/// The first `equalities` rows of a block as EqualityLaw, the other `inequalities` rows as ComplementarityLaw without
/// shifts (first order) or NewtonImpactLaw of e = 0 that is always active (mechanics, velocity level).
struct MixedComplementarityLaw {
  Index equalities = 0;    ///< >= 0
  Index inequalities = 0;  ///< >= 0, one of both at least
};

[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const ComplementarityLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const EqualityLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const MixedComplementarityLaw& law);

}  // namespace nonsmooth
