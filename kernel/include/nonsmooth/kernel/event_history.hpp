// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/state.hpp>

namespace nonsmooth {

/// EventDriven::set_state() goes on from the state, and with the bits of the run that left it: it is the state that
/// advance_to() left, unchanged since, and not within a phase that CVODE or IDA integrates, which do not show their
/// history. At instants (impacts, switches, UserEvent::instants, where a run may be stopped) these begin anew, and the
/// state is whole. False also of a state that a run that failed left, and of one of time-stepping.
[[nodiscard]] bool has_whole_history(const State& state);

}  // namespace nonsmooth
