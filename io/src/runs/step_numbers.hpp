// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <nonsmooth/kernel/energies.hpp>
#include <nonsmooth/kernel/simulation.hpp>

namespace nonsmooth::runs {

/// What a Recorder keeps of each step beside arrays, in the order of step_numbers().
inline constexpr std::array<std::string_view, 24> step_columns = {"t",
                                                                  "length",
                                                                  "outcome",
                                                                  "taken",
                                                                  "solver_status",
                                                                  "at_round_off",
                                                                  "rows",
                                                                  "solver_iterations",
                                                                  "newton_iterations",
                                                                  "projections",
                                                                  "subdivisions",
                                                                  "residual",
                                                                  "error",
                                                                  "scale",
                                                                  "round_off",
                                                                  "row_residual",
                                                                  "worst_row",
                                                                  "worst_relative_row",
                                                                  "asleep",
                                                                  "energy_taken",
                                                                  "penetration",
                                                                  "approach",
                                                                  "kinetic",
                                                                  "potential"};

using StepNumbers = std::array<double, step_columns.size()>;

[[nodiscard]] inline StepNumbers step_numbers(double t, double length, const StepReport& step,
                                              const Energies& energies) {
  return {t,
          length,
          static_cast<double>(step.outcome),
          step.taken ? 1.0 : 0.0,
          static_cast<double>(step.solver),
          step.at_round_off ? 1.0 : 0.0,
          static_cast<double>(step.rows),
          static_cast<double>(step.solver_iterations),
          static_cast<double>(step.newton_iterations),
          static_cast<double>(step.projections),
          static_cast<double>(step.subdivisions),
          step.certificate.residual,
          step.certificate.error,
          step.certificate.scale,
          step.certificate.round_off,
          step.certificate.row_residual,
          static_cast<double>(step.certificate.worst_row),
          static_cast<double>(step.certificate.worst_relative_row),
          static_cast<double>(step.asleep),
          step.energy_taken,
          step.penetration,
          step.approach,
          energies.kinetic,
          energies.potential};
}

/// The last two of step_columns.
inline void set_energies(StepNumbers& numbers, const Energies& energies) {
  numbers[numbers.size() - 2] = energies.kinetic;
  numbers[numbers.size() - 1] = energies.potential;
}

}  // namespace nonsmooth::runs
