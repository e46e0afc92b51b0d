// SPDX-License-Identifier: Apache-2.0
// Where the rows of a one-step problem come from.
#include <nonsmooth/kernel/one_step_ns_problem.hpp>

#include <algorithm>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/guarded.hpp"

namespace nonsmooth {
namespace {

const OneStepNSProblem::Block& block_of(Index row, const OneStepNSProblem& problem) {
  if (row < 0 || row >= problem.num_rows()) {
    throw InvalidArgument("OneStepNSProblem: row", std::to_string(row),
                          "0 to " + std::to_string(problem.num_rows() - 1));
  }
  const auto after = std::upper_bound(problem.blocks.begin(), problem.blocks.end(), row,
                                      [](Index wanted, const auto& block) { return wanted < block.row; });
  return *(after - 1);  // the first block starts at row 0
}

std::vector<std::string> names_of(const OneStepNSProblem::Block& block, const OneStepNSProblem& problem) {
  std::vector<std::string> names;
  for (Index s = block.first_system; s < block.first_system + block.systems; ++s) {
    const auto system = static_cast<std::size_t>(problem.systems[static_cast<std::size_t>(s)]);
    names.push_back(problem.layout->systems[system].name);
  }
  return names;
}

}  // namespace

OneStepNSProblem::Origin OneStepNSProblem::origin(Index row) const {
  const Block& block = block_of(row, *this);
  Origin found;
  found.local = block.local + row - block.row;
  found.systems = names_of(block, *this);
  if (block.interaction < 0) {
    found.source = block.source;
    found.feature = block.feature;
  } else {
    const std::uint32_t slot = layout->interactions[static_cast<std::size_t>(block.interaction)].slot;
    found.interaction = InteractionHandle{layout->model, slot, layout->interaction_generation[slot]};
  }
  return found;
}

std::string OneStepNSProblem::place(Index row) const {
  const Block& block = block_of(row, *this);
  const std::vector<std::string> names = names_of(block, *this);
  if (block.interaction < 0 && (level == Level::Mode || level == Level::Jump))
    return "constraint " + std::to_string(block.local + row - block.row) + " of " + names[0];
  if (block.interaction < 0 && block.source < 0) return "the prescribed velocity of " + names[0];
  if (block.interaction < 0)
    return "the contact of " + names[0] + " and " + (names.size() > 1 ? names[1] : "the ground");
  return place_of_row(layout->interactions[static_cast<std::size_t>(block.interaction)].name,
                      block.local + row - block.row, names);
}

}  // namespace nonsmooth
