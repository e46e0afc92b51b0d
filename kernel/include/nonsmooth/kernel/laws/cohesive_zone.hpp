// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/nonsmooth_law.hpp>

namespace nonsmooth {

/// A bond that breaks: contact with friction whose cone is shifted by the cohesion beta strength, beta = 1 - d /
/// opening for the largest gap d >= 0 met so far, 0 from d = opening on (irreversible):
///
///     0 <= u+ + max(y_k, 0) / h ⟂ p_N + h beta strength >= 0,
///
/// so that an open bond is pulled shut by beta strength, and lands without rebound (penetrating by h |u| / 2 at most,
/// as under Moreau-Jean's contacts). Energy to break: strength opening / 2 a contact.
struct CohesiveZoneLaw {
  double strength = 0.0;  ///< >= 0 [N]
  double opening = 1.0;   ///< at which nothing holds any more, > 0 [m]
  double friction = 0.0;  ///< mu >= 0 [-]
  Index dimension = 2;    ///< 2 or 3 rows a contact
};

[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const CohesiveZoneLaw& law);

}  // namespace nonsmooth
