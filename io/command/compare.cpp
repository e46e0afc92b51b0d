// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <unordered_set>
#include <utility>

#include <nonsmooth/io/run_file.hpp>
#include <nonsmooth/io/run_series.hpp>

#include "compare_rows.hpp"
#include "json.hpp"
#include "number.hpp"
#include "subcommands.hpp"
#include "text.hpp"

namespace nonsmooth::command {
namespace {

/// Reads them in blocks.
template <class Visit>  // visit(first step, counted in b, rows of a, rows of b)
void in_blocks(const RunSeries& a, const RunSeries& b, const StepPairs& range, const Visit& visit) {
  constexpr Index block = 64;
  for (Index from = 0; from < range.count; from += block) {
    const Index to = std::min(range.count, from + block);
    visit(range.second + from, a.rows(range.first + from, range.first + to),
          b.rows(range.second + from, range.second + to));
  }
}

/// Where a run that went on from a checkpoint of `a`, or of one like it, has its steps behind the first one: by the
/// hash of its first state, or its time where there are no hashes. No steps: `a` has no such state.
StepPairs restarted_range(const RunFile& a, const RunFile& b) {
  if (b.num_steps() == 0) return {};
  const auto range_behind = [&](Index step) {
    return StepPairs{step + 1, 1, std::min(a.num_steps() - step, b.num_steps()) - 1};
  };
  const auto last = [](const auto& list, auto value) {
    const auto found = std::find(list.rbegin(), list.rend(), value);
    return found == list.rend() ? Index{-1} : static_cast<Index>(list.rend() - found) - 1;
  };
  if (const std::uint64_t hash = b.hashes(0, 1).front(); hash != 0) {
    if (const Index step = last(a.hashes(), hash); step >= 0) return range_behind(step);
  }
  const Index step = last(a.times(), b.times().front());
  return step < 0 || a.hashes(step, step + 1).front() != 0 ? StepPairs{} : range_behind(step);
}

constexpr double least_residual = 1e-12;  ///< below it a residual is round-off

/// One for each name, in their order; `at` is -1 where nothing differs.
std::vector<Deviation> deviations_of(const RunSeries& a, const RunSeries& b, const StepPairs& range, double tolerance) {
  const std::vector<std::string>& names = a.names();
  std::vector<Deviation> found(names.size());
  std::vector<double> largest(names.size(), 0.0);
  for (std::size_t c = 0; c < names.size(); ++c) {
    found[c].name = names[c];
    if (names[c] == "residual") largest[c] = least_residual;
  }
  in_blocks(a, b, range, [&](Index, const RunRows& of_a, const RunRows& of_b) {
    for (Index k = 0; k < of_b.rows(); ++k) {
      for (std::size_t c = 0; c < names.size(); ++c) {
        for (const double value : {of_a(k, static_cast<Index>(c)), of_b(k, static_cast<Index>(c))}) {
          if (std::isfinite(value)) largest[c] = std::max(largest[c], std::abs(value));
        }
      }
    }
  });
  in_blocks(a, b, range, [&](Index from, const RunRows& of_a, const RunRows& of_b) {
    for (Index k = 0; k < of_b.rows(); ++k) {
      for (std::size_t c = 0; c < names.size(); ++c) {
        const double x = of_a(k, static_cast<Index>(c)), y = of_b(k, static_cast<Index>(c));
        if (same_number(x, y)) continue;
        double apart = x == y ? 0.0 : std::abs(x - y) / largest[c];  // 0: of zeros of two signs
        if (std::isnan(apart)) apart = std::numeric_limits<double>::infinity();
        Deviation& one = found[c];
        if (one.at < 0 || apart > one.worst) {
          one.worst = apart;
          one.at = from + k;
        }
        if (one.first < 0 && (apart > tolerance || tolerance == 0.0)) one.first = from + k;
      }
    }
  });
  return found;
}

/// The first step whose hashes differ where both runs have one; -1: none.
Index first_other_hash(const RunFile& a, const RunFile& b, const StepPairs& range) {
  const std::vector<std::uint64_t> first = a.hashes(range.first, range.first + range.count),
                                   second = b.hashes(range.second, range.second + range.count);
  for (std::size_t k = 0; k < first.size(); ++k) {
    if (first[k] != second[k] && first[k] != 0 && second[k] != 0) return range.second + static_cast<Index>(k);
  }
  return -1;
}

struct Comparison {
  std::vector<Deviation> deviations;  ///< of what differs, the worst first
  std::vector<std::string> only_first, only_second;
  StepPairs range;
  RowComparison rows;
  Index first_row = -1;  ///< the first step with a contact or event whose numbers are beyond the tolerance
  Index compared = 0, first = -1, first_hash = -1;
  bool lengths_differ = false;
  bool apart = false;  ///< the second began with a state that the first has not
  bool restarted = false;
  double tolerance = 0.0;
};

/// Numbers of rows in the tables of a file, which depend on when its chunks were written.
bool is_place(const std::string& name) { return name == "first_contact" || name == "first_event"; }

Comparison compare_runs(const RunFile& a, const RunFile& b, double tolerance, bool restarted) {
  Comparison all;
  all.range = restarted ? restarted_range(a, b) : StepPairs{0, 0, std::min(a.num_steps(), b.num_steps())};
  all.restarted = restarted;
  all.apart = restarted && all.range.second == 0;
  all.lengths_differ = !all.apart && a.num_steps() - all.range.first != b.num_steps() - all.range.second;
  all.tolerance = tolerance;
  const std::vector<std::string> first = series_names(a), second = series_names(b);
  const std::unordered_set<std::string> in_first(first.begin(), first.end()), in_second(second.begin(), second.end());
  std::vector<std::string> common;
  for (const std::string& name : first) {
    if (is_place(name)) continue;
    (in_second.contains(name) ? common : all.only_first).push_back(name);
  }
  for (const std::string& name : second) {
    if (!in_first.contains(name)) all.only_second.push_back(name);
  }
  all.compared = static_cast<Index>(common.size());
  for (Deviation& one : deviations_of(RunSeries(a, common), RunSeries(b, common), all.range, tolerance)) {
    if (one.at < 0) continue;
    if (one.first >= 0) all.first = all.first < 0 ? one.first : std::min(all.first, one.first);
    all.deviations.push_back(std::move(one));
  }
  all.rows = compare_rows(a, b, all.range, tolerance);
  for (const Deviation& one : all.rows.deviations) {
    if (one.first >= 0) all.first_row = all.first_row < 0 ? one.first : std::min(all.first_row, one.first);
    all.deviations.push_back(one);
  }
  std::stable_sort(all.deviations.begin(), all.deviations.end(),
                   [](const Deviation& x, const Deviation& y) { return x.worst > y.worst; });
  all.first_hash = first_other_hash(a, b, all.range);
  return all;
}

/// Why they count as different; empty: they do not. Within a tolerance a contact of one run alone counts by what it
/// pushes with and in the column of how many there are, and the algorithm that solved a step does not count.
std::string reason_of(const Comparison& all) {
  std::string text;
  const auto add = [&text](bool holds, const char* why) {
    if (holds) text += (text.empty() ? "" : "; ") + std::string(why);
  };
  add(all.apart, "the second began with a state that the first has at no step");
  add(!all.apart && all.range.count == 0, "no step to compare");
  add(all.lengths_differ, "other numbers of steps");
  add(!all.only_first.empty(), "columns or entries only in the first");
  add(!all.only_second.empty(), "columns or entries only in the second");
  add(all.first >= 0, "columns or entries differ");
  add(all.first_row >= 0, "contacts or events differ");
  add(all.tolerance == 0.0 && all.rows.contacts.step >= 0, "contacts only in one");
  add(all.rows.events.step >= 0, "events only in one");
  add(all.tolerance == 0.0 && all.rows.solver_step >= 0, "other algorithms");
  add(all.tolerance == 0.0 && all.first_hash >= 0, "hashes of states differ");
  return text;
}

bool same(const Comparison& all) { return reason_of(all).empty(); }

void print_json(const Comparison& all, std::ostream& out) {
  for (const Deviation& one : all.deviations) {
    out << JsonObject()
               .add("name", one.name)
               .add("worst", one.worst)
               .add("step", one.at)
               .add("first_step", one.first)
               .text()
        << '\n';
  }
  out << JsonObject()
             .add("same", same(all))
             .add("why", reason_of(all))
             .add("steps", all.range.count)
             .add("columns", all.compared)
             .add("first_step", all.first)
             .add("first_other_hash", all.first_hash)
             .add("contacts", all.rows.num_contacts)
             .add("contacts_only_first", all.rows.contacts.only_first)
             .add("contacts_only_second", all.rows.contacts.only_second)
             .add("first_unpaired_contact", all.rows.contacts.step)
             .add("events", all.rows.num_events)
             .add("events_only_first", all.rows.events.only_first)
             .add("events_only_second", all.rows.events.only_second)
             .add("first_unpaired_event", all.rows.events.step)
             .add("first_other_solver", all.rows.solver_step)
             .text()
      << '\n';
}

void print_text(const Comparison& all, const RunFile& a, const RunFile& b, std::ostream& out) {
  constexpr std::size_t most = 20;
  const auto list = [&](const char* what, const std::vector<std::string>& names) {
    if (names.empty()) return;
    out << what << names.size() << ":";
    for (std::size_t k = 0; k < std::min(most, names.size()); ++k) out << ' ' << printable(names[k]);
    out << (names.size() > most ? " ...\n" : "\n");
  };
  if (all.apart) out << "the second began with a state that the first has at no step\n";
  if (!all.apart && all.range.count == 0) {
    out << "no step to compare"
        << (all.restarted ? ": the second has none behind the state it began with, or the first has none behind it\n"
                          : "\n");
  }
  list("only in the first, ", all.only_first);
  list("only in the second, ", all.only_second);
  if (all.lengths_differ)
    out << "steps: " << a.num_steps() << " and " << b.num_steps() << "; " << all.range.count << " compared\n";
  for (std::size_t k = 0; k < std::min(most, all.deviations.size()); ++k) {
    const Deviation& one = all.deviations[k];
    out << printable(one.name) << ": apart by " << number(one.worst, 3) << " of its largest at step " << one.at;
    if (one.first >= 0) out << ", from step " << one.first << " on";
    out << '\n';
  }
  if (all.deviations.size() > most) out << all.deviations.size() - most << " more differ\n";
  const auto unpaired = [&out](const char* what, const Unpaired& rows) {
    if (rows.step < 0) return;
    out << what << " only in the first: " << rows.only_first << ", only in the second: " << rows.only_second
        << ", from step " << rows.step << " on\n";
  };
  unpaired("contacts", all.rows.contacts);
  unpaired("events", all.rows.events);
  if (all.rows.solver_step >= 0) {
    const auto name = [](const std::string& solver) { return solver.empty() ? "nothing" : printable(solver); };
    out << "solved by other algorithms from step " << all.rows.solver_step << " on: " << name(all.rows.first_solver)
        << " and " << name(all.rows.second_solver) << '\n';
  }
  if (all.first_hash >= 0) out << "states differ from step " << all.first_hash << " on (hashes)\n";
  if (!same(all)) return;
  const bool bits = all.deviations.empty() && all.rows.contacts.step < 0 && all.first_hash < 0;
  out << (bits ? "the same bits: " : "within the tolerance: ") << all.compared << " columns over " << all.range.count
      << " steps";
  if (all.rows.num_contacts > 0) out << ", " << all.rows.num_contacts << " rows of contacts";
  if (all.rows.num_events > 0) out << ", " << all.rows.num_events << " events";
  out << '\n';
}

}  // namespace

ExitCode compare(const CompareArguments& arguments, const Streams& streams) {
  const RunFile first(arguments.first), second(arguments.second);
  const Comparison all = compare_runs(first, second, arguments.tolerance, arguments.restarted);
  if (arguments.json)
    print_json(all, streams.out);
  else
    print_text(all, first, second, streams.out);
  return same(all) ? success : not_solved;
}

}  // namespace nonsmooth::command
