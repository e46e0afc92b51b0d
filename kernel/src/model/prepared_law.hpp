// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/nonsmooth_law.hpp>
#include <nonsmooth/kernel/state.hpp>

namespace nonsmooth {

/// A law as linked: its shape, and its block (at rest, where it varies).
struct PreparedLaw : LawShape, LawBlock {
  std::shared_ptr<const NonSmoothLaw> law;
  LawUse use{};

  [[nodiscard]] bool has_impacts() const noexcept { return impact.kind != ImpactRule::Kind::None; }
  /// The block, or the two at rest and at slip, is all there is to the law beside its impact rule.
  [[nodiscard]] bool is_its_block() const noexcept {
    return (varies == LawVaries::Never || varies == LawVaries::Slip) && !shifts && !decides && memory == 0;
  }
  /// What it holds is y = 0 of positions, and neither a force nor a rate.
  [[nodiscard]] bool is_of_positions() const noexcept {
    return !unilateral && !shifts && level == LawLevel::Velocity && coupling.size() == 0 && offset.size() == 0;
  }
  /// Row r of the block is held at y = 0: of EqualityLaw, or one of the first of friction in a joint.
  [[nodiscard]] bool holds(Index row) const;
  /// Seen from its symmetric part, a diagonal without negative entries.
  [[nodiscard]] bool has_monotone_coupling() const;
  /// The block of a contact that slides, whatever its speed.
  [[nodiscard]] LawBlock block_that_slides() const;
};

/// An impact that time-stepping solves by itself, before the problem of the step.
[[nodiscard]] inline bool is_separate(ImpactRule::Kind kind) noexcept {
  return kind == ImpactRule::Kind::Poisson || kind == ImpactRule::Kind::LiuZhaoBrogliato;
}

/// What a state knows of a block, whose first row and memory begin there; `iterate` by state row.
[[nodiscard]] inline LawContext law_context(const PreparedLaw& law, const State& state, double h, Index row,
                                            Index memory, const Eigen::VectorXd& iterate) {
  return {.use = law.use,
          .h = h,
          .t = state.t,
          .last_step = state.last_step,
          .y = state.outputs.segment(row, law.size),
          .u = state.velocities.segment(row, law.size),
          .multiplier = state.multipliers.segment(row, law.size),
          .memory = state.law_memory.segment(memory, law.memory),
          .iterate = iterate.segment(row, law.size)};
}

namespace describe {

/// @throws InvalidArgument a null pointer, a parameter out of range, a block that does not fit its shape; where the law
/// asks for what the relation cannot give, with the reason.
[[nodiscard]] PreparedLaw prepare_law(std::shared_ptr<const NonSmoothLaw> law, LawUse use);

}  // namespace describe
}  // namespace nonsmooth
