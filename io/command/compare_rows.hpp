// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/io/run_file.hpp>

#include "deviation.hpp"

namespace nonsmooth::command {

/// Rows that one run has and the other has not.
struct Unpaired {
  Index only_first = 0, only_second = 0;  ///< of each
  Index step = -1;                        ///< the first with one; -1: none
};

/// How what has a row a contact, a row an event, or a name a step differs between two runs.
struct RowComparison {
  /// "contacts.gap", "contacts.point", "contacts.normal", "contacts.force", "contacts.impulse" (of vectors |a - b| over
  /// the largest |a|, |b|), "events.t", "events.value", "events.end": those that differ, their steps counted in the
  /// second.
  std::vector<Deviation> deviations;
  Unpaired contacts, events;
  Index solver_step = -1;  ///< the first that was solved by another algorithm; -1: none
  std::string first_solver{}, second_solver{};
  Index num_contacts = 0, num_events = 0;  ///< that were compared
};

/// Contacts of a step are the same by source, feature (or interaction) and systems, events by their order within a
/// step, kind, interaction and row. A contact of one run alone is compared with one that pushes with nothing.
/// `tolerance` as of the command; 0: the same bits. Memory: one step's rows, and eight numbers a step.
[[nodiscard]] RowComparison compare_rows(const RunFile& a, const RunFile& b, const StepPairs& steps, double tolerance);

}  // namespace nonsmooth::command
