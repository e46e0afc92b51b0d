// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/time_stepping.hpp>

namespace nonsmooth::dump_test {

/// A body on a line.
inline LagrangianLinearSystem on_line(std::string name, double q0, double force = 0.0) {
  return {.force = {force}, .q0 = {q0}, .name = std::move(name)};
}

/// Six blocks in a row, pressed against a wall by the last: one sweep of Gauss and Seidel, from the wall outwards, does
/// not solve their step.
inline NonSmoothDynamicalSystem pressed_blocks() {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> blocks;
  for (int k = 0; k < 6; ++k)
    blocks.push_back(model.add(on_line("block " + std::to_string(k), 0.0, k == 5 ? -10.0 : 0.0)));
  model.link(blocks[0], LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{}, "wall");
  for (std::size_t k = 1; k < 6; ++k) {
    model.link({blocks[k - 1], blocks[k]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, NewtonImpactLaw{},
               "face " + std::to_string(k));
  }
  return model;
}
constexpr double kTolerance = 1e-7;
inline TimeSteppingOptions one_sweep(OnFailure on_failure) {
  return {
      .step = 0.125, .solver = mixed::GaussSeidel{.tolerance = kTolerance, .max_sweeps = 1}, .on_failure = on_failure};
}

/// Two pistons that must not stop meet a block from both sides after 0.25 s: then no impulse satisfies both faces.
/// `left_face`: gets the handle of one of them, without which the block can leave.
inline NonSmoothDynamicalSystem pistons(InteractionHandle* left_face = nullptr) {
  NonSmoothDynamicalSystem model;
  auto left = on_line("left piston", 0.0), right = on_line("right piston", 1.0);
  left.prescribed = {{.component = 0, .velocity = [](double) { return 1.0; }}};
  right.prescribed = {{.component = 0, .velocity = [](double) { return -1.0; }}};
  const auto one = model.add(left), other = model.add(right), block = model.add(on_line("block", 0.5));
  const auto left_of_block = model.link({one, block}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .b = {-0.25}},
                                        NewtonImpactLaw{}, "left face");
  if (left_face) *left_face = left_of_block;
  model.link({block, other}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .b = {-0.25}}, NewtonImpactLaw{},
             "right face");
  return model;
}

}  // namespace nonsmooth::dump_test
