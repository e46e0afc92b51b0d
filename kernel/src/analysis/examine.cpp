// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/analysis/examine.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/outputs.hpp"
#include "partition.hpp"

namespace nonsmooth::analysis {

void ExaminationOptions::validate() const {
  check::range("penetration", penetration, 0.0, std::numeric_limits<double>::max());
  check::positive("steps_a_period", steps_a_period);
  check::at_least("most_states", most_states, 1);
  if (most_exact < 1 || most_exact > 24) throw InvalidArgument("most_exact", std::to_string(most_exact), "1 to 24");
}

ModelExamination examine(const NonSmoothDynamicalSystem& model, const State& state, const ExaminationOptions& options) {
  options.validate();
  if (!state.layout() || state.layout()->revision != model.layout()->revision)
    throw InvalidArgument("state", "a state of another revision", "one of the model's present revision");
  require_sound(state);
  State here = state;
  update_outputs(model, here);
  ModelExamination found;
  // What a callable throws ends the examination of its island.
  const auto examined = [&](const detail::Island& island, auto&& examine_island, auto& list) {
    try {
      list.push_back(examine_island(model, here, island, options));
    } catch (const std::exception& failure) {
      list.emplace_back();
      for (const Index s : island.systems)
        list.back().systems.push_back(here.layout()->systems[static_cast<std::size_t>(s)].name);
      list.back().why_not = failure.what();
    }
  };
  for (const detail::Island& island : detail::find_islands(model, here)) {
    if (island.first_order) {
      examined(island, detail::examine_first_order, found.first_order);
    } else {
      examined(island, detail::examine_mechanical, found.mechanical);
    }
  }
  found.step = detail::advise_step(found, options);
  detail::examine_schemes(model, here, options, found);
  return found;
}

ModelExamination examine(const NonSmoothDynamicalSystem& model, const ExaminationOptions& options) {
  return examine(model, model.initial_state(), options);
}

}  // namespace nonsmooth::analysis
