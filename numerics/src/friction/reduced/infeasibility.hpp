// SPDX-License-Identifier: Apache-2.0
#pragma once

// A friction problem is one of the mixed family: so is the proof that it has no solution.

#include "mixed/infeasibility.hpp"

namespace nonsmooth::friction::internal {

using mixed::proves_infeasible;
using mixed::internal::find_proof;
using mixed::internal::find_proof_along;
using mixed::internal::find_proof_on_rows;

}  // namespace nonsmooth::friction::internal
