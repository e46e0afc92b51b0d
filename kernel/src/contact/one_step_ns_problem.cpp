// SPDX-License-Identifier: Apache-2.0
// Where the rows of a one-step problem come from.
#include <nonsmooth/kernel/one_step_ns_problem.hpp>

#include <algorithm>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/guarded.hpp"
#include "place_of_problem_row.hpp"

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

/// Of the i-th system that the block acts on.
const std::string& name_of_system(const OneStepNSProblem::Block& block, const OneStepNSProblem& problem,
                                  std::size_t i) {
  const Index system = problem.systems[static_cast<std::size_t>(block.first_system) + i];
  return problem.layout->systems[static_cast<std::size_t>(system)].name;
}

}  // namespace

OneStepNSProblem::Origin OneStepNSProblem::origin(Index row) const {
  const Block& block = block_of(row, *this);
  Origin found;
  found.local = block.local + row - block.row;
  for (std::size_t i = 0; i < static_cast<std::size_t>(block.systems); ++i)
    found.systems.push_back(name_of_system(block, *this, i));
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
  std::string text;
  append_place(*this, row, text);
  return text;
}

void append_place(const OneStepNSProblem& problem, Index row, std::string& text) {
  using Level = OneStepNSProblem::Level;
  const OneStepNSProblem::Block& block = block_of(row, problem);
  const Index local = block.local + row - block.row;
  const auto name = [&](std::size_t i) -> const std::string& { return name_of_system(block, problem, i); };
  if (block.interaction >= 0) {
    const auto& interaction = problem.layout->interactions[static_cast<std::size_t>(block.interaction)];
    append_place_of_row(interaction.name, local, static_cast<std::size_t>(block.systems), name, text);
  } else if (problem.level == Level::Mode || problem.level == Level::Jump) {
    (text += "constraint ").append(std::to_string(local)).append(" of ").append(name(0));
  } else if (block.source < 0) {
    (text += "the prescribed velocity of ").append(name(0));
  } else {
    (text += "the contact of ").append(name(0)).append(" and ");
    text += block.systems > 1 ? name(1) : "the ground";
  }
}

std::size_t longest_place(const Layout& layout) {
  constexpr std::size_t kOwnWords = 96;  // of the texts themselves, with numbers of 20 digits
  constexpr std::size_t kBetween = 5;    // " and "
  std::size_t system = 0, interaction = 0;
  for (const Layout::System& one : layout.systems) system = std::max(system, one.name.size());
  for (const Layout::Interaction& one : layout.interactions) interaction = std::max(interaction, one.name.size());
  return kOwnWords + interaction + kMostNames * (system + kBetween);
}

}  // namespace nonsmooth
