// SPDX-License-Identifier: Apache-2.0
#include "problem_origins.hpp"

namespace nonsmooth::events {

void clear_origins(const MechanicalModel& model, OneStepNSProblem& problem) {
  problem.layout = model.shared_layout();
  problem.blocks.clear();
  problem.systems.clear();
}

void add_origin(const MechanicalModel& model, const Contact& contact, Index size, OneStepNSProblem& problem) {
  OneStepNSProblem::Block block;
  block.row = problem.num_rows();
  block.size = size;
  block.first_system = static_cast<Index>(problem.systems.size());
  block.interaction = contact.interaction;
  block.local = contact.interaction < 0 ? contact.prescribed->component : contact.local - contact.lead();
  model.append_systems(contact, problem.systems);
  block.systems = static_cast<Index>(problem.systems.size()) - block.first_system;
  problem.blocks.push_back(block);
}

}  // namespace nonsmooth::events
