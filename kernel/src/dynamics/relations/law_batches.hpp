// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "model/guarded.hpp"
#include "relation_caches.hpp"

namespace nonsmooth {

/// What the blocks of a batch are asked in; vectors by their first entry.
struct LawBatch::Stage {
  std::span<const LawPlace> places;
  double h = 0.0, t = 0.0, last_step = 0.0;
  const double *y = nullptr, *u = nullptr, *multiplier = nullptr, *memory = nullptr, *iterate = nullptr;
  bool first = true;              ///< of the iterate
  const double* scale = nullptr;  ///< of multipliers, where errors are asked for
  double* shifts = nullptr;       ///< where they are asked for
  double* committed = nullptr;    ///< memory, where it is committed
};

namespace stages {

/// Calls ask(law, batch) once; a failure is told with who was being asked (`relations`: not read for contacts found).
template <class Ask>
void ask_batch(const LawBatch::Stage& stage, const RelationCaches* relations, const char* what, Ask ask) {
  if (stage.places.empty()) return;
  const LawBatch batch(stage);
  try {
    ask(*stage.places.front().law->law, batch);
  } catch (...) {
    const Index failed = stage.places[static_cast<std::size_t>(batch.asked())].interaction;
    guarded(failed < 0 ? "a detected contact" : relations->interaction(failed).name, what, [] { throw; });
  }
}

/// `what` of the law was answered with finite numbers. @throws CallableFailure naming the interaction and the law.
void require_finite_numbers(const LawPlace& place, const RelationCaches* relations, const char* what,
                            const double* values, Index count);
/// The block that a law gave is finite and has the shapes that it had when it was linked. @throws as above.
void check_law_block(const LawPlace& place, const RelationCaches* relations);
/// Two laws are asked together where they are of one class and are asked for the same.
[[nodiscard]] bool asked_alike(const PreparedLaw& one, const PreparedLaw& other);
/// Lists the blocks of laws that are asked in a step, those of one class together. After the interactions are known.
void group_laws(RelationCaches& relations);
/// The blocks of laws that vary, at t_k or at the iterate.
void evaluate_law_blocks(const StepView& step, const Iterate& iterate, RelationCaches& relations);
/// RelationCaches::law_activities of laws that decide.
void evaluate_law_activities(const StepView& step, RelationCaches& relations);
/// RelationCaches::law_shifts of the blocks that RelationCaches::law_acts marks.
void evaluate_law_shifts(const StepView& step, RelationCaches& relations);
/// RelationCaches::law_errors of laws that vary with the iterate, at the multipliers that a linearised step gave;
/// `scale`: LawContext::multiplier_scale by state row.
void evaluate_law_errors(double tolerance, const StepView& step, const Iterate& iterate,
                         const Eigen::VectorXd& multipliers, const Eigen::VectorXd& scale, RelationCaches& relations);

}  // namespace stages
}  // namespace nonsmooth
