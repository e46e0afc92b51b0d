// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bonds of contacts that were found: what holds, and what has parted (cohesion.hpp).

#include <cstdint>
#include <vector>

#include "cohesion.hpp"
#include "contact_set.hpp"

namespace nonsmooth::stages {

/// The contact of the last step with this feature, or nullptr.
[[nodiscard]] const ContactMemory* last_of(const State& state, Index source, std::uint64_t feature);

/// F and p_N of the last step where a bond holds the contact unless it has parted; zeros elsewhere, and of laws that
/// vary, which say themselves what holds.
struct Holding {
  double cohesion = 0.0, impulse = 0.0;
};
[[nodiscard]] Holding holding(const State& state, const ContactSearch& search, Index source,
                              const DetectedContact& contact);

/// A contact between two systems, the second -1: the ground, and what its bond is judged by: u_N, and p_N of the last
/// step.
struct Bond {
  Index first, second;
  double velocity, impulse, cohesion;
};

/// That of contact i of a batch has parted.
[[nodiscard]] bool is_parted(const Bond& bond, const ContactBatch& batch, Index i, const StepView& step,
                             SystemCaches& systems, std::vector<double>& row);

/// Takes the cohesion of contacts that have parted, and closes gaps of those that hold.
void part_cohesive(const StepView& step, SystemCaches& systems, ContactSearch& search, ContactSet& contacts);

}  // namespace nonsmooth::stages
