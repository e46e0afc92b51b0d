// SPDX-License-Identifier: Apache-2.0
// FilippovSystems whose motion is not determined where steps slide.
#include <algorithm>
#include <utility>

#include "analysis/run_remarks.hpp"
#include "model/guarded.hpp"
#include "model/switched/filippov.hpp"
#include "run_watch.hpp"

namespace nonsmooth::stages {
namespace {

/// A pattern of signs with less of the weights is one that x left, to the tolerance of one-step problems.
constexpr double kNoWeight = 1e-6;
/// Of the terms of c: steps end on surfaces to the tolerance of their problems.
constexpr double kOnSurface = 1e-6;

/// Surfaces with weights on both of their sides.
void find_held(const FilippovFields& fields, const double* lambda, std::vector<char>& held) {
  for (Index j = 0; j < fields.num_surfaces(); ++j) {
    double above = 0.0, below = 0.0;
    if (fields.is_hull()) {
      for (Index i = 0; i < fields.num_patterns(); ++i) (i >> j & 1 ? above : below) += lambda[i];
    } else {
      above = lambda[j];
      below = 1.0 - lambda[j];
    }
    held[static_cast<std::size_t>(j)] = std::min(above, below) > kNoWeight ? 1 : 0;
  }
}

/// The part of a pattern in the field that the step took.
double weight_of(const FilippovFields& fields, const double* lambda, Index pattern) {
  if (fields.is_hull()) return lambda[pattern];
  double weight = 1.0;
  for (Index j = 0; j < fields.num_surfaces(); ++j) weight *= pattern >> j & 1 ? lambda[j] : 1.0 - lambda[j];
  return weight;
}

/// What else than its fields moved x in the step: (x_{k+1} - x_k) / h - F theta. Motions are then those that leave the
/// reactions of other relations as they are.
void find_input(const TakenStep& step, const FilippovFields& fields, RunWatch::Switched& one) {
  one.input = (one.x - step.solution.z.segment(one.z, fields.n())) / step.discretisation.h;
  one.field.resize(fields.n());
  for (Index pattern = 0; pattern < fields.num_patterns(); ++pattern) {
    const double weight = weight_of(fields, step.state.multipliers.data() + one.row, pattern);
    if (weight == 0.0) continue;
    one.field.setZero();
    fields.field(fields.region_of(pattern), step.report.t, one.x, one.field);
    one.input -= weight * one.field;
  }
}

}  // namespace

std::vector<RunWatch::Switched> switched_systems(const NonSmoothDynamicalSystem& model) {
  std::vector<RunWatch::Switched> list;
  const Layout& layout = *model.layout();
  for (const Layout::System& place : layout.systems) {
    const Layout::Interaction* own = filippov::interaction_of_fields(model, place);
    if (!own) continue;
    const auto& record = model.systems()[place.slot];
    const auto* process = dynamic_cast<const FilippovProcess*>(record.first_order);
    const auto relations = std::count_if(
        layout.interactions.begin(), layout.interactions.end(), [&](const Layout::Interaction& interaction) {
          const auto& systems = model.interactions()[interaction.slot].systems;
          return std::find(systems.begin(), systems.end(), place.slot) != systems.end();
        });
    const filippov::FilippovUnit::Place of_unit{.num_unknowns = process->fields()->n(), .num_rows = own->rows};
    list.push_back({.unit = {process->fields(), record.name, InteractionHandle{}, of_unit,
                             EventDrivenOptions{.thresholds = {.position = kOnSurface}}},
                    .z = place.z,
                    .row = own->row,
                    .beside_others = relations > 1,
                    .held = std::vector<char>(static_cast<std::size_t>(process->fields()->num_surfaces()), 0)});
    list.back().now = list.back().held;
    list.back().largest = process->initial_state().cwiseAbs();
  }
  return list;
}

void watch_switched(const TakenStep& step, std::vector<RunWatch::Switched>& switched, RunRemarks& noticed) {
  for (RunWatch::Switched& one : switched) {
    const FilippovFields& fields = one.unit.fields();
    find_held(fields, step.state.multipliers.data() + one.row, one.now);
    one.x = step.state.unknowns.segment(one.z, fields.n());
    one.largest = one.largest.cwiseMax(one.x.cwiseAbs());
    const bool changed = one.now != one.held;
    one.held = one.now;
    if (!std::exchange(one.pending, changed) || changed) continue;
    if (std::none_of(one.held.begin(), one.held.end(), [](char held) { return held != 0; })) continue;
    std::vector<Event> happened;
    one.unit.reset();
    one.unit.reach(one.largest);
    try {
      if (one.beside_others) {
        find_input(step, fields, one);
        one.unit.set_input(one.input);
      }
      const instants::Resolution resolution = one.unit.resolve(step.report.t, one.x, {}, happened);
      if (resolution.outcome != instants::Resolution::Outcome::Ambiguous) continue;
    } catch (const CallableFailure&) {  // a function that cannot be asked beside x: nothing is known
      continue;
    }
    const auto others = static_cast<double>(std::max<std::size_t>(one.unit.others().size(), 2) - 1);
    add_remark(RunRemark::Kind::SeveralAnswers, one.unit.name(), step.report.t, others, noticed);
  }
}

}  // namespace nonsmooth::stages
