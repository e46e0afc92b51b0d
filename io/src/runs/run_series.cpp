// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/run_series.hpp>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <nonsmooth/numerics/error.hpp>

#include "entry_names.hpp"

namespace nonsmooth {
namespace {

void add_entries(const std::string& owner, const char* symbol, RunArray array, Index first, Index count,
                 const RunPart& part, std::vector<RunEntry>& entries) {
  if (first + count > part.sizes[static_cast<std::size_t>(array)]) return;  // this run does not keep them
  for (Index k = 0; k < count; ++k) {
    entries.push_back({owner + "." + symbol + std::to_string(k + 1), array, first + k});
  }
}

/// What may have been meant: names that share the longest beginning.
std::string near_to(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t most = 8;
  const auto shared = [&](const std::string& other) {
    return static_cast<std::size_t>(std::mismatch(name.begin(), name.end(), other.begin(), other.end()).first -
                                    name.begin());
  };
  std::vector<std::string> nearest = known;
  std::stable_sort(nearest.begin(), nearest.end(),
                   [&](const std::string& a, const std::string& b) { return shared(a) > shared(b); });
  std::string text;
  for (std::size_t k = 0; k < std::min(most, nearest.size()); ++k) text += (k > 0 ? ", " : "") + nearest[k];
  return text + (nearest.size() > most ? ", ..." : "");
}

}  // namespace

std::vector<RunEntry> entries_of(const RunPart& part) {
  std::vector<RunEntry> entries;
  runs::EntryNames systems("system"), interactions("interaction");
  for (const RunSystem& system : part.systems) {
    const std::string name = systems.next(system.name);
    add_entries(name, "q", RunArray::Positions, system.q, system.nq, part, entries);
    add_entries(name, system.first_order ? "x" : "v", RunArray::Unknowns, system.z, system.n, part, entries);
  }
  for (const RunInteraction& interaction : part.interactions) {
    const std::string name = interactions.next(interaction.name);
    const auto add = [&](const char* symbol, RunArray array) {
      add_entries(name, symbol, array, interaction.row, interaction.rows, part, entries);
    };
    add("y", RunArray::Outputs);
    if (interaction.first_order) {
      add("lambda", RunArray::Multipliers);
      continue;
    }
    add("u", RunArray::Velocities);
    add("p", RunArray::Multipliers);
    add("percussion", RunArray::Percussions);
    add("f", RunArray::Forces);
  }
  return entries;
}

std::vector<std::string> series_names(const RunFile& run) {
  std::vector<std::string> names = run.columns();
  std::unordered_set<std::string> seen(names.begin(), names.end());
  for (const RunPart& part : run.parts()) {
    for (RunEntry& entry : entries_of(part)) {
      if (seen.insert(entry.name).second) names.push_back(std::move(entry.name));
    }
  }
  return names;
}

RunSeries::RunSeries(const RunFile& run, std::vector<std::string> names) : run_(run), names_(std::move(names)) {
  std::vector<char> found(names_.size(), 0);
  std::unordered_map<std::string_view, Index> others;
  for (std::size_t c = 0; c < names_.size(); ++c) {
    if (run.has_column(names_[c])) {
      columns_.push_back(static_cast<Index>(c));
      found[c] = 1;
    } else {
      others.emplace(names_[c], static_cast<Index>(c));
    }
  }
  for (const RunPart& part : run.parts()) {
    std::vector<Place>& places = places_.emplace_back();
    if (others.empty()) continue;
    for (const RunEntry& entry : entries_of(part)) {
      const auto at = others.find(entry.name);
      if (at == others.end()) continue;
      places.push_back({at->second, entry.array, entry.entry});
      found[static_cast<std::size_t>(at->second)] = 1;
    }
    std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.array < b.array; });
  }
  const auto missing = std::find(found.begin(), found.end(), 0);
  if (missing == found.end()) return;
  const std::string& name = names_[static_cast<std::size_t>(missing - found.begin())];
  throw InvalidArgument("name", "'" + name + "'", "a column or an entry: " + near_to(name, series_names(run)));
}

RunRows RunSeries::rows(Index begin, Index end) const {
  RunRows values =
      RunRows::Constant(end - begin, static_cast<Index>(names_.size()), std::numeric_limits<double>::quiet_NaN());
  for (const Index c : columns_) {
    const std::vector<double> column = run_.column(names_[static_cast<std::size_t>(c)], begin, end);
    for (Index k = 0; k < end - begin; ++k) values(k, c) = column[static_cast<std::size_t>(k)];
  }
  for (std::size_t p = 0; p < places_.size(); ++p) {
    const RunPart& part = run_.parts()[p];
    const Index from = std::max(begin, part.first_step), to = std::min(end, part.first_step + part.num_steps);
    if (from >= to) continue;
    RunRows piece;
    const Place* before = nullptr;
    for (const Place& place : places_[p]) {
      if (!before || before->array != place.array) piece = run_.rows(place.array, from, to);
      before = &place;
      values.col(place.column).segment(from - begin, to - from) = piece.col(place.entry);
    }
  }
  return values;
}

std::vector<double> series_of(const RunFile& run, std::string_view name, Index begin, Index end) {
  const RunRows rows = RunSeries(run, {std::string(name)}).rows(begin, end < 0 ? run.num_steps() : end);
  return {rows.data(), rows.data() + rows.rows()};
}

}  // namespace nonsmooth
