// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/analysis/examine.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

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
  State here = state;
  update_outputs(model, here);
  ModelExamination found;
  for (const detail::Island& island : detail::find_islands(model, here)) {
    if (island.first_order) {
      found.first_order.push_back(detail::examine_first_order(model, here, island, options));
    } else {
      found.mechanical.push_back(detail::examine_mechanical(model, here, island, options));
    }
  }
  found.jump = detail::examine_jump(model, here);
  found.step = detail::advise_step(found, options);
  detail::examine_schemes(model, here, found);
  return found;
}

ModelExamination examine(const NonSmoothDynamicalSystem& model, const ExaminationOptions& options) {
  return examine(model, model.initial_state(), options);
}

}  // namespace nonsmooth::analysis
