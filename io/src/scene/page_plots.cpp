// SPDX-License-Identifier: Apache-2.0
#include "page_plots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "../json.hpp"

namespace nonsmooth::scene {
namespace {

constexpr Index kMostCurves = 6, kMostStatePlots = 12;

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
  const auto& systems = run.parts().front().systems;
  const bool mechanical =
      std::any_of(systems.begin(), systems.end(), [](const RunSystem& s) { return !s.first_order; });
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

/// Entries [first, first + count) of an array at the frames; NaN in parts where it is shorter.
std::vector<std::vector<float>> entries_at(const RunFile& run, RunArray array, Index first, Index count,
                                           const std::vector<Index>& steps) {
  std::vector<std::vector<float>> values(static_cast<std::size_t>(count));
  for (const Index step : steps) {
    const auto part = static_cast<std::size_t>(run.part_of(step));
    const bool there = run.parts()[part].sizes[static_cast<std::size_t>(array)] >= first + count;
    const Eigen::VectorXd row = there ? run.row(array, step) : Eigen::VectorXd();
    for (Index k = 0; k < count; ++k) {
      values[static_cast<std::size_t>(k)].push_back(there ? static_cast<float>(row[first + k])
                                                          : std::numeric_limits<float>::quiet_NaN());
    }
  }
  return values;
}

std::vector<Curve> named(const std::string& symbol, std::vector<std::vector<float>> values) {
  std::vector<Curve> curves;
  for (std::size_t k = 0; k < values.size(); ++k) {
    curves.emplace_back(values.size() == 1 ? symbol : symbol + std::to_string(k + 1), std::move(values[k]));
  }
  return curves;
}

void add_states(const RunFile& run, const std::vector<Index>& steps, const std::vector<Index>& bodies, Plots& plots) {
  const RunPart& part = run.parts().front();
  Index left = kMostStatePlots;
  for (std::size_t s = 0; s < part.systems.size(); ++s) {
    if (bodies[s] >= 0) continue;
    if (left-- <= 0) return;
    const RunSystem& system = part.systems[s];
    const Index n = std::min(system.n, kMostCurves), nq = std::min(system.nq, kMostCurves);
    auto unknowns = entries_at(run, RunArray::Unknowns, system.z, n, steps);
    if (system.first_order) {
      if (n == 2) plots.add_phase(system.name + ": phase portrait", "x1", unknowns[0], {"x2", unknowns[1]});
      plots.add(system.name + ": x", named("x", std::move(unknowns)));
    } else {
      auto positions = entries_at(run, RunArray::Positions, system.q, nq, steps);
      if (n == 1 && nq == 1) plots.add_phase(system.name + ": phase portrait", "q", positions[0], {"v", unknowns[0]});
      plots.add(system.name + ": q", named("q", std::move(positions)));
      plots.add(system.name + ": v", named("v", std::move(unknowns)));
    }
  }
  const auto drawn = [&](Index system) { return bodies[static_cast<std::size_t>(system)] >= 0; };
  for (const RunInteraction& interaction : part.interactions) {
    if (std::any_of(interaction.systems.begin(), interaction.systems.end(), drawn)) continue;
    if (left-- <= 0) return;
    const Index rows = std::min(interaction.rows, kMostCurves);
    plots.add(interaction.name + (interaction.first_order ? ": lambda" : ": impulse"),
              named(interaction.first_order ? "lambda" : "p",
                    entries_at(run, RunArray::Multipliers, interaction.row, rows, steps)));
  }
}

}  // namespace

std::string add_plots(const RunFile& run, const std::vector<Index>& steps, const std::vector<Index>& bodies,
                      PageData& data) {
  Plots plots(data);
  add_states(run, steps, bodies, plots);
  add_figures(run, steps, plots);
  return plots.json();
}

}  // namespace nonsmooth::scene
