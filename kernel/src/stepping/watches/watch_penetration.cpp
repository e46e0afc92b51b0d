// SPDX-License-Identifier: Apache-2.0
// How deep rigid contacts are inside, and whether that is more than their approaches explain.
#include <algorithm>

#include "contact/place_of_problem_row.hpp"
#include "run_watch.hpp"

namespace nonsmooth::stages {
namespace {

/// Of the terms of a gap, as at a start.
constexpr double kGapNoise = 1e-9;
constexpr double kRoundOffOfGap = 1e-9;  ///< of what approaches explain

bool is_rigid(const ActingRows& acting, const ActiveBlock& block) {
  if (block.contact) return true;
  const BlockPlan& plan = *block.law;
  if (!plan.impacts || !plan.has_jacobian || plan.part != 0) return false;
  const InteractionPlan& interaction = acting.relations.interaction_of(plan);
  return interaction.law->unilateral && !interaction.compliant;
}

/// A projection found it closed, and its gap is that of where it was found.
bool joined(const Joining& joining, const ActiveBlock& block) {
  if (!block.contact || block.source >= joining.contacts.size()) return false;
  const auto before = [](const DetectedContact& contact, std::uint64_t feature) { return contact.feature < feature; };
  for (const ContactBatch& batch : joining.contacts[block.source]) {
    const auto at = std::lower_bound(batch.contacts.begin(), batch.contacts.end(), block.contact->feature, before);
    if (at != batch.contacts.end() && at->feature == block.contact->feature) return true;
  }
  return false;
}

/// u_N without reactions; at the level of positions, where rows are no velocities, that at t_k.
double free_velocity(const StepView& step, const ActingRows& acting, const ActiveBlock& block,
                     const Eigen::VectorXd& z_free) {
  if (!block.contact && acting.relations.interaction_of(*block.law).scheme.at_positions())
    return acting.u_before(step.state, block)[0];
  double u = block.w ? block.w[0] : 0.0;
  for (const ActiveJacobian& jacobian : acting.jacobians(block)) {
    for (Index k = 0; k < jacobian.n; ++k) u += jacobian.hu[k * jacobian.column_stride] * z_free[jacobian.z + k];
  }
  return u;
}

}  // namespace

void measure_penetration(const StepView& step, const ActingRows& acting, const Joining& joining,
                         const Eigen::VectorXd& z_free, StepReport& report) {
  for (const ActiveBlock& block : acting.active.blocks) {
    if (!is_rigid(acting, block) || joined(joining, block)) continue;
    const double u = std::min(acting.u_before(step.state, block)[0], free_velocity(step, acting, block, z_free));
    report.approach = std::max(report.approach, -u);
    const double depth = -acting.gap(step.state, block, 0);
    if (!(depth > report.penetration)) continue;
    report.penetration = depth;
    report.deepest_row = block.row;
  }
}

void prepare_depth_watch(const Discretisation& discretisation, const ProjectionOptions& projection,
                         RunWatch::Depth& watch) {
  watch.looked_at = true;
  const std::size_t longest = longest_place(*discretisation.layout);
  watch.place.reserve(longest);
  watch.room_to_tell.reserve(longest);
  watch.left_alone = projection.kind == Projection::None ? 0.0 : projection.unilateral_tolerance;
  watch.steps_of_approach = 1.0;
  for (std::size_t i = 0; i < discretisation.schemes.size(); ++i) {
    const Scheme& scheme = discretisation.schemes[i];
    if (!discretisation.layout->systems[i].first_order)
      watch.steps_of_approach = std::max(watch.steps_of_approach, 2.0 - scheme.forecast - scheme.position);
  }
}

void watch_penetration(const TakenStep& step, double h, const ActiveSet& active, RelationCaches& relations,
                       const OneStepNSProblem& problem, RunWatch::Depth& watch) {
  const double depth = step.report.penetration;
  watch.exceeded = false;
  if (!watch.began) watch.allowed = std::max(depth, watch.left_alone);
  watch.began = true;
  watch.allowed = std::max(watch.allowed, (1.0 + kRoundOffOfGap) * watch.steps_of_approach * h * step.report.approach);
  if (!(depth > watch.allowed) || step.report.deepest_row < 0) return;
  const auto block = std::find_if(active.blocks.begin(), active.blocks.end(),
                                  [&](const ActiveBlock& one) { return one.row == step.report.deepest_row; });
  const double terms = block->contact ? block->contact->terms : output_terms(step.state, relations).y[block->law->row];
  if (!(depth > kGapNoise * terms)) return;
  if (watch.place.empty()) {
    append_place(problem, step.report.deepest_row, watch.place);
    watch.room_to_tell = watch.place;
  }
  watch.exceeded = true;
}

}  // namespace nonsmooth::stages
