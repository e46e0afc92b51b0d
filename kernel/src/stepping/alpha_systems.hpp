// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/system_caches.hpp"

namespace nonsmooth::stages {

/// Calls visit(system, its batch, its place in it) for the systems under generalised-alpha.
template <class Visit>
void for_each_alpha(const Discretisation& discretisation, SystemCaches& systems, Visit visit) {
  for (std::size_t s = 0; s < discretisation.schemes.size(); ++s) {
    if (!discretisation.schemes[s].generalised_alpha) continue;
    const SystemCaches::Place& at = systems.at(static_cast<Index>(s));
    visit(discretisation.system(static_cast<Index>(s)), *at.batch, at.place);
  }
}

}  // namespace nonsmooth::stages
