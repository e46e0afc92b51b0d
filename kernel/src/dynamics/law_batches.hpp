// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "relation_caches.hpp"

namespace nonsmooth {

/// What the blocks of a batch are asked in.
struct LawBatch::Stage {
  const std::vector<LawPlace>& places;  ///< all; the batch is [begin, end)
  Index begin = 0, end = 0;
  const State& state;
  double h = 0.0;
  const Eigen::VectorXd& iterate;     ///< by state row
  bool first = true;                  ///< of the iterate
  double* shifts = nullptr;           ///< by state row, where shifts are asked for
  Eigen::VectorXd* memory = nullptr;  ///< where it is committed
};

namespace stages {

/// Lists the blocks of laws that are asked in a step, those of one class together. After the interactions are known.
void group_laws(RelationCaches& relations);
/// The blocks of laws that vary, at t_k or at the iterate.
void evaluate_law_blocks(const StepView& step, const Iterate& iterate, RelationCaches& relations);
/// RelationCaches::law_activities of laws that decide.
void evaluate_law_activities(const StepView& step, RelationCaches& relations);
/// RelationCaches::law_shifts of the blocks that RelationCaches::law_acts marks.
void evaluate_law_shifts(const StepView& step, RelationCaches& relations);
/// RelationCaches::law_errors of laws that vary with the iterate, at the multipliers that a linearised step gave.
void evaluate_law_errors(double tolerance, const StepView& step, const Eigen::VectorXd& multipliers,
                         RelationCaches& relations);

}  // namespace stages
}  // namespace nonsmooth
