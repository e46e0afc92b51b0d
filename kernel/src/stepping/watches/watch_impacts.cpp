// SPDX-License-Identifier: Apache-2.0
// Impacts whose laws give energy.
#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>

#include "run_watch.hpp"

namespace nonsmooth::stages {
namespace {

constexpr double kImpactNoise = 1e-8;  ///< of the terms: a hundred times the default tolerance of one-step problems
constexpr double kRoundOffOfSpeed = 64.0 * eps;  ///< of the fastest u-: what a contact that rests may seem to move with

/// The rows that blocks are measured on.
struct ImpactRows {
  const double *q, *r, *u;
  double error;  ///< of the answer
  double still;  ///< a velocity that is none

  ImpactRows(const OneStepNSProblem& problem, double fastest)
      : q(problem.global ? problem.global->w.data() : problem.reduced.q.data()),
        r(problem.result.r.data()),
        u(problem.result.u.data()),
        error(problem.result.certificate.error),
        still(kRoundOffOfSpeed * fastest) {}

  [[nodiscard]] ImpactWork work_of(const StepView& step, const ActingRows& acting, const ActiveBlock& block) const {
    const double* const u_before = acting.u_before(step.state, block);
    ImpactWork result;
    for (Index k = 0; k < block.size; ++k) {
      const double before = u_before[k], p = r[block.row + k], added = acting.added(step, block, k);
      const double after = u[block.row + k] - added, by_forces = q[block.row + k] - added - before;
      result.work += 0.5 * p * (after + before);
      result.doubt += std::abs(p) * (0.5 * kImpactNoise * (std::abs(after) + std::abs(before)) + std::abs(by_forces) +
                                     10.0 * error + still);
      result.doubt += std::abs(p) * acting.recovers(step, block, k);  // no impact's gain
      if (k == 0) result.approaches = -before > std::abs(by_forces);
    }
    return result;
  }
};

/// As messages name it: EventDriven tells the same.
const char* name_of_rule(ImpactRule::Kind kind) {
  switch (kind) {
    case ImpactRule::Kind::Newton:
      return "Newton's law";
    case ImpactRule::Kind::Poisson:
      return "Poisson's law";
    case ImpactRule::Kind::LiuZhaoBrogliato:
      return "the law of Liu, Zhao and Brogliato";
    case ImpactRule::Kind::None:
    case ImpactRule::Kind::Other:
      break;
  }
  return "a law of its own";
}

}  // namespace

bool impacts_may_gain(const RelationCaches& relations, const ContactSearch& search) {
  double least = 1.0, largest = 0.0;
  bool any = false, may = false;
  const auto look_at = [&](const PreparedLaw& law) {
    if (!law.unilateral || !law.has_impacts()) return;
    const double e = law.impact.restitution;
    least = any ? std::min(least, e) : e;
    largest = std::max(largest, e);
    any = true;
    const bool friction = law.parts.front().set.kind != SetKind::Orthant;
    may = may || law.impact.kind == ImpactRule::Kind::Other ||
          (friction && (e > 0.0 || law.impact.tangential_restitution > 0.0));
  };
  for (const InteractionPlan& interaction : relations.interactions) look_at(*interaction.law);
  for (const SourcePlan& source : search.sources) {
    for (const PreparedLaw& law : source.prepared) look_at(law);
  }
  return may || largest > least;
}

void measure_impacts(const StepView& step, const ActingRows& acting, const OneStepNSProblem& problem,
                     RunWatch::Impacts& watch) {
  watch.gain = 0.0;
  const std::vector<ActiveBlock>& blocks = acting.active.blocks;
  const auto counts = [](const ActiveBlock& block) { return block.law->impacts && block.num_jacobians > 0; };
  for (const ActiveBlock& block : blocks) {
    if (counts(block)) watch.fastest = std::max(watch.fastest, std::abs(acting.u_before(step.state, block)[0]));
  }
  const ImpactRows rows(problem, watch.fastest);
  bool any = false;
  watch.of_block.resize(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (!counts(blocks[b])) continue;
    watch.of_block[b] = rows.work_of(step, acting, blocks[b]);
    any = any || watch.of_block[b].work > watch.of_block[b].doubt;
  }
  if (!any) return;
  const std::size_t count = step.discretisation.layout->systems.size();
  watch.systems.reset(static_cast<Index>(count));
  for (const ActiveBlock& block : blocks) {
    for (const ActiveJacobian& jacobian : acting.jacobians(block))
      watch.systems.join(acting.jacobians(block).front().system, jacobian.system);
  }
  watch.systems.list(watch.block, watch.block_members);
  watch.clear(static_cast<Index>(count));
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (!counts(blocks[b])) continue;
    const auto island = static_cast<std::size_t>(watch.systems.number(acting.jacobians(blocks[b]).front().system));
    const ImpactWork& own = watch.of_block[b];
    watch.work[island] += own.work;
    watch.doubt[island] += own.doubt;
    if (own.approaches) watch.approaches[island] = 1;
    if (own.work <= watch.most[island]) continue;
    watch.most[island] = own.work;
    watch.block[island] = static_cast<Index>(b);
  }
  for (std::size_t island = 0; island < count; ++island) {
    if (!watch.approaches[island] || watch.block[island] < 0 || watch.work[island] <= watch.doubt[island] ||
        watch.work[island] <= watch.gain)
      continue;
    watch.gain = watch.work[island];
    const ActiveBlock& most = blocks[static_cast<std::size_t>(watch.block[island])];
    watch.place = problem.place(most.row) + " under " + name_of_rule(most.law->rule.kind);
  }
}

}  // namespace nonsmooth::stages
