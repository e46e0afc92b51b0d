// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/staged_integrator.hpp>
#include <nonsmooth/kernel/workspace.hpp>
#include <nonsmooth/numerics/mixed/problem.hpp>

#include "dynamics/relations/relation_caches.hpp"

namespace nonsmooth::stages {

/// The end of the parts of a subdivided step, and what they add up to.
struct Sums {
  State state;
  Eigen::VectorXd multipliers, percussions, projections;
  std::vector<ContactMemory> contacts;
  Eigen::VectorXd start;  ///< its unknowns
  Eigen::VectorXd slope;  ///< what the first part kept, by its length
  bool is_first = true;   ///< of the next part
  bool goes_on = true;    ///< no part ended in another mode

  Sums() = default;
  explicit Sums(const State& before) { begin(before); }

  /// Keeps its memory.
  void begin(const State& before) {
    state = before;
    for (Eigen::VectorXd* sum : {&multipliers, &percussions, &projections}) sum->setZero(before.multipliers.size());
    contacts.clear();
    start = before.unknowns;
    is_first = goes_on = true;
  }

  /// The part that ends at `state`.
  void add_part() {
    if (std::exchange(is_first, false)) slope = state.differences / state.last_step;
    goes_on = goes_on && state.has_differences();
    multipliers += state.multipliers;
    percussions += state.percussions;
    projections += state.projections;
    for (const ContactMemory& contact : state.contacts) {
      const auto at = place_of(contact);
      if (at == contacts.end() || identity(*at) != identity(contact)) {
        contacts.insert(at, contact);
        continue;
      }
      for (std::size_t row = 0; row < contact.impulse.size(); ++row) at->impulse[row] += contact.impulse[row];
      at->work_normal += contact.work_normal;
      at->work_tangential += contact.work_tangential;
      at->sleeper = contact.sleeper;
    }
  }

  /// Into the state, the end of a step of length h; its multipliers are those of the last part. What a scheme of two
  /// steps keeps is of the whole step, as its length is.
  void write(double h, const RelationCaches& relations, StagedIntegrator::Kept kept) {
    for (const InteractionPlan& interaction : relations.interactions) {
      if (interaction.first_order) continue;
      auto multiplier = state.multipliers.segment(interaction.row, interaction.extended);
      if (interaction.D.size() > 0) {
        multiplier *= h / state.last_step;  // y_{k+1} depends on the force at t_{k+1}
      } else {
        forget_torn(interaction, multiplier);
        multiplier = multipliers.segment(interaction.row, interaction.extended);
      }
    }
    forget_torn_contacts();
    state.percussions.swap(percussions);
    state.projections.swap(projections);
    state.contacts.swap(contacts);
    state.last_step = h;
    if (kept == StagedIntegrator::Kept::Nothing) return;
    if (!goes_on) state.differences_t = -std::numeric_limits<double>::infinity();
    if (kept == StagedIntegrator::Kept::Difference) {
      state.differences = state.unknowns - start;
    } else {
      state.differences = h * slope;
    }
  }

 private:
  /// What was torn off in a part has no reaction in the last one (has_parted()): part of the full pull would say to the
  /// next step that it hangs, and it would be pulled back in the first part of each. The step reports none for it.
  [[nodiscard]] static bool was_torn(double last, double sum) { return last == 0.0 && sum < 0.0; }

  void forget_torn(const InteractionPlan& interaction, ConstVectorRef last) {
    const PreparedLaw& law = *interaction.law;
    if (!law.unilateral || law.varies != LawVaries::Never) return;
    for (Index r = 0; r < interaction.rows; r += law.size) {
      double& sum = multipliers[interaction.row + r];
      if (was_torn(last[r], sum)) sum = 0.0;
    }
  }

  void forget_torn_contacts() {
    for (const ContactMemory& last : state.contacts) {
      if (ContactMemory& sum = *place_of(last); was_torn(last.impulse[0], sum.impulse[0])) sum.impulse[0] = 0.0;
    }
  }

  /// In the list of sums, where it is or would be.
  [[nodiscard]] std::vector<ContactMemory>::iterator place_of(const ContactMemory& contact) {
    return std::lower_bound(contacts.begin(), contacts.end(), contact,
                            [](const ContactMemory& a, const ContactMemory& b) { return identity(a) < identity(b); });
  }
  [[nodiscard]] static std::pair<std::uint32_t, std::uint64_t> identity(const ContactMemory& contact) {
    return {contact.source, contact.feature};
  }
};

/// Of a step that solves several problems: the report tells of the worst, or of the first that was not solved.
inline void add_problem(const mixed::Result& result, StepReport& report) {
  report.solver_iterations += result.iterations;
  const bool worst = report.rows == 0 || result.certificate.residual > report.certificate.residual;
  if (report.ok() && (worst || !result.ok())) {
    report.solver = result.status;
    report.at_round_off = result.at_round_off;
    report.certificate = result.certificate;
    report.rows = result.r.size();
  }
}

/// What the report of a later part takes over from those before it; a failure too, where they were taken all the same.
inline void add_report(const StepReport& before, StepReport& part) {
  if (!before.ok() && part.ok()) {
    part.outcome = before.outcome;
    part.solver = before.solver;
    part.at_round_off = before.at_round_off;
    part.certificate = before.certificate;
    part.rows = before.rows;
    part.detail = before.detail;
  }
  part.subdivisions += before.subdivisions;
  part.newton_iterations += before.newton_iterations;
  part.fell_asleep += before.fell_asleep;
  part.woken += before.woken;
  part.energy_taken += before.energy_taken;
  part.approach = std::max(part.approach, before.approach);
  if (before.penetration > part.penetration) {
    part.penetration = before.penetration;
    part.deepest_row = -1;
  }
}

}  // namespace nonsmooth::stages
