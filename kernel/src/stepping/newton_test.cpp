// SPDX-License-Identifier: Apache-2.0
// When Newton's iteration of a step stands still.
#include <algorithm>
#include <cmath>
#include <limits>

#include "plan.hpp"

namespace nonsmooth::stages {
namespace {

constexpr double kRoundOff = 64.0 * eps;

/// plan.terms := |z_free| + |P| |lambda|, what each unknown is the sum of.
void sum_terms(Plan& plan) {
  plan.terms = plan.z_free.cwiseAbs();
  for (const InteractionPlan& interaction : plan.interactions) {
    for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
      const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
      const double* P = plan.p.data() + leg.p;
      for (Index r = 0; r < interaction.rows; ++r) {
        const double lambda = std::abs(plan.lambda[interaction.row + r]);
        for (Index k = 0; k < leg.n; ++k) plan.terms[leg.z + k] += std::abs(P[r * leg.n + k]) * lambda;
      }
    }
  }
}

/// The largest change of a system's unknown against the round-off of its terms.
double against_round_off(const Layout::System& place, const Plan& plan) {
  double worst = 0.0;
  for (Index i = place.z; i < place.z + place.n; ++i) {
    const double change = std::abs(plan.z[i] - plan.z_iterate[i]);
    if (change > 0.0) worst = std::max(worst, change / (kRoundOff * plan.terms[i]));
  }
  return worst;
}

/// True where a change of multiplier r of the interaction moves no unknown and no y by more than their round-off: it
/// acts on nothing, and may be anything.
bool acts_on_nothing(const InteractionPlan& interaction, Index r, double change, const Plan& plan) {
  for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
    const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
    const double* P = plan.p.data() + leg.p + r * leg.n;
    for (Index k = 0; k < leg.n; ++k) {
      if (std::abs(P[k]) * change > kRoundOff * plan.terms[leg.z + k]) return false;
    }
  }
  if (interaction.law->shockley || interaction.D.size() == 0) return !interaction.law->shockley;
  const auto lambda = plan.lambda.segment(interaction.row, interaction.rows);
  for (Index i = 0; i < interaction.rows; ++i) {
    const double terms = std::abs(interaction.y_free[i]) + interaction.D.row(i).cwiseAbs().dot(lambda.cwiseAbs());
    if (std::abs(interaction.D(i, r)) * change > kRoundOff * terms) return false;
  }
  return true;
}

/// A multiplier counts as idle where it acts on nothing in two linearisations in a row: at one point alone the
/// derivatives may vanish.
void of_multipliers(Index place, double tolerance, Plan& plan) {
  const InteractionPlan& interaction = plan.interactions[static_cast<std::size_t>(place)];
  const auto lambda = plan.lambda.segment(interaction.row, interaction.rows);
  const double allowed = tolerance * (1.0 + lambda.lpNorm<Eigen::Infinity>());
  const auto count = [&](Index row, double ratio) {
    if (ratio > plan.least_settled.ratio)
      plan.least_settled = {.system = -1, .interaction = place, .entry = row, .ratio = ratio};
  };
  for (Index r = 0; r < interaction.rows; ++r) {
    const double change = std::abs(lambda[r] - plan.lambda_iterate[interaction.row + r]);
    char& idle = plan.idle[static_cast<std::size_t>(interaction.row + r)];
    const bool was_idle = idle != 0;
    idle = change > allowed && acts_on_nothing(interaction, r, change, plan) ? 1 : 0;
    if (was_idle && idle) continue;
    count(r, change / allowed);
    if (!interaction.law->shockley) continue;
    // A blocking diode's current says nothing: its voltage on the line against the point that the line is of.
    const double offset = interaction.point_offset[r];
    const double moved = interaction.point_slope[r] * lambda[r] + offset + interaction.point_y[r];
    count(r, std::abs(moved) / (tolerance * (interaction.law->shockley->thermal + std::abs(offset))));
  }
}

}  // namespace

double unsettled(const State& state, double tolerance, Plan& plan) {
  LeastSettled& worst = plan.least_settled;
  worst = {};
  bool terms_known = false;
  const auto know_terms = [&] {
    if (!terms_known) sum_terms(plan);
    terms_known = true;
  };
  for (std::size_t s = 0; s < plan.layout->systems.size(); ++s) {
    const Layout::System& place = plan.layout->systems[s];
    const auto z = plan.z.segment(place.z, place.n);
    const auto before = state.unknowns.segment(place.z, place.n);
    const auto moved = z - plan.z_iterate.segment(place.z, place.n);
    const double change = moved.lpNorm<Eigen::Infinity>();
    double off = change;
    if (change > 0.0) {
      const double size = z.lpNorm<Eigen::Infinity>() + before.lpNorm<Eigen::Infinity>() +
                          (plan.z_free.segment(place.z, place.n) - before).lpNorm<Eigen::Infinity>();
      off = change / (tolerance * size);
    }
    if (off > 1.0) {
      know_terms();
      off = std::min(off, against_round_off(place, plan));
    }
    if (!(off > worst.ratio) && !std::isnan(change)) continue;
    worst = {.system = static_cast<Index>(s), .interaction = -1, .entry = 0, .ratio = off};
    if (off > 1.0) moved.cwiseAbs().maxCoeff(&worst.entry);
    if (std::isnan(change)) return worst.ratio = std::numeric_limits<double>::quiet_NaN();
  }
  if (!plan.any_iterates) return worst.ratio;
  for (std::size_t i = 0; i < plan.interactions.size(); ++i) {
    const InteractionPlan& interaction = plan.interactions[i];
    if (!interaction.iterates || !(interaction.first_order || interaction.compliant)) continue;
    know_terms();
    of_multipliers(static_cast<Index>(i), tolerance, plan);
  }
  return worst.ratio;
}

}  // namespace nonsmooth::stages
