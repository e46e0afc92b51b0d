// SPDX-License-Identifier: Apache-2.0
#include "page_plots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include <nonsmooth/io/run_series.hpp>

#include "../json.hpp"
#include "../runs/entry_names.hpp"

namespace nonsmooth::scene {
namespace {

constexpr Index kMostCurves = 6, kMostOwners = 12;

/// The numbers of a plot's curves at the frames.
using Curve = std::pair<std::string, std::vector<float>>;

class Plots {
 public:
  explicit Plots(PageData& data) : data_(data) {}

  void add(const std::string& title, const std::vector<Curve>& curves, bool logarithmic = false) {
    add(title, "time [s]", "times", false, curves, logarithmic);
  }
  void add_phase(const std::string& title, const std::string& x_label, const std::vector<float>& x, const Curve& y) {
    add(title, x_label, store(x), true, {y}, false);
  }
  [[nodiscard]] std::string json() const { return "[" + json_ + "]"; }

 private:
  void add(const std::string& title, const std::string& x_label, const std::string& x, bool phase,
           const std::vector<Curve>& curves, bool logarithmic) {
    std::string list;
    for (const auto& [name, values] : curves) {
      if (!list.empty()) list += ", ";
      list += JsonObject().add("name", name).add("array", store(values)).text();
    }
    if (!json_.empty()) json_ += ", ";
    json_ += JsonObject()
                 .add("title", title)
                 .add("x_label", x_label)
                 .add("x", x)
                 .add("phase", phase)
                 .add("logarithmic", logarithmic)
                 .add_raw("curves", "[" + list + "]")
                 .text();
  }
  std::string store(const std::vector<float>& values) {
    const std::string name = "curve_" + std::to_string(stored_++);
    data_.add(name, values);
    return name;
  }

