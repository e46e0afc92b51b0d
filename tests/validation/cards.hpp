// SPDX-License-Identifier: Apache-2.0
#pragma once

// Comparison with the reference trajectories of an independent code, one card a model: what is run, what each column of
// the reference file is in terms of our state, how far apart the two may be. Shared by the tests and the table.

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <problems/models.hpp>

namespace nonsmooth::validation {

/// max_t |ours - reference| / max(1e-12, max_t |reference|) <= tolerance for the columns named, over from <= t <=
/// until; the denominator is taken over all times unless own_scale.
struct Bound {
  double tolerance = 0.0;  ///< as proposed with the reference trajectory, unless one of the two texts says otherwise
  std::vector<std::string> columns{};  ///< empty: those that no other bound names
  double from = 0.0, until = std::numeric_limits<double>::infinity();
  std::string derivation{};  ///< of a tolerance looser than the one proposed: such a bound counts as open
  std::string difference{};  ///< the reference solves other equations: which; the tolerance is derived from them
  bool own_scale = false;    ///< the denominator over the bound's own times: the reference is wrong beyond
};

using Row = std::vector<double>;

/// The admissible values of an entry that the model determines only up to an interval.
struct Interval {
  double lower = 0.0, upper = 0.0;
};

/// A combination of columns compared like a column of its own.
struct Derived {
  std::string name;
  std::function<double(const Row&)> value;  ///< of a row, t first
};

/// A run that is not stepped. Its rows: first_rows of the initial state, one at each multiple k step, k = 1 ... steps,
/// of the model's, and two at each instant at which something happened, before and after, in order of time.
struct EventDrivenRun {
  EventDrivenOptions options{};
  Index first_rows = 1;
  /// What the file's row before an instant takes from the row after (both without t); none: nothing.
  std::function<void(Row& before, const Row& after)> row_before{};
};

struct Card {
  std::string name;                  ///< of the reference file too, but for what follows a comma
  std::vector<std::string> columns;  ///< after t
  problems::Model (*make)() = nullptr;
  /// The columns at a state, t not among them.
  std::function<void(const problems::Model&, const State&, Row&)> row;
  /// Before each step: what the run changes in the model. None: nothing.
  std::function<void(problems::Model&, TimeStepping&)> before_step{};
  /// Row 0 where the file's convention for it is its own; gets rows 0 and 1. None: row() of the initial state.
  std::function<void(Row& first, const Row& second)> first_row{};
  /// Fills columns that look back over the steps before; gets all rows, t first, after first_row. None: nothing.
  std::function<void(std::vector<Row>& rows)> history{};
  std::vector<Bound> bounds;
  /// The interval of an entry where it is one, from the reference row (t first): the deviation is then ours from the
  /// interval. Null, or nothing returned: a number.
  std::function<std::optional<Interval>(const std::string& column, const Row& reference)> set_valued{};
  std::vector<Derived> derived{};                ///< compared under the bound without columns
  double reference_microseconds = 0.0;           ///< a step of the independent code, as recorded with its trajectory
  double start = 0.0;                            ///< t of row 0 [s]
  std::optional<EventDrivenRun> event_driven{};  ///< none: time-stepping; rows are then compared one by one
};

void add_ball_cards(std::vector<Card>& list);
void add_mechanics_cards(std::vector<Card>& list);
void add_body_cards(std::vector<Card>& list);
void add_circuit_cards(std::vector<Card>& list);
void add_first_order_cards(std::vector<Card>& list);
void add_event_driven_cards(std::vector<Card>& list);
/// Some of those that stand in the list, with contacts of shapes; behind it.
void add_shape_cards(std::vector<Card>& list);

/// All of them.
[[nodiscard]] const std::vector<Card>& cards();
[[nodiscard]] const Card& card(const std::string& name);

/// Empty where the reference trajectories are not there.
[[nodiscard]] std::string reference_file(const Card& card);

struct Deviation {
  const Bound* bound = nullptr;
  double worst = 0.0;  ///< NaN if one of ours is NaN
  std::string column;  ///< where
  double t = 0.0;      ///< when
  Index entries = 0;   ///< compared
  [[nodiscard]] bool within() const { return worst <= bound->tolerance; }
};

struct Comparison {
  std::string failure;                ///< empty, or why the run or the file is unusable
  std::vector<Deviation> deviations;  ///< one a bound
  Index rows = 0;                     ///< of the reference file, all compared
  Index set_valued = 0;               ///< entries compared with an interval
};

[[nodiscard]] Comparison compare(const Card& card);

/// Microseconds a step of the time loop alone (no recording), the median of `repeats` runs. Of an event-driven run: the
/// time of all, the state evaluated at each of its rows, divided by the number of rows' times and instants.
[[nodiscard]] double microseconds_per_step(const Card& card, int repeats = 5);

}  // namespace nonsmooth::validation
