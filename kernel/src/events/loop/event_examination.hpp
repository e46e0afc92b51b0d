// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/event_driven.hpp>

#include "events/mechanics/mechanical_model.hpp"

/// What event-driven simulation looks at before its first instant: the cheap part of an examination.
namespace nonsmooth::events {

/// Relative degrees of linear first-order rows, and whether the problem of a mode has one answer, as
/// EventDriven::examination() has it. The layout is that of the model. Nothing of the model is called. Cost: O(number
/// of systems and interactions), and of an island what stages::examine_start() costs.
[[nodiscard]] Remarks examine_first_order(const NonSmoothDynamicalSystem& model,
                                          const std::shared_ptr<const Layout>& layout);

/// Unilateral contacts inside their obstacles at (t, z), bilateral rows off their constraints, by more than the
/// tolerance of a closed gap: those that a repair will move. Asks all relations.
[[nodiscard]] Remarks examine_gaps(double t, const Eigen::VectorXd& z, const EventDrivenOptions& options,
                                   MechanicalModel& mechanics);

/// @throws InvalidArgument for the first remark that is refused, under Examination::Refuse.
void require_none_refused(const Remarks& remarks, Examination examination);

}  // namespace nonsmooth::events
