// SPDX-License-Identifier: Apache-2.0
// When Newton's iteration of a step stands still.
#include "newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <internal/round_off.hpp>

#include "dynamics/relations/law_batches.hpp"

namespace nonsmooth::stages {
namespace {

constexpr double kRoundOffOfTerms = 64.0 * eps;

/// |z_free| + |P| |lambda|, what each unknown is the sum of.
void sum_terms(const RelationCaches& relations, const StepSolution& solution, Eigen::VectorXd& terms) {
  terms = solution.z_free.cwiseAbs();
  for (const InteractionPlan& interaction : relations.interactions) {
    for (const JacobianBlock& jacobian : relations.jacobians.of(interaction)) {
      const double* P = relations.jacobians.p.data() + jacobian.p;
      for (Index r = 0; r < interaction.rows; ++r) {
        const double lambda = std::abs(solution.lambda[interaction.row + r]);
        for (Index k = 0; k < jacobian.n; ++k) terms[jacobian.z + k] += std::abs(P[r * jacobian.n + k]) * lambda;
      }
    }
  }
}

/// LawContext::multiplier_scale by row of the laws that vary with the iterate.
void find_scales(const StepView& step, const RelationCaches& relations, const StepSolution& solution,
                 NewtonCaches& newton) {
  newton.scale.resize(static_cast<Index>(newton.idle.size()));
  const auto size = [&](Index k) {
    const double before = step.state.unknowns[k];
    return std::abs(solution.z[k]) + std::abs(before) + std::abs(solution.z_free[k] - before);
  };
  for (const InteractionPlan& interaction : relations.interactions) {
    if (interaction.law->varies != LawVaries::Iterate) continue;
    for (Index r = 0; r < interaction.rows; ++r) {
      double terms = 0.0, changes = 0.0;
      for (const JacobianBlock& jacobian : relations.jacobians.of(interaction)) {
        const double* H = relations.jacobians.hu.data() + jacobian.hu + r;
        const double* P = relations.jacobians.p.data() + jacobian.p + r * jacobian.n;
        for (Index k = 0; k < jacobian.n; ++k) {
          terms += std::abs(H[k * interaction.rows]) * size(jacobian.z + k);
          changes += H[k * interaction.rows] * P[k];
        }
      }
      newton.scale[interaction.row + r] = changes > 0.0 ? terms / changes : std::numeric_limits<double>::infinity();
    }
  }
}

/// The largest change of a system's unknown against the round-off of its terms.
double against_round_off(const Layout::System& place, const Iterate& iterate, const StepSolution& solution,
                         const Eigen::VectorXd& terms) {
  double worst = 0.0;
  for (Index i = place.z; i < place.z + place.n; ++i) {
    const double change = std::abs(solution.z[i] - iterate.z[i]);
    if (change > 0.0) worst = std::max(worst, change / (kRoundOffOfTerms * terms[i]));
  }
  return worst;
}

/// The largest coordinate in the unit of `lengths`: of a quaternion the radii that it turns.
double size_of_positions(const Eigen::VectorXd& positions, const Layout::System& place,
                         const Eigen::VectorXd& lengths) {
  double largest = 0.0;
  for (Index k = 0; k < place.nq; ++k)
    largest = std::max(largest, std::abs(positions[place.q + k]) * lengths[place.z + std::min(k, place.n - 1)]);
  return largest;
}

/// The change of a mechanical system's velocities against those that move q by its round-off within the step, and
/// against the tolerance of the largest term: forces that cancel, as of a structure that is stressed and at rest, leave
/// no less than the former. Far from the origin or in short steps that alone would take any velocity.
double against_positions(double tolerance, const StepView& step, const Layout::System& place, double change,
                         const Eigen::VectorXd& lengths, const Eigen::VectorXd& terms) {
  const double q = size_of_positions(step.state.positions, place, lengths);
  const double largest =
      lengths.segment(place.z, place.n).cwiseProduct(terms.segment(place.z, place.n)).lpNorm<Eigen::Infinity>();
  return std::max(change * step.h() / (4.0 * eps * q), change / (tolerance * largest));
}

/// True where a change of multiplier r of the interaction moves no unknown and no y by more than their round-off: it
/// acts on nothing, and may be anything.
bool acts_on_nothing(const RelationCaches& relations, const InteractionPlan& interaction, Index r, double change,
                     const Eigen::VectorXd& multipliers, const Eigen::VectorXd& terms) {
  for (const JacobianBlock& jacobian : relations.jacobians.of(interaction)) {
    const double* P = relations.jacobians.p.data() + jacobian.p + r * jacobian.n;
    for (Index k = 0; k < jacobian.n; ++k) {
      if (std::abs(P[k]) * change > kRoundOffOfTerms * terms[jacobian.z + k]) return false;
    }
  }
  const bool law_iterates = interaction.law->varies == LawVaries::Iterate;
  if (law_iterates || interaction.D.size() == 0) return !law_iterates;
  const auto lambda = multipliers.segment(interaction.row, interaction.rows);
  for (Index i = 0; i < interaction.rows; ++i) {
    const double of_y = std::abs(interaction.y_free[i]) + interaction.D.row(i).cwiseAbs().dot(lambda.cwiseAbs());
    if (std::abs(interaction.D(i, r)) * change > kRoundOffOfTerms * of_y) return false;
  }
  return true;
}

/// A multiplier counts as idle where it acts on nothing in two linearisations in a row: at one point alone the
/// derivatives may vanish.
void of_multipliers(Index place, double tolerance, const RelationCaches& relations, const Iterate& iterate,
                    const StepSolution& solution, NewtonCaches& newton) {
  const InteractionPlan& interaction = relations.interaction(place);
  const auto lambda = solution.lambda.segment(interaction.row, interaction.rows);
  const double allowed = tolerance * (1.0 + lambda.lpNorm<Eigen::Infinity>());
  const auto count = [&](Index row, double ratio) {
    if (ratio > newton.least_converged.ratio)
      newton.least_converged = {.system = -1, .interaction = place, .entry = row, .ratio = ratio};
  };
  for (Index r = 0; r < interaction.rows; ++r) {
    const double change = std::abs(lambda[r] - iterate.lambda[interaction.row + r]);
    char& idle = newton.idle[static_cast<std::size_t>(interaction.row + r)];
    const bool was_idle = idle != 0;
    idle =
        change > allowed && acts_on_nothing(relations, interaction, r, change, solution.lambda, newton.terms) ? 1 : 0;
    if (was_idle && idle) continue;
    count(r, change / allowed);
    const PreparedLaw& law = *interaction.law;
    if (law.varies != LawVaries::Iterate || r % law.size != 0) continue;
    count(r, relations.law_errors[static_cast<std::size_t>(interaction.law_place + r / law.size)]);
  }
}

}  // namespace

Eigen::VectorXd lengths_of_unknowns(const NonSmoothDynamicalSystem& model) {
  Eigen::VectorXd lengths = Eigen::VectorXd::Ones(model.layout()->num_unknowns);
  for (const Layout::System& place : model.layout()->systems) {
    const MechanicalSystem* const system = model.systems()[place.slot].mechanical;
    if (system != nullptr) lengths.segment(place.z, place.n) = system->velocity_lengths();
  }
  return lengths;
}

double newton_error(double tolerance, const StepView& step, RelationCaches& relations, const Iterate& iterate,
                    const StepSolution& solution, const Eigen::VectorXd& lengths, NewtonCaches& newton) {
  LeastConverged& worst = newton.least_converged;
  worst = {};
  bool terms_known = false;
  const auto know_terms = [&] {
    if (!terms_known) sum_terms(relations, solution, newton.terms);
    terms_known = true;
  };
  for (std::size_t s = 0; s < step.discretisation.layout->systems.size(); ++s) {
    const Layout::System& place = step.discretisation.layout->systems[s];
    const auto units = lengths.segment(place.z, place.n);
    const auto z = solution.z.segment(place.z, place.n);
    const auto before = step.state.unknowns.segment(place.z, place.n);
    const auto moved = units.cwiseProduct(z - iterate.z.segment(place.z, place.n));
    const double change = moved.lpNorm<Eigen::Infinity>();
    const auto largest = [&](const auto& speeds) {
      return units.cwiseProduct(speeds).template lpNorm<Eigen::Infinity>();
    };
    const double size = largest(z) + largest(before) + largest(solution.z_free.segment(place.z, place.n) - before);
    double off = change;
    if (change > 0.0) off = change / (tolerance * size);
    if (off > 1.0) {
      know_terms();
      off = std::min(off, against_round_off(place, iterate, solution, newton.terms));
      if (!place.first_order)
        off = std::min(off, against_positions(tolerance, step, place, change, lengths, newton.terms));
    }
    if (!(off > worst.ratio) && !std::isnan(change)) continue;
    worst = {.system = static_cast<Index>(s), .interaction = -1, .entry = 0, .ratio = off};
    if (off > 1.0) moved.cwiseAbs().maxCoeff(&worst.entry);
    if (std::isnan(change)) return worst.ratio = std::numeric_limits<double>::quiet_NaN();
  }
  if (!relations.any_iterates) return worst.ratio;
  if (relations.laws_vary) find_scales(step, relations, solution, newton);
  evaluate_law_errors(tolerance, step, iterate, solution.lambda, newton.scale, relations);
  for (std::size_t i = 0; i < relations.interactions.size(); ++i) {
    const InteractionPlan& interaction = relations.interactions[i];
    if (!interaction.iterates ||
        !(interaction.first_order || interaction.compliant || interaction.law->varies == LawVaries::Iterate))
      continue;
    know_terms();
    of_multipliers(static_cast<Index>(i), tolerance, relations, iterate, solution, newton);
  }
  return worst.ratio;
}

}  // namespace nonsmooth::stages
