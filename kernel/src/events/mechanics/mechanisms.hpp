// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "mechanical_model.hpp"

namespace nonsmooth::events {

/// Which mechanism each contact belongs to at an instant, by contact: flagged ones that share a system,
/// directly or through others, have the same number; what is not flagged has -1. A system whose velocity is prescribed
/// joins too: it is held by rows of its own, whose reactions are those of all that it carries. Friction against turning
/// goes with its contact, and friction in a joint with the joint.
///
/// What is decided at an instant is decided by mechanism, and what counts as zero there is relative to its own forces:
/// accelerations of one do not depend on the forces of another. Groups of rows that accelerations couple
/// (DecisionByFlow::coupled()) lie within one. Numbers are below that of contacts. Cost O(systems + contacts).
[[nodiscard]] std::vector<Index> mechanisms(const MechanicalModel& model, const std::vector<char>& flagged);

/// The largest |force| of rows of each mechanism, by its number; of `forces` by row of the model.
[[nodiscard]] std::vector<double> largest_forces(const MechanicalModel& model, const std::vector<Index>& mechanism,
                                                 const Eigen::VectorXd& forces);

}  // namespace nonsmooth::events