  PageData& data_;
  std::string json_;
  Index stored_ = 0;
};

std::vector<float> column_at(const RunFile& run, const std::string& name, const std::vector<Index>& steps) {
  const std::vector<double> all = run.column(name);
  std::vector<float> values;
  for (const Index step : steps) values.push_back(static_cast<float>(all[static_cast<std::size_t>(step)]));
  return values;
}

bool any_finite(const std::vector<float>& values) {
  return std::any_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

void add_figures(const RunFile& run, const std::vector<Index>& steps, Plots& plots) {
  std::vector<Curve> energies;
  for (const char* name : {"kinetic", "potential"}) {
    if (!run.has_column(name)) continue;
    std::vector<float> values = column_at(run, name, steps);
    if (any_finite(values)) energies.emplace_back(name, std::move(values));
  }
  if (energies.size() == 2) {
    std::vector<float> sum = energies[0].second;
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += energies[1].second[k];
    energies.emplace_back("sum", std::move(sum));
  }
  const bool mechanical = std::any_of(run.parts().begin(), run.parts().end(), [](const RunPart& part) {
    return std::any_of(part.systems.begin(), part.systems.end(), [](const RunSystem& s) { return !s.first_order; });
  });
  if (mechanical && !energies.empty()) plots.add("energy [J]", energies);
  if (run.has_column("residual")) {
    std::vector<float> values = column_at(run, "residual", steps);
    for (float& value : values) {
      if (!(value > 0.0f)) value = std::numeric_limits<float>::quiet_NaN();  // solved exactly, or nothing to solve
    }
    if (any_finite(values)) plots.add("residual of the step's problem", {{"residual", std::move(values)}}, true);
  }
  if (run.has_column("contacts")) {
    std::vector<float> values = column_at(run, "contacts", steps);
    if (std::any_of(values.begin(), values.end(), [](float value) { return value > 0.0f; })) {
      plots.add("contacts that act", {{"contacts", std::move(values)}});
    }
  }
}

/// Entries of one owner: "q" of "ball" are ball.q1, ball.q2, ...
struct Group {
  std::string owner;
  const char* symbol = "";
  Index number = 0;  ///< of the owner, in the order in which they come
  Index count = 0;   ///< of the part that has most
};

/// The states and multipliers to be plotted, those of all parts.
class Groups {
 public:
  /// Entries [first, first + count) of an array, where the part keeps them. The symbols are those of RunSeries.
  void add(const RunPart& part, const std::string& owner, const char* symbol, RunArray array, Index first,
           Index count) {
    if (count <= 0 || first + count > part.sizes[static_cast<std::size_t>(array)]) return;
    const Index number = owners_.try_emplace(owner, num_owners()).first->second;
    const auto [at, is_new] = known_.try_emplace({owner, symbol}, groups_.size());
    if (is_new) groups_.push_back({owner, symbol, number, 0});
    groups_[at->second].count = std::max(groups_[at->second].count, count);
  }
  [[nodiscard]] const std::vector<Group>& all() const { return groups_; }
  [[nodiscard]] Index num_owners() const { return static_cast<Index>(owners_.size()); }

 private:
  std::vector<Group> groups_;
  std::map<std::string, Index> owners_;
  std::map<std::pair<std::string, std::string>, std::size_t> known_;
};

void add_systems(const RunPart& part, const std::vector<Index>& bodies, Groups& groups) {
  runs::EntryNames names("system");
  for (std::size_t s = 0; s < part.systems.size(); ++s) {
    const RunSystem& system = part.systems[s];
    const std::string name = names.next(system.name);
    if (bodies[s] >= 0) continue;
    if (!system.first_order) groups.add(part, name, "q", RunArray::Positions, system.q, system.nq);
    groups.add(part, name, system.first_order ? "x" : "v", RunArray::Unknowns, system.z, system.n);
  }
}

void add_interactions(const RunPart& part, const std::vector<Index>& bodies, Groups& groups) {
  runs::EntryNames names("interaction");
  const auto drawn = [&](Index system) { return bodies[static_cast<std::size_t>(system)] >= 0; };
  for (const RunInteraction& one : part.interactions) {
    const std::string name = names.next(one.name);
    if (std::any_of(one.systems.begin(), one.systems.end(), drawn)) continue;
    groups.add(part, name, one.first_order ? "lambda" : "p", RunArray::Multipliers, one.row, one.rows);
  }
}

/// Of a column whose steps lie between two frames: impulses add up, and an instant that is no frame is not lost.
double sum_of(const RunRows& rows, Index column) {
  double sum = std::numeric_limits<double>::quiet_NaN();
  for (Index k = 0; k < rows.rows(); ++k) {
    const double value = rows(k, column);
    if (!std::isnan(value)) sum = std::isnan(sum) ? value : sum + value;
  }
  return sum;
}

/// The curves of some groups at the frames, read together: values of the frame's step, impulses ("p") since the frame
/// before.
class Curves {
 public:
  Curves(const RunFile& run, const std::vector<Group>& groups, const std::vector<Index>& steps) {
    std::vector<std::string> names;
    std::vector<bool> adds;
    bool any = false;
    for (const Group& group : groups) {
      for (Index k = 0; k < std::min(group.count, kMostCurves); ++k) {
        columns_.emplace(name_of(group, k), names.size());
        names.push_back(name_of(group, k));
        adds.push_back(group.symbol == std::string_view("p"));
        any = any || adds.back();
      }
    }
    const RunSeries series(run, names);
    columns_of_frames_.assign(names.size(), {});
    Index begin = steps.front();
    for (const Index step : steps) {
      const RunRows rows = series.rows(any ? begin : step, step + 1);
      for (std::size_t c = 0; c < names.size(); ++c) {
        const auto column = static_cast<Index>(c);
        const double value = adds[c] ? sum_of(rows, column) : rows(rows.rows() - 1, column);
        columns_of_frames_[c].push_back(static_cast<float>(value));
      }
      begin = step + 1;
    }
  }
  [[nodiscard]] const std::vector<float>& of(const Group& group, Index entry) const {
    return columns_of_frames_[columns_.at(name_of(group, entry))];
  }
  [[nodiscard]] std::vector<Curve> of(const Group& group) const {
    const Index count = std::min(group.count, kMostCurves);
    const std::string symbol = group.symbol;
    std::vector<Curve> curves;
    for (Index k = 0; k < count; ++k)
      curves.emplace_back(group.count == 1 ? symbol : symbol + std::to_string(k + 1), of(group, k));
    return curves;
  }

 private:
  static std::string name_of(const Group& group, Index entry) {
    return group.owner + "." + group.symbol + std::to_string(entry + 1);
  }

  std::map<std::string, std::size_t> columns_;
  std::vector<std::vector<float>> columns_of_frames_;
};

/// Plots of the chosen groups, phase portraits of systems of two numbers before them.
void add_groups(const std::vector<Group>& groups, const Curves& curves, bool thinned, Plots& plots) {
  const std::string impulse = thinned ? "impulse since the frame before" : "impulse";
  const auto is = [](const Group& group, const char* symbol) { return group.symbol == std::string_view(symbol); };
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Group& group = groups[g];
    if (is(group, "x") && group.count == 2)
      plots.add_phase(group.owner + ": phase portrait", "x1", curves.of(group, 0), {"x2", curves.of(group, 1)});
    if (is(group, "q") && group.count == 1 && g + 1 < groups.size() && groups[g + 1].owner == group.owner &&
        groups[g + 1].count == 1) {
      plots.add_phase(group.owner + ": phase portrait", "q", curves.of(group, 0), {"v", curves.of(groups[g + 1], 0)});
    }
    plots.add(group.owner + ": " + (is(group, "p") ? impulse : group.symbol), curves.of(group));
  }
}

/// States and multipliers; returns what is left out.
std::string add_states(const RunFile& run, const std::vector<Index>& steps,
                       const std::vector<std::vector<Index>>& bodies, Plots& plots) {
  Groups groups;
  for (std::size_t p = 0; p < bodies.size(); ++p) add_systems(run.parts()[p], bodies[p], groups);
  for (std::size_t p = 0; p < bodies.size(); ++p) add_interactions(run.parts()[p], bodies[p], groups);
  std::vector<Group> chosen = groups.all();
  std::erase_if(chosen, [](const Group& group) { return group.number >= kMostOwners; });
  if (chosen.empty()) return {};
  add_groups(chosen, Curves(run, chosen, steps), static_cast<Index>(steps.size()) < run.num_steps(), plots);
  std::string left_out;
  if (groups.num_owners() > kMostOwners) {
    left_out = "of " + std::to_string(groups.num_owners()) + " systems and interactions the first " +
               std::to_string(kMostOwners) + " are plotted";
  }
  if (std::any_of(chosen.begin(), chosen.end(), [](const Group& group) { return group.count > kMostCurves; })) {
    left_out += (left_out.empty() ? "" : "; ") + std::string("of plots the first ") + std::to_string(kMostCurves) +
                " curves are shown";
  }
  return left_out;
}

}  // namespace

PagePlots add_plots(const RunFile& run, const std::vector<Index>& steps, const std::vector<std::vector<Index>>& bodies,
                    PageData& data) {
  Plots plots(data);
  PagePlots page;
  page.left_out = add_states(run, steps, bodies, plots);
  add_figures(run, steps, plots);
  page.json = plots.json();
  return page;
}

}  // namespace nonsmooth::scene
