// SPDX-License-Identifier: Apache-2.0
#include "bound_search.hpp"

#include <algorithm>
#include <utility>

#include "laws/reaction_bounds.hpp"

namespace nonsmooth {
namespace {

constexpr double kDependentDifferences = 1e-10;  ///< sine^2 of the angle of two differences of f that count as one
constexpr double kFallOfSquares = 1.0 / 16.0;
constexpr double kFound = 1e-26;  ///< |f|^2 of a mechanism that only waits for others: its differences are round-off

/// Its law makes bounds of its multipliers.
bool makes_bounds(const InteractionPlan& interaction) {
  return interaction.law->varies == LawVaries::Iterate &&
         dynamic_cast<const ReactionBounds*>(interaction.law->law.get()) != nullptr;
}

/// Calls give(joint) for each joint that does.
template <class Give>
void for_joints(const RelationCaches& relations, Give give) {
  for (const InteractionPlan& interaction : relations.interactions) {
    if (makes_bounds(interaction)) give(interaction);
  }
}

}  // namespace

void BoundSearch::begin(const RelationCaches& relations, Index num_systems, NewtonCaches& newton) {
  x_[0] = &newton.lambda_base;
  x_[1] = &newton.z_base;
  G_[0] = &newton.lambda_full;
  G_[1] = &newton.z_full;
  known_ = 0;
  systems_.reset(num_systems);
  for (const InteractionPlan& interaction : relations.interactions) {
    if (interaction.law->unilateral) continue;
    const auto linked = relations.jacobians.of(interaction);
    for (const JacobianBlock& one : linked) systems_.join(linked.front().system, one.system);
  }
  systems_.list(begin_, members_);
  mechanisms_.assign(begin_.size() - 1, {});
}

BoundSearch::Mechanism& BoundSearch::mechanism_of(const RelationCaches& relations, const InteractionPlan& joint) {
  const Index system = relations.jacobians.of(joint).front().system;
  return mechanisms_[static_cast<std::size_t>(systems_.number(system))];
}

void BoundSearch::add_products(const InteractionPlan& joint, const Eigen::VectorXd& G, const Eigen::VectorXd& x,
                               Mechanism& mechanism) const {
  const double size = G.segment(joint.row, joint.rows).lpNorm<Eigen::Infinity>();
  if (!(size > 0.0)) return;
  const double weight = 1.0 / (size * size);
  for (Index k = joint.row; k < joint.row + joint.rows; ++k) {
    const double f = G[k] - x[k];
    mechanism.ff += weight * f * f;
    if (known_ == 0) continue;
    const double d1 = f - ((*G_[0])[k] - (*x_[0])[k]);
    mechanism.f1 += weight * f * d1;
    mechanism.d11 += weight * d1 * d1;
    mechanism.growth += weight * d1 * (x[k] - (*x_[0])[k]);
    if (known_ == 1) continue;
    const double d2 = f - ((*G_[1])[k] - (*x_[1])[k]);
    mechanism.f2 += weight * f * d2;
    mechanism.d12 += weight * d1 * d2;
    mechanism.d22 += weight * d2 * d2;
  }
}

/// How x goes on, by the products; they are zero again for the next iterate.
void BoundSearch::choose(Mechanism& one) const {
  const bool poor = one.ff > kFallOfSquares * one.last;
  const bool found = one.ff <= kFound, expands = known_ > 0 && one.growth > 0.0 && !found;
  one.plain = known_ == 0 || found || !(one.d11 > 0.0) || (poor && !one.plain && !expands);
  one.a1 = one.a2 = 0.0;
  if (!one.plain && !expands) {
    const double determinant = one.d11 * one.d22 - one.d12 * one.d12;
    if (known_ == 2 && determinant > kDependentDifferences * one.d11 * one.d22) {
      one.a1 = (one.f1 * one.d22 - one.f2 * one.d12) / determinant;
      one.a2 = (one.f2 * one.d11 - one.f1 * one.d12) / determinant;
    } else {
      one.a1 = one.f1 / one.d11;
    }
  }
  one.leap = expands ? 2.0 * one.leap : 1.0;
  one.last = one.ff;
  one.ff = one.f1 = one.f2 = one.d11 = one.d12 = one.d22 = one.growth = 0.0;
}

void BoundSearch::move(const RelationCaches& relations, const StepSolution& solution, Iterate& iterate) {
  const Eigen::VectorXd& G = solution.lambda;
  Eigen::VectorXd& x = iterate.lambda;
  for_joints(relations,
             [&](const InteractionPlan& joint) { add_products(joint, G, x, mechanism_of(relations, joint)); });
  for (Mechanism& mechanism : mechanisms_) choose(mechanism);
  for (Eigen::VectorXd* oldest : {x_[1], G_[1]}) {
    if (oldest->size() != G.size()) oldest->setZero(G.size());
  }
  for_joints(relations, [&](const InteractionPlan& joint) {
    const Mechanism& mechanism = mechanism_of(relations, joint);
    for (Index k = joint.row; k < joint.row + joint.rows; ++k) {
      double next = G[k] + (mechanism.leap - 1.0) * (G[k] - x[k]);
      if (mechanism.a1 != 0.0) next -= mechanism.a1 * (G[k] - (*G_[0])[k]);
      if (mechanism.a2 != 0.0) next -= mechanism.a2 * (G[k] - (*G_[1])[k]);
      (*x_[1])[k] = x[k];
      (*G_[1])[k] = G[k];
      x[k] = next;
    }
  });
  for (const InteractionPlan& interaction : relations.interactions) {
    if (!makes_bounds(interaction))
      x.segment(interaction.row, interaction.rows) = G.segment(interaction.row, interaction.rows);
  }
  std::swap(x_[0], x_[1]);
  std::swap(G_[0], G_[1]);
  known_ = std::min(known_ + 1, 2);
  iterate.z = solution.z;
}

}  // namespace nonsmooth
